//! Tests the C interface by calling it as C programs do.

#[path = "../common/mod.rs"]
mod common;
mod oracle;
mod overlap;
mod vectors;
