//! Decodes short inputs.
#![forbid(unsafe_code)]

use super::{Check, SHORT, Short, ShortCodec};
use crate::codec::{Codec, Decoding};
use crate::engine::{KernelRun, Kernels};
use crate::kernel::PlusStart;
use crate::kernel::scalar::{WORD, decode_word, decode_word_in_place};
use crate::output::OutputBuffer;
use crate::words::{WORDS, Words, few_bytes, joined, overlapping};

impl Decoding<'_> {
    /// Decodes a short `buffer` in place. Fails if decoding needs a second buffer. If `refused` is true, also fails if
    /// a `%` is malformed. After a failure, the buffer is unchanged.
    #[inline(always)]
    pub(crate) fn run_in_place(&self, buffer: &mut [u8], refused: bool) -> Short {
        if !self.profile.is_plain(self.plus) {
            return Short::NONE;
        }
        if (0..=WORDS).contains(&buffer.len()) && self.check(buffer).unchanged {
            return Short::written(buffer.len());
        }
        if buffer.len() <= WORD && cfg!(feature = "simd") {
            return decode_word_in_place(buffer, refused);
        }
        let kernels = self.kernels();
        // In place, the code for short inputs takes one block at a time, which is slow for long inputs.
        if buffer.len() > kernels.decode_exact_max().min(SHORT) {
            return Short::NONE;
        }
        kernels.decode_exact_in_place(buffer, refused)
    }

    /// Decodes a short `src`. Supports every option.
    #[inline(never)]
    fn run_options(&self, src: &[u8], dst: OutputBuffer<'_>) -> Short {
        let mut malformed = None;
        let KernelRun { read, out } = self.run(src, dst, &mut malformed);
        if read < src.len() { Short::NONE } else { Short::new(out.len(), malformed.is_some(), true) }
    }

    /// Returns whether each `+` is a space. Returns `None` if the decoder has other options, or if only some `+` are
    /// spaces.
    #[inline(always)]
    fn pluses(&self) -> Option<bool> {
        if self.profile.facts.plain { self.plus.always() } else { None }
    }

    /// Copies `src` to the front of `dst`. Fails if decoding would change `src`, if `src` has more than [`WORDS`]
    /// bytes, or if `dst` is too short.
    #[inline(always)]
    fn copy_unchanged(&self, src: &[u8], dst: OutputBuffer<'_>) -> Short {
        // `copy_words` is compiled once for each of these two closures. If one closure had a branch on `self.plus`, the
        // compiler would keep all words in registers, and other code needs these registers.
        match self.plus {
            PlusStart::NONE => dst.copy_words(src, |words| words.check(b'%').unchanged),
            _ => dst.copy_words(src, |words| words.check(b'+').unchanged),
        }
        .into()
    }
}

impl ShortCodec for Decoding<'_> {
    const IS_CHECK_QUICK: bool = true;
    // Engines with masked stores decode inputs of up to 8,192 bytes. A test for longer inputs would save no time.
    const LONGEST: usize = usize::MAX;

    #[inline(always)] // if it is not inlined, a clean short input takes 1.5 times as long
    fn check(&self, src: &[u8]) -> Check {
        // `look_for` is inlined twice, each time with a constant byte. With a variable byte, most inputs would take a
        // fifth longer.
        match self.plus {
            PlusStart::NONE => look_for(src, b'%'),
            _ => look_for(src, b'+'),
        }
    }

    #[inline(always)]
    fn is_clean(&self, src: &[u8]) -> bool {
        if (0..=WORDS).contains(&src.len()) {
            return self.check(src).unchanged;
        }
        !self.kernels().has_change(self.plus != PlusStart::NONE, src)
    }

    #[inline(always)]
    fn run_in_one_step(
        &self,
        src: &[u8],
        mut dst: OutputBuffer<'_>,
        fallback: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Short,
    ) -> Short {
        let copied = self.copy_unchanged(src, dst.reborrow());
        if copied != Short::NONE {
            return copied;
        }
        let Some(pluses) = self.pluses() else { return fallback(self, src, dst) };
        if src.len() <= WORD && cfg!(feature = "simd") {
            return write_word(src, pluses, dst);
        }
        match Kernels::known(self.engine) {
            Some(kernels) if src.len() <= kernels.decode_exact_max() => dst.decode_exact(kernels, src, pluses),
            _ => fallback(self, src, dst),
        }
    }

    #[inline(always)] // otherwise the result would go through memory
    fn run_with_room(&self, src: &[u8], dst: OutputBuffer<'_>) -> Short {
        if cfg!(not(feature = "simd")) || !self.profile.facts.plain {
            return self.run_options(src, dst);
        }
        if src.len() <= WORD
            && let Some(pluses) = self.pluses()
        {
            let (word, result) = decode_word(src, pluses);
            dst.put_word(word, WORD);
            return result;
        }
        self.kernels().decode_short(self.plus, src, dst)
    }
}

/// Checks whether `src` has neither a `%` nor the byte `plus`. If each `+` stays, the caller passes `%` as `plus`.
#[inline(always)]
fn look_for(src: &[u8], plus: u8) -> Check {
    if cfg!(not(feature = "simd")) {
        return Check { unchanged: !src.iter().any(|&byte| byte == b'%' || byte == plus), ascii: false };
    }
    if src.len() > WORDS {
        let first = if plus == b'%' { crate::find::memchr(b'%', src) } else { crate::find::memchr2(b'%', plus, src) };
        return Check { unchanged: first.is_none(), ascii: false };
    }
    match (overlapping(src), overlapping(src), few_bytes(src)) {
        (Some(words), ..) => find(&joined(words), plus),
        (_, Some(words), _) => find(&words.map(u64::from_le_bytes), plus),
        (.., Some(bytes)) => find_in_bytes(bytes, plus),
        (None, None, None) => Check { unchanged: true, ascii: true },
    }
}

/// Decodes a `src` of at most [`WORD`] bytes into `dst`. If this function were inlined, its caller would have to save
/// registers, even if the caller only copies an unchanged input.
#[inline(never)]
fn write_word(src: &[u8], pluses: bool, dst: OutputBuffer<'_>) -> Short {
    let (word, result) = decode_word(src, pluses);
    match result.len().and_then(|len| dst.put_word(word, len)) {
        Some(()) => result,
        None => Short::NONE,
    }
}

impl Words<'_> {
    /// Checks for a `%` or a `plus`.
    #[inline(always)]
    fn check(self, plus: u8) -> Check {
        match self {
            Words::Long(words) => find(words, plus),
            Words::Bytes(bytes) => find_in_bytes(bytes, plus),
        }
    }
}

/// Checks whether `bytes` has neither a `%` nor the byte `plus`. The CPU predicts the branches, because most bytes are
/// neither of the two.
#[inline(always)]
fn find_in_bytes([a, b, c]: [u8; 3], plus: u8) -> Check {
    let is = |byte: u8| byte == b'%' || byte == plus;
    Check { unchanged: !(is(a) || is(b) || is(c)), ascii: (a | b | c).is_ascii() }
}

/// Checks whether `words` have neither a `%` nor the byte `plus`.
#[inline(always)]
fn find(words: &[u64], plus: u8) -> Check {
    const EACH: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = EACH * 0x80;
    let [percent, plus] = [b'%', plus].map(|byte| EACH * u64::from(byte));
    // In the result of `zero`, the lowest byte that was zero has its highest bit set. If no byte was zero, no highest
    // bit is set.
    let zero = |word: u64| word.wrapping_sub(EACH) & !word;
    let found = words.iter().fold(0, |all, &word| all | zero(word ^ percent) | zero(word ^ plus));
    let high = words.iter().fold(0, |all, &word| all | word);
    Check { unchanged: found & HIGH == 0, ascii: high & HIGH == 0 }
}
