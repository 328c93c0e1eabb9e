//! Checks that every engine decodes what one has encoded, and that layers are repeated decoding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{Decoder, Engine, Plus};
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let mut enc = choices.encode();
    enc = Encode { allowed: enc.allowed.without(b'%'), keep: false, ..enc };
    if enc.plus {
        enc.allowed = enc.allowed.without(b'+');
    }
    let max = usize::from(choices.byte() % 8);
    let input = choices.input();
    for from in Engine::available() {
        let encoded = enc.encoder(from).encode(input);
        for to in Engine::available() {
            let decoder = Decoder::new().plus(if enc.plus { Plus::Always } else { Plus::Never }).with_engine(to);
            assert_eq!(decoder.strict().decode(&encoded).as_deref(), Ok(input), "{from} {to} {enc:?}");
            assert_eq!(decoder.decode_vec(encoded.to_vec()), input, "{from} {to} {enc:?}");
        }
        let (mut peeled, mut layers) = (input.to_vec(), 0);
        while layers < max && LENIENT.run(&peeled).out != peeled {
            (peeled, layers) = (LENIENT.run(&peeled).out, layers + 1);
        }
        let got = Decoder::new().with_engine(from).decode_layers(input, max);
        assert_eq!((&got.bytes[..], got.layers), (&peeled[..], layers), "{from}");
    }
});
