//! A file replaced by another, whole or not at all.
//!
//! The new contents are in a temporary file in the same folder until they are complete and on the disk. Then that file
//! gets the name. At every moment there is either the old file or the new one. A signal that ends the process removes
//! the temporary files first.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// New contents for a file, which does not have them yet.
pub struct Replacement {
    /// The file itself, where its name is a link.
    place: PathBuf,
    new: NamedTempFile,
}

impl Replacement {
    /// Begins to replace `file`, which exists.
    pub fn of(file: &Path) -> io::Result<Replacement> {
        let place = fs::canonicalize(file)?;
        let old = fs::metadata(&place)?;
        if !old.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let replacement = Replacement { new: temporary(folder_of(&place), 0o600)?, place };
        copy_rights(&replacement.place, &old, replacement.new.as_file())?;
        Ok(replacement)
    }

    /// Begins to write `file`, which may exist.
    pub fn create(file: &Path) -> io::Result<Replacement> {
        match fs::canonicalize(file) {
            Ok(_) => Replacement::of(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(file).is_err() => {
                Ok(Replacement { new: temporary(folder_of(file), 0o666)?, place: file.to_path_buf() })
            }
            Err(error) => Err(error),
        }
    }

    /// The file that the new contents are written to.
    pub fn file(&mut self) -> &mut File {
        self.new.as_file_mut()
    }

    /// Ends the writing. The contents are not under the name yet: see [`Batch`].
    fn close(self, suffix: &str) -> Written {
        let Replacement { place, new } = self;
        Written { place, suffix: suffix.into(), new: new.into_temp_path() }
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file in `folder` that a signal removes; `mode` is its rights before the umask, on Unix.
fn temporary(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pct-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    signals::watch();
    let new = builder.tempfile_in(folder)?;
    signals::remember(new.path());
    Ok(new)
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

/// Contents that are complete, but not under their name yet.
struct Written {
    place: PathBuf,
    /// The old file stays under its name with this behind it, unless it is empty.
    suffix: String,
    new: TempPath,
}

impl Written {
    /// Gives the new contents their name.
    fn name(self) -> io::Result<()> {
        if !self.suffix.is_empty() {
            let mut kept = OsString::from(&self.place);
            kept.push(&self.suffix);
            let kept = PathBuf::from(kept);
            if kept.parent() != self.place.parent() {
                return Err(io::Error::other("the suffix leads into another folder"));
            }
            match fs::remove_file(&kept) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            if fs::hard_link(&self.place, &kept).is_err() {
                fs::copy(&self.place, &kept)?;
            }
        }
        let temporary = self.new.to_path_buf();
        self.new.persist(&self.place).map_err(|failed| failed.error)?;
        signals::forget(&temporary);
        Ok(())
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

/// From so many files on, one wait for the whole file system is shorter than one for each of them.
const MANY: usize = 8;

impl Batch {
    /// Takes a replacement that is complete, and gives all their names if there are enough of them; returns those that
    /// could not be replaced, with the reason.
    pub fn push(&mut self, replacement: Replacement, suffix: &str) -> Vec<(PathBuf, io::Error)> {
        self.bytes += replacement.new.as_file().metadata().map_or(0, |metadata| metadata.len());
        self.written.push(replacement.close(suffix));
        match self.written.len() >= MAX_FILES || self.bytes >= MAX_BYTES {
            true => self.commit(),
            false => Vec::new(),
        }
    }

    /// Gives all replacements their names; returns those that could not be replaced, with the reason.
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
            let synced = if is_synced { Ok(()) } else { File::open(&written.new).and_then(|file| file.sync_all()) };
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

/// Whether both are the same file, by whatever names.
pub fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        false
    }
}

/// Removes the temporary files on signals that end the process.
#[cfg(unix)]
mod signals {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, Once, PoisonError};
    use std::{fs, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

    /// Makes those signals remove what is remembered, but those that are ignored, as by `nohup`.
    pub fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let ignored = ignored();
            let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
            let Ok(mut signals) = Signals::new(wanted) else { return };
            thread::spawn(move || {
                for signal in signals.forever() {
                    let temporary = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
                    for file in &*temporary {
                        let _ = fs::remove_file(file);
                    }
                    let _ = emulate_default_handler(signal);
                }
            });
        });
    }

    /// The signals that this process ignores, a bit each, where the system says so.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }

    pub fn remember(file: &Path) {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_path_buf());
    }

    pub fn forget(file: &Path) {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).remove(file);
    }
}

#[cfg(not(unix))]
mod signals {
    use std::path::Path;

    pub fn watch() {}

    pub fn remember(_: &Path) {}

    pub fn forget(_: &Path) {}
}
