//! What somebody who is careless would do instead of a plan. A good question has another answer then.

use super::needs::one_record;
use crate::question::plan::{Attr, Chain, Filter, Group, Kind, Metric, Plan, Rank};
use crate::question::{Answer, Place, Reading, World};
use std::collections::BTreeSet;

/// Something that a careless reader gets wrong, in the words of a question's record.
pub type Mistake = &'static str;

/// The mistake that a question about ties must punish.
pub const TIE_BREAK: Mistake = "tie-break left out";

/// The mistakes that lead to another answer than `right`, or to none or several.
pub fn that_matter(world: &World<'_>, plan: &Plan, right: &BTreeSet<Answer>) -> Vec<Mistake> {
    let differs = |world: &World<'_>, plan: &Plan| world.answers(plan, &Reading::default()) != *right;
    let mut found = Vec::new();
    if each_chain(plan, |chain| chain.rank.0.len() > 1 && chain.rank.0.pop().is_some())
        .is_some_and(|plan| differs(world, &plan))
    {
        found.push(TIE_BREAK);
    }
    if without_filters(plan).iter().any(|plan| differs(world, plan)) {
        found.push("filter left out");
    }
    if let Some(single) = one_chain_only(plan, world)
        && single.iter().any(|answers| answers != right)
    {
        found.push("one chain followed only");
    }
    if differs(&one_record(world, plan), plan) {
        found.push("first record of each person only");
    }
    let places = Reading { anchor_place: Place::First, member_place: Place::First, ..Reading::default() };
    let text = Reading { months_as_text: true, ..Reading::default() };
    for (reading, mistake) in [(places, "first address of each person only"), (text, "months sorted as text")] {
        if world.answers(plan, &reading) != *right {
            found.push(mistake);
        }
    }
    if each_chain(plan, joined_inside).is_some_and(|plan| differs(world, &plan)) {
        found.push("members without records dropped");
    }
    found
}

/// The plan with every chain changed, where `change` says that it changed one at least.
fn each_chain(plan: &Plan, change: impl Fn(&mut Chain) -> bool) -> Option<Plan> {
    let mut plan = plan.clone();
    let chains: Vec<&mut Chain> = match &mut plan {
        Plan::Only(_) => Vec::new(),
        Plan::Top(chain) | Plan::Num(chain, _) | Plan::TopSum(_, chain, _) => vec![chain],
        Plan::Cmp(chains, _) | Plan::Sum(chains, _) => chains.iter_mut().collect(),
        Plan::If { first, second, .. } => vec![first, second],
    };
    // Every chain is changed, not the first one only.
    let changed = chains.into_iter().map(change).filter(|changed| *changed).count();
    (changed > 0).then_some(plan)
}

/// An inner join over the ranked records: who has none of a counted kind is lost.
fn joined_inside(chain: &mut Chain) -> bool {
    let counted: Vec<Kind> = chain
        .rank
        .0
        .iter()
        .filter_map(|metric| match metric {
            Metric::Count(kind) => Some(*kind),
            _ => None,
        })
        .collect();
    chain.group.filters.extend(counted.iter().map(|kind| Filter::Has(*kind)));
    !counted.is_empty()
}

/// The plan without each of its filters in turn.
fn without_filters(plan: &Plan) -> Vec<Plan> {
    let group = match plan {
        Plan::Only(group) => group,
        Plan::Top(chain) => &chain.group,
        _ => return Vec::new(),
    };
    let without = |at: usize| {
        let mut group = group.clone();
        group.filters.remove(at);
        match plan {
            Plan::Top(chain) => Plan::Top(Chain { group, rank: chain.rank.clone() }),
            _ => Plan::Only(group),
        }
    };
    (0..group.filters.len()).map(without).collect()
}

/// What each chain alone would answer.
fn one_chain_only(plan: &Plan, world: &World<'_>) -> Option<Vec<BTreeSet<Answer>>> {
    let plain = Reading::default();
    let answers = |plan: Plan| world.answers(&plan, &plain);
    Some(match plan {
        Plan::Cmp(chains, _) => chains.iter().map(|chain| answers(Plan::Top(chain.clone()))).collect(),
        Plan::Sum(chains, total) => {
            chains.iter().map(|chain| answers(Plan::Num(chain.clone(), total.clone()))).collect()
        }
        Plan::If { first, second, then, otherwise, .. } => {
            [(first, then), (second, otherwise)].map(|(chain, attr)| attrs(world, chain, attr)).to_vec()
        }
        _ => return None,
    })
}

/// What an attribute says of a chain's winners.
pub fn attrs(world: &World<'_>, chain: &Chain, attr: &Attr) -> BTreeSet<Answer> {
    let plain = Reading::default();
    let winners = world.winners(chain, &plain);
    winners.into_iter().flat_map(|winner| world.attr(winner, attr, &plain)).collect()
}

/// The plan over everybody instead of its groups.
pub fn without_relation(plan: &Plan) -> Option<Plan> {
    let mut changed = each_chain(plan, |chain| chain.group.base.take().is_some());
    if let Plan::Only(Group { base: Some(_), filters }) = plan {
        changed = Some(Plan::Only(Group { base: None, filters: filters.clone() }));
    }
    changed
}

/// Who is first of all people by a metric; nobody where several are level.
pub fn best_of_all(world: &World<'_>, metric: Metric) -> Option<usize> {
    let all = Chain { group: Group { base: None, filters: Vec::new() }, rank: Rank(vec![metric]) };
    let mut best = world.winners(&all, &Reading::default());
    best.pop_first().filter(|_| best.is_empty())
}
