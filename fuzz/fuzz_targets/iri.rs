//! IRIs: mapped to URIs and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::iri::{check, check_reference, host_to_ascii, host_to_unicode, to_iri, to_uri, to_uri_legacy};
use percent_simd::uri::Uri;

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    let uri = to_uri(text);
    assert_eq!(to_uri(&uri), uri, "a URI stays one");
    assert!(to_uri_legacy(text).is_ascii());
    if check_reference(text).is_ok() {
        assert!(uri.is_ascii() && check_reference(&uri).is_ok(), "{uri}");
        assert_eq!(check(text).is_ok(), check(&uri).is_ok());
        assert!(check_reference(&to_iri(&uri)).is_ok());
        assert_eq!(to_uri(&to_iri(&uri)), to_uri(&to_iri(text)));
    }
    // Nothing that was not there comes about: no scheme, no component, no segment.
    let iri = to_iri(text);
    let (before, after) = (Uri::split(text), Uri::split(&iri));
    assert_eq!(before.scheme, after.scheme, "{text:?} {iri:?}");
    assert_eq!(before.authority.is_some(), after.authority.is_some(), "{text:?} {iri:?}");
    assert_eq!((before.query.is_some(), before.fragment.is_some()), (after.query.is_some(), after.fragment.is_some()));
    assert_eq!(before.segments().count(), after.segments().count(), "{text:?} {iri:?}");
    if let Ok(ascii) = host_to_ascii(text) {
        assert_eq!(host_to_ascii(&ascii).as_deref(), Ok(&*ascii), "{text:?}");
        let _ = host_to_unicode(&ascii);
    }
});
