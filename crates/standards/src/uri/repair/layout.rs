//! Removes the text around a link and the line breaks inside it (RFC 3986 Appendix C).

use core::ops::Range;

use memchr::{memchr, memchr_iter};

use super::{RepairKind, Repairer};
use crate::uri::ucschar::is_bidi_control;

/// The link without the text around it.
pub(super) struct Inner<'a> {
    pub(super) link: &'a str,
    /// The range of `link` in the input.
    pub(super) bounds: Range<usize>,
    /// The kind of repair that removed the text before the link, and the kind that removed the text after it.
    pub(super) around: [RepairKind; 2],
}

impl<'a> Inner<'a> {
    pub(super) fn of(repairer: Repairer, input: &'a str) -> Inner<'a> {
        Inner::unwrap(repairer, input)
            .or_else(|| Inner::unwrap(repairer.without(RepairKind::Punctuation), input))
            .unwrap_or(Inner { link: input, bounds: 0..input.len(), around: [RepairKind::Surroundings; 2] })
    }

    /// Returns true if `link` has no text around it. Check this again after you join lines: a link that had no text
    /// around it can then have some.
    pub(super) fn is_bare(repairer: Repairer, link: &str) -> bool {
        Inner::of(repairer, link).link.len() == link.len()
    }

    /// Removes the text around the link, layer by layer. If this removed punctuation that may be part of the link,
    /// returns `None`.
    fn unwrap(repairer: Repairer, input: &'a str) -> Option<Inner<'a>> {
        let (has_blanks, has_marks) = (repairer.has(RepairKind::Surroundings), repairer.has(RepairKind::Punctuation));
        let mut around = [RepairKind::Surroundings; 2];
        // The bits of `removed` are the indices in `PAIRS`.
        let (mut link, mut removed) = (input, 0_u32);
        loop {
            if has_blanks {
                link = link.trim_matches(is_blank);
            }
            if link.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') {
                break;
            }
            let closed = if has_marks { link.trim_end_matches(MARKS) } else { link };
            let is_ended = closed.len() < link.len();
            if has_blanks && let Some(inner) = unquoted(closed) {
                link = inner;
            } else if has_marks && let Some((pair, inner)) = unpaired(closed) {
                (link, removed, around[0]) = (inner, removed | 1 << pair, RepairKind::Punctuation);
            } else {
                break;
            }
            if is_ended || removed != 0 {
                around[1] = RepairKind::Punctuation;
            }
        }
        if around[1] == RepairKind::Punctuation {
            let mut pairs = PAIRS.iter().enumerate().filter(|(pair, _)| removed >> pair & 1 != 0);
            if !starts_link(link.as_bytes()) || !pairs.all(|(_, &pair)| is_balanced(link, pair)) {
                return None;
            }
        }
        let start = link.as_ptr().addr() - input.as_ptr().addr();
        Some(Inner { link, bounds: start..start + link.len(), around })
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200B}' | '\u{2060}' | '\u{FEFF}') || is_bidi_control(c)
}

/// The marks of a sentence that may come after a closing bracket or quote.
const MARKS: &[char] = &['.', ',', ';', ':', '!', '?', '…', '。', '，', '、'];

/// Brackets and quotes around links in texts. `<>` and `"` aren't in this list, because [`unquoted`] removes them.
const PAIRS: [(char, char); 23] = [
    ('(', ')'),
    ('[', ']'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('”', '”'),
    ('„', '“'),
    ('„', '”'),
    ('‘', '’'),
    ('’', '’'),
    ('‚', '‘'),
    ('‚', '’'),
    ('«', '»'),
    ('»', '«'),
    ('‹', '›'),
    ('›', '‹'),
    ('（', '）'),
    ('＜', '＞'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('〈', '〉'),
    ('【', '】'),
];

/// Removes quotes, or angle brackets and a `URL:` inside them (RFC 3986 Appendix C).
fn unquoted(link: &str) -> Option<&str> {
    if let Some(bracketed) = link.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        let prefix = bracketed.get(.."URL:".len()).filter(|start| start.eq_ignore_ascii_case("URL:"));
        return bracketed.get(prefix.map_or(0, str::len)..);
    }
    link.strip_prefix('"')?.strip_suffix('"')
}

/// If one of [`PAIRS`] is around the link, removes it. Returns the index of the pair, and the text inside.
fn unpaired(link: &str) -> Option<(usize, &str)> {
    let mut pairs = PAIRS.iter().enumerate();
    pairs.find_map(|(number, &(open, close))| Some((number, link.strip_prefix(open)?.strip_suffix(close)?)))
}

/// Returns true if the link closes every bracket of this pair that it opens, and closes no other one. A pair of two
/// equal quotes must not be in the link at all.
fn is_balanced(link: &str, (open, close): (char, char)) -> bool {
    if open == close {
        return !link.contains(open);
    }
    let mut depth = 0_usize;
    link.chars().all(|c| match c {
        c if c == open => {
            depth += 1;
            true
        }
        c if c == close => {
            let is_open = depth > 0;
            depth -= usize::from(is_open);
            is_open
        }
        _ => true,
    }) && depth == 0
}

/// Returns true if the text starts with a scheme and `://`.
fn starts_link(text: &[u8]) -> bool {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let scheme = text.iter().position(|byte| !is_scheme(byte)).unwrap_or(text.len());
    scheme > 0 && text[scheme..].starts_with(b"://")
}

/// If `text` starts with a line end, returns its length.
fn line_end_len(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// A line break: a line end, with the blanks and the quote marks of mail (`>`) around it.
struct Break {
    /// The end of the text that belongs to the line break.
    end: usize,
    is_joined: bool,
}

/// Returns the line break whose line end is at `at`.
fn line_break(text: &[u8], at: usize) -> Break {
    let mut end = at + line_end_len(&text[at..]);
    let mut is_blank_line = false;
    while let Some(&byte) = text.get(end) {
        end += match line_end_len(&text[end..]) {
            0 if matches!(byte, b' ' | b'\t' | b'>') => 1,
            0 => break,
            len => {
                is_blank_line = true;
                len
            }
        };
    }
    Break { end, is_joined: !is_blank_line && !starts_link(&text[end..]) }
}

/// Returns true if the `=` at `at` ends a line.
fn is_soft(text: &[u8], at: usize) -> bool {
    let rest = &text[at + 1..];
    let blanks = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len());
    line_end_len(&rest[blanks..]) > 0
}

/// Returns true if the text looks like quoted-printable: every `=` starts `=3D` or ends a line, and at least one `=`
/// starts `=3D` or is before the first `?`. The second condition is necessary, because a `=` that ends a line after the
/// `?`, as in `?a=`, can also be the `=` of a parameter.
fn is_quoted_printable(text: &[u8]) -> bool {
    let is_equals = |at: usize| text[at + 1..].starts_with(b"3D");
    let query = memchr(b'?', text).unwrap_or(text.len());
    let mut equals = memchr_iter(b'=', text);
    let mut is_certain = false;
    equals.all(|at| {
        is_certain |= is_equals(at) || at < query;
        is_equals(at) || is_soft(text, at)
    }) && is_certain
}

/// A change that joining lines makes: the text in `range` becomes `new`.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) range: Range<usize>,
    pub(super) new: &'static str,
    /// False if this line break may separate two links.
    is_joined: bool,
}

impl Cut {
    /// Returns the number of bytes by which the link becomes shorter.
    pub(super) fn removed(&self) -> usize {
        self.range.len() - self.new.len()
    }
}

/// The cuts of a link, in order: its line breaks, and if the link is in quoted-printable, also each `=3D`.
#[derive(Clone)]
pub(super) struct Cuts<'a> {
    link: &'a str,
    at: usize,
    /// The end of the last cut.
    copied: usize,
    is_quoted: bool,
}

impl<'a> Cuts<'a> {
    /// Returns the cuts of a link. If a line break must stay, returns `None`.
    pub(super) fn of(repairer: Repairer, link: &'a str) -> Option<Cuts<'a>> {
        let text = link.as_bytes();
        let has_break = memchr::memchr2(b'\r', b'\n', text).is_some()
            || memchr_iter(0xE2, text).any(|at| line_end_len(&text[at..]) > 0);
        if !has_break || !repairer.has(RepairKind::LineBreak) {
            return Some(Cuts::none(link));
        }
        let cuts = Cuts { at: 0, is_quoted: is_quoted_printable(text), ..Cuts::none(link) };
        cuts.clone().all(|cut| cut.is_joined).then_some(cuts)
    }

    /// Returns an iterator without any cuts.
    pub(super) const fn none(link: &'a str) -> Cuts<'a> {
        Cuts { link, at: link.len(), copied: 0, is_quoted: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clone().next().is_none()
    }

    /// Returns the pieces of the joined link.
    pub(super) fn joined(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (link, mut copied) = (self.link, 0);
        let ends = self.clone().map(|cut| (cut.range, cut.new)).chain([(link.len()..link.len(), "")]);
        ends.flat_map(move |(range, new)| {
            let kept = link.get(copied..range.start).unwrap_or_default();
            copied = range.end;
            [kept, new]
        })
    }
}

impl Iterator for Cuts<'_> {
    type Item = Cut;

    fn next(&mut self) -> Option<Cut> {
        let text = self.link.as_bytes();
        while self.at < text.len() {
            let at = self.at;
            if self.is_quoted && text[at..].starts_with(b"=3D") {
                (self.at, self.copied) = (at + 3, at + 3);
                return Some(Cut { range: at..at + 3, new: "=", is_joined: true });
            }
            if line_end_len(&text[at..]) == 0 {
                self.at += 1;
                continue;
            }
            let found = line_break(text, at);
            let kept = text.get(self.copied..at).unwrap_or_default();
            let blanks = kept.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let kept = kept.get(..kept.len() - blanks).unwrap_or_default();
            let kept = if self.is_quoted { kept.strip_suffix(b"=").unwrap_or(kept) } else { kept };
            let start = self.copied + kept.len();
            (self.at, self.copied) = (found.end, found.end);
            return Some(Cut { range: start..found.end, new: "", is_joined: found.is_joined });
        }
        None
    }
}
