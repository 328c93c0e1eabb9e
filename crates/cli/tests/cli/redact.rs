//! Tests that `--redact` lets no password through (RFC 3986 3.2.1), with every verb, in lines and in fields.

use percent_simd_oracle::Random;

use crate::process::{Folder, output, pct};

/// The text that no output may contain.
const SECRET: &str = "Tr0ub4dor";

/// Returns passwords that contain [`SECRET`] and delimiters. Most of the delimiters make the URL invalid.
fn passwords() -> Vec<String> {
    const PIECES: [&str; 20] =
        ["@", "/", "?", "#", ":", "%", "%zz", "%40", "%2F", "\\", "&", "=", "[", "]", ";", "^", "é", "+", "//", "!"];
    let mut random = Random::seeded(11);
    let mut text = |most| (0..random.below(most)).map(|_| PIECES[random.below(PIECES.len())]).collect::<String>();
    // The first `@` of a password could end the password of a valid URL, because a valid host and path could follow.
    // The `^` after the first `SECRET` makes the URL invalid, so everything up to the last `@` is the password.
    (0..200).map(|_| format!("{SECRET}^{}{SECRET}{}", text(5), text(3))).collect()
}

#[track_caller]
fn hides_all(args: &[&str], input: &str) -> String {
    let ran = pct(args, input.as_bytes());
    let out = String::from_utf8_lossy(&ran.out).into_owned();
    for text in [&out, &ran.err] {
        assert!(!text.contains(SECRET), "{args:?}: {}", text.lines().find(|line| line.contains(SECRET)).unwrap());
    }
    out
}

/// A name of a field can be a URL with a password: a member of JSON, a value in a header, or a value in the first row of
/// a table without a header. Messages quote such names, and `cut` writes them into its header. The field must still be
/// found.
#[test]
fn names_of_fields_show_no_password() {
    let name = format!("postgresql://u:{SECRET}@h");
    let inputs = [
        ("ndjson", format!("{{\"{name}/x\":\"http://x/%41\"}}\n")),
        ("ndjson", format!("{{\"a\":{{\"{name}\":\"http://x/%41\"}},\"b\":1}}\n")),
        ("json", format!("[{{\"{name}\":\"http://x/%41\"}}]\n")),
        ("csv", format!("{name},b\nhttp://x/%41,2\n")),
        ("csv", format!("\"{name}\",\"b\"\n\"http://x/%41\",\"2\"\n")),
        ("tsv", format!("{name}\tb\nhttp://x/%41\t2\n")),
        ("csv", format!("1,{name}/%41\n").repeat(2)),
        ("tsv", format!("1\t{name}/%41\n").repeat(2)),
        ("w3c", format!("#Fields: date {name} cs-uri-stem\n2026-01-01 - /%41\n")),
    ];
    for (format, input) in inputs {
        for verb in [
            &["decode"][..],
            &["decode", "-f", "x"],
            &["cut", "-f", "url"],
            &["cut", "-f", "url", "--json"],
            &["cut", "-f", "x"],
            &["stats"],
            &["grep", "--json", "x"],
            &["normalize"],
            &["unique"],
            &["lint"],
        ] {
            for format in [&["--format", format][..], &[]] {
                hides_all(&[verb, &["--redact"], format].concat(), &input);
            }
        }
        let decoded = hides_all(&["decode", "--redact", "--format", format], &input);
        assert!(!decoded.contains("%41"), "{format}: {decoded}");
    }
    let ran = pct(["cut", "-f", "x", "--redact", "--format", "csv"], format!("1,{name}\n").as_bytes());
    assert!(ran.code == Some(2) && ran.err.contains("u:*********@h"), "{}", ran.err);
}

#[test]
fn examples() {
    let redact = |args: &[&str], input: &str| {
        String::from_utf8(output([args, &["--redact"]].concat(), input.as_bytes())).unwrap()
    };
    let decode = ["decode"];
    // tiagolauer/OwlSQL pull 255
    assert_eq!(redact(&decode, "mysql://root:p@ss@localhost/db\n"), "mysql://root:***@localhost/db\n");
    assert_eq!(redact(&decode, "root:p@ss@localhost"), "root:***@localhost");
    assert_eq!(redact(&decode, "x://u:p@h/%41 y://v:q@i\n"), "x://u:***@h/A y://v:***@i\n");
    // Before decoding, the first URL has no password, because its `:` is escaped. After decoding, it has one.
    assert_eq!(redact(&decode, "http://u%3Ap@h http%3A%2F%2Fu%3Ap%40h\n"), "http://u:***@h http://u:***@h\n");
    // `normalize` and the format `text` keep these escapes, so decoding doesn't show the password.
    assert_eq!(redact(&["normalize"], "//u%3Ap@H/%7e\n"), "//u%3A***@h/~\n");
    assert_eq!(redact(&["decode", "--format", "text"], "//u%3Ap@h/%7e\n"), "//u%3A***@h/~\n");
    assert_eq!(redact(&["normalize"], "/x?u=%2f%2fu%3ap%40h\n"), "/x?u=%2F%2Fu%3A***%40h\n");
    assert_eq!(redact(&["encode"], "x://u:p@h\n"), "x%3A%2F%2Fu%3A***%40h\n");
    assert_eq!(redact(&["normalize"], "HTTP://u:p@H/%7e\n"), "http://u:***@h/~\n");
    assert_eq!(redact(&["grep", "h"], "x://u:p@h\n"), "x://u:***@h\n");
    assert_eq!(redact(&["grep", "-n", "h"], "x://u:p@h\n"), "1:x://u:***@h\n");
    assert_eq!(redact(&["decode", "--null"], "x://u:a/b@h\0c@d\0"), "x://u:***@h\0c@d\0");
    let log = r#"h - - [01/Jan/2026:00:00:00 +0000] "GET /?u=x://u:a/b@h HTTP/1.1" 200 1 "http://u:a b@h/" "x@y""#;
    let expected = log.replace("a/b", "***").replace("a b", "* *");
    assert_eq!(redact(&["decode", "--format", "combined"], log), expected);
    assert_eq!(
        redact(&["decode", "--format", "ndjson"], "{\"url\":\"http:\\/\\/u:p@h\",\"mail\":\"a@b\"}\n"),
        "{\"url\":\"http:\\/\\/u:***@h\",\"mail\":\"a@b\"}\n"
    );
    assert_eq!(redact(&["cut", "-f", "user,password", "--no-header"], "http://a%3Ab:c@h/\n"), "a:b\t***\n");
}

/// Tests that a report hides a password that appears only after decoding.
#[test]
fn reports_hide_decoded_passwords() {
    let input = format!("{{\"url\":\"/x?http://u%3A{SECRET}@h/=1\"}}\n{{\"url\":\"/http://u%3A{SECRET}@h/\"}}\n");
    let out = hides_all(&["stats", "--format", "ndjson", "-f", "/url", "--redact"], &input);
    assert!(out.contains("http://u:***@h/"), "{out}");
}

/// Tests the parts that netdata/netdata issue 19469 asks for.
#[test]
fn cut_has_users_and_passwords() {
    let input = b"http://a%3Ab:c@h/\nhttp://a:b%3Ac@h/\nhttp://u@h/\nh\n";
    let out = output(["cut", "-f", "user,password", "--no-header"], input);
    assert_eq!(String::from_utf8(out).unwrap(), "a:b\t***\na\t***\nu\t\n\t\n");
    let out = output(["cut", "-f", "user,password", "--no-header", "--show-passwords"], input);
    assert_eq!(String::from_utf8(out).unwrap(), "a:b\tc\na\tb:c\nu\t\n\t\n");
    assert_eq!(pct(["cut", "-f", "password", "--show-passwords", "--redact"], input).code, Some(2));
}

#[test]
fn no_verb_shows_a_password() {
    let lines: String = passwords().iter().map(|word| format!("https://user:{word}@h/%41%zz?q=%7e x\n")).collect();
    let folder = Folder::new();
    for args in [
        &["decode"][..],
        &["decode", "--repeat=stable", "--report"],
        &["decode", "--check", "--positions", "all"],
        &["decode", "--on-error", "replace"],
        &["decode", "--part", "query"],
        &["decode", "--on-utf8", "keep"],
        &["encode"],
        &["encode", "--set", "RFC3986_UNRESERVED"],
        &["normalize", "--positions", "all"],
        &["normalize", "--sanitize"],
        &["iri"],
        &["iri", "--to-uri"],
        &["escape"],
        &["unescape"],
        &["form"],
        &["form", "--json"],
        &["lint"],
        &["lint", "--json"],
        &["grep", "h"],
        &["grep", "-n", "h"],
        &["grep", "-d", "h"],
        &["grep", "--json", "h"],
        &["grep", "-o", ".*"],
        &["grep", "-c", SECRET],
        &["cut", "-f", "userinfo,user,password,authority,host,path,query"],
        &["cut", "-f", "authority", "--csv"],
        &["cut", "-f", "authority", "--json"],
        &["unique"],
        &["unique", "--count"],
        &["stats"],
        &["decode", "--format", "text"],
    ] {
        hides_all(&[args, &["--redact"]].concat(), &lines);
    }
    let file = folder.file("urls", lines.as_bytes());
    hides_all(&["decode", "--redact", "--in-place", file.to_str().unwrap()], "");
    assert!(!String::from_utf8_lossy(&std::fs::read(&file).unwrap()).contains(SECRET));
    let ran = pct(["decode", "--redact", "--text", lines.lines().next().unwrap()], b"");
    assert!(!String::from_utf8_lossy(&ran.out).contains(SECRET));
}

#[test]
fn no_format_shows_a_password() {
    for word in passwords().into_iter().take(25) {
        let url = format!("https://user:{word}@h/%41");
        let json = url.replace('\\', "\\\\");
        let log = url.replace('\\', "\\\\").replace(' ', "+");
        for (format, record) in [
            (
                "combined",
                format!(r#"h - - [01/Jan/2026:00:00:00 +0000] "GET /?u={log} HTTP/1.1" 200 1 "{log}" "{log}""#),
            ),
            ("ndjson", format!("{{\"url\":\"{json}\",\"x\":\"{json}\"}}")),
            ("csv", format!("url,x\n\"{url}\",\"{url}\"")),
            ("tsv", format!("url\tx\n{url}\t{url}")),
            ("logfmt", format!("url=\"{json}\" x=\"{json}\"")),
        ] {
            for verb in [&["decode"][..], &["normalize"], &["grep", "h"], &["cut", "-f", "1"], &["stats"], &["unique"]]
            {
                hides_all(&[verb, &["--redact", "--format", format]].concat(), &record);
            }
        }
    }
}

/// Tests that a quote or a tab in a password ends the password only if it also ends the field in the input's format.
#[test]
fn quotes_in_fields_end_no_password() {
    for word in [r#"a"b"#, r#""a"#, r#"a" b"#, r#"a\"" b"#, r#"a","b"#] {
        let url = format!("http://u:{word}{SECRET}@h/%41");
        let doubled = url.replace('"', "\"\"");
        let start = "1 9 1.1.1.1 TCP_MISS/200 1 GET";
        for (format, record) in [
            ("tsv", format!("url\tx\n{url}\ty")),
            ("ltsv", format!("host:x\turi:{url}")),
            ("leef", format!("LEEF:1.0|v|p|1|1|url={url}\tx=y")),
            ("text", format!("cannot reach {url}")),
            ("csv", format!("id,url\n1,\"{doubled}\",2")),
            ("csv;", format!("id;url\n\"1\";{url}")),
            ("squid", format!("{start} {url} - DIRECT/h text/html")),
            ("w3c", format!("#Fields: s-ip cs-uri-stem\nh {url}")),
            ("nginx:$request_uri", url.clone()),
            ("sitemap", format!("<urlset><url><loc>{url}</loc></url></urlset>")),
        ] {
            for verb in [&["decode"][..], &["cut"], &["cut", "--csv"], &["cut", "--json"], &["grep", "--json", "h"]] {
                let out = hides_all(&[verb, &["--redact", "--format", format]].concat(), &record);
                assert!(verb[0] != "decode" || out.contains("*@h"), "{format}: {out}");
            }
        }
    }
    hides_all(&["decode", "--redact", "--format", "csv"], &format!("id,url\n1,http://u:a\t{SECRET}@h/\n"));
}

/// Tests that a record keeps its fields: columns and members without a password stay.
#[test]
fn records_keep_their_fields() {
    for word in ["a/b", "a@b", "a b", "a,b", "a|b#"] {
        let record = format!("url,x\n\"u://u:{word}@h\",\"c,d@e\"\n");
        let out = hides_all(&["cut", "--format", "csv", "-f", "x", "--redact", "--no-header"], &record);
        assert_eq!(out, "c,d@e\n", "{word}");
        let record = format!("{{\"url\":\"u://u:{word}@h\",\"x\":\"c,d@e\"}}\n");
        let out = hides_all(&["cut", "--format", "ndjson", "-f", "/x", "--redact", "--no-header"], &record);
        assert_eq!(out, "c,d@e\n", "{word}");
    }
}

/// Tests that a record stays valid if a password in it contains escapes of the format (RFC 8259 7). These escapes are
/// hidden too. Only an escaped delimiter of a field, such as `\"`, stays.
#[test]
fn records_with_escapes_stay_valid() {
    let redact = |format: &str, input: &str| {
        String::from_utf8(output(["decode", "--redact", "--format", format], input.as_bytes())).unwrap()
    };
    for (password, hidden) in [
        (r"p\u00e4ss", "***"),
        (r"p\u0026ss", "***"),
        (r"p\nss", "***"),
        (r"a\/b", "***"),
        (r"a\\b", "***"),
        (r#"a\"b"#, r#"*\"*"#),
        (r#"a\\\"b"#, r#"*\\\"*"#),
    ] {
        let line = |password: &str, e: &str| format!("{{\"url\":\"http://u:{password}@h/caf{e}\"}}\n");
        assert_eq!(redact("ndjson", &line(password, "%C3%A9")), line(hidden, "é"), "{password}");
    }
    const PIECES: [&str; 12] =
        ["a", "é", r"\u00e4", r"\ud83d\ude00", r"\n", r"\/", r#"\""#, r"\\", "&#58;", "&amp;", "@", "%2F"];
    let mut random = Random::seeded(12);
    for _ in 0..100 {
        let word: String = (0..1 + random.below(8)).map(|_| PIECES[random.below(PIECES.len())]).collect();
        let nested = word.replace('\\', r"\\").replace('"', "\\\"");
        let record = format!(
            "{{\"url\":\"http://u:{SECRET}^{word}@h/\",\"log\":\"{{\\\"u\\\":\\\"http://u:{SECRET}^{nested}@h\\\"}}\",\"x\":\"c,d@e\"}}\n"
        );
        let out = hides_all(&["decode", "--redact", "--format", "ndjson"], &record);
        let value: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
        assert_eq!(value["x"], "c,d@e", "{out}");
        assert!(serde_json::from_str::<serde_json::Value>(value["log"].as_str().unwrap()).is_ok(), "{out}");
    }
    let log = r#"h - - [01/Jan/2026:00:00:00 +0000] "GET /?u=x://u:a\x22b\xe9@h HTTP/1.1" 200 1 "-" "-""#;
    assert_eq!(redact("combined", log), log.replace(r"a\x22b\xe9", "***"));
    let cell = "url,x\n\"http://u:a/\"\"b@h/%41\",c\n";
    assert_eq!(redact("csv", cell), "url,x\n\"http://u:**\"\"*@h/A\",c\n");
}

/// Tests URLs that are written with escapes of the input's format (RFC 8259 7; XML 1.0, 4.1).
#[test]
fn passwords_behind_escapes_of_the_format_are_hidden() {
    let json = format!("{{\"url\":\"http:\\u002f\\u002fu:{SECRET}@h/%41\"}}\n");
    let nested = format!("{{\"url\":\"{{\\\"u\\\":\\\"http:\\\\u002f\\\\u002fu:{SECRET}@h/%41\\\"}}\"}}\n");
    let escaped = json.replace(":Tr", r"\u003aTr").replace('@', r"\u0040");
    let colon = json.replace("http:", r"http\u003A").replace('@', r"\n\u0040");
    for input in [json, nested, escaped, colon] {
        for verb in [
            &["decode"][..],
            &["decode", "--report"],
            &["normalize"],
            &["grep", SECRET],
            &["grep", "h"],
            &["grep", "-o", "h.*"],
            &["grep", "--json", "h"],
            &["cut", "-f", "/url"],
            &["cut", "-f", "/url.userinfo"],
            &["cut", "-f", "/url.authority", "--json"],
            &["cut", "-f", "/url.authority", "--csv"],
            &["stats", "-f", "/url"],
            &["stats", "-f", "/url", "--json"],
            &["unique"],
            &["lint"],
            &["lint", "--json"],
        ] {
            hides_all(&[verb, &["--redact", "--format", "ndjson"]].concat(), &input);
        }
    }
    for url in [
        "http://u&#58;S&#64;h/%41", "http&#x3a;//u:S@h/%41", "http://u:a&amp;S&#064;h/%41",
        "http:&#47;/u:1x&#47;S&#64;h",
    ] {
        let xml = format!("<urlset>\n<url><loc>{}</loc></url>\n</urlset>\n", url.replace('S', SECRET));
        for verb in [&["decode"][..], &["cut", "-f", "1"], &["grep", "h"], &["stats"], &["unique"]] {
            hides_all(&[verb, &["--redact", "--format", "sitemap"]].concat(), &xml);
        }
    }
}

/// Tests all spellings of `:`, `/` and `@` that a reader of the output could take for these characters, in any mixture and
/// up to four layers of them.
#[test]
fn passwords_behind_other_spellings_are_hidden() {
    let spell = |c: char| {
        let code = c as u32;
        let name = match c {
            ':' => "colon",
            '/' => "sol",
            _ => "commat",
        };
        let wide = char::from_u32(code + 0xFEE0).unwrap();
        let mut bytes = [0; 4];
        let wide_escaped: String = wide.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect();
        [
            c.to_string(),
            format!("\\u{code:04x}"),
            format!("\\x{code:02X}"),
            format!("\\{code:03o}"),
            format!("\\u{{{code:x}}}"),
            format!("\\U{code:08X}"),
            format!("\\\\u{code:04x}"),
            format!("\\\\\\\\x{code:02x}"),
            format!("%5Cu{code:04x}"),
            format!("%u{code:04X}"),
            format!("%2525u{code:04x}"),
            format!("&#{code};"),
            format!("&#0{code}"),
            format!("%26%23{code};"),
            format!("&#x{code:x};"),
            format!("&amp;amp;#{code};"),
            format!("&{name};"),
            wide.to_string(),
            wide_escaped.replace('%', "%25"),
            wide_escaped,
            format!("&#{};", wide as u32),
            format!("\\u{:x}", wide as u32),
            format!("%{:02x}%{:02x}", 0xC0 | code >> 6, 0x80 | code & 0x3F),
        ]
    };
    let [colons, slashes, ats] = [':', '/', '@'].map(spell);
    let mut random = Random::seeded(13);
    let mut urls: Vec<String> = colons.iter().map(|colon| format!("//u{colon}{SECRET}@h")).collect();
    urls.extend(ats.iter().map(|at| format!("/x?y=http://u:{SECRET}{at}h")));
    urls.extend(slashes.iter().map(|slash| format!("http:{slash}{slash}u:{SECRET}@h")));
    urls.extend(["\t", "%09", "%0A", "%250d", "&Tab;", "\\n", "\\x0A", "\t\t"].iter().flat_map(|tab| {
        [format!("http:{tab}//u:{SECRET}@h"), format!("http:/{tab}/u:{SECRET}@h"), format!("x //u{tab}:{SECRET}@h")]
    }));
    for _ in 0..300 {
        let mut one = |list: &[String]| list[random.below(list.len())].clone();
        let [first, second, third] = [&slashes, &slashes, &colons].map(|list| one(list));
        urls.push(format!("x=http{}{first}{second}u{third}{SECRET}{}h", one(&colons), one(&ats)));
    }
    let lines = urls.join("\n") + "\n";
    for verb in [&["decode"][..], &["decode", "--format", "text"], &["normalize"], &["grep", "."], &["unique"]] {
        hides_all(&[verb, &["--redact"]].concat(), &lines);
    }
    let log =
        |url: &String| format!("h - - [01/Jan/2026:00:00:00 +0000] \"GET /?u={url} HTTP/1.1\" 200 1 \"-\" \"-\"\n");
    hides_all(&["decode", "--redact", "--format", "combined"], &urls.iter().map(log).collect::<String>());
    for text in ["12:30\t/x a@b", "h:80\t@bob", "/?t=12%3A00%40home", "\\u00e9:x %C3%A9 a@b", "é：/ 1@2"] {
        assert_eq!(hides_all(&["grep", "--redact", "."], text), format!("{text}\n"));
    }
}

/// Tests that spellings are searched in linear time. With quadratic time, this would take hours.
#[test]
fn long_texts_with_spellings_are_searched() {
    for piece in [
        "\t", "/\t", ":\t\t", "%25", "%", "&#", "&#x0", "&#58", "\\", "\\u{", "\\u{1", "％", "%C3", "\\x5c", "%5C",
        "&amp;",
    ] {
        hides_all(&["grep", "--redact", "-c", "x"], &(piece.repeat(1_000_000 / piece.len()) + "//u%u003a@h\n"));
    }
}

#[test]
fn long_records_and_bytes_without_records_are_refused() {
    let long = format!("u://u:{SECRET}{}@h\nok\n", "x".repeat(9 << 20));
    let ran = pct(["decode", "--redact"], long.as_bytes());
    assert_eq!((ran.code, &*String::from_utf8_lossy(&ran.out)), (Some(2), "ok\n"));
    assert!(ran.err.contains("is left out"), "{}", ran.err);
    for option in ["--raw", "--rowbinary"] {
        let ran = pct(["decode", "--redact", option], b"u://u:p@h");
        assert_eq!((ran.code, ran.out.len()), (Some(2), 0));
        assert!(ran.err.contains("--redact needs lines"), "{}", ran.err);
    }
}

#[test]
fn lint_finds_passwords_and_does_not_show_them() {
    let ran = pct(["lint"], format!("http://u:{SECRET}%zz@h\n/?u=x%3A%2F%2Fu%3Ap%40h\n").as_bytes());
    let expected = "<stdin>:1:10: password: `***`: leave it out, and change it if this text has been shown\n\
                    <stdin>:2:19: password: `***`: leave it out, and change it if this text has been shown\n";
    assert_eq!((ran.code, String::from_utf8(ran.out).unwrap().as_str()), (Some(1), expected));
    let out = output(["lint", "--ignore", "password"], b"http://u:p@h\n");
    assert!(out.is_empty());
    // With `--ignore password`, other findings in the userinfo still show text of the link. This text ends before the
    // password.
    let input = b"http://www.google.com:hunter2@evil/\nhttp://u%:hunter2@h/\n";
    let out = String::from_utf8(pct(["lint", "--ignore", "password"], input).out).unwrap();
    assert!(out.contains("host-in-userinfo: `www.google.com`: ") && out.contains("malformed: `%:`: "), "{out}");
}
