//! Makes the calls whose instructions `scripts/instructions` counts. Calls `percent_simd_mark` before and after each of
//! them.
//!
//!     cargo run --release -p percent-simd-bench --bin instructions -- avx2 | scalar
//!
//! Prints a line for each call, in order: the call, the kind of input and its length in bytes.

use std::hint::black_box;

use percent_simd::batch::{Column, NotUtf8, Rows};
use percent_simd::{Decoder, Encoder, Engine, Plus, presets, sets};
use percent_simd_bench::{Kind, Op};

/// Lengths of inputs in bytes: a component of a URL, a query, a long query, and a page of text.
const LENGTHS: [usize; 4] = [7, 100, 1000, 16_384];
/// Text without escapes, text with few escapes (as in logs), and text with many escapes.
const KINDS: [Kind; 3] = [Kind::Escaped(0.0), Kind::Dirty(1.0), Kind::Escaped(10.0)];

/// Rows of a batch. All have 36 bytes. Two of them can't be decoded to text: one isn't UTF-8, and one has a malformed `%`.
const GOOD_ROW: &str = "/search?q=caf%C3%A9%20au%20lait&n=12";
const BAD_ROWS: [(&str, &str); 2] =
    [("not UTF-8", "/search?q=caf%E9%20au%20lait%20&n=12"), ("malformed", "/search?q=caf%zz%C3%A9%20au%20lait&n")];
/// The number of rows of a batch.
const ROWS: usize = 1000;

/// Does no work. `scripts/instructions` ends a count of instructions at each call of this function, and starts the next count.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn percent_simd_mark() {
    _ = black_box(0);
}

/// A call, its name, and the operation for which its input is made.
type Call<'a> = (&'static str, Op, &'a dyn Fn(&[u8], &mut [u8]) -> usize);

fn main() {
    let name = std::env::args().nth(1).expect("usage: instructions ENGINE");
    let engine = Engine::available().find(|engine| engine.name() == name).expect("an engine of this CPU");
    let encoder = Encoder::new(sets::RFC3986_UNRESERVED).with_engine(engine);
    let plus = presets::PY_QUOTE_PLUS.with_engine(engine);
    let decoder = Decoder::new().with_engine(engine);
    let spaces = decoder.plus(Plus::Always);
    let strict = decoder.strict();
    let calls: [Call; 9] = [
        ("encode_slice", Op::Encode, &|text, out| encoder.encode_slice(text, out).map_or(0, |text| text.len())),
        ("encode_slice, + for a space", Op::EncodePlus, &|text, out| {
            plus.encode_slice(text, out).map_or(0, |text| text.len())
        }),
        ("encode", Op::Encode, &|text, _| encoder.encode(text).len()),
        ("encode, + for a space", Op::EncodePlus, &|text, _| plus.encode(text).len()),
        ("decode_slice", Op::Decode, &|text, out| decoder.decode_slice(text, out).map_or(0, |bytes| bytes.len())),
        ("decode_slice, + for a space", Op::DecodePlus, &|text, out| {
            spaces.decode_slice(text, out).map_or(0, |bytes| bytes.len())
        }),
        ("decode", Op::Decode, &|text, _| decoder.decode(text).len()),
        ("decode_utf8", Op::Decode, &|text, _| decoder.decode_utf8(text).map_or(0, |text| text.len())),
        ("decode, strict", Op::Decode, &|text, _| strict.decode(text).map_or(0, |bytes| bytes.len())),
    ];
    let mut out = vec![0; 3 * LENGTHS[LENGTHS.len() - 1]];
    for (call, op, run) in calls {
        for kind in KINDS {
            for len in LENGTHS {
                let text = &kind.strings(op, len, 1)[0];
                // Make a first call that isn't counted, because it allocates memory, and the system maps new pages for
                // it.
                black_box(run(text, &mut out));
                percent_simd_mark();
                black_box(run(black_box(text), black_box(&mut out)));
                percent_simd_mark();
                println!("{call}\t{kind}\t{len}");
            }
        }
    }
    let text = |not_utf8| decoder.batch().text(not_utf8);
    let batches = [
        ("batch, keep", text(NotUtf8::KeepEscaped)),
        ("batch, replace", text(NotUtf8::Replace)),
        ("batch, null", strict.batch().text(NotUtf8::Error).errors_to_null()),
    ];
    for (call, batch) in batches {
        for (kind, bad) in BAD_ROWS {
            for (share, each) in [("no row", usize::MAX), ("1% of rows", 100), ("all rows", 1)] {
                let rows: Vec<&str> = (1..=ROWS).map(|row| if row % each == 0 { bad } else { GOOD_ROW }).collect();
                let (values, offsets) = (rows.concat(), Vec::from_iter((0..=ROWS).map(|row| row * GOOD_ROW.len())));
                let mut column = Column::<usize>::default();
                let mut run = || {
                    column.clear();
                    batch.run(Rows::new(black_box(values.as_bytes()), &offsets), &mut column).unwrap();
                };
                run();
                percent_simd_mark();
                run();
                percent_simd_mark();
                println!("{call}\t{share} {kind}\t{}", values.len());
            }
        }
    }
}
