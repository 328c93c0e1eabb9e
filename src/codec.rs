//! Defines [`Codec`], the trait through which sinks encode or decode. Its two implementations [`Encoding`] and
//! [`Decoding`] each hold a profile and an engine.
#![forbid(unsafe_code)]

use crate::engine::{DecodeSetup, Engine, KernelRun, Kernels};
use crate::error::DecodeError;
use crate::find;
use crate::isa::{COMPACTED, EXPANDED};
use crate::kernel::{self, EncodeProfile, Facts, FirstChange, PlusStart, Scan, Short};
use crate::output::OutputBuffer;
use crate::triplet::{complete_triplets_len, triplet};

/// An encoder or a decoder, as sinks call it.
pub(crate) trait Codec: Copy {
    /// Returns the length of the output of `src`, up to the first error. Returns `None` if the length exceeds a
    /// `usize`.
    fn output_len(&self, src: &[u8]) -> Option<usize>;
    /// For encoding, returns the number of bytes that become triplets. For decoding, returns 1 if `src` has a `%`, and 0
    /// otherwise.
    fn resize_count(&self, src: &[u8]) -> usize;
    /// Returns the capacity that a vector needs for the output of `src`, or `None` if it exceeds a `usize`. For encoding,
    /// this is the exact length. For decoding, it is the length of `src`, because measuring takes too long.
    fn capacity(&self, src: &[u8]) -> Option<usize>;
    /// Returns the [`capacity`](Self::capacity) for `src`. `count` is its [`resize_count`](Self::resize_count).
    fn capacity_of_count(&self, src: &[u8], count: usize) -> Option<usize>;
    /// If the output would equal `src`, returns the result of encoding or decoding `src`. Returns `None` if a byte
    /// changes or an error stops the codec.
    fn result_if_clean(&self, src: &[u8]) -> Option<CodecResult>;
    /// Returns the number of bytes before the first byte that would change, or that would stop the codec.
    fn clean_prefix_len(&self, src: &[u8]) -> usize;
    /// The largest number of output bytes for one input byte.
    const GROWTH: usize;
    /// The number of bytes that a kernel may write after its output.
    const SLACK: usize;
    /// Encodes or decodes until `src` or `dst` ends, or an error stops the codec. If `malformed` is `None`, decoding
    /// sets `malformed` to the offset of the first `%` that starts no triplet.
    fn run<'d>(&self, src: &[u8], dst: OutputBuffer<'d>, malformed: &mut Option<usize>) -> KernelRun<'d>;
    /// Returns whether an error can stop this codec.
    fn can_fail(&self) -> bool;
    /// Returns the error that stopped the codec at offset `at` of `src`. If the codec stopped because the output was
    /// full, returns `None`.
    fn stop_error(&self, src: &[u8], at: usize) -> Option<DecodeError>;
    /// Returns the properties that follow from the options.
    fn facts(&self) -> Facts;
    /// Returns the codec for the rest of an input, after its first `read` bytes.
    fn advanced(self, read: usize) -> Self;
    /// Returns the length of the longest prefix of `src` whose output doesn't depend on later bytes.
    fn settled_prefix_len(&self, src: &[u8]) -> usize;
}

/// Encodes with an engine, by default the active one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding<'p> {
    pub(crate) profile: &'p EncodeProfile,
    pub(crate) engine: Option<&'static Engine>,
}

/// Decodes with an engine, by default the active one.
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
        self.first_change(src).offset()
    }

    /// Returns the first block in which a byte would change.
    #[inline]
    pub(crate) fn first_change(&self, src: &[u8]) -> FirstChange {
        self.kernels().encode_first(self.profile, src)
    }

    /// Returns the length of the longest unchanged prefix of `src`. In most texts this prefix is short, so the first
    /// bytes are examined one by one before an engine is called.
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

    /// Continues [`unchanged_len`](Self::unchanged_len) after the first `known` bytes, which are unchanged.
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
        self.capacity_of_count(src, self.resize_count(src))
    }

    #[inline]
    fn resize_count(&self, src: &[u8]) -> usize {
        self.kernels().encode_count(self.profile, src)
    }

    #[inline]
    fn capacity(&self, src: &[u8]) -> Option<usize> {
        self.output_len(src)
    }

    #[inline]
    fn capacity_of_count(&self, src: &[u8], count: usize) -> Option<usize> {
        count.checked_mul(2)?.checked_add(src.len())
    }

    fn result_if_clean(&self, src: &[u8]) -> Option<CodecResult> {
        self.first(src).is_none().then_some(CodecResult { written: src.len(), ..CodecResult::NONE })
    }

    fn clean_prefix_len(&self, src: &[u8]) -> usize {
        self.first(src).unwrap_or(src.len())
    }

    #[inline]
    fn run<'d>(&self, src: &[u8], dst: OutputBuffer<'d>, _: &mut Option<usize>) -> KernelRun<'d> {
        self.kernels().encode(self.profile, src, dst)
    }

    #[inline]
    fn can_fail(&self) -> bool {
        false
    }

    #[inline]
    fn stop_error(&self, _: &[u8], _: usize) -> Option<DecodeError> {
        None
    }

    #[inline]
    fn facts(&self) -> Facts {
        self.profile.facts
    }

    fn advanced(self, _: usize) -> Self {
        self
    }

    #[inline]
    fn settled_prefix_len(&self, src: &[u8]) -> usize {
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

    /// Returns the first block in which decoding would change a byte. Searches only up to the first error.
    pub(crate) fn first_change(&self, src: &[u8]) -> FirstChange {
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
    fn resize_count(&self, src: &[u8]) -> usize {
        self.kernels().has_change(false, src).into()
    }

    #[inline]
    fn capacity(&self, src: &[u8]) -> Option<usize> {
        Some(src.len())
    }

    #[inline]
    fn capacity_of_count(&self, src: &[u8], _: usize) -> Option<usize> {
        self.capacity(src)
    }

    fn result_if_clean(&self, src: &[u8]) -> Option<CodecResult> {
        let (first, scanned) = self.first(src);
        let same = CodecResult { written: src.len(), error: None, malformed: scanned.malformed.into() };
        (first.is_none() && scanned.stopped_at == src.len()).then_some(same)
    }

    fn clean_prefix_len(&self, src: &[u8]) -> usize {
        let (first, scanned) = self.first(src);
        first.unwrap_or(scanned.stopped_at)
    }

    #[inline]
    fn run<'d>(&self, src: &[u8], dst: OutputBuffer<'d>, malformed: &mut Option<usize>) -> KernelRun<'d> {
        self.kernels().decode(self.profile, self.plus, src, dst, malformed)
    }

    #[inline]
    fn can_fail(&self) -> bool {
        self.profile.strict || self.profile.reject.is_some()
    }

    #[inline]
    fn stop_error(&self, src: &[u8], at: usize) -> Option<DecodeError> {
        kernel::stop_error(self.profile, src, at)
    }

    #[inline]
    fn facts(&self) -> Facts {
        let Facts { changes_resize, .. } = self.profile.facts;
        Facts { changes_resize: changes_resize && self.plus == PlusStart::NONE, ..self.profile.facts }
    }

    fn advanced(self, read: usize) -> Self {
        Decoding { plus: self.plus.advanced(read), ..self }
    }

    #[inline]
    fn settled_prefix_len(&self, src: &[u8]) -> usize {
        self.profile.settled_prefix_len(src)
    }
}

/// The result of encoding or decoding a whole input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodecResult {
    /// Bytes of output.
    pub(crate) written: usize,
    /// The error that stopped the codec before the end of the input.
    pub(crate) error: Option<DecodeError>,
    /// The first `%` that starts no triplet.
    pub(crate) malformed: Malformed,
}

/// One word: the offset of the first `%` that starts no triplet, or [`NONE`](Self::NONE), or
/// [`UNKNOWN`](Self::UNKNOWN).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Malformed(usize);

impl Malformed {
    pub(crate) const NONE: Malformed = Malformed(usize::MAX);
    /// The input wasn't searched for a malformed `%`, because most callers don't ask for the offset.
    pub(crate) const UNKNOWN: Malformed = Malformed(usize::MAX - 1);

    /// Returns the offset of the malformed `%` in `src`, the input of the codec. If the offset is unknown, searches
    /// `src`.
    #[inline]
    pub(crate) fn offset(self, src: &[u8]) -> Option<usize> {
        match self {
            Malformed(usize::MAX) => None,
            Malformed(at) if at < src.len() => Some(at),
            _ => first_malformed(src),
        }
    }
}

impl From<Option<usize>> for Malformed {
    #[inline]
    fn from(at: Option<usize>) -> Malformed {
        at.map_or(Malformed::NONE, Malformed)
    }
}

/// Returns the offset of the first `%` of `src` that starts no triplet.
#[cold]
fn first_malformed(src: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(percent) = find::memchr(b'%', src.get(at..)?) {
        at += percent;
        if triplet(src, at).is_none() {
            return Some(at);
        }
        at += 3;
    }
    None
}

impl CodecResult {
    /// The result for an empty input.
    pub(crate) const NONE: CodecResult = CodecResult { written: 0, error: None, malformed: Malformed::NONE };

    /// Returns the result for a short input without an error, whose output has `written` bytes.
    #[inline(always)]
    pub(crate) fn of_short(result: Short, written: usize) -> CodecResult {
        let malformed = if result.is_malformed() { Malformed::UNKNOWN } else { Malformed::NONE };
        CodecResult { written, error: None, malformed }
    }
}

/// Encodes or decodes `src` into `dst`, until `src` ends, `dst` is full, or an error stops the codec. Returns the
/// written part of `dst`.
#[inline]
pub(crate) fn run_all<'d, C: Codec>(codec: C, src: &[u8], dst: OutputBuffer<'d>) -> (&'d mut [u8], CodecResult) {
    let mut malformed = None;
    let KernelRun { read, out } = codec.run(src, dst, &mut malformed);
    let mut result = CodecResult { written: out.len(), error: None, malformed: malformed.into() };
    if read < src.len() {
        result.error = codec.stop_error(src, read);
    }
    (out, result)
}
