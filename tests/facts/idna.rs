//! Host names: UTS 46, by rows of Unicode's IdnaTestV2.txt (16.0.0), one for each kind of name that is mapped, and one for each set of
//! status codes that refuses it. `scripts/suites` runs all of its 6,000.

use std::borrow::Cow;

use percent_simd::iri::host_to_ascii;

/// Names, and what toASCII (not transitional) makes of them.
const MAPPED: &[(&str, &str)] = &[
    ("faß.de", "xn--fa-hia.de"),
    ("xn--fa-hia.de", "xn--fa-hia.de"),
    ("à.\u{5D0}\u{308}", "xn--0ca.xn--ssa73l"),
    ("a\u{300}.\u{5D0}\u{308}", "xn--0ca.xn--ssa73l"),
    ("xn--0ca.xn--ssa73l", "xn--0ca.xn--ssa73l"),
    ("a\u{94D}\u{200C}b", "xn--ab-fsf604u"),
    ("xn--ab-fsf", "xn--ab-fsf"),
    ("a\u{94D}b", "xn--ab-fsf"),
    ("xn--ab-fsf604u", "xn--ab-fsf604u"),
    ("\u{A1}", "xn--7a"),
    ("xn--7a", "xn--7a"),
    ("\u{19DA}", "xn--pkf"),
    ("xn--pkf", "xn--pkf"),
    ("\u{AB60}", "xn--3y9a"),
    ("xn--3y9a", "xn--3y9a"),
    ("Bücher.de", "xn--bcher-kva.de"),
    ("Bu\u{308}cher.de", "xn--bcher-kva.de"),
    ("xn--bcher-kva.de", "xn--bcher-kva.de"),
    ("ÖBB", "xn--bb-eka"),
    ("O\u{308}BB", "xn--bb-eka"),
    ("FAẞ.de", "xn--fa-hia.de"),
    ("βόλος.com", "xn--nxasmm1c.com"),
    ("βο\u{301}λος.com", "xn--nxasmm1c.com"),
    ("xn--nxasmm1c", "xn--nxasmm1c"),
    ("βόλος", "xn--nxasmm1c"),
    ("βο\u{301}λος", "xn--nxasmm1c"),
    ("www.ශ\u{DCA}\u{200D}ර\u{DD3}.com", "www.xn--10cl1a0b660p.com"),
    ("www.ශ\u{DCA}ර\u{DD3}.com", "www.xn--10cl1a0b.com"),
    ("\u{646}\u{627}\u{645}\u{647}\u{200C}\u{627}\u{6CC}", "xn--mgba3gch31f060k"),
    ("xn--mgba3gch31f", "xn--mgba3gch31f"),
    ("\u{646}\u{627}\u{645}\u{647}\u{627}\u{6CC}", "xn--mgba3gch31f"),
    ("xn--mgba3gch31f060k", "xn--mgba3gch31f060k"),
    ("xn--mgba3gch31f060k.com", "xn--mgba3gch31f060k.com"),
    ("\u{646}\u{627}\u{645}\u{647}\u{200C}\u{627}\u{6CC}.com", "xn--mgba3gch31f060k.com"),
    ("\u{646}\u{627}\u{645}\u{647}\u{627}\u{6CC}.com", "xn--mgba3gch31f.com"),
    ("u\u{308}.u\u{308}", "xn--tda.xn--tda"),
    ("\u{65E5}\u{672C}\u{8A9E}\u{3002}\u{FF2A}\u{FF30}", "xn--wgv71a119e.jp"),
    ("\u{65E5}\u{672C}\u{8A9E}\u{3002}JP", "xn--wgv71a119e.jp"),
    ("xn--wgv71a119e.jp", "xn--wgv71a119e.jp"),
    ("\u{2615}", "xn--53h"),
    ("\u{5919}", "xn--bss"),
    ("ˣ\u{34F}ℕ\u{200B}\u{FE63}\u{AD}\u{FF0D}\u{180C}ℬ\u{FE00}ſ\u{2064}\u{1D530}\u{E01EF}\u{FB04}", "xn--bssffl"),
    ("x\u{34F}N\u{200B}-\u{AD}-\u{180C}B\u{FE00}s\u{2064}s\u{E01EF}ffl", "xn--bssffl"),
    ("\u{5921}\u{591E}\u{591C}\u{5919}", "xn--bssffl"),
    ("\u{5D0}\u{5C7}", "xn--vdbr"),
    ("\u{5D0}9\u{5C7}", "xn--9-ihcz"),
    ("xn--4db6c", "xn--4db6c"),
    ("xn--4db6c0a", "xn--4db6c0a"),
];

/// Names that toASCII refuses, and the status codes: `P`, `V`, `A` and `U` are steps of UTS 46, `B` and `C` the rules for names
/// from right to left and for joiners (RFC 5893, RFC 5892).
const REFUSED: &[(&str, &str)] = &[
    ("à\u{5D0}", "B5, B6"),
    ("0à.\u{5D0}", "B1"),
    ("à.\u{5D0}0\u{660}\u{5D0}", "B4"),
    ("\u{308}.\u{5D0}", "B1, V6"),
    ("à\u{2C7}.\u{5D0}", "B6"),
    ("a\u{200C}b", "C1"),
    ("\u{308}\u{200C}\u{308}\u{628}b", "B1, C1, V6"),
    ("a\u{628}\u{308}\u{200C}\u{308}", "B5, B6, C1"),
    ("a\u{628}\u{308}\u{200C}\u{308}\u{628}b", "B5"),
    ("a\u{200D}b", "C2"),
    ("\u{308}\u{200D}\u{308}\u{628}b", "B1, C2, V6"),
    ("a\u{628}\u{308}\u{200D}\u{308}", "B5, B6, C2"),
    ("a\u{628}\u{308}\u{200D}\u{308}\u{628}b", "B5, C2"),
    ("\u{3002}", "A4_1, A4_2"),
    ("xn--u-ccb", "V1"),
    ("a\u{2488}com", "V7"),
    ("xn--0.pt", "P4"),
    ("xn--xn--a--gua.pt", "V2, V4"),
    ("\u{200C}x\u{200D}n\u{200C}-\u{200D}-bß", "C1, C2"),
    ("a.b..-q--a-.e", "V2, V3, A4_2"),
    ("a..c", "A4_2"),
    ("a.-b.", "V3, A4_2"),
    ("a.b-.c", "V3"),
    ("a.b.\u{308}c.d", "V6"),
    ("b-.\u{5D0}", "B6, V3"),
    ("\u{5D0}a\u{5C7}", "B2, B3"),
    ("\u{5D0}T\u{5EA}", "B2"),
    ("\u{644}\u{670}\u{200C}\u{6ED}", "B3, C1"),
    ("\u{200D}\u{3002}\u{3002}\u{6B9}\u{200C}", "B1, B3, C1, C2, A4_2"),
    ("$", "U1"),
    ("xn--", "P4, A4_1, A4_2"),
    ("\u{2495}\u{221D}\u{65F}\u{93926}\u{FF0E}-\u{E012F}", "V3, V7"),
    ("\u{226F}\u{603}\u{FF61}-", "B1, V3, V7"),
    ("\u{2F9B}\u{10E67}\u{2F95}.ᅟ\u{E05F0}ςႭ", "B1, B5, V7"),
    ("\u{1E900}\u{1E945}\u{58431}\u{3002}\u{E010C}Ⴣ\u{A865}", "B2, B3, V7"),
    ("\u{8E2}\u{1107F}ς\u{16B31}\u{3002}\u{E0161}\u{B827}", "B1, V7"),
    ("-\u{200D}\u{3002}\u{1E90D}\u{200C}\u{200D}\u{2488}", "B1, C1, C2, V3, V7"),
    ("-\u{200D}\u{3002}\u{1E90D}\u{200C}\u{200D}1.", "B1, C1, C2, V3, A4_2"),
    ("-.xn--1-0i8r.", "B1, V3, A4_2"),
    ("\u{200C}\u{853AD}.Ⴒ\u{111C0}", "C1, V7"),
    ("\u{E01BE}\u{FF0E}\u{1E008}", "V6, A4_2"),
    ("\u{E0435}\u{200C}1..\u{E0387}", "C1, V7, A4_2"),
    ("xn--1-bs31m..xn--tv36e", "V7, A4_2"),
    ("\u{774}\u{200C}\u{1E93F}\u{3002}\u{3D610}\u{425C}\u{200D}\u{7F93C}", "C1, C2, V7"),
    ("\u{94B5C}ςᡱ1..\u{226E}\u{11133}\u{200D}\u{10B8D}", "B1, V7, A4_2"),
    ("\u{2763}\u{200D}\u{FF0E}\u{9CD}\u{11C3D}\u{612}\u{A929}", "C2, V6"),
    ("\u{CCC}\u{109C5}\u{10CCF}\u{E0CBA}\u{FF61}\u{CCD}ᠦ", "B1, V6, V7"),
    ("xn--ok3d.xn--psd", "V6, V7"),
    ("-\u{1E906}\u{200D}\u{3002}\u{F8F04}\u{1ECD2}", "B1, B5, B6, C2, V3, V7"),
    ("\u{1D7FF}\u{10B8B}\u{3002}\u{E010A}", "B1, A4_2"),
    ("\u{DF1C7}-\u{47D6}F\u{3002}\u{7CB}\u{2488}\u{662}", "B4, V7"),
    ("\u{200C}\u{FF61}\u{10E7A}", "B1, C1"),
    ("\u{7BB39}\u{11235}\u{3002}\u{200D}\u{1EA36}", "B1, C2, V7"),
    ("\u{200C}\u{3DB04}\u{10E74}\u{1EA65}\u{3002}\u{226F}6", "B1, C1, V7"),
    ("\u{1107F}\u{FF0E}\u{10E66}\u{3B7B5}-\u{200D}", "B1, C2, V6, V7"),
    ("xn--q30d.xn----i26i1299n", "B1, V3, V6, V7"),
    ("\u{661}\u{1B44}-\u{D0BC}.\u{1BAA}\u{616}\u{66C}\u{226F}", "B1, B5, B6, V6"),
    ("-\u{3002}\u{6C2}\u{604}\u{855A1}\u{114C2}", "B1, B2, B3, V3, V7"),
    ("\u{200D}\u{EF456}\u{E0050}\u{FF0E}\u{5BD}\u{19BB0}\u{A85D}\u{102E1}", "C2, V6, V7"),
    ("Ⴙ\u{638}.\u{E0193}\u{200D}", "B1, B5, B6, C2"),
    ("xn--3gb910r.", "B5, B6, A4_2"),
    ("xn--3gb194c.", "B5, B6, V7, A4_2"),
    ("xn--3gb194c.xn--1ug", "B1, B5, B6, C2, V7"),
];

/// Returns what `host_to_ascii` makes of a host by itself.
fn to_ascii(name: &str) -> Option<String> {
    let found = host_to_ascii(&format!("//{name}")).map(Cow::into_owned);
    found.ok().map(|host| host[2..].to_string())
}

#[test]
fn names_are_mapped_or_refused() {
    for &(name, ascii) in MAPPED {
        // A name in ASCII that is good is left as it is: letters are as good in upper case.
        assert!(to_ascii(name).is_some_and(|found| found.eq_ignore_ascii_case(ascii)), "{name}");
    }
    for &(name, codes) in REFUSED {
        assert_eq!(to_ascii(name), None, "{name}: {codes}");
    }
}

/// The file itself, whose path is in `PERCENT_SIMD_IDNA_TEST`.
///
/// Different here: names with a delimiter of a URI, which end the host; a dot at the end, which RFC 3986 3.2.2 allows (`A4_2`);
/// hyphens in the third and fourth place, as in names that registries have sold (`V2`); ideographs that are in no Unicode yet,
/// which the tables of the `idna` crate let pass (`V7`).
#[test]
#[ignore = "for scripts/suites"]
fn the_whole_file() {
    let unescape = |text: &str| {
        let mut parts = text.split("\\u");
        let mut out = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let (digits, rest) = part.split_at(4);
            match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
                Some(c) => out.push(c),
                None => return None,
            }
            out.push_str(rest);
        }
        Some(if out == "\"\"" { String::new() } else { out })
    };
    let path = std::env::var("PERCENT_SIMD_IDNA_TEST").expect("PERCENT_SIMD_IDNA_TEST");
    let (mut tried, mut left_out, mut ahead) = (0, 0, 0);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let fields: Vec<&str> = line.split('#').next().unwrap_or_default().split(';').map(str::trim).collect();
        let [source, unicode, unicode_status, ascii, status, ..] = fields[..] else { continue };
        let pick = |field: &str, other: &str| if field.is_empty() { other.to_string() } else { field.to_string() };
        let unicode = pick(unicode, source);
        let (ascii, status) = (pick(ascii, &unicode), pick(status, &pick(unicode_status, "[]")));
        let (Some(source), Some(ascii)) = (unescape(source), unescape(&ascii)) else {
            left_out += 1; // a surrogate
            continue;
        };
        let delimited = source.contains(['/', '?', '#', '@', ':', '[', ']', '%', '\\']);
        let root = status == "[A4_2]" && source.ends_with(['.', '\u{3002}', '\u{FF0E}', '\u{FF61}']);
        if delimited || root || status == "[V2]" || source.is_empty() {
            left_out += 1;
            continue;
        }
        tried += 1;
        match to_ascii(&source) {
            Some(found) if status == "[]" => assert!(found.eq_ignore_ascii_case(&ascii), "{line}: {found}"),
            Some(found) if status == "[A4_2]" => assert!(found.ends_with('.'), "{line}: {found}"),
            Some(found) => {
                let unicode = unescape(&unicode).unwrap_or_default();
                assert!(status.contains("V7") && unicode.contains(|c| c >= '\u{20000}'), "{line}: {found}");
                ahead += 1;
            }
            None => assert_ne!(status, "[]", "{line}"),
        }
    }
    println!("{tried} names tried, {ahead} with characters of the future taken; {left_out} left out");
    assert!(tried > 6000 && ahead < 10);
}
