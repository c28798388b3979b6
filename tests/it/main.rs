//! All tests that drive the real binary or cross rooms, in one test binary. Each `mod` line says what belongs there.

/// The scratch-directory builder.
mod support;

/// The `rules` judge: labelled cases and the verb that measures it.
mod judge;
/// The `rules` judge: what holds for any text.
mod judge_properties;
