//! A progress bar or spinner on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar of `steps` steps on stderr, drawn only where stderr is a terminal.
pub fn bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:30} step {pos}/{len} {msg} {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A spinner on stderr with a message and the elapsed time, drawn only where stderr is a terminal.
#[cfg(feature = "gpu")]
pub fn spinner(msg: String) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_message(msg);
    let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.enable_steady_tick(std::time::Duration::from_millis(200));
    spinner
}

/// A rate with a metric prefix: `1.230 Msteps/s`.
pub fn rate(x: f64, unit: &str) -> String {
    let (x, prefix) = match x {
        x if x >= 1e9 => (x / 1e9, "G"),
        x if x >= 1e6 => (x / 1e6, "M"),
        x if x >= 1e3 => (x / 1e3, "k"),
        x => (x, ""),
    };
    format!("{x:.3} {prefix}{unit}").trim_end().to_owned()
}
