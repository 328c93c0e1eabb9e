//! Parsers of the values of options.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use percent_simd::Engine;
use percent_simd_records::transform::Part;

/// Returns the engine called `name`.
pub fn engine(name: &str) -> Result<&'static Engine, String> {
    Engine::by_name(&name.to_ascii_lowercase()).ok_or_else(|| {
        let names: Vec<_> = Engine::available().map(Engine::name).collect();
        format!("no engine has this name; this CPU runs {}", names.join(", "))
    })
}

/// Parses a number of places, or `all`.
pub fn places(text: &str) -> Result<usize, String> {
    match text.parse() {
        _ if text == "all" => Ok(usize::MAX),
        Ok(places) => Ok(places),
        Err(_) => Err("expected a number or `all`".into()),
    }
}

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 0..=1024) => Ok(threads),
        _ => Err("expected a number of threads, at most 1024".into()),
    }
}

/// Returns the parser of `--part`.
pub fn part() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::NAMES.map(|(name, _)| name))
        .try_map(|text| Part::NAMES.into_iter().find(|(name, _)| *name == text).map(|(_, part)| part).ok_or("no part"))
}
