//! The examples of AWS's documentation of S3, with the key that AWS publishes for these examples.

use example_s3_signer::{Request, Signer};

const SIGNER: Signer<'static> = Signer {
    access_key: "AKIAIOSFODNN7EXAMPLE",
    secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
};
const TIME: &str = "20130524T000000Z";

fn get<'a>(key: &'a str, query: &'a str, headers: &'a [(&'a str, &'a str)]) -> Request<'a> {
    Request { method: "GET", host: "examplebucket.s3.amazonaws.com", key, query, headers, body: b"" }
}

fn signature(request: &Request<'_>) -> String {
    let headers = SIGNER.sign(request, TIME);
    headers[0].1.rsplit_once("Signature=").unwrap().1.to_owned()
}

#[test]
fn an_object() {
    let request = get("test.txt", "", &[("range", "bytes=0-9")]);
    assert_eq!(signature(&request), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

#[test]
fn a_key_that_must_be_encoded() {
    let headers = [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")];
    let request = Request { method: "PUT", body: b"Welcome to Amazon S3.", ..get("test$file.text", "", &headers) };
    assert_eq!(request.target(), "/test%24file.text");
    assert_eq!(signature(&request), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

#[test]
fn a_name_without_a_value() {
    assert_eq!(
        signature(&get("", "lifecycle", &[])),
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    );
}

#[test]
fn a_query_in_any_order() {
    for query in ["max-keys=2&prefix=J", "prefix=J&max-keys=2", "prefix=%4a&max%2dkeys=2"] {
        assert_eq!(
            signature(&get("", query, &[])),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            "{query}"
        );
    }
}

#[test]
fn a_presigned_link() {
    assert_eq!(
        SIGNER.presign(&get("test.txt", "", &[]), TIME, 86400),
        "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256\
         &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
         &X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
         &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    );
}

#[test]
fn dots_and_spaces_of_a_key_stay() {
    // S3 doesn't normalize a path: these are the names of objects.
    assert_eq!(get("a/../b c/ü%", "", &[]).target(), "/a/../b%20c/%C3%BC%25");
}
