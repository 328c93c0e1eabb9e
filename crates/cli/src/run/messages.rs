//! Prints the errors of an input, and the values that could not be converted.

use std::io::ErrorKind;

use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::place::Place;
use percent_simd_records::policy::Policy;

use crate::findings::Kind;
use crate::job::Job;
use crate::message::complain;
use crate::pipeline::RunError;
use crate::report::{Entry, commas};

/// Prints the number of malformed values.
pub fn print_counts(entries: &[Entry]) {
    let count = |kind| entries.iter().map(|entry| entry.stats.count(kind)).sum();
    let skipped = entries.iter().map(|entry| entry.stats.skipped).sum();
    let [malformed, invalid, skipped] = [count(Kind::Malformed), count(Kind::InvalidUtf8), skipped].map(commas);
    complain(&format!("pct: malformed escapes: {malformed}, fields not UTF-8: {invalid}, records skipped: {skipped}"));
}

/// Prints the places of the values that a verb could not convert. Also prints `count`, the number of these values,
/// unless an error stopped the run (`is_cut`).
pub fn print_diagnostics(name: &str, job: &Job, diagnostics: &[(Place, Diagnostic)], count: u64, is_cut: bool) {
    for (place, diagnostic) in diagnostics {
        complain(&place.said(name, &diagnostic.text));
    }
    let Some(config) = job.verb().filter(|_| !is_cut) else { return };
    let number = commas(count);
    complain(&match config.on_bad {
        Policy::Keep => format!("pct: {name}: errors: {number}; these values stay as they are"),
        _ => format!("pct: {name}: errors: {number}; their records are skipped"),
    });
}

/// Prints the error in the input called `name`. Returns the exit status.
pub fn report_error(name: &str, error: &RunError) -> u8 {
    match error {
        RunError::Open(error) => complain(&format!("pct: cannot open {name}, so it is skipped: {error}")),
        RunError::Read(error) => complain(&format!("pct: cannot read {name} to its end: {error}")),
        // The program that reads the output has closed the pipe, because it needs no more output.
        RunError::Write(error) if error.kind() == ErrorKind::BrokenPipe => return 0,
        RunError::Write(error) => complain(&format!("pct: cannot write the output: {error}")),
        RunError::Row(place) => complain(&format!(
            "pct: {name}: byte {}: the row that starts here is cut off or has a bad length; only the rows before it are processed",
            place.offset
        )),
        RunError::Taken(place, text) => {
            complain(&format!("pct: {}; the records before this one are written", place.said(name, text)));
        }
        RunError::Malformed(located) => {
            complain(&format!("{name}:{located}"));
            return 1;
        }
        RunError::Diagnosed(place, diagnostic) => {
            complain(&place.said(name, &diagnostic.text));
            return 1;
        }
    }
    2
}
