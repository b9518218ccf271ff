//! Choice of the build for this processor: builds of other levels are in the same folder, named for their level.
//!
//! ```text
//! manyworlds  manyworlds-v3  manyworlds-v4      the files of a release
//!     └────────────▶ replaces itself with the widest that the machine runs, or the one in MANYWORLDS_CPU
//! ```

use super::say::remark;
use super::{Fault, USAGE};
use manyworlds::level::{self, Level};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Replaces this process with the build that suits the machine best; returns if this is that build.
///
/// Fails where [`level::VARIABLE`] names a build that does not exist, and where the other program cannot be started.
pub fn become_the_widest() -> Result<(), Fault> {
    let own = std::env::current_exe().unwrap_or_default();
    let mut builds = vec![Level::built()];
    // a file that is named for its level was chosen by its caller
    if own != build_of(&own, Level::built()) {
        let beside = LEVELS
            .into_iter()
            .filter(|of| build_of(&own, *of).is_file());
        builds.extend(beside);
    }
    builds.sort_unstable();
    builds.dedup();
    let asked = std::env::var(level::VARIABLE).ok();
    let chosen = level::choose(&builds, Level::machine(), asked.as_deref());
    let chosen = chosen.map_err(Fault::usage)?;
    match chosen == Level::built() {
        true => Ok(()),
        false => Err(run(&build_of(&own, chosen))),
    }
}

const LEVELS: [Level; 3] = [Level::V2, Level::V3, Level::V4];

// path of the build for a level, in the same folder
fn build_of(own: &Path, level: Level) -> PathBuf {
    let (level, suffix) = (level.short(), std::env::consts::EXE_SUFFIX);
    own.with_file_name(format!("manyworlds-{level}{suffix}"))
}

/// Says on stderr that the machine has wider instructions than this build uses, unless a level was asked for.
pub fn say_what_is_lost() {
    let asked = std::env::var_os(level::VARIABLE).is_some_and(|asked| !asked.is_empty());
    if let Some(remark) = level::remark().filter(|_| !asked) {
        remark!("{remark}");
    }
}

// runs the other build with the arguments of this one; returns only where it cannot be started
#[cfg(unix)]
fn run(path: &Path) -> Fault {
    use std::os::unix::process::CommandExt;
    let failed = Command::new(path).args(std::env::args_os().skip(1)).exec();
    cannot_start(path, &failed)
}

#[cfg(not(unix))]
fn run(path: &Path) -> Fault {
    match Command::new(path)
        .args(std::env::args_os().skip(1))
        .status()
    {
        Ok(status) => std::process::exit(status.code().unwrap_or(i32::from(USAGE))),
        Err(failed) => cannot_start(path, &failed),
    }
}

fn cannot_start(path: &Path, failed: &std::io::Error) -> Fault {
    let (path, built) = (path.display(), Level::built());
    let text = format!(
        "error: {path}: {failed}\n  unpack the release again, or remove that file to use the build for {built}\n"
    );
    Fault { code: USAGE, text }
}
