//! Transforms a field: decodes, normalizes or encodes it, but for what its format keeps.

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
pub use self::rewriter::Rewriter;
pub use self::value::{Triggers, Value};
use crate::diagnostic::Diagnostics;
use crate::formats::{Format, Rule, Syntax, Wrap};
use crate::guard::Guard;
use crate::policy::Policy;
use crate::verb::{FieldContext, VerbConfig};

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
    /// The bytes without which a value stays as it is.
    triggers: Triggers,
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
        format.schema().rules.iter().map(new).collect()
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

    /// Reads the field that is written as `raw`, and finds the first byte of its value that may change.
    ///
    /// `known` is the offset in `raw` of a byte in front of which nothing can change, if the caller has found one.
    #[inline]
    pub fn read<'a>(&self, raw: &'a [u8], known: Option<usize>) -> Value<'a> {
        let text = self.wrap.read(raw);
        let is_raw = matches!(&text, Some(Cow::Borrowed(text)) if text.len() == raw.len());
        let known = known.filter(|&at| is_raw && raw.get(at) == Some(&b'%') && !matches!(self.triggers, Triggers::Any));
        let first = known.or_else(|| self.triggers.find(text.as_deref()?));
        Value { raw, text, first }
    }

    /// Reads the field that is written as `raw`, and does not look for bytes that may change.
    #[inline]
    pub fn read_unchanged<'a>(&self, raw: &'a [u8]) -> Value<'a> {
        Value { raw, text: self.wrap.read(raw), first: None }
    }

    /// Calls `each` with the number, the syntax and the value of the field that is written as `raw`. If the field holds a record,
    /// calls it for each field of that.
    pub fn each_value(&self, choice: usize, raw: &[u8], each: &mut impl FnMut(usize, Syntax, Cow<[u8]>)) {
        let Some(value) = self.wrap.read(raw) else { return };
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

    /// Appends `before` and the new field for `value`, as it is written behind `before` in its record. Appends nothing if the
    /// field stays as it is. Returns true if it appends anything.
    pub fn rewrite(
        &self,
        before: &[u8],
        value: &Value,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
        effects: &mut Effects,
    ) -> bool {
        let Some(text) = value.text.as_deref() else {
            // It is not written as its format says.
            effects.unrecognized += 1;
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
        if **scratch == *text {
            return false;
        }
        out.extend_from_slice(before);
        self.wrap.write(scratch, value.raw.first() == Some(&b'"'), out);
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

    /// Appends the result for `value` as a field of its own.
    pub fn extra_field(&self, value: &Value, scratch: &mut Vec<u8>, out: &mut Vec<u8>, effects: &mut Effects) {
        scratch.clear();
        if let Some(text) = &value.text {
            self.work(text, value.first, scratch, effects);
        }
        self.wrap.write(scratch, false, out);
    }

    /// Appends the result for the value `text`, as it is written under the rule of this transform.
    pub fn written(&self, text: &[u8], scratch: &mut Vec<u8>, out: &mut Vec<u8>, effects: &mut Effects) {
        scratch.clear();
        self.work(text, self.triggers.find(text), scratch, effects);
        self.wrap.write(scratch, false, out);
    }

    /// Appends the result for `value`, in which `first` is the first byte that may change.
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
