#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
//! TODO docs

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod engine;
mod error;
mod isa;
mod kernel;
mod set;
pub mod sets;
mod sink;
mod encode;
mod decode;

pub use decode::*;
pub use encode::*;
pub use engine::Engine;
pub use error::{DecodeError, DecodeErrorKind, DecodeSliceError, NoRoom};
pub use set::ByteSet;
