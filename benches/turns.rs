//! Measures the times of passes that take turns.

use crate::clock::time;

/// Runs each of `passes` for at least `turn` nanoseconds in every round. Returns a list for each of `passes`, with the
/// nanoseconds per pass in each round.
pub fn take_turns<P: FnMut()>(passes: &mut [P], rounds: usize, turn: f64) -> Vec<Vec<f64>> {
    let repeats: Vec<f64> =
        passes.iter_mut().map(|pass| (turn / time(&mut *pass)).clamp(1.0, 100_000.0).ceil()).collect();
    let mut times = vec![Vec::new(); passes.len()];
    for round in 0..rounds {
        for turn in 0..passes.len() {
            // The passes run forwards in one round and backwards in the next, so that no pass is first in all rounds.
            let turn = if round % 2 == 0 { turn } else { passes.len() - 1 - turn };
            let who = (turn + round / 2) % passes.len();
            let pass = &mut passes[who];
            // First run the pass without timing, so that its data is in the caches.
            pass();
            times[who].push(time(|| (0..repeats[who] as usize).for_each(|_| pass())) / repeats[who]);
        }
    }
    times
}

/// The median and the quartiles. Half of all values are between the quartiles.
#[derive(Clone, Copy)]
pub struct Spread {
    /// The first quartile.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub high: f64,
}

impl Spread {
    /// Returns the median and the quartiles of `values`.
    ///
    /// # Panics
    /// Panics if there is no value.
    #[must_use]
    pub fn of(values: &[f64]) -> Spread {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let at = |part: f64| values[(part * (values.len() - 1) as f64).round() as usize];
        Spread { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}
