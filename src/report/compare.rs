//! A comparison of agents, as text of 80 columns, as Markdown and as JSON. All three say the same, and each says what is
//! not compared and how the other trials ended.

use super::json::pretty;
use super::markdown::literal;
use super::numbers::{counts, number_of, tasks, three, type_name};
use super::plain::plain;
use super::text::{column, fact};
use crate::stats::{Better, ComparedArm, Comparison, LEVEL, Pair, Part, why_not_compared};
use serde::Serialize;
use std::fmt::Write as _;

/// The number of the comparison's JSON format; a field that changes its meaning changes it.
const FORMAT: u32 = 1;

/// How many agents' outcomes stand side by side.
const BESIDE: usize = 8;

/// A comparison as JSON; `schemas/compare.json` describes it.
pub fn compare_json(comparison: &Comparison) -> String {
    #[derive(Serialize)]
    struct Report<'a> {
        format: u32,
        #[serde(flatten)]
        comparison: &'a Comparison,
    }
    pretty(&Report { format: FORMAT, comparison })
}

/// A comparison as text.
pub fn compare_text(comparison: &Comparison) -> String {
    let mut out = format!("{}\n", headline(comparison));
    for (name, text) in notes(comparison) {
        fact(&mut out, name, &plain(&text));
    }
    out.push_str("\n     agent                                   passes  reward          95%  place\n");
    for (place, arm) in comparison.arms.iter().enumerate() {
        let [name, passes, reward, interval, places] = arm_cells(arm);
        let name = column(&format!("  {:<3}{}", letter(place), plain(&name)), 42);
        writeln!(out, "{name}{passes:>9}{reward:>8}{interval:>13}{places:>7}").expect("a string takes everything");
    }
    let [first, rest @ ..] = comparison.pairs.as_slice() else { return out };
    if rest.is_empty() {
        out.push_str(&pair_text(first));
    } else {
        out.push_str("\n  pair     difference      95% interval       p     finds  better\n");
        for pair in &comparison.pairs {
            let [difference, interval, p, finds, better] = part_cells(pair, &pair.all);
            let name = pair_name(pair);
            writeln!(out, "  {name:<9}{difference:>10}{interval:>18}{p:>8}{finds:>10}  {better}")
                .expect("a string takes everything");
        }
        out.push_str(PAIRS);
    }
    out.push_str(&outcomes_text(&comparison.arms));
    out
}

const PAIRS: &str = "\n  B - A is B's reward less A's. p is the larger of Student's t and sign flips,\n  \
    made larger for the number of pairs (Holm); `finds` is the difference that so\n  \
    many tasks find four times in five. Agents whose places overlap can't be told\n  \
    apart.\n";

fn pair_text(pair: &Pair) -> String {
    let mut out = format!("\n{}\n", pair_name(pair));
    for (name, text) in pair_facts(pair) {
        fact(&mut out, &name, &plain(&text));
    }
    if !pair.categories.is_empty() {
        out.push('\n');
        let mut row = |[name, tasks, difference, interval, p, better]: [&str; 6]| {
            let name = column(&format!("  {name}"), 26);
            out.push_str(&format!("{name}{tasks:>6}{difference:>11}{interval:>17}{p:>7}  {better}\n"));
        };
        row(["type", "tasks", "difference", "95% interval", "p", "better"]);
        for part in &pair.categories {
            let [difference, interval, p, _, better] = part_cells(pair, part);
            let (name, tasks) = (plain(type_name(&part.question_type)), part.tasks.to_string());
            row([&name, &tasks, &difference, &interval, &p, &better]);
        }
        out.push_str("\n  p is made larger for the number of types (Holm).\n");
    }
    out
}

fn outcomes_text(arms: &[ComparedArm]) -> String {
    let mut out = String::new();
    for (block, some) in arms.chunks(BESIDE).enumerate() {
        let cells = |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:>7}")).collect::<String>();
        let letters = (0..some.len()).map(|i| letter(block * BESIDE + i)).collect();
        write!(out, "\n  {:<16}{}\n", "outcome", cells(letters)).expect("a string takes everything");
        for (name, numbers) in outcome_rows(some) {
            writeln!(out, "  {name:<16}{}", cells(numbers)).expect("a string takes everything");
        }
    }
    out
}

/// A comparison as Markdown.
pub fn compare_markdown(comparison: &Comparison) -> String {
    let mut out = format!("# {}\n\n", capital(&headline(comparison)));
    for (name, text) in notes(comparison) {
        out.push_str(&format!("- {name}: {}\n", literal(&text)));
    }
    out.push_str("\n| | agent | passes | mean reward | 95% over tasks | place |\n");
    out.push_str("| --- | --- | ---: | ---: | ---: | ---: |\n");
    for (place, arm) in comparison.arms.iter().enumerate() {
        let [name, passes, reward, interval, places] = arm_cells(arm);
        let name = literal(&name);
        out.push_str(&format!("| {} | {name} | {passes} | {reward} | {interval} | {places} |\n", letter(place)));
    }
    for pair in &comparison.pairs {
        out.push_str(&format!("\n## {}\n\n| | |\n| --- | --- |\n", pair_name(pair)));
        for (name, text) in pair_facts(pair) {
            out.push_str(&format!("| {name} | {} |\n", literal(&text)));
        }
        if !pair.categories.is_empty() {
            out.push_str("\n| type | tasks | difference | 95% interval | p (Holm) | better |\n");
            out.push_str("| --- | ---: | ---: | ---: | ---: | --- |\n");
        }
        for part in &pair.categories {
            let [difference, interval, p, _, better] = part_cells(pair, part);
            let name = literal(type_name(&part.question_type));
            out.push_str(&format!("| {name} | {} | {difference} | {interval} | {p} | {better} |\n", part.tasks));
        }
    }
    let letters: Vec<String> = (0..comparison.arms.len()).map(letter).collect();
    out.push_str(&format!("\n| outcome | {} |\n| --- |{}\n", letters.join(" | "), " ---: |".repeat(letters.len())));
    for (name, numbers) in outcome_rows(&comparison.arms) {
        out.push_str(&format!("| {name} | {} |\n", numbers.join(" | ")));
    }
    out
}

/// What the comparison is; that it is none between agents, where different judges graded them.
pub fn headline(comparison: &Comparison) -> String {
    let over = tasks(comparison.tasks);
    match comparison.judges_differ.is_empty() {
        true => format!("compared by task over {over}"),
        false => format!("not like for like: different judges graded the agents, over {over}"),
    }
}

/// The same with a capital.
pub fn capital(text: &str) -> String {
    let (first, rest) = text.split_at_checked(1).unwrap_or(("", text));
    first.to_uppercase() + rest
}

/// What is to be known before any number is read.
pub fn notes(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let judges = comparison.judges_differ.iter().map(|why| ("judges", why.clone()));
    let mut notes: Vec<_> = judges.chain(comparison.notes.iter().map(|note| ("note", note.clone()))).collect();
    if !comparison.left_out.is_empty() {
        let count = number_of(comparison.left_out.len() as u64, "task");
        let why = why_not_compared(&comparison.left_out).join("; ");
        notes.push(("not compared", format!("{count}, not the same in all jobs: {why}")));
    }
    notes
}

/// Agents by letter, in their order; from the 27th on by number.
pub fn letter(place: usize) -> String {
    match u8::try_from(place) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        _ => format!("#{}", place + 1),
    }
}

/// Two agents by letter.
pub fn pair_name(pair: &Pair) -> String {
    format!("{} - {}", letter(pair.b), letter(pair.a))
}

/// An agent with its job, its passes, its mean reward with interval, its places.
pub fn arm_cells(arm: &ComparedArm) -> [String; 5] {
    let model = arm.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    let (best, worst) = arm.places;
    [
        format!("{}: {}{model}", arm.job, arm.agent),
        format!("{}/{}", arm.all.passes, arm.all.rewarded),
        three(arm.mean_of_tasks),
        arm.interval_95.map_or("n/a".into(), |(low, high)| format!("{low:.3}-{high:.3}")),
        if best == worst { best.to_string() } else { format!("{best}-{worst}") },
    ]
}

/// A difference, its interval, its p, the difference that would be found, and who is better.
pub fn part_cells(pair: &Pair, part: &Part) -> [String; 5] {
    let or = |text: Option<String>| text.unwrap_or("n/a".into());
    let paired = part.paired.as_ref();
    let better = match part.better {
        Some(Better::A) => letter(pair.a),
        Some(Better::B) => letter(pair.b),
        None => "not settled".into(),
    };
    [
        or(paired.map(|paired| signed(paired.difference))),
        or(paired.and_then(|paired| paired.interval_95).map(signed_interval)),
        or(part.p.map(chance)),
        three(paired.and_then(|paired| paired.smallest_difference)),
        better,
    ]
}

/// What is known of two agents, as named facts.
pub fn pair_facts(pair: &Pair) -> Vec<(String, String)> {
    let mut facts = part_facts(pair, &pair.all, "");
    if let Some(good) = &pair.good_keys {
        facts.extend(part_facts(pair, good, "good keys: "));
    }
    facts
}

fn part_facts(pair: &Pair, part: &Part, over: &str) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, text: String| facts.push((name.to_owned(), format!("{over}{text}")));
    if let Some(paired) = &part.paired {
        let interval = paired.interval_95.map_or("no interval: all differences are equal".into(), |ends| {
            format!("95% interval {}", signed_interval(ends))
        });
        let (difference, differing) = (signed(paired.difference), paired.differing);
        add(
            "difference",
            format!("{difference} over {}, {differing} of which differ; {interval}", tasks(paired.tasks)),
        );
        let how = if paired.sign_flip_is_exact { "all of them" } else { "100,000 drawn" };
        let t = paired.p_t.map_or("n/a".into(), chance);
        let adjusted = part.p.filter(|p| (p - paired.p()).abs() > 1e-12);
        let adjusted = adjusted.map(|p| format!("; {} with all pairs (Holm)", chance(p))).unwrap_or_default();
        add("p", format!("{t} by Student's t, {} by sign flips ({how}){adjusted}", chance(paired.p_sign_flip)));
        if let Some(least) = paired.smallest_difference {
            add(
                "finds",
                format!("{} like these find a difference of {least:.3} four times in five", tasks(paired.tasks)),
            );
        }
    }
    if !part.without_reward.is_empty() {
        let (count, names) = (part.without_reward.len(), part.without_reward.join(", "));
        add("no data", format!("{count} of {}, in no difference: {names}", tasks(part.tasks)));
    }
    add("strict", format!("{} where each trial without a reward counts as failed", signed(part.strict_difference)));
    add("better", verdict(pair, part));
    facts
}

/// Who is better, or why that is not settled.
fn verdict(pair: &Pair, part: &Part) -> String {
    match (part.better, &part.paired, part.p) {
        _ if !pair.same_judge => "not settled: different judges graded them".into(),
        (Some(Better::A), ..) => letter(pair.a),
        (Some(Better::B), ..) => letter(pair.b),
        (None, Some(_), Some(p)) if p >= LEVEL => format!("not settled: p {} is not below {LEVEL}", chance(p)),
        (None, Some(_), _) => "not settled: the strict difference does not point the same way".into(),
        (None, None, _) => "not settled: no task has a reward from both".into(),
    }
}

fn signed(number: f64) -> String {
    // No minus before a zero.
    format!("{:+.3}", if number.abs() < 0.0005 { 0.0 } else { number })
}

fn signed_interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", signed(low), signed(high))
}

fn chance(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

fn outcome_rows(arms: &[ComparedArm]) -> Vec<(&'static str, Vec<String>)> {
    let columns: Vec<_> = arms.iter().map(|arm| counts(&arm.all.counts)).collect();
    let names = columns.first().map(|column| column.map(|(name, _)| name)).into_iter().flatten();
    names.enumerate().map(|(i, name)| (name, columns.iter().map(|column| column[i].1.to_string()).collect())).collect()
}
