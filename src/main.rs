//! The command line: one file a verb under `cli/`. Data goes to stdout, progress and remarks to stderr.

mod cli;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
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
            anstream::eprint!("{}", fault.text);
            ExitCode::from(fault.code)
        }
    }
}
