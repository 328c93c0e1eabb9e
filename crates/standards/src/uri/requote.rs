//! Rewrites a component so that exactly the bytes that need encoding are encoded.

use alloc::borrow::Cow;

use percent_simd::{ByteSet, Decoder, Encoder};

use super::pieces::into_text;

/// Rewrites a component of unknown percent-encoding so that exactly what has to be encoded is.
///
/// As routers and clients do with what users type and peers send: triplets whose character the component allows are
/// decoded, characters that it does not allow are encoded, a `%` that starts no triplet becomes `%25`, and all other
/// triplets get digits in upper case. A character that is [protected](Self::protect) stays as it is written, raw or as
/// a triplet, because the two differ in meaning there.
///
/// Requoting twice is requoting once. Where only delimiters of the component are protected, what it decodes to, split
/// by those, does not change. It is for components: of a whole reference it would decode delimiters, for that
/// [`sanitize`](super::sanitize) is made.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::Requoter;
/// use percent_simd::{ByteSet, sets};
///
/// // A path: `/` separates segments, and some servers take `+` for a space.
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
    /// Creates a requoter for a component in which the characters of `allowed` may stand unencoded: a set of
    /// [`sets`](percent_simd::sets).
    ///
    /// `%` and bytes above ASCII may not, whether they are in `allowed` or not.
    #[must_use]
    pub const fn new(allowed: ByteSet) -> Requoter {
        let allowed = allowed.intersection(ByteSet::ASCII).without(b'%');
        Requoter {
            escape: Encoder::new(allowed).keep_triplets(),
            unescape: Decoder::new().keep_upper(allowed.complement()),
        }
    }

    /// Leaves characters of `protected` as they are written, raw or as triplets. Those that the component does not
    /// allow are encoded nevertheless where they are raw.
    #[must_use]
    pub const fn protect(self, protected: ByteSet) -> Requoter {
        let allowed = self.escape.allowed();
        let decoded = allowed.difference(protected);
        Requoter { escape: self.escape, unescape: Decoder::new().keep_upper(decoded.complement()) }
    }

    /// Returns `text` requoted; borrows where nothing changes.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[must_use]
    pub fn requote<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // Once every `%` starts a triplet, decoding makes no new one.
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
