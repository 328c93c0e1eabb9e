//! Percent-encodes and decodes (RFC 3986 2.1, URL encoding) with SIMD: any set of bytes, strict or lenient.
//!
//! | You have, and want | Call |
//! | --- | --- |
//! | bytes or text → encoded text | [`Encoder::encode`] |
//! | encoded text → bytes | [`Decoder::decode`] |
//! | encoded text → text | [`Decoder::decode_utf8`] |
//! | encoded text → bytes or text, or an error for a malformed `%` | [`Decoder::strict`], then these calls |
//! | chunks that end anywhere | [`Encoder::stream`], [`Decoder::stream`] |
//! | many strings in one buffer, such as a column or a log | [`batch`] |
//!
//! | You build | Encode with |
//! | --- | --- |
//! | a segment of a path | [`sets::RFC3986_SEGMENT`] |
//! | a name or a value of a query | [`sets::RFC3986_UNRESERVED`] |
//! | a name or a value of a form | [`presets::WHATWG_FORM`] |
//! | a whole form, or pairs from one | `form::serialize`, `form::parse` of `percent-standards` |
//! | a link from a URL that a user typed | `uri::repair` of `percent-standards` |
//!
//! ```
//! use percent_simd::{Decoder, Encoder, sets};
//!
//! const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);
//! assert_eq!(SEGMENT.encode("AC/DC & Ελλάς"), "AC%2FDC%20&%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
//!
//! // Lenient, like the URL Standard: a malformed `%` stays.
//! assert_eq!(Decoder::new().decode_utf8("caf%C3%A9%20100%")?, "café 100%");
//! // Strict: a malformed `%` is an error with its offset in the input.
//! assert_eq!(Decoder::new().strict().decode("caf%C3%A9%20100%").unwrap_err().offset, 15);
//! # Ok::<(), percent_simd::DecodeError>(())
//! ```
//!
//! - [All calls] with their options. Some use your own memory, work in place or in pieces, or convert columns.
//! - [`sets`]: the sets of the standards. [`ByteSet`]: your own set. [`presets`]: the encoders of other languages.
//! - [Moving]: from `percent-encoding` or `urlencoding` to this crate.
//! - [`percent-standards`](https://docs.rs/percent-standards): URIs, IRIs, URLs, forms, ECMAScript, HTTP fields and charsets.
//! - [Promises], each with its proof.
//!
//! Split first, decode each part once, check last (RFC 3986 2.4, 7.3). After decoding, an escaped `/` looks like a
//! separator. How long a call takes depends on the input's bytes, so don't use this crate on secrets.
//!
//! [All calls]: https://docs.rs/percent-simd/latest/percent_simd/calls/
//! [Moving]: https://docs.rs/percent-simd/latest/percent_simd/moving/
//! [Promises]: https://github.com/percent-simd/percent-simd#promises-each-with-its-test
//!
//! # Features
//!
//! | Feature | Default | Brings |
//! | --- | --- | --- |
//! | `std` | yes | detection of the CPU at run time, the `io` adapters |
//! | `alloc` | by `std` | all calls that return a `String`, `Vec` or `Cow` |
//! | `simd` | yes | the vector engines, and the calls on uninitialized memory |
//! | `bytes` | | `Bytes`, `Buf` and `BufMut` of the crate `bytes` |
//!
//! - Without `simd`, only the scalar engine is compiled, which makes [programs smaller]. The crate then forbids unsafe
//!   code, and depends only on `cfg-if`, which has no unsafe code. It doesn't depend on `memchr`.
//! - Without `std`, calls use the best engine whose CPU features the compilation target guarantees
//!   (`-C target-cpu=...`).
//! - Without `std` and `alloc`, you can still use slices, pieces and streams.
//!
//! The minimum supported Rust version is 1.89.
//!
//! [programs smaller]: https://github.com/percent-simd/percent-simd/blob/main/docs/size.md
#![no_std]
#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]
// If a feature is off, links to its items are broken, so these lints are allowed. Builds with all features check every
// link.
#![cfg_attr(
    not(all(feature = "std", feature = "bytes")),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::private_doc_tests)
)]
// Without `alloc` or vector engines, some code is unused.
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
pub use error::{DecodeError, DecodeErrorKind, OutputTooSmall, SliceError};
pub use input::AsBytes;
pub use set::{ByteSet, ParseByteSetError};
#[cfg(feature = "std")]
pub use stream::{CodecStream, StreamReader, StreamWriter};
pub use stream::{DecodeStream, EncodeStream, Progress};

// Modules that only hold a page of documentation. The pages link to items of all features.
#[cfg(all(any(doc, doctest), feature = "std", feature = "bytes"))]
#[doc = include_str!("../docs/calls.md")]
pub mod calls {}
#[cfg(all(any(doc, doctest), feature = "std", feature = "bytes"))]
#[doc = include_str!("../docs/moving.md")]
pub mod moving {}

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
mod readme {}
