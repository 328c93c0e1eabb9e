//! Columns with nulls, of text, and as views: each against the naive oracle, row by row, on every engine.

mod common;

use std::fmt::Debug;

use common::*;
use percent_simd::batch::{Bitmap, Column, DecodeBatch, NotUtf8, Rows, ViewColumn, Views, used_values};
use percent_simd::{BatchError, ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Engine, Offset};

/// Rows, `None` being null.
type Expected = Vec<Option<Vec<u8>>>;

/// A column as a test makes it.
struct Input {
    rows: Vec<Vec<u8>>,
    /// A bit for each row, after some that are of no row.
    validity: Option<(Vec<u8>, usize)>,
}

impl Input {
    fn random(random: &mut Random) -> Input {
        let most_rows = [3, 30, 700][random.below(3)];
        let count = random.below(most_rows);
        let most = [1, 5, 14, 60, 300][random.below(5)];
        let mut rows = Vec::new();
        for _ in 0..count {
            let n = random.below(most + 1);
            rows.push(match random.below(8) {
                0 => Vec::new(),
                // Characters that are cut at the ends of rows.
                1 => b"%C3"[..random.below(4)].to_vec(),
                2 => b"\xA9%A9"[random.below(2)..].to_vec(),
                3 => "plain text, %C3%A9 ".bytes().cycle().take(n).collect(),
                4 => "clean".bytes().cycle().take(n).collect(),
                _ => random.hostile(n),
            });
        }
        if random.one_in(30) {
            rows.push(random.hostile(9000));
        }
        let validity = (!random.one_in(3)).then(|| {
            let offset = random.below(20);
            let density = [2, 10, 1000][random.below(3)];
            let mut bits = vec![0; (offset + rows.len()).div_ceil(8) + random.below(2)];
            for bit in offset..offset + rows.len() {
                bits[bit / 8] |= u8::from(!random.one_in(density)) << (bit % 8);
            }
            (bits, offset)
        });
        Input { rows, validity }
    }

    fn bitmap(&self) -> Option<Bitmap<'_>> {
        self.validity.as_ref().map(|(bits, offset)| Bitmap::new(bits, *offset))
    }

    fn is_null(&self, row: usize) -> bool {
        self.validity.as_ref().is_some_and(|(bits, offset)| bits[(offset + row) / 8] >> ((offset + row) % 8) & 1 == 0)
    }

    /// What the rows become, or the first error.
    fn expected(&self, of_row: impl Fn(&[u8]) -> Result<Option<Vec<u8>>, DecodeError>) -> Result<Expected, BatchError> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(row, bytes)| match self.is_null(row) {
            true => Ok(None),
            false => of_row(bytes).map_err(|error| BatchError::Row { row, error }),
        })
        .collect()
    }
}

/// Bits of rows, the last byte filled with zeros; nothing where no row is null.
fn bits_of(rows: &Expected) -> Option<Vec<u8>> {
    let byte = |rows: &[Option<Vec<u8>>]| rows.iter().rev().fold(0, |byte, row| byte << 1 | u8::from(row.is_some()));
    rows.iter().any(Option::is_none).then(|| rows.chunks(8).map(byte).collect())
}

/// Runs rows with offsets, by themselves and after others that are there, and compares.
#[track_caller]
fn check_rows<O: Offset + Debug + PartialEq + Default>(
    input: &Input,
    expected: &Result<Expected, BatchError>,
    run: impl Fn(Rows<'_, O>, &mut Column<O>) -> Result<(), BatchError>,
) {
    let offset = |at: usize| O::try_from(at).ok().unwrap();
    let mut values = b"before".to_vec();
    let mut offsets = vec![offset(values.len())];
    for row in &input.rows {
        values.extend(row);
        offsets.push(offset(values.len()));
    }
    values.extend(b"%4");
    let mut rows = Rows::new(&values, &offsets);
    if let Some(bitmap) = input.bitmap() {
        rows = rows.with_validity(bitmap);
    }
    let old: Expected = vec![Some(b"a".to_vec()), None, Some(b"bc".to_vec())];
    for there in [vec![], old[..1].to_vec(), old] {
        let column = |rows: &Expected| {
            let ends = rows.iter().flatten().scan(0, |end, row| {
                *end += row.len();
                Some(*end)
            });
            let mut ends = ends;
            let mut last = 0;
            let mut offsets = vec![O::default()];
            for row in rows {
                last = if row.is_some() { ends.next().unwrap() } else { last };
                offsets.push(offset(last));
            }
            Column { values: rows.iter().flatten().flatten().copied().collect(), offsets, validity: bits_of(rows) }
        };
        let mut out = column(&there);
        let before = out.clone();
        let result = run(rows, &mut out);
        match expected {
            Ok(expected) => {
                assert_eq!(result, Ok(()));
                let all = [&there[..], expected].concat();
                assert!(out == column(&all), "{out:?}\n{all:?}");
                assert!(out.rows().eq(all.iter().map(Option::as_deref)));
            }
            Err(error) => {
                assert_eq!(result.as_ref(), Err(error));
                assert_eq!(out, before, "as it was");
            }
        }
    }
}

/// The bytes of a view, by the letter of Arrow's specification.
fn bytes_of<'v>(view: &'v [u8; 16], buffers: &[&'v [u8]]) -> &'v [u8] {
    let word = |at: usize| u32::from_le_bytes(view[at..at + 4].try_into().unwrap()) as usize;
    match word(0) {
        len @ ..=12 => {
            assert!(view[4 + len..].iter().all(|&byte| byte == 0), "filled with zeros");
            &view[4..4 + len]
        }
        len => {
            let row = &buffers[word(8)][word(12)..word(12) + len];
            assert_eq!(row[..4], view[4..8], "the prefix");
            row
        }
    }
}

/// Runs rows as views, and compares; those that do not change keep theirs.
#[track_caller]
fn check_views(
    input: &Input,
    expected: &Result<Expected, BatchError>,
    run: impl Fn(Views<'_>) -> Result<ViewColumn, BatchError>,
) {
    let mut buffers = vec![Vec::new(); 3];
    let mut views = Vec::new();
    for (number, row) in input.rows.iter().enumerate() {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(row.len() as u32).to_le_bytes());
        if input.is_null(number) {
            view = [0xEE; 16]; // not looked at
        } else if row.len() <= 12 {
            view[4..4 + row.len()].copy_from_slice(row);
        } else {
            let buffer = &mut buffers[number % 3];
            view[4..8].copy_from_slice(&row[..4]);
            view[8..12].copy_from_slice(&(number as u32 % 3).to_le_bytes());
            view[12..].copy_from_slice(&(buffer.len() as u32).to_le_bytes());
            buffer.extend(row);
        }
        views.push(u128::from_le_bytes(view));
    }
    let old: Vec<&[u8]> = buffers.iter().map(|buffer| &buffer[..]).collect();
    let mut rows = Views::new(&views, &old);
    if let Some(bitmap) = input.bitmap() {
        rows = rows.with_validity(bitmap);
    }
    match (run(rows), expected) {
        (Ok(column), Ok(expected)) => {
            let all: Vec<&[u8]> = old.into_iter().chain(column.buffers.iter().map(|buffer| &buffer[..])).collect();
            assert_eq!(column.validity, bits_of(expected));
            assert_eq!(column.views.len(), expected.len());
            let mut kept = 0;
            for (row, (view, expected)) in column.views.iter().zip(expected).enumerate() {
                match expected {
                    None => assert_eq!(*view, 0),
                    Some(bytes) => {
                        assert_eq!(show(bytes_of(&view.to_le_bytes(), &all)), show(bytes));
                        if *bytes == input.rows[row] {
                            assert_eq!(*view, views[row], "the view of a row that does not change");
                        } else if bytes.len() > 12 {
                            kept += bytes.len();
                        }
                    }
                }
            }
            assert_eq!(column.buffers.iter().map(Vec::len).sum::<usize>(), kept, "only what views refer to");
        }
        (Err(error), Err(expected)) => assert_eq!(&error, expected),
        (result, expected) => panic!("{result:?}\n{expected:?}"),
    }
}

#[track_caller]
fn check_decode(input: &Input, batch: DecodeBatch, expected: &Result<Expected, BatchError>, wide: bool) {
    if wide {
        check_rows::<i64>(input, expected, |rows, out| batch.run(rows, out));
    } else {
        check_rows::<i32>(input, expected, |rows, out| batch.run(rows, out));
    }
    check_views(input, expected, |rows| batch.run_views(rows));
}

#[test]
fn columns_are_row_after_row() {
    fn property(seed: u64) {
        let mut random = Random(seed | 1);
        let input = Input::random(&mut random);
        let (enc, dec) = (random.encode(), random.decode());
        let wide = random.one_in(2);
        let encoded = input.expected(|row| Ok(Some(enc.run(row))));
        for engine in Engine::available() {
            let encode = enc.encoder(engine).batch();
            if wide {
                check_rows::<i64>(&input, &encoded, |rows, out| encode.run(rows, out));
            } else {
                check_rows::<i32>(&input, &encoded, |rows, out| encode.run(rows, out));
            }
            check_views(&input, &encoded, |rows| encode.run_views(rows));

            let batch = match dec.decoder(engine) {
                AnyDecoder::Lenient(decoder) => decoder.batch(),
                AnyDecoder::Checked(decoder) => decoder.batch(),
            };
            let error = |(offset, kind)| DecodeError::new(offset, kind);
            let bytes = |row: &[u8]| dec.run(row).result().map(<[u8]>::to_vec).map_err(error);
            let text = |row: &[u8]| dec.run(row).text().map(|text| text.as_bytes().to_vec()).map_err(error);
            let replaced = |row: &[u8]| bytes(row).map(|row| String::from_utf8_lossy(&row).into_owned().into_bytes());
            let checked = dec.checked(Engine::by_name("scalar").unwrap());
            let kept = |row: &[u8]| checked.decode_valid_utf8(row).map(|text| text.into_owned().into_bytes());
            macro_rules! both {
                ($batch:expr, $of_row:expr) => {
                    check_decode(&input, $batch, &input.expected(|row| $of_row(row).map(Some)), wide);
                    check_decode(&input, $batch.errors_to_null(), &input.expected(|row| Ok($of_row(row).ok())), wide);
                };
            }
            both!(batch, bytes);
            both!(batch.text(NotUtf8::Error), text);
            both!(batch.text(NotUtf8::Replace), replaced);
            both!(batch.text(NotUtf8::KeepEscaped), kept);
        }
    }
    check(600, property as fn(u64));
}

#[test]
fn garbage_behind_a_null_is_not_looked_at() {
    let strict = Decoder::new().strict().batch().text(NotUtf8::Error);
    let (values, offsets) = (b"a%20%zz%FF%41%", [0, 4, 7, 10, 13, 14]);
    let mut column = Column::<i32>::default();
    let rows = Rows::new(values, &offsets).with_validity(Bitmap::new(&[0b0100_1000], 3));
    strict.run(rows, &mut column).unwrap();
    assert!(column.rows().eq([Some(&b"a "[..]), None, None, Some(b"A"), None]));
    assert_eq!((column.values.len(), column.validity), (3, Some(vec![0b01001])));

    // Fewer bits than rows, and an output whose arrays do not fit each other.
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
fn views_beyond_their_buffers_are_errors() {
    let long = |buffer: u128, offset: u128| 13 | buffer << 64 | offset << 96;
    let run = |view: u128| Decoder::new().batch().run_views(Views::new(&[1, view], &[&[b'a'; 20], b""]));
    for view in [long(0, 8), long(1, 0), long(2, 0), long(u128::from(u32::MAX), 0), long(0, u128::from(u32::MAX))] {
        assert_eq!(run(view), Err(BatchError::View(1)), "{view:#x}");
    }
    assert_eq!(run(long(0, 7)).unwrap().views[1], long(0, 7));
    assert_eq!(BatchError::View(7).to_string(), "view 7 is not within the buffers");
}

#[test]
fn values_in_use_are_those_that_keys_refer_to() {
    let nulls = Some(Bitmap::new(&[0b0101], 0));
    assert_eq!(used_values(&[8i8, -1, 0, 100], nulls, 9), Ok(vec![1, 1]));
    assert_eq!(used_values(&[8i64, -1], None, 9), Err(BatchError::Key(1)));
    assert_eq!(used_values(&[9u16], None, 9), Err(BatchError::Key(0)));
    assert_eq!(used_values(&[0u8; 9], Some(Bitmap::new(&[0xFF], 0)), 9), Err(BatchError::Validity));
    assert_eq!(used_values::<u32>(&[], None, 0), Ok(vec![]));
}

#[test]
fn errors_name_the_row() {
    let rows = |offsets: &'static [i32]| Rows::new(b"%41%FFb%C3%A9%C3", offsets);
    let strict = Decoder::new().strict().batch().text(NotUtf8::Error);
    let error = strict.run(rows(&[0, 3, 6, 7]), &mut Column::default()).unwrap_err();
    let expected = DecodeError::new(0, DecodeErrorKind::InvalidUtf8);
    assert_eq!(error, BatchError::Row { row: 1, error: expected });
    assert_eq!(error.to_string(), "row 1: the decoded text is not UTF-8 from byte 0 of the input on");
    // Together these rows are UTF-8, but each by itself is not.
    let error = strict.run(rows(&[6, 7, 10, 13]), &mut Column::default()).unwrap_err();
    assert_eq!(error, BatchError::Row { row: 1, error: expected });
    let encoder = Encoder::new(ByteSet::EMPTY).batch();
    assert_eq!(encoder.run(rows(&[0, 99]), &mut Column::default()), Err(BatchError::Offset(1)));
}
