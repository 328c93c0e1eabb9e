//! Tests calls at the limits of length and memory. Tests all error messages.

use std::panic::catch_unwind;

use percent_simd::{ByteSet, Decoder, OutputTooSmall, Plus, SliceError};
use percent_standards::{form, uri};
use percent_standards_oracle::memory::{at_most, requests};
use percent_standards_oracle::skip;

const LENGTH: usize = 1 << 20;

#[test]
fn parts_of_a_uri_are_decoded_by_any_decoder() {
    let part = uri::segments("a/b+%00%zz").nth(1).unwrap();
    let decoder = Decoder::new().plus(Plus::Always);
    assert_eq!(part.decode_with(decoder).unwrap(), &b"b \0%zz"[..]);
    let (by_reference, strict) = (&decoder, &decoder.strict());
    assert_eq!(part.decode_with(by_reference).unwrap(), &b"b \0%zz"[..]);
    assert_eq!(part.decode_utf8_with(strict).unwrap_err().offset, 7);
    assert_eq!(part.decode_utf8_with(decoder.reject(ByteSet::of(b"\0"))).unwrap_err().offset, 4);
}

#[test]
fn errors_name_fault_and_offset() {
    use percent_standards::uri::template::{TemplateError, TemplateErrorKind};
    let path = uri::PathNormalizer::new().strict().normalize_slice("/%zz", &mut [0; 9]).unwrap_err();
    for (text, part) in [
        (SliceError::<uri::UriError>::from(OutputTooSmall::new(6)).to_string(), "6"),
        (uri::Uri::parse_absolute("//h").unwrap_err().to_string(), "the scheme is missing at byte 0"),
        (uri::UriError::new(7, uri::UriErrorKind::Nul).to_string(), "the byte 0 at byte 7"),
        (uri::UriError::new(8, uri::UriErrorKind::Fragment).to_string(), "the fragment at byte 8"),
        (uri::UriError::new(9, uri::UriErrorKind::Host).to_string(), "the host at byte 9"),
        (
            uri::RequestTarget::parse("CONNECT", "h:").unwrap_err().to_string(),
            "no form that its method takes, from byte 2 on",
        ),
        (
            TemplateError::new(10, TemplateErrorKind::PrefixOfComposite).to_string(),
            "the variable at byte 10 has a prefix",
        ),
        (path.to_string(), "byte 1"),
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// Tests that each error converts to an `std::io` error that contains the original error. So a caller that reads and
/// parses needs only one `?`.
#[test]
fn every_error_converts_to_an_io_error() {
    use std::error::Error;
    use std::io::{self, ErrorKind};

    use percent_standards::charset::{Charset, UnmappableError};
    use percent_standards::ecma::{self, EcmaError};
    use percent_standards::http::{ExtValue, FieldError};
    use percent_standards::uri::file::{self, FileError, FileErrorKind, Style};
    use percent_standards::uri::purl::{Purl, PurlError};
    use percent_standards::uri::template::{Template, TemplateError};
    use percent_standards::uri::{PathNormalizer, Uri, UriError, UriErrorKind};

    #[track_caller]
    fn contains<E: Error + PartialEq + 'static>(error: &io::Error, kind: ErrorKind, inside: &E) {
        assert_eq!((error.kind(), error.to_string()), (kind, inside.to_string()));
        assert!(error.get_ref().and_then(|inside| inside.downcast_ref()) == Some(inside), "{inside}");
    }

    #[track_caller]
    fn becomes<E: Error + PartialEq + Clone + 'static>(error: E, kind: ErrorKind)
    where
        io::Error: From<E>,
    {
        contains(&error.clone().into(), kind, &error);
    }

    becomes::<EcmaError>(ecma::decode_uri("%").unwrap_err(), ErrorKind::InvalidData);
    becomes::<FieldError>(ExtValue::parse("a").unwrap_err(), ErrorKind::InvalidData);
    becomes::<FileError>(file::to_path("a").unwrap_err(), ErrorKind::InvalidInput);
    becomes::<form::ParseError>(
        form::Parser::new().strict().parse("%").next().unwrap().unwrap_err(),
        ErrorKind::InvalidData,
    );
    becomes::<form::SerdeError>(form::from_str::<u8>("a").unwrap_err(), ErrorKind::InvalidData);
    becomes::<form::SerdeError>(form::to_string(1).unwrap_err(), ErrorKind::InvalidData);
    becomes::<TemplateError>(Template::parse("{").unwrap_err(), ErrorKind::InvalidInput);
    becomes::<UnmappableError>(Charset::US_ASCII.encode("é").unwrap_err(), ErrorKind::InvalidData);
    becomes::<UriError>(Uri::parse("%").unwrap_err(), ErrorKind::InvalidData);
    becomes::<PurlError>(Purl::parse("a").unwrap_err(), ErrorKind::InvalidData);

    // A call that writes to a buffer returns a `SliceError`, which contains one of two errors: the fault of the input,
    // or an `OutputTooSmall`. The `std::io` error must contain this inner error, not the `SliceError`.
    let normalize = |path, room| PathNormalizer::new().normalize_slice(path, &mut [0; 9][..room]).unwrap_err().into();
    contains(&normalize("a", 9), ErrorKind::InvalidData, &UriError::new(0, UriErrorKind::NotRooted));
    contains(&normalize("/a", 1), ErrorKind::WriteZero, &OutputTooSmall::new(2));
    let write = |path, room| file::from_path_slice(path, Style::Posix, &mut [0; 9][..room]).unwrap_err().into();
    contains(&write("a", 9), ErrorKind::InvalidInput, &FileError::new(0, FileErrorKind::Relative));
    contains(&write("/a", 1), ErrorKind::WriteZero, &OutputTooSmall::new(9));
}

#[test]
fn appending_pairs_rarely_reallocates() {
    const PAIRS: usize = 4096;
    const MOST: usize = 2 * usize::BITS as usize;
    let long = "%zz%41".repeat(50); // this is longer than the buffers on the stack
    for part in ["a", "%41", "%zz", "\u{e9} ", long.as_str()] {
        let check = |call: &str, run: &mut dyn FnMut()| {
            let [requests, _] = requests(|| (0..PAIRS).for_each(|_| run()));
            assert!(requests <= MOST, "{call}: {requests} allocations for {PAIRS} pairs of {part:?}");
        };
        let mut serializer = form::Serializer::append_to(String::from("a=b"));
        check("form::Serializer::append_all", &mut || _ = serializer.append_all([(part, part)]));
        let mut serializer = form::Serializer::new();
        check("form::Serializer::append", &mut || _ = serializer.append(part, part));
        check("form::Serializer::append_name", &mut || _ = serializer.append_name(part));
    }
}

#[test]
#[cfg(panic = "unwind")]
fn calls_that_return_no_error_panic_and_leave_the_output_unchanged() {
    if cfg!(target_family = "wasm") {
        return skip("panics if memory can't be allocated: WebAssembly can't catch a panic");
    }
    let mut form = "a".repeat(LENGTH);
    let mut bytes = form.clone().into_bytes();
    let text = std::panic::AssertUnwindSafe(|| _ = form::Serializer::append_to(&mut form).append("b", "c"));
    let pairs = std::panic::AssertUnwindSafe(|| _ = form::Serializer::append_to(&mut bytes).append("b", "c"));
    std::panic::set_hook(Box::new(|_| {}));
    let full = at_most(LENGTH - 1, || [catch_unwind(text).is_err(), catch_unwind(pairs).is_err()]);
    drop(std::panic::take_hook());
    assert_eq!((full, form.len(), bytes.len()), ([true; 2], LENGTH, LENGTH));
}

/// Tests inputs of more than 4 GiB. No offset and no length may be cut to 31 or 32 bits.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod beyond_32_bits {
    use percent_standards::newline::Newline;
    use percent_standards::uri::Uri;
    use percent_standards::{ecma, form};
    use percent_standards_oracle::{LENGTH, SEAMS, Sparse};

    #[test]
    #[ignore = "takes minutes, and some GiB of memory"]
    fn the_standards_keep_offsets() {
        for at in [SEAMS[0], SEAMS[5], SEAMS[6], SEAMS[7]] {
            let input = Sparse::with(at, b"?a=%41&b#c");
            let text = input.text();
            let uri = Uri::split(text);
            assert_eq!(
                (uri.path.len(), uri.query, uri.fragment.map(str::len)),
                (at, Some("a=%41&b"), Some(LENGTH - at - 9))
            );
            let pairs: Vec<_> = uri.query_pairs().map(|pair| pair.name.offset()).collect();
            assert_eq!(pairs, [at + 1, at + 7]);

            let input = Sparse::with(at, b"&a=%41&");
            let names: Vec<_> =
                form::parse(input.bytes()).map(|(name, value)| (name.len(), value.into_owned())).collect();
            assert_eq!(names, [(at, String::new()), (1, "A".into()), (LENGTH - at - 7, String::new())]);

            let input = Sparse::with(at, b"%u0041%");
            assert_eq!(ecma::find_u_escape(input.bytes()).map(|escape| escape.offset), Some(at));
            assert_eq!(ecma::decode_uri(input.text()).map_err(|error| error.offset).map(drop), Err(at));

            let input = Sparse::with(at, b"\n");
            assert_eq!(Newline::CrLf.applied_len(input.bytes()), Some(LENGTH + 1));
        }
    }
}
