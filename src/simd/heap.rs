//! Worlds with a large island, solved one by one in f64 (`mj_fwdConstraint`).
//!
//! Worlds side by side solve for the union of their rows. In a heap each world has other contacts, so the union has many more rows than
//! a world, and joins islands that no world joins. Such a world is solved by the twin, from its own rows. It is chosen by its own
//! islands alone, so its numbers do not depend on its neighbours. Islands that equalities tie together are the same in all worlds: they
//! are no heaps. In a model of few dofs the union stays small: there no world is solved alone.

use super::{Rows, copy_lane};
use crate::cpu;
use crate::cpu::lib::rows::dofs_of;
use crate::fields::{Data, Model};
use crate::real::Real;

/// The largest number of trees in an island that is solved side by side, in a model of more than [`FEW`] dofs.
const HEAP: usize = 8;
/// The number of dofs up to which the union of all islands is no more work than worlds by themselves.
const FEW: usize = 200;

/// The step of models with the flag `ipc` and flexes of dim 2 (`mj_ipc`), world by world. Spare lanes stay where they are.
pub fn ipc<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let mut heap = Heap::default();
    for lane in 0..rows.worlds {
        heap.run(m, d, rows.num, lane, cpu::ipc::ipc);
    }
    for lane in rows.worlds..R::WIDTH {
        d.qacc.iter_mut().for_each(|x| x.set_lane(lane, 0.0));
    }
}

/// One world for the twin.
#[derive(Clone, Default)]
pub(super) struct Heap {
    world: Data,
    // rows of the tile that the world has
    rows: Vec<usize>,
    // number of trees of each island of a world, and of its pairs of trees that touch
    islands: Vec<[usize; 2]>,
}

impl Heap {
    /// True if the worlds of a model can have a heap at all.
    pub(super) fn may_be<R: Real>(m: &Model) -> bool {
        R::WIDTH > 1 && m.nv > FEW && m.ntree > HEAP
    }

    /// True if an island of this lane has more than [`HEAP`] trees, and so many pairs of trees touch that they may tie it together. `ties`
    /// has a tree of each pair.
    pub(super) fn is<R: Real>(
        &mut self,
        m: &Model,
        d: &Data<R>,
        lane: usize,
        ties: impl Iterator<Item = i32>,
    ) -> bool {
        self.islands.clear();
        self.islands.resize(m.ntree, [0; 2]);
        let island_of = |tree: usize| usize::try_from(R::int_lane(d.tree_island[tree], lane));
        for island in (0..m.ntree).filter_map(|tree| island_of(tree).ok()) {
            self.islands[island][0] += 1;
        }
        for island in ties.filter_map(|tree| island_of(tree as usize).ok()) {
            self.islands[island][1] += 1;
        }
        let is_heap = |&[trees, ties]: &[usize; 2]| trees > HEAP && ties + 1 >= trees;
        self.islands.iter().any(is_heap)
    }

    /// Runs a twin on the world of a lane; `num` is the number of rows of the tile.
    fn run<R: Real>(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        num: usize,
        lane: usize,
        twin: fn(&Model, &mut Data),
    ) {
        self.world = Data::zeroed(m);
        copy_lane(&mut self.world, d, 0, lane);
        self.with_rows(m, d, num, lane, twin);
        let world = &self.world;
        for (to, &x) in d.flexvert_lambda.iter_mut().zip(&world.flexvert_lambda) {
            to.set_lane(lane, x);
        }
        for (to, from) in [
            (&mut d.flexvert_conage, &world.flexvert_conage),
            (&mut d.overflow, &world.overflow),
        ] {
            let both = to.iter_mut().zip(from);
            both.for_each(|(to, &x)| R::set_int_lane(to, lane, x));
        }
    }

    // takes the rows of the tile that a lane has, runs the twin, and gives back what solvers find
    fn with_rows<R: Real>(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        num: usize,
        lane: usize,
        twin: fn(&Model, &mut Data),
    ) {
        self.world.own = d.own.lane(m, lane);
        self.rows.clear();
        let present = |&r: &usize| d.efc_D[r].lane(lane) > 0.0;
        self.rows.extend((0..num).filter(present));
        self.take_rows(m, d, lane);
        twin(m, &mut self.world);
        self.give(d, lane);
    }

    /// Solves the world of a lane by the twin; `num` is the number of rows of the tile.
    pub(super) fn solve<R: Real>(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        num: usize,
        lane: usize,
        twin: fn(&Model, &mut Data),
    ) {
        if self.world.qacc.is_empty() {
            self.world = Data::zeroed(m);
        }
        self.take_dofs(d, lane);
        self.with_rows(m, d, num, lane, twin);
    }

    // the metric, its factor, and the accelerations to start from
    fn take_dofs<R: Real>(&mut self, d: &Data<R>, lane: usize) {
        let world = &mut self.world;
        for (to, from) in [
            (&mut world.M, &d.M),
            (&mut world.qLD, &d.qLD),
            (&mut world.qLDiagInv, &d.qLDiagInv),
            (&mut world.efm_K_val, &d.efm_K_val),
            (&mut world.efm_L, &d.efm_L),
            (&mut world.efm_LDiagInv, &d.efm_LDiagInv),
            (&mut world.qacc_smooth, &d.qacc_smooth),
            (&mut world.qacc_warmstart, &d.qacc_warmstart),
            (&mut world.qfrc_smooth, &d.qfrc_smooth),
        ] {
            let from = from.iter().map(|x| x.lane(lane));
            to.iter_mut().zip(from).for_each(|(to, x)| *to = x);
        }
    }

    // its own rows, one after the other; contacts keep their slots
    fn take_rows<R: Real>(&mut self, m: &Model, d: &Data<R>, lane: usize) {
        let Self { world, rows, .. } = self;
        for (to, &r) in rows.iter().enumerate() {
            for (x, from) in [
                (&mut world.efc_D, &d.efc_D),
                (&mut world.efc_R, &d.efc_R),
                (&mut world.efc_aref, &d.efc_aref),
                (&mut world.efc_frictionloss, &d.efc_frictionloss),
            ] {
                x[to] = from[r].lane(lane);
            }
            for (x, from) in [
                (&mut world.efc_type, &d.efc_type),
                (&mut world.efc_id, &d.efc_id),
                (&mut world.efc_Jpat, &d.efc_Jpat),
            ] {
                x[to] = R::int_lane(from[r], lane);
            }
            let used = dofs_of(m, d, world.efc_Jpat[to]).len();
            let from = &d.efc_J[r * m.nJrow..][..used];
            let entries = &mut world.efc_J[to * m.nJrow..][..used];
            let from = from.iter().map(|x| x.lane(lane));
            entries.iter_mut().zip(from).for_each(|(to, x)| *to = x);
        }
        world.contact_collision.clear();
        let pairs = d.contact_collision.iter();
        world
            .contact_collision
            .extend(pairs.map(|&pair| R::int_lane(pair, lane)));
        world.contact_dofnum.clone_from(&d.contact_dofnum);
        world.contact_dof.clone_from(&d.contact_dof);
        for (to, from) in [
            (&mut world.ne, &d.ne),
            (&mut world.nf, &d.nf),
            (&mut world.nl, &d.nl),
        ] {
            to[0] = R::int_lane(from[0], lane);
        }
        world.nefc[0] = rows.len() as i32;
    }

    // accelerations, forces, states of the rows, and what the iterations did
    fn give<R: Real>(&self, d: &mut Data<R>, lane: usize) {
        let Self { world, rows, .. } = self;
        for (to, from) in [
            (&mut d.qacc, &world.qacc),
            (&mut d.qfrc_constraint, &world.qfrc_constraint),
            (&mut d.solver_improvement, &world.solver_improvement),
            (&mut d.solver_gradient, &world.solver_gradient),
            (&mut d.solver_lineslope, &world.solver_lineslope),
        ] {
            let both = to.iter_mut().zip(from);
            both.for_each(|(to, &x)| to.set_lane(lane, x));
        }
        for (to, from) in [
            (&mut d.island_niter, &world.island_niter),
            (&mut d.solver_niter, &world.solver_niter),
            (&mut d.solver_nactive, &world.solver_nactive),
            (&mut d.solver_nchange, &world.solver_nchange),
            (&mut d.solver_neval, &world.solver_neval),
            (&mut d.solver_nupdate, &world.solver_nupdate),
        ] {
            let both = to.iter_mut().zip(from);
            both.for_each(|(to, &x)| R::set_int_lane(to, lane, x));
        }
        for (from, &r) in rows.iter().enumerate() {
            d.efc_force[r].set_lane(lane, world.efc_force[from]);
            R::set_int_lane(&mut d.efc_state[r], lane, world.efc_state[from]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Batch;
    use crate::batch::{Backend, Settings};

    // `num` balls in a winding row on the floor, so far from each other
    fn row(num: usize, apart: f64) -> String {
        let ball = |k: usize| {
            let x = k as f64 * apart;
            let y = 0.03 * (7.0 * x).sin();
            format!(r#"<body pos="{x} {y} .099"><freejoint/><geom size=".1"/></body>"#)
        };
        let balls: String = (0..num).map(ball).collect();
        format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1"/>{balls}</worldbody></mujoco>"#
        )
    }

    fn solve(m: &Model, backend: Backend) -> Batch {
        let settings = Settings::default().backend(backend);
        let mut batch = Batch::with(m, 2, settings).unwrap();
        batch.forward().unwrap();
        batch
    }

    #[test]
    fn a_large_island_is_solved_alone_where_the_model_is_large() {
        for (num, alone) in [(12, false), (36, true)] {
            let m = Model::from_xml_str(&row(num, 0.19)).unwrap();
            assert_eq!(Heap::may_be::<crate::real::F32x8>(&m), alone);
            let [mut have, mut want] = [Backend::Simd, Backend::Cpu].map(|b| solve(&m, b));
            assert_eq!(have.ints("nisland").unwrap(), [1, 1]);
            let (have, want) = (have.reals("qacc").unwrap(), want.reals("qacc").unwrap());
            let largest = want.iter().fold(0f64, |most, x| most.max(x.abs()));
            assert!(largest > 1.0);
            for (have, want) in have.iter().zip(want) {
                let off = (have - want).abs() / largest;
                assert!(off < 1e-4, "{num} balls: {have}, {want}");
            }
        }
    }
}
