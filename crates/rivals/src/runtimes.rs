//! The functions of other languages. We run a program for each language whose interpreter or compiler is installed.
//!
//! A program gets a folder, a number of rounds, and the names of sizes. For each size, the folder has `encode-SIZE.txt` and
//! `decode-SIZE.txt`. Each line is an input. For each of these files, the program
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
    pub size: String,
    /// Nanoseconds per input.
    pub ns: f64,
    /// True if all its outputs are right.
    pub right: bool,
}

/// Inputs of a size, for both operations.
pub struct Task {
    pub size: &'static str,
    pub encode: Vec<String>,
    pub decode: Vec<String>,
}

/// Returns true if the output is right for the operation and the input.
pub type Check = fn(Op, &str, &[u8]) -> bool;

/// Runs the programs of all languages on the inputs of `tasks`.
pub fn run(effort: Effort, tasks: &[Task], check: Check) -> Result<Vec<Runtime>, String> {
    let folder = env::temp_dir().join(format!("percent-simd-rivals-{}", process::id()));
    let result = run_in(&folder, effort, tasks, check).map_err(|error| format!("{}: {error}", folder.display()));
    // If the folder can't be removed, it stays. The system removes temporary files later.
    _ = fs::remove_dir_all(&folder);
    result
}

fn run_in(folder: &Path, effort: Effort, tasks: &[Task], check: Check) -> std::io::Result<Vec<Runtime>> {
    fs::create_dir_all(folder)?;
    for task in tasks {
        for (op, inputs) in [("encode", &task.encode), ("decode", &task.decode)] {
            let lines: String = inputs.iter().map(|input| format!("{input}\n")).collect();
            fs::write(folder.join(format!("{op}-{}.txt", task.size)), lines)?;
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
            .args(tasks.iter().map(|task| task.size))
            .output();
        match run {
            Ok(run) if run.status.success() => {
                let text = String::from_utf8_lossy(&run.stdout).into_owned();
                all.extend(text.lines().filter_map(|line| runtime(folder, line, tasks, check)));
            }
            Ok(run) => eprintln!("{key}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr)),
            Err(_) => eprintln!("skipped: there is no {}", command[0]),
        }
    }
    Ok(all)
}

fn runtime(folder: &Path, line: &str, tasks: &[Task], check: Check) -> Option<Runtime> {
    let mut fields = line.split('\t');
    let [key, name, op, size, ns] = [(); 5].map(|()| fields.next().unwrap_or_default());
    let task = tasks.iter().find(|task| task.size == size)?;
    let outputs = fs::read(folder.join(format!("{key}-{op}-{size}.out"))).ok()?;
    let (op, inputs) = match op {
        "encode" => (Op::Encode, &task.encode),
        "decode" => (Op::Decode, &task.decode),
        _ => return None,
    };
    let outputs: Vec<&[u8]> = outputs.strip_suffix(b"\n")?.split(|&byte| byte == b'\n').collect();
    let right =
        inputs.len() == outputs.len() && inputs.iter().zip(outputs).all(|(input, output)| check(op, input, output));
    Some(Runtime { name: name.to_string(), op, size: size.to_string(), ns: ns.parse().ok()?, right })
}
