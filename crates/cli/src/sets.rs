//! Finds sets by name, and writes the output of `pct sets`.

use std::fmt::Write;

use percent_simd::presets::{CATALOGUE, Preset, by_name};
use percent_simd::sets::ALPHANUMERIC;
use percent_simd::{ByteSet, Decoder};

/// Returns the set called `name`, or an error that suggests similar names.
pub fn parse(name: &str) -> Result<&'static Preset, String> {
    by_name(name).ok_or_else(|| {
        let near = near(name);
        let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(", ")) };
        format!("no set has this name; {near}`pct sets` lists all")
    })
}

/// Returns the letters and digits of `name` in upper case.
fn fold(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

/// Returns the sets whose name or clause contains `name`. If no set does, returns the sets with the most similar names.
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

/// Returns the edit distance: how many letters must be inserted, deleted or replaced to turn `a` into `b`.
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

/// Parses the CHARS of an option, which are characters and escapes. Returns the set of these characters and of the bytes that the
/// escapes decode to.
pub fn bytes(chars: &str) -> Result<ByteSet, String> {
    if !chars.is_ascii() {
        return Err("a character outside ASCII is several bytes, and other characters share these bytes; \
                    if you mean the bytes, write each as %XX"
            .into());
    }
    Ok(ByteSet::of(&Decoder::new().decode(chars)))
}

/// Returns a line for every set: name, punctuation, clause.
pub fn list() -> String {
    let mut text = String::from("Every set has letters and digits. It also leaves these bytes as they are:\n\n");
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

/// Returns the full description of a set.
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
            if entry.keep_triplets { "valid ones stay" } else { "their % is encoded like any other %" }.to_string(),
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

/// Returns the characters of `set`, joined by `between`. All characters must be printable.
fn characters(set: ByteSet, between: &str) -> String {
    let names: Vec<_> =
        set.iter().map(|byte| if byte == b' ' { "SP".to_string() } else { char::from(byte).to_string() }).collect();
    names.join(between)
}
