//! Writes BENCHMARKS.md. `scripts/charts` draws its charts from the tables.

pub mod urls;

use std::fmt::Write;
use std::fs;

use percent_simd_bench::{Kind, Op, Side};

use crate::hostile::Verdict;
use crate::race::{Bench, Race, Result};
use crate::runtimes::Runtime;
use crate::{CLEAN, DENSITIES, LENGTHS, LONG, RUST, STRINGS, TENTH, TYPICAL};

/// The folder of the charts. The path is relative to the page.
const CHARTS: &str = "docs/charts";

const OURS: &str = "percent-simd";
const BOTH: [(Op, &str); 2] = [(Op::Encode, "encode"), (Op::Decode, "decode")];

pub struct Report<'a> {
    pub bench: &'a Bench,
    pub runtimes: Vec<Runtime>,
    pub hostile: Vec<Verdict>,
}

/// A column of a table: the measured operation, and the kind, the length and the number of its inputs.
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
    [CLEAN, TENTH, Kind::Cyrillic].map(|kind| (kind.to_string(), (Op::DecodeUtf8, kind, TYPICAL, STRINGS))).into()
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

    /// Returns the names of all entries in the comparisons of `cells`, each name once, in the order of the entries.
    fn names(&self, cells: &[(String, Cell)]) -> Vec<String> {
        let mut names = Vec::new();
        for (_, cell) in cells {
            for result in &self.race(*cell).results {
                if !names.contains(&result.name) {
                    names.push(result.name.clone());
                }
            }
        }
        names
    }

    /// Formats a table with a row for each entry and a column for each cell. The best value of a column is bold. The
    /// entry that only copies its input is never bold.
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
        for name in self.names(cells) {
            _ = write!(table, "\n| {name} |");
            for ((_, cell), best) in cells.iter().zip(&best) {
                let shown = self.race(*cell).of(&name).map_or("".to_string(), |result| match value(result) {
                    value if value == *best => format!("**{}**", number(value)),
                    value => number(value),
                });
                _ = write!(table, " {shown} |");
            }
        }
        table + "\n"
    }

    pub fn page(&self) -> String {
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
            "\n## Text and forms\n\nThese calls decode {TYPICAL} bytes to text, and check that it is UTF-8:\n\n{}\n\
             A form has six pairs, about {TYPICAL} bytes in total. At 10%, two of three values have an escape, and most names \
             have none. Real forms have fewer escapes. After parsing, each pair is read once. A form is serialised to a new \
             string:\n\n{}{}\n{}",
            self.table("decode to text, ns per call", &text(), true, |result| result.ns),
            image("form-parse-bars", "Parsing a form: a bar for each library"),
            image("form-serialise-bars", "Serialising a form: a bar for each library"),
            self.table("ns per form", &forms(), true, |result| result.ns),
        );
        page + &self.memory()
            + &self.others()
            + urls::recorded()
            + &self.correctness()
            + &self.not_the_best()
            + WATCH
            + &self.provenance()
    }

    /// Formats the first table of the page. It compares the speed of this project with the speeds of percent-encoding and of the
    /// fastest peer.
    fn summary(&self) -> String {
        let mut text = String::from(
            "This page compares libraries for percent-encoding in Rust and elsewhere: this project, its drop-in \
             replacements for `percent-encoding` and `form_urlencoded`, the originals, and every other library that \
             we found. `scripts/benchmarks` measures all of them and writes this page. [docs/size.md](docs/size.md) \
             shows how many bytes a call adds to a program.\n\n\
             | percent-simd, times as fast as | percent-encoding | the fastest other library |\n| --- | ---: | --- |\n",
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
            "\n## Memory\n\nThe table shows how often a call allocates or reallocates memory, and its peak: \
             the most bytes that it holds at one time, including its result. Inputs are strings of {TYPICAL} \
             bytes and one string of {} KiB, 10% escaped. For short strings, the number is the average over 10,000 \
             strings, and the peak is the highest of all. Allocations of C are not counted.\n\n\
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
        for name in self.names(&cells) {
            if matches!(&*name, "memcpy" | "libcurl (C)") {
                continue;
            }
            _ = write!(text, "| {name} |");
            for (_, cell) in &cells {
                let shown = self.race(*cell).of(&name).map(|result| result.memory);
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
            "\n## Other languages\n\nThese are the functions of other languages, on the same inputs, 10% escaped. \
             Each language times them by its own clock after a warm-up. Their results are compared with the oracle \
             too. They have charts of their own, because a call from an interpreter can't be compared with a call from \
             Rust.\n\n{}{}\n\
             | | encode {TYPICAL} B, ns | encode {} KiB, GB/s | decode {TYPICAL} B, ns | decode {2} KiB, GB/s |\n\
             | --- | ---: | ---: | ---: | ---: |\n",
            image("languages-encode-bars", "Encoding in other languages: a bar for each"),
            image("languages-decode-bars", "Decoding in other languages: a bar for each"),
            LONG >> 10,
        );
        let rust = |name: &str, op: Op, size: &str| {
            let (len, count) = if size == "long" { (LONG, 1) } else { (TYPICAL, STRINGS) };
            Some(self.race((op, TENTH, len, count)).of(name)?.ns)
        };
        let columns = [Op::Encode, Op::Decode].map(|op| ["short", "long"].map(|size| (op, size))).concat();
        let show = |ns: f64, size: &str| number(if size == "long" { LONG as f64 / ns } else { ns });
        text += &languages(&columns, &self.runtimes, rust, show);
        text + "\n[The speed of `pct`](docs/pct/speed.md) compares the program `pct` with grep and awk.\n\n"
            + &image("pct-search-bars", "pct beside grep and awk: a bar for each")
    }

    fn correctness(&self) -> String {
        let count = self.hostile.first().map_or(0, |verdict| verdict.inputs);
        let mut text = format!(
            "{RIGHT}\nBefore the measurement, all outputs are compared with those of a naive oracle. If \
             a library is wrong on a kind of input, it is not in the table for this kind. For the next table, the decoders get \
             {count} other inputs, full of malformed and torn escapes and of overlong and cut-off characters. \
             The table shows how often, in percent, a decoder is:\n\n\
             - right: it returns the result of the URL Standard's percent-decode. If the result is not UTF-8, a \
             decoder to text returns it with U+FFFD for each wrong part, or returns an error;\n\
             - refused: it returns an error for a `%` that starts no escape (fluent-uri also refuses any character \
             that should have been escaped). This is a choice, not a fault;\n\
             - wrong: it returns any other result.\n\n\
             | decode to | | right | refused | wrong | panics |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
        );
        for verdict in &self.hostile {
            let percent = |part: usize| number(100.0 * part as f64 / verdict.inputs.max(1) as f64);
            let Verdict { name, output, right, refused, wrong, panics, .. } = verdict;
            let [right, refused, wrong, panics] = [*right, *refused, *wrong, *panics].map(percent);
            _ = writeln!(text, "| {output} | {name} | {right} | {refused} | {wrong} | {panics} |");
        }
        text += "\n[Who is right, in other languages](docs/right.md) has the decoders of Python, Java, Spark, DuckDB, PHP, Ruby, Go, \
                 Node.js, ada and simdenc, and a minimal input for each difference.\n";
        match &self.bench.wrong()[..] {
            [] => text + "\nOn the timed inputs, which are all well-formed, all libraries were right.\n",
            wrong => text + &format!("\nLeft out because they were wrong: {}.\n", wrong.join(", ")),
        }
    }

    /// Lists each case in which a peer is faster.
    fn not_the_best(&self) -> String {
        let mut text = String::from(
            "\n## Where this project is not the best\n\nThis list has every case of the tables above in which \
             another library was faster than percent-simd in this run. A difference that is smaller than the variation of the times \
             doesn't count, and neither do `memcpy` and `to_owned`.\n\n",
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
            text += "There is no such case in this run.\n";
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
            "percent-encoding", "form_urlencoded", "urlencoding", "url-escape", "percent-encoding-rfc3986",
            "fluent-uri", "iri-string", "pct-str", "actix-router", "codex-percent", "use-percent",
        ];
        let mut versions: Vec<String> =
            packages.iter().filter_map(|package| Some(format!("{package} {}", version(package)?))).collect();
        if cfg!(feature = "ada") {
            versions.extend(version("ada-url").map(|version| format!("ada-url {version}")));
        }
        versions.extend(option_env!("LIBCURL_VERSION").map(|version| format!("libcurl {version}")));
        let mut spreads: Vec<f64> =
            [lengths(Op::Encode), lengths(Op::Decode), densities(Op::Encode), densities(Op::Decode)]
                .concat()
                .iter()
                .flat_map(|(_, cell)| self.race(*cell).results.iter().map(|result| result.spread).collect::<Vec<_>>())
                .collect();
        spreads.sort_by(f64::total_cmp);
        let at = |part: f64| spreads.get((part * (spreads.len() - 1) as f64) as usize).copied().unwrap_or_default();
        format!(
            "\n## Machine and versions\n\n{} One thread, timed by its CPU time. Values are medians over the rounds. For each value, we took the middle 50% of the rounds: their times are within \
             ±{}% of the value for half of the values, and within ±{}% for 90% of them.\n\n{}.\n",
            machine(),
            number(at(0.5)),
            number(at(0.9)),
            versions.join(", "),
        )
    }
}

/// Names the CPU, the engine and the compiler.
fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        cpu.lines().find(|line| line.starts_with(name))?.split_once(": ").map(|(_, value)| value.to_string())
    };
    let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let family = field("cpu family").map(|family| format!(" (family {family})")).unwrap_or_default();
    format!("{model}{family}, engine `{}`, {}.", percent_simd::Engine::active(), env!("RUSTC_VERSION"))
}

/// Formats the rows of a table: first our libraries for Rust, then the languages. `rust` returns the nanoseconds of a library, and
/// `show` formats nanoseconds.
fn languages(
    columns: &[(Op, &str)],
    runtimes: &[Runtime],
    rust: impl Fn(&str, Op, &str) -> Option<f64>,
    show: impl Fn(f64, &str) -> String,
) -> String {
    let mut text = String::new();
    for name in RUST {
        let cell = |&(op, size): &(Op, &str)| rust(name, op, size).map_or(String::new(), |ns| show(ns, size));
        _ = writeln!(text, "| {name} (Rust) | {} |", columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    // A name has a language, its version and a function. Put the two functions of a language in one row.
    let mut rows: Vec<(&str, Vec<&Runtime>)> = Vec::new();
    for runtime in runtimes {
        let language = runtime.name.rsplit_once(' ').map_or(&*runtime.name, |(language, _)| language);
        match rows.iter_mut().find(|row| row.0 == language) {
            Some(row) => row.1.push(runtime),
            None => rows.push((language, vec![runtime])),
        }
    }
    for (language, row) in rows {
        let cell = |&(op, size): &(Op, &str)| match row.iter().find(|runtime| runtime.op == op && runtime.size == size)
        {
            Some(found) if found.right => show(found.ns, size),
            Some(_) => "wrong".to_string(),
            None => String::new(),
        };
        let functions: Vec<&str> = [Op::Encode, Op::Decode]
            .iter()
            .filter_map(|op| row.iter().find(|runtime| runtime.op == *op)?.name.rsplit(' ').next())
            .collect();
        let cells: Vec<String> = columns.iter().map(cell).collect();
        _ = writeln!(text, "| {language}: {} | {} |", functions.join(", "), cells.join(" | "));
    }
    text
}

/// Returns a line of Markdown that shows a chart of `scripts/charts`.
fn image(name: &str, what: &str) -> String {
    format!("![{what}]({CHARTS}/{name}.svg)\n")
}

/// Formats `value` to three significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => trimmed(format!("{value:.1}")),
        v if v >= 0.9995 => trimmed(format!("{value:.2}")),
        _ => trimmed(format!("{value:.3}")),
    }
}

fn trimmed(number: String) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn text_labels() -> Vec<(String, Cell)> {
    text().into_iter().map(|(label, cell)| (format!("decode {TYPICAL} bytes to text, {label}"), cell)).collect()
}

fn nanoseconds(ns: f64) -> String {
    if ns >= 1e5 { format!("{} µs", number(ns / 1e3)) } else { format!("{} ns", number(ns)) }
}

const HOW_TO_READ: &str = "\
## How to read it

- All libraries get the same inputs. A library whose output is wrong is not in the table. All keep the same characters, the
  unreserved ones of RFC 3986. No string has a character that libraries treat differently (spaces, `!~*'()`).
- N% means that each byte is escaped with a probability of N%. Long strings have 1 MiB. For short strings there are 10,000
  different ones, so that no branch predictor can learn them.
- GB/s are gigabytes of *input* per second. ns are for one call, with its allocations and frees. `encode` returns an owned
  string in all libraries. `decode` returns an owned result, or borrows its input if the library detects that the input stays
  the same.
- `memcpy` copies the input to existing memory, and `to_owned` copies it to a new `String`. They show how fast a call could be at
  best. Only a decoder that borrows can be faster than both.
- The best value of a column is in bold. `memcpy` and `to_owned` don't count. Differences of a few percent are noise.

## What is unfair

- This is one machine. On a CPU without AVX-512 or AVX2, this project uses narrower engines; docs/measured has a column for each.
- A library that takes text may have more or fewer checks than one that takes bytes. All are called as their documentation shows.
  fluent-uri and pct-str validate the input first, because their types need it. codex-percent builds a lexer. iri-string and
  percent-encoding write through a formatter.
- actix-router's Quoter and the drop-in replacements' own `to_string` are measured as their callers use them. Their `Display` is not measured.
- For C and C++, the time includes a call from Rust to another language, writing a zero at the end, and freeing the allocations. ada
  is made for whole URLs. Other languages have different kinds of strings.
- The inputs are made up. In real URLs most strings have no escape at all, and then all libraries are fast.
";

/// The heading of the section that follows the section about components.
const RIGHT: &str = "\n## Who is right\n";

/// The place for the record of `crates/rivals/scripts/watch`. The script replaces the text between the two comments.
const WATCH: &str = concat!(
    "\n## The newest release of every peer\n\n<!-- peers:begin -->\n",
    include_str!("../../../docs/measured/peers.md"),
    "<!-- peers:end -->\n"
);

const NOT_MEASURED: &str = "\
\nThe Go package simdenc 0.3, which this program doesn't run, decodes some sparse texts faster. It uses AVX-512 VBMI2 in both directions. A
separate comparison on a Zen 4 in November 2026 had 192 cases, all into a buffer. In 2 to 6 of them, depending on the run, simdenc took more
than 5 % less time, at most 10 %. They decode texts of 512 bytes, or of 64 KiB and more, with up to 0.3 % of escapes, and most read `+` as a space. The
cause is that we test four blocks at once: if they have one escape, all 256 bytes take the slow path. simdenc tests 64 bytes at once. Without
any escape, the cause is that Go keeps its memory in larger pages. In the median of all cases we are 1.7 times as fast. docs/ideas.md lists the remedies that we tried.

The [comparison with the newest release of every peer](#the-newest-release-of-every-peer) lists more lost cases first. In all of them, our engine is
SSE4.2, and in most the peer uses a newer instruction set: simdenc always uses AVX-512, and urldecoder's memchr uses AVX2. Our engines for AVX-512 and AVX2 lose
none of these cases.
\nThis page doesn't show the size of the binary, the time to compile, or the minimum Rust version. An engine for each
instruction set is larger and takes longer to compile than a byte loop. This project needs Rust 1.89 or later. Most of the small
crates also build with much older versions.
";
