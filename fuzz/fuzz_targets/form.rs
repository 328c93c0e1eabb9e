//! Tests forms. Every engine must find the same pairs as plain code that splits the text. If pairs are serialised and parsed, the
//! result must be the same pairs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd_fuzz::*;
use percent_standards::form;

const PLUS: Decode = Decode { plus_always: true, ..LENIENT };

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut pairs = Vec::new();
    for pair in data.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
        let at = pair.iter().position(|&byte| byte == b'=');
        let (name, value) = (&pair[..at.unwrap_or(pair.len())], at.map_or(&[][..], |at| &pair[at + 1..]));
        pairs.push((PLUS.run(name).out, PLUS.run(value).out));
    }
    let parser = form::Parser::new().with_engine(engine);
    assert!(parser.parse_bytes(data).eq(pairs.iter().map(|(name, value)| (name.into(), value.into()))), "{engine}");
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let texts = pairs.iter().map(|(name, value)| (lossy(name), lossy(value)));
    assert!(parser.parse(data).into_owned().eq(texts), "{engine}");
    let text = parser.parse_utf8(data).collect::<Result<Vec<_>, _>>();
    let is_text = pairs.iter().all(|(name, value)| str::from_utf8(name).is_ok() && str::from_utf8(value).is_ok());
    assert_eq!(text.is_ok(), is_text, "{engine}");
    let malformed = parser.strict().parse_bytes(data).find_map(Result::err).map(|error| error.offset());
    let strict = data
        .split(|&byte| byte == b'&' || byte == b'=')
        .try_fold(0, |at, part| STRICT.run(part).error.map_or(Ok(at + part.len() + 1), |(offset, _)| Err(at + offset)));
    assert_eq!(malformed, strict.err(), "{engine}");
    let serialised = form::serialize(pairs.iter().map(|(name, value)| (name, value)));
    assert_eq!(form::display(pairs.iter().map(|(name, value)| (name, value))).to_string(), serialised);
    // This is the serializer of URL Standard 5.2, with the oracle's encoder.
    let encode = Encode { plus: true, ..Encode::new(UNRESERVED.without(b'~').with(b'*')) };
    let written = pairs.iter().map(|(name, value)| [encode.run(name), encode.run(value)].join(&b'='));
    assert_eq!(serialised.as_bytes(), written.collect::<Vec<_>>().join(&b'&'), "{engine}");
    let again =
        form::Parser::new().parse_bytes(&serialised).map(|(name, value)| (name.into_owned(), value.into_owned()));
    // A pair of an empty name and an empty value is written as `=`, which is parsed as one pair.
    assert!(again.eq(pairs), "{serialised}");
});
