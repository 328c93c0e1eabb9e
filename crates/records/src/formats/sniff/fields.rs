//! Adds the fields with URLs in the first records to a recognized format.

use super::{Guess, end_of};
use crate::formats::access;
use crate::formats::candidates::Candidate;
use crate::formats::format::{Choice, IS_MODULE, Row, Use};
use crate::formats::found::{Doubts, Found};
use crate::formats::markup::{self, FEED, XML};
use crate::formats::names::Name;
use crate::formats::role::Hint;
use crate::formats::shape::Sample;
use crate::formats::table::Table;
use crate::formats::words::{self, WORDS};

/// Formats that know some of their fields. In these formats, we also search for other fields by name and by value.
const OPEN: [&str; 26] = [
    "ndjson", "json", "logfmt", "ltsv", "cef", "leef", "pairs", "pino", "ecs", "otel", "kong", "winevent",
    "cloudflare", "akamai", "fastly", "suricata", "gcp", "aws-waf", "azure", "caddy", "traefik", "envoy-json",
    "k8s-audit", "zscaler", "elasticsearch", "akamai-siem",
];

/// Formats whose lines with `#` may name further columns. The WebAssembly module doesn't search these.
const WITH_DIRECTIVES: [&str; 2] = ["w3c", "zeek"];

/// Returns `guess`, and adds the fields in which the first records have URLs, and the charset that markup declares.
pub(super) fn with_fields(guess: Guess, sample: &Sample) -> Guess {
    let is_legacy = markup::is_legacy(sample);
    let mut guess = with_found_fields(guess, sample);
    if is_legacy {
        guess.choice.get_or_insert_default().is_legacy = true;
    }
    guess
}

fn with_found_fields(guess: Guess, sample: &Sample) -> Guess {
    match &guess.name {
        Name::Row(row) if OPEN.contains(&row.name) || !IS_MODULE && WITH_DIRECTIVES.contains(&row.name) => {
            let Ok(format) = (row.build)(&Choice::default()) else { return guess };
            let Ok(known) = (row.build)(&Choice { usage: Use::Read, ..Choice::default() }) else { return guess };
            let candidates = format.candidates(sample.head);
            let is_known = |name: &str| known.has_chosen(name);
            // A query of a request may look like a host, but not like a query of DNS.
            let all = || format.shown_names().iter().map(String::as_str).collect();
            let mut usual = if format.has_header() { all() } else { candidates.usual(format.shown_names()) };
            let is_usual = usual.len() == format.shown_names().len();
            let mut found = candidates.find(&is_known, format.room(), true);
            if found.doubts.left_out > 0 {
                // To make room, we drop the names that the format knows and that the first records don't have.
                let all = usual.len();
                usual.retain(|name| candidates.all.iter().any(|field| field.name.eq_ignore_ascii_case(name)));
                found = candidates.find(&is_known, format.room() + all - usual.len(), true);
            }
            let choice = found.with(usual.into_iter(), is_usual);
            let has_field = choice.is_some() || candidates.all.iter().any(|field| is_known(&field.name));
            Guess { has_field, ..guess.with(found, choice) }
        }
        Name::Row(row) if !IS_MODULE && [XML.name, FEED.name].contains(&row.name) => {
            let others = (row.build)(&Choice::default())
                .map_or_else(|_| Vec::new(), |format| format.candidates(sample.head).all);
            let has_slash = |field: &&Candidate| field.values.iter().any(|(_, value)| value.contains(&b'/'));
            let is_it = |field: &&Candidate| {
                let is_path = || field.looks_like_url() || field.has_relative_paths();
                field.hint() == Hint::Url && has_slash(field) || is_path() || field.is_mixed()
            };
            let unread = others.iter().filter(is_it).map(|field| field.name.clone()).collect();
            Guess { doubts: Doubts { unread, ..guess.doubts }, ..guess }
        }
        Name::Row(row) if row.name == WORDS.name => {
            words::find(sample).or_else(|| words::find_paths(sample)).map_or(guess, in_words)
        }
        Name::Row(row) => match Table::of(row.name, sample.head) {
            Some(table) => in_table(row, &table).unwrap_or_else(|| {
                let mut choice = Choice::default();
                table.describe(&mut choice);
                Guess { choice: Some(choice), ..guess }
            }),
            None => {
                let Some(choice) = access::order(row.name, sample) else { return guess };
                let doubts = Doubts { by_value: choice.fields.last().cloned().into_iter().collect(), ..guess.doubts };
                Guess { choice: Some(choice), doubts, ..guess }
            }
        },
        Name::Nested(envelope, Some(inner)) => {
            let contents = envelope.contents(sample);
            let lines = contents.iter().map(Vec::as_slice).collect();
            let head = [&contents.join(&b'\n'), end_of(sample)].concat();
            let sample = Sample { head: &head, lines };
            let found = with_fields(Guess::of((**inner).clone()), &sample);
            Guess { name: guess.name, ..found }
        }
        _ => guess,
    }
}

pub(super) fn in_words((choice, found): (Choice, Found)) -> Guess {
    Guess::of(Name::Row(&WORDS)).with(found, Some(choice))
}

/// Returns the columns of `table` that hold URLs, as columns of the format `row`. If there are none, returns `None`.
pub(super) fn in_table(row: &'static Row, table: &Table) -> Option<Guess> {
    let format = (row.build)(&Choice::default()).ok()?;
    let candidates = table.candidates();
    let is_known = |name: &str| table.has_header && format.has_chosen(name);
    let found = candidates.find(&is_known, format.room(), table.has_header);
    // The columns with known names come first, in the order of the format. This order matters, because `stats` counts
    // the first URL of a record.
    let is_column = |name: &&str| table.has_header && table.names.iter().any(|there| there.eq_ignore_ascii_case(name));
    let usual = candidates.usual(format.shown_names()).into_iter().filter(is_column);
    // In a table, the names of the format match a column in the same way as the names that we found.
    let mut choice = Choice { is_found: false, ..found.with(usual, false)? };
    if choice.fields.is_empty() {
        return None;
    }
    table.describe(&mut choice);
    Some(Guess::of(Name::Row(row)).with(found, Some(choice)))
}
