//! Output files. We never write to a file that is also read, and never leave an incomplete file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::inplace::{Batch, FileId, Replacement, hard_link_note, is_standard, place_of, standard_file};
use crate::message::{complain, printable_line};

/// Returns the name of an input or output for messages.
pub fn name_of(file: &Path) -> String {
    if is_standard(file) { "<stdin>".into() } else { printable_line(&file.display().to_string()) }
}

/// Returns the name of an input for other programs: the bytes of the path.
pub fn raw_name_of(file: &Path) -> &[u8] {
    if is_standard(file) { b"<stdin>" } else { file.as_os_str().as_encoded_bytes() }
}

/// An output file that the command line names.
pub struct OutputFile {
    name: String,
    /// The new contents of a regular file. A pipe or a device has no replacement: we write to it directly.
    replacement: Option<Replacement>,
    to: File,
}

impl OutputFile {
    /// Opens `path` before any input is read. `sources` are the files that are read.
    ///
    /// # Errors
    ///
    /// Fails if `path` is `-` or one of the sources, or can't be written.
    pub fn open(path: &Path, sources: &[PathBuf], is_quiet: bool) -> Result<OutputFile, String> {
        if is_standard(path) {
            return Err("pct: this output needs the name of a file, not `-`; /dev/stdout is standard output".into());
        }
        let name = name_of(path);
        let failed = |error: io::Error| format!("pct: cannot write to {name}: {error}");
        let there = fs::metadata(path).ok();
        let is_file = there.as_ref().is_none_or(|there| there.is_file() || there.is_dir());
        if is_file {
            check_output(path, sources, &name)?;
        }
        if !is_file || is_descriptor(path) {
            // `/dev/stdout` may lead to a file to which the shell appends, so we append to this file too.
            let to = File::options().append(true).open(path).map_err(failed)?;
            return Ok(OutputFile { name, replacement: None, to });
        }
        let mut replacement = Replacement::create(path).map_err(failed)?;
        if let Some(what) = there.as_ref().and_then(hard_link_note).filter(|_| !is_quiet) {
            complain(&format!("pct: {name} {what}"));
        }
        let to = replacement.file().try_clone().map_err(failed)?;
        Ok(OutputFile { name, replacement: Some(replacement), to })
    }

    /// Returns a second handle to the output file, for writing.
    pub fn writer(&self) -> io::Result<File> {
        self.to.try_clone()
    }

    /// Gives the finished file its name. Returns the exit status.
    pub fn finish(self) -> u8 {
        let mut batch = Batch::default();
        let mut failed = self.replacement.map_or_else(Vec::new, |replacement| batch.push(replacement));
        failed.extend(batch.commit());
        report_failed(failed)
    }

    /// Writes `bytes` as the whole output. Returns the exit status.
    pub fn finish_with(mut self, bytes: &[u8]) -> u8 {
        match self.to.write_all(bytes) {
            Ok(()) => self.finish(),
            Err(error) => {
                complain(&format!("pct: cannot write to {}: {error}", self.name));
                2
            }
        }
    }

    /// Discards the output. A regular file keeps its old contents.
    pub fn abandon(self) {
        if self.replacement.is_some() {
            complain(&format!("pct: {} is left as it was, because the output is incomplete", self.name));
        }
    }
}

/// Writes `bytes`, which don't depend on any input, to the file at `path`. Returns the exit status.
pub fn write(path: &Path, bytes: &[u8]) -> u8 {
    match OutputFile::open(path, &[], false) {
        Ok(file) => file.finish_with(bytes),
        Err(message) => {
            complain(&message);
            2
        }
    }
}

/// Fails if the output at `path`, called `name`, is one of the sources.
fn check_output(path: &Path, sources: &[PathBuf], name: &str) -> Result<(), String> {
    let (id, place) = (FileId::of(path).ok(), place_of(path));
    let is_same = |source: &PathBuf| match is_standard(source) {
        true => id.is_some() && id == standard_file(0),
        false => id.is_some() && id == FileId::of(source).ok() || place.is_some() && place == place_of(source),
    };
    if sources.iter().any(is_same) { Err(source_error(name)) } else { Ok(()) }
}

/// Fails if standard output is one of the sources. If it is empty now, the output of an earlier source could become the input of
/// this one, which would then grow without end.
pub fn check_standard_output(sources: &[PathBuf]) -> Result<(), String> {
    let Some(there) = standard_file(1) else { return Ok(()) };
    let id = |source: &PathBuf| match is_standard(source) {
        true => standard_file(0),
        false => FileId::of(source).ok(),
    };
    match sources.iter().filter_map(id).any(|id| id == there) {
        true => Err(source_error("standard output")),
        false => Ok(()),
    }
}

fn source_error(name: &str) -> String {
    format!(
        "pct: {name} is both input and output, and would be emptied first; write to another file and rename it, or use \
        --in-place"
    )
}

/// Prints the files that could not be replaced. Returns the exit status.
pub fn report_failed(failed: Vec<(PathBuf, io::Error)>) -> u8 {
    for (file, error) in &failed {
        complain(&format!("pct: cannot replace {}, so it stays as it is: {error}", name_of(file)));
    }
    if failed.is_empty() { 0 } else { 2 }
}

/// Returns true for `/dev/stdout`, `/dev/fd/3` and links to them. These paths name a file that is already open, and a
/// shell may be appending to this file.
fn is_descriptor(path: &Path) -> bool {
    let mut path = path.to_path_buf();
    // No operating system follows more than 40 links.
    for _ in 0..40 {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Ok(folder) = fs::canonicalize(folder) else { return false };
        let Ok(next) = fs::read_link(&path) else { return false };
        if folder.starts_with("/proc") {
            return true;
        }
        path = folder.join(next);
    }
    false
}

/// Returns standard output without the buffer of [`io::stdout`].
#[cfg(unix)]
pub fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    use std::os::fd::AsFd;
    crate::closed::check(1)?;
    Ok(Box::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
pub fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(io::stdout()))
}
