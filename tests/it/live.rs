//! What is shown while a job runs, without a terminal and without a clock.

use crate::job_fixture::{end, fault, job, scored, ungraded};
use seatrial::event::{Event, Fault, Outcome, Stage};
use seatrial::plan::Plan;
use seatrial::report::live::{State, lines, plain_line};

/// A job of two tasks and three attempts, with what happens at which second.
struct Show {
    state: State,
    plan: Plan,
}

impl Show {
    fn new(done: Vec<usize>) -> Show {
        let plan = Plan { trials: job("show", &["ledger-1", "ledger-2"], 3).trials };
        let mut show = Show { state: State::default(), plan };
        let plan = show.plan.clone();
        show.at(0.0, Event::JobStarted { plan, done });
        show
    }

    fn at(&mut self, now: f64, event: Event) -> Option<String> {
        self.state.apply(&event, now);
        plain_line(&self.state, &event)
    }

    fn finish(&mut self, now: f64, trial: usize, outcome: Outcome) -> Option<String> {
        let end = Box::new(end(&self.plan.trials[trial], trial, outcome));
        self.at(now, Event::TrialFinished { trial, end })
    }
}

#[test]
fn the_live_view_shows_what_runs_in_which_stage_and_how_long_the_rest_takes() {
    let mut show = Show::new(vec![]);
    show.at(0.0, Event::ImageStarted { task: "ledger-1".into() });
    show.at(1.0, Event::ImageOutput { task: "ledger-1".into(), line: "Step 2/4 : COPY \u{1b}[2J".into() });
    insta::assert_snapshot!(lines(&show.state, 80, 2.0).join("\n"), @r"
    [0/6] passes 0/0, ungraded 0, faults 0
      image of ledger-1  2s  Step 2/4 : COPY \u{1b}[2J
    ");
    show.at(
        2.0,
        Event::ImageReady {
            task: "ledger-1".into(),
            image: "seatrial/x".into(),
            id: "1d".into(),
            base: None,
            built: true,
            seconds: 2.0,
        },
    );
    for trial in 0..4 {
        show.at(2.0 + trial as f64, Event::TrialStarted { trial, retry: 0 });
        show.at(2.5 + trial as f64, Event::TrialStage { trial, stage: Stage::Agent });
    }
    show.finish(12.0, 0, scored(1.0));
    show.finish(12.0, 1, fault("no engine"));
    show.finish(12.0, 2, ungraded("no words"));
    show.at(12.0, Event::TrialStage { trial: 3, stage: Stage::Judge });
    insta::assert_snapshot!(lines(&show.state, 80, 12.0).join("\n"), @r"
    [3/6] passes 1/1 (100%), ungraded 1, faults 1, about 10s left
      ledger-2 attempt 2/3  judge  7s
    ");
    assert!(lines(&show.state, 30, 12.0).iter().all(|line| line.chars().count() <= 30));
    show.at(12.0, Event::Interrupted);
    assert!(lines(&show.state, 80, 12.0)[0].ends_with("stopping: nothing new starts"));
}

#[test]
fn without_a_terminal_each_trial_that_ends_is_one_line() {
    let mut show = Show::new(vec![0, 1]);
    show.at(0.0, Event::TrialStarted { trial: 2, retry: 0 });
    let went_wrong = Fault::new(Stage::Network, "reset by \u{1b}peer\n  | a log");
    let retry = show.at(1.0, Event::TrialRetry { trial: 2, fault: went_wrong, wait: 1.0 });
    assert_eq!(
        retry.as_deref(),
        Some(r"ledger-1 attempt 2/3 fault in network, starts again in 1s: reset by \u{1b}peer")
    );
    let scored = show.finish(2.0, 2, scored(1.0));
    assert_eq!(scored.as_deref(), Some("ledger-1 attempt 2/3 scored 1.0 1.5s [3/6]"));
    let ungraded = show.finish(3.0, 3, ungraded("no words"));
    assert_eq!(ungraded.as_deref(), Some("ledger-2 attempt 2/3 ungraded 1.8s [4/6]: no words"));
    let fault = show.finish(3.0, 4, fault("no engine"));
    assert_eq!(fault.as_deref(), Some("ledger-1 attempt 3/3 fault 2.0s [5/6]: in sandbox: no engine"));
    assert_eq!(show.at(4.0, Event::AgentOutput { trial: 5, text: "noise".into() }), None);
}
