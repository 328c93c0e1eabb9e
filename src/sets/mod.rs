//! Provides the percent-encoding sets of the standards. Each set's documentation has its grammar and its clause.
//!
//! A set here holds the **allowed** bytes, which stay as they are. All other bytes are encoded. The grammars of RFC
//! 3986 and related RFCs list the allowed bytes too. The WHATWG URL Standard lists the encoded bytes, so the sets here
//! are the complements of its sets. No set here allows a control or a byte of 0x80 or above. Add and remove bytes as
//! you need:
//!
//! ```
//! use percent_simd::{ByteSet, presets, sets};
//!
//! // A path segment, with `;` encoded, because the server gives it a meaning.
//! const SEGMENT: ByteSet = sets::RFC3986_SEGMENT.without(b';');
//! // AWS Signature Version 4: the canonical path.
//! const SIGV4_PATH: ByteSet = sets::RFC3986_UNRESERVED.with(b'/');
//!
//! assert_eq!(SIGV4_PATH, presets::PY_QUOTE.allowed());
//! assert!(SEGMENT.is_subset(presets::by_name("rfc3986-segment").unwrap().allowed));
//! ```
//!
//! # Which one?
//!
//! | I am building ... | use |
//! | --- | --- |
//! | any part of a URI, and am not sure | [`RFC3986_UNRESERVED`]: right everywhere, but the result may be longer |
//! | one segment of a path | [`RFC3986_SEGMENT`]; the first of a relative reference: [`RFC3986_SEGMENT_NZ_NC`] |
//! | a whole path, with `/` as separator | [`RFC3986_PATH`] |
//! | a name or a value of a query string | [`RFC3986_UNRESERVED`], or [`presets::WHATWG_FORM`] |
//! | a whole query string, or a fragment | [`RFC3986_QUERY`] |
//! | a user name, a password, a host name | [`RFC3986_REG_NAME`] |
//! | a form body, like a browser | [`presets::WHATWG_FORM`] |
//! | a URL, like a browser | [`WHATWG_PATH`], [`WHATWG_QUERY`] or [`WHATWG_SPECIAL_QUERY`], [`WHATWG_FRAGMENT`], ... |
//! | the same as JavaScript | [`presets::ECMA_ENCODE_URI_COMPONENT`], [`presets::ECMA_ENCODE_URI`] |
//! | the same as another language | [`presets`]: `PY_QUOTE`, `GO_PATH_ESCAPE`, `PHP_RAWURLENCODE`, `JAVA_URLENCODER`, ... |
//! | an OAuth 1.0 or AWS signature | [`RFC3986_UNRESERVED`] |
//! | a variable of a URI Template | [`RFC6570_U`]; after `+` or `#`: [`presets::RFC6570_U_R`] |
//! | `filename*=` or `title*=` of a header | [`RFC8187_ATTR_CHAR`] |
//! | a cookie's value | [`COOKIE_VALUE_DATA`] |
//! | the subject or body of a `mailto:` | [`RFC6068_QCHAR`] |
//! | a `grpc-message` | [`GRPC_MESSAGE`] |
//! | a URN | [`RFC8141_NSS`] |
//! | a URI of text that may be encoded already | [`RFC3986_URI`] with `keep_triplets` |
//!
//! `keep_triplets` is a method of [`Encoder`](crate::Encoder). Functions of other languages, and sets that need an
//! option such as a space written as `+`, are encoders in [`presets`].
//!
//! If a set contains `%`, then `%41` in the data stays, and looks like an escape. So decoding doesn't give the original
//! data. Sets that contain `%` are marked "Not reversible".
//!
//! # Changes between standards
//!
//! If one URI encodes a byte and another doesn't, the two are equivalent only if that byte is unreserved. So these
//! changes matter when systems of different age compare or sign URIs:
//!
//! - `~` had to be encoded in RFC 1738, 1808 and 2141, and is unreserved from RFC 2396 on.
//! - `! * ' ( )` were unreserved in RFC 1738 and 2396 and are reserved in RFC 3986.
//! - `$ + ,` were unreserved in RFC 1738 and are reserved from RFC 2396 on.
//! - `[ ]` were not allowed before RFC 2732, which reserved them for IPv6 literals.
//! - `#` was a delimiter outside of the grammar in RFC 2396, and is reserved in RFC 3986.
//! - `"` was allowed in RFC 1630, and in no URI syntax since.
//! - `^` in a path is encoded by the WHATWG URL Standard since March 2025. [`WHATWG_PATH_PRE2024`] is the former set.
//!
//! [`presets`]: crate::presets
//! [`presets::ECMA_ENCODE_URI`]: crate::presets::ECMA_ENCODE_URI
//! [`presets::ECMA_ENCODE_URI_COMPONENT`]: crate::presets::ECMA_ENCODE_URI_COMPONENT
//! [`presets::RFC6570_U_R`]: crate::presets::RFC6570_U_R
//! [`presets::WHATWG_FORM`]: crate::presets::WHATWG_FORM

/// Defines each constant `NAME` of a family from `NAME "clause" = set;`, and the list of the family.
macro_rules! named_sets {
    ($family:ident: $($(#[$doc:meta])* $name:ident $clause:literal = $allowed:expr;)*) => {
        $($(#[$doc])* pub const $name: ByteSet = $allowed;)*

        pub(super) const $family: &[super::Named] = &[$((stringify!($name), $clause, $name),)*];
    };
}

mod ecma;
mod http;
mod rfc3986;
mod rfc_legacy;
mod whatwg;

use crate::ByteSet;

pub use ecma::*;
pub use http::*;
pub use rfc_legacy::*;
pub use rfc3986::*;
pub use whatwg::*;

/// `ALPHA = %x41-5A / %x61-7A` (RFC 5234 B.1)
const ALPHA: ByteSet = ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'));

/// `DIGIT = %x30-39` (RFC 5234 B.1)
const DIGIT: ByteSet = ByteSet::range(b'0', b'9');

/// `ALPHA / DIGIT` ([RFC 5234 B.1](https://www.rfc-editor.org/rfc/rfc5234#appendix-B.1)): the letters and digits of
/// ASCII.
///
/// Every set for encoders contains them. Sets of delimiters, which are for `keep` and `reject`, don't.
pub const ALPHANUMERIC: ByteSet = ALPHA.union(DIGIT);

/// The name of a set, its clause, and the set.
pub(crate) type Named = (&'static str, &'static str, ByteSet);

/// The sets of the catalogue. Sets of current standards come first.
pub(crate) const FAMILIES: [&[Named]; 5] = [RFC3986, WHATWG, ECMA, HTTP, RFC_LEGACY];
