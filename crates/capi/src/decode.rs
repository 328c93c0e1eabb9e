//! Decodes bytes, also in several layers, and normalises escapes.

use core::ffi::c_char;
use core::mem::MaybeUninit;
use core::ptr;

use percent_simd::batch::Offset;
use percent_simd::internal::BatchProgress;
use percent_simd::{
    ByteSet, CheckedDecoder, Decoder, Engine, Plus,
    internal::{self, DecodeReport},
    sets,
};
use percent_standards::uri::escaped_scheme_len;

use crate::codec::{Codec, Rows};
use crate::memory::{self, Opaque, Place, Region, are_apart, bytes, place, place_regions};
use crate::pct_status::{self, *};
use crate::{PCT_NONE, answer, engine, pct_result, pct_set};

/// Makes a malformed "%" an error. Without this flag, a malformed "%" is copied, as the URL Standard requires.
pub const PCT_DECODE_STRICT: u32 = 1;
/// Decodes "+" to a space, as in forms.
pub const PCT_DECODE_PLUS: u32 = 2;
/// Decodes "+" to a space after the first "?" of the input, which is right for whole request targets. This flag cannot
/// be combined with PCT_DECODE_PLUS.
pub const PCT_DECODE_PLUS_AFTER_QUERY: u32 = 4;
/// Writes the hexadecimal digits of kept triplets in upper case.
pub const PCT_DECODE_KEEP_UPPER: u32 = 8;

const PLUSES: u32 = PCT_DECODE_PLUS | PCT_DECODE_PLUS_AFTER_QUERY;

/// Holds the options of a decoder.
///
/// Begin with PCT_DECODE_OPTIONS, which sets `size` to sizeof(pct_decode_options) and the rest to zero. Then set the
/// options you want. If all of them are zero, the decoder does the URL Standard's percent-decode.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pct_decode_options {
    /// sizeof(pct_decode_options).
    pub size: usize,
    /// PCT_DECODE_ flags, combined with |.
    pub flags: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Triplets of these bytes stay escaped: pct_set_of("/", 1) keeps "%2F". If the set contains "%", decoding never
    /// forms a new triplet. In "%%32F", for example, "%32" is kept too, because decoding it would form "%2F". So
    /// decoding a second time has no effect.
    pub keep: pct_set,
    /// Triplets of these bytes are an error, unless they are kept: pct_set_range(0, 31) rejects "%00" and "%0A".
    /// Unescaped bytes of the input are not checked.
    pub reject: pct_set,
    /// The engine to use, or null for the best one.
    pub engine: *const c_char,
}

/// Holds a decoder and its options.
///
/// A decoder lives in your memory, holds no resources, and needs no clean-up. Once initialised it may be copied, and any
/// number of threads may use it at the same time. If a function takes a decoder, a null pointer means the lenient
/// decoder, whose options are all zero.
#[repr(C)]
pub struct pct_decoder {
    /// Private.
    pub opaque: [MaybeUninit<u64>; 64],
}

#[derive(Clone, Copy)]
pub(crate) struct Decoding {
    pub(crate) decoder: CheckedDecoder,
    /// Decodes the second and later layers. In these, a `+` and a malformed `%` are data, so they stay as they are.
    later: CheckedDecoder,
    pub(crate) reject: ByteSet,
    pub(crate) flags: u32,
}

impl Opaque for Decoding {
    type Memory = pct_decoder;
    const TAG: u64 = u64::from_le_bytes(*b"pct_dec0");
}

static LENIENT: Decoding = Decoding::new(ByteSet::EMPTY, ByteSet::EMPTY, 0, None);
static NORMALIZING: Decoding = Decoding::new(
    sets::RFC3986_UNRESERVED.complement(),
    ByteSet::EMPTY,
    PCT_DECODE_STRICT | PCT_DECODE_KEEP_UPPER,
    None,
);
static KEEP_ALL: Decoding = Decoding::new(ByteSet::ALL, ByteSet::EMPTY, 0, None);
static KEEP_ALL_STRICT: Decoding = Decoding::new(ByteSet::ALL, ByteSet::EMPTY, PCT_DECODE_STRICT, None);
const FORM: Decoding = Decoding::new(ByteSet::EMPTY, ByteSet::EMPTY, PCT_DECODE_PLUS, None);

impl Decoding {
    const fn new(keep: ByteSet, reject: ByteSet, flags: u32, engine: Option<&'static Engine>) -> Decoding {
        let mut lenient = Decoder::new();
        if flags & PCT_DECODE_KEEP_UPPER != 0 {
            lenient = lenient.keep_upper(keep);
        } else if !keep.is_empty() {
            lenient = lenient.keep(keep);
        }
        if let Some(engine) = engine {
            lenient = lenient.with_engine(engine);
        }
        let plus = if flags & PCT_DECODE_PLUS != 0 {
            Plus::Always
        } else if flags & PCT_DECODE_PLUS_AFTER_QUERY != 0 {
            Plus::AfterQuery
        } else {
            Plus::Never
        };
        let (mut decoder, mut later) = (lenient.plus(plus).as_checked(), lenient.as_checked());
        if !reject.is_empty() {
            (decoder, later) = (decoder.reject(reject), later.reject(reject));
        }
        if flags & PCT_DECODE_STRICT != 0 {
            decoder = decoder.strict();
        }
        Decoding { decoder, later, reject, flags }
    }
}

impl Decoding {
    /// Returns true if every change makes the output shorter.
    fn changes_show_in_len(&self) -> bool {
        self.flags & (PLUSES | PCT_DECODE_KEEP_UPPER) == 0
    }

    /// Returns true if decoding changes `src`, but the output may have the same length as `src`. If so, comparing the
    /// lengths isn't enough to notice the change.
    fn changes_in_place(&self, src: &[u8]) -> bool {
        !self.changes_show_in_len() && self.decoder.first_changed(src).is_some()
    }

    /// Decodes a short input directly, and fills no report. Returns the number of bytes written and the offset of the
    /// first malformed `%`. Returns `None` if only [`decode`](Self::decode) can decode the input.
    #[inline(always)]
    fn decode_short(&self, place: Place) -> Option<(usize, Option<usize>)> {
        match place {
            Place::Same(buffer) => {
                internal::decode_short_in_place(&self.decoder, buffer).map(|written| (written, None))
            }
            Place::Apart(src, dst) => internal::decode_short_uninit(&self.decoder, src, dst),
        }
    }

    pub(crate) fn decode(&self, place: Place, result: &mut pct_result) -> pct_status {
        let changed = self.changes_in_place(place.src());
        match place {
            Place::Same(buffer) => {
                set_report(internal::decode_in_place_with_report(&self.decoder, buffer), changed, result)
            }
            Place::Apart(src, dst) => match internal::decode_uninit_with_report(&self.decoder, src, dst) {
                Ok(report) => set_report(report, changed, result),
                Err(error) => result.set_needed(error.needed),
            },
        }
    }
}

/// Stores the decoder's report in `result`, and returns the status. The output differs from the input if `changed` is
/// true, or if the two lengths differ.
#[inline]
fn set_report(report: DecodeReport, changed: bool, result: &mut pct_result) -> pct_status {
    let changed = changed || report.written != report.read;
    (result.read, result.written) = (report.read, report.written);
    result.first_error = report.first_malformed.unwrap_or(PCT_NONE);
    (result.layers, result.changed) = (changed.into(), changed.into());
    report.error.map_or(PCT_OK, |error| result.set_error(error))
}

/// Initialises `decoder`. If `options` is null, all options are zero.
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME for an engine that this CPU cannot run, PCT_OVERLAP or
/// PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decoder_init(decoder: *mut pct_decoder, options: *const pct_decode_options) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { Opaque::store(made(options), decoder, [Region::options(options)]) }
}

/// # Safety
/// `options` is null or fulfils the conditions of [`memory::options`].
unsafe fn made(options: *const pct_decode_options) -> Result<Decoding, pct_status> {
    const KNOWN: u32 = PCT_DECODE_STRICT | PCT_DECODE_PLUS | PCT_DECODE_PLUS_AFTER_QUERY | PCT_DECODE_KEEP_UPPER;
    if options.is_null() {
        return Ok(LENIENT);
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function. A struct of zeros is valid.
    let options = unsafe { memory::options(options) }.ok_or(PCT_INVALID_ARGUMENT)?;
    let flags = options.flags;
    if flags & !KNOWN != 0 || flags & PLUSES == PLUSES || options.reserved != 0 {
        return Err(PCT_INVALID_ARGUMENT);
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let engine = unsafe { engine::by_name(options.engine) }.ok_or(PCT_UNKNOWN_NAME)?;
    Ok(Decoding::new(options.keep.into(), options.reject.into(), flags, engine))
}

/// Returns the decoder for names and values of forms. It is lenient, decodes "+" to a space, and lives as long as the
/// program.
#[unsafe(no_mangle)]
pub extern "C" fn pct_form_decoder() -> *const pct_decoder {
    static MEMORY: memory::Tagged<Decoding> = memory::Tagged::new(FORM);
    (&raw const MEMORY).cast()
}

/// Decodes the `len` bytes at `src` into the `cap` bytes at `dst`, or in place if dst == src and cap >= len.
///
/// No NUL is written. The result is arbitrary bytes: "%00", "%2F" and invalid UTF-8 are decoded too, unless they are
/// kept or rejected.
///
/// On an error, the bytes before the error have been decoded. If the call works in place, the bytes from offset `read`
/// on are unchanged.
///
/// Returns PCT_OK; PCT_TRUNCATED or PCT_NOT_HEX from a strict decoder; PCT_REJECTED from a decoder that rejects bytes;
/// PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode(
    decoder: *const pct_decoder,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        if len <= internal::DECODE_SHORT // `decode_short` would read a longer input in vain
            && let (output, input) = place_regions(src, len, dst, cap)
            && are_apart([output, Region::of(result, 1)], [input, Region::object::<Decoding>(decoder)])
            && let (Some(decoding), Ok(place)) = (Decoding::of(decoder), place(src.cast(), len, dst.cast(), cap))
            && let Some((written, malformed)) = decoding.decode_short(place)
        {
            if !result.is_null() {
                let first_error = malformed.unwrap_or(PCT_NONE);
                let changed = written != len;
                let (layers, changed) = (changed.into(), changed.into());
                result.write(pct_result { read: len, written, first_error, layers, changed, ..pct_result::EMPTY });
            }
            return PCT_OK;
        }
        decode_any(decoder, src, len, dst, cap, result)
    }
}

/// Decodes an input of any length. This is a separate function, so that `pct_decode` needn't save many registers on the
/// stack.
#[inline(never)]
unsafe extern "C" fn decode_any(
    decoder: *const pct_decoder,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { with_place(decoder, Region::NONE, (src, len), (dst, cap), result, Decoding::decode) }
}

/// Calls `call` with the decoder, and with its input and output as a [`Place`].
///
/// # Safety
/// The C caller follows the rules of the header for all arguments.
#[inline(always)]
pub(crate) unsafe fn with_place(
    decoder: *const pct_decoder,
    table: Region,
    (src, len): (*const c_char, usize),
    (dst, cap): (*mut c_char, usize),
    result: *mut pct_result,
    call: impl FnOnce(&Decoding, Place, &mut pct_result) -> pct_status,
) -> pct_status {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        let (output, input) = place_regions(src, len, dst, cap);
        let read = [input, Region::object::<Decoding>(decoder), table];
        answer(result, [output], read, |result| {
            match (Decoding::of(decoder), place(src.cast(), len, dst.cast(), cap)) {
                (Some(decoding), Ok(place)) => call(decoding, place, result),
                (None, _) => PCT_INVALID_ARGUMENT,
                (_, Err(PCT_OUTPUT_TOO_SMALL)) => result.set_needed(len),
                (_, Err(status)) => status,
            }
        })
    }
}

impl Codec for Decoding {
    const BOUND: extern "C" fn(usize) -> usize = pct_decode_bound;

    unsafe fn of<'a>(memory: *const pct_decoder) -> Option<&'a Decoding> {
        // SAFETY: the caller meets the `# Safety` conditions of `Codec::of`.
        if memory.is_null() { Some(&LENIENT) } else { unsafe { Decoding::get(memory) } }
    }

    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], result: &mut pct_result) -> pct_status {
        self.decode(Place::Apart(src, dst), result)
    }

    fn run_rows<O: Offset>(&self, Rows { values, offsets, dst, out_offsets }: &mut Rows<'_, O>) -> BatchProgress {
        internal::decode_batch_uninit(&self.decoder, values, offsets, dst, out_offsets)
    }
}

/// Returns the greatest length of the decoded form of `len` bytes: `len`, because decoding never makes text longer.
#[unsafe(no_mangle)]
pub extern "C" fn pct_decode_bound(len: usize) -> usize {
    if len <= isize::MAX as usize { len } else { usize::MAX }
}

/// Checks an input: fills the result as pct_decode() would, but writes no output.
///
/// `written` in the result is the exact length of the decoded form, or 0 on an error. `changed` is 0 or 1, as from
/// pct_decode().
///
/// Returns the status of pct_decode(), but never PCT_OUTPUT_TOO_SMALL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_check(
    decoder: *const pct_decoder,
    src: *const c_char,
    len: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let read = [Region::of(src, len), Region::object::<Decoding>(decoder)];
        answer(result, [], read, |result| match (Decoding::of(decoder), bytes(src.cast(), len)) {
            (Some(decoding), Some(src)) => check(&decoding.decoder, src, result),
            _ => PCT_INVALID_ARGUMENT,
        })
    }
}

fn check(decoder: &CheckedDecoder, src: &[u8], result: &mut pct_result) -> pct_status {
    let changed = decoder.first_changed(src).is_some();
    (result.layers, result.changed) = (changed.into(), changed.into());
    match decoder.decoded_len(src) {
        Ok(written) => {
            (result.read, result.written) = (src.len(), written);
            result.first_error = Decoder::new().first_malformed(src).unwrap_or(PCT_NONE);
            PCT_OK
        }
        Err(error) => {
            result.read = error.offset;
            result.set_error(error)
        }
    }
}

/// Returns the offset of the first of the `len` bytes at `src` that decoding would change, or PCT_NONE.
///
/// If an error comes before the first change, the function returns PCT_NONE, too. If an argument is invalid, it returns
/// 0. A call of pct_decode() with the same arguments then returns the reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_first_changed(
    decoder: *const pct_decoder,
    src: *const c_char,
    len: usize,
) -> usize {
    // SAFETY: the C caller follows the rules of the header.
    match unsafe { (Decoding::of(decoder), bytes(src.cast(), len)) } {
        (Some(decoding), Some(src)) => decoding.decoder.first_changed(src).unwrap_or(PCT_NONE),
        _ => 0,
    }
}

/// Normalises the escapes of a URI or a part of one (RFC 3986 6.2.2.1 and 6.2.2.2).
///
/// Triplets of unreserved characters are decoded. The digits of all other triplets become upper case. The remaining text
/// stays the same. So "%7euser%2f" becomes "~user%2F", an equivalent path. A malformed "%" is an error. Works in place,
/// like pct_decode(), and returns the statuses of a strict decoder.
///
/// If the text before the first ":" contains a "%", that text stays as it is: "%6Aavascript:" has no scheme, and
/// normalizing must not give it one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_normalize_escapes(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        with_place(ptr::null(), Region::NONE, (src, len), (dst, cap), result, |_, place, result| {
            normalize(place, result)
        })
    }
}

/// Normalises the input. If the text before the first `:` could become a scheme, leaves that text as it is.
///
/// The check for a malformed `%` includes the `:`. So the error of `%4:` is `PCT_NOT_HEX`, not `PCT_TRUNCATED`.
fn normalize(place: Place, result: &mut pct_result) -> pct_status {
    let kept = match escaped_scheme_len(place.src()) {
        0 => 0,
        len => len + 1,
    };
    let (scheme, rest) = place.split_at(kept);
    let status = KEEP_ALL_STRICT.decode(scheme, result);
    if !matches!(status, PCT_OK | PCT_OUTPUT_TOO_SMALL) {
        return status;
    }
    let fits = status == PCT_OK;
    let status = NORMALIZING.decode(rest, result);
    if !fits || status == PCT_OUTPUT_TOO_SMALL {
        let needed = if status == PCT_OUTPUT_TOO_SMALL { result.needed } else { 0 };
        *result = pct_result::EMPTY;
        return result.set_needed(needed.saturating_add(kept));
    }
    result.read += kept;
    result.written += kept;
    if result.first_error != PCT_NONE {
        result.first_error += kept;
    }
    status
}

/// Decodes like pct_decode(), repeatedly, until the text no longer changes or `max` layers are decoded.
///
/// `layers` in the result is the number of passes that changed something. Use this function to inspect text that was
/// encoded several times, not to accept such text: RFC 3986 2.4 forbids decoding the same string more than once,
/// because "%2541" is the text "%41".
///
/// Only the first layer is strict and turns "+" into a space: a "+" or "%" that appears in a later layer was escaped in
/// the input, so it is data. Rejected bytes are rejected in every layer. On an error `layers` is the number of layers
/// decoded before the faulty layer. `first_error` is an offset in the text of the faulty layer, and `written` is the
/// number of decoded bytes of that layer. The call takes time in proportion to len * max.
///
/// Works in place, like pct_decode(). With separate buffers, `cap` must be enough for the result of the first layer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_layers(
    decoder: *const pct_decoder,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    max: u32,
    result: *mut pct_result,
) -> pct_status {
    let layers = |decoding: &Decoding, mut place: Place, result: &mut pct_result| {
        let first = if max == 0 { &KEEP_ALL } else { decoding };
        let status = first.decode(place.reborrow(), result);
        if status != PCT_OK {
            result.layers = 0;
            return status;
        }
        // SAFETY: `decode` has initialised the first `result.written` bytes of the output.
        decoding.decode_later(unsafe { place.output(result.written) }, max, result)
    };
    // SAFETY: the C caller follows the rules of the header.
    unsafe { with_place(decoder, Region::NONE, (src, len), (dst, cap), result, layers) }
}

impl Decoding {
    /// Decodes the second and later layers of `text`.
    fn decode_later(&self, text: &mut [u8], max: u32, result: &mut pct_result) -> pct_status {
        while result.layers > 0 && result.layers < max {
            let Some(text) = text.get_mut(..result.written) else { break };
            let changed = self.later.first_changed(text).is_some();
            let report = internal::decode_in_place_with_report(&self.later, text);
            result.written = report.written;
            if let Some(error) = report.error {
                return result.set_error(error);
            }
            if !changed {
                break;
            }
            result.layers += 1;
        }
        PCT_OK
    }
}
