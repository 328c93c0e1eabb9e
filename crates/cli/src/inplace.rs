//! A file replaced by another, whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// What is to be a file, in a temporary one in the same folder until it is.
pub struct Replacement {
    /// The file itself, where its name is a link.
    place: PathBuf,
    new: NamedTempFile,
}

impl Replacement {
    pub fn extra_field(file: &Path) -> io::Result<Replacement> {
        let place = fs::canonicalize(file)?;
        let old = fs::metadata(&place)?;
        if !old.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let folder = place.parent().unwrap_or(Path::new("."));
        let new = tempfile::Builder::new().prefix(".pct-").tempfile_in(folder)?;
        // Only root can give it to somebody else; it is for others to read and write as far as it was before.
        #[cfg(unix)]
        let _ = {
            use std::os::unix::fs::MetadataExt;
            std::os::unix::fs::fchown(new.as_file(), Some(old.uid()), Some(old.gid()))
        };
        new.as_file().set_permissions(old.permissions())?;
        Ok(Replacement { place, new })
    }

    /// What the new contents are written to.
    pub fn file(&mut self) -> &mut File {
        self.new.as_file_mut()
    }

    /// Puts the new file in the place of the old one, which stays under its name with `suffix` if there is one.
    ///
    /// At every moment one of the two is there by the name, whole: the new one is on the disk before it gets it.
    pub fn commit(self, suffix: &str) -> io::Result<()> {
        self.new.as_file().sync_all()?;
        if !suffix.is_empty() {
            let mut kept = OsString::from(&self.place);
            kept.push(suffix);
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
        let folder = self.place.parent().map(Path::to_path_buf);
        self.new.persist(&self.place).map_err(|failed| failed.error)?;
        if let Some(Ok(folder)) = folder.map(File::open) {
            // Not every system can do that to a folder; the file is whole either way.
            let _ = folder.sync_all();
        }
        Ok(())
    }
}
