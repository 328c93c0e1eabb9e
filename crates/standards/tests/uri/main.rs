//! URIs: RFC 3986 and its predecessors, RFC 3987, RFC 6570, RFC 6874, RFC 8141 with RFC 2141; the schemes `data` and `mailto`;
//! targets of requests, RFC 9112; the URL Standard; one file per standard.
//!
//! The oracles transcribe the text of the RFCs: [`grammar`] is a matcher that knows nothing but ABNF, [`oracle`] runs the
//! pseudocode of RFC 3986 5.2.2 and 5.2.4 on strings. They share nothing with the crate.

use percent_standards_oracle as common;

mod classes;
mod grammar;
mod inputs;
mod iri;
mod lint;
mod mailto_data;
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
mod whatwg;
