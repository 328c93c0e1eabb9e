//! A reverse proxy. It normalizes the path of each request, checks the normalized path, and sends the same path to the server
//! behind the proxy. So both programs see one path, and `/public/%2e%2e/admin` doesn't get past a rule for `/admin`.

use std::convert::Infallible;
use std::env;
use std::net::SocketAddr;

use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use percent_standards::uri::{self, RequestTarget};
use tokio::net::{TcpListener, TcpStream};

type Body = Either<Incoming, Full<Bytes>>;

/// Returns the target for the server behind the proxy, or the reason to refuse the request.
fn target(method: &str, target: &str) -> Result<String, (StatusCode, String)> {
    let bad = |reason: String| (StatusCode::BAD_REQUEST, reason);
    let parsed = RequestTarget::parse(method, target).map_err(|error| bad(error.to_string()))?;
    let path = uri::normalize_path(parsed.path_or_root()).map_err(|error| bad(error.to_string()))?;
    // Servers disagree about these texts: some decode `%2F` to a separator, read `\` as a separator, or remove empty
    // segments.
    let unclear = ["%2F", "%5C", "\\", "//"].into_iter().find(|text| path.contains(text));
    if let Some(text) = unclear {
        return Err(bad(format!("`{text}` in the path")));
    }
    // `nth(0)` would be the empty text before the first slash. The segment is decoded after the split, so no escape can
    // hide the name.
    let first = uri::segments(&path).nth(1).map(|segment| segment.decode_utf8_lossy().into_owned());
    if first.is_some_and(|first| first.eq_ignore_ascii_case("admin")) {
        return Err((StatusCode::FORBIDDEN, "not for you".into()));
    }
    Ok(match parsed.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.into_owned(),
    })
}

/// Sends a request to the server behind the proxy.
async fn forward(
    server: SocketAddr,
    request: Request<Incoming>,
) -> Result<Response<Incoming>, Box<dyn std::error::Error>> {
    let stream = TokioIo::new(TcpStream::connect(server).await?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}

async fn answer(server: SocketAddr, mut request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let text = |status, text: String| {
        let mut response = Response::new(Either::Right(Full::from(text + "\n")));
        *response.status_mut() = status;
        response
    };
    Ok(match target(request.method().as_str(), &request.uri().to_string()) {
        Err((status, reason)) => text(status, reason),
        Ok(target) => match target.parse::<Uri>() {
            Err(error) => text(StatusCode::BAD_REQUEST, error.to_string()),
            Ok(uri) => {
                *request.uri_mut() = uri;
                match forward(server, request).await {
                    Ok(response) => response.map(Either::Left),
                    Err(error) => text(StatusCode::BAD_GATEWAY, error.to_string()),
                }
            }
        },
    })
}

async fn serve(listener: TcpListener, server: SocketAddr) -> std::io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service_fn(move |request| answer(server, request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = env::args().nth(1).ok_or("usage: hyper-proxy ADDRESS, such as 127.0.0.1:8000")?.parse()?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}/", listener.local_addr()?);
    Ok(serve(listener, server).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with the target of each request, on a free port of the loopback.
    async fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = service_fn(async |request: Request<Incoming>| {
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(request.uri().to_string()))))
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        address
    }

    /// Sends a request through the proxy, and returns the status and the text of the answer.
    async fn get(proxy: SocketAddr, target: &str) -> (u16, String) {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = TcpStream::connect(proxy).await.unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.trim_end().to_owned())
    }

    #[tokio::test]
    async fn both_programs_see_one_path() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, echo().await));
        for (sent, seen) in [
            ("/", "/"),
            ("/a/./b/../c?q=1+1&r=%2e", "/a/c?q=1+1&r=%2e"),
            ("/%7euser/%c3%a9", "/~user/%C3%A9"),
            ("http://h/x/%2E%2E/y", "/y"),
            // A `%` that starts no escape becomes `%25`, so that the server can't read it in another way.
            ("/caf%C3%A9%20100%", "/caf%C3%A9%20100%25"),
        ] {
            assert_eq!(get(proxy, sent).await, (200, seen.into()), "{sent}");
        }
        for sent in ["/admin", "/public/%2e%2e/admin/x", "/%61dmin", "/x/../ADMIN"] {
            assert_eq!(get(proxy, sent).await, (403, "not for you".into()), "{sent}");
        }
        for sent in ["/a%2Fb", "/a%5c..%5cb", "//admin", "/a%00"] {
            assert_eq!(get(proxy, sent).await.0, 400, "{sent}");
        }
    }

    #[tokio::test]
    async fn a_server_that_is_down_is_a_bad_gateway() {
        let down = {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, down));
        assert_eq!(get(proxy, "/").await.0, 502);
    }
}
