//! Exit codes: documented constants, used by every verb. Scripts may rely on them.

/// All that was asked for is done (rewards don't matter).
pub const OK: u8 = 0;
/// A check found differences or problems: `populate --check`, `lint`, `audit`, `doctor`.
pub const CHECK_FAILED: u8 = 1;
/// Bad input: flags, files, tasks, job directories; nothing was run. Or a provider, of agents or of the judge, that refuses
/// the key, the account or the model; what was run is kept.
pub const BAD_INPUT: u8 = 2;
/// The job is done, but some trials ended as faults or ungraded: `resume` runs them again. Or a judge could not decide all
/// labelled answers of `judge-cases`.
pub const INCOMPLETE: u8 = 3;
/// The Docker engine can't be reached. Nothing was run, or the rest of the job wasn't.
pub const ENGINE: u8 = 4;
/// Something on the host failed while a job ran, such as a full disk. What was sealed is kept; `resume` goes on.
pub const HOST: u8 = 5;
/// Interrupted by Ctrl-C or SIGTERM; `resume` goes on.
pub const INTERRUPTED: u8 = 130;
