//! Compares decoded columns with rows that are decoded one by one, byte by byte.

use percent_simd_arrow::sql::{Builder, Function};
use percent_simd_arrow::{DecodeOptions, Errors};

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Returns the bytes of the decoded row, each with the bytes that it came from. If `stays` accepts a
/// byte, its escape stays.
fn decoded(row: &[u8], plus: bool, stays: impl Fn(u8) -> bool) -> Vec<(u8, &[u8])> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < row.len() {
        let escape = match row[at..] {
            [b'%', high, low, ..] => hex(high).zip(hex(low)).map(|(high, low)| 16 * high + low),
            _ => None,
        };
        let (byte, len) = match escape {
            Some(byte) if stays(byte) => {
                out.extend(row[at..at + 3].iter().map(|byte| (*byte, &b""[..])));
                at += 3;
                continue;
            }
            Some(byte) => (byte, 3),
            None if plus && row[at] == b'+' => (b' ', 1),
            None => (row[at], 1),
        };
        out.push((byte, &row[at..at + len]));
        at += len;
    }
    out
}

fn is_malformed(row: &[u8]) -> bool {
    (0..row.len())
        .any(|at| row[at] == b'%' && !(at + 2 < row.len() && row[at + 1..at + 3].iter().all(u8::is_ascii_hexdigit)))
}

/// Decodes one row. Returns `None` if the row is faulty.
fn naive(row: &[u8], options: &DecodeOptions, is_text: bool) -> Option<Vec<u8>> {
    let is_strict = matches!(options.errors, Errors::Null | Errors::Strict);
    if is_strict && is_malformed(row) {
        return None;
    }
    let mut row = row.to_vec();
    for layer in 1..options.layers {
        let bytes = decoded(&row, options.plus && layer == 1, |byte| options.keep.contains(byte) || !byte.is_ascii());
        row = bytes.iter().map(|(byte, _)| *byte).collect();
    }
    let bytes = decoded(&row, options.plus && options.layers == 1, |byte| options.keep.contains(byte));
    let text: Vec<u8> = bytes.iter().map(|(byte, _)| *byte).collect();
    if !is_text || str::from_utf8(&text).is_ok() {
        return Some(text);
    }
    match options.errors {
        Errors::Null | Errors::Strict => None,
        Errors::Replace => Some(String::from_utf8_lossy(&text).into_owned().into_bytes()),
        Errors::Keep => {
            let (mut out, mut at) = (Vec::new(), 0);
            for chunk in text.utf8_chunks() {
                out.extend_from_slice(chunk.valid().as_bytes());
                at += chunk.valid().len();
                for (_, origin) in &bytes[at..at + chunk.invalid().len()] {
                    out.extend_from_slice(origin);
                }
                at += chunk.invalid().len();
            }
            Some(out)
        }
    }
}

/// Returns all rows of up to `most` pieces.
fn rows(most: usize) -> Vec<String> {
    const PIECES: [&str; 9] = ["%", "%25", "%C3", "%A9", "41", "C3", "A9", "/+", "é"];
    let (mut rows, mut from) = (vec![String::new()], 0);
    for _ in 0..most {
        let end = rows.len();
        for row in from..end {
            rows.extend(PIECES.map(|piece| rows[row].clone() + piece));
        }
        from = end;
    }
    // These rows are longer than a block, or have many layers, or are longer than a group of rows.
    for pad in [60, 20_000] {
        rows.extend(["%FF", "%zz", "%41", "%C3%25A9", "%2541"].map(|bad| format!("{}{bad}", "a%42".repeat(pad / 4))));
    }
    rows.extend((1..12).map(|layers| format!("%C3%{}A9", "25".repeat(layers))));
    rows
}

/// The options, and the same options as words.
fn all_options() -> Vec<(DecodeOptions, String)> {
    let mut all = Vec::new();
    for errors in ["keep", "null", "strict", "replace"] {
        for rest in ["", "plus", "layers=2", "plus layers=3", "layers=9", "keep=/", "keep=/ layers=2"] {
            let words = format!("{errors} {rest}");
            all.push((words.parse().expect("options"), words));
        }
    }
    all
}

/// The first faulty row, or the rows with `None` for nulls.
type Outcome = Result<Vec<Option<Vec<u8>>>, usize>;

/// Decodes columns of these rows with `decode`, and compares the results. Some rows are null.
fn check(is_text: bool, mut decode: impl FnMut(&[Option<&str>], &DecodeOptions, &str) -> Outcome) {
    let texts = rows(4);
    for (options, words) in all_options() {
        let naive: Vec<_> = texts.iter().map(|text| naive(text.as_bytes(), &options, is_text)).collect();
        let compare = |is_null: &dyn Fn(usize) -> bool,
                       decode: &mut dyn FnMut(&[Option<&str>], &DecodeOptions, &str) -> Outcome| {
            let rows: Vec<_> =
                texts.iter().enumerate().map(|(row, text)| (!is_null(row)).then_some(text.as_str())).collect();
            let faulty = (0..rows.len()).find(|&row| !is_null(row) && naive[row].is_none());
            let expected = match faulty.filter(|_| options.errors == Errors::Strict) {
                Some(row) => Err(row),
                None => Ok((0..rows.len()).map(|row| naive[row].clone().filter(|_| !is_null(row))).collect()),
            };
            let found = decode(&rows, &options, &words);
            if found != expected {
                let (found, expected) = (found.expect(&words), expected.expect(&words));
                for (row, text) in texts.iter().enumerate() {
                    assert_eq!(found[row], expected[row], "{words}: row {row}, {:?}", &text[..text.len().min(100)]);
                }
            }
        };
        compare(&|row| row % 5 == 4, &mut decode);
        compare(&|_| false, &mut decode);
        // The faulty rows are null, except the last of them. A faulty row can have its fault in any layer.
        let last = naive.iter().rposition(Option::is_none);
        compare(&|row| naive[row].is_none() && Some(row) != last, &mut decode);
    }
}

#[test]
fn columns_equal_rows_in_sql() {
    let run = |function: Function, rows: &[Option<&str>], words: Option<&str>| {
        let mut builder = Builder::with_capacity(rows.len(), 0).expect("memory");
        rows.iter().for_each(|row| builder.push(row.map(str::as_bytes)).expect("memory"));
        let column = function.run(&builder.finish(), words.map(str::as_bytes));
        column.map(|column| column.rows().map(|row| row.map(<[u8]>::to_vec)).collect::<Vec<_>>())
    };
    check(true, |rows, options, words| {
        run(Function::Decode, rows, Some(words)).map_err(|failure| {
            // The message quotes the first faulty row.
            let faulty = |row: &Option<&str>| row.is_some_and(|row| naive(row.as_bytes(), options, true).is_none());
            let first = rows.iter().position(faulty).expect("a faulty row");
            let row = rows[first].unwrap_or_default();
            assert!(failure.0.contains(&format!("in '{}'", &row[..row.len().min(100)])), "{words}: {failure}");
            first
        })
    });
}

#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod arrays {
    use std::sync::Arc;

    use percent_simd_arrow::arrow_array::builder::make_view;
    use percent_simd_arrow::arrow_array::cast::AsArray as _;
    use percent_simd_arrow::arrow_array::types::Int32Type;
    use percent_simd_arrow::arrow_array::{
        Array as _, ArrayRef, BinaryArray, DictionaryArray, Int32Array, StringArray, StringViewArray,
    };
    use percent_simd_arrow::{DecodeOptions, Error, decode};

    use super::{Outcome, check};

    /// Returns an array of `rows`. Null rows have bytes.
    fn strings(rows: &[Option<&str>]) -> StringArray {
        let nulls = rows.iter().map(Option::is_some).collect();
        let (offsets, values, _) =
            StringArray::from_iter_values(rows.iter().map(|row| row.unwrap_or("%FF%zz"))).into_parts();
        StringArray::new(offsets, values, Some(nulls))
    }

    /// Decodes a part of a longer array.
    fn outcome(array: &ArrayRef, options: &DecodeOptions) -> Outcome {
        match decode(array, options) {
            Ok(array) => Ok(rows_of(&array)),
            Err(Error::Row(error)) => Err(error.row),
            Err(error) => panic!("{error}"),
        }
    }

    fn rows_of(array: &ArrayRef) -> Vec<Option<Vec<u8>>> {
        let owned = |row: Option<&[u8]>| row.map(<[u8]>::to_vec);
        if let Some(array) = array.as_string_opt::<i32>() {
            array.iter().map(|row| owned(row.map(str::as_bytes))).collect()
        } else if let Some(array) = array.as_string_view_opt() {
            array.iter().map(|row| owned(row.map(str::as_bytes))).collect()
        } else if let Some(array) = array.as_binary_opt::<i32>() {
            array.iter().map(owned).collect()
        } else {
            let dictionary = array.as_dictionary::<Int32Type>();
            let values = rows_of(dictionary.values());
            dictionary.keys().iter().map(|key| values[usize::try_from(key?).expect("a key")].clone()).collect()
        }
    }

    /// Adds a faulty row before `rows`, and a row with a cut escape after them.
    fn surrounded<'r>(rows: &[Option<&'r str>]) -> Vec<Option<&'r str>> {
        [&[Some("%zz")], rows, &[Some("a%4")]].concat()
    }

    #[test]
    fn columns_equal_rows_with_offsets() {
        check(true, |rows, options, _| {
            let array: ArrayRef = Arc::new(strings(&surrounded(rows)));
            outcome(&array.slice(1, rows.len()), options)
        });
    }

    #[test]
    fn columns_equal_rows_of_bytes() {
        check(false, |rows, options, _| {
            let array: ArrayRef = Arc::new(BinaryArray::from(strings(&surrounded(rows))));
            outcome(&array.slice(1, rows.len()), options)
        });
    }

    #[test]
    fn columns_equal_rows_of_views() {
        check(true, |rows, options, _| {
            let array = StringViewArray::from(&strings(&surrounded(rows)));
            let (mut views, buffers, nulls) = array.into_parts();
            // The view of a null row may be invalid.
            let invalid = make_view(&[b'%'; 20], 1000, 1 << 30);
            views = views
                .iter()
                .enumerate()
                .map(|(row, view)| if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) { invalid } else { *view })
                .collect();
            // SAFETY: only views of null rows are invalid, and these are never read.
            let array: ArrayRef = Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, nulls) });
            outcome(&array.slice(1, rows.len()), options)
        });
    }

    #[test]
    fn columns_equal_rows_in_dictionaries() {
        check(true, |rows, options, _| {
            // The first value isn't used by any row.
            let values = strings(&surrounded(rows));
            let keys: Vec<_> =
                (0..rows.len()).map(|row| rows[row].map(|_| i32::try_from(row + 1).expect("a key"))).collect();
            let array: ArrayRef = Arc::new(DictionaryArray::new(Int32Array::from(keys), Arc::new(values)));
            outcome(&array, options)
        });
    }
}
