//! Whatever decodes or encodes a whole reference keeps its shape: no component comes or goes, and nothing becomes a
//! scheme.

use percent_simd::iri;
use percent_simd::uri::{self, Normalizer, Uri};

use crate::inputs::{Hostile, check};

/// An operation on a whole reference, with its name, and whether it leaves dot segments and ports as they are.
type Operation = (&'static str, bool, fn(&str) -> String);

const OPERATIONS: &[Operation] = &[
    ("iri::to_iri", true, |text| iri::to_iri(text).into_owned()),
    ("iri::to_uri", true, |text| iri::to_uri(text).into_owned()),
    ("iri::to_uri_legacy", true, |text| iri::to_uri_legacy(text).into_owned()),
    ("to_uri(to_iri)", true, |text| iri::to_uri(&iri::to_iri(text)).into_owned()),
    ("to_iri(to_uri)", true, |text| iri::to_iri(&iri::to_uri(text)).into_owned()),
    ("uri::normalize", false, |text| uri::normalize(text).map_or_else(|_| text.to_string(), Into::into)),
    ("uri::sanitize", false, |text| uri::sanitize(text).into_owned()),
    ("by_scheme", false, |text| Normalizer::new().by_scheme().sanitize(text).into_owned()),
    ("uri::normalize_escapes", true, |text| uri::normalize_escapes(text).map_or_else(|_| text.to_string(), Into::into)),
    ("uri::sanitize_escapes", true, |text| uri::sanitize_escapes(text).into_owned()),
    ("iri::normalize", false, |text| iri::normalize(text).map_or_else(|_| text.to_string(), Into::into)),
    ("to_iri(sanitize)", false, |text| iri::to_iri(&uri::sanitize(text)).into_owned()),
];

/// Whether the text has a scheme by the grammar (RFC 3986 3.1).
fn has_scheme(text: &str) -> bool {
    Uri::split(text).scheme.is_some_and(|scheme| Uri::parse(&format!("{scheme}:")).is_ok())
}

#[track_caller]
fn keeps_its_shape(text: &str) {
    let before = Uri::split(text);
    for (name, is_exact, operation) in OPERATIONS {
        let result = operation(text);
        let after = Uri::split(&result);
        assert_eq!(has_scheme(&result), has_scheme(text), "{name}: {text:?} became {result:?}");
        let components = |uri: &Uri<'_>| {
            [uri.scheme.is_some(), uri.authority.is_some(), uri.query.is_some(), uri.fragment.is_some()]
        };
        assert_eq!(components(&after), components(&before), "{name}: {text:?} became {result:?}");
        let parts = |uri: &Uri<'_>| uri.authority_parts().map(|parts| parts.userinfo.is_some());
        assert_eq!(parts(&after), parts(&before), "{name}: {text:?} became {result:?}");
        let counts = |uri: &Uri<'_>| {
            let pairs = uri.query.map(|query| query.matches('&').count());
            let has_port = uri.authority_parts().map(|parts| parts.port.is_some());
            (uri.path.matches('/').count(), pairs, has_port)
        };
        assert!(!is_exact || counts(&after) == counts(&before), "{name}: {text:?} became {result:?}");
        assert_eq!(operation(&result), result, "{name}: {text:?}: again");
    }
}

#[test]
fn no_scheme_comes_about() {
    for text in [
        "%6Aavascript:alert(1)",
        "%68ttp://evil/x",
        "j%61vascript:x",
        "javascript%3Aalert(1)",
        "javascript%3aalert(1)",
        "http:%2F%2Fevil",
        "%2F%2Fevil/x",
        "/%2Fevil",
        "a%3Fb%23c",
        "//h%40evil%3A80%2Fx",
        "//u%40h@h",
        "%3A//h",
        "%2E/j:x",
        "./%6Aavascript:x",
        "././j:x",
        "a/../j:x",
        "%c3%a9:x",
        "%%36%41:x",
        "%:x",
        "x:%2F/evil",
        "x:/%2E//evil",
        "x:..//evil",
        "/..//evil",
    ] {
        keeps_its_shape(text);
    }
}

#[test]
fn references_keep_their_shape() {
    check(30_000, |Hostile(text): Hostile| keeps_its_shape(&text));
}
