//! Tests inputs with URLs in fields that no format lists. `pct` finds these fields by names like `page_url`, by
//! their values, or as records of another format inside a field. On stderr, it reports the format and the fields that
//! it found by their values.
//!
//! In the inputs, fields with URLs contain `caf%C3%A9`, which is decoded. Other fields contain `%41`, which stays.

use std::io::Write;
use std::iter;

use percent_simd_oracle::Random;

use crate::process;

use process::{Folder, output, pct};

/// Returns the output of `pct decode --format auto` and its messages. Asserts the exit status 0.
#[track_caller]
fn decoded(input: &str) -> (String, String) {
    let ran = pct(["decode", "--format", "auto"], input.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (String::from_utf8(ran.out).unwrap(), ran.err)
}

/// The message about fields with texts ends with these words and the names of the fields.
const PARTLY: &str = "only its URLs are read: ";

/// The message about fields that look like URLs contains these words and the names of the fields.
const UNREAD: &str = "they are not read: ";

/// Asserts that `auto` recognizes `input` as `name`, decodes each `caf%C3%A9`, changes no other byte, and reports that it found the
/// fields `found` by their values. There may be messages about fields with texts and about fields that aren't read, too.
#[track_caller]
fn check(name: &str, found: &str, input: &str) {
    let (out, err) = decoded(input);
    assert_eq!(out, input.replace("caf%C3%A9", "café"), "{err}");
    let note = match found {
        "" => String::new(),
        _ => {
            let first = found.split(", ").next().unwrap();
            format!(
                "pct: <stdin>: the values of these fields look like URLs: {found}; to choose other fields, name them, as in -f '{first}'\n"
            )
        }
    };
    let others: String =
        err.split_inclusive('\n').filter(|line| !line.contains(PARTLY) && !line.contains(UNREAD)).collect();
    assert_eq!(others, format!("pct: <stdin> is read as {name}\n{note}"));
}

/// Returns the rows of `pct cut`, without the header.
#[track_caller]
fn rows(options: &[&str], fields: &str, input: &str) -> String {
    let ran = pct([&["cut", "-q", "--no-header", "-f", fields], options].concat(), input.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    String::from_utf8(ran.out).unwrap()
}

#[test]
fn members_are_found_by_name_in_any_case_and_at_any_depth() {
    for (name, input) in [
        // Elastic Common Schema (elastic.co, ECS field reference, URL fields), in three forms: nested objects, keys
        // with dots, and an export with `_source`.
        (
            "ecs",
            r#"{"@timestamp":"x","url":{"original":"/caf%C3%A9?q=1","path":"/caf%C3%A9","query":"q=caf%C3%A9","full":"https://h/caf%C3%A9","domain":"%41"},"http":{"request":{"referrer":"https://h/caf%C3%A9"}}}"#,
        ),
        (
            "otel",
            r#"{"url.full":"https://h/caf%C3%A9","url.query":"q=caf%C3%A9","http.request.referrer":"https://h/caf%C3%A9","url.domain":"%41"}"#,
        ),
        ("ndjson", r#"{"_index":"%41","_source":{"url":{"original":"/caf%C3%A9"},"page_url":"https://h/caf%C3%A9"}}"#),
        // OpenTelemetry, Semantic Conventions for HTTP spans.
        (
            "otel",
            r#"{"name":"%41","attributes":{"http.target":"/caf%C3%A9","url.full":"https://h/caf%C3%A9","http.user_agent":"%41"}}"#,
        ),
        // A pattern of a route isn't the path of a request. OpenTelemetry's `http.route` is a pattern, and so is
        // `resourcePath` in the access log of Amazon's API Gateway.
        ("otel", r#"{"http.route":"/a/%41/{id}","http.target":"/a/caf%C3%A9"}"#),
        ("ndjson", r#"{"resourcePath":"/a/%41/{id}","path":"/a/caf%C3%A9","ip":"192.0.2.1"}"#),
        // pino-http and Kong (github.com/pinojs/pino-http, docs.konghq.com/hub/kong-inc/file-log).
        (
            "ndjson",
            r#"{"level":30,"req":{"id":1,"url":"/caf%C3%A9?q=1","headers":{"referer":"http://h/caf%C3%A9","x":"%41"}},"msg":"%41"}"#,
        ),
        (
            "ndjson",
            r#"{"request":{"uri":"/caf%C3%A9","url":"http://h:8000/caf%C3%A9","id":"%41"},"client_ip":"192.0.2.1"}"#,
        ),
        // Kubernetes audit (audit.k8s.io/v1), and a log_format of nginx with escape=json.
        ("k8s-audit", r#"{"kind":"Event","requestURI":"/api/caf%C3%A9?x=1","verb":"%41"}"#),
        (
            "ndjson",
            r#"{"args":"q=caf%C3%A9","query_string":"q=caf%C3%A9","http_referrer":"http://h/caf%C3%A9","ua":"%41"}"#,
        ),
        ("ndjson", r#"{"RequestUri":"/caf%C3%A9","URL":"/caf%C3%A9","Page_URL":"/caf%C3%A9","UA":"%41"}"#),
    ] {
        check(name, "", &format!("{input}\n{input}\n"));
    }
    check(
        "logfmt",
        "",
        "level=info url.full=https://h/caf%C3%A9 http.target=/caf%C3%A9 http_referrer=http://h/caf%C3%A9 ua=%41\n",
    );
}

#[test]
fn fields_are_found_by_their_values() {
    check(
        "ndjson",
        "/e/t, /e/u, /e/list/*, /q",
        "{\"e\":{\"t\":\"/caf%C3%A9?x=1\",\"u\":\"http://192.0.2.1/caf%C3%A9\",\"list\":[\"http://h/caf%C3%A9\"]},\"q\":\"a=caf%C3%A9&b=1\",\"file\":\"/x%41\",\"ua\":\"x%41\"}\n\
         {\"e\":{\"t\":\"/\",\"u\":\"-\"},\"q\":\"\",\"cookie\":\"a=%41\"}\n",
    );
    check("json", "/t", "[\n {\n \"t\": \"/caf%C3%A9\",\n \"x\": \"%41\"\n }\n]\n");
    check("logfmt", "t, link", "level=info t=/caf%C3%A9?a=b link=http://h/caf%C3%A9 ua=x%41\n");
    // A member without a sign of a URL isn't chosen: `/srv/x` can be a path of a file. An escape is a sign of a URL. But a
    // member with the name `exe` is a path of a file, even if it has an escape.
    let (out, err) = decoded("{\"exe\":\"/usr/bin/%41\",\"n\":\"/srv/x\"}\n");
    assert!(out.contains("%41") && err.contains("there are /exe, /n; name one with -f"), "{err}");
    // If a member with a known name has URLs, other members are not searched.
    check("ndjson", "", "{\"url\":\"/caf%C3%A9\",\"t\":\"/x%41\"}\n");
    // But a member with a URL that has a scheme and a host holds URLs, whatever its name is. The name of a syntax doesn't count.
    check(
        "ndjson",
        "/LoginTo",
        "{\"url\":\"http://h/caf%C3%A9\",\"LoginTo\":\"https://h/caf%C3%A9\",\"$schema\":\"http://h/%41\",\"x\":{\"xmlns\":\"http://h/%41\"}}\n",
    );
    // If one member is a method, another member with a path is the target of the request.
    check("ndjson", "/where", "{\"verb\":\"GET\",\"where\":\"/x\"}\n{\"verb\":\"POST\",\"where\":\"/y\"}\n");
    check("words", "5, 6", "1 - - GET; /x; http://h/caf%C3%A9; x%41\n2 - - PUT; /; http://h/; x%41\n");
    // In CEF, a label gives a name to a key. A name with a comma can't be chosen.
    let cef =
        |label| format!("CEF:0|V|P|1|100|x%41|5|src=192.0.2.1 cs7=/caf%C3%A9 cs7Label={label} cs8=x%41 cs8Label=x\n");
    check("cef", "", &cef("HTTPHeaderRequest-URLPath"));
    check("cef", "Request target", &cef("Request target"));
    assert_eq!(rows(&["--format", "cef"], "request TARGET.path", &cef("Request target")), "/café\n");
    assert_eq!(rows(&["--format", "cef"], "cs7.path", &cef("URL")), "/café\n");
    // The pair with the name may be anywhere in the record. If two keys or two names compete, one of them may be forged.
    let named = |pairs: &str| format!("CEF:0|V|P|1|100|x|5|{pairs} cs3=x%41\n");
    let all = "cs1=/caf%C3%A9 cs2=/b%41 src=192.0.2.1 cs1Label=Target cs2Label=Other";
    assert_eq!(rows(&["--format", "cef"], "Target,Other", &named(all)), "/café\t/bA\n");
    check("cef", "Page", &named("cs1Label=Page cs2Label=Other cs1=http://h/caf%C3%A9 cs2=x%41"));
    for forged in [
        "cs1=/%41 cs2=/b%41 cs1Label=Page cs2Label=Page",
        "cs1=/%41 cs1Label=x cs1Label=Page cs9=/%42 cs9Label=Page",
        "cs1=/%41 cs1Label=Page cs1Label=Site",
    ] {
        let log = named(forged);
        let ran = pct(["decode", "--format", "cef", "-f", "Page,Site"], log.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), log);
        assert!(ran.err.contains("is not cef"), "{}", ran.err);
    }
    // In LEEF, a label gives no name to a key.
    check("leef", "cs7", "LEEF:1.0|V|P|1.0|100|x=%41\tcs7=http://h/caf%C3%A9\tcs7Label=Page\n");
    check("cef", "cs7", &cef("URL, x").replace("/caf", "http://h/caf"));
    check("logfmt", "a", "a=http://h/caf%C3%A9, b=x%41, c=1\n");
    // The values of a field decide its syntax. In the first log, all values of `t` are targets, so `//h/x` is a path.
    // In the second log, one value has a scheme, so `//h/x` is a reference and names the host `h`.
    let log = "{\"t\":\"/a%20b\"}\n{\"t\":\"//h/x\"}\n";
    assert_eq!(rows(&["--format", "ndjson"], "/t.host,/t.path", log), "\t/a b\n\t//h/x\n");
    let log = "{\"t\":\"http://h/%41\"}\n{\"t\":\"//h/x\"}\n";
    assert_eq!(rows(&["--format", "ndjson"], "/t.host,/t.path", log), "h\t/A\nh\t/x\n");
    assert_eq!(rows(&["--format", "auto"], "/q.query.b", "{\"q\":\"a=1&b=%41\"}\n"), "A\n");
    // The user's pointers match exactly (RFC 6901 4).
    let log = "{\"url\":\"/caf%C3%A9\",\"Url\":\"/x%41\"}\n";
    assert_eq!(rows(&["--format", "ndjson"], "/url,/Url", log), "/café\t/xA\n");
    assert_eq!(rows(&["--format", "ndjson"], "/Url", log), "/xA\n");
    // Many names, deep objects and values of any kind do no harm.
    let names: String = (0..2000).map(|number| format!("{{\"n{number}\":\"http://h/caf%C3%A9\"}}\n")).collect();
    let (out, err) = decoded(&names);
    // There are more fields with URLs than `pct` reads at once. It reads the fields that most records have, and reports how
    // many fields it leaves out.
    let often = "{\"often\":\"http://h/caf%C3%A9\"}\n".repeat(3);
    let some: String = names.split_inclusive('\n').take(90).collect();
    assert_eq!(decoded(&(some + &often)).0.matches("\"often\":\"http://h/café\"").count(), 3);
    let read = out.matches("café").count();
    assert!(read > 0 && err.contains(&format!("{} more fields have URLs", 100 - read)), "{err}");
    let deep = format!("{}\"/caf%C3%A9\"{}\n", "{\"a\":".repeat(20_000), "}".repeat(20_000));
    assert_eq!(decoded(&deep).0, deep);
}

#[test]
fn values_of_logfmt_may_be_in_single_quotes() {
    let log = "1 MX67 events block url='http://h/caf%C3%A9' category='User-defined %41' server='192.0.2.1:443'\n";
    check("logfmt", "", log);
    assert_eq!(rows(&["--format", "logfmt"], "url.host", log), "h\n");
    // A quote or a blank that would end the value stays escaped, and so does a quote in a value without quotes.
    let hostile = "url='http://h/%27%20b%41' x=1 path=/a%20'%41\n";
    assert_eq!(decoded(hostile).0, "url='http://h/%27%20bA' x=1 path=/a%20'A\n");
}

/// Many programs write an array with one object on each line.
#[test]
fn an_array_may_have_an_object_on_each_line() {
    check("ndjson", "", "[{\"url\":\"/caf%C3%A9\"},\n{\"url\":\"/caf%C3%A9\"}]\n");
    check("json", "", "[\n{\"url\":\"/caf%C3%A9\"},\n{\"url\":\"/\"}\n]\n");
    check("cloudflare", "", "[{\"ClientRequestURI\":\"/caf%C3%A9\"},\n{\"ClientRequestURI\":\"/caf%C3%A9\"}]\n");
}

/// Amazon Data Firehose writes no line end after a record.
#[test]
fn objects_may_follow_each_other_on_a_line() {
    check("json", "", "{\"url\":\"/caf%C3%A9\",\"x\":\"%41\"}{\"url\":\"/caf%C3%A9\"}");
    check("json", "", &"{\"url\":\"/caf%C3%A9\"}{\"url\":\"/caf%C3%A9\"}\n".repeat(2));
}

/// If two programs write at the same time, or one stops, a line may have two objects or half of one. The others are still read.
#[test]
fn broken_lines_hide_no_other_objects() {
    let line = "{\"url\":\"/caf%C3%A9\"}\n";
    let broken = format!("{}{}{}", line.trim_end(), line.repeat(20), &line[..10]);
    let ran =
        pct(["cut", "--raw", "--no-header", "--format", "auto"], format!("{broken}\n{}", line.repeat(20)).as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "/café\n".repeat(39), "{}", ran.err);
    assert!(ran.err.contains("2 of 41 checked records are not ndjson, and are skipped"), "{}", ran.err);
}

/// Text of any kind may contain a `=`. If the pairs hold no URL, the text is no logfmt.
#[test]
fn text_with_a_few_pairs_is_no_logfmt() {
    let note =
        ": only URLs with a scheme, targets after a method or a name such as uri=, and paths with an escape or a query";
    let line = "a b c d e f g h i j k l m n o p q r s t u v w x http://h/caf%C3%A9 a=%41 b=2\n";
    check(&format!("urls{note}"), "", &[line, &line[2..], &line[4..]].concat());
    check(&format!("urls{note}"), "", "a=%41 b=2 c=3\na=%41 b=2 <GET /caf%C3%A9> c=3\n");
    check("logfmt", "", "a b c d e f g h url=http://h/caf%C3%A9 b=%41\n");
    // A URL outside of pairs, as in logs of Meraki, would be lost.
    let line = "1673277244.7 urls src=192.0.2.1:5 dst=192.0.2.2:80 mac=AA:BB request: GET http://h/caf%C3%A9\n";
    check(&format!("urls{note}"), "", &["1 x url='http://h/caf%C3%A9' server='192.0.2.1:443'\n", line, line].concat());
}

/// If only some values of a field are URLs, the URLs are read, and all other values stay.
#[test]
fn urls_are_read_among_other_values() {
    // Google Analytics in BigQuery: all parameters of an event have the same names of members.
    check(
        "ndjson",
        "/params/*/value/string",
        "{\"params\":[{\"key\":\"title\",\"value\":{\"string\":\"100%41\"}},{\"key\":\"page\",\"value\":{\"string\":\"https://h/caf%C3%A9\"}}]}\n\
         {\"params\":[{\"key\":\"x\",\"value\":{\"string\":\"/x%41?a=b\"}},{\"key\":\"y\",\"value\":{\"string\":\"h.example/caf%C3%A9\"}}]}\n",
    );
    // Other text may be around a URL.
    check(
        "ndjson",
        "/threat",
        "{\"url\":\"http://h/\",\"threat\":\"a591%41\"}\n{\"url\":\"http://h/\",\"threat\":\"http://h/caf%C3%A9\"}\n\
         {\"url\":\"http://h/\",\"threat\":\"http://h/caf%C3%A9 is %41\"}\n",
    );
    // A slash may be escaped in JSON.
    let (out, err) = decoded("{\"to\":\"x%41\"}\n{\"to\":\"http:\\/\\/h\\/%41\"}\n{\"to\":\"y\"}\n");
    assert!(out.contains("x%41") && out.contains("/A\""), "{out}{err}");
    check("csv", "Target name", "Target name,n\nx%41,1\nhttp://h/caf%C3%A9,2\ny,3\n");
    check("logfmt", "to", "level=info to=x%41\nlevel=info to=http://h/caf%C3%A9\nlevel=info to=y\n");
    // In fields with names of files, no value is read.
    let (out, err) = decoded("{\"file\":\"http://h/%41\",\"n\":1}\n{\"file\":\"x%42\"}\n");
    assert!(out.contains("%41") && err.contains("there are /file"), "{err}");
    // A user who names the field gets all of its values.
    let log = "{\"threat\":\"x%41\"}\n{\"threat\":\"http://h/%41\"}\n";
    assert_eq!(rows(&["--format", "auto"], "/threat", log), "xA\nhttp://h/A\n");
}

/// A URL or a request may be in a text. The text is written with the escapes of its format.
#[test]
fn urls_are_found_in_texts() {
    let note = |name: &str, found: &str, input: &str, expected: &str| {
        let (out, err) = decoded(input);
        assert_eq!(out, expected, "{err}");
        assert!(err.contains(&format!("read as {name}\n")) && err.contains(&format!("URLs: {found};")), "{err}");
    };
    let same = |name: &str, found: &str, input: &str| note(name, found, input, &input.replace("caf%C3%A9", "café"));
    same("ndjson", "/pattern", "{\"pattern\":\"[url:value = 'http://h/caf%C3%A9?a=%27']\",\"x\":\"%41\"}\n");
    same(
        "ndjson",
        "/to",
        "{\"to\":\"%41\\nhttp://h/caf%C3%A9\\nGET /caf%C3%A9 HTTP/1.1\\r\\n\\ud83d\\ude00 http://h/caf%C3%A9\"}\n",
    );
    note(
        "ndjson",
        "/to",
        "{\"to\":\"%41 http:\\/\\/h\\/caf%C3%A9?a=1\\u0026b=%C3%A9%20%22%26 %41\"}\n",
        "{\"to\":\"%41 http://h/café?a=1&b=é%20%22%26 %41\"}\n",
    );
    same(
        "csv",
        "to",
        "n,to\n1,\"\"\"a\"\", http://h/caf%C3%A9, %41\"\n2,\"[\"\"http://h/caf%C3%A9\"\",\"\"http://h/%2C%22\"\"]\"\n",
    );
    same("cef", "x", "CEF:0|V|P|1|x|y|5|x=see http://h/caf%C3%A9?a\\=%3D %41 msg=%41\n");
    same("logfmt", "to", "n=1 to=\"see http://h/caf%C3%A9 %41\"\nn=2 to=x%41\n");
    same("winevent", "x", "<Event><Data Name=\"x\">%41 http://h/caf%C3%A9?a=1&amp;b=caf%C3%A9 %41</Data></Event>\n");
    // The name of a program often has a URL, but it's no URL of the record.
    check("ndjson", "", "{\"url\":\"/caf%C3%A9\",\"userAgent\":\"bot (+http://h/%41)\"}\n");
    // With `--to`, a text gets no member, which is reported. A member follows the whole string.
    let ran = pct(
        ["decode", "--format", "auto", "--to", "d"],
        b"{\"request\":\"GET /caf%C3%A9 HTTP/1.1\",\"to\":\"see http://h/%41\"}\n",
    );
    let expected = "{\"request\":\"GET /caf%C3%A9 HTTP/1.1\",\"d\":\"/café\",\"to\":\"see http://h/%41\"}\n";
    assert_eq!(String::from_utf8(ran.out).unwrap(), expected);
    assert!(ran.err.contains("of URLs in a text (1 here)"), "{}", ran.err);
    let ran = pct(["decode", "--format", "ndjson", "-f", "/l/*", "--to", "d"], b"{\"l\":[\"%41\",\"%42\"]}\n");
    assert!(ran.err.contains("of URLs in a text (2 here)"), "{}", ran.err);
}

/// A field whose name promises URLs may have a text with URLs. A URL with blanks, as of a document in SharePoint, is no
/// text.
#[test]
fn a_name_of_urls_may_have_texts() {
    check("ndjson", "", "{\"urls\":\"[{\\\"id\\\":\\\"%41\\\",\\\"url\\\":\\\"http://h/caf%C3%A9\\\"}]\",\"x\":1}\n");
    check("ndjson", "", "{\"url\":\"http://h/caf%C3%A9 permits: [%41]\\n\\nhttp://h/caf%C3%A9 permits: [%41]\"}\n");
    check("ndjson", "/link", "{\"link\":\"http://h/caf%C3%A9, <generator>%41\"}\n");
    check("ndjson", "", "{\"url\":\"http://h/a b/caf%C3%A9 (2) c.txt\"}\n{\"url\":\"http://h/caf%C3%A9, %41\"}\n");
    let request = "GET /caf%C3%A9 HTTP/1.1\\r\\nHost: h%41\\r\\nReferer: http://h/caf%C3%A9\\r\\n";
    check("ndjson", "", &format!("{{\"request\":\"{request}\"}}\n{{\"request\":\"/caf%C3%A9?a=b\"}}\n"));
    check("logfmt", "", &format!("n=1 request=\"{request}\"\nn=2 request=\"GET /caf%C3%A9 HTTP/1.1\"\n"));
}

/// Text may precede a URL, and text may follow a request line without a version.
#[test]
fn text_around_a_url_is_not_a_part_of_it() {
    let ping = "{\"to\":\"https://h/caf%C3%A9\"}\n".repeat(10);
    check("ndjson", "/to", &format!("{ping}{{\"to\":\"name.https://h/caf%C3%A9\"}}\n"));
    check("ndjson", "/to", "{\"to\":\"https://h/a\"}\n{\"to\":\"name.https://h/caf%C3%A9\"}\n");
    let cobalt = "Id,BrowserUrl\n1,'http://h/caf%C3%A9\n2,http://h/caf%C3%A9\n";
    check("csv", "", cobalt);
    let found = pct(["grep", "--format", "auto", "-o", "^http.*"], cobalt.as_bytes()).out;
    assert_eq!(String::from_utf8(found).unwrap(), "http://h/café\nhttp://h/café\n");
    check("ndjson", "/text", "{\"text\":\"GET /caf%C3%A9 returned %41\"}\n");
}

/// A value with `%41` isn't read. A message names each field that looks like URLs, but isn't read.
#[test]
fn fields_that_a_user_has_to_check_are_reported() {
    const DOUBTFUL: &str = "they may be paths of files: ";
    for (end, names, input) in [
        // Juniper's `OBJ` has no sign of a URL.
        (UNREAD, "OBJ", "a=1 URL=h.example OBJ=/index.html\n"),
        // Grafana Agent and Teleport write paths of files, also of files with an escape in their name.
        (UNREAD, "path", "level=info msg=\"tail routine: started\" path=/var/log/x.log\n"),
        (UNREAD, "/path", "{\"event\":\"session.command\",\"path\":\"/bin/echo\"}\n"),
        (DOUBTFUL, "path", "level=info msg=done path=/a/b\n"),
        ("", "", "level=info method=GET path=/home/b\n"),
        ("", "", "level=info url=/home/b program=/usr/bin/x\n"),
        ("", "", "{\"url\":\"/a\",\"resourceId\":\"/subscriptions/1\",\"file\":\"/a/b\"}\n"),
        // In XML, a path or a query without a sign of a URL isn't read.
        (UNREAD, "name, q, url", "<r><uri>/a</uri><name>/x</name><q>a=b&amp;c=d</q><url>c/d</url></r>\n"),
        ("", "", "<r><uri>/a</uri><name>x</name><file>/x</file></r>\n"),
        // In a log of DNS, `query` is a host.
        ("", "", "{\"query\":\"h.example\",\"uri\":\"/a\"}\n"),
        // Vault writes relative paths. A reference of Git is no path, and neither is a type of a file.
        (
            UNREAD,
            "/request/path",
            "{\"referer\":\"http://h/a\",\"request\":{\"path\":\"secret/a\",\"operation\":\"read\"}}\n",
        ),
        (UNREAD, "target_path", "id,url,target_path\n1,http://h/a,a/b.html\n2,http://h/b,c/d.html\n"),
        (UNREAD, "request", "<r><request>a/b</request><uri>/a</uri></r>\n"),
        ("", "", "{\"url\":\"http://h/a\",\"target\":\"N/A\"}\n"),
        ("", "", "{\"url\":\"http://h/a\",\"ref\":\"refs/heads/a\",\"page\":\"1/2\",\"type\":\"text/html\"}\n"),
        // A message, or an object in a text, may have a path that no other field has.
        (UNREAD, "/message", "{\"url\":\"http://h/a\",\"message\":\"x, not found: /b/c\"}\n"),
        (UNREAD, "/data", "{\"url\":\"http://h/a\",\"data\":\"{\\\"path\\\":\\\"/b/c\\\"}\"}\n"),
        ("", "", "{\"url\":\"http://h/a/b\",\"message\":\"found /a/b\",\"data\":\"{\\\"n\\\":1}\"}\n"),
        ("", "", "{\"url\":\"http://h/a\",\"message\":\"open /var/log/x, 1/2, and/or\"}\n"),
        // A message that only repeats the URLs of other fields isn't read.
        ("", "", "{\"url\":\"/\",\"message\":\"GET / HTTP/1.1\"}\n"),
        ("", "", "{\"url\":\"http://h/%41\",\"agent\":\"x (http://bot)\",\"message\":\"http://h/%41 http://bot\"}\n"),
    ] {
        let err = pct(["grep", "--format", "auto", "."], input.as_bytes()).err;
        let told = err.lines().find_map(|line| line.split_once(UNREAD).or_else(|| line.split_once(DOUBTFUL)));
        let told = told.map(|(line, names)| (line, names.split(';').next().unwrap()));
        match end {
            "" => assert_eq!(told, None, "{input}{err}"),
            end => assert!(told.is_some_and(|(_, told)| told == names) && err.contains(end), "{input}{err}"),
        }
    }
    // A priority of syslog is no tag of XML, and `[https` is no URL.
    let err = pct(["grep", "--format", "auto", "."], b"<134>h1 : tomcat: [https-jsse-nio-1] WARN [POST /a/b c]\n").err;
    assert!(!err.contains("xml"), "{err}");
    // Colors of a terminal separate no words in a log of an unknown form.
    let log = "x: \x1B[35m\x1B[1mGET /caf%C3%A9 HTTP/1.1\x1B[0m 500\nx: y and z: \x1B[1mGET /b HTTP/1.1\x1B[0m (\x1B[1m200)\n";
    let (out, err) = decoded(log);
    assert!(out == log.replace("%C3%A9", "é") && err.contains("ansi:urls"), "{out}{err}");
    // Novell Access Manager repeats one URL in a text that has a second one.
    let (out, err) =
        decoded("{\"url\":\"http://h/caf%C3%A9\",\"message\":\"from http://h/caf%C3%A9 to http://g/caf%C3%A9\"}\n");
    assert!(out.contains("to http://g/café") && err.contains(PARTLY), "{out}{err}");
}

/// A URL that is in no field of a recognized format is reported, and so are paths that the format `urls` leaves out.
#[test]
fn urls_outside_of_the_fields_are_reported() {
    let error = "2020/06/26 22:51:50 [error] 1#1: *4 x, client: 192.0.2.1, server: , request: \"GET /a HTTP/1.1\", host: \"h\"\n";
    let rtmp =
        "2020/06/26 22:51:28 [info] 1#1: *2 connect: tc_url='rtmp://h/live', client: 192.0.2.1, server: 0.0.0.0:1935\n";
    let rails = "Started GET \"/a\" for 127.0.0.1 at 2026-06-28 10:07:43 +0000\n";
    let urls = "outside of the URLs";
    // The page of a client in its user agent is no news.
    let combined = "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.1\" 200 5 \"http://r/x\" \"x (compatible; http://g/b)\"";
    let w3c = "#Fields: date time cs-method cs-uri-stem cs-uri-query cs(User-Agent) sc-status";
    let iis = "2020-01-01 00:00:00 GET /a b=c x+(http://g/b) 200";
    for (input, told) in [
        // nginx-rtmp writes the URL of a stream between the errors of requests.
        (
            format!("{rtmp}{rtmp}{rtmp}{error}{error}"),
            "3 of its first records have URLs outside of the fields of nginx-error",
        ),
        (
            "http://h/a {\"url\":\"/b\"}\nx {\"url\":\"/b\"}\n".into(),
            "1 of its first records has URLs outside of the fields of prefix",
        ),
        // Names of members are never read.
        (
            "{\"url\":\"/a\",\"x\":{\"http://h/b\":1}}\n".into(),
            "1 of its first records has URLs outside of the fields of ndjson",
        ),
        // Sophos UTM writes the path and the query as two values.
        (
            format!("{combined}\n{combined}\n{combined}\nreverseproxy: at http://h/ url=\"/x/\" query=\"?a=b\"\n"),
            "1 of its first records has paths or queries outside of the URLs",
        ),
        // Arachni writes the pages that it found as names.
        (
            "{\"sitemap\":{\n\"http://h/b\":200},\n\"url\":\"/a\"}\n".into(),
            "1 of its first records has URLs outside of the fields of json",
        ),
        // A record in a field may have a path without a sign of a URL.
        (
            "{\"level\":\"i\",\"message\":\"GET /a?x=1\"}\n{\"level\":\"i\",\"message\":\"not found: /b/c\"}\n".into(),
            "1 of its first records has paths or queries",
        ),
        (
            "time,level,message\n1,i,see http://h/a\n2,i,not found: /b/c\n".into(),
            "1 of its first records has paths or queries",
        ),
        // ASP.NET Core writes each part of a request on a line of its own.
        ("a http://h/a b c\nPath: /b\nQueryString: ?x=a%20b\n".into(), "1 of its first records has paths or queries"),
        ("a http://h/a b c\nx ?y z=1\n".into(), ""),
        // These paths have no sign of a URL.
        ("a http://h/a b c\nendpoint added: /api\n".into(), urls),
        ("a http://h/a b c\nrequest for \"a/b%20c\"\n".into(), urls),
        (format!("{rtmp}{error}{error}"), "1 of its first records has URLs outside of the fields of nginx-error"),
        // A log of an unknown form may have relative paths after a name of URLs, and IIS writes a query after the target.
        ("a http://h/a b c\nurl=a/b host=x\n".into(), urls),
        ("a http://h/a b c\n::1 GET /x a=b 80 - ::1 200\n".into(), urls),
        ("a http://h/a b c\n2 GET /x a=b 192.0.2.1, 192.0.2.2 x\n".into(), urls),
        ("a http://h/a b c\n2 GET /x a=%20&b=1 c d\n".into(), urls),
        ("a http://h/a b c\nGET /x a=b c=d\n".into(), ""),
        (
            "a http://h/a b c\nPUT 192.0.2.1:9000/x y\n[9217:0724/193431.38]\n".into(),
            "1 of its first records has paths",
        ),
        (format!("{rails}fetching http://h/b\n"), "1 of its first records has URLs outside of the fields of rails"),
        (format!("{combined}\n{combined}\n"), ""),
        // Django names the path of a failed request, perhaps without a request line.
        (
            "\"GET /a HTTP/1.1\" 404 5\nNot Found: /a\nForbidden: /b/c\nloaded: /usr/lib/x\nReady: a\n".into(),
            "1 of its first records has URLs outside of the fields of django",
        ),
        // The word before a path may be a name of files.
        ("\"GET /a HTTP/1.1\" 404 5\nWatching these directories: /app/src\nLoading config: /app/x.py\n".into(), ""),
        // A record of another form is read.
        (format!("{combined}\n{combined}\n{combined}\nx \"GET /a?b=c HTTP/1.1\" 200\n"), ""),
        (format!("{combined} \"http://r/x\"\n{combined} \"http://h/a?b=c\"\n"), ""),
        (
            format!("{combined} \"http://up/x\"\n{combined} \"-\"\n"),
            "1 of its first records has URLs outside of the fields of combined",
        ),
        (
            format!("{combined} \"http://up/\"\n{combined} \"-\"\n"),
            "1 of its first records has URLs outside of the fields of combined",
        ),
        (
            format!("{combined} \"/old%20x\"\n{combined} \"-\"\n"),
            "1 of its first records has URLs outside of the fields of combined",
        ),
        // A referrer may be the start of the target, or end like the target of another record. A URL may end like the value of
        // another field.
        (
            ["GET /app/ HTTP/1.1\" 200 5\n", "GET /b HTTP/1.1\" 200 5 7 \"http://r/app/\" 8\n"]
                .map(|rest| format!("192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"{rest}"))
                .concat(),
            "1 of its first records has URLs outside of the fields of clf",
        ),
        (
            "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET http://h/a HTTP/1.1\" 200 5 7 \"http://h/\" 8\n".into(),
            "1 of its first records has URLs outside of the fields of clf",
        ),
        (
            "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 5 7 \"/b?timeout=200\" 8\n".into(),
            "1 of its first records has URLs outside of the fields of clf",
        ),
        // A cookie is no request.
        (format!("{w3c} cs(Cookie)\n{iis} u=http://h/x%2Fy\n{iis} -\n"), ""),
        (format!("{}{rails}", "Listening on http://0.0.0.0:3000/\n".repeat(3)), ""),
        ("{\"url\":\"http://h/a\",\"agent\":\"x (+http://g/b)\"}\n".into(), ""),
        ("{\"url\":\"/a\",\"x\":{\"http://h/b\":\"1\"}}\n".repeat(2), ""),
        ("a http://h/a b c\nsaved to /usr/lib/x\n".into(), ""),
        ("id,url\n1,http://h/a\n2,\"http://h/b,c\"\n".into(), ""),
    ] {
        let err = pct(["grep", "--format", "auto", "."], input.as_bytes()).err;
        let has_any = err.contains("outside of the");
        assert!(if told.is_empty() { !has_any } else { has_any && err.contains(told) }, "{input}{err}");
    }
}

/// In W3C and Zeek, the columns that a `#` line names are also found by their values. A path that IIS has decoded isn't decoded.
#[test]
fn columns_of_directives_are_found_by_their_values() {
    let ftp = "#fields\tts\tcommand\targ\n1.5\tRETR\tftp://192.0.2.1/a%41b\n1.6\tPORT\t192,0,2,1\n";
    let page = "#Fields: date cs-method cs-uri-stem cs-uri-query x-page\n2020-01-01 GET /a%41 b=%41 http://h/%41\n";
    let stem = "#Fields: date cs-method cs-uri-stem x-page\n2020-01-01 GET /a%41 -\n";
    for (input, cut, decoded) in [
        (ftp, "arg\nftp://192.0.2.1/aAb\n", ftp.replace("%41", "A")),
        (
            page,
            "cs-uri-stem\tcs-uri-query\tx-page\n/aA\tb=A\thttp://h/A\n",
            page.replace("=%41", "=A").replace("h/%41", "h/A"),
        ),
        (stem, "cs-uri-stem\n/aA\n", stem.replace("%41", "A")),
    ] {
        let out = pct(["cut", "--raw", "--format", "auto"], input.as_bytes()).out;
        assert!(out.starts_with(cut.as_bytes()), "{input}{}", String::from_utf8_lossy(&out));
        assert_eq!(pct(["decode", "--format", "auto"], input.as_bytes()).out, decoded.as_bytes());
    }
}

/// The lines of another form among the records of a format are read as by `urls`.
#[test]
fn lines_of_other_forms_are_read_as_urls() {
    let request = |path: &str| {
        format!(
            "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /{path} HTTP/1.1\" 200 5 \"http://r/{path}\" \"http://bot/%41\"\n"
        )
    };
    let other = |path: &str| format!("[INFO] GET /{path} is at http://up/{path}, https://h/\n");
    let log = [request("caf%C3%A9"), other("d%41"), "[INFO] %41\n".into(), request("b"), request("c")].concat();
    let note = "of its other lines, only URLs and targets are read";
    for (prefix, name) in [("", "combined,urls"), ("web-1  | ", "compose:combined,urls")] {
        let log: String = log.lines().map(|line| format!("{prefix}{line}\n")).collect();
        let ran = pct(["cut", "--no-header", "--format", "auto"], log.as_bytes());
        assert_eq!(
            ran.err,
            format!(
                "pct: <stdin> is read as {name}: {note}\npct: <stdin>: 1 of 5 checked records is not {name}, and is skipped\n"
            )
        );
        assert_eq!(
            String::from_utf8(ran.out).unwrap(),
            "/café\thttp://r/café\n/dA\t\nhttp://up/dA\t\nhttps://h/\t\n/b\thttp://r/b\n/c\thttp://r/c\n"
        );
    }
    // In these formats, `url` is another name of `target`. The user agent is a field of one form only.
    let columns = |fields: &str, format: &str, log: &str| {
        let args = ["cut", "-q", "--no-header", "--format", format, "-f", fields];
        String::from_utf8(output(args, log.as_bytes())).unwrap()
    };
    assert_eq!(columns("url.path,status", "combined,urls", &log), "/café\t200\n/dA\t\n/dA\t\n/\t\n/b\t200\n/c\t200\n");
    assert_eq!(columns("user-agent", "combined,urls", &request("%41")), "http://bot/A\n");
    let rails = "Started GET \"/%41\" for 192.0.2.1 at 2026-06-28 10:07:43 +0000\nFetched http://h/%41\n";
    assert_eq!(columns("url,target,client", "rails,urls", rails), "\t/A\t192.0.2.1\nhttp://h/A\t\t\n");
    let stats = output(["stats", "-q", "--json", "--format", "combined,urls"], log.as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    assert_eq!(stats["requests"], 6);
    // The other lines of a framework may be access lines of another server.
    let access = "192.0.2.1 \"GET /c%20d HTTP/1.1\" 404\n";
    let both =
        ["INFO:     192.0.2.1:6 - \"GET /%41 HTTP/1.1\" 200 OK\nINFO:     Uvicorn running on http://h/b\n", access]
            .concat();
    let ran = pct(["cut", "--no-header", "--format", "auto"], both.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "/A\nhttp://h/b\n/c d\n");
    assert_eq!(ran.err, format!("pct: <stdin> is read as uvicorn,urls: {note}\n"));
    // In any text, a name or its place in an access line tells a referrer from other URLs. So its host isn't the requested one.
    let lines = [
        "192.0.2.1 x \"GET /a%20b HTTP/1.1\" 200 12 \"http://r/\" \"A\" http://u/\n",
        "1 [error] client: 192.0.2.1, request: \"GET /c HTTP/1.1\", upstream: \"http://u/\", referrer: \"http://r/\"\n",
        "2 GET /d HTTP/1.1 Referer=http://r/ \"HTTP/1.1\" 200 \"http://u/\"\n",
    ]
    .concat();
    assert_eq!(
        columns("target,referrer,url", "urls", &lines),
        "/a b\thttp://r/\thttp://u/\n/c\thttp://r/\thttp://u/\n/d\thttp://r/\thttp://u/\n"
    );
    let stats = output(["stats", "-q", "--json", "--format", "urls"], lines.as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    for (of, host) in [("hosts", "u"), ("referring_hosts", "r")] {
        let values = &stats["top"][of]["values"];
        assert_eq!(values, &serde_json::json!([{"count": 3, "value": host}]), "{of}");
    }
    // A line of another form is read, even if another record has the same target.
    let known = request("%41");
    let error = "2020/06/26 22:51:50 [error] 1#1: *4 x, client: 192.0.2.1, server: , request: \"GET /%41 HTTP/1.1\"\n";
    for line in ["192.0.2.1 \"GET /%41 HTTP/1.1\" 404\n", "192.0.2.1 \"GET /%41 HTTP/1.1\"\n", error] {
        let ran = pct(["cut", "--no-header", "--format", "auto"], format!("{known}{known}{line}").as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), "/A\thttp://r/A\n/A\thttp://r/A\n/A\t\n");
        assert!(ran.err.lines().next().unwrap().contains(note), "{}", ran.err);
    }
    // The lines may be values of a field.
    for name in ["ndjson/message", "csv/message"] {
        let quote = if name.starts_with("csv") { "\"\"" } else { "\\\"" };
        let in_field = |line: &str| match name.starts_with("csv") {
            true => format!("1,\"{}\"\n", line.replace('"', quote)),
            false => format!("{{\"message\":\"{}\"}}\n", line.replace('"', quote)),
        };
        let header = if name.starts_with("csv") { "id,message\n" } else { "" };
        let log: String = iter::once(header.to_string()).chain(log.lines().map(in_field)).collect();
        let ran = pct(["cut", "--no-header", "--format", "auto"], log.as_bytes());
        assert!(ran.err.starts_with(&format!("pct: <stdin> is read as {name}:combined,urls: {note}\n")), "{}", ran.err);
        assert!(String::from_utf8(ran.out).unwrap().contains("/dA\t\nhttp://up/dA\t\n"), "{log}");
        let err = pct(["decode", "--format=auto", "--strict-format"], log.as_bytes()).err;
        assert!(err.contains(&format!("is read as {name}:combined\n")), "{err}");
    }
    // A target with an escape or a query after a method is a request, in the words of any framework.
    for other in [
        "Request: GET /%42", "--> GET /%42", "x | GET      \"/%42\"", "Started GET '/%42'", "(GET) /%42", "GET -> /%42",
    ] {
        let log = both.replace(access.trim_end(), other);
        let ran = pct(["cut", "--no-header", "--format", "auto"], log.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), "/A\nhttp://h/b\n/B\n", "{log}");
    }
    let routes = both.replace(access.trim_end(), "route GET /c/{id} -> show");
    assert!(pct(["cut", "--format", "auto"], routes.as_bytes()).err.starts_with("pct: <stdin> is read as uvicorn\n"));
    // A line of neither form is reported. If the user asks for records of one form, the other lines are misfits.
    let input = format!("{log}192.0.2.1 - - cut off\n");
    for (args, code) in [(&["--strict-format"][..], 2), (&["--to", "{}_decoded"], 0), (&[], 0)] {
        let ran = pct([&["decode", "--format=auto"], args].concat(), input.as_bytes());
        let name = if args.is_empty() { "combined,urls" } else { "combined" };
        let err = &ran.err;
        assert!(
            ran.code == Some(code)
                && err.contains(&format!("is read as {name}"))
                && err.contains(&format!("not {name}")),
            "{err}"
        );
    }
    assert!(pct(["decode", "--format=combined,urls", "--to=x"], b"x\n").code == Some(2));
    assert_eq!(
        pct(["grep", "-v", "caf|/b|/c|http", "--format=combined,urls"], input.as_bytes()).out,
        b"[INFO] %41\n192.0.2.1 - - cut off\n"
    );
    for (args, err) in [
        (["cut", "--format=ndjson,urls"], "the records of ndjson can't be among lines of other forms"),
        (["cut", "--format=urls,urls"], "the records of urls can't be among lines of other forms"),
        (["cut", "--format=no,urls"], "no format has this name"),
    ] {
        let ran = pct(args, b"x\n");
        assert!(ran.code == Some(2) && ran.err.contains(err), "{}", ran.err);
    }
    // Each line is decoded as in a log of its own form.
    const PIECES: [&str; 12] =
        ["a", "%41", "%0A", "%22", "%20", "%2520", "%5B", "%", "é", "%C3%A9", "%20HTTP/1.1", "?q=%26"];
    let mut random = Random::seeded(7);
    let mut path = || (0..6).map(|_| *random.pick(&PIECES)).collect::<String>();
    let lines: Vec<String> = (0..2000).map(|at| if at % 3 == 0 { other(&path()) } else { request(&path()) }).collect();
    let is_other = |line: &&String| line.starts_with("[INFO]");
    let decoded = |format: &str, log: String| {
        let out = pct(["decode", "--format", format], log.as_bytes()).out;
        String::from_utf8(out).unwrap().lines().map(str::to_string).collect::<Vec<_>>().into_iter()
    };
    let mut others = decoded("urls", lines.iter().filter(is_other).map(String::as_str).collect());
    let mut requests = decoded("combined", lines.iter().filter(|line| !is_other(line)).map(String::as_str).collect());
    for (line, found) in lines.iter().zip(decoded("combined,urls", lines.concat())) {
        let expected = if is_other(&line) { others.next() } else { requests.next() };
        assert_eq!(Some(found), expected, "{line}");
    }
    assert!(others.next().is_none() && requests.next().is_none());
}

/// A server may write many lines of another form when it starts. They don't hide the format of the later records.
#[test]
fn the_lines_of_a_start_hide_no_records() {
    let request = "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /caf%C3%A9 HTTP/1.1\" 200 5 \"-\" \"x\"";
    let notice = "2000/10/10 13:55:36 [notice] 1#1: start worker process 30";
    let error = "2000/10/10 13:55:36 [error] 1#1: *4 x, client: 192.0.2.1, server: , request: \"GET /a HTTP/1.1\"";
    let json = r#"{"log":"{\"level\":\"debug\"}\n","stream":"stderr"}"#;
    let logfmt = r#"{"log":"level=info path=/caf%C3%A9 referer=http://h/a\n","stream":"stdout"}"#;
    let in_docker = |line: &str| format!("{{\"log\":\"{}\\n\",\"stream\":\"stdout\"}}", line.replace('"', "\\\""));
    for (notices, first, later, format) in [
        (5, notice.to_string(), request.to_string(), "combined"),
        (30, notice.to_string(), request.to_string(), "combined"),
        (30, format!("web-1  | {notice}"), format!("web-1  | {request}"), "compose:combined"),
        // The first error may have a request, too.
        (1, format!("{}{error}", format!("{notice}\n").repeat(30)), request.to_string(), "combined,urls"),
        (1, json.into(), logfmt.into(), "docker:logfmt"),
        // The lines of the start may have URLs, too, or be text of any form.
        (30, "starting a module, see http://h/caf%C3%A9".into(), request.to_string(), "combined,urls"),
        (30, "starting a module of the server".into(), request.to_string(), "combined"),
        (30, in_docker("x http://h/caf%C3%A9 y"), in_docker(request), "docker:combined,urls"),
        (30, in_docker(notice), in_docker(request), "docker:combined"),
    ] {
        let log = format!("{}{}", format!("{first}\n").repeat(notices), format!("{later}\n").repeat(4));
        let (out, err) = decoded(&log);
        assert!(out == log.replace("caf%C3%A9", "café"), "{out}{err}");
        assert!(err.contains(&format!("is read as {format}")) && !err.contains("--format '"), "{err}");
    }
}

/// In a log of an unknown form, a path with an escape or a query is a target, at any place of a line.
#[test]
fn paths_with_an_escape_or_a_query_are_targets() {
    for (line, out) in [
        ("x|uri|/a%41?op=b|ok http://h/a", "x|uri|/aA?op=b|ok http://h/a"),
        ("URL `/caf%C3%A9' of http://h/a", "URL `/café' of http://h/a"),
        ("[GET] \"/caf%C3%A9\": 404", "[GET] \"/café\": 404"),
        ("[200 OK] s3.Get localhost:9000/a?b=%41 x", "[200 OK] s3.Get localhost:9000/a?b=A x"),
        ("from <REDACTED>/Users/a%42?b=c to x", "from <REDACTED>/Users/aB?b=c to x"),
        ("x \"http://h/{id}?a=%41|%42\" y", "x \"http://h/{id}?a=A|B\" y"),
        ("saved to /usr/lib/x%20y, from http://h/a", "saved to /usr/lib/x%20y, from http://h/a"),
    ] {
        let (decoded, err) = decoded(&format!("{line}\nx\n"));
        assert!(decoded == format!("{out}\nx\n") && err.contains("read as urls"), "{decoded}{err}");
    }
}

/// In a log of an unknown form, a path beside a method is a target.
#[test]
fn paths_beside_a_method_are_targets() {
    let log = "a http://h/a b c\nrouter: at=info method=GET path=\"/b\" host=h\n  -> http.target: Str(/c)\n";
    let found = pct(["grep", "--format", "auto", "--json", "^/.$"], log.as_bytes());
    let out = String::from_utf8(found.out).unwrap();
    assert!(["\"/b\"", "\"/c\""].iter().all(|path| out.contains(path)), "{out}{}", found.err);
}

/// logrus aligns the pairs with blanks.
#[test]
fn blanks_between_the_pairs_are_no_words() {
    let log = format!("INFO[0001] request{}method=GET path=\"/caf%C3%A9\"\n", " ".repeat(38));
    let (out, err) = decoded(&log);
    assert!(out == log.replace("%C3%A9", "é") && err.contains("read as logfmt"), "{out}{err}");
}

/// Azure writes the members of a request into a text. We read this text if no other field has URLs.
#[test]
fn objects_in_a_text_are_read_if_no_other_field_has_urls() {
    let text = "\"properties\":\"{\\\"CsUriStem\\\":\\\"/caf%C3%A9\\\"}\"";
    for (others, format) in [
        ("\"resourceId\":\"/A/B\"", "ndjson/properties:ndjson"),
        ("\"path\":\"/caf%C3%A9\"", "ndjson"),
        ("\"original_path\":\"/a\"", "ndjson"),
        ("\"x\":\"GET http://h/caf%C3%A9 failed\"", "ndjson"),
    ] {
        let err = decoded(&format!("{{{others},{text}}}\n").repeat(2)).1;
        assert!(err.contains(&format!("is read as {format}\n")), "{err}");
    }
    // grafana.com, the HTTP API of Loki: each line has its time beside it.
    let value = "[\"1667335106397876100\",\"{\\\"request_uri\\\":\\\"/caf%C3%A9\\\"}\"]";
    let loki =
        format!("{{\"data\":{{\"result\":[{{\"stream\":{{\"job\":\"%41\"}},\"values\":[{value},{value}]}}]}}}}\n");
    check("ndjson/data/result/*/values/*/*:ndjson", "", &loki);
}

#[test]
fn paths_of_windows_are_no_targets() {
    let (out, err) = decoded("{\"path\":\"C:\\\\a\\\\%41.exe\",\"url\":\"http://h/%41\"}\n");
    assert_eq!(out, "{\"path\":\"C:\\\\a\\\\%41.exe\",\"url\":\"http://h/A\"}\n", "{err}");
}

/// If a value has more text than its URL, only the URL is read, and a message names the field.
#[test]
fn urls_that_are_a_part_of_a_value_are_reported() {
    for (fields, input) in [
        ("/url", "{\"url\":\"uri=http://h/caf%C3%A9?a=http://g\",\"x\":\"%41\"}\n"),
        ("/new", "{\"new\":\"[\\\"http://h;%41-0;%41-1/\\\"]\",\"url\":\"http://h/caf%C3%A9\"}\n"),
        ("/url", "{\"url\":\"http://h;%41/x\"}\n{\"url\":\"http://h/caf%C3%A9;a\"}\n"),
        ("/links", "{\"links\":\"http://h/caf%C3%A9,http://h/caf%C3%A9?a=%2C;https://h/caf%C3%A9\"}\n"),
        ("/to", "{\"to\":\"get('http://h/caf%C3%A9'::text, '%41')\"}\n"),
    ] {
        let (out, err) = decoded(input);
        assert_eq!(out, input.replace("caf%C3%A9", "café"), "{err}");
        assert!(err.contains(&format!("{PARTLY}{fields}\n")), "{err}");
    }
    let found = pct(["cut", "--format", "auto", "-f", "/url.host"], b"{\"url\":\"blob:http://h/a\"}\n");
    assert!(!found.err.contains(PARTLY), "{}", found.err);
    // The parts of a query and of a path are no texts.
    check("ndjson", "", "{\"url\":\"h.example/caf%C3%A9?a=http://g\",\"query\":\"a=http://h/caf%C3%A9\"}\n");
    assert!(!decoded("{\"query\":\"a=http://h/%41\",\"url\":\"x?a=http://g\"}\n").1.contains(PARTLY));
}

/// Numbers identify requests. Among targets, other values are names of totals.
#[test]
fn numbers_and_totals_are_no_urls() {
    let log = "request=\"0x7fad\" url=\"http://h/caf%C3%A9\"\nrequest=\"12\" url=\"http://h/\"\n";
    check("logfmt", "", log);
    let has_request = |input: &str| {
        let cut = String::from_utf8(output(["cut", "-q", "--format", "auto", "--json"], input.as_bytes())).unwrap();
        assert!(cut.contains("http://h/café"), "{cut}");
        cut.to_ascii_lowercase().contains("\"request\"")
    };
    assert!(!has_request(log) && has_request(&log.replace("0x7f", "/0x7f")));
    let table = "Request,URL,n\n7,http://h/caf%C3%A9,1\n8,http://h/,2\n";
    assert_eq!(rows(&["--format", "csv"], "Request", table), "7\n8\n");
    assert!(!has_request(table) && has_request(&table.replace("\n8", "\n/8")));
    // Screaming Frog names columns of numbers `Trust Flow - URL`.
    check("csv", "Address", "Address,Links - URL\nhttp://h/caf%C3%A9,7\nhttp://h/,8\n");
    // If a cell is a request line, its target is the URL.
    let log =
        "ip,request\n192.0.2.1,GET /caf%C3%A9?a=b%2Cc%22 HTTP/1.1\n192.0.2.1,\"POST /b, c HTTP/1.0\"\n192.0.2.1,-\n";
    let targets = "/café\tb,c\"\n/b, c\t\n-\t\n";
    for format in ["csv", "auto"] {
        assert_eq!(rows(&["--format", format], "request.path,request.query.a", log), targets, "{format}");
    }
    let table = "request\tn\n\"GET /caf%C3%A9 HTTP/1.1\"\t1\n";
    assert_eq!(rows(&["--format", "tsv"], "request.path", table), "/café\n");
    let out = output(["decode", "-q", "--format", "auto"], log.as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), log.replace("%C3%A9", "é"));
    // Locust writes a row for all requests.
    check("csv", "Name", "Type,Name,Count\nGET,/caf%C3%A9,1\nPOST,/x,1\n,Aggregated %41,2\n");
}

/// Some programs write quotes around values in LTSV. Some write blanks around values in CEF.
#[test]
fn quotes_and_blanks_around_a_value_are_no_part_of_it() {
    let log = "n=\"1\"\turl=\"h.example/caf%C3%A9\"\trefererURL=\"\"http://h/caf%C3%A9\"\"\n";
    check("ltsv", "", log);
    assert_eq!(rows(&["--format", "ltsv"], "refererURL.host", log), "h\n");
    assert_eq!(decoded("n=\"1\"\turl=\"/%22%09a%41\"\n").0, "n=\"1\"\turl=\"/%22%09aA\"\n");
    let log = "CEF:0|V|P|1|100|x|5|cs4=  http://h/caf%C3%A9  cs4Label=URL cs5= cs5Label=x\n";
    check("cef", "", log);
    assert_eq!(rows(&["--format", "cef"], "URL.host", log), "h\n");
}

/// A route is a pattern, but a URL with a host in a field called `route` is no pattern. JSON:API writes paths to `links`.
#[test]
fn routes_with_hosts_and_links_are_found() {
    check(
        "ndjson",
        "/route/*",
        "{\"url\":\"http://h/caf%C3%A9\",\"route\":[\"http://h/caf%C3%A9\",\"https://h/caf%C3%A9\"],\"x\":\"%41\"}\n",
    );
    check(
        "ndjson",
        "/links/self",
        "{\"url\":\"http://h/caf%C3%A9\",\"links\":{\"self\":\"/caf%C3%A9/1\"},\"x\":\"/%41\"}\n",
    );
}

/// A script may have URLs. The name of a client may, too, but they were not requested.
#[test]
fn urls_are_found_in_scripts() {
    let log = "{\"script\":\"get 'http://h/caf%C3%A9' -x %41\",\"agent\":\"bot (+http://h/%41)\"}\n";
    check("ndjson", "/script", log);
}

/// If only some records have a record in a field, the other fields are read.
#[test]
fn records_in_a_few_fields_are_not_the_format() {
    let log = "{\"x\":{\"url\":\"http://h/caf%C3%A9\"}}\n{\"message\":\"{\\\"url\\\":\\\"http://h/caf%C3%A9\\\"}\"}\n";
    check("ndjson", "/message", log);
}

/// A format of a service also has members that the format doesn't know.
#[test]
fn unknown_members_of_services_are_found() {
    let log = "{\"event_type\":\"http\",\"flow_id\":1,\"http\":{\"url\":\"/caf%C3%A9\",\"location\":\"http://h/caf%C3%A9\"},\"x\":\"%41\"}\n";
    check("suricata", "/http/location", log);
    let log =
        "{\"properties\":{\"requestUri\":\"https://h/caf%C3%A9\",\"id\":\"https://h/caf%C3%A9\",\"x\":\"%41\"}}\n";
    check("azure", "/properties/id", log);
}

/// A server of syslog may remove `CEF:`.
#[test]
fn cef_without_its_mark_is_recognized() {
    check(
        "cef",
        "",
        " 0|V|P|1|9|a b|7| act=x y request=http://h/caf%C3%A9 x=%41\n0|V|P|1|9|a|High|request=http://h/caf%C3%A9\n",
    );
    let ran = pct(["decode", "--format", "auto"], b"0|V|P|1|9|a|7|x|http://h/%C3%A9=\n");
    assert!(!ran.err.contains("read as cef"), "{}", ran.err);
}

/// Keycloak writes a comma after the quotes of a value.
#[test]
fn a_comma_may_follow_the_quotes_of_logfmt() {
    check("logfmt", "", "a [x] type=\"LOGIN\", redirect_uri=\"https://h/caf%C3%A9\", x=\"%41\"\n");
}

/// Junos writes all values to the structured data of syslog (RFC 5424 6.3).
#[test]
fn structured_data_of_syslog_is_logfmt() {
    check(
        "logfmt",
        "",
        "<165>1 2007-02-15T09:17:15.719Z h x - y [junos@2636.1 a=\"%41\" url=\"h.example/caf%C3%A9\"]\n",
    );
    check("logfmt", "", "[a@1 n=\"1\" url=\"http://h/caf%C3%A9\"][b@1 x=\"%41\"] m=1\n");
}

/// If most URLs are outside the fields of the format, `auto` reads the URLs.
#[test]
fn urls_outside_of_the_fields_decide_the_format() {
    let name = "urls: only URLs with a scheme, targets after a method or a name such as uri=, and paths with an escape or a query";
    // The container of Docker Registry writes each request in two formats.
    check(
        name,
        "",
        "time=\"2021-02-03T10:00:01Z\" level=info msg=x http.request.uri=\"/v2/caf%C3%A9\" x=%41\n\
         192.0.2.4 - - [03/Feb/2021:10:00:01 +0000] \"GET /v2/caf%C3%A9 HTTP/1.1\" 200 1 \"\" \"%41\"\n",
    );
    check(name, "", "{\n  \"@timestamp\" => \"x%41\",\n  \"request\" => \"/caf%C3%A9\"\n}\n");
}

/// If the first records have no URLs, the fields are found in the later ones.
#[test]
fn fields_are_found_in_later_records() {
    let first = "{\"n\":1,\"where\":\"x\"}\n".repeat(150);
    check("ndjson", "/to", &format!("{first}{{\"n\":2,\"to\":\"/caf%C3%A9?a=b\"}}\n"));
    check("logfmt", "to", &format!("{}n=2 to=/caf%C3%A9?a=b\n", "n=1 where=x\n".repeat(150)));
    // Of a file, up to 8 MiB are searched.
    let folder = Folder::new();
    let text = format!("{}{{\"n\":2,\"to\":\"http://h/caf%C3%A9\"}}\n", first.repeat(1000));
    let log = folder.file("late.log", text.as_bytes());
    let ran = pct(["decode", "--format", "auto", log.to_str().unwrap()], b"");
    assert!(ran.out.ends_with("http://h/café\"}\n".as_bytes()), "{}", ran.err);
    // All names of a record count.
    let names = (0..600).map(|number| format!(",\"n{number}\":\"x\"")).collect::<String>();
    let many = format!("{{\"a\":1{names}}}\n{{\"pageUrl\":\"http://h/caf%C3%A9\"}}\n");
    assert!(decoded(&many).0.ends_with("café\"}\n"), "the format looks at all names of a record");
    // If the records of a file are long, more than 64 KiB are read to find the fields of the first 100 records.
    let long = format!("{{\"url\":\"/caf%C3%A9\",\"x\":\"{}\"}}\n", "x".repeat(2000)).repeat(60);
    let log = folder.file("long.log", format!("{long}{{\"pageUrl\":\"http://h/caf%C3%A9\"}}\n").as_bytes());
    let ran = pct(["decode", "--format", "auto", log.to_str().unwrap()], b"");
    assert!(ran.out.ends_with("http://h/café\"}\n".as_bytes()), "{}", ran.err);
}

/// Any text may come before a JSON object, CEF or LEEF.
#[test]
fn objects_after_any_text_are_read() {
    check(
        "syslog:prefix:ndjson",
        "",
        "<174>May 25 09:07:44 INFO  uvm[0]:  {\"method\":\"GET\",\"requestUri\":\"/caf%C3%A9\",\"x\":\"%41\"}\n\
         <174>May 25 09:07:44 INFO  uvm[0]:  {\"method\":\"GET\",\"requestUri\":\"/\"}\n",
    );
    check(
        "prefix:ndjson",
        "",
        "a %41 | b c {\"uri\":\"/caf%C3%A9\",\"x\":\"CEF:0|%41\"}\nno object %41\nx {\"uri\":\"/\"}\n",
    );
    check(
        "syslog:prefix:cef",
        "",
        "Jul 25 09:56:42 h syslogng[9] CEF:0||||N/A|x%41|5|request=/caf%C3%A9 msg={\"a\":\"%41\"}\n",
    );
    check("prefix:leef", "", "dev 1 %41 LEEF:1.0|V|P|1|x|url=http://h/caf%C3%A9\tmsg=%41\n");
    // The object must reach to the end of the line, and its text can't be cut short by text before it.
    for line in ["x {\"uri\":\"/%41\"} y {\"uri\":\"/%41\"}\n", "GET /{\"uri\":\"%41 {\"uri\":\"/%41\"}\n"] {
        let ran = pct(["decode", "-q", "--format", "prefix:ndjson"], line.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), line);
    }
}

/// In a list of headers, the name of a header leads to its value.
#[test]
fn headers_in_lists_are_found_by_their_names() {
    let har = "{\"log\":{\"creator\":{},\"entries\":[{\"request\":{\"url\":\"/x\",\"headers\":[{\"name\":\"Host\",\"value\":\"%41\"},\
               {\"value\":\"http://h/caf%C3%A9\",\"name\":\"referer\"}]},\"response\":{\"content\":{\"text\":\"http://h/%41\"}}}]}}\n";
    check("har", "", har);
    let waf = |referer: &str| {
        format!(
            "{{\"webaclId\":\"x\",\"httpRequest\":{{\"headers\":[{{\"name\":\"Host\",\"value\":\"h\"}}{referer}],\"uri\":\"/x\"}}}}\n"
        )
    };
    let referer = ",{\"name\":\"Refer\\u0065r\",\"value\":\"http://h/caf%C3%A9\"}";
    check("aws-waf", "", &format!("{}{}", waf("").repeat(200), waf(referer)));
    let stats = output(["stats", "-q", "--json", "--format=auto"], waf(referer).as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    assert_eq!(stats["top"]["hosts"]["values"][0]["value"], "h", "{stats}");
    // The names decide in every format of JSON. A header with another name is found by its value, as before.
    let list = |more: &str| {
        format!(
            "{{\"a\":[{{\"headers\":[{{\"key\":\"Referer\",\"value\":\"/caf%C3%A9\"}},{{\"key\":\"Cookie\",\"value\":\"%41\"}}{more}]}}]}}\n"
        )
    };
    check("ndjson", "", &list(""));
    check("ndjson", "/a/*/headers/Location", &list(",{\"key\":\"Location\",\"value\":\"/caf%C3%A9?x=1\"}"));
    check("ndjson", "/a/*/headers/*/value", &list(",{\"key\":\"Origin\",\"value\":\"http://h/caf%C3%A9\"}"));
    // A name and a number can lead to values of the same element.
    let log = list(",[],{\"key\":1,\"value\":\"x\"},{\"key\":\"7\",\"value\":\"y\"}");
    for (fields, expected) in [
        ("/a/*/headers/Cookie", "A\n"),
        ("/a/0/headers/1/value,/a/0/headers/0/key,/a/0/headers/Referer", "A\tReferer\t/café\n"),
        ("/a/*/headers/Referer,/a/*/headers/1/value", "/café\tA\n"),
        // A `*` or a number is no name.
        ("/a/*/headers/Referer,/a/*/headers/*", "/café\t\n"),
        ("/a/*/headers/Referer,/a/*/headers/7", "/café\t\n"),
    ] {
        assert_eq!(rows(&["--format", "ndjson"], fields, &log), expected, "{fields}");
    }
    let ran = pct(["decode", "--format=ndjson", "-f", "/a/*/headers/Cookie", "--to=x"], log.as_bytes());
    assert!(
        String::from_utf8_lossy(&ran.out).contains("{\"key\":\"Cookie\",\"value\":\"%41\",\"x\":\"A\"}"),
        "{}",
        ran.err
    );
}

/// If an outer record has no URLs, a record of any form inside its field may have some.
#[test]
fn messages_of_any_form_are_read() {
    let note =
        ": only URLs with a scheme, targets after a method or a name such as uri=, and paths with an escape or a query";
    check(
        &format!("ndjson/message:urls{note}"),
        "",
        "{\"message\":\"see http://h/caf%C3%A9\",\"x\":\"%41\"}\n{\"message\":\"a %41\",\"x\":\"%41\"}\n",
    );
    // The files of a stack trace are no URLs of a request.
    check(
        &format!("ndjson/message:urls{note}"),
        "",
        "{\"message\":\"POST /caf%C3%A9 500 - 3ms\",\"stack\":\"Error: x\\n at f (file:///C:/a%41.js:3:5)\"}\n{\"message\":\"x %41\"}\n",
    );
    check(&format!("csv/_raw:urls{note}"), "", "source,_raw\n/log/y,\"x GET /caf%C3%A9 \"\"%41\"\"\"\n/log/x,x\n");
    // If another field has a URL, too, `message` is a text with URLs. But if it repeats this URL, it stays.
    check("ndjson", "/message", "{\"message\":\"see http://h/caf%C3%A9 %41\",\"url\":\"/x/caf%C3%A9\"}\n");
    check("ndjson", "", "{\"message\":\"see http://h/x?a=%41\",\"url\":\"http://h/x\"}\n");
    check("ndjson", "", "{\"message\":\"see http://h/x/%41\",\"url\":\"/x\"}\n");
    check("ndjson", "/message", "{\"message\":\"see http://h/caf%C3%A9 %41\",\"url\":\"http://h/\"}\n");
    check(
        "json/list/*/message:words",
        "3",
        "{\n \"list\": [\n  {\n   \"message\": \"2022-09-26T14:12:19Z GET /caf%C3%A9 [200]\"\n  },\n  {\n   \"message\": \"2022-09-26T14:12:20Z GET / [200]\"\n  }\n ]\n}\n",
    );
    // A table without a header can be in an envelope.
    check(
        "syslog:csv",
        "2",
        "<34>Oct 11 22:14:15 h app[1]: 192.0.2.1,http://h/caf%C3%A9,x%41\n<34>Oct 11 22:14:15 h app[1]: 192.0.2.2,http://h/,x\n",
    );
    // But no header names its columns.
    for args in [&["syslog:csv"][..], &["syslog:csv", "-f", "url"], &["syslog:umbrella", "-f", "x"]] {
        let ran = pct([&["decode", "--format"], args].concat(), b"<34>Oct 11 22:14:15 h app[1]: x,/%41\n");
        assert!(ran.code == Some(2) && ran.err.contains("have no header that names these columns"), "{}", ran.err);
    }
}

/// A line that names columns may come after a header of syslog, and may come again with other columns.
#[test]
fn columns_are_named_after_a_prefix() {
    let syslog = |line: &str| format!("<13>Oct 11 22:14:15 web1 iis: {line}\n");
    let fields = "#Fields: date time cs-method cs-uri-stem cs-uri-query cs(Referer) sc-status";
    let record = "2024-01-01 00:00:00 GET /x a=caf%C3%A9 http://h/caf%C3%A9 200";
    let other = "#Fields: date time cs-uri-query x sc-status";
    let log: String =
        ["#Software: x", fields, record, other, "2024-01-01 00:00:00 a=caf%C3%A9 %41 404"].map(syslog).concat();
    check("syslog:w3c", "", &log);
    check("stamp:w3c", "", &log.replace("<13>Oct 11 22:14:15 web1 iis:", "2024-01-01T00:00:00Z"));
    let zeek = syslog("#fields\tts\turi\tstatus_code") + &syslog("1.0\t/caf%C3%A9\t200");
    check("syslog:zeek", "", &zeek);
    assert_eq!(rows(&["--format", "syslog:zeek"], "status_code,uri", &zeek), "200\t/café\n");
    // The names reach later chunks, and a missing column is reported.
    let long = [fields, other].map(|fields| syslog(fields) + &syslog(record).repeat(6000)).concat();
    let out = rows(&["--format", "syslog:w3c"], "cs-uri-query,status", &long.replace("sc-status", "status"));
    assert_eq!(out.lines().filter(|line| *line == "a=café\t200").count(), 6000);
    assert_eq!(out.lines().count(), 6000, "the other columns don't fit, so their records are skipped");
    let ran = pct(["cut", "--format", "syslog:w3c", "-f", "cs-uri"], log.as_bytes());
    assert!(ran.code == Some(2) && ran.err.contains("no column cs-uri; there are date, time"), "{}", ran.err);
    let ran =
        pct(["decode", "-q", "--format", "syslog:w3c", "--to", "{}_decoded", "-f", "cs(referer)"], log.as_bytes());
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("sc-status cs(referer)_decoded\n") && out.contains("200 http://h/café\n"), "{out}{}", ran.err);
    let ran = pct(["stats", "--json", "-q", "--format", "syslog:w3c"], log.as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(stats["total"]["records"], 2, "{stats}");
}

#[test]
fn a_request_line_in_a_member_is_no_target() {
    let log = "{\"request\":\"GET /caf%C3%A9%20HTTP/1.0 x HTTP/1.1\",\"status\":200}\n";
    check("ndjson", "", log);
    assert_eq!(rows(&["--format", "ndjson"], "/request.path", log), "/café HTTP/1.0 x\n");
    let log = "level=info request=\"GET /caf%C3%A9?a=%20b HTTP/1.1\"\n";
    check("logfmt", "", log);
    assert_eq!(rows(&["--format", "logfmt"], "request.query.a", log), " b\n");
    // The version may be missing.
    let log = "{\"request\":\"GET /caf%C3%A9\",\"n\":1}\n";
    assert_eq!(rows(&["--format", "ndjson"], "/request", log), "/café\n");
    let log = "level=info request='GET /caf%C3%A9?a=1' n='%41'\n";
    assert_eq!(rows(&["--format", "logfmt"], "request", log), "/café?a=1\n");
    check(
        "logfmt",
        "first",
        "first=\"GET http://h/caf%C3%A9 HTTP/1.1\" n=1\nfirst=\"CONNECT h.example:443 HTTP/1.1\" n=2\n",
    );
    // A path among the words is no target of logfmt, so it is reported.
    let (out, err) = decoded("INFO[1] /x%41?y=1 path=\"/caf%C3%A9\" n=1\n");
    assert!(
        out.contains("%41") && out.contains("café") && err.contains("1 of its first records has URLs outside"),
        "{out}{err}"
    );
    // An escape that could end the target stays.
    let hostile = "{\"request\":\"GET /a %48TTP/1.1 HTTP/1.1\"}\n";
    assert_eq!(decoded(hostile).0, hostile);
}

#[test]
fn columns_of_exports_are_found() {
    // Exchange writes its header twice.
    let log = "Time,UrlStem,Query\n#Fields: Time,UrlStem,Query\n1,/owa/caf%C3%A9.js,?x=1\n";
    assert!(decoded(log).0.contains("/owa/café.js"));
    // Search Console, Screaming Frog and Google Analytics: their exports start with these headers.
    check(
        "csv",
        "Top pages",
        "Top pages,Clicks,Impressions,CTR,Position\nhttps://h/caf%C3%A9,1,2,3%41,4.5\nhttps://h/b,1,2,3%,4.5\n",
    );
    check(
        "csv",
        "Address",
        "\"Address\",\"Content\",\"Status Code\",\"Title 1\"\n\"https://h/caf%C3%A9\",\"text/html; charset=utf-8\",\"200\",\"Caf\u{e9}, \"\"the\"\"\nmenu %41\"\n\
         \"https://h/b\",\"text/html\",\"200\",\"x\"\n",
    );
    check(
        "csv",
        "Landing page",
        "# ----------\n# Account: X, Y\n# Start date: 20240101\n\nLanding page,Sessions,Users\n/caf%C3%A9,1,%41\n(not set),1,2\n/b?x=y,3,4\n",
    );
    check(
        "csv",
        "Page path + query string and screen class",
        "# ----------\n# Account: X, Y\n# Start date: 20240101\n\nPage path + query string and screen class,Views,Users\n/caf%C3%A9,1,%41\n(not set),1,2\n/b?x=y,3,4\n",
    );
    check("csv;", "", "sep=;\nPage URL;Clicks\nhttps://h/caf%C3%A9;%41\nhttps://h/b;1\n");
    // A value may repeat the name of its column, and an empty line may precede a row with fewer cells.
    check("csv", "", "name,url,n\nname,/caf%C3%A9,1\na,/b,2\n");
    check("csv", "", "a,url,b\n1,/caf%C3%A9,2\n\n3,/caf%C3%A9\n4,/caf%C3%A9\n5,/w,6\n");
    // Another table follows. Its rows are skipped, and reported.
    let days: String = (1..9).map(|day| format!("1/{day}/24,5\n")).collect();
    let log = format!(
        "# ----------\n# X\n\nLanding Page,Sessions,Users\n/caf%C3%A9,\"1,234\",%41\n/b,1,2\n\nDay Index,Sessions\n{days}"
    );
    for field in [&[][..], &["-f", "Landing Page"]] {
        let ran = pct([&["cut", "--no-header", "--format=auto"], field].concat(), log.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), "/café\n/b\n");
        assert!(ran.err.contains("9 of 11 checked records are not csv"), "{}", ran.err);
    }
    // Azure Log Analytics.
    check(
        "csv",
        "",
        "ResourceId,httpMethod_s,requestUri_s\n/SUBSCRIPTIONS/%41,GET,/caf%C3%A9\n/SUBSCRIPTIONS/1,GET,/b\n",
    );
    // Snowplow and Oncrawl.
    check("csv;", "urlpath", "id;urlpath\n1;/caf%C3%A9\n2;/b\n");
    // An export of Elasticsearch has members of any name.
    check(
        "elasticsearch",
        "/hits/hits/*/_source/headers/Location",
        "{\"took\":1,\"hits\":{\"hits\":[{\"_source\":{\"url\":{\"original\":\"/caf%C3%A9\"},\"headers\":{\"Location\":\"http://h/caf%C3%A9\"}}}]}}\n",
    );
    // WordPress and Vercel.
    check("csv", "source, target", "source,target,title\n/a,/caf%C3%A9,%41\n/b,https://h/c,%41\n");
    // Shopify.
    check("csv", "Redirect from, Redirect to", "Redirect from,Redirect to\n/a,/caf%C3%A9\n/b,/c\n");
    check("tsv", "", "pageUrl\tn\n/caf%C3%A9\t%41\n");
    // Some programs put all values of TSV in quotes. These quotes aren't part of the value, but the escaped quote `%22` is.
    let log = "\"URL\"\t\"n\"\n\"http://h/caf%C3%A9%22\"\t\"%41\"\n";
    assert_eq!(decoded(log).0, log.replace("caf%C3%A9%22", "café\"\""));
    let loose = "URL\tn\nhttp://h/caf%C3%A9\tx\n\"http://h/caf%C3%A9%22\"\t\"%41\"\n";
    check("tsv", "", loose);
    assert_eq!(rows(&["--format", "tsv"], "url.path,n", log), "/café\"\tA\n");
    check("csv", "", "#id,Referring Page URL\n1%41,http://h/caf%C3%A9\n");
    check("csv", "", "id, url ,x\n1,http://h/caf%C3%A9,%41\n");
    // Lists with a header are tables with one column.
    check("tsv", "Address", "Address\nhttps://h/caf%C3%A9,b\nhttps://h/b\n");
    check("csv", "", "\"url\"\n\"https://h/caf%C3%A9,b\"\n\"https://h/b\"\n");
    // A table without a header has numbers for names.
    check(
        "csv",
        "3",
        "\"2023-03-08 10:21:40\",\"A, \"\"B\"\"\n%41\",\"http://h/?x=caf%C3%A9\"\n\"2023-03-08 10:21:41\",\"A\",\"http://h/\"\n",
    );
    // The only line of a table isn't a header if a cell is an address or a URL. Without --format, this line is text.
    let line = b"192.0.2.1,http://h/?x=caf%C3%A9,%41\n";
    let ran = pct(["decode", "--format", "csv"], line);
    assert_eq!(String::from_utf8(ran.out).unwrap(), "192.0.2.1,http://h/?x=café,%41\n");
    let ran = pct(["decode"], line);
    assert_eq!(String::from_utf8(ran.out).unwrap(), "192.0.2.1,http://h/?x=café,A\n");
    // Decimal commas don't make this a table with commas.
    check("csv;", "", "url;n;m\nhttp://h/caf%C3%A9,b;1,5;2\nhttp://h/a,b;1,6;2\n");
    // A header may be a comment, as in logs of Exchange. The first row has only a path.
    let exchange = "#Software: x %41\n#Log-type: HttpProxy Logs\n#Fields: DateTime,UrlStem,Method,UrlQuery,Info\n\
         2023-01-09T19:00:00.130Z,/caf%C3%A9,POST,,a=b;\n2023-01-09T19:00:01.130Z,/caf%C3%A9/x,GET,?u=caf%C3%A9,a=b;\n";
    check("csv", "", exchange);
    // A header may have numbers, as in the statistics of Locust, if it also names columns of numbers. A path beside each
    // method is enough.
    check("csv", "Name", "Type,Name,Request Count,Requests/s,50%,99%\nGET,/caf%C3%A9,10,1,1,1\nPOST,/x/y,5,9.3,1,2\n");
    check("csv", "Name", "Type,Name,Count,50%\nPOST,/caf%C3%A9,800,35\nGET,/x,200,4\n,Aggregated,1000,30\n");
    // A record with a URL is no title of a table.
    let name = "urls: only URLs with a scheme, targets after a method or a name such as uri=, and paths with an escape or a query";
    check(name, "", "x http://h/caf%C3%A9\na;b;c=http://h/caf%C3%A9;d\na;b;c=x;d\n");
    // An address need not be a URL.
    let ran = pct(["decode", "--format", "auto"], b"Name,Address,Phone\nA,1 Main St %41,5\nB,2 Main St,6\n");
    assert_eq!((ran.code, ran.out.len()), (Some(2), 0));
    // The header names a column of paths, so this column is chosen. The title before the header is no record.
    let report = "Report\n\nLanding page,n,m\n/caf%C3%A9?a=b,1,2\n/b,1,2\n";
    assert_eq!(rows(&["--format", "csv"], "n,landing page.path", report), "1\t/café\n1\t/b\n");
    let ran = pct(["stats", "--format", "auto", "--json"], report.as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(
        (&stats["inputs"][0]["records"], &stats["inputs"][0]["not_in_format"]),
        (&2.into(), &0.into()),
        "{stats}"
    );
}

/// A line of a PAN-OS log (docs.paloaltonetworks.com, URL Filtering Log Fields), which has no header.
const PAN_OS: &str = "1,2023/01/10 13:42:03,001801000001,THREAT,url,2049,2023/01/10 13:42:03,192.0.2.1,203.0.113.1,rule1,0x8000,\
     \"h.example:443/caf%C3%A9?q=1,2\",(9999),news%41,informational\n";

/// RFC 4180, 2: the header is optional. If the first record of a table has a URL, an address or a time, the record is
/// no header. This holds even if the table has no other record, or if a cell of the record is `url`.
/// Comments may also come after the last row, as LinkChecker writes them.
/// Excel and pandas write TSV with the quotes of CSV. In other TSV, a quote is a byte of its cell.
#[test]
fn cells_of_tsv_may_be_in_quotes() {
    let log = "url\ttitle\nhttp://h/1\t\"a\nhttp://h/%41\"\nhttp://h/2%41\tx\nhttp://h/3\t\"b\tc \"\"d\"\"\"\n";
    for args in [&["--format", "auto"][..], &["--format", "tsv"]] {
        assert_eq!(rows(args, "url", log), "http://h/1\nhttp://h/2A\nhttp://h/3\n", "{args:?}");
    }
    let csv = pct(["cut", "-q", "--csv", "--format", "tsv", "-f", "title", "--no-header"], log.as_bytes()).out;
    assert_eq!(String::from_utf8(csv).unwrap(), "a%0Ahttp://h/A\nx\n\"b%09c \"\"d\"\"\"\n");
    let out = decoded(log).0;
    assert_eq!(out, log.replace("%41", "A"));
    // These quotes don't close before a tab or a line end.
    let literal = "url\ttitle\n/%41\t\"a\n/%42\tb\n/%43\t\"c\" d\n/%44\te\"\n";
    assert_eq!(rows(&["--format", "tsv"], "url", literal), "/A\n/B\n/C\n/D\n");
    // The cells of these two records would form one record with too many cells.
    let literal = "id\turl\tt\n1\t/%41\t\"a\n2\t/%42\tb\n\"c\"\t/%43\td\"\n";
    assert_eq!(rows(&["--format", "tsv"], "url", literal), "/A\n/B\n/C\n");
    // A client may write any cell of a log, but no tab and no line end.
    for (cell, next) in [("\"a\"", "\"b"), ("\"a", "b\"")] {
        let literal = format!("url\tt\n/%41\t{cell}\n{}/%43\t{next}\n/%44\tc\n", "/%42\tx\n".repeat(200));
        let expected = format!("/A\n{}/C\n/D\n", "/B\n".repeat(200));
        assert_eq!(rows(&["--format", "tsv"], "url", &literal), expected, "{cell}");
    }
    let literal = "url\tt\n".to_string() + &"/%41\t\"a\n".repeat(3);
    assert_eq!(rows(&["--format", "tsv"], "url", &literal), "/A\n".repeat(3));
}

/// The first lines have the signs of a format, but none of them is a record of it.
#[test]
fn a_format_without_any_record_is_not_chosen() {
    for (name, input, expected) in [
        (
            "urls",
            "[{000214A0-0000-0000-C000-000000000046}]\r\nProp3=19,11\r\n[InternetShortcut]\r\nURL=http://h/caf%C3%A9\r\n",
            "http://h/café\n",
        ),
        ("words", "[{web-1}] 200 GET /a%41\n[{web-2}] 200 GET /b\n", "/aA\n/b\n"),
        ("words", "{\"a\":1} GET /a%41\n", "/aA\n"),
        ("words", "{\"a\":1} GET /a%41\n{\"a\":2} GET /b\n", "/aA\n/b\n"),
        ("urls", "{\"a\":x\",\"to\":\"http://h/%41\"}\n", "http://h/A\n"),
        ("ndjson", "[{\"url\":\"/%41\"},\n{\"url\":\"/b\"}]\n", "/A\n/b\n"),
        ("json", "{\"url\":\"/%41\"} {\"url\":\"/b\"}\n", "/A\n/b\n"),
    ] {
        let ran = pct(["cut", "--no-header", "--format", "auto"], input.as_bytes());
        assert!([":", "\n"].iter().any(|end| ran.err.contains(&format!("is read as {name}{end}"))), "{}", ran.err);
        let out = String::from_utf8(ran.out).unwrap();
        let values: String = out.lines().map(|line| format!("{}\n", line.trim())).collect();
        assert_eq!(values, expected, "{}", ran.err);
    }
}

#[test]
fn a_table_of_two_columns_may_follow_a_title() {
    check("csv", "", "Report X\n\nurl,id\nhttp://h/caf%C3%A9,1\nhttp://h/b,2\n");
    check("csv;", "", "Report X\n\nid;Page URL\n1;http://h/caf%C3%A9\n2;http://h/b\n");
    // A text has no header.
    let (_, err) = decoded("Dear all\nsee, http://h/%41\nsee, http://h/%42\n");
    assert!(!err.contains("read as csv"), "{err}");
}

/// Kibana asks for `fields`, and each of them is an array.
#[test]
fn fields_of_hits_are_cells_of_one_row() {
    let log = "{\"hits\":{\"hits\":[{\"_index\":\"x\",\"fields\":{\"url.full\":[\"http://h/%41\"],\"http.request.referrer\":[\"/r%41\"]}},\n\
        {\"_index\":\"x\",\"fields\":{\"url.full\":[\"http://h/b\"],\"http.request.referrer\":[\"/s\"]}}]}}\n";
    let ran = pct(["cut", "--no-header", "--format", "auto"], log.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A\t/rA\nhttp://h/b\t/s\n");
    assert!(ran.err.contains("is read as elasticsearch\n"), "{}", ran.err);
}

#[test]
fn headers_of_akamai_are_searched() {
    let log = "{\"attackData\":{\"clientIP\":\"192.0.2.1\"},\"httpMessage\":{\"path\":\"/caf%C3%A9\",\"requestHeaders\":{\"host\":\"h\",\"referrer\":\"https://r.example/caf%C3%A9\"}}}\n";
    check("akamai-siem", "", log);
}

#[test]
fn a_colon_after_a_word_is_no_part_of_it() {
    let log =
        "2025/03/17 19:18:40 /caf%C3%A9?a=1: 401 192.0.2.3 <nil>\n2025/03/17 19:18:41 /b?a=2: 401 192.0.2.3 <nil>\n";
    check("words", "3", log);
    assert_eq!(rows(&["--format", "auto"], "3", log), "/café?a=1\n/b?a=2\n");
}

#[test]
fn comments_between_rows_are_no_rows() {
    let table = "# created\nname;parent\nhttp://h/caf%C3%A9;http://h/\n/caf%C3%A9;http://h/x\n# stopped\n";
    let (out, err) = decoded(table);
    assert_eq!(out, table.replace("caf%C3%A9", "café"));
    assert!(err.starts_with("pct: <stdin> is read as csv;\n"), "{err}");
}

#[test]
fn the_first_record_is_no_header() {
    for count in 1..4 {
        let csv = PAN_OS.repeat(count);
        for delimiter in [",", ";", "|", "\t"] {
            let name = if delimiter == "\t" { "tsv".into() } else { format!("csv{}", delimiter.trim_matches(',')) };
            // TSV has no quotes, so the value can't contain the delimiter. The value contains a comma instead.
            let quote = if delimiter == "\t" { "" } else { "\"" };
            let value = format!("{quote}h.example:443/caf%C3%A9?q=1{delimiter}2{quote}").replace('\t', ",");
            let table =
                csv.replace("\"h.example:443/caf%C3%A9?q=1,2\"", "URL").replace(',', delimiter).replace("URL", &value);
            check(&name, "12", &table);
            assert_eq!(
                output(["decode", "--format", &name, "-q"], table.as_bytes()),
                table.replace("%C3%A9", "é").as_bytes()
            );
        }
        check("csv", "3", &"2023-03-08 10:21:40,[2001:db8::1]:443,https://h/caf%C3%A9,%41\n".repeat(count));
    }
    // A text with a query is a URL, even without an escape.
    assert_eq!(rows(&["--format", "auto"], "12", &PAN_OS.replace("caf%C3%A9", "x")), "h.example:443/x?q=1,2\n");
    // Numbers and paths are values, too.
    assert_eq!(rows(&["--format", "csv"], "2.path", "1,/a%20b,200\n2,/b?x=1,404\n"), "/a b\n/b\n");
    check("csv", "2", "1,/path,200\n2,/caf%C3%A9?x=1,404\n");
    // A placeholder above numbers is no name.
    check("csv", "2", "GET,/x,-\nGET,/caf%C3%A9,5\n");
    check("csv", "2", "GET,/caf%C3%A9,x\nGET,/y,-\n");
    // A name is no value of its column. So this is no table with a header.
    let (_, err) = decoded("web-1  | starting\nweb-1  | at http://h/caf%C3%A9\nweb-1  | done\n");
    assert!(err.contains("is read as urls"), "{err}");
    // Numbers can also be names: a table with a column for each year has a header.
    check("csv", "", "Page URL,2025,2026\nhttps://h/caf%C3%A9,1,%41\n");
    // A single URL with commas is no table.
    check("text", "", "https://h/a,b,caf%C3%A9\n");
    // No value is surely a URL, and the cell `url` names no column. So `auto` doesn't recognize the table.
    let table = PAN_OS.replace("caf%C3%A9?q=1,2", "x");
    assert_eq!(pct(["decode", "--format", "auto"], table.as_bytes()).code, Some(2));
    let ran = pct(["cut", "--format", "csv", "--no-header"], table.as_bytes());
    assert!(ran.err.contains("its only checked record has no field that holds URLs"), "{}", ran.err);
}

/// Separators at the ends of lines make no table, and neither do lines of dashes.
#[test]
fn drawn_tables_and_statements_are_no_csv() {
    // A dump of SQLite, as of the history of Firefox.
    let sql = "BEGIN TRANSACTION;\nINSERT INTO p VALUES(1,'http://h/caf%C3%A9',NULL);\nCOMMIT;\n";
    let (out, err) = decoded(sql);
    assert!(out == sql.replace("%C3%A9", "é") && err.contains("is read as urls"), "{out}{err}");
    for head in ["| Method | Path |\n| --- | :--- |\n", "| Method | route |\n|--------|-------|\n"] {
        let table = format!("{head}| GET | `/a?x=%41` |\n| GET | `/b` |\n");
        let err = pct(["cut", "--format", "auto"], table.as_bytes()).err;
        assert!(!err.contains("is read as csv"), "{table}{err}");
    }
    // Without these lines, it is a table. A row may have dashes in place of a value.
    check("csv|", "", "Method|Path\nGET|/caf%C3%A9\nGET|/b\n");
    check("csv|", "", "Method|Path|Hits\nGET|/caf%C3%A9|---\nGET|/b|2\n");
}

/// The message about a table without a known column suggests a format and a column, and both fit.
#[test]
fn a_table_without_a_known_column_is_named() {
    for (format, column, table, values) in [
        // An inventory of Amazon S3 has keys with escapes.
        ("csv", "2", "\"b\",\"photos/%41.jpg\",\"2\"\n\"b\",\"index.html\",\"3\"\n", "photos/A.jpg\nindex.html\n"),
        ("csv", "request_path", "entity,request_path,code\np,old-%41,301\nc,summer,302\n", "old-A\nsummer\n"),
        ("csv;", "b", "a;b\n1;x/y\n2;z/w\n", "x/y\nz/w\n"),
        ("tsv", "b\\,c", "# x\na\tb,c\n1\tx/y\n2\tz/w\n", "x/y\nz/w\n"),
    ] {
        let err = pct(["cut", "--format", "auto"], table.as_bytes()).err;
        assert!(err.contains(&format!("as in --format '{format}' -f '{column}'; ")), "{table}{err}");
        assert_eq!(rows(&["--format", format], column, table), values);
    }
    // `xml` also reads HTML, but `auto` doesn't choose it.
    let html = "<!DOCTYPE html>\n<html><a href=\"http://h/%41\">x</a></html>\n";
    let err = pct(["cut", "--format", "auto"], html.as_bytes()).err;
    assert!(err.contains("name a --format: xml; "), "{err}");
    assert_eq!(rows(&["--format", "xml"], "url", html), "http://h/A\n");
}

/// In an attribute whose name promises a URL, blanks belong to the URL.
#[test]
fn an_attribute_may_have_blanks() {
    let html =
        "<ul>\n<li><a href=\"http://h/%41\" x=1>x</a></li>\n<li><a href='http://h/b?q=c d, e'>y</a></li>\n</ul>\n";
    let ran = pct(["decode", "--format", "xml"], html.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), html.replace("%41", "A"));
    assert_eq!(rows(&["--format", "xml"], "url", html), "http://h/A\nhttp://h/b?q=c d, e\n");
    // In a text, or in an attribute of another name, text may follow a URL.
    let xml = "<?xml version=\"1.0\"?>\n<r><m a=\"http://h/%41 failed\">http://h/%42 failed</m></r>\n";
    assert_eq!(rows(&["--format", "auto"], "url", xml), "http://h/A\nhttp://h/B\n");
}

/// Product feeds have links in elements of their own, and WordPress exports have them in the HTML of a CDATA section.
#[test]
fn a_feed_has_urls_in_any_element() {
    let feed = "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" xmlns:g=\"http://base.google.com/ns/1.0\"><channel><item><title>%41</title>\
        <g:link>http://h/caf%C3%A9</g:link><g:image_link><![CDATA[http://h/caf%C3%A9?a=1&b=2]]></g:image_link>\
        <content:encoded><![CDATA[<a href=\"http://h/caf%C3%A9?a=1&amp;b\">x</a> <a href=\"/caf%C3%A9\">y</a> <a href=\"#%41\">z</a>]]></content:encoded>\
        </item></channel></rss>\n";
    check("feed", "", feed);
    assert_eq!(rows(&["--format", "feed"], "url", feed), "http://h/café\n");
    assert_eq!(rows(&["--format", "feed"], "link", feed), "http://h/café?a=1&b=2\nhttp://h/café?a=1&b\n/café\n");
    // URLs in a text are reported.
    let text = feed.replace("<title>%41</title>", "<title>See http://h/x</title>");
    assert!(decoded(&text).1.contains("they are not read: title\n"), "{}", decoded(&text).1);
    assert!(!decoded(feed).1.contains(UNREAD));
}

#[test]
fn blanks_around_a_delimiter_belong_to_no_value() {
    let list = "http://h/caf%C3%A9 | A title\nhttp://h/caf%C3%A9/b | Another title\n";
    check("csv|", "1", list);
    assert_eq!(rows(&["--format", "auto"], "1", list), "http://h/café\nhttp://h/café/b\n");
    assert_eq!(rows(&["--format", "csv"], "b", "a , b\n1 , http://h/%41 \n2 , \"/b\"\n"), "http://h/A\n/b\n");
    // If only some delimiters have a blank, it is a part of the cell (RFC 4180 2).
    assert_eq!(rows(&["--format", "csv"], "b", "a,b\n1, http://h/%41\n2,/b\n"), " http://h/A\n/b\n");
}

/// A cell may have a request line without its method.
#[test]
fn a_version_is_no_part_of_a_url() {
    let table = "id,URL\n1,http://h/%41 b?c=d HTTP/1.1\n2,/%42 HTTP/1.0\n3,http://h/%43 HTTP\n";
    assert_eq!(rows(&["--format", "auto"], "URL", table), "http://h/A b?c=d\n/B\nhttp://h/C HTTP\n");
}

/// Programs that show their progress erase their last line before they write the next one.
#[test]
fn control_sequences_belong_to_no_value() {
    let log = "\r\x1B[2K/caf%C3%A9 (Status: 200) [Size: 5]\n\r\x1B[2K/b (Status: 301) [Size: 5] [--> http://h/caf%C3%A9]\x1B[?25h\n";
    check("ansi:gobuster", "", log);
    assert_eq!(rows(&["--format", "auto"], "uri", log), "/café\n/b\n");
    let line = "192.0.2.1 - - [06/Oct/2014:14:03:23 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 5 \"-\" \"curl/7 %41\"";
    check("ansi:combined", "", &format!("\x1B[2K{line}\n\x1B[K{line}\n"));
}

/// Crawlers write columns with URLs that are encoded as a whole, and columns with XPath.
#[test]
fn encoded_urls_are_urls_and_xpath_is_none() {
    let table = "Address,Encoded,Link Path\nhttp://h/caf%C3%A9,http%3A%2F%2Fh%2Fa,//body/div[2]/a\nhttp://h/b,https%3A%2F%2Fh%2Fb,/html/body/p\n";
    let ran = pct(["cut", "--format", "auto"], table.as_bytes());
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.starts_with("Address\tEncoded\nhttp://h/café\thttp://h/a\n"), "{out}{}", ran.err);
}

/// Lists of redirects have paths without a sign of a URL.
#[test]
fn words_with_a_path_in_every_line_are_found() {
    for (list, found) in [
        ("# Redirects\n/old /new 301\n/a/* /b/:splat\n", "1, 2"),
        ("/old/ /new;\n/a /b;\n", "1, 2"),
        ("Redirect 301 /old /new\nRedirect 302 /a http://h/b\n", "3, 4"),
        ("/old /new?caf%C3%A9=1\n/a /b\n", "1, 2"),
    ] {
        check("words", found, list);
    }
    // A word that is a path in only half of the lines is reported. Paths of files don't count.
    let list = "/old /caf%C3%A9?a=b\nold /caf%C3%A9\n";
    assert!(decoded(list).1.contains("they are not read: 1;"), "{}", decoded(list).1);
    for text in ["copied /usr/bin/a\ncopied /usr/bin/b\n", "/old /new\n"] {
        let err = pct(["decode", "--format", "auto"], text.as_bytes()).err;
        assert!(err.contains("has no known format"), "{text}{err}");
    }
}

/// Reports of Amazon CloudFront start with more lines of titles than they have rows.
#[test]
fn titles_may_outnumber_the_rows() {
    let titles = "Report: Popular Objects\nDistributionID: E1\nStartDateUTC: 20 Jul 2021\n\n";
    check(
        "csv",
        "Object",
        &format!("{titles}Distribution,Object,Hits\nE1,/caf%C3%A9?x=1,2\nE1,/%C3%A9,3\n")
            .replace("/%C3%A9", "/caf%C3%A9"),
    );
}

/// A raw `>` in a text or an attribute ends a record too early. The cut value is reported.
#[test]
fn values_with_a_raw_angle_bracket_are_reported() {
    for (format, input) in [
        ("sitemap", "<urlset><url><loc>http://h/%41?a>b</loc></url><url><loc>http://h/caf%C3%A9</loc></url></urlset>"),
        ("sitemap", "<urlset><url><xhtml:link href=\"http://h/%41?a>b\"/><loc>http://h/caf%C3%A9</loc></url></urlset>"),
        (
            "xml",
            "<?xml version=\"1.0\"?><items><item url=\"http://h/%41?a>b\"/><item url=\"http://h/caf%C3%A9\"/></items>",
        ),
        (
            "bookmarks",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<A HREF=\"http://h/%41?a>b\">x</A><A HREF=\"http://h/caf%C3%A9\">x > y</A>",
        ),
    ] {
        let ran = pct(["decode", "--format", "auto"], input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), input.replace("caf%C3%A9", "café"));
        let err = ran.err;
        assert!(err.contains("1 of ") && err.contains(&format!("is not {format}")), "{err}");
    }
    // In the text of another element, a `>` is harmless.
    let feed =
        "<rss><link>http://h/caf%C3%A9</link><description>&lt;a href=\"http://h/%41\">x&lt;/a></description></rss>";
    check("feed", "", feed);
}

/// Veracode writes all punctuation in attributes as references.
#[test]
fn slashes_of_xml_may_be_references() {
    let xml = "<r><f url=\"https&#x3a;&#x2f;&#x2f;h&#x2f;a%41\" n=\"1&#x2f;2\"/></r>\n";
    assert_eq!(
        decoded(xml),
        (xml.replace("https&#x3a;&#x2f;&#x2f;h&#x2f;a%41", "https://h/aA"), "pct: <stdin> is read as xml\n".into())
    );
}

#[test]
fn a_header_alone_is_reported() {
    for (format, table) in [("csv", "url,x\n"), ("tsv", "url\tx\n\n"), ("csv;", "url;x\n")] {
        let ran = pct(["cut", "--format", format, "--strict-format", "-f", "url"], table.as_bytes());
        assert_eq!((ran.code, &ran.out[..]), (Some(0), &b"url\n"[..]), "{format} {table:?}");
        assert!(ran.err.contains("no record follows its header; if its first line is a record, "), "{}", ran.err);
    }
    assert_eq!(rows(&["--format", "csv"], "1", "url,x\n"), "url\n");
}

/// Amazon API Gateway (docs.aws.amazon.com, setting up REST API logging), the semantic conventions of OpenTelemetry,
/// and events of AWS Lambda have members for routes. A route is a part of the program, not of the request, so it isn't
/// decoded if the record also has the path of the request.
#[test]
fn routes_are_chosen_only_alone() {
    for (name, found, log) in [
        ("ndjson", "", r#"{"ip":"%41","resourcePath":"/{p}/%41","path":"/prod/caf%C3%A9?x=1","status":"200"}"#),
        ("ndjson", "", r#"{"resource":"/%41/{proxy+}","path":"/caf%C3%A9"}"#),
        ("otel", "", r#"{"http.route":"/%41/:id","url.template":"/%41/{id}","url.path":"/caf%C3%A9"}"#),
        ("ndjson", "/req_path", r#"{"api_endpoint":"/%41/{id}","req_path":"/caf%C3%A9"}"#),
        ("ndjson", "/endpoint", r#"{"route":"/%41?x=1","endpoint":"/caf%C3%A9?x=1"}"#),
        ("ndjson", "/page", r#"{"path_template":"/%41/<id>","page":"http://h/caf%C3%A9"}"#),
        ("ndjson", "/resourcePath", r#"{"ip":"%41","resourcePath":"/caf%C3%A9","status":"200"}"#),
        ("ndjson", "/route", r#"{"route":"/caf%C3%A9","referer":"http://h/caf%C3%A9"}"#),
        ("logfmt", "first_line", "user=%41 first_line=\"GET http://h/caf%C3%A9 HTTP/1.1\" http_referer=\"\""),
        ("logfmt", "", "ip=%41 route=/%41/:id path=/caf%C3%A9 status=200"),
        ("csv", "", "ip,resourcePath,path\n%41,/%41/{p},/caf%C3%A9"),
    ] {
        check(name, found, &format!("{log}\n"));
    }
    // A record may have only a route, although another record has a path. Salesforce writes events of many kinds.
    check("ndjson", "/API_ENDPOINT", "{\"URI\":\"/caf%C3%A9\"}\n{\"API_ENDPOINT\":\"/caf%C3%A9/x\"}\n");
}

const LINE: &str =
    r#"192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] "GET /caf%C3%A9 HTTP/1.1" 200 12 "http://h/caf%C3%A9" "curl/7 %41""#;

#[test]
fn records_inside_fields_are_found() {
    // Also the last record counts.
    check(
        "ndjson/message:ndjson",
        "",
        "{\"message\":\"{\\\"a\\\":{\\\"url\\\":\\\"/caf%C3%A9\\\"}}\",\"x\":\"%41\"}\n{\"message\":\"{\\\"b\\\":{\\\"url\\\":\\\"/caf%C3%A9\\\"}}\"}\n",
    );
    let json = LINE.replace('"', "\\\"");
    let csv = LINE.replace('"', "\"\"");
    for (name, log) in [
        ("ndjson/message:combined", format!("{{\"message\":\"{json}\",\"path\":\"/var/log/%41\",\"host\":\"%41\"}}\n")),
        ("ndjson/textPayload:combined", format!("{{\"textPayload\":\"{json}\\n\",\"insertId\":\"%41\"}}\n")),
        (
            "ndjson/result/_raw:combined",
            format!("{{\"preview\":false,\"result\":{{\"_raw\":\"{json}\",\"x\":\"%41\"}}}}\n"),
        ),
        (
            "ndjson/events/*/message:combined",
            format!("{{\"events\":[{{\"message\":\"{json}\"}},{{\"message\":\"{json}\"}}]}}\n"),
        ),
        ("prefix:ndjson/log:combined", format!("2022-02-07 x\t{{\"log\":\"{json}\",\"source\":\"%41\"}}\n")),
        ("ndjson/line:syslog:combined", format!("{{\"line\":\"Oct 11 22:14:15 h nginx: {json}\",\"x\":\"%41\"}}\n")),
        (
            "csv/_raw:combined",
            format!("\"_time\",\"_raw\",\"host\"\n\"%41\",\"{csv}\",\"%41\"\n\"%41\",\"{csv}\",\"%41\"\n"),
        ),
        ("csv/2:combined", format!("x,log:line\n%41,\"{csv}\"\n%41,\"{csv}\"\n")),
        (
            "csv/Content:ndjson",
            "Host,Content\n%41,\"{\"\"url\"\":\"\"/caf%C3%A9\"\",\"\"x\"\":\"\"%41\"\"}\"\n%41,\"{\"\"url\"\":\"\"/b\"\"}\"\n".to_string(),
        ),
        (
            "ndjson/log:ndjson",
            "{\"log\":\"{\\\"url\\\":\\\"/caf%C3%A9\\\",\\\"x\\\":\\\"%41\\\"}\",\"kubernetes\":\"%41\"}\n".to_string(),
        ),
    ] {
        check(name, "", &log);
        // The name of the format works as an option, with and without the inner format.
        let outer = name.split(':').next().unwrap();
        for name in [name, outer] {
            let ran = pct(["decode", "-q", "--format", name], log.as_bytes());
            assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)), "{name}");
            assert_eq!(String::from_utf8(ran.out).unwrap(), log.replace("caf%C3%A9", "café"), "{name}");
        }
    }
    let log = format!("_time,_raw\n1,\"{csv}\"\n2,\"{csv}\"\n");
    assert_eq!(
        rows(&["--format", "auto"], "client,target.path,referrer.host", &log),
        "192.0.2.1\t/café\th\n".repeat(2)
    );
    let ran = pct(["stats", "--format", "csv/_raw:combined", "--json"], log.as_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(stats["inputs"][0]["records"], 2, "{stats}");
    let ran = pct(["grep", "-n", "--format", "auto", "-o", "café$"], log.as_bytes());
    assert!(String::from_utf8(ran.out).unwrap().starts_with("2:café\n"), "{}", ran.err);
    // In each record, `message` has the whole line, and other members have the fields of this line. With `auto`, `pct`
    // decodes the other members.
    check("ndjson", "", "{\"message\":\"GET /x%41 200\",\"request\":\"/caf%C3%A9\"}\n");
    let parsed = format!("{{\"message\":\"{json}\",\"request\":\"/caf%C3%A9\"}}\n");
    assert_eq!(decoded(&parsed).0, format!("{{\"message\":\"{json}\",\"request\":\"/café\"}}\n"));
    for (name, message) in [
        ("ndjson/message:tsv", "no header"),
        ("csv/:combined", "no column"),
        ("ndjson/message", "combined"),
        ("lines/x:clf", "no format"),
    ] {
        let ran = pct(["decode", "--format", name], b"{\"message\":\"x\"}\n");
        assert!(ran.code == Some(2) && ran.err.contains(message), "{name}: {}", ran.err);
    }
}

#[test]
fn words_of_unknown_lines_are_found() {
    check(
        "words",
        "6",
        "2024-01-01 12:00:00 INFO r.1 served /caf%C3%A9?a=b in 5ms%41\n2024-01-01 12:00:01 INFO r.1 served /b in 6ms\n",
    );
    // A query follows a target. A query with a `?` is sure without a target.
    check("words", "3, 4", "1 GET /a b=caf%C3%A9 s:%41\n2 GET /b - s:1\n");
    check("words", "3", "1 x ?b=caf%C3%A9 y%41\n2 x - y\n");
    check("words", "3", "a%41 [x y] \"GET /caf%C3%A9%20x HTTP/1.1\" 200\nb  [x] \"GET / HTTP/1.1\" 200\n");
    let log = "1 /caf%C3%A9%20%5B x\n2 /a b x\n3 /%41\n4 \"/%41 x\n5 /caf%C3%A9 x\n";
    // A record whose number of words differs stays as it is, and is reported.
    let ran = pct(["decode", "--format", "words", "-f", "2"], log.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "1 /café%20%5B x\n2 /a b x\n3 /A\n4 \"/%41 x\n5 /café x\n");
    assert!(ran.err.contains("1 of 5 checked records is not words"), "{}", ran.err);
    let lines = "1 /caf%C3%A9 x\n".repeat(30);
    let ran = pct(["decode", "--format", "auto"], format!("{lines}2 %41 /b x\n").as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), lines.replace("caf%C3%A9", "café") + "2 %41 /b x\n");
    assert!(ran.err.contains("1 of 31 checked records is not words"), "{}", ran.err);
    // In a column of targets, a word of text is no target.
    let paths = "10:00 GET /a%41 200 5ms\n".repeat(20);
    let log = format!("{paths}10:00 http: proxy error: x\n10:00 GET h.example:443 200 -\n10:00 GET a%42 200 -\n");
    let ran = pct(["grep", "--format", "auto", "-o", "-e", ".+"], log.as_bytes());
    let out = String::from_utf8(ran.out).unwrap();
    assert_eq!(out, "/aA\n".repeat(20) + "h.example:443\naB\n", "{}", ran.err);
    // The user's own choice is a word of any kind.
    let ran = pct(["cut", "--format", "words", "-f", "3", "--no-header"], b"10:00 http: proxy error: x\n");
    assert_eq!(ran.out, b"proxy\n", "{}", ran.err);
    let ran = pct(["decode", "--format", "words"], b"a b\nc d\n");
    assert!(ran.code == Some(2) && ran.err.contains("choose words by their numbers"), "{}", ran.err);
    assert_eq!(pct(["decode", "--format", "words", "-f", "x"], b"").code, Some(2));
}

#[test]
fn members_that_are_known_decide_the_format() {
    // Rules of AWS WAF may have any text, even the names of members of Google's logs. `auto` must not take such a log
    // for one of Google's.
    let waf = "{\"webaclId\":\"%41\",\"httpRequest\":{\"headers\":[{\"name\":\"requestUrl\",\"value\":\"%41\"}],\
               \"uri\":\"/caf%C3%A9\",\"args\":\"q=caf%C3%A9\"}}\n";
    check("aws-waf", "", waf);
    check("aws-waf", "", &waf.replace("\"name\":\"requestUrl\"", "\"requestUrl\":\"x\""));
}

/// The last record of a short file can have a field that no other record has, also after a prefix, and without a line end.
#[test]
fn fields_of_the_last_record_are_found() {
    let folder = Folder::new();
    for prefix in ["", "2021-03-01T20:35:56.000000000Z stdout F ", "<13>Oct 11 22:14:15 web1 app: "] {
        for end in ["\n", ""] {
            let log = format!("{prefix}{{\"url\":\"http://h/a\"}}\n{prefix}{{\"x\":\"http://h/%41\"}}{end}");
            let file = folder.file("log", log.as_bytes());
            let ran = pct(["cut", "--format", "auto", "--no-header", file.to_str().unwrap()], b"");
            assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/a\t\n\thttp://h/A\n", "{log}{}", ran.err);
        }
    }
    // The last row contains line ends in quotes. It has no line end of its own.
    let file = folder.file("table", b"id,see\n1,\"http://h/%41\n\nhttp://h/%42\"");
    let ran = pct(["cut", "--format", "auto", "--no-header", file.to_str().unwrap()], b"");
    assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A\nhttp://h/B\n", "{}", ran.err);
}

/// Some programs add something to the values of their usual format.
#[test]
fn unusual_values_of_known_formats_are_read() {
    let uvicorn = "INFO:     192.0.2.1:5 - \"GET /a HTTP/1.1\" 200 OK\n";
    for (format, input, values) in [
        (
            "w3c",
            "#Fields: date cs-uri-path cs-uri-query\n2020-01-01 /a ?f1-d.50200.x%41\n".into(),
            "/a\tf1-d.50200.xA\n",
        ),
        (
            "wget",
            "--2025-06-11 15:08:50--  http://h/%41\n--2025-06-11 15:08:51--  (try: 2)  http://h/%42\n".into(),
            "http://h/A\nhttp://h/B\n",
        ),
        ("squid", "1726124258      0 192.0.2.1 NONE/400 3 GET /%41 - HIER_NONE/- text/html\n".into(), "/A\n"),
        ("sitemap", "<urlset><url><loc>\n  http://h/%41\n</loc></url></urlset>".into(), "http://h/A\n"),
        ("json", "{\n\"url\": {\"raw\": \"http://h/%41/b\",\n\"path\": [\"a\", \"b\"]}}\n".into(), "http://h/A/b\n"),
        // A server and a router write to one log.
        ("uvicorn,urls", format!("{uvicorn}at=info method=GET path=/b status=200\n"), "/a\n/b\n"),
        ("uvicorn,urls", format!("{uvicorn}{{\"url\":\"/b\"}}\n"), "/a\n/b\n"),
        ("uvicorn,urls", format!("{uvicorn}GET /b 200 12ms\n"), "/a\n/b\n"),
        ("uvicorn", format!("{uvicorn}GET /b -> show\n"), "/a\n"),
        // A request to another host is no repetition, even if the path or a part of the URL is known.
        (
            "uvicorn,urls",
            format!("{uvicorn}INFO:httpx:HTTP Request: POST https://h/a \"HTTP/1.1 200 OK\"\n"),
            "/a\nhttps://h/a\n",
        ),
        ("uvicorn,urls", format!("{uvicorn}sent GET https://h/a - 200\n"), "/a\nhttps://h/a\n"),
        ("uvicorn", format!("{uvicorn}sent GET https://h/a\n"), "/a\n"),
        ("uvicorn", format!("{uvicorn}see https://h/a 200\n"), "/a\n"),
        ("uvicorn", format!("{}x GET http://h/a 200\n", uvicorn.replace("/a", "http://h/a")), "http://h/a\n"),
        // A route is never missing.
        ("uvicorn,urls", format!("{uvicorn}No route matches [GET] \"/b\"\n"), "/a\n/b\n"),
        ("uvicorn,urls", format!("{uvicorn}No mapping for GET /b\n"), "/a\n/b\n"),
        ("uvicorn", format!("{uvicorn}Notice: GET /b -> nothing\n"), "/a\n"),
        // Monolog writes two objects at the end of a line. The text before them is no prefix of a record.
        ("urls", "[2026-01-29] a.INFO: x {\"url\":\"http://h/a\",\"b\":1} {\"token\":\"c\"}\n".into(), "http://h/a\n"),
        // A request in brackets is read like one in quotes.
        ("words", "1 [GET /a] 200\n2 [POST /b?x=%20 HTTP/1.1] 200\n".into(), "/a\n/b?x= \n"),
        // Amazon Data Firehose writes JSON objects without line ends between them.
        ("json", "{\"url\":\"/%41\"}{\"url\":\"/%42\"}\n{\"url\":\"/%43\"}\n".into(), "/A\n/B\n/C\n"),
        ("json", "{ \"id\":1,\"url\":\"/%41\" } { \"url\":\"/%42\" }".into(), "/A\n/B\n"),
        ("ndjson", "{\"url\":\"/%41\",\"x\":\"{} {}\"}\n{\"url\":\"/%42\"}\n".into(), "/A\n/B\n"),
    ] {
        let ran = pct(["cut", "--raw", "--no-header", "--format", "auto"], input.as_bytes());
        assert!(ran.err.contains(&format!("is read as {format}")), "{}", ran.err);
        assert_eq!(String::from_utf8(ran.out).unwrap(), values, "{input}{}", ran.err);
    }
}

/// Programs write CEF and LEEF with quotes around values, and CEF with other separators.
#[test]
fn values_of_cef_may_have_quotes_and_other_separators() {
    let head = "CEF:0|v|p|1|1|n|5|";
    for pairs in [
        "src=192.0.2.1 request=\"http://h/%41\" requestContext=\"-\" act=x y",
        "src=192.0.2.1 request=\\\"http://h/%41\\\" requestContext=- act=x y",
        "src=192.0.2.1;request=http://h/%41;requestContext=-;act=x y",
        "src=192.0.2.1\trequest=http://h/%41\trequestContext=-\tact=x y",
    ] {
        let input = format!("{head}{pairs}\n");
        let ran = pct(["cut", "--raw", "--no-header", "--format", "auto"], input.as_bytes());
        assert_eq!(ran.err, "pct: <stdin> is read as cef\n");
        assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A\t-\n", "{input}");
        assert_eq!(decoded(&input).0, input.replace("%41", "A"));
        if pairs.contains('\t') {
            continue;
        }
        // A decoded byte ends neither the quotes nor the value.
        let hostile = input.replace("%41", "%22%20act=%3Bact%3D1%09%5C%22");
        assert_eq!(decoded(&hostile).0, hostile);
    }
    let ran = pct(
        ["cut", "--raw", "--no-header", "--format", "auto"],
        b"LEEF:1.0|v|p|1|1|src=h url=\"http://h/%41\" a=b c\n",
    );
    assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A\n");
    let only = format!("{head}request=http://h/%41?%3Ba=b\n");
    assert_eq!(decoded(&only).0, only.replace("%41", "A"));
    // The path of a file has no scheme.
    let input = format!("{head}src=h request=\"C:\\\\Users\\\\x%41\" act=x\n");
    let ran = pct(["normalize", "--format", "cef", "-f", "request"], input.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), input.replace("%41", "A"));
    // A `;` in a value separates no pairs.
    let input = format!("{head}request=http://h/%41;a=b act=x\n");
    let ran = pct(["cut", "--raw", "--no-header", "--format", "cef"], input.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A;a=b\n");
}

/// A proxy writes a host and a port in place of a URL.
#[test]
fn hosts_with_ports_are_urls() {
    for (line, value) in [
        ("x CONNECT h.example:443 200", "\th.example:443"),
        ("CONNECT localhost:443: refused", "\tlocalhost:443"),
        ("\"CONNECT [2001:db8::1]:443\"", "\t[2001:db8::1]:443"),
        ("x CONNECT h.example:443 HTTP/1.1 200", "\th.example:443"),
        ("CONNECT h:443 GET /a%20b 200", "\th:443\n\t/a b"),
        ("url=h:443/ x", "h:443/\t"),
        ("CONNECT h.example:443/x?y=%41 HTTP/1.1", "h.example:443/x?y=A\t"),
        // These are no hosts with ports.
        ("CONNECT to h.example:443 and GET /x", "\t/x"),
        ("RECONNECT h:443 and GET /x", "\t/x"),
        ("CONNECT 12:30 and GET /x", "\t/x"),
        ("CONNECT h: and GET /x", "\t/x"),
        ("CONNECT timeout:30 and GET /x", "\t/x"),
        // An escape of JSON may be a quote of HTML, or the start of `&gt;`.
        (r"href=\u0027http://h/%41\u0027 a=\u0026lt;http://h/?b\u0026gt;", "http://h/A\t\nhttp://h/?b\t"),
    ] {
        let ran = pct(
            ["cut", "--raw", "--no-header", "--format", "urls", "-f", "url,target"],
            format!("{line}\n").as_bytes(),
        );
        assert_eq!(String::from_utf8(ran.out).unwrap(), format!("{value}\n"), "{line}");
    }
    // `h` is no scheme.
    let input = "{\"url\":\"h:443/a%20b?c=d\"}\n{\"url\":\"h.example:443\"}\n";
    let fields = "/url.scheme,/url.host,/url.port,/url.path,/url.query";
    assert_eq!(rows(&["--format", "ndjson"], fields, input), "\th\t443\t/a b\tc=d\n\th.example\t443\t\t\n");
    let out = String::from_utf8(pct(["stats", "--format", "auto"], input.as_bytes()).out).unwrap();
    assert!(out.contains("\nPaths (1)\n  /a b ") && out.contains("\nHosts (2)\n"), "{out}");
}

/// Go, Gson and others write some characters of JSON as escapes.
#[test]
fn urls_in_json_may_have_escapes() {
    let line = r#"body {"url":"http://h/%41?a=1\u0026b\u003d%42"} GET /%43?a\u0026b=c done"#;
    let input = format!("{line}\n");
    let ran = pct(["cut", "--raw", "--no-header", "--format", "urls", "-f", "url,target"], input.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A?a=1&b=B\t/C?a&b=c\n");
    let ran = pct(["decode", "--format", "urls"], input.as_bytes());
    // In another text, the same bytes may be no escape. So they stay.
    let expected = r#"body {"url":"http://h/A?a=1\u0026b\u003d%42"} GET /C?a\u0026b=c done"#;
    assert_eq!(String::from_utf8(ran.out).unwrap(), format!("{expected}\n"));
    // Other backslashes are no escapes of JSON.
    for value in [r"http://h/%41\u0022x", r"http://h/%41\n\u0026x", r"http://h/%41\u002"] {
        let ran = pct(["cut", "--raw", "--no-header", "--format", "urls"], format!("{value}\n").as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A\n");
    }
    // In JSON in a JSON string, too, only the value changes.
    let input = r#"{"message":"{\"url\":\"http://h/%41?a=1\\u0026b\",\"c\":\"\\u0026\"}"}"#.to_string() + "\n";
    assert_eq!(decoded(&input).0, input.replace("%41", "A").replacen(r"\\u0026", "&", 1));
}

/// A placeholder in a field for URLs is no URL, so it isn't counted, and its records are no duplicates.
#[test]
fn placeholders_are_no_urls() {
    let values = ["--", "unknown", "undefined", "N/A", "(null)", "null", "None", "\\\"-\\\""];
    let input: String = values.iter().map(|value| format!("{{\"url\":\"{value}\"}}\n").repeat(2)).collect();
    let input = format!("{input}{{\"url\":\"/%41\"}}\n");
    let ran = pct(["stats", "--format", "auto"], input.as_bytes());
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("\nPaths (1)\n  /A "), "{out}");
    let ran = pct(["unique", "--format", "auto", "-q"], input.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), input);
    // In a list, each line is a URL.
    let ran = pct(["stats", "--format", "text"], b"unknown\n/a\n");
    assert!(String::from_utf8_lossy(&ran.out).contains("\nPaths (2)\n"));
    assert_eq!(pct(["unique"], b"unknown\nunknown\n").out, b"unknown\n");
}

/// A body with a member that is often a URL is no record, if other members have the URLs.
#[test]
fn bodies_beside_urls_are_no_records() {
    let log = "{\"Body\":\"{\\\"query\\\": \\\"Find %41\\\"}\",\"Method\":\"POST\",\"URI\":\"/caf%C3%A9\"}\n";
    assert!(decoded(log).0.contains("/café") && decoded(log).0.contains("Find %41"), "{}", decoded(log).0);
}

/// A message about missing fields lists the fields of the input, each once.
#[test]
fn fields_that_are_there_are_listed() {
    let log = "{\"a\":\"x\",\"b\":{\"c\":\"%41\",\"d\":[\"x\",\"y\"]}}\n".repeat(3);
    let ran = pct(["decode", "--format", "ndjson"], log.as_bytes());
    assert_eq!(
        ran.err,
        "pct: <stdin>: none of 3 checked records has a field that is known to hold URLs; there are /a, /b/c, /b/d/*; name one with -f\n"
    );
    let ran = pct(["decode", "--format", "ndjson", "-f", "/b/x,/a"], log.as_bytes());
    assert_eq!(ran.err, "pct: <stdin>: none of 3 checked records has a field named /b/x; there are /a, /b/c, /b/d/*\n");
    let ran = pct(["decode", "--format", "logfmt"], b"a=1 b=2\n");
    assert!(ran.err.contains("there are a, b; name one"), "{}", ran.err);
}

/// Headers, comments and empty lines are no records, and every line counts in line numbers.
#[test]
fn only_records_are_counted() {
    for (format, log, line) in [
        ("csv", "url,x\n/a%zz,1\n\n\r\n/b,1\n", 2),
        ("csv", "# a\n\nurl,x\n/a%zz,\"\n\"\n\n/b,1\n", 4),
        ("tsv", "url\tx\n/b\t1\n\n/a%zz\t1\n", 4),
        ("w3c", "#Version: 1.0\n#Fields: d cs-uri-query\nd q=%zz\n\n#Remark x\nd q=1\n", 3),
        ("urlhaus", "# a\n# id,dateadded,url\n\"1\",\"2\",\"http://h/%zz\"\n\"1\",\"2\",\"x\"\n", 3),
        ("ndjson", "\n{\"url\":\"/%zz\"}\n\n{\"url\":\"/\"}\n", 2),
    ] {
        let ran = pct(["decode", "--check", "--report=json", "--format", format], log.as_bytes());
        let report = String::from_utf8(ran.out).unwrap();
        let reports: Vec<serde_json::Value> = report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let input = reports.last().unwrap();
        assert!(report.contains(&format!("\"line\":{line}")) && report.contains("\"records\":2"), "{format}: {input}");
    }
}

#[test]
fn wide_text_is_read_as_utf8() {
    let text = "url,x\r\nhttp://h/caf%C3%A9,é😀\r\nhttp://h/b,\r\n";
    let wide = |mark: bool, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let mark = if mark { &[0xFEFF][..] } else { &[] };
        mark.iter().copied().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    for (input, charset) in [
        (wide(true, u16::to_le_bytes), "UTF-16"),
        (wide(true, u16::to_be_bytes), "UTF-16"),
        (wide(false, u16::to_le_bytes), "UTF-16LE"),
        (wide(false, u16::to_be_bytes), "UTF-16BE"),
    ] {
        for args in [
            &["decode"][..],
            &["decode", "--format", "auto"],
            &["cut", "--format=csv", "-f", "url"],
            &["grep", "--format=csv", "-n", "caf"],
            &["stats", "--format", "csv", "--json"],
            &["unique", "--format", "csv"],
        ] {
            let [of_wide, of_utf8] = [pct(args, &input), pct(args, text.as_bytes())];
            // `stats` counts the bytes of the text.
            assert_eq!((of_wide.code, of_wide.out), (of_utf8.code, of_utf8.out), "{args:?}");
            assert_eq!(of_wide.err, format!("pct: <stdin> is {charset}, and is read as UTF-8\n{}", of_utf8.err));
        }
        // The format is recognized by as many records as in UTF-8.
        let late = format!(
            "{}192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /%41 HTTP/1.1\" 200 5 \"-\" \"x\"\n",
            "booting\n".repeat(2000)
        );
        let order = if charset == "UTF-16BE" { u16::to_be_bytes } else { u16::to_le_bytes };
        let folder = Folder::new();
        let file = folder.file("late.log", &late.encode_utf16().flat_map(order).collect::<Vec<u8>>());
        assert!(pct(["cut", "--format=auto", file.to_str().unwrap()], b"").out.ends_with(b"/A\t-\n"));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&input).unwrap();
        let file = folder.file("w.csv.gz", &packed.finish().unwrap());
        assert_eq!(output(["decode", "-q", file.to_str().unwrap()], b""), pct(["decode"], text.as_bytes()).out);
        // A file that is replaced would get another charset.
        let file = folder.file("w.csv", &input);
        let ran = pct(["decode", "--in-place", file.to_str().unwrap()], b"");
        assert!(
            ran.code == Some(2)
                && ran.err.contains(&format!("it is {charset}; convert it by `iconv -f {charset} -t UTF-8`"))
        );
        assert_eq!(std::fs::read(&file).unwrap(), input);
        assert_eq!(pct(["decode", "--raw"], &input).out, input);
    }
    // The output isn't in the charset of the declaration.
    for (declared, output) in [
        ("<?xml version=\"1.0\" encoding=\"utf-16\"?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
        ("<?xml version='1.0' encoding = 'UTF-16LE' ?>", "<?xml version='1.0' encoding = 'UTF-8' ?>"),
        ("<?xml version=\"1.0\"?>", "<?xml version=\"1.0\"?>"),
        ("<!-- encoding=\"utf-16\" ?>", "<!-- encoding=\"utf-16\" ?>"),
    ] {
        let feed = |declaration: &str, name: &str| {
            format!("{declaration}<rss><channel><item><link>http://h/{name}</link></item></channel></rss>\n")
        };
        let wide = format!("\u{FEFF}{}", feed(declared, "caf%C3%A9"));
        let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let ran = pct(["decode", "--format", "feed"], &wide);
        assert_eq!(String::from_utf8(ran.out).unwrap(), feed(output, "café"), "{}", ran.err);
    }
    let utf32: Vec<u8> = "\u{FEFF}".chars().chain(text.chars()).flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let ran = pct(["decode"], &utf32);
    assert!(ran.code == Some(2) && ran.err.ends_with("it is UTF-32; convert it by `iconv -f UTF-32 -t UTF-8`\n"));
    // Zeros alone are no text. A surrogate without its pair has no form in UTF-8.
    assert_eq!(pct(["decode"], &[0; 64]).code, Some(0));
    assert_eq!(pct(["decode", "-q"], b"\xFF\xFEa\0\0\xD8b\0\n\0").out, "a\u{FFFD}b\n".as_bytes());
}

/// ArcSight Common Event Format, version 25: in a value, each of `\=`, `\\`, `\n` and `\r` means one byte.
#[test]
fn values_of_cef_are_read_and_written_with_its_escapes() {
    let record = b"CEF:0|v|p|1|1|n|1|request=http://h/p?user\\=eve&q\\=%C3%A9 cs1=x\\=y dst=1\n";
    let cut = pct(["cut", "--format", "cef", "-f", "request,request.query.user,request.query.q", "--json"], record);
    let expected =
        "{\"request\":\"http://h/p?user=eve&q=é\",\"request.query.user\":\"eve\",\"request.query.q\":\"é\"}\n";
    assert_eq!(String::from_utf8(cut.out).unwrap(), expected);
    assert_eq!(output(["grep", "--format", "cef", "user=eve&q=é"], record), record);
    let decoded = b"CEF:0|v|p|1|1|n|1|request=http://h/p?user\\=eve&q\\=\xC3\xA9 cs1=x\\=y dst=1\n";
    assert_eq!(output(["decode", "--format", "cef"], record), decoded);
    assert_eq!(output(["repair", "--format", "cef"], record), record);
    // Blanks before the next key are no part of the value.
    let blanks = b"CEF:0|v|p|1|1|n|1|request=http://h:443  dst=1 requestContext=http://h/x \n";
    let cut = output(["cut", "--format", "cef", "-f", "request,requestContext", "--no-header"], blanks);
    assert_eq!(String::from_utf8(cut).unwrap(), "http://h:443\thttp://h/x\n");
    // If no value of a record changes, the record stays byte for byte.
    let plain = b"CEF:0|v|p|1|1|n|1|request=http://h/p?user=eve dst=1\n";
    assert_eq!(output(["decode", "--format", "cef"], plain), plain);
}

#[test]
fn repair_leaves_the_escapes_of_a_log() {
    let line =
        |referrer: &str| format!("- - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"{referrer}\" \"-\"\n");
    for same in ["http://h/caf\\xC3\\xA9?q", "http://h/a\\\"b", "http://h\\\\a"] {
        let line = line(same);
        assert_eq!(output(["repair", "--format", "combined"], line.as_bytes()), line.as_bytes());
        assert_eq!(output(["repair", "--list", "--format", "combined"], line.as_bytes()), b"");
    }
    let (bad, good) = (line("http://h/é"), line("http://h/%C3%A9"));
    assert_eq!(output(["repair", "--format", "combined"], bad.as_bytes()), good.as_bytes());
}

#[test]
fn encoding_a_path_leaves_its_slashes() {
    assert_eq!(output(["encode", "--part", "path"], "http://h/a b/é?c d\n".as_bytes()), b"http://h/a%20b/%C3%A9?c d\n");
}

/// Many configurations of nginx add times as `rt=$request_time uct="$upstream_connect_time"`. The router of Cloud Foundry writes
/// `app_index:"0"`.
#[test]
fn names_and_quotes_may_follow_the_user_agent() {
    let line = |rest: &str| {
        format!(
            "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /%41 HTTP/1.1\" 200 5 \"http://h/%42\" \"x/1\" {rest}\n"
        )
    };
    for rest in [
        "rt=0.005 uct=\"0.000\" uht=\"0.001\" urt=\"0.002, 0.003\"",
        "\"-\" cs=\"-\"",
        "request_id=\"cut o",
        "\"192.0.2.1:5\" forwarded:\"192.0.2.1, 192.0.2.2\" time:0.1 app:\"0\"",
    ] {
        let (text, told) = decoded(&line(rest));
        assert_eq!(text, line(rest).replace("%41", "A").replace("%42", "B"), "{told}");
    }
    // A missing value may have no quotes.
    for missing in [
        "http://h/%41 \"x/1\" 5",
        "- \"x/1\"",
        "- \"x/1\" 13 \"h\" \"http://b\"",
        "\"http://h/%41\" - 5",
        "\"-\" -",
        "- \"http://b\"",
    ] {
        let log = format!("192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 5 {missing}\n");
        let ran = pct(["cut", "--raw", "--no-header", "--format", "combined"], log.as_bytes());
        let referrer = if missing.contains("%41") { "http://h/A" } else { "-" };
        assert_eq!(String::from_utf8(ran.out).unwrap(), format!("/café\t{referrer}\n"), "{log}{}", ran.err);
    }
    // If a server doesn't escape quotes, a client can forge records like these with its user agent. So they stay as
    // they are.
    for rest in [
        "k=\"GET /b HTTP/1.1\" 200 5 \"-\" \"-\"",
        "k=\"b HTTP/1.1\" 200 5 \"-\" \"-\"",
        "a\"b=\"c\"",
        "k:\"GET /b HTTP/1.1\" 200 5 \"-\" \"-\"",
    ] {
        let ran = pct(["decode", "--format", "combined"], line(rest).as_bytes());
        assert_eq!(ran.out, line(rest).as_bytes(), "{}", ran.err);
    }
    // The same holds for the request. The end of the real request follows the forged one, also if values are missing.
    for rest in [
        "\"x\" \"y HTTP/1.1\" 404 9 - \"-\"",
        "\"x\" \"y HTTP/1.1\" - - \"-\" \"-\"",
        "\"x\" \"y\" \" HTTP/1.1\" 404 9 \"-\" \"-\"",
        "\"x\" - \" HTTP/1.1\" 404 9 \"-\" \"-\"",
        "\"x HTTP/1.1\" - 9 \"-\" \"-\"",
        "- \"x HTTP/1.1\" 404 9 - -",
        "- \"x HTTP/1.1\" 404 - - \"-\"",
    ] {
        let log = format!("192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /%41 HTTP/1.1\" 200 5 {rest}\n");
        let ran = pct(["decode", "--format", "combined"], log.as_bytes());
        assert_eq!(ran.out, log.as_bytes(), "{}", ran.err);
    }
}

/// If no other field has a URL, each URL in a text is read, not only the first.
#[test]
fn each_url_in_a_text_beside_a_named_field_is_read() {
    for (field, record) in [
        ("/m/text", "{\"uri\":\"x\",\"m\":{\"text\":\"in 'GET /i'. [D](http://h/caf%C3%A9)\"}}"),
        ("/message", "{\"page_url\":\"\",\"message\":\"got http://h/caf%C3%A9 late\"}"),
        ("/message", "{\"referrer\":\"http://h/\",\"message\":\"got http://h/caf%C3%A9 late\"}"),
    ] {
        let (out, err) = decoded(&format!("{record}\n"));
        assert!(out.contains("http://h/café") && err.contains(&format!("{PARTLY}{field}\n")), "{out}{err}");
    }
}

/// A message about paths that are not read ends with options that read them.
#[test]
fn options_in_messages_can_be_pasted() {
    for (input, format, field) in [
        ("Target: http://h/\n[1:2] 200 -    3B  - /b/c\n[1:2] 404 - 23B - /b/d\n", "words", "6"),
        (
            "{\"level\":\"i\",\"message\":\"GET /a?x=1\"}\n{\"message\":\"not found: /b/c\"}\n",
            "ndjson/message:words",
            "3",
        ),
        ("1.0;Get;\"http://h/x\";\"/b/c\"\n1.0;Get;\"http://h/y\";\"/b/d\"\n", "csv;", "'4'"),
    ] {
        let err = pct(["cut", "--format", "auto"], input.as_bytes()).err;
        assert!(err.ends_with(&format!(" --format '{format}' -f {field}\n")), "{err}");
        let ran = pct(["cut", "--format", format, "-f", field.trim_matches('\'')], input.as_bytes());
        assert!(String::from_utf8_lossy(&ran.out).contains("/b/c\n"), "{}", ran.err);
    }
    // If the paths are in different words, no option reads them all.
    let err = pct(["cut", "--format", "auto"], b"x http://h/\nx /b/c\nx y /b/d\n").err;
    assert!(
        err.ends_with("2 of its first records have paths or queries outside of the URLs, which are not read\n"),
        "{err}"
    );
    let err = pct(["cut", "--format", "auto"], b"# Title\n\nSome \"text\" and more.\n").err;
    assert!(err.contains("name a --format; `pct formats` lists all"), "{err}");
}

/// A name comes from the input. If its quote ended the argument, the rest of the name would be a command.
#[cfg(unix)]
#[test]
fn names_in_messages_start_no_command() {
    let name = "it's,$(exit 3)'; exit 3; 'x";
    let record = format!("{{\"{name}\":\"http://h/%41\",\"log\":1}}\n");
    let table = format!("id;\"{name}\"\n1;http://h/%41\n");
    let plain = format!("id;\"{name}\"\n1;/a\n");
    for (input, start) in [(record.as_str(), "as in "), (&table, "as in "), (&plain, " a column, as in ")] {
        let err = pct(["cut", "--format", "auto"], input.as_bytes()).err;
        let option = err.split(start).nth(1).unwrap_or_else(|| panic!("{err}")).split(['\n']).next().unwrap();
        let option = option.split("; `pct formats`").next().unwrap();
        let script = format!("printf '%s\n' {option}");
        let ran = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let args = String::from_utf8(ran.stdout).unwrap();
        let args: Vec<&str> = args.lines().collect();
        let field = args.last().unwrap();
        assert!(ran.status.success() && field.trim_start_matches('/') == name.replace(',', "\\,"), "{err}{args:?}");
        let auto = if args.contains(&"--format") { &[][..] } else { &["--format", "auto"] };
        let ran = pct([&["cut", "--no-header"], auto, &args].concat(), input.as_bytes());
        assert!(ran.out.starts_with(b"http://h/A\n") || ran.out.starts_with(b"/a\n"), "{}", ran.err);
    }
}

/// A record in a document of JSON has several lines. If the first records have no URL, a later record may have one.
#[test]
fn later_records_of_a_document_are_searched() {
    let record = |text: &str| format!("  {{\n    \"name\": \"x\",\n    \"note\": \"{text}\"\n  }}");
    let records = [vec![record("a"); 2000], vec![record("b http://h/caf%C3%A9")]].concat().join(",\n");
    let folder = Folder::new();
    let log = folder.file("late.json", format!("[\n{records}\n]\n").as_bytes());
    let ran = pct(["decode", "--format", "auto", log.to_str().unwrap()], b"");
    assert!(ran.out.ends_with("http://h/café\"\n  }\n]\n".as_bytes()), "{}", ran.err);
}
