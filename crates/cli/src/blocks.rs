//! Input and output: blocks of bytes through a filter, which may leave a few for the next block.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use percent_simd::Engine;

use crate::complain;
use crate::decode::Malformed;

/// Big enough that system calls are few, small enough that a block and its result stay in the second cache.
const BLOCK: usize = 256 * 1024;

/// Where bytes come from and go to, and what a record is; for both directions.
#[derive(clap::Args)]
pub struct Streams {
    /// Files to read, one after the other; none, or `-`, is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Bytes, not lines: decode escaped controls, encode line ends
    #[arg(long, conflicts_with = "null")]
    raw: bool,

    /// Records end with NUL: decode all but %00, encode all but NUL
    #[arg(short = '0', long)]
    null: bool,

    /// Use this engine, not the best; `pct engines` lists them
    #[arg(long, value_name = "NAME", value_parser = engine)]
    pub engine: Option<&'static Engine>,
}

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Records {
    Lines,
    Null,
    /// There are none.
    Raw,
}

impl Streams {
    pub fn records(&self) -> Records {
        match (self.raw, self.null) {
            (true, _) => Records::Raw,
            (_, true) => Records::Null,
            _ => Records::Lines,
        }
    }

    fn open_output(&self) -> Result<Box<dyn Write>, String> {
        let Some(path) = &self.output else {
            return standard_output().map_err(|error| format!("pct: cannot write to standard output: {error}"));
        };
        let place = fs::canonicalize(path).ok().filter(|place| place.is_file());
        if place.is_some() && self.files.iter().any(|file| fs::canonicalize(file).ok() == place) {
            let name = path.display();
            return Err(format!(
                "pct: {name} is to be read and written, and would be emptied first; write to another file, then rename it"
            ));
        }
        match File::create(path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(format!("pct: cannot write to {}: {error}", path.display())),
        }
    }
}

fn engine(name: &str) -> Result<&'static Engine, String> {
    Engine::by_name(&name.to_ascii_lowercase()).ok_or_else(|| {
        let names: Vec<_> = Engine::available().map(Engine::name).collect();
        format!("there is none of that name; this CPU runs {}", names.join(", "))
    })
}

/// One direction, for one input.
pub trait Filter {
    /// Appends to `out` what the front of `block` becomes; the length of that front. At most two bytes may be left, to
    /// come again in front of the next block; none where `block` is the `last`.
    fn run(&mut self, block: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Malformed>;
}

/// Length of `block` without what might be the front of an escape at its end, be it malformed; a line is never held up.
pub fn whole(block: &[u8]) -> usize {
    match *block {
        [.., b'%', b'\n' | b'\0'] => block.len(),
        [.., b'%', _] => block.len() - 2,
        [.., b'%'] => block.len() - 1,
        _ => block.len(),
    }
}

/// Why an input was not dealt with to its end.
pub enum Trouble {
    Open(io::Error),
    Read(io::Error),
    Write(io::Error),
    Malformed(Malformed),
}

/// Everything that is in `input` through `filter` to `output`.
pub fn pump(
    input: &mut (impl Read + ?Sized),
    output: &mut (impl Write + ?Sized),
    block: &mut [u8],
    mut filter: impl Filter,
) -> Result<(), Trouble> {
    let mut out = Vec::with_capacity(3 * block.len());
    let mut held = 0;
    loop {
        let read = match input.read(&mut block[held..]) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Trouble::Read(error)),
        };
        let (filled, last) = (held + read, read == 0);
        let done = filter.run(&block[..filled], last, &mut out);
        output.write_all(&out).and_then(|()| output.flush()).map_err(Trouble::Write)?;
        let done = done.map_err(Trouble::Malformed)?;
        if last {
            return Ok(());
        }
        out.clear();
        block.copy_within(done..filled, 0);
        held = filled - done;
    }
}

/// All inputs, each through a filter of its own; the exit status.
pub fn run<F: Filter>(streams: &Streams, filter: impl Fn() -> F) -> u8 {
    let mut output = match streams.open_output() {
        Ok(output) => output,
        Err(message) => {
            complain(&message);
            return 2;
        }
    };
    let mut block = vec![0; BLOCK];
    let standard_input = [PathBuf::from("-")];
    let files = if streams.files.is_empty() { &standard_input } else { &streams.files[..] };
    let mut code = 0;
    for file in files {
        let name = if is_standard(file) { "<stdin>".into() } else { file.display().to_string() };
        let outcome = match open(file) {
            Ok(mut input) => pump(&mut *input, &mut *output, &mut block, filter()),
            Err(error) => Err(Trouble::Open(error)),
        };
        if let Err(trouble) = outcome {
            code = code.max(report(&name, &trouble));
            if matches!(trouble, Trouble::Write(_) | Trouble::Malformed(_)) {
                break;
            }
        }
    }
    code
}

/// Says what is wrong with the input called `name`; the exit status for that.
pub fn report(name: &str, trouble: &Trouble) -> u8 {
    match trouble {
        Trouble::Open(error) => complain(&format!("pct: cannot open {name}, so it is left out: {error}")),
        Trouble::Read(error) => complain(&format!("pct: cannot read {name} to its end: {error}")),
        // Whoever reads the output has seen enough.
        Trouble::Write(error) if error.kind() == ErrorKind::BrokenPipe => return 0,
        Trouble::Write(error) => complain(&format!("pct: cannot write the output: {error}")),
        Trouble::Malformed(malformed) => {
            complain(&format!("{name}:{malformed}"));
            return 1;
        }
    }
    2
}

fn is_standard(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn open(file: &Path) -> io::Result<Box<dyn Read>> {
    if is_standard(file) {
        // Reads as big as ours go past its buffer.
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(file)?))
}

/// Standard output without the buffer for lines that [`io::stdout`] has.
#[cfg(unix)]
pub fn standard_output() -> io::Result<Box<dyn Write>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
pub fn standard_output() -> io::Result<Box<dyn Write>> {
    Ok(Box::new(io::stdout()))
}
