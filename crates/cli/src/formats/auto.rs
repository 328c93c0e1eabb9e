//! What format an input is in, from its first lines.

use memchr::{memchr, memchr_iter, memmem};

use super::Name;

/// As many lines are looked at.
const LINES: usize = 20;

/// A known column name makes a header of a first line.
const COLUMNS: [&str; 9] =
    ["url", "uri", "path", "referer", "referrer", "request", "query", "request_uri", "http_referer"];

/// The format of an input that starts with `head`; lines, where it looks like none.
pub fn guess(head: &[u8]) -> Name {
    let lines: Vec<&[u8]> = head
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.is_empty())
        .take(LINES)
        .collect();
    if memchr(0, head).is_some() && memchr(b'\n', head).is_none() {
        return Name::Null;
    }
    let Some(&first) = lines.first() else { return Name::Lines };
    if let Some(fields) = lines.iter().find(|line| line.starts_with(b"#Fields:")) {
        let is_cloudfront = memmem::find(fields, b"x-edge-location").is_some();
        return if is_cloudfront { Name::CloudFront } else { Name::W3c };
    }
    // The last line may be cut off; bad lines are to be expected.
    let most = |is: fn(&[u8]) -> bool| {
        let hits = lines.iter().filter(|line| is(line)).count();
        hits > 0 && 2 * hits >= lines.len()
    };
    if most(|line| line.trim_ascii_start().starts_with(b"{\"") || line.trim_ascii() == b"{}") {
        return Name::Ndjson;
    }
    if most(is_alb) {
        return Name::Alb;
    }
    if most(is_s3) {
        return Name::S3;
    }
    if most(is_clf) {
        return if most(|line| memchr_iter(b'"', line).count() >= 6) { Name::Combined } else { Name::Clf };
    }
    for (delimiter, name) in [(b'\t', Name::Tsv), (b',', Name::Csv)] {
        let mut columns = first.split(|&byte| byte == delimiter).map(|name| name.trim_ascii());
        let named = |name: &[u8]| {
            let name = name.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(name);
            let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
            COLUMNS.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        };
        if memchr(delimiter, first).is_some() && columns.any(named) {
            return name;
        }
    }
    Name::Lines
}

/// `https 2018-07-02T22:23:00.186641Z app/...`
fn is_alb(line: &[u8]) -> bool {
    let mut words = line.splitn(3, |&byte| byte == b' ');
    let kind = words.next().unwrap_or_default();
    let time = words.next().unwrap_or_default();
    let known = [&b"http"[..], b"https", b"h2", b"grpcs", b"ws", b"wss"];
    known.contains(&kind) && time.len() >= 20 && time[4] == b'-' && time[10] == b'T' && time.last() == Some(&b'Z')
}

/// 64 hexadecimal digits, a bucket, and a date in brackets.
fn is_s3(line: &[u8]) -> bool {
    let mut words = line.splitn(3, |&byte| byte == b' ');
    let owner = words.next().unwrap_or_default();
    let rest = words.nth(1).unwrap_or_default();
    owner.len() == 64 && owner.iter().all(u8::is_ascii_hexdigit) && rest.starts_with(b"[")
}

/// A date in brackets, then a request in quotes.
fn is_clf(line: &[u8]) -> bool {
    memmem::find(line, b"] \"").is_some_and(|close| memmem::find(&line[..close], b" [").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines() {
        for (head, name) in [
            (
                &b"1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"curl\"\n"[..],
                Name::Combined,
            ),
            (b"1.2.3.4 - j s [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n", Name::Clf),
            (b"{\"a\":1}\n\n{\"b\":2}\n{\"c", Name::Ndjson),
            (b"#Version: 1.0\n#Fields: date time x-edge-location\n", Name::CloudFront),
            (b"#Software: IIS\r\n#Fields: date cs-uri-stem\r\n", Name::W3c),
            (b"https 2018-07-02T22:23:00.186641Z app/lb/1 1.2.3.4:1 - 0 0 0 200 200 1 1 \"GET", Name::Alb),
            (b"id,URL,x\n1,http://a/,2\n", Name::Csv),
            (b"\xEF\xBB\xBF\"url\"\tb\n", Name::Tsv),
            (b"/a%20b\n/c, d\n", Name::Lines),
            (b"/a\0/b\0", Name::Null),
            (b"", Name::Lines),
            (b"\n\n", Name::Lines),
        ] {
            assert_eq!(guess(head), name, "{}", head.escape_ascii());
        }
        let s3 = format!("{} bucket [06/Feb/2019:00:00:38 +0000] 1.2.3.4 - ID REST.GET.OBJECT a%2520b", "7".repeat(64));
        assert_eq!(guess(s3.as_bytes()), Name::S3);
    }
}
