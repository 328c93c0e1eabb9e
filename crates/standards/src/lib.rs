//! The standards that have percent-encoding in them, each under its own name, on the SIMD codec [`percent_simd`].
//!
//! ```
//! use percent_standards::{form, uri};
//!
//! // Split first, decode each part once.
//! let target = uri::Uri::parse("http://host/a%2Fb/c?q=x%26y")?;
//! let segments: Vec<_> = target.segments().map(|part| part.decode_utf8_lossy()).collect();
//! assert_eq!(segments, ["", "a/b", "c"]);
//!
//! assert_eq!(uri::normalize("HTTP://Host:80/a/../%7euser")?, "http://host:80/~user");
//! assert_eq!(form::serialize([("q", "a b&c"), ("page", "2")]), "q=a+b%26c&page=2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Module | Standards |
//! | --- | --- |
//! | [`uri`] | RFC 3986 and its predecessors; URNs, URI templates, `mailto:`, `data:` |
//! | [`iri`] | RFC 3987 |
//! | [`whatwg`] | the URL Standard |
//! | [`form`] | `application/x-www-form-urlencoded`: URL Standard, HTML, XForms, CGI; serde |
//! | [`ecma`] | `encodeURIComponent`, `decodeURI`, `escape`, `unescape` and theirs |
//! | [`http`] | `filename*=`, cookies, `grpc-message` |
//! | [`charset`](https://docs.rs/percent-standards/latest/percent_standards/charset/) (feature `encoding`) | character data in charsets other than UTF-8 |
//! | [`newline`] | line ends of `mailto:` and HTML forms |
//! | [`waf`] | `t:urlDecodeUni` of web application firewalls |
//!
//! [Which system] has a row and an example for each specification. [Moving] has a table for those who come from
//! `form_urlencoded` or `serde_urlencoded`. The codec itself is here as [`codec`].
//!
//! [Which system]: https://docs.rs/percent-standards/latest/percent_standards/standards/
//! [Moving]: https://docs.rs/percent-standards/latest/percent_standards/moving/
//!
//! # Features
//!
//! `std` (default) brings detection of the CPU at run time. Without it, `alloc` brings every call that returns a `String`, `Vec` or
//! `Cow`. `encoding` (by `encoding_rs`) brings charsets other than UTF-8, `idna` the host names of IRIs, and `serde` forms from and
//! to types.
//!
//! # Panics
//!
//! Calls that allocate panic if there is no memory. In `encoding_rs`, `idna` and serde's types the process may end, as with the
//! standard library.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without some feature there is nothing to link to where it brings an item; with all of them, every link is checked.
#![cfg_attr(
    not(all(feature = "std", feature = "encoding", feature = "idna", feature = "serde")),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::private_doc_tests)
)]
// Some of the code below is there only for the calls that allocate.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, unused_imports))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub use percent_simd as codec;

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
pub mod uri;
#[cfg(feature = "alloc")]
pub mod waf;
pub mod whatwg;

// Pages of the documentation, with no items of their own. Their examples take all features.
#[cfg(all(any(doc, doctest), feature = "encoding", feature = "idna", feature = "serde"))]
#[doc = include_str!("../docs/moving.md")]
pub mod moving {}
#[cfg(all(any(doc, doctest), feature = "encoding", feature = "idna", feature = "serde"))]
#[doc = include_str!("../docs/standards.md")]
pub mod standards {}

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
mod readme {}
