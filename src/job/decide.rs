//! What a trial comes to, once the agent's run and its answer are known. Pure: this is where "whose failure" is
//! written down, in one order.

use crate::agent::AgentRun;
use crate::answer::Answer;
use crate::event::{Limit, Outcome};
use crate::judge::{Judge, Verdict};
use crate::task::Case;

/// The outcome of a run that left this answer. The first of these that holds: the agent spoiled its sandbox; its time
/// was over; it hit its memory cap; it ended after it was refused more of its model; it ended with an error; it left no
/// answer; the judge decides.
///
/// An answer is judged in each of these cases; where the judge can't decide, the trial is ungraded whatever else it is.
pub fn decide(run: &AgentRun, answer: &Answer, judge: &Judge, task: &str, case: &Case) -> Outcome {
    let verdict = match answer {
        Answer::None { .. } => None,
        Answer::Text { text, .. } => match judge.decide(task, case, text) {
            Ok(verdict) => Some(verdict),
            Err(error) => return Outcome::Ungraded { reason: error.to_string() },
        },
    };
    match own_failure(run) {
        Some(failure) => failure(verdict),
        // An agent that ends well without its answer, since it was refused more, is at its limit too.
        None if run.over_budget.is_some() && verdict.is_none() => {
            Outcome::Limit { limit: Limit::Budget, verdict: None }
        }
        None => match (answer, verdict) {
            (Answer::None { reason, .. }, _) => Outcome::NoAnswer { reason: *reason },
            (Answer::Text { .. }, Some(verdict)) => Outcome::Scored { verdict },
            (Answer::Text { .. }, None) => Outcome::Ungraded { reason: "the judge gave no verdict".to_owned() },
        },
    }
}

type WithVerdict = Box<dyn FnOnce(Option<Verdict>) -> Outcome>;

fn own_failure(run: &AgentRun) -> Option<WithVerdict> {
    if let Some(why) = &run.spoiled {
        return Some(error(format!("it spoiled the sandbox's stream: {why}")));
    }
    if run.timed_out {
        return Some(Box::new(|verdict| Outcome::AgentTimeout { verdict }));
    }
    if run.out_of_memory {
        return Some(Box::new(|verdict| Outcome::Limit { limit: Limit::Memory, verdict }));
    }
    if run.over_budget.is_some() && !run.is_clean() {
        return Some(Box::new(|verdict| Outcome::Limit { limit: Limit::Budget, verdict }));
    }
    match (run.exit_code, run.signal) {
        (Some(0), _) => None,
        (Some(code), _) => Some(error(format!("it ended with exit code {code}"))),
        (None, Some(signal)) => Some(error(format!("it was ended by signal {signal}"))),
        (None, None) => Some(error("it ended without an exit code".to_owned())),
    }
}

fn error(reason: String) -> WithVerdict {
    Box::new(move |verdict| Outcome::AgentError { reason, verdict })
}
