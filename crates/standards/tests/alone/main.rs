//! Tests that need their own process, because other calls of the library would disturb them.
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
