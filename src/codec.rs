//! Defines [`Codec`], which sinks call, and its two directions: [`Encoding`] and [`Decoding`], each a profile and an engine.
#![forbid(unsafe_code)]

use crate::engine::{DecodeSetup, Done, Engine, Kernels, OutputBuffer, WORDS, Words, few_bytes, joined, overlapping};
use crate::error::DecodeError;
use crate::isa::{COMPACTED, EXPANDED, FEW};
use crate::kernel::encode::EXACT as ENCODE_EXACT;
use crate::kernel::scalar::{SHORT, WORD, decode_word, decode_word_in_place};
use crate::kernel::{self, EncodeProfile, Facts, FirstChange, PlusStart, Scan, ShortFlags, Written};
use crate::triplet::complete_triplets_len;

/// One direction, as the sinks see it.
pub(crate) trait Codec: Copy {
    /// Bytes of output for an input of `src`, up to where that would stop; `None` if that does not fit a `usize`.
    fn output_len(&self, src: &[u8]) -> Option<usize>;
    /// Like [`output_len`](Self::output_len), but quicker: perhaps less where something is malformed, and up to a third more where
    /// triplets are kept.
    fn estimated_len(&self, src: &[u8]) -> Option<usize>;
    /// Returns the result of a run that would write `src` itself; `None` if anything changes.
    fn result_if_unchanged(&self, src: &[u8]) -> Option<CodecResult>;
    /// Returns how many bytes come out as they are before the first that do not, or that stop the run.
    fn unchanged_prefix_len(&self, src: &[u8]) -> usize;
    /// Bytes of output for one of input, at most.
    const GROWTH: usize;
    /// Bytes that a kernel may write after its output.
    const SLACK: usize;
    /// Returns whether `dst` has room for the longest that can come of a short `src`, and for what a kernel may write behind it.
    #[inline(always)]
    fn has_room(src: &[u8], dst: &OutputBuffer<'_>) -> bool {
        Self::GROWTH * src.len() + Self::SLACK <= dst.len()
    }
    /// Runs over `src` as far as `dst` has room. Decoding puts the offset of the first `%` that starts no triplet into
    /// `malformed`, if that is none.
    fn run<'d>(&self, src: &[u8], dst: OutputBuffer<'d>, malformed: &mut Option<usize>) -> Done<'d>;
    /// Runs over all of `src` into a `dst` that may be too short, if `src` is short and this takes one step; by `otherwise` if not.
    /// Returns how many bytes that makes; nothing, whatever `dst` holds then, where that is too short, or something is malformed.
    fn run_direct(
        &self,
        src: &[u8],
        dst: OutputBuffer<'_>,
        otherwise: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Written,
    ) -> Written;
    /// Runs over all of `src`, which is short, into a `dst` that [has room](Self::has_room).
    fn run_short<'d>(&self, src: &[u8], dst: OutputBuffer<'d>) -> ShortRun<'d>;
    /// Runs over a `src` of a word at most, if this codec does so in a register, and nothing is malformed. Returns the output, its first
    /// byte in the lowest bits, and its length.
    fn run_word(&self, src: &[u8]) -> Option<(u64, usize)>;
    /// Returns whether a `%` that starts no triplet stops this codec.
    fn is_strict(&self) -> bool;
    /// Returns the error at `at`, where a run over `src` has ended; `None` if the output was full.
    fn error_at(&self, src: &[u8], at: usize) -> Option<DecodeError>;
    /// Returns what follows from the options.
    fn facts(&self) -> Facts;
    /// Checks a short `src`, as far as that takes less time than a call of an engine.
    fn quick_check(&self, src: &[u8]) -> QuickCheck;
    /// The codec for the input without its first `read` bytes.
    fn advanced(self, read: usize) -> Self;
    /// Length of the longest prefix of `src` that comes out the same whatever follows it.
    fn decided_len(&self, src: &[u8]) -> usize;
}

/// Encoding with an engine, the active one if none is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding<'p> {
    pub(crate) profile: &'p EncodeProfile,
    pub(crate) engine: Option<&'static Engine>,
}

/// Decoding with an engine, the active one if none is given.
#[derive(Clone, Copy)]
pub(crate) struct Decoding<'p> {
    pub(crate) profile: &'p DecodeSetup,
    pub(crate) plus: PlusStart,
    pub(crate) engine: Option<&'static Engine>,
}

impl Encoding<'_> {
    #[inline]
    pub(crate) fn kernels(&self) -> Kernels {
        Kernels::of(self.engine)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> Option<usize> {
        self.firsts(src).offset()
    }

    /// Returns the kernels that short inputs are encoded by directly, if there are no options, and if an engine has been chosen: nothing
    /// is called.
    #[inline(always)]
    fn direct(&self) -> Option<Kernels> {
        if self.profile.facts.plain { Kernels::known(self.engine) } else { None }
    }

    /// Encodes a `src` of few bytes into a `dst` that may be no longer than the output, if this needs no buffer in between. Returns how
    /// many bytes that makes.
    #[inline(always)]
    pub(crate) fn encode_exact(&self, src: &[u8], dst: OutputBuffer<'_>) -> Option<usize> {
        let kernels = self.direct().filter(|kernels| src.len() <= ENCODE_EXACT && kernels.encodes_exactly())?;
        dst.encode_exact(kernels, self.profile, src).len()
    }

    /// The first bytes that would not stay.
    #[inline]
    pub(crate) fn firsts(&self, src: &[u8]) -> FirstChange {
        self.kernels().encode_first(self.profile, src)
    }

    /// Returns the length of the longest prefix of `src` that stays as it is. Runs are short in most texts: the first bytes
    /// are examined one by one before an engine is called.
    #[inline]
    pub(crate) fn unchanged_len(&self, src: &[u8]) -> usize {
        const NEAR: usize = 16;
        let EncodeProfile { allowed, plus, keep_triplets, .. } = *self.profile;
        if keep_triplets || plus && allowed.contains(b' ') {
            return self.unchanged_beyond(src, 0);
        }
        let near = src.len().min(NEAR);
        match src[..near].iter().position(|&byte| !allowed.contains(byte)) {
            Some(run) => run,
            None if near == src.len() => near,
            None => self.unchanged_beyond(src, near),
        }
    }

    /// Like [`unchanged_len`](Self::unchanged_len), of a `src` whose first `known` bytes stay.
    #[inline(never)]
    fn unchanged_beyond(&self, src: &[u8], known: usize) -> usize {
        self.first(&src[known..]).map_or(src.len(), |run| known + run)
    }
}

impl Codec for Encoding<'_> {
    const GROWTH: usize = 3;
    const SLACK: usize = EXPANDED;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        self.kernels().encode_count(self.profile, src).checked_mul(2)?.checked_add(src.len())
    }

    #[inline]
    fn estimated_len(&self, src: &[u8]) -> Option<usize> {
        self.output_len(src)
    }

    fn result_if_unchanged(&self, src: &[u8]) -> Option<CodecResult> {
        let same = CodecResult { written: src.len(), error: None, malformed: None };
        self.first(src).is_none().then_some(same)
    }

    fn unchanged_prefix_len(&self, src: &[u8]) -> usize {
        self.first(src).unwrap_or(src.len())
    }

    #[inline]
    fn run<'d>(&self, src: &[u8], dst: OutputBuffer<'d>, _: &mut Option<usize>) -> Done<'d> {
        self.kernels().encode(self.profile, src, dst)
    }

    #[inline(always)]
    fn run_direct(
        &self,
        src: &[u8],
        dst: OutputBuffer<'_>,
        otherwise: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Written,
    ) -> Written {
        let Some(kernels) = self.direct() else { return otherwise(self, src, dst) };
        match src.len() {
            1..=FEW if src.len() <= dst.len() => dst.encode_few(kernels, self.profile, src),
            0 => Written::all(0),
            n if n <= SHORT && Self::has_room(src, &dst) => dst.encode_short(kernels, self.profile, src),
            // Masked stores take longer than those of whole registers, but less time than a copy.
            n if n <= ENCODE_EXACT && kernels.encodes_exactly() => dst.encode_exact(kernels, self.profile, src),
            _ => otherwise(self, src, dst),
        }
    }

    #[inline(always)] // what it returns would go through memory
    fn run_short<'d>(&self, src: &[u8], mut dst: OutputBuffer<'d>) -> ShortRun<'d> {
        if (1..=FEW).contains(&src.len())
            && let Some(kernels) = self.direct()
            && let Some(written) = dst.reborrow().encode_few(kernels, self.profile, src).len()
        {
            return ShortRun { out: dst.written(written), flags: ENCODED };
        }
        ShortRun { out: self.kernels().encode_short(self.profile, src, &[], dst), flags: ENCODED }
    }

    #[inline(always)]
    fn run_word(&self, _: &[u8]) -> Option<(u64, usize)> {
        None
    }

    #[inline]
    fn is_strict(&self) -> bool {
        false
    }

    #[inline]
    fn error_at(&self, _: &[u8], _: usize) -> Option<DecodeError> {
        None
    }

    #[inline]
    fn facts(&self) -> Facts {
        self.profile.facts
    }

    #[inline(always)] // by a call, few clean bytes take half as long again
    fn quick_check(&self, src: &[u8]) -> QuickCheck {
        let unchanged = match src.len() {
            0 => true,
            1..=FEW => self.direct().is_some_and(|kernels| {
                OutputBuffer::new(&mut []).encode_few(kernels, self.profile, src).len().is_some()
            }),
            _ => false,
        };
        QuickCheck { unchanged, ascii: unchanged }
    }

    fn advanced(self, _: usize) -> Self {
        self
    }

    #[inline]
    fn decided_len(&self, src: &[u8]) -> usize {
        if self.profile.keep_triplets { complete_triplets_len(src) } else { src.len() }
    }
}

impl Decoding<'_> {
    #[inline]
    pub(crate) fn kernels(&self) -> Kernels {
        Kernels::of(self.engine)
    }

    #[inline]
    pub(crate) fn count(&self, src: &[u8]) -> (usize, Scan) {
        self.kernels().decode_count(self.profile, self.plus, src)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> (Option<usize>, Scan) {
        self.kernels().decode_first(self.profile, self.plus, src)
    }

    /// Runs over a short `src` with every option.
    #[inline(never)]
    fn run_short_options<'d>(&self, src: &[u8], dst: OutputBuffer<'d>) -> ShortRun<'d> {
        let mut malformed = None;
        let Done { read, out } = self.run(src, dst, &mut malformed);
        ShortRun { out, flags: ShortFlags { malformed: read < src.len() || malformed.is_some(), high: true } }
    }

    /// Like [`run_exact`](Codec::run_exact), into the front of a short `buffer`. If that returns `None`, it has done nothing.
    #[inline(always)]
    pub(crate) fn run_exact_in_place(&self, buffer: &mut [u8]) -> Option<usize> {
        if !self.profile.is_plain(self.plus) {
            return None;
        }
        if (0..=WORDS).contains(&buffer.len()) && self.quick_check(buffer).unchanged {
            return Some(buffer.len());
        }
        if buffer.len() <= WORD {
            return decode_word_in_place(buffer);
        }
        let kernels = self.kernels();
        if buffer.len() > kernels.exact_len() {
            return None;
        }
        kernels.decode_exact_in_place(buffer)
    }

    /// Returns whether every `+` is a space, if every triplet is decoded; `None` if there is more to do, or a `+` is one only from some
    /// offset on.
    #[inline(always)]
    fn pluses(&self) -> Option<bool> {
        match self.plus {
            _ if !self.profile.facts.plain => None,
            PlusStart::NONE => Some(false),
            PlusStart::ALL => Some(true),
            _ => None,
        }
    }

    /// Copies `src` to the front of `dst`, if that takes less time than a call, there is space, and nothing changes. Returns how many
    /// bytes those are.
    #[inline(always)]
    fn copy_unchanged(&self, src: &[u8], dst: OutputBuffer<'_>) -> Option<usize> {
        // Two copies of all: a branch within the check would keep all of its words in registers.
        match self.plus {
            PlusStart::NONE => dst.copy_words(src, |words| words.check(b'%').unchanged),
            _ => dst.copy_words(src, |words| words.check(b'+').unchanged),
        }
    }

    /// Returns the byte that may become a space, or `%`.
    #[inline(always)]
    fn plus_byte(&self) -> u8 {
        if self.plus == PlusStart::NONE { b'%' } else { b'+' }
    }

    /// The first bytes that would not stay; none if decoding stops before them.
    pub(crate) fn firsts(&self, src: &[u8]) -> FirstChange {
        self.kernels().decode_firsts(self.profile, self.plus, src).0
    }
}

impl Codec for Decoding<'_> {
    const GROWTH: usize = 1;
    const SLACK: usize = COMPACTED;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        let (triplets, scanned) = self.count(src);
        Some(scanned.stopped_at - 2 * triplets)
    }

    #[inline]
    fn estimated_len(&self, src: &[u8]) -> Option<usize> {
        if cfg!(percent_simd_small) {
            return self.output_len(src);
        }
        // If each `%` starts a triplet that is decoded, counting them will do.
        let least = src.len().saturating_sub(2 * self.kernels().count_percent(src));
        if self.profile.keep.is_none() {
            return Some(least);
        }
        // To count those that are kept takes as long as to decode: where it could save no more than a quarter, it is not done.
        if src.len() - least <= src.len() / 4 { Some(src.len()) } else { self.output_len(src) }
    }

    fn result_if_unchanged(&self, src: &[u8]) -> Option<CodecResult> {
        let (first, scanned) = self.first(src);
        let same = CodecResult { written: src.len(), error: None, malformed: scanned.malformed };
        (first.is_none() && scanned.stopped_at == src.len()).then_some(same)
    }

    fn unchanged_prefix_len(&self, src: &[u8]) -> usize {
        let (first, scanned) = self.first(src);
        first.unwrap_or(scanned.stopped_at)
    }

    #[inline]
    fn run<'d>(&self, src: &[u8], dst: OutputBuffer<'d>, malformed: &mut Option<usize>) -> Done<'d> {
        self.kernels().decode(self.profile, self.plus, src, dst, malformed)
    }

    #[inline(always)]
    fn run_direct(
        &self,
        src: &[u8],
        mut dst: OutputBuffer<'_>,
        otherwise: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Written,
    ) -> Written {
        if let Some(written) = self.copy_unchanged(src, dst.reborrow()) {
            return Written::all(written);
        }
        let Some(pluses) = self.pluses() else { return otherwise(self, src, dst) };
        if src.len() <= WORD && !cfg!(percent_simd_small) {
            return write_word(src, pluses, dst);
        }
        match Kernels::known(self.engine) {
            Some(kernels) if src.len() <= kernels.exact_len() => dst.decode_exact(kernels, src, pluses),
            _ => otherwise(self, src, dst),
        }
    }

    #[inline(always)] // what it returns would go through memory
    fn run_short<'d>(&self, src: &[u8], dst: OutputBuffer<'d>) -> ShortRun<'d> {
        if cfg!(percent_simd_small) || !self.profile.facts.plain {
            return self.run_short_options(src, dst);
        }
        let (out, flags) = self.kernels().decode_short(self.plus, src, dst);
        ShortRun { out, flags }
    }

    #[inline(always)]
    fn run_word(&self, src: &[u8]) -> Option<(u64, usize)> {
        if src.len() > WORD { None } else { decode_word(src, self.pluses()?) }
    }

    #[inline]
    fn is_strict(&self) -> bool {
        self.profile.strict || self.profile.reject.is_some()
    }

    #[inline]
    fn error_at(&self, src: &[u8], at: usize) -> Option<DecodeError> {
        kernel::error_at(self.profile, src, at)
    }

    #[inline]
    fn facts(&self) -> Facts {
        let Facts { resizes, .. } = self.profile.facts;
        Facts { resizes: resizes && self.plus == PlusStart::NONE, ..self.profile.facts }
    }

    #[inline(always)] // by a call, a clean short input takes half as long again
    fn quick_check(&self, src: &[u8]) -> QuickCheck {
        check_words(src, self.plus_byte())
    }

    fn advanced(self, read: usize) -> Self {
        Decoding { plus: self.plus.advanced(read), ..self }
    }

    #[inline]
    fn decided_len(&self, src: &[u8]) -> usize {
        self.profile.decided_len(src)
    }
}

/// Decodes a `src` of a word at most into `dst`. Returns how many bytes that makes; nothing if something is malformed, or `dst` is
/// too short. Apart, so that what stays is copied without saving registers.
#[inline(never)]
fn write_word(src: &[u8], pluses: bool, dst: OutputBuffer<'_>) -> Written {
    decode_word(src, pluses).and_then(|word| dst.put_word(word)).into()
}

/// The result of [`Codec::quick_check`]. A fact that is false may only be unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickCheck {
    /// The output is the input.
    pub(crate) unchanged: bool,
    /// All of the input is known to be ASCII.
    pub(crate) ascii: bool,
}

/// Checks whether a short `src` holds neither a `%` nor a `plus`. Lengths differ from call to call, and a branch that depends on
/// one is often mispredicted: all from 2 to 7 bytes are read in as many loads, and all from 8 to 32.
#[inline(always)]
fn check_words(src: &[u8], plus: u8) -> QuickCheck {
    if cfg!(percent_simd_small) {
        let found = src.iter().any(|&byte| byte == b'%' || byte == plus);
        return QuickCheck { unchanged: !found, ascii: false };
    }
    if src.len() > WORDS {
        let first = if plus == b'%' { memchr::memchr(b'%', src) } else { memchr::memchr2(b'%', plus, src) };
        return QuickCheck { unchanged: first.is_none(), ascii: false };
    }
    match (overlapping(src), overlapping(src), few_bytes(src)) {
        (Some(words), ..) => find(&joined(words), plus).into(),
        (_, Some(words), _) => find(&words.map(u64::from_le_bytes), plus).into(),
        (.., Some(bytes)) => find_in_bytes(bytes, plus),
        (None, None, None) => QuickCheck { unchanged: true, ascii: true },
    }
}

impl Words<'_> {
    /// Checks whether there is neither a `%` nor a `plus`.
    #[inline(always)]
    fn check(self, plus: u8) -> QuickCheck {
        match self {
            Words::Long(words) => find(words, plus).into(),
            Words::Bytes(bytes) => find_in_bytes(bytes, plus),
        }
    }
}

/// Finds a `%` or a `plus` in `bytes`, by branches, which are predicted: most have none.
#[inline(always)]
fn find_in_bytes([a, b, c]: [u8; 3], plus: u8) -> QuickCheck {
    let is = |byte: u8| byte == b'%' || byte == plus;
    QuickCheck { unchanged: !(is(a) || is(b) || is(c)), ascii: (a | b | c).is_ascii() }
}

/// The highest bits of bytes, of which others are anything.
struct Highest {
    /// One is set if there is a byte to be found.
    found: u64,
    /// Those of all bytes, joined.
    high: u64,
}

impl From<Highest> for QuickCheck {
    #[inline(always)]
    fn from(Highest { found, high }: Highest) -> QuickCheck {
        const HIGH: u64 = EACH * 0x80;
        QuickCheck { unchanged: found & HIGH == 0, ascii: high & HIGH == 0 }
    }
}

const EACH: u64 = u64::MAX / 0xFF;

/// Finds a `%` or a `plus` in `words`.
#[inline(always)]
fn find(words: &[u64], plus: u8) -> Highest {
    let [percent, plus] = [b'%', plus].map(|byte| EACH * u64::from(byte));
    // The highest bit of the lowest byte that is zero is set, and none if there is no such byte.
    let zero = |word: u64| word.wrapping_sub(EACH) & !word;
    let found = words.iter().fold(0, |all, &word| all | zero(word ^ percent) | zero(word ^ plus));
    Highest { found, high: words.iter().fold(0, |all, &word| all | word) }
}

/// The result of a run over a short input.
pub(crate) struct ShortRun<'d> {
    /// The output, up to an error if the codec is strict.
    pub(crate) out: &'d mut [u8],
    /// Its flags; `malformed` also stands for an error.
    pub(crate) flags: ShortFlags,
}

/// The flags of an encoding: it finds nothing malformed, and its callers know whether it writes ASCII.
const ENCODED: ShortFlags = ShortFlags { malformed: false, high: true };

/// The result of a run of the codec over all of an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodecResult {
    /// Bytes of output.
    pub(crate) written: usize,
    /// The error that stopped it short of the end.
    pub(crate) error: Option<DecodeError>,
    /// The first `%` that starts no triplet.
    pub(crate) malformed: Option<usize>,
}

impl CodecResult {
    /// The result for an empty input.
    pub(crate) const NONE: CodecResult = CodecResult { written: 0, error: None, malformed: None };
}

/// Runs `codec` over all of `src` into `dst`, as far as that has room. Returns the part of it that was written.
#[inline]
pub(crate) fn run_all<'d, C: Codec>(codec: C, src: &[u8], dst: OutputBuffer<'d>) -> (&'d mut [u8], CodecResult) {
    let mut result = CodecResult::NONE;
    let Done { read, out } = codec.run(src, dst, &mut result.malformed);
    result.written = out.len();
    if read < src.len() {
        result.error = codec.error_at(src, read);
    }
    (out, result)
}
