//! Tests charsets. Compares the conversion of text to bytes and back with encoding_rs. Some calls convert and
//! percent-encode, or percent-decode and convert. These calls are compared with two separate steps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{Decoder, Encoder, sets};
use percent_simd_fuzz::*;
use percent_standards::charset::Charset;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let all: Vec<Charset> = Charset::all().collect();
    let charset = all[choices.below(all.len())];
    // Repeat the input, so that it is longer than the converter's buffers, which are small under the fuzzer.
    let times = 1 + choices.below(4);
    let bytes = choices.input().repeat(times);
    let text = String::from_utf8_lossy(&bytes);

    // Convert the plain and the percent-encoded form, in both directions.
    let (lossy, strict) = (charset.decode_lossy(&bytes), charset.decode(&bytes));
    assert!(strict.as_deref().is_ok_and(|text| text == lossy) || strict.is_err_and(|e| e.offset <= bytes.len()));
    let html = charset.encode_html(&text);
    let plain = charset.encode(&text);
    match &plain {
        Ok(plain) => assert_eq!(plain, &html, "{}", charset.name()),
        Err(error) => assert!(text[error.offset..].starts_with(error.character), "{}", charset.name()),
    }
    if let Some(peer) = encoding_rs::Encoding::for_label(charset.name().as_bytes())
        && Charset::for_label(charset.name()) == Some(charset)
    {
        assert_eq!(lossy, peer.decode_without_bom_handling(&bytes).0, "{}", charset.name());
        if peer.output_encoding() == peer {
            assert_eq!(html, peer.encode(&text).0, "{}", charset.name());
        }
    }

    let set = sets::RFC3986_UNRESERVED;
    let encoder = Encoder::new(set).with_engine(engine);
    let naive = |bytes: &[u8]| String::from_utf8(Encode::new(set).run(bytes)).unwrap();
    if let Ok(plain) = &plain {
        assert_eq!(charset.percent_encode(&encoder, &text).unwrap(), naive(plain), "{}", charset.name());
    }
    let decoder = Decoder::new().with_engine(engine);
    let decoded = LENIENT.run(&bytes).out;
    assert_eq!(charset.percent_decode_lossy(&decoder, &bytes), charset.decode_lossy(&decoded), "{}", charset.name());
    let strict = charset.percent_decode(decoder, &bytes);
    assert_eq!(strict.is_ok(), charset.decode(&decoded).is_ok(), "{}", charset.name());
    let mut pieces = String::new();
    let ended = charset.percent_decode_pieces(&decoder.as_checked(), &bytes, |piece| pieces.push_str(piece));
    match &strict {
        Ok(text) => assert_eq!((pieces.as_str(), ended), (&**text, Ok(())), "{}", charset.name()),
        Err(error) => assert_eq!(ended.unwrap_err().offset, error.offset, "{}", charset.name()),
    }
    let mut pieces = Vec::new();
    charset.percent_encode_html_pieces(encoder.raw(), &text, |piece| pieces.extend_from_slice(piece));
    assert_eq!(pieces, encoder.raw().encode(&*html).as_ref(), "{}", charset.name());
    let either = charset.detect_lossy(&decoder, &bytes);
    match str::from_utf8(&decoded) {
        Ok(text) => assert_eq!(either.text, text),
        Err(_) => assert_eq!(either.text, charset.decode_lossy(&decoded)),
    }
});
