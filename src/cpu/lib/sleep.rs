//! Sleeping trees: their state, the conditions that wake them, and the values that they keep (`sleep`).
//!
//! ```text
//! tree_asleep   -11 … -2  awake; counts the steps at rest      -1  ready       t  asleep; tree t is the next tree of its sleep cycle
//! latent        [ qpos ][ qfrc_smooth ][ act_dot ][ sensordata ]   values from when their trees fell asleep
//! ```
//!
//! A sleeping tree has no rows, no contacts with static bodies, and does not move; the rest of a step is computed as if it were awake
//! and at rest. Forces, positions and velocities set by the user wake it, and so does an awake tree that comes near.

use crate::cpu::lib::contact::ABSENT;
use crate::cpu::lib::equality::bodies;
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;
use std::ops::Range;

/// Value of `tree_asleep` of a tree that has just been woken.
pub const AWAKE: i32 = -11;

// values of `body_awake`
const STATIC: i32 = -1;
const ASLEEP: i32 = 0;

fn nowhere<R: Real>() -> R::Mask {
    R::zero().lt(R::zero())
}

/// True if trees of a model may sleep.
#[inline(always)]
pub(crate) fn sleeps(m: &Arrays) -> bool {
    m.ntreesleep > 0
}

/// Where a tree is awake; nowhere for the tree -1 of static bodies.
#[inline(always)]
pub fn tree_is_awake<R: Real>(d: &Data<R>, tree: i32) -> R::Mask {
    match usize::try_from(tree) {
        Ok(t) => R::int_is(d.tree_awake[t], 1),
        Err(_) => nowhere::<R>(),
    }
}

/// Where a body is awake; a mocap body always is, a static body never.
#[inline(always)]
pub fn body_is_awake<R: Real>(d: &Data<R>, body: usize) -> R::Mask {
    R::int_is(d.body_awake[body], 1)
}

/// Where one of the two geoms of a pair is awake, so that they may touch. A flex that sleeps does not touch mocap bodies, as in MuJoCo.
#[inline(always)]
pub fn pair_awake<R: Real>(m: &Model, d: &Data<R>, k: usize) -> R::Mask {
    let [first, second] = [0, 1].map(|side| body_is_awake(d, side_body(m, k, side)));
    let of_flex = m.ncollisionflex > 0 && m.collision_geom2[k] < 0;
    match of_flex && m.body_treeid[side_body(m, k, 0)] < 0 {
        true => second,
        false => first | second,
    }
}

/// Body of a side of a pair by which the side sleeps: of the geom, or one of the flex.
#[inline(always)]
pub fn side_body(m: &Model, k: usize, side: usize) -> usize {
    if m.ncollisionflex > 0
        && let Ok(f) = usize::try_from(m.collision_flex[2 * k + side])
    {
        return m.flex_bodyid[f] as usize;
    }
    let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
    m.geom_bodyid[geoms[side] as usize] as usize
}

/// Where a tree of a tendon is awake; everywhere if it has more than two trees.
pub fn tendon_awake<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R::Mask {
    match m.tendon_treenum[i] {
        0 => nowhere::<R>(),
        1 | 2 => {
            tree_is_awake(d, m.tendon_treeid[2 * i]) | tree_is_awake(d, m.tendon_treeid[2 * i + 1])
        }
        _ => !nowhere::<R>(),
    }
}

// the two bodies of an equality; no second one for a joint equality with one joint, and for one that holds a flex
fn held_bodies(m: &Model, i: usize) -> [Option<usize>; 2] {
    let ids = [m.eq_obj1id[i], m.eq_obj2id[i]];
    match EqType::from_i32(m.eq_type[i]) {
        Some(EqType::Joint) => ids.map(|id| Some(m.jnt_bodyid[usize::try_from(id).ok()?] as usize)),
        Some(EqType::Connect | EqType::Weld) => bodies(m, i).map(Some),
        Some(EqType::Flex | EqType::FlexVert | EqType::FlexStrain) => {
            [Some(m.flex_bodyid[ids[0] as usize] as usize), None]
        }
        _ => [None; 2],
    }
}

/// Where a body of an equality is awake.
pub fn equality_awake<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R::Mask {
    let none = nowhere::<R>();
    let held = held_bodies(m, i).into_iter().flatten();
    held.fold(none, |any, body| any | body_is_awake(d, body))
}

// where the body of a site is awake; nowhere without a site
fn site_is_awake<R: Real>(m: &Model, d: &Data<R>, id: i32) -> R::Mask {
    match usize::try_from(id) {
        Ok(site) => body_is_awake(d, m.site_bodyid[site] as usize),
        Err(_) => nowhere::<R>(),
    }
}

// 1 where a tree of a tendon is awake, 0 where they sleep, -1 where it has none
fn tendon_state<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    match m.tendon_treenum[i] {
        0 => -R::one(),
        _ => awake_state(tendon_awake(m, d, i)),
    }
}

/// 1 where the target of an actuator is awake or it has none, 0 where it sleeps, -1 where it is static. A target of two static sites
/// sleeps, as in MuJoCo.
pub fn actuator_state<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let ids = [m.actuator_trnid[2 * i], m.actuator_trnid[2 * i + 1]];
    let of_site = |id: i32| site_is_awake(m, d, id);
    let of_body = |body: i32| R::of_int(d.body_awake[body as usize]);
    let of_joint = |id: i32| of_body(m.jnt_bodyid[id as usize]);
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Joint | TrnType::JointInParent) => of_joint(ids[0]),
        Some(TrnType::So3) if ids[1] < 0 => of_joint(ids[0]),
        Some(TrnType::So3 | TrnType::SliderCrank) => awake_state(of_site(ids[0]) | of_site(ids[1])),
        Some(TrnType::Site) => of_body(m.site_bodyid[ids[0] as usize]),
        Some(TrnType::Tendon) => tendon_state(m, d, ids[0] as usize),
        Some(TrnType::Body) => of_body(ids[0]),
        _ => R::one(),
    }
}

// 1 where something is awake, 0 where it sleeps
#[inline(always)]
fn awake_state<R: Real>(awake: R::Mask) -> R {
    R::select(awake, R::one(), R::zero())
}

/// Where a sensor is read: where none of its objects sleeps, or one of them is awake.
pub fn sensor_awake<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R::Mask {
    let (kind, other) = (m.sensor_objtype[i], m.sensor_reftype[i]);
    let always = match SensorType::from_i32(m.sensor_type[i]) {
        Some(SensorType::User | SensorType::Plugin | SensorType::Rangefinder) => true,
        Some(SensorType::Contact) => kind == ObjType::Site || other == ObjType::Site,
        _ => false,
    };
    let object = object_state(m, d, kind, m.sensor_objid[i].max(0) as usize);
    let reference = object_state(m, d, other, m.sensor_refid[i].max(0) as usize);
    let state = match [kind, other].map(|kind| kind != ObjType::Unknown) {
        _ if always => R::one(),
        [true, true] => object.max(reference),
        [true, false] => object,
        _ => reference,
    };
    // static objects are read too, and delayed sensors are always read
    !state.abs().le(R::zero()) | R::zero().lt(d.own.sensor_delay(m, i))
}

// 1 where an object is awake, 0 where it sleeps, -1 where it is static
fn object_state<R: Real>(m: &Model, d: &Data<R>, kind: i32, id: usize) -> R {
    let of_body = |body: i32| R::of_int(d.body_awake[body as usize]);
    match ObjType::from_i32(kind) {
        Some(ObjType::Body | ObjType::XBody) => of_body(id as i32),
        Some(ObjType::Joint) => of_body(m.jnt_bodyid[id]),
        Some(ObjType::Geom) => of_body(m.geom_bodyid[id]),
        Some(ObjType::Site) => of_body(m.site_bodyid[id]),
        Some(ObjType::Camera) => of_body(m.cam_bodyid[id]),
        Some(ObjType::Tendon) => tendon_state(m, d, id),
        Some(ObjType::Actuator) => actuator_state(m, d, id),
        _ => R::one(),
    }
}

/// Sets `tree_awake` and `body_awake` from `tree_asleep` (`mj_updateSleep`).
pub fn tell_awake<R: Real>(m: &Model, d: &mut Data<R>) {
    for t in 0..m.ntree {
        let awake = R::of_int(d.tree_asleep[t]).lt(R::zero());
        d.tree_awake[t] = R::select_int(awake, R::int(1), R::int(ASLEEP));
    }
    for b in 0..m.nbody {
        d.body_awake[b] = match usize::try_from(m.body_treeid[b]) {
            Ok(t) => d.tree_awake[t],
            Err(_) if m.body_mocapid[m.body_rootid[b] as usize] >= 0 => R::int(1),
            Err(_) => R::int(STATIC),
        };
    }
    look_who_sleeps(m, d, false);
}

// tells the stages which trees they may leave as they are, in a pass that begins or one in which trees were woken
fn look_who_sleeps<R: Real>(m: &Model, d: &mut Data<R>, begins: bool) {
    let mut still = std::mem::take(&mut d.still);
    still.look(m, begins, |t| sleeps_everywhere(d, t), |i| is_static(d, i));
    d.still = still;
}

// whether a tree sleeps in all worlds of a tile
fn sleeps_everywhere<R: Real>(d: &Data<R>, t: usize) -> bool {
    !R::int_is(d.tree_awake[t], 1).any()
}

fn is_static<R: Real>(d: &Data<R>, body: usize) -> bool {
    R::int_is(d.body_awake[body], STATIC).all()
}

/// True if a tree of one world sleeps.
pub fn asleep<R: Real>(d: &Data<R>, t: usize, lane: usize) -> bool {
    R::int_lane(d.tree_asleep[t], lane) >= 0
}

// wakes a tree and the trees of its sleep cycle; true if it slept
fn rouse<R: Real>(d: &mut Data<R>, lane: usize, t: usize, value: i32) -> bool {
    if !asleep(d, t, lane) {
        let own = R::int_lane(d.tree_asleep[t], lane);
        R::set_int_lane(&mut d.tree_asleep[t], lane, own.min(value));
        return false;
    }
    let mut at = t;
    for _ in 0..d.tree_asleep.len() {
        let next = R::int_lane(d.tree_asleep[at], lane);
        R::set_int_lane(&mut d.tree_asleep[at], lane, value);
        match usize::try_from(next) {
            Ok(next) if next < d.tree_asleep.len() => at = next,
            _ => break,
        }
    }
    true
}

/// Wakes trees whose state or forces were set by the user (`mj_wake`).
pub fn wake<R: Real>(m: &Model, d: &mut Data<R>) {
    for t in 0..m.ntree {
        if are_as_left(m, d, t) {
            continue;
        }
        for lane in 0..R::WIDTH {
            if asleep(d, t, lane) && !(may_sleep(m, t) && is_as_left(m, d, t, lane)) {
                rouse(d, lane, t, AWAKE);
            }
        }
    }
    tell_awake(m, d);
    look_who_sleeps(m, d, true);
}

fn may_sleep(m: &Model, t: usize) -> bool {
    let policy = m.tree_sleep_policy[t];
    policy != SleepPolicy::Never && policy != SleepPolicy::AutoNever
}

// the same for all worlds of a tile at once
fn are_as_left<R: Real>(m: &Model, d: &Data<R>, t: usize) -> bool {
    let bodies = m.tree_bodyadr[t] as usize..(m.tree_bodyadr[t] + m.tree_bodynum[t]) as usize;
    let (at, dofs) = (positions(m, t), dofs(m, t));
    let forces = d.xfrc_applied[bodies].as_flattened();
    let at_rest = is_zero(&d.qvel[dofs.clone()]) && is_zero(&d.qfrc_applied[dofs]);
    let words = bytemuck::cast_slice::<R, u32>;
    let same = words(&d.qpos[at.clone()]) == words(&d.latent[at]);
    may_sleep(m, t) && at_rest && is_zero(forces) && same
}

// whether all bits are zero
fn is_zero<R: Real>(x: &[R]) -> bool {
    let words: &[u32] = bytemuck::cast_slice(x);
    words.iter().fold(0, |all, word| all | word) == 0
}

// true if a tree has no velocity and no force, and is at the position where it fell asleep
fn is_as_left<R: Real>(m: &Model, d: &Data<R>, t: usize, lane: usize) -> bool {
    let zero = |x: &R| x.lane(lane).to_bits() == 0;
    let at = positions(m, t);
    let same = |q: usize| d.qpos[q].lane(lane).to_bits() == d.latent[q].lane(lane).to_bits();
    is_unforced(m, d, t, lane) && d.qvel[dofs(m, t)].iter().all(zero) && at.into_iter().all(same)
}

fn is_unforced<R: Real>(m: &Model, d: &Data<R>, t: usize, lane: usize) -> bool {
    let zero = |x: &R| x.lane(lane).to_bits() == 0;
    let adr = m.tree_bodyadr[t] as usize;
    let forces = &d.xfrc_applied[adr..adr + m.tree_bodynum[t] as usize];
    forces.iter().flatten().all(zero) && d.qfrc_applied[dofs(m, t)].iter().all(zero)
}

/// Dofs of a tree.
pub(crate) fn dofs(m: &Model, t: usize) -> Range<usize> {
    let adr = m.tree_dofadr[t] as usize;
    adr..adr + m.tree_dofnum[t] as usize
}

/// Range of a tree in qpos.
pub fn positions(m: &Model, t: usize) -> Range<usize> {
    let dofs = dofs(m, t);
    let joint = |dof: usize| m.dof_jntid[dof] as usize;
    let (first, last) = (joint(dofs.start), joint(dofs.end - 1));
    let words = match JointType::from_i32(m.jnt_type[last]) {
        Some(JointType::Free) => 7,
        Some(JointType::Ball) => 4,
        _ => 1,
    };
    m.jnt_qposadr[first] as usize..m.jnt_qposadr[last] as usize + words
}

/// True if a tree is slow enough to count the step towards its sleep.
pub fn can_sleep<R: Real>(m: &Model, d: &Data<R>, t: usize, lane: usize) -> bool {
    let tolerance = d.own.sleep_tolerance(m).lane(lane);
    let slow = |i: usize| {
        let length = d.own.dof_length(m, i).lane(lane);
        let speed = d.qvel[i].lane(lane);
        // zero tolerance: the velocity must be exactly zero
        match tolerance == 0.0 {
            true => speed.to_bits() == 0,
            false => length * speed.abs() < tolerance,
        }
    };
    may_sleep(m, t)
        && !kept_awake(m, d, t, lane)
        && is_unforced(m, d, t, lane)
        && dofs(m, t).all(slow)
}

// true for a tree of a flex that nothing holds together: where its equality is off
fn kept_awake<R: Real>(m: &Model, d: &Data<R>, t: usize, lane: usize) -> bool {
    if m.ntreeflex == 0 || m.tree_flexeq[t] == -1 {
        return false;
    }
    let off = m.opt.disabled(DSBL_CONSTRAINT) || m.opt.disabled(DSBL_EQUALITY);
    match usize::try_from(m.tree_flexeq[t]) {
        Ok(i) => off || R::int_lane(d.eq_active[i], lane) == 0,
        Err(_) => true,
    }
}

// one side of a contact or an equality: its `body_awake`, and its tree; none for a static or mocap body
fn sleep_side<R: Real>(m: &Model, d: &Data<R>, body: usize, lane: usize) -> (i32, Option<usize>) {
    let state = R::int_lane(d.body_awake[body], lane);
    (state, usize::try_from(m.body_treeid[body]).ok())
}

/// Wakes trees in contact with an awake tree or a mocap body (`mj_wakeCollision`); `sleep_changed` tells where a tree was woken.
pub fn wake_touched<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32]) -> R::Mask {
    let mut woke = R::zero();
    for (c, &k) in contact.iter().enumerate() {
        for lane in 0..R::WIDTH {
            if R::WIDTH > 1 && d.contact_dist[c].lane(lane) >= ABSENT {
                continue;
            }
            let Some((sleeper, other)) = sleeper_of(m, d, k as usize, lane) else {
                continue;
            };
            let own = |tree: usize| R::int_lane(d.tree_asleep[tree], lane);
            let value = other.map_or(AWAKE, own);
            if value < 0 && rouse(d, lane, sleeper, value) {
                woke.set_lane(lane, 1.0);
            }
        }
    }
    let woke = R::zero().lt(woke);
    if woke.any() {
        tell_awake(m, d);
    }
    d.sleep_changed[0] = R::select_int(woke, R::int(1), R::int(0));
    woke
}

// the sleeping tree of a pair that touches, and the tree of the other side if that is awake
fn sleeper_of<R: Real>(
    m: &Model,
    d: &Data<R>,
    k: usize,
    lane: usize,
) -> Option<(usize, Option<usize>)> {
    let sides = [0, 1].map(|side| sleep_side(m, d, side_body(m, k, side), lane));
    match sides {
        [(ASLEEP, Some(t)), other] | [other, (ASLEEP, Some(t))] => {
            Some((t, other.1.filter(|_| other.0 == 1)))
        }
        _ => None,
    }
}

/// Wakes trees that a tendon at its limit couples to an awake tree (`mj_wakeTendon`).
pub fn wake_tied<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut any = false;
    for i in 0..m.ntendon {
        if m.tendon_treenum[i] != 2 || m.tendon_limited[i] == 0 {
            continue;
        }
        let margin = d.own.tendon_margin(m, i);
        let low = d.ten_length[i] - d.own.tendon_range(m, 2 * i);
        let high = d.own.tendon_range(m, 2 * i + 1) - d.ten_length[i];
        let at_limit = R::select(low.lt(margin) | high.lt(margin), R::one(), R::zero());
        let trees = [0, 1].map(|k| m.tendon_treeid[2 * i + k] as usize);
        for lane in (0..R::WIDTH).filter(|&lane| at_limit.lane(lane) != 0.0) {
            let awake = trees.map(|t| R::int_lane(d.tree_awake[t], lane) == 1);
            let [sleeper, other] = match awake {
                [false, true] => trees,
                [true, false] => [trees[1], trees[0]],
                _ => continue,
            };
            let value = R::int_lane(d.tree_asleep[other], lane);
            any |= rouse(d, lane, sleeper, value);
        }
    }
    if any {
        tell_awake(m, d);
    }
}

/// Wakes trees that an equality couples to an awake tree, or to a tree of another sleep cycle (`mj_wakeEquality`).
pub fn wake_held<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut any = false;
    for i in 0..m.neq {
        for lane in 0..R::WIDTH {
            if R::int_lane(d.eq_active[i], lane) == 0 {
                continue;
            }
            any |= wake_two(m, d, i, lane);
        }
    }
    if any {
        tell_awake(m, d);
    }
}

fn wake_two<R: Real>(m: &Model, d: &mut Data<R>, i: usize, lane: usize) -> bool {
    let [Some(first), Some(second)] = held_bodies(m, i) else {
        return false;
    };
    match [
        sleep_side(m, d, first, lane),
        sleep_side(m, d, second, lane),
    ] {
        [(ASLEEP, Some(t)), (ASLEEP, Some(u))] => {
            let apart = t != u && !sleep_together(d, lane, t, u);
            apart && {
                rouse(d, lane, t, AWAKE);
                rouse(d, lane, u, AWAKE);
                true
            }
        }
        [(ASLEEP, Some(t)), (1, _)] | [(1, _), (ASLEEP, Some(t))] => rouse(d, lane, t, AWAKE),
        _ => false,
    }
}

// true if two trees are in the same sleep cycle
fn sleep_together<R: Real>(d: &Data<R>, lane: usize, t: usize, u: usize) -> bool {
    let mut at = t;
    for _ in 0..d.tree_asleep.len() {
        match usize::try_from(R::int_lane(d.tree_asleep[at], lane)) {
            Ok(next) if next < d.tree_asleep.len() => at = next,
            _ => return false,
        }
        if at == u {
            return true;
        }
    }
    false
}

// where awake: stores the present value; where asleep: restores the stored one
#[inline(always)]
fn keep<R: Real>(awake: R::Mask, now: &mut R, noted: &mut R) {
    *noted = R::select(awake, *now, *noted);
    *now = *noted;
}

/// Sleeping trees keep the smooth forces with which they fell asleep.
pub fn keep_forces<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nv {
        if d.still.dof(i) {
            continue;
        }
        let awake = tree_is_awake(d, m.dof_treeid[i]);
        keep(awake, &mut d.qfrc_smooth[i], &mut d.latent[m.nq + i]);
    }
}

/// Actuators of sleeping trees have no force, and their activation rates stay as they were.
pub fn rest_actuators<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nactuator {
        let awake = !actuator_state(m, d, i).abs().le(R::zero());
        let out = m.actuator_outadr[i] as usize;
        for force in &mut d.actuator_force[out..out + m.actuator_outnum[i] as usize] {
            *force = R::select(awake, *force, R::zero());
        }
        let act = m.actuator_actadr[i].max(0) as usize;
        for k in act..act + m.actuator_actnum[i].max(0) as usize {
            keep(awake, &mut d.act_dot[k], &mut d.latent[m.nq + m.nv + k]);
        }
    }
}

/// A sensor of sleeping trees keeps its last reading.
pub fn keep_reading<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let awake = sensor_awake(m, d, i);
    let adr = m.sensor_adr[i] as usize;
    for k in adr..adr + m.sensor_dim[i] as usize {
        let noted = m.nq + m.nv + m.na + k;
        keep(awake, &mut d.sensordata[k], &mut d.latent[noted]);
    }
}

/// Where awake trees are in the last of the evaluations of Runge-Kutta: one that falls asleep goes back to the start of the step, and is
/// taken to be moved from outside if that is elsewhere.
pub fn note_places<R: Real>(m: &Model, d: &mut Data<R>) {
    for t in 0..m.ntree {
        let awake = tree_is_awake(d, t as i32);
        for q in positions(m, t) {
            d.latent[q] = R::select(awake, d.qpos[q], d.latent[q]);
        }
    }
}

/// Trees that sleep stay where they are, or were at the start of a step of Runge-Kutta.
pub fn stay_asleep<R: Real>(m: &Model, d: &mut Data<R>) {
    for t in 0..m.ntree {
        let asleep = !tree_is_awake(d, t as i32);
        if d.still.tree(t) || !asleep.any() {
            continue;
        }
        let place = match m.opt.integrator == Integrator::Rk4 {
            true => &d.rk_qpos,
            false => &d.latent,
        };
        for q in positions(m, t) {
            d.qpos[q] = R::select(asleep, place[q], d.qpos[q]);
        }
        for v in dofs(m, t) {
            d.qvel[v] = R::select(asleep, R::zero(), d.qvel[v]);
        }
    }
}
