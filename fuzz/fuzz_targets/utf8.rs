//! Compares decoding to text with the standard library: strict and lossy, appended and in place, any engine.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let dec = choices.decode();
    // If the bytes are unescaped, the input itself may be invalid UTF-8. If they are written as triplets, only the output may be
    // invalid.
    let escaped = choices.byte() % 2 == 1;
    let raw = choices.input();
    let input = if escaped { Encode::new(UNRESERVED).run(raw) } else { raw.to_vec() };
    let expected = dec.run(&input);
    let text = expected.text();
    let decoder = dec.decoder(engine);
    let utf8 = decoder.utf8(&input);
    assert!(utf8.as_ref().is_ok_and(|text| std::str::from_utf8(text.as_bytes()).is_ok()) || utf8.is_err());
    assert_eq!(utf8.as_deref().map_err(|e| *e), text, "{engine} {dec:?}");
    assert_eq!(decoder.lossy(&input), expected.result().map(String::from_utf8_lossy), "{engine} {dec:?}");
    let mut string = String::from("é");
    let appended = match decoder {
        AnyDecoder::Lenient(decoder) => decoder.decode_into_string(&input, &mut string),
        AnyDecoder::Checked(decoder) => decoder.decode_into_string(&input, &mut string),
    };
    assert_eq!(appended.map_err(fault), text.map(str::len), "{engine} {dec:?}");
    assert_eq!(string, ["é", text.unwrap_or_default()].concat(), "{engine} {dec:?}");
    if let Ok(input) = String::from_utf8(input.clone()) {
        assert_eq!(decoder.string(input).as_deref().map_err(|e| *e), text, "{engine} {dec:?}");
    }
});
