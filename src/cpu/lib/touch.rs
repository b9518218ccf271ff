//! Contact sensors. The contacts of a slot have the same pair in all lanes, so a sensor looks at it once; then it looks at the contacts of
//! lane after lane.

use std::cell::Cell;

use super::contact::{ABSENT, Shape};
use super::math::*;
use super::ray::{Ray, ray_geom};
use super::sensor::{Slots, inside_geom};
use super::spatial::*;
use crate::cpu::collision::soft::{self, Pair};
use crate::fields::{Data, Model};
use crate::real::{Real, lanes};
use crate::types::*;

/// One contact of one lane.
#[derive(Clone, Copy)]
pub struct Seen {
    slot: usize,
    // pair of the collision list
    pair: usize,
    dist: f64,
    pub(super) pos: [f64; 3],
    pub(super) frame: [f64; 9],
    // first row; none if the contact has no rows
    row: Option<usize>,
}

impl Seen {
    pub(super) fn new<R: Real>(d: &Data<R>, lane: usize, c: usize) -> Option<Self> {
        let present = d.contact_dist[c].lane(lane) < ABSENT;
        present.then(|| Self::in_lane(d, lane, c))
    }

    // the contact of a slot in a lane that has it
    fn in_lane<R: Real>(d: &Data<R>, lane: usize, c: usize) -> Self {
        let row = usize::try_from(R::int_lane(d.contact_efc_address[c], lane));
        Self {
            slot: c,
            pair: R::int_lane(d.contact_collision[c], lane) as usize,
            dist: d.contact_dist[c].lane(lane),
            pos: of_lane(d.contact_pos[c], lane),
            frame: of_lane(d.contact_frame[c], lane),
            row: row.ok().filter(|&r| d.efc_D[r].lane(lane) > 0.0),
        }
    }

    pub(super) fn bodies(&self, m: &Model) -> [i32; 2] {
        bodies_of(m, self.pair)
    }
}

// lanes that have a contact in a slot, and its pair; none if no lane has one
fn slot<R: Real>(d: &Data<R>, c: usize) -> Option<(R::Mask, usize)> {
    let present = d.contact_dist[c].lt(R::splat(ABSENT));
    let lane = lanes::<R>(present).next()?;
    Some((present, R::int_lane(d.contact_collision[c], lane) as usize))
}

// geoms of a pair; -1: a flex
fn geoms_of(m: &Model, pair: usize) -> [i32; 2] {
    [m.collision_geom1[pair], m.collision_geom2[pair]]
}

// bodies of a pair; -1: those of a flex
fn bodies_of(m: &Model, pair: usize) -> [i32; 2] {
    let body = |geom| m.geom_bodyid[geom];
    geoms_of(m, pair).map(|geom| usize::try_from(geom).map_or(-1, body))
}

#[inline(always)]
pub(super) fn of_lane<R: Real, const N: usize>(x: [R; N], lane: usize) -> [f64; N] {
    x.map(|x| x.lane(lane))
}

// velocity of a side of a contact; that of a flex is carried by several bodies
fn side_motion<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    contact: &Seen,
    side: usize,
) -> [f64; 6] {
    let pos = contact.pos;
    if let Ok(body) = usize::try_from(contact.bodies(m)[side]) {
        return body_motion(m, d, lane, body, pos);
    }
    let mut sum = [0.0; 6];
    let pair = Pair::of_contact(m, d, contact.slot, contact.pair);
    soft::for_carriers(m, d, &pair, side, lane, pos, |body, share| {
        sum = add_scl6(sum, body_motion(m, d, lane, body, pos), share);
    });
    sum
}

/// Velocity of a body at the world point `pos`: angular, then linear, in world axes.
pub fn body_motion<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    body: usize,
    pos: [f64; 3],
) -> [f64; 6] {
    let com = of_lane(d.subtree_com[m.body_rootid[body] as usize], lane);
    seen_from(of_lane(d.cvel[body], lane), sub3(pos, com))
}

/// Sum of the normal forces of contacts of a site's body whose line of action meets the site's volume.
pub fn touch_force<R: Real>(m: &Model, d: &Data<R>, site: usize, slots: Slots) -> R {
    let body = m.site_bodyid[site];
    let mut sum = R::zero();
    for c in 0..slots.contacts {
        let Some((present, pair)) = slot(d, c) else {
            continue;
        };
        let [body1, body2] = bodies_of(m, pair);
        if body != body1 && body != body2 {
            continue;
        }
        for lane in lanes::<R>(present) {
            let contact = Seen::in_lane(d, lane, c);
            let force = touching(m, d, lane, site, &contact, body == body2);
            sum.set_lane(lane, sum.lane(lane) + force);
        }
    }
    sum
}

// normal force of a contact whose line of action meets the site's volume, zero if it does not; `second` if the site's body is the second
fn touching<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    site: usize,
    contact: &Seen,
    second: bool,
) -> f64 {
    let force = contact_wrench(m, d, lane, contact)[0];
    if force <= 0.0 {
        return 0.0;
    }

    // the normal, away from the body
    let sign = if second { -1.0 } else { 1.0 };
    let normal = [0, 1, 2].map(|k| sign * contact.frame[k]);
    let ray = Ray {
        pnt: contact.pos,
        vec: normalize3(normal).0,
    };
    let zone = Shape {
        pos: of_lane(d.site_xpos[site], lane),
        mat: of_lane(d.site_xmat[site], lane),
        size: of_lane(d.own.site_size(m, site), lane),
    };
    match ray_geom(&zone, m.site_type[site], ray) >= 0.0 {
        true => force,
        false => 0.0,
    }
}

/// Force, then torque, of a contact in its frame, from its rows (`mj_contactForce`); it acts on the second geom.
pub fn contact_force_at<R: Real>(m: &Model, d: &Data<R>, pair: usize, r: usize) -> [R; 6] {
    let mut force = [R::zero(); 6];
    // the adhesion force is not part of the contact force
    if m.nadhesion > 0 {
        force[0] = -d.own.collision_adhesion(m, pair);
    }
    let kind = ConstraintType::from_i32(R::int_lane(d.efc_type[r], 0));
    if kind != Some(ConstraintType::ContactPyramidal) {
        let num = contact_rows(m, pair, kind);
        for (force, &row) in force.iter_mut().zip(&d.efc_force[r..r + num]) {
            *force += row;
        }
        return force;
    }

    // edges of the pyramid, two for each direction of friction
    for k in 0..m.collision_condim[pair] as usize - 1 {
        let [plus, minus] = [d.efc_force[r + 2 * k], d.efc_force[r + 2 * k + 1]];
        force[0] += plus + minus;
        force[k + 1] = (plus - minus) * d.own.collision_friction(m, 5 * pair + k);
    }
    force
}

/// Number of rows of a contact, by their type.
pub fn contact_rows(m: &Model, pair: usize, kind: Option<ConstraintType>) -> usize {
    let dim = m.collision_condim[pair] as usize;
    match kind {
        Some(ConstraintType::ContactElliptic) => dim,
        Some(ConstraintType::ContactPyramidal) => 2 * (dim - 1),
        _ => 1,
    }
}

/// The wrench of a contact, zero if it has no rows; in one lane.
pub fn contact_wrench<R: Real>(m: &Model, d: &Data<R>, lane: usize, contact: &Seen) -> [f64; 6] {
    match contact.row {
        Some(row) => of_lane(contact_force_at(m, d, contact.pair, row), lane),
        None => [0.0; 6],
    }
}

// true if a side of a contact is the object that a sensor names; no name matches any side
fn is_side(m: &Model, body: i32, geom: i32, kind: i32, id: i32) -> bool {
    match ObjType::from_i32(kind) {
        Some(ObjType::Unknown | ObjType::Site) => true,
        Some(ObjType::Geom) => geom == id,
        Some(ObjType::Body) => body == id,
        // a body or one of its descendants
        Some(ObjType::XBody) => {
            let mut body = body;
            while body > id {
                body = m.body_parentid[body as usize];
            }
            body == id
        }
        _ => false,
    }
}

// a contact sensor in one lane
struct Look<'a> {
    m: &'a Model,
    i: usize,
    lane: usize,
    slots: &'a [Matching],
}

// a slot whose pair matches a sensor, and whether the sides are exchanged
#[derive(Clone, Copy)]
struct Matching {
    slot: usize,
    flip: bool,
}

// whether a pair matches a sensor, and whether its sides are exchanged
fn match_of(m: &Model, i: usize, pair: usize) -> Option<bool> {
    let (kind1, id1) = (m.sensor_objtype[i], m.sensor_objid[i]);
    let (kind2, id2) = (m.sensor_reftype[i], m.sensor_refid[i]);
    let ([geom1, geom2], [body1, body2]) = (geoms_of(m, pair), bodies_of(m, pair));
    let regular = is_side(m, body1, geom1, kind1, id1) && is_side(m, body2, geom2, kind2, id2);
    let reverse = is_side(m, body2, geom2, kind1, id1) && is_side(m, body1, geom1, kind2, id2);
    (regular || reverse).then_some(!regular)
}

thread_local! {
    // memory for the matching slots of a sensor, kept by this thread
    static SLOTS: Cell<Vec<Matching>> = const { Cell::new(Vec::new()) };
}

// the slots of pairs that match a sensor, in place of those that `into` held
fn find_matching<R: Real>(
    m: &Model,
    d: &Data<R>,
    i: usize,
    slots: Slots,
    into: &mut Vec<Matching>,
) {
    let all = (0..slots.contacts).filter_map(|c| {
        let (_, pair) = slot(d, c)?;
        let flip = match_of(m, i, pair)?;
        Some(Matching { slot: c, flip })
    });
    into.clear();
    into.extend(all);
}

impl Look<'_> {
    // the contact of a matching slot, if this lane has it and the sensor's site holds it
    fn met<R: Real>(&self, d: &Data<R>, of: Matching) -> Option<Seen> {
        let Self { m, i, lane, .. } = *self;
        let contact = Seen::new(d, lane, of.slot)?;
        if m.sensor_objtype[i] == ObjType::Site {
            let site = m.sensor_objid[i] as usize;
            let place = (
                of_lane(d.site_xpos[site], lane),
                of_lane(d.site_xmat[site], lane),
            );
            let size = of_lane(d.own.site_size(m, site), lane);
            if inside_geom(place, size, m.site_type[site], contact.pos) == 0.0 {
                return None;
            }
        }
        Some(contact)
    }

    // the contacts met, and the numbers of their slots among the matching ones
    fn all<R: Real>(&self, d: &Data<R>) -> impl Iterator<Item = (usize, Seen)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(n, of)| Some((n, self.met(d, *of)?)))
    }

    // sort key: contacts with the smallest key are reported first
    fn criterion<R: Real>(&self, d: &Data<R>, contact: &Seen) -> f64 {
        match Reduce::from_i32(self.m.sensor_intprm[3 * self.i + 1]) {
            Some(Reduce::MinDist) => contact.dist,
            Some(Reduce::MaxForce) => {
                let force = rot(contact_wrench(self.m, d, self.lane, contact));
                -dot3(force, force)
            }
            _ => 0.0,
        }
    }

    // the contact to report after the last one, or the first
    fn next<R: Real>(&self, d: &Data<R>, last: Option<(f64, usize)>) -> Option<(f64, usize)> {
        let keys = (self.all(d)).map(|(n, contact)| (self.criterion(d, &contact), n));
        let later = keys.filter(|key| last.is_none_or(|last| *key > last));
        later.reduce(|a, b| if b < a { b } else { a })
    }

    // report of one contact
    fn report<R: Real>(&self, d: &Data<R>, contact: &Seen, flip: bool, found: usize) -> Report {
        // with exchanged sides the frame is rotated by half a turn about its third axis
        let sign = if flip { -1.0 } else { 1.0 };
        let seen = |v: [f64; 3]| [v[0], v[1], sign * v[2]];
        let wrench = contact_wrench(self.m, d, self.lane, contact);
        let vel = self.velocity(d, contact);
        let axis = |k: usize| [0, 1, 2].map(|n| sign * contact.frame[k + n]);
        Report {
            found: found as f64,
            force: seen(rot(wrench)),
            torque: seen(lin(wrench)),
            dist: contact.dist,
            pos: contact.pos,
            normal: axis(0),
            tangent: axis(3),
            linvel: seen(lin(vel)),
            angvel: seen(rot(vel)),
        }
    }

    // velocity of the second geom's body relative to the first's, along the axes of the contact
    fn velocity<R: Real>(&self, d: &Data<R>, contact: &Seen) -> [f64; 6] {
        let [first, second] = [0, 1].map(|side| side_motion(self.m, d, self.lane, contact, side));
        let vel: [f64; 6] = std::array::from_fn(|k| second[k] - first[k]);
        let along = |v: [f64; 3]| mul_mat_vec3(contact.frame, v);
        spatial(along(rot(vel)), along(lin(vel)))
    }

    // net force of all contacts, and its torque about the center of the forces
    fn net<R: Real>(&self, d: &Data<R>) -> Report {
        let (m, lane) = (self.m, self.lane);
        let wrench = |contact: &Seen, flip: bool| {
            let sign = if flip { -1.0 } else { 1.0 };
            contact_wrench(m, d, lane, contact).map(|x| sign * x)
        };
        let (mut found, mut weight, mut point) = (0.0, 0.0, [0.0; 3]);
        for (n, contact) in self.all(d) {
            let size = norm3(rot(wrench(&contact, self.slots[n].flip)));
            point = add_scl3(point, contact.pos, size);
            weight += size;
            found += 1.0;
        }
        let point = scl3(point, 1.0 / f64::max(weight, MINVAL));
        let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
        for (n, contact) in self.all(d) {
            let wrench = wrench(&contact, self.slots[n].flip);
            let own = mul_mat_t_vec3(contact.frame, rot(wrench));
            let turn = mul_mat_t_vec3(contact.frame, lin(wrench));
            force = add3(force, own);
            torque = add3(torque, add3(turn, cross(sub3(contact.pos, point), own)));
        }
        Report {
            found,
            force,
            torque,
            pos: point,
            normal: [1.0, 0.0, 0.0],
            tangent: [0.0, 1.0, 0.0],
            ..Report::default()
        }
    }
}

// all data of a contact report
#[derive(Default)]
struct Report {
    found: f64,
    force: [f64; 3],
    torque: [f64; 3],
    dist: f64,
    pos: [f64; 3],
    normal: [f64; 3],
    tangent: [f64; 3],
    linvel: [f64; 3],
    angvel: [f64; 3],
}

impl Report {
    // writes the data that a sensor asks for, in the order of the bits
    fn give<R: Real>(&self, data: &mut [R], lane: usize, bits: i32) {
        let [found, dist] = [&self.found, &self.dist].map(std::slice::from_ref);
        let fields = [
            found,
            &self.force,
            &self.torque,
            dist,
            &self.pos,
            &self.normal,
            &self.tangent,
            &self.linvel,
            &self.angvel,
        ];
        let asked = fields
            .iter()
            .enumerate()
            .filter(|(bit, _)| bits >> bit & 1 != 0);
        let numbers = asked.flat_map(|(_, field)| field.iter());
        for (to, x) in data.iter_mut().zip(numbers) {
            to.set_lane(lane, *x);
        }
    }
}

/// Contacts between the objects of a sensor: the first, the nearest, the strongest, or the net force.
pub fn contact_report<R: Real>(m: &Model, d: &mut Data<R>, i: usize, slots: Slots) {
    let (adr, dim) = (m.sensor_adr[i] as usize, m.sensor_dim[i] as usize);
    d.sensordata[adr..adr + dim].fill(R::zero());
    let mut matching = SLOTS.take();
    find_matching(m, d, i, slots, &mut matching);
    if !matching.is_empty() {
        for lane in 0..R::WIDTH {
            let slots = &matching;
            report_lane(d, &Look { m, i, lane, slots });
        }
    }
    SLOTS.set(matching);
}

// the contacts of one lane
fn report_lane<R: Real>(d: &mut Data<R>, look: &Look<'_>) {
    let Look { m, i, lane, .. } = *look;
    let (adr, dim) = (m.sensor_adr[i] as usize, m.sensor_dim[i] as usize);
    let [bits, reduce, num] = [0, 1, 2].map(|k| m.sensor_intprm[3 * i + k]);
    if reduce == Reduce::NetForce {
        let report = look.net(d);
        if report.found > 0.0 {
            report.give(&mut d.sensordata[adr..adr + dim], lane, bits);
        }
        return;
    }

    // one after the other, each with the next larger key
    let found = look.all(d).count();
    let width = dim / num as usize;
    let mut last = None;
    for slot in 0..found.min(num as usize) {
        last = look.next(d, last);
        let next = last.map(|(_, n)| look.slots[n]);
        let Some((of, contact)) = next.and_then(|of| Some((of, look.met(d, of)?))) else {
            return;
        };
        let report = look.report(d, &contact, of.flip, found);
        let at = adr + slot * width;
        report.give(&mut d.sensordata[at..at + width], lane, bits);
    }
}
