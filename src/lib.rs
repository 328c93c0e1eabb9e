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
#[cfg(feature = "alloc")]
mod batch;
mod decode;
mod encode;
#[cfg(feature = "alloc")]
mod layers;
mod stream;

#[cfg(feature = "alloc")]
pub use batch::{BatchError, Offset};
pub use decode::*;
pub use encode::*;
#[cfg(feature = "alloc")]
pub use layers::Layers;
pub use stream::*;
pub use engine::Engine;
pub use error::{DecodeError, DecodeErrorKind, DecodeSliceError, NoRoom};
pub use set::ByteSet;
