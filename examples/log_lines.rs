//! Decodes the lines of standard input in place, in one buffer. Escapes of controls stay, so no escape can forge a
//! line.
//!
//! ```text
//! $ printf 'GET /caf%%C3%%A9?q=a%%20b\nGET /x%%0Aforged\n' | cargo run --example log_lines
//! GET /café?q=a b
//! GET /x%0Aforged
//! ```

use std::io::{self, BufRead, BufWriter, Write};

use percent_simd::{ByteSet, Decoder};

/// Also keeps escapes of `%`, so decoding the result again doesn't change it.
const LINE: Decoder = Decoder::new().keep(ByteSet::CONTROLS.with(b'%'));

fn decode(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let decoded = LINE.decode_in_place(&mut line);
        output.write_all(decoded)?;
        line.clear();
    }
    output.flush()
}

fn main() -> io::Result<()> {
    decode(io::stdin().lock(), BufWriter::new(io::stdout().lock()))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn lines_stay_lines() {
        let mut output = Vec::new();
        let input = "GET /caf%C3%A9?q=a%20b\nGET /x%0Aforged%1B\n100%25 %% %zz\n%41";
        decode(input.as_bytes(), &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "GET /café?q=a b\nGET /x%0Aforged%1B\n100%25 %% %zz\nA");
    }
}
