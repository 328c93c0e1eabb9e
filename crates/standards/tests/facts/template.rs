//! Checks RFC 6570 with examples that the RFC itself doesn't have. (The RFC's own examples are in
//! tests/uri/rfc6570.rs.) The rows are from uritemplate-test: all rows of extended-tests.json (at 0b0907b59463) and of
//! negative-tests.json (at 0f8a51fc7716), and three rows of a later version. Two long values are cut short.

use percent_standards::uri::template::Value::{List, Pairs, Text};
use percent_standards::uri::template::{Template, Value};

fn check(values: &[(&str, Value<'_>)], cases: &[(&str, &str)]) {
    for &(template, expanded) in cases {
        let parsed = Template::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
        assert_eq!(parsed.expand(values).as_deref(), Ok(expanded), "{template}");
    }
}

#[test]
fn additional_examples_1_and_2() {
    let word = "šöäŸœñê€£¥‡ÑÒÓÔÕÖ×ØÙÚàáâãäåæçÿ";
    let encoded = "%C5%A1%C3%B6%C3%A4%C5%B8%C5%93%C3%B1%C3%AA%E2%82%AC%C2%A3%C2%A5%E2%80%A1%C3%91%C3%92%C3%93%C3%94%C3%95\
                   %C3%96%C3%97%C3%98%C3%99%C3%9A%C3%A0%C3%A1%C3%A2%C3%A3%C3%A4%C3%A5%C3%A6%C3%A7%C3%BF";
    let split = word.find('Ö').unwrap();
    let encoded_split = encoded.find("%C3%96").unwrap();
    let pairs = [(&word[..split], &word[split..])];
    let values = [
        ("id", Text("person")),
        ("token", Text("12345")),
        ("fields", List(&["id", "name", "picture"])),
        ("format", Text("json")),
        ("q", Text("URI Templates")),
        ("page", Text("5")),
        ("lang", Text("en")),
        ("geocode", List(&["37.76", "-122.427"])),
        ("first_name", Text("John")),
        ("last.name", Text("Doe")),
        ("Some%20Thing", Text("foo")),
        ("number", Text("6")),
        ("long", Text("37.76")),
        ("lat", Text("-122.427")),
        ("group_id", Text("12345")),
        ("query", Text("PREFIX dc: <http://purl.org/dc/elements/1.1/> SELECT ?book")),
        ("uri", Text("http://example.org/?uri=http%3A%2F%2Fexample.org%2F")),
        ("word", Text("drücken")),
        ("Stra%C3%9Fe", Text("Grüner Weg")),
        ("random", Text(word)),
        ("assoc_special_chars", Pairs(&pairs)),
    ];
    check(
        &values,
        &[
            ("{/id*}", "/person"),
            (
                "{/id*}{?fields,first_name,last.name,token}",
                "/person?fields=id,name,picture&first_name=John&last.name=Doe&token=12345",
            ),
            (
                "/search.{format}{?q,geocode,lang,locale,page,result_type}",
                "/search.json?q=URI%20Templates&geocode=37.76,-122.427&lang=en&page=5",
            ),
            ("/test{/Some%20Thing}", "/test/foo"),
            ("/set{?number}", "/set?number=6"),
            ("/loc{?long,lat}", "/loc?long=37.76&lat=-122.427"),
            (
                "/base{/group_id,first_name}/pages{/page,lang}{?format,q}",
                "/base/12345/John/pages/5/en?format=json&q=URI%20Templates",
            ),
            (
                "/sparql{?query}",
                "/sparql?query=PREFIX%20dc%3A%20%3Chttp%3A%2F%2Fpurl.org%2Fdc%2Felements%2F1.1%2F%3E%20SELECT%20%3Fbook",
            ),
            ("/go{?uri}", "/go?uri=http%3A%2F%2Fexample.org%2F%3Furi%3Dhttp%253A%252F%252Fexample.org%252F"),
            ("/service{?word}", "/service?word=dr%C3%BCcken"),
            ("/lookup{?Stra%C3%9Fe}", "/lookup?Stra%C3%9Fe=Gr%C3%BCner%20Weg"),
            ("{random}", encoded),
            ("{?assoc_special_chars*}", &format!("?{}={}", &encoded[..encoded_split], &encoded[encoded_split..])),
        ],
    );
    let values =
        [("id", List(&["person", "albums"])), ("fields", List(&["id", "name", "picture"])), ("token", Text("12345"))];
    check(
        &values,
        &[("{/id*}", "/person/albums"), ("{/id*}{?fields,token}", "/person/albums?fields=id,name,picture&token=12345")],
    );
}

#[test]
fn additional_examples_3_to_6() {
    let empty = [("empty_list", List(&[])), ("empty_assoc", Pairs(&[]))];
    for template in
        ["{/empty_list}", "{/empty_list*}", "{?empty_list}", "{?empty_list*}", "{?empty_assoc}", "{?empty_assoc*}"]
    {
        check(&empty, &[(template, "")]);
    }
    let numeric = [
        ("42", Text("The Answer, and Everything")),
        ("1337", List(&["leet", "as", "it", "can", "be"])),
        ("german", Pairs(&[("11", "elf"), ("12", "zwölf")])),
    ];
    check(
        &numeric,
        &[
            ("{42}", "The%20Answer%2C%20and%20Everything"),
            ("{?42}", "?42=The%20Answer%2C%20and%20Everything"),
            ("{1337}", "leet,as,it,can,be"),
            ("{?1337*}", "?1337=leet&1337=as&1337=it&1337=can&1337=be"),
            ("{?german*}", "?11=elf&12=zw%C3%B6lf"),
        ],
    );
    let explode = [
        ("id", Text("admin")),
        ("token", Text("12345")),
        ("tab", Text("overview")),
        ("keys", Pairs(&[("key1", "val1"), ("key2", "val2")])),
    ];
    check(
        &explode,
        &[
            ("{?id,token,keys*}", "?id=admin&token=12345&key1=val1&key2=val2"),
            ("{/id}{?token,keys*}", "/admin?token=12345&key1=val1&key2=val2"),
            ("{?id,token}{&keys*}", "?id=admin&token=12345&key1=val1&key2=val2"),
            ("/user{/id}{?token,tab}{&keys*}", "/user/admin?token=12345&tab=overview&key1=val1&key2=val2"),
        ],
    );
    let reserved = [
        ("id", Text("admin%2F")),
        ("not_pct", Text("%foo")),
        ("list", List(&["red%25", "%2Fgreen", "blue "])),
        ("keys", Pairs(&[("key1", "val1%2F"), ("key2", "val2%2F")])),
    ];
    check(
        &reserved,
        &[
            ("{+id}", "admin%2F"),
            ("{#id}", "#admin%2F"),
            ("{id}", "admin%252F"),
            ("{+not_pct}", "%25foo"),
            ("{#not_pct}", "#%25foo"),
            ("{not_pct}", "%25foo"),
            ("{+list}", "red%25,%2Fgreen,blue%20"),
            ("{#list}", "#red%25,%2Fgreen,blue%20"),
            ("{list}", "red%2525,%252Fgreen,blue%20"),
            ("{+keys}", "key1,val1%2F,key2,val2%2F"),
            ("{#keys}", "#key1,val1%2F,key2,val2%2F"),
            ("{keys}", "key1,val1%252F,key2,val2%252F"),
        ],
    );
}

#[test]
fn negative_tests() {
    for template in [
        "{/id*",
        "/id*}",
        "{/?id}",
        "{var:prefix}",
        "{hello:2*}",
        "{??hello}",
        "{!hello}",
        "{=path}",
        "{$var}",
        "{|var*}",
        "{*keys?}",
        "{?empty=default,var}",
        "{var}{-prefix|/-/|var}",
        "?q={searchTerms}&amp;c={example:color?}",
        "x{?empty|foo=none}",
        "/h{#hello+}",
        "/h#{hello+}",
        "{;keys:1*}",
        "?{-join|&|var,list}",
        "/people/{~thing}",
        "/sparql{?query){&default-graph-uri*}",
        "/resolution{?x, y}",
        "/{default-graph-uri}",
        "/sparql{?query,default-graph-uri}",
        "/sparql{?query){&default-graph-uri}",
    ] {
        assert!(Template::parse(template).is_err(), "{template}");
    }
    // If a variable has a prefix modifier, and its value is a list or pairs, this is an error. It is found only when
    // the value is known (2.4.1).
    let keys = [("keys", Pairs(&[("semi", ";"), ("dot", "."), ("comma", ",")]))];
    for template in ["{keys:1}", "{+keys:1}"] {
        assert!(Template::parse(template).unwrap().expand(&keys).is_err(), "{template}");
    }
    // The suite expects an error for a template that has no expression. We accept such a template, because the grammar
    // allows it (2).
    assert_eq!(Template::parse("/vars/:var").unwrap().expand(&[]).as_deref(), Ok("/vars/:var"));
}
