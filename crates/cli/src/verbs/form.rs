//! `pct form`: pairs of names and values, and forms.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use memchr::memchr;
use percent_simd::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Engine, Plus, RawEncoder, internal};
use percent_simd_records::diagnostic::{self, Diagnostic, Diagnostics};
use percent_simd_records::formats::{Name, json_push};
use percent_simd_records::guard::{Guard, non_ascii_controls};
use percent_simd_records::policy::Policy;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::charset::Charset;
use percent_standards::form::{self, ParseError, Parser, Serializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::charset::{Choice, Reading, bytes};
use crate::args::{Fields, Lines, PLACES, places};
use crate::run;

/// Take forms and query strings apart, to pairs, and put them together again
///
/// Take forms apart, one a line (application/x-www-form-urlencoded, URL Standard 5).
/// Each pair is a line, NAME, a TAB and VALUE, decoded; an empty line ends the form.
/// With --json each form is a line of JSON.
///
/// In lines, the escapes of controls, of \, of % and of bytes that are no UTF-8 stay:
/// no value can forge a pair, nor send ESC to a terminal, and --encode brings back what
/// was there. In JSON, what is no UTF-8 is U+FFFD.
///
/// A form that is refused, because of --strict or --limit, is left out; that is told on
/// stderr, and the exit status is 1. So it is with lines that --encode cannot read.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'q=caf%C3%A9+1&tag=a%26b' | pct form       q<TAB>café 1, tag<TAB>a&b
  pct form --json < bodies | jq -c                [[\"q\",\"café 1\"],[\"tag\",\"a&b\"]]
  pct form --json --object < bodies               {\"q\":\"café 1\",\"tag\":[\"a\",\"b\"]}
  pct form --url urls | cut -f1 | sort | uniq -c  names in the queries of URLs
  printf 'q\\tcafé 1\\n' | pct form --encode        q=caf%C3%A9+1
  echo '{\"q\":[\"1\",\"2\"]}' | pct form --encode --json    q=1&q=2"
)]
pub struct Args {
    /// The way back: pairs to forms. A line without a TAB is a name
    /// without a =, and in JSON so is null
    #[arg(long, conflicts_with = "utf8_or", verbatim_doc_comment)]
    encode: bool,

    /// A line of JSON for each form: an array of [name, value]; with
    /// --encode that or an object
    #[arg(long, verbatim_doc_comment)]
    json: bool,

    /// With --json, an object; the values of names that come again are
    /// an array
    #[arg(long, requires = "json", conflicts_with = "encode", verbatim_doc_comment)]
    object: bool,

    /// A ; ends a pair as & does (HTML 4.01 B.2.2); with --encode it is ;
    /// that is written
    #[arg(long, verbatim_doc_comment)]
    semicolons: bool,

    /// Take the query of a URL on each line: after ?, up to #
    #[arg(long, conflicts_with = "encode")]
    url: bool,

    /// Refuse forms with a malformed %, or with what is no text
    #[arg(long, conflicts_with = "encode")]
    strict: bool,

    /// Refuse forms of more than N pairs
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    #[command(flatten)]
    charset: Choice,

    /// With --encode, write &#N; for a character that the charset lacks
    #[arg(long, requires_all = ["encode", "charset"])]
    references: bool,

    /// With --encode, write a space as %20, not +
    #[arg(long, requires = "encode")]
    percent_spaces: bool,

    /// Forms that are refused: `skip` them, or `fail`: stop there
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    on_error: Option<Policy>,

    /// Tell the first N places where something is bad, or `all`; 5 if not given
    #[arg(long, value_name = "N", value_parser = places)]
    positions: Option<usize>,

    #[command(flatten)]
    lines: Lines,
}

fn policy(text: &str) -> Result<Policy, String> {
    match text {
        "skip" => Ok(Policy::Skip),
        "fail" => Ok(Policy::Fail),
        _ => Err("a form that is refused is no pairs, so it cannot be kept; `skip` or `fail`".into()),
    }
}

impl Args {
    /// How records are made, if they are not lines.
    pub fn format(&self) -> Option<Name> {
        (self.encode && !self.json && !self.lines.input.null).then_some(Name::Paragraphs)
    }

    /// How forms are dealt with.
    pub fn config(&self) -> VerbConfig {
        VerbConfig {
            verb: if self.encode { Box::new(self.write()) } else { Box::new(self.parse()) },
            on_bad: self.on_error.unwrap_or(Policy::Skip),
            limit: self.positions.unwrap_or(PLACES),
            lists: false,
        }
    }

    fn parse(&self) -> Parse {
        let parser = if self.semicolons { Parser::new().semicolons() } else { Parser::new() };
        Parse {
            parser: parser.limit(self.limit.unwrap_or(usize::MAX)),
            reading: self.charset.reading(),
            strict: self.strict,
            url: self.url,
            json: self.json,
            object: self.object,
            guard: Guard::new(Parse::KEPT),
            is_special: self.json
                || self.object
                || self.url
                || self.strict
                || self.semicolons
                || self.limit.is_some()
                || self.charset.reading().is_some(),
        }
    }

    fn write(&self) -> Write {
        let charset = match self.charset.reading() {
            Some(Reading::In(charset)) => charset,
            _ => Charset::UTF_8,
        };
        Write {
            json: self.json,
            limit: self.limit.unwrap_or(usize::MAX),
            semicolons: self.semicolons,
            percent_spaces: self.percent_spaces,
            charset,
            references: self.references,
        }
    }
}

pub fn run(args: &Args) -> u8 {
    let fields = Fields { format: args.format(), ..Fields::default() };
    run::run_verb(&args.lines, &fields, || args.config())
}

/// From forms to pairs.
#[derive(Clone, Debug)]
struct Parse {
    parser: form::CheckedParser,
    reading: Option<Reading>,
    strict: bool,
    url: bool,
    json: bool,
    object: bool,
    guard: Guard,
    /// Whether more is asked for than the pairs of each form, in UTF-8.
    is_special: bool,
}

impl Parse {
    /// The escapes of names and values that stay, and how the others come off.
    const KEPT: ByteSet = ByteSet::CONTROLS.union(ByteSet::of(b"\\%"));
    /// Escapes the bytes that could be taken for something else where a form has them as they are.
    const RAW: RawEncoder = RawEncoder::new(ByteSet::CONTROLS.union(ByteSet::of(b"\\")).complement().with(b'\n'));
    const DECODER: Decoder = Decoder::new().plus(Plus::Always).keep_upper(Parse::KEPT);
}

impl Verb for Parse {
    /// With a tab for the first `=` of each pair and a line end for each `&`, all is decoded as if it were one text: neither is
    /// part of an escape, and those that come out of one are no delimiters any more.
    fn apply_lines(&self, lines: &[u8], _: &Guard, out: &mut Vec<u8>) -> bool {
        if self.is_special || Parse::RAW.first_changed(lines).is_some() {
            return false;
        }
        let mut pairs = Vec::new();
        push_delimited(lines, &mut pairs);
        let start = out.len();
        if Parse::DECODER.strict().decode_into(&pairs, out).is_err() {
            out.truncate(start);
            return false;
        }
        let is_text = str::from_utf8(&out[start..]).is_ok_and(|text| non_ascii_controls(text).next().is_none());
        if !is_text {
            out.truncate(start);
        }
        is_text
    }

    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>, _: &mut Diagnostics) -> Result<(), Diagnostic> {
        let (start, form) = if self.url { query(value) } else { (0, value) };
        let mut pairs = Vec::new();
        for pair in self.parser.parse_raw(form) {
            let form::Pair { name, value, offset } = pair.map_err(|error| refused(error).shifted(start))?;
            let value_offset = offset + name.len() + 1;
            let name = self.part(name).map_err(|error| fault(start + offset, error))?;
            let value = self.part(value.unwrap_or_default()).map_err(|error| fault(start + value_offset, error))?;
            if self.json {
                pairs.push((name, value));
                continue;
            }
            self.guard.push_bytes(&name, out);
            out.push(b'\t');
            self.guard.push_bytes(&value, out);
            out.push(b'\n');
        }
        if self.json {
            self.push_json(&pairs, out);
        }
        Ok(())
    }
}

impl Parse {
    /// The bytes of a name or a value.
    fn part<'a>(&self, raw: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
        let bytes = |text: Cow<'a, str>| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        let checked = form::DECODER.strict();
        Ok(match (self.reading, self.strict) {
            (None, false) => form::DECODER.decode(raw),
            (None, true) => bytes(checked.decode_utf8(raw)?),
            (Some(reading), false) => bytes(reading.lossy(&form::DECODER, raw)),
            (Some(reading), true) => bytes(reading.strict(&checked, raw)?),
        })
    }

    /// Appends the pairs as they are in JSON.
    fn push_json(&self, pairs: &[(Cow<[u8]>, Cow<[u8]>)], out: &mut Vec<u8>) {
        if self.object {
            return push_object(pairs, out);
        }
        out.push(b'[');
        for (number, (name, value)) in pairs.iter().enumerate() {
            out.extend(if number > 0 { &b",["[..] } else { b"[" });
            push_string(name, out);
            out.push(b',');
            push_string(value, out);
            out.push(b']');
        }
        out.push(b']');
    }
}

/// Appends `forms`, lines that are forms, with a tab for the first `=` of each pair, or behind a name without one, with a
/// line end for each `&`, and with an empty line behind each form. Pairs of nothing are left out.
fn push_delimited(forms: &[u8], vec: &mut Vec<u8>) {
    let before = vec.len();
    // A name of one byte is followed by up to three bytes in the place of a line end.
    vec.resize(before + 2 * forms.len() + COPIED, 0);
    let len = delimit(forms, &mut vec[before..]);
    vec.truncate(before + len);
}

/// Like [`push_delimited`], to a slice that has enough space; returns how much of it is written.
///
/// Most delimiters become one byte, for all of them at once. The others end what is copied: masks of 64 bytes
/// say which these are, and what to write in their place. So no branch depends on the kind of a delimiter.
#[inline(never)] // Its few values stay in registers then.
fn delimit(forms: &[u8], out: &mut [u8]) -> usize {
    let delimited = |byte: &u8| match byte {
        b'=' => b'\t',
        b'&' => b'\n',
        byte => *byte,
    };
    let bytes: Vec<u8> = forms.iter().map(delimited).collect();
    let (mut len, mut start) = (0, 0);
    // Whether the byte before the block ends a pair, and whether the block starts in a name.
    let (mut is_start, mut in_name) = (true, true);
    let masks = |set| {
        let mut masks = vec![0; forms.len().div_ceil(BLOCK)];
        internal::find_members(Engine::active(), set, forms, &mut masks);
        masks
    };
    let (equals, separators, ends) = (masks(ByteSet::of(b"=")), masks(ByteSet::of(b"&\n")), masks(ByteSet::of(b"\n")));
    for (number, ((equals, separators), ends)) in equals.into_iter().zip(separators).zip(ends).enumerate() {
        let delimiters = equals | separators;
        let starts = separators << 1 | u64::from(is_start);
        // The carry of a start runs over its name, and stops at the first delimiter behind that.
        let (sum, carries) = (!delimiters).overflowing_add(starts | u64::from(in_name));
        let first = sum & delimiters;
        (is_start, in_name) = (separators >> (BLOCK - 1) != 0, carries | (separators >> (BLOCK - 1) != 0));
        // A further `=` of a value, a name without a value, or the end of a form.
        let mut marks = equals & !first | separators & first | ends;
        while marks != 0 {
            let lane = marks.trailing_zeros();
            marks &= marks - 1;
            let at = number * BLOCK + lane as usize;
            match bytes[start..].first_chunk::<COPIED>() {
                Some(chunk) if at - start <= COPIED => out[len..len + COPIED].copy_from_slice(chunk),
                _ => out[len..len + at - start].copy_from_slice(&bytes[start..at]),
            }
            len += at - start;
            start = at + 1;
            let bit = |mask: u64| (mask >> lane & 1) as usize;
            let (end, end_len) = ENDS[bit(ends) | bit(equals) << 1 | bit(first) << 2 | bit(starts) << 3];
            out[len..len + end.len()].copy_from_slice(&end);
            len += end_len;
        }
    }
    len
}

/// The text to write in place of a delimiter, and its length. The bits of the index say, from the lowest: the delimiter ends a
/// form; it is `=`; it is the first of its pair; a pair starts with it.
const ENDS: [([u8; 4], usize); 16] = {
    let mut ends = [(*b"\n\n\0\0", 2); 16];
    let mut kind = 0;
    while kind < ends.len() {
        ends[kind] = match (kind & 1 != 0, kind & 2 != 0, kind & 4 != 0, kind & 8 != 0) {
            (_, true, ..) => (*b"=\0\0\0", 1),
            (true, _, false, _) => (*b"\n\n\0\0", 2),
            (true, _, true, false) => (*b"\t\n\n\0", 3),
            (true, _, true, true) => (*b"\n\0\0\0", 1),
            (false, _, _, false) => (*b"\t\n\0\0", 2),
            (false, _, _, true) => (*b"\0\0\0\0", 0),
        };
        kind += 1;
    }
    ends
};

/// Bytes that a mask speaks of, and bytes that are copied where as many or fewer are wanted.
const BLOCK: usize = 64;
const COPIED: usize = 32;

/// Appends an object, its members in the order in which the names come first.
pub fn push_object(pairs: &[(Cow<[u8]>, Cow<[u8]>)], out: &mut Vec<u8>) {
    let mut places: HashMap<Cow<str>, usize> = HashMap::new();
    let mut members: Vec<(&[u8], Vec<&[u8]>)> = Vec::new();
    for (name, value) in pairs {
        // Two names that are no UTF-8 may be one in JSON.
        let place = *places.entry(String::from_utf8_lossy(name)).or_insert_with(|| {
            members.push((name, Vec::new()));
            members.len() - 1
        });
        members[place].1.push(value);
    }
    out.push(b'{');
    for (number, (name, values)) in members.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        push_string(name, out);
        out.push(b':');
        match values[..] {
            [value] => push_string(value, out),
            _ => {
                for (number, value) in values.iter().enumerate() {
                    out.push(if number > 0 { b',' } else { b'[' });
                    push_string(value, out);
                }
                out.push(b']');
            }
        }
    }
    out.push(b'}');
}

/// Appends a string of JSON, with U+FFFD for what is no UTF-8, and with escapes for the controls that it might hold as
/// they are: U+007F and those beyond ASCII.
fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes);
    out.push(b'"');
    let mut done = 0;
    for (at, control) in non_ascii_controls(&text) {
        push_without(&text[done..at], out);
        out.extend(format!("\\u{:04x}", u32::from(control)).bytes());
        done = at + control.len_utf8();
    }
    push_without(&text[done..], out);
    out.push(b'"');
}

/// Appends part of a string in which the only control that JSON leaves is U+007F.
fn push_without(text: &str, out: &mut Vec<u8>) {
    for (number, part) in text.split('\u{7F}').enumerate() {
        if number > 0 {
            out.extend(b"\\u007f");
        }
        json_push(part, out);
    }
}

/// Returns the offset of the query of a URL, and the query.
fn query(url: &[u8]) -> (usize, &[u8]) {
    let end = memchr(b'#', url).unwrap_or(url.len());
    let start = memchr(b'?', &url[..end]).map_or(end, |at| at + 1);
    (start, &url[start..end])
}

fn refused(error: ParseError) -> Diagnostic {
    match error {
        ParseError::Decode(error) => fault(0, error),
        ParseError::TooManyPairs { limit, offset } => {
            Diagnostic::new(offset, format!("this pair is one more than the {limit} of --limit"))
        }
        _ => Diagnostic::new(error.offset(), "this is no form"),
    }
}

fn fault(at: usize, error: DecodeError) -> Diagnostic {
    // A part ends in an escape; the line may well go on.
    let kind = match error.kind {
        DecodeErrorKind::Truncated => DecodeErrorKind::NotHex,
        kind => kind,
    };
    Diagnostic::of_escape(error.offset, kind).shifted(at)
}

/// From pairs to forms.
#[derive(Clone, Debug)]
struct Write {
    json: bool,
    limit: usize,
    semicolons: bool,
    percent_spaces: bool,
    charset: Charset,
    references: bool,
}

/// A name and a value, or a name by itself, and where they stand.
type Pair<'a> = (usize, Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

impl Verb for Write {
    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>, _: &mut Diagnostics) -> Result<(), Diagnostic> {
        let pairs = if self.json { json_pairs(value)? } else { line_pairs(value) };
        if let Some((at, ..)) = pairs.get(self.limit) {
            return Err(Diagnostic::new(*at, format!("this pair is one more than the {} of --limit", self.limit)));
        }
        let mut form = Serializer::append_to(out);
        if self.percent_spaces {
            form = form.percent_spaces();
        }
        if self.semicolons {
            form = form.semicolons();
        }
        for (at, name, value) in &pairs {
            let name = self.bytes(*at, name)?;
            match value {
                Some(value) => form.append(name, self.bytes(*at, value)?),
                None => form.append_name(name),
            };
        }
        Ok(())
    }
}

impl Write {
    /// Returns what is to be escaped of a name or a value, in a line with `at` in it.
    fn bytes<'a>(&self, at: usize, part: &'a [u8]) -> Result<Cow<'a, [u8]>, Diagnostic> {
        if self.charset == Charset::UTF_8 {
            return Ok(Cow::Borrowed(part));
        }
        let placed = |diagnostic: Diagnostic| Diagnostic { offset: at, ..diagnostic };
        bytes(diagnostic::text(part).map_err(placed)?, self.charset, self.references).map_err(placed)
    }
}

/// Pairs that are lines.
fn line_pairs(value: &[u8]) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    let mut at = 0;
    for line in value.split_inclusive(|&byte| byte == b'\n') {
        let pair = line.strip_suffix(b"\n").unwrap_or(line);
        let pair = pair.strip_suffix(b"\r").unwrap_or(pair);
        if !pair.is_empty() {
            pairs.push(match memchr(b'\t', pair) {
                Some(tab) => {
                    let value = Decoder::new().decode(&pair[tab + 1..]);
                    (at, Decoder::new().decode(&pair[..tab]), Some(value))
                }
                None => (at, Decoder::new().decode(pair), None),
            });
        }
        at += line.len();
    }
    pairs
}

/// Pairs that are an array or an object.
fn json_pairs(value: &[u8]) -> Result<Vec<Pair<'_>>, Diagnostic> {
    let text = diagnostic::text(value)?;
    if text.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let pairs: Pairs = serde_json::from_str(text).map_err(|error| {
        // Columns count bytes, from 1.
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        Diagnostic::new(error.column().saturating_sub(1).min(text.len()), format!("these are no pairs in JSON: {what}"))
    })?;
    let bytes = |text: String| Cow::Owned(text.into_bytes());
    Ok(pairs.0.into_iter().map(|(name, value)| (0, bytes(name), value.map(bytes))).collect())
}

/// The pairs of an array of pairs, or of an object, in their order.
struct Pairs(Vec<(String, Option<String>)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        deserializer.deserialize_any(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of [name, value], or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some(mut pair) = items.next_element::<Vec<Value>>()? {
            let value = if pair.len() == 2 { pair.pop() } else { None };
            match (pair.pop(), value) {
                (Some(Value::String(name)), value) if pair.is_empty() => pairs.push((name, scalar(value)?)),
                _ => return Err(de::Error::custom("a pair is [name, value], and a name is a string")),
            }
        }
        Ok(Pairs(pairs))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some((name, value)) = members.next_entry::<String, Value>()? {
            match value {
                Value::Array(values) => {
                    for value in values {
                        pairs.push((name.clone(), scalar(Some(value))?));
                    }
                }
                value => pairs.push((name, scalar(Some(value))?)),
            }
        }
        Ok(Pairs(pairs))
    }
}

/// The text of a value; of null there is none.
fn scalar<E: de::Error>(value: Option<Value>) -> Result<Option<String>, E> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => Ok(Some(value.to_string())),
        Some(_) => Err(E::custom("a value is a string, a number, true, false or null")),
    }
}

#[cfg(test)]
mod tests {
    use percent_simd_oracle::{Random, cases};

    use super::*;

    /// Like [`push_delimited`], pair by pair.
    fn delimited(forms: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for form in forms.split_inclusive(|&byte| byte == b'\n') {
            for pair in form[..form.len() - 1].split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
                let len = memchr(b'=', pair).unwrap_or(pair.len());
                out.extend([&pair[..len], b"\t", pair.get(len + 1..).unwrap_or_default(), b"\n"].concat());
            }
            out.push(b'\n');
        }
        out
    }

    #[test]
    fn delimiters_are_those_of_pairs() {
        let mut random = Random::seeded(1);
        // Few bytes but delimiters, and few delimiters.
        for alphabet in [&b"a=&\n"[..], b"=&\n\xBD\x26\x8A&", b"abcdefghijklmnopqrs%+\0\x3D\xFF=&\n"] {
            for len in (0..150).cycle().take(cases(30_000)) {
                let mut forms: Vec<u8> = (0..len).map(|_| *random.pick(alphabet)).collect();
                forms.push(b'\n');
                let mut out = b"before".to_vec();
                push_delimited(&forms, &mut out);
                assert_eq!(out[6..], delimited(&forms), "{}", forms.escape_ascii());
            }
        }
    }
}
