//! Some calls decode or encode a whole reference. Tests that each of them keeps the reference's shape: no component
//! appears or disappears, and no text becomes a scheme.

use std::borrow::Cow;

use percent_standards::iri;
use percent_standards::uri::{self, Normalizer, Uri};

use crate::common::{Keeps, assert_keeps_shape, has_scheme};
use crate::inputs::{Hostile, check};

/// The name of an operation on a whole reference, the part of the shape that the operation keeps, and the operation
/// itself.
type Operation = (&'static str, Keeps, fn(&str) -> String);

const OPERATIONS: &[Operation] = &[
    ("iri::to_iri", Keeps::All, |text| iri::to_iri(text).into()),
    ("iri::to_uri", Keeps::All, |text| iri::to_uri(text).into()),
    ("iri::to_uri_legacy", Keeps::All, |text| iri::to_uri_legacy(text).into()),
    ("to_uri(to_iri)", Keeps::All, |text| iri::to_uri(&iri::to_iri(text)).into()),
    ("to_iri(to_uri)", Keeps::All, |text| iri::to_iri(&iri::to_uri(text)).into()),
    ("iri::normalize", Keeps::BySyntax, |text| or_as_it_is(iri::normalize(text), text)),
    ("uri::normalize", Keeps::BySyntax, |text| or_as_it_is(uri::normalize(text), text)),
    ("uri::sanitize", Keeps::BySyntax, |text| uri::sanitize(text).into()),
    ("by_scheme", Keeps::ByScheme, |text| Normalizer::new().by_scheme().sanitize(text).into()),
    ("canonical_ipv6", Keeps::BySyntax, |text| Normalizer::new().canonical_ipv6().sanitize(text).into()),
    ("uri::normalize_escapes", Keeps::All, |text| or_as_it_is(uri::normalize_escapes(text), text)),
    ("uri::sanitize_escapes", Keeps::All, |text| uri::sanitize_escapes(text).into()),
    ("to_iri(sanitize)", Keeps::BySyntax, |text| iri::to_iri(&uri::sanitize(text)).into()),
    #[cfg(feature = "idna")]
    ("iri::host_to_ascii", Keeps::All, |text| or_as_it_is(iri::host_to_ascii(text), text)),
    #[cfg(feature = "idna")]
    ("iri::host_to_ascii_with", Keeps::All, |text| {
        or_as_it_is(iri::host_to_ascii_with(text, iri::HostRules::Url), text)
    }),
    #[cfg(feature = "idna")]
    ("iri::host_to_unicode", Keeps::All, |text| iri::host_to_unicode(text).into()),
];

fn or_as_it_is<E>(result: Result<Cow<'_, str>, E>, text: &str) -> String {
    result.map_or_else(|_| text.into(), Into::into)
}

#[track_caller]
fn keeps_its_shape(text: &str) {
    for &(name, keeps, operation) in OPERATIONS {
        let result = operation(text);
        assert_keeps_shape(name, text, &result, keeps);
        assert_eq!(operation(&result), result, "{name}: {text:?}: again");
    }
    for base in ["http://u@h:81/b/c?q#f", "foo:b", "foo:/b//c"] {
        let (base, reference) = (Uri::split(base), Uri::split(text));
        let target = base.resolve(&reference).unwrap();
        let normal = uri::sanitize(&target);
        assert_keeps_shape("resolved and normalized", &target, &normal, Keeps::BySyntax);
        assert_eq!(has_scheme(&normal), reference.scheme.is_none() || has_scheme(text), "{target:?} of {text:?}");
        let is_absolute = reference.scheme.is_some() || reference.authority.is_some();
        let authority = if is_absolute { reference.authority } else { base.authority };
        assert_eq!(Uri::split(&normal).authority.is_some(), authority.is_some(), "{normal:?} of {text:?}");
    }
}

#[test]
fn no_call_creates_a_component() {
    for text in [
        "%6Aavascript:alert(1)", "%68ttp://evil/x", "j%61vascript:x", "javascript%3Aalert(1)", "javascript%3aalert(1)",
        "http:%2F%2Fevil", "%2F%2Fevil/x", "/%2Fevil", "a%3Fb%23c", "//h%40evil%3A80%2Fx", "//u%40h@h", "%3A//h",
        "%2E/j:x", "./%6Aavascript:x", "././j:x", "a/../j:x", "%c3%a9:x", "%%36%41:x", "%:x", "x:%2F/evil",
        "x:/%2E//evil", "x:..//evil", "/..//evil", "http://h:080/", "https://h:/?a&&b=c&", "//[0:0::1]:/a//b/",
        "//é:80:/", "//é：80/x", "//h／evil?x", "//u＠é＃x", "//a%E3%80%82é%EF%BC%8Fb/", "//xn--bcher-kva:80/%2F",
        "/a%26b?c%26d%23e",
    ] {
        keeps_its_shape(text);
    }
}

#[test]
fn random_references_keep_their_shape() {
    check(30_000, |Hostile(text): Hostile| keeps_its_shape(&text));
}
