//! Rewrites a component so that exactly the bytes that need encoding are encoded.

use alloc::borrow::Cow;

use percent_simd::{ByteSet, Decoder, Encoder};

use super::pieces::into_text;

/// Rewrites a component so that exactly the characters that need encoding are encoded.
///
/// Use this for a component that comes from a user or another program. In the component, too few or too many characters
/// may be encoded. Routers and HTTP clients requote in the same way. Requoting makes four changes:
///
/// - A triplet of an allowed character is decoded.
/// - A character that isn't allowed is encoded.
/// - A `%` that starts no triplet becomes `%25`.
/// - Every other triplet gets upper-case digits.
///
/// A [protected](Self::protect) character stays as it is written: raw, or as a triplet. Protect a character if its two
/// forms have different meanings.
///
/// Requoting a second time has no effect. If you protect exactly the delimiters of the component, the parts between
/// these delimiters decode to the same text as before.
///
/// Don't requote a whole reference, because that would decode its delimiters. For a reference, call
/// [`sanitize`](super::sanitize).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::Requoter;
/// use percent_simd::{ByteSet, sets};
///
/// // A path. `/` separates segments, and some servers read `+` as a space.
/// const PATH: Requoter = Requoter::new(sets::RFC3986_PATH).protect(ByteSet::of(b"/+"));
/// assert_eq!(PATH.requote("/caf%c3%a9/%7Euser/a%2fb c%40%"), "/caf%C3%A9/~user/a%2Fb%20c@%25");
///
/// // A query of pairs.
/// const QUERY: Requoter = Requoter::new(sets::RFC3986_QUERY).protect(ByteSet::of(b"&=+;"));
/// assert_eq!(QUERY.requote("a%3Db=c%2Fd&e='%27"), "a%3Db=c/d&e=''");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Requoter {
    escape: Encoder,
    unescape: Decoder,
}

impl Requoter {
    /// Creates a requoter for a component in which the characters of `allowed` need no encoding.
    ///
    /// `allowed` is a set of [`sets`](percent_simd::sets). `%` and bytes above ASCII are always encoded, even if they
    /// are in `allowed`.
    #[must_use]
    pub const fn new(allowed: ByteSet) -> Requoter {
        let allowed = allowed.intersection(ByteSet::ASCII).without(b'%');
        Requoter {
            escape: Encoder::new(allowed).keep_triplets(),
            unescape: Decoder::new().keep_upper(allowed.complement()),
        }
    }

    /// Keeps the characters of `protected` as they are written: raw, or as triplets.
    ///
    /// If the component doesn't allow a raw character, this character is encoded even if it is protected.
    #[must_use]
    pub const fn protect(self, protected: ByteSet) -> Requoter {
        let allowed = self.escape.allowed();
        let decoded = allowed.difference(protected);
        Requoter { escape: self.escape, unescape: Decoder::new().keep_upper(decoded.complement()) }
    }

    /// Requotes `text`. If no change is needed, borrows it.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn requote<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // We encode first. After that, every `%` starts a triplet, so decoding can't complete a malformed `%` to a
        // triplet.
        match self.escape.encode(text) {
            Cow::Borrowed(text) => match self.unescape.decode(text) {
                Cow::Borrowed(_) => Cow::Borrowed(text),
                Cow::Owned(bytes) => Cow::Owned(into_text(bytes)),
            },
            Cow::Owned(escaped) => match self.unescape.decode(&escaped) {
                Cow::Borrowed(_) => Cow::Owned(escaped),
                Cow::Owned(bytes) => Cow::Owned(into_text(bytes)),
            },
        }
    }
}
