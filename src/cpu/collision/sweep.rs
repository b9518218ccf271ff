//! Motion of geoms in a timestep at their present velocity: contacts that will happen before it ends are made at its start
//! (`speculative`; chapter Computation, "Speculative contacts").

use crate::cpu::lib::contact::{Shape, column};
use crate::cpu::lib::math::*;
use crate::cpu::lib::spatial::{lin, rot};
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// True if contacts are made before geoms touch.
pub fn speculates(m: &Arrays) -> bool {
    m.opt.enabled(ENBL_SPECULATIVE) && !m.opt.disabled(DSBL_NATIVECCD)
}

/// Motion of a geom over a whole timestep, about its centre.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<R = f64> {
    /// Displacement of the centre (m).
    pub lin: [R; 3],
    /// Rotation vector (rad); zero for a sphere, whose shape does not change by rotation.
    pub rot: [R; 3],
    /// Radius of the bounding sphere (m).
    pub bound: R,
}

impl<R: Real> Sweep<R> {
    /// Motion of a geom at the velocity of its body.
    #[inline(always)]
    pub fn new(m: &Model, d: &Data<R>, geom: usize) -> Self {
        let body = m.geom_bodyid[geom] as usize;
        let com = d.subtree_com[m.body_rootid[body] as usize];
        let (turn, timestep) = (rot(d.cvel[body]), d.own.timestep(m));
        let vel = add3(lin(d.cvel[body]), cross(turn, sub3(d.geom_xpos[geom], com)));
        let turn = match m.geom_type[geom] == GeomType::Sphere {
            true => [R::zero(); 3],
            false => turn,
        };
        Self {
            lin: scl3(vel, timestep),
            rot: scl3(turn, timestep),
            bound: d.own.geom_rbound(m, geom),
        }
    }

    /// Largest displacement of any point of the geom by its rotation (m).
    #[inline(always)]
    pub fn turned(&self) -> R {
        norm3(self.rot) * self.bound
    }

    /// Largest displacement of any point of the geom (m).
    #[inline(always)]
    pub fn reach(&self) -> R {
        norm3(self.lin) + self.turned()
    }
}

impl<R: Real> Sweep<R> {
    /// The motion in one lane.
    pub fn lane(&self, lane: usize) -> Sweep {
        Sweep {
            lin: self.lin.map(|x| x.lane(lane)),
            rot: self.rot.map(|x| x.lane(lane)),
            bound: self.bound.lane(lane),
        }
    }
}

impl Sweep {
    /// Pose of a geom after a fraction of the timestep.
    pub fn place(&self, shape: &Shape, time: f64) -> Shape {
        let (axis, angle) = normalize3(self.rot);
        let turned = match angle * time < MINVAL {
            true => *shape,
            false => shape.turned(shape.pos, quat2mat(axis_angle2quat(axis, angle * time))),
        };
        Shape {
            pos: add_scl3(shape.pos, self.lin, time),
            ..turned
        }
    }
}

/// Lanes where a geom of a pair moves farther than the thinner of both is thick, so that one may pass through the other within the
/// timestep. A plane has no thickness and does not move.
#[inline(always)]
pub fn fast<R: Real>(m: &Model, d: &Data<R>, geoms: [usize; 2], sweeps: &[Sweep<R>; 2]) -> R::Mask {
    let thick = |i: usize| {
        let half = |k: usize| d.own.geom_aabb(m, 6 * geoms[i] + 3 + k);
        half(0).min(half(1)).min(half(2))
    };
    match m.geom_type[geoms[0]] == GeomType::Plane {
        true => thick(1).lt(sweeps[1].reach()),
        false => {
            let thick = thick(0).min(thick(1));
            thick.lt(sweeps[0].reach()) | thick.lt(sweeps[1].reach())
        }
    }
}

/// Lanes where the bounding spheres of a pair come near at any time in the timestep, or a bounding sphere and a plane.
#[inline(always)]
pub fn near_within<R: Real>(m: &Model, d: &Data<R>, k: usize, sweeps: &[Sweep<R>; 2]) -> R::Mask {
    let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    let detect = d.own.collision_detect(m, k);
    let dif = sub3(d.geom_xpos[geoms[1]], d.geom_xpos[geoms[0]]);
    let step = sub3(sweeps[1].lin, sweeps[0].lin);
    if m.geom_type[geoms[0]] == GeomType::Plane {
        let axis = column(d.geom_xmat[geoms[0]], 2);
        let height = dot3(dif, axis);
        let least = height.min(height + dot3(step, axis));
        return least.le(detect + sweeps[1].bound);
    }

    // time at which the centres are nearest
    let way = dot3(step, step);
    let time = -dot3(dif, step) / way.max(R::splat(MINVAL * MINVAL));
    let nearest = add_scl3(dif, step, time.clamp(R::zero(), R::one()));
    let reach = sweeps[0].bound + sweeps[1].bound + detect;
    dot3(nearest, nearest).le(reach * reach)
}

/// Lanes where a pair has to be tested for an impact: its types can have one, a geom is fast, and both come near.
#[inline(always)]
pub fn tried<R: Real>(m: &Model, d: &Data<R>, k: usize) -> R::Mask {
    let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    let kind = |g: usize| m.geom_type[geoms[g]];
    if kind(0) == GeomType::Hfield || kind(1) == GeomType::Sdf {
        return R::zero().lt(R::zero());
    }
    let sweeps = geoms.map(|geom| Sweep::new(m, d, geom));
    let fast = fast(m, d, geoms, &sweeps);
    match fast.any() {
        true => fast & near_within(m, d, k, &sweeps),
        false => fast,
    }
}
