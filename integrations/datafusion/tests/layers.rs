//! Counts the memory that columns ask for, because one row with many layers must not cost a pass over the whole column for
//! each of its layers.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, LargeStringArray, StringArray, StringViewArray};
use percent_simd::batch::Column;
use percent_simd_arrow::sql::{Builder, Function};
use percent_simd_arrow::{DecodeOptions, decode};

thread_local! {
    /// The bytes that this thread has asked for.
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the calls of `System` meet the conditions. The count needs no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTED.set(REQUESTED.get() + layout.size());
        // SAFETY: the caller meets the conditions of this call.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller meets the conditions of this call.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Returns the result of `work`, and how many bytes it asks for.
fn requested<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = REQUESTED.get();
    let result = work();
    (result, REQUESTED.get() - before)
}

/// Returns a thousand rows. One of them has `layers` layers.
fn rows(layers: usize) -> Vec<String> {
    let mut rows = vec!["/caf%C3%A9/with/a/long/path".to_owned(); 1000];
    rows[7] = format!("%{}41", "25".repeat(layers - 1));
    rows
}

#[test]
fn deep_layers_take_linear_memory() {
    const LAYERS: usize = 5000;
    let texts = rows(LAYERS);
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut expected = vec!["/café/with/a/long/path"; 1000];
    expected[7] = "A";
    for word in ["keep", "null", "strict", "replace"] {
        let options: DecodeOptions = format!("{word} layers={LAYERS}").parse().expect("an option");
        let columns: [(ArrayRef, ArrayRef); 4] = [
            (Arc::new(StringArray::from(texts.clone())), Arc::new(StringArray::from(expected.clone()))),
            (Arc::new(LargeStringArray::from(texts.clone())), Arc::new(LargeStringArray::from(expected.clone()))),
            (Arc::new(StringViewArray::from_iter_values(&texts)), Arc::new(StringViewArray::from_iter_values(&expected))),
            (Arc::new(BinaryArray::from_iter_values(&texts)), Arc::new(BinaryArray::from_iter_values(&expected))),
        ];
        for (column, expected) in columns {
            let (decoded, requested) = requested(|| decode(&column, &options));
            assert_eq!(&decoded.expect("a column"), &expected);
            assert!(requested < 40 * bytes, "{}: {requested} bytes for a column of {bytes}", column.data_type());
        }
        let mut builder = Builder::with_capacity(texts.len(), bytes).expect("memory");
        texts.iter().for_each(|text| builder.push(Some(text.as_bytes())).expect("memory"));
        let (column, option): (Column<usize>, _) = (builder.finish(), format!("{word} layers={LAYERS}"));
        let (decoded, requested) = requested(|| Function::Decode.run(&column, Some(option.as_bytes())));
        assert!(decoded.expect("a column").rows().eq(expected.iter().map(|row| Some(row.as_bytes()))));
        assert!(requested < 40 * bytes, "SQL: {requested} bytes for a column of {bytes}");
    }
}
