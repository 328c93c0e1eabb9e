//! Fuzzes the formats of `pct` with hostile records. Parsers that share no code with the library check these facts:
//!
//! - the number of records and of fields stays the same;
//! - fields without URLs are unchanged;
//! - in fields with URLs, triplets are decoded and everything else is unchanged. This holds with each option: kept bytes,
//!   normalization, a named part, any number of layers, `+` for a space, and the escapes of logs;
//! - if a part is named, no scheme is added;
//! - no bytes in any format cause a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::{Engine, Plus};
use percent_simd_fuzz::{Choices, has_scheme, triplet};
use percent_simd_records::formats::{Choice, FORMATS, Name, Syntax, build};
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Part, Rewriter, Spec};

type Cells = Vec<Vec<u8>>;

/// A format: its name, its header lines, the syntax of each cell (`None` if the cell has no URL), and functions that write and
/// read a record's cells.
struct Kind {
    name: &'static str,
    header: &'static str,
    urls: &'static [Option<Syntax>],
    /// Bytes that the writer never leaves unescaped in a cell.
    never: &'static [u8],
    write: fn(&Cells) -> Vec<u8>,
    read: fn(&[u8]) -> Vec<Cells>,
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "combined",
        header: "",
        urls: &[None, Some(Syntax::Target), None, Some(Syntax::Reference), None],
        never: b" \"\\",
        write: |cells| {
            let [user, path, status, referrer, agent] = &cells[..] else { unreachable!() };
            [
                &b"1.2.3.4 - x"[..],
                user,
                b" [17/May/2015:10:05:03 +0000] \"GET /",
                path,
                b" HTTP/1.1\" 2",
                status,
                b" 5 \"http://h/",
                referrer,
                b"\" \"",
                agent,
                b"\"\n",
            ]
            .concat()
        },
        read: |out| {
            let read = |line: &[u8]| {
                let quoted: Vec<&[u8]> = line.split(|&byte| byte == b'"').collect();
                assert_eq!(quoted.len(), 7, "{}", line.escape_ascii());
                let words = |part: &[u8]| part.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect::<Cells>();
                let (before, request, status) = (words(quoted[0]), words(quoted[1]), words(quoted[2]));
                assert_eq!((before.len(), request.len(), status.len()), (6, 3, 4), "{}", line.escape_ascii());
                assert_eq!((&request[0][..], &request[2][..]), (&b"GET"[..], &b"HTTP/1.1"[..]));
                vec![
                    without(&before[2], b"x"),
                    without(&request[1], b"/"),
                    without(&status[1], b"2"),
                    without(quoted[3], b"http://h/"),
                    quoted[5].to_vec(),
                ]
            };
            lines(out).map(read).collect()
        },
    },
    Kind {
        name: "csv",
        header: "id,url,x\n",
        urls: &[None, Some(Syntax::Reference), None],
        never: b"",
        write: |cells| {
            let cells: Vec<Vec<u8>> = cells
                .iter()
                .map(|cell| {
                    let inner =
                        cell.iter().flat_map(|&byte| vec![byte; 1 + usize::from(byte == b'"')]).collect::<Vec<u8>>();
                    if cell.iter().any(|byte| b"\",\r\n".contains(byte)) {
                        [b"\"", &inner[..], b"\""].concat()
                    } else {
                        inner
                    }
                })
                .collect();
            [&cells.join(&b','), &b"\n"[..]].concat()
        },
        read: csv,
    },
    Kind {
        name: "tsv",
        header: "id\turl\tx\n",
        urls: &[None, Some(Syntax::Reference), None],
        never: b"\t",
        write: |cells| [&cells.join(&b'\t'), &b"\n"[..]].concat(),
        read: |out| lines(out).map(|line| line.split(|&byte| byte == b'\t').map(<[u8]>::to_vec).collect()).collect(),
    },
    Kind {
        name: "ndjson",
        header: "",
        urls: &[None, Some(Syntax::Reference), None],
        never: b"",
        write: |cells| {
            let text = |cell: &Vec<u8>| String::from_utf8_lossy(cell).into_owned();
            let names = ["id", "url", "x"];
            let object: serde_json::Map<_, _> =
                names.iter().zip(cells).map(|(name, cell)| (name.to_string(), text(cell).into())).collect();
            (serde_json::Value::from(object).to_string() + "\n").into_bytes()
        },
        read: |out| {
            let read = |line: &[u8]| {
                let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line).unwrap();
                assert_eq!(object.len(), 3, "{}", line.escape_ascii());
                ["id", "url", "x"].map(|name| object[name].as_str().unwrap().as_bytes().to_vec()).to_vec()
            };
            lines(out).map(read).collect()
        },
    },
    Kind {
        name: "squid",
        header: "",
        urls: &[None, Some(Syntax::Target), None],
        never: b" ",
        write: |cells| {
            let [user, path, kind] = &cells[..] else { unreachable!() };
            [
                &b"1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://h/"[..],
                path,
                b" x",
                user,
                b" DIRECT/1.2.3.4 x",
                kind,
                b"\n",
            ]
            .concat()
        },
        read: |out| {
            let read = |line: &[u8]| {
                let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).collect();
                assert_eq!(words.len(), 10, "{}", line.escape_ascii());
                vec![without(words[7], b"x"), without(words[6], b"http://h/"), without(words[9], b"x")]
            };
            lines(out).map(read).collect()
        },
    },
    Kind {
        name: "w3c",
        header: "#Version: 1.0\n#Fields: id cs-uri-query x\n",
        urls: &[None, Some(Syntax::Query), None],
        never: b" \"",
        write: |cells| [&cells.join(&b' '), &b"\n"[..]].concat(),
        read: |out| {
            assert!(lines(out).all(|line| !line.starts_with(b"#")), "a record became a comment");
            lines(out).map(|line| line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect()).collect()
        },
    },
];

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap())
}

/// Returns the rest of `cell` after `front`.
#[track_caller]
fn without(cell: &[u8], front: &[u8]) -> Vec<u8> {
    cell.strip_prefix(front).unwrap_or_else(|| panic!("`{}`", cell.escape_ascii())).to_vec()
}

/// Reads CSV (RFC 4180) in plain code.
fn csv(bytes: &[u8]) -> Vec<Cells> {
    let (mut records, mut cells, mut cell, mut in_quotes) = (Vec::new(), Vec::new(), Vec::new(), false);
    let mut rest = bytes.iter().copied().peekable();
    let mut is_start = true;
    while let Some(byte) = rest.next() {
        let was_start = std::mem::take(&mut is_start);
        match byte {
            b'"' if in_quotes && rest.peek() == Some(&b'"') => cell.extend(rest.next()),
            b'"' if in_quotes => in_quotes = false,
            b'"' if was_start => in_quotes = true,
            b'\n' | b',' if !in_quotes => {
                cells.push(std::mem::take(&mut cell));
                if byte == b'\n' {
                    records.push(std::mem::take(&mut cells));
                }
                is_start = true;
            }
            byte => cell.push(byte),
        }
    }
    assert!(!in_quotes && cells.is_empty() && cell.is_empty());
    records
}

/// Returns true if decoding some triplets of `before` can give `now`. If `spaces` is true, some `+` may also become
/// spaces.
fn is_decoded(before: &[u8], now: &[u8], spaces: bool) -> bool {
    let digit = |at: usize| before.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    // `here[to]` is true if `before[at..]` can become `now[to..]`. `at` goes from the last byte to the first. So we
    // have already computed `here` for `at + 1`, `at + 2` and `at + 3`. In this order, they are the three rows of
    // `reaches`.
    let mut reaches = [vec![false; now.len() + 2], vec![false; now.len() + 2], vec![false; now.len() + 2]];
    let mut here = vec![false; now.len() + 2];
    here[now.len()] = true;
    for at in (0..before.len()).rev() {
        reaches.rotate_right(1);
        std::mem::swap(&mut reaches[0], &mut here);
        let triplet = match (before[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => Some((high * 16 + low) as u8),
            _ => None,
        };
        here = (0..now.len() + 2)
            .map(|to| {
                let Some(&byte) = now.get(to) else { return false };
                let is_same = byte == before[at] || spaces && (before[at], byte) == (b'+', b' ');
                is_same && reaches[0][to + 1] || Some(byte) == triplet && reaches[2][to + 1]
            })
            .collect();
    }
    here[0]
}

/// Decodes `cell` until it has no triplet, and then replaces each `+` by a space. If `log` is set, also decodes the
/// escapes of a log.
///
/// No escape overlaps another, so the order of decoding makes no difference.
fn bare(cell: &[u8], log: bool) -> Vec<u8> {
    let mut bare = Vec::new();
    for &byte in cell {
        bare.push(byte);
        // The byte may complete an escape. The decoded byte may then complete another escape, so try again.
        loop {
            let escape = match (bare.last_chunk::<3>(), bare.last_chunk::<4>()) {
                (_, Some([b'\\', b'x', digits @ ..])) if log => {
                    triplet(&[b'%', digits[0], digits[1]]).map(|byte| (4, byte))
                }
                (Some(three), _) => triplet(three).map(|byte| (3, byte)),
                _ => None,
            };
            let Some((len, byte)) = escape else { break };
            bare.truncate(bare.len() - len);
            bare.push(byte);
        }
    }
    bare.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b' ');
    bare
}

/// Returns `cell` with the digits of its triplets in upper case.
fn upper(cell: &[u8]) -> Vec<u8> {
    let mut upper = cell.to_vec();
    for at in 0..cell.len().saturating_sub(2) {
        if cell[at] == b'%' && cell[at + 1..at + 3].iter().all(u8::is_ascii_hexdigit) {
            upper[at + 1..at + 3].make_ascii_uppercase();
        }
    }
    upper
}

/// Splits a URL into three parts: the path with everything before it, the query with its `?`, and the fragment with its `#`.
///
/// The target of a request has no fragment. A bare query has no other parts.
fn split(url: &[u8], syntax: Syntax) -> [&[u8]; 3] {
    let end = match syntax {
        Syntax::Reference => url.iter().position(|&byte| byte == b'#').unwrap_or(url.len()),
        Syntax::Target => url.len(),
        Syntax::Query => return [b"", url, b""],
    };
    let (before, fragment) = url.split_at(end);
    let (path, query) = before.split_at(before.iter().position(|&byte| byte == b'?').unwrap_or(before.len()));
    [path, query, fragment]
}

/// Takes options from the fuzzer's bytes, for a decoding or a normalization.
fn spec(choices: &mut Choices<'_>) -> Spec {
    let options = choices.byte();
    let normalizes = options & 1 != 0;
    let plus = [Plus::Never, Plus::Always, Plus::AfterQuery, Plus::Never][usize::from(options / 64)];
    let mut spec = Spec::of_fields(if normalizes { Action::Normalize } else { Action::Decode { plus } });
    if options & 2 != 0 {
        spec.part = Some(Part::NAMES[choices.below(Part::NAMES.len())].1);
    }
    if options & 4 != 0 {
        spec.keep = choices.set();
    }
    spec.counts_malformed = options & 8 != 0;
    spec.unescape_log = options & 16 != 0;
    if options & 32 != 0 {
        spec.repeat = Some(1 + choices.below(4));
    }
    let engines: Vec<_> = Engine::available().collect();
    spec.engine = Some(engines[choices.below(engines.len())]);
    spec
}

/// Takes any options from the fuzzer's bytes, even options whose output isn't promised to be safe.
fn wild(choices: &mut Choices<'_>) -> Spec {
    let mut spec = spec(choices);
    let options = choices.byte();
    spec.raw = options & 1 != 0;
    if options & 2 != 0 {
        spec.on_error = Policy::Replace;
    }
    spec.on_utf8 = [None, Some(Policy::Keep), Some(Policy::Raw), Some(Policy::Replace)][usize::from(options / 4 % 4)];
    spec
}

/// Returns `cell` with `\x` for each `$`, so that `$41` becomes an escape of a log. Drops the backslashes of `cell`.
fn with_log_escapes(cell: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in cell {
        match byte {
            b'$' => escaped.extend(b"\\x"),
            b'\\' => {}
            byte => escaped.push(byte),
        }
    }
    escaped
}

fn rewriter(name: &Name, spec: &Spec) -> Option<Rewriter> {
    Some(Rewriter::new(build(name, &Choice::default()).ok()?, spec))
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    if choices.byte() % 4 == 0 {
        // Any bytes in any format must not cause a panic.
        let row = FORMATS[choices.below(FORMATS.len())];
        let spec = wild(&mut choices);
        let Some(mut rewriter) = rewriter(&Name::Row(row), &spec) else { return };
        let input = choices.input();
        let mut out = Vec::new();
        rewriter.rewrite(input, &mut out);
        return;
    }
    let kind = &KINDS[choices.below(KINDS.len())];
    let name = Name::parse(kind.name, &[]).unwrap();
    let spec = spec(&mut choices);
    let mut rewriter = rewriter(&name, &spec).unwrap();
    let mut records: Vec<Cells> = Vec::new();
    let mut input = kind.header.as_bytes().to_vec();
    while !choices.0.is_empty() && records.len() < 40 {
        let cells: Cells = (kind.urls.iter())
            .map(|_| {
                let mut cell = choices.some(40).to_vec();
                // Writers of these formats escape controls and bytes above ASCII, so remove them. A cell must not be empty.
                cell.retain(|byte| (0x20..0x7F).contains(byte) && !kind.never.contains(byte));
                cell.insert(0, b'a');
                if spec.unescape_log { with_log_escapes(&cell) } else { cell }
            })
            .collect();
        input.extend((kind.write)(&cells));
        records.push(cells);
    }
    let mut out = Vec::new();
    rewriter.rewrite(&input, &mut out);
    if let (Some(layers), Action::Decode { plus: Plus::Never }, false) = (spec.repeat, &spec.action, spec.unescape_log)
    {
        let mut by_one = input.clone();
        for _ in 0..layers {
            let spec = Spec { repeat: Some(1), ..spec.clone() };
            let mut next = Vec::new();
            self::rewriter(&name, &spec).unwrap().rewrite(&by_one, &mut next);
            by_one = next;
        }
        assert_eq!(out.escape_ascii().to_string(), by_one.escape_ascii().to_string(), "{}: {layers} layers", kind.name);
    }
    let body = out.strip_prefix(kind.header.as_bytes()).expect("the header");
    let after = (kind.read)(body);
    assert_eq!(after.len(), records.len(), "{}: {} became {}", kind.name, input.escape_ascii(), out.escape_ascii());
    for (before, after) in records.iter().zip(&after) {
        assert_eq!(before.len(), after.len(), "{}: {} became {}", kind.name, input.escape_ascii(), out.escape_ascii());
        for ((cell, now), syntax) in before.iter().zip(after).zip(kind.urls) {
            if cell == now {
                continue;
            }
            // Normalization may change the case of the digits of kept triplets.
            let normalizes = matches!(spec.action, Action::Normalize);
            let (from, to) = if normalizes { (&upper(cell), &upper(now)) } else { (cell, now) };
            // Decoding a path may also change the case of the digits of a `%3a` in its first segment.
            let keeps_case = spec.part != Some(Part::Path);
            // If there are several layers, or if the escapes of the log (like `\x41`) are decoded too, compare only the fully
            // decoded text.
            let is_one_layer = spec.repeat.is_none_or(|layers| layers == 1) && !spec.unescape_log;
            let spaces = !matches!(spec.action, Action::Normalize | Action::Decode { plus: Plus::Never });
            let is_decoded = if is_one_layer && (normalizes || keeps_case) || normalizes && !spec.unescape_log {
                is_decoded(from, to, spaces)
            } else {
                bare(from, spec.unescape_log) == bare(to, spec.unescape_log)
            };
            let Some(syntax) = syntax.filter(|_| is_decoded) else {
                panic!("{}: `{}` became `{}`", kind.name, cell.escape_ascii(), now.escape_ascii());
            };
            // If a part is named, the other parts must be unchanged.
            if let Some(part) = spec.part {
                let worked = match part {
                    Part::Path => 0,
                    Part::Query | Part::Values => 1,
                    Part::Fragment => 2,
                };
                for (at, (before, after)) in split(cell, syntax).into_iter().zip(split(now, syntax)).enumerate() {
                    let is_kept = at == worked && before.is_empty() == after.is_empty() || before == after;
                    assert!(is_kept, "{part:?} of `{}` became `{}`", cell.escape_ascii(), now.escape_ascii());
                }
            }
            let text = String::from_utf8_lossy(now);
            // Decoding only a named part must not add a scheme. Normalization must not add a scheme either. But if the
            // log's own escapes (`\x3A`) are decoded too, normalization may add a scheme, because these escapes can
            // hide the `:` of a scheme.
            if spec.part.is_some() || normalizes && !spec.unescape_log {
                let is_whole = matches!(kind.name, "csv" | "tsv" | "ndjson"); // the other formats write text before the cell
                let is_kept = !is_whole || !has_scheme(&text) || has_scheme(&String::from_utf8_lossy(cell));
                assert!(is_kept, "a scheme: `{}` became `{}`", cell.escape_ascii(), now.escape_ascii());
            }
            let is_shown = !text.contains(|c: char| c.is_control() || c == '\u{202E}' || c == '\u{FFFD}');
            assert!(is_shown, "{}: {}", kind.name, now.escape_ascii());
        }
    }
});
