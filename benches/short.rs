//! One call per string, over 10,000 different short ones.

mod run;

use criterion::{Criterion, criterion_group, criterion_main};
use percent_simd_bench::{Contest, Kind, Op};

const CLEAN: Kind = Kind::Escaped(0.0);
const DIRTY: Kind = Kind::Dirty(10.0);

const OPS: [(Op, Kind); 9] = [
    (Op::Encode, Kind::Escaped(10.0)),
    (Op::EncodeReuse, Kind::Escaped(10.0)),
    (Op::EncodeCow, CLEAN),
    (Op::EncodeCow, DIRTY),
    (Op::Decode, CLEAN),
    (Op::Decode, DIRTY),
    (Op::DecodeReuse, DIRTY),
    (Op::DecodeUtf8, CLEAN),
    (Op::DecodeUtf8, Kind::Cyrillic),
];

fn short(criterion: &mut Criterion) {
    for (op, kind) in OPS {
        for len in [8, 16, 32, 64, 100, 200] {
            run::run(criterion, &Contest::new(op, kind, len, 10_000));
        }
    }
}

criterion_group! { name = benches; config = run::config(); targets = short }
criterion_main!(benches);
