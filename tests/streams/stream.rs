//! Streams get chunks that end anywhere, and very short output buffers. Readers and writers handle few bytes in each call. Output
//! and errors must be the same as if one call had processed the whole input.
//!
//! `room` is the length of the output buffer.
#![cfg(feature = "std")]

use crate::common;

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, ErrorKind, Read, Write};

use common::*;
use percent_simd::{
    ByteSet, DecodeError, DecodeStream, Decoder, EncodeStream, Encoder, Engine, OutputTooSmall, Plus, SliceError,
};

/// The shortest buffer with which a stream makes progress, in bytes. A stream that keeps latent triplets needs more.
const LEAST: usize = 3;

/// Everything that a stream returns for one input.
#[derive(Debug, PartialEq)]
struct Ended {
    out: Vec<u8>,
    malformed: Option<usize>,
    error: Option<Fault>,
}

/// Returns true if the end of the input could be the beginning of a triplet.
fn is_cut_off(input: &[u8]) -> bool {
    input.ends_with(b"%")
        || input.len() >= 2 && input[input.len() - 2] == b'%' && input[input.len() - 1].is_ascii_hexdigit()
}

fn encode_in_chunks<'c>(mut stream: EncodeStream, chunks: impl Iterator<Item = &'c [u8]>, room: usize) -> Ended {
    let mut ended = Ended { out: Vec::new(), malformed: None, error: None };
    let mut buffer = [0; 1024];
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let fed = stream.push(chunk, &mut buffer[..room]);
            assert!(fed.read + fed.written > 0, "no progress in \"{}\" with room for {room}", show(chunk));
            ended.out.extend_from_slice(&buffer[..fed.written]);
            chunk = &chunk[fed.read..];
        }
    }
    let needed = match stream.finish(&mut []) {
        Ok(written) => {
            assert_eq!(written, 0);
            return ended;
        }
        Err(OutputTooSmall { needed, .. }) => needed,
    };
    assert_eq!(stream.finish(&mut buffer[..needed - 1]), Err(OutputTooSmall::new(needed)));
    assert_eq!(stream.finish(&mut buffer[..needed]), Ok(needed));
    assert!(needed <= 6);
    assert_eq!(stream.finish(&mut []), Ok(0), "no output is repeated");
    ended.out.extend_from_slice(&buffer[..needed]);
    ended
}

fn decode_in_chunks<'c>(
    dec: Decode,
    mut stream: DecodeStream,
    chunks: impl Iterator<Item = &'c [u8]>,
    room: usize,
) -> Ended {
    // The stream writes a kept latent triplet as a whole, so it needs 7 bytes of room, and holds back up to 6 bytes.
    let (room, most_held) = if dec.keeps_latent() { (room.max(7), 6) } else { (room, 2) };
    let mut ended = Ended { out: Vec::new(), malformed: None, error: None };
    let mut buffer = [0; 1024];
    for mut chunk in chunks {
        while !chunk.is_empty() {
            match stream.push(chunk, &mut buffer[..room]) {
                Ok(fed) => {
                    assert!(fed.read + fed.written > 0, "no progress in \"{}\" with room for {room}", show(chunk));
                    ended.out.extend_from_slice(&buffer[..fed.written]);
                    chunk = &chunk[fed.read..];
                }
                Err(error) => {
                    assert_eq!(stream.push(b"more", &mut buffer), Err(error), "errors stay");
                    assert_eq!(stream.finish(&mut buffer), Err(SliceError::Input(error)), "errors stay");
                    ended.error = Some(fault(error));
                    ended.malformed = stream.first_malformed();
                    return ended;
                }
            }
        }
    }
    match stream.finish(&mut []) {
        Ok(written) => assert_eq!(written, 0),
        Err(SliceError::Input(error)) => ended.error = Some(fault(error)),
        Err(SliceError::OutputTooSmall(OutputTooSmall { needed, .. })) => {
            assert!((1..=most_held).contains(&needed));
            let small = stream.finish(&mut buffer[..needed - 1]);
            assert_eq!(small, Err(SliceError::OutputTooSmall(OutputTooSmall::new(needed))));
            match stream.finish(&mut buffer[..needed]) {
                Ok(written) => {
                    ended.out.extend_from_slice(&buffer[..written]);
                    assert_eq!(stream.finish(&mut []), Ok(0), "no output is repeated");
                }
                Err(SliceError::Input(error)) => ended.error = Some(fault(error)),
                Err(error) => panic!("{error}"),
            }
        }
    }
    ended.malformed = stream.first_malformed();
    ended
}

fn encoded_at_once(enc: Encode, input: &[u8]) -> Ended {
    Ended { out: enc.run(input), malformed: None, error: None }
}

fn decoded_at_once(dec: Decode, input: &[u8]) -> Ended {
    let decoded = dec.run(input);
    Ended { out: decoded.out, malformed: decoded.malformed, error: decoded.error }
}

/// Returns inputs of at most 64 bytes. Most have escapes that are whole, cut off or malformed.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = [
        "",
        "%",
        "%4",
        "%41",
        "%4z",
        "%%",
        "%%4",
        "%%41",
        "%%%",
        "%zz",
        "%C3%A9",
        "a+b?a+b%3f+",
        "%2f%2F%2a%2A%fF%Ff",
        "%00%%%4%411%zz%25%32%35%2541",
        "a%20b%zz",
        "%zz%20",
        "?%zz+%41%0a%0d%",
        "%61%62%63%64%65%66%67%68%69%6A%6B%6C%6D%6E%6F%70%7",
        "nothing to be done about any of this, it is all clean text, yes",
        "%%32%46/%2%46/%%32F/%%%32%46/%%32%4z/%%32+%%32%4",
        "100% of 50 %25s+%2B? + %E2%82%AC %F0%9F%92%A9 %c0%af%",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    let mut random = Random::seeded(0x57EA);
    inputs.extend((0..scale(40)).map(|i| random.hostile(64 - i % 7)));
    inputs.push((0xC0..=0xFF).collect());
    inputs
}

fn split<'i>(input: &'i [u8], at: &[usize]) -> Vec<&'i [u8]> {
    let mut chunks = Vec::new();
    let mut from = 0;
    for &at in at {
        chunks.push(&input[from..at]);
        from = at;
    }
    chunks.push(&input[from..]);
    chunks
}

#[test]
fn encoding_in_two_and_three_chunks_agrees_with_the_whole() {
    for (i, input) in inputs().into_iter().enumerate() {
        for (k, enc) in encodings().into_iter().enumerate() {
            let expected = encoded_at_once(enc, &input);
            for engine in Engine::available() {
                let encoder = enc.encoder(engine);
                for first in 0..=input.len() {
                    for room in thinned(LEAST..=20, first + i + k) {
                        let got = encode_in_chunks(encoder.stream(), split(&input, &[first]).into_iter(), room);
                        assert_eq!(got, expected, "{engine} {enc:?} \"{}\" {first} {room}", show(&input));
                    }
                    // A stream holds bytes back for the next chunk only if the encoder keeps triplets. For other
                    // encoders, a fifth of the splits is enough.
                    let seconds = (first..=input.len()).step_by(if enc.keep { 1 } else { 5 });
                    for second in thinned(seconds, first + i + k) {
                        let room = LEAST + (first + 7 * second + i + k) % 18;
                        let got = encode_in_chunks(encoder.stream(), split(&input, &[first, second]).into_iter(), room);
                        assert_eq!(got, expected, "{engine} {enc:?} \"{}\" {first} {second} {room}", show(&input));
                    }
                }
            }
        }
    }
}

#[test]
fn decoding_in_two_and_three_chunks_agrees_with_the_whole() {
    for (i, input) in inputs().into_iter().enumerate() {
        for (k, dec) in decodings().into_iter().enumerate() {
            let expected = decoded_at_once(dec, &input);
            for engine in Engine::available() {
                let decoder = dec.decoder(engine);
                for first in 0..=input.len() {
                    for room in thinned(LEAST..=20, first + i + k) {
                        let got = decode_in_chunks(dec, decoder.stream(), split(&input, &[first]).into_iter(), room);
                        assert_eq!(got, expected, "{engine} {dec:?} \"{}\" {first} {room}", show(&input));
                    }
                    for second in thinned(first..=input.len(), first + i + k) {
                        let room = LEAST + (first + 7 * second + i + k) % 18;
                        let got =
                            decode_in_chunks(dec, decoder.stream(), split(&input, &[first, second]).into_iter(), room);
                        assert_eq!(got, expected, "{engine} {dec:?} \"{}\" {first} {second} {room}", show(&input));
                    }
                }
            }
        }
    }
}

#[test]
fn every_pair_of_splits_agrees_with_the_whole_with_every_room() {
    // The code of streams is the same for all engines, so the best engine and the scalar engine are enough.
    let inputs = ["%%4%411%zz%25?+%2", "a%E2%82%ac+%2f%4", "%0a%41%4%zz%00"];
    for engine in [Some(Engine::active()), Engine::by_name("scalar")].into_iter().flatten() {
        for input in inputs.map(str::as_bytes) {
            for first in 0..=input.len() {
                for second in first..=input.len() {
                    for room in LEAST..=20 {
                        for dec in decodings() {
                            let chunks = split(input, &[first, second]);
                            let got = decode_in_chunks(dec, dec.decoder(engine).stream(), chunks.into_iter(), room);
                            assert_eq!(got, decoded_at_once(dec, input), "{engine} {dec:?} {first} {second} {room}");
                        }
                        for enc in encodings() {
                            let chunks = split(input, &[first, second]);
                            let got = encode_in_chunks(enc.encoder(engine).stream(), chunks.into_iter(), room);
                            assert_eq!(got, encoded_at_once(enc, input), "{engine} {enc:?} {first} {second} {room}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn adjacent_triplets_across_blocks_agree_with_the_whole_if_the_second_block_has_no_room() {
    // The second block is decoded byte by byte. If a kept triplet begins in the first block and ends in the second, the
    // kernel removes the bytes that it has written for this triplet. The kernel must not remove bytes of the triplet
    // before the kept triplet.
    for items in ["%41%2F", "%2f%41", "%2F%2f%2F", "%41%%34%31", "%41%%2F", "%c3%A9%2F"].map(str::as_bytes) {
        for lane in 55..=66 {
            let input = [&[b'a'; 66][..lane], items, &[b'b'; 80]].concat();
            for (k, dec) in decodings().into_iter().enumerate() {
                let expected = decoded_at_once(dec, &input);
                for engine in Engine::available() {
                    for room in thinned(lane..=lane + 70, lane + k) {
                        let got = decode_in_chunks(dec, dec.decoder(engine).stream(), [&input[..]].into_iter(), room);
                        assert_eq!(got, expected, "{engine} {dec:?} \"{}\" {room}", show(&input));
                    }
                }
            }
        }
    }
}

#[test]
fn stretches_of_one_byte_agree_with_the_whole_if_a_block_has_no_room() {
    // If a byte repeats, the decoder may copy it into the remaining room without looking at each repetition. But the
    // decoder may do this only if the byte stays unchanged.
    for byte in *b"+% a" {
        let input = [&[byte; 150][..], b"41"].concat();
        for (k, dec) in decodings().into_iter().enumerate() {
            let expected = decoded_at_once(dec, &input);
            for engine in Engine::available() {
                for room in thinned(LEAST..=160, k) {
                    let got = decode_in_chunks(dec, dec.decoder(engine).stream(), [&input[..]].into_iter(), room);
                    assert_eq!(got, expected, "{engine} {dec:?} \"{}\" {room}", show(&input));
                }
            }
        }
    }
}

#[test]
fn streams_byte_by_byte_agree_with_the_whole() {
    let mut random = Random::seeded(1);
    for input in inputs().into_iter().chain((0..scale(30)).map(|i| random.hostile(70 + 9 * i))) {
        for engine in Engine::available() {
            for room in [LEAST, 4, 1000] {
                for enc in encodings() {
                    let got = encode_in_chunks(enc.encoder(engine).stream(), input.chunks(1), room);
                    assert_eq!(got, encoded_at_once(enc, &input), "{engine} {enc:?} \"{}\"", show(&input));
                }
                for dec in decodings() {
                    let got = decode_in_chunks(dec, dec.decoder(engine).stream(), input.chunks(1), room);
                    assert_eq!(got, decoded_at_once(dec, &input), "{engine} {dec:?} \"{}\"", show(&input));
                }
            }
        }
    }
}

#[test]
fn streams_cut_at_random_agree_with_the_whole() {
    let mut random = Random::seeded(0xAB);
    for _ in 0..cases(30_000) {
        let most = if random.one_in(30) { 3000 } else { 260 };
        let n = random.below(most);
        let input = random.hostile(n);
        let (enc, dec) = (random.encode(), random.decode());
        let most = [2, 9, 70, 1000][random.below(4)];
        let mut ends: Vec<usize> = (0..random.below(2 + 2 * n / most)).map(|_| random.below(n + 1)).collect();
        ends.sort();
        let most = [4, 40, 900][random.below(3)];
        let room = LEAST + random.below(most);
        for engine in Engine::available() {
            let chunks = split(&input, &ends);
            let got = encode_in_chunks(enc.encoder(engine).stream(), chunks.iter().copied(), room);
            assert_eq!(got, encoded_at_once(enc, &input), "{engine} {enc:?} \"{}\" {ends:?} {room}", show(&input));
            let got = decode_in_chunks(dec, dec.decoder(engine).stream(), chunks.into_iter(), room);
            assert_eq!(got, decoded_at_once(dec, &input), "{engine} {dec:?} \"{}\" {ends:?} {room}", show(&input));
        }
    }
}

#[test]
fn too_little_room_loses_no_output() {
    // A stream needs three bytes of room to make progress, or seven if it keeps latent triplets. With less room, a
    // stream may write no output, but it must not lose output. When it gets more room, it must continue.
    for input in inputs() {
        for engine in Engine::available() {
            for dec in decodings() {
                let mut stream = dec.decoder(engine).stream();
                let expected = dec.run(&input);
                let (mut rest, mut out, mut buffer) = (&input[..], Vec::new(), [0; 7]);
                let mut room = 0;
                let error = loop {
                    match stream.push(rest, &mut buffer[..room]) {
                        Ok(fed) => {
                            out.extend_from_slice(&buffer[..fed.written]);
                            rest = &rest[fed.read..];
                        }
                        Err(error) => break Some(fault(error)),
                    }
                    if rest.is_empty() {
                        break match stream.finish(&mut buffer) {
                            Ok(written) => {
                                out.extend_from_slice(&buffer[..written]);
                                None
                            }
                            Err(SliceError::Input(error)) => Some(fault(error)),
                            Err(error) => panic!("{error}"),
                        };
                    }
                    room = (room + 1) % if dec.keeps_latent() { 8 } else { 4 };
                };
                assert_eq!((error, show(&out)), (expected.error, show(&expected.out)), "{engine} {dec:?}");
            }
        }
    }
}

/// A reader that returns one byte at a time. Before each byte, it returns the error `Interrupted`.
struct Halting<'i> {
    input: &'i [u8],
    interrupted: bool,
}

impl Read for Halting<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        self.input.read(&mut out[..1])
    }
}

fn inner(error: &io::Error) -> Option<Fault> {
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    error.get_ref().and_then(|inner| inner.downcast_ref::<DecodeError>()).map(|error| fault(*error))
}

/// Reads to the end with `n` bytes per call, and calls again after each `Interrupted`. Returns the output, any other error, and
/// the number of interruptions.
fn drain(mut reader: impl Read, n: usize) -> (Vec<u8>, Option<io::Error>, usize) {
    let mut out = Vec::new();
    let mut buffer = vec![0; n];
    let mut interrupted = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => out.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => interrupted += 1,
            Err(error) => return (out, Some(error), interrupted),
        }
    }
    assert_eq!(reader.read(&mut buffer).unwrap(), 0, "the end stays");
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    (out, None, interrupted)
}

#[test]
fn readers_agree_with_the_whole() {
    let mut random = Random::seeded(2);
    let long = (0..4).map(|_| random.hostile(20_000));
    for input in inputs().into_iter().chain(long) {
        for engine in thinned_by(2, Engine::available(), input.len()) {
            for enc in encodings() {
                let expected = enc.run(&input);
                let (out, error, _) = drain(enc.encoder(engine).reader(&input[..]), 100);
                assert!(error.is_none() && out == expected, "{engine} {enc:?}");
                let halting = Halting { input: &input, interrupted: false };
                let (out, error, interrupted) = drain(enc.encoder(engine).reader(halting), 1);
                assert!(error.is_none() && out == expected, "{engine} {enc:?}");
                assert_eq!(interrupted, input.len() + 1, "each interruption is reported");
                let ascii = enc.encoder(engine).to_ascii();
                let (out, _, _) = drain(ascii.reader(&input[..]), 7);
                assert_eq!(out, ascii.encode(&input).as_bytes());
            }
            for dec in decodings() {
                let expected = dec.run(&input);
                for n in [1, 7, 9000] {
                    let halting = Halting { input: &input, interrupted: false };
                    let mut reader = dec.checked(engine).reader(halting);
                    let (out, error, _) = drain(&mut reader, n);
                    assert!(out == expected.out, "{engine} {dec:?}: the output before an error comes first");
                    assert_eq!(error.as_ref().and_then(inner), expected.error, "{engine} {dec:?}");
                    assert_eq!(reader.stream().first_malformed(), expected.malformed, "{engine} {dec:?}");
                    if error.is_some() {
                        assert_eq!(drain(&mut reader, n).1.as_ref().and_then(inner), expected.error, "errors stay");
                    }
                    assert!(n > 1 || expected.error.is_some() || reader.into_inner().input.is_empty());
                }
                if !dec.is_checked() {
                    let (out, error, _) = drain(dec.lenient(engine).reader(&input[..]), 4096);
                    assert!(error.is_none() && out == expected.out, "{engine} {dec:?}");
                }
            }
        }
    }
}

/// A writer that takes one byte at a time. Before each byte, it returns the error `Interrupted`.
#[derive(Default)]
struct Reluctant {
    out: Vec<u8>,
    interrupted: bool,
    flushed: usize,
}

impl Write for Reluctant {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        self.out.extend(bytes.first());
        Ok(bytes.len().min(1))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed += 1;
        Ok(())
    }
}

#[test]
fn writers_agree_with_the_whole() {
    let mut random = Random::seeded(3);
    let long = (0..4).map(|_| random.hostile(20_000));
    for input in inputs().into_iter().chain(long) {
        for engine in thinned_by(2, Engine::available(), input.len()) {
            for n in [1, 2, 5, 64, 30_000] {
                for enc in encodings() {
                    let mut writer = enc.encoder(engine).writer(Reluctant::default());
                    for chunk in input.chunks(n) {
                        assert_eq!(writer.write(chunk).unwrap(), chunk.len());
                    }
                    writer.flush().unwrap();
                    assert_eq!(writer.get_ref().flushed, 1);
                    assert!(writer.finish().unwrap().out == enc.run(&input), "{engine} {enc:?}");
                    let ascii = enc.encoder(engine).to_ascii();
                    let mut writer = ascii.writer(Vec::new());
                    writer.write_all(&input).unwrap();
                    assert_eq!(writer.finish().unwrap(), ascii.encode(&input).as_bytes());
                }
                for dec in decodings() {
                    let expected = dec.run(&input);
                    let mut writer = dec.checked(engine).writer(Reluctant::default());
                    let wrong = input.chunks(n).find_map(|chunk| writer.write_all(chunk).err());
                    assert_eq!(writer.stream().first_malformed(), {
                        // A truncated triplet at the end isn't malformed yet, because more input could complete it.
                        let whole = &input[..input.len()
                            - if is_cut_off(&input) { 1 + usize::from(!input.ends_with(b"%")) } else { 0 }];
                        dec.run(whole).malformed
                    });
                    let out = writer.get_ref().out.clone();
                    match wrong {
                        Some(error) => {
                            assert_eq!(inner(&error), expected.error, "{engine} {dec:?}");
                            assert!(out == expected.out, "{engine} {dec:?}: the output before an error is written");
                            assert_eq!(writer.finish().err().as_ref().and_then(inner), expected.error, "errors stay");
                        }
                        None => match writer.finish() {
                            Ok(inner) => {
                                assert!(expected.error.is_none() && inner.out == expected.out, "{engine} {dec:?}")
                            }
                            Err(error) => assert_eq!(inner(&error), expected.error, "{engine} {dec:?}"),
                        },
                    }
                }
            }
        }
    }
}

#[test]
fn inner_errors_are_returned() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::TimedOut.into())
        }
    }
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::TimedOut.into())
        }
    }
    let encoder = Encoder::new(ByteSet::EMPTY).keep_triplets();
    assert_eq!(encoder.reader(Broken).read(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(Decoder::new().reader(Broken).read(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
    // `write` takes the first byte, but the writer only stores it. Every later call tries to write this byte, and returns the
    // error.
    let mut writer = encoder.writer(Broken);
    assert_eq!(writer.write(b"a").unwrap(), 1);
    assert_eq!(writer.write(b"b").unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert_eq!(writer.finish().err().map(|error| error.kind()), Some(ErrorKind::BrokenPipe));
    assert_eq!(encoder.writer(Broken).flush().unwrap_err().kind(), ErrorKind::TimedOut);
    let mut writer = Decoder::new().writer(Broken);
    assert_eq!(writer.write(b"%4").unwrap(), 2, "held, so not yet written");
    assert_eq!(writer.finish().err().map(|error| error.kind()), Some(ErrorKind::BrokenPipe));

    // The reader is interrupted inside a triplet, and then returns the rest.
    let halting = Halting { input: b"%41", interrupted: false };
    let mut text = String::new();
    Decoder::new().reader(halting).read_to_string(&mut text).unwrap();
    assert_eq!(text, "A");
}

#[test]
fn large_chunks_take_linear_time() {
    // Each call may take only as long as filling its few bytes of room. If each call processed all of the remaining chunk,
    // all calls together would process a terabyte for each coder, and exceed the suite's time limit.
    const ROOM: usize = 16;
    const CALLS: usize = 8000;
    let clean = vec![b'a'; scale(128 << 20)];
    for engine in Engine::available() {
        for dec in decodings() {
            let (mut stream, mut rest) = (dec.decoder(engine).stream(), &clean[..]);
            for _ in 0..scale(CALLS) {
                let progress = stream.push(rest, &mut [0; ROOM]).unwrap();
                assert!(progress.written > ROOM - 3, "{engine} {dec:?} {progress:?}");
                rest = &rest[progress.read..];
            }
        }
        for enc in encodings() {
            let (mut stream, mut rest) = (enc.encoder(engine).stream(), &clean[..]);
            for _ in 0..scale(CALLS) {
                let progress = stream.push(rest, &mut [0; ROOM]);
                assert!(progress.written > ROOM - 3, "{engine} {enc:?} {progress:?}");
                rest = &rest[progress.read..];
            }
        }
    }
}

/// A reader or writer that handles at most `most` bytes per call. Only every `nth` call succeeds. The other calls fail, with
/// `WouldBlock` and `Interrupted` in turn.
struct Flaky<I> {
    inner: I,
    calls: usize,
    nth: usize,
    most: usize,
}

impl<I> Flaky<I> {
    fn new(inner: I, nth: usize, most: usize) -> Flaky<I> {
        Flaky { inner, calls: 0, nth, most }
    }

    fn turn(&mut self) -> io::Result<()> {
        self.calls += 1;
        match self.calls % self.nth {
            0 => Ok(()),
            i if i % 2 == 0 => Err(ErrorKind::Interrupted.into()),
            _ => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl Write for Flaky<Vec<u8>> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.turn()?;
        let n = bytes.len().min(self.most);
        self.inner.write(&bytes[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.turn()
    }
}

impl Read for Flaky<&[u8]> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.turn()?;
        let n = out.len().min(self.most);
        self.inner.read(&mut out[..n])
    }
}

/// The pairs (`nth`, `most`) of the [`Flaky`] readers and writers.
const FAILURES: [(usize, usize); 6] = [(1, 1), (2, 1), (3, 2), (2, 7), (5, 5000), (2, usize::MAX)];

/// Calls `run` until it succeeds or returns an error other than `WouldBlock` and `Interrupted`.
fn until_it_goes_on<T>(mut run: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match run() {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            result => return result,
        }
    }
}

/// Accesses the inner reader or writer of an adapter. The inner writer is full after two bytes, and takes no more.
#[test]
fn inner_readers_and_writers_are_accessible() {
    let mut reader = Decoder::new().reader(&b"%41"[..]);
    assert_eq!(reader.get_ref(), b"%41");
    let mut out = Vec::new();
    reader.read_to_end(&mut out).unwrap();
    assert_eq!((&out[..], reader.into_inner()), (&b"A"[..], &b""[..]));
    let mut full = [0; 2];
    let mut writer = Decoder::new().writer(&mut full[..]);
    let error = writer.write_all(b"abc").and_then(|()| writer.flush()).unwrap_err();
    assert_eq!((error.kind(), writer.get_ref().len()), (ErrorKind::WriteZero, 0));
    drop(writer);
    assert_eq!(full, *b"ab");
}

#[test]
fn writers_lose_no_output_if_the_inner_writer_fails() {
    let mut random = Random::seeded(0xF1A2);
    let long = (0..3).map(|_| random.hostile(20_000));
    for (i, input) in inputs().into_iter().chain(long).enumerate() {
        for (nth, most) in FAILURES {
            if most < input.len() / 100 {
                continue; // a long input would need too many calls with so few bytes
            }
            let chunk = [1, 3, 64, 9000, usize::MAX][(i + nth) % 5].min(input.len()).max(1);
            for enc in encodings() {
                let mut writer = enc.encoder(Engine::active()).writer(Flaky::new(Vec::new(), nth, most));
                let mut rest = &input[..];
                while !rest.is_empty() {
                    let taken = until_it_goes_on(|| writer.write(&rest[..chunk.min(rest.len())])).unwrap();
                    assert!(taken > 0);
                    rest = &rest[taken..];
                    until_it_goes_on(|| writer.flush()).unwrap();
                }
                until_it_goes_on(|| writer.try_finish()).unwrap();
                assert!(writer.write(b"more").is_err());
                assert!(writer.into_inner().inner == enc.run(&input), "{enc:?} {nth} {most}");
            }
            for dec in decodings() {
                let expected = dec.run(&input);
                let mut writer = dec.checked(Engine::active()).writer(Flaky::new(Vec::new(), nth, most));
                let mut rest = &input[..];
                let mut error = None;
                while !rest.is_empty() && error.is_none() {
                    match until_it_goes_on(|| writer.write(&rest[..chunk.min(rest.len())])) {
                        Ok(taken) => {
                            assert!(taken > 0);
                            rest = &rest[taken..];
                        }
                        Err(wrong) => error = inner(&wrong),
                    }
                }
                if error.is_none() {
                    error = until_it_goes_on(|| writer.try_finish()).err().and_then(|wrong| inner(&wrong));
                }
                assert_eq!(error, expected.error, "{dec:?} {nth} {most}");
                assert!(writer.get_ref().inner == expected.out, "{dec:?} {nth} {most}");
            }
        }
    }
}

#[test]
fn readers_lose_no_output_if_the_inner_reader_fails() {
    let mut random = Random::seeded(0xF1A3);
    for input in inputs().into_iter().chain([random.hostile(20_000)]) {
        for (nth, most) in FAILURES {
            if most < input.len() / 100 {
                continue;
            }
            for dec in decodings() {
                let expected = dec.run(&input);
                let mut reader = dec.checked(Engine::active()).reader(Flaky::new(&input[..], nth, most));
                let mut out = Vec::new();
                let error = loop {
                    match until_it_goes_on(|| reader.fill_buf().map(<[u8]>::to_vec)) {
                        Ok(ready) if ready.is_empty() => break None,
                        Ok(ready) => {
                            // Consume half of the bytes. `fill_buf` must return the other half again.
                            let n = ready.len().div_ceil(2);
                            out.extend_from_slice(&ready[..n]);
                            reader.consume(n);
                        }
                        Err(wrong) => break inner(&wrong),
                    }
                };
                assert_eq!(error, expected.error, "{dec:?} {nth} {most}");
                assert!(out == expected.out, "{dec:?} {nth} {most}");
                assert!(reader.get_ref().calls > 0 && reader.into_inner().nth == nth);
            }
        }
    }
}

#[test]
fn a_writer_that_reports_too_many_bytes_has_taken_all() {
    /// A writer that takes one byte in its first call, and in later calls reports more bytes than it was given.
    struct Boaster(usize);
    impl Write for Boaster {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Ok(if self.0 == 1 { 1 } else { bytes.len() + 1 })
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Decoder::new().writer(Boaster(0));
    writer.write_all(b"%41bc").unwrap();
    writer.try_finish().unwrap();
    assert_eq!(writer.get_ref().0, 2);
    let mut reader = Decoder::new().reader(&b"%41bc"[..]);
    assert_eq!(reader.fill_buf().unwrap(), b"Abc");
    reader.consume(1);
    reader.consume(3);
    assert_eq!(reader.fill_buf().unwrap(), b"");
}

/// A dropped writer writes its buffered bytes, as `BufWriter` does. It also writes the bytes that its stream holds back.
#[test]
fn a_dropped_writer_is_finished() {
    let mut out = Vec::new();
    Decoder::new().writer(&mut out).write_all(b"a%4").unwrap();
    assert_eq!(out, b"a%4");
    out.clear();
    Encoder::new(ByteSet::EMPTY).keep_triplets().writer(&mut out).write_all(b"%4").unwrap();
    assert_eq!(out, b"%25%34");
    // Also drop writers of encoders and decoders with all other options. Each input is cut anywhere, and both parts are
    // written one after the other.
    let mut random = Random::seeded(0xD209);
    for input in inputs().into_iter().chain([random.hostile(20_000)]) {
        for (enc, dec) in encodings().into_iter().zip(decodings().into_iter().cycle()) {
            let cut = random.below(input.len() + 1);
            let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
            let mut writer = enc.encoder(Engine::active()).writer(&mut encoded);
            let mut decoder = dec.checked(Engine::active()).writer(&mut decoded);
            for part in [&input[..cut], &input[cut..]] {
                writer.write_all(part).unwrap();
                _ = decoder.write_all(part);
            }
            drop((writer, decoder));
            assert!(encoded == enc.run(&input), "{enc:?}: \"{}\"", show(&input));
            // If there was an error, all output before the error must have been written.
            assert!(decoded == dec.run(&input).out, "{dec:?}: \"{}\"", show(&input));
        }
    }
}

/// A writer that counts its calls. Each call takes a byte, and then fails or panics.
struct Failing<'a> {
    calls: &'a Cell<usize>,
    out: &'a RefCell<Vec<u8>>,
    panics: bool,
}

impl Write for Failing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls.set(self.calls.get() + 1);
        // Take the byte, but don't report it to the caller.
        self.out.borrow_mut().extend(bytes.first());
        assert!(!self.panics, "no");
        Err(ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn dropping_a_writer_ignores_errors_and_repeats_no_output() {
    let (calls, out) = (Cell::new(0), RefCell::new(Vec::new()));
    let failing = |panics| {
        calls.set(0);
        out.borrow_mut().clear();
        Failing { calls: &calls, out: &out, panics }
    };
    let mut writer = Decoder::new().writer(failing(false));
    writer.write_all(b"a%4").unwrap();
    drop(writer);
    assert_eq!(calls.get(), 2, "written once, and once more on drop");
    // If a write failed in `finish`, dropping the writer must not repeat the write.
    let mut writer = Decoder::new().writer(failing(false));
    writer.write_all(b"%4").unwrap();
    assert_eq!(writer.finish().err().map(|error| error.kind()), Some(ErrorKind::BrokenPipe));
    assert_eq!(calls.get(), 1);
    // `into_inner` returns the inner writer without writing to it.
    let mut writer = Decoder::new().writer(failing(false));
    writer.write_all(b"%4").unwrap();
    assert!(!writer.into_inner().panics);
    assert_eq!(calls.get(), 0);
    // After a panic, we can't know how many bytes the inner writer took. So dropping the outer writer writes nothing.
    #[cfg(panic = "unwind")]
    {
        let write = || Decoder::new().writer(failing(true)).write_all(b"abc");
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).is_err());
        assert_eq!((calls.get(), &out.borrow()[..]), (1, &b"a"[..]));
    }
    // After `try_finish`, dropping the writer writes nothing more.
    let mut done = Vec::new();
    let mut writer = Decoder::new().writer(&mut done);
    writer.write_all(b"%4").unwrap();
    writer.try_finish().unwrap();
    drop(writer);
    assert_eq!(done, b"%4");
    // If a strict decoder finds an error only at the end of the input, dropping its writer discards this error.
    let mut done = Vec::new();
    Decoder::new().strict().writer(&mut done).write_all(b"a%4").unwrap();
    assert_eq!(done, b"a");
}

#[test]
fn debug_of_adapters_hides_their_buffers() {
    let writer = Decoder::new().writer(Vec::new());
    let reader = Decoder::new().reader(&b""[..]);
    assert!(format!("{writer:?} {reader:?}").len() < 700);
}

#[test]
fn by_line_decodes_each_line_by_itself() {
    let mut random = Random::seeded(0x11E);
    for round in 0..cases(3000) {
        let n = random.below(if round % 50 == 0 { 20_000 } else { 200 });
        let mut input = random.hostile(n);
        for byte in &mut input {
            match random.below(8) {
                0 => *byte = b'\n',
                1 => *byte = b'?',
                2 => *byte = b'+',
                _ => {}
            }
        }
        for plus in [Plus::Never, Plus::Always, Plus::AfterQuery] {
            let decoder = Decoder::new().plus(plus);
            let expected: Vec<u8> = input
                .split_inclusive(|&byte| byte == b'\n')
                .flat_map(|line| decoder.decode(line).into_owned())
                .collect();
            let most = 1 + random.below(300);
            let (out, error, _) = drain(decoder.reader(&input[..]).by_line(), most);
            assert!(error.is_none() && out == expected, "{plus:?}: \"{}\"", show(&input));
            let mut writer = decoder.writer(Vec::new()).by_line();
            for chunk in input.chunks(most) {
                writer.write_all(chunk).unwrap();
            }
            assert!(writer.finish().unwrap() == expected, "{plus:?}: \"{}\"", show(&input));
            let (mut stream, mut out, mut buffer) = (decoder.stream().by_line(), Vec::new(), [0; LEAST]);
            for mut chunk in input.chunks(most) {
                while !chunk.is_empty() {
                    let progress = stream.push(chunk, &mut buffer).unwrap();
                    out.extend_from_slice(&buffer[..progress.written]);
                    chunk = &chunk[progress.read..];
                }
            }
            let written = stream.finish(&mut buffer).unwrap();
            out.extend_from_slice(&buffer[..written]);
            assert!(out == expected, "{plus:?}: \"{}\"", show(&input));
        }
    }
}

/// A writer that counts the bytes it gets as slices of `text`. These bytes weren't copied.
struct Watched<'t> {
    text: &'t [u8],
    out: Vec<u8>,
    own: usize,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.extend_from_slice(bytes);
        if self.text.as_ptr_range().contains(&bytes.as_ptr()) {
            self.own += bytes.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn long_clean_text_is_passed_on_without_a_copy() {
    /// The length of the pieces in which the codec searches clean text.
    const SEARCHED: usize = 8 * 1024;
    const LEN: usize = SEARCHED + SEARCHED / 2;
    let clean = vec![b'a'; LEN];
    let written = |input: &[u8], write: &dyn Fn(&mut Watched) -> Option<Fault>| {
        let mut watched = Watched { text: input, out: Vec::new(), own: 0 };
        let fault = write(&mut watched);
        (watched.out, watched.own, fault)
    };
    let encode = |engine, enc: Encode, input: &[u8]| {
        let encoder = enc.encoder(engine);
        written(input, &|out| encoder.encode_io(input, out).err().and_then(|error| inner(&error)))
    };
    let decode = |engine, dec: Decode, input: &[u8]| {
        written(input, &|out| match dec.decoder(engine) {
            AnyDecoder::Lenient(decoder) => decoder.decode_io(input, out).err().and_then(|error| inner(&error)),
            AnyDecoder::Checked(decoder) => decoder.decode_io(input, out).err().and_then(|error| inner(&error)),
        })
    };
    // Put an item near the end of a piece, or near the shortest length that is passed on without a copy.
    let places = (SEARCHED - 8..SEARCHED + 2).chain([0, SEARCHED / 4 - 1, SEARCHED / 4, SEARCHED / 4 + 1, LEN - 7]);
    let items = ["%41", "%", "%2f", "%%32F", "%32%46", "+", " ", "%0a"];
    let inputs: Vec<Vec<u8>> = items
        .iter()
        .flat_map(|item| places.clone().map(move |at| (item, at)))
        .map(|(item, at)| [&clean[..at], item.as_bytes(), &clean[at + item.len()..]].concat())
        .collect();
    for engine in Engine::available() {
        for (phase, enc) in encodings().into_iter().enumerate() {
            let stays = if enc.allowed.contains(b'a') { LEN } else { 0 };
            assert_eq!(encode(engine, enc, &clean).1, stays, "{engine} {enc:?}");
            for input in inputs.iter().skip(phase % 5).step_by(5) {
                assert!(encode(engine, enc, input).0 == enc.run(input), "{engine} {enc:?} {}", show(input));
            }
        }
        for (phase, dec) in decodings().into_iter().enumerate() {
            assert_eq!(decode(engine, dec, &clean), (clean.clone(), LEN, None), "{engine} {dec:?}");
            for input in inputs.iter().skip(phase % 5).step_by(5) {
                let expected = dec.run(input);
                let (out, _, fault) = decode(engine, dec, input);
                assert!(out == expected.out, "{engine} {dec:?} {}", show(input));
                assert_eq!(fault, expected.error, "{engine} {dec:?} {}", show(input));
            }
        }
    }
}
