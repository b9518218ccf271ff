//! Which part of the cells of a grid a flex fills: what its tetrahedra contain, what its triangles enclose, or else the cells that its
//! triangles or lines touch.

use super::fill::{EMPTY, Fill, Point, rule};
use super::winding::{distance2, meets, winding};
use std::collections::HashMap;

/// Share of a cell's width, on either side, in which a triangle or a line does not touch it; of cells that have neighbours there.
const RIM: f64 = 0.02;

/// Winding number from which on a point counts as inside of an open surface.
const INSIDE: f64 = 0.5 - 1e-5;

/// Distance of points that count as on a triangle, relative to the grid.
const ON: f64 = 1e-9;

/// Number of triangles up to which MuJoCo's winding numbers are exact, and how far its others may be from that.
const EXACT: usize = 64;
const ABOUT: f64 = 0.02;

/// The case of an open surface in which MuJoCo's approximations would decide.
pub(crate) const UNCLEAR: &str = "flex with interpolated vertices of more than 64 triangles that do not close, with points of its \
    cells of which it is unclear on which side they lie";

/// A grid of cells around a flex, and the powers of coordinates that are integrated there.
pub(crate) struct Grid {
    pub cells: [usize; 3],
    /// Sides of a cell (m).
    pub size: [f64; 3],
    /// Order of interpolation in a cell.
    pub order: usize,
    /// Highest power of each coordinate, and of a product.
    pub powers: [usize; 2],
}

impl Fill {
    /// The part that elements fill whose corners are given in coordinates that count cells.
    pub fn of(
        dim: usize,
        point: &[Point],
        element: &[i32],
        grid: &Grid,
    ) -> Result<Self, &'static str> {
        let corner = |v: &i32| usize::try_from(*v).ok().and_then(|v| point.get(v).copied());
        let corners: Vec<Point> = element.iter().filter_map(corner).collect();
        let flat = grid.size.iter().any(|x| *x <= 0.0);
        match dim {
            3 => {
                let of = corners.as_chunks().0.iter().map(|of| (*of, 1.0));
                Ok(Self::new(of, grid.cells, grid.powers))
            }
            2 if !flat => of_surface(corners.as_chunks().0, grid),
            _ => Ok(touched(&corners, dim + 1, grid)),
        }
    }
}

fn of_surface(triangles: &[[Point; 3]], grid: &Grid) -> Result<Fill, &'static str> {
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
        None => sampled(triangles, grid)?,
    };
    let Some(mut fill) = fill else {
        return Ok(touched(triangles.as_flattened(), 3, grid));
    };
    for (counts, touched) in fill.counts.iter_mut().zip(touch) {
        *counts |= touched;
    }
    Ok(fill)
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
    // where a cell begins
    fn first(&self, cell: usize) -> Point {
        let [_, y, z] = self.cells;
        [cell / (y * z), cell / z % y, cell % z].map(|n| n as f64)
    }
}

// by Gauss's points in the eighths of each cell; none if no point is inside
fn sampled(triangles: &[[Point; 3]], grid: &Grid) -> Result<Option<Fill>, &'static str> {
    let surface = Surface::new(triangles, grid);
    let points = rule(grid.order + 1);
    let mut fill = Fill::empty(grid.cells, grid.powers[0]);
    let mut any = false;
    for cell in 0..grid.cells.iter().product() {
        let first = grid.first(cell);
        for eighth in 0..8_usize {
            let half = [eighth / 4, eighth / 2 % 2, eighth % 2].map(|n| n as f64 / 2.0);
            let low = [0, 1, 2].map(|k| first[k] + half[k]);
            let [low_on, high_on] = [low.map(|x| x - ON), low.map(|x| x + 0.5 + ON)];
            let near = triangles.iter().any(|of| meets(of, low_on, high_on));
            // what no triangle touches lies on one side
            let center = match near {
                true => false,
                false => surface.encloses(low.map(|x| x + 0.25))?,
            };
            for_points(&points, |place, weight| {
                let local = [0, 1, 2].map(|k| half[k] + place[k] / 2.0);
                if center || near && surface.encloses([0, 1, 2].map(|k| first[k] + local[k]))? {
                    any = true;
                    fill.add_point(cell, local, weight / 8.0);
                }
                Ok(())
            })?;
        }
        fill.counts[cell] = fill.part(cell).share() > 0.0;
    }
    Ok(any.then_some(fill))
}

// points of a cube and their weights
fn for_points(
    points: &[(f64, f64)],
    mut visit: impl FnMut(Point, f64) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    for x in points {
        for y in points {
            for z in points {
                visit([x.0, y.0, z.0], x.1 * y.1 * z.1)?;
            }
        }
    }
    Ok(())
}

/// Triangles that do not close.
struct Surface {
    // in meters
    real: Vec<[Point; 3]>,
    // as shares of the grid
    share: Vec<[Point; 3]>,
    size: [f64; 3],
    cells: [f64; 3],
}

impl Surface {
    fn new(triangles: &[[Point; 3]], grid: &Grid) -> Self {
        let cells = grid.cells.map(|n| n as f64);
        let scaled = |by: [f64; 3]| {
            let one = |x: Point| [0, 1, 2].map(|k| x[k] * by[k]);
            triangles.iter().map(|of| of.map(one)).collect()
        };
        Self {
            real: scaled(grid.size),
            share: scaled(cells.map(|n| 1.0 / n)),
            size: grid.size,
            cells,
        }
    }

    // whether a point is inside; an error if MuJoCo's approximation decides
    fn encloses(&self, x: Point) -> Result<bool, &'static str> {
        let share = [0, 1, 2].map(|k| x[k] / self.cells[k]);
        let on = |of: &[Point; 3]| distance2(of, share) < ON * ON;
        if self.share.iter().any(on) {
            return Ok(true);
        }
        let around = winding(&self.real, [0, 1, 2].map(|k| x[k] * self.size[k])).abs();
        if self.real.len() > EXACT && (around - 0.5).abs() < ABOUT {
            return Err(UNCLEAR);
        }
        Ok(around > INSIDE)
    }
}
