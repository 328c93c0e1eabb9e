//! The kinds of repairs, and the reason for each.

kinds! {
    /// The kind of a repair.
    ///
    /// The examples show a text, and the text after the repair.
    RepairKind:

    /// Removes blanks, quotes or angle brackets around the link, and `URL:` in angle brackets (RFC 3986 Appendix C).
    ///
    /// Blanks are white space, zero-width spaces and bidi controls. Quotes and brackets are removed only in pairs.
    Surroundings "surroundings";
    /// Removes a line break inside the link, and the blanks and quote marks of mail (`>`) next to it (RFC 3986 Appendix
    /// C).
    ///
    /// If the link is in quoted-printable (RFC 2045 6.7), the `=` before the line break is also removed, and `=3D`
    /// becomes `=`. A link counts as quoted-printable if each `=` starts `=3D` or comes before a line break. At least
    /// one `=` must start `=3D` or come before the `?`.
    ///
    /// Only the surroundings are repaired if the text may be more than one link. This is the case if a line break is in
    /// the authority, or if a blank line or another `scheme://` follows a line break.
    LineBreak "line-break";
    /// A space outside the host: `a b` becomes `a%20b`. This also holds in a query.
    Space "space";
    /// A character above ASCII outside the host: `é` becomes `%C3%A9` (RFC 3987 3.1).
    NonAscii "non-ascii";
    /// A `%` that starts no escape: `100%` becomes `100%25` (RFC 3986 2.4).
    Percent "percent";
    /// A bracket outside the host: `a[]=1` becomes `a%5B%5D=1` (RFC 3986 3.2.2).
    Bracket "bracket";
    /// A control character, one of ``"<>\^`{|}``, a second `#`, or an `@` in the userinfo. It is encoded (RFC 3986 2).
    Illegal "illegal";
    /// `%u4E2D` becomes `%E4%B8%AD`. Two surrogates become one character.
    ///
    /// A lone surrogate stays. `%u0025` also stays, because it decodes to `%`, which could become part of another
    /// escape.
    UEscape "u-escape";
    /// `&amp;` in a query, if a name and `=` follow: `a=1&amp;b=2` becomes `a=1&b=2`.
    ///
    /// The text is a valid URI, but a parameter called `amp;b` has no meaning.
    Entity "entity";
    /// `\` before the `?` of an `http`, `https` or `ftp` URL. There, browsers read it as `/` (URL Standard 4.4).
    ///
    /// `http:\\h\a` becomes `http://h/a`. If an `@` follows a `\` in the authority, programs disagree about the host.
    /// In that case, and in text like `http:\a`, every `\` before the `?` stays.
    Backslash "backslash";
    /// A path, query or fragment with two layers of escapes. One layer is removed: `caf%25C3%25A9` becomes `caf%C3%A9`.
    ///
    /// The text is a valid URI, so it is repaired only if all of these are true:
    /// - Every `%` of the component starts `%25XX`.
    /// - If the component is decoded twice, the result is UTF-8.
    /// - At least one escape is a space, or belongs to a character above ASCII.
    /// - No escape is a control character or one of `:/?#[]@&=+%`.
    /// - A query has no raw `:` or `/`, because with one of these, it could hold a URL that has its own escapes.
    DoubleEncoded "double-encoded";
    /// Brackets, quotes and marks of a sentence around the link. `(http://h/)`, `“http://h/”` and `<http://h/>.` become
    /// `http://h/`.
    ///
    /// Brackets, quotes and marks are removed only if all of these conditions hold:
    /// - `scheme://` follows the opening bracket or quote.
    /// - The closing bracket or quote is at the end, or only some of `.,;:!?` follow it.
    /// - The brackets inside the link are balanced, as in `(http://h/a_(b))`.
    ///
    /// So no valid URI changes: in `http://h/a.`, for example, the `.` may be part of the link. Blanks next to the
    /// removed characters are removed, too.
    Punctuation "punctuation";
    /// A host with characters above ASCII: `bücher.example` becomes `xn--bcher-kva.example` (RFC 3987 3.1, UTS 46).
    ///
    /// Needs the feature `idna`. If a host has no ASCII form, it stays. A host whose last label is a number also stays,
    /// because browsers read it as an IPv4 address.
    Idn "idn";
    /// An IPv6 address without its brackets: `http://2001:db8::1/` becomes `http://[2001:db8::1]/` (RFC 3986 3.2.2).
    ///
    /// A port may follow the address. If the last group of digits can be a part of the address or a port, as in
    /// `http://2001:db8::1:80/`, the host stays.
    Ipv6 "ipv6";
}

impl RepairKind {
    /// Returns the reason for a repair of this kind, as one clause.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            RepairKind::Surroundings => "the link was surrounded by blanks, quotes or angle brackets",
            RepairKind::LineBreak => "the link was broken into lines",
            RepairKind::Space => "a URI contains no space",
            RepairKind::NonAscii => "a URI contains only ASCII",
            RepairKind::Percent => "two hexadecimal digits must follow a `%`",
            RepairKind::Bracket => "brackets may only enclose an address in the host",
            RepairKind::Illegal => "in a URI, this character must be encoded",
            RepairKind::UEscape => "`%uXXXX` is no escape of URIs",
            RepairKind::Entity => "the link was copied from HTML source",
            RepairKind::Backslash => "browsers read a backslash as a slash here",
            RepairKind::DoubleEncoded => "the component was encoded twice",
            RepairKind::Punctuation => "brackets, quotes or marks of a sentence were around the link",
            RepairKind::Idn => "the DNS stores names in ASCII",
            RepairKind::Ipv6 => "an IPv6 address must be in brackets",
        }
    }
}
