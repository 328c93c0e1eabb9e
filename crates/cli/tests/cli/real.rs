//! Encodes and decodes realistic logs and lists of URLs with every engine, and compares the results with the oracle byte for byte.

use crate::oracle;
use crate::process;

use std::fs;
use std::path::{Path, PathBuf};

use oracle::{Decoding, Encoding};
use percent_simd::Engine;
use percent_simd_oracle::Random;
use process::{assert_same, output, pct};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a part of a URL: words, and the escapes and signs that occur between words in logs.
fn part(random: &mut Random, out: &mut Vec<u8>) {
    const WORDS: [&str; 8] = ["index", "books", "a-b_c.d~e", "2026", "c++", "search", "img", "x"];
    const ESCAPES: [&str; 16] = [
        "%20",
        "%2F",
        "%2f",
        "%C3%A9",
        "%d0%ba%d0%bd%d0%b8%d0%b3%d0%b0",
        "%E2%82%AC",
        "%0A",
        "%22",
        "%25",
        "%2520",
        "%41",
        "%5C",
        "%00",
        "%5B",
        "%zz",
        "%",
    ];
    for _ in 0..1 + random.below(4) {
        out.extend(random.pick(&WORDS).bytes());
        match random.below(400) {
            0 => out.extend(b"caf%E9"), // Latin-1
            1..60 => out.extend(random.pick(&ESCAPES).bytes()),
            _ => out.extend([b"/-+&="[random.below(5)]]),
        }
    }
}

/// Writes a log in the combined format and a list of URLs. Both files are as large as on a small site.
fn files() -> [PathBuf; 2] {
    let mut random = Random::seeded(0x106);
    let (mut log, mut urls) = (Vec::new(), Vec::new());
    for n in 0..10_000 {
        let (mut target, mut referrer) = (b"/".to_vec(), b"https://example.org/".to_vec());
        part(&mut random, &mut target);
        if random.one_in(2) {
            target.extend(b"?q=");
            part(&mut random, &mut target);
        }
        part(&mut random, &mut referrer);
        let agent = if random.one_in(100) { "a \\\"quoted\\\" name" } else { "Mozilla/5.0 (X11; Linux x86_64)" };
        log.extend(format!("192.0.2.{} - - [22/Nov/2026:01:02:03 +0000] \"", n % 256).bytes());
        match random.below(100) {
            0 => log.push(b'-'),
            _ => log.extend([b"GET ", &target[..], b" HTTP/1.1"].concat()),
        }
        log.extend(format!("\" 200 {n} \"").bytes());
        log.extend(&referrer);
        log.extend(format!("\" \"{agent}\"\n").bytes());
        urls.extend([b"https://example.org", &target[..], b"\n"].concat());
    }
    // Tests run at the same time, so each test has its own files.
    let test = std::thread::current().name().unwrap_or_default().to_string();
    [("access.log", log), ("urls.txt", urls)].map(|(name, bytes)| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{name}"));
        fs::write(&path, bytes).unwrap();
        path
    })
}

fn run(verb: &str, options: &[&str], engine: &Engine, file: &Path) -> Vec<u8> {
    let args = [&[verb, "--engine", engine.name()], options, &[file.to_str().unwrap()]].concat();
    output(args, b"")
}

#[test]
fn decoding_matches_the_oracle() {
    let lines = Decoding { keep: oracle::controls(), plus: None, end: Some(b'\n') };
    let cases: [(&[&str], Decoding); 5] = [
        (&[], lines.clone()),
        (&["--plus"], Decoding { plus: Some(false), ..lines.clone() }),
        (&["--plus=after-query"], Decoding { plus: Some(true), ..lines.clone() }),
        (&["--raw"], Decoding::default()),
        (&["--keep", " \"%"], Decoding { keep: &lines.keep | &b" \"%".iter().copied().collect(), ..lines }),
    ];
    for file in files() {
        let input = fs::read(&file).unwrap();
        for (options, decoding) in &cases {
            let (expected, malformed) = oracle::decode(decoding, &input);
            assert!(expected.len() < input.len());
            for engine in Engine::available() {
                let what = format!("{} {options:?} {engine}", file.display());
                assert_same(&run("decode", options, engine, &file), &expected, &what);
            }
            let ran = pct([&["decode", "--strict"], *options, &[file.to_str().unwrap()]].concat(), b"");
            match malformed {
                None => assert_eq!((ran.code, ran.out), (Some(0), expected)),
                Some(at) => {
                    assert_same(&ran.out, &oracle::decode(decoding, &input[..at]).0, "strict");
                    assert!(ran.err.contains(&format!("byte {at} ")), "{}", ran.err);
                }
            }
        }
    }
}

#[test]
fn encoding_matches_the_oracle_and_decodes_back() {
    let unreserved: Vec<u8> = (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z').chain(*b"-._~").collect();
    let lines = Encoding { stay: unreserved.iter().copied().collect(), lines: true, ..Encoding::default() };
    let raw = Encoding { lines: false, ..lines.clone() };
    let uri = unreserved.iter().chain(b":/?#[]@!$&'()*+,;=").copied().collect();
    let uri = Encoding { stay: uri, keep_escapes: true, ..lines.clone() };
    let cases: [(&[&str], Encoding, Option<&str>); 4] = [
        (&[], lines.clone(), Some("--keep=")),
        (&["--lower", "--plus"], Encoding { lower: true, plus: true, ..lines }, Some("--plus")),
        (&["--raw"], raw, Some("--raw")),
        (&["--set", "rfc3986-uri", "--keep-escapes"], uri, None),
    ];
    for file in files() {
        let input = fs::read(&file).unwrap();
        for (options, encoding, back) in &cases {
            let expected = oracle::encode(encoding, &input);
            for engine in Engine::available() {
                let what = format!("{} {options:?} {engine}", file.display());
                let encoded = run("encode", options, engine, &file);
                assert_same(&encoded, &expected, &what);
                if let Some(back) = back {
                    assert_same(&output(["decode", "--engine", engine.name(), back], &encoded), &input, &what);
                }
            }
        }
    }
}

#[test]
fn the_example_log_matches_the_oracle() {
    let file = root().join("examples/access.log");
    let input = fs::read(&file).unwrap();
    assert!((15..=30).contains(&input.iter().filter(|&&byte| byte == b'\n').count()));
    let lines = Decoding { keep: oracle::controls(), plus: None, end: Some(b'\n') };
    for engine in Engine::available() {
        assert_same(&run("decode", &[], engine, &file), &oracle::decode(&lines, &input).0, "examples/access.log");
    }
    // Some text of this log is Latin-1.
    let decode = |option| output(["decode", option, file.to_str().unwrap()], b"");
    let text = String::from_utf8_lossy(&decode("--keep=")).into_owned();
    for part in ["/каталог/книги", "AC/DC", "%0A", "%zz", "1+1"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(text.lines().count(), input.iter().filter(|&&byte| byte == b'\n').count());
    let text = String::from_utf8_lossy(&decode("--plus=after-query")).into_owned();
    assert!(text.contains("q=war and peace") && text.contains("/c++/templates?q=c++ templates"), "{text}");
    assert_eq!(pct(["decode", "--strict", file.to_str().unwrap()], b"").code, Some(1));
}

#[test]
fn only_the_url_fields_of_a_log_are_decoded() {
    let [file, _] = files();
    let input = fs::read(&file).unwrap();
    let quoted = Decoding { keep: &oracle::controls() | &b"\"\\".iter().copied().collect(), ..Decoding::default() };
    let spaced = Decoding { keep: &quoted.keep | &b" []".iter().copied().collect(), ..quoted.clone() };
    // We parse only lines with six quotes and no backslash. In these lines, the fields are the texts between quotes.
    let is_plain = |line: &[u8]| !line.contains(&b'\\') && line.iter().filter(|&&byte| byte == b'"').count() == 6;
    let out = output(["decode", "--format", "combined", file.to_str().unwrap()], b"");
    let (mut plain, mut changed, mut not_utf8) = (0, 0, 0);
    let lines = input.split(|&byte| byte == b'\n');
    assert_eq!(lines.clone().count(), out.split(|&byte| byte == b'\n').count());
    for (line, out) in lines.zip(out.split(|&byte| byte == b'\n')).filter(|(line, _)| is_plain(line)) {
        let mut parts: Vec<Vec<u8>> = line.split(|&byte| byte == b'"').map(<[u8]>::to_vec).collect();
        let mut request: Vec<Vec<u8>> = parts[1].split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect();
        if request.len() == 3 {
            request[1] = oracle::decode(&spaced, &request[1]).0;
        }
        parts[1] = request.join(&b' ');
        parts[3] = oracle::decode(&quoted, &parts[3]).0;
        let expected = parts.join(&b'"');
        plain += 1;
        changed += usize::from(expected != line);
        match std::str::from_utf8(&expected) {
            Ok(_) => assert_eq!(out.escape_ascii().to_string(), expected.escape_ascii().to_string()),
            // Fields that are not UTF-8 stay partly escaped.
            Err(_) => {
                not_utf8 += 1;
                assert!(out.is_ascii() || std::str::from_utf8(out).is_ok());
            }
        }
    }
    assert!(plain > 9_700 && changed > 2_000 && not_utf8 > 10, "{plain} {changed} {not_utf8}");
}
