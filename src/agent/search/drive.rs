//! The run itself: ask, keep what comes, go on as its stop reason says, until the answer is in or a limit is reached.

use super::notes::SearchRun;
use super::said::Said;
use super::settings::Search;
use super::{history, request};
use crate::agent::account::{Ended, ModelRun};
use crate::agent::trajectory::Steps;
use crate::agent::{AgentRun, Failed, Launch};
use crate::model::{Block, Class, Failure, Message, Reply, Request, Stop};
use crate::sandbox::Sandbox;
use std::time::{Duration, Instant};

/// Where the answer is left, as every agent leaves it.
const ANSWER: &str = "/app/answer.txt";

const GO_ON: &str = "Go on where you stopped.";

/// Runs to the end, and leaves the answer in the sandbox. What the model does, its limits included, is data in
/// [`AgentRun`].
///
/// # Errors
/// [`Failed`]: the sandbox's engine or the model's provider.
pub async fn drive(
    search: &Search,
    sandbox: &mut Sandbox,
    launch: &Launch<'_>,
    on_text: &mut (dyn FnMut(String) + Send),
) -> Result<AgentRun, Failed> {
    let began = Instant::now();
    let (settings, client) = (&search.settings, &search.client);
    let (mut run, mut notes, mut said) = (ModelRun::default(), SearchRun::default(), Said::default());
    let question = launch.instruction.trim_end();
    let mut request = request::first(settings, question);
    let mut steps = Steps::new();
    steps.said("user", &request::prompt(settings, question));
    // What is sent may be cut; what is kept is all of it.
    let mut all = request.messages.clone();
    let ended = loop {
        if let Some(limit) = run.limit(search.caps) {
            break Ok(limit);
        }
        if let Some(why) = launch.purse.job.over() {
            return Err(Failed::Spent(why));
        }
        if let Some(failure) = run.unsaid(client, search.caps, launch.purse.job.is_capped()) {
            break Err(failure);
        }
        launch.purse.owe();
        let reply = match ask(search, &mut request, launch.timeout, began, &mut run, &mut notes).await {
            Ok(Some(reply)) => reply,
            Ok(None) => break Ok(run.out_of_time()),
            Err(failure) => break run.own_end(&failure, launch.purse).ok_or(failure),
        };
        let cost = run.count(client, &search.prices, &reply);
        launch.purse.pay(cost.unwrap_or(0.0));
        if cost.is_some() && reply.untold == 0 {
            launch.purse.settle();
        }
        notes.count(&reply);
        steps.replied(&reply, cost, &[]);
        on_text(line(&run, &reply));
        said.add(&reply.text(), reply.stop == Stop::MaxTokens);
        if let Some(id) = &reply.container {
            request.extra.insert("container".to_owned(), id.as_str().into());
        }
        // A turn of nothing can't be sent back.
        if !reply.blocks.is_empty() {
            request.messages.push(reply.message());
            all.push(reply.message());
        }
        notes.history_cuts += u32::from(history::cut(&mut request.messages));
        match &reply.stop {
            Stop::EndTurn => break Ok(Ended::Finished),
            Stop::PauseTurn | Stop::Compaction => notes.pauses += 1,
            // Nothing but its result may follow a call, and that one never comes.
            Stop::MaxTokens if is_calling(&reply.blocks) || notes.continuations >= settings.max_continuations => {
                break Ok(Ended::ReplyCut);
            }
            Stop::MaxTokens => {
                notes.continuations += 1;
                steps.said("user", GO_ON);
                request.messages.push(Message::user(GO_ON));
                all.push(Message::user(GO_ON));
            }
            Stop::Refusal { category } => break Ok(Ended::Refused(category.clone())),
            Stop::ContextExceeded => break Ok(Ended::ContextExceeded),
            Stop::StopSequence | Stop::ToolUse | Stop::Other(_) => break Err(unexpected(search, &reply)),
        }
        if run.waited_seconds > settings.max_wait_sec {
            let why = format!("a run may wait {:.0} s for it in all (`max_wait_sec`)", settings.max_wait_sec);
            let class = reply.got_over.unwrap_or(Class::Overloaded);
            break Err(failed(search, class, why, &reply));
        }
    };
    let failure = run.end(ended);
    // Which versions of the tools were used makes a difference.
    run.effective.extend(request.extra.remove_entry("tools"));
    notes.finish(&mut run);
    notes.no_search &= settings.web_search.is_some() && failure.is_none();
    // A run that was ended has its answer where it gave one; what else it was saying then is none.
    let tagged = said.tagged(&settings.result_tag);
    let finished = run.ended == Ended::Finished;
    notes.result_tag_missing = finished && tagged.is_none();
    if let Some(answer) = tagged.or_else(|| said.last().filter(|_| finished)).filter(|_| failure.is_none()) {
        sandbox.write(ANSWER, 0o644, format!("{answer}\n").as_bytes()).await?;
    }
    run.search = Some(notes);
    let agent_run = AgentRun {
        exit_code: Some(0),
        timed_out: run.ended == Ended::OutOfTime,
        seconds: began.elapsed().as_secs_f64(),
        conversation: Some(Box::new(steps.finish("messages-search", client, &run, &all))),
        model: Some(run),
        ..AgentRun::default()
    };
    match failure {
        None => Ok(agent_run),
        Some(failure) => Err(Failed::Provider { failure, run: Box::new(agent_run) }),
    }
}

/// One turn. Where the provider's container has expired, it is asked for again without it.
async fn ask(
    search: &Search,
    request: &mut Request,
    limit: Option<Duration>,
    began: Instant,
    run: &mut ModelRun,
    notes: &mut SearchRun,
) -> Result<Option<Reply>, Failure> {
    // What a provider's trouble took is not the agent's time.
    let left = |run: &ModelRun| {
        let waited = Duration::from_secs_f64(run.waited_seconds);
        limit.map(|limit| (limit + waited).saturating_sub(began.elapsed()))
    };
    // The provider's tools may run for many minutes in silence: it is to blame where it took half the time and said
    // nothing.
    let hour = Duration::from_secs(3600);
    let patience = limit.map_or(hour, |limit| (limit / 2).min(hour));
    let asked = search.client.ask_within(request, left(run), patience).await;
    match asked {
        Err(failure) if is_of_container(&failure) && request.extra.remove("container").is_some() => {
            notes.container_lost = true;
            run.tried_in_vain(&failure);
            search.client.ask_within(request, left(run), patience).await
        }
        other => other,
    }
}

/// True where the provider does not take the container that a request names. Its status may be that of a model which is
/// not there, so its words decide.
fn is_of_container(failure: &Failure) -> bool {
    matches!(failure.class, Class::BadRequest | Class::NotFound) && failure.message.to_lowercase().contains("container")
}

/// True where a call is still without its result.
fn is_calling(blocks: &[Block]) -> bool {
    let id = |block: &Block| match block {
        Block::ToolCall { id, .. } => Some(id.clone()),
        Block::Other { raw } if raw["type"].as_str().is_some_and(|kind| kind.ends_with("tool_use")) => {
            Some(raw["id"].as_str().unwrap_or_default().to_owned())
        }
        _ => None,
    };
    let answers = |block: &Block, id: &str| matches!(block, Block::Other { raw } if raw["tool_use_id"] == id);
    blocks.iter().filter_map(id).any(|id| !blocks.iter().any(|block| answers(block, &id)))
}

/// Nothing that the model did: it was given no tools of ours and no stop sequence, and an unknown reason can't be judged.
fn unexpected(search: &Search, reply: &Reply) -> Failure {
    let reason = match &reply.stop {
        Stop::StopSequence => "stop_sequence",
        Stop::ToolUse => "tool_use",
        Stop::Other(reason) => reason,
        _ => "",
    };
    failed(search, Class::BadReply, format!("its model stopped with `{reason}`, with which nothing can be done"), reply)
}

fn failed(search: &Search, class: Class, message: String, reply: &Reply) -> Failure {
    Failure {
        class,
        api: search.client.endpoint().api,
        host: search.client.endpoint().host().to_owned(),
        status: None,
        message,
        body_head: String::new(),
        request_id: reply.request_id.clone(),
        attempts: reply.retries + 1,
        untold: reply.untold,
        elapsed: reply.waited + reply.latency,
    }
}

/// What is written of a reply while it runs.
fn line(run: &ModelRun, reply: &Reply) -> String {
    let text = reply.text();
    let gap = if text.is_empty() { "" } else { "\n" };
    format!("{text}{gap}[turn {}: {:?}]\n", run.steps, reply.stop)
}
