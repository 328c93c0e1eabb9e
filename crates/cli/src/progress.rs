//! A progress bar for runs that take long.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A run that ends before this time shows no bar.
const SOON: Duration = Duration::from_secs(1);

/// The number of bytes read so far, shown as a bar.
pub struct Progress {
    /// The bar, or `None` if standard error isn't a terminal or the user doesn't need a bar.
    bar: Option<ProgressBar>,
    began: Instant,
}

impl Progress {
    /// Starts to measure the reading of `files`. `to_stdout` is true if the result goes to standard output.
    pub fn new(files: &[PathBuf], to_stdout: bool) -> Progress {
        let began = Instant::now();
        // If the result goes to the same terminal, the user sees the progress without a bar.
        if !io::stderr().is_terminal() || to_stdout && io::stdout().is_terminal() {
            return Progress { bar: None, began };
        }
        let sizes: Option<u64> =
            files.iter().map(|file| fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|data| data.len())).sum();
        let bar = ProgressBar::with_draw_target(sizes, ProgressDrawTarget::hidden());
        let form = match sizes {
            Some(_) => "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{spinner} {bytes} {bytes_per_sec} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        Progress { bar: Some(bar), began }
    }

    /// Adds `bytes` to the number of bytes read.
    pub fn read(&self, bytes: usize) {
        if let Some(bar) = &self.bar {
            if bar.is_hidden() && self.began.elapsed() >= SOON {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            }
            bar.inc(bytes as u64);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A reader that reports its bytes as progress.
pub struct Counted<'a, R> {
    inner: R,
    progress: &'a Progress,
}

impl<'a, R> Counted<'a, R> {
    pub fn new(inner: R, progress: &'a Progress) -> Counted<'a, R> {
        Counted { inner, progress }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.read(read);
        Ok(read)
    }
}
