//! Other names for sets of the catalogue, each of a standard or a function that leaves as they are the bytes of a set that
//! [`sets`](super) has under another name.
//!
//! ```
//! use percent_simd::sets;
//!
//! assert_eq!(sets::aliases::CURL_EASY_ESCAPE, sets::RFC3986_UNRESERVED);
//! assert_eq!(sets::by_name("curl-easy-escape").unwrap().allowed, sets::RFC3986_UNRESERVED);
//! ```

use super::{
    RFC2396_UNRESERVED, RFC3986_PATH, RFC3986_QUERY, RFC3986_SEGMENT, RFC3986_SEGMENT_NZ_NC, RFC3986_UNRESERVED,
    RFC3986_URI_KEEP_PCT, RFC3986_USERINFO, WHATWG_FORM,
};
use crate::ByteSet;

/// Allow `U`: `unreserved` ([RFC 6570 3.2.1](https://www.rfc-editor.org/rfc/rfc6570#section-3.2.1)). Equal to
/// [`RFC3986_UNRESERVED`].
pub const RFC6570_U: ByteSet = RFC3986_UNRESERVED;

/// Allow `U+R`: `unreserved / reserved / pct-encoded`
/// ([RFC 6570 3.2.1](https://www.rfc-editor.org/rfc/rfc6570#section-3.2.1)), for `{+var}`, `{#var}` and literals. Equal to
/// [`RFC3986_URI_KEEP_PCT`].
///
/// `%` is here for the sake of `pct-encoded`: use it with [`keep_triplets`](crate::Encoder::keep_triplets), which encodes a stray
/// `%`. Not reversible.
pub const RFC6570_U_R: ByteSet = RFC3986_URI_KEEP_PCT;

/// `NSS = pchar *(pchar / "/")` ([RFC 8141 2](https://www.rfc-editor.org/rfc/rfc8141#section-2)). Equal to
/// [`RFC3986_PATH`], but an NSS cannot start with `/`; for
/// `r-component` and `q-component` use [`RFC3986_QUERY`].
pub const RFC8141_NSS: ByteSet = RFC3986_PATH;

/// ASCII word characters and `- . ! ~ * ' ( )`
/// ([ECMA-262](https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent)): what `encodeURIComponent` leaves. Equal to
/// [`RFC2396_UNRESERVED`], whose marks it took over.
pub const ECMA_ENCODE_URI_COMPONENT: ByteSet = RFC2396_UNRESERVED;

/// The bytes that no `href` needs to escape ([XLink 1.0 5.4](https://www.w3.org/TR/2001/REC-xlink-20010627/#link-locators)), and that
/// pass in XML Schema's `anyURI` and in a LEIRI. Equal to [`RFC3986_URI_KEEP_PCT`]; its ASCII complement is the
/// list that [RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1) allows to be converted.
///
/// `%` stays raw: not reversible.
pub const XLINK_ANYURI: ByteSet = RFC3986_URI_KEEP_PCT;

/// `_.-~`: Python's [`urllib.parse.quote_plus`] and `urlencode`. Equal to [`RFC3986_UNRESERVED`].
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
///
/// [`urllib.parse.quote_plus`]: https://docs.python.org/3/library/urllib.parse.html#urllib.parse.quote_plus
pub const PY_QUOTE_PLUS: ByteSet = RFC3986_UNRESERVED;

/// `.-*_`: Java's [`java.net.URLEncoder`]. Equal to [`WHATWG_FORM`].
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
///
/// [`java.net.URLEncoder`]: https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/URLEncoder.html
pub const JAVA_URLENCODER: ByteSet = WHATWG_FORM;

/// `-_.~`: Go's [`net/url.QueryEscape`](https://pkg.go.dev/net/url#QueryEscape). Equal to [`RFC3986_UNRESERVED`].
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
pub const GO_QUERY_ESCAPE: ByteSet = RFC3986_UNRESERVED;

/// `-_.~`: PHP's [`rawurlencode`](https://www.php.net/rawurlencode). Equal to [`RFC3986_UNRESERVED`].
pub const PHP_RAWURLENCODE: ByteSet = RFC3986_UNRESERVED;

/// `-._~`: libcurl's [`curl_easy_escape`](https://curl.se/libcurl/c/curl_easy_escape.html). Equal to
/// [`RFC3986_UNRESERVED`].
pub const CURL_EASY_ESCAPE: ByteSet = RFC3986_UNRESERVED;

/// `*-._`: Ruby's [`URI.encode_www_form_component`]. Equal to [`WHATWG_FORM`].
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
///
/// [`URI.encode_www_form_component`]: https://docs.ruby-lang.org/en/master/URI.html#method-c-encode_www_form_component
pub const RUBY_FORM_COMPONENT: ByteSet = WHATWG_FORM;

/// `-._~`: Ruby's [`CGI.escape`], 2.5 and later (`~` was encoded before). Equal to [`RFC3986_UNRESERVED`].
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
///
/// [`CGI.escape`]: https://docs.ruby-lang.org/en/master/CGI/Escape.html#method-i-escape
pub const RUBY_CGI_ESCAPE: ByteSet = RFC3986_UNRESERVED;

/// `-._~`: Perl's [`URI::Escape::uri_escape`](https://metacpan.org/pod/URI::Escape) without a second argument. Equal
/// to [`RFC3986_UNRESERVED`]; older releases left the marks of
/// [`RFC2396_UNRESERVED`] too.
pub const PERL_URI_ESCAPE: ByteSet = RFC3986_UNRESERVED;

/// `uric = reserved | unreserved | escaped` ([RFC 2396 2](https://www.rfc-editor.org/rfc/rfc2396#section-2)), which
/// `query` and `fragment` are made of. Equal to [`RFC3986_QUERY`].
pub const RFC2396_URIC: ByteSet = RFC3986_QUERY;

/// `path_segments = segment *( "/" segment )` with `segment = *pchar *( ";" param )`
/// ([RFC 2396 3.3](https://www.rfc-editor.org/rfc/rfc2396#section-3.3)). Equal to [`RFC3986_PATH`].
pub const RFC2396_PATH: ByteSet = RFC3986_PATH;

/// `rel_segment = 1*( unreserved | escaped | ";" | "@" | "&" | "=" | "+" | "$" | "," )`
/// ([RFC 2396 5](https://www.rfc-editor.org/rfc/rfc2396#section-5)). Equal to [`RFC3986_SEGMENT_NZ_NC`].
pub const RFC2396_REL_SEGMENT: ByteSet = RFC3986_SEGMENT_NZ_NC;

/// `userinfo = *( unreserved | escaped | ";" | ":" | "&" | "=" | "+" | "$" | "," )`
/// ([RFC 2396 3.2.2](https://www.rfc-editor.org/rfc/rfc2396#section-3.2.2)). Equal to [`RFC3986_USERINFO`].
pub const RFC2396_USERINFO: ByteSet = RFC3986_USERINFO;

/// `reg_name = 1*( unreserved | escaped | "$" | "," | ";" | ":" | "@" | "&" | "=" | "+" )`
/// ([RFC 2396 3.2.1](https://www.rfc-editor.org/rfc/rfc2396#section-3.2.1)). Equal to [`RFC3986_SEGMENT`].
pub const RFC2396_REG_NAME: ByteSet = RFC3986_SEGMENT;
