//! Finds the end of a record that arrives in pieces.

use memchr::{memchr, memchr2};

use super::{LONGEST_ID, audit_section, element_start, object_line_end, warc_len};

/// A search for the end of a record that arrives in pieces.
#[derive(Clone, Copy, Debug)]
pub enum EndScan {
    /// Searches for the end of a JSON object.
    Object(ObjectScan),
    /// Searches for the end of an object in an array.
    Element(ElementScan),
    /// Searches for the end of a CSV row.
    Csv(CsvScan),
    /// Searches for the end of a WARC record.
    Warc(WarcScan),
    /// Searches for the end of a transaction.
    Audit(AuditScan),
}

impl EndScan {
    /// Reads the next piece. If the record ends in this piece, returns the offset of the end in the piece. Otherwise
    /// returns `None`.
    pub fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            EndScan::Object(scan) => scan.end(bytes),
            EndScan::Element(scan) => scan.end(bytes),
            EndScan::Csv(scan) => scan.end(bytes),
            EndScan::Warc(scan) => scan.end(bytes),
            EndScan::Audit(scan) => scan.end(bytes),
        }
    }

    /// Returns true if the first piece was long enough to know how the record ends.
    pub(super) fn has_started(&self) -> bool {
        match self {
            EndScan::Object(_) | EndScan::Csv(_) => true,
            EndScan::Element(scan) => matches!(scan.object, Some(Ok(_))),
            EndScan::Warc(scan) => scan.rest.is_some(),
            EndScan::Audit(scan) => scan.len > 0,
        }
    }
}

/// Finds the end of a CSV row that arrives in pieces (RFC 4180 2).
#[derive(Clone, Copy, Debug)]
pub struct CsvScan {
    delimiter: u8,
    state: CsvState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CsvState {
    /// At the start of a field.
    Start,
    Plain,
    Quoted,
    /// After a quote inside quotes. If a second quote follows directly, the two mean one quote in the value. Otherwise
    /// the quote closed the value.
    Quote,
}

impl CsvScan {
    pub(super) fn new(delimiter: u8) -> CsvScan {
        CsvScan { delimiter, state: CsvState::Start }
    }

    /// Returns true if `bytes` ends inside quotes of its first row.
    pub(super) fn ends_in_quotes(mut self, bytes: &[u8]) -> bool {
        self.end(bytes).is_none() && self.state == CsvState::Quoted
    }

    pub(super) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (self.state, byte) {
                (CsvState::Quoted, _) => match memchr(b'"', &bytes[at..]) {
                    None => return None,
                    Some(len) => {
                        self.state = CsvState::Quote;
                        at += len;
                    }
                },
                (CsvState::Start | CsvState::Quote, b'"') => self.state = CsvState::Quoted,
                _ => {
                    let Some(len) = memchr2(self.delimiter, b'\n', &bytes[at..]) else {
                        self.state = CsvState::Plain;
                        return None;
                    };
                    at += len;
                    self.state = CsvState::Start;
                    if bytes[at] == b'\n' {
                        return Some(at + 1);
                    }
                }
            }
            at += 1;
        }
        None
    }
}

/// Finds the end of a WARC record that arrives in pieces. The first piece must contain the headers of the record.
#[derive(Clone, Copy, Debug)]
pub struct WarcScan {
    /// The number of bytes from the start of the next piece to the end of the record. Before the first piece, this is
    /// `None`.
    pub(super) rest: Option<u64>,
}

impl WarcScan {
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let rest = match self.rest.or_else(|| warc_len(bytes)) {
            Some(rest) => rest,
            // The headers don't end in this piece, so we take only the first line as the record.
            None => return memchr(b'\n', bytes).map(|at| at + 1),
        };
        match usize::try_from(rest).ok().filter(|&rest| rest <= bytes.len()) {
            Some(rest) => Some(rest),
            None => {
                self.rest = Some(rest - bytes.len() as u64);
                None
            }
        }
    }
}

/// Finds the end of a transaction of an audit log that arrives in pieces. The first piece must contain the first line.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditScan {
    /// The last line of the transaction, with the line end before it: `\n--ID-Z--`. Only the first `len` bytes are
    /// used.
    last: [u8; LONGEST_ID + 8],
    len: usize,
    /// The number of bytes of `last` that match the end of the text so far. If this number is `len`, we have found the
    /// line `--ID-Z--`, except for its line end.
    seen: usize,
}

impl AuditScan {
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.len == 0 {
            let line = memchr(b'\n', bytes)? + 1;
            let Some((id, b'A')) = audit_section(&bytes[..line]) else { return Some(line) };
            let last = [b"\n--", id, b"-Z--"].concat();
            self.last.get_mut(..last.len())?.copy_from_slice(&last);
            self.len = last.len();
        }
        for (at, &byte) in bytes.iter().enumerate() {
            match (self.seen == self.len, byte == self.last[self.seen.min(self.len - 1)]) {
                (true, _) if byte == b'\n' => return Some(at + 1),
                (true, _) => {}
                (false, true) => self.seen += 1,
                // Only the first byte of `last` is a line end, so a new match can only start at a line end.
                (false, false) => self.seen = usize::from(byte == b'\n'),
            }
        }
        None
    }
}

/// Finds the end of a JSON object that arrives in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectScan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl ObjectScan {
    /// Reads the next piece. If the object ends in this piece, returns the end of its record. The record includes the
    /// line end after the object, if this piece has it.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        self.object_end(bytes).map(|at| object_line_end(bytes, at))
    }

    /// Reads the next piece. If the object ends in this piece, returns the end of the object.
    pub(super) fn object_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        if std::mem::take(&mut self.is_escaped) {
            at = 1;
        }
        loop {
            let rest = bytes.get(at..)?;
            if self.in_string {
                at += memchr2(b'"', b'\\', rest)?;
                if bytes[at] == b'"' {
                    self.in_string = false;
                    at += 1;
                } else {
                    self.is_escaped = at + 1 == bytes.len();
                    at += 2;
                }
                continue;
            }
            // Brackets outside the objects belong to an array around the objects. We skip these brackets.
            at += match self.depth {
                0 => memchr(b'{', rest)?,
                _ => rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))?,
            };
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                _ => self.depth -= 1,
            }
            at += 1;
            if !self.in_string && self.depth == 0 {
                return Some(at);
            }
        }
    }
}

/// Finds the end of an object in the array with the key `key`. The first piece must contain the start of the object. If
/// it doesn't, no end is found.
#[derive(Clone, Copy, Debug)]
pub struct ElementScan {
    pub(super) key: &'static str,
    /// `None` before the first piece. After it, this is the search for the end of the object, or `Err` if the first
    /// piece contains no object. In that case the rest of the input is one record.
    pub(super) object: Option<Result<ObjectScan, NoObject>>,
}

/// The array has no further object.
#[derive(Clone, Copy, Debug)]
pub struct NoObject;

impl ElementScan {
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let (start, mut object) = match self.object {
            None => match element_start(bytes, self.key) {
                Some(start) => (start, ObjectScan::default()),
                None => {
                    self.object = Some(Err(NoObject));
                    return None;
                }
            },
            Some(Ok(object)) => (0, object),
            Some(Err(NoObject)) => return None,
        };
        let end = object.object_end(&bytes[start..]).map(|end| start + end);
        self.object = Some(Ok(object));
        end
    }
}
