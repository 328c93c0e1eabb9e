//! `pct decode`: decodes escapes.

use clap::ValueEnum;
use memchr::memchr;
use percent_simd::{ByteSet, Decoder};
use percent_simd_records::formats::{Format, Use};
use percent_simd_records::framing::Framing;
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Part, Spec};
use percent_simd_records::verb::VerbConfig;

use super::charset;
use crate::args::{Streams, part};
use crate::job::Job;
use crate::plan::BulkTransform;
use crate::run;
use crate::sets;

/// Percent-decode: %XX becomes the byte it stands for
///
/// Percent-decode once: %41 becomes A, and %2541 becomes %41. A % that starts no escape,
/// as in %zz, stays as it is unless you give --strict.
///
/// Records are lines. Escapes of controls (%00 to %1F, %7F) stay, so no value can end a
/// line and forge the next one, or send ESC to a terminal. With --null only %00 stays;
/// with --raw everything is decoded.
///
/// Escapes of bytes from 0x80 are decoded even if the result is not UTF-8. So are escapes
/// of the controls U+0080 to U+009F and of characters that change the direction of text.
/// There are two exceptions:
///
///   on a terminal                   these characters and invalid UTF-8 stay escaped
///   with --on-utf8 other than raw   these characters stay escaped
///
/// Delimiters are decoded too, so the result may contain a new scheme, / or ?. If a
/// program parses it as a URL again, use --normalize or --part. In a request line, the
/// target ends at the first " HTTP/", and the text from there on stays as it is.
///
/// With --format, only the fields that hold URLs are decoded. Everything that could forge
/// or break a record stays escaped: controls, bytes that end a field, invalid UTF-8, and
/// characters that change the direction of text (those of RFC 3987 4.1 and newer ones, as
/// in `pct iri`). With --raw all of this is decoded too.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    next_help_heading = "Decoding",
    after_help = "\
Examples:
  pct decode access.log                   %D0%B0%20b becomes а b; %0A stays %0A
  pct decode --format combined access.log  decode only target and referrer
  pct decode --format auto -f referrer --check access.log
                                          report the malformed referrers
  pct decode --format auto -o clear.log.gz access.log.gz
  pct decode --format ndjson -f /url --to url_clear log.json
  pct decode --keep ' \"\\' access.log      also keep the escapes of field delimiters
  pct decode --format combined --unescape-log access.log
                                          \\xD0\\xB0 becomes а too, \\x22 stays
  tail -f access.log | pct decode --plus=after-query
  pct decode --strict urls                stop at the first malformed escape
  pct decode --keep '/%' paths            add no separators; %25 shows what was kept
  pct decode --charset sjis access.log    %95%5C becomes 表
  pct decode --text 'caf%C3%A9'           café
  pct decode --charset auto access.log    guess the charset, and print it on stderr
  pct decode --utf8-or cp1251 access.log  %D0%B0 and %E0 become а, on separate lines
  pct decode --raw -o body body.enc       decode any bytes, including newlines and NUL"
)]
pub struct Args {
    /// Stop at the first % that starts no escape, with exit status 1 and the
    /// message FILE:LINE: byte OFFSET (column N): ERROR. LINE and N count
    /// from 1, OFFSET from 0; N and OFFSET count bytes
    #[arg(long, verbatim_doc_comment)]
    strict: bool,

    /// Keep these characters escaped; write a % as %25, other bytes as %XX
    #[arg(long, value_name = "CHARS", value_parser = sets::bytes)]
    keep: Option<ByteSet>,

    #[command(flatten)]
    layers: Layers,

    /// Decode only unreserved characters, and write other %XX in upper case
    #[arg(long, conflicts_with_all = ["plus", "strict", "repeat"])]
    normalize: bool,

    /// First undo the escapes of nginx and Apache logs: \xD0\xB0 becomes а.
    /// Escapes that could forge a record stay: \x22, \", \\, \x0A, \n
    #[arg(long, conflicts_with_all = ["normalize", "charset", "utf8_or"], verbatim_doc_comment)]
    unescape_log: bool,

    #[command(flatten)]
    charset: charset::Choice,

    /// Decode only this part of each URL: path, query, values or fragment
    #[arg(long, value_name = "PART", value_parser = part(), hide_possible_values = true)]
    part: Option<Part>,

    #[command(flatten)]
    pub streams: Streams,
}

/// Options for `+` as a space, and for the number of layers to decode.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Decoding")]
pub struct Layers {
    /// Decode + to a space: `always`, which --plus without a value means, or
    /// `after-query`: only after the first ? of each record or field
    #[arg(
        long,
        value_name = "WHERE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    plus: Option<Plus>,

    /// Decode up to N layers (`%2541` has two), or `stable`: all layers, until
    /// the text stays the same
    #[arg(long, value_name = "N", value_parser = layers, verbatim_doc_comment)]
    pub repeat: Option<usize>,
}

impl Layers {
    /// Returns where `+` is a space.
    pub fn plus(&self) -> percent_simd::Plus {
        self.plus.map_or(percent_simd::Plus::Never, percent_simd::Plus::from)
    }
}

/// Where `+` is a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plus {
    Always,
    AfterQuery,
}

impl From<Plus> for percent_simd::Plus {
    fn from(plus: Plus) -> percent_simd::Plus {
        match plus {
            Plus::Always => percent_simd::Plus::Always,
            Plus::AfterQuery => percent_simd::Plus::AfterQuery,
        }
    }
}

/// Parses a number of layers, or `stable` for all.
pub fn layers(text: &str) -> Result<usize, String> {
    match text.parse() {
        _ if text == "stable" => Ok(usize::MAX),
        Ok(layers @ 1..) => Ok(layers),
        _ => Err("expected a number of layers, 1 or more, or `stable`".into()),
    }
}

/// Runs the verb on all inputs. Returns the exit status.
pub fn run(mut args: Args) -> u8 {
    args.streams.looks_ahead = args.charset.is_guessed();
    if args.streams.malformed.check {
        args.streams.fields.of_verb.usage = Use::Check;
    }
    run::run(&args.streams, &|format, start| args.job(format, start.map_or(b"", |start| start.head)))
}

impl Args {
    /// Returns the job for an input in `format` that starts with `head`.
    pub fn job(&self, format: Box<dyn Format>, head: &[u8]) -> Result<Job, String> {
        let plus = self.layers.plus();
        let on_error = if self.strict { Policy::Fail } else { self.streams.on_error() };
        if self.charset.is_guessed() {
            let guess = charset::Guess::of(head);
            let mut job = self.read(format, guess.reading(), plus, on_error)?;
            job.note = (!head.is_empty()).then(|| guess.text());
            return Ok(job);
        }
        if let Some(reading) = self.charset.reading() {
            return self.read(format, reading, plus, on_error);
        }
        let spec = Spec {
            action: if self.normalize { Action::Normalize } else { Action::Decode { plus } },
            part: self.part,
            repeat: self.layers.repeat,
            on_error,
            on_utf8: self.streams.malformed.on_utf8.or_else(|| {
                (!self.streams.is_raw() && self.streams.has_output() && self.streams.output.shows(&*format))
                    .then_some(Policy::Keep)
            }),
            keep: self.keep.unwrap_or_default(),
            raw: self.streams.is_raw(),
            unescape_log: self.unescape_log,
            counts_malformed: false,
            engine: self.streams.engine,
        };
        let direct = Box::new(self.direct(format.as_ref(), on_error == Policy::Fail));
        Job::new(format, &spec, Some(direct), self.streams.to(), self.streams.policies())
    }

    /// Returns the job for text in a charset other than UTF-8.
    fn read(
        &self,
        format: Box<dyn Format>,
        reading: charset::Reading,
        plus: percent_simd::Plus,
        on_error: Policy,
    ) -> Result<Job, String> {
        let malformed = &self.streams.malformed;
        if format.framing() == Framing::Raw {
            return Err("pct: --charset and --utf8-or need records (lines, or --null); leave out --raw".into());
        }
        if on_error == Policy::Replace {
            return Err(
                "pct: --on-error=replace writes UTF-8, so it does not work with a charset; use keep, skip or fail"
                    .into(),
            );
        }
        if self.normalize || malformed.check {
            return Err("pct: --normalize and --check work only on UTF-8; leave out the charset".into());
        }
        let on_bad = match malformed.on_utf8 {
            None | Some(Policy::Keep | Policy::Replace) => Policy::Keep,
            Some(Policy::Skip) => Policy::Skip,
            Some(Policy::Fail) => Policy::Fail,
            Some(Policy::Raw) => {
                return Err("pct: --on-utf8=raw does not work with a charset; use keep, replace, skip or fail".into());
            }
        };
        let decoder = self.streams.engine.map_or(Decoder::new(), |engine| Decoder::new().with_engine(engine));
        let verb = charset::Decode { reading, decoder, plus, replace: malformed.on_utf8 == Some(Policy::Replace) };
        let config = VerbConfig { verb: Box::new(verb), on_bad, limit: self.streams.places(), lists: false };
        let spec = Spec {
            part: self.part,
            repeat: self.layers.repeat,
            on_error,
            keep: self.keep.unwrap_or_default(),
            raw: self.streams.is_raw(),
            engine: self.streams.engine,
            ..Spec::of(Action::Verb(config.into()))
        };
        let mut policies = self.streams.policies();
        // A report counts fields that are not UTF-8. But they are no error here, because the text is in another charset.
        policies.inspect = malformed.report.is_some() || on_error == Policy::Skip;
        Job::new(format, &spec, None, self.streams.to(), policies)
    }

    fn direct(&self, format: &dyn Format, strict: bool) -> Decode {
        let safe = format.schema().rules.first().filter(|_| !self.streams.is_raw()).map(|rule| rule.keep);
        let keep = self.keep.unwrap_or_default() | safe.unwrap_or_default();
        // If `%20` has to stay escaped, the output must not get a space from a `+`. So `+` stays, too.
        let plus = self.layers.plus.filter(|_| !keep.contains(b' '));
        let mut decoder = match plus {
            Some(Plus::Always) => Decoder::new().plus(percent_simd::Plus::Always),
            Some(Plus::AfterQuery) | None => Decoder::new(),
        };
        if !keep.is_empty() {
            decoder = decoder.keep(keep);
        }
        if let Some(engine) = self.streams.engine {
            decoder = decoder.with_engine(engine);
        }
        let after_query = plus == Some(Plus::AfterQuery);
        Decode { decoder, keeps_percent: keep.contains(b'%'), after_query, strict, framing: format.framing() }
    }
}

/// Decodes whole records, many at once.
struct Decode {
    decoder: Decoder,
    keeps_percent: bool,
    /// If true, a `+` is a space only in queries.
    after_query: bool,
    /// If true, the first malformed escape is an error.
    strict: bool,
    framing: Framing,
}

impl BulkTransform for Decode {
    fn run(&self, bytes: &[u8], in_query: bool, spare: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<(), usize> {
        let input = match self.after_query {
            true => spaced(bytes, self.framing.end(), in_query, spare),
            false => bytes,
        };
        if !self.strict {
            self.decoder.decode_into(input, out);
            return Ok(());
        }
        self.decoder.strict().decode_into(input, out).map(|_| ()).map_err(|error| {
            self.decoder.decode_into(&input[..error.offset], out);
            error.offset
        })
    }

    fn decided(&self, bytes: &[u8]) -> usize {
        if !self.keeps_percent {
            return whole(bytes);
        }
        self.decoder.settled_prefix_len(bytes).min(whole(bytes))
    }
}

/// Returns the length of `block` without an unfinished escape at its end. A `%` right before a line end can't start an escape, so a
/// complete line is never held back.
pub fn whole(block: &[u8]) -> usize {
    match *block {
        [.., b'%', b'\n' | b'\0'] => block.len(),
        [.., b'%', _] => block.len() - 2,
        [.., b'%'] => block.len() - 1,
        _ => block.len(),
    }
}

/// Replaces every `+` after the first `?` of a record with a space. `in_query` is true if the first record of `bytes` had its `?`
/// in an earlier block.
///
/// We can replace each `+` before decoding, because no escape contains a `+`.
fn spaced<'a>(bytes: &[u8], end: Option<u8>, in_query: bool, spaced: &'a mut Vec<u8>) -> &'a [u8] {
    spaced.clear();
    spaced.extend_from_slice(bytes);
    let mut rest = &mut spaced[..];
    let mut inside = in_query;
    while !rest.is_empty() {
        let turn = if inside { end.and_then(|end| memchr(end, rest)) } else { memchr(b'?', rest) };
        let (piece, after) = rest.split_at_mut(turn.map_or(rest.len(), |at| at + 1));
        if inside {
            for byte in piece {
                *byte = if *byte == b'+' { b' ' } else { *byte };
            }
        }
        inside ^= turn.is_some();
        rest = after;
    }
    spaced
}

#[cfg(test)]
mod tests {
    use percent_simd::ByteSet;

    use super::*;

    #[test]
    fn cutting_never_makes_a_new_triplet() {
        let decoder = Decoder::new().keep(ByteSet::of(b"%/"));
        let decode = Decode { decoder, keeps_percent: true, after_query: false, strict: false, framing: Framing::Raw };
        for input in ["x%%32%46y", "x%2%46y", "%%32F", "%%%32%46%%32%4z", "%41%%4", "100%\nx"] {
            for end in 0..=input.len() {
                let cut = decode.decided(&input.as_bytes()[..end]);
                let parts = [decoder.decode(&input[..cut]), decoder.decode(&input[cut..])].concat();
                assert_eq!(parts, *decoder.decode(input), "{input} cut at {cut} of {end}");
                assert!(end - cut <= 6);
            }
        }
        assert_eq!(decode.decided(b"100%\n"), 5, "a line is never held back");
    }
}
