//! Finds the ends of records that come in pieces.

use memchr::{memchr, memchr2};

use super::{object_line_end, warc_len};

/// The end of a record that comes in pieces.
#[derive(Clone, Copy, Debug)]
pub enum EndScan {
    /// Of an object of JSON.
    Object(ObjectScan),
    /// Of a row of CSV.
    Csv(CsvScan),
    /// Of a record of WARC.
    Warc(WarcScan),
}

impl EndScan {
    /// Returns the length of the front of `bytes`, the next piece, that ends the record; `None` if it goes on behind them.
    pub fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            EndScan::Object(scan) => scan.end(bytes),
            EndScan::Csv(scan) => scan.end(bytes),
            EndScan::Warc(scan) => scan.end(bytes),
        }
    }
}

/// Finds the end of a row of CSV that comes in pieces (RFC 4180 2).
#[derive(Clone, Copy, Debug)]
pub struct CsvScan {
    pub(super) delimiter: u8,
    pub(super) state: CsvState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CsvState {
    /// At the start of a field.
    Start,
    Plain,
    Quoted,
    /// Behind a quote in quotes, which closes them if no other follows.
    Quote,
}

impl CsvScan {
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
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

/// Finds the end of a record of WARC that comes in pieces, the first of which holds its headers.
#[derive(Clone, Copy, Debug)]
pub struct WarcScan {
    /// How many bytes are to come, once that is known.
    pub(super) rest: Option<u64>,
}

impl WarcScan {
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let rest = match self.rest.or_else(|| warc_len(bytes)) {
            Some(rest) => rest,
            // Headers without an end: records start again with a line.
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

/// Finds the end of an object of JSON that comes in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectScan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl ObjectScan {
    /// Length of the front of `bytes` that ends the object, with what stands between it and the end of its line; `None` if it
    /// goes on behind them.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
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
            // Brackets around all objects are no part of one.
            let is_mark = |byte: &u8| match byte {
                b'{' => true,
                b'"' | b'[' | b'}' | b']' => self.depth > 0,
                _ => false,
            };
            at += rest.iter().position(is_mark)?;
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                _ => self.depth -= 1,
            }
            at += 1;
            if !self.in_string && self.depth == 0 {
                return Some(object_line_end(bytes, at));
            }
        }
    }
}
