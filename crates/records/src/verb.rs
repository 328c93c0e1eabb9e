//! Verbs. A verb converts one value at a time. A value is a record or a field.
//!
//! A [`Verb`] reads no input and writes no output. It gets a value, and returns the new value or a [`Diagnostic`] with
//! the place of the error. The caller has a [`Policy`] for values with an error.

use std::fmt;

use percent_simd::Plus;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::formats::Syntax;
use crate::guard::Guard;
use crate::place::Place;
use crate::policy::Policy;

/// A conversion of a value.
pub trait Verb: fmt::Debug + Send + Sync {
    /// Appends the converted `value` to `out`.
    ///
    /// # Errors
    ///
    /// If the value can't be converted, returns the reason.
    fn apply(&self, value: &[u8], context: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic>;

    /// Adds a diagnostic for each finding in `value`. If the output is a list of diagnostics, this method is called in place
    /// of [`apply`](Self::apply).
    ///
    /// # Errors
    ///
    /// If the value can't be read, returns the reason.
    fn find(&self, _value: &[u8], _context: &FieldContext, _: &mut Diagnostics) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Returns the places where the verb reads a `+` as a space.
    fn plus(&self) -> Plus {
        Plus::Never
    }

    /// Appends the converted `lines` to `out`, and returns true. Each of the `lines` is a value and ends with LF.
    ///
    /// If the verb can't convert all lines at once, returns false and leaves `out` unchanged.
    fn apply_lines(&self, _lines: &[u8], _guard: &Guard, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Returns true if a byte order mark at the start of the input is copied to the output.
    fn keeps_mark(&self) -> bool {
        true
    }

    /// `bytes` is a piece of a long line. Returns the length of the prefix of `bytes` that can be converted before more
    /// bytes arrive.
    ///
    /// If the verb needs whole lines, returns `None`.
    fn decided(&self, _bytes: &[u8]) -> Option<usize> {
        None
    }

    /// Appends a diagnostic to `out`. Only a verb whose output is a list of diagnostics implements this method.
    fn list(&self, _name: &[u8], _place: Place, _diagnostic: &Diagnostic, _out: &mut Vec<u8>) {}
}

/// The context of a value, for a verb.
#[derive(Clone, Copy, Debug)]
pub struct FieldContext<'a> {
    /// The characters that must stay escaped in the value.
    pub guard: &'a Guard,
    /// The places of the value where a `+` is a space.
    pub plus: Plus,
    /// The number of layers of escapes to decode.
    pub layers: usize,
    /// The syntax of the value.
    pub syntax: Syntax,
}

/// A verb and its options.
#[derive(Debug)]
pub struct VerbConfig {
    /// The verb.
    pub verb: Box<dyn Verb>,
    /// The policy for values that the verb can't convert.
    pub on_bad: Policy,
    /// The maximum number of diagnostics to print.
    pub limit: usize,
    /// If true, the output is a list of diagnostics.
    pub lists: bool,
}
