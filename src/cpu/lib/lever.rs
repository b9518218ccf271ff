//! Contacts of elastic rods whose edges twist: the point of a contact also moves as its edge turns.

use crate::cpu::collision::soft::{self, Pair};
use crate::cpu::lib::jac::for_chain;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rod::*;
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::lib::spatial::add_scl6;
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;

/// An edge of a rod, as one side of a contact sees it.
pub(crate) struct Lever<R> {
    /// Vertices of the edge.
    pub(crate) ends: [usize; 2],
    /// The dof that twists it.
    pub(crate) twist: usize,
    /// 1 on the second side, -1 on the first.
    pub(crate) sign: R,
    tangent: [R; 3],
    length: R,
    // twist of the frame with the end of the direction, on the shortest way from the kept direction
    bent: [R; 3],
    // parts of the vertices of the edge in the motion of its point
    share: [R; 2],
    // from there to the point of the contact
    arm: [R; 3],
}

/// The edge on a side of a pair, if contacts there turn it: a vertex touches with the edge that begins there, or the last one. None of
/// edges that a body holds, and of flexes whose edges do not twist.
pub fn turned_edge(m: &Arrays, pair: &Pair, side: usize) -> Option<usize> {
    let f = usize::try_from(pair.flex(m, side)).ok()?;
    if !twists(m, f) {
        return None;
    }
    let edge = match m.collision_vert[2 * pair.k + side] {
        v if v >= 0 => {
            let v = (m.flex_vertadr[f] + v) as usize;
            place_along(m, f, v).min(hinges(m, f))
        }
        _ => edge_of(m, f, pair.elem[side] as usize),
    };
    twist_joint(m, f, edge).is_some().then_some(edge)
}

/// The edge on a side of a contact that turns it; none if it turns none.
pub fn lever_of<R: Real>(
    m: &Model,
    d: &Data<R>,
    c: usize,
    k: usize,
    side: usize,
) -> Option<Lever<R>> {
    let pair = Pair::of_contact(m, d, c, k);
    let e = turned_edge(m, &pair, side)?;
    let f = pair.flex(m, side) as usize;
    let joint = twist_joint(m, f, e)?;
    let ends = [e, e + 1].map(|v| vertex(m, f, v));
    let (tangent, length) = between(d, ends);
    let sign = if side == 0 { -R::one() } else { R::one() };
    let (part, arm) = match soft::vertex(m, k) {
        Some(v) => {
            // it touches with its own sphere, or with a corner of the section
            let [x, y, z, ..] = d.contact_frame[c];
            let part = if v == ends[0] { R::zero() } else { R::one() };
            let back = R::splat(0.5) * d.contact_dist[c];
            let corner = add_scl3(d.contact_pos[c], [x, y, z], sign * back);
            (part, sub3(corner, d.flexvert_xpos[v]))
        }
        None => {
            let first = d.flexvert_xpos[ends[0]];
            let along = dot3(sub3(d.contact_pos[c], first), tangent);
            let along = clip(along, R::zero(), length);
            let point = add_scl3(first, tangent, along);
            (along / length, sub3(d.contact_pos[c], point))
        }
    };
    Some(Lever {
        ends,
        twist: m.jnt_dofadr[joint] as usize,
        sign,
        tangent,
        length,
        bent: scl3(curvature(kept(m, &d.plastic, f, e), tangent), R::splat(0.5)),
        share: [R::one() - part, part],
        arm,
    })
}

/// Motion of the point of a contact as a dof moves an end of the edge: turning, then along the axes. The end moves the point with its
/// part, and turns the edge.
pub fn moved_by_end<R: Real>(
    m: &Model,
    d: &Data<R>,
    lever: &Lever<R>,
    end: usize,
    dof: usize,
) -> [R; 6] {
    let v = lever.ends[end];
    let body = m.flex_vertbodyid[v] as usize;
    let offset = sub3(
        d.flexvert_xpos[v],
        d.subtree_com[m.body_rootid[body] as usize],
    );
    let [rx, ry, rz, x, y, z] = d.cdof[dof];
    let moved = add3([x, y, z], cross([rx, ry, rz], offset));
    let twist = -dot3(lever.bent, moved);
    let rot = add_scl3(cross(lever.tangent, moved), lever.tangent, twist);
    let sign = if end == 0 { -R::one() } else { R::one() };
    let rot = scl3(rot, sign / lever.length);
    let lin = add3(scl3(moved, lever.share[end]), cross(rot, lever.arm));
    [rot[0], rot[1], rot[2], lin[0], lin[1], lin[2]]
}

/// Motion of the point of a contact as the hinge turns the edge about itself.
pub fn moved_by_twist<R: Real>(lever: &Lever<R>) -> [R; 6] {
    let [rx, ry, rz] = lever.tangent;
    let [x, y, z] = cross(lever.tangent, lever.arm);
    [rx, ry, rz, x, y, z]
}

/// Motion of the point of a contact by each dof of its pattern, turning and along the axes, for sides that are edges of twisting rods;
/// none if no side is.
pub(crate) fn motions<R: Real>(
    m: &Model,
    d: &Data<R>,
    pattern: i32,
    levers: &[Option<Lever<R>>; 2],
) -> Option<Vec<[R; 6]>> {
    if levers.iter().all(Option::is_none) {
        return None;
    }
    let dofs = dofs_of(m, d, pattern);
    let mut out = vec![[R::zero(); 6]; dofs.len()];
    for lever in levers.iter().flatten() {
        lever_motion(m, d, lever, dofs, &mut out);
    }
    Some(out)
}

// adds the motion of the point on one side by each of these dofs
fn lever_motion<R: Real>(
    m: &Model,
    d: &Data<R>,
    lever: &Lever<R>,
    dofs: &[i32],
    out: &mut [[R; 6]],
) {
    let mut add = |n: usize, motion| out[n] = add_scl6(out[n], motion, lever.sign);
    for (end, v) in lever.ends.into_iter().enumerate() {
        let body = m.flex_vertbodyid[v] as usize;
        for_chain(m, body, dofs, |n, dof| {
            add(n, moved_by_end(m, d, lever, end, dof));
        });
    }
    if let Ok(n) = dofs.binary_search(&(lever.twist as i32)) {
        add(n, moved_by_twist(lever));
    }
}
