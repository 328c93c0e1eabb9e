//! Percent-encodes and decodes (RFC 3986 2.1, URL encoding) with SIMD: any set of bytes, strict or lenient.
//!
//! | You have, and want | Call |
//! | --- | --- |
//! | bytes or text → encoded text | [`Encoder::encode`] |
//! | encoded text → bytes | [`Decoder::decode`] |
//! | encoded text → text | [`Decoder::decode_utf8`] |
//! | the same, with an error for a malformed `%` | [`Decoder::strict`], then those calls |
//! | chunks that end anywhere | [`Encoder::stream`], [`Decoder::stream`] |
//!
//! ```
//! use percent_simd::{Decoder, Encoder, sets};
//!
//! const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);
//! assert_eq!(SEGMENT.encode("AC/DC & Ελλάς"), "AC%2FDC%20&%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
//!
//! // Lenient, as the URL Standard: a malformed `%` stays as it is.
//! assert_eq!(Decoder::new().decode_utf8("caf%C3%A9%20100%")?, "café 100%");
//! // Strict: a malformed `%` is an error with its offset in the input.
//! assert_eq!(Decoder::new().strict().decode("caf%C3%A9%20100%").unwrap_err().offset, 15);
//! # Ok::<(), percent_simd::DecodeError>(())
//! ```
//!
//! - [All calls]: into your own memory, in place, piece by piece, whole columns; and the options, such as `+` for a space.
//! - [`sets`]: the sets of the standards. [`ByteSet`] makes others. [`presets`]: the encoders of other languages.
//! - [`moving`]: for those who come from `percent-encoding` or `urlencoding`.
//! - [`percent-standards`](https://docs.rs/percent-standards): URIs, IRIs, URLs, forms, ECMAScript, HTTP fields and charsets.
//!
//! [All calls]: https://docs.rs/percent-simd/latest/percent_simd/calls/
//! [`moving`]: https://docs.rs/percent-simd/latest/percent_simd/moving/
//!
//! # What it promises
//!
//! - A malformed `%` is an error with its offset, or stays as it is. It is never dropped.
//! - Decoding happens once. [`Decoder::decode_layers`] decodes several layers, up to a limit.
//! - Decoding gives bytes. A call that returns text checks that it is UTF-8.
//! - A `+` is a space only if you say so. Hexadecimal digits are upper-case unless you say otherwise.
//! - No call reads or writes outside the slices given. Time is linear in the input. A call panics only if a `BufMut` is full or
//!   memory can't be allocated; the main calls have `try_` twins that return an error then.
//! - Time depends on the input, so don't use this crate on secrets.
//! - Split first, decode each part once, check last (RFC 3986 2.4, 7.3): after decoding, an escaped `/` looks like a separator.
//!
//! # Features
//!
//! | Feature | Brings |
//! | --- | --- |
//! | `std` (default) | detection of the CPU at run time, the `io` adapters |
//! | `alloc` (by `std`) | all calls that return a `String`, `Vec` or `Cow` |
//! | `simd` (default) | the vector engines; without it the scalar engine is left, and no unsafe code, not even in a dependency |
//! | `bytes` | `Bytes`, `Buf` and `BufMut` of that crate |
//!
//! Without `std`, the engine is the best that the compilation target guarantees (`-C target-cpu=...`).
//!
//! The minimum supported Rust version is 1.89.
#![no_std]
#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without some feature there is nothing to link to where it brings an item; with all of them, every link is checked.
#![cfg_attr(
    not(all(feature = "std", feature = "bytes")),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::private_doc_tests)
)]
// Some of the code below is there only for the calls that allocate, and some only for vectors.
#![cfg_attr(not(all(feature = "alloc", isa_simd)), allow(dead_code, unused_imports))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "alloc")]
pub mod batch;
mod codec;
mod decode;
mod encode;
mod engine;
mod error;
mod find;
mod input;
#[doc(hidden)]
pub mod internal;
mod isa;
mod kernel;
#[cfg(feature = "alloc")]
mod memory;
mod output;
mod plain;
pub mod presets;
mod report;
mod set;
pub mod sets;
mod short;
mod sink;
mod stream;
mod triplet;
mod words;

#[cfg(feature = "alloc")]
pub use batch::error::BatchError;
#[cfg(feature = "alloc")]
pub use decode::Layers;
pub use decode::{CheckedDecoder, DecodePieces, Decoder, Plus};
pub use encode::{EncodePieces, Encoder, RawEncoder};
pub use engine::Engine;
pub use error::{DecodeError, DecodeErrorKind, DecodeSliceError, OutputTooSmall};
pub use input::AsBytes;
pub use set::{ByteSet, Iter as ByteSetIter, ParseByteSetError};
#[cfg(feature = "std")]
pub use stream::{CodecStream, StreamReader, StreamWriter};
pub use stream::{DecodeStream, EncodeStream, Progress, StreamEnd};

// Pages of the documentation, with no items of their own. They link to items of all features.
#[cfg(all(any(doc, doctest), feature = "std", feature = "bytes"))]
#[doc = include_str!("../docs/calls.md")]
pub mod calls {}
#[cfg(all(any(doc, doctest), feature = "std", feature = "bytes"))]
#[doc = include_str!("../docs/moving.md")]
pub mod moving {}

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
mod readme {}
