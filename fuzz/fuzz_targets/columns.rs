//! Compares columns with the oracle, row by row: columns of bytes, of text and of views, any rows, any nulls, any engine, any
//! layout of batches. Also finds the values of a dictionary that its keys use.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::BatchError;
use percent_simd::batch::Bitmap;
use percent_simd::internal;
use percent_simd_fuzz::*;

/// Returns the bitmap of the values that the keys use, after comparing it with a naive one.
fn used(keys: &[i8], validity: Option<&(Vec<u8>, usize)>, values: usize) -> Option<Vec<u8>> {
    let is_null =
        |row: usize| validity.is_some_and(|(bits, offset)| bits[(offset + row) / 8] >> ((offset + row) % 8) & 1 == 0);
    let mut in_use = vec![false; values];
    let mut expected = Ok(());
    for (row, key) in keys.iter().enumerate().filter(|(row, _)| !is_null(*row)) {
        match usize::try_from(*key).ok().and_then(|key| in_use.get_mut(key)) {
            Some(value) => *value = true,
            None => {
                expected = Err(BatchError::Key(row));
                break;
            }
        }
    }
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    let expected = expected.map(|()| in_use.chunks(8).map(byte).collect::<Vec<u8>>());
    let bitmap = validity.map(|(bits, offset)| Bitmap::new(bits, *offset));
    let got = internal::used_values(keys, bitmap, values);
    assert_eq!(got, expected);
    got.ok()
}

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, dec, shape) = (choices.encode(), choices.decode(), usize::from(choices.byte()));
    let (wide, way) = (shape % 2 == 0, shape / 2 % Columns::WAYS);
    // A row has up to `most` bytes. A view stores a short row itself, and a longer row is in a buffer, so there must be
    // short and longer rows. In one of nine runs, each row consists of 41 repetitions of its bytes. These rows are
    // often too long to be gathered by a batch.
    let (most, repeat) = (1 + choices.below(40), 1 + choices.below(9) / 8 * 40);
    let bits = choices.some(9);
    let mut rows = Vec::new();
    while !choices.0.is_empty() && rows.len() < 300 {
        rows.push(choices.some(most).repeat(repeat));
    }
    let validity = bits.split_first().map(|(offset, bits)| {
        let offset = usize::from(offset % 20);
        // Repeat the bits for all rows. If there are no bits, all rows are null.
        let needed = (offset + rows.len()).div_ceil(8);
        let bits = bits.iter().copied().cycle().take(needed).collect::<Vec<u8>>();
        ([&bits[..], &vec![0; needed - bits.len()]].concat(), offset)
    });
    // Each row gives one key of a dictionary. In every second run, the rows are also the values of this dictionary.
    let keys: Vec<i8> = rows.iter().map(|row| row.first().map_or(0, |&byte| (byte as i8).wrapping_sub(32))).collect();
    let in_use = used(&keys, validity.as_ref(), rows.len());
    let is_dictionary = shape / (2 * Columns::WAYS) % 2 == 1;
    let validity = in_use.filter(|_| is_dictionary).map_or(validity, |bits| Some((bits, 0)));
    Columns { rows, validity }.check_one(engine, way, enc, dec, wide);
});
