//! Signals that end the program: noticed between steps, so that what was kept is written first.

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

/// The signal that came, if one did. A second one ends the program at once.
#[derive(Clone, Debug)]
pub struct Interrupt {
    // its number; 0 before
    came: Arc<AtomicUsize>,
}

impl Interrupt {
    /// From now on signals are noted. One that the caller of the program has turned off, as `nohup` does, stays off.
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
        // a file that grows beyond its limit is an error of the write, not the end
        #[cfg(unix)]
        flag::register(signal::SIGXFSZ, Arc::new(AtomicBool::new(false)))
            .map_err(|e| Fault::usage(format!("signal XFSZ: {e}")))?;
        Ok(Self { came })
    }

    /// Fails once a signal came: with 128 and its number, as a shell tells it.
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

// bit n − 1 for signal n
fn turned_off() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
