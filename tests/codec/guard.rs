//! Input and output lie right before or right after a guard page: a page that can't be accessed. A read or write
//! outside of the input and output raises SIGSEGV. To find the code that did it, run the test binary in `gdb --args`.
#![cfg(unix)]

use crate::common;

use std::mem::MaybeUninit;
use std::ptr;

use crate::cells::cells;
use common::*;
use percent_simd::{Engine, OutputTooSmall, SliceError, internal};

/// The length of the longest input, in bytes.
const MOST: usize = 300;

/// Memory between two guard pages.
struct Guarded {
    base: *mut u8,
    page: usize,
    usable: usize,
}

/// The place of a slice in the memory between the guard pages.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The slice begins right after a guard page.
    Start,
    /// The slice ends right before a guard page.
    End,
}

const PLACES: [Place; 2] = [Place::Start, Place::End];

impl Guarded {
    fn new(most: usize) -> Guarded {
        // SAFETY: this call only returns a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let usable = most.next_multiple_of(page);
        // SAFETY: creates a new mapping at an address that the system chooses.
        let base = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
            libc::mmap(ptr::null_mut(), usable + 2 * page, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(base, libc::MAP_FAILED);
        let base = base.cast::<u8>();
        // SAFETY: the range is inside the mapping, and no reference to it exists yet.
        let changed = unsafe { libc::mprotect(base.add(page).cast(), usable, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(changed, 0);
        Guarded { base, page, usable }
    }

    fn lend(&mut self, n: usize, place: Place) -> &mut [u8] {
        assert!(n <= self.usable);
        let from = match place {
            Place::Start => self.page,
            Place::End => self.page + self.usable - n,
        };
        // SAFETY: these bytes are between the guard pages, so they can be accessed. They are initialized, because the system
        // provides zeros. The result borrows `self` mutably, so no other reference to them exists.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(from), n) }
    }

    fn holding(&mut self, bytes: &[u8], place: Place) -> &mut [u8] {
        let lent = self.lend(bytes.len(), place);
        lent.copy_from_slice(bytes);
        lent
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `new` made this mapping, and no borrow of it is left.
        unsafe { libc::munmap(self.base.cast(), self.usable + 2 * self.page) };
    }
}

/// Returns inputs of `n` bytes: clean text, escapes, hostile bytes, text of many scripts, and inputs that end inside an escape
/// or a character.
fn contents(n: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let cycle = |text: &str| text.bytes().cycle().take(n).collect::<Vec<_>>();
    let mut contents = vec![cycle("a"), cycle("%e2%82%aC"), cycle("+?é€\u{10FFFF}"), random.hostile(n)];
    for end in [&b"%"[..], b"%4", b"%41", b"\xE2\x82", b"\xF0\x9F\x92"] {
        if let Some(rest) = n.checked_sub(end.len()) {
            contents.push([&vec![b'a'; rest][..], end].concat());
        }
    }
    contents
}

/// Calls `check` with the inputs of each length: once right after a guard page, and once right before one.
fn each_input(mut check: impl FnMut(&[u8])) {
    let mut guarded = Guarded::new(MOST);
    let mut random = Random::seeded(0x6A6D);
    for n in 0..=MOST {
        let contents = contents(n, &mut random);
        let both = contents.iter().flat_map(|content| PLACES.map(|place| (content, place)));
        for (content, place) in thinned_by(17, both, n) {
            check(guarded.holding(content, place));
        }
    }
}

#[test]
fn encoding_touches_no_guard_page() {
    let mut out = Guarded::new(3 * MOST);
    each_input(|input| {
        for enc in encodings() {
            let expected = enc.run(input);
            let needed = expected.len();
            for engine in Engine::available() {
                let encoder = enc.encoder(engine);
                assert_eq!(encoder.encoded_len(input), Some(needed));
                assert_eq!(encoder.first_changed(input), enc.first_changed(input));
                if enc.is_ascii() && internal::encodes_to_itself(&encoder.to_ascii(), input) {
                    assert_eq!(expected, input, "{engine} {enc:?}");
                }
                for place in PLACES {
                    let got = encoder.encode_slice(input, out.lend(needed, place));
                    assert_eq!(got.as_deref(), Ok(&expected[..]), "{engine} {enc:?}");
                    for missing in [1, 2, 3, 17, 70, 200] {
                        if missing <= needed {
                            let got = encoder.encode_slice(input, out.lend(needed - missing, place));
                            assert_eq!(got, Err(OutputTooSmall::new(needed)), "{engine} {enc:?}");
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn encoding_to_collections_touches_no_guard_page() {
    each_input(|input| {
        for enc in encodings() {
            let expected = enc.run(input);
            for engine in Engine::available() {
                let encoder = enc.encoder(engine);
                assert_eq!(encoder.encode(input), expected, "{engine} {enc:?}");
                if let Ok(text) = std::str::from_utf8(input) {
                    let _ = encoder.encode_str(text);
                }
                if enc.is_ascii() {
                    assert_eq!(encoder.to_ascii().pieces(input).to_string().as_bytes(), expected);
                }
            }
        }
    });
}

#[test]
fn decoding_touches_no_guard_page() {
    let mut out = Guarded::new(MOST);
    each_input(|input| {
        for dec in decodings() {
            let expected = dec.run(input);
            let needed = expected.out.len();
            for engine in Engine::available() {
                let decoder = dec.decoder(engine);
                assert_eq!(decoder.decoded_len(input), expected.result().map(<[u8]>::len), "{engine} {dec:?}");
                assert_eq!(decoder.first_changed(input), expected.first_changed, "{engine} {dec:?}");
                if internal::decodes_to_itself(&dec.checked(engine), input) {
                    assert_eq!(expected.out, input, "{engine} {dec:?}");
                }
                for place in PLACES {
                    let room = out.lend(needed, place);
                    let got = match decoder.slice(input, room) {
                        Ok(n) => Ok(&room[..n]),
                        Err(SliceError::Input(error)) => Err(fault(error)),
                        Err(error) => panic!("{error}"),
                    };
                    assert_eq!(got, expected.result(), "{engine} {dec:?}");
                    for missing in [1, 2, 3, 17, 70, 200] {
                        if missing <= needed {
                            let got = decoder.slice(input, out.lend(needed - missing, place));
                            assert_eq!(
                                got,
                                Err(SliceError::OutputTooSmall(OutputTooSmall::new(needed))),
                                "{engine} {dec:?}"
                            );
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn decoding_in_place_touches_no_guard_page() {
    let mut buffer = Guarded::new(MOST);
    each_input(|input| {
        for dec in decodings() {
            let expected = dec.run(input);
            for engine in Engine::available() {
                for place in PLACES {
                    let got = dec.decoder(engine).in_place(buffer.holding(input, place)).map(|bytes| &*bytes);
                    assert_eq!(got, expected.result(), "{engine} {dec:?}");
                }
            }
        }
    });
}

#[test]
fn batches_in_slices_touch_no_guard_page() {
    let (mut values, mut out) = (Guarded::new(MOST), Guarded::new(3 * MOST));
    let mut random = Random::seeded(0x6A6E);
    for n in (0..=MOST).step_by(7) {
        for (content, place) in contents(n, &mut random).iter().flat_map(|content| PLACES.map(|place| (content, place)))
        {
            let input = values.holding(content, place);
            let mut cuts: Vec<usize> = (0..random.below(12)).map(|_| random.below(n + 1)).chain([0, n]).collect();
            cuts.sort_unstable();
            let rows = || cuts.windows(2).map(|ends| &content[ends[0]..ends[1]]);
            for engine in Engine::available() {
                let (enc, dec) = (random.encode(), random.decode());
                let mut ends = vec![MaybeUninit::uninit(); cuts.len()];
                let encoded: Vec<u8> = rows().flat_map(|row| enc.run(row)).collect();
                for missing in [0, 1, 2, 17, 70] {
                    let Some(cap) = encoded.len().checked_sub(missing) else { break };
                    let room = out.lend(cap, place);
                    let done =
                        internal::encode_batch_uninit(&enc.encoder(engine), input, &cuts, cells(room), &mut ends);
                    assert_eq!(room[..done.written], encoded[..done.written], "{engine} {enc:?}");
                    assert_eq!(done.rows == rows().count(), missing == 0);
                }
                let decoded = rows().map(|row| dec.run(row)).take_while(|row| row.error.is_none());
                let decoded: Vec<u8> = decoded.flat_map(|row| row.out).collect();
                let decoder = match dec.decoder(engine) {
                    AnyDecoder::Lenient(decoder) => decoder.as_checked(),
                    AnyDecoder::Checked(decoder) => decoder,
                };
                for missing in [0, 1, 2, 17, 70] {
                    let Some(cap) = decoded.len().checked_sub(missing) else { break };
                    let room = out.lend(cap, place);
                    let done = internal::decode_batch_uninit(&decoder, input, &cuts, cells(room), &mut ends);
                    assert_eq!(room[..done.written], decoded[..done.written], "{engine} {dec:?}");
                    assert!(missing > 0 || done.written == cap);
                }
            }
        }
    }
}

#[test]
fn decoding_to_text_touches_no_guard_page() {
    each_input(|input| {
        for dec in decodings() {
            let expected = dec.run(input);
            let text = expected.text();
            let lossy = expected.result().map(String::from_utf8_lossy);
            for engine in Engine::available() {
                let decoder = dec.decoder(engine);
                assert_eq!(decoder.utf8(input).as_deref(), text.as_ref().map(|text| *text), "{engine} {dec:?}");
                assert_eq!(decoder.lossy(input), lossy, "{engine} {dec:?}");
                assert_eq!(decoder.decode(input).as_deref(), expected.result().as_ref().map(|out| *out));
                if !dec.is_checked() {
                    assert_eq!(dec.lenient(engine).pieces(input).collect::<Vec<_>>().concat(), expected.out);
                    assert_eq!(dec.lenient(engine).first_malformed(input), expected.malformed);
                }
            }
        }
    });
}

#[test]
fn layers_touch_no_guard_page() {
    each_input(|input| {
        for engine in Engine::available() {
            let layers = LENIENT.lenient(engine).decode_layers(input, 5);
            assert!(layers.bytes.len() + 2 * layers.layers <= input.len());
        }
    });
}

#[test]
#[cfg(feature = "std")]
fn streams_touch_no_guard_page() {
    let mut out = Guarded::new(3 * MOST);
    each_input(|input| {
        let room = [3, 5, 16, 70, 3 * MOST][input.len() % 5];
        for enc in encodings() {
            let expected = enc.run(input);
            for (engine, place) in Engine::available().flat_map(|engine| PLACES.map(|place| (engine, place))) {
                let (mut stream, mut rest, mut encoded) = (enc.encoder(engine).stream(), input, Vec::new());
                while !rest.is_empty() {
                    let room = out.lend(room, place);
                    let fed = stream.push(rest, room);
                    encoded.extend_from_slice(&room[..fed.written]);
                    rest = &rest[fed.read..];
                }
                let room = out.lend(6, place);
                let finished = stream.finish(room).unwrap();
                encoded.extend_from_slice(&room[..finished]);
                assert!(encoded == expected, "{engine} {enc:?}");
            }
        }
        for dec in decodings() {
            let expected = dec.run(input);
            // A stream writes a kept latent triplet as a whole, so it needs a buffer of 7 bytes, and holds back up to 6
            // bytes.
            let (room, held) = if dec.keeps_latent() { (room.max(7), 6) } else { (room, 2) };
            for (engine, place) in Engine::available().flat_map(|engine| PLACES.map(|place| (engine, place))) {
                let (mut stream, mut rest, mut decoded) = (dec.decoder(engine).stream(), input, Vec::new());
                while !rest.is_empty() {
                    let room = out.lend(room, place);
                    let Ok(fed) = stream.push(rest, room) else { break };
                    decoded.extend_from_slice(&room[..fed.written]);
                    rest = &rest[fed.read..];
                }
                let room = out.lend(held, place);
                if let Ok(finished) = stream.finish(room) {
                    decoded.extend_from_slice(&room[..finished]);
                }
                assert!(decoded == expected.out, "{engine} {dec:?}");
            }
        }
    });
}
