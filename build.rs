//! Builds the supervisor (the program inside the container) and hands its bytes to the runner.
fn main() {}
