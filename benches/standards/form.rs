//! Trials of `application/x-www-form-urlencoded`.

use std::borrow::Cow;
use std::hint::black_box;

use percent_simd_oracle::Random;
use percent_standards::form::{self, Parser, Serializer};
use serde::{Deserialize, Serialize};

use super::{Entry, Goal, Trial, pass, shared};

type Pairs = Vec<(&'static str, &'static str)>;

/// The number of forms in a trial.
const COUNT: usize = 10_000;
/// The approximate length of a form without its escapes.
const LEN: usize = 100;

const NAME: &[u8] = b"abcdefghijklmnopqrstuvwxyz_";
const PLAIN: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
const CHANGED: [&str; 8] = [" ", " ", " ", "/", "&", "=", ":", "é"];

/// Returns a value of `len` characters. With a probability of `percent`, a character is one that a form escapes.
fn value(random: &mut Random, len: usize, percent: usize) -> String {
    let one = |_| match random.below(100) < percent {
        true => CHANGED[random.below(CHANGED.len())].to_string(),
        false => (PLAIN[random.below(PLAIN.len())] as char).to_string(),
    };
    (0..len).map(one).collect()
}

/// Returns different lists of pairs. A list has 4.7 pairs on average. The names and values of all lists are slices of one text,
/// as a parser returns them.
fn forms(percent: usize) -> Vec<Pairs> {
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let mut text = String::new();
    let mut ends = Vec::new();
    for _ in 0..COUNT {
        let count = 3 + random.below(4) + usize::from(random.below(5) == 0);
        let each = LEN / count - 2;
        let mut form = Vec::new();
        for _ in 0..count {
            let name_len = 2 + random.below(each / 2);
            text.extend((0..name_len).map(|_| NAME[random.below(NAME.len())] as char));
            let name_end = text.len();
            text.push_str(&value(&mut random, each - name_len, percent));
            form.push((name_end, text.len()));
        }
        ends.push(form);
    }
    // Leak the text, so that passes can borrow it.
    let text: &'static str = text.leak();
    let mut start = 0;
    let mut pair = |(name_end, end)| {
        let pair = (&text[start..name_end], &text[name_end..end]);
        start = end;
        pair
    };
    ends.into_iter().map(|form| form.into_iter().map(&mut pair).collect()).collect()
}

fn text(pairs: &Pairs) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn trial(what: String, inputs: &[impl AsRef<str>], times: f64, entries: [Entry; 2]) -> Trial {
    Trial {
        what,
        bytes: inputs.iter().map(|input| input.as_ref().len()).sum(),
        calls: inputs.len(),
        goals: vec![Goal::Times(entries[0].0, entries[1].0, times)],
        entries: entries.into(),
    }
}

fn parse(what: &str, percent: usize) -> [Trial; 3] {
    let inputs = shared(forms(percent).iter().map(text));
    for input in inputs {
        assert!(form::parse(input).eq(form_urlencoded::parse(input.as_bytes())), "{input}");
        assert!(Parser::new().parse_utf8(input).map(Result::unwrap).eq(form::parse(input)), "{input}");
    }
    // Read each pair, like a program that looks for a name.
    fn look<'a>(pairs: impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)>) {
        for (name, value) in pairs {
            black_box((&*name, &*value));
        }
    }
    let theirs = || ("form_urlencoded", pass(inputs, |input| look(form_urlencoded::parse(input.as_bytes()))));
    let ours = |input: &String| look(form::parse(input));
    let checked = |input: &String| look(Parser::new().strict().parse_utf8(input).map(Result::unwrap));
    let owned = |input: &String| form::parse(input).into_owned().collect::<Vec<_>>();
    let owned_theirs = |input: &String| form_urlencoded::parse(input.as_bytes()).into_owned().collect::<Vec<_>>();
    [
        trial(format!("form: parse, {what}"), inputs, 4.0, [("percent-simd", pass(inputs, ours)), theirs()]),
        trial(
            format!("form: parse strictly, {what}"),
            inputs,
            4.0,
            [("percent-simd", pass(inputs, checked)), theirs()],
        ),
        trial(
            format!("form: parse to owned pairs, {what}"),
            inputs,
            2.0,
            [("percent-simd", pass(inputs, owned)), ("form_urlencoded", pass(inputs, owned_theirs))],
        ),
    ]
}

fn serialize(what: &str, percent: usize) -> [Trial; 2] {
    let inputs = shared(forms(percent));
    let texts: Vec<String> = inputs.iter().map(text).collect();
    fn to_serializer(pairs: &Pairs) -> String {
        let mut form = Serializer::new();
        form.append_all(pairs.iter().copied());
        form.finish()
    }
    for (input, text) in inputs.iter().zip(&texts) {
        assert_eq!(&form::serialize(input.iter().copied()), text);
        assert_eq!(&to_serializer(input), text);
    }
    let ours = |pairs: &Pairs| form::serialize(pairs.iter().copied());
    let theirs = || ("form_urlencoded", pass(inputs, text));
    [
        trial(format!("form: serialise, {what}"), &texts, 5.0, [("percent-simd", pass(inputs, ours)), theirs()]),
        trial(
            format!("form: serialise pair by pair, {what}"),
            &texts,
            3.0,
            [("percent-simd", pass(inputs, to_serializer)), theirs()],
        ),
    ]
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Query {
    q: String,
    page: u32,
    #[serde(default)]
    sort: Option<String>,
    redirect_uri: String,
    verbose: bool,
}

fn types(what: &str, percent: usize) -> [Trial; 2] {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut query = |number: u32| Query {
        q: value(&mut random, 16, percent),
        page: number,
        sort: (number.is_multiple_of(2)).then(|| value(&mut random, 8, percent)),
        redirect_uri: value(&mut random, 36, percent),
        verbose: number.is_multiple_of(3),
    };
    let queries = shared((0..COUNT as u32).map(&mut query));
    let texts = shared(queries.iter().map(|query| serde_urlencoded::to_string(query).unwrap()));
    for (query, text) in queries.iter().zip(texts) {
        assert_eq!(&form::to_string(query).unwrap(), text);
        assert_eq!(&form::from_str::<Query>(text).unwrap(), query);
        assert_eq!(&serde_urlencoded::from_str::<Query>(text).unwrap(), query);
    }
    [
        trial(
            format!("form: to a struct, {what}"),
            texts,
            2.0,
            [
                ("percent-simd", pass(texts, |text| form::from_str::<Query>(text).unwrap())),
                ("serde_urlencoded", pass(texts, |text| serde_urlencoded::from_str::<Query>(text).unwrap())),
            ],
        ),
        trial(
            format!("form: from a struct, {what}"),
            texts,
            3.0,
            [
                ("percent-simd", pass(queries, |query| form::to_string(query).unwrap())),
                ("serde_urlencoded", pass(queries, |query| serde_urlencoded::to_string(query).unwrap())),
            ],
        ),
    ]
}

pub(super) fn trials() -> Vec<Trial> {
    let kinds = [("clean", 0), ("10% changed", 10)];
    let of =
        |(what, percent)| parse(what, percent).into_iter().chain(serialize(what, percent)).chain(types(what, percent));
    kinds.into_iter().flat_map(of).collect()
}
