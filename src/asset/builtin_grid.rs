//! The built-in meshes that flexible bodies are made of too: grid, box, cylinder, ellipsoid, square, disc.

use std::collections::HashMap;

use super::MeshData;
use super::builtin::LIMIT;
use super::vec3::{EPS, V3, normalize};

/// Parameters `count[3], spacing[3], [dim]`; the mesh, and whether it is a solid (points only).
pub(crate) fn make(kind: &str, params: &[f64]) -> Result<(MeshData, bool), String> {
    let count = [0, 1, 2].map(|i| params[i].clamp(-1.0, 1e9) as usize);
    let spacing = [params[3], params[4], params[5]];
    let dim = params.get(6).copied().unwrap_or(3.0) as i64;
    let points = count
        .iter()
        .try_fold(1usize, |n, &c| n.checked_mul(c))
        .unwrap_or(usize::MAX);
    if points > LIMIT {
        return Err("too many vertices".into());
    }
    if !(2..=3).contains(&dim) {
        return Err("dim must be 2 or 3".into());
    }
    let shape = Shape {
        kind,
        count,
        spacing,
    };
    match kind {
        "box" | "cylinder" | "ellipsoid" => {
            if count.iter().any(|&c| c < 2) {
                return Err("count must be at least 2".into());
            }
            if dim == 3 {
                Ok((shape.solid_box(), true))
            } else {
                Ok((shape.open_box(), false))
            }
        }
        _ => {
            let flat = kind != "grid" || dim == 2;
            if flat && count[2] != 1 {
                return Err("count must be 1 along dimensions beyond dim".into());
            }
            let needed = if flat { &count[..2] } else { &count[..] };
            if needed.iter().any(|&c| c < 2) {
                return Err("no elements: count must be at least 2".into());
            }
            if flat {
                Ok((shape.square(), false))
            } else {
                Ok((shape.grid(), true))
            }
        }
    }
}

struct Shape<'a> {
    kind: &'a str,
    count: [usize; 3],
    spacing: V3,
}

impl Shape<'_> {
    /// Half-sizes.
    fn size(&self) -> V3 {
        std::array::from_fn(|k| 0.5 * self.spacing[k] * (self.count[k] as f64 - 1.0))
    }

    /// Place of a point along an axis of a grid about the origin.
    fn along(&self, k: usize, i: usize) -> f64 {
        self.spacing[k] * (i as f64 - 0.5 * (self.count[k] as f64 - 1.0))
    }

    fn grid(&self) -> MeshData {
        let [nx, ny, nz] = self.count;
        let mut vert = Vec::new();
        for x in 0..nx {
            for y in 0..ny {
                for z in 0..nz {
                    let p = [self.along(0, x), self.along(1, y), self.along(2, z)];
                    vert.push(p.map(|x| x as f32));
                }
            }
        }
        MeshData {
            vert,
            ..MeshData::default()
        }
    }

    /// Flat grid of triangles; for a disc the rings are rounded and the diagonals run towards the centre.
    fn square(&self) -> MeshData {
        let [nx, ny, _] = self.count;
        let size = self.size();
        let disc = self.kind == "disc";
        let mut data = MeshData::default();
        for x in 0..nx {
            for y in 0..ny {
                let p = [self.along(0, x), self.along(1, y)];
                let mut q = p;
                if disc {
                    let ring = p[0].abs().max(p[1].abs());
                    normalize(&mut q);
                    q = [q[0] * (size[0] * ring), q[1] * (size[1] * ring)];
                }
                data.vert.push([q[0] as f32, q[1] as f32, 0.0]);
                if x + 1 == nx || y + 1 == ny {
                    continue;
                }
                let at = |x: usize, y: usize| (x * ny + y) as i32;
                let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
                let side = (p[0] < -EPS && p[1] > -EPS) || (p[0] > -EPS && p[1] < -EPS);
                if disc && side {
                    data.face.extend([[a, b, d], [b, c, d]]);
                } else {
                    data.face.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        data
    }

    /// Point of the box's surface, moved onto the cylinder or ellipsoid.
    fn project(&self, i: [usize; 3]) -> [f32; 3] {
        let size = self.size();
        let mut p: V3 =
            std::array::from_fn(|k| 2.0 * i[k] as f64 / (self.count[k] as f64 - 1.0) - 1.0);
        let mut factor = size;
        match self.kind {
            "cylinder" => {
                let ring = p[0].abs().max(p[1].abs());
                let mut q = [p[0], p[1]];
                normalize(&mut q);
                p = [q[0], q[1], p[2]];
                factor = [size[0] * ring, size[1] * ring, size[2]];
            }
            "ellipsoid" => {
                normalize(&mut p);
            }
            _ => {}
        }
        std::array::from_fn(|k| (p[k] * factor[k]) as f32)
    }

    /// Centre and surface points: both ends along z, then the sides along y, then those along x.
    fn solid_box(&self) -> MeshData {
        let [nx, ny, nz] = self.count;
        let mut vert = vec![[0.0; 3]];
        for z in [0, nz - 1] {
            for x in 0..nx {
                vert.extend((0..ny).map(|y| self.project([x, y, z])));
            }
        }
        for y in [0, ny - 1] {
            for x in 0..nx {
                vert.extend((1..nz - 1).map(|z| self.project([x, y, z])));
            }
        }
        for x in [0, nx - 1] {
            for y in 1..ny - 1 {
                vert.extend((1..nz - 1).map(|z| self.project([x, y, z])));
            }
        }
        MeshData {
            vert,
            ..MeshData::default()
        }
    }

    /// Surface without the upper end.
    fn open_box(&self) -> MeshData {
        let [nx, ny, nz] = self.count;
        let mut data = MeshData::default();
        let mut known: HashMap<[usize; 3], i32> = HashMap::new();
        let mut add = |i: [usize; 3], vert: &mut Vec<[f32; 3]>| {
            known.insert(i, vert.len() as i32);
            vert.push(self.project(i));
        };
        for x in 0..nx {
            (0..ny).for_each(|y| add([x, y, 0], &mut data.vert));
        }
        for y in [0, ny - 1] {
            for x in 0..nx {
                (1..nz).for_each(|z| add([x, y, z], &mut data.vert));
            }
        }
        for x in [0, nx - 1] {
            for y in 1..ny - 1 {
                (1..nz).for_each(|z| add([x, y, z], &mut data.vert));
            }
        }

        // bottom, then strips from edge to edge that go round counter-clockwise from outside
        let at = |i: [usize; 3]| known.get(&i).copied().unwrap_or(0);
        for x in 0..nx - 1 {
            for y in 0..ny - 1 {
                let [a, b, c, d] = [
                    at([x, y, 0]),
                    at([x, y + 1, 0]),
                    at([x + 1, y + 1, 0]),
                    at([x + 1, y, 0]),
                ];
                data.face.extend([[a, c, d], [a, b, c]]);
            }
        }
        let mut strip = |p: [usize; 2], q: [usize; 2]| {
            for z in 0..nz - 1 {
                let [a, b, c, d] = [
                    at([p[0], p[1], z]),
                    at([q[0], q[1], z]),
                    at([q[0], q[1], z + 1]),
                    at([p[0], p[1], z + 1]),
                ];
                data.face.extend([[a, b, c], [a, c, d]]);
            }
        };
        (0..nx - 1).for_each(|x| strip([x, 0], [x + 1, 0]));
        (0..nx - 1).for_each(|x| strip([x + 1, ny - 1], [x, ny - 1]));
        (0..ny - 1).for_each(|y| strip([0, y + 1], [0, y]));
        (0..ny - 1).for_each(|y| strip([nx - 1, y], [nx - 1, y + 1]));
        data
    }
}
