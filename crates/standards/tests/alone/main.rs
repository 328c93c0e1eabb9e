//! Tests that nothing else may disturb: no other test here calls the library at the same time.
//!
//! `work` counts the blocks that the whole process loads. `memory` starts a process for each operation. `architecture` only reads
//! files.

use percent_standards_oracle as common;

mod architecture;
mod memory;
mod work;

#[global_allocator]
static MEMORY: common::memory::Watched = common::memory::Watched;
