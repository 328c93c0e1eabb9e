//! Finds the fields with URLs in the first records of an input. The search looks at the names and the values of the
//! fields.
//!
//! A format knows some names of fields with URLs. If an input uses other names, we look at its first records:
//!
//! 1. Some names, such as `page_url`, promise URLs. We take every field with such a name. If some of its values are texts
//!    with URLs, we read only these URLs.
//! 2. We take a field with a name such as `path` if nine of ten values look like URLs, targets or queries.
//! 3. We take a field of any name if nine of ten values are URLs with a scheme and a host. If fewer values are
//!    URLs, or if a URL or a request is in a text, the field is *mixed*: we read its URLs, and leave out all other text.
//! 4. If the fields of 1, and those that the format knows, have no value that is surely a URL, not counting referrers,
//!    we also take fields of other names whose values are surely URLs. If a field has only methods, a path beside each
//!    method is enough, and in columns without names, a query directly after this path.
//! 5. If a record has no URL in these fields, or only a referrer, we take a field with the route of the request, like
//!    `/pets/{id}`.
//!
//! We never take a field such as `$schema`, which names the syntax of the record. If the name of a field hints at files
//! or cookies, 3 and 4 don't take its targets and queries.
//!
//! The search can be wrong in two ways, so it also returns the fields that a user has to check: the fields that look like
//! URLs and are not taken, and the fields that the format knows and that may have paths of files.

use std::cell::Cell;
use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use memchr::memmem;

use super::candidates::{Candidate, Candidates};
use super::format::{Choice, IS_MODULE, Syntax};
use super::role::{Hint, hint, holds_records, is_referrer, member, syntax_of};
use super::shape::{is_absolute, is_object, is_one, is_plain, is_whole_url};
use super::token::{METHODS, request_in};
use super::urls;
use super::values::{Judgement, is_absent, is_file, is_number, is_path, is_sure, is_text, judge, words};

/// The maximum number of paths that we search for in other fields.
const MOST: usize = 100;
/// The maximum number of values that all these searches, and those for URLs, read. A document can have very many values.
const MOST_READ: usize = 1 << 24;

impl Candidate {
    /// Returns the hint that the name gives about the values.
    #[inline(never)]
    pub(super) fn hint(&self) -> Hint {
        // Without cells, the module is smaller.
        let found = || hint(&self.name);
        if IS_MODULE { found() } else { *self.hint.get_or_init(found) }
    }

    /// Returns the judgement about the values, or `None` if they are no URLs, targets or queries.
    #[inline(never)]
    pub(super) fn judgement(&self) -> Option<Judgement> {
        let found = || judge(&mut self.values.iter().map(|(_, value)| value.as_slice()));
        if IS_MODULE { found() } else { *self.judgement.get_or_init(found) }
    }

    /// Returns true if the values are URLs, targets or queries, and at least one value has a sign that only URLs have.
    pub(super) fn is_sure(&self) -> bool {
        self.judgement().is_some_and(|judgement| judgement.is_sure)
    }

    /// Returns the values with the numbers of their records. Leaves out placeholders, for example `-`.
    fn present(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let all = self.values.iter().map(|(record, value)| (*record, value.as_slice()));
        all.filter(|(_, value)| !is_absent(value))
    }

    /// Returns true if `is_it` returns true for at least `tenths` of ten values. Placeholders don't count.
    fn at_least(&self, tenths: usize, is_it: &dyn Fn(&[u8]) -> bool) -> bool {
        let (mut hits, mut all) = (0, 0);
        for (_, value) in self.present() {
            hits += usize::from(is_it(value));
            all += 1;
        }
        hits > 0 && 10 * hits >= tenths * all
    }

    /// Returns true if at least one value is a URL with a scheme and a host, or a text that contains a URL or a request.
    pub(super) fn is_mixed(&self) -> bool {
        let hint = self.hint();
        let has_urls = matches!(hint, Hint::Maybe | Hint::Unknown);
        let has_texts = has_urls || matches!(hint, Hint::Route | Hint::Other);
        let is_it = |value: &[u8]| {
            if is_whole_url(value) { has_urls && is_absolute(value) } else { has_texts && has_url(value) }
        };
        self.values.iter().any(|(_, value)| is_it(value))
    }

    /// Returns true if at least one value is a text that contains a URL or a request. A request line is no text.
    fn has_text(&self) -> bool {
        let version = b" HTTP/1.1".len();
        let is_request =
            |value: &[u8]| request_in(value).is_some_and(|(target, _)| target.end + version >= value.len());
        let is_text = |value: &[u8]| {
            let has_headers = || request_in(value).is_some();
            (!is_one(value) || has_headers()) && !is_request(value) && has_url(value)
        };
        // In a field whose name promises URLs, `uri=http://h/a` is no query.
        let syntax = || if self.hint() == Hint::Url { syntax_of(self.last_name()) } else { self.syntax() };
        self.values.iter().any(|(_, value)| is_text(value)) && syntax() != Syntax::Query
    }

    /// Returns true if all values are numbers or paths of Windows, or if the name promises a query and all values are names of
    /// hosts, as in logs of DNS.
    fn has_no_urls(&self) -> bool {
        let is_query = syntax_of(self.last_name()) == Syntax::Query;
        // `C:\x` is the path of a file.
        let is_no_url =
            |value: &[u8]| is_number(value) || is_query && is_host(value) || matches!(value, [_, b':', b'\\', ..]);
        self.at_least(10, &is_no_url)
    }

    /// Returns true if the name is one word that doesn't promise URLs, such as `location`, and all values are other text. In a
    /// field such as `reqPath`, the same values are paths: Akamai writes no slash before them. If the name promises a query, returns true
    /// if all values are statements of a database.
    fn has_only_text(&self) -> bool {
        if syntax_of(self.last_name()) == Syntax::Query {
            return self.at_least(10, &is_statement);
        }
        let is_word = self.name.trim_start_matches('/').bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        is_word && self.hint() == Hint::Maybe && self.at_least(10, &is_text)
    }

    /// Returns true if the field has the elements of arrays, and no value has a slash. An example is the `path` of a request in
    /// Postman, a list of segments.
    fn is_list_of_words(&self) -> bool {
        self.name.ends_with("/*") && !self.values.iter().any(|(_, value)| value.contains(&b'/'))
    }

    /// Returns true if the values are paths, and no value has a sign that only URLs have. `requests` are the records with a
    /// method. If a method is beside a path, the path is a target.
    fn may_be_files(&self, requests: &[bool]) -> bool {
        let is_path = |found: Judgement| found.syntax == Syntax::Target && !found.is_sure;
        self.hint() != Hint::Url && self.judgement().is_some_and(is_path) && !self.is_target_of(requests)
    }

    /// Returns true if the values are paths of files: they [may be](Self::may_be_files), and at least half of them start with a
    /// folder of an operating system.
    pub(super) fn has_files(&self, requests: &[bool]) -> bool {
        self.at_least(5, &is_file) && self.may_be_files(requests)
    }

    /// Returns the records in which the field has a value. Placeholders don't count.
    fn records(&self) -> impl Iterator<Item = usize> {
        self.present().map(|(record, _)| record)
    }

    /// Returns true if at least nine of ten values are request methods. If so, a target in another field of the record
    /// belongs to the same request.
    fn is_method(&self) -> bool {
        self.at_least(9, &|value| METHODS.contains(&value))
    }

    /// Returns true if the values are targets in the records for which `requests` is true.
    fn is_target_of(&self, requests: &[bool]) -> bool {
        let values = self.values.iter().filter(|(record, _)| requests.get(*record) == Some(&true));
        judge(&mut values.map(|(_, value)| value.as_slice())).is_some_and(|found| found.syntax == Syntax::Target)
    }

    /// Returns true for a column that is named by its number.
    fn is_nameless(&self) -> bool {
        self.name.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Returns the name of the member or column.
    fn last_name(&self) -> &str {
        member(&self.name)
    }

    /// Returns the syntax of the field. If the name doesn't decide the syntax, the values do.
    fn syntax(&self) -> Syntax {
        match syntax_of(self.last_name()) {
            Syntax::Reference => self.judgement().map_or(Syntax::Reference, |judgement| judgement.syntax),
            syntax => syntax,
        }
    }

    /// Returns true if, in some record, the value of one of the fields `others` is a part of this field's value.
    pub(super) fn has_value_of<'a>(&self, mut others: impl Iterator<Item = &'a Candidate>) -> bool {
        let texts: HashMap<usize, &[u8]> = self.present().collect();
        let is_in = |(record, value): (usize, &[u8])| texts.get(&record).is_some_and(|text| is_part(value, text));
        others.any(|other| other.present().any(is_in))
    }

    /// Returns true if this field lacks a record in which `other` has a value. The value would be lost if we read only
    /// the records in this field.
    pub(super) fn lacks_record_of(&self, other: &Candidate) -> bool {
        other.records().any(|record| self.values.iter().all(|(known, _)| *known != record))
    }

    /// Returns true if at least half of the values are JSON objects. Loki writes each object beside its time, as an array of two
    /// strings.
    pub(super) fn has_objects(&self) -> bool {
        self.at_least(5, &is_object)
    }

    /// Returns true if the name promises an ID. Azure writes the ID of a resource as a path.
    fn is_id(&self) -> bool {
        self.last_name().to_ascii_lowercase().ends_with("id")
    }

    /// Returns true if some value has a sign that only URLs have, or if the values are paths. If the name gives no hint, paths of
    /// files don't count.
    pub(super) fn looks_like_url(&self) -> bool {
        // IIS has decoded the path in `cs-uri-stem`.
        let is_no_url = self.is_id() || self.last_name().to_ascii_lowercase().ends_with("stem");
        let is_path = || self.judgement().is_some_and(|found| found.syntax == Syntax::Target);
        let has_path = match self.hint() {
            Hint::Maybe => is_path(),
            Hint::Unknown => is_path() && !self.has_files(&[]),
            _ => return false,
        };
        !is_no_url && (has_path || self.values.iter().any(|(_, value)| is_sure(value)))
    }

    /// Returns true if the name hints at URLs, and at least half of the values are relative paths without a sign of a URL.
    pub(super) fn has_relative_paths(&self) -> bool {
        let is_relative = |value: &[u8]| {
            let is_start = value.first().is_some_and(u8::is_ascii_alphanumeric) && !value.starts_with(b"refs/");
            is_start && value.contains(&b'/') && value.iter().any(u8::is_ascii_alphabetic) && is_plain(value)
        };
        self.hint() == Hint::Maybe && self.at_least(5, &is_relative)
    }

    /// Returns true if the values are texts or JSON objects, and some text has a path that no other field of the record
    /// has. `all` are all fields. If `may_search` returns false, the path counts as one that no other field has.
    fn has_own_paths(&self, all: &[Candidate], may_search: &dyn Fn() -> bool) -> bool {
        let is_known = |record: usize, path: &[u8]| {
            may_search()
                && all
                    .iter()
                    .filter(|other| other.name != self.name)
                    .flat_map(|other| &other.values)
                    .any(|(there, value)| *there == record && memmem::find(value, path).is_some())
        };
        let holds_records = holds_records(&self.name);
        let has_text = |value: &[u8]| holds_records || is_object(value);
        let texts = self.values.iter().filter(|(_, value)| has_text(value));
        let all = texts
            .flat_map(|(record, value)| words(value).filter(|word| is_path(word)).map(move |path| (*record, path)));
        // A record can have many texts, and the search for each path takes time.
        all.take(MOST).any(|(record, path)| !is_known(record, path))
    }

    /// Returns true if the field only repeats URLs: each URL in its texts is in another field of the same record, or contains
    /// the value of a field with a URL. `others` are the other fields, with true for a field with URLs. If `may_search` returns
    /// false, the URL counts as one that isn't repeated.
    fn repeats(&self, others: &[(&Candidate, bool)], may_search: &dyn Fn() -> bool) -> bool {
        self.values.iter().all(|(record, text)| {
            let is_known = |url: &[u8]| {
                may_search()
                    && others.iter().any(|(other, is_url)| {
                        let mut values = other.values.iter().filter(|(there, _)| there == record);
                        // The referrer `http://h/` is a part of other URLs.
                        let has_part = |value: &[u8]| match is_absolute(value) {
                            true => url.strip_prefix(value).is_some_and(|rest| rest.starts_with(b"?")),
                            false => is_part(value, url),
                        };
                        values.any(|(_, value)| value == url || is_part(url, value) || *is_url && has_part(value))
                    })
            };
            urls_in(text).all(|range| is_known(&text[range]))
        })
    }

    fn is_referrer(&self) -> bool {
        is_referrer(self.last_name())
    }
}

/// Returns true if `text` contains `value`, which is longer than a byte and no placeholder.
fn is_part(value: &[u8], text: &[u8]) -> bool {
    value.len() > 1 && !is_absent(value) && memmem::find(text, value).is_some()
}

/// Returns true for a name of a host with a dot, such as `h.example`.
fn is_host(text: &[u8]) -> bool {
    text.contains(&b'.') && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// Returns true for a statement such as `select * from x where y = ?`: a blank follows a word of letters. In a query, the first word
/// has a `=`.
fn is_statement(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let len = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    len > 0 && text.get(len).is_some_and(u8::is_ascii_whitespace)
}

/// Returns the bounds of the URLs and targets in `text`.
fn urls_in(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    iter::successors(urls::next(text, 0), |(range, _)| urls::next(text, range.end)).map(|(range, _)| range)
}

/// Returns true if `text` contains a URL with a scheme, or a request line. URLs of files, as in stack traces, don't count.
fn has_url(text: &[u8]) -> bool {
    let is_it = |url: &[u8]| is_absolute(url) && !url.starts_with(b"file:");
    urls_in(text).any(|range| is_it(&text[range.clone()]) || text[range.end..].starts_with(b" HTTP/"))
}

/// The fields with URLs that we found. The fields that the format knows are not among them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The choice of these fields. In its [texts](Choice::texts), fields that the format knows may be among them.
    pub choice: Choice,
    pub doubts: Doubts,
}

/// The facts that a user has to check.
#[derive(Debug, Default)]
pub struct Doubts {
    /// The names of the fields whose names alone were not enough: we found these fields with the help of their values.
    pub by_value: Vec<String>,
    /// The number of further fields with URLs. The format has no room for them.
    pub left_out: usize,
    /// The names of the fields that look like URLs, and that are not taken.
    pub unread: Vec<String>,
    /// The names of the fields that the format knows, and that are not taken, because their values are text.
    pub texts: Vec<String>,
    /// The names of the fields that the format knows, and that may have paths of files: no value has a sign that only URLs
    /// have, and no method is beside them.
    pub doubtful: Vec<String>,
    /// The URLs outside of the fields. For example, the log of a framework has lines between the requests.
    pub outside: Outside,
}

/// The first records that have a URL outside of their fields.
#[derive(Debug, Default)]
pub struct Outside {
    /// The number of these records.
    pub records: usize,
    /// The number of those that the format doesn't read. Of the other lines of a framework, only lines with a request count.
    pub skipped: usize,
    /// If the format reads lines of any form, and if each of these records has its path in the same [word](super::words), the number
    /// of this word.
    pub word: Option<usize>,
}

impl Candidates {
    /// Returns `names`, the fields that the format knows, without the fields that have no URLs in these records.
    pub(super) fn usual<'a>(&self, names: &'a [String]) -> Vec<&'a str> {
        let requests = self.records_with(&Candidate::is_method);
        let has_no_urls =
            |field: &Candidate| field.has_no_urls() || field.has_only_text() || field.has_files(&requests);
        let is_other =
            |name: &str| self.all.iter().any(|field| field.name.eq_ignore_ascii_case(name) && has_no_urls(field));
        names.iter().map(String::as_str).filter(|name| !is_other(name)).collect()
    }

    /// Returns a list with true at the number of each record in which one of the chosen fields has a value.
    fn records_with(&self, is_chosen: &dyn Fn(&Candidate) -> bool) -> Vec<bool> {
        let mut records = Vec::new();
        for record in self.all.iter().filter(|field| is_chosen(field)).flat_map(Candidate::records) {
            if records.len() <= record {
                records.resize(record + 1, false);
            }
            records[record] = true;
        }
        records
    }

    /// Returns up to `most` fields with URLs. Leaves out the fields for which `is_known` returns true, because the
    /// format chooses them by itself. If `has_mixed` is false, leaves out mixed fields, too.
    pub(super) fn find(&self, is_known: &dyn Fn(&str) -> bool, most: usize, has_mixed: bool) -> Found {
        // The records with a method.
        let requests = self.records_with(&Candidate::is_method);
        let is_named = |field: &Candidate| is_known(&field.name) || field.hint() == Hint::Url;
        // In a list of redirects, a path in `source` leads to the URL in `destination`.
        let is_end = |field: &Candidate| {
            ["destination", "target"].contains(&&*field.last_name().to_ascii_lowercase()) && field.judgement().is_some()
        };
        let redirects = self.records_with(&is_end);
        let is_source = |field: &Candidate| {
            ["source", "from"].contains(&&*field.last_name().to_ascii_lowercase()) && field.is_target_of(&redirects)
        };
        let is_query = |pair: &&[Candidate]| {
            let has_query = || pair[1].judgement().is_some_and(|found| found.syntax == Syntax::Query);
            !IS_MODULE && pair[1].is_nameless() && pair[0].is_target_of(&requests) && has_query()
        };
        let queries: Vec<&str> = self.all.windows(2).filter(is_query).map(|pair| pair[1].name.as_str()).collect();
        let looks_at_values = !self.all.iter().any(|field| is_named(field) && !field.is_referrer() && field.is_sure());
        let is_taken = |field: &Candidate| match field.hint() {
            Hint::Url => !field.has_no_urls() && !field.has_only_text() && !field.is_list_of_words(),
            _ if field.has_files(&requests) => false,
            Hint::Maybe if field.judgement().is_some() => true,
            Hint::Other | Hint::Client if field.syntax() != Syntax::Reference => false,
            Hint::Route => field.judgement().is_some_and(|found| found.is_absolute),
            Hint::Syntax => false,
            _ if is_source(field) => true,
            _ => {
                let is_sure = |found: Judgement| found.is_absolute || looks_at_values && found.is_sure;
                let is_target =
                    || !field.is_id() && field.is_target_of(&requests) || queries.contains(&field.name.as_str());
                field.judgement().is_some_and(is_sure) || looks_at_values && is_target()
            }
        };
        let is_url = |field: &Candidate| is_known(&field.name) || is_taken(field);
        let has_urls = |field: &Candidate| is_url(field) && !field.is_referrer() && field.judgement().is_some();
        let with_url = self.records_with(&has_urls);
        let has_url = self.all.iter().any(is_url);
        let is_found = |field: &Candidate| {
            let is_route = || field.hint() == Hint::Route && field.judgement().is_some();
            is_taken(field) || is_route() && field.records().any(|record| with_url.get(record) != Some(&true))
        };
        let (read, all) = (Cell::new(0), self.all.iter().map(|field| field.values.len()).sum::<usize>());
        let may_search = || IS_MODULE || read.replace(read.get() + all) < MOST_READ;
        // If only the record of another program has URLs, its format is a better choice than its URLs. If it repeats the
        // URL of another field, we leave it out, too.
        let is_record = |field: &Candidate| {
            holds_records(&field.name)
                && (!has_url || {
                    let others = self.all.iter().filter(|other| !holds_records(&other.name));
                    field.repeats(&others.map(|other| (other, is_url(other))).collect::<Vec<_>>(), &may_search)
                })
        };
        let is_mixed = |field: &Candidate| has_mixed && field.is_mixed() && !is_record(field);
        let (mut choice, mut doubts) = (Choice { is_found: true, ..Choice::default() }, Doubts::default());
        let is_any = |field: &&Candidate| !is_known(&field.name) && (is_found(field) || is_mixed(field));
        let mut unknown: Vec<_> = self.all.iter().filter(is_any).collect();
        // If there is no room for all fields, we leave out the fields that the fewest records have.
        doubts.left_out = unknown.len().saturating_sub(most);
        while unknown.len() > most
            && let Some(fewest) = unknown.iter().map(|field| field.values.len()).min()
        {
            for at in (0..unknown.len()).rev() {
                if unknown.len() > most && unknown[at].values.len() == fewest {
                    unknown.remove(at);
                }
            }
        }
        for field in unknown {
            let (judgement, is_named, is_found) = (field.judgement(), is_named(field), is_found(field));
            // A field with a path beside each method.
            let is_target = !is_named && is_found && judgement.is_none();
            let syntax = if is_target { Syntax::Target } else { field.syntax() };
            // If some values of the field are no targets, they are text, such as the name of a total.
            let has_others = judgement.is_some_and(|found| found.has_others) && !is_named;
            choice.fields.push(field.name.clone());
            choice.syntaxes.push((field.name.clone(), syntax));
            doubts.by_value.extend((!IS_MODULE && !is_named).then(|| field.name.clone()));
            if !is_found || has_mixed && syntax == Syntax::Target && (is_target || has_others) {
                choice.mixed.push(field.name.clone());
            }
        }
        for field in &self.all {
            let (is_known, is_found) = (is_known(&field.name), is_found(field));
            if has_mixed && (is_known || is_found && choice.fields.contains(&field.name)) && field.has_text() {
                choice.texts.push(field.name.clone());
            }
            let is_read = || is_known && !field.has_files(&requests) || is_found || is_mixed(field);
            let is_likely = || !is_record(field) && field.looks_like_url() || field.has_relative_paths();
            if !IS_MODULE && !is_read() && (is_likely() || field.has_own_paths(&self.all, &may_search)) {
                doubts.unread.push(field.name.clone());
            } else if !IS_MODULE && is_known && field.has_only_text() && !field.has_no_urls() {
                doubts.texts.push(field.name.clone());
            } else if !IS_MODULE && is_known && field.may_be_files(&requests) {
                doubts.doubtful.push(field.name.clone());
            }
        }
        Found { choice, doubts }
    }
}

impl Found {
    /// Returns the doubts. If the fields with text are in `choice`, or if `choice` is `None`, they are read, so they are no doubt.
    pub fn doubts_beside(self, choice: Option<&Choice>) -> Doubts {
        let mut doubts = self.doubts;
        let is_left_out = |name: &String| {
            choice.is_some_and(|choice| !choice.fields.iter().any(|field| field.eq_ignore_ascii_case(name)))
        };
        doubts.texts.retain(is_left_out);
        doubts
    }

    /// Returns a choice of the found fields and of the fields in `usual`. If no field was found, and if the format itself
    /// chooses the fields in `usual` (`is_usual`), returns `None`.
    pub fn with<'a>(&self, usual: impl Iterator<Item = &'a str>, is_usual: bool) -> Option<Choice> {
        let is_needed = !is_usual || !self.choice.fields.is_empty() || !self.choice.texts.is_empty();
        let fields = usual.map(str::to_string).chain(self.choice.fields.iter().cloned()).collect();
        is_needed.then(|| Choice { fields, ..self.choice.clone() })
    }
}
