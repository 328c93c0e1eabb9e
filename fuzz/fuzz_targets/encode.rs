//! Compares encoding with the oracle: any options, any length of the output buffer, any engine.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::OutputTooSmall;
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, room) = (choices.encode(), usize::from(choices.byte()) * 5);
    let input = choices.input();
    let expected = enc.run(input);
    let needed = expected.len();
    let encoder = enc.encoder(engine);
    assert_eq!(encoder.encode(input), expected, "{engine} {enc:?}");
    assert_eq!(encoder.encoded_len(input), Some(needed), "{engine} {enc:?}");
    assert_eq!(encoder.first_changed(input), enc.first_changed(input), "{engine} {enc:?}");
    for room in [room, needed] {
        // The output is a separate allocation, so that AddressSanitizer sees a write past its end.
        let mut out = vec![0; room].into_boxed_slice();
        let got = encoder.encode_slice(input, &mut out).map(|out| &*out);
        assert_eq!(
            got,
            if room < needed { Err(OutputTooSmall::new(needed)) } else { Ok(&expected[..]) },
            "{engine} {enc:?}"
        );
    }
    if enc.is_ascii() {
        let encoder = encoder.to_ascii();
        assert_eq!(encoder.encode_to_string(input).as_bytes(), expected, "{engine} {enc:?}");
        let pieces = encoder.pieces(input);
        assert_eq!(pieces.to_string().as_bytes(), expected, "{engine} {enc:?}");
        assert_eq!(pieces.clone().collect::<Vec<_>>().concat().as_bytes(), expected, "one by one, {engine} {enc:?}");
        assert_eq!(pieces.collect::<String>().as_bytes(), expected, "folded, {engine} {enc:?}");
    }
});
