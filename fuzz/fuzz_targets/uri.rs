//! Splitting loses nothing; what is normal stays so, and is equivalent to what it was made of.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::uri::{self, Equivalence, Level, Normalizer, Uri};

fuzz_target!(|text: &str| {
    let parts = Uri::split(text);
    assert_eq!(parts.to_string(), text);
    if let Ok(parsed) = Uri::parse(text) {
        assert_eq!(parsed, parts);
    }
    for (normalizer, level) in [(Normalizer::new(), Level::PathSegment), (Normalizer::new().by_scheme(), Level::Scheme)]
    {
        let sanitised = normalizer.sanitize(text);
        assert_eq!(normalizer.normalize(&sanitised).as_deref(), Ok(&*sanitised));
        let Ok(normal) = normalizer.normalize(text) else { continue };
        assert_eq!(normal, sanitised);
        assert_eq!(uri::equivalent(text, &normal, level), Equivalence::Equivalent, "{normal}");
        assert_eq!(uri::equivalent(&normal, text, level), Equivalence::Equivalent, "{normal}");
        assert!(Uri::parse(text).is_err() || Uri::parse(&normal).is_ok(), "{normal}");
    }
    for finding in uri::lint(text) {
        assert!(finding.len > 0 && finding.offset + finding.len <= text.len(), "{finding:?}");
    }
    let _ = (uri::urn::Urn::parse(text), uri::urn::equivalent(text, text), uri::remove_dot_segments(parts.path));
    for segment in parts.segments() {
        let (name, parameters) = uri::parameters(segment.raw());
        assert!(name.raw().len() + parameters.count() <= segment.raw().len());
    }
});
