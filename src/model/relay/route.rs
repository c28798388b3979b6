//! Which requests are sent on: the paths of the three APIs that agents need, and nothing else of a provider. Pure.

use crate::model::Api;
use serde_json::Value;

/// A request that may be sent on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// What comes behind the endpoint's base URL.
    pub(super) rest: String,
    /// In which form the answer says what it used; `None` for a path that uses no tokens.
    pub(super) form: Option<Api>,
}

/// What the relay's own base has behind the host: OpenAI's clients are given a base with `/v1`, Anthropic's add it.
pub(super) fn prefix(api: Api) -> &'static str {
    match api {
        Api::Messages => "",
        Api::Chat | Api::Responses => "/v1",
    }
}

/// The request for this provider behind the relay's base, where it may be sent on.
pub(super) fn route(api: Api, method: &str, path: &str, query: Option<&str>) -> Option<Route> {
    let below = path.strip_prefix(prefix(api))?;
    let models = if api == Api::Messages { "/v1/models" } else { "/models" };
    let form = match (api, method, below) {
        (Api::Messages, "POST", "/v1/messages") => Some(Api::Messages),
        (Api::Messages, "POST", "/v1/messages/count_tokens") => None,
        (Api::Chat | Api::Responses, "POST", "/chat/completions") => Some(Api::Chat),
        (Api::Chat | Api::Responses, "POST", "/responses") => Some(Api::Responses),
        (_, "GET", _) if below.strip_prefix(models).is_some_and(is_model) => None,
        _ => return None,
    };
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Some(Route { rest: format!("{below}{query}"), form })
}

/// Nothing, or a slash and one model's name.
fn is_model(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    text.is_empty() || text.strip_prefix('/').is_some_and(|name| !name.starts_with('.') && name.chars().all(plain))
}

/// What in a request would have the provider look things up or act outside for the agent: a way out of the sandbox that
/// no policy sees. `None` where there is nothing of that.
pub(super) fn way_out(body: &Value) -> Option<String> {
    let filled = |key: &str| body.get(key).is_some_and(|value| !value.is_null() && *value != Value::Array(Vec::new()));
    let keys = ["mcp_servers", "web_search_options", "search_parameters", "plugins"];
    if let Some(key) = keys.into_iter().find(|key| filled(key)) {
        return Some(key.to_owned());
    }
    let searches = |model: &str| model.contains("-search") || model.ends_with(":online");
    if body.get("model").and_then(Value::as_str).is_some_and(searches) {
        return Some("a model that searches by itself".to_owned());
    }
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let tool = tools.filter(|tool| !is_own(tool)).map(|tool| match tool.get("type").and_then(Value::as_str) {
        Some(kind) => format!("the tool `{kind}`"),
        None => "a tool without name and type".to_owned(),
    });
    tool.into_iter().next().or_else(|| ["system", "messages", "input"].iter().find_map(|key| fetched(&body[*key])))
}

/// True for a tool that the agent runs itself, or that stays within what it was sent. Any other kind may be run by the
/// provider, and is not sent on until it is known.
fn is_own(tool: &Value) -> bool {
    const KINDS: [&str; 10] = [
        "function",
        "custom",
        "bash_",
        "text_editor_",
        "memory_",
        "computer",
        "local_shell",
        "apply_patch",
        "code_execution_",
        "tool_search_",
    ];
    match tool.get("type").and_then(Value::as_str) {
        Some("shell") => tool["environment"]["type"] == "local",
        Some("namespace") => tool["tools"].as_array().is_some_and(|tools| tools.iter().all(is_own)),
        Some(kind) => KINDS.iter().any(|own| kind.starts_with(own)),
        None => tool["name"].is_string() || tool["function"].is_object(),
    }
}

/// A file or an image that the provider would fetch from an address, wherever it is in what is said. Arguments of tools
/// are the agent's own, and nobody fetches them.
fn fetched(said: &Value) -> Option<String> {
    match said {
        Value::Array(parts) => parts.iter().find_map(fetched),
        Value::Object(part) => {
            let places = [&said["source"]["url"], &said["image_url"], &said["image_url"]["url"], &said["file_url"]];
            let away = |place: &&Value| place.as_str().is_some_and(|url| !url.starts_with("data:"));
            let address = || part.iter().filter(|(key, _)| *key != "input").find_map(|(_, inner)| fetched(inner));
            places.into_iter().find(away).map(|url| format!("fetching {url}")).or_else(address)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_paths_of_the_three_apis_are_sent_on() {
        let rest = |api, method, path| route(api, method, path, None).map(|route| route.rest);
        for (api, method, path, expected) in [
            (Api::Messages, "POST", "/v1/messages", Some("/v1/messages")),
            (Api::Messages, "POST", "/v1/messages/count_tokens", Some("/v1/messages/count_tokens")),
            (Api::Messages, "GET", "/v1/models/claude-x", Some("/v1/models/claude-x")),
            (Api::Messages, "GET", "/v1/models/../files", None),
            (Api::Messages, "GET", "/v1/models/%2e%2e", None),
            (Api::Messages, "GET", "/v1/messages", None),
            (Api::Messages, "POST", "/v1/files", None),
            (Api::Messages, "POST", "/v1/messages/batches", None),
            (Api::Messages, "POST", "//v1/messages", None),
            (Api::Chat, "POST", "/v1/chat/completions", Some("/chat/completions")),
            (Api::Chat, "POST", "/v1/responses", Some("/responses")),
            (Api::Responses, "GET", "/v1/models", Some("/models")),
            (Api::Chat, "GET", "/v1/responses/resp_1", None),
            (Api::Chat, "POST", "/v1/images/generations", None),
            (Api::Chat, "POST", "/v1/organization/admin_api_keys", None),
            (Api::Chat, "DELETE", "/v1/models/x", None),
        ] {
            assert_eq!(rest(api, method, path).as_deref(), expected, "{method} {path}");
        }
        let asked = route(Api::Messages, "POST", "/v1/messages", Some("beta=true")).expect("allowed");
        assert_eq!(asked, Route { rest: "/v1/messages?beta=true".to_owned(), form: Some(Api::Messages) });
    }

    #[test]
    fn what_reaches_outside_is_found_and_the_rest_is_not() {
        let said = |part: Value| json!({"messages": [{"role": "user", "content": [part]}]});
        for (body, expected) in [
            (json!({"tools": [{"type": "web_search_20260318"}]}), true),
            (json!({"tools": [{"type": "function", "name": "web_search"}, {"type": "web_search_preview"}]}), true),
            (json!({"tools": [{"type": "mcp", "server_url": "https://x.example"}]}), true),
            (json!({"mcp_servers": [{"url": "https://x.example"}]}), true),
            (json!({"web_search_options": {}}), true),
            (json!({"search_parameters": {"mode": "on"}}), true),
            (json!({"model": "maker/gpt-x:online"}), true),
            (json!({"tools": [{"google_search": {}}]}), true),
            (json!({"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]}), true),
            (json!({"tools": [{"type": "shell", "environment": {"type": "local"}}, {"type": "custom"}]}), false),
            (json!({"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]}), true),
            (json!({"tools": [{"name": "ls", "input_schema": {}}, {"type": "text_editor_20250728"}]}), false),
            (json!({"model": "gpt-x-search-preview"}), true),
            (json!({"model": "gpt-x", "tools": [{"type": "function", "function": {"name": "web_search"}}]}), false),
            (json!({"tools": [{"name": "bash", "type": "bash_20250124"}], "mcp_servers": []}), false),
            (said(json!({"type": "document", "source": {"type": "url", "url": "https://x.example/a.pdf"}})), true),
            (said(json!({"type": "tool_result", "content": [{"type": "image", "source": {"url": "http://x"}}]})), true),
            (said(json!({"type": "image_url", "image_url": {"url": "https://x.example/?q=1"}})), true),
            (json!({"input": [{"role": "user", "content": [{"type": "input_file", "file_url": "https://x"}]}]}), true),
            (said(json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}})), false),
            (said(json!({"type": "tool_use", "input": {"image_url": "https://x.example"}})), false),
            (said(json!({"type": "text", "text": "https://x.example"})), false),
        ] {
            assert_eq!(way_out(&body).is_some(), expected, "{body}");
        }
    }
}
