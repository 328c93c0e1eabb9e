//! Verbs that deal with one value at a time, be it a record or a field: how they plug into a job, and what they say.
//!
//! A [`Verb`] sees no input and no output. It gets a value, and gives what comes of it, or a [`Diagnostic`] that says where the
//! value is not as it should be. What becomes of such values is not its concern: see [`Policy`].

use std::fmt;

use percent_simd::Plus;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::formats::Syntax;
use crate::guard::Guard;
use crate::place::Place;
use crate::policy::Policy;

/// A verb that converts a value.
pub trait Verb: fmt::Debug + Send + Sync {
    /// Appends to `out` what comes of `value`.
    ///
    /// # Errors
    ///
    /// Says why nothing comes of it.
    fn apply(
        &self,
        value: &[u8],
        context: &FieldContext,
        out: &mut Vec<u8>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic>;

    /// Returns where a `+` is a space, whatever the kind of the field.
    fn plus(&self) -> Plus {
        Plus::Never
    }

    /// Appends to `out` what comes of `lines`, each of which is a value and ends with LF, with those ends, where that can be told
    /// of all of them at once. Returns `false` where it cannot, and `out` is to be as it was.
    fn apply_lines(&self, _lines: &[u8], _guard: &Guard, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Length of the front of `bytes`, the middle of a long line, that can be dealt with by itself; `None` if lines must
    /// be whole.
    fn decided(&self, _bytes: &[u8]) -> Option<usize> {
        None
    }

    /// Appends one diagnostic, where the output is a list of them.
    fn list(&self, _name: &str, _place: Place, _diagnostic: &Diagnostic, _out: &mut Vec<u8>) {}
}

/// The surroundings of a value, for a verb.
#[derive(Clone, Copy, Debug)]
pub struct FieldContext<'a> {
    /// Bytes that may not come out of an escape there.
    pub guard: &'a Guard,
    /// Where a `+` is a space there.
    pub plus: Plus,
    /// How many layers are to come off.
    pub layers: usize,
    /// What the value is.
    pub syntax: Syntax,
}

/// A verb, and how it is carried out.
#[derive(Debug)]
pub struct VerbConfig {
    /// The verb.
    pub verb: Box<dyn Verb>,
    /// The treatment of values that it can do nothing about.
    pub on_bad: Policy,
    /// So many diagnostics are told.
    pub limit: usize,
    /// Whether the output is a list of diagnostics.
    pub lists: bool,
}
