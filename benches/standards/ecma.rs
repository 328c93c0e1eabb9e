//! Trials of the functions of ECMA-262.

use percent_simd::{CheckedDecoder, Decoder, Encoder, presets};
use percent_standards::ecma::{self, utf16};

use super::{Goal, Trial, pass, shared};
use crate::{Kind, Op};

const ENCODER: Encoder = presets::ECMA_ENCODE_URI_COMPONENT;
const DECODER: CheckedDecoder = Decoder::new().strict();

pub(super) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kind in [Kind::Escaped(10.0), Kind::Cyrillic] {
        for (len, count) in [(100, 10_000), (1024 * 1024, 1)] {
            trials.extend([trial(Op::EncodeCow, kind, len, count), trial(Op::DecodeUtf8, kind, len, count)]);
        }
    }
    trials
}

/// Creates a trial with three entries: ECMA-262's function on text, the same function on UTF-16, and the codec on the
/// text.
fn trial(op: Op, kind: Kind, len: usize, count: usize) -> Trial {
    let text = |bytes| String::from_utf8(bytes).expect("the generator makes text");
    let texts = shared(kind.strings(op, len, count).into_iter().map(text));
    let units = shared(texts.iter().map(|text| text.encode_utf16().collect::<Vec<_>>()));
    let name = if op.decodes() { "decodeURIComponent" } else { "encodeURIComponent" };
    let mut goals = vec![Goal::Times("text", "codec", 0.9)];
    // Characters above ASCII are converted to and from UTF-16 one by one, so there is no goal relative to the codec. For a long
    // text, the goal is two bytes per nanosecond.
    match kind {
        Kind::Cyrillic if count == 1 => goals.push(Goal::Nanoseconds("UTF-16", len as f64 / 2.0)),
        Kind::Cyrillic => {}
        _ => goals.push(Goal::Times("UTF-16", "codec", 0.5)),
    }
    let entries = if op.decodes() {
        for (text, units) in texts.iter().zip(units) {
            let expected = DECODER.decode_utf8(text).expect("encoded text decodes");
            assert_eq!(ecma::decode_uri_component(text).as_ref(), Ok(&expected));
            let expected = expected.encode_utf16().collect::<Vec<_>>();
            assert_eq!(utf16::decode_uri_component(units).as_deref(), Ok(&expected[..]));
        }
        vec![
            ("codec", pass(texts, |text| DECODER.decode_utf8(text))),
            ("text", pass(texts, |text| ecma::decode_uri_component(text))),
            ("UTF-16", pass(units, |units| utf16::decode_uri_component(units))),
        ]
    } else {
        for (text, units) in texts.iter().zip(units) {
            let expected = ENCODER.encode(text);
            assert_eq!(ecma::encode_uri_component(text), expected);
            let expected = expected.encode_utf16().collect::<Vec<_>>();
            assert_eq!(utf16::encode_uri_component(units).as_deref(), Ok(&expected[..]));
        }
        vec![
            ("codec", pass(texts, |text| ENCODER.encode(text))),
            ("text", pass(texts, |text| ecma::encode_uri_component(text))),
            ("UTF-16", pass(units, |units| utf16::encode_uri_component(units))),
        ]
    };
    Trial { what: format!("{name}, {kind}, {len} bytes"), bytes: len * count, calls: count, entries, goals }
}
