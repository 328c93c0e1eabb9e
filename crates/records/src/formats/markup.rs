//! XML and HTML with URLs: sitemaps, feeds, lists of feeds, and bookmarks. The fields are the texts of some elements
//! and the values of some attributes. The output is valid XML.
//!
//! A record ends with `>`. So a start tag with its attributes is a record, and so is the text of an element with the
//! end tag, such as `/x</loc>`. This works even if the whole file is one line.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};
use percent_simd::ByteSet;

use super::candidates::Candidates;
use super::format::{
    Choice, Field, Format, IS_MODULE, Kind, Layout, Mixed, Row, Rule, Schema, Syntax, field_names, row, unknown,
};
use super::role::{Hint, hint};
use super::shape::{CONTROLS, Sample, is_absolute, is_url, is_whole_url, starts_with_tag};
use super::urls::next_in_text;
use super::values::{is_file, judge};
use super::wrap::Wrap;
use crate::framing::Framing;

/// A place for a URL: the name of its field, an element, and an attribute of this element. If the attribute is an empty
/// string, the URL is the text of the element.
type Place = (&'static str, &'static [u8], &'static [u8]);

struct Shape {
    name: &'static str,
    /// The fields. Each is a default field.
    fields: &'static str,
    /// The places of the URLs. If the list is empty, each URL in a text or an attribute is a field.
    places: &'static [Place],
    /// If true, the text of any element may be a URL, because feeds of products have elements of their own. A link in their texts
    /// may lead to a place in the same page.
    is_open: bool,
    /// If true, names are compared without regard to case, and a value with a bare `&` may contain a `;`, too.
    is_html: bool,
}

/// sitemaps.org, and the extensions for images, videos and pages in other languages.
const S_SITEMAP: Shape = Shape {
    name: "sitemap",
    fields: "loc",
    places: &[
        ("loc", b"loc", b""),
        ("loc", b"image:loc", b""),
        ("loc", b"xhtml:link", b"href"),
        ("loc", b"video:content_loc", b""),
        ("loc", b"video:gallery_loc", b""),
        ("loc", b"video:player_loc", b""),
        ("loc", b"video:thumbnail_loc", b""),
    ],
    is_open: false,
    is_html: false,
};
/// RSS 2.0 (rssboard.org), Atom (RFC 4287), Media RSS, and OPML 2.0 (opml.org).
const S_FEED: Shape = Shape {
    name: "feed",
    fields: "link, url",
    places: &[
        ("link", b"link", b""),
        ("link", b"link", b"href"),
        ("link", b"atom:link", b"href"),
        ("link", b"guid", b""),
        ("link", b"comments", b""),
        // The content of an entry is HTML.
        ("link", b"a", b"href"),
        ("url", b"img", b"src"),
        ("url", b"url", b""),
        ("url", b"enclosure", b"url"),
        ("url", b"source", b"url"),
        ("url", b"content", b"src"),
        ("url", b"uri", b""),
        ("url", b"icon", b""),
        ("url", b"logo", b""),
        ("url", b"media:content", b"url"),
        ("url", b"media:thumbnail", b"url"),
        ("url", b"itunes:image", b"href"),
        ("url", b"outline", b"xmlUrl"),
        ("url", b"outline", b"htmlUrl"),
        ("url", b"outline", b"url"),
        ("url", b"ownerId", b""),
    ],
    is_open: true,
    is_html: false,
};
/// learn.microsoft.com, Netscape Bookmark File Format. All browsers export this format.
const S_BOOKMARKS: Shape = Shape {
    name: "bookmarks",
    fields: "href",
    places: &[("href", b"a", b"href"), ("href", b"a", b"feedurl")],
    is_open: false,
    is_html: true,
};

/// XML of any other kind, such as the reports of Burp Suite, ZAP, Nikto, Wapiti and Acunetix.
const S_XML: Shape = Shape { name: "xml", fields: "url", places: &[], is_open: false, is_html: false };

row!(Markup, SITEMAP, S_SITEMAP, "sitemaps: XML stays XML", |sample| {
    has_tag(sample, &[b"<urlset", b"<sitemapindex"])
});
row!(Markup, FEED, S_FEED, "RSS, Atom and OPML: XML stays XML", |sample| {
    has_tag(sample, &[b"<rss", b"<rdf:RDF", b"<opml", b"http://www.w3.org/2005/Atom"])
});
row!(Markup, BOOKMARKS, S_BOOKMARKS, "bookmarks.html, as browsers export it", |sample| {
    has_tag(sample, &[b"<!DOCTYPE NETSCAPE-Bookmark-file-1>"])
});

row!(Markup, XML, S_XML, "XML of any kind: all URLs in it", |sample| {
    has_tag(sample, &[b"</", b"/>"]) && is_xml(sample.head)
});

/// Returns true if the input starts with a tag and contains one of `tags`.
fn has_tag(sample: &Sample, tags: &[&[u8]]) -> bool {
    starts_with_tag(sample.head) && tags.iter().any(|tag| memmem::find(sample.head, tag).is_some())
}

/// Returns true if the input starts with an XML declaration (XML 1.0, 4.3.3) or an HTML document type, and declares a
/// charset other than UTF-8.
pub fn is_legacy(sample: &Sample) -> bool {
    let start = sample.head.trim_ascii_start();
    let start = start[..start.len().min(1024)].to_ascii_lowercase();
    let (end, name) = match &start[..] {
        [b'<', b'?', b'x', b'm', b'l', ..] => (memmem::find(&start, b"?>"), "encoding"),
        _ if start.starts_with(b"<!doctype") => (None, "charset"),
        _ => return false,
    };
    let text = &start[..end.unwrap_or(start.len())];
    let charset = || {
        let after = &text[memmem::find(text, name.as_bytes())? + name.len()..];
        let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        value.split(|byte| b"\"' \t\r\n;>/".contains(byte)).find(|value| !value.is_empty())
    };
    charset().is_some_and(|charset| ![&b"utf-8"[..], b"utf8"].contains(&charset))
}

/// Returns true if `head` isn't HTML, and has a URL in a text or an attribute.
fn is_xml(head: &[u8]) -> bool {
    let mut elements = head.split(|&byte| byte == b'<').filter(|tag| tag.first().is_some_and(u8::is_ascii_alphabetic));
    let is_html = |tag: &[u8]| tag.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"html"));
    let format = Markup::new(&S_XML, &Choice::default());
    let has_url = |format: Markup| {
        let is_data = |record| format.fields(record, &mut Layout::default(), &mut Vec::new()) == Kind::Data;
        head.split(|&byte| byte == b'>').any(is_data)
    };
    !elements.next().is_some_and(is_html) && format.is_ok_and(has_url)
}

/// Returns true for an attribute that names the syntax of the document.
fn is_syntax(attribute: &[u8]) -> bool {
    attribute.starts_with(b"xmlns") || attribute.ends_with(b"chemaLocation")
}

/// Returns the range of the text in a record such as `<![CDATA[http://h/x]]`, which lacks its final `>`. If the text contains a
/// `>`, the record ends at the first `>`.
///
/// The start tag of the element is in another record, so we don't know the element. But if the CDATA section consists of
/// one URL, it is a link in every element.
fn cdata(record: &[u8]) -> Option<Range<usize>> {
    let text = record.trim_ascii_start().strip_prefix(CDATA)?;
    let inner = text.strip_suffix(b"]]").unwrap_or(text);
    let from = record.len() - text.len();
    Some(trimmed(record, from..from + inner.len()))
}

/// Returns `range` without the blanks at its start and its end.
fn trimmed(record: &[u8], range: Range<usize>) -> Range<usize> {
    let text = record[range.clone()].trim_ascii_start();
    let start = range.end - text.len();
    start..start + text.trim_ascii_end().len()
}

const CDATA: &[u8] = b"<![CDATA[";

/// Returns true if `value` contains a `&` but no reference. Such XML is not well-formed, but some programs write URLs so, and
/// many readers accept it.
fn is_bare(value: &[u8]) -> bool {
    memchr(b'&', value).is_some() && memchr(b';', value).is_none()
}

/// Returns true if a blank or a line end, and another URL, follow the URL at the start of `text`.
fn has_next_url(text: &[u8]) -> bool {
    let blank = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    memmem::find(&text[blank..], b"://").is_some()
}

/// Returns true if `text`, the whole text of the element or attribute called `name`, is the target of a request. The name of a
/// CDATA section is empty. A path without an escape or a query is a target if the name hints at URLs, or in a CDATA section.
fn is_target(name: &[u8], text: &[u8]) -> bool {
    let judgement = || judge(&mut [text].into_iter());
    text.starts_with(b"/")
        && judgement().is_some_and(|found| match hint(&String::from_utf8_lossy(name)) {
            Hint::Url => true,
            Hint::Maybe => found.is_sure || !is_file(text),
            Hint::Unknown => found.is_sure || name.is_empty() && !is_file(text),
            _ => false,
        })
}

/// The rules for texts and values of attributes: with references, and without any.
const IN_XML: usize = 0;
const IN_HTML: usize = 1;
/// The rule for a CDATA section, and for a part of a text, an attribute, a comment or such a section.
const IN_ANY: usize = 2;
/// The rules for targets come after these rules, in the same order.
const TARGETS: usize = 3;
/// The rules for whole values, `IN_XML` and `IN_HTML`, come after the three lists of [`Schema::set_rules`].
const WHOLE: usize = 3 * 2 * TARGETS;

/// Among other text, these bytes end a URL. So if every text is a field, a decoded one could end the URL.
const ENDS: ByteSet = ByteSet::of(b" \"<>\\");

struct Markup {
    shape: &'static Shape,
    schema: Schema,
}

impl Markup {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Markup, String> {
        let names = field_names(shape.fields);
        if let Some(field) = choice.fields.iter().find(|field| !names.contains(&field.as_str())) {
            return Err(unknown(field, shape.name, &names));
        }
        let rule = |keep, wrap| Rule { keep, wrap, syntax: Syntax::Reference };
        let xml = Wrap::Xml { is_ascii: choice.is_legacy };
        let verbatim = if choice.is_legacy { CONTROLS | !ByteSet::ASCII } else { CONTROLS };
        // In a value with a bare `&`, a semicolon could end a reference.
        let html = verbatim | ByteSet::of(b"\"'<>&;");
        // A comment must not contain `--` (XML 1.0, 2.5).
        let any = html | ByteSet::of(b"]-");
        let mut schema = Schema::new(choice, names, [""; 0]);
        let raw = |keep| rule(keep, Wrap::Verbatim);
        let mut rules = vec![rule(CONTROLS, xml), raw(html), raw(any)];
        if shape.places.is_empty() {
            schema.mixed = vec![Some(Mixed::Text)];
            rules.iter_mut().for_each(|rule| rule.keep = rule.keep | ENDS);
            rules.extend_from_within(..);
            rules[TARGETS..].iter_mut().for_each(|rule| rule.syntax = Syntax::Target);
        }
        schema.set_rules(rules, next_in_text);
        if shape.places.is_empty() {
            schema.rules.extend_from_within(..IN_ANY);
        }
        Ok(Markup { shape, schema })
    }

    fn is_same(&self, name: &[u8], known: &[u8]) -> bool {
        if self.shape.is_html { name.eq_ignore_ascii_case(known) } else { name == known }
    }

    /// If every place is a field, and the text of the element or attribute `name` has a URL or a target, adds a field with
    /// the bounds `range`. Otherwise passes the name and the text to `others`.
    ///
    /// If `is_url` is true, the name promises a URL. Blanks in its value belong to the URL.
    fn add_text(&self, record: &[u8], name: &[u8], range: Range<usize>, rule: usize, is_url: bool, parts: &mut Parts) {
        if !self.shape.places.is_empty() {
            return;
        }
        let text = &record[range.clone()];
        let rule = if rule == IN_XML && is_bare(text) { IN_HTML } else { rule };
        // Every URL and every target has a slash. Some programs write it as a reference.
        let has_references = rule == IN_XML && !text.contains(&b'/') && text.contains(&b'&');
        let read = if has_references { self.schema.rules[IN_XML].wrap.read(text) } else { None };
        let has_slash = read.as_deref().unwrap_or(text).contains(&b'/');
        let range = if has_slash { trimmed(record, range) } else { range };
        let text = &record[range.clone()];
        let value = read.as_deref().map_or(text, <[u8]>::trim_ascii);
        let rule = match () {
            () if has_slash && is_whole_url(value) => rule,
            () if has_slash && is_url && is_absolute(value) && !has_next_url(value) => WHOLE + rule,
            () if has_slash && is_target(name, value) => TARGETS + rule,
            () if has_slash && next_in_text(value, 0).is_some() => rule,
            () if !IS_MODULE => return (parts.others)(name, text),
            () => return,
        };
        parts.fields.push(Field { choice: 0, range, rule, object: None });
    }

    /// If the place with `element` and `attribute` is chosen, adds a field with the bounds `range`.
    fn add(&self, record: &[u8], element: &[u8], attribute: &[u8], range: Range<usize>, parts: &mut Parts) {
        if !is_syntax(attribute) {
            let name = if attribute.is_empty() { element } else { attribute };
            let is_url = !attribute.is_empty() && hint(&String::from_utf8_lossy(name)) == Hint::Url;
            self.add_text(record, name, range.clone(), IN_XML, is_url, parts);
        }
        // A `guid` may be any string (RSS 2.0), and a link in HTML may lead to a place in the same page.
        let value = record[range.clone()].trim_ascii();
        let is_any = element == b"guid" || self.shape.is_open && element == b"a";
        if is_any && !is_url(value) {
            return;
        }
        let is_it = |place: &&Place| self.is_same(element, place.1) && self.is_same(attribute, place.2);
        let name = self.shape.places.iter().find(is_it).map(|place| place.0);
        let is_text = self.shape.is_open && attribute.is_empty();
        let is_other = || is_text && is_absolute(value) && is_whole_url(value);
        let Some(name) = name.or_else(|| is_other().then_some("url")) else {
            if !IS_MODULE && is_text {
                (parts.others)(element, value);
            }
            return;
        };
        let Some(choice) = self.schema.names.iter().position(|chosen| *chosen == name) else { return };
        let range = trimmed(record, range);
        // Some programs write bookmarks without references. A `&` in them is the byte itself.
        let value = &record[range.clone()];
        let has_references = || value.contains(&b'&') && self.schema.rules[IN_XML].wrap.read(value).is_some();
        let is_raw = if self.shape.is_html { !has_references() } else { is_bare(value) };
        let rule = if is_raw { IN_HTML } else { IN_XML };
        parts.fields.push(Field { choice, range, rule, object: None });
    }

    /// Adds the attributes of a start tag. `at` is the offset of the tag's name. If a quote doesn't close, adds no
    /// field.
    fn attributes(&self, record: &[u8], at: usize, parts: &mut Parts) {
        let before = parts.fields.len();
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let end = |from: usize, is_end: &dyn Fn(&u8) -> bool| {
            record[from..].iter().position(is_end).map_or(record.len(), |len| from + len)
        };
        let mut at_name = end(at, &|byte| is_blank(byte));
        let element = &record[at..at_name];
        let places = self.shape.places;
        if !places.is_empty() && !places.iter().any(|place| self.is_same(element, place.1)) {
            return;
        }
        loop {
            at_name = end(at_name, &|byte| !is_blank(byte));
            let name_end = end(at_name, &|byte| is_blank(byte) || *byte == b'=');
            let name = &record[at_name..name_end];
            let equals = end(name_end, &|byte| !is_blank(byte));
            if name.is_empty() || name == b"/" {
                return;
            }
            if record.get(equals) != Some(&b'=') {
                at_name = equals;
                continue;
            }
            let open = end(equals + 1, &|byte| !is_blank(byte));
            let Some(&quote @ (b'"' | b'\'')) = record.get(open) else { return };
            let Some(len) = memchr(quote, &record[open + 1..]) else {
                parts.fields.truncate(before);
                parts.is_cut = !IS_MODULE && next_in_text(record, open).is_some();
                return;
            };
            self.add(record, element, name, open + 1..open + 1 + len, parts);
            at_name = open + 1 + len + 1;
        }
    }

    /// Adds the fields of a record, and passes all other texts on.
    fn read(&self, record: &[u8], parts: &mut Parts) {
        if let Some(range) = cdata(record) {
            let choice = self.schema.names.iter().position(|name| self.shape.fields.starts_with(name));
            let text = &record[range.clone()];
            if self.shape.places.is_empty() {
                // A `>` may split the text.
                let name = if record.ends_with(b"]]") { &b""[..] } else { b"text" };
                self.add_text(record, name, range, IN_ANY, false, parts);
            } else if is_absolute(text) && is_whole_url(text) {
                parts.fields.extend(choice.map(|choice| Field { choice, range, rule: IN_ANY, object: None }));
            } else {
                // If the section has HTML, the record ends with its first tag.
                match memrchr(b'<', text) {
                    Some(tag) => self.attributes(record, range.start + tag + 1, parts),
                    None => (parts.others)(b"", text),
                }
            }
        } else if let Some(tag) = memrchr(b'<', record) {
            // A comment or a declaration has no attributes. If the text before a tag contains a `<`, it ends such a part. We
            // copy both.
            let has_text = tag > 0 && memchr(b'<', &record[..tag]).is_none();
            match record[tag + 1..].strip_prefix(b"/") {
                Some(element) if has_text => self.add(record, element.trim_ascii_end(), b"", 0..tag, parts),
                None if record.get(tag + 1) != Some(&b'!') => {
                    if has_text {
                        self.add_text(record, b"text", 0..tag, IN_XML, false, parts);
                    }
                    self.attributes(record, tag + 1, parts);
                }
                _ => {}
            }
        } else {
            // A `>` in a text, an attribute, a comment or a CDATA section splits it. So this part has no tag.
            let start = record.len() - record.trim_ascii_start().len();
            let is_url = || next_in_text(record, start).is_some_and(|(range, _)| range.start == start);
            parts.is_cut = !IS_MODULE && !self.shape.places.is_empty() && is_url();
            self.add_text(record, b"text", 0..record.len(), IN_ANY, false, parts);
        }
    }
}

/// The fields of a record, and a function that gets the name and the text of each other element or attribute.
struct Parts<'a> {
    fields: &'a mut Vec<Field>,
    others: &'a mut dyn FnMut(&[u8], &[u8]),
    /// True if a raw `>` splits a text or an attribute with a URL, so that the record has only a part of it.
    is_cut: bool,
}

impl Format for Markup {
    fn framing(&self) -> Framing {
        Framing::Tags
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the texts that are not read as URLs. The text of a CDATA section has the name of the tag before it.
    fn candidates(&self, head: &[u8]) -> Candidates {
        let (mut candidates, mut tag) = (Candidates::default(), &b""[..]);
        if IS_MODULE {
            return candidates;
        }
        for (number, record) in head.split(|&byte| byte == b'>').enumerate() {
            let mut others = |name: &[u8], text: &[u8]| {
                let name = String::from_utf8_lossy(if name.is_empty() { tag } else { name });
                let text = Wrap::Xml { is_ascii: false }.read(text.trim_ascii());
                candidates.push(&name, number, &text.unwrap_or_default());
            };
            self.read(record, &mut Parts { fields: &mut Vec::new(), others: &mut others, is_cut: false });
            let start = memrchr(b'<', record).map_or(record.len(), |at| at + 1);
            let name = record[start..].split(|byte| byte.is_ascii_whitespace() || b"/[]".contains(byte));
            tag = name.into_iter().next().unwrap_or_default();
        }
        candidates
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut parts = Parts { fields, others: &mut |_, _| (), is_cut: false };
        self.read(record, &mut parts);
        if parts.is_cut {
            fields.clear();
            return Kind::Unrecognized;
        }
        if fields.is_empty() { Kind::Comment } else { Kind::Data }
    }
}
