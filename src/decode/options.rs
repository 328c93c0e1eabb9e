//! Defines the options that both decoders have.
#![forbid(unsafe_code)]

use core::fmt;
use core::hash::{Hash, Hasher};

use super::{CheckedDecoder, Decoder, Plus, PlusState};
use crate::codec::{CodecResult, Decoding};
use crate::engine::{DecodeSetup, Engine};
use crate::input::AsBytes;
use crate::kernel::{DecodeProfile, PlusStart};
use crate::set::ByteSet;
use crate::short::ShortCodec;
use crate::sink;

/// The options of a decoder, and its engine.
#[derive(Clone, Copy)]
pub(crate) struct DecodeOptions {
    pub(crate) plus: Plus,
    pub(crate) profile: DecodeSetup,
    pub(super) engine: Option<&'static Engine>,
}

impl DecodeOptions {
    pub(super) const NEW: DecodeOptions =
        DecodeOptions { plus: Plus::Never, profile: DecodeSetup::LENIENT, engine: None };

    /// Returns the codec if no option besides strictness is set.
    #[inline(always)]
    pub(crate) fn plain(&self) -> Option<Decoding<'_>> {
        let is_plain = self.plus == Plus::Never && self.profile.is_plain(PlusStart::NONE);
        is_plain.then(|| self.with_pluses(PlusStart::NONE))
    }

    /// Returns the codec for `src`. `src` decides which `+` are spaces.
    #[inline(always)] // so that the compiler drops unused options of a constant decoder
    pub(crate) fn for_input(&self, src: &[u8]) -> Decoding<'_> {
        self.with_pluses(match self.plus {
            Plus::Never => PlusStart::NONE,
            plus => PlusState::new(plus).advance_to_start(src),
        })
    }

    #[inline(always)]
    pub(crate) fn with_pluses(&self, plus: PlusStart) -> Decoding<'_> {
        Decoding { profile: &self.profile, plus, engine: self.engine }
    }

    /// Decodes `buffer` in place. The result is at the start of the buffer.
    pub(crate) fn in_place(&self, buffer: &mut [u8], locate_malformed: bool) -> CodecResult {
        sink::in_place(self.for_input(buffer), buffer, locate_malformed)
    }

    /// Returns the fields that we compare to find out if two decoders are equal. The nibble tables follow from the
    /// sets, so we don't compare them.
    #[allow(clippy::type_complexity)]
    fn parts(&self) -> (Plus, bool, Option<ByteSet>, bool, Option<ByteSet>, Option<&'static str>) {
        let DecodeProfile { strict, keep, upper, reject, .. } = *self.profile;
        let engine = self.engine.map(Engine::name);
        (self.plus, strict, keep.map(|(set, _)| set), upper, reject.map(|(set, _)| set), engine)
    }
}

impl PartialEq for DecodeOptions {
    fn eq(&self, other: &DecodeOptions) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for DecodeOptions {}

impl Hash for DecodeOptions {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl DecodeOptions {
    /// Shows a decoder with the options that differ from the default.
    fn show(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plus, strict, keep, upper, reject, engine) = self.parts();
        let mut shown = f.debug_struct(name);
        if plus != Plus::Never {
            shown.field("plus", &plus);
        }
        if strict {
            shown.field("strict", &strict);
        }
        if let Some(keep) = keep {
            shown.field(if upper { "keep_upper" } else { "keep" }, &keep);
        }
        if let Some(reject) = reject {
            shown.field("reject", &reject);
        }
        if let Some(engine) = engine {
            shown.field("engine", &engine);
        }
        shown.finish()
    }
}

impl fmt::Debug for DecodeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show("DecodeOptions", f)
    }
}

impl Decoder {
    /// Sets which `+` are decoded to spaces. The default is [`Plus::Never`].
    #[must_use]
    pub const fn plus(mut self, plus: Plus) -> Decoder {
        self.0.plus = plus;
        if !matches!(plus, Plus::Never) {
            self.0.profile = self.0.profile.for_pluses();
        }
        self
    }

    /// Leaves a triplet as it is if its byte is in `keep`.
    ///
    /// If `keep` contains `%`, decoding makes no new triplets, so decoding twice gives the same result as
    /// decoding once. To make this true, the decoder also keeps *latent triplets*. A latent triplet is a
    /// malformed `%` before two digits, if one or both of the digits are escaped. For example, decoding `%32`
    /// and `%46` in `%%32%46` would make the triplet `%2F`.
    ///
    /// Each call of `keep` or [`keep_upper`](Self::keep_upper) replaces the set of the previous call.
    ///
    /// ```
    /// use percent_simd::{ByteSet, Decoder};
    /// let path = Decoder::new().keep(ByteSet::of(b"/%"));
    /// // Not `/a%2Fb`, which the next decoder would read as `/a/b`.
    /// assert_eq!(path.decode("/a%%32%46b"), &b"/a%%32%46b"[..]);
    /// assert_eq!(path.decode("/a%2%46b"), &b"/a%2%46b"[..]);
    /// ```
    ///
    /// If `keep` doesn't contain `%`, the decoder decodes `%25` and the digits of latent triplets: `%252F` and
    /// `%%32F` become `%2F`. So don't decode the result again.
    #[must_use]
    pub const fn keep(mut self, keep: ByteSet) -> Decoder {
        self.0.profile = self.0.profile.keeping(keep, false);
        self
    }

    /// Leaves triplets whose byte is in `keep`, and writes their hexadecimal digits in upper case.
    ///
    /// Use it to normalize the escapes of a URI (RFC 3986 6.2.2: case normalization and percent-encoding
    /// normalization):
    ///
    /// ```
    /// use percent_simd::{Decoder, sets};
    /// let normalize = Decoder::new().keep_upper(!sets::RFC3986_UNRESERVED);
    /// assert_eq!(normalize.decode("/%7euser%2f%c3%a9"), &b"/~user%2F%C3%A9"[..]);
    /// ```
    #[must_use]
    pub const fn keep_upper(mut self, keep: ByteSet) -> Decoder {
        self.0.profile = self.0.profile.keeping(keep, true);
        self
    }

    /// Uses `engine` instead of the best one.
    #[must_use]
    pub const fn with_engine(mut self, engine: &'static Engine) -> Decoder {
        self.0.engine = Some(engine);
        self
    }
}

/// Defines the methods that both decoders have: the checks, and `first_changed`, which can't fail.
macro_rules! options {
    ($decoder:ident) => {
        impl $decoder {
            /// Makes a triplet an error if its byte is in `reject`. A kept triplet isn't an error.
            ///
            /// Each call of `reject` replaces the set of the previous call. If the decoder isn't also
            /// [`strict`](Self::strict), it copies a malformed `%`. Unescaped bytes are never errors. To refuse
            /// unescaped bytes of `reject` too, search the decoded bytes for them.
            ///
            /// ```
            /// use percent_simd::{ByteSet, Decoder};
            /// let decoded = Decoder::new().reject(ByteSet::CONTROLS).decode("a%20b\n")?;
            /// let rest = decoded.iter().position(|&byte| ByteSet::CONTROLS.contains(byte));
            /// assert_eq!(rest, Some(3)); // the line feed, which was not escaped
            /// assert!(Decoder::new().reject(ByteSet::CONTROLS).decode("a%0Ab").is_err());
            /// # Ok::<(), percent_simd::DecodeError>(())
            /// ```
            #[must_use]
            pub const fn reject(self, reject: ByteSet) -> CheckedDecoder {
                let mut options = self.0;
                options.profile = options.profile.rejecting(reject);
                CheckedDecoder(options)
            }

            /// Makes a malformed `%` an error.
            #[must_use]
            pub const fn strict(self) -> CheckedDecoder {
                let mut options = self.0;
                options.profile = options.profile.strict();
                CheckedDecoder(options)
            }

            /// Returns the offset of the first byte of `input` that decoding would change.
            ///
            /// Returns `None` if no byte would change, or if an error comes first.
            #[must_use]
            pub fn first_changed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
                let (src, codec) = (input.as_bytes(), self.0.for_input(input.as_bytes()));
                if codec.check(src).unchanged { None } else { codec.first(src).0 }
            }

            pub(crate) const fn options(&self) -> &DecodeOptions {
                &self.0
            }
        }

        /// Shows the options that differ from the default.
        impl fmt::Debug for $decoder {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.show(stringify!($decoder), f)
            }
        }
    };
}

options!(Decoder);
options!(CheckedDecoder);
