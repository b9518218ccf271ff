//! Which part of the cells of a grid a flex fills: what its tetrahedra contain, what its triangles enclose, or else the cells that its
//! triangles or lines touch.

use super::fill::{EMPTY, Fill, Point, rule};
use super::winding::{Winding, meets};
use std::collections::HashMap;

/// Share of a cell's width, on either side, in which a triangle or a line does not touch it; of cells that have neighbours there.
const RIM: f64 = 0.02;

/// Winding number from which on a point counts as inside of an open surface.
const INSIDE: f64 = 0.49999;

/// Half sides by which boxes are larger where triangles touch them, and the least half side for it (m).
const WIDER: f64 = 1e-9;
const LEAST: f64 = 1e-6;

/// A grid of cells around a flex, and the powers of coordinates that are integrated there.
pub(crate) struct Grid {
    pub cells: [usize; 3],
    /// The corner where the grid begins, and its sides (m).
    pub low: [f64; 3],
    pub whole: [f64; 3],
    /// Order of interpolation in a cell.
    pub order: usize,
    /// Highest power of each coordinate, and of a product.
    pub powers: [usize; 2],
}

impl Fill {
    /// The part that elements fill whose corners are given along the axes of the grid (m).
    pub fn of(dim: usize, point: &[Point], element: &[i32], grid: &Grid) -> Self {
        let corner = |v: &i32| usize::try_from(*v).ok().and_then(|v| point.get(v).copied());
        let corners: Vec<Point> = element.iter().filter_map(corner).collect();
        let counted: Vec<Point> = corners.iter().map(|x| grid.count(*x)).collect();
        let flat = grid.whole.iter().any(|x| *x <= 0.0);
        match dim {
            3 => {
                let of = counted.as_chunks().0.iter().map(|of| (*of, 1.0));
                Self::new(of, grid.cells, grid.powers)
            }
            2 if !flat => of_surface(corners.as_chunks().0, counted.as_chunks().0, grid),
            _ => touched(&counted, dim + 1, grid),
        }
    }
}

// from triangles, in meters and in coordinates that count cells
fn of_surface(real: &[[Point; 3]], triangles: &[[Point; 3]], grid: &Grid) -> Fill {
    let touch = touch(triangles.as_flattened(), 3, grid);
    let fill = match encloses(triangles) {
        Some(sign) => {
            let from = triangles[0][0];
            let tetrahedra = triangles.iter().map(|&[a, b, c]| {
                let around = sign * volume([from, a, b, c]).signum();
                ([from, a, b, c], around)
            });
            let mut fill = Fill::new(tetrahedra, grid.cells, grid.powers);
            fill.drop_less_than_nothing();
            Some(fill)
        }
        None => Open::new(real, grid).sample(),
    };
    let Some(mut fill) = fill else {
        return touched(triangles.as_flattened(), 3, grid);
    };
    for (counts, touched) in fill.counts.iter_mut().zip(touch) {
        *counts |= touched;
    }
    fill
}

// six times the volume of a tetrahedron
fn volume([a, b, c, d]: [Point; 4]) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(glam::DVec3::from);
    (b - a).cross(c - a).dot(d - a)
}

// 1 if triangles close and their corners turn left from outside, -1 if right; each edge must be that of two that agree. Points at the
// same place are one
fn encloses(triangles: &[[Point; 3]]) -> Option<f64> {
    let mut edges: HashMap<[[u64; 3]; 2], usize> = HashMap::new();
    let place = |x: Point| x.map(|x| (x + 0.0).to_bits());
    for of in triangles {
        for k in 0..3 {
            *edges
                .entry([place(of[k]), place(of[(k + 1) % 3])])
                .or_default() += 1;
        }
    }
    let closed = edges
        .iter()
        .all(|(&[from, to], num)| *num == 1 && edges.get(&[to, from]) == Some(&1));
    let from = triangles.first()?[0];
    let whole: f64 = triangles
        .iter()
        .map(|&[a, b, c]| volume([from, a, b, c]))
        .sum();
    (closed && whole.abs() > EMPTY).then(|| whole.signum())
}

// the cells that elements touch, in full
fn touched(corners: &[Point], num: usize, grid: &Grid) -> Fill {
    let mut fill = Fill::empty(grid.cells, grid.powers[0]);
    for (cell, touched) in touch(corners, num, grid).into_iter().enumerate() {
        if touched {
            fill.fill_up(cell);
        }
    }
    fill
}

// which cells elements of some corners touch
fn touch(corners: &[Point], num: usize, grid: &Grid) -> Vec<bool> {
    // rounding places no element beside the only cell along an axis
    let rim = grid.cells.map(|n| if n > 1 { RIM } else { -RIM });
    let touches = |cell: usize| {
        let first = grid.first(cell);
        let low = [0, 1, 2].map(|k| first[k] + rim[k]);
        let high = [0, 1, 2].map(|k| first[k] + 1.0 - rim[k]);
        corners.chunks_exact(num).any(|of| meets(of, low, high))
    };
    (0..grid.cells.iter().product()).map(touches).collect()
}

impl Grid {
    // where a cell begins, in coordinates that count cells
    fn first(&self, cell: usize) -> Point {
        let [_, y, z] = self.cells;
        [cell / (y * z), cell / z % y, cell % z].map(|n| n as f64)
    }

    // a point in coordinates that count cells
    fn count(&self, x: Point) -> Point {
        let share = |k: usize| (x[k] - self.low[k]) / self.whole[k].max(f64::MIN_POSITIVE);
        [0, 1, 2].map(|k| share(k) * self.cells[k] as f64)
    }

    // where a cell begins (m)
    fn origin(&self, cell: usize) -> Point {
        let first = self.first(cell);
        let step = self.step();
        [0, 1, 2].map(|k| first[k] * step[k] + self.low[k])
    }

    // sides of a cell (m)
    fn step(&self) -> Point {
        [0, 1, 2].map(|k| self.whole[k] / self.cells[k] as f64)
    }
}

/// Triangles that do not close.
struct Open<'a> {
    grid: &'a Grid,
    triangles: &'a [[Point; 3]],
    winding: Winding,
    // triangles that touch a cell, and cells that some touch not only near the rim
    of_cell: Vec<Vec<usize>>,
    core: Vec<bool>,
}

/// What is known of a cell before its eighths are looked at.
enum Cell {
    Full,
    Empty,
    Divided,
}

impl<'a> Open<'a> {
    fn new(triangles: &'a [[Point; 3]], grid: &'a Grid) -> Self {
        let num = grid.cells.iter().product();
        let mut open = Self {
            grid,
            triangles,
            winding: Winding::new(triangles),
            of_cell: Vec::with_capacity(num),
            core: Vec::with_capacity(num),
        };
        let step = grid.step();
        let rim = [0, 1, 2].map(|k| match grid.cells[k] {
            1 => 0.0,
            _ => RIM * step[k],
        });
        for cell in 0..num {
            let low = grid.origin(cell);
            let high = [0, 1, 2].map(|k| low[k] + step[k]);
            let touches = |&t: &usize| reaches(&triangles[t], low, high);
            let of_cell: Vec<usize> = (0..triangles.len()).filter(touches).collect();
            let low = [0, 1, 2].map(|k| low[k] + rim[k]);
            let high = [0, 1, 2].map(|k| high[k] - rim[k]);
            let core = of_cell.iter().any(|&t| reaches(&triangles[t], low, high));
            open.of_cell.push(of_cell);
            open.core.push(core);
        }
        open
    }

    fn encloses(&self, x: Point) -> bool {
        self.winding.around(x).abs() >= INSIDE
    }

    // by Gauss's points in the eighths of the cells that triangles touch; none if nothing is inside
    fn sample(&self) -> Option<Fill> {
        let mut fill = Fill::empty(self.grid.cells, self.grid.powers[0]);
        let points = rule(self.grid.order + 1);
        let mut full = vec![false; self.core.len()];
        let mut any = false;
        for cell in 0..full.len() {
            match self.look_at(cell, &full) {
                Cell::Empty => {}
                Cell::Full => {
                    fill.fill_up(cell);
                    (full[cell], any) = (true, true);
                }
                Cell::Divided => {
                    let num = self.divide(cell, &points, &mut fill);
                    full[cell] = num == 8 * points.len().pow(3);
                    any |= num > 0;
                    fill.counts[cell] = true;
                }
            }
        }
        any.then_some(fill)
    }

    // a cell that no triangle touches is like the one before it along an axis that none touches either; else its center decides. So it does
    // for cells that triangles touch near the rim alone
    fn look_at(&self, cell: usize, full: &[bool]) -> Cell {
        let grid = self.grid;
        let [_, y, z] = grid.cells;
        let free = self.of_cell[cell].is_empty();
        if !free && (self.core[cell] || full.len() == 1) {
            return Cell::Divided;
        }
        let along = [(cell % z, 1), (cell / z % y, z), (cell / (y * z), y * z)];
        let before = along.into_iter().filter(|(at, _)| free && *at > 0);
        let mut before = before.map(|(_, step)| cell - step);
        let inside = match before.find(|&other| self.of_cell[other].is_empty()) {
            Some(other) => full[other],
            None => {
                let (origin, step) = (grid.origin(cell), grid.step());
                self.encloses([0, 1, 2].map(|k| origin[k] + 0.5 * step[k]))
            }
        };
        match (inside, free) {
            (false, _) => Cell::Empty,
            (true, true) => Cell::Full,
            (true, false) => Cell::Divided,
        }
    }

    // adds the points of a cell that are inside; their number. Where no triangle touches an eighth, its center decides for all of them
    fn divide(&self, cell: usize, points: &[(f64, f64)], fill: &mut Fill) -> usize {
        let (origin, size) = (self.grid.origin(cell), self.grid.step());
        let mut num = 0;
        for eighth in 0..8_usize {
            let half = [eighth / 4, eighth / 2 % 2, eighth % 2].map(|n| n as f64);
            let low = [0, 1, 2].map(|k| half[k] * size[k] * 0.5 + origin[k]);
            let high = [0, 1, 2].map(|k| (half[k] + 1.0) * size[k] * 0.5 + origin[k]);
            let mut of_cell = self.of_cell[cell].iter();
            let near = of_cell.any(|&t| reaches(&self.triangles[t], low, high));
            let center = !near && self.encloses([0, 1, 2].map(|k| 0.5 * (low[k] + high[k])));
            for_points(points, |place, weight| {
                let local = [0, 1, 2].map(|k| half[k] / 2.0 + place[k] / 2.0);
                let point = || [0, 1, 2].map(|k| local[k] * size[k] + origin[k]);
                if center || near && self.encloses(point()) {
                    num += 1;
                    fill.add_point(cell, local, weight / 8.0);
                }
            });
        }
        num
    }
}

// whether a triangle touches a box (m)
fn reaches(triangle: &[Point; 3], low: Point, high: Point) -> bool {
    let half = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]));
    let wider = WIDER * half.into_iter().fold(LEAST, f64::max);
    meets(triangle, low.map(|x| x - wider), high.map(|x| x + wider))
}

// points of a cube and their weights
fn for_points(points: &[(f64, f64)], mut visit: impl FnMut(Point, f64)) {
    for x in points {
        for y in points {
            for z in points {
                visit([x.0, y.0, z.0], x.1 * y.1 * z.1);
            }
        }
    }
}
