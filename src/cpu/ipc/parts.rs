//! The parts of a world whose contacts the flag `ipc` resolves: vertices, edges and triangles of flexes of dim 2, and what does not move.

use super::near::is_wall;
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::types::*;

/// A dof that moves a vertex, and the vertex's velocity at a unit velocity of the dof.
pub type Move = (usize, [f64; 3]);

/// Vertices of flexes by their numbers, and corners and edges of geoms that do not move.
pub struct Parts {
    /// Flex of each vertex of a flex of dim 2; none of other flexes.
    pub flex: Vec<Option<usize>>,
    /// Radius of each vertex (m).
    pub radius: Vec<f64>,
    /// Mass of each vertex (kg); 0 where it does not move by itself nor rides a body that moves.
    pub mass: Vec<f64>,
    /// What moves each vertex.
    pub moves: Vec<Vec<Move>>,
    /// Position of each vertex at the start of the step.
    pub start: Vec<[f64; 3]>,
    /// True for the dofs of vertices that move by themselves.
    pub of_vertex: Vec<bool>,
    /// True for dofs whose motion contacts of flexes may hold up: those of vertices, and of trees that vertices ride.
    pub held_up: Vec<bool>,
    corner: Vec<(usize, [f64; 3])>,
    edge: Vec<(usize, [[f64; 3]; 2])>,
    // radius of the sphere or capsule of a geom, else 0
    round: Vec<f64>,
}

/// Whether a vertex's body is the vertex: it has three slide joints, and carries no other vertex.
fn moves_itself(m: &Arrays, carried: &[usize], v: usize) -> bool {
    let body = m.flex_vertbodyid[v] as usize;
    let adr = m.body_jntadr[body].max(0) as usize;
    m.body_jntnum[body] == 3
        && (adr..adr + 3).all(|j| m.jnt_type[j] == JointType::Slide)
        && carried[body] == 1
        && m.flex_vert[v] == [0.0; 3]
}

// number of vertices of each body
fn carried(m: &Arrays) -> Vec<usize> {
    let mut carried = vec![0; m.nbody];
    for body in m
        .flex_vertbodyid
        .iter()
        .filter_map(|b| usize::try_from(*b).ok())
    {
        carried[body] += 1;
    }
    carried
}

/// Vertices of flexes of dim 2, with their flexes.
fn vertices(m: &Arrays) -> impl Iterator<Item = (usize, usize)> + '_ {
    let flat = (0..m.nflex).filter(|&f| m.flex_dim[f] == 2);
    flat.flat_map(move |f| {
        let adr = m.flex_vertadr[f] as usize;
        (adr..adr + m.flex_vertnum[f] as usize).map(move |v| (f, v))
    })
}

// dofs of a body and its ancestors
fn chain(m: &Arrays, body: usize) -> impl Iterator<Item = usize> + '_ {
    let parent = |i: &usize| usize::try_from(m.dof_parentid[*i]).ok();
    std::iter::successors(usize::try_from(m.body_lastdof[body]).ok(), parent)
}

/// A vertex that MuJoCo's `ipc` does not take, with its flex: one that moves by itself in a frame that moves too, or one that is pinned to a
/// body which a joint turns.
pub fn refused(m: &Arrays) -> Option<(usize, &'static str)> {
    let carried = carried(m);
    vertices(m).find_map(|(f, v)| {
        let Ok(body) = usize::try_from(m.flex_vertbodyid[v]) else {
            return Some((f, "flexes of dim 2 between nodes"));
        };
        if moves_itself(m, &carried, v) {
            return (chain(m, body).count() > 3).then_some((
                f,
                "flexes of dim 2 with free vertices under a body that moves",
            ));
        }
        let slides = |i: usize| m.jnt_type[m.dof_jntid[i] as usize] == JointType::Slide;
        (!chain(m, body).all(slides))
            .then_some((f, "flexes of dim 2 that are pinned to a body which turns"))
    })
}

impl Parts {
    pub fn new(m: &Model, d: &Data) -> Self {
        let mut parts = Self {
            flex: vec![None; m.nflexvert],
            radius: vec![0.0; m.nflexvert],
            mass: vec![0.0; m.nflexvert],
            moves: vec![Vec::new(); m.nflexvert],
            start: d.flexvert_xpos.clone(),
            of_vertex: vec![false; m.nv],
            held_up: vec![false; m.nv],
            corner: Vec::new(),
            edge: Vec::new(),
            round: vec![0.0; m.ngeom],
        };
        parts.find_vertices(m, d);
        for geom in 0..m.ngeom {
            parts.find_features(m, d, geom);
        }
        parts
    }

    fn find_vertices(&mut self, m: &Model, d: &Data) {
        let own = &d.own;
        let carried = carried(m);
        let mut riding = vec![0; m.nbody];
        let mut rides = vec![false; m.ntree];
        for (f, v) in vertices(m) {
            self.flex[v] = Some(f);
            self.radius[v] = own.flex_radius(m, f);
            let body = m.flex_vertbodyid[v] as usize;
            if moves_itself(m, &carried, v) {
                let dof = m.body_dofadr[body] as usize;
                self.mass[v] = d.M[(m.M_rowadr[dof] + m.M_rownnz[dof] - 1) as usize];
                let mat = d.xmat[body];
                let column = |k: usize| [mat[k], mat[3 + k], mat[6 + k]];
                self.moves[v].extend((0..3).map(|k| (dof + k, column(k))));
                self.of_vertex[dof..dof + 3].fill(true);
                continue;
            }
            let axis = |i: usize| (i, d.xaxis[m.dof_jntid[i] as usize]);
            self.moves[v].extend(chain(m, body).map(axis));
            self.moves[v].reverse();
            if let Some(&(dof, _)) = self.moves[v].first() {
                riding[body] += 1;
                rides[m.dof_treeid[dof] as usize] = true;
            }
        }
        // vertices on a body that moves share the mass of what moves with it
        for (_, v) in vertices(m) {
            let body = m.flex_vertbodyid[v] as usize;
            if self.mass[v] == 0.0 && riding[body] > 0 {
                self.mass[v] = own.body_subtreemass(m, body) / f64::from(riding[body]);
            }
        }
        for (i, held_up) in self.held_up.iter_mut().enumerate() {
            *held_up = self.of_vertex[i] || rides[m.dof_treeid[i] as usize];
        }
    }

    // corners and edges of a geom that does not move
    fn find_features(&mut self, m: &Model, d: &Data, geom: usize) {
        use GeomType as T;
        let masks = m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
        if !masks || !is_wall(m, geom) {
            return;
        }
        let size = d.own.geom_size(m, geom);
        let place = |p: [f64; 3]| add3(d.geom_xpos[geom], mul_mat_vec3(d.geom_xmat[geom], p));
        match T::from_i32(m.geom_type[geom]) {
            Some(T::Sphere) => {
                self.round[geom] = size[0];
                self.corner.push((geom, place([0.0; 3])));
            }
            Some(T::Capsule) => {
                self.round[geom] = size[0];
                let ends = [-size[1], size[1]].map(|z| place([0.0, 0.0, z]));
                self.corner.extend(ends.map(|end| (geom, end)));
                self.edge.push((geom, ends));
            }
            Some(T::Box) => {
                let signs = |k: usize| [4, 2, 1].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 });
                let scaled = |s: [f64; 3]| place(std::array::from_fn(|k| s[k] * size[k]));
                let corners = (0..8).map(|k| (geom, scaled(signs(k))));
                self.corner.extend(corners);
                for axis in 0..3 {
                    for k in 0..4_usize {
                        let sides = [2, 1].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 });
                        let end = |at: f64| {
                            let mut s = [0.0; 3];
                            s[axis] = at;
                            (s[(axis + 1) % 3], s[(axis + 2) % 3]) = (sides[0], sides[1]);
                            scaled(s)
                        };
                        self.edge.push((geom, [end(-1.0), end(1.0)]));
                    }
                }
            }
            Some(T::Mesh) => self.find_mesh(m, geom, place),
            _ => {}
        }
    }

    // vertices of a mesh, and edges of its polygons, each from the lower to the higher vertex
    fn find_mesh(&mut self, m: &Model, geom: usize, place: impl Fn([f64; 3]) -> [f64; 3]) {
        let mesh = m.geom_dataid[geom] as usize;
        let adr = m.mesh_vertadr[mesh] as usize;
        let vertex = |v: i32| place(m.mesh_vert[adr + v as usize]);
        let corners = (0..m.mesh_vertnum[mesh]).map(|v| (geom, vertex(v)));
        self.corner.extend(corners);
        let first = m.mesh_polyadr[mesh].max(0) as usize;
        for polygon in first..first + m.mesh_polynum[mesh] as usize {
            let from = m.mesh_polyvertadr[polygon] as usize;
            let around = &m.mesh_polyvert[from..from + m.mesh_polyvertnum[polygon] as usize];
            for (&a, &b) in around.iter().zip(around.iter().cycle().skip(1)) {
                if a < b {
                    self.edge.push((geom, [vertex(a), vertex(b)]));
                }
            }
        }
    }

    /// A corner of a geom, and the radius around it.
    pub fn corner(&self, k: usize) -> ([f64; 3], f64) {
        let (geom, corner) = self.corner[k];
        (corner, self.round[geom])
    }

    /// An edge of a geom, and the radius around it.
    pub fn edge(&self, k: usize) -> ([[f64; 3]; 2], f64) {
        let (geom, edge) = self.edge[k];
        (edge, self.round[geom])
    }

    /// The geoms of all corners, in order.
    pub fn corner_geoms(&self) -> impl Iterator<Item = usize> + '_ {
        self.corner.iter().map(|corner| corner.0)
    }

    /// The geoms of all edges, in order.
    pub fn edge_geoms(&self) -> impl Iterator<Item = usize> + '_ {
        self.edge.iter().map(|edge| edge.0)
    }

    /// Positions of the vertices after a step of `h` with these velocities of the dofs.
    pub fn places(&self, h: f64, w: &[f64]) -> Vec<[f64; 3]> {
        let place = |(start, moves): (&[f64; 3], &Vec<Move>)| {
            let speed = velocity(moves, w);
            add_scl3(*start, speed, h)
        };
        self.start.iter().zip(&self.moves).map(place).collect()
    }
}

/// Velocity of a vertex that moves so, at these velocities of the dofs.
pub fn velocity(moves: &[Move], w: &[f64]) -> [f64; 3] {
    let add = |sum, &(dof, along): &Move| add_scl3(sum, along, w[dof]);
    moves.iter().fold([0.0; 3], add)
}
