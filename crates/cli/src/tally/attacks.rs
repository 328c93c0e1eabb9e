//! Finds possible attacks in the values of fields.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};
use percent_simd::internal::triplet;
use percent_simd::{ByteSet, Decoder, Plus, RawEncoder};
use percent_simd_records::formats::Syntax;

use super::log_escapes::without_log_escapes;
use crate::findings::{Kind, completes, remarkable, starts_overlong};
use crate::user_formats::attacks::{BuiltIn, Kinds};

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The bytes that only overlong forms of two bytes start with.
const TWO_BYTES: ByteSet = ByteSet::of(b"\xC0\xC1");

/// The bytes that can begin or end a segment.
const BOUNDS: &[u8] = b"/\\?#&=;";

/// Finds the first control character.
static CONTROLS: RawEncoder = RawEncoder::new(ByteSet::CONTROLS.complement());

/// Calls `each` once for every kind of attack in `value`, with the index of the kind in `Kinds` and the offset of the
/// first attack. If `has_log_escapes` is true, a backslash of `value` may start an escape of the log. It may also be a backslash of
/// the URL, so we search both readings.
pub fn attacks(value: &[u8], syntax: Syntax, has_log_escapes: bool, mut each: impl FnMut(usize, usize)) {
    let mut seen = 0u64;
    let mut found = |kind: usize, at: usize| {
        if seen >> kind & 1 == 0 {
            seen |= 1 << kind;
            each(kind, at);
        }
    };
    attacks_of_reading(value, syntax, &mut found);
    if has_log_escapes && let Some(undone) = without_log_escapes(value) {
        attacks_of_reading(&undone, syntax, &mut |kind, _| found(kind, 0));
    }
}

/// Calls `found` for the kinds of attacks in `value`, with the index of the kind and the offset of an attack. It may be called
/// several times for a kind.
fn attacks_of_reading(value: &[u8], syntax: Syntax, found: &mut dyn FnMut(usize, usize)) {
    // JSON and other formats can write a control character as an escape of their own. `value` has the raw character in
    // place of this escape, so we search for raw control characters.
    if let Some(first) = CONTROLS.first_changed(value) {
        value
            .iter()
            .enumerate()
            .skip(first)
            .filter_map(|(at, &byte)| Some((control(byte)?, at)))
            .for_each(|(kind, at)| found(kind as usize, at));
    }
    // `can_climb`: decoding could produce a `..` between separators. `can_bound`: decoding could produce one of the
    // `BOUNDS`, so that a `..` in the value becomes a segment. `has_layers`: decoding could produce a new escape.
    let (mut can_climb, mut can_bound, mut has_layers) = (false, false, false);
    let mut path_end = None;
    let mut end_of_path = || {
        *path_end.get_or_insert_with(|| match syntax {
            Syntax::Reference => memchr2(b'?', b'#', value).unwrap_or(value.len()),
            Syntax::Target => memchr(b'?', value).unwrap_or(value.len()),
            Syntax::Query => 0,
        })
    };
    for at in memchr2_iter(b'%', BYTE_ORDER_MARK[0], value) {
        let Some(byte) = triplet(value, at) else {
            if starts_byte_order_mark(&value[at..]) {
                found(BuiltIn::ByteOrderMark as usize, at);
            }
            if value[at] == b'%' && completes(&value[at + 1..]) {
                (can_climb, has_layers) = (true, true);
                found(BuiltIn::Double as usize, at);
            }
            continue;
        };
        can_climb |= matches!(byte, b'.' | b'/' | b'\\' | b'%');
        can_bound |= BOUNDS.contains(&byte);
        has_layers |= byte == b'%';
        match byte {
            b'/' | b'\\' if at < end_of_path() => found(BuiltIn::Separator as usize, at),
            0xEF if starts_byte_order_mark(&value[at..]) => found(BuiltIn::ByteOrderMark as usize, at),
            _ => match remarkable(byte, &value[at + 3..]) {
                Some(Kind::Double) => found(BuiltIn::Double as usize, at),
                Some(Kind::Overlong) => found(BuiltIn::Overlong as usize, at),
                _ => {
                    if let Some(kind) = control(byte) {
                        found(kind as usize, at);
                    }
                }
            },
        }
    }
    let (dots, kinds) = (two_dots(value).next(), Kinds::get());
    can_climb |= can_bound && dots.is_some();
    if dots.is_none() && !can_climb && !kinds.has_users() {
        return;
    }
    let all = match can_climb || kinds.has_users() {
        true => Decoder::new().decode_layers(value, usize::MAX).bytes,
        false => Cow::Borrowed(value),
    };
    if let Some(at) = climbs(&all) {
        // If the `..` appears only after decoding, it has no place of its own. We report the first `..` in the
        // undecoded value, or the start of the value.
        found(BuiltIn::Traversal as usize, if can_climb { dots.unwrap_or(0) } else { at });
    }
    if has_layers {
        // A byte of an inner layer has no offset in the value as written, so we report the start of the value. Raw bytes stay in
        // every layer. So if there are more of a byte after all layers are decoded, a layer has an escape of this byte.
        let count = |text: &[u8], bytes: ByteSet| text.iter().filter(|&&byte| bytes.contains(byte)).count();
        let (path, separators) = (&value[..end_of_path()], ByteSet::of(b"/\\"));
        if count(&Decoder::new().decode_layers(path, usize::MAX).bytes, separators) > count(path, separators) {
            found(BuiltIn::Separator as usize, 0);
        }
        if count(&all, TWO_BYTES) > count(value, TWO_BYTES) {
            found(BuiltIn::Overlong as usize, 0);
        }
        for (at, &byte) in all.iter().enumerate() {
            if let Some(kind) = control(byte) {
                found(kind as usize, 0);
            }
            if all.get(at + 1).is_some_and(|&second| starts_overlong(byte, second)) {
                found(BuiltIn::Overlong as usize, 0);
            }
        }
        if memchr::memmem::find(&all, BYTE_ORDER_MARK).is_some() {
            found(BuiltIn::ByteOrderMark as usize, 0);
        }
    }
    kinds.each_match(&all, |kind| found(kind, 0));
    if kinds.has_users()
        && let Some(plus) = blanks(value, syntax)
    {
        let all = Decoder::new().plus(plus).decode_layers(value, usize::MAX).bytes;
        kinds.each_match(&all, |kind| found(kind, 0));
    }
}

/// If `value` has a `+` in a query, returns the option that reads it as a space.
fn blanks(value: &[u8], syntax: Syntax) -> Option<Plus> {
    let (query, plus) = match memchr(b'?', value) {
        Some(at) => (&value[at..], Plus::AfterQuery),
        None if syntax.is_query() => (value, Plus::Always),
        None => return None,
    };
    memchr(b'+', query).map(|_| plus)
}

/// The signs of attacks: a value without a sign has none of the chosen attacks. So a search for signs in whole lines finds all
/// candidates. A value with a sign may still be harmless.
#[derive(Clone, Debug)]
pub struct AttackSigns {
    /// An escape of one of these bytes is a sign.
    escaped: ByteSet,
    has_dots: bool,
    has_controls: bool,
    has_byte_order_mark: bool,
}

impl AttackSigns {
    /// Returns the signs of the kinds of attacks whose bits are set in `kinds`. Returns `None` if the user has defined
    /// one of these kinds, because the pattern of that kind may match any text.
    pub fn new(kinds: u64) -> Option<AttackSigns> {
        let has = |kind: BuiltIn| kinds >> kind as usize & 1 == 1;
        let all = &Kinds::get().all;
        if all.len() > BuiltIn::ALL && kinds >> BuiltIn::ALL & ((1 << (all.len() - BuiltIn::ALL)) - 1) != 0 {
            return None;
        }
        // An escaped `%` may hide a byte of any kind in an inner layer.
        let mut escaped = ByteSet::of(b"%");
        for (kind, bytes) in [
            (BuiltIn::Traversal, ByteSet::of(b".")),
            (BuiltIn::Overlong, ByteSet::of(b"\xC0\xC1\xE0\xF0\xF8\xFC")),
            (BuiltIn::Nul, ByteSet::of(b"\0")),
            (BuiltIn::Control, ByteSet::CONTROLS),
            (BuiltIn::Separator, ByteSet::of(b"/\\")),
            (BuiltIn::ByteOrderMark, ByteSet::of(&BYTE_ORDER_MARK[..1])),
        ] {
            if has(kind) {
                escaped = escaped | bytes;
            }
        }
        Some(AttackSigns {
            escaped,
            has_dots: has(BuiltIn::Traversal),
            has_controls: has(BuiltIn::Nul) || has(BuiltIn::Control),
            has_byte_order_mark: has(BuiltIn::ByteOrderMark),
        })
    }

    /// Returns true if two dots are a sign, too.
    pub fn has_dots(&self) -> bool {
        self.has_dots
    }

    /// Returns true if raw control characters are a sign, too.
    pub fn has_controls(&self) -> bool {
        self.has_controls
    }

    /// Returns the offset of the first control character in `text` that isn't part of a line end.
    pub fn find_control(&self, text: &[u8], line_end: u8) -> Option<usize> {
        let mut at = 0;
        loop {
            at += CONTROLS.first_changed(&text[at..])?;
            match &text[at..] {
                [b'\r', next, ..] if *next == line_end => at += 2,
                [byte, ..] if *byte == line_end => at += 1,
                _ => return Some(at),
            }
        }
    }

    /// Returns the offset in `text` of the first sign of an attack that is an escape or a byte order mark.
    pub fn find_escape(&self, text: &[u8]) -> Option<usize> {
        let is_sign = |&at: &usize| match triplet(text, at) {
            Some(byte) if !self.escaped.contains(byte) => false,
            // Overlong forms start with these bytes, but ordinary letters of many scripts do, too. So the next escape
            // decides.
            Some(byte @ (0xE0 | 0xF0 | 0xF8 | 0xFC)) => remarkable(byte, &text[at + 3..]).is_some(),
            Some(0xEF) => starts_byte_order_mark(&text[at..]),
            Some(_) => true,
            None if text[at] == b'%' => completes(&text[at + 1..]),
            None => starts_byte_order_mark(&text[at..]),
        };
        match self.has_byte_order_mark {
            true => memchr2_iter(b'%', BYTE_ORDER_MARK[0], text).find(is_sign),
            false => memchr_iter(b'%', text).find(is_sign),
        }
    }
}

/// Returns the kind of attack of a control character.
fn control(byte: u8) -> Option<BuiltIn> {
    match byte {
        0 => Some(BuiltIn::Nul),
        1..=0x1F | 0x7F => Some(BuiltIn::Control),
        _ => None,
    }
}

/// Returns true if `text` starts with U+FEFF. Each byte of this character may be raw or escaped.
fn starts_byte_order_mark(mut text: &[u8]) -> bool {
    BYTE_ORDER_MARK.iter().all(|&byte| {
        let len = if text.first() == Some(&byte) { 1 } else { 3 };
        let is_there = len == 1 || triplet(text, 0) == Some(byte);
        text = text.get(len..).unwrap_or_default();
        is_there
    })
}

/// Returns the offset of each pair of consecutive dots.
fn two_dots(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'.', text).filter(|&at| text.get(at + 1) == Some(&b'.'))
}

/// Returns the offset of a segment `..` between separators.
fn climbs(text: &[u8]) -> Option<usize> {
    let is_bound = |byte: Option<&u8>| byte.is_none_or(|byte| BOUNDS.contains(byte));
    two_dots(text).find(|&at| {
        is_bound(at.checked_sub(1).and_then(|before| text.get(before)))
            && is_bound(text.get(at + 2))
            // A `..` without a slash beside it does not climb, for example in `?q=..`.
            && (text.get(at + 2).is_some_and(|byte| b"/\\".contains(byte)) || at > 0 && b"/\\".contains(&text[at - 1]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(value: &str, syntax: Syntax) -> Vec<(usize, usize)> {
        let mut kinds = Vec::new();
        attacks(value.as_bytes(), syntax, false, |kind, at| kinds.push((kind, at)));
        kinds
    }

    #[test]
    fn attacks_are_found_in_their_syntax_and_harmless_values_are_not() {
        for harmless in [
            "/a%20b?c=%D0%B0", "/100%%20", "/%%zz", "/%a%20", "/a..b/c", "/?q=..", "/...", "/a?u=http%3A%2F%2Fh%2F",
            "/100%", "/%C3%A9", "-",
        ] {
            assert_eq!(kinds(harmless, Syntax::Target), [], "{harmless}");
            assert_eq!(kinds(harmless, Syntax::Reference), [], "{harmless}");
        }
        for (value, kind, at) in [
            ("/a/../b", BuiltIn::Traversal, 3),
            ("/a/..", BuiltIn::Traversal, 3),
            ("/%2e%2e/", BuiltIn::Traversal, 0),
            ("/.%2e\\b", BuiltIn::Traversal, 0),
            ("/a/..%3b/b", BuiltIn::Traversal, 3),
            ("/a/..%3Fx", BuiltIn::Traversal, 3),
            ("/a/..%23", BuiltIn::Traversal, 3),
            ("/x?f%3d../etc", BuiltIn::Traversal, 7),
            ("/x?a%26../etc", BuiltIn::Traversal, 7),
            ("/?f=../../etc/passwd", BuiltIn::Traversal, 4),
            ("/a%252", BuiltIn::Double, usize::MAX),
            ("/a%2541", BuiltIn::Double, 2),
            ("/a%c0%af", BuiltIn::Overlong, 2),
            ("/%e0%80%af", BuiltIn::Overlong, 1),
            ("/%e0%a0%80", BuiltIn::Overlong, usize::MAX),
            ("/%00", BuiltIn::Nul, 1),
            ("/%0d%0a", BuiltIn::Control, 1),
            ("/%7F", BuiltIn::Control, 1),
            ("/.%ef%BB%bf./", BuiltIn::ByteOrderMark, 2),
            ("/\u{FEFF}", BuiltIn::ByteOrderMark, 1),
            ("/%EF%BB%BE\u{FF0F}", BuiltIn::ByteOrderMark, usize::MAX),
            ("/a%2fb", BuiltIn::Separator, 2),
            ("/a%5Cb?c", BuiltIn::Separator, 2),
        ] {
            let expected = if at == usize::MAX { vec![] } else { vec![(kind as usize, at)] };
            assert_eq!(kinds(value, Syntax::Target), expected, "{value}");
            assert_eq!(kinds(value, Syntax::Reference), expected, "{value}");
        }
        assert_eq!(kinds("a%2fb", Syntax::Query), []);
        assert_eq!(kinds("/%252e%252e%252f", Syntax::Target).len(), 3);
        assert_eq!(kinds("/?%252e%252e%252f", Syntax::Target).len(), 2);
        let deep = [BuiltIn::Double, BuiltIn::Nul, BuiltIn::Control, BuiltIn::ByteOrderMark].map(|kind| kind as usize);
        let found = kinds("/%2500%25250a%25ef%25bb%25bf", Syntax::Target);
        assert_eq!(found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), deep);
        // A decoded escape can complete another escape (CVE-2021-42013). It can also complete a byte order mark.
        for (value, kind) in [
            ("/%%32e%%32e/etc", BuiltIn::Traversal),
            ("/%2%65%2%65/x", BuiltIn::Traversal),
            ("/..%%32fetc", BuiltIn::Traversal),
            ("/%%32%65%%32%65%%32%66", BuiltIn::Traversal),
            ("/%%30%30", BuiltIn::Nul),
            ("/%%32f", BuiltIn::Double),
            ("/%2%66", BuiltIn::Double),
            ("/%%32%66", BuiltIn::Double),
            ("/%25%32%66", BuiltIn::Double),
            ("/%252%66", BuiltIn::Double),
            ("/%25%32f", BuiltIn::Separator),
            ("/%25c0", BuiltIn::Overlong),
            ("/%%30a", BuiltIn::Control),
            ("/%25c0%25ae/", BuiltIn::Overlong),
        ] {
            assert!(kinds(value, Syntax::Target).iter().any(|(found, _)| *found == kind as usize), "{value}");
            let signs = AttackSigns::new(1 << kind as usize).unwrap();
            assert!(signs.find_escape(value.as_bytes()).is_some(), "{value}");
        }
        for value in [&b"/\xEF%BB%bf"[..], b"/\xEF\xBB%BF", b"/%ef\xBB%BF", b"/%EF%bb\xBF", b"/%EF\xBB\xBF"] {
            let mut kinds = Vec::new();
            attacks(value, Syntax::Target, false, |kind, _| kinds.push(kind));
            assert_eq!(kinds, [BuiltIn::ByteOrderMark as usize], "{value:?}");
            let signs = AttackSigns::new(1 << BuiltIn::ByteOrderMark as usize).unwrap();
            assert!(signs.find_escape(value).is_some(), "{value:?}");
        }
        // A target has no fragment, so the `#` is part of its path.
        assert_eq!(kinds("/#%2f", Syntax::Target), [(BuiltIn::Separator as usize, 2)]);
        assert_eq!(kinds("/#%2f", Syntax::Reference), []);
    }
}
