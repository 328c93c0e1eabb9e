//! Runs the command as a process with every option and with hostile input.

use crate::oracle;
use crate::process;

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;

use oracle::{Decoding, Encoding};
use percent_simd::presets::CATALOGUE;
use process::{Folder, assert_same, command, output, pct};

/// The number of bytes that the command reads at once. A block end at this offset can cut an escape in two.
const BLOCK: usize = 256 * 1024;

#[track_caller]
fn check(args: &[&str], input: &[u8], expected: &[u8]) {
    assert_eq!(output(args, input).escape_ascii().to_string(), expected.escape_ascii().to_string(), "{args:?}");
}

/// Returns the oracle's options for decoding lines.
fn lines() -> Decoding {
    Decoding { keep: oracle::controls(), plus: None, end: Some(b'\n') }
}

#[test]
fn decode_options() {
    check(&["decode"], b"a%20b+%41%zz%\n", b"a b+A%zz%\n");
    check(&["decode", "-"], b"%41", b"A");
    check(&["decode"], b"%2541 %%341 %c3%A9 %FF", b"%41 %41 \xC3\xA9 \xFF");
    check(&["decode", "--plus"], b"a+b?c+d%2B\n", b"a b?c d+\n");
    check(&["decode", "--plus=always"], b"a+b?c+d%2B\n", b"a b?c d+\n");
    check(&["decode", "--plus=after-query"], b"a+b?c+d?e+%2B\n+?+\n+", b"a+b?c d?e +\n+? \n+");
    check(&["decode", "--plus=after-query"], b"+%3F+\n?%0A+\n+", b"+?+\n?%0A \n+");
    check(&["decode", "--plus=after-query", "--null"], b"+?+\n+\0+?+", b"+? \n \0+? ");
    check(&["decode", "--plus=after-query", "--raw"], b"+?+\n+\0+?+", b"+? \n \0 ? ");
    check(&["decode", "--keep", "/%25"], b"%2F%2f%25%41\n", b"%2F%2f%25A\n");
    check(&["decode", "--keep", "%"], b"%2541%41\n", b"%2541A\n");
    check(&["decode", "--keep", "%FF%zz"], b"%FF%7a%FE%25", b"%FF%7a\xFE%25");
    check(&["decode", "--keep", ""], b"%41%0A", b"A%0A");
    check(&["decode", "--keep", "A", "--raw"], b"%41%42%0A", b"%41B\n");
    check(&["decode", "--raw"], b"%00%0a%0D%1b%7F\n", b"\0\n\r\x1B\x7F\n");
    check(&["decode", "--null"], b"%00%0a%0D%1b%7F\n\0%00", b"%00\n\r\x1B\x7F\n\0%00");
    check(&["decode", "-0"], b"%00%0a", b"%00\n");
    check(&["decode", "--strict"], b"a%20b%0A\n", b"a b%0A\n");
}

#[test]
fn encode_options() {
    check(&["encode"], b"AC/DC & ?%\n", b"AC%2FDC%20%26%20%3F%25\n");
    check(&["encode", "-"], b"\xC3\xA9", b"%C3%A9");
    check(&["encode", "--lower"], b"\xC3\xA9", b"%c3%a9");
    check(&["encode", "--plus"], b"1 + 1", b"1+%2B+1");
    check(&["encode", "--plus", "--set", "rfc3986-path"], b"1 + 1", b"1+%2B+1");
    check(&["encode", "--plus", "--set", "rfc3986-path", "--allow", "+"], b"1 + 1", b"1+++1");
    check(&["encode", "--set", "rfc3986-PATH"], b"/a b+", b"/a%20b+");
    check(&["encode", "--set", "whatwg_form"], b"a b+c~", b"a+b%2Bc%7E");
    check(&["encode", "--set", "DOTNET_HTTPUTILITY"], b"a b/", b"a+b%2f");
    check(&["encode", "--set", "RFC6570_U_R"], b"/a%20b %zz", b"/a%20b%20%25zz");
    check(&["encode", "--allow", "/:"], b"http://a?", b"http://a%3F");
    check(&["encode", "--allow", "%2F% %FF"], b"/% \xFF\xFE", b"/% \xFF%FE");
    check(&["encode", "--keep-escapes"], b"a%20b %zz%4\n%4\n1%", b"a%20b%20%25zz%254\n%254\n1%25");
    check(&["encode", "--keep-escapes", "--allow", "%"], b"%41%zz", b"%41%25zz");
    check(&["encode", "--raw"], b"a\r\nb\n\0", b"a%0D%0Ab%0A%00");
    check(&["encode", "--null"], b"a\nb\r\n\0c d\0", b"a%0Ab%0D%0A\0c%20d\0");
    check(&["encode", "-0"], b"\0", b"\0");
}

#[test]
fn line_ends_stay_and_other_crs_are_data() {
    check(&["encode"], b"a b\r\nc\n\r\n", b"a%20b\r\nc\n\r\n");
    check(&["encode"], b"\r\r\n\ra\r", b"%0D\r\n%0Da%0D");
    check(&["encode"], b"\n\r", b"\n%0D");
    check(&["decode"], b"a%20b\r\nc%0D\r", b"a b\r\nc%0D\r");
}

/// Standard input is a datagram socket. So the command reads one datagram at a time, even on a busy machine, and takes
/// an empty datagram as the end of the input.
#[cfg(unix)]
#[test]
fn a_line_end_may_be_split_across_reads() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;

    for (chunks, expected) in [
        ([&b"a\r"[..], b"\nb"], &b"a\r\nb"[..]),
        ([b"a\r", b"b"], b"a%0Db"),
        ([b"a\r", b"\r\n"], b"a%0D\r\n"),
        ([b"a\r", b""], b"a%0D"),
    ] {
        let (sender, stdin) = UnixDatagram::pair().unwrap();
        let child = command(["encode"]).stdin(OwnedFd::from(stdin)).spawn().unwrap();
        for chunk in chunks.into_iter().chain([&b""[..]]) {
            // A later `send` may fail, because the command ends at the first empty datagram.
            let _ = sender.send(chunk);
        }
        assert_eq!(child.wait_with_output().unwrap().stdout, expected);
    }
}

#[test]
fn output_is_written_as_soon_as_input_arrives() {
    let mut child = command(["decode"]).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut line = [0; 4];
    for (written, read) in
        [(&b"%61%62c\n"[..], &b"abc\n"[..]), (b"100%25\n1", b"100%"), (b"0%\n", b"\n10%"), (b"", b"\n")]
    {
        let line = &mut line[..read.len()];
        stdin.write_all(written).unwrap();
        stdout.read_exact(line).unwrap();
        assert_eq!(line, read);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn escapes_cut_by_a_block_end_are_decoded() {
    // Each unit contains escapes or line ends, and the input repeats it. The shifts move the end of a block to each
    // offset in a unit.
    for unit in [&b"%41"[..], b"%4%41", b"%e2%82%ac", b"%%41", b"a%0A", b"+%3f?\n", b"%4\n1\r\n\r"] {
        for shift in 0..unit.len() {
            let mut input = vec![b'x'; shift];
            while input.len() < 3 * BLOCK {
                input.extend(unit);
            }
            let what = format!("{} after {shift}", unit.escape_ascii());
            assert_same(&output(["decode"], &input), &oracle::decode(&lines(), &input).0, &what);
            let raw = Decoding::default();
            assert_same(&output(["decode", "--raw"], &input), &oracle::decode(&raw, &input).0, &what);
            let after_query = Decoding { plus: Some(true), ..lines() };
            let decoded = output(["decode", "--plus=after-query"], &input);
            assert_same(&decoded, &oracle::decode(&after_query, &input).0, &what);
            let stay = (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z').chain(*b"-._~").collect();
            let mut encoding = Encoding { stay, lines: true, ..Encoding::default() };
            assert_same(&output(["encode"], &input), &oracle::encode(&encoding, &input), &what);
            encoding.keep_escapes = true;
            let encoded = output(["encode", "--keep-escapes"], &input);
            assert_same(&encoded, &oracle::encode(&encoding, &input), &what);
        }
    }
    // A file is read in whole blocks. So the first block ends exactly at `BLOCK`, which is before, inside or after the
    // `tail`.
    let folder = Folder::new();
    for at in BLOCK - 4..BLOCK + 2 {
        for tail in [&b"%41"[..], b"%4", b"%", b"%4\n1", b"%\n", b"%zz", b"\r\n", b"\r", b"\rx"] {
            let mut input = vec![b'x'; at];
            input.extend(tail);
            let file = folder.file("cut", &input);
            let what = format!("{} at {at}", tail.escape_ascii());
            let decoded = output(["decode".as_ref(), file.as_os_str()], b"");
            assert_same(&decoded, &oracle::decode(&lines(), &input).0, &what);
            let stay = (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z').collect();
            let encoding = Encoding { stay, lines: true, keep_escapes: true, ..Encoding::default() };
            let encoded = output(["encode".as_ref(), "--keep-escapes".as_ref(), file.as_os_str()], b"");
            assert_same(&encoded, &oracle::encode(&encoding, &input), &what);
        }
    }
}

#[test]
fn an_escape_never_crosses_a_record_or_a_file() {
    check(&["decode"], b"%4\n1 %\n41 %4\r\n1", b"%4\n1 %\n41 %4\r\n1");
    check(&["decode", "--null"], b"%4\x001%\x0041", b"%4\x001%\x0041");
    let folder = Folder::new();
    let (one, two) = (folder.file("one", b"a%4"), folder.file("two", b"1b?c+d\n"));
    let args = ["decode".as_ref(), one.as_os_str(), two.as_os_str()];
    assert_eq!(output(args, b""), b"a%4\n1b?c+d\n");
    // A query ends with its file, so the `+` of the second file stays. The records of the two files stay separate.
    let (one, two) = (folder.file("one", b"a?b+c"), folder.file("two", b"d+e"));
    let args = ["decode".as_ref(), "--plus=after-query".as_ref(), one.as_os_str(), two.as_os_str()];
    assert_eq!(output(args, b""), b"a?b c\nd+e");
    let (one, two) = (folder.file("one", b"a\r"), folder.file("two", b"\nb"));
    assert_eq!(output(["encode".as_ref(), one.as_os_str(), two.as_os_str()], b""), b"a%0D\n\nb");
    let raw = ["decode".as_ref(), "--raw".as_ref(), one.as_os_str(), two.as_os_str()];
    assert_eq!(output(raw, b""), b"a\r\nb");
}

#[test]
fn no_escape_forges_a_record() {
    check(&["decode"], b"/a%0Aforged\n/b%0d%0Aforged\n", b"/a%0Aforged\n/b%0d%0Aforged\n");
    check(&["decode"], b"%1B[2J%1b]0;x%07%08%7f%09", b"%1B[2J%1b]0;x%07%08%7f%09");
    for byte in 0..=255u8 {
        let out = output(["decode"], format!("{byte:02x} %{byte:02x}").as_bytes());
        let stays = byte < 0x20 || byte == 0x7F;
        assert_eq!(out.len(), if stays { 6 } else { 4 }, "{byte:02x}");
    }
    // An escaped line feed stays escaped, so the output has as many lines as the input.
    let input: Vec<u8> = (0..=255u8).flat_map(|byte| format!("%{byte:02X}%{byte:02x}\n").into_bytes()).collect();
    for args in [&["decode"][..], &["decode", "--plus"], &["decode", "--plus=after-query"], &["decode", "--keep", "x"]]
    {
        assert_eq!(output(args, &input).iter().filter(|&&byte| byte == b'\n').count(), 256);
    }
    assert_eq!(output(["decode", "--null"], &input).iter().filter(|&&byte| byte == 0).count(), 0);
}

#[test]
fn hostile_bytes_stay_and_all_bytes_round_trip() {
    check(&["decode"], b"", b"");
    check(&["encode"], b"", b"");
    check(&["decode"], b"\0%00\xFF\xC0\xAF%C0%AF\xED\xA0\x80", b"\0%00\xFF\xC0\xAF\xC0\xAF\xED\xA0\x80");
    check(&["encode"], b"\0\xFF", b"%00%FF");
    for sloppy in ["%+1%-1% 41%u0041%0x41%4G%g4%\u{FF11}\u{FF12}%", "%%%", "% %4%4", "%\t1%1\t"] {
        check(&["decode"], sloppy.as_bytes(), sloppy.as_bytes());
    }
    // If we encode all bytes and decode the result, we get the same bytes.
    let all: Vec<u8> = (0..=255).collect();
    for args in [["encode", "--raw"], ["encode", "--lower"]] {
        let encoded = output(args, &all);
        assert_eq!(output(["decode", "--raw"], &encoded), all);
    }
    let reversible = output(["encode", "--set", "RFC3986_URI", "--null"], &all);
    assert_eq!(output(["decode", "--null"], &reversible), all);
}

#[test]
fn strict_reports_the_place() {
    #[track_caller]
    fn strict(args: &[&str], input: &[u8], out: &[u8], place: &str) {
        let ran = pct([&["decode", "--strict"], args].concat(), input);
        assert_eq!((ran.code, ran.out.as_slice()), (Some(1), out), "{}", ran.err);
        assert!(ran.err.starts_with(place), "{} for {place}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(ran.err.contains("%25"), "{}", ran.err);
    }
    strict(&[], b"%41%zz%42\n", b"A", "<stdin>:1: byte 3 (column 4): `%zz` is not an escape: ");
    strict(&[], b"%", b"", "<stdin>:1: byte 0 (column 1): `%` is cut off by the end of the input: ");
    strict(&[], b"a\n%4", b"a\n", "<stdin>:2: byte 2 (column 1): `%4` is cut off");
    strict(
        &[],
        b"a\n\nb%20%4\n1",
        b"a\n\nb ",
        "<stdin>:3: byte 7 (column 5): `%4` is cut off by the end of the line: ",
    );
    strict(&[], b"%\n", b"", "<stdin>:1: byte 0 (column 1): `%` is cut off by the end of the line: ");
    strict(&[], b"%z\n", b"", "<stdin>:1: byte 0 (column 1): `%z` is not an escape: ");
    strict(&[], b"%\x1B[", b"", "<stdin>:1: byte 0 (column 1): `%\\x1b[` is not an escape");
    strict(&["--raw"], b"%0A\n%zz", b"\n\n", "<stdin>:2: byte 4 (column 1): `%zz`");
    strict(&["--null"], b"%4\x0001", b"", "<stdin>:1: byte 0 (column 1): `%4` is cut off by the end of the record: ");
    strict(&["--null"], b"%4\n1", b"", "<stdin>:1: byte 0 (column 1): `%4` is not an escape: ");
    strict(&["--null"], b"a\nb\0c\n%zz", b"a\nb\0c\n", "<stdin>:2: byte 6 (column 3): `%zz`");
    strict(&["--plus=after-query"], b"+?+%4+", b"+? ", "<stdin>:1: byte 3 (column 4): `%4+`");
    // A block ends inside the malformed escape, or just before or after it. The line with this escape begins in an
    // earlier block.
    for shift in 0..6 {
        let line = b"%41%42 end of line\n";
        let mut input = line.repeat(3 * BLOCK / line.len());
        let lines = input.len() / line.len() + 1;
        let start = input.len();
        input.resize(4 * BLOCK - 3 + shift, b'x');
        let at = input.len();
        input.extend(b"%4 \n%41\n");
        let ran = pct(["decode", "--strict"], &input);
        assert_eq!(ran.code, Some(1));
        assert_same(&ran.out, &oracle::decode(&self::lines(), &input[..at]).0, "strict");
        let place = format!("<stdin>:{lines}: byte {at} (column {}): `%4 ` is not an escape", at - start + 1);
        assert!(ran.err.starts_with(&place), "{} for {place}", ran.err);
    }
}

#[test]
fn strict_counts_each_file_by_itself_and_stops_at_the_first() {
    let folder = Folder::new();
    let good = folder.file("good", b"%41\n%42\n");
    let bad = folder.file("bad", b"%43\n%44%xy\n");
    let args = ["decode".as_ref(), "--strict".as_ref(), good.as_os_str(), bad.as_os_str(), good.as_os_str()];
    let ran = pct(args, b"");
    assert_eq!((ran.code, ran.out.as_slice()), (Some(1), &b"A\nB\nC\nD"[..]));
    assert!(ran.err.starts_with(&format!("{}:2: byte 7 (column 4): `%xy` ", bad.display())), "{}", ran.err);
    // If one input can't be read and another input has a malformed escape, the exit status is 2, not 1.
    let missing = folder.path("missing");
    let ran = pct(["decode".as_ref(), "--strict".as_ref(), missing.as_os_str(), bad.as_os_str()], b"");
    assert_eq!((ran.code, ran.err.lines().count()), (Some(2), 2), "{}", ran.err);
}

#[test]
fn an_unreadable_file_is_named_and_the_others_are_read() {
    let folder = Folder::new();
    let (one, two) = (folder.file("one", b"%41\n"), folder.file("two", b"%42\n"));
    let missing = folder.path("missing");
    for verb in ["decode", "encode"] {
        let args = [verb.as_ref(), one.as_os_str(), missing.as_os_str(), two.as_os_str()];
        let ran = pct(args, b"");
        assert_eq!((ran.code, ran.out.len()), (Some(2), if verb == "decode" { 4 } else { 12 }));
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(ran.err.contains(missing.to_str().unwrap()), "{}", ran.err);
    }
    let ran = pct(["decode".as_ref(), folder.path("").as_os_str(), one.as_os_str()], b"");
    assert_eq!((ran.code, ran.out.as_slice()), (Some(2), &b"A\n"[..]));
    assert!(ran.err.contains("it is a folder") || ran.err.contains("denied"), "{}", ran.err);
    // Standard input can be one of several inputs.
    assert_eq!(output(["decode".as_ref(), one.as_os_str(), "-".as_ref(), two.as_os_str()], b"%2D"), b"A\n-\nB\n");
}

#[test]
fn an_output_file_is_written_unless_it_is_an_input() {
    let folder = Folder::new();
    let input = folder.file("in", b"%41%0A\n");
    let out = folder.path("out");
    for option in ["-o", "--output"] {
        fs::write(&out, "something longer that was there before").unwrap();
        let args = ["decode".as_ref(), option.as_ref(), out.as_os_str(), input.as_os_str()];
        assert_eq!(output(args, b""), b"");
        assert_eq!(fs::read(&out).unwrap(), b"A%0A\n");
    }
    // If the output is the same file as the input under another path, the input stays unchanged.
    let around = folder.path(".").join("in");
    let ran = pct(["decode".as_ref(), "-o".as_ref(), around.as_os_str(), input.as_os_str()], b"");
    assert_eq!((ran.code, fs::read(&input).unwrap().as_slice()), (Some(2), &b"%41%0A\n"[..]));
    assert!(ran.err.contains("another file"), "{}", ran.err);
    let nowhere = folder.path("no").join("where");
    let ran = pct(["decode".as_ref(), "-o".as_ref(), nowhere.as_os_str()], b"");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains(nowhere.to_str().unwrap()), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn file_names_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let file = folder.file(std::ffi::OsStr::from_bytes(b"\xFF.log"), b"%41%zz");
    assert_eq!(output(["decode".as_ref(), file.as_os_str()], b""), b"A%zz");
    let ran = pct(["decode".as_ref(), "--strict".as_ref(), file.as_os_str()], b"");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("\u{FFFD}.log:1: byte 3"), "{}", ran.err);

    // Other programs get the bytes of the name.
    let folder = folder.path("");
    let run = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(&folder).arg(file.file_name().unwrap());
        process::run_to_end(command, b"").out
    };
    assert_eq!(run(&["grep", "-l", "A"]), b"\xFF.log\n");
    assert_eq!(run(&["grep", "-H", "A"]), b"\xFF.log:%41%zz\n");
    assert_eq!(run(&["grep", "-Hc", "--color=always", "A"]), b"\x1B[35m\xFF.log\x1B[0m:1\n");
    assert_eq!(run(&["grep", "-lZ", "A"]), b"\xFF.log\0");
    assert_eq!(run(&["grep", "-HnZ", "A"]), b"\xFF.log\x001:%41%zz\n");
    assert!(run(&["lint"]).starts_with(b"\xFF.log:1:"));
    for args in [&["grep", "--json", "A"][..], &["lint", "--json"], &["stats", "--json"]] {
        let shown = String::from_utf8(run(args)).unwrap();
        assert!(shown.contains("_base64\":\"/y5sb2c=\""), "{args:?}: {shown}");
    }

    // A line feed in a name doesn't make two names.
    fs::write(folder.join("a\nb"), "%41").unwrap();
    let mut command = command(["grep", "-lZ", "^A$", "a\nb"]);
    command.current_dir(&folder);
    assert_eq!(process::run_to_end(command, b"").out, b"a\nb\0");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = command(["decode"]).stdout(full).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"%41").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8(ended.stderr).unwrap().starts_with("pct: cannot write the output: "));
}

/// `pct` also reports a failed write of text that doesn't depend on an input.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_for_help_and_lists() {
    for args in [
        &["--version"][..],
        &["-V"],
        &["--help"],
        &["help"],
        &["help", "grep"],
        &["decode", "--help"],
        &["sets"],
        &["sets", "rfc3986-path"],
        &["formats"],
        &["charsets"],
        &["engines"],
        &["completions", "bash"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = command(args).stdout(full).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{args:?}");
        let err = String::from_utf8(ended.stderr).unwrap();
        assert!(err.starts_with("pct: cannot write the output: "), "{args:?}: {err}");
        assert_eq!(pct(args, b"").code, Some(0), "{args:?}");
    }
}

#[test]
fn a_broken_pipe_is_no_error() {
    let folder = Folder::new();
    let big = folder.file("big", &b"line %41\n".repeat(1_000_000));
    for args in [&["decode"][..], &["encode"], &["decode", "--strict"]] {
        let mut child = command(args).arg(&big).spawn().unwrap();
        let mut few = [0; 7];
        child.stdout.as_mut().unwrap().read_exact(&mut few).unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
    for args in [&["sets"][..], &["engines"], &["sets", "py-quote"]] {
        let mut child = command(args).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
    // The exit status is right even if no program reads the error message.
    let mut child = command(["decode", "no such file"]).spawn().unwrap();
    drop((child.stderr.take(), child.stdout.take()));
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_broken_pipe_in_a_shell() {
    let folder = Folder::new();
    let big = folder.file("big", &b"line %41\n".repeat(1_000_000));
    let script = r#"set -o pipefail; "$0" decode "$1" | head -1"#;
    let shell = std::process::Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_pct")])
        .arg(&big)
        .stderr(Stdio::piped())
        .output();
    let Ok(ended) = shell else {
        percent_simd_oracle::skip("a pipe that closes early: there is no bash");
        return;
    };
    assert_eq!(
        (ended.status.code(), ended.stdout.as_slice(), ended.stderr.as_slice()),
        (Some(0), &b"line A\n"[..], &b""[..])
    );
}

/// Returns the peak resident memory of the process `id` in KiB. Pages of files are not counted: the program itself has
/// some, and their number depends on the build and the machine.
#[cfg(target_os = "linux")]
fn peak(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some(field("VmHWM:")?.saturating_sub(field("RssFile:")?))
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_100_mb_in_constant_memory() {
    const CHUNKS: usize = 100;
    for args in
        [&["decode"][..], &["decode", "--strict", "--plus=after-query"], &["encode"], &["encode", "--keep-escapes"]]
    {
        let chunk = b"%41?x%0A+/ \r".repeat(1_000_000 / 12);
        let mut child = command(args).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut one = Vec::new();
        let (len, peak) = thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..CHUNKS {
                    stdin.write_all(&chunk).unwrap();
                }
                drop(stdin);
            });
            let (mut len, mut most) = (0, 0);
            let mut buffer = vec![0; 1 << 20];
            loop {
                let read = stdout.read(&mut buffer).unwrap();
                if read == 0 {
                    break (len, most);
                }
                if one.len() < 1000 {
                    one.extend(&buffer[..read]);
                }
                len += read;
                // After the process has exited, `peak` returns `None`. So keep the highest peak so far.
                most = most.max(peak(child.id()).unwrap_or(0));
            }
        });
        assert!(child.wait().unwrap().success());
        let each = pct(args, &chunk).out;
        assert_eq!(len, each.len() * CHUNKS, "{args:?}");
        assert!(each.starts_with(&one[..1000]));
        assert!((1..8_000).contains(&peak), "{args:?}: {peak} KiB");
    }
}

#[test]
fn every_set_encodes_like_a_naive_encoder() {
    let all: Vec<u8> = (0..=255).chain(*b"%41%zz + ").collect();
    for entry in CATALOGUE {
        let encoding = Encoding {
            stay: (0..=255).filter(|&byte| entry.allowed.contains(byte)).collect(),
            lines: false,
            lower: entry.lowercase,
            plus: entry.space_to_plus,
            keep_escapes: entry.keep_triplets,
        };
        let expected = oracle::encode(&encoding, &all);
        for name in [entry.name.to_string(), entry.name.to_lowercase().replace('_', "-")] {
            let encoded = output(["encode", "--raw", "--set", &name], &all);
            assert_same(&encoded, &expected, &name);
        }
        assert_eq!(expected, entry.encoder().encode(&all).as_bytes(), "{}", entry.name);
    }
}

#[test]
fn unknown_names_are_reported_with_suggestions() {
    for (set, near) in [
        ("path", "RFC3986_PATH, WHATWG_PATH"),
        ("rfc3986-unreservd", "RFC3986_UNRESERVED"),
        ("encodeURIComponent", "ECMA_ENCODE_URI_COMPONENT"),
        ("cookie", "RFC6265_COOKIE_OCTET"),
        ("xyzzy", "`pct sets`"),
        ("", "`pct sets`"),
        ("\u{e9}%", "`pct sets`"),
    ] {
        for args in [&["encode", "--set", set][..], &["sets", set]] {
            let ran = pct(args, b"");
            assert_eq!((ran.code, ran.out.len()), (Some(2), 0));
            assert!(ran.err.contains(near) && ran.err.contains("`pct sets`"), "{}", ran.err);
        }
    }
    for verb in ["decode", "encode"] {
        let ran = pct([verb, "--engine", "steam"], b"");
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("scalar"), "{}", ran.err);
    }
    for args in [
        &[][..],
        &["recode"],
        &["decode", "--plus=never"],
        &["decode", "--set", "RFC3986_PATH"],
        &["decode", "--raw", "--null"],
        &["encode", "--raw", "-0"],
        &["encode", "--allow", "\u{e9}"],
        &["decode", "--keep", "\u{e9}"],
    ] {
        let ran = pct(args, b"");
        assert_eq!((ran.code, ran.out.len()), (Some(2), 0), "{args:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn lists_are_complete_and_help_fits_in_100_columns() {
    let list = String::from_utf8(output(["sets"], b"")).unwrap();
    for entry in CATALOGUE {
        let line = list.lines().find(|line| line.split(' ').next() == Some(entry.name)).unwrap();
        assert!(line.contains(entry.clause), "{line}");
        let one = String::from_utf8(output(["sets", entry.name], b"")).unwrap();
        assert!(one.starts_with(entry.name) && one.contains(entry.clause), "{one}");
        let same = one.lines().find_map(|line| line.trim_start().strip_prefix("same bytes  ")).unwrap_or_default();
        let others = CATALOGUE.iter().filter(|other| other.allowed == entry.allowed && other.name != entry.name);
        assert_eq!(same, others.map(|other| other.name).collect::<Vec<_>>().join(", "));
        // Every printable character is listed either as kept or as encoded.
        for byte in b'!'..=b'~' {
            let word = if byte.is_ascii_alphanumeric() {
                continue;
            } else {
                char::from(byte)
            };
            let left = line[26..].trim_start().split(' ').next().unwrap().contains(word);
            assert_eq!(left, entry.allowed.contains(byte), "{word} in {line}");
            let of = |what: &str| {
                let line = one.lines().find(|line| line.trim_start().starts_with(what)).unwrap();
                line.split(' ').any(|shown| shown == word.to_string())
            };
            assert_eq!((of("left as is "), of("encoded ")), (left, !left), "{word} in {one}");
        }
    }
    let engines = String::from_utf8(output(["engines"], b"")).unwrap();
    let expected: Vec<_> = percent_simd::Engine::available().map(percent_simd::Engine::name).collect();
    assert_eq!(engines.lines().collect::<Vec<_>>(), expected);
    for args in [&["--help"][..], &["decode", "--help"], &["encode", "-h"], &["sets", "--help"], &["--version"]] {
        let help = String::from_utf8(output(args, b"")).unwrap();
        let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{args:?}: a line of {widest}");
    }
}
