//! The strings that the calls are timed with: strings of each length, and made-up components of URLs.

use percent_simd_oracle::Random;

use crate::components::Corpus;

/// The number of different strings of each length. The strings are so many that a branch predictor can't learn them.
const STRINGS: usize = 10_000;

/// Encoding and decoding leave clean strings as they are, and change dirty strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cleanness {
    Clean,
    /// At least one byte is escaped, and on average about a tenth of the bytes.
    Dirty,
}

/// Returns strings of `len` bytes each. If `plus` is set, most bytes that decoding changes are `+`. If `len` is too
/// short for any string with an escape, the list of strings to decode is empty.
pub fn of_length(len: usize, cleanness: Cleanness, plus: bool) -> Corpus {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut corpus = Corpus { name: len.to_string(), escaped: Vec::new(), plain: Vec::new() };
    for _ in 0..STRINGS {
        let letters: String = (0..len).map(|_| letter(&mut random)).collect();
        if cleanness == Cleanness::Clean {
            corpus.escaped.push(letters.clone());
            corpus.plain.push(letters);
            continue;
        }
        if len > 0 {
            corpus.plain.push(with_changes(&letters, 1, &[" ", "&", "/", "?"], &mut random));
        }
        if plus && len > 0 {
            corpus.escaped.push(with_changes(&letters, 3, &["+", "+", "+", "%26", "%2F"], &mut random));
        } else if len >= 3 {
            corpus.escaped.push(with_changes(&letters, 3, &["%20", "%26", "%2F", "%3F"], &mut random));
        }
    }
    corpus
}

/// Returns `letters` with about one change for each ten letters, and with at least one change. A change overwrites
/// letters with one of `changes`, and has at most `width` bytes.
fn with_changes(letters: &str, width: usize, changes: &[&str], random: &mut Random) -> String {
    let mut out = letters.to_string();
    let mut at = random.below((letters.len() + 1).saturating_sub(width).clamp(1, 10));
    while at < letters.len() {
        let mut change = changes[random.below(changes.len())];
        if change.len() > letters.len() - at {
            change = changes[0];
        }
        if change.len() > letters.len() - at {
            break;
        }
        out.replace_range(at..at + change.len(), change);
        at += change.len() + random.below(19);
    }
    out
}

fn letter(random: &mut Random) -> char {
    const LETTERS: &[u8] = b"eeeeaaaiiooutttnnssrrhlldcumfpgwybvk-_xjqz0123456789EATS.";
    char::from(LETTERS[random.below(LETTERS.len())])
}

/// The distribution of a kind of component in real URLs. For each kind, the median length is 6 or 7 bytes.
struct Made {
    name: &'static str,
    /// The deciles of the lengths, from the shortest to the longest.
    lengths: [usize; 11],
    /// How many of a thousand components have a triplet.
    triplets: usize,
    /// How many of a thousand components have a `+`.
    pluses: usize,
}

/// The distributions of components. We measured them in two collections: the 48,009 URLs of `url-various-datasets`, and the
/// 10,000 requests of Elastic's example of an Apache log.
const MADE: [Made; 3] = [
    Made { name: "segments", lengths: [1, 3, 4, 5, 6, 7, 8, 10, 12, 16, 40], triplets: 10, pluses: 1 },
    Made { name: "query names", lengths: [1, 3, 4, 4, 5, 6, 7, 8, 10, 13, 30], triplets: 1, pluses: 2 },
    Made { name: "query values", lengths: [1, 2, 3, 4, 5, 7, 8, 10, 13, 20, 66], triplets: 37, pluses: 60 },
];

/// Returns the components that this project generates. The seed is fixed, so the components are the same in each run.
pub fn made() -> Vec<Corpus> {
    let corpus = |made: &Made| {
        let mut random = Random(0xD1B5_4A32_D192_ED03);
        let component = |_| {
            let part = random.below(made.lengths.len() - 1);
            let [low, high] = [made.lengths[part], made.lengths[part + 1]];
            let len = low + random.below(high - low + 1);
            let mut out: String = (0..len).map(|_| letter(&mut random)).collect();
            for (share, change) in [(made.triplets, ["%20", "%2C", "%C3%A9"]), (made.pluses, ["+"; 3])] {
                let mut left = if random.below(1000) < share { 1 + out.len() / 8 } else { 0 };
                while left > 0 {
                    out.insert(random.below(out.len().min(len) + 1), ' ');
                    out = out.replacen(' ', change[random.below(3)], 1);
                    left -= 1;
                }
            }
            out
        };
        Corpus::of_components(format!("made {}", made.name), (0..20_000).map(component).collect())
    };
    MADE.iter().map(corpus).collect()
}
