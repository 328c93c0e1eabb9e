//! Tests the functions of ECMA-262. Their results for text, UTF-16 and WTF-8 must be the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_standards::ecma::{self, utf16, wtf8};

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fuzz_target!(|data: &[u8]| {
    let lone: Vec<u16> = data.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect();
    let replaced = utf16::to_well_formed(&lone);
    assert_eq!(*replaced, units(&String::from_utf16_lossy(&lone)));
    assert_eq!(utf16::encode_uri_component(&lone).is_ok(), String::from_utf16(&lone).is_ok());
    assert_eq!(utf16::unescape(&utf16::escape(&lone)), lone);
    let _ = (wtf8::decode_uri(data), wtf8::escape(data), wtf8::encode_uri(data), wtf8::to_well_formed(data));
    assert!(ecma::decode_with_u(data).len() <= data.len());

    let text = &*String::from_utf8_lossy(data);
    let utf16 = units(text);
    let encoded = ecma::encode_uri_component(text);
    assert_eq!(ecma::decode_uri_component(&encoded).as_deref(), Ok(text));
    assert_eq!(ecma::decode_uri(&ecma::encode_uri(text)).as_deref(), Ok(text));
    assert_eq!(utf16::encode_uri_component(&utf16).unwrap(), units(&encoded));
    assert_eq!(wtf8::encode_uri_component(text.as_bytes()).unwrap(), encoded);
    assert_eq!(ecma::unescape(&ecma::escape(text)).as_deref(), Ok(text));
    assert_eq!(ecma::unescape_utf16(text), &*utf16::unescape(&utf16));
    assert_eq!(ecma::unescape_wtf8(text), wtf8::unescape(text.as_bytes()).unwrap());
    for (from_text, from_utf16, from_wtf8) in [
        (ecma::decode_uri(text), utf16::decode_uri(&utf16), wtf8::decode_uri(text.as_bytes())),
        (
            ecma::decode_uri_component(text),
            utf16::decode_uri_component(&utf16),
            wtf8::decode_uri_component(text.as_bytes()),
        ),
    ] {
        assert_eq!(from_wtf8.as_deref(), from_text.as_deref().map(str::as_bytes));
        match (from_text, from_utf16) {
            (Ok(text), Ok(utf16)) => assert_eq!(units(&text), *utf16),
            (Err(error), Err(same)) => {
                assert_eq!((error.kind, units(&text[..error.offset]).len()), (same.kind, same.offset))
            }
            different => panic!("{different:?}"),
        }
    }
});
