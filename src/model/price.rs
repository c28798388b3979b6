//! What usage costs. Prices are data with a date, those that come with the program or the user's; a model that is not
//! in the table has no known cost, which is not a cost of 0.

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
    /// A million tokens into a cache that keeps them longer than usual; unknown where `None`.
    pub cache_write_long: Option<f64>,
    /// What a request costs that reads more than so many tokens.
    pub long: Option<Long>,
    /// A thousand calls of the provider's own tools, by the provider's name of the count.
    #[serde(default)]
    pub server_tools: BTreeMap<String, f64>,
}

/// What all tokens of a request cost that reads a lot, in the units of [`Price`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "they are those of `Price`")]
pub struct Long {
    /// It holds for a request that reads more tokens than this, cached ones included.
    pub above: u64,
    pub input: f64,
    pub output: f64,
    pub cache_read: Option<f64>,
    pub cache_write: Option<f64>,
    pub cache_write_long: Option<f64>,
}

/// The prices of tokens: read, written, from a cache, into a cache, into a cache for longer.
type Rates = [Option<f64>; 5];

impl Price {
    fn rates(&self) -> Rates {
        [Some(self.input), Some(self.output), self.cache_read, self.cache_write, self.cache_write_long]
    }

    /// All prices that there are.
    fn all(&self) -> impl Iterator<Item = f64> {
        let long = self.long.iter().flat_map(Long::rates);
        self.rates().into_iter().chain(long).flatten().chain(self.server_tools.values().copied())
    }
}

impl Long {
    fn rates(&self) -> Rates {
        [Some(self.input), Some(self.output), self.cache_read, self.cache_write, self.cache_write_long]
    }
}

/// Prices by the model's name, as its provider knows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

/// The prices that come with the program.
const SHIPPED: &str = include_str!("prices.toml");

impl Prices {
    /// The list prices that come with the program.
    pub fn shipped() -> Prices {
        toml::from_str(SHIPPED).expect("a test reads it")
    }

    /// The list prices, and instead of them, model by model, those in a file: a TOML table for each model, `["NAME"]`, with
    /// the keys of [`Price`].
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
        let own: Prices = toml::from_str(&text).map_err(|e| parse(e.to_string()))?;
        for (model, price) in &own.0 {
            if let Some(bad) = price.all().find(|dollars| !dollars.is_finite() || *dollars < 0.0) {
                return Err(parse(format!("`{model}` has the price {bad}")));
            }
        }
        let mut prices = Prices::shipped();
        prices.0.extend(own.0);
        Ok(prices)
    }

    /// The day of the prices of `model`, where they are known.
    pub fn day(&self, model: &str) -> Option<&str> {
        Some(self.0.get(model)?.date.as_str())
    }

    /// What `usage` of `model` in one request costs, in US dollars. A price that is missing for something that was used
    /// makes it unknown, and so does a way of being served that has other prices.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<f64> {
        let price = self.0.get(model)?;
        if usage.other_tier {
            return None;
        }
        let mut rates = price.rates();
        if let Some(long) = price.long.as_ref().filter(|long| usage.prompt() > long.above) {
            // Where a reply was made of several parts, how much each of them read isn't known.
            if usage.compactions > 0 {
                return None;
            }
            rates = long.rates();
        }
        let for_long = usage.cache_write_long.min(usage.cache_write);
        let tokens = [usage.input, usage.output, usage.cache_read, usage.cache_write - for_long, for_long];
        let mut dollars = 0.0;
        for (tokens, per_million) in tokens.into_iter().zip(rates) {
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
        assert!(prices.day("claude-opus-5-5").is_some(), "what it does not name costs what the list says");
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

    #[test]
    fn the_list_says_for_every_model_of_which_day_and_what_all_of_its_parts_cost() {
        let prices = Prices::shipped();
        assert!(prices.0.len() > 50);
        for (model, price) in &prices.0 {
            let day: Vec<&str> = price.date.split('-').collect();
            assert!(day.len() == 3 && price.date.starts_with("20"), "{model}: {}", price.date);
            assert!(price.all().all(|dollars| (0.0..1000.0).contains(&dollars)), "{model}");
            assert!(price.output > price.input && price.cache_read.is_none_or(|read| read < price.input), "{model}");
            assert!(
                price.long.as_ref().is_none_or(|long| long.input > price.input && long.above >= 100_000),
                "{model}"
            );
            let reads = Usage { cache_read: 1, cache_write: 1, ..Usage::default() };
            assert!(!model.starts_with("claude") || prices.cost(model, &reads).is_some(), "{model}");
        }
    }

    #[test]
    fn a_long_request_a_long_stay_in_the_cache_and_another_tier_have_prices_of_their_own() {
        let prices = Prices::shipped();
        let cost = |usage: &Usage| prices.cost("claude-haiku-5-5", usage).map(|dollars| (dollars * 1e9).round() / 1e9);
        let short = Usage { input: 100_000, output: 1_000_000, ..Usage::default() };
        assert_eq!(cost(&short), Some(0.01 + 0.5));
        let long = Usage { input: 1, cache_read: 100_000, output: 1_000_000, ..Usage::default() };
        assert_eq!(cost(&long), Some(0.000_000_5 + 0.005 + 2.5), "cached tokens are read too");
        assert_eq!(cost(&Usage { compactions: 1, ..long }), None, "how much each part read isn't known");
        let written = Usage { cache_write: 1000, cache_write_long: 400, ..Usage::default() };
        assert_eq!(cost(&written), Some(0.000_075 + 0.000_08));
        assert_eq!(cost(&Usage { other_tier: true, ..short }), None);
    }
}
