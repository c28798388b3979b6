//! What a trial comes to, once the agent's run and its answer are known. Pure: this is where "whose failure" is
//! written down, in one order.

use crate::agent::{AgentRun, Ended};
use crate::answer::Answer;
use crate::event::{Limit, Outcome};
use crate::judge::{JudgeError, Verdict};
use crate::model::Class;

/// The outcome of a run that left this answer. The first of these that holds: the agent spoiled its sandbox; its time
/// was over; it hit its memory cap; it ended after it was refused more of its model, for a cap or for what it had said;
/// it ended with an error; it left no answer; the judge decides.
///
/// `judged` is what the judge made of the answer, which is judged in each of these cases; where the judge can't decide,
/// the trial is ungraded whatever else it is.
pub fn decide(run: &AgentRun, answer: &Answer, judged: Option<&Result<Verdict, JudgeError>>) -> Outcome {
    let verdict = match judged {
        None => None,
        Some(Ok(verdict)) => Some(verdict.clone()),
        Some(Err(error)) => return Outcome::Ungraded { reason: error.to_string() },
    };
    match own_failure(run) {
        Some(failure) => failure(verdict),
        None => match (answer, verdict) {
            (_, Some(verdict)) => Outcome::Scored { verdict },
            // An agent that ends well without its answer, since it was refused more, ended for that too.
            (Answer::None { reason, .. }, None) => match (at_limit(run), is_refused(run)) {
                (Some(limit), _) => Outcome::Limit { limit, verdict: None },
                (None, true) => refused("its model refused".to_owned())(None),
                (None, false) => Outcome::NoAnswer { reason: *reason },
            },
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
    let limit = |limit| -> Option<WithVerdict> { Some(Box::new(move |verdict| Outcome::Limit { limit, verdict })) };
    if let Some(reached) = at_limit(run).filter(|_| !run.is_clean()) {
        return limit(reached);
    }
    match run.model.as_ref().map(|model| &model.ended) {
        Some(Ended::TurnLimit) => return limit(Limit::Turns),
        Some(Ended::TokenBudget | Ended::ReplyCut) => return limit(Limit::Tokens),
        Some(Ended::CostBudget) => return limit(Limit::Cost),
        Some(Ended::ContextExceeded) => return limit(Limit::Context),
        Some(Ended::Refused(category)) => {
            let category = category.as_ref().map(|category| format!(" (`{category}`)")).unwrap_or_default();
            return Some(refused(format!("its model refused{category}")));
        }
        Some(Ended::Finished | Ended::OutOfTime | Ended::ProviderFailed | Ended::SandboxGone) | None => {}
    }
    let how = match (run.exit_code, run.signal) {
        (Some(0), _) => return None,
        // What POSIX's shells say of a command that they can't start.
        (Some(126), _) => "it ended with exit code 126: its command could not be run".to_owned(),
        (Some(127), _) => "it ended with exit code 127: its command is not in the image".to_owned(),
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended without an exit code".to_owned(),
    };
    let last = run.last_line.as_ref().map(|line| format!("; its last line: `{line}`")).unwrap_or_default();
    Some(if is_refused(run) { refused(format!("its model refused, and {how}{last}")) } else { error(how + &last) })
}

/// The limit at which an agent was that asks through the relay, when it last asked.
fn at_limit(run: &AgentRun) -> Option<Limit> {
    let too_long = run.own_doing == Some(Class::ContextExceeded);
    if run.over_budget.is_some() { Some(Limit::Budget) } else { too_long.then_some(Limit::Context) }
}

/// True where its model refused an agent that asks through the relay, when it last asked.
fn is_refused(run: &AgentRun) -> bool {
    run.own_doing == Some(Class::Refused)
}

fn refused(reason: String) -> WithVerdict {
    Box::new(move |verdict| Outcome::AgentError { refused: true, reason, verdict })
}

fn error(reason: String) -> WithVerdict {
    Box::new(move |verdict| Outcome::AgentError { refused: false, reason, verdict })
}
