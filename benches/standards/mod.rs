//! The standards built on the codec, each beside who does it today.

mod ecma;
mod form;
mod uri;

/// Something that several can do.
pub struct Trial {
    /// What is done, on what.
    pub what: String,
    /// Bytes of input in a pass.
    pub bytes: usize,
    /// Calls in a pass.
    pub calls: usize,
    /// Who does it, and a pass of it: over all inputs, which all differ. Whoever makes a trial has compared what comes out.
    pub entries: Vec<(&'static str, Box<dyn FnMut()>)>,
    /// What is promised.
    pub goals: Vec<Goal>,
}

/// A promise, of the entries of a trial.
pub enum Goal {
    /// The first is so many times as fast as the second.
    Times(&'static str, &'static str, f64),
    /// A call of it takes so many nanoseconds at most.
    Nanoseconds(&'static str, f64),
}

/// All of them.
pub fn trials() -> Vec<Trial> {
    [form::trials(), uri::trials(), ecma::trials()].into_iter().flatten().collect()
}
