//! What a verdict depends on, as digests: a judge as it is set up, and with what is put before it. Equal digests mean
//! that a verdict can be taken over.

use super::{Judge, Matter, Parameters};
use serde_json::json;
use sha2::{Digest, Sha256};

impl Judge {
    /// What this judge's verdicts depend on beside what is put before it: `sha256:` and 64 hexadecimal digits. Rules are
    /// known by their sources.
    pub fn digest(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        match self {
            Judge::Scripted(script) => digest(&json!([self.name(), version, self.parameters(), format!("{script:?}")])),
            _ => digest_of(self.name(), version, self.parameters().as_ref()),
        }
    }
}

/// The digest of the judge that a job's record tells of, by that judge's name, the version of seatrial and the judge's
/// parameters. Rules of this version are taken for those that are compiled in.
pub fn digest_of(judge: &str, version: &str, parameters: Option<&Parameters>) -> String {
    let is_ours = judge == "rules" && version == env!("CARGO_PKG_VERSION");
    digest(&json!([judge, version, parameters, if is_ours { env!("SEATRIAL_RULES") } else { "" }]))
}

impl Matter<'_> {
    /// What a verdict of the judge with this digest depends on.
    pub fn digest(&self, judge: &str) -> String {
        let case = self.case;
        digest(&json!([judge, case.input, case.ground_truth, case.extra, self.rubric, self.rivals, self.answer]))
    }
}

fn digest(value: &serde_json::Value) -> String {
    let bytes = Sha256::digest(value.to_string());
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_the_rules_is_that_of_their_sources() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut names: Vec<String> = std::fs::read_dir(root.join("src/judge/rules"))
            .expect("the rules are here")
            .map(|entry| format!("src/judge/rules/{}", entry.expect("an entry").file_name().display()))
            .collect();
        names.sort();
        assert!(names.iter().all(|name| name.ends_with(".rs")), "a folder of rules needs a walk here too: {names:?}");
        let mut sources = Vec::new();
        for name in names {
            let bytes = std::fs::read(root.join(&name)).expect("a source");
            sources.extend_from_slice(format!("{name} {}\n", bytes.len()).as_bytes());
            sources.extend_from_slice(&bytes);
        }
        let of = |sources: &[u8]| {
            let digits: String = Sha256::digest(sources).iter().map(|byte| format!("{byte:02x}")).collect();
            digest(&json!(["rules", env!("CARGO_PKG_VERSION"), Judge::Rules.parameters(), digits]))
        };
        assert_eq!(Judge::Rules.digest(), of(&sources));
        sources.push(b' ');
        assert_ne!(Judge::Rules.digest(), of(&sources), "another rule gives another digest");
    }
}
