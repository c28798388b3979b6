//! Where a task stands: what its counts say about its tier, and whether that is enough to write it down. The rules are
//! here, in one place; who counts and who writes is elsewhere.

use super::cells::Cell;
use super::sequential::confidence_sequence;
use super::tiers::{Masses, Scale};
use crate::task::Tier;
use serde::{Deserialize, Serialize};

/// Fewer trials than this say nothing.
pub const LEAST_TRIALS: u64 = 3;
/// A task isn't stamped where more than one third of its trials is missing: they may be missing for a reason.
const MISSING_PARTS: u64 = 3;
/// Where a tier would take more trials than this in all, the task lies at a threshold.
pub const MOST_TRIALS: u64 = 24;

/// Whether a tier can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It can.
    Stamped,
    /// After some more trials, probably.
    NeedsMore,
    /// The task lies so near a threshold that no reasonable number of trials will tell.
    Borderline,
    /// The counts would do, but something about the key forbids it.
    Blocked,
    /// The agent did not work, so the counts say nothing of the task.
    AgentBroken,
}

impl Status {
    /// Its word in files.
    pub fn word(self) -> &'static str {
        match self {
            Status::Stamped => "stamped",
            Status::NeedsMore => "needs-more",
            Status::Borderline => "borderline",
            Status::Blocked => "blocked",
            Status::AgentBroken => "agent-broken",
        }
    }
}

/// What is known of a task's difficulty for one model, or for all as a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// How many trials say something; for a panel those of all models.
    pub n: u64,
    /// How many of them passed.
    pub passes: u64,
    /// How many of them split the judge's votes.
    pub ambiguous: u64,
    /// How many trials say nothing: ungraded, faults, not ended.
    pub missing: u64,
    /// Whether a tier can be told.
    pub status: Status,
    /// The tier, where it can.
    pub tier: Option<String>,
    /// The chance of each tier, ambiguous trials counted as failed.
    pub masses: Masses,
    /// The same with them counted as passed, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masses_if_passed: Option<Masses>,
    /// The likeliest tiers if all missing trials had failed, and if all had passed, where any are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<[String; 2]>,
    /// How many more trials are likely to settle it, where some will.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_more: Option<u64>,
    /// The 95 % interval of the pass rate that holds at any number of trials; one model only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anytime_95: Option<(f64, f64)>,
}

/// What one model's counts say about a task.
pub fn standing(cell: &Cell, scale: &Scale) -> Standing {
    let (n, passed) = (cell.n(), cell.pass + cell.ambiguous);
    let masses = scale.masses(n, cell.pass);
    let if_passed = (cell.ambiguous > 0).then(|| scale.masses(n, passed));
    let lead = |n: u64, c: u64| scale.masses(n, c).lead().0.as_str().to_owned();
    let all = n + cell.missing;
    let mut standing = Standing {
        n,
        passes: cell.pass,
        ambiguous: cell.ambiguous,
        missing: cell.missing,
        status: Status::NeedsMore,
        tier: None,
        masses,
        masses_if_passed: if_passed,
        worst: (cell.missing > 0).then(|| [lead(all, cell.pass), lead(all, passed + cell.missing)]),
        needs_more: None,
        anytime_95: Some(confidence_sequence(n, cell.pass, 0.05)),
    };
    if cell.is_broken() {
        standing.status = Status::AgentBroken;
        return standing;
    }
    settle(&mut standing, enough(cell), agreed(&masses, if_passed.as_ref(), scale.confidence));
    if standing.status == Status::NeedsMore {
        let lacking = LEAST_TRIALS.saturating_sub(n);
        let most = MOST_TRIALS.saturating_sub(n);
        standing.needs_more = match lacking {
            0 if scale.tier(&masses).is_none() => scale.needs_more(n, cell.pass, most),
            // Likely enough, but too much is missing or ambiguous: another round tells.
            0 => (n < MOST_TRIALS).then_some(LEAST_TRIALS),
            lacking => Some(lacking),
        };
        if standing.needs_more.is_none() {
            standing.status = Status::Borderline;
        }
    }
    standing
}

/// What a panel's masses say about a task; `each` are its models. What settles every model settles the panel.
pub fn panel_standing(each: &[&Standing], masses: Masses, if_passed: Option<Masses>, confidence: f64) -> Standing {
    let sum = |pick: fn(&Standing) -> u64| each.iter().map(|one| pick(one)).sum::<u64>();
    let mut standing = Standing {
        n: sum(|one| one.n),
        passes: sum(|one| one.passes),
        ambiguous: sum(|one| one.ambiguous),
        missing: sum(|one| one.missing),
        status: Status::NeedsMore,
        tier: None,
        masses,
        masses_if_passed: if_passed,
        worst: None,
        needs_more: None,
        anytime_95: None,
    };
    if each.iter().any(|one| one.status == Status::AgentBroken) {
        standing.status = Status::AgentBroken;
        return standing;
    }
    let whole = each.iter().all(|one| enough_of(one.n, one.missing));
    settle(&mut standing, whole, agreed(&masses, if_passed.as_ref(), confidence));
    if standing.status == Status::NeedsMore {
        let open = each.iter().filter(|one| one.status != Status::Stamped);
        let needs: Vec<Option<u64>> = open.map(|one| one.needs_more).collect();
        let fewest = each.iter().map(|one| one.n).min().unwrap_or(0);
        standing.needs_more = match needs.iter().flatten().max() {
            Some(most) => Some(*most),
            None => (fewest < MOST_TRIALS && needs.is_empty()).then_some(LEAST_TRIALS),
        };
        if standing.needs_more.is_none() {
            standing.status = Status::Borderline;
        }
    }
    standing
}

fn enough(cell: &Cell) -> bool {
    enough_of(cell.n(), cell.missing)
}

fn enough_of(n: u64, missing: u64) -> bool {
    n >= LEAST_TRIALS && missing * MISSING_PARTS <= n + missing
}

/// The tier that is likely enough whether ambiguous trials failed or passed.
fn agreed(failed: &Masses, passed: Option<&Masses>, confidence: f64) -> Option<Tier> {
    let tier = failed.lead().0;
    let sure = |masses: &Masses| masses.of(tier) >= confidence;
    (sure(failed) && passed.is_none_or(sure)).then_some(tier)
}

fn settle(standing: &mut Standing, enough: bool, tier: Option<Tier>) {
    if let (true, Some(tier)) = (enough, tier) {
        standing.status = Status::Stamped;
        standing.tier = Some(tier.as_str().to_owned());
    }
}
