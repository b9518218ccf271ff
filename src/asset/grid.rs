//! Points and elements on regular grids: lines, circles, sheets, discs, blocks, and the boxes, cylinders and ellipsoids made of their surface.

use std::collections::HashMap;

use super::vec3::{EPS, V3, normalize};

/// Points, and elements of dim + 1 points each.
#[derive(Default)]
pub(crate) struct Shape {
    pub dim: usize,
    pub point: Vec<V3>,
    pub element: Vec<i32>,
    /// Two numbers a point, or none.
    pub texcoord: Vec<f64>,
    /// Indices into `texcoord` of each element's points, if they differ from `element`.
    pub elemtexcoord: Vec<i32>,
}

/// The shape that a grid is bent to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Line,
    Circle,
    Sheet,
    Disc,
    Block,
    Box,
    Cylinder,
    Ellipsoid,
}

/// A grid about the origin.
pub(crate) struct Grid {
    pub form: Form,
    /// Points along each axis.
    pub count: [usize; 3],
    /// Distance of neighbours along each axis.
    pub spacing: V3,
    /// True if texture coordinates are made too.
    pub textured: bool,
}

/// A point of a box's surface by its grid indices.
type Place = [usize; 3];

impl Grid {
    /// Points and elements; of a box, a cylinder or an ellipsoid those of the solid, or of the surface without its upper end (`open`).
    pub fn make(&self, open: bool) -> Shape {
        match self.form {
            Form::Line => self.line(),
            Form::Circle => self.circle(),
            Form::Sheet | Form::Disc => self.sheet(),
            Form::Block => self.block(),
            Form::Box | Form::Cylinder | Form::Ellipsoid if open => self.open_box(),
            Form::Box | Form::Cylinder | Form::Ellipsoid => self.solid_box(),
        }
    }

    // coordinate along an axis
    fn along(&self, k: usize, i: usize) -> f64 {
        self.spacing[k] * (i as f64 - 0.5 * (self.count[k] as f64 - 1.0))
    }

    // texture coordinate along an axis
    fn part(&self, k: usize, i: usize) -> f64 {
        i as f64 / (self.count[k].max(2) - 1) as f64
    }

    fn size(&self, k: usize) -> f64 {
        0.5 * self.spacing[k] * (self.count[k] as f64 - 1.0)
    }

    fn texture(&self, shape: &mut Shape, coords: [f64; 2]) {
        if self.textured {
            shape.texcoord.extend(coords);
        }
    }

    fn line(&self) -> Shape {
        let n = self.count[0];
        Shape {
            dim: 1,
            point: (0..n).map(|i| [self.along(0, i), 0.0, 0.0]).collect(),
            element: (1..n as i32).flat_map(|i| [i - 1, i]).collect(),
            ..Shape::default()
        }
    }

    // the last point is the first
    fn circle(&self) -> Shape {
        let n = self.count[0].max(1) - 1;
        let angle = 2.0 * std::f64::consts::PI / n as f64;
        let radius = self.spacing[0] / (angle / 2.0).sin() / 2.0;
        let point = |i: usize| {
            let at = angle * i as f64;
            [radius * at.cos(), radius * at.sin(), 0.0]
        };
        let next = |i: usize| if i + 1 == n { 0 } else { i as i32 + 1 };
        Shape {
            dim: 1,
            point: (0..n).map(point).collect(),
            element: (0..n).flat_map(|i| [i as i32, next(i)]).collect(),
            ..Shape::default()
        }
    }

    // triangles in a plane; those of a disc are rounded, and their diagonals run towards the centre
    fn sheet(&self) -> Shape {
        let [nx, ny, nz] = self.count;
        let disc = self.form == Form::Disc;
        let mut shape = Shape {
            dim: 2,
            ..Shape::default()
        };
        for x in 0..nx {
            for y in 0..ny {
                let p = [self.along(0, x), self.along(1, y)];
                let mut q = p;
                if disc {
                    let ring = p[0].abs().max(p[1].abs());
                    normalize(&mut q);
                    q = [q[0] * (self.size(0) * ring), q[1] * (self.size(1) * ring)];
                }
                shape.point.push([q[0], q[1], 0.0]);
                self.texture(&mut shape, [self.part(0, x), self.part(1, y)]);
                if x + 1 == nx || y + 1 == ny {
                    continue;
                }
                // MuJoCo counts the third axis in, so that points exist only if it has one
                let at = |x: usize, y: usize| (nz * ny * x + nz * y) as i32;
                let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
                let turned = (p[0] < -EPS && p[1] > -EPS) || (p[0] > -EPS && p[1] < -EPS);
                shape.element.extend(match disc && turned {
                    true => [a, b, d, b, c, d],
                    false => [a, b, c, a, c, d],
                });
            }
        }
        shape
    }

    // six tetrahedra a cube
    fn block(&self) -> Shape {
        const CUBE: [[usize; 4]; 6] = [
            [0, 3, 1, 7],
            [0, 1, 4, 7],
            [1, 3, 2, 7],
            [1, 2, 6, 7],
            [1, 5, 4, 7],
            [1, 6, 5, 7],
        ];
        let [nx, ny, nz] = self.count;
        let mut shape = Shape {
            dim: 3,
            ..Shape::default()
        };
        let at = |x: usize, y: usize, z: usize| (nz * ny * x + nz * y + z) as i32;
        for x in 0..nx {
            for y in 0..ny {
                for z in 0..nz {
                    let p = [self.along(0, x), self.along(1, y), self.along(2, z)];
                    shape.point.push(p);
                    self.texture(&mut shape, [self.part(0, x), self.part(1, y)]);
                    if x + 1 == nx || y + 1 == ny || z + 1 == nz {
                        continue;
                    }
                    let ring = |z: usize| {
                        [
                            at(x, y, z),
                            at(x + 1, y, z),
                            at(x + 1, y + 1, z),
                            at(x, y + 1, z),
                        ]
                    };
                    let corner = [ring(z), ring(z + 1)].concat();
                    let tetrahedra = CUBE.as_flattened().iter();
                    shape.element.extend(tetrahedra.map(|&k| corner[k]));
                }
            }
        }
        shape
    }

    // a place on the surface of the box, moved onto the cylinder or ellipsoid
    fn project(&self, i: Place) -> V3 {
        let mut p: V3 =
            std::array::from_fn(|k| 2.0 * i[k] as f64 / (self.count[k] as f64 - 1.0) - 1.0);
        let mut factor = [0, 1, 2].map(|k| self.size(k));
        match self.form {
            Form::Cylinder => {
                let ring = p[0].abs().max(p[1].abs());
                let mut q = [p[0], p[1]];
                normalize(&mut q);
                p = [q[0], q[1], p[2]];
                factor = [factor[0] * ring, factor[1] * ring, factor[2]];
            }
            Form::Ellipsoid => {
                normalize(&mut p);
            }
            _ => {}
        }
        std::array::from_fn(|k| p[k] * factor[k])
    }

    // both ends along z (one, if open), then the sides along y, then those along x
    fn surface(&self, shape: &mut Shape, open: bool) -> HashMap<Place, i32> {
        let [nx, ny, nz] = self.count;
        let mut known = HashMap::new();
        let mut add = |i: Place, coords: [usize; 2]| {
            known.insert(i, shape.point.len() as i32);
            shape.point.push(self.project(i));
            let coords = coords.map(|k| self.part(k, i[k]));
            self.texture(shape, coords);
        };
        let ends = if open { vec![0] } else { vec![0, nz - 1] };
        for z in ends {
            for x in 0..nx {
                (0..ny).for_each(|y| add([x, y, z], [0, 1]));
            }
        }
        let top = if open { nz } else { nz - 1 };
        for y in [0, ny - 1] {
            for x in 0..nx {
                (1..top).for_each(|z| add([x, y, z], [0, 2]));
            }
        }
        for x in [0, nx - 1] {
            for y in 1..ny - 1 {
                (1..top).for_each(|z| add([x, y, z], [1, 2]));
            }
        }
        known
    }

    // tetrahedra from each half of a square of the surface to the centre
    fn solid_box(&self) -> Shape {
        let mut shape = Shape {
            dim: 3,
            point: vec![[0.0; 3]],
            ..Shape::default()
        };
        self.texture(&mut shape, [0.0; 2]);
        let known = self.surface(&mut shape, false);
        // the axis across a side, and the two along it
        for (across, a, b) in [(2, 0, 1), (1, 0, 2), (0, 1, 2)] {
            for end in [0, self.count[across] - 1] {
                for i in 0..self.count[a] - 1 {
                    for j in 0..self.count[b] - 1 {
                        let at = |i: usize, j: usize| {
                            let mut place = [0; 3];
                            (place[across], place[a], place[b]) = (end, i, j);
                            known.get(&place).copied().unwrap_or(0)
                        };
                        let far = at(i + 1, j + 1);
                        shape.element.extend([0, at(i, j), at(i + 1, j), far]);
                        shape.element.extend([0, at(i, j), at(i, j + 1), far]);
                    }
                }
            }
        }
        shape
    }

    // bottom, then the sides, counter-clockwise from outside
    fn open_box(&self) -> Shape {
        let [nx, ny, nz] = self.count;
        let mut shape = Shape {
            dim: 2,
            ..Shape::default()
        };
        let known = self.surface(&mut shape, true);
        let at = |i: Place| known.get(&i).copied().unwrap_or(0);
        for x in 0..nx - 1 {
            for y in 0..ny - 1 {
                let far = at([x + 1, y + 1, 0]);
                let near = at([x, y, 0]);
                shape.element.extend([near, far, at([x + 1, y, 0])]);
                shape.element.extend([near, at([x, y + 1, 0]), far]);
            }
        }
        let mut strip = |p: [usize; 2], q: [usize; 2]| {
            for z in 0..nz - 1 {
                let [a, b] = [at([p[0], p[1], z]), at([q[0], q[1], z])];
                let [c, d] = [at([q[0], q[1], z + 1]), at([p[0], p[1], z + 1])];
                shape.element.extend([a, b, c, a, c, d]);
            }
        };
        (0..nx - 1).for_each(|x| strip([x, 0], [x + 1, 0]));
        (0..nx - 1).for_each(|x| strip([x + 1, ny - 1], [x, ny - 1]));
        (0..ny - 1).for_each(|y| strip([0, y + 1], [0, y]));
        (0..ny - 1).for_each(|y| strip([nx - 1, y], [nx - 1, y + 1]));
        shape
    }
}
