//! Rows of the worlds of a tile, side by side: the union of the lanes' rows, in the order of the model's elements.

use super::cone::{Contact, MAXDIM, Path};
use super::narrow::Spots;
use crate::fields::Model;
use crate::real::Real;

/// What is the same in all lanes about the rows of a tile; made by `make_constraint`, used up by the solver.
#[derive(Clone)]
pub struct Rows<R: Real> {
    /// Number of equality rows.
    pub ne: usize,
    /// Number of friction loss rows; they follow the equalities.
    pub nf: usize,
    /// Number of rows; what follows the friction losses is one-sided.
    pub num: usize,
    /// Pair of the collision list of each contact slot.
    pub contact: Vec<i32>,
    /// Contacts of the pair at hand.
    pub spots: Spots<R>,
    /// Sparsity pattern of each row.
    pub pattern: Vec<i32>,
    /// Weight of each row in the Hessian: its D in the lanes where it is quadratic.
    pub weight: Vec<R>,
    /// Elliptic contacts.
    pub cones: Vec<Contact<R>>,
    /// Second derivative of the cost of each elliptic contact.
    pub cone_weight: Vec<[[R; MAXDIM]; MAXDIM]>,
    /// One in the lanes where an elliptic contact is quadratic in every row.
    pub cone_bottom: Vec<R>,
    /// What the line search needs to know of them.
    pub paths: Vec<Path<R>>,
    /// D of each row, but nothing for rows of elliptic contacts; empty if there are none.
    pub one_sided: Vec<R>,
    /// Whether a row is of an elliptic contact; empty if none is.
    pub is_cone: Vec<bool>,
    /// Last dof that a dof is coupled to.
    pub end: Vec<i32>,
    /// Address of a dof's row in the Hessian, less the dof's number.
    pub adr: Vec<i32>,
    /// Number of entries of the Hessian.
    pub nh: usize,
}

impl<R: Real> Rows<R> {
    /// Room for the rows of a tile of worlds.
    pub fn new(m: &Model) -> Self {
        Self {
            ne: 0,
            nf: 0,
            num: 0,
            contact: Vec::with_capacity(m.nconmax),
            spots: Spots::new(),
            pattern: Vec::with_capacity(m.njmax),
            weight: Vec::with_capacity(m.njmax),
            cones: Vec::new(),
            cone_weight: Vec::new(),
            cone_bottom: Vec::new(),
            paths: Vec::new(),
            one_sided: Vec::new(),
            is_cone: Vec::new(),
            end: vec![0; m.nv],
            adr: vec![0; m.nv],
            nh: 0,
        }
    }

    /// Takes all rows in order, several of one pattern at a time: `run` gets the first of them and how many there are, a
    /// power of two.
    #[inline(always)]
    pub fn by_pattern(&self, mut run: impl FnMut(usize, usize)) {
        let mut r = 0;
        while r < self.num {
            let rows = &self.pattern[r..self.num.min(r + 4)];
            let n = rows.iter().take_while(|&&p| p == rows[0]).count();
            let n = if n == 3 { 2 } else { n };
            run(r, n);
            r += n;
        }
    }

    /// True if a row is of an elliptic contact.
    #[inline(always)]
    pub fn is_cone(&self, r: usize) -> bool {
        !self.cones.is_empty() && self.is_cone[r]
    }

    /// Dofs that some rows of one pattern touch, and their entries.
    #[inline(always)]
    pub fn some<'a, const N: usize>(
        &self,
        m: &'a Model,
        entries: &'a [R],
        r: usize,
    ) -> (&'a [i32], [&'a [R]; N]) {
        let dofs = pattern(m, self.pattern[r]);
        let row = |n: usize| &entries[(r + n) * m.nJrow..][..dofs.len()];
        (dofs, std::array::from_fn(row))
    }
}

/// Dofs of a sparsity pattern.
#[inline(always)]
pub fn pattern(m: &Model, p: i32) -> &[i32] {
    let adr = m.Jpat_adr[p as usize] as usize;
    &m.Jpat_dof[adr..adr + m.Jpat_num[p as usize] as usize]
}
