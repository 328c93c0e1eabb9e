//! Hostile records in every format, checked by parsers that share no code with the command.
//!
//! A record consists of cells, and some cells have hostile text. We write these records like the programs that use the
//! format. Then we parse the output of `pct` in the simplest way that the format allows. The output must have as many
//! records and cells as the input. A cell with a URL may be decoded, and each other cell must be unchanged.

use crate::process;

use percent_simd_oracle::{Random, cases};
use process::pct;

/// Returns a URL made of harmless text and of escapes of all bytes that could end a field or a record.
pub fn url(random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        "%22", "%27", "%5C", "%5c%22", "%0A", "%0d%0a", "%09", "%20", "+", "%2B", "%2C", "%3B", "%7C", "%3D", "%26",
        "%3C", "%3E", "%3C/loc%3E", "%7B", "%7D", "%5B", "%5D", "%23", "%23Fields:%20x", "%00", "%1B", "%7F", "%C2%9B",
        "%E2%80%AE", "%FF", "%C3", "%C3%A9", "%D0%B0", "%25", "%2522", "%41", "%48TTP/1.1", "%20HTTP/1.1", "%", "%z",
        "a", "b", "/", "?", "q=1", "-", "%2D", "%28", "x",
    ];
    random.text(PIECES, 8)
}

/// Returns a word that is no URL.
fn word(random: &mut Random) -> &'static str {
    ["-", "200", "x%41", "%22", "a+b", "%0A", "GET"][random.below(7)]
}

/// Removes one layer of escapes in the simplest way.
fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match (text[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// A cell of the input, and whether it may be decoded.
type Cell = (String, bool);

const RECORDS: usize = 10_000;

/// Asserts that only cells with URLs are decoded, that all other cells are unchanged, and that many cells are decoded.
#[track_caller]
fn compare(what: &str, before: &[Vec<Cell>], after: &[Vec<Vec<u8>>], is_space: bool) {
    assert_eq!(before.len(), after.len(), "{what}: records");
    let mut changed = 0;
    for (before, after) in before.iter().zip(after) {
        assert_eq!(before.len(), after.len(), "{what}: cells of {before:?}: {}", after.join(&b'|').escape_ascii());
        for ((cell, is_url), now) in before.iter().zip(after).filter(|((cell, _), now)| cell.as_bytes() != **now) {
            changed += 1;
            let plus = |bytes: Vec<u8>| -> Vec<u8> {
                bytes.into_iter().map(|byte| if byte == b'+' && is_space { b' ' } else { byte }).collect()
            };
            let stands_for_the_same = plus(decoded(&decoded(cell.as_bytes()))) == plus(decoded(&decoded(now)));
            assert!(*is_url && stands_for_the_same, "{what}: `{cell}` became `{}`", now.escape_ascii());
            // C0 and C1 controls, and characters that change the direction of text, are never decoded.
            let text = String::from_utf8_lossy(now);
            assert!(!text.contains(|c: char| c.is_control() || c == '\u{202E}' || c == '\u{FFFD}'), "{what}: {text}");
        }
    }
    assert!(changed > before.len() / 4, "{what}: only {changed} cells of {} records were changed", before.len());
}

/// Runs the command several times on records: with the name of the format, with `auto`, with `--plus` and with
/// `--repeat`. Compares each output with the records.
#[track_caller]
fn check(
    format: &str,
    header: &str,
    seed: u64,
    make: impl Fn(&mut Random) -> Vec<Cell>,
    write: impl Fn(&[Cell]) -> String,
    parse: impl Fn(&[u8]) -> Vec<Vec<Vec<u8>>>,
) {
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15 ^ seed);
    let records: Vec<Vec<Cell>> = (0..cases(RECORDS)).map(|_| make(&mut random)).collect();
    let text: String = records.iter().map(|record| write(record)).collect();
    let input = format!("{header}{text}");
    for options in [
        &["--format", format][..],
        &["--format", "auto"],
        &["--format", format, "--plus"],
        &["--format", "auto", "--plus=after-query", "-j1"],
        &["--format", format, "--repeat", "2"],
    ] {
        let ran = pct([&["decode"], options].concat(), input.as_bytes());
        assert_eq!(ran.code, Some(0), "{format} {options:?}: {}", ran.err);
        let out = ran.out.strip_prefix(header.as_bytes()).unwrap_or_else(|| panic!("{format}: the header"));
        compare(
            &format!("{format} {options:?}"),
            &records,
            &parse(out),
            options.iter().any(|o| o.starts_with("--plus")),
        );
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n')
}

/// Splits lines at spaces. A cell that starts with a quote extends to the next quote that has no backslash before it.
fn spaced(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let parse = |line: &[u8]| {
        let mut cells: Vec<Vec<u8>> = vec![Vec::new()];
        let (mut in_quotes, mut is_escaped) = (false, false);
        for &byte in line {
            if byte == b' ' && !in_quotes {
                cells.push(Vec::new());
                continue;
            }
            if byte == b'"' && !is_escaped {
                in_quotes = !in_quotes;
            }
            is_escaped = in_quotes && byte == b'\\' && !is_escaped;
            cells.last_mut().unwrap().push(byte);
        }
        assert!(!in_quotes, "{}", line.escape_ascii());
        cells
    };
    lines(bytes).map(parse).collect()
}

/// Splits lines at spaces and tabs into words and strings, as the W3C's draft defines them.
fn strings_of_w3c(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let parse = |line: &[u8]| {
        let mut cells: Vec<Vec<u8>> = Vec::new();
        let mut rest = line.iter().copied().peekable();
        while let Some(byte) = rest.next() {
            if matches!(byte, b' ' | b'\t') {
                continue;
            }
            let mut cell = Vec::new();
            if byte == b'"' {
                loop {
                    match rest.next().unwrap() {
                        b'"' if rest.peek() == Some(&b'"') => cell.extend(rest.next()),
                        b'"' => break,
                        byte => cell.push(byte),
                    }
                }
                assert!(rest.peek().is_none_or(|next| matches!(next, b' ' | b'\t')), "{}", line.escape_ascii());
            } else {
                cell.push(byte);
                while let Some(byte) = rest.next_if(|byte| !matches!(byte, b' ' | b'\t')) {
                    cell.push(byte);
                }
            }
            cells.push(cell);
        }
        cells
    };
    lines(bytes).map(parse).collect()
}

/// Splits lines at every `delimiter`.
fn split(delimiter: u8) -> impl Fn(&[u8]) -> Vec<Vec<Vec<u8>>> {
    move |bytes| lines(bytes).map(|line| line.split(|&byte| byte == delimiter).map(<[u8]>::to_vec).collect()).collect()
}

fn join(cells: &[Cell], between: &str) -> String {
    cells.iter().map(|(cell, _)| cell.as_str()).collect::<Vec<_>>().join(between) + "\n"
}

/// Does the same as [`spaced`], and also splits each quoted request line into three cells. So the test can check that
/// only the target changes.
fn requests(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut records = spaced(bytes);
    for record in &mut records {
        let at = record.iter().position(|cell| cell.starts_with(b"\"GET ")).unwrap();
        let cell = record.remove(at);
        let inner = &cell[1..cell.len() - 1];
        let parts: Vec<Vec<u8>> = inner.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect();
        record.splice(at..at, parts);
    }
    records
}

/// Writes a record as a line. The method, target and version of its request are three cells, and become one cell in
/// quotes.
fn write_request(cells: &[Cell]) -> String {
    let at = cells.iter().position(|(cell, _)| cell == "GET").unwrap();
    let all: Vec<&str> = cells.iter().map(|(cell, _)| cell.as_str()).collect();
    let request = format!("\"{}\"", all[at..at + 3].join(" "));
    [&all[..at], &[&request], &all[at + 3..]].concat().join(" ") + "\n"
}

fn fixed(cells: &[&str]) -> Vec<Cell> {
    cells.iter().map(|cell| ((*cell).to_string(), false)).collect()
}

fn request(random: &mut Random) -> Vec<Cell> {
    vec![("GET".into(), false), (format!("/{}", url(random)), true), ("HTTP/1.1".into(), false)]
}

fn quoted(random: &mut Random, is_url: bool) -> Cell {
    (format!("\"http://h/{}\"", url(random)), is_url)
}

#[test]
fn common_and_combined_keep_their_cells() {
    let start = ["1.2.3.4", "-", "j%41", "[17/May/2015:10:05:03", "+0000]"];
    let record = |random: &mut Random| [fixed(&start), request(random), fixed(&["200", "5", word(random)])].concat();
    check("clf", "", 1, record, write_request, requests);
    let combined = |random: &mut Random| {
        let more = vec![quoted(random, true), quoted(random, false)];
        [fixed(&start), request(random), fixed(&["200", "5"]), more].concat()
    };
    check("combined", "", 2, combined, write_request, requests);
    // This log starts with a banner of three lines.
    check("combined", "banner %41\nbanner\n\"%41\n", 3, combined, write_request, requests);
    let vhost = |random: &mut Random| [fixed(&["h%41:443"]), combined(random)].concat();
    check("apache-vhost", "", 6, vhost, write_request, requests);
    // These are the records of `combined`, each in a line of a container's log.
    let cri =
        |random: &mut Random| [fixed(&["2016-10-06T00:17:09.669794202Z", "stdout", "F"]), combined(random)].concat();
    check("cri", "", 4, cri, write_request, requests);
    let syslog =
        |random: &mut Random| [fixed(&["<34>Oct", "11", "22:14:15", "h", "nginx[1]:"]), combined(random)].concat();
    check("syslog:combined", "", 5, syslog, write_request, requests);
    // These records have X-Forwarded-For at the start, and a host before the request. The user name has spaces and brackets, or is
    // missing.
    let users = |random: &mut Random| {
        let forwarded = (format!("\"{}, 1.2.3.4\"", url(random)), false);
        let user = match random.below(3) {
            0 => fixed(&["\"\""]),
            1 => fixed(&["]", "[", "%41", "-"]),
            _ => vec![(format!("x{}", url(random)), false)],
        };
        let host = (format!("\"{}\"", url(random)), false);
        let time = fixed(&["[17/May/2015:10:05:03", "+0000]"]);
        let more = vec![quoted(random, true), quoted(random, false), (format!("\"{}\"", url(random)), false)];
        [vec![forwarded], fixed(&["-"]), user, time, vec![host], request(random), fixed(&["200", "5"]), more].concat()
    };
    check("combined", "", 7, users, write_request, requests);
    let vhost = |random: &mut Random| [fixed(&["h.example"]), combined(random)].concat();
    check("apache-vhost", "", 8, vhost, write_request, requests);
    for (seed, name, front) in [
        (9, "syslog:combined", "<134>2025-01-22T13:09:20.606136+01:00 h nginx[1]:"),
        (10, "syslog:combined", "<134>1 2025-01-22T13:09:20Z h nginx 1 - -"),
        (18, "compose:combined", "web_1  |"),
        (19, "stamp:combined", "2025-01-22T13:09:20.606136Z"),
        (20, "kubectl:combined", "[pod/web-7c5d/nginx]"),
    ] {
        let front: Vec<&str> = front.split(' ').collect();
        let record = |random: &mut Random| [fixed(&front), combined(random)].concat();
        check(name, "", seed, record, write_request, requests);
    }
}

#[test]
fn load_balancers_proxies_and_buckets_keep_their_cells() {
    let alb = |random: &mut Random| {
        let start = "https 2018-07-02T22:23:00.186641Z app/lb/50dc 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57";
        let start: Vec<&str> = start.split(' ').collect();
        let middle =
            "ECDHE TLSv1.2 arn:aws:x \"Root=1\" \"www\" \"arn:%41\" 1 2018-07-02T22:22:48.364000Z \"redirect\"";
        let middle: Vec<&str> = middle.split(' ').collect();
        let agent = quoted(random, false);
        let redirect = quoted(random, true);
        let end = fixed(&["\"-\"", "\"10.0.0.1:80\"", "\"200\"", "\"-\"", "\"-\"", "TID_%41"]);
        [fixed(&start), request(random), vec![agent], fixed(&middle), vec![redirect], end].concat()
    };
    check("alb", "", 11, alb, write_request, requests);
    let elb = |random: &mut Random| {
        let start =
            "2015-05-13T23:39:43.945958Z lb 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29";
        [fixed(&start.split(' ').collect::<Vec<_>>()), request(random), vec![quoted(random, false)], fixed(&["-", "-"])]
            .concat()
    };
    check("elb", "", 12, elb, write_request, requests);
    let owner = "7".repeat(64);
    let s3 = |random: &mut Random| {
        let start =
            [&owner, "bucket%41", "[06/Feb/2019:00:00:38", "+0000]", "192.0.2.3", "-", "3E57", "REST.GET.OBJECT"];
        let key = (format!("k{}", url(random)), true);
        let numbers = fixed(&["200", "-", "113", "-", "7", "-"]);
        [
            fixed(&start),
            vec![key],
            request(random),
            numbers,
            vec![quoted(random, true), quoted(random, false)],
            fixed(&["-"]),
        ]
        .concat()
    };
    check("s3", "", 13, s3, write_request, requests);
    let haproxy = |random: &mut Random| {
        let start = "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {%41} {}";
        [fixed(&start.split(' ').collect::<Vec<_>>()), request(random)].concat()
    };
    check("haproxy", "", 14, haproxy, write_request, |out| {
        // HAProxy writes a quote as `#22`. Decoding must not produce this escape.
        assert!(!out.windows(3).any(|three| three == b"#22"));
        requests(out)
    });
    let squid = |random: &mut Random| {
        let url = (format!("http://h/{}", url(random)), true);
        let start = fixed(&["1286536308.779", "", "", "", "180", "192.168.0.224", "TCP_MISS/200", "411", "GET"]);
        [start, vec![url], fixed(&["-", "DIRECT/1.2.3.4", "text/%41"])].concat()
    };
    check("squid", "", 15, squid, |cells| join(cells, " "), spaced);
    let envoy = |random: &mut Random| {
        let more = fixed(&[
            "204", "-", "154", "0", "226", "100", "\"10.0.35.28\"", "\"ns%41\"", "\"cc\"", "\"loc%41\"",
            "\"tcp://10.0.2.1:80\"",
        ]);
        [fixed(&["[2016-04-15T20:17:00.310Z]"]), request(random), more].concat()
    };
    check("envoy", "", 16, envoy, write_request, requests);
    let cdx = |random: &mut Random| {
        let key = (format!("com,example)/{}", url(random)), false);
        let url = (format!("http://example.com/{}", url(random)), true);
        [
            vec![key],
            fixed(&["20230101120000"]),
            vec![url],
            fixed(&["text/html", "200", "SHA%41", "-", "-", "1", "2", "x"]),
        ]
        .concat()
    };
    check("cdx", " CDX N b a m s k r M S V g\n", 17, cdx, |cells| join(cells, " "), spaced);
}

/// Formats whose columns have names and are separated by tabs or spaces. Lines that start with `#` are directives or comments.
#[test]
fn columns_keep_their_cells() {
    let w3c = |random: &mut Random| {
        vec![
            (url(random) + "x", true),
            (word(random).into(), false),
            (format!("http://h/{}", url(random)), true),
            ("-".into(), false),
        ]
    };
    let no_comments = |parse: fn(&[u8]) -> Vec<Vec<Vec<u8>>>| {
        move |out: &[u8]| {
            assert!(lines(out).all(|line| !line.starts_with(b"#")), "a record became a comment");
            parse(out)
        }
    };
    let header = "#Version: 1.0\n#Fields: cs-uri-query sc cs(Referer) x\n";
    check("w3c", header, 21, w3c, |cells| join(cells, " "), no_comments(spaced));
    // Some cells are strings in quotes, and any number of blanks separates the cells. Queries start with `?`, as in the
    // logs of ProxySG.
    let header = "#Version: 1.0\n#Fields: cs-uri-path\tcs-categories  cs-uri-query cs(Referer)\n";
    let strings = |random: &mut Random| {
        vec![
            (url(random) + "/", true),
            ("Web %41 \"Ads\"".into(), false),
            (format!("?{}", url(random)), true),
            (format!("http://h/ {} \"", url(random)), true),
        ]
    };
    let write = |cells: &[Cell]| {
        let [path, category, query, referrer] = [0, 1, 2, 3].map(|at| cells[at].0.replace('"', "\"\""));
        format!("{path} \t \"{category}\"  {query}\t\"{referrer}\" \n")
    };
    check("w3c", header, 27, strings, write, no_comments(strings_of_w3c));
    for (seed, names, header) in
        [(22, "cs-uri", "#Fields: cs-uri a b c\n"), (23, "cs-uri-stem", "#Fields: cs-uri-stem a b c\n")]
    {
        let one = |random: &mut Random| {
            vec![(url(random) + names, true), ("-".into(), false), ("%41".into(), false), ("-".into(), false)]
        };
        check("w3c", header, seed, one, |cells| join(cells, " "), no_comments(spaced));
    }
    let zeek = |random: &mut Random| {
        vec![
            ("1.5".into(), false),
            (format!("/{}", url(random)), true),
            (url(random) + "-", true),
            ("%41".into(), false),
        ]
    };
    let header = "#separator \\x09\n#fields\tts\turi\treferrer\tx\n#types\ttime\tstring\tstring\tstring\n";
    check("zeek", header, 24, zeek, |cells| join(cells, "\t"), no_comments(|out| split(b'\t')(out)));
    let tsv = |random: &mut Random| vec![("%41".into(), false), (url(random) + "x", true), ("-".into(), false)];
    check("tsv", "id\turl\tx\n", 25, tsv, |cells| join(cells, "\t"), |out| split(b'\t')(out));
    let cloudfront = |random: &mut Random| {
        let mut cells = fixed(&["d", "t", "x", "1", "1.1", "GET", "h%2541"]);
        cells.push((format!("/{}", url(random)), true));
        cells.push(("200".into(), false));
        for _ in 0..3 {
            cells.push((url(random) + "x", true));
        }
        cells
    };
    let names = "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query";
    check(
        "cloudfront",
        &format!("#Version: 1.0\n#Fields: {names}\n"),
        26,
        cloudfront,
        |cells| join(cells, "\t"),
        no_comments(|out| split(b'\t')(out)),
    );
}

/// Parses RFC 4180 in the simplest way. Returns the cells of each record, without their quotes.
fn csv(delimiter: u8) -> impl Fn(&[u8]) -> Vec<Vec<Vec<u8>>> {
    move |bytes| {
        let (mut records, mut cells, mut cell) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'"' if cell.is_empty() => {
                    at += 1;
                    loop {
                        match (bytes[at], bytes.get(at + 1)) {
                            (b'"', Some(b'"')) => {
                                cell.push(b'"');
                                at += 2;
                            }
                            (b'"', _) => break,
                            (byte, _) => {
                                cell.push(byte);
                                at += 1;
                            }
                        }
                    }
                }
                b'\n' => {
                    cells.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut cells));
                }
                byte if byte == delimiter => cells.push(std::mem::take(&mut cell)),
                byte => cell.push(byte),
            }
            at += 1;
        }
        records
    }
}

fn write_csv(delimiter: &'static str, always: bool) -> impl Fn(&[Cell]) -> String {
    move |cells| {
        let cell = |cell: &str| match always || cell.contains(['"', '\n', ',', ';', '|']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_string(),
        };
        cells.iter().map(|(text, _)| cell(text)).collect::<Vec<_>>().join(delimiter) + "\n"
    }
}

#[test]
fn separated_values_keep_their_cells() {
    let record = |random: &mut Random| {
        vec![("%41,\"%42".into(), false), (url(random) + "x", true), (word(random).into(), false)]
    };
    for (seed, format, delimiter) in [(31, "csv", ","), (32, "csv;", ";"), (33, "csv|", "|")] {
        for name in ["url", "page_url"] {
            let header = ["id", name, "x"].join(delimiter) + "\n";
            check(format, &header, seed, record, write_csv(delimiter, false), csv(delimiter.as_bytes()[0]));
        }
    }
    let urlhaus = |random: &mut Random| {
        vec![
            ("1".into(), false),
            ("2024-01-01 00:00:00".into(), false),
            (format!("http://h/{}", url(random)), true),
            ("online".into(), false),
        ]
    };
    let header = "################\n# URLhaus Database Dump\n#\n# id,dateadded,url,url_status\n";
    check("urlhaus", header, 34, urlhaus, write_csv(",", true), csv(b','));
    let export = |random: &mut Random| {
        let url = (format!("/x?y=z{}", url(random)), true);
        vec![("%41,\"%42\n".into(), false), url, (word(random).into(), false)]
    };
    check("csv", "Title,Landing page,x\n", 35, export, write_csv(",", false), csv(b','));
    check("csv", "# Report\n\nTitle,t,x\n", 36, export, write_csv(",", true), csv(b','));
    // No column has a known name, but `auto` finds the column that contains URLs.
    let input = "id;page\n1;http://h/%D0%B0%3B%22\n2;http://h/%41\n";
    let ran = pct(["decode", "--format", "auto"], input.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "id;page\n1;\"http://h/а;\"\"\"\n2;http://h/A\n", "{}", ran.err);
}

/// Returns all strings of a JSON text in their order, including the names of members.
fn json(text: &str) -> Vec<Vec<u8>> {
    let mut strings = Vec::new();
    let mut rest = text.chars().peekable();
    let mut depth = 0;
    while let Some(c) = rest.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '"' => {
                let mut string = String::new();
                loop {
                    match rest.next().expect("a string ends") {
                        '"' => break,
                        '\\' => match rest.next().unwrap() {
                            'u' => {
                                let digits: String = rest.by_ref().take(4).collect();
                                string.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
                            }
                            'n' => string.push('\n'),
                            't' => string.push('\t'),
                            c @ ('"' | '\\' | '/') => string.push(c),
                            c => panic!("\\{c}"),
                        },
                        c => {
                            assert!(!c.is_control());
                            string.push(c);
                        }
                    }
                }
                strings.push(string.into_bytes());
            }
            ':' | ',' | ' ' | '\n' | '1' => {}
            c => panic!("`{c}` in {text}"),
        }
    }
    assert_eq!(depth, 0, "{text}");
    strings
}

fn text_json(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[test]
fn objects_of_json_keep_their_strings() {
    // Each row is the name of a format and an object in this format. The test replaces `URL` with a hostile value.
    let shapes = [
        ("ndjson", "{\"request_uri\":URL,\"x\":\"%41\"}"),
        ("ndjson", "{ \"request_uri\" : URL , \"x\" : [\"%41\", 1] }"),
        ("ndjson", "{\"Request_Uri\":URL,\"x\":\"%41\"}"),
        ("ndjson", "{\"e\":{\"t\":[URL]},\"x\":\"%41\"}"),
        ("cloudflare", "{\"ClientRequestURI\":URL,\"EdgeStartTimestamp\":\"%41\"}"),
        ("akamai", "{\"reqPath\":URL,\"UA\":\"%41\"}"),
        ("fastly", "{\"fastly_server\":\"%41\",\"url\":URL}"),
        ("suricata", "{\"flow_id\":1,\"event_type\":\"http\",\"http\":{\"url\":URL,\"http_user_agent\":\"%41\"}}"),
        ("gcp", "{\"httpRequest\":{\"requestUrl\":URL,\"userAgent\":\"%41\"}}"),
        ("aws-waf", "{\"webaclId\":\"%41\",\"httpRequest\":{\"uri\":URL,\"country\":\"%41\"}}"),
        ("azure", "{\"properties\":{\"requestUri\":URL,\"userAgent\":\"%41\"}}"),
        ("caddy", "{\"logger\":\"http\",\"request\":{\"uri\":URL,\"headers\":{\"User-Agent\":[\"%41\"]}}}"),
        ("traefik", "{\"RequestPath\":URL,\"request_User-Agent\":\"%41\"}"),
        ("envoy-json", "{\"response_flags\":\"%41\",\"path\":URL}"),
    ];
    let parse = |out: &[u8]| lines(out).map(|line| json(std::str::from_utf8(line).unwrap())).collect();
    for (seed, (format, shape)) in shapes.into_iter().enumerate() {
        let make = |random: &mut Random| {
            let url = format!("/{}", url(random));
            let strings = json(&shape.replace("URL", "\"URL\""));
            let cell = |text: Vec<u8>| {
                let text = String::from_utf8(text).unwrap();
                if text == "URL" { (url.clone(), true) } else { (text, false) }
            };
            strings.into_iter().map(cell).collect()
        };
        let write = |cells: &[Cell]| {
            let url = cells.iter().find(|(_, is_url)| *is_url).unwrap();
            shape.replace("URL", &text_json(&url.0)) + "\n"
        };
        check(format, "", 40 + seed as u64, make, write, parse);
        check(format, "\u{FEFF}", 60 + seed as u64, make, write, parse);
    }
}

#[test]
fn json_over_lines_and_in_arrays_keeps_its_strings() {
    let make = |random: &mut Random| {
        let url = (format!("/{}{{\"}}", url(random)), true);
        vec![("url".to_string(), false), url, ("x".into(), false), ("%41}".into(), false)]
    };
    let write = |cells: &[Cell]| {
        format!("{{\n  \"url\": {},\n  \"x\": {}\n}}\n", text_json(&cells[1].0), text_json(&cells[3].0))
    };
    // Returns all strings of the text, in groups of four, because each object has four strings.
    let parse = |out: &[u8]| json(std::str::from_utf8(out).unwrap()).chunks(4).map(<[Vec<u8>]>::to_vec).collect();
    check("json", "", 71, make, write, parse);
    let write = |cells: &[Cell]| format!("{{\"url\":{},\"x\":{}}},\n", text_json(&cells[1].0), text_json(&cells[3].0));
    check("json", "[", 72, make, write, |out: &[u8]| parse(&[out, b"\n"].concat()));
}

#[test]
fn records_in_strings_keep_their_fields() {
    let make = |random: &mut Random| {
        let line =
            format!("1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /{} HTTP/1.1\" 200 5 \"-\" \"%41\"\n", url(random));
        vec![("log".to_string(), false), (line, true), ("stream".into(), false), ("std%41".into(), false)]
    };
    let write =
        |cells: &[Cell]| format!("{{\"log\":{},\"stream\":{}}}\n", text_json(&cells[1].0), text_json(&cells[3].0));
    let parse = |out: &[u8]| -> Vec<Vec<Vec<u8>>> {
        let records: Vec<_> = lines(out).map(|line| json(std::str::from_utf8(line).unwrap())).collect();
        // The record inside the string is still one line, and has the same number of fields.
        for record in &records {
            assert!(record[1].ends_with(b"\n") && record[1].iter().filter(|&&byte| byte == b'\n').count() == 1);
            let fields = requests(&record[1]);
            assert_eq!((fields[0].len(), fields[0].last().unwrap().as_slice()), (12, &b"\"%41\""[..]));
        }
        let strip = |mut record: Vec<Vec<u8>>| {
            record[1].pop();
            record
        };
        records.into_iter().map(strip).collect()
    };
    let strip = |random: &mut Random| {
        let mut cells = make(random);
        cells[1].0.pop();
        cells
    };
    let with_end = |cells: &[Cell]| {
        let mut cells = cells.to_vec();
        cells[1].0.push('\n');
        write(&cells)
    };
    check("docker", "", 81, strip, with_end, parse);
    let in_message = |cells: &[Cell]| with_end(cells).replace("\"log\":", "\"message\":");
    let log =
        |out: &[u8]| parse(&String::from_utf8(out.to_vec()).unwrap().replace("\"message\":", "\"log\":").into_bytes());
    check("ndjson/message:clf", "", 83, strip, in_message, log);
    let in_csv = |out: &[u8]| -> Vec<Vec<Vec<u8>>> {
        let records = csv(b',')(out);
        // The record inside the cell is still one line, and has the same number of fields.
        for record in &records {
            let fields = requests(&[&record[1][..], b"\n"].concat());
            assert_eq!((fields.len(), fields[0].len()), (1, 12));
        }
        records
    };
    check("csv/_raw:clf", "_time,_raw,host,x\n", 84, strip, write_csv(",", true), in_csv);
    let cdxj = |random: &mut Random| {
        let key = (format!("com,example)/{}", url(random)), false);
        vec![key, ("20230101120000".into(), false), ("url".into(), false), (format!("http://h/{}", url(random)), true)]
    };
    let write = |cells: &[Cell]| format!("{} {} {{\"url\": {}}}\n", cells[0].0, cells[1].0, text_json(&cells[3].0));
    let parse = |out: &[u8]| {
        let parse = |line: &[u8]| {
            let mut parts = line.splitn(3, |&byte| byte == b' ');
            let (key, time) = (parts.next().unwrap().to_vec(), parts.next().unwrap().to_vec());
            [vec![key, time], json(std::str::from_utf8(parts.next().unwrap()).unwrap())].concat()
        };
        lines(out).map(parse).collect()
    };
    check("prefix", "", 82, cdxj, write, parse);
}

#[test]
fn keys_labels_and_tags_keep_their_values() {
    let logfmt = |random: &mut Random| {
        vec![
            ("level=x%41".into(), false),
            (format!("path=/{}", url(random)), true),
            (format!("referer=\"{}\"", url(random)), true),
            ("n=1".into(), false),
        ]
    };
    check(
        "logfmt",
        "",
        91,
        logfmt,
        |cells| join(cells, " "),
        |out| {
            let records = spaced(out);
            // An unquoted value must contain no decoded quote and no decoded `=`. So a cell has only two kinds of `=`:
            // the one after its key, and the one of each `q=1`.
            for cell in records.iter().flatten().filter(|cell| !cell.contains(&b'"')) {
                let text = String::from_utf8_lossy(cell);
                assert!(text.matches('=').count() <= 1 + text.matches("q=1").count(), "{text}");
            }
            records
        },
    );
    let nginx = |random: &mut Random| {
        let start = "2024/01/02 03:04:05 [error] 12#12: *1 open() \"/x%41\" failed (2: No such file or directory), client: 1.2.3.4, server: _, request:";
        let start: Vec<&str> = start.split(' ').collect();
        let (request, referrer) = (request(random), url(random).replace("%27", ""));
        [fixed(&start), request, fixed(&["host:", "\"h\",", "referrer:"]), vec![(format!("\"{referrer}\""), true)]]
            .concat()
    };
    let write = |cells: &[Cell]| write_request(cells).replace("HTTP/1.1\" host", "HTTP/1.1\", host");
    let parse = |out: &[u8]| {
        let text = String::from_utf8(out.to_vec()).unwrap();
        requests(text.replace(" HTTP/1.1\", host", " HTTP/1.1\" host").as_bytes())
    };
    check("nginx-error", "", 92, nginx, write, parse);
    let apache = |random: &mut Random| {
        let start = "[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708] [client 72.15.99.187:35712] AH00128: File does not exist: /x%41, referer:";
        let start: Vec<&str> = start.split(' ').collect();
        [fixed(&start), vec![(format!("http://h/{}", url(random)), true)]].concat()
    };
    check("apache-error", "", 93, apache, |cells| join(cells, " "), split(b' '));
    let sitemap = |random: &mut Random| vec![(format!("http://h/{}&x", url(random)), true)];
    let escape = |text: &str| text.replace('&', "&amp;");
    let write = |cells: &[Cell]| format!("<url><loc>{}</loc><x>%41</x></url>\n", escape(&cells[0].0));
    let parse = |out: &[u8]| {
        let parse = |line: &[u8]| {
            let line = String::from_utf8(line.to_vec()).unwrap();
            let text = line.strip_prefix("<url><loc>").unwrap().strip_suffix("</loc><x>%41</x></url>").unwrap();
            assert!(!text.contains(['<', '>', '"', '\'']), "{text}");
            let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
            vec![plain.replace("&#x2D;", "-").replace("&amp;", "&").into_bytes()]
        };
        lines(out).map(parse).collect()
    };
    check("sitemap", "<urlset>\n", 94, sitemap, write, parse);
    // The block of a WARC record may contain any bytes, even the text of another record's headers.
    let warc = |random: &mut Random| {
        let block = format!("WARC/1.1\r\nWARC-Target-URI: {}\r\n\r\n", url(random));
        vec![(format!("http://h/{}", url(random)), true), (word(random).into(), false), (block, false)]
    };
    let write = |cells: &[Cell]| {
        let [(url, _), (kind, _), (block, _)] = cells else { unreachable!("three cells") };
        let len = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Length: {len}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let parse = |out: &[u8]| {
        let (mut rest, mut records) = (out, Vec::new());
        while !rest.is_empty() {
            let mut headers = rest.splitn(5, |&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap());
            let mut value = |name: &str| headers.next().unwrap().strip_prefix(name.as_bytes()).unwrap().to_vec();
            value("WARC/1.1");
            let (kind, url) = (value("WARC-Type: "), value("WARC-Target-URI: "));
            assert!(!url.iter().any(|byte| b" <>".contains(byte)), "{}", url.escape_ascii());
            let len: usize = String::from_utf8(value("Content-Length: ")).unwrap().parse().unwrap();
            let start = rest.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
            let block = rest[start..start + len].to_vec();
            rest = rest[start + len..].strip_prefix(b"\r\n\r\n").unwrap();
            records.push(vec![url, kind, block]);
        }
        records
    };
    check("warc", "", 95, warc, write, parse);
}

/// With `auto`, `pct` skips inputs in an unknown format, or reads only the URLs. It keeps all delimiters of the records, and so does
/// `text`.
#[test]
fn records_in_unknown_formats_are_skipped_or_keep_their_shape() {
    let mut random = Random::seeded(7);
    let forms: [fn(&str) -> String; 8] = [
        |url| format!("<{url}> <x>\n"),
        |url| format!("a|{url}|b c\n"),
        |url| format!("when: now; what: '{url}'; who: (me)\n"),
        |url| format!("[{url}] [x]\n"),
        |url| format!("k:{url}&l=2 x\n"),
        |url| format!("`{url}`,x y\n"),
        |url| format!("{{it: \"{url}\", x: 1}}\n"),
        |url| format!("x {url}\n"),
    ];
    for form in forms {
        let urls: Vec<String> = (0..cases(RECORDS / 8)).map(|_| url(&mut random)).collect();
        let input: String = urls.iter().map(|url| form(url)).collect();
        for options in [&["--format", "auto"][..], &["--format", "auto,text"], &["--format", "text", "--plus"]] {
            let ran = pct([&["decode"], options].concat(), input.as_bytes());
            if options.last() == Some(&"auto") && ran.code == Some(2) {
                assert!(ran.out.is_empty() && ran.err.contains("--format text"), "{}", ran.err);
                continue;
            }
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let (before, after) = (lines(input.as_bytes()), lines(&ran.out));
            for (before, after) in before.zip(after) {
                // No byte that could be a delimiter has changed.
                let shape = |line: &[u8]| -> Vec<u8> {
                    let is_plain =
                        |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"-._~/%@!$*+".contains(&byte);
                    line.iter().copied().filter(|&byte| !is_plain(byte)).collect()
                };
                assert_eq!(shape(before).escape_ascii().to_string(), shape(after).escape_ascii().to_string());
            }
            assert!(ran.out != input.as_bytes());
        }
    }
}
