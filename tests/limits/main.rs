//! Lengths and memory at their limits.

use percent_simd_oracle as common;

mod growth;
mod huge;
mod limits;

#[global_allocator]
static MEMORY: common::memory::Watched = common::memory::Watched;
