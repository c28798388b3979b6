//! What usage costs. Prices are data with a date, ours or the user's; a model that is not in the table has no known
//! cost, which is not a cost of 0.

use super::error::Error;
use super::usage::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// US dollars for one model, from a day on. Tokens are priced per million.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The day on which somebody looked, such as `2026-11-30`.
    pub date: String,
    /// A million tokens read.
    pub input: f64,
    /// A million tokens written.
    pub output: f64,
    /// A million tokens from a cache; unknown where `None`.
    pub cache_read: Option<f64>,
    /// A million tokens into a cache; unknown where `None`.
    pub cache_write: Option<f64>,
    /// A thousand calls of the provider's own tools, by the provider's name of the count.
    #[serde(default)]
    pub server_tools: BTreeMap<String, f64>,
}

/// Prices by the model's name, as its provider knows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The table in a file: a TOML table for each model, `["NAME"]`, with the keys of [`Price`].
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Parse`] with the file's name.
    pub fn load(path: &Path) -> Result<Prices, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Io {
            verb: "read",
            path: path.to_owned(),
            source,
        })?;
        let parse = |why: String| Error::Parse { path: path.to_owned(), why };
        let prices: Prices = toml::from_str(&text).map_err(|e| parse(e.to_string()))?;
        for (model, price) in &prices.0 {
            let tokens = [Some(price.input), Some(price.output), price.cache_read, price.cache_write];
            let all = tokens.into_iter().flatten().chain(price.server_tools.values().copied());
            if let Some(bad) = all.into_iter().find(|dollars| !dollars.is_finite() || *dollars < 0.0) {
                return Err(parse(format!("`{model}` has the price {bad}")));
            }
        }
        Ok(prices)
    }

    /// What `usage` of `model` costs, in US dollars. A price that is missing for something that was used makes it
    /// unknown.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<f64> {
        let price = self.0.get(model)?;
        let mut dollars = 0.0;
        for (tokens, per_million) in [
            (usage.input, Some(price.input)),
            (usage.output, Some(price.output)),
            (usage.cache_read, price.cache_read),
            (usage.cache_write, price.cache_write),
        ] {
            if tokens > 0 {
                dollars += tokens as f64 * per_million? / 1e6;
            }
        }
        for (tool, calls) in usage.server_tools.iter().filter(|(_, calls)| **calls > 0) {
            dollars += *calls as f64 * price.server_tools.get(tool)? / 1e3;
        }
        Some(dollars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_the_sum_of_its_parts_and_unknown_where_one_is_unknown() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("prices.toml");
        let text = "[\"org/m-1.5\"]\ndate = \"2026-11-30\"\ninput = 2.0\noutput = 10.0\ncache_read = 0.5\n\
                    server_tools = { web_search_requests = 10.0 }\n";
        std::fs::write(&path, text).expect("written");
        let prices = Prices::load(&path).expect("parses");
        let mut usage = Usage { input: 1_000_000, output: 100_000, cache_read: 2_000_000, ..Usage::default() };
        usage.server_tools.insert("web_search_requests".to_owned(), 100);
        assert_eq!(prices.cost("org/m-1.5", &usage), Some(2.0 + 1.0 + 1.0 + 1.0));
        assert_eq!(prices.cost("another", &usage), None);
        usage.cache_write = 1;
        assert_eq!(prices.cost("org/m-1.5", &usage), None, "its price is not known");
        std::fs::write(&path, text.replace("2.0", "-2.0")).expect("written");
        let message = Prices::load(&path).expect_err("no price").to_string();
        assert!(message.ends_with("prices.toml`: `org/m-1.5` has the price -2"), "{message}");
    }
}
