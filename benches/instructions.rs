//! Makes the calls whose instructions `scripts/instructions` counts, with a mark before and after each call.
//!
//!     cargo run --release -p percent-simd-bench --bin instructions -- avx2 | scalar
//!
//! Prints a line for each call, in order: the call, the kind of input and its length in bytes.

use std::hint::black_box;

use percent_simd::{Decoder, Encoder, Engine, Plus, presets, sets};
use percent_simd_bench::{Kind, Op};

/// Lengths of inputs in bytes: a component of a URL, a query, a long query, and a page of text.
const LENGTHS: [usize; 4] = [7, 100, 1000, 16_384];
/// Text without escapes, with few, as in logs, and with many.
const KINDS: [Kind; 3] = [Kind::Escaped(0.0), Kind::Dirty(1.0), Kind::Escaped(10.0)];

/// Marks the end of one count, and the start of the next.
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
    let calls: [Call; 8] = [
        ("encode_slice", Op::Encode, &|text, out| encoder.encode_slice(text, out).map_or(0, |text| text.len())),
        ("encode_slice, + for a space", Op::EncodePlus, &|text, out| {
            plus.encode_slice(text, out).map_or(0, |text| text.len())
        }),
        ("encode", Op::Encode, &|text, _| encoder.encode(text).len()),
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
                // The first call allocates and faults pages.
                black_box(run(text, &mut out));
                percent_simd_mark();
                black_box(run(black_box(text), black_box(&mut out)));
                percent_simd_mark();
                println!("{call}\t{kind}\t{len}");
            }
        }
    }
}
