//! Columns: CSV, TSV, W3C extended (IIS) and CloudFront.

use memchr::{memchr, memmem, memrchr};
use percent_simd::ByteSet;

use super::{CONTROLS, Choice, ExtraField, Field, Format, IN_SPACES, Kind, Layout, Name, Rule, Wrap};
use crate::records::{Framing, csv_field_end};

/// Columns of URLs in headers, for those who name none.
const USUAL: [&str; 12] = [
    "url",
    "uri",
    "request_url",
    "request_uri",
    "request",
    "referer",
    "referrer",
    "http_referer",
    "path",
    "query",
    "cs-uri-query",
    "cs(referer)",
];

/// Those of W3C extended: IIS has decoded the stem already.
const USUAL_W3C: [&str; 2] = ["cs-uri-query", "cs(referer)"];

/// Those of CloudFront, and where they have been in every version of it.
const USUAL_CLOUDFRONT: [(&str, usize); 3] = [("cs-uri-stem", 7), ("cs(referer)", 9), ("cs-uri-query", 11)];

/// What says which columns there are, in W3C extended and in CloudFront.
const DIRECTIVE: &[u8] = b"#Fields:";

/// How a column is chosen.
enum Column {
    Number(usize),
    Name(String),
}

const PLAIN: usize = 0;
const QUERY: usize = 1;

pub struct Delimited {
    delimiter: u8,
    /// Whether there are quotes (CSV), and directives (W3C).
    quotes: bool,
    directives: bool,
    header: bool,
    layers: usize,
    chosen: Vec<Column>,
    /// Whether those that are not in the header are no mistake.
    usual: bool,
    names: Vec<String>,
    rules: [Rule; 2],
    /// The columns before a header or directive says otherwise.
    known: Vec<Option<usize>>,
}

impl Delimited {
    pub fn new(format: &Name, choice: &Choice) -> Result<Delimited, String> {
        let (delimiter, directives) = match format {
            Name::Csv => (b',', false),
            Name::Tsv => (b'\t', false),
            Name::CloudFront => (b'\t', true),
            _ => (b' ', true),
        };
        let usual = choice.fields.is_empty();
        let names: Vec<String> = match format {
            _ if !usual => choice.fields.clone(),
            Name::CloudFront => USUAL_CLOUDFRONT.iter().map(|(name, _)| (*name).to_string()).collect(),
            Name::W3c => USUAL_W3C.map(String::from).to_vec(),
            _ => USUAL.map(String::from).to_vec(),
        };
        let mut chosen = Vec::new();
        for name in &names {
            chosen.push(match name.parse::<usize>() {
                Ok(0) => return Err("pct: columns are numbered from 1".into()),
                Ok(number) => Column::Number(number - 1),
                Err(_) => Column::Name(name.to_ascii_lowercase()),
            });
        }
        let by_name = chosen.iter().any(|column| matches!(column, Column::Name(_)));
        let known = chosen.iter().map(|column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) if *format == Name::CloudFront => {
                USUAL_CLOUDFRONT.iter().find(|(usual, _)| usual == name).map(|&(_, at)| at)
            }
            Column::Name(_) => None,
        });
        let (keep, wrap) = match format {
            Name::Csv => (CONTROLS, Wrap::Csv(delimiter)),
            Name::W3c => (IN_SPACES, Wrap::Verbatim),
            // Whoever loads tabs takes a backslash for the start of an escape.
            _ => (CONTROLS | ByteSet::of(b"\\"), Wrap::Verbatim),
        };
        let rule = |query| Rule { keep, wrap, query };
        Ok(Delimited {
            delimiter,
            quotes: *format == Name::Csv,
            directives,
            header: !directives && choice.header.unwrap_or(by_name),
            layers: if *format == Name::CloudFront { 2 } else { 1 },
            known: known.collect(),
            chosen,
            usual,
            names,
            rules: [rule(false), rule(true)],
        })
    }

    /// Where the chosen columns are among `names`.
    fn columns<'a>(&self, names: impl Iterator<Item = &'a [u8]>) -> Vec<Option<usize>> {
        let names: Vec<_> = names.collect();
        let at = |column: &Column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => names.iter().position(|other| other.eq_ignore_ascii_case(name.as_bytes())),
        };
        self.chosen.iter().map(at).collect()
    }

    /// Where the next column ends that starts at `at`; `None` where its quotes do not close, or do so too early.
    fn end(&self, record: &[u8], at: usize) -> Option<usize> {
        let closed = if self.quotes { csv_field_end(record, at)? } else { at };
        let end = memchr(self.delimiter, &record[closed..]).map_or(record.len(), |end| closed + end);
        (closed == at || closed == end).then_some(end)
    }

    /// The names in a header.
    fn header_names<'a>(&self, record: &'a [u8]) -> Vec<&'a [u8]> {
        let mut names = Vec::new();
        let mut at = 0;
        while let Some(end) = self.end(record, at) {
            let name = &record[at..end];
            let name = name.strip_prefix(b"\xEF\xBB\xBF").filter(|_| at == 0).unwrap_or(name);
            names.push(name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name));
            if end == record.len() {
                break;
            }
            at = end + 1;
        }
        names
    }

    /// Columns from what stands in a header.
    fn read_header(&self, record: &[u8]) -> Vec<Option<usize>> {
        self.columns(self.header_names(record).into_iter())
    }

    /// The names in the header or the first directive of an input that starts with `head`, if that is there as a whole.
    fn header<'a>(&self, head: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let mut at = 0;
        while at < head.len() {
            let record = self.framing().first(&head[at..]);
            let body = &head[at..at + record.body];
            let is_whole = record.len > record.body;
            match body.strip_prefix(DIRECTIVE) {
                Some(names) if self.directives && is_whole => return Some(directive_names(names).collect()),
                _ if self.header && is_whole => return Some(self.header_names(body)),
                _ if self.header || !body.starts_with(b"#") => return None,
                _ => at += record.len,
            }
        }
        None
    }

    /// Columns from a directive, if `record` is one of those that name them.
    fn read_directive(&self, record: &[u8]) -> Option<Vec<Option<usize>>> {
        let names = record.strip_prefix(DIRECTIVE)?;
        Some(self.columns(directive_names(names)))
    }

    fn data(&self, record: &[u8], columns: &[Option<usize>], fields: &mut Vec<Field>) -> Kind {
        let Some(last) = columns.iter().flatten().copied().max() else {
            return if self.usual && !self.directives { Kind::Data } else { Kind::Unrecognized };
        };
        let mut at = 0;
        for column in 0..=last {
            let Some(end) = self.end(record, at) else { return Kind::Unrecognized };
            if let Some(choice) = columns.iter().position(|&chosen| chosen == Some(column)) {
                let is_query = matches!(&self.chosen[choice], Column::Name(name) if name.contains("query"));
                let rule = if is_query { QUERY } else { PLAIN };
                fields.push(Field { choice, range: at..end, rule, member: false });
            }
            if end == record.len() {
                break;
            }
            at = end + 1;
        }
        Kind::Data
    }
}

/// The names behind a directive.
fn directive_names(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    names.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty())
}

impl Format for Delimited {
    fn framing(&self) -> Framing {
        if self.quotes { Framing::Csv(self.delimiter) } else { Framing::Lines }
    }

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn extra_field(&self) -> ExtraField {
        let header = if self.directives { b' ' } else { self.delimiter };
        ExtraField::Column {
            before: vec![self.delimiter],
            after: Vec::new(),
            header: vec![header],
            absent: if self.directives { "-" } else { "" },
        }
    }

    fn mark(&self) -> Option<u8> {
        self.directives.then_some(b'#')
    }

    fn layers(&self) -> usize {
        self.layers
    }

    fn missing(&self, head: &[u8]) -> Option<String> {
        let there = self.header(head)?;
        let columns = self.columns(there.iter().copied());
        let text =
            |names: Vec<&[u8]>| names.iter().map(|name| String::from_utf8_lossy(name)).collect::<Vec<_>>().join(", ");
        let missing: Vec<&[u8]> =
            self.names.iter().zip(&columns).filter(|(_, at)| at.is_none()).map(|(name, _)| name.as_bytes()).collect();
        // Of those that are only usual, one is enough.
        match missing.len() {
            0 => None,
            some if self.usual && some < columns.len() => None,
            _ if self.usual => {
                Some(format!("no column that is known to hold URLs, of {}; name one with -f", text(there)))
            }
            _ => Some(format!("no column {}; there are {}", text(missing), text(there))),
        }
    }

    fn layout(&self) -> Layout {
        Layout { columns: self.known.clone(), header: self.header }
    }

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if layout.header {
            layout.header = false;
            layout.columns = self.read_header(record);
            return Kind::Header;
        }
        if self.directives && record.first() == Some(&b'#') {
            let Some(columns) = self.read_directive(record) else { return Kind::Comment };
            layout.columns = columns;
            return Kind::Header;
        }
        self.data(record, &layout.columns, fields)
    }

    fn advance(&self, chunk: &[u8], layout: &mut Layout) {
        if layout.header && !chunk.is_empty() {
            let record = self.framing().first(chunk);
            layout.header = false;
            layout.columns = self.read_header(&chunk[..record.body]);
        }
        if !self.directives {
            return;
        }
        // The last directive decides.
        let mut end = chunk.len();
        while let Some(at) = memmem::rfind(&chunk[..end], DIRECTIVE) {
            let line = memrchr(b'\n', &chunk[..at]).map_or(0, |before| before + 1);
            if line == at {
                let (_, record) = Framing::Lines.around(chunk, line, at);
                layout.columns = self.read_directive(&chunk[line..line + record.body]).unwrap_or_default();
                return;
            }
            end = line;
        }
    }
}
