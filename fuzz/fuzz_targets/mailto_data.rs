//! Tests `mailto:` and `data:` URIs. Parsing a URI that was built from parts must give these parts. Parsing any text must not
//! panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_standards::newline::Newline;
use percent_standards::uri::data::{self, DataUrl, forgiving_base64};
use percent_standards::uri::mailto::{Mailto, build};

/// Performs the "forgiving-base64 decode" (Infra Standard 7) step by step.
fn naive_base64(input: &[u8]) -> Option<Vec<u8>> {
    let mut digits: Vec<u8> = input.iter().copied().filter(|byte| !b"\t\n\x0C\r ".contains(byte)).collect();
    if digits.len().is_multiple_of(4) {
        for _ in 0..2 {
            if digits.last() == Some(&b'=') {
                digits.pop();
            }
        }
    }
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values: Option<Vec<_>> = digits.iter().map(|digit| alphabet.iter().position(|a| a == digit)).collect();
    let values = values.filter(|values| values.len() % 4 != 1)?;
    let bits: Vec<usize> = values.iter().flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1)).collect();
    Some(bits.chunks_exact(8).map(|eight| eight.iter().fold(0, |byte, bit| byte << 1 | *bit as u8)).collect())
}

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    let mut parts = text.split('\0');
    let (to, name, value) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    if let Ok(uri) = build(&[to], &[(name, value)]) {
        let mail = Mailto::parse(&uri).unwrap();
        assert_eq!(mail.addresses().collect::<Result<Vec<_>, _>>().unwrap(), [to], "{uri}");
        let fields: Vec<_> = mail.fields().collect::<Result<_, _>>().unwrap();
        if !(name.is_empty() && value.is_empty()) {
            assert_eq!(fields, [(Newline::CrLf.apply(name), Newline::CrLf.apply(value))], "{uri}");
        }
    }
    for uri in [text, &format!("mailto:{text}")] {
        if let Some(mail) = Mailto::parse(uri) {
            assert!(mail.recipients().count() >= mail.addresses().count());
            let _ = (mail.fields().count(), mail.field("subject"));
        }
    }

    assert_eq!(forgiving_base64(data).ok(), naive_base64(data));
    for url in [data::build("text/plain", data), data::build_base64("text/plain", data)] {
        let read = DataUrl::parse(&url).unwrap();
        assert_eq!((read.media_type(), read.decode().as_deref().ok()), ("text/plain".into(), Some(data)), "{url}");
    }
    for url in [text, &format!("data:{text}")] {
        if let Some(read) = DataUrl::parse(url) {
            assert!(read.media_type().contains('/'));
            assert!(read.decode().is_ok() || read.is_base64() && read.decode().is_err_and(|e| e.offset <= url.len()));
        }
    }
});
