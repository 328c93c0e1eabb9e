//! Runs races: the entries of a contest take turns, and we record the times of each entry (see lib.rs for these words).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::standards::Trial;
use crate::turns::{self, Spread};
use crate::{Contest, Kind, Op};

/// A pass of an entry over all its input.
pub type Pass<'a> = Box<dyn FnMut() + 'a>;

/// The races that have run. A race runs when it is first requested.
pub struct Races {
    rounds: usize,
    /// In a round, an entry runs for at least this many nanoseconds.
    turn: f64,
    run: RefCell<BTreeMap<String, Rc<Race>>>,
}

/// The times of all entries of a contest or trial.
pub struct Race {
    bytes: usize,
    count: usize,
    /// For each entry, the nanoseconds per pass, one value for each round.
    times: BTreeMap<String, Vec<f64>>,
}

impl Races {
    /// Creates an empty list of races. Each race will have this number of `rounds`. In each round, each entry runs for
    /// `turn` nanoseconds or longer.
    #[must_use]
    pub fn new(rounds: usize, turn: f64) -> Races {
        Races { rounds, turn, run: RefCell::default() }
    }

    /// Returns the race of the contest in `op` on `count` strings of `len` bytes of `kind`. The first call for a contest runs the
    /// race.
    ///
    /// # Panics
    /// Panics if an entry has a wrong output.
    pub fn get(&self, op: Op, kind: Kind, len: usize, count: usize) -> Rc<Race> {
        let contest = Contest::new(op, kind, len, count);
        let known = self.run.borrow().get(&contest.to_string()).cloned();
        known.unwrap_or_else(|| {
            let race = Rc::new(self.race(&contest));
            self.run.borrow_mut().insert(contest.to_string(), Rc::clone(&race));
            race
        })
    }

    fn race(&self, contest: &Contest) -> Race {
        let (entries, expected) = contest.entries();
        for entry in &entries {
            assert!(entry.is_right(expected), "{contest}: {} is wrong", entry.name);
        }
        let passes = entries.into_iter().map(|entry| (entry.name, entry.pass as Pass));
        self.take_turns(&contest.to_string(), contest.bytes(), contest.count, passes.collect())
    }

    /// Runs a trial and returns its race.
    pub fn trial(&self, trial: Trial) -> Rc<Race> {
        let passes = trial.entries.into_iter().map(|(name, pass)| (name.to_string(), pass as Pass));
        let race = Rc::new(self.take_turns(&trial.what, trial.bytes, trial.calls, passes.collect()));
        self.run.borrow_mut().insert(trial.what, Rc::clone(&race));
        race
    }

    /// For each entry of each race, returns the name of the race, the name of the entry, and the spread of the entry's
    /// nanoseconds per pass.
    #[must_use]
    pub fn spreads(&self) -> Vec<(String, String, Spread)> {
        let run = self.run.borrow();
        let entries =
            run.iter().flat_map(|(what, race)| race.times.iter().map(move |(name, times)| (what, name, times)));
        entries.map(|(what, name, times)| (what.clone(), name.clone(), Spread::of(times))).collect()
    }

    /// Times the entries. A pass of an entry makes `count` calls, on `bytes` bytes in total.
    pub fn take_turns(&self, what: &str, bytes: usize, count: usize, entries: Vec<(String, Pass)>) -> Race {
        eprintln!("{what}");
        let (names, mut passes): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let times = turns::take_turns(&mut passes, self.rounds, self.turn);
        Race { bytes, count, times: names.into_iter().zip(times).collect() }
    }
}

impl Race {
    /// Returns the names of the entries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.times.keys().map(String::as_str)
    }

    /// For each round, returns the time of `than` divided by the time of `who`.
    #[must_use]
    pub fn times_faster(&self, who: &str, than: &str) -> Vec<f64> {
        self.times[who].iter().zip(&self.times[than]).map(|(time, other)| other / time).collect()
    }

    /// For each round, returns the time of `who` minus the time of `than`, in nanoseconds per string.
    #[must_use]
    pub fn slower_by(&self, who: &str, than: &str) -> Vec<f64> {
        let per_string = |(time, other): (&f64, &f64)| (time - other) / self.count as f64;
        self.times[who].iter().zip(&self.times[than]).map(per_string).collect()
    }

    /// Returns the bytes of input that `who` handles per nanosecond.
    #[must_use]
    pub fn rate(&self, who: &str) -> f64 {
        self.bytes as f64 / Spread::of(&self.times[who]).median
    }

    /// Returns the nanoseconds that `who` takes per string.
    #[must_use]
    pub fn nanoseconds(&self, who: &str) -> f64 {
        Spread::of(&self.times[who]).median / self.count as f64
    }

    /// Returns half of the interval between the quartiles, in percent of the median.
    #[must_use]
    pub fn spread(&self, who: &str) -> f64 {
        let Spread { low, median, high } = Spread::of(&self.times[who]);
        50.0 * (high - low) / median
    }
}

/// Each list of `values` has a value for each round. Returns a list with the geometric mean of each round.
#[must_use]
pub fn mean(values: &[Vec<f64>]) -> Vec<f64> {
    let round = |round| values.iter().map(|values| values[round]).product::<f64>().powf(1.0 / values.len() as f64);
    (0..values[0].len()).map(round).collect()
}
