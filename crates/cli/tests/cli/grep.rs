//! Runs `pct grep` as a process.

use crate::{oracle, process};

use process::{Folder, output, pct};

const LOG: &[u8] =
    b"1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a/%2e%2E/admin?q=caf%C3%A9 HTTP/1.1\" 200 2 \"-\" \"x\"\n\
    1.1.1.2 - - [10/Oct/2000:13:55:37 -0700] \"GET /b HTTP/1.1\" 200 2 \"http://h/%61dmin\" \"admin\"\n\
    1.1.1.3 - - [10/Oct/2000:13:55:38 -0700] \"GET /c%252Fadmin HTTP/1.1\" 200 2 \"-\" \"admin\"\n\
    1.1.1.4 - - [10/Oct/2000:13:55:39 -0700] \"GET /d?a+b HTTP/1.1\" 200 2 \"-\" \"admin\"\n";

/// Returns the lines of `LOG` with these numbers.
fn lines(numbers: &[usize]) -> String {
    let all: Vec<&[u8]> = LOG.split_inclusive(|&byte| byte == b'\n').collect();
    numbers.iter().map(|&number| String::from_utf8_lossy(all[number - 1]).into_owned()).collect()
}

#[track_caller]
fn check(args: &[&str], input: &[u8], expected: &str, code: i32) {
    let ran = pct([&["grep"], args].concat(), input);
    let out = String::from_utf8(ran.out).unwrap();
    assert_eq!((out.as_str(), ran.code, ran.err.as_str()), (expected, Some(code), ""), "{args:?}");
}

/// A record of a HAR file or of the results of a search is an element of a document. `grep` and `unique` write it as a line of
/// NDJSON, so that the output can be read again.
#[test]
fn elements_of_a_document_become_lines() {
    let entries = [
        "{\n  \"request\": {\n    \"url\": \"http://h/%61\"},\r\n\t\"x\": \"a  \\\"\\n  b\"\n}",
        "{\"request\": {\"url\":\n\"http://h/a\"}}",
        "{\"request\":{\"url\":\"http://h/b\"}}",
    ];
    let lines = [
        "{\"request\": {\"url\": \"http://h/%61\"},\"x\": \"a  \\\"\\n  b\"}\n",
        "{\"request\": {\"url\":\"http://h/a\"}}\n",
        "{\"request\":{\"url\":\"http://h/b\"}}\n",
    ];
    let har = format!("{{\"log\": {{\"creator\": {{}},\n\"entries\": [\n{}\n]\n}}}}\n", entries.join(",\n  "));
    let all = lines.concat();
    for (args, expected) in [
        (&["grep", "h"][..], all.clone()),
        (&["grep", "-v", "/a"], lines[2].into()),
        (&["grep", "-d", "/a"], [lines[0], lines[1]].concat().replace("%61", "a")),
        (&["unique"], [lines[0], lines[2]].concat()),
    ] {
        let out = output([args, &["--format", "har"]].concat(), har.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{args:?}");
    }
    let search = har.replace("log", "hits").replace("entries", "hits").replace("request", "_source");
    let out = output(["unique", "--format", "elasticsearch"], search.as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), [lines[0], lines[2]].concat().replace("request", "_source"));
    let again = output(["cut", "--format", "ndjson", "-f", "/request/url", "--no-header"], all.as_bytes());
    assert_eq!(again, b"http://h/a\nhttp://h/a\nhttp://h/b\n");
    // A line end in a string isn't JSON, and stays.
    let out = output(["grep", "--format", "har", "h"], har.replace("a  ", "a\n  ").as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), all.replace("a  ", "a\n  "));
}

#[test]
fn json_has_the_bytes_that_are_not_utf8() {
    let expected = "{\"file\":\"<stdin>\",\"line\":1,\"offset\":0,\"matches\":[{\"end\":2,\"field\":\"record\",\
        \"match\":\"\u{FFFD}\",\"match_base64\":\"/w==\",\"start\":1,\"value\":\"a\u{FFFD}b\",\
        \"value_base64\":\"Yf9i\"}],\"record\":\"a%FFb\"}\n";
    check(&["--json", r"(?-u)\xFF"], b"a%FFb\n", expected, 0);
}

#[test]
fn matches_the_decoded_field_and_writes_the_record_as_it_is() {
    check(&["café"], LOG, &lines(&[1]), 0);
    check(&["--format=combined", "admin"], LOG, &lines(&[1, 2, 3]), 0);
    check(&["--format=combined", "-f", "target", "admin"], LOG, &lines(&[1, 3]), 0);
    check(&["--format=combined", "-f", "referrer", "^http://h/admin$"], LOG, &lines(&[2]), 0);
    check(&["--format=combined", r"\.\./"], LOG, &lines(&[1]), 0);
    check(&["--format=combined", "c/admin"], LOG, "", 1);
    check(&["--format=combined", "--repeat=stable", "c/admin"], LOG, &lines(&[3]), 0);
    check(&["--format=combined", "--normalize", "^/admin"], LOG, &lines(&[1]), 0);
    check(&["--format=combined", "--plus=after-query", "-F", "a b"], LOG, &lines(&[4]), 0);
    check(&["--format=combined", "-v", "admin"], LOG, &lines(&[4]), 0);
    // If every record matches, `-v` prints no record and the status is 1, also with these options.
    for options in [&["-v"][..], &["-v", "-n"], &["-v", "-q"], &["-v", "-l"], &["-v", "--json"], &["-v", "-m1"]] {
        check(&[&["--format=combined"], options, &["."]].concat(), LOG, "", 1);
    }
    check(&["--format=combined", "-i", "-e", "CAF", "-e", "B$"], LOG, &lines(&[1, 2, 4]), 0);
    check(&["--format=combined", "-x", "/b"], LOG, &lines(&[2]), 0);
    check(&["--format=combined", "-w", "admi"], LOG, "", 1);
    check(&["--format=combined", "-F", "a+b"], LOG, &lines(&[4]), 0);
}

#[test]
fn options_choose_the_output() {
    check(&["--format=combined", "-c", "admin"], LOG, "3\n", 0);
    check(&["--format=combined", "-l", "admin"], LOG, "<stdin>\n", 0);
    check(&["--format=combined", "-q", "admin"], LOG, "", 0);
    check(&["--format=combined", "-q", "nothing"], LOG, "", 1);
    check(&["--format=combined", "-no", "[a-z]+min"], LOG, "1:admin\n2:admin\n3:admin\n", 0);
    check(&["--format=combined", "-m1", "admin"], LOG, &lines(&[1]), 0);
    let decoded = lines(&[1]).replace("%2e%2E", "..").replace("%C3%A9", "é");
    check(&["--format=combined", "--decoded", "café"], LOG, &decoded, 0);
    let numbered = |number: usize, separator: char| format!("{number}{separator}{}", lines(&[number]));
    let context = [numbered(1, '-'), numbered(2, ':'), numbered(3, '-')].concat();
    check(&["--format=combined", "-n", "-C1", "^/b"], LOG, &context, 0);
    check(&["--format=combined", "-A1", "-e", "c%2F"], LOG, &lines(&[3, 4]), 0);
    check(&["--format=combined", "-B0", "-A0", "-C1", "--no-filename", "zzz"], LOG, "", 1);
    check(&["--format=combined", "-A1", "-m1", "-e", "café", "-e", "d\\?"], LOG, &lines(&[1, 2]), 0);
    // The context after the last record has its full length, even if it matches.
    let context = [numbered(1, ':'), numbered(2, '-'), numbered(3, '-')].concat();
    check(&["--format=combined", "-n", "-A2", "-m1", "admin"], LOG, &context, 0);
    for options in [&["-m0"][..], &["-m0", "-A1"], &["-m0", "-q"], &["-m0", "-v"]] {
        check(&[&["--format=combined"], options, &["admin"]].concat(), LOG, "", 1);
    }
    check(&["-C0", "-e", "caf", "-e", "^1.1.1.[34]"], LOG, &lines(&[1, 3, 4]), 0);
    check(
        &["-B1", "--format=combined", "-f", "target", "-e", "café", "-e", "d\\?"],
        LOG,
        &lines(&[1, 3, 4]).replacen(&lines(&[3]), &format!("--\n{}", lines(&[3])), 1),
        0,
    );
}

#[test]
fn json_has_field_value_and_place() {
    let ran = pct(["grep", "--format=combined", "--json", "-f", "referrer", "ad(min)"], LOG);
    let found: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(found["line"], 2);
    assert_eq!(found["offset"], lines(&[1]).len());
    assert_eq!(found["file"], "<stdin>");
    assert_eq!(found["record"], lines(&[2]).trim_end());
    let matched = serde_json::json!([
        { "field": "referrer", "value": "http://h/admin", "match": "admin", "start": 9, "end": 14 }
    ]);
    assert_eq!(found["matches"], matched);
}

#[test]
fn a_match_forges_no_line_and_controls_no_terminal() {
    check(&["-o", "(?s-u)a.*"], b"a%0Aforged%1B[31m%C2%9B%E2%80%AE%FF\n", "a%0Aforged%1B[31m%C2%9B%E2%80%AE%FF\n", 0);
    check(&["--decoded", "a"], b"a%0Aforged%1B[31m\n", "a%0Aforged%1B[31m\n", 0);
    let out = pct(["grep", "--json", "a"], "/a\u{9B}31m%C2%9B%E2%80%AE\n".as_bytes()).out;
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains(r"/a\u009b31m\u009b\u202e") && !text.contains('\u{9B}'), "{text}");
    check(&[r"a\nf"], b"a%0Af\n", "a%0Af\n", 0);
    check(&["--format=csv", "-f", "url", "a,b"], b"id,url\n1,a%2Cb\n2,c\n", "1,a%2Cb\n", 0);
    check(&["--format=csv", "-f", "url", "--keep-header", "a,b"], b"id,url\n1,a%2Cb\n2,c\n", "id,url\n1,a%2Cb\n", 0);
    check(&["--format=csv", "-f", "url", "--decoded", "a,b"], b"id,url\n1,a%2Cb\n2,c\n", "1,\"a,b\"\n", 0);
    check(
        &["--format=ndjson", "-f", "/url", "b\"c"],
        b"{\"url\":\"a\\u002562%22c\"}",
        "{\"url\":\"a\\u002562%22c\"}\n",
        0,
    );
}

#[test]
fn several_files_are_searched_compressed_or_not() {
    let folder = Folder::new();
    let (first, second) = (folder.file("first", b"x%61\nyb"), folder.file("second", b"no\n"));
    let packed = folder.path("third.gz");
    let third = folder.file("third", b"b\n%79%62\n");
    assert_eq!(
        pct(["decode".as_ref(), "--keep=ALL".as_ref(), "-o".as_ref(), packed.as_os_str(), third.as_os_str()], b"").code,
        Some(0)
    );
    let names = [first.to_str().unwrap(), second.to_str().unwrap(), packed.to_str().unwrap()];
    let ran = pct([&["grep", "yb"], &names[..]].concat(), b"");
    assert_eq!(String::from_utf8(ran.out).unwrap(), format!("{}:yb\n{}:yb\n", names[0], names[2]));
    assert_eq!(ran.code, Some(0));
    let ran = pct([&["grep", "-cI", "-e", "yb"], &names[..], &["-e", "x"]].concat(), b"");
    assert_eq!(String::from_utf8(ran.out).unwrap(), "2\n1\n");
    let ran = pct([&["grep", "-e", "yb", "missing"], &names[..1]].concat(), b"");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn groups_with_context_are_apart_in_several_files() {
    let folder = Folder::new();
    let (first, second) = (folder.file("first", b"a\nb\nc\n"), folder.file("second", b"a\nc\nb\n"));
    let ran = pct(["grep", "-I", "-A1", "a", first.to_str().unwrap(), second.to_str().unwrap()], b"");
    assert_eq!(String::from_utf8(ran.out).unwrap(), "a\nb\n--\na\nc\n");
    let ran = pct(["grep", "-I", "-B1", "b", second.to_str().unwrap(), first.to_str().unwrap()], b"");
    assert_eq!(String::from_utf8(ran.out).unwrap(), "c\nb\n--\na\nb\n");
}

#[test]
fn errors_are_reported() {
    for (args, told) in [
        (&["grep", "("][..], "unclosed group"),
        (&["grep"], "PATTERN"),
        (&["grep", "--format=combined", "x"], "2 of 2 checked records are not combined, and are skipped"),
    ] {
        let ran = pct(args, b"a\nb\n");
        assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
        assert_eq!(ran.code, Some(if told.contains("skipped") { 1 } else { 2 }), "{args:?}");
    }
}

/// `--attack` finds the records that `pct stats` counts.
#[test]
fn attacks_are_found_as_stats_counts_them() {
    let targets = [
        ("traversal", "/a/%252e%252e/%252e%252e%252fetc"),
        ("double_encoding", "/a%2541"),
        ("overlong_utf8", "/%c0%af"),
        ("nul", "/x%2500.jpg"),
        ("control", "/a%25250d"),
        ("encoded_separator", "/a%2Fb"),
        ("byte_order_mark", "/.%EF%BB%BF./"),
        ("", "/a%20b?u=http%3A%2F%2Fh"),
        ("", "/plain"),
    ];
    let line = |target: &str, referrer: &str| {
        format!("1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {target} HTTP/1.1\" 200 2 \"{referrer}\" \"x\"\n")
    };
    let lines: Vec<String> = targets.iter().map(|(_, target)| line(target, "http://h/a%2Fb")).collect();
    let log = lines.concat();
    let stats = pct(["stats", "--format=combined", "--json"], log.as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&stats.out).unwrap();
    for (kind, target) in targets.iter().filter(|(kind, _)| !kind.is_empty()) {
        let ran = pct(["grep", "--format=combined", "--attack", kind], log.as_bytes());
        let found = String::from_utf8(ran.out).unwrap();
        assert!(found.contains(target) && ran.code == Some(0), "{kind}: {found}");
        assert_eq!(stats["attacks"]["kinds"][kind]["count"], found.lines().count(), "{kind}: {found}");
    }
    let attack = |args: &[&str], expected: &str, code| {
        check(&[&["--format=combined"], args].concat(), log.as_bytes(), expected, code)
    };
    attack(&["--attack=all"], &lines[..7].concat(), 0);
    let some = [&lines[..1], &lines[3..6]].concat().concat();
    attack(&["--attack", "nul,control", "--attack", "encoded_separator"], &some, 0);
    attack(&["--attack=all", "-v"], &lines[7..].concat(), 0);
    attack(&["--attack=all", "-c"], "7\n", 0);
    attack(&["--attack=traversal", "-o"], "/a/../../etc\n", 0);
    attack(&["--attack=all", "-f", "referrer"], "", 1);
    // An escaped slash in a path counts as an attack, except in a referrer. A raw U+FEFF also counts as an attack.
    check(&["--attack=all"], "http://h/a%2Fb\n/\u{FEFF}\n/a?b=%2F\n".as_bytes(), "http://h/a%2Fb\n/\u{FEFF}\n", 0);
    // JSON, CSV and lines can hold control characters that are not percent-encoded.
    let json = "{\"url\":\"/a\\u0000b\"}\n{\"url\":\"/a\\tb\"}\n{\"url\":\"/b\"}\n";
    check(&["--format=ndjson", "-furl", "--attack=nul"], json.as_bytes(), "{\"url\":\"/a\\u0000b\"}\n", 0);
    check(&["--format=ndjson", "-furl", "--attack=control"], json.as_bytes(), "{\"url\":\"/a\\tb\"}\n", 0);
    check(&["--format=csv", "-furl", "--attack=control"], b"url\n/a\n\"/b\nc\"\n", "\"/b\nc\"\n", 0);
    check(&["--attack=control"], b"/a\r\n/b\x1F\r\n/c\rd\n/\x7F\n", "/b\x1F\r\n/c\rd\n/\x7F\n", 0);
    // RFC 2279 2 had forms of five and six bytes.
    let overlong = "/%F8%80%80%80%AF\n/%fc%80%80%80%80%AE\n/%25f8%2580%2580%2580%25af\n/%F8%88\n/%FC%84\n/%FF\n";
    check(&["--attack=overlong_utf8"], overlong.as_bytes(), &overlong[..overlong.find("/%F8%88").unwrap()], 0);
    let folder = Folder::new();
    let file = folder.file("log", log.as_bytes());
    let ran = pct(["grep", "--format=combined", "--json", "--attack=nul", file.to_str().unwrap()], b"");
    let found: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!((&found["line"], &found["attacks"]), (&serde_json::json!(4), &serde_json::json!(["nul"])));
    assert_eq!(found["matches"][0]["value"], "/x\0.jpg");
    for (args, told) in [
        (&["--attack=sql"][..], "no kind of attack is called `sql`; choose all, traversal, "),
        (&["--attack=nul", "-e", "x"], "cannot be used with"),
        (&["--attack=nul", "--repeat=2"], "cannot be used with"),
    ] {
        let ran = pct([&["grep"], args].concat(), b"a\n");
        assert!(ran.err.contains(told) && ran.code == Some(2), "{args:?}: {}", ran.err);
    }
}

fn combined(target: &str) -> String {
    format!("1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {target} HTTP/1.1\" 200 2 \"-\" \"x\"\n")
}

/// Each character of an escape may be escaped itself. If one is, the escape is in a second layer.
#[test]
fn every_spelling_of_a_second_layer_is_found() {
    let plain = oracle::Decoding::default();
    let has_escape = |text: &[u8]| (0..text.len()).any(|at| oracle::escape(&text[at..]).is_some());
    for (digits, kind) in [
        ("2f", "encoded_separator"),
        ("5C", "encoded_separator"),
        ("00", "nul"),
        ("0A", "control"),
        ("c0", "overlong_utf8"),
    ] {
        let spelled = |text: &str| -> Vec<String> { vec![text.into(), format!("%{:02x}", text.as_bytes()[0])] };
        let mut targets = vec![String::from("/a")];
        for character in ["%", &digits[..1], &digits[1..]] {
            let add = |before: &String| {
                spelled(character).into_iter().map(move |after| format!("{before}{after}")).collect::<Vec<_>>()
            };
            targets = targets.iter().flat_map(add).collect();
        }
        targets.push(format!("/a%{}", digits.to_lowercase()));
        let log: String = targets.iter().map(|target| combined(target)).collect();
        let double = targets.iter().filter(|target| has_escape(&oracle::decode(&plain, target.as_bytes()).0));
        let double: Vec<String> = double.map(|target| combined(target)).collect();
        assert_eq!(double.len(), 7);
        check(&["--format=combined", "--attack=double_encoding"], log.as_bytes(), &double.concat(), 0);
        check(&["--format=combined", "--attack", kind], log.as_bytes(), &log, 0);
        let found = output(["stats", "--format=combined", "--json"], log.as_bytes());
        let found: serde_json::Value = serde_json::from_slice(&found).unwrap();
        assert_eq!(found["attacks"]["kinds"]["double_encoding"]["count"], double.len(), "{digits}");
        assert_eq!(found["attacks"]["kinds"][kind]["count"], targets.len(), "{digits}");
    }
}

/// nginx and Apache write some bytes as escapes of the log, and logfmt has escapes like those of JSON. A search undoes them.
#[test]
fn escapes_of_the_log_are_undone() {
    for (target, kind) in [
        (r"/a\x00b", "nul"),
        (r"/a\x0Ab", "control"),
        (r"/a\nb", "control"),
        (r"/\xC0\xAE\xC0\xAE/", "overlong_utf8"),
        (r"/\x2e\x2e/", "traversal"),
        (r"/%2\x65%2e/", "traversal"),
        (r"/\xEF\xBB\xBFx", "byte_order_mark"),
        (r"/a%25\x32f", "double_encoding"),
        // The backslash may be a character of the URL.
        (r"/..\x2e", "traversal"),
    ] {
        let log = [combined("/b"), combined(target)].concat();
        let fmt = format!("path=\"/b\"\npath=\"{target}\" x=1\n");
        for (format, log) in [
            ("combined", &log),
            ("nginx:$remote_addr - - [$time_local] \"$request\" $status $body_bytes_sent \"-\" \"$x\"", &log),
            ("apache:%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"", &log),
            ("logfmt", &fmt),
        ] {
            let found = log.split_inclusive('\n').nth(1).unwrap();
            check(&["--format", format, "--attack", kind], log.as_bytes(), found, 0);
            let counted = output(["stats", "--json", "--format", format], log.as_bytes());
            let counted: serde_json::Value = serde_json::from_slice(&counted).unwrap();
            assert_eq!(counted["attacks"]["kinds"][kind]["count"], 1, "{format} {target}");
        }
    }
    // JSON has undone its own escapes, so a backslash is a character of the URL.
    check(&["--format", "ndjson", "--attack", "control"], br#"{"url":"/a?f=C:\\temp\\new"}"#, "", 1);
    for (format, record, found) in [
        ("combined", combined(r#"/caf\xC3\xA9%20\"b\\c"#), "/café \"b\\c"),
        ("logfmt", "path=\"/caf\\u00e9 \\\"b\\\\c\" x=1\n".into(), "/café \"b\\c"),
    ] {
        let all = [&*record, &*record.replace("caf", "tea")].concat();
        for pattern in ["é", "café", "^/café \"b", "caf.+xC3|f.*u00e9"] {
            check(
                &["--format", format, pattern],
                all.as_bytes(),
                &[&record[..], if pattern == "é" { &all[record.len()..] } else { "" }].concat(),
                0,
            );
        }
        check(&["--format", format, "-o", "^/caf.*"], all.as_bytes(), &format!("{found}\n"), 0);
    }
}
