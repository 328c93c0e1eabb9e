//! Columns: CSV, TSV, W3C extended (IIS), CloudFront, Zeek, URLhaus.

use memchr::{memchr, memmem, memrchr};
use percent_simd::ByteSet;

use super::role;
use super::sniff;
use super::{CONTROLS, Choice, ExtraField, Field, Format, IN_SPACES, Kind, Layout, Plan, Row, Rule, Wrap};
use crate::framing::{Framing, csv_field_end};

/// A format of columns.
struct Shape {
    name: &'static str,
    delimiter: u8,
    /// Whether there are quotes (RFC 4180).
    quotes: bool,
    /// The word before the names in the line that names the columns; if it is empty, the first line names them.
    directive: &'static str,
    /// The separator of those names.
    separator: u8,
    /// Whether lines that start with `#` are no records.
    comments: bool,
    /// Columns of URLs in headers, for those who name none.
    usual: &'static [&'static str],
    /// The one of them that is meant only if no other is there.
    fallback: &'static str,
    /// The columns that every version of the format has had, for inputs in which no line names them.
    known: &'static [(&'static str, usize)],
    layers: usize,
}

const S_CSV: Shape = Shape {
    name: "csv",
    delimiter: b',',
    quotes: true,
    directive: "",
    separator: b',',
    comments: false,
    usual: &[
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
        "page_url",
        "cs-uri-query",
        "cs(referer)",
    ],
    fallback: "",
    known: &[],
    layers: 1,
};
const S_CSV_SEMICOLON: Shape = Shape { name: "csv;", delimiter: b';', separator: b';', ..S_CSV };
const S_CSV_BAR: Shape = Shape { name: "csv|", delimiter: b'|', separator: b'|', ..S_CSV };
const S_TSV: Shape = Shape { name: "tsv", delimiter: b'\t', separator: b'\t', quotes: false, ..S_CSV };
/// W3C, Extended Log File Format. IIS has decoded the stem already, so that is left alone where there is anything else.
const S_W3C: Shape = Shape {
    name: "w3c",
    delimiter: b' ',
    directive: "#Fields:",
    separator: b' ',
    comments: true,
    usual: &["cs-uri", "cs-uri-query", "cs(referer)", "cs-uri-stem"],
    fallback: "cs-uri-stem",
    quotes: false,
    ..S_CSV
};
/// Amazon CloudFront, Developer Guide, standard logs; it has put on a layer of its own.
const S_CLOUDFRONT: Shape = Shape {
    name: "cloudfront",
    delimiter: b'\t',
    usual: &["cs-uri-stem", "cs(referer)", "cs-uri-query", "cs(user-agent)"],
    fallback: "",
    known: &[("cs-uri-stem", 7), ("cs(referer)", 9), ("cs(user-agent)", 10), ("cs-uri-query", 11)],
    layers: 2,
    ..S_W3C
};
/// docs.zeek.org, log formats: tabs, and `#fields` among lines of `#`.
const S_ZEEK: Shape = Shape {
    name: "zeek",
    delimiter: b'\t',
    directive: "#fields",
    separator: b'\t',
    usual: &["uri", "referrer", "location"],
    fallback: "",
    ..S_W3C
};
/// urlhaus.abuse.ch/api: CSV with all cells in quotes, behind lines of `#` of which the last names the columns.
const S_URLHAUS: Shape =
    Shape { name: "urlhaus", directive: "# id,", comments: true, usual: &["url"], known: &[("url", 2)], ..S_CSV };

row!(Delimited, CSV, S_CSV, "RFC 4180, by column", "url, referer, ...", |sample| has_column(
    sample.lines.first(),
    &S_CSV
));
row!(Delimited, CSV_SEMICOLON, S_CSV_SEMICOLON, "CSV with semicolons", "url, referer, ...", |sample| {
    has_column(sample.lines.first(), &S_CSV_SEMICOLON)
});
row!(Delimited, CSV_BAR, S_CSV_BAR, "CSV with vertical bars", "url, referer, ...", |sample| {
    has_column(sample.lines.first(), &S_CSV_BAR)
});
row!(Delimited, TSV, S_TSV, "tabs, by column", "url, referer, ...", |sample| has_column(sample.lines.first(), &S_TSV));
row!(
    Delimited,
    W3C,
    S_W3C,
    "W3C extended, as IIS writes it, by column of #Fields",
    "cs-uri, cs-uri-query, cs(Referer); cs-uri-stem",
    |sample| sample.lines.iter().any(|line| line.starts_with(b"#Fields:"))
);
row!(
    Delimited,
    CLOUDFRONT,
    S_CLOUDFRONT,
    "CloudFront standard logs; two layers come off",
    "cs-uri-stem, cs(Referer), cs-uri-query, cs(User-Agent)",
    |sample| {
        let is_it = |line: &&[u8]| line.starts_with(b"#Fields:") && memmem::find(line, b"x-edge-location").is_some();
        sample.lines.iter().any(is_it)
    }
);
row!(Delimited, ZEEK, S_ZEEK, "Zeek, http.log and others with tabs", "uri, referrer, location", |sample| {
    sample.lines.iter().any(|line| line.starts_with(b"#fields\t"))
});
row!(Delimited, URLHAUS, S_URLHAUS, "URLhaus, its dumps in CSV", "url", |sample| {
    let is_header = |line: &&[u8]| line.starts_with(b"# id,") && memmem::find(line, b",url,").is_some();
    sample.lines.first().is_some_and(|line| line.starts_with(b"#")) && sample.lines.iter().any(is_header)
});

/// Whether a header names a column that is known to hold URLs.
fn has_column(header: Option<&&[u8]>, shape: &Shape) -> bool {
    let Some(header) = header else { return false };
    let is_known = |name: &[u8]| {
        let name = name.trim_ascii();
        let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
        shape.usual.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
    };
    sniff::count(header, shape.delimiter) > 0 && header.split(|&byte| byte == shape.delimiter).any(is_known)
}

/// How a column is chosen.
enum Column {
    Number(usize),
    Name(String),
}

pub struct Delimited {
    shape: &'static Shape,
    header: bool,
    chosen: Vec<Column>,
    /// Whether those that are not in the header are no mistake.
    usual: bool,
    plan: Plan,
    /// The columns before a header or directive says otherwise.
    known: Vec<Option<usize>>,
}

impl Delimited {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Delimited, String> {
        let mut plan = Plan::new(choice, shape.usual.iter().copied(), role::context());
        let mut chosen = Vec::new();
        for name in &plan.names {
            chosen.push(match name.parse::<usize>() {
                Ok(0) => return Err("columns are numbered from 1".into()),
                Ok(number) => Column::Number(number - 1),
                Err(_) => Column::Name(name.to_ascii_lowercase()),
            });
        }
        let by_name = chosen[..plan.asked].iter().any(|column| matches!(column, Column::Name(_)));
        let known = chosen.iter().map(|column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => shape.known.iter().find(|(known, _)| known == name).map(|&(_, at)| at),
        });
        let comment = if shape.comments { ByteSet::of(b"#") } else { ByteSet::EMPTY };
        let (keep, wrap) = match shape.delimiter {
            delimiter if shape.quotes => (CONTROLS | comment, Wrap::Csv(delimiter)),
            b' ' => (IN_SPACES | comment, Wrap::Verbatim),
            // Whoever loads tabs takes a backslash for the start of an escape.
            _ => (CONTROLS | comment | ByteSet::of(b"\\"), Wrap::Verbatim),
        };
        let syntax = |name: &String| role::syntax_of(name);
        plan.rules = plan.names.iter().map(syntax).map(|syntax| Rule { keep, wrap, syntax }).collect();
        Ok(Delimited {
            shape,
            header: shape.directive.is_empty() && choice.header.unwrap_or(by_name),
            known: known.collect(),
            chosen,
            usual: choice.fields.is_empty(),
            plan,
        })
    }

    /// Returns the positions of the chosen columns among `names`.
    fn columns<'a>(&self, names: impl Iterator<Item = &'a [u8]>) -> Vec<Option<usize>> {
        let names: Vec<_> = names.collect();
        let at = |column: &Column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => names.iter().position(|other| other.eq_ignore_ascii_case(name.as_bytes())),
        };
        let mut columns: Vec<_> = self.chosen.iter().map(at).collect();
        // The fallback is dropped where one of the usual columns is there. Beside columns of clients and statuses it stays,
        // because it has the path.
        let is_fallback = |name: &String| self.usual && self.plan.context_len() == 0 && name == self.shape.fallback;
        let fallback = self.plan.names.iter().position(is_fallback);
        if let Some(fallback) = fallback
            && columns.iter().flatten().count() > 1
        {
            columns[fallback] = None;
        }
        columns
    }

    /// Returns the end of the column that starts at `at`; `None` where its quotes do not close, or close too early.
    fn end(&self, record: &[u8], at: usize) -> Option<usize> {
        let closed = if self.shape.quotes { csv_field_end(record, at)? } else { at };
        let end = memchr(self.shape.delimiter, &record[closed..]).map_or(record.len(), |end| closed + end);
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
            match self.directive_names(body) {
                Some(names) if is_whole => return Some(names),
                _ if self.header && is_whole => return Some(self.header_names(body)),
                _ if self.header || !(self.shape.comments && body.starts_with(b"#")) => return None,
                _ => at += record.len,
            }
        }
        None
    }

    /// The names in `record`, if it is the line that says which columns there are.
    fn directive_names<'a>(&self, record: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let Shape { directive, separator, .. } = *self.shape;
        let rest = record.strip_prefix(directive.as_bytes()).filter(|_| !directive.is_empty())?;
        // Of URLhaus, the first name is part of the directive.
        let names = if directive.ends_with(',') { &record[2..] } else { rest };
        let is_name = |name: &&[u8]| separator != b' ' && separator != b'\t' || !name.is_empty();
        Some(names.split(|&byte| byte == separator || separator == b' ' && byte == b'\t').filter(is_name).collect())
    }

    /// Columns from a directive, if `record` is one of those that name them.
    fn read_directive(&self, record: &[u8]) -> Option<Vec<Option<usize>>> {
        self.directive_names(record).map(|names| self.columns(names.into_iter()))
    }

    fn data(&self, record: &[u8], columns: &[Option<usize>], fields: &mut Vec<Field>) -> Kind {
        let Some(last) = columns.iter().flatten().copied().max() else {
            return if self.usual && self.shape.directive.is_empty() { Kind::Data } else { Kind::Unrecognized };
        };
        let mut at = 0;
        for column in 0..=last {
            let Some(end) = self.end(record, at) else { return Kind::Unrecognized };
            if let Some(choice) = columns.iter().position(|&chosen| chosen == Some(column)) {
                fields.push(Field { choice, range: at..end, rule: choice, object: None });
            }
            if end == record.len() {
                break;
            }
            at = end + 1;
        }
        Kind::Data
    }
}

impl Format for Delimited {
    fn framing(&self) -> Framing {
        if self.shape.quotes { Framing::Csv(self.shape.delimiter) } else { Framing::Lines }
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        let header = if self.shape.directive.is_empty() { self.shape.delimiter } else { self.shape.separator };
        ExtraField::Column {
            before: vec![self.shape.delimiter],
            after: Vec::new(),
            header: vec![header],
            absent: if self.shape.directive.is_empty() { "" } else { "-" },
        }
    }

    fn mark(&self) -> Option<u8> {
        self.shape.comments.then_some(b'#')
    }

    fn layers(&self) -> usize {
        self.shape.layers
    }

    fn has_header(&self) -> bool {
        true
    }

    fn mismatch(&self, head: &[u8], to: Option<&str>) -> Option<String> {
        let there = self.header(head)?;
        let columns = self.columns(there.iter().copied());
        let present =
            || self.plan.asked_names().iter().zip(&columns).filter(|(_, at)| at.is_some()).map(|(name, _)| name);
        if let Some(to) = to {
            if !to.contains("{}") && present().count() > 1 {
                let names: Vec<_> = present().map(String::as_str).collect();
                return Some(format!(
                    "the columns {}, and `--to {to}` is one name; put {{}} in it for each one's own, as in --to '{{}}_decoded'",
                    names.join(", ")
                ));
            }
            let is_there = |name: &String| there.iter().any(|there| there.eq_ignore_ascii_case(name.as_bytes()));
            if let Some(name) = present().map(|name| to.replace("{}", name)).find(is_there) {
                return Some(format!("a column `{name}` already; name another with --to"));
            }
        }
        let text =
            |names: Vec<&[u8]>| names.iter().map(|name| String::from_utf8_lossy(name)).collect::<Vec<_>>().join(", ");
        let missing: Vec<&[u8]> = self
            .plan
            .asked_names()
            .iter()
            .zip(&columns)
            .filter(|(_, at)| at.is_none())
            .map(|(name, _)| name.as_bytes())
            .collect();
        // Of those that are only usual, one is enough.
        match missing.len() {
            0 => None,
            some if self.usual && some < self.plan.asked => None,
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
        if self.shape.comments && record.first() == Some(&b'#') {
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
        if self.shape.directive.is_empty() {
            return;
        }
        // The last directive decides.
        let mut end = chunk.len();
        while let Some(at) = memmem::rfind(&chunk[..end], self.shape.directive.as_bytes()) {
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
