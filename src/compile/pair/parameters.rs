//! Contact parameters of each pair (`mj_contactParam`), mixed once: those of a predefined pair, or of the two sides of a dynamic one.

use super::soft;
use crate::fields::Arrays;
use crate::types::*;

/// Fills the parameters of the contacts of each pair, `collision_friction` and its likes.
pub fn parameters(m: &mut Arrays) {
    m.collision_condim = (0..m.ncollision).map(|k| condim(m, k)).collect();
    margins(m);
    frictions(m);
    impedances(m);
    adhesions(m);
}

/// Distances: `collision_detect`, `collision_margin`.
pub fn margins(m: &mut Arrays) {
    fill(m, |m| &mut m.collision_margin, |m, k| [margin(m, k)]);
    fill(
        m,
        |m| &mut m.collision_detect,
        |m, k| [margin(m, k) + gap(m, k)],
    );
}

/// `collision_friction`.
pub fn frictions(m: &mut Arrays) {
    fill(m, |m| &mut m.collision_friction, friction);
}

/// Parameters of the solver: `collision_solref`, `collision_solreffriction`, `collision_solimp`.
pub fn impedances(m: &mut Arrays) {
    fill(m, |m| &mut m.collision_solref, solref);
    fill(m, |m| &mut m.collision_solreffriction, solreffriction);
    fill(m, |m| &mut m.collision_solimp, solimp);
}

/// `collision_adhesion`, and the number of pairs that have any.
pub fn adhesions(m: &mut Arrays) {
    fill(
        m,
        |m| &mut m.collision_adhesion,
        |m, k| {
            [match Origin::of(m, k) {
                Origin::Said(pair) => m.pair_adhesion[pair],
                Origin::Mixed(sides) => sides.chosen(m, |m, side| side.adhesion(m), |a, b| a + b),
            }]
        },
    );
    let sticks = |adhesion: &&f64| **adhesion != 0.0;
    m.nadhesion = m.collision_adhesion.iter().filter(sticks).count();
}

// a list with a row for each pair
fn fill<const N: usize>(
    m: &mut Arrays,
    list: fn(&mut Arrays) -> &mut Vec<f64>,
    of: impl Fn(&Arrays, usize) -> [f64; N],
) {
    let mut rows = std::mem::take(list(m));
    let len = m.ncollision * N;
    // lists may be long: none has more room than it needs
    rows.reserve_exact(len.saturating_sub(rows.len()));
    rows.resize(len, 0.0);
    for (k, row) in rows.chunks_exact_mut(N).enumerate() {
        row.copy_from_slice(&of(m, k));
    }
    *list(m) = rows;
}

/// Where the parameters of a pair come from.
enum Origin {
    Said(usize),
    Mixed(Sides),
}

impl Origin {
    fn of(m: &Arrays, k: usize) -> Self {
        let side = |geom: i32, side: usize| match usize::try_from(geom) {
            Ok(geom) => Side::Geom(geom),
            Err(_) => Side::Flex(m.collision_flex[2 * k + side] as usize),
        };
        match usize::try_from(m.collision_pairid[k]) {
            Ok(pair) => Self::Said(pair),
            Err(_) => Self::Mixed(Sides([
                side(m.collision_geom1[k], 0),
                side(m.collision_geom2[k], 1),
            ])),
        }
    }
}

/// A side of a pair: a geom or a flex.
#[derive(Clone, Copy)]
enum Side {
    Geom(usize),
    Flex(usize),
}

impl Side {
    fn priority(self, m: &Arrays) -> i32 {
        match self {
            Self::Geom(g) => m.geom_priority[g],
            Self::Flex(f) => m.flex_priority[f],
        }
    }

    fn condim(self, m: &Arrays) -> i32 {
        match self {
            Self::Geom(g) => m.geom_condim[g],
            Self::Flex(f) => m.flex_condim[f],
        }
    }

    fn solmix(self, m: &Arrays) -> f64 {
        match self {
            Self::Geom(g) => m.geom_solmix[g],
            Self::Flex(f) => m.flex_solmix[f],
        }
    }

    fn margin(self, m: &Arrays) -> f64 {
        match self {
            Self::Geom(g) => m.geom_margin[g],
            Self::Flex(f) => m.flex_margin[f],
        }
    }

    fn gap(self, m: &Arrays) -> f64 {
        match self {
            Self::Geom(g) => m.geom_gap[g],
            Self::Flex(f) => m.flex_gap[f],
        }
    }

    fn friction(self, m: &Arrays) -> [f64; 3] {
        match self {
            Self::Geom(g) => m.geom_friction[g],
            Self::Flex(f) => row(&m.flex_friction, f),
        }
    }

    fn solref(self, m: &Arrays) -> [f64; 2] {
        match self {
            Self::Geom(g) => row(&m.geom_solref, g),
            Self::Flex(f) => row(&m.flex_solref, f),
        }
    }

    fn solimp(self, m: &Arrays) -> [f64; 5] {
        match self {
            Self::Geom(g) => row(&m.geom_solimp, g),
            Self::Flex(f) => row(&m.flex_solimp, f),
        }
    }

    fn adhesion(self, m: &Arrays) -> f64 {
        match self {
            Self::Geom(g) => m.geom_adhesion[g],
            Self::Flex(_) => 0.0,
        }
    }
}

/// Both sides of a dynamic pair.
#[derive(Clone, Copy)]
struct Sides([Side; 2]);

impl Sides {
    // the one of higher priority decides; of equal ones, both do
    fn chosen<T>(self, m: &Arrays, of: impl Fn(&Arrays, Side) -> T, both: impl Fn(T, T) -> T) -> T {
        let [a, b] = self.0;
        match a.priority(m).cmp(&b.priority(m)) {
            std::cmp::Ordering::Equal => both(of(m, a), of(m, b)),
            std::cmp::Ordering::Less => of(m, b),
            std::cmp::Ordering::Greater => of(m, a),
        }
    }

    fn sum(self, of: impl Fn(Side) -> f64) -> f64 {
        let [a, b] = self.0;
        of(a) + of(b)
    }

    // weighted means of both sides' numbers
    fn blend<const N: usize>(self, m: &Arrays, a: [f64; N], b: [f64; N]) -> [f64; N] {
        let [mix1, mix2] = self.0.map(|side| side.solmix(m));
        let mix = mix_factor(mix1, mix2);
        std::array::from_fn(|k| mix * a[k] + (1.0 - mix) * b[k])
    }
}

fn mix_factor(solmix1: f64, solmix2: f64) -> f64 {
    match (solmix1 >= MINVAL, solmix2 >= MINVAL) {
        (true, true) => solmix1 / (solmix1 + solmix2),
        (true, false) => 1.0,
        (false, true) => 0.0,
        (false, false) => 0.5,
    }
}

fn row<const N: usize>(array: &[f64], i: usize) -> [f64; N] {
    std::array::from_fn(|k| array[i * N + k])
}

fn is_overridden(m: &Arrays) -> bool {
    m.opt.enabled(ENBL_OVERRIDE)
}

fn condim(m: &Arrays, k: usize) -> i32 {
    match Origin::of(m, k) {
        Origin::Said(pair) => m.pair_dim[pair],
        Origin::Mixed(sides) => sides.chosen(m, |m, side| side.condim(m), i32::max),
    }
}

// a flex against itself has neither margin nor gap: elements that are neighbours would always be within it
fn margin(m: &Arrays, k: usize) -> f64 {
    match Origin::of(m, k) {
        _ if soft::is_itself(m, k) => 0.0,
        _ if is_overridden(m) => m.opt.o_margin,
        Origin::Said(pair) => m.pair_margin[pair],
        Origin::Mixed(sides) => sides.sum(|side| side.margin(m)),
    }
}

fn gap(m: &Arrays, k: usize) -> f64 {
    match Origin::of(m, k) {
        _ if soft::is_itself(m, k) => 0.0,
        Origin::Said(pair) => m.pair_gap[pair],
        Origin::Mixed(sides) => sides.sum(|side| side.gap(m)),
    }
}

fn friction(m: &Arrays, k: usize) -> [f64; 5] {
    let friction = match Origin::of(m, k) {
        _ if is_overridden(m) => m.opt.o_friction,
        Origin::Said(pair) => row(&m.pair_friction, pair),
        Origin::Mixed(sides) => {
            let larger = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|k| a[k].max(b[k]));
            let [slide, spin, roll] = sides.chosen(m, |m, side| side.friction(m), larger);
            [slide, slide, spin, roll, roll]
        }
    };
    friction.map(|mu| mu.max(MINMU))
}

fn solref(m: &Arrays, k: usize) -> [f64; 2] {
    match Origin::of(m, k) {
        _ if is_overridden(m) => m.opt.o_solref,
        Origin::Said(pair) => row(&m.pair_solref, pair),
        Origin::Mixed(sides) => {
            let mix = |a: [f64; 2], b: [f64; 2]| match a[0] > 0.0 && b[0] > 0.0 {
                true => sides.blend(m, a, b),
                false => std::array::from_fn(|k| a[k].min(b[k])),
            };
            sides.chosen(m, |m, side| side.solref(m), mix)
        }
    }
}

fn solreffriction(m: &Arrays, k: usize) -> [f64; 2] {
    match Origin::of(m, k) {
        _ if is_overridden(m) => m.opt.o_solref,
        Origin::Said(pair) => row(&m.pair_solreffriction, pair),
        Origin::Mixed(_) => [0.0; 2],
    }
}

fn solimp(m: &Arrays, k: usize) -> [f64; 5] {
    match Origin::of(m, k) {
        _ if is_overridden(m) => m.opt.o_solimp,
        Origin::Said(pair) => row(&m.pair_solimp, pair),
        Origin::Mixed(sides) => {
            let mix = |a, b| sides.blend(m, a, b);
            sides.chosen(m, |m, side| side.solimp(m), mix)
        }
    }
}
