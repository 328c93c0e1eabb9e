//! Every engine must decode the output of every other engine, and `decode_layers` must equal repeated decoding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{Decoder, Plus};
use percent_simd_fuzz::*;

fuzz_target!(|data: &[u8]| {
    let (from, data) = engine_of(data);
    let (to, data) = engine_of(data);
    let mut choices = Choices(data);
    let mut enc = choices.encode();
    enc = Encode { allowed: enc.allowed.without(b'%'), keep: false, ..enc };
    if enc.plus {
        enc.allowed = enc.allowed.without(b'+');
    }
    let max = usize::from(choices.byte() % 8);
    let input = choices.input();
    let encoded = enc.encoder(from).encode(input);
    let decoder = Decoder::new().plus(if enc.plus { Plus::Always } else { Plus::Never }).with_engine(to);
    assert_eq!(decoder.strict().decode(&encoded).as_deref(), Ok(input), "{from} {to} {enc:?}");
    let mut decoded = encoded.to_vec();
    decoder.decode_vec(&mut decoded);
    assert_eq!(decoded, input, "{from} {to} {enc:?}");
    let (mut peeled, mut layers) = (input.to_vec(), 0);
    while layers < max && LENIENT.run(&peeled).out != peeled {
        (peeled, layers) = (LENIENT.run(&peeled).out, layers + 1);
    }
    let got = Decoder::new().with_engine(from).decode_layers(input, max);
    assert_eq!((&got.bytes[..], got.layers), (&peeled[..], layers), "{from}");
});
