//! The forms of asking: which words go to the model, in which shape it is to reply, and how that is read.

use super::prompt::{Prompt, fill, has_submission};
use super::reply::Unreadable;
use super::{answer_set, grade, rubric};
use crate::judge::Matter;
use serde_json::Value;
use std::collections::BTreeMap;

/// A form of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The task's rubric, as it stands: a score in [0, 1].
    Rubric,
    /// A key of several parts: precision, recall and F1, by JSON.
    AnswerSet,
    /// The same by marked-up text, for models that write that better.
    AnswerSetXml,
    /// A letter: correct, incorrect, abstained.
    Letter,
    /// Correct, yes or no.
    YesNo,
    /// A letter: correct, incorrect, partial, abstained.
    Omniscience,
}

/// What a reply was read as.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// In [0, 1].
    pub reward: f64,
    /// What it was read from.
    pub rule: &'static str,
    /// Why, in the model's words.
    pub reason: String,
    /// As in a verdict.
    pub class: Option<String>,
    /// As in a verdict.
    pub numbers: BTreeMap<String, f64>,
}

impl Read {
    /// A reward with its reason, and nothing beside.
    pub fn new(reward: f64, rule: &'static str, reason: String) -> Read {
        Read { reward, rule, reason, class: None, numbers: BTreeMap::new() }
    }
}

impl Form {
    /// All forms, in the order in which they are listed.
    pub const ALL: [Form; 6] =
        [Form::Rubric, Form::AnswerSet, Form::AnswerSetXml, Form::Letter, Form::YesNo, Form::Omniscience];

    /// The judge's name.
    pub fn name(self) -> &'static str {
        match self {
            Form::Rubric => "rubric",
            Form::AnswerSet => "answer-set",
            Form::AnswerSetXml => "answer-set-xml",
            Form::Letter => "letter",
            Form::YesNo => "yes-no",
            Form::Omniscience => "omniscience",
        }
    }

    /// The prompt for one answer. With `mark`, the answer stands between marks that it can't forge.
    ///
    /// # Errors
    /// What is wrong with the task's rubric, where this form needs one.
    pub fn prompt(self, matter: Matter<'_>, mark: bool) -> Result<Prompt, String> {
        Ok(fill(&self.template(matter.rubric)?, matter, mark))
    }

    /// The text that is filled for a task with this rubric.
    ///
    /// # Errors
    /// What is wrong with the rubric, where this form needs one.
    pub fn template(self, rubric: Option<&str>) -> Result<String, String> {
        match (self, rubric) {
            (Form::Rubric, None) => {
                Err("it has no `tests/rubric.txt`, by which the `rubric` judge would judge".to_owned())
            }
            (Form::Rubric, Some(rubric)) if !has_submission(rubric) => {
                Err("its `tests/rubric.txt` has no `{submission}`, so no judge would see the answer".to_owned())
            }
            (Form::Rubric, Some(rubric)) => Ok(rubric.to_owned()),
            _ => Ok(self.words()),
        }
    }

    /// The template of a form that has its own; for the rubric, what surrounds it: nothing.
    pub fn words(self) -> String {
        let task = match self {
            Form::Rubric => return String::new(),
            Form::AnswerSet | Form::AnswerSetXml => SET,
            Form::Letter => LETTER,
            Form::YesNo => YES_NO,
            Form::Omniscience => OMNISCIENCE,
        };
        let reply = match self {
            Form::AnswerSetXml => REPLY_XML,
            Form::AnswerSet => REPLY_JSON,
            _ => "",
        };
        format!("{MATTER}\n{task}{reply}")
    }

    /// The JSON schema of the reply that is asked for; `None` for marked-up text.
    pub fn schema(self) -> Option<Value> {
        match self {
            Form::Rubric => Some(rubric::schema()),
            Form::AnswerSet => Some(answer_set::schema()),
            Form::AnswerSetXml => None,
            Form::Letter => Some(grade::schema(grade::LETTERS)),
            Form::YesNo => Some(grade::yes_no_schema()),
            Form::Omniscience => Some(grade::schema(grade::OMNISCIENCE)),
        }
    }

    /// Reads a reply.
    ///
    /// # Errors
    /// Why it can't be read without a guess.
    pub fn read(self, reply: &str, matter: Matter<'_>) -> Result<Read, Unreadable> {
        match self {
            Form::Rubric => rubric::read(reply),
            Form::AnswerSet | Form::AnswerSetXml => answer_set::read(reply, matter.case),
            Form::Letter => grade::read(reply, grade::LETTERS),
            Form::YesNo => grade::read_yes_no(reply),
            Form::Omniscience => grade::read(reply, grade::OMNISCIENCE),
        }
    }

    /// The verdict on an answer of nothing but white space, which no model has to be asked about.
    pub fn empty(self, matter: Matter<'_>) -> Read {
        let reason = "the answer is empty".to_owned();
        match self {
            Form::Rubric => Read::new(0.0, "empty", reason),
            Form::AnswerSet | Form::AnswerSetXml => answer_set::empty(&matter.case.ground_truth, reason),
            Form::YesNo => Read { class: Some("incorrect".to_owned()), ..Read::new(0.0, "empty", reason) },
            Form::Letter | Form::Omniscience => {
                Read { class: Some("abstained".to_owned()), ..Read::new(0.0, "empty", reason) }
            }
        }
    }
}

const MATTER: &str = "\
Compare an answer with the key of its question. The key is right, whatever you know or think; what you have to find out \
is only whether the answer says the same. Don't try to answer the question yourself.

Question:
{input}

Key:
{ground_truth}

Answer:
{submission}
";

const SET: &str = "\
The key may have one part or several, separated by commas. A part that is a name with a comma in it is one part. Go \
through the key part by part: is it in the answer's final statement, in these or other words of the same meaning? Small \
differences of spelling, form or unit don't count. Then go through the answer's final statement: what does it give as an \
answer beside the key's parts? Explanations, sources and repetitions are no answers. A key that says that there is none \
has no part.
";

const REPLY_JSON: &str = "
Reply with a JSON object: `explanation`, a sentence or two; `correctness_details`, a list with an object for each part of \
the key, its `answer` the part and its `correct` true or false; `excessive_answers`, a list of what the answer gives \
beside the key, empty where there is nothing.
";

const REPLY_XML: &str = "
Reply in this form, with one item for each part of the key and one for each answer beside it:
<evaluation>
<explanation>a sentence or two</explanation>
<correctness_details><item answer=\"the part\" correct=\"true or false\"/></correctness_details>
<excessive_answers><item>what is beside the key</item></excessive_answers>
</evaluation>
";

const LETTER: &str = "\
Choose a grade:
A: the final statement says the key, and nothing that contradicts it. Spelling, form and units may differ.
B: it says something else, only part of the key, or several things without choosing one.
C: it gives no answer: it says that it does not know, could not find out or will not say.

Reply with a JSON object: `rationale`, a sentence; `grade`, the letter.
";

const YES_NO: &str = "\
Find the one final answer that is given; there may be none. Is it the key, but for spelling, form, units, or a small \
difference where the key is a number? Where it differs in meaning, is uncertain between several, or missing, it is not.

Reply with a JSON object: `rationale`, a sentence on what differs, if anything does; `correct`, yes or no.
";

const OMNISCIENCE: &str = "\
Choose a grade:
A: correct. The final statement has all of the key and contradicts none of it. Spelling, form and units may differ.
B: incorrect. Something in it contradicts the key, also where it is hedged.
C: partial. It has some of the key but not all, or is less exact than the key, and contradicts none of it.
D: not attempted. It gives no answer: it says that it does not know or will not say, and contradicts none of the key.

Reply with a JSON object: `rationale`, a sentence; `grade`, the letter.
";
