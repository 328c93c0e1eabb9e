//! Trials of less common calls: pieces, layers, `io`, the paths of the URL Standard, charsets.

use std::borrow::Cow;
use std::hint::black_box;
use std::io;

use percent_encoding::{percent_decode, percent_encode};
use percent_simd::{Decoder, Encoder, sets};
use percent_simd_oracle::Random;
use percent_standards::charset::Charset;
use percent_standards::whatwg;

use super::{Entry, Goal, Trial, pass, shared};
use crate::{DECODER, ENCODER, Kind, Op, UNRESERVED};

const LEN: usize = 1 << 20;
/// The goal for calls that write through `io`, and for calls of the standards: at least this fraction (1 / 1.3) of the speed of a
/// call that writes to a slice.
const NEAR: f64 = 0.77;

pub(super) fn trials() -> Vec<Trial> {
    let densities = [Kind::Escaped(1.0), Kind::Escaped(10.0), Kind::Escaped(100.0), Kind::Cyrillic];
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(densities.into_iter().flat_map(pieces));
    trials.extend([1, 3, 40].map(layers));
    trials.extend(densities.into_iter().chain([Kind::Escaped(0.0)]).flat_map(by_io));
    trials.push(paths("no dots", &["", "", "", "", "/", " (1)"], NEAR));
    trials.push(paths("extensions", &["", "", ".html", ".html", "/", " (1)"], 0.5));
    trials.extend(charset());
    trials
}

/// Creates an entry that works on its own copy of `src`.
fn entry(name: &'static str, src: &[u8], mut call: impl FnMut(&[u8]) + 'static) -> Entry {
    let src = src.to_vec();
    (name, Box::new(move || call(black_box(&src))))
}

fn trial(what: String, src: &[u8], entries: [Entry; 2], times: f64) -> Trial {
    let goals = vec![Goal::Times(entries[0].0, entries[1].0, times)];
    Trial { what, bytes: src.len(), calls: 1, entries: entries.into(), goals }
}

fn pieces(kind: Kind) -> [Trial; 2] {
    let raw = kind.strings(Op::Encode, LEN, 1).swap_remove(0);
    let escaped = kind.strings(Op::Decode, LEN, 1).swap_remove(0);
    assert_eq!(ENCODER.pieces(&raw).collect::<String>(), percent_encode(&raw, UNRESERVED).to_string());
    assert_eq!(DECODER.pieces(&escaped).collect::<Vec<_>>().concat(), percent_decode(&escaped).collect::<Vec<_>>());
    let encodes = [
        entry("pieces", &raw, |src| ENCODER.pieces(src).for_each(|piece| _ = black_box(piece))),
        entry("percent-encoding", &raw, |src| percent_encode(src, UNRESERVED).for_each(|piece| _ = black_box(piece))),
    ];
    let decodes = [
        entry("pieces", &escaped, |src| DECODER.pieces(src).for_each(|piece| _ = black_box(piece))),
        entry("percent-encoding", &escaped, |src| percent_decode(src).for_each(|byte| _ = black_box(byte))),
    ];
    [
        trial(format!("pieces, encode {kind}"), &raw, encodes, 3.0),
        trial(format!("pieces, decode {kind}"), &escaped, decodes, 3.0),
    ]
}

/// Creates a trial on text with a tenth of its bytes escaped. The text is encoded again until it has `count` layers.
fn layers(count: usize) -> Trial {
    let mut text = Kind::Escaped(10.0).strings(Op::Decode, LEN >> 2, 1).swap_remove(0);
    for _ in 1..count {
        text = ENCODER.encode_to_string(&text).into_bytes();
    }
    let by_layer = |src: &[u8]| {
        let mut bytes = DECODER.decode(src).into_owned();
        while let Cow::Owned(decoded) = DECODER.decode(&bytes) {
            bytes = decoded;
        }
        bytes
    };
    let decoded = DECODER.decode_layers(&text, usize::MAX);
    // There can be more layers than `count`, because decoding can turn a malformed `%` into a triplet.
    assert!(decoded.layers >= count && decoded.bytes == by_layer(&text));
    let entries = [
        entry("decode_layers", &text, |src| _ = black_box(DECODER.decode_layers(src, usize::MAX))),
        entry("layer by layer", &text, move |src| _ = black_box(by_layer(src))),
    ];
    trial(format!("{count} layers of 10%"), &text, entries, 0.3)
}

/// A writer that discards its input. A `Vec` would copy it.
struct Nothing;

impl io::Write for Nothing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(black_box(bytes).len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn by_io(kind: Kind) -> [Trial; 2] {
    let raw = kind.strings(Op::Encode, LEN, 1).swap_remove(0);
    let escaped = kind.strings(Op::Decode, LEN, 1).swap_remove(0);
    let [mut slice, mut other_slice] = [vec![0; 3 * LEN], vec![0; 3 * LEN]];
    let [mut out, mut other_out] = [Vec::with_capacity(3 * LEN), Vec::with_capacity(3 * LEN)];
    let encodes = [
        entry("encode_io", &raw, move |src| {
            out.clear();
            _ = black_box(ENCODER.encode_io(src, &mut out));
        }),
        entry("to nothing", &raw, move |src| _ = black_box(ENCODER.encode_io(src, &mut Nothing))),
        entry("slice", &raw, move |src| _ = black_box(ENCODER.encode_slice(src, &mut slice).map(|out| out.len()))),
    ];
    let decodes = [
        entry("decode_io", &escaped, move |src| {
            other_out.clear();
            _ = black_box(DECODER.decode_io(src, &mut other_out));
        }),
        entry("to nothing", &escaped, move |src| _ = black_box(DECODER.decode_io(src, &mut Nothing))),
        entry("slice", &escaped, move |src| {
            _ = black_box(DECODER.decode_slice(src, &mut other_slice).map(|out| out.len()));
        }),
    ];
    let trial = |what, src: &[u8], entries: [Entry; 3]| {
        let goals = entries[..2].iter().map(|(name, _)| Goal::Times(name, "slice", NEAR)).collect();
        Trial { what, bytes: src.len(), calls: 1, entries: entries.into(), goals }
    };
    [trial(format!("io, encode {kind}"), &raw, encodes), trial(format!("io, decode {kind}"), &escaped, decodes)]
}

/// Creates a trial on typical paths of sites, without dot segments. Each path ends with one of `ends`.
fn paths(what: &str, ends: &'static [&str], times: f64) -> Trial {
    const PATH: Encoder = Encoder::new(sets::WHATWG_PATH);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut path = |_| {
        let mut path = String::new();
        for _ in 0..1 + random.below(4) {
            path.push('/');
            path.extend(
                (0..3 + random.below(9))
                    .map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789-_"[random.below(38)])),
            );
        }
        path + ends[random.below(ends.len())]
    };
    let paths = shared((0..10_000).map(&mut path));
    for path in paths {
        assert_eq!(whatwg::encode_path("https", path), PATH.encode(path));
    }
    Trial {
        what: format!("paths of the URL Standard, {what}"),
        bytes: paths.iter().map(String::len).sum(),
        calls: paths.len(),
        entries: vec![
            ("encode_path", pass(paths, |path| whatwg::encode_path("https", path))),
            ("its set", pass(paths, |path| PATH.encode(path))),
        ],
        goals: vec![Goal::Times("encode_path", "its set", times)],
    }
}

/// Creates trials on Russian in windows-1251 and Japanese in Shift_JIS. The second entry of each trial calls
/// encoding_rs and then the codec.
fn charset() -> Vec<Trial> {
    let cyrillic = String::from_utf8(Kind::Cyrillic.strings(Op::Encode, LEN >> 2, 1).swap_remove(0)).expect("text");
    let japanese = "日本語のテキスト、表 ".repeat(LEN >> 7);
    let of = |(charset, peer, text): (Charset, &'static encoding_rs::Encoding, &String)| {
        let encode = |text: &str| ENCODER.encode_to_string(&peer.encode(text).0);
        let decode = |src: &[u8]| peer.decode_without_bom_handling(&DECODER.decode(src)).0.into_owned();
        let escaped = encode(text).into_bytes();
        assert_eq!(charset.percent_encode(&ENCODER, text).as_deref(), Ok(str::from_utf8(&escaped).expect("text")));
        assert_eq!(charset.percent_decode(Decoder::new(), &escaped).as_deref(), Ok(&text[..]));
        let encodes = [
            entry("percent-simd", text.as_bytes(), move |src| {
                _ = black_box(charset.percent_encode(&ENCODER, str::from_utf8(src).expect("text")));
            }),
            entry("encoding_rs", text.as_bytes(), move |src| _ = black_box(encode(str::from_utf8(src).expect("text")))),
        ];
        let decodes = [
            entry("percent-simd", &escaped, move |src| _ = black_box(charset.percent_decode(Decoder::new(), src))),
            entry("encoding_rs", &escaped, move |src| _ = black_box(decode(src))),
        ];
        let name = peer.name();
        [
            trial(format!("{name}, encode"), text.as_bytes(), encodes, 0.95),
            trial(format!("{name}, decode"), &escaped, decodes, 0.95),
        ]
    };
    let windows_1251 = Charset::for_label("windows-1251").expect("it has this label");
    let kinds =
        [(windows_1251, encoding_rs::WINDOWS_1251, &cyrillic), (Charset::SHIFT_JIS, encoding_rs::SHIFT_JIS, &japanese)];
    kinds.into_iter().flat_map(of).collect()
}
