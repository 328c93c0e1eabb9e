//! Recognizes the format of an input by its first lines.

mod fields;
mod suggest;

use std::cell::OnceCell;
use std::sync::Arc;

use memchr::{memchr, memmem};

use self::fields::{in_table, in_words, with_fields};
pub use self::suggest::{log_or_table, mistaken, suggest};
use super::advice::unrecognized;
use super::candidates::Candidate;
use super::format::{Choice, Field, Format, IS_MODULE, Kind, Row, decoded_names};
use super::found::{Doubts, Found};
use super::inside::OUTER;
use super::logfmt::LOGFMT;
use super::names::{FORMATS, Name, build};
use super::nested::{ENVELOPES, Envelope};
use super::outside::{misses_urls, outside};
use super::role::{Hint, holds_records};
use super::shape::{Sample, first_records, with_signs};
use super::table::{TABLES, Table};
use super::urls::{self, URLS};
use super::user::UserFormat;
use super::values::judge;
use super::whole::TEXT;
use super::words::{self, WORDS};
use crate::framing::Framing;

/// A recognized format.
#[derive(Debug)]
pub struct Guess {
    /// The format.
    pub name: Name,
    /// The fields in which we found URLs. If the format itself knows its fields with URLs, this is `None`.
    pub choice: Option<Choice>,
    /// The facts that a user has to check.
    pub doubts: Doubts,
    /// False if the format also looks for fields by their values, but no field of the first records is chosen.
    pub has_field: bool,
}

impl Guess {
    /// Returns a guess without a choice of fields and without doubts.
    pub fn of(name: Name) -> Guess {
        Guess { name, choice: None, doubts: Doubts::default(), has_field: true }
    }

    /// Returns the guess, and adds the choice with the fields in `found`.
    fn with(self, found: Found, choice: Option<Choice>) -> Guess {
        Guess { doubts: found.doubts_beside(choice.as_ref()), choice, ..self }
    }

    /// Returns `asked`, the choice of the user. If the user left a part of the choice open, takes this part from the
    /// choice that we found.
    pub fn complete(&self, asked: &Choice) -> Choice {
        let Some(found) = &self.choice else { return asked.clone() };
        let is_open = asked.fields.is_empty();
        let mut fields = if is_open { found.fields.clone() } else { asked.fields.clone() };
        // Without found fields, the format itself adds its decoded fields.
        if let Name::Row(row) = &self.name
            && is_open
            && !fields.is_empty()
        {
            let decoded = decoded_names(row.fields, asked).into_iter().map(str::to_string);
            let decoded: Vec<_> = decoded.filter(|name| !fields.contains(name)).collect();
            fields.extend(decoded);
        }
        Choice {
            fields,
            width: found.width.filter(|_| is_open),
            is_found: found.is_found && is_open,
            header: asked.header.or(found.header.filter(|_| is_open)),
            syntaxes: found.syntaxes.clone(),
            mixed: if is_open { found.mixed.clone() } else { Vec::new() },
            texts: if is_open { found.texts.clone() } else { Vec::new() },
            preamble: found.preamble,
            is_exact: found.is_exact,
            is_padded: found.is_padded,
            is_quoted: found.is_quoted,
            client_first: found.client_first,
            is_legacy: found.is_legacy,
            ..asked.clone()
        }
    }
}

/// Returns the format `name` for an input that starts with `head`. If `name` is `Auto` or lacks an inner format,
/// recognizes the missing format. If the format doesn't know which of its fields hold URLs, also returns the fields
/// with URLs that we found.
///
/// # Errors
///
/// Returns a message: why the format is unknown, and what the user can do. The caller prints the name of the input
/// directly before the message.
pub fn resolve(name: &Name, head: &[u8], users: &[Arc<UserFormat>]) -> Result<Guess, String> {
    let mut guess = recognize(name, head, users)?;
    // If the user has named a format, we trust it. If fields are reported, one message is enough.
    if !IS_MODULE && guess.name != *name && guess.doubts.unread.is_empty() {
        let choice = guess.choice.clone().unwrap_or_default();
        guess.doubts.outside = outside(&guess.name, &choice, head);
        // The log also has lines of another form.
        if guess.doubts.outside.skipped > 0
            && choice.fields.is_empty()
            && let Some(name) = guess.name.or_urls()
            && build(&name, &choice).is_ok()
        {
            guess.doubts.outside = outside(&name, &choice, head);
            guess.name = name;
        }
    }
    Ok(guess)
}

/// Does the same as [`resolve`], but doesn't look for URLs outside of the fields.
fn recognize(name: &Name, head: &[u8], users: &[Arc<UserFormat>]) -> Result<Guess, String> {
    let first = resolve_sample(name, &Sample::new(head), users);
    let format_of = |guess: &Guess| build(&guess.name, &guess.choice.clone().unwrap_or_default()).ok();
    let format = first.as_ref().ok().and_then(format_of);
    let framing = format.as_ref().map_or(Framing::Lines, |format| format.framing());
    let is_open = framing == Framing::Lines && !format.as_ref().is_some_and(|format| format.has_header());
    let is_found = first.as_ref().is_ok_and(|guess| guess.has_field);
    if is_found && !is_open {
        return first;
    }
    let signs = with_signs(framing, head, !is_open);
    let records = first_records(framing, &signs);
    let read = |format: &dyn Format| records.iter().filter(|(_, record)| has_field(format, record)).count();
    let count = format.as_deref().filter(|_| is_found).map_or(0, read);
    let is_any = !IS_MODULE && first.as_ref().is_ok_and(|first| is_any_line(first.name.innermost()));
    if is_found && !is_any && 2 * count >= records.len() {
        return first;
    }
    // Few of the records with a sign of a URL have a field. If a server writes other lines when it starts, as nginx in a
    // container does, the later records are in another format.
    let is_better = |later: &Guess| {
        let is_same = first.as_ref().is_ok_and(|first| first.name == later.name);
        let reads_more = || format_of(later).as_deref().map_or(0, read) > count;
        later.has_field && (is_same && !is_found || is_open && !is_any_text(&later.name) && reads_more())
    };
    // Each line of the head may have such a sign.
    let later = |lines: &[u8]| (lines != head).then(|| resolve_sample(name, &Sample::new(lines), users).ok())?;
    if let Some(later) = later(&signs).filter(is_better) {
        return Ok(later);
    }
    if !is_any {
        return first;
    }
    // If the first lines are text of any form with URLs, the format of later requests must read these URLs, too.
    let with_first = |later: Guess| {
        let format = format_of(&later).filter(|_| !is_any_text(later.name.innermost()))?;
        let is_new = !Sample::new(head).lines.iter().any(|line| has_field(&*format, line));
        let reads_all = |later: &Guess| format_of(later).as_deref().map_or(0, read) >= count;
        if !is_new || reads_all(&later) {
            return Some(later).filter(|_| is_new);
        }
        Some(Guess { name: later.name.or_urls()?, ..later }).filter(reads_all)
    };
    let lines = signs.split_inclusive(|&byte| byte == b'\n');
    let requests = lines.filter(|line| memmem::find(line, b" HTTP/").is_some()).collect::<Vec<_>>().concat();
    later(&requests).and_then(with_first).map_or(first, Ok)
}

/// Returns true if `record` fits `format`, and has at least one of its fields.
fn has_field(format: &dyn Format, record: &[u8]) -> bool {
    let mut fields = Vec::new();
    let is_record = format.fields(record, &mut format.layout(), &mut fields) == Kind::Data && !fields.is_empty();
    let has_record = |inner: &dyn Format| {
        fields.iter().any(|field| {
            let value = format.schema().rules[field.rule].wrap.read(&record[field.range.clone()]);
            value.is_some_and(|value| has_field(inner, value.strip_suffix(b"\n").unwrap_or(&value)))
        })
    };
    is_record && format.inner().is_none_or(|inner| has_record(&*inner))
}

fn resolve_sample(name: &Name, sample: &Sample, users: &[Arc<UserFormat>]) -> Result<Guess, String> {
    match name {
        Name::Auto { or_text } => match guess(sample, users, DEEPEST) {
            // A user who accepts `text` wants the escapes outside of URLs to be decoded, too.
            Some(guess) if !*or_text || guess.name != Name::Row(&URLS) => Ok(guess),
            _ if *or_text || sample.lines.is_empty() => Ok(text()),
            _ => Err(unrecognized(sample)),
        },
        Name::Nested(envelope, None) => guess_inside(envelope, sample, users, DEEPEST).ok_or_else(|| {
            format!("the content of {} has no known format; name its format, as in {0}:combined", envelope.name)
        }),
        Name::Inside { row, field, inner: None } => guess_in_field(row, sample, users, DEEPEST, true, Some(field))
            .ok_or_else(|| {
                format!(
                    "the field `{field}` has no records of a known format; name their format, as in {}:combined",
                    name.text()
                )
            }),
        name => Ok(with_fields(Guess::of(name.clone()), sample)),
    }
}

/// Returns true for a format that any text may fit.
fn is_any_text(name: &Name) -> bool {
    *name == Name::Row(&TEXT) || is_any_line(name)
}

/// Returns true if a record of `head` is a record of the format `row`, or if a line names the columns of this format. If objects of
/// JSON are among other text, most of the records must fit. An object may end after `head`, but not in the first line.
fn fits(row: &Row, head: &[u8]) -> bool {
    let Ok(format) = (row.build)(&Choice::default()) else { return true };
    let framing = format.framing();
    let (end, is_json) = match framing {
        Framing::Lines if !format.has_header() => (head.len(), false),
        Framing::Json => (framing.whole(head), true),
        _ => return true,
    };
    let line = &head[..memchr(b'\n', head).unwrap_or(head.len())];
    if end == 0 {
        return !line.trim_ascii_end().ends_with(b"}");
    }
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"[],".contains(byte);
    let rest = &head[end..];
    let has_rest = memchr(b'{', rest).is_none() && !rest.iter().all(is_between);
    let (mut layout, mut hits, mut all) = (format.layout(), 0, usize::from(has_rest));
    for (_, record) in first_records(framing, &head[..end]) {
        let kind = format.fields(record, &mut layout, &mut Vec::new());
        hits += usize::from(kind == Kind::Data);
        all += usize::from(matches!(kind, Kind::Data | Kind::Unrecognized));
    }
    all == 0 || if is_json { 2 * hits > all } else { hits > 0 }
}

/// Returns true for a format that `auto` chooses only if no other format fits.
fn is_any_line(name: &Name) -> bool {
    [&WORDS, &URLS].iter().any(|row| *name == Name::Row(row))
}

fn text() -> Guess {
    Guess::of(Name::Row(&TEXT))
}

/// The maximum number of fields in which we look for records.
const MOST_FIELDS: usize = 64;

/// The maximum number of nested envelopes that `auto` recognizes.
const DEEPEST: usize = 4;

/// Returns the format of an input. Recognizes at most `depth` envelopes, one inside the other.
fn guess(sample: &Sample, users: &[Arc<UserFormat>], depth: usize) -> Option<Guess> {
    if memchr(0, sample.head).is_some() && memchr(b'\n', sample.head).is_none() {
        return Some(Guess::of(Name::Null));
    }
    if let Some(format) = users.iter().find(|format| format.sniff(sample)) {
        return Some(Guess::of(Name::User(Arc::clone(format))));
    }
    let nested = |is_vague: bool| {
        let mut envelopes = ENVELOPES.iter().filter(|envelope| envelope.is_vague == is_vague && depth > 0);
        envelopes.find_map(|envelope| {
            let found = (envelope.sniff)(sample).then(|| guess_inside(envelope, sample, users, depth - 1))??;
            // If the rest of the line is only recognized as one of these formats, the text before it is possibly no envelope.
            let is_any = matches!(&found.name, Name::Nested(_, Some(inner)) if is_any_line(inner));
            let is_none = is_any && envelope.has_text() || is_vague && !found.has_field;
            let has_any = |format: &dyn Format| sample.lines.iter().any(|line| has_field(format, line));
            // Records in an envelope can't have a header. So if the format has a header, `build` returns an error.
            let format = build(&found.name, &found.choice.clone().unwrap_or_default()).ok().filter(|_| !is_none)?;
            (!is_vague || format.has_header() || has_any(&*format)).then_some(found)
        })
    };
    let row = |is_last: bool| {
        // The records in a field or an envelope may be of any form, so there the first format stays.
        let is_it = |row: &&&Row| (row.sniff)(sample) && (is_last || depth < DEEPEST || fits(row, sample.head));
        let row = *FORMATS.iter().find(is_it)?;
        let in_field = |is_any| guess_in_field(row, sample, users, depth, is_any, None);
        let guess = || with_fields(Guess::of(Name::Row(row)), sample);
        match in_field(false).unwrap_or_else(guess) {
            guess if guess.has_field => {
                Some(guess).filter(|guess| !misses_urls(&guess.name, guess.choice.as_ref(), sample))
            }
            // Text of any kind may have a `=`. So we choose `logfmt` without URLs only if no other format fits.
            _ if row.name == LOGFMT.name && !is_last => None,
            guess => Some(in_field(true).unwrap_or(guess)),
        }
    };
    let table = || {
        let (row, table) = best_table(sample)?;
        let in_field = |is_any| guess_in_field(row, sample, users, depth, is_any, None);
        in_field(false).or_else(|| in_table(row, &table)).or_else(|| in_field(true))
    };
    let words = || Some(in_words(words::find(sample)?));
    let urls = |is_any| urls::fits(sample, is_any).then(|| Guess::of(Name::Row(&URLS)));
    let last = || (depth == DEEPEST).then(|| row(true))?;
    let paths = || words::find_paths(sample).map(in_words);
    let any = || table().or_else(words).or_else(|| urls(false)).or_else(last).or_else(|| urls(true)).or_else(paths);
    nested(false).or_else(|| row(false)).or_else(|| nested(true)).or_else(any)
}

/// Returns the format of the records inside `envelope`. The envelope may contain up to `depth` more envelopes.
fn guess_inside(
    envelope: &'static Envelope,
    sample: &Sample,
    users: &[Arc<UserFormat>],
    depth: usize,
) -> Option<Guess> {
    let found = guess_lines(&envelope.contents(sample), end_of(sample), users, depth)?;
    Some(Guess { name: Name::Nested(envelope, Some(Box::new(found.name))), ..found })
}

/// Returns the end of the last line in `sample`. If this line may be cut off, the end is empty.
fn end_of(sample: &Sample) -> &'static [u8] {
    let is_cut = sample.lines.last().is_none_or(|last| sample.head.ends_with(last));
    if is_cut { b"" } else { b"\n" }
}

/// Returns the format of the records `lines`. `end` follows the last of them. If it is empty, this record counts as cut
/// off.
fn guess_lines(lines: &[Vec<u8>], end: &[u8], users: &[Arc<UserFormat>], depth: usize) -> Option<Guess> {
    let head = [&lines.join(&b'\n'), end].concat();
    guess(
        &Sample { head: &head, lines: lines.iter().map(Vec::as_slice).filter(|line| !line.is_empty()).collect() },
        users,
        depth,
    )
}

/// Returns the format of the records inside a field of `row`: the field with the name `asked`, or else a field whose name often
/// belongs to records. If no other field has URLs, it may also be a field with a JSON object in each value. For example, Azure
/// writes the members of a request into the text `properties`.
///
/// If other fields have parts of the inner record as their values, we choose these fields instead. For example,
/// Logstash keeps the line of an access log in `message`, and copies the target of this line to another member.
///
/// If `is_any` is true, the inner record may also be a line of any form with a URL.
fn guess_in_field(
    row: &'static Row,
    sample: &Sample,
    users: &[Arc<UserFormat>],
    depth: usize,
    is_any: bool,
    asked: Option<&str>,
) -> Option<Guess> {
    if !OUTER.contains(&row.name) || depth == 0 {
        return None;
    }
    let outer = (row.build)(&Choice::default()).ok()?;
    let table = Table::of(row.name, sample.head);
    let candidates = table.as_ref().map_or_else(|| outer.candidates(sample.head), Table::candidates);
    let has_url = |field: &&Candidate| outer.has_chosen(&field.name) || field.hint() == Hint::Url;
    // A document can have very many fields, so we look at each field once.
    let with_url: Vec<&Candidate> = candidates.all.iter().filter(has_url).collect();
    let no_texts = OnceCell::new();
    let is_no_text = |field: &&Candidate| has_url(field) || field.looks_like_url() || field.is_mixed();
    // A column can also be chosen by its number.
    let number_of = |name: &str| Some(1 + table.as_ref()?.names.iter().position(|known| known == name)?);
    let is_it = |field: &&Candidate| {
        let name = field.name.as_str();
        let Some(asked) = asked else {
            let others = || candidates.all.iter().filter(is_no_text).collect::<Vec<_>>();
            let is_only = || no_texts.get_or_init(others).iter().all(|other| other.name == name);
            return holds_records(name) || field.has_objects() && is_only();
        };
        let is_number = || number_of(name).is_some_and(|number| number.to_string() == asked);
        name.trim_start_matches('/').eq_ignore_ascii_case(asked) || is_number()
    };
    candidates.all.iter().filter(is_it).take(MOST_FIELDS).find_map(|field| {
        let others = || with_url.iter().copied().filter(|other| other.name != field.name);
        if field.has_value_of(others()) || others().any(|other| field.lacks_record_of(other)) {
            return None;
        }
        let records = field.values.iter().map(|(_, value)| value.strip_suffix(b"\n").unwrap_or(value).to_vec());
        let records: Vec<_> = records.filter(|record| !record.is_empty()).take(20).collect();
        let mut found = guess_lines(&records, b"\n", users, depth - 1)?;
        let mut choice = found.choice.clone().unwrap_or_default();
        match &table {
            Some(table) => table.describe(&mut choice),
            None => (choice.header, choice.preamble) = (None, 0),
        }
        // If the value is only recognized as any text, it is possibly no record.
        let inner = build(&found.name, &choice)
            .ok()
            .filter(|inner| !inner.is_whole() && (is_any || !is_any_text(&found.name)))?;
        // Beside other URLs, a member with a name such as `query` is no sign of a record. Its value decides.
        let has_other = !IS_MODULE && inner.inner().is_none() && others().any(|other| other.judgement().is_some());
        let has_field = |record: &Vec<u8>| {
            let mut fields = Vec::new();
            let kind = inner.find_fields(record, &mut inner.layout(), &mut fields);
            let is_it = |field: &Field| {
                let value = inner.schema().rules[field.rule].wrap.read(&record[field.range.clone()]);
                !has_other || value.is_some_and(|value| judge(&mut [&*value].into_iter()).is_some())
            };
            kind == Kind::Data && fields.iter().any(is_it)
        };
        let name = field.name.trim_start_matches('/');
        // In `OUTER/FIELD:INNER`, a colon in the name of the field would end the name too early. So we use the number
        // of the column.
        let number = number_of(name).filter(|_| name.contains(':'));
        let name = number.map_or_else(|| name.to_string(), |number| number.to_string());
        let name = Name::Inside { row, field: name, inner: Some(Box::new(found.name)) };
        let fits = records.iter().any(has_field) && build(&name, &choice).is_ok();
        // The other fields can't be chosen, because only the records in this field are read.
        let others = || others().filter(|other| other.judgement().is_some()).map(|other| other.name.clone());
        if !IS_MODULE {
            found.doubts.unread.extend(others());
        }
        fits.then_some(Guess { name, choice: Some(choice), doubts: found.doubts, has_field: found.has_field })
    })
}

/// Returns the format and the first rows of a table with a column that holds URLs or records. If more than one
/// delimiter gives a table, chooses the table with the most columns.
fn best_table(sample: &Sample) -> Option<(&'static Row, Table)> {
    let row_of = |name: &str| FORMATS.iter().find(|row| row.name == name).copied();
    let tables = TABLES.into_iter().filter_map(|(name, delimiter)| {
        let (row, table) = (row_of(name)?, Table::read(sample.head, delimiter, 2).filter(Table::is_sure)?);
        let has_records = table.names.iter().any(|name| holds_records(name))
            || table.candidates().all.iter().any(Candidate::has_objects);
        (has_records || in_table(row, &table).is_some()).then_some((row, table))
    });
    let best = tables.rev().max_by_key(|(_, table)| (!table.is_doubtful, table.width));
    // A list with a header is a table with one column. If the cells of this table have no quotes, they may contain
    // commas.
    best.or_else(|| {
        let name = if sample.head.starts_with(b"\"") { "csv" } else { "tsv" };
        let row = row_of(name)?;
        let table = Table::of(row.name, sample.head).filter(|table| table.width == 1 && table.has_header)?;
        let is_list = table.candidates().all.iter().all(|column| column.is_sure());
        is_list.then_some((row, table))
    })
}
