//! Decodes escapes of characters that a format can't hold or treats specially. Other parsers of the format must still
//! read every record of the output.

use crate::process;

use std::collections::BTreeSet;
use std::fs;

use process::{Folder, pct};
use roxmltree::Document;

/// Returns the bounds of each range of characters that a format treats specially, and the characters next to these bounds.
fn characters() -> BTreeSet<char> {
    let bounds = [
        0, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0x85, 0x9F, 0xA0, 0xAD, 0x7FF, 0x800, 0x200B, 0x2028, 0x2029, 0x202E, 0xD7FF,
        0xE000, 0xFDCF, 0xFDD0, 0xFDEF, 0xFDF0, 0xFEFE, 0xFEFF, 0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF, 0x1_0000, 0x1_FFFE,
        0x1_FFFF, 0x10_FFFE, 0x10_FFFF,
    ];
    (0..0x80).chain(bounds).filter_map(char::from_u32).collect()
}

/// Returns the escapes of all bytes of a character.
fn escaped(c: char, is_upper: bool) -> String {
    let mut utf8 = [0; 4];
    let bytes = c.encode_utf8(&mut utf8).bytes();
    bytes.map(|byte| if is_upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") }).collect()
}

/// Escapes of bytes that are not UTF-8: sequences that are cut off, overlong or too large, and lone surrogates.
const NOT_UTF8: [&str; 8] = ["%FF", "%80", "%C3", "%C0%80", "%ED%A0%80", "%ED%BF%BF", "%F4%90%80%80", "%EF%BF"];

/// Returns true if XML can hold the character (XML 1.0, 2.2).
fn is_xml(c: char) -> bool {
    matches!(u32::from(c), 9 | 10 | 13 | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x1_0000..)
}

fn decoded(text: &str) -> Vec<u8> {
    percent_simd::Decoder::new().decode(text).into_owned()
}

#[test]
fn a_sitemap_stays_xml() {
    let mut urls = Vec::new();
    for c in characters() {
        urls.extend([escaped(c, true), escaped(c, false)].map(|escapes| format!("http://h/{escapes}.a")));
        urls.push(format!("http://h/{}.b", escaped(c, true).replace('%', "%25")));
    }
    urls.extend(NOT_UTF8.map(|bytes| format!("http://h/{bytes}")));
    let locs: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>\n")).collect();
    let input = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset>\n{locs}</urlset>\n");
    for options in [
        &["decode"][..],
        &["decode", "--on-utf8", "raw"],
        &["decode", "--raw"],
        &["decode", "--repeat", "3"],
        &["decode", "--raw", "--repeat=stable"],
        &["decode", "--normalize"],
        &["normalize"],
        &["iri"],
    ] {
        let ran = pct([options, &["--format", "sitemap"]].concat(), input.as_bytes());
        let out = String::from_utf8(ran.out).unwrap();
        let document = Document::parse(&out).unwrap_or_else(|error| panic!("{options:?}: {error}"));
        let found: Vec<&str> =
            document.descendants().filter(|node| node.has_tag_name("loc")).map(|node| node.text().unwrap()).collect();
        assert_eq!(found.len(), urls.len(), "{options:?}");
        let mut changed = 0;
        for (url, now) in urls.iter().zip(found) {
            // We compare the URLs after decoding both of them twice, because `pct` may have decoded one or two layers.
            let off = |text: &str| decoded(&String::from_utf8_lossy(&decoded(text)));
            assert_eq!(off(url), off(now), "{options:?}: {url} became {now:?}");
            changed += usize::from(url != now);
        }
        assert!(changed > 50, "{options:?}: {changed} changed");
    }
    // With `--raw`, only CR and characters that XML can't hold stay escaped.
    let ran = pct(["decode", "--raw", "--format", "sitemap"], input.as_bytes());
    let out = String::from_utf8(ran.out).unwrap();
    for c in characters() {
        let is_held = is_xml(c) && c != '\r';
        assert_eq!(out.contains(&format!("http://h/{}.a<", escaped(c, true))), !is_held, "{c:?}");
    }
}

/// A reader decodes the bytes of a document in the declared charset (XML 1.0, 4.3.3). So `pct` writes no UTF-8 into a
/// document of another charset.
#[test]
fn markup_in_another_charset_gets_no_utf8() {
    let declared = |charset: &str| format!("<?xml version='1.0' encoding = '{charset}'?>\n");
    let sitemap = "<urlset><loc>http://h/%D0%BF&#x43F;%41&amp;</loc></urlset>\n";
    let cdata = "<rss><link><![CDATA[http://h/%D0%BF%41]]></link></rss>\n";
    let event = "<Event><Data Name=\"url\">http://h/%D0%BF%41</Data></Event>\n";
    let html = |charset: &str| {
        format!(
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META CONTENT=\"text/html; charset={charset}\">\n\
             <A HREF=\"http://h/%D0%BF%41\">x</A>\n"
        )
    };
    for (format, input, after) in [
        ("sitemap", declared("windows-1251") + sitemap, "http://h/&#x43F;&#x43F;A&amp;<"),
        ("auto", declared("ISO-8859-1") + sitemap, "http://h/&#x43F;&#x43F;A&amp;<"),
        ("auto", declared("US-ASCII") + sitemap, "http://h/&#x43F;&#x43F;A&amp;<"),
        ("auto", declared("Utf-8") + sitemap, "http://h/ппA&amp;<"),
        ("sitemap", sitemap.into(), "http://h/ппA&amp;<"),
        ("feed", declared("windows-1251") + cdata, "http://h/%D0%BFA]"),
        ("feed", declared("UTF-8") + cdata, "http://h/пA]"),
        ("auto", html("windows-1251"), "http://h/%D0%BFA\""),
        ("auto", html("UTF-8"), "http://h/пA\""),
        ("feed", declared("windows-1251") + &cdata.replace("%D0%BF", "%"), "http://h/%EF%BF%BDA]"),
        ("auto", declared("windows-1252") + event, "http://h/&#x43F;A<"),
        ("auto", event.into(), "http://h/пA<"),
    ] {
        let ran = pct(["decode", "--on-error=replace", "--format", format], input.as_bytes());
        let out = String::from_utf8(ran.out).unwrap();
        assert!(out.contains(after), "{format}: {input} became {out}{}", ran.err);
    }
    // This link has raw bytes in windows-1251, but its escapes are UTF-8. The element stays, because one text can't be in
    // two charsets.
    let input = [declared("windows-1251").as_bytes(), b"<urlset><loc>http://h/\xD0\xBF%41</loc></urlset>\n"].concat();
    assert_eq!(pct(["decode", "--format", "sitemap"], &input).out, input);
}

#[test]
fn comments_and_cdata_sections_stay_well_formed() {
    let around = |inside: &str| format!("<urlset>{inside}</urlset>\n");
    for (format, before, after) in [
        // A comment must not contain `--` (XML 1.0, 2.5).
        ("sitemap", "<!-- <loc>http://h/a%2D%2D-%2Db</loc> -->", "<!-- <loc>http://h/a-&#x2D;-&#x2D;b</loc> -->"),
        ("xml", "<!-- <a b='http://h/-%2D'> -->", "<!-- <a b='http://h/-&#x2D;'> -->"),
        ("sitemap", "<loc>http://h/a--%2D</loc>", "<loc>http://h/a---</loc>"),
        // In comments and CDATA sections, `&` starts no reference (XML 1.0, 2.7).
        ("xml", "<b><![CDATA[x y=\"http://h/%22%26\"]]></b>", "<b><![CDATA[x y=\"http://h/%22%26\"]]></b>"),
        ("xml", "<!-- x y=\"http://h/%22%26\" -->", "<!-- x y=\"http://h/%22%26\" -->"),
        (
            "feed",
            "<!-- <link><![CDATA[http://h/%41%2D%2D]]></link> -->",
            "<!-- <link><![CDATA[http://h/A%2D%2D]]></link> -->",
        ),
    ] {
        let ran = pct(["decode", "--format", format], around(before).as_bytes());
        let out = String::from_utf8(ran.out).unwrap();
        assert_eq!(out, around(after), "{}", ran.err);
        assert!(Document::parse(&out).is_ok(), "{out}");
    }
}

/// If an element isn't well-formed, for example because it refers to a character that XML can't hold, no parser reads
/// the document. So `pct` copies the element unchanged and reports it.
#[test]
fn a_sitemap_that_is_not_well_formed_stays() {
    for text in ["%41&#xFFFE;", "%41&#1;", "%41\u{FFFF}", "%41&#+65;", "%41&nbsp;"] {
        let input = format!("<urlset><loc>{text}</loc></urlset>\n");
        let ran = pct(["decode", "--format", "sitemap"], input.as_bytes());
        assert_eq!((ran.code, String::from_utf8(ran.out).unwrap()), (Some(0), input), "{}", ran.err);
        let told = "has a value that can't be read as sitemap, and this value stays as it is";
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    // If an element contains line ends, they stay where they are.
    let input = "<urlset>\r\n<loc>\r\n %41&amp;\r\n</loc></urlset>\r\n";
    let ran = pct(["decode", "--format", "sitemap"], input.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), input.replace("%41", "A"));
}

/// Some programs write a `&` as itself. If no reference is in the value, `pct` reads it and writes it so.
#[test]
fn a_bare_ampersand_is_read() {
    for (format, input, decoded, rows) in [
        ("sitemap", "<urlset><loc>http://h/?a=1&b=%41%26</loc></urlset>\n", "1&b=A%26", "http://h/?a=1&b=A&\n"),
        ("feed", "<rss><link href=\"/?a=1&b=%41%26\"/></rss>\n", "1&b=A%26", "/?a=1&b=A&\n"),
        ("xml", "<a><b c=\"http://h/?a=1&b=%41%26\"/></a>\n", "1&b=A%26", "http://h/?a=1&b=A&\n"),
    ] {
        let out = pct(["decode", "--format", format], input.as_bytes()).out;
        assert_eq!(String::from_utf8(out).unwrap(), input.replace("1&b=%41%26", decoded), "{format}");
        let out = pct(["cut", "--no-header", "--format", format], input.as_bytes()).out;
        assert_eq!(String::from_utf8(out).unwrap(), rows, "{format}");
    }
}

/// Verbs that only read leave out a value that they can't read. All verbs report its record, and whether the value stays.
#[test]
fn a_value_that_cannot_be_read_is_reported() {
    let sitemap = "<urlset><loc>http://h/%41</loc><loc>http://h/%41&nbsp;</loc></urlset>\n";
    let ndjson = "{\"url\":\"http://h/%41\"}\n{\"url\":\"http://h/%41\\ud800\"}\n";
    for (format, input) in [("sitemap", sitemap), ("ndjson", ndjson)] {
        let rest = [(&["decode"][..], "stays as it is"), (&["unique"], "stays as it is"), (&["lint"], "is left out")];
        for (verb, left) in
            [&["cut"][..], &["grep", "A"], &["stats"]].map(|verb| (verb, "is left out")).into_iter().chain(rest)
        {
            let ran = pct([verb, &["--format", format]].concat(), input.as_bytes());
            let told = "pct: <stdin>: 1 of 2 checked records has a value that can't be read as";
            assert!(ran.err.starts_with(&format!("{told} {format}, and this value {left}\n")), "{verb:?} {}", ran.err);
        }
        // `cut` also writes the record's row.
        let ran = pct(["cut", "--format", format, "--no-header"], input.as_bytes());
        assert_eq!(ran.out, b"http://h/A\n\n", "{}", ran.err);
    }
}

#[test]
fn pictures_and_pages_hold_any_log() {
    let values = characters().into_iter().map(|c| escaped(c, true)).chain(NOT_UTF8.map(String::from));
    // The escaped value is in the host, path, parameters, referrer and user agent. The user agent also has the decoded
    // value.
    let line = |value: String| {
        let raw = String::from_utf8_lossy(&decoded(&value))
            .replace(|c: char| c.is_ascii() && !c.is_ascii_control() || c == '\n', "");
        format!(
            "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET http://h{value}/{value}/../<>&'?{value}={value} HTTP/1.1\" \
             200 5 \"http://{value}/\" \"{value}{raw}\"\n"
        )
    };
    let log: String = values.map(line).collect();
    let folder = Folder::new();
    let (svg, html) = (folder.path("a.svg"), folder.path("a.html"));
    let mut input = folder.file("log\u{FFFE}\u{1}\u{202E}", log.as_bytes());
    if !input.exists() {
        input = folder.file("log", log.as_bytes());
    }
    let outputs = ["--svg", svg.to_str().unwrap(), "--html", html.to_str().unwrap(), input.to_str().unwrap()];
    let args = ["stats", "--format", "combined", "-f", "target,user-agent", "--top", "1000"];
    let ran = pct([&args[..], &outputs].concat(), b"");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let svg = fs::read_to_string(&svg).unwrap();
    let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{error}"));
    let labels: BTreeSet<&str> = document.descendants().filter_map(|node| node.text()).collect();
    // Labels show noncharacters and controls as escapes like `\u{fffe}`. Error messages show them in the same way.
    for label in ["\\u{fffe}", "\\u{ffff}", "\\u{fdd0}", "\\u{1fffe}", "\\u{1}", "\\u{7f}", "\\u{9f}"] {
        assert!(labels.contains(label), "{label} in {labels:?}");
    }
    let html = fs::read_to_string(&html).unwrap();
    for text in [&svg, &html] {
        let bad = |c: char| {
            c.is_control() && c != '\n' || u32::from(c) & 0xFFFE == 0xFFFE || ('\u{FDD0}'..='\u{FDEF}').contains(&c)
        };
        assert_eq!(text.find(bad), None);
    }
    // JSON can hold every character, so no character is replaced.
    let json = pct(["stats", "--json", "--format", "combined", "--top", "1000"], log.as_bytes());
    let json: serde_json::Value = serde_json::from_slice(&json.out).unwrap();
    let parameters = json["top"]["parameters"]["values"].as_array().unwrap();
    for c in characters() {
        assert!(parameters.iter().any(|row| row["value"] == c.to_string()), "{c:?}");
    }
}

/// JSON strings and XML text must be UTF-8, so bytes of another charset stay escaped there.
#[test]
fn bytes_of_a_charset_are_not_lost_in_json_and_xml() {
    for (format, before, after) in [
        ("ndjson", "{\"url\":\"aéb\"}\n", "{\"url\":\"a%E9b\"}\n"),
        ("sitemap", "<urlset><loc>aéb</loc></urlset>\n", "<urlset><loc>a%E9b</loc></urlset>\n"),
    ] {
        let ran = pct(["encode", "--format", format, "--charset", "latin1", "--allow", "%E9"], before.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), after, "{}", ran.err);
    }
}

/// Another parser reads every character back from a cell of each format.
#[test]
fn json_csv_and_tsv_hold_every_character() {
    let values: Vec<String> =
        characters().into_iter().map(|c| format!("{}x", escaped(c, true))).chain(NOT_UTF8.map(String::from)).collect();
    let json: String = values.iter().map(|value| format!("{{\"url\":\"{value}\"}}\n")).collect();
    let csv: String = values.iter().map(|value| format!("1,{value}\n")).collect();
    let off = |text: &[u8]| percent_simd::Decoder::new().decode(text).into_owned();
    let expected: Vec<Vec<u8>> = values.iter().map(|value| decoded(value)).collect();
    for options in [&["decode"][..], &["decode", "--raw"], &["decode", "--on-utf8", "raw"], &["cut"]] {
        let verb = if options[0] == "cut" { &["cut", "--json", "-f", "url"][..] } else { options };
        let ran = pct([verb, &["--format", "ndjson"]].concat(), json.as_bytes());
        let found = ran.out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let found: Vec<Vec<u8>> = found
            .map(|line| {
                let value: serde_json::Value = serde_json::from_slice(line).unwrap();
                off(value["url"].as_str().unwrap().as_bytes())
            })
            .collect();
        assert!(found == expected, "{options:?}");
        let verb = if options[0] == "cut" { &["cut", "--csv", "-f", "id,url"][..] } else { options };
        let ran = pct([verb, &["--format", "csv"]].concat(), format!("id,url\n{csv}").as_bytes());
        let mut reader = csv::ReaderBuilder::new().from_reader(&ran.out[..]);
        let found: Vec<Vec<u8>> = reader.byte_records().map(|record| off(&record.unwrap()[1])).collect();
        assert!(found == expected, "{options:?}: {} of {}", found.len(), expected.len());
    }
    let ran = pct(["cut", "--format", "ndjson", "-f", "url", "--no-header"], json.as_bytes());
    let found: Vec<Vec<u8>> = ran.out.strip_suffix(b"\n").unwrap().split(|&byte| byte == b'\n').map(off).collect();
    assert!(found == expected);
}

/// In formats with one record per line, controls stay escaped, and so do all characters at which Python's `splitlines` ends a line.
#[test]
fn a_line_stays_one_line_for_every_reader() {
    let urls: Vec<String> = characters().into_iter().map(|c| format!("http://h/{}", escaped(c, true))).collect();
    let lines = urls.join("\n") + "\n";
    let logs: String = urls
        .iter()
        .map(|url| format!("1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET {url} HTTP/1.1\" 200 5\n"))
        .collect();
    let forms: String = urls.iter().map(|url| format!("a={url}\n")).collect();
    let cases: [(&[&str], &str); 8] = [
        (&["decode", "--format", "text"], &lines),
        (&["decode", "--on-utf8", "keep"], &lines),
        (&["decode", "--format", "clf"], &logs),
        (&["cut", "--format", "clf", "-f", "target"], &logs),
        (&["cut", "-f", "path"], &lines),
        (&["grep", "--decoded", "--format", "clf", "h"], &logs),
        (&["iri"], &lines),
        (&["form"], &forms),
    ];
    for (args, input) in cases {
        let ran = pct(args, input.as_bytes());
        let out = String::from_utf8(ran.out).unwrap();
        let is_end = |c: char| c.is_control() && !"\n\t".contains(c) || "\u{2028}\u{2029}\u{202E}".contains(c);
        assert_eq!(out.find(is_end).map(|at| &out[at..at + 3]), None, "{args:?}: {}", ran.err);
        let is_empty = |line: &&str| line.is_empty();
        let count = out.lines().filter(|line| !is_empty(line) && *line != "path" && *line != "target").count();
        assert_eq!(count, urls.len(), "{args:?}");
        assert!(out.contains('\u{A0}') || args[0] == "iri", "{args:?}: nothing was decoded");
    }
}
