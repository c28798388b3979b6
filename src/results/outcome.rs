//! How a trial ended, as it is stored: a word, a reason, a verdict. The live `event::Outcome` becomes these, never the
//! other way round.

use crate::agent::AgentRun;
use crate::event::{Limit, Outcome};
use crate::failure::Whose;
use crate::judge::Verdict;
use serde::{Deserialize, Serialize};

/// How a trial ended, without the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "named like the variants of `event::Outcome`, which say what each means")]
pub enum OutcomeKind {
    Scored,
    NoAnswer,
    AgentTimeout,
    AgentError,
    Limit,
    Ungraded,
    Fault,
    Cancelled,
}

impl OutcomeKind {
    /// The stored word, such as `agent_timeout`.
    pub fn word(self) -> &'static str {
        match self {
            OutcomeKind::Scored => "scored",
            OutcomeKind::NoAnswer => "no_answer",
            OutcomeKind::AgentTimeout => "agent_timeout",
            OutcomeKind::AgentError => "agent_error",
            OutcomeKind::Limit => "limit",
            OutcomeKind::Ungraded => "ungraded",
            OutcomeKind::Fault => "fault",
            OutcomeKind::Cancelled => "cancelled",
        }
    }

    /// Whether a trial that ended so has a reward.
    pub fn has_reward(self) -> bool {
        !matches!(self, OutcomeKind::Ungraded | OutcomeKind::Fault | OutcomeKind::Cancelled)
    }

    /// Whose failure it was that a trial ended so; `None` where it was scored.
    pub fn whose(self) -> Option<Whose> {
        let whose = if self.has_reward() { Whose::Agent } else { Whose::Ours };
        (self != OutcomeKind::Scored).then_some(whose)
    }
}

impl From<&Outcome> for OutcomeKind {
    fn from(outcome: &Outcome) -> OutcomeKind {
        match outcome {
            Outcome::Scored { .. } => OutcomeKind::Scored,
            Outcome::NoAnswer { .. } => OutcomeKind::NoAnswer,
            Outcome::AgentTimeout { .. } => OutcomeKind::AgentTimeout,
            Outcome::AgentError { .. } => OutcomeKind::AgentError,
            Outcome::Limit { .. } => OutcomeKind::Limit,
            Outcome::Ungraded { .. } => OutcomeKind::Ungraded,
            Outcome::Fault { .. } => OutcomeKind::Fault,
            Outcome::Cancelled { .. } => OutcomeKind::Cancelled,
        }
    }
}

/// Why a trial ended so, in words; a judged answer speaks for itself. `run` names the cap over which it was refused more.
pub fn reason(outcome: &Outcome, run: Option<&AgentRun>) -> Option<String> {
    Some(match outcome {
        Outcome::Scored { .. } => return None,
        Outcome::NoAnswer { reason } => reason.to_string(),
        Outcome::AgentTimeout { .. } => "the agent ran out of time".into(),
        Outcome::AgentError { reason, .. } | Outcome::Ungraded { reason } => reason.clone(),
        Outcome::Limit { limit, .. } => match limit {
            Limit::Memory => "the agent ran into its memory limit",
            Limit::Budget => {
                let cap = run.and_then(|run| run.over_budget.as_ref()).map(|cap| format!(": {cap}"));
                return Some(format!("the agent used up what it may use of models{}", cap.unwrap_or_default()));
            }
            Limit::Turns => "the agent's model was asked as often as it may be",
            Limit::Tokens => "the agent's model used as many tokens as it may",
            Limit::Cost => "the agent's model cost as much as it may",
            Limit::Context => "the conversation became longer than the agent's model can read",
        }
        .into(),
        Outcome::Fault { fault } => fault.message.clone(),
        Outcome::Cancelled { why: Some(why) } => format!("stopped: {why}"),
        Outcome::Cancelled { why: None } => "stopped by the user".into(),
    })
}

/// What the judge said, where it was asked and could be understood.
pub fn verdict(outcome: &Outcome) -> Option<Verdict> {
    match outcome {
        Outcome::Scored { verdict } => Some(verdict.clone()),
        Outcome::AgentTimeout { verdict } | Outcome::AgentError { verdict, .. } | Outcome::Limit { verdict, .. } => {
            verdict.clone()
        }
        Outcome::NoAnswer { .. } | Outcome::Ungraded { .. } | Outcome::Fault { .. } | Outcome::Cancelled { .. } => None,
    }
}
