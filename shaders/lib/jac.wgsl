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
