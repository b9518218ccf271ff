//! Rows of the worlds of a tile, side by side: the union of the lanes' rows, in the order of the model's elements.
//!
//! A lane without a row has D = 0 there, which adds exact zeros. So a lane's numbers do not depend on its neighbours.

use super::dual::Problems;
use super::island::Islands;
use super::narrow::Spots;
use crate::cpu::lib::cone::{Contact, is_elliptic};
use crate::cpu::lib::primal::{Fewer, Island, System};
use crate::cpu::lib::rows::{self, Patterns, for_rows};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{Cone, ConstraintType};

/// Rows are left out of an island only if at most this share of them remains, since the search for them costs time as well.
const LEFT: [usize; 2] = [7, 8];
/// Number of rows from which on rows without elliptic contacts are searched for those to leave out.
const MANY: usize = 128;

/// Data of a tile's rows that are the same in all lanes; made by `make_constraint`, consumed by the solver.
#[derive(Clone)]
pub struct Rows<R: Real> {
    /// Number of worlds of the tile; the lanes after them are spare, and nobody reads them.
    pub worlds: usize,
    /// Number of equality rows.
    pub ne: usize,
    /// Number of friction loss rows; they follow the equalities.
    pub nf: usize,
    /// Number of rows; the rows after the friction losses are one-sided.
    pub num: usize,
    /// Pair of the collision list of each contact slot.
    pub contact: Vec<i32>,
    /// `tree_asleep` at the beginning of a step, if trees may sleep.
    pub asleep: Vec<R::Int>,
    /// A tile before some of its stages are run again, if trees may sleep.
    pub before: Data<R>,
    /// Contacts of the present pair.
    pub spots: Spots<R>,
    /// Sparsity pattern of each row.
    pub pattern: Vec<i32>,
    /// Elliptic contacts.
    pub cones: Vec<Contact<R>>,
    /// Index of the elliptic contact that begins at each row.
    pub cone_of: Vec<usize>,
    /// Islands of the lanes.
    pub islands: Islands<R>,
    /// Problems of the dual solvers.
    pub problems: Problems<R>,
    // memory for the rows that lanes still need
    fewer: Fewer,
    /// Shape of the Hessian.
    pub(super) shape: super::hessian::Shape,
}

/// Slots in use in the worlds of a tile between two passes, as far as their arrays do not tell.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    ne: usize,
    nf: usize,
    num: usize,
    contact: Vec<i32>,
}

impl<R: Real> Rows<R> {
    /// Rows of a tile of worlds, empty.
    pub fn new(m: &Model) -> Self {
        Self {
            worlds: R::WIDTH,
            ne: 0,
            nf: 0,
            num: 0,
            contact: Vec::with_capacity(m.nconmax),
            asleep: Vec::new(),
            before: Data::default(),
            spots: Spots::new(),
            pattern: Vec::with_capacity(m.njmax),
            cones: Vec::new(),
            cone_of: Vec::new(),
            islands: Islands::default(),
            problems: Problems::default(),
            fewer: Fewer {
                rows: Vec::with_capacity(m.njmax),
                ..Fewer::default()
            },
            shape: super::hessian::Shape::new(m),
        }
    }

    /// Number of equalities, of friction losses, and of all rows.
    pub fn counts(&self) -> [usize; 3] {
        [self.ne, self.nf, self.num]
    }

    /// Stores the slots in use.
    pub fn leave(&self, taken: &mut Taken) {
        (taken.ne, taken.nf, taken.num) = (self.ne, self.nf, self.num);
        taken.contact.clear();
        if !self.contact.is_empty() {
            // reserve the largest capacity so far, so that later passes allocate nothing
            taken.contact.reserve_exact(self.contact.capacity());
            taken.contact.extend_from_slice(&self.contact);
        }
    }

    /// Restores the rows of a tile from an earlier pass.
    pub fn find_again(&mut self, m: &Model, d: &Data<R>, taken: &Taken) {
        (self.ne, self.nf, self.num) = (taken.ne, taken.nf, taken.num);
        self.contact.clone_from(&taken.contact);
        self.list_patterns(d);
        self.find_cones(m, d);
    }

    /// Lists the patterns of the rows.
    pub fn list_patterns(&mut self, d: &Data<R>) {
        let patterns = d.efc_Jpat[..self.num].iter();
        self.pattern.clear();
        self.pattern.extend(patterns.map(|&p| R::int_lane(p, 0)));
    }

    /// Finds the islands of the lanes.
    pub fn find_islands(&mut self, m: &Model, d: &mut Data<R>) {
        let mut islands = std::mem::take(&mut self.islands);
        islands.find(m, d, self);
        self.islands = islands;
    }

    // number of rows of the contact that begins at a row; 1: the row is no contact's
    fn together(&self, m: &Model, d: &Data<R>, r: usize) -> usize {
        if is_elliptic(m, d, r) {
            return self.contact(m, d, r).dim;
        }
        if R::int_lane(d.efc_type[r], 0) != ConstraintType::ContactPyramidal as i32 {
            return 1;
        }
        let pair = self.contact[R::int_lane(d.efc_id[r], 0) as usize] as usize;
        2 * (m.collision_condim[pair] as usize - 1)
    }

    /// Finds the elliptic contacts among the rows.
    pub fn find_cones(&mut self, m: &Model, d: &Data<R>) {
        self.cones.clear();
        self.cone_of.clear();
        let mut r = self.ne + self.nf;
        while r < self.num {
            if !is_elliptic(m, d, r) {
                r += 1;
                continue;
            }
            let pair = self.contact[R::int_lane(d.efc_id[r], 0) as usize] as usize;
            let contact = Contact::new(m, d, pair, r);
            self.cone_of.resize(r, 0);
            self.cone_of.push(self.cones.len());
            self.cones.push(contact);
            r += contact.dim;
        }
    }
}

impl<R: Real> System<R> for Rows<R> {
    #[inline(always)]
    fn jacobian<'a>(
        &'a self,
        of: Patterns<'a>,
        _patterns: &'a [R::Int],
        entries: &'a [R],
    ) -> rows::Rows<'a, R> {
        let pat = &self.pattern;
        rows::Rows { of, pat, entries }
    }

    fn mul_vec(rows: rows::Rows<'_, R>, list: &[i32], v: &[R], out: &mut [R]) {
        for_rows!(rows, list, |r, entries, dofs| {
            let sum = dot_rows(entries, dofs, v);
            for n in 0..r.len() {
                out[r[n]] = sum[n];
            }
        });
    }

    fn add_mul_t_vec(rows: rows::Rows<'_, R>, list: &[i32], f: &[R], out: &mut [R]) {
        for_rows!(rows, list, |r, entries, dofs| add_rows(
            entries,
            dofs,
            r.map(|r| f[r]),
            out
        ));
    }

    #[inline(always)]
    fn contact(&self, _m: &Model, _d: &Data<R>, r: usize) -> Contact<R> {
        self.cones[self.cone_of[r]]
    }

    fn symbolic(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>) {
        self.find_shape(m, d, island);
    }

    // the whole Hessian is made when it is factored
    fn make_hessian(&mut self, _m: &Model, _d: &mut Data<R>, _island: &Island<'_, R>) {}

    fn update_hessian(&mut self, _m: &Model, _d: &mut Data<R>, _island: &Island<'_, R>) {}

    fn factor(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>) {
        self.make_and_factor(m, d, island);
    }

    fn direction(&mut self, _m: &Model, d: &mut Data<R>, island: &Island<'_, R>) -> R {
        self.newton_direction(d, island)
    }

    fn pack(
        &self,
        m: &Model,
        d: &mut Data<R>,
        rows: &[i32],
        live: R::Mask,
        at: usize,
    ) -> Option<[usize; 2]> {
        self.pack_line(m, d, rows, live, at)
    }

    fn take_fewer(&mut self) -> Fewer {
        let mut fewer = std::mem::take(&mut self.fewer);
        fewer.some = false;
        fewer
    }

    fn put_fewer(&mut self, fewer: Fewer) {
        self.fewer = fewer;
    }

    fn leave_out(
        &self,
        m: &Model,
        d: &Data<R>,
        island: &Island<'_, R>,
        lanes: R::Mask,
        fewer: &mut Fewer,
    ) -> bool {
        // a few edges of pyramids are cheaper to keep than to search
        let before = fewer.of(island).rows.len();
        if m.opt.cone != Cone::Elliptic && before < MANY {
            return false;
        }
        let friction = island.ne + island.nf;
        let (rows, mut k) = (&mut fewer.rows, 0);
        rows.clear();
        (fewer.ne, fewer.nf) = (0, 0);
        while k < island.rows.len() {
            // rows of a contact stay together
            let r = island.rows[k] as usize;
            let num = self.together(m, d, r);
            if (lanes & R::zero().lt(d.efc_D[r])).any() {
                rows.extend_from_slice(&island.rows[k..k + num]);
                fewer.ne += usize::from(k < island.ne);
                fewer.nf += usize::from((island.ne..friction).contains(&k));
            }
            k += num;
        }
        let many = rows.len() * LEFT[1] <= before * LEFT[0];
        fewer.some |= many;
        many
    }
}

// products of rows of the same pattern with a vector
#[inline(always)]
fn dot_rows<R: Real, const N: usize>(entries: [&[R]; N], dofs: &[i32], v: &[R]) -> [R; N] {
    let entries: [&[R]; N] = entries.map(|row| &row[..dofs.len()]);
    let mut sum = [R::zero(); N];
    for (k, &dof) in dofs.iter().enumerate() {
        let v = v[dof as usize];
        for n in 0..N {
            sum[n] = entries[n][k].mul_add(v, sum[n]);
        }
    }
    sum
}

// adds rows of the same pattern, each times its force
#[inline(always)]
fn add_rows<R: Real, const N: usize>(
    entries: [&[R]; N],
    dofs: &[i32],
    force: [R; N],
    out: &mut [R],
) {
    if force.iter().all(|f| f.abs().le(R::zero()).all()) {
        return;
    }
    let entries: [&[R]; N] = entries.map(|row| &row[..dofs.len()]);
    for (k, &dof) in dofs.iter().enumerate() {
        let out = &mut out[dof as usize];
        let mut x = *out;
        for n in 0..N {
            x = entries[n][k].mul_add(force[n], x);
        }
        *out = x;
    }
}
