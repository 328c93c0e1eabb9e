//! Keeps a host process alive if a library in it runs out of memory or panics.
//!
//! Python and DuckDB load this project as a library. If memory runs out, these hosts report an error and continue. So
//! the library must not end their process. Three kinds of code in the library ask for memory:
//!
//! 1. Our own code stores data that grows with the input. It uses `try_` calls, [`room`] and [`push`], and
//!    returns an error.
//! 2. Some calls of `percent_simd` and of bindings panic if there is no memory for a result. [`guarded`] catches the
//!    panic and returns a [`Fault`].
//! 3. Other code asks for a few bytes: for example, `Arc::new` in arrow, or `format!`. If one of these requests is
//!    refused, Rust ends the process. So use [`Reserve`] as the global allocator: it serves the request from memory set
//!    aside for it.
//!
//! Call [`quiet`] when the library is loaded. Without that call, a panic prints a backtrace, which needs a megabyte of
//! memory. If memory has run out, printing would end the process.
//!
//! # Examples
//!
//! ```
//! use percent_simd_host::{Fault, guarded, quiet, room};
//!
//! quiet();
//! let work = |len| guarded(|| Ok::<_, Fault>(room::<u8>(len)?.capacity()))?;
//! assert!(work(16).is_ok());
//! assert!(matches!(work(usize::MAX / 2), Err(Fault::Memory)));
//! assert!(matches!(guarded(|| panic!("a mistake")), Err(Fault::Internal(_))));
//! # Ok::<(), Fault>(())
//! ```

mod reserve;

use std::any::Any;
use std::cell::Cell;
use std::collections::TryReserveError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use reserve::Reserve;

/// The reason why the work passed to [`guarded`] failed.
#[derive(Debug)]
pub enum Fault {
    /// Memory could not be allocated.
    Memory,
    /// The work panicked for a reason other than memory, which is a bug in the library. Contains the message and where
    /// it happened.
    Internal(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Memory => f.write_str("out of memory"),
            Fault::Internal(message) => write!(f, "internal error of percent_simd, please report it: {message}"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<TryReserveError> for Fault {
    fn from(_: TryReserveError) -> Fault {
        Fault::Memory
    }
}

thread_local! {
    /// The place of this thread's last panic. A panic that means that memory ran out isn't stored here.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// Returns the message of a panic.
fn message_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Returns true if the message of a panic means that memory ran out. There are three such messages: of `percent_simd`
/// (`TryReserveError`), of `Vec` (a request exceeds the address space), and of pyo3 (Python can't create an object).
fn is_out_of_memory(message: &str) -> bool {
    message.contains("memory allocation failed")
        || message == "capacity overflow"
        || message == "PyObject pointer is null"
}

/// Keeps panics of this library from printing, because [`guarded`] reports them.
///
/// Each loaded library has its own copy of Rust's standard library, so this doesn't affect the host.
pub fn quiet() {
    std::panic::set_hook(Box::new(|panic| {
        if !is_out_of_memory(message_of(panic.payload())) {
            PLACE.set(panic.location().map(ToString::to_string));
        }
    }));
}

/// Runs `work`, and returns a fault if `work` panics.
///
/// After a panic, the data that `work` used must not be used again.
///
/// # Errors
///
/// Returns an error if `work` panics.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| fault_of(&*payload))
}

#[cold]
fn fault_of(payload: &(dyn Any + Send)) -> Fault {
    let message = message_of(payload);
    if is_out_of_memory(message) {
        return Fault::Memory;
    }
    Fault::Internal(match PLACE.take() {
        Some(place) => format!("{message} ({place})"),
        None => message.to_owned(),
    })
}

/// Creates an empty vector with room for `capacity` items.
///
/// # Errors
///
/// Returns an error if memory cannot be allocated.
pub fn room<T>(capacity: usize) -> Result<Vec<T>, TryReserveError> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity)?;
    Ok(vec)
}

/// Appends an item to a vector, which grows if necessary.
///
/// # Errors
///
/// Returns an error if memory cannot be allocated.
#[inline]
pub fn push<T>(vec: &mut Vec<T>, item: T) -> Result<(), TryReserveError> {
    vec.try_reserve(1)?;
    vec.push(item);
    Ok(())
}

/// Appends items to a vector, which grows if necessary.
///
/// # Errors
///
/// Returns an error if memory cannot be allocated.
#[inline]
pub fn extend<T: Copy>(vec: &mut Vec<T>, items: &[T]) -> Result<(), TryReserveError> {
    vec.try_reserve(items.len())?;
    vec.extend_from_slice(items);
    Ok(())
}

/// Collects the items of an iterator, or returns its first error.
///
/// # Errors
///
/// Returns an error if memory cannot be allocated, or an item is an error.
pub fn collect<T, E: From<TryReserveError>>(items: impl Iterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
    let mut vec = room(items.size_hint().0)?;
    for item in items {
        push(&mut vec, item?)?;
    }
    Ok(vec)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
