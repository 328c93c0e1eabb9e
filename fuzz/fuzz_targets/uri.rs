//! URIs: what must hold for any text, with no oracle.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use percent_simd::Decoder;
use percent_simd::uri::template::{Template, Value};
use percent_simd::uri::{self, Equivalence, FindingKind, Level, Normalizer, Uri, urn};
use percent_simd_oracle::{Keeps, assert_keeps_shape};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    // Two texts, where there is a NUL.
    let (a, b) = text.split_once('\0').unwrap_or((&text, ""));

    let split = Uri::split(a);
    assert_eq!(split.to_string(), a);
    assert!(Uri::parse(a).is_ok_and(|parsed| parsed == split) || Uri::parse(a).is_err_and(|e| e.offset <= a.len()));
    assert_eq!(split.segments().map(|part| part.raw()).collect::<Vec<_>>().join("/"), split.path);
    for pair in split.query_pairs() {
        assert_eq!(&a[pair.name.offset()..][..pair.name.raw().len()], pair.name.raw());
    }

    for (normalizer, level, keeps) in [
        (Normalizer::new(), Level::PathSegment, Keeps::BySyntax),
        (Normalizer::new().by_scheme(), Level::Scheme, Keeps::ByScheme),
    ] {
        let normal = normalizer.sanitize(a);
        assert_keeps_shape("sanitize", a, &normal, keeps);
        assert_eq!(normalizer.normalize(&normal), Ok(Cow::Borrowed(&*normal)));
        match normalizer.normalize(a) {
            Ok(same) => {
                assert_eq!(same, normal);
                assert_eq!(uri::equivalent(a, &normal, level), Equivalence::Equivalent);
                assert!(Uri::parse(a).is_err() || Uri::parse(&normal).is_ok());
            }
            Err(error) => assert_eq!(Some(error.offset), Decoder::new().first_malformed(a)),
        }
    }
    assert_eq!(uri::equivalent(a, b, Level::Scheme), uri::equivalent(b, a, Level::Scheme));
    if let Ok(target) = split.resolve(&Uri::split(b)) {
        assert_eq!(Uri::split(&target).scheme, Uri::split(b).scheme.or(split.scheme));
    }

    let found: usize = uri::lint(data).map(|found| found.len).sum();
    assert!(found <= data.len());
    assert_eq!(urn::equivalent(a, b), urn::equivalent(b, a));
    if let Ok(normal) = urn::normalize(a) {
        assert_eq!(urn::normalize(&normal), Ok(Cow::Borrowed(&*normal)));
    }

    if let Ok(template) = Template::parse(a) {
        let expanded =
            template.expand_with(|name| if name.len() % 2 == 0 { None } else { Some(Value::Text(b)) }).unwrap();
        assert!(!uri::lint(&expanded).any(|f| matches!(f.kind, FindingKind::Illegal | FindingKind::Malformed)));
    }
});
