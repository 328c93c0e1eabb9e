//! Replaces files. Each file is replaced completely or stays unchanged.
//!
//! 1. [`plan()`] checks all names before it touches a file. It finds several names of one file, conflicts between backups and
//!    inputs, and files that can't be replaced.
//! 2. The new contents are written to a temporary file in the folder of the old file.
//! 3. We wait until the new contents are on the disk. If the old file has changed since we opened it, we don't replace it.
//! 4. If a backup is wanted, the name of the backup becomes a second hard link to the old file.
//! 5. The temporary file is renamed to the name of the old file.
//!
//! After a crash at any step, the name of the old file leads to the complete old contents or the complete new contents.

mod plan;

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::{NamedTempFile, TempPath};

pub use self::plan::{Plan, Target, place_of, plan};
use crate::signals::{self, Remembered};

/// The identity of a file. Two paths with equal ids lead to the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
    #[cfg(not(unix))]
    path: PathBuf,
}

impl FileId {
    /// Returns the id of the file that `path` leads to.
    pub fn of(path: &Path) -> io::Result<FileId> {
        #[cfg(unix)]
        {
            fs::metadata(path).map(|metadata| FileId::of_metadata(&metadata))
        }
        #[cfg(not(unix))]
        {
            fs::canonicalize(path).map(|path| FileId { path })
        }
    }

    /// Returns the id of the file that has this metadata.
    #[cfg(unix)]
    pub fn of_metadata(metadata: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// Returns the error for a folder that can't be read like a file. Either `-r` is missing, or it finds no file in the folder.
pub fn refused_folder() -> io::Error {
    let text = "it is a folder, not a file; name files in it, or use -r, which leaves out links, and files that are hidden, ignored or \
                excluded by -g";
    io::Error::new(io::ErrorKind::IsADirectory, text)
}

/// Returns true for `-`, the name of standard input and output.
pub fn is_standard(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Returns the id of standard input (0), standard output (1) or standard error (2), if it is a regular file.
#[cfg(unix)]
pub fn standard_file(which: u8) -> Option<FileId> {
    use std::os::fd::AsFd;
    let fd = match which {
        0 => io::stdin().as_fd().try_clone_to_owned(),
        1 => io::stdout().as_fd().try_clone_to_owned(),
        _ => io::stderr().as_fd().try_clone_to_owned(),
    };
    let there = File::from(fd.ok()?).metadata().ok().filter(Metadata::is_file)?;
    Some(FileId::of_metadata(&there))
}

#[cfg(not(unix))]
pub fn standard_file(_: u8) -> Option<FileId> {
    None
}

/// Returns the time of the last change to the contents, permissions or owner of a file. A program can't set this time.
/// Returns `None` if the file has several hard links, because replacing one of them also changes the time of the others.
fn changed(metadata: &Metadata) -> Option<(i64, i64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (names(metadata) == 1).then(|| (metadata.ctime(), metadata.ctime_nsec()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Returns the number of names (hard links) of a file.
pub fn names(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(metadata)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        1
    }
}

/// Returns a message if the file has several hard links, because the other links will keep the old contents.
pub fn hard_link_note(metadata: &Metadata) -> Option<String> {
    match names(metadata).saturating_sub(1) {
        0 => None,
        1 => Some("has another name (a hard link), which will keep the old contents".into()),
        more => Some(format!("has {more} other names (hard links), which will keep the old contents")),
    }
}

/// The state of an old file when it was opened. If this state changes later, another process is writing to the file.
struct Seen {
    id: FileId,
    len: u64,
    modified: Option<SystemTime>,
    changed: Option<(i64, i64)>,
}

impl Seen {
    fn of(id: FileId, metadata: &Metadata) -> Seen {
        Seen { id, len: metadata.len(), modified: metadata.modified().ok(), changed: changed(metadata) }
    }

    /// Fails if `place` now leads to a different file, or if the file has changed.
    fn check(&self, place: &Path) -> io::Result<()> {
        let now = fs::symlink_metadata(place)?;
        // We compare the change times (`changed`) only if the file had a single hard link from the start. If it had
        // several, we may have replaced another of its links ourselves, and this changes the time.
        let was_changed = self.changed.zip(changed(&now)).is_some_and(|(before, now)| before != now);
        let is_same = FileId::of(place)? == self.id
            && now.len() == self.len
            && now.modified().ok() == self.modified
            && !was_changed;
        if is_same { Ok(()) } else { Err(io::Error::other("it has changed meanwhile; is it still being written to?")) }
    }
}

/// New contents for a file, which are still being written.
pub struct Replacement {
    /// The path of the file after following links. The name that the user gave may be a link.
    place: PathBuf,
    /// The name for the backup of the old file.
    backup: Option<PathBuf>,
    /// The state of the old file, if the new contents are made from it.
    seen: Option<Seen>,
    new: Temporary<NamedTempFile>,
}

impl Replacement {
    /// Starts the replacement of an input whose old contents are read from `file`.
    pub fn of(target: &Target, file: &File) -> io::Result<Replacement> {
        check_writable(&target.place)?;
        let old = file.metadata()?;
        let seen = Some(Seen::of(target.id.clone(), &old));
        let new = Temporary::new(folder_of(&target.place), 0o600)?;
        copy_rights(&target.place, &old, new.file.as_file())?;
        Ok(Replacement { place: target.place.clone(), backup: target.backup.clone(), seen, new })
    }

    /// Starts to write a new regular file at `path`, or to replace the regular file there.
    pub fn create(path: &Path) -> io::Result<Replacement> {
        match fs::canonicalize(path) {
            Ok(place) => {
                let old = check_writable(&place)?;
                if !old.is_file() {
                    return Err(io::Error::other("it is not a regular file"));
                }
                let new = Temporary::new(folder_of(&place), 0o600)?;
                copy_rights(&place, &old, new.file.as_file())?;
                Ok(Replacement { place, backup: None, seen: None, new })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                let new = Temporary::new(folder_of(path), 0o666)?;
                Ok(Replacement { place: path.to_path_buf(), backup: None, seen: None, new })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the temporary file for the new contents.
    pub fn file(&mut self) -> &mut File {
        self.new.file.as_file_mut()
    }

    /// Returns true if no byte has been written to the file.
    pub fn is_empty(&self) -> bool {
        self.new.file.as_file().metadata().is_ok_and(|metadata| metadata.len() == 0)
    }

    /// Closes the file, which [`Batch`] renames later.
    fn close(self) -> Written {
        let Replacement { place, backup, seen, new } = self;
        Written { place, backup, seen, new: new.close() }
    }
}

/// Returns the metadata of the file. Fails if this process has no permission to write to the file, because the later
/// rename doesn't check this permission.
fn check_writable(file: &Path) -> io::Result<Metadata> {
    File::options().write(true).open(file)?.metadata()
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file, open or closed. Dropping this value removes the file, and so does a signal that ends the process.
struct Temporary<T> {
    file: T,
    /// Keeps the file registered with the signal thread. Fields are dropped in order, so this field is dropped after
    /// `file`, when the file has been removed.
    remembered: Remembered,
}

impl<T> Temporary<NamedTempFile<T>> {
    /// Creates a file or link with a new name in `folder`.
    fn make(folder: &Path, make: impl FnMut(&Path) -> io::Result<T>) -> io::Result<Temporary<NamedTempFile<T>>> {
        let (file, remembered) = signals::remember(|| {
            let new = tempfile::Builder::new().prefix(".pct-").make_in(folder, make)?;
            let path = new.path().to_path_buf();
            Ok((new, path))
        })?;
        Ok(Temporary { file, remembered })
    }

    fn close(self) -> Temporary<TempPath> {
        Temporary { file: self.file.into_temp_path(), remembered: self.remembered }
    }
}

impl Temporary<NamedTempFile> {
    /// Creates an empty file in `folder`. On Unix, the file has the permissions `mode`, minus the umask.
    fn new(folder: &Path, mode: u32) -> io::Result<Temporary<NamedTempFile>> {
        Temporary::make(folder, |path| {
            let mut options = File::options();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
            #[cfg(not(unix))]
            let _ = mode;
            options.open(path)
        })
    }
}

impl Temporary<TempPath> {
    fn rename(self, place: &Path) -> io::Result<()> {
        self.file.persist(place).map_err(|failed| failed.error)
    }
}

/// Copies the owner, permissions, access control list and extended attributes of the file at `place` to `new`, as far
/// as this process is allowed to. If some of these can't be copied, `new` still gives no user more permissions than the
/// old file.
#[cfg(unix)]
fn copy_rights(place: &Path, old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    use xattr::FileExt;

    // Only root can change the owner. A user can change the group to any group that they are in.
    let _ = fchown(new, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(new, None, Some(old.gid())));
    let now = new.metadata()?;
    let (has_owner, has_group) = (now.uid() == old.uid(), now.gid() == old.gid());
    let mut mode = old.mode() & 0o7777;
    if !has_owner {
        mode &= !0o4000;
    }
    if !has_group {
        // The new file has a different group than the old file. So the group of the new file gets only the permissions
        // that everybody has.
        mode &= !0o2070 | (mode & 0o007) << 3;
    }
    let mut lists = Vec::new();
    for name in xattr::list(place).into_iter().flatten() {
        let Ok(Some(value)) = xattr::get(place, &name) else { continue };
        if name == "system.posix_acl_access" {
            lists.push((name, value));
        } else {
            // This call can fail for a security label that only the system can set. We ignore the error, because the
            // system has already set this label on the new file.
            let _ = new.set_xattr(&name, &value);
        }
    }
    // With an access control list, the group bits of the mode are the mask of the list. Before the list is set, these
    // bits would be the permissions of the group. So we first clear these bits, and set them after the list.
    let rights = |mode| new.set_permissions(fs::Permissions::from_mode(mode));
    rights(if lists.is_empty() { mode } else { mode & !0o070 })?;
    for (name, value) in lists {
        if has_group && new.set_xattr(&name, &value).is_ok() {
            rights(mode)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn copy_rights(_: &Path, old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// A finished replacement for a file, not yet renamed over it.
struct Written {
    place: PathBuf,
    backup: Option<PathBuf>,
    seen: Option<Seen>,
    new: Temporary<TempPath>,
}

impl Written {
    /// Makes the backup, if one is wanted, and renames the new contents over the old file.
    fn name(self) -> io::Result<()> {
        if let Some(seen) = &self.seen {
            seen.check(&self.place)?;
            if let Some(backup) = &self.backup {
                self.keep_old(seen, backup)?;
            }
        }
        self.new.rename(&self.place)
    }

    /// Makes the backup: a second hard link to the old file, or a copy. An older backup is replaced only after the new
    /// backup is complete.
    fn keep_old(&self, seen: &Seen, backup: &Path) -> io::Result<()> {
        if FileId::of(backup).is_ok_and(|id| id == seen.id) {
            // An earlier run made this backup, and was stopped before it could replace the file.
            return Ok(());
        }
        let folder = folder_of(backup);
        if let Ok(link) = Temporary::make(folder, |path| fs::hard_link(&self.place, path)) {
            return link.close().rename(backup);
        }
        // If a hard link can't be made, as on some file systems, we copy the file.
        let mut copy = Temporary::new(folder, 0o600)?;
        let mut old = File::open(&self.place)?;
        io::copy(&mut old, copy.file.as_file_mut())?;
        copy_rights(&self.place, &old.metadata()?, copy.file.as_file())?;
        copy.file.as_file().sync_all()?;
        copy.close().rename(backup)
    }
}

/// Finished replacements that are synced and renamed together.
#[derive(Default)]
pub struct Batch {
    written: Vec<Written>,
    bytes: u64,
}

/// The limits of a batch. Until the batch is committed, the disk holds both the old and the new contents of its files.
const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 256 << 20;

/// Above this many files, one `syncfs` is faster than an `fsync` each.
const MANY: usize = 8;

impl Batch {
    /// Adds a finished replacement. Commits the batch if the batch is large enough. Returns the files that could not be
    /// replaced, each with its error.
    pub fn push(&mut self, replacement: Replacement) -> Vec<(PathBuf, io::Error)> {
        self.bytes += replacement.new.file.as_file().metadata().map_or(0, |metadata| metadata.len());
        self.written.push(replacement.close());
        match self.written.len() >= MAX_FILES || self.bytes >= MAX_BYTES {
            true => self.commit(),
            false => Vec::new(),
        }
    }

    /// Renames all replacements over their files. Returns the files that could not be replaced, each with its error.
    pub fn commit(&mut self) -> Vec<(PathBuf, io::Error)> {
        self.bytes = 0;
        let mut failed = Vec::new();
        let written = std::mem::take(&mut self.written);
        let mut folders: Vec<PathBuf> = written.iter().map(|written| folder_of(&written.place).to_path_buf()).collect();
        folders.sort();
        folders.dedup();
        let is_synced = written.len() >= MANY && folders.iter().all(|folder| sync_file_system(folder).is_ok());
        for written in written {
            let place = written.place.clone();
            let synced =
                if is_synced { Ok(()) } else { File::open(&written.new.file).and_then(|file| file.sync_all()) };
            if let Err(error) = synced.and_then(|()| written.name()) {
                failed.push((place, error));
            }
        }
        for folder in folders {
            // Some systems can't sync a folder. We ignore the error, because each file is complete even if the folder
            // isn't synced.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        failed
    }
}

/// Waits until everything that was written to the file system of `folder` is on the disk.
#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> io::Result<()> {
    rustix::fs::syncfs(File::open(folder)?).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
