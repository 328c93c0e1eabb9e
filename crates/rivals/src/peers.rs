//! Calls the peers, which are the other libraries that we measure. The calls follow the documentation of each peer. The
//! result is an owned value, or a `Cow` that borrows the input if a peer notices that the input stays the same.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hint::black_box;

use fluent_uri::pct_enc::{EStr, EString, encoder::Data};
use iri_string::percent_encode::{PercentEncoded, decode::decode_whatwg_bytes};
use iri_string::spec::UriSpec;
use pct_str::{PctStr, PctString};
use percent_simd_bench::{DECODER, ENCODER, UNRESERVED, decoded, encoded};
use percent_standards::form;

/// An operation that entries implement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Encodes text to a new `String` or a similar type.
    Encode,
    /// Decodes text to bytes.
    Decode,
    /// Decodes text to text, and checks that it is UTF-8.
    DecodeText,
    /// Parses a form, and reads each pair once.
    FormParse,
    /// Serialises pairs to a form.
    FormSerialize,
}

/// The author of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A plain copy of the input, for comparison. Only a call that borrows its input can be faster than this copy.
    Reference,
    /// This project.
    Ours,
    Peer,
}

/// One implementation of an operation.
pub struct Entry<'a> {
    pub name: &'static str,
    pub side: Side,
    /// Runs the operation on every input.
    pub pass: Box<dyn Fn() + 'a>,
    /// Returns the output for the input with this index, or `None` if the entry refuses the input.
    pub output: Box<dyn Fn(usize) -> Option<Vec<u8>> + 'a>,
}

/// The result of an entry. Its type depends on the library.
pub trait Output {
    fn into_output(self) -> Option<Vec<u8>>;
}

macro_rules! outputs {
    ($($type:ty: $self:ident => $bytes:expr;)*) => {
        $(impl Output for $type {
            fn into_output($self) -> Option<Vec<u8>> {
                $bytes
            }
        })*
    };
}

outputs! {
    (): self => None;
    String: self => Some(self.into_bytes());
    Vec<u8>: self => Some(self);
    Cow<'_, str>: self => Some(self.into_owned().into_bytes());
    Cow<'_, [u8]>: self => Some(self.into_owned());
}

#[cfg(feature = "libcurl")]
impl Output for crate::curl::Block {
    fn into_output(self) -> Option<Vec<u8>> {
        Some(self.to_vec())
    }
}

impl<T: Output> Output for Option<T> {
    fn into_output(self) -> Option<Vec<u8>> {
        self?.into_output()
    }
}

/// The names and values that were read, to compare with the oracle. `None` while the call is being timed.
pub struct Seen(Option<String>);

impl Output for Seen {
    fn into_output(self) -> Option<Vec<u8>> {
        self.0.map(String::into_bytes)
    }
}

thread_local! {
    /// True if [`see`] must store names and values.
    static REMEMBER: RefCell<bool> = const { RefCell::new(false) };
}

/// Reads each pair. Stores names and values if `REMEMBER` is true.
fn see<N: AsRef<str>, V: AsRef<str>>(pairs: impl Iterator<Item = (N, V)>) -> Seen {
    if REMEMBER.with_borrow(|remember| *remember) {
        let text = pairs.map(|(name, value)| format!("{}\n{}\n", name.as_ref(), value.as_ref()));
        return Seen(Some(text.collect()));
    }
    pairs.for_each(|pair| _ = black_box(pair));
    Seen(None)
}

/// Returns the text that [`see`] stores for the names and values of `form`.
pub fn pairs_seen(form: &[(String, String)]) -> Vec<u8> {
    form.iter().flat_map(|(name, value)| format!("{name}\n{value}\n").into_bytes()).collect()
}

fn entry<'a, I, O: Output>(
    inputs: &'a [I],
    name: &'static str,
    side: Side,
    call: impl Fn(&'a I) -> O + Copy + 'a,
) -> Entry<'a> {
    let pass = move || inputs.iter().for_each(|input| _ = black_box(call(black_box(input))));
    let output = move |number: usize| {
        REMEMBER.set(true);
        let output = call(&inputs[number]).into_output();
        REMEMBER.set(false);
        output
    };
    Entry { name, side, pass: Box::new(pass), output: Box::new(output) }
}

/// Makes a list of entries. Each line has the name, the author and the call of an entry.
macro_rules! entries {
    ($inputs:expr; $($name:literal, $side:ident, $call:expr;)*) => {
        vec![$(entry($inputs, $name, Side::$side, $call)),*]
    };
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

/// Copies `text` to `buffer`.
fn memcpy(text: &str, buffer: &RefCell<Vec<u8>>) {
    buffer.borrow_mut()[..text.len()].copy_from_slice(text.as_bytes());
}

/// Returns a buffer as long as the longest string.
pub fn buffer(inputs: &[String]) -> RefCell<Vec<u8>> {
    RefCell::new(vec![0; inputs.iter().map(String::len).max().unwrap_or_default()])
}

/// Returns the entries that encode or decode text.
pub fn strings<'a>(op: Op, inputs: &'a [String], buffer: &'a RefCell<Vec<u8>>) -> Vec<Entry<'a>> {
    let mut all = entries! { inputs;
        "memcpy", Reference, |s: &'a String| memcpy(s, buffer);
        "to_owned", Reference, |s: &'a String| s.to_owned();
    };
    all.extend(match op {
        Op::Encode => entries! { inputs;
            "percent-simd", Ours, |s| ENCODER.encode_to_string(s);
            "drop-in percent-encoding", Ours,
                |s| drop_in_percent_encoding::utf8_percent_encode(s, DROP_IN_UNRESERVED).to_string();
            "percent-encoding", Peer, |s| percent_encoding::utf8_percent_encode(s, UNRESERVED).to_string();
            "form_urlencoded", Peer, |s| form_urlencoded::byte_serialize(s.as_bytes()).collect::<String>();
            "urlencoding", Peer, |s| urlencoding::encode(s).into_owned();
            "url-escape", Peer, |s| url_escape::encode_component(s).into_owned();
            "percent-encoding-rfc3986", Peer,
                |s| percent_encoding_rfc3986::utf8_percent_encode(s, RFC3986_UNRESERVED).to_string();
            "fluent-uri", Peer, |s| {
                let mut out = EString::<Data>::new();
                out.encode_str::<Data>(s);
                out.into_string()
            };
            "iri-string", Peer, |s| PercentEncoded::<_, UriSpec>::unreserve(&s[..]).to_string();
            "pct-str", Peer, |s| PctString::encode(s.chars(), Unreserved).into_string();
            "codex-percent", Peer, |s| {
                let mut out = Vec::new();
                codex_percent::VecEncoder::encode(s, &mut out).ok().map(|_| out)
            };
            "use-percent", Peer, |s| use_percent::percent_encode(s);
        },
        Op::Decode => entries! { inputs;
            "percent-simd", Ours, |s| DECODER.decode(s);
            "drop-in percent-encoding", Ours,
                |s| Cow::<[u8]>::from(drop_in_percent_encoding::percent_decode_str(s));
            "percent-encoding", Peer, |s| Cow::<[u8]>::from(percent_encoding::percent_decode_str(s));
            "urlencoding", Peer, |s| urlencoding::decode_binary(s.as_bytes());
            "percent-encoding-rfc3986", Peer,
                |s| percent_encoding_rfc3986::percent_decode_str(s).ok().map(Cow::<[u8]>::from);
            "fluent-uri", Peer, |s| EStr::<Data>::new(s).map(|text| text.decode().to_bytes());
            "iri-string", Peer, |s| decode_whatwg_bytes(s.as_bytes()).into_bytes();
            "actix-router Quoter", Peer, |s: &'a String| {
                let quoter = actix_router::Quoter::new(b"", b"");
                quoter.requote(s.as_bytes()).map_or(Cow::Borrowed(s.as_bytes()), Cow::Owned)
            };
            "codex-percent", Peer, |s| {
                let mut out = Vec::new();
                codex_percent::VecDecoder::decode(s, &mut out).ok().map(|_| out)
            };
        },
        _ => entries! { inputs;
            "percent-simd", Ours, |s| DECODER.decode_utf8(s).ok();
            "drop-in percent-encoding", Ours,
                |s| drop_in_percent_encoding::percent_decode_str(s).decode_utf8().ok();
            "percent-encoding", Peer, |s| percent_encoding::percent_decode_str(s).decode_utf8().ok();
            "urlencoding", Peer, |s| urlencoding::decode(s).ok();
            "url-escape", Peer, |s| url_escape::decode(s);
            "percent-encoding-rfc3986", Peer,
                |s| percent_encoding_rfc3986::percent_decode_str(s).ok().and_then(|text| text.decode_utf8().ok());
            "fluent-uri", Peer, |s| EStr::<Data>::new(s).and_then(|text| text.decode().to_string().ok());
            "iri-string", Peer, |s| decode_whatwg_bytes(s.as_bytes()).into_string().ok();
            "pct-str", Peer, |s| PctStr::new(s).ok().map(PctStr::decode);
            "use-percent", Peer, |s| use_percent::percent_decode(s);
        },
    });
    #[cfg(feature = "libcurl")]
    match op {
        Op::Encode => all.push(entry(inputs, "libcurl (C)", Side::Peer, |s: &String| crate::curl::escape(s))),
        Op::Decode => all.push(entry(inputs, "libcurl (C)", Side::Peer, |s: &String| crate::curl::unescape(s))),
        _ => {}
    }
    all
}

/// Returns the entries that parse forms.
pub fn parsers(inputs: &[String]) -> Vec<Entry<'_>> {
    #[allow(unused_mut)]
    let mut all = entries! { inputs;
        "percent-simd", Ours, |s| see(form::parse(s));
        "drop-in form_urlencoded", Ours, |s| see(drop_in_form_urlencoded::parse(s.as_bytes()));
        "form_urlencoded", Peer, |s| see(form_urlencoded::parse(s.as_bytes()));
    };
    #[cfg(feature = "ada")]
    all.push(entry(inputs, "ada (C++)", Side::Peer, |s: &String| {
        ada_url::UrlSearchParams::parse(s).ok().map(|params| see(params.entries()))
    }));
    all
}

/// Returns the entries that serialise forms.
pub fn serializers(inputs: &[Vec<(String, String)>]) -> Vec<Entry<'_>> {
    #[allow(unused_mut)]
    let mut all = entries! { inputs;
        "percent-simd", Ours, |pairs| form::serialize(pairs.iter().map(|(name, value)| (name, value)));
        "drop-in form_urlencoded", Ours,
            |pairs| drop_in_form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        "form_urlencoded", Peer,
            |pairs| form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    };
    #[cfg(feature = "ada")]
    all.push(entry(inputs, "ada (C++)", Side::Peer, |pairs: &Vec<(String, String)>| {
        let mut params = ada_url::UrlSearchParams::parse("").ok()?;
        pairs.iter().for_each(|(name, value)| params.append(name, value));
        Some(params.to_string())
    }));
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
