//! Compares decoding and encoding with the oracle. The blocks are so small that they cut the input everywhere.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use clap::{CommandFactory, FromArgMatches};
use percent_simd::{Engine, presets};
use percent_simd_oracle::check;
use quickcheck::{Arbitrary, Gen};

use crate::args::Streams;
use crate::job::Job;
use crate::oracle::{self, Decoding, Encoding};
use crate::pipeline::{self, Blocks, RunError, RunResult, Sink, Source};
use crate::report::{Form, Report, When};
use crate::{Cli, Command, formats};

/// A random input, whose bytes often form escapes and line ends. The other fields choose the options, and the size of
/// the blocks that cut the input.
#[derive(Clone, Debug)]
struct Case {
    bytes: Vec<u8>,
    block: usize,
    options: u32,
    engine: &'static str,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Case {
        const ALPHABET: &[u8] = b"%%%%%%%%0012479aAfF??++\r\r\r\n\n\n\0 zz\x1B\x7F/\xD0\xFF";
        let engines: Vec<_> = Engine::available().map(Engine::name).collect();
        let len = u8::arbitrary(g);
        Case {
            bytes: (0..len).map(|_| *g.choose(ALPHABET).unwrap()).collect(),
            block: *g.choose(&[3, 4, 5, 7, 64, 67, 1000]).unwrap(),
            options: u32::arbitrary(g),
            engine: g.choose(&engines).unwrap(),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Case>> {
        let case = self.clone();
        Box::new(self.bytes.shrink().map(move |bytes| Case { bytes, ..case.clone() }))
    }
}

/// Bytes that several threads can read at any offset, like a file.
struct Bytes<'a>(&'a [u8]);

impl Blocks for Bytes<'_> {
    fn read_block(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.0[self.0.len().min(offset as usize)..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

/// A shared buffer. The report writes to it, and the test reads it.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Case {
    /// Returns one of `choices`, selected by the bits of `options` from bit `shift` on.
    fn choose<'a, T>(&self, shift: u32, choices: &'a [T]) -> &'a T {
        &choices[(self.options >> shift) as usize % choices.len()]
    }

    fn pump(&self, job: &Job) -> (Vec<u8>, Option<RunError>) {
        let (out, ran) = self.run(job);
        (out, ran.error)
    }

    /// Returns the output of a run, and a text. The text has the error of the run, or all findings if there is no error.
    fn ran(&self, job: &Job) -> (Vec<u8>, String) {
        let (out, ran) = self.run(job);
        let error = match ran.error {
            None => String::new(),
            Some(RunError::Malformed(located)) => located.to_string(),
            Some(_) => "input or output".into(),
        };
        let seen = if error.is_empty() { format!("{:?} {}", ran.stats, self.places(job)) } else { error };
        (out, seen)
    }

    fn run(&self, job: &Job) -> (Vec<u8>, RunResult) {
        let mut out = Vec::new();
        let fills = self.options >> 20 & 1 == 0;
        // Starting threads costs more than this little work, so most cases use one thread.
        let threads = if self.options >> 21 & 15 == 0 { 3 } else { 1 };
        let bytes = Bytes(&self.bytes);
        let blocks = (fills && self.options >> 25 & 1 == 0).then_some(&bytes as &dyn Blocks);
        let source = Source::new(&self.bytes[..], job, self.block, fills).with_blocks(blocks);
        let ran = pipeline::run(source, job, &mut Sink::new(&mut out, None), threads);
        (out, ran)
    }

    /// Returns the places that a run reports.
    fn places(&self, job: &Job) -> String {
        let reported = Shared::default();
        let mut report = Report::to_output(Box::new(reported.clone()), Form::Json, When::Never);
        let mut out = Vec::new();
        let source = Source::new(&self.bytes[..], job, self.block, true);
        let mut sink = Sink { report: Some(&mut report), ..Sink::new(&mut out, None) };
        pipeline::run(source, job, &mut sink, 1);
        report.finish(&[], &serde_json::Map::new()).unwrap();
        let reported = reported.0.lock().unwrap();
        String::from_utf8(reported.clone()).unwrap()
    }
}

thread_local! {
    /// The parser of the command line. We keep it, because making it takes longer than running most cases.
    static PARSER: RefCell<clap::Command> = RefCell::new(Cli::command());
    /// The jobs made so far, by command line.
    static JOBS: RefCell<HashMap<String, Rc<Job>>> = RefCell::default();
}

/// Returns the job for a command line. `make` is called once for each command line. Empty arguments are dropped.
pub fn job(verb: &str, options: &[&str], make: impl FnOnce(Command) -> Job) -> Rc<Job> {
    let options = options.iter().copied().filter(|option| !option.is_empty());
    let args: Vec<&str> = ["pct", verb].into_iter().chain(options).collect();
    let name = args.join("\n");
    if let Some(job) = JOBS.with_borrow(|jobs| jobs.get(&name).cloned()) {
        return job;
    }
    let matches = PARSER.with_borrow_mut(|parser| parser.try_get_matches_from_mut(args));
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_or_else(|error| panic!("{error}"));
    let job = Rc::new(make(cli.command));
    JOBS.with_borrow_mut(|jobs| jobs.insert(name, job.clone()));
    job
}

/// Returns a job of `decode` or `encode`.
fn stream_job(verb: &str, options: &[&str]) -> Rc<Job> {
    let format = |streams: &Streams| formats::build(&streams.format(), &streams.fields.choice()).unwrap();
    job(verb, options, |command| match command {
        Command::Decode(args) => args.job(format(&args.streams), b"").unwrap(),
        Command::Encode(args) => args.job(format(&args.streams)).unwrap(),
        _ => unreachable!("no verb of this kind"),
    })
}

fn decodes(case: Case) -> bool {
    let keep = *case.choose(0, &["", "--keep=%2fA+"]);
    let plus = *case.choose(2, &["", "--plus", "--plus=after-query"]);
    let records = *case.choose(5, &["", "--raw", "--null"]);
    let strict = *case.choose(7, &["", "--strict"]);
    let mut decoding = Decoding {
        keep: if keep.is_empty() { BTreeSet::new() } else { BTreeSet::from(*b"/A+") },
        plus: (!plus.is_empty()).then_some(plus == "--plus=after-query"),
        end: None,
    };
    match records {
        "--raw" => {}
        "--null" => {
            decoding.keep.insert(0);
            decoding.end = Some(0);
        }
        _ => {
            decoding.keep.append(&mut oracle::controls());
            decoding.end = Some(b'\n');
        }
    }
    let job = stream_job("decode", &[keep, plus, records, strict, "--engine", case.engine]);
    let (out, error) = case.pump(&job);
    let (expected, malformed) = oracle::decode(&decoding, &case.bytes);
    match (malformed, strict) {
        (Some(at), "--strict") => {
            let before = &case.bytes[..at];
            let line_end = decoding.end.unwrap_or(b'\n');
            let line = before.iter().filter(|&&byte| byte == line_end).count() + 1;
            let column = before.rsplit(|&byte| byte == line_end).next().unwrap().len() + 1;
            let shown = &case.bytes[at..case.bytes.len().min(at + 3)];
            let shown = shown.split(|byte| b"\n\0".contains(byte)).next().unwrap().escape_ascii();
            let message = format!("{line}: byte {at} (column {column}): `{shown}` is ");
            // The output before the error is complete, as if the input ended at the error.
            let whole = oracle::decode(&decoding, before).0;
            out == whole && matches!(error, Some(RunError::Malformed(m)) if m.to_string().starts_with(&message))
        }
        _ => out == expected && error.is_none(),
    }
}

#[test]
fn decoding_matches_the_oracle_however_it_is_cut() {
    check(60_000, decodes as fn(Case) -> bool);
}

fn encodes(case: Case) -> bool {
    let set = case.choose(0, presets::CATALOGUE);
    let allow = *case.choose(8, &["", "--allow=+ %C3"]);
    let records = *case.choose(10, &["", "", "--raw", "--null"]);
    let lower = *case.choose(12, &["", "--lower"]);
    let plus = *case.choose(13, &["", "--plus"]);
    let keep_escapes = *case.choose(14, &["", "--keep-escapes"]);
    let mut stay: BTreeSet<u8> = set.allowed.iter().collect();
    if !plus.is_empty() {
        stay.remove(&b'+');
    }
    if !allow.is_empty() {
        stay.extend(b"+ \xC3");
    }
    if records == "--null" {
        stay.insert(0);
    }
    let encoding = Encoding {
        stay,
        lines: records.is_empty(),
        lower: !lower.is_empty() || set.lowercase,
        plus: !plus.is_empty() || set.space_to_plus,
        keep_escapes: !keep_escapes.is_empty() || set.keep_triplets,
    };
    let options = ["--set", set.name, allow, records, lower, plus, keep_escapes, "--engine", case.engine];
    let job = stream_job("encode", &options);
    let (out, error) = case.pump(&job);
    out == oracle::encode(&encoding, &case.bytes) && error.is_none()
}

#[test]
fn encoding_matches_the_oracle_however_it_is_cut() {
    check(60_000, encodes as fn(Case) -> bool);
}

/// Returns true if the result doesn't depend on the size of the blocks and on the number of threads. `case` chooses the format and
/// the options.
fn cutting_changes_nothing(case: Case) -> bool {
    const ALPHABET: &[&[u8]] = &[
        b"%41",
        b"%25",
        b"25",
        b"%C3",
        b"%a9",
        b"%ff",
        b"%",
        b"%0a",
        b"\"",
        b"\"",
        b"\\",
        b",",
        b"\t",
        b" ",
        b"\n",
        b"\n",
        b"\r\n",
        b"?",
        b"+",
        b"=",
        b"&",
        b"#",
        b"/",
        b"[",
        b"]",
        b"{\"url\":\"",
        b"\"}\n",
        b"url",
        b"\"GET /",
        b" HTTP/1.1\" ",
        b"1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /",
        b" HTTP/1.1\" 200 5 \"",
        b"\" \"\"\n",
        b"\n#Fields: cs-uri-query x\n",
        b"\n#Fields: x cs-uri-query\n",
        b"\n# id,url\n",
        b"\n#fields\turi\tx\n",
        b"</loc>",
        b" url=",
        b", request: \"GET /",
        b"\0",
        b"\x03%41",
        b"\\x41",
        b"\\xd0",
        b"\\xB0",
        b"\\x22",
        b"\xC3",
        "\u{e9}".as_bytes(),
        b"{\"entries\":[{\"request\":{\"url\":\"",
        b"\"}},",
        b" request=",
    ];
    let formats: [&[&str]; 26] = [
        &["--format=json", "-f/url"],
        &["--format=har"],
        &["--format=feed"],
        &["--format=cef"],
        &["--format=sitemap"],
        &["--format=logfmt"],
        &["--format=zeek"],
        &["--format=urlhaus", "-f2"],
        &["--format=text"],
        &["--format=haproxy"],
        &["--format=cri:combined"],
        &["--format=docker:ndjson"],
        &["--format=nginx-error"],
        &["--format=lines"],
        &["--null"],
        &["--rowbinary"],
        &["--format=clf"],
        &["--format=combined", "-f2,target"],
        &["--format=alb"],
        &["--format=s3"],
        &["--format=cloudfront"],
        &["--format=w3c"],
        &["--format=csv", "-furl"],
        &["--format=tsv", "-f2"],
        &["--format=ndjson", "-f/url"],
        &["--format=nginx:$x \"$request\" $args"],
    ];
    let options: [&[&str]; 10] = [
        &[],
        &["--on-utf8=replace", "--on-error=replace"],
        &["--repeat=3"],
        &["--part=values", "--plus=after-query"],
        &["--plus=after-query", "--report"],
        &["--on-error=skip", "--report", "--positions=2"],
        &["--on-utf8=fail"],
        &["--strict", "--report"],
        &["--normalize"],
        &["--unescape-log", "--repeat=2"],
    ];
    let bytes: Vec<u8> =
        case.bytes.iter().flat_map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).copied().collect();
    let (format, option) = (*case.choose(0, &formats), *case.choose(4, &options));
    if format == ["--rowbinary"] && option.contains(&"--on-error=skip") {
        return true;
    }
    if option.contains(&"--unescape-log") && !["clf", "combined", "nginx:"].iter().any(|name| format[0].contains(name))
    {
        return true;
    }
    let job = stream_job("decode", &[format, option].concat());
    let whole = Case { bytes: bytes.clone(), block: bytes.len() + 1, options: 1 << 22, engine: case.engine };
    let cut = Case { bytes, ..case };
    whole.ran(&job) == cut.ran(&job)
}

#[test]
fn cutting_changes_no_result_in_any_format() {
    check(30_000, cutting_changes_nothing as fn(Case) -> bool);
}

/// Whole chunks are processed at once only if no option has to look at the fields one by one.
#[test]
fn options_choose_the_plan() {
    let bulk: [&[&str]; 5] = [&[], &["--strict"], &["--plus=after-query"], &["--null"], &["--raw"]];
    let single: [&[&str]; 10] = [
        &["--report"],
        &["--check"],
        &["--on-error=skip"],
        &["--on-error=replace"],
        &["--on-utf8=keep"],
        &["--repeat=2"],
        &["--part=path"],
        &["--normalize"],
        &["--to=x"],
        &["--format=clf"],
    ];
    for options in bulk {
        assert!(stream_job("decode", options).is_bulk(), "{options:?}");
    }
    for options in single {
        assert!(!stream_job("decode", options).is_bulk(), "{options:?}");
    }
}

#[test]
fn the_definition_of_the_command_line_is_valid() {
    Cli::command().debug_assert();
}
