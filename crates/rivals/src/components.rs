//! Strings to decode and to encode, and the components of real URLs.

use percent_simd_bench::decoded;

/// Strings of one kind, to decode and to encode.
pub struct Corpus {
    pub name: String,
    /// The encoded strings, for operations that decode.
    pub escaped: Vec<String>,
    /// The decoded strings, for operations that encode.
    pub plain: Vec<String>,
}

impl Corpus {
    /// Creates a corpus of the components. Leaves out components that don't decode to UTF-8.
    pub fn of_components(name: String, mut escaped: Vec<String>) -> Corpus {
        escaped.retain(|component| String::from_utf8(decoded(component.as_bytes())).is_ok());
        let plain =
            escaped.iter().filter_map(|component| String::from_utf8(decoded(component.as_bytes())).ok()).collect();
        Corpus { name, escaped, plain }
    }

    /// Describes the lengths of the strings, and how many have a `%` or a `+`.
    pub fn describe(&self) -> String {
        let mut lengths: Vec<usize> = self.escaped.iter().map(String::len).collect();
        lengths.sort_unstable();
        let at = |part: f64| lengths[(part * (lengths.len() - 1) as f64) as usize];
        let share = |byte| {
            let with = self.escaped.iter().filter(|component| component.contains(byte)).count();
            100.0 * with as f64 / self.escaped.len() as f64
        };
        format!(
            "{}: {} of {} bytes in the median, {} at the 90th percentile, {} at the 99th; {:.1}% hold a `%`, {:.1}% a `+`",
            self.name,
            self.escaped.len(),
            at(0.5),
            at(0.9),
            at(0.99),
            share('%'),
            share('+'),
        )
    }
}

/// Returns the components of the URLs in `text`. The text is an access log, or has one URL on each line.
pub fn components(name: &str, text: &str) -> Vec<Corpus> {
    let [mut segments, mut names, mut values] = [const { Vec::new() }; 3];
    for line in text.lines() {
        let url = match line.split_once("] \"") {
            Some((_, request)) => request.split(' ').nth(1).unwrap_or_default(),
            None => line.trim_start_matches('\u{FEFF}').trim(),
        };
        let url = url.split('#').next().unwrap_or_default();
        let target = url.split_once("://").map_or(url, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        segments.extend(path.split('/').filter(|segment| !segment.is_empty()));
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            names.push(name);
            values.push(value);
        }
    }
    let kinds = [("segments", segments), ("query names", names), ("query values", values)];
    kinds
        .map(|(kind, list)| {
            Corpus::of_components(format!("{name} {kind}"), list.iter().map(ToString::to_string).collect())
        })
        .into()
}
