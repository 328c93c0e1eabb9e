//! Trials of the standards that are built on the codec. Each trial compares a call with a comparable peer.

mod beside;
mod ecma;
mod form;
mod uri;

use std::hint::black_box;

/// The name of an entry, and a function that runs a pass over all inputs.
type Entry = (&'static str, Box<dyn FnMut()>);

/// An operation, and the entries that perform it.
pub struct Trial {
    /// The operation and its input, as the tables name them.
    pub what: String,
    /// The number of bytes of input in a pass.
    pub bytes: usize,
    /// The number of calls in a pass.
    pub calls: usize,
    /// The entries. Their inputs all differ. When the trial was created, the outputs of its entries were compared.
    pub entries: Vec<Entry>,
    /// The goals of the developers.
    pub goals: Vec<Goal>,
}

/// A goal for the entries of a trial.
pub enum Goal {
    /// The first entry is at least this many times as fast as the second.
    Times(&'static str, &'static str, f64),
    /// A call of this entry takes at most this many nanoseconds.
    Nanoseconds(&'static str, f64),
}

/// Leaks the inputs, so that every entry can borrow them.
fn shared<T>(inputs: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::from_iter(inputs).leak()
}

/// Returns a function that calls `call` on each input.
fn pass<I, T>(inputs: &'static [I], call: impl Fn(&'static I) -> T + 'static) -> Box<dyn FnMut()> {
    Box::new(move || inputs.iter().for_each(|input| _ = black_box(&call(black_box(input)))))
}

/// Returns all trials.
pub fn trials() -> Vec<Trial> {
    [form::trials(), uri::trials(), ecma::trials(), beside::trials()].into_iter().flatten().collect()
}
