//! Properties that hold for any input, any set and any options. On every engine, all calls must agree with the oracle.

use crate::common;

use std::borrow::Cow;
use std::fmt::{Debug, Write as _};
use std::mem::MaybeUninit;

use crate::cells::cells;
use common::*;
use percent_simd::batch::Offset;
use percent_simd::internal::{self, BatchProgress, Cell, EMPTY_CELL};
use percent_simd::{
    BatchError, ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Engine, OutputTooSmall, Plus, RawEncoder,
    SliceError,
};
use quickcheck::{Arbitrary, Gen};

/// Hostile bytes. Quickcheck shrinks them like a vector.
#[derive(Clone)]
struct Input(Vec<u8>);

impl Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", show(&self.0))
    }
}

fn random(g: &mut Gen) -> Random {
    Random(u64::arbitrary(g) | 1)
}

impl Arbitrary for Input {
    fn arbitrary(g: &mut Gen) -> Input {
        let mut random = random(g);
        let most = match random.below(200) {
            // Sinks work in pieces of 6 KiB and of 16 KiB, so some inputs are long enough for several pieces.
            0 => 40_000,
            1..20 => 3000,
            20..80 => 300,
            80..150 => 80,
            _ => 20,
        };
        let n = random.below(most);
        Input(random.hostile(n))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Input>> {
        Box::new(self.0.shrink().map(Input))
    }
}

#[derive(Clone, Debug)]
struct AnyEncode(Encode);

impl Arbitrary for AnyEncode {
    fn arbitrary(g: &mut Gen) -> AnyEncode {
        AnyEncode(random(g).encode())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = AnyEncode>> {
        let enc = self.0;
        let simpler = [
            Encode { lower: false, ..enc },
            Encode { plus: false, ..enc },
            Encode { keep: false, ..enc },
            Encode { allowed: UNRESERVED, ..enc },
            Encode { allowed: enc.allowed & ByteSet::range(0, 0x7F), ..enc },
        ];
        Box::new(simpler.into_iter().filter(move |&simple| simple != enc).map(AnyEncode))
    }
}

#[derive(Clone, Debug)]
struct AnyDecode(Decode);

impl Arbitrary for AnyDecode {
    fn arbitrary(g: &mut Gen) -> AnyDecode {
        AnyDecode(random(g).decode())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = AnyDecode>> {
        let dec = self.0;
        let simpler = [
            Decode { strict: false, ..dec },
            Decode { plus_always: false, plus_after_query: false, ..dec },
            Decode { keep: ByteSet::EMPTY, ..dec },
            Decode { upper: false, ..dec },
            Decode { reject: ByteSet::EMPTY, ..dec },
        ];
        Box::new(simpler.into_iter().filter(move |&simple| simple != dec).map(AnyDecode))
    }
}

#[expect(clippy::ptr_arg)] // a `&str` or a slice can't show whether the `Cow` borrows
fn borrowed<T: ToOwned + ?Sized>(cow: &Cow<'_, T>) -> bool {
    matches!(cow, Cow::Borrowed(_))
}

/// Calls `write` with `n` bytes of uninitialized memory.
#[cfg(feature = "simd")]
fn with_uninit<R>(n: usize, write: impl FnOnce(&mut [MaybeUninit<u8>]) -> R) -> R {
    write(&mut vec![MaybeUninit::uninit(); n])
}

#[test]
fn all_calls_of_raw_encoders_agree() {
    fn property(AnyEncode(enc): AnyEncode, Input(input): Input) {
        let expected = enc.run(&input);
        let needed = expected.len();
        for engine in Engine::available() {
            let encoder = enc.encoder(engine);
            assert_eq!(encoder.allowed(), enc.allowed);
            assert_eq!(encoder.encoded_len(&input), Some(needed));
            assert_eq!(encoder.first_changed(&input), enc.first_changed(&input));

            let cow = encoder.encode(&input);
            assert_eq!(cow, expected);
            assert_eq!(borrowed(&cow), expected == input);
            if let Cow::Owned(fresh) = cow {
                assert_eq!(fresh.capacity(), fresh.len());
            }

            let mut vec = b"before".to_vec();
            assert_eq!(encoder.encode_into(&input, &mut vec), needed);
            assert_eq!(vec, [b"before", &expected[..]].concat());
            let mut roomy = Vec::with_capacity(3 * input.len() + 1);
            roomy.push(b'!');
            let address = roomy.as_ptr();
            assert_eq!(encoder.encode_into(&input, &mut roomy), needed);
            assert_eq!(roomy.as_ptr(), address, "no new allocation if there is room");
            assert_eq!(&roomy[1..], expected);

            let mut room = vec![0; needed + 3];
            assert_eq!(encoder.encode_slice(&input, &mut room).as_deref(), Ok(&expected[..]));
            #[cfg(feature = "simd")]
            with_uninit(needed, |room| assert_eq!(encoder.encode_uninit(&input, room).as_deref(), Ok(&expected[..])));
            if needed > 0 {
                let small = encoder.encode_slice(&input, &mut room[..needed - 1]);
                assert_eq!(small, Err(OutputTooSmall::new(needed)));
            }

            #[cfg(feature = "std")]
            {
                let mut io = Vec::new();
                assert_eq!(encoder.encode_io(&input, &mut io).unwrap(), needed as u64);
                assert_eq!(io, expected);
            }
        }
    }
    check(60_000, property as fn(AnyEncode, Input));
}

#[test]
fn all_calls_of_encoders_agree() {
    fn property(AnyEncode(mut enc): AnyEncode, Input(input): Input) {
        let given = enc.allowed;
        enc.allowed = given & ByteSet::range(0, 0x7F);
        let expected = String::from_utf8(enc.run(&input)).unwrap();
        let needed = expected.len();
        for engine in Engine::available() {
            let mut encoder = Encoder::new(given).with_engine(engine);
            if enc.lower {
                encoder = encoder.lowercase();
            }
            if enc.plus {
                encoder = encoder.space_to_plus();
            }
            if enc.keep {
                encoder = encoder.keep_triplets();
            }
            assert_eq!(encoder.allowed(), given);
            assert_eq!(encoder.raw().encode(&input), expected.as_bytes());
            assert_eq!(Encode { allowed: given, ..enc }.encoder(engine).to_ascii().encode(&input), expected);
            assert_eq!(encoder.encoded_len(&input), Some(needed));
            assert_eq!(encoder.first_changed(&input), enc.first_changed(&input));

            for cow in [encoder.encode(&input), encoder.try_encode(&input).unwrap()] {
                assert_eq!(cow, expected);
                assert_eq!(borrowed(&cow), expected.as_bytes() == input);
                if let Cow::Owned(fresh) = cow {
                    assert_eq!(fresh.capacity(), fresh.len());
                }
            }
            let fresh = encoder.encode_to_string(&input);
            assert_eq!(fresh, expected);
            assert_eq!(fresh.capacity(), fresh.len());

            let mut string = "é".to_string();
            encoder.encode_into(&input, &mut string);
            encoder.try_encode_into(&input, &mut string).unwrap();
            assert_eq!(string, ["é", &expected, &expected].concat());
            let mut vec = vec![0xFF];
            assert_eq!(encoder.encode_into_vec(&input, &mut vec), needed);
            assert_eq!(&vec[1..], expected.as_bytes());

            let mut room = vec![0; needed + 3];
            assert_eq!(encoder.encode_slice(&input, &mut room), Ok(&expected[..]));
            #[cfg(feature = "simd")]
            with_uninit(needed, |room| assert_eq!(encoder.encode_uninit(&input, room), Ok(&expected[..])));

            let pieces = encoder.pieces(&input);
            assert_eq!(pieces.to_string(), expected);
            assert_eq!(pieces.clone().collect::<String>(), expected);
            let mut rest = pieces;
            let mut so_far = String::new();
            loop {
                let (low, high) = rest.size_hint();
                let (high, left) = (high.expect("an upper bound"), rest.clone().count());
                assert!(low <= left && left <= high, "{low}..={high} of {left}");
                assert_eq!(format!("{so_far}{rest}"), expected, "the rest can be displayed");
                // Take only a few steps, because each step displays the whole rest. One step for each piece would take
                // quadratic time.
                match rest.nth(input.len() / 5) {
                    Some(_) => so_far = expected[..expected.len() - rest.to_string().len()].to_string(),
                    None => break,
                }
            }

            let mut fmt = String::new();
            encoder.encode_fmt(&input, &mut fmt).unwrap();
            write!(fmt, "{}", encoder.pieces(&input)).unwrap();
            assert_eq!(fmt, [&expected[..], &expected].concat());
            #[cfg(feature = "std")]
            {
                let mut io = Vec::new();
                assert_eq!(encoder.encode_io(&input, &mut io).unwrap(), needed as u64);
                assert_eq!(io, expected.as_bytes());
            }
        }
    }
    check(20_000, property as fn(AnyEncode, Input));
}

#[test]
fn pieces_of_encoders_are_whole() {
    // Each piece is a stretch of unchanged bytes, as long as possible, or one changed byte.
    fn property(AnyEncode(mut enc): AnyEncode, Input(input): Input) {
        enc.allowed = enc.allowed & ByteSet::range(0, 0x7F);
        for engine in Engine::available() {
            let encoder = enc.encoder(engine).to_ascii();
            let mut run = false;
            let within = input.as_ptr_range();
            let mut pieces = encoder.pieces(&input);
            let mut all = Vec::new();
            while let Some(piece) = pieces.next() {
                let borrowed = within.contains(&piece.as_ptr());
                assert!(!borrowed || !run, "{engine}: two runs in a row");
                assert!(borrowed || piece == "+" || piece.len() == 3 && piece.starts_with('%'), "{engine}");
                run = borrowed;
                all.push((piece, internal::rest(&pieces)));
            }
            assert_eq!(pieces.next(), None, "{engine}");
            // After any number of pieces, `fold` must yield all remaining pieces.
            let mut left = &all[..];
            let mut rest = &input[..];
            let mut pieces = encoder.pieces(&input);
            for stride in 0..all.len().min(70) {
                assert_eq!(internal::rest(&pieces), rest, "{engine}");
                let folded = pieces.clone().fold(Vec::new(), |mut folded, piece| {
                    folded.push(piece);
                    folded
                });
                assert!(folded.into_iter().eq(left.iter().map(|(piece, _)| *piece)), "{engine}");
                let Some((_, after)) = left.get(stride) else { break };
                pieces.nth(stride);
                (left, rest) = (&left[stride + 1..], after);
            }
        }
    }
    check(2000, property as fn(AnyEncode, Input));
}

#[test]
fn encoded_text_is_utf8() {
    fn property(AnyEncode(enc): AnyEncode, text: String, all_high: bool) {
        let high = ByteSet::range(0x80, 0xFF);
        let enc = Encode { allowed: if all_high { enc.allowed | high } else { enc.allowed }, ..enc };
        let used =
            if enc.allowed.words()[2..] == [!0, !0] { enc } else { Encode { allowed: enc.allowed - high, ..enc } };
        let expected = used.run(text.as_bytes());
        for engine in Engine::available() {
            let cow = enc.encoder(engine).encode_str(&text);
            // `from_utf8` checks the bytes again, because a fault in the library could make a `str` that isn't UTF-8.
            assert!(std::str::from_utf8(cow.as_bytes()).is_ok());
            assert_eq!(cow.as_bytes(), expected);
            assert_eq!(borrowed(&cow), expected == text.as_bytes());
        }
    }
    check(10_000, property as fn(AnyEncode, String, bool));
}

#[test]
fn decoding_reverses_encoding() {
    fn property(AnyEncode(enc): AnyEncode, Input(input): Input) {
        // Decoding can't restore the input if the set has `%`, or if triplets are kept, or if `+` means both a space
        // and a plus sign.
        let mut enc = Encode { allowed: enc.allowed.without(b'%'), keep: false, ..enc };
        if enc.plus {
            enc.allowed = enc.allowed.without(b'+');
        }
        let plus = if enc.plus { Plus::Always } else { Plus::Never };
        for engine in Engine::available() {
            let encoded = enc.encoder(engine).encode(&input);
            let decoder = Decoder::new().plus(plus).with_engine(engine);
            assert_eq!(decoder.decode(&encoded), input);
            assert_eq!(decoder.strict().decode(&encoded).unwrap(), input);
            let mut decoded = encoded.into_owned();
            decoder.decode_vec(&mut decoded);
            assert_eq!(decoded, input);
        }
    }
    check(20_000, property as fn(AnyEncode, Input));
}

#[test]
fn encoding_with_triplets_kept_is_idempotent() {
    fn property(AnyEncode(enc): AnyEncode, Input(input): Input) {
        let mut enc = Encode { keep: true, ..enc };
        if enc.plus {
            enc.allowed = enc.allowed.with(b'+');
        }
        for engine in Engine::available() {
            let once = enc.encoder(engine).encode(&input);
            let twice = enc.encoder(engine).encode(&once);
            assert_eq!(twice, once);
            assert!(borrowed(&twice));
        }
    }
    check(20_000, property as fn(AnyEncode, Input));
}

#[test]
fn normalising_is_idempotent() {
    fn property(Input(input): Input) {
        let input = Encode { keep: true, ..Encode::new(ByteSet::ALL) }.run(&input);
        for engine in Engine::available() {
            let normal = Decoder::new().keep_upper(!UNRESERVED).with_engine(engine).strict();
            let once = normal.decode(&input).unwrap();
            let twice = normal.decode(&once).unwrap();
            assert_eq!(twice, once);
            assert!(borrowed(&twice));
        }
    }
    check(3000, property as fn(Input));
}

/// Returns true if at most a quarter of the memory of a decoded result is unused.
fn fits(len: usize, capacity: usize) -> bool {
    capacity - len <= capacity / 4
}

/// Before decoding, engines look for a `%` in groups of blocks.
#[test]
fn a_triplet_in_any_block_is_decoded() {
    for len in [257, 2048, 2 * 2048 + 64 + 17] {
        let mut input = vec![b'a'; len];
        let mut expected = vec![b'a'; len - 2];
        for at in (0..len - 2).step_by(13) {
            input[at..at + 3].copy_from_slice(b"%42");
            expected[at] = b'B';
            for engine in Engine::available() {
                assert_eq!(Decoder::new().with_engine(engine).decode(&input), expected, "{engine} {len} {at}");
            }
            input[at..at + 3].fill(b'a');
            expected[at] = b'a';
        }
        for engine in Engine::available() {
            assert!(borrowed(&Decoder::new().with_engine(engine).decode(&input)), "{engine} {len}");
        }
    }
}

#[test]
fn all_calls_of_decoders_agree() {
    fn property(AnyDecode(dec): AnyDecode, Input(input): Input) {
        let dec = Decode { strict: false, reject: ByteSet::EMPTY, ..dec };
        let expected = dec.run(&input);
        let needed = expected.out.len();
        let unchanged = expected.out == input;
        for engine in Engine::available() {
            let decoder = dec.lenient(engine);
            assert_eq!(decoder.decoded_len(&input), needed);
            assert_eq!(decoder.first_changed(&input), expected.first_changed);
            assert_eq!(decoder.first_malformed(&input), expected.malformed);

            let cow = decoder.decode(&input);
            assert_eq!(cow, expected.out);
            assert_eq!(borrowed(&cow), unchanged);
            if let Cow::Owned(fresh) = cow {
                assert!(fits(fresh.len(), fresh.capacity()));
            }
            assert_eq!(decoder.try_decode(&input).unwrap(), expected.out);
            {
                let noted = internal::decode_with_report(&decoder, &input);
                assert_eq!((&noted.bytes[..], noted.first_malformed), (&expected.out[..], expected.malformed));
                assert_eq!(borrowed(&noted.bytes), unchanged);
            }

            let mut vec = b"before".to_vec();
            assert_eq!(decoder.decode_into(&input, &mut vec), needed);
            assert_eq!(vec, [b"before", &expected.out[..]].concat());

            let mut room = vec![0; needed + 3];
            assert_eq!(decoder.decode_slice(&input, &mut room).as_deref(), Ok(&expected.out[..]));
            #[cfg(feature = "simd")]
            with_uninit(needed, |room| {
                assert_eq!(decoder.decode_uninit(&input, room).as_deref(), Ok(&expected.out[..]))
            });
            if needed > 0 {
                assert_eq!(decoder.decode_slice(&input, &mut room[..needed - 1]), Err(OutputTooSmall::new(needed)));
            }

            assert_eq!(decoder.decode_in_place(&mut input.clone()), expected.out);
            let mut vec = input.clone();
            decoder.decode_vec(&mut vec);
            assert_eq!(vec, expected.out);
            #[cfg(feature = "std")]
            {
                let mut io = Vec::new();
                assert_eq!(decoder.decode_io(&input, &mut io).unwrap(), needed as u64);
                assert_eq!(io, expected.out);
            }

            assert_eq!(decoder.pieces(&input).collect::<Vec<_>>().concat(), expected.out);
            let mut pieces = decoder.pieces(&input);
            loop {
                let (low, high) = pieces.size_hint();
                let (high, left) = (high.expect("an upper bound"), pieces.clone().count());
                assert!(low <= left && left <= high, "{low}..={high} of {left}");
                if pieces.nth(input.len() / 64).is_none() {
                    break;
                }
            }
        }
    }
    check(80_000, property as fn(AnyDecode, Input));
}

#[test]
fn all_calls_of_checked_decoders_agree() {
    fn property(AnyDecode(dec): AnyDecode, Input(input): Input) {
        let expected = dec.run(&input);
        let needed = expected.out.len();
        let result = expected.result();
        for engine in Engine::available() {
            let decoder = dec.checked(engine);
            assert_eq!(decoder.decoded_len(&input).map_err(fault), result.map(<[u8]>::len));
            assert_eq!(decoder.check(&input).map_err(fault), result.map(|_| ()));
            assert_eq!(decoder.first_changed(&input), expected.first_changed);

            for cow in [decoder.decode(&input), decoder.try_decode(&input).unwrap()] {
                assert_eq!(cow.as_deref().map_err(|error| fault(*error)), result);
                if let Ok(cow) = cow {
                    assert_eq!(borrowed(&cow), expected.out == input);
                    if let Cow::Owned(fresh) = cow {
                        assert!(fits(fresh.len(), fresh.capacity()));
                    }
                }
            }

            let mut vec = b"before".to_vec();
            let appended = decoder.decode_into(&input, &mut vec).map_err(fault);
            assert_eq!(appended, result.map(<[u8]>::len));
            assert_eq!(vec, [b"before", result.unwrap_or_default()].concat(), "as it was after an error");

            let in_slice = |result: Result<&mut [u8], SliceError<DecodeError>>| match result {
                Ok(bytes) => Ok(bytes.to_vec()),
                Err(SliceError::Input(error)) => Err(fault(error)),
                Err(error) => panic!("there is room: {error}"),
            };
            let mut room = vec![0; needed + 3];
            assert_eq!(in_slice(decoder.decode_slice(&input, &mut room)), result.map(<[u8]>::to_vec));
            #[cfg(feature = "simd")]
            with_uninit(needed, |room| {
                assert_eq!(in_slice(decoder.decode_uninit(&input, room)), result.map(<[u8]>::to_vec));
            });
            if needed > 0 {
                let small = decoder.decode_slice(&input, &mut room[..needed - 1]);
                assert_eq!(small, Err(SliceError::OutputTooSmall(OutputTooSmall::new(needed))));
            }

            let mut buffer = input.clone();
            assert_eq!(decoder.decode_in_place(&mut buffer).as_deref().map_err(|error| fault(*error)), result);
            if let Some((offset, _)) = expected.error {
                assert_eq!(buffer[..needed], expected.out, "the part before the error is decoded");
                assert_eq!(buffer[offset..], input[offset..], "the part after it is unchanged");
            }
            let mut vec = input.clone();
            assert_eq!(decoder.decode_vec(&mut vec).map_err(fault), result.map(|_| ()));
            assert_eq!(vec, result.unwrap_or(&input), "as it was after an error");

            #[cfg(feature = "std")]
            {
                let mut io = Vec::new();
                let written = decoder.decode_io(&input, &mut io);
                assert_eq!(io, expected.out, "the output before an error is written");
                match (written, expected.error) {
                    (Ok(written), None) => assert_eq!(written, needed as u64),
                    (Err(error), Some(wrong)) => {
                        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
                        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<DecodeError>());
                        assert_eq!(inner.map(|error| fault(*error)), Some(wrong));
                    }
                    (written, wrong) => panic!("{written:?} {wrong:?}"),
                }
            }
        }
    }
    check(80_000, property as fn(AnyDecode, Input));
}

#[test]
fn all_calls_to_text_agree() {
    fn property(AnyDecode(dec): AnyDecode, Input(input): Input) {
        let expected = dec.run(&input);
        let text = expected.text();
        let lossy = expected.result().map(String::from_utf8_lossy);
        for engine in Engine::available() {
            let decoder = dec.decoder(engine);
            let utf8 = decoder.utf8(&input);
            assert_eq!(utf8.as_deref(), text.as_ref().map(|text| *text), "{engine}");
            if let Ok(utf8) = utf8 {
                assert!(std::str::from_utf8(utf8.as_bytes()).is_ok());
                assert_eq!(borrowed(&utf8), expected.out == input);
                if let Cow::Owned(fresh) = utf8 {
                    assert!(fits(fresh.len(), fresh.capacity()));
                }
            }
            assert_eq!(decoder.lossy(&input), lossy, "{engine}");

            let mut string = "é!".to_string();
            let appended = match decoder {
                AnyDecoder::Lenient(decoder) => decoder.decode_into_string(&input, &mut string),
                AnyDecoder::Checked(decoder) => decoder.decode_into_string(&input, &mut string),
            };
            assert_eq!(appended.map_err(fault), text.map(str::len), "{engine}");
            assert_eq!(string, ["é!", text.unwrap_or_default()].concat(), "{engine}: as it was after an error");

            if let Ok(input) = std::str::from_utf8(&input) {
                assert_eq!(decoder.string(input.to_string()).as_deref(), text.as_ref().map(|text| *text), "{engine}");
            }
        }
    }
    check(120_000, property as fn(AnyDecode, Input));
}

#[test]
fn torn_text_near_the_end_of_a_piece() {
    // Sinks work in pieces of 6 KiB and 16 KiB. In these inputs, characters, escapes and errors lie across the end of a piece.
    let tails: [&[u8]; 14] = [
        b"%E2%82%AC",
        b"%F0%9F%92%A9",
        "é%C3%A9".as_bytes(),
        b"%C3",
        b"%E2%82",
        b"%F0%9F%92",
        b"%C0%AF",
        b"%ED%A0%80",
        b"%C3%zz",
        b"%E2%82%",
        b"%F0%9F%4",
        b"%zz",
        b"%00",
        b"%2",
    ];
    let decodings = [
        LENIENT,
        STRICT,
        Decode { plus_always: true, ..STRICT },
        Decode { keep: ByteSet::of(b"/a"), upper: true, reject: ByteSet::of(b"\0"), ..STRICT },
    ];
    for filling in ["a", "%61", "%c3%a9", "+", "%2f"] {
        for piece in [6 * 1024, 16 * 1024] {
            for back in 0..20 {
                let n = piece / filling.len() * filling.len();
                let front: Vec<u8> = filling.bytes().cycle().take(n).skip(back).collect();
                // `front` ends with a whole item, so the output of an input is the output of `front`, followed by the
                // output of the other parts.
                let fronts = decodings.map(|dec| dec.run(&front));
                for (i, tail) in tails.into_iter().enumerate() {
                    for (j, more) in ["", "a", "%41 and so on", "%E2%82%AC"].into_iter().enumerate() {
                        let end = [tail, more.as_bytes()].concat();
                        let input = [&front[..], &end].concat();
                        let utf8 = String::from_utf8(input.clone()).ok();
                        for (dec, front) in thinned(decodings.into_iter().zip(&fronts), back + 3 * i + 5 * j) {
                            let expected = front.then(&dec.run(&end), input.len() - end.len());
                            let text = expected.text();
                            for engine in Engine::available() {
                                let decoder = dec.decoder(engine);
                                let say = || {
                                    format!("{engine} {dec:?} {filling} {piece} - {back}, \"{}\" {more}", show(tail))
                                };
                                assert_eq!(
                                    decoder.utf8(&input).as_deref(),
                                    text.as_ref().map(|text| *text),
                                    "{}",
                                    say()
                                );
                                if let Some(input) = &utf8 {
                                    let got = decoder.string(input.clone());
                                    assert_eq!(got.as_deref(), text.as_ref().map(|text| *text), "in place: {}", say());
                                }
                                let got = decoder.in_place(&mut input.clone()).map(|bytes| bytes.to_vec());
                                assert_eq!(got.as_deref(), expected.result().as_ref().map(|out| *out), "{}", say());
                                #[cfg(feature = "std")]
                                {
                                    let mut io = Vec::new();
                                    let _ = dec.checked(engine).decode_io(&input, &mut io);
                                    assert!(io == expected.out, "{}", say());
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn pieces_of_decoders_are_whole() {
    fn property(AnyDecode(dec): AnyDecode, Input(input): Input) {
        let dec = Decode { strict: false, reject: ByteSet::EMPTY, ..dec };
        let mut run = false;
        let within = input.as_ptr_range();
        for piece in dec.lenient(Engine::active()).pieces(&input) {
            let borrowed = within.contains(&piece.as_ptr());
            assert!(!borrowed || !run, "two runs in a row");
            assert!(borrowed || piece.len() == 1 || piece.len() == 3 && piece[0] == b'%');
            run = borrowed;
        }
    }
    check(2000, property as fn(AnyDecode, Input));
}

/// The expected result of `decode_layers`, found by decoding repeatedly.
struct Peeled {
    out: Vec<u8>,
    layers: usize,
    error: Option<Fault>,
}

fn peel(dec: Decode, input: &[u8], max: usize) -> Peeled {
    let mut peeled = Peeled { out: input.to_vec(), layers: 0, error: None };
    // For each byte of the result, the offset in the input of the escape or byte that it was decoded from.
    let mut origin: Vec<usize> = (0..input.len()).collect();
    let mut rejected: Option<Fault> = None;
    for layer in 0..max {
        let this = match layer {
            0 => dec,
            // After the first layer, don't stop at a rejected escape, because a later layer may find a rejected escape that is
            // earlier in the input. In all layers after the first, a `+` or a malformed `%` is data.
            _ => Decode { strict: false, plus_always: false, plus_after_query: false, reject: ByteSet::EMPTY, ..dec },
        };
        let mut keep = this.keep;
        if layer > 0 {
            let at = (0..peeled.out.len()).filter_map(|i| Some((i, triplet(&peeled.out[i..])?)));
            for (i, byte) in at.filter(|&(_, byte)| dec.reject.contains(byte) && !dec.keep.contains(byte)) {
                let here = (origin[i], DecodeErrorKind::Rejected(byte));
                rejected = Some(rejected.map_or(here, |before| if before.0 < here.0 { before } else { here }));
            }
            keep = keep | dec.reject;
        }
        let decoded = Decode { keep, ..this }.run_with_latent(&peeled.out, this.keeps_latent());
        if decoded.error.is_some() {
            return Peeled { error: decoded.error, ..peeled };
        }
        if decoded.out == peeled.out {
            break;
        }
        origin = decoded.from.iter().map(|&from| origin[from]).collect();
        peeled.out = decoded.out;
        peeled.layers += 1;
    }
    Peeled { error: rejected, ..peeled }
}

#[track_caller]
fn check_layers(dec: Decode, input: &[u8], max: usize) {
    let expected = peel(dec, input, max);
    for engine in Engine::available() {
        let say = || format!("{engine} {dec:?} {max} layers of \"{}\"", show(input));
        let got = match dec.decoder(engine) {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_layers(input, max)),
            AnyDecoder::Checked(decoder) => decoder.decode_layers(input, max).map_err(fault),
        };
        match (got, expected.error) {
            (Ok(got), None) => {
                assert_eq!(show(&got.bytes), show(&expected.out), "{}", say());
                assert_eq!(got.layers, expected.layers, "{}", say());
                assert_eq!(borrowed(&got.bytes), expected.layers == 0, "{}", say());
            }
            (Err(got), Some(wrong)) => assert_eq!(got, wrong, "{}", say()),
            (got, wrong) => panic!("{got:?} {wrong:?} {}", say()),
        }
    }
}

#[test]
fn decode_layers_equals_repeated_decoding() {
    /// Returns text in which some parts were encoded several times.
    fn nest(random: &mut Random) -> Vec<u8> {
        let n = random.below(12);
        let mut nested = random.hostile(n);
        // `decode_layers` uses another algorithm after the sixteenth layer.
        let is_deep = random.one_in(16);
        let spared = if is_deep { 100 } else { 5 };
        for _ in 0..random.below(if is_deep { 30 } else { 7 }) {
            let every = if is_deep { 60 } else { 1 + random.below(4) };
            let mut outer = Vec::new();
            for &byte in &nested {
                if byte == b'%' && !random.one_in(spared) || byte.is_ascii_hexdigit() && random.one_in(2 * every) {
                    let triplet = if random.one_in(2) { format!("%{byte:02x}") } else { format!("%{byte:02X}") };
                    outer.extend(triplet.bytes());
                } else {
                    outer.push(byte);
                }
            }
            nested = outer;
            if nested.len() > 2000 {
                break;
            }
        }
        nested
    }

    fn property(seed: u64, AnyDecode(dec): AnyDecode) {
        let mut random = Random(seed | 1);
        let input = nest(&mut random);
        let dec = if random.one_in(3) { Decode { keep: random.set() & random.set(), ..dec } } else { dec };
        for max in [0, 1, 2, 3, random.below(9), 15 + random.below(4), usize::MAX] {
            check_layers(dec, &input, max);
        }
    }
    check(100_000, property as fn(u64, AnyDecode));
}

#[test]
fn layers_of_known_nests() {
    let nests: [&[u8]; 21] = [
        b"%2541", b"%252541", b"%25252525252541", b"%%34%31", b"%%%33%34%31", b"%25%32%35%34%31", b"%%32%65",
        b"%%%32%35%34%31", b"%2%35%34%31", b"%%25341", b"%25%33%34%%33%31", b"%252b+%2b", b"%25%37%65%257E", b"%2500",
        b"%%30%30", b"%%%%%%", b"%25%25%25", b"%2566%%36%36",
        // Several escapes are rejected, in the first and the second layer. The error must name the one that begins first in the
        // input.
        b"%2500%2541%2500", b"%252500%2500x%252541", b"%%30%30%41%2500",
    ];
    let decodings = [
        LENIENT,
        STRICT,
        Decode { plus_always: true, ..LENIENT },
        Decode { keep: ByteSet::of(b"%"), ..LENIENT },
        Decode { keep: ByteSet::of(b"A~f"), upper: true, ..LENIENT },
        Decode { keep: !UNRESERVED, upper: true, ..LENIENT },
        Decode { reject: ByteSet::of(b"\0A"), ..LENIENT },
        Decode { reject: ByteSet::of(b"%"), ..LENIENT },
        Decode { reject: ByteSet::of(b"4"), ..STRICT },
    ];
    for nest in nests {
        for dec in decodings {
            for max in 0..9 {
                check_layers(dec, nest, max);
                check_layers(dec, &[b"/a%2fb/", nest, b"41"].concat(), max);
            }
        }
    }
}

#[test]
fn deep_nests_are_decoded_in_linear_time() {
    // These inputs nest escapes in all possible ways. The first one nests `%25` a hundred thousand times (in a thin
    // run, at least a thousand times). This test only finds quadratic time. `scripts/linear` counts instructions.
    let n = scale(200_000).max(2_000);
    let deep = [b"%".to_vec(), b"25".repeat(n / 2), b"41".to_vec()].concat();
    let wide = b"%25".repeat(n / 3);
    let split = [b"%".repeat(n / 4), b"%34%31".repeat(n / 8)].concat();
    let tower = (0..n / 5).fold(b"41".to_vec(), |mut tower, _| {
        tower.extend(b"%3%32");
        tower
    });
    for engine in Engine::available() {
        let decoder = Decoder::new().with_engine(engine);
        let layers = decoder.decode_layers(&deep, usize::MAX);
        assert_eq!((&layers.bytes[..], layers.layers), (&b"A"[..], n / 2 + 1), "{engine}");
        let layers = decoder.decode_layers(&deep, 1000);
        assert_eq!((layers.bytes.len(), layers.layers), (deep.len() - 2000, 1000), "{engine}");
        for input in [&wide, &split, &tower] {
            let all = decoder.decode_layers(input, usize::MAX);
            assert!(!borrowed(&all.bytes) && all.layers > 0, "{engine}");
            let again = all.bytes.into_owned();
            assert_eq!(decoder.decode_layers(&again, usize::MAX).layers, 0, "{engine}: no layer is left");
        }
        let keeping = decoder.keep_upper(ByteSet::of(b"A")).reject(ByteSet::of(b"\0"));
        assert_eq!(&keeping.decode_layers(&deep, usize::MAX).unwrap().bytes[..], b"%41", "{engine}");
        // A kept triplet gets upper-case digits, however deeply it is nested. No other byte changes.
        let keeping = decoder.keep_upper(ByteSet::of(b"/"));
        for n in 0..40 {
            let input = ["a%", &"25".repeat(n), "2fb"].concat();
            let layers = keeping.decode_layers(input.as_bytes(), usize::MAX);
            assert_eq!((&layers.bytes[..], layers.layers), (&b"a%2Fb"[..], n + 1), "{engine}, {n}");
        }
    }
}

#[test]
fn characters_over_the_ends_of_pieces_stay_whole_in_strings() {
    for shift in 0..12 {
        for n in [400, 680, 700, 1370] {
            // The escapes of a `€` lie across the end of a piece. Unescaped characters follow: `€` again, and `é`.
            let input = ["a".repeat(shift), "%E2%82%AC".repeat(n), "€é".repeat(3000)].concat();
            let expected = ["a".repeat(shift), "€".repeat(n), "€é".repeat(3000)].concat();
            let mut text = input;
            Decoder::new().decode_string(&mut text).unwrap();
            assert_eq!(text, expected, "{shift} {n}");
        }
    }
}

#[test]
fn no_call_takes_quadratic_time() {
    // A call that takes quadratic time would run for minutes here, so the time limit would end the test program.
    let n = scale(200_000);
    let cycle = |text: &str| text.bytes().cycle().take(n).collect::<Vec<_>>();
    let inputs =
        ["%", "%%", "%4", "%41", "%zz", "+", "a%", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%", "%E2", "a?+", "%2f"].map(cycle);
    for engine in Engine::available() {
        for dec in decodings() {
            let decoder = dec.decoder(engine);
            for input in &inputs {
                let _ = decoder.decode(input);
                let _ = decoder.utf8(input);
                let _ = decoder.lossy(input);
                let _ = decoder.in_place(&mut input.clone());
                #[cfg(feature = "std")]
                let _ = dec.checked(engine).decode_io(input, &mut std::io::sink());
                let _ = dec.lenient(engine).pieces(input).count();
            }
        }
        for enc in encodings() {
            let encoder = enc.encoder(engine);
            for input in &inputs {
                let _ = encoder.encode(input);
                #[cfg(feature = "std")]
                encoder.encode_io(input, &mut std::io::sink()).unwrap();
                let _ = encoder.to_ascii().pieces(input).count();
            }
        }
    }
}

/// Rows in the layout of batches: all bytes in `values`, and the ends of the rows in `offsets`.
#[derive(Clone, Debug)]
struct Batch {
    values: Vec<u8>,
    offsets: Vec<usize>,
}

impl Batch {
    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets.windows(2).map(|ends| &self.values[ends[0]..ends[1]])
    }
}

impl Arbitrary for Batch {
    fn arbitrary(g: &mut Gen) -> Batch {
        let mut random = random(g);
        // A batch joins rows to groups of up to 8 KiB and up to 512 rows. So we make batches of few and of many rows, and rows
        // that are empty, short, long, or longer than a group.
        let most_rows = [3, 30, 400, 1500][random.below(4)];
        let count = random.below(most_rows);
        let lengths = match count {
            300.. => 2,
            30.. => 4,
            _ => 5,
        };
        let most = [1, 5, 60, 300, 9000][random.below(lengths)];
        let skipped = random.below(10);
        let mut values = random.hostile(skipped);
        let mut offsets = vec![values.len()];
        for _ in 0..count {
            let n = if random.one_in(4) { 0 } else { random.below(most + 1) };
            let row = random.hostile(n);
            values.extend(row);
            // Some rows end inside a triplet. The next row must not complete it.
            if random.one_in(6) {
                values.extend([&b"%"[..], b"%4"][random.below(2)]);
            } else if random.one_in(20) {
                let to = (values.len() - offsets[0]).next_multiple_of(64) + offsets[0];
                values.resize(to, b'~');
            }
            offsets.push(values.len());
        }
        values.extend(random.hostile(5));
        Batch { values, offsets }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Batch>> {
        let batch = self.clone();
        let rows = (0..batch.offsets.len().saturating_sub(1)).flat_map(move |row| {
            let (from, to) = (batch.offsets[row], batch.offsets[row + 1]);
            // To shrink the batch, remove the row, or half of its bytes, or one byte.
            let removals =
                [(row > 0, to - from, true), (true, (to - from) / 2, false), (true, 1.min(to - from), false)];
            let batch = batch.clone();
            removals.into_iter().filter(|&(may, n, all)| may && (n > 0 || all)).map(move |(_, n, all)| {
                let mut smaller = batch.clone();
                smaller.values.drain(from..from + n);
                for offset in &mut smaller.offsets[row + 1..] {
                    *offset -= n;
                }
                if all {
                    smaller.offsets.remove(row + 1);
                }
                smaller
            })
        });
        Box::new(rows)
    }
}

/// Returns the expected result of a batch: the bytes of all `rows` of the output, and the offset at which each row ends.
fn expected_batch(rows: &[Vec<u8>]) -> (Vec<u8>, Vec<usize>) {
    let (mut out, mut ends) = (Vec::new(), vec![0]);
    for row in rows {
        out.extend(row);
        ends.push(out.len());
    }
    (out, ends)
}

/// Appends a batch to empty vectors and to vectors that have rows already, and compares the results with `expected`.
#[track_caller]
fn check_batch<O: Offset + TryFrom<usize> + PartialEq + Debug>(
    batch: &Batch,
    expected: &Result<(Vec<u8>, Vec<usize>), BatchError>,
    run: impl Fn(&[u8], &[O], &mut Vec<u8>, &mut Vec<O>) -> Result<(), BatchError>,
) {
    let offset = |offset: &usize| O::try_from(*offset).ok().unwrap();
    let offsets: Vec<O> = batch.offsets.iter().map(offset).collect();
    for before in [&b""[..], b"before"] {
        for and_offsets in [false, true] {
            let mut out = before.to_vec();
            let mut ends: Vec<O> = if and_offsets { vec![offset(&7), offset(&before.len())] } else { Vec::new() };
            let result = run(&batch.values, &offsets, &mut out, &mut ends);
            let there = if and_offsets { vec![7, before.len()] } else { Vec::new() };
            match expected {
                Ok((bytes, wanted)) => {
                    assert_eq!(result, Ok(()));
                    assert!(out == [before, bytes].concat(), "\"{}\"", show(&out));
                    let fresh = wanted.iter().skip(usize::from(and_offsets)).map(|end| before.len() + end);
                    let wanted: Vec<O> = there.into_iter().chain(fresh).map(|end| offset(&end)).collect();
                    assert_eq!(ends, wanted);
                }
                Err(error) => {
                    assert_eq!(result.as_ref(), Err(error));
                    assert_eq!(out, before, "as it was");
                    assert_eq!(ends, there.iter().map(offset).collect::<Vec<O>>(), "as they were");
                }
            }
        }
    }
}

/// Writes a batch to slices that end near the end of a row, and compares the written rows with `rows`: the expected
/// rows before the first error.
#[track_caller]
fn check_batch_in_slices<O: Offset + Debug>(
    batch: &Batch,
    rows: &[Vec<u8>],
    run: impl Fn(&[u8], &[O], &mut [Cell], &mut [MaybeUninit<O>]) -> BatchProgress,
) {
    const BEHIND: usize = 64;
    let mut random = Random(batch.values.len() as u64 | 1);
    let offset = |offset: &usize| O::try_from(*offset).ok().unwrap();
    let offsets: Vec<O> = batch.offsets.iter().map(offset).collect();
    let mut ends = vec![0];
    for row in rows {
        ends.push(ends[ends.len() - 1] + row.len());
    }
    let (end, all) = (ends[random.below(ends.len())], ends[rows.len()]);
    for cap in [end.saturating_sub(1), end, end + 1, all, 3 * batch.values.len() + 500] {
        let most = if random.one_in(4) { random.below(offsets.len()) } else { rows.len() };
        let mut out = vec![0xA5; cap + BEHIND];
        let mut out_ends: Vec<_> = vec![MaybeUninit::new(offset(&99)); most + 1];
        let done = run(&batch.values, &offsets, cells(&mut out[..cap]), &mut out_ends);
        let out_ends = initialized(&out_ends);
        let fits = ends.iter().skip(1).take(most).take_while(|end| **end <= cap).count();
        assert_eq!((done.rows, done.written), (fits, ends[fits]), "{cap} of {all}");
        assert_eq!(out[..done.written], rows[..fits].concat());
        assert_eq!(out[cap..], [0xA5; BEHIND]);
        let out_ends: Vec<usize> = out_ends[..=fits].iter().map(|&end| end.try_into().ok().unwrap()).collect();
        assert_eq!(out_ends, ends[..=fits]);
        assert_eq!(done.changed, batch.rows().zip(&rows[..fits]).any(|(before, after)| before != after));
    }
}

/// Returns the values in `memory`. All must be initialized.
fn initialized<T: Copy>(memory: &[MaybeUninit<T>]) -> Vec<T> {
    // SAFETY: the tests initialize each value before they pass the memory to a call, and no call makes a value uninitialized.
    memory.iter().map(|value| unsafe { value.assume_init() }).collect()
}

#[test]
fn batches_equal_row_after_row() {
    fn property(batch: Batch, AnyEncode(enc): AnyEncode, AnyDecode(dec): AnyDecode) {
        let encoded_rows: Vec<Vec<u8>> = batch.rows().map(|row| enc.run(row)).collect();
        let encoded = Ok(expected_batch(&encoded_rows));
        let mut wrong = None;
        let good = batch.rows().map(|row| dec.run(row)).take_while(|decoded| {
            wrong = decoded.error;
            wrong.is_none()
        });
        let decoded_rows: Vec<Vec<u8>> = good.map(|decoded| decoded.out).collect();
        let decoded = match wrong {
            None => Ok(expected_batch(&decoded_rows)),
            Some((offset, kind)) => {
                Err(BatchError::Row { row: decoded_rows.len(), error: DecodeError::new(offset, kind) })
            }
        };
        for (k, engine) in Engine::available().enumerate() {
            let encoder = enc.encoder(engine);
            let decoder = dec.decoder(engine);
            macro_rules! with_offsets {
                ($offset:ty) => {{
                    check_batch::<$offset>(&batch, &encoded, |values, offsets, out, ends| {
                        encoder.batch().append(values, offsets, out, ends)
                    });
                    if enc.is_ascii() {
                        check_batch::<$offset>(&batch, &encoded, |values, offsets, out, ends| {
                            encoder.to_ascii().batch().append(values, offsets, out, ends)
                        });
                    }
                    check_batch::<$offset>(&batch, &decoded, |values, offsets, out, ends| match decoder {
                        AnyDecoder::Lenient(decoder) => decoder.batch().append(values, offsets, out, ends),
                        AnyDecoder::Checked(decoder) => decoder.batch().append(values, offsets, out, ends),
                    });
                    check_batch_in_slices::<$offset>(&batch, &encoded_rows, |values, offsets, out, ends| {
                        internal::encode_batch_uninit(&encoder, values, offsets, out, ends)
                    });
                    check_batch_in_slices::<$offset>(&batch, &decoded_rows, |values, offsets, out, ends| {
                        let decoder = match decoder {
                            AnyDecoder::Lenient(decoder) => decoder.as_checked(),
                            AnyDecoder::Checked(decoder) => decoder,
                        };
                        internal::decode_batch_uninit(&decoder, values, offsets, out, ends)
                    });
                }};
            }
            match (batch.values.len() + k) % 5 {
                0 => with_offsets!(i32),
                1 => with_offsets!(i64),
                2 => with_offsets!(u32),
                3 => with_offsets!(u64),
                _ => with_offsets!(usize),
            }
        }
    }
    check(4000, property as fn(Batch, AnyEncode, AnyDecode));
}

#[test]
fn rows_end_at_every_place_of_a_gathered_group() {
    // A batch joins rows to groups of about 8 KiB. Here the batch has three rows, and some of them are empty. The rows
    // end near the ends of blocks and of groups.
    let near = |at: usize| at.saturating_sub(4)..at + 4;
    let cuts: Vec<usize> = near(4).chain(near(64)).chain(near(128)).chain(near(8128)).chain(near(8192)).collect();
    let sparse = "a".repeat(75) + "%41" + &"a".repeat(9) + "%7E+";
    for filling in ["a", "%41", "%e2%82%ac+", " ", &sparse] {
        let values: Vec<u8> = filling.bytes().cycle().take(8200).collect();
        for (i, &first) in cuts.iter().enumerate() {
            for &second in thinned(cuts[i..].iter(), i + filling.len()) {
                let batch = Batch { values: values.clone(), offsets: vec![0, first, second, values.len()] };
                let enc = Encode { plus: true, keep: second % 2 == 0, ..Encode::new(UNRESERVED) };
                let encoded_rows: Vec<Vec<u8>> = batch.rows().map(|row| enc.run(row)).collect();
                let encoded = Ok(expected_batch(&encoded_rows));
                let dec = Decode { plus_always: second % 2 == 0, ..LENIENT };
                let decoded_rows: Vec<Vec<u8>> = batch.rows().map(|row| dec.run(row).out).collect();
                let decoded = Ok(expected_batch(&decoded_rows));
                for engine in Engine::available().skip((first + second) % 2).step_by(2) {
                    check_batch::<i32>(&batch, &encoded, |values, offsets, out, ends| {
                        enc.encoder(engine).batch().append(values, offsets, out, ends)
                    });
                    check_batch_in_slices::<i64>(&batch, &encoded_rows, |values, offsets, out, ends| {
                        internal::encode_batch_uninit(&enc.encoder(engine), values, offsets, out, ends)
                    });
                    check_batch::<i32>(&batch, &decoded, |values, offsets, out, ends| {
                        dec.lenient(engine).batch().append(values, offsets, out, ends)
                    });
                    check_batch_in_slices::<i64>(&batch, &decoded_rows, |values, offsets, out, ends| {
                        internal::decode_batch_uninit(&dec.lenient(engine).as_checked(), values, offsets, out, ends)
                    });
                }
            }
        }
    }
}

#[test]
fn rows_end_around_a_single_triplet() {
    for at in 64..=128 {
        let mut values = vec![b'a'; 300];
        values[at..at + 3].copy_from_slice(b"%41");
        // The short rows are joined. The triplet is in one row, because rows are decoded alone.
        let ends = (0..=300).filter(|end| !(at + 1..at + 3).contains(end));
        let batch = Batch { values, offsets: ends.collect() };
        let rows: Vec<Vec<u8>> = batch.rows().map(|row| LENIENT.run(row).out).collect();
        let expected = Ok(expected_batch(&rows));
        for engine in Engine::available() {
            check_batch::<i32>(&batch, &expected, |values, offsets, out, ends| {
                LENIENT.lenient(engine).batch().append(values, offsets, out, ends)
            });
        }
    }
}

#[test]
fn the_first_end_is_zero_if_no_row_can_be_done() {
    for offsets in [&[-1, 2][..], &[10, 12], &[], &[0], &[2, 1]] {
        let (mut out, mut ends) = ([EMPTY_CELL; 4], [MaybeUninit::new(99); 3]);
        let done = internal::encode_batch_uninit(&RawEncoder::new(UNRESERVED), b"a b", offsets, &mut out, &mut ends);
        assert_eq!((done.rows, done.written, done.changed), (0, 0, false), "{offsets:?}");
        assert_eq!(initialized(&ends), [0, 99, 99], "{offsets:?}");
        let (mut out, mut ends) = ([EMPTY_CELL; 4], [MaybeUninit::new(99); 3]);
        let done = internal::decode_batch_uninit(&Decoder::new().as_checked(), b"a b", offsets, &mut out, &mut ends);
        assert_eq!((done.rows, done.written, done.changed), (0, 0, false), "{offsets:?}");
        assert_eq!(initialized(&ends), [0, 99, 99], "{offsets:?}");
    }
}

#[test]
fn invalid_offsets_are_errors() {
    let values = b"a%41b%42c";
    let encode = |offsets: &[i32]| {
        let (mut out, mut ends) = (b"x".to_vec(), vec![1]);
        let result = Encoder::new(UNRESERVED).batch().append(values, offsets, &mut out, &mut ends);
        assert!(result.is_ok() || out == b"x" && ends == [1], "as they were");
        result
    };
    let decode = |offsets: &[i32]| {
        let (mut out, mut ends) = (b"x".to_vec(), vec![1]);
        let result = Decoder::new().strict().batch().append(values, offsets, &mut out, &mut ends);
        assert!(result.is_ok() || out == b"x" && ends == [1], "as they were");
        result
    };
    for (offsets, wrong) in [
        (&[-1, 2][..], 0),
        (&[10, 10], 0),
        (&[i32::MAX], 0),
        (&[0, -1], 1),
        (&[0, 5, 4, 9], 2),
        (&[0, 1, 5, 9, 10], 4),
        (&[5, 0], 1),
        (&[0, i32::MIN], 1),
    ] {
        assert_eq!(encode(offsets), Err(BatchError::Offset(wrong)), "{offsets:?}");
        assert_eq!(decode(offsets), Err(BatchError::Offset(wrong)), "{offsets:?}");
        assert!(BatchError::Offset(wrong).to_string().contains(&format!("offset {wrong} ")));
    }
    for fine in [&[][..], &[0], &[9], &[9, 9], &[0, 0, 0, 9, 9], &[1, 4, 5]] {
        assert_eq!(encode(fine), Ok(()), "{fine:?}");
        assert_eq!(decode(fine), Ok(()), "{fine:?}");
    }
    // A row that ends inside a triplet is an error, even if the next row would complete the triplet.
    let error = DecodeError::new(0, DecodeErrorKind::Truncated);
    assert_eq!(decode(&[0, 1, 3, 9]), Err(BatchError::Row { row: 1, error }));
    assert_eq!(BatchError::Row { row: 1, error }.to_string(), format!("row 1: {error}"));
}
