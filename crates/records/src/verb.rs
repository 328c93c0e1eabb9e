//! Verbs: conversions of one value at a time, a record or a field.
//!
//! A [`Verb`] sees neither input nor output. It gets a value, and returns the new value or a [`Diagnostic`] with the place of
//! the error. The caller's [`Policy`] decides the treatment of malformed values.

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
    /// Returns the reason if the value can't be converted.
    fn apply(
        &self,
        value: &[u8],
        context: &FieldContext,
        out: &mut Vec<u8>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic>;

    /// Returns where a `+` is a space, in fields of any syntax.
    fn plus(&self) -> Plus {
        Plus::Never
    }

    /// Appends the converted `lines` to `out`, and returns true. Each line is a value and ends with LF.
    ///
    /// Returns false, and leaves `out` unchanged, if it can't convert all lines at once.
    fn apply_lines(&self, _lines: &[u8], _guard: &Guard, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Returns the length of a prefix of `bytes`, the middle of a long line, that can be converted separately.
    ///
    /// Returns `None` if the verb needs whole lines.
    fn decided(&self, _bytes: &[u8]) -> Option<usize> {
        None
    }

    /// Appends one diagnostic, for verbs whose output is a list of diagnostics.
    fn list(&self, _name: &str, _place: Place, _diagnostic: &Diagnostic, _out: &mut Vec<u8>) {}
}

/// The context of a value, for a verb.
#[derive(Clone, Copy, Debug)]
pub struct FieldContext<'a> {
    /// The characters that must stay escaped there.
    pub guard: &'a Guard,
    /// Where a `+` is a space there.
    pub plus: Plus,
    /// The number of layers to decode.
    pub layers: usize,
    /// The syntax of the value.
    pub syntax: Syntax,
}

/// A verb and its options.
#[derive(Debug)]
pub struct VerbConfig {
    /// The verb.
    pub verb: Box<dyn Verb>,
    /// The policy for values that it can't convert.
    pub on_bad: Policy,
    /// The number of diagnostics to print.
    pub limit: usize,
    /// If true, the output is a list of diagnostics.
    pub lists: bool,
}
