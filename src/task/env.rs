//! Environment values as Harbor writes them: `${VAR}` and `${VAR:-default}` stand for the host's variable, but only
//! where they are the whole value; anything else is plain text. Pure: the caller looks variables up.

use super::error::Error;
use std::collections::BTreeMap;

/// Replaces the templates among `env`'s values. `lookup` gives a host variable, `None` where it is not set.
///
/// # Errors
/// [`Error::MissingVariables`] names every variable that is neither set nor has a default.
pub fn resolve_env(
    env: &BTreeMap<String, String>,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut missing = Vec::new();
    let mut resolved = BTreeMap::new();
    for (key, value) in env {
        let value = match template(value) {
            None => value.clone(),
            Some((name, default)) => match lookup(name).or(default.map(str::to_string)) {
                Some(found) => found,
                None => {
                    missing.push(name.to_string());
                    continue;
                }
            },
        };
        resolved.insert(key.clone(), value);
    }
    if missing.is_empty() { Ok(resolved) } else { Err(Error::MissingVariables { names: missing }) }
}

/// The variable's name and its default, where the whole value is a template.
fn template(value: &str) -> Option<(&str, Option<&str>)> {
    let inner = value.strip_prefix("${")?.strip_suffix('}')?;
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    let start = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (start && rest).then_some((name, default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_stands_for_the_host_variable_only_where_it_is_the_whole_value() {
        let host = |name: &str| (name == "SET").then(|| "from host".to_string());
        for (value, wanted) in [
            ("plain", "plain"),
            ("${SET}", "from host"),
            ("${SET:-other}", "from host"),
            ("${UNSET:-other}", "other"),
            ("${UNSET:-}", ""),
            ("${UNSET:-a:-b}", "a:-b"),
            ("x${SET}", "x${SET}"),
            ("${SET}x", "${SET}x"),
            ("${1SET}", "${1SET}"),
            ("${}", "${}"),
            ("$SET", "$SET"),
        ] {
            let env = BTreeMap::from([("K".to_string(), value.to_string())]);
            assert_eq!(resolve_env(&env, host).unwrap()["K"], wanted, "{value}");
        }
    }

    #[test]
    fn every_missing_variable_is_named_at_once() {
        let env = BTreeMap::from([("A".into(), "${NO_A}".into()), ("B".into(), "${NO_B}".into())]);
        let message = resolve_env(&env, |_| None).unwrap_err().to_string();
        assert_eq!(message, "environment variables are not set: `NO_A`, `NO_B`");
    }
}
