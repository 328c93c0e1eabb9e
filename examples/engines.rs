//! Prints the names of the engines that this CPU can run, best first. The library uses the first.
//!
//! ```text
//! $ cargo run --example engines
//! avx2 sse42 scalar
//! ```

use percent_simd::Engine;

fn main() {
    let names: Vec<&str> = Engine::available().map(Engine::name).collect();
    println!("{}", names.join(" "));
}
