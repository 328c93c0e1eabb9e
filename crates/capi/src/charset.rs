//! Encodes and decodes text in charsets other than UTF-8.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use percent_simd::Decoder;
use percent_standards::charset::Charset;

use crate::codec::Codec;
use crate::decode::{Decoding, pct_decoder};
use crate::encode::{Encoding, pct_encoder};
use crate::memory::{Opaque, Region, bytes, put_name};
use crate::pct_status::{self, *};
use crate::{Others, PCT_NONE, answer_apart, pct_result};

/// Encodes a character that the charset lacks as a decimal numeric character reference, "&#8364;", as browsers do in
/// forms. Without this flag, the character is an error.
pub const PCT_CHARSET_HTML: u32 = 1;
/// Replaces bytes that form no character in the charset by U+FFFD. Without this flag, these bytes are an error.
pub const PCT_CHARSET_LOSSY: u32 = 2;

/// Identifies a charset.
///
/// The supported charsets are the charsets of the Encoding Standard, UTF-16 and UTF-32, strict US-ASCII and ISO 8859-1,
/// EBCDIC pages, and DOS pages. A charset lives in your memory, holds no resources, and needs no clean-up. Once
/// initialised it may be copied, and any number of threads may use it at the same time.
#[repr(C)]
pub struct pct_charset {
    /// Private.
    pub opaque: [MaybeUninit<u64>; 4],
}

impl Opaque for Charset {
    type Memory = pct_charset;
    const TAG: u64 = u64::from_le_bytes(*b"pct_chs0");
}

/// Initialises `charset` by its name in IANA's registry, as in MIME, HTTP and "data:" URLs.
///
/// The name is the `len` bytes at `name`. The case of ASCII letters does not matter. Here "ISO-8859-1" means exactly this
/// charset. As a label on the Web, it means windows-1252.
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_charset_for_name(
    charset: *mut pct_charset,
    name: *const c_char,
    len: usize,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { find(charset, (name, len), Charset::for_name) }
}

/// Initialises `charset` by its label on the Web, as in HTML and forms (Encoding Standard 4.2, "get an encoding").
///
/// The label is the `len` bytes at `label`. The case of ASCII letters and surrounding whitespace do not matter. On the
/// Web, "iso-8859-1" and "us-ascii" mean windows-1252.
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_charset_for_label(
    charset: *mut pct_charset,
    label: *const c_char,
    len: usize,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { find(charset, (label, len), Charset::for_label) }
}

/// # Safety
/// The conditions of [`Opaque::store`] hold for `charset`.
unsafe fn find(
    charset: *mut pct_charset,
    (name, len): (*const c_char, usize),
    find: impl FnOnce(&[u8]) -> Option<Charset>,
) -> pct_status {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        let text = bytes(name.cast(), len).ok_or(PCT_INVALID_ARGUMENT);
        let found = text.and_then(|text| find(text).ok_or(PCT_UNKNOWN_NAME));
        Opaque::store(found, charset, [Region::of(name, len)])
    }
}

/// Writes the name of the charset with this index to `out`, with a NUL at its end, and returns the length of the name.
///
/// Indices count from 0. Returns 0 if there is no charset with this index. If `cap` is not above the length, the name
/// is cut off. pct_charset_for_name() finds each charset by its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_charset_name(index: usize, out: *mut c_char, cap: usize) -> usize {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { put_name(Charset::all().nth(index).map_or("", Charset::name), out, cap) }
}

/// The output of a conversion. Bytes that do not fit are counted, not written.
struct Output<'a> {
    src: &'a [u8],
    dst: &'a mut [MaybeUninit<u8>],
    written: usize,
    changed: bool,
}

impl<'a> Output<'a> {
    fn new(src: &'a [u8], dst: &'a mut [MaybeUninit<u8>]) -> Output<'a> {
        Output { src, dst, written: 0, changed: false }
    }

    fn put(&mut self, piece: &[u8]) {
        let end = self.written.saturating_add(piece.len());
        if let Some(room) = self.dst.get_mut(self.written..end) {
            room.iter_mut().zip(piece).for_each(|(room, &byte)| _ = room.write(byte));
        }
        self.changed |= self.src.get(self.written..end) != Some(piece);
        self.written = end;
    }

    /// Fills in `result` for a call that has read `read` bytes of its input. Returns `status`, or PCT_OUTPUT_TOO_SMALL if
    /// the output did not fit.
    fn end(self, read: usize, status: pct_status, result: &mut pct_result) -> pct_status {
        if self.written > self.dst.len() {
            *result = pct_result::EMPTY;
            return result.set_needed(if self.written > isize::MAX as usize { usize::MAX } else { self.written });
        }
        (result.read, result.written) = (read, self.written);
        result.changed = u8::from(self.changed || read != self.written);
        result.layers = result.changed.into();
        status
    }
}

/// Converts UTF-8 text to `charset`, then percent-encodes the bytes.
///
/// The text is the `len` bytes at `src`. The output goes to the `cap` bytes at `dst`. `flags` is 0 or PCT_CHARSET_HTML.
/// The call cannot work in place. The encoder's set holds bytes of the charset, not characters. The difference shows if
/// the charset does not contain US-ASCII: in UTF-16BE "A" becomes "%00A".
///
/// On an error `first_error` is the offset of the character that the charset lacks, or of the first invalid UTF-8. The
/// output for the text before that offset has been written.
///
/// Returns PCT_OK; PCT_UNMAPPABLE; PCT_NOT_TEXT; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or
/// PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encode_charset(
    encoder: *const pct_encoder,
    charset: *const pct_charset,
    flags: u32,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let objects = Encoding::get(encoder).zip(Charset::get(charset)).filter(|_| flags & !PCT_CHARSET_HTML == 0);
        let read = [Region::object::<Encoding>(encoder), Region::object::<Charset>(charset)];
        let others = Others { read, ..Others::NONE };
        answer_apart(objects, others, (src, len), (dst, cap), result, |(encoding, charset), src, dst, result| {
            encode(encoding, *charset, flags, src, dst, result)
        })
    }
}

fn encode(
    encoding: &Encoding,
    charset: Charset,
    flags: u32,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    result: &mut pct_result,
) -> pct_status {
    let (text, fault) = match src.utf8_chunks().next() {
        Some(first) if !first.invalid().is_empty() => (first.valid(), Some(first.valid().len())),
        first => (first.map_or("", |first| first.valid()), None),
    };
    let mut output = Output::new(src, dst);
    let put = |piece: &[u8]| output.put(piece);
    let unmappable = if flags & PCT_CHARSET_HTML != 0 {
        charset.percent_encode_html_pieces(&encoding.encoder, text, put);
        None
    } else {
        charset.percent_encode_pieces(&encoding.encoder, text, put).err()
    };
    let (status, fault) = match (unmappable, fault) {
        (Some(error), _) => (PCT_UNMAPPABLE, error.offset),
        (None, Some(offset)) => (PCT_NOT_TEXT, offset),
        (None, None) => return output.end(src.len(), PCT_OK, result),
    };
    result.first_error = fault;
    output.end(fault, status, result)
}

/// Percent-decodes the input, then converts the bytes from `charset` to UTF-8 text.
///
/// The input is the `len` bytes at `src`. The text goes to the `cap` bytes at `dst`. All of the input is decoded first,
/// and then converted from the charset. So bytes without an escape, and kept triplets, are converted, too. `flags` is 0 or
/// PCT_CHARSET_LOSSY. A null decoder is the lenient one. The call cannot work in place.
///
/// On an error, the text before the error has been written. If you do not know the charset, try UTF-8 first. If you get
/// PCT_NOT_TEXT, try a likely charset. Text in a charset other than UTF-8 is hardly ever valid UTF-8 by chance.
///
/// Returns PCT_OK; PCT_NOT_TEXT; the errors of pct_decode(); PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or
/// PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_charset(
    decoder: *const pct_decoder,
    charset: *const pct_charset,
    flags: u32,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let objects = Decoding::of(decoder).zip(Charset::get(charset)).filter(|_| flags & !PCT_CHARSET_LOSSY == 0);
        let read = [Region::object::<Decoding>(decoder), Region::object::<Charset>(charset)];
        let others = Others { read, ..Others::NONE };
        answer_apart(objects, others, (src, len), (dst, cap), result, |(decoding, charset), src, dst, result| {
            decode(decoding, *charset, flags, src, dst, result)
        })
    }
}

fn decode(
    decoding: &Decoding,
    charset: Charset,
    flags: u32,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    result: &mut pct_result,
) -> pct_status {
    let mut output = Output::new(src, dst);
    let put = |piece: &str| output.put(piece.as_bytes());
    let decoded = if flags & PCT_CHARSET_LOSSY != 0 {
        charset.percent_decode_lossy_pieces(&decoding.decoder, src, put)
    } else {
        charset.percent_decode_pieces(&decoding.decoder, src, put)
    };
    match decoded {
        Ok(()) => {
            result.first_error = Decoder::new().first_malformed(src).unwrap_or(PCT_NONE);
            output.end(src.len(), PCT_OK, result)
        }
        Err(error) => {
            let status = result.set_error(error);
            output.end(error.offset, status, result)
        }
    }
}

/// Returns the greatest length of the output of pct_encode_charset() for `len` bytes: 24 times `len`, or SIZE_MAX if
/// that is more than PTRDIFF_MAX.
///
/// The bound holds for any charset and any set.
#[unsafe(no_mangle)]
pub extern "C" fn pct_encode_charset_bound(len: usize) -> usize {
    Charset::max_encoded_len(len).filter(|&bound| bound <= isize::MAX as usize).unwrap_or(usize::MAX)
}

/// Returns the greatest length of the output of pct_decode_charset() for `len` bytes: 3 times `len`, or SIZE_MAX if
/// that is more than PTRDIFF_MAX.
///
/// The bound holds for any charset.
#[unsafe(no_mangle)]
pub extern "C" fn pct_decode_charset_bound(len: usize) -> usize {
    len.checked_mul(3).filter(|&bound| bound <= isize::MAX as usize).unwrap_or(usize::MAX)
}
