//! The clock of the current thread.

/// Returns the nanoseconds of CPU time that this thread spent on `work`.
#[cfg(unix)]
pub fn time(work: impl FnOnce()) -> f64 {
    fn now() -> f64 {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `now` is a valid timespec that the call may write.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
        now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
    }
    let start = now();
    work();
    now() - start
}

/// Returns the nanoseconds of real time that `work` took.
#[cfg(not(unix))]
pub fn time(work: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}
