//! The treatment of findings.

use percent_simd_records::policy::Policy;

/// The treatment of findings, and how much is said of an input.
#[derive(Clone, Copy)]
pub struct Policies {
    pub on_error: Policy,
    pub on_utf8: Policy,
    /// Whether every field is looked at.
    pub inspect: bool,
    /// Places of each kind that are told.
    pub limit: usize,
    /// Whether only the report is written.
    pub quiet: bool,
    /// Whether every record is compared with its format.
    pub is_strict: bool,
}

impl Policies {
    /// Returns the policies of a verb for records.
    pub fn of_records(is_strict: bool) -> Policies {
        let (on_error, on_utf8) = (Policy::Keep, Policy::Raw);
        Policies { on_error, on_utf8, inspect: false, limit: 0, quiet: false, is_strict }
    }

    /// Returns the policies of a summary, which tells the first `limit` places of each kind.
    pub fn of_summary(limit: usize, is_strict: bool) -> Policies {
        Policies { inspect: true, limit, quiet: true, ..Policies::of_records(is_strict) }
    }
}
