//! All tests that drive the real binary or cross rooms, in one test binary. Each `mod` line says what belongs there.

/// The scratch-directory builder.
mod support;

/// Job directories made by the real store, for the tests below.
mod job_fixture;

/// What a job leaves on disk, and resuming from it.
mod ledger;

/// The live view.
mod live;

/// `seatrial report`, and the numbers in it.
mod report;
