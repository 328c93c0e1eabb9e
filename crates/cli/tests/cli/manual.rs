//! Tests that the manual (README.md and docs/pct) matches the program. The examples print exactly the outputs that the manual
//! shows, and the manual names every verb, option and format. The examples in the answers of percent-standards run here, too.
//!
//! Each line `$ COMMAND` of a block that is marked `console` runs in bash, with `pct` on the path. The lines below it are the
//! expected output, stdout and stderr together. A line `...` is any number of lines. The commands of a page share a folder that
//! contains examples/access.log, as the root of the repository does.
//!
//! `MANUAL=write cargo test -p percent-simd-cli --test cli manual` writes the real outputs to the pages. Outputs with `...`
//! stay as they are.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::process::{Folder, command, output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> PathBuf {
    root().join("crates/cli/README.md")
}

fn page(name: &str) -> PathBuf {
    root().join("docs/pct").join(name).with_extension("md")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn pages() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("docs/pct")).unwrap();
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    pages.push(readme());
    pages.push(root().join("crates/standards/docs/answers.md"));
    pages.sort();
    pages
}

/// Runs `script` in `folder`, and returns its output.
fn run(script: &str, folder: &Path) -> String {
    let program = command([""]).get_program().to_owned();
    let mut path = vec![Path::new(&program).parent().unwrap().to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap()));
    let ran = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env("PATH", env::join_paths(path).unwrap())
        .env("XDG_CONFIG_HOME", "/nowhere")
        .env("HOME", folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Returns true if the lines are the same. A line `...` of `expected` matches any number of lines.
fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match expected {
        ["...", rest @ ..] => (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..])),
        [line, rest @ ..] => actual.first() == Some(line) && matches(rest, &actual[1..]),
        [] => actual.is_empty(),
    }
}

/// Returns the page with the real outputs, and the number of its commands.
fn with_real_outputs(page: &str, folder: &Path) -> (String, usize) {
    let (mut real, mut commands) = (String::new(), 0);
    let mut lines = page.lines().peekable();
    let mut in_console = false;
    while let Some(line) = lines.next() {
        real += &format!("{line}\n");
        in_console = if line.starts_with("```") { line == "```console" } else { in_console };
        let Some(script) = line.strip_prefix("$ ").filter(|_| in_console) else { continue };
        commands += 1;
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```")) {
            expected.push(line);
        }
        let output = run(script, folder);
        let actual: Vec<&str> = output.lines().collect();
        let shown = if matches(&expected, &actual) { expected } else { actual };
        shown.iter().for_each(|line| real += &format!("{line}\n"));
    }
    (real, commands)
}

/// Returns the names of the verbs. We take them from the manual pages that `pct man` writes.
fn verbs() -> Vec<String> {
    let folder = Folder::new();
    output(["man".as_ref(), folder.path("man").as_os_str()], b"");
    let names =
        fs::read_dir(folder.path("man")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| Some(name.strip_prefix("pct-")?.strip_suffix(".1")?.to_string())).collect()
}

/// Returns the long names of the options in `help`. Each option is at the start of a line.
fn options(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.filter_map(|line| {
        let name = &line[line.find("--")?..];
        Some(&name[..name.find(|c: char| c != '-' && !c.is_ascii_alphanumeric()).unwrap_or(name.len())])
    });
    names.filter(|name| *name != "--help").collect()
}

/// Returns true if `text` contains the option `name`. A longer option that starts with `name` doesn't count.
fn names_option(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].chars().next();
        !after.is_some_and(|c| c == '-' || c.is_ascii_alphanumeric())
    })
}

#[test]
fn every_example_of_the_manual_prints_the_output_it_shows() {
    let is_writing = env::var_os("MANUAL").is_some_and(|value| value == "write");
    let (mut commands, mut wrong) = (0, Vec::new());
    for path in pages() {
        let folder = Folder::new();
        fs::create_dir(folder.path("examples")).unwrap();
        fs::copy(root().join("examples/access.log"), folder.path("examples/access.log")).unwrap();
        let shown = text(&path);
        let (real, count) = with_real_outputs(&shown, &folder.path("."));
        commands += count;
        if is_writing {
            // We replace the page by a rename, because other tests read the pages at the same time.
            let new = path.with_extension("new");
            fs::write(&new, &real).unwrap();
            fs::rename(&new, &path).unwrap();
        } else if let Some((shown, real)) = shown.lines().zip(real.lines()).find(|(shown, real)| shown != real) {
            wrong.push(format!("{}\n  shown: {shown}\n  real:  {real}", path.display()));
        } else if shown != real {
            wrong.push(format!("{}: the length of an output is not the real one", path.display()));
        }
    }
    assert!(commands > 60, "{commands} commands");
    assert!(wrong.is_empty(), "MANUAL=write updates the outputs of:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_output_is_noticed() {
    let folder = Folder::new();
    let page = |output: &str| format!("# Page\n\n```console\n$ echo /%41 | pct decode\n{output}```\n");
    for (shown, is_right) in
        [("/A\n", true), ("...\n", true), ("/A\n...\n", true), ("/B\n", false), ("", false), ("/A\n/A\n", false)]
    {
        let (real, commands) = with_real_outputs(&page(shown), &folder.path("."));
        assert_eq!((real == page(shown), commands), (is_right, 1), "{shown:?}");
        assert!(is_right || real == page("/A\n"));
    }
}

#[test]
fn every_verb_has_a_page_and_every_option_is_explained() {
    let (readme, shared) = (text(&readme()), text(&page("options")));
    let verbs = verbs();
    assert!(verbs.len() > 15 && verbs.iter().any(|verb| verb == "decode"), "{verbs:?}");
    let mut missing = Vec::new();
    for verb in &verbs {
        let text = text(&page(verb));
        assert!(text.starts_with(&format!("# pct {verb}\n")), "{verb}");
        assert!(readme.contains(&format!("/docs/pct/{verb}.md")), "README.md links to the page of {verb}");
        let help = String::from_utf8(output([verb, "--help"], b"")).unwrap();
        // If the page links to the page of shared options, the options there count as explained.
        let shared = if text.contains("(options.md") { &*shared } else { "" };
        let options = options(&help);
        let unexplained =
            options.iter().filter(|name| ![&*text, shared, &*readme].iter().any(|text| names_option(text, name)));
        missing.extend(unexplained.map(|name| format!("{verb} {name}")));
    }
    assert!(missing.is_empty(), "neither README.md nor docs/pct explains {missing:?}");
}

#[test]
fn the_readme_names_every_format() {
    let readme = text(&readme());
    let list = String::from_utf8(output(["formats"], b"")).unwrap();
    let names =
        list.lines().skip(1).filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()) && line.contains("  "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        let quoted = format!("`{}", name.replace('|', "\\|"));
        assert!(readme.contains(&quoted), "README.md names the format {name}");
    }
}
