//! The URI syntax in force, RFC 3986, and the two standards that take their classes straight from it: URI Template
//! (RFC 6570) and URN (RFC 8141).

use super::ALPHANUMERIC;
use crate::ByteSet;

/// `gen-delims = ":" / "/" / "?" / "#" / "[" / "]" / "@"`
/// ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2)): what separates the components of a URI.
pub const RFC3986_GEN_DELIMS: ByteSet = ByteSet::of(b":/?#[]@");

/// `sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="`
/// ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2)): what may separate the parts of a component.
pub const RFC3986_SUB_DELIMS: ByteSet = ByteSet::of(b"!$&'()*+,;=");

/// `reserved = gen-delims / sub-delims` ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2)): the
/// bytes that mean one thing raw and may mean another encoded, so that normalization must leave them as they are.
pub const RFC3986_RESERVED: ByteSet = RFC3986_GEN_DELIMS.union(RFC3986_SUB_DELIMS);

/// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"`
/// ([RFC 3986 2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3)).
///
/// The safe choice for data: no byte of it has a meaning anywhere in a URI. It is also the `ZoneID` of
/// [RFC 6874 2](https://www.rfc-editor.org/rfc/rfc6874#section-2), what OAuth 1.0
/// ([RFC 5849 3.6](https://www.rfc-editor.org/rfc/rfc5849#section-3.6)) leaves raw, and what AWS Signature Version 4
/// leaves raw.
pub const RFC3986_UNRESERVED: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"-._~"));

/// `pchar = unreserved / pct-encoded / sub-delims / ":" / "@"`
const PCHAR: ByteSet = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS).with(b':').with(b'@');

/// `segment = *pchar` ([RFC 3986 3.3](https://www.rfc-editor.org/rfc/rfc3986#section-3.3)): one step of a path, with
/// `/` encoded.
pub const RFC3986_SEGMENT: ByteSet = PCHAR;

/// `path-abempty = *( "/" segment )` and its kin
/// ([RFC 3986 3.3](https://www.rfc-editor.org/rfc/rfc3986#section-3.3)): a path whose slashes separate.
pub const RFC3986_PATH: ByteSet = RFC3986_SEGMENT.with(b'/');

/// `segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )`
/// ([RFC 3986 3.3](https://www.rfc-editor.org/rfc/rfc3986#section-3.3)): the first segment of a relative reference,
/// where a raw `:` would make a scheme of what stands before it.
pub const RFC3986_SEGMENT_NZ_NC: ByteSet = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS).with(b'@');

/// `query = *( pchar / "/" / "?" )` ([RFC 3986 3.4](https://www.rfc-editor.org/rfc/rfc3986#section-3.4)), and
/// `fragment`, which has the same grammar ([3.5](https://www.rfc-editor.org/rfc/rfc3986#section-3.5)).
///
/// A whole query. `&`, `=` and `+` stay raw: for one name or value of it use [`RFC3986_UNRESERVED`] or
/// [`WHATWG_FORM`](super::WHATWG_FORM).
pub const RFC3986_QUERY: ByteSet = PCHAR.with(b'/').with(b'?');

/// `userinfo = *( unreserved / pct-encoded / sub-delims / ":" )`
/// ([RFC 3986 3.2.1](https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1)). `:` stays raw: for the user name alone
/// use [`RFC3986_REG_NAME`].
pub const RFC3986_USERINFO: ByteSet = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS).with(b':');

/// `reg-name = *( unreserved / pct-encoded / sub-delims )`
/// ([RFC 3986 3.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2)). Also right for either half of
/// `user:password`.
pub const RFC3986_REG_NAME: ByteSet = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS);

/// `reserved / unreserved` ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2),
/// [2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3)): whatever may stand raw somewhere in a URI. `%` is
/// encoded.
pub const RFC3986_URI: ByteSet = RFC3986_RESERVED.union(RFC3986_UNRESERVED);

/// `reserved / unreserved / "%"`: a URI that is already encoded, of which only what no URI may contain is to change.
///
/// `%` stays raw, a stray one too, so this is not reversible.
pub const RFC3986_URI_KEEP_PCT: ByteSet = RFC3986_URI.with(b'%');
