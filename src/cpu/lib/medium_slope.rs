//! Derivatives of the fluid forces on a body with respect to its six motions about the centre of mass of the tree.

use crate::cpu::lib::math::*;
use crate::cpu::lib::medium::*;
use crate::cpu::lib::slope::unit_motion;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::MINVAL;
use std::f64::consts::PI;

// six columns: derivative of torque and force, about the centre of mass of the tree, by motion; `slope` takes and gives both in
// the frame `mat`
#[inline(always)]
fn columns<R: Real>(
    offset: [R; 3],
    mat: [R; 9],
    slope: impl Fn([R; 3], [R; 3]) -> [[R; 3]; 2],
) -> [[R; 6]; 6] {
    std::array::from_fn(|c| {
        let [rx, ry, rz, x, y, z] = unit_motion(c);
        let turn = [rx, ry, rz];
        let vel = add3([x, y, z], cross(turn, offset));
        let [torque, force] = slope(mul_mat_t_vec3(mat, turn), mul_mat_t_vec3(mat, vel));
        let force = mul_mat_vec3(mat, force);
        let torque = add3(mul_mat_vec3(mat, torque), cross(offset, force));
        let [tx, ty, tz] = torque;
        let [fx, fy, fz] = force;
        [tx, ty, tz, fx, fy, fz]
    })
}

/// Derivatives for the inertia box (`mjd_inertiaBoxFluid`).
#[inline(always)]
pub fn box_slope<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [[R; 6]; 6] {
    let (pos, mat) = (d.xipos[i], d.ximat[i]);
    let [turn, vel] = fluid_velocity(m, d, i, pos, mat);

    let BoxDrag {
        linear,
        angular,
        face,
        spin,
    } = box_drag(m, d, i);
    let resist = |v: R, linear: R, quadratic: R| -(linear + R::splat(2.0) * quadratic * v.abs());
    let offset = sub3(pos, d.subtree_com[m.body_rootid[i] as usize]);
    columns(offset, mat, |dturn, dvel| {
        [
            std::array::from_fn(|k| resist(turn[k], angular, spin[k]) * dturn[k]),
            std::array::from_fn(|k| resist(vel[k], linear, face[k]) * dvel[k]),
        ]
    })
}

/// Derivatives for an ellipsoid (`mjd_ellipsoidFluid`); only of its drag in the metric of a discrete step.
#[inline(always)]
pub fn ellipsoid_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, g: usize) -> [[R; 6]; 6] {
    let (pos, mat) = (d.geom_xpos[g], d.geom_xmat[g]);
    let [turn, vel] = fluid_velocity(m, d, i, pos, mat);
    let drag_alone = m.opt.is_discrete();
    let prm: [R; 12] = std::array::from_fn(|k| match drag_alone && k > 3 {
        true => R::zero(),
        false => d.own.geom_fluid(m, 12 * g + k),
    });
    let size = semi_axes(m, d, g);
    let density = d.own.density(m);

    // momentum of the fluid that moves along (added mass)
    let carried =
        |mass: &[R], v: [R; 3]| -> [R; 3] { std::array::from_fn(|k| density * mass[k] * v[k]) };
    let linear = carried(&prm[6..9], vel);
    let angular = carried(&prm[9..12], turn);

    let flow = Flow::new(m, d, prm, size, turn, vel);
    let offset = sub3(pos, d.subtree_com[m.body_rootid[i] as usize]);
    columns(offset, mat, |dturn, dvel| {
        let dlinear = carried(&prm[6..9], dvel);
        let dangular = carried(&prm[9..12], dturn);
        let added_force = add3(cross(dlinear, turn), cross(linear, dturn));
        let moving = add3(cross(dlinear, vel), cross(linear, dvel));
        let turning = add3(cross(dangular, turn), cross(angular, dturn));
        let [drag_torque, force] = flow.along(turn, vel, dturn, dvel);
        let scale = prm[0] * has_mass(m, d, i);
        [
            scl3(sub3(add3(moving, turning), drag_torque), scale),
            scl3(add3(added_force, force), scale),
        ]
    })
}

// quantities of the flow for lift and drag of an ellipsoid
struct Flow<R> {
    // squared faces, scaled by the largest
    faces: [R; 3],
    // velocity weighted by the squared faces: normal of the projected area
    seen: [R; 3],
    speed: R,
    // inverse of the square of `seen`, of its product with the velocity, and of the speed; 0 at rest
    inv: [R; 3],
    // projected area; its drag-weighted area, and the derivative of that by the area
    area: R,
    facing: R,
    bluntness: R,
    // coefficients of lift: Magnus, Kutta
    magnus: R,
    kutta: R,
    // coefficients of drag: translational; rotational, viscous and by the moments
    drag: R,
    viscous: R,
    moments: [R; 3],
    resist: R,
    density: R,
}

impl<R: Real> Flow<R> {
    #[inline(always)]
    fn new(m: &Model, d: &Data<R>, prm: [R; 12], size: [R; 3], turn: [R; 3], vel: [R; 3]) -> Self {
        let [_, blunt, slender, angular, kutta, magnus, ..] = prm;
        let (density, viscosity) = (d.own.density(m), d.own.viscosity(m));
        let [sx, sy, sz] = size;
        let max = sx.max(sy).max(sz);
        let min = sx.min(sy).min(sz);
        let mid = sx + sy + sz - max - min;

        // area projected along the velocity; faces are scaled by the largest one, since squares of thin shapes lose precision
        let squared = |x: R| x * x;
        let faces = [sy * sz, sz * sx, sx * sy];
        let largest = faces[0].max(faces[1]).max(faces[2]);
        let faces = faces.map(|face| squared(face / largest));
        let seen: [R; 3] = std::array::from_fn(|k| faces[k] * vel[k]);
        let (square, product, speed) = (dot3(seen, seen), dot3(seen, vel), norm3(vel));
        let inverse = |x: R| {
            let some = R::splat(MINVAL).lt(x);
            R::select(some, R::one() / R::select(some, x, R::one()), R::zero())
        };
        let inv = [inverse(square), inverse(product), inverse(speed)];
        let area = R::splat(PI) * largest * (square * inv[1]).sqrt();
        let circulation = kutta * density * (R::splat(PI) * largest);

        // drag of translation: viscous as for a sphere, else between blunt and slender
        let diam = R::splat(2.0 / 3.0) * (sx + sy + sz);
        let widest = R::splat(PI) * max * mid;
        let facing = area * blunt + slender * (widest - area);
        let drag = viscosity * R::splat(3.0 * PI) * diam + density * speed * facing;

        // drag of rotation
        let moments = [0, 1, 2].map(|k| spin_drag(size, k, angular, slender));
        let resist = norm3(std::array::from_fn(|k| turn[k] * moments[k]));
        Self {
            faces,
            seen,
            speed,
            inv,
            area,
            facing,
            bluntness: blunt - slender,
            magnus: magnus * density * R::splat(4.0 / 3.0 * PI) * sx * sy * sz,
            kutta: circulation * (product * inv[0]).sqrt() * inv[2],
            drag,
            viscous: viscosity * R::splat(PI) * diam * diam * diam,
            moments,
            resist,
            density,
        }
    }

    // derivatives of the drag torque, and of lift minus drag
    #[inline(always)]
    fn along(&self, turn: [R; 3], vel: [R; 3], dturn: [R; 3], dvel: [R; 3]) -> [[R; 3]; 2] {
        let (half, density) = (R::splat(0.5), self.density);

        // area, and speed
        let dseen: [R; 3] = std::array::from_fn(|k| self.faces[k] * dvel[k]);
        let dsquare = R::splat(2.0) * dot3(self.seen, dseen) * self.inv[0];
        let dproduct = (dot3(dseen, vel) + dot3(self.seen, dvel)) * self.inv[1];
        let dspeed = dot3(vel, dvel) * self.inv[2];
        let darea = self.area * half * (dsquare - dproduct);

        // Magnus lift: rotation during translation
        let spun = add3(cross(dturn, vel), cross(turn, dvel));
        let lift = scl3(spun, self.magnus);

        // Kutta: moving askew
        let askew = cross(self.seen, vel);
        let daskew = add3(cross(dseen, vel), cross(self.seen, dvel));
        let growth = half * (dproduct - dsquare) - dspeed * self.inv[2];
        let kutta = add3(cross(daskew, vel), cross(askew, dvel));
        let kutta = add_scl3(kutta, cross(askew, vel), growth);
        let lift = add_scl3(lift, kutta, self.kutta);

        // drag of translation
        let dfacing = self.bluntness * darea;
        let ddrag = density * (self.facing * dspeed + self.speed * dfacing);
        let force = add_scl3(add_scl3(lift, dvel, -self.drag), vel, -ddrag);

        // drag of rotation
        let some = R::splat(MINVAL).lt(self.resist);
        let norm = R::select(some, self.resist, R::one());
        let growth = (0..3).fold(R::zero(), |sum, k| {
            sum + self.moments[k] * self.moments[k] * turn[k] * dturn[k]
        });
        let growth = R::select(some, density * growth / norm, R::zero());
        let torque = scl3(dturn, self.viscous + density * self.resist);
        [add_scl3(torque, turn, growth), force]
    }
}
