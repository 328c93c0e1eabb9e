//! Defines the percent-encode sets of the WHATWG URL Standard.
//!
//! The standard lists the encoded bytes, and defines each set as another set with added bytes. The private constants
//! here do the same. The public sets are the complements of these constants.

use crate::ByteSet;

/// C0 controls and all code points greater than U+007E.
const C0_CONTROL: ByteSet = ByteSet::range(0x00, 0x1F).union(ByteSet::range(0x7F, 0xFF));
const FRAGMENT: ByteSet = C0_CONTROL.union(ByteSet::of(b" \"<>`"));
const QUERY: ByteSet = C0_CONTROL.union(ByteSet::of(b" \"#<>"));
const SPECIAL_QUERY: ByteSet = QUERY.with(b'\'');
const PATH_PRE2024: ByteSet = QUERY.union(ByteSet::of(b"?`{}"));
const PATH: ByteSet = PATH_PRE2024.with(b'^');
const USERINFO: ByteSet = PATH.union(ByteSet::of(b"/:;=@[\\]|"));
const COMPONENT: ByteSet = USERINFO.union(ByteSet::of(b"$%&+,"));

named_sets! {
    WHATWG:

    /// All bytes outside the *C0 control percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#c0-control-percent-encode-set)), for opaque paths and opaque hosts. The
    /// standard's set has the C0 controls, and all code points above U+007E.
    ///
    /// Space stays raw. Not reversible, because `%` stays raw too.
    WHATWG_C0_CONTROL "WHATWG URL 1.3 C0 control" = C0_CONTROL.complement();

    /// All bytes outside the *fragment percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#fragment-percent-encode-set)). The standard's set is the C0 control set
    /// with the space, `"`, `<`, `>` and `` ` ``.
    ///
    /// Not reversible, because `%` stays raw.
    WHATWG_FRAGMENT "WHATWG URL 1.3 fragment" = FRAGMENT.complement();

    /// All bytes outside the *query percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#query-percent-encode-set)), for schemes that are not special. The
    /// standard's set is the C0 control set with the space, `"`, `#`, `<` and `>`.
    ///
    /// Not reversible, because `%` stays raw.
    WHATWG_QUERY "WHATWG URL 1.3 query" = QUERY.complement();

    /// All bytes outside the *special-query percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#special-query-percent-encode-set)), for `http:`, `https:`, `ws:`,
    /// `wss:`, `ftp:` and `file:`. The standard's set is the query set with `'`.
    ///
    /// Not reversible, because `%` stays raw.
    WHATWG_SPECIAL_QUERY "WHATWG URL 1.3 special-query" = SPECIAL_QUERY.complement();

    /// All bytes outside the *path percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#path-percent-encode-set)). The standard's set is the query set with `?`,
    /// `^`, `` ` ``, `{` and `}`.
    ///
    /// Not reversible, because `%` stays raw. The standard added `^` to its set in March 2025; see
    /// [`WHATWG_PATH_PRE2024`].
    WHATWG_PATH "WHATWG URL 1.3 path" = PATH.complement();

    /// All bytes outside the former *path percent-encode set*, which the standard had until March 2025. The former set
    /// was the query set with `?`, `` ` ``, `{` and `}`. It did not have `^`.
    ///
    /// Use this set to get the same output, byte by byte, as programs that don't know of this change.
    ///
    /// Not reversible, because `%` stays raw.
    WHATWG_PATH_PRE2024 "WHATWG URL 1.3 path, before ^ joined in 2025" = PATH_PRE2024.complement();

    /// All bytes outside the *userinfo percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#userinfo-percent-encode-set)). The standard's set is the path set with
    /// `/`, `:`, `;`, `=`, `@`, `[`, `\`, `]` and `|`.
    ///
    /// Not reversible, because `%` stays raw.
    WHATWG_USERINFO "WHATWG URL 1.3 userinfo" = USERINFO.complement();

    /// All bytes outside the *component percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#component-percent-encode-set)). The standard's set is the userinfo set
    /// with `$`, `%`, `&`, `+` and `,`. So this constant equals [`RFC2396_UNRESERVED`](super::RFC2396_UNRESERVED), the
    /// set of `encodeURIComponent`.
    WHATWG_COMPONENT "WHATWG URL 1.3 component" = COMPONENT.complement();
}
