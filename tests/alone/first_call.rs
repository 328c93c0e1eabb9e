//! Eight threads make the first calls of the process at the same time. Each thread chooses an engine for itself, and all must
//! choose the same one. ThreadSanitizer also runs this test (`scripts/test-on thread`).
#![cfg(all(feature = "std", not(target_family = "wasm")))]

use std::sync::{Barrier, Once};
use std::thread;

use percent_simd::{Decoder, Encoder, Engine, sets};

/// Runs the test of the first calls if it hasn't run yet. Every test of this program calls `begin` before it calls the
/// codec.
pub fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(eight_threads_call);
}

#[test]
fn eight_threads_begin_together() {
    begin();
}

fn eight_threads_call() {
    const THREADS: usize = 8;
    let start = Barrier::new(THREADS);
    let run = || {
        start.wait();
        let encoded = Encoder::new(sets::RFC3986_UNRESERVED)
            .encode("100 % of it, in more than one block: ".repeat(9).as_str())
            .into_owned();
        let decoded = Decoder::new().decode(&encoded).into_owned();
        (encoded, decoded, Engine::active().name())
    };
    let found: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|one| *one == found[0]));
    assert_eq!(Some(found[0].2), Engine::available().next().map(Engine::name));
}
