//! Compares batches with the oracle, row by row: any rows, any engine, any offsets, even invalid offsets. The results are
//! appended to vectors, with and without rows, and written to slices, which are sometimes too short.
#![no_main]

use std::fmt::Debug;
use std::mem::MaybeUninit;

use libfuzzer_sys::fuzz_target;
use percent_simd::batch::Offset;
use percent_simd::internal::BatchProgress;
use percent_simd::{BatchError, DecodeError, Engine, internal};
use percent_simd_fuzz::*;

fn offset<O: Offset>(offset: usize) -> O {
    O::try_from(offset).ok().unwrap()
}

fn at<O: Offset>(offset: O) -> usize {
    offset.try_into().ok().unwrap()
}

/// Returns the offsets of `rows`: `end`, which is the start of the first row, and then the end of each row.
fn ends<'r>(mut end: usize, rows: impl IntoIterator<Item = &'r Vec<u8>>) -> Vec<usize> {
    let mut ends = vec![end];
    for row in rows {
        end += row.len();
        ends.push(end);
    }
    ends
}

/// Checks a batch that is appended to empty vectors, and then to vectors that already have rows.
#[track_caller]
fn check_vectors<O: Offset + PartialEq + Debug>(
    expected: &Result<Vec<Vec<u8>>, BatchError>,
    run: impl Fn(&mut Vec<u8>, &mut Vec<O>) -> Result<(), BatchError>,
) {
    let (mut out, mut out_ends) = (Vec::new(), Vec::new());
    let mut there: Vec<Vec<u8>> = Vec::new();
    for turn in 0..2 {
        let before = (out.clone(), out_ends.clone());
        let result = run(&mut out, &mut out_ends);
        match expected {
            Ok(rows) => {
                assert_eq!(result, Ok(()), "{turn}");
                there.extend(rows.iter().cloned());
                assert_eq!(out, there.concat(), "{turn}");
                assert!(out_ends.iter().map(|end| at(*end)).eq(ends(0, &there)), "{turn}");
            }
            Err(error) => {
                assert_eq!(result.as_ref(), Err(error), "{turn}");
                assert_eq!((&out, &out_ends), (&before.0, &before.1), "as they were");
                // In the second turn, the vectors start with a row.
                (out, out_ends) = (b"row".to_vec(), vec![offset(0), offset(3)]);
            }
        }
    }
}

/// Checks a batch that is written to a slice of `space` bytes and a slice for the ends of `most` rows.
#[track_caller]
fn check_slices<O: Offset + Debug>(
    rows: &[&[u8]],
    expected: &[Vec<u8>],
    (space, most): (usize, usize),
    run: impl Fn(&mut [MaybeUninit<u8>], &mut [MaybeUninit<O>]) -> BatchProgress,
) {
    // The slices are separate allocations, so that AddressSanitizer sees a write past their ends.
    let mut out = vec![MaybeUninit::new(0xA5); space].into_boxed_slice();
    let mut out_ends = vec![MaybeUninit::new(offset::<O>(99)); most + 1].into_boxed_slice();
    let done = run(&mut out, &mut out_ends);
    let all = ends(0, expected);
    let fits = all.iter().skip(1).take(most).take_while(|end| **end <= space).count();
    assert_eq!((done.rows, done.written), (fits, all[fits]), "{space} bytes, {most} rows");
    // SAFETY: both slices were initialized above, and no call makes a value uninitialized.
    let out: Vec<u8> = out[..done.written].iter().map(|byte| unsafe { byte.assume_init() }).collect();
    assert_eq!(out, expected[..fits].concat());
    // SAFETY: both slices were initialized above, and no call makes a value uninitialized.
    let ends: Vec<usize> = out_ends[..=fits].iter().map(|end| at(unsafe { end.assume_init() })).collect();
    assert_eq!(ends, all[..=fits]);
    assert_eq!(done.changed, rows.iter().zip(&expected[..fits]).any(|(before, after)| before != after));
}

/// A batch and its options.
struct Batch<'d> {
    engine: &'static Engine,
    enc: Encode,
    dec: Decode,
    values: &'d [u8],
    offsets: Vec<usize>,
    /// The lengths of the two output slices, for bytes and for ends, in percent of the lengths that they need.
    space: usize,
}

impl Batch<'_> {
    fn rows(&self) -> Vec<&[u8]> {
        self.offsets.windows(2).map(|ends| &self.values[ends[0]..ends[1]]).collect()
    }

    fn check<O: Offset + PartialEq + Debug>(&self, in_slices: bool, decodes: bool) {
        let Batch { engine, enc, dec, values, .. } = *self;
        let offsets: Vec<O> = self.offsets.iter().map(|at| offset(*at)).collect();
        let rows = self.rows();
        let part = |whole: usize| whole * self.space / 100;
        if !decodes {
            let encoded: Vec<Vec<u8>> = rows.iter().map(|row| enc.run(row)).collect();
            let encoder = enc.encoder(engine);
            if in_slices {
                let space = (part(encoded.iter().map(Vec::len).sum()), part(rows.len()).min(rows.len() + 3));
                check_slices(&rows, &encoded, space, |out, ends| {
                    internal::encode_batch_uninit::<O>(&encoder, values, &offsets, out, ends)
                });
            } else {
                check_vectors::<O>(&Ok(encoded), |out, ends| encoder.batch().append(values, &offsets, out, ends));
            }
            return;
        }
        let decoded: Vec<Decoded> = rows.iter().map(|row| dec.run(row)).collect();
        let wrong = decoded.iter().enumerate().find_map(|(row, decoded)| {
            let (offset, kind) = decoded.error?;
            Some((row, BatchError::Row { row, error: DecodeError::new(offset, kind) }))
        });
        let good = wrong.as_ref().map_or(rows.len(), |(row, _)| *row);
        let decoded: Vec<Vec<u8>> = decoded.into_iter().take(good).map(|row| row.out).collect();
        if in_slices {
            let space = (part(decoded.iter().map(Vec::len).sum()), part(rows.len()).min(rows.len() + 3));
            let decoder = dec.checked(engine);
            check_slices(&rows, &decoded, space, |out, ends| {
                internal::decode_batch_uninit::<O>(&decoder, values, &offsets, out, ends)
            });
        } else {
            let expected = wrong.map_or(Ok(decoded), |(_, error)| Err(error));
            let decoder = dec.decoder(engine);
            check_vectors::<O>(&expected, |out, ends| match decoder {
                AnyDecoder::Lenient(decoder) => decoder.batch().append(values, &offsets, out, ends),
                AnyDecoder::Checked(decoder) => decoder.batch().append(values, &offsets, out, ends),
            });
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, dec) = (choices.encode(), choices.decode());
    let options = choices.byte();
    let wild = options % 4 == 0;
    let mut offsets = vec![i32::from(choices.byte()) - i32::from(wild)];
    for _ in 0..choices.byte() % 16 {
        let step = i32::from(choices.byte()) - if wild { 9 } else { 0 };
        offsets.push(offsets[offsets.len() - 1] + step);
    }
    // Under the fuzzer, a batch joins rows to groups of up to 100 bytes. The input is often shorter, so every second run
    // repeats it.
    let repeats = choices.byte();
    let values = choices.0.repeat(1 + 40 * usize::from(repeats % 2));
    let row = |ends: &[i32]| values.get(usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()?);
    let good: Vec<&[u8]> = offsets.windows(2).map_while(row).collect();
    if good.len() + 1 < offsets.len() {
        let (mut out, mut ends) = (b"x".to_vec(), vec![0, 1]);
        let result = enc.encoder(engine).batch().append(&values, &offsets, &mut out, &mut ends);
        assert!(matches!(result, Err(BatchError::Offset(_))));
        assert_eq!((&out[..], &ends[..]), (&b"x"[..], &[0, 1][..]), "as they were");
        // A slice gets the rows before the first invalid row.
        let encoded: Vec<Vec<u8>> = good.iter().map(|row| enc.run(row)).collect();
        let needed = encoded.iter().map(Vec::len).sum();
        check_slices(&good, &encoded, (needed, offsets.len()), |out, ends| {
            internal::encode_batch_uninit(&enc.encoder(engine), &values, &offsets, out, ends)
        });
        return;
    }
    if !(0..=values.len() as i32).contains(&offsets[0]) {
        return;
    }
    let offsets = offsets.into_iter().map(|at| at as usize).collect();
    let space = [0, 50, 99, 100, 101, 300, 1000][usize::from(repeats / 2) % 7];
    let batch = Batch { engine, enc, dec, values: &values, offsets, space };
    let (in_slices, decodes) = (options / 4 % 2 == 1, options / 8 % 2 == 1);
    match options / 16 % 4 {
        0 => batch.check::<i32>(in_slices, decodes),
        1 => batch.check::<i64>(in_slices, decodes),
        2 => batch.check::<u32>(in_slices, decodes),
        _ => batch.check::<usize>(in_slices, decodes),
    }
});
