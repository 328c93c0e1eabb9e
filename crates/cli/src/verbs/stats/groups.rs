//! Shows the requests in groups (`--by`): spans of time with their errors and attacks, or the paths of each status.

use memchr::memchr;
use serde_json::{Value, json};

use super::{Chart, named, shown};
use crate::report::commas;
use crate::tally::{By, Counts, Span};

/// A span of time: its start, its number of requests, and its errors and attacks.
type Row<'a> = (&'a [u8], u64, &'a Span);

/// Returns the spans of time, the earliest first.
fn spans(counts: &Counts) -> Vec<Row<'_>> {
    let mut spans = counts.spans.most(usize::MAX);
    spans.sort_unstable_by_key(|&(start, ..)| start);
    spans
}

/// A status: its text, its number of requests, and its most frequent paths with their counts.
struct Status<'a> {
    text: &'a [u8],
    requests: u64,
    /// The number of different paths.
    distinct: usize,
    paths: Vec<(&'a [u8], u64)>,
}

/// Returns the `top` most frequent statuses in ascending order, each with its `top` most frequent paths.
fn statuses(counts: &Counts, top: usize) -> Vec<Status<'_>> {
    let frequent = counts.statuses.most(top).into_iter();
    let mut statuses: Vec<Status> =
        frequent.map(|(text, requests, ())| Status { text, requests, distinct: 0, paths: Vec::new() }).collect();
    statuses.sort_unstable_by_key(|status| status.text);
    // The pairs of a status and a path come in the order of their counts, the largest first. So the first `top` paths
    // of a status are its most frequent paths.
    for (pair, count, ()) in counts.paths_of_statuses.most(usize::MAX) {
        let (text, path) = pair.split_at(memchr(0, pair).unwrap_or(pair.len()));
        let Ok(at) = statuses.binary_search_by_key(&text, |status| status.text) else { continue };
        let status = &mut statuses[at];
        status.distinct += 1;
        if status.paths.len() < top {
            status.paths.push((path.get(1..).unwrap_or_default(), count));
        }
    }
    statuses
}

/// Returns a note if counts may be too low.
fn approximate(lost: u64) -> String {
    if lost == 0 { String::new() } else { format!("; counts may be up to {} too low", commas(lost)) }
}

/// Returns the charts of the groups.
pub fn charts(by: By, counts: &Counts, top: usize) -> Vec<Chart> {
    if by == By::Status {
        let lost = approximate(counts.paths_of_statuses.lost());
        let chart = |status: Status| Chart {
            title: format!("Paths with status {}", shown(status.text)),
            bars: status.paths.into_iter().map(|(path, count)| (shown(path), count)).collect(),
            all: status.requests,
            note: format!(" ({}{lost})", commas(status.distinct as u64)),
        };
        return statuses(counts, top).into_iter().map(chart).collect();
    }
    let (spans, name) = (spans(counts), by.name());
    let timeless = match counts.timeless {
        0 => String::new(),
        timeless => format!("; requests without a time: {}", commas(timeless)),
    };
    let note = format!(" ({}{timeless}{})", commas(spans.len() as u64), approximate(counts.spans.lost()));
    let chart = |what: &str, count: &dyn Fn(&Row) -> u64| {
        let bars: Vec<(String, u64)> = spans.iter().map(|row| (shown(row.0), count(row))).collect();
        let all = bars.iter().map(|(_, count)| count).sum();
        Chart { title: format!("{what} by {name}"), bars, all, note: note.clone() }
    };
    let all = [
        chart("Requests", &|&(_, count, _)| count),
        chart("Errors (status 4xx and 5xx)", &|&(.., span)| span.errors),
        chart("Requests with possible attacks", &|&(.., span)| span.attacks),
    ];
    all.into_iter().enumerate().filter(|(at, chart)| *at == 0 || chart.all > 0).map(|(_, chart)| chart).collect()
}

/// Returns the groups as JSON.
pub fn json(by: By, counts: &Counts, top: usize) -> Value {
    let (lost, values): (u64, Vec<Value>) = match by {
        By::Status => {
            let row = |status: Status| {
                let mut row = named(status.text, status.requests);
                let paths = status.paths.into_iter().map(|(path, count)| Value::Object(named(path, count)));
                row.insert("distinct".into(), json!(status.distinct));
                row.insert("paths".into(), paths.collect());
                Value::Object(row)
            };
            (counts.paths_of_statuses.lost(), statuses(counts, top).into_iter().map(row).collect())
        }
        _ => {
            let row = |(start, count, span): Row| {
                let mut row = named(start, count);
                row.insert("errors".into(), json!(span.errors));
                row.insert("attacks".into(), json!(span.attacks));
                Value::Object(row)
            };
            (counts.spans.lost(), spans(counts).into_iter().map(row).collect())
        }
    };
    json!({
        "what": by.name(),
        "exact": lost == 0,
        "too_low_by_at_most": lost,
        "without_time": counts.timeless,
        "values": values,
    })
}
