//! The prefixes of logging libraries: a time, a level, the name of a logger, the number of a process, tags. Each
//! library has its own order and punctuation. So we skip these words, in any order, until a word of any other kind
//! comes.

use super::{stamp, time_len};
use crate::formats::shape::{is_clock, is_in_name};
use crate::formats::token::method_before_path;

const LEVELS: [&[u8]; 11] =
    [b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"WARN", b"WARNING", b"ERROR", b"CRITICAL", b"FATAL", b"ALERT", b"SEVERE"];

/// Returns the length of the prefix, which may be 0.
///
/// - Python: `INFO:werkzeug:`, `2023-01-02 03:04:05,678 - uvicorn.access - INFO - `, `[2023-01-02 03:04:05 +0000] [7] [INFO] `
/// - Ruby: `I, [2018-01-02T03:04:05.678901 #12]  INFO -- : [tag] `
/// - Go: `2023/01/02 03:04:05 `
/// - Tornado: `[I 230102 03:04:05 web:2064] `
/// - Rust: `[2023-01-02T03:04:05Z INFO actix_web::middleware::logger] `
/// - Java: `2023-01-02 03:04:05.678  INFO 12 --- [main] o.a.Logger  : `
pub fn logger(line: &[u8]) -> usize {
    let mut at = 0;
    let mut has_level = false;
    loop {
        let rest = &line[at..];
        let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
        let word = &rest[blanks..];
        let Some((len, is_level)) = part(word, at > 0, has_level) else {
            return if at > 0 { at + blanks } else { 0 };
        };
        // The prefix ends with a blank or a colon.
        at += blanks + len;
        has_level |= is_level;
        match line.get(at) {
            Some(b' ') => at += 1,
            _ if line[..at].ends_with(b":") => {}
            _ => return 0,
        }
    }
}

/// If `text` starts with a part of a prefix, returns the length of this part, and true if the part is a level.
/// Otherwise returns `None`.
///
/// `is_later` is true if other parts of the prefix come before `text`. `has_level` is true if there is a level among
/// these earlier parts.
fn part(text: &[u8], is_later: bool, has_level: bool) -> Option<(usize, bool)> {
    if let Some(len) = time(text) {
        return Some((len, false));
    }
    if let Some(inner) = text.strip_prefix(b"[") {
        let len = inner.iter().take(64).position(|&byte| byte == b']')?;
        let inner = &inner[..len];
        // A tag is one word in brackets. But a short word in capitals, like `[GIN]`, is the start of a record.
        let is_tag = || {
            let inner = inner.trim_ascii();
            let is_word = inner.iter().all(|byte| byte.is_ascii_graphic() && !b"\"[|".contains(byte));
            is_word && (inner.len() >= 8 || inner.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase()))
        };
        // The time may also be in brackets. A level of one letter may come before it, and a level and the name of a
        // logger may come after it, as in `[I 230102 03:04:05 web:2064]`.
        let after_level = if matches!(inner, [b'A'..=b'Z', b' ', ..]) { &inner[2..] } else { inner };
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !b"\"[|".contains(byte);
        let is_time = time(after_level).is_some_and(|time| after_level[time..].iter().all(is_plain));
        return (is_level(inner) || is_time || !inner.is_empty() && is_tag()).then(|| (len + 2, is_level(inner)));
    }
    let name = text.iter().take_while(|&&byte| is_in_name(byte)).count();
    let after = text.get(name);
    let word = &text[..name];
    let end = name + usize::from(after == Some(&b':'));
    match word {
        [] => {
            let marks = text.iter().take_while(|&&byte| b":|".contains(&byte)).count();
            (is_later && marks == 1).then_some((marks, false))
        }
        [b'A'..=b'Z'] if after == Some(&b',') && text[2..].starts_with(b" [") => Some((2, false)),
        _ if is_level(word) && end < text.len() => Some((end, true)),
        _ if word.iter().all(|&byte| byte == b'-') => (is_later && word.len() < 4).then_some((name, false)),
        // The number of a process or thread. But a number before a request is the status of the request, so it belongs
        // to the record.
        _ if word.iter().all(u8::is_ascii_digit) => {
            let is_number = has_level && after == Some(&b' ') && method_before_path(&text[name + 1..]).is_none();
            is_number.then_some((name, false))
        }
        // A word is the name of a logger in one of these cases:
        // - A colon follows directly, and a level came before, as in `INFO:werkzeug:`.
        // - A dash follows, and other parts came before, but no level, as in `03:04:05,678 - uvicorn.access - INFO`.
        // - A colon and a blank follow, perhaps after blanks, as in `o.a.Logger  : `.
        // - A number or a quote follows, and a level came before, as in `INFO 2023-01-02 03:04:05,678 basehttp 12`.
        _ => {
            let is_name = word[0].is_ascii_alphabetic() && !word.iter().all(u8::is_ascii_uppercase);
            let is_logger =
                after == Some(&b':') && has_level || text[name..].starts_with(b" - ") && is_later && !has_level;
            let is_java = || text[name..].trim_ascii_start().starts_with(b": ");
            let is_before_number = has_level && matches!(text.get(name..name + 2), Some([b' ', b'0'..=b'9' | b'"']));
            (is_name && (is_logger || is_before_number || is_java())).then_some((end, false))
        }
    }
}

/// Returns the length of a date and a time: `2023-01-02T03:04:05Z`, `2023-01-02 03:04:05,678 +0000`, `2023/01/02 03:04:05.678`,
/// `230102 03:04:05`.
fn time(text: &[u8]) -> Option<usize> {
    if stamp(text).is_some() || time_len(text).is_some() {
        return time_len(text);
    }
    let is_short = text.get(..6).is_some_and(|date| date.iter().all(u8::is_ascii_digit)) && text.get(6) == Some(&b' ');
    if is_short && is_clock(&text[7..]) {
        return Some(15);
    }
    let fits =
        |(at, byte): (usize, &u8)| if matches!(at, 4 | 7) { b"-/".contains(byte) } else { byte.is_ascii_digit() };
    let is_date = text.get(..10)?.iter().enumerate().all(fits) && text.get(10) == Some(&b' ') && is_clock(&text[11..]);
    let fraction = || match text.get(19) {
        Some(b',' | b'.') => 1 + text[20..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    is_date.then(|| {
        let end = 19 + fraction();
        let has_zone = matches!(text.get(end..end + 6), Some([b' ', b'+' | b'-', zone @ ..]) if zone.iter().all(u8::is_ascii_digit));
        if has_zone { end + 6 } else { end }
    })
}

pub fn is_level(word: &[u8]) -> bool {
    LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

#[cfg(test)]
mod tests {
    use super::logger;

    #[test]
    fn prefixes_end_at_the_record() {
        for prefix in [
            "INFO:     ",
            "INFO:werkzeug:",
            "2023-01-02 03:04:05,678 - uvicorn.access - INFO - ",
            "2023-01-02 03:04:05,678 INFO uvicorn.access: ",
            "[2023-01-02 03:04:05 +0000] [7] [INFO] ",
            "INFO 2023-01-02 03:04:05,678 basehttp 12 1401 ",
            "2023-01-02T03:04:05Z [info] ",
            "I, [2018-01-02T03:04:05.678901 #12]  INFO -- : [8c9a-1] ",
            "[c6034478-4026-4ded-9e3c-088c76d056f1] ",
            "2023/01/02 03:04:05 ",
            "2023-01-02 03:04:05.678  INFO 12 --- [main] o.a.Logger  : ",
            "2023-01-02T03:04:05.678Z DEBUG 1 --- [           main] o.a.Logger  : ",
            "[I 2023-01-02 03:04:05.678 ServerApp] ",
            "[I 230102 03:04:05 web:2064] ",
            "[2023-01-02T03:04:05Z INFO actix_web::middleware::logger] ",
            "2023-01-02T03:04:05.678901Z  INFO actix_web::middleware::logger: ",
            "",
        ] {
            for record in [
                "192.0.2.1 - \"GET / HTTP/1.1\" 200 OK",
                "\"GET / HTTP/1.1\" 200 5",
                "[GIN] 2023/01/02 - 03:04:05 | 200 |",
                "200 GET / (192.0.2.1) 1.2ms",
            ] {
                let line = format!("{prefix}{record}");
                assert_eq!(line[logger(line.as_bytes())..], *record, "{prefix}");
            }
        }
        for line in [
            "192.0.2.1 - - [x] \"GET",
            "GET / 200",
            "[pid: 1|app: 0|req: 1/1] 192.0.2.1",
            "",
            "INFO",
            "[",
            "{\"a\":1}",
            "[x",
            "[I 192.0.2.1 x] GET /",
            "[I 2023-01-02 03:04:05 \"x\"] GET /",
        ] {
            assert_eq!(logger(line.as_bytes()), 0, "{line}");
        }
    }
}
