//! The Hessian of the primal problem, M + J' D J over the quadratic rows and the cones of one island; its factor, and Newton's
//! direction. Dofs are numbered by their index in the island, or in an order of their own where that makes less work
//! ([`super::order`]).
//!
//! On purpose there are three Hessians. The twin, for one world in f64, keeps the Hessian of an island, adds the rows that became
//! active and subtracts the rows that left. Worlds side by side make the whole Hessian, of an island or a union of the lanes'
//! islands, with its rows from the diagonal to the last dof that is coupled in any lane. Kernels make the whole triangle of an
//! island. In f32 removed rows leave rounding errors behind, which may be as large as the inertia.
//!
//! Where few rows changed, the twin takes them into the factor, and into the Hessian only before it factors it again
//! ([`super::changed`]).

use wide::{f64x2, f64x4};

use super::chains;
use super::changed;
use super::cone::{Contact, is_elliptic};
use super::coupling::{couplings_of, is_coupled};
use super::order::{self, Order};
use super::primal::{Island, System};
use super::rows::{
    Patterns, Rows, follow, follow_two, for_rows, load, load_two, patterns, store, store_two,
};
use crate::fields::{Data, Model};
use crate::types::*;

/// One world in f64: vector operations take four numbers at a time; the Hessian of an island is kept between iterations.
#[derive(Default)]
pub struct Sparse {
    // of the island's dofs; none: the order of the model
    order: Option<Order>,
    // the factor has the last changes of the rows already
    updated: bool,
    // the Hessian lacks changes of rows
    behind: bool,
    // the factor has parts of sliding contacts, which change with every step
    slides: bool,
}

impl System<f64> for Sparse {
    #[inline(always)]
    fn jacobian<'a>(
        &'a self,
        of: Patterns<'a>,
        patterns: &'a [i32],
        entries: &'a [f64],
    ) -> Rows<'a, f64> {
        let pat = patterns;
        Rows { of, pat, entries }
    }
    fn mul_vec(rows: Rows<'_, f64>, list: &[i32], v: &[f64], out: &mut [f64]) {
        rows.mul_vec(list, v, out);
    }
    fn add_mul_t_vec(rows: Rows<'_, f64>, list: &[i32], f: &[f64], out: &mut [f64]) {
        rows.add_mul_t_vec(list, f, out);
    }
    #[inline(always)]
    fn contact(&self, m: &Model, d: &Data, r: usize) -> Contact<f64> {
        Contact::of(m, d, r)
    }
    fn symbolic(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        symbolic(m, d, island, None);
        self.order = shorter(m, d, island);
    }
    fn make_hessian(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        make_hessian(m, d, island, self.order.as_ref());
    }
    fn update_hessian(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        let order = self.order.as_ref();
        self.updated = !self.slides
            && changed::list(d, island).is_some_and(|num| update_factor(m, d, num, order));
        // it takes them before it is factored again
        self.behind = true;
    }
    fn factor(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        if std::mem::take(&mut self.updated) {
            return;
        }
        if std::mem::take(&mut self.behind) {
            update_hessian(m, d, island, self.order.as_ref());
        }
        self.slides = factor(m, d, island, self.order.as_ref());
    }
    fn direction(&mut self, _m: &Model, d: &mut Data, island: &Island<'_, f64>) -> f64 {
        direction(d, dofs_in(island, self.order.as_ref()))
    }
}

// the Jacobian of a world whose other fields are borrowed as well
macro_rules! jacobian {
    ($m:expr, $d:expr) => {
        Rows {
            of: patterns!($m, $d),
            pat: &$d.efc_Jpat,
            entries: &$d.efc_J,
        }
    };
}

// storage of the rows of an island's Hessian
macro_rules! shape {
    ($d:expr, $nv:expr) => {
        chains::Shape {
            adr: &$d.solver_adr[..$nv],
            end: &$d.solver_end[..$nv],
            first: &$d.solver_first[..$nv],
            parent: &$d.solver_parent[..$nv],
            group: &$d.solver_group[..$nv],
        }
    };
}

// places of dofs in the order of an island, by the dofs' numbers
macro_rules! places {
    ($d:expr, $order:expr) => {
        match $order {
            Some(order) => order.place.as_slice(),
            None => $d.map_dof2idof.as_slice(),
        }
    };
}

// the dofs of an island in its order
fn dofs_in<'a>(island: &Island<'a, f64>, order: Option<&'a Order>) -> &'a [i32] {
    order.map_or(island.dofs, |order| &order.dofs)
}

// the order of an island that makes the least work, if it is not that of the model; finds the sparsity in that order
fn shorter(m: &Model, d: &mut Data, island: &Island<'_, f64>) -> Option<Order> {
    let num = island.dofs.len();
    let mut best = None;
    let mut least = None;
    for order in order::orders(m, d, island, &d.solver_end[..num]) {
        let before = least.unwrap_or_else(|| order::work(&d.solver_end[..num]));
        symbolic(m, d, island, Some(&order));
        let work = order::work(&d.solver_end[..num]);
        least = Some(before.min(work));
        if work < before {
            best = Some(order);
        }
    }
    if least.is_some() {
        symbolic(m, d, island, best.as_ref());
    }
    best
}

// Sparsity of the island's Hessian: the row of every dof ends at the last dof coupled to it.
fn symbolic(m: &Model, d: &mut Data, island: &Island<'_, f64>, order: Option<&Order>) {
    let dofs = dofs_in(island, order);
    let place = places!(d, order);
    let end = &mut d.solver_end;

    // coupling by inertia
    for (k, &i) in dofs.iter().enumerate() {
        end[k] = k as i32;
        let adr = m.M_rowadr[i as usize] as usize;
        for &j in &m.M_colind[adr..adr + m.M_rownnz[i as usize] as usize] {
            end[place[j as usize] as usize] = k as i32;
        }
    }
    // and by springs and dampers of a discrete step
    if is_coupled(m) {
        for (k, &i) in dofs.iter().enumerate() {
            for &j in couplings_of(m, i as usize).1 {
                let (first, last) = ascending(k as i32, place[j as usize]);
                end[first as usize] = end[first as usize].max(last);
            }
        }
    }

    // coupling by constraint rows
    let mut last_pattern = -1;
    for &r in island.rows {
        let pattern = d.efc_Jpat[r as usize];
        if pattern == last_pattern {
            continue;
        }
        last_pattern = pattern;
        let pattern_dofs = jacobian!(m, d).dofs(r);
        let place_of = |&dof: &i32| place[dof as usize];
        let Some(last) = pattern_dofs.iter().map(place_of).max() else {
            continue;
        };
        for i in pattern_dofs {
            let k = place_of(i) as usize;
            end[k] = end[k].max(last);
        }
    }

    // rows of the Hessian are stored one after the other
    let num = dofs.len();
    chains::groups(&mut d.solver_group, &end[..num]);
    chains::reach(&mut d.solver_first, &mut d.solver_parent, &end[..num]);
    let mut adr = 0;
    for k in 0..dofs.len() {
        d.solver_adr[k] = adr - k as i32;
        adr += end[k] + 1 - k as i32;
    }
}

// two places, the lower first
fn ascending(a: i32, b: i32) -> (i32, i32) {
    (a.min(b), a.max(b))
}

// H = M + J' D J over the quadratic rows.
fn make_hessian(m: &Model, d: &mut Data, island: &Island<'_, f64>, order: Option<&Order>) {
    let dofs = dofs_in(island, order);
    let place = places!(d, order);
    let nv = dofs.len();
    let nh = d.solver_adr[nv - 1] as usize + nv;
    d.solver_H[..nh].fill(0.0);
    for (k, &i) in dofs.iter().enumerate() {
        let adr = m.M_rowadr[i as usize] as usize;
        for k_m in adr..adr + m.M_rownnz[i as usize] as usize {
            let j = place[m.M_colind[k_m] as usize] as usize;
            d.solver_H[d.solver_adr[j] as usize + k] = d.M[k_m];
        }
        if is_coupled(m) {
            let (adr, coupled) = couplings_of(m, i as usize);
            for (n, &j) in coupled.iter().enumerate() {
                let (first, last) = ascending(k as i32, place[j as usize]);
                d.solver_H[(d.solver_adr[first as usize] + last) as usize] += d.efm_K_val[adr + n];
            }
        }
    }
    for &r in island.rows {
        d.solver_inH[r as usize] = changed::NOWHERE;
    }
    update_hessian(m, d, island, order);
}

// Adds rows that became quadratic to H and subtracts those that are no longer.
fn update_hessian(m: &Model, d: &mut Data, island: &Island<'_, f64>, order: Option<&Order>) {
    let rows = island.rows;
    let place = places!(d, order);
    let (h, adr) = (&mut d.solver_H, &d.solver_adr);
    for_rows!(jacobian!(m, d), rows, |r, entries, dof| {
        let weight = changed::weights(&mut d.solver_inH, &d.efc_state, &d.efc_D, r);
        if weight.iter().any(|&weight| weight != 0.0) {
            let weighted = |x: &[f64; _]| std::array::from_fn(|n| weight[n] * x[n]);
            match order {
                Some(_) => add_rows::<_, false>(h, adr, place, entries, dof, weighted),
                None => add_rows::<_, true>(h, adr, place, entries, dof, weighted),
            }
        }
    });
}

// Makes the changes of the first rows listed in the factor alone; the Hessian takes them when it is needed again. False if the factor is
// spoilt.
fn update_factor(m: &Model, d: &mut Data, num: usize, order: Option<&Order>) -> bool {
    let place = places!(d, order);
    (0..num).all(|k| {
        let r = d.solver_list[k];
        let jacobian = jacobian!(m, d);
        let dofs = jacobian.dofs(r);
        let mut last = 0;
        for (&i, &entry) in dofs.iter().zip(jacobian.row(r as usize, dofs.len())) {
            let k = place[i as usize] as usize;
            d.solver_column[k] = entry;
            last = last.max(k);
        }
        let inertia = d.efc_D[r as usize];
        let weight = match changed::take(&mut d.solver_inH, r) {
            true => inertia,
            false => -inertia,
        };
        let (column, dinv) = (&mut d.solver_column, &mut d.solver_dinv);
        chains::update(&mut d.solver_U, dinv, column, weight, last, shape!(d, m.nv))
    })
}

// adds the cones of sliding contacts to a copy of H; true if there are any
fn add_cones(m: &Model, d: &mut Data, island: &Island<'_, f64>, order: Option<&Order>) -> bool {
    let mut slides = false;
    let mut row = island.ne + island.nf;
    while row < island.rows.len() {
        let r = island.rows[row] as usize;
        if !is_elliptic(m, d, r) {
            row += 1;
            continue;
        }
        let contact = Contact::of(m, d, r);
        row += contact.dim;
        if d.efc_state[r] != ConstraintState::Cone {
            continue;
        }
        slides = true;
        match contact.dim {
            3 => add_cone::<3>(m, d, r, &contact, order),
            4 => add_cone::<4>(m, d, r, &contact, order),
            _ => add_cone::<6>(m, d, r, &contact, order),
        }
    }
    slides
}

fn add_cone<const N: usize>(
    m: &Model,
    d: &mut Data,
    r: usize,
    contact: &Contact<f64>,
    order: Option<&Order>,
) {
    let w = contact.hessian::<N>(&d.efc_D[r..], &d.solver_Jaref[r..]);
    let jacobian = jacobian!(m, d);
    let dof = jacobian.dofs(r as i32);
    let rows = std::array::from_fn(|n| jacobian.row(r + n, dof.len()));
    let place = places!(d, order);
    let (u, adr) = (&mut d.solver_U, &d.solver_adr);
    let weighted = |x: &[f64; N]| std::array::from_fn(|i| (0..N).map(|j| w[i][j] * x[j]).sum());
    match order {
        Some(_) => add_rows::<_, false>(u, adr, place, rows, dof, weighted),
        None => add_rows::<_, true>(u, adr, place, rows, dof, weighted),
    }
}

// H += J' W J for rows with the same dofs; `weighted` is W times a column of J. `STRAIGHT`: dofs that follow each other have places
// that do
#[inline(always)]
fn add_rows<const N: usize, const STRAIGHT: bool>(
    h: &mut [f64],
    adr: &[i32],
    place: &[i32],
    rows: [&[f64]; N],
    dof: &[i32],
    weighted: impl Fn(&[f64; N]) -> [f64; N],
) {
    for a in 0..dof.len() {
        let here = place[dof[a] as usize];
        let row = adr[here as usize];
        let t = weighted(&std::array::from_fn(|n| rows[n][a]));
        let (t4, t2) = (t.map(f64x4::splat), t.map(f64x2::splat));
        let mut b = a;
        while b < dof.len() {
            if STRAIGHT && let Some(first) = follow(dof, b) {
                let at = (row + place[first]) as usize;
                let mut sum = load(h, at);
                for n in 0..N {
                    sum += t4[n] * load(rows[n], b);
                }
                store(h, at, sum);
                b += 4;
            } else if STRAIGHT && let Some(first) = follow_two(dof, b) {
                let at = (row + place[first]) as usize;
                let mut sum = load_two(h, at);
                for n in 0..N {
                    sum += t2[n] * load_two(rows[n], b);
                }
                store_two(h, at, sum);
                b += 2;
            } else {
                let mut sum = 0.0;
                for n in 0..N {
                    sum += t[n] * rows[n][b];
                }
                let (first, last) = ascending(here, place[dof[b] as usize]);
                h[(adr[first as usize] + last) as usize] += sum;
                b += 1;
            }
        }
    }
}

// Factors H; H is recomputed if additions and subtractions left it indefinite. True if contacts slide.
fn factor(m: &Model, d: &mut Data, island: &Island<'_, f64>, order: Option<&Order>) -> bool {
    let mut slides = false;
    for anew in [false, true] {
        if anew {
            make_hessian(m, d, island, order);
        }
        let nv = island.dofs.len();
        let nh = d.solver_adr[nv - 1] as usize + nv;
        d.solver_U[..nh].copy_from_slice(&d.solver_H[..nh]);
        if m.opt.cone == Cone::Elliptic {
            slides = add_cones(m, d, island, order);
        }
        let full_rank = chains::factor(
            &mut d.solver_U,
            &mut d.solver_dinv[..nv],
            &mut d.solver_column,
            &mut d.solver_list,
            shape!(d, nv),
            MINVAL,
        );
        if full_rank {
            break;
        }
    }
    slides
}

// Search = - inv(H) grad; returns the gain of a full step, 1/2 grad' inv(H) grad.
fn direction(d: &mut Data, dofs: &[i32]) -> f64 {
    let nv = dofs.len();
    let x = &mut d.solver_Mgrad;
    for (x, &i) in x.iter_mut().zip(dofs) {
        *x = d.solver_grad[i as usize];
    }
    // numbers are processed four at a time: the numbers behind the last are multiplied by zero, and must not be NaN
    let end = x.len().min(nv + 3);
    x[nv..end].fill(0.0);
    chains::solve(x, &d.solver_U, &d.solver_dinv[..nv], shape!(d, nv));
    let mut sum = 0.0;
    for (x, &i) in x.iter().zip(dofs) {
        d.solver_search[i as usize] = -x;
        sum += x * d.solver_grad[i as usize];
    }
    0.5 * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu;
    use crate::cpu::lib::primal::{Maps, island_of};

    // a heap whose bodies are numbered at random, after a step and forward dynamics
    fn heap(cone: &str) -> (Model, Data) {
        let num = 125;
        let body = |k: usize| {
            let at = 37 * k % num;
            let [x, y, z] = [at % 5, at / 5 % 5, at / 25].map(|x| 0.19 * x as f64 + 0.1);
            format!(r#"<body pos="{x} {y} {z}"><freejoint/><geom size=".1"/></body>"#)
        };
        let bodies: String = (0..num).map(body).collect();
        let text = format!(
            r#"<mujoco><option cone="{cone}"/><worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        let mut d = Data::new(&m);
        cpu::step(&m, &mut d);
        cpu::forward(&m, &mut d);
        (m, d)
    }

    // a system whose Hessian is made and factored
    fn factored(m: &Model, d: &mut Data, island: &Island<'_, f64>) -> Sparse {
        let mut system = Sparse::default();
        system.symbolic(m, d, island);
        system.make_hessian(m, d, island);
        system.factor(m, d, island);
        system
    }

    // -inv(H) grad of a system that has been factored
    fn direction_of(system: &Sparse, d: &mut Data, island: &Island<'_, f64>) -> Vec<f64> {
        super::direction(d, dofs_in(island, system.order.as_ref()));
        d.solver_search.clone()
    }

    // the greatest difference, relative to the greatest number
    fn apart(want: &[f64], got: &[f64]) -> f64 {
        let most = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0, f64::max);
        let scale = most(&mut want.iter().map(|x| x.abs()));
        most(&mut want.iter().zip(got).map(|(x, y)| (x - y).abs())) / scale
    }

    #[test]
    fn a_factor_takes_few_rows_as_one_made_anew_does() {
        for cone in ["pyramidal", "elliptic"] {
            let (m, mut d) = heap(cone);
            let maps = Maps::take(&mut d);
            let island = island_of(&m, &d, &maps, 0);
            d.efc_state.fill(ConstraintState::Quadratic as i32);
            let mut system = factored(&m, &mut d, &island);

            // one row, as many as are quicker, all, and back again
            let flip = |d: &mut Data, rows: &[i32]| {
                for &r in rows {
                    d.efc_state[r as usize] ^= ConstraintState::Quadratic as i32;
                }
            };
            let few = &island.rows[..changed::most(&d.solver_end[..island.dofs.len()])];
            assert!(few.len() > 2 && few.len() < island.rows.len() / 4);
            for (rows, expected) in [(&few[..1], true), (few, true), (island.rows, false)] {
                for _ in 0..2 {
                    flip(&mut d, rows);
                    system.update_hessian(&m, &mut d, &island);
                    assert_eq!(system.updated, expected, "{cone}: {} rows", rows.len());
                    system.factor(&m, &mut d, &island);
                    let got = direction_of(&system, &mut d, &island);

                    let mut other = d.clone();
                    let anew = factored(&m, &mut other, &island);
                    let want = direction_of(&anew, &mut other, &island);
                    let apart = apart(&want, &got);
                    assert!(apart < 1e-9, "{cone}: {} rows, {apart:e}", rows.len());
                }
            }
        }
    }

    #[test]
    fn a_contact_that_slides_finds_the_rows_of_before() {
        let (m, mut d) = heap("elliptic");
        let maps = Maps::take(&mut d);
        let island = island_of(&m, &d, &maps, 0);
        d.efc_state.fill(ConstraintState::Satisfied as i32);
        let mut system = factored(&m, &mut d, &island);

        // a contact sticks: a few rows; then another one, that was open, slides
        d.efc_state[..3].fill(ConstraintState::Quadratic as i32);
        system.update_hessian(&m, &mut d, &island);
        assert!(system.updated);
        system.factor(&m, &mut d, &island);
        d.efc_state[3..6].fill(ConstraintState::Cone as i32);
        system.factor(&m, &mut d, &island);
        let got = direction_of(&system, &mut d, &island);

        let anew = factored(&m, &mut d, &island);
        let want = direction_of(&anew, &mut d, &island);
        let apart = apart(&want, &got);
        assert!(apart < 1e-9, "{apart:e}");
    }

    #[test]
    fn an_order_changes_the_work_and_not_the_direction() {
        for cone in ["pyramidal", "elliptic"] {
            let (m, mut d) = heap(cone);
            let maps = Maps::take(&mut d);
            let island = island_of(&m, &d, &maps, 0);
            let num = island.dofs.len();
            assert!(num > 600, "{num} dofs");

            let mut direction = |order: Option<&Order>| {
                symbolic(&m, &mut d, &island, order);
                make_hessian(&m, &mut d, &island, order);
                factor(&m, &mut d, &island, order);
                super::direction(&mut d, dofs_in(&island, order));
                let work = order::work(&d.solver_end[..num]);
                let orders = order::orders(&m, &d, &island, &d.solver_end[..num]);
                (work, d.solver_search.clone(), orders)
            };
            let (work, want, orders) = direction(None);
            assert_eq!(orders.len(), 2);
            for order in orders {
                let (less, got, _) = direction(Some(&order));
                assert!(2 * less < work, "{less} and {work}");
                let apart = apart(&want, &got);
                assert!(apart <= 1e-9, "{cone}: {apart:e}");
            }
        }
    }
}
