//! Compares the counts of `pct stats` with counts that the tests make themselves, and checks that the HTML and SVG files are safe.

use crate::process;

use std::collections::BTreeMap;
use std::fs;

use process::{Folder, output, pct};
use serde_json::Value;

fn json(args: &[&str], input: &[u8]) -> Value {
    let ran = pct([&["stats", "--json"], args].concat(), input);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_slice(&ran.out).unwrap()
}

/// Returns the values of a table with their counts.
fn table(json: &Value, name: &str) -> BTreeMap<String, u64> {
    let values = json["top"][name]["values"].as_array().unwrap_or_else(|| panic!("{name}: {json}"));
    values.iter().map(|row| (row["value"].as_str().unwrap().to_string(), row["count"].as_u64().unwrap())).collect()
}

fn counts(names: &[(&str, u64)]) -> BTreeMap<String, u64> {
    names.iter().map(|&(name, count)| (name.to_string(), count)).collect()
}

#[test]
fn requests_are_counted_on_any_number_of_threads() {
    let mut state = 1u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut log, mut paths, mut statuses, mut clients, mut names) =
        (String::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for _ in 0..20_000 {
        let (path, status, client, name) = (next(40), 200 + next(3), next(9), next(5));
        // Half of the paths have an unnecessary escape, `%70` for `p`.
        let letter = ["p", "%70"][next(2) as usize];
        log += &format!(
            "10.0.0.{client} - j k [17/May/2015:10:05:03 +0000] \"GET /{letter}{path}?n{name}=1&b+c=2 HTTP/1.1\" {status} 5 \
             \"http://r{name}.example/x?y\" \"agent\"\n"
        );
        *paths.entry(format!("/p{path}")).or_insert(0) += 1;
        *statuses.entry(status.to_string()).or_insert(0) += 1;
        *clients.entry(format!("10.0.0.{client}")).or_insert(0) += 1;
        *names.entry(format!("n{name}")).or_insert(0) += 1;
    }
    let args = ["--format", "combined", "--top", "100"];
    let one = json(&[&args[..], &["-j1"]].concat(), log.as_bytes());
    assert_eq!(table(&one, "paths"), paths);
    assert_eq!(table(&one, "statuses"), statuses);
    assert_eq!(table(&one, "clients"), clients);
    let hosts = names.iter().map(|(name, count)| (format!("r{}.example", &name[1..]), *count)).collect();
    assert_eq!(table(&one, "referring_hosts"), hosts);
    names.insert("b c".to_string(), 20_000);
    assert_eq!(table(&one, "parameters"), names);
    assert_eq!((one["requests"].as_u64(), one["top"]["paths"]["exact"].as_bool()), (Some(20_000), Some(true)));
    assert_eq!(one, json(&[&args[..], &["-j4"]].concat(), log.as_bytes()));
    let agents = json(&[&args[..], &["-f", "user-agent"]].concat(), log.as_bytes());
    assert_eq!(table(&agents, "values_of_user-agent"), counts(&[("agent", 20_000)]));
}

#[test]
fn formats_have_clients_hosts_and_statuses() {
    let inputs = [
        ("clf", "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET http://h/a?b=c HTTP/1.1\" 404 5\n"),
        ("ndjson", "{\"remote_addr\":\"1.2.3.4\",\"request_uri\":\"/a?b=c\",\"status\":404,\"host\":\"h\"}\n"),
        ("json", "[\n{\"request_uri\":\"/a?b=c\",\"status\":404,\"client\":\"1.2.3.4\",\"host\":\"h\"}\n]\n"),
        ("w3c", "#Fields: c-ip cs-host cs-uri-stem cs-uri-query sc-status\n1.2.3.4 h /a b=c 404\n"),
        ("csv", "url,status,ip\nhttp://h/a?b=c,404,1.2.3.4\n"),
        ("logfmt", "level=info host=h path=\"/a?b=c\" status=404 ip=1.2.3.4:80\n"),
        ("squid", "1286536308.779    180 1.2.3.4 TCP_MISS/404 411 GET http://h/a?b=c - DIRECT/1.1.1.1 text/html\n"),
        (
            "docker",
            "{\"log\":\"1.2.3.4 - - [17/May/2015:10:05:03 +0000] \\\"GET http://h/a?b=c HTTP/1.1\\\" 404 5\\n\",\"stream\":\"stdout\"}\n",
        ),
        ("nginx:$remote_addr $host [$x] \"$request\" $status;", "1.2.3.4 h [x] \"GET /a?b=c HTTP/1.1\" 404;\n"),
        (
            "haproxy",
            "1.2.3.4:33317 [06/Feb/2009:12:14:14.655] http-in s/1 10/0/30/69/109 404 2750 - - ---- 1/1/1/1/0 0/0 {} {} \"GET http://h/a?b=c HTTP/1.1\"\n",
        ),
    ];
    for (format, input) in inputs {
        let found = json(&["--format", format], input.as_bytes());
        assert_eq!(table(&found, "paths"), counts(&[("/a", 1)]), "{format}");
        assert_eq!(table(&found, "parameters"), counts(&[("b", 1)]), "{format}");
        assert_eq!(table(&found, "hosts"), counts(&[("h", 1)]), "{format}");
        assert_eq!(table(&found, "statuses"), counts(&[("404", 1)]), "{format}");
        assert_eq!(table(&found, "clients"), counts(&[("1.2.3.4", 1)]), "{format}");
    }
    // A firewall writes the result of an action as its status.
    let found = json(&["--format", "logfmt"], b"url=http://h/a status=failed\nurl=http://h/a status=\"200 OK\"\n");
    assert_eq!(table(&found, "statuses"), counts(&[("200 OK", 1)]));
}

/// The rows of `--by`: the value, the count, and the errors and attacks.
fn groups(args: &[&str], input: &[u8]) -> Vec<(String, u64, u64, u64)> {
    let found = json(args, input);
    let values = found["by"]["values"].as_array().unwrap_or_else(|| panic!("{found}"));
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let row = |row: &Value| {
        (
            row["value"].as_str().unwrap().to_string(),
            number(row, "count"),
            number(row, "errors"),
            number(row, "attacks"),
        )
    };
    values.iter().map(row).collect()
}

#[test]
fn requests_are_grouped_by_time_in_the_zone_of_the_log() {
    // These requests are not in the order of their times. After them come two more requests: one with a time in a
    // different zone, and one without a valid time.
    let request = |time: &str, target: &str, status: u64| {
        format!("- - - [{time}] \"GET {target} HTTP/1.1\" {status} 5 \"-\" \"-\"\n")
    };
    let mut log = String::new();
    for at in 0..6_000u64 {
        let (day, hour, minute) = (17 + at % 2, at % 3, at % 60);
        let target = if at % 5 == 0 { "/a/%2e%2e/b" } else { "/a" };
        log += &request(&format!("{day}/May/2015:{hour:02}:{minute:02}:03 +0200"), target, 200 + 100 * (at % 4));
    }
    log += &request("17/May/2015:00:05:03 +0000", "/", 200);
    log += &request("today, 12345", "/", 200);
    let counted = |by: &str| {
        let mut expected: BTreeMap<String, (u64, u64, u64)> = BTreeMap::new();
        for at in 0..6_000u64 {
            let (day, hour, minute) = (17 + at % 2, at % 3, at % 60);
            let group = match by {
                "day" => format!("2015-05-{day}"),
                "hour" => format!("2015-05-{day}T{hour:02}:00+02:00"),
                _ => format!("2015-05-{day}T{hour:02}:{minute:02}+02:00"),
            };
            let group = expected.entry(group).or_default();
            *group = (group.0 + 1, group.1 + u64::from(at % 4 >= 2), group.2 + u64::from(at % 5 == 0));
        }
        let other = ["2015-05-17", "2015-05-17T00:00Z", "2015-05-17T00:05Z"]
            [usize::from(by != "day") + usize::from(by == "minute")];
        expected.entry(other.to_string()).or_default().0 += 1;
        expected.into_iter().map(|(group, (all, errors, attacks))| (group, all, errors, attacks)).collect::<Vec<_>>()
    };
    for by in ["minute", "hour", "day"] {
        for threads in ["-j1", "-j4"] {
            let found = groups(&["--format", "combined", "--by", by, threads], log.as_bytes());
            assert_eq!(found, counted(by), "{by}");
        }
    }
    let found = json(&["--format", "combined", "--by", "hour"], log.as_bytes());
    assert_eq!(
        (found["by"]["what"].as_str(), found["by"]["without_time"].as_u64(), found["by"]["exact"].as_bool()),
        (Some("hour"), Some(1), Some(true))
    );
    let ran = pct(["stats", "--format", "combined", "--by", "hour"], log.as_bytes());
    let text = String::from_utf8(ran.out).unwrap();
    assert!(text.contains("Requests by hour (7; requests without a time: 1)"), "{text}");
    assert!(
        text.contains("  2015-05-17T00:00+02:00") && text.contains("Requests with possible attacks by hour"),
        "{text}"
    );
}

#[test]
fn the_paths_of_each_status_are_counted() {
    let mut log = String::new();
    for (target, status, times) in [("/a", 200, 3), ("/b%2Fc", 404, 2), ("/%61", 404, 5), ("/d?e", 500, 1)] {
        let line = format!("- - - [17/May/2015:10:05:03 +0000] \"GET {target} HTTP/1.1\" {status} 5\n");
        log += &line.repeat(times);
    }
    let found = json(&["--format", "clf", "--by", "status", "--top", "2"], log.as_bytes());
    let rows = found["by"]["values"].as_array().unwrap();
    // With --top 2, only the two most frequent statuses are shown, in the order of their numbers.
    let expected = serde_json::json!([
        { "value": "200", "count": 3, "distinct": 1, "paths": [{ "value": "/a", "count": 3 }] },
        {
            "value": "404",
            "count": 7,
            "distinct": 2,
            "paths": [{ "value": "/a", "count": 5 }, { "value": "/b%2Fc", "count": 2 }],
        },
    ]);
    assert_eq!(rows, expected.as_array().unwrap());
}

#[test]
fn times_are_found_in_all_formats_that_have_them() {
    let access = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 404 5 \"-\" \"-\"\n";
    let inputs = [
        ("combined", access.to_string(), "Z"),
        ("apache-vhost", format!("h:80 {access}"), "Z"),
        ("syslog:combined", format!("<13>Jan  1 01:01:01 host nginx: {access}"), "Z"),
        ("elb", "2015-05-17T10:05:03.945958Z lb 1.2.3.4:2817 10.0.0.1:80 0.1 0.1 0.1 200 200 0 29 \"GET http://h:80/ HTTP/1.1\" \"-\" - -\n".into(), "Z"),
        ("squid", "1431857103.779    180 1.2.3.4 TCP_MISS/404 411 GET http://h/a - DIRECT/1.1.1.1 text/html\n".into(), "Z"),
        ("haproxy", "1.2.3.4:3 [17/May/2015:10:05:03.655] in s/1 10/0/30/69/109 404 27 - - ---- 1/1/1/1/0 0/0 \"GET /a HTTP/1.1\"\n".into(), ""),
        ("nginx:[$time_local] \"$request\"", "[17/May/2015:10:05:03 -0700] \"GET /a HTTP/1.1\"\n".into(), "-07:00"),
        ("nginx:$msec \"$request\"", "1431857103.779 \"GET /a HTTP/1.1\"\n".into(), "Z"),
        ("nginx:$time_iso8601 \"$request\"", "2015-05-17T10:05:03+01:00 \"GET /a HTTP/1.1\"\n".into(), "+01:00"),
        ("apache:%t \"%r\"", "[17/May/2015:10:05:03 -0700] \"GET /a HTTP/1.1\"\n".into(), "-07:00"),
        ("nginx-error", "2015/05/17 10:05:03 [error] 1#1: *1 x, client: 1.2.3.4, server: h, request: \"GET /a HTTP/1.1\", host: \"h\"\n".into(), ""),
        ("apache-error", "[Sun May 17 10:05:03.902022 2015] [core:error] [pid 1] [client 1.2.3.4:1] x, referer: http://h/\n".into(), ""),
        ("gin", "[GIN] 2015/05/17 - 10:05:03 | 404 | 1.2ms | 1.2.3.4 | GET \"/a?b=c\"\n".into(), ""),
        ("rails", "Started GET \"/a\" for 1.2.3.4 at 2015-05-17 10:05:03 +0200\n".into(), "+02:00"),
        ("django", "[17/May/2015 10:05:03] \"GET /a HTTP/1.1\" 404 5\n".into(), ""),
        ("ltsv", "time:[17/May/2015:10:05:03 +0900]\treq:GET /a HTTP/1.1\tstatus:404\n".into(), "+09:00"),
        ("cef", "CEF:0|v|p|1|1|n|1|rt=May 17 2015 10:05:03 request=http://h/a\n".into(), ""),
        ("logfmt", "ts=2015-05-17T10:05:03Z path=/a status=404\n".into(), "Z"),
        ("w3c", "#Fields: date time cs-uri sc-status\n2015-05-17 10:05:03 /a 404\n".into(), ""),
        ("zeek", "#fields\tts\turi\n1431857103.779000\t/a\n".into(), "Z"),
        ("csv", "timestamp,url\n2015-05-17 10:05:03,/a\n".into(), ""),
        ("ndjson", "{\"@timestamp\":\"2015-05-17T10:05:03.000Z\",\"url\":\"/a\"}\n".into(), "Z"),
        ("ndjson", "{\"time\":1431857103779,\"url\":\"/a\"}\n".into(), "Z"),
        ("caddy", "{\"ts\":1431857103.779,\"logger\":\"x\",\"request\":{\"uri\":\"/a\"}}\n".into(), "Z"),
        ("cloudflare", "{\"ClientRequestURI\":\"/a\",\"EdgeStartTimestamp\":1431857103779000000}\n".into(), "Z"),
        ("k8s-audit", "{\"verb\":\"get\",\"requestURI\":\"/a\",\"requestReceivedTimestamp\":\"2015-05-17T10:05:03.1Z\"}\n".into(), "Z"),
        ("har", "{\"log\":{\"creator\":{},\"entries\":[{\"startedDateTime\":\"2015-05-17T10:05:03.1+02:00\",\"request\":{\"url\":\"/a\"}}]}}\n".into(), "+02:00"),
        ("modsecurity-audit", "--a1b2c3d4-A--\n[17/May/2015:10:05:03 +0200] x 1.2.3.4 1 5.6.7.8 80\n--a1b2c3d4-B--\nGET /a HTTP/1.1\n\n--a1b2c3d4-Z--\n\n".into(), "+02:00"),
    ];
    for (format, input, zone) in inputs {
        let found = groups(&["--format", format, "--by", "minute"], input.as_bytes());
        let found: Vec<&str> = found.iter().map(|(start, ..)| start.as_str()).collect();
        assert_eq!(found, [format!("2015-05-17T10:05{zone}")], "{format}: {input}");
    }
}

/// If no field has a time, the first date with a time of day counts, but a client's time in a URL doesn't.
#[test]
fn times_are_found_in_the_text_of_records() {
    for (format, input, group) in [
        (
            "iis",
            "192.0.2.1, -, 05/17/15, 7:55:20, W3SVC2, S, 192.0.2.9, 4502, 163, 3223, 200, 0, GET, /x, -,\n",
            "2015-05-17T07:00",
        ),
        ("words", "2015/05/17 10:05:03 /a?b=c: 401 192.0.2.3\n", "2015-05-17T10:00"),
        ("ndjson", "{\"@t\":\"2015-05-17T10:05:03.100Z\",\"url\":\"/a\"}\n", "2015-05-17T10:00Z"),
        ("ndjson", "{\"eventTime\":1431857103779,\"url\":\"/a\"}\n", "2015-05-17T10:00Z"),
        (
            "zscaler",
            "{\"event\":{\"datetime\":\"2015-05-17 10:05:03\",\"url\":\"h/x\",\"urlcategory\":\"x\"}}\n",
            "2015-05-17T10:00",
        ),
        ("csv", "a,url\n\"Sun May 17 10:05:03 2015\",/a\n", "2015-05-17T10:00"),
        (
            "gitea",
            "2015/05/17 10:43:24 x [I] router: completed GET /a for 192.0.2.1:45192, 200 OK in 1.5ms\n",
            "2015-05-17T10:00",
        ),
        (
            "ndjson/message:urls",
            "{\"message\":\"GET /a?t=2001-01-01T00:00:00Z\",\"when\":\"2015-05-17T10:05:03Z\"}\n",
            "2015-05-17T10:00Z",
        ),
        ("ndjson", "{\"e\":[{\"at\":\"2015-05-17T10:05:03Z\",\"url\":\"/a\"}]}\n", "2015-05-17T10:00Z"),
    ] {
        let found = groups(&["--format", format, "--by", "hour"], input.as_bytes());
        let found: Vec<&str> = found.iter().map(|(start, ..)| start.as_str()).collect();
        assert_eq!(found, [group], "{format}: {input}");
    }
    // Each element has its own time.
    let log = "{\"e\":[{\"url\":\"/a\",\"when\":\"2015-05-17T10:05:03Z\"},{\"url\":\"/b\",\"when\":\"2015-05-17T11:05:03Z\"},{\"url\":\"/c\"}]}\n";
    let args = ["--format", "ndjson", "-f", "/e/*/url", "--by", "hour"];
    let found: Vec<_> = groups(&args, log.as_bytes()).into_iter().map(|(start, all, ..)| (start, all)).collect();
    assert_eq!(found, [("2015-05-17T10:00Z".to_string(), 1), ("2015-05-17T11:00Z".to_string(), 1)]);
    let log = "GET /a?t=2015-05-17T10:05:03Z\n";
    assert!(groups(&["--format", "urls", "--by", "hour"], log.as_bytes()).is_empty());
}

/// OTLP 1.3, "JSON Protobuf Encoding": a document has many spans, and each has a list of attributes.
#[test]
fn each_span_of_a_document_is_a_request() {
    let attribute = |key: &str, value: &str| format!("{{\"key\":\"{key}\",\"value\":{{\"stringValue\":\"{value}\"}}}}");
    let span = |path: &str, status: &str| {
        format!("{{\"attributes\":[{},{}]}}", attribute("http.target", path), attribute("http.status_code", status))
    };
    let document = format!(
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{}]}},\"scopeSpans\":[{{\"spans\":[{},{},{}]}}]}}]}}\n",
        attribute("server.address", "a database"),
        span("/a?x=1", "200"),
        span("/b", "404"),
        span("/%61?y=1", "200"),
    );
    let found = json(&["--format", "otlp"], document.repeat(2).as_bytes());
    assert_eq!(found["requests"].as_u64(), Some(6), "{found}");
    assert_eq!(table(&found, "paths"), counts(&[("/a", 4), ("/b", 2)]));
    assert_eq!(table(&found, "statuses"), counts(&[("200", 4), ("404", 2)]));
    assert_eq!(table(&found, "parameters"), counts(&[("x", 2), ("y", 2)]));
}

fn line(client: &str, target: &str) -> String {
    format!("{client} - - [17/May/2015:10:05:03 +0000] \"GET {target} HTTP/1.1\" 200 5 \"-\" \"-\"\n")
}

#[test]
fn attacks_have_their_first_place_by_client_and_by_path() {
    let attacks = [
        ("traversal", "/a/%2e%2e/%2e%2e/etc/passwd"),
        ("double_encoding", "/a%2541"),
        ("overlong_utf8", "/%c0%af"),
        ("nul", "/x.php%00.jpg"),
        ("control", "/a%0d%0aSet-Cookie:x"),
        ("encoded_separator", "/a%2Fb"),
    ];
    let folder = Folder::new();
    let (one, two) = (folder.path("one.log"), folder.path("two.log"));
    let mut text = line("10.0.0.1", "/harmless%20a?q=%2F&u=http%3A%2F%2Fh");
    text += &attacks.iter().map(|(_, target)| line("10.0.0.2", target)).collect::<String>();
    fs::write(&one, &text).unwrap();
    fs::write(&two, line("10.0.0.3", "/a%2541") + &line("10.0.0.2", "/a%2Fb")).unwrap();
    let [first, second] = [&one, &two].map(|path| path.to_str().unwrap());
    let found = json(&["--format", "combined", first, second], b"");
    assert_eq!((found["requests"].as_u64(), found["total"]["records"].as_u64()), (Some(9), Some(9)));
    for (at, (kind, target)) in attacks.iter().enumerate() {
        let of_kind = &found["attacks"]["kinds"][kind];
        let number = 1 + u64::from(matches!(*kind, "double_encoding" | "encoded_separator"));
        assert_eq!(of_kind["count"].as_u64(), Some(number), "{kind}: {found}");
        let example = &of_kind["example"];
        assert_eq!((example["input"].as_str(), example["value"].as_str()), (Some(first), Some(*target)));
        assert_eq!(example["line"].as_u64(), Some(at as u64 + 2), "{kind}");
    }
    let clients = found["attacks"]["clients"].as_array().unwrap();
    assert_eq!((clients[0]["value"].as_str(), clients[0]["count"].as_u64()), (Some("10.0.0.2"), Some(7)));
    assert_eq!(clients[0]["kinds"].as_array().unwrap().len(), 6);
    assert_eq!(
        (clients[1]["value"].as_str(), clients[1]["example"]["input"].as_str()),
        (Some("10.0.0.3"), Some(second))
    );
    assert_eq!(clients.len(), 2);
    let paths = found["attacks"]["paths"].as_array().unwrap();
    assert!(paths.iter().any(|row| row["value"] == "/a%2Fb" && row["count"] == 2), "{found}");
    // The report has a total, and no text from the log can control the terminal.
    let ran = pct(["stats", "--format", "combined", first, second], b"");
    let text = String::from_utf8(ran.out).unwrap();
    assert!(text.contains("all 2 inputs") && text.contains("path traversal") && !text.contains('\r'), "{text}");
}

/// The counts by kind, client and path are the numbers of requests that `pct grep --attack` prints.
#[test]
fn a_request_with_several_attacks_is_counted_once() {
    let request = |referrer: &str| {
        format!(
            "10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET /%252e%252e%252fa%00 HTTP/1.1\" 200 5 \"{referrer}\" \"-\"\n"
        )
    };
    let log = request("http://h/%2e%2e/") + &request("-") + &line("10.0.0.1", "/a");
    let found = json(&["--format", "combined"], log.as_bytes());
    let attacks = &found["attacks"];
    for count in [
        &attacks["requests"],
        &attacks["clients"][0]["count"],
        &attacks["paths"][0]["count"],
        &attacks["kinds"]["traversal"]["count"],
        &attacks["kinds"]["double_encoding"]["count"],
        &attacks["kinds"]["nul"]["count"],
    ] {
        assert_eq!(count, 2, "{found}");
    }
    assert_eq!(output(["grep", "--format=combined", "--attack=all", "-c"], log.as_bytes()), b"2\n");
    let text = String::from_utf8(output(["stats", "--format=combined"], log.as_bytes())).unwrap();
    assert!(text.contains("Possible attacks (in 2 requests)"), "{text}");
}

/// The user part of an authority is no part of the host. So a report shows no password as a host, and with `--redact`
/// no example shows its length.
#[test]
fn hosts_have_no_user_part() {
    let request = |password: &str| {
        format!(
            "1.1.1.1 - - [17/May/2015:10:05:03 +0000] \"GET http://u:{password}@a:80/ HTTP/1.1\" 200 5 \
             \"http://u:{password}@b/%2541\" \"-\"\n"
        )
    };
    let log = request("secret") + &request("pw");
    let found = json(&["--format", "combined"], log.as_bytes());
    assert_eq!(table(&found, "hosts"), counts(&[("a:80", 2)]));
    assert_eq!(table(&found, "referring_hosts"), counts(&[("b", 2)]));
    let found = json(&["--format", "combined", "--redact"], log.as_bytes());
    assert_eq!(found["attacks"]["kinds"]["double_encoding"]["example"]["value"], "http://u:***@b/%2541");
    assert_eq!(found["attacks"]["kinds"]["double_encoding"]["example"]["column"], 104);
}

/// A page escapes all text of the log, and loads no other file.
#[test]
fn pages_are_safe() {
    let folder = Folder::new();
    let (html, svg) = (folder.path("report.html"), folder.path("report.svg"));
    let evil = "%3Cscript%3Ealert(1)%3C/script%3E%22%27%26%3Cimg%20src=x%20onerror=x%3E%E2%80%AE%1B[31m";
    let log: String = ["10.0.0.1", "<b>x</b>", "'\"&"]
        .iter()
        .flat_map(|client| {
            [line(client, &format!("/{evil}?{evil}=1")), line(client, &format!("http://{evil}/../{evil}"))]
        })
        .collect();
    let args =
        ["--html", html.to_str().unwrap(), "--svg", svg.to_str().unwrap(), "--format", "combined", "-f", "target"];
    json(&args, log.as_bytes());
    for (path, tags) in [
        (
            html,
            &[
                "!doctype", "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "div", "b", "span",
                "section", "small", "table", "tr", "td", "code",
            ][..],
        ),
        (svg, &["svg", "title", "style", "rect", "text"]),
    ] {
        let page = fs::read_to_string(&path).unwrap();
        for tag in page.split('<').skip(1) {
            let name = tag.trim_start_matches('/').split([' ', '>', '\n', '/']).next().unwrap();
            assert!(tags.contains(&name), "{}: <{tag}", path.display());
            let inside = tag.split('>').next().unwrap();
            let outside: String = inside.split('"').step_by(2).collect();
            assert!(
                !outside.contains(" on") && !outside.contains("src=") && inside.matches('"').count() % 2 == 0,
                "<{inside}>"
            );
        }
        assert!(!page.contains('\u{202E}') && !page.contains('\u{1B}') && page.contains("script&gt;alert(1)"));
        let elsewhere = page.replace("http://www.w3.org/2000/svg", "").replace("http://", "");
        assert!(!elsewhere.contains("url(") && !elsewhere.contains("@import"));
    }
}

/// Without `--format`, lines have no fields to count, so `stats` counts only their escapes.
#[test]
fn lines_have_escapes_only() {
    let found = json(&[], b"%41%41\n%42\n");
    assert_eq!((found["requests"].as_u64(), found["total"]["escapes"].as_u64()), (Some(0), Some(3)));
    assert!(found["top"].as_object().unwrap().is_empty());
}

/// An escaped slash is data in a segment (RFC 3986 2.2), so `pct unique` keeps both records, and the paths are counted apart.
#[test]
fn a_path_with_an_escaped_slash_is_another_path() {
    let log = ["/10.1007%2Fs1", "/10.1007/s1", "/10.1007%2fs1", "/10.1007/%731"]
        .map(|target| format!("1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {target} HTTP/1.1\" 200 2 \"-\" \"x\"\n"))
        .concat();
    let ran = pct(["stats", "--format=combined", "--json"], log.as_bytes());
    let report: Value = serde_json::from_slice(&ran.out).unwrap();
    let expected =
        serde_json::json!([{ "value": "/10.1007%2Fs1", "count": 2 }, { "value": "/10.1007/s1", "count": 2 }]);
    assert_eq!(report["top"]["paths"]["values"], expected);
    let ran = pct(["unique", "--format=combined"], log.as_bytes());
    assert_eq!(ran.out.iter().filter(|&&byte| byte == b'\n').count(), 2);
}

#[test]
fn names_that_an_earlier_log_lacks_are_new() {
    let folder = Folder::new();
    let old: String = ["/a?q=1", "/b%2Fc", "/d/../e?q=%00"].map(|target| line("1.1.1.1", target)).concat();
    let new: String =
        ["/a?r=%20", "/b/c?q", "/b%2fc", "/d/../e?q=%00%0A", "/b/c"].map(|target| line("1.1.1.2", target)).concat();
    let (old, new) = (folder.file("old.log", old.as_bytes()), folder.file("new.log", new.as_bytes()));
    let [old, new] = [&old, &new].map(|path| path.to_str().unwrap());
    let found = json(&["--format", "combined", "--against", old, new], b"");
    let expected = serde_json::json!({
        "against": old,
        "paths": { "exact": true, "distinct": 1, "values": [{ "value": "/b/c", "count": 2 }] },
        "parameters": { "exact": true, "distinct": 1, "values": [{ "value": "r", "count": 1 }] },
        "attacks": {
            "exact": true,
            "distinct": 1,
            "values": [{ "value": "/d/../e", "count": 1, "kinds": ["control"] }],
        },
    });
    assert_eq!((&found["new"], &found["requests"]), (&expected, &serde_json::json!(5)));
    let page = folder.path("page.html");
    let ran = pct(["stats", "--format=combined", "--against", old, new, "--html", page.to_str().unwrap()], b"");
    let text = String::from_utf8(ran.out).unwrap();
    for shown in ["New paths (1, not in ", "New parameters (1, not in ", "control byte: /d/../e"] {
        assert!(text.contains(shown), "{text}");
    }
    assert!(fs::read_to_string(page).unwrap().contains("New paths"));
    // If a log is compared with itself, no path, parameter or attack is new.
    let found = json(&["--format", "combined", "--against", new, new], b"");
    assert!(["paths", "parameters", "attacks"].iter().all(|what| found["new"][what]["distinct"] == 0), "{found}");
    let ran = pct(["stats", "--format=combined", "--against", "missing.log", new], b"");
    assert!(ran.code == Some(2) && ran.err.contains("missing.log"), "{}", ran.err);
}

/// Records with a client, a host, a status or a referrer under the name that their program chose: the format, the record, and the
/// tables with the first value of each.
const ROLES: &[(&str, &str, &[(&str, &str)])] = &[
    (
        "pino",
        "{\"req\":{\"url\":\"/x\",\"headers\":{\"host\":\"h.example\"},\"remoteAddress\":\"192.0.2.1\"}}",
        &[("clients", "192.0.2.1"), ("hosts", "h.example"), ("paths", "/x")],
    ),
    ("ndjson", "{\"id.orig_h\":\"192.0.2.1\",\"uri\":\"/x\"}", &[("clients", "192.0.2.1")]),
    (
        "k8s-audit",
        "{\"requestURI\":\"/x\",\"sourceIPs\":[\"192.0.2.1\"],\"responseStatus\":{\"code\":403}}",
        &[("clients", "192.0.2.1"), ("statuses", "403")],
    ),
    ("cef", "CEF:0|V|P|1|1|n|5|src=192.0.2.1 requestMethod=GET request=/x", &[("clients", "192.0.2.1")]),
    ("leef", "LEEF:1.0|V|P|1|1|src=192.0.2.1\turl=/x", &[("clients", "192.0.2.1")]),
    (
        "otel",
        "{\"attributes\":{\"client.address\":\"192.0.2.1\",\"http.response.status_code\":404,\"url.path\":\"/x\"}}",
        &[("clients", "192.0.2.1"), ("statuses", "404")],
    ),
    (
        "modsecurity",
        "{\"transaction\":{\"client_ip\":\"192.0.2.1\",\"request\":{\"uri\":\"/x\"},\"response\":{\"http_code\":403}}}",
        &[("clients", "192.0.2.1"), ("statuses", "403")],
    ),
    (
        "cloudfront-json",
        "{\"c-ip\":\"192.0.2.1\",\"x-host-header\":\"h.example\",\"cs-uri-stem\":\"/x\",\"sc-status\":\"200\"}",
        &[("clients", "192.0.2.1"), ("hosts", "h.example"), ("statuses", "200")],
    ),
    (
        "caddy",
        "{\"request\":{\"uri\":\"/x\",\"headers\":{\"Referer\":[\"http://r.example/%2F\"]}}}",
        &[("referring_hosts", "r.example")],
    ),
    (
        "apache-error",
        "[Fri Sep 09 10:42:29.902022 2011] [:error] [pid 1:tid 4] [client 192.0.2.1:80] [client 192.0.2.1] ModSecurity: x \
         [uri \"/x\"]",
        &[("clients", "192.0.2.1"), ("paths", "/x")],
    ),
    (
        "s3",
        "o b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57 REST.GET.OBJECT x \"GET /x?versionId=1 HTTP/1.1\" 200 - 1 1 7 6 \
         \"-\" \"S3Console\" - s9lz= SigV4 ECDHE AuthHeader b.s3.amazonaws.com TLSV1.2",
        &[("hosts", "b.s3.amazonaws.com"), ("parameters", "versionId"), ("paths", "/x")],
    ),
    // The distribution of CloudFront comes before the host that the client asked for.
    (
        "csv",
        "client_ip,cs(host),uri,x-host-header\n192.0.2.1,d1.cloudfront.net,/x,h.example",
        &[("hosts", "h.example")],
    ),
    // A scanner writes the address of the server beside the URL.
    ("ndjson", "{\"url\":\"http://h.example/x\",\"host\":\"192.0.2.9\"}", &[("hosts", "h.example")]),
    ("logfmt", "at=info path=/x host=h.example fwd=192.0.2.1 status=200", &[("clients", "192.0.2.1")]),
    // The machine that wrote the record is not the requested host.
    ("ndjson", "{\"host\":\"192.0.2.9\",\"http_host\":\"h.example\",\"uri\":\"/x\"}", &[("hosts", "h.example")]),
    ("ndjson", "{\"host\":\"h.example\",\"server_name\":\"_\",\"uri\":\"/x\"}", &[("hosts", "h.example")]),
    (
        "pino",
        "{\"host\":\"web1\",\"req\":{\"url\":\"/x\",\"headers\":{\"host\":\"h.example\"}}}",
        &[("hosts", "h.example")],
    ),
    (
        "logfmt",
        "host=web1 path=/x request_host=h.example status=403/80",
        &[("hosts", "h.example"), ("statuses", "403")],
    ),
    (
        "logfmt",
        "url=http://h.example/x ref=http://r.example/y",
        &[("hosts", "h.example"), ("referring_hosts", "r.example")],
    ),
    ("squid", "1286536309.450 1 192.0.2.1 TCP_MISS/403 5 GET http://h/ - NONE/- x", &[("statuses", "403")]),
    (
        "winevent",
        "<Event><Data Name=\"cs-uri-query\">q</Data><Data Name=\"csReferer\">http://r.example/</Data></Event>",
        &[("referring_hosts", "r.example")],
    ),
];

#[test]
fn clients_hosts_statuses_and_referrers_are_counted_under_all_their_names() {
    for &(format, record, tables) in ROLES {
        let found = output(["stats", "--json", "-q", "--format", format], format!("{record}\n").as_bytes());
        let found: Value = serde_json::from_slice(&found).unwrap();
        for (table, value) in tables {
            assert_eq!(found["top"][table]["values"][0]["value"], *value, "{format}: {table} in {found}");
        }
        assert_eq!(found["attacks"]["requests"], 0, "{format}: {found}");
    }
}

/// A column may have the name of a host or a client and still hold URLs.
#[test]
fn a_field_that_holds_urls_is_counted_as_urls() {
    let log = "id,host\n1,http://h/a/..%2f..%2fx\n2,http://h/b%20c\n3,http://h/b\n";
    let found: Value =
        serde_json::from_slice(&output(["stats", "--json", "--format=auto", "-q"], log.as_bytes())).unwrap();
    assert_eq!(found["top"]["paths"]["distinct"], 3, "{found}");
    assert_eq!(found["top"]["hosts"]["values"], serde_json::json!([{"value": "h", "count": 3}]), "{found}");
    assert_eq!(found["attacks"]["requests"], 1, "{found}");
}

/// Tests that a field that is chosen by its number has the same role as if it were chosen by its name. If a string precedes the
/// referrer, the number of the referrer is found.
#[test]
fn fields_that_are_chosen_by_number_have_roles() {
    let record = |strings: &str| {
        let start = "192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 1";
        format!("{start} {strings}\n").repeat(3)
    };
    let s3 = "o b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57 REST.GET.OBJECT x \"GET /x HTTP/1.1\" 200 - 1 1 7 6 \
              \"http://ref.example/p\" \"S3Console\" - s9lz= SigV4 ECDHE AuthHeader h TLSV1.2\n";
    let bunny = "HIT|200|1507167062421|412|390|192.0.2.1|http://ref.example/p|https://h.example/|WA|Mozilla/5.0|322b688bd63fb63f2babe9de96a5d262|DE\n";
    for (args, log) in [
        (&["--format=auto"][..], record("\"h.example\" \"http://ref.example/p\" \"Mozilla/5.0\"")),
        (&["--format=combined", "-f8"], record("\"http://ref.example/p\" \"Mozilla/5.0\"")),
        (&["--format=s3", "-f16"], s3.to_string()),
        (&["--format=bunny", "-f7"], bunny.to_string()),
    ] {
        let out = String::from_utf8(pct([&["stats"], args].concat(), log.as_bytes()).out).unwrap();
        assert!(out.contains("\nReferring hosts (1)\n  ref.example "), "{args:?}: {out}");
    }
    let out =
        String::from_utf8(output(["stats", "--format=combined", "-f1"], record("\"-\" \"-\"").as_bytes())).unwrap();
    assert!(out.contains("\nClients (1)\n") && !out.contains("\nPaths ("), "{out}");
}

/// Apache writes a port after an IPv6 address without brackets around the address. Since version 2.4, every client has a port.
#[test]
fn clients_have_no_port() {
    for (level, client, expected) in [
        ("core:error", "2001:db8::1:443", "2001:db8::1"),
        ("core:error", "[2001:db8::1]:443", "2001:db8::1"),
        ("core:error", "::1:52114", "::1"),
        ("core:error", "2001:db8::beef", "2001:db8::beef"),
        ("core:error", "192.0.2.1:443", "192.0.2.1"),
        ("core:error", "::ffff:192.0.2.1:443", "::ffff:192.0.2.1"),
        ("error", "2001:db8::1", "2001:db8::1"),
        ("error", "2001:db8::1:443", "2001:db8::1:443"),
        ("error", "192.0.2.1", "192.0.2.1"),
    ] {
        let log = format!("[Sun May 17 10:05:03 2015] [{level}] [client {client}] x, referer: http://h/\n");
        let clients = table(&json(&["--format=apache-error"], log.as_bytes()), "clients");
        assert_eq!(clients.keys().collect::<Vec<_>>(), [expected], "{client}");
    }
}

/// Caddy computes `client_ip` from the proxies that it trusts, and its `remote_ip` is the last proxy.
#[test]
fn a_client_behind_a_proxy_is_better_than_the_proxy() {
    let line = |members: &str| format!("{{{members},\"url\":\"/a\"}}\n");
    for (members, client) in [
        (r#""remote_ip":"10.0.0.1","client_ip":"192.0.2.1""#, "192.0.2.1"),
        (r#""client_ip":"192.0.2.1","remote_ip":"10.0.0.1""#, "192.0.2.1"),
        (r#""request":{"remote_ip":"10.0.0.1","client_ip":"192.0.2.1"}"#, "192.0.2.1"),
        (r#""remote_ip":"10.0.0.1","client_ip":"unknown""#, "10.0.0.1"),
        (r#""remote_ip":"10.0.0.1","client_ip":"""#, "10.0.0.1"),
        // Any client can send this header.
        (r#""remote_ip":"10.0.0.1","x-client-ip":"192.0.2.1""#, "10.0.0.1"),
        (r#""client_ip":"unknown","remote_ip":"10.0.0.1""#, "10.0.0.1"),
        // In logs of other programs, `client_ip` may be the header `X-Forwarded-For`, which a client chooses.
        (r#""remote_addr":"10.0.0.1","client_ip":"192.0.2.1""#, "10.0.0.1"),
        (r#""remote_addr":"10.0.0.1","remote_ip":"10.0.0.2""#, "10.0.0.1"),
    ] {
        let found = json(&["--format", "ndjson"], line(members).as_bytes());
        assert_eq!(table(&found, "clients"), counts(&[(client, 1)]), "{members}");
    }
    let ecs = br#"{"source":{"ip":"10.0.0.1"},"client":{"ip":"192.0.2.1"},"url":{"original":"/a"}}"#;
    assert_eq!(table(&json(&["--format", "ecs"], ecs), "clients"), counts(&[("192.0.2.1", 1)]));
    let pairs = b"remote_ip=10.0.0.1 client_ip=192.0.2.1 url=/a\n";
    assert_eq!(table(&json(&["--format", "logfmt"], pairs), "clients"), counts(&[("192.0.2.1", 1)]));
}

#[test]
fn a_destination_is_a_better_host_than_the_writer_of_the_record() {
    for (format, line) in [
        ("logfmt", "hostname=proxy destination_host=h.example url=/a\n"),
        ("logfmt", "host=proxy dst_host=h.example url=/a\n"),
        ("logfmt", "host=h.example dst_host=N/A url=/a\n"),
        ("logfmt", "host=proxy url.domain=h.example url=/a\n"),
        ("csv", "host,dest_host,url\nproxy,h.example,/a\n"),
    ] {
        let found = json(&["--format", format], line.as_bytes());
        assert_eq!(table(&found, "hosts"), counts(&[("h.example", 1)]), "{line}");
    }
}

#[test]
fn a_client_with_and_without_a_port_is_one() {
    let line = |client: &str| format!("client={client} url=/a\n");
    let log = ["[fd00::1]:80", "[fd00::1]", "fd00::1", "1.2.3.4;", "1.2.3.4:5", "1.2.3.4"].map(line).concat();
    let found = json(&["--format", "logfmt"], log.as_bytes());
    assert_eq!(table(&found, "clients"), counts(&[("1.2.3.4", 3), ("fd00::1", 3)]));
}

/// An element alone in its array has a row of its own if it has elements with URLs. So each of these is a request.
#[test]
fn elements_inside_the_only_element_are_counted() {
    let elements = |url: &str| format!("{{\"url\":\"{url}\"}}");
    let items = ["http://h/1", "http://h/2", "http://h/3"].map(elements).join(",");
    let log = format!("{{\"page\":[{{\"url\":\"http://h/\",\"items\":[{items}]}}]}}\n");
    assert_eq!(json(&["--format", "auto"], log.as_bytes())["requests"], 3);
}

/// The only element of an array is a request of its own.
#[test]
fn no_request_hides_the_requests_of_other_arrays() {
    let log = "{\"a\":[{\"url\":\"/0\"}],\"b\":[{\"url\":\"/1\"},{\"url\":\"/2\"}],\"c\":[{\"url\":\"/3?x=%20\"}]}\n";
    let out = String::from_utf8(pct(["stats", "--format=auto"], log.as_bytes()).out).unwrap();
    assert!(out.contains("Paths (4)"), "{out}");
}
