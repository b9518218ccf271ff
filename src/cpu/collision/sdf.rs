//! Contacts of a signed distance field with a solid that has one too (`mjc_SDF`).
//!
//! From points spread over the box in which both may lie, a descent looks for the deepest overlap. A negative value found is a
//! contact, on the surface of equal distance to both. In double precision, lane by lane: rounding changes the path of the descent.

use super::octree::Octree;
use crate::asset::sdf::{self, Prm};
use crate::cpu::lib::contact::{Contacts, Shape};
use crate::cpu::lib::math::*;
use crate::fields::{Model, OwnLane};
use crate::real::Real;
use crate::types::*;
use crate::user::OwnSdf;

/// Contacts of two geoms at their poses, the second of which is a signed distance field.
pub fn shape_sdf<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    out: &mut Contacts,
) {
    let aabb = geoms.map(|geom| own.geom_aabb(m, geom));
    let [first, second] = [0, 1].map(|k| Field::new(m, geoms[k], shapes[k], aabb[k]));
    let descent = Descent {
        points: m.opt.sdf_initpoints,
        iterations: m.opt.sdf_iterations,
    };
    sdf_sdf(&first, &second, descent, out);
}

/// Source of the signed distance of a solid.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// A geom of this type and size.
    Geom(GeomType, [f64; 3]),
    /// The shape of a plugin.
    Plugin(PluginKind, Prm),
    /// A mesh.
    Mesh(Octree<'a>),
    /// A mesh with a function of the user's own.
    Own(OwnSdf<'a>),
}

/// A solid at its pose.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Source of its signed distance.
    pub form: Form<'a>,
    /// Position and orientation of the geom.
    pub geom: ([f64; 3], [f64; 9]),
    /// Position and orientation of the frame of the signed distance, in the frame of the geom.
    pub inside: ([f64; 3], [f64; 4]),
    /// Bounding box in the geom's frame: centre, then half sizes.
    pub aabb: [f64; 6],
}

/// Settings of the descent.
#[derive(Clone, Copy, Debug)]
pub struct Descent {
    /// Number of start points.
    pub points: i32,
    /// Number of steps from each start point.
    pub iterations: i32,
}

/// A position and an orientation.
pub type Pose = ([f64; 3], [f64; 4]);

/// An orientation and a position as a map: v ↦ mat v + pos.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    pos: [f64; 3],
    mat: [f64; 9],
}

impl Map {
    /// From the frame of one pose to that of another.
    pub fn between(from: Pose, to: Pose) -> Self {
        let (pos, quat) = mul_pose(neg_pose(to), from);
        Self {
            pos,
            mat: quat2mat(quat),
        }
    }

    /// A point.
    pub fn point(&self, v: [f64; 3]) -> [f64; 3] {
        add3(mul_mat_vec3(self.mat, v), self.pos)
    }

    // transforms a covector back
    fn back(&self, v: [f64; 3]) -> [f64; 3] {
        mul_mat_t_vec3(self.mat, v)
    }
}

fn neg_pose((pos, quat): Pose) -> Pose {
    let quat = neg_quat(quat);
    (scl3(rot_vec_quat(pos, quat), -1.0), quat)
}

fn mul_pose((pos1, quat1): Pose, (pos2, quat2): Pose) -> Pose {
    let pos = add3(rot_vec_quat(pos2, quat1), pos1);
    (pos, unit(mul_quat(quat1, quat2)))
}

// a quaternion of unit length already is returned unchanged (`mju_normalize4`)
fn unit(q: [f64; 4]) -> [f64; 4] {
    let norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    match (norm - 1.0).abs() > MINVAL {
        true => normalize4(q),
        false => q,
    }
}

// quaternion of a rotation matrix, by its largest component (`mju_mat2Quat`)
fn mat2quat(m: [f64; 9]) -> [f64; 4] {
    let quat = if m[0] + m[4] + m[8] > 0.0 {
        let w = 0.5 * (1.0 + m[0] + m[4] + m[8]).sqrt();
        let part = |x: f64| 0.25 * x / w;
        [w, part(m[7] - m[5]), part(m[2] - m[6]), part(m[3] - m[1])]
    } else if m[0] > m[4] && m[0] > m[8] {
        let x = 0.5 * (1.0 + m[0] - m[4] - m[8]).sqrt();
        let part = |y: f64| 0.25 * y / x;
        [part(m[7] - m[5]), x, part(m[1] + m[3]), part(m[2] + m[6])]
    } else if m[4] > m[8] {
        let y = 0.5 * (1.0 - m[0] + m[4] - m[8]).sqrt();
        let part = |x: f64| 0.25 * x / y;
        [part(m[2] - m[6]), part(m[1] + m[3]), y, part(m[5] + m[7])]
    } else {
        let z = 0.5 * (1.0 - m[0] - m[4] + m[8]).sqrt();
        let part = |x: f64| 0.25 * x / z;
        [part(m[3] - m[1]), part(m[2] + m[6]), part(m[5] + m[7]), z]
    };
    unit(quat)
}

impl<'a> Field<'a> {
    /// A geom in its place, and its bounding box.
    pub fn new(m: &'a Model, geom: usize, shape: Shape, aabb: [f64; 6]) -> Self {
        let form = Form::of(m, geom, shape.size);
        let inside = match form {
            Form::Plugin(..) => {
                let mesh = m.geom_dataid[geom].max(0) as usize;
                (m.mesh_pos[mesh], m.mesh_quat[mesh])
            }
            _ => ([0.0; 3], [1.0, 0.0, 0.0, 0.0]),
        };
        Self {
            form,
            geom: (shape.pos, shape.mat),
            inside,
            aabb,
        }
    }

    /// Where the geom is.
    pub fn pose(&self) -> Pose {
        (self.geom.0, mat2quat(self.geom.1))
    }

    /// Where the frame of the distance is.
    pub fn frame(&self) -> Pose {
        match self.form {
            Form::Geom(..) | Form::Mesh(_) | Form::Own(_) => self.pose(),
            Form::Plugin(..) => mul_pose(self.pose(), neg_pose(self.inside)),
        }
    }
}

impl<'a> Form<'a> {
    /// Signed distance of a geom, scaled to this size.
    pub fn of(m: &'a Model, geom: usize, size: [f64; 3]) -> Self {
        let kind = GeomType::from_i32(m.geom_type[geom]).unwrap_or(GeomType::None);
        match (kind, usize::try_from(m.geom_plugin[geom])) {
            (GeomType::Sdf, Ok(id)) => {
                let plugin = PluginKind::from_i32(m.plugin[id]).unwrap_or(PluginKind::Torus);
                // the shape's kind is the same for all worlds
                let prm = std::array::from_fn(|k| m.plugin_prm[6 * id + k]);
                Form::Plugin(plugin, prm)
            }
            (GeomType::Sdf, Err(_)) => {
                let mesh = m.geom_dataid[geom].max(0) as usize;
                match OwnSdf::of(m, mesh) {
                    Some(own) => Form::Own(own),
                    None => Form::Mesh(Octree::new(m, mesh)),
                }
            }
            _ => Form::Geom(kind, size),
        }
    }

    /// Where a ray of unit direction meets the surface, in the geom's frame: its distance and the normal. Sphere tracing: each
    /// step is the signed distance, and there is no step back from inside (`ray_sdf`).
    pub fn ray(&self, pnt: [f64; 3], way: [f64; 3]) -> Option<(f64, [f64; 3])> {
        const STEPS: usize = 40;
        const NEAR: f64 = 1e-7;
        const FAR: f64 = 1e6;
        let mut dist = 0.0;
        for _ in 0..STEPS {
            let room = self.distance(add_scl3(pnt, way, dist)).abs();
            dist += room;
            if room < NEAR {
                let slope = self.gradient(add_scl3(pnt, way, dist));
                return Some((dist, normalize3(slope).0));
            }
            if room > FAR {
                return None;
            }
        }
        None
    }

    /// Signed distance of a point in the frame of the distance.
    pub fn distance(&self, x: [f64; 3]) -> f64 {
        let (kind, size) = match *self {
            Form::Plugin(kind, prm) => return sdf::distance(kind, &prm, x),
            Form::Mesh(octree) => return octree.distance(x),
            Form::Own(own) => return own.distance(x),
            Form::Geom(kind, size) => (kind, size),
        };
        match kind {
            GeomType::Plane => x[2],
            GeomType::Sphere => norm3(x) - size[0],
            GeomType::Box => {
                let a = [0, 1, 2].map(|k| x[k].abs() - size[k]);
                match way_out(x, size) {
                    Some(way) => {
                        let far = [0, 1, 2].map(|k| (a[k] / way[k]).abs());
                        -far[0].min(far[1]).min(far[2])
                    }
                    None => norm3(a.map(|a| a.max(0.0))),
                }
            }
            GeomType::Capsule => {
                norm3([x[0], x[1], x[2] - clip(x[2], -size[1], size[1])]) - size[0]
            }
            GeomType::Ellipsoid => {
                let [k0, k1] = ellipsoid_norms(x, size);
                k0 * (k0 - 1.0) / k1
            }
            _ => {
                let a = [
                    (x[0] * x[0] + x[1] * x[1]).sqrt() - size[0],
                    x[2].abs() - size[1],
                ];
                let b = a.map(|a| a.max(0.0));
                a[0].max(a[1]).min(0.0) + (b[0] * b[0] + b[1] * b[1]).sqrt()
            }
        }
    }

    /// Slope of the distance.
    pub fn gradient(&self, x: [f64; 3]) -> [f64; 3] {
        let (kind, size) = match *self {
            Form::Plugin(kind, prm) => return sdf::gradient(kind, &prm, x),
            Form::Mesh(octree) => return octree.gradient(x),
            Form::Own(own) => return own.gradient(x),
            Form::Geom(kind, size) => (kind, size),
        };
        match kind {
            GeomType::Plane => [0.0, 0.0, 1.0],
            GeomType::Sphere => scl3(x, 1.0 / norm3(x)),
            GeomType::Box => box_gradient(x, size),
            GeomType::Capsule => {
                let a = [x[0], x[1], x[2] - clip(x[2], -size[1], size[1])];
                let c = norm3(a);
                a.map(|a| a / c)
            }
            GeomType::Ellipsoid => ellipsoid_gradient(x, size),
            _ => cylinder_gradient(x, size),
        }
    }
}

// Direction out of a box from a point inside: all sides count, a nearer side more, relative to the box's size.
fn way_out(x: [f64; 3], size: [f64; 3]) -> Option<[f64; 3]> {
    let a = [0, 1, 2].map(|k| x[k].abs() - size[k]);
    let pull = [0, 1, 2].map(|k| size[k] / a[k].abs() * x[k].signum());
    a.iter().all(|a| *a < 0.0).then(|| normalize3(pull).0)
}

fn box_gradient(x: [f64; 3], size: [f64; 3]) -> [f64; 3] {
    let a = [0, 1, 2].map(|k| x[k].abs() - size[k]);
    if let Some(way) = way_out(x, size) {
        return way;
    }
    let mut out = [0.0; 3];
    // on an edge or at a corner, away from all sides there
    let on = [0, 1, 2].map(|k| if a[k] == 0.0 { x[k].signum() } else { 0.0 });
    if a.iter().all(|a| *a <= 0.0) {
        return normalize3(on).0;
    }
    let b = a.map(|a| a.max(0.0));
    let c = norm3(b);
    for k in 0..3 {
        if a[k] > 0.0 {
            out[k] = b[k] / c * x[k] / x[k].abs();
        }
    }
    out
}

// norm of a point divided by the semiaxes, and by their squares
fn ellipsoid_norms(x: [f64; 3], size: [f64; 3]) -> [f64; 2] {
    let a = [0, 1, 2].map(|k| x[k] / size[k]);
    [norm3(a), norm3([0, 1, 2].map(|k| a[k] / size[k]))]
}

fn ellipsoid_gradient(x: [f64; 3], size: [f64; 3]) -> [f64; 3] {
    let [k0, k1] = ellipsoid_norms(x, size);
    let b = [0, 1, 2].map(|k| x[k] / size[k] / size[k]);
    let (inv0, inv1) = (1.0 / k0, 1.0 / k1);
    let first = b.map(|b| b * inv0);
    let second = [0, 1, 2].map(|k| b[k] * inv1 / (size[k] * size[k]));
    let by0 = (2.0 * k0 - 1.0) * inv1;
    let by1 = k0 * (k0 - 1.0) * inv1 * inv1;
    normalize3([0, 1, 2].map(|k| first[k] * by0 - second[k] * by1)).0
}

fn cylinder_gradient(x: [f64; 3], size: [f64; 3]) -> [f64; 3] {
    const LEAST: f64 = 1.0 / MAXVAL;
    let c = (x[0] * x[0] + x[1] * x[1]).sqrt();
    let e = x[2].abs();
    let a = [c - size[0], e - size[1]];
    let out = [
        x[0] / c.max(LEAST),
        x[1] / c.max(LEAST),
        x[2] / e.max(LEAST),
    ];
    let j = if a[0] > a[1] { 0 } else { 1 };
    if a[j] < 0.0 {
        return match j {
            0 => [out[0], out[1], 0.0],
            _ => [0.0, 0.0, out[2]],
        };
    }
    let b = a.map(|a| a.max(0.0));
    let norm = (b[0] * b[0] + b[1] * b[1]).sqrt().max(LEAST);
    [
        out[0] * b[0] / norm,
        out[1] * b[0] / norm,
        out[2] * b[1] / norm,
    ]
}

// objective of the descent, or function whose gradient is the normal
#[derive(Clone, Copy)]
enum Objective {
    // sum of both distances and of the absolute value of the larger one
    Collision,
    // the larger of both distances
    Intersection,
}

// two solids, in the frame of the first
struct Both<'a> {
    forms: [Form<'a>; 2],
    other: Map,
}

impl Both<'_> {
    fn distances(&self, x: [f64; 3]) -> [f64; 2] {
        let y = self.other.point(x);
        [self.forms[0].distance(x), self.forms[1].distance(y)]
    }

    fn gradients(&self, x: [f64; 3]) -> [[f64; 3]; 2] {
        let y = self.other.point(x);
        let second = self.other.back(self.forms[1].gradient(y));
        [self.forms[0].gradient(x), second]
    }

    fn value(&self, what: Objective, x: [f64; 3]) -> f64 {
        let [a, b] = self.distances(x);
        match what {
            Objective::Collision => a + b + a.max(b).abs(),
            Objective::Intersection => a.max(b),
        }
    }

    fn slope(&self, what: Objective, x: [f64; 3]) -> [f64; 3] {
        let [a, b] = self.distances(x);
        let gradients = self.gradients(x);
        let farther = if a > b { gradients[0] } else { gradients[1] };
        match what {
            Objective::Collision => {
                let sign = if a.max(b) > 0.0 { 1.0 } else { -1.0 };
                add_scl3(add3(gradients[0], gradients[1]), farther, sign)
            }
            Objective::Intersection => farther,
        }
    }

    // contact normal: normal of the surface of equal distance to both
    fn normal(&self, x: [f64; 3]) -> [f64; 3] {
        let [first, second] = self.gradients(x).map(|g| normalize3(g).0);
        normalize3(sub3(first, second)).0
    }

    // gradient descent from a point; returns the objective reached
    fn descend(&self, what: Objective, x: &mut [f64; 3], steps: i32) -> f64 {
        const SHARE: f64 = 0.1;
        const SHRINK: f64 = 0.5;
        const LEAST: f64 = 1e-4;
        let mut dist = MAXVAL;
        for _ in 0..steps {
            let slope = self.slope(what, *x);
            if slope.iter().any(|g| !(-MAXVAL..=MAXVAL).contains(g)) {
                return MAXVAL;
            }
            let (from, before) = (*x, self.value(what, *x));
            let mut alpha = 2.0;
            let mut wanted = -SHARE * alpha * dot3(slope, slope);
            loop {
                alpha *= SHRINK;
                wanted *= SHRINK;
                *x = add_scl3(from, slope, -alpha);
                dist = self.value(what, *x);
                if !(alpha > LEAST && dist - before > wanted) {
                    break;
                }
            }
            // no improvement: the point stays
            if before < dist {
                *x = from;
                return before;
            }
        }
        dist
    }
}

// the box in which both solids lie, in the frame of the first geom: smallest corner, then largest; none if they are apart
fn common_box(first: &Field, second: &Field) -> Option<[[f64; 3]; 2]> {
    let map = Map::between(second.pose(), first.pose());
    let corners = |aabb: [f64; 6]| {
        (0..8).map(move |i| {
            std::array::from_fn(|k| match i >> k & 1 {
                1 => aabb[k] + aabb[k + 3],
                _ => aabb[k] - aabb[k + 3],
            })
        })
    };
    let hull = |points: &mut dyn Iterator<Item = [f64; 3]>| {
        let mut out = [[MAXVAL; 3], [-MAXVAL; 3]];
        for p in points {
            for (k, x) in p.into_iter().enumerate() {
                out[0][k] = out[0][k].min(x);
                out[1][k] = out[1][k].max(x);
            }
        }
        out
    };
    let a = hull(&mut corners(first.aabb));
    let b = hull(&mut corners(second.aabb).map(|v| map.point(v)));
    let low = [0, 1, 2].map(|k| a[0][k].max(b[0][k]));
    let high = [0, 1, 2].map(|k| a[1][k].min(b[1][k]));
    (0..3).all(|k| high[k] >= low[k]).then_some([low, high])
}

/// A number of a sequence that fills the unit interval evenly (`mju_Halton`).
pub fn halton(index: i32, base: i32) -> f64 {
    let (mut left, mut share, mut sum) = (index, 1.0 / f64::from(base), 0.0);
    while left > 0 {
        let rest = left / base;
        sum += share * f64::from(left - rest * base);
        share /= f64::from(base);
        left = rest;
    }
    sum
}

/// Contacts of two solids, of which the second is a signed distance field.
pub fn sdf_sdf(first: &Field, second: &Field, descent: Descent, out: &mut Contacts) {
    let Some([low, high]) = common_box(first, second) else {
        return;
    };
    let (frame1, frame2) = (first.frame(), second.frame());
    let to_frame1 = Map::between(first.pose(), frame1);
    let to_frame2 = Map::between(frame1, frame2);
    let both = Both {
        forms: [second.form, first.form],
        other: Map::between(frame2, frame1),
    };
    let mut known: Vec<[f64; 3]> = Vec::new();
    for i in 0..descent.points {
        let spread = [2, 3, 5].map(|base| halton(i, base));
        let start = [0, 1, 2].map(|k| low[k] + (high[k] - low[k]) * spread[k]);
        let mut x = to_frame2.point(to_frame1.point(start));
        both.descend(Objective::Collision, &mut x, descent.iterations);

        // one more step rejects false contacts, which a field that is no true distance gives
        let dist = both.descend(Objective::Intersection, &mut x, 1);
        if dist > 0.0 || known.iter().any(|p| norm3(sub3(x, *p)) < MINVAL) || out.num == MAXCONPAIR
        {
            continue;
        }
        known.push(x);
        let normal = rot_vec_quat(scl3(both.normal(x), -1.0), frame2.1);
        let pos = add3(rot_vec_quat(x, frame2.1), frame2.0);
        let midway = add_scl3(pos, normalize3(normal).0, dist / 2.0);
        out.add(dist, midway, normal);
    }
}
