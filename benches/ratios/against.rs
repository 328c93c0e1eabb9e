//! Compares a run with the times of an earlier run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use percent_simd_bench::race::Races;
use percent_simd_bench::turns::Spread;

/// Takes the path of a record, and returns the path of the file with the record's times. For each entry of each race,
/// that file has the median and the quartiles, in nanoseconds per pass.
pub fn figures_file(record: &str) -> String {
    format!("{}.tsv", record.strip_suffix(".md").unwrap_or(record))
}

/// Returns the contents of the file that [`figures_file`] names, a line for each entry.
pub fn figures(races: &Races) -> String {
    let mut out = String::from("race\tentry\tlow\tmedian\thigh\n");
    for (race, entry, Spread { low, median, high }) in races.spreads() {
        _ = writeln!(out, "{race}\t{entry}\t{low:.1}\t{median:.1}\t{high:.1}");
    }
    out
}

/// Reads a file with the output of [`figures`].
pub fn read(file: &str) -> Result<BTreeMap<(String, String), Spread>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let [race, entry] = [fields.next()?, fields.next()?].map(String::from);
        let [low, median, high] =
            [fields.next()?, fields.next()?, fields.next()?].map(|field| field.parse::<f64>().ok());
        Some(((race, entry), Spread { low: low?, median: median?, high: high? }))
    };
    let figures: Option<_> = text.lines().skip(1).map(line).collect();
    figures.ok_or_else(|| format!("{file}: not the figures of a run; name a .tsv that `--record` wrote"))
}

/// Lists the entries that became slower or faster by more than the spread of both runs. For these entries, the interval
/// between the quartiles of one run doesn't overlap the interval of the other run.
pub fn compare(races: &Races, kept: &BTreeMap<(String, String), Spread>) -> String {
    let (mut moved, mut compared) = (Vec::new(), 0);
    for (race, entry, now) in races.spreads() {
        let key = (race, entry);
        let Some(then) = kept.get(&key) else { continue };
        compared += 1;
        if now.low > then.high || now.high < then.low {
            moved.push((then.median / now.median, key));
        }
    }
    moved.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slower = moved.iter().filter(|(times, _)| *times < 1.0).count();
    let mut out = format!(
        "{} of {compared} entries moved beyond the spread of both runs: {slower} are slower, {} faster\n\n",
        moved.len(),
        moved.len() - slower,
    );
    for (times, (race, entry)) in moved {
        _ = writeln!(out, "{times:6.2}x as fast  {entry:24} {race}");
    }
    out
}
