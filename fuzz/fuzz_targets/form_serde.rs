//! Converts forms to types and back, with serde. Compares the results with the parser of forms, and with serde_urlencoded if both
//! promise the same result.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use percent_standards::form;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Record {
    id: u32,
    name: String,
    on: Option<bool>,
    ratio: Option<f64>,
    kind: Option<Kind>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    One,
    Two,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Nested {
    #[serde(default)]
    list: Vec<String>,
    #[serde(default)]
    records: Vec<BTreeMap<String, u8>>,
    #[serde(default)]
    map: BTreeMap<String, BTreeMap<u64, Vec<i8>>>,
    inner: Option<Box<Nested>>,
}

/// Writes a structure with brackets and reads it back. Structures that can't be written are fine.
fn nested(data: &[u8], brackets: form::Brackets) {
    let config = form::Config {
        empty_as_none: true,
        duplicates: form::Duplicates::Last,
        nested: brackets,
        ..form::Config::new()
    };
    if let Ok(value) = config.deserialize::<Nested, _>(data) {
        let mut form = form::Serializer::new().nested(brackets);
        if form.serialize(&value).is_ok() {
            let written = form.finish();
            // An empty structure writes no pair. So reading the form back can fail, because a field is missing.
            if let Ok(again) = config.deserialize::<Nested, _>(&written) {
                let mut form = form::Serializer::new().nested(brackets);
                assert_eq!(form.serialize(&again).map(|_| ()).is_ok().then(|| form.finish()), Some(written));
            }
        }
    }
    let _ = config.deserialize::<serde::de::IgnoredAny, _>(data);
}

fuzz_target!(|data: &[u8]| {
    for brackets in [form::Brackets::PHP, form::Brackets::RAILS, form::Brackets::SERDE_QS] {
        nested(data, brackets.depth(8));
    }
    let set = percent_simd::ByteSet::CONTROLS;
    let checked = form::Parser::new().reject(set).parse_bytes(data).map(|pair| pair.is_err());
    let is_rejected = |part: &[u8]| part.iter().any(|&byte| set.contains(byte));
    assert!(
        checked
            .eq(form::Parser::new().parse_bytes(data).map(|(name, value)| is_rejected(&name) || is_rejected(&value)))
    );

    let pairs = form::from_bytes::<Vec<(String, String)>>(data);
    let parsed: Result<Vec<_>, _> = form::Parser::new().parse_utf8(data).collect();
    match (&pairs, &parsed) {
        (Ok(pairs), Ok(parsed)) => {
            assert!(pairs.iter().map(|(n, v)| (&**n, &**v)).eq(parsed.iter().map(|(n, v)| (&**n, &**v))));
            assert_eq!(serde_urlencoded::from_bytes::<Vec<(String, String)>>(data).as_ref(), Ok(pairs));
            let written = form::to_string(pairs).unwrap();
            assert_eq!(serde_urlencoded::to_string(pairs).as_deref(), Ok(&*written));
            assert_eq!(form::from_str::<Vec<(String, String)>>(&written).as_ref().ok(), Some(pairs));
        }
        (Err(_), Err(_)) => {}
        different => panic!("{different:?}"),
    }
    let _ = form::from_bytes::<BTreeMap<String, String>>(data);
    if let Ok(record) = form::from_bytes::<Record>(data) {
        let written = form::to_string(&record).unwrap();
        let again = form::from_str::<Record>(&written).unwrap();
        assert!(record == again || record.ratio.is_some_and(f64::is_nan), "{written}");
    }
});
