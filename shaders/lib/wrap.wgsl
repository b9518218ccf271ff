// the shortest way around a sphere or an infinite cylinder

// contact of a path with an obstacle, and the length of its part on the surface; held: true if they touch
struct Touch {
    on: vec3f,
    off: vec3f,
    length: f32,
    held: bool,
}

// an obstacle in a tendon's path: sphere or cylinder with the radius of a geom; position of the side site
struct Obstacle {
    pos: vec3f,
    mat: mat3x3f,
    radius: f32,
    kind: i32,
    sided: bool,
    side: vec3f,
}

// the contact in the plane of the path
struct Arc {
    on: vec2f,
    off: vec2f,
    length: f32,
    held: bool,
}

// path around an obstacle between two points
fn wrap(from_: vec3f, to: vec3f, o: Obstacle) -> Touch {
    let back = transpose(o.mat);
    let p0 = back * (from_ - o.pos);
    let p1 = back * (to - o.pos);
    if (length(p0) < MINVAL || length(p1) < MINVAL) {
        return Touch();
    }

    // plane of the path: through both points and the centre, or perpendicular to the cylinder's axis
    let sphere = o.kind == WRAP_SPHERE;
    var x = vec3f(1.0, 0.0, 0.0);
    var y = vec3f(0.0, 1.0, 0.0);
    if (sphere) {
        x = normalize3(p0).xyz;
        y = normalize3(cross(plane(p0, p1, x), x)).xyz;
    }
    let a = vec2f(dot(p0, x), dot(p0, y));
    let b = vec2f(dot(p1, x), dot(p1, y));

    // through the inside, or around the circle
    let s = back * (o.side - o.pos);
    var arc: Arc;
    if (o.sided && length(s) < o.radius) {
        arc = inside(a, b, o.radius);
    } else {
        arc = circle(a, b, o.sided, vec2f(dot(s, x), dot(s, y)), o.radius);
    }
    if (!arc.held) {
        return Touch();
    }

    // back to three dimensions; on a cylinder the path also rises along the axis
    var on = x * arc.on.x + y * arc.on.y;
    var off = x * arc.off.x + y * arc.off.y;
    var len = arc.length;
    if (!sphere) {
        let l0 = length(a - arc.on);
        let l1 = length(b - arc.off);
        let slope = (p1.z - p0.z) / (l0 + len + l1);
        on.z = p0.z + slope * l0;
        off.z = p0.z + slope * (l0 + len);
        len = length(vec2f(len, off.z - on.z));
    }
    return Touch(o.pos + o.mat * on, o.pos + o.mat * off, len, true);
}

// normal of the plane of two points and the centre; `x` is the direction of the first
fn plane(p0: vec3f, p1: vec3f, x: vec3f) -> vec3f {
    var normal = normalize3(cross(p0, p1));
    // any plane fits opposite points
    if (normal.w < MINVAL) {
        let size = abs(x);
        var other = vec3f(1.0);
        if (size.x >= size.y && size.x >= size.z) {
            other.x = 0.0;
        } else if (size.y >= size.z) {
            other.y = 0.0;
        } else {
            other.z = 0.0;
        }
        normal = normalize3(cross(x, other));
    }
    return normal.xyz;
}

// angle from one direction to another, counterclockwise
fn turn_between(u: vec2f, v: vec2f) -> f32 {
    return arc_tangent(u.x * v.y - u.y * v.x, dot(u, v));
}

// around a circle: in the direction of the path via the side point, or without one the shorter way
fn circle(a: vec2f, b: vec2f, sided: bool, side: vec2f, radius: f32) -> Arc {
    let la = length(a);
    let lb = length(b);
    let apart = b - a;
    if (la < radius || lb < radius || radius < MINVAL || dot(apart, apart) < MINVAL) {
        return Arc();
    }
    var total = 0.0;
    let by = select(b, side, sided);
    var last = a;
    for (var k = select(1, 0, sided); k < 2; k++) {
        let next = select(b, by, k == 0);
        total += turn_between(last, next);
        last = next;
    }

    // minus the angles of the straight parts on both sides
    let alpha = arc_tangent(sqrt(max((la - radius) * (la + radius), 0.0)), radius);
    let beta = arc_tangent(sqrt(max((lb - radius) * (lb + radius), 0.0)), radius);
    let angle = abs(total) - alpha - beta;
    if (angle <= 0.0) {
        return Arc();
    }
    let way = select(1.0, -1.0, total < 0.0);
    return Arc(turned2(a, way * alpha, radius / la), turned2(b, -way * beta, radius / lb), radius * angle, true);
}

// a direction rotated and scaled
fn turned2(p: vec2f, by: f32, scale: f32) -> vec2f {
    let sc = sin_cos(by);
    return vec2f(sc.y * p.x - sc.x * p.y, sc.x * p.x + sc.y * p.y) * scale;
}

// through the inside of a circle that holds the path: the point at which the path touches it
fn inside(a: vec2f, b: vec2f, radius: f32) -> Arc {
    let la = length(a);
    let lb = length(b);
    if (la <= radius || lb <= radius || radius < MINVAL) {
        return Arc();
    }

    // a straight path through the circle is not held
    let apart = b - a;
    let dd = dot(apart, apart);
    if (dd > MINVAL) {
        let s = -dot(apart, a) / dd;
        if (s > 0.0 && s < 1.0 && length(a + s * apart) <= radius) {
            return Arc();
        }
    }

    // points in the same direction from the centre: the path touches between them; opposite points: no contact
    let cos_ = (la * la + lb * lb - dd) / (2.0 * la * lb);
    if (cos_ < -1.0 + MINVAL) {
        return Arc();
    }
    if (cos_ > 1.0 - MINVAL) {
        let touch = (a + b) * (radius / max(length(a + b), MINVAL));
        return Arc(touch, touch, 0.0, true);
    }

    // counterclockwise from the first of the two points
    let g = turn_between(a, b);
    let t = incidence(radius / la, radius / lb, abs(g));
    let first = select(b, a, g > 0.0);
    let ratio = radius / length(first);
    let touch = turned2(first, t - arc_sine(ratio * sin_cos(t).x), ratio);
    return Arc(touch, touch, 0.0, true);
}

// the path is reflected like light: asin(a sin t) + asin(b sin t) - 2 t + g = 0 for the angle of incidence; the left side is
// concave and decreases, so that Newton's method from above never passes the root; it stops where MuJoCo's stops
fn incidence(a: f32, b: f32, g: f32) -> f32 {
    var t = 1.5707964;
    for (var k = 0; k < 20; k++) {
        let sc = sin_cos(t);
        let sines = vec2f(a, b) * sc.x;
        let f = arc_sine(sines.x) + arc_sine(sines.y) - 2.0 * t + g;
        if (abs(f) <= 1e-6) {
            break;
        }
        let slopes = vec2f(a, b) * sc.y / sqrt((1.0 - sines) * (1.0 + sines));
        t -= f / (slopes.x + slopes.y - 2.0);
    }
    return t;
}
