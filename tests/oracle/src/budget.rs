//! The number of cases in a run of the suites, the seed, and the time limit that ends a test program that hangs.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `PERCENT_SIMD_THIN=1` | a thin run: about a twentieth of the cases, sampled so that every lane is tested; for emulated CPUs |
//! | `PERCENT_SIMD_THIN=211` | a thin run with one case in 211 (use a prime); for interpreters and sanitizers |
//! | `PERCENT_SIMD_CASES=100` | 100 times as many random cases, for a run that takes a night |
//! | `PERCENT_SIMD_SEED=7` | uses this seed instead of the fixed ones; `random` draws a seed and prints it |
//! | `PERCENT_SIMD_LIMIT=3600` | ends a test program after this many seconds (1800 by default, 0 for no limit) |

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use quickcheck::{Gen, QuickCheck, Testable};

/// If `PERCENT_SIMD_THIN` is 1, a thin run takes one case in this many. The number is prime, so that the cases together
/// contain every lane, block and byte.
const THIN: usize = 19;

/// The default seed of [`check`].
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns `n` if this run takes one case in `n`. The variable `PERCENT_SIMD_THIN` sets `n`, when the suites run or when they
/// are compiled.
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

/// Returns true in a thin run.
pub fn thin() -> bool {
    thinning() > 1
}

/// Returns `n`, or in a thin run `n` divided by the result of `thinning`. Use it for lengths of inputs, and for numbers
/// of cases that are not random.
pub fn scale(n: usize) -> usize {
    n.div_ceil(thinning())
}

/// Returns the number of random cases: the result of [`scale`] for `n`. If `PERCENT_SIMD_CASES` is set, the number is
/// multiplied by the value of this variable.
pub fn cases(n: usize) -> usize {
    static TIMES: OnceLock<usize> = OnceLock::new();
    let times = *TIMES.get_or_init(|| match std::env::var("PERCENT_SIMD_CASES") {
        Ok(times) => times.parse().unwrap_or_else(|_| panic!("PERCENT_SIMD_CASES={times} is no number")),
        Err(_) => 1,
    });
    scale(n) * times
}

/// Returns `items`. A thin run takes only every `n`-th item, if `n` is the result of `thinning`. `phase` determines the
/// first one.
///
/// If a loop over lanes contains a loop over bytes or escapes, thin the inner loop, and pass the lane as the phase. Then every
/// lane gets some of the bytes, and each byte gets into some lane.
pub fn thinned<T>(items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    thinned_by(thinning(), items, phase)
}

/// Does the same as [`thinned`], but a thin run takes every `step`-th item. Use it for lists of fewer than twenty
/// items.
pub fn thinned_by<T>(step: usize, items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    let step = if thin() { step } else { 1 };
    items.skip(phase % step).step_by(step)
}

/// Returns true if [`thinned`] with this `phase` takes the item number `item`.
pub fn is_drawn(item: usize, phase: usize) -> bool {
    item % thinning() == phase % thinning()
}

/// Prints that this run skips `what`, and the number of skips so far.
pub fn skip(what: impl Display) {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let count = 1 + SKIPPED.fetch_add(1, Ordering::Relaxed);
    let binary = std::env::current_exe().unwrap_or_default();
    let binary = binary.file_stem().unwrap_or_default().to_string_lossy();
    print(&format!("skipped ({binary}, {count}): {what}\n"));
}

/// Prints a line immediately and as a whole, even if the test harness captures output.
fn print(line: &str) {
    _ = std::io::stderr().write_all(line.as_bytes());
}

/// Returns the seed of this run if `PERCENT_SIMD_SEED` is set, and prints it the first time. Returns `None` if suites use their
/// fixed seeds.
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

/// Checks a property on [`cases(times)`](cases) random cases, with quickcheck.
///
/// The cases come from a fixed seed, so a suite gives the same result on every machine.
pub fn check<T: Testable>(times: usize, property: T) {
    check_sized(100, times, property);
}

/// Does the same as [`check`], but collections have up to `size` items instead of 100.
pub fn check_sized<T: Testable>(size: usize, times: usize, property: T) {
    let generator = Gen::from_size_and_seed(size, chosen_seed().unwrap_or(SEED));
    QuickCheck::new().rng(generator).tests(cases(times) as u64).max_tests(u64::MAX).quickcheck(property);
}

/// Ends a test program after a time limit. Without the limit, a suite that hangs would keep the test harness waiting forever.
#[cfg(all(any(target_os = "linux", target_os = "macos"), not(miri)))]
mod limit {
    /// The system calls this function before `main`.
    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LIMIT: extern "C" fn() = limit;

    extern "C" fn limit() {
        /// The default, in seconds.
        const USUAL: u32 = 1800;
        let seconds = std::env::var("PERCENT_SIMD_LIMIT").ok().and_then(|text| text.parse().ok());
        // SAFETY: only asks the system to end this process by SIGALRM later.
        unsafe { libc::alarm(seconds.unwrap_or(USUAL)) };
    }
}
