//! One long string: operation x size x kind of input x engine, with the peers beside them.

mod run;

use std::env;

use criterion::{Criterion, criterion_group, criterion_main};
use percent_simd_bench::{Contest, KINDS, Kind, Op};

const OPS: [Op; 8] = [
    Op::Encode,
    Op::EncodePlus,
    Op::EncodedLen,
    Op::FirstChanged,
    Op::Decode,
    Op::DecodeUtf8,
    Op::DecodePlus,
    Op::DecodeInPlace,
];
const SIZES: [usize; 3] = [64 << 10, 1 << 20, 64 << 20];

fn codec(criterion: &mut Criterion) {
    // `cargo test`, which passes no `--bench`, checks the outputs only: one size is enough.
    let asked = |option: &str| env::args().any(|arg| arg == option);
    let sizes = if asked("--bench") && !asked("--test") { &SIZES[..] } else { &SIZES[..1] };
    for op in OPS {
        for &size in sizes {
            for kind in KINDS {
                let beside_the_point = match op {
                    Op::FirstChanged => kind != Kind::Escaped(0.0),
                    Op::DecodeUtf8 => kind == Kind::Random,
                    _ => false,
                };
                if !beside_the_point {
                    run::run(criterion, &Contest::new(op, kind, size, 1));
                }
            }
        }
    }
}

criterion_group! { name = benches; config = run::config(); targets = codec }
criterion_main!(benches);
