//! A matcher for ABNF, with the rules of RFC 3986 Appendix A and RFC 6874.

use std::collections::BTreeSet;

/// A rule of ABNF. The type has only the forms of rules that Appendix A needs.
#[derive(Clone)]
pub enum Rule {
    /// One character for which the function returns true.
    One(fn(char) -> bool),
    /// This text, in upper or lower case (RFC 5234 2.3).
    Text(&'static str),
    Seq(Vec<Rule>),
    Alt(Vec<Rule>),
    /// `min*max`
    Repeat(usize, usize, Box<Rule>),
}

use Rule::{Alt, One, Seq, Text};

pub fn repeat(min: usize, max: usize, rule: Rule) -> Rule {
    Rule::Repeat(min, max, Box::new(rule))
}

pub fn many(rule: Rule) -> Rule {
    repeat(0, usize::MAX, rule)
}

pub fn optional(rule: Rule) -> Rule {
    repeat(0, 1, rule)
}

impl Rule {
    /// Returns the ends of all possible matches that start at `at`.
    fn ends(&self, text: &[char], at: usize) -> BTreeSet<usize> {
        match self {
            One(test) => text.get(at).filter(|&&c| test(c)).map(|_| at + 1).into_iter().collect(),
            Text(word) => {
                let word: Vec<char> = word.chars().collect();
                let here = text.get(at..at + word.len());
                let same = here.is_some_and(|here| here.iter().zip(&word).all(|(a, b)| a.eq_ignore_ascii_case(b)));
                same.then_some(at + word.len()).into_iter().collect()
            }
            Seq(rules) => rules.iter().fold(BTreeSet::from([at]), |starts, rule| {
                starts.into_iter().flat_map(|start| rule.ends(text, start)).collect()
            }),
            Alt(rules) => rules.iter().flat_map(|rule| rule.ends(text, at)).collect(),
            Rule::Repeat(min, max, rule) => {
                let mut current = BTreeSet::from([at]);
                let mut all = if *min == 0 { current.clone() } else { BTreeSet::new() };
                for count in 1..=*max {
                    let next: BTreeSet<usize> = current.iter().flat_map(|&start| rule.ends(text, start)).collect();
                    let is_new = !next.is_subset(&all);
                    if count >= *min {
                        all.extend(&next);
                    }
                    if next.is_empty() || count > *min && !is_new {
                        break;
                    }
                    current = next;
                }
                all
            }
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&text, 0).contains(&text.len())
    }
}

pub fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~".contains(c)
}

pub fn is_sub_delim(c: char) -> bool {
    "!$&'()*+,;=".contains(c)
}

pub fn hexdig() -> Rule {
    One(|c| c.is_ascii_hexdigit())
}

pub fn pct_encoded() -> Rule {
    Seq(vec![Text("%"), hexdig(), hexdig()])
}

pub fn pchar() -> Rule {
    Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c) || ":@".contains(c)), pct_encoded()])
}

pub fn segment() -> Rule {
    many(pchar())
}

pub fn segment_nz() -> Rule {
    repeat(1, usize::MAX, pchar())
}

pub fn segment_nz_nc() -> Rule {
    let one = Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c) || c == '@'), pct_encoded()]);
    repeat(1, usize::MAX, one)
}

pub fn query() -> Rule {
    many(Alt(vec![pchar(), One(|c| "/?".contains(c))]))
}

pub fn userinfo() -> Rule {
    many(Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c) || c == ':'), pct_encoded()]))
}

pub fn reg_name() -> Rule {
    many(Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c)), pct_encoded()]))
}

pub fn path_abempty() -> Rule {
    many(Seq(vec![Text("/"), segment()]))
}

pub fn path_absolute() -> Rule {
    Seq(vec![Text("/"), optional(Seq(vec![segment_nz(), path_abempty()]))])
}

pub fn ipv4() -> Rule {
    let digit = || One(|c| c.is_ascii_digit());
    let dec_octet = || {
        Alt(vec![
            digit(),
            Seq(vec![One(|c| ('1'..='9').contains(&c)), digit()]),
            Seq(vec![Text("1"), digit(), digit()]),
            Seq(vec![Text("2"), One(|c| ('0'..='4').contains(&c)), digit()]),
            Seq(vec![Text("25"), One(|c| ('0'..='5').contains(&c))]),
        ])
    };
    let dot = || Text(".");
    Seq(vec![dec_octet(), dot(), dec_octet(), dot(), dec_octet(), dot(), dec_octet()])
}

pub fn ipv6() -> Rule {
    let h16 = || repeat(1, 4, hexdig());
    let group = || Seq(vec![h16(), Text(":")]);
    let ls32 = || Alt(vec![Seq(vec![h16(), Text(":"), h16()]), ipv4()]);
    let groups = |n| repeat(n, n, group());
    let front = |n| optional(Seq(vec![repeat(0, n, group()), h16()]));
    let gap = || Text("::");
    Alt(vec![
        Seq(vec![groups(6), ls32()]),
        Seq(vec![gap(), groups(5), ls32()]),
        Seq(vec![optional(h16()), gap(), groups(4), ls32()]),
        Seq(vec![front(1), gap(), groups(3), ls32()]),
        Seq(vec![front(2), gap(), groups(2), ls32()]),
        Seq(vec![front(3), gap(), group(), ls32()]),
        Seq(vec![front(4), gap(), ls32()]),
        Seq(vec![front(5), gap(), h16()]),
        Seq(vec![front(6), gap()]),
    ])
}

pub fn ipv_future() -> Rule {
    let one = One(|c| is_unreserved(c) || is_sub_delim(c) || c == ':');
    Seq(vec![Text("v"), repeat(1, usize::MAX, hexdig()), Text("."), repeat(1, usize::MAX, one)])
}

pub fn authority(zoned: bool) -> Rule {
    let zone = || {
        let id = Alt(vec![One(is_unreserved), pct_encoded()]);
        Seq(vec![Text("%25"), repeat(1, usize::MAX, id)])
    };
    let mut literals = vec![ipv6(), ipv_future()];
    if zoned {
        literals.push(Seq(vec![ipv6(), zone()]));
    }
    let literal = Seq(vec![Text("["), Alt(literals), Text("]")]);
    let port = Seq(vec![Text(":"), many(One(|c| c.is_ascii_digit()))]);
    Seq(vec![optional(Seq(vec![userinfo(), Text("@")])), Alt(vec![literal, ipv4(), reg_name()]), optional(port)])
}

pub fn scheme() -> Rule {
    let rest = One(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    Seq(vec![One(|c| c.is_ascii_alphabetic()), many(rest)])
}

pub fn uri_reference(zoned: bool) -> Rule {
    let part = |rootless: Rule| {
        Alt(vec![
            Seq(vec![Text("//"), authority(zoned), path_abempty()]),
            path_absolute(),
            Seq(vec![rootless, path_abempty()]),
            Text(""),
        ])
    };
    let tail = || Seq(vec![optional(Seq(vec![Text("?"), query()])), optional(Seq(vec![Text("#"), query()]))]);
    Alt(vec![Seq(vec![scheme(), Text(":"), part(segment_nz()), tail()]), Seq(vec![part(segment_nz_nc()), tail()])])
}
