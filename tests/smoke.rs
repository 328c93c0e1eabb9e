//! Smoke.
mod common;
use common::*;
use percent_simd::*;
#[test]
fn smoke() {
    let mut r = Random(42);
    for round in 0..60000 {
        let n = r.below(if round % 10 == 0 { 2000 } else { 300 });
        let input = r.hostile(n);
        let enc = Encode { allowed: r.set(), lower: r.below(2) == 0, plus: r.below(4) == 0, keep: r.below(3) == 0 };
        let plain = r.below(2) == 0;
        let enc = if plain { Encode { plus: false, keep: false, allowed: enc.allowed & ByteSet::ASCII, ..enc } } else { enc };
        let expect = enc.run(&input);
        let dec = Decode {
            strict: r.below(8) == 0, plus_always: r.below(4) == 0, plus_after_query: false,
            keep: if r.below(2) == 0 { r.set() } else { ByteSet::EMPTY }, upper: r.below(2) == 0,
            reject: if r.below(8) == 0 { r.set() & r.set() & r.set() & r.set() & r.set() } else { ByteSet::EMPTY },
        };
        let dec = if plain { Decode { strict: dec.strict, ..LENIENT } } else { dec };
        let want = dec.run(&input);
        for engine in Engine::available() {
            let mut e = RawEncoder::new(enc.allowed).with_engine(engine);
            if enc.lower { e = e.lowercase(); }
            if enc.plus { e = e.space_to_plus(); }
            if enc.keep { e = e.keep_triplets(); }
            let got = e.encode(&input);
            assert!(got == expect, "{engine} {:?}\n{:?}\n{:?}", e, String::from_utf8_lossy(&got), String::from_utf8_lossy(&expect));
            assert_eq!(e.encoded_len(&input), Some(expect.len()));
            let mut room = vec![0; expect.len()];
            assert_eq!(e.encode_slice(&input, &mut room).unwrap(), &expect[..]);
            let mut d = Decoder::new().with_engine(engine);
            if dec.plus_always { d = d.plus(Plus::Always); }
            if !dec.keep.is_empty() { d = if dec.upper { d.keep_upper(dec.keep) } else { d.keep(dec.keep) }; }
            let mut c = d.reject(dec.reject);
            if dec.strict { c = c.strict(); }
            match (c.decode(&input), want.error) {
                (Ok(got), None) => assert!(got == want.out, "{engine} {c:?} {:?}\n{:?}\n{:?}", String::from_utf8_lossy(&input), String::from_utf8_lossy(&got), String::from_utf8_lossy(&want.out)),
                (Err(e), Some((o, k))) => assert_eq!((e.offset, e.kind), (o, k)),
                (got, want) => panic!("{engine} {got:?} {want:?}"),
            }
            let mut place = input.clone();
            match (c.decode_in_place(&mut place), want.error) {
                (Ok(got), None) => assert!(got == want.out),
                (Err(e), Some((o, k))) => assert_eq!((e.offset, e.kind), (o, k)),
                (got, want) => panic!("{engine} {got:?} {want:?}"),
            }
            let w: Result<&str, usize> = core::str::from_utf8(&want.out).map_err(|e| want.from[e.valid_up_to()]);
            if want.error.is_none() {
                assert_eq!(c.decode_utf8(&input).as_deref().map_err(|e| e.offset), w);
            }
            if !dec.strict && dec.reject.is_empty() {
                assert_eq!(d.decode_noting(&input).malformed, want.malformed);
                assert_eq!(d.pieces(&input).collect::<Vec<_>>().concat(), want.out);
            }
        }
    }
}
