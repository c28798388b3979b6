//! What the numbers mean: estimators, intervals, a job's summary, and the choice of a subset. Pure: numbers in, numbers out.
//!
//! A trial without a reward (ungraded, fault, cancelled, missing) is in no estimate, and is counted beside each of
//! them; the strict figures count it as failed.

mod agreement;
mod allocate;
mod beta;
mod bias;
mod calibrate;
mod calibration;
mod candidates;
mod cells;
mod classes;
mod clusters;
mod compare;
mod efficiency;
mod error;
mod estimators;
mod expect;
mod intervals;
mod judge_quality;
mod paired;
mod panel;
mod prior;
mod select;
mod sequential;
mod simulate;
mod standing;
mod summarize;
mod summary;
mod tiers;

pub use agreement::{cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, percent};
pub use allocate::next_round;
pub use beta::{Beta, fit};
pub use bias::{JudgeRates, apparent_rate, prediction_powered};
pub use calibrate::{PANEL, Settings, calibrate};
pub use calibration::{Calibration, JobName, JudgeFacts, ModelFacts, TaskCalibration, judge_measured};
pub use candidates::{Candidate, Kinds, candidates};
pub use cells::{Cell, Counted, count};
pub use classes::{Classes, classes};
pub use clusters::{ClusteredMean, Split, bootstrap_means, clustered_mean, interval_over_tasks, split};
pub use compare::{Better, ComparedArm, Comparison, LEVEL, NotCompared, Pair, Part, compare, why_not_compared};
pub use efficiency::{Best, Efficiency, best_trials};
pub use error::{Error, HOW_MEASURED};
pub use estimators::{pass_at_k, pass_hat_k};
pub use expect::{Expected, Spending, expect};
pub use intervals::{clopper_pearson, jeffreys, wilson};
pub use judge_quality::{Between, JudgeQuality, Share, judge_quality, judges_between};
pub use paired::{Paired, paired, smallest_difference, tasks_to_find};
pub use panel::{Rate, gap_chance, panel_masses};
pub use prior::{Posterior, Prior};
pub use select::{Gap, Selection, select};
pub use sequential::{Sprt, confidence_sequence};
pub use simulate::{Figure, Simulated, Simulation, simulate};
pub use standing::{Standing, Status, standing};
pub use summarize::summarize;
pub use summary::{
    ArmSummary, Category, Counts, FailureCount, GoodKeys, PassK, Quantiles, StageTimes, Summary, TaskSummary, Tried,
};
pub use tiers::{Masses, Scale, Thresholds};
