//! Finds out if standard input or output was already closed at the start of the process. In a shell, `<&-` and `>&-`
//! close them.
//!
//! Before `main`, Rust's standard library opens `/dev/null` in place of a closed stream. Then `pct` would read an empty
//! input, or lose its output, and report success. So we look at the streams before the standard library does.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::fcntl_getfd;
use rustix::stdio::{stdin, stdout};

/// Whether standard input and standard output were closed.
static WAS_CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

extern "C" fn look() {
    for (stream, was_closed) in [stdin(), stdout()].into_iter().zip(&WAS_CLOSED) {
        was_closed.store(fcntl_getfd(stream).is_err(), Ordering::Relaxed);
    }
}

// SAFETY: the system calls each function in this section once, before `main`, on the only thread. `look` needs no part of
// the standard library that is set up before `main`: it calls `fcntl` and stores flags.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

/// Fails if standard input (0) or standard output (1) was closed when the process started.
pub fn check(which: usize) -> io::Result<()> {
    match WAS_CLOSED[which].load(Ordering::Relaxed) {
        true => Err(io::Error::other("it is closed")),
        false => Ok(()),
    }
}
