//! The shape of the API: accepted arguments, implemented traits, and the texts of errors.
#![cfg(feature = "std")]

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use percent_simd::internal::PlusState;
use percent_simd::{BatchError, ByteSet, CheckedDecoder, Decoder, Encoder, Plus, RawEncoder, internal, sets};
use percent_simd_oracle::Append;

const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);

#[test]
fn every_kind_of_text_and_bytes_is_an_input() {
    let text = "a b";
    let mut array = *b"a b";
    assert_eq!(SEGMENT.encode(text), "a%20b");
    assert_eq!(SEGMENT.encode(&text), "a%20b");
    assert_eq!(SEGMENT.encode(&&text), "a%20b");
    assert_eq!(SEGMENT.encode(&String::from(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Cow::Borrowed(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Cow::<str>::Owned(text.into())), "a%20b");
    assert_eq!(SEGMENT.encode(&Box::<str>::from(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Rc::<str>::from(text)), "a%20b");
    assert_eq!(SEGMENT.encode(&Arc::<String>::from(String::from(text))), "a%20b");
    assert_eq!(SEGMENT.encode(b"a b"), "a%20b");
    assert_eq!(SEGMENT.encode(&b"a b"[..]), "a%20b");
    assert_eq!(SEGMENT.encode(&array), "a%20b");
    assert_eq!(SEGMENT.encode(&&mut array), "a%20b");
    assert_eq!(SEGMENT.encode(&text.as_bytes().to_vec()), "a%20b");
    assert_eq!(SEGMENT.encode(&Cow::<[u8]>::Borrowed(b"a b")), "a%20b");
    assert_eq!(SEGMENT.encode(&Box::<[u8]>::from(*b"a b")), "a%20b");
    assert_eq!(SEGMENT.encode(&[]), "");
    assert_eq!(Decoder::new().decode_utf8(&Cow::Borrowed("100% %41")).unwrap(), "100% A");
}

#[test]
fn strings_of_the_system_are_inputs() {
    assert_eq!(SEGMENT.encode(&*'é'.encode_utf8(&mut [0; 4])), "%C3%A9");
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        use std::path::Path;
        let name = OsStr::from_bytes(b"a/\xFF");
        assert_eq!(SEGMENT.encode(name), "a%2F%FF");
        assert_eq!(SEGMENT.encode(Path::new(name)), "a%2F%FF");
        assert_eq!(SEGMENT.encode(&Path::new(name).to_path_buf()), "a%2F%FF");
        assert_eq!(SEGMENT.encode(&name.to_os_string()), "a%2F%FF");
        assert_eq!(SEGMENT.encode(&Cow::Borrowed(name)), "a%2F%FF");
        assert!(Decoder::new().decode_utf8(OsStr::from_bytes(b"a\xFF")).is_err());
    }
}

#[test]
#[cfg(feature = "std")]
fn errors_convert_to_io_errors() {
    use percent_simd::{DecodeError, OutputTooSmall, ParseByteSetError, SliceError};
    use std::io::{self, ErrorKind};
    fn inside<E: std::error::Error + Send + Sync + 'static>(error: io::Error) -> (ErrorKind, bool) {
        (error.kind(), error.get_ref().is_some_and(|inner| inner.is::<E>()))
    }
    let decode = Decoder::new().strict().check("%").unwrap_err();
    let small = OutputTooSmall::new(3);
    assert_eq!(inside::<DecodeError>(decode.into()), (ErrorKind::InvalidData, true));
    assert_eq!(inside::<DecodeError>(SliceError::from(decode).into()), (ErrorKind::InvalidData, true));
    assert_eq!(inside::<OutputTooSmall>(small.into()), (ErrorKind::WriteZero, true));
    assert_eq!(inside::<OutputTooSmall>(SliceError::<DecodeError>::from(small).into()), (ErrorKind::WriteZero, true));
    let set = "z-a".parse::<ByteSet>().unwrap_err();
    assert_eq!(inside::<ParseByteSetError>(set.into()), (ErrorKind::InvalidInput, true));
    let row = BatchError::Row { row: 1, error: decode };
    assert_eq!(inside::<BatchError>(row.into()), (ErrorKind::InvalidData, true));
    assert_eq!(inside::<BatchError>(BatchError::Validity.into()), (ErrorKind::InvalidInput, true));
    let memory = Vec::<u8>::new().try_reserve(usize::MAX).unwrap_err();
    assert_eq!(inside::<BatchError>(BatchError::Memory(memory).into()), (ErrorKind::OutOfMemory, false));
    // `?` must convert both errors of `try_decode`. One means that memory ran out, the other that the input is
    // malformed.
    fn decoded(text: &str) -> io::Result<usize> {
        Ok(Decoder::new().strict().try_decode(text)??.len())
    }
    assert_eq!(decoded("%41").unwrap(), 1);
    assert_eq!(decoded("%").unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn appending_calls_return_the_appended_length() {
    let (mut text, mut bytes) = (String::from("é"), b"b".to_vec());
    assert_eq!(SEGMENT.encode_into("a b", &mut text), 5);
    assert_eq!(SEGMENT.try_encode_into("c/", &mut text), Ok(4));
    assert_eq!(SEGMENT.encode_into_vec("a b", &mut bytes), 5);
    assert_eq!(SEGMENT.raw().encode_into("a b", &mut bytes), 5);
    assert_eq!((&text[..], &bytes[..]), ("éa%20bc%2F", &b"ba%20ba%20b"[..]));
}

#[test]
fn calls_map_over_iterators() {
    // The references in `words` live longer than the closure, so an encoded word can borrow from its input.
    let words = ["a b", "c"];
    let encoded: Vec<Cow<'static, str>> = words.into_iter().map(|word| SEGMENT.encode(word)).collect();
    assert_eq!(encoded, ["a%20b", "c"]);
    assert!(matches!(encoded[1], Cow::Borrowed("c")));
    let owned: Vec<String> = words.map(String::from).to_vec();
    let encoded: Vec<Cow<str>> = owned.iter().map(|word| SEGMENT.encode(word)).collect();
    let decoded: Vec<Cow<[u8]>> = encoded.iter().map(|word| Decoder::new().decode(word)).collect();
    assert_eq!(decoded, [&b"a b"[..], b"c"]);
}

#[test]
fn decode_valid_utf8_keeps_escapes_that_are_not_utf8() {
    let decoder = Decoder::new();
    for (input, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("%41", "A"),
        ("%C3%A9", "é"),
        ("%c3", "%c3"),
        ("%c3%41", "%c3A"),
        ("%C3é", "%C3é"),
        ("%F0%9F%92%A9%f0%9f%92", "💩%f0%9f%92"),
        ("%FF%fe%zz%", "%FF%fe%zz%"),
        ("a%E2%82b%80%41", "a%E2%82b%80A"),
        ("+%FF?+", "+%FF?+"),
    ] {
        assert_eq!(decoder.decode_valid_utf8(input), expected, "{input}");
        if !input.contains("%z") {
            assert_eq!(decoder.strict().decode_valid_utf8(input).unwrap(), expected, "{input}");
        }
    }
    assert_eq!(decoder.plus(Plus::AfterQuery).decode_valid_utf8("+%FF?+%ff"), "+%FF? %ff");
    assert_eq!(decoder.decode_valid_utf8(b"%41\xC3\xA9\xFF%FF\xC3"), "Aé%FF%FF%C3");
    assert_eq!(decoder.keep_upper(ByteSet::of(b"/")).decode_valid_utf8("%2f%ff%2F"), "%2F%ff%2F");
    assert_eq!(decoder.strict().decode_valid_utf8("%FF%zz").unwrap_err().offset, 3);
    assert!(matches!(decoder.decode_valid_utf8("é"), Cow::Borrowed("é")));

    // A long input with many faults is decoded in linear time, and the result is right.
    let input = "%C3%A9%E2%82%FFraw é+".repeat(20_000);
    assert!(decoder.decode_valid_utf8(&input) == "é%E2%82%FFraw é+".repeat(20_000));
}

#[test]
fn a_failed_decoding_in_place_changes_nothing() {
    let strict = Decoder::new().strict();
    for n in [0, 1, 5000, 10_000] {
        let front = "%C3%A9b%20".repeat(n);
        for (end, offset) in [("%FF", 0), ("%4", 0), ("%C3", 0), ("a%C3b", 1)] {
            let input = format!("{front}{end}");
            let mut text = input.clone();
            let error = strict.decode_string(&mut text).unwrap_err();
            assert_eq!(error.offset, front.len() + offset, "{end}");
            assert!(text == input);
        }
        let mut text = format!("{front}%C3%A9");
        let capacity = text.capacity();
        strict.decode_string(&mut text).unwrap();
        assert!(text == "éb ".repeat(n) + "é" && text.capacity() == capacity);
        let mut broken = format!("{front}%").into_bytes();
        assert!(strict.decode_vec(&mut broken).is_err() && broken == format!("{front}%").into_bytes());
    }
}

#[test]
fn decoders_compare_hash_and_show_what_they_do() {
    let decoder = Decoder::new().plus(Plus::Always).keep(ByteSet::of(b"/"));
    assert_eq!(decoder, Decoder::new().keep(ByteSet::of(b"/")).plus(Plus::Always));
    assert_ne!(decoder, Decoder::new().keep_upper(ByteSet::of(b"/")).plus(Plus::Always));
    assert_ne!(decoder.strict(), decoder.as_checked());
    assert_eq!(CheckedDecoder::from(&decoder), decoder.as_checked());
    assert_eq!(HashSet::from([decoder.strict(), decoder.strict(), decoder.as_checked()]).len(), 2);
    assert_eq!(format!("{:?}", Decoder::new()), "Decoder");
    let shown = format!("{:?}", decoder.strict().reject(ByteSet::of(b"\0")));
    assert_eq!(shown, r"CheckedDecoder { plus: Always, strict: true, keep: ByteSet(/), reject: ByteSet(\x00) }");
}

#[cfg(feature = "bytes")]
#[test]
fn chunks_of_a_buf_end_anywhere() {
    use bytes::{Buf, BufMut, Bytes, BytesMut};

    let inputs = ["/a b%C3%A9+?é+%", "%%32%46", "%4", "", &"%C3%A9 /".repeat(3000)];
    let decoder = Decoder::new().plus(Plus::AfterQuery).keep(ByteSet::of(b"%"));
    for input in inputs {
        let step = input.len().div_ceil(20).max(1);
        for cut in (0..=input.len()).step_by(step) {
            let buf = || Bytes::copy_from_slice(&input.as_bytes()[..cut]).chain(&input.as_bytes()[cut..]);
            let (mut out, mut vec) = (BytesMut::new(), Vec::new());
            assert_eq!(decoder.decode_buf(buf(), &mut out), decoder.decoded_len(input) as u64);
            assert_eq!(out, decoder.decode(input)[..], "{cut}");
            assert_eq!(SEGMENT.encode_buf(buf(), &mut vec), SEGMENT.encoded_len(input).unwrap() as u64);
            // At the end, the encoder holds back `%4`, because more input could complete the triplet. The returned
            // length must count the output of these bytes too.
            let mut kept = Vec::new();
            let counted = SEGMENT.keep_triplets().encode_buf(buf().chain(&b"%4"[..]), &mut kept);
            assert_eq!(counted, kept.len() as u64);
            assert!(kept.ends_with(b"%254"));
            assert_eq!(vec, SEGMENT.encode(input).as_bytes(), "{cut}");
            let strict = decoder.strict().decode_buf(buf(), &mut vec);
            assert_eq!(strict, decoder.strict().decode(input).map(|decoded| decoded.len() as u64), "{cut}");
        }
    }
    // Decoding from `&mut Bytes` consumes all its bytes. The destination can be a trait object. The input can be `Bytes`.
    let (mut source, mut out) = (Bytes::from("%41b"), [0; 4]);
    let mut place: &mut [u8] = &mut out;
    let dynamic: &mut dyn BufMut = &mut place;
    assert_eq!(decoder.decode_buf(&mut source, dynamic), 2);
    assert!(!source.has_remaining() && out == *b"Ab\0\0");
    assert_eq!(SEGMENT.encode(&Bytes::from("a/b")), "a%2Fb");
    assert_eq!(Decoder::new().decode(&BytesMut::from("%41")), &b"A"[..]);
}

#[test]
fn plus_state_decodes_parts_like_the_whole() {
    let input = b"a+b?c+d?e+";
    for plus in [Plus::Never, Plus::Always, Plus::AfterQuery] {
        let whole = Decoder::new().plus(plus).decode(input);
        for cut in 0..=input.len() {
            let mut state = PlusState::new(plus);
            let parts = <[&[u8]; 2]>::from(input.split_at(cut));
            let parts = parts.map(|part| Decoder::new().plus(state.plus_for(part)).decode(part));
            assert_eq!(parts.concat(), *whole, "{plus:?} {cut}");
        }
    }
}

#[test]
fn errors_are_for_whoever_sent_the_request() {
    let strict = Decoder::new().strict().reject(ByteSet::of(b"\0"));
    for (input, text, kind) in [
        ("%4", "the input ends inside the escape at byte 0", "the input ends inside an escape"),
        (
            "a%zz",
            "the `%` at byte 1 is not followed by two hexadecimal digits",
            "a `%` is not followed by two hexadecimal digits",
        ),
        (
            "%00",
            "the escape at byte 0 decodes to the byte 0x00, which is rejected",
            "an escape decodes to the byte 0x00, which is rejected",
        ),
        ("ab%", "the input ends inside the escape at byte 2", "the input ends inside an escape"),
        ("%FF", "the decoded text is not UTF-8 from byte 0 of the input on", "the decoded text is not UTF-8"),
    ] {
        let error = strict.decode_utf8(input).unwrap_err();
        assert_eq!((error.to_string(), error.kind.to_string()), (text.to_string(), kind.to_string()));
        assert_eq!(percent_simd::SliceError::from(error).to_string(), text);
        let error = std::io::Error::from(error);
        assert_eq!((error.kind(), error.to_string()), (std::io::ErrorKind::InvalidData, text.to_string()));
    }
}

#[test]
fn sets_are_read_as_they_are_written() {
    let mut set = ByteSet::EMPTY;
    let mut step = 1u64;
    for round in 0..5000u64 {
        // Each step adds or removes a byte or a short range, so the sets get dense and sparse, with and without `-`, `\` and space.
        step = step.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let byte = (step >> 33) as u8;
        let turned = ByteSet::range(byte, if round % 3 == 0 { byte.saturating_add(5) } else { byte });
        set = (set | turned) - (set & turned);
        let text = set.to_string();
        assert!(text.is_ascii() && !text.contains(' '));
        assert_eq!(text.parse(), Ok(set), "{text}");
        assert_eq!(format!("{set:?}"), format!("ByteSet({text})"));
    }
    for (text, expected) in [
        ("", ByteSet::EMPTY),
        ("-", ByteSet::of(b"-")),
        ("a-", ByteSet::of(b"a-")),
        ("a-a", ByteSet::of(b"a")),
        ("--/", ByteSet::range(b'-', b'/')),
        (r"+-\-", ByteSet::range(b'+', b'-')),
        (r"\xfF\x00-\x02", ByteSet::of(b"\xFF\0\x01\x02")),
        ("z a-c a", ByteSet::of(b"abcz ")),
        ("é", ByteSet::of("é".as_bytes())),
        ("-é-", ByteSet::of("é-".as_bytes())),
    ] {
        assert_eq!(text.parse(), Ok(expected), "{text}");
    }
    for (text, offset) in [
        ("a--", 2),
        (r"\", 0),
        (r"a\y", 1),
        (r"\x4", 0),
        (r"\x+1", 0),
        (r"\xg0", 0),
        (r"\x0g", 0),
        ("z-a", 0),
        ("é-z", 2),
        ("a-é", 0),
    ] {
        let error = text.parse::<ByteSet>().unwrap_err();
        assert_eq!(error.offset, offset, "{text}");
        assert!(error.to_string().contains(&format!("byte {offset}")));
    }
}

#[test]
fn sets_have_the_operations_of_sets() {
    let (ab, bc) = (ByteSet::of(b"ab"), ByteSet::of(b"bc"));
    assert_eq!(ab | bc, ByteSet::of(b"abc"));
    assert_eq!(ab & bc, ByteSet::of(b"b"));
    assert_eq!(bc - ab, ByteSet::of(b"c"));
    assert_eq!(ByteSet::from_fn(|byte| byte == b'a' || byte == b'b'), ab);
}

#[test]
fn encoders_compare_hash_and_show_what_they_do() {
    let encoder = Encoder::new(ByteSet::of(b"ab"));
    assert_eq!(format!("{encoder:?}"), "Encoder { allowed: ByteSet(ab) }");
    let shown = format!("{:?}", encoder.lowercase().space_to_plus().keep_triplets());
    assert_eq!(shown, "Encoder { allowed: ByteSet(ab), lowercase: true, space_to_plus: true, keep_triplets: true }");
    assert_eq!(HashSet::from([encoder, Encoder::new(ByteSet::of(b"ba")), encoder.lowercase()]).len(), 2);
    assert_eq!(encoder.raw().to_ascii(), encoder);
}

#[test]
fn batches_continue_matching_offsets_and_refuse_others() {
    let decoder = Decoder::new();
    let (mut out, mut ends) = (Vec::new(), Vec::<i32>::new());
    decoder.batch().append(b"%41b", &[0, 3, 4], &mut out, &mut ends).unwrap();
    decoder.batch().append(b"%43", &[0, 3], &mut out, &mut ends).unwrap();
    assert_eq!((&out[..], &ends[..]), (&b"AbC"[..], &[0, 1, 2, 3][..]));
    out.push(b'!');
    assert_eq!(decoder.batch().append(b"%43", &[0, 3], &mut out, &mut ends), Err(BatchError::Output));
    assert_eq!(SEGMENT.batch().append(b"a", &[0, 1], &mut out, &mut ends), Err(BatchError::Output));
    assert_eq!((&out[..], &ends[..]), (&b"AbC!"[..], &[0, 1, 2, 3][..]), "as they were");
}

#[test]
fn every_error_names_the_fault_and_its_place() {
    use percent_simd::{DecodeErrorKind, OutputTooSmall};
    let too_much = Vec::<u8>::new().try_reserve(usize::MAX).unwrap_err();
    let texts = [
        BatchError::Key(3).to_string(),
        BatchError::Validity.to_string(),
        BatchError::Output.to_string(),
        BatchError::TooLong(4).to_string(),
        DecodeErrorKind::InvalidInCharset.to_string(),
        percent_simd::DecodeError::new(5, DecodeErrorKind::NotHex).to_string(),
        OutputTooSmall::new(6).to_string(),
        BatchError::Memory(too_much).to_string(),
    ];
    let parts = [
        "key 3 is negative",
        "the bitmap of the input ends before its rows do",
        "do not end where the output ends",
        "up to row 4 is too long",
        "expected charset",
        "`%` at byte 5 is not followed by two hexadecimal digits",
        "6",
        "memory allocation failed",
    ];
    assert_eq!(texts.len(), parts.len());
    for (text, part) in texts.iter().zip(parts) {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn try_calls_return_the_same_as_panicking_calls() {
    let (lenient, strict) = (Decoder::new(), Decoder::new().strict());
    for input in ["", "a", "%C3%A9", "%E9", "%zz", &"%C3%A9 ".repeat(30), &"a%E9".repeat(30)] {
        let text = lenient.decode_utf8(input);
        assert_eq!(lenient.as_checked().try_decode_utf8(input), Ok(text), "{input}");
        assert_eq!(strict.try_decode_utf8(input), Ok(strict.decode_utf8(input)), "{input}");
    }
}

#[test]
fn suspended_encode_streams_continue() {
    let input = "a b%4";
    let encoder = SEGMENT.keep_triplets();
    let mut state = internal::EncodeStreamState::default();
    let (mut text, mut out) = (Vec::new(), [0; 9]);
    for byte in input.as_bytes().chunks(1) {
        let mut stream = internal::resume_encoding(encoder.raw(), state);
        let progress = stream.push(byte, &mut out);
        text.extend_from_slice(&out[..progress.written]);
        state = internal::suspend_encoding(&stream);
    }
    let ended = internal::resume_encoding(encoder.raw(), state).finish(&mut out).unwrap();
    text.extend_from_slice(&out[..ended]);
    assert_eq!(text, b"a%20b%254");

    let mut plus = PlusState::new(Plus::AfterQuery);
    let parts = ["a+", "b?c+", "d+"].map(|part| plus.plus_for(part.as_bytes()));
    assert_eq!(parts, [Plus::Never, Plus::AfterQuery, Plus::Always]);
}

#[test]
fn debug_shows_options_that_are_not_the_default() {
    use percent_simd::{Engine, RawEncoder};
    let engine = Engine::by_name("scalar").unwrap();
    let encoder = RawEncoder::new(ByteSet::EMPTY).lowercase().space_to_plus().keep_triplets().with_engine(engine);
    let shown = format!("{encoder:?}");
    for part in ["RawEncoder", "lowercase", "space_to_plus", "keep_triplets", "scalar"] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(format!("{:?}", Decoder::new().with_engine(engine)).contains("scalar"));
}

#[test]
fn decode_layers_ends_at_kept_triplets_in_upper_case() {
    let decoder = Decoder::new().keep_upper(ByteSet::of(b"/"));
    let layers = decoder.decode_layers("a%252fb%2fc%25252f", 9);
    assert_eq!((&*layers.bytes, layers.layers), (&b"a%2Fb%2Fc%2F"[..], 3));
}

#[test]
fn cleared_columns_can_be_filled_again() {
    use percent_simd::batch::{Column, Rows};
    let mut column = Column::<i32>::default();
    Decoder::new().batch().run(Rows::new(b"%41b", &[0, 3, 4]), &mut column).unwrap();
    assert!(column.rows().eq([Some(&b"A"[..]), Some(b"b")]));
    column.clear();
    assert_eq!(column.rows().count(), 0);
    Decoder::new().batch().run(Rows::new(b"%42", &[0, 3]), &mut column).unwrap();
    assert!(column.rows().eq([Some(&b"B"[..])]));
}

#[test]
fn suspended_decode_streams_continue() {
    let (decoder, input) = (Decoder::new(), "%zz%E2%82%AC%4%41b");
    for cut in 0..=input.len() {
        let (mut out, mut first) = ([0; 64], decoder.stream());
        let written = first.push(&input.as_bytes()[..cut], &mut out).unwrap().written;
        let mut second = internal::resume_decoding(&decoder.as_checked(), internal::suspend_decoding(&first));
        let more = second.push(&input.as_bytes()[cut..], &mut out[written..]).unwrap().written;
        assert_eq!(&out[..written + more], "%zz€%4Ab".as_bytes(), "{cut}");
        assert_eq!(second.first_malformed(), Some(0), "{cut}");
    }
}

#[test]
fn decided_len_ends_before_a_possible_triplet() {
    let decoder = Decoder::new();
    for (input, len) in
        [("", 0), ("a", 1), ("%", 0), ("a%", 1), ("a%4", 1), ("a%4z", 4), ("%41", 3), ("%4%", 2), ("%%%", 2)]
    {
        assert_eq!(decoder.settled_prefix_len(input), len, "{input}");
    }
}

#[test]
fn different_options_have_different_hashes() {
    use std::hash::{DefaultHasher, Hash, Hasher};
    fn hash(value: &impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish()
    }
    let decoder = Decoder::new();
    assert_ne!(hash(&decoder), hash(&decoder.keep(ByteSet::of(b"/"))));
    let [path, query] = [sets::RFC3986_PATH, sets::RFC3986_QUERY].map(Encoder::new);
    assert_ne!(hash(&path), hash(&query));
}

/// If only some bytes of a character above ASCII are escaped, the rest is not UTF-8. So `encode_str` escapes all bytes of the
/// character.
#[test]
fn text_stays_utf8_if_one_high_byte_is_not_in_the_set() {
    for missing in 0x80..=0xBF {
        let encoder = RawEncoder::new(ByteSet::range(0x80, 0xFF).without(missing).with(b'a'));
        let text = std::str::from_utf8(&[0xD0, missing, b'a']).unwrap().to_owned();
        assert_eq!(encoder.encode_str(&text), format!("%D0%{missing:02X}a"));
    }
}
