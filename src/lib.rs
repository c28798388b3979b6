//! seatrial runs a suite of tasks, made from one local corpus, in closed containers, and says how hard each was.
//!
//! The rooms below stand in the order in which data flows through them. Each exports one noun and one verb; the
//! arrow between two rooms is that noun. Who may import whom is a table in `tests/it/tidy.rs`.

/// Choices that a seed decides, the same on every machine.
pub mod random;

/// Whole seats for groups by their shares.
pub mod quota;

/// What was meant by a misspelt word.
pub mod spelling;

/// Vendored documents, their questions, and one digest over the documents.
pub mod corpus;

/// Questions whose answers are proved over the records of a corpus.
pub mod question;

/// The best that is known of a task.
pub mod ideal;

/// Harbor task directories: the only place that knows `task.toml`'s keys.
pub mod task;

/// Corpus, rubric and templates become files of task directories, byte for byte.
pub mod populate;

/// Which trials a job has, in which order; pure.
pub mod plan;

/// What runner and supervisor say to each other, and the limits of it.
pub mod wire;

/// Where a trial may connect to, the server outside the sandbox that holds to it, and evidence of every attempt.
pub mod network;

/// A closed box that runs one agent: run, read, write, close. It knows containers, not tasks.
pub mod sandbox;

/// Models behind their providers' interfaces: one request in, one reply or one named failure out, and what it cost.
pub mod model;

/// What an agent could try against its closed network, tried on the user's own engine.
pub mod attack;

/// Who answers: the command an agent runs in its sandbox, and what came of it.
pub mod agent;

/// What `/app/answer.txt` held; a missing or unusable one is an answer too.
pub mod answer;

/// What else the agent left, by the task's list.
pub mod artifact;

/// Rubric and answer become a verdict; never sees the agent's sandbox.
pub mod judge;

/// The classes of failure, as words.
pub mod failure;

/// Everything that can happen in a job.
pub mod event;

/// One trial and all trials: the only room that knows the order of steps, retries and limits.
pub mod job;

/// What is kept of a job on disk, in Harbor's layout, and how it is read back.
pub mod results;

/// What the numbers mean: estimators and intervals; pure.
pub mod stats;

/// Writes measured tiers back into `task.toml`, and nothing else.
pub mod stamp;

/// Shows a job: live lines while it runs, one file format each afterwards.
pub mod report;

/// Flags over environment over `harbor.yml` over defaults, resolved once.
pub mod config;

/// One file per verb; wiring only.
pub mod cli;
