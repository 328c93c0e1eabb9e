//! Compares the decoder of UTF-8 with that of the standard library. No public call runs this decoder alone, so the test compiles its file.
#![cfg(feature = "alloc")]

#[path = "../../src/utf8.rs"]
mod tested;

use tested::Utf8;

fn read(bytes: &[u8]) -> Option<String> {
    let mut utf8 = Utf8::default();
    let mut text = String::new();
    for &byte in bytes {
        text.extend(utf8.push(byte).ok()?);
    }
    utf8.is_complete().then_some(text)
}

#[test]
fn every_sequence_of_boundary_bytes_equals_from_utf8() {
    let bytes =
        [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5];
    for a in bytes {
        for b in bytes {
            for c in bytes {
                for d in bytes {
                    let all = [a, b, c, d];
                    for len in 0..=4 {
                        let expected = str::from_utf8(&all[..len]).ok().map(Into::into);
                        assert_eq!(read(&all[..len]), expected, "{:x?}", &all[..len]);
                    }
                }
            }
        }
    }
}
