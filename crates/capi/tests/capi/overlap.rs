//! Tests that every function refuses an argument that it writes to and that overlaps another argument.

// SAFETY, for all calls here: the pointers are into one arena, which outlives the call.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::common;

use std::collections::BTreeSet;

use percent_simd_capi::pct_status::*;
use percent_simd_capi::*;

use common::blank;

/// The input, its length, and the capacity of the output.
const TEXT: &[u8; 10] = b"/%41b=%43x";
const LEN: usize = TEXT.len();
const CAP: usize = 16 * LEN;

/// A pointer argument of a function.
struct Argument {
    is_written: bool,
    is_result: bool,
    size: usize,
    align: usize,
    /// The bytes that the argument has before the call. An output has none.
    contents: Vec<u8>,
}

fn reads<T>(values: &[T]) -> Argument {
    let mut contents = vec![0; size_of_val(values)];
    unsafe { contents.as_mut_ptr().copy_from_nonoverlapping(values.as_ptr().cast(), contents.len()) };
    Argument { is_written: false, is_result: false, size: contents.len(), align: align_of::<T>(), contents }
}

fn writes<T>(len: usize) -> Argument {
    let (size, align) = (len * size_of::<T>(), align_of::<T>());
    Argument { is_written: true, is_result: false, size, align, contents: Vec::new() }
}

/// Returns an opaque object that the call only reads. The object can end in spare words, which no call reads and which
/// may overlap another argument. So only the first 16 bytes are tested for overlaps.
fn object<T>(object: T) -> Argument {
    Argument { size: 16, ..reads(&[object]) }
}

/// Returns an opaque object that the call reads and writes.
fn state<T>(state: T) -> Argument {
    Argument { is_written: true, ..object(state) }
}

/// Returns memory for an opaque object that the call initialises.
fn memory<T>() -> Argument {
    Argument { size: 16, ..writes::<T>(1) }
}

fn text() -> Argument {
    reads(TEXT)
}

fn output() -> Argument {
    writes::<u8>(CAP)
}

fn result() -> Argument {
    Argument { is_result: true, ..writes::<pct_result>(1) }
}

/// Returns an object that `init` initialises.
fn initialised<T>(init: impl FnOnce(*mut T) -> pct_status) -> T {
    let mut object = blank();
    assert_eq!(init(&mut object), PCT_OK);
    object
}

fn encoder() -> pct_encoder {
    initialised(|memory| unsafe { pct_encoder_named(memory, c"rfc3986-path".as_ptr()) })
}

fn decoder() -> pct_decoder {
    initialised(|memory| unsafe { pct_decoder_init(memory, std::ptr::null()) })
}

fn charset() -> pct_charset {
    initialised(|memory| unsafe { pct_charset_for_name(memory, c"UTF-8".as_ptr(), 5) })
}

fn form() -> pct_form {
    initialised(|memory| unsafe { pct_form_init(memory, TEXT.as_ptr().cast(), LEN, std::ptr::null()) })
}

/// Returns options with default values, which begin with their own size.
fn options<T>() -> Argument {
    let mut options = reads(&[blank::<T>()]);
    options.contents[..size_of::<usize>()].copy_from_slice(&size_of::<T>().to_ne_bytes());
    options
}

/// Returns the stream of a decoder that lives until the program ends.
fn stream() -> pct_stream {
    let decoder = Box::leak(Box::new(decoder()));
    initialised(|memory| unsafe { pct_stream_decode(memory, decoder) })
}

struct Function {
    name: &'static str,
    arguments: Vec<Argument>,
    call: fn(&[*mut u8]) -> pct_status,
}

/// The functions whose output may be their input.
const IN_PLACE: [&str; 5] =
    ["pct_decode", "pct_normalize_escapes", "pct_decode_layers", "pct_decode_u", "pct_url_decode_uni"];

impl Function {
    /// Returns a distance for the starts of consecutive arguments in the arena. At this distance, they don't overlap.
    fn stride(&self) -> usize {
        let sizes = self.arguments.iter().map(|argument| argument.size.max(argument.contents.len()));
        2 * sizes.max().unwrap_or_default().next_multiple_of(1024) // no opaque object is larger than 1024 bytes
    }
}

/// Makes each [`Function`] from its name and its arguments. Each argument here is a pointer, and the numbers that follow it
/// in the call.
macro_rules! functions {
    ($($name:ident($($argument:expr $(; $number:expr)*),*)),* $(,)?) => {
        vec![$(Function {
            name: stringify!($name),
            arguments: vec![$($argument),*],
            call: |pointers| {
                let mut pointers = pointers.iter();
                let mut next = || pointers.next().unwrap();
                unsafe { $name($(functions!(@ $argument, next).cast() $(, $number)*),*) }
            },
        }),*]
    };
    (@ $argument:expr, $next:ident) => { $next() };
}

/// Returns every function that has more than one pointer and writes to one of them.
#[rustfmt::skip]
fn functions() -> Vec<Function> {
    let (offsets32, offsets64) = (|| reads(&[0i32, 3, 6, 10]), || reads(&[0i64, 3, 6, 10]));
    functions![
        pct_decoder_init(memory::<pct_decoder>(), options::<pct_decode_options>()),
        pct_encoder_init(memory::<pct_encoder>(), options::<pct_encode_options>()),
        pct_encoder_named(memory::<pct_encoder>(), reads(b"rfc3986-path\0")),
        pct_decode(object(decoder()), text(); LEN, output(); CAP, result()),
        pct_decode_check(object(decoder()), text(); LEN, result()),
        pct_normalize_escapes(text(); LEN, output(); CAP, result()),
        pct_decode_layers(object(decoder()), text(); LEN, output(); CAP; 3, result()),
        pct_decode_u(object(decoder()), text(); LEN, output(); CAP, result()),
        pct_url_decode_uni(reads(&[-1i32; 1 << 16]), text(); LEN, output(); CAP, result()),
        pct_encode(object(encoder()), text(); LEN, output(); CAP, result()),
        pct_set_named(reads(b"rfc3986-path\0"), writes::<pct_set>(1)),
        pct_charset_for_name(memory::<pct_charset>(), reads(b"UTF-8"); 5),
        pct_charset_for_label(memory::<pct_charset>(), reads(b"utf-8"); 5),
        pct_encode_charset(object(encoder()), object(charset()); 0, text(); LEN, output(); CAP, result()),
        pct_decode_charset(object(decoder()), object(charset()); 0, text(); LEN, output(); CAP, result()),
        pct_split_target(text(); LEN, writes::<pct_request_target>(1)),
        pct_normalize_path(text(); LEN, output(); CAP; 0, result()),
        pct_canonical_query(text(); LEN, output(); CAP; PCT_QUERY_SIGV4, reads(b"a*\0"), result()),
        pct_redact(text(); LEN, output(); CAP, result()),
        pct_repair(text(); LEN, output(); CAP; 0, writes::<pct_change>(3); 3, writes::<usize>(1), result()),
        pct_file_from_path(text(); LEN, output(); CAP; PCT_FILE_POSIX, result()),
        pct_file_to_path(text(); LEN, output(); CAP; PCT_FILE_POSIX, result()),
        pct_form_init(memory::<pct_form>(), text(); LEN, options::<pct_form_options>()),
        pct_form_next(state(form()), writes::<pct_pair>(1)),
        pct_baggage_next(text(); LEN, writes::<usize>(1), writes::<pct_pair>(1)),
        pct_disposition_read(text(); LEN, output(); CAP, writes::<u32>(1), result()),
        pct_disposition_write(text(); LEN, output(); CAP; 1, result()),
        pct_stream_encode(memory::<pct_stream>(), object(encoder())),
        pct_stream_decode(memory::<pct_stream>(), object(decoder())),
        pct_stream_push(state(stream()), text(); LEN, output(); CAP, result()),
        pct_stream_finish(state(stream()), output(); CAP, result()),
        pct_encode_batch32(object(encoder()), text(); LEN, offsets32(); 3, output(); CAP, writes::<i32>(4), result()),
        pct_encode_batch64(object(encoder()), text(); LEN, offsets64(); 3, output(); CAP, writes::<i64>(4), result()),
        pct_decode_batch32(object(decoder()), text(); LEN, offsets32(); 3, output(); CAP, writes::<i32>(4), result()),
        pct_decode_batch64(object(decoder()), text(); LEN, offsets64(); 3, output(); CAP, writes::<i64>(4), result()),
    ]
}

/// Returns the names of the functions in the header that have more than one pointer and may write to one of them.
fn names_in_header() -> BTreeSet<String> {
    let header = include_str!("../../include/percent_simd.h");
    let code: String = header.split("/*").map(|text| text.split_once("*/").map_or(text, |(_, code)| code)).collect();
    let prototypes = code.split(';').filter_map(|text| text.split_once('('));
    let is_wanted = |arguments: &str| {
        let pointers = || arguments.split(',').filter(|argument| argument.contains('*'));
        pointers().count() > 1 && pointers().any(|argument| !argument.contains("const "))
    };
    let names =
        prototypes.filter(|(_, arguments)| is_wanted(arguments)).filter_map(|(before, _)| before.rsplit(' ').next());
    names.filter(|name| name.starts_with("pct_")).map(str::to_owned).collect()
}

/// Calls `function` with its arguments at these offsets in an arena of zeros. Returns the status, and whether the call
/// has written to a byte outside its result.
fn run(function: &Function, offsets: &[usize]) -> (pct_status, bool) {
    let mut arena = vec![0u64; (function.arguments.len() + 1) * function.stride() / size_of::<u64>()];
    let start = arena.as_mut_ptr().cast::<u8>();
    let len = size_of_val(&arena[..]);
    let bytes = || unsafe { std::slice::from_raw_parts(start, len) };
    for (argument, &offset) in function.arguments.iter().zip(offsets) {
        let contents = &argument.contents;
        unsafe { start.add(offset).copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
    }
    let before = bytes().to_vec();
    let pointers: Vec<_> = offsets.iter().map(|&offset| unsafe { start.add(offset) }).collect();
    let status = (function.call)(&pointers);
    let mut after = bytes().to_vec();
    if let Some(at) = function.arguments.iter().position(|argument| argument.is_result) {
        let result = offsets[at]..offsets[at] + size_of::<pct_result>();
        let overlaps = function.arguments.iter().zip(offsets).enumerate().any(|(other, (argument, &offset))| {
            other != at && offset < result.end && result.start < offset + argument.size
        });
        if !overlaps {
            after[result.clone()].copy_from_slice(&before[result]);
        }
    }
    (status, before != after)
}

#[test]
fn written_arguments_overlap_no_other_argument() {
    let functions = functions();
    assert_eq!(functions.iter().map(|function| function.name.to_owned()).collect::<BTreeSet<_>>(), names_in_header());
    for function in &functions {
        let (name, arguments) = (function.name, &function.arguments);
        let stride = function.stride();
        let apart: Vec<_> = (0..arguments.len()).map(|at| at * stride + stride / 2).collect();
        let (status, _) = run(function, &apart);
        assert!(!matches!(status, PCT_OVERLAP | PCT_INVALID_ARGUMENT), "{name}: {status:?}");
        for (a, written) in arguments.iter().enumerate().filter(|(_, argument)| argument.is_written) {
            for (b, other) in arguments.iter().enumerate().filter(|&(b, _)| b != a) {
                let last = |size: usize, align: usize| (size - 1) / align * align;
                let is_text = |at: usize| arguments[at].size == if at == a { CAP } else { LEN };
                let places = [
                    (a, apart[b]),
                    (a, apart[b] + last(other.size, written.align)),
                    (b, apart[a] + last(written.size, other.align)),
                ];
                for (moved, offset) in places {
                    if IN_PLACE.contains(&name) && is_text(a) && is_text(b) && offset == apart[b] {
                        continue;
                    }
                    let mut offsets = apart.clone();
                    offsets[moved] = offset;
                    let context = format!("{name}: the argument {a} overlaps {b}, {moved} at {offset}");
                    assert_eq!(run(function, &offsets), (PCT_OVERLAP, false), "{context}");
                }
            }
        }
    }
}
