//! Checks that no input is lost, that no text around a record can forge another record, and that every mismatch is reported.

use crate::process;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use process::{Folder, RunResult, command, pct};

fn run(args: &[&str], input: &[u8]) -> RunResult {
    pct(args, input)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

const LINE: &str = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /%41 HTTP/1.1\" 200 5 \"-\" \"x\"\n";

#[test]
fn an_output_is_complete_or_unchanged() {
    let folder = Folder::new();
    let (keep, good, missing) =
        (folder.file("keep.log", b"old"), folder.file("good", b"%41\n"), folder.path("missing"));
    for args in [
        &["decode", text(&missing), "-o", text(&keep)][..],
        &["decode", text(&good), text(&missing), "-o", text(&keep)],
    ] {
        let ran = run(args, b"");
        assert_eq!((ran.code, fs::read(&keep).unwrap()), (Some(2), b"old".to_vec()));
        assert!(ran.err.contains("left as it was"), "{}", ran.err);
    }
    let ran = run(&["decode", "--strict", "-o", text(&keep)], b"%41%zz");
    assert_eq!((ran.code, fs::read(&keep).unwrap()), (Some(1), b"old".to_vec()), "{}", ran.err);
    assert_eq!(run(&["decode", text(&good), "-o", text(&keep)], b"").code, Some(0));
    assert_eq!(fs::read(&keep).unwrap(), b"A\n");
    assert_eq!(run(&["decode", text(&good), "-o", "-"], b"").out, b"A\n");
    let new = folder.path("new");
    assert_eq!(run(&["decode", text(&good), "-o", text(&new)], b"").code, Some(0));
    assert_eq!(fs::read(&new).unwrap(), b"A\n");
    // `pct` has left no other file in the folder.
    assert_eq!(fs::read_dir(folder.path(".")).unwrap().count(), 3);
    #[cfg(unix)]
    {
        // A file that `pct` creates has the usual permissions of a new file.
        use std::os::unix::fs::PermissionsExt;
        let other = folder.file("other", b"");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&new), mode(&other));
    }
}

#[test]
fn all_compressions_are_read_and_written() {
    let folder = Folder::new();
    let plain = "%41%42 line\n".repeat(100_000);
    for form in ["gz", "zst", "bz2", "xz"] {
        let file = folder.path(format!("packed.{form}"));
        let ran = run(&["encode", "--set", "rfc3986-uri", "--allow", "% ", "-o", text(&file)], plain.as_bytes());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(fs::metadata(&file).unwrap().len() < plain.len() as u64 / 10, "{form}");
        let expected = "AB line\n".repeat(100_000).into_bytes();
        assert!(run(&["decode", text(&file)], b"").out == expected, "{form}");
        // A compressed file that is replaced in place stays compressed. If two inputs go to one output, their records
        // stay separate.
        assert_eq!(run(&["decode", "--in-place", text(&file)], b"").code, Some(0));
        let again = fs::read(&file).unwrap();
        assert!(again.len() < plain.len() / 10 && run(&["decode", text(&file)], b"").out == expected, "{form}");
        let (one, two) = (folder.file("one", b"%41"), folder.file("two", b"%42"));
        let packed = run(&["decode", "-z", form, text(&one), text(&two)], b"");
        assert_eq!(run(&["decode"], &packed.out).out, b"A\nB", "{form}");
        // A file without records has a member, too.
        let empty = run(&["decode", "-z", form], b"").out;
        let none = folder.file("none", &empty);
        assert_eq!(run(&["decode", "--in-place", text(&none)], b"").code, Some(0));
        assert_eq!(fs::read(&none).unwrap(), empty, "{form}");
    }
}

/// `pzstd` writes a skippable frame first (RFC 8878 3.1.2).
#[test]
fn zstandard_may_begin_with_a_skippable_frame() {
    let packed = run(&["encode", "--raw", "--allow", " \n", "--compress", "zst"], b"a b\n").out;
    for first in 0x50..=0x5F {
        let skipped = [&[first, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"%41", &packed].concat();
        assert_eq!(run(&["decode"], &skipped).out, b"a b\n", "{first:#x}");
    }
}

#[test]
fn files_that_are_not_text_are_refused_by_name() {
    let folder = Folder::new();
    let tar = [&[b'x'; 257][..], b"ustar\x0000", &[0; 248]].concat();
    let kinds: [(&[u8], &str); 8] = [
        (b"PK\x03\x04\x14\0\0\0%41", "zip"),
        (b"7z\xBC\xAF\x27\x1C\0\x04%41", "7z"),
        (b"\x04\x22\x4D\x18\x64\x40%41", "lz4"),
        (b"\x37\xA4\x30\xEC\x01%41", "dictionary"),
        (b"PAR1\x15\0%41", "Parquet"),
        (b"\x1F\x9D\x90%41", "compress"),
        (b"ORC\x01\0%41", "ORC"),
        (&tar, "tar"),
    ];
    for (bytes, name) in kinds {
        let file = folder.file("file", bytes);
        let ran = run(&["decode", "--in-place", text(&file)], b"");
        assert_eq!((ran.code, fs::read(&file).unwrap()), (Some(2), bytes.to_vec()), "{name}");
        assert!(ran.err.contains(name), "{}", ran.err);
    }
    // An archive is refused even if it is compressed once more.
    let packed = run(&["decode", "--raw", "-z", "gz"], b"PK%03%04%2541");
    assert_eq!(packed.code, Some(0));
    let file = folder.file("file.gz", &packed.out);
    let ran = run(&["decode", "--in-place", text(&file)], b"");
    assert_eq!((ran.code, fs::read(&file).unwrap()), (Some(2), packed.out));
}

#[cfg(unix)]
#[test]
fn replacing_keeps_attributes_and_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.file("file", b"%41\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).unwrap();
    let has_attributes = xattr::set(&file, "user.note", b"kept").is_ok();
    if !has_attributes {
        percent_simd_oracle::skip("extended attributes, which the file system of the temporary files does not have");
    }
    assert_eq!(run(&["decode", "--in-place", text(&file)], b"").code, Some(0));
    assert_eq!(fs::read(&file).unwrap(), b"A\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o604);
    if has_attributes {
        assert_eq!(xattr::get(&file, "user.note").unwrap().as_deref(), Some(&b"kept"[..]));
    }
    // `pct` replaces many files at once, each with a backup.
    let files: Vec<_> = (0..300).map(|number| folder.file(format!("f{number}"), b"%41\n")).collect();
    let args: Vec<&str> =
        ["decode", "--in-place=.old"].into_iter().chain(files.iter().map(|file| text(file))).collect();
    assert_eq!(run(&args, b"").code, Some(0));
    for file in &files {
        assert_eq!(fs::read(file).unwrap(), b"A\n");
        assert_eq!(fs::read(format!("{}.old", text(file))).unwrap(), b"%41\n");
    }
}

/// Tests that `pct` keeps the place of each finding in memory only once, even if a long record has many findings.
#[cfg(target_os = "linux")]
#[test]
fn all_positions_of_a_long_record_are_held_once() {
    const PLACES: usize = 2_796_000;
    let mut child = command(["decode", "--check", "--positions", "all", "-j2"]).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let feed = std::thread::spawn(move || stdin.write_all(&[&b"%zz".repeat(PLACES)[..], b"\n"].concat()).unwrap());
    let mut out = vec![0];
    stdout.read_exact(&mut out).unwrap();
    // The process has found all places, and waits for its output to be read.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let peak: usize = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    stdout.read_to_end(&mut out).unwrap();
    feed.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let places = out.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"<stdin>:1:")).count();
    assert_eq!(places, PLACES);
    assert!(peak < 110_000, "{peak} KiB");
}

/// `--positions all` reports the place of each finding as soon as `pct` finds it, so the memory stays small.
#[cfg(target_os = "linux")]
#[test]
fn all_positions_in_constant_memory() {
    for report in ["--report=text", "--report=json"] {
        let mut child = command(["decode", "--check", "--positions", "all", "-j2", report]).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let id = child.id();
        let feed = std::thread::spawn(move || {
            let chunk = b"%zz%zz%zz%zz\n".repeat(20_000);
            let mut peak = 0;
            for _ in 0..30 {
                stdin.write_all(&chunk).unwrap();
                let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
                let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap().to_string();
                peak = line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap();
            }
            peak
        });
        let lines = std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        assert!(lines > 50_000_000, "{lines}");
        let peak = feed.join().unwrap();
        assert!(peak < 60_000, "{report}: {peak} KiB for 2,400,000 places");
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
    let ran = run(&["decode", "--check", "--report=json", "--positions", "all"], b"%zz %zz\n");
    let report: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(report["inputs"][0]["places"].as_array().unwrap().len(), 2, "{report}");
}

#[cfg(unix)]
#[test]
fn names_and_headers_do_not_drive_a_terminal() {
    let folder = Folder::new();
    let file = folder.file("a\x1B[31m\nforged: x", b"%zz");
    for args in [&["decode", "--strict", text(&file)][..], &["decode", "--check", text(&file)], &["lint", text(&file)]]
    {
        let ran = run(args, b"");
        let told = [ran.err.as_bytes(), &ran.out].concat();
        assert!(
            !told.contains(&0x1B) && !told.windows(8).any(|bytes| bytes == b"\nforged:"),
            "{}",
            told.escape_ascii()
        );
    }
    let ran = run(&["decode", "--format", "csv"], b"a\x1B[31m,b\xC2\x9Bc\n%41,x\n");
    assert_eq!(ran.code, Some(2));
    assert!(!ran.err.contains(['\x1B', '\u{9B}']), "{}", ran.err.escape_debug());
}

#[test]
fn each_field_that_occurs_gets_a_column() {
    let decode = |args: &[&str], input: &str| {
        let ran = run(&[&["decode", "--format", "csv"], args].concat(), input.as_bytes());
        (ran.code, String::from_utf8(ran.out).unwrap(), ran.err)
    };
    let (_, out, err) = decode(&["--to", "{}_decoded"], "id,url,x\n1,%41,2\n");
    assert_eq!(out, "id,url,x,url_decoded\n1,%41,2,A\n", "{err}");
    let (_, out, err) = decode(&["--to", "{}_decoded"], "referer,url\n%42,%41\n");
    assert_eq!(out, "referer,url,url_decoded,referer_decoded\n%42,%41,A,B\n", "{err}");
    let (_, out, err) = decode(&["--to", "clear"], "id,url\n1,%41\n");
    assert_eq!(out, "id,url,clear\n1,%41,A\n", "{err}");
    let taken =
        [("x", "url,x"), ("{}_d", "url,url_D"), ("clear", "url,referer"), ("{} \"d\"", "url,\"url \"\"d\"\"\"")];
    for (to, header) in taken {
        let (code, out, err) = decode(&["--to", to], &format!("{header}\n%41,%42\n"));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{to}: {err}");
    }
}

/// In a header, the names of the results are written so that the reader of the table finds them.
#[test]
fn names_of_new_columns_fit_into_the_header() {
    for (format, to, input, expected) in [
        ("csv", "{}_d", "\"Page, URL\",x\n/%41,1\n", "\"Page, URL\",x,\"Page, URL_d\"\n/%41,1,/A\n"),
        ("csv", "{}_d", "\"Page \"\"URL\"\"\"\n/%41\n", "\"Page \"\"URL\"\"\",\"Page \"\"URL\"\"_d\"\n/%41,/A\n"),
        ("csv;", "a;b\n\"", "url;x\n/%41;1\n", "url;x;\"a;b%0A\"\"\"\n/%41;1;/A\n"),
        ("tsv", "a\tb", "url\tx\n/%41\t1\n", "url\tx\ta%09b\n/%41\t1\t/A\n"),
        ("w3c", "a b", "#Fields: date cs-uri\n1 /%41\n", "#Fields: date cs-uri a%20b\n1 /%41 /A\n"),
    ] {
        let ran = run(&["decode", "--format", format, "--to", to], input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), expected, "{format}: {}", ran.err);
    }
}

/// A name in quotes may contain doubled quotes (RFC 4180 2).
#[test]
fn names_of_columns_are_read_without_their_quotes() {
    let input = "\"Page \"\"URL\"\"\",x\n/%41,1\n";
    for field in [&[][..], &["-f", "page \"url\""]] {
        let ran = run(&[&["decode", "--format", "csv"], field].concat(), input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), input.replace("%41", "A"), "{}", ran.err);
    }
}

/// If a record already has a member with the name given by `--to`, the result isn't written as a second member with
/// this name.
#[test]
fn a_member_name_that_is_taken_is_an_error() {
    let decode = |args: &[&str], input: &str| {
        let ran = run(&[&["decode", "--format", "ndjson"], args].concat(), input.as_bytes());
        (ran.code, String::from_utf8(ran.out).unwrap(), ran.err)
    };
    let to_clear = ["-f", "/url", "--to", "clear"];
    let (done, made) = ("{\"url\":\"%41\"}\n", "{\"url\":\"%41\",\"clear\":\"A\"}\n");
    for record in [
        r#"{"url":"%42","clear":"x"}"#,
        r#"{"clear":"x","url":"%42"}"#,
        r#"{"url":"nothing","clear":null}"#,
        r#"{"url":"%42","x":{"y":["}"]},"clear":{"clear":[1]}}"#,
        r#" { "cl\u0065ar" : 1.5e3 , "url" : "%42" } "#,
        r#"{"clear":[],"url":"%42"}"#,
    ] {
        let (code, out, err) = decode(&to_clear, &format!("{done}{record}\n{done}"));
        assert_eq!((code, out.as_str()), (Some(2), made), "{record}: {err}");
        let at = record.find(if record.contains("%42") { "%42" } else { "nothing" }).unwrap();
        let place = format!("<stdin>:2: byte {} (column {}): ", done.len() + at, at + 1);
        assert!(
            err.contains(&place) && err.contains("already has a member `clear`; choose another name with --to"),
            "{record}: {err}"
        );
    }
    // Only an equal name in the same object is an error. These records have the name in another object, in another
    // letter case, or as a part of a longer name.
    for record in [
        r#"{"x":{"clear":1},"url":"%41"@,"Clear":1,"clear ":2,"y":[{"clear":1}],"z":"clear"}"#,
        r#"{"CLEAR":{"clear":1},"cl\u0045ar":"clear","url":"%41"@}"#,
    ] {
        let expected = record.replace('@', ",\"clear\":\"A\"");
        let (code, out, err) = decode(&to_clear, &record.replace('@', ""));
        assert_eq!((code, out), (Some(0), expected), "{err}");
    }
    // Only the object that contains the field is searched for the name.
    let nested = ["-f", "/o/url", "--to", "clear"];
    assert_eq!(decode(&nested, r#"{"o":{"clear":1,"url":"%41"}}"#).0, Some(2));
    let (code, out, err) = decode(&nested, r#"{"clear":1,"o":{"url":"%41"}}"#);
    assert_eq!((code, out.as_str()), (Some(0), r#"{"clear":1,"o":{"url":"%41","clear":"A"}}"#), "{err}");
    // In `--to`, the name of the field replaces `{}`. If the record already has the resulting name, the error is the
    // same.
    assert_eq!(decode(&["-f", "/url", "--to", "{}_x"], r#"{"url_x":1,"url":"%41"}"#).0, Some(2));
    assert_eq!(decode(&["-f", "/url", "--to", "url"], r#"{"url":"%41"}"#).0, Some(2));
    // The reported place is right with any number of threads, even far after the first chunk. The output for all
    // records before this place is written.
    let lines = 300_000;
    let bad = r#"{"clear":1,"url":"%42"}"#;
    for threads in ["-j1", "-j3"] {
        let input = format!("{}{bad}\n{}", done.repeat(lines), done.repeat(lines));
        let (code, out, err) = decode(&[&to_clear[..], &[threads]].concat(), &input);
        assert!(code == Some(2) && out == made.repeat(lines), "{threads}: {code:?}, {} bytes, {err}", out.len());
        let place = format!("<stdin>:{}: byte {} (column 19): ", lines + 1, lines * done.len() + 18);
        assert!(err.contains(&place), "{threads}: {err}");
    }
    // After this error, `--in-place` leaves the file as it was.
    let folder = Folder::new();
    let text_of = format!("{done}{bad}\n");
    let file = folder.file("log", text_of.as_bytes());
    let ran = run(&["decode", "--format", "ndjson", "-f", "/url", "--to", "clear", "--in-place", text(&file)], b"");
    assert_eq!((ran.code, fs::read(&file).unwrap()), (Some(2), text_of.into_bytes()), "{}", ran.err);
    // `pct` also finds the existing member after the prefix of an envelope, and in an object of several lines.
    let prefixed = "2016-10-06T00:17:09.669794202Z stdout F {\"clear\":1,\"url\":\"%41\"}\n";
    let ran = run(&["decode", "--format", "cri:ndjson", "-f", "/url", "--to", "clear"], prefixed.as_bytes());
    assert_eq!((ran.code, ran.out.as_slice()), (Some(2), &b""[..]), "{}", ran.err);
    let ran = run(
        &["decode", "--format", "json", "-f", "/url", "--to", "clear"],
        b"[\n{\"url\":\"%41\"},\n{\n\"clear\":1,\"url\":\"%41\"}\n]\n",
    );
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains("<stdin>:4: ") && ran.out.starts_with(b"[\n{\"url\":\"%41\",\"clear\":\"A\"}"),
        "{}",
        ran.err
    );
}

/// If each object contains only one of the chosen fields, a single name in `--to` is enough for all fields.
#[test]
fn each_field_gets_a_member_in_its_object() {
    let decode = |args: &[&str], input: &str| {
        let ran = run(&[&["decode", "--format", "ndjson"], args].concat(), input.as_bytes());
        (ran.code, String::from_utf8(ran.out).unwrap(), ran.err)
    };
    let (url, referer) = (r#"{"url":"%41"@}"#, r#"{"id":1,"referer":"%41"@,"x":2}"#);
    let both = format!("{url}\n{referer}\n{{}}\n");
    for args in [&["--to", "clear"][..], &["-f", "url,referer", "--to", "clear"]] {
        let (code, out, err) = decode(args, &both.replace('@', ""));
        assert_eq!((code, out), (Some(0), both.replace('@', ",\"clear\":\"A\"")), "{err}");
        for two in [r#"{"url":"%41","referer":"%42"}"#, r#"{"url":"%41","url":"%42"}"#] {
            let (code, out, err) = decode(args, &format!("{{\"a\":1}}\n{two}\n"));
            assert_eq!((code, out.as_str()), (Some(2), "{\"a\":1}\n"), "{two}: {err}");
            let at = two.find("%42").unwrap();
            assert!(err.contains(&format!("<stdin>:2: byte {} (column {}): ", 8 + at, at + 1)), "{two}: {err}");
            assert!(err.contains("put {} in --to"), "{two}: {err}");
        }
    }
    // The two fields are in two objects, so both results can have the same name.
    let (code, out, err) = decode(&["-f", "/a/url,/b/url", "--to", "c"], r#"{"a":{"url":"%41"},"b":{"url":"%42"}}"#);
    let expected = r#"{"a":{"url":"%41","c":"A"},"b":{"url":"%42","c":"B"}}"#;
    assert_eq!((code, out.as_str()), (Some(0), expected), "{err}");
    // If every record of a format has all the fields, a single name for several fields is refused before any input is read.
    let ran = run(&["decode", "--format", "combined", "--to", "clear"], LINE.as_bytes());
    assert_eq!((ran.code, ran.out.as_slice()), (Some(2), &b""[..]), "{}", ran.err);
    // The message doesn't ask for another name, or for a format that is already named.
    for to in ["clear", "{}_clear"] {
        let ran = run(&["decode", "--format", "logfmt", "--to", to], b"url=/%41\n");
        assert!(ran.code == Some(2) && ran.err.contains("to records of this format"), "{}", ran.err);
    }
}

#[test]
fn raw_decodes_bytes_but_no_controls() {
    let line =
        |target: &str| format!("- - - [17/May/2015:10:05:03 +0000] \"GET /{target} HTTP/1.1\" 200 1\n").into_bytes();
    let decode = |target: &str| run(&["decode", "--format", "clf", "--on-utf8", "raw"], &line(target)).out;
    assert!(decode("%FF%41").windows(2).any(|two| two == b"\xFFA"));
    for kept in ["%C2%9B", "%E2%80%AE", "%FF%C2%9B", "\u{C2}%C2%85%FF"] {
        let out = decode(kept);
        let text = String::from_utf8_lossy(&out);
        assert!(!text.contains(|c: char| c == '\u{202E}' || ('\u{80}'..='\u{9F}').contains(&c)), "{kept}: {text:?}");
    }
}

#[test]
fn a_target_ends_at_the_first_version() {
    for request in ["/%61 HTTP/1.1 %42 HTTP/1.1", "/%61 %48TTP/1.1 HTTP/1.1", "/%61 HTTP%2F1.1 HTTP/1.1"] {
        let line = format!("- - - [17/May/2015:10:05:03 +0000] \"GET {request}\" 200 1\n");
        let out = String::from_utf8(run(&["decode", "--format", "clf"], line.as_bytes()).out).unwrap();
        assert_eq!(out.matches(" HTTP/").count(), line.matches(" HTTP/").count(), "{out}");
        assert!(out.contains("/a") && !out.contains(" B "), "{out}");
    }
}

#[test]
fn misfits_are_reported() {
    let logs = LINE.repeat(587);
    let json = "{\"request_uri\":\"/a\\x22%20b\"}\n";
    let plain = "no percent here\n".repeat(30);
    let cases: [(&[&str], &[u8], &[&str]); 10] = [
        (&["--format", "alb"], logs.as_bytes(), &["587 of 587 checked records are not alb", "--format 'combined'?"]),
        (&["--format", "combined"], plain.as_bytes(), &["30 of 30 checked records are not combined"]),
        (&["--format", "ndjson"], json.as_bytes(), &["its only checked record is not ndjson"]),
        (
            &["--format", "ndjson", "-f", "/nothing"],
            b"{\"url\":\"/a\"}\n",
            &["its only checked record has no field named /nothing; there are /url"],
        ),
        (
            &["--format", "ndjson"],
            b"{\"a\":\"/a\"}\n",
            &["its only checked record has no field that is known to hold URLs; there are /a;", "name one with -f"],
        ),
        (
            &["--format", "combined", "-f", "9"],
            b"- - - [17/May/2015:10:05:03 +0000] \"GET /a\" 200 1 \"-\"\n",
            &["its only checked record has no field named 9"],
        ),
        (&["--format", "csv", "-f", "7"], b"a,b\nc,d\n", &["none of 2 checked records has a field named 7"]),
        (&["--format", "w3c"], b"2024 /a\n2024 /b\n", &["2 of 2 checked records are not w3c", "no #Fields line"]),
        (&["--format", "zeek"], b"2024\t/a\n", &["not zeek", "no #Fields line"]),
        (&["--format", "cri:combined"], logs.as_bytes(), &["587 of 587 checked records", "--format 'combined'?"]),
    ];
    for (args, input, told) in cases {
        let ran = run(&[&["decode"], args].concat(), input);
        assert_eq!((ran.code, ran.out.as_slice()), (Some(0), input), "{args:?}: {}", ran.err);
        assert!(told.iter().all(|told| ran.err.contains(told)), "{args:?}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{args:?}: {}", ran.err);
        let quiet = run(&[&["decode", "-q"], args].concat(), input);
        assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""), "{args:?}");
        let strict = run(&[&["decode", "--strict-format"], args].concat(), input);
        assert_eq!(strict.code, Some(2), "{args:?}: {}", strict.err);
    }
    // Each record is in the format `better`, but also has a member that the given format `format` knows. `pct` must
    // still report the mismatch.
    for (format, better, input) in [
        ("fastly", "suricata", "{\"event_type\":\"http\",\"flow_id\":1,\"http\":{\"url\":\"/a\"},\"url\":\"/x\"}\n"),
        ("ecs", "otel", "{\"attributes\":{\"http.target\":\"/a\"},\"url.full\":\"/x\"}\n"),
        ("envoy-json", "akamai", "{\"reqPath\":\"/a\",\"path\":\"/x\"}\n"),
    ] {
        let ran = run(&["decode", "--format", format], input.as_bytes());
        let told = format!("its first records are in the format {better}, not in {format}; --format '{better}'?\n");
        // Before this message, another one names the members that were found by their values.
        assert_eq!(ran.out, input.as_bytes());
        assert!(ran.err.ends_with(&format!("pct: <stdin>: {told}")), "{}", ran.err);
        for format in [better, "ndjson"] {
            let ran = run(&["decode", "--format", format], input.as_bytes());
            assert!(!ran.err.contains("records are in"), "{format}: {}", ran.err);
        }
    }
    // `--strict-format` finds a mismatch anywhere.
    let late = [LINE.repeat(60_000), "none\n".into(), LINE.repeat(10)].concat();
    assert_eq!(run(&["decode", "--format", "combined", "--strict-format"], late.as_bytes()).code, Some(2));
    // If everything fits, there is no message.
    let ran = run(&["decode", "--format", "combined", "--strict-format"], logs.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    // Records that are too long are reported.
    let long = [
        &b"- - - [17/May/2015:10:05:03 +0000] \"GET /"[..],
        &b"a".repeat(9 << 20),
        b"%41 HTTP/1.1\" 200\n",
        LINE.as_bytes(),
    ]
    .concat();
    let ran = run(&["decode", "--format", "combined"], &long);
    assert!(ran.code == Some(0) && ran.err.contains("1 of its records is longer than 8 MiB"), "{}", ran.err);
}

#[test]
fn records_that_are_not_in_the_format_are_counted_in_all_chunks() {
    // The log has several chunks, and an escape in every seventh record.
    let records = 40_000;
    let plain = LINE.replace("%41", "A");
    let logs: String = (0..records).map(|number| if number % 7 == 0 { LINE } else { &plain }).collect();
    for threads in ["-j1", "-j2"] {
        let ran = run(&["decode", "--format", "alb", threads], logs.as_bytes());
        assert!(ran.err.contains("40,000 of 40,000 checked records are not alb"), "{}", ran.err);
        assert_eq!((ran.out == logs.as_bytes(), ran.code), (true, Some(0)));
    }
    // After a record that doesn't fit the format, all later records of its chunk are inspected.
    let middle = logs[..logs.len() / 2].rfind('\n').unwrap() + 1;
    let mixed = [&logs[..middle], "no log %41\n", &"no log\n".repeat(50), &logs[middle..]].concat();
    let ran = run(&["decode", "--format", "combined"], mixed.as_bytes());
    assert!(ran.err.contains("51 of "), "{}", ran.err);
    // `pct` notices 64 KiB of records that don't fit the format. These records may be anywhere in the input, and need
    // no escape.
    let others = "no log\n".repeat((64 << 10) / 7);
    for place in [1.3, 1.7, 2.5, 3.1] {
        let middle = plain.len() * (f64::from(records) / place) as usize;
        let mixed = plain.repeat(middle / plain.len()) + &others + &plain.repeat(20);
        for verb in [&["decode", "--format", "combined"][..], &["grep", "--format", "combined", "absent"]] {
            let ran = run(verb, mixed.as_bytes());
            assert!(ran.err.contains("checked records (a sample) are not combined"), "{place}: {}", ran.err);
        }
    }
}

#[test]
fn strict_stops_whatever_other_options_are_set() {
    let more: [&[&str]; 7] = [
        &[],
        &["--repeat", "3"],
        &["--part", "query"],
        &["--on-utf8", "keep"],
        &["--on-utf8", "replace"],
        &["--plus=after-query"],
        &["--format", "text"],
    ];
    for more in more {
        let ran = run(&[&["decode", "--strict"], more].concat(), b"/?%41\n/?%zz\n/?%41\n");
        // If whole chunks are decoded at once, the output ends at the byte of the error. With other options, it ends after the line
        // before the error.
        let is_front = ran.out.starts_with(b"/?A\n") && b"/?A\n/?".starts_with(&ran.out);
        assert!(ran.code == Some(1) && is_front, "{more:?}: {}{}", ran.out.escape_ascii(), ran.err);
        assert!(ran.err.contains("<stdin>:2: byte 8 (column 3): `%zz` is not an escape"), "{more:?}: {}", ran.err);
    }
}

#[test]
fn lines_of_text_keep_controls_beyond_ascii() {
    let input = "%D0%B0 %C2%9B31m %E2%80%AE %C2%A0\n";
    assert_eq!(run(&["decode"], input.as_bytes()).out, "а \u{9B}31m \u{202E} \u{A0}\n".as_bytes());
    for policy in ["keep", "replace", "skip"] {
        let out = run(&["decode", "--on-utf8", policy], input.as_bytes()).out;
        assert_eq!(out, "а %C2%9B31m %E2%80%AE \u{A0}\n".as_bytes(), "{policy}");
    }
    let out = run(&["decode", "--on-utf8", "keep", "--raw"], input.as_bytes()).out;
    assert_eq!(out, "а \u{9B}31m \u{202E} \u{A0}\n".as_bytes());
    // The tool `script` runs a command with a terminal as its output.
    let pct = env!("CARGO_BIN_EXE_pct");
    for (verb, expected) in [
        ("decode", "а %C2%9B31m %E2%80%AE \u{A0} %FF\r\n".as_bytes()),
        ("grep -d --color never .", "а %C2%9B31m %E2%80%AE \u{A0} %FF\r\n".as_bytes()),
        ("decode --on-utf8 raw", b"\xD0\xB0 \xC2\x9B31m \xE2\x80\xAE \xC2\xA0 \xFF\r\n"),
    ] {
        let command = format!("echo '{} %FF' | {pct} {verb}", input.trim_end());
        match Command::new("script").args(["-qec", &command, "/dev/null"]).stdin(Stdio::null()).output() {
            Ok(shown) => {
                assert_eq!(shown.stdout.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{verb}")
            }
            Err(_) => percent_simd_oracle::skip("text on a terminal: there is no `script`"),
        }
    }
}

#[test]
fn options_are_forgiving() {
    // If an option is given twice, the second value counts. `-j0` means all cores.
    assert_eq!(run(&["decode", "-j1", "-j0", "--keep", "A", "--keep", "B"], b"%41%42\n").out, b"A%42\n");
    let csv = b"%41,%42,%43,%44,%45\n";
    assert_eq!(run(&["decode", "--format", "csv", "-f", "1,3-4"], csv).out, b"A,%42,C,D,%45\n");
    let json = br#"{"a":"%41","b":{"c":"%42"},"d,e":"%43"}"#;
    let out = run(&["decode", "--format", "ndjson", "-f", r"/a,/b/c,/d\,e"], json).out;
    assert_eq!(out, br#"{"a":"A","b":{"c":"B"},"d,e":"C"}"#);
    // A W3C log with only one of the usual columns is processed.
    for column in ["cs-uri", "cs-uri-stem"] {
        let input = format!("#Fields: date {column}\nd /%41\n");
        let out = run(&["decode", "--format", "auto"], input.as_bytes()).out;
        assert_eq!(String::from_utf8(out).unwrap(), input.replace("%41", "A"));
    }
    let list = String::from_utf8(run(&["formats"], b"").out).unwrap();
    for name in ["combined", "squid", "haproxy", "docker", "prefix", "sitemap", "zeek", "csv;"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name} in {list}");
    }
}

/// An object that is too long stays as it is. So does the text between objects.
#[test]
fn objects_of_json_that_are_too_long_stay() {
    let folder = Folder::new();
    // A line that is too long stays. The lines after it are processed.
    let long = format!("{{\"url\":\"{}\"}}\n", "%41".repeat(3 << 20));
    let write = |small: &str| format!("{small}{long}{small}{small}");
    let small = "{\"url\":\"/%42\"}\n";
    let file = folder.file("long.ndjson", write(small).as_bytes());
    let ran = pct(["decode", "--format", "ndjson", "-q", file.to_str().unwrap()], b"");
    process::assert_same(&ran.out, write(&small.replace("%42", "B")).as_bytes(), "lines");
    // The string contains braces after escaped quotes. These braces must not count as ends of the object.
    let filler =
        "%41 \\\" } { \\\\\\\" %22, and then a text without quotes, backslashes, braces and escapes. ".repeat(130_000);
    for (front, between, back) in [("", "\n", ""), ("[\n", ",\n", "]\n")] {
        let small = "{\n \"url\": \"/%41\"}";
        let long = format!("{{\"x\": [{{\"y\": \"{filler}\"}}],\n \"url\": \"/%42\"}}");
        assert!(long.len() > 10 << 20);
        let write = |small: &str| format!("{front}{small}{between}{long}{between}{small}{between}{small}\n{back}");
        let (input, expected) = (write(small), write(&small.replace("%41", "A")));
        let file = folder.file("long.json", input.as_bytes());
        for args in [&["-j1", file.to_str().unwrap()][..], &["-j4", file.to_str().unwrap()], &["-j1"], &["-j4"]] {
            let ran = pct([&["decode", "--format", "json"], args].concat(), input.as_bytes());
            process::assert_same(&ran.out, expected.as_bytes(), &format!("{args:?}"));
            assert!(ran.code == Some(0) && ran.err.contains("longer than 8 MiB"), "{}", ran.err);
        }
        let ran = pct(["decode", "--format", "json", "--strict-format"], input.as_bytes());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
}

/// A CSV row that is too long stays as it is up to its end. A line end in quotes does not end the row.
#[test]
fn rows_of_csv_that_are_too_long_stay() {
    let folder = Folder::new();
    // The cell has many lines. Each line looks like a row with a field that `pct` would decode.
    let cell = "\"\"x\"\",/a%2Cb-and-then-a-text-without-quotes-and-escapes\n".repeat(200_000);
    let (small, decoded) = ("1,/a%2Cb\n", "1,\"/a,b\"\n");
    let write = |small: &str| format!("id,url\n{small}2,\"{cell}\"\n{small}{small}");
    let (input, expected) = (write(small), write(decoded));
    assert!(cell.len() > 9 << 20);
    let file = folder.file("long.csv", input.as_bytes());
    for args in [&["-j1", file.to_str().unwrap()][..], &["-j4", file.to_str().unwrap()], &["-j1"], &["-j4"]] {
        let ran = pct([&["decode", "--format", "csv", "-f", "url"], args].concat(), input.as_bytes());
        process::assert_same(&ran.out, expected.as_bytes(), &format!("{args:?}"));
        assert!(ran.code == Some(0) && ran.err.contains("1 of its records is longer than 8 MiB"), "{}", ran.err);
    }
}

/// WARC records that are too long stay as they are, including their blocks. `pct` finds the records after them.
#[test]
fn records_of_warc_that_are_too_long_stay() {
    let record = |uri: &str, block: &str| {
        let len = block.len();
        format!("WARC/1.1\r\nWARC-Target-URI: {uri}\r\nContent-Length: {len}\r\n\r\n{block}\r\n\r\n")
    };
    // A block may contain any bytes, even WARC records.
    let block = record("http://h/%42", "x").repeat(200_000);
    assert!(block.len() > 8 << 20);
    let write =
        |uri: &str| [record(uri, "%41"), record("http://h/%43", &block), record(uri, &record(uri, ""))].concat();
    let input = write("http://h/%41%0A%20");
    let kept = record("http://h/%41%0A%20", "");
    let expected =
        [record("http://h/A%0A%20", "%41"), record("http://h/%43", &block), record("http://h/A%0A%20", &kept)];
    for threads in ["-j1", "-j4"] {
        let ran = pct(["decode", "--format", "warc", threads], input.as_bytes());
        process::assert_same(&ran.out, expected.concat().as_bytes(), threads);
        assert!(ran.code == Some(0) && ran.err.contains("1 of its records is longer than 8 MiB"), "{}", ran.err);
    }
}

/// Verbs that drop records keep the records that are too long to inspect.
#[test]
fn records_that_are_too_long_are_not_lost() {
    let long = format!("/{}\n", "a%20".repeat(3 << 20));
    let input = format!("/x%41\n{long}/y\n/x%41\n");
    for (args, expected) in [
        (&["unique"][..], format!("/x%41\n{long}/y\n")),
        (&["grep", "-v", "xA"], format!("{long}/y\n")),
        (&["grep", "-v", "-n", "xA"], format!("{long}3:/y\n")),
    ] {
        for threads in ["-j1", "-j4"] {
            let ran = pct([args, &[threads]].concat(), input.as_bytes());
            process::assert_same(&ran.out, expected.as_bytes(), &format!("{args:?}"));
            assert!(ran.code == Some(0) && ran.err.contains("1 of its records is longer than 8 MiB"), "{}", ran.err);
        }
    }
}

/// If lines end with CR only, `pct` reads the whole input as one line, so no record is decoded.
#[test]
fn lines_that_end_with_cr_only_are_reported() {
    let told = "its lines end with CR only, so it is read as one line; pipe it through `tr '\\r' '\\n'`";
    for (format, input) in [("csv", "url,a\r/%41,1\r/%42,2\r"), ("combined", "- - -\r- - -\r")] {
        let ran = pct(["decode", "--format", format, "--strict-format"], input.as_bytes());
        assert!(ran.code == Some(2) && ran.err.contains(told) && ran.out == input.as_bytes(), "{format}: {}", ran.err);
    }
    let ran = pct(["decode", "--format", "csv", "-f", "url"], b"url,a\r\n/%41,1\r\n");
    assert_eq!((ran.out.as_slice(), &*ran.err), (&b"url,a\r\n/A,1\r\n"[..], ""));
}

/// A search in some of the records must not look like a search in all records.
#[test]
fn records_that_are_too_long_and_skipped_are_an_error() {
    let input = format!("/x%41\n/{}\n/y\n", "a%20".repeat(3 << 20));
    for (args, expected) in [
        (&["grep", "xA"][..], "/x%41\n"),
        (&["grep", "--attack=nul"], ""),
        // An empty row keeps the later rows aligned with their records.
        (&["cut", "-f", "path"], "path\n/xA\n\n/y\n"),
        (&["cut", "-f", "path,host", "--csv"], "path,host\n/xA,\n,\n/y,\n"),
        (&["cut", "-f", "path", "--json"], "{\"path\":\"/xA\"}\n{\"path\":null}\n{\"path\":\"/y\"}\n"),
    ] {
        for threads in ["-j1", "-j4"] {
            let ran = pct([args, &[threads]].concat(), input.as_bytes());
            process::assert_same(&ran.out, expected.as_bytes(), &format!("{args:?}"));
            let told = "1 of its records is longer than 8 MiB, and is skipped; it starts in line 2";
            assert!(ran.code == Some(2) && ran.err.contains(told), "{args:?}: {:?} {}", ran.code, ran.err);
        }
    }
    let ran = pct(["stats"], input.as_bytes());
    assert!(ran.code == Some(2) && ran.err.contains("is longer than 8 MiB, and is skipped"), "{}", ran.err);
}

#[test]
fn a_line_that_is_too_long_is_never_cut_inside_an_escape() {
    // Most cuts of this line are inside an escape or an escaped escape.
    let long = "%2541".repeat(2 << 20);
    let input = format!("/a%41?%41\n{long}\n%zz\n/b%41?%41\n");
    for (args, before, after) in [
        (&["--on-error", "replace"][..], "/aA?A", "\u{FFFD}zz\n/bA?A"),
        (&["--on-error", "skip"], "/aA?A", "/bA?A"),
        (&["--repeat", "stable"], "/aA?A", "%zz\n/bA?A"),
        (&["--part", "path"], "/aA?%41", "%zz\n/bA?%41"),
        (&["--part", "query"], "/a%41?A", "%zz\n/b%41?A"),
        (&["--on-utf8", "keep"], "/aA?A", "%zz\n/bA?A"),
        (&["--report"], "/aA?A", "%zz\n/bA?A"),
    ] {
        for threads in ["-j1", "-j4"] {
            let ran = run(&[&["decode", threads], args].concat(), input.as_bytes());
            process::assert_same(&ran.out, format!("{before}\n{long}\n{after}\n").as_bytes(), &format!("{args:?}"));
            assert!(ran.err.contains("1 of its records is longer than 8 MiB, and stays as it is"), "{}", ran.err);
        }
    }
    // Raw input is one record. Its pieces, joined, give the same result as the whole.
    let long = "%2541".repeat(600_000);
    let ran = run(&["decode", "--raw", "--on-error", "replace"], long.as_bytes());
    process::assert_same(&ran.out, long.replace("%25", "%").as_bytes(), "raw");
}
