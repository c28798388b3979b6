//! A plan says without any doubt how a question's answer is found: whom to look at, how to rank them, what to report.
//! Its text form is read by [`Plan::parse`](super::parse) and written by `Display`; both are one line:
//!
//! ```text
//! plan     := TOP chain                            name of the winner
//!           | ONLY group                           name of the single member
//!           | NUM chain => value                   number of the winner
//!           | CMP chain | chain … -> rank          name of the best of the chains' winners
//!           | SUM chain | chain … -> value         the winners' values added
//!           | TOPkSUM chain => value               the values of the k best added
//!           | IF chain | chain -> metric THEN attr ELSE attr
//!                                                  of the first winner if he is better, else of the second
//! chain    := group ; rank                         the winner of a group
//! group    := (relation source | all) & filter …
//! rank     := metric,metric …                      each decides where all before it are level
//! value    := metric+metric …
//! attr     := relation | value                     `expiry` is the value here
//! source   := pet:Name | pet:Name/Species | plate:X | user:X
//! relation := state city blood condition provider title policy_type url make expiry employer bank
//! metric   := vehicles pets cards policies net accounts jobs balance salary start    the most, the highest, the latest
//!           | dob oldest_car expiry card_expiry                                      the earliest
//! filter   := lacks F | has F | count(F)>=n | count(F)=n | provider=X | policy=X | started=YEAR | top15(metric)
//!           | in(relation source) | out(relation source) | winner(relation ; rank) | state_winner
//! ```
//!
//! Filters are predicates over everybody, so their order has no meaning: `top15(balance)` are the 15 richest of all.
//! `state_winner` is short for `winner(state ; balance)`. Who has no value for a metric ranks last by it, and can't win
//! by it where it is the first.

mod metric;
mod tree;

pub use metric::{AnswerKind, Kind, Metric, Relation};
pub use tree::{Attr, Chain, Filter, Group, Link, Plan, Rank, Source, Total};
