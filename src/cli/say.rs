//! What is said: data on stdout, remarks on stderr. Neither a closed pipe nor a full disk is a reason to panic.

use super::{Fault, OUTPUT};
use std::fmt::Arguments;
use std::io::{self, Write};

/// Exit code where the reader of stdout has gone away: what the signal PIPE gives.
const PIPE: u8 = 128 + 13;

/// Prints a line of data; use [`data!`].
pub fn on_stdout(line: Arguments<'_>) -> Result<(), Fault> {
    text(&format!("{line}\n"))
}

/// Prints a text of data as it is.
pub fn text(text: &str) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    let done = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    done.map_err(|e| match e.kind() {
        // whoever stopped reading knows it
        io::ErrorKind::BrokenPipe => Fault {
            code: PIPE,
            text: String::new(),
        },
        _ => Fault {
            code: OUTPUT,
            text: format!("error: stdout: {e}\n"),
        },
    })
}

/// Prints a line for people; lost where nobody listens. Use [`remark!`].
pub fn on_stderr(line: Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// A line of data on stdout, as by `println!`: fails where it cannot be written.
macro_rules! data {
    ($($part:tt)*) => { $crate::cli::say::on_stdout(format_args!($($part)*)) };
}

/// A line for people on stderr, as by `eprintln!`: lost where it cannot be written.
macro_rules! remark {
    ($($part:tt)*) => { $crate::cli::say::on_stderr(format_args!($($part)*)) };
}

pub(crate) use {data, remark};
