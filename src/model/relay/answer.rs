//! What the relay says itself: errors in the shape that the provider's clients understand.

use crate::model::Api;
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::{Response, header};
use serde_json::json;

/// The body of every answer of the relay.
pub(super) type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// An answer that the relay gives by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The HTTP status. None that clients retry, unless trying again may help.
    pub(super) status: u16,
    /// A word for programs.
    pub(super) code: &'static str,
    /// A sentence for people.
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into() }
    }

    /// The answer in this provider's shape.
    pub(super) fn answer(&self, api: Api) -> Response<Body> {
        let message = format!("seatrial: {}", self.message);
        let kind = match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            400 | 413 => "invalid_request_error",
            _ => "api_error",
        };
        let body = match api {
            Api::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
            Api::Chat | Api::Responses => {
                json!({"error": {"message": message, "type": kind, "code": self.code, "param": null}})
            }
        };
        let body = Full::new(Bytes::from(body.to_string())).map_err(|never| match never {}).boxed_unsync();
        let mut response = Response::new(body);
        *response.status_mut() = hyper::StatusCode::from_u16(self.status).unwrap_or(hyper::StatusCode::BAD_GATEWAY);
        response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
        response
    }
}
