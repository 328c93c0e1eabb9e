//! Runs `pct cut` as a process, and reads its rows with other parsers.

use crate::process;

use percent_simd_oracle::{Random, cases};
use process::{Folder, output, pct};

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

/// Members of different objects can have the same name. So a column has the pointer to its member as its name.
#[test]
fn columns_of_json_have_different_names() {
    for (format, prefix) in [("ndjson", ""), ("compose:ndjson", "web_1  | "), ("stamp:ndjson", "2026-03-17T07:00:00Z ")]
    {
        let log = format!("{prefix}{{\"url\":\"/%41\",\"req\":{{\"url\":\"/%42\"}}}}\n");
        let out = output(["cut", "--json", "--format", format], log.as_bytes());
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("\"/url\":\"/A\"") && out.contains("\"/req/url\":\"/B\""), "{format}: {out}");
        let names: Vec<&str> =
            out.trim_matches(['{', '}', '\n']).split(',').map(|pair| pair.split(':').next().unwrap()).collect();
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len(), "{format}: {out}");
    }
}

/// If a field is named in two ways, `pct cut` refuses it, because one of its two columns would be empty.
#[test]
fn a_field_has_one_name() {
    let cases = [
        ("csv", "1", "url", "url,x\n/a%41,/b\n"),
        ("csv", "URL", "url", "url,x\n/a%41,/b\n"),
        ("csv", "1.path", "url.host", "url,x\n/a%41,/b\n"),
        ("csv", "2", "02", "a,/a%41\n"),
        ("combined", "client", "1", LOG),
        ("combined", "1", "client", LOG),
        ("words", "2", "02", "a /a%41 b\n"),
        ("logfmt", "url", "URL", "url=/a%41 b=1\n"),
        ("ltsv", "uri", "URI", "uri:/a%41\tb:1\n"),
        ("cef", "cs7", "URL", "CEF:0|v|p|1|2|n|3|cs7Label=URL cs7=/a%41\n"),
        ("ndjson", "/url", "url", "{\"url\":\"/a%41\"}\n"),
        ("ndjson", "/url", "/*", "{\"url\":\"/a%41\",\"b\":\"/x\"}\n"),
        ("ndjson", "/*", "/url", "{\"b\":\"/x\"}\n{\"b\":\"/x\",\"url\":\"/a%41\"}\n"),
        ("compose:ndjson", "/url", "url", "web_1  | {\"url\":\"/a%41\"}\n"),
        ("ndjson/message:combined", "client", "1", &format!("{{\"message\":{:?}}}\n", LOG.trim_end())),
    ];
    for (format, one, other, input) in cases {
        let field = |column: &str| column.trim_end_matches(".path").trim_end_matches(".host").to_string();
        let (first, second) = (field(one), field(other));
        let told =
            format!("pct: <stdin> is skipped: `{first}` and `{second}` are the same field; choose only one of them\n");
        let columns = format!("{one},{other}");
        let ran = pct(["cut", "--format", format, "-f", &columns], input.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(2), told.as_str()), "{format} {columns}");
        // A verb without columns needs only one of the two.
        let ran = pct(["decode", "--format", format, "-f", &format!("{first},{second}")], input.as_bytes());
        let alone =
            pct(["decode", "--format", format, "-f", if second == "/*" { "/*" } else { &first }], input.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{format} {columns}");
        assert_eq!(ran.out, alone.out, "{format} {columns}");
    }
    let ran = pct(["decode", "--format", "csv", "-f", "1,url", "--to", "{}_d"], b"url,x\n/a%41,/b\n");
    let told = "pct: <stdin> is skipped: `1` and `url` are the same field; choose only one of them\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), told));
    // Different fields may have equal values, and a record may lack one of the fields.
    check(&["--format=csv", "--csv", "-f", "a,2,c"], "a,b,c\n/x,/x,/x\n,,\n/y\n", "a,2,c\n/x,/x,/x\n,,\n/y,,\n");
    check(&["--format=csv", "--csv", "-f", "url,url"], "url,x\n/a%41,/b\n", "url,url\n/aA,/aA\n");
}

/// RFC 8259 4: the names in an object should be unique. Most readers keep only one of two members with the same name, and
/// dataframes refuse a stream in Arrow's format that has two columns with the same name.
#[test]
fn a_named_cell_has_its_name_alone() {
    let mut forms = vec!["--json"];
    forms.extend(cfg!(feature = "arrow").then_some("--arrow"));
    for form in forms {
        for (columns, name) in [("b,b", "b"), ("a.path,b,a.path", "a.path")] {
            let ran = pct(["cut", "--format=csv", form, "-f", columns], b"a,b\n/x,/y\n");
            let told =
                format!("pct: the column `{name}` is chosen twice; in this form of output, choose it only once\n");
            assert_eq!((ran.code, ran.err, ran.out), (Some(2), told, Vec::new()), "{form} {columns}");
        }
    }
    check(&["--format=csv", "--json", "-f", "a,a.path"], "a,b\n/x,/y\n", "{\"a\":\"/x\",\"a.path\":\"/x\"}\n");
}

/// A format such as NDJSON knows many names of fields, and an input has few of them.
#[test]
fn fields_that_the_first_records_have_become_columns() {
    check(&["--format=ndjson"], "{\"url\":\"/%41\"}\n{\"referer\":\"/b\",\"n\":1}\n", "/url\t/referer\n/A\t\n\t/b\n");
    check(&["--format=logfmt", "--csv"], "a=1 uri=/%41\n", "uri\n/A\n");
    check(&["--format=ltsv", "--json"], "uri:/%41\tn:1\n", "{\"uri\":\"/A\"}\n");

    // The first records are those in the first 64 KiB.
    let log = ["{\"url\":\"/%41\"}\n".repeat(9000).as_str(), "{\"url\":\"/B\",\"referer\":\"/c\"}\n"].concat();
    let (out, message) = ends(&["--format=ndjson"], &log);
    assert!(out.ends_with("/B\n") && message.contains("1 value is in no column"), "{message}");
    assert!(message.contains(" /referer;"), "{message}");
    assert_eq!(ends(&["--format=ndjson", "--quiet"], &log).1, "");
    // A row of JSON can have further members.
    let (out, message) = ends(&["--format=ndjson", "--json"], &log);
    assert!(out.ends_with("{\"/url\":\"/A\"}\n{\"/url\":\"/B\",\"/referer\":\"/c\"}\n"), "{message}");
    assert_eq!(message, "");
}

/// A document is one record. So its fields are found in all of it, from a file and from a pipe.
#[test]
fn fields_of_a_long_document_are_found() {
    let text = "x".repeat(200_000);
    let document = format!("{{\n \"a\": \"{text}\",\n \"items\": [\n  {{\"u\": \"http://h/%41\"}}\n ]\n}}\n");
    let folder = Folder::new();
    let file = folder.file("a.json", document.as_bytes()).into_os_string().into_string().unwrap();
    for (args, input) in [(&["--format=auto", &file][..], ""), (&["--format=auto"], &document)] {
        let (out, message) = ends(args, input);
        assert_eq!(out, "/items/*/u\nhttp://h/A\n", "{message}");
    }
}

/// A field whose first URL comes after the first records isn't read, but reported.
#[test]
fn later_fields_with_urls_are_reported() {
    let log = |first: &str, last: &str| {
        // In a chunk, at least one of eight records is searched.
        [format!("{{\"url\":\"http://h/%41\",{first}}}\n").repeat(9000), format!("{last}\n").repeat(8)].concat()
    };
    let told = "later records have URLs in fields that are not read, because the first records lack them: /page/u, /redirect; choose fields with -f";
    let last = "{\"url\":\"/b\",\"redirect\":\"http:\\/\\/h/c\",\"page\":{\"u\":\"https://h/d\"}}";
    for first in ["\"n\":1", "\"redirect\":\"\""] {
        let (_, message) = ends(&["--format=auto"], &log(first, last));
        assert!(message.contains(told), "{message}");
        assert_eq!(ends(&["--format=auto", "-f", "/url"], &log(first, last)).1.matches("later").count(), 0);
    }
    // A field that the first records have is reported when the format is recognized, and a text is no URL.
    for last in ["{\"url\":\"/b\",\"text\":\"http://h/c failed\"}", "{\"url\":\"/b\",\"template-url\":\"http://h/c\"}"]
    {
        let (_, message) = ends(&["--format=auto"], &log("\"template-url\":\"http://h/c\"", last));
        assert!(!message.contains("later"), "{message}");
    }
    let log = ["a=1 url=http://h/%41\n".repeat(9000), "a=1 url=http://h/b next=\"http://h/c\"\n".repeat(8)].concat();
    assert!(ends(&["--format=auto"], &log).1.contains("the first records lack them: next;"));
}

/// Returns what `pct cut` writes to standard output and to standard error.
fn ends(args: &[&str], input: &str) -> (String, String) {
    let ran = pct([&["cut"], args].concat(), input.as_bytes());
    (String::from_utf8(ran.out).unwrap(), ran.err)
}

/// A file of JSON without a field that is known to hold URLs has no columns. The message names the fields, and so does the
/// command that it suggests.
#[test]
fn a_file_without_a_usual_field_is_skipped() {
    let folder = Folder::new();
    let log = folder.file("a.log", b"{\"time\":\"t\",\"request\":{\"path\":\"secret/%41\"}}\n{\"time\":\"t\"}\n");
    let log = log.into_os_string().into_string().unwrap();
    for options in [&["--format=auto"][..], &["--format=ndjson"], &["--format=ndjson", "--json"]] {
        let ran = pct([&["cut"], options, &[&log]].concat(), b"");
        assert_eq!((ran.code, &ran.out[..]), (Some(2), &b""[..]), "{}", ran.err);
        assert!(
            ran.err.contains("have no field that is known to hold URLs; there are /time, /request/path;"),
            "{}",
            ran.err
        );
    }
    check(&["--format=auto", "-q", "-f", "/request/path", &log], "", "/request/path\nsecret/A\n\n");
    // The later records of a pipe may have other fields.
    assert_eq!(pct(["cut", "--format=ndjson"], b"{\"time\":\"t\"}\n").code, Some(0));
    // An empty file, and a file without records, have the header alone.
    let empty = folder.file("b.log", b"").into_os_string().into_string().unwrap();
    assert_eq!(pct(["cut", "--format=ndjson", &empty], b"").code, Some(0));
}

/// The rows of all inputs have the columns of the first input.
#[test]
fn an_input_without_the_columns_of_the_table_is_an_error() {
    let folder = Folder::new();
    let file = |name: &str, text: &str| folder.file(name, text.as_bytes()).into_os_string().into_string().unwrap();
    let log = file("a.log", LOG);
    let one = file("1.json", "{\"url\":\"/1\",\"referer\":\"/r\"}\n");
    let two = file("2.json", "{\"referer\":\"/%41\",\"path\":\"/p\"}\n");
    let (out, message) = ends(&["--format=auto", &log, &one], "");
    assert!(
        out.lines().count() == 2 && message.contains("1.json is skipped: it lacks columns of the table"),
        "{out}{message}"
    );
    let (out, message) = ends(&["--format=auto", &one, &two], "");
    assert_eq!(out, "/url\t/referer\n/1\t/r\n\t/A\n");
    assert!(message.contains("1 value is in no column") && message.contains(" /path;"), "{message}");
    let (out, _) = ends(&["--format=auto", "--json", &one, &two], "");
    assert_eq!(out, "{\"/url\":\"/1\",\"/referer\":\"/r\"}\n{\"/path\":\"/p\",\"/referer\":\"/A\"}\n");
}

/// With `-0` and `-Z`, NUL ends a value or a name. So no line end is between two inputs.
#[test]
fn no_line_end_follows_the_nul_of_an_input() {
    let folder = Folder::new();
    let urls = folder.file("urls", b"/a\n/b").into_os_string().into_string().unwrap();
    assert_eq!(ends(&["-0", "-f", "path", &urls, &urls], "").0, "/a\0/b\0/a\0/b\0");
    let names = pct(["grep", "-l", "-Z", "a", &urls, &urls], b"").out;
    assert_eq!(String::from_utf8(names).unwrap(), format!("{urls}\0{urls}\0"));
}

/// A log that was just rotated is empty.
#[test]
fn an_empty_input_does_not_determine_the_columns() {
    let folder = Folder::new();
    let file = |name: &str, text: &str| folder.file(name, text.as_bytes()).into_os_string().into_string().unwrap();
    let (empty, one) = (file("a.log", ""), file("1.json", "{\"url\":\"/%41\"}\n"));
    for format in ["--format=auto", "--format=ndjson"] {
        let (out, message) = ends(&[format, &empty, &one, &empty], "");
        assert!(out == "/url\n/A\n" && !message.contains("skipped"), "{format}: {out}{message}");
    }
    assert_eq!(ends(&["--format=combined", &empty, &empty], "").0, "target\treferrer\n");
    assert_eq!(ends(&["-f", "host", &empty, "none"], "").0, "host\n");
}

/// RFC 3986 2.4: first split a URL into its components, then decode their escapes. A column that can be split again
/// keeps the escapes of its separators.
#[test]
fn escaped_separators_stay_in_columns_that_can_be_split_again() {
    let cut = |field: &str, input: &str, expected: &str| check(&["--no-header", "-f", field], input, expected);
    cut("userinfo", "x://a%3Ab:c@h\nx://a:b%3Ac@h\n", "a%3Ab:c\na:b%3Ac\n");
    cut("query", "?a=1%262&b=3\n?a%3D1=%20%2B+\n", "a=1%262&b=3\na%3D1= %2B+\n");
    cut("path", "/a%2Fb%20\n/a/b%20\n/a%252Fb\n/100%25\n/%%32F%20\n", "/a%2Fb \n/a/b \n/a%252Fb\n/100%\n/%%32F \n");
    cut("authority", "x://u%40v%3A:p@h%3A\n", "u%40v%3A:p@h%3A\n");
    // A single component can't be split again.
    cut("user,fragment,query.q", "x://a%3Ab@h?q=%26%3D#%2F%26\n", "a:b\t/&\t&=\n");
    check(&["--no-header", "-f", "query", "--plus"], "?a+b%2B%26\n", "a b+%26\n");
    check(&["--no-header", "-f", "path,query", "--raw"], "/a%2Fb?c=1%262%0A\n", "/a/b\tc=1&2\n\n");
    check(&["--no-header", "-f", "path,query.q", "--keep", "%20%25"], "/%C3%A9%20%25%41?q=%20\n", "/é%20%25A\t%20\n");
    check(&["--no-header", "-f", "path", "--repeat=stable"], "/a%252Fb\n", "/a%2Fb\n");
    let log = LOG.replace("/caf%C3%A9?q=a%26b+c", "/a%2Fb?q=1%262");
    check(&["--format=combined", "-f", "target.path,target.query", "--no-header"], &log, "/a%2Fb\tq=1%262&x=1&q=2\n");
}

#[test]
fn numbers_and_words_of_json_are_values() {
    let log = "{\"n\":-1.5e3,\"t\":true,\"z\":null,\"a\":[1,{\"b\":false}],\"u\":\"/caf%C3%A9\"}\n{\"z\":7}\n";
    check(
        &["--format=ndjson", "--no-header", "-f", "/n,/t,/z,/a/*,/a/1/b,/u"],
        log,
        "-1.5e3\ttrue\t\t1\tfalse\t/café\n\t\t7\t\t\t\n",
    );
    check(
        &["--format=ndjson", "--json", "-f", "/n,/z"],
        log,
        "{\"/n\":\"-1.5e3\",\"/z\":null}\n{\"/n\":null,\"/z\":\"7\"}\n",
    );
}

#[test]
fn segments_files_hosts_and_pairs_become_columns() {
    let cut = |field: &str, input: &str, expected: &str| check(&["--no-header", "-f", field], input, expected);
    cut(
        "segments[1],segments[2],segments[-1],segments[9],file,extension",
        "/a%2Fb/c/d.tar%2Egz;v=1.2\n/a/\na\n//h\n/.rc\n",
        "a/b\tc\td.tar.gz;v=1.2\t\td.tar.gz;v=1.2\tgz\na\t\t\t\t\t\na\t\ta\t\ta\t\n\t\t\t\t\t\n.rc\t\t.rc\t\t.rc\t\n",
    );
    cut(
        "origin",
        "HTTP://u:p@H%2fx:80/\nhttps://h:8443/\nhttps://[::1]:443\n//h/\nmailto:a@b\n",
        "http://h%2fx\nhttps://h:8443\nhttps://[::1]\n\n\n",
    );
    check(
        &["--json", "-f", "hosts,params"],
        "mongodb://u:p@a%2C:1,[::1],c/?b=1%262&b=+&a\n/x\n",
        "{\"hosts\":[{\"host\":\"a,\",\"port\":\"1\"},{\"host\":\"[::1]\",\"port\":null},{\"host\":\"c\",\"port\":null}],\
         \"params\":[[\"b\",\"1&2\"],[\"b\",\" \"],[\"a\",\"\"]]}\n{\"hosts\":null,\"params\":null}\n",
    );
    // Each host has its own port.
    cut(
        "host,port,origin",
        "mongodb://H1:1,h2:2/\nmongodb://h1:1,h3:3/\nkafka://h1,h2:9092\nhttp://[::1]:80,h\nx://h1,h2/\n",
        "H1,h2\t1,2\tmongodb://h1:1,h2:2\nh1,h3\t1,3\tmongodb://h1:1,h3:3\nh1,h2\t,9092\tkafka://h1,h2:9092\n\
         [::1],h\t80,\thttp://[::1],h\nh1,h2\t\tx://h1,h2\n",
    );
    check(&["--csv", "--no-header", "-f", "params"], "?a=%0A%E2%80%AE\n", "\"[[\"\"a\"\",\"\"\\n%E2%80%AE\"\"]]\"\n");
    check(&["--format=combined", "-f", "target.segments[1],referrer.origin", "--no-header"], LOG, "café\thttp://h:8\n");
}

/// The hosts are examples of the public suffix list.
#[cfg(feature = "domains")]
#[test]
fn a_host_has_a_registrable_domain() {
    check(
        &["--no-header", "-f", "host.domain"],
        "//www.Example.co.uk/\n//a.b%2Eexample.com.:80\n//co.uk\n//127.0.0.1\n//127.0.0.1.\n//1.2.3%2E4%2e\n//[::1]\n//x.github.io\n/p\n//a.b.com:1,c.d.org\n",
        "example.co.uk\nexample.com\n\n\n\n\n\nx.github.io\n\nb.com,d.org\n",
    );
    check(&["--format=combined", "-f", "referrer.host.domain,referrer.host", "--no-header"], LOG, "\th\n");
}

/// Pieces of hostile cells: characters that could forge a cell or a row, both escaped and unescaped.
const HOSTILE: [&str; 18] = [
    "%22", "%2C", "%0A", "%0D%0A", "%09", "%00", "%1B[31m", "%C2%9B", "%E2%80%AE", "%FF", "%5C", "\\", ",", "\u{202E}",
    "\u{1B}", "%25", "%2522", "=1+1",
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
    let fields = "host,path,query,query.q,query.*,fragment,file,params,hosts,segments[1],origin,extension";
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
        assert_eq!(reader.records().map(|record| assert_eq!(record.unwrap().len(), 12)).count(), urls.len(), "{form}");
    }
    let ran = pct(["cut", "--json", "-f", fields], input.as_bytes());
    let rows = ran.out.split(|&byte| byte == b'\n').filter(|row| !row.is_empty());
    let rows = rows.map(|row| serde_json::from_slice::<serde_json::Value>(row).unwrap());
    assert_eq!(rows.map(|row| assert_eq!(row.as_object().unwrap().len(), 12)).count(), urls.len());
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

#[test]
fn an_unknown_part_is_named() {
    for (fields, name, hint) in [
        ("path,segments[0]", "segments[0]", "segments count from 1"),
        ("segments[x]", "segments[x]", "segments count from 1"),
        ("path,hostt", "hostt", "name a format"),
    ] {
        let ran = pct(["cut", "-f", fields], b"/a\n");
        let told = format!("pct: there is no field `{name}`, because each record is one field; {hint}");
        assert!(ran.code == Some(2) && ran.err.starts_with(&told), "{}", ran.err);
    }
}

/// JSON can't hold all bytes. So the bytes that aren't UTF-8 stay escaped in all columns, and stay different.
#[test]
fn parameters_are_decoded_like_one_parameter() {
    for (value, decoded) in [
        ("%ff", "%ff"),
        ("%fe", "%fe"),
        ("%ff%C3%A9+b%zz", "%ffé b%zz"),
        ("%C2%85%E2%80%A8", "%C2%85%E2%80%A8"),
        ("%22%5c%26", "\\\"\\\\&"),
    ] {
        let expected = format!(
            "{{\"params\":[[\"c\",\"{decoded}\"]],\"query.*\":{{\"c\":\"{decoded}\"}},\"query.c\":\"{decoded}\"}}\n"
        );
        check(&["--json", "-f", "params,query.*,query.c"], &format!("http://h/?c={value}\n"), &expected);
    }
    check(
        &["--no-header", "--raw", "-f", "params,query.*"],
        "/?%ff=1&%fe=2\n",
        "[[\"%ff\",\"1\"],[\"%fe\",\"2\"]]\t{\"%ff\":\"1\",\"%fe\":\"2\"}\n",
    );
    check(
        &["--json", "-f", "hosts"],
        "mongodb://%ff,%fe/\n",
        "{\"hosts\":[{\"host\":\"%ff\",\"port\":null},{\"host\":\"%fe\",\"port\":null}]}\n",
    );
}

/// The name `location` promises no URLs, so the values decide.
#[test]
fn a_name_without_a_promise_is_no_column_if_its_values_are_text() {
    for (format, lines, expected) in [
        ("logfmt", "location=Paris url=/a\nlocation=Location#All url=/b\n", "url\n/a\n/b\n"),
        ("logfmt", "location=Paris url=/a\nlocation=/b%41 url=-\n", "url\tlocation\n/a\tParis\n-\t/bA\n"),
        ("ndjson", "{\"path\":\"HKEY_LOCAL_MACHINE\\\\x y\",\"url\":\"/a\"}\n", "/url\n/a\n"),
        ("ndjson", "{\"path\":\"3|DESKTOP|\\\\V2.4 x.exe\",\"url\":\"/a\"}\n", "/url\n/a\n"),
        ("ndjson", "{\"path\":\"index.html\",\"url\":\"/a\"}\n", "/url\t/path\n/a\tindex.html\n"),
        ("ndjson", "{\"path\":\"*\",\"url\":\"/a\"}\n", "/url\t/path\n/a\t*\n"),
        // These names promise URLs. Akamai writes no slash before a path.
        ("akamai", "{\"reqPath\":\"x\",\"reqHost\":\"h\"}\n", "/reqPath\nx\n"),
        ("ndjson", "{\"uri\":\"home\",\"url\":\"/a\"}\n", "/url\t/uri\n/a\thome\n"),
    ] {
        check(&["-q", "--format", format], lines, expected);
    }
    let input = b"location=Paris url=/a\n";
    check(&["--format", "logfmt", "-f", "location"], std::str::from_utf8(input).unwrap(), "location\nParis\n");
    // A later record may have a URL in the field.
    let message = "the names of these fields are known, but their first values are no URLs, so they are not read: location; to \
                   read one, name it, as in --format 'logfmt' -f 'location'\n";
    assert!(pct(["decode", "--format=logfmt"], input).err.ends_with(message));
    // A line of this log names the columns, so all of them are read.
    let zeek = "#fields\turi\tlocation\n/a\tParis\n";
    check(&["--format", "zeek"], zeek, "uri\tlocation\n/a\tParis\n");
    assert_eq!(pct(["decode", "--format=zeek"], zeek.as_bytes()).err, "");
}

/// Checks the rows that `pct cut` writes for a log whose format it recognizes. `told` is a part of the message.
#[track_caller]
fn recognizes(log: &str, rows: &str, told: &str) {
    let (out, message) = ends(&["--format=auto", "--csv"], log);
    assert!(out == rows && message.contains(told), "{log}\n{out}\n{message}");
}

/// A comma or a bar separates columns only if the rows have it, and if no brackets enclose it.
#[test]
fn text_with_delimiters_is_no_table() {
    let log = "('192.0.2.1', 60415) Request URL: http://h/%41 Response: 200 x\n('192.0.2.1', 60417) Request URL: http://h/b Response: 200\n";
    recognizes(log, "url\nhttp://h/A\nhttp://h/b\n", "read as urls");
    recognizes(
        &"{'u': 'http://h/%41', 'v': 'a; b'}\n".repeat(3),
        &format!("url\n{}", "http://h/A\n".repeat(3)),
        "urls",
    );
    recognizes("path | size\n/a,1\n/b,2\n", "", "no known format");
    recognizes("path|size\n/%41|1\n", "path\n/A\n", "read as csv|");
}

/// The first request of a page has no referrer, so the columns of a HAR don't depend on the first entry.
#[test]
fn a_har_has_a_column_of_referrers() {
    let entry = |headers: &str| {
        format!(
            "{{\"request\":{{\"url\":\"http://h/%41\",\"headers\":[{headers}]}},\"response\":{{\"redirectURL\":\"\"}}}}"
        )
    };
    let text = format!("{{\"name\":\"x\",\"value\":\"{}\"}}", "x".repeat(100_000));
    let entries = entry(&text) + "," + &entry("{\"name\":\"Referer\",\"value\":\"http://r/%42\"}");
    let log = format!("{{\"log\":{{\"version\":\"1.2\",\"creator\":{{}},\"entries\":[{entries}]}}}}\n");
    let rows = "/request/url,/response/redirectURL,/request/headers/Referer\nhttp://h/A,,\nhttp://h/A,,http://r/B\n";
    recognizes(&log, rows, "read as har");
}

/// At the level `debug`, nginx writes each part of a request on a line of its own.
#[test]
fn requests_in_debug_logs_of_nginx_are_read() {
    let line = |text: &str| format!("2020/04/20 13:40:12 [debug] 1#1: *1 http {text}\n");
    let target = line("request line: \"GET /%41\"b?c=d HTTP/1.1\"") + &line("uri: \"/A\"b\"") + &line("args: \"c=d\"");
    let log = line("wait request handler") + &target + &line("header: \"Referer: http://r/%42\"");
    recognizes(&log, "target,referrer\n,\n\"/A\"\"b?c=d\",\n,\n,\n,http://r/B\n", "read as nginx-error");
}

/// A statement of a database is no query of a URL.
#[test]
fn statements_of_a_database_are_not_read() {
    let log = "{\"url\":\"/%41\",\"query\":\"insert into x values ('a=%42&b')\"}\n{\"url\":\"/b\",\"query\":\"select * from x\"}\n";
    recognizes(log, "/url\n/A\n/b\n", "their first values are no URLs, so they are not read: /query;");
    recognizes("{\"url\":\"/%41\",\"query\":\"a=b c\"}\n", "/url,/query\n/A,a=b c\n", "read as ndjson");
}

/// If a log is emptied while a program writes to it, the next line starts with NULs.
#[test]
fn nuls_before_a_record_are_skipped() {
    let line = "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /%41 HTTP/1.1\" 200 5 \"http://r/%42\" \"x\"\n";
    let nuls = "\0".repeat(20);
    recognizes(&[line, &nuls, line].concat(), "target,referrer\n/A,http://r/B\n/A,http://r/B\n", "read as combined\n");
    let log = format!("x http://h/%41 y z\n{nuls}x\n{nuls}y http://h/b\n");
    recognizes(&log, "url\nhttp://h/A\nhttp://h/b\n", "read as urls");
    let decoded = pct(["decode", "--format=auto"], log.as_bytes());
    assert_eq!(decoded.out, log.replace("%41", "A").as_bytes());
}

/// A client may put a URL into the words before the URL of the request.
#[test]
fn a_longer_line_with_another_url_is_skipped() {
    let lines = "1 Mozilla http://h/%41 200\n".repeat(19);
    let log = [&lines, "1 x http://g/ http://h/b 200\n", "1 x http://h/b 200 -> http://g/\n"].concat();
    recognizes(&log, &format!("3\n{}http://h/b\n", "http://h/A\n".repeat(19)), "1 of 21 checked records");
}

/// Two values of a client, each with one quote, are two cells.
#[test]
fn quotes_of_a_client_are_no_quotes_of_tsv() {
    let line = |referrer: &str, agent: &str| format!("192.0.2.1\t/%41\t{referrer}\t{agent}\n");
    let log = ["client\turl\treferrer\tagent\n", &line("-", "x"), &line("\"a", "b\""), &line("-", "x")].concat();
    recognizes(&log, "url,referrer\n/A,-\n/A,\"\"\"a\"\n/A,-\n", "read as tsv");
}

#[test]
fn a_header_after_nuls_names_the_columns() {
    recognizes("\0\0url,a\n/%41,b\n", "url\n/A\n", "read as csv");
}

/// Reports of Nikto, dirsearch, Nuclei and gobuster.
#[test]
fn all_lines_of_scanners_are_read() {
    recognizes("- Nikto\n+ OSVDB-12: /a/: x y\n+ /b: x\n+ a b: /c: x\n", "target\n/a/\n/b\n", "read as urls");
    let lines = "200   2B   http://h/%41\n".repeat(19);
    let redirect = "302   0B   http://h/b    -> REDIRECTS TO: login.php\n403   x\n403   x y /c z\n";
    let log = [&lines, redirect].concat();
    recognizes(&log, &format!("3\n{}http://h/b\n", "http://h/A\n".repeat(19)), "2 of 22 checked records");
    recognizes(
        "/%41 (Status: 301) [Size: 3] [---> http://h/a/]\n",
        "uri,location\n/A,http://h/a/\n",
        "read as gobuster",
    );
}

/// A scanner may write raw markup in a target, and a sentence after it.
#[test]
fn a_colon_after_a_target_with_markup_belongs_to_the_sentence() {
    recognizes("+ GET /a<b>x</b>: Cross site\n", "target\n/a<b>x</b>\n", "");
    recognizes("GET /a<b:c>d x\n", "target\n/a<b:c>d\n", "");
}

/// A path beside a method is a target, before or after it.
#[test]
fn pairs_with_a_path_and_a_method_are_read() {
    for log in ["x - path:/a/%41|method:GET|ua:x\n", "x - path=/a/%41|method=GET|ua=x y\nx y\n"] {
        recognizes(log, "target\n/a/A\n", "");
    }
    recognizes("x - path:/a|method:f|http://h/b\n", "url\nhttp://h/b\n", "");
}

/// A line of a framework that has the first URL of the log comes after the first records.
#[test]
fn later_lines_with_urls_are_reported() {
    let rails = "Started GET \"/%41\" for 127.0.0.1 at 2026-06-28 10:07:43 +0000\nProcessing by X#y\n";
    let told = "later lines that are no records of rails have URLs, which are not read; --format urls reads all lines";
    let told_for = |line: &str, args: &[&str]| ends(args, &(rails.repeat(9000) + &line.repeat(8))).1.contains(told);
    assert!(told_for("<a href=\"http://h/x\">\n", &["--format=auto"]));
    assert!(!told_for("x\n", &["--format=auto"]) && !told_for("x http://h/\n", &["--format=auto"]));
    assert!(!told_for("<a href=\"http://h/x\">\n", &["--format=rails"]));
    assert!(!told_for("<a href=\"http://h/x\">\n", &["--format=auto", "--quiet"]));
}

/// The version of a JSON Feed is the URL of its syntax.
#[test]
fn the_version_of_a_json_feed_is_not_read() {
    let feed = "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"url\":\"http://h/%41\"}]}\n";
    recognizes(feed, "/items/*/url\nhttp://h/A\n", "");
}
