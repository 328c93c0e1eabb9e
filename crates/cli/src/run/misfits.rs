//! Explains why an input doesn't fit the given format, and suggests a better one.

use percent_simd_records::formats::Name;

use crate::chunk::LONGEST;
use crate::findings::{Fit, Stats};
use crate::job::Job;
use crate::record_verb::RecordVerb;
use crate::report::commas;
use crate::user_formats;

/// An input that is possibly not in the given format.
pub struct Misfits<'a> {
    pub name: &'a str,
    pub format: &'a Name,
    pub job: &'a Job,
    pub fit: &'a Fit,
    pub stats: &'a Stats,
    pub head: &'a [u8],
    pub is_utf16: bool,
}

impl Misfits<'_> {
    /// Returns a message for each mismatch, with a suggestion. `is_usual` is true if the user named no field with -f.
    pub fn lines(&self, is_usual: bool) -> Vec<String> {
        let Fit { inspected, unrecognized, ref with_field } = *self.fit;
        let format = self.format.text();
        if self.is_utf16 {
            return vec![UTF16.to_string()];
        }
        let left = if self.job.record_verb().is_some() { "are skipped" } else { "stay as they are" };
        let mut lines = Vec::new();
        if self.stats.oversized > 0 && (!self.format.is_whole() || self.job.record_verb().is_some()) {
            let (count, mebibytes) = (commas(self.stats.oversized), LONGEST >> 20);
            let is_passed = self.job.record_verb().is_some_and(RecordVerb::passes_oversized);
            let left = if is_passed { "stay as they are" } else { left };
            lines.push(format!("{count} of its records are longer than {mebibytes} MiB, and {left}"));
        }
        let better = || user_formats::better(self.head).filter(|better| better != self.format);
        let hint = || better().map_or(String::new(), |better| format!("; --format '{}'?", better.text()));
        if unrecognized > 0 {
            let (some, all) = (commas(unrecognized), commas(inspected));
            let why = if self.job.format.has_header() && unrecognized == inspected { self.no_columns() } else { "" };
            lines.push(format!("{some} of {all} checked records are not {format}, and {left}{why}{}", hint()));
        }
        // Logs of frameworks have other lines between the records. We report a log that has no record at all.
        if inspected == 0 && !self.head.is_empty() && self.job.format.has_other_lines() {
            lines.push(format!("none of its lines is a record of {format}{}", hint()));
        }
        let fitting = inspected - unrecognized;
        let names = self.job.format.schema().asked_names();
        let never: Vec<&str> = names
            .iter()
            .enumerate()
            .filter(|(at, _)| with_field.get(*at).is_none_or(|&count| count == 0))
            .map(|(_, name)| name.as_str())
            .collect();
        // Without -f, it is enough if one of the default fields occurs.
        if fitting > 0 && !never.is_empty() && (!is_usual || never.len() == names.len()) {
            let (never, all) = (never.join(" or "), commas(fitting));
            let never =
                if is_usual { format!("field that holds URLs ({never})") } else { format!("field named {never}") };
            let hint = if is_usual { format!("{}; name one with -f", hint()) } else { hint() };
            lines.push(format!("none of {all} checked records has a {never}{hint}"));
        }
        lines
    }

    /// Returns the reason if the input lacks the line that names its columns.
    fn no_columns(&self) -> &'static str {
        let names = |line: &[u8]| line.starts_with(b"#Fields:") || line.starts_with(b"#fields");
        match self.format.text().as_ref() {
            "w3c" | "cloudfront" | "zeek" if !self.head.split(|&byte| byte == b'\n').any(names) => {
                ": it has no #Fields line that names the columns"
            }
            _ => "",
        }
    }
}

/// The advice for an input in UTF-16, in which we can't find escapes.
pub const UTF16: &str = "UTF-16 is not supported; pipe it through `iconv -f UTF-16 -t UTF-8`";

/// Returns true if `head` looks like the start of UTF-16: it has a byte order mark, or zero bytes in its first 16 characters.
pub fn is_utf16(head: &[u8]) -> bool {
    let zeros = |from: usize| head.iter().skip(from).step_by(2).take(16).filter(|&&byte| byte == 0).count();
    let has_mark = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    has_mark && zeros(0) + zeros(1) > 0 || head.len() >= 32 && zeros(0).max(zeros(1)) == 16
}
