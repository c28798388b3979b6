//! That a job stops before its end, and why; seen by every trial at once.

use crate::model::{Failure, Halt};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// Why a job stops before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The user wishes it.
    User,
    /// The engine stopped answering and did not come back.
    Engine,
    /// A provider takes nothing more with this key, account or model: every further trial would fail alike.
    Provider {
        /// Which, and what it says.
        why: String,
        /// What to do about it.
        hint: String,
    },
    /// The job's cap on cost is reached, in words.
    Spent(String),
    /// The judge judges nothing of this job, such as for a wrong key; in its words.
    Judge(String),
}

impl Why {
    /// The same as a sentence; `None` for the user's wish, which they know.
    pub fn sentence(&self) -> Option<String> {
        match self {
            Why::User => None,
            Why::Engine => Some("the engine stopped answering".to_owned()),
            Why::Provider { why, .. } | Why::Spent(why) | Why::Judge(why) => Some(why.clone()),
        }
    }
}

impl From<Halt> for Why {
    fn from(halt: Halt) -> Why {
        match halt {
            Halt::Refused(why) => Why::Provider { why, hint: "mend that".to_owned() },
            Halt::Spent(why) => Why::Spent(why),
        }
    }
}

impl From<&Failure> for Why {
    fn from(failure: &Failure) -> Why {
        Why::Provider { why: failure.to_string(), hint: failure.hint().unwrap_or("mend that".to_owned()) }
    }
}

/// Set once, never unset; the first reason counts. Clones share it.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>, Arc<OnceLock<Why>>);

impl Default for Stop {
    fn default() -> Stop {
        Stop(Arc::new(watch::Sender::new(false)), Arc::default())
    }
}

impl Stop {
    /// From now on nothing new starts, and what runs is ended.
    pub fn set(&self, why: impl Into<Why>) {
        let _ = self.1.set(why.into());
        self.0.send_replace(true);
    }

    /// Why it was set.
    pub fn reason(&self) -> Option<&Why> {
        self.1.get()
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when it is set.
    pub async fn wait(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`.
        let _ = receiver.wait_for(|set| *set).await;
    }
}
