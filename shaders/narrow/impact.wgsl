// time and place of the impact of two separate geoms within the timestep (`speculative`), as in src/cpu/collision/impact.rs
//
// Conservative advancement: a bound limits the speed at which points of two convex shapes approach along the line of their distance. So
// both shapes can be advanced by the time that the distance takes at this speed, repeatedly, until little distance is left. All searches of
// a pair, those of its present contacts too, are in one loop with one call per turn:
//
//   now ─▶ near ─▶ faces ─▶ done
//            └─ until little distance is left
const IMPACT_NOW: i32 = 0;
const IMPACT_NEAR: i32 = 1;
const IMPACT_FACES: i32 = 2;
const IMPACT_DONE: i32 = 3;

// share of the first distance that is left after an advancement
const IMPACT_TARGET: f32 = 0.02;
// share of the first distance at which the advancement ends
const IMPACT_ENOUGH: f32 = 0.03;
// maximum number of steps of the advancement. A shape that turns fast has a bound far above its speed: the rest of the way is then
// taken at the present speed of the nearest points
const IMPACT_STEPS: i32 = 16;

// motions of both geoms
var<private> impact_sweep1: Sweep;
var<private> impact_sweep2: Sweep;
var<private> impact_phase: i32;
var<private> impact_step: i32;
// fraction of the timestep at which the impact happens, that of the present search, distance at the start, and how much of it is above
// the margin (m)
var<private> impact_time: f32;
var<private> impact_seen: f32;
var<private> impact_start: f32;
var<private> impact_room: f32;
// nearest points of both geoms, unit normal from the first to the second, and distance
var<private> impact_point1: vec3f;
var<private> impact_point2: vec3f;
var<private> impact_normal: vec3f;
var<private> impact_dist: f32;
// how much nearer the shapes would come in the whole timestep (m), and the margin in which their faces are searched
var<private> impact_way: f32;
var<private> impact_margin: f32;

// contacts of a pair now by a search, or those that it will have within the timestep, at the present positions of the contact points;
// those stay that it has within the gap if it does not touch, or another geom stands between
fn look_ahead(k: i32, a: Shape, b: Shape, search: bool, soon: bool) {
    let geom1 = collision_geom1(k);
    let geom2 = collision_geom2(k);
    let plane = geom_type(geom1) == GEOM_PLANE;

    // ahead of time positions are relative to the first geom, so that a pair far from the origin costs no precision
    let here = Shape(vec3f(0.0), a.mat, a.size);
    let there = Shape(b.pos - a.pos, b.mat, b.size);
    var kept = found;
    impact_phase = IMPACT_NOW;
    if (!search) {
        impact_begin(k, soon);
    }
    while (impact_phase != IMPACT_DONE) {
        let now = impact_phase == IMPACT_NOW;
        var first = a;
        var second = b;
        var margin = collision_detect(k);
        if (!now) {
            first = sweep_place(impact_sweep1, here, impact_seen);
            second = sweep_place(impact_sweep2, there, impact_seen);
            margin = select(impact_margin, 0.0, impact_phase == IMPACT_NEAR);
        }
        if (plane) {
            plane_nearest(first, second, geom2);
        } else {
            let unsure = ccd_unsure;
            ccd_beyond = select(0.0, impact_beyond(k), impact_phase == IMPACT_NEAR);
            ccd_search(first, second, geom1, geom2, margin);
            ccd_beyond = 0.0;
            ccd_unsure = select(unsure, ccd_unsure, now);
        }
        if (impact_phase == IMPACT_NEAR) {
            impact_advance(k, first, second, plane);
        } else {
            if (plane) {
                plane_rests(first, margin);
            } else {
                convex_contacts(first, geom1, margin, kept);
            }
            impact_phase = IMPACT_DONE;
        }
        if (now) {
            kept = found;
            impact_begin(k, soon);
        }
    }
    if (impact_way > 0.0) {
        impact_contacts(k, here, there, a.pos, kept);
    }
}

// begins the advancement of a pair that does not touch now
fn impact_begin(k: i32, soon: bool) {
    impact_way = 0.0;
    impact_step = 0;
    impact_seen = 0.0;
    impact_sweep1 = sweep_of(collision_geom1(k));
    impact_sweep2 = sweep_of(collision_geom2(k));
    var touches = false;
    for (var n = 0; n < found; n++) {
        touches = touches || found_point[n].dist < collision_margin(k);
    }
    impact_phase = select(IMPACT_DONE, IMPACT_NEAR, soon && !touches);
}

// distance above which two geoms cannot touch within the timestep (m)
fn impact_beyond(k: i32) -> f32 {
    let most = length(impact_sweep1.lin - impact_sweep2.lin) + sweep_turned(impact_sweep1) + sweep_turned(impact_sweep2);
    return (most + collision_margin(k)) / (1.0 - IMPACT_ENOUGH);
}

// nearest points of a plane and a solid, in the frame of the plane
fn plane_nearest(a: Shape, b: Shape, geom2: i32) {
    let turn = transpose(a.mat);
    solid2 = solid_of(geom2, turn * b.mat, turn * (b.pos - a.pos), b.size);
    ccd_normal = vec3f(0.0, 0.0, 1.0);
    let top = solid_support(solid2, -ccd_normal);
    solid2.vertex = top.vertex;
    ccd_point2 = top.point;
    ccd_point1 = vec3f(top.point.xy, 0.0);
    ccd_dist = top.point.z;
}

// advances the geoms by the time that their distance takes at most; ends where little distance is left, or where they do not touch
// within the timestep
fn impact_advance(k: i32, a: Shape, b: Shape, plane: bool) {
    if (!plane && (ccd_dist <= 0.0 || ccd_dist > impact_beyond(k))) {
        impact_phase = IMPACT_DONE;
        return;
    }
    let margin = collision_margin(k);
    impact_dist = ccd_dist;
    impact_normal = a.mat * ccd_normal;
    impact_point1 = a.mat * ccd_point1 + a.pos;
    impact_point2 = a.mat * ccd_point2 + a.pos;
    if (impact_step == 0) {
        impact_start = ccd_dist;
        impact_room = ccd_dist - margin;
    }

    // upper bound of the approach speed of any two points along the normal (m in a timestep)
    let turned = sweep_turned(impact_sweep1) + sweep_turned(impact_sweep2);
    let bound = dot(impact_normal, impact_sweep1.lin - impact_sweep2.lin) + turned;
    if (impact_late(k, bound)) {
        impact_phase = IMPACT_DONE;
        return;
    }
    let far = impact_dist > margin + IMPACT_ENOUGH * impact_room;
    let left = impact_dist - margin - IMPACT_TARGET * impact_room;
    if (!far || impact_step == IMPACT_STEPS) {
        impact_arrive(k, a, b, plane, select(0.0, left, far));
        return;
    }
    impact_seen += left / bound;
    impact_step++;
}

// true if two geoms do not touch within the timestep at a speed from where they are
fn impact_late(k: i32, speed: f32) -> bool {
    return speed <= 0.0 || impact_seen + (impact_dist - collision_margin(k)) / max(speed, MINVAL) >= 1.0;
}

// ends the advancement at the impact, or where a distance is left: faces or edges may meet there
fn impact_arrive(k: i32, a: Shape, b: Shape, plane: bool, left: f32) {
    impact_phase = IMPACT_DONE;
    if (impact_seen <= 0.0) {
        return;
    }
    let first = impact_sweep1.lin + cross(impact_sweep1.rot, impact_point1 - a.pos);
    let second = impact_sweep2.lin + cross(impact_sweep2.rot, impact_point2 - b.pos);
    let speed = dot(impact_normal, first - second);
    if (left > 0.0 && impact_late(k, speed)) {
        return;
    }
    impact_time = impact_seen;
    if (left > 0.0) {
        impact_time += left / speed;
    }
    impact_way = max((impact_start - impact_dist) / impact_seen, speed);

    // corners that come as near in the rest of the timestep count as well
    impact_margin = 2.0 * impact_dist + impact_way * (1.0 - impact_time) + opt_ccd_tolerance;
    if (manifold_flat(solid2) && (plane || (solid_faces && manifold_flat(solid1)))) {
        impact_phase = IMPACT_FACES;
    }
}

// the face of a solid that is most opposed to a plane, or an edge that lies in the plane: its corners are contacts
fn plane_rests(a: Shape, margin: f32) {
    let kept = found;
    part2 = manifold_part(vec3i(solid2.vertex), mat3x3f(ccd_point2, ccd_point2, ccd_point2), ccd_point2);
    let normal = ccd_normal;
    var least = -MANIFOLD_EDGE;
    var face = -1;
    let num = manifold_facings(1);
    for (var j = 0; j < num; j++) {
        let facing = manifold_facing[SOLID_FACINGS + j];
        let cosine = dot(facing.xyz, normal);
        if (cosine < least) {
            least = cosine;
            face = i32(facing.w);
        }
    }
    clip_num = 0;
    if (face >= 0) {
        clip_num = face_corners(solid2, face);
        for (var j = 0; j < clip_num; j++) {
            clip_point[j] = face_corner(solid2, face, j);
        }
    } else {
        let edges = manifold_edges(true);
        for (var e = 0; e < edges && clip_num == 0; e++) {
            let edge = manifold_edge(true, e, -normal);
            if (abs(dot(edge.dir, normal)) < MANIFOLD_EDGE) {
                clip_point[0] = edge.begin;
                clip_point[1] = edge.end;
                clip_num = 2;
            }
        }
    }
    clip_few(0, ccd_point1, normal, -normal, face < 0, false, margin);
    for (var n = kept; n < found; n++) {
        found_point[n].pos = a.mat * found_point[n].pos + a.pos;
        found_point[n].normal = a.mat * found_point[n].normal;
    }
}

// contacts of an impact in the place of the pair's first `kept` ones: where faces or edges meet, or only the nearest points. Positions are
// relative to `origin`
fn impact_contacts(k: i32, a: Shape, b: Shape, origin: vec3f, kept: i32) {
    let depth = arrest(soft_of_pair(k), impact_time, impact_way);
    let reach1 = sweep_reach(impact_sweep1);
    let reach2 = sweep_reach(impact_sweep2);
    let share = reach1 / (reach1 + reach2);
    let several = found - kept > 1;
    let num = select(1, found - kept, several);
    found = kept;
    for (var n = 0; n < num; n++) {
        var later1 = impact_point1;
        var later2 = impact_point2;
        if (several) {
            // each solid has half of the margin: it was added along the normal of the contact, and is taken off along that of the impact
            let point = found_point[kept + n];
            let half = select(0.5 * impact_margin, 0.0, geom_type(collision_geom1(k)) == GEOM_PLANE);
            let out = point.normal * (half - 0.5 * point.dist) - impact_normal * half;
            later1 = point.pos + out;
            later2 = point.pos - out;
        }
        let point1 = impact_at_first(impact_sweep1, a, later1);
        let point2 = impact_at_first(impact_sweep2, b, later2);

        // line of sight from each point to the impact point on the slower geom
        let hit = select(later2, later1, reach1 < reach2);
        if (!hidden(k, point1 + origin, point2 + origin, hit + origin)) {
            let pos = point1 * share + point2 * (1.0 - share) + origin;
            found_point[found] = MeetPoint(collision_margin(k) - depth, pos, impact_normal);
            found++;
        }
    }

    // only a pair that will touch within the timestep loses its contacts
    found_soon = found > kept;
    if (found_soon) {
        found -= kept;
        for (var n = 0; n < found; n++) {
            found_point[n] = found_point[kept + n];
        }
    } else {
        found = kept;
    }
}

// solver parameters of a pair
fn soft_of_pair(k: i32) -> Solver {
    var imp: array<f32, 5>;
    for (var i = 0; i < 5; i++) {
        imp[i] = collision_solimp(k, i);
    }
    return solver(vec2f(collision_solref(k, 0), collision_solref(k, 1)), imp);
}

// present position of a point of a geom that is given at the time of the last search
fn impact_at_first(sweep: Sweep, shape: Shape, point: vec3f) -> vec3f {
    let later = sweep_place(sweep, shape, impact_seen);
    return shape.pos + shape.mat * (transpose(later.mat) * (point - later.pos));
}

// true if one of the segments from the points of both geoms enters another geom
fn hidden(k: i32, point1: vec3f, point2: vec3f, hit: vec3f) -> bool {
    var out = false;
    let weld1 = body_weldid(geom_bodyid(collision_geom1(k)));
    let weld2 = body_weldid(geom_bodyid(collision_geom2(k)));
    for (var side = 0; side < 2; side++) {
        let own = select(collision_geom1(k), collision_geom2(k), side == 1);
        let start = select(point1, point2, side == 1);
        let r = Ray(start, hit - start);
        for (var pair = 0; pair < ncollision && !out && length(r.vec) >= MINVAL; pair++) {
            let other = partner(pair, own);
            if (other < 0 || other == collision_geom1(k) || other == collision_geom2(k)) {
                continue;
            }
            let kind = geom_type(other);
            let weld = body_weldid(geom_bodyid(other));
            if (kind == GEOM_HFIELD || kind == GEOM_SDF || (weld != 0 && (weld == weld1 || weld == weld2))) {
                continue;
            }
            let met = meet(other, Place(geom_xpos(other), geom_xmat(other)), r);
            out = met.dist >= 0.0 && met.dist < 1.0 && dot(met.normal, r.vec) < 0.0;
        }
    }
    return out;
}

// the other geom of a pair of two geoms that a geom belongs to; -1 if there is none
fn partner(pair: i32, geom: i32) -> i32 {
    let geom1 = collision_geom1(pair);
    let geom2 = collision_geom2(pair);
    if (geom2 < 0) {
        return -1;
    }
    return select(select(-1, geom1, geom == geom2), geom2, geom == geom1);
}
