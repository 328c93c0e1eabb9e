//! The functions of other languages. We run a program for each language whose interpreter or compiler is installed.
//!
//! A program gets two arguments: a folder and a number of rounds. The folder has `encode-short.txt`, `encode-long.txt`,
//! `decode-short.txt` and `decode-long.txt`. Each line is an input. For each of these files, the program
//!
//! 1. writes the outputs to `KEY-OP-SIZE.out`, one per line (we compare them with the oracle);
//! 2. repeats the calls and times them by its own clock;
//! 3. prints a line of five columns, separated by tabs: its key, the name of the function, the operation, the size, and the
//!    median of the nanoseconds per input.

use std::path::Path;
use std::process::Command;
use std::{env, fs, process};

use percent_simd_bench::Op;

use crate::race::Effort;
use crate::{LONG, STRINGS, TENTH, TYPICAL, peers};

/// For each language: its key, the command that runs its program, and the program.
const RUNTIMES: [(&str, &[&str], &str); 6] = [
    ("node", &["node"], "rival.mjs"),
    ("python", &["python3"], "rival.py"),
    ("perl", &["perl"], "rival.pl"),
    ("java", &["java"], "Rival.java"),
    ("php", &["php"], "rival.php"),
    ("go", &["go", "run"], "rival.go"),
];

/// The result of a function of a language.
pub struct Runtime {
    pub name: String,
    pub op: Op,
    pub long: bool,
    /// Nanoseconds per input.
    pub ns: f64,
    /// True if its outputs equal the oracle's outputs.
    pub right: bool,
}

pub fn run(effort: Effort) -> Result<Vec<Runtime>, String> {
    let folder = env::temp_dir().join(format!("percent-simd-rivals-{}", process::id()));
    let result = run_in(&folder, effort).map_err(|error| format!("{}: {error}", folder.display()));
    // If the folder can't be removed, it stays. The system removes temporary files later.
    _ = fs::remove_dir_all(&folder);
    result
}

fn run_in(folder: &Path, effort: Effort) -> std::io::Result<Vec<Runtime>> {
    fs::create_dir_all(folder)?;
    for op in [Op::Encode, Op::Decode] {
        for long in [false, true] {
            let lines: String = inputs(op, long).iter().map(|input| format!("{input}\n")).collect();
            fs::write(folder.join(format!("{}.txt", file(op, long))), lines)?;
        }
    }
    let mut all = Vec::new();
    for (key, command, program) in RUNTIMES {
        eprintln!("{key}");
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtimes").join(program);
        let run = Command::new(command[0])
            .args(&command[1..])
            .args([&program, folder])
            .arg(effort.rounds.to_string())
            .output();
        match run {
            Ok(run) if run.status.success() => {
                let text = String::from_utf8_lossy(&run.stdout).into_owned();
                all.extend(text.lines().filter_map(|line| runtime(folder, line)));
            }
            Ok(run) => eprintln!("{key}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr)),
            Err(_) => eprintln!("skipped: there is no {}", command[0]),
        }
    }
    Ok(all)
}

fn runtime(folder: &Path, line: &str) -> Option<Runtime> {
    let mut fields = line.split('\t');
    let [key, name, op, size, ns] = [(); 5].map(|()| fields.next().unwrap_or_default());
    let op = match op {
        "encode" => Op::Encode,
        "decode" => Op::Decode,
        _ => return None,
    };
    let long = size == "long";
    let mut expected = Vec::new();
    for input in inputs(op, long) {
        expected.extend(peers::expected(op, &input));
        expected.push(b'\n');
    }
    let output = fs::read(folder.join(format!("{key}-{}.out", file(op, long)))).ok()?;
    Some(Runtime { name: name.to_string(), op, long, ns: ns.parse().ok()?, right: output == expected })
}

fn inputs(op: Op, long: bool) -> Vec<String> {
    let (len, count) = if long { (LONG, 1) } else { (TYPICAL, STRINGS) };
    TENTH.texts(op != Op::Encode, len, count)
}

fn file(op: Op, long: bool) -> String {
    format!("{}-{}", if op == Op::Encode { "encode" } else { "decode" }, if long { "long" } else { "short" })
}
