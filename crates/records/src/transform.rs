//! Transforms a field: decodes, normalizes or encodes it, but for what its format keeps.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2, memchr3, memmem};
use percent_simd::internal::PlusState;
use percent_simd::{ByteSet, Decoder, Encoder, Plus, RawEncoder, sets};
use percent_standards::uri::{TargetBounds, escaped_scheme_len};

use crate::diagnostic::Diagnostics;
use crate::formats::{Field, Format, Kind, Layout, Rule, Syntax, Wrap, log_escape};
use crate::framing::{push_row, row};
use crate::guard::{Guard, is_non_ascii_control, non_ascii_controls};
use crate::policy::Policy;
use crate::verb::{FieldContext, VerbConfig};

/// Which part of a URL is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The path, without scheme and authority.
    Path,
    /// The query, without its `?`.
    Query,
    /// The value of each pair of the query.
    Values,
    /// The fragment, without its `#`.
    Fragment,
}

impl Part {
    /// Each part, and its name.
    pub const NAMES: [(&str, Part); 4] =
        [("path", Part::Path), ("query", Part::Query), ("values", Part::Values), ("fragment", Part::Fragment)];

    /// Returns the bytes that would move the bounds of the part if they were decoded.
    fn keep(self) -> ByteSet {
        match self {
            Part::Path => ByteSet::of(b"/?#"),
            Part::Query => ByteSet::of(b"#&=+"),
            Part::Values => ByteSet::of(b"#&+"),
            Part::Fragment => ByteSet::EMPTY,
        }
    }

    /// Returns its ranges in a value: one for each value of the query, where the part is the values.
    fn ranges(self, url: &[u8], syntax: Syntax) -> Vec<Range<usize>> {
        let one = |range| std::iter::once(range).collect();
        let end = url.len();
        let (path, query, fragment) = match syntax {
            Syntax::Query => (0..0, 0..end, end..end),
            Syntax::Target => {
                let bounds = TargetBounds::split(url);
                (bounds.path(), bounds.query().unwrap_or(end..end), end..end)
            }
            Syntax::Reference => {
                let fragment = memchr(b'#', url).unwrap_or(end);
                let question = memchr(b'?', &url[..fragment]).unwrap_or(fragment);
                let query = (question + 1).min(fragment)..fragment;
                (path_start(&url[..question])..question, query, (fragment + 1).min(end)..end)
            }
        };
        match self {
            Part::Path => one(path),
            Part::Query => one(query),
            Part::Fragment => one(fragment),
            Part::Values => {
                let mut values = Vec::new();
                let mut at = query.start;
                for pair in url[query].split(|&byte| byte == b'&') {
                    if let Some(equals) = memchr(b'=', pair) {
                        values.push(at + equals + 1..at + pair.len());
                    }
                    at += pair.len() + 1;
                }
                values
            }
        }
    }
}

/// Returns the start of the path in a reference without query and fragment.
fn path_start(reference: &[u8]) -> usize {
    // An authority comes before it; a scheme may.
    let authority = memmem::find(reference, b"://")
        .filter(|&at| !reference[..at].contains(&b'/'))
        .map_or(if reference.starts_with(b"//") { 2 } else { 0 }, |at| at + 3);
    match authority {
        // The text before a `:` is a scheme, or could be one if it were decoded.
        0 => memchr2(b':', b'/', reference).filter(|&at| reference[at] == b':').map_or(0, |colon| colon + 1),
        at => memchr(b'/', &reference[at..]).map_or(reference.len(), |slash| at + slash),
    }
}

/// The action on a field.
#[derive(Clone, Debug)]
pub enum Action {
    /// Decode it.
    Decode {
        /// Where a `+` is a space.
        plus: Plus,
    },
    /// Decode what is unreserved, and write all other escapes in upper case (RFC 3986 6.2.2).
    Normalize,
    /// Encode it.
    Encode(RawEncoder),
    /// Whatever a verb does.
    Verb(Arc<VerbConfig>),
}

/// The options of an action that do not depend on the field.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The action on a field.
    pub action: Action,
    /// The part of each URL that is worked on; `None` is all of it.
    pub part: Option<Part>,
    /// How many layers come off; `None` leaves it to the format.
    pub repeat: Option<usize>,
    /// The treatment of a `%` that starts no escape; a transform knows `Keep` and `Replace`.
    pub on_error: Policy,
    /// The treatment of values that decode to no UTF-8; by default it comes out where each record is one field, and else stays.
    pub on_utf8: Option<Policy>,
    /// Escapes that stay, whatever the format.
    pub keep: ByteSet,
    /// Whether nothing is kept for the format's sake or the part's.
    pub raw: bool,
    /// Whether what the writer of a log has escaped comes off first.
    pub unescape_log: bool,
    /// Whether each `%` that starts no escape is counted where a field is decoded.
    pub counts_malformed: bool,
    /// The engine that decodes; `None` is the best.
    pub engine: Option<&'static percent_simd::Engine>,
}

impl Spec {
    /// Returns the action, and nothing else asked for: what is bad stays, and what is no UTF-8 comes out only where each record is
    /// one field.
    pub fn of_fields(action: Action) -> Spec {
        Spec { on_utf8: None, ..Spec::of(action) }
    }

    /// Returns the action, and nothing else asked for: what is bad stays, and what is no UTF-8 comes out.
    pub fn of(action: Action) -> Spec {
        Spec {
            action,
            part: None,
            repeat: None,
            on_error: Policy::Keep,
            on_utf8: Some(Policy::Raw),
            keep: ByteSet::EMPTY,
            raw: false,
            unescape_log: false,
            counts_malformed: false,
            engine: None,
        }
    }
}

/// How many layers are told apart.
pub const LAYERS: usize = 10;

/// Counts of what was noticed on the way.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Fields and records that are not written as their format says.
    pub unrecognized: u64,
    /// Every `%` of decoded fields that starts no escape, if the [`Spec`] says that they are counted.
    pub malformed: u64,
    /// Fields by how many layers came off; the last count is of those with as many or more.
    pub layers: [u64; LAYERS + 1],
    /// The diagnostics of a verb.
    pub diagnostics: Diagnostics,
}

impl Effects {
    /// Counts a field of which so many layers came off.
    fn peeled(&mut self, layers: usize) {
        self.layers[layers.min(LAYERS)] += 1;
    }
}

/// Memory that is used again from record to record.
#[derive(Default)]
struct RecordScratch {
    fields: Vec<Field>,
    value: Vec<u8>,
}

/// Appends what `transforms` make of the fields of a record, which comes without its end; all else stays as it is.
fn rewrite_record(
    format: &dyn Format,
    transforms: &[Transform],
    body: &[u8],
    layout: &mut Layout,
    scratch: &mut RecordScratch,
    out: &mut Vec<u8>,
    effects: &mut Effects,
) {
    let RecordScratch { fields, value } = scratch;
    fields.clear();
    let kind = format.fields(body, layout, fields);
    effects.unrecognized += u64::from(kind == Kind::Unrecognized);
    let mut at = 0;
    for field in fields.iter().filter(|_| kind == Kind::Data) {
        let (before, raw) = (&body[at..field.range.start], &body[field.range.clone()]);
        if transforms[field.rule].field(before, raw, value, out, effects) {
            at = field.range.end;
        }
    }
    out.extend_from_slice(&body[at..]);
}

/// Rewrites the records of an input: the chosen fields by a [`Spec`], all else as it is.
///
/// # Examples
///
/// ```
/// use percent_simd::Plus;
/// use percent_simd_records::formats::{Choice, Name, build};
/// use percent_simd_records::transform::{Action, Rewriter, Spec};
///
/// let name = Name::parse("csv", &[]).unwrap();
/// let format = build(&name, &Choice { fields: vec!["url".into()], ..Choice::default() }).unwrap();
/// let spec = Spec::of_fields(Action::Decode { plus: Plus::Never });
/// let mut rewriter = Rewriter::new(format, &spec);
/// let mut out = Vec::new();
/// rewriter.rewrite(b"id,url\n1,/a%2Cb%0A\n2,/caf%C3%A9\n", &mut out);
/// assert_eq!(out, "id,url\n1,\"/a,b%0A\"\n2,/café\n".as_bytes());
/// ```
pub struct Rewriter {
    format: Box<dyn Format>,
    transforms: Vec<Transform>,
    layout: Layout,
    scratch: RecordScratch,
    effects: Effects,
}

impl Rewriter {
    /// Makes a rewriter of records in `format`.
    pub fn new(format: Box<dyn Format>, spec: &Spec) -> Rewriter {
        let transforms = Transform::all(spec, &*format, spec.repeat.unwrap_or(format.layers()));
        let layout = format.layout();
        Rewriter { format, transforms, layout, scratch: RecordScratch::default(), effects: Effects::default() }
    }

    /// Returns the length of the longest front of `bytes` that is whole records, and can be
    /// [rewritten](Self::rewrite) while more of the input is to come.
    pub fn whole_len(&self, bytes: &[u8]) -> usize {
        self.format.framing().whole(bytes)
    }

    /// Appends what comes of `records`, the next of the input, to `out`.
    pub fn rewrite(&mut self, records: &[u8], out: &mut Vec<u8>) {
        let framing = self.format.framing();
        let mut rest = records;
        while !rest.is_empty() {
            let record = framing.first(rest);
            let (body, end) = rest[..record.len].split_at(record.body);
            let (scratch, effects) = (&mut self.scratch, &mut self.effects);
            rewrite_record(&*self.format, &self.transforms, body, &mut self.layout, scratch, out, effects);
            out.extend(end);
            rest = &rest[record.len..];
        }
    }

    /// Returns what was noticed so far.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }
}

/// An action on the fields of one rule.
pub struct Transform {
    action: Action,
    decoder: Decoder,
    /// Where in a field a `+` is a space.
    plus: Plus,
    /// Like `decoder`, but makes a space of each `+`.
    decoder_with_plus: Decoder,
    /// Like `decoder`, but keeps all escapes of bytes that are not ASCII.
    ascii: Decoder,
    part: Option<Part>,
    syntax: Syntax,
    layers: usize,
    replace: bool,
    utf8: Policy,
    /// Whether escapes of controls that are not ASCII stay.
    keep_non_ascii_controls: bool,
    wrap: Wrap,
    guard: Guard,
    unescape_log: bool,
    counts_malformed: bool,
    /// Whether nothing is kept for the format's sake or the part's.
    is_raw: bool,
    inner: Option<Inner>,
}

/// The transforms of the fields of records that a field holds.
struct Inner {
    format: Arc<dyn Format>,
    transforms: Vec<Transform>,
}

impl Inner {
    /// Appends what comes of `record`, which may end with a line.
    fn work(&self, record: &[u8], out: &mut Vec<u8>, effects: &mut Effects) {
        let (body, end) = record.split_at(record.strip_suffix(b"\n").unwrap_or(record).len());
        let mut scratch = RecordScratch::default();
        rewrite_record(&*self.format, &self.transforms, body, &mut self.format.layout(), &mut scratch, out, effects);
        out.extend(end);
    }

    /// Calls `each` for each field of `record`.
    fn each_value(&self, record: &[u8], each: &mut dyn FnMut(usize, Syntax, Cow<[u8]>)) {
        let body = record.strip_suffix(b"\n").unwrap_or(record);
        let mut fields: Vec<Field> = Vec::new();
        let kind = self.format.fields(body, &mut self.format.layout(), &mut fields);
        for field in fields.iter().filter(|_| kind == Kind::Data) {
            let mut each = |choice, syntax, value: Cow<[u8]>| each(choice, syntax, value);
            self.transforms[field.rule].each_value(field.choice, &body[field.range.clone()], &mut each);
        }
    }
}

const NOT_ASCII: ByteSet = ByteSet::range(0x80, 0xFF);

impl Transform {
    /// Returns the transform that `spec` makes for each rule of `format`.
    pub fn all(spec: &Spec, format: &dyn Format, layers: usize) -> Vec<Transform> {
        let new = |rule| {
            let inner = format.inner().map(|format| {
                let transforms = Transform::all(spec, &*format, spec.repeat.unwrap_or(format.layers()));
                Inner { format, transforms }
            });
            Transform { inner, ..Transform::new(spec, rule, layers, format.is_whole()) }
        };
        format.plan().rules.iter().map(new).collect()
    }

    /// Returns the transform that `spec` makes for values under `rule`, whatever their format.
    pub fn for_rule(spec: &Spec, rule: &Rule, layers: usize) -> Transform {
        Transform::new(spec, rule, layers, false)
    }

    fn new(spec: &Spec, rule: &Rule, layers: usize, is_whole: bool) -> Transform {
        let kept = spec.part.map_or(ByteSet::EMPTY, Part::keep);
        let safe = if spec.raw { rule.wrap.not_held() } else { rule.keep | kept };
        let decoder = |more: ByteSet| {
            let keep = spec.keep | safe | more;
            let decoder = match spec.action {
                Action::Normalize => Decoder::new().keep_upper(keep | !sets::RFC3986_UNRESERVED),
                _ if keep.is_empty() => Decoder::new(),
                _ => Decoder::new().keep(keep),
            };
            spec.engine.map_or(decoder, |engine| decoder.with_engine(engine))
        };
        // A record with its length in front can hold any byte.
        let is_whole = is_whole || rule.wrap == Wrap::Row;
        let usual = if is_whole || spec.raw { Policy::Raw } else { Policy::Keep };
        let utf8 = match (spec.on_utf8.unwrap_or(usual), rule.wrap) {
            // A string of JSON has to be text.
            (Policy::Raw, Wrap::Json | Wrap::Xml) => Policy::Keep,
            (utf8, _) => utf8,
        };
        let guard = Guard::new(spec.keep | safe);
        let plus = plus_of(&spec.action, spec.part, &guard, rule.syntax);
        let plain = decoder(ByteSet::EMPTY);
        Transform {
            action: spec.action.clone(),
            decoder: plain,
            plus,
            decoder_with_plus: plain.plus(plus),
            ascii: decoder(NOT_ASCII),
            part: spec.part,
            syntax: rule.syntax,
            layers: spec.repeat.unwrap_or(layers),
            replace: spec.on_error == Policy::Replace,
            utf8,
            // Lines may be in any charset, unless somebody says what becomes of what is no UTF-8.
            keep_non_ascii_controls: !spec.raw && (!is_whole || utf8 != Policy::Raw && rule.keep.contains(0x1B)),
            wrap: rule.wrap,
            guard,
            unescape_log: spec.unescape_log,
            counts_malformed: spec.counts_malformed,
            is_raw: spec.raw,
            inner: None,
        }
    }

    /// Whether anything can change in a value.
    fn is_touched(&self, value: &[u8]) -> bool {
        match &self.action {
            _ if self.unescape_log && memchr(b'\\', value).is_some() => true,
            Action::Decode { plus: Plus::Never } | Action::Normalize => memchr(b'%', value).is_some(),
            Action::Decode { .. } => memchr2(b'%', b'+', value).is_some(),
            Action::Encode(_) | Action::Verb(_) => true,
        }
    }

    /// The value of the field that stands as `raw` in its record; `None` where it is not written as it should be.
    pub fn value<'a>(&self, raw: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        unwrapped(self.wrap, raw)
    }

    /// Calls `each` with the number, the syntax and the value of the field that is written as `raw`. If the field holds a record,
    /// calls it for each field of that.
    pub fn each_value(&self, choice: usize, raw: &[u8], each: &mut impl FnMut(usize, Syntax, Cow<[u8]>)) {
        let Some(value) = self.value(raw) else { return };
        match &self.inner {
            None => each(choice, self.syntax, value),
            Some(inner) => inner.each_value(&value, &mut |choice, syntax, value| each(choice, syntax, value)),
        }
    }

    /// Returns what may not come out of an escape.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Whether values stand in their fields as they are.
    pub fn is_verbatim(&self) -> bool {
        self.wrap == Wrap::Verbatim
    }

    /// Appends `before` and what comes of the field that stands as `raw` behind that in its record, as it is to stand there;
    /// appends nothing where the field stays as it is. Returns whether it appends anything.
    pub fn field(
        &self,
        before: &[u8],
        raw: &[u8],
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
        effects: &mut Effects,
    ) -> bool {
        if self.wrap == Wrap::Verbatim {
            if self.inner.is_none() && !self.is_touched(raw) {
                return false;
            }
            out.extend_from_slice(before);
            self.work(raw, out, effects);
            return true;
        }
        let Some(value) = self.value(raw) else {
            // It is not written as its format says.
            effects.unrecognized += 1;
            return false;
        };
        if !self.is_touched(&value) {
            return false;
        }
        scratch.clear();
        self.work(&value, scratch, effects);
        if **scratch == *value {
            return false;
        }
        out.extend_from_slice(before);
        match self.wrap {
            Wrap::Csv(_) => self.push_csv(scratch, raw.first() == Some(&b'"'), out),
            _ => self.push(scratch, out),
        }
        true
    }

    /// Appends what comes of the field that stands as `raw`, as a field of its own.
    pub fn extra_field(&self, raw: &[u8], scratch: &mut Vec<u8>, out: &mut Vec<u8>, effects: &mut Effects) {
        scratch.clear();
        if let Some(value) = self.value(raw) {
            self.work(&value, scratch, effects);
        }
        self.push(scratch, out);
    }

    /// Appends what comes of `value`, as it stands where its rule holds.
    pub fn written(&self, value: &[u8], scratch: &mut Vec<u8>, out: &mut Vec<u8>, effects: &mut Effects) {
        scratch.clear();
        self.work(value, scratch, effects);
        self.push(scratch, out);
    }

    fn push(&self, value: &[u8], out: &mut Vec<u8>) {
        match self.wrap {
            Wrap::Verbatim => out.extend(value),
            Wrap::Json => push_text(value, crate::formats::json_push, out),
            Wrap::Xml => push_text(value, crate::formats::xml_push, out),
            Wrap::Csv(_) => self.push_csv(value, false, out),
            Wrap::Row => push_row(value, out),
        }
    }

    fn push_csv(&self, value: &[u8], quoted: bool, out: &mut Vec<u8>) {
        let Wrap::Csv(delimiter) = self.wrap else { return };
        let special = memchr3(b'"', b'\n', delimiter, value).or_else(|| memchr(b'\r', value)).is_some();
        // Between blanks an empty value would be none, and a tab is a blank as well.
        let quoted = quoted || delimiter == b' ';
        if !special && !quoted {
            out.extend(value);
            return;
        }
        out.push(b'"');
        for (number, piece) in value.split(|&byte| byte == b'"').enumerate() {
            if number > 0 {
                out.extend(b"\"\"");
            }
            out.extend(piece);
        }
        out.push(b'"');
    }

    /// Appends what comes of `value`.
    fn work(&self, value: &[u8], out: &mut Vec<u8>, effects: &mut Effects) {
        if let Some(inner) = &self.inner {
            return inner.work(value, out, effects);
        }
        let Some(part) = self.part else { return self.piece(value, out, effects) };
        let mut at = 0;
        for range in part.ranges(value, self.syntax) {
            out.extend_from_slice(&value[at..range.start]);
            let start = out.len();
            self.piece(&value[range.clone()], out, effects);
            if part == Part::Path && range.start == 0 && !self.is_raw {
                escape_colons_of_first_segment(out, start);
            }
            at = range.end;
        }
        out.extend_from_slice(&value[at..]);
    }

    fn piece(&self, text: &[u8], out: &mut Vec<u8>, effects: &mut Effects) {
        if let Action::Encode(encoder) = &self.action {
            encoder.encode_into(text, out);
            return;
        }
        if let Action::Verb(config) = &self.action {
            return self.carry_out(config, text, out, effects);
        }
        if !self.is_touched(text) {
            out.extend(text);
            return;
        }
        if self.counts_malformed {
            // Every escape is two bytes shorter once it is decoded.
            let escapes = (text.len() - Decoder::new().decoded_len(text)) / 2;
            effects.malformed += (memchr_iter(b'%', text).count() - escapes) as u64;
        }
        let unescaped = if self.unescape_log { self.without_log_escapes(text) } else { Cow::Borrowed(text) };
        let mended = if self.replace { self.mend(&unescaped) } else { Cow::Borrowed(&*unescaped) };
        let start = out.len();
        if matches!(self.action, Action::Normalize) {
            let (scheme, rest) = mended.split_at(if self.part.is_none() { escaped_scheme_len(&*mended) } else { 0 });
            out.extend(scheme);
            self.decoder.decode_into(rest, out);
            return;
        }
        if self.layers == 1 {
            self.decoder_with_plus.decode_into(&mended, out);
        } else {
            let peeled = self.decoder_with_plus.decode_layers(&mended, self.layers);
            effects.peeled(peeled.layers);
            out.extend(&*peeled.bytes);
        }
        if !out[start..].is_ascii() && !self.is_sound(&out[start..]) {
            out.truncate(start);
            self.settle(&mended, out);
        }
    }

    /// Appends what a verb makes of `text`, which stays as it is where that is nothing.
    fn carry_out(&self, config: &VerbConfig, text: &[u8], out: &mut Vec<u8>, effects: &mut Effects) {
        let around = FieldContext { guard: &self.guard, plus: self.plus, layers: self.layers, syntax: self.syntax };
        let start = out.len();
        if let Err(diagnostic) = config.verb.apply(text, &around, out, &mut effects.diagnostics) {
            out.truncate(start);
            out.extend(text);
            effects.diagnostics.bad(diagnostic, config.on_bad);
        }
    }

    /// `text` with something else for each `%` that starts no escape.
    fn mend<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let strict = Decoder::new().strict();
        let mut mended = Vec::new();
        let mut at = 0;
        // In a URL its escape replaces it; in text, the replacement character.
        let other = if matches!(self.action, Action::Normalize) { "%25" } else { "\u{FFFD}" };
        while let Err(error) = strict.check(&text[at..]) {
            mended.extend(&text[at..at + error.offset]);
            mended.extend(other.bytes());
            at += error.offset + 1;
        }
        if at == 0 {
            return Cow::Borrowed(text);
        }
        mended.extend(&text[at..]);
        Cow::Owned(mended)
    }

    /// Whether decoded bytes may stay: UTF-8, unless what is not may come out, and no controls.
    fn is_sound(&self, bytes: &[u8]) -> bool {
        if self.utf8 == Policy::Raw && !self.keep_non_ascii_controls {
            return true;
        }
        let has_controls = |text| self.keep_non_ascii_controls && non_ascii_controls(text).next().is_some();
        match str::from_utf8(bytes) {
            Ok(text) => !has_controls(text),
            Err(_) => self.utf8 == Policy::Raw && !bytes.utf8_chunks().any(|chunk| has_controls(chunk.valid())),
        }
    }

    /// Decodes what [`is_sound`](Self::is_sound) is not: bytes that are no UTF-8 stay escaped, or are replaced.
    ///
    /// The layers but the last come off with every escape of an byte that is not ASCII kept: such bytes are no part
    /// of an escape, so that changes nothing else. The last comes off run by run.
    fn settle(&self, text: &[u8], out: &mut Vec<u8>) {
        let (text, plus) = match self.layers {
            1 => (Cow::Borrowed(text), self.plus),
            layers => (self.ascii.plus(self.plus).decode_layers(text, layers - 1).bytes, Plus::Never),
        };
        let mut state = PlusState::new(plus);
        let mut at = 0;
        while at < text.len() {
            let (start, end) = high_run(&text, at);
            let ascii = &text[at..start];
            self.decoder.plus(state.plus_for(ascii)).decode_into(ascii, out);
            self.settle_run(&text[start..end], out);
            at = end;
        }
    }

    /// Decodes a run of bytes that are not ASCII, escaped or not.
    fn settle_run(&self, run: &[u8], out: &mut Vec<u8>) {
        let bytes = self.decoder.decode(run);
        if bytes.iter().any(u8::is_ascii) {
            // Some of them are kept by request; the run stays whole.
            out.extend(run);
            return;
        }
        self.push_bytes(&bytes, run, |rest| if rest.first() == Some(&b'%') { 3 } else { 1 }, out);
    }

    /// `text` with bytes for the escapes of its log; but those that may not come out, as from escapes of the other kind,
    /// stay as they are written. What comes out is whole characters, which no byte beside them makes others of.
    fn without_log_escapes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(first) = memchr(b'\\', text) else { return Cow::Borrowed(text) };
        let (before, mut rest) = text.split_at(first);
        let mut out = before.to_vec();
        while !rest.is_empty() {
            let (mut bytes, mut len) = (Vec::new(), 0);
            while let Some((byte, width)) = log_escape(&rest[len..]) {
                bytes.push(byte);
                len += width;
            }
            let (run, after) = rest.split_at(len);
            self.push_bytes(&bytes, run, |rest| log_escape(rest).map_or(0, |(_, width)| width), &mut out);
            // A backslash that is none of an escape stays.
            let next = memchr(b'\\', after.get(1..).unwrap_or_default()).map_or(after.len(), |at| at + 1);
            out.extend(&after[..next]);
            rest = &after[next..];
        }
        Cow::Owned(out)
    }

    /// Appends `bytes`, which stand as `run`, the first of them in as many bytes as `width` says: but as they stand
    /// where they are not to come out.
    fn push_bytes(&self, bytes: &[u8], run: &[u8], width: impl Fn(&[u8]) -> usize, out: &mut Vec<u8>) {
        let mut rest = run;
        let mut take = |bytes: usize| {
            let len = (0..bytes).fold(0, |len, _| len + width(&rest[len.min(rest.len())..]));
            let (taken, after) = rest.split_at(len.min(rest.len()));
            rest = after;
            taken
        };
        let is_kept = |bytes: &[u8]| bytes.iter().any(|&byte| self.guard.keep().contains(byte));
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                let raw = take(c.len_utf8());
                let mut utf8 = [0; 4];
                let bytes = c.encode_utf8(&mut utf8).as_bytes();
                match is_kept(bytes) || self.keep_non_ascii_controls && is_non_ascii_control(c) {
                    true => out.extend(raw),
                    false => out.extend(bytes),
                }
            }
            let raw = take(chunk.invalid().len());
            match self.utf8 {
                Policy::Replace if !raw.is_empty() => out.extend("\u{FFFD}".bytes()),
                Policy::Raw if !is_kept(chunk.invalid()) => out.extend(chunk.invalid()),
                _ => out.extend(raw),
            }
        }
    }
}

/// Appends `value` by `push`, which takes text. Bytes that aren't UTF-8 are percent-encoded.
fn push_text(value: &[u8], push: impl Fn(&str, &mut Vec<u8>), out: &mut Vec<u8>) {
    const ALL: Encoder = Encoder::new(ByteSet::EMPTY);
    for chunk in value.utf8_chunks() {
        push(chunk.valid(), out);
        ALL.encode_into_vec(chunk.invalid(), out);
    }
}

/// Escapes each `:` in the first segment of the path that begins at `start`, in which there was none: it would end a scheme
/// (RFC 3986 4.2).
fn escape_colons_of_first_segment(out: &mut Vec<u8>, start: usize) {
    const NO_COLON: RawEncoder = RawEncoder::new(ByteSet::ALL.without(b':'));
    let end = memchr(b'/', &out[start..]).map_or(out.len(), |slash| start + slash);
    if let Cow::Owned(segment) = NO_COLON.encode(&out[start..end]) {
        out.splice(start..end, segment);
    }
}

/// Returns where a `+` is a space in a field, or in that part of it.
fn plus_of(action: &Action, part: Option<Part>, guard: &Guard, syntax: Syntax) -> Plus {
    let plus = match action {
        Action::Decode { plus } => *plus,
        Action::Verb(config) => config.verb.plus(),
        _ => return Plus::Never,
    };
    match plus {
        // A space that may not come out of `%20` may not come out of `+`.
        _ if guard.keep().contains(b' ') => Plus::Never,
        Plus::AfterQuery if matches!(part, Some(Part::Path | Part::Fragment)) && !syntax.is_query() => Plus::Never,
        plus => plus_in(plus, if part.is_some() { Syntax::Query } else { syntax }),
    }
}

/// Returns where a `+` is a space in a value.
pub fn plus_in(plus: Plus, syntax: Syntax) -> Plus {
    if plus == Plus::AfterQuery && syntax.is_query() { Plus::Always } else { plus }
}

/// The value of a field that stands as `raw` in its record; `None` where it is not written as `wrap` says.
pub fn unwrapped(wrap: Wrap, raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    match wrap {
        Wrap::Verbatim => Some(Cow::Borrowed(raw)),
        Wrap::Json => crate::formats::json_unescaped(raw),
        Wrap::Xml => crate::formats::xml_unescaped(raw),
        Wrap::Csv(_) => match raw {
            [b'"', inner @ .., b'"'] if memmem::find(inner, b"\"\"").is_some() => Some(Cow::Owned(unquoted(inner))),
            [b'"', inner @ .., b'"'] => Some(Cow::Borrowed(inner)),
            _ => Some(Cow::Borrowed(raw)),
        },
        Wrap::Row => row(raw).and_then(|(prefix, len)| raw.get(prefix..len)).map(Cow::Borrowed),
    }
}

/// Returns the start and the end of the next run of bytes that are not ASCII, escaped or not.
fn high_run(text: &[u8], from: usize) -> (usize, usize) {
    let step = |at: usize| match text.get(at) {
        Some(0x80..) => 1,
        Some(b'%')
            if matches!(text.get(at + 1), Some(b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F'))
                && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit) =>
        {
            3
        }
        _ => 0,
    };
    let start = (from..text.len()).find(|&at| step(at) > 0).unwrap_or(text.len());
    let mut end = start;
    loop {
        match step(end) {
            0 => return (start, end),
            len => end += len,
        }
    }
}

/// The value in quotes of CSV.
fn unquoted(inner: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memmem::find(rest, b"\"\"") {
        value.extend(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    value.extend(rest);
    value
}
