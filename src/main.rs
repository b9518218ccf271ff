//! The program `manyworlds`. Its verbs are in `src/cli`.

use manyworlds::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    sort_adapters_ourselves();
    if let Err(fault) = cli::level::become_the_widest() {
        return ExitCode::from(fault.tell());
    }
    ExitCode::from(cli::program(std::env::args_os()))
}

/// Turns off the layer of Mesa that sorts adapters: this program sorts them itself, and without a desktop the layer complains on stderr.
#[expect(unsafe_code, reason = "the environment of the process is written")]
fn sort_adapters_ourselves() {
    const OFF: &str = "NODEVICE_SELECT";
    if cfg!(unix) && std::env::var_os(OFF).is_none() {
        // SAFETY: nobody else reads or writes the environment meanwhile, because this is the first that `main` does: no thread
        // has been started, and no driver loaded that could have started one.
        unsafe { std::env::set_var(OFF, "1") };
    }
}
