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
//! // A key of a cache, with `:` between its parts.
//! const KEY: ByteSet = sets::RFC3986_UNRESERVED.with(b':');
//!
//! assert_eq!(KEY, presets::PURL.allowed());
//! assert_eq!(presets::by_name("rfc3986-segment").unwrap().allowed, SEGMENT.with(b';'));
//! ```
//!
//! # Which one?
//!
//! | I am building ... | use |
//! | --- | --- |
//! | any part of a URI, and am not sure | [`RFC3986_UNRESERVED`]: right everywhere, but the result may be longer than needed |
//! | one segment of a path | [`RFC3986_SEGMENT`]; the first of a relative reference: [`RFC3986_SEGMENT_NZ_NC`] |
//! | a whole path, with `/` as separator | [`RFC3986_PATH`] |
//! | a name or a value of a query string | [`RFC3986_UNRESERVED`], or [`presets::WHATWG_FORM`] |
//! | a whole query string, or a fragment | [`RFC3986_QUERY`] |
//! | a user name, a password, a host name | [`RFC3986_REG_NAME`]; `percent-standards` has `uri::encode_user` and `uri::encode_password` |
//! | a form body, like a browser | [`presets::WHATWG_FORM`] |
//! | a URL, like a browser | [`WHATWG_PATH`], [`WHATWG_QUERY`] or [`WHATWG_SPECIAL_QUERY`], [`WHATWG_FRAGMENT`], ... |
//! | the same as JavaScript | [`presets::ECMA_ENCODE_URI_COMPONENT`], [`presets::ECMA_ENCODE_URI`] |
//! | the same as another language | [`presets`]: `PY_QUOTE`, `GO_PATH_ESCAPE`, `PHP_RAWURLENCODE`, `JAVA_URLENCODER`, ... |
//! | an AWS or Google Cloud Storage signature (V4) | [`presets::AWS_SIGV4`]; the path, or an object key: [`presets::AWS_SIGV4_PATH`] |
//! | an OAuth 1.0 signature | [`presets::OAUTH1`] |
//! | a package URL (`pkg:npm/...`) | [`presets::PURL`] |
//! | a value of the `baggage` header | [`presets::W3C_BAGGAGE`] |
//! | a link to a text on a page (`#:~:text=`) | [`presets::TEXT_FRAGMENT`] |
//! | a user and a password for a database | [`presets::POSTGRES_USERINFO`] |
//! | a line of `git credential-store` | [`presets::GIT_CREDENTIAL`] |
//! | the label of an `otpauth:` URI | [`presets::OTPAUTH_LABEL`] |
//! | a JSON Pointer as a fragment | [`presets::JSON_POINTER_FRAGMENT`] |
//! | a `data:` URL | [`presets::DATA_URL`] |
//! | a file name for Windows | [`presets::WINDOWS_FILE_NAME`] |
//! | a SPIFFE ID, a reference to an OCI image | no escapes are allowed; to check the characters: [`presets::SPIFFE`], [`presets::OCI_REFERENCE`] |
//! | a variable of a URI Template | [`RFC6570_U`]; after `+` or `#`: [`presets::RFC6570_U_R`] |
//! | `filename*=` or `title*=` of a header | [`RFC8187_ATTR_CHAR`] |
//! | a cookie's value | [`COOKIE_VALUE_DATA`] |
//! | the subject or body of a `mailto:` | [`RFC6068_QCHAR`] |
//! | a `grpc-message` | [`GRPC_MESSAGE`] |
//! | a URN | [`RFC8141_NSS`] |
//! | a URI of text that may be encoded already | [`RFC3986_URI`] with `keep_triplets`; if a user typed it: `uri::repair` of `percent-standards` |
//!
//! `keep_triplets` is a method of [`Encoder`](crate::Encoder). Functions of other languages, and sets that need an
//! option such as a space written as `+`, are encoders in [`presets`].
//!
//! If a set contains `%`, then `%41` in the data stays, and looks like an escape. So decoding doesn't give the original
//! data. Sets that contain `%` are marked "Not reversible".
//!
//! # Changes between standards
//!
//! If one URI encodes a byte and another doesn't, the two URIs are equivalent only if the byte is unreserved. So these
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
//! [`presets::AWS_SIGV4`]: crate::presets::AWS_SIGV4
//! [`presets::AWS_SIGV4_PATH`]: crate::presets::AWS_SIGV4_PATH
//! [`presets::DATA_URL`]: crate::presets::DATA_URL
//! [`presets::ECMA_ENCODE_URI`]: crate::presets::ECMA_ENCODE_URI
//! [`presets::ECMA_ENCODE_URI_COMPONENT`]: crate::presets::ECMA_ENCODE_URI_COMPONENT
//! [`presets::GIT_CREDENTIAL`]: crate::presets::GIT_CREDENTIAL
//! [`presets::JSON_POINTER_FRAGMENT`]: crate::presets::JSON_POINTER_FRAGMENT
//! [`presets::OAUTH1`]: crate::presets::OAUTH1
//! [`presets::OCI_REFERENCE`]: crate::presets::OCI_REFERENCE
//! [`presets::OTPAUTH_LABEL`]: crate::presets::OTPAUTH_LABEL
//! [`presets::POSTGRES_USERINFO`]: crate::presets::POSTGRES_USERINFO
//! [`presets::PURL`]: crate::presets::PURL
//! [`presets::RFC6570_U_R`]: crate::presets::RFC6570_U_R
//! [`presets::SPIFFE`]: crate::presets::SPIFFE
//! [`presets::TEXT_FRAGMENT`]: crate::presets::TEXT_FRAGMENT
//! [`presets::W3C_BAGGAGE`]: crate::presets::W3C_BAGGAGE
//! [`presets::WHATWG_FORM`]: crate::presets::WHATWG_FORM
//! [`presets::WINDOWS_FILE_NAME`]: crate::presets::WINDOWS_FILE_NAME

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
/// Every set for encoders contains these bytes. Sets of delimiters, which are for `keep` and `reject`, don't contain
/// them.
pub const ALPHANUMERIC: ByteSet = ALPHA.union(DIGIT);

/// The name of a set, its clause, and the set.
pub(crate) type Named = (&'static str, &'static str, ByteSet);

/// The sets of the catalogue. Sets of current standards come first.
pub(crate) const FAMILIES: [&[Named]; 5] = [RFC3986, WHATWG, ECMA, HTTP, RFC_LEGACY];
