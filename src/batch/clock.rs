//! Processor time of a thread or of the process: other load on the machine does not count.

/// Processor time of this thread, in seconds; wall time where the system does not tell.
#[cfg(unix)]
pub fn thread_seconds() -> f64 {
    seconds(rustix::time::ClockId::ThreadCPUTime)
}

/// Processor time of all threads of this process, in seconds; wall time where the system does not tell.
#[cfg(unix)]
pub fn process_seconds() -> f64 {
    seconds(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn seconds(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Processor time of this thread, in seconds; wall time where the system does not tell.
#[cfg(not(unix))]
pub fn thread_seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_secs_f64()
}

/// Processor time of all threads of this process, in seconds; wall time where the system does not tell.
#[cfg(not(unix))]
pub fn process_seconds() -> f64 {
    thread_seconds()
}
