//! Replaces files, each whole or not at all.
//!
//! 1. [`plan()`] looks at all names before anything is touched. It finds names of one file, conflicts between backups
//!    and inputs, and files that can't be replaced.
//! 2. The new contents go to a temporary file in the folder of the old one.
//! 3. We wait until they are on the disk. If the old file has changed meanwhile, it stays.
//! 4. If a backup is wanted, the old file gets the backup's name as a second one.
//! 5. The temporary file is renamed to the name of the old file.
//!
//! After each step, a crash leaves the old contents or the new ones under the name, and never a part of either.

mod plan;

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::{NamedTempFile, TempPath};

pub use self::plan::{Plan, Target, place_of, plan};
use crate::signals::{self, Remembered};

/// A file, by whatever name. Two names with equal ids are one file.
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

    /// Returns the id of the file that `metadata` is of.
    #[cfg(unix)]
    pub fn of_metadata(metadata: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// Returns how many names (hard links) a file has.
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

/// Says that a file is about to lose its other names, if it has any.
pub fn parting(metadata: &Metadata) -> Option<String> {
    match names(metadata).saturating_sub(1) {
        0 => None,
        1 => Some("has another name (a hard link), which will keep the old contents".into()),
        more => Some(format!("has {more} other names (hard links), which will keep the old contents")),
    }
}

/// The state of an old file, by which we see whether somebody else writes to it.
struct Seen {
    id: FileId,
    len: u64,
    modified: Option<SystemTime>,
}

impl Seen {
    fn of(id: FileId, metadata: &Metadata) -> Seen {
        Seen { id, len: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Fails unless the file at `place` is still the same, with the same contents.
    fn check(&self, place: &Path) -> io::Result<()> {
        let now = fs::symlink_metadata(place)?;
        let is_same = FileId::of(place)? == self.id && now.len() == self.len && now.modified().ok() == self.modified;
        if is_same { Ok(()) } else { Err(io::Error::other("it has changed meanwhile; is it still being written to?")) }
    }
}

/// The new contents of a file, not yet under its name.
pub struct Replacement {
    /// The path of the file itself. The given name may have been a link to it.
    place: PathBuf,
    /// The name that the old file keeps.
    backup: Option<PathBuf>,
    /// The old file, if its contents have been read.
    seen: Option<Seen>,
    new: Temporary<NamedTempFile>,
}

impl Replacement {
    /// Begins to replace an input, whose old contents are read from `file`.
    pub fn of(target: &Target, file: &File) -> io::Result<Replacement> {
        let old = file.metadata()?;
        let seen = Some(Seen::of(target.id.clone(), &old));
        let new = Temporary::new(folder_of(&target.place), 0o600)?;
        copy_rights(&target.place, &old, new.file.as_file())?;
        Ok(Replacement { place: target.place.clone(), backup: target.backup.clone(), seen, new })
    }

    /// Begins to write the regular file `path`, which need not exist.
    pub fn create(path: &Path) -> io::Result<Replacement> {
        match fs::canonicalize(path) {
            Ok(place) => {
                // A rename asks nobody whether the old file may be written to.
                let old = File::options().write(true).open(&place)?.metadata()?;
                if !old.is_file() {
                    return Err(io::Error::other("it is no regular file"));
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

    /// Returns the file that the new contents go to.
    pub fn file(&mut self) -> &mut File {
        self.new.file.as_file_mut()
    }

    /// Ends the writing. [`Batch`] does the rest.
    fn close(self) -> Written {
        let Replacement { place, backup, seen, new } = self;
        Written { place, backup, seen, new: new.close() }
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file, open or closed. It is removed when it is dropped, or when a signal ends the process.
struct Temporary<T> {
    file: T,
    /// Dropped behind the file.
    remembered: Remembered,
}

impl<T> Temporary<NamedTempFile<T>> {
    /// Makes something under a new name in `folder`.
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
    /// Makes an empty file in `folder`. On Unix, `mode` is its rights before the umask.
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

/// Gives `new` the owner, rights, access control list and extended attributes of the file at `place`, as far as this
/// process may; where it may not, nobody gets more rights than before.
#[cfg(unix)]
fn copy_rights(place: &Path, old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    use xattr::FileExt;

    // Only root can give a file to somebody else; its group can be any of those that the user is in.
    let _ = fchown(new, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(new, None, Some(old.gid())));
    let now = new.metadata()?;
    let (has_owner, has_group) = (now.uid() == old.uid(), now.gid() == old.gid());
    let mut mode = old.mode() & 0o7777;
    if !has_owner {
        mode &= !0o4000;
    }
    if !has_group {
        // Whoever is in the other group has what everybody has.
        mode &= !0o2070 | (mode & 0o007) << 3;
    }
    let mut lists = Vec::new();
    for name in xattr::list(place).into_iter().flatten() {
        let Ok(Some(value)) = xattr::get(place, &name) else { continue };
        if name == "system.posix_acl_access" {
            lists.push((name, value));
        } else {
            // A label that only the system sets is set by it for the new file, too.
            let _ = new.set_xattr(&name, &value);
        }
    }
    // With a list, the group's bits are its mask; without it they would be the group's rights.
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

/// Finished contents, not yet under their name.
struct Written {
    place: PathBuf,
    backup: Option<PathBuf>,
    seen: Option<Seen>,
    new: Temporary<TempPath>,
}

impl Written {
    /// Keeps the old file under the backup's name, and gives the new contents their name.
    fn name(self) -> io::Result<()> {
        if let Some(seen) = &self.seen {
            seen.check(&self.place)?;
            if let Some(backup) = &self.backup {
                self.keep_old(seen, backup)?;
            }
        }
        self.new.rename(&self.place)
    }

    /// Gives the old file the name of the backup, too. An older backup stays until the new one is complete.
    fn keep_old(&self, seen: &Seen, backup: &Path) -> io::Result<()> {
        if FileId::of(backup).is_ok_and(|id| id == seen.id) {
            // An earlier run got as far as here.
            return Ok(());
        }
        let folder = folder_of(backup);
        if let Ok(link) = Temporary::make(folder, |path| fs::hard_link(&self.place, path)) {
            return link.close().rename(backup);
        }
        // Not every file system has hard links.
        let mut copy = Temporary::new(folder, 0o600)?;
        let mut old = File::open(&self.place)?;
        io::copy(&mut old, copy.file.as_file_mut())?;
        copy_rights(&self.place, &old.metadata()?, copy.file.as_file())?;
        copy.file.as_file().sync_all()?;
        copy.close().rename(backup)
    }
}

/// Replacements that get their names together, after one wait for the disk.
#[derive(Default)]
pub struct Batch {
    written: Vec<Written>,
    bytes: u64,
}

/// More than this is not left waiting; it is on the disk twice, after all.
const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 256 << 20;

/// Above this many files, one `syncfs` is faster than an `fsync` each.
const MANY: usize = 8;

impl Batch {
    /// Takes a finished replacement, and commits the batch if it is large enough. Returns the files that could not be
    /// replaced, with the reason.
    pub fn push(&mut self, replacement: Replacement) -> Vec<(PathBuf, io::Error)> {
        self.bytes += replacement.new.file.as_file().metadata().map_or(0, |metadata| metadata.len());
        self.written.push(replacement.close());
        match self.written.len() >= MAX_FILES || self.bytes >= MAX_BYTES {
            true => self.commit(),
            false => Vec::new(),
        }
    }

    /// Gives all replacements their names. Returns the files that could not be replaced, with the reason.
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
            // Not every system can do that to a folder; the files are whole either way.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        failed
    }
}

/// Waits until all that is written to the file system of `folder` is on the disk.
#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> io::Result<()> {
    rustix::fs::syncfs(File::open(folder)?).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
