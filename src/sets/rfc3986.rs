//! Defines the sets of the current URI syntax, RFC 3986, and of two standards that take their classes from it: URI
//! Template (RFC 6570) and URN (RFC 8141).

use super::ALPHANUMERIC;
use crate::ByteSet;

/// `gen-delims = ":" / "/" / "?" / "#" / "[" / "]" / "@"`
/// ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2)): the separators between components of a URI.
pub const RFC3986_GEN_DELIMS: ByteSet = ByteSet::of(b":/?#[]@");

/// `sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="`
/// ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2)): possible separators inside a component.
pub const RFC3986_SUB_DELIMS: ByteSet = ByteSet::of(b"!$&'()*+,;=");

/// `reserved = gen-delims / sub-delims` ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2)).
///
/// A reserved byte may mean one thing raw and another thing encoded, so normalization must not encode or decode it.
pub const RFC3986_RESERVED: ByteSet = RFC3986_GEN_DELIMS.union(RFC3986_SUB_DELIMS);

/// `pchar = unreserved / pct-encoded / sub-delims / ":" / "@"`
const PCHAR: ByteSet = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS).with(b':').with(b'@');

named_sets! {
    RFC3986:

    /// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"`
    /// ([RFC 3986 2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3)).
    ///
    /// The safe choice for data, because no byte of this set has a special meaning anywhere in a URI. The `ZoneID` of
    /// [RFC 6874 2](https://www.rfc-editor.org/rfc/rfc6874#section-2) has the same grammar. OAuth 1.0
    /// ([RFC 5849 3.6](https://www.rfc-editor.org/rfc/rfc5849#section-3.6)) and AWS Signature Version 4 leave the same
    /// bytes raw.
    RFC3986_UNRESERVED "RFC 3986 2.3 unreserved" = ALPHANUMERIC.union(ByteSet::of(b"-._~"));

    /// `segment = *pchar` ([RFC 3986 3.3](https://www.rfc-editor.org/rfc/rfc3986#section-3.3)): one step of a path, with
    /// `/` encoded.
    RFC3986_SEGMENT "RFC 3986 3.3 segment" = PCHAR;

    /// `path-abempty = *( "/" segment )` and the other `path-` rules
    /// ([RFC 3986 3.3](https://www.rfc-editor.org/rfc/rfc3986#section-3.3)): a path, with `/` as separator.
    RFC3986_PATH "RFC 3986 3.3 path" = RFC3986_SEGMENT.with(b'/');

    /// `segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )`
    /// ([RFC 3986 3.3](https://www.rfc-editor.org/rfc/rfc3986#section-3.3)): the first segment of a relative reference.
    /// `:` is encoded, because a raw `:` in this segment would turn the text before it into a scheme.
    RFC3986_SEGMENT_NZ_NC "RFC 3986 3.3 segment-nz-nc" = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS).with(b'@');

    /// `query = *( pchar / "/" / "?" )` ([RFC 3986 3.4](https://www.rfc-editor.org/rfc/rfc3986#section-3.4)), and
    /// `fragment`, which has the same grammar ([3.5](https://www.rfc-editor.org/rfc/rfc3986#section-3.5)).
    ///
    /// Use it for a whole query, because `&`, `=` and `+` stay raw. For one name or value of a query use
    /// [`RFC3986_UNRESERVED`] or [`presets::WHATWG_FORM`](crate::presets::WHATWG_FORM).
    RFC3986_QUERY "RFC 3986 3.4 query, 3.5 fragment" = PCHAR.with(b'/').with(b'?');

    /// `userinfo = *( unreserved / pct-encoded / sub-delims / ":" )`
    /// ([RFC 3986 3.2.1](https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1)).
    ///
    /// `:` stays raw. For a user name without a password, use [`RFC3986_REG_NAME`].
    RFC3986_USERINFO "RFC 3986 3.2.1 userinfo" = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS).with(b':');

    /// `reg-name = *( unreserved / pct-encoded / sub-delims )`
    /// ([RFC 3986 3.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2)).
    ///
    /// You can also use it for either half of `user:password`.
    RFC3986_REG_NAME "RFC 3986 3.2.2 reg-name" = RFC3986_UNRESERVED.union(RFC3986_SUB_DELIMS);

    /// `reserved / unreserved` ([RFC 3986 2.2](https://www.rfc-editor.org/rfc/rfc3986#section-2.2),
    /// [2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3)): all bytes that may be raw somewhere in a URI. `%` is
    /// encoded.
    RFC3986_URI "RFC 3986 2.2 reserved and 2.3 unreserved" = RFC3986_RESERVED.union(RFC3986_UNRESERVED);

    /// `reserved / unreserved / "%"`: for a URI that is already encoded. Only bytes that can't be part of a URI change.
    ///
    /// Not reversible, because `%` stays raw, even if it is malformed.
    RFC3986_URI_KEEP_PCT "RFC 3986 2.2 reserved, 2.3 unreserved and %" = RFC3986_URI.with(b'%');

    /// The allowed set `U`: `unreserved` ([RFC 6570 3.2.1](https://www.rfc-editor.org/rfc/rfc6570#section-3.2.1)).
    /// Equal to [`RFC3986_UNRESERVED`].
    RFC6570_U "RFC 6570 3.2.1 allow U" = RFC3986_UNRESERVED;

    /// `NSS = pchar *(pchar / "/")` ([RFC 8141 2](https://www.rfc-editor.org/rfc/rfc8141#section-2)). Equal to
    /// [`RFC3986_PATH`], but an NSS can't start with `/`. For `r-component` and `q-component` use [`RFC3986_QUERY`].
    RFC8141_NSS "RFC 8141 2 NSS" = RFC3986_PATH;
}
