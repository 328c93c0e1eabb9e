//! Measures a Rust call on the text at standard input. The benchmark of the Python package (bench.py) measures the same call in
//! Python. The difference is the cost of the package.
//!
//!     cargo run --release -p percent-simd-bench --bin one_call -- quote | unquote | unquote_to_bytes
//!
//! Prints the time of the fastest of 31 runs in nanoseconds, like bench.py.

use std::hint::black_box;
use std::io::Read as _;

use percent_simd::{Decoder, Encoder, sets};
use percent_simd_bench::clock;

const QUOTE: Encoder = Encoder::new(sets::RFC3986_UNRESERVED.with(b'/'));

fn least(mut call: impl FnMut()) -> f64 {
    let mut time = |calls: u32| clock::time(|| (0..calls).for_each(|_| call())) / f64::from(calls);
    // A run has as many calls as fit into two milliseconds.
    let calls = (2_000_000.0 / time(100)).max(1.0) as u32;
    (0..31).map(|_| time(calls)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("text at standard input");
    // After the program has freed a block of this size, the allocator keeps freed blocks up to this size, instead of
    // returning them to the system. So each call reuses the memory of the call before. bench.py does the same.
    drop(black_box(vec![1u8; 30 << 20]));
    let nanoseconds = match std::env::args().nth(1).as_deref() {
        Some("quote") => least(|| _ = black_box(QUOTE.encode(black_box(&text)))),
        Some("unquote") => least(|| _ = black_box(Decoder::new().decode_utf8_lossy(black_box(&text)))),
        Some("unquote_to_bytes") => least(|| _ = black_box(Decoder::new().decode(black_box(&text)))),
        _ => panic!("usage: one_call quote|unquote|unquote_to_bytes"),
    };
    println!("{nanoseconds}");
}
