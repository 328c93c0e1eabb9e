//! Decodes, normalizes or encodes the value of a field. Keeps the escapes that would break the record if they were
//! decoded.

mod part;
mod rewriter;
mod sound;
mod value;

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr_iter;
use percent_simd::{ByteSet, Decoder, Plus, RawEncoder, sets};
use percent_standards::uri::escaped_scheme_len;

pub use self::part::Part;
use self::part::escape_colons_of_first_segment;
use self::rewriter::Inner;
pub use self::rewriter::{ReadRecord, Rewriter, each_value_of_rows};
pub use self::sound::server_log_escape;
pub use self::value::{Triggers, Value};
use crate::diagnostic::Diagnostics;
use crate::formats::{Format, Rule, Syntax, Wrap};
use crate::guard::Guard;
use crate::policy::Policy;
use crate::verb::{FieldContext, VerbConfig};

/// An action on a field.
#[derive(Clone, Debug)]
pub enum Action {
    /// Decodes the field.
    Decode {
        /// The places where a `+` is a space.
        plus: Plus,
    },
    /// Decodes unreserved characters, and writes the other escapes in upper case (RFC 3986 6.2.2).
    Normalize,
    /// Encodes the field.
    Encode(RawEncoder),
    /// Applies a verb to the field.
    Verb(Arc<VerbConfig>),
}

/// An action, and the options that apply to it in all fields.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The action.
    pub action: Action,
    /// The part of each URL to work on. If `None`, it is the whole field.
    pub part: Option<Part>,
    /// The number of layers of escapes to decode. If `None`, the format decides.
    pub repeat: Option<usize>,
    /// The policy for a malformed `%`. A transform applies `Keep` and `Replace`. The caller has to apply the other
    /// policies.
    pub on_error: Policy,
    /// The policy for escapes that decode to invalid UTF-8. `None` means `Raw` if each record is one field. Otherwise
    /// it means `Keep`.
    pub on_utf8: Option<Policy>,
    /// Bytes whose escapes stay in every format.
    pub keep: ByteSet,
    /// If true, escapes are decoded even if the result breaks the record or moves the bounds of the part.
    pub raw: bool,
    /// If true, the escapes that the logging program added, such as `\x22`, are decoded first.
    pub unescape_log: bool,
    /// If true, each malformed `%` of a decoded field is counted.
    pub counts_malformed: bool,
    /// The engine that decodes. If `None`, it is the fastest engine of this CPU.
    pub engine: Option<&'static percent_simd::Engine>,
}

impl Spec {
    /// Returns a spec with only an action. Malformed escapes stay. Invalid UTF-8 is decoded only if each record is one
    /// field.
    pub fn of_fields(action: Action) -> Spec {
        Spec { on_utf8: None, ..Spec::of(action) }
    }

    /// Returns a spec with only an action. Malformed escapes stay, and invalid UTF-8 is decoded.
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

    /// Returns the number of layers of escapes to decode in the values of `format`. A layer that is removed when a value is
    /// read counts for [`repeat`](Self::repeat), but isn't decoded again.
    pub fn layers(&self, format: &dyn Format) -> usize {
        self.repeat.unwrap_or(format.layers()).saturating_sub(usize::from(format.peels()))
    }
}

/// [`Effects::layers`] has one count for all fields in which `LAYERS` or more layers were decoded.
pub const LAYERS: usize = 10;

/// Counts of events during a job.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// The number of fields and records whose text doesn't follow the rules of their format.
    pub unrecognized: u64,
    /// The number of these fields whose value can't be read. An example is XML with an unknown reference.
    pub unread: u64,
    /// The number of malformed `%` in decoded fields, if [`Spec::counts_malformed`] is set.
    pub malformed: u64,
    /// `layers[n]` is the number of fields in which `n` layers were decoded. The last count, `layers[LAYERS]`, also
    /// includes fields with more than [`LAYERS`] layers.
    pub layers: [u64; LAYERS + 1],
    /// The diagnostics of a verb.
    pub diagnostics: Diagnostics,
}

impl Effects {
    /// Counts a field in which `layers` layers were decoded.
    fn peeled(&mut self, layers: usize) {
        self.layers[layers.min(LAYERS)] += 1;
    }
}

/// An action, prepared for all fields that have the same rule.
pub struct Transform {
    action: Action,
    decoder: Decoder,
    /// The places in a field where a `+` is a space.
    plus: Plus,
    /// Does the same as `decoder`, but also decodes `+` to a space at the places of `plus`.
    decoder_with_plus: Decoder,
    /// Does the same as `decoder`, but keeps all escapes of non-ASCII bytes.
    ascii: Decoder,
    part: Option<Part>,
    /// If a value has none of these bytes, it stays as it is.
    triggers: Triggers,
    syntax: Syntax,
    layers: usize,
    replace: bool,
    utf8: Policy,
    /// If true, escapes of non-ASCII controls stay.
    keep_non_ascii_controls: bool,
    wrap: Wrap,
    guard: Guard,
    unescape_log: bool,
    counts_malformed: bool,
    /// If true, escapes are decoded even if the result breaks the record, or moves the bounds of the part.
    is_raw: bool,
    /// If true, the layer of the log is removed when a value is read.
    peels: bool,
    inner: Option<Inner>,
}

/// Returns `bytes` without the layer of escapes that a log has added. The log also escapes raw controls and bytes above ASCII. In a
/// URL, their escapes mean the same, so they stay.
pub fn without_layer(bytes: &[u8]) -> Cow<'_, [u8]> {
    const LAYER: Decoder = Decoder::new().keep(ByteSet::of(b"%").complement());
    LAYER.decode(bytes)
}

const NOT_ASCII: ByteSet = ByteSet::range(0x80, 0xFF);

impl Transform {
    /// Returns a transform for each rule of `format`.
    pub fn all(spec: &Spec, format: &dyn Format) -> Vec<Transform> {
        let (layers, peels) = (spec.layers(format), format.peels());
        let new = |rule| {
            let inner = format.inner().map(|format| Inner { transforms: Transform::all(spec, &*format), format });
            Transform { inner, peels, ..Transform::new(spec, rule, layers, format.is_whole()) }
        };
        format.schema().rules.iter().map(new).collect()
    }

    /// Returns a transform for values that have the rule `rule`. It decodes `layers` layers.
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
        // `Wrap::Row` is a length and then a value of this length. This value can contain any byte, so we decode it as
        // freely as a record that is one field.
        let is_whole = is_whole || rule.wrap == Wrap::Row;
        let usual = if is_whole || spec.raw { Policy::Raw } else { Policy::Keep };
        let utf8 = match (spec.on_utf8.unwrap_or(usual), rule.wrap) {
            // A JSON string or XML text must be UTF-8, so invalid UTF-8 stays escaped.
            (Policy::Raw, Wrap::Json | Wrap::Xml { .. }) => Policy::Keep,
            (utf8, _) => utf8,
        };
        let guard = Guard::new(spec.keep | safe);
        let plus = plus_of(&spec.action, spec.part, &guard, rule.syntax);
        let plain = decoder(ByteSet::EMPTY);
        let log_mark = spec.unescape_log.then_some(b'\\');
        Transform {
            action: spec.action.clone(),
            decoder: plain,
            plus,
            decoder_with_plus: plain.plus(plus),
            ascii: decoder(NOT_ASCII),
            part: spec.part,
            triggers: match spec.action {
                Action::Encode(_) | Action::Verb(_) => Triggers::Any,
                Action::Decode { plus } if plus != Plus::Never => Triggers::percent_and(Some(b'+'), log_mark),
                Action::Decode { .. } | Action::Normalize => Triggers::percent_and(None, log_mark),
            },
            syntax: rule.syntax,
            layers,
            replace: spec.on_error == Policy::Replace,
            utf8,
            // If every record is one field, its charset is unknown, so we can't recognize non-ASCII controls. But if
            // the policy for invalid UTF-8 isn't `Raw`, we assume that the record is UTF-8. Then these controls stay
            // escaped if the ASCII control ESC stays escaped.
            keep_non_ascii_controls: !spec.raw && (!is_whole || utf8 != Policy::Raw && rule.keep.contains(0x1B)),
            wrap: rule.wrap,
            guard,
            unescape_log: spec.unescape_log,
            counts_malformed: spec.counts_malformed,
            is_raw: spec.raw,
            peels: false,
            inner: None,
        }
    }

    /// Returns the value of the field that is written as `raw`.
    fn text<'a>(&self, raw: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        Some(match self.wrap.read(raw)? {
            text if !self.peels => text,
            Cow::Borrowed(text) => without_layer(text),
            Cow::Owned(text) => Cow::Owned(without_layer(&text).into_owned()),
        })
    }

    /// Reads the field that is written as `raw`, and finds the first byte of its value that may change.
    ///
    /// If the caller already knows the offset of this byte in `raw`, it passes the offset as `known`, so that we don't
    /// have to search.
    #[inline]
    pub fn read<'a>(&self, raw: &'a [u8], known: Option<usize>) -> Value<'a> {
        let text = self.text(raw);
        let is_raw = matches!(&text, Some(Cow::Borrowed(text)) if text.len() == raw.len());
        let known = known.filter(|&at| is_raw && raw.get(at) == Some(&b'%') && !matches!(self.triggers, Triggers::Any));
        let first = known.or_else(|| self.triggers.find(text.as_deref()?));
        Value { raw, text, first }
    }

    /// Reads the field that is written as `raw`, without a search for bytes that may change.
    #[inline]
    pub fn read_unchanged<'a>(&self, raw: &'a [u8]) -> Value<'a> {
        Value { raw, text: self.text(raw), first: None }
    }

    /// Calls `each` for the field that is written as `raw`. The arguments of `each` are `choice` (the index of the
    /// field among the chosen fields), the syntax, and the value.
    ///
    /// If the field contains a record, calls `each` for every field of this inner record instead.
    pub fn each_value(&self, choice: usize, raw: &[u8], each: &mut impl FnMut(usize, Syntax, Cow<[u8]>)) {
        let Some(value) = self.text(raw) else { return };
        match &self.inner {
            None => each(choice, self.syntax, value),
            Some(inner) => inner.each_value(&value, &mut |choice, syntax, value| each(choice, syntax, value)),
        }
    }

    /// Returns the characters that stay escaped.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Returns true if values are written without quotes or escapes of the format.
    pub fn is_verbatim(&self) -> bool {
        self.wrap == Wrap::Verbatim && !self.peels
    }

    /// Appends `before` and the new field for `value`, and returns true. If the field surely stays the same, leaves
    /// `out` unchanged and returns false.
    ///
    /// `before` is the text of the record between the previous change and this field.
    pub fn rewrite(
        &self,
        before: &[u8],
        value: &Value,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
        effects: &mut Effects,
    ) -> bool {
        let Some(text) = value.text.as_deref() else {
            // The text of the field doesn't follow the rules of its format.
            effects.unrecognized += 1;
            effects.unread += 1;
            return false;
        };
        if value.first.is_none() {
            return false;
        }
        if self.wrap == Wrap::Verbatim {
            out.extend_from_slice(before);
            self.work(text, value.first, out, effects);
            return true;
        }
        scratch.clear();
        self.work(text, value.first, scratch, effects);
        if **scratch == *text && !self.peels {
            return false;
        }
        out.extend_from_slice(before);
        self.wrap.write(scratch, value.raw, out);
        true
    }

    /// Reads the field that is written as `raw`, and [rewrites](Self::rewrite) it.
    pub fn field(
        &self,
        before: &[u8],
        raw: &[u8],
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
        effects: &mut Effects,
    ) -> bool {
        self.rewrite(before, &self.read(raw, None), scratch, out, effects)
    }

    /// Appends the result for `value` as an additional field, according to the rule of this transform.
    pub fn extra_field(&self, value: &Value, scratch: &mut Vec<u8>, out: &mut Vec<u8>, effects: &mut Effects) {
        scratch.clear();
        if let Some(text) = &value.text {
            self.work(text, value.first, scratch, effects);
        }
        self.wrap.write(scratch, b"", out);
    }

    /// Appends the result for the value `text`, according to the rule of this transform.
    pub fn written(&self, text: &[u8], scratch: &mut Vec<u8>, out: &mut Vec<u8>, effects: &mut Effects) {
        scratch.clear();
        self.work(text, self.triggers.find(text), scratch, effects);
        self.wrap.write(scratch, b"", out);
    }

    /// Appends the result for `value`. `first` is the offset of the first byte that may change.
    fn work(&self, value: &[u8], first: Option<usize>, out: &mut Vec<u8>, effects: &mut Effects) {
        if let Some(inner) = &self.inner {
            return inner.work(value, out, effects);
        }
        let Some(part) = self.part else { return self.piece(value, first, out, effects) };
        let mut at = 0;
        for range in part.ranges(value, self.syntax) {
            out.extend_from_slice(&value[at..range.start]);
            let start = out.len();
            let piece = &value[range.clone()];
            self.piece(piece, self.triggers.find(piece), out, effects);
            if part == Part::Path && range.start == 0 && !self.is_raw {
                escape_colons_of_first_segment(out, start);
            }
            at = range.end;
        }
        out.extend_from_slice(&value[at..]);
    }

    fn piece(&self, text: &[u8], first: Option<usize>, out: &mut Vec<u8>, effects: &mut Effects) {
        if first.is_none() {
            return out.extend(text);
        }
        if let Action::Encode(encoder) = &self.action {
            encoder.encode_into(text, out);
            return;
        }
        if let Action::Verb(config) = &self.action {
            return self.carry_out(config, text, out, effects);
        }
        if self.counts_malformed {
            // Decoding an escape makes the text two bytes shorter, so this is the number of escapes. Every other `%` is
            // malformed.
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

    /// Appends the result of a verb for `text`. If the verb fails, appends `text`.
    fn carry_out(&self, config: &VerbConfig, text: &[u8], out: &mut Vec<u8>, effects: &mut Effects) {
        let around = FieldContext { guard: &self.guard, plus: self.plus, layers: self.layers, syntax: self.syntax };
        let start = out.len();
        let carried_out = match config.lists {
            true => config.verb.find(text, &around, &mut effects.diagnostics),
            false => config.verb.apply(text, &around, out),
        };
        if let Err(diagnostic) = carried_out {
            out.truncate(start);
            out.extend(text);
            effects.diagnostics.bad(diagnostic, config.on_bad);
        }
    }
}

/// Returns the places where a `+` is a space: in the field, or in the part of the field that the action works on.
fn plus_of(action: &Action, part: Option<Part>, guard: &Guard, syntax: Syntax) -> Plus {
    let plus = match action {
        Action::Decode { plus } => *plus,
        Action::Verb(config) => config.verb.plus(),
        _ => return Plus::Never,
    };
    match plus {
        // If `%20` has to stay, `+` has to stay too, because the decoder would turn it into the same space.
        _ if guard.keep().contains(b' ') => Plus::Never,
        Plus::AfterQuery if matches!(part, Some(Part::Path | Part::Fragment)) && !syntax.is_query() => Plus::Never,
        plus => plus_in(plus, if part.is_some() { Syntax::Query } else { syntax }),
    }
}

/// Returns the places where a `+` is a space in a value of the syntax `syntax`.
pub fn plus_in(plus: Plus, syntax: Syntax) -> Plus {
    if plus == Plus::AfterQuery && syntax.is_query() { Plus::Always } else { plus }
}
