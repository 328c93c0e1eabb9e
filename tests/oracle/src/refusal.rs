//! Runs every public operation many times. In each run, one request for memory is refused: the operation's first request, then
//! its second, and so on. The operation must return an error or panic as documented, and leak no memory. It must not continue
//! as if it had the memory. Other libraries may end the process if they get no memory, so each operation runs in its own
//! process.

use std::iter;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

use crate::work::{Operation, hostile};
use crate::{memory, skip};

/// Returns three inputs: a short one that is processed on the stack, a longer one, and one that is processed in several pieces.
fn inputs() -> [String; 3] {
    let unit = "a?b=c&%41+%zz/é%C3%A9%2f../;";
    [unit.into(), hostile(unit, 1200), hostile(unit, 40_000)]
}

/// The full name of the test that calls [`operations_survive_each_failed_allocation`].
const TEST: &str = "memory::operations_survive_each_failed_allocation";
/// The environment variable with the task of a child process. It has three numbers: the index of the operation, the
/// index of the input, and the number of the first request for memory that the child refuses.
const TRIAL: &str = "PERCENT_SIMD_REFUSED";
/// The beginning of the message with which operations panic if there is no memory.
const SAYS: &str = "the result cannot be stored: memory allocation failed";
/// The two allowed outcomes of an operation: it returns ([`WENT_ON`]), or it panics with the message [`SAYS`] ([`PANICKED`]).
const WENT_ON: &str = "went on";
const PANICKED: &str = "panicked";

/// Runs an operation. Grants its first `until` requests for memory, and refuses the next `times`. Returns the outcome and the
/// number of leaked bytes. Returns `None` if the operation makes no more than `until` requests.
fn refuse(operation: fn(&str), input: &str, until: usize, times: usize) -> Option<(&'static str, isize)> {
    let live = memory::live();
    let run = || catch_unwind(AssertUnwindSafe(|| operation(input)));
    let (result, was_refused) = memory::refusing(until..until + times, run);
    let what = match result {
        Ok(()) if !was_refused => return None,
        Ok(()) => WENT_ON,
        Err(panic) if panic.downcast_ref::<String>().is_some_and(|text| text.starts_with(SAYS)) => PANICKED,
        Err(_) => "panicked for another reason",
    };
    Some((what, memory::live() - live))
}

/// Returns the number of the next request to refuse, after request number `request`. An operation on a long input makes many
/// requests, so we refuse only some of them.
fn next(request: usize, input: &str) -> usize {
    request + 1 + if input.len() < 100 { 0 } else { request / 2 }
}

/// Runs the operation again and again. The first run refuses the request for memory with the number `first`, and each further
/// run refuses a later request. Prints the outcome of each run.
fn refuse_each(operation: fn(&str), input: &str, first: usize) {
    std::panic::set_hook(Box::new(|_| {}));
    for until in iter::successors(Some(first), |&until| Some(next(until, input))) {
        // If a call on a short input gets no memory, it tries the path for long inputs, which requests memory again. So
        // if the operation succeeds, we run it again and refuse two requests in a row, then three, then four.
        let Some(mut outcome) = refuse(operation, input, until, 1) else { return };
        for times in 2..=4 {
            if outcome == (WENT_ON, 0) {
                outcome = refuse(operation, input, until, times).unwrap();
            }
        }
        println!("{} {}", outcome.1, outcome.0);
    }
}

/// For each operation, refuses its requests for memory one after the other. Returns how many runs ended with an error,
/// with a panic and with an abort. If this program can't start itself again, each count is `usize::MAX`.
///
/// An operation in `go_on` may return an error. An operation in `abort` may end the process. All other operations must panic.
/// Only the test `TEST` may call this function, because each child process runs that test.
pub fn operations_survive_each_failed_allocation(
    operations: &[Operation],
    go_on: &[&str],
    abort: &[&str],
) -> [usize; 3] {
    if let Ok(trial) = std::env::var(TRIAL) {
        let numbers: Vec<usize> = trial.split(' ').map(|number| number.parse().unwrap()).collect();
        let [operation, input, first] = numbers[..] else { panic!("{trial}") };
        let (_, operation) = operations[operation];
        operation("a"); // the first call initializes statics
        println!("begins");
        refuse_each(operation, &inputs()[input], first);
        println!("ends");
        std::process::exit(0);
    }
    let binary = std::env::current_exe().unwrap();
    let list = Command::new(&binary).args(["--exact", TEST, "--list"]).output();
    let Some(list) = list.ok().filter(|list| list.status.success()) else {
        skip("refused memory: this program can't start itself again, as under an emulator");
        return [usize::MAX; 3];
    };
    assert!(list.stdout.starts_with(TEST.as_bytes()), "the test that calls this isn't {TEST}");
    let [mut errors, mut panics, mut aborts] = [0; 3];
    for (number, (name, _)) in operations.iter().enumerate() {
        for (input, text) in inputs().iter().enumerate() {
            let mut first = 0;
            loop {
                let child = Command::new(&binary)
                    .args(["--exact", TEST, "--nocapture"])
                    .env("RUST_BACKTRACE", "0")
                    .env(TRIAL, format!("{number} {input} {first}"))
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .output()
                    .unwrap();
                let (out, err) = (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
                let begun = first;
                let at = || format!("{name}, {} bytes, from request {begun} on:\n{out}{err}", text.len());
                let lines = out.split_once("begins\n").unwrap_or_else(|| panic!("{}", at())).1;
                for line in lines.lines().take_while(|line| *line != "ends") {
                    let (leaked, what) = line.split_once(' ').unwrap();
                    assert_eq!(leaked, "0", "leaked: {}", at());
                    if what == WENT_ON {
                        assert!(go_on.contains(name), "goes on: {}", at());
                        errors += 1;
                    } else {
                        assert_eq!(what, PANICKED, "{}", at());
                        panics += 1;
                    }
                    first = next(first, text);
                }
                if child.status.success() {
                    break;
                }
                let aborted = child.status.signal() == Some(6) && err.contains("memory allocation of");
                assert!(aborted && abort.contains(name), "{:?}: {}", child.status, at());
                aborts += 1;
                first = next(first, text);
            }
        }
    }
    println!("{errors} were errors, {panics} panicked, {aborts} ended the process");
    [errors, panics, aborts]
}
