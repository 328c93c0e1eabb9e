//! Runs the verbs that implement standards as processes, on normal and on hostile input.

use crate::process;

use std::io::{Read, Write};
use std::process::Stdio;

use percent_standards::charset::Charset;
use process::{Folder, command, command_of, output, pct, run_to_end};

#[track_caller]
fn check(args: &[&str], input: &[u8], expected: &[u8]) {
    assert_eq!(output(args, input).escape_ascii().to_string(), expected.escape_ascii().to_string(), "{args:?}");
}

/// Asserts that the output is `expected`, that stderr contains every text of `told`, and that the exit status is 1.
#[track_caller]
fn check_bad(args: &[&str], input: &[u8], expected: &[u8], told: &[&str]) {
    let ran = pct(args, input);
    assert_eq!(ran.out.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{args:?}");
    assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
    for told in told {
        assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
    }
}

/// Asserts that `pct` refuses the command line with a message that contains `told`.
#[track_caller]
fn check_usage(args: &[&str], told: &str) {
    let ran = pct(args, b"");
    assert!(ran.code == Some(2) && ran.err.contains(told), "{args:?}: {}", ran.err);
}

/// Command lines that accept any lines, and write one line for each.
const LINE_FOR_LINE: &[&[&str]] = &[
    &["normalize"],
    &["normalize", "--by-scheme", "--sanitize"],
    &["normalize", "--escapes-only"],
    &["normalize", "--base", "http://h/a/"],
    &["normalize", "--sort-query", "--drop", "a*,b", "--merge-slashes"],
    &["iri"],
    &["iri", "--host"],
    &["iri", "--to-uri"],
    &["iri", "--to-uri", "--host"],
    &["iri", "--to-uri", "--legacy"],
    &["repair"],
    &["escape"],
    &["escape", "--uri"],
    &["escape", "--component"],
    &["unescape"],
    &["unescape", "--lossy"],
    &["unescape", "--uri"],
    &["unescape", "--component"],
    &["decode", "--charset", "sjis"],
    &["decode", "--utf8-or", "windows-1252"],
    &["decode", "--charset", "utf-16le"],
    &["decode", "--charset", "iso-2022-jp", "--on-utf8=replace"],
];

const HOSTILE: &[&[u8]] = &[
    b"",
    b"\n",
    b"\r\n",
    b"%",
    b"%\n%4\n%4",
    b"%u\n%u12\n%uD83D\n%uDCA9%uD83D\n",
    b"%zz%%34%31\n",
    b"\xFF\xFE\n\xC3\n\xED\xA0\x80\n%FF%C3\n",
    b"%00%0A%0D%1B%7F\n%C2%9B%C2%85\n%0D%0A\n",
    b"%E2%80%AEgnp%E2%81%A6%D8%9C\n%u202E%u2066%u061C%u200F\n",
    b"\0\n\x1B[31m\n\x7F\n\t\n",
    b"//[\n:\n://\n?#\nhttp://[::\nhttp://@:\n%2e%2E/..\n",
    b"a\r\r\nb\rc\n",
    b"no end",
];

#[test]
fn hostile_lines_stay_lines() {
    for args in LINE_FOR_LINE {
        for input in HOSTILE {
            let ran = pct(*args, input);
            assert!(matches!(ran.code, Some(0 | 1)), "{args:?} {}: {}", input.escape_ascii(), ran.err);
            let ends = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(ends(&ran.out), ends(input), "{args:?} {}: {}", input.escape_ascii(), ran.out.escape_ascii());
            // No control occurs more often in the output than in the input.
            for control in (0..0x20).chain([0x7F]) {
                let count = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == control).count();
                assert!(count(&ran.out) <= count(input), "{args:?} {}: {control:#x}", input.escape_ascii());
            }
            assert!(!ran.out.windows(2).any(|pair| matches!(pair, [0xC2, 0x80..=0x9F])), "{args:?}: a control of C1");
            let text = String::from_utf8_lossy(&ran.out);
            assert!(!text.contains(percent_standards::iri::is_bidi_control), "{args:?}: {text:?}");
            assert_eq!(ran.code == Some(1), !ran.err.is_empty(), "{args:?} {}: {}", input.escape_ascii(), ran.err);
        }
    }
}

#[test]
fn long_lines_are_processed_or_reported() {
    let mut input = b"/%7e%41".repeat(150_000);
    input.extend(b"\n/%7e\n");
    for args in LINE_FOR_LINE.iter().filter(|args| !args.contains(&"utf-16le")) {
        let ran = pct(*args, &input);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        assert_eq!(ran.out.iter().filter(|&&byte| byte == b'\n').count(), 2, "{args:?}");
    }
    let mut expected = b"/~A".repeat(150_000);
    expected.extend(b"\n/~\n");
    assert!(output(["normalize"], &input) == expected);
    assert!(output(["normalize", "-j", "3"], &input.repeat(3)) == expected.repeat(3));
    // A line that is longer than the maximum for a record is reported, and stays as it is.
    let mut input = b"/%7e%41".repeat(1_500_000);
    input.extend(b"\n/%7e\n");
    let ran = pct(["normalize"], &input);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.starts_with("<stdin>:1: byte 0 (column 1): the record is longer than 8 MiB"), "{}", ran.err);
    assert!(ran.out[..input.len() - 5] == input[..input.len() - 5] && ran.out.ends_with(b"\n/~\n"));
    let ran = pct(["form"], &input);
    assert_eq!((ran.code, ran.out.as_slice()), (Some(1), &b"/~\t\n\n"[..]));
    // Without a format, `lint` processes a long line piece by piece.
    let ran = pct(["lint", "--count"], &input);
    assert_eq!(ran.code, Some(1));
    assert!(String::from_utf8(ran.out).unwrap().contains("3000001 over-encoded"));
    // With a format, `lint` needs the whole line, so it skips a line that is too long.
    let ran = pct(["lint", "--format", "combined"], &input);
    let told =
        "<stdin>:1:1: too-long: `the record is longer than 8 MiB, which is too long to process`: it was skipped\n";
    assert_eq!((ran.code, String::from_utf8(ran.out).unwrap().as_str()), (Some(2), told));
}

#[test]
fn normalize_writes_normal_forms() {
    let run = |args: &[&str], input: &[u8], expected: &[u8]| check(&[&["normalize"], args].concat(), input, expected);
    run(&[], b"HTTP://ex%41mple.COM/a/../%7Eb%2f%c3%a9\n", b"http://example.com/~b%2F%C3%A9\n");
    run(&[], b"http://h:80\r\n\r\nx", b"http://h:80\r\n\r\nx");
    run(&[], b"/%0a%0D%1b%25%20", b"/%0A%0D%1B%25%20");
    run(&["--by-scheme"], b"http://h:80\nhttps://h:443/?q\n", b"http://h/\nhttps://h/?q\n");
    run(&["--escapes-only"], b"HTTP://H/a/../%7e", b"HTTP://H/a/../~");
    run(&["--sanitize"], b"/100%/%%34%31/%7e\n", b"/100%25/%2541/~\n");
    run(&["--sanitize", "--escapes-only"], b"A/../%zz", b"A/../%25zz");
    run(
        &["--base", "http://h/b/c?d"],
        b"../x\n?y\n\n#z\nmailto:a\n",
        b"http://h/x\nhttp://h/b/c?y\n\nhttp://h/b/c?d#z\nmailto:a\n",
    );
    run(&["-0"], b"/%7e\n\0/%41", b"/~\n\0/A");
    let log = b"1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /%7ea%0a/../b HTTP/1.1\" 200 1 \"HTTP://h/\" \"%7e\"\n";
    let normal = b"1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /b HTTP/1.1\" 200 1 \"http://h/\" \"%7e\"\n";
    run(&["--format", "combined"], log, normal);
    run(&["--format", "combined", "-f", "referrer"], log, &log.to_vec().as_slice().replace(b"HTTP://h", b"http://h"));
    run(&["--format", "ndjson", "-f", "/u"], b"{\"u\":\"/%7e\\u002f%41\"}\n", b"{\"u\":\"/~/A\"}\n");

    run(
        &["--sort-query"],
        b"?utm_source=email&id=42\n/?b=%7e&%61=1&a=0#b&a\n",
        b"?id=42&utm_source=email\n/?a=1&a=0&b=~#b&a\n",
    );
    run(&["--drop", "utm_*,fbclid"], b"/?b&a&utm_id=1&fbclid=x\n/?utm_id\n", b"/?b&a\n/\n");
    run(&["--sort-query", "--drop", "utm_*"], b"http://h/?b&UTM_a&a&utm_id=1\r\n", b"http://h/?UTM_a&a&b\r\n");
    run(&["--merge-slashes"], b"//h//a//../b//?x//y\na//b\n", b"//h/b/?x//y\na/b\n");
    let target = log.as_slice().replace(b"/%7ea%0a/../b", b"//a//b?z&y");
    let sorted = normal.as_slice().replace(b"/b HTTP", b"/a/b?y&z HTTP");
    run(&["--format", "combined", "--merge-slashes", "--sort-query"], &target, &sorted);
    run(
        &["--format", "w3c", "--sort-query", "--merge-slashes"],
        b"#Fields: cs-uri-query\nb=//&a\n",
        b"#Fields: cs-uri-query\na&b=//\n",
    );

    check_bad(
        &["normalize"],
        b"/%7e\n/100%\n\xFF%7e\n",
        b"/~\n/100%\n\xFF%7e\n",
        &["<stdin>:2: byte 9 (column 5): ", "<stdin>:3: byte 11 (column 1): ", "pct: <stdin>: ", "errors: 2;"],
    );
    check_bad(&["normalize", "--base", "http://h/"], b"a%\n", b"a%\n", &["<stdin>:1: byte 1 (column 2): "]);
    check_bad(&["normalize", "--on-error", "skip"], b"%\n/%7e\n%", b"/~\n", &["skipped"]);
    check_bad(&["normalize", "--on-error", "fail"], b"/%7e\n%\n/\n", b"/~\n", &["<stdin>:2: "]);
    check_bad(&["normalize", "--on-error", "fail", "--positions", "0"], b"\n%\n/\n", b"\n", &["<stdin>:2: "]);
    let ran = pct(["normalize"], b"%\n".repeat(9).as_slice());
    assert_eq!(ran.err.lines().count(), 6, "{}", ran.err);
    let ran = pct(["normalize", "--positions", "all"], b"%\n".repeat(9).as_slice());
    assert_eq!(ran.err.lines().count(), 10, "{}", ran.err);
    check_usage(&["normalize", "--base", "/a"], "a base needs a scheme");
    check_usage(&["normalize", "--base", "http://h/a b"], "byte 10");
    check_usage(&["normalize", "--format", "nope"], "no format has this name");
}

/// Replaces parts of byte strings.
trait Replace {
    fn replace(&self, from: &[u8], to: &[u8]) -> Vec<u8>;
}

impl Replace for &[u8] {
    fn replace(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = self.windows(from.len()).position(|window| window == from).unwrap();
        [&self[..at], to, &self[at + from.len()..]].concat()
    }
}

#[test]
fn iri_converts_in_both_directions() {
    check(&["iri"], b"/caf%c3%a9%2f%41%25\n", "/café%2fA%25\n".as_bytes());
    check(&["iri"], b"/%E2%80%AE%fc%0a%C2%85", b"/%E2%80%AE%FC%0a%C2%85");
    check(&["iri"], b"100%/%C3%A9", "100%/é".as_bytes());
    check(&["iri", "--host"], b"http://xn--rsum-bpad.org/%C3%A9\r\n", "http://résumé.org/é\r\n".as_bytes());
    check(&["iri", "--to-uri"], "/café%2F?é=\u{202E}\n".as_bytes(), b"/caf%C3%A9%2F?%C3%A9=%E2%80%AE\n");
    check(&["iri", "--to-uri", "--host"], "http://résumé.org/é".as_bytes(), b"http://xn--rsum-bpad.org/%C3%A9");
    check(&["iri", "--to-uri", "--legacy"], "a b/{é}%20\n".as_bytes(), b"a%20b/%7B%C3%A9%7D%20\n");
    let log = b"h - - [17/May/2015:10:05:03 +0000] \"GET /%C3%A9%22%20 HTTP/1.1\" 200 1 \"-\" \"-\"\n";
    check(
        &["iri", "--format", "combined"],
        log,
        "h - - [17/May/2015:10:05:03 +0000] \"GET /é%22%20 HTTP/1.1\" 200 1 \"-\" \"-\"\n".as_bytes(),
    );
    check_bad(
        &["iri", "--to-uri", "--host"],
        "é\nhttp://a_é/é\n".as_bytes(),
        "%C3%A9\nhttp://a_é/é\n".as_bytes(),
        &["<stdin>:2: byte 10 (column 8): this host has no ASCII form"],
    );
    check_bad(&["iri"], b"\xFF\n", b"\xFF\n", &["<stdin>:1: byte 0 (column 1): this is not UTF-8"]);
    check_usage(&["iri", "--legacy"], "--to-uri");
}

#[test]
fn escape_and_unescape_match_javascript() {
    check(&["escape"], "é€💩 +~@\n".as_bytes(), b"%E9%u20AC%uD83D%uDCA9%20+%7E@\n");
    check(&["escape"], b"a\xED\xA0\x80", b"a%uD800");
    check(&["escape", "--uri"], "/a b?c#[é]%".as_bytes(), b"/a%20b?c#%5B%C3%A9%5D%25");
    check(&["escape", "--component"], "it's 1+1/é\r\n".as_bytes(), b"it's%201%2B1%2F%C3%A9\r\n");
    check_bad(&["escape", "--uri"], b"a\xED\xA0\x80\n", b"a\xED\xA0\x80\n", &["<stdin>:1: byte 1 (column 2): "]);
    check_bad(&["escape"], b"a\xFF", b"a\xFF", &["byte 1 (column 2)"]);

    check(&["unescape"], b"%E9%u20AC%uD83D%uDCA9%U0041%u12%%41\n", "é€💩%U0041%u12%A\n".as_bytes());
    check(&["unescape"], b"%0a%u000A%1b%9B%u009b\t%09\n", b"%0A%0A%1B%9B%9B\t%09\n");
    check(&["unescape", "-0"], b"%0a%00\n\0%u0041", b"\n%00\n\0A");
    check(&["unescape", "--lossy"], b"a%uD83Db", "a\u{FFFD}b".as_bytes());
    check(&["unescape", "--uri"], b"%2f%41%C3%A9%25%0A%23\n", "%2fAé%%0A%23\n".as_bytes());
    check(&["unescape", "--component"], b"a%2Fb%20c%C3%A9\t%C2%9B\n", "a/b cé\t%C2%9B\n".as_bytes());
    check_bad(
        &["unescape"],
        b"a\na%uD83Db\n",
        b"a\na%uD83Db\n",
        &["<stdin>:2: byte 3 (column 2): this is a lone surrogate"],
    );
    check_bad(
        &["unescape", "--component"],
        b"%41\nab%zz\na\t%41%C0%80\n%4\n%41\n",
        b"A\nab%zz\na\t%41%C0%80\n%4\nA\n",
        &[
            "<stdin>:2: byte 6 (column 3): URIError: two hexadecimal digits must follow",
            "<stdin>:3: byte 15 (column 6): URIError: these escapes are not UTF-8",
            "<stdin>:4: byte 22 (column 1): URIError: this escape is cut off",
            "errors: 3;",
        ],
    );
    check_bad(&["unescape", "--uri", "--on-error", "fail"], b"%41\n%FF\n%41\n", b"A\n", &["<stdin>:2: "]);
    check_usage(&["unescape", "--uri", "--component"], "cannot be used with");
    check_usage(&["unescape", "--uri", "--lossy"], "cannot be used with");
}

#[test]
fn unescape_reverses_escape() {
    let text = "a b\u{85}é€💩%41%u0041/?#[]~!*'()\n100%\n";
    for which in [&[][..], &["--component"]] {
        let escaped = output([&["escape"], which].concat(), text.as_bytes());
        let back = output([&["unescape"], which].concat(), &escaped);
        // Unescaping restores all characters except the control U+0085, which stays escaped.
        let expected = text.replace('\u{85}', if which.is_empty() { "%85" } else { "%C2%85" });
        assert_eq!(String::from_utf8(back).unwrap(), expected);
    }
}

#[test]
fn lint_finds_mistakes_and_remedies() {
    let input = "/fine%2F?x=y#z\n/a b\r\né%7e%2f%2541%zz\n\n%".as_bytes();
    let expected = "\
<stdin>:2:3: illegal: ` `: percent-encode it
<stdin>:3:1: illegal: `é`: percent-encode it
<stdin>:3:3: over-encoded: `%7e`: write `~`
<stdin>:3:6: lower-case: `%2f`: write `%2F`
<stdin>:3:9: double-encoded: `%2541`: if it was encoded twice, write `%41`
<stdin>:3:14: malformed: `%zz`: write `%25` for a literal `%`
<stdin>:5:1: malformed: `%`: write `%25` for a literal `%`
";
    let ran = pct(["lint"], input);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    assert_eq!(String::from_utf8(ran.out).unwrap(), expected);
    let ran = pct(["lint", "--quiet"], input);
    assert_eq!((ran.code, ran.out.len(), ran.err.len()), (Some(1), 0, 0));
    let ran = pct(["lint", "--count"], input);
    let counts = "        2 malformed\n        1 double-encoded\n        1 over-encoded\n        1 lower-case\n        2 illegal\n        0 password\n        0 bidi\n";
    assert_eq!(ran.code, Some(1));
    assert!(String::from_utf8(ran.out).unwrap().starts_with(counts));
    let ran = pct(["lint", "--json"], input);
    assert_eq!(ran.code, Some(1));
    let found: Vec<serde_json::Value> =
        String::from_utf8(ran.out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), 7);
    assert_eq!(
        found[4],
        serde_json::json!({
            "file": "<stdin>", "line": 3, "column": 9, "offset": 29, "length": 5, "kind": "double-encoded",
            "text": "%2541", "remedy": "if it was encoded twice, write `%41`",
        })
    );
    check(&["lint"], b"/a%2F\n\nhttp://h/?q#f\r\n", b"");
    check(&["lint"], b"", b"");
    check(&["lint", "--ignore", "malformed,illegal,over-encoded,lower-case,double-encoded"], input, b"");
    check(&["lint", "-0"], b"/a\0/b\0", b"");
    check_bad(&["lint", "--ignore", "illegal"], b"/ %7E\n", b"<stdin>:1:3: over-encoded: `%7E`: write `~`\n", &[]);
    check_bad(
        &["lint", "--format", "combined"],
        b"h - - [17/May/2015:10:05:03 +0000] \"GET /%7e HTTP/1.1\" 200 1 \"-\" \"a b\"\n",
        b"<stdin>:1:42: over-encoded: `%7e`: write `~`\n",
        &[],
    );
    // `lint` escapes the text of a finding, so that this text can't control a terminal.
    let ran = pct(["lint"], b"\x1B[31m\xC2\x9B\0\xE2\x80\xAE\n\xFF\n");
    let text = String::from_utf8(ran.out).unwrap();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202E}'), "{text:?}");
    check_usage(&["lint", "--ignore", "nope"], "invalid value");
    check_usage(&["lint", "--json", "--quiet"], "cannot be used with");
}

/// Many lines are checked at once, and a long line is checked in pieces. A finding must not get lost in either case.
#[test]
fn lint_finds_text_that_misleads() {
    let findings = [
        ("/a%E2%80%AEb", "3: bidi: `%E2%80%AE`: readers see the text after it in another order; remove it"),
        ("/a%E2%80%8Bb", "3: invisible: `%E2%80%8B`: readers do not see it; remove it"),
        ("/%C0%AF", "2: overlong: `%C0%AF`: it is not UTF-8, but some programs decode it; refuse it"),
        ("/%C3%83%C2%A9", "2: mojibake: `%C3%83%C2%A9`: encode the original text once"),
        ("/%EF%BC%8F", "2: look-alike: `%EF%BC%8F`: it is not the slash that it looks like; remove it"),
        ("http://google.com@h/", "8: host-in-userinfo: `google.com`: the host comes after the last `@`"),
        ("http://0x7f.1/", "8: odd-ipv4: `0x7f.1`: write an IPv4 address as four decimal numbers"),
        (
            "http://a%2F.h.example/",
            "8: host-delimiter: `a%2F.h.example`: programs disagree about where this host ends; refuse it",
        ),
        (
            "http://xn--pypal-4ve.com/",
            "8: mixed-script: `xn--pypal-4ve.com`: it mixes scripts; compare it with the name that you expect",
        ),
        (
            "//xn--80ak6aa92e.com",
            "3: confusable: `xn--80ak6aa92e.com`: it looks like another name; compare it with the name that you expect",
        ),
    ];
    for (line, finding) in findings {
        let fine = "http://h.org/x%C3%A9%E2%80%94%2F?u=http://127.0.0.1\n".repeat(30);
        let input = format!("{fine}{line}\n{fine}");
        check_bad(&["lint"], input.as_bytes(), format!("<stdin>:31:{finding}\n").as_bytes(), &[]);
        check(&["lint"], fine.as_bytes(), b"");
    }
    let noise = "%zz".repeat(500);
    let ran = pct(["lint", "--ignore", "malformed"], format!("{noise}\u{202E}{noise}\n").as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap().lines().count(), 1);
    // A line of many pieces. Its length isn't a multiple of the size of a piece.
    let long = "/abc?http://google.com@h/".repeat(400_000);
    let ran = pct(["lint", "--count"], long.as_bytes());
    assert!(String::from_utf8(ran.out).unwrap().contains("   400000 host-in-userinfo\n"));
}

#[test]
fn repair_repairs_links() {
    check(
        &["repair"],
        " <http://h/a b/é%?x=[1]&amp;y=2>\r\n/ok\n".as_bytes(),
        b"http://h/a%20b/%C3%A9%25?x=%5B1%5D&y=2\r\n/ok\n",
    );
    check(&["repair"], b"http:\\\\h\\a\n\n/%u4E2D\n", b"http://h/a\n\n/%E4%B8%AD\n");
    check(&["repair", "--without", "space,idn"], "http://é/a b|\n".as_bytes(), "http://é/a b%7C\n".as_bytes());
    check(&["repair", "-0"], b"http://h/a\n b\0/c d\0", b"http://h/ab\0/c%20d\0");
    check(
        &["repair"],
        "(http://h/a_(b)).\n'http://h/'\n“http://h/”,\n<http://h/>;\nhttp://h/a_(b).\n".as_bytes(),
        b"http://h/a_(b)\nhttp://h/\nhttp://h/\nhttp://h/\nhttp://h/a_(b).\n",
    );
    check(&["repair", "--without", "punctuation"], b"(http://h/)\n", b"(http://h/)\n");
    check_bad(
        &["repair", "--list"],
        b"/a b\n/ok\n/%\n",
        b"<stdin>:1:3: space: ` `: a URI contains no space\n<stdin>:3:2: percent: `%`: two hexadecimal digits must follow a `%`\n",
        &[],
    );
    check(&["repair", "--list"], b"/ok\n", b"");
    let reason = "it is not UTF-8, so its line is not repaired";
    let line = format!("<stdin>:2:3: not-utf-8: `\u{fffd}`: {reason}\n");
    check_bad(&["repair", "--list"], b"/ok\n/a\xFF b\n", line.as_bytes(), &[]);
    // A target has no host.
    check(
        &["repair", "--format", "combined"],
        b"h - - [17/May/2015:10:05:03 +0000] \"GET //a|b/[1]?d=% HTTP/1.1\" 200 1 \"-\" \"a b\"\n",
        b"h - - [17/May/2015:10:05:03 +0000] \"GET //a%7Cb/%5B1%5D?d=%25 HTTP/1.1\" 200 1 \"-\" \"a b\"\n",
    );
    check_bad(&["repair"], b"\xFF\n", b"\xFF\n", &["<stdin>:1: byte 0 (column 1): this is not UTF-8"]);
    check_usage(&["repair", "--without", "nope"], "the kinds are surroundings");
    check_usage(&["repair", "--json"], "--list");
}

#[test]
fn lint_names_each_file() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good", b"/\n"), folder.file("bad", b"/\n/%7E\n"));
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    let ran = pct(["lint", good, bad, bad], b"");
    let line = format!("{bad}:2:2: over-encoded: `%7E`: write `~`\n");
    assert_eq!((ran.code, String::from_utf8(ran.out).unwrap()), (Some(1), line.repeat(2)));
    let ran = pct(["lint", good, "nowhere"], b"");
    assert_eq!((ran.code, ran.out.len()), (Some(2), 0));
    let packed = folder.path("out.gz");
    let ran = pct(["lint", bad, "-o", packed.to_str().unwrap()], b"");
    assert_eq!((ran.code, ran.out.len()), (Some(1), 0));
    let unpacked = output(["decode", packed.to_str().unwrap()], b"");
    assert_eq!(String::from_utf8(unpacked).unwrap(), line.replace("%7E", "~"));
}

#[test]
fn form_splits_into_pairs() {
    check(&["form"], b"q=caf%C3%A9+1&tag=a%26b&&x&=y\n", "q\tcafé 1\ntag\ta&b\nx\t\n\ty\n\n".as_bytes());
    check(&["form"], b"a=1\n\nb=2", b"a\t1\n\n\nb\t2\n");
    check(&["form"], b"a=1\r\nb=2\r\n", b"a\t1\n\r\nb\t2\n\r\n");
    check(&["form"], b"", b"");
    check(
        &["form"],
        b"a=%09%0a%0D%00%1b%5c%25%FF%C2%9B\t\\%zz\x1B",
        b"a\t%09%0A%0D%00%1B%5C%25%FF%C2%9B%09%5C%25zz%1B\n",
    );
    check(&["form"], b"%%34%31=%\n", b"%2541\t%25\n\n");
    check(&["form", "-0"], b"a=1&b\0c=\n\0", b"a\t1\nb\t\n\0c\t%0A\n\0");
    check(&["form", "--semicolons"], b"a=1;b=2&c\n", b"a\t1\nb\t2\nc\t\n\n");
    check(&["form", "--url"], b"http://h/?a=1#b=2\nhttp://h/a=1\n?b\n", b"a\t1\n\n\nb\t\n\n");
    check(&["form", "--charset", "sjis"], b"q=%95%5C+%8E%A6\n", "q\t表 示\n\n".as_bytes());
    check(&["form", "--utf8-or", "latin1"], b"a=%E9&b=%C3%A9\n", "a\té\nb\té\n\n".as_bytes());
    check(&["form", "--limit", "2"], b"a&b&\n\n", b"a\t\nb\t\n\n\n");

    check_bad(
        &["form", "--limit", "2"],
        b"a=1&b=2\na=1&b=2&c=3\nd\n",
        b"a\t1\nb\t2\n\nd\t\n\n",
        &["<stdin>:2: byte 16 (column 9): this pair exceeds the --limit of 2", "skipped"],
    );
    check_bad(
        &["form", "--reject", "%00"],
        b"q=foo%00\nq=%2500\nq\0=1\n",
        b"q\t%2500\n\n",
        &[
            "<stdin>:1: byte 5 (column 6): this is the character %00, which --reject refuses",
            "<stdin>:3: byte 18 (column 2)",
        ],
    );
    check_bad(
        &["form", "--strict"],
        b"a=1&b=%4&c\na=%FF\na=%00\n",
        b"a\t%00\n\n",
        &[
            "<stdin>:1: byte 6 (column 7): ",
            "<stdin>:2: byte 13 (column 3): from here on, the decoded bytes are not UTF-8",
        ],
    );
    check_bad(&["form", "--strict", "--url"], b"/?a=%\n", b"", &["<stdin>:1: byte 4 (column 5): "]);
    check_bad(&["form", "--strict", "--charset", "sjis"], b"a=%FD\n", b"", &["<stdin>:1: byte 2 (column 3): "]);
    check_bad(&["form", "--strict", "--on-error", "fail"], b"a\n%\nb\n", b"a\t\n\n", &["<stdin>:2: "]);
    check_usage(&["form", "--on-error", "keep"], "cannot be kept");
    check_usage(&["form", "--object"], "--json");
    check_usage(&["form", "--encode", "--utf8-or", "sjis"], "cannot be used with");
}

#[test]
fn form_splits_into_json() {
    check(
        &["form", "--json"],
        b"q=caf%C3%A9&a=%09%00%FF%22\\&q\n\n",
        "[[\"q\",\"café\"],[\"a\",\"\\t\\u0000\u{FFFD}\\\"\\\\\"],[\"q\",\"\"]]\n[]\n".as_bytes(),
    );
    check(
        &["form", "--json"],
        b"a=%7F%C2%9B%E2%80%AE%7Fb%E2%80%9C",
        "[[\"a\",\"\\u007f\\u009b\\u202e\\u007fb“\"]]".as_bytes(),
    );
    check(
        &["form", "--json", "--object"],
        b"z=1&a=2&z=3&z=4&%00=&__proto__=x\n",
        b"{\"z\":[\"1\",\"3\",\"4\"],\"a\":\"2\",\"\\u0000\":\"\",\"__proto__\":\"x\"}\n",
    );
    check(&["form", "--json", "--object"], b"%FF=1&%FE=2", "{\"\u{FFFD}\":[\"1\",\"2\"]}".as_bytes());
    check_bad(&["form", "--json", "--strict"], b"%\na=1\n", b"[[\"a\",\"1\"]]\n", &["<stdin>:1: byte 0 (column 1)"]);
}

/// The table of `form::Brackets`.
#[test]
fn form_reads_and_writes_brackets() {
    let nested = |dialect, more: &[&'static str]| [&["form", "--json", "--nested", dialect], more].concat();
    check(
        &nested("php", &[]),
        b"a[b][]=c&a%5Bb%5D%5B%5D=d&x=%E2%82%AC+1\no[9][n]=x&o[2][n]=y\na=1&a=2\n\n__proto__[x]=%00\n",
        "{\"a\":{\"b\":[\"c\",\"d\"]},\"x\":\"€ 1\"}\n{\"o\":[{\"n\":\"y\"},{\"n\":\"x\"}]}\n{\"a\":\"2\"}\n{}\n\
         {\"__proto__\":{\"x\":\"\\u0000\"}}\n"
            .as_bytes(),
    );
    check(&nested("php", &[]), b"a[][b]=1&a[][c]=2\n", b"{\"a\":[{\"b\":\"1\"},{\"c\":\"2\"}]}\n");
    check(&nested("rails", &[]), b"a[][b]=1&a[][c]=2\n", b"{\"a\":[{\"b\":\"1\",\"c\":\"2\"}]}\n");
    check(
        &nested("php", &["--url", "--semicolons"]),
        b"/?a[b]=1;a[c]=2#a[d]\n",
        b"{\"a\":{\"b\":\"1\",\"c\":\"2\"}}\n",
    );
    check_bad(
        &nested("serde_qs", &["--url"]),
        b"/?x=1&a[][b]=1\n/?a=1\n",
        b"{\"a\":\"1\"}\n",
        &["<stdin>:1: byte 6 (column 7): field `a[][b]`: `[]` must be at the end of the name"],
    );
    let deep = format!("a{}=1\n", "[b]".repeat(65));
    check_bad(&nested("php", &[]), deep.as_bytes(), b"", &["the name has more brackets than the limit"]);
    check(&nested("php", &[]), b"a[%FF]=%FE\n", "{\"a\":{\"\u{FFFD}\":\"\u{FFFD}\"}}\n".as_bytes());
    check_bad(&nested("php", &[]), b"%FF=1&%FE=2\n", b"", &["two names that are not UTF-8"]);
    check_bad(&nested("php", &["--strict"]), b"a[b]=%FF\na=%\n", b"", &["<stdin>:1: byte 5", "<stdin>:2: byte 11"]);
    check_bad(&nested("php", &["--limit", "1"]), b"a[b]=1&a[c]=2\n", b"", &["byte 7 (column 8): this pair exceeds"]);
    check_bad(&nested("php", &["--reject", "%00"]), b"a[b]=%00\n", b"", &["byte 5 (column 6)"]);

    // Numbers keep their text.
    let json = "{\"b\":{\"y\":[\"é&\",1.50,1e400],\"x\":[{\"z\":true}]},\"a\":\"\",\"e\":{}}\n\n".as_bytes();
    let plain = |dialect| [&nested(dialect, &["--encode"])[..], &["--percent-spaces"]].concat();
    check(
        &plain("php"),
        json,
        b"b%5By%5D%5B0%5D=%C3%A9%26&b%5By%5D%5B1%5D=1.50&b%5By%5D%5B2%5D=1e400&b%5Bx%5D%5B0%5D%5Bz%5D=true&a=\n\n",
    );
    check(
        &plain("rails"),
        json,
        b"b%5By%5D%5B%5D=%C3%A9%26&b%5By%5D%5B%5D=1.50&b%5By%5D%5B%5D=1e400&b%5Bx%5D%5B0%5D%5Bz%5D=true&a=\n\n",
    );
    for dialect in ["php", "rails", "serde_qs"] {
        let text = "{\"b\":{\"y\":[\"é&\",\"1\"],\"x y\":[{\"z\":\"\"},{\"z\":\"=\"}]},\"a\":\"+\"}\n";
        let form = output(nested(dialect, &["--encode"]), text.as_bytes());
        check(&nested(dialect, &[]), &form, text.as_bytes());
    }
    let deep = format!("{}1{}\n", "{\"a\":".repeat(66), "}".repeat(66));
    let deepest = format!("{}1{}\n", "[".repeat(100_000), "]".repeat(100_000));
    check_bad(
        &nested("php", &["--encode"]),
        [deep.as_bytes(), deepest.as_bytes(), b"{\"a\":null}\n[]\n{\"a\":\n{\"a[\":1}\n{\"a\":{\"\":1}}\n"]
            .concat()
            .as_slice(),
        b"",
        &[
            "<stdin>:1: ", "nested", "<stdin>:2: ", "<stdin>:3: byte ", "null", "<stdin>:4: ", "<stdin>:5: ",
            "errors: 7;",
        ],
    );
    check_bad(
        &nested("php", &["--encode", "--limit", "1"]),
        b"{\"a\":[1,2]}\n{\"a\":[1]}\n{}\n",
        b"a%5B0%5D=1\n\n",
        &["--limit of 1"],
    );
    check_usage(&["form", "--nested", "php"], "--json");
    check_usage(&["form", "--json", "--nested", "perl"], "serde_qs");
    check_usage(&nested("php", &["--object"]), "cannot be used with");
    check_usage(&nested("php", &["--charset", "sjis"]), "cannot be used with");
}

#[test]
fn form_joins_pairs() {
    check(
        &["form", "--encode"],
        "q\tcafé 1\nflag\n\tx\n\na\t%09%25%FF100%\n".as_bytes(),
        b"q=caf%C3%A9+1&flag&=x\na=%09%25%FF100%25\n",
    );
    check(&["form", "--encode"], b"a\t1\r\nb\t2\r\n\r\nc\t3\r\n", b"a=1&b=2\r\nc=3\n");
    check(&["form", "--encode"], b"\n\na\tb\tc\n\n", b"\n\na=b%09c\n");
    check(&["form", "--encode"], b"a\tb", b"a=b");
    check(&["form", "--encode"], b"", b"");
    check(&["form", "--encode", "-0"], b"a\t1\nb\t\0c\t\n\0", b"a=1&b=\0c=\0");
    check(&["form", "--encode", "--percent-spaces", "--semicolons"], b"a\t1 2\nb\t;\n", b"a=1%202;b=%3B\n");
    check(&["form", "--encode", "--charset", "sjis"], "q\t表\n".as_bytes(), b"q=%95%5C\n");
    check(&["form", "--encode", "--charset", "sjis", "--references"], "q\té\n".as_bytes(), b"q=%26%23233%3B\n");
    check(
        &["form", "--encode", "--json"],
        "{\"z\":[1,true,null],\"a\":\"é&\"}\n[[\"n\"],[\"m\",null],[\"k\",\"v\"]]\n\n[]".as_bytes(),
        b"z=1&z=true&z&a=%C3%A9%26\nn&m&k=v\n\n",
    );
    // A number keeps its text, because a float would round it (RFC 8259 6).
    check(
        &["form", "--encode", "--json"],
        b"{\"a\":12345678901234567890123,\"b\":[1e400,-0, 1.0 ],\"c\":0.1000000000000000000001}\n[[\"d\",1E+2]]\n",
        b"a=12345678901234567890123&b=1e400&b=-0&b=1.0&c=0.1000000000000000000001\nd=1E%2B2\n",
    );
    check_bad(
        &["form", "--encode", "--json"],
        b"{\"a\":{}}\n[1]\n{\n[[1,2]]\n[[]]\n[[\"a\",\"b\",\"c\"]]\n\"x\"\n\xFF\n[[\"a\",\"b\"]]\n",
        b"a=b\n",
        &["<stdin>:1: ", "<stdin>:2: ", "<stdin>:3: ", "errors: 8;"],
    );
    let deep = [b"[".repeat(100_000), b"\n".to_vec()].concat();
    check_bad(&["form", "--encode", "--json"], &deep, b"", &["<stdin>:1: "]);
    check_bad(&["form", "--encode", "--limit", "1"], b"a\nb\n\nc\n\n", b"c\n", &["<stdin>:2: byte 2 (column 1)"]);
    check_bad(
        &["form", "--encode", "--charset", "sjis"],
        "a\nq\té\n\nb\n".as_bytes(),
        b"b\n",
        &["<stdin>:2: byte 2 (column 1): U+00E9 is not in Shift_JIS"],
    );
    check_usage(&["form", "--percent-spaces"], "--encode");
    check_usage(&["form", "--encode", "--references"], "--charset");
}

#[test]
fn encode_restores_forms_from_lines_and_json() {
    let forms = b"q=caf%C3%A9+1&tag=a%26b&tag=c%09%0A%5C%25&x=\n\na=1\n";
    let lines = output(["form"], forms);
    assert_eq!(output(["form", "--encode"], &lines).escape_ascii().to_string(), forms.escape_ascii().to_string());
    for shape in [&[][..], &["--object"]] {
        let json = output([&["form", "--json"], shape].concat(), forms);
        assert_eq!(
            output(["form", "--encode", "--json"], &json).escape_ascii().to_string(),
            forms.escape_ascii().to_string()
        );
    }
    // This input is longer than one block, so several threads process it.
    let many = forms.repeat(40_000);
    let lines = output(["form", "-j", "3"], &many);
    assert!(output(["form", "--encode", "-j", "3"], &lines) == many);
}

#[test]
fn decode_reads_charsets() {
    let sjis: &[&str] = &["decode", "--charset", "sjis"];
    check(sjis, b"%95%5C%95\\%8E%A6 \x95\\\n", "表表示 表\n".as_bytes());
    check(sjis, b"%0A%1b%25\t%2541\r\n", b"%0A%1B%\t%41\r\n");
    check(&["decode", "--charset", "sjis", "-0"], b"%0a%00\n\0%41", b"\n%00\n\0A");
    check(&["decode", "--charset", "CP1251", "--plus"], b"%E0+%2B", "а +".as_bytes());
    check(&["decode", "--charset", "cp1251", "--plus=after-query"], b"+%E0?+\t+\n+", "+а? \t \n+".as_bytes());
    check(&["decode", "--charset", "iso-2022-jp"], b"%1B$BF|K\\%1B(B\n", "日本\n".as_bytes());
    check(&["decode", "--charset", "utf-16be"], b"%00A%30%42%00%0A", "Aあ%0A".as_bytes());
    check(&["decode", "--charset", "latin1"], b"%80", "€".as_bytes());
    check(&["decode", "--charset", "iana:latin1"], b"%80%E9", "%C2%80é".as_bytes());
    check(&["decode", "--charset", "cp1255"], b"%FE%E0", "%E2%80%8Fא".as_bytes());
    check(&["decode", "--charset", "cp1251", "--repeat", "2"], b"%25E0%250A%0A\n", "а%0A%0A\n".as_bytes());
    check(&["decode", "--charset", "cp1251", "--keep", "%/+"], b"%E0%2541%2F/+%2B\n", "а%2541%2F/+%2B\n".as_bytes());
    check(&["decode", "--utf8-or", "cp1251"], b"%D0%B0\n%E0\n%41\n", "а\nа\nA\n".as_bytes());
    check(&["decode", "--charset", "sjis", "--part", "path"], b"/%95%5C?%95%5C", "/表?%95%5C".as_bytes());
    check(
        &["decode", "--charset", "cp1251", "--format", "combined"],
        b"h - - [17/May/2015:10:05:03 +0000] \"GET /%E0%22%20?a HTTP/1.1\" 200 1 \"-\" \"%E0\"\n",
        "h - - [17/May/2015:10:05:03 +0000] \"GET /а%22%20?a HTTP/1.1\" 200 1 \"-\" \"%E0\"\n".as_bytes(),
    );
    check(&["decode", "--charset", "sjis", "--on-utf8=replace"], b"a%FDb", "a\u{FFFD}b".as_bytes());
    check_bad(sjis, b"%41\n%41%FD\n", b"A\n%41%FD\n", &["<stdin>:2: byte 7 (column 4): ", "not in the charset"]);
    check_bad(&["decode", "--utf8-or", "iana:us-ascii"], b"%C3%A9%FF\n", b"%C3%A9%FF\n", &["byte 0 (column 1)"]);
    check_bad(&["decode", "--charset", "sjis", "--on-utf8=skip"], b"%FD\n%41\n", b"A\n", &["skipped"]);
    check_bad(&["decode", "--charset", "sjis", "--on-utf8=fail"], b"%41\n%FD\n%41\n", b"A\n", &["<stdin>:2: "]);
    check_bad(&["decode", "--charset", "sjis", "--strict"], b"%41\n%zz\n%41\n", b"A\n", &["<stdin>:2: "]);
    for (args, told) in [
        (&["--charset", "nope"][..], "`pct charsets` lists all"),
        (&["--charset", "sjis", "--utf8-or", "sjis"], "cannot be used with"),
        (&["--charset", "sjis", "--raw"], "leave out --raw"),
        (&["--charset", "sjis", "--check"], "leave out the charset"),
        (&["--charset", "sjis", "--normalize"], "leave out the charset"),
        (&["--charset", "sjis", "--on-error=replace"], "keep, skip or fail"),
        (&["--charset", "sjis", "--on-utf8=raw"], "keep, replace, skip or fail"),
    ] {
        check_usage(&[&["decode"], args].concat(), told);
    }
}

#[test]
fn encode_stops_at_a_malformed_escape() {
    for options in [&[][..], &["--keep-escapes"], &["--format", "text"], &["--part", "path"]] {
        check_bad(&[&["encode", "--on-error=fail"], options].concat(), b"a\n%zz\nb\n", b"a\n", &["<stdin>:2: "]);
    }
    check_bad(&["encode", "--on-error=fail", "--raw"], b"a\n%zz\nb\n", b"", &["<stdin>:2: "]);
}

#[test]
fn encode_writes_charsets() {
    check(&["encode", "--charset", "sjis"], "表 \r\n\\\n".as_bytes(), b"%95%5C%20\r\n%5C\n");
    check(&["encode", "--charset", "sjis"], b"a\rb", b"a%0Db");
    check(&["encode", "--charset", "utf-16be"], "A/あ".as_bytes(), b"%00A%00%2F0B");
    check(&["encode", "--charset", "cp1251", "--set", "WHATWG_FORM"], "а б".as_bytes(), b"%E0+%E1");
    check(&["encode", "--charset", "latin1", "--references"], "€é表\n".as_bytes(), b"%80%E9%26%2334920%3B\n");
    check(&["encode", "--charset", "iana:us-ascii", "--references", "--allow", "&#;"], "é".as_bytes(), b"&#233;");
    check_bad(
        &["encode", "--charset", "sjis"],
        "a b\n表é\nc\n".as_bytes(),
        b"a%20b\n",
        &["<stdin>:2: byte 7 (column 4): U+00E9 is not in Shift_JIS; choose another charset, or use --references"],
    );
    check_bad(&["encode", "--charset", "sjis", "--on-error=skip"], "é\n表\n".as_bytes(), b"%95%5C\n", &["skipped"]);
    check_bad(&["encode", "--charset", "sjis"], b"\xFF\n", b"", &["this is not UTF-8"]);
    check_usage(&["encode", "--charset", "sjis", "--on-error=keep"], "skip or fail");
    check_usage(&["encode", "--charset", "sjis", "--raw"], "leave out --raw");
    check_usage(&["encode", "--references"], "--charset");
}

#[test]
fn every_listed_charset_can_be_used() {
    let list = String::from_utf8(output(["charsets"], b"")).unwrap();
    let names: Vec<_> = list.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    // The list has all charsets of the Encoding Standard 4.2, and more. Two names of IANA's registry mean other charsets in the
    // Encoding Standard, so the list shows them with the prefix `iana:`.
    assert_eq!(names.len(), Charset::all().count(), "{list}");
    let registry: Vec<_> = names.iter().filter(|name| name.starts_with("iana:")).collect();
    assert_eq!(registry, [&"iana:US-ASCII", &"iana:ISO-8859-1"]);
    for name in names.into_iter().filter(|&name| name != "replacement") {
        let there = output(["encode", "--charset", name], b"A");
        check(&["decode", "--charset", name], &there, b"A");
    }
    check_bad(&["decode", "--charset", "replacement"], b"A\n\n", b"A\n\n", &["<stdin>:1: "]);
}

#[test]
fn verbs_read_files_and_write_files() {
    let folder = Folder::new();
    let (one, two) = (folder.file("one", b"/%7e\n"), folder.file("two", b"/%41"));
    let out = folder.path("out");
    check(&["normalize", one.to_str().unwrap(), "-", two.to_str().unwrap()], b"/%42\n", b"/~\n/B\n/A");
    check(&["normalize", one.to_str().unwrap(), "-o", out.to_str().unwrap()], b"", b"");
    assert_eq!(std::fs::read(&out).unwrap(), b"/~\n");
    let packed = folder.path("out.zst");
    check(&["escape", one.to_str().unwrap(), "-o", packed.to_str().unwrap()], b"", b"");
    check(&["unescape", packed.to_str().unwrap()], b"", b"/%7e\n");
    let ran = pct(["iri", "nowhere", one.to_str().unwrap()], b"");
    assert_eq!((ran.code, ran.out.as_slice()), (Some(2), &b"/~\n"[..]));
    assert!(ran.err.contains("cannot open nowhere"), "{}", ran.err);
}

/// Tests that unescaped bytes stay as they are, including bytes like `[` and `"`, whose escapes aren't decoded.
#[test]
fn unescaped_bytes_of_a_record_stay() {
    let text = b"see [x] \"y\": a=1 {|}^` %41%5B%22\n";
    for args in [
        &["decode", "--charset", "latin1"][..],
        &["decode", "--charset", "sjis"],
        &["decode", "--utf8-or", "windows-1251"],
        &["unescape"],
        &["unescape", "--component"],
    ] {
        check(&[args, &["--format", "text"]].concat(), text, b"see [x] \"y\": a=1 {|}^` A%5B%22\n");
    }
    // In Shift_JIS, `[` and `\` can be the last byte of a character. There, they are no delimiters, escaped or not.
    check(&["decode", "--charset", "sjis", "--format", "text"], b"%83%5B%83[[%5B\n", "ゼゼ[%5B\n".as_bytes());
}

/// Tests that `pct` fails if the reader of its report is gone: it doesn't finish the work, and the file stays as it
/// was.
#[test]
fn a_closed_report_is_an_error() {
    let folder = Folder::new();
    let text = b"/%41/%zz\n".repeat(100_000);
    let (file, out) = (folder.file("urls", &text), folder.path("out"));
    let (file, to) = (file.to_str().unwrap(), out.to_str().unwrap());
    for place in [&["--in-place"][..], &["-o", to], &["--check"]] {
        let args = [&["decode", "--report", "--positions", "all", file][..], place].concat();
        let mut child = command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        // A report of `--check` goes to standard output, so the closed standard error is no error here.
        let expected = if place == ["--check"] { 1 } else { 2 };
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{place:?}");
    }
    assert!(std::fs::read(file).unwrap() == text && !out.exists());
}

#[test]
fn a_closed_output_is_no_error() {
    for args in [&["normalize"][..], &["form"], &["lint"], &["unescape"], &["decode", "--charset", "sjis"]] {
        let mut child = command(args).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let lines = b"/%7e%41=%c3%a9\n".repeat(10_000);
            while stdin.write_all(&lines).is_ok() {}
        });
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 10]).unwrap();
        drop(out);
        writer.join().unwrap();
        let ran = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(ran.stderr).unwrap(), "", "{args:?}");
        // The exit status is 1 if the lines that `pct` had read so far contained findings. Otherwise it is 0.
        assert!(matches!(ran.status.code(), Some(0 | 1)), "{args:?}: {}", ran.status);
    }
}

#[test]
fn lines_are_processed_as_soon_as_they_arrive() {
    let mut child = command(["normalize"]).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for _ in 0..3 {
        stdin.write_all(b"/%7e\n").unwrap();
        let mut line = [0; 3];
        stdout.read_exact(&mut line).unwrap();
        assert_eq!(&line, b"/~\n");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn page_prints_the_page_that_was_built_in() {
    match option_env!("PCT_PAGE") {
        Some(path) => assert!(output(["page"], b"") == std::fs::read(path).unwrap(), "another page than {path}"),
        None => check_usage(&["page"], "web/scripts/build, then PCT_PAGE="),
    }
}

#[test]
fn texts_of_the_command_line_are_processed() {
    assert_eq!(output(["encode", "--text", "hello world"], b""), b"hello%20world\n");
    assert_eq!(output(["encode", "--text", "a\nb\n"], b""), b"a%0Ab%0A\n");
    assert_eq!(output(["encode", "--text", "a", "", "é"], b""), b"a\n\n%C3%A9\n");
    assert_eq!(output(["encode", "--charset", "latin1", "--text", "é"], b""), b"%E9\n");
    assert_eq!(output(["decode", "--plus", "--text", "caf%C3%A9+%0A"], b""), "café %0A\n".as_bytes());
    assert_eq!(output(["decode", "-0", "--text", "%0A"], b""), b"\n\0");
    assert_eq!(output(["decode", "--raw", "--text", "%0A"], b""), b"\n");
    let ran = pct(["decode", "--strict", "--text", "%zz"], b"");
    assert!(ran.code == Some(1) && ran.err.starts_with("<text>:1: byte 0"), "{}", ran.err);
    // If no file has the given name, and the name looks like text to convert, verbs that have the option `--text` print
    // a hint.
    for (args, hints) in [(["decode", "/no/%41"], true), (["encode", "no such"], true), (["encode", "/no/file"], false)]
    {
        let ran = pct(args, b"");
        assert!(ran.code == Some(2) && ran.err.contains("--text") == hints, "{args:?}: {}", ran.err);
    }
    let ran = pct(["iri", "/no/%41"], b"");
    assert!(ran.code == Some(2) && !ran.err.contains("--text"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn program_names_urlencode_and_urldecode_are_verbs() {
    let folder = Folder::new();
    for (name, args, input, expected) in [
        ("urlencode", &["a b", "é"][..], "", "a%20b\n%C3%A9\n"),
        ("urldecode", &["--plus", "a%20b+c"], "", "a b c\n"),
        ("urldecode", &[], "%41\n", "A\n"),
        ("urldecode", &["-"], "%41\n", "A\n"),
    ] {
        let link = folder.path(name);
        let _ = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pct"), &link);
        let ran = run_to_end(command_of(&link, args), input.as_bytes());
        assert_eq!((ran.code, ran.out), (Some(0), expected.as_bytes().to_vec()), "{name} {args:?}: {}", ran.err);
    }
}

#[test]
fn charsets_are_guessed() {
    let text = "Широка страна моя родная, много в ней лесов, полей и рек";
    let line = |charset: &str| {
        let bytes = Charset::for_label(charset).unwrap().encode(text).unwrap().into_owned();
        let escaped: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
        format!("/{escaped}\n")
    };
    for (charset, known_as) in [("windows-1251", "windows-1251"), ("koi8-r", "koi8-")] {
        let input = format!("{}{}", line(charset).repeat(3), line("utf-8"));
        let ran = pct(["decode", "--charset", "auto"], input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), format!("/{text}\n").repeat(4));
        let told = ran.err.to_ascii_lowercase();
        assert!(told.contains(known_as) && told.contains("3 lines") && told.contains("probably right"), "{}", ran.err);
        assert_eq!(pct(["decode", "-q", "--charset", "auto"], input.as_bytes()).err, "");
    }
    let ran = pct(["decode", "--charset", "auto"], b"/%C3%A9\n");
    assert_eq!((ran.out.as_slice(), ran.code), ("/é\n".as_bytes(), Some(0)));
    assert!(ran.err.contains("first 8 bytes are UTF-8"), "{}", ran.err);
}
