//! Compares the conversion from UTF-16 to UTF-8 with that of the standard library, on every engine.
#![cfg(feature = "alloc")]

use percent_simd::Engine;
use percent_standards::ecma::utf16::to_utf8;

/// Converts `units`, up to the first lone surrogate, with every engine, and checks the results.
fn check(units: &[u16]) {
    let characters = char::decode_utf16(units.iter().copied()).map_while(Result::ok);
    let expected: String = characters.collect();
    for engine in Engine::available() {
        let mut out = vec![0; 3 * units.len() + 1];
        let (read, written) = to_utf8(Some(engine), units, &mut out);
        let got = (read, &out[..written]);
        assert_eq!(got, (expected.encode_utf16().count(), expected.as_bytes()), "{engine} {units:04X?}");
    }
}

#[test]
fn every_unit_in_lanes_and_some_in_every_lane() {
    for unit in 0..=u16::MAX {
        let mut units = [0x430; 23];
        units[usize::from(unit) % 16] = unit;
        check(&units);
    }
    // If a kernel combines lanes by mistake, a bit of a filler can hide a bit of `unit`. So one filler is 0, which
    // can't hide a bit. Another filler is 0xD800. It is a lone surrogate, so the conversion must stop there.
    for filler in [0, 0x61, 0x3B1, 0x4E00, 0xD800] {
        for lane in 0..150 {
            for unit in [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, u16::MAX] {
                let mut units = [filler; 150];
                units[lane] = unit;
                check(&units);
                if let Some(next) = units.get_mut(lane + 1) {
                    *next = 0xDC00;
                    check(&units);
                }
            }
        }
    }
}

#[test]
fn only_surrogate_pairs() {
    check(&"\u{1F600}".repeat(75).encode_utf16().collect::<Vec<_>>());
}

#[test]
fn conversion_stops_at_a_full_output() {
    let units: Vec<u16> = "я, € and ASCII, for a while; ".encode_utf16().cycle().take(200).collect();
    let text = String::from_utf16_lossy(&units);
    for engine in Engine::available() {
        for room in 0..text.len() + 9 {
            let mut out = vec![0; room];
            let (read, written) = to_utf8(Some(engine), &units, &mut out);
            assert_eq!(String::from_utf16_lossy(&units[..read]).as_bytes(), &out[..written], "{engine} {room}");
            assert!(room - written < 4 || read == units.len(), "{engine} {room}");
        }
    }
}
