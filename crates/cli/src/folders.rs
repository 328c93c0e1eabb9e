//! Finds the files in folders, except files that `.gitignore` and similar files exclude.

use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::inplace::{FileId, is_standard, standard_file};

/// Returns the files in `folders` and their subfolders, in alphabetical order. Without folders, starts at the current folder.
///
/// If a name in `folders` isn't a folder, it is returned too. Inside folders, only regular files are returned. A folder
/// that can't be read is also returned, so that the caller opens it and reports the error. So are all folders if they have no
/// file to read: a search in no file must not look like a search without a match. `globs` must be valid. If
/// `has_rules` is true, hidden and ignored files are left out. A file that receives standard output or standard error is always left
/// out. If it were read while it is written, it could grow without end.
pub fn files(folders: &[PathBuf], globs: &[String], has_rules: bool) -> Vec<PathBuf> {
    let here = [PathBuf::from(".")];
    let outputs: Vec<FileId> = [1, 2].into_iter().filter_map(standard_file).collect();
    let is_output = |path: &Path| !outputs.is_empty() && FileId::of(path).is_ok_and(|id| outputs.contains(&id));
    let mut files = Vec::new();
    let folders = if folders.is_empty() { &here } else { folders };
    for folder in folders {
        if is_standard(folder) {
            files.push(folder.clone());
            continue;
        }
        // We test the globs ourselves. If the walk tested them, a hidden or ignored file that matches a glob would be
        // found too.
        let rules = overrides(folder, globs).unwrap_or_else(|_| Override::empty());
        let is_wanted = move |entry: &DirEntry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0 || !rules.matched(entry.path(), is_folder).is_ignore()
        };
        // A link to a folder needs a slash, or the walk would not follow it.
        let start = if folder.is_dir() { folder.join("") } else { folder.clone() };
        let walk = WalkBuilder::new(start)
            .standard_filters(has_rules)
            .require_git(false)
            .filter_entry(is_wanted)
            .sort_by_file_name(Ord::cmp)
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => {
                    // As in `grep -r`, links and devices count only if the user names them.
                    let is_named = entry.depth() == 0;
                    if entry.file_type().is_none_or(|kind| kind.is_file() || is_named && !kind.is_dir())
                        && (is_named || !is_output(entry.path()))
                    {
                        files.push(entry.into_path());
                    }
                }
                Err(error) => files.push(path_of(&error).map_or_else(|| folder.clone(), Path::to_path_buf)),
            }
        }
    }
    if files.is_empty() { folders.to_vec() } else { files }
}

/// Returns a message if one of `globs` isn't valid.
pub fn check(globs: &[String]) -> Result<(), String> {
    overrides(Path::new("."), globs).map(|_| ()).map_err(|error| error.to_string())
}

/// Returns the rules that `globs` add to the rules of the folder.
fn overrides(folder: &Path, globs: &[String]) -> Result<Override, ignore::Error> {
    let mut rules = OverrideBuilder::new(folder);
    for glob in globs {
        rules.add(glob)?;
    }
    rules.build()
}

/// Returns the path that an error is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
