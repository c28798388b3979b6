//! Where a model is asked, in which format and with which key. Decided here once, from the model's name and the
//! environment; nothing else reads key variables.

use super::error::Error;
use super::secret::Secret;
use serde::{Deserialize, Serialize};

/// A provider's interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// Anthropic's `/v1/messages`.
    Messages,
    /// OpenAI's `/v1/chat/completions`, and whatever server speaks it.
    Chat,
    /// OpenAI's `/v1/responses`.
    Responses,
}

impl Api {
    /// The interface's path below the base URL.
    pub fn path(self) -> &'static str {
        match self {
            Api::Messages => "/v1/messages",
            Api::Chat => "/chat/completions",
            Api::Responses => "/responses",
        }
    }

    /// The variable with the key, the one with the base URL, and the base URL where that isn't set.
    pub fn variables(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Api::Messages => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
            Api::Chat | Api::Responses => ("OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
        }
    }
}

/// The format that a model's name says, and its name at its provider.
fn named(model: &str) -> (Option<Api>, &str) {
    match model.split_once('/') {
        Some(("anthropic", name)) => (Some(Api::Messages), name),
        Some(("openai", name)) => (Some(Api::Chat), name),
        Some(("openai-responses", name)) => (Some(Api::Responses), name),
        None if model.starts_with("claude") => (Some(Api::Messages), model),
        None if ["gpt", "chatgpt", "o1", "o3", "o4"].iter().any(|start| model.starts_with(start)) => {
            (Some(Api::Chat), model)
        }
        _ => (None, model),
    }
}

/// Where requests for one model go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The format that is spoken there.
    pub api: Api,
    /// Everything before [`Api::path`], without a slash at its end.
    pub base_url: String,
    /// The key; servers of one's own often want none.
    pub key: Option<Secret>,
    /// The model's name as the provider knows it.
    pub model: String,
}

impl Endpoint {
    /// The endpoint of `model`: `anthropic/NAME` or `claude…` is asked by Messages, `openai/NAME`, `gpt…` or `o1…` to
    /// `o4…` by Chat, `openai-responses/NAME` by Responses; any other name goes, as it stands, to the
    /// OpenAI-compatible server that `OPENAI_BASE_URL` names. `env` looks up a variable.
    ///
    /// # Errors
    /// [`Error::UnknownModel`] where the name says no provider and no server is named, [`Error::NoKey`] where a
    /// provider's own address would be asked without a key, [`Error::BaseUrl`] where a variable holds no URL.
    pub fn from_env(model: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Endpoint, Error> {
        let set = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let (api, name) = match named(model) {
            (Some(api), name) => (api, name),
            (None, name) if !name.is_empty() && set("OPENAI_BASE_URL").is_some() => (Api::Chat, name),
            _ => return Err(Error::UnknownModel { model: model.to_owned() }),
        };
        if name.is_empty() {
            return Err(Error::UnknownModel { model: model.to_owned() });
        }
        let (key_variable, url_variable, default_url) = api.variables();
        let key = set(key_variable).and_then(|value| Secret::new(&value));
        let own = set(url_variable);
        if own.is_none() && key.is_none() {
            return Err(Error::NoKey { model: model.to_owned(), variable: key_variable, url_variable });
        }
        let url = own.unwrap_or_else(|| default_url.to_owned());
        let mut base = url.trim_end_matches('/');
        if api == Api::Messages {
            // Its path has `/v1`; people write the base URL with and without.
            base = base.strip_suffix("/v1").unwrap_or(base);
        }
        if host(base).is_empty() {
            return Err(Error::BaseUrl { variable: url_variable, url });
        }
        Ok(Endpoint { api, base_url: base.to_owned(), key, model: name.to_owned() })
    }

    /// The name of `model` as its provider knows it.
    pub fn name_of(model: &str) -> &str {
        named(model).1
    }

    /// The URL that requests are sent to.
    pub fn url(&self) -> String {
        format!("{}{}", self.base_url, self.api.path())
    }

    /// The host, with its port where one is given; for messages.
    pub fn host(&self) -> &str {
        host(&self.base_url)
    }

    /// The headers that carry the key and name the format's version.
    pub fn headers(&self) -> Vec<(String, String)> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut headers = Vec::new();
        match (self.api, &self.key) {
            (Api::Messages, key) => {
                headers.push(pair("anthropic-version", "2023-06-01"));
                headers.extend(key.as_ref().map(|key| pair("x-api-key", key.expose())));
            }
            (Api::Chat | Api::Responses, Some(key)) => {
                headers.push(pair("authorization", &format!("Bearer {}", key.expose())));
            }
            (Api::Chat | Api::Responses, None) => {}
        }
        headers
    }
}

/// The host of an `http` or `https` URL; empty where there is none.
fn host(url: &str) -> &str {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or("");
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    authority.rsplit('@').next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(model: &str, env: &[(&str, &str)]) -> Result<Endpoint, Error> {
        let env: Vec<(String, String)> = env.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        Endpoint::from_env(model, &|name| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()))
    }

    #[test]
    fn a_models_name_says_who_is_asked_and_how() {
        let (anthropic, openai) = (("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "o"));
        let server = ("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1/");
        let own = ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/v1");
        for (model, env, url, name) in [
            ("anthropic/claude-x", anthropic, "https://api.anthropic.com/v1/messages", "claude-x"),
            ("claude-x", own, "http://127.0.0.1:9/v1/messages", "claude-x"),
            ("openai/gpt-x", openai, "https://api.openai.com/v1/chat/completions", "gpt-x"),
            ("o3-mini", openai, "https://api.openai.com/v1/chat/completions", "o3-mini"),
            ("openai-responses/gpt-x", openai, "https://api.openai.com/v1/responses", "gpt-x"),
            ("org/llama", server, "http://127.0.0.1:8000/v1/chat/completions", "org/llama"),
        ] {
            let endpoint = of(model, &[env]).expect(model);
            assert_eq!((endpoint.url().as_str(), endpoint.model.as_str()), (url, name));
        }
    }

    #[test]
    fn what_is_missing_is_named_and_a_key_stays_hidden() {
        let message = of("openai/gpt-x", &[]).expect_err("no key").to_string();
        assert_eq!(message, "model `openai/gpt-x` needs a key, and `OPENAI_API_KEY` is not set");
        let message = of("llama", &[("OPENAI_API_KEY", "o")]).expect_err("no server").to_string();
        assert_eq!(message, "the name `llama` does not say which provider has this model");
        let wrong = of("claude-x", &[("ANTHROPIC_BASE_URL", "localhost:80")]).expect_err("no URL").to_string();
        assert_eq!(wrong, "`ANTHROPIC_BASE_URL` is `localhost:80`, which is no http or https URL");
        let endpoint = of("claude-x", &[("ANTHROPIC_API_KEY", "sk-hidden")]).expect("key");
        assert!(!format!("{endpoint:?}").contains("hidden"));
    }
}
