//! The standards that have percent-encoding in them, each under its own name, on the SIMD codec [`percent_simd`].
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

#[cfg(test)]
use percent_standards_oracle as _; // ends a suite that hangs

#[cfg(feature = "encoding")]
pub mod charset;
pub mod ecma;
pub mod form;
pub mod http;
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
