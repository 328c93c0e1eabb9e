//! The number of cases in a run of the suites, its seed, and its time limit.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `PERCENT_SIMD_THIN=1` | a twentieth of the cases, sampled so that every lane stays: for emulated CPUs |
//! | `PERCENT_SIMD_THIN=211` | one case in 211; use a prime: for interpreters and sanitizers |
//! | `PERCENT_SIMD_CASES=100` | 100 times as many random cases: for a night |
//! | `PERCENT_SIMD_SEED=7` | another seed than the fixed ones; `random` draws one and prints it |
//! | `PERCENT_SIMD_LIMIT=3600` | the seconds after which a test binary is ended, 1800 by default; 0 for no limit |

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use quickcheck::{Gen, QuickCheck, Testable};

/// A thin run takes one case in this many if the variable doesn't choose another number. It is prime, so that no lane, no block
/// and no byte is always left out.
const THIN: usize = 19;

/// The default seed of properties.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns `n` if this run takes one case in `n`, as `PERCENT_SIMD_THIN` says at run time or at compile time.
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

/// Returns true if this run takes about a twentieth of the cases, or fewer.
pub fn thin() -> bool {
    thinning() > 1
}

/// Returns `n`, or a twentieth of it in a thin run. For lengths of inputs and for cases that are not random.
pub fn scale(n: usize) -> usize {
    n.div_ceil(thinning())
}

/// Returns the number of random cases: `n`, a twentieth of it in a thin run, or a multiple if this run asks for more.
pub fn cases(n: usize) -> usize {
    static TIMES: OnceLock<usize> = OnceLock::new();
    let times = *TIMES.get_or_init(|| match std::env::var("PERCENT_SIMD_CASES") {
        Ok(times) => times.parse().unwrap_or_else(|_| panic!("PERCENT_SIMD_CASES={times} is no number")),
        Err(_) => 1,
    });
    scale(n) * times
}

/// Returns `items`. A thin run takes every twentieth, starting with one that depends on `phase`.
///
/// If a loop over lanes has a loop over bytes or escapes inside it, thin the inner loop with the lane as its phase. Then
/// every lane is tried with some of them, and each of them in some lane.
pub fn thinned<T>(items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    thinned_by(thinning(), items, phase)
}

/// Like [`thinned`], but takes one of `step` items, for lists of fewer than twenty.
pub fn thinned_by<T>(step: usize, items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    let step = if thin() { step } else { 1 };
    items.skip(phase % step).step_by(step)
}

/// Prints that this run skips `what`, and the number of skips so far.
pub fn skip(what: impl Display) {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let count = 1 + SKIPPED.fetch_add(1, Ordering::Relaxed);
    let binary = std::env::current_exe().unwrap_or_default();
    let binary = binary.file_stem().unwrap_or_default().to_string_lossy();
    print(&format!("skipped ({binary}, {count}): {what}\n"));
}

/// Prints a line at once and in one piece, even if the test harness captures output.
fn print(line: &str) {
    _ = std::io::stderr().write_all(line.as_bytes());
}

/// Returns the seed that was chosen for this run instead of the fixed ones, if any, and prints it the first time.
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

/// Checks a property of quickcheck on [`cases`] of `times`.
///
/// The cases are drawn from a fixed seed, so a suite passes or fails for everyone alike.
pub fn check<T: Testable>(times: usize, property: T) {
    check_sized(100, times, property);
}

/// Like [`check`], but collections have up to `size` items instead of 100.
pub fn check_sized<T: Testable>(size: usize, times: usize, property: T) {
    let generator = Gen::from_size_and_seed(size, chosen_seed().unwrap_or(SEED));
    QuickCheck::new().rng(generator).tests(cases(times) as u64).max_tests(u64::MAX).quickcheck(property);
}

/// Ends a test binary after a time limit. A fault may hang a suite, and the test harness would wait forever.
#[cfg(all(any(target_os = "linux", target_os = "macos"), not(miri)))]
mod limit {
    /// Runs before `main`.
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
