//! Runs every operation on every hostile input at three lengths. Calls a function, the mark, before and after each run.
//!
//! `scripts/linear` counts the instructions between two marks. This program prints a line for each run, in order: the
//! operation, the piece of input that is repeated, and the length. The arguments are names of operations, and select
//! which ones run. `--list` prints all names.

use std::hint::black_box;

use percent_simd_oracle::work::{self, UNITS, hostile};
use percent_standards_oracle::work::OPERATIONS;

/// The lengths of inputs, in bytes. Each length is eight times the previous one.
const LENGTHS: [usize; 3] = [4 * 1024, 32 * 1024, 256 * 1024];

/// Returns the operations of the codec, followed by the operations of the standards.
fn operations() -> impl Iterator<Item = &'static work::Operation> {
    work::OPERATIONS.iter().chain(OPERATIONS)
}

/// Marks the start or the end of a run. `scripts/linear` counts the instructions from one mark to the next.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn percent_simd_mark() {
    _ = black_box(0);
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    if only == ["--list"] {
        operations().for_each(|(name, _)| println!("{name}"));
        return;
    }
    let inputs: Vec<_> = UNITS.iter().map(|unit| (unit, LENGTHS.map(|len| hostile(unit, len)))).collect();
    for (name, operation) in operations() {
        if !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
            continue;
        }
        for (unit, texts) in &inputs {
            for text in texts {
                percent_simd_mark();
                operation(text);
                percent_simd_mark();
                println!("{name}\t{unit}\t{}", text.len());
            }
        }
    }
}
