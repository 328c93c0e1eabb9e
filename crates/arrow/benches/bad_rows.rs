//! Measures the time of a bad row in a column, as a multiple of the time of a good row of the same length.
//!
//!     cargo bench -p percent-simd-arrow --features arrow-60 --bench bad_rows -- [WORD...]
//!
//! Prints a line for each combination of options, layout, length, fault and share of bad rows. If there are words, prints
//! only the lines that contain all of them. A good row has one escaped character: `%C3%A9`. A bad row has `%FF`, which
//! isn't UTF-8, or the malformed `%zz`. The bad rows are at random places. Under some options, a row with `%zz` isn't
//! faulty.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use percent_simd_arrow::arrow_array::{Array as _, ArrayRef, StringArray, StringViewArray};
use percent_simd_arrow::{DecodeOptions, decode};

const OPTIONS: [&str; 6] = ["keep", "replace", "null", "keep layers=3", "replace layers=3", "null layers=3"];
/// The length of a column in bytes. It is longer than the caches of the second level.
const COLUMN: usize = 2 << 20;
const ROUNDS: usize = 60;

/// Returns a column in which `percent` % of the rows are `bad`, and all others are `good`.
fn column(good: &str, bad: &str, percent: u64, views: bool) -> ArrayRef {
    let mut state = 1u64;
    let rows = (0..COLUMN / good.len()).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if (state >> 33) % 100 < percent { bad } else { good }
    });
    if views {
        Arc::new(StringViewArray::from_iter_values(rows))
    } else {
        Arc::new(StringArray::from_iter_values(rows))
    }
}

/// Returns the times of a row in nanoseconds, for each column in the fastest of many rounds. In each round, decodes all columns
/// one after another, so that a slow moment of the machine affects all of them.
fn times(columns: &[ArrayRef], options: &DecodeOptions) -> Vec<f64> {
    let mut times = vec![f64::INFINITY; columns.len()];
    for _ in 0..ROUNDS {
        for (column, time) in columns.iter().zip(&mut times) {
            let start = Instant::now();
            _ = black_box(decode(black_box(column), options));
            *time = time.min(start.elapsed().as_nanos() as f64 / column.len() as f64);
        }
    }
    times
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    // After the program has freed a block of this size, the allocator keeps freed blocks up to this size, instead of
    // returning them to the system. So each call reuses the memory of the call before.
    drop(black_box(vec![1_u8; 30 << 20]));
    println!("options, layout, length, fault, share of bad rows: time of a good row, of a bad row, their ratio");
    for text in OPTIONS {
        let options: DecodeOptions = text.parse().expect("options");
        for (layout, views) in [("offsets", false), ("views", true)] {
            for len in [12, 48, 200] {
                let row = |escape: &str| format!("caf{escape}{}", "a/bcd".repeat(40))[..len].to_owned();
                for (fault, bad) in [("%FF", row("%FF")), ("%zz", row("%zz"))] {
                    let good = row("%C3%A9");
                    let shares =
                        [1, 10, 50, 100].map(|share| (share, format!("{text}, {layout}, {len}, {fault}, {share} %")));
                    let shares = shares.into_iter().filter(|(_, name)| words.iter().all(|word| name.contains(word)));
                    let shares = shares.collect::<Vec<_>>();
                    if shares.is_empty() {
                        continue;
                    }
                    let all = std::iter::once(0).chain(shares.iter().map(|&(share, _)| share));
                    let columns = all.map(|share| column(&good, &bad, share, views)).collect::<Vec<_>>();
                    let times = times(&columns, &options);
                    for ((share, name), time) in shares.iter().zip(&times[1..]) {
                        let bad = times[0] + (time - times[0]) * 100.0 / *share as f64;
                        println!("{name}: {:.1} ns, {bad:.1} ns, {:.2}", times[0], bad / times[0]);
                    }
                }
            }
        }
    }
}
