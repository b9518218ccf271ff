//! The solves within a step: the rows of the world, and a one-sided row for each pair, in the metric of the discrete step.

use super::active::Active;
use super::parts::{Parts, velocity};
use crate::cpu::lib::coupling::add_couplings;
use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::math::*;
use crate::cpu::lib::metric::exchange_metric;
use crate::cpu::lib::primal::{Island, rows_cost, scale_of, start};
use crate::cpu::lib::rows::{Rows, dofs_of, patterns};
use crate::cpu::lib::sparse::mul_m;
use crate::cpu::settle::spin_free;
use crate::cpu::solve_cg::conjugate_gradients;
use crate::cpu::solve_newton::newton;
use crate::fields::{Arrays, Data, Model};
use crate::types::*;

/// A copy of the world, with the metric in M's place; and of the model, with the patterns of the pairs' rows.
pub struct Inner {
    m: Model,
    d: Data,
    // sizes without the pairs
    pattern: [usize; 2],
    row: usize,
    num: usize,
    // all dofs, and numbers of rows
    dofs: Vec<i32>,
    rows: Vec<i32>,
    scale: f64,
}

impl Inner {
    pub fn new(m: &Model, d: &Data) -> Self {
        let mut own = m.clone();
        list_patterns(own.arrays_mut(), d);
        let mut inner = Self {
            pattern: [own.nJpat, own.Jpat_dof.len()],
            m: own,
            d: d.clone(),
            row: m.nJrow,
            num: d.nefc[0] as usize,
            dofs: (0..m.nv as i32).collect(),
            rows: Vec::new(),
            scale: 1.0,
        };
        let world = &mut inner.d;
        exchange_metric(world);
        for i in 0..m.nv {
            world.qfrc_smooth[i] += world.efm_c[i];
            world.map_dof2idof[i] = i as i32;
        }
        inner.scale = scale_of(m, &inner.d, &inner.dofs);
        inner
    }

    /// Solves with rows for some pairs, whose gaps were made linear at positions `at`; starts at `warm` if that is better than without
    /// constraints. Returns the number of iterations.
    pub fn solve<'a>(
        &mut self,
        parts: &Parts,
        pairs: impl Iterator<Item = &'a Active> + Clone,
        at: &[[f64; 3]],
        warm: &[f64],
    ) -> usize {
        self.make_room(parts, pairs.clone());
        let h = self.d.own.timestep(&self.m);
        for (k, pair) in pairs.enumerate() {
            self.write_row(self.num + k, parts, pair, at, h);
        }
        let Self { m, d, .. } = self;
        d.qacc_warmstart.copy_from_slice(warm);
        d.qacc.copy_from_slice(&d.qacc_smooth);
        d.qfrc_constraint.fill(0.0);
        let island = Island {
            dofs: &self.dofs,
            rows: &self.rows,
            ne: d.ne[0] as usize,
            nf: d.nf[0] as usize,
            scale: self.scale,
            lanes: true,
            number: 0,
        };
        let mut iterations = 0.0;
        if !self.rows.is_empty() {
            let mut system = Sparse::default();
            start(m, d, &system, &island);
            iterations = match Solver::from_i32(m.opt.solver) {
                Some(Solver::Cg) => conjugate_gradients(m, d, &mut system, &island),
                _ => newton(m, d, &mut system, &island),
            };
        }
        spin_free(m, d, self.rows.len());
        iterations as usize
    }

    /// The acceleration that was found.
    pub fn qacc(&self) -> &[f64] {
        &self.d.qacc
    }

    /// Force of the pairs' rows along the dofs.
    pub fn force_of_pairs(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.m.nv];
        self.jacobian()
            .add_mul_t_vec(&self.rows[self.num..], &self.d.efc_force, &mut out);
        out
    }

    fn jacobian(&self) -> Rows<'_, f64> {
        Rows {
            of: patterns!(&self.m, self.d),
            pat: &self.d.efc_Jpat,
            entries: &self.d.efc_J,
        }
    }

    /// The cost of an acceleration, pairs aside: that of the distance from the one without constraints, and of the world's rows.
    pub fn cost(&self, qacc: &[f64]) -> f64 {
        let Self { m, d, num, .. } = self;
        let rows = &self.rows[..*num];
        let mut x = vec![0.0; *num];
        self.jacobian().mul_vec(rows, qacc, &mut x);
        for (x, aref) in x.iter_mut().zip(&d.efc_aref) {
            *x -= aref;
        }
        let counts = [d.ne[0] as usize, d.nf[0] as usize, rows.len()];
        let of_rows = rows_cost(m, d, &Sparse::default(), counts, &x);
        let away: Vec<f64> = (0..m.nv).map(|i| qacc[i] - d.qacc_smooth[i]).collect();
        let mut product = vec![0.0; m.nv];
        mul_m(m, &d.M, &mut product, &away);
        add_couplings(m, &d.efm_K_val, &mut product, &away, 0..m.nv);
        let of_dofs: f64 = away.iter().zip(&product).map(|(a, b)| a * b).sum();
        0.5 * of_dofs + of_rows
    }

    // patterns of the pairs, and room for their rows
    fn make_room<'a>(&mut self, parts: &Parts, pairs: impl Iterator<Item = &'a Active>) {
        let m = self.m.arrays_mut();
        let [pattern, dofs] = self.pattern;
        m.Jpat_num.truncate(pattern);
        m.Jpat_adr.truncate(pattern);
        m.Jpat_dof.truncate(dofs);
        let mut longest = self.row;
        for pair in pairs {
            let moves = pair.pair.vertices().iter().flat_map(|&v| &parts.moves[v]);
            let mut of_pair: Vec<i32> = moves.map(|&(dof, _)| dof as i32).collect();
            of_pair.sort_unstable();
            of_pair.dedup();
            longest = longest.max(of_pair.len());
            m.Jpat_adr.push(m.Jpat_dof.len() as i32);
            m.Jpat_num.push(of_pair.len() as i32);
            m.Jpat_dof.extend(of_pair);
        }
        m.nJpat = m.Jpat_num.len();
        let all = self.num + m.nJpat - pattern;
        let before = m.nJrow;
        m.nJrow = longest.max(before);
        self.spread_rows(before, all);
        self.rows = (0..all as i32).collect();
        self.d.nefc[0] = all as i32;
    }

    // makes room for `all` rows with more entries than before
    fn spread_rows(&mut self, before: usize, all: usize) {
        let Self { m, d, num, .. } = self;
        let long = m.nJrow;
        if long > before || d.efc_D.len() < all {
            let entries = std::mem::take(&mut d.efc_J);
            d.resize(m, "njmax", all.max(d.efc_D.len()));
            for r in 0..*num {
                let row = &entries[r * before..][..before];
                d.efc_J[r * long..][..before].copy_from_slice(row);
            }
        }
    }

    // a row along the gap of a pair: its reference puts the gap at the wall
    fn write_row(&mut self, r: usize, parts: &Parts, pair: &Active, at: &[[f64; 3]], h: f64) {
        let pattern = self.pattern[0] + r - self.num;
        let Self { m, d, .. } = self;
        let adr = m.Jpat_adr[pattern] as usize;
        let dofs = &m.Jpat_dof[adr..adr + m.Jpat_num[pattern] as usize];
        let row = &mut d.efc_J[r * m.nJrow..][..dofs.len()];
        row.fill(0.0);
        let normal = pair.gap.normal;
        let mut aref = pair.wall() + pair.rest - pair.gap.dist;
        for (&v, weight) in pair.pair.vertices().iter().zip(pair.gap.weight) {
            for &(dof, along) in &parts.moves[v] {
                if let Ok(k) = dofs.binary_search(&(dof as i32)) {
                    row[k] += h * h * weight * dot3(normal, along);
                }
            }
            let free = add_scl3(parts.start[v], velocity(&parts.moves[v], &d.qvel), h);
            aref -= weight * dot3(normal, sub3(free, at[v]));
        }
        d.efc_type[r] = ConstraintType::ContactFrictionless as i32;
        d.efc_id[r] = -1;
        d.efc_Jpat[r] = pattern as i32;
        d.efc_D[r] = pair.softened / (h * h);
        d.efc_R[r] = 1.0 / d.efc_D[r];
        d.efc_frictionloss[r] = 0.0;
        d.efc_aref[r] = aref;
        d.efc_force[r] = 0.0;
        d.efc_state[r] = ConstraintState::Satisfied as i32;
    }
}

// lists the patterns of contacts of blocks behind those of the model: their numbers stay the same
fn list_patterns(m: &mut Arrays, d: &Data) {
    let contacts = d.contact_dofnum.len().min(d.ncon[0] as usize);
    for c in 0..contacts {
        let dofs = dofs_of(m, d, (m.nJpat + c) as i32).to_vec();
        m.Jpat_adr.push(m.Jpat_dof.len() as i32);
        m.Jpat_num.push(dofs.len() as i32);
        m.Jpat_dof.extend(dofs);
    }
    m.nJpat += contacts;
}
