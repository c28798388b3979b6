//! The files of a forged vendor directory. Pure: who writes them is for others to say.

use super::invent::AS_OF;
use super::make::{Forged, Question, Request};
use super::types::QuestionType;
use crate::corpus::MODEL_HOSTS;
use crate::question::plan::{AnswerKind, Chain, Group, Plan, Relation};
use crate::question::{Answer, Ranked, Reading, World, sql};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The version of what a question's record holds beside question and key.
const FORMAT: u32 = 1;

/// All files of a vendor directory, as paths below it with their texts. `MANIFEST` has the SHA-256 of each other one, in
/// the form that `sha256sum --check` reads. `name` is the suite's name and what ids begin with.
pub fn vendor(request: &Request, forged: &Forged, name: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        forged.records.write().into_iter().map(|(file, text)| (format!("files/{file}"), text)).collect();
    let world = World::new(&forged.records);
    let lines = forged.questions.iter().map(|question| format!("{}\n", record(question, &world)));
    files.push(("questions.jsonl".into(), lines.collect()));
    files.push(("rubric.txt".into(), include_str!("rubric.txt").into()));
    files.push(("suite.toml".into(), suite(request, name)));
    files.push(("templates/instruction.md".into(), include_str!("instruction.md").into()));
    files.sort();
    let manifest = files.iter().map(|(file, text)| format!("{}  {file}\n", sha256(text))).collect();
    files.push(("MANIFEST".into(), manifest));
    files
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn suite(request: &Request, name: &str) -> String {
    let share = |(kind, share): &(QuestionType, usize)| format!("{}={share}", kind.word());
    let mix = match &request.mix[..] {
        [] => String::new(),
        mix => format!(" --mix {}", mix.iter().map(share).collect::<Vec<_>>().join(",")),
    };
    let Request { seed, people, questions, .. } = request;
    let command = format!("--seed {seed} --people {people} --questions {questions}{mix} --name {name} -o DIR");
    let hosts: Vec<String> = MODEL_HOSTS.iter().map(|host| format!("    \"{host}\",")).collect();
    include_str!("suite.toml")
        .replace("{{command}}", &command)
        .replace("{{as_of}}", &AS_OF.to_string())
        .replace("{{name}}", name)
        .replace("{{hosts}}", &hosts.join("\n"))
}

/// A question's line. The proof is all there: plan, query, and the ranked table of every group.
fn record(question: &Question, world: &World<'_>) -> Value {
    let Question { kind, plan, passed, score, tier } = question;
    let files: Vec<&str> = passed.files.iter().map(|file| file.name()).collect();
    let extra = json!({
        "format": FORMAT,
        "required_files": files,
        "question_type": kind.word(),
        "difficulty": tier.word(),
        "structure": score,
        "plan": plan.to_string(),
        "sql": sql(plan, &Reading::default()),
        "key": key(plan, &passed.answer),
        "mistakes": passed.mistakes,
        "tables": tables(plan, world),
    });
    json!({
        "input": passed.text,
        "ground_truth": passed.answer.to_string(),
        "agent_args": { "tags": [], "extra": extra },
    })
}

/// The key with its kind, as the rules judge reads it.
fn key(plan: &Plan, answer: &Answer) -> Value {
    let (kind, unit) = match (plan.kind(), plan) {
        (AnswerKind::Name, _) => ("name", None),
        (AnswerKind::Text, Plan::If { then: crate::question::Attr::Of(Relation::Blood), .. }) => ("blood_type", None),
        (AnswerKind::Text, _) => ("text", None),
        (AnswerKind::Count, _) => ("count", Some("records")),
        (AnswerKind::Year, _) => ("count", None),
        (AnswerKind::Money, _) => ("money", Some("USD")),
        (AnswerKind::Date | AnswerKind::Month, _) => ("date", None),
    };
    let mut key = json!({ "kind": kind, "value": answer.to_string() });
    if let Some(unit) = unit {
        key["unit"] = unit.into();
    }
    key["accept"] = json!([]);
    key
}

/// Who is in each group, the first first, with the numbers that decide.
fn tables(plan: &Plan, world: &World<'_>) -> Vec<Value> {
    match plan {
        Plan::Only(group) => vec![members(group, world)],
        _ => plan.chains().into_iter().map(|chain| ranked(chain, world)).collect(),
    }
}

fn ranked(chain: &Chain, world: &World<'_>) -> Value {
    let row = |Ranked { person, place, values }: Ranked| {
        let values: Vec<Option<String>> = values.iter().map(|v| v.as_ref().map(ToString::to_string)).collect();
        json!([place, world.name(person), values])
    };
    let rows: Vec<Value> = world.ranked(chain, &Reading::default()).into_iter().map(row).collect();
    json!({ "group": chain.to_string(), "rows": rows })
}

/// The group from which filters leave one, and who is left after each of them.
fn members(group: &Group, world: &World<'_>) -> Value {
    let names = |filters: &[crate::question::Filter]| -> Vec<&str> {
        let group = Group { base: group.base.clone(), filters: filters.to_vec() };
        world.members(&group, &Reading::default()).into_iter().map(|person| world.name(person)).collect()
    };
    // Everybody is no group worth a table.
    let first = usize::from(group.base.is_none());
    let steps: Vec<Vec<&str>> = (first..=group.filters.len()).map(|n| names(&group.filters[..n])).collect();
    json!({ "group": group.to_string(), "steps": steps })
}
