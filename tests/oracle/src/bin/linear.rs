//! Runs every operation over every hostile input at three lengths, and marks in between, for `scripts/linear` to count the
//! instructions from mark to mark. Prints what lies between the marks, in order. Arguments: only these operations.

use std::hint::black_box;

use percent_simd::iri::{to_iri, to_uri};
use percent_simd::newline::Newline;
use percent_simd::uri::template::{Template, Value};
use percent_simd::uri::{Level, Normalizer, Uri, equivalent, lint, remove_dot_segments};
use percent_simd::{ByteSet, Decoder, Encoder, Plus, ecma, form, sets};

/// Bytes, each eight times as many as the one before.
const LENGTHS: [usize; 3] = [16 * 1024, 128 * 1024, 1024 * 1024];

/// What inputs repeat: clean text, escapes whole, cut, malformed and nested, delimiters, dots.
const UNITS: [&str; 16] = [
    "a",
    "%",
    "%%",
    "%4",
    "%41",
    "%zz",
    "%2525",
    "%E2",
    "%E2%82%AC",
    "+",
    "a?+",
    "/../a",
    "/a/..",
    "&",
    "a=b&",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%",
];

const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
const DECODER: Decoder = Decoder::new();

/// The operations, under the names that the table has.
const OPERATIONS: &[(&str, fn(&str))] = &[
    ("encode", |text| _ = black_box(ENCODER.encode(text))),
    ("encode_to_string", |text| _ = black_box(ENCODER.encode_to_string(text))),
    ("encode, triplets kept", |text| _ = black_box(ENCODER.keep_triplets().encode(text))),
    ("pieces of an encoder", |text| _ = black_box(ENCODER.pieces(text).map(str::len).sum::<usize>())),
    ("decode", |text| _ = black_box(DECODER.decode(text))),
    ("decode, every option", |text| {
        let decoder = DECODER.plus(Plus::AfterQuery).keep_upper(ByteSet::of(b"/%"));
        _ = black_box(decoder.reject(ByteSet::of(b"\0")).decode(text));
    }),
    ("decode strictly", |text| _ = black_box(DECODER.strict().decode(text).is_ok())),
    ("decode_utf8", |text| _ = black_box(DECODER.decode_utf8(text).is_ok())),
    ("decode_utf8_lossy", |text| _ = black_box(DECODER.decode_utf8_lossy(text))),
    ("decode_in_place", |text| _ = black_box(DECODER.decode_in_place(&mut text.as_bytes().to_vec()).len())),
    ("pieces of a decoder", |text| _ = black_box(DECODER.pieces(text).map(<[u8]>::len).sum::<usize>())),
    ("decode_layers", |text| _ = black_box(DECODER.decode_layers(text, usize::MAX))),
    ("encode a stream, little room", |text| {
        let (mut stream, mut rest) = (ENCODER.stream(), text.as_bytes());
        while !rest.is_empty() {
            rest = &rest[stream.push(rest, &mut [0; 16]).read..];
        }
    }),
    ("decode a stream, little room", |text| {
        let (mut stream, mut rest) = (DECODER.plus(Plus::AfterQuery).stream(), text.as_bytes());
        while !rest.is_empty() {
            rest = &rest[stream.push(rest, &mut [0; 16]).unwrap_or_else(|error| panic!("{error}")).read..];
        }
    }),
    ("decode_into, 10 bytes a call", |text| {
        let mut out = Vec::new();
        for row in text.as_bytes().chunks(10) {
            DECODER.decode_into(row, &mut out);
        }
        _ = black_box(out);
    }),
    ("decode_batch, rows of 10 bytes", |text| {
        let offsets: Vec<usize> = (0..=text.len()).step_by(10).collect();
        _ = black_box(DECODER.decode_batch(text.as_bytes(), &offsets, &mut Vec::new(), &mut Vec::new()).is_ok());
    }),
    ("form::parse", |text| _ = black_box(form::parse(text).count())),
    ("form::serialize", |text| _ = black_box(form::serialize([(text, text)]))),
    ("Uri::split", |text| _ = black_box(Uri::split(text).segments().count())),
    ("Uri::parse", |text| _ = black_box(Uri::parse(text).is_ok())),
    ("Uri::resolve", |text| _ = black_box(Uri::split("s://h/a/b").resolve(&Uri::split(text)).is_ok())),
    ("remove_dot_segments", |text| _ = black_box(remove_dot_segments(text))),
    ("Normalizer::sanitize", |text| _ = black_box(Normalizer::new().by_scheme().sanitize(text))),
    ("equivalent", |text| _ = black_box(equivalent(text, &[text, "b"].concat(), Level::PathSegment))),
    ("lint", |text| _ = black_box(lint(text).count())),
    ("Template::expand", |text| {
        if let Ok(template) = Template::parse("{a}{+b}{?c*}") {
            _ = black_box(template.expand_with(|_| Some(Value::Text(text))).is_ok());
        }
    }),
    ("to_iri", |text| _ = black_box(to_iri(text))),
    ("to_uri", |text| _ = black_box(to_uri(text))),
    ("ecma::decode_uri", |text| _ = black_box(ecma::decode_uri(text).is_ok())),
    ("ecma::escape, unescape", |text| _ = black_box(ecma::unescape(&ecma::escape(text)).is_ok())),
    ("Newline::apply", |text| _ = black_box(Newline::CrLf.apply(text))),
];

/// Ends what is counted, and begins anew.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn percent_simd_mark() {
    _ = black_box(0);
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let input = |unit: &str, n: usize| unit.repeat(n / unit.len());
    let inputs: Vec<_> = UNITS.iter().map(|unit| (unit, LENGTHS.map(|n| input(unit, n)))).collect();
    for (name, operation) in OPERATIONS {
        if !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
            continue;
        }
        for (unit, texts) in &inputs {
            for text in texts {
                percent_simd_mark();
                operation(text);
                percent_simd_mark();
                println!("{name}\t{unit}\t{}", text.len());
            }
        }
    }
}
