//! Lists every public operation of the standards, in the same form as the codec's list of operations.
//!
//! `scripts/linear` counts the instructions of these operations. `tests/alone/work.rs` counts the blocks that they
//! load, and the memory that they allocate.

use std::fmt::Write as _;
use std::hint::black_box;

use percent_simd::{ByteSet, Decoder, Encoder, sets};
use percent_simd_oracle::memory::outside;
use percent_simd_oracle::work::Operation;
pub use percent_simd_oracle::work::eight_times_the_input_is_eight_times_the_work;
#[cfg(feature = "all")]
use percent_standards::charset::Charset;
use percent_standards::ecma::{utf16, wtf8};
use percent_standards::form::cgi::{self, Words};
use percent_standards::form::html;
use percent_standards::form::xforms::{self, Separator};
use percent_standards::http::{ContentDisposition, ExtValue, Parameters, baggage};
use percent_standards::iri::{to_iri, to_uri};
use percent_standards::newline::Newline;
use percent_standards::uri::data::DataUrl;
use percent_standards::uri::file::{self, Style};
use percent_standards::uri::mailto::{self, Mailto};
use percent_standards::uri::purl::Purl;
#[cfg(feature = "all")]
use percent_standards::uri::registrable_domain;
use percent_standards::uri::template::{Template, Value};
use percent_standards::uri::{
    Authority, CanonicalQuery, Component, Level, Normalizer, PathNormalizer, QueryOrder, RequestTarget, Requoter,
    Separators, Step, Uri, equivalent, lint, remove_dot_segments, urn,
};
use percent_standards::{ecma, form, http, iri, uri, waf, whatwg};

const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
const DECODER: Decoder = Decoder::new();

/// The name of each public operation, and a function that runs it on an input.
pub const OPERATIONS: &[Operation] = &[
    ("form::parse", |text| _ = black_box(form::parse(text).count())),
    ("form::serialize", |text| _ = black_box(form::serialize([(text, text)]))),
    ("Uri::split", |text| _ = black_box(Uri::split(text).segments().count())),
    ("Uri::parse", |text| _ = black_box(Uri::parse(text).is_ok())),
    ("UriBuf::as_uri", |text| _ = black_box(text.parse::<uri::UriBuf>().map(|uri| uri.as_uri().path.len()))),
    ("RequestTarget::split, parse", |text| {
        for front in ["/", "s://", "h:"] {
            let target = outside(|| [front, text].concat());
            let split = RequestTarget::split(&target);
            _ = black_box((split.segments().count(), split.query_pairs().count(), split.authority_parts().is_some()));
            _ = black_box((
                RequestTarget::parse("GET", &target).is_ok(),
                RequestTarget::parse("CONNECT", text).is_ok(),
            ));
        }
    }),
    ("Uri::resolve", |text| _ = black_box(Uri::split("s://h/a/b").resolve(&Uri::split(text)).is_ok())),
    ("remove_dot_segments", |text| _ = black_box(remove_dot_segments(text))),
    ("Normalizer::sanitize", |text| _ = black_box(Normalizer::new().by_scheme().sanitize(text))),
    ("Normalizer::canonical_ipv6", |text| {
        let reference = outside(|| ["http://[::", text, "]/", text].concat());
        _ = black_box(Normalizer::new().canonical_ipv6().sanitize(&reference));
    }),
    ("equivalent", |text| _ = black_box(equivalent(text, &outside(|| [text, "b"].concat()), Level::PathSegment))),
    ("redact, passwords", |text| {
        let text = outside(|| ["x://u:", text, "@h"].concat());
        _ = black_box((uri::redact(&text), uri::redact_bytes(&text), uri::passwords(&text).count()));
    }),
    ("Authority: user, password, hosts", |text| {
        let text = outside(|| [text, ":", text, "@h,", text].concat());
        let authority = Authority::split(&text);
        _ = black_box((authority.user(), authority.password(), authority.hosts().count()));
    }),
    ("file: from_path, to_path", |text| {
        let path = outside(|| ["/c:/", text].concat());
        let url = outside(|| ["file:///c:/", text].concat());
        // The type `Path` is in std.
        #[cfg(feature = "std")]
        {
            _ = black_box((file::from_path(&path).is_ok(), file::to_path(&url).is_ok()));
        }
        _ = black_box(file::from_path_with(&path[1..], Style::Windows).is_ok());
        _ = black_box(file::to_path_with(&url, Style::Windows).is_ok());
        _ = black_box(file::to_text_with(&url, Style::Windows).is_ok());
        let mut out = outside(|| vec![0; 3 * url.len()]);
        _ = black_box(file::from_path_slice(&path[1..], Style::Windows, &mut out).is_ok());
        _ = black_box(file::to_path_slice(&url, Style::Windows, &mut out).is_ok());
    }),
    ("lint", |text| {
        for front in ["", "//", "://", "é"] {
            let text = outside(|| text.replace('/', front));
            _ = black_box(lint(&text).count());
        }
    }),
    ("uri::repair", |text| {
        for (front, from, to) in [
            ("", "%", "%"),
            ("http:\\\\h\\", "/", "\\"),
            ("/?", "&", "&amp;"),
            ("/?", "/", "&"),
            ("/?", "%", "a b"),
            ("/", "%", "=\n"),
            ("/", "%4", "%254"),
        ] {
            let link = outside(|| [front, &text.replace(from, to)].concat());
            let repaired = uri::repair(&link);
            _ = black_box((repaired.fault().is_some(), repaired.changes.len()));
            let repairer = uri::Repairer::none().with(uri::RepairKind::Idn).without(uri::RepairKind::Space);
            _ = black_box((repairer.has(uri::RepairKind::Idn), repairer.repair_with(&link, |_| None)));
            let mut out = outside(|| vec![0; 4 * link.len()]);
            _ = black_box(uri::Repairer::new().repair_slice(&link, &mut out, |_| {}).is_ok());
        }
    }),
    ("Template::expand", |text| {
        if let Ok(template) = Template::parse("{a}{+b}{?c*}") {
            _ = black_box(template.expand_with(|_| Some(Value::Text(text))).is_ok());
        }
    }),
    ("to_iri", |text| _ = black_box(to_iri(text))),
    ("to_uri", |text| _ = black_box(to_uri(text))),
    ("ecma::decode_uri", |text| _ = black_box(ecma::decode_uri(text).is_ok())),
    ("ecma::escape, unescape", |text| _ = black_box(ecma::unescape(&ecma::escape(text)).is_ok())),
    ("iri::normalize", |text| _ = black_box(iri::normalize(text).is_ok())),
    ("uri::normalize_path", |text| _ = black_box(uri::normalize_path(text).is_ok())),
    ("uri::encode_path", |text| _ = black_box(uri::encode_path(text))),
    ("whatwg::encode_path", |text| _ = black_box(whatwg::encode_path("http", text))),
    ("DataUrl", |text| {
        if let Some(url) = DataUrl::parse(&outside(|| ["data:a/b;c=\"", text, "\";base64,", text].concat())) {
            _ = black_box((url.mime_type(), url.decode().is_ok()));
        }
    }),
    ("ExtValue", |text| _ = black_box(ExtValue::parse(&outside(|| ["UTF-8''", text].concat())).is_ok())),
    ("Newline::apply", |text| _ = black_box(Newline::CrLf.apply(text))),
    ("form::Parser, strict", |text| {
        _ = black_box(form::Parser::new().strict().parse(text).filter(Result::is_ok).count());
    }),
    ("form::Serializer, many pairs", |text| {
        _ = black_box(form::serialize(text.as_bytes().chunks(10).map(|part| (part, part))));
    }),
    ("form::html", |text| {
        let entries: Vec<_> = outside(|| text.split('/').map(|part| html::Entry::text(part, part)).collect());
        let form = html::Form::new(&entries);
        _ = black_box((form.urlencoded(), form.text_plain(), form.get(text), form.mail_with_headers("mailto:a?b")));
        _ = black_box((html::multipart_escape(text), html::isindex_query(text)));
    }),
    ("form::xforms", |text| _ = black_box(xforms::serialize([(text, text)], Separator::Ampersand))),
    ("form::cgi", |text| {
        _ = black_box((cgi::arguments(text, Words::Strict), cgi::arguments(text, Words::Lenient), cgi::split(text)));
        _ = black_box(cgi::query(text.split('/')));
    }),
    ("Mailto", |text| {
        if let Some(mailto) = Mailto::parse(&outside(|| ["mailto:", text, "?", text].concat())) {
            _ = black_box((mailto.recipients().count(), mailto.fields().count(), mailto.field("z").is_some()));
        }
        _ = black_box(mailto::build(&[text], &[(text, text)]).is_ok());
    }),
    ("Urn", |text| {
        let text = outside(|| ["urn:ab:", text].concat());
        _ = black_box((
            urn::normalize(&text).is_ok(),
            urn::equivalent(&text, &text),
            urn::encode_nss_2141(&text).is_ok(),
        ));
    }),
    ("Requoter", |text| _ = black_box(Requoter::new(sets::RFC3986_UNRESERVED).requote(text))),
    ("PathNormalizer::normalize_slice", |text| {
        let mut out = outside(|| vec![0; 3 * text.len() + 1]);
        _ = black_box(PathNormalizer::new().normalize_slice(text, &mut out).is_ok());
    }),
    ("PathNormalizer, with options", |text| {
        let normalizer = PathNormalizer::new().merge_slashes().separators(Separators::Reject);
        _ = black_box(normalizer.reject(ByteSet::of(b";")).normalize(text).is_ok());
    }),
    ("Normalizer::only", |text| _ = black_box(Normalizer::new().only(&[Step::Host, Step::Path]).sanitize(text))),
    ("CanonicalQuery", |text| {
        // Sorting many names takes more than linear time. So most of the input is values.
        let query: String = outside(|| {
            let values = text.as_bytes().chunks(200).map(|value| String::from_utf8_lossy(value).replace('&', "+"));
            values.enumerate().map(|(n, value)| format!("{n:09}={value}&")).collect()
        });
        for canonical in [CanonicalQuery::sigv4(), CanonicalQuery::cache_key().order(QueryOrder::NameAndValue)] {
            let canonical = canonical.drop_names(&["a*"]);
            _ = black_box((canonical.canonicalize(&query), canonical.is_canonical(&query)));
            _ = black_box(canonical.canonicalize_slice(&query, &mut outside(|| vec![0; 4 * query.len()])).is_ok());
        }
        for canonical in [CanonicalQuery::oauth1(), CanonicalQuery::as_written()] {
            _ = black_box(canonical.canonicalize_uri(text));
        }
        _ = black_box(form::Pairs::parse(&query).sorted().serialize());
    }),
    ("Purl", |text| {
        let text = outside(|| ["pkg:git/a/", text].concat());
        if let Ok(purl) = Purl::parse(&text) {
            let built = Purl::builder(purl.package_type(), purl.name()).namespace(purl.namespace().unwrap_or_default());
            let built = built.version(&text).qualifier("a", &text).subpath(&text).build();
            _ = black_box((built.map(|built| built.to_string()), purl.qualifier("z").is_some()));
            _ = black_box((purl.version(), purl.subpath(), purl.qualifiers().count()));
        }
    }),
    ("Template::parse, many variables", |text| {
        let text = outside(|| text.replace('%', "{a}").replace('&', "{?b*}"));
        if let Ok(template) = Template::parse(&text) {
            let expanded = template.expand(&[("a", Value::Text("%")), ("b", Value::Text("é"))]);
            _ = black_box((template.variables().count(), expanded.is_ok()));
        }
    }),
    ("uri::data::build", |text| {
        _ = black_box((uri::data::build("a/b", text), uri::data::build_base64("a/b", text)));
        _ = black_box(uri::data::forgiving_base64(text).is_ok());
    }),
    ("whatwg::encode_query, encode_opaque_path", |text| {
        _ = black_box((whatwg::encode_query("http", text), whatwg::encode_opaque_path(text, true)));
    }),
    ("waf::url_decode_uni", |text| _ = black_box(waf::url_decode_uni(text))),
    ("http: cookies and messages", |text| {
        _ = black_box((http::encode_cookie_value(text), http::decode_cookie_value(text)));
        _ = black_box((http::encode_grpc_message(text), http::decode_grpc_message(text)));
    }),
    ("ecma::decode_with_u, unescape_utf16, unescape_wtf8", |text| {
        let text = outside(|| text.replace("%4", "%uD83D"));
        _ = black_box((ecma::decode_with_u(&text), ecma::find_u_escape(&text)));
        _ = black_box((ecma::unescape_utf16(&text), ecma::unescape_wtf8(&text), ecma::unescape_lossy(&text)));
    }),
    ("ecma::utf16", |text| {
        let units: Vec<u16> = outside(|| text.encode_utf16().collect());
        _ = black_box((utf16::encode_uri(&units).is_ok(), utf16::decode_uri_component(&units).is_ok()));
        _ = black_box((utf16::escape(&units), utf16::unescape(&units)));
    }),
    ("ecma::wtf8", |text| {
        let bytes = text.as_bytes();
        _ = black_box((wtf8::encode_uri(bytes).is_ok(), wtf8::decode_uri_component(bytes).is_ok()));
        _ = black_box((wtf8::escape(bytes).is_ok(), wtf8::unescape(bytes).is_ok()));
    }),
    ("uri::query_pairs, parameters, decoded", |text| {
        _ = black_box(uri::query_pairs(text).filter(|pair| pair.name.decode().is_empty()).count());
        _ = black_box(
            uri::parameters(text).1.filter(|pair| pair.value.is_none_or(|value| value.decode_strict().is_ok())).count(),
        );
    }),
    ("Uri: authority, zones, absolute", |text| {
        let reference = outside(|| ["//", text].concat());
        _ = black_box(Uri::split(&reference).authority_parts().map(|parts| parts.host_kind()));
        _ = black_box((Uri::parse_zoned(&reference).is_ok(), Uri::parse_absolute(text).is_ok()));
    }),
    ("uri: literal dots, escapes, paths in place", |text| {
        _ = black_box((uri::remove_dot_segments_literally(text), uri::normalize_escapes(text).is_ok()));
        _ = black_box(Uri::split("s://h/a/b").resolve_literally(&Uri::split(text)).is_ok());
        _ = black_box((
            uri::sanitize_escapes(text),
            PathNormalizer::new().normalize_in_place(&mut outside(|| text.into())).is_ok(),
        ));
    }),
    ("to_well_formed, url_decode_uni_in_place", |text| {
        let units: Vec<u16> =
            outside(|| text.encode_utf16().map(|unit| if unit == 0x25 { 0xD800 } else { unit }).collect());
        _ = black_box((utf16::to_well_formed(&units), wtf8::to_well_formed(text.as_bytes()).is_ok()));
        _ = black_box(waf::url_decode_uni_in_place(&mut outside(|| text.as_bytes().to_vec()), |_| None).len());
    }),
    ("iri::check_reference, to_uri_legacy", |text| {
        _ = black_box((iri::check_reference(text).is_ok(), iri::to_uri_legacy(text)));
    }),
    ("uri: components encoded and checked", |text| {
        for encode in [
            uri::encode_segment::<str>,
            uri::encode_segment_nz_nc,
            uri::encode_query,
            uri::encode_query_data,
            uri::encode_fragment,
            uri::encode_reg_name,
            uri::encode_user,
            uri::encode_password,
            uri::encode_userinfo,
        ] {
            _ = black_box(encode(text));
        }
        for component in [Component::Userinfo, Component::Host, Component::Path, Component::Query, Component::Nss] {
            _ = black_box(uri::check_component(text, component).is_ok());
        }
        _ = black_box((uri::escaped_scheme_len(text), uri::default_port(text)));
    }),
    ("uri: parts of a reference, decoded", |text| {
        let reference = outside(|| ["//", text, "@", text, ":1"].concat());
        let split = Uri::split(&reference);
        _ = black_box((split.userinfo(), split.host(), split.port()));
        for part in uri::segments(text) {
            _ = black_box((part.decode_utf8().is_ok(), part.decode_utf8_lossy(), part.decode_utf8_strict().is_ok()));
            _ = black_box((part.decode_with(DECODER).is_ok(), part.decode_utf8_with(DECODER).is_ok()));
        }
    }),
    ("uri: normalized whole, and a path strictly", |text| {
        _ = black_box((uri::normalize(text).is_ok(), uri::sanitize(text)));
        _ = black_box(PathNormalizer::new().strict().normalize(text).is_ok());
        _ = black_box(Requoter::new(sets::RFC3986_UNRESERVED).protect(ByteSet::of(b"/a")).requote(text));
    }),
    ("mailto: addresses, urn: equivalence", |text| {
        let uri = outside(|| ["mailto:", text, ",", text].concat());
        _ = black_box(Mailto::parse(&uri).map(|mailto| mailto.addresses().count()));
        let text = outside(|| ["urn:ab:", text].concat());
        _ = black_box(urn::Urn::parse(&text).is_ok_and(|name| name.is_equivalent(&name)));
    }),
    ("DataUrl, its type", |text| {
        let url = outside(|| ["data:", text, ",x"].concat());
        _ = black_box(DataUrl::parse(&url).map(|url| (url.media_type(), url.mime_type(), url.is_base64())));
    }),
    ("iri::check, every function for components of ecma", |text| {
        _ = black_box((iri::check(text).is_ok(), ecma::encode_uri(text), ecma::encode_uri_component(text)));
        _ = black_box(ecma::decode_uri_component(text).is_ok());
        let units: Vec<u16> = outside(|| text.encode_utf16().collect());
        _ = black_box((utf16::encode_uri_component(&units).is_ok(), utf16::decode_uri(&units).is_ok()));
        let bytes = text.as_bytes();
        _ = black_box((wtf8::encode_uri_component(bytes).is_ok(), wtf8::decode_uri(bytes).is_ok()));
    }),
    ("newline: told, and bytes", |text| {
        let text = outside(|| text.replace('&', "\n").replace('+', "\r"));
        for newline in [Newline::Lf, Newline::CrLf] {
            _ = black_box((newline.is_applied(&text), newline.applied_len(&text), newline.apply_bytes(&text)));
        }
    }),
    ("ExtValue, built", |text| {
        let mut out = outside(|| String::with_capacity(3 * text.len() + 20));
        _ = black_box(write!(out, "{}", ExtValue::new(text)).is_ok());
        _ = black_box(ExtValue::new("a").with_language(text).is_ok());
        let text = outside(|| ["UTF-8''", text].concat());
        _ = black_box(ExtValue::parse(&text).map(ExtValue::into_value).is_ok());
    }),
    ("ContentDisposition", |text| {
        for front in ["attachment; filename=\"", "FORM-DATA; name=\"", "inline; filename*=''"] {
            let field = outside(|| [front, text].concat());
            let parsed = ContentDisposition::parse(&field);
            _ = black_box((parsed.name(), parsed.filename(), parsed.file_name(), parsed.is_attachment()));
            let mut out = outside(|| vec![0; 4 * field.len() + 8]);
            _ = black_box(ContentDisposition::parse_slice(&field, &mut out).is_ok());
            _ = black_box(parsed.write_slice(&mut out).is_ok());
        }
        let mut out = outside(|| String::with_capacity(5 * text.len() + 100));
        for made in
            [ContentDisposition::attachment(), ContentDisposition::inline(), ContentDisposition::form_data(text)]
        {
            _ = black_box((write!(out, "{}", made.with_filename(text)).is_ok(), out.clear()));
        }
        _ = black_box(http::multipart_unescape(text));
    }),
    ("http::Parameters, of many sections", |text| {
        let chunks = text.as_bytes().chunks(100).map(|chunk| String::from_utf8_lossy(chunk).replace('&', "+"));
        let field: String = outside(|| {
            let sections: Vec<_> = chunks.enumerate().map(|(at, chunk)| format!(";a*{at}*=''{chunk}")).collect();
            sections.concat()
        });
        _ = black_box((Parameters::of(&field).get("a"), Parameters::of(&field).get("b")));
        let mut out = outside(|| vec![0; 4 * field.len()]);
        _ = black_box(Parameters::of(&field).get_slice("a", &mut out).is_ok());
    }),
    ("http::baggage, pairs", |text| {
        let field = outside(|| text.replace('&', ","));
        _ = black_box(baggage::parse_raw(&field).count());
        let members = baggage::parse(&field).filter_map(Result::ok);
        _ = black_box(members.map(|member| member.properties().count() + member.raw_properties().len()).sum::<usize>());
        _ = black_box((
            baggage::encode_value(text),
            baggage::decode_value(text),
            baggage::build([("a", text)]).is_ok(),
        ));
        _ = black_box(http::pairs(&field, b',').filter(|pair| pair.decode_value().is_ok()).count());
    }),
    ("form::Parser, in every way", |text| {
        let parser = form::Parser::new().semicolons();
        _ = black_box(parser.parse(text).into_owned().count());
        _ = black_box((parser.parse_bytes(text).count(), parser.parse_utf8(text).count()));
        _ = black_box(parser.parse_raw(text).count());
        let limited = form::Parser::new().limit(100);
        _ = black_box((limited.parse_bytes(text).count(), limited.parse_utf8(text).count()));
        _ = black_box(limited.parse_raw(text).count());
    }),
    ("form::Serializer, one pair a call", |text| {
        let mut serializer = form::Serializer::append_to(outside(|| text.to_string())).after_existing_pairs();
        for part in text.as_bytes().chunks(10) {
            serializer.append(part, part).append_name(part);
        }
        _ = black_box(serializer.finish());
        let mut serializer = form::Serializer::new().percent_spaces().semicolons().encoder(ENCODER);
        serializer.append_all([(text, text)]);
        _ = black_box(serializer.finish());
        let mut out = outside(|| String::with_capacity(6 * text.len() + 1));
        _ = black_box(write!(out, "{}", form::display([(text, text)])).is_ok());
    }),
    ("form::html, kinds of entries, mail", |text| {
        let kinds = [html::Entry::hidden, html::Entry::file, html::Entry::new];
        let entries: Vec<_> =
            outside(|| text.split('/').flat_map(|part| kinds.map(|entry| entry(part, part))).collect());
        let form = html::Form::new(&entries).isindex();
        _ = black_box((form.max_len(), form.pairs().count(), form.text_plain()));
        for enctype in [html::Enctype::Urlencoded, html::Enctype::TextPlain] {
            _ = black_box(form.mail_as_body("mailto:a?b", enctype));
        }
        _ = black_box((html::multipart_escape(text), cgi::is_indexed(text)));
    }),
    ("whatwg: dots, schemes, bytes", |text| {
        _ = black_box((whatwg::is_single_dot(text), whatwg::is_double_dot(text), whatwg::is_special(text)));
        _ = black_box((whatwg::percent_decode(text), whatwg::query(text).encode(text)));
    }),
    #[cfg(feature = "all")]
    ("iri::host_to_ascii, host_to_unicode", |text| {
        let text = outside(|| ["http://", text, "/"].concat());
        _ = black_box((iri::host_to_ascii(&text).is_ok(), iri::host_to_unicode(&text)));
    }),
    #[cfg(feature = "all")]
    ("uri::registrable_domain", |text| {
        let labels = outside(|| text.get(..2000).unwrap_or(text).replace(['/', '%', '&'], "."));
        _ = black_box((registrable_domain(text), registrable_domain(&labels)));
    }),
    #[cfg(feature = "all")]
    ("charsets, encoded", |text| {
        let text = outside(|| text.replace('+', "é").replace('&', "漢"));
        for charset in [Charset::SHIFT_JIS, Charset::ISO_2022_JP, Charset::GB18030, Charset::IBM037] {
            _ = black_box(charset.percent_encode_html(&ENCODER, &text));
        }
    }),
    #[cfg(feature = "all")]
    ("charsets, decoded", |text| {
        for charset in [Charset::SHIFT_JIS, Charset::ISO_2022_JP, Charset::GB18030, Charset::IBM037] {
            _ = black_box(charset.percent_decode_lossy(&DECODER, text));
            _ = black_box(charset.detect_lossy(&DECODER, text));
        }
    }),
    #[cfg(feature = "all")]
    ("whatwg::encode_query_in", |text| {
        _ = black_box(whatwg::encode_query_in("http", Charset::SHIFT_JIS, &outside(|| text.replace('&', "漢"))));
    }),
    #[cfg(feature = "all")]
    ("form::legacy", |text| {
        let parser = form::legacy::Parser::new(Charset::SHIFT_JIS).use_charset();
        _ = black_box(parser.parse(text).is_ok());
    }),
    #[cfg(feature = "all")]
    ("form::from_str, distinct names", |text| {
        // Sorting many names takes more than linear time. So most of the input is values.
        let text: String = outside(|| {
            let values = text.as_bytes().chunks(200).map(|value| String::from_utf8_lossy(value).replace('&', "+"));
            values.enumerate().map(|(n, value)| format!("{n:09}={value}&")).collect()
        });
        _ = black_box(form::from_str::<Vec<(String, String)>>(&text).is_ok());
        _ = black_box(form::from_str::<std::collections::BTreeMap<String, String>>(&text).is_ok());
    }),
    #[cfg(feature = "all")]
    ("form::from_str, to_string", |text| {
        if let Ok(pairs) = form::from_str::<Vec<(String, String)>>(text) {
            _ = black_box(form::to_string(pairs).is_ok());
        }
        _ = black_box(form::from_str::<std::collections::BTreeMap<String, Vec<String>>>(text).is_ok());
    }),
    #[cfg(feature = "all")]
    ("Charset: text and bytes", |text| {
        let text = outside(|| text.replace('+', "é").replace('&', "漢"));
        _ = black_box((Charset::for_label(&text), Charset::for_name(&text), Charset::for_bom(&text)));
        _ = black_box(html::pick_encoding(Some(&outside(|| text.replace('/', " "))), Charset::SHIFT_JIS));
        for charset in [Charset::SHIFT_JIS, Charset::ISO_2022_JP, Charset::GB18030, Charset::IBM037] {
            _ = black_box((charset.encode(&text).is_ok(), charset.encode_html(&text)));
            _ = black_box((charset.decode(&text).is_ok(), charset.decode_lossy(&text)));
        }
    }),
    #[cfg(feature = "all")]
    ("charsets, encoded or an error, and in pieces", |text| {
        let text = outside(|| text.replace('+', "é").replace('&', "漢"));
        for charset in [Charset::SHIFT_JIS, Charset::ISO_2022_JP, Charset::GB18030, Charset::IBM037] {
            _ = black_box(charset.percent_encode(&ENCODER, &text).is_ok());
            let mut sum = 0;
            _ = black_box(charset.percent_encode_pieces(ENCODER.raw(), &text, |piece| sum += piece.len()).is_ok());
            charset.percent_encode_html_pieces(ENCODER.raw(), &text, |piece| sum += piece.len());
            _ = black_box((sum, whatwg::percent_encode_after_encoding(charset, &text, &ENCODER)));
        }
    }),
    #[cfg(feature = "all")]
    ("charsets, decoded or an error, and in pieces", |text| {
        for charset in [Charset::SHIFT_JIS, Charset::ISO_2022_JP, Charset::GB18030, Charset::IBM037] {
            _ = black_box(charset.percent_decode(DECODER, text).is_ok());
            _ = black_box(charset.detect(DECODER, text).is_ok());
            let (mut sum, decoder) = (0, DECODER.as_checked());
            _ = black_box(charset.percent_decode_pieces(&decoder, text, |piece| sum += piece.len()).is_ok());
            _ = black_box(charset.percent_decode_lossy_pieces(&decoder, text, |piece| sum += piece.len()).is_ok());
            _ = black_box(sum);
        }
    }),
    #[cfg(feature = "all")]
    ("form::html in a charset, form::legacy by every option", |text| {
        let entries: Vec<_> = outside(|| text.split('/').map(|part| html::Entry::text(part, part)).collect());
        let form = html::Form::new(&entries).charset(Charset::SHIFT_JIS);
        _ = black_box((form.urlencoded(), form.text_plain_bytes()));
        _ = black_box(form.multipart_escape(text));
        let parser = form::legacy::Parser::new(Charset::SHIFT_JIS).isindex().sniff_bom().semicolons();
        _ = black_box(parser.parse(text).is_ok());
    }),
    #[cfg(feature = "all")]
    ("form::from_bytes, deserialize", |text| {
        type Pairs = Vec<(String, String)>;
        _ = black_box(form::from_bytes::<Pairs>(text.as_bytes()).is_ok());
        _ = black_box(form::Parser::new().deserialize::<Pairs, _>(text).is_ok());
        _ = black_box(form::Parser::new().last_wins().strict().last_wins().deserialize::<Pairs, _>(text).is_ok());
        _ = black_box(form::Serializer::new().serialize(&[(text, text)]).is_ok());
    }),
    #[cfg(feature = "all")]
    ("form::Config, names with brackets", |text| {
        // If there are many names, building the tree takes more than linear time. So most of the input is values.
        let form: String = outside(|| {
            let values = text.as_bytes().chunks(200).map(|value| String::from_utf8_lossy(value).replace('&', "+"));
            values.enumerate().map(|(n, value)| format!("a[{n:09}][b][]={value}&")).collect()
        });
        type Tree = std::collections::BTreeMap<String, std::collections::BTreeMap<String, Names>>;
        type Names = std::collections::BTreeMap<String, Vec<String>>;
        for brackets in [form::Brackets::PHP, form::Brackets::RAILS, form::Brackets::SERDE_QS] {
            let config = form::Config { nested: brackets.depth(4), ..form::Config::new() };
            let parser = form::Parser::new().reject(ByteSet::of(b"\0")).config(config);
            let tree = parser.deserialize::<Tree, _>(&form);
            _ = black_box(tree.is_ok_and(|tree| form::Serializer::new().nested(brackets).serialize(&tree).is_ok()));
            _ = black_box(config.deserialize::<Tree, _>(&form).is_ok());
        }
    }),
    #[cfg(feature = "all")]
    ("iri::host_to_ascii_with", |text| {
        let text = outside(|| ["http://", text, "/"].concat());
        _ = black_box(iri::host_to_ascii_with(&text, iri::HostRules::Url).is_ok());
    }),
];
