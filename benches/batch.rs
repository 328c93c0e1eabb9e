//! Many strings in one call, and one string in many chunks.

mod run;

use criterion::{Criterion, criterion_group, criterion_main};
use percent_simd_bench::{Contest, Kind, Op};

fn batch(criterion: &mut Criterion) {
    for kind in [Kind::Escaped(0.0), Kind::Escaped(3.0), Kind::Escaped(10.0), Kind::Cyrillic] {
        for op in [Op::EncodeBatch, Op::DecodeBatch] {
            for len in [16, 100] {
                run::run(criterion, &Contest::new(op, kind, len, (1 << 20) / len));
            }
        }
        for op in [Op::EncodeStream, Op::DecodeStream] {
            run::run(criterion, &Contest::new(op, kind, 1 << 20, 1));
        }
    }
}

criterion_group! { name = benches; config = run::config(); targets = batch }
criterion_main!(benches);
