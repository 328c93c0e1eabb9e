//! Finds the URLs that `pct` leaves out, so that it can report them. `auto` chooses fields by the first records of an input. A later
//! record may have a URL in another field, and a framework may write a line with a URL between the records.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use percent_simd_records::formats::{Candidates, Field, Format, has_whole_url, is_absolute};

/// The maximum number of records of a chunk whose fields are searched, because the search takes time.
const MOST: usize = 32;
/// The maximum number of names.
const NAMES: usize = 1000;

/// URLs that aren't read.
#[derive(Clone, Debug, Default)]
pub struct Later {
    /// The names of the fields. An input may have a new name in every record, so we keep only some of them.
    pub fields: BTreeSet<String>,
    searched: usize,
    /// True if a line that is no record has a URL.
    pub has_line: bool,
    lines: u64,
}

/// Returns true if the record or line `number` of a chunk, from 1, is searched: the first 256, and every eighth of the others. So the
/// search takes little time.
pub fn is_due(number: u64) -> bool {
    number <= 256 || number.is_multiple_of(8)
}

/// Returns true if `record` has `http:` or `https:` at the start of a value, but outside of `fields`. The fields must be in the order
/// of the record. Otherwise returns false.
pub fn has_url(record: &[u8], fields: &[Field]) -> bool {
    static HTTP: LazyLock<Finder> = LazyLock::new(|| Finder::new("http"));
    let mut rest = fields;
    let is_unread = |at: usize| {
        let after = &record[at + 4..];
        let is_url = after.strip_prefix(b"s").unwrap_or(after).starts_with(b":");
        let is_first = at > 0 && b"\"'=:".contains(&record[at - 1]);
        while rest.first().is_some_and(|field| field.range.end <= at) {
            rest = &rest[1..];
        }
        is_url && is_first && rest.first().is_none_or(|field| at < field.range.start)
    };
    HTTP.find_iter(record).any(is_unread) && fields.is_sorted_by_key(|field| field.range.start)
}

/// Returns the names of the fields in `candidates` that have a URL and aren't chosen.
pub fn unread(candidates: Candidates, format: &dyn Format) -> impl Iterator<Item = String> {
    // A text may start with a URL.
    let is_url = |value: &[u8]| is_absolute(value) && !value.iter().any(u8::is_ascii_whitespace);
    let has_url = move |values: &[(usize, Vec<u8>)]| values.iter().any(|(_, value)| is_url(value));
    let all = candidates.all.into_iter().filter(move |field| has_url(&field.values) && !format.has_chosen(&field.name));
    all.map(|field| field.name)
}

impl Later {
    /// Adds the fields of `record` that have a URL and aren't chosen.
    pub fn search(&mut self, format: &dyn Format, record: &[u8]) {
        self.searched += 1;
        if self.searched > MOST {
            return;
        }
        self.fields.extend(unread(format.candidates(record), format));
    }

    /// Searches `line`, which is no record, for a URL.
    pub fn search_line(&mut self, line: &[u8]) {
        self.lines += 1;
        let is_searched = !self.has_line && is_due(self.lines) && !line.starts_with(b"#");
        self.has_line |= is_searched && has_whole_url(line);
    }

    pub fn add(&mut self, other: &Later) {
        self.has_line |= other.has_line;
        self.fields.extend(other.fields.iter().cloned());
        while self.fields.len() > NAMES {
            self.fields.pop_last();
        }
    }
}
