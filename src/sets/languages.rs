//! The functions of widespread languages and libraries, for output equal to theirs byte by byte.

use super::ALPHANUMERIC;
use super::rfc3986::RFC3986_UNRESERVED;
use crate::ByteSet;

/// `_.-~` and the default `safe='/'`: Python's [`urllib.parse.quote`], 3.7 and later (`~` was encoded before).
///
/// Also the canonical path of AWS Signature Version 4. For another `safe` argument:
/// `RFC3986_UNRESERVED.union(ByteSet::of(safe))`.
///
/// [`urllib.parse.quote`]: https://docs.python.org/3/library/urllib.parse.html#urllib.parse.quote
pub const PY_QUOTE: ByteSet = RFC3986_UNRESERVED.with(b'/');

/// `-_.~` and `$&+,/:;=?@` but `/;,?`: Go's [`net/url.PathEscape`](https://pkg.go.dev/net/url#PathEscape). `! ' ( ) *`
/// are encoded, which [`RFC3986_SEGMENT`](super::RFC3986_SEGMENT) allows.
pub const GO_PATH_ESCAPE: ByteSet =
    RFC3986_UNRESERVED.union(ByteSet::of(b"$&+,/:;=?@").difference(ByteSet::of(b"/;,?")));

/// `-_.`: PHP's [`urlencode`](https://www.php.net/urlencode). `~` is encoded.
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`.
pub const PHP_URLENCODE: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"-_."));

/// `-._~` and `/?`: Alamofire's [`CharacterSet.afURLQueryAllowed`], by which it encodes the names and values of a query. A space
/// becomes `%20`.
///
/// [`CharacterSet.afURLQueryAllowed`]: https://alamofire.github.io/Alamofire/Extensions/CharacterSet.html
pub const ALAMOFIRE_QUERY: ByteSet = RFC3986_UNRESERVED.union(ByteSet::of(b"/?"));

/// `-_.!*()`: .NET's [`HttpUtility.UrlEncode`]. `'` and `~` are encoded.
///
/// Space becomes `+`: use it with `Encoder::space_to_plus`. The hexadecimal digits are lower-case.
///
/// [`HttpUtility.UrlEncode`]: https://learn.microsoft.com/dotnet/api/system.web.httputility.urlencode
pub const DOTNET_HTTPUTILITY: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"-_.!*()"));
