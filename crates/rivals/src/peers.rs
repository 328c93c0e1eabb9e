//! Calls the peers, which are the other libraries that we measure. The calls follow the documentation of each peer. The
//! result is an owned value, or a `Cow` that borrows the input if a peer notices that the input stays the same.

use std::borrow::Cow;

use fluent_uri::pct_enc::{EStr, EString, encoder::Data};
use iri_string::percent_encode::{PercentEncoded, decode::decode_whatwg_bytes};
use iri_string::spec::UriSpec;
use pct_str::{PctStr, PctString};
use percent_simd_bench::{DECODER, ENCODER, Entry, Inputs, Op, decoded, encoded, entries, peers};
use percent_standards::form;

#[cfg(feature = "libcurl")]
impl percent_simd_bench::Output for crate::curl::Block {
    fn bytes(self, _: &percent_simd_bench::Scratch) -> Option<Vec<u8>> {
        Some(self.to_vec())
    }
}

/// Returns the text that [`peers::see`] stores for the names and values of `form`.
pub fn pairs_seen(form: &[(String, String)]) -> Vec<u8> {
    form.iter().flat_map(|(name, value)| format!("{name}\t{value}\t").into_bytes()).collect()
}

const DROP_IN_UNRESERVED: &drop_in_percent_encoding::AsciiSet =
    &drop_in_percent_encoding::NON_ALPHANUMERIC.remove_all(b"-._~");
const RFC3986_UNRESERVED: &percent_encoding_rfc3986::AsciiSet =
    &percent_encoding_rfc3986::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The set of bytes for pct-str, in which a set is a type that implements a trait.
struct Unreserved;

impl pct_str::Encoder for Unreserved {
    fn encode(&self, c: char) -> bool {
        !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~'))
    }
}

/// Returns the entries that encode or decode text, or parse a form.
pub fn strings(op: Op, inputs: &Inputs<String>) -> Vec<Entry<'_>> {
    let mut all = Vec::new();
    if op != Op::FormParse {
        all.extend(entries! { inputs;
            "memcpy", Reference, |s, scratch| scratch.slice[..s.len()].copy_from_slice(s.as_bytes());
            "to_owned", Reference, |s, _| s.to_owned();
        });
    }
    // The peer `table` is a loop, and no library.
    all.extend(peers::strings(op, inputs).into_iter().filter(|entry| entry.name != "table"));
    all.extend(match op {
        Op::Encode => entries! { inputs;
            "percent-simd", Ours, |s, _| ENCODER.encode_to_string(s);
            "drop-in percent-encoding", Ours,
                |s, _| drop_in_percent_encoding::utf8_percent_encode(s, DROP_IN_UNRESERVED).to_string();
            "form_urlencoded", Peer, |s, _| form_urlencoded::byte_serialize(s.as_bytes()).collect::<String>();
            "url-escape", Peer, |s, _| url_escape::encode_component(s).into_owned();
            "percent-encoding-rfc3986", Peer,
                |s, _| percent_encoding_rfc3986::utf8_percent_encode(s, RFC3986_UNRESERVED).to_string();
            "fluent-uri", Peer, |s, _| {
                let mut out = EString::<Data>::new();
                out.encode_str::<Data>(s);
                out.into_string()
            };
            "iri-string", Peer, |s, _| PercentEncoded::<_, UriSpec>::unreserve(&s[..]).to_string();
            "pct-str", Peer, |s, _| PctString::encode(s.chars(), Unreserved).into_string();
            "codex-percent", Peer, |s, _| {
                let mut out = Vec::new();
                codex_percent::VecEncoder::encode(s, &mut out).ok().map(|_| out)
            };
            "use-percent", Peer, |s, _| use_percent::percent_encode(s);
        },
        Op::Decode => entries! { inputs;
            "percent-simd", Ours, |s, _| DECODER.decode(s);
            "drop-in percent-encoding", Ours,
                |s, _| Cow::<[u8]>::from(drop_in_percent_encoding::percent_decode_str(s));
            "percent-encoding-rfc3986", Peer,
                |s, _| percent_encoding_rfc3986::percent_decode_str(s).ok().map(Cow::<[u8]>::from);
            "fluent-uri", Peer, |s, _| EStr::<Data>::new(s).map(|text| text.decode().to_bytes());
            "iri-string", Peer, |s, _| decode_whatwg_bytes(s.as_bytes()).into_bytes();
            "actix-router Quoter", Peer, |s, _| {
                let quoter = actix_router::Quoter::new(b"", b"");
                quoter.requote(s.as_bytes()).map_or(Cow::Borrowed(s.as_bytes()), Cow::Owned)
            };
            "codex-percent", Peer, |s, _| {
                let mut out = Vec::new();
                codex_percent::VecDecoder::decode(s, &mut out).ok().map(|_| out)
            };
        },
        Op::FormParse => entries! { inputs;
            "percent-simd", Ours, |s, scratch| peers::see(form::parse(s), scratch);
            "drop-in form_urlencoded", Ours,
                |s, scratch| peers::see(drop_in_form_urlencoded::parse(s.as_bytes()), scratch);
        },
        _ => entries! { inputs;
            "percent-simd", Ours, |s, _| DECODER.decode_utf8(s).ok();
            "drop-in percent-encoding", Ours,
                |s, _| drop_in_percent_encoding::percent_decode_str(s).decode_utf8().ok();
            "url-escape", Peer, |s, _| url_escape::decode(s);
            "percent-encoding-rfc3986", Peer,
                |s, _| percent_encoding_rfc3986::percent_decode_str(s).ok().and_then(|text| text.decode_utf8().ok());
            "fluent-uri", Peer, |s, _| EStr::<Data>::new(s).and_then(|text| text.decode().to_string().ok());
            "iri-string", Peer, |s, _| decode_whatwg_bytes(s.as_bytes()).into_string().ok();
            "pct-str", Peer, |s, _| PctStr::new(s).ok().map(PctStr::decode);
            "use-percent", Peer, |s, _| use_percent::percent_decode(s);
        },
    });
    #[cfg(feature = "libcurl")]
    match op {
        Op::Encode => all.extend(entries! { inputs; "libcurl (C)", Peer, |s, _| crate::curl::escape(s); }),
        Op::Decode => all.extend(entries! { inputs; "libcurl (C)", Peer, |s, _| crate::curl::unescape(s); }),
        _ => {}
    }
    #[cfg(feature = "ada")]
    if op == Op::FormParse {
        all.extend(entries! { inputs; "ada (C++)", Peer, |s, scratch| {
            ada_url::UrlSearchParams::parse(s).ok().map(|params| peers::see(params.entries(), scratch))
        }; });
    }
    // The sort puts our entries before the entries of the peers. It is stable, so the entries of a side keep their
    // order.
    all.sort_by_key(|entry| entry.side);
    all
}

/// Returns the entries that serialise forms.
pub fn serializers(inputs: &Inputs<Vec<(String, String)>>) -> Vec<Entry<'_>> {
    #[allow(unused_mut)]
    let mut all = entries! { inputs;
        "percent-simd", Ours, |pairs, _| form::serialize(pairs.iter().map(|(name, value)| (name, value)));
        "drop-in form_urlencoded", Ours,
            |pairs, _| drop_in_form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        "form_urlencoded", Peer,
            |pairs, _| form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    };
    #[cfg(feature = "ada")]
    all.extend(entries! { inputs; "ada (C++)", Peer, |pairs, _| {
        ada_url::UrlSearchParams::parse("").ok().map(|mut params| {
            pairs.iter().for_each(|(name, value)| params.append(name, value));
            params.to_string()
        })
    }; });
    all
}

/// Returns the expected output for `input`.
pub fn expected(op: Op, input: &str) -> Vec<u8> {
    match op {
        Op::Encode => encoded(input.as_bytes()),
        _ => decoded(input.as_bytes()),
    }
}

/// Serialises a form that contains no spaces.
pub fn serialized(form: &[(String, String)]) -> String {
    let part = |text: &str| String::from_utf8_lossy(&encoded(text.as_bytes())).into_owned();
    let pairs: Vec<String> = form.iter().map(|(name, value)| format!("{}={}", part(name), part(value))).collect();
    pairs.join("&")
}
