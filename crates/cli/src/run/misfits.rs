//! Explains why an input doesn't fit the given format, and suggests a format that fits.

use memchr::memchr;
use percent_simd_records::formats::{self, Choice, Name, TABLES};
use percent_simd_records::framing::Framing;

use super::doubles::doubles;
use crate::chunk::LONGEST;
use crate::findings::{Fit, Stats};
use crate::job::Job;
use crate::later::Later;
use crate::message::listed;
use crate::report::commas;
use crate::user_formats;

/// An input that is possibly not in the given format.
pub struct Misfits<'a> {
    pub name: &'a str,
    pub format: &'a Name,
    pub choice: &'a Choice,
    pub job: &'a Job,
    pub fit: &'a Fit,
    pub stats: &'a Stats,
    /// The line of the first record that is too long, if it is known.
    pub oversized_line: Option<u64>,
    pub head: &'a [u8],
}

impl Misfits<'_> {
    /// Returns a message for each mismatch, with a suggestion. `is_usual` is true if the user named no field with -f.
    pub fn lines(&self, is_usual: bool) -> Vec<String> {
        let Fit { inspected, unrecognized, unread, unplaced, is_sample, ref with_field, ref later } = *self.fit;
        let format = self.format.text();
        let is_passed = !self.job.skips_oversized();
        let left = |count: u64| match (is_passed, count) {
            (true, 1) => "stays as it is",
            (true, _) => "stay as they are",
            (false, 1) => "is skipped",
            (false, _) => "are skipped",
        };
        let sample = if is_sample { " (a sample)" } else { "" };
        let mut lines = Vec::new();
        let redacts = self.job.redacted_input().is_some();
        // If every line is one field, a verb with diagnostics has already reported the record that is too long.
        if self.stats.oversized > 0 && (!self.format.is_whole() || self.job.verb().is_none() || redacts) {
            let (count, mebibytes) = (self.stats.oversized, LONGEST >> 20);
            let left = match count {
                1 if redacts => "is left out, because a password might not be found",
                _ if redacts => "are left out, because a password might not be found",
                count => left(count),
            };
            let (are, first) = if count == 1 { ("is", "it") } else { ("are", "the first of them") };
            let line = self.oversized_line.map_or(String::new(), |line| format!("; {first} starts in line {line}"));
            lines.push(format!("{} of its records {are} longer than {mebibytes} MiB, and {left}{line}", commas(count)));
        }
        let format_of_records = self.format.clone().without_urls();
        let better = || user_formats::better(self.head).filter(|better| *better != format_of_records);
        let hint =
            || better().map_or(String::new(), |better| format!("; --format {}?", formats::quoted(&better.text())));
        let some = |count: u64| match inspected {
            1 => "its only checked record".to_string(),
            _ => format!("{} of {} checked records{sample}", commas(count), commas(inspected)),
        };
        if unrecognized > 0 {
            let (are, left) = (if unrecognized == 1 { "is" } else { "are" }, left(unrecognized));
            let some = some(unrecognized);
            let why = if self.job.format.has_header() && unrecognized == inspected { self.no_columns() } else { "" };
            lines.push(format!("{some} {are} not {format}, and {left}{why}{}", hint()));
        }
        if unread > 0 {
            let have = if unread == 1 { "has" } else { "have" };
            let left = if is_passed { "stays as it is" } else { "is left out" };
            lines.push(format!(
                "{} {have} a value that can't be read as {format}, and this value {left}{}",
                some(unread),
                hint()
            ));
        }
        if unplaced > 0 {
            lines.push(format!(
                "--to has no place for results in records with too few fields, of elements of arrays, or of URLs in a text ({} here); without --to, they are decoded, too",
                commas(unplaced)
            ));
        }
        // Some formats, such as XML and logs of frameworks, have other text between the records. So we report only an
        // input without any record. A table without records is no mismatch, because it may consist of its header.
        let has_text = !self.head.trim_ascii().is_empty() && !self.format.is_whole();
        if inspected == 0 && has_text && !self.job.format.has_header() {
            lines.push(format!("none of its lines is a record of {format}{}", hint()));
        }
        let fitting = inspected - unrecognized;
        let names = self.job.format.shown_names();
        let mut never: Vec<&str> = Vec::new();
        let lacks = |at: usize| with_field.get(at).is_none_or(|&count| count == 0);
        // The user may have named a field in two ways. Then only one of them has its values.
        let has_doubles = !is_usual && self.job.format.inner().is_none() && (0..names.len()).any(lacks);
        let doubles =
            if has_doubles { doubles(self.format, self.choice, &*self.job.format, self.head) } else { vec![] };
        for (at, name) in names.iter().enumerate() {
            let is_double = doubles.iter().any(|&(_, other)| other == at);
            if lacks(at) && !is_double && !never.contains(&name.as_str()) {
                never.push(name);
            }
        }
        let has_any = with_field.iter().take(names.len()).any(|&count| count > 0);
        // Without -f, the input needs only one of the default fields.
        if fitting > 0 && !never.is_empty() && !(is_usual && has_any) {
            let there = self.names_there();
            let never = match is_usual {
                false => format!("field named {}{there}", never.join(" or ")),
                true if there.is_empty() => format!("field that holds URLs ({})", never.join(" or ")),
                true => format!("field that is known to hold URLs{there}"),
            };
            let hint = if is_usual { format!("{}; name one with -f", hint()) } else { hint() };
            lines.push(match fitting {
                1 => format!("its only checked record has no {never}{hint}"),
                _ => format!("none of {} checked records{sample} has a {never}{hint}", commas(fitting)),
            });
        }
        if self.is_one_line_of_several() {
            lines
                .push("its lines end with CR only, so it is read as one line; pipe it through `tr '\\r' '\\n'`".into());
        }
        if lines.is_empty()
            && let Some(better) = user_formats::mistaken(self.format, self.head)
        {
            let better = better.text();
            let option = formats::quoted(&better);
            lines.push(format!("its first records are in the format {better}, not in {format}; --format {option}?"));
        }
        lines.extend(self.later(later));
        if later.has_line {
            lines.push(format!(
                "later lines that are no records of {format} have URLs, which are not read; --format urls reads all lines"
            ));
        }
        lines.extend(self.job.record_verb().and_then(|verb| verb.remark()));
        lines
    }

    /// Returns a message if later records have URLs in fields that aren't chosen. The first records had no URL in these fields.
    fn later(&self, later: &Later) -> Option<String> {
        let names: Vec<&str> = later.fields.difference(&self.job.unread_at_first).map(String::as_str).collect();
        (!names.is_empty()).then(|| {
            format!(
                "later records have URLs in fields that are not read, because the first records lack them: {}; choose fields with -f",
                listed(&names)
            )
        })
    }

    /// Returns a message if the input is a table, and no record follows the line that was read as the header. This is
    /// no mismatch, because a table may consist of its header.
    pub fn header_alone(&self) -> Option<&'static str> {
        let is_table = matches!(self.format, Name::Row(row) if TABLES.iter().any(|(name, _)| *name == row.name));
        let has_header = is_table && self.job.format.layout().header && !self.head.trim_ascii().is_empty();
        (has_header && self.fit.inspected == 0).then_some(
            "no record follows its header; if its first line is a record, choose columns by their numbers, as in -f 1",
        )
    }

    /// Returns true if the format has fields, and the whole input is read as one line, because its lines end with CR
    /// only, as on an old Mac.
    fn is_one_line_of_several(&self) -> bool {
        let has_lines =
            matches!(self.job.format.framing(), Framing::Lines | Framing::Csv(_)) && !self.format.is_whole();
        has_lines && memchr(b'\n', self.head).is_none() && memchr(b'\r', self.head.trim_ascii_end()).is_some()
    }

    /// Returns a text for the message: the names of the fields in the first records. If fields have no names, returns
    /// an empty text.
    fn names_there(&self) -> String {
        let candidates = self.job.format.candidates(self.head);
        let names: Vec<&str> = candidates.all.iter().map(|field| field.name.as_str()).collect();
        if names.is_empty() { String::new() } else { format!("; there are {}", listed(&names)) }
    }

    /// If the input lacks the line that names its columns, returns a text for the message. Otherwise returns an empty
    /// text.
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
