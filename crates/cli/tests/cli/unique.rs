//! Runs `pct unique` as a process.

use crate::process;

use process::{Folder, output, pct};

#[track_caller]
fn check(args: &[&str], input: &str, expected: &str) {
    let out = output([&["unique"], args].concat(), input.as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), expected, "{args:?}");
}

#[test]
fn the_first_of_equivalent_records_stays() {
    let urls =
        "HTTP://h/%7Ea\nhttp://h/~a\nhttp://h/b/../~a\nhttp://h:80/~a\nhttp://h/%2F\nhttp://h/%2f\nhttp://h/~A\n";
    check(&[], urls, "HTTP://h/%7Ea\nhttp://h:80/~a\nhttp://h/%2F\nhttp://h/~A\n");
    check(&["--duplicates"], urls, "http://h/~a\nhttp://h/b/../~a\nhttp://h/%2f\n");
    check(&["--level=scheme"], urls, "HTTP://h/%7Ea\nhttp://h/%2F\nhttp://h/~A\n");
    check(&["--level=simple"], urls, urls);
    check(&["--level=case"], "A:%2f\na:%2F\na:%2D\na:-\n", "A:%2f\na:%2D\na:-\n");
    check(&["--level=percent-encoding"], "a:%2D\na:-\na:b/../-\n", "a:%2D\na:b/../-\n");
    // The zone of an IPv6 address is case-sensitive, and a text without a valid scheme may be no URL.
    for level in ["case", "percent-encoding", "path-segment", "scheme"] {
        let urls = "http://[fe80::a%25En0]/\nhttp://[fe80::a%25en0]/\n1http://H/\n1http://h/\n";
        check(&["--level", level], urls, urls);
        check(&["--level", level], "http://[FE80::A]/\nhttp://[fe80::a]/\n", "http://[FE80::A]/\n");
    }
}

#[test]
fn headers_stay_and_fields_are_compared() {
    let csv = "id,url\n1,/%61\n2,/a\n3,\"/a\"\n4,/b";
    check(&["--format=csv", "-f", "url"], csv, "id,url\n1,/%61\n4,/b\n");
    check(&["--format=csv", "-f", "id,url"], csv, "id,url\n1,/%61\n2,/a\n3,\"/a\"\n4,/b\n");
    check(&["--format=w3c"], "#Fields: cs-uri\n/%41\n/A\n", "#Fields: cs-uri\n/%41\n");
}

#[test]
fn hostile_records_are_equivalent_only_to_themselves() {
    for record in ["%", "%zz", "a%", "//[", ":", "\u{202E}", "\x1B", "%00", "http://h/\u{e9}%"] {
        check(&[], &format!("{record}\n{record}\n{record}x\n"), &format!("{record}\n{record}x\n"));
    }
    let ran = pct(["unique"], b"\xFF\n\xFF\n\xFE\n");
    assert_eq!(ran.out, b"\xFF\n\xFE\n");
}

#[test]
fn records_are_compared_across_files_in_bounded_memory() {
    let folder = Folder::new();
    let (first, second) = (folder.file("first", b"/a\n/b"), folder.file("second", b"/%62\n/c\n"));
    let ran = pct(["unique".as_ref(), first.as_os_str(), second.as_os_str()], b"");
    assert_eq!((&ran.out[..], ran.code), (&b"/a\n/b\n/c\n"[..], Some(0)));
    let many: String = (0..40_000).map(|number| format!("/{number}\n")).collect();
    let ran = pct(["unique", "--memory=1"], format!("{many}{many}").as_bytes());
    assert!(ran.err.contains("more than 32,768 different records"), "{}", ran.err);
    assert!(ran.out.len() > many.len());
    assert_eq!(pct(["unique", "--memory=4"], format!("{many}{many}").as_bytes()).out, many.as_bytes());
}

#[test]
fn requests_to_different_hosts_stay() {
    let vhost = |host: &str, target: &str| {
        format!("{host}:443 1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET {target} HTTP/1.1\" 200 2 \"-\" \"x\"\n")
    };
    let log = [vhost("a.example", "/"), vhost("b.example", "/"), vhost("A.example", "/.")];
    let input = log.concat();
    assert_eq!(output(["unique", "--format=apache-vhost"], input.as_bytes()), log[..2].concat().as_bytes());
    assert_eq!(output(["unique", "--format=apache-vhost", "-f", "target"], input.as_bytes()), log[0].as_bytes());
    // A full URL has its own host. The client and the status don't count.
    let json = |host: &str, url: &str| format!("{{\"host\":\"{host}\",\"url\":\"{url}\",\"status\":{}}}\n", host.len());
    for outer in [false, true] {
        let line = |host: &str, url: &str| match json(host, url) {
            line if outer => format!("{{\"log\":{}}}\n", serde_json::Value::from(line)),
            line => line,
        };
        let log =
            [line("a", "http://h/"), line("bb", "http://h/."), line("a", "/x"), line("bb", "/x"), line("a", "/%78")];
        let expected = [&*log[0], &*log[2], &*log[3]].concat();
        let format = if outer { "--format=docker:ndjson" } else { "--format=ndjson" };
        assert_eq!(String::from_utf8(output(["unique", format], log.concat().as_bytes())).unwrap(), expected);
    }
}

/// Formats whose records have the requested host beside the target, each with a record.
const HOSTS: &[(&str, &str)] = &[
    ("ecs", "{\"@timestamp\":\"2024-01-02T03:04:05Z\",\"url\":{\"domain\":\"HOST\",\"path\":\"/x\"}}\n"),
    ("pino", "{\"level\":30,\"pid\":1,\"req\":{\"url\":\"/x\",\"headers\":{\"host\":\"HOST\"}}}\n"),
    ("modsecurity", "{\"transaction\":{\"request\":{\"uri\":\"/x\",\"headers\":{\"Host\":\"HOST\"}}}}\n"),
    ("aws-waf", "{\"webaclId\":\"x\",\"httpRequest\":{\"uri\":\"/x\",\"args\":\"\",\"host\":\"HOST\"}}\n"),
    ("otel", "{\"attributes\":{\"server.address\":\"HOST\",\"url.path\":\"/x\"}}\n"),
    // Akamai writes the path without its first slash.
    ("akamai", "{\"reqHost\":\"HOST\",\"reqPath\":\"x\",\"queryStr\":\"-\"}\n"),
    (
        "s3",
        "o b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57 REST.GET.OBJECT x \"GET /x?versionId=1 HTTP/1.1\" 200 - 1 1 7 6 \
         \"-\" \"S3Console\" - s9lz= SigV4 ECDHE AuthHeader HOST TLSV1.2\n",
    ),
    ("cef", "CEF:0|V|P|1|1|n|5|dhost=HOST requestMethod=GET request=/x\n"),
    ("apache-vhost", "HOST:80 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"OPTIONS * HTTP/1.1\" 200 2 \"-\" \"x\"\n"),
];

#[test]
fn every_format_with_a_host_compares_it() {
    for &(format, record) in HOSTS {
        check_last(format, "", ["a.example", "b.example", "A.example"].map(|host| record.replace("HOST", host)));
    }
}

/// Checks that `unique` leaves out only the last of the three records after `header`.
#[track_caller]
fn check_last(format: &str, header: &str, records: [String; 3]) {
    let rest = [header, &records[0], &records[1]].concat();
    check(&["--format", format], &[&*rest, &records[2]].concat(), &rest);
}

/// Formats whose records have the scheme and the port of the URL in fields of their own.
const ORIGINS: &[(&str, &str, &str)] = &[
    ("csv", "host,port,scheme,path\n", "a,PORT,SCHEME,/x\n"),
    ("w3c", "#Fields: cs-host s-port cs-uri-stem\n", "a PORT /x\n"),
    ("w3c", "#Fields: cs-uri-scheme cs-host cs-uri-path\n", "SCHEME a /x\n"),
    ("nginx:$scheme $host:$server_port \"$request_uri\"", "", "SCHEME a:PORT \"/x\"\n"),
    (
        "ecs",
        "",
        "{\"@timestamp\":\"2024-01-02T03:04:05Z\",\"url\":{\"scheme\":\"SCHEME\",\"domain\":\"a\",\"port\":PORT,\"path\":\"/x\"}}\n",
    ),
    ("otel", "", "{\"attributes\":{\"server.address\":\"a\",\"server.port\":PORT,\"url.path\":\"/x\"}}\n"),
    ("ndjson", "", "{\"scheme\":\"SCHEME\",\"host\":\"a\",\"url\":\"/x\"}\n"),
    ("logfmt", "", "scheme=SCHEME host=a path=/x\n"),
];

#[test]
fn requests_with_different_schemes_or_ports_stay() {
    for &(format, header, record) in ORIGINS {
        let made = |scheme: &str, port: &str| record.replace("SCHEME", scheme).replace("PORT", port);
        let records = [made("http", "80"), made("https", "443"), made("HTTP", "80").replace("/x", "/%78")];
        check_last(format, header, records);
    }
    // A full URL has its own scheme and port.
    check(&["--format=csv"], "port,url\n1,http://h/\n2,http://h/\n", "port,url\n1,http://h/\n");
}

/// Tests that `port` beside a client without a host is the client's port, which is another one for each connection.
#[test]
fn ports_of_clients_are_not_compared() {
    for (format, header, record) in [
        ("ndjson", "", "{\"remote_addr\":\"192.0.2.1\",\"port\":PORT,\"url\":\"/x\"}\n"),
        ("ndjson", "", "{\"client\":{\"ip\":\"192.0.2.1\",\"port\":PORT},\"url\":\"/x\"}\n"),
        ("logfmt", "", "ip=192.0.2.1 port=PORT uri=/x\n"),
        ("csv", "port,client_ip,uri\n", "PORT,192.0.2.1,/x\n"),
    ] {
        let [one, other] = ["50001", "50002"].map(|port| record.replace("PORT", port));
        let input = [header, &*one, &*other].concat();
        check(&["--format", format], &input, &[header, &*one].concat());
    }
    let log = "{\"port\":80,\"url\":\"/x\"}\n{\"port\":8080,\"url\":\"/x\"}\n";
    check(&["--format=ndjson"], log, log);
    let log = log.replace("{", "{\"host\":\"h\",\"client_ip\":\"192.0.2.1\",");
    check(&["--format=ndjson"], &log, &log);
}

#[test]
fn records_that_cannot_be_read_stay() {
    let log = "{\"url\":\"http://h/\",\"uri\":\"/\\ud800\"}\n{\"url\":\"http://h/\",\"uri\":\"/\\ud801\"}\n";
    assert_eq!(pct(["unique", "--format=ndjson"], log.as_bytes()).out, log.as_bytes());
    // The requests of these records aren't HTTP, and their only field is a referrer.
    let line = |request: &str| format!("192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"{request}\" 400 0 \"-\" \"-\"\n");
    let log = [line("-"), line(""), line("\\x16\\x03"), line("SSH-2.0-x")].concat();
    check(&["--format=combined"], &log, &log);
    check(&["--format=combined", "-f", "referrer"], &log, &line("-"));
    // Text that is no object stays with the object after it.
    let log = "{\"url\":\"/a\"}\nGET /a%41\n{\"url\":\"/a\"}\n";
    for args in [&["unique", "--format=json"][..], &["grep", "-v", "--format=json", "/b"]] {
        let ran = pct(args, log.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), log, "{args:?}");
        assert!(ran.err.contains("1 of 2 checked records is not json"), "{args:?}: {}", ran.err);
    }
}
