//! Pairs of a label and a value: LTSV, and the events that security devices write in CEF and LEEF.
//!
//! Some programs don't escape text of clients. So if a chosen label occurs twice in a record, one of its values may be
//! forged, and we copy the record unchanged.

use std::collections::HashMap;
use std::ops::Range;
use std::slice;

use memchr::{memchr, memchr_iter, memmem};
use percent_simd::ByteSet;

use super::candidates::Candidates;
use super::format::{Bounds, Choice, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, row};
use super::role::{self, Hint, hint};
use super::shape::{CONTROLS, IN_SPACES, VERSION, is_url};
use super::token::{request_line, target_field, without_overlaps};
use super::urls::next_in_text;
use super::wrap::Wrap;
use crate::framing::Framing;

/// The separator of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Byte(u8),
    /// `#011`: rsyslog writes a tab so.
    Octal,
    /// A comma. A value may be in quotes. If text that isn't a label follows a comma, the comma is part of the value.
    Comma,
    /// A blank. Values may contain blanks too, so a value ends only before the next ` label=`.
    Label,
}

struct Shape {
    name: &'static str,
    /// Returns the length of the header of a record, and the separator of its pairs.
    header: fn(&[u8]) -> Option<(usize, Between)>,
    /// The byte between a label and its value.
    equals: u8,
    /// The bytes that stay escaped, because they would end a value or start an escape.
    keep: ByteSet,
    wrap: Wrap,
    /// If true, the pair `cs1Label=Policy` gives the name `Policy` to the key `cs1`.
    has_names: bool,
    usual: &'static [&'static str],
    context: &'static [&'static str],
    /// Returns the syntax of the field with a name.
    syntax: fn(&str) -> Syntax,
}

/// ltsv.org, recommended labels. The feeds of Zscaler for Splunk have `=` in place of `:`, and a time before the first
/// pair. McAfee Web Gateway writes its name first, and bars between the pairs.
const S_LTSV: Shape = Shape {
    name: "ltsv",
    header: |line| {
        let between = separator(line, &OTHERS);
        let len = memmem::find(line, between.mark()).filter(|&len| match between {
            Between::Byte(b'|') => memchr(b'=', &line[..len]).is_none(),
            _ => line[..len].iter().all(|byte| b"0123456789-: ".contains(byte)),
        });
        Some((len.map_or(0, |len| len + between.mark().len()), between))
    },
    equals: b':',
    keep: ByteSet::of(b"\\"),
    wrap: Wrap::Verbatim,
    has_names: false,
    usual: &[
        "req", "request", "uri", "path", "url", "query", "request_uri", "query_string", "referer", "referrer",
        "http_referer", "refererURL",
    ],
    context: &["remote_addr", "client_ip", "vhost", "time", "status"],
    syntax: role::syntax_of,
};
/// ArcSight Common Event Format, version 25. Inside a value, each `=` and each `\` has a backslash before it.
const S_CEF: Shape = Shape {
    name: "cef",
    header: cef,
    equals: b'=',
    keep: ByteSet::of(b"=\\| "),
    wrap: Wrap::Cef,
    has_names: true,
    usual: &["request", "requestContext", "requestUrl", "url", "uri", "qstr", "ref", "referer", "referrer"],
    context: &["src", "dhost", "rt"],
    syntax: syntax_of,
};
/// IBM QRadar, LEEF Format Guide, versions 1.0 and 2.0.
const S_LEEF: Shape = Shape {
    name: "leef",
    header: leef,
    keep: ByteSet::of(b"\\"),
    wrap: Wrap::Verbatim,
    has_names: false,
    usual: &[
        "url", "uri", "request", "requestUrl", "query", "queryString", "referer", "referrer", "refererURL", "resource",
        "Miscellaneous",
    ],
    context: &["src", "devTime"],
    ..S_CEF
};

/// The pairs that rules of F5 BIG-IP write (the Splunk add-on for F5 BIG-IP, `iRule`). The host comes first.
const S_COMMA: Shape = Shape {
    name: "pairs",
    header: |line| {
        let len = memchr(b',', line).filter(|&len| memchr(b'=', &line[..len]).is_none());
        Some((len.map_or(0, |len| len + 1), Between::Comma))
    },
    equals: b'=',
    keep: IN_SPACES.union(ByteSet::of(b"=,'")),
    usual: &["uri", "url", "request", "http_uri", "http_url", "http_referrer", "referrer", "referer"],
    ..S_LTSV
};

row!(
    Pairs,
    LTSV,
    S_LTSV,
    "LTSV: label:value or label=value between tabs, by label",
    "req, uri, referer, ...",
    |sample| { sample.most(|line| pairs(line, &S_LTSV).is_some_and(|(pairs, _)| pairs.len() >= 2)) }
);
row!(Pairs, CEF, S_CEF, "ArcSight CEF, by key", "request, requestContext, ...", |sample| {
    sample.most(|line| cef(line).is_some())
});
row!(Pairs, LEEF, S_LEEF, "QRadar LEEF, by key", "url, request, referrer, ...", |sample| {
    sample.most(|line| leef(line).is_some())
});

row!(Pairs, COMMA, S_COMMA, "key=value between commas, by key", "uri, url, ...", |sample| {
    sample.most(|line| {
        let is_url = |(key, value): &Pair| {
            matches!(hint(&String::from_utf8_lossy(key)), Hint::Url | Hint::Maybe)
                && is_url(&line[value.clone()])
                && memchr(b' ', &line[value.clone()]).is_none()
        };
        pairs(line, &S_COMMA).is_some_and(|(pairs, _)| pairs.len() >= 4 && pairs.iter().any(is_url))
    })
});

/// Reads the header `CEF:0|Vendor|Product|Version|Signature|Name|Severity|`. If a backslash precedes a bar, the bar is
/// part of a value.
///
/// A server of syslog may take `CEF:` for the name of a program and remove it. Then a pair must follow the header.
fn cef(line: &[u8]) -> Option<(usize, Between)> {
    let has_mark = line.starts_with(b"CEF:");
    let end = header(line, if has_mark { b"CEF:" } else { b"" }, 7)?;
    let is_pair = || line[end..].trim_ascii_start().iter().find(|byte| b" =|".contains(byte)) == Some(&b'=');
    // Some programs write no blanks between the pairs.
    let between = || separator(&line[end..], &[Between::Byte(b';')]);
    let other = if has_blanks(&line[end..]) { None } else { Some(between()) };
    let between = other.filter(|other| other.precedes_pair(&line[end..])).unwrap_or(Between::Label);
    (has_mark || line.trim_ascii_start().starts_with(b"0|") && is_pair()).then_some((end, between))
}

impl Between {
    /// Returns the text between two pairs.
    fn mark(&self) -> &[u8] {
        match self {
            Between::Byte(byte) => slice::from_ref(byte),
            Between::Octal => b"#011",
            Between::Comma => b",",
            Between::Label => b" ",
        }
    }

    /// Returns true if a label and `=` follow the first mark in `text`.
    fn precedes_pair(&self, text: &[u8]) -> bool {
        let first = match self {
            Between::Byte(byte) => memchr(*byte, text),
            other => memmem::find(text, other.mark()),
        };
        first.is_some_and(|at| is_pair(&text[at + self.mark().len()..]))
    }
}

/// The separators of LTSV and LEEF in place of a tab.
const OTHERS: [Between; 2] = [Between::Octal, Between::Byte(b'|')];

/// Returns the separator of the pairs in `text`, which are usually separated by tabs. If `text` contains no tab, a
/// program may have written one of `others`.
fn separator(text: &[u8], others: &[Between]) -> Between {
    let is_it = |between: &&Between| between.precedes_pair(text);
    let other = if memchr(b'\t', text).is_some() { None } else { others.iter().find(is_it) };
    other.copied().unwrap_or(Between::Byte(b'\t'))
}

/// Returns true if `text` has a label and `=` after a blank.
fn has_blanks(text: &[u8]) -> bool {
    memchr_iter(b' ', text).any(|at| is_pair(&text[at + 1..]))
}

/// Returns true if `text` starts with a label and `=`.
fn is_pair(text: &[u8]) -> bool {
    let len = text.iter().take_while(|&&byte| is_in_label(byte)).count();
    len > 0 && text.get(len) == Some(&b'=')
}

/// Reads the header `LEEF:1.0|Vendor|Product|Version|Event|`. In version 2.0, the separator of the pairs may follow, as
/// `^` or as `x5E`. PAN-OS writes version 1.0 with bars between the pairs, and some programs write tabs as blanks.
///
/// As in CEF, a server of syslog may remove `LEEF:`, or write a blank after it.
fn leef(line: &[u8]) -> Option<(usize, Between)> {
    let after = line.strip_prefix(b"LEEF:");
    let version = after.unwrap_or(line).trim_ascii_start();
    let end = header(line, if after.is_some() { b"LEEF:" } else { b"" }, 5)?;
    let rest = &line[end..];
    let is_version = || version.starts_with(b"1.0|") || version.starts_with(b"2.0|");
    if after.is_none() && !(is_version() && memchr(b'=', rest).is_some()) {
        return None;
    }
    let tab = match separator(rest, &OTHERS) {
        Between::Byte(b'\t') if memchr(b'\t', rest).is_none() && has_blanks(rest) => Between::Label,
        between => between,
    };
    if !version.starts_with(b"2") {
        return Some((end, tab));
    }
    let Some(len) = memchr(b'|', &rest[..rest.len().min(7)]) else { return Some((end, tab)) };
    let between = match &rest[..len] {
        [] => tab,
        &[byte] if !byte.is_ascii_alphanumeric() => Between::Byte(byte),
        [b'x', hex @ ..] | [b'0', b'x', hex @ ..] => {
            // A separator above ASCII could also be decoded from a value.
            Between::Byte(u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok().filter(u8::is_ascii)?)
        }
        _ => return Some((end, tab)),
    };
    Some((end + len + 1, between))
}

/// Returns the length of a header: `mark`, and then `values` values, each followed by a bar.
fn header(line: &[u8], mark: &[u8], values: usize) -> Option<usize> {
    let rest = line.strip_prefix(mark)?;
    let bars = memchr_iter(b'|', rest).filter(|&at| !is_escaped(rest, at));
    bars.take(values).enumerate().filter(|(number, _)| number + 1 == values).map(|(_, at)| mark.len() + at + 1).next()
}

/// Returns true if an odd number of backslashes precedes the byte at `at`.
fn is_escaped(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

fn is_in_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// A label, and the bounds of its value.
type Pair<'a> = (&'a [u8], Range<usize>);

/// Returns the pairs of a record, and their separator. If the record isn't in this format, returns `None`.
fn pairs<'a>(line: &'a [u8], shape: &Shape) -> Option<(Vec<Pair<'a>>, Between)> {
    let (start, between) = (shape.header)(line)?;
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    match between {
        Between::Byte(_) | Between::Octal => {
            let (mut next, mut equals) = (Some(start), None);
            while let Some(at) = next {
                let end = memmem::find(&line[at..], between.mark()).map_or(line.len(), |len| at + len);
                next = Some(end + between.mark().len()).filter(|_| end < line.len());
                // In LEEF, blanks may come before a label, and a separator may follow the last pair.
                let label_at = at + line[at..end].iter().take_while(|&&byte| byte == b' ').count();
                if label_at == end && (shape.equals == b'=' || between == Between::Byte(b'|')) {
                    continue;
                }
                let len = line[label_at..end].iter().take_while(|&&byte| is_in_label(byte)).count();
                let found = line[..end].get(label_at + len).copied();
                let is_equals =
                    found == *equals.get_or_insert(found) && [Some(shape.equals), Some(b'=')].contains(&found);
                if len == 0 || !is_equals {
                    return None;
                }
                pairs.push((&line[label_at..label_at + len], without_quotes(line, label_at + len + 1..end)));
            }
        }
        Between::Comma => {
            let mut at = start;
            while at < line.len() {
                let piece = &line[at..];
                let len = piece.iter().take_while(|&&byte| is_in_label(byte)).count();
                let is_pair = len > 0 && piece.get(len) == Some(&b'=');
                let quote = piece.get(len + 1).copied().unwrap_or_default();
                let has_quote = is_pair && b"\"'".contains(&quote);
                let quoted = || Some(memmem::find(piece.get(len + 2..)?, &[quote, b','])? + len + 3);
                let end = if has_quote { quoted() } else { memchr(b',', piece) }.unwrap_or(piece.len());
                let inner = match has_quote {
                    true if end > len + 2 && piece[end - 1] == quote => len + 2..end - 1,
                    true => return None,
                    false => len + 1..end,
                };
                // If blanks separate pairs, too, we don't know the end of a value.
                let bare = piece[..end].split(|&byte| byte == b' ');
                if !has_quote && bare.skip(1).any(|word| memchr(b'=', word).is_some()) {
                    return None;
                }
                match pairs.last_mut() {
                    _ if is_pair => pairs.push((&piece[..len], at + inner.start..at + inner.end)),
                    Some((_, value)) if line[value.end] == b',' => value.end = at + end,
                    _ => return None,
                }
                at += end + 1;
            }
        }
        Between::Label => {
            for at in memchr_iter(shape.equals, &line[start..]).map(|at| start + at) {
                // The search for a label goes back at most to the start of the previous value, so the total time stays
                // linear.
                let floor = pairs.last().map_or(start, |(_, value)| value.start);
                let len = line[floor..at].iter().rev().take_while(|&&byte| is_in_label(byte)).count();
                let label_at = at - len;
                if len == 0 || label_at > start && line[label_at - 1] != b' ' {
                    continue;
                }
                if let Some((_, value)) = pairs.last_mut() {
                    value.end = value.start.max(label_at - 1);
                }
                pairs.push((&line[label_at..at], at + 1..line.len()));
            }
            for (_, value) in &mut pairs {
                value.end = value.start + line[value.clone()].trim_ascii_end().len();
                value.start = value.end - line[value.clone()].trim_ascii_start().len();
                *value = without_quotes(line, value.clone());
            }
        }
    }
    Some((pairs, between))
}

/// Returns `value` without the quotes around it. In CEF, a backslash may precede each of the two quotes.
fn without_quotes(line: &[u8], mut value: Range<usize>) -> Range<usize> {
    loop {
        value = match &line[value.clone()] {
            [b'"', .., b'"'] => value.start + 1..value.end - 1,
            [b'\\', b'"', .., b'\\', b'"'] => value.start + 2..value.end - 2,
            _ => return value,
        }
    }
}

/// The rules of each label, in this order: for any value, for a value in quotes or in a record with an unusual separator, for a
/// target in a request line, for a target that contains blanks, and for a value with escapes of CEF.
const RULES: usize = 5;
const VALUE: usize = 0;
const UNUSUAL: usize = 1;
const REQUEST: usize = 2;
const ESCAPED: usize = 4;

/// In a record that chooses its own separator, all ASCII bytes that could be a separator stay escaped.
const SEPARATORS: ByteSet = ByteSet::range(b' ', b'~').difference(
    ByteSet::range(b'0', b'9')
        .union(ByteSet::range(b'A', b'Z'))
        .union(ByteSet::range(b'a', b'z'))
        .union(ByteSet::of(b"-._/")),
);

struct Pairs {
    shape: &'static Shape,
    schema: Schema,
}

/// Returns each name that the pairs of a record give to a key: the key, and the bounds of the name. The pair
/// `cs1Label=Policy` gives the name `Policy` to the key `cs1`. It may come before or after the pair of `cs1`. If `has_names`
/// is false, looks at no pair.
fn names<'a>(pairs: &[Pair<'a>], has_names: bool) -> impl Iterator<Item = Pair<'a>> {
    let pairs = if has_names { pairs } else { &[] };
    pairs.iter().filter_map(|(label, range)| Some((label.strip_suffix(b"Label")?, range.clone())))
}

impl Pairs {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Pairs, String> {
        let context = shape.context.iter().copied().filter(|name| role::is_context(name, choice));
        let mut schema = Schema::new(choice, shape.usual.iter().copied(), context);
        let keep = CONTROLS | shape.keep;
        let rule = |keep, syntax| Rule { keep, wrap: shape.wrap, syntax };
        // A loop is smaller than `flat_map`.
        let mut rules = Vec::new();
        for name in &schema.names {
            let syntax = choice.found_syntax(name).unwrap_or_else(|| (shape.syntax)(name));
            rules.extend_from_slice(&[
                rule(keep, syntax),
                rule(keep | SEPARATORS, syntax),
                rule(keep | IN_SPACES, Syntax::Target),
                rule(keep | IN_SPACES | VERSION, Syntax::Target),
                Rule { wrap: Wrap::Cef, ..rule(keep | S_CEF.keep | SEPARATORS, syntax) },
            ]);
        }
        schema.set_rules(rules, next_in_text);
        Ok(Pairs { shape, schema })
    }
}

/// In CEF and LEEF, `request` is a URL.
fn syntax_of(name: &str) -> Syntax {
    match name {
        "request" => Syntax::Reference,
        "qstr" => Syntax::Query,
        name => role::syntax_of(name),
    }
}

impl Format for Pairs {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn bounds(&self) -> Bounds {
        // In CEF, blanks separate the pairs, and a value may have blanks, too.
        if self.shape.keep.contains(b' ') { Bounds::Record } else { Bounds::Tab }
    }

    fn candidates(&self, head: &[u8]) -> Candidates {
        Candidates::of_records(Framing::Lines, head, &|record, push| {
            let Some((pairs, _)) = pairs(record, self.shape) else { return };
            let names: HashMap<&[u8], Range<usize>> = names(&pairs, self.shape.has_names).collect();
            for (key, range) in &pairs {
                let name = names.get(key).map(|name| &record[name.clone()]);
                // `-f` can't choose a name with a comma.
                let name = name.filter(|name| !name.is_empty() && memchr(b',', name).is_none()).unwrap_or(key);
                push(name, &self.shape.wrap.read(&record[range.clone()]).unwrap_or_default());
            }
        })
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some((pairs, between)) = pairs(record, self.shape) else {
            return if record.trim_ascii().is_empty() { Kind::Comment } else { Kind::Unrecognized };
        };
        let is_byte = matches!(between, Between::Byte(_) | Between::Octal);
        let is_leef = self.shape.wrap == Wrap::Verbatim && self.shape.equals == b'=' && between != Between::Comma;
        // In a record without a tab, another separator in a value could separate pairs.
        let is_usual = between == Between::Byte(b'\t') && memchr(b'\t', record).is_some();
        // In CEF, a decoded `;` could separate the only pair of a record.
        let is_only = self.shape.wrap == Wrap::Cef && pairs.len() == 1;
        let is_unusual = (is_byte || is_leef) && !is_usual || is_only;
        let may_be_quoted = is_byte || between == Between::Label;
        let is_quoted = |value: &Range<usize>| may_be_quoted && record[..value.start].ends_with(b"\"");
        // LEEF has no escapes, but some programs write a value as in CEF.
        let is_escaped = |value: &Range<usize>| is_leef && memmem::find(&record[value.clone()], b"\\=").is_some();
        // The keys that have a chosen name.
        let mut named: HashMap<&[u8], usize> = HashMap::new();
        for (key, name) in names(&pairs, self.shape.has_names) {
            let Some(choice) = self.schema.choice_of(&record[name]) else { continue };
            if named.insert(key, choice).is_some_and(|other| other != choice) {
                return Kind::Unrecognized;
            }
        }
        for (key, range) in &pairs {
            let choice = self.schema.choice_of(key).or_else(|| named.get(key).copied());
            let (Some(choice), range) = (choice, range.clone()) else { continue };
            if fields.iter().any(|field| field.choice == choice) {
                fields.clear();
                return Kind::Unrecognized;
            }
            let (range, rule) =
                match request_line(&record[range.clone()]).filter(|_| !is_unusual && !self.schema.is_mixed(choice)) {
                    Some(target) => target_field(target, range.start, REQUEST),
                    None if is_escaped(&range) => (range, ESCAPED),
                    None if is_unusual || is_quoted(&range) => (range, UNUSUAL),
                    None => (range, VALUE),
                };
            fields.push(Field { choice, range, rule: RULES * choice + rule, object: None });
        }
        without_overlaps(fields);
        Kind::Data
    }
}
