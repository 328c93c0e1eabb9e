//! Lists every operation of the engines once, and makes the tables of all engines from that list. An operation is a
//! static table with a row for each engine. A program contains only the tables of the operations that it calls, and the
//! functions in these tables.

use super::{Engine, Kernels};
use crate::isa::{COMPACTED, Out};
use crate::kernel::form::FormBlock;
use crate::kernel::{DecodeProfile, EncodeProfile, PlusStart, Progress, Scan, Short, Survey};
use crate::output::Cell;
use crate::set::ByteSet;

/// Calls `$make` with all operations. Each operation has four parts:
///
/// - its documentation;
/// - its signature, in which the name in brackets is the token of the instruction set (see isa/mod.rs);
/// - the kernel for instruction sets;
/// - the kernel without vectors, after `or`.
macro_rules! operations {
    ($make:ident $($with:tt)*) => {
        $make! { [$($with)*]
            /// Encodes by a set that keeps only ASCII.
            fn encode_plain[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Progress {
                encode::encode::<_, false>(isa, profile, false, src, dst, &mut ())
            } or {
                scalar::encode(profile, src, dst)
            }
            /// Encodes by a set that keeps only ASCII. Each space becomes `+`.
            fn encode_pluses[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Progress {
                encode::encode::<_, false>(isa, profile, true, src, dst, &mut ())
            } or {
                scalar::encode(profile, src, dst)
            }
            /// Encodes with every option.
            fn encode_options[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Progress {
                encode::encode::<_, true>(isa, profile, profile.plus, src, dst, &mut ())
            } or {
                scalar::encode(profile, src, dst)
            }
            /// Finds the first change that encoding would make: see `Survey`. The set must keep only ASCII. If spaces
            /// don't become `+`, also counts the changes.
            fn encode_survey_plain[isa](profile: &EncodeProfile, src: &[u8], survey: &mut Survey) -> () {
                encode::scan::<_, false>(isa, profile, src, survey);
            } or {
                scalar::encode_scan(profile, src, survey)
            }
            /// Counts the changes that encoding would make, or finds the first change: see `Survey`. Supports every
            /// option.
            fn encode_survey_options[isa](profile: &EncodeProfile, src: &[u8], survey: &mut Survey) -> () {
                encode::scan::<_, true>(isa, profile, src, survey);
            } or {
                scalar::encode_scan(profile, src, survey)
            }
            /// Encodes, and replaces each input offset in `bounds` by the matching output offset. The input offsets
            /// must ascend. The output offsets are correct only if all of `src` was encoded.
            fn encode_rows[isa](
                profile: &EncodeProfile,
                src: &[u8],
                dst: &mut [Cell],
                bounds: &mut [usize]
            ) -> Progress {
                let mut ends = OutputBounds::<true>::new(bounds, 0);
                let progress = if profile.facts.plain {
                    encode::encode::<_, false>(isa, profile, false, src, dst, &mut ends)
                } else {
                    encode::encode::<_, true>(isa, profile, profile.plus, src, dst, &mut ends)
                };
                ends.finish();
                progress
            } or {
                let mut ends = OutputBounds::<true>::new(bounds, 0);
                scalar::encode_scan(profile, src, &mut ends);
                ends.finish();
                scalar::encode(profile, src, dst)
            }
            /// Encodes a short input by a set that keeps only ASCII.
            fn encode_short_plain[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> usize {
                encode::encode_short::<_, false>(isa, profile, false, src, &[], dst)
            } or {
                scalar::encode_short(profile, src, &[], dst)
            }
            /// Encodes a short input by a set that keeps only ASCII. Each space becomes `+`.
            fn encode_short_pluses[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> usize {
                encode::encode_short::<_, false>(isa, profile, true, src, &[], dst)
            } or {
                scalar::encode_short(profile, src, &[], dst)
            }
            /// Encodes a short input with every option, but copies the bytes whose bit in `marks` is set.
            fn encode_short_options[isa](
                profile: &EncodeProfile,
                src: &[u8],
                marks: &[u64],
                dst: &mut [Cell]
            ) -> usize {
                encode::encode_short::<_, true>(isa, profile, profile.plus, src, marks, dst)
            } or {
                scalar::encode_short(profile, src, marks, dst)
            }
            /// Encodes 1 to 16 bytes by a set that keeps only ASCII. Fails if `dst` is too short, with one exception:
            /// if every byte is in the set, vector engines return the length and write no byte.
            fn encode_few_plain[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Short {
                encode::encode_few(isa, profile, false, src, dst).into()
            } or {
                scalar::encode_few(profile, src, dst)
            }
            /// Does the same as `encode_few_plain`, but each space becomes `+`.
            fn encode_few_pluses[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Short {
                encode::encode_few(isa, profile, true, src, dst).into()
            } or {
                scalar::encode_few(profile, src, dst)
            }
            /// Encodes a short input by a set that keeps only ASCII. Writes no byte after the end of the output. Fails
            /// if `dst` is too short, and on engines without masked stores. Spaces may become `+`.
            fn encode_exact[isa](profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Short {
                if MASKED_STORES { encode::encode_exact(isa, profile, src, dst).into() } else { Short::NONE }
            } or {
                let _ = (profile, src, dst);
                Short::NONE
            }
            /// Decodes every triplet, and copies all other bytes.
            fn decode_plain[isa](
                profile: &DecodeProfile,
                src: &[u8],
                dst: &mut [Cell],
                malformed: &mut Option<usize>
            ) -> Progress {
                decode::decode::<_, false>(isa, profile, false, src, dst, malformed, &mut ())
            } or {
                scalar::decode_plain(profile, src, dst, malformed)
            }
            /// Decodes every triplet, and every `+` to a space, and copies all other bytes.
            fn decode_pluses[isa](
                profile: &DecodeProfile,
                src: &[u8],
                dst: &mut [Cell],
                malformed: &mut Option<usize>
            ) -> Progress {
                decode::decode::<_, false>(isa, profile, true, src, dst, malformed, &mut ())
            } or {
                scalar::decode(profile, true, src, dst, malformed)
            }
            /// Decodes with any options. If `pluses` is true, each `+` is a space.
            fn decode_options[isa](
                profile: &DecodeProfile,
                pluses: bool,
                src: &[u8],
                dst: &mut [Cell],
                malformed: &mut Option<usize>
            ) -> Progress {
                decode::decode::<_, true>(isa, profile, pluses, src, dst, malformed, &mut ())
            } or {
                scalar::decode(profile, pluses, src, dst, malformed)
            }
            /// Counts the changes that decoding would make up to the first error, or finds the first change: see
            /// `Survey`. Every triplet is decoded.
            fn decode_survey_plain[isa](profile: &DecodeProfile, src: &[u8], survey: &mut Survey) -> Scan {
                decode::scan::<_, false>(isa, profile, PlusStart::NONE, src, survey)
            } or {
                scalar::decode_scan_plain(profile.strict, src, survey)
            }
            /// Counts the changes that decoding would make up to the first error, or finds the first change: see
            /// `Survey`. Supports every option.
            fn decode_survey_options[isa](
                profile: &DecodeProfile,
                plus: PlusStart,
                src: &[u8],
                survey: &mut Survey
            ) -> Scan {
                decode::scan::<_, true>(isa, profile, plus, src, survey)
            } or {
                scalar::decode_scan(profile, plus, src, survey)
            }
            /// Decodes from offset `start` of `src` on, and replaces each input offset in `bounds` by the matching
            /// output offset. The input offsets must ascend, must be at least `start`, and must not be inside a
            /// triplet. After an error, the bounds up to the error are replaced, and bounds in the next 64 bytes are
            /// unspecified. If `pluses` is true, each `+` is a space.
            fn decode_rows[isa](
                profile: &DecodeProfile,
                pluses: bool,
                src: &[u8],
                start: usize,
                dst: &mut [Cell],
                bounds: &mut [usize]
            ) -> Progress {
                let mut ends = OutputBounds::<false>::new(bounds, start);
                let src = &src[start..];
                let progress = if profile.facts.plain && !pluses {
                    decode::decode::<_, false>(isa, profile, false, src, dst, &mut None, &mut ends)
                } else {
                    decode::decode::<_, true>(isa, profile, pluses, src, dst, &mut None, &mut ends)
                };
                if progress.read == src.len() {
                    ends.finish();
                }
                progress
            } or {
                let mut ends = OutputBounds::<false>::new(bounds, start);
                let src = &src[start..];
                let scanned = scalar::decode_scan(profile, PlusStart::NONE, src, &mut ends);
                if scanned.stopped_at == src.len() {
                    ends.finish();
                }
                scalar::decode(profile, pluses, src, dst, &mut None)
            }
            /// Decodes every triplet of a short input. From the offset in `plus` on, also decodes every `+` to a space.
            fn decode_short_plain[isa](src: &[u8], dst: &mut [Cell], plus: PlusStart) -> Short {
                decode::decode_short(isa, src, dst, plus)
            } or {
                scalar::decode_short(plus, src, dst)
            }
            /// Decodes every triplet of a short input. If `pluses` is true, also decodes every `+` to a space. Writes
            /// the output directly to `dst`, without another buffer, even if `dst` ends right after the output. The
            /// input must have at most [`decode_exact_max`](Self::decode_exact_max) bytes. Fails if `dst` is too short,
            /// or if the engine can't decode the input without another buffer.
            fn decode_exact[isa](src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
                if !MASKED_STORES {
                    decode::decode_tiny(isa, src, pluses, dst)
                } else if src.len() <= BLOCK {
                    decode::decode_block(isa, src, pluses, dst)
                } else {
                    decode_longer(src, dst, pluses)
                }
            } or {
                scalar::decode_tiny(src, pluses, dst)
            }
            /// Decodes like [`decode_exact`](Self::decode_exact), in place. If `refused` is true and a `%` is
            /// malformed, the buffer stays unchanged.
            fn decode_exact_in_place[isa](buffer: &mut [u8], refused: bool) -> Short {
                if MASKED_STORES {
                    decode::decode_short_in_place(isa, buffer, refused)
                } else {
                    decode::decode_tiny_in_place(isa, buffer, refused)
                }
            } or {
                let _ = (buffer, refused);
                Short::NONE
            }
            /// Writes a mask for each block of `src`. A bit is set if its byte is in `set`.
            fn find_members[isa](set: ByteSet, src: &[u8], found: &mut [u64]) -> () {
                masks::masks(isa, set, src, found)
            } or {
                scalar::masks(set, src, found)
            }
            /// Returns whether every byte of `src` is in a set of ASCII bytes. `row` is the lower half of the set's
            /// `NibbleTable`.
            fn all_bytes[isa](row: &[u8; 16], src: &[u8]) -> bool {
                masks::all(isa, row, src)
            } or {
                scalar::all(row, src)
            }
            /// Returns whether `src` has a `%` or, if `plus` is true, a `+`.
            fn has_change[isa](plus: bool, src: &[u8]) -> bool {
                if plus { masks::has_change::<_, true>(isa, src) } else { masks::has_change::<_, false>(isa, src) }
            } or {
                crate::engine::find_change(src, if plus { b'+' } else { b'%' }).is_some()
            }
            /// Returns `None` if `src` is UTF-8. Otherwise returns an offset near the first error: all characters that
            /// end at least three bytes before this offset are valid.
            fn utf8_error[isa](src: &[u8]) -> Option<usize> {
                utf8::utf8_error(isa, src)
            } or {
                core::str::from_utf8(src).err().map(|error| error.valid_up_to())
            }
            /// Returns the length of the longest prefix of `src` that is ASCII and has no `%`. The engine may also
            /// return a smaller length.
            fn unescaped_ascii_len[isa](src: &[u8]) -> usize {
                utf8::unescaped_ascii_len(isa, src)
            } or {
                let _ = src;
                0
            }
            /// Converts the UTF-16 `units` to UTF-8 in `dst`, up to the first surrogate or the end of `dst`. The engine
            /// may stop a few units earlier.
            fn utf16_to_utf8[isa](units: &[u16], dst: &mut [Cell]) -> Progress {
                utf16::to_utf8(isa, units, dst)
            } or {
                let _ = (units, dst);
                Progress { read: 0, written: 0 }
            }
            /// Scans the first 64 bytes of a form, and decodes them.
            fn scan_form_block[isa](
                src: &[u8],
                separator: u8,
                block: &mut FormBlock,
                decoded: &mut Out<COMPACTED>
            ) -> () {
                form::scan(isa, src, separator, block, decoded)
            } or {
                scalar::scan_form_block(src, separator, block, decoded)
            }
        }
    };
}

/// Makes an array with the `$item` of each engine, the best engine first. The last engine works on every CPU.
macro_rules! rows {
    ($item:ident) => {
        [
            #[cfg(isa_avx512)]
            avx512::$item,
            #[cfg(isa_avx2)]
            avx2::$item,
            #[cfg(isa_sse42)]
            sse42::$item,
            #[cfg(isa_neon)]
            neon::$item,
            #[cfg(isa_simd128)]
            simd128::$item,
            #[cfg(isa_emulated)]
            emulated64::$item,
            #[cfg(isa_emulated)]
            emulated32::$item,
            #[cfg(isa_emulated)]
            emulated16::$item,
            scalar::$item,
        ]
    };
}

/// The number of compiled engines.
const ALL: usize = rows!(ENGINE).len();

/// The number of engines to choose from. Without `std`, the CPU is not asked, so only the best engine of the target is
/// linked.
pub(super) const COUNT: usize = if cfg!(any(feature = "std", test, isa_emulated)) { ALL } else { 1 };

/// The length of the longest input of [`Kernels::decode_exact`], for each engine.
pub(super) static EXACT_LEN: [usize; ALL] = rows!(EXACT_LEN);

/// Whether [`Kernels::encode_exact`] works, for each engine.
pub(super) static MASKED_STORES: [bool; ALL] = rows!(MASKED_STORES);

/// All compiled engines, best first.
pub(super) static ENGINES: [Engine; ALL] = {
    let mut engines = rows!(ENGINE);
    let mut row = 0;
    while row < ALL {
        engines[row].kernels.row = row as u8;
        row += 1;
    }
    engines
};

#[cfg(feature = "simd")]
macro_rules! methods {
    ([] $(
        $(#[$doc:meta])*
        fn $name:ident[$isa:ident]($($arg:ident: $type:ty),*) -> $ret:ty $kernel:block or $scalar:block
    )*) => {
        impl Kernels {
            $(
                $(#[$doc])*
                #[inline]
                pub(crate) fn $name(self, $($arg: $type),*) -> $ret {
                    const ROWS: [unsafe fn($($type),*) -> $ret; ALL] = rows!($name);
                    if COUNT == 1 {
                        // SAFETY: this engine is the only one, and works on every CPU of the target.
                        return unsafe { ROWS[0]($($arg),*) };
                    }
                    static CHOICES: [unsafe fn($($type),*) -> $ret; ALL] = ROWS;
                    // SAFETY: callers get an engine only if it works on this CPU, and its row has the functions that
                    // were compiled for it.
                    unsafe { self.of_row(&CHOICES)($($arg),*) }
                }
            )*
        }
    };
}

#[cfg(not(feature = "simd"))]
macro_rules! methods {
    ([] $(
        $(#[$doc:meta])*
        fn $name:ident[$isa:ident]($($arg:ident: $type:ty),*) -> $ret:ty $kernel:block or $scalar:block
    )*) => {
        impl Kernels {
            $(
                $(#[$doc])*
                #[inline]
                pub(crate) fn $name(self, $($arg: $type),*) -> $ret {
                    scalar::$name($($arg),*)
                }
            )*
        }
    };
}

operations!(methods);

impl Kernels {
    /// Returns whether `src` is UTF-8.
    #[inline]
    pub(crate) fn is_utf8(self, src: &[u8]) -> bool {
        self.utf8_error(src).is_none()
    }

    /// Returns the entry of `table` for this engine.
    #[inline(always)]
    pub(super) fn of_row<T: Copy>(self, table: &[T; ALL]) -> T {
        debug_assert!(usize::from(self.row) < ALL);
        cfg_if::cfg_if! {
            if #[cfg(feature = "simd")] {
                // SAFETY: a row is an index of `ENGINES`, which has the same length as `table`. We avoid the bounds
                // check, because its panic would give a stack frame to functions that only call an engine.
                unsafe { *table.get_unchecked(usize::from(self.row)) }
            } else {
                table[0]
            }
        }
    }
}

const fn engine(name: &'static str, works: fn() -> bool) -> Engine {
    Engine { name, works, kernels: Kernels { row: 0 } }
}

/// Defines the module of an instruction set. For each operation, the module has a function with the target features,
/// into which the kernel is inlined.
#[cfg(isa_simd)]
macro_rules! engine {
    ($name:ident, $token:ty, $works:expr, #[$features:meta]) => {
        mod $name {
            use super::*;
            use crate::isa::{BLOCK, Isa};
            use crate::kernel::{OutputBounds, decode, encode, form, masks, utf8, utf16};

            pub(super) const ENGINE: Engine = engine(stringify!($name), || $works);
            pub(super) const MASKED_STORES: bool = <$token as Isa>::MASKED_STORES;
            pub(super) const EXACT_LEN: usize = if MASKED_STORES { decode::EXACT_MASKED } else { decode::EXACT };

            /// Decodes the inputs of `decode_exact` that are longer than a block. They need code that saves registers.
            /// The code is in this separate function, so that `decode_exact` saves no register for shorter inputs.
            #[$features]
            #[cfg_attr(not(isa_emulated), inline(never))]
            fn decode_longer(src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
                let isa = <$token>::new();
                if src.len() <= 2 * BLOCK {
                    return decode::decode_two(isa, src, dst, pluses);
                }
                if let Some(result) = decode::decode_four_short(isa, src, dst, pluses) {
                    return result;
                }
                decode_many(src, dst, pluses)
            }

            /// Decodes the inputs of `decode_longer` that need a loop. The loop loads constants first. It is in this
            /// separate function, so that only these inputs wait for the loads.
            #[$features]
            #[cfg_attr(not(isa_emulated), inline(never))]
            fn decode_many(src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
                let isa = <$token>::new();
                // With a constant in place of `pluses`, the loop has no branch on `pluses`.
                match pluses {
                    true => decode::decode_many(isa, src, dst, true),
                    false => decode::decode_many(isa, src, dst, false),
                }
            }

            operations!(kernels_with_features $token, #[$features]);
        }
    };
}

#[cfg(isa_simd)]
macro_rules! kernels_with_features {
    ([$token:ty, #[$features:meta]] $(
        $(#[$doc:meta])*
        fn $name:ident[$isa:ident]($($arg:ident: $type:ty),*) -> $ret:ty $kernel:block or $scalar:block
    )*) => {
        $(
            #[$features]
            pub(super) fn $name($($arg: $type),*) -> $ret {
                let $isa = <$token>::new();
                $kernel
            }
        )*
    };
}

/// Returns true if the CPU has all the features that the macro is given.
#[cfg(any(isa_avx512, isa_avx2, isa_sse42))]
macro_rules! x86_has {
    ($($feature:tt),+) => {{
        #[cfg(feature = "std")]
        let has = $(std::arch::is_x86_feature_detected!($feature))&&+;
        // Without `std`, this code is compiled only if every CPU of the target has the features.
        #[cfg(not(feature = "std"))]
        let has = true;
        has
    }};
}

#[cfg(isa_avx512)]
engine!(
    avx512,
    crate::isa::avx512::Avx512,
    x86_has!("avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"),
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
);
#[cfg(isa_avx2)]
engine!(
    avx2,
    crate::isa::avx2::Avx2,
    x86_has!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt"),
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
);
#[cfg(isa_sse42)]
engine!(
    sse42,
    crate::isa::sse42::Sse42,
    x86_has!("sse4.2", "popcnt"),
    #[target_feature(enable = "sse4.2,popcnt")]
);
// NEON is part of every target that has `isa_neon` set.
#[cfg(isa_neon)]
engine!(neon, crate::isa::neon::Neon, true, #[target_feature(enable = "neon")]);
// If a module was compiled with simd128, only WebAssembly engines with simd128 can load it. So no check is needed.
#[cfg(isa_simd128)]
engine!(simd128, crate::isa::simd128::Simd128, true, #[target_feature(enable = "simd128")]);

// For tests.
#[cfg(isa_emulated)]
engine!(emulated64, crate::isa::emulated::Emulated64, true, #[inline(never)]);
#[cfg(isa_emulated)]
engine!(emulated32, crate::isa::emulated::Emulated32, true, #[inline(never)]);
#[cfg(isa_emulated)]
engine!(emulated16, crate::isa::emulated::Emulated16, true, #[inline(never)]);

/// The engine without vectors.
mod scalar {
    use super::*;
    use crate::kernel::{OutputBounds, scalar};

    pub(super) const ENGINE: Engine = engine("scalar", || true);
    pub(super) const EXACT_LEN: usize = scalar::TINY;
    pub(super) const MASKED_STORES: bool = false;

    macro_rules! kernels_without_features {
        ([] $(
            $(#[$doc:meta])*
            fn $name:ident[$isa:ident]($($arg:ident: $type:ty),*) -> $ret:ty $kernel:block or $scalar:block
        )*) => {
            $(
                #[cfg_attr(not(feature = "simd"), inline(never))] // each has several callers
                pub(super) fn $name($($arg: $type),*) -> $ret $scalar
            )*
        };
    }

    operations!(kernels_without_features);
}

#[cfg(test)]
mod tests {
    use super::{ALL, ENGINES};

    #[test]
    fn each_engine_calls_by_its_own_row() {
        let rows = ENGINES.iter().map(|engine| usize::from(engine.kernels.row));
        assert!(rows.eq(0..ALL));
    }
}
