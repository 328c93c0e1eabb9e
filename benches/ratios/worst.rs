//! Searches for the slowest and the fastest inputs of an engine. The search changes an input at random, again and
//! again, and keeps each change that makes the engine slower (or faster).

use std::fmt::{self, Write};
use std::hint::black_box;

use percent_simd::Engine;
use percent_simd_bench::clock::time;
use percent_simd_bench::{DECODER, ENCODER};
use percent_simd_oracle::Random;

/// The length of an input. It doesn't fit into the first-level cache, and a branch predictor can't learn it.
const LEN: usize = 1 << 18;
/// The parts that inputs are made of: text that stays when it is decoded (or encoded), text that changes, and text that
/// looks like an escape but isn't one.
const PARTS: [&str; 10] = ["a", "abcdefgh", " ", "%20", "%", "%4", "%zz", "+", "é", "%C3%A9"];
/// A part is repeated at most this many times.
const LONGEST: usize = 200;
const KINDS: usize = 6;

/// A recipe for an input: parts, each with its number of repetitions. The input has the parts in a random order.
#[derive(Clone)]
struct Recipe(Vec<(&'static str, usize)>);

impl Recipe {
    fn text(&self) -> Vec<u8> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut out = Vec::with_capacity(LEN + 8 * LONGEST);
        while out.len() < LEN {
            let &(part, times) = random.pick(&self.0);
            out.extend(part.bytes().cycle().take(part.len() * times));
        }
        out.truncate(LEN);
        out
    }

    fn mutated(&self, random: &mut Random) -> Recipe {
        let mut parts = self.0.clone();
        let which = random.below(parts.len());
        // Few repetitions are as important as many. So we first pick a limit, a power of two, and each power is equally
        // likely. Then we pick a number of repetitions up to this limit.
        let times = |random: &mut Random| {
            let most = 1 << random.below(8);
            1 + random.below(most).min(LONGEST)
        };
        match random.below(4) {
            0 if parts.len() < KINDS => parts.push((*random.pick(&PARTS), times(random))),
            1 if parts.len() > 1 => _ = parts.swap_remove(which),
            2 => parts[which].0 = *random.pick(&PARTS),
            _ => parts[which].1 = times(random),
        }
        Recipe(parts)
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(part, times)| format!("{times} x `{part}`")).collect();
        f.write_str(&parts.join(", "))
    }
}

/// Encodes or decodes the first slice into the second slice, with this engine.
type Call = fn(&'static Engine, &[u8], &mut [u8]);

const CALLS: [(&str, Call); 2] = [
    ("encode", |engine, src, dst| _ = black_box(ENCODER.with_engine(engine).encode_slice(src, dst).map(str::len))),
    ("decode", |engine, src, dst| {
        _ = black_box(DECODER.with_engine(engine).decode_slice(src, dst).map(|out| out.len()))
    }),
];

/// Returns the bytes of input per nanosecond, in the fastest of four passes.
fn rate(call: Call, engine: &'static Engine, src: &[u8], dst: &mut [u8]) -> f64 {
    let pass = |_| time(|| call(engine, black_box(src), dst));
    src.len() as f64 / (0..4).map(pass).fold(f64::MAX, f64::min)
}

/// Returns the best and the worst input for each engine and direction, each found by `tries` mutations.
pub fn search(tries: usize) -> String {
    let mut out = String::from("GB/s of input into a slice; each input consists of these parts in a random order\n\n");
    let mut dst = vec![0; 3 * LEN + 512];
    for (name, call) in CALLS {
        for engine in Engine::available() {
            let mut random = Random(0xD1B5_4A32_D192_ED03);
            let mut found = [1.0, -1.0].map(|sign| {
                let mut recipe = Recipe(vec![("a", LONGEST), (PARTS[random.below(PARTS.len())], 1)]);
                let mut record = rate(call, engine, &recipe.text(), &mut dst);
                for _ in 0..tries {
                    let other = recipe.mutated(&mut random);
                    let speed = rate(call, engine, &other.text(), &mut dst);
                    if (speed - record) * sign > 0.0 {
                        (recipe, record) = (other, speed);
                    }
                }
                (recipe, record)
            });
            // Measure the found inputs again. The search keeps the most extreme speeds that it measures, and they can
            // be accidents.
            for (recipe, record) in &mut found {
                *record = rate(call, engine, &recipe.text(), &mut dst);
            }
            let [(best, most), (worst, least)] = found;
            let scalar = Engine::by_name("scalar").map_or(0.0, |scalar| rate(call, scalar, &worst.text(), &mut dst));
            let mark = match () {
                () if most > 10.0 * least => " ABOVE 10",
                () if least < 0.95 * scalar => " BELOW SCALAR",
                () => "",
            };
            _ = writeln!(
                out,
                "{name} {engine}: {:.1} times{mark}, best {most:.2} ({best}), worst {least:.2} ({worst}); scalar there {scalar:.2}",
                most / least,
            );
        }
    }
    out
}
