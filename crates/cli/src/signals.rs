//! Temporary files that go away with the process, whichever signal ends it.
//!
//! A signal handler may do next to nothing. So a thread of ours waits for the signals, removes the files, and then ends
//! the process by the same signal. SIGKILL can't be caught, and after a fault of the CPU (SIGSEGV, SIGBUS, SIGILL,
//! SIGFPE, SIGTRAP) the program can't go on to clean up: only these leave a file.

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

    /// The signals that end a process unless it catches them.
    const ENDING: &[c_int] = &[
        SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGVTALRM, SIGPROF, SIGSYS,
        SIGXCPU,
    ];

    /// More of them on Linux: SIGIO (elsewhere it is ignored) and SIGPWR.
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

    /// Makes a write beyond the limit of `ulimit -f` an error, as one to a full disk is. Without this the system would kill
    /// the process.
    pub fn survive_size_limit() {
        // With any handler at all, the system reports EFBIG.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    }

    /// A temporary file that a signal removes until this is dropped.
    pub struct Remembered(PathBuf);

    impl Drop for Remembered {
        fn drop(&mut self) {
            state().files.remove(&self.0);
        }
    }

    /// Makes a temporary file with `make`, which returns its path, too. A signal removes the file from the moment it exists.
    pub fn remember<T>(make: impl FnOnce() -> io::Result<(T, PathBuf)>) -> io::Result<(T, Remembered)> {
        // A signal that comes in between waits for the lock.
        let mut state = state();
        if !state.is_watching {
            watch()?;
            state.is_watching = true;
        }
        let (made, path) = make()?;
        state.files.insert(path.clone());
        Ok((made, Remembered(path)))
    }

    /// Starts the thread that waits for the signals. Signals that are ignored, as by `nohup`, stay ignored.
    fn watch() -> io::Result<()> {
        let ignored = ignored();
        let wanted = ENDING.iter().chain(ENDING_HERE).copied().filter(move |signal| ignored >> (signal - 1) & 1 == 0);
        let (sender, started) = mpsc::channel();
        // The thread installs the handlers, because a handler without a thread would swallow its signal.
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut signals = match Signals::new(wanted) {
                Ok(signals) => signals,
                Err(error) => return drop(sender.send(Err(error))),
            };
            let _ = sender.send(Ok(()));
            if let Some(signal) = signals.forever().next() {
                // The lock is held until the process ends, so no file is made that nobody would remove.
                let state = state();
                for file in &state.files {
                    let _ = fs::remove_file(file);
                }
                let _ = emulate_default_handler(signal);
                // It returns for a signal that it doesn't know. Shells report such an end as this status.
                process::exit(128 + signal);
            }
        })?;
        started.recv().unwrap_or_else(|_| Err(io::Error::other("the thread for signals ended")))
    }

    /// Returns the signals that this process ignores, a bit each, if the system tells.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        // Rust ignores SIGPIPE in every program.
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
