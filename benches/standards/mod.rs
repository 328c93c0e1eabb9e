//! Trials of the standards that are built on the codec, each beside a comparable peer.

mod beside;
mod ecma;
mod form;
mod uri;

/// An operation, and the entries that perform it.
pub struct Trial {
    /// The operation and its input, as the tables name them.
    pub what: String,
    /// The number of bytes of input in a pass.
    pub bytes: usize,
    /// The number of calls in a pass.
    pub calls: usize,
    /// The name of each entry, and a function that runs a pass over all inputs. The inputs all differ. When the trial was
    /// created, the outputs of its entries were compared.
    pub entries: Vec<(&'static str, Box<dyn FnMut()>)>,
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

/// Returns all trials.
pub fn trials() -> Vec<Trial> {
    [form::trials(), uri::trials(), ecma::trials(), beside::trials()].into_iter().flatten().collect()
}
