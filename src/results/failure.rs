//! The class of a stored trial's failure: the one that was kept or, of records of earlier versions, what the rest of the
//! record says for certain. Pure.

use super::outcome::OutcomeKind;
use super::record::TrialRecord;
use crate::agent::Ended;
use crate::event::Fault;
use crate::failure::FailureClass;

impl TrialRecord {
    /// The class of what kept the trial from simply being scored; `None` where it was.
    pub fn failure_class(&self) -> Option<FailureClass> {
        match self.outcome {
            OutcomeKind::Scored => None,
            // Another judge's verdicts may be shown than the one by which the class was kept.
            OutcomeKind::Ungraded => Some(FailureClass::Judge),
            OutcomeKind::Cancelled => Some(FailureClass::Cancelled),
            OutcomeKind::NoAnswer => Some(FailureClass::NoAnswer),
            OutcomeKind::AgentTimeout => Some(FailureClass::Time),
            OutcomeKind::Fault => Some(self.fault.as_ref().map_or(FailureClass::Unclassified, Fault::class)),
            OutcomeKind::AgentError => self.failure.or(Some(self.error_of_agent())),
            OutcomeKind::Limit => self.failure.or(Some(self.limit())),
        }
    }

    /// What an agent's error was, as its run says it; the order is that of `job/`'s decision.
    fn error_of_agent(&self) -> FailureClass {
        let spoiled = self.agent_run.as_ref().is_some_and(|run| run.spoiled.is_some());
        match self.ended() {
            Some(Ended::Refused(_)) if !spoiled => FailureClass::Refusal,
            _ => FailureClass::AgentError,
        }
    }

    /// Which limit was reached, as the run says it. What is neither memory nor context is a budget.
    fn limit(&self) -> FailureClass {
        let out_of_memory = self.agent_run.as_ref().is_some_and(|run| run.out_of_memory);
        match self.ended() {
            _ if out_of_memory => FailureClass::Memory,
            Some(Ended::ContextExceeded) => FailureClass::ContextExceeded,
            _ => FailureClass::Budget,
        }
    }

    fn ended(&self) -> Option<&Ended> {
        self.agent_run.as_ref()?.model.as_ref().map(|model| &model.ended)
    }
}
