//! Makes a sequence of calls on the same buffers, streams, writers and columns. Each call must append, replace, continue or fail
//! as the oracle does, and must change no other byte.
#![no_main]

use std::io::{Read, Write};

use bytes::Buf;
use libfuzzer_sys::fuzz_target;
use percent_simd::batch::{Bitmap, Column, Rows};
use percent_simd::{
    BatchError, ByteSet, DecodeError, DecodeStream, EncodeStream, Engine, SliceError, StreamWriter, internal, presets,
};
use percent_simd_fuzz::*;
use percent_standards::form::Serializer;

/// Decodes the input with the oracle, as a whole or line by line.
fn run(dec: Decode, input: &[u8], by_line: bool) -> Decoded {
    if !by_line {
        return dec.run(input);
    }
    let (mut all, mut start) = (Decoded::default(), 0);
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        let decoded = dec.run(line);
        all.out.extend(decoded.out);
        all.malformed = all.malformed.or(decoded.malformed.map(|at| start + at));
        if let Some((at, kind)) = decoded.error {
            all.error = Some((start + at, kind));
            break;
        }
        start += line.len();
    }
    all
}

/// A stream of an encoder, with all input and output so far.
struct Encoding {
    enc: Encode,
    stream: EncodeStream,
    input: Vec<u8>,
    out: Vec<u8>,
}

impl Encoding {
    fn new(enc: Encode, engine: &'static Engine) -> Encoding {
        Encoding { enc, stream: enc.encoder(engine).stream(), input: Vec::new(), out: Vec::new() }
    }

    fn push(&mut self, mut part: &[u8], room: usize) {
        self.input.extend(part);
        let mut buffer = vec![0; room];
        while !part.is_empty() {
            let done = self.stream.push(part, &mut buffer);
            assert!(done.read + done.written > 0);
            self.out.extend_from_slice(&buffer[..done.written]);
            part = &part[done.read..];
        }
        assert!(self.enc.run(&self.input).starts_with(&self.out), "{:?}", self.enc);
    }

    fn finish(mut self) {
        let mut buffer = [0; 6];
        let ended = self.stream.finish(&mut buffer).unwrap();
        self.out.extend_from_slice(&buffer[..ended]);
        assert_eq!(self.out, self.enc.run(&self.input), "{:?}", self.enc);
    }
}

/// A stream of a decoder, with all input and output so far.
struct Decoding {
    dec: Decode,
    by_line: bool,
    stream: DecodeStream,
    input: Vec<u8>,
    out: Vec<u8>,
    error: Option<DecodeError>,
}

impl Decoding {
    fn new(dec: Decode, engine: &'static Engine, by_line: bool) -> Decoding {
        let stream = dec.decoder(engine).stream();
        let stream = if by_line { stream.by_line() } else { stream };
        Decoding { dec, by_line, stream, input: Vec::new(), out: Vec::new(), error: None }
    }

    fn push(&mut self, mut part: &[u8], room: usize) {
        let mut buffer = vec![0; room + 7];
        if let Some(error) = self.error {
            // After an error, a stream returns this error again.
            assert_eq!(self.stream.push(part, &mut buffer), Err(error));
            return;
        }
        self.input.extend(part);
        while !part.is_empty() && self.error.is_none() {
            match self.stream.push(part, &mut buffer) {
                Ok(done) => {
                    assert!(done.read + done.written > 0);
                    self.out.extend_from_slice(&buffer[..done.written]);
                    part = &part[done.read..];
                }
                Err(error) => self.error = Some(error),
            }
        }
        let expected = run(self.dec, &self.input, self.by_line);
        assert!(expected.out.starts_with(&self.out), "{:?}", self.dec);
        assert!(self.error.is_none() || self.error.map(fault) == expected.error, "{:?}", self.dec);
    }

    fn suspend(&mut self, engine: &'static Engine) {
        let state = internal::suspend_decoding(&self.stream);
        let decoder = match self.dec.decoder(engine) {
            AnyDecoder::Lenient(decoder) => decoder.as_checked(),
            AnyDecoder::Checked(decoder) => decoder,
        };
        let stream = internal::resume_decoding(&decoder, state);
        self.stream = if self.by_line { stream.by_line() } else { stream };
    }

    fn finish(mut self) {
        let mut buffer = [0; 6];
        match self.stream.finish(&mut buffer) {
            Ok(ended) => self.out.extend_from_slice(&buffer[..ended]),
            Err(SliceError::Input(error)) => self.error = Some(error),
            Err(error) => panic!("{error}"),
        }
        let expected = run(self.dec, &self.input, self.by_line);
        assert_eq!((&self.out, self.error.map(fault)), (&expected.out, expected.error), "{:?}", self.dec);
        assert_eq!(self.stream.first_malformed(), expected.malformed, "{:?}", self.dec);
    }
}

/// A writer, with all input so far.
struct Writing {
    dec: Decode,
    by_line: bool,
    input: Vec<u8>,
    writer: StreamWriter<Vec<u8>, DecodeStream>,
}

impl Writing {
    fn new(dec: Decode, engine: &'static Engine, by_line: bool) -> Writing {
        let writer = dec.checked(engine).writer(Vec::new());
        Writing { dec, by_line, input: Vec::new(), writer: if by_line { writer.by_line() } else { writer } }
    }

    /// Writes `part`. Returns false after an error.
    fn write(&mut self, part: &[u8]) -> bool {
        let result = self.writer.write_all(part).map_err(inner);
        self.input.extend(part);
        let expected = run(self.dec, &self.input, self.by_line);
        assert!(expected.out.starts_with(self.writer.get_ref()), "{:?}", self.dec);
        assert!(result.is_ok() || result.err() == expected.error, "{:?}", self.dec);
        result.is_ok()
    }

    fn finish(self) {
        let expected = run(self.dec, &self.input, self.by_line);
        let result = self.writer.finish().map_err(inner);
        assert_eq!(result.as_deref().map_err(|error| *error), expected.result(), "{:?}", self.dec);
    }
}

/// Returns the decoder's error that an `io::Error` contains.
fn inner(error: std::io::Error) -> Fault {
    fault(*error.get_ref().and_then(|error| error.downcast_ref::<DecodeError>()).expect("the error of a decoder"))
}

/// Appends the lines of `part` as rows to a column and to the expected rows. If `nulls` is set, the first row and then every
/// eighth row are null.
fn append(column: &mut Column<i32>, rows: &mut Vec<Option<Vec<u8>>>, part: &[u8], nulls: bool, coder: Coder) {
    let mut offsets = vec![0];
    for line in part.split_inclusive(|&byte| byte == b'\n') {
        offsets.push(offsets[offsets.len() - 1] + line.len() as i32);
    }
    let bits = vec![0xFE; offsets.len().div_ceil(8)];
    let input = Rows::new(part, &offsets);
    let input = if nulls { input.with_validity(Bitmap::new(&bits, 0)) } else { input };
    let lines = part.split_inclusive(|&byte| byte == b'\n').enumerate();
    let before = column.clone();
    let mut new = Vec::new();
    let mut wrong = None;
    for (row, line) in lines {
        let is_null = nulls && row % 8 == 0;
        new.push(match coder {
            _ if is_null => None,
            Coder::Encode(enc, _) => Some(enc.run(line)),
            Coder::Decode(dec, _) => {
                let decoded = dec.run(line);
                if let (Some((offset, kind)), None) = (decoded.error, &wrong) {
                    wrong = Some(BatchError::Row { row, error: DecodeError::new(offset, kind) });
                }
                Some(decoded.out)
            }
        });
    }
    let result = match coder {
        Coder::Encode(enc, engine) => enc.encoder(engine).batch().run(input, column),
        Coder::Decode(dec, engine) => dec.checked(engine).batch().run(input, column),
    };
    assert_eq!(result, wrong.clone().map_or(Ok(()), Err));
    if wrong.is_some() {
        assert_eq!(*column, before, "as it was");
    } else {
        rows.extend(new);
    }
    let is_right = column.rows().eq(rows.iter().map(Option::as_deref));
    assert!(is_right || rows.is_empty(), "{column:?} {rows:?}");
}

/// An encoder or a decoder of a column.
#[derive(Clone, Copy)]
enum Coder {
    Encode(Encode, &'static Engine),
    Decode(Decode, &'static Engine),
}

/// Returns the lines of `part` as a form. The first `=` of a line separates name and value. A line without `=` is a name.
fn naive_form(part: &[u8], enc: Encode, separator: &str, is_continued: bool) -> String {
    let mut out = String::new();
    for (number, line) in part.split(|&byte| byte == b'\n').enumerate() {
        if number > 0 || is_continued {
            out += separator;
        }
        let text = |part: &[u8]| String::from_utf8(enc.run(part)).unwrap();
        match line.iter().position(|&byte| byte == b'=') {
            Some(at) => out += &[text(&line[..at]), text(&line[at + 1..])].join("="),
            None => out += &text(line),
        }
    }
    out
}

/// The form set of URL Standard 1.3, spelt out.
const FORM: ByteSet = ByteSet::of(b"*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let engines: Vec<_> = Engine::available().collect();
    let (mut bytes, mut text) = (Vec::new(), String::new());
    let (mut column, mut rows) = (Column::<i32>::default(), Vec::new());
    let mut encoding = Encoding::new(Encode::new(UNRESERVED), engines[0]);
    let mut decoding = Decoding::new(LENIENT, engines[0], false);
    let mut writing: Option<Writing> = None;
    for _ in 0..40 {
        if choices.0.is_empty() || bytes.len() + text.len() + column.values.len() > 1 << 16 {
            break;
        }
        let engine = engines[choices.below(engines.len())];
        let operation = choices.byte();
        let (enc, dec) = (choices.encode(), choices.decode());
        let part = choices.some(200);
        let (before, text_before) = (bytes.clone(), text.clone());
        let ascii = Encode { allowed: enc.allowed & ByteSet::ASCII, ..enc };
        // `operation % 32` chooses the operation, and the other bits choose its variant.
        let variant = usize::from(operation / 32);
        match operation % 32 {
            0 => {
                assert_eq!(enc.encoder(engine).encode_into(part, &mut bytes), enc.run(part).len());
                assert_eq!(bytes, [before, enc.run(part)].concat(), "{engine} {enc:?}");
            }
            1 => {
                let result = dec.checked(engine).decode_into(part, &mut bytes).map_err(fault);
                let expected = dec.run(part);
                assert_eq!(result, expected.result().map(<[u8]>::len), "{engine} {dec:?}");
                assert_eq!(bytes, [&before[..], expected.result().unwrap_or_default()].concat(), "{engine} {dec:?}");
            }
            2 => {
                let result = dec.checked(engine).decode_into_string(part, &mut text).map_err(fault);
                let expected = dec.run(part);
                assert_eq!(result, expected.text().map(str::len), "{engine} {dec:?}");
                assert_eq!(text, text_before + expected.text().unwrap_or_default(), "{engine} {dec:?}");
            }
            3 => {
                let expected = dec.run(&bytes);
                let result = dec.checked(engine).decode_vec(&mut bytes).map_err(fault);
                assert_eq!(result.err(), expected.error, "{engine} {dec:?}");
                assert_eq!(bytes, expected.result().unwrap_or(&before), "{engine} {dec:?}");
            }
            4 => {
                let expected = dec.run(text.as_bytes());
                let result = dec.decoder(engine).string(std::mem::take(&mut text));
                assert_eq!(result.as_deref().map_err(|e| *e), expected.text(), "{engine} {dec:?}");
                text = result.unwrap_or_default();
            }
            5 => {
                ascii.encoder(engine).to_ascii().encode_into(part, &mut text);
                assert_eq!(text.as_bytes(), [text_before.as_bytes(), &ascii.run(part)].concat(), "{engine} {enc:?}");
            }
            6 => bytes.truncate(part.len()),
            7 => {
                bytes.shrink_to_fit();
                bytes.reserve(part.len());
            }
            8 => {
                text.clear();
                if variant == 0 {
                    column.clear();
                    rows.clear();
                }
            }
            9 => {
                let written = enc.encoder(engine).encode_io(part, &mut bytes).unwrap();
                assert_eq!(written, enc.run(part).len() as u64);
                assert_eq!(bytes, [before, enc.run(part)].concat(), "{engine} {enc:?}");
            }
            10 => {
                let expected = dec.run(part);
                let result = dec.checked(engine).decode_io(part, &mut bytes).map_err(inner);
                assert_eq!(result, expected.result().map(|out| out.len() as u64), "{engine} {dec:?}");
                let added = bytes.strip_prefix(&before[..]).expect("the existing bytes");
                let is_right = if result.is_ok() { added == expected.out } else { expected.out.starts_with(added) };
                assert!(is_right, "{engine} {dec:?}");
            }
            11 => {
                ascii.encoder(engine).to_ascii().encode_fmt(part, &mut text).unwrap();
                assert_eq!(text.as_bytes(), [text_before.as_bytes(), &ascii.run(part)].concat(), "{engine} {enc:?}");
            }
            12 => {
                let (front, rest) = part.split_at(part.len() * variant / 8);
                let written = enc.encoder(engine).encode_buf(Buf::chain(front, rest), &mut bytes);
                assert_eq!(written, enc.run(part).len() as u64);
                assert_eq!(bytes, [before, enc.run(part)].concat(), "{engine} {enc:?}");
            }
            13 => {
                let (front, rest) = part.split_at(part.len() * variant / 8);
                let expected = dec.run(part);
                let result = dec.checked(engine).decode_buf(Buf::chain(front, rest), &mut bytes).map_err(fault);
                assert_eq!(result, expected.result().map(|out| out.len() as u64), "{engine} {dec:?}");
                let added = bytes.strip_prefix(&before[..]).expect("the existing bytes");
                let is_right = if result.is_ok() { added == expected.out } else { expected.out.starts_with(added) };
                assert!(is_right, "{engine} {dec:?}");
            }
            14 | 15 => {
                let encoder = percent_simd::Encoder::new(presets::WHATWG_FORM.allowed()).with_engine(engine);
                let (plus, semicolons, is_continued) = (variant & 1 == 0, variant & 2 != 0, variant & 4 != 0);
                let mut form =
                    Serializer::append_to(&mut text).encoder(if plus { encoder.space_to_plus() } else { encoder });
                if semicolons {
                    form = form.semicolons();
                }
                if is_continued {
                    form = form.after_existing_pairs();
                }
                for line in part.split(|&byte| byte == b'\n') {
                    match line.iter().position(|&byte| byte == b'=') {
                        Some(at) => form.append(&line[..at], &line[at + 1..]),
                        None => form.append_name(line),
                    };
                }
                let enc = Encode { plus, ..Encode::new(FORM) };
                let added = naive_form(part, enc, if semicolons { ";" } else { "&" }, is_continued);
                assert_eq!(text, text_before + &added, "{engine}");
            }
            16 | 17 => encoding.push(part, 3 + variant * 9),
            18 | 19 => decoding.push(part, variant * 9),
            20 => {
                let state = internal::suspend_encoding(&encoding.stream);
                encoding.stream = internal::resume_encoding(&encoding.enc.encoder(engine), state);
                decoding.suspend(engine);
            }
            21 => std::mem::replace(&mut encoding, Encoding::new(enc, engine)).finish(),
            22 | 23 => std::mem::replace(&mut decoding, Decoding::new(dec, engine, variant & 1 == 1)).finish(),
            24 => append(&mut column, &mut rows, part, variant & 1 == 1, Coder::Encode(enc, engine)),
            25 | 26 => append(&mut column, &mut rows, part, variant & 1 == 1, Coder::Decode(dec, engine)),
            27 | 28 => {
                let writer = writing.get_or_insert_with(|| Writing::new(dec, engine, variant & 1 == 1));
                if !writer.write(part) {
                    writing = None;
                }
            }
            29 => {
                if let Some(writer) = writing.take() {
                    writer.finish();
                }
            }
            30 => {
                let expected = run(dec, part, true);
                let result = dec.checked(engine).reader(part).by_line().read_to_end(&mut bytes).map_err(inner);
                assert_eq!(result, expected.result().map(<[u8]>::len), "{engine} {dec:?}");
                let added = bytes.strip_prefix(&before[..]).expect("the existing bytes");
                assert_eq!(added, expected.out, "{engine} {dec:?}");
            }
            _ => bytes.clear(),
        }
        // `str::from_utf8` checks the bytes again, because a fault in the library could make a `str` that isn't UTF-8.
        assert!(str::from_utf8(text.as_bytes()).is_ok(), "{engine}");
    }
    encoding.finish();
    decoding.finish();
});
