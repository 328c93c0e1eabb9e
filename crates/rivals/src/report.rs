//! The page, and its charts.

use std::fmt::Write;
use std::fs;

use crate::chart::{self, Series, number};
use crate::hostile::Verdict;
use percent_simd_bench::Kind;

use crate::peers::{Op, Side};
use crate::race::{Bench, Race, Result};
use crate::runtimes::Runtime;
use crate::{CLEAN, DENSITIES, LENGTHS, LONG, STRINGS, TENTH, TYPICAL};

/// The folder of the charts, beside the page.
pub const CHARTS: &str = "charts";

const OURS: &str = "percent-simd";
const BOTH: [(Op, &str); 2] = [(Op::Encode, "encode"), (Op::Decode, "decode")];

pub struct Report<'a> {
    pub bench: &'a Bench,
    pub runtimes: Vec<Runtime>,
    pub hostile: Vec<Verdict>,
}

/// One operation on one kind of input.
type Cell = (Op, Kind, usize, usize);

fn densities(op: Op) -> Vec<(String, Cell)> {
    let escaped = DENSITIES.map(|percent| (format!("{percent}%"), (op, Kind::Escaped(percent), LONG, 1)));
    escaped.into_iter().chain([("Cyrillic".to_string(), (op, Kind::Cyrillic, LONG, 1))]).collect()
}

fn lengths(op: Op) -> Vec<(String, Cell)> {
    LENGTHS.map(|len| (format!("{len}"), (op, TENTH, len, STRINGS))).into()
}

fn clean(op: Op) -> Vec<(String, Cell)> {
    [16, TYPICAL].map(|len| (format!("{len}, clean"), (op, CLEAN, len, STRINGS))).into()
}

fn text() -> Vec<(String, Cell)> {
    [CLEAN, TENTH, Kind::Cyrillic].map(|kind| (kind.to_string(), (Op::DecodeText, kind, TYPICAL, STRINGS))).into()
}

const FORMS: [(&str, Op); 2] = [("parse", Op::FormParse), ("serialise", Op::FormSerialize)];

fn forms() -> Vec<(String, Cell)> {
    let both = |(name, op)| {
        [("10% escaped", TENTH), ("nothing escaped", CLEAN)]
            .map(|(kind, cell)| (format!("{name}, {kind}"), (op, cell, TYPICAL, STRINGS)))
    };
    FORMS.into_iter().flat_map(both).collect()
}

impl Report<'_> {
    fn race(&self, (op, kind, len, count): Cell) -> std::rc::Rc<Race> {
        self.bench.race(op, kind, len, count)
    }

    /// Returns the participants of these races, in the order of the entries.
    fn names(&self, cells: &[(String, Cell)]) -> Vec<(&'static str, Side)> {
        let mut names = Vec::new();
        for (_, cell) in cells {
            for result in &self.race(*cell).results {
                if !names.contains(&(result.name, result.side)) {
                    names.push((result.name, result.side));
                }
            }
        }
        names
    }

    fn series(&self, cells: &[(String, Cell)], value: impl Fn(&Result) -> f64) -> Vec<Series> {
        let of = |(name, side): (&str, Side)| {
            let values = cells.iter().map(|(_, cell)| self.race(*cell).of(name).map(&value)).collect();
            Series { name: name.to_string(), side, values }
        };
        self.names(cells).into_iter().map(of).collect()
    }

    /// Formats a table with a row for each participant and a column for each cell. The best that is no copy is in bold.
    fn table(&self, head: &str, cells: &[(String, Cell)], less_is_better: bool, value: fn(&Result) -> f64) -> String {
        let best: Vec<f64> = cells
            .iter()
            .map(|(_, cell)| {
                let race = self.race(*cell);
                let values = race.results.iter().filter(|result| result.side != Side::Reference).map(value);
                if less_is_better { values.fold(f64::MAX, f64::min) } else { values.fold(0.0, f64::max) }
            })
            .collect();
        let mut table = format!("| {head} |");
        cells.iter().for_each(|(label, _)| _ = write!(table, " {label} |"));
        table += "\n| --- |";
        cells.iter().for_each(|_| table += " ---: |");
        for (name, _) in self.names(cells) {
            _ = write!(table, "\n| {name} |");
            for ((_, cell), best) in cells.iter().zip(&best) {
                let shown = self.race(*cell).of(name).map_or("".to_string(), |result| match value(result) {
                    value if value == *best => format!("**{}**", number(value)),
                    value => number(value),
                });
                _ = write!(table, " {shown} |");
            }
        }
        table + "\n"
    }

    pub fn charts(&self) -> Vec<(String, String)> {
        let mut charts = Vec::new();
        for (op, name) in BOTH {
            let note = format!("{} KiB, GB/s of input; higher is better; logarithmic", LONG >> 10);
            let cells = densities(op);
            let cells = &cells[..DENSITIES.len()];
            let places: Vec<String> = cells.iter().map(|(label, _)| label.clone()).collect();
            let series = self.series(cells, |result| result.rate);
            let across = "of all bytes are escaped";
            let title = format!("Throughput: {name} a long string");
            charts.push((format!("{name}-density.svg"), chart::lines(&title, &note, across, &places, &series)));

            let note = "nanoseconds per call, 10,000 different strings, 10% escaped; lower is better; logarithmic";
            let cells = lengths(op);
            let places: Vec<String> = cells.iter().map(|(label, _)| label.clone()).collect();
            let series = self.series(&cells, |result| result.ns);
            let title = format!("Time per call: {name} a short string");
            charts.push((format!("{name}-length.svg"), chart::lines(&title, note, "bytes", &places, &series)));

            let note = format!("nanoseconds per call, {TYPICAL} bytes, 10% escaped; shorter is better");
            let series = self.series(&[(String::new(), (op, TENTH, TYPICAL, STRINGS))], |result| result.ns);
            let title = format!("At a glance: {name} a query string");
            charts.push((format!("{name}-bars.svg"), chart::bars(&title, &note, "ns", true, &series)));
        }
        for (name, op) in FORMS {
            let series = self.series(&[(String::new(), (op, TENTH, TYPICAL, STRINGS))], |result| result.ns);
            let note = "nanoseconds per form of six pairs, 10% escaped; shorter is better";
            charts.push((
                format!("form-{name}-bars.svg"),
                chart::bars(&format!("At a glance: {name} a form"), note, "ns", true, &series),
            ));
        }
        charts
    }

    pub fn page(&self) -> String {
        let image = |name: &str, what: &str| format!("![{what}]({CHARTS}/{name}.svg)\n");
        let mut page = format!(
            "# Benchmarks\n\n{}\n{}\n{}\n",
            self.summary(),
            image("encode-bars", "Encoding a string of 100 bytes: a bar for each library"),
            image("decode-bars", "Decoding a string of 100 bytes: a bar for each library"),
        );
        page += HOW_TO_READ;
        for (op, name) in BOTH {
            _ = write!(
                page,
                "\n## Long strings: {name}\n\n{}\n{}",
                image(&format!("{name}-density"), &format!("{name}: GB/s against the density of escapes")),
                self.table(&format!("{name}, GB/s of input"), &densities(op), false, |result| result.rate),
            );
        }
        for (op, name) in BOTH {
            let cells = [lengths(op), clean(op)].concat();
            _ = write!(
                page,
                "\n## Short strings: {name}\n\n{}\n{}",
                image(&format!("{name}-length"), &format!("{name}: nanoseconds per call against the length")),
                self.table(&format!("{name}, ns per call of so many bytes"), &cells, true, |result| result.ns),
            );
        }
        _ = write!(
            page,
            "\n## Text and forms\n\nDecoding {TYPICAL} bytes to text, which has to be UTF-8:\n\n{}\n\
             Forms of six pairs, about {TYPICAL} bytes in all. At 10% two values of three change, and most names do not; in real \
             forms less does. Parsed, each pair is looked at once; serialised, to a fresh string:\n\n{}{}\n{}",
            self.table("decode to text, ns per call", &text(), true, |result| result.ns),
            image("form-parse-bars", "Parsing a form: a bar for each library"),
            image("form-serialise-bars", "Serialising a form: a bar for each library"),
            self.table("ns per form", &forms(), true, |result| result.ns),
        );
        page + &self.memory() + &self.others() + &self.correctness() + &self.not_the_best() + &self.provenance()
    }

    /// Formats how many times as fast this project is as the original, and as the best of the others.
    fn summary(&self) -> String {
        let mut text = String::from(
            "Percent-encoding in Rust, and elsewhere: this project, its drop-in replacements for `percent-encoding` \
             and `form_urlencoded`, their originals, and every peer that could be found. All of it is measured, and this page \
             written, by one command, `scripts/benchmarks`; nothing was edited by hand. What a call adds to a program is \
             in [docs/size.md](docs/size.md).\n\n\
             | percent-simd against | percent-encoding | the best of all others |\n| --- | ---: | --- |\n",
        );
        let mut cells = Vec::new();
        for (op, name) in BOTH {
            cells.push((format!("{name} {TYPICAL} bytes, 10% escaped"), (op, TENTH, TYPICAL, STRINGS)));
            cells.push((format!("{name} {TYPICAL} bytes, nothing escaped"), (op, CLEAN, TYPICAL, STRINGS)));
            cells.push((format!("{name} {} KiB, 10% escaped", LONG >> 10), (op, TENTH, LONG, 1)));
            cells.push((format!("{name} {} KiB, Cyrillic", LONG >> 10), (op, Kind::Cyrillic, LONG, 1)));
        }
        for (label, cell) in cells {
            let race = self.race(cell);
            let Some(ours) = race.of(OURS) else { continue };
            let times = |result: &Result| format!("{}x", number(result.ns / ours.ns));
            let original = race.of("percent-encoding").map(times).unwrap_or_default();
            let peers = race.results.iter().filter(|result| result.side == Side::Peer);
            let best = peers.min_by(|a, b| a.ns.total_cmp(&b.ns));
            let best = best.map(|best| format!("{} ({})", times(best), best.name)).unwrap_or_default();
            _ = writeln!(text, "| {label} | {original} | {best} |");
        }
        text
    }

    fn memory(&self) -> String {
        let mut text = format!(
            "\n## Memory\n\nAllocations of a call, reallocations included, on average over 10,000 strings of {TYPICAL} bytes; the most \
             bytes that one of those calls holds at once, its result included; and the same for one string of {} KiB. 10% \
             are escaped. What C allocates is not counted.\n\n\
             | | encode {TYPICAL} B: allocations | peak bytes | encode long | peak KiB | decode {TYPICAL} B: allocations \
             | peak bytes | decode long | peak KiB |\n| --- |{}\n",
            LONG >> 10,
            " ---: |".repeat(8),
        );
        let cells: Vec<(String, Cell)> = BOTH
            .iter()
            .flat_map(|&(op, _)| [(TYPICAL, STRINGS), (LONG, 1)].map(|(len, n)| (op, TENTH, len, n)))
            .map(|cell| (String::new(), cell))
            .collect();
        for (name, _) in self.names(&cells) {
            if matches!(name, "memcpy" | "libcurl (C)") {
                continue;
            }
            _ = write!(text, "| {name} |");
            for (_, cell) in &cells {
                let shown = self.race(*cell).of(name).map(|result| result.memory);
                let peak = |peak: usize| if cell.2 == LONG { peak >> 10 } else { peak };
                match shown {
                    Some(taken) => _ = write!(text, " {} | {} |", taken.calls, peak(taken.peak)),
                    None => text += " | |",
                }
            }
            text += "\n";
        }
        text
    }

    fn others(&self) -> String {
        if self.runtimes.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "\n## Other languages\n\nTheir own functions on the same inputs, 10% escaped, by their own clocks, after a \
             warm-up; their results are compared with the oracle as everyone's are. They are not in the charts: a call from \
             Rust and one from an interpreter are different things.\n\n\
             | | encode {TYPICAL} B, ns | encode {} KiB, GB/s | decode {TYPICAL} B, ns | decode {0} KiB, GB/s |\n\
             | --- | ---: | ---: | ---: | ---: |\n",
            LONG >> 10,
        );
        let of = |op: Op, long: bool| {
            self.race((op, TENTH, if long { LONG } else { TYPICAL }, if long { 1 } else { STRINGS }))
        };
        let show = |ns: f64, long: bool| number(if long { LONG as f64 / ns } else { ns });
        const COLUMNS: [(Op, bool); 4] =
            [(Op::Encode, false), (Op::Encode, true), (Op::Decode, false), (Op::Decode, true)];
        for name in [OURS, "percent-encoding"] {
            let cells = COLUMNS.map(|(op, long)| of(op, long).of(name).map_or(String::new(), |r| show(r.ns, long)));
            _ = writeln!(text, "| {name} (Rust) | {} |", cells.join(" | "));
        }
        // A name is a language, its version and a function: two of them make a row.
        let mut rows: Vec<(&str, Vec<&Runtime>)> = Vec::new();
        for runtime in &self.runtimes {
            let language = runtime.name.rsplit_once(' ').map_or(&*runtime.name, |(language, _)| language);
            match rows.iter_mut().find(|row| row.0 == language) {
                Some(row) => row.1.push(runtime),
                None => rows.push((language, vec![runtime])),
            }
        }
        for (language, row) in rows {
            let cells = COLUMNS.map(|(op, long)| {
                let Some(found) = row.iter().find(|runtime| runtime.op == op && runtime.long == long) else {
                    return String::new();
                };
                if found.right { show(found.ns, long) } else { "wrong".to_string() }
            });
            let functions: Vec<&str> = [Op::Encode, Op::Decode]
                .iter()
                .filter_map(|op| row.iter().find(|runtime| runtime.op == *op)?.name.rsplit(' ').next())
                .collect();
            _ = writeln!(text, "| {language}: {} | {} |", functions.join(", "), cells.join(" | "));
        }
        text
    }

    fn correctness(&self) -> String {
        let count = self.hostile.first().map_or(0, |verdict| verdict.inputs);
        let mut text = format!(
            "\n## Who is right\n\nBefore anything is timed, all outputs are compared with those of a naive oracle; who is \
             wrong on a kind of input is left out there. Here, {count} inputs full of malformed and torn escapes, \
             overlong and half characters, and what the decoders make of them, in percent. Right is what the URL \
             Standard's percent-decode says; to text, U+FFFD for what is not UTF-8, or an error. Refused is an error for a \
             `%` that starts no escape (fluent-uri: for any character that should have been escaped as well), which is a \
             choice, not a fault. Wrong is neither.\n\n\
             | decode to | | right | refused | wrong | panics |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
        );
        for verdict in &self.hostile {
            let percent = |part: usize| number(100.0 * part as f64 / verdict.inputs.max(1) as f64);
            let Verdict { name, output, right, refused, wrong, panics, .. } = verdict;
            let [right, refused, wrong, panics] = [*right, *refused, *wrong, *panics].map(percent);
            _ = writeln!(text, "| {output} | {name} | {right} | {refused} | {wrong} | {panics} |");
        }
        match &self.bench.wrong()[..] {
            [] => text + "\nOn the inputs that are timed, all of which are well-formed, everyone was right.\n",
            wrong => text + &format!("\nLeft out where they were wrong: {}.\n", wrong.join(", ")),
        }
    }

    /// Lists each cell in which a peer is faster.
    fn not_the_best(&self) -> String {
        let mut text = String::from(
            "\n## Where this project is not the best\n\nEvery case of the tables above in which a peer was faster than \
             percent-simd, called directly, in this run, by more than the spread of the two. (The copies, `memcpy` and `to_owned`, are \
             no peers.)\n\n",
        );
        let mut all = Vec::new();
        for (op, name) in BOTH {
            all.extend(
                densities(op).into_iter().map(|(label, cell)| (format!("{name} {} KiB, {label}", LONG >> 10), cell)),
            );
            all.extend(lengths(op).into_iter().map(|(label, cell)| (format!("{name} {label} bytes, 10%"), cell)));
            all.extend(clean(op).into_iter().map(|(label, cell)| (format!("{name} {label} bytes"), cell)));
        }
        all.extend(text_labels());
        all.extend(forms().into_iter().map(|(label, cell)| (format!("forms: {label}"), cell)));
        let mut none = true;
        for (label, cell) in all {
            let race = self.race(cell);
            let Some(ours) = race.of(OURS) else { continue };
            let beats = |peer: &&Result| peer.ns * (1.0 + (peer.spread + ours.spread) / 100.0) < ours.ns;
            let better: Vec<String> = race
                .results
                .iter()
                .filter(|result| result.side == Side::Peer)
                .filter(beats)
                .map(|peer| format!("{} {}", peer.name, nanoseconds(peer.ns)))
                .collect();
            if !better.is_empty() {
                none = false;
                _ = writeln!(text, "- {label}: {} against {}", better.join(", "), nanoseconds(ours.ns));
            }
        }
        if none {
            text += "None in this run.\n";
        }
        text + NOT_MEASURED
    }

    fn provenance(&self) -> String {
        let lock = include_str!("../Cargo.lock");
        let version = |package: &str| {
            let entry = lock.split("[[package]]").find(|entry| {
                entry.contains(&format!("name = \"{package}\"\n")) && entry.contains("source = \"registry")
            })?;
            entry.split("version = \"").nth(1)?.split('"').next()
        };
        let packages = [
            "percent-encoding",
            "form_urlencoded",
            "urlencoding",
            "url-escape",
            "percent-encoding-rfc3986",
            "fluent-uri",
            "iri-string",
            "pct-str",
            "actix-router",
            "codex-percent",
            "use-percent",
        ];
        let mut versions: Vec<String> =
            packages.iter().filter_map(|package| Some(format!("{package} {}", version(package)?))).collect();
        if cfg!(feature = "ada") {
            versions.extend(version("ada-url").map(|version| format!("ada-url {version}")));
        }
        versions.extend(option_env!("LIBCURL_VERSION").map(|version| format!("libcurl {version}")));
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            cpu.lines().find(|line| line.starts_with(name))?.split_once(": ").map(|(_, value)| value.to_string())
        };
        let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_string());
        let family = field("cpu family").map(|family| format!(" (family {family})")).unwrap_or_default();
        let mut spreads: Vec<f64> =
            [lengths(Op::Encode), lengths(Op::Decode), densities(Op::Encode), densities(Op::Decode)]
                .concat()
                .iter()
                .flat_map(|(_, cell)| self.race(*cell).results.iter().map(|result| result.spread).collect::<Vec<_>>())
                .collect();
        spreads.sort_by(f64::total_cmp);
        let at = |part: f64| spreads.get((part * (spreads.len() - 1) as f64) as usize).copied().unwrap_or_default();
        format!(
            "\n## Machine and versions\n\n{model}{family}, engine `{}`, {}. One thread, the clock of the thread. \
             Medians; the middle half of the rounds of a figure lies within ±{}% of it (median over all figures), ±{}% \
             for nine figures in ten.\n\n{}.\n",
            percent_simd::Engine::active(),
            env!("RUSTC_VERSION"),
            number(at(0.5)),
            number(at(0.9)),
            versions.join(", "),
        )
    }
}

fn text_labels() -> Vec<(String, Cell)> {
    text().into_iter().map(|(label, cell)| (format!("decode {TYPICAL} bytes to text, {label}"), cell)).collect()
}

fn nanoseconds(ns: f64) -> String {
    if ns >= 1e5 { format!("{} µs", number(ns / 1e3)) } else { format!("{} ns", number(ns)) }
}

const HOW_TO_READ: &str = "\
## How to read it

- Everyone gets the same inputs, and everyone's output is right, or they are not in the table. A string has one set of
  characters that stay, RFC 3986's unreserved ones, and no character about which systems differ (spaces, `!~*'()`).
- N% is the chance of each byte to be one that is escaped. Long strings have 1 MiB; short ones are 10,000 different ones,
  so that no branch predictor can learn them.
- GB/s are of *input*. ns are for one call, with what it allocates and frees. Every call gives an owned result, or, where it can
  tell that nothing changes, borrows its input, as `decode` does; `encode` is to an owned string for all.
- `memcpy` copies the input to memory that is there already, `to_owned` to a fresh `String`: floors, not peers. A decoder can be
  faster than both where it borrows.
- The best of a column that is no copy is in bold. Differences of a few percent are noise.

## What is unfair

- One machine. On a CPU without AVX-512 or AVX2 this project uses narrower engines; docs/measured has a column for each of them.
- A peer that is handed text and gives text may check less, or more, than one that is handed bytes: fluent-uri and pct-str
  validate the input first, because that is what their types are for; codex-percent builds a lexer; iri-string and
  percent-encoding write by way of a formatter. They are called as their documentation shows.
- actix-router's Quoter and the drop-in replacements' `to_string` are measured as their callers meet them, not through `Display`.
- C and C++ pay for a call across a boundary, for a zero at the end, and for freeing what they have allocated; ada is built
  for whole URLs. Other languages have strings of their own kinds.
- The inputs are made up. In real URLs most strings have no escape at all, and then everyone is fast.
";

const NOT_MEASURED: &str = "\
\nWhat this page does not show: the size of the binary and the time to compile, of which an engine for each instruction
set takes more than a byte loop; and the minimum Rust version, 1.89 here, which most of the small crates are far below.
";
