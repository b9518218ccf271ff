//! Signals that end the program: checked between steps, so that kept results are written first.

use super::Fault;
use signal_hook::consts::signal;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(unix)]
const SIGNALS: &[(i32, &str)] = &[
    (signal::SIGINT, "INT"),
    (signal::SIGTERM, "TERM"),
    (signal::SIGHUP, "HUP"),
];
#[cfg(not(unix))]
const SIGNALS: &[(i32, &str)] = &[(signal::SIGINT, "INT"), (signal::SIGTERM, "TERM")];

/// The signal that was received, if any. A second one ends the program at once.
#[derive(Clone, Debug)]
pub struct Interrupt {
    // signal number; 0 if none was received
    came: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Begins to watch for signals. A signal that the caller of the program ignores, as `nohup` does, stays ignored.
    pub fn watch() -> Result<Self, Fault> {
        let (came, again) = (Arc::new(AtomicUsize::new(0)), Arc::default());
        let off = turned_off();
        let watch = |signal: i32| -> std::io::Result<()> {
            // in this order: the first one only sets the flag that lets the second one end the program
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
            flag::register(signal, Arc::clone(&again))?;
            flag::register_usize(signal, Arc::clone(&came), signal as usize)?;
            Ok(())
        };
        for (signal, name) in SIGNALS.iter().filter(|(n, _)| off & (1 << (n - 1)) == 0) {
            watch(*signal).map_err(|e| Fault::usage(format!("signal {name}: {e}")))?;
        }
        // a file that grows beyond its limit is an error of the write, and does not end the program
        #[cfg(unix)]
        flag::register(signal::SIGXFSZ, Arc::new(AtomicBool::new(false)))
            .map_err(|e| Fault::usage(format!("signal XFSZ: {e}")))?;
        Ok(Self { came })
    }

    /// Fails after a signal was received, with exit code 128 plus its number, as a shell reports it.
    pub fn check(&self) -> Result<(), Fault> {
        let came = self.came.load(Ordering::Relaxed) as i32;
        match SIGNALS.iter().find(|(signal, _)| *signal == came) {
            None => Ok(()),
            Some((signal, name)) => Err(Fault {
                code: 128 + *signal as u8,
                text: format!("error: interrupted (signal {name})\n"),
            }),
        }
    }
}

// mask of ignored signals: bit n − 1 for signal n
fn turned_off() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
