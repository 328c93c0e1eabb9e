//! The pairs of a form.

use core::ffi::c_char;

use percent_simd::DecodeErrorKind;
use percent_standards::form::{CheckedParseRaw, Pair, ParseError, Parser};

use crate::PCT_NONE;
use crate::memory::{self, Opaque, bytes};
use crate::pct_status::{self, *};

/// Makes a "%" that starts no triplet an error.
pub const PCT_FORM_STRICT: u32 = 1;
/// Ends a pair at ";", as at "&" (HTML 4). A cache in front of the server that splits another way may see another form.
pub const PCT_FORM_SEMICOLONS: u32 = 2;

/// Says how to read a form. Set `size` to sizeof(pct_form_options) and the rest to zero, then what you want: PCT_FORM_OPTIONS
/// does the first.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pct_form_options {
    /// sizeof(pct_form_options).
    pub size: usize,
    /// PCT_FORM_ flags, combined with |.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
    /// The greatest number of pairs; 0 if there is none.
    pub limit: usize,
}

/// Points to a pair of a form, as it stands there: decode name and value with pct_decode() and pct_form_decoder(). The pointers are
/// into the form, and are not null; the bytes are not followed by a NUL.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pct_pair {
    /// Points to what precedes the first "=": all of it, if there is none.
    pub name: *const c_char,
    /// Its length.
    pub name_len: usize,
    /// Points to what follows the first "=".
    pub value: *const c_char,
    /// Its length.
    pub value_len: usize,
    /// Offset of the pair in the form; after an error, that of the fault.
    pub offset: usize,
    /// Whether there is a "=".
    pub has_value: bool,
}

/// Iterates over the pairs of a form, in your memory: 512 bytes that own nothing and need no clean-up. The form must
/// stay as it is while you iterate. One thread at a time may use an iterator.
#[repr(C)]
pub struct pct_form {
    /// Private.
    pub opaque: [u64; 64],
}

struct Form {
    pairs: CheckedParseRaw<'static>,
    /// The form, to point to where a pair is empty.
    start: *const u8,
}

impl Opaque for Form {
    type Memory = pct_form;
    const TAG: u64 = u64::from_le_bytes(*b"pct_frm0");
}

/// Begins to iterate over the pairs of the `len` bytes at `src`, a body of the type application/x-www-form-urlencoded or
/// what follows the "?" of a URL. Pairs are separated by "&"; empty ones are skipped (URL Standard 5.1). Null options
/// stand for zeros.
///
/// Returns PCT_OK or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_form_init(
    form: *mut pct_form,
    src: *const c_char,
    len: usize,
    options: *const pct_form_options,
) -> pct_status {
    // SAFETY: the caller's promise. The form outlives the iterator, whose lifetime C cannot name.
    unsafe { Opaque::store(begun(bytes(src.cast(), len), options).ok_or(PCT_INVALID_ARGUMENT), form) }
}

/// # Safety
/// `options` is null, or as for [`memory::options`].
unsafe fn begun(src: Option<&'static [u8]>, options: *const pct_form_options) -> Option<Form> {
    let defaults = pct_form_options { size: 0, flags: 0, reserved: 0, limit: 0 };
    // SAFETY: the caller's promise; all zeros are options.
    let options = if options.is_null() { defaults } else { unsafe { memory::options(options)? } };
    if options.flags & !(PCT_FORM_STRICT | PCT_FORM_SEMICOLONS) != 0 || options.reserved != 0 {
        return None;
    }
    let src = src?;
    let mut parser = Parser::new();
    if options.flags & PCT_FORM_SEMICOLONS != 0 {
        parser = parser.semicolons();
    }
    let mut parser = parser.limit(if options.limit == 0 { usize::MAX } else { options.limit });
    if options.flags & PCT_FORM_STRICT != 0 {
        parser = parser.strict();
    }
    Some(Form { pairs: parser.parse_raw(src), start: src.as_ptr() })
}

/// Stores the next pair at `pair`.
///
/// Returns PCT_OK; PCT_END if there is none; PCT_TRUNCATED or PCT_NOT_HEX if one is malformed and the form is read
/// strictly (the call after that goes on with the next pair); PCT_TOO_MANY_PAIRS (the call after that returns PCT_END);
/// or PCT_INVALID_ARGUMENT. Unless it is PCT_OK, `pair` is empty, but for the offset of the fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_form_next(form: *mut pct_form, pair: *mut pct_pair) -> pct_status {
    // SAFETY: the caller's promise.
    let Some(form) = (unsafe { Form::get_mut(form) }).filter(|_| !pair.is_null()) else { return PCT_INVALID_ARGUMENT };
    let (status, found) = match form.pairs.next() {
        None => (PCT_END, empty(form, PCT_NONE)),
        Some(Ok(found)) => (PCT_OK, parts(found)),
        Some(Err(error)) => (why(&error), empty(form, error.offset())),
    };
    // SAFETY: the caller's promise.
    unsafe { pair.write(found) };
    status
}

fn why(error: &ParseError) -> pct_status {
    match error {
        ParseError::Decode(error) if error.kind == DecodeErrorKind::Truncated => PCT_TRUNCATED,
        ParseError::Decode(_) => PCT_NOT_HEX,
        _ => PCT_TOO_MANY_PAIRS,
    }
}

fn parts(pair: Pair<'_>) -> pct_pair {
    let Pair { offset, name, value, .. } = pair;
    // Without a value, the end of the name.
    let text = value.unwrap_or(name.get(name.len()..).unwrap_or_default());
    pct_pair {
        name: name.as_ptr().cast(),
        name_len: name.len(),
        value: text.as_ptr().cast(),
        value_len: text.len(),
        offset,
        has_value: value.is_some(),
    }
}

fn empty(form: &Form, offset: usize) -> pct_pair {
    let start = form.start.cast();
    pct_pair { name: start, name_len: 0, value: start, value_len: 0, offset, has_value: false }
}
