//! Sitemaps (sitemaps.org). The fields are the texts of `loc` elements, and the output is valid XML.
//!
//! A record ends with `>`. So the text of an element and its end tag `</loc>` are one record, even if the whole file is one line.

use memchr::{memchr, memmem};

use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, unknown};
use super::shape::CONTROLS;
use super::wrap::Wrap;
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

/// The end tags of elements with URLs, in sitemaps and in their extensions for images and videos.
const ENDS: [&[u8]; 5] =
    [b"</loc>", b"</image:loc>", b"</video:content_loc>", b"</video:player_loc>", b"</video:thumbnail_loc>"];

struct Sitemap {
    schema: Schema,
}

impl Sitemap {
    fn new(choice: &Choice) -> Result<Sitemap, String> {
        if let Some(field) = choice.fields.iter().find(|field| *field != "loc") {
            return Err(unknown(field, "sitemap", &["loc"]));
        }
        Ok(Sitemap {
            schema: Schema::of_one("loc", Rule { keep: CONTROLS, wrap: Wrap::Xml, syntax: Syntax::Reference }),
        })
    }
}

impl Format for Sitemap {
    fn framing(&self) -> Framing {
        Framing::Tags
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(text) = ENDS.iter().find_map(|end| record.strip_suffix(&end[..end.len() - 1])) else {
            return Kind::Comment;
        };
        // A `<` in the text starts CDATA or a comment. We don't read these, so we copy the record.
        if memchr(b'<', text).is_some() {
            return Kind::Comment;
        }
        fields.push(Field { choice: 0, range: 0..text.len(), rule: 0, object: None });
        Kind::Data
    }
}
