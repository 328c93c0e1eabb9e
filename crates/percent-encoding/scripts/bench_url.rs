//! Measures the time of `url` with the original crates and with the drop-in replacements, in turns.

use std::hint::black_box;
use std::process::ExitCode;
use std::{env, fs};

use percent_simd_bench::race::{Pass, Races};
use percent_simd_bench::turns::Spread;

fn main() -> ExitCode {
    let Some(text) = env::args().nth(1).and_then(|file| fs::read_to_string(file).ok()) else {
        eprintln!("cannot read the file of URLs as UTF-8");
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
            eprintln!("the result differs with the patch: {line}");
            return ExitCode::FAILURE;
        }
    }
    let with = |test: &dyn Fn(&str) -> bool| all.iter().copied().filter(|line| test(line)).collect::<Vec<_>>();
    let percents = |text: &str| text.matches('%').count();
    let encoded = |line: &str| url::Url::parse(line).is_ok_and(|url| percents(url.as_str()) > percents(line));
    println!("| `Url::parse` of | URLs | published, ns | patched, ns | times |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    race("the first URLs of the file", &all[..all.len().min(10_000)]);
    race("URLs with a query", &with(&|line| line.contains('?')));
    race("URLs with an escape", &with(&|line| line.contains('%')));
    race("URLs that `url` escapes", &with(&encoded));
    race("URLs with Cyrillic, spaces and quotes added", &made);
    ExitCode::SUCCESS
}

/// Prints the medians of the times and of their ratio.
fn race(name: &str, urls: &[&str]) {
    if urls.is_empty() {
        return;
    }
    let published = || urls.iter().for_each(|url| _ = black_box(url::Url::parse(black_box(url))));
    let patched = || urls.iter().for_each(|url| _ = black_box(patched_url::Url::parse(black_box(url))));
    let entries: Vec<(String, Pass)> =
        vec![("published".into(), Box::new(published)), ("patched".into(), Box::new(patched))];
    let race = Races::new(31, 1e7).take_turns(name, urls.iter().map(|url| url.len()).sum(), urls.len(), entries);
    println!(
        "| {name} | {} | {:.0} | {:.0} | {:.2} |",
        urls.len(),
        race.nanoseconds("published"),
        race.nanoseconds("patched"),
        Spread::of(&race.times_faster("patched", "published")).median,
    );
}
