//! Tests columns of bytes, of text and of views, with nulls. Compares each row with the oracle, on every engine.

use crate::common;

use common::*;
use percent_simd::batch::{Bitmap, Column, NotUtf8, Rows};
use percent_simd::internal::Views;
use percent_simd::{BatchError, ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Engine, Plus, internal};

#[test]
fn columns_equal_row_after_row() {
    fn property(seed: u64) {
        let mut random = Random(seed | 1);
        let columns = Columns::random(&mut random);
        let (enc, dec) = (random.encode(), random.decode());
        columns.check(enc, dec, random.one_in(2));
    }
    check(600, property as fn(u64));
}

/// Rows that aren't UTF-8 or have a malformed `%`, alone and next to each other, under every policy.
#[test]
fn faulty_rows_change_no_other_row() {
    const GOOD: [&str; 5] = ["/search?q=caf%C3%A9%20au%20lait", "clean", "", "\u{442}%D0%B5%D1%81\u{442}", "a+b%2Bc"];
    const FAULTY: [&[u8]; 7] = [
        b"/search?q=caf%E9%20au%20lait&page=2",
        b"100%zz%41",
        b"ends inside a character: %C3",
        b"%A9 begins inside one",
        b"\xE9 is not escaped, and %e9%2f is",
        b"ends with %4",
        b"%E2%82 %41%4g %F0%9F%92",
    ];
    for first in 0..FAULTY.len() {
        for apart in [1 + first % 3, 100 + 250 * (first % 2)] {
            let row = |number: usize| match number % apart {
                0 => FAULTY[(first + number / apart / 3) % FAULTY.len()].to_vec(),
                _ => GOOD[number % GOOD.len()].as_bytes().to_vec(),
            };
            let columns = Columns { rows: (0..1100).map(row).collect(), validity: None };
            let reject = if first == 0 { ByteSet::of(b"A") } else { ByteSet::EMPTY };
            let decode = Decode { strict: first % 2 == 0, plus_always: first == 2, reject, ..LENIENT };
            columns.check(Encode::new(ByteSet::ASCII), decode, first == 1);
        }
    }
}

/// Characters whose bytes are in several rows, around the end of a block of 64 bytes. The whole column may be UTF-8 although
/// no row is.
#[test]
fn no_character_is_in_several_rows() {
    const TINY: [(&str, &[u8]); 8] = [
        ("", b""),
        ("a", b"a"),
        ("%C3", b"\xC3"),
        ("%A9", b"\xA9"),
        ("%F0", b"\xF0"),
        ("%F0%9F", b"\xF0\x9F"),
        ("%98%80", b"\x98\x80"),
        ("%E2%82%AC", b"\xE2\x82\xAC"),
    ];
    for engine in Engine::available() {
        let batch = Decoder::new().with_engine(engine).batch().text(NotUtf8::Error).errors_to_null();
        for (padding, four) in (62..=64).flat_map(|padding| (0..8_usize.pow(4)).map(move |four| (padding, four))) {
            let mut values = "-".repeat(padding);
            let mut offsets = vec![0, padding];
            let mut expected = vec![Some(values.as_bytes().to_vec())];
            for (escaped, row) in (0..4).map(|digit| TINY[four >> (3 * digit) & 7]) {
                values.push_str(escaped);
                offsets.push(values.len());
                expected.push(str::from_utf8(row).is_ok().then(|| row.to_vec()));
            }
            let mut column = Column::default();
            batch.run(Rows::new(values.as_bytes(), &offsets), &mut column).unwrap();
            assert!(column.rows().eq(expected.iter().map(Option::as_deref)), "{engine}: {values} {offsets:?}");
        }
    }
}

#[test]
fn bytes_of_null_rows_are_ignored() {
    let strict = Decoder::new().strict().batch().text(NotUtf8::Error);
    let (values, offsets) = (b"a%20%zz%FF%41%", [0, 4, 7, 10, 13, 14]);
    let mut column = Column::<i32>::default();
    let rows = Rows::new(values, &offsets).with_validity(Bitmap::new(&[0b0100_1000], 3));
    strict.run(rows, &mut column).unwrap();
    assert!(column.rows().eq([Some(&b"a "[..]), None, None, Some(b"A"), None]));
    assert_eq!((column.values.len(), column.validity), (3, Some(vec![0b01001])));

    // In the first two calls, the bitmap has fewer bits than the batch has rows. In the last call, the bitmap of the
    // output is too long.
    let rows = Rows::new(values, &offsets).with_validity(Bitmap::new(&[0xFF], 4));
    assert_eq!(strict.run(rows, &mut Column::default()), Err(BatchError::Validity));
    assert_eq!(
        strict.run_views(Views::new(&[0; 9], &[]).with_validity(Bitmap::new(&[0xFF], 0))),
        Err(BatchError::Validity)
    );
    let mut odd = Column { values: vec![b'a'], offsets: vec![0, 1], validity: Some(vec![1, 1]) };
    let before = odd.clone();
    assert_eq!(strict.run(Rows::new(b"b", &[0, 1]), &mut odd), Err(BatchError::Output));
    assert_eq!(odd, before);
}

#[test]
fn validity_bits_are_appended_at_any_bit() {
    let strict = Decoder::new().strict().batch();
    let rows = Rows::new(b"a%20%zz%FF%41", &[0, 4, 7, 10, 13]).with_validity(Bitmap::new(&[0b1001], 0));
    let bad = Rows::new(b"ab%41%4", &[0, 1, 2, 5, 7]);
    let mut column = Column::default();
    for rows_before in (0..100).step_by(4) {
        strict.run(rows, &mut column).unwrap();
        assert!(column.rows().skip(rows_before).eq([Some(&b"a "[..]), None, None, Some(b"A")]));
        let before = column.clone();
        strict.run(bad, &mut column).unwrap_err();
        assert_eq!(column, before, "a failed run changes no row");
    }
}

/// Returns the view of a row of `len` bytes, more than 12. Arrow also puts the row's first four bytes into the view. Here
/// they are zeros.
fn view(len: u128, buffer: u128, offset: u128) -> u128 {
    len | buffer << 64 | offset << 96
}

#[test]
fn views_beyond_their_buffers_are_errors() {
    let long = |buffer, offset| view(13, buffer, offset);
    let run = |view: u128| Decoder::new().batch().run_views(Views::new(&[1, view], &[&[b'a'; 20], b""]));
    for view in [long(0, 8), long(1, 0), long(2, 0), long(u128::from(u32::MAX), 0), long(0, u128::from(u32::MAX))] {
        assert_eq!(run(view), Err(BatchError::View(1)), "{view:#x}");
    }
    assert_eq!(run(long(0, 7)).unwrap().views[1], long(0, 7));
    assert_eq!(BatchError::View(7).to_string(), "view 7 is not within the buffers");
}

#[test]
fn values_of_two_buffers_do_not_follow_each_other() {
    // The first value ends at offset 14 of the buffer `first`. The second value begins at offset 14 of the buffer
    // `second`. The values follow each other only if both buffers are the same.
    let (clean, dirty) = ([b'a'; 28], b"aaaaaaaaaaaaaa%41bbbbbbbbbbb");
    for (first, second) in (0..4u8).flat_map(|first| (0..4u8).map(move |second| (first, second))) {
        let mut buffers = [&clean[..]; 4];
        buffers[usize::from(second)] = dirty;
        let views = [view(14, first.into(), 0), view(14, second.into(), 14)];
        let column = Decoder::new().batch().run_views(Views::new(&views, &buffers)).unwrap();
        assert_eq!(column.views[1].to_le_bytes(), *b"\x0C\0\0\0Abbbbbbbbbbb", "{first}, {second}");
    }
    // Two values with a gap between them don't follow each other, even if the offset of the second value is a multiple of its
    // length.
    for apart in 2..6 {
        let views = [view(14, 0, 0), view(14, 0, 14 * apart)];
        let text = [&vec![b'a'; 14 * apart as usize][..], &dirty[14..]].concat();
        let column = Decoder::new().batch().run_views(Views::new(&views, &[&text])).unwrap();
        assert_eq!(column.views[1].to_le_bytes(), *b"\x0C\0\0\0Abbbbbbbbbbb", "{apart}");
    }
}

#[test]
fn new_values_are_in_one_buffer() {
    let views: Vec<u128> = (0..1000).map(|row| view(17, 0, row * 17)).collect();
    let column = Decoder::new().batch().run_views(Views::new(&views, &[&b"%41bbbbbbbbbbbbbb".repeat(1000)])).unwrap();
    assert_eq!(column.buffers, [b"Abbbbbbbbbbbbbb".repeat(1000)]);
}

#[test]
fn a_full_buffer_begins_another() {
    const LEN: usize = 1 << 20;
    let views = [view(LEN as u128, 0, 0); 8];
    let column = Encoder::new(ByteSet::EMPTY).batch().run_views(Views::new(&views, &[&b" ".repeat(LEN)])).unwrap();
    assert_eq!(column.buffers.len(), 2);
    let value = b"%20".repeat(LEN);
    for view in column.views {
        // Buffer 0 belongs to the input, so the indices of the output's buffers start at 1.
        let [len, _, buffer, offset] = [0, 32, 64, 96].map(|bit| (view >> bit) as u32 as usize);
        assert!(column.buffers[buffer - 1][offset..offset + len] == value, "{view:#x}");
    }
}

#[test]
fn values_in_use_are_those_that_keys_refer_to() {
    let nulls = Some(Bitmap::new(&[0b0101], 0));
    assert_eq!(internal::used_values(&[8i8, -1, 0, 100], nulls, 9), Ok(vec![1, 1]));
    assert_eq!(internal::used_values(&[1u8, 6, 13, 1], None, 16), Ok(vec![0b100_0010, 0b10_0000]));
    assert_eq!(internal::used_values(&[8i64, -1], None, 9), Err(BatchError::Key(1)));
    assert_eq!(internal::used_values(&[9u16], None, 9), Err(BatchError::Key(0)));
    assert_eq!(internal::used_values(&[0u8; 9], Some(Bitmap::new(&[0xFF], 0)), 9), Err(BatchError::Validity));
    assert_eq!(internal::used_values::<u32>(&[], None, 0), Ok(vec![]));
}

#[test]
fn errors_name_the_row() {
    let rows = |offsets: &'static [i32]| Rows::new(b"%41%FFb%C3%A9%C3", offsets);
    let strict = Decoder::new().strict().batch().text(NotUtf8::Error);
    let error = strict.run(rows(&[0, 3, 6, 7]), &mut Column::default()).unwrap_err();
    let expected = DecodeError::new(0, DecodeErrorKind::InvalidUtf8);
    assert_eq!(error, BatchError::Row { row: 1, error: expected });
    assert_eq!(error.to_string(), "row 1: the decoded text is not UTF-8 from byte 0 of the input on");
    // All rows together are UTF-8, but rows 1 and 2 by themselves are not.
    let error = strict.run(rows(&[6, 7, 10, 13]), &mut Column::default()).unwrap_err();
    assert_eq!(error, BatchError::Row { row: 1, error: expected });
    // Each of the first two rows has one half of a character.
    let error = strict.run(rows(&[7, 10, 13]), &mut Column::default()).unwrap_err();
    assert_eq!(error, BatchError::Row { row: 0, error: expected });
    let encoder = Encoder::new(ByteSet::EMPTY).batch();
    assert_eq!(encoder.run(rows(&[0, 99]), &mut Column::default()), Err(BatchError::Offset(1)));
}

/// In each row, a `+` becomes a space only after a `?` in the same row. So a batch can't decode several rows as one text.
#[test]
fn each_row_has_a_query_of_its_own() {
    let decoder = Decoder::new().plus(Plus::AfterQuery);
    let rows = ["/a+b?c+d%41", "/x+y%42", "?%43+", "/+%44", "+?+", "/a+b/c+d/e+f/g+h", "/a+b?c+d&e+f&g+h"];
    for first in 0..rows.len() {
        for count in [1, 2, 3, 100] {
            let rows: Vec<&str> = rows.iter().cycle().skip(first).take(count).copied().collect();
            let text = rows.concat();
            let ends = rows.iter().scan(0, |end, row| {
                *end += row.len();
                Some(*end)
            });
            let offsets: Vec<usize> = [0].into_iter().chain(ends).collect();
            let mut column = Column::<usize>::default();
            decoder.batch().run(Rows::new(text.as_bytes(), &offsets), &mut column).unwrap();
            let expected: Vec<_> = rows.iter().map(|row| decoder.decode(row)).collect();
            assert!(column.rows().eq(expected.iter().map(|row| Some(&row[..]))), "{rows:?}");
        }
    }
}
