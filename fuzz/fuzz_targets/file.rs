//! Tests `file:` URLs, and the hiding of passwords. If a Posix path is converted to a URL and back, it must stay the
//! same. Redacting must hide every password, and redacting a second time must change no byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_standards::uri::file::{Style, from_path_with, to_path_with};
use percent_standards::uri::{Authority, FindingKind, Uri, lint, passwords, redact_bytes};

fuzz_target!(|data: &[u8]| {
    for style in [Style::Posix, Style::Windows] {
        if let Ok(url) = from_path_with(data, style) {
            assert!(Uri::parse(&url).is_ok(), "{url}");
            let path = to_path_with(&url, style).unwrap();
            assert!(style == Style::Windows || path == data, "{url}");
            assert_eq!(from_path_with(&path, style).as_deref(), Ok(&*url));
        }
    }
    let text = &*String::from_utf8_lossy(data);
    for url in [text, &format!("file:{text}"), &format!("file:///c:/{text}")] {
        for style in [Style::Posix, Style::Windows] {
            if let Ok(path) = to_path_with(url, style) {
                let again = from_path_with(&path, style).unwrap();
                assert_eq!(to_path_with(&again, style).unwrap(), path, "{url}");
            }
        }
    }

    let hosts: Vec<_> = Authority::split(text)
        .hosts()
        .map(|one| one.host.to_string() + &one.port.map(|port| format!(":{port}")).unwrap_or_default())
        .collect();
    assert_eq!(hosts.join(","), text.rsplit('@').next().unwrap());

    let redacted = redact_bytes(data).into_owned();
    assert_eq!(redact_bytes(&redacted), &*redacted, "{text:?}");
    assert_eq!(passwords(data).count(), passwords(&redacted).count(), "{text:?}");
    assert!(passwords(&redacted).all(|range| redacted[range] == *b"***"), "{text:?}");
    let found = lint(data).filter(|found| found.kind == FindingKind::Password);
    assert!(found.map(|found| found.offset..found.offset + found.len).eq(passwords(data)), "{text:?}");
});
