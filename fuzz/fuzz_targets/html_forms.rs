//! Tests forms as HTML submits them. Parsing a submitted form must give its entries, with normalised line ends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_standards::form;
use percent_standards::form::html::{Entry, Form, multipart_escape};
use percent_standards::newline::Newline;

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    let fields: Vec<(&str, &str)> = text.split('\0').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let entries: Vec<Entry> = fields.iter().map(|(name, value)| Entry::text(name, value)).collect();
    let html = Form::new(&entries);
    let submitted = html.urlencoded();
    let crlf = |text: &str| Newline::CrLf.apply(text).into_owned();
    let expected: Vec<_> = fields.iter().map(|(name, value)| (crlf(name), crlf(value))).collect();
    let parsed: Vec<_> = form::parse(&submitted).into_owned().collect();
    // If the first field is named `isindex`, HTML omits the name in some cases, so the pairs can differ.
    if fields[0].0 != "isindex" {
        assert_eq!(parsed, expected, "{submitted}");
    }
    assert!(html.max_len().is_none_or(|most| submitted.len() <= most));
    let _ = (html.get("/a?b#c"), html.text_plain());
    assert!(!multipart_escape(text).contains(['\r', '\n', '"']));
});
