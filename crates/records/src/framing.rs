//! Finds the ends of records. An input can be cut into chunks at the end of any record.

mod scan;

use memchr::{memchr, memchr_iter, memmem, memrchr, memrchr_iter};

pub use self::scan::EndScan;
use self::scan::{AuditScan, CsvScan, ElementScan, ObjectScan, WarcScan};

/// How an input is divided into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Each record ends with LF or CR LF.
    Lines,
    /// Each record ends with NUL.
    Null,
    /// Each record is several lines and ends with an empty line.
    Paragraphs,
    /// There are no records, only bytes.
    Raw,
    /// Each record ends with a line end outside quotes (RFC 4180). The byte is the delimiter between fields.
    Csv(u8),
    /// Each record is a JSON object, which may extend over several lines. The bytes between two objects belong to the
    /// record of the second object.
    Json,
    /// One JSON document. Its records are the objects in an array. The string is the key of this array, for example
    /// `entries` in `"entries":[{...},{...}]`. The first record also holds the text before the first object.
    Elements(&'static str),
    /// Each record has headers, an empty line, and the content, whose length is in the header `Content-Length` (ISO
    /// 28500:2017, 4). A record that doesn't start with `WARC/` is one line.
    Warc,
    /// Each record is a transaction of ModSecurity's audit log: the lines from `--ID-A--` to `--ID-Z--`. A record that
    /// doesn't start with `--ID-A--` is one line.
    Audit,
    /// Each record ends with `>`.
    Tags,
    /// Each record is a length in LEB128, and as many bytes as this length says. ClickHouse's RowBinary writes a column
    /// of strings in this way.
    Rows,
}

/// The lengths of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The length without the end of the record.
    pub body: usize,
    /// The length with the end of the record.
    pub len: usize,
}

impl Framing {
    /// Returns the byte that ends each record. If records don't end with a certain byte, returns `None`.
    pub fn end(self) -> Option<u8> {
        match self {
            Framing::Lines | Framing::Paragraphs | Framing::Csv(_) => Some(b'\n'),
            Framing::Null => Some(b'\0'),
            Framing::Tags => Some(b'>'),
            Framing::Raw | Framing::Rows | Framing::Json | Framing::Elements(_) | Framing::Warc | Framing::Audit => {
                None
            }
        }
    }

    /// Returns a scan that finds the end of a record that arrives in pieces. Returns `None` for a framing that needs no
    /// scan, for example because a search for the byte of [`end`](Self::end) is enough.
    pub fn end_scan(self) -> Option<EndScan> {
        match self {
            Framing::Json => Some(EndScan::Object(ObjectScan::default())),
            Framing::Elements(key) => Some(EndScan::Element(ElementScan { key, object: None })),
            Framing::Csv(delimiter) => Some(EndScan::Csv(CsvScan::new(delimiter))),
            Framing::Warc => Some(EndScan::Warc(WarcScan { rest: None })),
            Framing::Audit => Some(EndScan::Audit(AuditScan::default())),
            _ => None,
        }
    }

    /// Returns a scan that has read `bytes`, the start of a record that ends later. Returns `None` if this framing needs no
    /// scan, or if `bytes` is too short for the scan.
    pub fn scan_after(self, bytes: &[u8]) -> Option<EndScan> {
        let mut scan = self.end_scan()?;
        (scan.end(bytes).is_none() && scan.has_started()).then_some(scan)
    }

    /// Returns the length of the longest prefix of `bytes` that consists of whole records.
    pub fn whole(self, bytes: &[u8]) -> usize {
        match self {
            Framing::Csv(_) if memchr(b'"', bytes).is_some() => self.walk(bytes),
            Framing::Rows | Framing::Json | Framing::Elements(_) | Framing::Warc | Framing::Audit => self.walk(bytes),
            Framing::Paragraphs => last_paragraph(bytes),
            _ => self.end().and_then(|end| memrchr(end, bytes)).map_or(0, |at| at + 1),
        }
    }

    /// Returns the total length of the whole records at the start of `bytes`. Reads one record after another.
    fn walk(self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(len) = self.length(&bytes[at..]) {
            at += len;
        }
        at
    }

    /// If `bytes` contains the end of the first record, returns the length of this record.
    fn length(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Framing::Csv(delimiter) => CsvScan::new(delimiter).end(bytes),
            Framing::Rows => row(bytes).map(|(_, len)| len).filter(|&len| len <= bytes.len()),
            Framing::Paragraphs => paragraph(bytes),
            Framing::Json => object_end(bytes),
            Framing::Elements(key) => object_len(bytes, element_start(bytes, key)?),
            Framing::Warc => usize::try_from(warc_len(bytes)?).ok().filter(|&len| len <= bytes.len()),
            Framing::Audit => audit_len(bytes),
            _ => self.end().and_then(|end| memchr(end, bytes)).map(|at| at + 1),
        }
    }

    /// Returns the byte that ends a line, for counting lines. It is NUL for `Null`, and LF for all other framings.
    pub fn line_end(self) -> u8 {
        if self == Framing::Null { b'\0' } else { b'\n' }
    }

    /// Returns the byte to write between two inputs if the last record of the first input has no end.
    pub fn separator(self) -> Option<u8> {
        match self {
            Framing::Lines | Framing::Paragraphs | Framing::Csv(_) | Framing::Json | Framing::Audit => Some(b'\n'),
            Framing::Null => Some(b'\0'),
            Framing::Tags | Framing::Raw | Framing::Rows | Framing::Elements(_) | Framing::Warc => None,
        }
    }

    /// Returns the first record of `bytes`, which must not be empty. If the quotes of a CSV record never close, the
    /// record is only its first line.
    pub fn first(self, bytes: &[u8]) -> Record {
        let is_open = || matches!(self, Framing::Csv(delimiter) if CsvScan::new(delimiter).ends_in_quotes(bytes));
        let line = || memchr(b'\n', bytes).map(|at| at + 1).filter(|_| is_open());
        let len = self.length(bytes).or_else(line).unwrap_or(bytes.len());
        Record { body: self.body(&bytes[..len]), len }
    }

    /// Returns the start of the record that contains the offset `at`, and the lengths of this record.
    ///
    /// `from` must be the start of a record. If records don't end with a certain byte, returns the record at `from`.
    pub fn around(self, bytes: &[u8], from: usize, at: usize) -> (usize, Record) {
        let Some(end) = self.end() else { return (from, self.first(&bytes[from..])) };
        let start = memrchr(end, &bytes[from..at]).map_or(from, |before| from + before + 1);
        let len = memchr(end, &bytes[at..]).map_or(bytes.len() - start, |after| at + after + 1 - start);
        (start, Record { body: self.body(&bytes[start..start + len]), len })
    }

    /// Returns the length of a record without its end.
    fn body(self, record: &[u8]) -> usize {
        match (self, record) {
            (Framing::Paragraphs, [body @ .., b'\r', b'\n'] | [body @ .., b'\n'])
                if body.is_empty() || body.ends_with(b"\n") =>
            {
                body.len()
            }
            (Framing::Lines | Framing::Csv(_) | Framing::Audit, [body @ .., b'\r', b'\n'] | [body @ .., b'\n'])
            | (Framing::Null, [body @ .., b'\0'])
            | (Framing::Tags, [body @ .., b'>'])
            | (Framing::Warc, [body @ .., b'\r', b'\n', b'\r', b'\n'] | [body @ .., b'\n']) => body.len(),
            _ => record.len(),
        }
    }

    /// Returns true if you can find the record at an offset without reading all bytes before this offset.
    pub fn is_local(self, bytes: &[u8]) -> bool {
        match self {
            Framing::Lines | Framing::Null | Framing::Tags => true,
            Framing::Csv(_) => memchr(b'"', bytes).is_none(),
            Framing::Raw
            | Framing::Rows
            | Framing::Paragraphs
            | Framing::Json
            | Framing::Elements(_)
            | Framing::Warc
            | Framing::Audit => false,
        }
    }

    /// Returns the number of records that end in `bytes`. If `last` is true, also counts a last record without an end.
    pub fn count(self, bytes: &[u8], last: bool) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        if self.is_local(bytes) {
            let ends = self.end().map_or(0, |end| memchr_iter(end, bytes).count());
            return (ends + usize::from(last && bytes.last().copied() != self.end())) as u64;
        }
        let (mut at, mut records) = (0, 0);
        while at < bytes.len() {
            // In JSON, the bytes after the last object, such as `]`, are not a record.
            let is_record =
                !matches!(self, Framing::Json | Framing::Elements(_)) || self.length(&bytes[at..]).is_some();
            at += self.first(&bytes[at..]).len;
            records += u64::from(is_record && (self != Framing::Raw || last));
        }
        records
    }
}

/// Returns the total length of the lines up to the first empty line, including the empty line. If no line is empty,
/// returns `None`.
pub fn paragraph(bytes: &[u8]) -> Option<usize> {
    let is_empty = |line: &[u8]| matches!(line, b"\n" | b"\r\n");
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes) {
        if is_empty(&bytes[start..=end]) {
            return Some(end + 1);
        }
        start = end + 1;
    }
    None
}

/// Returns the offset after the last empty line. If no line is empty, returns 0.
fn last_paragraph(bytes: &[u8]) -> usize {
    let ends = memrchr_iter(b'\n', bytes);
    let is_empty = |&end: &usize| matches!(bytes[..end], [] | [b'\r'] | [.., b'\n'] | [.., b'\n', b'\r']);
    ends.into_iter().find(is_empty).map_or(0, |end| end + 1)
}

/// Returns the end of the record of the first JSON object, which includes the line end after the object. If the object
/// is incomplete, returns `None`.
fn object_end(bytes: &[u8]) -> Option<usize> {
    Some(object_line_end(bytes, object_len(bytes, memchr(b'{', bytes)?)?))
}

/// Returns the offset of the first object in the array with the key `key`. `bytes` is the start of a document, or the
/// text that follows a record in a document. If the array has no further object, or if `bytes` ends before the object,
/// returns `None`.
pub fn element_start(bytes: &[u8], key: &str) -> Option<usize> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let skip = |from: usize| bytes.get(from..).map(|rest| from + rest.iter().take_while(|byte| is_blank(byte)).count());
    let start = skip(if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 })?;
    if *bytes.get(start)? != b'{' {
        // The next object comes after a comma.
        let next = skip(skip(start)? + usize::from(bytes[start] == b','))?;
        return (bytes[start] == b',' && bytes.get(next) == Some(&b'{')).then_some(next);
    }
    let quoted = format!("\"{key}\"");
    let mut keys = memmem::find_iter(bytes, &quoted).filter(|&at| bytes[at - 1] != b'\\');
    keys.find_map(|at| {
        let colon = skip(at + quoted.len()).filter(|&colon| bytes.get(colon) == Some(&b':'))?;
        let array = skip(colon + 1).filter(|&array| bytes.get(array) == Some(&b'['))?;
        skip(array + 1).filter(|&object| bytes.get(object) == Some(&b'{'))
    })
}

/// Returns the end of the object at `at`. If the object is incomplete, returns `None`.
fn object_len(bytes: &[u8], at: usize) -> Option<usize> {
    ObjectScan::default().object_end(&bytes[at..]).map(|len| at + len)
}

/// Returns the end of a record whose object ends at `at`.
///
/// If the line end after the object has already arrived, it belongs to the record. Otherwise the record ends with the
/// object, so we don't have to wait for more input.
fn object_line_end(bytes: &[u8], at: usize) -> usize {
    let is_between = |byte: &u8| b" \t\r,]".contains(byte);
    let between = bytes[at..].iter().take_while(|byte| is_between(byte)).count();
    if bytes.get(at + between) == Some(&b'\n') { at + between + 1 } else { at }
}

/// Returns the length of the headers of a WARC record, including the empty line after them. If the empty line is
/// missing, returns `None`.
pub fn warc_headers_len(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, b"\r\n\r\n").map(|at| at + 4)
}

/// Returns the length of the first WARC record, according to its headers. If no WARC record starts here, returns the
/// length of the first line.
///
/// If `bytes` is too short to know the length, returns `None`.
fn warc_len(bytes: &[u8]) -> Option<u64> {
    if !bytes.starts_with(b"WARC/") {
        let is_cut = b"WARC/".starts_with(bytes);
        return memchr(b'\n', bytes).filter(|_| !is_cut).map(|at| at as u64 + 1);
    }
    let headers_len = warc_headers_len(bytes)?;
    let content = bytes[..headers_len].split(|&byte| byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(b"Content-Length:".len())?;
        let value = str::from_utf8(value).ok()?.trim();
        name.eq_ignore_ascii_case(b"Content-Length:").then(|| value.parse::<u64>().ok()).flatten()
    });
    // Two line ends, 4 bytes, follow the content.
    Some((headers_len as u64).saturating_add(content.map_or(0, |len| len.saturating_add(4))))
}

/// The longest ID of a transaction that we accept. ModSecurity writes 8 to 12 bytes.
const LONGEST_ID: usize = 24;

/// Returns the ID and the letter of a line like `--ID-A--`, which starts a section of a transaction. For any other
/// line, returns `None`.
pub fn audit_section(line: &[u8]) -> Option<(&[u8], u8)> {
    let rest = line.trim_ascii_end().strip_prefix(b"--")?.strip_suffix(b"--")?;
    let [id @ .., b'-', letter] = rest else { return None };
    let is_in_id = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let is_id = (1..=LONGEST_ID).contains(&id.len()) && id.iter().all(is_in_id);
    (is_id && letter.is_ascii_uppercase()).then_some((id, *letter))
}

/// Returns the length of the first transaction. If no transaction starts here, returns the length of the first line. If
/// `bytes` ends too early, returns `None`.
///
/// A client can write the lines of sections into the body of a request. But it can't guess the ID, which is random.
fn audit_len(bytes: &[u8]) -> Option<usize> {
    let line = memchr(b'\n', bytes)? + 1;
    let Some((id, b'A')) = audit_section(&bytes[..line]) else { return Some(line) };
    let last = memmem::find(bytes, &[b"\n--", id, b"-Z--"].concat())? + 1;
    Some(last + memchr(b'\n', &bytes[last..])? + 1)
}

/// Returns the offset after the closing quote of the field at `at`. For a field without quotes, returns `at`. If the
/// quotes don't close, returns `None`.
pub fn csv_field_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return Some(at);
    }
    let mut at = at + 1;
    loop {
        at += memchr(b'"', &bytes[at..])? + 1;
        if bytes.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns two lengths for the first RowBinary row of `bytes`: the length of its length prefix, and the length of the
/// whole row. The row may be longer than `bytes`. If the prefix is cut off, or if the length overflows, returns `None`.
pub fn row(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut len: usize = 0;
    for (at, &byte) in bytes.iter().enumerate().take(9) {
        let bits = usize::from(byte & 0x7F);
        len |= bits.checked_shl(7 * at as u32).filter(|shifted| shifted >> (7 * at) == bits)?;
        if byte < 0x80 {
            return Some((at + 1, len.checked_add(at + 1)?));
        }
    }
    None
}

/// Appends `bytes` as a RowBinary row: the length in LEB128, then the bytes.
pub fn push_row(bytes: &[u8], out: &mut Vec<u8>) {
    let mut len = bytes.len();
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
    out.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_records_end_as_in_the_csv_crate() {
        const ALPHABET: [u8; 4] = *b"\",\na";
        // We test all texts of up to 7 characters. `number` holds a text as digits in base 4. Each digit is the index
        // of a character, and the lowest digit is the first character. The highest digit, which isn't 0, only marks the
        // end of the text.
        for number in 1..1usize << 15 {
            let len = number.ilog2() / 2;
            let text: Vec<u8> = (0..len).map(|digit| ALPHABET[number >> (2 * digit) & 3]).collect();
            let mut whole = Vec::new();
            let mut at = 0;
            while at < text.len() {
                let record = Framing::Csv(b',').first(&text[at..]);
                whole.push(at + record.len);
                at += record.len;
            }
            // The `csv` crate doesn't count empty lines as records.
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(32).from_reader(&text[..]);
            for record in reader.byte_records() {
                let end = record.unwrap().position().unwrap().byte() as usize;
                let starts = end == 0 || whole.contains(&end) || text[..end].iter().all(|&byte| byte == b'\n');
                let last = &text[Framing::Csv(b',').whole(&text)..];
                let unclosed = CsvScan::new(b',').ends_in_quotes(last);
                assert!(starts || unclosed, "{} at {end}", text.escape_ascii());
            }
        }
    }

    /// Finds the end of the first record of `text` in two ways: in the whole text, and with a scan of pieces of `piece`
    /// bytes. Returns both results.
    fn scanned(framing: Framing, text: &[u8], piece: usize) -> (Option<usize>, Option<usize>) {
        let mut scan = framing.end_scan().unwrap();
        let mut done = 0;
        let end = text.chunks(piece).find_map(|piece| match scan.end(piece) {
            Some(end) => Some(done + end),
            None => {
                done += piece.len();
                None
            }
        });
        (framing.length(text), end)
    }

    #[test]
    fn records_in_pieces_end_at_the_same_offset() {
        for text in ["a,b\n", "\"a\n,\"\"\",b\nc", "a\"b,\"c\nd", "\"a\"b\n\"c", "a,\"\"\n", "\"\"\"\n", "\"a\nb", ""] {
            for piece in 1..=text.len().max(1) {
                let (whole, pieces) = scanned(Framing::Csv(b','), text.as_bytes(), piece);
                assert_eq!(pieces, whole, "{text:?} in pieces of {piece}");
            }
        }
        for text in [
            "{\"a\":{\"x\":[{\"b\":1}],\"k\" : [ {\"c\":\"}\"} , {\"k\":[{}]}\n]}}",
            " {\"k\":\"k\",\"k\\\"k\":[{}],\"k\":[{}]}",
            ", {\"a\":[]},",
        ] {
            let whole = Framing::Elements("k").length(text.as_bytes());
            assert!(whole.is_some(), "{text}");
            let first = text.len() - text.trim_start_matches([' ', ',']).len() + 1;
            for piece in 1..text.len() {
                let pieces = scanned(Framing::Elements("k"), text.as_bytes(), piece).1;
                // The first piece must contain the start of the object.
                let start = element_start(text.as_bytes(), "k").unwrap();
                assert!(piece <= start.max(first) || pieces == whole, "{text:?} in pieces of {piece}");
            }
        }
        for text in ["", " ", "{", "{\"k\":[]}", "{\"k\":[1]}", "]}", ",", ", ]", "{\"k\":[{"] {
            assert_eq!(Framing::Elements("k").length(text.as_bytes()), None, "{text}");
        }
        let headers = "WARC/1.1\r\nWARC-Target-URI: http://h/\r\ncontent-length:  9\r\n\r\n";
        let text = format!("{headers}\r\n\r\nWARC/\r\n\r\nWARC/1.1\r\n");
        let end = headers.len() + 9 + 4;
        for piece in headers.len()..text.len() {
            assert_eq!(scanned(Framing::Warc, text.as_bytes(), piece), (Some(end), Some(end)), "pieces of {piece}");
        }
        let audit = "--a1-A--\nx\n--a1-B--\n\n--a2-Z--\n--a1-Z\n\n--a1-Z--\n";
        for piece in 12..=audit.len() {
            let expected = (Some(audit.len()), Some(audit.len()));
            assert_eq!(scanned(Framing::Audit, audit.as_bytes(), piece), expected, "pieces of {piece}");
        }
        assert_eq!(Framing::Audit.whole(format!("\n{audit}\nx\n--a1-A--\n").as_bytes()), audit.len() + 4);
        assert_eq!(Framing::Warc.whole(text.as_bytes()), end);
        assert_eq!(Framing::Warc.whole(&text.as_bytes()[..end - 1]), 0);
        let huge = b"WARC/1.0\r\nContent-Length: 18446744073709551615\r\n\r\nx";
        assert_eq!(scanned(Framing::Warc, huge, huge.len()), (None, None));
    }

    #[test]
    fn rows_are_read_as_they_are_written() {
        for len in [0, 1, 127, 128, 300, 20_000] {
            let mut out = Vec::new();
            push_row(&vec![b'x'; len], &mut out);
            let (prefix, whole) = row(&out).unwrap();
            assert_eq!((whole, whole - prefix), (out.len(), len));
            assert_eq!(Framing::Rows.whole(&out[..out.len() - 1]), 0);
        }
        assert_eq!(row(&[0xFF; 20]), None);
    }

    #[test]
    fn a_record_that_grows_ends_at_the_same_offset() {
        let warc = "WARC/1.1\r\nContent-Length: 9\r\n\r\n123456789\r\n\r\nWARC/";
        for (framing, text) in [
            (Framing::Json, " [{\"a\":[{\"}\":1}],\"b\\\"\":{}}\n{}"),
            (Framing::Elements("k"), "{\"a\":\"k\",\"k\":[{\"b\":{}},{}]}"),
            (Framing::Csv(b','), "a,\"b\n\"\"c\",\"d\"\ne"),
            (Framing::Warc, warc),
            (Framing::Audit, "--a1-A--\nx\n--a2-Z--\n--a1-Z--\n--"),
        ] {
            let text = text.as_bytes();
            let end = framing.length(text).unwrap();
            for read in 1..end {
                let Some(scan) = framing.scan_after(&text[..read]) else { continue };
                for len in read + 1..=text.len() {
                    // Before the record has ended, its line end may not have arrived.
                    let whole = framing.length(&text[..len]).map(|end| end - read);
                    assert_eq!(scan.clone().end(&text[read..len]), whole, "{framing:?} {read} {len}");
                }
            }
            // A scan of most of the record has started.
            assert!(framing.scan_after(&text[..end - 2]).is_some(), "{framing:?}");
        }
    }
}
