//! Tests of access logs whose records differ from the documented forms.

use crate::process::pct;

/// Returns the rows of `pct cut` without a header, and the messages.
#[track_caller]
fn rows(options: &[&str], log: &str) -> (String, String) {
    let ran = pct([&["cut", "--raw", "--no-header"], options].concat(), log.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (String::from_utf8(ran.out).unwrap(), ran.err)
}

/// Returns a log with `front` before the time of each record, and each text of `rests` after the status of one record.
fn log(front: &str, rests: &[&str]) -> String {
    let line = |rest: &&str| format!("{front} [17/May/2015:10:05:03 +0000] \"GET /%41 HTTP/1.1\" 200 {rest}\n");
    rests.iter().map(line).collect()
}

/// A server and a framework may write records of both forms to one log.
#[test]
fn records_without_a_referrer_may_be_in_a_combined_log() {
    let input = log("192.0.2.1 - -", &["5", "-", "5 0.001", "5 \"http://h/%42\" \"x/1\"", "5"]);
    let (out, told) = rows(&["--format", "auto"], &input);
    assert_eq!(
        (out.as_str(), told.as_str()),
        ("/A\t\n/A\t\n/A\t\n/A\thttp://h/B\n/A\t\n", "pct: <stdin> is read as combined\n")
    );
    let ran = pct(["decode", "--format", "combined", "--strict-format"], input.as_bytes());
    assert_eq!(
        (ran.code, String::from_utf8(ran.out).unwrap()),
        (Some(0), input.replace("%41", "A").replace("%42", "B"))
    );
    let ran = pct(["normalize", "--format", "combined"], input.replace('\n', "\r\n").as_bytes());
    assert_eq!(
        String::from_utf8(ran.out).unwrap(),
        input.replace('\n', "\r\n").replace("%41", "A").replace("%42", "B")
    );
    // If no record has strings after its size, the format is `clf`. A string alone may be a note of the server.
    let input = log("192.0.2.1 - -", &["5", "- \"Invalid credentials\""]);
    assert_eq!(rows(&["--format", "auto"], &input), ("/A\n/A\n".into(), "pct: <stdin> is read as clf\n".into()));
}

#[test]
fn the_referrer_may_follow_another_string() {
    let input = log("192.0.2.1 - -", &["5 \"h\" \"-\" \"x/1\"", "5 \"0.1\" \"http://h/%42\" \"x/1\""]);
    let (out, told) = rows(&["--format", "auto"], &input);
    assert_eq!(out, "/A\t-\n/A\thttp://h/B\n");
    assert!(told.contains("look like URLs: 9; to choose"), "{told}");
    let (out, _) = rows(&["--format", "auto"], &input.replace("192", "h.example 192"));
    assert_eq!(out, "/A\t-\n/A\thttp://h/B\n");
    // If all referrers are missing, the user agent after them decides.
    let (out, _) = rows(&["--format", "auto"], &log("192.0.2.1 - -", &["5 \"h\" \"-\" \"x/1\""]));
    assert_eq!(out, "/A\t-\n");
    // A client may send any referrer and any user agent.
    for rest in ["5 \"h\" \"x/1\"", "5 \"-\" \"http://h/\"", "5 \"h\" \"-\" \"192.0.2.1\""] {
        let (_, told) = rows(&["--format", "auto"], &log("192.0.2.1 - -", &[rest]));
        assert_eq!(told, "pct: <stdin> is read as combined\n");
    }
    // A single string is the user agent if it names a program.
    let (out, _) = rows(&["--format", "combined", "-f", "referrer,agent"], &log("h - -", &["5 \"x/1\"", "5 \"/x\""]));
    assert_eq!(out, "\tx/1\n/x\t\n");
}

#[test]
fn the_host_may_follow_the_client() {
    // A client may send an address as the host, or have a name that looks like the host.
    let usual = |front: &str| log(&format!("{front} - -"), &["5"]).repeat(3);
    for (front, forged, expected) in [
        ("192.0.2.1 h.example", "192.0.2.2 198.51.100.1", "198.51.100.1\t192.0.2.2"),
        ("192.0.2.1 h.example", "192.0.2.2 [2001:db8::1]:443", "[2001:db8::1]:443\t192.0.2.2"),
        ("h.example 192.0.2.1", "198.51.100.1 c.example", "198.51.100.1\tc.example"),
    ] {
        let input = usual(front) + &log(&format!("{forged} - -"), &["5"]);
        let (out, told) = rows(&["--format", "auto", "-f", "host,client"], &input);
        assert_eq!(out.lines().last(), Some(expected), "{told}");
    }
    for (front, host, client) in [
        ("192.0.2.1:4711 h.example:443 - -", "h.example:443", "192.0.2.1:4711"),
        ("192.0.2.1 h.example - -", "h.example", "192.0.2.1"),
        ("2001:db8::1 h.example - j", "h.example", "2001:db8::1"),
        ("h.example 192.0.2.1", "h.example", "192.0.2.1"),
        ("h.example 192.0.2.1 -", "h.example", "192.0.2.1"),
        // The server may have no name, and a client may have one.
        ("192.0.2.1:80 c.example - -", "192.0.2.1:80", "c.example"),
        ("192.0.2.1:80 192.0.2.2 - -", "192.0.2.1:80", "192.0.2.2"),
        ("192.0.2.1:80 unix: - -", "192.0.2.1:80", "unix:"),
    ] {
        for rest in ["5", "5 \"-\" \"x/1\""] {
            let input = log(front, &[rest]);
            let (out, told) = rows(&["--format", "auto", "-f", "host,client,target"], &input);
            assert_eq!(out, format!("{host}\t{client}\t/A\n"), "{front} {told}");
            let ran = pct(["decode", "--format", "apache-vhost", "-f", "host,client,target"], input.as_bytes());
            assert_eq!(String::from_utf8(ran.out).unwrap(), input.replace("%41", "A"));
        }
    }
}

#[test]
fn a_name_may_follow_the_user_agent_without_a_blank() {
    let rests = [
        "5 \"http://h/%42\" \"x/1\"rt=0.1 uct=\"-\" urt=\"0.1\"",
        "5 \"-\" \"-\"rt=\"0.1\"",
        "5 - \"x/1\"rt=0.1",
        "5 \"http://h/%43\" \"x/1\"[a b] c",
        "5 \"http://h/%44\" rt=0.1",
    ];
    let input = log("192.0.2.1 - -", &rests);
    let (out, told) = rows(&["--format", "auto", "-f", "target,referrer,user-agent,10"], &input);
    assert_eq!(
        out,
        "/A\thttp://h/B\tx/1\trt=0.1\n/A\t-\t-\t\n/A\t-\tx/1\trt=0.1\n/A\thttp://h/C\tx/1\ta b\n/A\thttp://h/D\t\trt=0.1\n"
    );
    assert_eq!(told, "pct: <stdin> is read as combined\n");
    // Any other text may be the rest of a user agent with quotes. A client may also send a forged record in its request.
    for rest in [
        "5 \"-\" \"x\"y",
        "5 \"-\" \"x\"=1",
        "5 \"-\" \"x\"1=1",
        "5 \"-\" \"x\"y z=1",
        "5 \"-\" \"x\"y=1 z\"",
        "5 \"-\" \"x\"\"y=1\"",
        "5 \"-\" \"x\"y=\"1 HTTP/1.1\" 404 5 \"-\" \"-\"",
        "5 \"-\" \"x\"y=1 HTTP/1.1\" 404 5 \"-\" \"-\"",
        "5 \"-\" \"x\"[y",
        "5 \"-\" \"x\"[y]z",
        "5 \"-\" \"x\"[y] z\"",
        "5 \"-\" \"x\"[\"y] HTTP/1.1\" 404 5 \"-\" \"-\"",
    ] {
        let ran = pct(["decode", "--format", "combined", "--strict-format"], log("192.0.2.1 - -", &[rest]).as_bytes());
        assert_eq!((ran.code, ran.out), (Some(2), log("192.0.2.1 - -", &[rest]).into_bytes()), "{rest}");
    }
}

/// nginx escapes no quote in its error log.
#[test]
fn values_of_an_error_log_may_contain_quotes() {
    let log = |rest: &str| format!("2018/06/25 04:28:32 [error] 2#2: *1 x, client: 192.0.2.1, server: s, {rest}\n");
    let request = "request: \"GET /%41?q=\"><s>%42</s>' HTTP/1.1\", host: \"h\"";
    let input = [
        log(request),
        log("request: \"GET /a\", b HTTP/1.1\", upstream: \"http://u/a\"b\", host: \"h\""),
        log("request: \"GET /a\"\", host: \"h\", referrer: \"http://r/?\"%20%43\""),
        log("request: \"OPTIONS / RTSP/1.0\""),
    ]
    .concat();
    let (out, told) = rows(&["--format", "auto"], &input);
    assert_eq!(out, "/A?q=\"><s>B</s>'\t\t\n/a\", b\thttp://u/a\"b\t\n/a\"\t\thttp://r/?\" C\n/\t\t\n");
    assert_eq!(told, "pct: <stdin> is read as nginx-error\n");
    let ran = pct(["decode", "--format", "nginx-error"], input.as_bytes());
    let decoded =
        ["A", "B", "C"].iter().zip(["%41", "%42", "%43"]).fold(input, |text, (to, from)| text.replace(from, to));
    assert_eq!(String::from_utf8(ran.out).unwrap(), decoded);
    for rest in [
        "request: \"GET /a HTTP/1.1\", host: \"h\", referrer: \"http://r HTTP/1.1\"",
        "request: \"GET /a\", referrer: \"http://f/\"b HTTP/1.1\", host: \"h\"",
        "request: \"GET /a\", host: \"h HTTP/1.1\"b",
        "request: \"GET /a?q=\"><s> HTTP/1.",
    ] {
        let ran = pct(["decode", "--format", "nginx-error", "--strict-format"], log(rest).as_bytes());
        assert_eq!((ran.code, ran.out), (Some(2), log(rest).into_bytes()), "{rest}");
    }
}

#[test]
fn a_request_line_may_have_the_version_of_another_protocol() {
    for (request, target) in [("REQMOD icap://h/%41 ICAP/1.0", "icap://h/A"), ("OPTIONS sip:nm SIP/2.0", "sip:nm")] {
        let input =
            log("192.0.2.1 - -", &["5 \"-\" \"x/1\""]).replace("GET /%41 HTTP/1.1\" 2", &format!("{request}\" 4"));
        let (out, _) = rows(&["--format", "combined"], &input);
        assert_eq!(out, format!("{target}\t-\n"));
    }
}
