//! Defines the sets of the URI and URN syntaxes before RFC 3986, for systems that still follow them: RFC 1630 (1994),
//! 1738 (1994), 1808 (1995), 2141 (1997), 2396 (1998) and 2732 (1999).

use super::ALPHANUMERIC;
use super::rfc3986::{RFC3986_PATH, RFC3986_QUERY, RFC3986_SEGMENT, RFC3986_SEGMENT_NZ_NC, RFC3986_USERINFO};
use crate::ByteSet;

/// `mark = "-" | "_" | "." | "!" | "~" | "*" | "'" | "(" | ")"` (RFC 2396 2.3)
const RFC2396_MARK: ByteSet = ByteSet::of(b"-_.!~*'()");

/// `reserved = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "+" | "$" | "," | "[" | "]"` (RFC 2732 3)
pub(super) const RFC2732_RESERVED: ByteSet = ByteSet::of(b";/?:@&=+$,[]");

/// `safe = "$" | "-" | "_" | "." | "+"` (RFC 1738 5, RFC 1808 2.2)
const RFC1738_SAFE: ByteSet = ByteSet::of(b"$-_.+");

/// `extra = "!" | "*" | "'" | "(" | ")" | ","` (RFC 1738 5, RFC 1808 2.2)
const RFC1738_EXTRA: ByteSet = ByteSet::of(b"!*'(),");

/// `reserved = ";" | "/" | "?" | ":" | "@" | "&" | "="` (RFC 1738 5, RFC 1808 2.2)
const RFC1738_RESERVED: ByteSet = ByteSet::of(b";/?:@&=");

/// `uchar = unreserved | escape`
const RFC1738_UCHAR: ByteSet = RFC1738_UNRESERVED;

/// `safe = $ | - | _ | @ | . | &` (RFC 1630, generic URI)
const RFC1630_SAFE: ByteSet = ByteSet::of(b"$-_@.&");

/// `extra = ! | * | " | ' | ( | ) | ,` (RFC 1630)
const RFC1630_EXTRA: ByteSet = ByteSet::of(b"!*\"'(),");

/// `other = "(" | ")" | "+" | "," | "-" | "." | ":" | "=" | "@" | ";" | "$" | "_" | "!" | "*" | "'"` (RFC 2141 2.2)
const RFC2141_OTHER: ByteSet = ByteSet::of(b"()+,-.:=@;$_!*'");

named_sets! {
    RFC_LEGACY:

    /// `unreserved = alphanum | mark` with `mark = "-" | "_" | "." | "!" | "~" | "*" | "'" | "(" | ")"`
    /// ([RFC 2396 2.3](https://www.rfc-editor.org/rfc/rfc2396#section-2.3)).
    ///
    /// `! * ' ( )` are `sub-delims` in RFC 3986, so they are no longer interchangeable with their triplets.
    RFC2396_UNRESERVED "RFC 2396 2.3 unreserved" = ALPHANUMERIC.union(RFC2396_MARK);

    /// `uric = reserved | unreserved | escaped` ([RFC 2396 2](https://www.rfc-editor.org/rfc/rfc2396#section-2)), the
    /// characters of `query` and `fragment`. Equal to [`RFC3986_QUERY`].
    RFC2396_URIC "RFC 2396 2 uric" = RFC3986_QUERY;

    /// `pchar = unreserved | escaped | ":" | "@" | "&" | "=" | "+" | "$" | ","`
    /// ([RFC 2396 3.3](https://www.rfc-editor.org/rfc/rfc2396#section-3.3)), the characters of `param`. `;` is encoded,
    /// because it starts a `param`.
    RFC2396_PCHAR "RFC 2396 3.3 pchar" = RFC2396_UNRESERVED.union(ByteSet::of(b":@&=+$,"));

    /// `path_segments = segment *( "/" segment )` with `segment = *pchar *( ";" param )`
    /// ([RFC 2396 3.3](https://www.rfc-editor.org/rfc/rfc2396#section-3.3)). Equal to [`RFC3986_PATH`].
    RFC2396_PATH "RFC 2396 3.3 path_segments" = RFC3986_PATH;

    /// `rel_segment = 1*( unreserved | escaped | ";" | "@" | "&" | "=" | "+" | "$" | "," )`
    /// ([RFC 2396 5](https://www.rfc-editor.org/rfc/rfc2396#section-5)). Equal to [`RFC3986_SEGMENT_NZ_NC`].
    RFC2396_REL_SEGMENT "RFC 2396 5 rel_segment" = RFC3986_SEGMENT_NZ_NC;

    /// `userinfo = *( unreserved | escaped | ";" | ":" | "&" | "=" | "+" | "$" | "," )`
    /// ([RFC 2396 3.2.2](https://www.rfc-editor.org/rfc/rfc2396#section-3.2.2)). Equal to [`RFC3986_USERINFO`].
    RFC2396_USERINFO "RFC 2396 3.2.2 userinfo" = RFC3986_USERINFO;

    /// `reg_name = 1*( unreserved | escaped | "$" | "," | ";" | ":" | "@" | "&" | "=" | "+" )`
    /// ([RFC 2396 3.2.1](https://www.rfc-editor.org/rfc/rfc2396#section-3.2.1)). Equal to [`RFC3986_SEGMENT`].
    RFC2396_REG_NAME "RFC 2396 3.2.1 reg_name" = RFC3986_SEGMENT;

    /// `uric = reserved | unreserved | escaped` with
    /// `reserved = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "+" | "$" | "," | "[" | "]"`
    /// ([RFC 2732 3](https://www.rfc-editor.org/rfc/rfc2732#section-3)): RFC 2396 with the brackets of IPv6 literals.
    RFC2732_URIC "RFC 2732 3 uric" = RFC2732_RESERVED.union(RFC2396_UNRESERVED);

    /// A name to put into a URN: `trans` without `reserved`
    /// ([RFC 2141 2.2](https://www.rfc-editor.org/rfc/rfc2141#section-2.2)).
    ///
    /// `trans = upper | lower | number | other | reserved`,
    /// `other = "(" | ")" | "+" | "," | "-" | "." | ":" | "=" | "@" | ";" | "$" | "_" | "!" | "*" | "'"`,
    /// `reserved = "%" | "/" | "?" | "#"`.
    ///
    /// `~` and `&` are encoded. A URN must not contain the byte 0, encoded or not.
    RFC2141_TRANS "RFC 2141 2.2 trans without reserved" = ALPHANUMERIC.union(RFC2141_OTHER);

    /// `pchar = uchar | ":" | "@" | "&" | "="` ([RFC 1808 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)). `~` is
    /// encoded, as in RFC 1738.
    RFC1808_PCHAR "RFC 1808 2.2 pchar" = RFC1738_UCHAR.union(ByteSet::of(b":@&="));

    /// `unreserved = alpha | digit | safe | extra` with `safe = "$" | "-" | "_" | "." | "+"` and
    /// `extra = "!" | "*" | "'" | "(" | ")" | ","` ([RFC 1738 5](https://www.rfc-editor.org/rfc/rfc1738#section-5); RFC
    /// 1808 2.2 has the same).
    ///
    /// `~` is unsafe here and is encoded. `+ $ ,` are unreserved here, but reserved in RFC 2396.
    RFC1738_UNRESERVED "RFC 1738 5 unreserved" = ALPHANUMERIC.union(RFC1738_SAFE).union(RFC1738_EXTRA);

    /// `xchar = unreserved | reserved | escape` ([RFC 1738 5](https://www.rfc-editor.org/rfc/rfc1738#section-5)): a URL
    /// of an unknown scheme. Equal to the `query` and `fragment` of RFC 1808.
    RFC1738_XCHAR "RFC 1738 5 xchar" = RFC1738_UNRESERVED.union(RFC1738_RESERVED);

    /// `hsegment = *[ uchar | ";" | ":" | "@" | "&" | "=" ]`, and `search`, which has the same grammar
    /// ([RFC 1738 5](https://www.rfc-editor.org/rfc/rfc1738#section-5)): a path segment or the query of `http:`.
    RFC1738_HTTP "RFC 1738 5 hsegment, search" = RFC1738_UCHAR.union(ByteSet::of(b";:@&="));

    /// `fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]`
    /// ([RFC 1738 5](https://www.rfc-editor.org/rfc/rfc1738#section-5)): a path segment of `ftp:` and `file:`. `;` is
    /// encoded, because it starts the `;type=` of an FTP URL.
    RFC1738_FTP "RFC 1738 5 fsegment" = RFC1738_UCHAR.union(ByteSet::of(b"?:@&="));

    /// `user = *[ uchar | ";" | "?" | "&" | "=" ]`, and `password`, which has the same grammar
    /// ([RFC 1738 5](https://www.rfc-editor.org/rfc/rfc1738#section-5)). `:`, `@` and `/` are encoded.
    RFC1738_USER "RFC 1738 5 user, password" = RFC1738_UCHAR.union(ByteSet::of(b";?&="));

    /// `xalpha = alpha | digit | safe | extra | escape` with `safe = $ | - | _ | @ | . | &` and
    /// `extra = ! | * | " | ' | ( | ) | ,` ([RFC 1630](https://www.rfc-editor.org/rfc/rfc1630), BNF of Generic URI Syntax):
    /// the words of a search, and the fragment.
    ///
    /// `"` stays raw, unlike in all later URI syntaxes. `~` is encoded, and so is `+`, which separates the words of a
    /// search. The second grammar of the RFC, for the URL schemes, allows a raw `+`. So a `+` in a search is ambiguous.
    RFC1630_XALPHA "RFC 1630 generic URI, xalpha" = ALPHANUMERIC.union(RFC1630_SAFE).union(RFC1630_EXTRA);

    /// `xpalpha = xalpha | +` ([RFC 1630](https://www.rfc-editor.org/rfc/rfc1630), BNF of Generic URI Syntax): a path
    /// segment.
    RFC1630_XPALPHA "RFC 1630 generic URI, xpalpha" = RFC1630_XALPHA.with(b'+');
}
