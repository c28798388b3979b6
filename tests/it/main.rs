//! All tests that drive the real binary or cross rooms, in one test binary. Each `mod` line says what belongs there.

/// The scratch-directory builder.
mod support;

/// The sandbox contract on Docker: what an agent can do in one, and what it can't.
mod sandbox;
mod select;

/// `calibrate`: measured difficulty.
mod calibrate;

/// `calibrate`: what a judge does to tiers.
mod calibrate_judge;

/// `run --calibrate`: rounds of trials.
mod calibrating_job;
/// `doctor --network`: every attack on the closed network, on a real engine.
mod doctor_network;

/// Estimators against reference numbers.
mod estimators;

/// curl, Python and Node in a sandbox, against a server of HTTP/1.1 and HTTP/2 over TLS.
mod real_programs;
mod real_server;

/// `lint`: what is wrong with task folders.
mod lint;

/// `stamp`: measured tiers in task files.
mod slips;
mod stamp;

/// Job files: what they can say, what wins over them, what is kept of them.
mod job_file;

/// Tasks as the library hands them on: typed values, defaults, digests.
mod task;

/// Job directories made by the real store, for the tests below.
mod job_fixture;

/// What a job leaves on disk, and resuming from it.
mod ledger;

/// The live view.
mod live;

/// Classes of failure: named, counted and placed.
mod failures;

/// `seatrial report`, and the numbers in it.
mod report;

/// What reports say of the network.
mod report_network;

/// How wide tables are, and that no name in one is cut.
mod tables;

/// `seatrial report --format html`, in a browser too.
mod html;

/// `seatrial compare`, and the statistics of pairs.
mod compare;

/// A small vendor directory to make tasks from.
mod mini;

/// Tasks written from a suite's questions.
mod forge;
mod generate;

/// What calibrating comes to on drawn suites.
mod simulation;

/// Vendor directories that can't be used, and what is said about them.
mod vendor;

/// What is git-ignored in a dataset, restored and checked.
mod populate;

/// A user's own documents and questions become a suite.
mod init;

/// The verifier that Harbor runs in a task: test.sh and judge.py.
mod verifier;

/// The shipped suite: its records, and every key by SQL.
mod keys;

/// Records of a corpus, read strictly and written byte for byte.
mod records;

/// The plan language, evaluated twice.
mod overheard;
mod plans;

/// The audit of answer keys.
mod audit;

/// What is made of the audit: warnings before a job, verdicts in its report, stamps in its tasks.
mod audit_use;

/// The real Context-Bench corpus and its published tasks.
mod contextbench;

/// The audit of Context-Bench's keys, against what reading them by hand gave.
mod audit_contextbench;

/// The `rules` judge: labelled cases and the verb that measures it.
mod judge;
/// Judges that ask models, against a server on this machine: faults, votes, outages, injected text.
mod judge_bed;
mod judge_faults;
/// The `rules` judge: what holds for any question, and for any text.
mod judge_forms;
mod judge_hostile;
mod judge_injection;
mod judge_kept;
/// Judges measured, and a job's answers judged again, by models and scripts.
mod judge_measured;
mod judge_models;
/// Judges that ask models: what they cost, and how one that is down is tried out.
mod judge_outage;
mod judge_properties;

/// The judge `script`, on a real Docker engine.
mod script_judge;

/// `seatrial judge`: stored answers, judged again.
mod judge_again;

/// A provider on this machine, for every test that asks a model.
mod model_server;

/// The model client: formats, streams, kinds of trouble.
mod model;

/// Replies that say little, or in newer ways: usage that is unknown, tools of other kinds, several answers in one.
mod model_replies;

/// What is recorded of models and played back: whose failure it is then, whose money, and what differs.
mod played_back;

/// The recording that ships with the project, and the stand-in for a model that it was made with.
mod shipped_recording;
mod stand_in;

/// The formats, as the providers' own packages speak them.
mod model_speakers;

/// The agent `loop`, its record and its recordings.
mod model_agent;

/// The agent `messages-search`: its requests, its ends, and where it may not run.
mod search_agent;
/// What is easily got wrong about the interface that it speaks.
mod search_traps;

/// The project's own shape: imports, sizes, words, documents.
mod tidy;

/// The tutorial in README.md, typed as it stands there.
mod readme;

/// Tiny suites for whole jobs, and what a job has left.
mod tiny;

/// Whole jobs on the fake engine: outcomes, retries, resuming, settings.
mod job;

/// Jobs that are stopped: Ctrl-C, a second runner, kill -9.
mod stop;

/// The model relay with such a provider.
mod relay;

/// Whole jobs on a real Docker engine.
mod docker_job;

/// Harbor's trajectory format, field by field.
mod trajectory;

/// Work beside the best that is known.
mod efficiency;

/// Tasks chosen by types of questions and tags.
mod categories;

/// Agents that ask models, in closed containers of a real Docker engine.
mod installed;

/// What they say to their models, recorded and played back.
mod relay_recording;
mod relay_wrong;

/// The frames between runner and supervisor.
mod wire;

/// A sandbox's stream that breaks its rules.
mod mux;

/// The supervisor's resolver.
mod resolver;

/// The closed network: what listed hosts are reached, and that nothing else is.
mod closed_network;

/// Allowlists: what an entry permits, and what only looks like it.
mod network_policy;

/// A trial's network with real servers on loopback.
mod egress_bed;

/// What an agent says on an allowed stream, and for which host.
mod egress_hosts;

/// Streams through the egress server: what gets through, to which address, with which evidence.
mod egress;

/// How such streams end: time, caps, phases, their trial's end.
mod egress_limits;

/// What every engine owes, fake and Docker alike.
mod contract;

/// A Docker engine that does what a test says.
mod fake_daemon;

/// What a job makes of an engine that fails.
mod engine_faults;

/// A Docker engine of our own that is killed while a job runs on it.
mod prices;
mod private_engine;
