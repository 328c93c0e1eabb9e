//! Plans `--in-place` before it touches a file.
//!
//! A file may have many names: `a` and `./a`, symbolic links, hard links and bind mounts. On some file systems, `A` and `a` are
//! also the same name. We follow three rules:
//!
//! - A file is replaced once, even if it is named several times. Decoding a file twice would remove two layers of escapes.
//! - A symbolic link stays a link. We replace the file that it leads to, and put the backup beside that file.
//! - Hard links count as separate files: each hard link that the user names becomes a new file of its own.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{FileId, folder_of, hard_link_note, names, refused_folder};
use crate::message::printable_line;

/// An input to replace.
pub struct Target {
    /// The path of the file after following links. The name that the user gave may be a link.
    pub(super) place: PathBuf,
    pub(super) id: FileId,
    /// The name for the backup of the old file.
    pub(super) backup: Option<PathBuf>,
}

/// The inputs to replace, in the order of the command line.
pub struct Plan {
    /// The first name of each file, with its target, or with the reason why the file can't be replaced.
    pub targets: Vec<(PathBuf, io::Result<Target>)>,
    /// Notes that are printed before the work starts.
    pub notes: Vec<String>,
}

/// Plans the replacement of `files`. If `suffix` isn't empty, each old file is kept as a backup, under its name with
/// the suffix appended. `others` are the files that the command reads but doesn't replace.
///
/// # Errors
///
/// Fails if a backup would overwrite a file that is read, or if the suffix can't be part of a file name. A file that can't be
/// replaced is no error here: the plan holds the reason.
pub fn plan(files: &[PathBuf], others: &[PathBuf], suffix: &str) -> Result<Plan, String> {
    if suffix.contains(std::path::is_separator) {
        return Err(format!("the suffix `{suffix}` leads into another folder; choose one without a separator"));
    }
    let mut plan = Plan { targets: Vec::new(), notes: Vec::new() };
    let mut firsts = HashMap::new();
    let mut places: HashSet<PathBuf> = others.iter().filter_map(|file| place_of(file)).collect();
    let mut ids = HashSet::new();
    for file in files {
        places.extend(place_of(file));
        let (target, old) = match Target::of(file, suffix) {
            Ok(found) => found,
            Err(error) => {
                plan.targets.push((file.clone(), Err(error)));
                continue;
            }
        };
        // If a file has several hard links, we replace each named link. If it has only one, all paths to the file lead
        // to this link, so the place doesn't matter.
        let name = (names(&old) > 1).then(|| target.place.clone());
        let shown = printable_line(&file.display().to_string());
        if let Some(first) = firsts.get(&(target.id.clone(), name.clone())) {
            plan.notes.push(format!("{shown} is the same file as {first}, and is replaced once"));
            continue;
        }
        plan.notes.extend(hard_link_note(&old).map(|what| format!("{shown} {what}")));
        firsts.insert((target.id.clone(), name), shown);
        ids.insert(target.id.clone());
        plan.targets.push((file.clone(), Ok(target)));
    }
    for (file, planned) in &mut plan.targets {
        let Ok(target) = planned else { continue };
        let Some(backup) = &target.backup else { continue };
        let shown = printable_line(&file.display().to_string());
        if places.contains(backup) || FileId::of(backup).is_ok_and(|id| id != target.id && ids.contains(&id)) {
            return Err(format!(
                "the backup of {shown} would overwrite {}, which is read, too; nothing has been changed; choose another suffix",
                printable_line(&backup.display().to_string())
            ));
        }
        if let Err(error) = target.check_backup(backup) {
            *planned = Err(error);
        }
    }
    Ok(plan)
}

/// Returns the absolute path of `name`, without symbolic links. The file need not exist, but its folder must.
pub fn place_of(name: &Path) -> Option<PathBuf> {
    let missing = || Some(fs::canonicalize(folder_of(name)).ok()?.join(name.file_name()?));
    fs::canonicalize(name).ok().or_else(missing)
}

impl Target {
    /// Returns the target for the file called `name`, and the file's metadata.
    fn of(name: &Path, suffix: &str) -> io::Result<(Target, Metadata)> {
        let place = fs::canonicalize(name)?;
        let old = fs::metadata(&place)?;
        if old.is_dir() {
            // With --recursive, a folder is in the list if its files could not be listed. Then the reason is in this error.
            fs::read_dir(&place)?;
            return Err(refused_folder());
        }
        if let Some(what) = other_kind(old.file_type()) {
            return Err(io::Error::other(format!("it is {what}")));
        }
        let backup = (!suffix.is_empty()).then(|| {
            let mut backup = OsString::from(&place);
            backup.push(suffix);
            PathBuf::from(backup)
        });
        Ok((Target { id: FileId::of(&place)?, place, backup }, old))
    }

    /// Opens the old file.
    ///
    /// # Errors
    ///
    /// Fails if the path now leads to a different file than at the time of the plan.
    pub fn open(&self) -> io::Result<File> {
        let mut options = File::options();
        options.read(true);
        #[cfg(unix)]
        {
            // If the file has been replaced by a named pipe, opening the pipe must not wait for a writer.
            let flags = rustix::fs::OFlags::NONBLOCK.bits();
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags as i32);
        }
        let file = options.open(&self.place)?;
        #[cfg(unix)]
        if FileId::of_metadata(&file.metadata()?) != self.id {
            return Err(io::Error::other("another file has taken its place meanwhile"));
        }
        Ok(file)
    }

    /// Fails if the name of the backup leads to the file itself, or belongs to a folder, a pipe or a device.
    fn check_backup(&self, backup: &Path) -> io::Result<()> {
        let old = match fs::symlink_metadata(backup) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let wrong = |what: &str| {
            let name = printable_line(&backup.display().to_string());
            Err(io::Error::other(format!("the name of its backup, {name}, {what}")))
        };
        if FileId::of(backup).is_ok_and(|id| id == self.id) && (old.is_symlink() || names(&old) == 1) {
            return wrong("leads to the file itself");
        }
        match other_kind(old.file_type()) {
            Some(what) if !old.is_symlink() => wrong(&format!("belongs to {what}")),
            _ => Ok(()),
        }
    }
}

/// Returns a text for messages if a file isn't a regular file, such as `a named pipe, not a file`.
fn other_kind(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a named pipe, not a file");
        }
        if kind.is_socket() {
            return Some("a socket, not a file");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device, not a file");
        }
    }
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder, not a file"),
        _ => Some("not a regular file"),
    }
}
