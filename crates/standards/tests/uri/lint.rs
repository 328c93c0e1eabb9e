//! Tests the findings of `lint`.

use percent_standards::uri::{self, Finding, FindingKind, lint};

use crate::common::rfc3986::hex;
use crate::common::{Random, assert_size_hints};
use crate::grammar::is_unreserved;
use crate::inputs::{Hostile, check};

fn naive_lint(text: &[u8]) -> Vec<Finding> {
    let legal =
        |byte: u8| byte.is_ascii() && (is_unreserved(byte as char) || ":/?#[]@!$&'()*+,;=%".contains(byte as char));
    let triplet = |at: usize| match text.get(at..at + 3) {
        Some([b'%', high, low]) => Some((hex(*high as char)? * 16 + hex(*low as char)?) as u8),
        _ => None,
    };
    let digits = |at: usize| text.get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    // `passwords` has tests of its own.
    let passwords: Vec<_> = uri::passwords(text).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let next = passwords.iter().find(|range| range.start >= at).map_or(text.len(), |range| range.start);
        let (len, kind) = if let Some(password) = passwords.iter().find(|range| range.start == at) {
            (password.len(), Some(FindingKind::Password))
        } else if text[at] != b'%' {
            let len = text[at..next].iter().take_while(|&&byte| !legal(byte)).count();
            (len.max(1), (len > 0).then_some(FindingKind::Illegal))
        } else if let Some(value) = triplet(at) {
            if value == b'%' && digits(at + 3) {
                (5, Some(FindingKind::DoubleEncoded))
            } else if value.is_ascii() && is_unreserved(value as char) {
                (3, Some(FindingKind::OverEncoded))
            } else {
                let lower = text[at..at + 3].iter().any(u8::is_ascii_lowercase);
                (3, lower.then_some(FindingKind::LowerCase))
            }
        } else {
            (1, Some(FindingKind::Malformed))
        };
        found.extend(kind.map(|kind| Finding::new(at, len, kind)));
        at += len;
    }
    found
}

#[test]
fn lint_finds_the_same_as_the_oracle() {
    check(20_000, |Hostile(text): Hostile| assert_eq!(lint(&text).collect::<Vec<_>>(), naive_lint(text.as_bytes())));
    check(2000, |bytes: Vec<u8>| assert_eq!(lint(&bytes).collect::<Vec<_>>(), naive_lint(&bytes)));
    let mut random = Random::seeded(3);
    for n in 0..300 {
        let text = random.hostile(n);
        assert_eq!(lint(&text).collect::<Vec<_>>(), naive_lint(&text));
    }
}

/// Tests that the bytes after the last finding limit the number of further findings. Each byte is in at most one
/// finding.
#[test]
fn lint_has_correct_size_hints() {
    check(2000, |Hostile(text): Hostile| {
        assert_size_hints(lint(&text));
        let mut rest = lint(&text);
        assert_eq!(rest.size_hint(), (0, Some(text.len())));
        while let Some(found) = rest.next() {
            assert_eq!(rest.size_hint(), (0, Some(text.len() - found.offset - found.len)));
        }
    });
}

/// Tests that normalized text has only findings of illegal bytes and of double encoding.
#[test]
fn normalised_text_has_only_illegal_and_double_encoded_findings() {
    check(10_000, |Hostile(text): Hostile| {
        // Without the `/`, an escaped scheme would stay as it is.
        let text = format!("/{text}");
        let normal = uri::sanitize_escapes(&text);
        let other = |kind| !matches!(kind, FindingKind::Illegal | FindingKind::DoubleEncoded | FindingKind::Password);
        assert!(!lint(&*normal).any(|found| other(found.kind)), "{normal}");
        // A password is one finding, with all faults in it.
        let escapes = lint(&text).any(|found| other(found.kind) || found.kind == FindingKind::Password);
        assert!(escapes || lint(&text).any(|found| found.kind == FindingKind::DoubleEncoded) || normal == text);
    });
}
