//! Prints nanoseconds per string and GB/s for every entry of every contest (see lib.rs for these words).
//!
//! ```text
//! cargo bench -p percent-simd-bench [-- WORD...]
//! ```
//!
//! With WORDs, runs only the contests whose name contains one of them. A name is, for example, `Encode/100/10%`. `cargo test
//! --benches` measures no time. It only compares the outputs, on small inputs.

use std::env;

use percent_simd_bench::race::Races;
use percent_simd_bench::{Contest, KINDS, Kind, Op};

const CLEAN: Kind = Kind::Escaped(0.0);
const DIRTY: Kind = Kind::Dirty(10.0);
const TENTH: Kind = Kind::Escaped(10.0);

/// Operations on one long string.
const LONG: [Op; 8] = [
    Op::Encode,
    Op::EncodePlus,
    Op::EncodedLen,
    Op::FirstChanged,
    Op::Decode,
    Op::DecodeUtf8,
    Op::DecodePlus,
    Op::DecodeInPlace,
];

/// Operations on many short strings.
const SHORT: [(Op, Kind); 9] = [
    (Op::Encode, TENTH),
    (Op::EncodeReuse, TENTH),
    (Op::EncodeCow, CLEAN),
    (Op::EncodeCow, DIRTY),
    (Op::Decode, CLEAN),
    (Op::Decode, DIRTY),
    (Op::DecodeReuse, DIRTY),
    (Op::DecodeUtf8, CLEAN),
    (Op::DecodeUtf8, Kind::Cyrillic),
];

/// Returns the contests. For each contest, returns its operation, and the kind, the length and the number of its
/// strings. If a contest has only one string, the string has `long` bytes.
fn contests(long: usize) -> Vec<(Op, Kind, usize, usize)> {
    let mut all = Vec::new();
    for op in LONG {
        let kinds = KINDS.into_iter().filter(|&kind| match op {
            Op::FirstChanged => kind == CLEAN,
            Op::DecodeUtf8 => kind != Kind::Random, // random bytes are not UTF-8
            _ => true,
        });
        all.extend(kinds.map(|kind| (op, kind, long, 1)));
    }
    for (op, kind) in SHORT {
        all.extend([8, 16, 32, 64, 100, 200].map(|len| (op, kind, len, long / 100)));
    }
    for kind in [CLEAN, Kind::Escaped(3.0), TENTH, Kind::Cyrillic] {
        for op in [Op::EncodeBatch, Op::DecodeBatch] {
            all.extend([16, 100].map(|len| (op, kind, len, long / len)));
        }
        all.extend([Op::EncodeStream, Op::DecodeStream].map(|op| (op, kind, long, 1)));
    }
    all
}

fn main() {
    let (options, words): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|arg| arg.starts_with("--"));
    // Cargo passes `--bench` to benchmarks only.
    let is_timed = options.iter().any(|option| option == "--bench");
    let races = Races::new(15, 3e5);
    let mut checked = 0;
    for (op, kind, len, count) in contests(if is_timed { 1 << 20 } else { 1 << 16 }) {
        let contest = Contest::new(op, kind, len, count);
        if !words.is_empty() && !words.iter().any(|word| contest.to_string().contains(word)) {
            continue;
        }
        let (entries, expected) = contest.entries();
        for entry in entries {
            assert!(entry.is_right(expected), "{contest}: {} is wrong", entry.name);
            checked += 1;
        }
        if is_timed {
            let race = races.get(op, kind, len, count);
            println!("{contest}");
            for name in race.names() {
                let (time, rate, spread) = (race.nanoseconds(name), race.rate(name), race.spread(name));
                println!("    {name:20} {time:12.1} ns {rate:8.2} GB/s  ±{spread:.1}%");
            }
        }
    }
    println!("{checked} entries have the expected output");
    assert!(checked > 0, "there is no contest with any of these words in its name");
}
