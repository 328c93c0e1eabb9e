//! Measures percent-encoding: this project, its drop-in replacements, its peers, and the functions of other languages.
//!
//! `rivals [--quick] [--write FOLDER]` measures and prints the tables. With `--write` it also writes BENCHMARKS.md to FOLDER.
//! With `--quick` it takes only seconds: use this to see that everything works.
//!
//! An entry is one implementation of an operation. First, each output is compared with the output of a naive oracle, and entries
//! with a wrong output are left out. Then the entries take turns on the same inputs, in an order that changes from round to round.
//! The clock is the thread's CPU time.

use std::path::{Path, PathBuf};
use std::{env, fs};

mod curl;
mod hostile;
mod peers;
mod race;
mod report;
mod runtimes;

use percent_simd_bench::Kind;
use percent_simd_bench::memory::Counting;
use race::{Bench, Effort};

#[global_allocator]
static COUNTING: Counting = Counting;

/// The length of a long string, in bytes.
const LONG: usize = 1 << 20;
/// The number of different short strings of each length.
const STRINGS: usize = 10_000;
/// The length of a short string, in bytes, in tables that have only one length.
const TYPICAL: usize = 100;
const LENGTHS: [usize; 7] = [3, 8, 16, 32, 64, 100, 200];
/// How many of a hundred bytes are escaped.
const DENSITIES: [f64; 8] = [0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
const TENTH: Kind = Kind::Escaped(10.0);
const CLEAN: Kind = Kind::Escaped(0.0);

fn main() -> Result<(), String> {
    let (mut effort, mut folder) = (Effort::FULL, None);
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--quick" => effort = Effort::QUICK,
            "--write" => folder = Some(PathBuf::from(args.next().ok_or("--write needs a folder")?)),
            _ => return Err(format!("{arg}: unknown option; the options are --quick and --write FOLDER")),
        }
    }
    let bench = Bench::new(effort);
    let runtimes = runtimes::run(effort)?;
    let report = report::Report { bench: &bench, runtimes, hostile: hostile::verdicts(effort.hostile) };
    let page = report.page();
    println!("{page}");
    if let Some(folder) = folder {
        write(&folder.join("BENCHMARKS.md"), &page)?;
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{}: {error}", file.display()))
}
