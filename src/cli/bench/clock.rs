//! Time that the processors spent on this process.

/// Seconds of all threads so far, to a hundredth; not a number where the system does not tell.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // the name of the program may hold spaces: fields are counted from behind it
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = fields.split_whitespace().skip(11).map(str::parse::<f64>);
    match (ticks.next(), ticks.next()) {
        (Some(Ok(user)), Some(Ok(system))) => (user + system) / 100.0,
        _ => f64::NAN,
    }
}
