//! Draws plans of each type until as many as are wanted have passed all gates.

use super::draw::{Handles, draw};
use super::gates::{Gate, Passed, pass};
use super::ground::Ground;
use super::invent::invent;
use super::score::{Tier, may_be_hard, score, tiers};
use super::types::{QuestionType, wanted};
use crate::question::plan::{AnswerKind, Plan, Relation};
use crate::question::{Answer, Error, Reading, Records};
use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// What is to be made.
#[derive(Debug, Clone)]
pub struct Request {
    /// What decides everything that is drawn.
    pub seed: u64,
    /// How many people the corpus has.
    pub people: usize,
    /// How many questions are asked about them.
    pub questions: usize,
    /// The shares of types; the usual ones where there is none.
    pub mix: Vec<(QuestionType, usize)>,
}

/// A new corpus and its questions.
#[derive(Debug, Clone)]
pub struct Forged {
    /// The corpus.
    pub records: Records,
    /// The questions, in their final order.
    pub questions: Vec<Question>,
    /// How many plans of each type were drawn and how far they came.
    pub tallies: BTreeMap<QuestionType, Tally>,
}

/// One question.
#[derive(Debug, Clone)]
pub struct Question {
    /// Its type.
    pub kind: QuestionType,
    /// How its answer is found.
    pub plan: Plan,
    /// What the gates saw.
    pub passed: Passed,
    /// How hard it is by its structure.
    pub score: usize,
    /// The third of all scores that this one is in.
    pub tier: Tier,
}

/// How the plans of one type came through the gates.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// How many were drawn.
    pub drawn: usize,
    /// How many passed.
    pub accepted: usize,
    /// How many each gate stopped.
    pub stopped: BTreeMap<Gate, usize>,
}

/// How few people a corpus can have: with fewer, groups are too small to ask about.
pub const LEAST_PEOPLE: usize = 100;
/// How many it can have: with more, ids would need five digits.
pub const MOST_PEOPLE: usize = 2000;
/// How many questions are asked at most.
pub const MOST_QUESTIONS: usize = 1000;
/// How many plans are drawn for each question that is wanted before it is given up.
const PATIENCE: usize = 3000;

/// Streams of the seed; the corpus has those below 100.
const SHUFFLES: u64 = 100;
const DRAWS: u64 = 200;

/// Makes a corpus and its questions. The same request gives the same.
///
/// # Errors
/// Where the numbers make no suite, and where a type has not enough questions in this corpus.
pub fn make(request: &Request) -> Result<Forged, Error> {
    if !(LEAST_PEOPLE..=MOST_PEOPLE).contains(&request.people) || !(1..=MOST_QUESTIONS).contains(&request.questions) {
        return Err(Error::Size { people: request.people, questions: request.questions });
    }
    let records = invent(request.seed, request.people);
    let ground = Ground::new(&records, &mut Random::new(request.seed, SHUFFLES))?;
    let mut maker = Maker {
        ground: &ground,
        handles: Relation::ALL.iter().map(|relation| (*relation, ground.handles(*relation))).collect(),
        total: request.questions,
        taken: Taken::default(),
    };
    let (mut questions, mut tallies) = (Vec::new(), BTreeMap::new());
    for (kind, many) in wanted(&request.mix, request.questions) {
        let (made, tally) = maker.make(kind, many, &mut Random::new(request.seed, DRAWS + kind as u64))?;
        questions.extend(made);
        tallies.insert(kind, tally);
    }
    let scores: Vec<(usize, bool)> = questions.iter().map(|q| (q.score, may_be_hard(&q.passed))).collect();
    for (question, tier) in questions.iter_mut().zip(tiers(&scores)) {
        question.tier = tier;
    }
    spread(&mut questions, &tallies);
    Ok(Forged { records, questions, tallies })
}

/// Spreads each type evenly over all questions, so that the first so many of them are the same mixture.
fn spread(questions: &mut [Question], tallies: &BTreeMap<QuestionType, Tally>) {
    let mut seen: BTreeMap<QuestionType, usize> = BTreeMap::new();
    questions.sort_by_cached_key(|question| {
        let nth = seen.entry(question.kind).or_default();
        *nth += 1;
        // The middle of its part of the whole, in millionths.
        ((2 * *nth - 1) * 500_000 / tallies[&question.kind].accepted, question.kind)
    });
}

struct Maker<'a> {
    ground: &'a Ground<'a>,
    handles: Handles,
    total: usize,
    taken: Taken,
}

/// What questions have used up already.
#[derive(Default)]
struct Taken {
    /// Each chain, and each group that stands alone, is used once.
    chains: BTreeSet<String>,
    answers: BTreeMap<Answer, usize>,
    /// Of each type, how often each place of a comparison won.
    places: BTreeMap<(QuestionType, usize), usize>,
}

impl Maker<'_> {
    fn make(&mut self, kind: QuestionType, many: usize, random: &mut Random) -> Result<(Vec<Question>, Tally), Error> {
        let (mut made, mut tally) = (Vec::new(), Tally::default());
        while made.len() < many {
            if tally.drawn >= PATIENCE * many {
                return Err(Error::Scarce { kind: kind.word(), made: made.len(), wanted: many, drawn: tally.drawn });
            }
            tally.drawn += 1;
            let mut plan = draw(kind, &self.handles, random);
            let passed = match self.unused(&plan) {
                true => pass(self.ground, kind, &plan, random),
                false => Err(Gate::Variety),
            };
            let passed = passed.and_then(|passed| match self.rare(&plan, &passed.answer) {
                true => Ok(passed),
                false => Err(Gate::Variety),
            });
            match passed {
                Err(gate) => *tally.stopped.entry(gate).or_default() += 1,
                Ok(passed) => {
                    self.take(kind, &mut plan, &passed);
                    let score = score(&plan, &passed);
                    made.push(Question { kind, plan, passed, score, tier: Tier::Easy });
                }
            }
        }
        tally.accepted = made.len();
        Ok((made, tally))
    }

    fn unused(&self, plan: &Plan) -> bool {
        parts(plan).iter().all(|part| !self.taken.chains.contains(part))
    }

    /// An answer may come twice in a hundred questions; a count, of which there are few, about as often among counts as
    /// three in twenty. Once is always fine.
    fn rare(&self, plan: &Plan, answer: &Answer) -> bool {
        let most = if plan.kind() == AnswerKind::Count { self.total * 12 / 1000 } else { self.total / 50 };
        self.taken.answers.get(answer).copied().unwrap_or(0) < most.max(1)
    }

    /// Notes what a question uses, and puts the winner of a comparison where winners stood least often.
    fn take(&mut self, kind: QuestionType, plan: &mut Plan, passed: &Passed) {
        self.taken.chains.extend(parts(plan));
        *self.taken.answers.entry(passed.answer.clone()).or_default() += 1;
        if let Some(place) = self.winning_place(plan, &passed.answer) {
            let many = plan.chains().len();
            let times = |at: &usize| self.taken.places.get(&(kind, *at)).copied().unwrap_or(0);
            let rarest = (0..many).min_by_key(times).unwrap_or(place);
            match plan {
                Plan::Cmp(chains, _) => chains.swap(place, rarest),
                Plan::If { first, second, .. } if place != rarest => std::mem::swap(first, second),
                _ => {}
            }
            *self.taken.places.entry((kind, rarest)).or_default() += 1;
        }
    }

    /// Which of the compared chains has the winner.
    fn winning_place(&self, plan: &Plan, answer: &Answer) -> Option<usize> {
        let world = &self.ground.world;
        match plan {
            Plan::Cmp(chains, _) => chains.iter().position(|chain| {
                let winners = world.winners(chain, &Reading::default());
                winners.iter().any(|winner| *answer == Answer::Text(world.name(*winner).to_owned()))
            }),
            // What is reported is the same of either, so the two can change places.
            Plan::If { first, then, otherwise, .. } if then == otherwise => {
                Some(usize::from(!super::mistakes::attrs(world, first, then).contains(answer)))
            }
            _ => None,
        }
    }
}

/// What no other question may have: the chains, or the one group.
fn parts(plan: &Plan) -> Vec<String> {
    match plan {
        Plan::Only(group) => vec![group.to_string()],
        _ => plan.chains().iter().map(ToString::to_string).collect(),
    }
}
