//! Provides encoders that match the functions of other languages and libraries, and the catalogue of all sets and
//! presets.
//!
//! A preset is a constant [`Encoder`] with its options. Its output is the same as that of the original function, byte
//! for byte:
//!
//! ```
//! use percent_simd::presets;
//!
//! assert_eq!(presets::PY_QUOTE_PLUS.encode("a b"), "a+b");
//! assert_eq!(presets::DOTNET_HTTPUTILITY.encode("a/b"), "a%2fb");
//! assert_eq!(presets::by_name("py-quote-plus").unwrap().encoder().encode("a b"), "a+b");
//! ```
//!
//! The sets of grammars have no options, and are in [`sets`]. The [`CATALOGUE`] lists presets and sets, for programs
//! whose users choose by name. To change a preset, start from its set:
//! `Encoder::new(presets::PY_QUOTE.allowed().without(b'/'))`.
#![forbid(unsafe_code)]

use crate::encode::Encoder;
use crate::set::ByteSet;
use crate::sets;

/// Describes an encoder of the [`CATALOGUE`]: its name, its source, its set and its options.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Preset {
    /// The name of the constant in this module or in [`sets`], such as `"RFC3986_PATH"`.
    pub name: &'static str,
    /// The bytes that stay as they are.
    pub allowed: ByteSet,
    /// A short form of the source, such as `"RFC 3986 3.3 path"`.
    pub clause: &'static str,
    /// True if a space becomes `+`. A literal `+` is then encoded, so that the output can be decoded to the input.
    pub space_to_plus: bool,
    /// True if hexadecimal digits are written in lower case.
    pub lowercase: bool,
    /// True if valid triplets stay as they are.
    pub keep_triplets: bool,
}

impl Preset {
    const fn new(name: &'static str, clause: &'static str, allowed: ByteSet) -> Preset {
        Preset { name, allowed, clause, space_to_plus: false, lowercase: false, keep_triplets: false }
    }

    /// Returns the encoder, with all its options.
    #[must_use]
    pub const fn encoder(&self) -> Encoder {
        let mut encoder = Encoder::new(self.allowed);
        if self.space_to_plus {
            encoder = encoder.space_to_plus();
        }
        if self.lowercase {
            encoder = encoder.lowercase();
        }
        if self.keep_triplets {
            encoder = encoder.keep_triplets();
        }
        encoder
    }
}

/// Defines the constant `NAME` and its row of the catalogue from `NAME "clause" = set, option, option;`.
macro_rules! presets {
    ($($(#[$doc:meta])* $name:ident $clause:literal = $allowed:expr $(, $option:ident)*;)*) => {
        const PRESETS: &[Preset] =
            &[$(Preset { $($option: true,)* ..Preset::new(stringify!($name), $clause, $allowed) },)*];

        $($(#[$doc])* pub const $name: Encoder = Encoder::new($allowed)$(.$option())*;)*
    };
}

presets! {
    /// Encodes a name or value of a form as a browser does: leaves `*-._` and writes a space as `+`.
    ///
    /// Encodes the *application/x-www-form-urlencoded percent-encode set*
    /// ([URL 1.3](https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set)): the component
    /// percent-encode set and `!, ' to ), ~`.
    WHATWG_FORM "WHATWG URL 1.3 application/x-www-form-urlencoded"
        = sets::WHATWG_COMPONENT.difference(ByteSet::of(b"!'()~")), space_to_plus;

    /// Encodes `{+var}`, `{#var}` and the literals of a URI Template.
    ///
    /// Allows `U+R`: `unreserved / reserved / pct-encoded`
    /// ([RFC 6570 3.2.1](https://www.rfc-editor.org/rfc/rfc6570#section-3.2.1)). Valid triplets stay and a stray `%` is
    /// encoded, so the result isn't reversible.
    RFC6570_U_R "RFC 6570 3.2.1 allow U+R" = sets::RFC3986_URI_KEEP_PCT, keep_triplets;

    /// Encodes text as `encodeURI` of JavaScript does ([ECMA-262](https://tc39.es/ecma262/#sec-encodeuri-uri)).
    ///
    /// Leaves ASCII word characters, `- . ! ~ * ' ( )` and `; / ? : @ & = + $ , #`. Encodes `%`, `[` and `]`.
    ECMA_ENCODE_URI "ECMA-262 encodeURI" = sets::RFC2396_UNRESERVED.union(sets::ECMA_DECODE_URI_PRESERVE);

    /// Encodes text as `encodeURIComponent` of JavaScript does
    /// ([ECMA-262](https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent)).
    ///
    /// Leaves ASCII word characters and `- . ! ~ * ' ( )`, which is the set
    /// [`RFC2396_UNRESERVED`](sets::RFC2396_UNRESERVED).
    ECMA_ENCODE_URI_COMPONENT "ECMA-262 encodeURIComponent" = sets::RFC2396_UNRESERVED;

    /// Encodes as Python's [`urllib.parse.quote`] does with its default `safe='/'`: leaves `_.-~/`.
    ///
    /// This is the behaviour of Python 3.7 and later. Earlier versions encoded `~`. AWS Signature Version 4 encodes its
    /// canonical path in the same way. For another `safe` argument, use
    /// `Encoder::new(sets::RFC3986_UNRESERVED.union(ByteSet::of(safe)))`.
    ///
    /// [`urllib.parse.quote`]: https://docs.python.org/3/library/urllib.parse.html#urllib.parse.quote
    PY_QUOTE "Python urllib.parse.quote" = sets::RFC3986_UNRESERVED.with(b'/');

    /// Encodes as Python's [`urllib.parse.quote_plus`] and `urlencode` do: leaves `_.-~` and writes a space as `+`.
    ///
    /// [`urllib.parse.quote_plus`]: https://docs.python.org/3/library/urllib.parse.html#urllib.parse.quote_plus
    PY_QUOTE_PLUS "Python urllib.parse.quote_plus" = sets::RFC3986_UNRESERVED, space_to_plus;

    /// Encodes as Java's [`java.net.URLEncoder`] does: leaves `.-*_` and writes a space as `+`. Equal to [`WHATWG_FORM`].
    ///
    /// [`java.net.URLEncoder`]: https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/URLEncoder.html
    JAVA_URLENCODER "Java java.net.URLEncoder" = WHATWG_FORM.allowed(), space_to_plus;

    /// Encodes as Go's [`net/url.QueryEscape`](https://pkg.go.dev/net/url#QueryEscape) does: leaves `-_.~` and writes a space as
    /// `+`.
    GO_QUERY_ESCAPE "Go net/url QueryEscape" = sets::RFC3986_UNRESERVED, space_to_plus;

    /// Encodes as Go's [`net/url.PathEscape`](https://pkg.go.dev/net/url#PathEscape) does: leaves `-_.~` and `$&+:=@`.
    ///
    /// Encodes `! ' ( ) * , ;`, which [`RFC3986_SEGMENT`](sets::RFC3986_SEGMENT) allows.
    GO_PATH_ESCAPE "Go net/url PathEscape" = sets::RFC3986_UNRESERVED.union(ByteSet::of(b"$&+:=@"));

    /// Encodes as PHP's [`urlencode`](https://www.php.net/urlencode) does: leaves `-_.` and writes a space as `+`. Encodes `~`.
    PHP_URLENCODE "PHP urlencode" = sets::ALPHANUMERIC.union(ByteSet::of(b"-_.")), space_to_plus;

    /// Encodes as PHP's [`rawurlencode`](https://www.php.net/rawurlencode) does: leaves `-_.~`.
    PHP_RAWURLENCODE "PHP rawurlencode" = sets::RFC3986_UNRESERVED;

    /// Encodes as libcurl's [`curl_easy_escape`](https://curl.se/libcurl/c/curl_easy_escape.html) does: leaves `-._~`.
    CURL_EASY_ESCAPE "libcurl curl_easy_escape" = sets::RFC3986_UNRESERVED;

    /// Encodes as Ruby's [`URI.encode_www_form_component`] does: leaves `*-._` and writes a space as `+`. Equal to
    /// [`WHATWG_FORM`].
    ///
    /// [`URI.encode_www_form_component`]: https://docs.ruby-lang.org/en/master/URI.html#method-c-encode_www_form_component
    RUBY_FORM_COMPONENT "Ruby URI.encode_www_form_component" = WHATWG_FORM.allowed(), space_to_plus;

    /// Encodes as Ruby's [`CGI.escape`] does: leaves `-._~` and writes a space as `+`.
    ///
    /// This is the behaviour of Ruby 2.5 and later. Earlier versions encoded `~`.
    ///
    /// [`CGI.escape`]: https://docs.ruby-lang.org/en/master/CGI/Escape.html#method-i-escape
    RUBY_CGI_ESCAPE "Ruby CGI.escape" = sets::RFC3986_UNRESERVED, space_to_plus;

    /// Encodes as Perl's [`URI::Escape::uri_escape`](https://metacpan.org/pod/URI::Escape) does without a second
    /// argument.
    ///
    /// Leaves `-._~`. Older releases also left the marks of [`RFC2396_UNRESERVED`](sets::RFC2396_UNRESERVED).
    PERL_URI_ESCAPE "Perl URI::Escape uri_escape" = sets::RFC3986_UNRESERVED;

    /// Encodes as .NET's [`HttpUtility.UrlEncode`] does: leaves `-_.!*()` and writes a space as `+`.
    ///
    /// Writes hexadecimal digits in lower case. Encodes `'` and `~`.
    ///
    /// [`HttpUtility.UrlEncode`]: https://learn.microsoft.com/dotnet/api/system.web.httputility.urlencode
    DOTNET_HTTPUTILITY ".NET HttpUtility.UrlEncode"
        = sets::ALPHANUMERIC.union(ByteSet::of(b"-_.!*()")), space_to_plus, lowercase;

    /// Encodes names and values of a query as Alamofire does, with its [`CharacterSet.afURLQueryAllowed`].
    ///
    /// Leaves `-._~` and `/?`. A space becomes `%20`.
    ///
    /// [`CharacterSet.afURLQueryAllowed`]: https://alamofire.github.io/Alamofire/Extensions/CharacterSet.html
    ALAMOFIRE_QUERY "Alamofire CharacterSet.afURLQueryAllowed" = sets::RFC3986_UNRESERVED.union(ByteSet::of(b"/?"));
}

const LEN: usize = {
    let mut len = PRESETS.len();
    let mut family = 0;
    while family < sets::FAMILIES.len() {
        len += sets::FAMILIES[family].len();
        family += 1;
    }
    len
};

/// Lists every named set, family by family, and then every preset of this module.
pub const CATALOGUE: &[Preset] = &{
    let mut catalogue = [PRESETS[0]; LEN];
    let mut len = 0;
    let mut family = 0;
    while family < sets::FAMILIES.len() {
        let mut at = 0;
        while at < sets::FAMILIES[family].len() {
            let (name, clause, allowed) = sets::FAMILIES[family][at];
            catalogue[len] = Preset::new(name, clause, allowed);
            len += 1;
            at += 1;
        }
        family += 1;
    }
    let mut at = 0;
    while at < PRESETS.len() {
        catalogue[len] = PRESETS[at];
        len += 1;
        at += 1;
    }
    catalogue
};

/// Returns the entry of the [`CATALOGUE`] called `name`. Ignores the case of ASCII letters, and reads `-` as `_`.
///
/// # Examples
///
/// ```
/// use percent_simd::{presets, sets};
///
/// assert_eq!(presets::by_name("whatwg-path").unwrap().allowed, sets::WHATWG_PATH);
/// assert!(presets::by_name("path").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Preset> {
    let fold = |byte: u8| {
        if byte == b'-' { b'_' } else { byte.to_ascii_uppercase() }
    };
    CATALOGUE.iter().find(|preset| preset.name.bytes().eq(name.bytes().map(fold)))
}
