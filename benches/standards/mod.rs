//! The standards built on the codec, each beside a comparable peer.

mod beside;
mod ecma;
mod form;
mod uri;

/// An operation that several entries perform.
pub struct Trial {
    /// The operation and its input, as the tables name them.
    pub what: String,
    /// Bytes of input in a pass.
    pub bytes: usize,
    /// Calls in a pass.
    pub calls: usize,
    /// Each entry's name, and a pass over all inputs. The inputs all differ, and the outputs have been compared.
    pub entries: Vec<(&'static str, Box<dyn FnMut()>)>,
    /// The goals of the developers.
    pub goals: Vec<Goal>,
}

/// A goal for the entries of a trial.
pub enum Goal {
    /// The first is at least this many times as fast as the second.
    Times(&'static str, &'static str, f64),
    /// A call takes at most this many nanoseconds.
    Nanoseconds(&'static str, f64),
}

/// Returns all trials.
pub fn trials() -> Vec<Trial> {
    [form::trials(), uri::trials(), ecma::trials(), beside::trials()].into_iter().flatten().collect()
}
