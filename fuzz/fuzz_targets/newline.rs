//! Compares the conversion of line ends with a loop over characters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_standards::newline::Newline;

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    for (policy, end) in [(Newline::Lf, "\n"), (Newline::Cr, "\r"), (Newline::CrLf, "\r\n")] {
        let mut expected = String::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\r' => {
                    rest.next_if_eq(&'\n');
                    expected += end;
                }
                '\n' => expected += end,
                c => expected.push(c),
            }
        }
        assert_eq!(policy.apply(text), expected);
        assert_eq!(policy.apply_bytes(text.as_bytes()), expected.as_bytes());
        assert_eq!(policy.applied_len(text), Some(expected.len()));
        assert_eq!(policy.is_applied(text), expected == text);
        assert!(policy.is_applied(&expected));
    }
    assert_eq!(Newline::Keep.apply(text), text);
});
