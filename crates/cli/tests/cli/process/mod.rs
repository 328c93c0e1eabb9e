//! Runs the command as a process.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process, thread};

use percent_simd_oracle as _; // aborts a suite that hangs

/// The result of a process.
#[derive(Debug)]
pub struct RunResult {
    pub code: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

/// Returns the command with its three standard streams piped.
pub fn command<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    command_of(env!("CARGO_BIN_EXE_pct"), args)
}

/// Returns a command that runs the program at `path` with its three standard streams piped.
pub fn command_of<S: AsRef<OsStr>>(path: impl AsRef<OsStr>, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(path);
    // The tests must not depend on the formats of the user who runs them.
    command.env("XDG_CONFIG_HOME", "/nowhere");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command on `input` to its end.
pub fn pct<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8]) -> RunResult {
    run_to_end(command(args), input)
}

/// Runs a command on `input` to its end.
pub fn run_to_end(mut command: Command, input: &[u8]) -> RunResult {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // Ignore an error, because the command may exit before it has read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    RunResult { code: output.status.code(), out: output.stdout, err: String::from_utf8(output.stderr).unwrap() }
}

/// Returns the output, and asserts that there is no error and no message.
#[track_caller]
pub fn output<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8]) -> Vec<u8> {
    let ran = pct(args, input);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.out
}

/// A temporary folder. Dropping this value removes the folder.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("pct-test-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.join(name.as_ref())
    }

    /// Writes a file with these bytes, and returns its path.
    pub fn file(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Asserts that two byte strings are the same. If they differ, prints only the first difference, because the strings may be long.
#[track_caller]
pub fn assert_same(left: &[u8], right: &[u8], what: &str) {
    if left == right {
        return;
    }
    let at = left.iter().zip(right).position(|(l, r)| l != r).unwrap_or(left.len().min(right.len()));
    let near = |bytes: &[u8]| bytes[at.min(bytes.len())..].iter().take(40).copied().collect::<Vec<_>>();
    panic!(
        "{what}: {} and {} bytes, differing from {at} on: `{}`, `{}`",
        left.len(),
        right.len(),
        near(left).escape_ascii(),
        near(right).escape_ascii()
    );
}
