//! What a drawn plan must pass before it is a question: its answer is the only one, however its words are read; mistakes
//! lead elsewhere; no file can be left out; it can't be guessed; and it was close.

use super::ground::Ground;
use super::mistakes::{Mistake, TIE_BREAK, attrs, best_of_all, that_matter, without_relation};
use super::needs::{File, files};
use super::types::QuestionType;
use crate::question::plan::{AnswerKind, Chain, Filter, Group, Metric, Plan, Total};
use crate::question::worded::words;
use crate::question::{Answer, Money, Ranked, Reading, english};
use crate::random::Random;
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

words! {
    /// A gate, in the order in which a plan comes to them.
    Gate {
        /// No chain was taken before, and no answer comes too often.
        Variety = "variety",
        /// Each source describes exactly one person, who shares exactly one thing.
        Source = "source",
        /// There is exactly one answer, and it is nobody that the question describes.
        Answer = "answer",
        /// Groups have 5 to 60 people, and who is first is so by little.
        Margin = "margin",
        /// What the question's type asks for.
        Shape = "shape",
        /// Whoever is best of all people is not the answer.
        Guess = "guess",
        /// One mistake at least leads to another answer.
        Mistake = "mistake",
        /// At least four files decide.
        File = "file",
        /// SQL gives the same answer, and no other reading of the words has another one: the audit finds the key proved.
        Reading = "reading",
    }
}

/// A plan that passed, with what the gates saw.
#[derive(Debug, Clone)]
pub struct Passed {
    /// The question in English.
    pub text: String,
    /// The answer.
    pub answer: Answer,
    /// How many people each group has.
    pub groups: Vec<usize>,
    /// The mistakes that lead to another answer.
    pub mistakes: Vec<Mistake>,
    /// The files that it reads.
    pub files: BTreeSet<File>,
    /// Whether the amounts that are compared last, if any, are within a twentieth of each other.
    pub narrow: bool,
}

const GROUP: RangeInclusive<usize> = 5..=60;
/// A count is won by one or two.
const COUNTS: RangeInclusive<i64> = 1..=2;
/// An amount is won by a dollar or more, and by a quarter at most.
const LEAST_CENTS: i64 = 100;
/// A day is won by 45 days at most where the question is about days, else by a year.
const DAYS: RangeInclusive<i64> = 1..=45;
const FAR_DAYS: RangeInclusive<i64> = 1..=366;
/// Months and years are won by three at most.
const STEPS: RangeInclusive<i64> = 1..=3;
/// So many files must each decide, in half of the worlds or more in which their owners are shuffled.
const DECIDING: usize = 4;

/// Sends a plan through all gates but the one for variety; says at which it failed.
pub fn pass(ground: &Ground<'_>, kind: QuestionType, plan: &Plan, random: &mut Random) -> Result<Passed, Gate> {
    let world = &ground.world;
    let plain = Reading::default();
    let anchors = anchors(ground, plan)?;
    let answers = world.answers(plan, &plain);
    let (Some(answer), 1) = (answers.first().cloned(), answers.len()) else { return Err(Gate::Answer) };
    if anchors.iter().any(|anchor| answer == said(ground, *anchor)) {
        return Err(Gate::Answer);
    }
    let groups = groups(ground, kind, plan).ok_or(Gate::Margin)?;
    let tables: Vec<Vec<Ranked>> = plan.chains().iter().map(|chain| world.ranked(chain, &plain)).collect();
    let day = if kind == QuestionType::Temporal { DAYS } else { FAR_DAYS };
    let take = if let Plan::TopSum(k, ..) = plan { *k } else { 1 };
    let last = compared(ground, plan);
    if !tables.iter().all(|table| close(table, take, &day)) || last.as_ref().is_some_and(|(a, b)| !close_last(a, b)) {
        return Err(Gate::Margin);
    }
    if !shape(ground, kind, plan, &tables) {
        return Err(Gate::Shape);
    }
    if guessed(ground, plan, &answer) {
        return Err(Gate::Guess);
    }
    let mistakes = that_matter(world, plan, &answers);
    if mistakes.is_empty() || (kind == QuestionType::Tiebreak && !mistakes.contains(&TIE_BREAK)) {
        return Err(Gate::Mistake);
    }
    let files = files(plan);
    let decide = |file: &&File| {
        let changed = ground.shuffled(**file).iter().filter(|world| world.answers(plan, &plain) != answers).count();
        changed * 2 >= ground.shuffled(**file).len()
    };
    if files.iter().filter(decide).count() < DECIDING {
        return Err(Gate::File);
    }
    let text = english(plan, &mut |many| random.below(many));
    if !ground.proves(plan, &text, &answer) {
        return Err(Gate::Reading);
    }
    let narrow = last.is_none_or(|(a, b)| narrow(&a, &b));
    Ok(Passed { text, answer, groups, mistakes, files, narrow })
}

/// Somebody as an answer.
fn said(ground: &Ground<'_>, person: usize) -> Answer {
    Answer::Text(ground.world.name(person).to_owned())
}

/// Whom the sources describe; all different people.
fn anchors(ground: &Ground<'_>, plan: &Plan) -> Result<BTreeSet<usize>, Gate> {
    let links = plan.links();
    let anchors: Option<BTreeSet<usize>> =
        links.iter().map(|link| ground.anchor(&link.source, link.relation)).collect();
    anchors.filter(|anchors| anchors.len() == links.len()).ok_or(Gate::Source)
}

/// How many people each group has; nothing where one is too small or too large.
fn groups(ground: &Ground<'_>, kind: QuestionType, plan: &Plan) -> Option<Vec<usize>> {
    let size = |group: &Group| ground.world.members(group, &Reading::default()).len();
    let size = |group: &&Group| match (kind, &group.filters[..]) {
        // The one who is left is looked for among these.
        (QuestionType::Negation, _) => size(&Group { base: group.base.clone(), filters: Vec::new() }),
        (QuestionType::Intersection, [first, ..]) => size(&Group { base: None, filters: vec![first.clone()] }),
        _ => size(group),
    };
    let sizes: Vec<usize> = plan.groups().iter().map(size).collect();
    sizes.iter().all(|size| GROUP.contains(size)).then_some(sizes)
}

/// Whether the first `take` of a ranked table are parted from the next one, and by little.
fn close(table: &[Ranked], take: usize, days: &RangeInclusive<i64>) -> bool {
    let (Some(last), Some(next)) = (table.get(take - 1), table.get(take)) else { return false };
    let decides = last.values.iter().zip(&next.values).find(|(a, b)| a != b);
    matches!(decides, Some((Some(a), Some(b))) if near(a, b, days))
}

fn near(a: &Answer, b: &Answer, days: &RangeInclusive<i64>) -> bool {
    match (a, b) {
        (Answer::Count(a), Answer::Count(b)) => COUNTS.contains(&(a - b).abs()),
        (Answer::Year(a), Answer::Year(b)) => STEPS.contains(&(a - b).abs()),
        (Answer::Money(Money(a)), Answer::Money(Money(b))) => {
            let gap = (a - b).abs();
            gap >= LEAST_CENTS && gap * 4 <= *a.max(b)
        }
        (Answer::Month(a), Answer::Month(b)) => {
            let months = |m: &crate::question::Month| i64::from(m.year) * 12 + i64::from(m.month);
            STEPS.contains(&(months(a) - months(b)).abs())
        }
        (Answer::Date(a), Answer::Date(b)) => days.contains(&days_between(*a, *b)),
        _ => false,
    }
}

fn days_between(a: Date, b: Date) -> i64 {
    i64::from((a - b).get_days().abs())
}

/// What the best two of a plan's winners have, where it compares winners; the better first.
fn compared(ground: &Ground<'_>, plan: &Plan) -> Option<(Answer, Answer)> {
    let (chains, metric): (Vec<&Chain>, Metric) = match plan {
        Plan::Cmp(chains, rank) => (chains.iter().collect(), rank.0[0]),
        Plan::If { first, second, by, .. } => (vec![first, second], *by),
        _ => return None,
    };
    let mut values: Vec<Answer> = Vec::new();
    for chain in chains {
        let winners = ground.world.winners(chain, &Reading::default());
        values.extend(winners.iter().filter_map(|winner| number(ground, *winner, metric)));
    }
    values.sort();
    let second = values.len().checked_sub(2)?;
    Some((values.pop()?, values.swap_remove(second)))
}

/// Whether the last comparison was won by little, and not against nothing.
fn close_last(best: &Answer, next: &Answer) -> bool {
    *next != Answer::Count(0) && near(best, next, &FAR_DAYS)
}

fn narrow(best: &Answer, next: &Answer) -> bool {
    match (best, next) {
        (Answer::Money(Money(best)), Answer::Money(Money(next))) => (best - next) * 20 <= *best,
        _ => true,
    }
}

fn number(ground: &Ground<'_>, person: usize, metric: Metric) -> Option<Answer> {
    let total = Total(vec![metric]);
    let number = ground.world.total(person, &total, &Reading::default());
    number.and_then(|number| Answer::of_number(total.kind(), number))
}

/// What a type asks for beyond the gates for all.
fn shape(ground: &Ground<'_>, kind: QuestionType, plan: &Plan, tables: &[Vec<Ranked>]) -> bool {
    let winners: BTreeSet<usize> = tables.iter().filter_map(|table| Some(table.first()?.person)).collect();
    match (kind, plan) {
        (QuestionType::Tiebreak, _) => {
            tables[0].iter().filter(|row| row.values[0] == tables[0][0].values[0]).count() > 1
        }
        (QuestionType::Aggregation, Plan::Num(..)) => winners.iter().all(|winner| each_account_weighs(ground, *winner)),
        (QuestionType::Counting, Plan::Num(_, total)) => {
            let has = |winner: &usize| total.0.iter().all(|m| number(ground, *winner, *m) != Some(Answer::Count(0)));
            winners.iter().all(has)
        }
        (QuestionType::Intersection, Plan::Only(group)) => match group.filters.first() {
            // More than so many are the first so many where the last ones are level.
            Some(first @ Filter::TopOf(n, _)) => {
                let top = Group { base: None, filters: vec![first.clone()] };
                ground.world.members(&top, &Reading::default()).len() == *n
            }
            _ => false,
        },
        (QuestionType::Comparison | QuestionType::MultiHop, _) => winners.len() == tables.len(),
        (QuestionType::Conditional, Plan::If { first, second, then, otherwise, .. }) => {
            let (one, other) = (attrs(&ground.world, first, then), attrs(&ground.world, second, otherwise));
            one.len() == 1 && other.len() == 1 && one != other
        }
        _ => true,
    }
}

/// Whether somebody has three accounts or more, and each is a hundredth of the total or more.
fn each_account_weighs(ground: &Ground<'_>, person: usize) -> bool {
    let balances: Vec<i64> = ground.world.lives[person].accounts.iter().map(|account| account.balance.0).collect();
    let total: i64 = balances.iter().sum();
    balances.len() >= 3 && balances.iter().all(|balance| balance * 100 >= total)
}

/// Whether the answer is had without any group, or is whoever is best of all people by something in the question.
fn guessed(ground: &Ground<'_>, plan: &Plan, answer: &Answer) -> bool {
    let plain = Reading::default();
    let alone = BTreeSet::from([answer.clone()]);
    if without_relation(plan).is_some_and(|plan| ground.world.answers(&plan, &plain) == alone) {
        return true;
    }
    // Where many are level at the head of all people, that file alone names nobody.
    let named = |metric: Metric| best_of_all(&ground.world, metric).filter(|person| said(ground, *person) == *answer);
    plan.kind() == AnswerKind::Name && plan.metrics().into_iter().any(|metric| named(metric).is_some())
}
