//! Tests the rows that `pct cut` writes for a record with several values of a field, and the requests that `pct stats` counts in it.

use percent_simd_oracle::{Random, cases};
use serde_json::{Map, Value, json};

use crate::process::{output, pct};

fn rows(args: &[&str], input: &str) -> Vec<String> {
    let out = output([&["cut", "--csv", "--no-header"], args].concat(), input.as_bytes());
    String::from_utf8(out).unwrap().lines().map(str::to_string).collect()
}

/// Returns the number of requests and of different paths.
fn requests(args: &[&str], input: &str) -> (u64, u64) {
    let ran = pct([&["stats", "--json"], args].concat(), input.as_bytes());
    let found: Value = serde_json::from_slice(&ran.out).unwrap();
    (found["requests"].as_u64().unwrap(), found["top"]["paths"]["distinct"].as_u64().unwrap_or(0))
}

#[test]
fn each_further_value_of_a_field_is_a_row() {
    for (args, input, expected) in [
        (
            &["--format=urls", "-f", "target,url"][..],
            "GET /%61 from http://h/1, http://h/2 or http://h/3\nPOST /b\n",
            &["/a,http://h/1", ",http://h/2", ",http://h/3", "/b,"][..],
        ),
        // Both columns show the same value, even if it lacks one of the parts.
        (
            &["--format=urls", "-f", "url.path,url.query.q"],
            "http://h/1 http://h/2?q=2 http://h?q=3\n",
            &["/1,", "/2,2", ",3"],
        ),
        (&["--format=urls", "-f", "url.query.q"], "http://h/1 http://h/2?q=2 http://h/3\n", &["", "2"]),
        (&["--format=logfmt", "-f", "url,id"], "url=/%61 id=1 url=/b url=/c id=2\n", &["/a,1", "/b,", "/c,", ",2"]),
        (&["--format=ndjson", "-f", "/a/*"], "{\"a\":[\"/%61\",\"/b\"]}\n{\"a\":[]}\n", &["/a", "/b", ""]),
        (
            &["--format=ndjson", "-f", "/id,/e/*/u,/e/*/s"],
            "{\"e\":[{\"s\":1,\"u\":\"/%61\"},{\"s\":2},{\"u\":\"/c,]\\\"}\"}],\"id\":7}\n",
            &["7,/a,1", ",,2", ",\"/c,]\"\"}\","],
        ),
        // Each of these arrays has one value.
        (
            &["--format=ndjson", "-f", "/f/u/*,/f/r/*,/o/*/x"],
            "{\"f\":{\"u\":[\"/%61\"],\"r\":[ \"/b\" ]},\"o\":[{\"x\":\"/c\"}]}\n{\"f\":{\"u\":[\"/d\",\"/e\"],\"r\":[\"/f\"]}}\n",
            &["/a,/b,/c", "/d,/f,", "/e,,"],
        ),
        (
            &["--format=ndjson", "-f", "/h/*/u/*,/h/*/r/*"],
            "{\"h\":[{\"u\":[\"/%61\"],\"r\":[\"/b\"]},{\"u\":[\"/c\"],\"r\":[\"/d\"]}]}\n",
            &["/a,/b", "/c,/d"],
        ),
    ] {
        assert_eq!(rows(args, input), expected, "{args:?}");
    }
    // An array may be nested more deeply than any pointer.
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let deep = format!("{{\"e\":[{{\"u\":\"/1\",\"x\":{open}{close}}},{{\"u\":\"/2\",\"s\":1}}]}}\n");
    assert_eq!(rows(&["--format=ndjson", "-f", "/e/*/u,/e/*/s"], &deep), ["/1,", "/2,1"]);
    // Without -f, a number is no URL.
    let list = "{\"args\":[\"http://h/%61\",5]}\n{\"args\":[\"http://h/b\",6]}\n";
    let ran = pct(["cut", "--format=auto"], list.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "/args/*\nhttp://h/a\nhttp://h/b\n", "{}", ran.err);
    // A text may have several URLs.
    let slack = "[\n {\"user\":\"U1\",\"text\":\"see <http://h/%61|a> and <http://h/b>\"},\n {\"user\":\"U2\",\"text\":\"-\"}\n]\n";
    let ran = pct(["cut", "--format=auto"], slack.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "/text\nhttp://h/a\nhttp://h/b\n\n", "{}", ran.err);
    let ran = pct(["cut", "--format=auto", "--json"], slack.as_bytes());
    let expected = "{\"/text\":\"http://h/a\"}\n{\"/text\":\"http://h/b\"}\n{\"/text\":null}\n";
    assert_eq!(String::from_utf8(ran.out).unwrap(), expected, "{}", ran.err);
}

#[test]
fn each_url_of_a_record_is_a_request() {
    for (args, input, expected) in [
        (&["--format=urls"][..], "http://h/1 http://h/2\nhttp://h/3\nnothing\n", (3, 3)),
        (&["--format=urls"], "GET /1 HTTP/1.1 from http://h/2\nsyslog\n", (2, 2)),
        (&["--format=syslog:urls"], "Nov 29 10:00:00 h app[1]: GET /1 HTTP/1.1 from http://h/2\n", (2, 2)),
        (&["--format=ndjson", "-f", "/e/*/url"], "{\"e\":[{\"url\":\"/1\"},{\"url\":\"/2\"}]}\n", (2, 2)),
        (&["--format=ndjson", "-f", "/e/*"], "{\"e\":[\"/1\",\"/2\",\"/1\"]}\n", (3, 2)),
        // The URLs in the headers of a request belong to the request.
        (&["--format=ndjson", "-f", "/url,/h/*/v"], "{\"url\":\"/1\",\"h\":[{\"v\":\"/2\"},{\"v\":\"/3\"}]}\n", (1, 1)),
    ] {
        assert_eq!(requests(args, input), expected, "{args:?} {input}");
    }
    let log = "{\"status\":\"404\",\"e\":[{\"url\":\"/1\"},{\"url\":\"/2\"}]}\n";
    let ran = pct(["stats", "--json", "--format=ndjson", "-f", "/e/*/url"], log.as_bytes());
    let found: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(found["top"]["statuses"]["values"], json!([{"value": "404", "count": 1}]), "{found}");
}

/// Returns `text` as a JSON string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes a line around a record.
type Envelope = fn(&str) -> String;

#[test]
fn rows_and_requests_are_those_of_the_record_in_every_envelope() {
    // The first value of a column isn't in the same element as the first value of another column.
    let records = [
        "{\"id\":1,\"e\":[{\"ms\":5},{\"url\":\"/%61\",\"ms\":7},{\"url\":\"http://h/b\"}]}",
        "{\"id\":2,\"e\":[{\"url\":\"/c\"},{\"ms\":9}]}",
        "{\"e\":[{},{\"ms\":1},{\"url\":\"\",\"ms\":2}],\"id\":3}",
    ];
    let fields = ["-f", "/id,/e/*/url,/e/*/ms"];
    let lines = |envelope: &dyn Fn(&str) -> String| records.map(|record| envelope(record) + "\n").concat();
    let plain = lines(&|record| record.to_string());
    let args = [&["--format=ndjson"], &fields[..]].concat();
    let expected = rows(&args, &plain);
    assert_eq!(expected, ["1,,5", ",/a,7", ",http://h/b,", "2,/c,", ",,9", "3,,1", ",,2"]);
    let counts = requests(&["--format=ndjson", "-f", "/e/*/url"], &plain);
    let envelopes: [(&str, &str, Envelope); 7] = [
        ("compose:ndjson", "", |record| format!("web_1  | {record}")),
        ("ansi:ndjson", "", |record| format!("\x1B[32m{record}\x1B[0m")),
        // Each member has a color.
        ("ansi:ndjson", "", |record| {
            record.split_inclusive([',', '{']).map(|text| format!("\x1B[1;31m{text}\x1B[m")).collect()
        }),
        ("docker:ndjson", "", |record| {
            let log = quoted(&format!("{record}\n"));
            format!("{{\"log\":{log},\"stream\":\"stdout\",\"time\":\"2026-11-29T10:00:00Z\"}}")
        }),
        ("ndjson/message:ndjson", "", |record| format!("{{\"t\":0,\"message\":{}}}", quoted(record))),
        ("ndjson/a/*:ndjson", "", |record| format!("{{\"a\":[{}]}}", quoted(record))),
        ("csv/message:ndjson", "t,message\n", |record| format!("0,\"{}\"", record.replace('"', "\"\""))),
    ];
    for (format, header, envelope) in envelopes {
        let input = header.to_string() + &lines(&envelope);
        let format = format!("--format={format}");
        let args = [&[&*format], &fields[..]].concat();
        assert_eq!(rows(&args, &input), expected, "{format} {input}");
        assert_eq!(requests(&[&*format, "-f", "/e/*/url"], &input), counts, "{format} {input}");
    }
    // Each inner record has rows of its own.
    let all = format!("{{\"a\":[{}]}}\n", records.map(quoted).join(","));
    let args = [&["--format=ndjson/a/*:ndjson"], &fields[..]].concat();
    assert_eq!(rows(&args, &all), expected);
}

/// The members that the columns show: of the record, of its elements in `a`, and of their elements in `b`.
const COLUMNS: &str = "/id,/a/*/u,/a/*/s,/a/*/b/*/w,/c/*";

/// A record, or an element of a list with several elements.
#[derive(Default)]
struct Part {
    own: [String; 5],
    inside: Vec<Part>,
}

impl Part {
    /// Returns the part with the members `names` of `object`, each with the number of its column.
    fn of(object: &Value, names: &[(&str, usize)]) -> Part {
        let mut part = Part::default();
        for (name, column) in names {
            part.own[*column] = object.get(name).map_or("", |value| value.as_str().unwrap()).to_string();
        }
        part
    }

    /// Adds the elements of `list`. The only string in a list is no part: it is in the same row.
    fn add(&mut self, list: &Value, part_of: impl Fn(&Value) -> Part) {
        let mut parts: Vec<Part> = list.as_array().into_iter().flatten().map(part_of).collect();
        if parts.len() == 1 && list[0].is_string() {
            fill(&mut self.own, parts.remove(0).own);
        }
        self.inside.extend(parts);
    }

    /// Returns the rows: the values of the part itself, and then the rows of the parts in it. The first row of the first part is the
    /// row of this part.
    fn rows(self) -> Vec<[String; 5]> {
        let mut row = self.own;
        let inside: Vec<_> = self.inside.into_iter().flat_map(Part::rows).collect();
        let mut inside = inside.into_iter();
        if let Some(first) = inside.next() {
            fill(&mut row, first);
        }
        let own = Some(row).filter(|row| row.iter().any(|cell| !cell.is_empty()));
        own.into_iter().chain(inside).collect()
    }
}

fn fill(row: &mut [String; 5], from: [String; 5]) {
    row.iter_mut().zip(from).filter(|(_, cell)| !cell.is_empty()).for_each(|(own, cell)| *own = cell);
}

fn model(record: &Value) -> Vec<[String; 5]> {
    let a = |element: &Value| {
        let mut part = Part::of(element, &[("u", 1), ("s", 2)]);
        part.add(&element["b"], |inner| Part::of(inner, &[("w", 3)]));
        part
    };
    let c = |value: &Value| Part::of(&json!({"c": value}), &[("c", 4)]);
    let mut whole = Part::of(record, &[("id", 0)]);
    // The order of the lists in the record decides.
    for (name, list) in record.as_object().unwrap() {
        match name.as_str() {
            "a" => whole.add(list, a),
            "c" => whole.add(list, c),
            _ => {}
        }
    }
    let rows = whole.rows();
    if rows.is_empty() { vec![Default::default()] } else { rows }
}

/// Returns an object with some of `members`, in any order.
fn some(random: &mut Random, mut members: Vec<(&str, Value)>) -> Value {
    let mut object = Map::new();
    while !members.is_empty() {
        let (name, value) = members.remove(random.below(members.len()));
        if !random.one_in(3) {
            object.insert(name.to_string(), value);
        }
    }
    Value::Object(object)
}

fn list(random: &mut Random, mut element: impl FnMut(&mut Random) -> Value) -> Value {
    (0..random.below(4)).map(|_| element(random)).collect()
}

/// The naive model is recursive, and reads a tree.
#[test]
fn rows_of_nested_lists_are_those_of_a_model() {
    let mut random = Random::seeded(3);
    let mut number = 0;
    let mut text = || {
        number += 1;
        json!(format!("{number}]}},[{{\""))
    };
    let mut records = Vec::new();
    for _ in 0..cases(3000) {
        let a = list(&mut random, |random| {
            let b = list(random, |random| some(random, vec![("w", text()), ("x", json!([[], {}, "]", 1]))]));
            some(random, vec![("u", text()), ("s", text()), ("b", b)])
        });
        let c = list(&mut random, |_| text());
        records.push(some(&mut random, vec![("id", text()), ("a", a), ("c", c), ("d", json!({"e": [1, [2]]}))]));
    }
    let input: String = records.iter().map(|record| format!("{record}\n")).collect();
    let out = output(["cut", "--csv", "--no-header", "--format=ndjson", "-f", COLUMNS], input.as_bytes());
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
    let mut found = reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect::<Vec<_>>());
    for record in &records {
        for row in model(record) {
            assert_eq!(found.next().unwrap(), row, "{record}");
        }
    }
    assert_eq!(found.next(), None);
}
