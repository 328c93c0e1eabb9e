//! Checks the files that `pct` writes. Each file is complete or unchanged. No input is lost, even if an input has several names or
//! `pct` is killed.

#![cfg(unix)]

use crate::process;

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use process::{Folder, command, pct};

/// The contents of an input. Decoding it once gives [`ONCE`], and decoding it twice gives `A`.
const OLD: &[u8] = b"%2541\n";
const ONCE: &[u8] = b"%41\n";

/// Returns the entries of a folder, each with the contents of the file or the target of the link.
fn contents(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let entry = |path: &Path| match fs::symlink_metadata(path).unwrap().file_type() {
        kind if kind.is_symlink() => fs::read_link(path).unwrap().into_os_string().into_encoded_bytes(),
        kind if kind.is_file() => fs::read(path).unwrap(),
        _ => Vec::new(),
    };
    let entries = fs::read_dir(folder.path(".")).unwrap().map(|entry| entry.unwrap());
    entries.map(|found| (found.file_name().into_string().unwrap(), entry(&found.path()))).collect()
}

#[track_caller]
fn assert_contents(folder: &Folder, expected: &[(&str, &[u8])]) {
    let expected = expected.iter().map(|&(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
    assert_eq!(contents(folder), expected);
}

/// Runs `pct` in a folder to its end.
fn run_in(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let ended = command(args).current_dir(folder.path(".")).stdin(Stdio::null()).output().unwrap();
    (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
}

/// Runs a shell command in a folder. `$PCT` is the program.
fn shell(folder: &Folder, line: &str) -> Output {
    shell_by(folder, &["sh", "-c", line]).unwrap()
}

/// Mounts file systems, and then does the same as [`shell`]. Returns `None` if this user has no permission to mount.
fn shell_that_mounts(folder: &Folder, mount: &str, line: &str) -> Option<Output> {
    let line = format!("({mount}) || exit 99\n{line}");
    let ended = shell_by(folder, &["unshare", "-rm", "sh", "-c", &line]).ok()?;
    let is_refused = ended.status.code() == Some(99) || String::from_utf8_lossy(&ended.stderr).contains("unshare:");
    (!is_refused).then_some(ended)
}

fn shell_by(folder: &Folder, program: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).env("PCT", env!("CARGO_BIN_EXE_pct")).env("XDG_CONFIG_HOME", "/nowhere");
    command.current_dir(folder.path(".")).stdin(Stdio::null()).output()
}

#[track_caller]
fn assert_ended(ended: &Output, code: i32, told: &str) {
    let told_all = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(code), "{} {told_all}", ended.status);
    assert!(told_all.contains(told), "{told_all}");
}

#[test]
fn a_file_of_several_names_is_replaced_once() {
    for names in [
        &["app.log", "current.log"][..],
        &["current.log", "app.log"],
        &["app.log", "app.log"],
        &["app.log", "./app.log", "sub/../app.log", "away/app.log"],
    ] {
        for suffix in ["", "=.bak"] {
            let folder = Folder::new();
            folder.file("app.log", OLD);
            symlink("app.log", folder.path("current.log")).unwrap();
            fs::create_dir(folder.path("sub")).unwrap();
            symlink(".", folder.path("away")).unwrap();
            let option = format!("--in-place{suffix}");
            let (code, err) = run_in(&folder, &[&["decode", &option], names].concat());
            assert_eq!(code, Some(0), "{err}");
            let told = format!("{} is the same file as {}, and is replaced once", names[1], names[0]);
            assert!(err.contains(&told) && err.lines().count() == names.len() - 1, "{err}");
            let mut expected: Vec<(&str, &[u8])> =
                vec![("app.log", ONCE), ("away", b"."), ("current.log", b"app.log"), ("sub", b"")];
            if !suffix.is_empty() {
                expected.push(("app.log.bak", OLD));
            }
            assert_contents(&folder, &expected);
            let (_, err) = run_in(&folder, &[&["decode", "-q", "--in-place"], names].concat());
            assert_eq!(err, "");
        }
    }
}

/// This test has more files than `pct` replaces in one batch.
#[test]
fn a_file_that_is_named_again_in_a_later_batch_is_replaced_once() {
    let folder = Folder::new();
    let names: Vec<String> = (0..1001).map(|number| format!("f{number}")).collect();
    names.iter().for_each(|name| drop(folder.file(name, OLD)));
    symlink("f0", folder.path("again")).unwrap();
    let mut args = vec!["decode", "--in-place=.bak"];
    args.extend(names.iter().map(String::as_str));
    args.extend(["again", "./f1", "f2"]);
    let (code, err) = run_in(&folder, &args);
    assert_eq!((code, err.lines().count()), (Some(0), 3), "{err}");
    let found = contents(&folder);
    assert_eq!(found.len(), 2003);
    for name in &names {
        assert_eq!((found[name].as_slice(), found[&format!("{name}.bak")].as_slice()), (ONCE, OLD), "{name}");
    }
}

/// A bind mount gives a file a second path without a link, and so does a file system that ignores case.
#[test]
fn a_file_of_two_paths_without_a_link_is_replaced_once() {
    let folder = Folder::new();
    folder.file("file", OLD);
    ["one", "two"].iter().for_each(|name| fs::create_dir(folder.path(name)).unwrap());
    let mount = "mount --bind . one && mount --bind . two";
    let line = "\"$PCT\" decode --in-place=.bak one/file two/file";
    let Some(ended) = shell_that_mounts(&folder, mount, line) else {
        return percent_simd_oracle::skip("a file of two paths: this user may not mount");
    };
    assert_ended(&ended, 0, "two/file is the same file as one/file");
    assert_contents(&folder, &[("file", ONCE), ("file.bak", OLD), ("one", b""), ("two", b"")]);
}

#[test]
fn a_backup_never_overwrites_an_input() {
    let refused = |folder: &Folder, args: &[&str]| {
        let before = contents(folder);
        let (code, err) = run_in(folder, &[&["decode", "--in-place=.bak"], args].concat());
        assert_eq!(code, Some(2), "{args:?}: {err}");
        assert!(err.contains("the backup of a would overwrite") && err.contains("a.bak, which is read, too"), "{err}");
        assert_eq!(contents(folder), before, "{args:?}");
    };
    for args in [&["a", "a.bak"][..], &["a.bak", "a"], &["c", "a", "./a.bak"], &["a", "link"]] {
        let folder = Folder::new();
        ["a", "a.bak", "c"].iter().for_each(|name| drop(folder.file(name, OLD)));
        symlink("a.bak", folder.path("link")).unwrap();
        refused(&folder, args);
    }
    // If the name of a backup is also the name of an input, `pct` refuses. It does so even if this input is missing, is
    // a symbolic link, or has a second hard link.
    let folder = Folder::new();
    folder.file("a", OLD);
    refused(&folder, &["a", "a.bak"]);
    folder.file("b", OLD);
    symlink("b", folder.path("a.bak")).unwrap();
    refused(&folder, &["a", "b"]);
    refused(&folder, &["a", "a.bak"]);
    fs::remove_file(folder.path("a.bak")).unwrap();
    fs::hard_link(folder.path("b"), folder.path("a.bak")).unwrap();
    refused(&folder, &["a", "b"]);
    fs::remove_file(folder.path("a.bak")).unwrap();
    folder.file("a.bak", b"[[format]]\nname = \"mine\"\njson = [\"/url\"]\n");
    refused(&folder, &["--formats", "a.bak", "--format", "mine", "a"]);
}

#[test]
fn a_backup_replaces_only_an_older_backup() {
    let folder = Folder::new();
    folder.file("a", OLD);
    folder.file("a.bak", b"older");
    assert_eq!(run_in(&folder, &["decode", "--in-place=.bak", "a"]), (Some(0), String::new()));
    assert_contents(&folder, &[("a", ONCE), ("a.bak", OLD)]);
    // Make the state that a run leaves if it is killed before its last step: the backup and the input are hard links to
    // the same file.
    fs::remove_file(folder.path("a")).unwrap();
    fs::hard_link(folder.path("a.bak"), folder.path("a")).unwrap();
    assert_eq!(run_in(&folder, &["decode", "-q", "--in-place=.bak", "a"]), (Some(0), String::new()));
    assert_contents(&folder, &[("a", ONCE), ("a.bak", OLD)]);
    // If the name of the backup is a symbolic link, the backup replaces the link. The target of the link stays.
    folder.file("other", b"other");
    fs::remove_file(folder.path("a.bak")).unwrap();
    symlink("other", folder.path("a.bak")).unwrap();
    assert_eq!(run_in(&folder, &["decode", "--in-place=.bak", "a"]), (Some(0), String::new()));
    assert_contents(&folder, &[("a", b"A\n"), ("a.bak", ONCE), ("other", b"other")]);
    // If the name of the backup belongs to a folder or a socket, or is a link to the input, `pct` changes neither the
    // input nor the entry with this name.
    let folder = Folder::new();
    ["a", "b", "c", "d"].iter().for_each(|name| drop(folder.file(name, OLD)));
    fs::create_dir(folder.path("a.bak")).unwrap();
    let _socket = UnixListener::bind(folder.path("b.bak")).unwrap();
    symlink("c", folder.path("c.bak")).unwrap();
    let (code, err) = run_in(&folder, &["decode", "--in-place=.bak", "a", "b", "c", "d"]);
    assert_eq!(code, Some(2), "{err}");
    for told in ["a.bak, belongs to a folder", "b.bak, belongs to a socket", "c.bak, leads to the file itself"] {
        assert!(err.contains(told), "{told}: {err}");
    }
    let expected: [(&str, &[u8]); 8] = [
        ("a", OLD),
        ("a.bak", b""),
        ("b", OLD),
        ("b.bak", b""),
        ("c", OLD),
        ("c.bak", b"c"),
        ("d", ONCE),
        ("d.bak", OLD),
    ];
    assert_contents(&folder, &expected);
}

#[test]
fn a_suffix_is_part_of_a_name() {
    let folder = Folder::new();
    folder.file("a", OLD);
    fs::create_dir(folder.path("a.d")).unwrap();
    for suffix in [".d/x", "/../b", ".d/"] {
        let (code, err) = run_in(&folder, &["decode", &format!("--in-place={suffix}"), "a"]);
        assert!(code == Some(2) && err.contains("leads into another folder"), "{suffix}: {err}");
    }
    // A script may write `--in-place=$SUFFIX` with an empty variable. This is an error, because `pct` would make no backup.
    let (code, err) = run_in(&folder, &["decode", "--in-place=", "a"]);
    assert!(code == Some(2) && err.contains("--in-place"), "{err}");
    let (code, err) = run_in(&folder, &["decode", &format!("--in-place={}", "x".repeat(300)), "a"]);
    assert!(code == Some(2) && err.contains("cannot replace a"), "{err}");
    assert_contents(&folder, &[("a", OLD), ("a.d", b"")]);
}

#[test]
fn only_regular_files_are_replaced() {
    let folder = Folder::new();
    folder.file("good", OLD);
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    symlink("fifo", folder.path("link")).unwrap();
    symlink("nowhere", folder.path("dangling")).unwrap();
    let _socket = UnixListener::bind(folder.path("socket")).unwrap();
    let args = ["fifo", "link", ".", "socket", "/dev/null", "/dev/full", "dangling", "missing", "good"];
    let (code, err) = run_in(&folder, &[&["decode", "--in-place=.bak"], &args[..]].concat());
    assert_eq!((code, err.lines().count()), (Some(2), args.len() - 1), "{err}");
    for told in [
        "cannot replace fifo, so it stays as it is: it is a named pipe",
        "cannot replace link, so it stays as it is: it is a named pipe",
        "cannot replace ., so it stays as it is: it is a folder, not a file; name files in it, or use -r",
        "cannot replace socket, so it stays as it is: it is a socket",
        "cannot replace /dev/null, so it stays as it is: it is a device",
        "cannot replace /dev/full, so it stays as it is: it is a device",
        "cannot replace dangling, so it stays as it is: No such file",
        "cannot replace missing, so it stays as it is: No such file",
    ] {
        assert!(err.contains(told), "{told}: {err}");
    }
    let fifo = fs::symlink_metadata(folder.path("fifo")).unwrap();
    assert!(fifo.file_type().is_fifo());
    let expected: [(&str, &[u8]); 6] = [
        ("dangling", b"nowhere"),
        ("fifo", b""),
        ("good", ONCE),
        ("good.bak", OLD),
        ("link", b"fifo"),
        ("socket", b""),
    ];
    assert_contents(&folder, &expected);
}

#[test]
fn hard_links_are_separated_after_a_note() {
    for suffix in ["", "=.bak"] {
        let option = format!("--in-place{suffix}");
        let folder = Folder::new();
        folder.file("a", OLD);
        fs::hard_link(folder.path("a"), folder.path("b")).unwrap();
        // The message is printed before any file is opened, so it comes before the error about the file `missing`.
        let (code, err) = run_in(&folder, &["decode", &option, "missing", "a"]);
        let told = "pct: a has another name (a hard link), which will keep the old contents\n";
        assert!(code == Some(2) && err.starts_with(told), "{err}");
        let backup: &[(&str, &[u8])] = if suffix.is_empty() { &[] } else { &[("a.bak", OLD)] };
        assert_contents(&folder, &[&[("a", ONCE), ("b", OLD)], backup].concat());
        assert_eq!(fs::metadata(folder.path("b")).unwrap().nlink(), 1 + backup.len() as u64);
        let _ = run_in(&folder, &["decode", "-q", "--in-place", "a"]);
        // If a file has several hard links and the user names some of them, each of the named links gets the new
        // contents. `a` and `./a` are the same link, so `pct` replaces it only once.
        let folder = Folder::new();
        folder.file("a", OLD);
        ["b", "c"].iter().for_each(|name| fs::hard_link(folder.path("a"), folder.path(name)).unwrap());
        let (code, err) = run_in(&folder, &["decode", &option, "a", "b", "./a"]);
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains("a has 2 other names (hard links)") && err.contains("b has 2 other names"), "{err}");
        assert!(err.contains("./a is the same file as a"), "{err}");
        let backups: &[(&str, &[u8])] = if suffix.is_empty() { &[] } else { &[("a.bak", OLD), ("b.bak", OLD)] };
        assert_contents(&folder, &[&[("a", ONCE), ("b", ONCE), ("c", OLD)], backups].concat());
    }
    // If an output file has another hard link, this link keeps the old contents, as it does for an input.
    let folder = Folder::new();
    folder.file("in", OLD);
    folder.file("out", b"old");
    fs::hard_link(folder.path("out"), folder.path("other")).unwrap();
    let (code, err) = run_in(&folder, &["decode", "in", "-o", "out"]);
    assert!(code == Some(0) && err.contains("out has another name (a hard link)"), "{err}");
    assert_contents(&folder, &[("in", OLD), ("other", b"old"), ("out", ONCE)]);
}

/// Waits until the child has written `len` bytes to a temporary file in the folder.
fn wait_for_temporary(folder: &Folder, child: &mut Child, len: u64) {
    let is_there = || {
        let mut entries = fs::read_dir(folder.path(".")).unwrap().map(|entry| entry.unwrap());
        entries.any(|entry| {
            let is_ours = entry.file_name().to_string_lossy().starts_with(".pct-");
            is_ours && entry.metadata().is_ok_and(|metadata| metadata.len() == len)
        })
    };
    while !is_there() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        thread::yield_now();
    }
}

/// Starts `pct` in a folder. Its standard error is a full socket. So `pct` waits when it prints a message, until the test reads the
/// returned stream.
fn spawn_stuck(folder: &Folder, args: &[&str]) -> (Child, UnixStream) {
    let (mut full, ours) = UnixStream::pair().unwrap();
    full.set_nonblocking(true).unwrap();
    for size in [4096, 1] {
        loop {
            match full.write(&vec![b'#'; size]) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
    full.set_nonblocking(false).unwrap();
    let mut command = command(args);
    command.current_dir(folder.path(".")).stdin(Stdio::null()).stderr(OwnedFd::from(full));
    (command.spawn().unwrap(), ours)
}

/// Makes children start with the default actions of signals. If this process ignores a signal, for example because of
/// `nohup`, its children would ignore this signal too. So the test installs a handler, because `exec` resets a handled
/// signal to its default action.
fn start_children_with_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Default::default()).unwrap();
    }
}

fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(target_os = "linux")]
const SIGNALS: [&str; 14] =
    ["HUP", "INT", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "TERM", "VTALRM", "PROF", "XCPU", "SYS", "IO", "PWR"];
#[cfg(not(target_os = "linux"))]
const SIGNALS: [&str; 12] =
    ["HUP", "INT", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "TERM", "VTALRM", "PROF", "XCPU", "SYS"];

#[test]
fn signals_leave_no_temporary_file() {
    start_children_with_signals();
    let folder = Folder::new();
    let (out, new) = (folder.file("out", b"old"), folder.path("new"));
    for signal in SIGNALS {
        for path in [&out, &new] {
            // `pct` has written its first output, and waits for more input when the signal comes.
            let mut child = command(["decode", "-o"]).arg(path).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(b"%41\n").unwrap();
            wait_for_temporary(&folder, &mut child, 2);
            kill(&child, signal);
            let status = child.wait().unwrap();
            assert!(status.signal().is_some() || status.code() > Some(128), "{signal}: {status}");
            assert_contents(&folder, &[("out", b"old")]);
        }
    }
    // `pct` survives SIGXFSZ and SIGPIPE, so it completes its output.
    for signal in ["XFSZ", "PIPE"] {
        let mut child = command(["decode", "-o"]).arg(&new).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"%41\n").unwrap();
        wait_for_temporary(&folder, &mut child, 2);
        kill(&child, signal);
        stdin.write_all(b"%42\n").unwrap();
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_contents(&folder, &[("new", b"A\nB\n"), ("out", b"old")]);
        fs::remove_file(&new).unwrap();
    }
    // If the shell ignores a signal, as `nohup` does, `pct` ignores it too.
    let line = "trap '' HUP; exec \"$PCT\" decode -o new";
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PCT", env!("CARGO_BIN_EXE_pct")).current_dir(folder.path(".")).stdin(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"%41\n").unwrap();
    wait_for_temporary(&folder, &mut child, 2);
    kill(&child, "HUP");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_contents(&folder, &[("new", b"A\n"), ("out", b"old")]);
    // A signal also removes a finished replacement that waits for the rest of its batch.
    for signal in SIGNALS {
        let folder = Folder::new();
        folder.file("a", OLD);
        let (mut child, _full) = spawn_stuck(&folder, &["decode", "--in-place=.bak", "a", "missing"]);
        wait_for_temporary(&folder, &mut child, ONCE.len() as u64);
        kill(&child, signal);
        assert!(!child.wait().unwrap().success(), "{signal}");
        assert_contents(&folder, &[("a", OLD)]);
    }
}

/// SIGKILL can't be caught, so a temporary file remains. The old file must stay as it was.
#[test]
fn sigkill_leaves_the_old_file() {
    let folder = Folder::new();
    folder.file("a", OLD);
    let (mut child, _full) = spawn_stuck(&folder, &["decode", "--in-place=.bak", "a", "missing"]);
    wait_for_temporary(&folder, &mut child, ONCE.len() as u64);
    kill(&child, "KILL");
    child.wait().unwrap();
    let found = contents(&folder);
    assert_eq!((found.len(), found["a"].as_slice()), (2, OLD), "{found:?}");
}

/// Another program may append text after `pct` has read the file. If `pct` replaced the file, this text would be lost.
#[test]
fn a_file_that_changes_meanwhile_is_not_replaced() {
    for change in ["append", "rewrite", "rewrite with the old time", "rights", "rotate"] {
        let folder = Folder::new();
        let (a, old) = (folder.file("a", OLD), folder.path("a.1"));
        let (mut child, mut full) = spawn_stuck(&folder, &["decode", "--in-place=.bak", "a", "missing"]);
        wait_for_temporary(&folder, &mut child, ONCE.len() as u64);
        match change {
            "append" => fs::OpenOptions::new().append(true).open(&a).unwrap().write_all(b"new\n").unwrap(),
            "rewrite" => {
                let file = fs::OpenOptions::new().write(true).open(&a).unwrap();
                (&file).write_all(b"12345\n").unwrap();
                file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
            }
            "rewrite with the old time" => {
                let modified = fs::metadata(&a).unwrap().modified().unwrap();
                fs::write(&a, OLD.to_ascii_lowercase()).unwrap();
                fs::OpenOptions::new().write(true).open(&a).unwrap().set_modified(modified).unwrap();
            }
            "rights" => fs::set_permissions(&a, fs::Permissions::from_mode(0o600)).unwrap(),
            _ => {
                fs::rename(&a, &old).unwrap();
                fs::write(&a, OLD).unwrap();
            }
        }
        let changed = contents(&folder).into_iter().filter(|(name, _)| !name.starts_with(".pct-")).collect();
        let mut told = Vec::new();
        full.read_to_end(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{change}");
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("a, so it stays as it is: it has changed meanwhile"), "{change}: {told}");
        assert_eq!(contents(&folder), changed, "{change}");
    }
}

/// The test kills `pct` at each of its system calls that change files. Each time, the file or its backup has the old contents, and
/// each file is complete.
#[cfg(target_os = "linux")]
#[test]
fn being_killed_at_any_step_loses_no_file() {
    let traced = |folder: &Folder, inject: &str, option: &str| {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-o", "/dev/null", "-e", inject, env!("CARGO_BIN_EXE_pct"), "decode", "-j1", option]);
        strace.args(["a", "b"]).current_dir(folder.path(".")).stdin(Stdio::null()).stderr(Stdio::null());
        strace.status()
    };
    if !Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success()) {
        return percent_simd_oracle::skip("a kill at every step: there is no strace");
    }
    let calls = ["link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "fsync", "fchmod", "write"];
    for option in ["--in-place=.bak", "--in-place"] {
        let mut kills = 0;
        for call in calls {
            for step in 1.. {
                let folder = Folder::new();
                ["a", "b"].iter().for_each(|name| drop(folder.file(name, OLD)));
                folder.file("a.bak", b"older");
                let ended = traced(&folder, &format!("inject={call}:signal=KILL:when={step}"), option).unwrap();
                let found = contents(&folder);
                for name in ["a", "b"] {
                    let bytes = found[name].as_slice();
                    let backup = found.get(&format!("{name}.bak")).map(Vec::as_slice);
                    assert!(bytes == OLD || bytes == ONCE, "{option}, {call} {step}: {bytes:?}");
                    if option == "--in-place=.bak" {
                        assert!(bytes == OLD || backup == Some(OLD), "{option}, {call} {step}: {found:?}");
                    }
                    let before: Option<&[u8]> = (name == "a").then_some(b"older");
                    assert!(backup == before || backup == Some(OLD), "{option}, {call} {step}: {found:?}");
                }
                if ended.success() {
                    break;
                }
                kills += 1;
            }
        }
        assert!(kills >= 6, "{option}: killed {kills} times");
    }
}

#[test]
fn reaching_the_file_size_limit_is_an_error() {
    let folder = Folder::new();
    let long = b"%41".repeat(100_000);
    folder.file("long", &long);
    folder.file("out", b"old");
    let before = contents(&folder);
    for (line, told) in [
        ("\"$PCT\" decode --in-place=.bak long", "long is left as it was"),
        ("\"$PCT\" decode long -o out", "out is left as it was"),
        ("\"$PCT\" decode long -o new", "new is left as it was"),
        ("\"$PCT\" decode long > \"$(mktemp)\"", "cannot write the output: File too large"),
        ("\"$PCT\" stats --html out long", "cannot write to out: File too large"),
        ("\"$PCT\" stats --svg new long", "cannot write to new: File too large"),
        ("\"$PCT\" man man; status=$?; rm -r man; exit $status", "pct-decode.1: File too large"),
    ] {
        let ended = shell(&folder, &format!("ulimit -f 1; {line}"));
        assert_ended(&ended, 2, told);
        assert_eq!(contents(&folder), before, "{line}");
    }
}

/// A container or a user may have a limit of threads. Here no thread can start, because no memory has room for its stack.
#[test]
fn if_no_thread_can_start_one_does_the_work() {
    let folder = Folder::new();
    folder.file("long", &b"/%41\n".repeat(500_000));
    let mut command = command(["decode", "-j4", folder.path("long").to_str().unwrap()]);
    command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
    let ran = process::run_to_end(command, b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out == b"/A\n".repeat(500_000));
}

#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    folder.file("good", OLD);
    assert_ended(&shell(&folder, "\"$PCT\" decode good -o /dev/full"), 2, "No space left on device");
    assert_ended(&shell(&folder, "\"$PCT\" decode good > /dev/full"), 2, "No space left on device");
    fs::create_dir(folder.path("disk")).unwrap();
    let line = "cd disk && head -c 40000 /dev/zero | tr '\\0' x > long && cp long copy && printf '%%2541' > small
        \"$PCT\" decode --in-place=.bak small long
        test $? = 2 && cmp long copy && test \"$(cat small small.bak)\" = '%41%2541' && test \"$(ls -A | wc -l)\" = 4";
    let Some(ended) = shell_that_mounts(&folder, "mount -t tmpfs -o size=100k none disk", line) else {
        return percent_simd_oracle::skip("a full disk: this user may not mount");
    };
    assert_ended(&ended, 0, "No space left on device");
}

/// Root has all permissions, so the test runs `pct` as a user other than root.
#[test]
fn missing_permissions_are_an_error() {
    let folder = Folder::new();
    let files = ["secret", "good", "closed/in", "out", "locked"].map(|name| folder.path(name));
    fs::create_dir(folder.path("closed")).unwrap();
    fs::create_dir(folder.path("closed/sealed")).unwrap();
    files.iter().for_each(|file| fs::write(file, OLD).unwrap());
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let mut command = command(["decode", "--in-place", "-r", "secret", "closed", "good", "locked"]);
    if fs::metadata(&files[0]).unwrap().uid() == 0 {
        let can_run = Command::new(env!("CARGO_BIN_EXE_pct")).arg("engines").uid(65534).output();
        if !can_run.is_ok_and(|ended| ended.status.success()) {
            return percent_simd_oracle::skip("missing rights: another user can't reach the program");
        }
        command.uid(65534);
        mode(&folder.path("."), 0o777);
    }
    mode(&files[0], 0);
    mode(&files[3], 0o444);
    mode(&files[4], 0o444);
    mode(&files[1], 0o666);
    mode(&folder.path("closed"), 0o555);
    mode(&folder.path("closed/sealed"), 0);
    let ended = command.current_dir(folder.path(".")).stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    mode(&folder.path("closed"), 0o755);
    mode(&folder.path("closed/sealed"), 0o755);
    mode(&files[0], 0o644);
    assert_eq!(ended.status.code(), Some(2), "{told}");
    for name in ["secret", "closed/in", "closed/sealed", "locked"] {
        let expected = format!("cannot replace {name}, so it stays as it is: Permission denied");
        assert!(told.contains(&expected), "{told}");
    }
    assert_eq!(files.each_ref().map(|file| fs::read(file).unwrap()), [OLD, ONCE, OLD, OLD, OLD].map(<[u8]>::to_vec));
    // If the user may not write to a file, `-o` doesn't replace the file, even though a rename would be allowed.
    let is_root = fs::metadata(&files[0]).unwrap().uid() == 0;
    let mut command = process::command(["decode", "good", "-o", "out"]);
    if is_root {
        command.uid(65534);
    }
    let ended = command.current_dir(folder.path(".")).stdin(Stdio::null()).output().unwrap();
    assert_ended(&ended, 2, "cannot write to out: Permission denied");
    assert_eq!(fs::read(&files[3]).unwrap(), OLD);
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::new();
    let format = b"[[format]]\nname = \"mine\"\njson = [\"/url\"]\n";
    folder.file("log", OLD);
    folder.file("formats.toml", format);
    folder.file("nginx.conf", b"log_format mine '$request';\n");
    folder.file("new", OLD);
    folder.file("empty", b"");
    symlink("log", folder.path("link")).unwrap();
    fs::hard_link(folder.path("log"), folder.path("hard")).unwrap();
    let before = contents(&folder);
    for line in [
        "\"$PCT\" decode log -o ./log",
        "\"$PCT\" decode link -o log",
        "\"$PCT\" decode log -o hard",
        "\"$PCT\" decode -o log < log",
        "\"$PCT\" decode log >> log",
        "\"$PCT\" decode --check log >> hard",
        "\"$PCT\" decode --check --report=json < log >> log",
        "\"$PCT\" stats log >> log",
        "\"$PCT\" stats --json < log >> log",
        "\"$PCT\" lint log >> log",
        "\"$PCT\" grep 4 log >> log",
        "\"$PCT\" cut -f path log -o log",
        "\"$PCT\" unique log -o log",
        "\"$PCT\" stats log --svg log",
        "\"$PCT\" stats log --html link",
        "\"$PCT\" stats --html log < log",
        "\"$PCT\" stats log --html page --svg ./page",
        "\"$PCT\" decode --formats formats.toml --format mine log -o formats.toml",
        "\"$PCT\" stats --formats formats.toml --format mine log --svg formats.toml",
        "\"$PCT\" decode --format nginx:@nginx.conf log -o nginx.conf",
        "\"$PCT\" decode --format nginx:@nginx.conf:mine log >> nginx.conf",
        "\"$PCT\" stats --against link --html log new",
        "\"$PCT\" stats --against log --svg hard new",
        "\"$PCT\" stats --against log new >> log",
        // The shell has emptied `empty` or made it. If it were read while it is written, it would grow without end.
        "\"$PCT\" decode log empty > empty",
        "\"$PCT\" decode log - < empty > empty",
        "\"$PCT\" grep 4 -r log empty > empty",
    ] {
        let ended = shell(&folder, line);
        assert_ended(&ended, 2, "is both input and output");
        assert_eq!(contents(&folder), before, "{line}");
    }
}

/// If the output were also read, it would grow without end.
#[test]
fn an_output_in_a_folder_that_is_read_is_left_out() {
    let folder = Folder::new();
    fs::create_dir(folder.path("root")).unwrap();
    let lines = "/a%41\n".repeat(1 << 16);
    folder.file("root/a.log", lines.as_bytes());
    let decoded = lines.replace("%41", "A");
    for (line, expected) in [
        ("decode -r root > root/out", Some(&decoded)),
        ("decode -r root >> root/out", Some(&decoded)),
        ("grep -r --no-filename . root > root/out", Some(&lines)),
        ("decode -r root --report 2> root/out >/dev/null", None),
        ("decode -r root -o root/out --no-ignore", Some(&decoded)),
    ] {
        let _ = fs::remove_file(folder.path("root/out"));
        // The limit ends a program whose output grows.
        let line = format!("ulimit -f 10000; \"$PCT\" {line}");
        shell(&folder, &line);
        let out = fs::read_to_string(folder.path("root/out")).unwrap();
        assert!(expected.is_none_or(|expected| out == *expected), "{line}: {} bytes", out.len());
        assert!(!out.contains("root/out"), "{line}: {out}");
    }
}

/// Images have triplets by chance. Decoding these would destroy the image.
#[test]
fn files_that_are_no_text_are_left_as_they_were() {
    let folder = Folder::new();
    let image = [&b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"[..], &b"%41".repeat(10)].concat();
    folder.file("image.png", &image);
    folder.file("log", OLD);
    folder.file("late", &[&b"a\n".repeat(30_000)[..], b"\0"].concat());
    folder.file("image.png.gz", &process::output(["decode", "--raw", "-z", "gz"], &image));
    let before = contents(&folder);
    for args in [
        &["decode", "-r", "."][..],
        &["decode", "image.png", "image.png.gz", "late", "log"],
        &["encode", "image.png", "log"],
    ] {
        let (code, err) = run_in(&folder, &[args, &["--in-place"]].concat());
        assert!(code == Some(2) && err.contains("image.png is skipped: it has a byte 0"), "{err}");
        let mut after = contents(&folder);
        assert_ne!(after["log"], OLD);
        after.insert("log".into(), OLD.into());
        assert_eq!(after, before);
        folder.file("log", OLD);
    }
    // With these options, the input need not be text.
    for (option, expected) in [("--null", &b"A\0B"[..]), ("--raw", b"A\0B")] {
        folder.file("zero", b"%41\0%42");
        assert_eq!(run_in(&folder, &["decode", option, "--in-place", "zero"]).0, Some(0));
        assert_eq!(fs::read(folder.path("zero")).unwrap(), expected);
    }
}

/// In place of a closed stream, Rust opens `/dev/null`. The output would be lost, and an empty input would replace a file.
#[test]
fn a_closed_stream_is_an_error() {
    let folder = Folder::new();
    folder.file("in", OLD);
    folder.file("out", b"old\n");
    let before = contents(&folder);
    for line in [
        "decode in >&-",
        "decode --check in >&-",
        "decode --check --report=json in >&-",
        "cut -f path in >&-",
        "stats in >&-",
        "sets >&-",
        "--help >&-",
        "decode <&-",
        "decode in - <&-",
        "decode -o out <&-",
        "encode -o out in - <&-",
    ] {
        assert_ended(&shell(&folder, &format!("\"$PCT\" {line}")), 2, "it is closed");
        assert_eq!(contents(&folder), before, "{line}");
    }
    // These commands don't use the closed stream, or it is `/dev/null` and not closed.
    for line in
        ["decode --in-place in <&- >&-", "decode in -o out <&- >&-", "decode > /dev/null", "decode 1<> /dev/null"]
    {
        assert_ended(&shell(&folder, &format!("\"$PCT\" {line}")), 0, "");
    }
    assert_contents(&folder, &[("in", ONCE), ("out", b"A\n")]);
}

/// `/dev/stdout` leads to a file that the shell has already opened, so `pct` writes to this file and doesn't replace it.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_a_descriptor_is_appended_to() {
    let folder = Folder::new();
    folder.file("in", OLD);
    symlink("/dev/stdout", folder.path("link")).unwrap();
    for (line, expected) in [
        ("\"$PCT\" decode in -o /dev/stdout >> log", &b"old\n%41\n"[..]),
        ("\"$PCT\" decode in -o link >> log", b"old\n%41\n"),
        ("\"$PCT\" decode in -o /dev/fd/3 3>> log", b"old\n%41\n"),
        ("\"$PCT\" decode in -o /proc/self/fd/1 > log", b"%41\n"),
        ("\"$PCT\" decode in -o /dev/stdout | cat > log", b"%41\n"),
    ] {
        folder.file("log", b"old\n");
        assert_ended(&shell(&folder, line), 0, "");
        assert_contents(&folder, &[("in", OLD), ("link", b"/dev/stdout"), ("log", expected)]);
    }
}

#[test]
fn pictures_pages_and_manuals_are_whole_files() {
    let folder = Folder::new();
    let files = ["a.svg", "a.html"].map(|name| folder.file(name, b"old"));
    fs::hard_link(&files[0], folder.path("hard.svg")).unwrap();
    let input = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /%41 HTTP/1.1\" 200 5 \"-\" \"x\"\n";
    folder.file("log", input.as_bytes());
    for option in ["--svg", "--html"] {
        let (code, err) = run_in(&folder, &["stats", "log", option, "-"]);
        assert!(code == Some(2) && err.contains("/dev/stdout"), "{err}");
    }
    let (code, err) = run_in(&folder, &["stats", "--format", "clf", "log", "--svg", "a.svg", "--html", "a.html"]);
    assert!(code == Some(0) && err.contains("a.svg has another name (a hard link)"), "{err}");
    assert_eq!(fs::read(folder.path("hard.svg")).unwrap(), b"old");
    assert!(fs::read(&files[0]).unwrap().starts_with(b"<svg") && fs::read(&files[1]).unwrap().ends_with(b"</html>\n"));
    // If `pct` can't read an input to its end, the old picture and the old page stay.
    let before = contents(&folder);
    for inputs in [&["missing"][..], &["log", "missing"], &["--against", "missing", "log"]] {
        let (code, err) = run_in(&folder, &[&["stats", "--svg", "a.svg", "--html", "a.html"], inputs].concat());
        assert!(code == Some(2) && err.contains("a.html is left as it was"), "{err}");
        assert_eq!(contents(&folder), before, "{inputs:?}");
    }
    let (code, err) = run_in(&folder, &["man", "man/man1"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(fs::read_dir(folder.path("man/man1")).unwrap().count() > 10);
    // `pct page -o` also writes a whole file. If `pct` was built without the page, it reports this.
    let (code, err) = run_in(&folder, &["page", "-o", "page.html"]);
    assert!(code == Some(0) || err.contains("built without the page"), "{err}");
}

/// An empty input has no format, so no field can be wrong for it.
#[test]
fn an_empty_input_lacks_no_field() {
    let folder = Folder::new();
    let line = "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a%41 HTTP/1.1\" 200 2 \"-\" \"x\"\n";
    let gz = [&b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x03\0"[..], &[0; 8]].concat();
    let [empty, packed, log] = [("e.log", &b""[..]), ("e.log.gz", &gz), ("a.log", line.as_bytes())]
        .map(|(name, bytes)| folder.file(name, bytes).to_str().unwrap().to_string());
    let verbs = [
        &["cut", "--no-header"][..],
        &["decode"],
        &["grep", "x"],
        &["unique"],
        &["normalize"],
        &["lint"],
        &["iri"],
        &["encode"],
        &["repair"],
    ];
    for verb in verbs {
        let status = Some(i32::from(verb[0] == "grep"));
        for format in ["auto", "auto,text", "docker", "ndjson/x"] {
            for field in [&[][..], &["-f", "target"], &["-f", "2"], &["-f", "/a/b"]] {
                let args = [verb, &["--format", format], field].concat();
                for file in [&[][..], &[&*empty], &[&*packed]] {
                    let ran = pct([&args[..], file].concat(), b"");
                    assert_eq!((&*ran.out, &*ran.err, ran.code), (&b""[..], "", status), "{args:?} {file:?}");
                }
            }
        }
        let args = [verb, &["--format=auto", "-f", "target", &empty, &log]].concat();
        let (both, alone) = (pct(&args, b""), pct([verb, &["--format=auto", "-f", "target", &log]].concat(), b""));
        assert_eq!((both.out, both.err, both.code), (alone.out, alone.err, alone.code), "{args:?}");
    }
    for format in ["auto", "docker"] {
        let ran = pct(["stats", "--format", format, "-f", "target", &empty], b"");
        assert_eq!((&*ran.err, ran.code), ("", Some(0)), "{format}");
    }
}

/// A blank line counts like a comment: it is no record.
#[test]
fn blank_lines_are_no_misfits() {
    let line = "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 2\n";
    let log = format!("\n  \n{line}\r\n");
    for verb in [&["decode"][..], &["grep", "/a"], &["stats"], &["cut"], &["unique"], &["lint"]] {
        let ran = pct([verb, &["--format=clf", "--strict-format"]].concat(), log.as_bytes());
        assert_eq!((&*ran.err, ran.code), ("", Some(0)), "{verb:?}");
    }
    let ran = pct(["decode", "--format=docker:clf", "--strict-format"], b"{\"log\":\"\\n\"}\n");
    assert_eq!((&*ran.err, ran.code), ("", Some(0)));
    let ran = pct(["decode", "--format=clf", "--strict-format"], format!("x\n{log}").as_bytes());
    assert!(ran.err.contains("1 of 2 checked records is not clf") && ran.code == Some(2), "{}", ran.err);
}
