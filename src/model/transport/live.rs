//! HTTP over the network, by `reqwest`. No answer that comes from here says a key.

use super::mask::Mask;
use super::send::{CONNECT, HttpRequest, HttpResponse, TransportError};
use crate::model::Error;
use futures_util::StreamExt;

/// Connections to providers.
#[derive(Debug, Clone)]
pub struct Live(reqwest::Client);

/// Headers that belong to one connection and not to what is said over it.
const OF_CONNECTION: [&str; 7] =
    ["connection", "keep-alive", "proxy-authenticate", "te", "trailer", "transfer-encoding", "upgrade"];

impl Live {
    pub fn new() -> Result<Live, Error> {
        // An error means that the program has one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
            .build();
        client.map(Live).map_err(|e| Error::Tls(in_full(&e)))
    }

    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let method = reqwest::Method::from_bytes(request.method.as_bytes())
            .map_err(|_| TransportError::Connection(format!("`{}` is no HTTP method", request.method)))?;
        let mut sent =
            self.0.request(method, format!("{}{}", request.base_url, request.path)).body(request.body.clone());
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        let response = sent.send().await.map_err(|e| failed(&e))?;
        let mask = Mask::new(&request.secrets);
        let text = |value: &reqwest::header::HeaderValue| mask.text(&String::from_utf8_lossy(value.as_bytes()));
        let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
        let headers = headers.filter(|(name, _)| !OF_CONNECTION.contains(&name.as_str())).collect();
        let status = response.status().as_u16();
        let body = mask.body(response.bytes_stream().map(|piece| piece.map_err(|e| failed(&e))).boxed());
        Ok(HttpResponse { status, headers, body })
    }
}

fn failed(error: &reqwest::Error) -> TransportError {
    if error.is_timeout() {
        TransportError::Timeout(in_full(error))
    } else {
        TransportError::Connection(in_full(error))
    }
}

/// The last cause: the others only say that sending failed, with the URL that the caller names anyway.
fn in_full(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
