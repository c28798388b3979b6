//! Which kind of trouble a provider's error is: by its status, and by its own words where the status says too little.

use super::parts::string;
use crate::model::failure::Class;
use serde_json::Value;

/// The class of an error, and its message in one line. `status` is `None` for
/// an error within a stream.
pub fn classify(status: Option<u16>, body: &Value) -> (Class, String) {
    let error = if body["error"].is_object() { &body["error"] } else { body };
    let message = match body {
        Value::String(text) => text.clone(),
        _ => string(error, "message").or_else(|| string(body, "error")).unwrap_or_default().to_owned(),
    };
    let words = [string(error, "code"), string(error, "type")];
    let says = |names: &[&str]| words.iter().flatten().any(|word| names.contains(word));
    let lower = message.to_lowercase();
    let class = if says(&["context_length_exceeded", "exceed_context_size_error", "request_too_large"])
        || status == Some(413)
        || (matches!(status, Some(400 | 422) | None)
            && ["prompt is too long", "maximum context length", "context window"].iter().any(|t| lower.contains(t)))
    {
        Class::ContextExceeded
    } else if says(&["insufficient_quota", "billing_error", "billing_hard_limit_reached"])
        || status == Some(402)
        // As Anthropic says it, in words alone.
        || lower.starts_with("your credit balance")
    {
        Class::Billing
    } else if says(&["content_policy_violation", "content_filter"])
        // As some say it of an input or an output that a filter looked at: in words, or beside the error.
        || ["content filtering policy", "flagged as potentially violating"].iter().any(|t| lower.contains(t))
        || body.pointer("/error/metadata/flagged_input").is_some()
    {
        Class::Refused
    } else {
        match status {
            Some(401) => Class::Authentication,
            // Its own words say what is not allowed.
            Some(403) if says(&["authentication_error", "invalid_api_key"]) => Class::Authentication,
            Some(403) => Class::Forbidden,
            Some(404) => Class::NotFound,
            Some(429) => Class::Throttled,
            Some(408 | 409) => Class::Overloaded,
            Some(status) if status >= 500 => Class::Overloaded,
            Some(status) if status >= 400 => Class::BadRequest,
            // A redirect, say: no reply, and not followed.
            Some(_) => Class::BadReply,
            None if says(&["rate_limit_error", "rate_limit_exceeded"]) => Class::Throttled,
            None if says(&["authentication_error", "invalid_api_key"]) => Class::Authentication,
            None if says(&["permission_error"]) => Class::Forbidden,
            None if says(&["not_found_error"]) => Class::NotFound,
            None if says(&["invalid_request_error"]) => Class::BadRequest,
            None if body.is_string() => Class::BadReply,
            None => Class::Overloaded,
        }
    };
    (class, message.lines().next().unwrap_or_default().trim().to_owned())
}

/// The error that an answer with a good status holds, as routers answer: `{"error": {"code": 502, …}}`. Its own code says
/// what the status does not. A reply that says `"error": null` holds none.
pub fn within(reply: &Value) -> Option<(Class, String)> {
    let error = reply.get("error").filter(|error| !error.is_null())?;
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
    Some(classify(code, reply))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_content_filter_refuses_alike_whichever_provider_says_it_and_how() {
        let anthropic = json!({"type": "error", "error": {"type": "invalid_request_error",
                               "message": "Output blocked by content filtering policy"}});
        let openai =
            json!({"error": {"code": "content_policy_violation", "type": "invalid_request_error", "message": "no"}});
        let azure = json!({"error": {"code": "content_filter", "message": "The response was filtered"}});
        let prompt = json!({"error": {"code": "invalid_prompt", "type": "invalid_request_error",
                            "message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy."}});
        let router =
            json!({"error": {"code": 403, "message": "requires moderation", "metadata": {"flagged_input": "x"}}});
        for (status, body) in [(400, anthropic), (400, openai), (400, azure), (400, prompt), (403, router)] {
            for status in [Some(status), None] {
                assert_eq!(classify(status, &body).0, Class::Refused, "{status:?} {body}");
            }
        }
        let plain = json!({"error": {"type": "permission_error", "message": "not for this key"}});
        assert_eq!(classify(Some(403), &plain).0, Class::Forbidden);
    }
}
