//! Compares the counts of the inputs with the counts of an earlier log (`--against`).

use serde_json::{Map, Value, json};

use super::{Chart, named, printable_line, shown};
use crate::report::commas;
use crate::tally::{Summary, Top};
use crate::user_formats::attacks::Kinds;

/// The counts of the earlier log.
pub struct Against {
    pub name: String,
    pub summary: Summary,
}

/// Names that the earlier log doesn't have, the most frequent first.
struct New<'a> {
    what: &'static str,
    /// Each name, its count, and a bit for each kind of attack that is new for this name.
    names: Vec<(&'a [u8], u64, u64)>,
    /// If true, a table of the earlier log dropped rare names. So the earlier log may have had some of `names`.
    is_approximate: bool,
}

impl Against {
    fn all<'a>(&self, now: &'a Summary) -> [New<'a>; 3] {
        let names = |what, now: &'a Top<()>, then: &Top<()>| New {
            what,
            names: now
                .most(usize::MAX)
                .into_iter()
                .filter(|(name, ..)| then.get(name).is_none())
                .map(|(name, count, ())| (name, count, 0))
                .collect(),
            is_approximate: then.lost() > 0,
        };
        let then = &self.summary;
        let attacks = now.paths.most(usize::MAX).into_iter().filter_map(|(path, count, about)| {
            let known = then.paths.get(path).map_or(0, |about| about.kinds);
            let kinds = about.kinds & !known;
            (kinds != 0).then_some((path, count, kinds))
        });
        [
            names("paths", &now.counts.paths, &then.counts.paths),
            names("parameters", &now.counts.parameters, &then.counts.parameters),
            New { what: "attacks", names: attacks.collect(), is_approximate: then.paths.lost() > 0 },
        ]
    }

    /// Returns a chart for each kind of new names.
    pub fn charts(&self, now: &Summary, top: usize) -> Vec<Chart> {
        let chart = |new: New| {
            let label = |(name, count, kinds): (&[u8], u64, u64)| {
                let kinds: Vec<&str> = Kinds::get().of(kinds).map(|kind| &*kind.title).collect();
                match kinds.is_empty() {
                    true => (shown(name), count),
                    false => (printable_line(&format!("{}: {}", kinds.join(", "), shown(name))), count),
                }
            };
            let some = if new.is_approximate { ", or rare there" } else { "" };
            let note = format!(" ({}, not in {}{some})", commas(new.names.len() as u64), printable_line(&self.name));
            let bars = new.names.into_iter().take(top).map(label).collect();
            Chart { title: format!("New {}", new.what), bars, all: now.counts.requests, note }
        };
        self.all(now).into_iter().map(chart).collect()
    }

    pub fn json(&self, now: &Summary, top: usize) -> Value {
        let mut all = Map::from_iter([("against".to_string(), json!(self.name))]);
        for new in self.all(now) {
            let distinct = new.names.len();
            let row = |(name, count, kinds): (&[u8], u64, u64)| {
                let mut row = named(name, count);
                if kinds != 0 {
                    row.insert("kinds".into(), Kinds::get().of(kinds).map(|kind| &*kind.name).collect());
                }
                Value::Object(row)
            };
            let values: Vec<Value> = new.names.into_iter().take(top).map(row).collect();
            let member = json!({ "exact": !new.is_approximate, "distinct": distinct, "values": values });
            all.insert(new.what.into(), member);
        }
        Value::Object(all)
    }
}
