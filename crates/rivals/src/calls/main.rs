//! Measures the time of one call in nanoseconds, for strings of every short length and for single components of URLs.
//!
//! ```text
//! calls [--quick] [--all] [--engine NAME] [--only WORD] [--urls FILE]...
//! ```
//!
//! The program prints a table for each operation. A row has the time of this library, the time of the fastest peer on
//! the same strings, and the ratio of these times. The row ends with `LOST` if the peer is faster by more than the
//! spread of both times.
//!
//! - `--all` shows every peer.
//! - `--engine` selects the library's engine at run time.
//! - `--only` selects the operations with WORD in their names.
//! - `--urls` adds the components of the URLs of FILE. The file is an access log, or has one URL on each line.
//!
//! First, each output is compared with the output of a naive oracle. Then this library and the peers take turns, in an order that
//! changes from round to round. The compiler inlines all calls into the loops that time them. A time is the median of the rounds,
//! in CPU time of the thread.

use std::borrow::Cow;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use memchr::memchr;
use percent_encoding::percent_decode_str;
use percent_simd::{AsBytes, ByteSet, Decoder, Encoder, Engine, Plus, presets};
use percent_simd_bench::turns::{Spread, take_turns};
use percent_simd_bench::{
    self as bench, Bytes, DECODER, ENCODER, Entry, Inputs, Output, Scratch, Side, Slice, Text, decoded, encoded, peers,
};

mod c;
#[path = "../components.rs"]
mod components;
mod corpus;

use components::Corpus;
use corpus::Cleanness;

const LENGTHS: [usize; 14] = [0, 1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 200];
const PLUS: Decoder = Decoder::new().plus(Plus::Always);

/// An operation to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    DecodeUtf8,
    DecodeUtf8Plus,
    Decode,
    DecodeAppend,
    DecodeSlice,
    DecodeExact,
    Encode,
    EncodeToString,
    EncodeAppend,
    EncodeSlice,
    EncodeExact,
}

/// The operations and their descriptions.
const OPS: [(Op, &str); 11] = [
    (Op::DecodeUtf8, "decode_utf8 of text, to a Cow"),
    (Op::DecodeUtf8Plus, "decode_utf8 of text with `+`, to a Cow"),
    (Op::Decode, "decode, to a Cow"),
    (Op::DecodeAppend, "decode, appended to a buffer that is reused"),
    (Op::DecodeSlice, "decode, to a slice with room to spare"),
    (Op::DecodeExact, "decode, to a slice of exactly the length"),
    (Op::Encode, "encode, to a Cow"),
    (Op::EncodeToString, "encode, to a String"),
    (Op::EncodeAppend, "encode, appended to a buffer that is reused"),
    (Op::EncodeSlice, "encode, to a slice with room to spare"),
    (Op::EncodeExact, "encode, to a slice of exactly the length"),
];

impl Op {
    fn decodes(self) -> bool {
        !matches!(self, Op::Encode | Op::EncodeToString | Op::EncodeAppend | Op::EncodeSlice | Op::EncodeExact)
    }

    fn strings(self, corpus: &Corpus) -> &[String] {
        if self.decodes() { &corpus.escaped } else { &corpus.plain }
    }

    fn expected(self, text: &str) -> Vec<u8> {
        match self {
            Op::DecodeUtf8Plus => decoded(text.replace('+', " ").as_bytes()),
            _ if self.decodes() => decoded(text.as_bytes()),
            _ => encoded(text.as_bytes()),
        }
    }
}

/// A string, and the length of its expected output.
struct Input<'a> {
    text: &'a str,
    room: usize,
}

impl AsBytes for Input<'_> {
    fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    fn as_text(&self) -> Option<&str> {
        Some(self.text)
    }
}

/// Makes the entries of an operation. First comes the call of this library, then the entries of [`bench::entries`].
/// Without `--engine`, this library's codec is a constant. With `--engine`, the program makes the codec at run time.
macro_rules! entries {
    ($inputs:expr, $engine:expr, |$codec:ident, $input:pat_param, $buffers:pat_param| $const:ident: $ours:expr; $($others:tt)*) => {{
        let mut list = match $engine {
            None => bench::entries! { $inputs; "percent-simd", Ours, |$input, $buffers| {
                let $codec = &$const;
                $ours
            }; },
            Some(engine) => {
                let chosen = $const.with_engine(engine);
                bench::entries! { $inputs; "percent-simd", Ours, |$input, $buffers| {
                    let $codec = &chosen;
                    $ours
                }; }
            }
        };
        list.extend(bench::entries! { $inputs; $($others)* });
        list
    }};
}

/// Returns `text` with a space for each `+`. With a decoder that doesn't know about `+`, a program needs this step.
fn spaced(text: &str) -> Cow<'_, str> {
    match memchr(b'+', text.as_bytes()) {
        Some(_) => text.replace('+', " ").into(),
        None => text.into(),
    }
}

/// Calls `decode` on the result of [`spaced`]. If neither step changes the text, the result borrows `text`.
fn after_spacing<'a>(text: &'a str, decode: impl Fn(&str) -> Cow<'_, str>) -> Cow<'a, str> {
    match spaced(text) {
        Cow::Borrowed(text) => match decode(text) {
            Cow::Borrowed(_) => text.into(),
            Cow::Owned(decoded) => decoded.into(),
        },
        Cow::Owned(text) => match decode(&text) {
            Cow::Borrowed(_) => text.into(),
            Cow::Owned(decoded) => decoded.into(),
        },
    }
}

fn entries<'r>(op: Op, inputs: &'r Inputs<Input>, engine: Option<&'static Engine>) -> Vec<Entry<'r>> {
    let mut list = match op {
        Op::DecodeUtf8 => {
            entries! { inputs, engine, |decoder, input, _| DECODER: decoder.decode_utf8(input.text).unwrap(); }
        }
        Op::DecodeUtf8Plus => {
            entries! { inputs, engine, |decoder, input, _| PLUS: decoder.decode_utf8(input.text).unwrap();
                "percent-encoding", Peer,
                    |input, _| after_spacing(input.text, |text| percent_decode_str(text).decode_utf8().unwrap());
                "urlencoding", Peer, |input, _| after_spacing(input.text, |text| urlencoding::decode(text).unwrap());
            }
        }
        Op::Decode => entries! { inputs, engine, |decoder, input, _| DECODER: decoder.decode(input.text);
            "C", Peer, |input, _| c::decode_new(input.text.as_bytes(), false);
        },
        Op::DecodeAppend => entries! { inputs, engine, |decoder, input, buffers| DECODER: {
                buffers.bytes.clear();
                decoder.decode_into(input.text, &mut buffers.bytes);
                Bytes
            };
            "C", Peer, |input, buffers| {
                buffers.bytes.clear();
                c::append(input.text.as_bytes(), input.text.len(), &mut buffers.bytes, false);
                Bytes
            };
            "extend_from_slice", Reference, |input, buffers| {
                buffers.bytes.clear();
                buffers.bytes.extend_from_slice(input.text.as_bytes());
                Bytes
            };
        },
        Op::DecodeSlice => entries! { inputs, engine, |decoder, input, buffers| DECODER:
                Slice(decoder.decode_slice(input.text, &mut buffers.slice).unwrap().len());
            "C", Peer, |input, buffers| Slice(c::decode(input.text.as_bytes(), &mut buffers.slice));
        },
        Op::DecodeExact => entries! { inputs, engine, |decoder, input, buffers| DECODER:
                Slice(decoder.decode_slice(input.text, &mut buffers.slice[..input.room]).unwrap().len());
            "C", Peer, |input, buffers| Slice(c::decode(input.text.as_bytes(), &mut buffers.slice[..input.room]));
        },
        Op::Encode => entries! { inputs, engine, |encoder, input, _| ENCODER: encoder.encode(input.text);
            "C", Peer, |input, _| c::encode_new(input.text.as_bytes(), true);
        },
        Op::EncodeToString => {
            entries! { inputs, engine, |encoder, input, _| ENCODER: encoder.encode_to_string(input.text);
                "C", Peer, |input, _| c::encode_new(input.text.as_bytes(), false);
                "to_owned", Reference, |input, _| input.text.to_owned();
            }
        }
        Op::EncodeAppend => entries! { inputs, engine, |encoder, input, buffers| ENCODER: {
                buffers.text.clear();
                encoder.encode_into(input.text, &mut buffers.text);
                Text
            };
            "C", Peer, |input, buffers| {
                buffers.bytes.clear();
                c::append(input.text.as_bytes(), 3 * input.text.len(), &mut buffers.bytes, true);
                Bytes
            };
        },
        Op::EncodeSlice => entries! { inputs, engine, |encoder, input, buffers| ENCODER:
                Slice(encoder.encode_slice(input.text, &mut buffers.slice).unwrap().len());
            "C", Peer, |input, buffers| Slice(c::encode(input.text.as_bytes(), &mut buffers.slice));
        },
        Op::EncodeExact => entries! { inputs, engine, |encoder, input, buffers| ENCODER:
                Slice(encoder.encode_slice(input.text, &mut buffers.slice[..input.room]).unwrap().len());
            "C", Peer, |input, buffers| Slice(c::encode(input.text.as_bytes(), &mut buffers.slice[..input.room]));
        },
    };
    let shared = match op {
        Op::DecodeUtf8 => Some(bench::Op::DecodeUtf8),
        Op::Decode => Some(bench::Op::Decode),
        Op::DecodeAppend => Some(bench::Op::DecodeReuse),
        Op::Encode => Some(bench::Op::EncodeCow),
        Op::EncodeToString => Some(bench::Op::Encode),
        Op::EncodeAppend => Some(bench::Op::EncodeReuse),
        _ => None,
    };
    let shared = shared.map(|op| peers::strings(op, inputs)).unwrap_or_default();
    // The codec in C uses a table too, so we leave out the peer `table`.
    list.extend(shared.into_iter().filter(|entry| entry.name != "table"));
    let is_clean = inputs.list.iter().all(|input| input.room == input.text.len());
    if is_clean && matches!(op, Op::DecodeUtf8 | Op::Decode) {
        list.extend(bench::entries! { inputs; "memchr, then borrow", Peer, |input, _| {
            assert!(memchr(b'%', input.text.as_bytes()).is_none());
            Cow::Borrowed(input.text)
        }; });
    }
    list
}

#[derive(Default)]
struct Arguments {
    quick: bool,
    all: bool,
    engine: Option<&'static Engine>,
    only: String,
    urls: Vec<String>,
}

impl Arguments {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut parsed = Arguments::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                "--quick" => parsed.quick = true,
                "--all" => parsed.all = true,
                "--engine" => {
                    let name = value()?;
                    parsed.engine = Some(Engine::by_name(&name).ok_or(format!("{name}: not an engine of this CPU"))?);
                }
                "--only" => parsed.only = value()?,
                "--urls" => parsed.urls.push(value()?),
                _ => {
                    return Err(format!(
                        "{arg}: not an option; the head of crates/rivals/src/calls/main.rs lists them"
                    ));
                }
            }
        }
        Ok(parsed)
    }
}

struct Bench {
    arguments: Arguments,
    rounds: usize,
    turn: f64,
    /// The number of rows that were printed.
    rows: usize,
    /// The rows in which a peer is faster.
    lost: Vec<String>,
}

impl Bench {
    /// Times an operation on strings, and prints a row.
    fn row(&mut self, op: Op, what: &str, strings: &[String]) {
        let expected: Vec<Vec<u8>> = strings.iter().map(|text| op.expected(text)).collect();
        let list = strings.iter().zip(&expected).map(|(text, output)| Input { text, room: output.len() });
        let mut inputs = Inputs::new(list.collect());
        // Add room to spare.
        inputs.scratch.get_mut().slice.extend([0; 512]);
        let entries = entries(op, &inputs, self.arguments.engine);
        for entry in &entries {
            assert!(entry.is_right(&expected), "{op:?} {what}: {} is wrong", entry.name);
        }
        let (names, mut passes): (Vec<_>, Vec<_>) =
            entries.into_iter().map(|entry| ((entry.name, entry.side), entry.pass)).unzip();
        let per_call = |times: Vec<f64>| times.into_iter().map(|time| time / strings.len() as f64).collect();
        let times: Vec<Vec<f64>> = take_turns(&mut passes, self.rounds, self.turn).into_iter().map(per_call).collect();
        self.show(&format!("{op:?} {what}"), what, &names, &times);
    }

    fn show(&mut self, which: &str, what: &str, names: &[(String, Side)], times: &[Vec<f64>]) {
        let median = |who: usize| Spread::of(&times[who]).median;
        let ours = Spread::of(&times[0]);
        let peers = (0..names.len()).filter(|&who| names[who].1 == Side::Peer);
        let best = peers.min_by(|&a, &b| median(a).total_cmp(&median(b)));
        let mut line = format!("{what:28} {:8.2}", ours.median);
        if let Some(best) = best {
            let theirs = Spread::of(&times[best]);
            let ratios: Vec<f64> = times[0].iter().zip(&times[best]).map(|(ours, theirs)| theirs / ours).collect();
            let ratio = Spread::of(&ratios);
            line += &format!(" {:8.2}  {:19} {:6.2}x", theirs.median, names[best].0, ratio.median);
            self.rows += 1;
            if ours.median > theirs.median && ratio.high < 1.0 {
                line += " LOST";
                self.lost.push(which.to_string());
            }
        }
        let others =
            (1..names.len()).filter(|&who| Some(who) != best && (self.arguments.all || names[who].1 != Side::Peer));
        for who in others {
            line += &format!("  {} {:.2}", names[who].0, median(who));
        }
        println!("{}", line.trim_end());
    }

    fn tables(&mut self, components: &[Corpus]) {
        for (op, what) in OPS {
            if !format!("{op:?} {what}").contains(&self.arguments.only) {
                continue;
            }
            println!("\n{what}\n{:28} {:>8} {:>8}", "", "ns", "peer");
            for cleanness in [Cleanness::Clean, Cleanness::Dirty] {
                for len in LENGTHS {
                    let corpus = corpus::of_length(len, cleanness, op == Op::DecodeUtf8Plus);
                    let strings = op.strings(&corpus);
                    if !strings.is_empty() {
                        let kind = if cleanness == Cleanness::Clean { "clean" } else { "dirty" };
                        self.row(op, &format!("{} bytes, {kind}", corpus.name), strings);
                    }
                }
            }
            for corpus in components {
                self.row(op, &corpus.name, op.strings(corpus));
            }
        }
    }

    /// Measures how long a program takes to make an `Encoder`, if the compiler doesn't know the encoder's set.
    fn run_time_encoder(&mut self) {
        if !"Encoder at run time".contains(&self.arguments.only) {
            return;
        }
        let allowed: Vec<ByteSet> = presets::CATALOGUE.iter().map(|entry| entry.allowed).collect();
        let mut passes: Vec<Box<dyn FnMut()>> = vec![
            Box::new(|| allowed.iter().for_each(|set| _ = black_box(Encoder::new(*black_box(set))))),
            Box::new(|| {
                let encode = |set: &ByteSet| _ = black_box(Encoder::new(*black_box(set)).encode(black_box("abc def")));
                allowed.iter().for_each(encode);
            }),
        ];
        let times = take_turns(&mut passes, self.rounds, self.turn);
        let per_call = |times: &[f64]| Spread::of(times).median / allowed.len() as f64;
        println!("\nAn Encoder made at run time\n{:28} {:8.2}", "Encoder::new", per_call(&times[0]));
        println!("{:28} {:8.2}", "and 7 bytes encoded", per_call(&times[1]));
    }

    /// Times the first call of a process, with a new process for each run.
    fn first_call(&self) {
        if !"first call of a process".contains(&self.arguments.only) {
            return;
        }
        let program = env::current_exe().unwrap();
        println!("\nThe first call of a process (nanoseconds of the wall clock)");
        for (kind, what) in FIRST {
            let run = |_| {
                let output = Command::new(&program).args(["--first", kind]).output().unwrap();
                String::from_utf8(output.stdout).unwrap().trim().parse::<f64>().unwrap()
            };
            let times: Vec<f64> = (0..if self.arguments.quick { 3 } else { 51 }).map(run).collect();
            let Spread { low, median, high } = Spread::of(&times);
            println!("{what:44} {median:8.0}  ({low:.0} to {high:.0})");
        }
    }
}

/// The calls to time as the first call of a new process, each with a description.
const FIRST: [(&str, &str); 5] = [
    ("clock", "only reading the clock"),
    ("cpuid", "asking for the features of the CPU"),
    ("decode", "decode of 27 bytes"),
    ("asked", "decode of 27 bytes, the CPU detected before"),
    ("peer", "percent-encoding's decode of 27 bytes"),
];

/// Performs the call of [`FIRST`] with this name, and prints its time.
fn first(kind: &str) {
    const INPUT: &str = "caf%C3%A9%20au%20lait%20x%41";
    let features = || {
        #[cfg(target_arch = "x86_64")]
        black_box(std::arch::is_x86_feature_detected!("avx512vbmi2"));
    };
    if kind == "asked" {
        features();
    }
    // Read the clock once before the measurement, because the first read takes longer.
    black_box(Instant::now().elapsed());
    let start = Instant::now();
    match kind {
        "cpuid" => features(),
        "decode" | "asked" => _ = black_box(DECODER.decode(black_box(INPUT))),
        "peer" => _ = black_box(Cow::<[u8]>::from(percent_decode_str(black_box(INPUT)))),
        _ => {}
    }
    println!("{}", start.elapsed().as_nanos());
}

fn main() -> Result<(), String> {
    let mut args = env::args().skip(1).peekable();
    if args.next_if(|arg| arg == "--first").is_some() {
        first(&args.next().unwrap_or_default());
        return Ok(());
    }
    let arguments = Arguments::parse(args)?;
    let mut components = corpus::made();
    for file in &arguments.urls {
        let text = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let name = file.rsplit('/').next().unwrap_or_default();
        components.extend(components::components(name, &String::from_utf8_lossy(&text)));
    }
    c::prepare();
    let engine = arguments.engine.unwrap_or(Engine::active());
    println!("engine {engine}; {}", env!("RUSTC_VERSION"));
    components.iter().for_each(|corpus| println!("{}", corpus.describe()));
    let (rounds, turn) = if arguments.quick { (3, 1e4) } else { (15, 2e5) };
    let mut bench = Bench { arguments, rounds, turn, rows: 0, lost: Vec::new() };
    bench.tables(&components);
    bench.run_time_encoder();
    bench.first_call();
    println!(
        "\n{} of {} rows lost to a peer{}",
        bench.lost.len(),
        bench.rows,
        if bench.lost.is_empty() { "" } else { ":" }
    );
    bench.lost.iter().for_each(|row| println!("    {row}"));
    Ok(())
}
