//! Finds the class of a character in each specification of URIs.

use percent_simd::{ByteSet, sets};

/// A specification of URI syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Spec {
    /// RFC 1630 (1994), the BNF for generic URI syntax.
    Rfc1630,
    /// RFC 1738 (1994), section 5.
    Rfc1738,
    /// RFC 1808 (1995), section 2.2.
    Rfc1808,
    /// RFC 2396 (1998), sections 1.6 and 2.
    Rfc2396,
    /// RFC 2732 (1999), section 3. This is RFC 2396, but brackets are reserved.
    Rfc2732,
    /// RFC 3986 (2005), section 2.
    Rfc3986,
}

/// A class of bytes, with its name in the specifications. Each specification has only some of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// `ALPHA / DIGIT / "-" / "." / "_" / "~"` of RFC 3986. This RFC doesn't divide them into smaller classes.
    Unreserved,
    /// Letters and digits, in the specifications up to RFC 2732. They are called `alphanum` or similar, and are
    /// unreserved.
    Alphanumeric,
    /// The unreserved characters of RFC 2396 and 2732 that aren't letters or digits.
    Mark,
    /// `safe`, in the specifications up to RFC 1808. These bytes are unreserved.
    Safe,
    /// `extra`, in the specifications up to RFC 1808. These bytes are unreserved.
    Extra,
    /// `reserved`, in the specifications up to RFC 2732.
    Reserved,
    /// A delimiter between components in RFC 3986. So it is reserved.
    GenDelims,
    /// A delimiter inside a component in RFC 3986. So it is reserved.
    SubDelims,
    /// `national`, in the specifications up to RFC 1808. These bytes are never in a URI.
    National,
    /// `punctuation`, in the specifications up to RFC 1808. These bytes are never in a URI, except `%`, which starts an
    /// escape.
    Punctuation,
    /// `delims` of RFC 2396 and 2732. These bytes are never in a URI, except `%`, which starts an escape.
    Delims,
    /// `unwise` of RFC 2396 and 2732. These bytes are never in a URI.
    Unwise,
    /// `%`, in the specifications that don't put it into another class: RFC 1630 and RFC 3986.
    Escape,
    /// `space` of RFC 2396 and 2732. It is never in a URI. RFC 1630 puts the space into the class `reserved`.
    Space,
    /// The control characters of ASCII. They are never in a URI. RFC 2396 and 2732 call them `control`. The other
    /// specifications have no name for them.
    Control,
    /// Bytes above ASCII. They are never in a URI. No specification has a name for them.
    NonAscii,
    /// A byte that is in no class of this specification. It is never in a URI. The only exception is `+` in RFC 1630: a
    /// URI may contain it by the rule `xpalpha`, which isn't a class.
    Other,
}

impl Class {
    /// Returns true if the specification intends that a character of this class and its triplet mean the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Spec, classify};
    ///
    /// // RFC 3986 made it reserved, so a normalizer must not decode %27.
    /// assert!(classify(b'\'', Spec::Rfc2396).is_unreserved());
    /// assert!(!classify(b'\'', Spec::Rfc3986).is_unreserved());
    /// ```
    #[must_use]
    pub const fn is_unreserved(self) -> bool {
        matches!(self, Class::Unreserved | Class::Alphanumeric | Class::Mark | Class::Safe | Class::Extra)
    }

    /// Returns true if a character of this class may be a delimiter. The triplet of a delimiter can have another
    /// meaning than the raw character.
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        matches!(self, Class::Reserved | Class::GenDelims | Class::SubDelims)
    }
}

type Classes = &'static [(Class, ByteSet)];

const RFC3986: Classes = &[
    (Class::Unreserved, sets::RFC3986_UNRESERVED),
    (Class::GenDelims, sets::RFC3986_GEN_DELIMS),
    (Class::SubDelims, sets::RFC3986_SUB_DELIMS),
    (Class::Escape, ByteSet::of(b"%")),
    (Class::Control, ByteSet::CONTROLS),
];

const MARK: ByteSet = sets::RFC2396_UNRESERVED.difference(sets::ALPHANUMERIC);

const RFC2396: Classes = &[
    (Class::Alphanumeric, sets::ALPHANUMERIC),
    (Class::Mark, MARK),
    (Class::Reserved, ByteSet::of(b";/?:@&=+$,")),
    (Class::Delims, ByteSet::of(b"<>#%\"")),
    (Class::Unwise, ByteSet::of(b"{}|\\^[]`")),
    (Class::Space, ByteSet::of(b" ")),
    (Class::Control, ByteSet::CONTROLS),
];

const RFC2732: Classes = &[
    (Class::Alphanumeric, sets::ALPHANUMERIC),
    (Class::Mark, MARK),
    (Class::Reserved, ByteSet::of(b";/?:@&=+$,[]")),
    (Class::Delims, ByteSet::of(b"<>#%\"")),
    (Class::Unwise, ByteSet::of(b"{}|\\^`")),
    (Class::Space, ByteSet::of(b" ")),
    (Class::Control, ByteSet::CONTROLS),
];

const RFC1738: Classes = &[
    (Class::Alphanumeric, sets::ALPHANUMERIC),
    (Class::Safe, ByteSet::of(b"$-_.+")),
    (Class::Extra, ByteSet::of(b"!*'(),")),
    (Class::Reserved, ByteSet::of(b";/?:@&=")),
    (Class::National, ByteSet::of(b"{}|\\^~[]`")),
    (Class::Punctuation, ByteSet::of(b"<>#%\"")),
    (Class::Control, ByteSet::CONTROLS),
];

const RFC1630: Classes = &[
    (Class::Alphanumeric, sets::ALPHANUMERIC),
    (Class::Safe, ByteSet::of(b"$-_@.&")),
    (Class::Extra, ByteSet::of(b"!*\"'(),")),
    (Class::Reserved, ByteSet::of(b"=;/#?: ")),
    (Class::National, ByteSet::of(b"{}|[]\\^~")),
    (Class::Punctuation, ByteSet::of(b"<>")),
    (Class::Escape, ByteSet::of(b"%")),
    (Class::Control, ByteSet::CONTROLS),
];

impl Spec {
    /// All specifications, the oldest first.
    pub const ALL: [Spec; 6] =
        [Spec::Rfc1630, Spec::Rfc1738, Spec::Rfc1808, Spec::Rfc2396, Spec::Rfc2732, Spec::Rfc3986];

    const fn classes(self) -> Classes {
        match self {
            Spec::Rfc1630 => RFC1630,
            Spec::Rfc1738 | Spec::Rfc1808 => RFC1738,
            Spec::Rfc2396 => RFC2396,
            Spec::Rfc2732 => RFC2732,
            Spec::Rfc3986 => RFC3986,
        }
    }

    /// Returns the bytes of a class in this specification. If the specification lacks the class, the set is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::ByteSet;
    /// use percent_standards::uri::{Class, Spec};
    ///
    /// assert_eq!(Spec::Rfc1738.bytes(Class::Safe), ByteSet::of(b"$-_.+"));
    /// assert!(Spec::Rfc3986.bytes(Class::Safe).is_empty());
    /// ```
    #[must_use]
    pub const fn bytes(self, class: Class) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        let mut byte = 0;
        while byte < 256 {
            if classify(byte as u8, self) as u8 == class as u8 {
                bytes = bytes.with(byte as u8);
            }
            byte += 1;
        }
        bytes
    }

    /// Returns the unreserved bytes of this specification. Each of them means the same as its triplet.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::ByteSet;
    /// use percent_standards::uri::Spec;
    ///
    /// // The two RFCs disagree: does %21 mean the same as `!`?
    /// let reserved_since = Spec::Rfc2396.unreserved() - Spec::Rfc3986.unreserved();
    /// assert_eq!(reserved_since, ByteSet::of(b"!'()*"));
    /// ```
    #[must_use]
    pub const fn unreserved(self) -> ByteSet {
        let new = self.bytes(Class::Unreserved).union(self.bytes(Class::Alphanumeric));
        new.union(self.bytes(Class::Mark)).union(self.bytes(Class::Safe)).union(self.bytes(Class::Extra))
    }

    /// Returns the reserved bytes of this specification. Each of them may be a delimiter.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Spec;
    ///
    /// assert!(Spec::Rfc2732.reserved().contains(b'[') && !Spec::Rfc2396.reserved().contains(b'['));
    /// ```
    #[must_use]
    pub const fn reserved(self) -> ByteSet {
        self.bytes(Class::Reserved).union(self.bytes(Class::GenDelims)).union(self.bytes(Class::SubDelims))
    }
}

/// Returns the class of a byte, according to `spec`.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{Class, Spec, classify};
///
/// let history = Spec::ALL.map(|spec| classify(b'~', spec));
/// assert_eq!(history[0], Class::National); // must be encoded (1994)
/// assert_eq!(history[3], Class::Mark); // unreserved (1998)
/// assert_eq!(history[5], Class::Unreserved);
/// assert_eq!(classify(b'+', Spec::Rfc1738), Class::Safe);
/// assert_eq!(classify(b'+', Spec::Rfc3986), Class::SubDelims);
/// ```
#[must_use]
pub const fn classify(byte: u8, spec: Spec) -> Class {
    let classes = spec.classes();
    let mut i = 0;
    while i < classes.len() {
        if classes[i].1.contains(byte) {
            return classes[i].0;
        }
        i += 1;
    }
    if byte < 0x80 { Class::Other } else { Class::NonAscii }
}
