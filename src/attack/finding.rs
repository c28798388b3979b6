//! What came of one attack.

/// One attack and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was tried.
    pub name: &'static str,
    /// What must be seen, in words for people.
    pub expected: String,
    /// What was seen, in the probe's words.
    pub seen: String,
    /// What that means.
    pub verdict: Verdict,
}

/// What an attack proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The probe works where it is allowed, and was stopped.
    Held,
    /// Something else was seen than must be.
    Hole,
    /// The probe did not work where it is allowed, or did not run: it proves nothing.
    Unproven,
}

impl Finding {
    /// The finding of a probe that saw this. It holds if each of the comma-separated words seen is an expected one.
    pub(super) fn of(name: &'static str, expected: &[&str], seen: &str) -> Finding {
        let held = !seen.is_empty() && seen.split(", ").all(|word| expected.contains(&word));
        let verdict = if held { Verdict::Held } else { Verdict::Hole };
        Finding { name, expected: expected.join(" or "), seen: seen.to_owned(), verdict }
    }

    /// The finding of a probe that proves nothing; says why.
    pub(super) fn unproven(name: &'static str, expected: &[&str], why: &str) -> Finding {
        let seen = format!("no proof: the probe itself failed where it is allowed ({why})");
        Finding { name, expected: expected.join(" or "), seen, verdict: Verdict::Unproven }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_expected_and_nothing_beside_it_holds() {
        let verdict = |seen: &str| Finding::of("x", &["EPERM", "EACCES"], seen).verdict;
        assert_eq!(verdict("EPERM"), Verdict::Held);
        assert_eq!(verdict("EACCES, EPERM"), Verdict::Held);
        for hole in ["", "connected", "EPERM, connected", "EPERMX", "EPERM,EACCES"] {
            assert_eq!(verdict(hole), Verdict::Hole, "{hole}");
        }
    }
}
