// motion of geoms in a timestep at their present velocity, as in src/cpu/collision/sweep.rs: contacts that will happen before it ends are
// made at its start (`speculative`; chapter Computation, "Speculative contacts")

// `contact_efc_address` of a contact of an impact within the timestep, until its rows are made
const CONTACT_SOON: i32 = -2;

// motion of a geom over a whole timestep, about its centre: displacement of the centre (m), rotation vector (rad; zero for a sphere, whose
// shape does not change by rotation), radius of the bounding sphere (m)
struct Sweep {
    lin: vec3f,
    rot: vec3f,
    bound: f32,
}

// motion of a geom at the velocity of its body
fn sweep_of(geom: i32) -> Sweep {
    let body = geom_bodyid(geom);
    let vel = cvel(body);
    let arm = geom_xpos(geom) - subtree_com(body_rootid(body));
    let turn = select(vel.rot, vec3f(0.0), geom_type(geom) == GEOM_SPHERE);
    return Sweep((vel.lin + cross(vel.rot, arm)) * opt_timestep, turn * opt_timestep, geom_rbound(geom));
}

// largest displacement of any point of the geom by its rotation (m)
fn sweep_turned(sweep: Sweep) -> f32 {
    return length(sweep.rot) * sweep.bound;
}

// largest displacement of any point of the geom (m)
fn sweep_reach(sweep: Sweep) -> f32 {
    return length(sweep.lin) + sweep_turned(sweep);
}

// pose of a geom after a fraction of the timestep
fn sweep_place(sweep: Sweep, shape: Shape, time: f32) -> Shape {
    let axis = normalize3(sweep.rot);
    let angle = axis.w * time;
    var mat = shape.mat;
    if (angle >= MINVAL) {
        mat = quat2mat(axis_angle2quat(axis.xyz, angle)) * mat;
    }
    return Shape(shape.pos + sweep.lin * time, mat, shape.size);
}

// half of the smallest extent of a geom (m)
fn sweep_thickness(geom: i32) -> f32 {
    return min(geom_aabb(geom, 3), min(geom_aabb(geom, 4), geom_aabb(geom, 5)));
}

// true if a pair has to be tested for an impact: its types can have one, a geom moves farther than the thinner of both is thick, so that
// one may pass through the other within the timestep, and both come near. A plane has no thickness and does not move
fn sweeps_meet(k: i32) -> bool {
    let geom1 = collision_geom1(k);
    let geom2 = collision_geom2(k);
    if (geom_type(geom1) == GEOM_HFIELD || geom_type(geom2) == GEOM_SDF) {
        return false;
    }
    let sweep1 = sweep_of(geom1);
    let sweep2 = sweep_of(geom2);
    let plane = geom_type(geom1) == GEOM_PLANE;
    let thick = min(sweep_thickness(geom2), select(sweep_thickness(geom1), 3e38, plane));
    let fast = thick < sweep_reach(sweep2) || (!plane && thick < sweep_reach(sweep1));
    let detect = collision_detect(k);
    let dif = geom_xpos(geom2) - geom_xpos(geom1);
    let step = sweep2.lin - sweep1.lin;
    if (plane) {
        let axis = geom_xmat(geom1)[2];
        let height = dot(dif, axis);
        return fast && min(height, height + dot(step, axis)) <= detect + sweep2.bound;
    }

    // time at which the centres are nearest
    let time = clamp(-dot(dif, step) / max(dot(step, step), MINVAL * MINVAL), 0.0, 1.0);
    let nearest = dif + step * time;
    let reach = sweep1.bound + sweep2.bound + detect;
    return fast && dot(nearest, nearest) <= reach * reach;
}
