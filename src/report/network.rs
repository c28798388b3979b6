//! What agents reached and were denied, for every format: which hosts, how often, and whose agents tried to leave.

use super::numbers::most_used;
use crate::results::Job;
use crate::task::by_name;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A job's network, out of the trials that had a way to listed hosts.
#[derive(Debug, Serialize)]
pub struct Network<'a> {
    /// How many trials had one.
    pub trials: usize,
    /// Attempts that were allowed.
    pub allowed: u64,
    /// Attempts that were denied, names that were only looked up included.
    pub denied: u64,
    /// Attempts of both kinds that were only counted, over the cap of the evidence.
    pub unrecorded: u64,
    /// Hosts that were reached, with the number of connections.
    pub reached: BTreeMap<&'a str, u64>,
    /// Hosts that were allowed and did not resolve or answer, with the number of attempts.
    pub unreached: BTreeMap<&'a str, u64>,
    /// Hosts that were denied, with the number of attempts.
    pub refused: BTreeMap<&'a str, u64>,
    /// Tasks whose agent tried to reach what it may not.
    pub tried_to_leave: BTreeSet<&'a str>,
}

/// The network of a job; `None` where no trial had a way to listed hosts.
pub fn network(job: &Job) -> Option<Network<'_>> {
    let mut sum = Network {
        trials: 0,
        allowed: 0,
        denied: 0,
        unrecorded: 0,
        reached: BTreeMap::new(),
        unreached: BTreeMap::new(),
        refused: BTreeMap::new(),
        tried_to_leave: BTreeSet::new(),
    };
    for record in &job.trials {
        let Some(used) = &record.network else { continue };
        sum.trials += 1;
        sum.allowed += used.allowed;
        sum.denied += used.denied;
        sum.unrecorded += used.unrecorded;
        add(&mut sum.reached, &used.reached);
        add(&mut sum.unreached, &used.unreached);
        add(&mut sum.refused, &used.refused);
        if used.denied > 0 {
            sum.tried_to_leave.insert(&record.trial.task);
        }
    }
    (sum.trials > 0).then_some(sum)
}

fn add<'a>(sum: &mut BTreeMap<&'a str, u64>, hosts: &'a BTreeMap<String, u64>) {
    for (host, count) in hosts {
        *sum.entry(host).or_default() += count;
    }
}

impl Network<'_> {
    /// What there is to say, as named facts for people.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![("attempts", format!("{} allowed, {} denied", self.allowed, self.denied))];
        if !self.reached.is_empty() {
            facts.push(("reached", most_used(&self.reached)));
        }
        if !self.unreached.is_empty() {
            facts.push(("no answer", most_used(&self.unreached)));
        }
        if !self.refused.is_empty() {
            facts.push(("denied", most_used(&self.refused)));
            let mut tasks: Vec<&str> = self.tried_to_leave.iter().copied().collect();
            tasks.sort_by(|a, b| by_name(a, b));
            facts.push(("denied in", tasks.join(", ")));
        }
        if self.unrecorded > 0 {
            facts.push(("unrecorded", format!("{} attempts were only counted", self.unrecorded)));
        }
        facts
    }
}
