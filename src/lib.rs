//! Percent-encoding (URL encoding) with SIMD in both directions: any set of bytes, strict or lenient.
//!
//! | You have, and want | Call |
//! | --- | --- |
//! | bytes or text → encoded text | [`Encoder::encode`] |
//! | encoded text → bytes | [`Decoder::decode`] |
//! | encoded text → text | [`Decoder::decode_utf8`] |
//! | the same, with an error for a malformed `%` | [`Decoder::strict`], then those calls |
//! | chunks that end anywhere | [`Encoder::stream`], [`Decoder::stream`] |
//!
//! [All calls] are on a page of their own: into memory of yours, in place, piece by piece, whole columns, and the options.
//!
//! [All calls]: https://docs.rs/percent-simd/latest/percent_simd/calls/
//!
//! A set is a [`ByteSet`]. The [`sets`] of the standards are here, each under its grammar line and clause; others are made at
//! compile time or at run time:
//!
//! ```
//! use percent_simd::{ByteSet, Decoder, Encoder, Plus, sets};
//!
//! const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);
//! assert_eq!(SEGMENT.encode("AC/DC & Ελλάς"), "AC%2FDC%20&%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
//! assert_eq!(SEGMENT.encode("nothing-to-do"), "nothing-to-do"); // borrowed: no allocation
//!
//! const MINE: Encoder = Encoder::new(sets::ALPHANUMERIC.union(ByteSet::of(b"-_")));
//! assert_eq!(format!("/{}?v={}", SEGMENT.pieces("a/b"), MINE.pieces("1.0")), "/a%2Fb?v=1%2E0");
//!
//! // Lenient, as the URL Standard: a malformed `%` stays as it is.
//! assert_eq!(Decoder::new().decode_utf8("caf%C3%A9%20100%")?, "café 100%");
//!
//! // Strict: a malformed `%` is an error with its offset in the input.
//! let error = Decoder::new().strict().decode("caf%C3%A9%20100%").unwrap_err();
//! assert_eq!(error.offset, 15);
//!
//! // `+` is a space only where you say so.
//! const TARGET: Decoder = Decoder::new().plus(Plus::AfterQuery);
//! assert_eq!(TARGET.decode("/a+b?q=1+1"), &b"/a+b?q=1 1"[..]);
//! # Ok::<(), percent_simd::DecodeError>(())
//! ```
//!
//! # Standards
//!
//! [`percent-standards`](https://docs.rs/percent-standards) is built on this crate: URIs, IRIs, URLs, forms, the functions of
//! ECMAScript, header fields of HTTP, and charsets other than UTF-8. [`moving`] has a table for those who come from
//! `percent-encoding` or `urlencoding`.
//!
//! [`moving`]: https://docs.rs/percent-simd/latest/percent_simd/moving/
//!
//! # What it promises
//!
//! - A malformed `%` is an error with its offset, or kept as it is; never dropped, never half decoded. Decoding happens once;
//!   several layers are a call of their own, `decode_layers`, with a limit.
//! - Decoding gives bytes. Text is returned only where it has been checked: no call makes a `str` that is not UTF-8.
//! - `+` is a space only where you say so. Hexadecimal digits are upper-case unless you say otherwise.
//! - Nothing is read or written outside the slices given, whatever their length. Time is linear in the input. Nothing panics
//!   unless a `BufMut` is full or memory cannot be allocated: `try_` twins return an error then. It is not constant-time:
//!   do not use it on secrets.
//! - Split first, decode each part once, check last (RFC 3986 2.4, 7.3): after decoding nobody can tell a `/` that separates
//!   from one that was escaped.
//!
//! # Features
//!
//! `std` (default) brings detection of the CPU at run time and the `io` adapters. Without it, `alloc` brings all that returns
//! a `String`, `Vec` or `Cow`; without both, slices, pieces and streams are left, and the engine is the best that the
//! compilation target guarantees (`-C target-cpu=...`). `bytes` brings the `Bytes`, `Buf` and `BufMut` of that crate.
//! `simd` (default) brings the vector engines. Without it the scalar engine alone is compiled, for programs that must be small, and
//! neither this crate nor a dependency has unsafe code.
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
mod report;
mod set;
pub mod sets;
mod short;
mod sink;
mod stream;
mod triplet;
mod words;

#[cfg(feature = "alloc")]
pub use batch::{BatchError, Offset};
pub use decode::{CheckedDecoder, DecodePieces, Decoder, ParsePlusError, Plus, PlusState};
#[cfg(feature = "alloc")]
pub use decode::{Decoded, Layers};
pub use encode::{EncodePieces, Encoder, RawEncoder};
pub use engine::Engine;
pub use error::{DecodeError, DecodeErrorKind, DecodeSliceError, OutputTooSmall};
#[cfg(feature = "alloc")]
pub use error::{DecodeInPlaceError, TryDecodeError};
pub use input::AsBytes;
pub use set::{ByteSet, Iter as ByteSetIter, ParseByteSetError};
#[cfg(feature = "std")]
pub use stream::{CodecStream, StreamReader, StreamWriter};
pub use stream::{DecodeStream, DecodeStreamState, EncodeStream, EncodeStreamState, Progress, StreamEnd};

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
