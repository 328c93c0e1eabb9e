//! Encodes and decodes streams.
#![forbid(unsafe_code)]

use crate::abi::{NONE, flag, status_of};
use crate::codec::Options;
use percent_simd::{DecodeError, DecodeStream, Decoder, SliceError, internal};

/// The position in a stream. A stream is an input in pieces that end anywhere. Between two pieces, the caller keeps the
/// position. The caller passes the same options with each piece. So a stream takes no memory of the module, and can
/// continue in another instance.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream {
    encode: internal::EncodeStreamState,
    decode: internal::DecodeStreamState,
    count: MalformedCount,
}

/// The progress of a stream in one call. The caller reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of bytes read from the piece.
    pub read: usize,
    /// The number of bytes written.
    pub written: usize,
    /// One of the numbers in [`status`].
    pub status: u32,
    /// The offset of the error in bytes, or [`NONE`]. It counts from the first byte that was not decoded before this call, so
    /// that it is right in a stream of more than 4 GiB, too.
    pub offset: usize,
    /// The number of `%` in the bytes read.
    pub percents: usize,
    /// The number of malformed `%` in the bytes read. If the next piece can complete a `%` to a triplet, that `%` is
    /// counted with the next piece.
    pub malformed: usize,
    /// The number of bytes decoded. If the next piece can complete a `%` to a triplet, that `%` is decoded with the next piece.
    pub decoded: usize,
}

impl Stream {
    /// Encodes or decodes as much of `piece` as `out` has space for. Ignores the options that need the whole input: layers,
    /// line endings, and line length.
    pub fn push(&mut self, encodes: bool, options: &Options, piece: &[u8], out: &mut [u8]) -> Progress {
        let mut progress = Progress { offset: NONE, ..Progress::default() };
        if encodes {
            let mut stream = internal::resume_encoding(&options.encoder(), self.encode);
            let fed = stream.push(piece, out);
            self.encode = internal::suspend_encoding(&stream);
            (progress.read, progress.written) = (fed.read, fed.written);
            return progress;
        }
        let mut stream = self.decoding(options);
        match stream.push(piece, out) {
            Ok(fed) => (progress.read, progress.written) = (fed.read, fed.written),
            Err(error) => progress.fail(error),
        }
        self.decode = internal::suspend_decoding(&stream);
        progress.decoded = internal::restart_offsets(&mut self.decode);
        let read = &piece[..progress.read];
        progress.percents = percents(read);
        progress.malformed = self.count.add(read);
        progress
    }

    /// Ends the stream, and writes the bytes that it has held back, at most 6.
    pub fn finish(&mut self, encodes: bool, options: &Options, out: &mut [u8]) -> Progress {
        let mut progress = Progress { offset: NONE, malformed: self.count.open(), ..Progress::default() };
        let ended = if encodes {
            internal::resume_encoding(&options.encoder(), self.encode).finish(out).map_err(SliceError::from)
        } else {
            self.decoding(options).finish(out)
        };
        match ended {
            Ok(written) => progress.written = written,
            Err(SliceError::Input(error)) => progress.fail(error),
            Err(_) => unreachable!("`out` is longer than what a stream holds"),
        }
        progress
    }

    fn decoding(&self, options: &Options) -> DecodeStream {
        let decoder = options.decoder();
        let decoder = if options.has(flag::STRICT) { decoder.strict() } else { decoder.as_checked() };
        let stream = internal::resume_decoding(&decoder, self.decode);
        if options.has(flag::EACH_LINE) { stream.by_line() } else { stream }
    }
}

impl Progress {
    fn fail(&mut self, error: DecodeError) {
        (self.status, self.offset) = (status_of(error.kind), error.offset);
    }
}

/// Counts malformed escapes in pieces that end anywhere. It stores the last two bytes, because only the next piece decides if a
/// `%` in these bytes starts a triplet.
#[derive(Clone, Copy, Debug, Default)]
struct MalformedCount {
    bytes: [u8; 2],
    len: usize,
}

impl MalformedCount {
    /// Puts `piece` after the stored bytes, and counts the malformed `%` in this text, except in its last two bytes.
    /// Stores these two bytes for the next call.
    fn add(&mut self, piece: &[u8]) -> usize {
        let (held, front) = (*self, &piece[..piece.len().min(2)]);
        // The stored bytes and the first two bytes of `piece`. Every triplet in these bytes starts in the stored bytes.
        let mut joined = [0; 4];
        joined[..held.len].copy_from_slice(held.as_slice());
        joined[held.len..][..front.len()].copy_from_slice(front);
        let joined = &joined[..held.len + front.len()];
        let last = if piece.len() < 2 { joined } else { piece };
        let last = &last[last.len().saturating_sub(2)..];
        self.bytes[..last.len()].copy_from_slice(last);
        self.len = last.len();
        held.open() + percents(piece) - triplets(joined) - triplets(piece) - self.open()
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns the number of `%` in the stored bytes.
    fn open(&self) -> usize {
        percents(self.as_slice())
    }
}

fn percents(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'%').count()
}

fn triplets(bytes: &[u8]) -> usize {
    // Decoding makes each triplet two bytes shorter.
    (bytes.len() - Decoder::new().decoded_len(bytes)) / 2
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::abi::status;
    use crate::codec::{decode, encode};
    use percent_simd::sets;

    /// A stream must give the same result and the same number of malformed escapes as the whole input, wherever its pieces end.
    #[test]
    fn a_stream_gives_the_result_of_the_whole_input() {
        let input = b"/a+b%41%4?x+y%\n%zz%%41?+%0A\nq%E2%82%AC?+%4\n%%z%".repeat(3);
        for flags in [0, flag::PLUS, flag::EACH_LINE, flag::EACH_LINE | flag::PLUS_AFTER_QUERY] {
            let options = Options { flags, ..Options::default() };
            let whole = decode(&input, &options);
            for size in 1..20 {
                let (got, total) = streamed(false, &options, &input, size);
                assert_eq!(got, whole.bytes(), "in pieces of {size}");
                assert_eq!(total.percents, percents(&input));
                assert_eq!(total.malformed, 24, "in pieces of {size}");
            }
        }
        let options = Options::new(sets::RFC3986_UNRESERVED, 0);
        let (got, _) = streamed(true, &options, &input, 5);
        assert_eq!(got, encode(&input, &options).bytes());
    }

    #[test]
    fn a_strict_stream_reports_the_offset_of_its_error() {
        for flags in [flag::STRICT, flag::STRICT | flag::EACH_LINE | flag::PLUS_AFTER_QUERY] {
            for size in 1..9 {
                let options = Options { flags, ..Options::default() };
                let (_, total) = streamed(false, &options, b"a%20?+\nb%41%4zc", size);
                assert_eq!((total.status, total.offset), (status::NOT_HEX, 11), "in pieces of {size}");
                let (_, total) = streamed(false, &options, b"a%20?+\nb%4", size);
                assert_eq!((total.status, total.offset), (status::TRUNCATED, 8), "in pieces of {size}");
            }
        }
    }

    /// Passes `input` to a stream in pieces of `size` bytes. Returns the output, and the progress of all calls
    /// together.
    fn streamed(encodes: bool, options: &Options, input: &[u8], size: usize) -> (Vec<u8>, Progress) {
        let mut stream = Stream::default();
        let mut out = Vec::new();
        let mut total = Progress::default();
        let mut buffer = [0; 7];
        let mut add = |progress: Progress, buffer: &[u8]| {
            out.extend_from_slice(&buffer[..progress.written]);
            total.percents += progress.percents;
            total.malformed += progress.malformed;
            (total.status, total.offset) = (progress.status, total.decoded.saturating_add(progress.offset));
            total.decoded += progress.decoded;
            progress.status == status::OK
        };
        for mut piece in input.chunks(size) {
            while !piece.is_empty() {
                let progress = stream.push(encodes, options, piece, &mut buffer);
                piece = &piece[progress.read..];
                if !add(progress, &buffer) {
                    return (out, total);
                }
            }
        }
        let progress = stream.finish(encodes, options, &mut buffer);
        add(progress, &buffer);
        (out, total)
    }
}
