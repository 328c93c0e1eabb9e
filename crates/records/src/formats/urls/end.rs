//! Finds the end of a URL or target in text of any form.

use memchr::{memchr_iter, memmem};

use super::MOST;
use crate::formats::shape::is_next_url;

/// Returns true if `text` starts with `&` or `=` as some programs write it in JSON. In HTML, `&gt;` is an end.
pub(super) fn starts_with_escape(text: &[u8]) -> bool {
    let Some((digits, rest)) = text.strip_prefix(b"\\u00").and_then(|rest| rest.split_first_chunk::<2>()) else {
        return false;
    };
    let is_html = || [&b"gt;"[..], b"lt;", b"quot;", b"#"].iter().any(|name| rest.starts_with(name));
    match digits {
        b"26" => !is_html(),
        b"3d" | b"3D" => true,
        _ => false,
    }
}

/// Returns the end of the value at `start`, which contains the byte before `at`. A value in quotes ends at the second
/// quote. If the value belongs to a pair in a list, as in `;S:URL=http://h/a;S:Bld=15`, it ends before the next pair. The
/// same separator must precede both pairs.
pub(super) fn value_end(line: &[u8], start: usize, at: usize) -> usize {
    let mut end = end(line, at);
    let quote = line[..start].last().filter(|byte| b"\"'".contains(byte));
    // Quotes may enclose bytes that URLs don't have, as in `"http://h/{id}?a=b|c"`.
    if quote.is_some() && line.get(end).is_some_and(|byte| b"{}|^`".contains(byte)) {
        let rest = &line[end..];
        let len = rest.iter().position(|byte| *byte <= b' ' || b"\"'<>\\".contains(byte)).unwrap_or_default();
        if rest.get(len) == quote && memmem::find(&rest[..len], b"://").is_none() {
            end += len;
        }
    }
    if quote == Some(&b'\'') {
        // An apostrophe inside a word closes no quotes.
        let is_close = |at: &usize| !line.get(start + at + 1).is_some_and(u8::is_ascii_alphanumeric);
        return memchr_iter(b'\'', &line[start..end]).find(is_close).map_or(end, |len| start + len);
    }
    let equals: [&[u8]; 3] = [b": ", b":", b"="];
    let strip = |equals: &[u8]| line[..start].strip_suffix(equals);
    let Some((before, equals)) = equals.iter().find_map(|equals| Some((strip(equals)?, *equals))) else { return end };
    let is_outside = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"_.:- ".contains(byte)) || *byte == equals[0];
    let before = &before[before.len().saturating_sub(MOST)..];
    // A separator with a blank after it is another separator.
    let separator = before.iter().rposition(is_outside).filter(|at| before.get(at + 1) != Some(&b' '));
    let is_pair = |at: &usize| {
        let next = &line[at + 1..];
        let len = next.iter().take(MOST).position(is_outside).unwrap_or_default();
        len > 0 && next[len..].starts_with(equals)
    };
    let Some(separator) = separator.map(|at| before[at]).filter(|byte| b",;".contains(byte)) else { return end };
    (start..end).find(|at| line[*at] == separator && is_pair(at)).unwrap_or(end)
}

/// Returns the end of the value that contains the byte before `at`.
pub(super) fn end(line: &[u8], at: usize) -> usize {
    let rest = &line[at..];
    let (mut round, mut square, mut before, mut has_name) = (0, 0, 0, false);
    let mut is_in_host = line[..at].ends_with(b"://");
    let is_last = |(at, byte): (usize, &u8)| {
        round += i32::from(*byte == b'(') - i32::from(*byte == b')');
        square += i32::from(*byte == b'[') - i32::from(*byte == b']');
        // A template may have the name of a value in braces, and a query may have a `^`, as in `/${NAME}/x?symbols=^GSPC`.
        let is_in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
        let name_len = || rest[at + 1..].iter().take(MOST).take_while(is_in_name).count();
        let is_in_template = match byte {
            b'{' => {
                let len = name_len();
                has_name = len > 0 && rest.get(at + 1 + len) == Some(&b'}');
                has_name
            }
            b'}' => std::mem::take(&mut has_name),
            b'^' => name_len() > 0,
            _ => false,
        };
        // Two commas are an empty cell of a table. FireEye and Trellix write `::~~` in place of a line end.
        let is_cell = [before, *byte] == *b",," || *byte == b':' && rest[at..].starts_with(b"::~~");
        before = *byte;
        is_in_host &= !b"/?#".contains(byte);
        let is_list = || b",;".contains(byte) && is_next_url(&rest[at + 1..]);
        is_cell
            || is_list()
            || is_in_host && *byte == b';'
            || *byte <= b' '
            || round < 0
            || square < 0
            || b"\"<>\\^`{}|\x7F".contains(byte) && !is_in_template && !starts_with_escape(&rest[at..])
    };
    let mut end = rest.iter().enumerate().position(is_last).map_or(line.len(), |len| at + len);
    // Word processors make curly quotes of the quotes around a URL.
    let quote = "”".as_bytes();
    if let Some(len) = memchr_iter(quote[0], &line[at..end]).find(|len| line[at + len..].starts_with(quote)) {
        end = at + len;
    }
    while end > at && (b",;:'([".contains(&line[end - 1]) || line[end - 1] == b'.' && line[end - 2] != b'.') {
        end -= 1;
    }
    end
}
