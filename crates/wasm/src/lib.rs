//! The codec of percent-simd as WebAssembly modules: plain functions over linear memory. They have no imports, so they can't reach
//! the page or the network.
//!
//! There are two modules:
//!
//! - The small module decodes. It also encodes, but only with sets that keep only ASCII. It has no allocator: the
//!   caller lays out its memory (`exports_small.rs`).
//! - The full module has everything else that the page and the npm package need (`exports.rs`). The feature `full`, which is on by default,
//!   builds it.
//!
//! A panic is a trap. It doesn't unwind the stack of the instance, so the caller drops the instance and creates a new
//! one. A lack of memory is a panic, too, but `memory.rs` records it. So the caller can distinguish a lack of memory
//! from a bug. Only `exports.rs`, `exports_small.rs` and `memory.rs` have `unsafe` code.
#![cfg_attr(target_family = "wasm", no_std)]

#[cfg(any(feature = "full", test))]
extern crate alloc;

pub mod abi;
#[cfg(all(test, not(target_family = "wasm")))]
mod catalogue;
#[cfg(feature = "full")]
mod codec;
#[cfg(feature = "full")]
mod explain;
#[cfg(feature = "full")]
mod exports;
#[cfg(not(feature = "full"))]
mod exports_small;
mod latin1;
#[cfg(feature = "full")]
mod lint;
#[cfg(feature = "full")]
mod memory;
#[cfg(feature = "full")]
mod repair;
#[cfg(any(not(feature = "full"), test))]
mod small;
#[cfg(feature = "full")]
mod stream;
#[cfg(feature = "full")]
mod units;
#[cfg(feature = "full")]
mod url;

#[cfg(test)]
use percent_simd_oracle as _; // its time limit ends a suite that hangs

#[cfg(feature = "full")]
pub use codec::{Options, Output};
#[cfg(feature = "full")]
pub use explain::{CLASSES, Class};
#[cfg(feature = "full")]
pub use stream::{Progress, Stream};

#[cfg(target_family = "wasm")]
mod runtime {
    #[cfg(feature = "full")]
    #[global_allocator]
    static ALLOCATOR: crate::memory::Noting<rlsf::SmallGlobalTlsf> =
        crate::memory::Noting(rlsf::SmallGlobalTlsf::new());

    /// Ends the call with a trap. The caller sees a `WebAssembly.RuntimeError`.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
