// inertia matrices that a number format cannot represent well enough

// half a unit in the last place of 1: the largest rounding error of f32
const ROUNDING: f32 = 5.9604645e-8;

// upper bound of the growth of rounding errors in the acceleration of a dof: the largest number from which its pivot of L'DL
// remains after subtractions, divided by the pivot
fn cancellation(i: i32) -> f32 {
    // the diagonal of M: each dof of the tree subtracts its part with a rounding
    let diag = M(M_rowadr(i) + M_rownnz(i) - 1);
    let inertia = diag * f32(tree_dofnum(dof_treeid(i)));

    // the diagonal itself remains from an inertia about the tree's centre of mass, which may be far away
    let lin = cdof(i).lin;
    let moved = body_subtreemass(dof_bodyid(i)) * dot(lin, lin);
    return max(inertia, moved) * qLDiagInv(i);
}
