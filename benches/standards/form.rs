//! `application/x-www-form-urlencoded`.

use std::hint::black_box;

use percent_simd::form;

use super::{Goal, Trial};
use crate::inputs::Random;

type Pairs = Vec<(String, String)>;

/// Query strings in a trial.
const COUNT: usize = 10_000;
/// Their length, in the mean.
const LEN: usize = 100;

/// As many different lists of pairs, 4.7 in the mean, that make about 100 bytes each; every character of a value is one
/// that a form changes with this probability, in percent.
fn forms(percent: usize) -> Vec<Pairs> {
    const NAME: &[u8] = b"abcdefghijklmnopqrstuvwxyz_";
    const PLAIN: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    const CHANGED: [&str; 8] = [" ", " ", " ", "/", "&", "=", ":", "é"];
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let mut form = || {
        let count = 3 + random.below(4) + usize::from(random.below(5) == 0);
        let each = LEN / count;
        let pair = |_| {
            let name_len = 2 + random.below(each / 2);
            let name: String = (0..name_len).map(|_| NAME[random.below(NAME.len())] as char).collect();
            let mut value = String::new();
            while name.len() + 2 + value.len() < each {
                if random.below(100) < percent {
                    value.push_str(CHANGED[random.below(CHANGED.len())]);
                } else {
                    value.push(PLAIN[random.below(PLAIN.len())] as char);
                }
            }
            (name, value)
        };
        (0..count).map(pair).collect()
    };
    (0..COUNT).map(|_| form()).collect()
}

fn text(pairs: &Pairs) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn parse(what: &str, percent: usize) -> [Trial; 2] {
    let inputs: Vec<String> = forms(percent).iter().map(text).collect();
    for input in &inputs {
        assert!(form::parse(input).eq(form_urlencoded::parse(input.as_bytes())), "{input}");
    }
    let bytes = inputs.iter().map(String::len).sum();
    let trial = |what, entries| Trial {
        what,
        bytes,
        calls: COUNT,
        entries,
        goals: vec![Goal::Times("percent-simd", "form_urlencoded", 4.0)],
    };
    let (a, b, c, d, e) = (inputs.clone(), inputs.clone(), inputs.clone(), inputs.clone(), inputs);
    [
        trial(
            format!("parse {what} query strings"),
            vec![
                (
                    "percent-simd",
                    Box::new(move || each(&a, |input| form::parse(input).for_each(|pair| drop(black_box(pair))))),
                ),
                (
                    "form_urlencoded",
                    Box::new(move || {
                        each(&b, |input| {
                            form_urlencoded::parse(input.as_bytes()).for_each(|pair| drop(black_box(pair)))
                        });
                    }),
                ),
                (
                    "raw",
                    Box::new(move || {
                        each(&e, |input| {
                            form::Parser::new().parse_raw(input).for_each(|pair| {
                                black_box(pair);
                            })
                        })
                    }),
                ),
            ],
        ),
        trial(
            format!("parse {what} query strings to owned pairs"),
            vec![
                (
                    "percent-simd",
                    Box::new(move || each(&c, |input| form::parse(input).into_owned().collect::<Pairs>())),
                ),
                (
                    "form_urlencoded",
                    Box::new(move || {
                        each(&d, |input| form_urlencoded::parse(input.as_bytes()).into_owned().collect::<Pairs>());
                    }),
                ),
            ],
        ),
    ]
}

fn each<I, T>(inputs: &[I], mut of: impl FnMut(&I) -> T) {
    for input in inputs {
        black_box(of(black_box(input)));
    }
}

fn serialize(what: &str, percent: usize) -> Trial {
    let inputs = forms(percent);
    for input in &inputs {
        assert_eq!(form::serialize(input.iter().map(|(a, b)| (a, b))), text(input));
    }
    let bytes = inputs.iter().map(|input| text(input).len()).sum();
    let (a, b, c) = (inputs.clone(), inputs.clone(), inputs);
    Trial {
        what: format!("serialize {what} pairs"),
        bytes,
        calls: COUNT,
        entries: vec![
            ("percent-simd", Box::new(move || each(&a, |input| form::serialize(input.iter().map(|(a, b)| (a, b)))))),
            ("form_urlencoded", Box::new(move || each(&b, text))),
            (
                "to Serializer",
                Box::new(move || {
                    each(&c, |input| {
                        let mut form = form::Serializer::new();
                        form.append_all(input.iter().map(|(a, b)| (a, b)));
                        form.finish()
                    })
                }),
            ),
        ],
        goals: vec![Goal::Times("percent-simd", "form_urlencoded", 5.0)],
    }
}

pub(super) fn trials() -> Vec<Trial> {
    let parse = [parse("clean", 0), parse("dirty", 10)].into_iter().flatten();
    parse.chain([serialize("clean", 0), serialize("dirty", 10)]).collect()
}
