//! Tests HTTP fields. If a field is parsed and printed, the result must have the same value. If a value is encoded and decoded,
//! the result must be the original.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_standards::form::html::multipart_escape;
use percent_standards::http::{
    ContentDisposition, ExtValue, Parameters, baggage, decode_cookie_value, decode_grpc_message, encode_cookie_value,
    encode_grpc_message, multipart_unescape, pairs,
};

fuzz_target!(|data: &[u8]| {
    match ExtValue::parse(data) {
        Ok(value) => {
            let printed = value.to_string();
            let again = ExtValue::parse(&printed).unwrap();
            assert_eq!((again.value(), again.language()), (value.value(), value.language()), "{printed}");
        }
        Err(error) => assert!(error.offset <= data.len()),
    }
    let cookie = encode_cookie_value(data);
    let is_cookie_octet = |byte| matches!(byte, 0x21 | 0x23..=0x2B | 0x2D..=0x3A | 0x3C..=0x5B | 0x5D..=0x7E);
    assert!(cookie.bytes().all(is_cookie_octet), "{cookie}"); // RFC 6265 4.1.1
    assert_eq!(decode_cookie_value(&*cookie), data);
    let _ = decode_cookie_value(data);

    let message = &*String::from_utf8_lossy(data);
    let field = encode_grpc_message(message);
    assert!(field.bytes().all(|byte| (0x20..=0x7E).contains(&byte)), "{field}");
    assert_eq!(decode_grpc_message(&*field), message);
    let _ = decode_grpc_message(data);
    let value = ExtValue::new(message).to_string();
    assert_eq!(ExtValue::parse(&value).unwrap().value(), message, "{value}");

    let field = ContentDisposition::attachment().with_filename(message).to_string();
    assert!(field.bytes().all(|byte| (0x20..=0x7E).contains(&byte)), "{field}");
    assert_eq!(ContentDisposition::parse(&field).filename(), Some(message), "{field}");
    let name = multipart_unescape(message);
    assert_eq!(multipart_unescape(&multipart_escape(&name)), name, "{message:?}");
    let parsed = ContentDisposition::parse(data);
    let mut out = vec![0; 4 * data.len() + 8];
    assert_eq!(ContentDisposition::parse_slice(data, &mut out).as_ref(), Ok(&parsed));
    if let Some(name) = parsed.file_name() {
        assert!(!name.contains(['/', '\\']) && !matches!(name, "" | "." | ".."), "{name}");
    }
    let sections = [b";a*0*=''", data].concat();
    let (mut out, joined) = (vec![0; 4 * sections.len()], Parameters::of(&sections).get("a"));
    assert_eq!(Parameters::of(&sections).get_slice("a", &mut out).unwrap().0, joined.as_deref());

    let field = baggage::build([("k", message)]).unwrap();
    let members: Vec<_> = baggage::parse(&field).collect();
    assert!(matches!(&members[..], [Ok(member)] if member.value == message), "{field}");
    for member in baggage::parse(message) {
        match member {
            Ok(member) => assert!(message[member.offset..].starts_with(member.key)),
            Err(error) => assert!(error.offset <= message.len()),
        }
    }
    for pair in pairs(message, b',') {
        assert!(message[pair.offset..].starts_with(pair.name));
        let _ = pair.decode_value();
    }
});
