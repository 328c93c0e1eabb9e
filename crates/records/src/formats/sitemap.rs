//! Sitemaps (sitemaps.org): the text of `loc` elements, which stays text of XML.
//!
//! A record ends with `>`, so that the text of an element is a record with the tag that ends it, however long the line.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use percent_simd::{ByteSet, Encoder};

use super::{CONTROLS, Choice, ExtraField, Field, Format, Kind, Layout, Plan, Row, Rule, Syntax, Wrap};
use crate::framing::Framing;

pub const SITEMAP: Row = Row {
    name: "sitemap",
    help: "sitemaps: XML stays XML",
    fields: "loc",
    build: |choice| Ok(Box::new(Sitemap::new(choice)?)),
    sniff: |sample| {
        sample.head.trim_ascii_start().starts_with(b"<")
            && (memmem::find(sample.head, b"<urlset").is_some()
                || memmem::find(sample.head, b"<sitemapindex").is_some())
    },
};

/// Elements that hold URLs: those of sitemaps, and of their extensions for images and videos.
const ENDS: [&[u8]; 5] =
    [b"</loc>", b"</image:loc>", b"</video:content_loc>", b"</video:player_loc>", b"</video:thumbnail_loc>"];

struct Sitemap {
    plan: Plan,
}

impl Sitemap {
    fn new(choice: &Choice) -> Result<Sitemap, String> {
        if let Some(field) = choice.fields.iter().find(|field| *field != "loc") {
            return Err(super::unknown(field, "sitemap", &["loc"]));
        }
        Ok(Sitemap { plan: Plan::of_one("loc", Rule { keep: CONTROLS, wrap: Wrap::Xml, syntax: Syntax::Reference }) })
    }
}

impl Format for Sitemap {
    fn framing(&self) -> Framing {
        Framing::Tags
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Nowhere
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(text) = ENDS.iter().find_map(|end| record.strip_suffix(&end[..end.len() - 1])) else {
            return Kind::Comment;
        };
        // In a section of CDATA or a comment it is no text of an element.
        if memchr(b'<', text).is_some() {
            return Kind::Comment;
        }
        fields.push(Field { choice: 0, range: 0..text.len(), rule: 0, object: None });
        Kind::Data
    }
}

/// The characters that have to be, or may be, references in text (XML 1.0, 2.4 and 4.6).
const ENTITIES: [(&str, char); 5] = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("apos;", '\'')];

/// Returns true for the characters that XML can hold (XML 1.0, 2.2), as text or as a reference.
const fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Bytes that XML can't hold, and CR: whoever reads XML makes LF of it (2.11).
pub const NOT_HELD: ByteSet = ByteSet::range(0, 0x1F).difference(ByteSet::of(b"\t\n"));

/// Returns the text that `raw` stands for, or `None` if it is not well-formed.
pub fn unescaped(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let text = str::from_utf8(raw).ok()?;
    if !text.chars().all(is_char) {
        return None;
    }
    if !text.contains('&') {
        return Some(Cow::Borrowed(raw));
    }
    let mut pieces = text.split('&');
    let mut out = pieces.next()?.to_string();
    for piece in pieces {
        if let Some((name, c)) = ENTITIES.iter().find(|(name, _)| piece.starts_with(name)) {
            out.push(*c);
            out.push_str(&piece[name.len()..]);
            continue;
        }
        let (number, rest) = piece.strip_prefix('#')?.split_once(';')?;
        let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
        if !digits.starts_with(|c: char| c.is_digit(radix)) {
            return None;
        }
        let c = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)?;
        // A CR could only be written as a reference again, and others in the text are line ends.
        out.push(Some(c).filter(|&c| is_char(c) && c != '\r')?);
        out.push_str(rest);
    }
    Some(Cow::Owned(out.into_bytes()))
}

/// Appends `text` as it stands in an element. Characters that XML can't hold stay percent-encoded.
pub fn push_escaped(text: &str, out: &mut Vec<u8>) {
    const ALL: Encoder = Encoder::new(ByteSet::EMPTY);
    for c in text.chars() {
        let mut utf8 = [0; 4];
        let bytes = c.encode_utf8(&mut utf8).as_bytes();
        match ENTITIES.iter().find(|(_, escaped)| *escaped == c) {
            Some((name, _)) => {
                out.push(b'&');
                out.extend(name.bytes());
            }
            None if is_char(c) => out.extend(bytes),
            None => out.extend(ALL.encode(bytes).bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_only_if_it_is_well_formed() {
        for (raw, text) in [
            ("a&amp;b&#x41;&#66;&lt;&gt;&quot;&apos;\t\r\n\u{FFFD}\u{10FFFF}", "a&bAB<>\"'\t\r\n\u{FFFD}\u{10FFFF}"),
            ("&#xFFFD;&#x10FFFF;&#9;", "\u{FFFD}\u{10FFFF}\t"),
        ] {
            assert_eq!(unescaped(raw.as_bytes()).as_deref(), Some(text.as_bytes()), "{raw}");
        }
        for raw in [
            "&",
            "&a;",
            "&amp",
            "&#;",
            "&#x;",
            "&#+65;",
            "&#x+41;",
            "&#-1;",
            "&#X41;",
            "&#65",
            "&#0;",
            "&#1;",
            "&#xD800;",
            "&#xFFFE;",
            "&#65535;",
            "&#x110000;",
            "&#xFFFFFFFFF;",
            "&#13;",
            "\u{FFFE}",
            "\u{FFFF}",
            "a\0",
            "\u{1B}",
        ] {
            assert_eq!(unescaped(raw.as_bytes()), None, "{raw}");
        }
        assert_eq!(unescaped(b"\xFF"), None);
    }
}
