//! Defines sets for header fields, messages and documents: parameters (RFC 8187, RFC 2231), cookies, `mailto:`, CGI,
//! XLink and gRPC.

use super::ALPHANUMERIC;
use super::rfc_legacy::{RFC2396_UNRESERVED, RFC2732_RESERVED};
use super::rfc3986::{RFC3986_SUB_DELIMS, RFC3986_UNRESERVED, RFC3986_URI_KEEP_PCT};
use crate::ByteSet;

/// `VCHAR = %x21-7E` (RFC 5234 B.1)
const VCHAR: ByteSet = ByteSet::range(0x21, 0x7E);

/// `tspecials := "(" / ")" / "<" / ">" / "@" / "," / ";" / ":" / "\" / <"> / "/" / "[" / "]" / "?" / "="`
/// (RFC 2045 5.1)
const TSPECIALS: ByteSet = ByteSet::of(b"()<>@,;:\\\"/[]?=");

named_sets! {
    HTTP:

    /// ``attr-char = ALPHA / DIGIT / "!" / "#" / "$" / "&" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~"``
    /// ([RFC 8187 3.2.1](https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1), formerly RFC 5987): the value of
    /// `filename*=` and `title*=`, after `UTF-8''`.
    RFC8187_ATTR_CHAR "RFC 8187 3.2.1 attr-char" = ALPHANUMERIC.union(ByteSet::of(b"!#$&+-.^_`|~"));

    /// `attribute-char := <any (US-ASCII) CHAR except SPACE, CTLs, "*", "'", "%", or tspecials>`
    /// ([RFC 2231 7](https://www.rfc-editor.org/rfc/rfc2231#section-7)): the value of a parameter in MIME. The set is
    /// [`RFC8187_ATTR_CHAR`] with `{` and `}`.
    RFC2231_ATTRIBUTE_CHAR "RFC 2231 7 attribute-char" = VCHAR.difference(ByteSet::of(b"*'%")).difference(TSPECIALS);

    /// `cookie-octet = %x21 / %x23-2B / %x2D-3A / %x3C-5B / %x5D-7E`
    /// ([RFC 6265 4.1.1](https://www.rfc-editor.org/rfc/rfc6265#section-4.1.1)): visible ASCII except `"`, `,`, `;` and
    /// `\`.
    ///
    /// Not reversible, because `%` stays raw. For your own data use [`COOKIE_VALUE_DATA`].
    RFC6265_COOKIE_OCTET "RFC 6265 4.1.1 cookie-octet" = ByteSet::range(0x21, 0x21)
        .union(ByteSet::range(0x23, 0x2B))
        .union(ByteSet::range(0x2D, 0x3A))
        .union(ByteSet::range(0x3C, 0x5B))
        .union(ByteSet::range(0x5D, 0x7E));

    /// `cookie-octet` without `%`: encodes any data as a reversible cookie value. This set is in no standard, because
    /// RFC 6265 leaves the encoding of values to the server.
    COOKIE_VALUE_DATA "RFC 6265 4.1.1 cookie-octet without %" = RFC6265_COOKIE_OCTET.without(b'%');

    /// `qchar = unreserved / pct-encoded / some-delims` with
    /// `some-delims = "!" / "$" / "'" / "(" / ")" / "*" / "+" / "," / ";" / ":" / "@"`
    /// ([RFC 6068 2](https://www.rfc-editor.org/rfc/rfc6068#section-2)): a header field name or value (`subject`, `body`)
    /// of a `mailto:` URI.
    ///
    /// In a `mailto:` URI, `+` is a plus sign, but some old mail programs read it as a space. For these programs, use
    /// `RFC6068_QCHAR.without(b'+')`.
    RFC6068_QCHAR "RFC 6068 2 qchar" = RFC3986_UNRESERVED.union(ByteSet::of(b"!$'()*+,;:@"));

    /// The `local-part` of an `addr-spec` ([RFC 6068 2](https://www.rfc-editor.org/rfc/rfc6068#section-2), rule 1):
    /// `unreserved`, `:` and the `sub-delims` except `& ; = ,`. A raw `,` would separate addresses. `@` is encoded,
    /// because it ends the local part.
    RFC6068_LOCAL_PART "RFC 6068 2 local-part" = RFC3986_UNRESERVED.with(b':').union(RFC3986_SUB_DELIMS.difference(ByteSet::of(b"&;="))).without(b',');

    /// `reserved | unreserved` without `";" | "=" | "?"`
    /// ([RFC 3875 3.3](https://www.rfc-editor.org/rfc/rfc3875#section-3.3), with the classes of
    /// [2.3](https://www.rfc-editor.org/rfc/rfc3875#section-2.3)): a CGI `PATH_INFO` that becomes part of the script
    /// URI again.
    RFC3875_EXTRA_PATH "RFC 3875 3.3 extra-path" = RFC2732_RESERVED.union(RFC2396_UNRESERVED).difference(ByteSet::of(b";=?"));

    /// `schar = unreserved | escaped | xreserved` with
    /// `xreserved = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "," | "$"`, without `=`
    /// ([RFC 3875 4.4](https://www.rfc-editor.org/rfc/rfc3875#section-4.4)): a word of an indexed query.
    ///
    /// `=` is encoded, because a query with a raw `=` isn't an indexed query. `+` is encoded, because a raw `+`
    /// separates two words.
    RFC3875_SEARCH_WORD "RFC 3875 4.4 search-word" = RFC2396_UNRESERVED.union(ByteSet::of(b";/?:@&=,$")).without(b'=');

    /// The bytes that stay in an `href`
    /// ([XLink 1.0 5.4](https://www.w3.org/TR/2001/REC-xlink-20010627/#link-locators)).
    ///
    /// They also stay in XML Schema's `anyURI` and in a LEIRI. Equal to [`RFC3986_URI_KEEP_PCT`]. The ASCII bytes
    /// outside this set are the bytes that [RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1) allows a
    /// converter to encode.
    ///
    /// Not reversible, because `%` stays raw.
    XLINK_ANYURI "XLink 1.0 5.4 href, XSD anyURI" = RFC3986_URI_KEEP_PCT;

    /// `Percent-Byte-Unencoded = 1*( %x20-%x24 / %x26-%x7E )`
    /// ([gRPC over HTTP/2, `grpc-message`](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses)).
    ///
    /// Space stays raw.
    GRPC_MESSAGE "gRPC over HTTP/2 grpc-message" = ByteSet::range(0x20, 0x24).union(ByteSet::range(0x26, 0x7E));
}
