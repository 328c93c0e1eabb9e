//! Returns encoded output as text. If the set has only ASCII, the output consists of bytes of the set, `%`, `+` and
//! hexadecimal digits. All of them are ASCII, so the output is text.

use super::runs::{NextChanges, Runs};
use super::{pieces, slice};
use crate::codec::Encoding;
use crate::error::OutputTooSmall;
use crate::output::{OutputBuffer, text, unchecked};

/// An encoding by a set that keeps only ASCII. The bytes that it writes and the bytes that it leaves unchanged are all
/// ASCII.
#[derive(Clone, Copy, Debug)]
pub struct AsciiEncoding<'p>(Encoding<'p>);

impl<'p> AsciiEncoding<'p> {
    /// # Panics
    ///
    /// Panics if the set has bytes above ASCII.
    #[inline]
    pub(crate) fn new(encoding: Encoding<'p>) -> AsciiEncoding<'p> {
        assert!(encoding.profile.allowed.is_ascii());
        AsciiEncoding(encoding)
    }

    #[inline]
    pub(crate) fn encoding(self) -> Encoding<'p> {
        self.0
    }

    /// Returns whether triplets are kept. If so, the output for a `%` depends on the next two bytes.
    #[inline]
    pub fn keeps_triplets(self) -> bool {
        self.0.profile.keep_triplets
    }

    /// Writes the output of `src` to the front of `dst`, and returns the output.
    pub(crate) fn slice<'d>(self, src: &[u8], dst: OutputBuffer<'d>) -> Result<&'d str, OutputTooSmall> {
        // SAFETY: `encoded` is the output of an `AsciiEncoding`, which writes only ASCII.
        slice(self.0, src, dst).map(|(encoded, _)| unchecked!(text(encoded)))
    }

    /// Hands the output of `src` to `put`, piece by piece.
    pub(crate) fn pieces<E>(self, src: &[u8], mut put: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        // SAFETY: this encoding has written the piece, or leaves all of its bytes unchanged.
        pieces(self.0, src, |piece| put(unchecked!(text(piece)))).map(|_| ())
    }

    /// Returns the triplet of `byte`.
    #[inline]
    pub(crate) fn triplet(self, byte: u8) -> &'static str {
        // SAFETY: a triplet is `%` and two digits, and all of them are ASCII.
        unchecked!(text(self.0.profile.digits.triplet(byte)))
    }
}

/// Walks over an input from one changed byte to the next. The caller passes the encoding to each call.
#[derive(Clone, Debug)]
pub(crate) struct AsciiRuns<'a>(Runs<'a>);

impl<'a> AsciiRuns<'a> {
    #[inline]
    pub(crate) const fn new(src: &'a [u8]) -> AsciiRuns<'a> {
        AsciiRuns(Runs::new(src))
    }

    /// Returns the input that was not returned yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0.rest()
    }

    /// Returns the next run of unchanged bytes. The run is empty if the next byte changes, or if the input has ended.
    #[inline]
    pub(crate) fn run(&mut self, encoding: AsciiEncoding) -> &'a str {
        let run = self.0.run(|_, rest| next_changes(encoding.0, rest));
        // SAFETY: the encoding keeps every byte of `run`. It encodes all bytes above ASCII, so `run` is ASCII.
        unchecked!(text(run))
    }

    /// Returns the next byte. If you call this after a [`run`](Self::run), it is a byte that the encoder encodes.
    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let &byte = self.0.rest().first()?;
        self.0.take(1);
        Some(byte)
    }
}

/// Finds the first bytes of `src` that change. This function isn't inlined, because its code would take registers in
/// which callers hold their state.
#[inline(never)]
fn next_changes(encoding: Encoding<'_>, src: &[u8]) -> NextChanges {
    /// Up to this length, an input is scanned byte by byte, which takes less time than calling an engine.
    const NEAR: usize = 8;
    if src.len() > NEAR {
        return NextChanges::of(encoding.first_change(src), src.len());
    }
    match encoding.unchanged_len(src) {
        run if run == src.len() => NextChanges::none(run),
        run => NextChanges::one(run),
    }
}
