//! What a clause says of the one person it names, where that means that the person is not the answer: "X came second",
//! "X was beaten", "one of the two is X", "I still have to check X". It knows words of losing and of unfinished work, and
//! must not weigh anybody against anybody.

use super::ranking::{Rank, ranking, stem};
use super::token::{Shape, Token};
use super::words::{self, has};

/// Labels of who is not the answer, or not yet.
const LABELS: &str = "loser runner-up runnerup second third excluded eliminated rejected denied incorrect wrong \
    candidate candidates shortlist contenders contender options todo next step anchor";

/// "Loser: X", "Second place: X", "Candidates: X": the words before the colon.
pub fn labelled(label: &[Token]) -> bool {
    let words = label.iter().filter(|t| t.shape == Shape::Word).count();
    words <= 3 && label.iter().any(|t| has(LABELS, &t.low)) && !label.iter().any(|t| has("best winning chosen", &t.low))
}

/// "somebody richer than X", "in the same state as X", "who outranks X", "I have to check X", "one of the two is X".
pub fn led_to(before: &[Token]) -> bool {
    let last = |n: usize| before.len().checked_sub(n).map_or("", |n| &*before[n].low);
    let any = |list: &'static str| before.iter().any(|t| has(list, &t.low));
    let beside = last(1) == "than" || (last(1) == "as" && any("same")) || (last(2) == "next" && last(1) == "to");
    let at = usize::from(has("at on to into with of for about", last(1)));
    let work = has("check verify look inspect examine compare investigate consider review depends", last(1 + at));
    let object = has(words::BEATS, last(1)) || has(words::EXCEEDS, last(1));
    let one_of = before.windows(3).any(|w| {
        has("one first second either", &w[0].low) && w[1].low == "of" && has("the them these those both", &w[2].low)
    }) && has("is was be", last(1));
    let nothing = before.windows(2).any(|w| {
        has("no without little", &w[0].low) && has("evidence record sign trace mention indication proof", &w[1].low)
    });
    let past = before.windows(2).any(|w| w[0].low == "used" && w[1].low == "to") || has(words::RETRACTS, last(1));
    let beside = beside && !any("no nobody none");
    let against = last(1) == "against";
    against || beside || work || object || one_of || nothing || past || any("runner-up loser")
}

/// "X lost", "X was beaten", "X came second", "X fails to qualify", "X has fewer boats".
pub fn loses(after: &[Token], asked: &[Token]) -> bool {
    let said: Vec<&Token> = after.iter().filter(|t| !t.aside && !t.is('"')).collect();
    let low = |n: usize| said.get(n).map_or("", |t| &*t.low);
    let verb = low(0);
    let any = |list: &'static str| said.iter().any(|t| has(list, &t.low));
    let be = has("is was were got gets gotten been has had can could may", verb);
    let fails =
        has("fails failed drops dropped misses missed lags lagged falls fell trails trailed loses lost yields", verb);
    let behind = has("comes came finishes finished places placed ranks ranked ends ended is was", verb)
        && (has("second third last behind runner-up close short", low(1))
            || (low(1) == "up" && low(2) == "short")
            || (low(1) == "in" && has("second third last", low(2))))
        && said.len() <= 4
        && !any("none nobody");
    let done = "edged beaten outdone surpassed outranked overtaken eliminated excluded disqualified outnumbered";
    let undone = be && said.iter().take(4).any(|t| has(done, &t.low)) && !any("than nobody none");
    let out = be && said.windows(2).take(3).any(|w| has("ruled edged", &w[0].low) && w[1].low == "out");
    let lure = has("is was", verb) && any("herring decoy distractor contender");
    let task = has("must should needs has remains", verb) && any("compared checked verified examined");
    let longer = said.windows(2).take(3).any(|w| w[0].low == "no" && w[1].low == "longer");
    let none = longer || any("loser");
    fails || behind || undone || out || lure || task || none || has_less(&said, asked)
}

/// "The lower count is X's", "with fewer boats: X".
pub fn less(before: &[Token], asked: &[Token]) -> bool {
    has_less(&before.iter().filter(|t| !t.aside).collect::<Vec<_>>(), asked)
}

/// "The runner-up, X, has two."
pub fn apposed(clause: &[Token]) -> bool {
    clause.len() <= 3 && clause.last().is_some_and(|t| has("runner-up runnerup loser", &t.low))
}

/// "X owns the fewest", "X has fewer than the other", "X has not more but fewer".
fn has_less(said: &[&Token], asked: &[Token]) -> bool {
    let Rank { more, nouns, .. } = ranking(asked);
    if nouns.is_empty() {
        return false;
    }
    let down = if more { "fewer less fewest" } else { "more" };
    let size = if more { "lower lowest smaller smallest lesser" } else { "higher highest larger largest greater" };
    let low = |n: usize| said.get(n).map_or("", |t| &*t.low);
    let noun = |n: usize| said.get(n).is_some_and(|t| nouns.contains(&stem(&t.low)));
    let sized =
        |n: usize| has("count number total tally figure", low(n)) && (low(n + 1) != "of" || (n + 2..n + 5).any(noun));
    (0..said.len()).any(|n| {
        let of_it = n + 1 == said.len() || noun(n + 1) || low(n + 1) == "than";
        let turned = n > 0 && has("no not", low(n - 1));
        !turned && ((has(down, low(n)) && of_it) || (has(size, low(n)) && (sized(n + 1) || noun(n + 1))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn clauses_that_take_a_name_out_of_the_running() {
        let asked = tokens("Who owns more boats?");
        for text in [
            "fails to qualify",
            "was beaten",
            "came second",
            "comes up short",
            "owns fewer boats",
            "has fewer than the other",
            "can be ruled out",
            "must be compared with the other",
        ] {
            assert!(loses(&tokens(text), &asked), "{text}");
        }
        for text in ["has more boats", "is the answer", "was the oldest", "has at least five boats", ""] {
            assert!(!loses(&tokens(text), &asked), "{text}");
        }
        for text in ["one of the two is", "I have to check", "somebody richer than", "no record of", "It used to be"] {
            assert!(led_to(&tokens(text)), "{text}");
        }
        for text in ["the answer is", "after I checked all files it is", "the first is", "I would pick"] {
            assert!(!led_to(&tokens(text)), "{text}");
        }
        assert!(labelled(&tokens("Second place")) && !labelled(&tokens("Winner")));
    }
}
