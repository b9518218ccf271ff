//! A height field and a convex solid (`mjc_ConvexHField`): the solid against every prism of the grid within its bounding box, in
//! the frame of the field.

use super::convex::{CLEAR, extent, penetration};
use super::element::Element;
use super::gjk::{Found, Two};
use super::older;
use super::portal::Rounding;
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::{Model, OwnLane};
use crate::real::Real;
use crate::types::*;

/// A height field: half sizes and depth (m), number of rows and columns, heights from 0 to 1.
struct Grid<'a, R: Real> {
    size: [f64; 4],
    nrow: usize,
    ncol: usize,
    m: &'a Model,
    own: OwnLane<'a, R>,
    adr: usize,
}

impl<'a, R: Real> Grid<'a, R> {
    fn new(m: &'a Model, own: OwnLane<'a, R>, geom: usize) -> Self {
        let id = m.geom_dataid[geom].max(0) as usize;
        let (nrow, ncol) = (m.hfield_nrow[id] as usize, m.hfield_ncol[id] as usize);
        Self {
            size: std::array::from_fn(|k| own.hfield_size(m, 4 * id + k)),
            nrow,
            ncol,
            m,
            own,
            adr: m.hfield_adr[id] as usize,
        }
    }

    // true if a box lies within the bounds of the field
    fn meets(&self, low: [f64; 3], high: [f64; 3]) -> bool {
        let [x, y, top, bottom] = self.size;
        low[0] <= x
            && high[0] >= -x
            && low[1] <= y
            && high[1] >= -y
            && low[2] <= top
            && high[2] >= -bottom
    }

    // first and last grid lines of an axis that enclose a range
    fn lines(&self, low: f64, high: f64, axis: usize) -> (usize, usize) {
        let half = self.size[axis];
        let last = [self.ncol, self.nrow][axis] - 1;
        let line = |x: f64| (x + half) / (2.0 * half) * last as f64;
        let first = line(low).floor().max(0.0) as usize;
        (first, (line(high).ceil().max(0.0) as usize).min(last))
    }

    // a grid point of the surface, raised by the margin
    fn point(&self, r: usize, c: usize) -> [f64; 3] {
        let [x, y, top, _] = self.size;
        let dx = 2.0 * x / (self.ncol - 1) as f64;
        let dy = 2.0 * y / (self.nrow - 1) as f64;
        let place = self.adr + r * self.ncol + c;
        let height = self.own.hfield_data(self.m, place) * top;
        [dx * c as f64 - x, dy * r as f64 - y, height]
    }
}

// rotation matrix `mat` relative to `frame`
fn relative(frame: [f64; 9], mat: [f64; 9]) -> [f64; 9] {
    let columns: [[f64; 3]; 3] = std::array::from_fn(|j| mul_mat_t_vec3(frame, column(mat, j)));
    std::array::from_fn(|k| columns[k % 3][k / 3])
}

/// A height field and a convex solid; false if a search stopped before it converged.
pub fn hfield_convex<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    margin: f64,
    out: &mut Contacts,
) -> bool {
    let grid = Grid::new(m, own, geoms[0]);
    let [field, shape] = shapes;
    let placed = Shape {
        pos: mul_mat_t_vec3(field.mat, sub3(shape.pos, field.pos)),
        mat: relative(field.mat, shape.mat),
        size: shape.size,
    };

    // test by its bounding sphere, then by its bounding box
    let reach = own.geom_rbound(m, geoms[1]) + margin;
    if !grid.meets(placed.pos.map(|x| x - reach), placed.pos.map(|x| x + reach)) {
        return true;
    }
    let solid = Solid::new(m, geoms[1], placed, margin);
    if !m.opt.disabled(DSBL_NATIVECCD) {
        let mut search = Search::new();
        return over_grid(&grid, geoms[0], field, solid, out, |k, two, out| {
            newer(&mut search, k, two, out)
        });
    }
    over_grid(&grid, geoms[0], field, solid, out, |_, two, out| {
        older::against_prism(m, geoms, [field, shape], two, out);
        true
    })
}

/// A height field and an element of a flex (`mjc_HFieldElem`), given by its corners and radius; false if a search stopped before it
/// converged.
pub fn hfield_element<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geom: usize,
    field: Shape,
    element: &Element,
    margin: f64,
    out: &mut Contacts,
) -> bool {
    let solid = placed(m, &field, element, margin);
    if m.opt.disabled(DSBL_NATIVECCD) {
        older_element(m, own, geom, field, solid, None, out);
        return true;
    }
    let (grid, mut search) = (Grid::new(m, own, geom), Search::new());
    over_grid(&grid, geom, field, solid, out, |k, two, out| {
        newer(&mut search, k, two, out)
    })
}

/// The same by the older collider; the element is [`placed`].
pub fn older_element<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geom: usize,
    field: Shape,
    solid: Solid<'_>,
    mut rounding: Option<&mut Rounding>,
    out: &mut Contacts,
) {
    over_grid(
        &Grid::new(m, own, geom),
        geom,
        field,
        solid,
        out,
        |_, two, out| {
            older::prism_element(m, &field, two, rounding.as_deref_mut(), out);
            true
        },
    );
}

/// An element of a flex in the frame of a height field.
pub fn placed<'a>(m: &'a Model, field: &Shape, element: &Element, margin: f64) -> Solid<'a> {
    let local = |x: [f64; 3]| mul_mat_t_vec3(field.mat, sub3(x, field.pos));
    let corner = element.corner.map(local);
    Solid::of_element(m, corner, local(element.center()), element.radius, margin)
}

/// Largest number of prisms of a row whose planes are remembered.
const ROW: usize = 16;

/// A plane between the solid and a prism.
#[derive(Clone, Copy)]
struct Plane {
    /// Unit normal toward the prism.
    normal: [f64; 3],
    /// Height of a point along the normal beyond which it is farther from the solid than margins and tolerance.
    height: f64,
}

impl Plane {
    const NONE: Self = Self {
        normal: [0.0; 3],
        height: f64::INFINITY,
    };

    fn of(two: &mut Two<'_>, normal: [f64; 3]) -> Self {
        let solid = &mut two.second;
        let top = solid.support(normal);
        solid.forget();
        let size = extent(sub3(top, solid.shape.pos));
        let margin = 0.5 * (two.first.margin + solid.margin);
        let height = dot3(normal, top) + margin + two.tolerance + CLEAR * size;
        Self { normal, height }
    }

    // true if a prism is so far apart that a search finds it apart too
    fn separates(&self, prism: &mut Solid<'_>) -> bool {
        self.height < f64::INFINITY && {
            let lowest = prism.support(scl3(self.normal, -1.0));
            dot3(self.normal, lowest) > self.height
        }
    }
}

/// Searches of a solid over the prisms of a field.
struct Search {
    found: Found,
    /// The plane that separated the solid from the last prism.
    last: Plane,
    /// The planes of the row before, by the place of a prism in its row. They mostly separate the solid from the next prism too.
    before: [Plane; ROW],
}

impl Search {
    fn new() -> Self {
        Self {
            found: Found::default(),
            last: Plane::NONE,
            before: [Plane::NONE; ROW],
        }
    }
}

// GJK and EPA of a prism, at the place `k` of its row, and a solid, in the frame of the field, unless a plane nearby separates them
fn newer(search: &mut Search, k: usize, two: &mut Two<'_>, out: &mut Contacts) -> bool {
    let Search {
        found: s,
        last,
        before,
    } = search;
    let before = &mut before[k % ROW];
    for plane in [*last, *before] {
        if plane.separates(&mut two.first) {
            (*last, *before) = (plane, plane);
            return true;
        }
    }
    let sure = penetration(two, s).sure;
    if s.dist < 0.0 {
        let field = two.first.shape;
        let pos = add3(mul_mat_vec3(field.mat, s.middle()), field.pos);
        let normal = mul_mat_vec3(field.mat, s.toward());
        out.add(two.second.margin + s.dist, pos, normal);
    } else {
        let plane = Plane::of(two, s.normal);
        (*last, *before) = (plane, plane);
    }
    sure
}

// a solid against every prism that may reach it, whose place in its row is told; contacts are transformed to the world frame
fn over_grid<R: Real>(
    grid: &Grid<'_, R>,
    geom: usize,
    field: Shape,
    mut solid: Solid<'_>,
    out: &mut Contacts,
    mut against: impl FnMut(usize, &mut Two<'_>, &mut Contacts) -> bool,
) -> bool {
    let (m, margin) = (grid.m, solid.margin);
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    for k in 0..3 {
        let mut dir = [0.0; 3];
        dir[k] = 1.0;
        high[k] = solid.support(dir)[k];
        dir[k] = -1.0;
        low[k] = solid.support(dir)[k];
    }
    if !grid.meets(low.map(|x| x - margin), high.map(|x| x + margin)) {
        return true;
    }

    // every prism between two lines of the grid
    let bottom = -grid.size[3];
    let mut two = Two::new(m, Solid::new(m, geom, field, margin), solid);
    let mut sure = true;
    let (c_first, c_last) = grid.lines(low[0] - margin, high[0] + margin, 0);
    let (r_first, r_last) = grid.lines(low[1] - margin, high[1] + margin, 1);
    for r in r_first..r_last {
        // each point makes a prism with the two points before it
        let mut top = [[0.0; 3]; 3];
        for k in 0..2 * (c_last + 1 - c_first) {
            let point = grid.point(r + 1 - k % 2, c_first + k / 2);
            top = [top[1], top[2], point];
            if k < 2 || top.iter().all(|point| point[2] < low[2] - margin) {
                continue;
            }
            if out.num == MAXCONPAIR {
                return sure;
            }
            let [a, b, c] = top.map(|[x, y, _]| [x, y, bottom]);
            two.first.prism = [a, b, c, top[0], top[1], top[2]];
            sure &= against(k, &mut two, out);
        }
    }
    sure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Own;

    /// Solids of every kind in many poses on and above a fine field: the planes of the prisms before change no contact.
    #[test]
    fn planes_between_prisms_change_no_contact() {
        let kinds = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"];
        let geoms = kinds.map(|kind| {
            let mesh = if kind == "mesh" { r#" mesh="gem""# } else { "" };
            format!(r#"<geom type="{kind}"{mesh} size=".3 .2 .1"/>"#)
        });
        let wave = |k: usize, i: usize| (1.0 + 12.9898 * (k + 1) as f64 * (i + 1) as f64).sin();
        let hills: Vec<String> = (0..30 * 30)
            .map(|k| format!("{:.3}", 1.0 + 0.2 * wave(k, 0)))
            .collect();
        let xml = format!(
            r#"<mujoco><asset><mesh name="gem" builtin="sphere" params="2" scale=".3 .2 .1"/>
            <hfield name="hills" nrow="30" ncol="30" size="1 1 .2 .1" elevation="{}"/></asset>
            <worldbody><geom type="hfield" hfield="hills"/>{}</worldbody></mujoco>"#,
            hills.join(" "),
            geoms.concat()
        );
        let m = Model::from_xml_str(&xml).unwrap();
        let own = Own::<f64>::default();
        let field = Shape {
            pos: [0.0; 3],
            mat: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            size: [0.0; 3],
        };
        let mut contacts = 0;
        for k in 0..120 {
            let geom = 1 + k % 6;
            let shape = Shape {
                pos: [0.4 * wave(k, 1), 0.4 * wave(k, 2), 0.3 + 0.15 * wave(k, 3)],
                mat: quat2mat(normalize4([4, 5, 6, 7].map(|j| wave(k, j)))),
                size: m.geom_size[geom],
            };
            let margin = 0.01 * (k % 3) as f64;
            let run = |fresh: bool| {
                let grid = Grid::new(&m, OwnLane::new(&own, 0), 0);
                let solid = Solid::new(&m, geom, shape, margin);
                let (mut out, mut search) = (Contacts::new(), Search::new());
                over_grid(&grid, 0, field, solid, &mut out, |k, two, out| {
                    if fresh {
                        search = Search::new();
                    }
                    newer(&mut search, k, two, out)
                });
                let words = |p: &Point| [&[p.dist][..], &p.pos, &p.normal].concat();
                let points = out.point[..out.num].iter().map(words);
                points
                    .map(|x| x.iter().map(|x| x.to_bits()).collect())
                    .collect::<Vec<Vec<u64>>>()
            };
            let want = run(true);
            assert_eq!(run(false), want, "{k}");
            contacts += want.len();
        }
        assert!(contacts > 500, "{contacts}");
    }
}
