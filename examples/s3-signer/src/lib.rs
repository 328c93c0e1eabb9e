//! Signs requests to S3 with AWS Signature Version 4.
//!
//! [Authorization header](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html),
//! [presigned URL](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).

use hmac::{Hmac, Mac};
use percent_simd::presets::{AWS_SIGV4, AWS_SIGV4_PATH};
use percent_standards::uri::CanonicalQuery;
use sha2::{Digest, Sha256};

/// A key of an account, and the region of the bucket.
pub struct Signer<'a> {
    pub access_key: &'a str,
    pub secret_key: &'a str,
    pub region: &'a str,
}

/// A request to sign.
pub struct Request<'a> {
    pub method: &'a str,
    pub host: &'a str,
    /// The key of the object, as text. The signer encodes this text.
    pub key: &'a str,
    /// The query as it is sent, without `?`.
    pub query: &'a str,
    /// Further headers, with names in lower case.
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

impl Request<'_> {
    /// Returns the target as it is sent: S3 encodes a path once, and doesn't remove dot segments.
    pub fn target(&self) -> String {
        let mut target = format!("/{}", AWS_SIGV4_PATH.pieces(self.key));
        if !self.query.is_empty() {
            target.push('?');
            target.push_str(self.query);
        }
        target
    }
}

impl Signer<'_> {
    /// Returns the headers to add to the request. `time` looks like `20130524T000000Z`.
    pub fn sign(&self, request: &Request<'_>, time: &str) -> Vec<(String, String)> {
        let digest = hex(&Sha256::digest(request.body));
        let mut headers = vec![("host", request.host), ("x-amz-content-sha256", &*digest), ("x-amz-date", time)];
        headers.extend(request.headers);
        headers.sort_unstable();
        let (signature, names) = self.signature(request, request.query, &headers, &digest, time);
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}/{},SignedHeaders={names},Signature={signature}",
            self.access_key,
            self.scope(time)
        );
        [("authorization", &*authorization), ("x-amz-content-sha256", &*digest), ("x-amz-date", time)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    /// Returns a link to the object that works for `seconds` and needs no header.
    pub fn presign(&self, request: &Request<'_>, time: &str, seconds: u32) -> String {
        let mut query = format!(
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={}&X-Amz-Date={time}&X-Amz-Expires={seconds}&X-Amz-SignedHeaders=host",
            AWS_SIGV4.pieces(&format!("{}/{}", self.access_key, self.scope(time)))
        );
        if !request.query.is_empty() {
            query = format!("{query}&{}", request.query);
        }
        let headers = [("host", request.host)];
        let (signature, _) = self.signature(request, &query, &headers, "UNSIGNED-PAYLOAD", time);
        format!("https://{}/{}?{query}&X-Amz-Signature={signature}", request.host, AWS_SIGV4_PATH.pieces(request.key))
    }

    fn scope(&self, time: &str) -> String {
        format!("{}/{}/s3/aws4_request", day(time), self.region)
    }

    /// Returns the signature, and the names of the signed headers.
    fn signature(
        &self,
        request: &Request<'_>,
        query: &str,
        headers: &[(&str, &str)],
        digest: &str,
        time: &str,
    ) -> (String, String) {
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String = headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let canonical = format!(
            "{}\n/{}\n{}\n{lines}\n{names}\n{digest}",
            request.method,
            AWS_SIGV4_PATH.pieces(request.key),
            CanonicalQuery::sigv4().canonicalize(query),
        );
        let scope = self.scope(time);
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
        let mut key = hmac(format!("AWS4{}", self.secret_key).as_bytes(), day(time));
        for part in [self.region, "s3", "aws4_request"] {
            key = hmac(&key, part);
        }
        (hex(&hmac(&key, &text)), names)
    }
}

/// Returns the day of a time, such as `20130524`.
fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of every length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
