//! Tests of the search for URLs in lines of any form.

use super::*;
use crate::formats::role::{URL_PAIRS, URL_WORDS};

fn found(line: &str) -> Vec<&str> {
    let urls = Urls::new(&Choice::default()).unwrap();
    let mut fields = Vec::new();
    urls.fields(line.as_bytes(), &mut Layout::default(), &mut fields);
    fields.into_iter().map(|field| &line[field.range]).collect()
}

/// Tests the list of last letters in [`has_label`].
#[test]
fn every_name_of_urls_is_a_label() {
    let pairs = URL_PAIRS.iter().map(|pair| pair.join("_"));
    for name in URL_WORDS.iter().map(ToString::to_string).chain(pairs) {
        assert!(has_label(format!("{name}=").as_bytes(), b""), "{name}");
    }
}

#[test]
fn urls_and_targets_are_found_in_any_text() {
    for (line, expected) in [
        ("see http://h/a%20b, and (https://h/c_(d)).", &["http://h/a%20b", "https://h/c_(d)"][..]),
        (
            "a='http://h/x' b=\"http://h/y\" <http://h/z> [http://h/w]",
            &["http://h/x", "http://h/y", "http://h/z", "http://h/w"],
        ),
        ("20180123<;>http://h/x<;>4E", &["http://h/x"]),
        ("1,http://h/x,y,,z,\"http://h/y\",http://h/z", &["http://h/x,y", "http://h/y", "http://h/z"]),
        ("Location: http://h/x[\\r]", &["http://h/x"]),
        ("a=”http://h/x?y=é” b=“http://h/z”", &["http://h/x?y=é", "http://h/z"]),
        (
            "\"http://h/a?b=c|d\" u'http://h/{id}?a' \"http://h/a|b c\"",
            &["http://h/a?b=c|d", "http://h/{id}?a", "http://h/a"],
        ),
        ("\"http://h/x|http://h/y\" \"http://h/a<b>\"", &["http://h/x", "http://h/y", "http://h/a"]),
        (
            "http://h/${A}/{b}?c=^D,^E http://h/a^ http://h/b{c http://h/d}",
            &["http://h/${A}/{b}?c=^D,^E", "http://h/a", "http://h/b", "http://h/d"],
        ),
        ("http://h/x|ws://[::1]:80/y", &["http://h/x", "ws://[::1]:80/y"]),
        ("http://h/a?u=http://g/b", &["http://h/a?u=http://g/b"]),
        (
            "at http://h/.git/. See idp.https://h/a. git+https://h/b",
            &["http://h/.git/", "https://h/a", "git+https://h/b"],
        ),
        ("x;S:URL=http://h/a;S:Bld=15;url=/b;S:C=1;http://h/c;d=e", &["http://h/a", "/b", "http://h/c;d=e"]),
        ("ID: 65,Intrusion URL: http://h/,Payload URL: http://h/a,b,SHA-256: 0", &["http://h/", "http://h/a,b"]),
        ("{Name:A,Value:http://h/a,b,From:nil,},url:/x;y:1", &["http://h/a,b", "/x;y:1"]),
        ("http://h/a,b,http://g/c;https://f", &["http://h/a,b", "http://g/c", "https://f"]),
        ("a=1, url=http://h/a;b=c,d=e, f=g", &["http://h/a;b=c,d=e"]),
        ("12http://h/x http://é/x s3://b/x 1://h ://h http:// http://.", &["http://é/x", "s3://b/x"]),
        ("%aftp://h/x %a%ftp://h/x", &[]),
        ("GET ht%74p://h/x HTTP/1.1", &["ht%74p://h/x"]),
        ("GET * HTTP/1.1 x /HTTP/ HTTP/", &["*"]),
        ("x | \"GET /a?b={c} HTTP/1.1\" | 200", &["/a?b={c}"]),
        ("x | \"GET /a b HTTP/1.1\" | 200", &["/a b"]),
        ("\"GET /a b\" HTTP/1.1", &["/a"]),
        ("App: 403: POST /api/x: 192.0.2.1", &["/api/x"]),
        ("302 http://h/x => /x/", &["http://h/x", "/x/"]),
        ("GET /x -> /y, -> /z /w", &["/x", "/y", "/z"]),
        ("GET /x --> http://h/y", &["/x", "http://h/y"]),
        ("a -> /x -> /y http://h", &["http://h"]),
        ("[linkfinder] - [from: http://h/x.js] - /y", &["http://h/x.js", "/y"]),
        ("[x] - /y", &[]),
        ("GET /a HTTP/1.1::~~Host: h::~~Referer: http://h/a::b~~::~~::~~", &["/a", "http://h/a::b~~"]),
        ("+ /a?b=/c: See: http://h/x", &["/a?b=/c", "http://h/x"]),
        ("+ /usr/bin/x /y: z", &[]),
        ("f('http://h/it's'::text, 'http://h/b,c=http://d', '/e')", &["http://h/it's", "http://h/b,c=http://d"]),
        ("http://h;0-1/x http://h/a;b?c;d", &["http://h", "http://h/a;b?c;d"]),
        ("192.0.2.1 -- POST -- /a?b=c -- 5ms, GET | /x | 200", &["/a?b=c", "/x"]),
        ("192.0.2.1 Accessed URL 192.0.2.2:/a?b=c, at 192.0.2.2:/x", &["/a?b=c"]),
        ("'a\\nhttp://h/x\\nb'", &["http://h/x"]),
        ("GET  /x   200, PUT \t/y", &["/x"]),
        ("-   ReqURL         /a%20b?c=d", &["/a%20b?c=d"]),
        ("uri=/x, Request_URI: '/y' {:url=>\"/z\", \"request.url\" : \"/w z\"}", &["/x", "/y", "/z", "/w"]),
        ("\"path\"=>\"/x\", \"args\" : \"/y\", \"file_path\":\"/z\", path=\"/v\" \"path\"=/w", &["/x", "/y"]),
        (":path_info=>\"/x\" Referer:/y uri=[/z] x=[/w]", &["/x", "/y", "/z"]),
        ("method=GET path=\"/x\" method=PUT, path=/y Method: GET  Path: /z", &["/x", "/y", "/z"]),
        ("method=GET file_path=/x WIDGET path=/y x=/z method=GET", &[]),
        ("-> http.target: Str(/x) url.full: Str(http://h/y) a: Str(/z)", &["/x", "http://h/y"]),
        ("curl /x, the /y path=/z curly: /w =/v : /u route url = => /t /url/s", &[]),
        ("GET http://h/?a='<script>x</script> 200", &["http://h/?a='<script>x</script>"]),
        ("[GET] /x?y=<z>&a=b, [GET]/y", &["/x?y=<z>&a=b,"]),
        (
            "at localhost:80/x?y=z, 192.0.2.1:80/%41 =h:8/b?c=d",
            &["localhost:80/x?y=z", "192.0.2.1:80/%41", "h:8/b?c=d"],
        ),
        ("x/y?z=a h.example/x?y=z 12:30/x?y=z h:a/x?y=z h.example/x @h.example/x?y=z", &[]),
        ("<a>/x?y=z <b>/x", &["/x?y=z"]),
        ("at /usr/x?y=z, /usr/x%20y", &["/usr/x?y=z"]),
        ("12 POST /?a=\"><b>&c={d}, x", &["/?a=\"><b>&c={d},"]),
        ("GET /x<y>\t/z", &["/x<y>"]),
        (
            "\"Handled GET /x\",\"y\" <b>GET /x</b> <i>a GET http://h/x</i> {a: GET /x{y}}",
            &["/x", "/x", "http://h/x", "/x{y}"],
        ),
        ("\"Handled GET /?a='<b>x\" 200", &["/?a='<b>x"]),
        ("(GET /x)\"y\" 'GET /x'<y>", &["/x", "/x"]),
        ("GET HTTP h.example HTTP/1.1 200", &[]),
        ("PURGE /x HTTP/1.1, COPY /x /y, FORGET /x, get /x", &["/x"]),
        ("GET '/x', GET: /y, (GET) `/z`, GET -> /w", &["/x", "/y", "/z", "/w"]),
        ("Request: GET /x, Started GET \"/y\", --> GET /z | GET      \"/w\"", &["/x", "/y", "/z", "/w"]),
        (
            "URL: h.example/x, url=\"h.example:80/y\" URL h.example/z in curl h.example/w uri=h/v",
            &["h.example/x", "h.example:80/y", "h.example/z"],
        ),
        ("- - [t] \"/x\" 404 2", &["/x"]),
        ("- - [t] /x 200", &["/x"]),
        ("[t] /x 2000 [t] /y", &[]),
        ("[t] \"/x 200", &[]),
        ("Request: CONNECT h:443 HTTP/1.1", &["h:443"]),
        ("- GET http h.example \"/x\" [y], PUT h:80 /y, GET x /z, GET a b.c d.e /w", &["/x", "/y"]),
        (r"GET /a\..\win.ini 403, x=GET /b\nHost: h (GET /c\..\d)", &[r"/a\..\win.ini", "/b", r"/c\..\d"]),
        ("Request: GET http://h/x HTTP/1.0", &["http://h/x"]),
        ("GET /a/.. and GET /b.", &["/a/..", "/b"]),
        ("1/2 and/or /etc/passwd GET", &[]),
        ("", &[]),
    ] {
        assert_eq!(found(line), expected, "{line}");
    }
}
