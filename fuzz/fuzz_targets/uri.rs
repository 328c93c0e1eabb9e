//! Tests URIs: splitting, dot segments, resolution, normalization, comparison, the paths of requests, requoting.
//! Compares the results with plain code that follows RFC 3986, or RFC 9112 for the targets of requests. Also checks
//! properties that hold for any text.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use percent_simd::{ByteSet, OutputTooSmall, SliceError, sets};
use percent_simd_fuzz::*;
use percent_standards::uri::template::{Template, Value};
use percent_standards::uri::{
    self, Component, FindingKind, Level, Normalizer, PathNormalizer, RepairKind, Repairer, RequestTarget, Requoter,
    TargetBounds, TargetForm, Uri, UriError, UriErrorKind, urn,
};
use rfc3986::*;
use rfc9112::assert_target;

/// Asserts that a result equals the oracle's, and that it is borrowed if and only if it equals the input.
#[track_caller]
fn assert_is(got: Cow<'_, str>, expected: &str, input: &str) {
    assert_eq!(got, expected, "{input:?}");
    assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{input:?}: borrowed, or not");
}

/// Checks the text as a reference.
fn check_reference(text: &str) {
    let split = Uri::split(text);
    assert_eq!(split.to_string(), text);
    let naive = naive_split(text);
    let part = |part: Option<&str>| part.map(str::to_string);
    let got = Naive {
        scheme: part(split.scheme),
        authority: part(split.authority),
        path: split.path.to_string(),
        query: part(split.query),
        fragment: part(split.fragment),
    };
    assert_eq!(got, naive, "{text:?}");
    if let Some(authority) = &naive.authority {
        let (userinfo, host, port) = naive_authority(authority);
        let got = (part(split.userinfo()), part(split.host()), part(split.port()));
        assert_eq!(got, (userinfo, Some(host), port), "{authority:?}");
    }
    let parsed = Uri::parse(text);
    assert!(parsed.is_ok_and(|parsed| parsed == split) || parsed.is_err_and(|error| error.offset <= text.len()));
    if parsed.is_ok() {
        assert_eq!(Uri::parse_absolute(text).is_ok(), split.scheme.is_some() && split.fragment.is_none());
        assert_eq!(Uri::parse_zoned(text), Ok(split));
        // Each component of a valid URI is also valid as a separate text.
        let components = [
            (split.userinfo(), Component::Userinfo),
            (split.host(), Component::Host),
            (Some(split.path), Component::Path),
            (split.query, Component::Query),
            (split.fragment, Component::Fragment),
        ];
        for (part, component) in components {
            assert_eq!(part.map_or(Ok(()), |part| uri::check_component(part, component)), Ok(()), "{text:?}");
        }
    }
    assert_eq!(split.segments().map(|part| part.raw()).collect::<Vec<_>>().join("/"), split.path);
    for pair in split.query_pairs() {
        assert_eq!(&text[pair.name.offset()..][..pair.name.raw().len()], pair.name.raw());
    }

    // `normalize` refuses malformed escapes. `sanitize` turns each malformed `%` into `%25` before it normalizes.
    let malformed = first_malformed(text);
    let sanitized = naive_sanitized(text);
    for (normalizer, level, keeps) in [
        (Normalizer::new(), Level::PathSegment, Keeps::BySyntax),
        (Normalizer::new().by_scheme(), Level::Scheme, Keeps::ByScheme),
    ] {
        let normal = normalizer.sanitize(text);
        assert_keeps_shape("sanitize", text, &normal, keeps);
        assert_eq!(normal, naive_normalize(&sanitized, level), "{text:?}");
        assert_eq!(normalizer.normalize(&normal), Ok(Cow::Borrowed(&*normal)));
        match normalizer.normalize(text) {
            Ok(same) => {
                assert_is(same, &normal, text);
                assert_eq!(malformed, None);
                assert!(Uri::parse(text).is_err() || Uri::parse(&normal).is_ok());
            }
            Err(error) => assert_eq!(Some(error.offset), malformed),
        }
    }
    let with_escapes = |text: &str| {
        let scheme = naive_split(text).scheme.filter(|scheme| scheme.contains('%')).unwrap_or_default();
        scheme.clone() + &naive_escapes(&text[scheme.len()..])
    };
    let escapes = uri::sanitize_escapes(text);
    assert_keeps_shape("sanitize_escapes", text, &escapes, Keeps::All);
    assert_is(escapes, &with_escapes(&sanitized), text);
    match uri::normalize_escapes(text) {
        Ok(escapes) => {
            assert_eq!(malformed, None);
            assert_is(escapes, &with_escapes(text), text);
        }
        Err(error) => assert_eq!(Some(error.offset), malformed),
    }

    check_lint(text.as_bytes());
    check_repair(text);
    if let Ok(normal) = urn::normalize(text) {
        assert_eq!(urn::normalize(&normal), Ok(Cow::Borrowed(&*normal)));
    }
}

/// Checks that findings are in order, and that findings about characters don't overlap.
fn check_lint(text: &[u8]) {
    let (mut offset, mut end) = (0, 0);
    for found in uri::lint(text) {
        assert!(found.offset >= offset && found.offset + found.len <= text.len(), "{}", text.escape_ascii());
        offset = found.offset;
        use FindingKind::*;
        if !matches!(found.kind, HostInUserinfo | OddIpv4 | HostDelimiter | MixedScript | Confusable) {
            assert!(found.offset >= end && found.len > 0, "{}", text.escape_ascii());
            end = found.offset + found.len;
        }
    }
}

/// Checks the promises of the repair.
fn check_repair(link: &str) {
    let repaired = uri::repair(link);
    assert_eq!(uri::repair(&repaired.text).changes, [], "{link:?} {repaired:?}");
    assert_eq!(repaired.changes.is_empty(), repaired.text == link);
    let without_idn = Repairer::new().without(RepairKind::Idn);
    let (mut out, mut changes) = (vec![0; 4 * link.len()], Vec::new());
    let text = without_idn.repair_slice(link, &mut out, |change| changes.push(change)).unwrap();
    assert_eq!((text, &changes), (&*without_idn.repair(link).text, &without_idn.repair(link).changes), "{link:?}");
    for change in &repaired.changes {
        assert!(link.get(change.range.clone()).is_some_and(|text| !text.is_empty()), "{link:?} {repaired:?}");
    }
    let moving = [RepairKind::Surroundings, RepairKind::Punctuation, RepairKind::Backslash];
    let plain = moving.iter().fold(Repairer::new(), |repairer, &kind| repairer.without(kind));
    let repaired = plain.repair(link);
    let (before, after) = (Uri::split(link), Uri::split(&repaired.text));
    assert_eq!(before.authority.is_some(), after.authority.is_some(), "{link:?}");
    assert_eq!(before.query.is_some(), after.query.is_some(), "{link:?}");
    assert_eq!(before.fragment.is_some(), after.fragment.is_some(), "{link:?}");
    let is_host_changed =
        repaired.changes.iter().any(|change| matches!(change.kind, RepairKind::Idn | RepairKind::Ipv6));
    assert!(is_host_changed || before.host() == after.host(), "{link:?}");
    if Uri::parse(link).is_ok() {
        let repairer = Repairer::new().without(RepairKind::Entity).without(RepairKind::DoubleEncoded);
        assert_eq!(repairer.repair(link).changes, [], "{link:?}");
        assert_eq!(uri::repair(link).fault(), None, "{link:?}");
    }
}

/// Checks the calls that take two references.
fn check_two(a: &str, b: &str) {
    let (base, reference) = (Uri::split(a), Uri::split(b));
    if base.scheme.is_some() {
        let target = base.resolve(&reference).unwrap();
        assert_eq!(target, naive_resolve(a, b, naive_remove_decoded_dot_segments), "{a:?} {b:?}");
        let literally = base.resolve_literally(&reference).unwrap();
        assert_eq!(literally, naive_resolve(a, b, naive_remove_dot_segments), "{a:?} {b:?}");
    } else {
        let error = Err(UriError::new(0, UriErrorKind::NoScheme));
        assert_eq!((base.resolve(&reference), base.resolve_literally(&reference)), (error.clone(), error));
    }
    for level in [Level::Simple, Level::Case, Level::PercentEncoding, Level::PathSegment, Level::Scheme] {
        let equivalence = uri::equivalent(a, b, level);
        assert_eq!(equivalence, naive_equivalent(a, b, level), "{level:?} {a:?} {b:?}");
        assert_eq!(equivalence, uri::equivalent(b, a, level));
    }
    assert_eq!(urn::equivalent(a, b), urn::equivalent(b, a));

    if let Ok(template) = Template::parse(a) {
        let expanded =
            template.expand_with(|name| if name.len() % 2 == 0 { None } else { Some(Value::Text(b)) }).unwrap();
        assert!(!uri::lint(&expanded).any(|f| matches!(f.kind, FindingKind::Illegal | FindingKind::Malformed)));
    }
}

/// Returns the fault of a request's path, according to the normalizer's documentation.
fn path_fault(path: &[u8], strict: bool) -> Option<UriError> {
    if path.first() != Some(&b'/') {
        return Some(UriError::new(0, UriErrorKind::NotRooted));
    }
    (0..path.len()).find_map(|at| {
        let triplet = triplet(&path[at..]);
        let kind = match path[at] {
            byte if triplet.unwrap_or(byte).is_ascii_control() => UriErrorKind::Control,
            b'%' if strict && triplet.is_none() => UriErrorKind::Escape(Component::Path),
            byte if strict && byte != b'%' && !PATH.contains(byte) => UriErrorKind::Character(Component::Path),
            _ => return None,
        };
        Some(UriError::new(at, kind))
    })
}

const PATH: ByteSet = UNRESERVED.union(ByteSet::of(b"!$&'()*+,;=:@/"));

/// Checks the text as the path of a request, with every call that normalises it.
fn check_path(text: &str, room: usize) {
    for (path, removed) in [
        (naive_remove_dot_segments(text), uri::remove_dot_segments_literally(text)),
        (naive_remove_decoded_dot_segments(text), uri::remove_dot_segments(text)),
    ] {
        assert_eq!(removed, path, "{text:?}");
    }
    for normalizer in [PathNormalizer::new(), PathNormalizer::new().strict()] {
        let strict = normalizer != PathNormalizer::new();
        let expected = path_fault(text.as_bytes(), strict).map_or_else(|| Ok(naive_request_path(text)), Err);
        let normal = normalizer.normalize(text);
        assert_eq!(normal.as_deref(), expected.as_deref(), "{text:?}");
        if let Ok(normal) = normal {
            assert_is(normal, expected.as_ref().unwrap(), text);
        }
        let mut in_place = text.to_string();
        let result = normalizer.normalize_in_place(&mut in_place);
        assert_eq!(result, expected.as_ref().map(|_| ()).map_err(Clone::clone));
        assert_eq!(&in_place, expected.as_ref().map_or(text, String::as_str), "{text:?}");
        check_slice(&normalizer, text.as_bytes(), room, expected.as_deref().map(str::as_bytes));
    }
    assert_eq!(uri::normalize_path(text), PathNormalizer::new().normalize(text));
}

/// Checks `normalize_slice` with two slices: one of `room` bytes, and one of exactly the needed length.
fn check_slice(normalizer: &PathNormalizer, path: &[u8], room: usize, expected: Result<&[u8], &UriError>) {
    let needed = Encode { keep: true, ..Encode::new(PATH) }.run(path).len();
    for room in [room, needed] {
        let mut out = vec![0; room].into_boxed_slice();
        match normalizer.normalize_slice(path, &mut out) {
            Ok(normal) => assert_eq!(Ok(&*normal), expected),
            Err(SliceError::Input(error)) => assert_eq!(Some(&error), expected.err()),
            Err(SliceError::OutputTooSmall(error)) => {
                assert_eq!((room < needed, error), (true, OutputTooSmall::new(needed)))
            }
        }
    }
}

/// Checks the text, and then any bytes, as the target of a request.
fn check_target(text: &str, bytes: &[u8]) {
    assert_target(text);
    let split = RequestTarget::split(text);
    for method in ["GET", "OPTIONS", "CONNECT"] {
        match RequestTarget::parse(method, text) {
            Ok(target) => {
                assert!(target == split || method != "CONNECT" && split.form() == TargetForm::Authority, "{text:?}");
                assert_eq!(TargetBounds::parse(text), Ok(split.bounds()), "{text:?}");
                assert!(!text.contains(|c: char| c.is_ascii_control() || " #".contains(c)), "{text:?}");
                assert_eq!(target.form() == TargetForm::Authority, method == "CONNECT", "{text:?}");
                assert!(target.form() != TargetForm::Asterisk || method == "OPTIONS", "{text:?}");
            }
            Err(error) => assert!(text.is_char_boundary(error.offset), "{text:?}"),
        }
    }
    // Every delimiter is ASCII. So if `~` replaces each byte above ASCII, the result must stay the same.
    let same: Vec<u8> = bytes.iter().map(|&byte| if byte.is_ascii() { byte } else { b'~' }).collect();
    assert_eq!(TargetBounds::split(bytes), TargetBounds::split(&same));
    // But a byte above ASCII isn't valid in an authority.
    let bounds = TargetBounds::split(bytes);
    if bounds.authority().is_none_or(|range| bytes[range].is_ascii()) {
        assert_eq!(TargetBounds::parse(bytes), TargetBounds::parse(&same));
    }
}

/// Checks the text as a component.
fn check_component(text: &str, allowed: ByteSet, protected: ByteSet) {
    let requoter = Requoter::new(allowed).protect(protected);
    let requoted = naive_requote(text, allowed, protected);
    assert_is(requoter.requote(text), &requoted, text);
    assert_eq!(requoter.requote(&requoted), requoted, "a second time, of {text:?}");
    assert_is(Requoter::new(allowed).requote(text), &naive_requote(text, allowed, ByteSet::EMPTY), text);

    for (component, more) in [
        (Component::Userinfo, ":"),
        (Component::Path, ":@/"),
        (Component::Query, ":@/?"),
        (Component::Fragment, ":@/?"),
        (Component::Host, ""),
    ] {
        if component == Component::Host && text.starts_with('[') {
            continue;
        }
        let allowed = UNRESERVED.union(ByteSet::of(b"!$&'()*+,;=")).union(ByteSet::of(more.as_bytes()));
        let expected = match (Encode { keep: true, ..Encode::new(allowed) }).first_changed(text.as_bytes()) {
            Some(at) if text.as_bytes()[at] == b'%' => Err(UriError::new(at, UriErrorKind::Escape(component))),
            Some(at) => Err(UriError::new(at, UriErrorKind::Character(component))),
            None => Ok(()),
        };
        assert_eq!(uri::check_component(text, component), expected, "{text:?}");
    }
}

fuzz_target!(|data: &[u8]| {
    let (&options, data) = data.split_last().unwrap_or((&0, &[]));
    let text = String::from_utf8_lossy(data);
    // A NUL separates two texts.
    let (a, b) = text.split_once('\0').unwrap_or((&text, ""));
    match options % 4 {
        0 => {
            check_reference(a);
            check_lint(data);
        }
        1 => check_two(a, b),
        2 => {
            check_target(a, data);
            check_path(a, usize::from(options));
            let latin = path_fault(data, false);
            let got =
                PathNormalizer::new().normalize_slice(data, &mut vec![0; 3 * data.len()]).map(|path| path.to_vec());
            let in_triplets = || String::from_utf8(Encode { keep: true, ..Encode::new(PATH) }.run(data)).unwrap();
            let expected = latin.map_or_else(|| Ok(naive_request_path(&in_triplets()).into_bytes()), Err);
            assert_eq!(got, expected.map_err(SliceError::Input), "{}", data.escape_ascii());
        }
        _ => {
            let mut choices = Choices(data);
            let (allowed, protected) = match options / 4 % 4 {
                0 => (sets::RFC3986_PATH, ByteSet::of(b"/+")),
                1 => (sets::RFC3986_QUERY, ByteSet::of(b"&=+")),
                2 => (ByteSet::ALL, ByteSet::EMPTY),
                _ => (choices.set(), choices.set()),
            };
            check_component(&choices.text(), allowed, protected);
        }
    }
});
