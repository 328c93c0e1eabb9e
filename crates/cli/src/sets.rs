//! The sets by name, and what the command line says of them.

use std::fmt::Write;

use percent_simd::presets::{CATALOGUE, Preset, by_name};
use percent_simd::sets::ALPHANUMERIC;
use percent_simd::{ByteSet, Decoder};

/// The set called `name`, or an error that names those it might be.
pub fn parse(name: &str) -> Result<&'static Preset, String> {
    by_name(name).ok_or_else(|| {
        let near = near(name);
        let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(", ")) };
        format!("there is none of that name; {near}`pct sets` lists all")
    })
}

/// Letters and digits of `name`, in upper case.
fn fold(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

/// The sets whose name or clause has `name` in it, or else those whose name is the nearest.
fn near(name: &str) -> Vec<&'static str> {
    let wanted = fold(name);
    let has = |text: &str| !wanted.is_empty() && fold(text).contains(&wanted);
    let found: Vec<_> =
        CATALOGUE.iter().filter(|entry| has(entry.name) || has(entry.clause)).map(|entry| entry.name).take(8).collect();
    if !found.is_empty() {
        return found;
    }
    let distances = CATALOGUE.iter().map(|entry| (distance(&wanted, &fold(entry.name)), entry.name));
    let nearest = distances.clone().map(|(distance, _)| distance).min().unwrap_or(0);
    if nearest > wanted.len() / 3 {
        return Vec::new();
    }
    distances.filter(|&(distance, _)| distance == nearest).map(|(_, name)| name).collect()
}

/// How many letters must be put in, left out or changed to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The bytes that CHARS stands for: its characters, and what its escapes stand for.
pub fn bytes(chars: &str) -> Result<ByteSet, String> {
    if !chars.is_ascii() {
        return Err("a character outside of ASCII is several bytes, which other characters share; \
                    if you mean the bytes, write them as %XX"
            .into());
    }
    Ok(ByteSet::of(&Decoder::new().decode(chars)))
}

/// Every set on a line: name, punctuation, clause.
pub fn list() -> String {
    let mut text = String::from("Letters and digits are in every set. Left as they are besides:\n\n");
    for entry in CATALOGUE {
        let punctuation = characters(entry.allowed - ALPHANUMERIC, "");
        let _ = writeln!(text, "{:26} {punctuation:37} {}{}", entry.name, entry.clause, notes(entry));
    }
    text
}

fn notes(entry: &Preset) -> String {
    [
        (entry.space_to_plus, "; space to +"),
        (entry.lowercase, "; lower-case digits"),
        (entry.keep_triplets, "; valid escapes stay"),
    ]
    .iter()
    .filter_map(|&(holds, note)| holds.then_some(note))
    .collect()
}

/// One set in full.
pub fn show(entry: &Preset) -> String {
    let left = entry.allowed;
    let others = CATALOGUE.iter().filter(|other| other.allowed == left && other.name != entry.name);
    let same: Vec<_> = others.map(|other| other.name).collect();
    let space = if entry.space_to_plus {
        "+"
    } else if left.contains(b' ') {
        "left as it is"
    } else {
        "%20"
    };
    let mut lines = vec![
        ("source", entry.clause.to_string()),
        ("left as is", format!("A-Z a-z 0-9 {}", characters(left - ALPHANUMERIC, " "))),
        ("encoded", format!("controls, {} and every byte from 0x80", characters(printable() - left, " "))),
        ("space", space.to_string()),
        ("digits", if entry.lowercase { "lower case" } else { "upper case" }.to_string()),
        (
            "escapes",
            if entry.keep_triplets { "valid ones stay" } else { "their % is taken like any other" }.to_string(),
        ),
    ];
    if !same.is_empty() {
        lines.push(("same bytes", same.join(", ")));
    }
    let mut text = format!("{}\n", entry.name);
    for (what, value) in lines {
        let _ = writeln!(text, "  {what:10}  {value}");
    }
    text
}

fn printable() -> ByteSet {
    ByteSet::range(b' ', b'~')
}

/// The characters of `set`, which are printable, with `between` between them.
fn characters(set: ByteSet, between: &str) -> String {
    let names: Vec<_> =
        set.iter().map(|byte| if byte == b' ' { "SP".to_string() } else { char::from(byte).to_string() }).collect();
    names.join(between)
}
