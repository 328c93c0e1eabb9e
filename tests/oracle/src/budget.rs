//! How much a run of the suites tries, from which seed, and for how long.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `PERCENT_SIMD_THIN=1` | a twentieth of everything, sampled so that every lane stays: for emulated CPUs |
//! | `PERCENT_SIMD_THIN=211` | one in so many, a prime: for interpreters and sanitizers |
//! | `PERCENT_SIMD_CASES=100` | 100 times as many random cases: for a night |
//! | `PERCENT_SIMD_SEED=7` | another seed than the fixed ones; `random` draws one; it is printed |
//! | `PERCENT_SIMD_LIMIT=3600` | seconds that a test binary may take before it is ended, 1800 by default; 0 for no limit |

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use quickcheck::{Gen, QuickCheck, Testable};

/// The part of the cases that a thin run tries, if it names no other: one of so many. It is prime, so that no lane, no block
/// and no byte is left out for good.
const THIN: usize = 19;

/// The seed of properties in a run that asks for no other.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns of how many cases this run is to try one, as `PERCENT_SIMD_THIN` says at run time or at compile time.
fn thinning() -> usize {
    static THINNING: OnceLock<usize> = OnceLock::new();
    *THINNING.get_or_init(|| {
        let of = |value: &str| match value {
            "" | "0" => 1,
            _ => value.parse().ok().filter(|&n| n > 1).unwrap_or(THIN),
        };
        let chosen = std::env::var("PERCENT_SIMD_THIN").map_or(1, |value| of(&value));
        chosen.max(option_env!("PERCENT_SIMD_THIN").map_or(1, of))
    })
}

/// Returns whether this run is to try about a twentieth of everything, or less.
pub fn thin() -> bool {
    thinning() > 1
}

/// Returns `n`, or a twentieth of it in a thin run: how long an input to make, or how much else to try than random cases.
pub fn scale(n: usize) -> usize {
    n.div_ceil(thinning())
}

/// Returns how many random cases to try: `n`, a twentieth of it in a thin run, or more if this run asks for more.
pub fn cases(n: usize) -> usize {
    static TIMES: OnceLock<usize> = OnceLock::new();
    let times = *TIMES.get_or_init(|| match std::env::var("PERCENT_SIMD_CASES") {
        Ok(times) => times.parse().unwrap_or_else(|_| panic!("PERCENT_SIMD_CASES={times} is no number")),
        Err(_) => 1,
    });
    scale(n) * times
}

/// Returns `items`, of which a thin run takes every twentieth, from one on that differs from `phase` to `phase`.
///
/// A loop over lanes and, inside it, over what may stand in them thins the inner one, with the lane as its phase: so
/// every lane is tried with something, and everything in some lane.
pub fn thinned<T>(items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    thinned_by(thinning(), items, phase)
}

/// Like [`thinned`], but takes one of `step` items: for lists of fewer than twenty.
pub fn thinned_by<T>(step: usize, items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    let step = if thin() { step } else { 1 };
    items.skip(phase % step).step_by(step)
}

/// Prints what this run leaves out, and how often it has left something out so far.
pub fn skip(what: impl Display) {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let count = 1 + SKIPPED.fetch_add(1, Ordering::Relaxed);
    let binary = std::env::current_exe().unwrap_or_default();
    let binary = binary.file_stem().unwrap_or_default().to_string_lossy();
    print(&format!("skipped ({binary}, {count}): {what}\n"));
}

/// Prints a line even where the test harness captures what tests print, at once, so that the harness prints nothing in it.
fn print(line: &str) {
    _ = std::io::stderr().write_all(line.as_bytes());
}

/// Returns the seed that was chosen for this run in place of the usual ones, if one was, and prints it the first time.
pub(crate) fn chosen_seed() -> Option<u64> {
    static CHOSEN: OnceLock<Option<u64>> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let seed = match std::env::var("PERCENT_SIMD_SEED").ok()?.as_str() {
            "random" => RandomState::new().hash_one(0),
            number => number.parse().unwrap_or_else(|_| panic!("PERCENT_SIMD_SEED={number} is no number")),
        };
        print(&format!("PERCENT_SIMD_SEED={seed} draws the cases of this run again\n"));
        Some(seed)
    })
}

/// Checks a property of quickcheck's on [`cases`] of `times`.
///
/// The cases are drawn from a fixed seed, so that a suite passes or fails for everyone alike.
pub fn check<T: Testable>(times: usize, property: T) {
    check_sized(100, times, property);
}

/// Like [`check`], but collections have up to `size` items in place of 100.
pub fn check_sized<T: Testable>(size: usize, times: usize, property: T) {
    let generator = Gen::from_size_and_seed(size, chosen_seed().unwrap_or(SEED));
    QuickCheck::new().rng(generator).tests(cases(times) as u64).max_tests(u64::MAX).quickcheck(property);
}

/// Ends a test binary that has run for too long: a fault may hang a suite, and the test harness waits forever.
#[cfg(all(any(target_os = "linux", target_os = "macos"), not(miri)))]
mod limit {
    /// Runs before `main`.
    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LIMIT: extern "C" fn() = limit;

    extern "C" fn limit() {
        /// Seconds.
        const USUAL: u32 = 1800;
        let seconds = std::env::var("PERCENT_SIMD_LIMIT").ok().and_then(|text| text.parse().ok());
        // SAFETY: asks the system to end this process by SIGALRM then, and does nothing else.
        unsafe { libc::alarm(seconds.unwrap_or(USUAL)) };
    }
}
