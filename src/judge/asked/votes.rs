//! Several votes become one verdict. Pure.

use super::form::Read;
use crate::judge::{Verdict, Vote};

/// Two rewards that differ by less are the same.
const SAME: f64 = 1e-9;

/// The verdict of a judge's votes, of which there is at least one: the middle one by reward, the lower of two middle
/// ones, which is what more than half say wherever more than half say the same. `None` without votes.
///
/// Votes that differ make the verdict ambiguous, whatever their majority.
pub fn together(judge: &str, reads: Vec<(String, Read)>) -> Option<Verdict> {
    let mut order: Vec<usize> = (0..reads.len()).collect();
    order.sort_by(|a, b| reads[*a].1.reward.total_cmp(&reads[*b].1.reward));
    let middle = &reads.get(*order.get((reads.len().max(1) - 1) / 2)?)?.1;
    let same = |read: &Read| (read.reward - middle.reward).abs() < SAME && read.class == middle.class;
    let agree = reads.iter().filter(|(_, read)| same(read)).count();
    let ambiguous = agree < reads.len();
    let votes = reads.iter().map(|(model, read)| Vote {
        model: model.clone(),
        reward: Some(read.reward),
        class: read.class.clone(),
        reason: read.reason.clone(),
    });
    let reason = match ambiguous {
        true => format!("{agree} of {} votes agree: {}", reads.len(), middle.reason),
        false => middle.reason.clone(),
    };
    Some(Verdict {
        reward: middle.reward,
        judge: judge.to_owned(),
        rule: middle.rule.to_owned(),
        reason,
        numbers: middle.numbers.clone(),
        class: middle.class.clone(),
        ambiguous,
        votes: if reads.len() > 1 { votes.collect() } else { Vec::new() },
        ..Verdict::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rewards: &[f64]) -> Verdict {
        let vote = |reward: &f64| ("m".to_owned(), Read::new(*reward, "score", format!("says {reward}")));
        together("rubric", rewards.iter().map(vote).collect()).expect("there are votes")
    }

    #[test]
    fn what_most_say_counts_and_dissent_is_marked() {
        for (rewards, reward, ambiguous) in [
            (&[1.0][..], 1.0, false),
            (&[1.0, 1.0, 1.0], 1.0, false),
            (&[1.0, 0.0, 1.0], 1.0, true),
            (&[0.0, 1.0, 0.0], 0.0, true),
            (&[0.0, 0.5, 1.0], 0.5, true),
            (&[1.0, 0.0], 0.0, true),
        ] {
            let verdict = verdict(rewards);
            assert_eq!((verdict.reward, verdict.ambiguous), (reward, ambiguous), "{rewards:?}");
            assert_eq!(verdict.votes.len(), if rewards.len() > 1 { rewards.len() } else { 0 });
        }
        assert_eq!(verdict(&[1.0, 0.0, 1.0]).reason, "2 of 3 votes agree: says 1");
        assert_eq!(together("rubric", Vec::new()), None);
    }
}
