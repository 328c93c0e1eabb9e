//! Charsets other than UTF-8: by name on the command line, for bytes that escapes stand for, and for those to escape.

use std::borrow::Cow;
use std::fmt::Write;

use chardetng::EncodingDetector;
use percent_simd::internal::PlusState;
use percent_simd::{ByteSet, CheckedDecoder, DecodeError, Decoder, Plus, RawEncoder};
use percent_standards::charset::Charset;

use percent_simd_records::diagnostic::{self, Diagnostic, Diagnostics};
use percent_simd_records::verb::{FieldContext, Verb};

use crate::report::commas;

/// The charset that `label` names on the Web, or only in IANA's registry, or there because that is asked for.
pub fn parse(label: &str) -> Result<Charset, String> {
    let found = match label.strip_prefix("iana:") {
        Some(name) => Charset::for_name(name),
        None => Charset::for_label(label).or_else(|| Charset::for_name(label)),
    };
    found.ok_or_else(|| "there is none of that name; `pct charsets` lists all".into())
}

/// Returns the output of `pct charsets`.
pub fn list() -> String {
    let mut text = String::from(
        "Charsets for --charset and --utf8-or. Case does not matter, and every label of the Encoding\n\
         Standard does as well: sjis, cp1251, latin1 (which is windows-1252 there, as in browsers).\n\
         With iana: in front it is what IANA's registry has of that name. There is no text in\n\
         replacement, which stands there for charsets that are not to be read.\n\n",
    );
    for charset in Charset::all() {
        let name = charset.name();
        let registry = if parse(name) == Ok(charset) { "" } else { "iana:" };
        let _ = writeln!(text, "{registry}{name}");
    }
    text
}

/// How bytes are read as text.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    In(Charset),
    /// In UTF-8 if all of it is that, else in this.
    Utf8Or(Charset),
}

/// How a verb may be told to read.
#[derive(Clone, Debug, clap::Args)]
pub struct Choice {
    /// The bytes that escapes stand for are text in this charset, and
    /// become UTF-8; `pct charsets` lists all. `auto` guesses by the start
    /// of each input the one of what is not UTF-8, and says which
    #[arg(long, value_name = "LABEL", value_parser = parse_or_auto, verbatim_doc_comment)]
    charset: Option<Label>,

    /// They are UTF-8 where all of a line or field is, else this charset
    #[arg(long, value_name = "LABEL", value_parser = parse, conflicts_with = "charset")]
    utf8_or: Option<Charset>,
}

impl Choice {
    /// Whether the charset is guessed for each input.
    pub fn is_guessed(&self) -> bool {
        self.charset == Some(Label::Auto)
    }

    /// How bytes are read, if it is said, and is not to be guessed.
    pub fn reading(&self) -> Option<Reading> {
        match self.charset {
            Some(Label::Named(charset)) => Some(Reading::In(charset)),
            Some(Label::Auto) => None,
            None => self.utf8_or.map(Reading::Utf8Or),
        }
    }
}

/// A charset, or that it is to be guessed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Label {
    Named(Charset),
    Auto,
}

fn parse_or_auto(label: &str) -> Result<Label, String> {
    if label.eq_ignore_ascii_case("auto") { Ok(Label::Auto) } else { parse(label).map(Label::Named) }
}

/// The charset that the start of an input seems to be in, where it is not UTF-8.
pub struct Guess {
    charset: Charset,
    /// Whether others are less likely by far.
    is_sure: bool,
    /// How many lines that are not UTF-8 it was guessed by, and in how many bytes they stand.
    lines: usize,
    len: usize,
}

impl Guess {
    /// Guesses by those lines of `head` that are not UTF-8, decoded.
    pub fn of(head: &[u8]) -> Guess {
        let mut detector = EncodingDetector::new();
        let mut lines = 0;
        for line in head.split(|&byte| byte == b'\n') {
            let decoded = Decoder::new().decode(line);
            if str::from_utf8(&decoded).is_err() {
                lines += 1;
                detector.feed(&decoded, false);
                detector.feed(b"\n", false);
            }
        }
        detector.feed(b"", true);
        let (encoding, is_sure) = detector.guess_assess(None, false);
        let charset = Charset::for_label(encoding.name()).unwrap_or(Charset::UTF_8);
        Guess { charset, is_sure, lines, len: head.len() }
    }

    /// How the input is read.
    pub fn reading(&self) -> Reading {
        match self.lines {
            0 => Reading::In(Charset::UTF_8),
            _ => Reading::Utf8Or(self.charset),
        }
    }

    /// The remark for the user about it.
    pub fn text(&self) -> String {
        let Guess { charset, is_sure, lines, len } = self;
        let (lines, len) = (commas(*lines as u64), commas(*len as u64));
        if lines == "0" {
            return format!("its first {len} bytes are UTF-8, so all of it is taken for that");
        }
        let confidence = if *is_sure { "which is likely" } else { "which is no more than a guess" };
        let name = charset.name();
        format!(
            "what is not UTF-8 is taken for {name}, by {lines} lines in its first {len} bytes, {confidence}; \
             --utf8-or names another"
        )
    }
}

impl Reading {
    /// The one charset that what `decoder` makes of `input` is in.
    pub fn settled(self, decoder: &Decoder, input: &[u8]) -> Charset {
        match self {
            Reading::In(charset) => charset,
            Reading::Utf8Or(_) if decoder.decode_utf8(input).is_ok() => Charset::UTF_8,
            Reading::Utf8Or(charset) => charset,
        }
    }

    /// The text that `input` comes to; with U+FFFD for what is no text.
    pub fn lossy<'a>(self, decoder: &Decoder, input: &'a [u8]) -> Cow<'a, str> {
        self.settled(decoder, input).percent_decode_lossy(decoder, input)
    }

    /// The text that `input` comes to, or what is wrong with it.
    pub fn strict<'a>(self, decoder: &CheckedDecoder, input: &'a [u8]) -> Result<Cow<'a, str>, DecodeError> {
        match self {
            Reading::In(charset) => charset.percent_decode(*decoder, input),
            Reading::Utf8Or(charset) => charset.detect(*decoder, input).map(|detected| detected.text),
        }
    }
}

/// Decodes escapes to bytes, and these to text.
#[derive(Clone, Debug)]
pub struct Decode {
    pub reading: Reading,
    pub decoder: Decoder,
    pub plus: Plus,
    /// Whether what is no text becomes U+FFFD.
    pub replace: bool,
}

impl Verb for Decode {
    fn plus(&self) -> Plus {
        self.plus
    }

    fn apply(
        &self,
        value: &[u8],
        context: &FieldContext,
        out: &mut Vec<u8>,
        _: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let decoder = self.decoder.plus(context.plus);
        // Bytes that stand as such and are no part of a character stay, whatever they are.
        let read = |byte: u8| byte == b'%' || byte == b'+' && context.plus != Plus::Never;
        let stays = context.guard.keep() | ByteSet::CONTROLS;
        // Digits and what is above `?` may be the end of a character of several bytes.
        let stands = |byte: u8| byte <= b'?' && !byte.is_ascii_digit() && stays.contains(byte) && !read(byte);
        let peeled = match context.layers {
            1 => Cow::Borrowed(value),
            // Their escapes come off with the last layer, and so never look as if they stood there.
            layers => decoder.keep(stays).decode_layers(value, layers - 1).bytes,
        };
        let plus = if context.layers == 1 { context.plus } else { Plus::Never };
        let charset = self.reading.settled(&decoder, &peeled);
        if !charset.is_ascii_compatible() {
            return self.run(charset, &decoder.plus(plus), &peeled, context, out);
        }
        let (mut at, mut state) = (0, PlusState::new(plus));
        for run in peeled.chunk_by(|&a, &b| stands(a) == stands(b)) {
            let plus = state.plus_for(run);
            if stands(run[0]) {
                out.extend(run);
            } else {
                self.run(charset, &decoder.plus(plus), run, context, out)
                    .map_err(|diagnostic| diagnostic.shifted(at))?;
            }
            at += run.len();
        }
        Ok(())
    }
}

impl Decode {
    fn run(
        &self,
        charset: Charset,
        decoder: &Decoder,
        run: &[u8],
        context: &FieldContext,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        let text = match self.replace {
            true => charset.percent_decode_lossy(decoder, run),
            false => {
                charset.percent_decode(decoder, run).map_err(|error| Diagnostic::of_escape(error.offset, error.kind))?
            }
        };
        context.guard.push(&text, out);
        Ok(())
    }
}

/// Encodes text as the escapes of its bytes in a charset.
#[derive(Clone, Debug)]
pub struct Encode {
    pub charset: Charset,
    pub encoder: RawEncoder,
    /// Whether there are references for characters without bytes.
    pub references: bool,
}

impl Verb for Encode {
    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>, _: &mut Diagnostics) -> Result<(), Diagnostic> {
        let bytes = bytes(diagnostic::text(value)?, self.charset, self.references)?;
        self.encoder.encode_into(&*bytes, out);
        Ok(())
    }
}

/// The bytes of `text` in `charset`, with `&#N;` for characters that have none, or where the first of these is.
pub fn bytes(text: &str, charset: Charset, references: bool) -> Result<Cow<'_, [u8]>, Diagnostic> {
    if references {
        return Ok(charset.encode_html(text));
    }
    charset.encode(text).map_err(|error| {
        let (code, name) = (u32::from(error.character), charset.name());
        let text = format!("U+{code:04X} is not in {name}; name another charset, or write --references");
        Diagnostic::new(error.offset, text)
    })
}
