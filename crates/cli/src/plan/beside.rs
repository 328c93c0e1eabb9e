//! Puts results beside their fields, under the name that `--to` gives.

use std::collections::HashSet;

use percent_simd_records::formats::{
    ExtraField, Field, Format, Kind, Layout, Rule, Schema, json_each_key, json_push, json_string_end,
};
use percent_simd_records::guard::Guard;
use percent_simd_records::transform::Transform;

use super::pass::Pass;
use crate::chunk::Stop;

/// The place of results: a new member of the object, or a new column.
pub enum Beside {
    /// The name of the member for the result of each field.
    Member(Vec<String>),
    /// `titles` has the text that a header gets for the result of each field.
    Column { before: Vec<u8>, after: Vec<u8>, titles: Vec<Vec<u8>>, absent: &'static str },
}

impl Beside {
    /// Returns the place for results. The name of a result is `to`, with `{}` replaced by the name of its field.
    ///
    /// # Errors
    ///
    /// Returns a message if `format` has no place for results, or if all fields would get the same name.
    pub fn new(format: &dyn Format, to: &str) -> Result<Beside, String> {
        let Schema { names, rules, .. } = format.schema();
        let results = names.iter().map(|name| to.replace("{}", name));
        match format.extra_field() {
            ExtraField::Nowhere if format.is_whole() => {
                Err("pct: --to needs records to which a field can be added; name a --format".into())
            }
            ExtraField::Nowhere => Err(
                "pct: --to can't add a field to records of this format; leave it out, or write columns by `pct cut`"
                    .into(),
            ),
            ExtraField::Member => Ok(Beside::Member(results.collect())),
            // If the format has a header, we don't know yet which of the fields exist.
            ExtraField::Column { .. } if names.len() > 1 && !to.contains("{}") && !format.has_header() => Err(format!(
                "pct: `--to {to}` is one name for {} fields; put {{}} in it to give each its own name, as in --to '{{}}_decoded'",
                names.len()
            )),
            ExtraField::Column { before, after, header, absent } => {
                // In a header, a name is written like a value of its column. A format with a header has a rule for each
                // column.
                let title = |(name, rule): (String, &Rule)| {
                    let (mut guarded, mut title) = (Vec::new(), header.clone());
                    Guard::new(rule.keep).push(&name, &mut guarded);
                    rule.wrap.write(&guarded, b"", &mut title);
                    title
                };
                let titles = results.zip(rules.iter().cycle()).map(title).collect();
                Ok(Beside::Column { before, after, titles, absent })
            }
        }
    }

    /// Appends the names of the new columns to a header.
    pub fn push_header(&self, pass: &mut Pass) {
        let Beside::Column { titles, .. } = self else { return };
        for (_, title) in titles.iter().enumerate().filter(|(choice, _)| pass.layout.has(*choice)) {
            pass.out.extend(title);
        }
    }

    /// Appends the results for the fields of the record at `start`. If the name of a result is already taken, returns the reason to
    /// stop.
    pub fn push(&self, transforms: &[Transform], pass: &mut Pass, start: usize, body: &[u8]) -> Option<Stop> {
        let (fields, values) = (std::mem::take(&mut pass.fields), std::mem::take(&mut pass.values));
        let push = |pass: &mut Pass, at: usize| {
            let effects = &mut pass.outcome.stats.effects;
            transforms[fields[at].rule].extra_field(&values[at], &mut pass.scratch.text, pass.out, effects);
        };
        let mut stop = None;
        match self {
            Beside::Member(names) => {
                pass.outcome.fit.unplaced += fields.iter().filter(|field| field.object.is_none()).count() as u64;
                let objects = fields.iter().map(|field| (field.range.start, field.choice, field.object));
                stop = taken(body, objects, names).map(|(at, text)| Stop::Taken(start + at, text));
                for (at, field) in
                    fields.iter().enumerate().filter(|(_, field)| field.object.is_some() && stop.is_none())
                {
                    // The new member starts after the quote that ends the string. A target may end before it.
                    let len = json_string_end(&body[field.range.end..]).unwrap_or_default();
                    pass.copy_to(start + field.range.end + len + 1);
                    pass.out.extend(b",\"");
                    json_push(&names[field.choice], pass.out);
                    pass.out.extend(b"\":\"");
                    push(pass, at);
                    pass.out.push(b'"');
                }
            }
            Beside::Column { before, after, absent, titles } => {
                pass.copy_to(start);
                let from = pass.out.len();
                pass.copy_to(start + body.len());
                let end = pass.out.len();
                let choices: Vec<_> = (0..titles.len()).filter(|&choice| pass.layout.has(choice)).collect();
                for choice in &choices {
                    pass.out.extend(before);
                    match fields.iter().position(|field| field.choice == *choice) {
                        Some(at) => push(pass, at),
                        None => pass.out.extend(absent.bytes()),
                    }
                    pass.out.extend(after);
                }
                if !reads_back(pass, &fields, body, from, &choices) {
                    pass.out.truncate(end);
                    pass.outcome.fit.unplaced += fields.len() as u64;
                }
            }
        }
        (pass.fields, pass.values) = (fields, values);
        stop
    }
}

/// Returns true if the format reads the new record, which starts at `from` in the output, with the same values as before, and
/// each result in a column of its own. A short record may be read with its results in the place of its missing fields.
fn reads_back(pass: &Pass, fields: &[Field], body: &[u8], from: usize, choices: &[usize]) -> bool {
    let new = &pass.out[from..];
    if pass.format.is_whole() || new.is_empty() {
        return true;
    }
    let mut layout = pass.layout.clone();
    let width = layout.width;
    layout.width = width.map(|width| width + choices.len());
    let read = |mut layout: Layout| {
        let mut found = Vec::new();
        let kind = pass.format.find_fields(new, &mut layout, &mut found);
        Some(found).filter(|_| kind == Kind::Data)
    };
    let is_same = |found: Vec<Field>| {
        let values = |fields: &[Field], record: &[u8]| -> Vec<(usize, Vec<u8>)> {
            fields.iter().map(|field| (field.choice, record[field.range.clone()].to_vec())).collect()
        };
        values(&found, new) == values(fields, body)
    };
    let has_results = |width: usize| {
        let mut layout = layout.clone();
        layout.places = choices.iter().enumerate().map(|(at, &choice)| (width + at, choice)).collect();
        layout.places.iter().for_each(|&(at, choice)| layout.columns[choice] = Some(at));
        read(layout).is_some_and(|found| found.len() == choices.len())
    };
    width.is_none_or(has_results) && read(layout.clone()).is_some_and(is_same)
}

/// Finds the first field whose result can't be added, because the name of the result already belongs to a member of the
/// object or to the result of an earlier field. Returns the offset of the field, and a message. Each item of `fields`
/// is the start of a field, its index in `names`, and the offset of its object.
fn taken(
    record: &[u8],
    fields: impl Iterator<Item = (usize, usize, Option<usize>)>,
    names: &[String],
) -> Option<(usize, String)> {
    let (mut objects, mut there, mut new) = (HashSet::new(), HashSet::new(), HashSet::new());
    for (start, choice, object) in fields {
        let Some(object) = object else { continue };
        if objects.insert(object) {
            json_each_key(record, object, |key| {
                if let Some(name) = names.iter().find(|name| name.as_bytes() == key) {
                    there.insert((object, name.as_str()));
                }
            });
        }
        let name = names[choice].as_str();
        let text = if there.contains(&(object, name)) {
            format!("the object already has a member `{name}`; choose another name with --to")
        } else if !new.insert((object, name)) {
            format!(
                "two results in one object would be called `{name}`; put {{}} in --to to give each its own name, or choose one field with -f"
            )
        } else {
            continue;
        };
        return Some((start, text));
    }
    None
}
