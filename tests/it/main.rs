//! All tests that drive the real binary or cross rooms, in one test binary. Each `mod` line says what belongs there.

/// The scratch-directory builder.
mod support;

/// The sandbox contract on Docker: what an agent can do in one, and what it can't.
mod sandbox;

/// `lint`: what is wrong with task folders.
mod lint;

/// `stamp`: measured tiers in task files.
mod stamp;

/// Job files: what they can say, what wins over them, what is kept of them.
mod job_file;

/// Tasks as the library hands them on: typed values, defaults, digests.
mod task;

/// Job directories made by the real store, for the tests below.
mod job_fixture;

/// What a job leaves on disk, and resuming from it.
mod ledger;

/// The live view.
mod live;

/// `seatrial report`, and the numbers in it.
mod report;
