//! Tests URIs, IRIs and URLs. Each standard has its own file:
//!
//! - RFC 3986 and its predecessors, RFC 6874, RFC 3987, RFC 6570, RFC 8141 with RFC 2141;
//! - the schemes `data`, `mailto` and `file`, and the userinfo;
//! - targets of requests (RFC 9112);
//! - the URL Standard.
//!
//! The oracles follow the text of the RFCs, and don't share code with the crate. [`grammar`] is a matcher that knows
//! only ABNF. [`common`] runs the pseudocode of RFC 3986 5.2.2 and 5.2.4 on strings.

use percent_standards_oracle as common;

mod classes;
mod credentials;
mod file;
mod grammar;
mod inputs;
mod iri;
mod lint;
mod mailto_data;
mod purl;
mod query;
mod repair;
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
