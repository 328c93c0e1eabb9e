//! Compares the speed and the memory of the library and of its peers, in one run.
//!
//! ```text
//! ratios [--quick] [--front | --standards | --options | --bounds | --worst] [--goals] [--against FILE] [--readme FILE] [--record FILE]
//! ```
//!
//! Without options, the program prints every table. With one of these options, it measures less:
//!
//! - `--quick` takes only seconds. The times are rough; use it to see that everything works.
//! - `--front` measures only the few rows of the README.
//! - `--standards` measures only the crates built on the codec.
//! - `--options` measures only the cost of options.
//! - `--bounds` only compares calls on clean text with a copy, a search and a check of UTF-8, and shows the developers' goals.
//! - `--worst` only searches for the slowest inputs.
//!
//! These options write files, or compare the results with goals or with an earlier run:
//!
//! - `--goals` also compares each engine with the developers' goals.
//! - `--readme` writes the rows of the README to FILE, between `<!-- table:begin -->` and `<!-- table:end -->`.
//! - `--record` writes all tables to FILE, and all times to a file beside it whose name ends in `.tsv`.
//! - `--against` takes as FILE a `.tsv` that `--record` wrote. It lists the entries whose time differs by more than the
//!   spread of both runs.
//!
//! The entries of a race take turns, in an order that changes from round to round. A ratio compares two times of the same round.
//! Tables show the median and the quartiles of the ratios. The clock is the thread's CPU time. lib.rs explains the words entry,
//! race and round.

use std::borrow::Cow;
use std::process::Command;
use std::rc::Rc;
use std::{env, fs, iter, mem};

use percent_encoding::{percent_decode, percent_encode};
use percent_simd::Engine;
use percent_simd_bench::memory::{self, Counting, Taken};
use percent_simd_bench::race::{Race, Races, mean};
use percent_simd_bench::standards::{self, Goal as Promise};
use percent_simd_bench::turns::Spread;
use percent_simd_bench::{DECODER, ENCODER, KINDS, Kind, Op, UNRESERVED, bounds, options};

mod against;
mod worst;

#[global_allocator]
static COUNTING: Counting = Counting;

/// The number of short strings of each length.
const STRINGS: usize = 10_000;
const LONG: usize = 1 << 20;
const ROW: usize = 100;

const TYPICAL: usize = 100;

/// The highest acceptable time of a call with an option, as a multiple of the time without the option. The limit is for
/// input with 10% of its bytes escaped.
const OPTION_COST: f64 = 1.4;

const BEGIN: &str = "<!-- table:begin -->";
const END: &str = "<!-- table:end -->";
const PEER: &str = "percent-encoding";
const REFERENCES: [&str; 4] = ["memcpy", PEER, "urlencoding", "table"];
const DIRECTIONS: [Op; 2] = [Op::Encode, Op::Decode];
const CLEAN: Kind = Kind::Escaped(0.0);
/// The kind of most short strings: 10% of the bytes are escaped.
const TENTH: Kind = Kind::Escaped(10.0);
const DIRTY: Kind = Kind::Dirty(10.0);
const MIXES: [Kind; 4] = [Kind::Escaped(1.0), Kind::Escaped(3.0), TENTH, Kind::Escaped(30.0)];
const HOSTILE: [Kind; 4] = [Kind::Repeat("%"), Kind::Repeat("%4"), Kind::Repeat("%zz"), Kind::Runs];
const SHORT: [(&str, Op, Kind); 5] = [
    ("encode to String", Op::Encode, TENTH),
    ("encode to Cow, clean", Op::EncodeCow, CLEAN),
    ("encode to Cow, dirty", Op::EncodeCow, DIRTY),
    ("decode to Cow, clean", Op::Decode, CLEAN),
    ("decode to Cow, dirty", Op::Decode, DIRTY),
];

/// The engines that have goals. Each list of four goals has one goal for each of these engines, in this order.
const ENGINES: [&str; 4] = ["avx512", "avx2", "sse42", "scalar"];
const CLEAN_GOALS: [(Op, [f64; 4]); 2] =
    [(Op::Encode, [0.85, 0.80, 0.55, 0.09]), (Op::Decode, [0.85, 0.80, 0.60, 0.4])];
const MIXED_GOALS: [(Op, [f64; 4]); 2] = [(Op::Encode, [15.0, 8.0, 5.0, 4.0]), (Op::Decode, [18.0, 6.0, 4.0, 1.3])];
const LONG_GOALS: [(Op, Kind, [f64; 4]); 3] = [
    (Op::Encode, Kind::Cyrillic, [22.0, 14.0, 10.0, 7.0]),
    (Op::Encode, Kind::Random, [60.0, 40.0, 25.0, 20.0]),
    (Op::Decode, Kind::Cyrillic, [9.0, 3.5, 2.3, 1.3]),
];
const SHORT_GOALS: [(Op, Kind, [f64; 4]); 2] =
    [(Op::Encode, TENTH, [22.0, 15.0, 10.0, 5.0]), (Op::Decode, DIRTY, [8.0, 5.0, 4.0, 1.3])];

#[derive(Clone, Copy)]
enum Goal {
    None,
    AtLeast(f64),
    AtMost(f64),
}

#[derive(Default)]
struct Arguments {
    quick: bool,
    front: bool,
    standards: bool,
    options: bool,
    bounds: bool,
    worst: bool,
    goals: bool,
    against: Option<String>,
    readme: Option<String>,
    record: Option<String>,
}

impl Arguments {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut parsed = Arguments::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => parsed.quick = true,
                "--front" => parsed.front = true,
                "--standards" => parsed.standards = true,
                "--options" => parsed.options = true,
                "--bounds" => parsed.bounds = true,
                "--worst" => parsed.worst = true,
                "--goals" => parsed.goals = true,
                "--against" => parsed.against = Some(args.next().ok_or("--against: which file?")?),
                "--readme" => parsed.readme = Some(args.next().ok_or("--readme: which file?")?),
                "--record" => parsed.record = Some(args.next().ok_or("--record: which file?")?),
                _ => return Err(format!("{arg}: unknown option; the head of benches/ratios/main.rs lists them")),
            }
        }
        let in_part = parsed.standards || parsed.options || parsed.bounds || parsed.worst;
        if parsed.record.is_some() && (parsed.front || in_part) {
            return Err("--record needs all tables: leave out --front, --standards, --options, --bounds and --worst"
                .to_string());
        }
        if parsed.readme.is_some() && in_part {
            return Err(
                "--readme needs the rows that --standards, --options, --bounds and --worst leave out".to_string()
            );
        }
        Ok(parsed)
    }
}

fn main() -> Result<(), String> {
    let arguments = Arguments::parse(env::args().skip(1))?;
    // Fail before measuring if the file lacks the lines [`BEGIN`] and [`END`].
    arguments.readme.as_deref().map(around).transpose()?;
    let kept = arguments.against.as_deref().map(against::read).transpose()?;
    let races = if arguments.quick { Races::new(5, 2e4) } else { Races::new(31, 5e5) };
    let bench = Bench { races, engines: Engine::available().map(Engine::name).collect() };

    if arguments.options {
        println!("{}", bench.options_table());
    } else if arguments.bounds {
        println!("{}", bench.bounds_table());
    } else if arguments.worst {
        println!("{}", worst::search(if arguments.quick { 5 } else { 300 }));
    } else if arguments.standards {
        println!("{}", bench.standards_table(arguments.goals));
    } else {
        bench.print_tables(&arguments)?;
    }
    if let Some(kept) = kept {
        println!("{}", against::compare(&bench.races, &kept));
    }
    Ok(())
}

struct Bench {
    races: Races,
    engines: Vec<&'static str>,
}

impl Bench {
    /// Prints the rows of the README, and the other requested tables.
    fn print_tables(&self, arguments: &Arguments) -> Result<(), String> {
        let front = format!("{}\n{}\n", self.front_table(), self.machine(&[PEER]));
        println!("{front}");
        if !arguments.front {
            let tables = self.all_tables();
            println!("{tables}");
            if let Some(file) = &arguments.record {
                let page = format!("# {}\n\n{}\n{tables}", self.machine(&[PEER, "urlencoding"]), self.method());
                fs::write(file, page).map_err(|error| format!("{file}: {error}"))?;
                let file = against::figures_file(file);
                fs::write(&file, against::figures(&self.races)).map_err(|error| format!("{file}: {error}"))?;
            }
        }
        if arguments.goals {
            println!("{}\n{}", self.standards_table(true), self.verdicts());
        }
        if let Some(file) = &arguments.readme {
            let [before, after] = around(file)?;
            let text = format!("{before}{BEGIN}\n{front}{END}{after}");
            fs::write(file, text).map_err(|error| format!("{file}: {error}"))?;
        }
        Ok(())
    }

    fn long(&self, op: Op, kind: Kind) -> Rc<Race> {
        self.races.get(op, kind, LONG, 1)
    }

    fn short(&self, op: Op, kind: Kind, len: usize) -> Rc<Race> {
        self.races.get(op, kind, len, STRINGS)
    }

    /// Formats the rows of the README: the times of this crate and of percent-encoding, which most programs use.
    fn front_table(&self) -> String {
        let best = self.engines[0];
        let head = ["", "percent-simd", PEER, "times as fast"].map(String::from);
        let rows = [("Encode", Op::Encode), ("Decode", Op::Decode)].into_iter().flat_map(|(name, op)| {
            let short = [("10% escaped", TENTH), ("nothing escaped", CLEAN)].map(|(kind, cell)| {
                let race = self.short(op, cell, TYPICAL);
                let time = |who| format!("{} ns", number(race.nanoseconds(who)));
                (format!("{name} {TYPICAL} bytes, {kind}"), time(best), time(PEER), race)
            });
            let long = [("10% escaped", TENTH), ("Cyrillic", Kind::Cyrillic)].map(|(kind, cell)| {
                let race = self.long(op, cell);
                let rate = |who| format!("{} GB/s", number(race.rate(who)));
                (format!("{name} 1 MiB, {kind}"), rate(best), rate(PEER), race)
            });
            short.into_iter().chain(long).map(|(what, ours, theirs, race)| {
                let times = Spread::of(&race.times_faster(best, PEER)).median;
                vec![what, ours, theirs, format!("{}x", number(times))]
            })
        });
        table(&head, rows)
    }

    /// Formats all tables, but without goals.
    fn all_tables(&self) -> String {
        [
            format!("## Long inputs, GB/s of input\n\n{}", self.long_tables()),
            format!("## Short inputs\n\n{}", self.short_table(&[8, 16, 32, 64, 100, 200])),
            format!("## The standards\n\n{}", self.standards_table(false)),
            format!("## Hostile inputs, GB/s into a slice\n\n{}", self.hostile_table()),
        ]
        .join("\n")
    }

    /// Formats the rates on long inputs, for each direction.
    fn long_tables(&self) -> String {
        let best = self.engines[0];
        let tables = [("Encode", Op::Encode), ("Decode", Op::Decode)].map(|(name, op)| {
            let head = [&[name], &REFERENCES[..], &self.engines[..]].concat();
            let mut head: Vec<String> = head.iter().map(ToString::to_string).collect();
            head.extend([format!("{best}, to a slice"), format!("{best} / {PEER}")]);
            let rows = KINDS.iter().map(|&kind| {
                let race = self.long(op, kind);
                let rates = REFERENCES.iter().chain(&self.engines).map(|who| number(race.rate(who)));
                let mut row: Vec<String> = iter::once(kind.to_string()).chain(rates).collect();
                row.push(number(race.rate(&format!("{best}/slice"))));
                row.push(format!("{}x", number(Spread::of(&race.times_faster(best, PEER)).median)));
                row
            });
            table(&head, rows)
        });
        tables.join("\n")
    }

    /// Formats the time of a call on short strings.
    fn short_table(&self, lens: &[usize]) -> String {
        let who = [&["to_vec", PEER, "urlencoding", "table"], &self.engines[..]].concat();
        let head: Vec<String> = ["ns per call", "bytes"].iter().chain(&who).map(ToString::to_string).collect();
        let rows = SHORT.iter().flat_map(|row| lens.iter().map(move |len| (row, len)));
        let rows = rows.map(|(&(name, op, kind), &len)| {
            let race = self.short(op, kind, len);
            let times = who.iter().map(|who| number(race.nanoseconds(who)));
            [name.to_string(), len.to_string()].into_iter().chain(times).collect()
        });
        table(&head, rows)
    }

    /// Formats the times of each call of the standards and of a comparable peer. If `goals` is set, adds the goals.
    fn standards_table(&self, goals: bool) -> String {
        let columns = if goals { 8 } else { 7 };
        let head = &["ns per call", "bytes", "here", "", "elsewhere", "", "ratio", "goal"].map(String::from)[..columns];
        let rows = standards::trials().into_iter().flat_map(|mut trial| {
            let (what, promises) = (trial.what.clone(), mem::take(&mut trial.goals));
            let bytes = number(trial.bytes as f64 / trial.calls as f64);
            let race = self.races.trial(trial);
            let row = |goal| {
                let (who, than, ratio, goal) = match goal {
                    Promise::Times(who, than, times) => {
                        let ratio = Spread::of(&race.times_faster(who, than)).median;
                        let reached = if ratio >= times { "reached" } else { "NOT reached" };
                        (who, Some(than), Some(ratio), format!(">= {times}: {reached}"))
                    }
                    Promise::Nanoseconds(who, most) => {
                        let reached = if race.nanoseconds(who) <= most { "reached" } else { "NOT reached" };
                        (who, None, None, format!("<= {most} ns: {reached}"))
                    }
                };
                let time = |who| number(race.nanoseconds(who));
                let [than, its, ratio] =
                    [than.map(String::from), than.map(time), ratio.map(|ratio| format!("{}x", number(ratio)))]
                        .map(Option::unwrap_or_default);
                let mut row = vec![what.clone(), bytes.clone(), who.to_string(), time(who), than, its, ratio, goal];
                row.truncate(columns);
                row
            };
            // If `goals` is false, show only the rows that compare two entries. A promise in nanoseconds is about one
            // entry.
            let shown = promises.into_iter().filter(|goal| goals || matches!(goal, Promise::Times(..)));
            shown.map(row).collect::<Vec<_>>()
        });
        table(head, rows)
    }

    /// Formats, for each engine, the time of each call with an option, as a multiple of the time without the option.
    fn options_table(&self) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for kind in [CLEAN, Kind::Escaped(1.0), TENTH] {
            let mut columns: Vec<Vec<(String, String)>> = Vec::new();
            for engine in Engine::available() {
                let cells = options::trials(engine, kind).into_iter().flat_map(|mut trial| {
                    let names: Vec<&str> = trial.entries.iter().map(|(name, _)| *name).collect();
                    let sink = trial.what.clone();
                    trial.what += &format!(", {kind}, {engine}");
                    let race = self.races.trial(trial);
                    let cell = |name: &str| {
                        let times = Spread::of(&race.times_faster(options::PLAIN, name)).median;
                        let mark = if kind == TENTH && times > OPTION_COST { " !" } else { "" };
                        match name {
                            options::PLAIN => format!("{} GB/s", number(race.rate(name))),
                            _ => format!("{}x{mark}", number(times)),
                        }
                    };
                    names.iter().map(|name| (format!("{sink}, {name}"), cell(name))).collect::<Vec<_>>()
                });
                columns.push(cells.collect());
            }
            for (row, (what, _)) in columns[0].iter().enumerate() {
                let cells = columns.iter().map(|column| column[row].1.clone());
                rows.push([what.clone(), kind.to_string()].into_iter().chain(cells).collect());
            }
        }
        let head: Vec<String> =
            ["times as long as plain", "input"].iter().chain(&self.engines).map(ToString::to_string).collect();
        table(&head, rows.into_iter())
    }

    /// Formats the speed of calls on clean text for each engine, as a fraction of its upper bound. Adds the goal of
    /// each call.
    fn bounds_table(&self) -> String {
        let rows = Engine::available().flat_map(bounds::trials).flat_map(|mut trial| {
            let (what, goals) = (trial.what.clone(), mem::take(&mut trial.goals));
            let race = self.races.trial(trial);
            let row = move |goal| {
                let Promise::Times(who, than, times) = goal else { return Vec::new() };
                let Spread { low, median, high } = Spread::of(&race.times_faster(who, than));
                let goal = match times {
                    0.0 => String::new(),
                    times if median >= times => format!(">= {times}: reached"),
                    times => format!(">= {times}: NOT reached"),
                };
                let spread = format!("{}..{}", number(low), number(high));
                vec![what.clone(), than.to_string(), number(median), spread, goal]
            };
            goals.into_iter().map(row).collect::<Vec<_>>()
        });
        table(&["", "as fast as", "times", "quartiles", "goal"].map(String::from), rows)
    }

    /// Formats the machine, the compiler and the versions of `peers`.
    fn machine(&self, peers: &[&str]) -> String {
        let version = |of: &str| {
            let lock = include_str!("../../Cargo.lock");
            let after = lock.split_once(&format!("name = \"{of}\"\nversion = \"")).map_or("", |split| split.1);
            format!("{of} {}", after.split('"').next().unwrap_or_default())
        };
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = |key| cpu.lines().find_map(|line| Some(line.strip_prefix(key)?.split_once(':')?.1.trim()));
        let name = cpu("model name").unwrap_or(env::consts::ARCH);
        let family = cpu("cpu family").map_or(String::new(), |family| format!(" (family {family})"));
        let rustc = Command::new("rustc").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
        let rustc = String::from_utf8_lossy(&rustc).split(" (").next().unwrap_or_default().trim().to_string();
        let peers: String = peers.iter().map(|peer| format!(", {}", version(peer))).collect();
        format!("{name}{family}, engine {}, {rustc}{peers}", self.engines[0])
    }

    /// Returns the explanation of a record: how its figures were measured, and their units.
    fn method(&self) -> String {
        format!(
            "The values are medians on one thread. Long inputs have {} KiB. Encoding returns a new `String`. Decoding returns a\n\
             `Cow`, which borrows its input if decoding would not change it. N% means that each byte is escaped with a\n\
             probability of N%. Short inputs are {STRINGS} different strings. They are clean, or 10% of their bytes are\n\
             escaped. `table` is a plain loop over a table of 256 entries. The columns from `scalar` to `avx512` are this\n\
             crate's engines.\n",
            LONG >> 10,
        )
    }

    /// Formats the rates on inputs that are made to be slow.
    fn hostile_table(&self) -> String {
        let head: Vec<String> = ["", "input"].iter().chain(&self.engines).map(ToString::to_string).collect();
        let rows = DIRECTIONS.iter().flat_map(|&op| HOSTILE.map(|kind| (op, kind))).map(|(op, kind)| {
            let race = self.long(op, kind);
            let rates = self.engines.iter().map(|engine| number(race.rate(&format!("{engine}/slice"))));
            [format!("{op:?}"), kind.to_string()].into_iter().chain(rates).collect()
        });
        table(&head, rows)
    }

    /// Formats every goal of the developers and its verdict.
    fn verdicts(&self) -> String {
        let (mut rows, mut reached, mut judged) = (Vec::new(), 0, 0);
        let mut judge = |what: String, engine: &str, values: &[f64], goal: Goal| {
            let Spread { low, median, high } = Spread::of(values);
            let (goal, verdict) = match goal {
                Goal::None => (String::new(), None),
                Goal::AtLeast(goal) => (format!(">= {goal}"), Some(median >= goal)),
                Goal::AtMost(goal) => (format!("<= {goal}"), Some(median <= goal)),
            };
            judged += usize::from(verdict.is_some());
            reached += usize::from(verdict == Some(true));
            let verdict = verdict.map_or("", |yes| if yes { "reached" } else { "NOT reached" });
            let spread = format!("{}..{}", number(low), number(high));
            rows.push(vec![what, engine.to_string(), number(median), spread, goal, verdict.to_string()]);
        };

        for &engine in &self.engines {
            let goal = |goals: [f64; 4]| {
                let index = ENGINES.iter().position(|&name| name == engine);
                index.map_or(Goal::None, |index| Goal::AtLeast(goals[index]))
            };
            let slice = &format!("{engine}/slice");
            for (op, goals) in CLEAN_GOALS {
                let faster = self.long(op, CLEAN).times_faster(slice, "memcpy");
                judge(format!("{op:?} clean, to a slice / memcpy"), engine, &faster, goal(goals));
            }
            for (op, goals) in MIXED_GOALS {
                let faster = |who: &str| MIXES.map(|kind| self.long(op, kind).times_faster(who, PEER));
                let what = format!("{op:?} 1-30% / {PEER}");
                judge(format!("{what}, mean"), engine, &mean(&faster(engine)), goal(goals));
                let lowest =
                    faster(engine).into_iter().min_by(|a, b| Spread::of(a).median.total_cmp(&Spread::of(b).median));
                judge(format!("{what}, lowest"), engine, &lowest.unwrap_or_default(), goal(goals));
                judge(format!("{what}, mean, to a slice"), engine, &mean(&faster(slice)), Goal::None);
            }
            for (op, kind, goals) in LONG_GOALS {
                let faster = self.long(op, kind).times_faster(engine, PEER);
                judge(format!("{op:?} {kind} / {PEER}"), engine, &faster, goal(goals));
            }
            for (op, kind, goals) in SHORT_GOALS {
                let faster = self.short(op, kind, 100).times_faster(engine, PEER);
                judge(format!("{op:?} 100 bytes / {PEER}"), engine, &faster, goal(goals));
            }
            for len in [8, 16] {
                for (name, op, kind) in SHORT {
                    let faster = self.short(op, kind, len).times_faster(engine, PEER);
                    judge(format!("{name}, {len} bytes / {PEER}"), engine, &faster, Goal::AtLeast(1.0));
                }
            }
            for op in [Op::EncodeCow, Op::Decode] {
                let slower = self.short(op, CLEAN, 16).slower_by(engine, "memchr");
                judge(format!("{op:?}, 16 bytes, ns - memchr"), engine, &slower, Goal::AtMost(8.0));
            }
            let text = self.long(Op::DecodeUtf8, Kind::Cyrillic).times_faster(engine, &format!("{engine}/bytes"));
            judge("Decode Cyrillic, text / bytes".to_string(), engine, &text, Goal::AtLeast(0.6));
            for op in [Op::EncodeBatch, Op::DecodeBatch] {
                for kind in [CLEAN, TENTH] {
                    let race = self.races.get(op, kind, ROW, LONG / ROW);
                    let faster = race.times_faster(engine, &format!("{engine}/long"));
                    judge(format!("{op:?} {kind}, rows of {ROW} / long"), engine, &faster, Goal::AtLeast(0.8));
                }
            }
            for op in DIRECTIONS {
                let rates = HOSTILE.map(|kind| self.long(op, kind).rate(slice));
                let ratio = rates.iter().copied().fold(f64::MAX, f64::min) / rates.iter().copied().fold(0.0, f64::max);
                judge(format!("{op:?} hostile, worst / best"), engine, &[ratio], Goal::None);
            }
        }
        for (what, goal, length, Taken { calls, peak }) in memory() {
            judge(format!("{what}, allocations"), "", &[calls as f64], goal);
            judge(format!("{what}, peak / output"), "", &[peak as f64 / length as f64], goal);
        }
        // Sort the rows so that the engines of a comparison are next to each other.
        let order: Vec<String> = rows.iter().map(|row: &Vec<String>| row[0].clone()).collect();
        rows.sort_by_key(|row| order.iter().position(|what| *what == row[0]));
        let head = ["", "engine", "median", "quartiles", "goal", ""].map(String::from);
        format!("{}\nreached: {reached} of {judged}\n", table(&head, rows.into_iter()))
    }
}

/// Returns four values for each call: its name, the goal for the number of its allocations, the length of its output,
/// and the allocations that it made.
fn memory() -> Vec<(&'static str, Goal, usize, Taken)> {
    let raw = &TENTH.strings(Op::Encode, LONG, 1)[0];
    let encoded = &TENTH.strings(Op::Decode, LONG, 1)[0];
    let text = &Kind::Cyrillic.strings(Op::Decode, LONG, 1)[0];
    let clean = &CLEAN.strings(Op::Encode, LONG, 1)[0];
    let once = Goal::AtMost(1.0);
    let never = Goal::AtMost(0.0);
    let calls: [(&str, Goal, &dyn Fn() -> usize); 9] = [
        ("encode to String", once, &|| ENCODER.encode_to_string(raw).len()),
        ("encode to Cow", once, &|| ENCODER.encode(raw).len()),
        ("encode to Cow, clean", never, &|| ENCODER.encode(clean).len()),
        ("decode to Cow", once, &|| DECODER.decode(encoded).len()),
        ("decode to text", once, &|| DECODER.decode_utf8(encoded).map_or(0, |text| text.len())),
        ("decode to text, Cyrillic", once, &|| DECODER.decode_utf8(text).map_or(0, |text| text.len())),
        ("decode to Cow, clean", never, &|| DECODER.decode(clean).len()),
        ("encode, percent-encoding", Goal::None, &|| percent_encode(raw, UNRESERVED).to_string().len()),
        ("decode, percent-encoding", Goal::None, &|| Cow::from(percent_decode(encoded)).len()),
    ];
    let taken = |(what, goal, call): (_, _, &dyn Fn() -> usize)| {
        let (length, taken) = memory::taken(call);
        (what, goal, length, taken)
    };
    calls.map(taken).into()
}

/// Formats a Markdown table. Its columns are aligned in the source too.
fn table(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut lines: Vec<Vec<String>> = iter::once(head.to_vec()).chain(rows).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or_default().max(3);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let rule = |(column, &width): (usize, &usize)| {
        if column == 0 { "-".repeat(width) } else { format!("{}:", "-".repeat(width - 1)) }
    };
    lines.insert(1, widths.iter().enumerate().map(rule).collect());
    let mut out = String::new();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            out += &if column == 0 { format!("| {cell:<width$} |") } else { format!(" {cell:>width$} |") };
        }
        out.push('\n');
    }
    out
}

/// Formats `value` to about three digits.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Returns the text of `file` before [`BEGIN`] and after [`END`]. The table is written between these two lines.
fn around(file: &str) -> Result<[String; 2], String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let tables = text.split_once(BEGIN).and_then(|(before, rest)| Some([before, rest.split_once(END)?.1]));
    tables.map(|parts| parts.map(String::from)).ok_or_else(|| format!("{file}: has no {BEGIN} and {END}"))
}
