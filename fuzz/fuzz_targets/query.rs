//! Tests canonical queries, sorted forms, normalization by scheme, merged slashes of paths, and package URLs. Compares the
//! queries of signatures, and sorted forms, with plain code that sorts a list of pairs. Also checks that a second normalization
//! changes no byte, and that a canonical query leaves the other components of its URI unchanged.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use percent_simd::{Decoder, Plus, presets};
use percent_standards::form::{self, Pairs};
use percent_standards::uri::purl::Purl;
use percent_standards::uri::{CanonicalQuery, Normalizer, PathNormalizer, QueryOrder, Separators, Step, Uri};

/// Builds the canonical query of a signature in plain code.
fn naive_signature(query: &str, plus: bool) -> String {
    let decoder = if plus { Decoder::new().plus(Plus::Always) } else { Decoder::new() };
    let encode = |text: &str| presets::AWS_SIGV4.encode(&decoder.decode(text)).into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut pairs: Vec<_> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (encode(name), encode(value)))
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    assert_eq!(CanonicalQuery::sigv4().canonicalize(text), naive_signature(text, false));
    assert_eq!(CanonicalQuery::oauth1().canonicalize(text), naive_signature(text, true));
    let names = ["a*", "b", "%"];
    for canonical in [
        CanonicalQuery::sigv4(),
        CanonicalQuery::oauth1().drop_names(&names),
        CanonicalQuery::cache_key().drop_names(&names),
        CanonicalQuery::cache_key().order(QueryOrder::NameAndValue),
        CanonicalQuery::as_written().drop_names(&names),
    ] {
        let found = canonical.canonicalize(text);
        assert_eq!(matches!(found, Cow::Borrowed(_)), found == text);
        assert!(canonical.is_canonical(&*found));
        let mut out = vec![0; 8 * text.len() + 8];
        assert_eq!(canonical.canonicalize_slice(text, &mut out).unwrap(), found.as_bytes());
        let uri = canonical.canonicalize_uri(text);
        let rest = |text: &str| Uri { query: None, ..Uri::split(text) }.to_string();
        assert_eq!(rest(&uri), rest(text));
    }

    let sorted = Pairs::parse(text).sorted();
    let mut naive: Vec<_> = form::parse(text).collect();
    naive.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
    assert_eq!(sorted.as_slice(), naive);

    let steps = [Step::Scheme, Step::Host, Step::Port, Step::Escapes, Step::Path];
    let by_scheme = Normalizer::new().by_scheme();
    for at in 0..steps.len() {
        if let Ok(normal) = by_scheme.only(&steps[at..]).normalize(text) {
            assert_eq!(by_scheme.only(&steps[at..]).normalize(&normal).as_deref(), Ok(&*normal));
            if let Ok(all) = by_scheme.normalize(text) {
                assert_eq!(by_scheme.normalize(&normal), Ok(all));
            }
        }
    }

    let merged = PathNormalizer::new().merge_slashes();
    let mut path = format!("/{text}");
    if let Ok(normal) = merged.separators(Separators::Reject).normalize(&path) {
        assert!(!normal.contains("//") && !normal.contains("%2F") && !normal.contains("%5C"));
    }
    let normal = merged.normalize(&path).map(Cow::into_owned);
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    assert_eq!(PathNormalizer::new().normalize(&path).ok().as_deref(), normal.ok().as_deref());

    if let Ok(purl) = Purl::parse(text) {
        let canonical = purl.to_string();
        assert!(canonical.is_ascii() && Uri::parse(&canonical).is_ok());
        assert_eq!(canonical.parse(), Ok(purl));
    }
});
