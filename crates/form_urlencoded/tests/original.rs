//! Compares the crate with the original, call by call.

#[macro_use]
#[path = "../../percent-encoding/tests/common/mod.rs"]
mod common;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{hostile, place, seen};
use percent_simd_oracle::{Random, cases};

/// Returns a hostile input with delimiters in it.
fn form(random: &mut Random) -> Vec<u8> {
    let mut input = hostile(random);
    let (every, delimiters) = ([2, 4, 10, 40][random.below(4)], [&b"&="[..], b"&&=+", b"&;=", b"=", b"&"]);
    let delimiters = delimiters[random.below(5)];
    for byte in &mut input {
        if random.below(every) == 0 {
            *byte = delimiters[random.below(delimiters.len())];
        }
    }
    input
}

#[test]
fn parsing_is_the_same() {
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
    for _ in 0..cases(1_000_000) {
        let input = &form(&mut random)[..];
        let (mut new, mut old) = (form_urlencoded::parse(input), original::parse(input));
        // `Parse` is `Copy`. A copy must yield the remaining pairs.
        let (mut place, at) = (0, random.below(4));
        loop {
            if place == at {
                let (new, old) = (new, old);
                same!(new.into_owned().collect::<Vec<_>>(), old.into_owned().collect::<Vec<_>>(), input);
            }
            place += 1;
            same!(new.size_hint(), old.size_hint(), input);
            let (pair, expected) = (new.next(), old.next());
            let [pair, expected] = [&pair, &expected].map(|pair| {
                let (name, value) = pair.as_ref()?;
                Some((seen(name, input), seen(value, input)))
            });
            same!(pair, expected, input);
            if pair.is_none() {
                break;
            }
        }
        same!(new.next(), old.next(), input);
    }
}

#[test]
fn byte_serializing_is_the_same() {
    let mut random = Random::seeded(0xD1B5_4A32_D192_ED03);
    for _ in 0..cases(200_000) {
        let input = &hostile(&mut random)[..];
        let (mut new, mut old) = (form_urlencoded::byte_serialize(input), original::byte_serialize(input));
        loop {
            same!(new.size_hint(), old.size_hint(), input);
            let (piece, expected) = (new.next(), old.next());
            same!(piece, expected, input);
            let Some((piece, expected)) = piece.zip(expected) else { break };
            same!(place(piece.as_bytes(), input), place(expected.as_bytes(), input), input);
        }
        let all = |iter: &mut dyn Iterator<Item = &str>| iter.collect::<String>();
        let whole = all(&mut form_urlencoded::byte_serialize(input));
        same!(whole, all(&mut original::byte_serialize(input)), input);
        if input.len() < 40 {
            let (new, old) = (form_urlencoded::byte_serialize(input), original::byte_serialize(input));
            same!(format!("{new:?}"), format!("{old:?}"), input);
        }
    }
}

/// Encodes to Latin-1, with a question mark for each character that Latin-1 lacks.
fn latin1(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return text.as_bytes().into();
    }
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

/// Makes all calls on a serializer of either crate.
macro_rules! serialize {
    ($of:ident, $calls:expr, $before:expr, $start:expr) => {{
        let mut target = String::from($before);
        let mut serializer = $of::Serializer::for_suffix(&mut target, $start);
        for (call, name, value) in $calls {
            match call {
                0 => serializer.append_key_only(name),
                1 => serializer.extend_pairs([(name, value), (value, name)]),
                2 => serializer.extend_pairs(&[(String::from(*name), value)]),
                3 => serializer.extend_keys_only::<_, String>(&[String::from(*name), String::from(*value)]),
                4 => serializer.clear(),
                5 => serializer.encoding_override(Some(&latin1)),
                6 => serializer.encoding_override(None),
                _ => serializer.append_pair(name, value),
            };
        }
        serializer.finish().clone()
    }};
}

#[test]
fn serializing_is_the_same() {
    let mut random = Random::seeded(0xA076_1D64_78BD_642F);
    for _ in 0..cases(200_000) {
        let text = String::from_utf8_lossy(&form(&mut random)).into_owned();
        let mut parts = text.split(['&', '=']).map(|part| if random.below(4) == 0 { "" } else { part });
        let parts = [(); 12].map(|()| parts.next().unwrap_or("é €"));
        let calls: Vec<(usize, &str, &str)> =
            (0..random.below(8)).map(|i| (random.below(14), parts[i], parts[11 - i])).collect();
        let before = ["", "?", "http://a/?", "a=b", "&"][random.below(5)];
        let start = random.below(before.len() + 1);
        let (new, old) =
            (serialize!(form_urlencoded, &calls, before, start), serialize!(original, &calls, before, start));
        assert_eq!(new, old, "{calls:?} {before} {start}");
    }
}

/// Uses each type as programs do, and collects results and panic messages.
macro_rules! usage {
    ($name:ident, $of:ident) => {
        fn $name() -> Vec<String> {
            use $of::{ByteSerialize, EncodingOverride, Parse, ParseIntoOwned, Serializer, Target};

            /// A target like `url`'s.
            struct Query(String);
            impl Target for Query {
                fn as_mut_string(&mut self) -> &mut String {
                    &mut self.0
                }
                fn finish(self) -> usize {
                    self.0.len()
                }
                type Finished = usize;
            }
            fn message(call: impl FnOnce()) -> String {
                let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a panic");
                let text = panic.downcast_ref::<String>().cloned();
                text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).expect("a panic with a text")
            }
            fn copies<T: Copy + Send + Sync>(_: &T) {}

            let parse: fn(&[u8]) -> Parse<'_> = $of::parse;
            let serialize: fn(&[u8]) -> ByteSerialize<'_> = $of::byte_serialize;
            copies(&parse(b""));
            let owned: ParseIntoOwned<'_> = parse(b"a=b&c+d").into_owned();
            let mut seen: Vec<String> = owned.flat_map(|(name, value)| [name, value]).collect();
            seen.push(serialize("1 + é".as_bytes()).collect());
            let encoding: EncodingOverride<'_> = Some(&latin1);
            let mut serializer = Serializer::new(Query(String::from("x")));
            let len = serializer.append_pair("é", "&").encoding_override(encoding).append_pair("é", "€").finish();
            seen.push(len.to_string());
            seen.push(message(|| _ = serializer.append_pair("", "")));
            seen.push(message(|| _ = serializer.append_key_only("")));
            seen.push(message(|| _ = serializer.extend_pairs([("a", "b"); 0])));
            seen.push(message(|| _ = serializer.extend_keys_only::<_, &str>([""; 0])));
            seen.push(message(|| _ = serializer.clear()));
            seen.push(message(|| _ = serializer.finish()));
            seen.push(message(|| drop(Serializer::for_suffix(String::from("a=b"), 4))));
            let mut torn = Serializer::for_suffix(String::from("é"), 1);
            seen.push(message(|| _ = torn.clear()));
            seen
        }
    };
}

usage!(here, form_urlencoded);
usage!(there, original);

#[test]
fn usage_is_the_same() {
    assert_eq!(here(), there());
}
