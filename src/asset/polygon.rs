//! Hull triangles merged into polygons.
//!
//! Triangles whose normals fall into the same bin of 0.01 rad (azimuth and polar angle about z, in the file's frame) and
//! hang together by edges make one polygon, as in MuJoCo's `MakePolygons`.

use super::hull::Surface;
use super::massprops::newell;
use super::vec3::V3;
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

/// Merges the triangles of a closed surface, numbered by their first triangles.
pub(crate) fn merge(vert: &[V3], hull: &Surface) -> Polygons {
    let face = &hull.face;
    let bins: Vec<_> = face.iter().map(|f| bin(vert, *f)).collect();
    let mut done = vec![false; face.len()];
    let mut poly = Polygons::default();
    let mut outline = Vec::new();
    for first in 0..face.len() {
        if done[first] {
            continue;
        }
        // grow over edges between triangles of one bin, collect the others
        outline.clear();
        done[first] = true;
        let mut todo = vec![first];
        while let Some(f) = todo.pop() {
            for i in 0..3 {
                let g = hull.across[f][i] as usize;
                if bins[g] != bins[f] {
                    outline.push((face[f][i], face[f][(i + 1) % 3]));
                } else if !done[g] {
                    done[g] = true;
                    todo.push(g);
                }
            }
        }
        poly.push(&mut outline);
    }
    poly.make_map(vert.len());
    poly
}

impl Polygons {
    /// Appends the loop, or the loops, that edges make; a hull that is all one bin has no outline and no polygon.
    fn push(&mut self, edges: &mut [(i32, i32)]) {
        edges.sort_unstable();
        let mut used = vec![false; edges.len()];
        for k in 0..edges.len() {
            if used[k] {
                continue;
            }
            let start = self.vert.len();
            let mut e = k;
            loop {
                used[e] = true;
                self.vert.push(edges[e].0);
                let to = edges[e].1;
                let from = edges.partition_point(|x| x.0 < to);
                let next = (from..edges.len()).take_while(|&i| edges[i].0 == to);
                match next.into_iter().find(|&i| !used[i]) {
                    Some(i) if to != edges[k].0 => e = i,
                    _ => break,
                }
            }
            let num = self.vert.len() - start;
            if num < 3 {
                self.vert.truncate(start);
                continue;
            }
            self.adr.push(start as i32);
            self.num.push(num as i32);
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

    /// Turns every polygon around, its first vertex kept.
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

/// Number of the bin that a triangle's normal falls into.
fn bin(vert: &[V3], f: [i32; 3]) -> (i32, i32) {
    const WIDTH: f64 = 0.01;
    let [a, b, c] = f.map(|i| DVec3::from_array(vert[i as usize]));
    let x = (b - a).cross(c - a);
    // adding zero takes the sign from -0, which atan2 would see
    let n = x * (1.0 / x.length()) + DVec3::ZERO;
    let round = |x: f64| (x / WIDTH).round() as i32;
    if n[2].abs() > 1.0 - 1e-7 {
        let pole = if n[2] < 0.0 {
            std::f64::consts::PI
        } else {
            0.0
        };
        return (0, round(pole));
    }
    (round(n[1].atan2(n[0])), round(n[2].acos()))
}
