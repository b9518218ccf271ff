//! Rows of the line search, of every lane its own only.
//!
//! Rows of a tile are the union of its lanes' rows: most lanes lack most of them. A row along a line is three numbers, an elliptic
//! contact twelve, and neither tells which dofs it has, so those of different lanes may share a place:
//!
//! ```text
//! row          0    1    2    3    4              place        0    1    2
//! lane 0       a    –    b    c    –      is      lane 0       a    b    c
//! lane 1       –    d    e    –    –              lane 1       d    e    –
//! ```
//!
//! Every lane keeps the order of its rows. The rows that it lacks added exact zeros, so its sums are the same to the bit.

use super::rows::Rows;
use crate::cpu::lib::cone::{PATH, is_elliptic};
use crate::cpu::lib::primal::System;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real, lanes};

/// Rows of all lanes that may be moved for each row that is saved in all lanes.
const WORTH: usize = 4;
/// Largest number of lanes.
const MOST: usize = 16;

// one-sided rows or elliptic contacts: how many the tile has, and how many every lane has
#[derive(Default)]
struct Count<R> {
    all: usize,
    own: R,
}

impl<R: Real> Count<R> {
    #[inline(always)]
    fn add(&mut self, present: R::Mask) {
        self.all += 1;
        self.own += R::select(present, R::one(), R::zero());
    }

    fn most(&self) -> usize {
        (0..R::WIDTH).fold(0, |most, lane| most.max(self.own.lane(lane) as usize))
    }

    fn sum(&self) -> usize {
        (0..R::WIDTH).map(|lane| self.own.lane(lane) as usize).sum()
    }
}

impl<R: Real> Rows<R> {
    // collects limits and contacts of the live lanes for the line search, from an entry of solver_quad on: residuals, their changes
    // and D of one-sided rows, then elliptic contacts; returns the number of both. None if they are no fewer than the tile's rows
    pub(super) fn pack_line(
        &self,
        m: &Model,
        d: &mut Data<R>,
        rows: &[i32],
        live: R::Mask,
        at: usize,
    ) -> Option<[usize; 2]> {
        let counts = self.count(m, d, rows, live);
        let [num, ncone] = [0, 1].map(|k| counts[k].most());
        let saved = counts[0].all + counts[1].all - num - ncone;
        if counts[0].sum() + counts[1].sum() > WORTH * saved {
            return None;
        }
        let mut quad = std::mem::take(&mut d.solver_quad);
        let used = &mut quad[at..at + 3 * num + PATH * ncone];
        used.fill(R::zero());
        let (one_sided, cones) = used.split_at_mut(3 * num);
        // places taken in each lane
        let [mut next, mut next_cone] = [[0; MOST]; 2];
        self.for_present(m, d, rows, live, |r, elliptic, present| {
            if !elliptic {
                for lane in lanes::<R>(present) {
                    let place = next[lane];
                    next[lane] += 1;
                    one_sided[place].copy_lane(lane, &d.solver_Jaref[r]);
                    one_sided[num + place].copy_lane(lane, &d.solver_Jv[r]);
                    one_sided[2 * num + place].copy_lane(lane, &d.efc_D[r]);
                }
            } else if present.any() {
                let contact = self.contact(m, d, r);
                let path = contact.path(&d.efc_D[r..], &d.solver_Jaref[r..], &d.solver_Jv[r..]);
                for lane in lanes::<R>(present) {
                    let place = next_cone[lane];
                    next_cone[lane] += 1;
                    for (to, x) in cones[PATH * place..][..PATH].iter_mut().zip(&path) {
                        to.copy_lane(lane, x);
                    }
                }
            }
        });
        d.solver_quad = quad;
        Some([num, ncone])
    }

    // numbers of one-sided rows and of elliptic contacts
    fn count(&self, m: &Model, d: &Data<R>, rows: &[i32], live: R::Mask) -> [Count<R>; 2] {
        let mut counts = [Count::default(), Count::default()];
        self.for_present(m, d, rows, live, |_, elliptic, present| {
            counts[usize::from(elliptic)].add(present);
        });
        counts
    }

    // calls a function for every one-sided row and for the first row of every elliptic contact: whether it is one, and the live
    // lanes that have it
    #[inline(always)]
    fn for_present(
        &self,
        m: &Model,
        d: &Data<R>,
        rows: &[i32],
        live: R::Mask,
        mut visit: impl FnMut(usize, bool, R::Mask),
    ) {
        let mut k = 0;
        while k < rows.len() {
            let r = rows[k] as usize;
            let elliptic = is_elliptic(m, d, r);
            visit(r, elliptic, live & R::zero().lt(d.efc_D[r]));
            k += match elliptic {
                true => self.contact(m, d, r).dim,
                false => 1,
            };
        }
    }
}
