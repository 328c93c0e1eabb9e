//! Tests RFC 6570: URI Templates.

use std::sync::LazyLock;

use percent_standards::uri::template::{Modifier, Operator, Template, TemplateError, TemplateErrorKind, Value};
use percent_standards::uri::{self, FindingKind, lint};
use quickcheck::{Arbitrary, Gen};

use crate::common::Random;
use crate::grammar::Rule::{Alt, One, Seq, Text};
use crate::grammar::{Rule, many, optional, pct_encoded, repeat};
use crate::inputs::check;

/// The values of RFC 6570 3.2.
const VALUES: &[(&str, Value<'_>)] = &[
    ("count", Value::List(&["one", "two", "three"])),
    ("dom", Value::List(&["example", "com"])),
    ("dub", Value::Text("me/too")),
    ("hello", Value::Text("Hello World!")),
    ("half", Value::Text("50%")),
    ("var", Value::Text("value")),
    ("who", Value::Text("fred")),
    ("base", Value::Text("http://example.com/home/")),
    ("path", Value::Text("/foo/bar")),
    ("list", Value::List(&["red", "green", "blue"])),
    ("keys", Value::Pairs(&[("semi", ";"), ("dot", "."), ("comma", ",")])),
    ("v", Value::Text("6")),
    ("x", Value::Text("1024")),
    ("y", Value::Text("768")),
    ("empty", Value::Text("")),
    ("empty_keys", Value::Pairs(&[])),
    ("empty_list", Value::List(&[])),
];

fn expand(template: &str) -> String {
    let template = Template::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    let expanded = template.expand(VALUES).unwrap();
    assert_eq!(expanded.capacity(), expanded.len(), "{template}");
    expanded
}

#[test]
fn examples_of_rfc_6570() {
    for (template, expanded) in [
        // 1.2: examples that aren't in 3.2
        ("map?{x,y}", "map?1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("X{.x,y}", "X.1024.768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        // 2.4.1, 2.4.2
        ("{var:20}", "value"),
        ("{semi:2}", ""),
        ("find{?list*}", "find?list=red&list=green&list=blue"),
        ("www{.dom*}", "www.example.com"),
        // 3.2.1
        ("{count}", "one,two,three"),
        ("{count*}", "one,two,three"),
        ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"),
        ("{&count*}", "&count=one&count=two&count=three"),
        // 3.2.2
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        // 3.2.3
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("O{+undef}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list}", "red,green,blue"),
        ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        // 3.2.4
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("{#half}", "#50%25"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"),
        ("{#list*}", "#red,green,blue"),
        ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        // 3.2.5
        ("{.who}", ".fred"),
        ("{.who,who}", ".fred.fred"),
        ("{.half,who}", ".50%25.fred"),
        ("X{.var}", "X.value"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"),
        ("X{.empty_keys*}", "X"),
        // 3.2.6
        ("{/who}", "/fred"),
        ("{/who,who}", "/fred/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var}", "/value"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/var:1,var}", "/v/value"),
        ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
        ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        // 3.2.7
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        // 3.2.8
        ("{?who}", "?who=fred"),
        ("{?half}", "?half=50%25"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        // 3.2.9
        ("{&who}", "&who=fred"),
        ("{&half}", "&half=50%25"),
        ("{&var:3}", "&var=val"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&x,y,undef}", "&x=1024&y=768"),
        ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"),
        ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
        // 2.3: a list without members is undefined.
        ("a{?empty_list,empty_keys*}{/empty_list*}", "a"),
        // 3.1 and erratum 6937
        ("é%C3%a9'{var}'", "%C3%A9%C3%a9'value'"),
        ("", ""),
    ] {
        assert_eq!(expand(template), expanded, "{template}");
    }
}

#[test]
fn prefixes_and_empty_members_are_expanded() {
    let expand =
        |template, value| Template::parse(template).unwrap().expand(&[("v", value)]).map_err(|e| (e.offset, e.kind));
    let text = |template, text| expand(template, Value::Text(text)).unwrap();
    // A prefix counts characters before they are encoded.
    assert_eq!(text("{v:2}", "éàü"), "%C3%A9%C3%A0");
    assert_eq!(text("{v:1}", "%41"), "%25");
    // If triplets are kept, the triplets of one character count as one character.
    assert_eq!(text("{+v:1}", "%41b"), "%41");
    assert_eq!(text("{+v:2}", "%41%42%43"), "%41%42");
    assert_eq!(text("{+v:2}", "%C3%A9%e2%82%acx"), "%C3%A9%e2%82%ac");
    assert_eq!(text("{+v:2}", "%F0%9F%92%A9%41b"), "%F0%9F%92%A9%41");
    assert_eq!(text("{#v:2}", "%C3b%F0%9F%92"), "#%C3b");
    assert_eq!(text("{+v:1}", "%C3%00"), "%C3");
    assert_eq!(text("{+v:2}", "%zz%"), "%25z");
    assert_eq!(text("{+v:9999}", "%41%"), "%41%25");
    assert_eq!(text("{+v}", "%41%zz é"), "%41%25zz%20%C3%A9");
    // Empty members.
    for (template, expanded) in
        [("{v*}", ","), ("{v}", ","), ("{?v}", "?v=,"), ("{?v*}", "?v=&v="), ("{;v*}", ";v;v"), ("{/v*}", "//")]
    {
        assert_eq!(expand(template, Value::List(&["", ""])).as_deref(), Ok(expanded), "{template}");
    }
    for (template, expanded) in [
        ("{v*}", "a%26=,=b"),
        ("{v}", "a%26,,,b"),
        // If the operator writes names, the names of pairs are encoded as literals (3.2.1).
        ("{?v*}", "?a&=&=b"),
        ("{;v*}", ";a&;=b"),
    ] {
        assert_eq!(expand(template, Value::Pairs(&[("a&", ""), ("", "b")])).as_deref(), Ok(expanded), "{template}");
    }
    let composite = Err((7, TemplateErrorKind::PrefixOfComposite));
    assert_eq!(expand("/{a}/{+v:1}", Value::List(&["a"])), composite);
    assert_eq!(expand("/{a}/{+v:1}", Value::Pairs(&[("a", "b")])), composite);
    assert_eq!(expand("/{a}/{+v:1}", Value::List(&[])).as_deref(), Ok("//"));

    let template = Template::parse("{+a.b%41,c:12}{?d*}").unwrap();
    let variables: Vec<_> = template.variables().map(|v| (v.operator, v.name, v.modifier, v.offset)).collect();
    assert_eq!(
        variables,
        [
            (Operator::Reserved, "a.b%41", Modifier::None, 2),
            (Operator::Reserved, "c", Modifier::Prefix(12), 9),
            (Operator::Query, "d", Modifier::Explode, 16),
        ]
    );
    assert_eq!(template.to_string(), template.as_str());
}

#[test]
fn many_values_are_found_fast_and_the_first_one_counts() {
    // If each variable were compared with each value, this would take minutes. The names are numbered in a mixed order:
    // the multiples of 7919, modulo `COUNT`. The two numbers have no common divisor, so each number below `COUNT`
    // occurs once.
    const COUNT: usize = 100_000;
    let names: Vec<String> = (0..COUNT).map(|i| format!("a_long_prefix_of_all_names{:05}", i * 7919 % COUNT)).collect();
    let text: String = names.iter().rev().map(|name| format!("{{{name}}}")).collect();
    let values: Vec<_> = names.iter().map(|name| (&**name, Value::Text(&name[name.len() - 5..]))).collect();
    let expected: String = names.iter().rev().map(|name| &name[name.len() - 5..]).collect();
    assert!(Template::parse(&text).unwrap().expand(&values).unwrap() == expected);
    // We test few and many values. If a name has several values, the first value is used. Some names have no value.
    for count in [0, 1, 2, 15, 16, 17, 100] {
        let names: Vec<String> = (0..count).map(|i| format!("v{}", i / 2)).collect();
        let numbers: Vec<String> = (0..count).map(|i| format!("{i};")).collect();
        let values: Vec<_> =
            names.iter().zip(&numbers).rev().map(|(name, number)| (&**name, Value::Text(number))).collect();
        let first = |name: &str| values.iter().find(|(given, _)| *given == name).map(|&(_, value)| value);
        let template = Template::parse("{v0}{+v1,v7}{none}{v49,v50,v}").unwrap();
        assert_eq!(template.expand(&values), template.expand_with(first), "{count}");
    }
}

#[test]
fn template_errors_have_offset_and_kind() {
    use TemplateErrorKind::*;
    for (template, offset, kind) in [
        ("{/id*", 0, Unclosed),
        ("a{b{c", 1, Unclosed),
        ("/id*}", 4, Literal),
        ("{/?id}", 2, Name),
        ("{var:prefix}", 4, Modifier),
        ("{hello:2*}", 6, Modifier),
        ("{hello*:2}", 6, Modifier),
        ("{??hello}", 2, Name),
        ("{!hello}", 1, Operator),
        ("{=path}", 1, Operator),
        ("{|var*}", 1, Operator),
        ("{,a}", 1, Operator),
        ("{@a}", 1, Operator),
        ("{$var}", 1, Name),
        ("{*keys?}", 1, Name),
        ("{?empty=default,var}", 7, Name),
        ("{var}{-prefix|/-/|var}", 6, Name),
        ("?q={searchTerms}&amp;c={example:color?}", 31, Modifier),
        ("x{?empty|foo=none}", 8, Name),
        ("/h{#hello+}", 9, Name),
        ("{keys:0}", 5, Modifier),
        ("{keys:}", 5, Modifier),
        ("{keys:10000}", 5, Modifier),
        ("{keys:+1}", 5, Modifier),
        ("{;keys:1*}", 6, Modifier),
        ("/people/{~thing}", 9, Name),
        ("{default-graph-uri}", 8, Name),
        ("{?x, y}", 4, Name),
        ("{}", 1, Name),
        ("{?}", 2, Name),
        ("{a,}", 3, Name),
        ("{a..b}", 3, Name),
        ("{+.a}", 2, Name),
        ("{a.}", 3, Name),
        ("{a.*}", 3, Name),
        ("{%4}", 1, Escape),
        ("{?ab,cd%4}", 7, Escape),
        ("{é}", 1, Name),
        ("{{a}}", 1, Name),
        ("{a_-b}", 3, Name),
        ("a%", 1, Escape),
        ("{a}%zz", 3, Escape),
        ("a b", 1, Literal),
        ("a\"", 1, Literal),
        ("é\u{80}", 2, Literal),
        ("\u{FFFE}", 0, Literal),
        ("\u{FDD0}", 0, Literal),
        ("\u{E0001}", 0, Literal),
    ] {
        let error = TemplateError::new(offset, kind);
        assert_eq!(Template::parse(template), Err(error), "{template}");
        assert!(error.to_string().contains(&format!("byte {offset}")));
    }
    assert!(Template::parse("\u{9F}").is_err() && Template::parse("\u{A0}{a\u{A0}}").is_err());
    assert!(Template::parse("\u{A0}\u{E000}\u{F8FF}\u{FFEF}\u{10000}\u{10FFFD}[#?]~{a:9999}{_}{a_}").is_ok());
}

fn uri_template() -> Rule {
    let ucschar = |c: char| match c as u32 {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD => true,
        0x1_0000..=0xD_FFFF => !matches!(c as u32 % 0x1_0000, 0xFFFE | 0xFFFF),
        0xE_1000..=0xE_FFFD => true,
        _ => false,
    };
    let literal = Alt(vec![
        One(
            |c| matches!(c as u32, 0x21 | 0x23..=0x24 | 0x26..=0x3B | 0x3D | 0x3F..=0x5B | 0x5D | 0x5F | 0x61..=0x7A | 0x7E),
        ),
        One(ucschar),
        pct_encoded(),
    ]);
    let varchar = || Alt(vec![One(|c| c.is_ascii_alphanumeric() || c == '_'), pct_encoded()]);
    let varname = Seq(vec![varchar(), many(Seq(vec![optional(Text(".")), varchar()]))]);
    let digit = One(|c| c.is_ascii_digit());
    let prefix = Seq(vec![Text(":"), One(|c| ('1'..='9').contains(&c)), repeat(0, 3, digit)]);
    let varspec = Seq(vec![varname, optional(Alt(vec![prefix, Text("*")]))]);
    let list = Seq(vec![varspec.clone(), many(Seq(vec![Text(","), varspec]))]);
    let operator = optional(One(|c| "+#./;?&".contains(c)));
    many(Alt(vec![literal, Seq(vec![Text("{"), operator, list, Text("}")])]))
}

#[derive(Clone, Debug)]
struct HostileTemplate(String);

impl Arbitrary for HostileTemplate {
    fn arbitrary(g: &mut Gen) -> HostileTemplate {
        let mut random = Random(u64::arbitrary(g) | 1);
        let pieces = [
            "a", "{var}", "{?list*}", "{;keys*}", "{+half:2}", "{#hello,path:3}", "{&keys,x}", "{.dom*}", "{/list}",
            "{", "}", "{a", "b}", ",", ":", "*", "1", "0", ".", "%", "%41", "%C3%A9", "é", " ", "'", "+", "\u{FFFE}",
            "{var:3}",
        ];
        let odd = 9 + if random.one_in(2) { 0 } else { pieces.len() - 9 };
        let n = random.below(10);
        HostileTemplate((0..n).map(|_| pieces[random.below(odd)]).collect())
    }
}

#[test]
fn templates_match_the_grammar() {
    static RULE: LazyLock<Rule> = LazyLock::new(uri_template);
    check(20_000, |(HostileTemplate(one), HostileTemplate(two)): (HostileTemplate, HostileTemplate)| {
        let parsed = Template::parse(&one);
        assert_eq!(parsed.is_ok(), RULE.matches(&one), "{one}: {parsed:?}");
        match parsed {
            Ok(template) => {
                let expanded = template.expand(VALUES).unwrap();
                // The result has only characters that a URI may contain.
                assert_eq!(
                    lint(&expanded).find(|f| matches!(f.kind, FindingKind::Illegal | FindingKind::Malformed)),
                    None
                );
                // Expanding two joined templates gives the two expansions, joined.
                if Template::parse(&two).is_ok() {
                    assert_eq!(expand(&format!("{one}{two}")), expanded + &expand(&two));
                }
            }
            Err(error) => assert!(error.offset <= one.len() && one.is_char_boundary(error.offset)),
        }
    });
    check(3000, |text: String| {
        let encoded = |template: &str| Template::parse(template).unwrap().expand(&[("v", Value::Text(&text))]).unwrap();
        assert_eq!(encoded("{v}"), uri::encode_query_data(&text));
        assert_eq!(percent_simd::Decoder::new().decode_utf8(&encoded("{v}")).unwrap(), text);
        let prefix: String = text.chars().take(3).collect();
        assert_eq!(encoded("{v:3}"), uri::encode_query_data(&prefix));
        assert_eq!(Template::parse(&text).is_ok(), RULE.matches(&text));
    });
}

/// Tests 2.4.1: a triplet is never cut, and the triplets of one character count as one character. The first byte
/// decides how many triplets belong to a character.
#[test]
fn a_prefix_counts_the_triplets_of_a_character_once() {
    for character in ["\u{80}", "\u{7FF}", "\u{7C0}", "\u{800}", "\u{FFFD}", "\u{F000}", "\u{10000}", "\u{10FFFF}"] {
        let triplets: String = character.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let value = format!("{triplets}b");
        let template = Template::parse("{+v:1}").unwrap();
        assert_eq!(template.expand(&[("v", Value::Text(&value))]).unwrap(), triplets);
    }
}
