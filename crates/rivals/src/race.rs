//! Compares the entries with the oracle, and times them. The results are the times of all entries with the right output, and
//! the names of the other entries.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use percent_simd_bench::memory::{self, Taken};
use percent_simd_bench::race::{Pass, Races};
use percent_simd_bench::{Entry, Inputs, Kind, Op, Side};

use crate::peers;

/// How much work a measurement does.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: usize,
    /// In a round, an entry runs for at least this many nanoseconds.
    pub turn: f64,
    /// The number of hostile inputs.
    pub hostile: usize,
}

impl Effort {
    pub const FULL: Effort = Effort { rounds: 21, turn: 3e5, hostile: 100_000 };
    pub const QUICK: Effort = Effort { rounds: 3, turn: 1e4, hostile: 2_000 };
}

/// The result of one entry.
#[derive(Clone)]
pub struct Result {
    pub name: String,
    pub side: Side,
    /// The median of the nanoseconds per input.
    pub ns: f64,
    /// Half of the interval between the quartiles, in percent of the median.
    pub spread: f64,
    /// The bytes of input that are processed in a nanosecond.
    pub rate: f64,
    /// The memory that a call allocates.
    pub memory: Taken,
}

/// The results of the entries with the right output, in the order of the entries. Also the names of the entries with a wrong
/// output.
pub struct Race {
    pub results: Vec<Result>,
    pub wrong: Vec<String>,
}

impl Race {
    pub fn of(&self, name: &str) -> Option<&Result> {
        self.results.iter().find(|result| result.name == name)
    }
}

/// The races so far. A race is a comparison of all entries on the same inputs.
pub struct Bench {
    effort: Effort,
    run: RefCell<BTreeMap<String, Rc<Race>>>,
}

impl Bench {
    pub fn new(effort: Effort) -> Bench {
        Bench { effort, run: RefCell::default() }
    }

    /// Returns a text `NAME (RACE)` for each library that had a wrong output in a race.
    pub fn wrong(&self) -> Vec<String> {
        let run = self.run.borrow();
        run.iter().flat_map(|(what, race)| race.wrong.iter().map(move |name| format!("{name} ({what})"))).collect()
    }

    /// Returns the race of all entries of `op` on `count` inputs of `len` bytes. The first call with this `op`, `kind`
    /// and `len` measures the race. Later calls return the same race, even for another `count`.
    pub fn race(&self, op: Op, kind: Kind, len: usize, count: usize) -> Rc<Race> {
        let what = format!("{op:?} {kind} {len}");
        let known = self.run.borrow().get(&what).cloned();
        known.unwrap_or_else(|| {
            let race = Rc::new(self.contest(&what, op, kind, len, count));
            self.run.borrow_mut().insert(what, Rc::clone(&race));
            race
        })
    }

    fn contest(&self, what: &str, op: Op, kind: Kind, len: usize, count: usize) -> Race {
        match op {
            Op::FormParse => {
                let forms = kind.forms(len, count);
                let inputs: Vec<String> = forms.iter().map(|form| peers::serialized(form)).collect();
                let expected: Vec<Vec<u8>> = forms.iter().map(|form| peers::pairs_seen(form)).collect();
                let bytes = inputs.iter().map(String::len).sum();
                self.take_turns(what, bytes, &expected, peers::strings(op, &Inputs::new(inputs)))
            }
            Op::FormSerialize => {
                let inputs = kind.forms(len, count);
                let expected: Vec<Vec<u8>> = inputs.iter().map(|form| peers::serialized(form).into_bytes()).collect();
                let bytes = inputs.iter().flatten().map(|(name, value)| name.len() + value.len() + 2).sum();
                let inputs = Inputs { list: inputs, ..Inputs::default() };
                self.take_turns(what, bytes, &expected, peers::serializers(&inputs))
            }
            _ => {
                let inputs = kind.texts(op != Op::Encode, len, count);
                let expected: Vec<Vec<u8>> = inputs.iter().map(|input| peers::expected(op, input)).collect();
                self.take_turns(what, len * count, &expected, peers::strings(op, &Inputs::new(inputs)))
            }
        }
    }

    /// Returns the race of percent-simd and percent-encoding in `op` on these inputs.
    pub fn on(&self, what: &str, op: Op, inputs: &[String]) -> Race {
        let expected: Vec<Vec<u8>> = inputs.iter().map(|input| peers::expected(op, input)).collect();
        let inputs = Inputs::new(inputs.to_vec());
        let mut entries = peers::strings(op, &inputs);
        entries.retain(|entry| crate::RUST.contains(&&*entry.name));
        self.take_turns(what, inputs.list.iter().map(String::len).sum(), &expected, entries)
    }

    fn take_turns(&self, what: &str, bytes: usize, expected: &[Vec<u8>], entries: Vec<Entry>) -> Race {
        let (entries, wrong): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.is_right(expected));
        let passes = entries.iter().map(|entry| (entry.name.clone(), Box::new(&*entry.pass) as Pass)).collect();
        let times = Races::new(self.effort.rounds, self.effort.turn).take_turns(what, bytes, expected.len(), passes);
        let result = |entry: Entry| {
            let memory = memory::taken(&entry.pass).1;
            Result {
                side: entry.side,
                ns: times.nanoseconds(&entry.name),
                spread: times.spread(&entry.name),
                rate: times.rate(&entry.name),
                memory: Taken { calls: memory.calls / expected.len(), peak: memory.peak },
                name: entry.name,
            }
        };
        let results = entries.into_iter().map(result).collect();
        Race { results, wrong: wrong.into_iter().map(|entry| entry.name).collect() }
    }
}
