//! Compares the drop-in replacements with the originals.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd_fuzz::*;

/// Defines the same sets in each crate, in the same order.
macro_rules! sets {
    ($name:ident, $of:ident) => {
        static $name: [$of::AsciiSet; 5] = {
            use $of::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};
            [
                NON_ALPHANUMERIC.add(0),
                CONTROLS.add(0),
                AsciiSet::EMPTY,
                AsciiSet::EMPTY.complement(),
                CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'%'),
            ]
        };
    };
}

sets!(OURS, percent_encoding);
sets!(THEIRS, original_percent_encoding);

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let set = choices.below(OURS.len());
    let (ours, theirs) = (&OURS[set], &THEIRS[set]);
    let skip = choices.below(8);
    let input = choices.input();

    let (mut new, mut old) =
        (percent_encoding::percent_encode(input, ours), original_percent_encoding::percent_encode(input, theirs));
    assert_eq!(new.to_string(), old.to_string());
    for _ in 0..skip {
        assert_eq!(new.next(), old.next());
    }
    assert_eq!(new.size_hint(), old.size_hint());
    assert_eq!(new.clone().collect::<String>(), old.clone().collect::<String>());
    assert!(new.eq(old));

    let (mut new, mut old) =
        (percent_encoding::percent_decode(input), original_percent_encoding::percent_decode(input));
    for _ in 0..skip {
        assert_eq!(new.next(), old.next());
    }
    assert_eq!(new.clone().decode_utf8_lossy(), old.clone().decode_utf8_lossy());
    assert_eq!(new.clone().decode_utf8(), old.clone().decode_utf8());
    assert!(new.eq(old));

    let (new, old) = (form_urlencoded::parse(input), original_form_urlencoded::parse(input));
    assert!(new.eq(old));
    let pairs: Vec<_> = new.into_owned().collect();
    let (mut new, mut old) = (
        form_urlencoded::Serializer::new(String::from("?x")),
        original_form_urlencoded::Serializer::new(String::from("?x")),
    );
    assert_eq!(new.extend_pairs(&pairs).finish(), old.extend_pairs(&pairs).finish());
    let serialized = (form_urlencoded::byte_serialize(input), original_form_urlencoded::byte_serialize(input));
    assert!(serialized.0.eq(serialized.1));
});
