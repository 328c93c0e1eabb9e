//! Tests the C interface, called as C calls it.

#[path = "../common/mod.rs"]
mod common;
mod oracle;
mod vectors;
