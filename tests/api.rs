//! The shape of the API: what is accepted as an argument, what is implemented for which type, and how errors read.
#![cfg(feature = "std")]

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use percent_simd::{Decoder, Encoder, sets, uri};

const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);

#[test]
fn every_kind_of_text_and_bytes_is_an_input() {
    let text = "a b";
    let mut array = *b"a b";
    assert_eq!(SEGMENT.encode(text), "a%20b");
    assert_eq!(SEGMENT.encode(&text), "a%20b");
    assert_eq!(SEGMENT.encode(&&text), "a%20b");
    assert_eq!(SEGMENT.encode(&String::from(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Cow::Borrowed(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Cow::<str>::Owned(text.into())), "a%20b");
    assert_eq!(SEGMENT.encode(&Box::<str>::from(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Rc::<str>::from(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Arc::<String>::from(String::from(text))), "a%20b");
    assert_eq!(SEGMENT.encode(b"a b"), "a%20b");
    assert_eq!(SEGMENT.encode(&b"a b"[..]), "a%20b");
    assert_eq!(SEGMENT.encode(&mut array), "a%20b");
    assert_eq!(SEGMENT.encode(&&mut array), "a%20b");
    assert_eq!(SEGMENT.encode(&text.as_bytes().to_vec()), "a%20b");
    assert_eq!(SEGMENT.encode(&Cow::<[u8]>::Borrowed(b"a b")), "a%20b");
    assert_eq!(SEGMENT.encode(&Box::<[u8]>::from(*b"a b")), "a%20b");
    assert_eq!(SEGMENT.encode(&[]), "");
    assert_eq!(Decoder::new().decode_utf8(&uri::sanitize_escapes("100% %41")).unwrap(), "100% A");
}

#[test]
fn calls_map_over_iterators() {
    // What an iterator yields by reference outlives the closure, so nothing is copied.
    let words = ["a b", "c"];
    let encoded: Vec<Cow<'static, str>> = words.into_iter().map(|word| SEGMENT.encode(word)).collect();
    assert_eq!(encoded, ["a%20b", "c"]);
    assert!(matches!(encoded[1], Cow::Borrowed("c")));
    let owned: Vec<String> = words.map(String::from).to_vec();
    let encoded: Vec<Cow<str>> = owned.iter().map(|word| SEGMENT.encode(word)).collect();
    let decoded: Vec<Cow<[u8]>> = encoded.iter().map(|word| Decoder::new().decode(word)).collect();
    assert_eq!(decoded, [&b"a b"[..], b"c"]);
}
