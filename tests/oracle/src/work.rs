//! Every public operation and the inputs that make it work hardest: `scripts/linear` counts instructions of them, and
//! `tests/work.rs` what they load and allocate.

use std::hint::black_box;

use percent_simd::http::ExtValue;
use percent_simd::iri::{self, to_iri, to_uri};
use percent_simd::newline::Newline;
use percent_simd::uri::data::DataUrl;
use percent_simd::uri::template::{Template, Value};
use percent_simd::uri::{self, Level, Normalizer, Uri, equivalent, lint, remove_dot_segments};
use percent_simd::{ByteSet, Decoder, Encoder, Plus, ecma, form, sets, whatwg};

/// What hostile inputs repeat: clean text, escapes whole, cut, malformed and nested, delimiters, dots.
pub const UNITS: [&str; 16] = [
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

/// The name of an operation, and what it does to a text.
pub type Operation = (&'static str, fn(&str));

const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
const DECODER: Decoder = Decoder::new();

/// The public operations by name, each as a function of its input.
pub const OPERATIONS: &[Operation] = &[
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
    ("iri::normalize", |text| _ = black_box(iri::normalize(text).is_ok())),
    ("uri::normalize_path", |text| _ = black_box(uri::normalize_path(text).is_ok())),
    ("uri::encode_path", |text| _ = black_box(uri::encode_path(text))),
    ("whatwg::encode_path", |text| _ = black_box(whatwg::encode_path("http", text))),
    ("DataUrl", |text| {
        if let Some(url) = DataUrl::parse(&["data:a/b;c=\"", text, "\";base64,", text].concat()) {
            _ = black_box((url.mime_type(), url.decode().is_ok()));
        }
    }),
    ("ExtValue", |text| _ = black_box(ExtValue::parse(&["UTF-8''", text].concat()).is_ok())),
    ("first_changed, encoded_len, decoded_len", |text| {
        _ = black_box((ENCODER.first_changed(text), ENCODER.encoded_len(text)));
        _ = black_box((DECODER.first_changed(text), DECODER.decoded_len(text), DECODER.first_malformed(text)));
    }),
    ("decode_slice, too small by one", |text| {
        let mut out = vec![0; DECODER.decoded_len(text).saturating_sub(1)];
        _ = black_box(DECODER.decode_slice(text, &mut out).is_ok());
    }),
    ("decode_string", |text| _ = black_box(DECODER.decode_string(text.to_string()).is_ok())),
    ("Newline::apply", |text| _ = black_box(Newline::CrLf.apply(text))),
];
