//! Intersection of a ray with a shape: the distance in units of its direction, and the outward normal.

use super::contact::Shape;
use super::math::*;
use crate::cpu::collision::mesh_sdf::corners;
use crate::cpu::collision::sdf::Form;
use crate::fields::{Data, Model, OwnLane};
use crate::real::{Mask, Real, lanes};
use crate::types::*;

/// Intersection of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance in units of the direction's length; -1: no intersection.
    pub dist: f64,
    /// Unit outward normal of the surface; zero if nothing is hit.
    pub normal: [f64; 3],
}

/// A ray: its start and its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray {
    /// Start (m).
    pub pnt: [f64; 3],
    /// Direction, of any length.
    pub vec: [f64; 3],
}

impl Ray {
    /// Point at a distance.
    #[inline(always)]
    fn at(&self, dist: f64) -> [f64; 3] {
        add_scl3(self.pnt, self.vec, dist)
    }
}

/// No intersection.
const MISS: Hit = Hit {
    dist: -1.0,
    normal: [0.0; 3],
};

/// The earlier of two hits, the first if they are equal.
pub fn sooner(a: Hit, b: Hit) -> Hit {
    match b.dist >= 0.0 && (a.dist < 0.0 || b.dist < a.dist) {
        true => b,
        false => a,
    }
}

/// The most lanes of a number type.
pub const LANES: usize = 16;

/// The most geoms of a list of those near a bundle of rays.
const LISTED: usize = 64;

/// Geoms that a bundle of rays may hit, ascending.
pub(crate) struct Near {
    geoms: [usize; LISTED],
    // the length of the list; none: all geoms, which are too many to be listed
    num: Option<usize>,
}

impl Near {
    /// All geoms.
    pub(crate) const ALL: Near = Near {
        geoms: [0; LISTED],
        num: None,
    };

    /// Those at the cone around a bundle of rays in some lane.
    pub(crate) fn of<R: Real>(m: &Model, d: &Data<R>, bundle: &[[Ray; LANES]]) -> Near {
        let (zero, mut start, mut axis) = (R::zero(), [R::zero(); 3], [R::zero(); 3]);
        let rays = || bundle.iter().map(|beams| in_lanes::<R>(beams));
        for (pnt, vec) in rays() {
            start = add3(start, pnt);
            axis = add3(axis, normalize3(vec).0);
        }
        let start = scl3(start, R::splat(1.0 / bundle.len() as f64));
        let axis = normalize3(axis).0;

        // how far the rays are from its axis, and their starts from its tip
        let (mut cos, mut sin, mut off) = (R::one(), zero, zero);
        for (pnt, vec) in rays() {
            let way = normalize3(vec).0;
            cos = cos.min(dot3(axis, way));
            sin = sin.max(norm3(cross(axis, way)));
            off = off.max(norm3(sub3(pnt, start)));
        }
        if !zero.lt(cos).all() {
            return Near::ALL;
        }
        let [x, y, z] = start.map(R::abs);
        let off = off + R::splat(1e-6) * (x + y + z);
        let mut near = Near::ALL;
        let mut num = 0;
        // a sphere misses the cone if it is farther beside its side than its radius, which is larger by the rounding of the places
        for geom in 0..m.ngeom {
            let (to, bound) = (sub3(d.geom_xpos[geom], start), d.own.geom_rbound(m, geom));
            let [x, y, z] = to.map(R::abs);
            let size = bound + off + R::splat(4e-6) * (bound + x + y + z);
            let beside = norm3(cross(to, axis)) * cos - dot3(to, axis) * sin;
            if !(bound.le(zero) | !size.lt(beside)).any() {
                continue;
            }
            if num == LISTED {
                return Near::ALL;
            }
            near.geoms[num] = geom;
            num += 1;
        }
        near.num = Some(num);
        near
    }

    fn geoms(&self, m: &Model) -> impl Iterator<Item = usize> {
        let listed = self.num.is_some();
        (0..self.num.unwrap_or(m.ngeom)).map(move |k| if listed { self.geoms[k] } else { k })
    }
}

// start and direction of the ray of each lane
#[inline(always)]
fn in_lanes<R: Real>(beams: &[Ray; LANES]) -> ([R; 3], [R; 3]) {
    let wide = |of: &dyn Fn(&Ray) -> f64| {
        let mut x = R::zero();
        for (lane, beam) in beams[..R::WIDTH].iter().enumerate() {
            x.set_lane(lane, of(beam));
        }
        x
    };
    let pnt = std::array::from_fn(|k| wide(&|beam| beam.pnt[k]));
    let vec = std::array::from_fn(|k| wide(&|beam| beam.vec[k]));
    (pnt, vec)
}

/// The nearest geom that a ray hits, without geoms of the body `bodyexclude` and invisible ones; of a list of geoms, in each lane.
pub fn ray<R: Real>(
    m: &Model,
    d: &Data<R>,
    beams: &[Ray; LANES],
    bodyexclude: i32,
    near: &Near,
) -> [Hit; LANES] {
    let (pnt, vec) = in_lanes::<R>(beams);
    let (len, mut dist) = (norm3(vec), -R::one());
    let mut nearest = [MISS; LANES];
    let seen = |geom: &usize| m.geom_bodyid[*geom] != bodyexclude;
    for geom in near.geoms(m).filter(seen) {
        let bound = d.own.geom_rbound(m, geom);
        let near = reaches(sub3(d.geom_xpos[geom], pnt), bound, vec, len, dist);
        for lane in lanes::<R>(near) {
            let own = OwnLane::new(&d.own, lane);
            if unseen(m, own, geom) {
                continue;
            }
            let place = shape_of(m, d, lane, geom);
            let hit = meet(m, own, geom, &place, beams[lane]);
            nearest[lane] = sooner(nearest[lane], hit);
            dist.set_lane(lane, nearest[lane].dist);
        }
    }
    nearest
}

/// The nearest geom that a ray hits in one lane, without skipped ones; -1 if there is none.
pub fn nearest<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    ray: Ray,
    skip: impl Fn(usize) -> bool,
) -> (Hit, i32) {
    let mut nearest = (MISS, -1);
    let own = OwnLane::new(&d.own, lane);
    let len = norm3(ray.vec);
    for geom in 0..m.ngeom {
        let to = sub3(d.geom_xpos[geom].map(|x| x.lane(lane)), ray.pnt);
        let bound = own.geom_rbound(m, geom);
        if !reaches(to, bound, ray.vec, len, nearest.0.dist) || skip(geom) {
            continue;
        }
        let place = shape_of(m, d, lane, geom);
        let hit = sooner(nearest.0, meet(m, own, geom, &place, ray));
        if hit != nearest.0 {
            nearest = (hit, geom as i32);
        }
    }
    nearest
}

// where a ray of the direction `vec`, of this length, may hit the sphere around a geom, whose center is at `to_center` from its start, not
// behind `dist` if that is not negative; a plane has no sphere (`bound` 0). The sphere is larger by the rounding of the places
#[inline(always)]
fn reaches<R: Real>(to_center: [R; 3], bound: R, vec: [R; 3], len: R, dist: R) -> R::Mask {
    let [x, y, z] = to_center.map(R::abs);
    let size = bound + R::splat(1e-6) * (bound + x + y + z);
    let (along, aside, reach) = (dot3(to_center, vec), cross(to_center, vec), size * len);
    let misses = (reach * reach).lt(dot3(aside, aside));
    let behind = along.lt(-reach);
    let later = R::zero().le(dist) & (dist * len * len).lt(along - reach);
    bound.le(R::zero()) | !(misses | behind | later)
}

/// A geom at its pose in one lane.
pub fn shape_of<R: Real>(m: &Model, d: &Data<R>, lane: usize, geom: usize) -> Shape {
    Shape {
        pos: d.geom_xpos[geom].map(|x| x.lane(lane)),
        mat: d.geom_xmat[geom].map(|x| x.lane(lane)),
        size: OwnLane::new(&d.own, lane).geom_size(m, geom),
    }
}

/// True if a geom is fully transparent.
pub fn unseen<R: Real>(m: &Model, own: OwnLane<'_, R>, geom: usize) -> bool {
    let alpha = match usize::try_from(m.geom_matid[geom]) {
        Ok(material) => own.mat_rgba(m, 4 * material + 3),
        Err(_) => own.geom_rgba(m, 4 * geom + 3),
    };
    alpha == 0.0
}

/// Intersection of a ray with a geom of any type at its pose.
pub fn meet<R: Real>(m: &Model, own: OwnLane<'_, R>, geom: usize, place: &Shape, ray: Ray) -> Hit {
    let local = to_local(place, ray);
    let hit = match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Mesh) => ray_mesh(m, m.geom_dataid[geom] as usize, local),
        Some(GeomType::Hfield) => ray_hfield(m, own, m.geom_dataid[geom] as usize, local),
        Some(GeomType::Sdf) if ray_box(place.size, local).0.dist < 0.0 => MISS,
        Some(GeomType::Sdf) => {
            let (way, len) = normalize3(local.vec);
            let hit = Form::of(m, geom, place.size).ray(local.pnt, way);
            hit.map_or(MISS, |(dist, normal)| Hit {
                dist: dist / len,
                normal,
            })
        }
        _ => ray_shape(m.geom_type[geom], place.size, local),
    };
    Hit {
        dist: hit.dist,
        normal: mul_mat_vec3(place.mat, hit.normal),
    }
}

/// Distance at which a ray hits a shape at its pose; -1 if it does not (`mju_rayGeom`).
pub fn ray_geom(place: &Shape, kind: i32, ray: Ray) -> f64 {
    ray_shape(kind, place.size, to_local(place, ray)).dist
}

/// A ray in the frame of a shape.
pub fn to_local(place: &Shape, ray: Ray) -> Ray {
    Ray {
        pnt: mul_mat_t_vec3(place.mat, sub3(ray.pnt, place.pos)),
        vec: mul_mat_t_vec3(place.mat, ray.vec),
    }
}

/// Intersection of a ray with a shape of primitive type, in the frame of the shape.
pub fn ray_shape(kind: i32, size: [f64; 3], ray: Ray) -> Hit {
    match GeomType::from_i32(kind) {
        Some(GeomType::Plane) => ray_plane(size, ray),
        Some(GeomType::Sphere) => ray_ellipsoid([size[0]; 3], ray),
        Some(GeomType::Capsule) => ray_capsule(size, ray),
        Some(GeomType::Ellipsoid) => ray_ellipsoid(size, ray),
        Some(GeomType::Cylinder) => ray_cylinder(size, ray),
        Some(GeomType::Box) => ray_box(size, ray).0,
        _ => MISS,
    }
}

/// Solutions of `a x² + 2 b x + c = 0`: the smallest nonnegative one or -1, then both.
pub fn ray_quad([a, b, c]: [f64; 3]) -> [f64; 3] {
    let det = b * b - a * c;
    if det < MINVAL {
        return [-1.0; 3];
    }
    let root = det.sqrt();
    let (x0, x1) = ((-b - root) / a, (-b + root) / a);
    let first = match (x0 >= 0.0, x1 >= 0.0) {
        (true, _) => x0,
        (_, true) => x1,
        _ => -1.0,
    };
    [first, x0, x1]
}

// coefficients of the equation for a sphere about the origin
fn around(ray: Ray, radius: f64) -> [f64; 3] {
    let Ray { pnt, vec } = ray;
    [
        dot3(vec, vec),
        dot3(vec, pnt),
        dot3(pnt, pnt) - radius * radius,
    ]
}

/// The front side of a plane, within its rectangle if it has one.
pub fn ray_plane(size: [f64; 3], ray: Ray) -> Hit {
    if ray.vec[2] > -MINVAL {
        return MISS;
    }
    let dist = -ray.pnt[2] / ray.vec[2];
    let p = ray.at(dist);
    let within = |k: usize| size[k] <= 0.0 || p[k].abs() <= size[k];
    match dist >= 0.0 && within(0) && within(1) {
        true => Hit {
            dist,
            normal: [0.0, 0.0, 1.0],
        },
        false => MISS,
    }
}

/// An ellipsoid of three semiaxes, or a sphere.
pub fn ray_ellipsoid(size: [f64; 3], ray: Ray) -> Hit {
    let s = size.map(|x| 1.0 / (x * x));
    let scaled = |v: [f64; 3]| [s[0] * v[0], s[1] * v[1], s[2] * v[2]];
    let (vec, pnt) = (scaled(ray.vec), scaled(ray.pnt));
    let coefficients = [
        dot3(vec, ray.vec),
        dot3(vec, ray.pnt),
        dot3(pnt, ray.pnt) - 1.0,
    ];
    let [dist, ..] = ray_quad(coefficients);
    match dist >= 0.0 {
        true => Hit {
            dist,
            normal: normalize3(scaled(ray.at(dist))).0,
        },
        false => MISS,
    }
}

/// The curved surface of a cylinder about the z axis.
pub fn ray_side(radius: f64, half: f64, ray: Ray) -> Hit {
    let Ray { pnt, vec } = ray;
    let coefficients = [
        vec[0] * vec[0] + vec[1] * vec[1],
        vec[0] * pnt[0] + vec[1] * pnt[1],
        pnt[0] * pnt[0] + pnt[1] * pnt[1] - radius * radius,
    ];
    let [dist, ..] = ray_quad(coefficients);
    let p = ray.at(dist);
    match dist >= 0.0 && p[2].abs() <= half {
        true => Hit {
            dist,
            normal: normalize3([p[0], p[1], 0.0]).0,
        },
        false => MISS,
    }
}

/// A capsule of radius and half length: its side, and hemispheres at its ends.
pub fn ray_capsule(size: [f64; 3], ray: Ray) -> Hit {
    let mut hit = ray_side(size[0], size[1], ray);
    for side in [1.0, -1.0] {
        let end = side * size[1];
        let cap = Ray {
            pnt: [ray.pnt[0], ray.pnt[1], ray.pnt[2] - end],
            vec: ray.vec,
        };
        let [_, x0, x1] = ray_quad(around(cap, size[0]));
        for dist in [x0, x1] {
            let p = cap.at(dist);
            if dist >= 0.0 && p[2] * side >= 0.0 {
                let normal = normalize3(p).0;
                hit = sooner(hit, Hit { dist, normal });
            }
        }
    }
    hit
}

/// A cylinder of radius and half length: its ends, and its side.
pub fn ray_cylinder(size: [f64; 3], ray: Ray) -> Hit {
    let mut hit = MISS;
    if ray.vec[2].abs() > MINVAL {
        for side in [-1.0, 1.0] {
            let dist = (side * size[1] - ray.pnt[2]) / ray.vec[2];
            let p = ray.at(dist);
            if dist >= 0.0 && p[0] * p[0] + p[1] * p[1] <= size[0] * size[0] {
                let normal = [0.0, 0.0, side];
                hit = sooner(hit, Hit { dist, normal });
            }
        }
    }
    sooner(hit, ray_side(size[0], size[1], ray))
}

/// A box of three half sizes: the nearest face hit, and the distance to each face, -1 if missed: -x x -y y -z z.
pub fn ray_box(size: [f64; 3], ray: Ray) -> (Hit, [f64; 6]) {
    let (mut hit, mut all) = (MISS, [-1.0; 6]);
    for k in 0..3 {
        if ray.vec[k].abs() <= MINVAL {
            continue;
        }
        for side in 0..2 {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let dist = (sign * size[k] - ray.pnt[k]) / ray.vec[k];
            let p = ray.at(dist);
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            if dist >= 0.0 && p[i].abs() <= size[i] && p[j].abs() <= size[j] {
                let mut normal = [0.0; 3];
                normal[k] = sign;
                hit = sooner(hit, Hit { dist, normal });
                all[2 * k + side] = dist;
            }
        }
    }
    (hit, all)
}

/// Two unit vectors perpendicular to a direction and to each other.
pub fn ray_basis(vec: [f64; 3]) -> [[f64; 3]; 2] {
    let size = vec.map(f64::abs);
    let most = match size[0] >= size[1] && size[0] >= size[2] {
        true => 0,
        false => 1 + usize::from(size[1] < size[2]),
    };
    let mut b0 = [1.0; 3];
    b0[most] = 0.0;
    let (b1, _) = normalize3(add_scl3(b0, vec, -dot3(vec, b0) / dot3(vec, vec)));
    [normalize3(cross(b1, vec)).0, b1]
}

/// A triangle; its normal follows its corners by the right-hand rule.
pub fn ray_triangle(v: [[f64; 3]; 3], ray: Ray, basis: [[f64; 3]; 2]) -> Hit {
    // corners projected along the ray
    let seen = v.map(|v| {
        let dif = sub3(v, ray.pnt);
        [dot3(basis[0], dif), dot3(basis[1], dif)]
    });
    let a = [0, 1].map(|k| [seen[0][k] - seen[2][k], seen[1][k] - seen[2][k]]);
    let b = [-seen[2][0], -seen[2][1]];
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if det.abs() < MINVAL {
        return MISS;
    }
    let t0 = (a[1][1] * b[0] - a[0][1] * b[1]) / det;
    let t1 = (a[0][0] * b[1] - a[1][0] * b[0]) / det;
    if t0 < 0.0 || t1 < 0.0 || t0 + t1 > 1.0 {
        return MISS;
    }

    // the plane of the triangle
    let normal = cross(sub3(v[0], v[2]), sub3(v[1], v[2]));
    let denom = dot3(ray.vec, normal);
    if denom.abs() < MINVAL {
        return MISS;
    }
    let dist = -dot3(sub3(ray.pnt, v[2]), normal) / denom;
    Hit {
        dist,
        normal: normalize3(normal).0,
    }
}

/// Room for the boxes of a mesh that wait while a ray looks for its nearest face: more than any tree has levels.
pub const MESH_BOXES: usize = 64;

/// The nearest face of a mesh. Faces lie in the tree of boxes of the mesh; boxes that the ray misses, or enters behind the nearest face so
/// far, are left out. Of two halves the one that the ray enters first is searched first.
pub fn ray_mesh(m: &Model, mesh: usize, ray: Ray) -> Hit {
    let first = m.mesh_bvhadr[mesh].max(0) as usize;
    let basis = ray_basis(ray.vec);
    let inverse = inverses(ray.vec);
    let mut hit = MISS;
    let mut boxes = [0; MESH_BOXES];
    let mut num = m.mesh_bvhnum[mesh].min(1) as usize;
    while num > 0 {
        num -= 1;
        let own = first + boxes[num] as usize;
        let &[x, y, z, a, b, c] = &m.bvh_aabb.as_chunks().0[own];
        let (center, half) = ([x, y, z], [a, b, c]);
        if !enters(center, half, ray.pnt, inverse, hit.dist) {
            continue;
        }
        match usize::try_from(m.bvh_nodeid[own]) {
            Ok(face) => hit = sooner(hit, ray_triangle(corners(m, mesh, face), ray, basis)),
            Err(_) => {
                let child = [m.bvh_child[2 * own], m.bvh_child[2 * own + 1]];
                let ahead = usize::from(ray.vec[longest(half)] >= 0.0);
                boxes[num] = child[ahead];
                boxes[num + 1] = child[1 - ahead];
                num += 2;
            }
        }
    }
    hit
}

// the longest axis of a box, along which its triangles are halved
fn longest(half: [f64; 3]) -> usize {
    match half[0] >= half[1] && half[0] >= half[2] {
        true => 0,
        false => 1 + usize::from(half[1] < half[2]),
    }
}

// one over each coordinate of a direction; zero: the direction is across
fn inverses(vec: [f64; 3]) -> [f64; 3] {
    vec.map(|x| if x.abs() <= MINVAL { 0.0 } else { 1.0 / x })
}

// whether a ray enters a box, not behind `dist` if that is not negative; the box is larger by the rounding of the places in it
fn enters(center: [f64; 3], half: [f64; 3], pnt: [f64; 3], inverse: [f64; 3], dist: f64) -> bool {
    let (mut low, mut high) = (0.0f64, if dist < 0.0 { 3e38 } else { dist });
    for k in 0..3 {
        let to = center[k] - pnt[k];
        let size = half[k] + 1e-12 * (half[k] + center[k].abs() + pnt[k].abs());
        if inverse[k] == 0.0 {
            low = if to.abs() > size { 3e38 } else { low };
            continue;
        }
        let middle = to * inverse[k];
        let reach = size * inverse[k].abs();
        low = low.max(middle - reach);
        high = high.min(middle + reach);
    }
    low <= high
}

/// A height field: the box below it, its surface, and its sides.
pub fn ray_hfield<R: Real>(m: &Model, own: OwnLane<'_, R>, field: usize, ray: Ray) -> Hit {
    let (nrow, ncol) = (m.hfield_nrow[field] as usize, m.hfield_ncol[field] as usize);
    let size = [0, 1, 2, 3].map(|k| own.hfield_size(m, 4 * field + k));
    let adr = m.hfield_adr[field] as usize;
    let height = |k: usize| own.hfield_data(m, adr + k);
    let lowered = |z: f64| Ray {
        pnt: [ray.pnt[0], ray.pnt[1], ray.pnt[2] - z],
        vec: ray.vec,
    };
    let (mut hit, _) = ray_box([size[0], size[1], 0.5 * size[3]], lowered(-0.5 * size[3]));
    let (top, all) = ray_box([size[0], size[1], 0.5 * size[2]], lowered(0.5 * size[2]));
    if top.dist < 0.0 {
        return hit;
    }

    // cells below the part of the ray in the bounding box of the surface, and one more on each side
    let mut seg = [0.0, top.dist];
    for dist in all {
        if dist > seg[1] {
            seg = [top.dist, dist];
        }
    }
    let cell = [
        2.0 * size[0] / (ncol - 1) as f64,
        2.0 * size[1] / (nrow - 1) as f64,
    ];
    let ends = seg.map(|dist| {
        let p = ray.at(dist);
        [(p[0] + size[0]) / cell[0], (p[1] + size[1]) / cell[1]]
    });
    let [columns, rows] = [0, 1].map(|k| [ends[0][k], ends[1][k]]);
    let heights = seg.map(|dist| ray.at(dist)[2]);

    // two triangles of each cell below the ray, in blocks of a row, but for blocks that it passes above or beneath
    let basis = ray_basis(ray.vec);
    for r in cells_over(rows, [0.0, 1.0], nrow - 1) {
        let over_row = part_over(rows, [r, r + 1]);
        let some = cells_over(columns, over_row, ncol - 1);
        for first in some.clone().step_by(BLOCK) {
            let last = (first + BLOCK).min(some.end);
            let over_block = part_over(columns, [first, last]);
            let over = [
                over_row[0].max(over_block[0]),
                over_row[1].min(over_block[1]),
            ];
            if over[0] > over[1] {
                continue;
            }
            let [low, high] = values_over(heights, over);
            let slack = 1e-9 * (size[2] + high.abs());
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for c in first..=last {
                for z in [height(r * ncol + c), height((r + 1) * ncol + c)] {
                    (least, most) = (least.min(z), most.max(z));
                }
            }
            if most * size[2] < low - slack || least * size[2] > high + slack {
                continue;
            }
            for c in first..last {
                let corner = |r: usize, c: usize| {
                    let z = height(r * ncol + c) * size[2];
                    [
                        cell[0] * c as f64 - size[0],
                        cell[1] * r as f64 - size[1],
                        z,
                    ]
                };
                let (near, far) = (corner(r, c), corner(r + 1, c + 1));
                for third in [corner(r, c + 1), corner(r + 1, c)] {
                    let mut met = ray_triangle([near, far, third], ray, basis);
                    if met.normal[2] < 0.0 {
                        met.normal = scl3(met.normal, -1.0);
                    }
                    hit = sooner(hit, met);
                }
            }
        }
    }

    // sides of the box, below the edge of the surface
    for (side, &dist) in all[..4].iter().enumerate() {
        let p = ray.at(dist);
        let (along, most) = if side < 2 {
            (1, nrow - 2)
        } else {
            (0, ncol - 2)
        };
        let y = (p[along] + size[along]) / cell[along];
        let y0 = y.floor().clamp(0.0, most as f64);
        let at = |k: usize| match side {
            0 => height(k * ncol),
            1 => height(k * ncol + ncol - 1),
            2 => height(k),
            _ => height((nrow - 1) * ncol + k),
        };
        let (z0, z1) = (at(y0 as usize), at(y0 as usize + 1));
        if p[2] / size[2] < z0 * (y0 + 1.0 - y) + z1 * (y - y0) {
            let mut normal = [0.0; 3];
            normal[1 - along] = if side % 2 == 0 { -1.0 } else { 1.0 };
            hit = sooner(hit, Hit { dist, normal });
        }
    }
    hit
}

// cells of a height field that are passed over together
const BLOCK: usize = 4;

// the values between which a quantity is on a stretch of the ray, from its values at both ends of the whole
fn values_over([start, end]: [f64; 2], part: [f64; 2]) -> [f64; 2] {
    let [a, b] = part.map(|x| start + x * (end - start));
    [a.min(b), a.max(b)]
}

// cells over which a stretch of the ray lies along one axis, and one more on each side
fn cells_over(ends: [f64; 2], part: [f64; 2], most: usize) -> std::ops::Range<usize> {
    let [low, high] = values_over(ends, part);
    let (low, high) = (low.floor() as i64 - 1, high.ceil() as i64 + 1);
    low.max(0) as usize..high.min(most as i64).max(0) as usize
}

// the stretch of the ray, from 0 to 1, that lies between two places along one axis, or within one cell of them
fn part_over([start, end]: [f64; 2], [low, high]: [usize; 2]) -> [f64; 2] {
    let length = end - start;
    if length.abs() < 1e-6 {
        return [0.0, 1.0];
    }
    let [a, b] = [low as f64 - 1.0, high as f64 + 1.0].map(|place| (place - start) / length);
    [a.min(b).max(0.0), a.max(b).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::broad::tests::numbers;
    use crate::cpu::kinematics::kinematics;

    #[test]
    fn no_triangle_of_a_height_field_is_passed_over() {
        let (nrow, ncol) = (14, 23);
        let mut next = numbers();
        let heights: Vec<String> = (0..nrow * ncol).map(|_| next().to_string()).collect();
        let text = format!(
            r#"<mujoco><asset><hfield name="f" nrow="{nrow}" ncol="{ncol}" size="3 2 .5 .1" elevation="{}"/></asset>
            <worldbody><geom type="hfield" hfield="f"/></worldbody></mujoco>"#,
            heights.join(" ")
        );
        let m = Model::from_xml_str(&text).unwrap();
        let d: Data = Data::new(&m);
        let own = OwnLane::new(&d.own, 0);
        let corner = |r: usize, c: usize| {
            let [x, y] = [6.0 / 22.0 * c as f64 - 3.0, 4.0 / 13.0 * r as f64 - 2.0];
            [x, y, 0.5 * m.hfield_data[r * ncol + c]]
        };
        let (mut met, mut first) = (0, 0);
        for k in 0..4000 {
            // of all directions, some along an axis or upright
            let pnt = [8.0, 6.0, 1.2].map(|size| size * (next() - 0.4));
            let mut vec = [2.0, 2.0, 1.0].map(|size| size * (next() - 0.5));
            if k % 5 < 3 {
                vec[k % 5] = 0.0;
            }
            let ray = Ray { pnt, vec };
            let mut nearest = MISS;
            for (r, c) in (0..nrow - 1).flat_map(|r| (0..ncol - 1).map(move |c| (r, c))) {
                for third in [corner(r, c + 1), corner(r + 1, c)] {
                    let face = [corner(r, c), corner(r + 1, c + 1), third];
                    nearest = sooner(nearest, ray_triangle(face, ray, ray_basis(vec)));
                }
            }
            let hit = ray_hfield(&m, own, 0, ray);
            if nearest.dist >= 0.0 {
                // the ray may meet the sides or the box below before
                let soon = (0.0..=nearest.dist + 1e-12).contains(&hit.dist);
                assert!(soon, "{ray:?}: {hit:?}, not {nearest:?}");
                (met, first) = (met + 1, first + i32::from(hit.dist == nearest.dist));
            }
        }
        assert!(met > 400 && first > 200, "{met} {first}");
    }

    #[test]
    fn rays_of_a_bundle_hit_what_they_hit_among_all_geoms() {
        let mut next = numbers();
        let mut place = || [0; 3].map(|_| 4.0 * next() - 2.0);
        let boxes: String = (0..200)
            .map(|_| {
                let [x, y, z] = place();
                format!(r#"<geom type="box" size=".1 .2 .3" pos="{x} {y} {z}"/>"#)
            })
            .collect();
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1" pos="0 0 -2"/>{boxes}</worldbody></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        let mut d: Data = Data::new(&m);
        kinematics(&m, &mut d);
        let (mut hits, mut listed) = (0, 0);
        for wide in [0.02, 0.1, 0.5, 5.0] {
            for _ in 0..50 {
                let (pnt, axis) = (place(), place());
                let mut bundle = [[Ray::default(); LANES]; 16];
                for beams in &mut bundle {
                    beams[0].pnt = add_scl3(pnt, place(), 0.1 * wide);
                    beams[0].vec = add_scl3(axis, place(), wide);
                }
                let near = Near::of(&m, &d, &bundle);
                listed += usize::from(near.num.is_some());
                for beams in &bundle {
                    let [hit, ..] = ray(&m, &d, beams, -1, &near);
                    assert_eq!(hit, ray(&m, &d, beams, -1, &Near::ALL)[0]);
                    hits += usize::from(hit.dist >= 0.0);
                }
            }
        }
        assert!(hits > 1000 && listed > 60, "{hits} {listed}");
    }
}
