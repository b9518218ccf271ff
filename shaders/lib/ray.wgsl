// intersection of a ray with a shape: the distance in units of its direction, and the outward normal

// dist -1: no intersection
struct Hit {
    dist: f32,
    normal: vec3f,
}

// start and direction
struct Ray {
    pnt: vec3f,
    vec: vec3f,
}

// the nearest face of a box hit, and the distance to each face, -1 if missed: -x x -y y -z z
struct BoxHit {
    hit: Hit,
    low: vec3f,
    high: vec3f,
}

// the earlier of two hits, the first if they are equal
fn sooner(a: Hit, b: Hit) -> Hit {
    if (b.dist >= 0.0 && (a.dist < 0.0 || b.dist < a.dist)) {
        return b;
    }
    return a;
}

fn miss() -> Hit {
    return Hit(-1.0, vec3f(0.0));
}

fn ray_at(r: Ray, dist: f32) -> vec3f {
    return r.pnt + r.vec * dist;
}

// the nearest geom that a ray hits, without geoms of the body `bodyexclude` and invisible ones
fn ray(r: Ray, bodyexclude: i32) -> Hit {
    var nearest = miss();
    let len = length(r.vec);
    for (var geom = 0; geom < ngeom; geom++) {
        if (reaches(geom_xpos(geom) - r.pnt, geom_rbound(geom), r.vec, len, nearest.dist)
            && geom_bodyid(geom) != bodyexclude && !unseen(geom)) {
            nearest = sooner(nearest, meet(geom, Place(geom_xpos(geom), geom_xmat(geom)), r));
        }
    }
    return nearest;
}

// where a ray of the direction `vec`, of this length, may hit the sphere around a geom, whose center is at `to_center` from its start, not
// behind `dist` if that is not negative; a plane has no sphere (`bound` 0). The sphere is larger by the rounding of the places
fn reaches(to_center: vec3f, bound: f32, vec: vec3f, len: f32, dist: f32) -> bool {
    let size = bound + 1e-6 * (bound + dot(abs(to_center), vec3f(1.0)));
    let along = dot(to_center, vec);
    let aside = cross(to_center, vec);
    let reach = size * len;
    let misses = reach * reach < dot(aside, aside);
    let behind = along < -reach;
    let later = 0.0 <= dist && dist * len * len < along - reach;
    return bound <= 0.0 || !(misses || behind || later);
}

// true if a geom is fully transparent
fn unseen(geom: i32) -> bool {
    let material = geom_matid(geom);
    if (material >= 0) {
        return mat_rgba(material, 3) == 0.0;
    }
    return geom_rgba(geom, 3) == 0.0;
}

// intersection of a ray with a geom of any type at its pose
fn meet(geom: i32, place: Place, r: Ray) -> Hit {
    let local = to_local(place, r);
    let kind = geom_type(geom);
    var hit = miss();
    if (geoms_mesh && kind == GEOM_MESH) {
        hit = ray_mesh(geom_dataid(geom), local);
    } else if (geoms_hfield && kind == GEOM_HFIELD) {
        hit = ray_hfield(geom_dataid(geom), local);
    } else if (geoms_sdf && kind == GEOM_SDF) {
        if (ray_box(geom_size(geom), local).hit.dist >= 0.0) {
            hit = field_ray(geom, local);
        }
    } else {
        hit = ray_shape(kind, geom_size(geom), local);
    }
    return Hit(hit.dist, place.mat * hit.normal);
}

// distance at which a ray hits a shape at its pose; -1 if it does not
fn ray_geom(place: Place, size: vec3f, kind: i32, r: Ray) -> f32 {
    return ray_shape(kind, size, to_local(place, r)).dist;
}

// a ray in the frame of a shape
fn to_local(place: Place, r: Ray) -> Ray {
    let mat = transpose(place.mat);
    return Ray(mat * (r.pnt - place.pos), mat * r.vec);
}

// intersection of a ray with a shape of primitive type, in the frame of the shape
fn ray_shape(kind: i32, size: vec3f, r: Ray) -> Hit {
    if (kind == GEOM_PLANE) {
        return ray_plane(size, r);
    }
    if (kind == GEOM_SPHERE || kind == GEOM_ELLIPSOID) {
        return ray_ellipsoid(select(size, size.xxx, kind == GEOM_SPHERE), r);
    }
    if (kind == GEOM_CAPSULE) {
        return ray_capsule(size, r);
    }
    if (kind == GEOM_CYLINDER) {
        return ray_cylinder(size, r);
    }
    if (kind == GEOM_BOX) {
        return ray_box(size, r).hit;
    }
    return miss();
}

// solutions of `a x² + 2 b x + c = 0`: the smallest nonnegative one or -1, then both
fn ray_quad(q: vec3f) -> vec3f {
    let det = q.y * q.y - q.x * q.z;
    if (det < MINVAL) {
        return vec3f(-1.0);
    }
    let root = sqrt(det);
    let x0 = (-q.y - root) / q.x;
    let x1 = (-q.y + root) / q.x;
    return vec3f(select(select(-1.0, x1, x1 >= 0.0), x0, x0 >= 0.0), x0, x1);
}

// coefficients of the equation for a sphere about the origin
fn around(r: Ray, radius: f32) -> vec3f {
    return vec3f(dot(r.vec, r.vec), dot(r.vec, r.pnt), dot(r.pnt, r.pnt) - radius * radius);
}

// the front side of a plane, within its rectangle if it has one
fn ray_plane(size: vec3f, r: Ray) -> Hit {
    if (r.vec.z > -MINVAL) {
        return miss();
    }
    let dist = -r.pnt.z / r.vec.z;
    let p = abs(ray_at(r, dist).xy);
    if (dist >= 0.0 && (size.x <= 0.0 || p.x <= size.x) && (size.y <= 0.0 || p.y <= size.y)) {
        return Hit(dist, vec3f(0.0, 0.0, 1.0));
    }
    return miss();
}

// an ellipsoid of three semiaxes, or a sphere
fn ray_ellipsoid(size: vec3f, r: Ray) -> Hit {
    // in units of the semiaxes it is a unit sphere
    let unit = Ray(r.pnt / size, r.vec / size);
    let dist = ray_quad(around(unit, 1.0)).x;
    if (dist < 0.0) {
        return miss();
    }
    return Hit(dist, normalize3(ray_at(unit, dist) / size).xyz);
}

// the curved surface of a cylinder about the z axis
fn ray_side(radius: f32, half: f32, r: Ray) -> Hit {
    let flat = Ray(vec3f(r.pnt.xy, 0.0), vec3f(r.vec.xy, 0.0));
    let dist = ray_quad(around(flat, radius)).x;
    let p = ray_at(r, dist);
    if (dist < 0.0 || abs(p.z) > half) {
        return miss();
    }
    return Hit(dist, normalize3(vec3f(p.xy, 0.0)).xyz);
}

// a capsule of radius and half length: its side, and hemispheres at its ends
fn ray_capsule(size: vec3f, r: Ray) -> Hit {
    var hit = ray_side(size.x, size.y, r);
    for (var k = 0; k < 4; k++) {
        let side = select(1.0, -1.0, k >= 2);
        let cap = Ray(r.pnt - vec3f(0.0, 0.0, side * size.y), r.vec);
        let x = ray_quad(around(cap, size.x));
        let dist = select(x.y, x.z, k % 2 == 1);
        let p = ray_at(cap, dist);
        if (dist >= 0.0 && p.z * side >= 0.0) {
            hit = sooner(hit, Hit(dist, normalize3(p).xyz));
        }
    }
    return hit;
}

// a cylinder of radius and half length: its ends, and its side
fn ray_cylinder(size: vec3f, r: Ray) -> Hit {
    var hit = miss();
    if (abs(r.vec.z) > MINVAL) {
        for (var k = 0; k < 2; k++) {
            let side = select(1.0, -1.0, k == 0);
            let dist = (side * size.y - r.pnt.z) / r.vec.z;
            let p = ray_at(r, dist);
            if (dist >= 0.0 && dot(p.xy, p.xy) <= size.x * size.x) {
                hit = sooner(hit, Hit(dist, vec3f(0.0, 0.0, side)));
            }
        }
    }
    return sooner(hit, ray_side(size.x, size.y, r));
}

// a box of three half sizes
fn ray_box(size: vec3f, r: Ray) -> BoxHit {
    var out = BoxHit(miss(), vec3f(-1.0), vec3f(-1.0));
    for (var face = 0; face < 6; face++) {
        let k = face / 2;
        let side = select(-1.0, 1.0, face % 2 == 1);
        if (abs(r.vec[k]) <= MINVAL) {
            continue;
        }
        let dist = (side * size[k] - r.pnt[k]) / r.vec[k];
        let beyond = abs(ray_at(r, dist)) - size;
        if (dist >= 0.0 && beyond[(k + 1) % 3] <= 0.0 && beyond[(k + 2) % 3] <= 0.0) {
            var normal = vec3f(0.0);
            normal[k] = side;
            out.hit = sooner(out.hit, Hit(dist, normal));
            if (side < 0.0) {
                out.low[k] = dist;
            } else {
                out.high[k] = dist;
            }
        }
    }
    return out;
}

// two unit vectors perpendicular to a direction and to each other
fn ray_basis(vec: vec3f) -> mat2x3f {
    let size = abs(vec);
    var b0 = vec3f(1.0);
    if (size.x >= size.y && size.x >= size.z) {
        b0.x = 0.0;
    } else if (size.y >= size.z) {
        b0.y = 0.0;
    } else {
        b0.z = 0.0;
    }
    let b1 = normalize3(b0 - vec * (dot(vec, b0) / dot(vec, vec))).xyz;
    return mat2x3f(normalize3(cross(b1, vec)).xyz, b1);
}

// a triangle; its normal follows its corners by the right-hand rule
fn ray_triangle(v0: vec3f, v1: vec3f, v2: vec3f, r: Ray, basis: mat2x3f) -> Hit {
    // corners projected along the ray
    let p0 = (v0 - r.pnt) * basis;
    let p1 = (v1 - r.pnt) * basis;
    let p2 = (v2 - r.pnt) * basis;
    let a0 = p0 - p2;
    let a1 = p1 - p2;
    let det = a0.x * a1.y - a1.x * a0.y;
    if (abs(det) < MINVAL) {
        return miss();
    }
    let t0 = (a1.x * p2.y - a1.y * p2.x) / det;
    let t1 = (a0.y * p2.x - a0.x * p2.y) / det;
    if (t0 < 0.0 || t1 < 0.0 || t0 + t1 > 1.0) {
        return miss();
    }

    // the plane of the triangle
    let normal = cross(v0 - v2, v1 - v2);
    let denom = dot(r.vec, normal);
    if (abs(denom) < MINVAL) {
        return miss();
    }
    return Hit(-dot(r.pnt - v2, normal) / denom, normalize3(normal).xyz);
}

// the nearest face of a mesh. Faces lie in the tree of boxes of the mesh; boxes that the ray misses, or enters behind the nearest face so
// far, are left out. Of two halves the one that the ray enters first is searched first
fn ray_mesh(mesh: i32, r: Ray) -> Hit {
    let vertadr = mesh_vertadr(mesh);
    let faceadr = mesh_faceadr(mesh);
    let first = max(mesh_bvhadr(mesh), 0);
    let basis = ray_basis(r.vec);
    let inverse = inverses(r.vec);
    var hit = miss();
    var boxes: array<i32, MESH_BOXES>;
    var num = min(mesh_bvhnum(mesh), 1);
    while (num > 0) {
        num--;
        let own = first + boxes[num];
        let center = vec3f(bvh_aabb(own, 0), bvh_aabb(own, 1), bvh_aabb(own, 2));
        let half = vec3f(bvh_aabb(own, 3), bvh_aabb(own, 4), bvh_aabb(own, 5));
        if (!enters(center, half, r.pnt, inverse, hit.dist)) {
            continue;
        }
        let face = bvh_nodeid(own);
        if (face >= 0) {
            let v0 = mesh_vert(vertadr + mesh_face(faceadr + face, 0));
            let v1 = mesh_vert(vertadr + mesh_face(faceadr + face, 1));
            let v2 = mesh_vert(vertadr + mesh_face(faceadr + face, 2));
            hit = sooner(hit, ray_triangle(v0, v1, v2, r, basis));
        } else {
            let ahead = select(0, 1, r.vec[longest(half)] >= 0.0);
            boxes[num] = bvh_child(own, ahead);
            boxes[num + 1] = bvh_child(own, 1 - ahead);
            num += 2;
        }
    }
    return hit;
}

// the longest axis of a box, along which its triangles are halved
fn longest(half: vec3f) -> i32 {
    if (half.x >= half.y && half.x >= half.z) {
        return 0;
    }
    return select(1, 2, half.y < half.z);
}

// one over each coordinate of a direction; zero: the direction is across
fn inverses(vec: vec3f) -> vec3f {
    let across = abs(vec) <= vec3f(MINVAL);
    return select(1.0 / select(vec, vec3f(1.0), across), vec3f(0.0), across);
}

// whether a ray enters a box, not behind `dist` if that is not negative; the box is larger by the rounding of the places in it
fn enters(center: vec3f, half: vec3f, pnt: vec3f, inverse: vec3f, dist: f32) -> bool {
    var low = 0.0;
    var high = select(dist, 3e38, dist < 0.0);
    let to_center = center - pnt;
    let size = half + 1e-6 * (half + abs(center) + abs(pnt));
    for (var k = 0; k < 3; k++) {
        if (inverse[k] == 0.0) {
            low = select(low, 3e38, abs(to_center[k]) > size[k]);
            continue;
        }
        let middle = to_center[k] * inverse[k];
        let reach = size[k] * abs(inverse[k]);
        low = max(low, middle - reach);
        high = min(high, middle + reach);
    }
    return low <= high;
}

// a height field: the box below it, its surface, and its sides
fn ray_hfield(field: i32, r: Ray) -> Hit {
    let nrow = hfield_nrow(field);
    let ncol = hfield_ncol(field);
    let size = vec4f(hfield_size(field, 0), hfield_size(field, 1), hfield_size(field, 2), hfield_size(field, 3));
    let adr = hfield_adr(field);

    // the same code for both boxes, one after the other: the box below, and the bounding box of the surface
    var hit = miss();
    var top = BoxHit(miss(), vec3f(-1.0), vec3f(-1.0));
    for (var k = 0; k < 2; k++) {
        let half = 0.5 * select(size.z, size.w, k == 0);
        let shift = vec3f(0.0, 0.0, select(half, -half, k == 0));
        top = ray_box(vec3f(size.xy, half), Ray(r.pnt - shift, r.vec));
        if (k == 0) {
            hit = top.hit;
        }
    }
    if (top.hit.dist < 0.0) {
        return hit;
    }

    // cells below the part of the ray in the bounding box of the surface, and one more on each side
    let last = max(max(max(top.low.x, top.high.x), max(top.low.y, top.high.y)), max(top.low.z, top.high.z));
    let seg = select(vec2f(0.0, top.hit.dist), vec2f(top.hit.dist, last), last > top.hit.dist);
    let cell = 2.0 * size.xy / vec2f(f32(ncol - 1), f32(nrow - 1));
    let end0 = ray_at(r, seg.x);
    let end1 = ray_at(r, seg.y);
    let columns = (vec2f(end0.x, end1.x) + size.x) / cell.x;
    let rows = (vec2f(end0.y, end1.y) + size.y) / cell.y;
    let heights = vec2f(end0.z, end1.z);

    // two triangles of each cell below the ray, in blocks of a row, but for blocks that it passes above or beneath
    let basis = ray_basis(r.vec);
    let all = cells_over(rows, vec2f(0.0, 1.0), nrow - 1);
    for (var row = all.x; row < all.y; row++) {
        let over_row = part_over(rows, row, row + 1);
        let some = cells_over(columns, over_row, ncol - 1);
        for (var begin = some.x; begin < some.y; begin += BLOCK) {
            let end = min(begin + BLOCK, some.y);
            let over_block = part_over(columns, begin, end);
            let over = vec2f(max(over_row.x, over_block.x), min(over_row.y, over_block.y));
            if (over.x > over.y) {
                continue;
            }
            let between = values_over(heights, over);
            let slack = 1e-5 * (size.z + abs(between.y));
            var least = 3e38;
            var most = -3e38;
            for (var c = begin; c <= end; c++) {
                let z0 = hfield_data(adr + row * ncol + c);
                let z1 = hfield_data(adr + (row + 1) * ncol + c);
                least = min(least, min(z0, z1));
                most = max(most, max(z0, z1));
            }
            if (most * size.z < between.x - slack || least * size.z > between.y + slack) {
                continue;
            }
            for (var half = 2 * begin; half < 2 * end; half++) {
                let col = half / 2;
                let second = half % 2 == 1;
                let near = field_corner(adr, ncol, row, col, cell, size);
                let far = field_corner(adr, ncol, row + 1, col + 1, cell, size);
                let third = field_corner(adr, ncol, row + select(0, 1, second), col + select(1, 0, second), cell, size);
                var met = ray_triangle(near, far, third, r, basis);
                met.normal *= select(1.0, -1.0, met.normal.z < 0.0);
                hit = sooner(hit, met);
            }
        }
    }

    // sides of the box, below the edge of the surface
    for (var side = 0; side < 4; side++) {
        let flank = side / 2;
        let high = side % 2 == 1;
        let dist = select(top.low[flank], top.high[flank], high);
        let p = ray_at(r, dist);
        let most = select(ncol - 2, nrow - 2, flank == 0);
        let y = (p[1 - flank] + size[1 - flank]) / cell[1 - flank];
        let y0 = clamp(i32(floor(y)), 0, most);
        let step = select(1, ncol, flank == 0);
        let start_ = adr + select(0, select((nrow - 1) * ncol, ncol - 1, flank == 0), high);
        let z0 = hfield_data(start_ + step * y0);
        let z1 = hfield_data(start_ + step * (y0 + 1));
        if (p.z / size.z < z0 * (f32(y0) + 1.0 - y) + z1 * (y - f32(y0))) {
            var normal = vec3f(0.0);
            normal[flank] = select(-1.0, 1.0, high);
            hit = sooner(hit, Hit(dist, normal));
        }
    }
    return hit;
}

// cells of a height field that are passed over together
const BLOCK = 4i;

// the values between which a quantity is on a stretch of the ray, from its values at both ends of the whole
fn values_over(ends: vec2f, part: vec2f) -> vec2f {
    let x = ends.x + part * (ends.y - ends.x);
    return vec2f(min(x.x, x.y), max(x.x, x.y));
}

// cells over which a stretch of the ray lies along one axis, and one more on each side
fn cells_over(ends: vec2f, part: vec2f, most: i32) -> vec2i {
    let x = values_over(ends, part);
    return vec2i(max(i32(floor(x.x)) - 1, 0), min(i32(ceil(x.y)) + 1, most));
}

// the stretch of the ray, from 0 to 1, that lies between two places along one axis, or within one cell of them
fn part_over(ends: vec2f, low: i32, high: i32) -> vec2f {
    let length_ = ends.y - ends.x;
    if (abs(length_) < 1e-3) {
        return vec2f(0.0, 1.0);
    }
    let x = (vec2f(f32(low - 1), f32(high + 1)) - ends.x) / length_;
    return vec2f(max(min(x.x, x.y), 0.0), min(max(x.x, x.y), 1.0));
}

fn field_corner(adr: i32, ncol: i32, row: i32, col: i32, cell: vec2f, size: vec4f) -> vec3f {
    let z = hfield_data(adr + row * ncol + col) * size.z;
    return vec3f(cell * vec2f(f32(col), f32(row)) - size.xy, z);
}
