//! Runs `pct` with every format. Only the fields with URLs are decoded, and hostile lines do no harm.

use crate::process;

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use process::{Folder, RunResult, pct};

/// Runs `pct`, and asserts that it exits with `code`.
#[track_caller]
fn exits(code: i32, args: &[&str], input: impl AsRef<[u8]>) -> RunResult {
    let ran = pct(args, input.as_ref());
    assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
    ran
}

/// Runs `pct`, and asserts that it exits with 2 and a message that contains `told`.
#[track_caller]
fn refuses(args: &[&str], input: &str, told: &str) {
    let ran = exits(2, args, input);
    assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
}

#[track_caller]
fn run(args: &[&str], input: impl AsRef<[u8]>) -> Vec<u8> {
    exits(0, args, input).out
}

#[track_caller]
fn check(args: &[&str], input: &str, expected: &str) {
    let args = [&["decode"], args].concat();
    assert_eq!(
        run(&args, input).escape_ascii().to_string(),
        expected.as_bytes().escape_ascii().to_string(),
        "{args:?}"
    );
}

/// Asserts that a format leaves these lines unchanged.
#[track_caller]
fn stays(args: &[&str], lines: &str) {
    for line in lines.lines() {
        check(args, line, line);
        check(args, &format!("{line}\n"), &format!("{line}\n"));
        check(args, &format!("{line}\r\n"), &format!("{line}\r\n"));
    }
}

const COMBINED: &[&str] = &["--format", "combined"];

#[test]
fn combined_decodes_only_target_and_referrer() {
    let line = |target: &str, referrer: &str| {
        format!(
            "1.2.3.4 - j%41 [17/May/2015:10:05:03 +0000] \"GET {target} HTTP/1.1\" 200 5 \"{referrer}\" \"UA%41\"\n"
        )
    };
    check(COMBINED, &line("/%C3%A9%41", "http://a/?q=%20b"), &line("/éA", "http://a/?q= b"));
    // Bytes that would forge a field or a line stay escaped: quote, backslash, space, C0 and C1 controls, characters that change
    // the direction of text (Bidi_Control of UAX #44; RFC 3987 4.1), and invalid UTF-8.
    let hostile = "%22%5C%20%0A%0d%00%7F%C2%9B%9B%FF%C0%AF%ED%A0%80%E2%80%8E%e2%80%ae%E2%81%A9%D8%9C%E2%80%A8%E2%80%a9";
    check(COMBINED, &line(hostile, "-"), &line(hostile, "-"));
    check(COMBINED, &line("-", hostile), &line("-", &hostile.replace("%20", " ")));
    // Characters whose code points are next to these controls are decoded.
    check(
        COMBINED,
        &line("%C2%A0%D8%9B%D8%9D%E2%80%8D%E2%80%A7%E2%80%AF", "-"),
        &line("\u{A0}\u{61B}\u{61D}\u{200D}\u{2027}\u{202F}", "-"),
    );
    check(COMBINED, &line("%E2%80%90%E2%81%A5%E2%81%AA", "-"), &line("\u{2010}\u{2065}\u{206A}", "-"));
    check(&[COMBINED, &["--raw"]].concat(), &line("%E2%80%AE%C2%9B", "-"), &line("\u{202E}\u{9B}", "-"));
    check(&[COMBINED, &["--repeat", "3"]].concat(), &line("%25E2%2580%25AE%2541", "-"), &line("%E2%80%AEA", "-"));
    let raw = pct(["decode", "--format", "combined", "--raw"], line("%22%0A%FF", "-").as_bytes()).out;
    assert!(raw.windows(3).any(|bytes| bytes == b"\"\n\xFF"));
    check(
        &[COMBINED, &["-f", "user-agent"]].concat(),
        &line("%41", "%41"),
        &line("%41", "%41").replace("UA%41", "UAA"),
    );
    check(&[COMBINED, &["-f", "3,referer"]].concat(), &line("%41", "%41"), &line("%41", "A").replace("j%41", "jA"));
    check(&[COMBINED, &["-f", "target,url,REQUEST,6,referrer"]].concat(), &line("%41", "%41"), &line("A", "A"));
    check(&["--format", "clf"], &line("%41", "%41"), &line("A", "%41"));
    check(
        &[COMBINED, &["--to", "{}_"]].concat(),
        &line("/%41", "-"),
        &line("/%41", "-").replace("41\"\n", "41\" \"/A\" \"-\"\n"),
    );
    // A value may contain escaped quotes, a target may contain spaces, and a user name may contain any character.
    check(
        COMBINED,
        "1.2.3.4 - j s [17/May/2015:10:05:03 +0000] \"GET /\\\"%42 %42 HTTP/1.1\" 200 5 \"\\\\%41\" \"%41\" %41\n",
        "1.2.3.4 - j s [17/May/2015:10:05:03 +0000] \"GET /\\\"B B HTTP/1.1\" 200 5 \"\\\\A\" \"%41\" %41\n",
    );
    check(
        &["--format", "clf"],
        "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /%41\" 200",
        "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /A\" 200",
    );
    stays(
        COMBINED,
        "1.2.3.4 - - [x] \"GET /%41\n1.2.3.4 - - [x] \"GET /%41\\\"\n- \"GET /a\"%41 HTTP/1.1\"\n%41\n- \"-\" 400 \"-\" \"%41\"\n\"\n\"%41\"\n\"\\\n",
    );
}

#[test]
fn logs_of_load_balancers_and_buckets_are_decoded() {
    let alb = |target: &str, redirect: &str| {
        format!(
            "https 2018-07-02T22:23:00.186641Z app/lb/50dc 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 \
             \"GET https://www.example.com:443/{target} HTTP/1.1\" \"curl/\\\"7 %41\" ECDHE TLSv1.2 arn:aws:x \"Root=1\" \
             \"www.example.com\" \"arn:%41\" 1 2018-07-02T22:22:48.364000Z \"redirect\" \"https://example.com:80/{redirect}\" \"-\" \
             \"10.0.0.1:80\" \"200\" \"-\" \"-\" TID_1\n"
        )
    };
    check(&["--format", "auto"], &alb("%41%22", "%42%0A"), &alb("A%22", "B%0A"));
    let s3 = |key: &str, target: &str, referrer: &str| {
        format!(
            "{} bucket%41 [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57 REST.GET.OBJECT {key} \"GET /{target} HTTP/1.1\" 200 - 113 - 7 - \
             \"{referrer}\" \"S3/0 %41\" - s9lz\n",
            "7".repeat(64)
        )
    };
    check(&["--format", "auto"], &s3("a%2520b%20%5B%5D", "%2541", "%42 "), &s3("a%20b%20%5B%5D", "%41", "B "));
    check(&["--format", "s3", "--repeat", "9"], &s3("a%2520b%2525", "-", "-"), &s3("a%20b%", "-", "-"));
    stays(&["--format", "s3"], "a b [c d %41\na b [c] d e f g \"%41\n%41");
}

#[test]
fn columns_are_found_by_name_and_by_number() {
    check(&["--format", "tsv", "-f", "url"], "id\turl\n%41\t%41%09%5C%22\n", "id\turl\n%41\tA%09%5C\"\n");
    check(&["--format", "tsv", "-f", "2"], "%41\t%41\n", "%41\tA\n");
    check(&["--format", "tsv", "-f", "2", "--header"], "%41\t%41\nx\t%42", "%41\t%41\nx\tB");
    check(&["--format", "csv", "-f", "u"], "u,v\n%2C%41,%41\n\"%22 \",\n", "u,v\n\",A\",%41\n\"\"\" \",\n");
    check(&["--format", "csv", "-f", "u"], "u,v\r\n\"a\nb%41\",%41\r\n%0A,\r\n", "u,v\r\n\"a\nbA\",%41\r\n%0A,\r\n");
    check(&["--format", "csv", "-f", "u", "--raw"], "u\n%0A\n", "u\n\"\n\"\n");
    check(&["--format", "csv", "-f", "u", "--to", "c"], "u,v\n%2C,1\n,\n", "u,v,c\n%2C,1,\",\"\n,,\n");
    // A missing column is reported, and the next file is still processed.
    let folder = Folder::new();
    let (one, two) = (folder.file("one", b"a,b\n%41,%41\n"), folder.file("two", b"c,a\n%41,%41\n"));
    let args = ["decode", "--format", "csv", "-f", "b", one.to_str().unwrap(), two.to_str().unwrap()];
    let ran = exits(2, &args, "");
    assert_eq!(ran.out, b"a,b\n%41,A\n");
    assert!(ran.err.contains("no column b; there are c, a"), "{}", ran.err);
    refuses(&["decode", "--format", "tsv"], "a\tb\n", "there are a, b; name one");
    exits(2, &["decode", "--format", "w3c"], "#X\n#Fields: a\n");
    check(&["--format", "csv"], "", "");
    // If the quotes of a line don't close, only this line stays unchanged.
    check(&["--format", "csv", "-f", "u"], "u\n%41\n\"%41\n%42\n", "u\nA\n\"%41\nB\n");
    check(&["--format", "csv", "-f", "u"], "u\n\"%41\"x\n%42", "u\n\"%41\"x\nB");
    // The first directive decides whether `cs-uri-stem` is decoded, in all parts and in every chunk.
    for (first, second, stem) in
        [("cs-uri-stem cs-uri-query", "cs-uri-stem", "%41"), ("cs-uri-stem", "cs-uri-stem cs-uri-query", "A")]
    {
        let part = |names: &str, stem: &str, query: &str| {
            format!(
                "#Fields: date {names}\n{}",
                format!("d /{stem}{}\n", if names.contains("query") { query } else { "" }).repeat(40_000)
            )
        };
        let [input, output] =
            [("%41", " %42"), (stem, " B")].map(|(stem, query)| part(first, stem, query) + &part(second, stem, query));
        check(&["--format", "w3c", "--strict-format"], &input, &output);
    }
    let w3c = "#Version: 1.0\r\n#Fields: date cs-uri-stem cs-uri-query cs(Referer)\r\nd /%41 q=%41+%20 http://%41\r\n";
    let out = "#Version: 1.0\r\n#Fields: date cs-uri-stem cs-uri-query cs(Referer)\r\nd /%41 q=A+%20 http://A\r\n";
    check(&["--format", "auto"], w3c, out);
    check(
        &["--format", "w3c"],
        &format!("{w3c}#Fields: cs-uri-query date\n%41 %41\n"),
        &format!("{out}#Fields: cs-uri-query date\nA %41\n"),
    );
    let cloudfront = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query\n";
    let row = |stem: &str, query: &str| {
        format!("{cloudfront}d\tt\tx\t1\t1.1\tGET\th%2541\t/{stem}\t200\t-\tA%2520B\t{query}\n")
    };
    let readable = |stem: &str, query: &str, agent: &str| row(stem, query).replace("A%2520B", agent);
    check(&["--format", "auto"], &row("%25C3%25A9%2520", "q=%252509&r=%2509"), &readable("é ", "q=%09&r=%09", "A B"));
    check(&["--format", "cloudfront", "--repeat", "1"], &row("%2520", "-"), &readable("%20", "-", "A%20B"));
    check(
        &["--format", "cloudfront", "-f", "cs(User-Agent)"],
        &row("-", "-"),
        &row("-", "-").replace("A%2520B", "A B"),
    );
}

/// If several columns have the name of a field, they all belong to the field. Otherwise `grep` would not find an attack in the
/// second one.
#[test]
fn all_columns_with_the_name_of_a_field_are_read() {
    let cases = [
        ("csv", "url", "url,x,URL\n/%41,/%42,\"/%43,\"\n/%44,,\n", "url,x,URL\n/A,/%42,\"/C,\"\n/D,,\n"),
        ("csv;", "x,url", "url;x;url\n/%41;/%42;/%43\n", "url;x;url\n/A;/B;/C\n"),
        ("tsv", "url", "url\turl\turl\n/%41\t\"/%42\"\t/%43\n", "url\turl\turl\n/A\t\"/B\"\t/C\n"),
        (
            "w3c",
            "cs-uri-stem",
            "#Fields: cs-uri-stem x cs-uri-stem\n/%41 /%42 /%43\n#Fields: x cs-uri-stem\n/%44 /%45\n",
            "#Fields: cs-uri-stem x cs-uri-stem\n/A /%42 /C\n#Fields: x cs-uri-stem\n/%44 /E\n",
        ),
        ("zeek", "uri", "#fields\turi\tx\turi\n/%41\t/%42\t/%43\n", "#fields\turi\tx\turi\n/A\t/%42\t/C\n"),
    ];
    for (format, field, input, expected) in cases {
        check(&["--format", format, "-f", field], input, expected);
        let found = run(&["grep", "--format", format, "-f", field, "^/C"], input);
        assert_eq!(found.iter().filter(|&&byte| byte == b'\n').count(), 1, "{format}");
        // `cut` and `--to` have one value for each field.
        let told = format!("has several columns `{}`; choose one by its number", field.trim_start_matches("x,"));
        refuses(&["cut", "--format", format, "-f", field], input, &told);
        refuses(&["decode", "--format", format, "-f", field, "--to", "{}_d"], input, &told);
    }
    let cells = run(&["cut", "--format", "csv", "--csv", "-f", "1,3"], cases[0].2);
    assert_eq!(String::from_utf8(cells).unwrap(), "1,3\nurl,URL\n/A,\"/C,\"\n/D,\n");
    // Without `-f`, the columns of W3C logs are known by their names.
    let input = cases[3].2;
    check(&["--format", "w3c"], input, cases[3].3);
    refuses(&["cut", "--format", "w3c"], input, "has several columns `cs-uri-stem`");
    // The time to find a column by its position doesn't depend on the number of columns.
    let header = "url,".repeat(100_000) + "url\n";
    let row = "/%41,".repeat(100_000) + "/%41\n";
    check(&["--format", "csv", "-f", "url"], &(header.clone() + &row), &(header + &row.replace("%41", "A")));
}

#[test]
fn a_new_header_between_chunks_is_used() {
    let mut input = String::new();
    let mut expected = String::new();
    for round in 0..6 {
        let (fields, first) = if round % 2 == 0 { ("a cs-uri-query", false) } else { ("cs-uri-query a", true) };
        for text in [&mut input, &mut expected] {
            text.push_str(&format!("#Fields: {fields}\n"));
        }
        for _ in 0..60_000 {
            input.push_str("%41 %41\n");
            expected.push_str(if first { "A %41\n" } else { "%41 A\n" });
        }
    }
    for threads in ["1", "2", "5"] {
        assert!(run(&["decode", "--format", "w3c", "-j", threads], input.clone()) == expected.as_bytes(), "{threads}");
    }
}

#[test]
fn members_of_ndjson_are_decoded() {
    let json = &["--format", "ndjson", "-f", "/a/b", "-f", "/c/*"];
    check(
        json,
        r#"{"a":{"b":"%41%22%5C"},"b":"%41","c":["%41",1,"%42"]}"#,
        r#"{"a":{"b":"A\"\\"},"b":"%41","c":["A",1,"B"]}"#,
    );
    // In JSON, a `%` may be written as `\u0025`. Strings that don't change stay as they were written.
    check(
        &["--format", "ndjson"],
        r#" {"url" : "\u002541\/\u00e9" , "x":"\u0041"} "#,
        r#" {"url" : "A/é" , "x":"\u0041"} "#,
    );
    check(&["--format", "ndjson"], r#"{"url":"\/\u0041%zz"}"#, r#"{"url":"\/\u0041%zz"}"#);
    let hostile = r#"{"url":"%0A%00%C2%9B%FF%E2%80%AE"}"#;
    check(&["--format", "ndjson"], hostile, hostile);
    check(&["--format", "ndjson", "--raw"], r#"{"url":"%0A%00%FF"}"#, r#"{"url":"\n\u0000%FF"}"#);
    check(
        &["--format", "ndjson", "--to", "{}_x"],
        r#"{"a":1,"url":"%41","b":2}"#,
        r#"{"a":1,"url":"%41","url_x":"A","b":2}"#,
    );
    stays(
        &["--format", "ndjson"],
        "{\"url\":\"%41\n{\"url\":\"%41\"\n{\"url\":\"%41\"}}\n{\"url\":\"\\ud800%41\"}\n{\"x\":[\"%41\"]}\n\"%41\"\n%41\n[\"%41\"]\n{url:%41}\n",
    );
    exits(2, &["decode", "--format", "ndjson", "-f", "/a~"], "");
    let invalid = b"{\"url\":\"\xFF%41\"}\n";
    assert_eq!(run(&["decode", "--format", "ndjson"], &invalid[..]), invalid);
}

#[test]
fn format_strings_name_the_fields() {
    let nginx = "nginx:$remote_addr [$time_local] \"$request\" $status \"$http_referer\" $uri";
    check(
        &["--format", nginx],
        "1 [d] \"GET /%41%20 HTTP/2\" 200 \"%41 %22\" /%41\n",
        "1 [d] \"GET /A%20 HTTP/2\" 200 \"A %22\" /%41\n",
    );
    check(
        &["--format", nginx, "-f", "uri"],
        "1 [d] \"GET /%41\" 200 \"%41\" /%41%20",
        "1 [d] \"GET /%41\" 200 \"%41\" /A%20",
    );
    let apache = r#"apache:%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" %{X}o|%q"#;
    check(
        &["--format", apache],
        "h l u [t] \"GET /%41\" 200 5 \"%41\" x|?%41%7C\n",
        "h l u [t] \"GET /A\" 200 5 \"A\" x|?A%7C\n",
    );
    stays(&["--format", nginx], "1 [d \"GET /%41\n1 [d] \"GET /%41\n%41\n1 [d] \"GET /%41\" 200 \"%41\n");
    for bad in ["nginx:", "nginx:x", "nginx:$status", "nginx:$a$request", "nginx:$", "apache:%", "apache:%h"] {
        exits(2, &["decode", "--format", bad], "");
    }
    refuses(&["decode", "--format", nginx, "-f", "nothing"], "", "http_referer");
}

#[test]
fn adjacent_variables_of_a_url_are_one_field() {
    for (format, name, log, value) in [
        (
            "nginx:$msec $scheme://$host$request_uri $status",
            "request_uri",
            "1 https://h/%41?b=%42 200",
            "https://h/A?b=B",
        ),
        (
            "nginx:$msec \"$scheme://$host:$server_port$request_uri\"",
            "request_uri",
            "1 \"http://h:8/%41\"",
            "http://h:8/A",
        ),
        (
            "nginx:$msec \"$request_method http://$host$request_uri\"",
            "request_uri",
            "1 \"GET http://h/%41\"",
            "http://h/A",
        ),
        ("nginx:$msec $http_host$request_uri;", "request_uri", "1 h/%41;", "/A"),
        ("nginx:$msec \"$request_method $uri$is_args$args\"", "uri", "1 \"GET /a b?c=%41\"", "/a b?c=A"),
        ("apache:%v \"%m %U%q %H\" %>s", "U", "h \"GET /a b?c=%41 HTTP/1.1\" 200", "/a b?c=A"),
        ("apache:\"https://%{Host}i%U%q\" %>s", "U", "\"https://h/a?c=%41\" 200", "https://h/a?c=A"),
    ] {
        for fields in [&[][..], &["-f", name]] {
            let args = [&["cut", "--format", format], fields].concat();
            assert_eq!(process::output(args, log.as_bytes()), format!("{name}\n{value}\n").into_bytes(), "{format}");
        }
    }
    for bad in ["nginx:$request_uri$host", "nginx:$status$uri", "apache:%q%U", "apache:%h%q"] {
        exits(2, &["cut", "--format", bad], "");
    }
}

/// Lines that nginx 1.22.1 and Apache 2.4.67 wrote for the same requests, and the expected results.
#[test]
fn unescape_log_undoes_the_escapes_of_servers() {
    const NGINX: [(&str, &str); 5] = [
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /\xD0\xBA\xD0\xB0\xD1\x82\xD0\xB0\xD0\xBB\xD0\xBE\xD0\xB3/%D0%BA%D0%BD%D0%B8%D0%B3%D0%B8?q=caf%C3%A9 HTTP/1.1" 404 153 "https://example.org/\xD0\xBF\xD0\xBE\xD0\xB8\xD1\x81\xD0\xBA?q=\x22\xD0\xBA\xD0\xBD\xD0\xB8\xD0\xB3\xD0\xB8\x22" "Mozilla/5.0""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /каталог/книги?q=café HTTP/1.1" 404 153 "https://example.org/поиск?q=\x22книги\x22" "Mozilla/5.0""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /?q=%22\x22%5C\x5C HTTP/1.1" 403 153 "http://\xE4\xE5\xE3\xF2/%41" "Mozilla/5.0""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /?q=%22\x22%5C\x5C HTTP/1.1" 403 153 "http://\xE4\xE5\xE3\xF2/A" "Mozilla/5.0""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a\x5Cx41%41 HTTP/1.1" 404 153 "http://h/\x09b\x0Bc%09" "() { :;}; echo \x22%41\x22""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a\x5Cx41A HTTP/1.1" 404 153 "http://h/\x09b\x0Bc%09" "() { :;}; echo \x22%41\x22""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /\xE2\x80\xAE\xC2\x9B\x7Fgnp.%E2%80%AE HTTP/1.1" 400 157 "-" "-""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /\xE2\x80\xAE\xC2\x9B\x7Fgnp.%E2%80%AE HTTP/1.1" 400 157 "-" "-""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "\x16\x03\x01\x00\xA5\x01\x00\x00\xA1\x03\x03%41" 400 157 "-" "-""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "\x16\x03\x01\x00\xA5\x01\x00\x00\xA1\x03\x03%41" 400 157 "-" "-""#,
        ),
    ];
    const APACHE: [(&str, &str); 5] = [
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /\xd0\xba\xd0\xb0\xd1\x82\xd0\xb0\xd0\xbb\xd0\xbe\xd0\xb3/%D0%BA%D0%BD%D0%B8%D0%B3%D0%B8?q=caf%C3%A9 HTTP/1.1" 404 416 "https://example.org/\xd0\xbf\xd0\xbe\xd0\xb8\xd1\x81\xd0\xba?q=\"\xd0\xba\xd0\xbd\xd0\xb8\xd0\xb3\xd0\xb8\"" "Mozilla/5.0""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /каталог/книги?q=café HTTP/1.1" 404 416 "https://example.org/поиск?q=\"книги\"" "Mozilla/5.0""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /?q=%22\"%5C\\ HTTP/1.1" 404 416 "http://\xe4\xe5\xe3\xf2/%41" "Mozilla/5.0""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /?q=%22\"%5C\\ HTTP/1.1" 404 416 "http://\xe4\xe5\xe3\xf2/A" "Mozilla/5.0""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a\\x41%41 HTTP/1.1" 400 448 "-" "-""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a\\x41A HTTP/1.1" 400 448 "-" "-""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /\xe2\x80\xae\xc2\x9b\x7fgnp.%E2%80%AE HTTP/1.1" 400 448 "-" "-""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /\xe2\x80\xae\xc2\x9b\x7fgnp.%E2%80%AE HTTP/1.1" 400 448 "-" "-""#,
        ),
        (
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "\x16\x03\x01" 400 448 "-" "-""#,
            r#"127.0.0.1 - - [17/May/2015:10:05:03 +0000] "\x16\x03\x01" 400 448 "-" "-""#,
        ),
    ];
    let nginx = r#"nginx:$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;
    let apache = r#"apache:%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\""#;
    for (format, lines) in [(nginx, NGINX), (apache, APACHE)] {
        for format in [format, "combined", "auto"] {
            let text = |of: fn((&str, &str)) -> String| lines.map(of).concat();
            let (before, after) = (text(|(before, _)| format!("{before}\n")), text(|(_, after)| format!("{after}\n")));
            check(&["--format", format, "--unescape-log"], &before, &after);
            // A second run with `--unescape-log` changes no byte. A run without this option keeps the log escapes.
            check(&["--format", format, "--unescape-log"], &after, &after);
            let plain = String::from_utf8(run(&["decode", "--format", format], before.clone())).unwrap();
            assert_eq!(plain.matches('\\').count(), before.matches('\\').count());
        }
    }
    let unescape = |args: &[&str], field: &str, expected: &str| {
        let line = |field: &str| format!("- - - [17/May/2015:10:05:03 +0000] \"GET /{field} HTTP/1.1\" 200 1 \"-\"\n");
        check(&[&["--format", "combined", "--unescape-log"], args].concat(), &line(field), &line(expected));
    };
    // The log escapes of incomplete characters, overlong forms, surrogates, controls and kept characters stay.
    unescape(&[], r"\xD0%B0\xC0\xAF\xED\xA0\x80\x7F\x20\x41\x4", r"\xD0%B0\xC0\xAF\xED\xA0\x80\x7F\x20A\x4");
    unescape(&[], r"\xE2\x80\xAE\xC2\x85\xD8\x9C\xE2\x80\x9C", r"\xE2\x80\xAE\xC2\x85\xD8\x9C“");
    unescape(&[], r"\q\b\t\n\v\r\\x41\xd0\xb0", r"\q\b\t\n\v\r\\x41а");
    unescape(&["--keep", "%B0"], r"\xD0\xB0\xD0\xB1", r"\xD0\xB0б");
    unescape(&["--keep", "A"], r"\xD0\xB0\x41%41", r"а\x41%41");
    // After the log escapes are decoded, the text is percent-decoded like any other text. Bytes that could forge a record stay
    // escaped.
    unescape(&[], r"\x2541\x250A\x2522", "A%0A%22");
    // In a target, `%20` stays escaped, so `+` stays too.
    unescape(&["--repeat", "3", "--plus=after-query"], r"?\xD0\xB0+%2541\x2B", "?а+A+");
    unescape(&["--part", "values"], r"\xD0\xB0?\xD0=\xD0\xB0\x26\x23%26", r"\xD0\xB0?\xD0=а\x26\x23%26");
    unescape(&["--on-utf8", "replace"], r"\xFF%FF\xD0\xB0\x22", "\u{FFFD}\u{FFFD}а\\x22");
    unescape(&["--on-error", "replace"], r"\xD0\xB0%zz", "а\u{FFFD}zz");
    unescape(&["--raw"], r#"\x5C\xE2\x80\xAE\"\\\t\b\v\x7f%22"#, "\\\u{202E}\"\\\t\u{8}\u{B}\u{7F}\"");
    let line = b"- - - [17/May/2015:10:05:03 +0000] \"GET /\\xFF%FE%22 HTTP/1.1\" 200\n";
    let raw = run(&["decode", "--format", "clf", "--unescape-log", "--on-utf8", "raw"], &line[..]);
    let expected = b"- - - [17/May/2015:10:05:03 +0000] \"GET /\xFF\xFE%22 HTTP/1.1\" 200\n";
    assert_eq!(raw.escape_ascii().to_string(), expected.escape_ascii().to_string());
    check(
        &["--format", "clf", "--unescape-log", "--to", "x"],
        "- - - [17/May/2015:10:05:03 +0000] \"GET /\\xD0\\xB0\\x22 HTTP/1.1\" 200 5\n",
        "- - - [17/May/2015:10:05:03 +0000] \"GET /\\xD0\\xB0\\x22 HTTP/1.1\" 200 5 \"/а\\x22\"\n",
    );
    for (args, told) in [
        (&["--unescape-log"][..], "name one of their formats"),
        (&["--unescape-log", "--format", "alb"], "name one of their formats"),
        (&["--unescape-log", "--format", "ndjson"], "name one of their formats"),
        (&["--unescape-log", "--format", "clf", "--charset", "sjis"], "cannot be used with"),
        (&["--unescape-log", "--format", "clf", "--utf8-or", "sjis"], "cannot be used with"),
        (&["--unescape-log", "--format", "clf", "--normalize"], "cannot be used with"),
    ] {
        refuses(&[&["decode"], args].concat(), "%41\n", told);
    }
}

#[test]
fn only_the_chosen_part_of_a_url_is_decoded() {
    let url = "http://h%41/p%41%3F%2F?a%42=%43%26%2B+&c=%44#f%45\n";
    for (part, expected) in [
        ("path", "http://h%41/pA%3F%2F?a%42=%43%26%2B+&c=%44#f%45\n"),
        ("query", "http://h%41/p%41%3F%2F?aB=C%26%2B &c=D#f%45\n"),
        ("values", "http://h%41/p%41%3F%2F?a%42=C%26%2B &c=D#f%45\n"),
        ("fragment", "http://h%41/p%41%3F%2F?a%42=%43%26%2B+&c=%44#fE\n"),
    ] {
        check(&["--part", part, "--plus=after-query"], url, expected);
    }
    for url in ["%41", "//h%41", "?", "#", "?a=%41&b", "a%41?b%41=%41#%41?%41", "http://", "http://%41", "?&&=&%41="] {
        for part in ["path", "query", "values", "fragment"] {
            let out = run(&["decode", "--part", part], url);
            assert_eq!(
                out.iter().filter(|byte| b"?#&=".contains(byte)).count(),
                url.bytes().filter(|b| b"?#&=".contains(b)).count()
            );
        }
    }
}

/// Returns whether a URL has a scheme (RFC 3986 Appendix B), and the number of each delimiter in it.
fn shape(url: &str) -> (bool, [usize; 5]) {
    let first = url.find([':', '/', '?', '#']);
    let has_scheme = first.is_some_and(|at| url[at..].starts_with(':') && !url[..at].contains('%'));
    (has_scheme, ['/', '?', '#', '&', '='].map(|delimiter| url.matches(delimiter).count()))
}

#[test]
fn decoding_a_part_adds_no_scheme_and_no_delimiter() {
    let fronts = [
        "%6Aavascript:", "%68ttp://", "http%3A//", "http%3a", "a%253Ab", "a%3Ab:", "/a%3A", "//h/a%3A", "x:%3A",
        "%C3%A9%3A", "?a%3A", "#a%3A",
    ];
    for front in fronts {
        for rest in ["alert(1)", "evil/x%3Ay", "%41:b%3A/c?d=%3A#e%3A", ""] {
            let url = format!("{front}{rest}");
            for part in ["path", "query", "values", "fragment"] {
                for options in
                    [&[][..], &["--normalize"], &["--repeat", "3"], &["--charset", "sjis"], &["--plus=always"]]
                {
                    let out = run(&[&["decode", "--part", part], options].concat(), format!("{url}\n"));
                    let out = String::from_utf8_lossy(&out);
                    assert_eq!(shape(out.trim_end_matches('\n')), shape(&url), "{part} {options:?} {url} {out}");
                }
            }
        }
    }
    check(&["--part", "path"], "%6Aavascript:alert%281)\n", "%6Aavascript:alert(1)\n");
    check(&["--part", "path"], "%6Aavascript%3aalert%281)/%3A\n", "javascript%3Aalert(1)/:\n");
    check(&["--part", "path"], "mailto:a%3Ab\n", "mailto:a:b\n");
    check(&["--part", "path"], "/wiki/Talk%3AMain\n", "/wiki/Talk:Main\n");
    check(&["--part", "path", "--raw"], "a%3Ab\n", "a:b\n");
    // As in UTF-8, an unescaped delimiter stays as it is in other charsets.
    check(&["--part", "query", "--charset", "sjis"], "?a=%83%8F%3D?\n", "?a=ワ%3D?\n");
}

#[test]
fn layers_are_decoded_up_to_the_limit() {
    check(&["--repeat", "9"], "%2541 %252541 %25250A\n", "A A %0A\n");
    check(&["--repeat", "2"], "%252541\n", "%41\n");
    let deep = format!("%{}41", "25".repeat(40_000));
    let ran = exits(0, &["decode", "--repeat", "1000000", "--report=json"], deep);
    assert_eq!(ran.out, b"A");
    let report: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(report["inputs"][0]["layers"][9], 1, "{report}");
    exits(2, &["decode", "--repeat", "0"], "");
    // This input has no line end, so `pct` cuts it between escapes.
    let raw = "%252541 ".repeat(1_000_000);
    assert!(run(&["decode", "--raw", "--repeat", "3"], raw) == "A ".repeat(1_000_000).into_bytes());
}

#[test]
fn policies_keep_replace_skip_or_fail() {
    let input = "%41%zz\n%41%FF\n%41\n";
    for (args, out, code) in [
        (&[][..], &b"A%zz\nA\xFF\nA\n"[..], 0),
        (&["--on-error", "replace"], "A\u{FFFD}zz\nA\u{7}\nA\n".as_bytes(), 0),
        (&["--on-error", "skip"], b"A\xFF\nA\n", 0),
        (&["--on-error", "fail"], b"A", 1),
        (&["--on-utf8", "keep"], b"A%zz\nA%FF\nA\n", 0),
        (&["--on-utf8", "replace"], "A%zz\nA\u{FFFD}\nA\n".as_bytes(), 0),
        (&["--on-utf8", "skip"], b"A%zz\nA\n", 0),
        (&["--on-utf8", "fail"], b"A%zz\n", 1),
    ] {
        let ran = exits(code, &[&["decode"], args].concat(), input);
        let out: Vec<u8> = out.iter().map(|&byte| if byte == 7 { 0xFF } else { byte }).collect();
        assert_eq!(ran.out, out, "{args:?}");
    }
    check(&["--format", "lines"], "%0A%41\n", "%0AA\n");
    check(&["--format", "lines", "--raw"], "%0A%41\n", "\nA\n");
    check(&["--normalize"], "%7e%2f%c3%a9%zz\n", "~%2F%C3%A9%zz\n");
    // Decoding never turns the start of a path into a scheme.
    check(&["--normalize"], "%6Aavascript:alert(%41)\n", "%6Aavascript:alert(A)\n");
    check(&["--normalize"], "/%6A:%6A\n%6A?%6A:\n", "/j:j\nj?j:\n");
    check(&["--normalize", "--on-error", "replace"], "%7e%\n", "~%25\n");
    // A record with a malformed escape is skipped as a whole.
    let line = |target: &str| format!("- - - [17/May/2015:10:05:03 +0000] \"GET /{target}\" 200 1 \"-\"\n");
    let lines = line("%41%zz") + &line("%41");
    check(&[COMBINED, &["--on-error", "skip"]].concat(), &lines, &line("A"));
    let failed = exits(1, &[&["decode"], COMBINED, &["--strict"]].concat(), format!("\n{lines}"));
    assert_eq!(failed.out, b"\n");
    assert!(failed.err.contains("<stdin>:2: byte 45 (column 45): `%zz` is not an escape"), "{}", failed.err);
}

#[test]
fn checks_and_reports_have_places_and_counts() {
    let line = |target: &str, referrer: &str| {
        format!("- - - [17/May/2015:10:05:03 +0000] \"GET {target}\" 200 1 \"{referrer}\"\n")
    };
    let log = line("/%41%zz%2541%00%0a", "/%2e%2e%2f%c0%af") + &line("/", "-") + "%41\n";
    let ran = exits(1, &["decode", "--format", "combined", "--check", "--report=json"], log);
    let report: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    let input = &report["inputs"][0];
    let counts = &input["found"];
    for (kind, count) in [
        ("malformed", 1),
        ("invalid_utf8", 1),
        ("overlong", 1),
        ("double_encoded", 1),
        ("over_encoded", 3),
        ("nul", 1),
        ("line_end", 1),
        ("traversal", 1),
    ] {
        assert_eq!(counts[kind], count, "{kind} in {report}");
    }
    assert_eq!((&input["records"], &input["not_in_format"], &input["escapes"]), (&3.into(), &1.into(), &9.into()));
    let place = input["places"].as_array().unwrap().iter().find(|place| place["kind"] == "malformed").unwrap();
    assert_eq!((&place["line"], &place["column"], &place["bytes"]), (&1.into(), &45.into(), &"%zz".into()));
    // With any number of threads, the report has as many places as requested, and these are the first places of the input.
    let many = "%zz\n".repeat(500_000);
    for (threads, positions, lines) in [("1", "3", 3), ("3", "3", 3), ("3", "0", 0), ("4", "all", 500_000)] {
        let args = ["decode", "--check", "--positions", positions, "-j", threads];
        let text = String::from_utf8(exits(1, &args, &many).out).unwrap();
        let places: Vec<_> = text.lines().filter(|line| line.contains(": malformed escape: ")).collect();
        assert_eq!(places.len(), lines);
        for (number, place) in places.iter().enumerate() {
            assert!(place.starts_with(&format!("<stdin>:{}:1: ", number + 1)), "{place}");
        }
        assert!(text.contains("500,000"), "{text}");
    }
    exits(0, &["decode", "--check"], "%41\n");
    assert_eq!(run(&["decode", "--report", "--color", "never"], "%41"), b"A");
    assert!(pct(["decode", "--check", "--color", "always"], b"%").out.contains(&0x1B));
    let stats = String::from_utf8(run(&["stats", "--top", "1"], "%41%41%42\n\n")).unwrap();
    assert!(stats.contains("%41 A") && !stats.contains("%42 B") && stats.contains('█'), "{stats}");
    let folder = Folder::new();
    let svg = folder.path("a.svg");
    run(&["stats", "--svg", svg.to_str().unwrap()], "%3C%26%22");
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("%3C &lt;") && svg.ends_with("</svg>\n"));
}

#[test]
fn compressed_files_are_read_and_written() {
    let folder = Folder::new();
    let plain = "%41%42 line\n".repeat(40_000);
    let expected = "AB line\n".repeat(40_000);
    for (form, name) in [("gz", "a.gz"), ("zst", "a.zst")] {
        let packed = run(&["encode", "-z", form, "--set", "rfc3986-uri", "--allow", "% "], plain.clone());
        assert!(packed.len() < plain.len() / 10);
        // `pct` detects the compression from the first bytes, not from the name of the file.
        let file = folder.file("no name for it", &packed);
        assert!(run(&["decode", file.to_str().unwrap()], "") == expected.as_bytes());
        let out = folder.path(name);
        run(&["decode", "-o", out.to_str().unwrap(), file.to_str().unwrap()], "");
        let again = run(&["encode", "--allow", " ", out.to_str().unwrap()], "");
        assert!(again == expected.as_bytes(), "{form}");
        // A compressed input that is cut off is an error. The output has a member for each chunk, so the cut is inside the
        // last one.
        let cut = folder.file("cut", &packed[..packed.len() - 1]);
        exits(2, &["decode", cut.to_str().unwrap()], "");
        let empty = run(&["decode", "-z", form], "");
        assert_eq!(run(&["decode"], empty), b"");
        // A file that is replaced in place stays compressed.
        exits(0, &["decode", "--in-place", file.to_str().unwrap()], "");
        assert!(fs::read(&file).unwrap().len() < plain.len() / 10);
        assert!(run(&["decode", file.to_str().unwrap()], "") == expected.as_bytes());
    }
    assert_eq!(run(&["decode"], &b"\x1F"[..]), b"\x1F");
}

#[test]
fn rows_of_rowbinary_are_decoded() {
    assert_eq!(
        run(&["decode", "--rowbinary"], &b"\x07a%%41%0\x00\x03%0A\x06%FF%9B"[..]),
        b"\x05a%A%0\x00\x01\n\x02\xFF\x9B".to_vec()
    );
    let long = "%41".repeat(200);
    let row = [&[0xD8, 0x04][..], long.as_bytes()].concat();
    assert_eq!(
        run(&["decode", "--rowbinary"], row.repeat(3)),
        [&[0xC8, 0x01][..], "A".repeat(200).as_bytes()].concat().repeat(3)
    );
    // `pct` answers each row before the next row is sent.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pct"))
        .args(["decode", "--rowbinary"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for _ in 0..20 {
        stdin.write_all(b"\x03%41").unwrap();
        let mut row = [0; 2];
        stdout.read_exact(&mut row).unwrap();
        assert_eq!(&row, b"\x01A");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    exits(2, &["decode", "--rowbinary", "--on-error", "skip"], "");
    // A row that is cut off or has a bad length is reported with its offset.
    for bad in [&b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF%41"[..], b"\x09%41", b"\x80"] {
        for before in [0, 3, 200_000] {
            let input = [&b"\x03%41".repeat(before)[..], bad].concat();
            let ran = exits(2, &["decode", "--rowbinary"], input.clone());
            assert!(ran.out == b"\x01A".repeat(before), "{bad:?} after {before} rows");
            let told = [&format!("byte {}: ", 4 * before), "the row that starts here is cut off"];
            assert!(told.iter().all(|told| ran.err.contains(told)), "{}", ran.err);
            let ran = exits(2, &["stats", "--rowbinary"], input);
            assert!(told.iter().all(|told| ran.err.contains(told)), "{}", ran.err);
        }
    }
    // This row starts with the bytes 1F (its length) and 8B (its first data byte). `pct` must not mistake them for the
    // magic bytes of gzip.
    let row = [&[0x1F][..], &b"\x8B".repeat(31)].concat();
    // `pct` also finds a bad row that is far from the start, in an input without escapes.
    let rows = b"\x03abc".repeat(1 << 20);
    let ran = exits(2, &["decode", "--rowbinary"], [&rows[..], b"\x09ab"].concat());
    assert!(ran.out == rows, "the rows before it are there");
    assert_eq!(run(&["decode", "--rowbinary"], row.clone()), row);
}

/// A line of 100 MB comes out unchanged in every format, and the next line is processed.
#[test]
fn a_line_of_100_mb_stays_and_the_next_is_decoded() {
    for (format, before, after, expected) in [
        (
            "clf",
            "",
            "- - - [17/May/2015:10:05:03 +0000] \"GET /%41\" 200\n",
            "- - - [17/May/2015:10:05:03 +0000] \"GET /A\" 200\n",
        ),
        ("csv", "url\n", "%41\n", "A\n"),
        ("tsv", "url\n", "%41\n", "A\n"),
        ("w3c", "#Fields: cs-uri-query\n", "%41\n", "A\n"),
        ("ndjson", "", "{\"url\":\"%41\"}\n", "{\"url\":\"A\"}\n"),
    ] {
        let mut child = process::command(["decode", "--format", format]).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let chunk = b"%42\"{,\t \\".repeat(111_112);
        let long = 100 * chunk.len();
        let mut peak = None;
        let (len, end) = thread::scope(|scope| {
            scope.spawn(|| {
                stdin.write_all(before.as_bytes()).unwrap();
                for _ in 0..100 {
                    stdin.write_all(&chunk).unwrap();
                }
                stdin.write_all(format!("\n{after}").as_bytes()).unwrap();
                drop(stdin);
            });
            let (mut len, mut end, mut buffer) = (0, Vec::new(), vec![0; 1 << 20]);
            loop {
                let read = stdout.read(&mut buffer).unwrap();
                if read == 0 {
                    break (len, end);
                }
                len += read;
                end.extend(&buffer[..read]);
                end.drain(..end.len().saturating_sub(100));
                if let Ok(status) = fs::read_to_string(format!("/proc/{}/status", child.id())) {
                    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
                    // After the process has ended, its status has no line `VmHWM`. Then we keep the last peak.
                    peak = kib.map(|kib| kib.trim().parse::<u64>().unwrap()).or(peak);
                }
            }
        });
        match peak {
            Some(kib) => assert!(kib < 100_000, "{format}: {kib} KiB"),
            None => percent_simd_oracle::skip("the memory that a long line takes: there is no /proc"),
        }
        assert!(child.wait().unwrap().success());
        assert_eq!(len, before.len() + long + 1 + expected.len(), "{format}");
        assert!(end.ends_with(format!("\n{expected}").as_bytes()), "{format}: {}", end.escape_ascii());
    }
}

#[cfg(unix)]
#[test]
fn in_place_keeps_permissions_and_links() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    // A replaced file keeps its permissions. If the user gives a symbolic link, the link stays a link.
    let file = folder.file("file", b"%41");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    exits(0, &["decode", "--in-place", link.to_str().unwrap()], "");
    assert_eq!(
        (fs::read(&file).unwrap().as_slice(), fs::metadata(&file).unwrap().permissions().mode() & 0o777),
        (&b"A"[..], 0o640)
    );
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    // If an error stops `pct`, the file stays as it was.
    let bad = folder.file("bad", b"%42\n%zz");
    exits(1, &["decode", "--strict", "--in-place", bad.to_str().unwrap()], "");
    assert_eq!(fs::read(&bad).unwrap(), b"%42\n%zz");
    exits(2, &["decode", "--in-place"], "");
    let missing = folder.path("missing");
    exits(2, &["decode", "--in-place", missing.to_str().unwrap(), bad.to_str().unwrap()], "");
    assert_eq!(fs::read(&bad).unwrap(), b"B\n%zz");
}

#[test]
fn threads_make_no_difference() {
    let log = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/access.log")).unwrap().repeat(2000);
    for args in [
        &["decode", "--format", "combined"][..],
        &["decode"],
        &["encode"],
        &["decode", "--report=json", "--format", "combined"],
    ] {
        let one = pct([args, &["-j", "1"]].concat(), &log);
        for threads in ["2", "7"] {
            let more = pct([args, &["-j", threads]].concat(), &log);
            assert!(one.out == more.out, "{args:?} {threads}");
            assert_eq!(one.err, more.err);
        }
    }
}

/// Writes random records, and reads the results with parsers of other projects.
mod random {
    use percent_simd_oracle::{Random, cases};

    use super::run;

    const VALUES: &[&str] =
        &["%41", "%2C", "%22", "%0A", "%0d", "%C3%A9", "%FF", "%C2%9B", "%2", "%", "a", "é", " ", ",", "%5C", "%25"];

    /// Decodes one layer of escapes. Escapes of bytes from 0x80 that are not valid UTF-8 stay.
    fn decoded(text: &str) -> String {
        let hex = |at: usize| {
            text.get(at + 1..at + 3)
                .filter(|_| text.as_bytes()[at] == b'%')
                .and_then(|d| u8::from_str_radix(d, 16).ok())
        };
        let mut out = String::new();
        let mut at = 0;
        while at < text.len() {
            match hex(at) {
                Some(0..=0x1F | 0x7F) => out.push_str(&text[at..at + 3]),
                Some(byte @ 0x20..=0x7E) => out.push(char::from(byte)),
                Some(byte) => {
                    // This decoder knows only the two multi-byte characters of the test data.
                    if byte == 0xC3 && text[at..].starts_with("%C3%A9") {
                        out.push('é');
                        at += 6;
                        continue;
                    }
                    out.push_str(&text[at..at + 3]);
                }
                None => {
                    let c = text[at..].chars().next().unwrap();
                    out.push(c);
                    at += c.len_utf8();
                    continue;
                }
            }
            at += 3;
        }
        out
    }

    #[test]
    fn csv_cells_are_read_back() {
        let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
        let mut rows = vec![["id".to_string(), "url".into(), "x".into()]];
        for _ in 0..cases(5000) {
            let extra = &[VALUES, &["\"", "\n", "\r\n"]].concat();
            rows.push([random.text(extra, 4), random.text(extra, 8), random.text(extra, 4)]);
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let out = run(&["decode", "--format", "csv", "-f", "url"], writer.into_inner().unwrap());
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
        let read: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(read.len(), rows.len());
        for (row, read) in rows.iter().zip(&read) {
            assert_eq!((&row[0], &row[2]), (&read[0].to_string(), &read[2].to_string()));
            assert_eq!(decoded(&row[1]), read[1], "{row:?}");
        }
    }

    #[test]
    fn json_strings_are_read_back() {
        use serde_json::{Value, json};
        let mut random = Random::seeded(0xD1B5_4A32_D192_ED03);
        let objects: Vec<Value> = (0..cases(5000))
            .map(|_| {
                let extra = &[VALUES, &["\"", "\n", "\\", "\u{1}"]].concat();
                json!({ "a": [random.text(extra, 3)], "url": random.text(extra, 8), "z": { "x": random.text(extra, 3) } })
            })
            .collect();
        let input: String = objects.iter().map(|object| format!("{object}\n")).collect();
        let out = String::from_utf8(run(&["decode", "--format", "ndjson"], input)).unwrap();
        assert_eq!(out.lines().count(), objects.len());
        for (object, line) in objects.iter().zip(out.lines()) {
            let read: Value = serde_json::from_str(line).unwrap();
            assert_eq!((&object["a"], &object["z"]), (&read["a"], &read["z"]));
            assert_eq!(decoded(object["url"].as_str().unwrap()), read["url"].as_str().unwrap());
        }
    }

    /// Decodes the log escapes of a server in the simplest way.
    fn unescaped(text: &str) -> Vec<u8> {
        let Some(rest) = text.strip_prefix('\\') else {
            let Some(c) = text.chars().next() else { return Vec::new() };
            return [c.to_string().into_bytes(), unescaped(&text[c.len_utf8()..])].concat();
        };
        let hex = rest.strip_prefix('x').and_then(|rest| u8::from_str_radix(rest.get(..2)?, 16).ok());
        match (hex, rest.as_bytes()) {
            (Some(byte), _) => [vec![byte], unescaped(&rest[3..])].concat(),
            (None, [b'n', ..]) => [vec![b'\n'], unescaped(&rest[1..])].concat(),
            (None, [byte @ (b'"' | b'\\'), ..]) => [vec![*byte], unescaped(&rest[1..])].concat(),
            _ => [vec![b'\\'], unescaped(rest)].concat(),
        }
    }

    fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
        percent_simd::Decoder::new().decode(bytes).into_owned()
    }

    #[test]
    fn unescaped_logs_are_read_back() {
        let mut random = Random::seeded(0xA076_1D64_78BD_642F);
        let values = [
            "\\xD0", "\\xB0", "\\xd0\\xb0", "\\xE2\\x80\\xAE", "\\x22", "\\x5C", "\\x0A", "\\x20", "\\x41", "\\n",
            "\\\"", "\\\\", "x41", "%D0", "%B0", "%22", "%5C", "%0A", "%41", "%C2%9B", "a", "é", "?", "+",
        ];
        let fields: Vec<[String; 2]> =
            (0..cases(20_000)).map(|_| [random.text(&values, 8), random.text(&values, 8)]).collect();
        let line = |[target, referrer]: &[String; 2]| {
            format!("h - - [17/May/2015:10:05:03 +0000] \"GET /{target} HTTP/1.1\" 200 1 \"{referrer}\" \"-\"\n")
        };
        let input: String = fields.iter().map(line).collect();
        let out = String::from_utf8(run(&["decode", "--format", "combined", "--unescape-log"], input)).unwrap();
        let mut lines = out.lines();
        for before in &fields {
            let after = lines.next().unwrap();
            // The record has the same fields as before. A field is the text between two quotes, and quotes inside
            // escapes don't count.
            let plain = after.replace("\\\\", "..").replace("\\\"", "..");
            let quotes: Vec<usize> = plain.match_indices('"').map(|(at, _)| at).collect();
            assert_eq!(quotes.len(), 6, "{after}");
            let (request, referrer) = (&after[quotes[0] + 1..quotes[1]], &after[quotes[2] + 1..quotes[3]]);
            let target = request.strip_prefix("GET /").and_then(|rest| rest.strip_suffix(" HTTP/1.1")).unwrap();
            assert!(!target.contains(' ') && !after.chars().any(|c| c.is_control() || c == '\u{202E}'), "{after}");
            // Decode all escapes of both fields before comparing them: they must have the same bytes.
            for (before, after) in before.iter().zip([target, referrer]) {
                let bytes = |text: &str| percent_decoded(&unescaped(text));
                assert_eq!(
                    bytes(before).escape_ascii().to_string(),
                    bytes(after).escape_ascii().to_string(),
                    "{before}"
                );
                assert!(!after.contains("\\xd0\\xb0") && !after.contains("%41"), "{after}");
            }
        }
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn quotes_and_brackets_of_lines_stay() {
        let mut random = Random::seeded(0x2545_F491_4F6C_DD1D);
        let extra = &[VALUES, &["\\\"", "\\\\", "%20", "\"", "\\", "[", "]", "HTTP/"]].concat();
        let lines: Vec<String> = (0..cases(20_000))
            .map(|_| {
                format!(
                    "h - {} [17/May/2015:10:05:03 +0000] \"GET /{} HTTP/1.1\" 200 1 \"{}\" \"{}\"",
                    random.text(&["u", " ", "%41"], 3),
                    random.text(extra, 6),
                    random.text(extra, 6),
                    random.text(extra, 3)
                )
            })
            .collect();
        for format in ["combined", "clf", "s3", "alb"] {
            let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let out = String::from_utf8(run(&["decode", "--format", format], input)).unwrap();
            assert_eq!(out.lines().count(), lines.len());
            for (before, after) in lines.iter().zip(out.lines()) {
                // The bytes that structure a line are unchanged.
                let shape = |line: &str| line.chars().filter(|c| "\"\\[]".contains(*c)).collect::<String>();
                assert_eq!(shape(before), shape(after), "{format}");
                assert_eq!(before.split(" \"").next(), after.split(" \"").next());
            }
        }
    }
}

/// A byte order mark is part of the file, not of its first record.
#[test]
fn the_record_after_a_byte_order_mark_is_read() {
    let combined = "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /%41 HTTP/1.1\" 200 2 \"-\" \"x\"\n";
    for (format, log) in [
        ("combined", combined),
        ("logfmt", "url=/%41 a=b\n"),
        ("w3c", "#Fields: date cs-uri-stem\n2000-10-10 /%41\n"),
        ("csv", "url,a\n/%41,b\n"),
        ("tsv", "url\ta\n/%41\tb\n"),
        ("ndjson", "{\"url\":\"/%41\"}\n"),
        ("text", "/%41\n"),
        ("lines", "/%41\n"),
    ] {
        let marked = |text: &str| [b"\xEF\xBB\xBF", text.as_bytes()].concat();
        for name in [format, "auto"] {
            let args = ["decode", "--strict-format", "--format", name];
            assert_eq!(
                run(&args, marked(log)).escape_ascii().to_string(),
                marked(&log.replace("%41", "A")).escape_ascii().to_string(),
                "{format}"
            );
        }
    }
    // In lines, `decode` and `encode` read bytes, and the other verbs read text after the mark.
    let lines = "\u{FEFF}HTTP://H/%7Ea\nHTTP://H/%7Ea\n";
    for (args, expected) in [
        (&["encode"][..], "%EF%BB%BFHTTP%3A%2F%2FH%2F%257Ea\nHTTP%3A%2F%2FH%2F%257Ea\n"),
        (&["normalize"], "\u{FEFF}http://h/~a\nhttp://h/~a\n"),
        (&["repair"], lines),
        (&["escape"], "\u{FEFF}HTTP%3A//H/%257Ea\nHTTP%3A//H/%257Ea\n"),
        (&["cut", "--no-header", "-f", "scheme,path"], "HTTP\t/~a\nHTTP\t/~a\n"),
        (&["unique"], "\u{FEFF}HTTP://H/%7Ea\n"),
        (&["grep", "-o", "^HTTP"], "HTTP\nHTTP\n"),
        (&["form", "--json"], "[[\"HTTP://H/~a\",\"\"]]\n[[\"HTTP://H/~a\",\"\"]]\n"),
        (&["form"], "\u{FEFF}HTTP://H/~a\t\n\nHTTP://H/~a\t\n\n"),
        (&["form", "--encode"], "\u{FEFF}HTTP%3A%2F%2FH%2F%7Ea&HTTP%3A%2F%2FH%2F%7Ea\n"),
        (&["lint", "-q", "--ignore", "over-encoded"], ""),
        (&["normalize", "--format", "text"], "\u{FEFF}http://h/~a\nhttp://h/~a\n"),
    ] {
        assert_eq!(String::from_utf8(process::output(args, lines.as_bytes())).unwrap(), expected, "{args:?}");
    }
    // A byte order mark at the start of any record except the first one counts as an attack.
    let out = process::output(["grep", "--attack", "byte_order_mark"], "/a\n\u{FEFF}/b\n".as_bytes());
    assert_eq!(out, "\u{FEFF}/b\n".as_bytes());
}

#[test]
fn random_input_never_panics() {
    let hostile: Vec<Vec<u8>> = vec![
        (0..=255).collect(),
        b"%".repeat(1000),
        b"\"".repeat(1001),
        b"[{".repeat(1000),
        b"\\".repeat(999),
        b"\n%\n\r\n%4\n\"%41\n,\t ;\n".to_vec(),
        "é%C3%A9%C3\u{FEFF}".as_bytes().repeat(50),
        b"#Fields:\n#Fields: cs-uri-query\n#\n%41 \n\t%41\n".to_vec(),
        b"\xEF\xBB\xBFurl\n%41".to_vec(),
    ];
    let nginx = "nginx:$a \"$request\" $args";
    let formats = ["auto", "lines", "clf", "combined", "alb", "s3", "cloudfront", "w3c", "csv", "tsv", "ndjson", nginx];
    for input in &hostile {
        for format in formats {
            for options in [
                &[][..],
                &["--raw"],
                &["--report"],
                &["--repeat", "3"],
                &["--plus=after-query", "--part", "values"],
                &["--on-error", "replace", "--on-utf8", "replace"],
                &["--to", "{}x"],
                &["--normalize"],
            ] {
                let args = [&["decode", "--format", format], options].concat();
                let ran = pct(&args, input);
                // Four errors are right: no column with URLs, no known format, a name that already exists, and a format
                // without a place for a result.
                let told = ["no column", "has no known format", "choose another name with --to", "--to can't add"];
                let is_done = ran.code == Some(0) || told.iter().any(|told| ran.err.contains(told));
                assert!(is_done && !ran.err.contains("panic"), "{args:?}: {}", ran.err);
            }
        }
    }
}

#[test]
fn completions_and_manuals_are_generated() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(run(&["completions", shell], "").len() > 1000);
    }
    let folder = Folder::new();
    let man = folder.path("man");
    run(&["man", man.to_str().unwrap()], "");
    let page = |name: &str| fs::read_to_string(man.join(name)).unwrap();
    for (name, text) in [
        // The synopsis shows the values of options. Examples and tables keep their layout.
        ("pct-decode.1", "[\\fB\\-\\-in\\-place\\fR[=\\fISUFFIX\\fR]]"),
        ("pct-decode.1", "[\\fB\\-f\\fR|\\fB\\-\\-field\\fR \\fIFIELD,...\\fR]"),
        ("pct-decode.1", ".nf\n  pct decode access.log                   %D0%B0%20b"),
        ("pct-formats.1", "\ncombined      "),
        ("pct-lint.1", ".nf\n  malformed         a % without"),
        ("pct.1", "\n  pct decode access.log  "),
    ] {
        let page = page(name);
        assert!(page.contains(text), "{name} has no {text}: {page}");
    }
}

/// The guess of a format looks at the first 64 KiB. It must not take quadratic time in the number of columns.
#[test]
fn the_guess_of_a_table_with_very_many_columns_is_fast() {
    let start = Instant::now();
    for delimiter in [",", "\t", ";", "|"].repeat(3) {
        let row = |cell: &str| [cell, delimiter].concat().repeat(30_000) + "\n";
        pct(["decode", "--format", "auto"], [row("a"), row("/b")].concat().as_bytes());
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// Each line with `#Fields:` can name thousands of columns. Their search must not take quadratic time either.
#[test]
fn many_directives_with_many_columns_are_read_in_time() {
    let names: String = (0..4000).map(|number| format!(" a{number}-url")).collect();
    let other = format!("#Fields:{}\n", " a".repeat(20_000));
    let log = format!("#Fields:{names}\n{}\n{}", ["/%41?a"; 4000].join(" "), other.repeat(90));
    let folder = Folder::new();
    let file = folder.file("log", log.as_bytes());
    let start = Instant::now();
    let ran = pct(["decode", "--format", "auto", file.to_str().unwrap()], b"");
    assert!(ran.out.len() < log.len() && start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// A user who forgets `--format` gets a message, and the same output as without the message. Lists of URLs and targets give no
/// message.
#[test]
fn verbs_that_read_urls_name_the_format_of_a_log_that_is_read_as_urls() {
    let log = "192.0.2.1 - - [02/Nov/2026:10:00:01 +0000] \"GET /a%20b HTTP/1.1\" 200 5 \"-\" \"curl\"\n";
    let (json, csv) = ("{\"url\":\"http://h/%41\"}\n", "id,url\n1,http://h/%41\n2,http://h/\n");
    for verb in ["cut", "iri", "lint", "normalize", "repair", "stats", "unique"] {
        for (input, format) in [(log, "combined"), (json, "ndjson"), (csv, "csv")] {
            let ran = pct([verb], input.as_bytes());
            let told = format!(
                "pct: <stdin>: each line is read as one URL, but the first lines are in the format {format}; --format '{format}'?\n"
            );
            assert!(ran.err.starts_with(&told), "{verb}: {}", ran.err);
            let other = pct([verb, "--format", "lines"], input.as_bytes());
            assert_eq!((ran.code, ran.out), (other.code, other.out), "{verb}");
            assert!(!other.err.contains("--format"), "{verb}: {}", other.err);
            assert!(!pct([verb, "-q"], input.as_bytes()).err.contains("--format"), "{verb}");
        }
        for urls in [
            "http://h/a,b;c=d|e\nhttp://h/f,g;h=i|j\n",
            "http://h/a\tb\n",
            "/a?b=c,d&e=%5B\n/x?y=z,1&u=http://h\n",
            "a=1&b=2\nc=3&d=http://h/\n",
            "h:80\nurl:http://h/\n",
            "\u{feff}http://h/a\nhttp://h/b c\nh/d\n",
            "%41\n\n",
            "",
        ] {
            let ran = pct([verb], urls.as_bytes());
            assert!(!ran.err.contains("--format"), "{verb}: {urls:?}: {}", ran.err);
        }
    }
}

/// A program that appends to a compressed log writes a member for each part, and a WARC file has a member for each record.
#[test]
fn recognition_reads_all_members_of_a_compressed_input() {
    let record = |headers: &str| format!("WARC/1.0\r\n{headers}\r\nContent-Length: 2\r\n\r\nab\r\n\r\n");
    let warc = vec![
        record("WARC-Type: warcinfo"),
        record("WARC-Type: request\r\nWARC-Target-URI: <http://h/%41>"),
        record("WARC-Type: revisit\r\nWARC-Target-URI: http://h/b\r\nWARC-Refers-To-Target-URI: http://h/c"),
    ];
    let log = vec![
        "starting server\n".to_string(),
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /%41 HTTP/1.1\" 200 5 \"http://h/r\" \"x\"\n".repeat(9),
    ];
    let json = vec!["{\"url\":\"/a\"}\n".to_string(), "{\"url\":\"/b\",\"referer\":\"http://h/r\"}".to_string()];
    let folder = Folder::new();
    for (name, members) in [("auto", &warc), ("warc", &warc), ("auto", &log), ("auto", &json)] {
        let plain = folder.file("plain", members.concat().as_bytes());
        let args = ["cut", "-q", "--format", name, "--csv", plain.to_str().unwrap()];
        let expected = pct(args, b"");
        assert!(expected.code == Some(0) && expected.out.len() > 20, "{name}: {}", expected.err);
        // Some writers put URIs in angle brackets.
        assert!(!expected.out.contains(&b'<'), "{name}");
        for form in ["gz", "zst", "bz2", "xz"] {
            let pack = |text: &String| run(&["decode", "--raw", "-z", form], text.replace('%', "%25"));
            let packed: Vec<u8> = members.iter().flat_map(pack).collect();
            let file = folder.file("packed", &packed);
            let ran = pct(["cut", "-q", "--format", name, "--csv", file.to_str().unwrap()], b"");
            assert_eq!((ran.code, &ran.out), (Some(0), &expected.out), "{name} {form}: {}", ran.err);
            // A compressor holds its output back, so a compressed pipe is read ahead, too.
            let piped = pct(["cut", "-q", "--format", name, "--csv"], &packed);
            assert_eq!((piped.code, &piped.out), (Some(0), &expected.out), "{name} {form}: {}", piped.err);
            // The records before an error are read.
            let cut = pct(["decode"], &[&packed[..], &packed[..packed.len() - 1]].concat());
            assert_eq!(cut.code, Some(2), "{name} {form}: {}", cut.err);
            let text = run(&["decode"], members.concat());
            assert!(cut.out.starts_with(&text), "{name} {form}");
        }
    }
}
