//! Implements the standards that use percent-encoding, each in its own module. They share the SIMD codec
//! [`percent_simd`].
//!
//! Split first, then decode each part once: `%2F` in a segment is data, not a separator.
//!
//! ```
//! use percent_standards::uri::{self, Uri};
//!
//! let target = Uri::parse("http://host/a%2Fb/c?q=x%26y")?;
//! let segments: Vec<_> = target.segments().map(|part| part.decode_utf8_lossy()).collect();
//! assert_eq!(segments, ["", "a/b", "c"]);
//! assert_eq!(uri::normalize("HTTP://Host:80/a/../%7euser")?, "http://host:80/~user");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | To | Call |
//! | --- | --- |
//! | build a URL from its parts | [`uri::encode_segment`], [`uri::encode_query_data`] for names and values, and their siblings |
//! | read a URL | [`uri::Uri::parse`], [`uri::segments`], [`uri::query_pairs`] |
//! | repair a link that a user typed or pasted | [`uri::repair`] |
//! | read or write a form | [`form::parse`], [`form::serialize`] |
//! | compare URLs, or write them in one form | [`uri::equivalent`], [`uri::normalize`] |
//! | hide passwords before a text is logged | [`uri::redact`] |
//!
//! | Module | Standards |
//! | --- | --- |
//! | [`uri`] | RFC 3986 and its predecessors; URNs, URI templates, `mailto:`, `data:`, `file:`, package URLs; passwords |
//! | [`iri`] | RFC 3987 |
//! | [`whatwg`] | the URL Standard |
//! | [`form`] | `application/x-www-form-urlencoded`: URL Standard, HTML, XForms, CGI; types by serde |
//! | [`ecma`] | `encodeURIComponent`, `decodeURI`, `escape`, `unescape` and their siblings |
//! | [`http`] | `Content-Disposition`, RFC 2231 parameters, `baggage`, cookie values, `grpc-message` |
//! | [`charset`](https://docs.rs/percent-standards/latest/percent_standards/charset/) (feature `encoding`) | text in charsets other than UTF-8 |
//! | [`newline`] | line ends of `mailto:` and HTML forms |
//! | [`waf`] | `t:urlDecodeUni` of web application firewalls |
//!
//! Three pages help you to find a call. [Which system] has a row and an example for each specification. [Answers] has
//! common questions, grouped by server and language. [Moving] has a table for programs that use `form_urlencoded` or
//! `serde_urlencoded` today. If you only encode and decode bytes or text, the codec is enough. This crate exports it as
//! [`codec`].
//!
//! [Answers]: https://docs.rs/percent-standards/latest/percent_standards/answers/
//! [Which system]: https://docs.rs/percent-standards/latest/percent_standards/standards/
//! [Moving]: https://docs.rs/percent-standards/latest/percent_standards/moving/
//!
//! # An example for each module
//!
//! ```
//! use percent_standards::newline::Newline;
//! use percent_standards::{ecma, form, http, iri, waf, whatwg};
//!
//! assert_eq!(iri::to_uri("http://host/rosé"), "http://host/ros%C3%A9");
//! assert_eq!(whatwg::PATH.encode("/^a?"), "/%5Ea%3F");
//! assert_eq!(form::serialize(&[("q", "a b&c"), ("page", "2")]), "q=a+b%26c&page=2");
//! assert!(form::parse("q=a+b%26c").eq([("q".into(), "a b&c".into())]));
//! assert_eq!(ecma::decode_uri_component("%F0%9F%92%A9")?, "💩");
//! assert_eq!(http::ExtValue::parse("UTF-8''%E2%82%AC%20rates")?.value(), "€ rates");
//! assert_eq!(Newline::CrLf.apply("one\ntwo"), "one\r\ntwo");
//! assert_eq!(waf::url_decode_uni("%u0041%42+"), &b"AB "[..]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Errors
//!
//! Each error has the offset of the fault. The message names the place and the remedy. Every error type converts into
//! [`std::io::Error`], which keeps the original error as its source. If text can't be decoded, the error is the codec's
//! [`DecodeError`](percent_simd::DecodeError).
//!
//! # Features
//!
//! | Feature | Default | Brings |
//! | --- | --- | --- |
//! | `std` | yes | detection of the CPU at run time; errors become `std::io::Error` |
//! | `alloc` | enabled by `std` | every call that returns a `String`, `Vec` or `Cow` |
//! | `encoding` | no | charsets other than UTF-8, through `encoding_rs` |
//! | `idna` | no | host names of IRIs, through `idna` |
//! | `confusables` | no | host names that look like others, in [`uri::lint`], through `unicode-security` |
//! | `domains` | no | registrable domains of hosts, in [`uri::registrable_domain`], through `psl` |
//! | `serde` | no | forms from and to Rust types |
//!
//! # Panics
//!
//! Calls that allocate panic if memory can't be allocated. But in `encoding_rs`, in `idna`, and in types that serde
//! builds, the process may end instead, as with the standard library.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// If a feature is off, the links to its items are broken, so we allow broken links. If all features are on, broken
// links are errors.
#![cfg_attr(
    not(all(feature = "std", feature = "encoding", feature = "confusables", feature = "domains", feature = "serde")),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::private_doc_tests)
)]
// Some code below is used only by calls that allocate.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, unused_imports))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub use percent_simd as codec;

mod error;

#[cfg(feature = "encoding")]
pub mod charset;
pub mod ecma;
pub mod form;
pub mod http;
#[cfg(feature = "std")]
mod io;
pub mod iri;
#[cfg(feature = "alloc")]
mod memory;
pub mod newline;
#[cfg(feature = "alloc")]
mod output;
pub mod uri;
mod utf8;
#[cfg(feature = "alloc")]
pub mod waf;
pub mod whatwg;

// These modules are pages of documentation. They have no items. Their examples need all features.
#[cfg(all(any(doc, doctest), feature = "encoding", feature = "idna", feature = "serde"))]
#[doc = include_str!("../docs/answers.md")]
pub mod answers {}
#[cfg(all(any(doc, doctest), feature = "encoding", feature = "idna", feature = "serde"))]
#[doc = include_str!("../docs/moving.md")]
pub mod moving {}
#[cfg(all(any(doc, doctest), feature = "encoding", feature = "idna", feature = "serde"))]
#[doc = include_str!("../docs/standards.md")]
pub mod standards {}

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
mod readme {}
