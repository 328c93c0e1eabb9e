//! Runs `pct cut` as a process, and reads its rows with other parsers.

use crate::process;

use percent_simd_oracle::{Random, cases};
use process::{output, pct};

#[track_caller]
fn check(args: &[&str], input: &str, expected: &str) {
    let out = output([&["cut"], args].concat(), input.as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), expected, "{args:?}");
}

const LOG: &str = "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /caf%C3%A9?q=a%26b+c&x=1&q=2 HTTP/1.1\" 200 2 \"http://u@h:8/r\" \"x\"\n";

#[test]
fn fields_parts_and_parameters_become_columns() {
    check(&["--format=combined", "-f", "target.path,referrer.host", "--no-header"], LOG, "/café\th\n");
    check(
        &["--format=combined", "-f", "target.query.q,target.query.none,referrer.port", "--csv"],
        LOG,
        "target.query.q,target.query.none,referrer.port\na&b c,,8\n",
    );
    check(
        &["--format=combined", "-f", "target.query.*,target.query.x,target.fragment", "--json"],
        LOG,
        "{\"target.query.*\":{\"q\":[\"a&b c\",\"2\"],\"x\":\"1\"},\"target.query.x\":\"1\",\"target.fragment\":null}\n",
    );
    check(
        &["-f", "scheme,userinfo,host,port,path,query,fragment", "--no-header"],
        "a://u@h:1/p?q#f\n",
        "a\tu\th\t1\t/p\tq\tf\n",
    );
    check(&["-f", "host,query.q", "--null"], "//h?q=%0A\n", "h\0\n\0");
    check(&["--format=combined", "--no-header"], LOG, "/café?q=a&b+c&x=1&q=2\thttp://u@h:8/r\n");
    check(
        &["--format=ndjson", "-f", "/a\\.query,/url.host", "--csv"],
        "{\"a.query\":\"x%41\",\"url\":\"http://h/\"}\n",
        "/a\\.query,/url.host\nxA,h\n",
    );
    check(&["--csv", "-f", "host"], "", "host\n");
}

/// Pieces of hostile cells: characters that could forge a cell or a row, as escapes and unescaped.
const HOSTILE: [&str; 18] = [
    "%22",
    "%2C",
    "%0A",
    "%0D%0A",
    "%09",
    "%00",
    "%1B[31m",
    "%C2%9B",
    "%E2%80%AE",
    "%FF",
    "%5C",
    "\\",
    ",",
    "\u{202E}",
    "\u{1B}",
    "%25",
    "%2522",
    "=1+1",
];

#[test]
fn hostile_values_forge_no_row_and_no_cell() {
    let mut random = Random::seeded(1);
    let urls: Vec<String> = (0..cases(2000))
        .map(|_| {
            let mut piece = || random.text(&HOSTILE, 4);
            format!("http://{}/{}?q={}&{}=x#{}\n", piece(), piece(), piece(), piece(), piece())
        })
        .collect();
    let input = urls.concat();
    let fields = "host,path,query,query.q,query.*,fragment";
    for form in ["--csv", "--tsv"] {
        let ran = pct(["cut", form, "--no-header", "-f", fields], input.as_bytes());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.out.split(|&byte| byte == b'\n').count(), urls.len() + 1, "{form}: a row is a line");
        let is_bad = |c: char| c.is_control() && !"\n\t".contains(c) || percent_standards::iri::is_bidi_control(c);
        assert!(!String::from_utf8(ran.out.clone()).unwrap().contains(is_bad), "{form}: controls");
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(if form == "--csv" { b',' } else { b'\t' })
            .quoting(form == "--csv")
            .from_reader(&ran.out[..]);
        assert_eq!(reader.records().map(|record| assert_eq!(record.unwrap().len(), 6)).count(), urls.len(), "{form}");
    }
    let ran = pct(["cut", "--json", "-f", fields], input.as_bytes());
    let rows = ran.out.split(|&byte| byte == b'\n').filter(|row| !row.is_empty());
    let rows = rows.map(|row| serde_json::from_slice::<serde_json::Value>(row).unwrap());
    assert_eq!(rows.map(|row| assert_eq!(row.as_object().unwrap().len(), 6)).count(), urls.len());
    let ran = pct(["cut", "--null", "-f", "host,path"], input.as_bytes());
    assert_eq!(ran.out.iter().filter(|&&byte| byte == 0).count(), 2 * urls.len());
}

#[test]
fn layers_of_a_log_come_off_before_a_url_is_taken_apart() {
    let log = "#Fields: cs-uri-query\nq=a%2526b%2520c&x=1\n";
    check(&["--format=cloudfront", "-f", "cs-uri-query.query.q", "--no-header"], log, "a&b c\n");
    check(&["--repeat=stable", "-f", "query.q", "--no-header"], "/?q=%252541\n", "A\n");
}

#[cfg(feature = "arrow")]
#[test]
fn an_arrow_stream_has_all_cells() {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_ipc::reader::StreamReader;

    // The input has several chunks, so the output has several batches, in the order of the input.
    let line = |n: usize| format!("http://h{n}/caf%C3%A9?q=%0A%22\nhttp://h/%FF\n");
    let input: String = (0..20_000).map(line).collect();
    for threads in ["-j1", "-j4"] {
        let ran = pct(["cut", "--arrow", "-f", "host,path,query.q", threads], input.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let reader = StreamReader::try_new(&ran.out[..], None).unwrap();
        let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["host", "path", "query.q"]);
        let (mut rows, mut batches) = (0, 0);
        for batch in reader {
            let batch = batch.unwrap();
            batches += 1;
            let columns: Vec<_> = (0..3).map(|at| batch.column(at).as_string::<i32>().clone()).collect();
            for row in 0..batch.num_rows() {
                let cells: Vec<Option<&str>> =
                    columns.iter().map(|column| column.is_valid(row).then(|| column.value(row))).collect();
                let host = format!("h{}", rows / 2);
                match rows % 2 {
                    0 => assert_eq!(cells, [Some(host.as_str()), Some("/café"), Some("\n\"")]),
                    _ => assert_eq!(cells, [Some("h"), Some("/%FF"), None]),
                }
                rows += 1;
            }
        }
        assert!(rows == 40_000 && batches > 1, "{rows} rows in {batches} batches");
    }
    let ran = pct(["cut", "--arrow", "-f", "host"], b"");
    assert_eq!(StreamReader::try_new(&ran.out[..], None).unwrap().schema().fields().len(), 1);
}
