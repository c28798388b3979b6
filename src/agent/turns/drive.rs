//! The loop itself: ask, run what is called, hand back what it gave, until the answer is in or a limit is reached.

use super::settings::Turns;
use super::tools;
use crate::agent::account::{Ended, ModelRun};
use crate::agent::trajectory::Steps;
use crate::agent::{AgentRun, Failed, Launch};
use crate::model::{Block, Message, Reply, Request, Stop, patience};
use crate::sandbox::{self, Sandbox};
use std::time::{Duration, Instant};

const SYSTEM: &str = "You answer one question about the documents in a container, with the tools given. Look things up; \
                      do not guess what the documents can tell. Hand in the answer by calling `finish` exactly once, \
                      also where the task says to write it to a file.";
const NO_CALL: &str = "Call a tool, or hand in your answer with `finish`.";
const GO_ON: &str = "Go on where you stopped.";

/// Runs the loop to its end. What the model does, its limits included, is data in [`AgentRun`].
///
/// # Errors
/// [`Failed`]: the sandbox's engine or the model's provider.
pub async fn drive(
    turns: &Turns,
    sandbox: &mut Sandbox,
    launch: &Launch<'_>,
    on_text: &mut (dyn FnMut(String) + Send),
) -> Result<AgentRun, Failed> {
    let began = Instant::now();
    let mut agent_run = AgentRun { exit_code: Some(0), ..AgentRun::default() };
    let mut run = ModelRun::default();
    let mut steps = Steps::new();
    steps.said("system", SYSTEM);
    steps.said("user", launch.instruction);
    let mut request = Request {
        system: Some(SYSTEM.to_owned()),
        messages: vec![Message::user(launch.instruction)],
        tools: tools::all(),
        max_tokens: turns.settings.max_tokens,
        temperature: turns.settings.temperature,
        effort: turns.settings.effort.clone(),
        cache_first: turns.settings.cache,
        stream: true,
        ..Request::default()
    };
    // What a provider's trouble took is not the agent's time.
    let left = |run: &ModelRun| {
        let waited = Duration::from_secs_f64(run.waited_seconds);
        launch.timeout.map(|limit| (limit + waited).saturating_sub(began.elapsed()))
    };
    let ended = loop {
        if let Some(limit) = run.limit(turns.caps) {
            break Ok(limit);
        }
        if let Some(why) = launch.purse.job.over() {
            return Err(Failed::Spent(why));
        }
        if let Some(failure) = run.unsaid(&turns.client, turns.caps, launch.purse.job.is_capped()) {
            break Err(failure);
        }
        launch.purse.owe();
        let reply = match turns.client.ask_within(&request, left(&run), patience(launch.timeout)).await {
            Ok(None) => break Ok(run.out_of_time()),
            Ok(Some(reply)) => reply,
            Err(failure) => break run.own_end(&failure, launch.purse).ok_or(failure),
        };
        let cost = run.count(&turns.client, &turns.prices, &reply);
        launch.purse.pay(cost.unwrap_or(0.0));
        if cost.is_some() && reply.untold == 0 {
            launch.purse.settle();
        }
        on_text(said(&reply));
        // A turn of nothing can't be sent back.
        if !reply.blocks.is_empty() {
            request.messages.push(reply.message());
        }
        let ends = match &reply.stop {
            Stop::Refusal { category } => Some(Ended::Refused(category.clone())),
            Stop::ContextExceeded => Some(Ended::ContextExceeded),
            _ => None,
        };
        if let Some(end) = ends {
            steps.replied(&reply, cost, &[]);
            break Ok(end);
        }
        let (mut results, mut finished) = (Vec::new(), false);
        let tools_began = Instant::now();
        for (id, name, input) in reply.calls() {
            run.tool_calls += 1;
            let result = tools::call(sandbox, launch, &turns.settings, left(&run), name, input).await;
            let result = match result {
                Ok(result) => result,
                Err(sandbox::Error::OutOfMemory { .. }) => {
                    agent_run.out_of_memory = true;
                    break;
                }
                Err(sandbox::Error::Spoiled(why)) => {
                    agent_run.spoiled = Some(why);
                    break;
                }
                Err(error) => return Err(Failed::Sandbox(error)),
            };
            on_text(format!("[{name} {input}]\n{}\n", result.text));
            finished |= result.finished;
            results.push(Block::ToolResult { id: id.to_owned(), text: result.text, is_error: result.is_error });
        }
        run.tool_seconds += tools_began.elapsed().as_secs_f64();
        steps.replied(&reply, cost, &results);
        if finished || agent_run.out_of_memory || agent_run.spoiled.is_some() {
            request.messages.push(Message::results(results));
            break Ok(if finished { Ended::Finished } else { Ended::SandboxGone });
        }
        if !results.is_empty() {
            request.messages.push(Message::results(results));
            continue;
        }
        let nudge = match reply.stop {
            // Sent again as it is, it goes on.
            Stop::PauseTurn | Stop::Compaction => continue,
            Stop::MaxTokens => GO_ON,
            _ => NO_CALL,
        };
        steps.said("user", nudge);
        request.messages.push(Message::user(nudge));
    };
    let failure = run.end(ended);
    agent_run.timed_out = run.ended == Ended::OutOfTime;
    agent_run.not_handed_in = run.ended != Ended::Finished;
    agent_run.seconds = began.elapsed().as_secs_f64();
    agent_run.conversation = Some(Box::new(steps.finish("loop", &turns.client, &run, &request.messages)));
    agent_run.model = Some(run);
    match failure {
        None => Ok(agent_run),
        Some(failure) => Err(Failed::Provider { failure, run: Box::new(agent_run) }),
    }
}

fn said(reply: &Reply) -> String {
    let text = reply.text();
    if text.is_empty() { text } else { format!("{text}\n") }
}
