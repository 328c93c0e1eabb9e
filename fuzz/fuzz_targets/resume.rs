//! Streams: any splits, any room, all engines, against the oracle on the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{DecodeSliceError, Engine};
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
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
    for engine in Engine::available() {
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
        assert_eq!(out.len() + ended.written, enc.run(input).len(), "{engine} {enc:?}");
        assert!(enc.run(input).starts_with(&out), "{engine} {enc:?}");

        // A latent triplet that stays is written whole.
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
            Ok(ended) => out.extend_from_slice(&buffer[..ended.written]),
            Err(DecodeSliceError::Decode(wrong)) => error = Some(fault(wrong)),
            Err(error) => panic!("{error}"),
        }
        assert_eq!((&out, error), (&expected.out, expected.error), "{engine} {dec:?}");
        assert_eq!(stream.first_malformed(), expected.malformed, "{engine} {dec:?}");
    }
});
