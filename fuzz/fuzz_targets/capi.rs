//! Calls the functions for C as C does, on any engine, and compares their results with the oracle. The output buffer has any
//! capacity, or exactly the needed capacity. Also tests calls in place, streams with any chunks, batches, charsets, and the pairs
//! of forms.
#![no_main]

use std::ffi::c_char;
use std::ptr;

use libfuzzer_sys::fuzz_target;
use percent_simd::Decoder;
use percent_simd_capi::pct_status::*;
use percent_simd_capi::*;
use percent_simd_fuzz::*;
use percent_standards::charset::Charset;
use percent_standards::{ecma, uri, waf};

#[path = "../../crates/capi/tests/common/mod.rs"]
mod common;

use common::{blank, decoder, encoder, expected, pairs, status_of};

// SAFETY (for all calls below): pointer and length describe one allocation, which outlives the call.

/// Returns an allocation of exactly `n` bytes, so that AddressSanitizer sees an access past the end.
fn room(n: usize) -> Box<[u8]> {
    vec![0xA5; n].into_boxed_slice()
}

/// Calls a function that decodes `input`, into a buffer of `cap` bytes and in place. Both must give the same result.
fn decode_with(
    input: &[u8],
    cap: usize,
    call: impl Fn(*const c_char, usize, *mut c_char, usize, *mut pct_result) -> pct_status,
) -> (Vec<u8>, pct_status, pct_result) {
    let (mut out, mut place, mut result) = (room(cap), input.to_vec().into_boxed_slice(), blank::<pct_result>());
    let (src, len) = (input.as_ptr().cast(), input.len());
    let start = place.as_mut_ptr().cast::<c_char>();
    let status = call(start, len, start, len, &mut result);
    assert_eq!(place[result.read..], input[result.read..], "the part after an error is unchanged");
    let in_place = (place[..result.written].to_vec(), status, result);
    let status = call(src, len, out.as_mut_ptr().cast(), cap, &mut result);
    if status == PCT_OUTPUT_TOO_SMALL {
        assert_eq!((cap < result.needed, result.needed), (true, in_place.0.len()));
    } else {
        assert_eq!((&out[..result.written], status, result), (&in_place.0[..], in_place.1, in_place.2));
    }
    in_place
}

/// Puts `input` through a stream. `cuts` alternates between the length of a chunk and the length of an output buffer.
fn through(stream: &mut pct_stream, input: &[u8], cuts: &[u8]) -> (Vec<u8>, pct_status, usize) {
    let mut cuts = cuts.iter().chain([&31]).cycle().map(|&cut| usize::from(cut));
    let mut cut = || cuts.next().unwrap_or(0);
    let (mut out, mut read, mut result) = (Vec::new(), 0, blank::<pct_result>());
    while read < input.len() {
        let chunk = input[read..input.len().min(read + 1 + cut())].to_vec().into_boxed_slice();
        let mut dst = room(7 + cut() % 64);
        let (src, cap) = (chunk.as_ptr().cast(), dst.len());
        let status = unsafe { pct_stream_push(stream, src, chunk.len(), dst.as_mut_ptr().cast(), cap, &mut result) };
        out.extend_from_slice(&dst[..result.written]);
        read += result.read;
        if status != PCT_OK {
            return (out, status, result.first_error);
        }
    }
    let mut dst = room(6);
    let status = unsafe { pct_stream_finish(stream, dst.as_mut_ptr().cast(), 6, &mut result) };
    out.extend_from_slice(&dst[..result.written]);
    (out, status, result.first_error)
}

/// Returns the offsets, as 32-bit numbers, that split `input` into rows of the lengths in `cuts`.
fn offsets(input: &[u8], cuts: &[u8]) -> Vec<i32> {
    let mut offsets = vec![0];
    for &cut in cuts {
        let last = offsets[offsets.len() - 1];
        offsets.push((last + i32::from(cut)).min(input.len() as i32));
    }
    offsets
}

fn rows<'a>(values: &'a [u8], offsets: &'a [i32]) -> impl Iterator<Item = &'a [u8]> {
    offsets.windows(2).map(|ends| &values[ends[0] as usize..ends[1] as usize])
}

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, mut dec, cap) = (choices.encode(), choices.decode(), usize::from(choices.byte()) * 3);
    dec.plus_after_query &= !dec.plus_always; // the C library refuses both options together
    let cuts = choices.some(24);
    let input = choices.input().to_vec().into_boxed_slice();
    let (src, len) = (input.as_ptr().cast::<c_char>(), input.len());
    let (encoded, decoded) = (enc.run(&input), dec.run(&input));
    let (status, wanted) = expected(&decoded, &input);
    let offsets = offsets(&input, cuts);

    let engine = engine.name();
    let (encoder, decoder) = (encoder(enc, engine), decoder(dec, engine));
    let mut result = blank::<pct_result>();

    for cap in [cap, encoded.len()] {
        let mut out = room(cap);
        let status = unsafe { pct_encode(&encoder, src, len, out.as_mut_ptr().cast(), cap, &mut result) };
        if cap < encoded.len() {
            assert_eq!((status, result.needed), (PCT_OUTPUT_TOO_SMALL, encoded.len()), "{engine} {enc:?}");
        } else {
            assert_eq!((status, &out[..result.written]), (PCT_OK, &encoded[..]), "{engine} {enc:?}");
            assert_eq!((result.read, result.changed == 1), (len, *encoded != *input), "{engine} {enc:?}");
        }
    }
    assert_eq!(unsafe { pct_encoded_len(&encoder, src, len) }, encoded.len(), "{engine} {enc:?}");
    let first = enc.first_changed(&input).unwrap_or(PCT_NONE);
    assert_eq!(unsafe { pct_encode_first_changed(&encoder, src, len) }, first, "{engine} {enc:?}");

    for cap in [cap, decoded.out.len()] {
        let got = decode_with(&input, cap, |src, len, dst, cap, result| unsafe {
            pct_decode(&decoder, src, len, dst, cap, result)
        });
        assert_eq!(got, (decoded.out.clone(), status, wanted), "{engine} {dec:?}");
    }
    assert_eq!(unsafe { pct_decode_check(&decoder, src, len, &mut result) }, status, "{engine} {dec:?}");
    assert_eq!(result.first_error, wanted.first_error, "{engine} {dec:?}");
    let first = decoded.first_changed.unwrap_or(PCT_NONE);
    assert_eq!(unsafe { pct_decode_first_changed(&decoder, src, len) }, first, "{engine} {dec:?}");

    let mut stream = blank();
    assert_eq!(unsafe { pct_stream_encode(&mut stream, &encoder) }, PCT_OK);
    assert_eq!(through(&mut stream, &input, cuts), (encoded.clone(), PCT_OK, PCT_NONE), "{engine} {enc:?}");
    assert_eq!(unsafe { pct_stream_decode(&mut stream, &decoder) }, PCT_OK);
    let got = through(&mut stream, &input, cuts);
    assert_eq!(got, (decoded.out.clone(), status, wanted.first_error), "{engine} {dec:?}");

    let (mut ends, count) = (vec![-1; offsets.len()], offsets.len() - 1);
    let each: Vec<Vec<u8>> = rows(&input, &offsets).map(|row| enc.run(row)).collect();
    let cap = each.concat().len();
    let mut out = room(cap);
    let (at, dst) = (offsets.as_ptr(), out.as_mut_ptr().cast());
    let status = unsafe { pct_encode_batch32(&encoder, src, len, at, count, dst, cap, ends.as_mut_ptr(), &mut result) };
    assert_eq!((status, result.read, result.written), (PCT_OK, count, cap), "{engine} {enc:?}");
    assert!(rows(&out, &ends).eq(&each), "{engine} {enc:?}");

    let each: Vec<Decoded> = rows(&input, &offsets).map(|row| dec.run(row)).collect();
    let good = each.iter().take_while(|row| row.error.is_none()).count();
    let mut out = room(len);
    let dst = out.as_mut_ptr().cast();
    let status = unsafe { pct_decode_batch32(&decoder, src, len, at, count, dst, len, ends.as_mut_ptr(), &mut result) };
    assert_eq!(result.read, good, "{engine} {dec:?}");
    assert!(rows(&out, &ends[..=good]).eq(each[..good].iter().map(|row| &row.out[..])), "{engine} {dec:?}");
    match each.get(good).and_then(|row| row.error) {
        None => assert_eq!(status, PCT_OK),
        Some((offset, kind)) => {
            assert_eq!(((status, result.rejected), result.first_error), (status_of(kind), offset));
        }
    }

    let all = Charset::all();
    let charset =
        all.clone().nth(usize::from(cuts.first().copied().unwrap_or(0)) % all.count()).unwrap_or(Charset::UTF_8);
    let (name, mut found, mut result) = (charset.name(), blank(), blank::<pct_result>());
    assert_eq!(unsafe { pct_charset_for_name(&mut found, name.as_ptr().cast(), name.len()) }, PCT_OK);
    for cap in [cap, 3 * len] {
        let mut out = room(cap);
        let dst = out.as_mut_ptr().cast();
        let status =
            unsafe { pct_decode_charset(ptr::null(), &found, PCT_CHARSET_LOSSY, src, len, dst, cap, &mut result) };
        let text = charset.percent_decode_lossy(&Decoder::new(), &input);
        match status {
            PCT_OUTPUT_TOO_SMALL => assert_eq!((cap < text.len(), result.needed), (true, text.len()), "{name}"),
            _ => assert_eq!((status, &out[..result.written]), (PCT_OK, text.as_bytes()), "{name}"),
        }
    }
    if let Ok(text) = str::from_utf8(&input) {
        let encoder = common::encoder(enc, engine);
        for cap in [cap, 24 * len] {
            let mut out = room(cap);
            let dst = out.as_mut_ptr().cast();
            let status =
                unsafe { pct_encode_charset(&encoder, &found, PCT_CHARSET_HTML, src, len, dst, cap, &mut result) };
            let wanted = enc.run(&charset.encode_html(text));
            match status {
                PCT_OUTPUT_TOO_SMALL => assert_eq!((cap < wanted.len(), result.needed), (true, wanted.len()), "{name}"),
                _ => assert_eq!((status, &out[..result.written]), (PCT_OK, &wanted[..]), "{name}"),
            }
        }
    }

    let (got, end, _) = pairs(&input, 0, 0);
    let mut at = 0;
    let mut split = Vec::new();
    for pair in input.split(|&byte| byte == b'&') {
        let sign = pair.iter().position(|&byte| byte == b'=');
        if !pair.is_empty() {
            split.push((pair[..sign.unwrap_or(pair.len())].to_vec(), sign.map(|sign| pair[sign + 1..].to_vec()), at));
        }
        at += pair.len() + 1;
    }
    assert_eq!((got, end), (split, PCT_END));

    let null = ptr::null();
    let (out, status, _) = decode_with(&input, len, |src, len, dst, cap, result| unsafe {
        pct_decode_u(null, src, len, dst, cap, result)
    });
    assert_eq!((&out[..], status), (&*ecma::decode_with_u(&*input), PCT_OK));
    let (out, status, _) = decode_with(&input, len, |src, len, dst, cap, result| unsafe {
        pct_url_decode_uni(ptr::null(), src, len, dst, cap, result)
    });
    assert_eq!((&out[..], status), (&*waf::url_decode_uni(&*input), PCT_OK));
    let (out, status, result) = decode_with(&input, len, |src, len, dst, cap, result| unsafe {
        pct_normalize_escapes(src, len, dst, cap, result)
    });
    if let Ok(text) = str::from_utf8(&input) {
        match uri::normalize_escapes(text) {
            Ok(normal) => assert_eq!((&out[..], status, result.read), (normal.as_bytes(), PCT_OK, len)),
            Err(error) => {
                assert!(matches!(status, PCT_TRUNCATED | PCT_NOT_HEX));
                assert_eq!(result.first_error, error.offset);
            }
        }
    }

    let mut target = blank::<pct_request_target>();
    let status = unsafe { pct_split_target(src, len, &mut target) };
    let bounds = uri::TargetBounds::split(&*input);
    assert_eq!(status == PCT_OK, uri::TargetBounds::parse(&*input).is_ok());
    assert_eq!((target.path.offset, target.path.len), (bounds.path().start, bounds.path().len()));
    for (slice, range) in
        [(target.scheme, bounds.scheme()), (target.authority, bounds.authority()), (target.query, bounds.query())]
    {
        assert_eq!((slice.offset, slice.len), range.map_or((PCT_NONE, 0), |range| (range.start, range.len())));
    }

    let (mut out, mut result) = (room(3 * len), blank::<pct_result>());
    let dst = out.as_mut_ptr().cast();
    let status = unsafe { pct_normalize_path(src, len, dst, 3 * len, 0, &mut result) };
    if let Ok(path) = str::from_utf8(&input) {
        match uri::PathNormalizer::new().normalize(path) {
            Ok(normal) => assert_eq!((status, &out[..result.written]), (PCT_OK, normal.as_bytes())),
            Err(error) => assert_eq!((status, result.first_error), (PCT_BAD_PATH, error.offset)),
        }
    }
});
