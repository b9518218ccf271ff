// how far a convex solid sticks out of another, as in src/cpu/collision/enclosure.rs

// first step of a climb (rad)
const ENCLOSURE_STEP: f32 = 0.5;
// magnitude of the result if no step is made
const ENCLOSURE_FAR: f32 = 1e10;

// gradient climb over the sphere of directions
struct Climb {
    // direction to try next
    dir: vec3f,
    // best direction so far, and how far the inner solid sticks out in it
    best: vec3f,
    most: f32,
    // direction of the step, a unit tangent
    way: vec3f,
    step: f32,
    live: bool,
}

// geoms of the object that an enclosure sensor names: a geom, the geoms of a body, or the geoms of a body and its whole subtree
fn enclosed_geoms(kind: i32, id: i32) -> vec2i {
    if (kind == OBJ_GEOM) {
        return vec2i(id, id + 1);
    }
    var geoms = vec2i(0);
    for (var body = id; body < nbody; body++) {
        if (body > id && (kind != OBJ_XBODY || body_parentid(body) < id)) {
            break;
        }
        let num = body_geomnum(body);
        if (num > 0) {
            let first = body_geomadr(body);
            geoms = vec2i(select(geoms.x, first, geoms.y == 0), first + num);
        }
    }
    return geoms;
}

fn solid_of_site(site: i32) -> Solid {
    let mesh = max(site_dataid(site), 0);
    var mat = site_xmat(site);
    var pos = site_xpos(site);
    if (sites_mesh && site_type(site) == GEOM_MESH) {
        // mesh vertices are given relative to the centre and along the principal axes
        pos += mat * mesh_pos(mesh);
        mat *= quat2mat(mesh_quat(mesh));
    }
    return Solid(site_type(site), mesh, pos, mat, site_size(site), 0.0, false, -1, -1);
}

// how far an object sticks out of a site (m); if negative, the clearance around it
fn juts_out_of_site(kind: i32, id: i32, site: i32) -> f32 {
    let outer = solid_of_site(site);
    if (kind == OBJ_SITE) {
        return juts_out(solid_of_site(id), outer);
    }
    let geoms = enclosed_geoms(kind, id);
    var most = -ENCLOSURE_FAR;
    for (var geom = geoms.x; geom < geoms.y; geom++) {
        let inner = solid_of(geom, geom_xmat(geom), geom_xpos(geom), geom_size(geom));
        most = max(most, juts_out(inner, outer));
    }
    return most;
}

// distance of the farthest point of a convex solid outside of another (m); if negative, the clearance around it
//
// it is the maximum over all directions of the inner solid's support height minus the outer one's. Gradient climbs from the six
// axis directions of the outer solid search for it, each of `ccd_iterations` steps, to the tolerance `ccd_tolerance`
fn juts_out(within: Solid, around: Solid) -> f32 {
    var inner = within;
    var outer = around;
    var most = -ENCLOSURE_FAR;
    for (var n = 0; n < 6; n++) {
        let dir = select(-1.0, 1.0, n % 2 == 0) * around.mat[n / 2];
        var climb = Climb(dir, dir, -ENCLOSURE_FAR, vec3f(0.0), ENCLOSURE_STEP, true);
        for (var k = 0; k < opt_ccd_iterations && climb.live; k++) {
            let top = solid_support(inner, climb.dir);
            let low = solid_support(outer, climb.dir);
            inner.vertex = top.vertex;
            inner.climbed = top.climbed;
            outer.vertex = low.vertex;
            outer.climbed = low.climbed;
            climb = climb_on(climb, top.point - low.point);
        }
        most = max(most, climb.most);
    }
    return most;
}

fn climb_on(before: Climb, apart: vec3f) -> Climb {
    var climb = before;
    let out = dot(apart, climb.dir);
    let slope = apart - climb.dir * out;
    let steep = length(slope);
    if (out > climb.most) {
        // take the slope as the direction of the next step; end at a maximum
        climb.most = out;
        climb.best = climb.dir;
        climb.live = steep > MINVAL && steep > opt_ccd_tolerance * abs(out);
        if (climb.live) {
            climb.way = slope / steep;
        }
    } else {
        // halve the step from the best direction and turn it to the mean of the last step's direction and the slope; end if the
        // two cancel
        climb.step *= 0.5;
        if (steep > MINVAL) {
            climb.way += slope / steep;
        }
        climb.way -= climb.best * dot(climb.way, climb.best);
        let far = length(climb.way);
        climb.way /= max(far, MINVAL);
        climb.live = climb.step >= opt_ccd_tolerance && far > opt_ccd_tolerance;
    }
    if (climb.live) {
        climb.dir = normalize3(climb.best + climb.way * climb.step).xyz;
    }
    return climb;
}
