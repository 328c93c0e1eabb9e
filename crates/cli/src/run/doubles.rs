//! Finds fields that the user named in two ways, for example by number and by name.
//!
//! A value of a record belongs to only one of the chosen fields, so the other one has no values. To find it, we build the
//! format for each field alone, and compare the places of its values.

use std::collections::{HashMap, HashSet};

use percent_simd_records::formats::{Choice, Field, Format, Layout, Name, build};

/// About how many records we read for all fields together.
const READ: usize = 1000;

/// Returns the fields of `choice` whose values belong to another field. `format` is the format `name`, built for
/// `choice`, and `head` is the start of the input. Each item has the indexes of two fields. The first field has the
/// values, and the second doesn't.
pub fn doubles(name: &Name, choice: &Choice, format: &dyn Format, head: &[u8]) -> Vec<(usize, usize)> {
    if choice.fields.len() < 2 || format.is_whole() {
        return Vec::new();
    }
    let most = 1 + READ / choice.fields.len();
    let all = places(format, head, most);
    let owners: HashMap<_, _> = all.iter().copied().collect();
    let all: HashSet<_> = all.into_iter().collect();
    let is_double = |at: usize| {
        let alone = build(name, &Choice { fields: vec![choice.fields[at].clone()], ..choice.clone() }).ok()?;
        let found = places(&*alone, head, most);
        found
            .iter()
            .filter(|(place, _)| !all.contains(&(*place, at)))
            .find_map(|(place, _)| Some((*owners.get(place)?, at)))
    };
    (0..choice.fields.len()).filter_map(is_double).collect()
}

/// Returns the place of each value in the first `most` records of `head`, and the index of its field. If the values are
/// records of an inner format, returns the values of these records.
fn places(format: &dyn Format, head: &[u8], most: usize) -> Vec<((usize, usize), usize)> {
    let (mut layout, mut all, mut at) = (format.layout(), Vec::new(), 0);
    for _ in 0..most {
        let record = format.framing().first(&head[at..]);
        if record.len == 0 {
            break;
        }
        add_places(format, &head[at..at + record.body], at, &mut layout, &mut all);
        at += record.len;
    }
    all
}

/// Adds the places of the values in `record`, which starts at `at`.
fn add_places(
    format: &dyn Format,
    record: &[u8],
    at: usize,
    layout: &mut Layout,
    all: &mut Vec<((usize, usize), usize)>,
) {
    let mut fields = Vec::new();
    format.find_fields(record, layout, &mut fields);
    for Field { choice, range, rule, .. } in fields {
        let Some(inner) = format.inner() else {
            all.push(((at + range.start, at + range.end), choice));
            continue;
        };
        let Some(text) = format.schema().rules[rule].wrap.read(&record[range.clone()]) else { continue };
        let text = text.strip_suffix(b"\n").unwrap_or(&text);
        add_places(&*inner, text, at + range.start, &mut inner.layout(), all);
    }
}
