//! Tests the repair of links.

use std::borrow::Cow;

use percent_standards::uri::RepairKind::{self, *};
use percent_standards::uri::{Change, FindingKind, Repairer, Uri, lint, repair};

use crate::common::Random;
use crate::inputs::{Hostile, PIECES, check};

/// Checks the result of a repair, and the kinds of its changes in their order.
#[track_caller]
fn repaired(link: &str, expected: &str, kinds: &[RepairKind]) {
    let got = repair(link);
    assert_eq!(got.text, expected, "{link:?}");
    assert_eq!(got.changes.iter().map(|change| change.kind).collect::<Vec<_>>(), kinds, "{link:?}");
}

/// Checks that a repair doesn't change the link.
#[track_caller]
fn stays(link: &str) {
    repaired(link, link, &[]);
}

#[test]
fn each_kind_of_fault_is_repaired() {
    // RFC 3986 2.1 to 2.4: characters that a component can't contain.
    repaired("http://h/a b?c d#e f", "http://h/a%20b?c%20d#e%20f", &[Space, Space, Space]);
    repaired("http://h/a  b", "http://h/a%20%20b", &[Space]);
    repaired("http://h/é?€#😀", "http://h/%C3%A9?%E2%82%AC#%F0%9F%98%80", &[NonAscii, NonAscii, NonAscii]);
    repaired("http://h/100%/%zz?%4", "http://h/100%25/%25zz?%254", &[Percent, Percent, Percent]);
    repaired("http://[::1]/a[1]?b[]=c", "http://[::1]/a%5B1%5D?b%5B%5D=c", &[Bracket, Bracket, Bracket]);
    repaired("/{a}|`^\"<>\u{1}", "/%7Ba%7D%7C%60%5E%22%3C%3E%01", &[Illegal, Illegal]);
    repaired("/a#b#c", "/a#b%23c", &[Illegal]); // 3.5
    repaired("http://a@b:c d@h/", "http://a%40b:c%20d@h/", &[Illegal, Space]); // 3.2.1
    // ECMA-262 B.2.1
    repaired("/%u4E2D%uD83D%uDCA9%u0026", "/%E4%B8%AD%F0%9F%92%A9%26", &[UEscape]);
    repaired("/?a=1&amp;b=2&amp;amp;c=3", "/?a=1&b=2&c=3", &[Entity, Entity]);
    repaired("http:\\\\h\\a\\b?c\\d", "http://h/a/b?c%5Cd", &[Backslash, Backslash, Backslash, Illegal]);
    repaired("https://h\\a", "https://h/a", &[Backslash]);
    repaired("foo:a\\b", "foo:a%5Cb", &[Illegal]);
    repaired("http://h/caf%25C3%25A9%2520x", "http://h/caf%C3%A9%20x", &[DoubleEncoded]);
}

/// RFC 3986 Appendix C.
#[test]
fn text_around_a_link_is_removed() {
    for around in [
        " http://h/ ", "<http://h/>", "<URL:http://h/>", "\"http://h/\"", " <  \"http://h/\"\n>\u{A0}",
        "\u{202A}http://h/\u{202C}",
    ] {
        assert_eq!(repair(around).text, "http://h/", "{around:?}");
        assert!(repair(around).changes.iter().all(|change| change.kind == Surroundings));
    }
    let changes = repair(" <http://h/>").changes;
    assert_eq!(changes.iter().map(|change| change.range.clone()).collect::<Vec<_>>(), [0..2, 11..12]);
    repaired("<http://h/", "<http://h/", &[]); // one bracket isn't a pair, and the text before the first colon stays
    repaired("", "", &[]);
    repaired(" \n", "", &[Surroundings]);
}

/// Tests RFC 3986 Appendix C. Text like `(http://h/)` isn't a URI, because `(http` isn't a scheme, and without a
/// scheme, the first segment must not have a colon (4.2).
#[test]
fn punctuation_of_a_sentence_is_removed() {
    for around in [
        "(http://h/)", "(http://h/).", "[http://h/]", "'http://h/',", "`http://h/`", "“http://h/”;", "”http://h/”",
        "„http://h/“!", "„http://h/”", "‘http://h/’", "‚http://h/‘", "«http://h/»", "»http://h/«", "「http://h/」。",
        "（http://h/）", "\u{2039}http://h/\u{203A}", "<http://h/>.", "\"http://h/\"...", "(<http://h/>),",
        "“(http://h/).”", " ( http://h/ )\n",
    ] {
        assert_eq!(repair(around).text, "http://h/", "{around:?}");
        assert!(repair(around).changes.iter().any(|change| change.kind == Punctuation), "{around:?}");
        assert!(Uri::parse(around).is_err(), "{around:?}");
        let off = Repairer::new().without(Punctuation).repair(around);
        assert!(off.changes.iter().all(|change| change.kind != Punctuation), "{around:?}");
    }
    let changes = repair("<http://h/>.").changes;
    let found: Vec<_> = changes.iter().map(|change| (change.range.clone(), change.kind)).collect();
    assert_eq!(found, [(0..1, Surroundings), (10..12, Punctuation)]);
    repaired("(http://h/a_(b))", "http://h/a_(b)", &[Punctuation, Punctuation]);
    repaired("(http://[::1]/)", "http://[::1]/", &[Punctuation, Punctuation]);
    repaired("[http://[::1]/],", "http://[::1]/", &[Punctuation, Punctuation]);
    repaired("(http://h/a\n b)", "http://h/ab", &[Punctuation, LineBreak, Punctuation]);
    repaired("(http://h/a b).", "http://h/a%20b", &[Punctuation, Space, Punctuation]);
    for unclear in [
        // These links are valid, so the brackets and punctuation marks in them may be part of the link.
        "http://h/a_(b)", "http://h/a_(b).", "http://h/a)", "http://h/a.", "http://h/a,", "http://h/'a'", "(a)", "'a'",
        // One bracket or quote of the pair is missing.
        "(http://h/", "'http://h/.",
        // There are two links, or there is text around the link.
        "(http://a/)(http://b/)", "'http://a/','http://b/'", "(see:http://h/)", "(h.example/a)", "()",
    ] {
        stays(unclear);
    }
    let deep = ["(".repeat(10_000), "http://h/".into(), ")".repeat(10_000)].concat();
    assert_eq!(repair(&deep).text, "http://h/");
}

#[test]
fn lines_of_mail_are_joined() {
    repaired("http://h/aaa\r\nbbb", "http://h/aaabbb", &[LineBreak]);
    repaired("http://h/aaa \n\t bbb\n> ccc", "http://h/aaabbbccc", &[LineBreak, LineBreak]);
    repaired("http://h/a\u{2028}b", "http://h/ab", &[LineBreak]);
    repaired("http://h/a%\n20b", "http://h/a%20b", &[LineBreak]); // joining the lines makes the escape whole
    // RFC 2045 6.7, rules 1 and 5.
    repaired("http://h/aa=\nbb", "http://h/aabb", &[LineBreak]);
    repaired("http://h/?a=3D1&b=\r\n=3D2", "http://h/?a=1&b=2", &[LineBreak, LineBreak, LineBreak]);
    // If an `=` belongs to a parameter, it stays.
    repaired("http://h/?a=\n1", "http://h/?a=1", &[LineBreak]);
    repaired("http://h/?a=1&b=\n2", "http://h/?a=1&b=2", &[LineBreak]);
    repaired("http://h/?a=3D1&b=2\nc", "http://h/?a=3D1&b=2c", &[LineBreak]);
    // These texts have several links, the end of a paragraph, or a line break in a host.
    for unclear in [
        "http://h/a\nhttp://h/b", "http://h/a\n\nBye", "http://exam\nple.org/", "http:/\n/h/", "http:\n//h/", "=\n<h:>",
    ] {
        stays(unclear);
    }
}

/// Tests RFC 3986 3.2, 3.3 and 5.2.4, and URL Standard 4.4. A program may check a link before the repair. The result of
/// this check must still be right for the repaired link.
#[test]
fn no_repair_adds_a_host_or_a_dot_segment() {
    for link in [
        // A browser removes the line break, but a reader sees two lines.
        "http:\\ev\nil.example",
        "http:\\\nevil.example",
        "http:\\\n/evil.example",
        "http:\\h\n.evil.example/",
        "\\\\ev\nil.example",
        "https:ev\nil.example",
        "ht\ntp:\\evil.example",
        "http://h/.\n./a",
        "http://h/%2\ne%2e/a",
        "http://h/a%2\nfb",
        ".\n.",
        "http://h/a\\..\\b",
        "http:\\h\\%2e%2E",
        "http://h/%u002e%u002e/a",
        "http://h/.%u002E/a",
        "http://h/a%u002fb",
        "http://h/..%u005cb",
        "%u002e",
        "http://h/%252e%252e/caf%25C3%25A9",
        "http://h/%255C../caf%25C3%25A9",
    ] {
        stays(link);
    }
    // If a dot is next to other text, it isn't a dot segment.
    repaired("http://h/caf%25C3%25A9%252Ejpg", "http://h/caf%C3%A9%2Ejpg", &[DoubleEncoded]);
    repaired("http://h/a%u002ejpg", "http://h/a%2Ejpg", &[UEscape]);
    repaired("http://h/../a\nb", "http://h/../ab", &[LineBreak]);
    repaired("foo:a\\..\\b", "foo:a%5C..%5Cb", &[Illegal, Illegal]);
}

#[test]
fn unclear_text_stays() {
    for link in [
        // We don't guess an escape, a slash or a scheme.
        "http:/h/a", "http:h", "h.example/a", "http://h/%uD83D", "http://h/%uDCA9x", "http://h/%u002541",
        // `&amp;` stays outside of a query, and if no name with a `=` follows it. Other entities always stay.
        "/?a&amp;b", "/a&amp;b=c", "/#a&amp;b=c", "/?a&amp;=c", "/?a&lt;b=c",
        // Programs disagree about the host (CVE-2024-22243), or the text doesn't have a special scheme with two slashes
        // and a host after it.
        "https://evil.example\\@h/", "http:\\\\a\\@b/c", "http:\\a", "http:\\\\\\a", "C:\\a", "a\\b", "file:\\\\h\\a",
        // We can't be sure that these components were encoded twice.
        "/a%2520b%20", "/10.1000%252F182", "/100%25", "/%2541", "/%25FF%2520", "/a%252520b", "/%2500%2520",
        "/?u=http://h/a%2520b", "/?u=a%2520b%2526c",
        // We repair a host only by converting it to Punycode. So hosts with other faults stay.
        "http://a b/", "http://a[b/", "http://a%zz/", "http://a<b>/", "http://h%C3%A9é/", "http://c℀d.example/",
        "http://[::1/",
    ] {
        stays(link);
    }
    assert_eq!(repair("http://a b/").fault().unwrap().offset, 8);
    assert!(lint(&*repair("http://h/%uD83D").text).any(|found| found.kind == FindingKind::Malformed));
}

/// RFC 3987 3.1, `ToASCII`; UTS 46.
#[test]
fn a_host_becomes_punycode() {
    repaired("http://u@bücher.example:80/é", "http://u@xn--bcher-kva.example:80/%C3%A9", &[Idn, NonAscii]);
    repaired("//例え.テスト", "//xn--r8jz45g.xn--zckzah", &[Idn]);
    stays("http://b%C3%BCcher.example/"); // valid (RFC 3986 3.2.2)
    assert_eq!(Repairer::new().without(Idn).repair("http://é/é").text, "http://é/%C3%A9");
    // A function of the caller doesn't see a host that may end elsewhere for a browser.
    let repairer = Repairer::new().without(Backslash).without(LineBreak);
    for link in ["http://é\\b.example/", "http://é\nb.example/", "http://é\tb.example/", "http://é%2Fb.example/"] {
        assert_eq!(repairer.repair_with(link, |_| Some("a.example".into())).text, link);
    }
}

/// Tests the ends-in-a-number checker of URL Standard 3.5: browsers read such a host as an IPv4 address, or refuse it.
#[test]
fn a_host_that_ends_in_a_number_stays() {
    for link in ["http://a.１/", "http://１２７.1/", "http://１.２.３.４/", "http://a。⑳", "//é.0x1", "//é.1."]
    {
        stays(link);
    }
    repaired("http://１.é/", "http://1.xn--9ca/", &[Idn]);
}

/// RFC 3986 3.2.2.
#[test]
fn an_ipv6_address_gets_its_brackets() {
    repaired("https://2001:db8::1/", "https://[2001:db8::1]/", &[Ipv6]);
    repaired("http://u@::1?a b", "http://u@[::1]?a%20b", &[Ipv6, Space]);
    repaired("//::ffff:1.2.3.4", "//[::ffff:1.2.3.4]", &[Ipv6]);
    repaired("http://2001:DB8::a:1b/%zz", "http://[2001:DB8::a:1b]/%25zz", &[Ipv6, Percent]);
    repaired(r"http:\\::1\a", "http://[::1]/a", &[Backslash, Ipv6, Backslash]);
    // Only one reading leaves an address.
    repaired("http://1:2:3:4:5:6:7:8/", "http://[1:2:3:4:5:6:7:8]/", &[Ipv6]);
    repaired("http://1:2:3:4:5:6:7:8:443/", "http://[1:2:3:4:5:6:7:8]:443/", &[Ipv6]);
    repaired("http://2001:db8:::8080/", "http://[2001:db8::]:8080/", &[Ipv6]);
    repaired("http://::1:65536/", "http://[::1]:65536/", &[Ipv6]);
    for unclear in ["http://2001:db8::1:80/", "http://::1:2/", "http://1:2/", "http://a:b:c/", "http://fe80::1%25e/"] {
        stays(unclear);
    }
    assert_eq!(repair("http://u@::1/").changes[0].range, 9..12);
}

#[test]
fn each_kind_can_be_switched_off() {
    let link = "<http://u@é/a b\\c%u4E2D%[|é\nx?a&amp;b=%#%25C3%25A9>.";
    for &kind in RepairKind::ALL {
        let link = if kind == Ipv6 { "http://::1/" } else { link };
        let all = repair(link);
        let off = Repairer::new().without(kind).repair(link);
        assert!(all.changes.iter().any(|change| change.kind == kind), "{kind} is in the link");
        assert!(!off.changes.iter().any(|change| change.kind == kind), "{kind}");
        let only = Repairer::none().with(kind);
        assert!(only.has(kind) && !Repairer::new().without(kind).has(kind));
        assert!(only.repair(link).changes.iter().all(|change| change.kind == kind));
        assert!(!kind.name().is_empty() && !kind.reason().is_empty());
    }
    assert_eq!(Repairer::none().repair(link).text, link);
}

/// Links from reports to other projects, and the results that were expected there.
#[test]
fn reported_links_are_repaired() {
    for (link, expected) in [
        ("http://example.com/path%20with/100%", "http://example.com/path%20with/100%25"), // lemonlabsuk/scala-uri#30
        ("/nv/{\"gcV\":\"2.2\"}", "/nv/%7B%22gcV%22:%222.2%22%7D"),                       // seanmonstar/httparse#87
        ("/йо", "/%D0%B9%D0%BE"),                                                         // hyperium/http#715
        ("/?fields=id,cat[a~b]&x={|}^\"", "/?fields=id,cat%5Ba~b%5D&x=%7B%7C%7D%5E%22"),  // dhis2/dhis2-core#17578
        ("/MONITOR+FIXO%2BSENSOR", "/MONITOR+FIXO%2BSENSOR"),                             // sporkmonger/addressable#386
        ("/?wiki=Gesch%E4ft", "/?wiki=Gesch%E4ft"),                                       // dhasenan/urld#17
        ("https://evil.com＼.example.com/", "https://evil.com＼.example.com/"),           // scrapy/w3lib#280
        ("https://h/a%40b?X-Amz-Credential=A%2Fb", "https://h/a%40b?X-Amz-Credential=A%2Fb"), // jumpstarter-dev/jumpstarter#662
    ] {
        assert_eq!(repair(link).text, expected);
    }
}

/// Returns a random link. It consists of pieces that repairs look for.
fn link(random: &mut Random) -> String {
    const MORE: &[&str] = &[
        "\n", "\r\n", "=\n", "=3D", "\u{2028}", "&amp;", "amp;", "a=", "\\", "\\\\", "%u", "%u4E2D", "%uD83D",
        "%uDCA9", "%u0025", "%25", "25", "20", "%2520", "%25C3%25A9", "%252F", "\"", "> ", "ü", "http:\\\\h", ".",
        "..", "%2e", "%252e", "%u002e", "%u002f", "URL:", "\u{200B}", "\t", "(", ")", "'", ".", "“", "”,",
    ];
    let pick = |random: &mut Random, from: &[&str]| from[random.below(from.len())].to_string();
    let mut text = if random.one_in(2) {
        pick(random, &["http://h", "<http://", "(http://h", "“<http://", "http:\\\\", "//", "foo:", "/", "http://::1"])
    } else {
        String::new()
    };
    for _ in 0..random.below(12) {
        text += &if random.one_in(2) { pick(random, MORE) } else { pick(random, PIECES) };
    }
    text
}

/// Returns the host that RFC 3986 finds in a link.
fn host(link: &str) -> Option<String> {
    Uri::split(link).host().map(str::to_string)
}

/// Checks that the call for slices gives the same result, except for hosts. The length in its error must be sufficient.
#[track_caller]
fn assert_slice(repairer: Repairer, link: &str) {
    let repairer = repairer.without(Idn);
    let expected = repairer.repair(link);
    let mut out = vec![0; 4 * link.len()];
    let mut changes = Vec::new();
    let text = repairer.repair_slice(link, &mut out, |change| changes.push(change));
    assert_eq!((text, &changes), (Ok(&*expected.text), &expected.changes), "{link:?}");
    for cap in [0, expected.text.len().saturating_sub(1), expected.text.len()] {
        let Err(error) = repairer.repair_slice(link, &mut out[..cap], |_| {}) else { continue };
        assert!(cap < error.needed && error.needed <= 4 * link.len(), "{link:?}: {} for {cap}", error.needed);
        let has_lines = link.contains(['\r', '\n', '\u{2028}', '\u{2029}']);
        assert!(has_lines || error.needed == expected.text.len(), "{link:?}");
        assert!(repairer.repair_slice(link, &mut out[..error.needed], |_| {}).is_ok(), "{link:?}");
    }
}

/// Returns the host that a browser reads, and the number of dot segments in the path. The path is decoded once, because
/// some servers decode it before they split it. A line break is an ordinary character.
fn browser_view(link: &str) -> (Option<Vec<u8>>, usize) {
    let end = link.find(['?', '#']).unwrap_or(link.len());
    let (scheme, rest) = match link[..end].split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() && !scheme.contains(['/', '\\']) => (Some(scheme), rest),
        _ => (None, &link[..end]),
    };
    let is_special = scheme
        .is_none_or(|scheme| ["http", "https", "ftp", "ws", "wss", "file"].contains(&&*scheme.to_ascii_lowercase()));
    let slashes: &[char] = if is_special { &['/', '\\'] } else { &['/'] };
    let after = if is_special { rest.trim_start_matches(slashes) } else { rest.strip_prefix("//").unwrap_or(rest) };
    let count = rest.len() - after.len();
    let authority = (count >= 2 || is_special && scheme.is_some()).then(|| after.split(slashes).next().unwrap_or(""));
    // In `http:a`, RFC 3986 reads a path. But a browser reads a host, and decodes it.
    let decoded = |text: &str| percent_simd::Decoder::new().decode(text).into_owned();
    let host = authority.map(|authority| decoded(authority.rsplit('@').next().unwrap_or("")));
    let path = decoded(rest);
    let dots = path.split(|byte| b"/\\".contains(byte)).filter(|segment| [&b"."[..], b".."].contains(segment)).count();
    (host, dots)
}

#[track_caller]
fn assert_repair(link: &str) {
    let got = repair(link);
    // Without its surroundings, the link must lead to the same place before and after the repair.
    let bare = Repairer::none().with(Surroundings).with(Punctuation).repair(link).text.into_owned();
    let same_host = Repairer::new().without(Idn).without(Ipv6).repair(link).text.into_owned();
    assert_eq!(browser_view(&same_host), browser_view(&bare), "{link:?}");
    // Repairing again has no effect.
    let again = repair(&got.text);
    assert_eq!((&again.text, &*again.changes), (&got.text, &[][..]), "{link:?}");
    assert_eq!(got.changes.is_empty(), got.text == link, "{link:?}");
    assert_eq!(
        matches!(got.text, Cow::Borrowed(_)),
        got.changes.iter().all(|change| matches!(change.kind, Surroundings | Punctuation)),
        "{link:?}"
    );
    assert_slice(Repairer::new(), link);
    // The ranges are in order. They don't overlap, but the range of a line break can be inside the range of another
    // change.
    let is_ordered = |pair: &[Change]| pair[0].range.start <= pair[1].range.start;
    assert!(got.changes.windows(2).all(is_ordered), "{link:?} {:?}", got.changes);
    let mut end = 0;
    for change in got.changes.iter().filter(|change| change.kind != LineBreak) {
        assert!(link.is_char_boundary(change.range.start) && link.is_char_boundary(change.range.end));
        assert!(end <= change.range.start && change.range.start < change.range.end, "{link:?} {:?}", got.changes);
        end = change.range.end;
    }
    // The text outside the changes is also in the result, in the same order.
    let mut rest = &*got.text;
    let mut at = 0;
    for change in got.changes.iter().map(|change| change.range.clone()).chain(std::iter::once(link.len()..link.len())) {
        if let Some(kept) = link.get(at..change.start) {
            let found = rest.find(kept).unwrap_or_else(|| panic!("{link:?}: {kept:?} is lost"));
            rest = &rest[found + kept.len()..];
        }
        at = at.max(change.end);
    }
    // Some kinds change delimiters on purpose. Without these kinds, the components and the host stay.
    let plain = Repairer::new().without(Surroundings).without(Punctuation).without(Backslash);
    let result = plain.repair(link);
    let (before, after) = (Uri::split(link), Uri::split(&result.text));
    let shape = |uri: &Uri<'_>| {
        (
            uri.scheme.is_some(),
            uri.authority.is_some(),
            uri.userinfo().is_some(),
            uri.query.is_some(),
            uri.fragment.is_some(),
        )
    };
    assert_eq!(shape(&before), shape(&after), "{link:?}");
    let is_host_changed = result.changes.iter().any(|change| matches!(change.kind, Idn | Ipv6));
    assert!(is_host_changed || (host(link), before.port()) == (host(&result.text), after.port()), "{link:?}");
    assert_eq!(before.segments().count(), after.segments().count(), "{link:?}");
    // If the link is a valid URI, it stays. Only the kinds `Entity` and `DoubleEncoded` change valid URIs.
    if Uri::parse(link).is_ok() {
        let repairer = Repairer::new().without(Entity).without(DoubleEncoded);
        assert!(matches!(repairer.repair(link).text, Cow::Borrowed(text) if text == link), "{link:?}");
        assert_eq!(got.fault(), None);
    }
}

#[test]
fn repairs_keep_the_promises_of_their_documentation() {
    let mut random = Random::seeded(8);
    for _ in 0..60_000 {
        assert_repair(&link(&mut random));
    }
    check(10_000, |Hostile(link): Hostile| assert_repair(&link));
}

/// Tests that repairing again has no effect, for every subset of the kinds.
#[test]
fn each_subset_of_kinds_is_idempotent() {
    let mut random = Random::seeded(9);
    for _ in 0..40_000 {
        let mut repairer = Repairer::none();
        for &kind in RepairKind::ALL {
            if random.one_in(2) {
                repairer = repairer.with(kind);
            }
        }
        let link = link(&mut random);
        let once = repairer.repair(&link).text.into_owned();
        assert_eq!(repairer.repair(&once).text, once, "{link:?} {repairer:?}");
        assert_slice(repairer, &link);
    }
}
