//! Code that the suites and the fuzz target of the C interface share. It turns the oracle's options into C options, and
//! returns the results that the interface should give for an input.

// SAFETY, for all calls here: pointers and lengths come from one slice or one value that outlives the call.
#![allow(clippy::undocumented_unsafe_blocks)]
#![allow(dead_code)] // each program uses only some of these items

use std::ffi::{CString, c_char};
use std::mem::{MaybeUninit, zeroed};

use percent_simd::DecodeErrorKind;
use percent_simd_capi::pct_status::*;
use percent_simd_capi::*;
use percent_simd_oracle::{Decode, Decoded, Encode};

/// Returns a struct of the interface with all bytes zero.
pub fn blank<T>() -> T {
    // SAFETY: the structs of the interface hold integers, pointers and enums for which 0 is a valid value.
    unsafe { zeroed() }
}

/// Returns the C encoder with the options of `case`.
pub fn encoder(case: Encode, engine: &str) -> pct_encoder {
    let engine = CString::new(engine).unwrap();
    let mut options: pct_encode_options = blank();
    options.size = size_of_val(&options);
    options.allowed = case.allowed.into();
    options.engine = engine.as_ptr();
    options.flags = u32::from(case.lower) * PCT_ENCODE_LOWERCASE
        | u32::from(case.plus) * PCT_ENCODE_SPACE_TO_PLUS
        | u32::from(case.keep) * PCT_ENCODE_KEEP_TRIPLETS;
    let mut encoder = blank();
    assert_eq!(unsafe { pct_encoder_init(&mut encoder, &options) }, PCT_OK);
    encoder
}

/// Returns the C decoder with the options of `case`.
pub fn decoder(case: Decode, engine: &str) -> pct_decoder {
    let engine = CString::new(engine).unwrap();
    let mut options: pct_decode_options = blank();
    options.size = size_of_val(&options);
    (options.keep, options.reject) = (case.keep.into(), case.reject.into());
    options.engine = engine.as_ptr();
    options.flags = u32::from(case.strict) * PCT_DECODE_STRICT
        | u32::from(case.plus_always) * PCT_DECODE_PLUS
        | u32::from(case.plus_after_query) * PCT_DECODE_PLUS_AFTER_QUERY
        | u32::from(case.upper) * PCT_DECODE_KEEP_UPPER;
    let mut decoder = blank();
    assert_eq!(unsafe { pct_decoder_init(&mut decoder, &options) }, PCT_OK);
    decoder
}

/// Returns the status for an error, and the rejected byte or 0.
pub fn status_of(kind: DecodeErrorKind) -> (pct_status, u8) {
    match kind {
        DecodeErrorKind::Truncated => (PCT_TRUNCATED, 0),
        DecodeErrorKind::NotHex => (PCT_NOT_HEX, 0),
        DecodeErrorKind::Rejected(byte) => (PCT_REJECTED, byte),
        kind => panic!("{kind:?}"),
    }
}

/// Returns the status and the result that the interface should give for `input`.
pub fn expected(wanted: &Decoded, input: &[u8]) -> (pct_status, pct_result) {
    let mut result: pct_result = blank();
    (result.read, result.written) = (input.len(), wanted.out.len());
    result.first_error = wanted.malformed.unwrap_or(PCT_NONE);
    let mut status = PCT_OK;
    if let Some((offset, kind)) = wanted.error {
        (status, result.rejected) = status_of(kind);
        (result.read, result.first_error) = (offset, offset);
    }
    result.changed = u8::from(wanted.out != input[..result.read]);
    result.layers = result.changed.into();
    (status, result)
}

/// A pair of a form: its name, its value or `None`, and its offset.
pub type Pair = (Vec<u8>, Option<Vec<u8>>, usize);

/// Returns the undecoded pairs that `pct_form_next` returns for `input`, the last status, and the last offset.
pub fn pairs(input: &[u8], flags: u32, limit: usize) -> (Vec<Pair>, pct_status, usize) {
    let options = pct_form_options { size: size_of::<pct_form_options>(), flags, reserved: 0, limit };
    let mut form = blank();
    assert_eq!(unsafe { pct_form_init(&mut form, input.as_ptr().cast(), input.len(), &options) }, PCT_OK);
    let mut pairs = Vec::new();
    loop {
        let mut pair = MaybeUninit::<pct_pair>::uninit();
        let (status, pair) = unsafe { (pct_form_next(&mut form, pair.as_mut_ptr()), pair.assume_init()) };
        if status != PCT_OK {
            return (pairs, status, pair.offset);
        }
        let part = |data: *const c_char, len| unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) }.to_vec();
        let value = pair.has_value.then(|| part(pair.value, pair.value_len));
        pairs.push((part(pair.name, pair.name_len), value, pair.offset));
    }
}
