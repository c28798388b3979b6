//! `seatrial init`: make a vendor directory from your own documents and questions. Wiring only.

use super::error::Error;
use super::words::{count, quoted};
use crate::populate::{FieldFlags, InitRequest, Mapped, init};
use std::path::PathBuf;

/// Make a vendor directory from your own documents and questions
///
/// Field names such as question, input, problem, prompt and answer, ground_truth, expected, target are recognised;
/// the flags name others, with dots into inner objects.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial init my-suite --files docs --questions q.jsonl")]
pub struct InitArgs {
    /// The vendor directory to make
    dir: PathBuf,

    /// The folder of documents; all its files and subfolders are copied
    #[arg(long, value_name = "DOCS")]
    files: PathBuf,

    /// The questions: JSONL or CSV
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,

    /// The rubric that model judges get [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,

    /// What the suite is called [default: the directory's name]
    #[arg(long)]
    name: Option<String>,

    /// What task ids begin with [default: made from the name]
    #[arg(long, value_name = "PREFIX")]
    id_prefix: Option<String>,

    /// The field that holds the question
    #[arg(long, value_name = "FIELD")]
    question_field: Option<String>,

    /// The field that holds the answer key
    #[arg(long, value_name = "FIELD")]
    answer_field: Option<String>,

    /// The field that holds the difficulty
    #[arg(long, value_name = "FIELD")]
    difficulty_field: Option<String>,

    /// The field that holds the question's type
    #[arg(long, value_name = "FIELD")]
    type_field: Option<String>,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &InitArgs) -> Result<u8, Error> {
    let made = init(&InitRequest {
        dir: args.dir.clone(),
        files: args.files.clone(),
        questions: args.questions.clone(),
        rubric: args.rubric.clone(),
        name: args.name.clone(),
        id_prefix: args.id_prefix.clone(),
        fields: FieldFlags {
            question: args.question_field.clone(),
            answer: args.answer_field.clone(),
            difficulty: args.difficulty_field.clone(),
            question_type: args.type_field.clone(),
        },
    })?;

    let within = if made.folders == 0 { String::new() } else { format!(" in {}", count(made.folders, "subfolder")) };
    super::say(&format!(
        "{}{within}, {} bytes, from `{}`",
        count(made.documents, "document"),
        made.bytes,
        args.files.display()
    ));
    super::say(&format!("{} from `{}`", count(made.questions, "question"), args.questions.display()));
    for Mapped { part, field, unused } in &made.mapped {
        let field = field.as_ref().map_or("no field".into(), |field| format!("`{field}`"));
        let unused = if unused.is_empty() { String::new() } else { format!(", not `{}`", unused.join("`, `")) };
        super::say(&format!("  {part:13} from {field}{unused}"));
    }
    match &args.rubric {
        Some(path) => super::say(&format!("the rubric from `{}`", path.display())),
        None => super::say("the built-in rubric"),
    }
    let (dir, prefix) = (args.dir.display(), &made.id_prefix);
    let tasks = match made.questions {
        1 => format!("the task `{prefix}-0`"),
        n => format!("the tasks `{prefix}-0` to `{prefix}-{}`", n - 1),
    };
    super::say(&format!("made the suite `{}` in `{dir}`, for {tasks}", made.name));
    let vendor = quoted(&args.dir.display().to_string());
    let tasks = quoted(&args.dir.join("tasks").display().to_string());
    super::say(&format!(
        "\nnext:\n  seatrial generate --vendor {vendor} --all -o {tasks}\n  seatrial run {tasks} -a oracle --network no-network"
    ));
    Ok(super::exit::OK)
}
