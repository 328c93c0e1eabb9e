//! Finds fields that the user named in two ways, for example by number and by name.
//!
//! A value of a record belongs to only one of the chosen fields, so the other one has no values. To find it, we build the
//! format for each field alone, and compare the places of its values.

use std::collections::{HashMap, HashSet};

use percent_simd_records::formats::{Choice, Field, Format, Name, build};

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
    let (mut layout, mut fields, mut all, mut at) = (format.layout(), Vec::new(), Vec::new(), 0);
    let inner = format.inner();
    for _ in 0..most {
        let record = format.framing().first(&head[at..]);
        if record.len == 0 {
            break;
        }
        format.find_fields(&head[at..at + record.body], &mut layout, &mut fields);
        for Field { choice, range, rule, .. } in fields.drain(..) {
            let (start, end) = (at + range.start, at + range.end);
            let Some(inner) = &inner else {
                all.push(((start, end), choice));
                continue;
            };
            let Some(text) = format.schema().rules[rule].wrap.read(&head[start..end]) else { continue };
            let text = text.strip_suffix(b"\n").unwrap_or(&text);
            let mut own = Vec::new();
            inner.find_fields(text, &mut inner.layout(), &mut own);
            all.extend(own.iter().map(|field| ((start + field.range.start, start + field.range.end), field.choice)));
        }
        at += record.len;
    }
    all
}
