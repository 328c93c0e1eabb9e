//! Matches fields against patterns, and skips records that cannot match.
//!
//! Few records match, so most time is spent on finding candidates. We decode a whole chunk, which is faster than finding a single
//! field. Escapes of line ends stay, so the decoded chunk has the same lines as the input.
//!
//! A field is part of a line, and its delimiters are never inside an escape. So the decoded field is part of the decoded line. We
//! search the decoded line for a text that every match contains. This finds all lines with a match, and possibly more lines. So we
//! then match each field of such a line.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use percent_simd::{ByteSet, Decoder, Plus};
use percent_standards::uri::Normalizer;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use percent_simd_records::formats::{Format, Syntax, Wrap, innermost};
use percent_simd_records::framing::Framing;
use percent_simd_records::transform::{plus_in, without_layer};

use crate::tally::{AttackSigns, attacks, has_log_escapes, without_log_escapes};
use crate::verbs::normal::sanitized;

/// The patterns of the command line.
pub struct Patterns {
    pub texts: Vec<String>,
    pub is_fixed: bool,
    pub ignores_case: bool,
    pub is_word: bool,
    pub is_whole: bool,
}

/// The patterns, compiled to one expression.
pub struct Compiled {
    expression: Regex,
    /// An expression that finds every decoded line with a match, if each decoded line contains the values of its fields
    /// unchanged. `None` if the patterns depend on the bounds of a field, or can match an empty text.
    line: Option<Regex>,
    /// Whether a match may contain a `"`.
    has_quotes: bool,
    /// A literal that every decoded line with a match contains. The literal has no space and no `+`, because a `+` may
    /// mean a space.
    part: Option<Regex>,
}

impl Patterns {
    /// Compiles the patterns, or returns the error.
    pub fn compile(&self) -> Result<Compiled, String> {
        let one = |text: &String| match self.is_fixed {
            true => format!("(?:{})", regex::escape(text)),
            false => format!("(?:{text})"),
        };
        let mut whole = self.texts.iter().map(one).collect::<Vec<_>>().join("|");
        if self.is_word {
            whole = format!(r"\b{{start-half}}(?:{whole})\b{{end-half}}");
        }
        if self.is_whole {
            whole = format!("^(?:{whole})$");
        }
        let build = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(self.ignores_case).build();
        let expression = build(&whole).map_err(|error| error.to_string())?;
        let parsed = |ignores_case| {
            let mut parser = ParserBuilder::new().utf8(false).case_insensitive(ignores_case).build();
            parser.parse(&whole).map_err(|error| error.to_string())
        };
        let hir = parsed(self.ignores_case)?;
        let properties = hir.properties();
        let (has_line_ends, has_quotes) = (may_have(&hir, b'\n') || may_have(&hir, b'\0'), may_have(&hir, b'"'));
        // In a decoded line, an assertion such as `^` would see bytes outside the field.
        let is_anywhere = properties.look_set().is_empty() && properties.minimum_len().is_some_and(|len| len > 0);
        let line = is_anywhere.then(|| match has_line_ends {
            // A decoded line keeps the escapes of line ends and NUL. So a line with one of these escapes is a candidate, even if
            // the patterns don't match it.
            true => build(&format!("(?:{whole})|%0[0Aa]")),
            false => Ok(expression.clone()),
        });
        // If case is ignored, the parser turns each letter into a class such as `[Aa]`. So we parse the patterns case-sensitively
        // to find literals.
        let part = required(&parsed(false)?).and_then(|literal| longest_part(&literal));
        let part = part.map(|part| build(&regex::escape(&part)));
        Ok(Compiled {
            expression,
            line: line.transpose().map_err(|error| error.to_string())?,
            has_quotes,
            part: part.transpose().map_err(|error| error.to_string())?,
        })
    }
}

/// Returns true if a match of `hir` may contain `byte`, which is ASCII.
fn may_have(hir: &Hir, byte: u8) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&byte),
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }
        HirKind::Repetition(repetition) => may_have(&repetition.sub, byte),
        HirKind::Capture(capture) => may_have(&capture.sub, byte),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(|part| may_have(part, byte)),
    }
}

/// Returns a literal that every match of `hir` contains: the longest one that we can find easily.
fn required(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(required).max_by_key(Vec::len),
        _ => None,
    }
}

/// Returns the longest part of `literal` without quotes, line ends, NUL, spaces and `+`.
fn longest_part(literal: &[u8]) -> Option<String> {
    let parts = literal.split(|byte| b" +\r\n\0\"".contains(byte)).filter(|part| !part.is_empty());
    let text = parts.filter_map(|part| std::str::from_utf8(part).ok());
    text.max_by_key(|part| part.len()).map(str::to_string)
}

/// A matcher for the fields of one format.
pub struct Matcher {
    compiled: Arc<Compiled>,
    decoder: Decoder,
    plus: Plus,
    layers: usize,
    normalizes: bool,
    /// If true, a backslash of a value may start an escape of the log.
    has_log_escapes: bool,
    /// The kinds of attacks to find, as bits, or 0 to find the patterns.
    attacks: u64,
    filter: Option<Filter>,
    /// Finds the lines that may have one of `attacks`. This is `None` if these lines can't be found before the records
    /// are split into fields.
    attack_lines: Option<AttackLines>,
}

/// Finds the lines that may have a match.
struct Filter {
    expression: Regex,
    /// Keeps the escapes of line ends.
    decoder: Decoder,
    line_end: u8,
    /// A line with one of these bytes is always a candidate.
    marks: Vec<u8>,
    /// Finds the lines with an escape of the log, which are always candidates.
    log: Option<LogEscapes>,
    /// If true, the values are read without a layer of escapes.
    peels: bool,
}

/// Finds the first backslash that may start an escape of the log. Many logs have a `\"` in most of their lines. Without its
/// backslash, it differs only for a search that can find a quote.
#[derive(Clone, Copy)]
struct LogEscapes {
    has_quotes: bool,
}

impl LogEscapes {
    fn new(format: &dyn Format, has_quotes: bool) -> Option<LogEscapes> {
        has_log_escapes(format).then_some(LogEscapes { has_quotes })
    }

    fn find(self, text: &[u8]) -> Option<usize> {
        memchr_iter(b'\\', text).find(|&at| self.has_quotes || text.get(at + 1) != Some(&b'"'))
    }
}

impl Matcher {
    /// Returns a matcher for the fields of `format`.
    pub fn new(compiled: Arc<Compiled>, format: &dyn Format, plus: Plus, layers: usize, normalizes: bool) -> Matcher {
        let filter = if normalizes { None } else { Filter::new(&compiled, format, plus) };
        Matcher {
            compiled,
            decoder: Decoder::new(),
            plus,
            layers,
            normalizes,
            has_log_escapes: has_log_escapes(format),
            attacks: 0,
            filter,
            attack_lines: None,
        }
    }

    /// `attacks` has a bit for each kind of attack to find. Returns the matcher for these kinds in the fields of
    /// `format`. If `attacks` is 0, returns the matcher unchanged.
    pub fn for_attacks(self, attacks: u64, format: &dyn Format) -> Matcher {
        match attacks {
            0 => self,
            attacks => Matcher { attacks, filter: None, attack_lines: AttackLines::new(attacks, format), ..self },
        }
    }

    /// Returns the kinds of attacks in `value`, as bits.
    pub fn attacks_in(&self, value: &[u8], syntax: Syntax) -> u64 {
        let mut kinds = 0;
        if self.attacks != 0 {
            attacks(value, syntax, self.has_log_escapes, |kind, _| kinds |= 1 << kind);
        }
        kinds & self.attacks
    }

    /// Returns the matcher without its filter, so that it looks at every field.
    #[cfg(test)]
    pub fn unfiltered(self) -> Matcher {
        Matcher { filter: None, attack_lines: None, ..self }
    }

    /// Returns the text in which we search: the decoded `value`. With `--normalize`, we search in the normal form of
    /// the value.
    fn text<'a>(&self, value: &'a [u8], syntax: Syntax) -> Cow<'a, [u8]> {
        let decoder = self.decoder.plus(plus_in(self.plus, syntax));
        let decode = |value: &'a [u8]| match self.layers {
            1 => decoder.decode(value),
            layers => decoder.decode_layers(value, layers).bytes,
        };
        match std::str::from_utf8(value) {
            Ok(url) if self.normalizes => match sanitized(&Normalizer::new().by_scheme(), url, syntax) {
                Cow::Borrowed(url) => decode(url.as_bytes()),
                Cow::Owned(url) => Cow::Owned(match self.layers {
                    1 => {
                        let mut url = url.into_bytes();
                        decoder.decode_vec(&mut url);
                        url
                    }
                    layers => decoder.decode_layers(&url, layers).bytes.into_owned(),
                }),
            },
            _ => decode(value),
        }
    }

    /// Returns the readings of `value`, which are searched one after the other: without the escapes of the log, if it may have some,
    /// and as it is written.
    fn readings<'a>(&self, value: &'a [u8]) -> impl Iterator<Item = Cow<'a, [u8]>> {
        let undone = if self.has_log_escapes { without_log_escapes(value) } else { None };
        undone.map(Cow::Owned).into_iter().chain([Cow::Borrowed(value)])
    }

    /// Returns true if `value` matches.
    pub fn is_match(&self, value: &[u8], syntax: Syntax) -> bool {
        if self.attacks != 0 {
            return self.attacks_in(value, syntax) != 0;
        }
        self.readings(value).any(|value| self.compiled.expression.is_match(&self.text(&value, syntax)))
    }

    /// Calls `each` with the text of `value` and the range of each match in it. The text is the first reading with a match.
    pub fn each_match(&self, value: &[u8], syntax: Syntax, mut each: impl FnMut(&[u8], Range<usize>)) {
        if self.attacks != 0 && self.attacks_in(value, syntax) == 0 {
            return;
        }
        for value in self.readings(value) {
            let text = self.text(&value, syntax);
            let mut found = self.compiled.expression.find_iter(&text).filter(|found| !found.is_empty()).peekable();
            if found.peek().is_some() {
                return found.for_each(|found| each(&text, found.range()));
            }
        }
    }

    /// Appends to `lines` the lines of `bytes` that may have a match. Returns false if we can't rule out a match in any
    /// of the lines.
    pub fn find_candidates(&self, bytes: &[u8], scratch: &mut Vec<u8>, lines: &mut Vec<Range<usize>>) -> bool {
        match (&self.filter, &self.attack_lines) {
            (Some(filter), _) => filter.find(bytes, self.layers, scratch, lines),
            (None, Some(attack_lines)) => attack_lines.find(bytes, lines),
            (None, None) => return false,
        }
        true
    }
}

/// Returns the byte that ends the lines of `format`. Returns `None` if a search of single lines could miss a match in this
/// format.
fn line_end(format: &dyn Format) -> Option<u8> {
    match format.framing() {
        _ if !format.is_delimited() => None,
        Framing::Lines | Framing::Csv(_) | Framing::Json | Framing::Tags | Framing::Warc => Some(b'\n'),
        Framing::Null => Some(b'\0'),
        Framing::Elements(_) | Framing::Paragraphs | Framing::Raw | Framing::Rows | Framing::Audit => None,
    }
}

/// Returns the bytes that start the escapes of `format` itself. These escapes may hide any text from a search of lines.
fn marks(format: &dyn Format) -> Vec<u8> {
    let of_wrap = |wrap| match wrap {
        Wrap::Json | Wrap::Cef => Some(b'\\'),
        Wrap::Xml { .. } => Some(b'&'),
        Wrap::Verbatim | Wrap::Csv(_) | Wrap::Row => None,
    };
    let of_rules = format.schema().rules.iter().filter_map(|rule| of_wrap(rule.wrap));
    let mut marks: Vec<u8> = format.mark().into_iter().chain(of_rules).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

impl Filter {
    fn new(compiled: &Compiled, format: &dyn Format, plus: Plus) -> Option<Filter> {
        let line_end = line_end(format)?;
        let wraps = || format.schema().rules.iter().map(|rule| rule.wrap);
        let has_quotes = wraps().any(|wrap| matches!(wrap, Wrap::Csv(_)));
        // If a `+` becomes a space or two quotes become one, a value differs from the text of its line. In this case,
        // the decoded line may lack the text of a match, so we search only for `part`.
        let is_literal = plus == Plus::Never && !(has_quotes && compiled.has_quotes);
        let expression =
            if is_literal { compiled.line.as_ref().or(compiled.part.as_ref()) } else { compiled.part.as_ref() };
        let decoder = Decoder::new().keep(ByteSet::of(&[line_end]));
        let peels = innermost(format).map_or(format.peels(), |inner| inner.peels());
        let log = LogEscapes::new(format, compiled.has_quotes);
        Some(Filter { expression: expression?.clone(), decoder, line_end, marks: marks(format), log, peels })
    }

    fn find(&self, bytes: &[u8], layers: usize, scratch: &mut Vec<u8>, lines: &mut Vec<Range<usize>>) {
        let text = if self.peels { without_layer(bytes) } else { Cow::Borrowed(bytes) };
        let decoded = match layers {
            1 => {
                scratch.clear();
                self.decoder.decode_into(&*text, scratch);
                Cow::Borrowed(&scratch[..])
            }
            layers => self.decoder.decode_layers(&*text, layers).bytes,
        };
        let end_of = |text: &[u8], at: usize| memchr(self.line_end, &text[at..]).map_or(text.len(), |end| at + end + 1);
        let mut raw = LineCursor { bytes, at: 0, line_end: self.line_end };
        let mut done = 0;
        while let Some(found) = self.expression.find_at(&decoded, done) {
            // A match that spans several lines may hide other matches in these lines. So all lines of the match are candidates.
            let start = memrchr(self.line_end, &decoded[done..found.start()]).map_or(done, |end| done + end + 1);
            let end = end_of(&decoded, found.end().saturating_sub(1).max(start));
            let before = memchr_iter(self.line_end, &decoded[done..start]).count();
            let spanned = memchr_iter(self.line_end, &decoded[start..end]).count();
            let first = raw.skip(before);
            let last = if end == decoded.len() { bytes.len() } else { raw.skip(spanned) };
            lines.push(first..last);
            done = end;
            if done == decoded.len() {
                break;
            }
        }
        let found = lines.len();
        for &mark in &self.marks {
            push_lines(bytes, self.line_end, lines, |rest| memchr(mark, rest));
        }
        if let Some(log) = self.log {
            push_lines(bytes, self.line_end, lines, |rest| log.find(rest));
        }
        if lines.len() > found {
            lines.sort_unstable_by_key(|line| (line.start, line.end));
        }
    }
}

/// Appends each line of `bytes` in which `find` finds a byte. `find` gets the rest of `bytes` from an offset on, and
/// returns the position of the first match in this rest.
fn push_lines(bytes: &[u8], line_end: u8, lines: &mut Vec<Range<usize>>, find: impl Fn(&[u8]) -> Option<usize>) {
    let mut at = 0;
    while let Some(found) = find(&bytes[at..]).map(|len| at + len) {
        let start = memrchr(line_end, &bytes[at..found]).map_or(at, |end| at + end + 1);
        at = memchr(line_end, &bytes[found..]).map_or(bytes.len(), |end| found + end + 1);
        lines.push(start..at);
    }
}

/// Finds the lines that may have an attack. Most escapes in a log encode letters and spaces, so the digits of the
/// escapes rule out most lines.
struct AttackLines {
    signs: AttackSigns,
    line_end: u8,
    /// A line with one of these bytes is always a candidate.
    marks: Vec<u8>,
    /// Finds the lines with an escape of the log, which are always candidates. A quote is no sign of an attack.
    log: Option<LogEscapes>,
}

impl AttackLines {
    fn new(attacks: u64, format: &dyn Format) -> Option<AttackLines> {
        let signs = AttackSigns::new(attacks)?;
        // With these framings, a value can contain a line end. A line end in a value is an attack, but the signs don't
        // include line ends. So we don't search for candidates, and every record is split into fields.
        if signs.has_controls() && matches!(format.framing(), Framing::Csv(_) | Framing::Tags | Framing::Warc) {
            return None;
        }
        let log = LogEscapes::new(format, false);
        Some(AttackLines { signs, line_end: line_end(format)?, marks: marks(format), log })
    }

    fn find(&self, bytes: &[u8], lines: &mut Vec<Range<usize>>) {
        let before = lines.len();
        let mut push = |find: &dyn Fn(&[u8]) -> Option<usize>| push_lines(bytes, self.line_end, lines, find);
        push(&|rest| self.signs.find_escape(rest));
        if self.signs.has_dots() {
            let dots = memmem::Finder::new(b"..");
            push(&|rest| dots.find(rest));
        }
        if self.signs.has_controls() {
            push(&|rest| self.signs.find_control(rest, self.line_end));
        }
        for &mark in &self.marks {
            push(&|rest| memchr(mark, rest));
        }
        if let Some(log) = self.log {
            push(&|rest| log.find(rest));
        }
        lines[before..].sort_unstable_by_key(|line| line.start);
        lines.dedup();
    }
}

/// A position at the start of a line.
struct LineCursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line_end: u8,
}

impl LineCursor<'_> {
    /// Advances by `lines` lines, and returns the new offset.
    fn skip(&mut self, lines: usize) -> usize {
        if let Some(last) = lines.checked_sub(1) {
            let end = memchr_iter(self.line_end, &self.bytes[self.at..]).nth(last);
            self.at = end.map_or(self.bytes.len(), |end| self.at + end + 1);
        }
        self.at
    }
}
