//! Where faces meet: the face or edge of one solid is cut to the face of the other, and every corner left is a contact.

use super::gjk::Vertex;
use super::support::Solid;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Sides of a polygon; of one that has more, only so many corners, evenly taken.
pub const MAXSIDE: usize = 128;
/// Faces or edges at a vertex that are looked at.
pub const MAXDEGREE: usize = 64;
/// Cosine of the angle up to which two faces lie in each other.
const FACE: f64 = 0.996;
/// Sine of the angle up to which an edge lies in a face.
const EDGE: f64 = 0.0888;
/// Sides of the polygon that stands for the cap of a cylinder.
const CAP: usize = 16;

type Vec3 = [f64; 3];

/// A polygon, its corners in order.
pub struct Polygon {
    pub corner: [Vec3; 2 * MAXSIDE],
    pub num: usize,
}

impl Polygon {
    pub fn new() -> Self {
        Self {
            corner: [[0.0; 3]; 2 * MAXSIDE],
            num: 0,
        }
    }

    pub fn push(&mut self, point: Vec3) {
        if self.num < 2 * MAXSIDE {
            self.corner[self.num] = point;
            self.num += 1;
        }
    }
}

/// Unit vectors at a vertex: normals of faces with their ids, or edges with their far ends.
pub struct Fan {
    dir: [Vec3; MAXDEGREE],
    id: [i32; MAXDEGREE],
    end: [Vec3; MAXDEGREE],
    num: usize,
}

impl Fan {
    fn new() -> Self {
        Self {
            dir: [[0.0; 3]; MAXDEGREE],
            id: [0; MAXDEGREE],
            end: [[0.0; 3]; MAXDEGREE],
            num: 0,
        }
    }

    fn push(&mut self, dir: Vec3, id: i32, end: Vec3) {
        if self.num < MAXDEGREE {
            self.dir[self.num] = dir;
            self.id[self.num] = id;
            self.end[self.num] = end;
            self.num += 1;
        }
    }
}

/// One solid's part of the nearest face of the polytope: a vertex, an edge or a face of it.
pub struct Part<'a> {
    solid: &'a Solid<'a>,
    id: [i32; 3],
    point: [Vec3; 3],
    /// Number of different vertices.
    pub num: usize,
}

impl<'a> Part<'a> {
    pub fn new(solid: &'a Solid<'a>, corner: [Vertex; 3], first: bool) -> Self {
        let mut id = corner.map(|v| if first { v.id1 } else { v.id2 });
        let mut point = corner.map(|v| if first { v.on1 } else { v.on2 });
        let num = if id[0] == id[1] && id[0] == id[2] {
            1
        } else if id[0] == id[1] {
            id[1] = id[2];
            point[1] = point[2];
            2
        } else if id[2] == id[0] || id[2] == id[1] {
            2
        } else {
            3
        };
        Self {
            solid,
            id,
            point,
            num,
        }
    }

    fn turned(&self, local: Vec3) -> Vec3 {
        mul_mat_vec3(self.solid.shape.mat, local)
    }

    fn placed(&self, local: Vec3) -> Vec3 {
        add3(self.turned(local), self.solid.shape.pos)
    }

    // outward normals of the faces that the part is of; `dir` is where the other solid is
    fn normals(&self, dir: Vec3) -> Fan {
        let mut fan = Fan::new();
        match self.solid.kind {
            GeomType::Box => self.box_normals(dir, &mut fan),
            GeomType::Mesh => self.mesh_normals(&mut fan),
            GeomType::Cylinder if self.num == 1 => {
                let up = if self.id[0] != 0 { -1.0 } else { 1.0 };
                fan.push(self.turned([0.0, 0.0, up]), self.id[0], [0.0; 3]);
            }
            _ => {}
        }
        fan
    }

    fn box_normals(&self, dir: Vec3, fan: &mut Fan) {
        // sides that all corners are on
        for axis in 0..3 {
            let high = |k: usize| self.id[k] & (1 << axis) != 0;
            let side = match (0..self.num).filter(|&k| high(k)).count() {
                n if n == self.num => 0,
                0 => 1,
                _ => continue,
            };
            self.push_side(axis, side, fan);
        }

        // corners that are not of one face or edge: the side that the other solid is at, if it is
        if fan.num == 4 - self.num {
            return;
        }
        fan.num = 0;
        let (local, _) = normalize3(mul_mat_t_vec3(self.solid.shape.mat, dir));
        for axis in 0..3 {
            if local[axis].abs() > FACE {
                self.push_side(axis, usize::from(local[axis] < 0.0), fan);
                return;
            }
        }
    }

    fn push_side(&self, axis: usize, side: usize, fan: &mut Fan) {
        let mut local = [0.0; 3];
        local[axis] = if side == 0 { 1.0 } else { -1.0 };
        fan.push(self.turned(local), (2 * axis + side) as i32, [0.0; 3]);
    }

    // polygons of a vertex of the mesh
    fn around(&self, vertex: i32) -> &[i32] {
        let m = self.solid.m;
        let k = (m.mesh_vertadr[self.solid.mesh] + vertex) as usize;
        let adr = m.mesh_polymapadr[k] as usize;
        &m.mesh_polymap[adr..adr + m.mesh_polymapnum[k] as usize]
    }

    fn mesh_normals(&self, fan: &mut Fan) {
        let m = self.solid.m;
        let most = [0, MAXDEGREE, 2, 1][self.num];
        let shared =
            |polygon: &i32| (1..self.num).all(|k| self.around(self.id[k]).contains(polygon));
        for &polygon in self
            .around(self.id[0])
            .iter()
            .filter(|p| shared(p))
            .take(most)
        {
            let k = m.mesh_polyadr[self.solid.mesh] + polygon;
            fan.push(
                self.turned(m.mesh_polynormal[k as usize]),
                polygon,
                [0.0; 3],
            );
        }
    }

    // edges that the part may be of
    fn edges(&self) -> Fan {
        let mut fan = Fan::new();
        let kind = self.solid.kind;
        let point = self.point[0];
        if kind == GeomType::Cylinder && self.num < 3 {
            // the line along the side
            let size = self.solid.shape.size;
            let up = if self.id[0] != 0 { 1.0 } else { -1.0 };
            let dir = self.turned([0.0, 0.0, up]);
            fan.push(dir, 0, add_scl3(point, dir, 2.0 * size[1]));
        } else if self.num == 2 {
            let (dir, _) = normalize3(sub3(self.point[1], point));
            fan.push(dir, 0, self.point[1]);
        } else if self.num == 1 && kind == GeomType::Box {
            for axis in 0..3 {
                let size = self.solid.shape.size;
                let across = 1 << axis;
                let end = self.id[0] ^ across;
                let side = |k: usize| {
                    if end & (1 << k) != 0 {
                        size[k]
                    } else {
                        -size[k]
                    }
                };
                self.push_edge(self.placed([side(0), side(1), side(2)]), &mut fan);
            }
        } else if self.num == 1 && kind == GeomType::Mesh {
            for &polygon in self.around(self.id[0]) {
                let corner = self.mesh_polygon(polygon);
                let at = corner.iter().position(|&v| v == self.id[0]);
                if let Some(at) = at {
                    let end = corner[(at + corner.len() - 1) % corner.len()];
                    self.push_edge(self.placed(self.solid.mesh_vertex(end)), &mut fan);
                }
            }
        }
        fan
    }

    fn push_edge(&self, end: Vec3, fan: &mut Fan) {
        let (dir, _) = normalize3(sub3(end, self.point[0]));
        fan.push(dir, 0, end);
    }

    fn mesh_polygon(&self, polygon: i32) -> &[i32] {
        let m = self.solid.m;
        let k = (m.mesh_polyadr[self.solid.mesh] + polygon) as usize;
        let adr = m.mesh_polyvertadr[k] as usize;
        &m.mesh_polyvert[adr..adr + m.mesh_polyvertnum[k] as usize]
    }

    // the face of a normal, its corners clockwise seen from outside
    fn face(&self, id: i32, out: &mut Polygon) {
        out.num = 0;
        let size = self.solid.shape.size;
        match self.solid.kind {
            GeomType::Box => {
                let (axis, up) = (id as usize / 2, id % 2 == 0);
                for local in box_face(size, axis, up) {
                    out.push(self.placed(local));
                }
            }
            GeomType::Cylinder => {
                let up = if id != 0 { -1.0 } else { 1.0 };
                for i in 0..CAP {
                    let (sin, cos) = (i as f64 * std::f64::consts::TAU / CAP as f64).sin_cos();
                    let local = [cos * size[0], -sin * size[0] * up, up * size[1]];
                    out.push(self.placed(local));
                }
            }
            _ => {
                let corner = self.mesh_polygon(id);
                let step = corner.len().div_ceil(MAXSIDE).max(1);
                for &vertex in corner.iter().rev().step_by(step) {
                    out.push(self.placed(self.solid.mesh_vertex(vertex)));
                }
            }
        }
    }
}

fn box_face(size: Vec3, axis: usize, up: bool) -> [Vec3; 4] {
    let [x, y, z] = size;
    match (axis, up) {
        (0, true) => [[x, y, z], [x, y, -z], [x, -y, -z], [x, -y, z]],
        (0, false) => [[-x, y, -z], [-x, y, z], [-x, -y, z], [-x, -y, -z]],
        (1, true) => [[-x, y, -z], [x, y, -z], [x, y, z], [-x, y, z]],
        (1, false) => [[-x, -y, z], [x, -y, z], [x, -y, -z], [-x, -y, -z]],
        (_, true) => [[-x, y, z], [x, y, z], [x, -y, z], [-x, -y, z]],
        (_, false) => [[x, y, -z], [-x, y, -z], [-x, -y, -z], [x, -y, -z]],
    }
}

/// What meets: the face that cuts, what is cut, and whether the first solid's is the one that is cut.
pub struct Meeting {
    pub face: Polygon,
    pub normal: Vec3,
    pub other: Polygon,
    /// Outward normal of `other`; of an edge, the reverse of `normal`.
    pub dir: Vec3,
    pub turned: bool,
}

/// Finds the faces, or face and edge, in which two solids meet (`multicontact`). `points` are the deepest ones.
pub fn meeting(part1: &Part, part2: &Part, points: [Vec3; 2]) -> Option<Meeting> {
    let dir = sub3(points[1], points[0]);
    let back = scl3(dir, -1.0);
    let normals1 = part1.normals(back);
    let normals2 = part2.normals(dir);
    let mut face = Polygon::new();
    let mut other = Polygon::new();

    // face and face
    for i in 0..normals1.num {
        for j in 0..normals2.num {
            if dot3(normals1.dir[i], normals2.dir[j]) < -FACE {
                part1.face(normals1.id[i], &mut face);
                part2.face(normals2.id[j], &mut other);
                return Some(Meeting {
                    face,
                    normal: normals1.dir[i],
                    other,
                    dir: normals2.dir[j],
                    turned: false,
                });
            }
        }
    }

    // edge of the first and face of the second, or the reverse
    let turned = part1.num < 3 && part1.num <= part2.num;
    if !turned && part2.num >= 3 {
        return None;
    }
    let (edged, faced, normals, dir) = match turned {
        true => (part1, part2, normals2, dir),
        false => (part2, part1, normals1, back),
    };
    let edges = edged.edges();
    for i in 0..normals.num {
        if dot3(normals.dir[i], dir) <= MINVAL {
            continue;
        }
        for j in 0..edges.num {
            if dot3(edges.dir[j], normals.dir[i]).abs() < EDGE {
                faced.face(normals.id[i], &mut face);
                other.push(edged.point[0]);
                other.push(edges.end[j]);
                return Some(Meeting {
                    face,
                    normal: normals.dir[i],
                    other,
                    dir: scl3(normals.dir[i], -1.0),
                    turned,
                });
            }
        }
    }
    None
}
