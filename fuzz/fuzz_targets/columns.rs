//! Columns with nulls, of text, and as views: any rows, any bitmap, any engine, in one of the ways of batches, against the
//! oracle row by row.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, dec, shape) = (choices.encode(), choices.decode(), usize::from(choices.byte()));
    let (wide, way) = (shape % 2 == 0, shape / 2 % Columns::WAYS);
    // Short rows are in their views, the others in buffers; many are gathered and run together.
    let (most, repeat) = (1 + choices.below(40), 1 + choices.below(9) / 8 * 40);
    let bits = choices.some(9);
    let mut rows = Vec::new();
    while !choices.0.is_empty() && rows.len() < 300 {
        rows.push(choices.some(most).repeat(repeat));
    }
    let validity = bits.split_first().map(|(offset, bits)| {
        let offset = usize::from(offset % 20);
        // Repeated to reach over all rows; without any, all are null.
        let needed = (offset + rows.len()).div_ceil(8);
        let bits = bits.iter().copied().cycle().take(needed).collect::<Vec<u8>>();
        ([&bits[..], &vec![0; needed - bits.len()]].concat(), offset)
    });
    Columns { rows, validity }.check_one(engine, way, enc, dec, wide);
});
