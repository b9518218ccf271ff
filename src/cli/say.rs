//! Output of text: data on stdout, remarks on stderr. A closed pipe or a full disk causes no panic.

use super::{Fault, OUTPUT};
use std::fmt::Arguments;
use std::io::{self, Write};

/// Exit code where the reader of stdout has closed it: that of the signal PIPE.
const PIPE: u8 = 128 + 13;

/// Prints a line of data (macro [`data!`]).
pub fn on_stdout(line: Arguments<'_>) -> Result<(), Fault> {
    text(&format!("{line}\n"))
}

/// Prints a text of data unchanged.
pub fn text(text: &str) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    let done = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    done.map_err(|e| match e.kind() {
        // the reader closed the pipe itself and needs no message
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

/// Prints a remark; lost where stderr is closed (macro [`remark!`]).
pub fn on_stderr(line: Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Prints a line of data on stdout, as `println!` does; fails where it cannot be written.
macro_rules! data {
    ($($part:tt)*) => { $crate::cli::say::on_stdout(format_args!($($part)*)) };
}

/// Prints a remark on stderr, as `eprintln!` does; lost where it cannot be written.
macro_rules! remark {
    ($($part:tt)*) => { $crate::cli::say::on_stderr(format_args!($($part)*)) };
}

pub(crate) use {data, remark};
