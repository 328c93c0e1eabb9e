//! Tests every combination of small inputs:
//!
//! - every byte and every triplet in every lane
//! - every three bytes after a `%`
//! - every length at every alignment, with outputs of every length
//! - every pair of digits
//!
//! These tests find a fault in a single lane of a single instruction set. Property tests would miss it.
//!
//! In this file, `room` is the name of the output buffer, or of its length. A thin run tests only a sample of the
//! combinations (`budget.rs` in `tests/oracle`).

use crate::common;

use std::borrow::Cow;

use common::*;
use percent_simd::{DecodeErrorKind, Engine, OutputTooSmall, RawEncoder, SliceError, internal};

/// The length of most inputs in bytes: three blocks of 64, and a part of a fourth.
const LANES: usize = 200;
/// The length of an input that is long enough for the loop over four blocks at a time.
const FOUR: usize = 256 + 70;
/// The length of an output buffer with which every input takes the fastest path.
const AMPLE: usize = 4096;

/// Calls every method of an encoder on one input, and compares the results with the expected ones.
#[track_caller]
fn check_encode(engine: &'static Engine, enc: Encode, encoder: &RawEncoder, case: &EncodeCase, room: &mut [u8]) {
    let EncodeCase { input, expected, first } = case;
    let say = || format!("{engine} {enc:?} of \"{}\"", show(input));
    let got = encoder.encode_slice(input, room).map(|got| got == &expected[..]);
    assert_eq!(got, Ok(true), "{}", say());
    let got = encoder.encode_slice(input, &mut room[..expected.len()]).map(|got| got == &expected[..]);
    assert_eq!(got, Ok(true), "exact room: {}", say());
    assert!(encoder.encode(input) == *expected, "{}", say());
    assert_eq!(encoder.encoded_len(input), Some(expected.len()), "{}", say());
    assert_eq!(encoder.first_changed(input), *first, "{}", say());
}

struct EncodeCase<'i> {
    input: &'i [u8],
    expected: Vec<u8>,
    first: Option<usize>,
}

impl<'i> EncodeCase<'i> {
    fn new(enc: Encode, input: &'i [u8]) -> Self {
        EncodeCase { input, expected: enc.run(input), first: enc.first_changed(input) }
    }
}

/// Calls every method of a decoder on one input, and compares the results with the expected ones.
#[track_caller]
fn check_decode(
    engine: &'static Engine,
    dec: Decode,
    decoder: &AnyDecoder,
    input: &[u8],
    expected: &Decoded,
    room: &mut [u8],
) {
    let say = || format!("{engine} {dec:?} of \"{}\"", show(input));
    let n = expected.out.len();
    let result = match expected.error {
        None => Ok(n),
        Some((offset, kind)) => Err(SliceError::Input(percent_simd::DecodeError::new(offset, kind))),
    };
    assert_eq!(decoder.slice(input, room), result, "{}", say());
    assert!(room[..n] == expected.out, "{}: \"{}\"", say(), show(&room[..n]));
    room[..n].fill(0);
    assert_eq!(decoder.slice(input, &mut room[..n]), result, "exact room: {}", say());
    assert!(room[..n] == expected.out, "exact room: {}: \"{}\"", say(), show(&room[..n]));
    assert_eq!(decoder.decoded_len(input), expected.error.map_or(Ok(n), Err), "{}", say());
    assert_eq!(decoder.first_changed(input), expected.first_changed, "{}", say());
    match decoder {
        AnyDecoder::Lenient(decoder) => {
            assert_eq!(decoder.first_malformed(input), expected.malformed, "{}", say());
            assert!(decoder.decode(input) == expected.out, "{}", say());
            let noted = internal::decode_with_report(decoder, input);
            assert!(noted.bytes == expected.out, "{}", say());
            assert_eq!(noted.first_malformed, expected.malformed, "{}", say());
        }
        AnyDecoder::Checked(decoder) => match decoder.decode(input) {
            Ok(bytes) => assert!(expected.error.is_none() && bytes == expected.out, "{}", say()),
            Err(error) => assert_eq!(expected.error, Some((error.offset, error.kind)), "{}", say()),
        },
    }
}

fn encoders(enc: Encode) -> Vec<(&'static Engine, RawEncoder)> {
    Engine::available().map(|engine| (engine, enc.encoder(engine))).collect()
}

fn decoders(dec: Decode) -> Vec<(&'static Engine, AnyDecoder)> {
    Engine::available().map(|engine| (engine, dec.decoder(engine))).collect()
}

/// Returns a byte that `enc` keeps and a byte that it escapes.
fn fillers(enc: Encode) -> Vec<u8> {
    let alone = |byte: &u8| enc.run(&[*byte]).len();
    let stays = (b'a'..=b'z').chain(0..=255).find(|byte| alone(byte) == 1);
    let grows = (0x80..=255).chain(0..=0x7F).rev().find(|byte| alone(byte) == 3 && *byte != b'%');
    stays.into_iter().chain(grows).collect()
}

/// Returns each of `bytes` as a piece for [`in_every_lane`].
fn single(bytes: impl IntoIterator<Item = u8>) -> Vec<[u8; 1]> {
    bytes.into_iter().map(|byte| [byte]).collect()
}

/// Lanes of an input for [`in_every_lane`].
#[derive(Clone, Copy)]
struct Lanes {
    /// The length of the input in bytes.
    len: usize,
    /// An input has a piece in every lane of this distance. If it is `len` or more, an input has one piece.
    apart: usize,
    /// If true, a repetition of the filling ends before each piece. If false, a piece can begin anywhere in the filling.
    whole: bool,
    /// A thin run (see `budget.rs` in `tests/oracle`) takes every `stride`-th lane. In each of these lanes, it takes every
    /// 19th piece, or one piece if there are fewer than 19.
    stride: usize,
    /// Determines which lanes and pieces a thin run takes.
    phase: usize,
}

impl Lanes {
    /// Returns lanes of inputs that have one piece each.
    fn alone(phase: usize, len: usize, stride: usize) -> Lanes {
        Lanes { len, apart: len, whole: false, stride, phase }
    }

    /// Returns lanes of inputs of `LANES` bytes that have three or four pieces each, so that a block has one or two. Triplets
    /// that fill the input and begin at one of the pieces begin at the other pieces, too.
    fn shared(phase: usize) -> Lanes {
        Lanes { len: LANES, apart: 3 * 17, whole: false, stride: 1, phase }
    }
}

/// Puts each of `pieces` into every lane of an input that repeats `filling`, and calls `check` with each input.
fn in_every_lane(
    Lanes { len, apart, whole, stride, phase }: Lanes,
    filling: &[u8],
    pieces: &[impl AsRef<[u8]>],
    mut check: impl FnMut(&[u8]),
) {
    for first in thinned_by(stride, 0..len.min(apart), phase) {
        let skipped = if whole { filling.len() - first % filling.len() } else { 0 };
        let around: Vec<u8> = filling.iter().copied().cycle().skip(skipped).take(len).collect();
        let mut input = around.clone();
        for number in thinned_by(pieces.len().clamp(1, 19), 0..pieces.len(), first + phase) {
            // Different pieces are in the lanes of an input. Each piece is in each of these lanes in one of the inputs.
            for (lane, piece) in (first..len).step_by(apart).zip(pieces.iter().cycle().skip(number)) {
                let piece = piece.as_ref();
                let end = len.min(lane + piece.len());
                input[lane..end].copy_from_slice(&piece[..end - lane]);
            }
            check(&input);
            input.copy_from_slice(&around);
        }
    }
}

/// Checks the encoding of inputs with each of `pieces` in every lane.
fn encoded_in_every_lane(enc: Encode, lanes: Lanes, pieces: &[impl AsRef<[u8]>]) {
    let (encoders, mut room) = (encoders(enc), vec![0; AMPLE]);
    for filler in fillers(enc) {
        in_every_lane(lanes, &[filler], pieces, |input| {
            let case = EncodeCase::new(enc, input);
            for (engine, encoder) in &encoders {
                check_encode(engine, enc, encoder, &case, &mut room);
            }
        });
    }
}

/// Checks the decoding of inputs that repeat `filling`, with each of `pieces` in every lane.
fn decoded_in_every_lane(dec: Decode, lanes: Lanes, filling: &[u8], pieces: &[impl AsRef<[u8]>]) {
    let (decoders, mut room) = (decoders(dec), vec![0; AMPLE]);
    in_every_lane(lanes, filling, pieces, |input| {
        let expected = dec.run(input);
        for (engine, decoder) in &decoders {
            check_decode(engine, dec, decoder, input, &expected, &mut room);
        }
    });
}

#[test]
fn every_byte_in_every_lane_encoded() {
    for (phase, enc) in encodings().into_iter().enumerate() {
        // A byte that stays can't hide a byte that changes.
        let (stay, change): (Vec<[u8; 1]>, Vec<[u8; 1]>) =
            single(0..=255).into_iter().partition(|byte| enc.run(byte) == byte);
        encoded_in_every_lane(enc, Lanes::shared(phase), &stay);
        encoded_in_every_lane(enc, Lanes::alone(phase, LANES, 1), &change);
    }
}

/// Tests each byte in each lane of inputs of up to 20 bytes, with equal bytes in the other lanes. Writes to every kind of
/// output, and appends to vectors of every capacity.
#[test]
fn every_byte_in_every_lane_of_few_bytes_encoded() {
    for enc in encodings().into_iter().filter(|enc| enc.is_ascii()).take(3) {
        let encoders = encoders(enc);
        for n in 0..=20 {
            for (lane, filler) in thinned((0..n.max(1)).flat_map(|lane| [(lane, b'x'), (lane, b' ')]), n) {
                for byte in 0..=255 {
                    let mut input = vec![filler; n];
                    input.iter_mut().skip(lane).take(1).for_each(|cell| *cell = byte);
                    let expected = enc.run(&input);
                    for (engine, encoder) in &encoders {
                        let say = || format!("{engine} {enc:?} of \"{}\"", show(&input));
                        let encoder = encoder.to_ascii();
                        let cow = encoder.encode(&input);
                        assert!(cow.as_bytes() == expected, "{}", say());
                        assert_eq!(matches!(cow, Cow::Borrowed(_)), expected == input, "{}", say());
                        assert!(encoder.encode_to_string(&input).as_bytes() == expected, "{}", say());
                        for spare in [0, n, expected.len(), expected.len() + usize::from(byte) % 96] {
                            let mut out = String::with_capacity(3 + spare);
                            out.push_str("ab");
                            assert_eq!(encoder.encode_into(&input, &mut out), expected.len(), "{}", say());
                            assert!(out.as_bytes()[..2] == *b"ab" && out.as_bytes()[2..] == expected, "{}", say());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn some_bytes_in_every_lane_of_four_blocks_encoded() {
    let bytes = single(*b"\0 %+/09:@AFGZ[`afgz~\x7F\x80\x8F\xAA\xF0\xFF");
    for (phase, enc) in encodings().into_iter().enumerate() {
        encoded_in_every_lane(enc, Lanes::alone(phase, FOUR, 1), &bytes);
    }
}

#[test]
fn some_bytes_in_every_lane_of_long_text_encoded() {
    // At this length, encoders build a table for the input and search for clean stretches. For short input, that would
    // take more time than it saves.
    const LONG: usize = 1024 + 99;
    for (phase, enc) in encodings().into_iter().enumerate() {
        encoded_in_every_lane(enc, Lanes::alone(phase, LONG, 4), &single(*b"%a\xE9"));
    }
    // The input has every byte, to test all entries of the tables.
    for enc in encodings() {
        for filler in fillers(enc) {
            let input: Vec<u8> = (0..=255).flat_map(|byte| [[filler; 5], [byte; 5]].concat()).collect();
            let case = EncodeCase::new(enc, &input);
            let mut room = vec![0; 3 * AMPLE];
            for (engine, encoder) in encoders(enc) {
                check_encode(engine, enc, &encoder, &case, &mut room);
            }
        }
    }
}

/// `encode_to_string` first assumes that the output is as long as the input. To check this assumption, it looks for a
/// changed byte in the first 4096 bytes, and then encodes pieces of 16 KiB. These offsets are the ends of the first
/// 4096 bytes and of the first two pieces.
const STRING_PIECES: [usize; 3] = [4096, 16 * 1024, 2 * 16 * 1024];

#[test]
fn changes_around_the_ends_of_pieces_encoded_to_strings() {
    let parts: [&[u8]; 9] = [b"", b" ", b"%", b"%41", b"%%41%", b"+", b"\0", b"\xC3\xA9", b"%4"];
    let mut input = vec![b'a'; 2 * 16 * 1024 + 99];
    for (phase, enc) in encodings().into_iter().filter(|enc| enc.is_ascii()).enumerate() {
        for (i, piece) in STRING_PIECES.into_iter().chain([input.len()]).enumerate() {
            for back in thinned_by(2, 0..8, phase + i) {
                for part in thinned_by(3, parts.into_iter(), phase + i + back) {
                    // `part` lies before the end of a piece, lies across the end, or is cut off by the end of the input.
                    let at = piece - back;
                    let end = input.len().min(at + part.len());
                    input[at..end].copy_from_slice(&part[..end - at]);
                    let expected = enc.run(&input);
                    for engine in Engine::available() {
                        let got = enc.encoder(engine).to_ascii().encode_to_string(&input);
                        let say = || format!("{engine} {enc:?} \"{}\" at {at}", show(part));
                        assert!(got.as_bytes() == expected && got.capacity() == got.len(), "{}", say());
                    }
                    input[at..end].fill(b'a');
                }
            }
        }
    }
}

#[test]
fn late_changes_of_each_piece_encoded_to_strings() {
    let first = STRING_PIECES[0];
    for enc in encodings().into_iter().filter(|enc| enc.is_ascii()) {
        for len in [first + 1, first + 99, STRING_PIECES[1], STRING_PIECES[1] + 1, STRING_PIECES[2] + 99] {
            // First change only the last byte, then one byte in every piece.
            for ats in [vec![len - 1], vec![first, STRING_PIECES[1], len - 1]] {
                let mut input = vec![b'a'; len];
                ats.into_iter().filter(|&at| at < len).for_each(|at| input[at] = b'\0');
                let expected = enc.run(&input);
                for engine in Engine::available() {
                    let got = enc.encoder(engine).to_ascii().encode_to_string(&input);
                    assert!(got.as_bytes() == expected && got.capacity() == got.len(), "{engine} {enc:?} {len}");
                }
            }
        }
    }
}

/// Returns pairs of bytes that are malformed after a `%`, because at least one of the two isn't a hexadecimal digit. Most of
/// these bytes are next to a digit in ASCII, or differ from a digit in one bit.
fn malformed_pairs() -> Vec<[u8; 2]> {
    let near = b"/:@G`g\0 %+-_\x10\x1A\xB0\xC1\xE6\xFF";
    let mut pairs: Vec<[u8; 2]> = near.iter().flat_map(|&n| [[n, b'4'], [b'4', n], [b'F', n], [n, b'a']]).collect();
    pairs.extend([*b"%%", *b"zz", *b"u0", *b"\xEF\xBC"]);
    pairs
}

#[test]
fn every_two_bytes_of_every_length_encoded_in_pieces() {
    let encoders: Vec<_> = Engine::available()
        .map(|engine| percent_simd::Encoder::new(percent_simd::sets::RFC3986_UNRESERVED).with_engine(engine))
        .collect();
    // The search has separate code for short inputs (byte by byte), for one block and for two blocks. These lengths are just
    // below and above the lengths at which the code changes.
    for len in (0..=20).chain(60..=70).chain(124..=134) {
        let mut input = vec![b'a'; len];
        for first in 0..len {
            for second in first..len {
                (input[first], input[second]) = (b'/', b'/');
                let expected = str::from_utf8(&input).unwrap().replace('/', "%2F");
                for encoder in &encoders {
                    assert!(encoder.pieces(&input).collect::<String>() == expected, "{}", show(&input));
                    let mut pieces = encoder.pieces(&input);
                    let text: String = std::iter::from_fn(|| pieces.next()).collect();
                    assert!(text == expected, "{}", show(&input));
                }
                (input[first], input[second]) = (b'a', b'a');
            }
        }
    }
}

#[test]
fn triplets_after_percent_signs_of_every_number() {
    // With a large `n`, some blocks consist of `%` only. Only the last `%` can start a triplet.
    let mut room = vec![0; AMPLE];
    for n in 0..LANES {
        for tail in [&b"41"[..], b"4", b"E2%82%aC", b"zz", b"%41/"] {
            for behind in [0, 70] {
                let input = [&vec![b'%'; n][..], tail, &vec![b'a'; behind]].concat();
                for enc in thinned_by(5, encodings().into_iter(), n + behind) {
                    let case = EncodeCase::new(enc, &input);
                    for (engine, encoder) in encoders(enc) {
                        check_encode(engine, enc, &encoder, &case, &mut room);
                    }
                }
                for dec in thinned_by(5, decodings().into_iter(), n + behind) {
                    let expected = dec.run(&input);
                    for (engine, decoder) in decoders(dec) {
                        check_decode(engine, dec, &decoder, &input, &expected, &mut room);
                    }
                }
            }
        }
    }
}

#[test]
fn every_byte_before_two_digits_in_short_input() {
    // If the input is short and the output buffer has the same length, the decoder works in general-purpose registers.
    let mut room = [0; 16];
    for dec in [LENIENT, STRICT] {
        let decoders = decoders(dec);
        for byte in 0..=255 {
            for (before, behind) in
                [(&b"%42"[..], &b""[..]), (b"%C3%A9", b"z"), (b"", b"%42"), (b"a", b"%42%43"), (b"", b"")]
            {
                let input = [before, &[byte, b'4', b'1'], behind].concat();
                let expected = dec.run(&input);
                for (engine, decoder) in &decoders {
                    let say = || format!("{engine} {dec:?} of \"{}\"", show(&input));
                    let written = decoder.slice(&input, &mut room[..input.len()]);
                    assert_eq!(written, Ok(expected.out.len()), "{}", say());
                    assert!(room[..expected.out.len()] == expected.out, "{}", say());
                    let mut buffer = input.clone();
                    assert_eq!(decoder.in_place(&mut buffer).map(|out| out == expected.out), Ok(true), "{}", say());
                }
            }
        }
    }
}

#[test]
fn every_triplet_in_every_lane_kept_by_encoding() {
    let escapes = escapes();
    let (triplets, malformed) = escapes.split_at(escapes.len() - malformed_pairs().len());
    let some: Vec<_> = triplets.iter().step_by(37).chain(malformed).collect();
    for (phase, enc) in encodings().into_iter().filter(|enc| enc.keep).enumerate() {
        // A triplet stays, so it hides no change of a later one. A malformed `%` is a change, so it is alone.
        encoded_in_every_lane(enc, Lanes::shared(phase), triplets);
        encoded_in_every_lane(enc, Lanes::alone(phase, LANES, 1), malformed);
        encoded_in_every_lane(enc, Lanes::alone(phase, FOUR, 1), &some);
    }
}

/// Returns all triplets, with digits in upper and in lower case, and a `%` before each of `malformed_pairs`.
fn escapes() -> Vec<[u8; 3]> {
    let mut escapes = Vec::new();
    for byte in 0..=255_u8 {
        for pair in [format!("{byte:02x}"), format!("{byte:02X}")] {
            escapes.push([b'%', pair.as_bytes()[0], pair.as_bytes()[1]]);
        }
    }
    escapes.sort();
    escapes.dedup();
    escapes.extend(malformed_pairs().into_iter().map(|[a, b]| [b'%', a, b]));
    escapes
}

#[test]
fn every_triplet_in_every_lane_of_clean_text_decoded() {
    let escapes = escapes();
    for (phase, dec) in decodings().into_iter().enumerate() {
        let (shared, alone) = shareable(dec, &escapes);
        decoded_in_every_lane(dec, Lanes::shared(phase), b"a", &shared);
        decoded_in_every_lane(dec, Lanes::alone(phase, LANES, 1), b"a", &alone);
        // The first change of an input hides later changes from `first_changed`, so some of these triplets are also alone.
        let some: Vec<_> = shared.into_iter().skip(phase).step_by(14).collect();
        decoded_in_every_lane(dec, Lanes::alone(phase, LANES, 1), b"a", &some);
    }
}

/// Splits `pieces` into two lists: first the pieces that can share an input, then the malformed and rejected ones. Each of
/// these needs an input of its own, because the first error ends decoding, and calls report only the first malformed `%`.
fn shareable<const N: usize>(dec: Decode, pieces: &[[u8; N]]) -> (Vec<[u8; N]>, Vec<[u8; N]>) {
    pieces.iter().partition(|piece| {
        let decoded = dec.run(*piece);
        decoded.malformed.is_none() && decoded.error.is_none()
    })
}

#[test]
fn every_triplet_in_every_lane_of_escaped_text_decoded() {
    let escapes = escapes();
    for (phase, dec) in decodings().into_iter().enumerate() {
        // Strict decoding would stop at a triplet that a piece cuts off, so each piece begins after a whole triplet.
        let (shared, alone) = shareable(dec, &escapes);
        decoded_in_every_lane(dec, Lanes { whole: true, ..Lanes::shared(phase) }, b"%2f", &shared);
        decoded_in_every_lane(dec, Lanes { whole: true, ..Lanes::alone(phase, LANES, 1) }, b"%2f", &alone);
    }
}

#[test]
fn some_triplets_in_every_lane_of_four_blocks_decoded() {
    let more = [*b"+?+", *b"?++", *b"%2f", *b"%0A"];
    let escapes: Vec<[u8; 3]> = escapes().into_iter().step_by(31).chain(more).collect();
    for (phase, dec) in decodings().into_iter().enumerate() {
        decoded_in_every_lane(dec, Lanes::alone(phase, FOUR, 1), b"a", &escapes);
        decoded_in_every_lane(dec, Lanes::alone(phase, FOUR, 1), b"%7Eb", &escapes);
        decoded_in_every_lane(dec, Lanes::alone(phase, 3 * FOUR, 5), b"a", &escapes[..3]);
        decoded_in_every_lane(dec, Lanes::alone(phase, 3 * FOUR, 5), b"%41%42%c3%A9%zz+", &escapes[..3]);
    }
}

/// Tests the loops over clean blocks. They stop at a triplet, and may go on after it.
#[test]
fn two_triplets_at_every_distance_in_clean_text_decoded() {
    for dec in [LENIENT, STRICT, Decode { plus_always: true, ..LENIENT }] {
        let (decoders, mut room) = (decoders(dec), vec![0; AMPLE]);
        for first in 64..128 {
            for distance in thinned_by(11, (3 + first % 3..150).step_by(3), first) {
                for [one, other] in [["%41", "%e9"], ["%41", "%zz"], ["%zz", "%41"], ["%+1", "+%4"]] {
                    let mut input = [b'a'; FOUR];
                    input[first..first + 3].copy_from_slice(one.as_bytes());
                    input[first + distance..][..3].copy_from_slice(other.as_bytes());
                    // The input ends in the second triplet, after it, or some blocks later.
                    for input in [&input[..], &input[..first + distance + 2], &input[..first + distance + 40]] {
                        let expected = dec.run(input);
                        for (engine, decoder) in &decoders {
                            check_decode(engine, dec, decoder, input, &expected, &mut room);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_byte_in_every_lane_decoded() {
    let bytes = single(0..=255);
    for (phase, dec) in decodings().into_iter().enumerate() {
        let (shared, alone) = shareable(dec, &bytes);
        decoded_in_every_lane(dec, Lanes::shared(phase), b"a", &shared);
        decoded_in_every_lane(dec, Lanes::alone(phase, LANES, 1), b"a", &alone);
        // Most bytes cut off a triplet of the text. Strict decoding ends there.
        let lanes = if dec.strict || dec == LENIENT { Lanes::alone(phase, LANES, 1) } else { Lanes::shared(phase) };
        decoded_in_every_lane(dec, lanes, b"%41", &bytes);
    }
}

/// Calls `check` with inputs that together have every string of three bytes. Each input has many strings of three
/// bytes. Each string comes after `!%`, and before a `!`, which is no digit. `check` gets four slices of the input:
/// without its first 0, 1, 2 and 3 bytes. So each string begins in a different lane in each slice.
fn windows(check: impl Fn(&[&[u8]; 4])) {
    for a in 0..=255_u8 {
        let mut input = b"!!!".to_vec();
        for b in thinned(0..=255, usize::from(a)) {
            for c in 0..=255 {
                input.extend([b'%', a, b, c, b'!']);
            }
        }
        check(&[&input, &input[1..], &input[2..], &input[3..]]);
    }
}

#[test]
fn every_window_decoded() {
    for dec in [LENIENT, Decode { keep: ODD, upper: true, plus_always: true, ..LENIENT }] {
        let decoders = decoders(dec);
        windows(|inputs| {
            // `inputs[n]` lacks the first `n` bytes of `inputs[0]`. Each of these bytes is a `!`, which decodes to
            // itself. So the expected output is the output of `inputs[0]` without its first `n` bytes.
            let expected = dec.run(inputs[0]);
            let mut room = vec![0; inputs[0].len()];
            for (skipped, input) in inputs.iter().enumerate() {
                for (engine, decoder) in &decoders {
                    let n = decoder.slice(input, &mut room).unwrap();
                    if room[..n] != expected.out[skipped..] {
                        let at = expected.out[skipped..].iter().zip(&room).position(|(a, b)| a != b);
                        let at = at.map_or(input.len(), |at| expected.from[skipped + at] - skipped);
                        let near = &input[at.saturating_sub(6)..input.len().min(at + 10)];
                        panic!("{engine} {dec:?} near \"{}\" at {at}", show(near));
                    }
                    assert_eq!(decoder.decoded_len(input), Ok(n), "{engine} {dec:?}");
                }
            }
        });
    }
}

#[test]
fn every_window_decoded_strictly() {
    // Strict decoding stops at the first malformed escape, so the test calls the decoder again after each malformed
    // escape.
    let decoders: Vec<_> = Engine::available().map(|engine| (engine, STRICT.checked(engine))).collect();
    windows(|inputs| {
        let input = inputs[1];
        let is_fault = |&start: &usize| input[start] == b'%' && triplet(&input[start..]).is_none();
        let mut at = 0;
        for start in (0..input.len()).filter(is_fault) {
            // `near` ends 70 bytes after the fault. A block has 64 bytes, so the fault isn't in the last block.
            let near = &input[at..input.len().min(start + 70)];
            for (engine, strict) in &decoders {
                match strict.check(near) {
                    Err(error) if at + error.offset == start && error.kind == DecodeErrorKind::NotHex => {}
                    result => panic!("{engine} {result:?} for \"{}\", not {}", show(near), start - at),
                }
            }
            at = start + 1;
        }
        let rest = &input[at..];
        for (engine, strict) in &decoders {
            assert_eq!(strict.check(rest), Ok(()), "{engine} \"{}\"", show(&rest[..rest.len().min(100)]));
        }
    });
}

#[test]
fn every_window_encoded_with_triplets_kept() {
    let enc = Encode { keep: true, ..Encode::new(UNRESERVED) };
    let encoders = encoders(enc);
    windows(|inputs| {
        let expected = enc.run(inputs[0]);
        let mut room = vec![0; expected.len()];
        for (skipped, input) in inputs.iter().enumerate() {
            for (engine, encoder) in &encoders {
                // Each skipped `!` is encoded as three bytes. So skip three times as many bytes of the expected output.
                let got = encoder.encode_slice(input, &mut room).unwrap();
                let expected = &expected[3 * skipped..];
                if got != expected {
                    let at = got.iter().zip(expected).position(|(got, expected)| got != expected).unwrap_or(got.len());
                    panic!("{engine} {enc:?}: \"{}\"", show(&got[at.saturating_sub(20)..got.len().min(at + 9)]));
                }
            }
        }
    });
}

/// Tests inputs that are short enough to be decoded in a word or a few registers. The output is a slice of exactly the needed
/// length, a longer slice, the end of a vector, the input itself, or a `Cow`.
#[test]
fn short_inputs_decoded_by_every_call() {
    const KINDS: &[u8] = b"%4+a\xC3";
    let shortest = (0..=6_u32).flat_map(|len| (0..5_usize.pow(len)).map(move |which| (len, which)));
    let of_kinds = shortest.map(|(len, which)| (0..len).map(|at| KINDS[which / 5_usize.pow(at) % 5]).collect());
    let mut random = Random::seeded(4);
    let longer = (0..cases(30_000)).map(|_| {
        let item = |random: &mut Random| [&b"%C3"[..], b"%4a", b"%2b", b"+", b"%", b"a", b"bcd"][random.below(7)];
        let malformed = random.below(4) == 0;
        let items = (0..random.below(14)).map(|_| item(&mut random)).filter(|item| malformed || *item != b"%");
        items.collect::<Vec<_>>().concat()
    });
    let inputs: Vec<Vec<u8>> = thinned(of_kinds, 7).chain(longer).collect();
    for dec in [
        LENIENT,
        STRICT,
        Decode { plus_always: true, ..LENIENT },
        Decode { plus_after_query: true, ..LENIENT },
        Decode { keep: ODD, ..LENIENT },
    ] {
        let decoders = decoders(dec);
        for input in &inputs {
            let expected = dec.run(input);
            for (engine, decoder) in &decoders {
                check_decode(engine, dec, decoder, input, &expected, &mut [0; 80]);
                let AnyDecoder::Lenient(decoder) = decoder else { continue };
                let say = || format!("{engine} {dec:?} of \"{}\"", show(input));
                let is_borrowed = matches!(decoder.decode(input), Cow::Borrowed(_));
                assert_eq!(is_borrowed, expected.out == *input, "{}", say());
                for spare in [0, expected.out.len(), input.len(), 200] {
                    let mut out = Vec::with_capacity(1 + spare);
                    out.push(b'<');
                    assert_eq!(decoder.decode_into(input, &mut out), expected.out.len(), "{}", say());
                    assert!(out[1..] == expected.out, "{}: \"{}\"", say(), show(&out));
                }
                let text = decoder.decode_utf8(input);
                assert_eq!(
                    text.ok().as_deref().map(str::as_bytes),
                    str::from_utf8(&expected.out).ok().map(str::as_bytes)
                );
                let mut in_place = input.clone();
                assert!(decoder.decode_in_place(&mut in_place) == expected.out, "in place: {}", say());
            }
        }
    }
}

#[test]
fn every_pair_of_digits() {
    for dec in [LENIENT, STRICT, Decode { reject: ODD, ..LENIENT }] {
        let (decoders, mut room) = (decoders(dec), [0; 80]);
        for pair in thinned(0..=0xFFFF_u16, 3) {
            let [a, b] = pair.to_be_bytes();
            let mut long = [b'z'; 70];
            long[62..65].copy_from_slice(&[b'%', a, b]);
            for input in [&[b'%', a, b][..], &[b'%', a, b, b'z'], &long] {
                let expected = dec.run(input);
                for (engine, decoder) in &decoders {
                    check_decode(engine, dec, decoder, input, &expected, &mut room);
                }
            }
        }
    }
}

/// Returns inputs of `n` bytes: only clean text, only triplets, only bytes that are escaped, and hostile bytes.
fn contents(n: usize, random: &mut Random) -> [Vec<u8>; 4] {
    let dense = b"%e2%82%aC".iter().copied().cycle().take(n).collect();
    [vec![b'a'; n], dense, vec![0xE9; n], random.hostile(n)]
}

#[test]
fn every_length_at_every_alignment() {
    let mut random = Random::seeded(0x5EED);
    let mut room = vec![0; AMPLE];
    let mut aligned = vec![0; 1024];
    let lengths = (0..=3 * 64 + 2).chain((195..=600).step_by(9)).chain([255, 256, 257, 319, 320, 321, 511, 512, 513]);
    for n in lengths {
        for content in contents(n, &mut random) {
            let encodings: Vec<_> = encodings().into_iter().map(|enc| (enc, EncodeCase::new(enc, &content))).collect();
            let decodings: Vec<_> = decodings().into_iter().map(|dec| (dec, dec.run(&content))).collect();
            for shift in thinned(0..64, n) {
                // The allocator chooses the vector's alignment. Shifts by 0 to 63 bytes cover all alignments.
                let input = &mut aligned[shift..shift + n];
                input.copy_from_slice(&content);
                // Test a third of the options at each alignment.
                for (enc, case) in encodings.iter().skip(shift % 3).step_by(3) {
                    let case = EncodeCase { input, expected: case.expected.clone(), first: case.first };
                    for engine in Engine::available() {
                        let encoder = enc.encoder(engine);
                        check_encode(engine, *enc, &encoder, &case, &mut room);
                        // The calls below have separate code for short inputs.
                        let say = || format!("{engine} {enc:?} of \"{}\"", show(case.input));
                        let cow = encoder.encode(case.input);
                        assert_eq!(matches!(cow, Cow::Borrowed(_)), case.first.is_none(), "{}", say());
                        assert!(*cow == case.expected[..], "{}", say());
                        if enc.is_ascii() {
                            let fresh = encoder.to_ascii().encode_to_string(case.input);
                            assert!(fresh.as_bytes() == case.expected, "{}", say());
                        }
                    }
                }
                for (dec, expected) in decodings.iter().skip(shift % 3).step_by(3) {
                    for engine in Engine::available() {
                        let decoder = dec.decoder(engine);
                        check_decode(engine, *dec, &decoder, input, expected, &mut room);
                        let say = || format!("{engine} {dec:?} of \"{}\"", show(input));
                        let cow = decoder.decode(input);
                        assert_eq!(cow.as_deref(), expected.result().as_ref().map(|out| *out), "{}", say());
                        let borrowed = matches!(cow, Ok(Cow::Borrowed(_)));
                        assert_eq!(borrowed, expected.out == input && expected.error.is_none(), "{}", say());
                        let text = expected.text();
                        assert_eq!(decoder.utf8(input).as_deref(), text.as_ref().map(|text| *text), "{}", say());
                        let in_place = decoder.in_place(&mut input.to_vec()).map(|bytes| bytes.to_vec());
                        assert_eq!(in_place.as_deref(), expected.result().as_ref().map(|out| *out), "{}", say());
                    }
                }
            }
        }
    }
}

/// Writes to buffers of every length from zero to more than enough. If the result fits, it must be right. If it doesn't
/// fit, the error must give the needed length.
fn every_room(lengths: impl Iterator<Item = usize>, step: usize) {
    let mut random = Random::seeded(0xC0FFEE);
    let mut canary = Canary::new(3 * 600 + 400);
    for n in lengths {
        for input in contents(n, &mut random) {
            for (k, enc) in encodings().into_iter().enumerate() {
                let expected = enc.run(&input);
                let needed = expected.len();
                let near = needed.saturating_sub(3)..=needed + 3;
                let rooms = (k % step..=needed + 70).step_by(step).chain(near).chain([needed + 256, needed + 400]);
                let encoders = encoders(enc);
                for room in thinned(rooms, n + k) {
                    for (engine, encoder) in &encoders {
                        let say = || format!("{engine} {enc:?} \"{}\" into {room}", show(&input));
                        let result = canary.lend(room, |out| encoder.encode_slice(&input, out).map(|out| out.len()));
                        if room < needed {
                            assert_eq!(result, Err(OutputTooSmall::new(needed)), "{}", say());
                        } else {
                            assert_eq!(result, Ok(needed), "{}", say());
                            assert!(canary.written(needed) == expected, "{}", say());
                        }
                    }
                }
            }
            for (k, dec) in decodings().into_iter().enumerate() {
                let expected = dec.run(&input);
                let needed = expected.out.len();
                let near = needed.saturating_sub(3)..=needed + 3;
                let rooms = (k % step..=needed + 70).step_by(step).chain(near).chain([needed + 128, needed + 400]);
                let decoders = decoders(dec);
                for room in thinned(rooms, n + k) {
                    for (engine, decoder) in &decoders {
                        let say = || format!("{engine} {dec:?} \"{}\" into {room}", show(&input));
                        let result = canary.lend(room, |out| decoder.slice(&input, out));
                        let full = Err(SliceError::OutputTooSmall(OutputTooSmall::new(needed)));
                        match expected.error {
                            _ if room < needed => assert_eq!(result, full, "{}", say()),
                            None => assert_eq!(result, Ok(needed), "{}", say()),
                            Some((offset, kind)) => {
                                let error = percent_simd::DecodeError::new(offset, kind);
                                assert_eq!(result, Err(SliceError::Input(error)), "{}", say());
                            }
                        }
                        if room >= needed {
                            assert!(canary.written(needed) == expected.out, "{}", say());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_room_for_every_length() {
    every_room(0..=70, 1);
    every_room(71..=3 * 64 + 2, 2);
}

#[test]
fn many_rooms_around_four_blocks() {
    every_room((195..=600).step_by(5).chain([255, 256, 257, 511, 512, 513]), 17);
}

/// The first and the last byte of each range in the grammar of UTF-8 (RFC 3629 4). The grammar treats all bytes of a range
/// alike.
const UTF8_CLASSES: [u8; 26] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
    0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
];

/// If `+` for a space is the only option, decoders process the input in pieces of this length.
const PLUS_PIECE: usize = 4096;

#[test]
fn items_around_the_ends_of_pieces_decoded_with_pluses() {
    let parts: [&[u8]; 6] = [b"+%2B+", b"%+41", b"%4+1", b"%%41+", b"%zz+", b"%C3%A9"];
    let tails: [&[u8]; 4] = [b"", b"%", b"%4", b"+"];
    for (plus_always, strict) in [(true, false), (true, true), (false, false), (false, true)] {
        let dec = Decode { plus_always, plus_after_query: !plus_always, strict, ..LENIENT };
        let decoders = decoders(dec);
        for (part, tail) in parts.iter().flat_map(|part| tails.map(|tail| (part, tail))) {
            for back in 0..=part.len() + 1 {
                // Without `plus_always`, `+` is decoded only in the query, which begins in the middle of a machine word. With
                // `plus_always`, the whole input is treated like a query.
                let mut input = vec![b'a'; PLUS_PIECE + PLUS_PIECE / 2];
                let query = if plus_always { 0 } else { 37 };
                input[query] = b'?';
                input[query + PLUS_PIECE - back..][..part.len()].copy_from_slice(part);
                input[10..12].copy_from_slice(b"%+");
                if strict {
                    input[10..13].copy_from_slice(b"+aa");
                }
                input.extend_from_slice(tail);
                let expected = dec.run(&input);
                let room = expected.out.len();
                for (engine, decoder) in &decoders {
                    let say = || format!("{engine} {dec:?} \"{}\" {back} before, \"{}\"", show(part), show(tail));
                    assert_eq!(
                        decoder.decode(&input).as_deref().map_err(|fault| *fault),
                        expected.result(),
                        "{}",
                        say()
                    );
                    let mut out = vec![0; room];
                    let got = decoder.slice(&input, &mut out);
                    match expected.error {
                        None => assert!(got == Ok(room) && out == expected.out, "{}", say()),
                        Some(_) => assert!(matches!(got, Err(SliceError::Input(_))), "{}", say()),
                    }
                    if room > 0 && expected.error.is_none() {
                        let short = OutputTooSmall::new(room);
                        let got = decoder.slice(&input, &mut out[1..]);
                        assert_eq!(got, Err(SliceError::OutputTooSmall(short)), "{}", say());
                    }
                }
            }
        }
    }
}

/// Returns a check of the validation of UTF-8 on every engine. It gets bytes without escapes. So the decoder changes no
/// byte, and then validates the bytes.
fn utf8_check() -> impl Fn(&[u8]) {
    let decoders: Vec<_> = Engine::available().map(|engine| (engine, LENIENT.lenient(engine))).collect();
    move |bytes| {
        let want = std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), DecodeErrorKind::InvalidUtf8));
        for (engine, decoder) in &decoders {
            let got = decoder.decode_utf8(bytes).map_err(fault);
            assert_eq!(got.as_deref(), want.as_ref().map(|text| *text), "{engine} \"{}\"", show(bytes));
        }
    }
}

#[test]
fn some_bytes_in_every_lane_of_long_ascii_as_text() {
    let mut input = [b'a'; 2 * FOUR];
    for (phase, dec) in [LENIENT, STRICT, Decode { plus_always: true, ..LENIENT }].into_iter().enumerate() {
        let decoders = decoders(dec);
        for lane in 0..input.len() {
            for byte in thinned_by(2, b"\0\x1F $%&+5@AEe\x7F\x80\xA5\xC3\xFF".iter().copied(), lane + phase) {
                input[lane] = byte;
                // Decode the whole input, then the input up to this byte. Pass each of these two inputs as bytes, and
                // if it is UTF-8, also as a `str`.
                for input in [&input[..], &input[..lane + 1]] {
                    let expected = dec.run(input);
                    let want = expected.text();
                    for (engine, decoder) in &decoders {
                        let say = || format!("{engine} {dec:?} {byte:#04x} in {lane} of {}", input.len());
                        assert_eq!(decoder.utf8(input).as_deref(), want.as_ref().map(|text| *text), "{}", say());
                        if let Ok(text) = str::from_utf8(input) {
                            let got = dec.checked(engine).decode_utf8(text).map_err(fault);
                            assert_eq!(got.as_deref(), want.as_ref().map(|text| *text), "{}", say());
                        }
                    }
                }
            }
            input[lane] = b'a';
        }
    }
}

#[test]
fn every_three_bytes_as_utf8() {
    let check = utf8_check();
    for a in 0..=255_u8 {
        for b in 0..=255_u8 {
            for c in thinned(0..=255, usize::from(a) + 7 * usize::from(b)) {
                // If the first byte is ASCII, three values are enough for each of the other two bytes.
                if a < 0x80 && (b > 2 || c > 2) {
                    continue;
                }
                check(&[a, b, c]);
            }
        }
    }
}

#[test]
fn four_bytes_of_every_class_as_utf8_around_the_ends_of_blocks() {
    let check = utf8_check();
    for at in [0, 12, 28, 29, 45, 60, 61, 62, 63, 64, 126] {
        let mut text = [b'a'; 130];
        for (i, a) in UTF8_CLASSES.into_iter().enumerate() {
            for (j, b) in UTF8_CLASSES.into_iter().enumerate() {
                for (k, c) in UTF8_CLASSES.into_iter().enumerate() {
                    for d in thinned(UTF8_CLASSES.into_iter(), at + i + 5 * j + 11 * k) {
                        text[at..at + 4].copy_from_slice(&[a, b, c, d]);
                        // If `at` is even, text follows the four bytes. If `at` is odd, the input ends after the
                        // four bytes.
                        if at % 2 == 0 { check(&text) } else { check(&text[..at + 4]) }
                    }
                }
            }
        }
    }
}

#[test]
fn one_byte_above_ascii_among_zeros_in_every_lane_of_long_text() {
    // Kernels combine many bytes by OR, and test the result. Here one byte is above ASCII, and all others are zero. So
    // if a kernel misses this byte, no other byte hides the fault. If the text begins with `é`, the decoder validates
    // the whole text as UTF-8. If not, the decoder first searches for a byte above ASCII.
    let check = utf8_check();
    for front in ["", "é"] {
        let mut text = [0; 14 * 64 + 1];
        text[..front.len()].copy_from_slice(front.as_bytes());
        for at in thinned_by(5, front.len()..text.len(), 3) {
            for byte in [0x80, 0xBF, 0xC2, 0xFF] {
                text[at] = byte;
                check(&text);
            }
            text[at] = 0;
        }
    }
}

#[test]
fn characters_torn_apart_by_blocks_of_ascii() {
    // The validation skips many blocks of ASCII at once. It must not skip blocks of ASCII between the bytes of a
    // character.
    let check = utf8_check();
    for front in 0..=9 {
        for between in 0..=9 {
            let begun = ["é".repeat(32 * front), "a".to_string(), "é".repeat(31)].concat();
            let text = [begun.as_bytes(), b"\xC3", &vec![b'a'; 64 * between], b"\xA9", &[b'a'; 64]].concat();
            check(&text);
        }
    }
}

#[test]
fn two_bytes_of_every_class_as_utf8_in_every_lane() {
    // Put each pair of bytes of `UTF8_CLASSES` into every lane of a text. The texts have characters of one, two, three
    // and four bytes.
    let check = utf8_check();
    for filling in ["a", "é", "€", "\u{10348}"] {
        let around: Vec<u8> = filling.bytes().cycle().take(LANES).collect();
        let whole = around.len() - around.len() % filling.len();
        let mut text = around[..whole].to_vec();
        for lane in 0..whole - 1 {
            for (i, a) in UTF8_CLASSES.into_iter().enumerate() {
                for b in thinned(UTF8_CLASSES.into_iter(), lane + 7 * i) {
                    text[lane..lane + 2].copy_from_slice(&[a, b]);
                    check(&text);
                }
            }
            text[lane..lane + 2].copy_from_slice(&around[lane..lane + 2]);
        }
    }
}
