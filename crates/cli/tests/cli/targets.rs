//! Runs `pct` on logs with targets like `//private/a.txt`. The target of a request is not a URI reference (RFC 9112
//! 3.2), so `//private/a.txt` is a path and has no host.

use crate::process;

use process::{Folder, output, pct};

/// Formats, each with its field for targets, and a record with `TARGET` in that field.
const FORMATS: &[(&str, &str, &str)] = &[
    ("clf", "target", "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET TARGET HTTP/1.1\" 200 2\n"),
    (
        "combined",
        "target",
        "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET TARGET HTTP/1.1\" 200 2 \"http://r/x\" \"x\"\n",
    ),
    (
        "apache-vhost",
        "target",
        "example.com:443 1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET TARGET HTTP/1.1\" 200 2 \"http://r/x\" \"x\"\n",
    ),
    (
        "elb",
        "target",
        "2015-05-13T23:39:43.945958Z my-lb 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 \
         \"GET TARGET HTTP/1.1\" \"curl/7.38.0\" - -\n",
    ),
    (
        "squid",
        "url",
        "1286536310.085    138 192.168.0.224 TCP_MISS/200 1440 GET TARGET x HIER_DIRECT/203.0.113.1 text/html\n",
    ),
    (
        "haproxy",
        "target",
        "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 \
         {1wt.eu} {} \"GET TARGET HTTP/1.1\"\n",
    ),
    (
        "envoy",
        "target",
        "[2016-04-15T20:17:00.310Z] \"GET TARGET HTTP/2\" 204 - 154 0 226 100 \"10.0.35.28\" \"nsq2http\" \
         \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"locations\" \"tcp://10.0.2.1:80\"\n",
    ),
    (
        "nginx-error",
        "target",
        "2024/01/02 03:04:05 [error] 12#12: *1 open() \"/x\" failed (2: No such file or directory), client: 192.0.2.1, \
         server: h, request: \"GET TARGET HTTP/1.1\", host: \"h\"\n",
    ),
    ("actix", "target", "192.0.2.1 \"GET TARGET HTTP/1.1\" 200 14 \"-\" \"x\" 0.023529\n"),
    ("urls", "target", "CONNECT   May 03 14:19:38 [1885]: Request (file descriptor 7): GET TARGET HTTP/1.1\n"),
    ("urls", "target", "x | \"GET TARGET HTTP/1.1\" | 200\n"),
    ("pairs", "request", "h,http_method=GET,request=TARGET,a=1,b=2\n"),
    ("pairs", "http_uri", "h,http_method=GET,http_uri=TARGET,a=1,b=2\n"),
    ("gobuster", "uri", "TARGET      (Status: 200) [Size: 4]\n"),
    ("privoxy", "uri", "2018-07-14 12:15:07.956 7f0f2308d700 Request: TARGET\n"),
    ("apt-cacher", "uri", "1581754659|I|242396|192.0.2.1|TARGET\n"),
    ("nginx:$remote_addr \"$request\" $status", "request", "1.2.3.4 \"GET TARGET HTTP/1.1\" 200\n"),
    ("nginx:$remote_addr $request_uri $status", "request_uri", "1.2.3.4 TARGET 200\n"),
    ("nginx:$remote_addr $uri $status", "uri", "1.2.3.4 TARGET 200\n"),
    ("apache:%h \"%r\" %>s", "r", "1.2.3.4 \"GET TARGET HTTP/1.1\" 200\n"),
    ("apache:%h %U %>s", "U", "1.2.3.4 TARGET 200\n"),
    ("w3c", "cs-uri", "#Fields: time cs-uri sc-status\n00:00:00 TARGET 200\n"),
    ("w3c", "cs-uri-stem", "#Fields: time cs-uri-stem sc-status\n00:00:00 TARGET 200\n"),
    ("cloudfront", "cs-uri-stem", "#Fields: x-edge-location cs-uri-stem\nLAX1\tTARGET\n"),
    ("zeek", "uri", "#fields\tts\turi\n1311627961.8\tTARGET\n"),
    ("cloudflare", "/ClientRequestURI", "{\"ClientRequestURI\":\"TARGET\"}\n"),
    ("akamai", "/reqPath", "{\"reqPath\":\"TARGET\"}\n"),
    ("fastly", "/url", "{\"url\":\"TARGET\"}\n"),
    ("suricata", "/http/url", "{\"http\":{\"url\":\"TARGET\"}}\n"),
    ("azure", "/properties/requestUri", "{\"properties\":{\"requestUri\":\"TARGET\"}}\n"),
    ("caddy", "/request/uri", "{\"request\":{\"uri\":\"TARGET\"}}\n"),
    ("traefik", "/RequestPath", "{\"RequestPath\":\"TARGET\"}\n"),
    ("envoy-json", "/path", "{\"path\":\"TARGET\"}\n"),
    ("ndjson", "/request_uri", "{\"request_uri\":\"TARGET\"}\n"),
    ("ndjson", "/url/original", "{\"url\":{\"original\":\"TARGET\"}}\n"),
    ("json", "/http/url", "[{\"http\":{\n\"url\":\"TARGET\"}}]\n"),
    ("logfmt", "path", "level=info path=TARGET status=200\n"),
    ("logfmt", "request_uri", "level=info request_uri=\"TARGET\" status=200\n"),
    ("csv", "request_uri", "id,request_uri\n1,TARGET\n"),
    ("tsv", "path", "id\tpath\n1\tTARGET\n"),
    ("docker:logfmt", "path", "{\"log\":\"level=info path=TARGET\\n\",\"stream\":\"stdout\"}\n"),
    ("syslog:ndjson", "/path", "<34>Oct 11 22:14:15 h app[1]: {\"path\":\"TARGET\"}\n"),
];

/// Targets, each with its host, path and query.
const TARGETS: &[(&str, &str)] = &[
    ("//private/a.txt", "\t//private/a.txt\t"),
    ("//u@HOST:80/x?q=1", "\t//u@HOST:80/x\tq=1"),
    ("//evil.example/%2e%2e/x", "\t//evil.example/../x\t"),
    ("//", "\t//\t"),
    ("/a?b", "\t/a\tb"),
    ("/http://h/x", "\t/http://h/x\t"),
    ("/#//h/?x", "\t/#//h/\tx"),
    ("http://h?x=1", "h\t/\tx=1"),
    ("http://u@h:80/p?q", "h\t/p\tq"),
    ("http://evil#@good/", "evil\t#@good/\t"),
    ("h:443", "h\t\t"),
    ("*", "\t\t"),
    ("ht%74p://h/x", "\thttp://h/x\t"),
];

#[test]
fn no_origin_form_names_a_host_in_any_format() {
    for (format, field, record) in FORMATS {
        for (target, expected) in TARGETS {
            // We skip two cases whose results differ from `expected`. HAProxy uses `#` for its own escapes. CloudFront
            // adds a layer of escapes, and `cut` decodes this layer before it splits a target.
            let is_other = format!("{format} {target}");
            if is_other.starts_with("haproxy") && is_other.contains('#') || is_other == "cloudfront ht%74p://h/x" {
                continue;
            }
            let columns = ["host", "path", "query"].map(|part| format!("{field}.{part}")).join(",");
            let log = record.replace("TARGET", target);
            let out = output(["cut", "--no-header", "--format", format, "-f", &columns], log.as_bytes());
            let out = String::from_utf8(out).unwrap();
            assert_eq!(out, format!("{expected}\n"), "{format}, {field}: {target}");
        }
        // `unique` keeps the first two targets, because they are different paths.
        let record = record.replace("\\n", "").trim_end().to_string();
        let line = record.lines().last().unwrap();
        let header = record.strip_suffix(line).unwrap();
        let log: String = ["//HOST/x", "//host/x", "//HOST/%78"]
            .map(|target| format!("{}\n", line.replace("TARGET", target)))
            .concat();
        if *format == "json" {
            continue;
        }
        let out = output(["unique", "--format", format, "-f", field], format!("{header}{log}").as_bytes());
        let out = String::from_utf8(out).unwrap();
        let hosts = ["//HOST/x", "//host/x", "//HOST/%78"].map(|target| out.matches(target).count());
        // The third target is equivalent to the first, because `%78` is `x`. So `unique` drops it, also in CloudFront's
        // logs, where `pct` decodes two layers.
        assert_eq!(hosts, [1, 1, 0], "{format}, {field}: {out}");
        let out = output(["normalize", "--format", format, "-f", field], format!("{header}{log}").as_bytes());
        let out = String::from_utf8(out).unwrap();
        assert_eq!(["//HOST/x", "//host/x"].map(|target| out.matches(target).count()), [2, 1], "{format}: {out}");
    }
}

#[track_caller]
fn check(args: &[&str], input: &str, expected: &str) {
    assert_eq!(String::from_utf8(output(args, input.as_bytes())).unwrap(), expected, "{args:?}");
}

/// Returns a log with a line for each request.
fn log(requests: &[&str]) -> String {
    let line = |request: &&str| {
        format!("1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"{request} HTTP/1.1\" 200 2 \"http://R/x\" \"x\"\n")
    };
    requests.iter().map(line).collect()
}

#[test]
fn targets_are_normalized_as_targets() {
    for (before, after) in [
        ("GET //HOST/%7ea", "GET //HOST/~a"),
        ("GET //HOST/../b", "GET //b"),
        ("GET //HOST/a/%2e%2e/b?x=/../y", "GET //HOST/b?x=/../y"),
        ("GET /a/..//B/./c", "GET //B/c"),
        ("GET /\\evil/%2E", "GET /\\evil/"),
        ("GET HTTP://HOST/a/../%7e?X=%2f", "GET http://host/~?X=%2F"),
        ("GET http://H?x=1", "GET http://h?x=1"),
        ("CONNECT H_x%41:443", "CONNECT h_xa:443"),
        ("CONNECT [::A]:443", "CONNECT [::a]:443"),
        ("OPTIONS *", "OPTIONS *"),
        ("GET A/../%41", "GET A/../A"),
    ] {
        // The referrer is a URL, so its host becomes lower case.
        let after = log(&[after]).replace("http://R/", "http://r/");
        check(&["normalize", "--format=combined"], &log(&[before]), &after);
    }
    check(
        &["normalize", "--format=combined", "-f", "target", "--by-scheme"],
        &log(&["GET http://H:80?x=1"]),
        &log(&["GET http://h/?x=1"]),
    );
    check(
        &["normalize", "--format=combined", "-f", "target", "--sanitize"],
        &log(&["GET //H/100%/../%zz"]),
        &log(&["GET //H/%25zz"]),
    );
    check(
        &["normalize", "--format=combined", "-f", "target", "--escapes-only"],
        &log(&["GET //H/../%7e"]),
        &log(&["GET //H/../~"]),
    );
    // With a base, a target becomes its target URI (RFC 9112 3.3).
    check(
        &["normalize", "--format=combined", "-f", "target", "--base=http://base/x?y#z"],
        &log(&["GET //H/../%7e?q", "GET HTTP://H/", "OPTIONS *"]),
        &log(&["GET http://base//~?q", "GET http://h/", "OPTIONS *"]),
    );
    // A malformed `%` is reported with its place.
    let ran = pct(["normalize", "--format=combined", "-f", "target"], log(&["CONNECT h%4:443"]).as_bytes());
    assert_eq!((ran.out, ran.code), (log(&["CONNECT h%4:443"]).into_bytes(), Some(1)));
    assert!(ran.err.contains("byte 51"), "{}", ran.err);
    // In a field that holds only a query, `//HOST` is no host, and `..` is no path segment.
    let query = "#Fields: cs-uri-query\n//HOST/a/../%7eb\n";
    check(&["normalize", "--format=w3c"], query, "#Fields: cs-uri-query\n//HOST/a/../~b\n");
    check(&["unique", "--format=w3c"], &format!("{query}//host/a/../~b\n"), &format!("{query}//host/a/../~b\n"));
    // Without `--format`, each line is a reference, not a target.
    check(&["normalize"], "//HOST/%7ea\n", "//host/~a\n");
    check(&["cut", "-f", "host,path", "--no-header"], "//private/a.txt\n", "private\t/a.txt\n");
    check(&["normalize", "--format=csv"], "url\n//HOST/%7ea\n", "url\n//host/~a\n");
}

#[test]
fn levels_compare_targets_as_targets() {
    for level in ["case", "percent-encoding", "path-segment", "scheme"] {
        let args = ["unique", "--format=combined", "-f", "target", "--level", level];
        let same = log(&["GET //HOST/x", "GET //host/x", "GET /x"]);
        check(&args, &same, &same);
        let out = output(args, log(&["CONNECT H:443", "CONNECT h:443", "GET HTTP://H/", "GET http://h/"]).as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), log(&["CONNECT H:443", "GET HTTP://H/"]), "{level}");
    }
    check(
        &["unique", "--format=combined", "-f", "target"],
        &log(&["GET //h/a/../b", "GET //h/b"]),
        &log(&["GET //h/a/../b"]),
    );
    check(
        &["grep", "--format=combined", "-f", "target", "--normalize", "//HOST/~"],
        &log(&["GET //HOST/%7E"]),
        &log(&["GET //HOST/%7E"]),
    );
}

#[test]
fn parts_are_those_of_targets() {
    for (part, before, after) in [
        ("path", "GET //%41/%42?%43", "GET //A/B?%43"),
        ("path", "GET /%41#%42?%43", "GET /A#B?%43"),
        ("query", "GET /%41?%42#%43", "GET /%41?B#C"),
        ("values", "GET /%41?a=%42#%43", "GET /%41?a=B#C"),
        ("fragment", "GET /%41?%42#%43", "GET /%41?%42#%43"),
        ("path", "GET http://%41/%42", "GET http://%41/B"),
        ("path", "CONNECT %41:443", "CONNECT %41:443"),
    ] {
        check(&["decode", "--format=combined", "-f", "target", "--part", part], &log(&[before]), &log(&[after]));
    }
    check(
        &["iri", "--format=combined", "-f", "target", "--host"],
        &log(&["GET //xn--bcher-kva.x/"]),
        &log(&["GET //xn--bcher-kva.x/"]),
    );
    check(
        &["iri", "--format=combined", "-f", "target", "--host"],
        &log(&["GET http://xn--bcher-kva.x/"]),
        &log(&["GET http://bücher.x/"]),
    );
}

#[test]
fn stats_count_hosts_of_targets_only() {
    let log = log(&[
        "GET //private/a.txt", "GET http://h?x=1", "OPTIONS *", "CONNECT c:443", "GET /\\evil", "GET //HOST/%7ea",
    ]);
    let out = String::from_utf8(output(["stats", "--format=combined", "--json"], log.as_bytes())).unwrap();
    let stats: serde_json::Value = serde_json::from_str(&out).unwrap();
    let values = |name: &str| {
        let mut values: Vec<&str> =
            stats["top"][name]["values"].as_array().unwrap().iter().map(|row| row["value"].as_str().unwrap()).collect();
        values.sort_unstable();
        values.join(" ")
    };
    assert_eq!(values("hosts"), "c:443 h");
    assert_eq!(values("paths"), r"/ //HOST/~a //private/a.txt /\evil");
}

#[test]
fn lint_finds_a_fragment_in_a_target() {
    let ran = pct(["lint", "--format=combined", "-f", "target"], log(&["GET /admin#x%7e#", "GET //ok"]).as_bytes());
    let out = String::from_utf8(ran.out).unwrap();
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        out,
        "<stdin>:1:53: illegal: `#`: percent-encode it\n\
         <stdin>:1:55: over-encoded: `%7e`: write `~`\n\
         <stdin>:1:58: illegal: `#`: percent-encode it\n"
    );
    // In a reference, `#` starts a fragment, so it is no finding.
    check(&["lint"], "/admin#x\n", "");
}

#[test]
fn a_user_format_names_its_targets() {
    let folder = Folder::new();
    let formats = folder.file(
        "formats.toml",
        b"[[format]]\nname = 'seen'\nnginx = '$a $b $c;'\nurls = ['a', 'b', 'c']\ntargets = ['a']\nqueries = ['c']\n\
          [[format]]\nname = 'app'\njson = ['/u', '/v']\ntargets = ['/u']\n",
    );
    let run = |format: &str, fields: &str, input: &str| {
        let args = ["cut", "--no-header", "--formats", formats.to_str().unwrap(), "--format", format, "-f", fields];
        String::from_utf8(output(args, input.as_bytes())).unwrap()
    };
    assert_eq!(run("seen", "a.host,a.path,b.host,c.path,c.query", "//h/x //h/x //h/x;\n"), "\t//h/x\th\t\t//h/x\n");
    assert_eq!(run("app", "/u.host,/u.path,/v.host", "{\"u\":\"//h/x\",\"v\":\"//h/x\"}\n"), "\t//h/x\th\n");
}

/// Formats of programs that decode the path before they log it, each with a record that has the path `PATH`.
const DECODED: &[(&str, &str)] = &[
    ("w3c", "#Fields: cs-method cs-uri-stem cs-uri-query sc-status\nGET PATH - 200\n"),
    ("gin", "[GIN] 2024/01/02 - 03:04:05 | 200 |     1.2ms |     192.0.2.1 | GET      \"PATH?q=1\"\n"),
    ("iis", "192.0.2.1, -, 03/20/01, 7:55:20, W3SVC2, S, 192.0.2.9, 4502, 163, 3223, 200, 0, GET, PATH, -,\n"),
    ("aspnet", "      Request starting HTTP/1.1 GET PATH?q=1 - -\n"),
    ("solr", "x webapp=/solr path=PATH params={q=1} hits=0 status=0 QTime=6\n"),
    (
        "apache-error",
        "[Fri Sep 09 10:42:29.902022 2011] [:error] [pid 1:tid 4] [client 192.0.2.1] ModSecurity: x [hostname \"h\"] \
         [uri \"PATH\"] [unique_id \"x\"]\n",
    ),
    ("winevent", "<Event><Data Name=\"cs-uri-stem\">PATH</Data><Data Name=\"cs-uri-query\">q=1</Data></Event>\n"),
    ("nginx:$remote_addr \"$uri\" \"$http_referer\"", "192.0.2.1 \"PATH\" \"http://r/\"\n"),
    ("apache:%h %U \"%{Referer}i\"", "192.0.2.1 PATH \"http://r/\"\n"),
];

#[test]
fn paths_that_a_program_has_decoded_are_read_but_not_rewritten() {
    for &(format, record) in DECODED {
        let [format, log] = [format!("--format={format}"), record.replace("PATH", "/a/../b%41")];
        let columns = String::from_utf8(output(["cut", "--no-header", &format], log.as_bytes())).unwrap();
        assert!(columns.split(['\t', '\n']).any(|cell| cell == "/a/../bA"), "{format}: {columns}");
        for search in ["--attack=traversal", "/a/[.][.]/bA"] {
            assert_eq!(output(["grep", "-c", &format, search], log.as_bytes()), b"1\n", "{format} {search}");
        }
        let stats: serde_json::Value =
            serde_json::from_slice(&output(["stats", "--json", &format], log.as_bytes())).unwrap();
        assert_eq!(stats["top"]["paths"]["values"][0]["value"], "/a/../bA", "{format}");
        assert_eq!(stats["attacks"]["requests"], 1, "{format}: {stats}");
        // If these verbs read the path as a URL, they would decode it twice.
        for verb in ["decode", "normalize"] {
            assert_eq!(pct([verb, &format], log.as_bytes()).out, log.as_bytes(), "{verb} {format}");
        }
        // Two paths are two records, also if all other fields are equal.
        let two = format!("{log}{}", log.rsplit_once("/a/../b%41").map(|_| record.replace("PATH", "/b")).unwrap());
        assert_eq!(output(["unique", &format], two.as_bytes()), two.as_bytes(), "{format}");
    }
    let list = String::from_utf8(output(["formats"], b"")).unwrap();
    let lines: Vec<&str> = list.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].starts_with(' ') && pair[1].matches(';').count() == 2) {
        let name = pair[0].split(' ').next().unwrap();
        assert!(DECODED.iter().any(|(format, _)| *format == name), "no sample of {name}");
    }
}

/// CloudFront escapes each `%` of a client once more. Only the escapes of the client count.
#[test]
fn the_layer_of_a_log_is_no_layer_of_the_client() {
    let tsv = |stem: &str| {
        format!("#Fields: date x-edge-location c-ip cs-uri-stem cs-uri-query\n2024-01-02\tx\t192.0.2.1\t{stem}\t-\n")
    };
    let json =
        |stem: &str| format!("{{\"cs-uri-stem\":\"{stem}\",\"cs-uri-query\":\"-\",\"x-edge-location\":\"x\"}}\n");
    let inside =
        |member: &str, record: &str| format!("{}\n", serde_json::json!({ member: record, "stream": "stdout" }));
    let log_of = |format: &str, stem: &str| match format {
        "cloudfront" => tsv(stem),
        "cloudfront-json" => json(stem),
        "docker:cloudfront-json" => inside("log", &json(stem)),
        _ => inside("message", &inside("log", &json(stem))),
    };
    let formats = ["cloudfront", "cloudfront-json", "docker:cloudfront-json", "ndjson/message:docker:cloudfront-json"];
    for format in formats {
        // The text in the log, the path in `stats`, the attacks, and the findings of `lint`.
        for (stem, path, attacks, findings) in [
            ("/caf%25C3%25A9%2520b", "/café b", "", ""),
            ("/100%25/%25zz", "/100%/%zz", "", "malformed,malformed"),
            ("/a%252F..%252Fb", "/a%2F..%2Fb", "traversal,encoded_separator", ""),
            ("/%25252e%25252e/b", "/%2e%2e/b", "traversal,double_encoding", "double-encoded,double-encoded"),
            ("/a%250Ab", "/a\nb", "control", ""),
        ] {
            let log = log_of(format, stem);
            let run = |args: &[&str]| pct([args, &["--format", format]].concat(), log.as_bytes());
            let stats: serde_json::Value = serde_json::from_slice(&run(&["stats", "--json"]).out).unwrap();
            assert_eq!(stats["top"]["paths"]["values"][0]["value"], path, "{format}: {stats}");
            let kinds = stats["attacks"]["kinds"].as_object().unwrap();
            let found = kinds.iter().filter(|(_, kind)| kind["count"] == 1).map(|(name, _)| name.as_str());
            let [mut found, mut expected]: [Vec<&str>; 2] = [found.collect(), attacks.split(',').collect()];
            expected.retain(|kind| !kind.is_empty());
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{format} {stem}");
            let searched = run(&["grep", "--attack=all", "-c"]);
            assert_eq!(searched.code, Some(i32::from(attacks.is_empty())), "{format} {stem}: {}", searched.err);
            let lint = String::from_utf8(run(&["lint"]).out).unwrap();
            let kinds: Vec<&str> = lint.lines().map(|line| line.split(": ").nth(1).unwrap()).collect();
            assert_eq!(kinds.join(","), findings, "{format} {stem}: {lint}");
            // The layer of the log stays in the record.
            assert_eq!(String::from_utf8(run(&["repair"]).out).unwrap(), log, "{format}");
            let repairs = run(&["repair", "--list"]);
            assert_eq!(
                repairs.code,
                Some(i32::from(findings.contains("malformed"))),
                "{format} {stem}: {}",
                repairs.err
            );
            let once = stem.replace("%25", "%");
            let searched = run(&["grep", "-o", "(?s)^/.*"]);
            assert_eq!(searched.out, output(["decode"], format!("{once}\n").as_bytes()), "{format} {stem}");
            // `--repeat` counts the layer of the log, as in `decode`.
            let cut = run(&["cut", "-f", "cs-uri-stem,cs-uri-stem.path", "--no-header", "--repeat=1"]);
            assert_eq!(String::from_utf8_lossy(&cut.out), format!("{once}\t{once}\n"), "{format} {stem}: {}", cut.err);
            let check = run(&["decode", "--check", "--report=json"]);
            assert_eq!(check.code, Some(i32::from(findings.contains("malformed"))), "{format} {stem}: {}", check.err);
            let searched = run(&["grep", "--attack=all", "-d"]);
            let decoded = if attacks.is_empty() { Vec::new() } else { run(&["decode"]).out };
            assert!(decoded.ends_with(&searched.out), "{format} {stem}: {}", searched.out.escape_ascii());
        }
        let [one, other] = ["/%2561/b", "/a/x/../b"].map(|stem| log_of(format, stem));
        let other = other.split_inclusive('\n').next_back().unwrap();
        assert_eq!(output(["unique", "--format", format], format!("{one}{other}").as_bytes()), one.as_bytes());
    }
}
