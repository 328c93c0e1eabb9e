//! Sets for header fields, messages and documents: parameters (RFC 8187, RFC 2231), cookies, `mailto:`, CGI,
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
    /// ([RFC 8187 3.2.1](https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1), before it RFC 5987): the value of
    /// `filename*=` and `title*=`, after `UTF-8''`.
    RFC8187_ATTR_CHAR "RFC 8187 3.2.1 attr-char" = ALPHANUMERIC.union(ByteSet::of(b"!#$&+-.^_`|~"));

    /// `attribute-char := <any (US-ASCII) CHAR except SPACE, CTLs, "*", "'", "%", or tspecials>`
    /// ([RFC 2231 7](https://www.rfc-editor.org/rfc/rfc2231#section-7)): the same use in MIME. It is
    /// [`RFC8187_ATTR_CHAR`] with `{` and `}`.
    RFC2231_ATTRIBUTE_CHAR "RFC 2231 7 attribute-char" = VCHAR.difference(ByteSet::of(b"*'%")).difference(TSPECIALS);

    /// `cookie-octet = %x21 / %x23-2B / %x2D-3A / %x3C-5B / %x5D-7E`
    /// ([RFC 6265 4.1.1](https://www.rfc-editor.org/rfc/rfc6265#section-4.1.1)): visible ASCII but `"`, `,`, `;` and `\`.
    ///
    /// `%` stays raw: not reversible. For data of your own use [`COOKIE_VALUE_DATA`].
    RFC6265_COOKIE_OCTET "RFC 6265 4.1.1 cookie-octet" = ByteSet::range(0x21, 0x21)
        .union(ByteSet::range(0x23, 0x2B))
        .union(ByteSet::range(0x2D, 0x3A))
        .union(ByteSet::range(0x3C, 0x5B))
        .union(ByteSet::range(0x5D, 0x7E));

    /// `cookie-octet` without `%`: any data as a cookie value that decodes to itself. No standard asks for it; RFC 6265
    /// leaves the encoding of values to the server.
    COOKIE_VALUE_DATA "RFC 6265 4.1.1 cookie-octet without %" = RFC6265_COOKIE_OCTET.without(b'%');

    /// `qchar = unreserved / pct-encoded / some-delims` with
    /// `some-delims = "!" / "$" / "'" / "(" / ")" / "*" / "+" / "," / ";" / ":" / "@"`
    /// ([RFC 6068 2](https://www.rfc-editor.org/rfc/rfc6068#section-2)): a header field name or value (`subject`, `body`)
    /// of a `mailto:` URI.
    ///
    /// `+` is a plus sign in such a URI, but some old mail programs take it for a space: `without(b'+')` suits them too.
    RFC6068_QCHAR "RFC 6068 2 qchar" = RFC3986_UNRESERVED.union(ByteSet::of(b"!$'()*+,;:@"));

    /// The `local-part` of an `addr-spec` ([RFC 6068 2](https://www.rfc-editor.org/rfc/rfc6068#section-2), rule 1):
    /// `unreserved`, `:` and the `sub-delims` but `& ; =`; and not `,`, which separates addresses. `@` is encoded, for the
    /// raw one ends the local part.
    RFC6068_LOCAL_PART "RFC 6068 2 local-part" = RFC3986_UNRESERVED.with(b':').union(RFC3986_SUB_DELIMS.difference(ByteSet::of(b"&;="))).without(b',');

    /// `reserved | unreserved` without `";" | "=" | "?"`
    /// ([RFC 3875 3.3](https://www.rfc-editor.org/rfc/rfc3875#section-3.3), with the classes of
    /// [2.3](https://www.rfc-editor.org/rfc/rfc3875#section-2.3)): a CGI `PATH_INFO` on its way back into the script URI.
    RFC3875_EXTRA_PATH "RFC 3875 3.3 extra-path" = RFC2732_RESERVED.union(RFC2396_UNRESERVED).difference(ByteSet::of(b";=?"));

    /// `schar = unreserved | escaped | xreserved` with
    /// `xreserved = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "," | "$"`, without `=`
    /// ([RFC 3875 4.4](https://www.rfc-editor.org/rfc/rfc3875#section-4.4)): a word of an indexed query.
    ///
    /// A query with a raw `=` is no indexed query, hence the exception. `+` is encoded: raw, it stands between two words.
    RFC3875_SEARCH_WORD "RFC 3875 4.4 search-word" = RFC2396_UNRESERVED.union(ByteSet::of(b";/?:@&=,$")).without(b'=');

    /// The bytes that no `href` needs to escape ([XLink 1.0 5.4](https://www.w3.org/TR/2001/REC-xlink-20010627/#link-locators)), and that
    /// pass in XML Schema's `anyURI` and in a LEIRI. Equal to [`RFC3986_URI_KEEP_PCT`]; its ASCII complement is the
    /// list that [RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1) allows to be converted.
    ///
    /// `%` stays raw: not reversible.
    XLINK_ANYURI "XLink 1.0 5.4 href, XSD anyURI" = RFC3986_URI_KEEP_PCT;

    /// `Percent-Byte-Unencoded = 1*( %x20-%x24 / %x26-%x7E )`
    /// ([gRPC over HTTP/2, `grpc-message`](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses)).
    ///
    /// Space stays raw.
    GRPC_MESSAGE "gRPC over HTTP/2 grpc-message" = ByteSet::range(0x20, 0x24).union(ByteSet::range(0x26, 0x7E));
}
