//! Time and iterations of the constraint solver on goldens of `tests/golden/make_solver.py`:
//! `cargo bench --bench solve -- GOLDEN.npz …`. For goldens made with `--time`, MuJoCo's own time is printed too.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::{Golden, error, solver};
use manyworlds::cpu::solve_cg::solve_cg;
use manyworlds::cpu::solve_newton::solve_newton;
use manyworlds::cpu::solve_noslip::solve_noslip;
use manyworlds::cpu::solve_pgs::solve_pgs;
use manyworlds::types::{DSBL_ISLAND, Solver};

fn main() {
    let paths: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg.ends_with(".npz"))
        .collect();
    println!(
        "{:32} {:>6} {:>7} {:>9} {:>7} {:>9} {:>9} {:>9} {:>6}",
        "golden", "rows", "islands", "iter", "mujoco", "ns", "mujoco", "error", "more"
    );
    for path in &paths {
        for (prefix, flag) in [("own", 0), ("mono", DSBL_ISLAND)] {
            let golden = Golden::open(path);
            let mut m = golden.model();
            m.edit(|m| m.opt.disableflags |= flag).unwrap();
            let (mut rows, mut islands, mut niter, mut theirs, mut ns, mut their_ns) =
                (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            // the optimum, or the golden result of sweeps that stop early
            let dual = m.opt.solver == Solver::Pgs || m.opt.noslip_iterations > 0;
            let against = if dual { prefix } else { "out" };
            let (mut worst, mut more) = (0.0f64, 0);
            let nstate = golden.nstate();
            for k in 0..nstate {
                let (m, mut d) = solver::world(&golden, &m, k);
                let mut best = f64::INFINITY;
                for _ in 0..20 {
                    let start = Instant::now();
                    for _ in 0..20 {
                        match Solver::from_i32(m.opt.solver) {
                            Some(Solver::Pgs) => solve_pgs(&m, &mut d),
                            Some(Solver::Cg) => solve_cg(&m, &mut d),
                            _ => solve_newton(&m, &mut d),
                        }
                        if m.opt.noslip_iterations > 0 {
                            solve_noslip(&m, &mut d);
                        }
                    }
                    best = best.min(start.elapsed().as_nanos() as f64 / 20.0);
                }
                let their_niter: f64 = golden.state(&format!("{prefix}/niter"), k).iter().sum();
                rows += f64::from(d.nefc[0]);
                islands += f64::from(d.nisland[0]);
                niter += f64::from(d.solver_niter[0]);
                theirs += their_niter;
                ns += best;
                their_ns += golden
                    .get(&format!("{prefix}/ns"))
                    .map_or(f64::NAN, |ns| ns[k]);
                more += i32::from(f64::from(d.solver_niter[0]) > their_niter);
                worst = worst.max(error(&d.qacc, golden.state(&format!("{against}/qacc"), k)));
            }
            let n = nstate as f64;
            let name = path
                .rsplit('/')
                .next()
                .unwrap_or(path)
                .trim_end_matches(".npz");
            println!(
                "{:32} {:6.1} {:7.2} {:9.3} {:7.3} {:9.0} {:9.0} {:9.1e} {:6}",
                format!("{name} {prefix}"),
                rows / n,
                islands / n,
                niter / n,
                theirs / n,
                ns / n,
                their_ns / n,
                worst,
                more
            );
        }
    }
}
