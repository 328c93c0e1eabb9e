//! Every public operation where memory cannot be allocated: one request after the other is refused, each in its turn. The
//! operation then returns an error, or panics as documented, and leaks nothing; it never goes on as if nothing had happened.
//! Memory that another library cannot allocate may end the process, so each operation runs in a process of its own.

use std::iter;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

use crate::work::{Operation, hostile};
use crate::{memory, skip};

/// Short, on the stack; longer than that; longer than what is worked on at a time.
fn inputs() -> [String; 3] {
    let unit = "a?b=c&%41+%zz/é%C3%A9%2f../;";
    [unit.into(), hostile(unit, 1200), hostile(unit, 40_000)]
}

/// The name of the test, as its program lists it.
const TEST: &str = "memory::each_request_is_refused";
/// The variable that tells a process its trial: the operation, the input, and the first request to refuse.
const TRIAL: &str = "PERCENT_SIMD_REFUSED";
/// The beginning of the message of the panics.
const SAYS: &str = "the result cannot be stored: memory allocation failed";
/// Outcomes of an operation.
const WENT_ON: &str = "went on";
const PANICKED: &str = "panicked";

/// Refuses `times` requests of an operation after `until` others. Returns the outcome and how many bytes it leaks, or `None` if
/// the operation makes no more than `until` requests.
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

/// Returns the request to refuse after this one. Long inputs make many requests, of which some are refused.
fn next(request: usize, input: &str) -> usize {
    request + 1 + if input.len() < 100 { 0 } else { request / 2 }
}

/// Refuses one request after the other, from `first` on, until there are no more, and prints the outcome of each.
fn refuse_each(operation: fn(&str), input: &str, first: usize) {
    std::panic::set_hook(Box::new(|_| {}));
    for until in iter::successors(Some(first), |&until| Some(next(until, input))) {
        // A short input whose request is refused takes the way for all inputs, which asks again.
        let Some(mut outcome) = refuse(operation, input, until, 1) else { return };
        for times in 2..=4 {
            if outcome == (WENT_ON, 0) {
                outcome = refuse(operation, input, until, times).unwrap();
            }
        }
        println!("{} {}", outcome.1, outcome.0);
    }
}

/// Refuses the requests of each operation, one after the other. Operations of `go_on` may return an error, those of `abort` may
/// end the process; all others panic. Returns how many requests ended in each of the three ways.
///
/// The test that calls this is [`TEST`].
pub fn each_request_is_refused(operations: &[Operation], go_on: &[&str], abort: &[&str]) -> [usize; 3] {
    if let Ok(trial) = std::env::var(TRIAL) {
        let numbers: Vec<usize> = trial.split(' ').map(|number| number.parse().unwrap()).collect();
        let [operation, input, first] = numbers[..] else { panic!("{trial}") };
        let (_, operation) = operations[operation];
        operation("a"); // what is set up once
        println!("begins");
        refuse_each(operation, &inputs()[input], first);
        println!("ends");
        std::process::exit(0);
    }
    let binary = std::env::current_exe().unwrap();
    let list = Command::new(&binary).args(["--exact", TEST, "--list"]).output();
    let Some(list) = list.ok().filter(|list| list.status.success()) else {
        skip("refused memory: this binary starts no other of its kind, as under an emulator");
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
