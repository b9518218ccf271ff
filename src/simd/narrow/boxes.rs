//! Boxes with planes, spheres, capsules and boxes. Twin of `cpu/collision/{plane,sphere_box,capsule_box,box_box}.rs`.

use super::*;

/// Slack of the tests that spare the reference what is apart, times the sizes of both shapes: single precision rounds
/// positions of some metres to less than this.
const SLACK: f64 = 1e-4;

/// Plane and box: the first four of the lower corners (`mjc_PlaneBox`).
pub fn plane_box<R: Real>(
    plane: &Shapes<R>,
    cube: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let normal = plane.axis();
    let height = dot3(sub3(cube.pos, plane.pos), normal);
    let [x, y, z]: [[R; 3]; 3] = std::array::from_fn(|j| {
        let size = R::splat(cube.size[j]);
        scl3([cube.mat[j], cube.mat[3 + j], cube.mat[6 + j]], size)
    });
    let below = [x, y, z].map(|edge| dot3(normal, edge));
    let side = |i: usize, bit: usize| R::splat(if i & bit != 0 { 1.0 } else { -1.0 });
    for i in 0..8 {
        // corner relative to the center
        let below = side(i, 1) * below[0] + side(i, 2) * below[1] + side(i, 4) * below[2];
        let dist = height + below;
        let present = near & dist.le(R::splat(detect)) & below.le(R::zero());
        if !present.any() {
            continue;
        }
        let corner = add_scl3(scl3(x, side(i, 1)), y, side(i, 2));
        let corner = add_scl3(corner, z, side(i, 4));
        let point = add3(corner, cube.pos);
        out.add(Spot {
            dist: R::select(present, dist, R::splat(ABSENT)),
            pos: add_scl3(point, normal, R::splat(-0.5) * dist),
            normal,
            tangent: [R::zero(); 3],
        });
    }
    out.spot.truncate(4);
}

/// Sphere and box: the nearest point of the box, or the nearest face for a center inside (`mjc_SphereBox`).
pub fn sphere_box<R: Real>(
    sphere: &Shapes<R>,
    cube: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let center = mul_mat_t_vec3(cube.mat, sub3(sphere.pos, cube.pos));
    let clamped: [R; 3] = std::array::from_fn(|i| {
        let size = R::splat(cube.size[i]);
        match cube.size[i] > 0.0 {
            true => clip(center[i], -size, size),
            false => center[i],
        }
    });
    let (inward, dist) = normalize3(sub3(clamped, center));
    let radius = R::splat(sphere.size[0]);
    let present = near & (dist - radius).le(R::splat(detect));
    if !present.any() {
        return;
    }

    // center inside: leave by the nearest face
    let inside = present & dist.le(R::splat(MINVAL));
    if inside.any() {
        let types = [GeomType::Sphere, GeomType::Box];
        out.by_lane(types, inside, sphere, cube, detect);
    }

    // center outside: between the nearest point of the box and the deepest of the ball
    let half = R::splat(0.5);
    let deepest = add_scl3(center, inward, radius);
    let pos = add3(scl3(clamped, half), scl3(deepest, half));
    out.add(Spot {
        dist: R::select(present & !inside, dist - radius, R::splat(ABSENT)),
        pos: add3(mul_mat_vec3(cube.mat, pos), cube.pos),
        normal: mul_mat_vec3(cube.mat, inward),
        tangent: [R::zero(); 3],
    });
}

/// Capsule and box, where no face of the box separates them (`mjc_CapsuleBox`).
pub fn capsule_box<R: Real>(
    capsule: &Shapes<R>,
    cube: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let half = R::splat(capsule.size[1]);
    let axis = mul_mat_t_vec3(cube.mat, capsule.axis());
    let center = mul_mat_t_vec3(cube.mat, sub3(capsule.pos, cube.pos));
    let [sizex, sizey, sizez] = cube.size;
    let slack = SLACK * (sizex + sizey + sizez + capsule.size[0] + capsule.size[1]);
    let mut meet = near;
    for i in 0..3 {
        let reach = R::splat(cube.size[i] + capsule.size[0] + detect + slack);
        meet = meet & (center[i].abs() - half * axis[i].abs()).le(reach);
    }
    if meet.any() {
        let types = [GeomType::Capsule, GeomType::Box];
        out.by_lane(types, meet, capsule, cube, detect);
    }
}

/// Two boxes, where none of their faces separates them (`mjc_BoxBox`).
pub fn box_box<R: Real>(
    first: &Shapes<R>,
    second: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    // axes of the second in the frame of the first
    let rot: [[R; 3]; 3] = std::array::from_fn(|j| {
        let column = [second.mat[j], second.mat[3 + j], second.mat[6 + j]];
        mul_mat_t_vec3(first.mat, column)
    });
    let dif = sub3(second.pos, first.pos);
    let pos21 = mul_mat_t_vec3(first.mat, dif);
    let pos12 = mul_mat_t_vec3(second.mat, dif);
    let (size1, size2) = (first.size.map(R::splat), second.size.map(R::splat));
    let sizes = add3(first.size, second.size);
    let slack = R::splat(detect + SLACK * (sizes[0] + sizes[1] + sizes[2]));
    let mut meet = near;
    for i in 0..3 {
        let reach = [0, 1, 2].map(|j| rot[j][i].abs() * size2[j]);
        let reach = size1[i] + reach[0] + reach[1] + reach[2];
        meet = meet & pos21[i].abs().le(reach + slack);
        let reach = [0, 1, 2].map(|j| rot[i][j].abs() * size1[j]);
        let reach = size2[i] + reach[0] + reach[1] + reach[2];
        meet = meet & pos12[i].abs().le(reach + slack);
    }
    if meet.any() {
        let types = [GeomType::Box, GeomType::Box];
        out.by_lane(types, meet, first, second, detect);
    }
}
