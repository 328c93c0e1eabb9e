//! Finds host names that look like other names (UTS 39), with the tables of the crate `unicode-security`.

use alloc::borrow::Cow;

use idna::uts46::{AsciiDenyList, Hyphens, Uts46};
use percent_simd::Decoder;
use unicode_security::mixed_script::AugmentedScriptSet;

use super::finding::FindingKind;

/// Returns the finding for a host name. The name may be raw or escaped, and in Unicode or in Punycode.
///
/// If one label has a finding, the host has the same finding. `MixedScript` is more certain than `Confusable`, so if a
/// host has both, the finding is `MixedScript`.
pub(super) fn finding(host: &[u8]) -> Option<FindingKind> {
    let is_plain = |host: &[u8]| host.is_ascii() && !host.windows(4).any(|four| four.eq_ignore_ascii_case(b"xn--"));
    let name = Decoder::new().decode(host);
    if is_plain(&name) {
        return None;
    }
    // We ignore errors. If one part of the name has an error, `to_unicode` still decodes the other parts.
    let (name, _) = Uts46::new().to_unicode(&name, AsciiDenyList::EMPTY, Hyphens::Allow);
    let mut labels = name.split('.').filter(|label| !label.is_ascii());
    if labels.clone().any(mixes_scripts) {
        return Some(FindingKind::MixedScript);
    }
    // If the last label is clearly in another script, the name isn't misleading.
    let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    (looks_like_ascii(last) && labels.any(looks_like_ascii_by_accident)).then_some(FindingKind::Confusable)
}

/// Returns true if the scripts of a label keep it from being `Highly Restrictive` ([UTS 39
/// 5.2](https://www.unicode.org/reports/tr39/#Restriction_Level_Detection)).
///
/// A label may have one script. It may also mix the scripts with which Chinese, Japanese or Korean is written, and add
/// Latin to them.
fn mixes_scripts(label: &str) -> bool {
    let all = || AugmentedScriptSet::for_str("");
    let latin = AugmentedScriptSet::for_char('a');
    let (mut scripts, mut without_latin) = (all(), all());
    for character in label.chars() {
        let of_character = AugmentedScriptSet::for_char(character);
        scripts.intersect_with(of_character);
        let mut shared = of_character;
        shared.intersect_with(latin);
        if shared.is_empty() {
            without_latin.intersect_with(of_character);
        }
    }
    scripts.is_empty() && !(without_latin.hanb || without_latin.jpan || without_latin.kore)
}

/// Returns true if the label is ASCII, or if an ASCII text has the same skeleton ([UTS 39
/// 4](https://www.unicode.org/reports/tr39/#Confusable_Detection)).
fn looks_like_ascii(label: &str) -> bool {
    label.is_ascii() || unicode_security::skeleton(label).all(|character| character.is_ascii())
}

/// Returns true if a label isn't ASCII but looks like ASCII. `æ` and `œ` count as ASCII, because a reader sees that
/// they differ from `ae` and `oe`.
fn looks_like_ascii_by_accident(label: &str) -> bool {
    let label: Cow<'_, str> = match label.contains(['æ', 'œ']) {
        true => Cow::Owned(label.replace(['æ', 'œ'], "ae")),
        false => Cow::Borrowed(label),
    };
    !label.is_ascii() && looks_like_ascii(&label)
}
