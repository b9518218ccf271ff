//! J' after half a solve with the factor of M, `Y = inv(sqrt(D)) inv(L') J'` for `M = L' D L`: A = J inv(M) J' is Y' Y.

use wide::f64x8;

use super::primal::{Island, System};
use super::problem::{LANES, Whose, registers};
use super::rows::{Rows, for_rows, patterns};
use crate::fields::{Data, Model};
use crate::real::Real;

/// Y: J' of an island's rows after half a solve with the factor of M. The rows are side by side, with the dofs one after the other.
#[derive(Clone, Default)]
pub struct Half {
    y: Vec<f64x8>,
    /// Number of dofs.
    pub num: usize,
    /// Number of registers for the rows.
    pub stride: usize,
    // index of a dof in the island
    place: Vec<usize>,
    // dofs of the present block of rows
    moved: Vec<usize>,
}

impl Half {
    /// Becomes Y of an island.
    pub fn take<R: Real, S: System<R>>(&mut self, of: &Whose<'_, R, S>) {
        self.begin(of);
        match of.solved {
            Some(solved) => self.copy(of, solved),
            None => {
                self.fill(of);
                self.solve(of);
            }
        }
    }

    fn solve<R: Real, S: System<R>>(&mut self, of: &Whose<'_, R, S>) {
        let (m, d, lane, dofs) = (of.m, of.d, of.lane, of.island.dofs);
        let stride = self.stride;

        // L', from the leaves
        for k in (0..dofs.len()).rev() {
            let i = dofs[k] as usize;
            let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
            let (above, own) = self.y.split_at_mut(k * stride);
            let own = &mut own[..stride];
            if own.iter().all(|x| *x == f64x8::ZERO) {
                continue;
            }
            for (l, &j) in d.qLD[adr..adr + num]
                .iter()
                .zip(&m.M_colind[adr..adr + num])
            {
                let l = f64x8::splat(l.lane(lane));
                let to = &mut above[self.place[j as usize] * stride..][..stride];
                for (to, from) in to.iter_mut().zip(&*own) {
                    *to -= *from * l;
                }
            }

            // half of D
            let scale = f64x8::splat(d.qLDiagInv[i].lane(lane).sqrt());
            for x in own {
                *x *= scale;
            }
        }
    }

    // zeros
    fn begin<R: Real, S: System<R>>(&mut self, of: &Whose<'_, R, S>) {
        let Island { dofs, rows, .. } = of.island;
        self.num = dofs.len();
        self.stride = registers(rows.len());
        self.place.resize(of.m.nv, 0);
        for (k, &i) in dofs.iter().enumerate() {
            self.place[i as usize] = k;
        }
        self.y.clear();
        self.y.resize(self.num * self.stride, f64x8::ZERO);
    }

    // J'
    fn fill<R: Real, S: System<R>>(&mut self, of: &Whose<'_, R, S>) {
        let jacobian: Rows<'_, R> =
            of.system
                .jacobian(patterns!(of.m, of.d), &of.d.efc_Jpat, &of.d.efc_J);
        for (k, &r) in of.island.rows.iter().enumerate() {
            let dofs = jacobian.dofs(r);
            self.set_row(k, dofs, jacobian.row(r as usize, dofs.len()), of.lane);
        }
    }

    // Y of the lane, from that of all lanes
    fn copy<R: Real, S>(&mut self, of: &Whose<'_, R, S>, solved: &Halves<R>) {
        for (k, &r) in of.island.rows.iter().enumerate() {
            let (dofs, entries) = solved.row(r as usize);
            self.set_row(k, dofs, entries, of.lane);
        }
    }

    // entries of the `k`-th row of the island
    #[inline(always)]
    fn set_row<R: Real>(&mut self, k: usize, dofs: &[i32], entries: &[R], lane: usize) {
        let y: &mut [f64] = bytemuck::cast_slice_mut(&mut self.y);
        for (&i, x) in dofs.iter().zip(entries) {
            y[self.place[i as usize] * LANES * self.stride + k] = x.lane(lane);
        }
    }

    /// A = Y' Y in tiles of eight rows and columns, over the dofs of any of these rows; tiles above the diagonal are mirrored.
    pub fn multiply(&mut self, a: &mut [f64x8]) {
        let stride = self.stride;
        for block in 0..stride {
            self.moved.clear();
            let y = self.y.chunks_exact(stride);
            let moved = y.enumerate().filter(|(_, y)| y[block] != f64x8::ZERO);
            self.moved.extend(moved.map(|(k, _)| k));
            for column in block..stride {
                let tile = self.tile(block, column);
                put(a, stride, [block, column], &tile);
                if column > block {
                    put(a, stride, [column, block], &f64x8::transpose(tile));
                }
            }
        }
    }

    fn tile(&self, block: usize, column: usize) -> [f64x8; LANES] {
        let mut sum = [f64x8::ZERO; LANES];
        for &k in &self.moved {
            let y = &self.y[k * self.stride..][..self.stride];
            let (own, other) = (y[block].to_array(), y[column]);
            for (sum, own) in sum.iter_mut().zip(own) {
                *sum += other * f64x8::splat(own);
            }
        }
        sum
    }

    /// Y' of `num` rows.
    pub fn transpose(&self, to: &mut [f64x8], num: usize) {
        let (from_stride, to_stride) = (LANES * self.stride, LANES * registers(self.num));
        let y: &[f64] = bytemuck::cast_slice(&self.y);
        let to: &mut [f64] = bytemuck::cast_slice_mut(to);
        for r in 0..num {
            for k in 0..self.num {
                to[r * to_stride + k] = y[k * from_stride + r];
            }
        }
    }
}

fn put(a: &mut [f64x8], stride: usize, [block, column]: [usize; 2], tile: &[f64x8; LANES]) {
    for (k, row) in tile.iter().enumerate() {
        a[(block * LANES + k) * stride + column] = *row;
    }
}

/// Y of all rows of worlds side by side, in all lanes at once.
#[derive(Clone, Default)]
pub struct Halves<R> {
    // first entry of each row, and the number of entries
    adr: Vec<[usize; 2]>,
    // dofs of the entries: those of the row and their ancestors, descending
    dofs: Vec<i32>,
    entries: Vec<R>,
    // up to four rows of one pattern, dof by dof
    x: Vec<[R; 4]>,
    // dofs of the pattern
    pattern: Vec<i32>,
    listed: Vec<bool>,
}

impl<R: Real> Halves<R> {
    /// Becomes Y of all rows.
    pub fn take<S: System<R>>(&mut self, m: &Model, d: &Data<R>, system: &S, rows: &[i32]) {
        self.adr.clear();
        self.dofs.clear();
        self.entries.clear();
        self.x.clear();
        self.x.resize(m.nv, [R::zero(); 4]);
        self.listed.resize(m.nv, false);
        let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
        let mut last = None;
        for_rows!(jacobian, rows, |r, entries, dofs| {
            let pattern = jacobian.pat[r[0]];
            if last.replace(pattern) != Some(pattern) {
                self.list_dofs(m, dofs);
            }
            self.solve(m, d, entries, dofs);
        });
    }

    /// Dofs and entries of a row.
    #[inline(always)]
    pub fn row(&self, r: usize) -> (&[i32], &[R]) {
        let [adr, num] = self.adr[r];
        (&self.dofs[adr..][..num], &self.entries[adr..][..num])
    }

    // lists some dofs and their ancestors
    fn list_dofs(&mut self, m: &Model, dofs: &[i32]) {
        self.pattern.clear();
        self.pattern.extend(dofs);
        for &i in dofs {
            self.listed[i as usize] = true;
        }
        let mut k = 0;
        while let Some(&i) = self.pattern.get(k) {
            let (adr, num) = (m.M_rowadr[i as usize], m.M_rownnz[i as usize]);
            for &j in &m.M_colind[adr as usize..][..num as usize] {
                if !std::mem::replace(&mut self.listed[j as usize], true) {
                    self.pattern.push(j);
                }
            }
            k += 1;
        }
        self.pattern.sort_unstable_by(|a, b| b.cmp(a));
        for &i in &self.pattern {
            self.listed[i as usize] = false;
        }
    }

    // Y of the next N rows, whose pattern is listed
    #[inline(always)]
    fn solve<const N: usize>(&mut self, m: &Model, d: &Data<R>, rows: [&[R]; N], dofs: &[i32]) {
        for &i in &self.pattern {
            self.x[i as usize] = [R::zero(); 4];
        }
        for (k, &i) in dofs.iter().enumerate() {
            for n in 0..N {
                self.x[i as usize][n] = rows[n][k];
            }
        }

        // L', from the leaves, and half of D
        for &i in &self.pattern {
            let i = i as usize;
            let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
            let scale = d.qLDiagInv[i].sqrt();
            let own: [R; 4] = self.x[i];
            for (l, &j) in d.qLD[adr..adr + num]
                .iter()
                .zip(&m.M_colind[adr..adr + num])
            {
                let to = &mut self.x[j as usize];
                for n in 0..N {
                    to[n] -= own[n] * *l;
                }
            }
            for n in 0..N {
                self.x[i][n] = own[n] * scale;
            }
        }
        for n in 0..N {
            self.adr.push([self.entries.len(), self.pattern.len()]);
            self.dofs.extend_from_slice(&self.pattern);
            let entries = self.pattern.iter().map(|&i| self.x[i as usize][n]);
            self.entries.extend(entries);
        }
    }
}
