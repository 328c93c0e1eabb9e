//! The functions of widespread languages and libraries, for output equal to theirs byte by byte.

use super::ALPHANUMERIC;
use super::rfc3986::RFC3986_UNRESERVED;
use super::whatwg::WHATWG_FORM;
use crate::ByteSet;

/// `_.-~` and the default `safe='/'`: Python's [`urllib.parse.quote`], 3.7 and later (`~` was encoded before).
///
/// Also the canonical path of AWS Signature Version 4. For another `safe` argument:
/// `RFC3986_UNRESERVED.union(ByteSet::of(safe))`.
///
/// [`urllib.parse.quote`]: https://docs.python.org/3/library/urllib.parse.html#urllib.parse.quote
pub const PY_QUOTE: ByteSet = RFC3986_UNRESERVED.with(b'/');

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

/// `-_.~` and `$&+,/:;=?@` but `/;,?`: Go's [`net/url.PathEscape`](https://pkg.go.dev/net/url#PathEscape). `! ' ( ) *`
/// are encoded, which [`RFC3986_SEGMENT`](super::RFC3986_SEGMENT) allows.
pub const GO_PATH_ESCAPE: ByteSet =
    RFC3986_UNRESERVED.union(ByteSet::of(b"$&+,/:;=?@").difference(ByteSet::of(b"/;,?")));

/// `-_.`: PHP's [`urlencode`](https://www.php.net/urlencode). `~` is encoded.
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
pub const PHP_URLENCODE: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"-_."));

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
/// [`RFC2396_UNRESERVED`](super::RFC2396_UNRESERVED) too.
pub const PERL_URI_ESCAPE: ByteSet = RFC3986_UNRESERVED;

/// `-_.!*()`: .NET's [`HttpUtility.UrlEncode`]. `'` and `~` are encoded.
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`. The hexadecimal digits are lower-case.
///
/// [`HttpUtility.UrlEncode`]: https://learn.microsoft.com/dotnet/api/system.web.httputility.urlencode
pub const DOTNET_HTTPUTILITY: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"-_.!*()"));
