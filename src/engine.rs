//! [`Engine`]: the codec compiled for one instruction set, and the choice among them.

use core::fmt;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use cfg_if::cfg_if;

use crate::kernel::form::FormBlock;
use crate::kernel::{DecodeProfile, EncodeProfile, FirstChange, PlusStart, Progress, Scan};

/// The codec compiled for one instruction set.
///
/// There is no need to choose one: every call uses the best that the CPU has, found out once. To compare them, or to
/// rule one out, pass one to [`Encoder::with_engine`](crate::Encoder::with_engine) or
/// [`Decoder::with_engine`](crate::Decoder::with_engine). All give the same results.
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
    // The contract of each: it may be called where `works` has returned true.
    encode: unsafe fn(&EncodeProfile, &[u8], &mut [MaybeUninit<u8>]) -> Progress,
    encode_count: unsafe fn(&EncodeProfile, &[u8]) -> usize,
    encode_first: unsafe fn(&EncodeProfile, &[u8]) -> FirstChange,
    encode_with_offsets: unsafe fn(&EncodeProfile, &[u8], &mut [MaybeUninit<u8>], &mut [usize]) -> Progress,
    decode: unsafe fn(&DecodeProfile, PlusStart, &[u8], &mut [MaybeUninit<u8>], &mut Option<usize>) -> Progress,
    decode_count: unsafe fn(&DecodeProfile, PlusStart, &[u8]) -> (usize, Scan),
    decode_first: unsafe fn(&DecodeProfile, PlusStart, &[u8]) -> (Option<usize>, Scan),
    decode_with_offsets: unsafe fn(&DecodeProfile, PlusStart, &[u8], &mut [MaybeUninit<u8>], &mut [usize]) -> Progress,
    count_percent: unsafe fn(&[u8]) -> usize,
    is_utf8: unsafe fn(&[u8]) -> bool,
    scan_form_block: unsafe fn(&[u8], u8, &mut FormBlock),
    encode_short: unsafe fn(&EncodeProfile, &[u8], &[u64], &mut [MaybeUninit<u8>]) -> usize,
    decode_short: unsafe fn(&[u8], &mut [MaybeUninit<u8>]) -> (usize, bool),
}

/// The engine in use, null before the first call.
static ACTIVE: AtomicPtr<Engine> = AtomicPtr::new(ptr::null_mut());

impl Engine {
    /// The engines that this CPU can run, best first; the first is the one in use.
    ///
    /// With the feature `std` the CPU is asked; without it, only what the compilation target guarantees counts.
    pub fn available() -> impl Iterator<Item = &'static Engine> + Clone {
        ENGINES.iter().filter(|engine| (engine.works)())
    }

    /// The engine of this name, if this CPU can run it: `avx512`, `avx2`, `sse42`, `neon`, `simd128` or `scalar`.
    pub fn by_name(name: &str) -> Option<&'static Engine> {
        Engine::available().find(|engine| engine.name == name)
    }

    /// The engine in use where none is given: the first of [`available`](Self::available).
    #[inline]
    pub fn active() -> &'static Engine {
        // SAFETY: the pointer is null or was made, in `choose`, from a reference to a static. Nothing is published
        // through it that was not there before the program started, so relaxed order will do.
        match unsafe { ACTIVE.load(Ordering::Relaxed).as_ref() } {
            Some(engine) => engine,
            None => Engine::choose(),
        }
    }

    #[cold]
    fn choose() -> &'static Engine {
        let engine = Engine::available().next().unwrap_or(&ENGINES[ENGINES.len() - 1]);
        ACTIVE.store(ptr::from_ref(engine).cast_mut(), Ordering::Relaxed);
        engine
    }

    /// The name of the instruction set.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

// SAFETY, for all of these: a reference to an engine is handed out only by `available`, `by_name` and `active`, and
// only where `works` has returned true.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Engine {
    #[inline]
    pub(crate) fn encode(&self, profile: &EncodeProfile, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
        unsafe { (self.encode)(profile, src, dst) }
    }

    /// How many bytes would become triplets.
    #[inline]
    pub(crate) fn encode_count(&self, profile: &EncodeProfile, src: &[u8]) -> usize {
        unsafe { (self.encode_count)(profile, src) }
    }

    /// The first bytes that encoding would change.
    #[inline]
    pub(crate) fn encode_first(&self, profile: &EncodeProfile, src: &[u8]) -> FirstChange {
        unsafe { (self.encode_first)(profile, src) }
    }

    /// Encodes, for which `dst` must have room, and at each of `bounds`, ascending offsets, puts how many bytes before it
    /// have become triplets.
    #[inline]
    pub(crate) fn encode_with_offsets(
        &self,
        profile: &EncodeProfile,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
        bounds: &mut [usize],
    ) -> Progress {
        unsafe { (self.encode_with_offsets)(profile, src, dst, bounds) }
    }

    /// Where a `%` starts no triplet, and `malformed` is none, it becomes its offset.
    #[inline]
    pub(crate) fn decode(
        &self,
        profile: &DecodeProfile,
        plus: PlusStart,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
        malformed: &mut Option<usize>,
    ) -> Progress {
        unsafe { (self.decode)(profile, plus, src, dst, malformed) }
    }

    /// How many triplets would be decoded, up to where decoding would stop.
    #[inline]
    pub(crate) fn decode_count(&self, profile: &DecodeProfile, plus: PlusStart, src: &[u8]) -> (usize, Scan) {
        unsafe { (self.decode_count)(profile, plus, src) }
    }

    /// Offset of the first byte that decoding would change, unless it stops before that.
    #[inline]
    pub(crate) fn decode_first(&self, profile: &DecodeProfile, plus: PlusStart, src: &[u8]) -> (Option<usize>, Scan) {
        unsafe { (self.decode_first)(profile, plus, src) }
    }

    /// Decodes, for which `dst` must have room, and at each of `bounds`, ascending offsets, puts how many triplets before it
    /// were decoded.
    #[inline]
    pub(crate) fn decode_with_offsets(
        &self,
        profile: &DecodeProfile,
        plus: PlusStart,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
        bounds: &mut [usize],
    ) -> Progress {
        unsafe { (self.decode_with_offsets)(profile, plus, src, dst, bounds) }
    }

    /// How many `%` are in `src`.
    #[inline]
    pub(crate) fn count_percent(&self, src: &[u8]) -> usize {
        unsafe { (self.count_percent)(src) }
    }

    #[inline]
    pub(crate) fn is_utf8(&self, src: &[u8]) -> bool {
        unsafe { (self.is_utf8)(src) }
    }

    /// Looks at the first 64 bytes of a form.
    #[inline]
    pub(crate) fn scan_form_block(&self, src: &[u8], second: u8, window: &mut FormBlock) {
        unsafe { (self.scan_form_block)(src, second, window) }
    }

    /// Encodes what is short, but for the bytes marked; how many bytes that makes. See the kernel for the room it needs.
    #[inline]
    pub(crate) fn encode_short(
        &self,
        profile: &EncodeProfile,
        src: &[u8],
        marks: &[u64],
        dst: &mut [MaybeUninit<u8>],
    ) -> usize {
        unsafe { (self.encode_short)(profile, src, marks, dst) }
    }

    /// Decodes every triplet of what is short; how many bytes that makes, and whether each `%` started one. See the kernel for
    /// the room it needs.
    #[inline]
    pub(crate) fn decode_short(&self, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> (usize, bool) {
        unsafe { (self.decode_short)(src, dst) }
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

/// The module of an instruction set: its row of the table, and the shells that carry its features. A kernel is inlined
/// into a shell once for the plain profile and once for all others.
#[cfg(isa_simd)]
macro_rules! engine {
    ($name:ident, $token:ty, $works:expr, #[$features:meta]) => {
        mod $name {
            use core::mem::MaybeUninit;

            use super::Engine;
            use crate::kernel::{
                Count, CountAt, DecodeProfile, EncodeProfile, FirstChange, PlusStart, Progress, Scan,
                decode as decoding, encode as encoding, form, utf8,
            };

            pub(super) const ENGINE: Engine = Engine {
                name: stringify!($name),
                works: || $works,
                encode,
                encode_count,
                encode_first,
                encode_with_offsets,
                decode,
                decode_count,
                decode_first,
                decode_with_offsets,
                count_percent,
                is_utf8,
                scan_form_block,
                encode_short,
                decode_short,
            };

            #[$features]
            fn encode(profile: &EncodeProfile, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
                #[$features]
                #[inline(never)]
                fn full(profile: &EncodeProfile, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
                    encoding::encode::<_, true>(<$token>::new(), profile, src, dst, &mut ())
                }
                if profile.is_plain() {
                    encoding::encode::<_, false>(<$token>::new(), profile, src, dst, &mut ())
                } else {
                    full(profile, src, dst)
                }
            }

            #[$features]
            fn encode_count(profile: &EncodeProfile, src: &[u8]) -> usize {
                let mut count = Count(0);
                if profile.is_plain() {
                    encoding::scan::<_, false>(<$token>::new(), profile, src, &mut count);
                } else {
                    encoding::scan::<_, true>(<$token>::new(), profile, src, &mut count);
                }
                count.0
            }

            #[$features]
            fn encode_first(profile: &EncodeProfile, src: &[u8]) -> FirstChange {
                let mut first = FirstChange::default();
                if profile.is_plain() {
                    encoding::scan::<_, false>(<$token>::new(), profile, src, &mut first);
                } else {
                    encoding::scan::<_, true>(<$token>::new(), profile, src, &mut first);
                }
                first
            }

            #[$features]
            fn encode_with_offsets(
                profile: &EncodeProfile,
                src: &[u8],
                dst: &mut [MaybeUninit<u8>],
                bounds: &mut [usize],
            ) -> Progress {
                let mut before = CountAt::new(bounds);
                let progress = if profile.is_plain() {
                    encoding::encode::<_, false>(<$token>::new(), profile, src, dst, &mut before)
                } else {
                    encoding::encode::<_, true>(<$token>::new(), profile, src, dst, &mut before)
                };
                before.finish();
                progress
            }

            #[$features]
            fn decode(
                profile: &DecodeProfile,
                plus: PlusStart,
                src: &[u8],
                dst: &mut [MaybeUninit<u8>],
                malformed: &mut Option<usize>,
            ) -> Progress {
                #[$features]
                #[inline(never)]
                fn full(
                    profile: &DecodeProfile,
                    plus: PlusStart,
                    src: &[u8],
                    dst: &mut [MaybeUninit<u8>],
                    malformed: &mut Option<usize>,
                ) -> Progress {
                    decoding::decode::<_, true>(<$token>::new(), profile, plus, src, dst, malformed, &mut ())
                }
                if profile.is_plain(plus) {
                    decoding::decode::<_, false>(<$token>::new(), profile, plus, src, dst, malformed, &mut ())
                } else {
                    full(profile, plus, src, dst, malformed)
                }
            }

            #[$features]
            fn decode_count(profile: &DecodeProfile, plus: PlusStart, src: &[u8]) -> (usize, Scan) {
                let mut count = Count(0);
                let scanned = if profile.is_plain(plus) {
                    decoding::scan::<_, false>(<$token>::new(), profile, plus, src, &mut count)
                } else {
                    decoding::scan::<_, true>(<$token>::new(), profile, plus, src, &mut count)
                };
                (count.0, scanned)
            }

            #[$features]
            fn decode_first(profile: &DecodeProfile, plus: PlusStart, src: &[u8]) -> (Option<usize>, Scan) {
                let mut first = FirstChange::default();
                let scanned = if profile.is_plain(plus) {
                    decoding::scan::<_, false>(<$token>::new(), profile, plus, src, &mut first)
                } else {
                    decoding::scan::<_, true>(<$token>::new(), profile, plus, src, &mut first)
                };
                (first.offset(), scanned)
            }

            #[$features]
            fn decode_with_offsets(
                profile: &DecodeProfile,
                plus: PlusStart,
                src: &[u8],
                dst: &mut [MaybeUninit<u8>],
                bounds: &mut [usize],
            ) -> Progress {
                let mut before = CountAt::new(bounds);
                let progress = if profile.is_plain(plus) {
                    decoding::decode::<_, false>(<$token>::new(), profile, plus, src, dst, &mut None, &mut before)
                } else {
                    decoding::decode::<_, true>(<$token>::new(), profile, plus, src, dst, &mut None, &mut before)
                };
                before.finish();
                progress
            }

            #[$features]
            fn count_percent(src: &[u8]) -> usize {
                decoding::count_percent(<$token>::new(), src)
            }

            #[$features]
            fn is_utf8(src: &[u8]) -> bool {
                utf8::is_utf8(<$token>::new(), src)
            }

            #[$features]
            fn scan_form_block(src: &[u8], second: u8, window: &mut form::FormBlock) {
                form::scan(<$token>::new(), src, second, window)
            }

            #[$features]
            fn encode_short(profile: &EncodeProfile, src: &[u8], marks: &[u64], dst: &mut [MaybeUninit<u8>]) -> usize {
                #[$features]
                #[inline(never)]
                fn full(profile: &EncodeProfile, src: &[u8], marks: &[u64], dst: &mut [MaybeUninit<u8>]) -> usize {
                    encoding::encode_short::<_, true>(<$token>::new(), profile, src, marks, dst)
                }
                if marks.is_empty() && profile.is_plain() {
                    encoding::encode_short::<_, false>(<$token>::new(), profile, src, marks, dst)
                } else {
                    full(profile, src, marks, dst)
                }
            }

            #[$features]
            fn decode_short(src: &[u8], dst: &mut [MaybeUninit<u8>]) -> (usize, bool) {
                decoding::decode_short(<$token>::new(), src, dst)
            }
        }
    };
}

/// Whether the CPU has all of these.
#[cfg(isa_x86)]
macro_rules! x86_has {
    ($($feature:tt),+) => {{
        #[cfg(feature = "std")]
        let has = $(std::arch::is_x86_feature_detected!($feature))&&+;
        #[cfg(not(feature = "std"))]
        let has = $(cfg!(target_feature = $feature))&&+;
        has
    }};
}

// ENGINES: all that were compiled, best first. The last one works everywhere.
cfg_if! {
    if #[cfg(isa_x86)] {
        engine!(
            avx512,
            crate::isa::avx512::Avx512,
            x86_has!(
                "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"
            ),
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
        );
        engine!(
            avx2,
            crate::isa::avx2::Avx2,
            x86_has!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt"),
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        );
        engine!(
            sse42,
            crate::isa::sse42::Sse42,
            x86_has!("sse4.2", "popcnt"),
            #[target_feature(enable = "sse4.2,popcnt")]
        );
        static ENGINES: &[Engine] = &[avx512::ENGINE, avx2::ENGINE, sse42::ENGINE, scalar::ENGINE];
    } else if #[cfg(isa_neon)] {
        // NEON is part of every target that has `isa_neon` set.
        engine!(neon, crate::isa::neon::Neon, true, #[target_feature(enable = "neon")]);
        static ENGINES: &[Engine] = &[neon::ENGINE, scalar::ENGINE];
    } else if #[cfg(isa_simd128)] {
        // A module compiled with simd128 does not load where there is none.
        engine!(simd128, crate::isa::simd128::Simd128, true, #[target_feature(enable = "simd128")]);
        static ENGINES: &[Engine] = &[simd128::ENGINE, scalar::ENGINE];
    } else {
        static ENGINES: &[Engine] = &[scalar::ENGINE];
    }
}

mod scalar {
    use super::Engine;
    use crate::kernel::{Count, CountAt, FirstChange, scalar};

    pub(super) const ENGINE: Engine = Engine {
        name: "scalar",
        works: || true,
        encode: scalar::encode,
        encode_count: |profile, src| {
            if profile.is_plain() {
                return src.iter().filter(|&&octet| !profile.allowed.contains(octet)).count();
            }
            let mut count = Count(0);
            scalar::encode_scan(profile, src, &mut count);
            count.0
        },
        encode_first: |profile, src| {
            let mut first = FirstChange::default();
            scalar::encode_scan(profile, src, &mut first);
            first
        },
        encode_with_offsets: |profile, src, dst, bounds| {
            let mut before = CountAt::new(bounds);
            scalar::encode_scan(profile, src, &mut before);
            before.finish();
            scalar::encode(profile, src, dst)
        },
        decode: scalar::decode,
        decode_count: |profile, plus, src| {
            let mut count = Count(0);
            let scanned = scalar::decode_scan(profile, plus, src, &mut count);
            (count.0, scanned)
        },
        decode_first: |profile, plus, src| {
            let mut first = FirstChange::default();
            let scanned = scalar::decode_scan(profile, plus, src, &mut first);
            (first.offset(), scanned)
        },
        decode_with_offsets: |profile, plus, src, dst, bounds| {
            let mut before = CountAt::new(bounds);
            scalar::decode_scan(profile, plus, src, &mut before);
            before.finish();
            scalar::decode(profile, plus, src, dst, &mut None)
        },
        count_percent: |src| memchr::memchr_iter(b'%', src).count(),
        is_utf8: |src| core::str::from_utf8(src).is_ok(),
        scan_form_block: scalar::scan_form_block,
        encode_short: scalar::encode_short,
        decode_short: scalar::decode_short,
    };
}
