// how points of bodies move

struct PointMotion {
    vel: vec3f,
    acc: vec3f,
}

// velocity of a point of a body, and its acceleration while the dofs keep theirs; gravity is not part of it
fn point_motion(body: i32, point: vec3f) -> PointMotion {
    let offset = point - subtree_com(body_rootid(body));
    let motion = cvel(body);
    let vel = motion.lin + cross(motion.rot, offset);
    let rate = add_scl6(rne_cacc(body), rne_cacc(0), -1.0);
    let acc = rate.lin + cross(rate.rot, offset);
    return PointMotion(vel, acc + cross(motion.rot, vel));
}

// adds to a sparse row, entries `adr` to `adr + num` of which `colind` says whose they are, what each dof does to a point of a
// body along `dir`, and to its turning about `axis`: the row of the Jacobian of that motion. Dofs that the row does not hold
// are passed over
fn add_jac<row, colind>(adr: i32, num: i32, body: i32, point: vec3f, dir: vec3f, axis: vec3f) {
    let offset = point - subtree_com(body_rootid(body));
    let moment = axis + cross(offset, dir);
    // both descend
    var k = adr + num - 1;
    var i = body_lastdof(body);
    while (i >= 0 && k >= adr) {
        let column = colind(k);
        if (column == i) {
            let motion = cdof(i);
            set_row(k, row(k) + dot(motion.rot, moment) + dot(motion.lin, dir));
        }
        // the dof's turn is over if the row has nothing above it
        if (column > i) {
            k--;
        } else {
            i = dof_parentid(i);
        }
    }
}
