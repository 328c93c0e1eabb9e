//! The interface for C, called as C calls it.

#[path = "../common/mod.rs"]
mod common;
mod oracle;
mod vectors;
