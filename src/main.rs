//! The command line: one file a verb under `cli/`. Data goes to stdout, progress and remarks to stderr.

mod cli;

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    sort_adapters_ourselves();
    let args = match cli::Cli::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // help and version are no mistakes
            let code = u8::from(e.use_stderr()) * cli::USAGE;
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    match cli::run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            // where nobody listens, the exit code still tells
            let _ = write!(anstream::stderr(), "{}", fault.text);
            ExitCode::from(fault.code)
        }
    }
}

/// Turns off the layer of Mesa that sorts adapters: they are sorted here, and where there is no desktop it complains on stderr.
#[expect(unsafe_code, reason = "the environment of the process is written")]
fn sort_adapters_ourselves() {
    const OFF: &str = "NODEVICE_SELECT";
    if cfg!(unix) && std::env::var_os(OFF).is_none() {
        // SAFETY: nobody else reads or writes the environment meanwhile, because this is the first that `main` does: no thread
        // has been started, and no driver loaded that could have started one.
        unsafe { std::env::set_var(OFF, "1") };
    }
}
