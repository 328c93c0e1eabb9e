//! `pct decode`.

use std::fmt;

use clap::ValueEnum;
use memchr::{memchr, memchr_iter, memrchr};
use percent_simd::{ByteSet, Decoder};

use crate::blocks::{Filter, Records, Streams, whole};
use crate::sets;

/// Percent-decode: %XX becomes the byte it stands for
///
/// Percent-decode, once: %41 becomes A, and %2541 becomes %41. A % that starts no
/// escape, as in %zz, stays as it is, unless --strict is given.
///
/// Records are lines, and the escape of a control (%00 to %1F, %7F) stays: none can
/// end a line and forge the next, nor send ESC to a terminal. With --null only %00
/// stays, newlines and ESC come out; with --raw all is decoded. Bytes of 0x80 and
/// above come out as they are, UTF-8 or not, the controls U+0080 to U+009F too.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  pct decode access.log                   %D0%B0%20b becomes а b; %0A stays %0A
  pct decode --keep ' \"\\' access.log      no escape ends a field either
  tail -f access.log | pct decode --plus=after-query
  pct decode --strict urls                stop at the first malformed escape
  pct decode --keep '/%' paths            no new separators; %25 tells what stayed
  pct decode --raw -o body body.enc       any bytes, newlines and NUL included"
)]
pub struct Args {
    /// Stop at the first % that starts no escape, with exit status 1 and
    /// FILE:LINE: byte OFFSET (column N): what is wrong there.
    /// LINE and N, in bytes, count from 1, OFFSET from 0
    #[arg(long, verbatim_doc_comment)]
    strict: bool,

    /// Decode + to a space: `always`, which no value means too, or
    /// `after-query`: after the first ? of each record
    #[arg(
        long,
        value_name = "WHERE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    plus: Option<Plus>,

    /// Leave the escapes of these characters; %XX is any byte, %25 is %
    #[arg(long, value_name = "CHARS", value_parser = sets::octets)]
    keep: Option<ByteSet>,

    #[command(flatten)]
    pub streams: Streams,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Plus {
    Always,
    AfterQuery,
}

impl Args {
    pub fn filter(&self) -> Decode {
        let records = self.streams.records();
        let keep = self.keep.unwrap_or_default()
            | match records {
                Records::Lines => ByteSet::CONTROLS,
                Records::Null => ByteSet::of(b"\0"),
                Records::Raw => ByteSet::EMPTY,
            };
        let mut decoder = match self.plus {
            Some(Plus::Always) => Decoder::new().plus(percent_simd::Plus::Always),
            Some(Plus::AfterQuery) | None => Decoder::new(),
        };
        if !keep.is_empty() {
            decoder = decoder.keep(keep);
        }
        if let Some(engine) = self.streams.engine {
            decoder = decoder.with_engine(engine);
        }
        let end = match records {
            Records::Lines => Some(b'\n'),
            Records::Null => Some(b'\0'),
            Records::Raw => None,
        };
        let query = Query { end, inside: false, spaced: Vec::new() };
        let place = Place { line_end: end.unwrap_or(b'\n'), line: 1, line_start: 0, offset: 0 };
        Decode {
            decoder,
            query: (self.plus == Some(Plus::AfterQuery)).then_some(query),
            place: self.strict.then_some(place),
        }
    }
}

pub struct Decode {
    decoder: Decoder,
    /// If a `+` is a space in queries only.
    query: Option<Query>,
    /// Where the next block starts, if malformed escapes are to be told.
    place: Option<Place>,
}

impl Filter for Decode {
    fn run(&mut self, block: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Malformed> {
        let end = if last { block.len() } else { whole(block) };
        let input = match &mut self.query {
            Some(query) => query.spaced(&block[..end]),
            None => &block[..end],
        };
        let Some(place) = &mut self.place else {
            self.decoder.decode_into(input, out);
            return Ok(end);
        };
        match self.decoder.strict().decode_into(input, out) {
            Ok(_) => {
                place.advance(input);
                Ok(end)
            }
            Err(error) => {
                self.decoder.decode_into(&input[..error.offset], out);
                Err(place.malformed(block, error.offset))
            }
        }
    }
}

/// Puts spaces for the pluses of queries. What a `+` means is no concern of an escape: there is none with a `+` in it.
struct Query {
    /// What ends a record, and its query.
    end: Option<u8>,
    /// Whether a `?` has been read in this record.
    inside: bool,
    spaced: Vec<u8>,
}

impl Query {
    /// The next `block` with a space for every `+` after the first `?` of a record.
    fn spaced(&mut self, block: &[u8]) -> &[u8] {
        self.spaced.clear();
        self.spaced.extend_from_slice(block);
        let mut rest = &mut self.spaced[..];
        while !rest.is_empty() {
            let turn = if self.inside { self.end.and_then(|end| memchr(end, rest)) } else { memchr(b'?', rest) };
            let (piece, after) = rest.split_at_mut(turn.map_or(rest.len(), |at| at + 1));
            if self.inside {
                for byte in piece {
                    *byte = if *byte == b'+' { b' ' } else { *byte };
                }
            }
            self.inside ^= turn.is_some();
            rest = after;
        }
        &self.spaced
    }
}

/// A place in an input.
#[derive(Clone, Copy)]
struct Place {
    line_end: u8,
    line: u64,
    /// Offset of the line's first byte.
    line_start: u64,
    offset: u64,
}

impl Place {
    fn advance(&mut self, bytes: &[u8]) {
        if let Some(end) = memrchr(self.line_end, bytes) {
            self.line += memchr_iter(self.line_end, bytes).count() as u64;
            self.line_start = self.offset + end as u64 + 1;
        }
        self.offset += bytes.len() as u64;
    }

    /// What is wrong at `at` of the block that starts here.
    fn malformed(mut self, block: &[u8], at: usize) -> Malformed {
        self.advance(&block[..at]);
        let ended = |&byte: &u8| byte == b'\n' || byte == b'\0';
        let bytes: Vec<u8> = block[at..].iter().copied().take(3).take_while(|byte| !ended(byte)).collect();
        let next = block.get(at + bytes.len());
        let what = match next {
            _ if !bytes[1..].iter().all(u8::is_ascii_hexdigit) => "is no escape",
            None => "is cut off by the end of the input",
            Some(&byte) if byte != self.line_end => "is no escape",
            Some(b'\0') => "is cut off by the end of the record",
            Some(_) => "is cut off by the end of the line",
        };
        Malformed { place: self, bytes, what }
    }
}

/// A `%` that starts no escape, and where.
pub struct Malformed {
    place: Place,
    bytes: Vec<u8>,
    what: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, line_start, offset, .. } = self.place;
        let (column, bytes, what) = (offset - line_start + 1, self.bytes.escape_ascii(), self.what);
        write!(
            f,
            "{line}: byte {offset} (column {column}): `{bytes}` {what}: two hexadecimal digits must follow a `%`; \
             write `%25` for a `%` as such, or leave out --strict"
        )
    }
}
