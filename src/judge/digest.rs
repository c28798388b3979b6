//! What a verdict depends on, as digests: a judge as it is set up, and with what is put before it. Equal digests mean
//! that a verdict can be taken over.

use super::{Judge, Matter, Parameters};
use serde_json::json;
use sha2::{Digest, Sha256};

impl Judge {
    /// What this judge's verdicts depend on beside what is put before it: `sha256:` and 64 hexadecimal digits. Rules are
    /// those of this version of the program.
    pub fn digest(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        match self {
            Judge::Scripted(script) => digest(&json!([self.name(), version, self.parameters(), format!("{script:?}")])),
            _ => digest_of(self.name(), version, self.parameters().as_ref()),
        }
    }
}

/// The digest of the judge that a job's record tells of, by that judge's name, the version of seatrial and the judge's
/// parameters.
pub fn digest_of(judge: &str, version: &str, parameters: Option<&Parameters>) -> String {
    digest(&json!([judge, version, parameters, ""]))
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
