//! The HTML page of a report: it holds every trial, nothing in it acts, and a browser shows it. With Chromium.

use crate::job_fixture::{config, end, fault, handle, job_of, no_answer, scored, ungraded, verdict};
use crate::support::{Suite, chromium, project};
use seatrial::answer;
use seatrial::event::{Event, NetworkUse, Outcome, Stage};
use seatrial::model::ModelUse;
use seatrial::network::{Attempt, Decision, End, Reason, Request};
use seatrial::results::{JobRecord, Store};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

const ATTACK: &str = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\
    \u{1b}[31mred\u{1b}[0m \u{202e}txet\u{202c} & </pre></details> \u{200b}end";

/// A job of two agents in which all kinds of things happened.
fn rich(name: &str, tasks: usize, attempts: u32) -> JobRecord {
    let names: Vec<String> = (0..tasks).map(|i| format!("ledger-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut job = job_of(name, &names, &[("loop", Some("model-x")), ("command", None)], attempts);
    for (i, task) in job.tasks.iter_mut().enumerate() {
        task.question_type = Some(["lookup", "comparison_tiebreak", "negation"][i % 3].into());
        task.difficulty = Some(["easy", "hard"][i % 2].into());
        task.question =
            Some(format!("Who owns the vehicle with licence plate 'AB{i} 071', and since when?\nName one."));
        task.key = Some("Dorothea Merriman".into());
    }
    job.tasks[1].audit = Some("tie".into());
    job
}

fn outcome(i: usize, agent: usize) -> Outcome {
    match (i * 7 + agent * 3) % 23 {
        0 => fault("the engine refused `seatrial/task:abc`: no space left on device"),
        1 => ungraded("the judge said \u{1b}]0;owned\u{7}"),
        2 => no_answer(),
        3 => Outcome::AgentTimeout { verdict: None },
        4 => Outcome::Scored { verdict: verdict(0.5, ATTACK) },
        n if n % 3 == agent % 3 => scored(0.0),
        _ => scored(1.0),
    }
}

fn make_rich(dir: &Path, job: &JobRecord) {
    let mut store = Store::create(dir, job.clone(), config(&job.name)).expect("a job");
    for (trial, planned) in job.trials.iter().enumerate() {
        if trial % 41 == 40 {
            continue;
        }
        handle(&mut store, Event::TrialStarted { trial, retry: 0 });
        handle(&mut store, Event::TrialStage { trial, stage: Stage::Agent });
        let line =
            |n: usize| format!("step {n}: grep -rn 'AB{n} 071' /app/files | head; read people.txt and vehicles.txt\n");
        let text: String = (0..trial % 60 * 6).map(line).collect();
        handle(&mut store, Event::AgentOutput { trial, text: format!("{text}{ATTACK}\n") });
        let mut end = end(planned, trial % 50, outcome(trial, planned.agent_index));
        if trial % 5 == 0 && end.answer.is_some() {
            end.answer = Some(answer::decode(ATTACK.as_bytes().to_vec()));
        }
        if trial % 4 == 0 {
            let attempt = |host: &str, allowed: bool| Attempt {
                at: UNIX_EPOCH,
                phase: "agent".into(),
                host: host.into(),
                port: allowed.then_some(443),
                address: None,
                decision: Decision {
                    allowed,
                    reason: if allowed { Reason::Listed("*.example".into()) } else { Reason::NotListed },
                },
                end: if allowed { End::Closed } else { End::Denied },
                up: 812,
                down: 20480,
                duration: Duration::from_millis(31),
                request: allowed.then(|| Request { path: "/v1/messages?beta=true".into(), status: Some(200) }),
            };
            let long = "a-long-name-of-a-host.in-some-region.api.provider.example";
            let attempts = vec![attempt(long, true), attempt("<b>elsewhere</b>.example", false)];
            handle(&mut store, Event::Network { trial, attempts, unrecorded: 0 });
            end.network = Some(NetworkUse { allowed: 1, denied: 1, ..NetworkUse::default() });
        }
        if planned.agent.model.is_some() {
            end.model = Some(ModelUse { requests: 3, cost_usd: Some(12.345), ..ModelUse::default() });
        }
        handle(&mut store, Event::TrialFinished { trial, end: Box::new(end) });
    }
    handle(&mut store, Event::JobFinished);
}

fn page(trials: (usize, u32)) -> (Suite, JobRecord, String) {
    let suite = Suite::in_memory();
    let job = rich("first-light", trials.0, trials.1);
    make_rich(&suite.join("jobs/first-light"), &job);
    suite.run(&["report", "jobs/first-light", "--format", "html", "-o", "page.html"]).expect_code(0);
    let page = suite.read("page.html");
    (suite, job, page)
}

#[test]
fn the_page_needs_nothing_else_and_is_the_same_each_time() {
    let (suite, job, page) = page((6, 3));
    let again = suite.run(&["report", "jobs/first-light", "--format", "html"]).expect_code(0);
    assert!(page == again.stdout, "the same job gives the same bytes");
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.replace("src=x", "").contains(outside), "`{outside}` asks for something outside of the page");
    }
    for trial in &job.trials {
        assert!(page.contains(&trial.name), "{}", trial.name);
    }
    for expected in
        ["Who owns the vehicle", "Dorothea Merriman", "compared by value", "grep -rn", "api.provider.example:443"]
    {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn what_agents_write_is_shown_and_does_nothing() {
    let (_suite, _, page) = page((6, 3));
    assert!(page.contains("&lt;script&gt;document.title"), "it is shown as text");
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    assert_eq!(page.matches("<img").count(), 0);
    assert!(page.contains("\\u{1b}[31mred") && page.contains("\\u{202e}txet"), "marks are spelt out");
    let harmful =
        |c: char| (c.is_control() && c != '\n' && c != '\t') || ['\u{200b}', '\u{202c}', '\u{202e}'].contains(&c);
    assert_eq!(page.matches(harmful).count(), 0);
}

#[test]
fn a_browser_shows_the_page_and_runs_only_its_own_script() {
    let Some(chromium) = chromium("a_browser_shows_the_page_and_runs_only_its_own_script") else { return };
    let (suite, _, page) = page((12, 3));
    let url = format!("file://{}", suite.join("page.html").display());
    let dom = chromium.run(&suite, &["--dump-dom", &url]);
    assert!(dom.contains("<title>first-light - seatrial</title>"), "nobody else named the page");
    assert!(dom.contains("<th><button>task</button></th>"), "its own script ran, so its digest is the policy's");
    let shots = project().join("target/tmp/pages");
    std::fs::create_dir_all(&shots).expect("a folder for pictures");
    // Pictures can't scroll, so the last ones are of a page that begins with opened trials.
    let begin = page.find("<main>").expect("a body");
    let trials = page.find("<h2>Trials of").expect("trials");
    let opened = format!("{}{}", &page[..begin], page[trials..].replacen("<details class", "<details open class", 4));
    suite.write("opened.html", opened);
    for (name, size, dark, page) in [
        ("wide", "1280,2400", "1", "page"),
        ("wide-dark", "1280,2400", "0", "page"),
        ("phone", "390,2400", "1", "page"),
        ("trials", "1280,2400", "1", "opened"),
        ("trials-phone-dark", "390,2400", "0", "opened"),
    ] {
        let url = url.replace("page.html", &format!("{page}.html"));
        let shot = shots.join(format!("{name}.png"));
        let flags = [
            format!("--screenshot={}", shot.display()),
            format!("--window-size={size}"),
            format!("--blink-settings=preferredColorScheme={dark}"),
        ];
        chromium.run(&suite, &[&flags[0], &flags[1], &flags[2], &url]);
        let bytes = std::fs::read(&shot).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{name}: {} bytes", bytes.len());
    }
}

#[test]
fn every_table_fits_a_laptop_and_nothing_but_tables_is_wider_than_a_phone() {
    let Some(chromium) = chromium("every_table_fits_a_laptop_and_nothing_but_tables_is_wider_than_a_phone") else {
        return;
    };
    let (suite, _, page) = page((12, 3));
    assert!(page.contains(">US dollars</th>"));
    // A script of the test's own measures, which the page's policy wouldn't let run.
    let policy = page.find("<meta http-equiv").expect("a policy");
    let after = policy + page[policy..].find('>').expect("its end") + 1;
    let measure = "<script>document.querySelectorAll('details').forEach(d => d.open = true);\
        const over = [...document.querySelectorAll('.wide')].filter(w => w.scrollWidth > w.clientWidth);\
        const names = over.map(w => w.querySelector('th').textContent + ' ' + w.scrollWidth + '/' + w.clientWidth);\
        const root = document.documentElement, wider = root.scrollWidth - root.clientWidth;\
        document.title = `over: ${names.join(', ')}; page ${wider}`;\
        </script></body>";
    let measured = format!("{}{}", &page[..policy], page[after..].replace("</body>", measure));
    suite.write("measured.html", measured.replace(".task { content-visibility: auto;", ".task {"));
    let url = format!("file://{}", suite.join("measured.html").display());
    let title = |width: u32| {
        let dom = chromium.run(&suite, &["--dump-dom", &format!("--window-size={width},1600"), &url]);
        let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("a title");
        title.to_owned()
    };
    for width in [1300, 1350, 1400] {
        assert_eq!(title(width), "over: ; page 0", "{width} pixels");
    }
    assert!(title(400).ends_with("; page 0"), "tables scroll in their own boxes: {}", title(400));
}

#[test]
fn three_thousand_trials_open_in_less_than_two_seconds() {
    let Some(chromium) = chromium("three_thousand_trials_open_in_less_than_two_seconds") else { return };
    let (suite, job, page) = page((500, 3));
    assert_eq!(job.trials.len(), 3000);
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
    // The best of some: what else a machine does makes a processor slower, and never faster.
    let mut times = Vec::new();
    let fast = (0..6).any(|_| {
        let time = chromium.open_seconds(&suite, "page.html");
        times.push(time);
        time.is_some_and(|time| time < 2.0)
    });
    assert!(fast, "{times:?} seconds of a processor");
    let shot = std::fs::metadata(suite.join("open.png")).expect("a picture").len();
    assert!(shot > 20_000, "{shot} bytes: the page is there");
}

#[test]
fn jobs_over_different_tasks_are_not_compared_unless_the_common_part_is_asked_for() {
    let suite = Suite::in_memory();
    for (name, tasks) in [("a", 3), ("b", 4)] {
        make_rich(&suite.join(&format!("jobs/{name}")), &rich(name, tasks, 2));
    }
    let page = ["report", "jobs/a", "jobs/b", "--format", "html", "-o", "page.html"];
    let why = "1 of their tasks are not the same in all of them (not in job `a`: `ledger-3`); `--common` compares the 3 \
        that are";
    let run = suite.run(&page).expect_code(0);
    assert!(run.stderr.contains(&format!("warning: the jobs are not compared: {why}\n")), "{}", run.stderr);
    let text = suite.read("page.html");
    assert!(text.contains(&format!("<strong>Not compared: </strong>{why}")), "{text}");
    assert!(!text.contains("<h2>Compared by task"), "nothing is compared");
    let run = suite.run(&[&page[..], &["--common"]].concat()).expect_code(0);
    assert!(!run.stderr.contains("not compared"), "{}", run.stderr);
    let text = suite.read("page.html");
    assert!(text.contains("Compared by task over 3 tasks"), "{text}");
    assert!(text.contains("1 task, not the same in all jobs: not in job `a`: `ledger-3`"), "{text}");
}
