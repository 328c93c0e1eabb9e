//! The section of BENCHMARKS.md about the components of real URLs. It is measured by itself, because it needs a file of URLs.

use std::fs;
use std::path::Path;

use percent_simd_bench::{Op, decoded};

use super::{RIGHT, image, languages, machine, number};
use crate::components::{self, Corpus};
use crate::race::{Bench, Effort};
use crate::runtimes::{self, Task};

/// The last version of the page. The section stays, unless it is measured again.
const PAGE: &str = include_str!("../../../../BENCHMARKS.md");
const HEADING: &str = "\n## ";
const COMPONENTS: &str = "\n## Components of real URLs\n";

/// The most components that are measured.
const MOST: usize = 20_000;

/// Measures the components of the URLs in `file`, and returns the section.
pub fn measured(bench: &Bench, effort: Effort, file: &str) -> Result<String, String> {
    let text = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let name = Path::new(file).file_name().unwrap_or_default().display();
    let all: Vec<String> = components::components("", &String::from_utf8_lossy(&text))
        .into_iter()
        .flat_map(|corpus| corpus.escaped)
        .filter(|component| is_portable(component))
        .collect();
    // Take components from the whole file.
    let step = all.len().div_ceil(MOST).max(1);
    let corpus = Corpus::of_components("Components".to_string(), all.into_iter().step_by(step).collect());
    let inputs = [(Op::Encode, &corpus.plain), (Op::Decode, &corpus.escaped)];
    let races = inputs.map(|(op, inputs)| (op, bench.on(&format!("{op:?} components"), op, inputs)));
    let rust = |name: &str, op: Op, _: &str| Some(races.iter().find(|race| race.0 == op)?.1.of(name)?.ns);
    let task = Task { size: "components", encode: corpus.plain.clone(), decode: corpus.escaped.clone() };
    let runtimes = runtimes::run(effort, &[task], is_right)?;
    Ok(format!(
        "{COMPONENTS}\nThese are the functions of each language on the path segments, and on the names and values of queries, in the URLs of a \
         file (`{name}`). {}. Each language has its own set of characters that stay, and some write a space as `+`. So an encoded \
         text is right if it decodes to its input. We left out components that are empty, that have a malformed escape or a line \
         break, or that don't decode to UTF-8. {}\n\n{}{}\n| | encode a component, ns | decode a component, ns |\n\
         | --- | ---: | ---: |\n{}",
        corpus.describe(),
        machine(),
        image("components-encode-bars", "Encoding components of URLs: a bar for each language"),
        image("components-decode-bars", "Decoding components of URLs: a bar for each language"),
        languages(&[Op::Encode, Op::Decode].map(|op| (op, "components")), &runtimes, rust, |ns, _| number(ns)),
    ))
}

/// Returns true if each language can decode `component`, and each program can read it and its decoded text on a line.
fn is_portable(component: &str) -> bool {
    let bytes = decoded(component.as_bytes());
    let is_escape =
        |rest: &str| rest.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    !bytes.is_empty() && !bytes.iter().any(|byte| b"\r\n".contains(byte)) && component.split('%').skip(1).all(is_escape)
}

/// Returns true if an encoder's output decodes to the input, or if a decoder's output is the decoded input, with or without
/// a space for each `+`.
fn is_right(op: Op, input: &str, output: &[u8]) -> bool {
    let spaced =
        |text: &[u8]| decoded(&text.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect::<Vec<_>>());
    match op {
        Op::Encode => spaced(output) == input.as_bytes(),
        _ => output == decoded(input.as_bytes()) || output == spaced(input.as_bytes()),
    }
}

/// Returns the recorded section, or an empty text.
pub fn recorded() -> &'static str {
    let Some(start) = PAGE.find(COMPONENTS) else { return "" };
    let section = &PAGE[start..];
    section[COMPONENTS.len()..].find(HEADING).map_or(section, |end| &section[..COMPONENTS.len() + end])
}

/// Returns BENCHMARKS.md with `section` in place of the recorded section.
pub fn page_with(section: &str) -> String {
    match recorded() {
        "" => PAGE.replacen(RIGHT, &format!("{section}{RIGHT}"), 1),
        old => PAGE.replacen(old, section, 1),
    }
}
