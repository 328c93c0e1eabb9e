//! The treatment of findings.

use percent_simd_records::policy::Policy;

/// The treatment of findings, and how much is said of an input.
#[derive(Clone, Copy, Debug, Default)]
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
