//! A latent triplet is a malformed `%` that becomes a triplet if the triplets after it are decoded: `%%32F` would become `%2F`.
//! If `keep` has `%`, the decoder keeps latent triplets, so decoding a second time finds no new triplet.
#![cfg(feature = "std")]

use crate::common;

use std::io::{Read, Write};

use common::*;
use percent_simd::{ByteSet, Engine, OutputTooSmall, SliceError, internal};

/// Four decodings that keep latent triplets, and two that don't.
fn decodings() -> [Decode; 6] {
    let path = Decode { keep: ByteSet::of(b"/\\%\0"), ..LENIENT };
    [
        path,
        Decode { keep: !UNRESERVED, upper: true, ..LENIENT },
        Decode { keep: ByteSet::of(b"%2"), plus_always: true, ..LENIENT },
        Decode { reject: ByteSet::of(b"6F"), ..path },
        Decode { keep: ByteSet::of(b"/"), ..LENIENT },
        Decode { strict: true, ..path },
    ]
}

/// Returns every string of `len` bytes from the alphabet `%2346fFzZ`.
fn inputs(len: u32) -> impl Iterator<Item = Vec<u8>> {
    const ALPHABET: &[u8; 9] = b"%2346fFzZ";
    (0..9_usize.pow(len)).map(move |n| (0..len).map(|place| ALPHABET[n / 9_usize.pow(place) % 9]).collect())
}

/// Compares most decoding calls on one input. `check_slices` and `check_streams` compare the rest of the calls.
#[track_caller]
fn check(engine: &'static Engine, dec: Decode, input: &[u8], expected: &Decoded) {
    let say = || format!("{engine} {dec:?} \"{}\"", show(input));
    let decoder = dec.decoder(engine);
    let all = expected.result();
    assert_eq!(decoder.decode(input).as_deref().map_err(|fault| *fault), all, "{}", say());
    assert_eq!(decoder.first_changed(input), expected.first_changed, "{}", say());
    assert_eq!(decoder.decoded_len(input), all.map(<[u8]>::len), "{}", say());
    assert_eq!(decoder.utf8(input).as_deref().map_err(|fault| *fault), expected.text(), "{}", say());
    assert_eq!(decoder.in_place(&mut input.to_vec()).map(|out| &*out), all, "{}", say());
    if let Ok(text) = str::from_utf8(input) {
        let got = decoder.string(text.to_string());
        assert_eq!(got.as_deref().map_err(|fault| *fault), expected.text(), "{}", say());
    }
    // The input is a row between other rows. A latent triplet must not reach from one row into the next.
    let values = [b"%", input, b"%", input, b"46"].concat();
    let ends = [1, input.len() + 1, input.len() + 2, 2 * input.len() + 2, 2 * input.len() + 4];
    let (mut out, mut out_ends) = (Vec::new(), vec![0]);
    if let (AnyDecoder::Lenient(decoder), Ok(all)) = (decoder, all) {
        let offsets: Vec<usize> = [0].into_iter().chain(ends).collect();
        decoder.batch().append(&values, &offsets, &mut out, &mut out_ends).unwrap();
        assert_eq!(show(&out), show(&[b"%", all, b"%", all, b"46"].concat()), "{}", say());
        assert_eq!(out_ends[2] - out_ends[1], all.len(), "{}", say());
        assert_eq!(show(&decoder.pieces(input).collect::<Vec<_>>().concat()), show(all), "{}", say());
        let mut vec = b"before".to_vec();
        decoder.decode_into(input, &mut vec);
        assert_eq!(show(&vec[6..]), show(all), "{}", say());
        let mut written = Vec::new();
        decoder.decode_io(input, &mut written).unwrap();
        assert_eq!(show(&written), show(all), "{}", say());
        let report = internal::decode_with_report(&decoder, input);
        assert_eq!((&report.bytes[..], report.first_malformed), (all, expected.malformed), "{}", say());
        assert_eq!(decoder.first_malformed(input), expected.malformed, "{}", say());
        let (decided, rest) = input.split_at(decoder.settled_prefix_len(input));
        assert_eq!(show(&[decoder.decode(decided), decoder.decode(rest)].concat()), show(all), "{}", say());
        if dec.keeps_latent() {
            assert_eq!(show(&decoder.decode_layers(input, 9).bytes), show(all), "{}", say());
            assert_eq!(show(&decoder.decode(all)), show(all), "again: {}", say());
        }
    }
}

/// Decodes into slices that are shorter than the result, as long as the result, and longer.
#[track_caller]
fn check_slices(
    engine: &'static Engine,
    dec: Decode,
    input: &[u8],
    expected: &Decoded,
    rooms: impl Iterator<Item = usize>,
) {
    let say = || format!("{engine} {dec:?} \"{}\"", show(input));
    let (decoder, needed) = (dec.decoder(engine), expected.out.len());
    let mut canary = Canary::new(needed + 400);
    for room in rooms.chain([needed, needed + 400]) {
        let got = canary.lend(room, |out| decoder.slice(input, out));
        match expected.error {
            _ if room < needed => {
                assert_eq!(got, Err(SliceError::OutputTooSmall(OutputTooSmall::new(needed))), "{} {room}", say());
                continue;
            }
            None => assert_eq!(got, Ok(needed), "{} {room}", say()),
            Some((offset, kind)) => {
                let error = percent_simd::DecodeError::new(offset, kind);
                assert_eq!(got, Err(SliceError::Input(error)), "{} {room}", say());
            }
        }
        assert!(canary.written(needed) == expected.out, "{} {room}", say());
    }
}

/// Decodes with a writer and a reader, in two parts that are split at every offset. Also decodes with a stream, in chunks of
/// every length.
#[track_caller]
fn check_streams(engine: &'static Engine, dec: Decode, input: &[u8], expected: &Decoded) {
    let AnyDecoder::Lenient(decoder) = dec.decoder(engine) else { return };
    for at in 0..=input.len() {
        let say = || format!("{engine} {dec:?} \"{}\" at {at}", show(input));
        let (front, back) = input.split_at(at);
        let mut writer = decoder.writer(Vec::new());
        writer.write_all(front).unwrap();
        writer.write_all(back).unwrap();
        assert_eq!(show(&writer.finish().unwrap()), show(&expected.out), "{}", say());
        let mut read = Vec::new();
        decoder.reader(front.chain(back)).read_to_end(&mut read).unwrap();
        assert_eq!(show(&read), show(&expected.out), "{}", say());
        // 7 bytes is the shortest buffer with which every stream makes progress.
        let (mut stream, mut out, mut buffer) = (decoder.stream(), Vec::new(), [0; 7]);
        for mut chunk in input.chunks(at.max(1)) {
            while !chunk.is_empty() {
                let progress = stream.push(chunk, &mut buffer).unwrap();
                assert!(progress.read + progress.written > 0, "{}", say());
                out.extend_from_slice(&buffer[..progress.written]);
                chunk = &chunk[progress.read..];
            }
        }
        let ended = stream.finish(&mut buffer).unwrap();
        out.extend_from_slice(&buffer[..ended]);
        assert_eq!(show(&out), show(&expected.out), "{}", say());
        assert_eq!(stream.first_malformed(), expected.malformed, "{}", say());
    }
}

#[test]
fn decoding_twice_gives_the_same_with_percent_kept() {
    let decodings = decodings().map(|dec| {
        let decoders: Vec<_> = Engine::available().map(|engine| (engine, dec.decoder(engine))).collect();
        (dec, decoders)
    });
    for (k, input) in (0..=7).flat_map(inputs).enumerate() {
        let mut drawn = decodings.iter().enumerate().filter(|&(phase, _)| is_drawn(k, phase)).peekable();
        if drawn.peek().is_none() {
            continue;
        }
        // An input is critical if it has a malformed `%`, and plain decoding would make a new triplet.
        let plain = LENIENT.run(&input);
        let is_critical = plain.malformed.is_some()
            && plain.first_changed.is_some()
            && plain.out.windows(3).any(|window| triplet(window).is_some());
        for (phase, (dec, decoders)) in drawn {
            // The first two decodings get all inputs. To save time, the other decodings get all critical inputs, but
            // only one in 16 of the inputs that aren't critical.
            if !is_critical && phase > 1 && k % 16 != 0 {
                continue;
            }
            let expected = dec.run(&input);
            if is_critical && dec.keeps_latent() && expected.error.is_none() {
                assert!(dec.run(&expected.out).out == expected.out, "the oracle of {}", show(&input));
            }
            let mut room = [0; 128];
            for (engine, decoder) in decoders {
                let got = decoder.slice(&input, &mut room);
                assert_eq!(got.is_ok(), expected.error.is_none(), "{engine} {dec:?} \"{}\"", show(&input));
                let written = got.unwrap_or(expected.out.len());
                assert!(room[..written] == expected.out, "{engine} {dec:?} \"{}\"", show(&input));
                if is_critical && k % 16 == 0 || k % 4096 == phase {
                    check(engine, *dec, &input, &expected);
                    check_slices(engine, *dec, &input, &expected, 0..expected.out.len());
                    check_streams(engine, *dec, &input, &expected);
                }
            }
        }
    }
}

#[test]
fn latent_triplets_in_every_lane() {
    const SHAPES: [&str; 8] = ["%%32%46", "%2%46", "%%32F", "%%32%4z", "%2%%46", "%%%32%46%66", "%%2F%46", "%%32%2F"];
    // The surrounding text is clean, decoded, kept, malformed, or full of latent triplets.
    for (phase, filling) in ["x", "%7A", "%2f", "%z", "%%32%46"].into_iter().enumerate() {
        for (k, dec) in decodings().into_iter().enumerate() {
            for len in [100, 200, 400] {
                for lane in thinned(0..len - 7, phase + k) {
                    let shape = SHAPES[(lane + lane / 64 + len + k) % SHAPES.len()];
                    let mut input = filling.repeat(len).into_bytes();
                    input.truncate(len);
                    let end = len.min(lane + shape.len());
                    input[lane..end].copy_from_slice(&shape.as_bytes()[..end - lane]);
                    let expected = dec.run(&input);
                    let needed = expected.out.len();
                    for engine in Engine::available() {
                        let rooms = (0..needed).filter(|room| room % 64 == lane % 64 || room + 9 > needed);
                        check_slices(engine, dec, &input, &expected, rooms);
                        check(engine, dec, &input, &expected);
                    }
                }
            }
        }
    }
}

#[test]
fn every_shape_in_every_lane_with_every_room() {
    for (phase, shape) in ["%%32%46", "%2%46", "%%32F", "%%%32%46", "%%32%47"].into_iter().enumerate() {
        for dec in decodings().into_iter().take(2) {
            for lane in thinned(40..72, phase) {
                let mut input = b"x".repeat(lane);
                input.extend_from_slice(shape.as_bytes());
                input.extend_from_slice(&b"y".repeat(80));
                let expected = dec.run(&input);
                for engine in Engine::available() {
                    check_slices(engine, dec, &input, &expected, 0..expected.out.len());
                }
            }
        }
    }
}
