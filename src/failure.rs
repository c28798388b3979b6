//! The classes of failure: what kept a trial, or one start of it, from simply being scored, as one word each. Words
//! only: how a trial ended, and so whose failure it is, is decided in `job/`; a class never says otherwise.

use crate::model::Class;
use serde::{Deserialize, Serialize};

/// What kind of failure it was. The first ones are an agent's own, in which its trial has a reward; the others are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The agent's model, or its provider's content policy, would not go on.
    Refusal,
    /// The conversation became longer than the agent's model can read.
    ContextExceeded,
    /// The agent used up what it may use of models: requests, turns, tokens or cost.
    Budget,
    /// The agent's time was over.
    Time,
    /// The agent ran into its memory cap.
    Memory,
    /// The agent ended well, and left no answer that counts as one.
    NoAnswer,
    /// The agent ended with an error of its own, or spoiled its sandbox.
    AgentError,
    /// A provider was overloaded, broken, silent or not to be reached, or what it sent could not be read.
    Provider,
    /// A provider asked for fewer requests.
    Throttled,
    /// A provider does not take the key, the account, or the model with them.
    Authentication,
    /// A provider did not take a request that we wrote.
    BadRequest,
    /// A recording lacked a request, or could not be kept.
    Recording,
    /// An image could not be built or found.
    Image,
    /// The engine, or a sandbox on it.
    Engine,
    /// The network.
    Network,
    /// The disk of this machine.
    Disk,
    /// The runner itself.
    Runner,
    /// The judge could not decide.
    Judge,
    /// The job was stopped while the trial ran.
    Cancelled,
    /// A fault of a provider's, kept by a version that did not keep its class.
    Unclassified,
}

impl FailureClass {
    /// The class as a word; the same as the stored one.
    pub fn word(self) -> &'static str {
        match self {
            FailureClass::Refusal => "refusal",
            FailureClass::ContextExceeded => "context_exceeded",
            FailureClass::Budget => "budget",
            FailureClass::Time => "time",
            FailureClass::Memory => "memory",
            FailureClass::NoAnswer => "no_answer",
            FailureClass::AgentError => "agent_error",
            FailureClass::Provider => "provider",
            FailureClass::Throttled => "throttled",
            FailureClass::Authentication => "authentication",
            FailureClass::BadRequest => "bad_request",
            FailureClass::Recording => "recording",
            FailureClass::Image => "image",
            FailureClass::Engine => "engine",
            FailureClass::Network => "network",
            FailureClass::Disk => "disk",
            FailureClass::Runner => "runner",
            FailureClass::Judge => "judge",
            FailureClass::Cancelled => "cancelled",
            FailureClass::Unclassified => "unclassified",
        }
    }

    /// The class of a fault that a request to a model met. What a conversation itself brings about is no fault, so where
    /// it is one all the same, the provider has said something that does not fit.
    pub fn of_model(class: Class) -> FailureClass {
        match class {
            Class::Throttled => FailureClass::Throttled,
            Class::Authentication | Class::Forbidden | Class::Billing | Class::NotFound => FailureClass::Authentication,
            Class::BadRequest => FailureClass::BadRequest,
            Class::NotRecorded | Class::Recording => FailureClass::Recording,
            Class::Overloaded
            | Class::Timeout
            | Class::Connection
            | Class::BadReply
            | Class::ContextExceeded
            | Class::Refused => FailureClass::Provider,
        }
    }
}

/// Whose failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The agent's: its trial has a reward.
    Agent,
    /// Not the agent's: its trial has no reward.
    Ours,
}

impl Whose {
    /// Whose, as a word; the same as the stored one.
    pub fn word(self) -> &'static str {
        match self {
            Whose::Agent => "agent",
            Whose::Ours => "ours",
        }
    }
}
