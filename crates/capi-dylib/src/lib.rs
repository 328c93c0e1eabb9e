//! The library for C: `percent-simd-capi` as `libpercent_simd.so` and `libpercent_simd.a`.
//!
//! A panic must not unwind into a C caller. No reachable panic is known. If there is one, the process aborts.
#![no_std]

#[cfg(panic = "unwind")]
compile_error!("build this with `panic = \"abort\"`: in its own folder, where the profiles say so, or with `make`");

pub use percent_simd_capi::*;
