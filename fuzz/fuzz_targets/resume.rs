//! Compares streams, and `Buf`s of several chunks, with the oracle on the whole input: any splits, any length of the output
//! buffer (`room`), any engine.
#![no_main]

use bytes::Buf;
use libfuzzer_sys::fuzz_target;
use percent_simd::SliceError;
use percent_simd_fuzz::*;

/// A `Buf` that returns the input in chunks. The chunks have four lengths, in turn.
struct Chunks<'d>(&'d [u8], std::iter::Cycle<std::array::IntoIter<usize, 4>>, usize);

impl<'d> Chunks<'d> {
    fn new(input: &'d [u8], splits: [usize; 4]) -> Chunks<'d> {
        let mut splits = splits.into_iter().cycle();
        let first = splits.next().unwrap_or(1);
        Chunks(input, splits, first)
    }
}

impl Buf for Chunks<'_> {
    fn remaining(&self) -> usize {
        self.0.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.0[..self.2.min(self.0.len())]
    }

    fn advance(&mut self, n: usize) {
        self.0 = &self.0[n..];
        self.2 -= n;
        if self.2 == 0 {
            self.2 = self.1.next().unwrap_or(1);
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, dec) = (choices.encode(), choices.decode());
    let room = 3 + usize::from(choices.byte());
    let splits = [(); 4].map(|()| 1 + usize::from(choices.byte()));
    let input = choices.input();
    let chunks = || {
        let mut rest = input;
        let next = splits.into_iter().cycle().map_while(move |n| rest.split_off(..n.min(rest.len())));
        next.take_while(|chunk| !chunk.is_empty())
    };
    let expected = dec.run(input);
    let (mut stream, mut out, mut buffer) = (enc.encoder(engine).stream(), Vec::new(), vec![0; room]);
    for mut chunk in chunks() {
        while !chunk.is_empty() {
            let fed = stream.push(chunk, &mut buffer);
            assert!(fed.read + fed.written > 0);
            out.extend_from_slice(&buffer[..fed.written]);
            chunk = &chunk[fed.read..];
        }
    }
    let ended = stream.finish(&mut [0; 6]).unwrap();
    assert_eq!(out.len() + ended, enc.run(input).len(), "{engine} {enc:?}");
    assert!(enc.run(input).starts_with(&out), "{engine} {enc:?}");

    // A kept latent triplet is written as a whole, so the stream needs 7 bytes of room.
    let least = if dec.keeps_latent() { 7 } else { 3 };
    let mut buffer = vec![0; room.max(least)];
    let (mut stream, mut out, mut error) = (dec.decoder(engine).stream(), Vec::new(), None);
    for mut chunk in chunks() {
        while error.is_none() && !chunk.is_empty() {
            match stream.push(chunk, &mut buffer) {
                Ok(fed) => {
                    assert!(fed.read + fed.written > 0);
                    out.extend_from_slice(&buffer[..fed.written]);
                    chunk = &chunk[fed.read..];
                }
                Err(wrong) => error = Some(fault(wrong)),
            }
        }
    }
    match stream.finish(&mut buffer) {
        Ok(ended) => out.extend_from_slice(&buffer[..ended]),
        Err(SliceError::Input(wrong)) => error = Some(fault(wrong)),
        Err(error) => panic!("{error}"),
    }
    assert_eq!((&out, error), (&expected.out, expected.error), "{engine} {dec:?}");
    assert_eq!(stream.first_malformed(), expected.malformed, "{engine} {dec:?}");

    let (mut out, mut encoded) = (b"before".to_vec(), enc.run(input));
    assert_eq!(enc.encoder(engine).encode_buf(Chunks::new(input, splits), &mut out), encoded.len() as u64);
    encoded.splice(..0, *b"before");
    assert_eq!(out, encoded, "{engine} {enc:?}");
    let mut out = Vec::new();
    let result = dec.checked(engine).decode_buf(Chunks::new(input, splits), &mut out).map_err(fault);
    let len = expected.result().map(|out| out.len() as u64);
    assert_eq!(result, len, "{engine} {dec:?}");
    assert!(if len.is_ok() { out == expected.out } else { expected.out.starts_with(&out) }, "{engine} {dec:?}");
});
