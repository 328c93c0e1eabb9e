//! `waf` against a plain loop with the meaning of the ModSecurity Reference Manual, and on inputs written by hand.

use percent_simd::waf::{url_decode_uni, url_decode_uni_in_place};
use percent_simd_oracle::{Random, show};

/// Returns what the transformation makes of an input, byte by byte.
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
fn facts() {
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

#[test]
fn equals_a_plain_loop() {
    let mut random = Random(29);
    let pieces: &[&[u8]] = &[
        b"%",
        b"u",
        b"U",
        b"%u",
        b"%u00",
        b"41",
        b"%41",
        b"%uff1c",
        b"%U0142",
        b"+",
        b"g",
        b"\xFF",
        b"abcdefghijklmnopqrst",
    ];
    let map = |unit: u16| (unit % 3 == 1).then_some((unit >> 4) as u8);
    for case in 0..20_000 {
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
