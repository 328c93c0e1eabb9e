//! `pct encode`.

use memchr::memchr_iter;
use percent_simd::sets::Entry;
use percent_simd::{ByteSet, RawEncoder};

use crate::blocks::{Filter, Records, Streams, whole};
use crate::decode::Malformed;
use crate::sets;

/// Percent-encode: every byte that is not in the set becomes %XX
///
/// Percent-encode: every byte that is not in the set becomes %XX.
///
/// Records are lines, and their ends, LF or CR LF, stay. A CR anywhere else is data
/// and encoded.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  printf '%s' 'AC/DC & ?' | pct encode          AC%2FDC%20%26%20%3F
  pct encode --set WHATWG_FORM values           as a browser does with a form
  pct encode --set RFC3986_URI --keep-escapes   mend URLs; what is encoded stays so
  pct encode --allow '/:' paths                 leave / and : as they are, too
  find . -print0 | pct encode -0 --allow /      names, even with newlines in them
  pct encode --raw key.bin                      any bytes; newlines become %0A"
)]
pub struct Args {
    /// Leave the bytes of this set as they are; `pct sets` lists all.
    /// Case does not matter, nor - or _. How that system writes
    /// spaces and digits comes with it
    #[arg(long, value_name = "NAME", default_value = "RFC3986_UNRESERVED", value_parser = sets::parse, verbatim_doc_comment)]
    set: &'static Entry,

    /// Leave these characters too; %XX is any byte, %25 is %
    #[arg(long, value_name = "CHARS", value_parser = sets::octets)]
    allow: Option<ByteSet>,

    /// Write hexadecimal digits in lower case: %c3, not %C3
    #[arg(long)]
    lower: bool,

    /// Write a space as +, and + as %2B unless --allow has it
    #[arg(long)]
    plus: bool,

    /// Leave valid escapes as they are; any other % becomes %25
    #[arg(long)]
    keep_escapes: bool,

    #[command(flatten)]
    pub streams: Streams,
}

impl Args {
    pub fn filter(&self) -> Encode {
        let records = self.streams.records();
        let set = if self.plus { self.set.allowed.without(b'+') } else { self.set.allowed };
        let set = set | self.allow.unwrap_or_default();
        let keep_escapes = self.keep_escapes || self.set.keep_triplets;
        let encoder = |set| {
            let mut encoder = RawEncoder::new(set);
            if self.lower || self.set.lowercase {
                encoder = encoder.lowercase();
            }
            if self.plus || self.set.space_to_plus {
                encoder = encoder.space_to_plus();
            }
            if keep_escapes {
                encoder = encoder.keep_triplets();
            }
            if let Some(engine) = self.streams.engine {
                encoder = encoder.with_engine(engine);
            }
            encoder
        };
        let stays = match records {
            Records::Lines => ByteSet::of(b"\n\r"),
            Records::Null => ByteSet::of(b"\0"),
            Records::Raw => ByteSet::EMPTY,
        };
        Encode {
            encoder: encoder(set | stays),
            bare_cr: (records == Records::Lines).then(|| encoder(set).encode("\r").into_owned()),
            keep_escapes,
        }
    }
}

pub struct Encode {
    /// Leaves every CR as it is, where records are lines.
    encoder: RawEncoder,
    /// What a CR becomes that ends no line, where records are lines.
    bare_cr: Option<Vec<u8>>,
    keep_escapes: bool,
}

impl Encode {
    /// Length of `block` without what the next block might change the meaning of.
    fn decided(&self, block: &[u8]) -> usize {
        match *block {
            [.., b'\r'] if self.bare_cr.is_some() => block.len() - 1,
            _ if self.keep_escapes => whole(block),
            _ => block.len(),
        }
    }
}

impl Filter for Encode {
    fn run(&mut self, block: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Malformed> {
        let end = if last { block.len() } else { self.decided(block) };
        let mut start = 0;
        if let Some(bare_cr) = &self.bare_cr {
            for cr in memchr_iter(b'\r', &block[..end]) {
                if block.get(cr + 1) != Some(&b'\n') {
                    if start < cr {
                        self.encoder.encode_into(&block[start..cr], out);
                    }
                    out.extend(bare_cr);
                    start = cr + 1;
                }
            }
        }
        self.encoder.encode_into(&block[start..end], out);
        Ok(end)
    }
}
