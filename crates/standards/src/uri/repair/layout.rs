//! Removes the text around a link and the line breaks inside it (RFC 3986 Appendix C).

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::{memchr, memchr_iter};

use super::{Cut, RepairKind, Repairer};
use crate::memory;
use crate::uri::Uri;
use crate::uri::ucschar::is_bidi_control;

/// Returns the range of the link without blanks, quotes and angle brackets around it.
pub(super) fn inner(repairer: Repairer, link: &str) -> Range<usize> {
    if !repairer.has(RepairKind::Surroundings) {
        return 0..link.len();
    }
    let inner = unwrapped(link);
    let start = inner.as_ptr().addr() - link.as_ptr().addr();
    start..start + inner.len()
}

fn unwrapped(link: &str) -> &str {
    let is_blank =
        |c: char| c.is_whitespace() || matches!(c, '\u{200B}' | '\u{2060}' | '\u{FEFF}') || is_bidi_control(c);
    let mut inner = link.trim_matches(is_blank);
    loop {
        inner = if let Some(bracketed) = inner.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            let prefix = bracketed.get(.."URL:".len()).filter(|start| start.eq_ignore_ascii_case("URL:"));
            &bracketed[prefix.map_or(0, str::len)..]
        } else if let Some(quoted) = inner.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            quoted
        } else {
            return inner;
        }
        .trim_matches(is_blank);
    }
}

/// Returns the length of the line end at the start of `text`.
fn line_end_len(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// The line break at an offset: a line end, and the blanks and quote marks of mail around it.
struct Break {
    /// The end of the text that belongs to the break.
    end: usize,
    is_joined: bool,
}

/// Looks at the line break at `at`.
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
    let rest = &text[end..];
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let scheme = rest.iter().position(|byte| !is_scheme(byte)).unwrap_or(rest.len());
    let is_link = scheme > 0 && rest[scheme..].starts_with(b"://");
    Break { end, is_joined: !is_blank_line && !is_link }
}

/// Returns true if the `=` at `at` is at the end of a line.
fn is_soft(text: &[u8], at: usize) -> bool {
    let rest = &text[at + 1..];
    let blanks = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len());
    line_end_len(&rest[blanks..]) > 0
}

/// Returns true if the text is in quoted-printable: every `=` is `=3D` or ends a line, and one of them isn't the `=` of
/// a parameter.
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

/// Joins the lines of a link. Returns the changed ranges, too. Returns `None` if a break must stay.
pub(super) fn joined(repairer: Repairer, link: &str) -> Option<(Cow<'_, str>, Vec<Cut>)> {
    let text = link.as_bytes();
    let has_break = memchr::memchr2(b'\r', b'\n', text).is_some()
        || memchr_iter(0xE2, text).any(|at| line_end_len(&text[at..]) > 0);
    if !has_break || !repairer.has(RepairKind::LineBreak) {
        return Some((Cow::Borrowed(link), Vec::new()));
    }
    let is_quoted = is_quoted_printable(text);
    let mut out = memory::string(link.len());
    let mut cuts = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while at < text.len() {
        if is_quoted && text[at..].starts_with(b"=3D") {
            // The `=` is copied later, together with the text before it.
            out.push_str(&link[copied..=at]);
            memory::push(&mut cuts, Cut { range: at..at + 3, new_len: 1 });
            (at, copied) = (at + 3, at + 3);
            continue;
        }
        if line_end_len(&text[at..]) == 0 {
            at += 1;
            continue;
        }
        let found = line_break(text, at);
        if !found.is_joined {
            return None;
        }
        let kept = link[copied..at].trim_end_matches([' ', '\t']);
        let kept = if is_quoted { kept.strip_suffix('=').unwrap_or(kept) } else { kept };
        out.push_str(kept);
        memory::push(&mut cuts, Cut { range: copied + kept.len()..found.end, new_len: 0 });
        (at, copied) = (found.end, found.end);
    }
    out.push_str(&link[copied..]);
    // The host isn't certain if a break is in it.
    let (before, after) = (Uri::split(link), Uri::split(&out));
    let is_same = before.authority == after.authority && before.scheme.is_some() == after.scheme.is_some();
    is_same.then_some((Cow::Owned(out), cuts))
}
