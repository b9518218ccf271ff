//! Contacts of faces: the face or edge of one solid is clipped to the face of the other, and every corner left is a contact.

use super::gjk::Vertex;
use super::support::Solid;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Cosine of the angle up to which two faces count as parallel.
const FACE: f64 = 0.996;
/// Sine of the angle up to which an edge counts as parallel to a face.
const EDGE: f64 = 0.0888;
/// Sides of the polygon that approximates the cap of a cylinder.
const CAP: usize = 16;
/// Cosines and sines of the polygon's corners in the first quarter. MuJoCo has them to 15 digits: what is left out decides which of
/// several quadrilaterals of equal area is the largest.
#[expect(clippy::approx_constant, reason = "as many digits as MuJoCo has")]
const QUARTER: [[f64; 2]; CAP / 4] = [
    [1.0, 0.0],
    [0.923879532511287, 0.38268343236509],
    [0.707106781186548, 0.707106781186547],
    [0.38268343236509, 0.923879532511287],
];

type Vec3 = [f64; 3];

/// The corners of a polygon in order.
pub type Polygon = Vec<Vec3>;

/// Outward normal of a face that contains a part, and the number of that face.
struct Facing {
    dir: Vec3,
    face: i32,
}

/// An edge that may contain a part: its ends and its unit direction.
struct Edge {
    from: Vec3,
    to: Vec3,
    dir: Vec3,
}

impl Edge {
    fn new(from: Vec3, to: Vec3) -> Self {
        let (dir, _) = normalize3(sub3(to, from));
        Self { from, to, dir }
    }
}

/// Part of a solid in the nearest face of the polytope: a vertex, an edge or a face of the solid.
pub struct Part<'a> {
    solid: &'a Solid<'a>,
    id: [i32; 3],
    point: [Vec3; 3],
    deepest: Vec3,
    /// Number of distinct vertices.
    pub num: usize,
}

impl<'a> Part<'a> {
    /// The part of the first or second solid in three vertices; `bare` if they were found without margins. `deepest` is the
    /// solid's witness point, with the margin.
    pub fn new(
        solid: &'a Solid<'a>,
        corner: [Vertex; 3],
        bare: bool,
        deepest: Vec3,
        first: bool,
    ) -> Self {
        let mut id = corner.map(|v| if first { v.id1 } else { v.id2 });
        let margin = if bare { 0.0 } else { solid.margin };
        let mut point = corner.map(|v| match first {
            true => add_scl3(v.on1, v.dir, -0.5 * margin),
            false => add_scl3(v.on2, v.dir, 0.5 * margin),
        });
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
            deepest,
            num,
        }
    }

    fn turned(&self, local: Vec3) -> Vec3 {
        mul_mat_vec3(self.solid.shape.mat, local)
    }

    fn placed(&self, local: Vec3) -> Vec3 {
        add3(self.turned(local), self.solid.shape.pos)
    }

    // outward normals of the faces that contain the part; `dir` points to the other solid
    fn normals(&self, dir: Vec3) -> Vec<Facing> {
        match self.solid.kind {
            GeomType::Box => self.box_normals(dir),
            GeomType::Mesh => self.mesh_normals(),
            GeomType::Cylinder if self.num == 1 => {
                let up = if self.id[0] != 0 { -1.0 } else { 1.0 };
                vec![Facing {
                    dir: self.turned([0.0, 0.0, up]),
                    face: self.id[0],
                }]
            }
            _ => Vec::new(),
        }
    }

    fn box_normals(&self, dir: Vec3) -> Vec<Facing> {
        // sides that contain all corners
        let mut out = Vec::new();
        for axis in 0..3 {
            let high = |k: usize| self.id[k] & (1 << axis) != 0;
            let side = match (0..self.num).filter(|&k| high(k)).count() {
                n if n == self.num => 0,
                0 => 1,
                _ => continue,
            };
            out.push(self.side(axis, side));
        }

        // corners without a common face or edge: the side whose normal is along `dir`, if there is one
        if out.len() == 4 - self.num {
            return out;
        }
        let (local, _) = normalize3(mul_mat_t_vec3(self.solid.shape.mat, dir));
        let at = (0..3).find(|&axis| local[axis].abs() > FACE);
        at.map(|axis| self.side(axis, usize::from(local[axis] < 0.0)))
            .into_iter()
            .collect()
    }

    fn side(&self, axis: usize, side: usize) -> Facing {
        let mut local = [0.0; 3];
        local[axis] = if side == 0 { 1.0 } else { -1.0 };
        Facing {
            dir: self.turned(local),
            face: (2 * axis + side) as i32,
        }
    }

    // polygons that contain all vertices; of two vertices the first two polygons count, as in MuJoCo, even if they share more
    fn mesh_normals(&self) -> Vec<Facing> {
        let [most, least] = [[0, 0], [usize::MAX; 2], [2, 2], [2, 1]][self.num];
        let holds = |k: usize, polygon: &i32| {
            k >= self.num || self.solid.around(self.id[k]).contains(polygon)
        };
        let facing = |&face: &i32| Facing {
            dir: self.turned(self.solid.polygon_normal(face)),
            face,
        };
        let polygons = self.solid.around(self.id[0]).iter();
        let both = polygons.filter(|polygon| holds(1, polygon)).take(most);
        let all = both.filter(|polygon| holds(2, polygon)).take(least);
        all.map(facing).collect()
    }

    // edges that may contain the part; `out` points to the face in which they may lie
    fn edges(&self, out: Vec3) -> Vec<Edge> {
        let shape = &self.solid.shape;
        let from = self.point[0];
        match (self.solid.kind, self.num) {
            (GeomType::Capsule, _) => {
                // the line along the side through the witness point, from bottom to top
                let axis = shape.axis();
                let along = dot3(sub3(self.deepest, shape.pos), axis);
                let bare = -0.5 * self.solid.margin;
                let end = |z: f64| add_scl3(add_scl3(self.deepest, axis, z - along), out, bare);
                let [from, to] = [-shape.size[1], shape.size[1]].map(end);
                let dir = axis;
                vec![Edge { from, to, dir }]
            }
            (_, 3) => Vec::new(),
            (GeomType::Cylinder, _) => {
                // the line along the side
                let up = if self.id[0] != 0 { 1.0 } else { -1.0 };
                let dir = self.turned([0.0, 0.0, up]);
                let to = add_scl3(from, dir, 2.0 * shape.size[1]);
                vec![Edge { from, to, dir }]
            }
            (_, 2) => vec![Edge::new(from, self.point[1])],
            (GeomType::Box, _) => (0..3)
                .map(|axis| Edge::new(from, self.box_corner(self.id[0] ^ (1 << axis))))
                .collect(),
            _ => self.mesh_edges(from),
        }
    }

    fn box_corner(&self, id: i32) -> Vec3 {
        let size = self.solid.shape.size;
        self.placed(std::array::from_fn(|k| match id & (1 << k) {
            0 => -size[k],
            _ => size[k],
        }))
    }

    // edges from a vertex to the corner before it in every polygon that contains it
    fn mesh_edges(&self, from: Vec3) -> Vec<Edge> {
        let mut out = Vec::new();
        for &polygon in self.solid.around(self.id[0]) {
            let corner = self.solid.polygon(polygon);
            if let Some(at) = corner.iter().position(|&v| v == self.id[0]) {
                let end = corner[(at + corner.len() - 1) % corner.len()];
                out.push(Edge::new(from, self.placed(self.solid.mesh_vertex(end))));
            }
        }
        out
    }

    // the corners of a face, clockwise seen from outside
    fn face(&self, id: i32) -> Polygon {
        let size = self.solid.shape.size;
        match self.solid.kind {
            GeomType::Box => {
                let (axis, up) = (id as usize / 2, id % 2 == 0);
                let corners = box_face(size, axis, up);
                corners.map(|local| self.placed(local)).to_vec()
            }
            GeomType::Cylinder => {
                let up = if id != 0 { -1.0 } else { 1.0 };
                let corner = |i: usize| {
                    let [x, y] = QUARTER[i % 4];
                    let [cos, sin] = [[x, y], [-y, x], [-x, -y], [y, -x]][i / 4];
                    self.placed([cos * size[0], -sin * size[0] * up, up * size[1]])
                };
                (0..CAP).map(corner).collect()
            }
            _ => {
                let corners = self.solid.polygon(id).iter().rev();
                corners
                    .map(|&vertex| self.placed(self.solid.mesh_vertex(vertex)))
                    .collect()
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

/// Two features that meet: the reference face, and the face or edge `other` that is clipped to it; `turned` if `other` belongs to
/// the first solid.
pub struct Meeting {
    pub face: Polygon,
    pub normal: Vec3,
    pub other: Polygon,
    /// Outward normal of `other`; of an edge, the reverse of `normal`.
    pub dir: Vec3,
    pub turned: bool,
}

impl Meeting {
    /// Height of a point above the face.
    pub fn height(&self, point: Vec3) -> f64 {
        dot3(sub3(point, self.face[0]), self.normal)
    }
}

/// Finds the faces, or face and edge, in which two solids meet (`mjc_multicontact`). `toward` points from the first to the second.
pub fn meeting(part1: &Part, part2: &Part, toward: Vec3) -> Option<Meeting> {
    let back = scl3(toward, -1.0);
    let normals1 = part1.normals(toward);
    let normals2 = part2.normals(back);

    // face and face: the most opposed pair
    let mut least = -FACE;
    let mut opposed = None;
    for facing1 in &normals1 {
        for facing2 in &normals2 {
            let cosine = dot3(facing1.dir, facing2.dir);
            if cosine < least {
                least = cosine;
                opposed = Some((facing1, facing2));
            }
        }
    }
    if let Some((facing1, facing2)) = opposed {
        return Some(Meeting {
            face: part1.face(facing1.face),
            normal: facing1.dir,
            other: part2.face(facing2.face),
            dir: facing2.dir,
            turned: false,
        });
    }

    // edge of the first and face of the second, or the reverse
    edge_on_face(part1, part2, &normals2, back, true)
        .or_else(|| edge_on_face(part2, part1, &normals1, toward, false))
}

/// Feature of a solid that meets a plane through `foot`: the face most opposed to the normal, even if it is tilted, or an edge
/// that lies in the plane.
pub fn resting(part: &Part, normal: Vec3, foot: Vec3) -> Option<Meeting> {
    let back = scl3(normal, -1.0);
    let mut least = -EDGE;
    let mut towards = None;
    for facing in part.normals(back) {
        let cosine = dot3(facing.dir, normal);
        if cosine < least {
            least = cosine;
            towards = Some(facing);
        }
    }
    let other = match towards {
        Some(facing) => part.face(facing.face),
        None => {
            let edges = part.edges(back);
            let edge = edges
                .iter()
                .find(|edge| dot3(edge.dir, normal).abs() < EDGE)?;
            vec![edge.from, edge.to]
        }
    };
    Some(Meeting {
        face: vec![foot],
        normal,
        other,
        dir: back,
        turned: false,
    })
}

fn edge_on_face(
    edged: &Part,
    faced: &Part,
    normals: &[Facing],
    out: Vec3,
    turned: bool,
) -> Option<Meeting> {
    for facing in normals.iter().filter(|f| dot3(f.dir, out) > MINVAL) {
        let back = scl3(facing.dir, -1.0);
        let edges = edged.edges(back);
        let lies = |edge: &&Edge| dot3(edge.dir, facing.dir).abs() < EDGE;
        if let Some(edge) = edges.iter().find(lies) {
            return Some(Meeting {
                face: faced.face(facing.face),
                normal: facing.dir,
                other: vec![edge.from, edge.to],
                dir: back,
                turned,
            });
        }
    }
    None
}
