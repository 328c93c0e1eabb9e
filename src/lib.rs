#![doc = include_str!("../README.md")]
#![no_std]
// Some of what lies below is there only for the doors that allocate, and some only for vectors.
#![cfg_attr(not(all(feature = "alloc", isa_simd)), allow(dead_code, unused_imports))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "alloc")]
mod batch;
#[cfg(feature = "encoding")]
pub mod charset;
mod decode;
pub mod ecma;
mod encode;
mod engine;
mod error;
pub mod form;
pub mod http;
mod input;
pub mod iri;
mod isa;
mod kernel;
#[cfg(feature = "alloc")]
mod layers;
pub mod newline;
mod set;
pub mod sets;
mod sink;
mod stream;
pub mod uri;
pub mod whatwg;

#[cfg(feature = "alloc")]
pub use batch::{BatchError, Offset};
#[cfg(feature = "alloc")]
pub use decode::Decoded;
pub use decode::{CheckedDecoder, DecodePieces, Decoder, Plus};
pub use encode::{EncodePieces, Encoder, RawEncoder};
pub use engine::Engine;
pub use error::{DecodeError, DecodeErrorKind, DecodeSliceError, OutputTooSmall};
pub use input::AsBytes;
#[cfg(feature = "alloc")]
pub use layers::Layers;
pub use set::{ByteSet, Iter as ByteSetIter};
pub use stream::{DecodeStream, EncodeStream, Progress, StreamEnd};
#[cfg(feature = "std")]
pub use stream::{StreamReader, StreamWriter};
