//! Forms as HTML submits them: what is submitted is parsed as what was entered, with the ends of its lines normalised.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::form::html::{Entry, Form, multipart_escape};
use percent_simd::form::{self, cgi, xforms};
use percent_simd::newline::Newline;
use percent_simd::whatwg;

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    let fields: Vec<(&str, &str)> = text.split('\0').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let entries: Vec<Entry> = fields.iter().map(|(name, value)| Entry::text(name, value)).collect();
    let html = Form::new(&entries);
    let submitted = html.urlencoded();
    let crlf = |text: &str| Newline::CrLf.apply(text).into_owned();
    let expected: Vec<_> = fields.iter().map(|(name, value)| (crlf(name), crlf(value))).collect();
    let parsed: Vec<_> = form::parse(&submitted).into_owned().collect();
    // The first field, if it is called `isindex`, may lose its name.
    if fields[0].0 != "isindex" {
        assert_eq!(parsed, expected, "{submitted}");
    }
    assert!(html.max_len().is_none_or(|most| submitted.len() <= most));
    let _ = (html.get("/a?b#c"), html.text_plain());
    assert!(!multipart_escape(text).contains(['\r', '\n', '"']));

    // Tells indexed queries from others.
    let query = cgi::query(fields.iter().map(|(name, _)| *name));
    let words: Option<Vec<_>> = cgi::arguments(&query, cgi::Words::Lenient);
    let expected: Vec<&[u8]> = fields.iter().map(|(name, _)| name.as_bytes()).collect();
    assert!(query.is_empty() || words.is_none_or(|words| words == expected), "{query}");
    let _ = (cgi::arguments(data, cgi::Words::Strict), cgi::split(text));
    let xforms = xforms::serialize(fields.iter().copied(), xforms::Separator::Semicolon);
    assert!(xforms.is_ascii());

    // The URL Standard's components are ASCII, and what they are once they are again.
    for scheme in ["https", "other"] {
        for encoded in [whatwg::encode_path(scheme, text), whatwg::encode_query(scheme, text)] {
            assert!(encoded.is_ascii());
        }
        let query = whatwg::encode_query(scheme, text);
        assert_eq!(whatwg::encode_query(scheme, &query), query);
        let path = whatwg::encode_path(scheme, text);
        assert_eq!(whatwg::encode_path(scheme, &path), path);
    }
    assert!(whatwg::encode_opaque_path(text, true).is_ascii());
});
