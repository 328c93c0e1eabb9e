//! Prints a link to an object that works for an hour: `s3-signer REGION HOST KEY TIME`. KEY is the key of the object.
//! The keys of the account come from the variables `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.

use std::env;

use example_s3_signer::{Request, Signer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [region, host, key, time] = &*arguments else {
        return Err("usage: s3-signer REGION HOST KEY TIME, with a time such as 20130524T000000Z".into());
    };
    let (access_key, secret_key) = (env::var("AWS_ACCESS_KEY_ID")?, env::var("AWS_SECRET_ACCESS_KEY")?);
    let signer = Signer { access_key: &access_key, secret_key: &secret_key, region };
    let request = Request { method: "GET", host, key, query: "", headers: &[], body: b"" };
    println!("{}", signer.presign(&request, time, 3600));
    Ok(())
}
