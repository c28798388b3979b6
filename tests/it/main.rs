//! All tests that drive the real binary or cross rooms, in one test binary. Each `mod` line says what belongs there.

/// The scratch-directory builder.
mod support;

/// A small vendor directory to make tasks from.
mod mini;

/// Tasks written from a suite's questions.
mod generate;

/// Vendor directories that can't be used, and what is said about them.
mod vendor;

/// What is git-ignored in a dataset, restored and checked.
mod populate;

/// A user's own documents and questions become a suite.
mod init;

/// The verifier that Harbor runs in a task: test.sh and judge.py.
mod verifier;

/// The shipped suite: its records, and every key by SQL.
mod keys;

/// The real Context-Bench corpus and its published tasks.
mod contextbench;
