//! Options that a step can work with.

use crate::error::{Error, Result};
use crate::fields::Arrays;
use crate::model::Opt;
use crate::types::*;

const DISABLE: i32 = (DSBL_MULTICCD << 1) - 1;
const ENABLE: i32 = ((ENBL_SPECULATIVE << 1) - 1) | ENBL_SOLVERSTAT | ENBL_INVERSE | ENBL_RNEPOST;

/// Most iterations of a solver: with more a step would take too long.
const MOST_ITERATIONS: i32 = 1_000_000;

pub(super) fn check(m: &Arrays) -> Result<()> {
    let opt = &m.opt;
    for (name, _) in Opt::NAMES {
        let numbers = opt.get(name).unwrap_or_default();
        if numbers.iter().any(|x| x.is_nan()) {
            return Err(bad(name, "is not a number", "give it one"));
        }
    }
    if !(opt.timestep > 0.0 && opt.timestep.is_finite()) {
        let is = format!("is {}", opt.timestep);
        return Err(bad("timestep", &is, "give a positive number of seconds"));
    }
    for (name, value, known, words) in [
        (
            "integrator",
            opt.integrator,
            Integrator::from_i32(opt.integrator).is_some(),
            "0 (Euler) to 4",
        ),
        (
            "cone",
            opt.cone,
            Cone::from_i32(opt.cone).is_some(),
            "0 (pyramidal) or 1 (elliptic)",
        ),
        (
            "jacobian",
            opt.jacobian,
            Jacobian::from_i32(opt.jacobian).is_some(),
            "0 (dense), 1 (sparse) or 2 (auto)",
        ),
        (
            "solver",
            opt.solver,
            Solver::from_i32(opt.solver).is_some(),
            "0 (PGS), 1 (CG) or 2 (Newton)",
        ),
    ] {
        if !known {
            return Err(bad(name, &format!("is {value}"), &format!("it is {words}")));
        }
    }
    for (name, num) in [
        ("iterations", opt.iterations),
        ("ls_iterations", opt.ls_iterations),
        ("noslip_iterations", opt.noslip_iterations),
        ("ccd_iterations", opt.ccd_iterations),
        ("sdf_iterations", opt.sdf_iterations),
        ("sdf_initpoints", opt.sdf_initpoints),
    ] {
        if num > MOST_ITERATIONS {
            let remedy = format!("at most {MOST_ITERATIONS} make sense");
            return Err(bad(name, &format!("is {num}"), &remedy));
        }
    }
    for (name, bits, known) in [
        ("disableflags", opt.disableflags, DISABLE),
        ("enableflags", opt.enableflags, ENABLE),
    ] {
        if bits & !known != 0 {
            let unknown = format!("has bits that mean nothing ({:#x})", bits & !known);
            return Err(bad(name, &unknown, "take the constants DSBL_* and ENBL_*"));
        }
    }
    Ok(())
}

fn bad(name: &str, what: &str, remedy: &str) -> Error {
    Error::Input(format!("the option {name} {what}: {remedy}"))
}
