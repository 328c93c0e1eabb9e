//! Compares every function of the C interface with the oracle: all engines, all options, both directions, in place, in
//! streams cut anywhere, and in batches. Also tests that invalid arguments are refused.

// SAFETY, for all calls here: pointers and lengths come from one slice or one value that outlives the call, or they are
// invalid on purpose. The call refuses invalid ones before it reads any memory.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::common;

use std::ffi::c_char;
use std::ptr;

use percent_simd::{ByteSet, DecodeErrorKind, presets};
use percent_simd_capi::pct_status::*;
use percent_simd_capi::*;
use percent_simd_oracle::{Canary, Decode, Decoded, LENIENT, Random, cases, decodings, encodings, engines, show};
use percent_standards::charset::Charset;
use percent_standards::{ecma, form, uri, waf};

use common::{blank, decoder, encoder, expected, pairs, status_of};

/// Returns inputs of every length below 200, and some of greater lengths.
fn inputs() -> Vec<Vec<u8>> {
    let mut random = Random::seeded(7);
    let lengths = (0..200).chain([255, 256, 257, 1000, 6143, 6145, 20_000]);
    lengths.flat_map(|n| [random.hostile(n), random.hostile(n)]).collect()
}

#[test]
fn encodes_as_the_oracle_does() {
    let mut room = Canary::new(60_000);
    for case in encodings() {
        for engine in engines() {
            let encoder = encoder(case, engine.name());
            for input in inputs() {
                let wanted = case.run(&input);
                let (src, len) = (input.as_ptr().cast::<c_char>(), input.len());
                let mut result = blank();
                let status = room.lend(wanted.len(), |out| unsafe {
                    pct_encode(&encoder, src, len, out.as_mut_ptr().cast(), out.len(), &mut result)
                });
                assert_eq!(status, PCT_OK);
                assert_eq!(room.written(wanted.len()), wanted, "{engine} {case:?} {}", show(&input));
                assert_eq!((result.read, result.written, result.first_error), (len, wanted.len(), PCT_NONE));
                assert_eq!(result.changed == 1, wanted != input);
                assert_eq!(unsafe { pct_encoded_len(&encoder, src, len) }, wanted.len());
                let first = case.first_changed(&input).unwrap_or(PCT_NONE);
                assert_eq!(unsafe { pct_encode_first_changed(&encoder, src, len) }, first);
                if let Some(less) = wanted.len().checked_sub(1) {
                    let status = room.lend(less, |out| unsafe {
                        pct_encode(&encoder, src, len, out.as_mut_ptr().cast(), out.len(), &mut result)
                    });
                    assert_eq!((status, result.needed), (PCT_OUTPUT_TOO_SMALL, wanted.len()));
                }
            }
        }
    }
}

#[test]
fn decodes_as_the_oracle_does() {
    let mut room = Canary::new(20_000);
    for case in decodings() {
        for engine in engines() {
            let decoder = decoder(case, engine.name());
            for input in inputs() {
                let wanted = case.run(&input);
                let (status, result) = expected(&wanted, &input);
                let (src, len) = (input.as_ptr().cast::<c_char>(), input.len());
                let context = || format!("{engine} {case:?} {}", show(&input));

                let mut got = blank();
                let called = room.lend(result.written, |out| unsafe {
                    pct_decode(&decoder, src, len, out.as_mut_ptr().cast(), out.len(), &mut got)
                });
                assert_eq!((called, got), (status, result), "{}", context());
                assert_eq!(room.written(result.written), wanted.out);

                // Also decode in place.
                let called = room.lend(len, |out| unsafe {
                    out.copy_from_slice(&input);
                    pct_decode(&decoder, out.as_ptr().cast(), len, out.as_mut_ptr().cast(), len, &mut got)
                });
                assert_eq!((called, got), (status, result), "in place {}", context());
                assert_eq!(room.written(result.written), wanted.out);
                assert_eq!(room.written(len)[result.read..], input[result.read..], "what follows an error");

                let called = unsafe { pct_decode_check(&decoder, src, len, &mut got) };
                assert_eq!((called, got.first_error), (status, result.first_error), "{}", context());
                assert_eq!(got.written, if status == PCT_OK { result.written } else { 0 });
                let first = wanted.first_changed.unwrap_or(PCT_NONE);
                assert_eq!(unsafe { pct_decode_first_changed(&decoder, src, len) }, first);

                if let Some(less) = result.written.checked_sub(1).filter(|_| status == PCT_OK) {
                    let called = room.lend(less, |out| unsafe {
                        pct_decode(&decoder, src, len, out.as_mut_ptr().cast(), out.len(), &mut got)
                    });
                    assert_eq!((called, got.needed), (PCT_OUTPUT_TOO_SMALL, result.written), "{}", context());
                }
            }
        }
    }
}

/// Pushes `input` in pieces through `stream`, with short output buffers. Returns the whole output, the last status and
/// the offset of the first error.
fn through(stream: &mut pct_stream, input: &[u8], random: &mut Random) -> (Vec<u8>, pct_status, usize) {
    let (mut out, mut at) = (Vec::new(), 0);
    let mut room = Canary::new(64);
    let mut result: pct_result = blank();
    while at < input.len() {
        let chunk = &input[at..input.len().min(at + 1 + random.below(70))];
        let status = room.lend(7 + random.below(57), |out| unsafe {
            let (dst, cap) = (out.as_mut_ptr().cast(), out.len());
            pct_stream_push(stream, chunk.as_ptr().cast(), chunk.len(), dst, cap, &mut result)
        });
        out.extend_from_slice(room.written(result.written));
        at += result.read;
        if status != PCT_OK {
            return (out, status, result.first_error);
        }
    }
    let status =
        room.lend(6, |out| unsafe { pct_stream_finish(stream, out.as_mut_ptr().cast(), out.len(), &mut result) });
    out.extend_from_slice(room.written(result.written));
    (out, status, result.first_error)
}

#[test]
fn streams_give_the_same_result_wherever_they_are_cut() {
    let mut random = Random::seeded(11);
    for _ in 0..cases(4000) {
        let engine = random.pick(&engines()).name();
        let length = random.below(300);
        let input = random.hostile(length);
        let mut stream = blank();

        let case = random.encode();
        let encoder = encoder(case, engine);
        assert_eq!(unsafe { pct_stream_encode(&mut stream, &encoder) }, PCT_OK);
        assert_eq!(through(&mut stream, &input, &mut random), (case.run(&input), PCT_OK, PCT_NONE), "{case:?}");

        let case = random.decode();
        let decoder = decoder(case, engine);
        let wanted = case.run(&input);
        let (status, result) = expected(&wanted, &input);
        assert_eq!(unsafe { pct_stream_decode(&mut stream, &decoder) }, PCT_OK);
        let got = through(&mut stream, &input, &mut random);
        assert_eq!(got, (wanted.out, status, result.first_error), "{case:?} {}", show(&input));
    }
}

#[test]
fn batches_with_enough_space_equal_the_oracle_row_by_row() {
    let mut random = Random::seeded(13);
    for _ in 0..cases(2000) {
        let engine = random.pick(&engines()).name();
        let rows: Vec<Vec<u8>> = (0..random.below(9))
            .map(|_| {
                let length = random.below(60);
                random.hostile(length)
            })
            .collect();
        let before = random.below(3);
        let values = [vec![b'%'; before], rows.concat()].concat();
        let mut offsets = vec![before as i32];
        for row in &rows {
            offsets.push(offsets[offsets.len() - 1] + row.len() as i32);
        }
        let (src, len) = (values.as_ptr().cast::<c_char>(), values.len());
        let mut ends = vec![-1; offsets.len()];
        let mut result: pct_result = blank();

        let case = random.encode();
        let encoded: Vec<Vec<u8>> = rows.iter().map(|row| case.run(row)).collect();
        let encoder = encoder(case, engine);
        let cap = encoded.concat().len();
        let mut room = Canary::new(cap);
        let status = room.lend(cap, |out| unsafe {
            let (dst, ends) = (out.as_mut_ptr().cast(), ends.as_mut_ptr());
            pct_encode_batch32(&encoder, src, len, offsets.as_ptr(), rows.len(), dst, cap, ends, &mut result)
        });
        assert_eq!((status, result.read, result.written), (PCT_OK, rows.len(), cap));
        for (i, row) in encoded.iter().enumerate() {
            assert_eq!(room.written(cap)[ends[i] as usize..ends[i + 1] as usize], *row);
        }

        let case = random.decode();
        let decoder = decoder(case, engine);
        let wide: Vec<i64> = offsets.iter().map(|&offset| offset.into()).collect();
        let mut ends = vec![-1; wide.len()];
        let mut room = Canary::new(len);
        let status = room.lend(len, |out| unsafe {
            let (dst, ends) = (out.as_mut_ptr().cast(), ends.as_mut_ptr());
            pct_decode_batch64(&decoder, src, len, wide.as_ptr(), rows.len(), dst, len, ends, &mut result)
        });
        let decoded: Vec<Decoded> = rows.iter().map(|row| case.run(row)).collect();
        let good = decoded.iter().take_while(|row| row.error.is_none()).count();
        assert_eq!(result.read, good, "{case:?}");
        for (i, row) in decoded[..good].iter().enumerate() {
            assert_eq!(room.written(len)[ends[i] as usize..ends[i + 1] as usize], row.out);
        }
        match decoded.get(good).and_then(|row| row.error) {
            None => assert_eq!(status, PCT_OK),
            Some((offset, kind)) => {
                assert_eq!((status, result.rejected), status_of(kind));
                assert_eq!(result.first_error, offset);
            }
        }
    }
}

/// A type of Arrow's offsets.
trait Offset: Copy + PartialEq + std::fmt::Debug + TryFrom<usize> + TryInto<usize> {}
impl Offset for i32 {}
impl Offset for i64 {}

/// Returns the index of the first row whose offsets are invalid. If the first offset is invalid, this is row 0.
fn bad_row<O: Offset>(values: &[u8], offsets: &[O]) -> Option<usize> {
    let at = |index: usize| offsets[index].try_into().ok();
    let is_bad = |&row: &usize| at(row).zip(at(row + 1)).and_then(|(from, to)| values.get(from..to)).is_none();
    if at(0).is_none_or(|first| first > values.len()) { Some(0) } else { (0..offsets.len() - 1).find(is_bad) }
}

/// Calls `one` for each row, and puts the outputs one after the other into `out`. A batch must give the same result.
fn row_by_row<O: Offset>(
    (values, offsets): (&[u8], &[O]),
    (out, ends): (&mut [u8], &mut [O]),
    grows: bool,
    one: impl Fn(&[u8], &mut [u8], &mut pct_result) -> pct_status,
) -> (pct_status, pct_result) {
    let mut total = pct_result { first_error: PCT_NONE, ..blank() };
    if let Some(row) = bad_row(values, offsets) {
        total.read = row;
        return (PCT_BAD_OFFSETS, total);
    }
    let at = |index: usize| offsets[index].try_into().ok().unwrap();
    for (row, end) in ends.iter_mut().enumerate() {
        *end = O::try_from(total.written).ok().unwrap();
        if row + 1 == offsets.len() {
            break;
        }
        let bytes = &values[at(row)..at(row + 1)];
        let mut result = blank();
        let status = one(bytes, &mut out[total.written..], &mut result);
        if status == PCT_OUTPUT_TOO_SMALL {
            let len = at(offsets.len() - 1) - at(0);
            total.needed = if grows { pct_encode_bound(len) } else { pct_decode_bound(len) };
            return (status, total);
        }
        total.changed |= result.changed;
        if status != PCT_OK {
            (total.first_error, total.rejected) = (result.first_error, result.rejected);
            return (status, total);
        }
        (total.read, total.written) = (row + 1, total.written + result.written);
    }
    (PCT_OK, total)
}

type BatchCall<C, O> = unsafe extern "C" fn(
    *const C,
    *const c_char,
    usize,
    *const O,
    usize,
    *mut c_char,
    usize,
    *mut O,
    *mut pct_result,
) -> pct_status;

/// Checks that a batch gives the same result as a call for each row. The tested capacities of the output are near the
/// ends of some rows.
fn check_batch<C, O: Offset>(
    codec: &C,
    (values, offsets): (&[u8], &[O]),
    (grows, batch): (bool, BatchCall<C, O>),
    one: impl Fn(&[u8], &mut [u8], &mut pct_result) -> pct_status,
    random: &mut Random,
) {
    let most = 3 * values.len() + 500;
    let (mut wanted_out, mut wanted_ends) = (vec![0; most], vec![O::try_from(99).ok().unwrap(); offsets.len()]);
    let (_, all) = row_by_row((values, offsets), (&mut wanted_out, &mut wanted_ends), grows, &one);
    let ends: Vec<usize> = wanted_ends[..=all.read].iter().map(|&end| end.try_into().ok().unwrap()).collect();
    let mut caps = vec![all.written, values.len(), most];
    for end in if ends.len() < 8 { ends.clone() } else { vec![*random.pick(&ends), *random.pick(&ends)] } {
        caps.extend([end.saturating_sub(1), end, end + 1]);
    }
    let mut room = Canary::new(most);
    for cap in caps {
        let mut got_ends = vec![O::try_from(99).ok().unwrap(); offsets.len()];
        wanted_ends.copy_from_slice(&got_ends);
        let wanted = row_by_row((values, offsets), (&mut wanted_out[..cap], &mut wanted_ends), grows, &one);
        let mut result = blank();
        let status = room.lend(cap, |out| unsafe {
            let (src, len, at, rows) = (values.as_ptr().cast(), values.len(), offsets.as_ptr(), offsets.len() - 1);
            batch(codec, src, len, at, rows, out.as_mut_ptr().cast(), cap, got_ends.as_mut_ptr(), &mut result)
        });
        assert_eq!((status, result), wanted, "{cap} of {}: {offsets:?}", all.written);
        assert_eq!(room.written(result.written), &wanted_out[..result.written]);
        assert_eq!(got_ends, wanted_ends);
    }
}

/// Returns few or many, short or long rows. Some end inside a triplet, and some offsets are wrong.
fn random_rows(random: &mut Random) -> (Vec<u8>, Vec<usize>) {
    let count = [0, 1, 3, 4, 5, 20, 33, 100, 1100][random.below(9)];
    let most = if count > 100 { 12 } else { [8, 60, 300, 5000][random.below(if count > 20 { 3 } else { 4 })] };
    let mut values = vec![b'%'; random.below(3)];
    let mut offsets = vec![values.len()];
    for _ in 0..count {
        let length = if random.one_in(5) { 0 } else { random.below(most) };
        // A strict batch stops at its first malformed row, and hostile rows are usually malformed. So three rows in
        // four are well-formed.
        let row = if random.one_in(4) { random.hostile(length) } else { b"a%20b%2Fc".repeat(length / 9) };
        values.extend(row);
        if random.one_in(30) {
            values.extend([&b"%"[..], b"%4"][random.below(2)]);
        }
        offsets.push(values.len());
    }
    values.extend(random.hostile(5));
    if random.one_in(4) {
        let at = random.below(offsets.len());
        offsets[at] = random.below(2 * values.len() + 1);
    }
    (values, offsets)
}

#[test]
fn a_batch_does_the_same_as_a_call_for_each_row() {
    let mut random = Random::seeded(14);
    for _ in 0..cases(3000) {
        let engine = random.pick(&engines()).name();
        let (values, offsets) = random_rows(&mut random);
        let narrow: Vec<i32> = offsets.iter().map(|&offset| offset as i32).collect();
        let wide: Vec<i64> = offsets.iter().map(|&offset| offset as i64).collect();
        let encoder = encoder(random.encode(), engine);
        let encode = |row: &[u8], out: &mut [u8], result: &mut pct_result| unsafe {
            pct_encode(&encoder, row.as_ptr().cast(), row.len(), out.as_mut_ptr().cast(), out.len(), result)
        };
        let decoder = decoder(random.decode(), engine);
        let decode = |row: &[u8], out: &mut [u8], result: &mut pct_result| unsafe {
            pct_decode(&decoder, row.as_ptr().cast(), row.len(), out.as_mut_ptr().cast(), out.len(), result)
        };
        if random.one_in(2) {
            check_batch(&encoder, (&values, &narrow), (true, pct_encode_batch32), encode, &mut random);
            check_batch(&decoder, (&values, &wide), (false, pct_decode_batch64), decode, &mut random);
        } else {
            check_batch(&encoder, (&values, &wide), (true, pct_encode_batch64), encode, &mut random);
            check_batch(&decoder, (&values, &narrow), (false, pct_decode_batch32), decode, &mut random);
        }
    }
}

#[test]
fn bad_offsets_are_refused() {
    let decode = |offsets: &[i32], cap: usize| {
        let (mut out, mut ends, mut result) = ([0u8; 8], [0; 8], blank::<pct_result>());
        let status = unsafe {
            let (dst, rows) = (out.as_mut_ptr().cast(), offsets.len() - 1);
            let values = c"%41%42".as_ptr();
            pct_decode_batch32(ptr::null(), values, 6, offsets.as_ptr(), rows, dst, cap, ends.as_mut_ptr(), &mut result)
        };
        (status, result.read, result.needed)
    };
    assert_eq!(decode(&[0, 3, 6], 8), (PCT_OK, 2, 0));
    assert_eq!(decode(&[0, 3, 2], 8), (PCT_BAD_OFFSETS, 1, 0));
    assert_eq!(decode(&[0, 7], 8), (PCT_BAD_OFFSETS, 0, 0));
    assert_eq!(decode(&[-1, 3], 8), (PCT_BAD_OFFSETS, 0, 0));
    assert_eq!(decode(&[0, 3, 6], 1), (PCT_OUTPUT_TOO_SMALL, 1, 6));
    assert_eq!(decode(&[0], 0), (PCT_OK, 0, 0));
    assert_eq!(decode(&[0, 1, 2, 3, 4, 5, 9], 8), (PCT_BAD_OFFSETS, 5, 0));
    assert_eq!(decode(&[0, 1, 2, 1, 4, 5, 6], 8), (PCT_BAD_OFFSETS, 2, 0));
    // If the offsets are wrong, the status is PCT_BAD_OFFSETS even if `cap` is too small, because no `needed` would
    // help.
    assert_eq!(decode(&[0, 4, 0], 1), (PCT_BAD_OFFSETS, 1, 0));
    assert_eq!(decode(&[0, 4, i32::MAX], 1), (PCT_BAD_OFFSETS, 1, 0));
    assert_eq!(decode(&[0, 4, -1], 0), (PCT_BAD_OFFSETS, 1, 0));
    assert_eq!(decode(&[6, 0], 0), (PCT_BAD_OFFSETS, 0, 0));
    // A batch without rows has one offset. This offset must be valid, as in a batch with rows.
    assert_eq!(decode(&[6], 0), (PCT_OK, 0, 0));
    assert_eq!(decode(&[7], 0), (PCT_BAD_OFFSETS, 0, 0));
    assert_eq!(decode(&[-1], 0), (PCT_BAD_OFFSETS, 0, 0));
}

/// Runs a batch with a capacity of `cap` bytes, and repeats it with the capacity that `needed` asks for. Returns the
/// last status.
fn retried<C, O: Offset>(
    codec: &C,
    values: &[u8],
    offsets: &[O],
    batch: BatchCall<C, O>,
    mut cap: usize,
) -> pct_status {
    let mut room = Canary::new(cap.max(3 * values.len()));
    let mut ends = offsets.to_vec();
    loop {
        let mut result = blank::<pct_result>();
        let status = room.lend(cap, |out| unsafe {
            let (src, len, at, rows) = (values.as_ptr().cast(), values.len(), offsets.as_ptr(), offsets.len() - 1);
            batch(codec, src, len, at, rows, out.as_mut_ptr().cast(), cap, ends.as_mut_ptr(), &mut result)
        });
        if status != PCT_OUTPUT_TOO_SMALL {
            assert_eq!(result.needed, 0);
            return status;
        }
        assert!(cap < result.needed && result.needed <= 3 * values.len(), "{cap}, {result:?}, {offsets:?}");
        cap = result.needed;
    }
}

#[test]
fn a_batch_with_any_offsets_ends_after_one_retry() {
    let mut random = Random::seeded(16);
    for _ in 0..cases(20_000) {
        let engine = random.pick(&engines()).name();
        let length = random.below(200);
        let values = random.hostile(length);
        let length = values.len();
        // Sort the offsets in seven of eight cases, because a batch whose offsets do not ascend ends early. Then
        // replace up to two offsets by wild values.
        let mut wide: Vec<i64> =
            (0..=[0, 1, 2, 3, 5, 40, 600][random.below(7)]).map(|_| random.below(length + 1) as i64).collect();
        if !random.one_in(8) {
            wide.sort_unstable();
        }
        let wild = [-1, -5, 0, 1, length as i64 + 1, i32::MAX.into(), i32::MIN.into(), i64::MAX, i64::MIN];
        for _ in 0..[0, 0, 1, 2][random.below(4)] {
            let at = [0, wide.len() - 1, random.below(wide.len())][random.below(3)];
            wide[at] = *random.pick(&wild);
        }
        let narrow: Vec<i32> =
            wide.iter().map(|&offset| offset.clamp(i32::MIN.into(), i32::MAX.into()) as i32).collect();
        let cap = if random.one_in(2) { random.below(3) } else { random.below(3 * length + 1) };
        let encoder = encoder(random.encode(), engine);
        let wanted = if bad_row(&values, &wide).is_some() { PCT_BAD_OFFSETS } else { PCT_OK };
        assert_eq!(retried(&encoder, &values, &wide, pct_encode_batch64, cap), wanted, "{wide:?}");
        assert_eq!(retried(&encoder, &values, &narrow, pct_encode_batch32, cap), wanted, "{narrow:?}");
        let case = random.decode();
        let decoder = decoder(case, engine);
        let fails = |offsets: &[i64]| {
            let row = |at: &[i64]| &values[at[0] as usize..at[1] as usize];
            offsets.windows(2).find_map(|at| Some(status_of(case.run(row(at)).error?.1).0))
        };
        let wanted = if wanted == PCT_OK { fails(&wide).unwrap_or(PCT_OK) } else { wanted };
        assert_eq!(retried(&decoder, &values, &wide, pct_decode_batch64, cap), wanted, "{wide:?}");
        assert_eq!(retried(&decoder, &values, &narrow, pct_decode_batch32, cap), wanted, "{narrow:?}");
    }
}

/// The name of a call, whether it can work in place, and the call itself: a function of input, output and result.
type Call<'a> = (&'a str, bool, &'a dyn Fn(*const c_char, usize, *mut c_char, usize, *mut pct_result) -> pct_status);

#[test]
fn needed_is_always_enough() {
    let mut random = Random::seeded(18);
    for _ in 0..cases(1000) {
        let engine = random.pick(&engines()).name();
        let length = 1 + random.below(100);
        let mut input = [&b"/"[..], &random.hostile(length)].concat();
        if random.one_in(4) {
            input.extend([&b"%u20AC"[..], b"%6Aa:%6A", &[b'^'; 300]][random.below(3)]);
        }
        let (encoder, decode) = (encoder(random.encode(), engine), random.decode());
        let decoder = decoder(Decode { plus_after_query: false, ..decode }, engine);
        let charset = charset_of(*random.pick(&[Charset::UTF_8, Charset::WINDOWS_1252, Charset::SHIFT_JIS]));
        let flags = random.below(2) as u32;
        let calls: [Call; 18] = unsafe {
            [
                ("decode", true, &|src, len, dst, cap, result| pct_decode(&decoder, src, len, dst, cap, result)),
                ("layers", true, &|src, len, dst, cap, result| {
                    pct_decode_layers(&decoder, src, len, dst, cap, 4, result)
                }),
                ("no layer", true, &|src, len, dst, cap, result| {
                    pct_decode_layers(&decoder, src, len, dst, cap, 0, result)
                }),
                ("u", true, &|src, len, dst, cap, result| pct_decode_u(&decoder, src, len, dst, cap, result)),
                ("uni", true, &|src, len, dst, cap, result| {
                    pct_url_decode_uni(ptr::null(), src, len, dst, cap, result)
                }),
                ("escapes", true, &|src, len, dst, cap, result| pct_normalize_escapes(src, len, dst, cap, result)),
                ("encode", false, &|src, len, dst, cap, result| pct_encode(&encoder, src, len, dst, cap, result)),
                ("path", false, &|src, len, dst, cap, result| pct_normalize_path(src, len, dst, cap, flags, result)),
                ("redact", false, &|src, len, dst, cap, result| pct_redact(src, len, dst, cap, result)),
                ("from path", false, &|src, len, dst, cap, result| {
                    pct_file_from_path(src, len, dst, cap, 1 + flags % 2, result)
                }),
                ("to path", false, &|src, len, dst, cap, result| {
                    pct_file_to_path(src, len, dst, cap, 1 + flags % 2, result)
                }),
                ("repair", false, &|src, len, dst, cap, result| {
                    pct_repair(src, len, dst, cap, flags, ptr::null_mut(), 0, ptr::null_mut(), result)
                }),
                ("read disposition", false, &|src, len, dst, cap, result| {
                    pct_disposition_read(src, len, dst, cap, ptr::null_mut(), result)
                }),
                ("write disposition", false, &|src, len, dst, cap, result| {
                    pct_disposition_write(src, len, dst, cap, 1 + flags % 2, result)
                }),
                ("query", false, &|src, len, dst, cap, result| {
                    pct_canonical_query(src, len, dst, cap, 1 + flags, c"a*".as_ptr(), result)
                }),
                ("from charset", false, &|src, len, dst, cap, result| {
                    pct_decode_charset(&decoder, &charset, flags * PCT_CHARSET_LOSSY, src, len, dst, cap, result)
                }),
                ("to charset", false, &|src, len, dst, cap, result| {
                    pct_encode_charset(&encoder, &charset, flags * PCT_CHARSET_HTML, src, len, dst, cap, result)
                }),
                ("stream", false, &|src, len, dst, cap, result| {
                    let mut stream = blank();
                    assert_eq!(pct_stream_decode(&mut stream, &decoder), PCT_OK);
                    pct_stream_push(&mut stream, src, len, dst, cap, result)
                }),
            ]
        };
        let mut buffer = vec![0; 40 * input.len()];
        for (name, works_in_place, call) in calls {
            for cap in [0, 1, 2, random.below(input.len()), input.len() - 1, input.len(), 3 * input.len()] {
                let context = || format!("{name}, {cap}: {}", show(&input));
                for same in [false, true] {
                    let (mut result, at) = (blank::<pct_result>(), if same { 0 } else { input.len() });
                    let mut run = |cap: usize| {
                        buffer[..input.len()].copy_from_slice(&input);
                        let start = buffer.as_mut_ptr().cast::<c_char>();
                        (call(start, input.len(), start.wrapping_add(at), cap, &mut result), result.needed)
                    };
                    let (status, needed) = run(cap);
                    if same && cap > 0 && !works_in_place {
                        assert_eq!((status, needed), (PCT_OVERLAP, 0), "{}", context());
                    } else if status == PCT_OUTPUT_TOO_SMALL {
                        assert!(cap < needed && needed < 30 * input.len(), "{needed}, {}", context());
                        let again = if same && !works_in_place { PCT_OVERLAP } else { PCT_OUTPUT_TOO_SMALL };
                        assert_eq!(run(needed).0 == again, same && !works_in_place, "{needed}, {}", context());
                    } else {
                        assert_eq!(needed, 0, "{}", context());
                    }
                }
            }
        }
    }
}

#[test]
fn batches_refuse_output_that_overlaps_their_input() {
    let (mut offsets, mut out, mut result) = ([0i32, 3, 6, 6], [0u8; 8], blank::<pct_result>());
    let (values, len, at, dst) = (c"%41%42".as_ptr(), 6, offsets.as_mut_ptr(), out.as_mut_ptr().cast());
    let mut decode = |values, len, rows, dst, cap, ends| unsafe {
        pct_decode_batch32(ptr::null(), values, len, at, rows, dst, cap, ends, &mut result)
    };
    assert_eq!(decode(values, len, 1, dst, 8, at.wrapping_add(2)), PCT_OK);
    assert_eq!(decode(values, len, 1, dst, 8, at.wrapping_add(1)), PCT_OVERLAP);
    assert_eq!(decode(values, len, 2, dst, 8, at), PCT_OVERLAP);
    assert_eq!(decode(at.cast(), 16, 1, dst, 8, at.wrapping_add(3)), PCT_OVERLAP);
    assert_eq!(decode(values, len, 1, at.wrapping_add(2).cast(), 8, at.wrapping_add(3)), PCT_OVERLAP);
}

#[test]
fn batches_refuse_offsets_that_are_not_aligned() {
    let (offsets, mut ends, mut out, mut result) = ([0i32; 4], [0i32; 4], [0u8; 8], blank::<pct_result>());
    let mut decode = |offsets, ends| unsafe {
        let (values, dst) = (c"%41%42".as_ptr(), out.as_mut_ptr().cast());
        pct_decode_batch32(ptr::null(), values, 6, offsets, 1, dst, 8, ends, &mut result)
    };
    let (at, to) = (offsets.as_ptr(), ends.as_mut_ptr());
    assert_eq!(decode(at, to), PCT_OK);
    assert_eq!(decode(at.wrapping_byte_add(1), to), PCT_INVALID_ARGUMENT);
    assert_eq!(decode(at, to.wrapping_byte_add(1)), PCT_INVALID_ARGUMENT);
}

type DecodeCall =
    unsafe extern "C" fn(*const pct_decoder, *const c_char, usize, *mut c_char, usize, *mut pct_result) -> pct_status;

/// Returns the output of `call` for `input`. Runs `call` with separate buffers and in place, and checks that both
/// results are the same.
fn decoded(decoder: *const pct_decoder, input: &[u8], call: DecodeCall) -> (Vec<u8>, pct_status, pct_result) {
    let (mut room, mut result, len) = (Canary::new(input.len()), blank(), input.len());
    let apart = room.lend(len, |out| unsafe {
        call(decoder, input.as_ptr().cast(), len, out.as_mut_ptr().cast(), len, &mut result)
    });
    let first = (room.written(result.written).to_vec(), apart, result);
    let same = room.lend(len, |out| unsafe {
        out.copy_from_slice(input);
        call(decoder, out.as_ptr().cast(), len, out.as_mut_ptr().cast(), len, &mut result)
    });
    assert_eq!(first, (room.written(result.written).to_vec(), same, result), "{}", show(input));
    first
}

#[test]
fn u_escapes_are_those_of_decode_with_u() {
    let mut random = Random::seeded(17);
    for _ in 0..cases(20_000) {
        let pieces =
            [&b"%u00e9"[..], b"%uD83D", b"%uDCA9", b"%u12", b"%", b"%4", b"1", b"%41", b"a", b"%u0041", b"\xFF", b"+"];
        let input: Vec<u8> = (0..random.below(12)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let (out, status, result) = decoded(ptr::null(), &input, pct_decode_u);
        assert_eq!(out, *ecma::decode_with_u(&input), "{}", show(&input));
        assert_eq!((status, result.read, result.changed == 1), (PCT_OK, input.len(), out != input));
    }
    let strict = decoder(Decode { strict: true, reject: ByteSet::of(b"/"), ..LENIENT }, "scalar");
    for (input, status, at) in [
        ("ab%u00e9%zz", PCT_NOT_HEX, 8),
        ("%u0041%uD83D", PCT_NOT_HEX, 6),
        ("%4%u0041", PCT_NOT_HEX, 0),
        ("%u0041%4", PCT_TRUNCATED, 6),
        ("%u0041%u002F", PCT_REJECTED, 6),
        ("%u0041%2F", PCT_REJECTED, 6),
    ] {
        let (_, got, result) = decoded(&strict, input.as_bytes(), pct_decode_u);
        assert_eq!((got, result.first_error, result.read), (status, at, at), "{input}");
    }
}

#[test]
fn layers_are_those_of_the_library() {
    let mut random = Random::seeded(19);
    for _ in 0..cases(20_000) {
        let pieces = [&b"%25"[..], b"%32", b"%35", b"25", b"2", b"5", b"%", b"41", b"%2525", b"+", b"%2B", b"z"];
        let input: Vec<u8> = (0..random.below(14)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let max = random.below(6);
        for plus in [false, true] {
            let case = Decode { plus_always: plus, ..LENIENT };
            let wanted = case.lenient(engines()[0]).decode_layers(&input, max);
            let decoder = decoder(case, engines()[0].name());
            let (mut out, mut result) = (vec![0u8; input.len()], blank::<pct_result>());
            let status = unsafe {
                let (src, dst) = (input.as_ptr().cast(), out.as_mut_ptr().cast());
                pct_decode_layers(&decoder, src, input.len(), dst, input.len(), max as u32, &mut result)
            };
            assert_eq!(status, PCT_OK);
            assert_eq!(out[..result.written], *wanted.bytes, "{max} {}", show(&input));
            assert_eq!(result.layers as usize, wanted.layers, "{max} {}", show(&input));
        }
    }
    // The empty text needs no memory, not even a pointer.
    let mut result = blank::<pct_result>();
    let status = unsafe { pct_decode_layers(ptr::null(), ptr::null(), 0, ptr::null_mut(), 0, u32::MAX, &mut result) };
    assert_eq!((status, result.written, result.layers), (PCT_OK, 0, 0));
}

#[test]
fn normalizes_escapes() {
    let normalize: DecodeCall = {
        unsafe extern "C" fn call(
            _: *const pct_decoder,
            src: *const c_char,
            len: usize,
            dst: *mut c_char,
            cap: usize,
            result: *mut pct_result,
        ) -> pct_status {
            // SAFETY: the caller of `call` keeps the rules of `pct_normalize_escapes`.
            unsafe { pct_normalize_escapes(src, len, dst, cap, result) }
        }
        call
    };
    for (input, wanted, changed) in [
        ("%7euser%2f", "~user%2F", 1),
        ("%2F", "%2F", 0),
        ("a b", "a b", 0),
        ("", "", 0),
        ("%6Aavascript:alert(1)", "%6Aavascript:alert(1)", 0),
        ("%68ttp://evil/%78", "%68ttp://evil/x", 1),
    ] {
        let (out, status, result) = decoded(ptr::null(), input.as_bytes(), normalize);
        assert_eq!((&out[..], status, result.changed), (wanted.as_bytes(), PCT_OK, changed));
    }
    assert_eq!(decoded(ptr::null(), b"a%", normalize).1, PCT_TRUNCATED);
    let mut random = Random::seeded(31);
    for _ in 0..cases(20_000) {
        let pieces = [&b"%6A"[..], b"a", b":", b"/", b"?", b"#", b"%2f", b"%", b"%zz", b"\xC3\xA9"];
        let text: Vec<u8> = (0..random.below(9)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let text = str::from_utf8(&text).unwrap();
        let (out, status, result) = decoded(ptr::null(), text.as_bytes(), normalize);
        match uri::normalize_escapes(text) {
            Ok(wanted) => {
                assert_eq!((&out[..], status, result.read), (wanted.as_bytes(), PCT_OK, text.len()), "{text}");
                assert_eq!(result.changed == 1, wanted != text, "{text}");
            }
            Err(error) => {
                let kind = if error.kind == DecodeErrorKind::Truncated { PCT_TRUNCATED } else { PCT_NOT_HEX };
                assert_eq!(status, kind, "{text}");
                assert_eq!((result.first_error, result.read), (error.offset, error.offset), "{text}");
            }
        }
    }
}

#[test]
fn request_paths_are_those_of_the_library() {
    let mut random = Random::seeded(29);
    for _ in 0..cases(20_000) {
        let pieces =
            [&b"/"[..], b"..", b".", b"%2e", b"a", b"%2f", b"%41", b"%", b"\\", b"%00", b"\x01", b"\xC3\xA9", b"%zz"];
        let tail: Vec<u8> = (0..random.below(12)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let path = [if random.one_in(20) { b"" } else { &b"/"[..] }, &tail[..]].concat();
        for strict in [false, true] {
            let normalizer = if strict { uri::PathNormalizer::new().strict() } else { uri::PathNormalizer::new() };
            let wanted = normalizer.normalize(std::str::from_utf8(&path).unwrap());
            let (mut room, mut result) = (Canary::new(3 * path.len()), blank::<pct_result>());
            let status = room.lend(3 * path.len(), |out| unsafe {
                let (src, dst) = (path.as_ptr().cast(), out.as_mut_ptr().cast());
                pct_normalize_path(src, path.len(), dst, out.len(), strict.into(), &mut result)
            });
            match wanted {
                Ok(normal) => {
                    assert_eq!(status, PCT_OK, "{}", show(&path));
                    assert_eq!(room.written(result.written), normal.as_bytes(), "{}", show(&path));
                    assert_eq!(result.changed == 1, *normal.as_bytes() != *path);
                }
                Err(error) => {
                    let kind =
                        if matches!(error.kind, uri::UriErrorKind::Escape(_)) { PCT_NOT_HEX } else { PCT_BAD_PATH };
                    assert_eq!(
                        (status, result.first_error, result.written),
                        (kind, error.offset, 0),
                        "{}",
                        show(&path)
                    );
                }
            }
        }
    }
    let (mut out, mut result) = ([0u8; 4], blank::<pct_result>());
    unsafe {
        let dst = out.as_mut_ptr().cast();
        assert_eq!(pct_normalize_path(c"/a/%".as_ptr(), 4, dst, 4, 0, &mut result), PCT_OUTPUT_TOO_SMALL);
        assert_eq!(result.needed, 6);
        assert_eq!(pct_normalize_path(c"/a".as_ptr(), 2, dst, 4, 8, &mut result), PCT_INVALID_ARGUMENT);
    }
}

#[test]
fn options_of_paths_and_queries_are_those_of_the_library() {
    use uri::{CanonicalQuery, PathNormalizer, Separators};
    let kinds = [
        (PCT_QUERY_SIGV4, CanonicalQuery::sigv4()),
        (PCT_QUERY_OAUTH1, CanonicalQuery::oauth1()),
        (PCT_QUERY_CACHE_KEY, CanonicalQuery::cache_key()),
        (PCT_QUERY_AS_WRITTEN, CanonicalQuery::as_written()),
    ];
    let mut random = Random::seeded(31);
    for _ in 0..cases(20_000) {
        let pieces = ["/", "..", "%2e", "a", "b", "%2f", "\\", "%5C", "&", "&", "=", "+", "%61", "%", "é"];
        let text: String = (0..random.below(16)).map(|_| *random.pick(&pieces)).collect();
        let (kind, query) = *random.pick(&kinds);
        let wanted = query.drop_names(&["a*", "b"]).canonicalize(&text);
        let (mut room, mut result) = (Canary::new(8 * text.len() + 8), blank::<pct_result>());
        let status = room.lend(8 * text.len() + 8, |out| unsafe {
            let (src, dst) = (text.as_ptr().cast(), out.as_mut_ptr().cast());
            pct_canonical_query(src, text.len(), dst, out.len(), kind, c"a*,,b".as_ptr(), &mut result)
        });
        assert_eq!((status, room.written(result.written)), (PCT_OK, wanted.as_bytes()), "{text:?}");
        assert_eq!(result.changed == 1, wanted != text);

        let path = format!("/{text}");
        let normalizer = PathNormalizer::new().merge_slashes().separators(Separators::Reject);
        let (mut out, flags) = (vec![0u8; 3 * path.len()], PCT_PATH_MERGE_SLASHES | PCT_PATH_REJECT_SEPARATORS);
        let status = unsafe {
            pct_normalize_path(path.as_ptr().cast(), path.len(), out.as_mut_ptr().cast(), out.len(), flags, &mut result)
        };
        match normalizer.normalize(&path) {
            Ok(normal) => assert_eq!((status, &out[..result.written]), (PCT_OK, normal.as_bytes()), "{path:?}"),
            Err(error) => assert_eq!((status, result.first_error), (PCT_BAD_PATH, error.offset), "{path:?}"),
        }
    }
    let (mut out, mut result) = ([0u8; 99], blank::<pct_result>());
    let many = std::ffi::CString::new("a,".repeat(65)).unwrap();
    for (kind, drop) in [(0, c"a".as_ptr()), (5, c"a".as_ptr()), (1, many.as_ptr()), (1, c"\xFF".as_ptr())] {
        let dst = out.as_mut_ptr().cast();
        let status = unsafe { pct_canonical_query(c"a".as_ptr(), 1, dst, 99, kind, drop, &mut result) };
        assert_eq!(status, PCT_INVALID_ARGUMENT);
    }
}

#[test]
fn redacting_equals_the_library() {
    let mut random = Random::seeded(32);
    for _ in 0..cases(20_000) {
        let pieces =
            [&b"http"[..], b"://", b"//", b":", b"@", b"u", b"%3A", b"%2F%2F", b"%40", b" ", b"\n", b"80", b"\xFF"];
        let text: Vec<u8> = (0..random.below(12)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let expected = uri::redact_bytes(&text);
        let (mut room, mut result) = (Canary::new(expected.len()), blank::<pct_result>());
        for cap in [0, expected.len().saturating_sub(1), expected.len()] {
            let status = room.lend(cap, |out| unsafe {
                pct_redact(text.as_ptr().cast(), text.len(), out.as_mut_ptr().cast(), out.len(), &mut result)
            });
            if cap < expected.len() {
                assert_eq!((status, result.needed), (PCT_OUTPUT_TOO_SMALL, expected.len()), "{}", show(&text));
            } else {
                assert_eq!((status, result.read), (PCT_OK, text.len()), "{}", show(&text));
                assert_eq!(room.written(result.written), &*expected, "{}", show(&text));
                assert_eq!(result.changed == 1, *expected != *text, "{}", show(&text));
            }
        }
    }
}

#[test]
fn files_equal_the_library() {
    use uri::file::{FileErrorKind, Style, from_path_with, to_path_with};
    let mut random = Random::seeded(33);
    let pieces = [
        &b"file:"[..],
        b"//",
        b"/",
        b"\\",
        b"\\\\",
        b"C:",
        b"%3a",
        b"a b",
        b"#",
        b"%2F",
        b"%00",
        b"%z",
        b"localhost",
        b"\xC3\xA9",
        b"\xFF",
        b"%FF",
    ];
    for _ in 0..cases(20_000) {
        let start = random.pick(&[&b"file:///"[..], b"file:", b"C:\\", b"/", b"\\\\"]).to_vec();
        let text = [start, (0..random.below(7)).flat_map(|_| random.pick(&pieces).to_vec()).collect()].concat();
        for (style, number) in [(Style::Posix, PCT_FILE_POSIX), (Style::Windows, PCT_FILE_WINDOWS)] {
            let url = from_path_with(&text, style).map(String::into_bytes);
            let path = std::str::from_utf8(&text).ok().map(|text| to_path_with(text, style));
            for (expected, is_url) in [(Some(url), true), (path, false)] {
                let (mut out, mut result) = (vec![0; 3 * text.len() + 16], blank::<pct_result>());
                let call = if is_url { pct_file_from_path } else { pct_file_to_path };
                let (src, dst) = (text.as_ptr().cast(), out.as_mut_ptr().cast());
                let status = unsafe { call(src, text.len(), dst, out.len(), number, &mut result) };
                let written = &out[..result.written];
                match expected {
                    None => assert_eq!(status, PCT_NOT_TEXT),
                    Some(Ok(expected)) => assert_eq!((status, written), (PCT_OK, &*expected), "{}", show(&text)),
                    Some(Err(error)) => {
                        let why = match error.kind {
                            FileErrorKind::Escape => PCT_NOT_HEX,
                            FileErrorKind::NotUtf8 => PCT_NOT_TEXT,
                            _ => PCT_BAD_PATH,
                        };
                        assert_eq!((status, result.first_error), (why, error.offset), "{}", show(&text));
                    }
                }
            }
        }
    }
}

#[test]
fn repairing_equals_the_library() {
    use uri::{RepairKind, Repairer};
    let mut random = Random::seeded(35);
    let pieces = [
        "http:", "https:\\\\", "//", "h", "é", "\\", "/", "a b", "%", "%25C3%25A9", "%25", "%u4E2D", "[", "]", "?q",
        "&amp;x=", "=3D", "=\n", "\r\n > ", "\u{2028}", "#", "@", " ", "<", ">", "(", ").", "\"", "|", "::1", ":80",
    ];
    let kinds = RepairKind::ALL.iter().filter(|kind| **kind != RepairKind::Idn).zip(0..);
    for _ in 0..cases(20_000) {
        let link: String = (0..random.below(12)).map(|_| *random.pick(&pieces)).collect();
        let without = if random.one_in(2) { 0 } else { random.below(8192) as u32 };
        let mut repairer = Repairer::new().without(RepairKind::Idn);
        for (kind, bit) in kinds.clone() {
            repairer = if without >> bit & 1 == 0 { repairer } else { repairer.without(*kind) };
        }
        let expected = repairer.repair(&link);
        let mut changes = vec![blank::<pct_change>(); random.below(4)];
        let (mut out, mut count, mut result) = (vec![0_u8; 4 * link.len()], 0, blank::<pct_result>());
        let status = unsafe {
            let (src, dst, kept) = (link.as_ptr().cast(), out.as_mut_ptr().cast(), changes.as_mut_ptr());
            pct_repair(src, link.len(), dst, out.len(), without, kept, changes.len(), &mut count, &mut result)
        };
        assert_eq!((status, result.read), (PCT_OK, link.len()), "{link:?}");
        assert_eq!(&out[..result.written], expected.text.as_bytes(), "{link:?}");
        assert_eq!((count, result.changed == 1), (expected.changes.len(), *expected.text != *link), "{link:?}");
        for (change, expected) in changes.iter().zip(&expected.changes) {
            assert_eq!((change.offset, change.len), (expected.range.start, expected.range.len()), "{link:?}");
            let reason = unsafe { std::ffi::CStr::from_ptr(pct_repair_reason(change.kind)) };
            assert_eq!(reason.to_str(), Ok(expected.reason()), "{link:?}");
        }
    }
    assert!(pct_repair_reason(0).is_null() && pct_repair_reason(3).is_null() && pct_repair_reason(8192).is_null());
    let (mut count, mut result) = (9, blank::<pct_result>());
    let mut repair = |without, changes, cap| unsafe {
        let status = pct_repair(c"a".as_ptr(), 1, ptr::null_mut(), 0, without, changes, cap, &mut count, &mut result);
        (status, count)
    };
    assert_eq!(repair(8192, ptr::null_mut(), 0), (PCT_INVALID_ARGUMENT, 0));
    assert_eq!(repair(0, ptr::null_mut(), 1), (PCT_INVALID_ARGUMENT, 0));
    assert_eq!(repair(0, ptr::null_mut(), 0), (PCT_OUTPUT_TOO_SMALL, 0));
}

#[test]
fn dispositions_equal_the_library() {
    use percent_standards::http::ContentDisposition;
    let mut random = Random::seeded(36);
    let pieces = [
        &b"attachment"[..],
        b"Inline",
        b"form-data",
        b";",
        b"; ",
        b"filename",
        b"name",
        b"*",
        b"*0",
        b"*1*",
        b"=",
        b"''",
        b"utf-8'",
        b"iso-8859-1'",
        b"'",
        b"\"",
        b"\\",
        b"a b",
        b"%E2%98%83",
        b"%E9",
        b"%",
        b"\xE9",
        b"\xC3\xA9",
    ];
    for _ in 0..cases(20_000) {
        let field: Vec<u8> = (0..random.below(20)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let expected = ContentDisposition::parse(&field);
        let (mut out, mut kind, mut result) = (vec![0_u8; 4 * field.len() + 8], 9, blank::<pct_result>());
        let (src, dst) = (field.as_ptr().cast(), out.as_mut_ptr().cast());
        let status = unsafe { pct_disposition_read(src, field.len(), dst, out.len(), &mut kind, &mut result) };
        let name = (status == PCT_OK).then(|| &out[..result.written]);
        assert_eq!(name, expected.filename().map(str::as_bytes), "{}", show(&field));
        let expected_kind = match expected.disposition_type() {
            "inline" => PCT_DISPOSITION_INLINE,
            "form-data" => PCT_DISPOSITION_FORM_DATA,
            _ => PCT_DISPOSITION_ATTACHMENT,
        };
        assert_eq!((kind, result.read), (expected_kind, field.len()), "{}", show(&field));

        let Ok(name) = str::from_utf8(&field) else { continue };
        for (number, made) in [(1, ContentDisposition::attachment()), (2, ContentDisposition::inline())] {
            let expected = made.with_filename(name).to_string();
            let (mut room, mut result) = (Canary::new(expected.len()), blank::<pct_result>());
            for cap in [0, expected.len() - 1, expected.len()] {
                let status = room.lend(cap, |out| unsafe {
                    let dst = out.as_mut_ptr().cast();
                    pct_disposition_write(name.as_ptr().cast(), name.len(), dst, out.len(), number, &mut result)
                });
                if cap < expected.len() {
                    assert_eq!((status, result.needed), (PCT_OUTPUT_TOO_SMALL, expected.len()), "{name}");
                } else {
                    assert_eq!((status, room.written(result.written)), (PCT_OK, expected.as_bytes()), "{name}");
                }
            }
        }
    }
    let mut result = blank::<pct_result>();
    for kind in [0, 3, 4] {
        let status = unsafe { pct_disposition_write(c"a".as_ptr(), 1, ptr::null_mut(), 0, kind, &mut result) };
        assert_eq!(status, PCT_INVALID_ARGUMENT);
    }
}

#[test]
fn baggage_equals_the_library() {
    use percent_standards::http::baggage;
    let mut random = Random::seeded(34);
    for _ in 0..cases(20_000) {
        let pieces = ["a", "=", ",", ";", " ", "%20", "%", "+", "(", "é", "\"", "\t"];
        let field: String = (0..random.below(14)).map(|_| *random.pick(&pieces)).collect();
        let (mut at, mut pair) = (0, blank::<pct_pair>());
        let mut next = || {
            let status = unsafe { pct_baggage_next(field.as_ptr().cast(), field.len(), &mut at, &mut pair) };
            let text = |data: *const c_char, len| unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
            (status, text(pair.name, pair.name_len), text(pair.value, pair.value_len), pair.offset)
        };
        for member in baggage::parse_raw(&field) {
            let expected = match member {
                Ok(member) => (PCT_OK, member.key.as_bytes(), member.value.as_bytes(), member.offset),
                Err(error) => (PCT_BAD_FIELD, &b""[..], &b""[..], error.offset),
            };
            assert_eq!(next(), expected, "{field}");
        }
        assert_eq!(next(), (PCT_END, &b""[..], &b""[..], PCT_NONE), "{field}");
    }
}

/// Returns the component of `src` that `slice` describes, or `None` if it is absent.
fn part(src: &[u8], slice: pct_slice) -> Option<&[u8]> {
    (slice.offset != PCT_NONE).then(|| &src[slice.offset..][..slice.len])
}

#[test]
fn targets_are_split_as_rfc_9112_says() {
    use percent_standards_oracle::rfc9112::naive_target;
    let mut random = Random::seeded(31);
    for _ in 0..cases(20_000) {
        let pieces = [
            &b"/"[..],
            b"//",
            b"h",
            b"http://",
            b":",
            b":443",
            b"?",
            b"#",
            b"@",
            b"[::1]",
            b"*",
            b" ",
            b"\0",
            b"\\",
            b"%2f",
            b"\xC3\xA9",
        ];
        let text: Vec<u8> = (0..random.below(7)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        let mut target = blank::<pct_request_target>();
        let status = unsafe { pct_split_target(text.as_ptr().cast(), text.len(), &mut target) };
        let naive = naive_target(std::str::from_utf8(&text).unwrap());
        let bytes = |part: &Option<String>| part.as_ref().map(|part| part.as_bytes().to_vec());
        for (slice, wanted) in [
            (target.scheme, bytes(&naive.scheme)),
            (target.authority, bytes(&naive.authority)),
            (target.path, Some(naive.path.into_bytes())),
            (target.query, bytes(&naive.query)),
        ] {
            assert_eq!(part(&text, slice), wanted.as_deref(), "{}", show(&text));
        }
        let form = [
            uri::TargetForm::Invalid,
            uri::TargetForm::Origin,
            uri::TargetForm::Absolute,
            uri::TargetForm::Authority,
            uri::TargetForm::Asterisk,
        ];
        assert_eq!(form[target.form as usize], naive.form, "{}", show(&text));
        let wanted =
            uri::TargetBounds::parse(&text).map_or_else(|error| (PCT_BAD_TARGET, error.offset), |_| (PCT_OK, PCT_NONE));
        assert_eq!((status, target.first_error), wanted, "{}", show(&text));
        assert_eq!(target.reserved, 0);
    }
}

#[test]
fn forms_are_those_of_the_library() {
    let mut random = Random::seeded(23);
    for _ in 0..cases(3000) {
        let length = random.below(250);
        let input: Vec<u8> = random
            .hostile(length)
            .into_iter()
            .map(|byte| if byte == b'a' { *random.pick(b"&=;") } else { byte })
            .collect();
        let wanted: Vec<_> = form::Parser::new()
            .parse_raw(&input)
            .map(|pair| (pair.name.to_vec(), pair.value.map(<[u8]>::to_vec), pair.offset))
            .collect();
        assert_eq!(pairs(&input, 0, 0), (wanted, PCT_END, PCT_NONE));
    }
    assert_eq!(pairs(b"a&b&&c", 0, 2).1, PCT_TOO_MANY_PAIRS);
    let strict = pairs(b"a=1&b=100%&c", PCT_FORM_STRICT, 0);
    assert_eq!((strict.0.len(), strict.1, strict.2), (1, PCT_NOT_HEX, 9));
    assert_eq!(pairs(b"a;b", PCT_FORM_SEMICOLONS, 0).0.len(), 2);
    let (mut out, mut result) = ([0u8; 3], blank::<pct_result>());
    let decoder = pct_form_decoder();
    unsafe { pct_decode(decoder, c"a+%2B".as_ptr(), 5, out.as_mut_ptr().cast(), 3, &mut result) };
    assert_eq!(&out, b"a +");
}

#[test]
fn decodes_for_firewalls_as_the_library_does() {
    let mut map = vec![-1; 1 << 16];
    (map[0x141], map[0xFF21]) = (i32::from(b'L'), 300);
    let mapped = |unit: u16| u8::try_from(map[usize::from(unit)]).ok();
    let mut room = Canary::new(60_000);
    let more = [&b"%u0141%U0142+%uFF21%u00410041%u004"[..], b"a+b", b"plain", b""].map(<[u8]>::to_vec);
    for input in inputs().into_iter().chain(more) {
        for (map_given, wanted) in [
            (ptr::null(), waf::url_decode_uni(&input).into_owned()),
            (map.as_ptr(), waf::url_decode_uni_in_place(&mut input.clone(), mapped).to_vec()),
        ] {
            let (mut result, mut buffer) = (blank::<pct_result>(), input.clone());
            let (src, len) = (input.as_ptr().cast::<c_char>(), input.len());
            let status = room.lend(len, |out| unsafe {
                pct_url_decode_uni(map_given, src, len, out.as_mut_ptr().cast(), out.len(), &mut result)
            });
            assert_eq!((status, room.written(wanted.len())), (PCT_OK, &wanted[..]), "{}", show(&input));
            assert_eq!((result.read, result.written, result.changed == 1), (len, wanted.len(), wanted != input));
            let place = buffer.as_mut_ptr().cast();
            assert_eq!(unsafe { pct_url_decode_uni(map_given, place, len, place, len, &mut result) }, PCT_OK);
            assert_eq!(buffer[..result.written], wanted);
            if let Some(less) = len.checked_sub(1) {
                let status = room.lend(less, |out| unsafe {
                    pct_url_decode_uni(map_given, src, len, out.as_mut_ptr().cast(), out.len(), &mut result)
                });
                assert_eq!((status, result.needed), (PCT_OUTPUT_TOO_SMALL, len));
            }
        }
    }
}

#[test]
fn names_find_sets_and_engines() {
    let mut name = [0 as c_char; 64];
    for (i, entry) in presets::CATALOGUE.iter().enumerate() {
        assert_eq!(unsafe { pct_set_name(i, name.as_mut_ptr(), name.len()) }, entry.name.len());
        let (mut set, mut encoder) = (blank::<pct_set>(), blank());
        assert_eq!(unsafe { pct_set_named(name.as_ptr(), &mut set) }, PCT_OK);
        assert_eq!(ByteSet::from(set), entry.allowed);
        assert_eq!(unsafe { pct_encoder_named(&mut encoder, name.as_ptr()) }, PCT_OK);
        let library = entry.encoder();
        let (input, mut out, mut result) = ("a b%41/é+%", [0u8; 64], blank::<pct_result>());
        unsafe { pct_encode(&encoder, input.as_ptr().cast(), input.len(), out.as_mut_ptr().cast(), 64, &mut result) };
        assert_eq!(out[..result.written], *library.encode(input).as_bytes(), "{}", entry.name);
    }
    assert_eq!(unsafe { pct_set_name(presets::CATALOGUE.len(), ptr::null_mut(), 0) }, 0);
    for (i, engine) in engines().iter().enumerate() {
        assert_eq!(unsafe { pct_engine_name(i, name.as_mut_ptr(), 4) }, engine.name().len());
        assert_eq!((name[0] as u8, name[3]), (engine.name().as_bytes()[0], 0));
    }
    assert_eq!(unsafe { pct_engine_name(engines().len(), name.as_mut_ptr(), 64) }, 0);
    assert_eq!(unsafe { pct_set_named(c"path".as_ptr(), &mut blank()) }, PCT_UNKNOWN_NAME);
}

/// Returns the C charset that corresponds to a Rust charset.
fn charset_of(charset: Charset) -> pct_charset {
    let (name, mut found) = (charset.name(), blank());
    assert_eq!(unsafe { pct_charset_for_name(&mut found, name.as_ptr().cast(), name.len()) }, PCT_OK);
    found
}

#[test]
fn charsets_are_those_of_the_library() {
    let mut random = Random::seeded(23);
    let mut room = Canary::new(80_000);
    for (number, charset) in Charset::all().enumerate() {
        let mut name = [0; 32];
        assert_eq!(unsafe { pct_charset_name(number, name.as_mut_ptr().cast(), 32) }, charset.name().len());
        assert!(name.starts_with(charset.name().as_bytes()));
        let found = charset_of(charset);
        for round in 0..cases(40) {
            let (enc, dec) = (encodings()[round % encodings().len()], decodings()[round % decodings().len()]);
            let engine = engines()[round % engines().len()];
            let (encoder, decoder) = (encoder(enc, engine.name()), decoder(dec, engine.name()));
            let input = random.hostile([3, 40, 300, 3000][round % 4]);
            let (src, len) = (input.as_ptr().cast::<c_char>(), input.len());
            let mut call = |cap: usize, flags, encode: bool, src: *const c_char, len| {
                let mut result = blank::<pct_result>();
                let status = room.lend(cap, |out| unsafe {
                    let out = out.as_mut_ptr().cast();
                    match encode {
                        true => pct_encode_charset(&encoder, &found, flags, src, len, out, cap, &mut result),
                        false => pct_decode_charset(&decoder, &found, flags, src, len, out, cap, &mut result),
                    }
                });
                (status, result, room.written(result.written).to_vec())
            };
            let context = || format!("{charset:?} {engine} {enc:?} {dec:?} {}", show(&input));

            // The C call must give the same text as the Rust crate, or an error at the same offset.
            let checked = dec.checked(engine);
            for (flags, wanted) in [
                (0, charset.percent_decode(checked, &input)),
                (
                    PCT_CHARSET_LOSSY,
                    checked.decode(&input).map(|bytes| charset.decode_lossy(&bytes).into_owned().into()),
                ),
            ] {
                let (status, result, out) = call(3 * len, flags, false, src, len);
                match wanted {
                    Ok(text) => {
                        assert_eq!((status, result.read, &out[..]), (PCT_OK, len, text.as_bytes()), "{}", context());
                        assert_eq!(result.changed == 1, text.as_bytes() != input, "{}", context());
                        let malformed = LENIENT.run(&input).malformed;
                        assert_eq!(result.first_error, malformed.unwrap_or(PCT_NONE), "{}", context());
                        if let Some(less) = out.len().checked_sub(1) {
                            let (status, result, _) = call(less, flags, false, src, len);
                            assert_eq!((status, result.needed), (PCT_OUTPUT_TOO_SMALL, out.len()), "{}", context());
                            assert_eq!((result.read, result.written), (0, 0), "{}", context());
                        }
                        assert_eq!(call(out.len(), flags, false, src, len).2, out, "{}", context());
                    }
                    Err(error) => {
                        let status_wanted = match error.kind {
                            DecodeErrorKind::InvalidUtf8 | DecodeErrorKind::InvalidInCharset => PCT_NOT_TEXT,
                            kind => status_of(kind).0,
                        };
                        assert_eq!((status, result.first_error), (status_wanted, error.offset), "{}", context());
                        assert_eq!(result.read, error.offset, "{}", context());
                    }
                }
            }

            // The C call must give the same result as two steps: the Rust crate converts the text to the charset, and
            // the oracle encodes the bytes.
            let text = String::from_utf8_lossy(&input);
            let (at, text_len) = (text.as_ptr().cast::<c_char>(), text.len());
            let (status, result, out) = call(24 * text_len, PCT_CHARSET_HTML, true, at, text_len);
            let html = enc.run(&charset.encode_html(&text));
            assert_eq!((status, result.read, &out), (PCT_OK, text_len, &html), "{}", context());
            let (status, result, out) = call(24 * text_len, 0, true, at, text_len);
            match charset.encode(&text) {
                Ok(bytes) => assert_eq!((status, out), (PCT_OK, enc.run(&bytes)), "{}", context()),
                Err(error) => {
                    assert_eq!((status, result.first_error), (PCT_UNMAPPABLE, error.offset), "{}", context());
                    assert_eq!(result.read, error.offset, "{}", context());
                    assert!(html.starts_with(&out), "{}", context());
                }
            }
            if let Err(error) = str::from_utf8(&input) {
                let (status, result, _) = call(24 * len, PCT_CHARSET_HTML, true, src, len);
                assert_eq!((status, result.first_error), (PCT_NOT_TEXT, error.valid_up_to()), "{}", context());
            }
        }
    }
    let end = Charset::all().count();
    assert_eq!(unsafe { pct_charset_name(end, ptr::null_mut(), 0) }, 0);
}

#[test]
fn bad_arguments_of_charsets_are_refused() {
    let (mut result, mut out, text) = (blank::<pct_result>(), [0_u8; 8], b"abc".as_ptr().cast::<c_char>());
    let (mut charset, utf8, never) = (blank::<pct_charset>(), charset_of(Charset::UTF_8), blank::<pct_charset>());
    let encoder = encoder(encodings()[0], "scalar");
    let (dst, most) = (out.as_mut_ptr().cast::<c_char>(), isize::MAX as usize + 1);
    unsafe {
        assert_eq!(pct_charset_for_name(&mut charset, ptr::null(), 3), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_charset_for_name(ptr::null_mut(), c"utf-8".as_ptr(), 5), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_charset_for_label(&mut charset, text, 3), PCT_UNKNOWN_NAME);
        assert_eq!(pct_charset_for_label(&mut charset, text, most), PCT_INVALID_ARGUMENT);
        let decode = |charset, flags, src, len, dst, cap, result| {
            pct_decode_charset(ptr::null(), charset, flags, src, len, dst, cap, result)
        };
        assert_eq!(decode(&never, 0, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(decode(ptr::null(), 0, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(decode(&utf8, PCT_CHARSET_HTML, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(decode(&utf8, 0, text, most, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(decode(&utf8, 0, dst.cast_const(), 3, dst, 8, &mut result), PCT_OVERLAP);
        assert_eq!(decode(&utf8, 0, text, 3, ptr::null_mut(), 0, &mut result), PCT_OUTPUT_TOO_SMALL);
        assert_eq!(decode(&utf8, 0, text, 3, dst, 8, ptr::null_mut()), PCT_OK);
        let mut encode =
            |charset, flags, src, dst| pct_encode_charset(&encoder, charset, flags, src, 3, dst, 8, &mut result);
        assert_eq!(encode(&never, 0, text, dst), PCT_INVALID_ARGUMENT);
        assert_eq!(encode(&utf8, PCT_CHARSET_LOSSY, text, dst), PCT_INVALID_ARGUMENT);
        assert_eq!(encode(&utf8, 0, dst.cast_const(), dst), PCT_OVERLAP);
        assert_eq!(encode(&utf8, 0, ptr::null(), dst), PCT_INVALID_ARGUMENT);
    }
    assert_eq!(pct_encode_charset_bound(usize::MAX / 24 + 1), PCT_NONE);
    assert_eq!((pct_encode_charset_bound(3), pct_decode_charset_bound(3)), (72, 9));
    assert_eq!(pct_decode_charset_bound(usize::MAX / 3), PCT_NONE);
}

#[test]
fn set_operations_return_new_sets() {
    let (a, b) = (pct_set_range(b'a', b'f'), unsafe { pct_set_of(c"fz".as_ptr(), 2) });
    assert_eq!(ByteSet::from(pct_set_union(a, b)), ByteSet::of(b"abcdefz"));
    assert_eq!(ByteSet::from(pct_set_intersection(a, b)), ByteSet::of(b"f"));
    assert_eq!(ByteSet::from(pct_set_difference(a, b)), ByteSet::of(b"abcde"));
    assert_eq!(ByteSet::from(pct_set_complement(a)), !ByteSet::of(b"abcdef"));
    assert!(pct_set_contains(b, b'z') && !pct_set_contains(b, b'a'));
    assert_eq!(unsafe { pct_set_of(ptr::null(), 3) }, ByteSet::EMPTY.into());
}

#[test]
fn bad_arguments_are_refused() {
    const HUGE: usize = isize::MAX as usize + 1;
    let encoder = encoder(encodings()[0], "scalar");
    let (mut out, mut result) = ([0u8; 8], blank::<pct_result>());
    let (text, none) = (c"%41".as_ptr(), ptr::null::<c_char>());
    let decode = |decoder: *const pct_decoder, src, len, cap| {
        let (mut out, mut result) = ([0u8; 8], blank::<pct_result>());
        (unsafe { pct_decode(decoder, src, len, out.as_mut_ptr().cast(), cap, &mut result) }, result.written)
    };
    assert_eq!(decode(ptr::null(), none, 0, 8), (PCT_OK, 0));
    assert_eq!(decode(ptr::null(), text, 3, 8), (PCT_OK, 1));
    assert_eq!(decode(ptr::null(), none, 1, 8).0, PCT_INVALID_ARGUMENT);
    assert_eq!(decode(ptr::null(), text, HUGE, 8).0, PCT_INVALID_ARGUMENT);
    assert_eq!(decode(ptr::null(), text, 3, HUGE).0, PCT_INVALID_ARGUMENT);
    assert_eq!(decode(&blank(), text, 3, 8).0, PCT_INVALID_ARGUMENT);
    unsafe {
        assert_eq!(pct_decode(ptr::null(), text, 3, ptr::null_mut(), 0, &mut result), PCT_OUTPUT_TOO_SMALL);
        assert_eq!(result.needed, 1);
        assert_eq!(pct_decode(ptr::null(), text, 3, ptr::null_mut(), 4, ptr::null_mut()), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_encode(ptr::null(), text, 3, ptr::null_mut(), 0, ptr::null_mut()), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_encoded_len(&encoder, text, HUGE), usize::MAX);
        // These calls return offsets, not statuses. For an invalid argument they return 0, so that the caller goes on
        // to encode or decode, and that call returns the status.
        assert_eq!(pct_encode_first_changed(&blank(), text, 3), 0);
        assert_eq!(pct_decode_first_changed(&blank(), text, 3), 0);
        assert_eq!(pct_decode_first_changed(ptr::null(), none, 3), 0);
    }

    // An overlap is refused, unless the call decodes in place.
    let mut buffer = *b"%41%42%43%44";
    let start = buffer.as_mut_ptr().cast::<c_char>();
    unsafe {
        for (src, dst) in [(0, 1), (1, 0), (0, 5), (5, 0)] {
            assert_eq!(pct_decode(ptr::null(), start.add(src), 6, start.add(dst), 6, &mut result), PCT_OVERLAP);
        }
        assert_eq!(pct_encode(&encoder, start, 6, start, 6, &mut result), PCT_OVERLAP);
        assert_eq!(&buffer, b"%41%42%43%44");
        assert_eq!(pct_decode(ptr::null(), start, 6, start, 5, &mut result), PCT_OUTPUT_TOO_SMALL);
        assert_eq!(result.needed, 6);
        assert_eq!(pct_decode(ptr::null(), start, 6, start.add(6), 6, &mut result), PCT_OK);
        assert_eq!(&buffer[6..8], b"AB");
    }

    // Try options with the size of an older version, the size of a newer version, no size, and unknown flags.
    let mut options: pct_decode_options = blank();
    let init = |options: &pct_decode_options| unsafe { pct_decoder_init(&mut blank(), options) };
    assert_eq!(init(&options), PCT_INVALID_ARGUMENT);
    options.size = 2 * size_of::<usize>();
    options.keep = ByteSet::ALL.into(); // beyond `size`, so it must not be read
    let mut older = blank();
    assert_eq!(unsafe { pct_decoder_init(&mut older, &options) }, PCT_OK);
    assert_eq!(decode(&older, text, 3, 8), (PCT_OK, 1));
    let mut newer: (pct_decode_options, usize) = blank();
    newer.0.size = size_of_val(&newer);
    assert_eq!(init(&newer.0), PCT_OK);
    newer.1 = 1;
    assert_eq!(init(unsafe { &*(&raw const newer).cast() }), PCT_INVALID_ARGUMENT);
    options.size = size_of_val(&options);
    options.flags = 1 << 31;
    assert_eq!(init(&options), PCT_INVALID_ARGUMENT);
    options.flags = PCT_DECODE_PLUS | PCT_DECODE_PLUS_AFTER_QUERY;
    assert_eq!(init(&options), PCT_INVALID_ARGUMENT);
    options.flags = 0;
    options.engine = c"mmx".as_ptr();
    assert_eq!(init(&options), PCT_UNKNOWN_NAME);

    // Try a stream that was not begun, and then a stream without room.
    let mut stream = blank();
    unsafe {
        assert_eq!(
            pct_stream_push(&mut stream, text, 3, out.as_mut_ptr().cast(), 8, &mut result),
            PCT_INVALID_ARGUMENT
        );
        assert_eq!(pct_stream_encode(&mut stream, &blank()), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_stream_decode(&mut stream, ptr::null()), PCT_OK);
        assert_eq!(pct_stream_push(&mut stream, text, 3, ptr::null_mut(), 0, &mut result), PCT_OUTPUT_TOO_SMALL);
    }
    // These calls fill the pair even if they fail.
    type NextPair<'a> = &'a dyn Fn(*mut pct_pair) -> pct_status;
    let calls: [NextPair; 4] = unsafe {
        [
            &|pair| pct_form_next(&mut blank(), pair),
            &|pair| pct_form_next(ptr::null_mut(), pair),
            &|pair| pct_baggage_next(ptr::null(), 1, &mut 0, pair),
            &|pair| pct_baggage_next(text, 3, ptr::null_mut(), pair),
        ]
    };
    for call in calls {
        let mut pair = pct_pair { name_len: 1, value_len: 1, offset: 1, has_value: true, ..blank() };
        assert_eq!(call(&mut pair), PCT_INVALID_ARGUMENT);
        assert_eq!((pair.name_len, pair.value_len, pair.offset, pair.has_value), (0, 0, PCT_NONE, false));
        assert!(!pair.name.is_null() && !pair.value.is_null());
        assert_eq!(call(ptr::null_mut()), PCT_INVALID_ARGUMENT);
    }
    assert_eq!(pct_encode_bound(5), 15);
    assert_eq!(pct_encode_bound(HUGE / 2), usize::MAX);
    assert_eq!(pct_decode_bound(5), 5);
    assert_eq!(pct_version(), 0x100);
}

#[test]
fn a_failed_initialisation_makes_every_call_refuse_the_object() {
    let (text, mut out, mut result) = (c"%41".as_ptr(), [0u8; 8], blank::<pct_result>());
    let dst = out.as_mut_ptr().cast();
    let unknown = u32::MAX;
    unsafe {
        // First make each object valid. A failed initialisation must make the object invalid, and must not leave the
        // old value in place.
        let (mut encoder, mut charset, mut form) =
            (encoder(encodings()[0], "scalar"), charset_of(Charset::UTF_8), blank());
        let options = pct_encode_options { size: size_of::<pct_encode_options>(), flags: unknown, ..blank() };
        assert_eq!(pct_encoder_init(&mut encoder, &options), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_encode(&encoder, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_encoder_named(&mut encoder, c"rfc3986-path".as_ptr()), PCT_OK);
        assert_eq!(pct_encoder_named(&mut encoder, c"rfc3986-pth".as_ptr()), PCT_UNKNOWN_NAME);
        assert_eq!(pct_encode(&encoder, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);

        assert_eq!(pct_encoder_named(&mut encoder, c"rfc3986-path".as_ptr()), PCT_OK);
        let mut stream = blank();
        assert_eq!(pct_stream_encode(&mut stream, &encoder), PCT_OK);
        ptr::write(&mut encoder, blank());
        assert_eq!(pct_stream_push(&mut stream, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_stream_finish(&mut stream, dst, 8, &mut result), PCT_INVALID_ARGUMENT);

        let mut decoder = decoder(decodings()[0], "scalar");
        assert_eq!(pct_stream_decode(&mut stream, &decoder), PCT_OK);
        let options = pct_decode_options { size: size_of::<pct_decode_options>(), flags: unknown, ..blank() };
        assert_eq!(pct_decoder_init(&mut decoder, &options), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_decode(&decoder, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_stream_push(&mut stream, text, 3, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_stream_finish(&mut stream, dst, 8, &mut result), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_stream_decode(&mut stream, &decoder), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_stream_finish(&mut stream, dst, 8, &mut result), PCT_INVALID_ARGUMENT);

        assert_eq!(pct_charset_for_name(&mut charset, c"no".as_ptr(), 2), PCT_UNKNOWN_NAME);
        let decoded = pct_decode_charset(ptr::null(), &charset, 0, text, 3, dst, 8, &mut result);
        assert_eq!(decoded, PCT_INVALID_ARGUMENT);

        assert_eq!(pct_form_init(&mut form, text, 3, ptr::null()), PCT_OK);
        let options = pct_form_options { size: size_of::<pct_form_options>(), flags: unknown, ..blank() };
        assert_eq!(pct_form_init(&mut form, text, 3, &options), PCT_INVALID_ARGUMENT);
        assert_eq!(pct_form_next(&mut form, &mut blank()), PCT_INVALID_ARGUMENT);
    }
}
