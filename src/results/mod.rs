//! What is kept of a job on disk, in Harbor's layout, and how it is read back.
//!
//! This room is the first reader of a job's event stream: when `Store::handle` has returned, what the event said is on
//! disk, whole and synced. It must not decide anything about a trial, and it must not trust what it reads: a file that
//! is torn, of another trial or of a newer format is named as damaged, never counted.

mod arms;
mod effort;
mod error;
mod evidence;
mod failure;
mod file;
mod harbor_job;
mod harbor_trial;
mod judgment;
mod kept;
mod lock;
mod outcome;
mod read;
mod record;
mod resume;
mod said;
mod store;
mod time;
mod trial_files;

pub use arms::{ArmDigests, arm_digests};
pub use effort::Effort;
pub use error::Error;
pub use file::write_whole;
pub use judgment::{JudgmentRecord, VerdictCache, judged_by, read_judgment};
pub use kept::{Excerpt, KeptAttempt, answer_text, read_attempts, read_transcript};
pub use lock::is_running;
pub use outcome::OutcomeKind;
pub use read::{Damaged, Job, read_answer, read_job, read_kept};
pub use record::{
    AnswerRecord, ArtifactRecord, EngineRecord, FORMAT, ImageRecord, JobRecord, Observed, TaskRecord, TrialRecord, hex,
};
pub use resume::{Kept, Next, next, unjudged};
pub use store::Store;
