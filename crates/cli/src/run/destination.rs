//! The output of all inputs that don't replace their files.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{report_error, sources};
use crate::args::Streams;
use crate::compress::Compression;
use crate::inplace::is_standard;
use crate::output::{OutputFile, check_standard_output, name_of, standard_output};
use crate::pipeline::RunError;

/// The destination of the output.
pub enum Destination {
    Nowhere,
    Standard,
    File(OutputFile),
}

pub struct Output {
    pub place: Destination,
    name: String,
    pub to: Box<dyn Write + Send>,
    pub compression: Option<Compression>,
    wrote: Arc<AtomicBool>,
    /// If true, every input has been processed to its end.
    pub is_whole: bool,
}

/// A writer that remembers whether anything has been written.
struct Noting(Box<dyn Write + Send>, Arc<AtomicBool>);

impl Write for Noting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.store(true, Ordering::Relaxed);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Output {
    pub fn open(streams: &Streams, inputs: &[PathBuf]) -> Result<Output, String> {
        let path = streams.output.output.as_deref().filter(|path| !is_standard(path));
        let name = path.map_or("standard output".into(), name_of);
        let failed = |error: io::Error| format!("pct: cannot write to {name}: {error}");
        let compression = streams.output.compress.or_else(|| path.and_then(Compression::by_name));
        let sources = sources(inputs);
        let (place, to): (_, Box<dyn Write + Send>) = match path {
            _ if !streams.has_output() => (Destination::Nowhere, Box::new(io::sink())),
            None => {
                check_standard_output(&sources)?;
                (Destination::Standard, standard_output().map_err(failed)?)
            }
            Some(path) => {
                let file = OutputFile::open(path, &sources, streams.input.quiet)?;
                let to = file.writer().map_err(failed)?;
                (Destination::File(file), Box::new(to))
            }
        };
        let wrote = Arc::default();
        let noting = Noting(to, Arc::clone(&wrote));
        Ok(Output { place, name, to: Box::new(noting), compression, wrote, is_whole: true })
    }

    /// Ends the output. A compressed output is a valid file even if it is empty. Returns the exit status.
    pub fn finish(mut self) -> u8 {
        if let Some(compression) = self.compression.filter(|_| !matches!(self.place, Destination::Nowhere))
            && !self.wrote.load(Ordering::Relaxed)
            && let Err(error) = compression.write_empty(&mut *self.to)
        {
            return report_error(&self.name, &RunError::Write(error));
        }
        match self.place {
            Destination::File(file) if self.is_whole => file.finish(),
            Destination::File(file) => {
                file.abandon();
                0
            }
            Destination::Nowhere | Destination::Standard => 0,
        }
    }
}
