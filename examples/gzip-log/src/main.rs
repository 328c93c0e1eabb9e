//! Decodes the URLs of a compressed log, and compresses the result. Reads standard input, writes standard output.

use std::io::{self, BufWriter, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use percent_simd::{ByteSet, Decoder};

/// Keeps the escapes that could forge a line or a field of the log, or control a terminal.
const LOG: Decoder = Decoder::new().keep(ByteSet::CONTROLS.union(ByteSet::of(b" \"\\%")));

fn decode(input: impl Read, output: impl Write) -> io::Result<()> {
    // A chunk may end inside an escape. The reader joins the parts of the escape, so no line has to fit in memory.
    let mut lines = LOG.reader(MultiGzDecoder::new(input));
    let mut output = GzEncoder::new(output, Compression::fast());
    io::copy(&mut lines, &mut output)?;
    output.finish()?.flush()
}

fn main() -> io::Result<()> {
    decode(io::stdin().lock(), BufWriter::new(io::stdout().lock()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut output = GzEncoder::new(Vec::new(), Compression::fast());
        output.write_all(text).unwrap();
        output.finish().unwrap()
    }

    fn decoded(input: &[u8]) -> String {
        let mut output = Vec::new();
        decode(input, &mut output).unwrap();
        let mut bytes = Vec::new();
        MultiGzDecoder::new(&*output).read_to_end(&mut bytes).unwrap();
        // Some escapes of the sample log are not UTF-8.
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn a_record_stays_a_record() {
        let log = "\"GET /caf%C3%A9?q=a%26b HTTP/1.1\" 200\n\"GET /x%0A%22%20200%1B[2J%zz HTTP/1.1\" 404\n";
        let expected = "\"GET /café?q=a&b HTTP/1.1\" 200\n\"GET /x%0A%22%20200%1B[2J%zz HTTP/1.1\" 404\n";
        assert_eq!(decoded(&gzip(log.as_bytes())), expected);
    }

    #[test]
    fn the_parts_of_a_rotated_log_can_be_joined() {
        // The first file ends inside an escape.
        let joined = [gzip(b"/caf%C"), gzip(b"3%A9\n")].concat();
        assert_eq!(decoded(&joined), "/café\n");
    }

    #[test]
    fn a_long_log() {
        let log = include_str!("../../access.log").repeat(200);
        let text = decoded(&gzip(log.as_bytes()));
        assert_eq!(text.lines().count(), log.lines().count());
        assert_eq!(text.matches("/каталог/книги").count(), 400);
    }

    #[test]
    fn a_torn_file_is_an_error() {
        let whole = gzip(b"/caf%C3%A9\n");
        assert_eq!(decode(&whole[..whole.len() - 4], io::sink()).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
