//! Reads folders.

use std::fs;

use crate::process;

use process::{Folder, output, pct};

#[test]
fn folders_are_read_without_ignored_and_hidden_files() {
    let folder = Folder::new();
    let root = folder.path("root");
    fs::create_dir_all(root.join("sub/deep")).unwrap();
    for (name, text) in [
        ("b.log", "/b%41\n"),
        ("a.log", "/a%41\n"),
        ("sub/deep/c.log", "/c%41\n"),
        ("sub/d.txt", "/d%41\n"),
        ("sub/e.log", "/e%41\n"),
        (".hidden.log", "/h%41\n"),
        (".gitignore", "e.log\n"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    let run = |options: &[&str]| {
        let file = root.to_str().unwrap();
        String::from_utf8(output([&["decode", "-r"], options, &[file]].concat(), b"")).unwrap()
    };
    assert_eq!(run(&[]), "/aA\n/bA\n/dA\n/cA\n");
    assert_eq!(run(&["-g", "*.log"]), "/aA\n/bA\n/cA\n");
    assert_eq!(run(&["-g", "!*.txt", "-g", "!a.*"]), "/bA\n/cA\n");
    assert_eq!(run(&["--no-ignore", "-g", "*.log"]), "/hA\n/aA\n/bA\n/cA\n/eA\n");
    // A file that the command line names is read, whatever its name is.
    let hidden = root.join(".hidden.log");
    assert_eq!(output(["decode", "-r", hidden.to_str().unwrap()], b""), b"/hA\n");
    let names = String::from_utf8(output(["grep", "-r", "-l", "A", root.to_str().unwrap()], b"")).unwrap();
    assert_eq!(names.lines().count(), 4);
    output(["decode", "-r", "--in-place", "-g", "a.log", root.to_str().unwrap()], b"");
    assert_eq!(fs::read(root.join("a.log")).unwrap(), b"/aA\n");
    assert_eq!(fs::read(root.join("b.log")).unwrap(), b"/b%41\n");
    let ran = pct(["decode", "-r", "-g", "[", root.to_str().unwrap()], b"");
    assert!(ran.code == Some(2) && ran.err.contains("--glob"), "{}", ran.err);
    let ran = pct(["decode", "-r", "/nowhere/at/all"], b"");
    assert!(ran.code == Some(2) && ran.err.contains("/nowhere/at/all"), "{}", ran.err);
}

/// The message for a folder names the option that reads the files in it, and the files that this option leaves out. For example,
/// all names in `/var/log/containers` are links.
#[test]
fn a_folder_without_files_to_read_is_refused() {
    let folder = Folder::new();
    for name in ["root", "empty", "hidden"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    let (file, root) = (folder.file("root/a.log", b"/a%41\n"), folder.path("root"));
    let [file, root] = [&file, &root].map(|path| path.to_str().unwrap());
    for args in [&["decode", root][..], &["grep", "a", root], &["lint", root], &["stats", "--against", root, file]] {
        let ran = pct(args, b"");
        let message = format!("cannot open {root}, so it is skipped: it is a folder, not a file; ");
        assert!(ran.code == Some(2) && ran.err.contains(&message), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("use -r, which leaves out links, "), "{args:?}: {}", ran.err);
    }
    folder.file("hidden/.a.log", b"/a%41\n");
    let [empty, hidden] = ["empty", "hidden"].map(|name| folder.path(name).to_str().unwrap().to_string());
    for args in [
        &["grep", "/", &empty, &hidden][..],
        &["stats", &hidden],
        &["decode", "--in-place", &empty],
        &["lint", "-g*.x", root],
    ] {
        let ran = pct([args, &["-r"]].concat(), b"");
        assert!(ran.code == Some(2) && ran.err.contains("use -r, which leaves out links, "), "{args:?}: {}", ran.err);
    }
    assert_eq!(output(["grep", "-r", "-c", "/", &empty, &hidden, root], b""), [file, ":1\n"].concat().as_bytes());
    output(["stats", "-r", "--against", root, file], b"");
}

/// As in `grep -r`, links and pipes in a folder are no inputs. But a name on the command line is an input, even if it
/// is a link.
#[cfg(unix)]
#[test]
fn links_and_pipes_in_folders_are_left_out() {
    let folder = Folder::new();
    let root = folder.path("root");
    fs::create_dir_all(root.join("inner")).unwrap();
    folder.file("outside", b"/out%41\n");
    folder.file("root/a.log", b"/a%41\n");
    for (to, name) in
        [("../outside", "root/file"), ("inner", "root/folder"), ("nowhere", "root/broken"), ("root", "link")]
    {
        std::os::unix::fs::symlink(to, folder.path(name)).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    for name in ["root", "link", "root/a.log", "root/../root"] {
        assert_eq!(output(["decode", "-r", folder.path(name).to_str().unwrap()], b""), b"/aA\n", "{name}");
    }
    assert_eq!(output(["decode", "-r", folder.path("root/file").to_str().unwrap()], b""), b"/outA\n");
    let ran = pct(["decode", "-r", "--in-place", root.to_str().unwrap()], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(fs::read(folder.path("outside")).unwrap(), b"/out%41\n");
}
