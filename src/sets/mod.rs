//! The catalogue: every percent-encoding set of the standards, and of the functions people compare with.
//!
//! A set here names the bytes that are **allowed**, that may stay as they are; all others are encoded. That is how the
//! grammars of RFC 3986 and its kin put it. (The WHATWG URL Standard names what is encoded: its sets are here as their
//! complements.) No set of the catalogue allows a control or a byte of 0x80 or above; add to a set where you need
//! more, and take away where you need less:
//!
//! ```
//! use percent_simd::{ByteSet, sets};
//!
//! // A path segment, with `;` encoded because the server at hand gives it a meaning.
//! const SEGMENT: ByteSet = sets::RFC3986_SEGMENT.without(b';');
//! // AWS Signature Version 4: the canonical path.
//! const SIGV4_PATH: ByteSet = sets::RFC3986_UNRESERVED.with(b'/');
//!
//! assert_eq!(SIGV4_PATH, sets::PY_QUOTE);
//! assert!(SEGMENT.is_subset(sets::by_name("rfc3986-segment").unwrap().allowed));
//! ```
//!
//! # Which one?
//!
//! | I am building ... | use |
//! | --- | --- |
//! | anything, and am not sure | [`RFC3986_UNRESERVED`]: right everywhere, if longer than need be |
//! | one segment of a path | [`RFC3986_SEGMENT`]; the first of a relative reference: [`RFC3986_SEGMENT_NZ_NC`] |
//! | a path whose `/` separate | [`RFC3986_PATH`] |
//! | a name or a value of a query string | [`RFC3986_UNRESERVED`], or [`WHATWG_FORM`] with `space_to_plus` |
//! | a whole query string, or a fragment | [`RFC3986_QUERY`] |
//! | a user name, a password, a host name | [`RFC3986_REG_NAME`] |
//! | a form body, like a browser | [`WHATWG_FORM`] with `space_to_plus` |
//! | a URL, like a browser | [`WHATWG_PATH`], [`WHATWG_QUERY`] or [`WHATWG_SPECIAL_QUERY`], [`WHATWG_FRAGMENT`], ... |
//! | the same as JavaScript | [`ECMA_ENCODE_URI_COMPONENT`], [`ECMA_ENCODE_URI`] |
//! | the same as another language | [`PY_QUOTE`], [`GO_PATH_ESCAPE`], [`PHP_RAWURLENCODE`], [`JAVA_URLENCODER`], ... |
//! | an OAuth 1.0 or AWS signature | [`RFC3986_UNRESERVED`] |
//! | a variable of a URI Template | [`RFC6570_U`]; after `+` or `#`: [`RFC6570_U_R`] with `keep_triplets` |
//! | `filename*=` or `title*=` of a header | [`RFC8187_ATTR_CHAR`] |
//! | a cookie's value | [`COOKIE_VALUE_DATA`] |
//! | the subject or body of a `mailto:` | [`RFC6068_QCHAR`] |
//! | a `grpc-message` | [`GRPC_MESSAGE`] |
//! | a URN | [`RFC8141_NSS`] |
//! | a URI of text that may be encoded already | [`RFC3986_URI`] with `keep_triplets` |
//!
//! `space_to_plus` and `keep_triplets` are methods of [`Encoder`](crate::Encoder). Sets that have several names are listed here
//! under one, and under the others, such as `ECMA_ENCODE_URI_COMPONENT`, in [`aliases`]; a path without `aliases` works as well.
//!
//! Two things to look at before choosing another set. A set that contains `%` leaves `%41` in the data looking like an
//! escape: decoding does not give the data back. And where a system writes a space as `+`, the set is half of it:
//! [`Entry::space_to_plus`] tells, `Encoder::space_to_plus` does it.
//!
//! # What changed from one standard to the next
//!
//! Two URIs that differ in whether one byte is encoded are equivalent only if that byte is unreserved, so these
//! matter when systems of different age compare or sign URIs:
//!
//! - `~` had to be encoded up to RFC 1738, 1808 and 2141; it is unreserved from RFC 2396 on.
//! - `! * ' ( )` were unreserved in RFC 1738 and 2396 and are reserved in RFC 3986.
//! - `$ + ,` were unreserved in RFC 1738 and are reserved from RFC 2396 on.
//! - `[ ]` were not allowed before RFC 2732, which reserved them for IPv6 literals.
//! - `#` was outside of the grammar in RFC 2396, a mere delimiter, and is reserved in RFC 3986.
//! - `"` was allowed in RFC 1630, and in no URI syntax since.
//! - `^` is encoded in the path by the WHATWG URL Standard since March 2025 ([`WHATWG_PATH_PRE2024`] is the former set).

pub mod aliases;
mod ecma;
mod http;
mod languages;
mod rfc3986;
mod rfc_legacy;
mod whatwg;

use crate::ByteSet;

#[doc(no_inline)]
pub use aliases::*;
pub use ecma::*;
pub use http::*;
pub use languages::*;
pub use rfc_legacy::*;
pub use rfc3986::*;
pub use whatwg::*;

/// `ALPHA = %x41-5A / %x61-7A` (RFC 5234 B.1)
const ALPHA: ByteSet = ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'));

/// `DIGIT = %x30-39` (RFC 5234 B.1)
const DIGIT: ByteSet = ByteSet::range(b'0', b'9');

/// `ALPHA / DIGIT` ([RFC 5234 B.1](https://www.rfc-editor.org/rfc/rfc5234#appendix-B.1)): the letters and digits of
/// ASCII, which every set to encode by contains; those of delimiters are for `keep` and `reject`.
pub const ALPHANUMERIC: ByteSet = ALPHA.union(DIGIT);

/// A set of the [`CATALOGUE`] with its name, where it comes from, and what else its users do.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name of the constant in [`sets`](self), such as `"RFC3986_PATH"`.
    pub name: &'static str,
    /// The bytes that may stay as they are.
    pub allowed: ByteSet,
    /// The source of the set, in short: `"RFC 3986 3.3 path"`.
    pub clause: &'static str,
    /// The system writes a space as `+`. (`+` itself is then encoded, so that the result is reversible.)
    pub space_to_plus: bool,
    /// The system writes the hexadecimal digits in lower case.
    pub lowercase: bool,
    /// The set is meant to be used with [`Encoder::keep_triplets`](crate::Encoder::keep_triplets).
    pub keep_triplets: bool,
}

impl Entry {
    const fn new(name: &'static str, allowed: ByteSet, clause: &'static str) -> Entry {
        Entry { name, allowed, clause, space_to_plus: false, lowercase: false, keep_triplets: false }
    }
}

/// `NAME "clause" flag flag;`: the constant `NAME` under its own name.
macro_rules! catalogue {
    ($($name:ident $clause:literal $($flag:ident)*;)*) => {
        &[$(Entry { $($flag: true,)* ..Entry::new(stringify!($name), $name, $clause) },)*]
    };
}

/// Every named set, family by family, what is in force first. Aliases have an entry each.
pub const CATALOGUE: &[Entry] = catalogue! {
    RFC3986_UNRESERVED "RFC 3986 2.3 unreserved";
    RFC3986_SEGMENT "RFC 3986 3.3 segment";
    RFC3986_PATH "RFC 3986 3.3 path";
    RFC3986_SEGMENT_NZ_NC "RFC 3986 3.3 segment-nz-nc";
    RFC3986_QUERY "RFC 3986 3.4 query, 3.5 fragment";
    RFC3986_USERINFO "RFC 3986 3.2.1 userinfo";
    RFC3986_REG_NAME "RFC 3986 3.2.2 reg-name";
    RFC3986_URI "RFC 3986 2.2 reserved and 2.3 unreserved";
    RFC3986_URI_KEEP_PCT "RFC 3986 2.2 reserved, 2.3 unreserved and %";
    RFC6570_U "RFC 6570 3.2.1 allow U";
    RFC6570_U_R "RFC 6570 3.2.1 allow U+R" keep_triplets;
    RFC8141_NSS "RFC 8141 2 NSS";

    WHATWG_C0_CONTROL "WHATWG URL 1.3 C0 control";
    WHATWG_FRAGMENT "WHATWG URL 1.3 fragment";
    WHATWG_QUERY "WHATWG URL 1.3 query";
    WHATWG_SPECIAL_QUERY "WHATWG URL 1.3 special-query";
    WHATWG_PATH "WHATWG URL 1.3 path";
    WHATWG_PATH_PRE2024 "WHATWG URL 1.3 path, before ^ joined in 2025";
    WHATWG_USERINFO "WHATWG URL 1.3 userinfo";
    WHATWG_COMPONENT "WHATWG URL 1.3 component";
    WHATWG_FORM "WHATWG URL 1.3 application/x-www-form-urlencoded" space_to_plus;

    ECMA_ENCODE_URI "ECMA-262 encodeURI";
    ECMA_ENCODE_URI_COMPONENT "ECMA-262 encodeURIComponent";
    ECMA_ESCAPE "ECMA-262 Annex B escape";

    RFC8187_ATTR_CHAR "RFC 8187 3.2.1 attr-char";
    RFC2231_ATTRIBUTE_CHAR "RFC 2231 7 attribute-char";
    RFC6265_COOKIE_OCTET "RFC 6265 4.1.1 cookie-octet";
    COOKIE_VALUE_DATA "RFC 6265 4.1.1 cookie-octet without %";
    RFC6068_QCHAR "RFC 6068 2 qchar";
    RFC6068_LOCAL_PART "RFC 6068 2 local-part";
    RFC3875_EXTRA_PATH "RFC 3875 3.3 extra-path";
    RFC3875_SEARCH_WORD "RFC 3875 4.4 search-word";
    XLINK_ANYURI "XLink 1.0 5.4 href, XSD anyURI";
    GRPC_MESSAGE "gRPC over HTTP/2 grpc-message";

    PY_QUOTE "Python urllib.parse.quote";
    PY_QUOTE_PLUS "Python urllib.parse.quote_plus" space_to_plus;
    JAVA_URLENCODER "Java java.net.URLEncoder" space_to_plus;
    GO_QUERY_ESCAPE "Go net/url QueryEscape" space_to_plus;
    GO_PATH_ESCAPE "Go net/url PathEscape";
    PHP_URLENCODE "PHP urlencode" space_to_plus;
    PHP_RAWURLENCODE "PHP rawurlencode";
    CURL_EASY_ESCAPE "libcurl curl_easy_escape";
    RUBY_FORM_COMPONENT "Ruby URI.encode_www_form_component" space_to_plus;
    RUBY_CGI_ESCAPE "Ruby CGI.escape" space_to_plus;
    PERL_URI_ESCAPE "Perl URI::Escape uri_escape";
    DOTNET_HTTPUTILITY ".NET HttpUtility.UrlEncode" space_to_plus lowercase;
    ALAMOFIRE_QUERY "Alamofire CharacterSet.afURLQueryAllowed";

    RFC2396_UNRESERVED "RFC 2396 2.3 unreserved";
    RFC2396_URIC "RFC 2396 2 uric";
    RFC2396_PCHAR "RFC 2396 3.3 pchar";
    RFC2396_PATH "RFC 2396 3.3 path_segments";
    RFC2396_REL_SEGMENT "RFC 2396 5 rel_segment";
    RFC2396_USERINFO "RFC 2396 3.2.2 userinfo";
    RFC2396_REG_NAME "RFC 2396 3.2.1 reg_name";
    RFC2732_URIC "RFC 2732 3 uric";
    RFC2141_TRANS "RFC 2141 2.2 trans without reserved";
    RFC1808_PCHAR "RFC 1808 2.2 pchar";
    RFC1738_UNRESERVED "RFC 1738 5 unreserved";
    RFC1738_XCHAR "RFC 1738 5 xchar";
    RFC1738_HTTP "RFC 1738 5 hsegment, search";
    RFC1738_FTP "RFC 1738 5 fsegment";
    RFC1738_USER "RFC 1738 5 user, password";
    RFC1630_XALPHA "RFC 1630 generic URI, xalpha";
    RFC1630_XPALPHA "RFC 1630 generic URI, xpalpha";
};

/// The entry called `name`. The case of ASCII letters does not matter, nor whether `-` or `_` is written.
///
/// # Examples
///
/// ```
/// use percent_simd::sets;
///
/// assert_eq!(sets::by_name("whatwg-path").unwrap().allowed, sets::WHATWG_PATH);
/// assert!(sets::by_name("path").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Entry> {
    let fold = |byte: u8| {
        if byte == b'-' { b'_' } else { byte.to_ascii_uppercase() }
    };
    CATALOGUE.iter().find(|entry| entry.name.bytes().eq(name.bytes().map(fold)))
}
