//! The algorithms, each written once over [`Isa`](crate::isa::Isa), and the types that every engine takes and returns.
//!
//! The heads of encode.rs, decode.rs and utf8.rs explain the algorithms. All of them work on masks of 64 lanes. To
//! encode or decode a block, a kernel needs the bytes of the block and the two bytes after it. The last triplet of a
//! block may reach into the next block. A carry of two bits tells the next block which of its first two lanes belong to
//! that triplet.
//!
//! A profile for decoding is *plain* if it has no options. A profile for encoding is *plain* if it has no options and
//! its set keeps only ASCII. Encoding and decoding are compiled three times: for plain profiles, for plain profiles
//! with `+` for a space, and with all options.
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
mod visit;

pub(crate) use visit::{FirstChange, OutputBounds, Survey, Visitor};

/// The options of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EncodeProfile {
    /// The bytes that are not escaped. If valid triplets are kept, this set never has `%`.
    pub(crate) allowed: ByteSet,
    /// The bytes that don't become triplets: `allowed`, and a space if it becomes `+`.
    pub(crate) table: NibbleTable,
    /// The first half of the table of all bytes that stay. It lacks the space if a space becomes `+`.
    pub(crate) stays: [u8; 16],
    pub(crate) digits: &'static Digits,
    /// Encode a space as `+`.
    pub(crate) plus: bool,
    /// Keep valid triplets.
    pub(crate) keep_triplets: bool,
    /// The set keeps only ASCII, and there is no option but `plus`.
    pub(crate) simple: bool,
    pub(crate) facts: Facts,
}

/// Properties that follow from the options. They are computed when an option is set, so that kernels and sinks needn't
/// look at each option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The plain kernels are enough. For decoding, this holds only if each `+` stays. The caller must check that,
    /// because the profile doesn't know how a `+` is decoded.
    pub(crate) plain: bool,
    /// Every change makes the output longer (encoding) or shorter (decoding). So if the output is as long as the input,
    /// the two are equal. For decoding, this holds only if each `+` stays.
    pub(crate) changes_resize: bool,
}

impl Facts {
    /// The properties of a profile without options.
    const PLAIN: Facts = Facts { plain: true, changes_resize: true };
}

impl EncodeProfile {
    /// Returns whether the set keeps only ASCII and no option is set. This function is inlined at every level of
    /// optimization, so if the profile is a constant, no kernel with options is linked.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.facts.plain
    }

    /// Returns the profile that escapes all bytes outside `allowed`.
    pub(crate) const fn new(allowed: ByteSet) -> EncodeProfile {
        let (table, digits) = (allowed.nibble_table(), &UPPER);
        EncodeProfile {
            allowed,
            table,
            stays: table.half[0],
            digits,
            plus: false,
            keep_triplets: false,
            simple: false,
            facts: Facts::PLAIN,
        }
        .with_facts()
    }

    /// Returns this profile with the set `allowed`.
    pub(crate) const fn with_allowed(mut self, allowed: ByteSet) -> EncodeProfile {
        self.allowed = allowed;
        self.with_facts()
    }

    /// Returns this profile, changed to encode a space as `+`.
    pub(crate) const fn with_plus(mut self) -> EncodeProfile {
        self.plus = true;
        self.with_facts()
    }

    /// Returns this profile, changed to keep valid triplets.
    pub(crate) const fn keeping_triplets(mut self) -> EncodeProfile {
        self.keep_triplets = true;
        self.with_allowed(self.allowed.without(b'%'))
    }

    const fn with_facts(mut self) -> EncodeProfile {
        self.simple = !self.keep_triplets && self.allowed.is_ascii();
        self.facts = Facts { plain: self.simple && !self.plus, changes_resize: !self.plus };
        self.table = if self.plus { self.allowed.with(b' ') } else { self.allowed }.nibble_table();
        self.stays = if self.plus { self.allowed.without(b' ').nibble_table().half[0] } else { self.table.half[0] };
        self
    }
}

/// The options of a decoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecodeProfile {
    /// A malformed `%` is an error.
    pub(crate) strict: bool,
    /// The bytes whose triplets are kept.
    pub(crate) keep: Option<(ByteSet, NibbleTable)>,
    /// The digits of kept triplets become upper-case.
    pub(crate) upper: bool,
    /// The bytes whose triplets are an error.
    pub(crate) reject: Option<(ByteSet, NibbleTable)>,
    /// Latent triplets are kept ([`keeps_latent`](Self::keeps_latent)).
    latent: bool,
    pub(crate) facts: Facts,
}

impl DecodeProfile {
    /// Decodes every triplet, and copies all other bytes.
    pub(crate) const LENIENT: DecodeProfile =
        DecodeProfile { strict: false, keep: None, upper: false, reject: None, latent: false, facts: Facts::PLAIN };

    /// Returns this profile, changed so that a malformed `%` is an error.
    pub(crate) const fn strict(mut self) -> DecodeProfile {
        self.strict = true;
        self.with_facts()
    }

    /// Returns this profile, changed to keep triplets of the bytes in `keep`. If `upper` is true, the digits of these
    /// triplets become upper-case.
    pub(crate) const fn keeping(mut self, keep: ByteSet, upper: bool) -> DecodeProfile {
        self.keep = Some((keep, keep.nibble_table()));
        self.upper = upper;
        self.with_facts()
    }

    /// Returns this profile, changed so that a triplet of a byte in `reject` is an error.
    pub(crate) const fn rejecting(mut self, reject: ByteSet) -> DecodeProfile {
        self.reject = Some((reject, reject.nibble_table()));
        self.with_facts()
    }

    const fn with_facts(mut self) -> DecodeProfile {
        self.latent = match self.keep {
            Some((keep, _)) => !self.strict && keep.contains(b'%'),
            None => false,
        };
        self.facts = Facts { plain: self.keep.is_none() && self.reject.is_none(), changes_resize: !self.upper };
        self
    }

    /// Returns whether every valid triplet is decoded and all other bytes are copied. This function is inlined for the
    /// same reason as [`EncodeProfile::is_plain`].
    #[inline(always)]
    pub(crate) fn is_plain(&self, plus: PlusStart) -> bool {
        self.facts.plain && plus == PlusStart::NONE
    }

    /// Returns whether a triplet of `byte` is kept.
    #[inline]
    pub(crate) fn keeps(&self, byte: u8) -> bool {
        self.keep.as_ref().is_some_and(|(keep, _)| keep.contains(byte))
    }

    /// Returns whether a triplet of `byte` is an error.
    #[inline]
    pub(crate) fn rejects(&self, byte: u8) -> bool {
        !self.keeps(byte) && self.reject.as_ref().is_some_and(|(reject, _)| reject.contains(byte))
    }

    /// Returns whether latent triplets are kept.
    ///
    /// A latent triplet is a malformed `%` followed by two hexadecimal digits, at least one of which is written as a
    /// triplet: `%%32F`, `%2%46`, `%%32%46`. Decoding its digits would write `%2F`, which a second decoder reads as a
    /// slash. If triplets of `%` are kept, decoding twice must give the same result as decoding once. So decoding must
    /// not make a new triplet.
    #[inline]
    pub(crate) fn keeps_latent(&self) -> bool {
        self.latent
    }

    /// Returns whether decoding would write a hexadecimal digit for the byte or triplet at `at`. The caller has found a
    /// malformed `%` before `at`.
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

    /// Returns the length of the latent triplet at `at`. Returns 0 if none starts there, and `None` if `src` ends too
    /// early to decide.
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

    /// Returns the length of the longest prefix of `src` whose output doesn't depend on later bytes.
    pub(crate) fn settled_prefix_len(&self, src: &[u8]) -> usize {
        if !self.keeps_latent() {
            return complete_triplets_len(src);
        }
        let last = src.len().saturating_sub(LATENT - 1);
        let undecided = (last..src.len()).find(|&at| src[at] == b'%' && self.latent_len(src, at).is_none());
        undecided.unwrap_or(src.len())
    }
}

/// Length of the longest latent triplet: `%%32%46`.
pub(crate) const LATENT: usize = 7;

/// A digit of a latent triplet. In the input, it may be a triplet that decodes to the digit.
enum Digit {
    /// A hexadecimal digit. It takes this many bytes of input: 1, or 3 for a triplet.
    Len(usize),
    /// Any other byte.
    None,
    /// The input ends too early to decide whether this is a digit.
    Undecided,
}

/// The offset from which each `+` is a space. A `+` before this offset stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlusStart {
    pub(crate) from: usize,
}

impl PlusStart {
    pub(crate) const NONE: PlusStart = PlusStart { from: usize::MAX };
    pub(crate) const ALL: PlusStart = PlusStart { from: 0 };

    /// Returns `Some(true)` if every `+` is a space, `Some(false)` if every `+` stays, and `None` if `+` is a space
    /// only from some offset on.
    #[inline(always)]
    pub(crate) fn always(self) -> Option<bool> {
        match self {
            PlusStart::NONE => Some(false),
            PlusStart::ALL => Some(true),
            _ => None,
        }
    }

    /// Returns the lanes of the block at offset `at` in which a `+` is a space.
    #[inline(always)]
    fn lanes(self, at: usize) -> u64 {
        !below(self.from.saturating_sub(at))
    }

    /// Returns the start for the rest of the input, after its first `read` bytes.
    pub(crate) fn advanced(self, read: usize) -> PlusStart {
        if self == PlusStart::NONE { self } else { PlusStart { from: self.from.saturating_sub(read) } }
    }
}

// A kernel can be resumed at offset `read` of the input and offset `written` of the output. `read` is never inside a
// triplet or a kept latent triplet. The input at offset `read` shows why a kernel returned: see `stop_error`. The
// struct has only two numbers, so that it is returned in registers. A larger struct would be returned in memory.
/// How far a chunk of a stream was read, and how much output was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the chunk that were read. If this is less than the chunk's length, the output was full, or an error
    /// follows. In both cases, call again with the unread bytes.
    pub read: usize,
    /// Bytes of output that were written.
    pub written: usize,
}

/// The result of encoding or decoding a short input, in one register. A function that ends by calling another function
/// with this result type can jump to that function, and saves no registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short(usize);

impl Short {
    /// The output is too short, or the called function can't take the input. The contents of the output are
    /// unspecified.
    pub(crate) const NONE: Short = Short(usize::MAX);
    const MALFORMED: usize = 1 << 25;
    const HIGH: usize = 1 << 24; // a higher bit than the length of a short output needs

    /// Returns the result of a kernel that has written `len` bytes. If `malformed` is true, a `%` of the input starts
    /// no triplet, and was copied. If `high` is true, the output may have a byte above ASCII.
    #[inline(always)]
    pub(crate) fn new(len: usize, malformed: bool, high: bool) -> Short {
        debug_assert!(len < Short::HIGH);
        Short(len | usize::from(malformed) * Short::MALFORMED | usize::from(high) * Short::HIGH)
    }

    /// Returns the result of a kernel that has written `len` bytes from an input without a malformed `%`. The output
    /// wasn't checked, so it may have bytes above ASCII.
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

    /// Returns how many bytes were written. Returns `None` if the result is [`NONE`](Self::NONE), or if `refused` is
    /// true and a `%` was malformed. One comparison tests both conditions.
    #[inline(always)]
    pub(crate) fn len_unless(self, refused: bool) -> Option<usize> {
        let limit = if refused { Short::MALFORMED } else { usize::MAX };
        if self.0 >= limit { None } else { Some(self.0 & (Short::HIGH - 1)) }
    }

    /// Returns this result, or [`NONE`](Self::NONE) if `refused` is true and a `%` was malformed.
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

/// Returns the error that stopped decoding at `at`, or `None` if the output was full.
#[cold]
pub(crate) fn stop_error(profile: &DecodeProfile, src: &[u8], at: usize) -> Option<DecodeError> {
    match triplet(src, at) {
        None if profile.strict && src.get(at) == Some(&b'%') => Some(DecodeError::malformed(src, at)),
        Some(byte) if profile.rejects(byte) => Some(DecodeError::new(at, DecodeErrorKind::Rejected(byte))),
        _ => None,
    }
}

/// The offset at which a scan stopped, and the first malformed `%` before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    /// The offset of the error that would stop decoding, or of the block at which the visitor ended the scan. If the
    /// scan reached the end, this is the length of the input.
    pub(crate) stopped_at: usize,
    /// The offset of the first `%` in the scanned part that starts no triplet.
    pub(crate) malformed: Option<usize>,
}

/// Returns a mask of the `n` lowest bits.
#[inline(always)]
pub(crate) fn below(n: usize) -> u64 {
    if n >= 64 { !0 } else { (1 << n) - 1 }
}

/// Returns two masks of the digits of all triplets in `starts`: the lanes in this block, and the lanes in the next
/// block.
#[inline(always)]
fn digits_of(starts: u64) -> [u64; 2] {
    if cfg!(target_arch = "x86_64") {
        // Triplets don't overlap, so one multiplication sets two bits for each triplet. Shifts would take eight
        // instructions.
        let digits = u128::from(starts) * 0b110;
        return [digits as u64, (digits >> 64) as u64];
    }
    [starts << 1 | starts << 2, starts >> 63 | starts >> 62]
}

/// Loads up to 64 bytes from offset `at` on. Zeros follow the end of `src`.
#[inline(always)]
fn load<I: Isa>(isa: I, src: &[u8], at: usize) -> I::Block {
    match src.get(at..) {
        // There are no bytes to load. Don't read at `at`, because this address may be on a page that isn't mapped.
        None | Some([]) => isa.splat(0),
        Some(rest) => match rest.first_chunk() {
            Some(block) => isa.load(block),
            None => isa.load_part(rest),
        },
    }
}

/// The number of bytes that decide the result of a block: the block and the two bytes after it.
const WINDOW: usize = BLOCK + 2;

/// Loads the 64 bytes at `at` of `window`, at `at + 1` and at `at + 2`.
#[inline(always)]
fn load_window<I: Isa, const N: usize>(isa: I, window: &[u8; N], at: usize) -> [I::Block; 3] {
    [load(isa, window, at), load(isa, window, at + 1), load(isa, window, at + 2)]
}

/// Loads the same three registers as [`load_window`], but at any offset of `src`. In the last block, one load is
/// enough, because no bytes follow.
#[inline(always)]
fn load_any<I: Isa>(isa: I, src: &[u8], at: usize) -> [I::Block; 3] {
    if at + BLOCK >= src.len() {
        let block = load(isa, src, at);
        let [next, after] = isa.lookahead(block);
        return [block, next, after];
    }
    match (chunk::<WINDOW>(src, at), chunk::<{ BLOCK + 1 }>(src, at)) {
        (Some(window), _) => load_window(isa, window, 0),
        // Only one byte follows the block.
        (None, Some(window)) => {
            let (block, next) = (load(isa, window, 0), load(isa, window, 1));
            let [after, _] = isa.lookahead(next);
            [block, next, after]
        }
        (None, None) => [isa.splat(0); 3],
    }
}

/// Writes `bytes` to `room`, which has the same length.
#[inline(always)]
fn put(room: &mut [Cell], bytes: &[u8]) {
    for (room, &byte) in room.iter_mut().zip(bytes) {
        *room = cell(byte);
    }
}
