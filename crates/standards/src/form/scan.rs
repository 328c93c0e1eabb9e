//! Finds the pairs of a form in one pass, in blocks of 64 bytes. Each block begins at the start of a pair.

use core::ops::Range;

use percent_simd::{
    ByteSet, DecodeError, DecodeErrorKind, Decoder, Engine, Plus,
    internal::{ScannedForm, malformed},
};

use super::ParseError;
#[cfg(feature = "alloc")]
use super::block;
#[cfg(feature = "serde")]
use super::serde::Config;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// Decodes a name or value as [`parse`](super::parse()) does. For example, it decodes the name of a [`Pair`].
///
/// A `+` becomes a space before triplets are decoded, so `%2B` becomes a plus sign ([URL Standard
/// 5.1](https://url.spec.whatwg.org/#urlencoded-parsing), from step 3.4).
///
/// # Examples
///
/// ```
/// use percent_standards::form;
/// assert_eq!(form::DECODER.decode("1+%2B+1"), &b"1 + 1"[..]);
/// ```
pub const DECODER: Decoder = Decoder::new().plus(Plus::Always);

#[derive(Clone, Copy, Debug)]
pub(super) struct ParseOptions {
    /// A second byte that ends a pair. The first is always `&`. If [`Parser::semicolons`](super::Parser::semicolons) is set, the second is `;`.
    /// Otherwise it is `&` again.
    pub(super) separator: u8,
    pub(super) strict: bool,
    pub(super) limit: usize,
    /// The bytes that no decoded name or value may have.
    pub(super) reject: ByteSet,
    #[cfg(feature = "serde")]
    pub(super) config: Config,
    pub(super) engine: Option<&'static Engine>,
}

/// An undecoded pair. [`DECODER`] decodes its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair<'a> {
    /// The offset of the pair and of its name, in bytes of the input.
    pub offset: usize,
    /// The text before the first `=`. If there is no `=`, this is the whole pair.
    pub name: &'a [u8],
    /// The text after the first `=`, if there is one.
    pub value: Option<&'a [u8]>,
}

impl<'a> Pair<'a> {
    /// Returns the name and the value. A missing value is empty.
    fn parts(&self) -> (&'a [u8], &'a [u8]) {
        (self.name, self.value.unwrap_or_default())
    }

    /// Returns the offset of the value, in bytes of the input. If there is no value, this is the offset of the end of
    /// the pair.
    #[must_use]
    pub const fn value_offset(&self) -> usize {
        self.offset + self.name.len() + self.value.is_some() as usize
    }
}

/// The position of a pair: the start of the pair, the end of its name, and the end of the pair. All three are offsets
/// from the start of the block. A block begins at the start of a pair. If this first pair is longer than the block, it
/// is the only pair of the block.
#[derive(Clone, Copy)]
pub(super) struct Span {
    start: usize,
    equals: usize,
    end: usize,
}

impl Span {
    #[inline]
    pub(super) fn is_in_block(self) -> bool {
        self.end <= ScannedForm::LEN
    }

    #[inline]
    pub(super) fn name(self) -> Range<usize> {
        self.start..self.equals
    }

    /// Returns the lanes of the value. If there is no `=`, the range is empty.
    #[inline]
    pub(super) fn value(self) -> Range<usize> {
        self.end.min(self.equals + 1)..self.end
    }
}

/// Finds one pair after the other. One scan finds the ends of all pairs in a block, and decodes the whole block. If the
/// next pair doesn't end in this block, a new block begins with this pair. If a pair is longer than a block, a
/// [`Decoder`] decodes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairScanner<'a> {
    options: ParseOptions,
    input: &'a [u8],
    /// The offset of the block in the input.
    base: usize,
    pub(super) block: ScannedForm<'a>,
    /// The lane where the search continues.
    at: usize,
    /// The number of pairs found.
    found: usize,
}

impl<'a> PairScanner<'a> {
    #[inline]
    pub(super) fn new(options: ParseOptions, input: &'a [u8]) -> PairScanner<'a> {
        PairScanner { options, input, base: 0, block: ScannedForm::default(), at: 0, found: 0 }
    }

    /// Scans the block at `base`.
    #[inline(never)]
    fn scan(&mut self, base: usize) {
        self.block.scan(self.options.engine, &self.input[base..], self.options.separator);
        (self.base, self.at) = (base, 0);
    }

    /// Returns the next pair that is not empty.
    #[inline(always)]
    pub(super) fn next_pair(&mut self) -> Option<Span> {
        loop {
            let (start, seen) = (self.at, self.block.src().len());
            let lanes_left = u64::MAX.unbounded_shl(start as u32);
            let separators = self.block.separators() & lanes_left;
            if separators == 0 && self.base + seen < self.input.len() {
                if start == 0 && seen != 0 {
                    return Some(self.long_pair());
                }
                self.scan(self.base + start);
                continue;
            }
            if start >= seen {
                return None;
            }
            let end = seen.min(separators.trailing_zeros() as usize);
            self.at = end + 1;
            if start < end {
                let equals = end.min((self.block.equals() & lanes_left).trailing_zeros() as usize);
                return Some(Span { start, equals, end });
            }
        }
    }

    /// Returns the pair at the start of the block, which is longer than the block.
    #[inline(never)]
    fn long_pair(&mut self) -> Span {
        let rest = &self.input[self.base..];
        let beyond = &rest[ScannedForm::LEN..];
        let end = ScannedForm::LEN + memchr::memchr2(b'&', self.options.separator, beyond).unwrap_or(beyond.len());
        self.at = rest.len().min(end + 1);
        Span { start: 0, equals: memchr::memchr(b'=', &rest[..end]).unwrap_or(end), end }
    }

    /// Returns a pair of the current block, undecoded.
    #[inline]
    pub(super) fn raw(&self, pair: Span) -> Pair<'a> {
        let value = (pair.equals < pair.end).then(|| self.part(pair.value()));
        Pair { offset: self.base + pair.start, name: self.part(pair.name()), value }
    }

    /// Returns a name or a value, undecoded.
    #[inline]
    pub(super) fn part(&self, part: Range<usize>) -> &'a [u8] {
        &self.input[self.base..][part]
    }

    /// Returns the next pair. If this pair exceeds the limit on the number of pairs, returns an error.
    #[inline(always)]
    pub(super) fn next_within_limit(&mut self) -> Option<Result<Span, ParseError>> {
        let limit = self.options.limit;
        if self.found > limit {
            return None;
        }
        let pair = self.next_pair()?;
        self.found += 1;
        if self.found > limit {
            return Some(Err(ParseError::TooManyPairs { limit, offset: self.raw(pair).offset }));
        }
        Some(Ok(pair))
    }

    /// Returns true if this pair needs a check: it may have a rejected byte, or a malformed escape that is an error.
    #[inline]
    pub(super) fn is_suspect(&self, pair: Span) -> bool {
        self.options.strict && (!pair.is_in_block() || self.block.is_malformed(&(pair.start..pair.end)))
            || !self.options.reject.is_empty()
    }

    /// Returns the next pair. If this pair exceeds the limit on the number of pairs, or fails a check of the options,
    /// returns an error.
    // This function is inlined, and `check` doesn't return the pair. So the three offsets of the pair stay in
    // registers.
    #[inline(always)]
    pub(super) fn next_checked(&mut self) -> Option<Result<Span, ParseError>> {
        let pair = match self.next_within_limit()? {
            Ok(pair) => pair,
            Err(error) => return Some(Err(error)),
        };
        if self.is_suspect(pair)
            && let Err(error) = self.check(pair)
        {
            return Some(Err(error));
        }
        Some(Ok(pair))
    }

    /// Returns the first error of the pair.
    #[inline(never)]
    fn check(&self, pair: Span) -> Result<(), ParseError> {
        let raw = self.raw(pair);
        let (name, value) = raw.parts();
        self.check_part(name, raw.offset)?;
        self.check_part(value, raw.value_offset())
    }

    /// Checks a name or a value that starts at `offset`.
    fn check_part(&self, part: &[u8], offset: usize) -> Result<(), ParseError> {
        let malformed = if self.options.strict { self.decoder().strict().check(part).err() } else { None };
        let rejected = first_rejected(part, self.options.reject);
        match (malformed, rejected) {
            (Some(error), None) => Err(self.placed(error.shifted(offset))),
            (Some(error), Some((at, _))) if error.offset < at => Err(self.placed(error.shifted(offset))),
            (_, Some((at, byte))) => Err(ParseError::Rejected { byte, offset: offset + at }),
            (None, None) => Ok(()),
        }
    }

    /// Converts the error of a name or value into an error of the whole input. If a value ends with `%4`, the decoder
    /// reports [`Truncated`](DecodeErrorKind::Truncated), because it sees only the value. But if a delimiter follows
    /// the `%4` in the input, the right error is [`NotHex`](DecodeErrorKind::NotHex).
    #[cold]
    fn placed(&self, error: DecodeError) -> ParseError {
        let is_malformed = matches!(error.kind, DecodeErrorKind::Truncated | DecodeErrorKind::NotHex);
        ParseError::Decode(if is_malformed { malformed(self.input, error.offset) } else { error })
    }

    #[inline]
    pub(super) fn decoder(&self) -> Decoder {
        match self.options.engine {
            Some(engine) => DECODER.with_engine(engine),
            None => DECODER,
        }
    }

    /// Returns an upper limit for the number of remaining pairs.
    pub(super) fn max_pairs_left(&self) -> usize {
        (self.input.len() - self.input.len().min(self.base + self.at)).div_ceil(2)
    }
}

#[cfg(feature = "alloc")]
impl<'a> PairScanner<'a> {
    /// Returns the name and the value of a pair that fits into the block, is ASCII, and isn't changed by decoding. Most
    /// pairs are like this. For all other pairs, returns `None`.
    #[inline(always)]
    pub(super) fn borrowed_ascii(&self, pair: Span) -> Option<(&'a str, &'a str)> {
        if pair.is_in_block() { self.block.borrowed_ascii(pair.start, pair.equals, pair.end) } else { None }
    }

    #[inline(always)]
    pub(super) fn lossy(&self, pair: Span) -> (Cow<'a, str>, Cow<'a, str>) {
        if pair.is_in_block() {
            return (self.text_lossy(pair.name()), self.text_lossy(pair.value()));
        }
        self.long_lossy(pair)
    }

    /// Decodes the name or value at `part` of the block.
    #[inline(always)]
    fn text_lossy(&self, part: Range<usize>) -> Cow<'a, str> {
        block::text(&self.block, &part).unwrap_or_else(|| self.replaced(part.start, part.end))
    }

    #[cold]
    fn replaced(&self, start: usize, end: usize) -> Cow<'a, str> {
        self.decoder().decode_utf8_lossy(self.part(start..end))
    }

    #[inline(never)]
    fn long_lossy(&self, pair: Span) -> (Cow<'a, str>, Cow<'a, str>) {
        let (name, value) = self.raw(pair).parts();
        (self.decoder().decode_utf8_lossy(name), self.decoder().decode_utf8_lossy(value))
    }

    #[inline(always)]
    pub(super) fn bytes(&self, pair: Span) -> (Cow<'a, [u8]>, Cow<'a, [u8]>) {
        if pair.is_in_block() {
            return (block::bytes(&self.block, &pair.name()), block::bytes(&self.block, &pair.value()));
        }
        self.long_bytes(pair)
    }

    #[inline(never)]
    fn long_bytes(&self, pair: Span) -> (Cow<'a, [u8]>, Cow<'a, [u8]>) {
        let (name, value) = self.raw(pair).parts();
        (self.decoder().decode(name), self.decoder().decode(value))
    }

    #[inline(always)]
    pub(super) fn utf8(&self, pair: Span) -> Result<(Cow<'a, str>, Cow<'a, str>), ParseError> {
        if pair.is_in_block()
            && !self.is_suspect(pair)
            && let Some(name) = block::text(&self.block, &pair.name())
            && let Some(value) = block::text(&self.block, &pair.value())
        {
            return Ok((name, value));
        }
        self.long_utf8(pair)
    }

    /// Does the same as [`utf8`](Self::utf8) for a pair that is longer than the block, isn't UTF-8, or needs a check of
    /// the options (see [`is_suspect`](Self::is_suspect)).
    #[inline(never)]
    fn long_utf8(&self, pair: Span) -> Result<(Cow<'a, str>, Cow<'a, str>), ParseError> {
        let text = |part, before| {
            if !self.options.reject.is_empty() {
                self.check_part(part, before)?;
            }
            let text = if self.options.strict {
                self.decoder().strict().decode_utf8(part)
            } else {
                self.decoder().decode_utf8(part)
            };
            text.map_err(|error| self.placed(error.shifted(before)))
        };
        let raw = self.raw(pair);
        let (name, value) = raw.parts();
        Ok((text(name, raw.offset)?, text(value, raw.value_offset())?))
    }
}

/// `part` is an undecoded name or value. Returns the first byte of the decoded text that is in `set`, and its offset in
/// `part`.
fn first_rejected(part: &[u8], set: ByteSet) -> Option<(usize, u8)> {
    if set.is_empty() {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut at = 0;
    while at < part.len() {
        let (byte, len) = match &part[at..] {
            [b'%', high, low, ..] => match (digit(high), digit(low)) {
                (Some(high), Some(low)) => ((high * 16 + low) as u8, 3),
                _ => (b'%', 1),
            },
            [b'+', ..] => (b' ', 1),
            rest => (rest[0], 1),
        };
        if set.contains(byte) {
            return Some((at, byte));
        }
        at += len;
    }
    None
}
