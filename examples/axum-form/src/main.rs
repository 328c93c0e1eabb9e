//! A server with a form. The extractor reads it as browsers send it, and an error says which field is at fault.

use axum::Router;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use percent_standards::form::{Brackets, Config, Duplicates, Parser};
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;

/// Reads an empty text box as `None`, a checkbox as `true`, and names like `tags[]` as lists. If a name is repeated,
/// the last value counts.
const BROWSER: Config =
    Config { empty_as_none: true, bool_on: true, duplicates: Duplicates::Last, nested: Brackets::PHP, ..Config::new() };

/// A form from the query of a `GET`, or from the body of a request with any other method.
struct Form<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Form<T>, Response> {
        let bytes = if request.method() == Method::GET {
            request.uri().query().unwrap_or_default().as_bytes().to_vec()
        } else {
            let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            let kind = kind.split(';').next().unwrap_or_default().trim();
            if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
                return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response());
            }
            // axum limits the length of a body to 2 MB.
            let body = axum::body::Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
            body.to_vec()
        };
        // A malformed `%` and more than 1,000 pairs are errors.
        let form = Parser::new().strict().limit(1000).config(BROWSER).deserialize(&bytes);
        form.map(Form).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()).into_response())
    }
}

#[derive(serde::Deserialize, Debug)]
struct Search {
    q: String,
    page: Option<u32>,
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    tags: Vec<String>,
}

async fn search(Form(search): Form<Search>) -> String {
    let Search { q, page, exact, tags } = search;
    format!("{q}, page {}, exact: {exact}, tags: {tags:?}", page.unwrap_or(1))
}

fn app() -> Router {
    Router::new().route("/search", get(search).post(search))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}/search?q=fish+%26+chips", listener.local_addr()?);
    axum::serve(listener, app()).await
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    use super::*;

    /// Starts the server on a free port of the loopback.
    fn serve() -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
            runtime.block_on(async { axum::serve(TcpListener::from_std(listener).unwrap(), app()).await })
        });
        address
    }

    /// Sends a request, and returns the status and the body of the answer.
    fn send(server: SocketAddr, line: &str, kind: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(server).unwrap();
        let length = body.len();
        write!(stream, "{line} HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    const FORM: &str = "application/x-www-form-urlencoded; charset=UTF-8";

    #[test]
    fn a_form_as_browsers_send_it() {
        let server = serve();
        let answer = send(server, "GET /search?q=fish+%26+chips&page=&exact=on&tags%5B%5D=a&tags%5B%5D=b%2Bc", "", "");
        assert_eq!(answer, (200, r#"fish & chips, page 1, exact: true, tags: ["a", "b+c"]"#.into()));
        let answer = send(server, "POST /search", FORM, "q=caf%C3%A9&page=2&page=3");
        assert_eq!(answer, (200, "café, page 3, exact: false, tags: []".into()));
    }

    #[test]
    fn errors_name_the_field_and_the_byte() {
        let server = serve();
        let (status, text) = send(server, "POST /search", FORM, "q=a&page=two");
        assert_eq!(status, 400);
        assert!(text.starts_with("field `page`, at byte 9: "), "{text}");
        let (status, text) = send(server, "GET /search?q=100%", "", "");
        assert_eq!(status, 400);
        assert!(text.contains("byte 5"), "{text}");
        assert_eq!(send(server, "POST /search", FORM, &"a&".repeat(1001)).0, 400);
        assert_eq!(send(server, "POST /search", "text/plain", "q=a").0, 415);
    }
}
