// inertia matrices that a precision cannot hold

// half a unit in the last place of 1: the largest rounding of an f32
const ROUNDING: f32 = 5.9604645e-8;

// by how much a rounding grows on its way into the acceleration of a dof, at most: the largest number that its pivot of L'DL
// is what is left of, over the pivot
fn cancellation(i: i32) -> f32 {
    // the diagonal of M: each dof of the tree takes its part with a rounding of its own
    let diag = M(M_rowadr(i) + M_rownnz(i) - 1);
    let inertia = diag * f32(tree_dofnum(dof_treeid(i)));

    // it is itself the rest of an inertia about the tree's centre of mass, which may be far away
    let lin = cdof(i).lin;
    let moved = body_subtreemass(dof_bodyid(i)) * dot(lin, lin);
    return max(inertia, moved) * qLDiagInv(i);
}
