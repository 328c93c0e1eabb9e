//! Builds the texts that are signed for AWS, Google Cloud Storage, CloudFront and OAuth 1.0. Also builds a key for a
//! cache.
//!
//! Each text depends on the order and the encoding of the query. The signature itself is not part of this example.
//!
//! ```text
//! $ cargo run --example signatures -- 'https://Example.com/a/./b?b=1+2&a=%2b&c&utm_source=x'
//! AWS, path:     /a/b
//! S3, path:      /a/./b
//! AWS, query:    a=%2B&b=1%2B2&c=&utm_source=x
//! Google, query: a=%2B&b=1%2B2&c=&utm_source=x
//! CloudFront:    https://Example.com/a/./b?b=1+2&a=%2b&c&utm_source=x
//! OAuth 1.0:     GET&https%3A%2F%2Fexample.com%2Fa%2F.%2Fb&a%3D%252B%26b%3D1%25202%26c%3D%26utm_source%3Dx
//! key:           https://example.com/a/b?a=%2b&b=1+2&c
//! ```

use std::env;

use percent_simd::{Decoder, presets};
use percent_standards::uri::{CanonicalQuery, Normalizer, PathNormalizer, Step, Uri};

/// The canonical query of AWS. A presigned URL has its signature in the query, so a server drops the signature before
/// it checks the URL.
const AWS_QUERY: CanonicalQuery = CanonicalQuery::sigv4().drop_names(&["X-Amz-Signature"]);

/// Returns the canonical path of AWS Signature Version 4 for S3. The path is encoded once, and not normalized.
fn s3_path(path: &str) -> String {
    presets::AWS_SIGV4_PATH.encode(&Decoder::new().decode(path)).into_owned()
}

/// Returns the canonical path of AWS Signature Version 4 for all services except S3. The path of the request is
/// normalized, and then encoded once more.
fn service_path(path: &str) -> Option<String> {
    let normal = PathNormalizer::new().merge_slashes().normalize(path).ok()?;
    Some(presets::AWS_SIGV4_PATH.encode(&*normal).into_owned())
}

/// Returns the canonical query of a V4 signature of Google Cloud Storage. Google encodes the same bytes as AWS.
fn gcs_query(query: &str) -> String {
    CanonicalQuery::sigv4().drop_names(&["X-Goog-Signature"]).canonicalize(query).into_owned()
}

/// Returns the resource that a canned policy of CloudFront signs. This is the URL as it is, without the parameters of
/// the signature.
fn cloudfront_resource(url: &str) -> String {
    const UNSIGNED: CanonicalQuery =
        CanonicalQuery::as_written().drop_names(&["Expires", "Signature", "Key-Pair-Id", "Policy", "Hash-Algorithm"]);
    UNSIGNED.canonicalize_uri(url).into_owned()
}

/// Returns the signature base string of OAuth 1.0 (RFC 5849 3.4.1). `parameters` are the parameters of the query, the
/// header and the body, joined with `&`.
fn oauth1_base_string(method: &str, url: &str, parameters: &str) -> Option<String> {
    const PARAMETERS: CanonicalQuery = CanonicalQuery::oauth1().drop_names(&["realm", "oauth_signature"]);
    // The scheme and the host are in lower case, there is no default port, and the path stays as it is (3.4.1.2).
    const BASE: Normalizer = Normalizer::new().by_scheme().only(&[Step::Scheme, Step::Host, Step::Port]);
    let url = BASE.normalize(url).ok()?;
    let base = Uri { query: None, fragment: None, ..Uri::split(&url) }.to_string();
    let parts = [&*method.to_uppercase(), &base, &PARAMETERS.canonicalize(parameters)];
    Some(parts.map(|part| presets::OAUTH1.encode(part).into_owned()).join("&"))
}

/// Returns a key for a cache. The key doesn't depend on:
/// - the case of the scheme and the host;
/// - a default port, dot segments, or the fragment;
/// - the order of the parameters, or parameters for tracking.
fn cache_key(url: &str) -> String {
    const SORTED: CanonicalQuery = CanonicalQuery::cache_key().drop_names(&["utm_*", "fbclid", "gclid"]);
    // The fragment isn't sent to the server.
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    SORTED.canonicalize_uri(&Normalizer::new().by_scheme().only(&STEPS).sanitize(url)).into_owned()
}

/// All steps except [`Step::Escapes`]. So the escapes in paths and parameters stay as the client wrote them.
const STEPS: [Step; 4] = [Step::Scheme, Step::Host, Step::Port, Step::Path];

fn main() {
    for url in env::args().skip(1) {
        let uri = Uri::split(&url);
        let query = uri.query.unwrap_or_default();
        println!("AWS, path:     {}", service_path(uri.path).unwrap_or_else(|| "invalid".into()));
        println!("S3, path:      {}", s3_path(uri.path));
        println!("AWS, query:    {}", AWS_QUERY.canonicalize(query));
        println!("Google, query: {}", gcs_query(query));
        println!("CloudFront:    {}", cloudfront_resource(&url));
        println!("OAuth 1.0:     {}", oauth1_base_string("GET", &url, query).unwrap_or_else(|| "invalid".into()));
        println!("key:           {}", cache_key(&url));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aws_signs_the_canonical_path_and_query() {
        // The normalized cases of awslabs/aws-c-auth, tests/aws-signing-test-suite/v4.
        for (path, canonical) in
            [("/example1/example2/../..", "/"), ("//example//", "/example/"), ("/./example", "/example"), ("/", "/")]
        {
            assert_eq!(service_path(path).as_deref(), Some(canonical), "{path}");
        }
        // The path of a request is already encoded. Except for S3, AWS encodes it once more.
        assert_eq!(service_path("/example%20space/").unwrap(), "/example%2520space/");
        assert_eq!(s3_path("/example%20space/"), "/example%20space/");
        assert_eq!(s3_path("/data/asset_id=my-asset/dt=2024/../x"), "/data/asset_id%3Dmy-asset/dt%3D2024/../x");
        // Issue 702 of chimera-nas: the server gets the path with the escapes that the client sent. So `s3_path`
        // decodes these escapes before it encodes the path.
        assert_eq!(s3_path("/foo+1/b%20%72%2fx%7E%c3%a9"), "/foo%2B1/b%20r/x~%C3%A9");
        assert_eq!(AWS_QUERY.canonicalize("b=1+2&a=%2b&c&X-Amz-Signature=0f"), "a=%2B&b=1%2B2&c=");
    }

    #[test]
    fn google_and_cloudfront_sign_urls() {
        assert_eq!(
            gcs_query("X-Goog-Date=20201001T000000Z&X-Goog-Credential=a@b/20201001&userProject=p&X-Goog-Signature=9f"),
            "X-Goog-Credential=a%40b%2F20201001&X-Goog-Date=20201001T000000Z&userProject=p"
        );
        assert_eq!(
            cloudfront_resource(
                "https://d1.cloudfront.net/a%20b.jpg?size=%6d&b&a=1&Expires=9&Signature=x~&Key-Pair-Id=K"
            ),
            "https://d1.cloudfront.net/a%20b.jpg?size=%6d&b&a=1"
        );
        assert_eq!(
            cloudfront_resource("https://d1.cloudfront.net/a?Expires=9&Signature=x"),
            "https://d1.cloudfront.net/a"
        );
    }

    #[test]
    fn oauth_1_signs_the_base_string() {
        // RFC 5849 3.4.1.1.
        let url = "HTTP://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b";
        let parameters = "b5=%3D%253D&a3=a&c%40=&a2=r%20b&oauth_consumer_key=9djdj82h48djs9d2&oauth_token=kkk9d7dh3k39sjv7\
             &oauth_signature_method=HMAC-SHA1&oauth_timestamp=137131201&oauth_nonce=7d8f3e4a&c2&a3=2+q&realm=Example\
             &oauth_signature=bYT5CMsGcbgUdFHObYMEfcx6bsw%3D";
        assert_eq!(
            oauth1_base_string("post", url, parameters).unwrap(),
            "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D\
             %26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1\
             %26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
        );
    }

    #[test]
    fn urls_of_the_same_page_have_the_same_key() {
        for url in
            ["http://h/p?a=2&b=1", "HTTP://H:80/./p?b=1&a=2#top", "http://h/x/../p?utm_source=mail&b=1&a=2&gclid=9"]
        {
            assert_eq!(cache_key(url), "http://h/p?a=2&b=1", "{url}");
        }
        assert_eq!(cache_key("/p?a=2&a=1"), "/p?a=2&a=1");
        assert_eq!(cache_key("/p?utm_id=1"), "/p");
    }
}
