//! Compressed input and output: gzip and Zstandard.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

/// A form of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Compression {
    #[value(alias = "gzip")]
    Gz,
    #[value(alias = "zstd")]
    Zst,
}

/// How an input starts that is compressed (RFC 1952 2.3.1, RFC 8878 3.1.1).
const MAGIC: [(Compression, &[u8]); 2] = [(Compression::Gz, b"\x1F\x8B"), (Compression::Zst, b"\x28\xB5\x2F\xFD")];

impl Compression {
    /// That of an input that starts with `head`.
    pub fn of(head: &[u8]) -> Option<Compression> {
        MAGIC.iter().find(|(_, magic)| head.starts_with(magic)).map(|(compression, _)| *compression)
    }

    /// That which a file of this name is expected to have.
    pub fn by_name(path: &Path) -> Option<Compression> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "gz" | "gzip" => Some(Compression::Gz),
            "zst" | "zstd" => Some(Compression::Zst),
            _ => None,
        }
    }

    /// Appends `bytes` as a member of gzip or a frame of Zstandard of its own; such stand one behind the other.
    pub fn member(self, bytes: &[u8], out: &mut Vec<u8>) {
        // Writing to memory does not fail; were it to, the member would be cut off, which every reader tells.
        let _ = match self {
            Compression::Gz => {
                let mut encoder = GzEncoder::new(out, flate2::Compression::new(6));
                encoder.write_all(bytes).and_then(|()| encoder.finish().map(|_| ()))
            }
            Compression::Zst => zstd::stream::copy_encode(bytes, out, 3),
        };
    }

    /// What `input` is, uncompressed.
    pub fn reader<'a>(self, input: Box<dyn Read + Send + 'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Compression::Gz => Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(64 * 1024, input))),
            Compression::Zst => Box::new(zstd::stream::read::Decoder::new(input)?),
        })
    }
}

/// Whether `head` may be the start of what is compressed, were it longer.
pub fn may_be(head: &[u8]) -> bool {
    MAGIC.iter().any(|(_, magic)| head.len() < magic.len() && magic.starts_with(head))
}
