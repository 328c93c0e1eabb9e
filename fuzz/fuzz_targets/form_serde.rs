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

fuzz_target!(|data: &[u8]| {
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
