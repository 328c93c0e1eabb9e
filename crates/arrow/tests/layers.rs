//! Counts the memory that columns ask for. One row with many layers must not cost a pass over the whole column for each
//! of its layers. Many rows with a few layers must not cost an allocation each.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use percent_simd_arrow::sql::{Builder, Function};

thread_local! {
    /// The bytes that this thread has asked for.
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
    /// The number of times that this thread has asked for memory.
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: both methods call the method of `System` with the same name, which meets the conditions of `GlobalAlloc`.
// Counting allocates no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTED.set(REQUESTED.get() + layout.size());
        REQUESTS.set(REQUESTS.get() + 1);
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

/// The number of layers of the deep row.
const LAYERS: usize = 5000;

/// Decodes the rows with `decode`, for each treatment of faulty rows. Compares the results with the expected rows, and the
/// requested memory with the size of the rows. A pass over all rows for each layer would request a thousand times this
/// size.
fn check(decode: impl Fn(&[String], &str) -> (Vec<Vec<u8>>, usize)) {
    let texts = rows(LAYERS);
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut expected = vec!["/café/with/a/long/path".as_bytes(); texts.len()];
    expected[7] = b"A";
    for word in ["keep", "null", "strict", "replace"] {
        let (decoded, requested) = decode(&texts, &format!("{word} layers={LAYERS}"));
        assert_eq!(decoded, expected);
        assert!(requested < 40 * bytes, "{word}: {requested} bytes for rows of {bytes}");
    }
}

#[test]
fn deep_layers_take_linear_memory_in_sql() {
    check(|texts, option| {
        let mut builder = Builder::with_capacity(texts.len(), 0).expect("memory");
        texts.iter().for_each(|text| builder.push(Some(text.as_bytes())).expect("memory"));
        let column = builder.finish();
        let (decoded, requested) = requested(|| Function::Decode.run(&column, Some(option.as_bytes())));
        let rows = decoded.expect("a column").rows().map(|row| row.expect("a row").to_vec()).collect();
        (rows, requested)
    });
}

#[test]
fn rows_with_layers_are_decoded_together() {
    for row in ["/a%2541/b", "/caf%C3%25A9", "/caf%FF", "/caf%25FF", "/100%zz"] {
        for errors in ["keep", "null", "strict", "replace"] {
            let mut builder = Builder::with_capacity(2000, 0).expect("memory");
            (0..2000).for_each(|_| builder.push(Some(row.as_bytes())).expect("memory"));
            let (column, before) = (builder.finish(), REQUESTS.get());
            _ = Function::Decode.run(&column, Some(format!("{errors} layers=3").as_bytes()));
            let requests = REQUESTS.get() - before;
            assert!(requests < 200, "{errors} {row}: {requests} requests for 2000 rows");
        }
    }
}

#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
#[test]
fn deep_layers_take_linear_memory_in_arrays() {
    use std::sync::Arc;

    use percent_simd_arrow::arrow_array::cast::AsArray as _;
    use percent_simd_arrow::arrow_array::{ArrayRef, BinaryArray, StringArray, StringViewArray};
    use percent_simd_arrow::decode;

    fn decoded(array: ArrayRef, option: &str) -> (ArrayRef, usize) {
        let options = option.parse().expect("options");
        let (decoded, requested) = requested(|| decode(&array, &options));
        (decoded.expect("an array"), requested)
    }
    fn owned<'r>(rows: impl Iterator<Item = Option<&'r [u8]>>) -> Vec<Vec<u8>> {
        rows.map(|row| row.expect("a row").to_vec()).collect()
    }
    check(|texts, option| {
        let (array, requested) = decoded(Arc::new(StringArray::from_iter_values(texts)), option);
        (owned(array.as_string::<i32>().iter().map(|row| row.map(str::as_bytes))), requested)
    });
    check(|texts, option| {
        let (array, requested) = decoded(Arc::new(StringViewArray::from_iter_values(texts)), option);
        (owned(array.as_string_view().iter().map(|row| row.map(str::as_bytes))), requested)
    });
    check(|texts, option| {
        let (array, requested) = decoded(Arc::new(BinaryArray::from_iter_values(texts)), option);
        (owned(array.as_binary::<i32>().iter()), requested)
    });
}
