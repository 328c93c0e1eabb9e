//! Runs every example in the help of each verb.

#![cfg(unix)]

use crate::process;

use std::path::Path;
use std::process::Command;

use process::{Folder, command, pct};

/// Creates the files that the examples read.
fn files(folder: &Folder) {
    let log = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /caf%C3%A9?id=1&u=%41 HTTP/1.1\" 200 5 \"http://h/caf%C3%A9\" \"x\"\n";
    let urls = "http://h/%41?id=1\nhttp://xn--rsum-bpad.org/caf%C3%A9\nHTTP://h:80/a%20b\n";
    for (name, text) in [
        ("access.log", log),
        ("yesterday.log", log),
        ("urls", urls),
        ("urls.txt", urls),
        ("links", "../a\n?q\n"),
        ("iris", "http://résumé.org/é\n"),
        ("paths", "/a b\n/c:d%\n"),
        ("values", "a b\n%41%C3%A9\n"),
        ("bodies", "q=caf%C3%A9+1&tag=a%26b\n"),
        ("log.json", "{\"url\":\"/%41?id=5\"}\n"),
        ("app.log", "{\"svc\":\"app\",\"req\":{\"url\":\"/%41\"}}\n"),
        ("formats.toml", "[[format]]\nname = \"app\"\njson = [\"/req/url\"]\n"),
        ("key.bin", "\0\n"),
        ("body.enc", "%00%0A"),
    ] {
        folder.file(name, text.as_bytes());
    }
    let packed = folder.path("access.log.gz");
    assert_eq!(pct(["decode", "--keep", "%", "-o", packed.to_str().unwrap()], log.as_bytes()).code, Some(0));
}

/// Returns the names of the verbs in the help of the command.
fn verbs() -> Vec<String> {
    let help = String::from_utf8(pct(["--help"], b"").out).unwrap();
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_string).collect()
}

/// Returns the commands in the examples of `help`, without their explanations.
fn examples(help: &str) -> Vec<String> {
    let Some((_, examples)) = help.split_once("Examples:\n") else { return Vec::new() };
    let lines = examples.lines().take_while(|line| line.starts_with("  "));
    let commands = lines.map(|line| &line[2..]).filter(|line| !line.starts_with(' '));
    commands.map(|line| line.split("  ").next().unwrap().trim_end().to_string()).collect()
}

/// Runs `example` in a shell. Replaces tools that are possibly not installed. Returns the exit status and standard error.
fn run(example: &str, folder: &Path) -> (Option<i32>, String) {
    let pct = command([""]);
    let script = format!(
        "set -o pipefail; pct() {{ \"$PCT\" \"$@\"; }}; jq() {{ cat >/dev/null; }}; {}",
        example.replace("tail -f", "cat")
    );
    let ran = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PCT", pct.get_program())
        .env("XDG_CONFIG_HOME", "/nowhere")
        .env("HOME", folder)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
}

#[test]
fn completions_know_formats_fields_sets_and_charsets() {
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(pct(["completions", shell], b"").out).unwrap();
        for name in ["cloudfront", "journald", "user-agent", "RFC3986_PATH", "windows-1251"] {
            assert!(script.contains(name), "{name} in the completions of {shell}");
        }
    }
}

#[test]
fn every_example_runs() {
    let folder = Folder::new();
    files(&folder);
    let (mut seen, verbs) = (0, verbs());
    for name in ["decode", "encode", "stats", "formats", "lint"] {
        assert!(verbs.iter().any(|verb| verb == name), "{name} in {verbs:?}");
    }
    for verb in &verbs {
        let help = String::from_utf8(pct([verb, "--help"], b"").out).unwrap();
        let examples = examples(&help);
        assert!(examples.len() >= 3, "{verb} has {} examples", examples.len());
        for example in examples {
            let (code, said) = run(&example, &folder.path("."));
            if said.contains("built without the page") {
                continue;
            }
            // The exit status is 1 if there is a finding, or if grep finds no match.
            assert!(matches!(code, Some(0 | 1)), "{example}: {code:?} {said}");
            assert!(!said.contains("cannot") && !said.contains("error:"), "{example}: {said}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
    // `run` notices a wrong command, even before a pipe. Otherwise this test would prove nothing.
    assert_eq!(run("pct decode --wrong urls", &folder.path(".")).0, Some(2));
    assert_eq!(run("pct decode nowhere | cat", &folder.path(".")).0, Some(2));
}
