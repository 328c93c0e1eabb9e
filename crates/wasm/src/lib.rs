//! The codec of percent-simd as WebAssembly modules: plain functions over linear memory, which import nothing, so that they can
//! reach neither the page nor the network.
//!
//! There are two. The small one encodes by sets of ASCII, and decodes; it has no allocator, and its caller lays out its memory:
//! see `exports_small.rs`. With the feature `full`, which is on by default, it has everything else that the page and the npm package
//! ask for: see `exports.rs`.
//!
//! A panic is a trap. The caller then gives up the instance, because its stack is not unwound, and starts another one. A lack of
//! memory is a panic, too: `memory.rs` notes it, so that the caller can tell it from a fault. Only these three files have `unsafe` in them.
#![cfg_attr(target_family = "wasm", no_std)]

#[cfg(any(feature = "full", test))]
extern crate alloc;

pub mod abi;
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
mod memory;
#[cfg(any(not(feature = "full"), test))]
mod small;
#[cfg(feature = "full")]
mod url;

#[cfg(test)]
use percent_simd_oracle as _; // ends a suite that hangs

#[cfg(feature = "full")]
pub use codec::{Options, Output, Progress, Stream};
#[cfg(feature = "full")]
pub use explain::{CLASSES, Class};

#[cfg(target_family = "wasm")]
mod runtime {
    #[cfg(feature = "full")]
    #[global_allocator]
    static ALLOCATOR: crate::memory::Noting<rlsf::SmallGlobalTlsf> =
        crate::memory::Noting(rlsf::SmallGlobalTlsf::new());

    /// Traps: the caller sees a `WebAssembly.RuntimeError`.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
