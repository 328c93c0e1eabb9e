//! URIs: RFC 3986 and its predecessors, RFC 6570, RFC 6874, RFC 8141 with RFC 2141; targets of requests, RFC 9112; one file per RFC.
//!
//! The oracles transcribe the text of the RFCs: [`grammar`] is a matcher that knows nothing but ABNF, [`oracle`] runs the
//! pseudocode of RFC 3986 5.2.2 and 5.2.4 on strings. They share nothing with the crate.

#[path = "../common/mod.rs"]
mod common;

mod classes;
mod grammar;
mod inputs;
mod lint;
mod request_path;
mod rfc3986_components;
mod rfc3986_equivalence;
mod rfc3986_normalization;
mod rfc3986_resolution;
mod rfc3986_syntax;
mod rfc6570;
mod rfc8141;
mod rfc9112;
mod shape;
