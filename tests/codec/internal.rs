//! Compares the calls of `percent_simd::internal` with the oracle and with plain loops. Other crates of this project use these calls.
#![cfg(feature = "std")]

use crate::common;

use crate::cells::bytes;
use common::{LENIENT, Random, STRICT, cases, encodings, fault, triplet};
use percent_simd::internal::{self, ChangedBytes, Gather, ScannedForm};
use percent_simd::{ByteSet, Decoder, Encoder, Engine, Plus, RawEncoder, sets};

#[test]
fn reports_agree_with_the_oracle() {
    for input in ["", "a", "%41", "a%20b", "a%20b%zz%41", "%4", "abcdefgh%2Fijklmnop%E9", &"%41%4".repeat(40)] {
        for engine in Engine::available() {
            for dec in [LENIENT, STRICT] {
                let (decoder, expected) = (dec.checked(engine), dec.run(input.as_bytes()));
                let mut out = vec![internal::EMPTY_CELL; input.len()];
                let report = internal::decode_uninit_with_report(&decoder, input.as_bytes(), &mut out).unwrap();
                let mut buffer = input.as_bytes().to_vec();
                assert_eq!(internal::decode_in_place_with_report(&decoder, &mut buffer), report, "{engine} {input}");
                assert_eq!(buffer[..report.written], expected.out, "{engine} {input}");
                assert_eq!(report.error.map(fault), expected.error, "{engine} {input}");
                assert_eq!(report.read, expected.error.map_or(input.len(), |(at, _)| at), "{engine} {input}");
                let copied = expected.malformed.filter(|&at| at < report.read);
                assert_eq!(report.first_malformed, copied, "{engine} {input}");

                // The calls for short input may decline an input and return `None`. If they return a result, it must be right.
                let mut buffer = input.as_bytes().to_vec();
                if let Some(len) = internal::decode_short_in_place(&decoder, &mut buffer) {
                    assert_eq!(buffer[..len], expected.out, "{engine} {input}");
                }
                if let Some(decoded) = internal::decode_short_uninit(&decoder, input.as_bytes(), &mut out) {
                    assert_eq!(decoded, (expected.out.len(), expected.malformed), "{engine} {input}");
                    assert_eq!(expected.error, None, "{engine} {input}");
                }
            }
        }
        let encoder = Encoder::new(sets::RFC3986_UNRESERVED);
        for (lowercase, encoder) in [(false, encoder), (true, encoder.lowercase())] {
            let mut out = vec![0; 3 * input.len()];
            let encoded = internal::encode_plain(sets::RFC3986_UNRESERVED, lowercase, input.as_bytes(), &mut out);
            let expected = encoder.encode(input);
            assert_eq!(encoded.map(|len| &out[..len]), Some(expected.as_bytes()), "{input}");
        }
        for dec in [LENIENT, STRICT] {
            let expected = dec.run(input.as_bytes());
            let mut out = vec![0; input.len()];
            let decoded = internal::decode_plain(dec.strict, input.as_bytes(), &mut out).map_err(fault);
            assert_eq!(decoded.map(|len| &out[..len]), expected.result(), "{input}");
        }
    }
    assert_eq!(internal::encode_plain(sets::RFC3986_UNRESERVED, false, b"a/", &mut [0; 3]), None);
}

#[test]
fn short_calls_agree_with_other_calls_or_decline() {
    let lenient = Decoder::new();
    let decoders =
        [lenient, lenient.plus(Plus::Always), lenient.keep(ByteSet::of(b"A/")), lenient.plus(Plus::AfterQuery)];
    let encoder = RawEncoder::new(sets::RFC3986_SEGMENT);
    for input in ["", "+", "a+", "%41", "%41+%2F?+", "a/b+c", "%", "%4", "%zz+", "é%C3%A9", "a/b/c/d/e/f/g/h/i/j/k/l"]
    {
        for room in 0..40 {
            for (number, decoder) in decoders.iter().enumerate() {
                let expected = decoder.decode(input);
                let mut out = [internal::EMPTY_CELL; 40];
                if let Some((len, _)) =
                    internal::decode_short_uninit(&decoder.as_checked(), input.as_bytes(), &mut out[..room])
                {
                    assert_eq!(bytes(&out[..len]), &*expected, "{number} {input}");
                }
                let mut buffer = input.as_bytes().to_vec();
                if let Some(len) = internal::decode_short_in_place(&decoder.as_checked(), &mut buffer) {
                    assert_eq!(buffer[..len], *expected, "{number} {input}");
                }
            }
            let mut out = [internal::EMPTY_CELL; 40];
            if let Some(len) = internal::encode_short_uninit(&encoder, input.as_bytes(), &mut out[..room]) {
                assert_eq!(bytes(&out[..len]), &*encoder.encode(input), "{input}");
            }
        }
    }
}

#[test]
fn members_of_a_set_are_found_in_every_lane() {
    let sets =
        [ByteSet::of(b"="), ByteSet::of(b"&\n"), ByteSet::of(b"\0a"), ByteSet::range(0x7E, 0xC3), !ByteSet::EMPTY];
    for engine in Engine::available() {
        // In these 64 * 256 bytes, each lane has every value once.
        let bytes: Vec<u8> = (0..64 * 256).map(|at| (at / 64 + 131 * (at % 64)) as u8).collect();
        for (set, len) in sets.iter().flat_map(|set| (0..200).chain([bytes.len()]).map(move |len| (set, len))) {
            let input = &bytes[bytes.len() - len..];
            let mut expected = vec![0; len.div_ceil(64)];
            for at in (0..len).filter(|&at| set.contains(input[at])) {
                expected[at / 64] |= 1 << (at % 64);
            }
            expected.push(7);
            let mut masks = vec![7; expected.len()];
            internal::find_members(engine, *set, input, &mut masks);
            assert_eq!(masks, expected, "{engine}, {set:?}, {len}");
            // If there are fewer masks than blocks, only the first blocks are searched.
            let few = masks.len() / 2;
            let mut masks = vec![7; few];
            internal::find_members(engine, *set, input, &mut masks);
            assert_eq!(masks, expected[..few], "{engine}, {set:?}, {len}");
        }
    }
}

#[test]
fn a_change_is_found_at_every_offset() {
    let encoders = [sets::RFC3986_UNRESERVED, sets::RFC3986_PATH].map(Encoder::new);
    let decoders = [Plus::Never, Plus::Always].map(|plus| Decoder::new().plus(plus));
    for engine in Engine::available() {
        let check = |input: &[u8]| {
            for encoder in encoders.map(|encoder| encoder.with_engine(engine)) {
                let expected = encoder.encode(input).as_bytes() == input;
                assert_eq!(internal::encodes_to_itself(&encoder, input), expected, "{engine} {input:?}");
            }
            for (decoder, changing) in
                decoders.map(|decoder| decoder.with_engine(engine).as_checked()).iter().zip(["%", "%+"])
            {
                let expected = !input.iter().any(|byte| changing.as_bytes().contains(byte));
                assert_eq!(internal::decodes_to_itself(decoder, input), expected, "{engine} {input:?}");
            }
        };
        for len in (0..200).chain([256, 257, 400]) {
            let mut input: Vec<u8> = b"a-Z_0".iter().copied().cycle().take(len).collect();
            check(&input);
            for at in 0..len {
                let old = input[at];
                for byte in *b"%+/ \0\xA5\xE9" {
                    input[at] = byte;
                    check(&input);
                }
                input[at] = old;
            }
        }
    }
    // A set of bytes can't express the two options below. So with these options, `encodes_to_itself` may return `false`
    // even if encoding changes no byte.
    for input in ["", "a b", "%41", &"a b".repeat(30), &"%41".repeat(30)] {
        for encoder in encoders.map(|encoder| encoder.keep_triplets().space_to_plus()) {
            let is_clean = internal::encodes_to_itself(&encoder, input.as_bytes());
            assert!(!is_clean || encoder.encode(input) == input, "{input}");
        }
    }
}

/// Asserts that a scanned block agrees with a plain loop over `input`.
fn check_form(engine: &'static Engine, input: &[u8], separator: u8) {
    let mut scanned = ScannedForm::default();
    scanned.scan(Some(engine), input, separator);
    let src = &input[..input.len().min(ScannedForm::LEN)];
    assert_eq!(scanned.src(), src);
    let lanes = |is: &dyn Fn(u8) -> bool| (0..src.len()).filter(|&at| is(src[at])).fold(0, |mask, at| mask | 1 << at);
    assert_eq!(scanned.separators(), lanes(&|byte| byte == b'&' || byte == separator), "{engine} {input:?}");
    assert_eq!(scanned.equals(), lanes(&|byte| byte == b'='), "{engine} {input:?}");
    // The end of the block can cut off the last name or value, so we compare only names and values that end at a
    // delimiter.
    let is_delimiter = |byte: u8| byte == b'&' || byte == separator || byte == b'=';
    let mut start = 0;
    for end in (0..src.len()).filter(|&at| is_delimiter(src[at])) {
        let (part, raw) = (start..end, &src[start..end]);
        let expected = Decoder::new().plus(Plus::Always).decode(raw);
        let is_malformed = (0..raw.len()).any(|at| raw[at] == b'%' && triplet(&raw[at..]).is_none());
        assert_eq!(scanned.is_malformed(&part), is_malformed, "{engine} {input:?} {part:?}");
        assert_eq!(scanned.changes(&part), *expected != *raw, "{engine} {input:?} {part:?}");
        assert_eq!(scanned.undecoded_text(&part), str::from_utf8(raw).ok(), "{engine} {input:?} {part:?}");
        if scanned.changes(&part) {
            assert_eq!(scanned.decoded(&part), &*expected, "{engine} {input:?} {part:?}");
            assert_eq!(scanned.decoded_text(&part), str::from_utf8(&expected).ok(), "{engine} {input:?} {part:?}");
        }
        let plain = (raw.is_ascii() && *expected == *raw).then(|| (str::from_utf8(raw).unwrap(), ""));
        assert_eq!(scanned.borrowed_ascii(start, end, end), plain, "{engine} {input:?} {part:?}");
        start = end + 1;
    }
}

#[test]
fn scanned_forms_agree_with_a_plain_loop() {
    const PIECES: &[&str] = &["a", "&", ";", "=", "+", "%41", "%zz", "%4", "%", "%C3%A9", "\u{e9}", "%FF", "word"];
    let mut random = Random::seeded(36);
    for engine in Engine::available() {
        for separator in [b'&', b';'] {
            // Put each piece into each lane.
            for lane in 0..ScannedForm::LEN {
                for piece in PIECES {
                    let input = ["x".repeat(lane).as_str(), piece, "&y=z&", &"w".repeat(70)].concat();
                    check_form(engine, input.as_bytes(), separator);
                }
            }
            for _ in 0..cases(2000) {
                check_form(engine, random.text(PIECES, 40).as_bytes(), separator);
            }
        }
    }
}

#[test]
fn utf16_becomes_utf8_up_to_a_surrogate() {
    let mut random = Random::seeded(16);
    for engine in Engine::available() {
        for case in 0..cases(3000) {
            let mut units: Vec<u16> = (0..random.below(200))
                .map(|_| *random.pick(&[0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0x4E00, 0xD7FF, 0xE000, u16::MAX]))
                .collect();
            if case % 3 == 0 && !units.is_empty() {
                let at = random.below(units.len());
                units[at] = *random.pick(&[0xD800, 0xDBFF, 0xDC00, 0xDFFF]);
            }
            let mut out = vec![0xA5; random.below(3 * units.len() + 70)];
            let (read, written) = internal::utf16_front(Some(engine), &units, &mut out);
            let text = String::from_utf16(&units[..read]).expect("it stops before a surrogate");
            assert_eq!(text.as_bytes(), &out[..written], "{engine} {units:04X?}");
            // With enough room, vector engines stop less than a block before a surrogate. The scalar engine converts nothing.
            let surrogate = units.iter().position(|unit| unit & 0xF800 == 0xD800).unwrap_or(units.len());
            let has_room = out.len() >= 3 * units.len() + 64;
            assert!(read + 64 > surrogate || !has_room || engine.name() == "scalar", "{engine} {read} {units:04X?}");
        }
    }
}

/// The kernel combines all units of a block by OR. If the result is below 0x80, the block is ASCII. Here the result is
/// exactly 0x80.
#[test]
fn a_unit_of_80_among_zeros_is_not_ascii() {
    for engine in Engine::available() {
        for at in 0..64 {
            let mut units = [0; 64];
            units[at] = 0x80;
            let mut out = [0xA5; 256];
            let (read, written) = internal::utf16_front(Some(engine), &units, &mut out);
            let expected = if engine.name() == "scalar" { 0 } else { 64 };
            assert_eq!(read, expected, "{engine} {at}"); // the scalar engine converts no units
            assert_eq!(String::from_utf16(&units[..read]).unwrap().as_bytes(), &out[..written], "{engine} {at}");
        }
    }
}

#[test]
fn gathered_parts_are_encoded_and_delimiters_stay() {
    let mut random = Random::seeded(8);
    for engine in Engine::available() {
        for encode in encodings().into_iter().filter(|encode| encode.is_ascii() && !encode.keep) {
            let encoder = encode.encoder(engine).to_ascii();
            let mut gather = Gather::<2>::default();
            for _ in 0..cases(300) {
                let mut expected = String::new();
                for _ in 0..random.below(8) {
                    let len = random.below(24);
                    let part = random.hostile(len);
                    if part.len() + 1 > gather.space() {
                        break;
                    }
                    gather.push(&part);
                    gather.push_delimiter(b'&');
                    encoder.encode_into(&part, &mut expected);
                    expected.push('&');
                }
                gather.encode(internal::ascii(&encoder), |text| assert_eq!(text, expected, "{engine} {encode:?}"));
                assert_eq!(gather.space(), 2 * 64);
            }
        }
    }
}

#[test]
fn input_offset_maps_output_to_input() {
    let mut random = Random::seeded(4);
    for engine in Engine::available() {
        for _ in 0..cases(200) {
            let input = random.hostile(90);
            let decoder = LENIENT.checked(engine);
            let decoded = Decoder::new().decode(&input).into_owned();
            for at in 0..decoded.len() {
                let offset = internal::input_offset(&decoder, &input, at);
                let front = Decoder::new().decode(&input[..offset]).into_owned();
                assert_eq!((front.len(), &decoded[..at]), (at, &front[..]), "{engine} {input:?}");
            }
        }
    }
}

#[test]
fn changed_bytes_are_those_that_encoding_changes() {
    let mut random = Random::seeded(2);
    for engine in Engine::available() {
        for encode in encodings() {
            for _ in 0..cases(50) {
                let input = random.hostile(300);
                let encoder = encode.encoder(engine);
                let found: Vec<_> = ChangedBytes::new(&encoder, &input).collect();
                let mut expected = Vec::new();
                let mut from = 0;
                while let Some(at) = encode.first_changed(&input[from..]) {
                    expected.push(from + at);
                    from += at + 1;
                }
                assert_eq!(found, expected, "{engine} {encode:?} {input:?}");
            }
        }
    }
}

#[test]
fn utf8_checks_agree_with_the_standard_library() {
    let mut random = Random::seeded(1);
    for _ in 0..cases(3000) {
        let bytes = random.hostile(100);
        assert_eq!(internal::text(&bytes), str::from_utf8(&bytes).ok());
        let complete = internal::complete_utf8_len(&bytes);
        let is_cut = str::from_utf8(&bytes).is_err_and(|error| error.error_len().is_none());
        assert!(complete <= bytes.len() && bytes.len() - complete < 4);
        if let Err(error) = str::from_utf8(&bytes)
            && is_cut
        {
            assert_eq!(complete, error.valid_up_to());
        }
    }
    for capacity in [0, 1, 100] {
        assert_eq!(internal::try_vec::<u16>(capacity).map(|vec| vec.capacity()), Some(capacity));
    }
    assert_eq!(internal::try_vec::<u16>(usize::MAX / 2), None);
}
