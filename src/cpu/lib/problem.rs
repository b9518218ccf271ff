//! The dual problem of one island of one world, copied out of the world: `1/2 f' (A + R) f + f' b` over the rows' forces f.
//!
//! A = J inv(M) J' = Y' Y, where Y is J' after half a solve with the factor of M. For few rows A is formed and the residuals are
//! updated, with one row of A for each change of a force. For many rows A would be large: Y is stored instead, and the sum Y f is
//! updated.
//!
//! Numbers of rows are processed eight at a time. Sums over rows have the same order on every processor.

use wide::f64x8;

use super::cone::{Contact, MAXDIM};
use super::dual::Block;
use super::half::{Half, Halves};
use super::primal::{Island, System};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Islands with more rows do not form A.
const MANY: usize = 256;

/// Number of numbers in a register.
pub const LANES: usize = 8;

// registers that are read together: a row has an even number of them
const PAIR: usize = 2;

/// Number of registers for `num` numbers.
pub fn registers(num: usize) -> usize {
    num.div_ceil(PAIR * LANES) * PAIR
}

/// Numbers that are read one by one and eight at a time; zero behind the last.
#[derive(Clone, Default)]
pub struct Numbers(pub Vec<f64x8>);

impl Numbers {
    /// Becomes `num` zeros.
    pub fn reset(&mut self, num: usize) {
        self.0.clear();
        self.0.resize(registers(num), f64x8::ZERO);
    }
}

impl std::ops::Deref for Numbers {
    type Target = [f64];
    #[inline(always)]
    fn deref(&self) -> &[f64] {
        bytemuck::cast_slice(&self.0)
    }
}

impl std::ops::DerefMut for Numbers {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// The sum of eight numbers, in the same order on every processor.
pub fn sum_of(x: f64x8) -> f64 {
    let [a, b, c, d, e, f, g, h] = x.to_array();
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Origin of a problem: a lane of worlds side by side, or the one world.
pub struct Whose<'a, R: Real, S> {
    /// Model.
    pub m: &'a Model,
    /// The worlds.
    pub d: &'a Data<R>,
    /// The worlds' Jacobian and contacts.
    pub system: &'a S,
    /// Lane of the world.
    pub lane: usize,
    /// The island's rows and dofs, of this lane alone.
    pub island: Island<'a, f64>,
    /// J' after half a solve with the factor of M, if all lanes have it already.
    pub solved: Option<&'a Halves<R>>,
}

/// The dual problem of one island.
#[derive(Clone, Default)]
pub struct Problem {
    /// Row numbers in the world.
    pub rows: Vec<i32>,
    /// Number of equalities, which come first, and of friction losses, which follow.
    pub counts: [usize; 2],
    /// 1 / trace of the island's inertia.
    pub scale: f64,
    /// Force of each row.
    pub force: Numbers,
    /// Lower bound of a single row's force; rows of elliptic contacts have no bounds of their own.
    pub low: Numbers,
    /// Upper bound of a single row's force.
    pub high: Numbers,
    /// Number of rows of the elliptic contact that begins at this row, else 1.
    pub dim: Vec<usize>,
    /// Friction coefficients of the elliptic contact that begins at this row.
    pub friction: Vec<[f64; MAXDIM]>,
    /// True for edges of pyramids.
    pub edge: Vec<bool>,
    /// R of each row.
    pub softness: Numbers,
    b: Numbers,
    // true for A + R, false for A
    regularized: bool,
    // diagonal of A, and A of each row with the rows updated together with it
    diagonal: Vec<f64>,
    near: Vec<[f64; MAXDIM]>,
    // true if A is formed
    few: bool,
    // rows of A, or of Y'
    entries: Vec<f64x8>,
    stride: usize,
    // residuals, or Y f; and their values at zero forces
    state: Numbers,
    origin: Numbers,
    // stored residuals, or Y f
    last: Numbers,
    // rows with nonzero force
    pushing: Vec<u32>,
}

impl Problem {
    /// Becomes the problem of an island; `regularized`: A + R, else A.
    pub fn take<R: Real, S: System<R>>(
        &mut self,
        of: &Whose<'_, R, S>,
        regularized: bool,
        half: &mut Half,
    ) {
        self.regularized = regularized;
        self.read_rows(of);
        half.take(of);
        self.make(half, MANY);
    }

    // `many`: with more rows A is not formed
    fn make(&mut self, half: &mut Half, many: usize) {
        self.few = self.rows.len() <= many;
        self.make_entries(half);
        self.make_near();
        self.origin.reset(LANES * self.stride);
        if self.few {
            self.origin.copy_from_slice(&self.b);
        }
        self.state.reset(LANES * self.stride);
    }

    fn read_rows<R: Real, S: System<R>>(&mut self, of: &Whose<'_, R, S>) {
        let (d, lane, island) = (of.d, of.lane, of.island);
        let num = island.rows.len();
        self.rows.clear();
        self.rows.extend(island.rows);
        self.counts = [island.ne, island.nf];
        self.scale = island.scale;
        for x in [
            &mut self.force,
            &mut self.low,
            &mut self.high,
            &mut self.softness,
            &mut self.b,
        ] {
            x.reset(num);
        }
        self.dim.clear();
        self.dim.resize(num, 1);
        self.edge.clear();
        self.friction.clear();
        self.friction.resize(num, [0.0; MAXDIM]);
        let mut free = island.ne;
        for (k, &r) in island.rows.iter().enumerate() {
            let r = r as usize;
            let kind = R::int_lane(d.efc_type[r], lane);
            self.force[k] = d.efc_force[r].lane(lane);
            self.softness[k] = d.efc_R[r].lane(lane);
            self.b[k] = d.efc_b[r].lane(lane);
            self.edge
                .push(kind == ConstraintType::ContactPyramidal as i32);
            let elliptic =
                of.m.opt.cone == Cone::Elliptic && kind == ConstraintType::ContactElliptic as i32;
            if elliptic && k >= free {
                let contact = of.system.contact(of.m, d, r);
                self.begin_contact(k, &contact, lane);
                free = k + contact.dim;
            }
            let loss = d.efc_frictionloss[r].lane(lane);
            let [low, high] = match k {
                _ if k < free => [f64::NEG_INFINITY, f64::INFINITY],
                _ if k < island.ne + island.nf => [-loss, loss],
                _ => [0.0, f64::INFINITY],
            };
            (self.low[k], self.high[k]) = (low, high);
        }
    }

    fn begin_contact<R: Real>(&mut self, k: usize, contact: &Contact<R>, lane: usize) {
        self.dim[k] = contact.dim;
        for (to, mu) in self.friction[k].iter_mut().zip(contact.friction()) {
            *to = mu.lane(lane);
        }
    }

    fn make_entries(&mut self, half: &mut Half) {
        let (num, stride) = (self.rows.len(), half.stride);
        if !self.few {
            self.stride = registers(half.num);
            self.entries.clear();
            self.entries.resize(num * self.stride, f64x8::ZERO);
            half.transpose(&mut self.entries, num);
            return;
        }
        self.stride = stride;
        // all of them are written
        self.entries.resize(LANES * stride * stride, f64x8::ZERO);
        half.multiply(&mut self.entries);
        if self.regularized {
            let entries: &mut [f64] = bytemuck::cast_slice_mut(&mut self.entries);
            for r in 0..num {
                entries[r * LANES * stride + r] += self.softness[r];
            }
        }
    }

    // a among the rows of a contact, of two edges of a pyramid, or of a single row
    fn make_near(&mut self) {
        let num = self.rows.len();
        self.near.clear();
        self.near.resize(num, [0.0; MAXDIM]);
        self.diagonal.clear();
        for r in 0..num {
            self.diagonal.push(self.entry(r, r));
        }
        let mut first = 0;
        while first < num {
            let together = self.together(first);
            for (i, j) in (0..together).flat_map(|i| (0..together).map(move |j| (i, j))) {
                self.near[first + i][j] = self.entry(first + i, first + j);
            }
            first += together;
        }
    }

    /// Writes the forces to the world.
    pub fn give<R: Real>(&self, d: &mut Data<R>, lane: usize) {
        for (&r, &force) in self.rows.iter().zip(&*self.force) {
            d.efc_force[r as usize].set_lane(lane, force);
        }
    }

    // number of rows that any solver updates together
    fn together(&self, r: usize) -> usize {
        let pair = self.edge[r] && self.edge.get(r + 1) == Some(&true);
        if pair { 2 } else { self.dim[r] }
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        if self.few {
            return bytemuck::cast_slice::<_, f64>(self.row(i))[j];
        }
        let softness = match i == j && self.regularized {
            true => self.softness[i],
            false => 0.0,
        };
        product(self.row(i), self.row(j)) + softness
    }

    #[inline(always)]
    fn row(&self, r: usize) -> &[f64x8] {
        &self.entries[r * self.stride..][..self.stride]
    }

    /// Diagonal entry of A.
    #[inline(always)]
    pub fn diagonal(&self, r: usize) -> f64 {
        self.diagonal[r]
    }

    /// A among `num` rows that are updated together, beginning with the `skip`-th row after `r`.
    pub fn block(&self, r: usize, num: usize, skip: usize) -> Block {
        let mut a = [[0.0; MAXDIM]; MAXDIM];
        for i in 0..num {
            a[i][..num].copy_from_slice(&self.near[r + skip + i][skip..skip + num]);
        }
        a
    }

    /// Computes the residuals from all forces.
    pub fn accelerate(&mut self) {
        // rows without force contribute nothing
        let mut num = 0;
        self.pushing.resize(self.rows.len(), 0);
        for r in 0..self.rows.len() {
            self.pushing[num] = r as u32;
            num += usize::from(self.force[r] != 0.0);
        }
        let mut first = 0;
        while first + 4 <= self.stride {
            self.sum_rows::<4>(first, num);
            first += 4;
        }
        if first < self.stride {
            self.sum_rows::<PAIR>(first, num);
        }
    }

    // N registers of the state: sum of rows times their forces, over the first `num` rows in `pushing`
    #[inline(always)]
    fn sum_rows<const N: usize>(&mut self, first: usize, num: usize) {
        let force: &[f64] = &self.force;
        let mut sum: [f64x8; N] = std::array::from_fn(|k| self.origin.0[first + k]);
        for &r in &self.pushing[..num] {
            let f = f64x8::splat(force[r as usize]);
            let row = &self.entries[r as usize * self.stride + first..][..N];
            for k in 0..N {
                sum[k] += row[k] * f;
            }
        }
        self.state.0[first..first + N].copy_from_slice(&sum);
    }

    /// A row of A times all forces, plus b; plus R times the row's force if the problem is regularized.
    #[inline(always)]
    pub fn residual(&self, r: usize) -> f64 {
        if self.few {
            return self.state[r];
        }
        let sum = self.b[r] + product(self.row(r), &self.state.0);
        match self.regularized {
            true => sum + self.softness[r] * self.force[r],
            false => sum,
        }
    }

    /// Changes the force of a row, and updates the residuals.
    #[inline(always)]
    pub fn set_force(&mut self, r: usize, force: f64) {
        let change = force - self.force[r];
        self.force[r] = force;
        self.push(r, change);
    }

    /// Updates the residuals for a change of a row's force.
    #[inline(always)]
    pub fn push(&mut self, r: usize, change: f64) {
        let change = f64x8::splat(change);
        match self.stride {
            // most problems have at most 32 rows
            2 => self.push_registers::<2>(r, change),
            4 => self.push_registers::<4>(r, change),
            stride => {
                let row = &self.entries[r * stride..][..stride];
                for (x, a) in self.state.0.iter_mut().zip(row) {
                    *x += *a * change;
                }
            }
        }
    }

    // updates residuals of N registers
    #[inline(always)]
    fn push_registers<const N: usize>(&mut self, r: usize, change: f64x8) {
        let row = &self.entries.as_chunks::<N>().0[r];
        let residuals = &mut self.state.0.as_chunks_mut::<N>().0[0];
        for (x, a) in residuals.iter_mut().zip(row) {
            *x += *a * change;
        }
    }

    /// Stores the residuals.
    pub fn keep(&mut self) {
        self.last.0.clone_from(&self.state.0);
    }

    /// Stores the residuals, and extrapolates them from the stored ones by the factor `by`. The result belongs to forces
    /// extrapolated likewise.
    pub fn go_on(&mut self, by: f64x8) {
        for (x, last) in self.state.0.iter_mut().zip(&mut self.last.0) {
            let now = *x;
            *x = now + by * (now - *last);
            *last = now;
        }
    }

    /// Changes forces of consecutive rows.
    pub fn set_forces(&mut self, r: usize, forces: &[f64]) {
        for (k, &force) in forces.iter().enumerate() {
            self.set_force(r + k, force);
        }
    }
}

fn product(a: &[f64x8], b: &[f64x8]) -> f64 {
    let mut sum = f64x8::ZERO;
    for (a, b) in a.iter().zip(b) {
        sum += *a * *b;
    }
    sum_of(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu;
    use crate::cpu::lib::hessian::Sparse;
    use crate::cpu::lib::primal::{Maps, island_of};

    // with many rows A is not formed: residuals, and A among rows updated together, are the same
    #[test]
    fn few_rows_and_many_have_the_same_residuals() {
        let mut met = 0;
        for name in ["boxes", "elliptic", "quadruped"] {
            let m = Model::from_xml_path(format!("models/{name}.xml")).unwrap();
            let mut d = Data::new(&m);
            for _ in 0..60 {
                cpu::step(&m, &mut d);
            }
            cpu::forward(&m, &mut d);
            let maps = Maps::take(&mut d);
            for regularized in [false, true] {
                for k in 0..d.nisland[0] as usize {
                    let of = Whose {
                        m: &m,
                        d: &d,
                        system: &Sparse::default(),
                        lane: 0,
                        island: island_of(&m, &d, &maps, k),
                        solved: None,
                    };
                    met += compare(&of, regularized);
                }
            }
        }
        assert!(met > 100, "{met} rows");
    }

    fn compare(of: &Whose<'_, f64, Sparse>, regularized: bool) -> usize {
        let (mut few, mut many) = (Problem::default(), Problem::default());
        let mut half = Half::default();
        few.take(of, regularized, &mut half);
        many.take(of, regularized, &mut half);
        many.make(&mut half, 0);
        let num = few.rows.len();
        let close = |a: f64, b: f64, what: &str| {
            let e = (a - b).abs() / (1.0 + a.abs());
            assert!(e < 1e-9, "{what}: {a} and {b}");
        };
        let residuals = |few: &Problem, many: &Problem| {
            (0..num).for_each(|r| close(few.residual(r), many.residual(r), "residual"));
        };
        few.accelerate();
        many.accelerate();
        residuals(&few, &many);
        for r in 0..num {
            let force = 0.1 * r as f64;
            few.set_force(r, force);
            many.set_force(r, force);
            close(few.diagonal(r), many.diagonal(r), "A");
            for (a, b) in few.near[r].iter().zip(&many.near[r]) {
                close(*a, *b, "A");
            }
        }
        residuals(&few, &many);
        num
    }
}
