//! Reads and writes the bytes behind escapes in charsets other than UTF-8. This module has the names of the charsets,
//! and the verbs that decode from a charset or encode to a charset.

use std::borrow::Cow;
use std::fmt::Write;

use chardetng::EncodingDetector;
use percent_simd::internal::{PlusState, triplet};
use percent_simd::{ByteSet, CheckedDecoder, DecodeError, Decoder, Plus, RawEncoder};
use percent_standards::charset::Charset;

use percent_simd_records::diagnostic::{self, Diagnostic};
use percent_simd_records::verb::{FieldContext, Verb};

use crate::report::{commas, counted};

/// Returns the charset called `label` on the Web. If the Web doesn't know the name, returns the charset with this name in IANA's
/// registry. The prefix `iana:` skips the Web's names.
pub fn parse(label: &str) -> Result<Charset, String> {
    let found = match label.strip_prefix("iana:") {
        Some(name) => Charset::for_name(name),
        None => Charset::for_label(label).or_else(|| Charset::for_name(label)),
    };
    found.ok_or_else(|| "no charset has this name; `pct charsets` lists all".into())
}

/// Returns the output of `pct charsets`.
pub fn list() -> String {
    let mut text = String::from(
        "Charsets for --charset and --utf8-or. Case does not matter. Every label of the Encoding Standard\n\
         is accepted too: sjis, cp1251, latin1 (which is windows-1252 there, as in browsers). The prefix\n\
         iana: selects the charset of that name in IANA's registry. The charset `replacement` decodes to\n\
         no text: the Encoding Standard uses it for charsets that should not be read.\n\n",
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
    /// Reads a value as UTF-8 if all of it is UTF-8, otherwise in this charset.
    Utf8Or(Charset),
}

/// The options that choose how bytes are read.
#[derive(Clone, Debug, clap::Args)]
pub struct Choice {
    /// Read the decoded bytes as text in this charset, and write UTF-8;
    /// `pct charsets` lists all. `auto` guesses the charset of text that is
    /// not UTF-8 from the start of each input, and prints its guess
    #[arg(long, value_name = "LABEL", value_parser = parse_or_auto, verbatim_doc_comment)]
    charset: Option<Label>,

    /// Read a line or field as UTF-8 if it is valid UTF-8, else in this charset
    #[arg(long, value_name = "LABEL", value_parser = parse, conflicts_with = "charset")]
    utf8_or: Option<Charset>,
}

impl Choice {
    /// Returns true if the charset is guessed for each input.
    pub fn is_guessed(&self) -> bool {
        self.charset == Some(Label::Auto)
    }

    /// Returns how bytes are read. Returns `None` if no option names a charset, or if the charset has to be guessed.
    pub fn reading(&self) -> Option<Reading> {
        match self.charset {
            Some(Label::Named(charset)) => Some(Reading::In(charset)),
            Some(Label::Auto) => None,
            None => self.utf8_or.map(Reading::Utf8Or),
        }
    }
}

/// A charset, or the request to guess one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Label {
    Named(Charset),
    Auto,
}

fn parse_or_auto(label: &str) -> Result<Label, String> {
    if label.eq_ignore_ascii_case("auto") { Ok(Label::Auto) } else { parse(label).map(Label::Named) }
}

/// A guess of the charset of values that are not UTF-8. It is based on the start of an input.
pub struct Guess {
    charset: Charset,
    /// If true, all other charsets are far less likely.
    is_sure: bool,
    /// `lines` is the number of non-UTF-8 lines that the guess is based on. `len` is the length of the examined input,
    /// in bytes.
    lines: usize,
    len: usize,
}

impl Guess {
    /// Guesses the charset from the lines of `head` that are not UTF-8 after decoding.
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

    /// Returns how an input with this guess is read.
    pub fn reading(&self) -> Reading {
        match self.lines {
            0 => Reading::In(Charset::UTF_8),
            _ => Reading::Utf8Or(self.charset),
        }
    }

    /// Returns the note about the guess for the user.
    pub fn text(&self) -> String {
        let Guess { charset, is_sure, lines, len } = self;
        let (start, are) = match len {
            1 => ("its first byte".to_string(), "is"),
            len => (format!("its first {} bytes", commas(*len as u64)), "are"),
        };
        if *lines == 0 {
            return format!("{start} {are} UTF-8, so all of it is read as UTF-8");
        }
        let lines = counted(*lines as u64, "line");
        let confidence = if *is_sure { "probably right" } else { "uncertain" };
        let name = charset.name();
        format!(
            "text that is not UTF-8 is read as {name}, a guess from {lines} in {start} that is \
             {confidence}; --utf8-or chooses another charset"
        )
    }
}

impl Reading {
    /// Returns the charset in which the decoded bytes of `input` are read.
    pub fn settled(self, decoder: &Decoder, input: &[u8]) -> Charset {
        match self {
            Reading::In(charset) => charset,
            Reading::Utf8Or(_) if decoder.decode_utf8(input).is_ok() => Charset::UTF_8,
            Reading::Utf8Or(charset) => charset,
        }
    }

    /// Returns the decoded text, with U+FFFD in place of invalid bytes.
    pub fn lossy<'a>(self, decoder: &Decoder, input: &'a [u8]) -> Cow<'a, str> {
        self.settled(decoder, input).percent_decode_lossy(decoder, input)
    }

    /// Returns the decoded text, or the first error.
    pub fn strict<'a>(self, decoder: &CheckedDecoder, input: &'a [u8]) -> Result<Cow<'a, str>, DecodeError> {
        match self {
            Reading::In(charset) => charset.percent_decode(*decoder, input),
            Reading::Utf8Or(charset) => charset.detect(*decoder, input).map(|detected| detected.text),
        }
    }
}

/// A verb that decodes escapes to bytes, and the bytes to text.
#[derive(Clone, Debug)]
pub struct Decode {
    pub reading: Reading,
    pub decoder: Decoder,
    pub plus: Plus,
    /// Whether invalid bytes are replaced with U+FFFD.
    pub replace: bool,
}

impl Verb for Decode {
    fn plus(&self) -> Plus {
        self.plus
    }

    fn apply(&self, value: &[u8], context: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let decoder = self.decoder.plus(context.plus);
        // The bytes that the decoder has to read: `%`, and `+` if it may be a space.
        let read = |byte: u8| byte == b'%' || byte == b'+' && context.plus != Plus::Never;
        let stays = context.guard.keep() | ByteSet::CONTROLS;
        // The unescaped bytes that are written as they are: kept bytes that aren't part of an escape or of a multi-byte
        // character. A byte above `?` may be the last byte of such a character if a byte above ASCII comes before it.
        let stands = |text: &[u8], at: usize| {
            let byte = text[at];
            let is_kept = !byte.is_ascii_alphanumeric() && stays.contains(byte) && !read(byte);
            is_kept && (byte <= b'?' || !ends_above_ascii(&text[..at]))
        };
        let peeled = match context.layers {
            1 => Cow::Borrowed(value),
            // Escapes of the `stays` bytes are decoded only with the last layer. Otherwise the decoded bytes would be
            // mistaken for bytes that the input has unescaped.
            layers => decoder.keep(stays).decode_layers(value, layers - 1).bytes,
        };
        let plus = if context.layers == 1 { context.plus } else { Plus::Never };
        let charset = self.reading.settled(&decoder, &peeled);
        if !charset.is_ascii_compatible() {
            return self.run(charset, &decoder.plus(plus), &peeled, context, out);
        }
        let (mut at, mut state) = (0, PlusState::new(plus));
        while at < peeled.len() {
            let is_copied = stands(&peeled, at);
            let end = (at..peeled.len()).find(|&at| stands(&peeled, at) != is_copied).unwrap_or(peeled.len());
            let run = &peeled[at..end];
            let plus = state.plus_for(run);
            if is_copied {
                out.extend(run);
            } else {
                self.run(charset, &decoder.plus(plus), run, context, out)
                    .map_err(|diagnostic| diagnostic.shifted(at))?;
            }
            at = end;
        }
        Ok(())
    }
}

/// Returns true if `text` ends with a byte above ASCII, written as it is or escaped.
fn ends_above_ascii(text: &[u8]) -> bool {
    let escaped = text.len().checked_sub(3).and_then(|at| triplet(text, at));
    escaped.or(text.last().copied()).is_some_and(|byte| !byte.is_ascii())
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

/// A verb that encodes text as the escapes of its bytes in a charset.
#[derive(Clone, Debug)]
pub struct Encode {
    pub charset: Charset,
    pub encoder: RawEncoder,
    /// Whether a character that the charset lacks becomes a reference, `&#N;`.
    pub references: bool,
}

impl Verb for Encode {
    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let bytes = bytes(diagnostic::text(value)?, self.charset, self.references)?;
        self.encoder.encode_into(&*bytes, out);
        Ok(())
    }
}

/// Returns the bytes of `text` in `charset`. If `references` is true, a character that the charset lacks becomes
/// `&#N;`. Otherwise this character is an error.
pub fn bytes(text: &str, charset: Charset, references: bool) -> Result<Cow<'_, [u8]>, Diagnostic> {
    if references {
        return Ok(charset.encode_html(text));
    }
    charset.encode(text).map_err(|error| {
        let (code, name) = (u32::from(error.character), charset.name());
        let text = format!("U+{code:04X} is not in {name}; choose another charset, or use --references");
        Diagnostic::new(error.offset, text)
    })
}
