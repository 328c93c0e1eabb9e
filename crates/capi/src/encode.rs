//! Encodes bytes.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use percent_simd::batch::Offset;
use percent_simd::internal::BatchProgress;
use percent_simd::{RawEncoder, internal, presets};

use crate::codec::{Codec, Rows};
use crate::memory::{self, Opaque, Region, apart, are_apart, bytes, name};
use crate::pct_status::{self, *};
use crate::{Others, PCT_NONE, answer_apart, engine, pct_result, pct_set};

/// Writes hexadecimal digits in lower case. The default is upper case, as RFC 3986 asks.
pub const PCT_ENCODE_LOWERCASE: u32 = 1;
/// Writes a space as "+", even if the space is in the set. The set should not contain "+", because a "+" that is kept
/// would later be decoded to a space.
pub const PCT_ENCODE_SPACE_TO_PLUS: u32 = 2;
/// Keeps valid triplets, so that encoded text is not encoded twice. Every other "%" becomes "%25".
pub const PCT_ENCODE_KEEP_TRIPLETS: u32 = 4;

/// Holds the options of an encoder.
///
/// Begin with PCT_ENCODE_OPTIONS, which sets `size` to sizeof(pct_encode_options) and the rest to zero. Then set the
/// options you want.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pct_encode_options {
    /// sizeof(pct_encode_options).
    pub size: usize,
    /// PCT_ENCODE_ flags, combined with |.
    pub flags: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The bytes that are not encoded. All others become triplets.
    pub allowed: pct_set,
    /// The engine to use, or null for the best one.
    pub engine: *const c_char,
}

/// Holds an encoder: its set and its options.
///
/// An encoder lives in your memory, holds no resources, and needs no clean-up. Once initialised it may be copied, and any
/// number of threads may use it at the same time.
#[repr(C)]
pub struct pct_encoder {
    /// Private.
    pub opaque: [MaybeUninit<u64>; 24],
}

#[derive(Clone, Copy)]
pub(crate) struct Encoding {
    pub(crate) encoder: RawEncoder,
    /// True if a space becomes `+`. If so, the output can differ from the input although both have the same length.
    plus: bool,
}

impl Encoding {
    pub(crate) fn new(mut encoder: RawEncoder, flags: u32) -> Encoding {
        if flags & PCT_ENCODE_LOWERCASE != 0 {
            encoder = encoder.lowercase();
        }
        if flags & PCT_ENCODE_SPACE_TO_PLUS != 0 {
            encoder = encoder.space_to_plus();
        }
        if flags & PCT_ENCODE_KEEP_TRIPLETS != 0 {
            encoder = encoder.keep_triplets();
        }
        Encoding { encoder, plus: flags & PCT_ENCODE_SPACE_TO_PLUS != 0 }
    }
}

impl Opaque for Encoding {
    type Memory = pct_encoder;
    const TAG: u64 = u64::from_le_bytes(*b"pct_enc0");
}

/// Initialises `encoder`.
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME for an engine that this CPU cannot run, PCT_OVERLAP or
/// PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encoder_init(encoder: *mut pct_encoder, options: *const pct_encode_options) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { Opaque::store(made(options), encoder, [Region::options(options)]) }
}

/// # Safety
/// `options` is null or fulfils the conditions of [`memory::options`].
unsafe fn made(options: *const pct_encode_options) -> Result<Encoding, pct_status> {
    const KNOWN: u32 = PCT_ENCODE_LOWERCASE | PCT_ENCODE_SPACE_TO_PLUS | PCT_ENCODE_KEEP_TRIPLETS;
    if options.is_null() {
        return Err(PCT_INVALID_ARGUMENT);
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function. A struct of zeros is valid.
    let options = unsafe { memory::options(options) }.ok_or(PCT_INVALID_ARGUMENT)?;
    if options.flags & !KNOWN != 0 || options.reserved != 0 {
        return Err(PCT_INVALID_ARGUMENT);
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let engine = unsafe { engine::by_name(options.engine) }.ok_or(PCT_UNKNOWN_NAME)?;
    let mut raw = RawEncoder::new(options.allowed.into());
    if let Some(engine) = engine {
        raw = raw.with_engine(engine);
    }
    Ok(Encoding::new(raw, options.flags))
}

/// Finds an encoder by its name in the catalogue, and initialises `encoder` with its set and its options.
///
/// pct_set_named() describes the names. For "whatwg-form", "php-urlencode" and similar names, a space becomes "+".
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encoder_named(encoder: *mut pct_encoder, set_name: *const c_char) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { Opaque::store(named(set_name), encoder, [Region::name(set_name)]) }
}

/// # Safety
/// `set_name` is null or points to a string that ends in NUL.
unsafe fn named(set_name: *const c_char) -> Result<Encoding, pct_status> {
    if set_name.is_null() {
        return Err(PCT_INVALID_ARGUMENT);
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let entry = unsafe { name(set_name) }.and_then(presets::by_name).ok_or(PCT_UNKNOWN_NAME)?;
    let flag = |wanted, flag| if wanted { flag } else { 0 };
    let flags = flag(entry.lowercase, PCT_ENCODE_LOWERCASE)
        | flag(entry.space_to_plus, PCT_ENCODE_SPACE_TO_PLUS)
        | flag(entry.keep_triplets, PCT_ENCODE_KEEP_TRIPLETS);
    Ok(Encoding::new(RawEncoder::new(entry.allowed), flags))
}

/// Encodes the `len` bytes at `src` into the `cap` bytes at `dst`.
///
/// No NUL is written. Encoding cannot work in place, because its output grows: the two buffers must not overlap.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encode(
    encoder: *const pct_encoder,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        if len <= internal::ENCODE_SHORT // `encode_short_uninit` would read a longer input in vain
            && are_apart(
                [Region::of(dst, cap), Region::of(result, 1)],
                [Region::of(src, len), Region::object::<Encoding>(encoder)],
            )
            && let (Some(encoding), Ok((from, to))) = (Encoding::get(encoder), apart(src.cast(), len, dst.cast(), cap))
            && let Some(written) = internal::encode_short_uninit(&encoding.encoder, from, to)
        {
            if !result.is_null() {
                let changed = (written != len).into();
                result.write(pct_result { read: len, written, changed, ..pct_result::EMPTY });
            }
            return PCT_OK;
        }
        encode_any(encoder, src, len, dst, cap, result)
    }
}

/// Encodes an input of any length. This is a separate function, so that `pct_encode` needn't save many registers on the
/// stack.
#[inline(never)]
unsafe extern "C" fn encode_any(
    encoder: *const pct_encoder,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let others = Others { read: [Region::object::<Encoding>(encoder), Region::NONE], ..Others::NONE };
        answer_apart(Encoding::get(encoder), others, (src, len), (dst, cap), result, Encoding::run)
    }
}

impl Codec for Encoding {
    const BOUND: extern "C" fn(usize) -> usize = pct_encode_bound;

    unsafe fn of<'a>(memory: *const pct_encoder) -> Option<&'a Encoding> {
        // SAFETY: the caller meets the `# Safety` conditions of `Codec::of`.
        unsafe { Encoding::get(memory) }
    }

    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], result: &mut pct_result) -> pct_status {
        match self.encoder.encode_uninit(src, dst) {
            Ok(encoded) => {
                let written = encoded.len();
                (result.read, result.written) = (src.len(), written);
                result.changed = u8::from(written != src.len() || self.plus && *encoded != *src);
                PCT_OK
            }
            Err(error) => result.set_needed(error.needed),
        }
    }

    fn run_rows<O: Offset>(&self, Rows { values, offsets, dst, out_offsets }: &mut Rows<'_, O>) -> BatchProgress {
        internal::encode_batch_uninit(&self.encoder, values, offsets, dst, out_offsets)
    }
}

/// Returns the greatest length of the encoded form of `len` bytes: 3 times `len`, or SIZE_MAX if that is more than
/// PTRDIFF_MAX.
#[unsafe(no_mangle)]
pub extern "C" fn pct_encode_bound(len: usize) -> usize {
    len.checked_mul(3).filter(|&bound| bound <= isize::MAX as usize).unwrap_or(usize::MAX)
}

/// Returns the exact length of the encoded form of the `len` bytes at `src`.
///
/// Returns SIZE_MAX if the length does not fit into a size_t, or if an argument is invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encoded_len(encoder: *const pct_encoder, src: *const c_char, len: usize) -> usize {
    // SAFETY: the C caller follows the rules of the header.
    match unsafe { (Encoding::get(encoder), bytes(src.cast(), len)) } {
        (Some(encoding), Some(src)) => encoding.encoder.encoded_len(src).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Returns the offset of the first of the `len` bytes at `src` that encoding would change, or PCT_NONE.
///
/// If an argument is invalid, the function returns 0. A call of pct_encode() with the same arguments then returns the
/// reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encode_first_changed(
    encoder: *const pct_encoder,
    src: *const c_char,
    len: usize,
) -> usize {
    // SAFETY: the C caller follows the rules of the header.
    match unsafe { (Encoding::get(encoder), bytes(src.cast(), len)) } {
        (Some(encoding), Some(src)) => encoding.encoder.first_changed(src).unwrap_or(PCT_NONE),
        _ => 0,
    }
}
