//! Real files, both ways, byte for byte what the oracle says, in every engine.

#[allow(dead_code)]
mod oracle;
#[allow(dead_code)]
mod process;

use std::fs;
use std::path::{Path, PathBuf};

use oracle::{Decoding, Encoding};
use percent_simd::Engine;
use process::{assert_same, output, pct};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The real files that are there.
fn files() -> Vec<PathBuf> {
    let mut files: Vec<_> =
        ["access.log", "urls.txt"].iter().map(|name| root().join("../shared/data").join(name)).collect();
    files.retain(|file| {
        let there = file.exists();
        if !there {
            eprintln!("left out: there is no {}", file.display());
        }
        there
    });
    files
}

fn run(verb: &str, options: &[&str], engine: &Engine, file: &Path) -> Vec<u8> {
    let args = [&[verb, "--engine", engine.name()], options, &[file.to_str().unwrap()]].concat();
    output(args, b"")
}

#[test]
fn decoded() {
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
fn encoded_and_decoded_again() {
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
fn the_example() {
    let file = root().join("examples/access.log");
    let input = fs::read(&file).unwrap();
    assert!((15..=30).contains(&input.iter().filter(|&&byte| byte == b'\n').count()));
    let lines = Decoding { keep: oracle::controls(), plus: None, end: Some(b'\n') };
    for engine in Engine::available() {
        assert_same(&run("decode", &[], engine, &file), &oracle::decode(&lines, &input).0, "examples/access.log");
    }
    // Some of it is Latin-1.
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
fn the_fields_of_a_log() {
    let Some(file) = files().into_iter().find(|file| file.ends_with("access.log")) else { return };
    let input = fs::read(&file).unwrap();
    let quoted = Decoding { keep: &oracle::controls() | &b"\"\\".iter().copied().collect(), ..Decoding::default() };
    let spaced = Decoding { keep: &quoted.keep | &b" []".iter().copied().collect(), ..quoted.clone() };
    // As plainly as can be: what is between the quotes of a line that has six, and no backslash.
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
            // Those stay escaped as far as they are not.
            Err(_) => {
                not_utf8 += 1;
                assert!(out.is_ascii() || std::str::from_utf8(out).is_ok());
            }
        }
    }
    assert!(plain > 9_900 && changed > 500 && (1..10).contains(&not_utf8), "{plain} {changed} {not_utf8}");
}
