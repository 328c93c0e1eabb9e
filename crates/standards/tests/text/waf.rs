//! Compares `waf` with a plain loop that follows the ModSecurity Reference Manual. Also checks inputs that were written
//! by hand.

use std::borrow::Cow;

use percent_standards::waf::{url_decode_uni, url_decode_uni_in_place};
use percent_standards_oracle::{Random, cases, show};

/// Decodes an input byte by byte.
fn plain(input: &[u8], map: impl Fn(u16) -> Option<u8>) -> Vec<u8> {
    let number = |digits: &[u8]| {
        let text = digits.iter().all(u8::is_ascii_hexdigit).then(|| std::str::from_utf8(digits).unwrap())?;
        u16::from_str_radix(text, 16).ok()
    };
    let (mut out, mut rest) = (Vec::new(), input);
    while let Some((&first, after)) = rest.split_first() {
        let (byte, taken) = match rest {
            [b'%', b'u' | b'U', a, b, c, d, ..] if number(&[*a, *b, *c, *d]).is_some() => {
                let unit = number(&[*a, *b, *c, *d]).unwrap();
                let [high, low] = unit.to_be_bytes();
                let full_width = high == 0xFF && (1..0x5F).contains(&low);
                (map(unit).unwrap_or(if full_width { low + 0x20 } else { low }), 6)
            }
            [b'%', a, b, ..] if number(&[*a, *b]).is_some() => (number(&[*a, *b]).unwrap() as u8, 3),
            [b'+', ..] => (b' ', 1),
            _ => (first, 1),
        };
        out.push(byte);
        rest = if taken == 1 { after } else { &rest[taken..] };
    }
    out
}

#[test]
fn examples_written_by_hand() {
    let cases: &[(&str, &[u8])] = &[
        ("", b""),
        ("hello+world", b"hello world"),
        ("%2B+", b"+ "),
        ("%41%42", b"AB"),
        ("%u0041%U0042", b"AB"),
        ("%uFF1C%uff5e%uFf01", b"<~!"),
        ("%uFF00%uFF5F%uFFFF", b"\x00\x5F\xFF"),
        ("%u0000%00", b"\0\0"),
        ("%u1234%u2541", b"4A"),
        ("%uD83D%uDCA9", b"=\xA9"),
        ("%u%u0%u00%u004", b"%u%u0%u00%u004"),
        ("%u004g%u+041", b"%u004g%u 041"),
        ("%", b"%"),
        ("%4", b"%4"),
        ("%zz%4z%z4", b"%zz%4z%z4"),
        ("%%41%%u0041", b"%A%A"),
        ("%2541%25u0041", b"%41%u0041"),
        ("%u%41%u%u0041", b"%uA%uA"),
        ("%u00410041", b"A0041"),
        ("%c0%ae%u002e%u002F", b"\xC0\xAE./"),
        ("1%20union%u0020select+%2d%2d", b"1 union select --"),
        ("%u003cscript%u003ealert(1)", b"<script>alert(1)"),
    ];
    for (input, wanted) in cases {
        assert_eq!(plain(input.as_bytes(), |_| None), *wanted, "{input}");
        assert_eq!(url_decode_uni(*input), *wanted, "{input}");
    }
}

/// Runs ModSecurity's own regression tests: `tests/tfn/urlDecodeUni.t` of version 2, at commit eb6b9274. Each row has
/// an input, the result, and true if the transformation reports a change. The test itself generates the rows of 256
/// escapes.
#[test]
fn modsecurity_s_regression_strings() {
    let row = |prefix: &str, codes: std::ops::RangeInclusive<u8>| -> Vec<u8> {
        codes.flat_map(|code| format!("%{prefix}{code:02x}").into_bytes()).collect()
    };
    let every: Vec<u8> = (0..=255).collect();
    for prefix in ["", "u00", "u11"] {
        let (input, wanted) = ([b"+", &row(prefix, 0..=255)[..]].concat(), [b" ", &every[..]].concat());
        assert_eq!(url_decode_uni(&input), wanted, "{prefix}");
    }
    assert_eq!(&*url_decode_uni(&row("uff", 0x01..=0x5E)), &every[0x21..=0x7E], "full width");
    let outside = [row("uff", 0..=0), row("uff", 0x7F..=0xFF)].concat();
    assert_eq!(*url_decode_uni(&outside), [&[0], &every[0x7F..]].concat(), "not full width");

    let cases = [
        ("", ""),
        ("TestCase", "TestCase"),
        ("Test\0Case", "Test\0Case"),
        ("Test+Case", "Test Case"),
        ("%+", "% "),
        ("%%20", "% "),
        ("%0g%20", "%0g "),
        ("%0%20", "%0 "),
        ("%g0%20", "%g0 "),
        ("%g%20", "%g "),
        ("%%u0020", "% "),
        ("%0g%u0020", "%0g "),
        ("%0%u0020", "%0 "),
        ("%g0%u0020", "%g0 "),
        ("%u%u0020", "%u "),
        ("%u0%u0020", "%u0 "),
        ("%u00%u0020", "%u00 "),
        ("%u000%u0020", "%u000 "),
        ("%u000g%u0020", "%u000g "),
        ("%0%1%2%3%4%5%6%7%8%9%0%a%b%c%d%e%f", "%0%1%2%3%4%5%6%7%8%9%0%a%b%c%d%e%f"),
        ("%g0%g1%g2%g3%g4%g5%g6%g7%g8%g9%g0%ga%gb%gc%gd%ge%gf", "%g0%g1%g2%g3%g4%g5%g6%g7%g8%g9%g0%ga%gb%gc%gd%ge%gf"),
        ("%0g%1g%2g%3g%4g%5g%6g%7g%8g%9g%0g%ag%bg%cg%dg%eg%fg", "%0g%1g%2g%3g%4g%5g%6g%7g%8g%9g%0g%ag%bg%cg%dg%eg%fg"),
        ("%", "%"),
        ("%0", "%0"),
        ("%%", "%%"),
        ("%0g", "%0g"),
        ("%gg", "%gg"),
    ];
    for (input, wanted) in cases {
        let decoded = url_decode_uni(input);
        assert_eq!(decoded, wanted.as_bytes(), "{input}");
        assert_eq!(matches!(decoded, Cow::Borrowed(_)), input == wanted, "{input}: changed");
    }
}

#[test]
fn equals_a_plain_loop() {
    let mut random = Random::seeded(29);
    let pieces: &[&[u8]] = &[
        b"%", b"u", b"U", b"%u", b"%u00", b"41", b"%41", b"%uff1c", b"%U0142", b"+", b"g", b"\xFF",
        b"abcdefghijklmnopqrst",
    ];
    let map = |unit: u16| (unit % 3 == 1).then_some((unit >> 4) as u8);
    for case in 0..cases(20_000) {
        let count = random.below(12);
        let mut input: Vec<u8> = (0..count).flat_map(|_| pieces[random.below(pieces.len())]).copied().collect();
        if case % 100 == 0 {
            input.extend(random.hostile(300));
        }
        assert_eq!(url_decode_uni(&input), plain(&input, |_| None), "{}", show(&input));
        let wanted = plain(&input, map);
        assert_eq!(url_decode_uni_in_place(&mut input.clone(), map), wanted, "{}", show(&input));
    }
}
