//! Tests that would fail, or test less, if other tests called the codec in the same process.
//!
//! - `first_call` makes the first calls of the process.
//! - `work` counts the blocks that the whole process loads. It waits for `first_call`.
//! - `memory` starts a process for each operation.
//! - `architecture` only reads files.

use percent_simd_oracle as common;

mod architecture;
mod first_call;
mod memory;
mod work;

#[global_allocator]
static MEMORY: common::memory::Watched = common::memory::Watched;
