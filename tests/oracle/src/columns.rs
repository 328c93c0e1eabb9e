//! Tests columns of bytes, of text and of views, with nulls. Compares each row with the oracle, on every engine.

use std::fmt::Debug;
use std::mem::take;

use percent_simd::batch::{Bitmap, Column, DecodeBatch, EncodeBatch, NotUtf8, Offset, Rows};
use percent_simd::internal::{ViewColumn, Views};
use percent_simd::{BatchError, DecodeError, Engine};

use crate::{AnyDecoder, Decode, Encode, Random, show};

/// Appends rows to two vectors. The library appends them to a [`Column`].
pub trait Append {
    /// Calls `run` of the batch.
    ///
    /// # Errors
    ///
    /// Returns its errors.
    fn to_column<O: Offset>(&self, rows: Rows<'_, O>, column: &mut Column<O>) -> Result<(), BatchError>;

    /// Appends the rows `values[offsets[i]..offsets[i + 1]]`, which have no nulls.
    ///
    /// # Errors
    ///
    /// Returns the errors of `run` of the batch.
    fn append<O: Offset>(
        &self,
        values: &[u8],
        offsets: &[O],
        out: &mut Vec<u8>,
        out_offsets: &mut Vec<O>,
    ) -> Result<(), BatchError> {
        let mut column = Column { values: take(out), offsets: take(out_offsets), validity: None };
        let result = self.to_column(Rows::new(values, offsets), &mut column);
        assert_eq!(column.validity, None);
        (*out, *out_offsets) = (column.values, column.offsets);
        result
    }
}

impl Append for DecodeBatch {
    fn to_column<O: Offset>(&self, rows: Rows<'_, O>, column: &mut Column<O>) -> Result<(), BatchError> {
        self.run(rows, column)
    }
}

impl Append for EncodeBatch {
    fn to_column<O: Offset>(&self, rows: Rows<'_, O>, column: &mut Column<O>) -> Result<(), BatchError> {
        self.run(rows, column)
    }
}

/// The expected rows of a column. `None` is a null row.
type Expected = Vec<Option<Vec<u8>>>;

/// The rows of a column before they are put into Arrow's layout.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The bytes of each row. A null row can have bytes too.
    pub rows: Vec<Vec<u8>>,
    /// The validity bitmap, and the number of unused bits before the bit of the first row.
    pub validity: Option<(Vec<u8>, usize)>,
}

impl Columns {
    /// Returns random rows of every kind. Some are null.
    pub fn random(random: &mut Random) -> Columns {
        let most_rows = [3, 30, 700][random.below(3)];
        let count = random.below(most_rows);
        let most = [1, 5, 14, 60, 300][random.below(5)];
        let mut rows = Vec::new();
        for _ in 0..count {
            let n = random.below(most + 1);
            rows.push(match random.below(8) {
                0 => Vec::new(),
                // Some rows begin or end inside a character.
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
        Columns { rows, validity }
    }

    fn bitmap(&self) -> Option<Bitmap<'_>> {
        self.validity.as_ref().map(|(bits, offset)| Bitmap::new(bits, *offset))
    }

    fn is_null(&self, row: usize) -> bool {
        self.validity.as_ref().is_some_and(|(bits, offset)| bits[(offset + row) / 8] >> ((offset + row) % 8) & 1 == 0)
    }

    /// Returns the expected rows, computed by `of_row`. If `of_row` fails for some rows, returns its first error.
    fn expected(&self, of_row: impl Fn(&[u8]) -> Result<Option<Vec<u8>>, DecodeError>) -> Result<Expected, BatchError> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(row, bytes)| match self.is_null(row) {
            true => Ok(None),
            false => of_row(bytes).map_err(|error| BatchError::Row { row, error }),
        })
        .collect()
    }
}

/// Returns the validity bitmap of `rows`, or `None` if no row is null. The unused bits of its last byte are 0.
fn bits_of(rows: &Expected) -> Option<Vec<u8>> {
    let byte = |rows: &[Option<Vec<u8>>]| rows.iter().rev().fold(0, |byte, row| byte << 1 | u8::from(row.is_some()));
    rows.iter().any(Option::is_none).then(|| rows.chunks(8).map(byte).collect())
}

/// Appends rows to an empty column and to columns that have rows, and compares the results with `expected`.
#[track_caller]
fn check_rows<O: Offset + Debug + PartialEq + Default>(
    input: &Columns,
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
            Column {
                values: rows.iter().flatten().map(Vec::as_slice).collect::<Vec<_>>().concat(),
                offsets,
                validity: bits_of(rows),
            }
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

/// Returns the bytes that a view refers to, as Arrow's specification describes it.
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

/// Passes the rows as views to `run`, and compares the result. If a row doesn't change, its view must not change either.
#[track_caller]
fn check_views(
    input: &Columns,
    expected: &Result<Expected, BatchError>,
    run: impl Fn(Views<'_>) -> Result<ViewColumn, BatchError>,
) {
    let mut buffers = vec![Vec::new(); 3];
    let mut views = Vec::new();
    for (number, row) in input.rows.iter().enumerate() {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(row.len() as u32).to_le_bytes());
        if input.is_null(number) {
            view = [0xEE; 16]; // the view of a null row must be ignored
        } else if row.len() <= 12 {
            view[4..4 + row.len()].copy_from_slice(row);
        } else {
            // The first eight rows are in one buffer, one right after another. The next eight are in the next buffer, and so
            // on.
            let index = number / 8 % 3;
            let buffer = &mut buffers[index];
            view[4..8].copy_from_slice(&row[..4]);
            view[8..12].copy_from_slice(&(index as u32).to_le_bytes());
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
                        let view_bytes = view.to_le_bytes();
                        let found = bytes_of(&view_bytes, &all);
                        assert!(found == bytes, "{} instead of {}", show(found), show(bytes));
                        if *bytes == input.rows[row] {
                            assert_eq!(*view, views[row], "the view of a row that does not change");
                        } else if bytes.len() > 12 {
                            kept += bytes.len();
                        }
                    }
                }
            }
            assert_eq!(column.buffers.iter().map(Vec::len).sum::<usize>(), kept, "only bytes that views refer to");
        }
        (Err(error), Err(expected)) => assert_eq!(&error, expected),
        (result, expected) => panic!("{result:?}\n{expected:?}"),
    }
}

#[track_caller]
fn check_decode(input: &Columns, batch: DecodeBatch, expected: &Result<Expected, BatchError>, wide: bool) {
    if wide {
        check_rows::<i64>(input, expected, |rows, out| batch.run(rows, out));
    } else {
        check_rows::<i32>(input, expected, |rows, out| batch.run(rows, out));
    }
    check_views(input, expected, |rows| batch.run_views(rows));
}

impl Columns {
    /// Encodes and decodes the rows with every batch call, on every engine, and compares the results with the oracle.
    ///
    /// # Panics
    ///
    /// Panics if a result differs.
    pub fn check(&self, enc: Encode, dec: Decode, wide: bool) {
        for engine in Engine::available() {
            (0..Columns::WAYS).for_each(|way| self.check_one(engine, way, enc, dec, wide));
        }
    }

    /// The number of batch calls that [`check_one`](Self::check_one) can choose from.
    pub const WAYS: usize = 9;

    /// Encodes or decodes the rows with batch call number `way`, below [`WAYS`](Self::WAYS), and compares the result with the
    /// oracle. `wide` chooses 64-bit offsets.
    ///
    /// # Panics
    ///
    /// Panics if a result differs.
    pub fn check_one(&self, engine: &'static Engine, way: usize, enc: Encode, dec: Decode, wide: bool) {
        if way == 0 {
            let encoded = self.expected(|row| Ok(Some(enc.run(row))));
            let encode = enc.encoder(engine).batch();
            if wide {
                check_rows::<i64>(self, &encoded, |rows, out| encode.run(rows, out));
            } else {
                check_rows::<i32>(self, &encoded, |rows, out| encode.run(rows, out));
            }
            check_views(self, &encoded, |rows| encode.run_views(rows));
            return;
        }
        let error = |(offset, kind)| DecodeError::new(offset, kind);
        let bytes = |row: &[u8]| dec.run(row).result().map(<[u8]>::to_vec).map_err(error);
        let text = |row: &[u8]| dec.run(row).text().map(|text| text.as_bytes().to_vec()).map_err(error);
        let replaced = |row: &[u8]| bytes(row).map(|row| String::from_utf8_lossy(&row).into_owned().into_bytes());
        let checked = dec.checked(Engine::by_name("scalar").unwrap_or(Engine::active()));
        let kept = |row: &[u8]| checked.decode_valid_utf8(row).map(|text| text.into_owned().into_bytes());

        let batch = match dec.decoder(engine) {
            AnyDecoder::Lenient(decoder) => decoder.batch(),
            AnyDecoder::Checked(decoder) => decoder.batch(),
        };
        let (batch, of_row): (_, &dyn Fn(&[u8]) -> Result<Vec<u8>, DecodeError>) = match (way - 1) / 2 {
            0 => (batch, &bytes),
            1 => (batch.text(NotUtf8::Error), &text),
            2 => (batch.text(NotUtf8::Replace), &replaced),
            _ => (batch.text(NotUtf8::KeepEscaped), &kept),
        };
        if way.is_multiple_of(2) {
            check_decode(self, batch.errors_to_null(), &self.expected(|row| Ok(of_row(row).ok())), wide);
        } else {
            check_decode(self, batch, &self.expected(|row| of_row(row).map(Some)), wide);
        }
    }
}
