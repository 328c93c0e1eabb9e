//! Temporary files that are removed when a signal ends the process.
//!
//! A signal handler may do very little. So a thread waits for the signals, removes the files, and then ends the process with the
//! same signal. Only two kinds of signals leave a file behind: SIGKILL, which can't be caught, and faults of the CPU (SIGSEGV,
//! SIGBUS, SIGILL, SIGFPE, SIGTRAP), after which the program can't continue.

#[cfg(unix)]
pub use unix::*;

#[cfg(unix)]
mod unix {
    use std::collections::BTreeSet;
    use std::ffi::c_int;
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
    use std::{fs, io, process, thread};

    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPIPE, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
        SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The signals that end a process if it doesn't catch them.
    const ENDING: &[c_int] = &[
        SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGVTALRM, SIGPROF, SIGSYS,
        SIGXCPU,
    ];

    /// On Linux, two more signals end a process: SIGIO, which other systems ignore, and SIGPWR.
    #[cfg(target_os = "linux")]
    const ENDING_HERE: &[c_int] = &[signal_hook::consts::SIGIO, rustix::process::Signal::POWER.as_raw()];
    #[cfg(not(target_os = "linux"))]
    const ENDING_HERE: &[c_int] = &[];

    struct State {
        files: BTreeSet<PathBuf>,
        is_watching: bool,
    }

    static STATE: Mutex<State> = Mutex::new(State { files: BTreeSet::new(), is_watching: false });

    fn state() -> MutexGuard<'static, State> {
        STATE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a write beyond the limit of `ulimit -f` fail, like a write to a full disk. Without this call, the system
    /// would kill the process.
    pub fn survive_size_limit() {
        // If SIGXFSZ has any handler, the write fails with EFBIG.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    }

    /// Registers a temporary file. Until this value is dropped, a signal removes the file.
    pub struct Remembered(PathBuf);

    impl Drop for Remembered {
        fn drop(&mut self) {
            state().files.remove(&self.0);
        }
    }

    /// Creates a temporary file with `make`, which returns the file and its path. From the moment when the file exists, a signal
    /// removes it.
    pub fn remember<T>(make: impl FnOnce() -> io::Result<(T, PathBuf)>) -> io::Result<(T, Remembered)> {
        // While we hold the lock, the signal thread can't remove files, so it can't miss the file that we are creating.
        let mut state = state();
        if !state.is_watching {
            watch()?;
            state.is_watching = true;
        }
        let (made, path) = make()?;
        state.files.insert(path.clone());
        Ok((made, Remembered(path)))
    }

    /// Starts the thread that waits for the signals. Signals that are ignored, for example because of `nohup`, stay ignored.
    fn watch() -> io::Result<()> {
        let ignored = ignored();
        let wanted = ENDING.iter().chain(ENDING_HERE).copied().filter(move |signal| ignored >> (signal - 1) & 1 == 0);
        let (sender, started) = mpsc::channel();
        // The new thread installs the handlers. If we installed them first and the thread then failed to start, signals would have
        // no effect.
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut signals = match Signals::new(wanted) {
                Ok(signals) => signals,
                Err(error) => return drop(sender.send(Err(error))),
            };
            let _ = sender.send(Ok(()));
            if let Some(signal) = signals.forever().next() {
                // We hold the lock until the process ends, so no further file is created.
                let state = state();
                for file in &state.files {
                    let _ = fs::remove_file(file);
                }
                let _ = emulate_default_handler(signal);
                // `emulate_default_handler` returns only if it doesn't know the signal. In that case, we exit with the
                // status that shells report for a process that a signal ended.
                process::exit(128 + signal);
            }
        })?;
        started.recv().unwrap_or_else(|_| Err(io::Error::other("the thread for signals ended")))
    }

    /// Returns a mask of the signals that this process ignores: bit 0 is signal 1. If the system doesn't list the
    /// ignored signals, the mask has only SIGPIPE, which Rust ignores in every program.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let usual = 1 << (SIGPIPE - 1);
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(usual)
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::path::PathBuf;

    pub struct Remembered;

    pub fn survive_size_limit() {}

    pub fn remember<T>(make: impl FnOnce() -> io::Result<(T, PathBuf)>) -> io::Result<(T, Remembered)> {
        make().map(|(made, _)| (made, Remembered))
    }
}

#[cfg(not(unix))]
pub use elsewhere::*;
