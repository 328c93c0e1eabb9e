//! Calls one after the other on the same buffers: each appends, replaces or fails as the oracle says, and leaves the rest as
//! it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{ByteSet, Engine};
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let engines: Vec<_> = Engine::available().collect();
    let (mut bytes, mut text) = (Vec::new(), String::new());
    for _ in 0..40 {
        if choices.0.is_empty() || bytes.len() + text.len() > 1 << 16 {
            return;
        }
        let engine = engines[choices.below(engines.len())];
        let operation = choices.byte();
        let (enc, dec) = (choices.encode(), choices.decode());
        let part = choices.some(200);
        let (before, text_before) = (bytes.clone(), text.clone());
        match operation % 9 {
            0 => {
                assert_eq!(enc.encoder(engine).encode_into(part, &mut bytes), enc.run(part).len());
                assert_eq!(bytes, [before, enc.run(part)].concat(), "{engine} {enc:?}");
            }
            1 => {
                let result = dec.checked(engine).decode_into(part, &mut bytes).map_err(fault);
                let expected = dec.run(part);
                assert_eq!(result, expected.result().map(<[u8]>::len), "{engine} {dec:?}");
                assert_eq!(bytes, [&before[..], expected.result().unwrap_or_default()].concat(), "{engine} {dec:?}");
            }
            2 => {
                let result = dec.checked(engine).decode_into_string(part, &mut text).map_err(fault);
                let expected = dec.run(part);
                assert_eq!(result, expected.text().map(str::len), "{engine} {dec:?}");
                assert_eq!(text, text_before + expected.text().unwrap_or_default(), "{engine} {dec:?}");
            }
            3 => {
                let expected = dec.run(&bytes);
                bytes = match dec.checked(engine).decode_vec(std::mem::take(&mut bytes)) {
                    Ok(out) => out,
                    Err(error) => {
                        assert_eq!(Some(fault(error.error())), expected.error, "{engine} {dec:?}");
                        error.into_input()
                    }
                };
                assert_eq!(bytes, expected.result().unwrap_or(&before), "{engine} {dec:?}");
            }
            4 => {
                let expected = dec.run(text.as_bytes());
                let result = dec.decoder(engine).string(std::mem::take(&mut text));
                assert_eq!(result.as_deref().map_err(|e| *e), expected.text(), "{engine} {dec:?}");
                text = result.unwrap_or_default();
            }
            5 => {
                let ascii = Encode { allowed: enc.allowed & ByteSet::ASCII, ..enc };
                ascii.encoder(engine).to_ascii().encode_into(part, &mut text);
                assert_eq!(text.as_bytes(), [text_before.as_bytes(), &ascii.run(part)].concat(), "{engine} {enc:?}");
            }
            6 => bytes.truncate(part.len()),
            7 => {
                bytes.shrink_to_fit();
                bytes.reserve(part.len());
            }
            _ => text.clear(),
        }
        // This asks the standard library, not the type.
        assert!(str::from_utf8(text.as_bytes()).is_ok(), "{engine}");
    }
});
