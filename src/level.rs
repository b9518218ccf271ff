//! Processors: the level that this library was built for, and the level that the machine has.
//!
//! ```text
//!              built for x86-64-v2                     built for x86-64-v3        built for x86-64-v4
//! machine v4   works, says that it could be faster     the same                   nothing to say
//! machine v3   the same                                nothing to say             an illegal instruction
//! ```
//!
//! The levels are those of the x86-64 psABI: v3 has AVX2 and FMA, v4 has AVX-512. Shipped binaries hold one build a level and
//! choose at their start ([`choose`]); `docs/building.md` tells how and why.
//!
//! Numbers in `f64` (`cpu`) have the same bits on every level. Numbers in `f32` side by side (`simd`) have the bits of their
//! level: v4 takes 16 worlds at once, the others 8, and v3 and v4 round a product that is added once.

use std::fmt;

/// The variable of the environment that forces a level where one is chosen at the start.
pub const VARIABLE: &str = "MANYWORLDS_CPU";

/// Level of a processor: the sets of instructions that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// The instructions that every processor of the architecture has.
    Base,
    /// x86-64-v2: SSE4.2 (2009).
    V2,
    /// x86-64-v3: AVX2 and FMA (2013).
    V3,
    /// x86-64-v4: AVX-512 (2017).
    V4,
}

/// The highest level whose CPU features are all present; the macro `$has` tests a feature, at compile time or at run time.
macro_rules! level {
    ($has:ident) => {
        if !($has!("sse3")
            && $has!("ssse3")
            && $has!("sse4.1")
            && $has!("sse4.2")
            && $has!("popcnt"))
        {
            Level::Base
        } else if !($has!("avx2")
            && $has!("fma")
            && $has!("f16c")
            && $has!("bmi1")
            && $has!("bmi2")
            && $has!("lzcnt")
            && $has!("movbe"))
        {
            Level::V2
        } else if !($has!("avx512f")
            && $has!("avx512bw")
            && $has!("avx512cd")
            && $has!("avx512dq")
            && $has!("avx512vl"))
        {
            Level::V3
        } else {
            Level::V4
        }
    };
}

impl Level {
    /// The level that this library was built for.
    pub const fn built() -> Self {
        macro_rules! has {
            ($feature:literal) => {
                cfg!(target_feature = $feature)
            };
        }
        level!(has)
    }

    /// The level that this machine has.
    pub fn machine() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            level!(has)
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level::built()
    }

    /// The short name: `v2`, `v3`, `v4`; `base` where the architecture has no levels.
    pub const fn short(self) -> &'static str {
        match self {
            Level::Base => "base",
            Level::V2 => "v2",
            Level::V3 => "v3",
            Level::V4 => "v4",
        }
    }
}

/// The name that compilers know: `x86-64-v3`, or that of the architecture.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Base => f.write_str(std::env::consts::ARCH),
            level => write!(f, "x86-64-{}", level.short()),
        }
    }
}

/// One line for a machine that can do more than this library was built for, with the remedy; `None` where it cannot.
pub fn remark() -> Option<String> {
    let (built, machine) = (Level::built(), Level::machine());
    (built < machine).then(|| {
        format!(
            "built for {built}, and this machine has {machine}: RUSTFLAGS=-Ctarget-cpu=native makes a faster build"
        )
    })
}

/// The widest of some builds that a machine can run, or the one whose short name is asked for ([`VARIABLE`]).
///
/// Fails where no build has that name, where the machine cannot run it, and where it can run none; the text names the remedy.
pub fn choose(builds: &[Level], machine: Level, asked: Option<&str>) -> Result<Level, String> {
    let names: Vec<&str> = builds.iter().map(|build| build.short()).collect();
    let names = names.join(", ");
    let runs = |build: &&Level| **build <= machine;
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else {
        let widest = builds.iter().filter(runs).max();
        return widest.copied().ok_or_else(|| {
            format!(
                "this machine has {machine}, and there are builds only for {names}: build from source"
            )
        });
    };
    match builds.iter().find(|build| build.short() == asked) {
        None => Err(format!(
            "{VARIABLE}={asked}: there is no such build; there are builds for {names}"
        )),
        Some(build) if !runs(&build) => Err(format!(
            "{VARIABLE}={asked}: this machine has {machine}, which cannot run it"
        )),
        Some(build) => Ok(*build),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Level::{Base, V2, V3, V4};

    #[test]
    fn the_widest_build_that_runs_is_chosen() {
        let all = [V2, V3, V4];
        assert_eq!(choose(&all, V4, None), Ok(V4));
        assert_eq!(choose(&all, V3, None), Ok(V3));
        assert_eq!(choose(&all, V3, Some("")), Ok(V3));
        assert_eq!(choose(&[V4, V2], V3, None), Ok(V2));
        assert!(choose(&all, Base, None).is_err());
    }

    #[test]
    fn a_level_can_be_forced_within_what_there_is() {
        let all = [V2, V3, V4];
        assert_eq!(choose(&all, V4, Some("v2")), Ok(V2));
        assert!(choose(&all, V3, Some("v4")).is_err_and(|e| e.contains("cannot run it")));
        assert!(choose(&all, V4, Some("v9")).is_err_and(|e| e.contains("v2, v3, v4")));
    }

    #[test]
    fn this_test_runs_on_what_it_was_built_for() {
        assert!(Level::built() <= Level::machine());
        assert_eq!(remark().is_some(), Level::built() < Level::machine());
    }
}
