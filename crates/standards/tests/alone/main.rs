//! Tests that other calls of the library in the same process would disturb.
//!
//! - `work` counts the blocks that the whole process loads.
//! - `memory` starts a process for each operation.
//! - `architecture` only reads files.

use percent_standards_oracle as common;

mod architecture;
mod memory;
mod work;

#[global_allocator]
static MEMORY: common::memory::Watched = common::memory::Watched;
