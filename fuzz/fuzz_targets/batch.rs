//! Batches: any rows, any engine, against the oracle row by row; any offsets, sensible or not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{BatchError, DecodeError};
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, dec) = (choices.encode(), choices.decode());
    let wild = choices.byte() % 4 == 0;
    let mut offsets = vec![i32::from(choices.byte()) - i32::from(wild)];
    for _ in 0..choices.byte() % 16 {
        let step = i32::from(choices.byte()) - if wild { 9 } else { 0 };
        offsets.push(offsets[offsets.len() - 1] + step);
    }
    // A few hundred bytes more often than not lie in one gathering: repeated they do not.
    let values = choices.0.repeat(1 + 40 * usize::from(choices.byte() % 2));
    let row = |ends: &[i32]| values.get(usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()?);
    let Some(rows) = offsets.windows(2).map(row).collect::<Option<Vec<_>>>() else {
        let result = enc.encoder(engine).encode_batch(&values, &offsets, &mut vec![], &mut vec![]);
        assert!(matches!(result, Err(BatchError::Offset(_))));
        return;
    };
    if !(0..=values.len() as i32).contains(&offsets[0]) {
        return;
    }
    let encoded: Vec<Vec<u8>> = rows.iter().map(|row| enc.run(row)).collect();
    let decoded: Vec<Decoded> = rows.iter().map(|row| dec.run(row)).collect();
    let wrong = decoded.iter().enumerate().find_map(|(row, decoded)| {
        let (offset, kind) = decoded.error?;
        Some(BatchError::Row { row, error: DecodeError::new(offset, kind) })
    });
    let split = |out: &[u8], ends: &[i32]| -> Vec<Vec<u8>> {
        ends.windows(2).map(|ends| out[ends[0] as usize..ends[1] as usize].to_vec()).collect()
    };
    let (mut out, mut ends) = (Vec::new(), Vec::new());
    enc.encoder(engine).encode_batch(&values, &offsets, &mut out, &mut ends).unwrap();
    assert_eq!(split(&out, &ends), encoded, "{engine} {enc:?}");
    let (mut out, mut ends) = (Vec::new(), Vec::new());
    let result = match dec.decoder(engine) {
        AnyDecoder::Lenient(decoder) => decoder.decode_batch(&values, &offsets, &mut out, &mut ends),
        AnyDecoder::Checked(decoder) => decoder.decode_batch(&values, &offsets, &mut out, &mut ends),
    };
    assert_eq!(result.clone().err(), wrong, "{engine} {dec:?}");
    if result.is_ok() {
        assert!(split(&out, &ends).iter().eq(decoded.iter().map(|row| &row.out)), "{engine} {dec:?}");
    } else {
        assert!(out.is_empty() && ends.is_empty(), "{engine} {dec:?}");
    }
});
