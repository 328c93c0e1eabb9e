//! The policies: how findings are treated, and which of them are reported.

use percent_simd_records::policy::Policy;

/// How findings are treated, and which of them are reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policies {
    pub on_error: Policy,
    pub on_utf8: Policy,
    /// Whether every field is inspected.
    pub inspect: bool,
    /// The number of reported places for each kind of finding.
    pub limit: usize,
    /// Whether only the report is written.
    pub quiet: bool,
    /// Whether passwords are hidden.
    pub redacts: bool,
    /// Whether URLs in fields that aren't chosen are reported.
    pub tells_unread: bool,
    /// Whether URLs in lines that are no records are reported.
    pub tells_lines: bool,
    /// Whether every record is compared with its format.
    pub is_strict: bool,
}
