//! Compressed input and output, and the detection of files that aren't text.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

/// A compression that `pct` reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Compression {
    #[value(alias = "gzip")]
    Gz,
    #[value(alias = "zstd")]
    Zst,
    #[value(alias = "bzip2")]
    Bz2,
    Xz,
}

/// The magic bytes of compressed inputs: RFC 1952 2.3.1, RFC 8878 3.1.1 and 3.1.2, bzip2's manual 1.4, the .xz file format 2.1.1.1.
const COMPRESSED: [(Compression, &[u8]); 4] = [
    (Compression::Gz, b"\x1F\x8B"),
    (Compression::Zst, b"\x28\xB5\x2F\xFD"),
    (Compression::Bz2, b"BZh"),
    (Compression::Xz, b"\xFD7zXZ\0"),
];

/// The magic bytes of file types that aren't text, each with its name and advice for the user.
const FOREIGN: [(&[u8], &str); 18] = [
    (b"PK\x03\x04", "a zip archive; pipe it through `unzip -p`"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive; pipe it through `7z x -so`"),
    (b"Rar!\x1A\x07", "a rar archive; unpack it first"),
    (b"\x04\x22\x4D\x18", "lz4; pipe it through `lz4 -dc`"),
    (b"\x02\x21\x4C\x18", "lz4; pipe it through `lz4 -dc`"),
    (b"\x37\xA4\x30\xEC", "a dictionary of Zstandard; name the file that it compresses"),
    (b"LZIP", "lzip; pipe it through `lzip -dc`"),
    (b"\x89LZO\0\r\n\x1A\n", "lzop; pipe it through `lzop -dc`"),
    (b"\x1F\x9D", "compress (.Z); pipe it through `uncompress -c`"),
    (b"\x1F\xA0", "compress (.Z); pipe it through `uncompress -c`"),
    (b"\xFF\x06\0\0sNaPpY", "framed Snappy; uncompress it first"),
    (b"PAR1", "Parquet; export its columns as CSV or NDJSON"),
    (b"ORC", "ORC; export its columns as CSV or NDJSON"),
    (b"Obj\x01", "Avro; export its records as NDJSON"),
    (b"ARROW1", "Arrow; export its columns as CSV or NDJSON"),
    (b"SQLite format 3\0", "a database of SQLite; export its rows as CSV"),
    (b"\x7FELF", "a program"),
];

/// The offset and the magic bytes of a tar archive in its first block (POSIX pax, ustar Header Block).
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

impl Compression {
    /// Returns the compression of an input that starts with `head`.
    pub fn of(head: &[u8]) -> Option<Compression> {
        if head.len() >= SKIPPABLE_LEN && may_be_skippable(head) {
            return Some(Compression::Zst);
        }
        let found =
            COMPRESSED.iter().find(|(_, magic)| head.starts_with(magic)).map(|(compression, _)| *compression)?;
        // In bzip2, the digit after the magic bytes is the block size, from 1 to 9. The byte after the digit is 0x31 if
        // a block follows, or 0x17 if the stream has no block.
        let is_bzip2 = || matches!(head.get(3), Some(b'1'..=b'9')) && matches!(head.get(4), Some(0x31 | 0x17));
        (found != Compression::Bz2 || is_bzip2()).then_some(found)
    }

    /// Returns the compression for the extension of a file name, such as gzip for `.gz`.
    pub fn by_name(path: &Path) -> Option<Compression> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "gz" | "gzip" => Some(Compression::Gz),
            "zst" | "zstd" => Some(Compression::Zst),
            "bz2" | "bzip2" => Some(Compression::Bz2),
            "xz" => Some(Compression::Xz),
            _ => None,
        }
    }

    /// Appends the compressed `bytes` as a complete gzip member, Zstandard frame, bzip2 stream or xz stream. A file may
    /// contain several members, frames or streams, one after the other.
    pub fn member(self, bytes: &[u8], out: &mut Vec<u8>) {
        // Writing to memory can't fail. If it did, the output would be cut off, and every decompressor would report an error.
        let _ = match self {
            Compression::Gz => {
                let mut encoder = GzEncoder::new(out, flate2::Compression::new(6));
                encoder.write_all(bytes).and_then(|()| encoder.finish().map(|_| ()))
            }
            Compression::Zst => zstd::stream::copy_encode(bytes, out, 3),
            Compression::Bz2 => {
                let mut encoder = bzip2::write::BzEncoder::new(out, bzip2::Compression::new(9));
                encoder.write_all(bytes).and_then(|()| encoder.finish().map(|_| ()))
            }
            Compression::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(out, 6);
                encoder.write_all(bytes).and_then(|()| encoder.finish().map(|_| ()))
            }
        };
    }

    /// Writes a member without contents. An output without a member isn't a valid file of this compression.
    pub fn write_empty(self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let mut empty = Vec::new();
        self.member(b"", &mut empty);
        to.write_all(&empty)
    }

    /// Returns a reader of the decompressed `input`.
    pub fn reader<'a>(self, input: Box<dyn Read + Send + 'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
        const BUFFER: usize = 64 * 1024;
        Ok(match self {
            Compression::Gz => Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(BUFFER, input))),
            Compression::Zst => Box::new(zstd::stream::read::Decoder::new(input)?),
            Compression::Bz2 => {
                Box::new(bzip2::bufread::MultiBzDecoder::new(io::BufReader::with_capacity(BUFFER, input)))
            }
            Compression::Xz => {
                Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(io::BufReader::with_capacity(BUFFER, input)))
            }
        })
    }
}

/// Returns the name of the file type, with advice, if an input that starts with `head` isn't text.
pub fn foreign(head: &[u8]) -> Option<&'static str> {
    let (at, tar) = TAR_MAGIC;
    if head.get(at..).is_some_and(|rest| rest.starts_with(tar)) {
        return Some("a tar archive; pipe it through `tar -xO`");
    }
    // Some magic bytes, such as `ORC`, may also begin a text. Binary files have control characters soon after the magic
    // bytes, and texts don't.
    let is_binary = || head.iter().take(64).any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
    let is_it = |magic: &[u8]| head.starts_with(magic) && (!magic.iter().all(u8::is_ascii_graphic) || is_binary());
    FOREIGN.iter().find(|(magic, _)| is_it(magic)).map(|(_, what)| *what)
}

/// Returns true if `head` is too short to rule out a compression of `COMPRESSED` or a file type of `FOREIGN`.
pub fn may_be(head: &[u8]) -> bool {
    let starts = |magic: &[u8]| head.len() < magic.len() && magic.starts_with(head);
    head.len() < SKIPPABLE_LEN && may_be_skippable(head)
        || COMPRESSED.iter().any(|(_, magic)| starts(magic))
        || FOREIGN.iter().any(|(magic, _)| starts(magic))
}

/// The length of the magic number of a skippable frame of Zstandard.
const SKIPPABLE_LEN: usize = 4;

/// Returns true if `head` may start a skippable frame: it starts with the magic number of such a frame, or is a part of
/// this number (RFC 8878 3.1.2). `pzstd` writes a skippable frame first.
fn may_be_skippable(head: &[u8]) -> bool {
    matches!(head.first(), None | Some(0x50..=0x5F))
        && head.iter().skip(1).zip(b"\x2A\x4D\x18").all(|(there, byte)| there == byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_starts_like_a_magic_number_is_text() {
        for text in [
            &b"BZh"[..],
            b"BZh9 is bzip2\n",
            b"OR",
            b"PK\n",
            b"7z",
            b"LZI",
            b"\x1F",
            b"",
            b"ORCHARD road\n",
            b"PAR1S\n",
        ] {
            assert_eq!((Compression::of(text), foreign(text)), (None, None), "{}", text.escape_ascii());
        }
    }
}
