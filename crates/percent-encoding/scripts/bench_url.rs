//! Times `url` on the original crates and on the drop-in replacements, in turns.

mod clock;

use std::hint::black_box;
use std::process::ExitCode;
use std::{env, fs};

const ROUNDS: usize = 31;
/// URLs in a turn, at least.
const TURN: usize = 20_000;

fn main() -> ExitCode {
    let Some(text) = env::args().nth(1).and_then(|file| fs::read_to_string(file).ok()) else {
        eprintln!("no file of URLs in UTF-8");
        return ExitCode::FAILURE;
    };
    let lines = text.lines().map(|line| line.trim_start_matches('\u{FEFF}'));
    let all: Vec<&str> = lines.filter(|line| url::Url::parse(line).is_ok()).collect();
    let made: Vec<String> =
        all.iter().take(2000).map(|line| format!("{line}/путь/ünïcode?q=что такое&name=Jürgen \"K\"")).collect();
    let made: Vec<&str> = made.iter().map(|line| &line[..]).collect();
    for line in all.iter().chain(&made) {
        let (published, patched) = (url::Url::parse(line), patched_url::Url::parse(line));
        if published.map(String::from) != patched.map(String::from).map_err(|_| url::ParseError::Overflow) {
            eprintln!("parsed to something else with the patch: {line}");
            return ExitCode::FAILURE;
        }
    }
    let with = |test: &dyn Fn(&str) -> bool| all.iter().copied().filter(|line| test(line)).collect::<Vec<_>>();
    let percents = |text: &str| text.matches('%').count();
    let encoded = |line: &str| url::Url::parse(line).is_ok_and(|url| percents(url.as_str()) > percents(line));
    println!("| `Url::parse` of | URLs | published, ns | patched, ns | times |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    race("the first of the file", &all[..all.len().min(10_000)]);
    race("those with a query", &with(&|line| line.contains('?')));
    race("those with an escape", &with(&|line| line.contains('%')));
    race("those with something to escape", &with(&encoded));
    race("some with Cyrillic, spaces and quotes added", &made);
    ExitCode::SUCCESS
}

/// Prints the medians of the times and of their ratios.
fn race(name: &str, urls: &[&str]) {
    if urls.is_empty() {
        return;
    }
    let passes = TURN.div_ceil(urls.len());
    let turn = |parse: &dyn Fn(&str)| {
        let pass = || (0..passes).for_each(|_| urls.iter().for_each(|url| parse(black_box(url))));
        clock::time(pass) / (passes * urls.len()) as f64
    };
    let published = |url: &str| _ = black_box(url::Url::parse(url));
    let patched = |url: &str| _ = black_box(patched_url::Url::parse(url));
    let rounds: Vec<[f64; 2]> = (0..ROUNDS)
        .map(|round| {
            if round % 2 == 0 {
                [turn(&published), turn(&patched)]
            } else {
                let patched = turn(&patched);
                [turn(&published), patched]
            }
        })
        .collect();
    let median = |of: &dyn Fn(&[f64; 2]) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[ROUNDS / 2]
    };
    println!(
        "| {name} | {} | {:.0} | {:.0} | {:.2} |",
        urls.len(),
        median(&|round| round[0]),
        median(&|round| round[1]),
        median(&|round| round[0] / round[1]),
    );
}
