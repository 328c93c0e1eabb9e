//! Compares decoding to bytes with the oracle: any options, any length of the output buffer, any engine.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{OutputTooSmall, SliceError, internal};
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (dec, room) = (choices.decode(), usize::from(choices.byte()) * 3);
    let input = choices.input();
    let expected = dec.run(input);
    let needed = expected.out.len();
    let decoder = dec.decoder(engine);
    assert_eq!(decoder.decode(input).as_deref().map_err(|e| *e), expected.result(), "{engine} {dec:?}");
    assert_eq!(decoder.in_place(&mut input.to_vec()).map(|out| &*out), expected.result(), "{engine} {dec:?}");
    assert_eq!(decoder.decoded_len(input), expected.result().map(<[u8]>::len), "{engine} {dec:?}");
    assert_eq!(decoder.first_changed(input), expected.first_changed, "{engine} {dec:?}");
    for room in [room, needed] {
        // The output is a separate allocation, so that AddressSanitizer sees a write past its end.
        let mut out = vec![0; room].into_boxed_slice();
        match decoder.slice(input, &mut out) {
            Err(SliceError::OutputTooSmall(error)) => {
                assert_eq!((room < needed, error), (true, OutputTooSmall::new(needed)))
            }
            Err(SliceError::Input(error)) => assert_eq!(Some(fault(error)), expected.error),
            Ok(n) => assert_eq!(Ok(&out[..n]), expected.result(), "{engine} {dec:?}"),
        }
    }
    if let AnyDecoder::Lenient(decoder) = decoder {
        assert_eq!(
            internal::decode_with_report(&decoder, input).first_malformed,
            expected.malformed,
            "{engine} {dec:?}"
        );
        assert_eq!(decoder.first_malformed(input), expected.malformed, "{engine} {dec:?}");
        assert_eq!(decoder.pieces(input).collect::<Vec<_>>().concat(), expected.out, "{engine} {dec:?}");
    }
});
