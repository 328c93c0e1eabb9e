//! Decodes the parts of URLs.

use percent_simd::{ByteSet, Plus};
use percent_simd_records::formats::{Rule, Syntax, Wrap};
use percent_simd_records::transform::{Action, Spec, Transform};

use super::part::Part;
use crate::component::{PERCENT, hides_separators};

/// Decodes one part of the URLs, and keeps the escapes of its separators.
pub struct Decoding {
    separators: ByteSet,
    plain: Transform,
    /// Does the same as `plain`, but also keeps `%25`. We use it if decoding a `%25` would make an escape of a
    /// separator. `None` if `%25` never has to be kept.
    careful: Option<Transform>,
}

impl Decoding {
    /// Returns the decoding of `part`. `spec` and `rule` apply to the whole field. If `is_raw` is true, separators are
    /// decoded too.
    pub fn new(part: &Part, spec: &Spec, is_raw: bool, rule: &Rule, layers: usize) -> Decoding {
        let action = match (part, &spec.action) {
            (Part::Parameter(_) | Part::Parameters | Part::Pairs, _) => Action::Decode { plus: Plus::Always },
            (_, action) => action.clone(),
        };
        let syntax = match part {
            Part::Query | Part::Parameter(_) | Part::Parameters | Part::Pairs => Syntax::Query,
            _ => Syntax::Reference,
        };
        // The strings of JSON can hold controls, but only UTF-8.
        let json = Rule { keep: ByteSet::EMPTY, wrap: Wrap::Verbatim, ..*rule };
        let (rule, raw) = if part.is_json() { (&json, false) } else { (rule, spec.raw) };
        let is_plus_space = matches!(action, Action::Decode { plus } if plus != Plus::Never);
        let separators = if is_raw { ByteSet::EMPTY } else { part.separators(is_plus_space) };
        let transform = |kept: ByteSet| {
            let spec = Spec { action: action.clone(), keep: spec.keep | kept, raw, ..spec.clone() };
            Transform::for_rule(&spec, &Rule { syntax, ..*rule }, layers)
        };
        // If several layers are decoded, `%252F` means the same as `%2F`. So `%25` has to be kept only if one layer is
        // decoded.
        let is_careful = !separators.is_empty() && layers == 1;
        let careful = is_careful.then(|| transform(separators | PERCENT));
        Decoding { separators, plain: transform(separators), careful }
    }

    /// Returns the transform for a part with this text.
    pub fn transform(&self, text: &[u8]) -> &Transform {
        match &self.careful {
            Some(careful) if hides_separators(text, self.separators) => careful,
            _ => &self.plain,
        }
    }
}
