//! Rewrites the fields of a file that arrives in pieces. A piece may end at any byte.

use percent_simd::{ByteSet, Plus, RawEncoder};
use percent_simd_records::formats::{Choice, Name, build, resolve, without_mark};
use percent_simd_records::transform::{Action, Rewriter, Spec};

/// The flags of [`Records::new`]. Each flag is a bit.
pub mod flag {
    /// Encodes the fields. Without this flag, the fields are decoded.
    pub const ENCODE: u32 = 1;
    /// Encoding: writes a space as `+`. Decoding: reads `+` as a space.
    pub const PLUS: u32 = 1 << 1;
    /// Decoding: reads `+` as a space only after the first `?` of a field.
    pub const PLUS_AFTER_QUERY: u32 = 1 << 2;
    /// Encoding: writes hexadecimal digits in lower case.
    pub const LOWERCASE: u32 = 1 << 3;
    /// The first record of CSV or TSV is a header, even if no field is given by name.
    pub const HEADER: u32 = 1 << 4;
    /// Encoding: keeps well-formed triplets.
    pub const KEEP_TRIPLETS: u32 = 1 << 5;
}

/// The values of [`Records::status`].
pub mod status {
    /// Success.
    pub const OK: u32 = 0;
    /// The format is unknown, or the format lacks one of the fields. The output is a message.
    pub const FORMAT: u32 = 1;
    /// A record is longer than [`LONGEST`](super::LONGEST).
    pub const TOO_LONG: u32 = 2;
}

/// The number of bytes at the start of a file in which we look for its format and columns.
const HEAD: usize = 1 << 16;
/// The longest record in bytes.
pub const LONGEST: usize = 1 << 26;

/// Rewrites the fields of a file.
pub struct Records {
    name: Name,
    choice: Choice,
    spec: Spec,
    rewriter: Option<Rewriter>,
    /// Input that isn't a whole record yet.
    rest: Vec<u8>,
    /// We search `rest` for the end of a record again when `rest` has this length. The length doubles, so all searches together
    /// take linear time.
    wanted: usize,
    /// The output of the last call.
    pub output: Vec<u8>,
    /// One of [`status`].
    pub status: u32,
}

impl Records {
    /// Returns a rewriter for one file. `format` is a format's name, as in `pct --format`. `fields` has one field on
    /// each line. If `fields` is empty, the rewriter takes all fields that hold URLs. Encoding keeps the bytes of
    /// `set`. Decoding removes `layers` layers of escapes. If `layers` is 0, decoding removes as many layers as the
    /// format adds.
    pub fn new(format: &str, fields: &str, set: ByteSet, flags: u32, layers: usize) -> Records {
        let has = |flag| flags & flag != 0;
        let mut encoder = RawEncoder::new(if has(flag::PLUS) { set.without(b'+') } else { set });
        if has(flag::LOWERCASE) {
            encoder = encoder.lowercase();
        }
        if has(flag::PLUS) {
            encoder = encoder.space_to_plus();
        }
        if has(flag::KEEP_TRIPLETS) {
            encoder = encoder.keep_triplets();
        }
        let plus = match (has(flag::PLUS), has(flag::PLUS_AFTER_QUERY)) {
            (true, _) => Plus::Always,
            (false, true) => Plus::AfterQuery,
            (false, false) => Plus::Never,
        };
        let action = if has(flag::ENCODE) { Action::Encode(encoder) } else { Action::Decode { plus } };
        let choice = Choice {
            fields: fields.lines().map(str::to_string).collect(),
            header: has(flag::HEADER).then_some(true),
            ..Choice::default()
        };
        let repeat = (layers > 0).then_some(layers);
        let spec = Spec { repeat, counts_malformed: true, ..Spec::of_fields(action) };
        let name = Name::parse(format, &[]);
        let mut records = Records {
            name: Name::LINES,
            choice,
            spec,
            rewriter: None,
            rest: Vec::new(),
            wanted: HEAD,
            output: Vec::new(),
            status: status::OK,
        };
        match name {
            Ok(name) => records.name = name,
            Err(message) => records.fail(status::FORMAT, message),
        }
        records
    }

    /// Rewrites the records that the next piece completes, and puts them into [`Self::output`].
    pub fn push(&mut self, piece: &[u8]) {
        if self.status != status::OK {
            return;
        }
        self.output.clear();
        self.rest.extend_from_slice(piece);
        if self.rest.len() < self.wanted {
            return;
        }
        self.start();
        let Some(rewriter) = &mut self.rewriter else { return };
        let len = rewriter.whole_len(&self.rest);
        rewriter.rewrite(&self.rest[..len], &mut self.output);
        self.rest.drain(..len);
        self.wanted = (2 * self.rest.len()).min(LONGEST + 1);
        if self.rest.len() > LONGEST {
            self.fail(status::TOO_LONG, String::new());
        }
    }

    /// Ends the file.
    pub fn finish(&mut self) {
        if self.status != status::OK {
            return;
        }
        self.output.clear();
        self.start();
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.rewrite(&self.rest, &mut self.output);
            self.rest.clear();
        }
    }

    /// Returns the number of records and fields so far that didn't match the format.
    pub fn unrecognized(&self) -> u64 {
        self.rewriter.as_ref().map_or(0, |rewriter| rewriter.effects().unrecognized)
    }

    /// Returns the number of malformed `%` in the decoded fields so far.
    pub fn malformed(&self) -> u64 {
        self.rewriter.as_ref().map_or(0, |rewriter| rewriter.effects().malformed)
    }

    /// Detects the format and the columns from the start of the file, once.
    fn start(&mut self) {
        if self.rewriter.is_some() {
            return;
        }
        let head = without_mark(&self.rest);
        let format = resolve(&self.name, head, &[]).and_then(|guess| {
            let choice = guess.complete(&self.choice);
            build(&guess.name, &choice)
        });
        let format = format.and_then(|format| match format.mismatch(head, None, false) {
            Some(message) => Err(message),
            None => Ok(format),
        });
        match format {
            Ok(format) => self.rewriter = Some(Rewriter::new(format, &self.spec)),
            Err(message) => self.fail(status::FORMAT, message),
        }
    }

    fn fail(&mut self, status: u32, message: String) {
        self.status = status;
        self.output = message.into_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "id,url,note\n1,/caf%C3%A9%0A,a%20b\n2,\"/x%22y,\nz%2C\",%zz\n3,/a%2Cb%E9,\n";

    fn run(format: &str, fields: &str, input: &[u8], step: usize) -> Vec<u8> {
        let mut records = Records::new(format, fields, ByteSet::EMPTY, 0, 0);
        let mut out = Vec::new();
        for piece in input.chunks(step) {
            records.push(piece);
            out.extend(&records.output);
        }
        records.finish();
        out.extend(&records.output);
        assert_eq!(records.status, status::OK, "{}", String::from_utf8_lossy(&records.output));
        out
    }

    #[test]
    fn pieces_that_end_anywhere_give_the_result_of_the_whole() {
        let long = CSV.lines().next().unwrap().to_string() + "\n" + &CSV.split_once('\n').unwrap().1.repeat(3000);
        assert!(long.len() > 2 * HEAD);
        let json = "{\"url\":\"/caf%C3%A9%22\",\"n\":{\"path\":\"%41\"}}\n".repeat(4000);
        let cases = [("csv", "url", &*long), ("csv", "2\n3", &long), ("ndjson", "/n/path", &json), ("auto", "", &json)];
        for (format, fields, input) in cases {
            let whole = run(format, fields, input.as_bytes(), usize::MAX);
            assert_ne!(whole, input.as_bytes(), "{format}");
            for step in [1000, 65_537, 100_003] {
                assert!(run(format, fields, input.as_bytes(), step) == whole, "{format} {fields} {step}");
            }
        }
    }

    #[test]
    fn columns_are_found_by_name() {
        let expected = "id,url,note\n1,/café%0A,a%20b\n2,\"/x\"\"y,\nz,\",%zz\n3,\"/a,b%E9\",\n";
        assert_eq!(String::from_utf8(run("csv", "url", CSV.as_bytes(), 7)).unwrap(), expected);
    }

    #[test]
    fn malformed_escapes_of_the_fields_are_counted() {
        for (fields, flags, expected) in [("url", 0, 0), ("note", 0, 1), ("url\nnote", 0, 1), ("note", flag::ENCODE, 0)]
        {
            let mut records = Records::new("csv", fields, ByteSet::EMPTY, flags, 0);
            records.push(CSV.as_bytes());
            records.finish();
            assert_eq!((records.malformed(), records.unrecognized()), (expected, 0), "{fields}");
        }
        let mut records = Records::new("ndjson", "/a", ByteSet::EMPTY, flag::PLUS, 0);
        records.push(b"{\"a\":\"%%41%\\u0034%zz+\",\"b\":\"%\"}\n{\"a\":\"100%\"}\n");
        records.finish();
        assert_eq!(records.malformed(), 4);
    }

    #[test]
    fn faults_are_reported() {
        for (format, fields) in [("csw", ""), ("csv", "nowhere")] {
            let mut records = Records::new(format, fields, ByteSet::EMPTY, 0, 0);
            records.push(CSV.as_bytes());
            records.finish();
            assert_eq!(records.status, status::FORMAT, "{format} {fields}");
            assert!(!records.output.is_empty());
        }
        let mut records = Records::new("csv", "url", ByteSet::EMPTY, 0, 0);
        records.push(b"url\n\"");
        for _ in 0..=LONGEST >> 20 {
            records.push(&[b'a'; 1 << 20]);
        }
        assert_eq!(records.status, status::TOO_LONG);
    }
}
