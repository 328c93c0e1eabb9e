//! Defines the faults that `lint` finds.

/// A fault that [`lint`](super::lint()) has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finding {
    /// The offset at which the fault starts, in bytes of the text.
    pub offset: usize,
    /// The length of the fault, in bytes.
    pub len: usize,
    /// The kind of fault.
    pub kind: FindingKind,
}

impl Finding {
    /// Creates a finding from its parts, for tests and for code that finds faults by other means.
    #[must_use]
    pub const fn new(offset: usize, len: usize, kind: FindingKind) -> Finding {
        Finding { offset, len, kind }
    }
}

kinds! {
    /// The kind of a [`Finding`].
    FindingKind:

    /// A `%` without two hexadecimal digits after it (RFC 3986 2.1).
    Malformed "malformed";
    /// `%25` and two hexadecimal digits. Most likely the text was encoded twice (2.4). The length includes
    /// all five bytes.
    DoubleEncoded "double-encoded";
    /// A triplet of an unreserved character, which should not be encoded (2.3).
    OverEncoded "over-encoded";
    /// A triplet with lower-case digits (2.1) that isn't over-encoded.
    LowerCase "lower-case";
    /// A run of bytes that no URI contains: control characters, spaces, ``"<>\^`{|}``, and all bytes above ASCII (2).
    Illegal "illegal";
    /// A password in the userinfo (3.2.1), as [`passwords`](super::passwords()) finds it. Don't show its text. Other
    /// faults inside the password aren't reported, and the range of [`HostInUserinfo`](Self::HostInUserinfo) ends
    /// before the password.
    Password "password";
    /// A character that changes the direction of the text around it, raw or escaped (RFC 3987 4.1;
    /// [`is_bidi_control`](crate::iri::is_bidi_control)).
    Bidi "bidi";
    /// An invisible character, raw or escaped: a zero-width space, a soft hyphen, a tag, a C1 control and others.
    ///
    /// These characters are not reported where they have a purpose:
    ///
    /// - ZERO WIDTH JOINER between emoji, and variation selectors after a symbol or letter;
    /// - ZERO WIDTH JOINER and NON-JOINER inside words of Persian, Hindi and other languages that need them (RFC 5892
    ///   A.1, A.2);
    /// - tags in the flag of a region.
    Invisible "invisible";
    /// Overlong UTF-8, raw or escaped: `%C0%AF` is a slash in two bytes (RFC 3629 3, 10).
    Overlong "overlong";
    /// Text that was encoded as UTF-8, then read as windows-1252 or ISO 8859-1, and then encoded again: `%C3%83%C2%A9`
    /// for `é`.
    Mojibake "mojibake";
    /// A character that looks like a slash or a backslash, raw or escaped: `%E2%88%95`, `%EF%BC%8F` (RFC 3986 7.6).
    LookAlike "look-alike";
    /// A userinfo that begins with the name of a host: `google.com` in `http://google.com@evil.example/` and in
    /// `http://google.com&login@evil.example/` (RFC 3986 7.6). A user called `john.smith` is found, too. The
    /// finding ends before the first `:`, because a password may follow.
    HostInUserinfo "host-in-userinfo";
    /// A host that a browser reads as an IPv4 address, although it isn't written as four decimal numbers: `0x7f.1` (RFC
    /// 3986 7.4).
    OddIpv4 "odd-ipv4";
    /// A host with an escaped delimiter, such as the `%2F` in `http://google.com%2F.evil.example/`, or with a character that
    /// UTS 46 maps to a delimiter: `℀` becomes `a/c` (RFC 3986 3.2.2, 7.6). The delimiters are `/`, `?`, `#`, `@`, `:` and
    /// `\`.
    ///
    /// Browsers refuse such a host. But a program that decodes the host before it splits the URI goes to another host.
    HostDelimiter "host-delimiter";
    /// A host with a label that mixes scripts, for example Latin and Cyrillic (UTS 39 5.2). The label may be raw,
    /// escaped or in Punycode.
    ///
    /// Found only with the feature `confusables`. A label may mix the scripts of Chinese, Japanese or Korean, with each
    /// other and with Latin.
    MixedScript "mixed-script";
    /// A host that looks like a host in ASCII, although some of its letters aren't ASCII (UTS 39 4). For example, all
    /// letters of `аррӏе` are Cyrillic.
    ///
    /// Found only with the feature `confusables`.
    Confusable "confusable";
}
