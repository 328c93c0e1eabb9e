//! Tests any of the 2^256 sets: the operations of `ByteSet`, and the encoding of each byte by each engine.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::ByteSet;
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (a, b) = (choices.set(), choices.set());
    let has = |set: ByteSet, byte: u8| set.words()[usize::from(byte / 64)] >> (byte % 64) & 1 == 1;
    for byte in 0..=255 {
        let (in_a, in_b) = (has(a, byte), has(b, byte));
        assert_eq!([a.contains(byte), has(!a, byte)], [in_a, !in_a]);
        assert_eq!([has(a | b, byte), has(a & b, byte), has(a - b, byte)], [in_a | in_b, in_a & in_b, in_a & !in_b]);
        assert_eq!([has(a.with(byte), byte), has(a.without(byte), byte)], [true, false]);
    }
    assert!(a.iter().eq((0..=255).filter(|&byte| has(a, byte))) && a.len() == a.iter().count());
    assert_eq!(a.iter().fold(ByteSet::EMPTY, ByteSet::with), a);

    // The input is all 256 byte values, in order from a chosen one on, and then the rest of the fuzzer's bytes.
    let from = choices.byte();
    let mut input: Vec<u8> = (0..=255).map(|byte: u8| byte.wrapping_add(from)).collect();
    input.extend_from_slice(choices.input());
    for enc in [Encode::new(a), Encode { keep: true, ..Encode::new(b) }] {
        let dec = Decode { keep: a, upper: true, reject: b, ..LENIENT };
        let escaped = Encode::new(ByteSet::EMPTY).run(&input);
        let (encoded, decoded) = (enc.run(&input), dec.run(&escaped));
        assert_eq!(enc.encoder(engine).encode(&input), encoded, "{engine} {enc:?}");
        let got = dec.decoder(engine).decode(&escaped);
        assert_eq!(got.as_deref().map_err(|e| *e), decoded.result(), "{engine} {dec:?}");
        let text = enc.encoder(engine).encode_str(&String::from_utf8_lossy(&input)).into_owned();
        assert!(std::str::from_utf8(text.as_bytes()).is_ok(), "{engine} {enc:?}");
    }
});
