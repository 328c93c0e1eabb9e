//! Measures percent-encoding: this project, its drop-in replacements, its peers, and the functions of other languages.
//!
//! `rivals [--quick] [--write FOLDER] [--urls FILE]` measures and prints the tables. With `--write` it also writes BENCHMARKS.md to
//! FOLDER. With `--quick` it takes only seconds: use this to see that everything works. With `--urls` it measures only the section
//! on the components of real URLs. The other sections stay as they are in BENCHMARKS.md. FILE is an access log, or has one URL on each line.
//!
//! An entry is one implementation of an operation. First, each output is compared with the output of a naive oracle, and entries
//! with a wrong output are left out. Then the entries take turns on the same inputs, in an order that changes from round to round.
//! The clock is the thread's CPU time.

use std::path::{Path, PathBuf};
use std::{env, fs};

mod components;
mod curl;
mod hostile;
mod peers;
mod race;
mod report;
mod runtimes;

use percent_simd_bench::Kind;
use percent_simd_bench::memory::Counting;
use race::{Bench, Effort};
use runtimes::Task;

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
/// The libraries in the tables of other languages.
const RUST: [&str; 2] = ["percent-simd", "percent-encoding"];

fn main() -> Result<(), String> {
    let (mut effort, mut folder, mut urls) = (Effort::FULL, None, None);
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--quick" => effort = Effort::QUICK,
            "--write" => folder = Some(PathBuf::from(args.next().ok_or("--write needs a folder")?)),
            "--urls" => urls = Some(args.next().ok_or("--urls needs a file")?),
            _ => {
                let options = "--quick, --write FOLDER and --urls FILE";
                return Err(format!("{arg}: unknown option; the options are {options}"));
            }
        }
    }
    let bench = Bench::new(effort);
    let page = if let Some(file) = urls {
        let section = report::urls::measured(&bench, effort, &file)?;
        println!("{section}");
        report::urls::page_with(&section)
    } else {
        let tasks = [("short", TYPICAL, STRINGS), ("long", LONG, 1)].map(|(size, len, count)| Task {
            size,
            encode: TENTH.texts(false, len, count),
            decode: TENTH.texts(true, len, count),
        });
        let runtimes = runtimes::run(effort, &tasks, |op, input, output| output == peers::expected(op, input))?;
        let report = report::Report { bench: &bench, runtimes, hostile: hostile::verdicts(effort.hostile) };
        let page = report.page();
        println!("{page}");
        page
    };
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
