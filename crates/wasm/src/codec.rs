//! Encodes, decodes and normalizes whole inputs.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use core::str;

use crate::abi::{NONE, flag, status, status_of};
use crate::latin1::from_utf8;
use crate::memory::out_of_memory;
use percent_simd::{ByteSet, DecodeError, Decoder, Plus, RawEncoder, internal};
use percent_standards::newline::Newline;
use percent_standards::uri::{self, Normalizer};
use percent_standards::{ecma, iri};

/// The options of an operation. The caller writes them into a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A bit for each byte, from byte 0 on. Encoding: the bytes that stay. Decoding: the bytes whose triplets stay.
    pub set: [u32; 8],
    /// The [`flag`]s that are set.
    pub flags: u32,
    /// The maximum number of layers of escapes to decode; 0 means 1.
    pub max_layers: u32,
}

/// The result of an operation. The caller reads it.
#[repr(C)]
#[derive(Debug)]
pub struct Output {
    /// The address of the output.
    data: *const u8,
    /// The length of the output in bytes.
    len: usize,
    /// One of the numbers in [`status`].
    pub status: u32,
    /// The offset of the error in the input, in bytes. If decoding succeeded, the offset of the first malformed `%`, or
    /// [`NONE`].
    pub offset: usize,
    /// The number of decoded layers.
    pub layers: usize,
    /// With [`flag::CHECK_UTF8`], the offset of the first invalid UTF-8 in the decoded bytes, or [`NONE`].
    pub invalid_utf8: usize,
    /// With [`flag::LATIN1`], 1 if the decoded bytes were converted to Latin-1, otherwise 0.
    pub latin1: u32,
    /// The block that `data` and `len` describe. [`crate::output_free`] frees it.
    bytes: Vec<u8>,
}

impl Output {
    /// Makes the result that owns `bytes`. The address of the bytes stays the same as long as the result lives.
    pub fn new(bytes: Vec<u8>) -> Output {
        let (data, len) = (bytes.as_ptr(), bytes.len());
        Output { data, len, status: status::OK, offset: NONE, layers: 0, invalid_utf8: NONE, latin1: 0, bytes }
    }

    /// Returns an empty output with the status of an error.
    pub fn error(status: u32, offset: usize) -> Output {
        Output { status, offset, ..Output::new(Vec::new()) }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// CR and LF.
const LINE_ENDS: ByteSet = ByteSet::of(b"\r\n");

/// The maximum length of the lines that [`flag::WRAP`] makes, as in MIME (RFC 2045 6.8).
const WIDTH: usize = 76;

impl Options {
    /// Returns the options with this set and these flags.
    #[cfg(test)]
    pub fn new(set: ByteSet, flags: u32) -> Options {
        let words = set.words();
        let set_words = core::array::from_fn(|at| (words[at / 2] >> (32 * (at % 2))) as u32);
        let options = Options { set: set_words, flags, max_layers: 0 };
        assert_eq!(options.byte_set() & !LINE_ENDS, set & !LINE_ENDS);
        options
    }

    /// Returns true if `flag` is set.
    pub const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Returns the set of these options. If line endings stay, CR and LF are added to the set.
    pub fn byte_set(&self) -> ByteSet {
        let word = |at: usize| u64::from(self.set[2 * at]) | u64::from(self.set[2 * at + 1]) << 32;
        let set = ByteSet::from_words([word(0), word(1), word(2), word(3)]);
        if self.has(flag::EACH_LINE) { set | LINE_ENDS } else { set }
    }

    /// Returns the encoder of these options.
    pub fn encoder(&self) -> RawEncoder {
        let mut encoder = RawEncoder::new(self.byte_set());
        if self.has(flag::LOWERCASE) {
            encoder = encoder.lowercase();
        }
        if self.has(flag::PLUS) {
            encoder = encoder.space_to_plus();
        }
        if self.has(flag::KEEP_TRIPLETS) {
            encoder = encoder.keep_triplets();
        }
        encoder
    }

    /// Returns the decoder of these options.
    pub fn decoder(&self) -> Decoder {
        let plus = match () {
            () if self.has(flag::PLUS) => Plus::Always,
            () if self.has(flag::PLUS_AFTER_QUERY) => Plus::AfterQuery,
            () => Plus::Never,
        };
        let decoder = Decoder::new().plus(plus);
        let keep = self.byte_set();
        if keep.is_empty() { decoder } else { decoder.keep(keep) }
    }

    fn newline(&self) -> Newline {
        match () {
            () if self.has(flag::LF) => Newline::Lf,
            () if self.has(flag::CRLF) => Newline::CrLf,
            () => Newline::Keep,
        }
    }

    /// Returns true if each line has its own query.
    fn has_queries(&self) -> bool {
        self.has(flag::EACH_LINE) && self.has(flag::PLUS_AFTER_QUERY)
    }
}

/// Encodes `input`.
pub fn encode(input: &[u8], options: &Options) -> Output {
    let newline = options.newline();
    if newline.applied_len(input).is_none() {
        out_of_memory();
    }
    let input = newline.apply_bytes(input);
    let Ok(encoded) = options.encoder().try_encode(&input) else { out_of_memory() };
    Output::new(if options.has(flag::WRAP) { wrapped(&encoded, newline) } else { encoded.into_owned() })
}

/// Breaks encoded text into lines of [`WIDTH`] characters. A line that would end inside a triplet ends before this
/// triplet.
fn wrapped(text: &[u8], newline: Newline) -> Vec<u8> {
    let end: &[u8] = if newline == Newline::Lf { b"\n" } else { b"\r\n" };
    let mut out = Vec::with_capacity(text.len() + text.len() / (WIDTH - 2) * end.len());
    let mut rest = text;
    while rest.len() > WIDTH {
        let cut = match rest[..WIDTH] {
            [.., b'%'] => WIDTH - 1,
            [.., b'%', _] => WIDTH - 2,
            _ => WIDTH,
        };
        out.extend_from_slice(&rest[..cut]);
        out.extend_from_slice(end);
        rest = &rest[cut..];
    }
    out.extend_from_slice(rest);
    out
}

/// Decodes `input`.
pub fn decode(input: &[u8], options: &Options) -> Output {
    let joined;
    let input = if options.has(flag::WRAP) {
        joined = input.iter().copied().filter(|&byte| !LINE_ENDS.contains(byte)).collect::<Vec<_>>();
        &joined
    } else {
        input
    };
    let decoded = if options.has_queries() { decode_lines(input, options) } else { decode_layers(input, options) };
    match decoded {
        Err(error) => Output::error(status_of(error.kind), error.offset),
        Ok(Decoded { bytes, malformed, layers }) => {
            let invalid_utf8 = match options.has(flag::CHECK_UTF8).then(|| str::from_utf8(&bytes)) {
                Some(Err(error)) => error.valid_up_to(),
                _ => NONE,
            };
            let text = if options.has(flag::LATIN1) { latin1(&bytes) } else { None };
            let latin1 = u32::from(text.is_some());
            let bytes = text.unwrap_or_else(|| bytes.into_owned());
            Output { offset: malformed, layers, invalid_utf8, latin1, ..Output::new(bytes) }
        }
    }
}

/// Converts UTF-8 to Latin-1. Returns `None` if a character isn't in Latin-1.
fn latin1(utf8: &[u8]) -> Option<Vec<u8>> {
    let mut text = vec![0; utf8.len()];
    let len = from_utf8(utf8, &mut text)?;
    text.truncate(len);
    Some(text)
}

struct Decoded<'a> {
    bytes: Cow<'a, [u8]>,
    malformed: usize,
    layers: usize,
}

/// Decodes one line after another, because each line has its own query.
fn decode_lines<'a>(input: &'a [u8], options: &Options) -> Result<Decoded<'a>, DecodeError> {
    let mut bytes = Vec::with_capacity(input.len());
    let (mut malformed, mut layers, mut at) = (NONE, 0, 0);
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        let decoded = decode_layers(line, options).map_err(|error| DecodeError::new(error.offset + at, error.kind))?;
        bytes.extend_from_slice(&decoded.bytes);
        malformed = malformed.min(decoded.malformed.saturating_add(at));
        layers = layers.max(decoded.layers);
        at += line.len();
    }
    Ok(Decoded { bytes: Cow::Owned(bytes), malformed, layers })
}

fn decode_layers<'a>(input: &'a [u8], options: &Options) -> Result<Decoded<'a>, DecodeError> {
    let decoder = options.decoder();
    let strict = options.has(flag::STRICT).then(|| decoder.strict());
    if options.max_layers > 1 {
        let max = options.max_layers as usize;
        let malformed = decoder.first_malformed(input).unwrap_or(NONE);
        let layers = match strict {
            Some(strict) => strict.decode_layers(input, max)?,
            None => decoder.decode_layers(input, max),
        };
        return Ok(Decoded { bytes: layers.bytes, malformed, layers: layers.layers });
    }
    let (bytes, malformed) = match strict {
        Some(strict) => (strict.decode(input)?, NONE),
        None => {
            let decoded = internal::decode_with_report(&decoder, input);
            (decoded.bytes, decoded.first_malformed.unwrap_or(NONE))
        }
    };
    let layers = usize::from(matches!(bytes, Cow::Owned(_)));
    Ok(Decoded { bytes, malformed, layers })
}

/// Applies the operation with the number `kind` to `input`, which must be text.
pub fn transform(kind: u32, input: &[u8]) -> Output {
    let text = match str::from_utf8(input) {
        Ok(text) => text,
        Err(error) => return Output::error(status::INVALID_UTF8, error.valid_up_to()),
    };
    // The result of each operation is at most three times as long as the text, and must fit into the address space.
    if text.len() > isize::MAX as usize / 3 {
        out_of_memory();
    }
    let result = match kind {
        0 => Normalizer::new().normalize(text),
        1 => Normalizer::new().by_scheme().normalize(text),
        2 => uri::normalize_escapes(text),
        3 => Ok(Normalizer::new().sanitize(text)),
        4 => Ok(iri::to_uri(text)),
        5 => Ok(iri::to_iri(text)),
        6 => Ok(ecma::escape(text)),
        7 => Ok(ecma::unescape_lossy(text)),
        8 => Ok(Normalizer::new().by_scheme().sanitize(text)),
        9 => Ok(uri::sanitize_escapes(text)),
        _ => unreachable!("no such operation"),
    };
    match result {
        Ok(text) => Output::new(text.into_owned().into_bytes()),
        Err(error) => Output::error(status_of(error.kind), error.offset),
    }
}

/// Applies `operation` to a text. Input that isn't UTF-8 is an error with its offset.
pub fn of_text(input: &[u8], operation: impl FnOnce(&str) -> Vec<u8>) -> Output {
    match str::from_utf8(input) {
        Ok(text) => Output::new(operation(text)),
        Err(error) => Output::error(status::INVALID_UTF8, error.valid_up_to()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_simd::{presets, sets};

    fn text(output: &Output) -> &str {
        str::from_utf8(output.bytes()).unwrap()
    }

    #[test]
    fn encodes_as_the_options_say() {
        let component = Options::new(sets::RFC3986_UNRESERVED, 0);
        assert_eq!(text(&encode("a b/é".as_bytes(), &component)), "a%20b%2F%C3%A9");
        let form = Options::new(presets::WHATWG_FORM.allowed(), flag::PLUS | flag::LOWERCASE);
        assert_eq!(text(&encode("a b/é".as_bytes(), &form)), "a+b%2f%c3%a9");
        let lines = Options::new(sets::RFC3986_UNRESERVED, flag::EACH_LINE | flag::CRLF);
        assert_eq!(text(&encode(b"a b\nc d", &lines)), "a%20b\r\nc%20d");
        let triplets = Options::new(sets::RFC3986_UNRESERVED, flag::KEEP_TRIPLETS);
        assert_eq!(text(&encode(b"%41 100%", &triplets)), "%41%20100%25");
    }

    #[test]
    fn wrapped_lines_keep_their_escapes() {
        for start in 0..4 {
            let input = ["a".repeat(72 + start), " ".repeat(100)].concat();
            let options = Options::new(sets::RFC3986_UNRESERVED, flag::WRAP);
            let wrapped = encode(input.as_bytes(), &options);
            let lines: Vec<&str> = text(&wrapped).split("\r\n").collect();
            assert!(lines.iter().all(|line| line.len() <= WIDTH && Decoder::new().first_malformed(*line).is_none()));
            let decoding = Options { flags: flag::WRAP, ..Options::default() };
            assert_eq!(text(&decode(text(&wrapped).as_bytes(), &decoding)), input);
        }
    }

    #[test]
    fn decodes_as_the_options_say() {
        let with = |flags, max_layers| Options { flags, max_layers, ..Options::default() };
        let lenient = decode(b"a%20b%zz+", &with(0, 0));
        assert_eq!((text(&lenient), lenient.status, lenient.offset), ("a b%zz+", status::OK, 5));
        assert_eq!(text(&decode(b"a+b%2B", &with(flag::PLUS, 0))), "a b+");
        let strict = decode(b"a%20b%zz+", &with(flag::STRICT, 0));
        assert_eq!((text(&strict), strict.status, strict.offset), ("", status::NOT_HEX, 5));
        assert_eq!(decode(b"100%", &with(flag::STRICT, 0)).status, status::TRUNCATED);
        let layers = decode(b"%252541", &with(0, 9));
        assert_eq!((text(&layers), layers.layers), ("A", 3));
        let refused = decode(b"%2541%zz", &with(flag::STRICT, 9));
        assert_eq!((refused.status, refused.offset), (status::NOT_HEX, 5));
        let lines = with(flag::EACH_LINE | flag::PLUS_AFTER_QUERY, 0);
        assert_eq!(text(&decode(b"/a+b?c+d\n/e+f%0A?g+h%zz", &lines)), "/a+b?c d\n/e+f%0A?g h%zz");
        assert_eq!(decode(b"/a+b?c+d\n/e+f%0A?g+h%zz", &lines).offset, 20);
        let strict_lines = with(flag::EACH_LINE | flag::PLUS_AFTER_QUERY | flag::STRICT, 0);
        let refused = decode(b"/a+b?c+d\n%41%zz\n%4", &strict_lines);
        assert_eq!((refused.status, refused.offset), (status::NOT_HEX, 12));
        let utf8 = decode(b"caf%E9", &with(flag::CHECK_UTF8, 0));
        assert_eq!(utf8.invalid_utf8, 3);
        let latin1 = decode("%C3%A9é".as_bytes(), &with(flag::LATIN1, 0));
        assert_eq!((latin1.bytes(), latin1.latin1), (&b"\xE9\xE9"[..], 1));
        let other = decode(b"%E2%82%AC", &with(flag::LATIN1, 0));
        assert_eq!((text(&other), other.latin1), ("€", 0));
    }

    #[test]
    fn texts_are_transformed() {
        assert_eq!(text(&transform(0, b"HTTP://H/a/../%7e%2f")), "http://h/~%2F");
        assert_eq!(text(&transform(4, "/é".as_bytes())), "/%C3%A9");
        assert_eq!(text(&transform(5, b"/%C3%A9")), "/é");
        assert_eq!(text(&transform(7, transform(6, "€".as_bytes()).bytes())), "€");
        assert_eq!(text(&transform(1, b"HTTP://H:80")), "http://h/");
        assert_eq!(text(&transform(2, b"HTTP://H:80/%7e")), "HTTP://H:80/~");
        assert_eq!(text(&transform(3, b"HTTP://H:80/%zz")), "http://h:80/%25zz");
        assert_eq!(text(&transform(8, b"HTTP://H:80/%zz")), "http://h/%25zz");
        assert_eq!(text(&transform(9, b"HTTP://H:80/%7e%zz")), "HTTP://H:80/~%25zz");
        assert_eq!((transform(0, b"/%").status, transform(0, b"/%").offset), (status::TRUNCATED, 1));
        assert_eq!(transform(0, b"a\xFF").status, status::INVALID_UTF8);
    }
}
