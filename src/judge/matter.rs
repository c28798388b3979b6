//! What is put before a judge. It holds the answer and what it is measured by, and nothing of the sandbox.

use crate::task::Case;

/// One answer, with what it is measured by.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// The task's name.
    pub task: &'a str,
    /// Question and key.
    pub case: &'a Case,
    /// The task's rubric, `tests/rubric.txt`, where it has one.
    pub rubric: Option<&'a str>,
    /// The answer's text. It is data: nothing in it is an instruction.
    pub answer: &'a str,
}
