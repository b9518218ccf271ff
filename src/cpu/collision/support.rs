//! Convex solids for the convex collider: a center and the support function.

use super::hull::Hull;
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::types::*;

/// Minimum number of vertices of a mesh for hill climbing along the edges of its hull (`mjMESH_HILLCLIMB_MIN`).
const CLIMB: i32 = 10;
/// Component of a direction beyond which it counts as positive or negative, in the table of a mesh's extreme vertices.
pub const LEAN: f64 = 0.4;

/// A convex solid at its pose (`mjCCDObj`).
#[derive(Clone, Copy)]
pub struct Solid<'a> {
    pub m: &'a Model,
    /// Geom type; `Hfield` stands for one prism of a height field, `None` for an element of a flex.
    pub kind: GeomType,
    pub shape: Shape,
    /// Mesh of the geom, if it is one.
    pub mesh: usize,
    /// Its hull, if it is climbed by rings of neighbors.
    pub hull: Option<&'a Hull>,
    /// Corners of the prism: three below, three above. Or corners of the element, the last one repeated.
    pub prism: [[f64; 3]; 6],
    /// Inflation of both solids together, half of it for each (m).
    pub margin: f64,
    /// True if a sphere is reduced to its center and a capsule to its segment.
    pub bare: bool,
    /// Number of the corner, cap or vertex that was the last support point; -1: none.
    pub vertex: i32,
    /// Vertex at which the last climb ended; -1: no climb yet.
    pub climbed: i32,
}

impl<'a> Solid<'a> {
    pub fn new(m: &'a Model, geom: usize, shape: Shape, margin: f64) -> Self {
        let kind = match GeomType::from_i32(m.geom_type[geom]) {
            // a signed distance field collides by its mesh
            Some(GeomType::Sdf) => GeomType::Mesh,
            kind => kind.unwrap_or(GeomType::None),
        };
        let mesh = m.geom_dataid[geom].max(0) as usize;
        Self {
            m,
            kind,
            shape,
            mesh,
            hull: match kind {
                GeomType::Mesh => hull_of(m, mesh),
                _ => None,
            },
            prism: [[0.0; 3]; 6],
            margin,
            bare: false,
            vertex: -1,
            climbed: -1,
        }
    }

    /// A site at its pose.
    pub fn of_site(m: &'a Model, site: usize, shape: Shape) -> Self {
        let kind = GeomType::from_i32(m.site_type[site]).unwrap_or(GeomType::None);
        let mesh = m.site_dataid[site].max(0) as usize;
        let shape = match kind {
            // mesh vertices are given relative to the centre and along the principal axes
            GeomType::Mesh => {
                let turn = quat2mat(m.mesh_quat[mesh]);
                let axis = |k: usize| [turn[k], turn[3 + k], turn[6 + k]];
                let [x, y, z] = [0, 1, 2].map(|k| mul_mat_vec3(shape.mat, axis(k)));
                Shape {
                    pos: add3(shape.pos, mul_mat_vec3(shape.mat, m.mesh_pos[mesh])),
                    mat: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
                    ..shape
                }
            }
            _ => shape,
        };
        Self {
            shape,
            kind,
            ..Self::of_mesh(m, mesh)
        }
    }

    /// A mesh in its own frame.
    pub fn of_mesh(m: &'a Model, mesh: usize) -> Self {
        Self {
            m,
            kind: GeomType::Mesh,
            shape: Shape {
                pos: [0.0; 3],
                mat: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                size: [0.0; 3],
            },
            mesh,
            hull: hull_of(m, mesh),
            prism: [[0.0; 3]; 6],
            margin: 0.0,
            bare: false,
            vertex: -1,
            climbed: -1,
        }
    }

    /// An element of a flex: its corners, the center of its bounding box, and its radius (m).
    pub fn of_element(
        m: &'a Model,
        corner: [[f64; 3]; 4],
        center: [f64; 3],
        radius: f64,
        margin: f64,
    ) -> Self {
        let mut solid = Self::of_mesh(m, 0);
        solid.kind = GeomType::None;
        solid.hull = None;
        solid.shape.pos = center;
        solid.shape.size = [radius, 0.0, 0.0];
        solid.prism[..4].copy_from_slice(&corner);
        solid.margin = margin;
        solid
    }

    /// Forgets the last support point: the next climb begins as the first does.
    pub fn forget(&mut self) {
        (self.vertex, self.climbed) = (-1, -1);
    }

    /// Start point of the search (`mjc_center`).
    pub fn center(&self) -> [f64; 3] {
        if self.kind != GeomType::Hfield {
            return self.shape.pos;
        }
        let sum = self.prism.iter().fold([0.0; 3], |sum, &p| add3(sum, p));
        scl3(sum, 1.0 / 6.0)
    }

    /// True if it is a sphere or a capsule.
    pub fn is_round(&self) -> bool {
        self.kind == GeomType::Sphere || self.kind == GeomType::Capsule
    }

    /// True if it is an element of a flex.
    pub fn is_element(&self) -> bool {
        self.kind == GeomType::None
    }

    fn global(&self, local: [f64; 3]) -> [f64; 3] {
        add3(mul_mat_vec3(self.shape.mat, local), self.shape.pos)
    }

    /// Support point: farthest point in a unit direction, without the margin.
    pub fn support(&mut self, dir: [f64; 3]) -> [f64; 3] {
        if self.kind == GeomType::Hfield {
            return self.prism_support(dir);
        }
        let size = self.shape.size;
        let local = mul_mat_t_vec3(self.shape.mat, dir);
        let up = if local[2] >= 0.0 { 1.0 } else { -1.0 };
        let point = match self.kind {
            GeomType::Sphere if self.bare => [0.0; 3],
            GeomType::Sphere => return add_scl3(self.shape.pos, dir, size[0]),
            GeomType::Capsule => {
                self.vertex = i32::from(local[2] < 0.0);
                let end = [0.0, 0.0, up * size[1]];
                match self.bare {
                    true => end,
                    false => add3(scl3(local, size[0]), end),
                }
            }
            GeomType::Ellipsoid => ellipsoid(local, size),
            GeomType::Cylinder => {
                self.vertex = i32::from(local[2] < 0.0);
                let across = local[0] * local[0] + local[1] * local[1];
                let out = match across >= MINVAL * MINVAL {
                    true => size[0] / across.sqrt(),
                    false => 0.0,
                };
                [out * local[0], out * local[1], up * size[1]]
            }
            GeomType::Box => {
                let side = |k: usize| if local[k] >= 0.0 { size[k] } else { -size[k] };
                let corner = [side(0), side(1), side(2)];
                let bit = |k: usize| i32::from(corner[k] > 0.0) << k;
                self.vertex = bit(0) | bit(1) | bit(2);
                corner
            }
            GeomType::None => return self.element_support(dir),
            _ => self.mesh_support(local),
        };
        self.global(point)
    }

    /// A vertex of the mesh in its frame (m).
    pub fn mesh_vertex(&self, vertex: i32) -> [f64; 3] {
        let adr = self.m.mesh_vertadr[self.mesh] as usize;
        self.m.mesh_vert[adr + vertex as usize]
    }

    /// The polygons that contain a vertex.
    pub fn around(&self, vertex: i32) -> &'a [i32] {
        let m = self.m;
        let k = (m.mesh_vertadr[self.mesh] + vertex) as usize;
        let adr = m.mesh_polymapadr[k] as usize;
        &m.mesh_polymap[adr..adr + m.mesh_polymapnum[k] as usize]
    }

    /// The vertices of a polygon of the mesh's hull, counterclockwise seen from outside.
    pub fn polygon(&self, polygon: i32) -> &'a [i32] {
        let m = self.m;
        let k = (m.mesh_polyadr[self.mesh] + polygon) as usize;
        let adr = m.mesh_polyvertadr[k] as usize;
        &m.mesh_polyvert[adr..adr + m.mesh_polyvertnum[k] as usize]
    }

    /// Outward normal of a polygon in the mesh's frame.
    pub fn polygon_normal(&self, polygon: i32) -> [f64; 3] {
        self.m.mesh_polynormal[(self.m.mesh_polyadr[self.mesh] + polygon) as usize]
    }

    /// True if the mesh has a hull and enough vertices for hill climbing.
    pub fn climbs(&self) -> bool {
        climbs(self.m, self.mesh)
    }

    #[inline(always)]
    fn mesh_support(&mut self, local: [f64; 3]) -> [f64; 3] {
        if let Some(hull) = self.hull {
            return self.ended(hull, hull.climb(local, self.climbed));
        }
        self.vertex = match self.climbs() {
            true => self.climb(local),
            false => self.search(local),
        };
        self.mesh_vertex(self.vertex)
    }

    // the vertex at which a climb ended
    #[inline(always)]
    fn ended(&mut self, hull: &Hull, climbed: i32) -> [f64; 3] {
        self.climbed = climbed;
        let (vertex, place) = hull.vertex(climbed);
        self.vertex = vertex;
        place
    }

    // exhaustive search of all vertices; the last support vertex stays if no other is farther
    fn search(&self, local: [f64; 3]) -> i32 {
        let mut best = self.vertex.max(0);
        let mut most = dot3(local, self.mesh_vertex(best));
        for vertex in 0..self.m.mesh_vertnum[self.mesh] {
            let height = dot3(local, self.mesh_vertex(vertex));
            if height > most {
                most = height;
                best = vertex;
            }
        }
        best
    }

    // hill climbing along the edges of the hull, from the end of the last climb or from the extreme vertex of that direction
    pub fn climb(&mut self, local: [f64; 3]) -> i32 {
        let graph = &self.m.mesh_graph[self.m.mesh_graphadr[self.mesh] as usize..];
        let num = graph[0] as usize;
        let (edgeadr, rest) = graph[2..].split_at(num);
        let (vertex, edge) = rest.split_at(num);
        let height = |k: i32| dot3(local, self.mesh_vertex(vertex[k as usize]));

        // start vertex
        let lean = |x: f64| 1 + i32::from(x > LEAN) - i32::from(x < -LEAN);
        let cell = 9 * lean(local[0]) + 3 * lean(local[1]) + lean(local[2]);
        let mut best = self.m.mesh_extrema[27 * self.mesh + cell as usize];
        let mut most = height(best);
        if self.climbed >= 0 && most <= height(self.climbed) {
            best = self.climbed;
            most = height(best);
        }

        // on to the highest neighbor, until none is higher
        loop {
            let from = best;
            let mut k = edgeadr[from as usize] as usize;
            while edge[k] >= 0 {
                let there = height(edge[k]);
                if there > most {
                    most = there;
                    best = edge[k];
                }
                k += 1;
            }
            if best == from {
                break;
            }
        }
        self.climbed = best;
        vertex[best as usize]
    }

    // support point of an element: a corner, and its radius
    fn element_support(&self, dir: [f64; 3]) -> [f64; 3] {
        let mut best = self.prism[0];
        for corner in &self.prism[1..4] {
            if dot3(*corner, dir) > dot3(best, dir) {
                best = *corner;
            }
        }
        add_scl3(best, dir, self.shape.size[0])
    }

    // the prism is upright: the sign of z selects its lower or upper triangle
    fn prism_support(&self, dir: [f64; 3]) -> [f64; 3] {
        let start = if dir[2] < 0.0 { 0 } else { 3 };
        let mut best = start;
        for k in start + 1..start + 3 {
            if dot3(self.prism[k], dir) > dot3(self.prism[best], dir) {
                best = k;
            }
        }
        self.prism[best]
    }
}

/// Support points of two solids, of the second in the opposite of a unit direction.
pub fn support_both(first: &mut Solid, second: &mut Solid, dir: [f64; 3]) -> [[f64; 3]; 2] {
    let back = scl3(dir, -1.0);
    let (Some(hull1), Some(hull2)) = (first.hull, second.hull) else {
        return [first.support(dir), second.support(back)];
    };
    let local = [
        mul_mat_t_vec3(first.shape.mat, dir),
        mul_mat_t_vec3(second.shape.mat, back),
    ];
    let climbed = [first.climbed, second.climbed];
    let [climbed1, climbed2] = Hull::climb_both([hull1, hull2], local, climbed);
    let [place1, place2] = [first.ended(hull1, climbed1), second.ended(hull2, climbed2)];
    [first.global(place1), second.global(place2)]
}

fn climbs(m: &Model, mesh: usize) -> bool {
    m.mesh_graphadr[mesh] >= 0 && m.mesh_vertnum[mesh] >= CLIMB
}

fn hull_of(m: &Model, mesh: usize) -> Option<&Hull> {
    match mesh < m.nmesh && climbs(m, mesh) {
        true => m.hulls().of(m, mesh),
        false => None,
    }
}

// support point of an ellipsoid: that of the unit ball, scaled
fn ellipsoid(local: [f64; 3], size: [f64; 3]) -> [f64; 3] {
    let scaled = [local[0] * size[0], local[1] * size[1], local[2] * size[2]];
    let norm2 = dot3(scaled, scaled);
    if norm2 < MINVAL * MINVAL {
        return [size[0], 0.0, 0.0];
    }
    let inv = 1.0 / norm2.sqrt();
    [0, 1, 2].map(|k| scaled[k] * (inv * size[k]))
}
