//! Registrable domains: each rule of the public suffix list, and the cases of its algorithm.

use std::collections::HashSet;

use percent_standards::uri::registrable_domain;

const LIST: &str = include_str!("../../src/uri/suffixes.txt");

/// Follows the [algorithm](https://github.com/publicsuffix/list/wiki/Format#algorithm) to the letter.
fn oracle<'a>(rules: &HashSet<&str>, host: &'a str) -> Option<&'a str> {
    // The names in the host, from the whole host to its last label.
    let names: Vec<&str> = host.match_indices('.').map(|(dot, _)| dot + 1).fold(vec![host], |mut names, start| {
        names.push(&host[start..]);
        names
    });
    let has = |mark: &str, name: &str| rules.contains(format!("{mark}{name}").as_str());
    let suffix = (0..names.len()).find(|&at| has("!", names[at])).map(|at| at + 1).unwrap_or_else(|| {
        let is_suffix = |&at: &usize| has("", names[at]) || names.get(at + 1).is_some_and(|parent| has("*.", parent));
        (0..names.len()).find(is_suffix).unwrap_or(names.len() - 1)
    });
    suffix.checked_sub(1).map(|at| names[at])
}

#[test]
fn each_rule_gives_the_domain_of_the_algorithm() {
    let rules: HashSet<&str> = LIST.lines().filter(|line| !line.starts_with("//")).collect();
    for rule in &rules {
        let name = rule.trim_start_matches(['!', '*', '.']);
        let parent = name.split_once('.').map_or(name, |(_, parent)| parent);
        for host in [name, parent, &format!("b.{name}"), &format!("x-y.a.b.{name}"), &format!("a.b.{parent}")] {
            assert_eq!(registrable_domain(host).as_deref(), oracle(&rules, host), "{host}");
            // A name that differs in one byte has another rule, or none.
            let other = host.replacen(['a', 'e', 'o'], "q", 1);
            assert_eq!(registrable_domain(&other).as_deref(), oracle(&rules, &other), "{other}");
        }
    }
    assert!(rules.len() > 10_000);
}

#[test]
fn hosts_have_the_domain_of_the_longest_rule() {
    for (host, domain) in [
        ("com", None),
        ("www.example.com", Some("example.com")),
        // No rule applies, so the last label is the suffix.
        ("a.b.no-such-suffix", Some("b.no-such-suffix")),
        ("no-such-suffix", None),
        // `*.ck`, and its exception `!www.ck`.
        ("ck", None),
        ("a.ck", None),
        ("b.a.ck", Some("b.a.ck")),
        ("www.ck", Some("www.ck")),
        ("a.www.ck", Some("www.ck")),
        // `jp`, `kobe.jp`'s rule `*.kobe.jp`, and its exception `!city.kobe.jp`.
        ("kobe.jp", Some("kobe.jp")),
        ("a.kobe.jp", None),
        ("b.a.kobe.jp", Some("b.a.kobe.jp")),
        ("a.city.kobe.jp", Some("city.kobe.jp")),
        // Both forms of a label.
        ("食狮.公司.cn", Some("食狮.公司.cn")),
        ("www.xn--85x722f.xn--55qx5d.cn", Some("xn--85x722f.xn--55qx5d.cn")),
        // These are no host names.
        ("", None),
        (".", None),
        (".com", None),
        ("a..com", None),
        ("//.com", Some("//.com")),
    ] {
        assert_eq!(registrable_domain(host).as_deref(), domain, "{host}");
    }
}
