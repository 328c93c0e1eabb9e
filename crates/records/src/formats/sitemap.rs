//! Sitemaps (sitemaps.org): the text of `loc` elements, which stays text of XML.
//!
//! A record ends with `>`, so that the text of an element is a record with the tag that ends it, however long the line.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::{CONTROLS, Choice, ExtraField, Field, Format, Kind, Layout, Plan, Row, Rule, Wrap};
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
        Ok(Sitemap { plan: Plan::of_one("loc", Rule { keep: CONTROLS, wrap: Wrap::Xml, query: false }) })
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

/// The text that `raw` stands for; `None` where it is not well-formed.
pub fn unescaped(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let text = str::from_utf8(raw).ok()?;
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
        let code = match number.strip_prefix('x') {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        out.push(code.ok().and_then(char::from_u32)?);
        out.push_str(rest);
    }
    Some(Cow::Owned(out.into_bytes()))
}

/// Appends `text` as it stands in an element.
pub fn push_escaped(text: &str, out: &mut Vec<u8>) {
    for c in text.chars() {
        match ENTITIES.iter().find(|(_, escaped)| *escaped == c) {
            Some((name, _)) => {
                out.push(b'&');
                out.extend(name.bytes());
            }
            None => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
}
