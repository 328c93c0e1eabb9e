//! Sends requests on the loopback. `url` and `serde_urlencoded` write a request, `reqwest` sends the request, and `axum` or
//! bare `hyper` parses it. These crates don't know percent-simd, and use it only through the patch.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;

use axum::extract::{Form, Path, Query};
use axum::routing::get;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use url::Url;

type Pairs = BTreeMap<String, String>;

/// Returns names and values that need encoding.
fn pairs() -> Pairs {
    let texts =
        ["", "plain", "a b+c", "100%", "%41%zz", "fish & chips = 5 €", "Ελλάς/日本", "*-._~!'()", "\u{7f}\n\"<>`"];
    let long = "naïve/?#[]@ ".repeat(500);
    texts.iter().copied().chain([&*long]).enumerate().map(|(n, text)| (format!("k {n}&="), text.to_string())).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let of_axum = TcpListener::bind("127.0.0.1:0").await?;
    let of_hyper = TcpListener::bind("127.0.0.1:0").await?;
    let [axum_url, hyper_url] =
        [&of_axum, &of_hyper].map(|listener| format!("http://{}", listener.local_addr().expect("an address")));
    tokio::spawn(axum::serve(of_axum, app()).into_future());
    tokio::spawn(serve_with_hyper(of_hyper));
    let client = reqwest::Client::builder().no_proxy().build()?;
    let pairs = pairs();
    let written = serde_urlencoded::to_string(&pairs)?;

    // Send a query that reqwest writes, a query that `url` writes, and a form. axum's extractors read them.
    let echoed = client.get(format!("{axum_url}/query")).query(&pairs).send().await?.text().await?;
    assert_eq!(echoed, written);
    let mut url = Url::parse(&axum_url)?.join("query")?;
    url.query_pairs_mut().extend_pairs(&pairs);
    assert_eq!(url.query_pairs().into_owned().collect::<Pairs>(), pairs);
    assert_eq!(client.get(url.clone()).send().await?.text().await?, written);
    assert_eq!(client.post(format!("{axum_url}/form")).form(&pairs).send().await?.text().await?, written);

    // Send each text as a path segment, without line feeds, because `url` drops them. axum decodes the segment.
    for text in pairs.values().map(|text| text.replace('\n', "")).filter(|text| !text.is_empty()) {
        let mut url = Url::parse(&format!("{axum_url}/segment"))?;
        url.path_segments_mut().expect("a URL with a host").push(&text);
        assert_eq!(client.get(url).send().await?.text().await?, text);
    }

    // With bare hyper, form_urlencoded and percent-encoding read the target directly.
    let mut url = Url::parse(&format!("{hyper_url}/caf%C3%A9/%zz"))?;
    url.query_pairs_mut().extend_pairs(&pairs);
    let echoed = client.get(url).send().await?.text().await?;
    assert_eq!(echoed, format!("/café/%zz\n{written}"));
    println!("{} pairs made the round trip through url, reqwest, axum, hyper and serde_urlencoded", pairs.len());
    Ok(())
}

fn app() -> axum::Router {
    let write = |pairs: Pairs| serde_urlencoded::to_string(pairs).expect("strings");
    axum::Router::new()
        .route("/query", get(move |Query(pairs): Query<Pairs>| async move { write(pairs) }))
        .route("/form", axum::routing::post(move |Form(pairs): Form<Pairs>| async move { write(pairs) }))
        .route("/segment/{text}", get(|Path(text): Path<String>| async move { text }))
}

async fn serve_with_hyper(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let connection =
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(echo));
        tokio::spawn(connection);
    }
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let path = percent_encoding::percent_decode_str(request.uri().path()).decode_utf8_lossy();
    let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    Ok(Response::new(Full::from(format!("{path}\n{form}"))))
}
