//! Hull triangles merged into polygons.
//!
//! Triangles whose normals fall into the same bin of 0.01 rad (azimuth and polar angle about z, in the file's frame) make a
//! polygon, or several where they are not connected, as in MuJoCo's `MakePolygons`.

use std::collections::HashMap;

use super::bins::Bins;
use super::massprops::newell;
use super::vec3::{MINVAL, V3};
use glam::DVec3;

/// Polygons in the layout of the model's arrays, addresses from 0.
#[derive(Debug, Default)]
pub(crate) struct Polygons {
    pub adr: Vec<i32>,
    pub num: Vec<i32>,
    pub vert: Vec<i32>,
    pub mapadr: Vec<i32>,
    pub mapnum: Vec<i32>,
    pub map: Vec<i32>,
}

/// Merges the triangles of a closed surface, bin by bin in the order of MuJoCo's hash table.
pub(crate) fn merge(vert: &[V3], face: &[[i32; 3]]) -> Polygons {
    let mut bins = Bins::default();
    let mut edges: Vec<Edges> = Vec::new();
    for f in face {
        let Some(bin) = bin(vert, *f) else { continue };
        let k = bins.place(bin);
        if k == edges.len() {
            edges.push(Edges::default());
        }
        edges[k].insert(*f);
    }
    let mut poly = Polygons::default();
    for k in bins.order() {
        edges[k].push_paths(&mut poly);
    }
    poly.make_map(vert.len());
    poly
}

/// The outline of triangles, as edges in the order in which they were added.
#[derive(Debug, Default)]
struct Edges {
    edge: Vec<[i32; 2]>,
    /// The pieces that the edges belong to; a piece that was joined to an earlier one refers to that.
    piece: Vec<usize>,
    joined: Vec<usize>,
    place: HashMap<[i32; 2], usize>,
}

impl Edges {
    /// Adds a triangle: edges that it shares with others vanish, and pieces that it touches become one.
    fn insert(&mut self, [a, b, c]: [i32; 3]) {
        let sides = [[a, b], [b, c], [c, a]];
        let met = sides.map(|[u, v]| self.place.remove(&[v, u]));
        let pieces = met.map(|at| at.map(|i| self.first(self.piece[i])));
        let new = self.joined.len();
        let piece = pieces.into_iter().flatten().min().unwrap_or(new);
        if piece == new {
            self.joined.push(new);
        }
        for other in pieces.into_iter().flatten() {
            self.joined[other] = piece;
        }
        for (side, at) in sides.into_iter().zip(met) {
            if at.is_none() {
                self.place.insert(side, self.edge.len());
                self.edge.push(side);
                self.piece.push(piece);
            }
        }
    }

    fn first(&self, mut piece: usize) -> usize {
        while self.joined[piece] != piece {
            piece = self.joined[piece];
        }
        piece
    }

    /// Appends the outline of each piece, the oldest piece first.
    fn push_paths(&self, poly: &mut Polygons) {
        let left = |i: &usize| self.place.get(&self.edge[*i]) == Some(i);
        let left: Vec<usize> = (0..self.edge.len()).filter(left).collect();
        // the very first edge begins an outline but does not continue one
        let mut next: HashMap<(usize, i32), i32> = HashMap::new();
        for &i in left.iter().skip(1) {
            let [u, v] = self.edge[i];
            next.entry((self.first(self.piece[i]), u)).or_insert(v);
        }
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for &i in &left {
            let piece = self.first(self.piece[i]);
            if !starts.iter().any(|s| s.0 == piece) {
                starts.push((piece, i));
            }
        }
        starts.sort_unstable();
        for (piece, i) in starts {
            let [from, mut at] = self.edge[i];
            let mut path = vec![from, at];
            for _ in 0..left.len() {
                match next.get(&(piece, at)) {
                    Some(&to) if to == from => {
                        poly.push(&path);
                        break;
                    }
                    Some(&to) => {
                        path.push(to);
                        at = to;
                    }
                    None => break,
                }
            }
        }
    }
}

impl Polygons {
    fn push(&mut self, path: &[i32]) {
        if path.len() > 2 {
            self.adr.push(self.vert.len() as i32);
            self.num.push(path.len() as i32);
            self.vert.extend(path);
        }
    }

    fn outline(&self, k: usize) -> &[i32] {
        let adr = self.adr[k] as usize;
        &self.vert[adr..adr + self.num[k] as usize]
    }

    /// Polygons around each vertex.
    fn make_map(&mut self, nvert: usize) {
        self.mapnum = vec![0; nvert];
        self.vert.iter().for_each(|&v| self.mapnum[v as usize] += 1);
        let mut end = 0;
        for n in &self.mapnum {
            self.mapadr.push(end);
            end += n;
        }
        let mut at = self.mapadr.clone();
        self.map = vec![0; end as usize];
        for k in 0..self.adr.len() {
            for i in 0..self.num[k] {
                let v = self.vert[(self.adr[k] + i) as usize] as usize;
                self.map[at[v] as usize] = k as i32;
                at[v] += 1;
            }
        }
    }

    /// Reverses every polygon, its first vertex kept.
    pub fn mirror(&mut self) {
        for k in 0..self.adr.len() {
            let adr = self.adr[k] as usize;
            self.vert[adr + 1..adr + self.num[k] as usize].reverse();
        }
    }

    /// Unit normals by Newell's method, over the whole outlines.
    pub fn normals(&self, vert: &[V3]) -> Vec<V3> {
        let at = |&v: &i32| vert[v as usize];
        (0..self.adr.len())
            .map(|k| newell(self.outline(k).iter().map(at)))
            .collect()
    }
}

/// Number of the bin that a triangle's normal falls into; none for a triangle without area.
fn bin(vert: &[V3], f: [i32; 3]) -> Option<(i32, i32)> {
    const WIDTH: f64 = 0.01;
    let [a, b, c] = f.map(|i| DVec3::from_array(vert[i as usize]));
    let x = (b - a).cross(c - a);
    let len = x.length();
    if len < MINVAL {
        return None;
    }
    // adding zero removes the sign of -0, which atan2 would use
    let n = x / len + DVec3::ZERO;
    let round = |x: f64| (x / WIDTH).round() as i32;
    if n.z.abs() > 1.0 - 1e-7 {
        let pole = if n.z < 0.0 { std::f64::consts::PI } else { 0.0 };
        return Some((0, round(pole)));
    }
    Some((round(n.y.atan2(n.x)), round(n.z.acos())))
}
