//! Passive contacts of flexes (`passive`): instead of rows they have a spring along the normal, whose stiffness a discrete step takes
//! into its metric.

use super::coupling::coupling;
use super::lever::{lever_of, motions};
use super::math::*;
use super::rows::{dofs_of, pattern_of};
use crate::cpu::collision::soft::{self, Pair};
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;
use crate::types::*;

/// Square of the natural frequency of a vertex that touches (1/s²).
pub(crate) const STIFFNESS: f64 = 5e7;

/// True if a model may have passive contacts.
#[inline(always)]
pub(crate) fn has_penalties(m: &Arrays) -> bool {
    m.ncollisionflex > 0 && (0..m.nflex).any(|f| gives_way(m, f))
}

/// The pairs of all contacts, in a model with passive ones. It is a copy: the list stays where it is if a function of the user's panics.
pub(crate) fn pairs_of_contacts(m: &Model, d: &Data) -> Vec<i32> {
    match has_penalties(m) {
        true => d.contact_collision[..d.ncon[0] as usize].to_vec(),
        false => Vec::new(),
    }
}

/// True if contacts of a flex with others, itself and what does not move are passive. With the flag `ipc` none are, as in MuJoCo.
pub fn gives_way(m: &Arrays, f: usize) -> bool {
    let deforms = m.flex_dim[f] > 1 && m.flex_rigid[f] == 0;
    deforms && m.flex_passive[f] != 0 && !m.opt.enabled(ENBL_IPC)
}

/// True if contacts of a pair have no rows.
#[inline(always)]
pub fn is_passive(m: &Arrays, k: usize) -> bool {
    if !soft::is_soft(m, k) {
        return false;
    }
    let flexes = &m.collision_flex[2 * k..2 * k + 2];
    let mut flexes = flexes.iter().filter_map(|f| usize::try_from(*f).ok());
    let still = match usize::try_from(m.collision_geom1[k]) {
        Ok(geom) => m.body_weldid[m.geom_bodyid[geom] as usize] == 0,
        Err(_) => true,
    };
    still && flexes.any(|f| gives_way(m, f))
}

/// True if a body moves along three slides only: such are the vertices and nodes that count in the mass of a contact.
fn slides_only(m: &Arrays, body: usize) -> bool {
    let adr = m.body_jntadr[body] as usize;
    m.body_jntnum[body] == 3
        && m.jnt_type[adr..adr + 3]
            .iter()
            .all(|t| *t == JointType::Slide)
}

// mass of a side of a contact: the least of an element's vertices, or that of the nodes which carry it in the proportion of vertices;
// infinite where nothing counts
fn side_mass<R: Real>(m: &Model, d: &Data<R>, c: usize, k: usize, side: usize) -> R {
    let none = R::splat(f64::INFINITY);
    let Ok(f) = usize::try_from(m.collision_flex[2 * k + side]) else {
        return none;
    };
    if m.flex_interp[f] == 0 {
        let bodies = soft::vertices(m, &Pair::of_contact(m, d, c, k), side).into_iter();
        let bodies = bodies.filter_map(|v| usize::try_from(m.flex_vertbodyid[v]).ok());
        let masses = bodies.filter(|&b| slides_only(m, b));
        return masses.fold(none, |least, b| least.min(d.own.body_mass(m, b)));
    }
    let mut sum = R::zero();
    soft::for_sides(m, d, c, k, |lane, of, body, share| {
        let counts = of == side && slides_only(m, body);
        let mass = d.own.body_mass(m, body).lane(lane);
        if counts && mass > 0.0 {
            sum.set_lane(lane, sum.lane(lane) + share * share / mass);
        }
    });
    let adr = m.flex_nodeadr[f] as usize;
    let nodes = &m.flex_nodebodyid[adr..adr + m.flex_nodenum[f] as usize];
    let num = nodes
        .iter()
        .filter(|b| slides_only(m, **b as usize))
        .count();
    let ratio = R::splat(num as f64 / f64::from(m.flex_vertnum[f]));
    let some = R::zero().lt(sum);
    R::select(some, ratio / R::select(some, sum, R::one()), none)
}

/// A passive contact: its pattern's dofs, how its distance changes with each, and its stiffness (N/m).
struct Penalty<R> {
    dofs: Vec<i32>,
    slopes: Vec<R>,
    stiffness: R,
    depth: R,
}

fn penalty<R: Real>(m: &Model, d: &Data<R>, c: usize, k: usize) -> Penalty<R> {
    let pattern = pattern_of(m, c, k);
    let dofs = dofs_of(m, d, pattern).to_vec();
    let normal: [R; 3] = std::array::from_fn(|i| d.contact_frame[c][i]);
    let levers = [0, 1].map(|side| lever_of(m, d, c, k, side));
    let turned = [0, 1].map(|side| levers[side].is_some());
    let shares = soft::shares(m, d, c, k, turned);
    let levers = motions(m, d, pattern, &levers);
    let slope = |(n, &dof): (usize, &i32)| {
        let [rx, ry, rz, x, y, z] = d.cdof[dof as usize];
        let body = m.dof_bodyid[dof as usize] as usize;
        let com = d.subtree_com[m.body_rootid[body] as usize];
        let arm = sub3(d.contact_pos[c], com);
        let moved = add3([x, y, z], cross([rx, ry, rz], arm));
        let mut motion = scl3(moved, shares[n]);
        if let Some(levers) = &levers {
            let [.., x, y, z] = levers[n];
            motion = add3(motion, [x, y, z]);
        }
        dot3(normal, motion)
    };
    let slopes = dofs.iter().enumerate().map(slope).collect();
    let mass = [0, 1].map(|side| side_mass(m, d, c, k, side));
    let mass = mass[0].min(mass[1]);
    let dist = d.contact_dist[c];
    let acts = dist.lt(d.own.collision_margin(m, k)) & mass.lt(R::splat(f64::INFINITY));
    Penalty {
        dofs,
        slopes,
        stiffness: R::select(acts, mass * R::splat(STIFFNESS), R::zero()),
        depth: R::select(acts, (-dist).max(R::zero()), R::zero()),
    }
}

// calls `visit` with every passive contact
fn for_penalties<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &[i32],
    mut visit: impl FnMut(&mut Data<R>, Penalty<R>),
) {
    for (c, &k) in contact.iter().enumerate() {
        if is_passive(m, k as usize) {
            let penalty = penalty(m, d, c, k as usize);
            visit(d, penalty);
        }
    }
}

/// Adds the forces of passive contacts.
pub fn push_apart<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32]) {
    for_penalties(m, d, contact, |d, penalty| {
        let force = penalty.stiffness * penalty.depth;
        for (&i, &slope) in penalty.dofs.iter().zip(&penalty.slopes) {
            d.qfrc_spring[i as usize] += force * slope;
        }
    });
}

/// Adds the stiffness of passive contacts to `efm_K_val` and `efm_c`.
pub fn stiffen_contacts<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32]) {
    let h = d.own.timestep(m);
    for_penalties(m, d, contact, |d, penalty| {
        let dofs = || {
            penalty
                .dofs
                .iter()
                .map(|i| *i as usize)
                .zip(&penalty.slopes)
        };
        let speed = dofs().fold(R::zero(), |sum, (i, &slope)| sum + slope * d.qvel[i]);
        let change = h * penalty.stiffness * speed;
        for (i, &slope) in dofs() {
            d.efm_c[i] -= change * slope;
            let own = h * h * penalty.stiffness * slope;
            for (j, &other) in dofs().filter(|(j, _)| *j <= i) {
                if let Some(k) = coupling(m, i, j) {
                    d.efm_K_val[k] += own * other;
                }
            }
        }
    });
}
