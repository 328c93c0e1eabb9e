//! The algorithms, each written once over [`Isa`](crate::isa::Isa), and the contract that every engine meets.
//!
//! Escapes never overlap, because `%` is no hexadecimal digit: whether a triplet starts at a byte is decided by that
//! byte and the next two alone. So a block is decided by mask arithmetic on the block and its next two bytes, and
//! what a block leaves to the next one is at most two bytes of a triplet that began in it: a carry of two bits.
#![forbid(unsafe_code)]

use crate::error::{DecodeError, DecodeErrorKind};
use crate::isa::{BLOCK, Isa};
use crate::output::{Cell, cell};
use crate::set::{ByteSet, NibbleTable};
use crate::triplet::{Digits, UPPER, complete_triplets_len, triplet};
use crate::words::chunk;

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod form;
pub(crate) mod masks;
pub(crate) mod scalar;
pub(crate) mod utf16;
pub(crate) mod utf8;

/// How to encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EncodeProfile {
    /// Bytes that stay; `%` is not among them where valid triplets are kept.
    pub(crate) allowed: ByteSet,
    pub(crate) table: NibbleTable,
    pub(crate) digits: &'static Digits,
    /// A space becomes `+`.
    pub(crate) plus: bool,
    /// Valid triplets stay.
    pub(crate) keep_triplets: bool,
    pub(crate) facts: Facts,
}

/// The facts that follow from the options of a profile, computed with it: all that kernels and sinks ask of the
/// options together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The plain kernels do all that the profile asks for. Of decoding: as far as no `+` is a space.
    pub(crate) plain: bool,
    /// Every change makes the output longer, or every one shorter: of the same length is only the input itself. Of decoding:
    /// as far as no `+` is a space.
    pub(crate) resizes: bool,
}

impl Facts {
    /// Those of a profile without options.
    const PLAIN: Facts = Facts { plain: true, resizes: true };
}

impl EncodeProfile {
    /// Returns whether there is no option but the set, and that is one of ASCII. Inlined at every level of optimization: where the
    /// profile is a constant, no kernel with options is linked.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.facts.plain
    }

    /// Returns the profile that leaves the bytes of `allowed`, and changes the others to triplets.
    pub(crate) const fn new(allowed: ByteSet) -> EncodeProfile {
        let (table, digits) = (allowed.nibble_table(), &UPPER);
        EncodeProfile { allowed, table, digits, plus: false, keep_triplets: false, facts: Facts::PLAIN }.with_facts()
    }

    /// Returns the profile with another set.
    pub(crate) const fn with_allowed(mut self, allowed: ByteSet) -> EncodeProfile {
        self.allowed = allowed;
        self.table = allowed.nibble_table();
        self.with_facts()
    }

    /// Returns the profile under which a space becomes `+`.
    pub(crate) const fn with_plus(mut self) -> EncodeProfile {
        self.plus = true;
        self.with_facts()
    }

    /// Returns the profile under which valid triplets stay.
    pub(crate) const fn keeping_triplets(mut self) -> EncodeProfile {
        self.keep_triplets = true;
        self.with_allowed(self.allowed.without(b'%'))
    }

    const fn with_facts(mut self) -> EncodeProfile {
        let plain = !self.plus && !self.keep_triplets && self.allowed.is_ascii();
        self.facts = Facts { plain, resizes: !self.plus };
        self
    }
}

/// How to decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecodeProfile {
    /// A malformed `%` stops.
    pub(crate) strict: bool,
    /// Triplets that stay.
    pub(crate) keep: Option<(ByteSet, NibbleTable)>,
    /// The hex digits of those are upper-cased.
    pub(crate) upper: bool,
    /// Triplets that stop.
    pub(crate) reject: Option<(ByteSet, NibbleTable)>,
    /// Latent triplets stay ([`keeps_latent`](Self::keeps_latent)).
    latent: bool,
    pub(crate) facts: Facts,
}

impl DecodeProfile {
    /// Every triplet is decoded, and everything else stays.
    pub(crate) const LENIENT: DecodeProfile =
        DecodeProfile { strict: false, keep: None, upper: false, reject: None, latent: false, facts: Facts::PLAIN };

    /// Returns the profile under which a malformed `%` stops.
    pub(crate) const fn strict(mut self) -> DecodeProfile {
        self.strict = true;
        self.with_facts()
    }

    /// Returns the profile under which triplets of the bytes of `keep` stay, in upper case if `upper`.
    pub(crate) const fn keeping(mut self, keep: ByteSet, upper: bool) -> DecodeProfile {
        self.keep = Some((keep, keep.nibble_table()));
        self.upper = upper;
        self.with_facts()
    }

    /// Returns the profile under which triplets of the bytes of `reject` stop.
    pub(crate) const fn rejecting(mut self, reject: ByteSet) -> DecodeProfile {
        self.reject = Some((reject, reject.nibble_table()));
        self.with_facts()
    }

    const fn with_facts(mut self) -> DecodeProfile {
        self.latent = match self.keep {
            Some((keep, _)) => !self.strict && keep.contains(b'%'),
            None => false,
        };
        self.facts = Facts { plain: self.keep.is_none() && self.reject.is_none(), resizes: !self.upper };
        self
    }

    /// Returns whether all valid triplets are decoded and nothing else happens. Inlined like [`EncodeProfile::is_plain`].
    #[inline(always)]
    pub(crate) fn is_plain(&self, plus: PlusStart) -> bool {
        self.facts.plain && plus == PlusStart::NONE
    }

    /// Returns whether a triplet of `byte` stays.
    #[inline]
    pub(crate) fn keeps(&self, byte: u8) -> bool {
        self.keep.as_ref().is_some_and(|(keep, _)| keep.contains(byte))
    }

    /// Returns whether a triplet of `byte` stops the decoding.
    #[inline]
    pub(crate) fn rejects(&self, byte: u8) -> bool {
        !self.keeps(byte) && self.reject.as_ref().is_some_and(|(reject, _)| reject.contains(byte))
    }

    /// Returns whether latent triplets stay as they are.
    ///
    /// A latent triplet is a malformed `%` followed by two hexadecimal digits, of which at least one is written as a
    /// triplet: `%%32F`, `%2%46`, `%%32%46`. Decoded it would be `%2F`, which the next decoder takes for a slash. Where
    /// escapes of `%` are kept, so that what was decoded can be decoded again, it must not come about.
    #[inline]
    pub(crate) fn keeps_latent(&self) -> bool {
        self.latent
    }

    /// Returns the digit that the malformed `%` of a latent triplet would see at `at`.
    fn digit_at(&self, src: &[u8], at: usize) -> Digit {
        match (src.get(at), triplet(src, at)) {
            (None, _) => Digit::Undecided,
            (_, Some(byte)) if !byte.is_ascii_hexdigit() || self.keeps(byte) || self.rejects(byte) => Digit::None,
            (_, Some(_)) => Digit::Len(3),
            (Some(b'%'), None) if complete_triplets_len(&src[at..]) == 0 => Digit::Undecided,
            (Some(byte), None) if byte.is_ascii_hexdigit() => Digit::Len(1),
            (Some(_), None) => Digit::None,
        }
    }

    /// Returns the length of the latent triplet whose `%` is at `at`: 0 if none starts there, `None` if `src` ends before
    /// that is decided.
    fn latent_len(&self, src: &[u8], at: usize) -> Option<usize> {
        let mut end = at + 1;
        for _ in 0..2 {
            match self.digit_at(src, end) {
                Digit::Len(len) => end += len,
                Digit::None => return Some(0),
                Digit::Undecided => return None,
            }
        }
        Some(end - at)
    }

    /// Returns the length of the longest prefix of `src` whose output does not depend on what follows it.
    pub(crate) fn decided_len(&self, src: &[u8]) -> usize {
        if !self.keeps_latent() {
            return complete_triplets_len(src);
        }
        let last = src.len().saturating_sub(LATENT - 1);
        let undecided = (last..src.len()).find(|&at| src[at] == b'%' && self.latent_len(src, at).is_none());
        undecided.unwrap_or(src.len())
    }
}

/// Bytes of the longest latent triplet: `%%32%46`.
pub(crate) const LATENT: usize = 7;

/// A hexadecimal digit, as decoding would write it.
enum Digit {
    /// One that takes as many bytes of input: 1, or 3 for a triplet.
    Len(usize),
    /// Anything else.
    None,
    /// The input ends before that is decided.
    Undecided,
}

/// The offset from which on a `+` becomes a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlusStart {
    pub(crate) from: usize,
}

impl PlusStart {
    pub(crate) const NONE: PlusStart = PlusStart { from: usize::MAX };
    pub(crate) const ALL: PlusStart = PlusStart { from: 0 };

    /// Returns the start as an offset in the input without its first `read` bytes.
    pub(crate) fn advanced(self, read: usize) -> PlusStart {
        if self == PlusStart::NONE { self } else { PlusStart { from: self.from.saturating_sub(read) } }
    }
}

// A kernel can be resumed at both offsets, and `read` never ends inside a triplet, nor inside a latent one that stays. Why it
// returned follows from the input at `read`: see `error_at`. Two numbers go back in registers, more would not.
/// How far a chunk of a stream has been read, and its output written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the chunk that were read. If that is not all of it, the output was full, or an error follows: call again
    /// with the rest.
    pub read: usize,
    /// Bytes of output that were written.
    pub written: usize,
}

/// The result of a run over a short input, in one register: so a function that ends with the call of another that returns it
/// ends with a jump, and has nothing to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short(usize);

impl Short {
    /// The output is too short, or this way doesn't take such an input. What the output holds is unspecified.
    pub(crate) const NONE: Short = Short(usize::MAX);
    const MALFORMED: usize = 1 << 25;
    const HIGH: usize = 1 << 24; // above every length of a short output

    /// Returns the result of a run that has written `len` bytes. `malformed`: a `%` in the input starts no triplet, and was
    /// copied. `high`: the output may hold a byte above ASCII.
    #[inline(always)]
    pub(crate) fn new(len: usize, malformed: bool, high: bool) -> Short {
        debug_assert!(len < Short::HIGH);
        Short(len | usize::from(malformed) * Short::MALFORMED | usize::from(high) * Short::HIGH)
    }

    /// Returns the result for `len` bytes that nobody has examined, of an input without a malformed `%`.
    #[inline(always)]
    pub(crate) fn written(len: usize) -> Short {
        Short::new(len, false, true)
    }

    /// Returns how many bytes were written.
    #[inline(always)]
    pub(crate) fn len(self) -> Option<usize> {
        if self == Short::NONE { None } else { Some(self.0 & (Short::HIGH - 1)) }
    }

    #[inline(always)]
    pub(crate) fn is_malformed(self) -> bool {
        self.0 & Short::MALFORMED != 0
    }

    #[inline(always)]
    pub(crate) fn is_high(self) -> bool {
        self.0 & Short::HIGH != 0
    }

    /// Returns how many bytes were written, unless a `%` was malformed and that is `refused`. One comparison.
    #[inline(always)]
    pub(crate) fn len_unless(self, refused: bool) -> Option<usize> {
        let limit = if refused { Short::MALFORMED } else { usize::MAX };
        if self.0 >= limit { None } else { Some(self.0 & (Short::HIGH - 1)) }
    }

    /// Returns this result, unless a `%` was malformed and that is `refused`.
    #[inline(always)]
    pub(crate) fn unless(self, refused: bool) -> Short {
        if refused && self.is_malformed() { Short::NONE } else { self }
    }
}

impl From<Option<usize>> for Short {
    #[inline(always)]
    fn from(len: Option<usize>) -> Short {
        len.map_or(Short::NONE, Short::written)
    }
}

/// Returns the error at `at`, where decoding has stopped; `None` if the output was full.
#[cold]
pub(crate) fn error_at(profile: &DecodeProfile, src: &[u8], at: usize) -> Option<DecodeError> {
    match triplet(src, at) {
        None if profile.strict && src.get(at) == Some(&b'%') => Some(DecodeError::malformed(src, at)),
        Some(byte) if profile.rejects(byte) => Some(DecodeError::new(at, DecodeErrorKind::Rejected(byte))),
        _ => None,
    }
}

/// How far a scan of what decoding would do has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    /// The offset at which decoding would stop; if that is short of the end and nothing there stops it, the
    /// visitor has seen enough.
    pub(crate) stopped_at: usize,
    /// The first `%` that starts no triplet, as far as the scan went.
    pub(crate) malformed: Option<usize>,
}

/// Returns a mask of the `n` lowest bits.
#[inline(always)]
pub(crate) fn below(n: usize) -> u64 {
    if n >= 64 { !0 } else { (1 << n) - 1 }
}

/// Returns the lanes of the digits of triplets that start at the lanes of `starts`, in their block and in the next one.
#[inline(always)]
fn digits_of(starts: u64) -> [u64; 2] {
    if cfg!(target_arch = "x86_64") {
        // As no two overlap, two bits for each in one multiplication, where shifts take eight instructions.
        let digits = u128::from(starts) * 0b110;
        return [digits as u64, (digits >> 64) as u64];
    }
    [starts << 1 | starts << 2, starts >> 63 | starts >> 62]
}

/// Loads up to 64 bytes from `at` on, with zeros after the end.
#[inline(always)]
fn load<I: Isa>(isa: I, src: &[u8], at: usize) -> I::Block {
    match src.get(at..) {
        // There is nothing to load from, and there may be no page.
        None | Some([]) => isa.splat(0),
        Some(rest) => match rest.first_chunk() {
            Some(block) => isa.load(block),
            None => isa.load_part(rest),
        },
    }
}

/// Bytes that decide a block: its own and the next two.
const WINDOW: usize = BLOCK + 2;

/// Loads the block at `at` of `window`, and those one and two bytes further on.
#[inline(always)]
fn load_window<I: Isa, const N: usize>(isa: I, window: &[u8; N], at: usize) -> [I::Block; 3] {
    [load(isa, window, at), load(isa, window, at + 1), load(isa, window, at + 2)]
}

/// Like [`load_window`], at any offset of `src`. One load is enough at its end, where nothing follows.
#[inline(always)]
fn load_any<I: Isa>(isa: I, src: &[u8], at: usize) -> [I::Block; 3] {
    if at + BLOCK >= src.len() {
        let block = load(isa, src, at);
        let [next, after] = isa.lookahead(block);
        return [block, next, after];
    }
    match (chunk::<WINDOW>(src, at), chunk::<{ BLOCK + 1 }>(src, at)) {
        (Some(window), _) => load_window(isa, window, 0),
        // One byte follows.
        (None, Some(window)) => {
            let (block, next) = (load(isa, window, 0), load(isa, window, 1));
            let [after, _] = isa.lookahead(next);
            [block, next, after]
        }
        (None, None) => [isa.splat(0); 3],
    }
}

/// Writes `bytes`, of which there are as many as `room` holds.
#[inline(always)]
fn put(room: &mut [Cell], bytes: &[u8]) {
    for (room, &byte) in room.iter_mut().zip(bytes) {
        *room = cell(byte);
    }
}

/// Receives what a kernel finds, block by block; `false` ends a scan.
pub(crate) trait Visitor {
    /// Receives the block at `at`, in which the bytes of `hits` grow or shrink, and those of `changes` do not stay.
    fn block(&mut self, at: usize, hits: u64, changes: u64) -> bool;
}

/// Ignores it.
impl Visitor for () {
    #[inline(always)]
    fn block(&mut self, _: usize, _: u64, _: u64) -> bool {
        true
    }
}

/// The bytes that encoding or decoding would change.
pub(crate) struct Survey {
    /// Whether to stop at the first change.
    pub(crate) until_change: bool,
    /// How many bytes would grow or shrink.
    pub(crate) count: usize,
    /// The offset of the first bytes that would not stay.
    pub(crate) first: FirstChange,
}

impl Survey {
    pub(crate) const fn new(until_change: bool) -> Survey {
        Survey { until_change, count: 0, first: FirstChange { at: 0, changes: 0 } }
    }
}

/// The first bytes that would not stay: those of `changes`, in the block at `at`; or none.
#[derive(Clone, Copy)]
pub(crate) struct FirstChange {
    pub(crate) at: usize,
    pub(crate) changes: u64,
}

impl FirstChange {
    /// Returns the offset of the very first.
    #[inline(always)]
    pub(crate) fn offset(&self) -> Option<usize> {
        (self.changes != 0).then(|| self.at + self.changes.trailing_zeros() as usize)
    }
}

impl Visitor for Survey {
    #[inline(always)]
    fn block(&mut self, at: usize, hits: u64, changes: u64) -> bool {
        self.count += hits.count_ones() as usize;
        if self.until_change && changes != 0 {
            self.first = FirstChange { at, changes };
            return false;
        }
        true
    }
}

/// Replaces each of `bounds`, ascending offsets in the input, by where that is in the output, if some bytes grow by two, or
/// shrink by two where not `GROWS`.
pub(crate) struct OutputBounds<'b, const GROWS: bool> {
    bounds: &'b mut [usize],
    done: usize,
    /// By how many bytes the output is longer, or shorter, so far.
    resized: usize,
}

impl<'b, const GROWS: bool> OutputBounds<'b, GROWS> {
    pub(crate) fn new(bounds: &'b mut [usize]) -> Self {
        OutputBounds { bounds, done: 0, resized: 0 }
    }

    /// Replaces the bounds that are left, which lie at the end of the input.
    pub(crate) fn finish(self) {
        for bound in &mut self.bounds[self.done..] {
            *bound = Self::moved(*bound, self.resized);
        }
    }

    #[inline(always)]
    fn moved(bound: usize, by: usize) -> usize {
        if GROWS { bound.wrapping_add(by) } else { bound.wrapping_sub(by) }
    }
}

impl<const GROWS: bool> Visitor for OutputBounds<'_, GROWS> {
    #[inline(always)]
    fn block(&mut self, at: usize, hits: u64, _: u64) -> bool {
        while let Some(bound) = self.bounds.get_mut(self.done).filter(|bound| **bound - at < BLOCK) {
            let before = (hits & below(*bound - at)).count_ones() as usize;
            *bound = Self::moved(*bound, self.resized + 2 * before);
            self.done += 1;
        }
        self.resized += 2 * hits.count_ones() as usize;
        true
    }
}
