//! Compares the sets in the catalogue with the grammars of their standards, and the operations of `ByteSet` with naive models.
//! The grammars are written out in this file, independently of the library.

use std::collections::{BTreeSet, HashSet};

use percent_simd::{ByteSet, Decoder, Encoder, RawEncoder, presets, sets};
use percent_simd_oracle::check;

/// For each set, the allowed bytes besides ASCII letters and digits, taken from its grammar.
const GRAMMAR: &[(&str, &str)] = &[
    ("RFC3986_UNRESERVED", "-._~"),
    ("RFC3986_SEGMENT", "!$&'()*+,-.:;=@_~"),
    ("RFC3986_PATH", "!$&'()*+,-./:;=@_~"),
    ("RFC3986_SEGMENT_NZ_NC", "!$&'()*+,-.;=@_~"),
    ("RFC3986_QUERY", "!$&'()*+,-./:;=?@_~"),
    ("RFC3986_USERINFO", "!$&'()*+,-.:;=_~"),
    ("RFC3986_REG_NAME", "!$&'()*+,-.;=_~"),
    ("RFC3986_URI", "!#$&'()*+,-./:;=?@[]_~"),
    ("RFC3986_URI_KEEP_PCT", "!#$%&'()*+,-./:;=?@[]_~"),
    ("RFC6570_U", "-._~"),
    ("RFC8141_NSS", "!$&'()*+,-./:;=@_~"),
    ("WHATWG_C0_CONTROL", r##" !"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##),
    ("WHATWG_FRAGMENT", r"!#$%&'()*+,-./:;=?@[\]^_{|}~"),
    ("WHATWG_QUERY", r"!$%&'()*+,-./:;=?@[\]^_`{|}~"),
    ("WHATWG_SPECIAL_QUERY", r"!$%&()*+,-./:;=?@[\]^_`{|}~"),
    ("WHATWG_PATH", r"!$%&'()*+,-./:;=@[\]_|~"),
    ("WHATWG_PATH_PRE2024", r"!$%&'()*+,-./:;=@[\]^_|~"),
    ("WHATWG_USERINFO", "!$%&'()*+,-._~"),
    ("WHATWG_COMPONENT", "!'()*-._~"),
    ("ECMA_ESCAPE", "*+-./@_"),
    ("RFC8187_ATTR_CHAR", "!#$&+-.^_`|~"),
    ("RFC2231_ATTRIBUTE_CHAR", "!#$&+-.^_`{|}~"),
    ("RFC6265_COOKIE_OCTET", "!#$%&'()*+-./:<=>?@[]^_`{|}~"),
    ("COOKIE_VALUE_DATA", "!#$&'()*+-./:<=>?@[]^_`{|}~"),
    ("RFC6068_QCHAR", "!$'()*+,-.:;@_~"),
    ("RFC6068_LOCAL_PART", "!$'()*+-.:_~"),
    ("RFC3875_EXTRA_PATH", "!$&'()*+,-./:@[]_~"),
    ("RFC3875_SEARCH_WORD", "!$&'()*,-./:;?@_~"),
    ("XLINK_ANYURI", "!#$%&'()*+,-./:;=?@[]_~"),
    ("GRPC_MESSAGE", r##" !"#$&'()*+,-./:;<=>?@[\]^_`{|}~"##),
    ("RFC2396_UNRESERVED", "!'()*-._~"),
    ("RFC2396_URIC", "!$&'()*+,-./:;=?@_~"),
    ("RFC2396_PCHAR", "!$&'()*+,-.:=@_~"),
    ("RFC2396_PATH", "!$&'()*+,-./:;=@_~"),
    ("RFC2396_REL_SEGMENT", "!$&'()*+,-.;=@_~"),
    ("RFC2396_USERINFO", "!$&'()*+,-.:;=_~"),
    ("RFC2396_REG_NAME", "!$&'()*+,-.:;=@_~"),
    ("RFC2732_URIC", "!$&'()*+,-./:;=?@[]_~"),
    ("RFC2141_TRANS", "!$'()*+,-.:;=@_"),
    ("RFC1808_PCHAR", "!$&'()*+,-.:=@_"),
    ("RFC1738_UNRESERVED", "!$'()*+,-._"),
    ("RFC1738_XCHAR", "!$&'()*+,-./:;=?@_"),
    ("RFC1738_HTTP", "!$&'()*+,-.:;=@_"),
    ("RFC1738_FTP", "!$&'()*+,-.:=?@_"),
    ("RFC1738_USER", "!$&'()*+,-.;=?_"),
    ("RFC1630_XALPHA", r#"!"$&'()*,-.@_"#),
    ("RFC1630_XPALPHA", r#"!"$&'()*+,-.@_"#),
    ("WHATWG_FORM", "*-._"),
    ("RFC6570_U_R", "!#$%&'()*+,-./:;=?@[]_~"),
    ("ECMA_ENCODE_URI", "!#$&'()*+,-./:;=?@_~"),
    ("ECMA_ENCODE_URI_COMPONENT", "!'()*-._~"),
    ("PY_QUOTE", "-./_~"),
    ("PY_QUOTE_PLUS", "-._~"),
    ("JAVA_URLENCODER", "*-._"),
    ("GO_QUERY_ESCAPE", "-._~"),
    ("GO_PATH_ESCAPE", "$&+-.:=@_~"),
    ("PHP_URLENCODE", "-._"),
    ("PHP_RAWURLENCODE", "-._~"),
    ("CURL_EASY_ESCAPE", "-._~"),
    ("RUBY_FORM_COMPONENT", "*-._"),
    ("RUBY_CGI_ESCAPE", "-._~"),
    ("PERL_URI_ESCAPE", "-._~"),
    ("ELIXIR_ENCODE_WWW_FORM", "-._~"),
    ("DOTNET_HTTPUTILITY", "!()*-._"),
    ("ALAMOFIRE_QUERY", "-./?_~"),
    ("PURL", "-.:_~"),
    ("W3C_BAGGAGE", "!#$&'()*+-./:<=>?@[]^_`{|}~"),
    ("AWS_SIGV4", "-._~"),
    ("AWS_SIGV4_PATH", "-./_~"),
    ("OAUTH1", "-._~"),
    ("TEXT_FRAGMENT", "!$'()*+./:;=?@_~"),
    ("WINDOWS_FILE_NAME", " !#$&'()+,-.;=@[]^_`{}~"),
    ("OTPAUTH_LABEL", "-.@_~"),
    ("GIT_CREDENTIAL", "-._~"),
    ("POSTGRES_USERINFO", "!$&'()*+,-.;=_~"),
    ("JSON_POINTER_FRAGMENT", "!$&'()*+,-./:;=?@_~"),
    ("SPIFFE", "-./_"),
    ("OCI_REFERENCE", "+-./:=@_"),
    ("DATA_URL", "!$&'()*+,-./:;=?@_~"),
];

/// Each set, and its aliases: the sets that have the same bytes under other names.
const ALIASES: &[(ByteSet, &[ByteSet])] = &[
    (
        sets::RFC3986_UNRESERVED,
        &[
            sets::RFC6570_U,
            presets::PY_QUOTE_PLUS.allowed(),
            presets::GO_QUERY_ESCAPE.allowed(),
            presets::PHP_RAWURLENCODE.allowed(),
            presets::CURL_EASY_ESCAPE.allowed(),
            presets::RUBY_CGI_ESCAPE.allowed(),
            presets::PERL_URI_ESCAPE.allowed(),
            presets::ELIXIR_ENCODE_WWW_FORM.allowed(),
            presets::AWS_SIGV4.allowed(),
            presets::OAUTH1.allowed(),
            presets::GIT_CREDENTIAL.allowed(),
        ],
    ),
    (sets::RFC3986_SEGMENT, &[sets::RFC2396_REG_NAME]),
    (sets::RFC3986_PATH, &[sets::RFC2396_PATH, sets::RFC8141_NSS]),
    (sets::RFC3986_SEGMENT_NZ_NC, &[sets::RFC2396_REL_SEGMENT]),
    (sets::RFC3986_QUERY, &[sets::RFC2396_URIC, presets::JSON_POINTER_FRAGMENT.allowed(), presets::DATA_URL.allowed()]),
    (sets::RFC3986_REG_NAME, &[presets::POSTGRES_USERINFO.allowed()]),
    (sets::COOKIE_VALUE_DATA, &[presets::W3C_BAGGAGE.allowed()]),
    (presets::PY_QUOTE.allowed(), &[presets::AWS_SIGV4_PATH.allowed()]),
    (sets::RFC3986_USERINFO, &[sets::RFC2396_USERINFO]),
    (sets::RFC3986_URI_KEEP_PCT, &[presets::RFC6570_U_R.allowed(), sets::XLINK_ANYURI]),
    (sets::RFC2396_UNRESERVED, &[sets::WHATWG_COMPONENT, presets::ECMA_ENCODE_URI_COMPONENT.allowed()]),
    (presets::WHATWG_FORM.allowed(), &[presets::JAVA_URLENCODER.allowed(), presets::RUBY_FORM_COMPONENT.allowed()]),
];

/// The sets that keep `%`. After encoding with them, decoding doesn't restore the input.
const NOT_REVERSIBLE: &[&str] = &[
    "RFC3986_URI_KEEP_PCT", "WHATWG_C0_CONTROL", "WHATWG_FRAGMENT", "WHATWG_QUERY", "WHATWG_SPECIAL_QUERY",
    "WHATWG_PATH", "WHATWG_PATH_PRE2024", "WHATWG_USERINFO", "RFC6265_COOKIE_OCTET", "XLINK_ANYURI", "RFC6570_U_R",
];

const SPACE_TO_PLUS: &[&str] = &[
    "WHATWG_FORM", "PY_QUOTE_PLUS", "JAVA_URLENCODER", "GO_QUERY_ESCAPE", "PHP_URLENCODE", "RUBY_FORM_COMPONENT",
    "RUBY_CGI_ESCAPE", "ELIXIR_ENCODE_WWW_FORM", "DOTNET_HTTPUTILITY",
];

fn names_where(wanted: impl Fn(&presets::Preset) -> bool) -> Vec<&'static str> {
    let entries = presets::CATALOGUE.iter().filter(|entry| wanted(entry));
    entries.map(|entry| entry.name).collect()
}

fn allows_all(set: ByteSet, bytes: &str) -> bool {
    bytes.bytes().all(|byte| set.contains(byte))
}

fn allows_none(set: ByteSet, bytes: &str) -> bool {
    !bytes.bytes().any(|byte| set.contains(byte))
}

// The catalogue.

#[test]
fn every_set_equals_its_grammar() {
    for (entry, &(name, punctuation)) in presets::CATALOGUE.iter().zip(GRAMMAR) {
        assert_eq!(entry.name, name);
        for byte in 0..=255u8 {
            let expected = byte.is_ascii_alphanumeric() || punctuation.as_bytes().contains(&byte);
            assert_eq!(entry.allowed.contains(byte), expected, "{name}, byte {byte:#04X}");
        }
    }
}

#[test]
fn the_catalogue_has_each_name_once() {
    assert_eq!(GRAMMAR.len(), presets::CATALOGUE.len());
    let names: HashSet<_> = presets::CATALOGUE.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), presets::CATALOGUE.len());
    // `by_name` converts only its argument to upper case and `_`, so the names in the catalogue must already have this form.
    let folded = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    assert!(names.iter().all(|name| name.bytes().all(folded)));
    assert!(presets::CATALOGUE.iter().all(|entry| !entry.clause.is_empty()));
}

#[test]
fn only_the_listed_presets_have_options() {
    assert_eq!(names_where(|entry| entry.space_to_plus), SPACE_TO_PLUS);
    assert_eq!(names_where(|entry| entry.lowercase), ["DOTNET_HTTPUTILITY"]);
    assert_eq!(names_where(|entry| entry.keep_triplets), ["RFC6570_U_R"]);
    for entry in presets::CATALOGUE.iter().filter(|entry| entry.space_to_plus) {
        assert!(allows_none(entry.allowed, " +"), "{}: `+` would mean two bytes", entry.name);
    }
}

#[test]
fn presets_encode_with_their_options() {
    for (preset, expected) in [
        (presets::PY_QUOTE_PLUS, "a+b%2F~"),
        (presets::PY_QUOTE, "a%20b/~"),
        (presets::WHATWG_FORM, "a+b%2F%7E"),
        (presets::DOTNET_HTTPUTILITY, "a+b%2f%7e"),
        (presets::ECMA_ENCODE_URI, "a%20b/~"),
    ] {
        assert_eq!(preset.encode("a b/~"), expected);
    }
    assert_eq!(presets::RFC6570_U_R.encode("%41 %"), "%41%20%25");
    for preset in presets::CATALOGUE {
        let options = [preset.space_to_plus, preset.lowercase, preset.keep_triplets];
        let text = options.map(|option| if option { "true" } else { "" }).concat();
        assert_eq!(format!("{:?}", preset.encoder()).matches("true").collect::<String>(), text, "{}", preset.name);
    }
}

/// Encodes values that users of these systems have reported. The comments name the project and the report.
#[test]
fn presets_give_the_results_that_users_expect() {
    for (preset, data, encoded) in [
        (presets::AWS_SIGV4_PATH, "data/asset_id=my-asset/dt=2024", "data/asset_id%3Dmy-asset/dt%3D2024"), // curl 13754
        (presets::AWS_SIGV4, "abc@def(x)*'", "abc%40def%28x%29%2A%27"),                                    // soto 601
        (presets::AWS_SIGV4_PATH, "bucket/folder/my file+1.txt", "bucket/folder/my%20file%2B1.txt"), // supabase storage 1377
        (presets::AWS_SIGV4, "repro~x", "repro~x"),                                                  // vortex 9420
        (presets::OAUTH1, "*", "%2A"), // async-http-client 1216
        (presets::OAUTH1, "#b ar!,$'()~", "%23b%20ar%21%2C%24%27%28%29~"),
        (presets::PURL, "Foo: <Bar>", "Foo:%20%3CBar%3E"), // packageurl-python 152
        (presets::PURL, "NSData+zlib", "NSData%2Bzlib"),   // purl-spec 588
        (presets::W3C_BAGGAGE, "a b+c%,;\"\\=é", "a%20b+c%25%2C%3B%22%5C=%C3%A9"), // opentelemetry-python 5566
        (presets::TEXT_FRAGMENT, "tables-3.2, a & b", "tables%2D3.2%2C%20a%20%26%20b"), // mdn content 37964
        (presets::WINDOWS_FILE_NAME, r"aaa : \ | ? * > <.txt", "aaa %3A %5C %7C %3F %2A %3E %3C.txt"), // internetarchive 716
        (presets::OTPAUTH_LABEL, "My Co", "My%20Co"),                                                  // keycloak 52296
        (presets::OTPAUTH_LABEL, "Test: Foo", "Test%3A%20Foo"),                                        // Aegis 1701
        (presets::OTPAUTH_LABEL, "alice@example.com", "alice@example.com"),
        (presets::POSTGRES_USERINFO, "us:er", "us%3Aer"), // node-postgres 3013
        (presets::POSTGRES_USERINFO, "p@ss:w/rd#1%^$?[ ]", "p%40ss%3Aw%2Frd%231%25%5E$%3F%5B%20%5D"),
        (presets::GIT_CREDENTIAL, "a@b:/c\n", "a%40b%3A%2Fc%0A"),
        (presets::JSON_POINTER_FRAGMENT, "/c%d", "/c%25d"), // json_schemer 54
        (presets::JSON_POINTER_FRAGMENT, r#"/e^f /g|h /i\j /k"l"#, "/e%5Ef%20/g%7Ch%20/i%5Cj%20/k%22l"),
        (presets::JSON_POINTER_FRAGMENT, "/m~0n/~1some~1{id}", "/m~0n/~1some~1%7Bid%7D"),
        (presets::DATA_URL, "<p id=a#b>100%", "%3Cp%20id=a%23b%3E100%25"),
    ] {
        assert_eq!(preset.encode(data), encoded, "{data}");
        assert_eq!(Decoder::new().decode_utf8(encoded).unwrap(), data);
    }
    let readable = RawEncoder::new(presets::WINDOWS_FILE_NAME.allowed() | ByteSet::range(0x80, 0xFF));
    assert_eq!(readable.encode_str(r"aaa : \ | ? * > < é.txt"), "aaa %3A %5C %7C %3F %2A %3E %3C é.txt");
}

/// The presets `SPIFFE` and `OCI_REFERENCE` are only for checks, because the texts that they are for have no escapes.
#[test]
fn checks_find_the_first_character_that_is_not_allowed() {
    for (preset, text, found) in [
        (presets::SPIFFE, "/ns/staging/sa/web-fe_1.0", None),
        (presets::SPIFFE, "/ns/a b", Some(5)),
        (presets::SPIFFE, "/ns/%61", Some(4)),
        (presets::SPIFFE, "/ns:80", Some(3)),
        (presets::OCI_REFERENCE, "registry.example.org:5000/library/debian:bookworm-slim", None),
        (presets::OCI_REFERENCE, "debian@sha256:6c3c624b58dbbcd3", None),
        (presets::OCI_REFERENCE, "debian@sha256+b64u:LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g", None),
        (presets::OCI_REFERENCE, "debian%3Alatest", Some(6)),
        (presets::OCI_REFERENCE, "débian", Some(1)),
    ] {
        assert_eq!(preset.first_changed(text), found, "{text}");
    }
}

#[test]
fn escaping_is_the_complement() {
    let bytes: Vec<u8> = (0..=255).collect();
    for preset in presets::CATALOGUE {
        assert_eq!(Encoder::escaping(!preset.allowed).encode(&bytes), Encoder::new(preset.allowed).encode(&bytes));
    }
    assert_eq!(Encoder::escaping(ByteSet::of(b"/")).encode("a/é"), "a%2F%C3%A9");
}

#[test]
fn only_the_listed_sets_leave_the_percent_sign() {
    assert_eq!(names_where(|entry| entry.allowed.contains(b'%')), NOT_REVERSIBLE);
}

#[test]
fn space_stays_raw_in_three_sets_only() {
    let raw = names_where(|entry| entry.allowed.contains(b' '));
    assert_eq!(raw, ["WHATWG_C0_CONTROL", "GRPC_MESSAGE", "WINDOWS_FILE_NAME"]);
}

#[test]
fn every_set_has_the_letters_and_digits_and_no_control() {
    for entry in presets::CATALOGUE {
        assert!((sets::ALPHANUMERIC - entry.allowed).is_empty(), "{}", entry.name);
        assert!((entry.allowed - ByteSet::ASCII).is_empty(), "{}", entry.name);
        assert!(entry.allowed.intersection(ByteSet::CONTROLS).is_empty(), "{}", entry.name);
    }
}

#[test]
fn aliases_are_equal() {
    for &(set, aliases) in ALIASES {
        for &alias in aliases {
            assert_eq!(alias, set);
        }
    }
    // No other sets are equal: without the aliases, the catalogue has as many sets as it has distinct sets.
    let distinct: HashSet<_> = presets::CATALOGUE.iter().map(|entry| entry.allowed).collect();
    let aliases: usize = ALIASES.iter().map(|(_, aliases)| aliases.len()).sum();
    assert_eq!(distinct.len(), presets::CATALOGUE.len() - aliases);
}

#[test]
fn the_building_blocks_of_grammars_have_their_characters() {
    assert_eq!(sets::RFC3986_GEN_DELIMS, ByteSet::of(b"#/:?@[]"));
    assert_eq!(sets::RFC3986_SUB_DELIMS, ByteSet::of(b"!$&'()*+,;="));
    assert_eq!(sets::RFC3986_RESERVED, ByteSet::of(b"!#$&'()*+,/:;=?@[]"));
    assert_eq!(sets::ECMA_DECODE_URI_PRESERVE, ByteSet::of(b"#$&+,/:;=?@"));
    assert_eq!(sets::ALPHANUMERIC.len(), 62);
    assert!((sets::RFC3986_RESERVED & sets::RFC3986_UNRESERVED).is_empty());
    // These are the characters that no URI may have, because they are neither reserved nor unreserved.
    let nowhere = ByteSet::range(0x20, 0x7E) - sets::RFC3986_URI;
    assert_eq!(nowhere, ByteSet::of(b" \"%<>\\^`{|}"));
}

#[test]
fn by_name_takes_any_spelling() {
    for entry in presets::CATALOGUE {
        let dashed = entry.name.replace('_', "-");
        let half_dashed = entry.name.replacen('_', "-", 1);
        let lower = entry.name.to_lowercase();
        for spelling in [entry.name, &dashed, &half_dashed, &lower, &dashed.to_lowercase()] {
            let found = presets::by_name(spelling).unwrap_or_else(|| panic!("{spelling}"));
            assert_eq!((found.name, found.allowed), (entry.name, entry.allowed), "{spelling}");
        }
    }
    assert_eq!(presets::by_name("Whatwg-Path_pre2024").unwrap().name, "WHATWG_PATH_PRE2024");
    for unknown in [
        "", "_", "RFC3986", "RFC3986_", "RFC3986_PAT", "RFC3986_PATHS", " RFC3986_PATH", "RFC3986 PATH",
        "RFC3986\u{2010}PATH", "ALPHANUMERIC",
    ] {
        assert!(presets::by_name(unknown).is_none(), "{unknown:?}");
    }
}

#[test]
fn the_revisions_changed_these_characters() {
    // RFC 1738 calls `~` unsafe, and the other early standards don't allow it either. RFC 2396 makes it unreserved.
    for old in [
        sets::RFC1630_XALPHA,
        sets::RFC1630_XPALPHA,
        sets::RFC1738_UNRESERVED,
        sets::RFC1738_XCHAR,
        sets::RFC1738_HTTP,
        sets::RFC1738_FTP,
        sets::RFC1738_USER,
        sets::RFC1808_PCHAR,
        sets::RFC2141_TRANS,
    ] {
        assert!(!old.contains(b'~'));
    }
    assert!(sets::RFC2396_UNRESERVED.contains(b'~') && sets::RFC3986_UNRESERVED.contains(b'~'));

    // `! * ' ( )` are unreserved in RFC 1738 and RFC 2396. RFC 3986 reserves them.
    assert!(allows_all(sets::RFC1738_UNRESERVED, "!*'()"));
    assert!(allows_all(sets::RFC2396_UNRESERVED, "!*'()"));
    assert!(allows_none(sets::RFC3986_UNRESERVED, "!*'()"));
    assert_eq!(sets::RFC2396_UNRESERVED - sets::RFC3986_UNRESERVED, ByteSet::of(b"!*'()"));
    assert!(allows_all(sets::RFC3986_SUB_DELIMS, "!*'()"));

    // `$ + ,` are unreserved in RFC 1738. RFC 2396 and RFC 3986 reserve them.
    assert!(allows_all(sets::RFC1738_UNRESERVED, "$+,"));
    assert!(allows_none(sets::RFC2396_UNRESERVED, "$+,"));
    assert!(allows_all(sets::RFC3986_SUB_DELIMS, "$+,"));

    // RFC 2396 allows no `#`, `[` and `]` in a URI. RFC 2732 allows the brackets, and RFC 3986 reserves all three.
    assert!(allows_none(sets::RFC2396_URIC, "#[]"));
    assert_eq!(sets::RFC2732_URIC - sets::RFC2396_URIC, ByteSet::of(b"[]"));
    assert!(allows_all(sets::RFC3986_URI, "#[]"));
    assert!(allows_none(sets::RFC1738_XCHAR, "#[]"));

    // Only the URI syntax of RFC 1630 allows `"`.
    let quote = names_where(|entry| entry.name.starts_with("RFC") && entry.allowed.contains(b'"'));
    assert_eq!(quote, ["RFC1630_XALPHA", "RFC1630_XPALPHA"]);

    // Each of these pairs of sets differs only in the given bytes: `^` in the path of a URL, `{ }` in a parameter, `+` in a
    // search.
    assert_eq!(sets::WHATWG_PATH_PRE2024 - sets::WHATWG_PATH, ByteSet::of(b"^"));
    assert_eq!(sets::RFC2231_ATTRIBUTE_CHAR - sets::RFC8187_ATTR_CHAR, ByteSet::of(b"{}"));
    assert_eq!(sets::RFC1630_XPALPHA - sets::RFC1630_XALPHA, ByteSet::of(b"+"));
}

#[test]
fn the_sets_of_the_url_standard_nest() {
    // Each set is a subset of the set before it. So the encoder of the later set escapes the same bytes and more.
    let chains: [&[ByteSet]; 3] = [
        &[sets::WHATWG_C0_CONTROL, sets::WHATWG_FRAGMENT],
        &[sets::WHATWG_C0_CONTROL, sets::WHATWG_QUERY, sets::WHATWG_SPECIAL_QUERY],
        &[
            sets::WHATWG_QUERY,
            sets::WHATWG_PATH_PRE2024,
            sets::WHATWG_PATH,
            sets::WHATWG_USERINFO,
            sets::WHATWG_COMPONENT,
            presets::WHATWG_FORM.allowed(),
        ],
    ];
    for chain in chains {
        assert!(chain.windows(2).all(|pair| (pair[1] - pair[0]).is_empty() && pair[0] != pair[1]));
    }
}

// The operations of `ByteSet`.

type Words = (u64, u64, u64, u64);
type Model = [bool; 256];

fn set_of((a, b, c, d): Words) -> ByteSet {
    ByteSet::from_words([a, b, c, d])
}

fn model_of((a, b, c, d): Words) -> Model {
    let words = [a, b, c, d];
    std::array::from_fn(|byte| words[byte / 64] & (1 << (byte % 64)) != 0)
}

fn agrees(set: ByteSet, model: impl Fn(usize) -> bool) -> bool {
    (0..256).all(|byte| set.contains(byte as u8) == model(byte))
}

#[test]
fn sets_keep_their_words() {
    fn holds(words: Words) -> bool {
        let (set, model) = (set_of(words), model_of(words));
        let (a, b, c, d) = words;
        set.words() == [a, b, c, d] && agrees(set, |byte| model[byte])
    }
    check(100, holds as fn(Words) -> bool);
}

#[test]
fn union_intersection_and_difference_agree_with_a_model() {
    fn holds(left: Words, right: Words) -> bool {
        let (x, y) = (set_of(left), set_of(right));
        let (p, q) = (model_of(left), model_of(right));
        agrees(x.union(y), |byte| p[byte] || q[byte])
            && agrees(x.intersection(y), |byte| p[byte] && q[byte])
            && agrees(x.difference(y), |byte| p[byte] && !q[byte])
            && x | y == x.union(y)
            && x & y == x.intersection(y)
            && x - y == x.difference(y)
            && (x == y) == (p == q)
    }
    check(100, holds as fn(Words, Words) -> bool);
}

#[test]
fn the_complement_agrees_with_a_model() {
    fn holds(words: Words) -> bool {
        let (set, model) = (set_of(words), model_of(words));
        agrees(set.complement(), |byte| !model[byte]) && !set == set.complement() && !!set == set
    }
    check(100, holds as fn(Words) -> bool);
}

#[test]
fn with_and_without_change_one_byte() {
    fn holds(words: Words, byte: u8) -> bool {
        let (set, model) = (set_of(words), model_of(words));
        let changed = usize::from(byte);
        agrees(set.with(byte), |other| other == changed || model[other])
            && agrees(set.without(byte), |other| other != changed && model[other])
    }
    check(100, holds as fn(Words, u8) -> bool);
}

#[test]
fn lengths_agree_with_a_model() {
    fn holds(words: Words) -> bool {
        let (set, model) = (set_of(words), model_of(words));
        let count = |model: &[bool]| model.iter().filter(|&&within| within).count();
        set.len() == count(&model)
            && set.is_empty() == (count(&model) == 0)
            && (set - ByteSet::ASCII).is_empty() == (count(&model[128..]) == 0)
    }
    check(100, holds as fn(Words) -> bool);
}

#[test]
fn iterators_yield_the_bytes_in_order() {
    fn holds(words: Words) -> bool {
        let (set, model) = (set_of(words), model_of(words));
        let expected: Vec<u8> = (0..=255).filter(|&byte| model[usize::from(byte)]).collect();
        set.iter().eq(expected) && set.iter().fold(ByteSet::EMPTY, ByteSet::with) == set
    }
    check(100, holds as fn(Words) -> bool);
}

#[test]
fn a_set_of_bytes_has_these_bytes() {
    fn holds(bytes: Vec<u8>) -> bool {
        let model: BTreeSet<u8> = bytes.iter().copied().collect();
        let set = ByteSet::of(&bytes);
        set.iter().eq(model.iter().copied()) && bytes.iter().copied().fold(ByteSet::EMPTY, ByteSet::with) == set
    }
    check(100, holds as fn(Vec<u8>) -> bool);
}

#[test]
fn every_range_has_the_bytes_from_first_to_last() {
    for first in 0..=255u8 {
        for last in 0..=255u8 {
            assert!(ByteSet::range(first, last).iter().eq(first..=last), "{first} to {last}");
        }
    }
    assert_eq!(ByteSet::range(255, 255), ByteSet::EMPTY.with(255));
    assert_eq!(ByteSet::range(0, 255), ByteSet::ALL);
    assert_eq!(ByteSet::range(1, 0), ByteSet::EMPTY);
    assert_eq!(ByteSet::range(255, 0), ByteSet::EMPTY);
}

#[test]
fn a_set_of_one_byte_has_only_this_byte() {
    for byte in 0..=255u8 {
        let set = ByteSet::of(&[byte]);
        assert_eq!((set.len(), set.is_empty()), (1, false));
        assert!(set.iter().eq([byte]) && set == ByteSet::EMPTY.with(byte));
        assert!(set.without(byte).is_empty());
    }
}

#[test]
fn ready_made_sets_have_their_bytes() {
    assert_eq!(ByteSet::default(), ByteSet::EMPTY);
    assert_eq!((ByteSet::EMPTY.len(), ByteSet::ALL.len()), (0, 256));
    assert!(ByteSet::EMPTY.is_empty() && !ByteSet::ALL.is_empty());
    assert_eq!(ByteSet::ALL.iter().count(), 256);
    for byte in 0..=255u8 {
        assert_eq!(ByteSet::ASCII.contains(byte), byte.is_ascii());
        assert_eq!(ByteSet::CONTROLS.contains(byte), byte.is_ascii_control());
    }
}

#[test]
fn debug_shows_the_characters() {
    for (set, shown) in [
        (ByteSet::EMPTY, r"ByteSet()"),
        (ByteSet::ALL, r"ByteSet(\x00-\xFF)"),
        (ByteSet::CONTROLS, r"ByteSet(\x00-\x1F\x7F)"),
        (ByteSet::of(b"a"), r"ByteSet(a)"),
        (ByteSet::of(b"ba"), r"ByteSet(ab)"),
        (ByteSet::of(b"cab"), r"ByteSet(a-c)"),
        (ByteSet::of(b" \\\xFE\xFF"), r"ByteSet(\x20\\\xFE\xFF)"),
        (ByteSet::of("\u{E9}".as_bytes()), r"ByteSet(\xA9\xC3)"),
        (sets::RFC3986_UNRESERVED, r"ByteSet(-.0-9A-Z_a-z~)"),
        (sets::RFC3986_GEN_DELIMS, r"ByteSet(#/:?@[])"),
        (sets::RFC3986_PATH, r"ByteSet(!$&-;=@-Z_a-z~)"),
        (presets::WHATWG_FORM.allowed(), r"ByteSet(*\-.0-9A-Z_a-z)"),
    ] {
        assert_eq!(format!("{set:?}"), shown);
    }
}

/// Calls every constructor and every query of `ByteSet` in a `const`.
const IN_CONST: (ByteSet, usize, bool) = {
    let set = ByteSet::of(b"abc")
        .union(ByteSet::of("\u{E9}".as_bytes()))
        .union(ByteSet::range(b'0', b'9'))
        .intersection(ByteSet::ASCII)
        .difference(ByteSet::CONTROLS)
        .with(b'-')
        .without(b'c')
        .complement()
        .complement();
    let set = ByteSet::from_words(set.words());
    let asked = set.contains(b'a') && !set.is_empty();
    (set, set.len(), asked)
};

const _: () = assert!(presets::CATALOGUE.len() == GRAMMAR.len() && presets::CATALOGUE[0].allowed.contains(b'~'));

#[test]
fn everything_works_in_a_const() {
    assert_eq!(IN_CONST, (ByteSet::of(b"-0123456789ab"), 13, true));
}

#[test]
fn the_first_byte_outside_of_a_set_is_found() {
    for entry in presets::CATALOGUE {
        for set in [entry.allowed, !entry.allowed, entry.allowed | ByteSet::range(0x80, 0xFF)] {
            let (inside, search) = (set.iter().next().unwrap(), RawEncoder::new(set));
            for byte in 0..=255 {
                for (len, at) in [(1, 0), (5, 3), (16, 15), (70, 0), (70, 63), (70, 64), (200, 199)] {
                    let mut input = vec![inside; len];
                    input[at] = byte;
                    let naive = input.iter().position(|&byte| !set.contains(byte));
                    assert_eq!(search.first_changed(&input), naive, "{}, {byte:#04X} at {at} of {len}", entry.name);
                }
            }
            assert_eq!(search.first_changed(""), None);
        }
    }
}
