//! Splits, checks, resolves, normalizes and compares URIs (RFC 3986).
//!
//! To read a URI, split it first and then decode each part once (2.4). To build a URI, encode each part once and then
//! join the parts. So there is a call for each component, but no call that encodes or decodes a whole URL:
//!
//! ```
//! use percent_standards::uri::{self, Uri};
//!
//! let uri = Uri::parse("http://host/a%2Fb/c?q=x%26y")?;
//! let segments: Vec<_> = uri.segments().map(|part| part.decode_utf8_lossy()).collect();
//! assert_eq!(segments, ["", "a/b", "c"]); // two segments, and one of them contains a slash
//!
//! let path = ["a/b", "c d"].map(uri::encode_segment).join("/");
//! assert_eq!(path, "a%2Fb/c%20d");
//!
//! assert_eq!(uri::normalize("HTTP://Host:80/a/../%7euser")?, "http://host:80/~user");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Most calls take text, because a URI is text. All offsets count bytes. The calls treat faults in different ways:
//!
//! | fault | is an error in | is encoded by | is kept by |
//! | --- | --- | --- | --- |
//! | a character that no URI may contain | [`Uri::parse`], [`check_component`] | [`normalize_path`], [`Requoter`] | calls that split, resolve, normalize or sanitize |
//! | a malformed `%` | [`Uri::parse`], [`check_component`], [`normalize`], and calls with `strict` in their name | [`normalize_path`], [`Requoter`], and calls with `sanitize` in their name | calls that split, resolve or decode |
//!
//! | RFC 3986 | call |
//! | --- | --- |
//! | 2.1, 3: encode a component | [`encode_segment`] and its siblings, or the [`Encoder`](percent_simd::Encoder) of the component |
//! | 2.4, 3.3, 3.4: split, then decode | [`segments`], [`query_pairs`], [`parameters`] |
//! | 3, Appendix B: split a reference | [`Uri::split`], [`Uri::parse`], [`Authority`]; to own the text, [`UriBuf`] |
//! | 5.2: resolve | [`Uri::resolve`], [`remove_dot_segments`] |
//! | 5.3: recompose | `Display` of [`Uri`] |
//! | 6.2.1 to 6.2.3: compare | [`equivalent`] |
//! | 6.2.2, 6.2.3: normalize | [`normalize`], [`Normalizer`] |
//! | sort a query, for a signature or a cache | [`CanonicalQuery`] |
//! | 3.3, 6.2.2: the path of a request | [`normalize_path`], [`PathNormalizer`] |
//! | 2: a component of unknown encoding | [`Requoter`] |
//! | 2.2, 2.3 and their predecessors: classes of characters | [`classify`] |
//! | RFC 9112 3.2: split the target of an HTTP request | [`RequestTarget`] |
//! | faults, doubtful escapes and text that misleads | [`lint`] |
//! | 2, Appendix C: a link that people paste | [`repair`] |
//! | 3.2.1: the user, the password, and how to hide it | [`Authority::user`], [`Authority::password`], [`redact`] |
//! | `file:` URLs and paths, RFC 8089 | [`file`](mod@file) |
//! | URN, RFC 8141 | [`urn`] |
//! | URI Templates, RFC 6570 | [`template`] |
//! | package URLs (`pkg:npm/...`) | [`purl`] |

/// Defines an enum, the list of its kinds and their names.
macro_rules! kinds {
    ($(#[$type_about:meta])* $type:ident: $($(#[$about:meta])* $kind:ident $name:literal;)*) => {
        $(#[$type_about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$about])* $kind,)*
        }

        impl $type {
            /// All kinds.
            pub const ALL: &'static [$type] = &[$($type::$kind),*];

            /// Returns the name in lower case, with hyphens.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($type::$kind => $name,)* }
            }
        }
    };
}

mod authority;
mod check;
mod classify;
mod components;
mod credentials;
pub mod data;
mod deceptive;
#[cfg(feature = "domains")]
mod domain;
pub(crate) mod dots;
mod equivalent;
mod error;
#[cfg(feature = "alloc")]
pub mod file;
mod finding;
mod hosts;
#[cfg(feature = "idna")]
pub(crate) mod idn;
mod lint;
pub mod mailto;
mod normalize;
#[cfg(feature = "alloc")]
mod owned;
mod parse;
mod parts;
mod passwords;
pub(crate) mod pieces;
#[cfg(feature = "alloc")]
pub mod purl;
mod query;
#[cfg(feature = "alloc")]
mod redact;
#[cfg(feature = "alloc")]
mod repair;
#[cfg(feature = "alloc")]
mod request_path;
#[cfg(feature = "alloc")]
mod requote;
#[cfg(feature = "alloc")]
mod resolve;
pub(crate) mod schemes;
#[cfg(feature = "confusables")]
mod scripts;
#[cfg(feature = "alloc")]
mod steps;
mod target;
pub mod template;
pub(crate) mod ucschar;
pub mod urn;

pub use authority::Authority;
pub(crate) use check::Grammar;
pub use check::{HostKind, check_component};
pub use classify::{Class, Spec, classify};
pub use components::*;
pub use credentials::Hosts;
#[cfg(feature = "domains")]
pub use domain::registrable_domain;
#[cfg(feature = "alloc")]
pub use dots::{remove_dot_segments, remove_dot_segments_literally};
pub use equivalent::{Equivalence, Level, equivalent};
pub use error::{Component, UriError, UriErrorKind};
pub use finding::{Finding, FindingKind};
pub use lint::{Lint, lint};
pub use normalize::default_port;
#[cfg(feature = "alloc")]
pub use normalize::{Normalizer, normalize, normalize_escapes, sanitize, sanitize_escapes};
#[cfg(feature = "alloc")]
pub use owned::UriBuf;
pub use parse::{Uri, escaped_scheme_len};
pub use parts::{Parameter, Parameters, Part, Segments, parameters, query_pairs, segments};
pub use passwords::{HIDDEN_PASSWORD, Passwords, passwords};
pub use query::{CanonicalQuery, QueryOrder};
#[cfg(feature = "alloc")]
pub use redact::{redact, redact_bytes};
#[cfg(feature = "alloc")]
pub use repair::{Change, RepairKind, Repaired, Repairer, repair};
#[cfg(feature = "alloc")]
pub use request_path::{PathNormalizer, Separators, normalize_path};
#[cfg(feature = "alloc")]
pub use requote::Requoter;
#[cfg(feature = "alloc")]
pub use steps::Step;
pub use target::{RequestTarget, TargetBounds, TargetForm};
