//! Trials of URIs.

use std::borrow::Cow;

use iri_string::format::ToDedicatedString;
use iri_string::types::{IriStr, UriStr};
use percent_simd_oracle::Random;
use percent_standards::iri;
use percent_standards::uri::{Equivalence, Level, Uri, equivalent, normalize};

use super::{Entry, Goal, Trial, pass, shared};

pub(super) fn trials() -> Vec<Trial> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let dirty = shared((0..CALLS).map(|_| uri(&mut random, true)));
    let normal = shared((0..CALLS).map(|_| uri(&mut random, false)));
    let short = shared((0..CALLS).map(|_| short_uri(&mut random)));
    let equal = shared(normal.iter().map(|uri| (uri.clone(), uri.clone())));
    let similar = shared(dirty.iter().map(|uri| (uri.clone(), peer(uri).into_owned())));
    vec![
        checking("check and split URIs", dirty, None),
        checking("check and split URIs, short", short, Some(35.0)),
        checking_iris("check IRIs, short", short, Some(50.0)),
        normalising("normalise URIs", dirty, None),
        normalising("normalise URIs, all normal", normal, None),
        normalising("normalise URIs, all normal, short", short, Some(50.0)),
        comparing("compare URIs, the same", equal, Some(60.0)),
        comparing("compare URIs, the same once normal", similar, None),
    ]
}

/// The number of URIs in a pass.
const CALLS: usize = 10_000;

/// Returns a URI of about a hundred bytes. If `dirty` is set, some of its parts aren't normalised.
fn uri(random: &mut Random, dirty: bool) -> String {
    fn word(random: &mut Random, text: &mut String, len: usize, escapes: &[&str]) {
        for _ in 0..len {
            match random.below(10) {
                0 if !escapes.is_empty() => *text += escapes[random.below(escapes.len())],
                _ => text.push(char::from(b"abcdefghijklmnopqrstuvwxyz0123456789-_"[random.below(38)])),
            }
        }
    }
    const DIRTY: &[&str] = &["%20", "%7e", "%2f", "%C3%A9", "%c3%bc", "%41"];
    const NORMAL: &[&str] = &["%20", "~", "%2F", "%C3%A9", "%C3%BC", "A"];
    let escapes = if dirty { DIRTY } else { NORMAL };
    let mut text = String::from(if dirty { ["http://", "HTTP://", "https://"][random.below(3)] } else { "https://" });
    text += if dirty && random.below(2) == 0 { "WWW." } else { "www." };
    let len = 6 + random.below(6);
    word(random, &mut text, len, &[]);
    text += ".example";
    for _ in 0..4 + random.below(3) {
        text += if dirty && random.below(40) == 0 { ["/.", "/..", "/%2E"][random.below(3)] } else { "" };
        text.push('/');
        let len = 3 + random.below(8);
        word(random, &mut text, len, escapes);
    }
    text += "?q=";
    let len = 8 + random.below(12);
    word(random, &mut text, len, escapes);
    text
}

/// Returns a normalised URI without escapes. Its average length is 44 bytes.
fn short_uri(random: &mut Random) -> String {
    fn word(random: &mut Random, text: &mut String, len: usize) {
        text.extend((0..len).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789-_"[random.below(38)])));
    }
    let mut text = String::from(["http://", "https://"][random.below(2)]);
    let len = 6 + random.below(6);
    word(random, &mut text, len);
    text += ".example";
    for _ in 0..1 + random.below(3) {
        text.push('/');
        let len = 3 + random.below(7);
        word(random, &mut text, len);
    }
    if random.below(2) == 0 {
        text += "?q=";
        let len = 2 + random.below(7);
        word(random, &mut text, len);
    }
    text
}

/// Normalises with iri-string, if the URI isn't normalised yet.
fn peer(uri: &str) -> Cow<'_, str> {
    peer_of(UriStr::new(uri).expect("a URI"))
}

fn peer_of(uri: &UriStr) -> Cow<'_, str> {
    if uri.is_normalized() {
        Cow::Borrowed(uri.as_str())
    } else {
        Cow::Owned(uri.normalize().to_dedicated_string().into())
    }
}

/// Creates a trial on texts of `bytes` in total. The first entry must be `times` as fast as iri-string, and take at most
/// `nanoseconds`.
fn trial(what: &str, bytes: usize, times: f64, nanoseconds: Option<f64>, entries: Vec<Entry>) -> Trial {
    let ours = entries[0].0;
    let mut goals = vec![Goal::Times(ours, "iri-string", times)];
    goals.extend(nanoseconds.map(|nanoseconds| Goal::Nanoseconds(ours, nanoseconds)));
    Trial { what: what.to_string(), bytes, calls: CALLS, entries, goals }
}

fn total(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

fn checking(what: &str, uris: &'static [String], nanoseconds: Option<f64>) -> Trial {
    for uri in uris {
        let (ours, theirs) = (Uri::parse(uri).expect("a URI"), UriStr::new(uri).expect("a URI"));
        assert_eq!(
            (ours.authority, ours.path, ours.query),
            (theirs.authority_str(), theirs.path_str(), theirs.query_str())
        );
    }
    let entries = vec![
        ("parse", pass(uris, |uri| Uri::parse(uri).map_or(0, |uri| uri.path.len()))),
        ("split", pass(uris, |uri| Uri::split(uri).path.len())),
        ("iri-string", pass(uris, |uri| UriStr::new(uri).map_or(0, |uri| uri.path_str().len()))),
    ];
    trial(what, total(uris), 2.0, nanoseconds, entries)
}

/// Creates a trial that checks IRIs without splitting them.
fn checking_iris(what: &str, iris: &'static [String], nanoseconds: Option<f64>) -> Trial {
    let entries = vec![
        ("check", pass(iris, |text| iri::check(text).is_ok())),
        ("iri-string", pass(iris, |text| IriStr::new(text).is_ok())),
    ];
    trial(what, total(iris), 2.0, nanoseconds, entries)
}

fn normalising(what: &str, uris: &'static [String], nanoseconds: Option<f64>) -> Trial {
    for uri in uris {
        assert_eq!(normalize(uri).as_deref(), Ok(&*peer(uri)), "{uri}");
    }
    // The peer needs parsed URIs. Parsing isn't timed.
    let parsed = shared(uris.iter().map(|uri| UriStr::new(uri).expect("a URI")));
    let entries = vec![
        ("normalize", pass(uris, |uri| normalize(uri))),
        ("iri-string", pass(parsed, |uri| peer_of(uri))),
        ("to_owned", pass(uris, String::to_owned)),
    ];
    trial(what, total(uris), 3.0, nanoseconds, entries)
}

fn comparing(what: &str, pairs: &'static [(String, String)], nanoseconds: Option<f64>) -> Trial {
    let by_peer = |(a, b): &(String, String)| peer(a) == peer(b);
    for pair in pairs {
        assert_eq!(equivalent(&pair.0, &pair.1, Level::PathSegment), Equivalence::Equivalent, "{pair:?}");
        assert!(by_peer(pair));
    }
    let entries = vec![
        ("equivalent", pass(pairs, |(a, b)| equivalent(a, b, Level::PathSegment) == Equivalence::Equivalent)),
        ("iri-string", pass(pairs, by_peer)),
        ("normalize", pass(pairs, |(a, b)| normalize(a) == normalize(b))),
    ];
    trial(what, pairs.iter().map(|(a, b)| a.len() + b.len()).sum(), 3.0, nanoseconds, entries)
}
