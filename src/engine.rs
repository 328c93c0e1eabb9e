//! Defines [`Engine`], the codec compiled for one instruction set, and chooses the best engine for the CPU.
//!
//! # The problem
//!
//! A program is compiled once, and runs on CPUs with different instruction sets. A function that uses AVX2 may be
//! called only if the CPU has AVX2. Asking the CPU in every call would cost too much for short input. And a small
//! program should not contain kernels that it never calls.
//!
//! # The idea
//!
//! Every operation of the kernels has a static table of function pointers ([`table`] lists the operations). A table has
//! a row for each engine, and the order of the engines is the same in all tables. So an engine is stored as the number
//! of its row, and a call looks up one pointer and jumps. The CPU is asked only once. The byte `ACTIVE` then keeps the
//! row for all operations.
//!
//! ```text
//! row = the row of the engine that the caller chose, or else ACTIVE
//! if row == UNKNOWN:  row = the first engine that works on this CPU;  ACTIVE = row
//! TABLE_OF_THE_OPERATION[row](arguments)
//! ```
//!
//! # Example
//!
//! We encode the 16 bytes of `café & tea = ok` on an x86-64 CPU with AVX2 but without AVX-512. The rows are avx512,
//! avx2, sse42 and scalar, numbered from 0.
//!
//! 1. `ACTIVE` is `UNKNOWN`, 255. `avx512` does not work here; `avx2` does. `ACTIVE` becomes 1.
//! 2. The input is short and the encoder has no option, so the operation is `encode_short_plain`. Row 1 of its table is
//!    the function that was compiled with AVX2.
//! 3. That function writes `caf%C3%A9%20%26%20tea%20%3D%20ok` and returns 32 in a register.
//! 4. The next call finds 1 in `ACTIVE`, and goes straight to its operation.
//!
//! Several threads may choose an engine at the same time. All of them store the same row, so relaxed atomics are
//! enough.
//!
//! # Why not the obvious way
//!
//! - *A trait object.* It has one table with all operations, so every program would link every kernel. With a table for
//!   each operation, the linker drops the tables of unused operations, and their kernels.
//! - *A function pointer for each operation, replaced by its first call.* Then the first call of each operation would
//!   ask the CPU again. And a caller, such as a test, could not choose an engine.
//!
//! The linker also drops the kernels with options if no option is set, because only a [`DecodeSetup`] with an option
//! refers to them.
//!
//! In this file, a *plain* operation is one without options: it decodes every triplet, or encodes by a set that keeps
//! only ASCII bytes.

use core::fmt;
use core::ops::Deref;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::kernel::{DecodeProfile, EncodeProfile, FirstChange, PlusStart, Progress, Scan, Short, Survey};
use crate::output::{Cell, OutputBuffer, unchecked};
use crate::set::ByteSet;
use crate::triplet::triplet;

pub(crate) mod form;
mod output;
mod table;

use table::ENGINES;

/// The codec compiled for one instruction set.
///
/// You needn't choose an engine: every call uses the best engine of this CPU, which is found once. To compare engines,
/// or to avoid one, pass another engine to [`Encoder::with_engine`](crate::Encoder::with_engine) or
/// [`Decoder::with_engine`](crate::Decoder::with_engine). All engines give the same results.
///
/// ```
/// use percent_simd::{Encoder, Engine, sets};
///
/// for engine in Engine::available() {
///     let encoder = Encoder::new(sets::RFC3986_UNRESERVED).with_engine(engine);
///     assert_eq!(encoder.encoded_len("50 %"), Some(8), "{engine}");
/// }
/// assert_eq!(Engine::by_name("scalar").map(Engine::name), Some("scalar"));
/// ```
pub struct Engine {
    name: &'static str,
    works: fn() -> bool,
    kernels: Kernels,
}

/// The operations of one engine, stored as the number of its row in all tables.
///
/// The values in the static `ENGINES` may belong to engines that this CPU can't run. All other values belong to engines
/// that the CPU can run.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    row: u8,
}

/// The row of the engine in use, or [`UNKNOWN`] before the first call.
static ACTIVE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

impl Engine {
    /// Returns the engines that this CPU can run, best first. The first one is in use.
    ///
    /// With the feature `std`, the CPU is asked. Without `std`, there is one engine: the best that the compilation
    /// target guarantees.
    pub fn available() -> impl Iterator<Item = &'static Engine> + Clone {
        ENGINES[..table::COUNT].iter().filter(|engine| (engine.works)())
    }

    /// Returns the engine with this name, if this CPU can run it. The names are `avx512`, `avx2`, `sse42`, `neon`,
    /// `simd128` and `scalar`.
    pub fn by_name(name: &str) -> Option<&'static Engine> {
        Engine::available().find(|engine| engine.name == name)
    }

    /// Returns the engine that calls use by default: the first of [`available`](Self::available).
    #[inline]
    pub fn active() -> &'static Engine {
        &ENGINES[usize::from(Kernels::of(None).row)]
    }

    pub(crate) fn find_members(&self, set: ByteSet, input: &[u8], masks: &mut [u64]) {
        self.kernels.find_members(set, input, masks);
    }

    /// Returns the name of the instruction set.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Engine").field(&self.name).finish()
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Engine) -> bool {
        self.name == other.name
    }
}

impl Eq for Engine {}

/// The kernels that are needed only if an option is set.
struct OptionKernels {
    decode: fn(Kernels, &DecodeProfile, PlusStart, &[u8], &mut [Cell], &mut Option<usize>) -> Progress,
    pluses: fn(Kernels, &DecodeProfile, &[u8], &mut [Cell], &mut Option<usize>) -> Progress,
    survey: fn(Kernels, &DecodeProfile, PlusStart, &[u8], &mut Survey) -> Scan,
}

static OPTION_KERNELS: OptionKernels = OptionKernels {
    decode: Kernels::decode_parts,
    pluses: Kernels::decode_pluses,
    survey: Kernels::decode_survey_options,
};

/// A profile for decoding, and the kernels for its options. Only a setup with an option refers to these kernels, so a
/// program without options does not link them.
#[derive(Clone, Copy)]
pub(crate) struct DecodeSetup {
    profile: DecodeProfile,
    options: Option<&'static OptionKernels>,
}

impl DecodeSetup {
    pub(crate) const LENIENT: DecodeSetup = DecodeSetup { profile: DecodeProfile::LENIENT, options: None };

    /// Does the same as [`DecodeProfile::strict`].
    pub(crate) const fn strict(mut self) -> DecodeSetup {
        self.profile = self.profile.strict();
        self
    }

    /// Returns this setup, changed to copy a malformed `%`.
    pub(crate) fn not_strict(mut self) -> DecodeSetup {
        self.profile.strict = false;
        self
    }

    /// Returns this setup with the kernels that decode `+`.
    pub(crate) const fn for_pluses(mut self) -> DecodeSetup {
        self.options = Some(&OPTION_KERNELS);
        self
    }

    /// Does the same as [`DecodeProfile::keeping`].
    pub(crate) const fn keeping(self, keep: ByteSet, upper: bool) -> DecodeSetup {
        DecodeSetup { profile: self.profile.keeping(keep, upper), options: Some(&OPTION_KERNELS) }
    }

    /// Does the same as [`DecodeProfile::rejecting`].
    pub(crate) const fn rejecting(self, reject: ByteSet) -> DecodeSetup {
        DecodeSetup { profile: self.profile.rejecting(reject), options: Some(&OPTION_KERNELS) }
    }

    /// Returns the kernels for options, or `None` if the plain kernels are enough.
    #[inline(always)]
    fn options_with(&self, plus: PlusStart) -> Option<&'static OptionKernels> {
        debug_assert!(self.options.is_some() || self.profile.is_plain(plus));
        self.options.filter(|_| !self.profile.is_plain(plus))
    }
}

impl Deref for DecodeSetup {
    type Target = DecodeProfile;

    #[inline(always)]
    fn deref(&self) -> &DecodeProfile {
        &self.profile
    }
}

/// Returns the offset of the first `%` or `plus`. If each `+` stays, the caller passes `%` as `plus`.
#[inline]
fn find_change(src: &[u8], plus: u8) -> Option<usize> {
    if cfg!(not(feature = "simd")) {
        src.iter().position(|&byte| byte == b'%' || byte == plus)
    } else if plus == b'%' {
        crate::find::memchr(b'%', src)
    } else {
        crate::find::memchr2(b'%', plus, src)
    }
}

/// The result of a kernel: how much it has read, and the output it has written.
pub(crate) struct KernelRun<'d> {
    /// Bytes of input that were read.
    pub(crate) read: usize,
    /// The written output, at the front of the given memory.
    pub(crate) out: &'d mut [u8],
}

impl<'d> KernelRun<'d> {
    pub(crate) fn progress(&self) -> Progress {
        Progress { read: self.read, written: self.out.len() }
    }

    #[inline]
    fn new(progress: Progress, dst: OutputBuffer<'d>) -> KernelRun<'d> {
        KernelRun { read: progress.read, out: written_by_kernel(dst, progress.written) }
    }
}

/// Returns the first `written` bytes of `dst`, which a kernel has written.
#[inline]
fn written_by_kernel(dst: OutputBuffer<'_>, written: usize) -> &mut [u8] {
    // SAFETY: a kernel writes its output to the front of `dst` without gaps, and returns the number of bytes written.
    unchecked!(dst.assume_written(written))
}

impl Kernels {
    /// Returns the kernels of `engine`, or of the engine in use.
    #[inline]
    pub(crate) fn of(engine: Option<&'static Engine>) -> Kernels {
        if let Some(engine) = engine {
            return engine.kernels;
        }
        if table::COUNT == 1 {
            return Kernels { row: 0 };
        }
        match ACTIVE.load(Ordering::Relaxed) {
            UNKNOWN => Kernels::choose(),
            row => Kernels { row },
        }
    }

    /// If `engine` is `Some`, returns its kernels. Otherwise returns the kernels of the engine in use. Before the first
    /// choice, no engine is in use, so the result is `None`. Calls no function.
    #[inline(always)]
    pub(crate) fn known(engine: Option<&'static Engine>) -> Option<Kernels> {
        if let Some(engine) = engine {
            return Some(engine.kernels);
        }
        if table::COUNT == 1 {
            return Some(Kernels { row: 0 });
        }
        match ACTIVE.load(Ordering::Relaxed) {
            UNKNOWN => None,
            row => Some(Kernels { row }),
        }
    }

    /// Returns the length of the longest input that [`decode_exact`](Self::decode_exact) takes. `decode_exact` needs no
    /// other buffer, even if `dst` ends right after the output.
    #[inline(always)]
    pub(crate) fn decode_exact_max(self) -> usize {
        self.of_row(&table::EXACT_LEN)
    }

    /// Returns whether [`encode_exact`](Self::encode_exact) works on this engine. `encode_exact` needs no other buffer,
    /// even if `dst` ends right after the output.
    #[inline(always)]
    pub(crate) fn has_masked_stores(self) -> bool {
        self.of_row(&table::MASKED_STORES)
    }

    #[cold]
    fn choose() -> Kernels {
        let kernels = Engine::available().next().unwrap_or(&ENGINES[table::COUNT - 1]).kernels;
        ACTIVE.store(kernels.row, Ordering::Relaxed);
        kernels
    }

    /// Converts the front of the UTF-16 `units` to UTF-8, and writes the result to `dst`: see
    /// [`utf16_to_utf8`](Self::utf16_to_utf8).
    #[inline]
    pub(crate) fn utf16_front<'d>(self, units: &[u16], dst: OutputBuffer<'d>) -> KernelRun<'d> {
        KernelRun::new(self.utf16_to_utf8(units, dst.0), dst)
    }

    /// Encodes `src` into `dst`, until `src` ends or `dst` is full.
    #[inline]
    pub(crate) fn encode<'d>(self, profile: &EncodeProfile, src: &[u8], dst: OutputBuffer<'d>) -> KernelRun<'d> {
        match profile.facts.plain {
            true => self.encode_ascii(profile, src, dst),
            false if profile.simple => KernelRun::new(self.encode_pluses(profile, src, dst.0), dst),
            false => KernelRun::new(self.encode_options(profile, src, dst.0), dst),
        }
    }

    /// Encodes like [`encode`](Self::encode), with a plain profile: its set keeps only ASCII, and it has no options.
    #[inline]
    pub(crate) fn encode_ascii<'d>(self, profile: &EncodeProfile, src: &[u8], dst: OutputBuffer<'d>) -> KernelRun<'d> {
        KernelRun::new(self.encode_plain(profile, src, dst.0), dst)
    }

    /// Encodes a short `src` into `dst`. `marks` has a mask for each block of `src`, or is empty. If the bit of a byte
    /// is set, the byte is copied instead of encoded. `dst` needs as much space as `kernel::encode::encode_short`
    /// documents.
    #[inline]
    pub(crate) fn encode_short<'d>(
        self,
        profile: &EncodeProfile,
        src: &[u8],
        marks: &[u64],
        dst: OutputBuffer<'d>,
    ) -> &'d mut [u8] {
        let written = match marks.is_empty() && profile.facts.plain {
            true => self.encode_short_plain(profile, src, dst.0),
            false if marks.is_empty() && profile.simple => self.encode_short_pluses(profile, src, dst.0),
            false => self.encode_short_options(profile, src, marks, dst.0),
        };
        written_by_kernel(dst, written)
    }

    /// Returns how many bytes of `src` would become triplets.
    #[inline(always)] // inlined like `EncodeProfile::is_plain`
    pub(crate) fn encode_count(self, profile: &EncodeProfile, src: &[u8]) -> usize {
        let mut survey = Survey::new(false);
        match profile.is_plain() {
            true => self.encode_survey_plain(profile, src, &mut survey),
            false => self.encode_survey_options(profile, src, &mut survey),
        }
        survey.count
    }

    /// Returns the first block of `src` in which encoding would change a byte.
    #[inline(always)] // inlined like `EncodeProfile::is_plain`
    pub(crate) fn encode_first(self, profile: &EncodeProfile, src: &[u8]) -> FirstChange {
        let mut survey = Survey::new(true);
        match profile.simple {
            true => self.encode_survey_plain(profile, src, &mut survey),
            false => self.encode_survey_options(profile, src, &mut survey),
        }
        survey.first
    }

    /// Counts the changes that decoding would make, up to the first error, or finds the first change: see [`Survey`].
    #[inline]
    fn decode_survey(self, setup: &DecodeSetup, plus: PlusStart, src: &[u8], survey: &mut Survey) -> Scan {
        match setup.options_with(plus) {
            None => self.decode_survey_plain(setup, src, survey),
            Some(kernels) => (kernels.survey)(self, setup, plus, src, survey),
        }
    }

    /// Returns the number of triplets that would be decoded, up to the first error.
    pub(crate) fn decode_count(self, setup: &DecodeSetup, plus: PlusStart, src: &[u8]) -> (usize, Scan) {
        let mut survey = Survey::new(false);
        let scan = self.decode_survey(setup, plus, src, &mut survey);
        (survey.count, scan)
    }

    /// Returns the offset of the first byte of `src` that decoding would change. Returns `None` if no byte would
    /// change, or if an error comes first.
    pub(crate) fn decode_first(self, setup: &DecodeSetup, plus: PlusStart, src: &[u8]) -> (Option<usize>, Scan) {
        let pluses = plus != PlusStart::NONE;
        // In most inputs, decoding changes no byte, or the first change is the first `%` or `+`. For these inputs, a
        // search for `%` or `+` is enough.
        let Some(at) = find_change(src, if pluses { b'+' } else { b'%' }) else {
            return (None, Scan { stopped_at: src.len(), malformed: None });
        };
        let decoded = triplet(src, at).is_some() && setup.facts.plain;
        if decoded || pluses && src[at] == b'+' && at >= plus.from {
            return (Some(at), Scan { stopped_at: at, malformed: None });
        }
        let (first, scan) = self.decode_firsts(setup, plus.advanced(at), &src[at..]);
        let scan = Scan { stopped_at: at + scan.stopped_at, malformed: scan.malformed.map(|first| at + first) };
        (first.offset().map(|first| at + first), scan)
    }

    /// Returns the first block of `src` in which decoding would change a byte, up to the first error.
    pub(crate) fn decode_firsts(self, setup: &DecodeSetup, plus: PlusStart, src: &[u8]) -> (FirstChange, Scan) {
        let mut survey = Survey::new(true);
        let scan = self.decode_survey(setup, plus, src, &mut survey);
        (survey.first, scan)
    }

    /// Decodes `src` into `dst`, until `src` ends, `dst` is full, or an error stops the kernel. If `malformed` is
    /// `None`, sets `malformed` to the offset of the first `%` that starts no triplet.
    #[inline]
    pub(crate) fn decode<'d>(
        self,
        setup: &DecodeSetup,
        plus: PlusStart,
        src: &[u8],
        dst: OutputBuffer<'d>,
        malformed: &mut Option<usize>,
    ) -> KernelRun<'d> {
        let progress = match setup.options_with(plus) {
            None => self.decode_plain(setup, src, dst.0, malformed),
            Some(kernels) if setup.facts.plain && plus == PlusStart::ALL => {
                (kernels.pluses)(self, setup, src, dst.0, malformed)
            }
            Some(kernels) => (kernels.decode)(self, setup, plus, src, dst.0, malformed),
        };
        KernelRun::new(progress, dst)
    }

    /// Decodes `src` in two parts. Each `+` before `plus` is copied, and each later `+` is decoded to a space. The
    /// second part begins at the start of `src` or at a `?`, so the cut is never inside a triplet.
    #[inline(never)]
    fn decode_parts(
        self,
        profile: &DecodeProfile,
        plus: PlusStart,
        src: &[u8],
        dst: &mut [Cell],
        malformed: &mut Option<usize>,
    ) -> Progress {
        let (before, after) = src.split_at(plus.from.min(src.len()));
        let mut done = Progress { read: 0, written: 0 };
        if !before.is_empty() {
            done = match profile.facts.plain {
                true => self.decode_plain(profile, before, dst, malformed),
                false => self.decode_options(profile, false, before, dst, malformed),
            };
        }
        if done.read < before.len() || after.is_empty() {
            return done;
        }
        let mut first = None;
        let rest = &mut dst[done.written..];
        let Progress { read, written } = match profile.facts.plain {
            true => self.decode_pluses(profile, after, rest, &mut first),
            false => self.decode_options(profile, true, after, rest, &mut first),
        };
        *malformed = malformed.or(first.map(|at| before.len() + at));
        Progress { read: done.read + read, written: done.written + written }
    }

    /// Decodes every triplet of a short `src` into `dst`, and every `+` from `plus` on. `dst` needs as much space as
    /// `kernel::decode::decode_short` documents.
    #[inline]
    pub(crate) fn decode_short(self, plus: PlusStart, src: &[u8], dst: OutputBuffer<'_>) -> Short {
        self.decode_short_plain(src, dst.0, plus)
    }
}
