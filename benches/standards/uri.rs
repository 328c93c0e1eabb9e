//! Trials of URIs.

use std::borrow::Cow;
use std::hint::black_box;
use std::rc::Rc;

use iri_string::format::ToDedicatedString;
use iri_string::types::{IriStr, UriStr};
use percent_simd_oracle::Random;
use percent_standards::iri;
use percent_standards::uri::{Equivalence, Level, Uri, equivalent, normalize};

use super::{Goal, Trial};

pub(super) fn trials() -> Vec<Trial> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let dirty: Vec<String> = (0..CALLS).map(|_| uri(&mut random, true)).collect();
    let normal: Vec<String> = (0..CALLS).map(|_| uri(&mut random, false)).collect();
    let short: Vec<String> = (0..CALLS).map(|_| short_uri(&mut random)).collect();
    let equal = normal.iter().map(|uri| (uri.clone(), uri.clone())).collect();
    let similar = dirty.iter().map(|uri| (uri.clone(), peer(uri).into_owned())).collect();
    vec![
        checking("check and split URIs", &dirty, None),
        checking("check and split URIs, short", &short, Some(35.0)),
        checking_iris("check IRIs, short", &short, Some(50.0)),
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

fn checking(what: &str, uris: &[String], nanoseconds: Option<f64>) -> Trial {
    for uri in uris {
        let (ours, theirs) = (Uri::parse(uri).expect("a URI"), UriStr::new(uri).expect("a URI"));
        assert_eq!(
            (ours.authority, ours.path, ours.query),
            (theirs.authority_str(), theirs.path_str(), theirs.query_str())
        );
    }
    let mut goals = vec![Goal::Times("parse", "iri-string", 2.0)];
    goals.extend(nanoseconds.map(|nanoseconds| Goal::Nanoseconds("parse", nanoseconds)));
    Trial {
        what: what.to_string(),
        bytes: uris.iter().map(String::len).sum(),
        calls: CALLS,
        entries: vec![
            ("parse", pass(uris, |uri| Uri::parse(uri).map_or(0, |uri| uri.path.len()))),
            ("split", pass(uris, |uri| Uri::split(uri).path.len())),
            ("iri-string", pass(uris, |uri| UriStr::new(uri).map_or(0, |uri| uri.path_str().len()))),
        ],
        goals,
    }
}

/// Creates a trial that checks IRIs without splitting them.
fn checking_iris(what: &str, iris: &[String], nanoseconds: Option<f64>) -> Trial {
    let mut goals = vec![Goal::Times("check", "iri-string", 2.0)];
    goals.extend(nanoseconds.map(|nanoseconds| Goal::Nanoseconds("check", nanoseconds)));
    Trial {
        what: what.to_string(),
        bytes: iris.iter().map(String::len).sum(),
        calls: CALLS,
        entries: vec![
            ("check", pass(iris, |text| usize::from(iri::check(text).is_ok()))),
            ("iri-string", pass(iris, |text| usize::from(IriStr::new(text).is_ok()))),
        ],
        goals,
    }
}

fn pass(uris: &[String], run: impl Fn(&str) -> usize + 'static) -> Box<dyn FnMut()> {
    let uris = uris.to_vec();
    Box::new(move || {
        for uri in &uris {
            black_box(run(black_box(uri)));
        }
    })
}

fn normalising(what: &str, uris: Vec<String>, nanoseconds: Option<f64>) -> Trial {
    for uri in &uris {
        assert_eq!(normalize(uri).as_deref(), Ok(&*peer(uri)), "{uri}");
    }
    let bytes = uris.iter().map(String::len).sum();
    let uris = Rc::new(uris);
    let pass = |run: fn(&str)| -> Box<dyn FnMut()> {
        let uris = Rc::clone(&uris);
        Box::new(move || uris.iter().for_each(|uri| run(black_box(uri))))
    };
    // The peer needs parsed URIs. Parsing isn't timed.
    let checked: Vec<Box<UriStr>> = uris.iter().map(|uri| Box::from(UriStr::new(uri).expect("a URI"))).collect();
    let peer = move || checked.iter().for_each(|uri| drop(black_box(peer_of(black_box(uri)))));
    let mut goals = vec![Goal::Times("normalize", "iri-string", 3.0)];
    goals.extend(nanoseconds.map(|nanoseconds| Goal::Nanoseconds("normalize", nanoseconds)));
    Trial {
        what: what.to_string(),
        bytes,
        calls: CALLS,
        entries: vec![
            ("normalize", pass(|uri| drop(black_box(normalize(uri))))),
            ("iri-string", Box::new(peer)),
            ("to_owned", pass(|uri| drop(black_box(uri.to_owned())))),
        ],
        goals,
    }
}

fn comparing(what: &str, pairs: Vec<(String, String)>, nanoseconds: Option<f64>) -> Trial {
    let by_peer = |a: &str, b: &str| peer(a) == peer(b);
    for (a, b) in &pairs {
        assert_eq!(equivalent(a, b, Level::PathSegment), Equivalence::Equivalent, "{a} {b}");
        assert!(by_peer(a, b));
    }
    let bytes = pairs.iter().map(|(a, b)| a.len() + b.len()).sum();
    let pairs = Rc::new(pairs);
    let pass = |run: fn(&str, &str) -> bool| -> Box<dyn FnMut()> {
        let pairs = Rc::clone(&pairs);
        Box::new(move || {
            for (a, b) in pairs.iter() {
                black_box(run(black_box(a), black_box(b)));
            }
        })
    };
    let mut goals = vec![Goal::Times("equivalent", "iri-string", 3.0)];
    goals.extend(nanoseconds.map(|nanoseconds| Goal::Nanoseconds("equivalent", nanoseconds)));
    Trial {
        what: what.to_string(),
        bytes,
        calls: CALLS,
        entries: vec![
            ("equivalent", pass(|a, b| equivalent(a, b, Level::PathSegment) == Equivalence::Equivalent)),
            ("iri-string", pass(by_peer)),
            ("normalize", pass(|a, b| normalize(a) == normalize(b))),
        ],
        goals,
    }
}
