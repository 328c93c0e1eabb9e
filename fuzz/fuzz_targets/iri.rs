//! Tests IRIs: the mapping to URIs and back, and the normal form. Compares the results with the steps of RFC 3987, character by
//! character.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use percent_standards::iri::{
    self, HostRules, check, check_reference, host_to_ascii, host_to_ascii_with, host_to_unicode, to_iri, to_uri,
    to_uri_legacy,
};
use percent_standards::uri::{Level, Uri};
use percent_standards_oracle::rfc3986::{first_malformed, naive_normalize};
use percent_standards_oracle::rfc3987::{iprivate, naive_to_iri, naive_to_uri, ucschar};
use percent_standards_oracle::{Encode, Keeps, UNRESERVED, assert_keeps_shape};

/// Asserts that a result equals the oracle's, and that it borrows if and only if it equals the input.
#[track_caller]
fn right<'a>(got: Cow<'a, str>, expected: &str, input: &str) -> Cow<'a, str> {
    assert_eq!(got, expected, "{input:?}");
    assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{input:?}: borrowed, or not");
    got
}

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    let uri = right(to_uri(text), &naive_to_uri(text), text);
    assert_eq!(to_uri(&uri), uri, "a URI stays one");
    let stays = UNRESERVED.union(percent_simd::ByteSet::of(b":/?#[]@!$&'()*+,;=%"));
    assert_eq!(to_uri_legacy(text).as_bytes(), Encode::new(stays).run(text.as_bytes()));
    if check_reference(text).is_ok() {
        assert!(text.chars().all(|c| c.is_ascii() || ucschar(c) || iprivate(c)), "{text:?}");
        assert!(uri.is_ascii() && check_reference(&uri).is_ok(), "{uri}");
        assert_eq!(check(text).is_ok(), check(&uri).is_ok());
        assert!(check_reference(&to_iri(&uri)).is_ok());
        assert_eq!(to_uri(&to_iri(&uri)), to_uri(&to_iri(text)));
        if text.is_ascii() {
            assert!(Uri::parse(text).is_ok(), "{text:?}");
        }
    }
    // The mapping adds no scheme, component or segment.
    let iri = right(to_iri(text), &naive_to_iri(text), text);
    assert_keeps_shape("to_iri", text, &iri, Keeps::All);
    assert_eq!(to_iri(&iri), iri, "a second time, of {text:?}");

    match iri::normalize(text) {
        Ok(normal) => {
            let expected = naive_to_iri(&naive_normalize(text, Level::PathSegment));
            let normal = right(normal, &expected, text);
            assert_keeps_shape("iri::normalize", text, &normal, Keeps::BySyntax);
            assert_eq!(iri::normalize(&normal).as_deref(), Ok(&*normal), "a second time, of {text:?}");
            assert_eq!(
                iri::normalize(&uri).map(|of_uri| to_uri(&of_uri).into_owned()),
                Ok(to_uri(&normal).into_owned())
            );
        }
        Err(error) => assert_eq!(Some(error.offset), first_malformed(text)),
    }

    for rules in [HostRules::Dns, HostRules::Url] {
        let result = host_to_ascii_with(text, rules);
        if rules == HostRules::Dns {
            assert_eq!(host_to_ascii(text), result);
        }
        if let Ok(ascii) = result {
            assert_eq!(host_to_ascii_with(&ascii, rules).as_deref(), Ok(&*ascii), "{text:?}");
            assert!(Uri::split(&ascii).host().is_none_or(str::is_ascii), "{text:?}");
            let _ = host_to_unicode(&ascii);
        }
    }
});
