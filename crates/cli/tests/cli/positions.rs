//! Tests logs whose fields are known by their position:
//!
//! - Every verb reads the right fields of records that real servers write.
//! - If a record doesn't have the pieces of its format, or can be read in two ways, it stays as it is, and `pct`
//!   reports it. With `--strict-format`, such a record is an error.
//! - Text that a client puts into one field never appears in another field.

use crate::process;

use percent_simd_oracle::{Random, cases};
use process::{RunResult, pct};

/// A log and its expected contents.
struct Sample {
    /// The name of the format that `auto` detects.
    name: &'static str,
    log: &'static str,
    /// The fields for `pct cut`, and the expected row of each record.
    fields: &'static str,
    rows: &'static [&'static str],
    /// Attacks that `stats` has to find.
    attacks: &'static [&'static str],
}

const fn sample(name: &'static str, log: &'static str, fields: &'static str, rows: &'static [&'static str]) -> Sample {
    Sample { name, log, fields, rows, attacks: &[] }
}

const ACCESS: &str = "client,status,target,referrer";

/// Fields with URLs contain `caf%C3%A9`, which is decoded. Other fields contain `%41`, which stays. The records come from real
/// logs, with personal details replaced.
const SAMPLES: &[Sample] = &[
    // Apache writes `""` for a user without a name (mod_log_config, `ap_escape_logitem`).
    sample(
        "combined",
        "192.0.2.1 - \"\" [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9%20HTTP/1.1%22%20200%20x HTTP/1.1\" 401 12 \
         \"http://h/caf%C3%A9\" \"curl/7 %41\"\n",
        ACCESS,
        &["192.0.2.1\t401\t/café HTTP/1.1\" 200 x\thttp://h/café"],
    ),
    Sample {
        attacks: &["traversal"],
        ..sample(
            "clf",
            "192.0.2.1 - \"\" [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9/..%2f..%2fetc/passwd HTTP/1.1\" 401 12\n\
             192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"GET /b HTTP/1.1\" 200 12\n",
            "client,status,target",
            &["192.0.2.1\t401\t/café/../../etc/passwd", "192.0.2.1\t200\t/b"],
        )
    },
    // These records have X-Forwarded-For in quotes: at the start, after the client, or at the end.
    sample(
        "combined",
        "\"192.0.2.1, 198.51.100.2\" - - [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 123 \"-\" \"curl/7\"\n\
         \"192.0.2.1\" - j%41 [07/Feb/2022:10:49:33 +0000] \"GET /a%20HTTP/1.1 HTTP/1.1\" 200 123 \"http://h/caf%C3%A9\" \"-\"\n\
         \"-\" - - [07/Feb/2022:10:49:33 +0000] \"GET / HTTP/1.1\" 200 123 \"-\" \"curl/7\"\n",
        ACCESS,
        &["192.0.2.1, 198.51.100.2\t200\t/café\t-", "192.0.2.1\t200\t/a HTTP/1.1\thttp://h/café", "-\t200\t/\t-"],
    ),
    sample(
        "combined",
        "192.0.2.1 \"198.51.100.2\" - - [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 123 \"-\" \"curl/7\"\n\
         192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"GET /b HTTP/1.1\" 200 123 \"-\" \"curl/7\" \"198.51.100.2, %41\"\n\
         192.0.2.1, 198.51.100.2 - - [07/Feb/2022:10:49:33 +0000] \"GET /c HTTP/1.1\" 200 123 \"-\" \"curl/7\"\n",
        ACCESS,
        &["192.0.2.1\t200\t/café\t-", "192.0.2.1\t200\t/b\t-", "192.0.2.1, 198.51.100.2\t200\t/c\t-"],
    ),
    // These are logs of nginx with `"$host" "$request"`, a `$remote_user` with spaces and brackets, and unusual clients.
    sample(
        "combined",
        "192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"example.com%41\" \"GET /caf%C3%A9%20HTTP/1.1%22%20200 HTTP/1.1\" 404 12 \"-\" \"-\"\n\
         192.0.2.1 - j s] [x [07/Feb/2022:10:49:33 +0000] \"GET /b HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         unix: - - [07/Feb/2022:10:49:33 +0000] \"GET /c HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         2001:db8::1 - - [07/Feb/2022:10:49:33 +0000] \"GET /d HTTP/2.0\" 200 12 0.003 \"-\" \"-\" 0.002 .\n",
        ACCESS,
        &[
            "192.0.2.1\t404\t/café HTTP/1.1\" 200\t-",
            "192.0.2.1\t200\t/b\t-",
            "unix:\t200\t/c\t-",
            "2001:db8::1\t200\t/d\t-",
        ],
    ),
    // This server doesn't escape, and the user name has a quote.
    sample(
        "combined",
        "192.0.2.1 - a\"b [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9%20HTTP/1.0%20x HTTP/1.1\" 200 12 \"http://h/caf%C3%A9\" \"curl/7\"\n",
        ACCESS,
        &["192.0.2.1\t200\t/café HTTP/1.0 x\thttp://h/café"],
    ),
    // These are invalid requests, as nginx and Apache log them.
    sample(
        "combined",
        "192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"-\" 408 0 \"-\" \"-\"\n\
         192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"\" 400 0 \"-\" \"-\"\n\
         192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"\\x16\\x03\\x01\\x00\\xA5%41 \\x22\" 400 157 \"-\" \"-\"\n\
         192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"t3 12.1.2\\n\" 400 226 \"-\" \"-\"\n\
         192.0.2.1 - - [07/Feb/2022:10:49:33 +0000] \"GET /b\" 200 5 \"-\" \"-\"\n",
        ACCESS,
        &[
            "192.0.2.1\t200\t/café\t-", "192.0.2.1\t408\t\t-", "192.0.2.1\t400\t\t-", "192.0.2.1\t400\t\t-",
            "192.0.2.1\t400\t\t-", "192.0.2.1\t200\t/b\t-",
        ],
    ),
    // lighttpd writes the host in place of the identity. Other servers write no identity.
    sample(
        "combined",
        "192.0.2.1 www.example.com - [07/Feb/2022:10:49:33 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         192.0.2.1 - [07/Feb/2022:10:49:33 +0000] \"GET /b HTTP/1.1\" 200 12 \"-\" \"-\"\n",
        ACCESS,
        &["192.0.2.1\t200\t/café\t-", "192.0.2.1\t200\t/b\t-"],
    ),
    sample(
        "apache-vhost",
        "www.example.com 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /caf%C3%A9 HTTP/1.0\" 301 368 \"-\" \"UA%41\"\n\
         www.example.org:443 192.0.2.2 - \"\" [10/Feb/2012:16:42:07 -0500] \"GET /b HTTP/1.0\" 301 368 \"-\" \"UA\"\n\
         _ \"192.0.2.3, 192.0.2.4\" - j s [10/Feb/2012:16:42:07 -0500] \"GET /c HTTP/1.0\" 301 368 \"-\" \"UA\"\n\
         h.example 192.0.2.3,192.0.2.4, ::1 - - [10/Feb/2012:16:42:07 -0500] \"GET /d HTTP/1.0\" 301 368 \"-\" \"UA\"\n",
        "host,client,status,target,referrer",
        &[
            "www.example.com\t192.0.2.1\t301\t/café\t-",
            "www.example.org:443\t192.0.2.2\t301\t/b\t-",
            "_\t192.0.2.3, 192.0.2.4\t301\t/c\t-",
            "h.example\t192.0.2.3,192.0.2.4, ::1\t301\t/d\t-",
        ],
    ),
    // These headers have the default form of rsyslog on Debian, or the form of RFC 3164 or RFC 5424. Some have a
    // priority, and some have a host.
    sample(
        "syslog:combined",
        "2025-01-22T13:09:20.606136+01:00 web-1 nginx: 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"curl/7 %41\"\n\
         <134>2025-01-22T13:09:20Z web-1 nginx[12]: 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /b HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         Jan  2 13:09:20 web-1 apache2[12]: 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /c HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         <190>Jan 22 13:09:20 nginx: 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /d HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         <190>1 2025-01-22T13:09:20.606136+01:00 web-1 nginx 12 - - 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /e HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         <190>1 - web-1 nginx - - [a@1 b=\"]\\\"] %41\" c=\"\"][d@1] 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /f HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         Jan 22 13:09:20.606136 web-1 nginx[12]: 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /g HTTP/1.1\" 200 12 \"-\" \"-\"\n\
         2025-01-22T13:09:20+0100 web-1 nginx[12]: 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /h HTTP/1.1\" 200 12 \"-\" \"-\"\n",
        "client,target",
        &[
            "192.0.2.1\t/café", "192.0.2.1\t/b", "192.0.2.1\t/c", "192.0.2.1\t/d", "192.0.2.1\t/e", "192.0.2.1\t/f",
            "192.0.2.1\t/g", "192.0.2.1\t/h",
        ],
    ),
    sample(
        "syslog:ndjson",
        "2025-01-22T13:09:20.606136+01:00 host app[9400]: {\"url\":\"/caf%C3%A9\",\"x\":\"%41\"}\n",
        "/url",
        &["/café"],
    ),
    // These are syslog records as Fastly sends them.
    sample(
        "syslog:ndjson",
        "<134>2016-07-04T22:37:26Z cache-sjc3128 LogTest[62959]: {\"url\":\"/caf%C3%A9\",\"request_referer\":\"http://h/caf%C3%A9\"}\n\
         <134>2016-07-04T22:37:27Z cache-sjc3128 LogTest[62959]: {\"url\":\"/b\",\"request_referer\":\"-\",\"x\":\"%41\"}\n",
        "/url",
        &["/café", "/b"],
    ),
    sample(
        "syslog:haproxy",
        "2025-01-22T13:09:20+01:00 lb haproxy[14389]: 192.0.2.1:33317 [22/Jan/2025:13:09:20.655] http-in~ static/srv1 10/0/30/69/109 \
         200 2750 - - ---- 1/1/1/1/0 0/0 {Mozilla/5.0 (X11; Linux) %41|} \"GET /caf%C3%A9 HTTP/1.1\"\n",
        "client,status,target",
        &["192.0.2.1:33317\t200\t/café"],
    ),
    sample(
        "syslog:logfmt",
        "<158>1 2025-01-22T13:09:20.606136+00:00 host heroku router - - at=info method=GET path=/caf%C3%A9 host=h status=200\n",
        "path",
        &["/café"],
    ),
    sample(
        "compose:combined",
        "web_1  | 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"%41\"\n\
         web-10 | 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /b HTTP/1.1\" 200 12 \"-\" \"-\"\n",
        "client,target",
        &["192.0.2.1\t/café", "192.0.2.1\t/b"],
    ),
    sample(
        "compose:stamp:ndjson",
        "app-1  | 2025-01-22T13:09:20.606136789Z {\"url\":\"/caf%C3%A9\",\"x\":\"%41\"}\n",
        "/url",
        &["/café"],
    ),
    sample(
        "stamp:combined",
        "2025-01-22T13:09:20.606136789Z 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"%41\"\n",
        "client,target",
        &["192.0.2.1\t/café"],
    ),
    sample(
        "kubectl:apache-vhost",
        "[pod/web-7c5d9/nginx] h 192.0.2.1 - - [22/Jan/2025:13:09:20 +0100] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"%41\"\n",
        "host,client,target",
        &["h\t192.0.2.1\t/café"],
    ),
    sample(
        "cri:combined",
        "2016-10-06T00:17:09.669794202Z stdout F 192.0.2.1 - - [06/Oct/2016:00:17:09 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"%41\"\n\
         2016-10-06T02:17:09.669794202+02:00 stderr F 192.0.2.1 - - [06/Oct/2016:00:17:09 +0000] \"GET /b HTTP/1.1\" 200 12 \"-\" \"-\"\n",
        "client,target",
        &["192.0.2.1\t/café", "192.0.2.1\t/b"],
    ),
    // IIS Advanced Logging writes strings in quotes. ISA separates columns with tabs, and other programs use several blanks. All of
    // them follow the W3C's draft.
    sample(
        "w3c",
        "#Software: IIS Advanced Logging Module\n#Version: 1.0\n#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip \
         cs(User-Agent) cs(Referer) sc-status\n2012-08-15 17:00:00 GET /p q=caf%C3%A9 \"192.0.2.1\" \"Mozilla/5.0 (Linux; %41)\" \
         \"http://example.com/Search?x=caf%C3%A9\" 200\n2012-08-15 17:00:01 GET /p q=1 \"192.0.2.1\" \"My \"\"UA\"\" %41\" \
         \"http://example.com/\"\"%22\" 200\n",
        "c-ip,cs-uri-query,cs(referer),sc-status,cs(user-agent)",
        &[
            "192.0.2.1\tq=café\thttp://example.com/Search?x=café\t200\tMozilla/5.0 (Linux; A)",
            "192.0.2.1\tq=1\thttp://example.com/\"\"\t200\tMy \"UA\" A",
        ],
    ),
    sample(
        "w3c",
        "#Version: 1.0\n#Fields: date\ttime\tc-ip\tcs-method\tcs-uri\tsc-status\tcs(Referer)\n\
         2001-10-31\t00:00:18\t192.0.2.1\tGET\t/caf%C3%A9%20b\t200\thttp://h/caf%C3%A9\n",
        "c-ip,cs-uri,sc-status,cs(referer)",
        &["192.0.2.1\t/café b\t200\thttp://h/café"],
    ),
    sample(
        "w3c",
        "#Version: 1.0\n#Fields:  c-ip  date  time  cs-method  cs-uri  sc-status  cs(Referer)\n\
         192.0.2.1      2001-10-31     00:00:18      GET      /caf%C3%A9?x=caf%C3%A9 \t   200     \"http://h/caf%C3%A9\"\n",
        "c-ip,cs-uri,sc-status,cs(referer)",
        &["192.0.2.1\t/café?x=café\t200\thttp://h/café"],
    ),
    // This is ProxySG's `main` format, without some of its fields.
    sample(
        "w3c",
        "#Software: SGOS 6.7\n#Version: 1.0\n#Fields: date time c-ip cs-username cs-categories cs(Referer) sc-status cs-method \
         cs-host cs-uri-path cs-uri-query cs-uri-extension cs(User-Agent) x-virus-id\n2024-03-22 16:16:01 192.0.2.36 - \"Web \
         Ads/Analytics %41\" http://ref.example/?q=caf%C3%A9 200 GET www.example.com /caf%C3%A9%20b ?q=caf%C3%A9 - \"Mozilla/5.0 \
         (Windows NT 10.0)\" -\n",
        "c-ip,cs(referer),sc-status,cs-uri-path,cs-uri-query,cs-uri-query.query.q",
        &["192.0.2.36\thttp://ref.example/?q=café\t200\t/café b\tq=café\tcafé"],
    ),
    // IIS writes no strings in quotes. It writes a blank as `+`, and a quote unchanged.
    sample(
        "w3c",
        "#Software: Microsoft Internet Information Services 10.0\n#Fields: c-ip cs-uri-stem cs-uri-query cs(User-Agent) cs(Referer) sc-status\n\
         192.0.2.1 /x%41 ?q=caf%C3%A9 \"a+b http://h/\"caf%C3%A9\" 200\n192.0.2.1 /x - \" - 404\n#Fields: cs-uri-query c-ip\nq=caf%C3%A9 \
         192.0.2.2\nq=1 \"\n",
        "c-ip,cs-uri-query,sc-status",
        &["192.0.2.1\t?q=café\t200", "192.0.2.1\t-\t404", "192.0.2.2\tq=café\t", "\"\tq=1\t"],
    ),
    // In CloudFront's logs, records can come before the first `#Fields` line. Their columns are in the usual order.
    sample(
        "cloudfront",
        "2024-03-12\t15:22:28\tCDG50-P2\t703\t192.0.2.4\tGET\td6.cloudfront.net\t/caf%25C3%25A9\t400\t-\tcurl/7.81.0\tq=caf%25C3%25A9\t-\t\
         Error\tx==\th.net\thttps\t62\t0.113\t-\tTLSv1.3\tTLS\tError\tHTTP/2.0\t-\t-\t51754\t0.113\tError\ttext/plain\t-\t-\t-\n",
        "cs-uri-stem,cs-uri-query",
        &["/café\tq=café"],
    ),
    sample(
        "aws-waf",
        "{\"timestamp\":1669449735564,\"formatVersion\":1,\"webaclId\":\"arn:aws:wafv2:us-east-1:0:global/webacl/x/41\",\"action\":\"ALLOW\",\
         \"httpRequest\":{\"clientIp\":\"192.0.2.1\",\"headers\":[{\"name\":\"Host\",\"value\":\"%41\"}],\"uri\":\"/caf%C3%A9\",\"args\":\
         \"q=caf%C3%A9\",\"httpMethod\":\"GET\"}}\n",
        "/httpRequest/clientIp,/httpRequest/uri,/httpRequest/args",
        &["192.0.2.1\t/café\tq=café"],
    ),
    sample(
        "k8s-audit",
        "{\"kind\":\"Event\",\"requestURI\":\"/api/v1/caf%C3%A9?command=%2Fbin\",\"verb\":\"x%41\"}\n",
        "/requestURI",
        &["/api/v1/café?command=/bin"],
    ),
    sample(
        "csv",
        "\"2023-03-08 10:21:40\",\"a,%41\",\"http://h/caf%C3%A9\"\n\"2023-03-08 10:21:41\",\"b\",\"http://h/b\"\n",
        "3",
        &["http://h/café", "http://h/b"],
    ),
    sample(
        "csv",
        "\"Address\",\"Content\",\"Title 1\"\n\"https://h/caf%C3%A9\",\"text/html; charset=utf-8\",\"a, %41\"\n\"https://h/b\",\"text/html\",\"x\"\n",
        "Address",
        &["https://h/café", "https://h/b"],
    ),
    // Istio's format has pieces that Envoy's default format lacks.
    sample(
        "envoy",
        "[2020-11-25T21:26:18.409Z] \"GET /caf%C3%A9 HTTP/1.1\" 418 - via_upstream - \"-%41\" 0 135 3 1 \"192.0.2.1\" \"curl/7.73.0\" \
         \"84961386-6d84\" \"httpbin:8000\" \"127.0.0.1:80\" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 192.0.2.1:37652 \
         outbound_.8000_._.httpbin default\n",
        "client,host,status,target,user-agent",
        &["192.0.2.1\thttpbin:8000\t418\t/café\tcurl/7.73.0"],
    ),
    sample(
        "alb",
        "h2 2018-07-02T22:23:00.186641Z app/lb/50dc 192.0.2.1:2817 - -1 -1 -1 403 - 34 366 \"GET https://www.example.com:443/caf%C3%A9 \
         b HTTP/2.0\" \"a \\x22 %41\" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 - \"Root=1-5833\" \"www.example.com\" \"-\" 0 \
         2018-07-02T22:22:48.364000Z \"waf\" \"-\" \"-\" \"-\" \"-\" \"Acceptable\" \"SpaceInUri\" TID_1234 \"-\" \"-\" \"-\"\n",
        "client,status,target,user-agent",
        &["192.0.2.1:2817\t403\thttps://www.example.com:443/café b\ta %5Cx22 A"],
    ),
];

/// Returns the expected output of `pct decode`, in which blanks and quotes stay escaped.
fn decoded(log: &str) -> String {
    let log = log.replace("caf%25C3%25A9", "café").replace("caf%C3%A9", "café");
    log.replace("%2f", "/").replace("%2F", "/")
}

#[test]
fn samples_are_recognized_and_read_right() {
    for Sample { name, log, fields, rows, attacks } in SAMPLES {
        let log = log.as_bytes();
        // If no column has a known name, `pct` prints a note about the columns that it found by their values. We drop
        // this note, so that the test can compare all other messages.
        let pct = |args: &[&str]| {
            let ran = pct(args, log);
            let is_note = |line: &&str| line.contains("the values of these fields look like URLs");
            let err = ran.err.split_inclusive('\n').filter(|line| !is_note(line)).collect();
            RunResult { err, ..ran }
        };
        let ran = pct(&["decode", "--format", "auto", "--strict-format"]);
        let out = String::from_utf8(ran.out).unwrap();
        assert_eq!((ran.err, ran.code), (format!("pct: <stdin> is read as {name}\n"), Some(0)), "{out}");
        assert_eq!(out, decoded(std::str::from_utf8(log).unwrap()), "{name}");
        assert!(out.contains("café"), "{name}");
        let ran = pct(&["cut", "--format", name, "--strict-format", "--no-header", "-f", fields]);
        assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)), "{name}");
        let expected: String = rows.iter().map(|row| format!("{row}\n")).collect();
        assert_eq!(String::from_utf8(ran.out).unwrap(), expected, "{name}");
        let found = |pattern: &str| {
            let ran = pct(&["grep", "-q", "--format", name, "--strict-format", pattern]);
            (ran.err, ran.code)
        };
        assert_eq!(found("café"), (String::new(), Some(0)), "{name}");
        assert_eq!(found("nowhere"), (String::new(), Some(1)), "{name}");
        let ran = pct(&["stats", "--format", name, "--strict-format", "--json"]);
        assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)), "{name}");
        let stats: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
        assert_eq!(stats["inputs"][0]["records"], rows.len(), "{name}: headers and comments are no records");
        for attack in *attacks {
            assert_ne!(stats["attacks"]["kinds"][attack]["count"], 0, "{name}: {stats}");
        }
    }
}

/// Formats, each with a record that isn't in this format.
const MISFITS: &[(&str, &str)] = &[
    // Another word, string or header comes before the client.
    (
        "combined",
        "www.example.com 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\"",
    ),
    (
        "combined",
        "www.example.com c.example.net - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\"",
    ),
    ("combined", "192.0.2.7 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\""),
    (
        "combined",
        "\"www.example.com\" 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\"",
    ),
    (
        "clf",
        "2025-01-22T13:09:20.606136+01:00 h nginx: 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368",
    ),
    ("clf", "2025-01-22T13:09:20Z 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368"),
    (
        "clf",
        "<134>2025-01-22T13:09:20Z h nginx[1]: 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368",
    ),
    (
        "clf",
        "<134>1 2025-01-22T13:09:20Z h nginx 1 - - 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368",
    ),
    ("clf", "Jan 22 13:09:20 h nginx[1]: 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368"),
    ("clf", "Jan  2 13:09:20 h nginx[1]: 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368"),
    ("clf", "web_1  | 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368"),
    ("clf", "web_1 | 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368"),
    (
        "clf",
        "2016-10-06T00:17:09.669794202Z stdout F 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368",
    ),
    ("clf", "[10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368"),
    ("apache-vhost", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\""),
    ("apache-vhost", "192.0.2.1 - j s [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\""),
    (
        "apache-vhost",
        "192.0.2.1 www.example.com - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\"",
    ),
    ("apache-vhost", "web:x 192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\""),
    ("combined", "\"192.0.2.1\" \"x\" - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\""),
    ("combined", "\"192.0.2.1\" - a\"b [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 368 \"-\" \"%41\""),
    // In these records, the time is invalid, or the request after the time is missing, occurs twice, or isn't the last
    // string before the status.
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"example.com\" 200 5 \"http://h/%41\" \"%41\""),
    (
        "combined",
        "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" \"GET /%42 HTTP/1.0\" 200 5 \"-\" \"-\"",
    ),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" \"example.com\" 200 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] example.com \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [%41] \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [core:error] \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"-\""),
    // In the text after the request, a piece is missing, is of the wrong kind, or has a quote in the middle.
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 2000 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 20 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" ok 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" \"200\" 5 \"-\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 \"http://h/%41\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 5 \"-\" x \"%41\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 5 \"http://h/\"%41\" \"-\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"a\"%41\""),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"-\" a\"%41"),
    ("combined", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /\"%41\" HTTP/1.0\" 200 5 \"-\" \"-\""),
    ("clf", "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 301 \"-\""),
    // The server doesn't escape quotes. A client has put a part of a forged record into the user name or another value.
    (
        "combined",
        "192.0.2.1 - a [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 5 \"-\" \"-\" [10/Feb/2012:16:42:07 -0500] \"GET /%42 HTTP/1.0\" 401 5 \"-\" \"-\"",
    ),
    (
        "clf",
        "192.0.2.1 - a [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.0\" 200 5 [10/Feb/2012:16:42:07 -0500] \"GET /%42 HTTP/1.0\" 401 5",
    ),
    (
        "combined",
        "192.0.2.1 - - [10/Feb/2012:16:42:07 -0500] \"GET /%41 HTTP/1.1\" 200 5 \"-\" \"u HTTP/2.0\" 404 19 \"-\" \"-\" 1 \"router\" \"url\" 3ms",
    ),
    // In other formats, a piece is of the wrong kind, or the record has too few or too many pieces.
    (
        "alb",
        "https 2018-07-02T22:23:00.186641Z app/lb 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 \"GET /%41 HTTP/1.1\" \"-\"",
    ),
    (
        "alb",
        "https 2018-07-02T22:23:00.186641Z app/lb 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 \"GET /%41 HTTP/1.1\" \"-\" \
         \"x\" - - arn \"Root=1\" \"d\" \"-\" 1 2018-07-02T22:22:48.364000Z \"forward\" \"http://h/%41\" \"-\" \"-\" \"-\" \"-\" \"-\" TID",
    ),
    (
        "elb",
        "2015-05-13T23:39:43.945958Z lb 192.0.2.1:2817 10.0.0.1:80 0.1 0.1 0.1 200 200 0 29 \"GET /%41 HTTP/1.1\" \"a\" \"b\" - - \"x\"",
    ),
    (
        "s3",
        "7777777777777777777777777777777777777777777777777777777777777777 b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 63DA \
         REST.GET.OBJECT %2522 \"GET /\" HTTP/1.1\" 403 AccessDenied 243 - 8 - \"r\" \"curl\" - u= - E - b.s3.amazonaws.com TLSv1.2",
    ),
    (
        "s3",
        "7777777777777777777777777777777777777777777777777777777777777777 b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 63DA \
         REST.GET.OBJECT %2522 \"GET / HTTP/1.1\" 200 - 243 - 8 - \"http://h/%41\" \"forged\" \"curl\" - u= - E - b.s3.amazonaws.com TLSv1.2",
    ),
    (
        "haproxy",
        "Feb  6 12:14:14 localhost haproxy[1]: 192.0.2.1:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 \"GET /%41 HTTP/1.1\"",
    ),
    (
        "haproxy",
        "192.0.2.1:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {x} \"GET /\"%41\" HTTP/1.1\"",
    ),
    (
        "squid",
        "1286536310.085    138 192.0.2.1 TCP_MISS/200 1440 GET http://h/%41 b - HIER_DIRECT/203.0.113.1 text/html",
    ),
    (
        "squid",
        "1286536310.085    138 192.0.2.1 TCP_MISS/200 1440 GET http://h/%41 - HIER_NONE/- text/html - HIER_DIRECT/203.0.113.1 text/html",
    ),
    (
        "envoy",
        "[2016-04-15T20:17:00.310Z] \"GET /%41 HTTP/1.1\" 200 - 0 4521 0 - \"192.0.2.1\" \"a\" \"b\" \"c\" \"d\" \"-\" \"h\" \"-\"",
    ),
    (
        "envoy",
        "[2016-04-15T20:17:00.310Z] \"GET /%41 HTTP/1.1\" 200 - 0 0 1 - \"1\" \"2\" \"3\" \"4\" \"x HTTP/2\" 404 - 0 9 2 - \"-\" \"a\" \"b\" \"c\" \"d\"",
    ),
    ("cdx", "com,example)/ 20230101120000 http://h/%41 b text/html 200 SHA - - 1 2 x"),
    (
        "nginx-error",
        "2024/01/02 03:04:05 [error] 12#12: *1 x, client: 192.0.2.1, server: _, request: \"GET /%41\", referrer: \"http://h/%41 HTTP/1.1\", host: \"h\"",
    ),
    (
        "nginx-error",
        "2024/01/02 03:04:05 [error] 12#12: *1 x, client: 192.0.2.1, server: _, request: \"GET /%41\", host: \"h\", referrer: \"http://h/%41 HTTP/1.1\"",
    ),
];

#[test]
fn records_that_do_not_fit_are_left_alone_and_reported() {
    for (format, line) in MISFITS {
        let input = format!("{line}\n");
        let ran = pct(["decode", "--format", format, "--strict-format"], input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), input, "{format}");
        let told = format!("pct: <stdin>: its only checked record is not {format}, and stays as it is");
        assert!(ran.code == Some(2) && ran.err.starts_with(&told), "{line}: {}", ran.err);
        let ran = pct(["cut", "--format", format, "--strict-format", "--no-header"], input.as_bytes());
        assert_eq!((ran.code, ran.out.len()), (Some(2), 0), "{line}");
        assert!(ran.err.contains("only checked record is") && ran.err.contains("is skipped"), "{line}: {}", ran.err);
        let ran = pct(["grep", "--format", format, "A"], input.as_bytes());
        assert!(ran.code == Some(1) && ran.err.contains("is skipped"), "{line}: {}", ran.err);
    }
    // In formats with columns, these records don't have the columns that the header names.
    for (format, header, line) in [
        ("w3c", "#Fields: c-ip cs-uri cs(User-Agent)\n", "192.0.2.1 /%41 a b"),
        ("w3c", "#Fields: c-ip cs-uri cs(User-Agent)\n", "192.0.2.1 /%41"),
        ("w3c", "#Fields: c-ip cs-uri cs(User-Agent)\n", "192.0.2.1 \"/%41 x\" \"b\"c"),
        ("w3c", "#Fields: c-ip cs-uri cs(User-Agent)\n", "192.0.2.1 \"/%41 b\" c d"),
        ("zeek", "#fields\tid.orig_h\turi\treferrer\n", "192.0.2.1\t/%41\ta\tb"),
        ("cloudfront", "#Fields: date x-edge-location cs-uri-stem\n", "2024-01-01\tx\t/%41\ty"),
        ("tsv", "id\turl\n", "1\t/%41\tx"),
        ("csv", "id,url\n", "1,/%41,x"),
        ("csv", "id,url\n", "1,/%41,\"x,\""),
    ] {
        let input = format!("{header}{line}\n");
        let ran = pct(["decode", "--format", format, "--strict-format"], input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), input, "{format}");
        let told = format!("its only checked record is not {format}");
        assert!(ran.code == Some(2) && ran.err.contains(&told), "{line}: {}", ran.err);
    }
    // `pct` also checks records inside a JSON string.
    let held = "{\"log\":\"no record %41\\n\",\"stream\":\"stdout\"}\n";
    for verb in [&["decode"][..], &["cut"], &["grep", "x"], &["stats"]] {
        let ran = pct([verb, &["--format", "docker:clf", "--strict-format"]].concat(), held.as_bytes());
        assert!(ran.code == Some(2) && ran.err.contains("its only checked record"), "{verb:?}: {}", ran.err);
    }
}

/// Returns a text that a client could send: blanks, quotes, brackets, escapes, and whole pieces of records. The text
/// has no controls, because servers refuse them. It doesn't start or end with a blank, because servers strip blanks
/// from the ends of headers.
fn hostile(random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        " ",
        " ",
        "\"",
        "\"",
        "\" ",
        " \"",
        "\\",
        "\\\"",
        "[",
        "] ",
        "] \"",
        "{",
        "}",
        "|",
        ",",
        ", ",
        "; ",
        "-",
        " - - ",
        "+",
        "%22",
        "%0A",
        "%20",
        "é",
        "a",
        "b",
        "/",
        "192.0.2.99",
        "forged.example",
        " HTTP/1.1",
        " HTTP/1.1\" 200 5 \"",
        "GET /forged HTTP/1.1",
        "GET /forged HTTP/1.1\" 200 5 \"-\" \"-\"",
        "[07/Feb/2022:10:49:33 +0000] ",
        "[07/Feb/2022:10:49:33 +0000] \"GET /forged HTTP/1.1\" 200 5 \"-\" \"-\"",
        "\" \"forged\" \"",
        "\" - - \"",
        "\" 200 - 0 0 1 - \"",
        "\", referrer: \"http://forged/",
        "\" 200 5 ",
        " 404 5 ",
        "\t",
        "#",
        "'",
    ];
    random.text(PIECES, 6).trim_matches([' ', '\t']).to_string()
}

/// Returns a hostile text in one of three calls, and otherwise `x`. We use it for servers that don't escape: with more
/// hostile texts, no record would be readable.
fn calm(random: &mut Random) -> String {
    if random.one_in(3) { hostile(random) } else { "x".into() }
}

/// Returns `value`, with each byte replaced for which `escape` returns a text. `escape` must replace all bytes above ASCII.
fn escaped(value: &str, escape: impl Fn(u8) -> Option<String>) -> String {
    let mut out = String::with_capacity(2 * value.len());
    for byte in value.bytes() {
        match escape(byte) {
            Some(text) => out.push_str(&text),
            None => out.push(char::from(byte)),
        }
    }
    out
}

/// Escapes a value as Apache logs it: `\"`, `\\`, and escapes of controls and non-printable bytes (mod_log_config, Format Notes).
fn apache(value: &str) -> String {
    escaped(value, |byte| match byte {
        b'"' | b'\\' => Some(format!("\\{}", char::from(byte))),
        b'\t' => Some("\\t".into()),
        b' '..=b'~' => None,
        _ => Some(format!("\\x{byte:02x}")),
    })
}

/// Escapes a value as nginx (`escape=default`) and AWS log it.
fn nginx(value: &str) -> String {
    escaped(value, |byte| matches!(byte, b'"' | b'\\' | 0..b' ' | 0x7F..).then(|| format!("\\x{byte:02X}")))
}

/// Escapes a value as HAProxy logs it (HAProxy's manual, 8.6).
fn haproxy(value: &str) -> String {
    escaped(value, |byte| {
        matches!(byte, b'"' | b'#' | b'{' | b'}' | b'|' | 0..b' ' | 0x7F..).then(|| format!("#{byte:02X}"))
    })
}

/// Returns a value unchanged.
fn raw(value: &str) -> String {
    value.into()
}

/// Asserts that `cut` returns the fields of the records as they were written. `make` gets the number of a record, and
/// returns its line and its expected fields. If the server escapes the text of clients (`escapes`), `cut` must read
/// every record. Otherwise `cut` must read more than a tenth of the records, and report the others.
#[track_caller]
fn read_back(
    format: &str,
    header: &str,
    fields: &str,
    escapes: bool,
    make: impl Fn(&mut Random, usize) -> (String, Vec<String>),
) {
    const RECORDS: usize = 10_000;
    let mut random = Random::seeded(0x5EED ^ format.len() as u64);
    let records: Vec<(String, Vec<String>)> = (0..cases(RECORDS)).map(|number| make(&mut random, number)).collect();
    let input: String = records.iter().map(|(line, _)| format!("{line}\n")).collect();
    let input = format!("{header}{input}");
    let cut = |input: &[u8]| {
        let ran = pct(["cut", "--format", format, "-f", fields, "--json", "--strict-format"], input);
        let rows: Vec<Vec<String>> =
            String::from_utf8(ran.out).unwrap().lines().map(|line| row(line, fields)).collect();
        (rows, ran.err, ran.code)
    };
    let (cells, err, code) = cut(input.as_bytes());
    let mut rows = cells.iter().peekable();
    let mut found = 0;
    for (line, expected) in &records {
        // The last field is the number of the record, so it shows whether `cut` has read this record.
        let is_there = rows.peek().is_some_and(|row| row.last() == expected.last());
        assert!(is_there || !escapes, "{format}: {line} is left alone, not read as {expected:?}");
        if let Some(row) = rows.next_if(|_| is_there) {
            assert_eq!(row, expected, "{format}: {line}");
            found += 1;
        }
    }
    assert_eq!(rows.next(), None, "{format}: a record that nobody wrote");
    assert!(found > records.len() / 10, "{format}: only {found} of {}", records.len());
    let is_told = err.contains("are skipped") && code == Some(2);
    assert!(is_told || found == records.len(), "{format}: {err}");
    // `cut` can read the same records before and after decoding.
    let ran = pct(["decode", "--format", format], input.as_bytes());
    assert_eq!(ran.code, Some(0));
    let (after, ..) = cut(&ran.out);
    let numbers = |rows: &[Vec<String>]| rows.iter().map(|row| row.last().cloned()).collect::<Vec<_>>();
    assert_eq!(numbers(&cells), numbers(&after), "{format}");
}

/// Returns the values of the members `fields` of the JSON object `line`. A missing member has an empty value.
fn row(line: &str, fields: &str) -> Vec<String> {
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    fields.split(',').map(|name| object[name].as_str().unwrap_or_default().to_string()).collect()
}

/// Decodes the escapes of a value in the simplest way.
fn plain(value: &str) -> String {
    value.replace("%22", "\"").replace("%0A", "\n").replace("%20", " ")
}

const DATE: &str = "[07/Feb/2022:10:49:33 +0000]";

#[test]
fn fields_of_access_logs_are_read_back() {
    for (escape, escapes) in [(apache as fn(&str) -> String, true), (nginx, true), (raw, false)] {
        // Each row is a format, and the texts at four places of a record: before the client, in place of the identity,
        // before the request, and after the user agent.
        for (format, front, identity, between, behind) in [
            ("combined", "", "-", "", ""),
            ("combined", "", "-", "\"HOST\" ", ""),
            ("combined", "", "-", "", " \"HOST\" 0.003"),
            ("combined", "", "\"HOST\" -", "", ""),
            ("apache-vhost", "www.example.com ", "-", "", ""),
            ("apache-vhost", "www.example.com:443 ", "-", "", " 5 6"),
            ("syslog:combined", "2025-01-22T13:09:20.606136+01:00 h nginx: ", "-", "", ""),
            ("compose:combined", "web_1  | ", "-", "", " 5 6"),
        ] {
            for quotes_client in [false, true] {
                // If a string in quotes follows a client in quotes, the record can be read in two ways, so skip this
                // case.
                if quotes_client && identity.starts_with('"') {
                    continue;
                }
                let make = |random: &mut Random, number: usize| {
                    // If the server doesn't escape, a value that ends with a backslash would seem to escape the closing
                    // quote. So remove backslashes.
                    let text =
                        |random: &mut Random| if escapes { hostile(random) } else { calm(random).replace('\\', "") };
                    let forwarded = text(random);
                    let client = if quotes_client { escape(&forwarded) } else { "192.0.2.1".into() };
                    let written = if quotes_client { format!("\"{client}\"") } else { client.clone() };
                    let user = match random.below(3) {
                        0 => "-".into(),
                        1 => "\"\"".into(),
                        _ => escape(&text(random)),
                    };
                    // A host that looks like a request could be mistaken for the request, so remove the text that makes
                    // it look like one.
                    let host = escape(&calm(random)).replace("GET /", "GET").replace(" HTTP/", "");
                    let target = format!("/{}", escape(&text(random).replace([' ', '\t'], "_")));
                    let [referrer, agent] = [(); 2].map(|()| escape(&text(random)));
                    let with_host = |text: &str| text.replace("HOST", &host);
                    let line = format!(
                        "{front}{written} {} {user} {DATE} {}\"GET {target} HTTP/1.1\" 200 {number} \"{referrer}\" \"{agent}\"{}",
                        with_host(identity),
                        with_host(between),
                        with_host(behind)
                    );
                    let cells = [client, "200".into(), target, number.to_string()];
                    (line, cells.map(|cell| plain(&cell)).to_vec())
                };
                let size = if format == "apache-vhost" { "8" } else { "7" };
                read_back(format, "", &format!("client,status,target,{size}"), escapes, make);
            }
        }
    }
}

#[test]
fn referrers_and_user_agents_of_access_logs_are_read_back() {
    for escape in [apache as fn(&str) -> String, nginx] {
        let make = |random: &mut Random, number: usize| {
            let [user, referrer, agent, forwarded] = [(); 4].map(|()| escape(&hostile(random)));
            let line = format!(
                "192.0.2.1 - {user} {DATE} \"GET /a HTTP/1.1\" 200 {number} \"{referrer}\" \"{agent}\" \"{forwarded}\""
            );
            (line, [referrer, agent, forwarded, number.to_string()].map(|cell| plain(&cell)).to_vec())
        };
        read_back("combined", "", "referrer,user-agent,10,7", true, make);
    }
}

#[test]
fn fields_by_a_format_string_are_read_back() {
    for (format, escape) in [
        (
            "nginx:$remote_addr - $remote_user [$time_local] \"$host\" \"$request\" $status $body_bytes_sent \"$http_referer\"",
            nginx as fn(&str) -> String,
        ),
        ("apache:%h - %u %t \\\"%{Host}i\\\" \\\"%r\\\" %>s %b \\\"%{Referer}i\\\"", apache),
    ] {
        let names = if format.starts_with("nginx") {
            "remote_addr,remote_user,request,status,http_referer,body_bytes_sent"
        } else {
            "h,u,r,s,Referer,b"
        };
        let make = |random: &mut Random, number: usize| {
            let [user, host, target, referrer] = [(); 4].map(|()| escape(&hostile(random)));
            let target = target.replace(" HTTP/", "");
            let line =
                format!("192.0.2.1 - {user} {DATE} \"{host}\" \"GET /{target} HTTP/1.1\" 200 {number} \"{referrer}\"");
            let cells = ["192.0.2.1".into(), user, format!("/{target}"), "200".into(), referrer, number.to_string()];
            (line, cells.map(|cell| plain(&cell)).to_vec())
        };
        read_back(format, "", names, true, make);
    }
    // Here ` > /` separates two values that the client chooses. With only a blank between them, a record could be read
    // in several ways.
    let make = |random: &mut Random, number: usize| {
        let [user, uri] = [(); 2].map(|()| nginx(&hostile(random)));
        let line = format!("192.0.2.1 {user} > /{uri} 200 {number};");
        (line, ["192.0.2.1".into(), user, format!("/{uri}"), number.to_string()].map(|cell| plain(&cell)).to_vec())
    };
    let format = "nginx:$remote_addr $remote_user > $request_uri $status $body_bytes_sent;";
    read_back(format, "", "remote_addr,remote_user,request_uri,body_bytes_sent", true, make);
    let make = |random: &mut Random, number: usize| {
        let [agent, uri] = [(); 2].map(|()| nginx(&hostile(random)));
        let line = format!("{agent} /{uri} 200 {number};");
        (line, [agent, format!("/{uri}"), number.to_string()].map(|cell| plain(&cell)).to_vec())
    };
    let format = "nginx:$http_user_agent $request_uri $status $body_bytes_sent;";
    read_back(format, "", "http_user_agent,request_uri,body_bytes_sent", false, make);
}

#[test]
fn fields_of_load_balancers_proxies_and_buckets_are_read_back() {
    let ids = |cells: &[&str], number: usize| -> Vec<String> {
        cells.iter().map(|cell| plain(cell)).chain([number.to_string()]).collect()
    };
    let alb = |random: &mut Random, number: usize| {
        let [target, agent, host, redirect] = [(); 4].map(|()| nginx(&hostile(random)));
        let target = target.replace(" HTTP/", "");
        let line = format!(
            "https 2018-07-02T22:23:00.186641Z app/lb 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 {number} \"GET \
             https://h:443/{target} HTTP/1.1\" \"{agent}\" ECDHE TLSv1.2 arn:aws:x \"Root=1\" \"{host}\" \"-\" 1 \
             2018-07-02T22:22:48.364000Z \"redirect\" \"https://{redirect}\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\" TID"
        );
        let (target, redirect) = (format!("https://h:443/{target}"), format!("https://{redirect}"));
        (line, ids(&["192.0.2.1:2817", &target, &agent, &redirect], number))
    };
    read_back("alb", "", "client,target,user-agent,redirect-url,12", true, alb);
    let elb = |random: &mut Random, number: usize| {
        let [target, agent] = [(); 2].map(|()| calm(random));
        let target = target.replace(" HTTP/", "");
        let line = format!(
            "2015-05-13T23:39:43.945958Z lb 192.0.2.1:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 {number} \"GET \
             http://h:80/{target} HTTP/1.1\" \"{agent}\" - -"
        );
        (line, ids(&["192.0.2.1:2817", &format!("http://h:80/{target}"), &agent], number))
    };
    read_back("elb", "", "client,target,user-agent,11", false, elb);
    let owner = "7".repeat(64);
    let s3 = |random: &mut Random, number: usize| {
        let [target, referrer, agent] = [(); 3].map(|()| calm(random));
        let target = target.replace(" HTTP/", "");
        let line = format!(
            "{owner} b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57 REST.GET.OBJECT k%20b \"GET /{target} HTTP/1.1\" 200 - {number} - \
             7 - \"{referrer}\" \"{agent}\" - s9lz= SigV4 ECDHE AuthHeader b.s3.amazonaws.com TLSV1.2 - -"
        );
        (line, ids(&["192.0.2.3", "k%20b", &format!("/{target}"), &referrer, &agent], number))
    };
    read_back("s3", "", "client,key,target,referrer,user-agent,12", false, s3);
    let proxy = |random: &mut Random, number: usize| {
        let [captured, host, target] = [(); 3].map(|()| haproxy(&hostile(random)));
        let target = target.replace(" HTTP/", "");
        let line = format!(
            "192.0.2.1:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 {number} - - ---- 1/1/1/1/0 0/0 \
             {{{host}|{captured}}} {{}} \"GET /{target} HTTP/1.1\""
        );
        (line, ids(&["192.0.2.1:33317", "200", &format!("/{target}")], number))
    };
    read_back("haproxy", "", "client,status,target,7", true, proxy);
    let squid = |random: &mut Random, number: usize| {
        let url = format!("http://h/{}", calm(random));
        let line =
            format!("1286536308.779    180 192.0.2.1 TCP_MISS/200 {number} GET {url} - DIRECT/1.2.3.4 text/html");
        (line, ids(&["192.0.2.1", &url], number))
    };
    read_back("squid", "", "client,url,5", false, squid);
    let envoy = |random: &mut Random, number: usize| {
        let [target, forwarded, agent, id, host] = [(); 5].map(|()| calm(random));
        let target = target.replace(" HTTP/", "");
        let line = format!(
            "[2016-04-15T20:17:00.310Z] \"GET /{target} HTTP/2\" 204 - {number} 0 226 100 \"{forwarded}\" \"{agent}\" \"{id}\" \"{host}\" \
             \"tcp://10.0.2.1:80\""
        );
        (line, ids(&[&forwarded, &format!("/{target}"), &agent, &host], number))
    };
    read_back("envoy", "", "client,target,user-agent,host,5", false, envoy);
    let cdx = |random: &mut Random, number: usize| {
        let url = format!("http://h/{}", calm(random));
        (format!("com,h)/ 20230101120000 {url} text/html 200 SHA - - 1 {number} x"), ids(&[&url], number))
    };
    read_back("cdx", "", "original,10", false, cdx);
}

#[test]
fn fields_of_error_logs_are_read_back() {
    let make = |random: &mut Random, number: usize| {
        let [target, referrer] = [(); 2].map(|()| hostile(random).replace(',', ""));
        let (target, referrer) = match random.below(4) {
            0 => (format!("{target}\", referrer: \"http://forged/"), String::new()),
            1 => (target, format!("{referrer}, request: \"GET /forged HTTP/1.1")),
            _ => (target, referrer),
        };
        let target = target.replace(" HTTP/", "");
        let line = format!(
            "2024/01/02 03:04:05 [error] 12#12: *1 open() \"/x\" failed (2: No such file or directory), client: {number}, server: _, \
             request: \"GET /{target} HTTP/1.1\", host: \"h\""
        );
        let (line, referrer) = if referrer.is_empty() {
            (line, String::new())
        } else {
            (format!("{line}, referrer: \"http://{referrer}\""), format!("http://{referrer}"))
        };
        (line, [format!("/{target}"), "h".into(), referrer, number.to_string()].map(|cell| plain(&cell)).to_vec())
    };
    read_back("nginx-error", "", "target,host,referrer,client", false, make);
}

#[test]
fn columns_between_blanks_are_read_back() {
    let header = "#Fields: c-ip cs-uri-path cs-uri-query cs(User-Agent) cs(Referer) sc-bytes\n";
    let fields = "c-ip,cs-uri-path,cs-uri-query,cs(user-agent),cs(referer),sc-bytes";
    // Writes a value as a string, as the W3C's draft defines strings. A value that needs no quotes is sometimes written
    // as a word.
    let string = |value: &str, random: &mut Random| match value.contains([' ', '\t', '"']) || value.is_empty() {
        false if random.one_in(2) => value.to_string(),
        _ => format!("\"{}\"", value.replace('"', "\"\"")),
    };
    let between = |random: &mut Random| ["  ", " ", "\t", " \t "][random.below(4)];
    let make = |random: &mut Random, number: usize| {
        let [path, query, agent, referrer] = [(); 4].map(|()| hostile(random));
        // A word must not start like a comment or a string. A query must not start with `?`, because ProxySG adds a `?`
        // before the query.
        let (path, query) = (format!("/{path}"), format!("q{query}"));
        let cells = ["192.0.2.1", &path, &query, &agent, &referrer].map(|cell| string(cell, random));
        let line: String = cells.iter().map(|cell| format!("{cell}{}", between(random))).collect();
        let cells = ["192.0.2.1".into(), path, query, agent, referrer, number.to_string()];
        (format!("{line}{number}"), cells.map(|cell| plain(&cell)).to_vec())
    };
    read_back("w3c", header, fields, true, make);
    // IIS writes a blank as `+`, and quotes unchanged.
    let header = header.replace("cs-uri-path", "cs-uri-stem");
    let fields = fields.replace("cs-uri-path", "cs-uri-stem");
    let make = |random: &mut Random, number: usize| {
        let [stem, query, agent, referrer] =
            [(); 4].map(|()| format!("x{}", hostile(random)).replace([' ', '\t'], "+").replace("é", "?"));
        // A value with quotes at both ends would be a string. The `x` at the end prevents that.
        let agent = format!("{}x", agent.trim_start_matches('x'));
        let query = format!("?{query}");
        let line = format!("192.0.2.1 {stem} {query} {agent} {referrer} {number}");
        let cells = ["192.0.2.1".into(), stem, query, agent, referrer, number.to_string()];
        (line, cells.map(|cell| plain(&cell)).to_vec())
    };
    read_back("w3c", &header, &fields, true, make);
}
