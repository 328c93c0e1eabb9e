//! Iterates over the pairs of a form.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use percent_simd::DecodeErrorKind;
use percent_standards::form::{CheckedParseRaw, Pair, ParseError, Parser};

use crate::PCT_NONE;
use crate::memory::{self, Opaque, Region, are_apart, bytes};
use crate::pct_status::{self, *};

/// Makes a malformed "%" an error.
pub const PCT_FORM_STRICT: u32 = 1;
/// Ends a pair at ";" as well as at "&" (HTML 4). If a cache in front of the server does not split at ";", cache and
/// server read different pairs.
pub const PCT_FORM_SEMICOLONS: u32 = 2;

/// Holds the options for reading a form.
///
/// Begin with PCT_FORM_OPTIONS, which sets `size` to sizeof(pct_form_options) and the rest to zero. Then set the
/// options you want.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pct_form_options {
    /// sizeof(pct_form_options).
    pub size: usize,
    /// PCT_FORM_ flags, combined with |.
    pub flags: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The greatest number of pairs; 0 means no limit.
    pub limit: usize,
}

/// Points to the name and the value of a pair of a form, undecoded.
///
/// Decode name and value with pct_decode() and pct_form_decoder(). The pointers point into the form and are never null.
/// No NUL follows the bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pct_pair {
    /// Points to the bytes before the first "=", or to the whole pair if it has no "=".
    pub name: *const c_char,
    /// Length of the name.
    pub name_len: usize,
    /// Points to the bytes after the first "=".
    pub value: *const c_char,
    /// Length of the value, or 0 if the pair has no "=".
    pub value_len: usize,
    /// Offset of the pair in the form. After an error, offset of the fault.
    pub offset: usize,
    /// True if the pair has a "=".
    pub has_value: bool,
}

impl pct_pair {
    /// Returns a pair whose name and value are the empty text at the start of `text`.
    pub(crate) fn empty(text: &[u8], offset: usize) -> pct_pair {
        let start = text.as_ptr().cast();
        pct_pair { name: start, name_len: 0, value: start, value_len: 0, offset, has_value: false }
    }
}

/// Iterates over the pairs of a form.
///
/// An iterator is 512 bytes in your memory. It holds no resources and needs no clean-up. The form must not change while
/// you iterate. Only one thread at a time may use an iterator.
#[repr(C)]
pub struct pct_form {
    /// Private.
    pub opaque: [MaybeUninit<u64>; 64],
}

struct Form {
    pairs: CheckedParseRaw<'static>,
    /// The form. If there is no further pair, the name and the value that we return point to its start.
    text: &'static [u8],
}

impl Opaque for Form {
    type Memory = pct_form;
    const TAG: u64 = u64::from_le_bytes(*b"pct_frm0");
}

/// Begins to iterate over the pairs of a form.
///
/// The `len` bytes at `src` are a body of the type application/x-www-form-urlencoded, or the text after the "?" of a
/// URL. Pairs are separated by "&". Empty pairs are skipped (URL Standard 5.1). If `options` is null, all options are
/// zero.
///
/// Returns PCT_OK, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_form_init(
    form: *mut pct_form,
    src: *const c_char,
    len: usize,
    options: *const pct_form_options,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header. So the form outlives the iterator. Rust cannot name its
    // lifetime, so it is `'static` here.
    unsafe {
        let read = [Region::of(src, len), Region::options(options)];
        Opaque::store(begun(bytes(src.cast(), len), options).ok_or(PCT_INVALID_ARGUMENT), form, read)
    }
}

/// # Safety
/// `options` is null or fulfils the conditions of [`memory::options`].
unsafe fn begun(src: Option<&'static [u8]>, options: *const pct_form_options) -> Option<Form> {
    let defaults = pct_form_options { size: 0, flags: 0, reserved: 0, limit: 0 };
    // SAFETY: the caller meets the `# Safety` conditions of this function. A struct of zeros is valid.
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
    Some(Form { pairs: parser.parse_raw(src), text: src })
}

/// Stores the next pair at `pair`.
///
/// If the status is not PCT_OK, name and value are empty. With PCT_OVERLAP, the pair stays as it is. After an error,
/// `offset` is the offset of the fault.
/// Returns:
///
/// - PCT_OK.
/// - PCT_END if there is no further pair.
/// - PCT_TRUNCATED or PCT_NOT_HEX if the form is read strictly and the pair is malformed. The next call returns the
///   pair after the malformed one.
/// - PCT_TOO_MANY_PAIRS. The next call returns PCT_END.
/// - PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_form_next(form: *mut pct_form, pair: *mut pct_pair) -> pct_status {
    if !are_apart([Region::object::<Form>(form), Region::of(pair, 1)], []) {
        return PCT_OVERLAP;
    }
    if pair.is_null() {
        return PCT_INVALID_ARGUMENT;
    }
    // SAFETY: the C caller follows the rules of the header.
    let (status, found) = match unsafe { Form::get_mut(form) } {
        None => (PCT_INVALID_ARGUMENT, pct_pair::empty(&[], PCT_NONE)),
        Some(form) => match form.pairs.next() {
            None => (PCT_END, pct_pair::empty(form.text, PCT_NONE)),
            Some(Ok(found)) => (PCT_OK, parts(found)),
            Some(Err(error)) => (why(&error), pct_pair::empty(form.text, error.offset())),
        },
    };
    // SAFETY: the C caller follows the rules of the header.
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
    // If the pair has no value, let the value point to the end of the name.
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
