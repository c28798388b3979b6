//! All tests that drive the real binary or cross rooms, in one test binary. Each `mod` line says what belongs there.

/// The scratch-directory builder.
mod support;
