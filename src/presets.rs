//! Provides encoders that match the functions of other languages and libraries, and the catalogue of all sets and
//! presets.
//!
//! A preset is a constant [`Encoder`] with its options. Its output is the same as the output of the original function,
//! byte for byte:
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
    /// percent-encode set, and also `!`, `'`, `(`, `)` and `~`.
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
    /// Leaves `-._~`. Older releases left all bytes of [`RFC2396_UNRESERVED`](sets::RFC2396_UNRESERVED).
    PERL_URI_ESCAPE "Perl URI::Escape uri_escape" = sets::RFC3986_UNRESERVED;

    /// Encodes as Elixir's [`URI.encode_www_form/1`] does: leaves `_.-~` and writes a space as `+`. Equal to [`PY_QUOTE_PLUS`].
    ///
    /// [`URI.encode_www_form/1`]: https://hexdocs.pm/elixir/URI.html#encode_www_form/1
    ELIXIR_ENCODE_WWW_FORM "Elixir URI.encode_www_form" = sets::RFC3986_UNRESERVED, space_to_plus;

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

    /// Encodes a component of a package URL: a segment of the namespace, the name, the version, the value of a
    /// qualifier, or a segment of the subpath.
    ///
    /// Leaves `.-_~` and `:` ([purl, Character
    /// encoding](https://github.com/package-url/purl-spec/blob/main/docs/specification/standard/specification.md)).
    /// The type and the keys of qualifiers have no escapes. `uri::purl` of percent-standards builds whole package URLs.
    PURL "purl specification, Character encoding" = sets::RFC3986_UNRESERVED.with(b':');

    /// Encodes a value of the `baggage` header, or of one of its properties
    /// ([W3C Baggage 3.3.1](https://www.w3.org/TR/baggage/#value)).
    ///
    /// Leaves all visible ASCII bytes except `"`, `%`, `,`, `;` and `\`. These are the bytes of `baggage-octet`,
    /// without `%`. A space becomes `%20`, and `+` is a plus sign. Keys have no escapes. Equal to
    /// [`COOKIE_VALUE_DATA`](sets::COOKIE_VALUE_DATA).
    W3C_BAGGAGE "W3C Baggage 3.3.1 value" = sets::COOKIE_VALUE_DATA;

    /// Encodes a name or value of the canonical query of AWS Signature Version 4, or a segment of its path.
    ///
    /// Leaves `-._~`, like the function `UriEncode` of the
    /// [specification](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). The V4
    /// signatures of Google Cloud Storage use the same set. `uri::CanonicalQuery` of percent-standards builds the whole
    /// query.
    AWS_SIGV4 "AWS Signature Version 4 UriEncode" = sets::RFC3986_UNRESERVED;

    /// Encodes the canonical path of AWS Signature Version 4, or an object key of S3: leaves `-._~` and `/`. Equal to
    /// [`PY_QUOTE`].
    ///
    /// S3 encodes its path once. All other services encode the path of the request a second time before they sign it.
    AWS_SIGV4_PATH "AWS Signature Version 4 UriEncode, path" = sets::RFC3986_UNRESERVED.with(b'/');

    /// Encodes a parameter or a part of the signature base string of OAuth 1.0: leaves `-._~`
    /// ([RFC 5849 3.6](https://www.rfc-editor.org/rfc/rfc5849#section-3.6)).
    OAUTH1 "RFC 5849 3.6 percent encoding" = sets::RFC3986_UNRESERVED;

    /// Encodes a text of a text directive, as in `#:~:text=prefix-,start,end,-suffix`
    /// ([`TextDirectiveExplicitChar`](https://wicg.github.io/scroll-to-text-fragment/#syntax)).
    ///
    /// Leaves the bytes that a fragment may contain, except `&`, `-` and `,`, which are delimiters here.
    TEXT_FRAGMENT "WICG Text Fragments TextDirectiveExplicitChar"
        = sets::RFC3986_QUERY.difference(ByteSet::of(b"&-,"));

    /// Encodes a file name so that [Windows](https://learn.microsoft.com/windows/win32/fileio/naming-a-file) can store
    /// it.
    ///
    /// Leaves the space and all printable ASCII, except `< > : " / \ | ? *` and `%`. Also encodes `%`, so that the name
    /// can be decoded.
    ///
    /// A set knows only bytes, but three more rules of Windows are about whole names. Check them too:
    ///
    /// - A name must not end in a space or a period.
    /// - A name must not be `.` or `..`.
    /// - The text before the first period must not be the name of a device: `CON`, `PRN`, `AUX`, `NUL`, `COM1` to
    ///   `COM9`, or `LPT1` to `LPT9`. The superscript digits `¹`, `²` and `³` count as digits here.
    ///
    /// Letters above ASCII are allowed in file names. To leave them, use a [`RawEncoder`](crate::RawEncoder):
    ///
    /// ```
    /// use percent_simd::{ByteSet, RawEncoder, presets};
    ///
    /// const NAME: RawEncoder = RawEncoder::new(presets::WINDOWS_FILE_NAME.allowed().union(ByteSet::range(0x80, 0xFF)));
    /// assert_eq!(NAME.encode_str("what? é.txt"), "what%3F é.txt");
    /// assert_eq!(presets::WINDOWS_FILE_NAME.encode("what? é.txt"), "what%3F %C3%A9.txt");
    /// ```
    WINDOWS_FILE_NAME "Windows, Naming Files, without %"
        = ByteSet::range(b' ', b'~').difference(ByteSet::of(b"<>:\"/\\|?*%"));

    /// Encodes the issuer or the account in the label of an `otpauth:` URI, or the value of its `issuer` parameter.
    ///
    /// Leaves `-._~` and `@`, so that a mail address stays readable. Encode the two halves of a label separately, and
    /// join them with a raw `:` ([Key URI Format](https://github.com/google/google-authenticator/wiki/Key-Uri-Format)).
    /// A space becomes `%20`, because many apps show a `+` as it is.
    OTPAUTH_LABEL "Key URI Format, label" = sets::RFC3986_UNRESERVED.with(b'@');

    /// Encodes a user name or a password in the file of `git credential-store`, as git does: leaves `-._~`
    /// ([git-credential-store](https://git-scm.com/docs/git-credential-store#_storage_format)).
    GIT_CREDENTIAL "git credential-store" = sets::RFC3986_UNRESERVED;

    /// Encodes a user name or a password in a connection URI of PostgreSQL
    /// ([libpq](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS)). MySQL, MongoDB,
    /// Redis and AMQP have similar URIs.
    ///
    /// Encode the user name and the password separately, and join them with a raw `:`. Equal to
    /// [`RFC3986_REG_NAME`](sets::RFC3986_REG_NAME). A value of the query, such as `?password=`, needs
    /// [`RFC3986_UNRESERVED`](sets::RFC3986_UNRESERVED).
    POSTGRES_USERINFO "libpq connection URI, user and password" = sets::RFC3986_REG_NAME;

    /// Encodes a JSON Pointer as the fragment of a URI: `#/a~1b/c%25d`
    /// ([RFC 6901 6](https://www.rfc-editor.org/rfc/rfc6901#section-6)). Equal to
    /// [`RFC3986_QUERY`](sets::RFC3986_QUERY).
    ///
    /// Write `~` as `~0` and `/` as `~1` in each token first (RFC 6901 3).
    JSON_POINTER_FRAGMENT "RFC 6901 6 fragment" = sets::RFC3986_QUERY;

    /// Checks the characters of the path of a SPIFFE ID: letters, digits, `.-_`, and `/` between segments
    /// ([SPIFFE-ID 2.2](https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md#22-path)).
    ///
    /// A SPIFFE ID must not have escapes, so don't write the encoded text. Use this preset to find a character that is
    /// not allowed:
    ///
    /// ```
    /// use percent_simd::presets;
    ///
    /// assert_eq!(presets::SPIFFE.first_changed("/ns/staging/sa/default"), None);
    /// assert_eq!(presets::SPIFFE.first_changed("/ns/a%2Fb"), Some(5));
    /// ```
    ///
    /// Check the segments too: no segment may be empty, `.` or `..`. The trust domain allows the same characters,
    /// except upper-case letters and `/` (2.1).
    SPIFFE "SPIFFE-ID 2.2 path, a check" = sets::ALPHANUMERIC.union(ByteSet::of(b".-_/"));

    /// Checks the characters of a reference to an image, `registry:port/name:tag@digest`. Allows letters, digits,
    /// `._-`, the delimiters `/`, `:` and `@`, and the `+` and `=` of a digest.
    ///
    /// A reference has no escapes, so don't write the encoded text. [`first_changed`](Encoder::first_changed) finds a
    /// character that is not allowed. The name must also be in lower case, and its separators follow a grammar
    /// ([OCI distribution, Pulling
    /// manifests](https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests)).
    OCI_REFERENCE "OCI distribution name, tag and digest, a check"
        = sets::ALPHANUMERIC.union(ByteSet::of(b"._-/:@+="));

    /// Encodes the data of a `data:` URL that doesn't use base64. The grammar is `data = *urlchar`
    /// ([RFC 2397 3](https://www.rfc-editor.org/rfc/rfc2397#section-3)). A `urlchar` is a `uric` of RFC 2396, so this
    /// preset is equal to [`RFC2396_URIC`](sets::RFC2396_URIC).
    ///
    /// `uri::data` of percent-standards builds the whole URL.
    DATA_URL "RFC 2397 3 data" = sets::RFC2396_URIC;
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
