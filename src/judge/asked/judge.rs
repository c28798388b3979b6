//! A judge that asks models: one prompt, so many votes, each with so many tries, one verdict.
//!
//! The written policy for trouble: what the provider's side does wrong is tried again by the client (`model/`). A reply
//! that can't be read is asked for again, [`TRIES`] times in all. A server that refuses the request with its schema is
//! asked without. After that there is no verdict, and all that was said is kept.

use super::form::{Form, Read};
use super::prompt::{Prompt, rule};
use super::votes::together;
use crate::judge::settings::{Asked, Parameters, Settings, usual_temperature};
use crate::judge::{Error, JudgeError, Judgment, Matter, RawReply, Spent, Trouble, Verdict};
use crate::model::{
    self, Class, Client, Endpoint, Failure, Message, Prices, Reply, Request, Retry, Schema, Stop, Transport, Usage,
};
use sha2::{Digest, Sha256};

/// How often one vote is asked for until it can be read.
const TRIES: u32 = 3;

/// How much of one reply is read, in bytes: many times what a verdict takes.
const BODY_CAP: usize = 4 << 20;

/// A judge that asks models.
#[derive(Debug)]
pub struct Asking {
    form: Form,
    settings: Settings,
    voters: Vec<Voter>,
    prices: Prices,
}

#[derive(Debug)]
struct Voter {
    model: String,
    temperature: f64,
    client: Client,
}

impl Asking {
    /// A judge of that form. `env` looks up a variable, for keys and servers.
    ///
    /// # Errors
    /// [`Error::NoModel`] where no model is named, [`Error::Model`] where one can't be asked.
    pub fn new(
        form: Form,
        settings: Settings,
        env: &dyn Fn(&str) -> Option<String>,
        transport: &Transport,
        prices: Prices,
    ) -> Result<Asking, Error> {
        if settings.models.is_empty() {
            return Err(Error::NoModel { judge: form.name() });
        }
        let variable = |name: &str| match &settings.base_url {
            Some(url) if name.ends_with("_BASE_URL") => Some(url.clone()),
            _ => env(name),
        };
        let client = model::Settings {
            retry: Retry { max_retries: settings.max_retries, ..Retry::default() },
            silence: settings.timeout,
            whole: settings.timeout,
            body_cap: BODY_CAP,
        };
        let voters = settings.models.iter().map(|model| {
            let endpoint = Endpoint::from_env(model, &variable)?;
            let temperature = settings.temperature.unwrap_or_else(|| usual_temperature(model));
            Ok(Voter { model: model.clone(), temperature, client: Client::new(endpoint, transport.clone(), client) })
        });
        let voters = voters.collect::<Result<Vec<_>, model::Error>>().map_err(Error::Model)?;
        Ok(Asking { form, settings, voters, prices })
    }

    /// How it asks.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The judge's name.
    pub fn name(&self) -> &'static str {
        self.form.name()
    }

    /// What a task with this rubric lacks, in words.
    pub fn lacks(&self, rubric: Option<&str>) -> Option<String> {
        self.form.template(rubric).err()
    }

    /// What its verdicts depend on.
    pub fn parameters(&self) -> Parameters {
        let asked = |voter: &Voter| Asked {
            model: voter.model.clone(),
            base_url: voter.client.endpoint().base_url.clone(),
            temperature: voter.temperature,
        };
        let rule = rule(self.settings.boundary);
        let words = Sha256::digest(format!("{}\0{:?}\0{rule}", self.form.words(), self.form.schema()));
        Parameters {
            models: self.voters.iter().map(asked).collect(),
            max_tokens: self.settings.max_tokens,
            effort: self.settings.effort.clone(),
            votes: self.settings.votes,
            timeout_sec: self.settings.timeout.as_secs_f64(),
            boundary: self.settings.boundary,
            words: words.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// Judges one answer.
    pub async fn decide(&self, matter: Matter<'_>) -> Judgment {
        if matter.answer.trim().is_empty() {
            let read = vec![(String::new(), self.form.empty(matter))];
            return self.verdict(read).into();
        }
        let prompt = match self.form.prompt(matter, self.settings.boundary) {
            Ok(prompt) => prompt,
            Err(why) => return Err(JudgeError::lasting(format!("`{}` can't be judged: {why}", matter.task))).into(),
        };
        let mut told = Told { spent: Spent::default(), replies: Vec::new() };
        let mut reads = Vec::new();
        let mut failed = None;
        'votes: for round in 0..self.settings.votes.max(1) {
            for (place, voter) in self.voters.iter().enumerate() {
                let vote = round * self.voters.len() as u32 + place as u32 + 1;
                match self.vote(voter, vote, &prompt, matter, &mut told).await {
                    Ok(read) => reads.push((voter.model.clone(), read)),
                    Err(error) => {
                        failed = Some(error);
                        break 'votes;
                    }
                }
            }
        }
        // A verdict of fewer votes than were asked for would be another judge's.
        let result = match failed {
            Some(error) => Err(error),
            None => self.verdict(reads).map(|verdict| Verdict {
                cut_bytes: prompt.cut_bytes,
                marked: Some(prompt.marked),
                ..verdict
            }),
        };
        Judgment { result, spent: told.spent, replies: told.replies }
    }

    fn verdict(&self, reads: Vec<(String, Read)>) -> Result<Verdict, JudgeError> {
        together(self.form.name(), reads).ok_or_else(|| JudgeError::lasting("the judge has no vote"))
    }

    async fn vote(
        &self,
        voter: &Voter,
        vote: u32,
        prompt: &Prompt,
        matter: Matter<'_>,
        told: &mut Told,
    ) -> Result<Read, JudgeError> {
        let mut schema = self.form.schema();
        let mut trouble = String::new();
        for attempt in 1..=TRIES {
            let request = Request {
                messages: vec![Message::user(&prompt.text)],
                max_tokens: self.settings.max_tokens,
                temperature: Some(voter.temperature),
                effort: self.settings.effort.clone(),
                schema: schema.clone().map(|schema| Schema { name: "verdict".to_owned(), schema }),
                ..Request::default()
            };
            trouble = match voter.client.ask(&request).await {
                Ok(reply) => {
                    let read = self.read(&reply, matter);
                    told.reply(voter, (vote, attempt), &reply, read.as_ref().err(), &self.prices);
                    match read {
                        Ok(read) => return Ok(read),
                        Err(why) => why,
                    }
                }
                Err(failure) => {
                    told.failure(voter, (vote, attempt), &failure, &self.prices);
                    match failure.class {
                        Class::BadReply => failure.to_string(),
                        Class::BadRequest if schema.is_some() => {
                            schema = None;
                            failure.to_string()
                        }
                        _ => return Err(for_good(voter, &failure)),
                    }
                }
            };
        }
        Err(JudgeError::passing(format!(
            "the words of judge model `{}` could not be read in {TRIES} tries: {trouble}",
            voter.model
        )))
    }

    fn read(&self, reply: &Reply, matter: Matter<'_>) -> Result<Read, String> {
        match &reply.stop {
            Stop::MaxTokens => Err(format!("it did not end within {} tokens", self.settings.max_tokens)),
            Stop::Refusal { category } => {
                Err(format!("it refused{}", category.as_ref().map(|c| format!(" ({c})")).unwrap_or_default()))
            }
            _ => self.form.read(&reply.text(), matter),
        }
    }
}

/// What a failure that the client gave up on means for the judgment.
fn for_good(voter: &Voter, failure: &Failure) -> JudgeError {
    let (variable, ..) = voter.client.endpoint().api.variables();
    let (trouble, what) = match failure.class {
        Class::Authentication => (Trouble::Refused, format!("; the key is in `{variable}`")),
        Class::Billing => (Trouble::Refused, format!("; the account is that of `{variable}`")),
        Class::NotFound | Class::Forbidden => (Trouble::Refused, String::new()),
        Class::BadRequest | Class::ContextExceeded | Class::Refused => (Trouble::Lasting, String::new()),
        _ => (Trouble::Passing, String::new()),
    };
    JudgeError { message: format!("judge model `{}`: {failure}{what}", voter.model), trouble }
}

/// What was said and spent so far.
struct Told {
    spent: Spent,
    replies: Vec<RawReply>,
}

impl Told {
    fn reply(
        &mut self,
        voter: &Voter,
        (vote, attempt): (u32, u32),
        reply: &Reply,
        why: Option<&String>,
        prices: &Prices,
    ) {
        let price = |usage: &Usage| prices.cost(&voter.client.endpoint().model, usage);
        self.spent += Spent {
            requests: u64::from(reply.retries) + 1,
            input_tokens: reply.usage.as_ref().map_or(0, Usage::prompt),
            output_tokens: reply.usage.as_ref().map_or(0, |usage| usage.output),
            // What an answer that came to nothing before this one had used nobody said.
            cost_usd: reply.usage.as_ref().filter(|_| reply.untold == 0).and_then(price),
        };
        let effective = reply.effective.clone().into();
        let text = if reply.text().is_empty() { reply.raw.to_string() } else { reply.text() };
        self.replies.push(RawReply::new(&voter.model, (vote, attempt), &text, why.cloned()).with(effective));
    }

    fn failure(&mut self, voter: &Voter, (vote, attempt): (u32, u32), failure: &Failure, prices: &Prices) {
        self.spent += Spent {
            requests: u64::from(failure.attempts),
            // A refusal or an error costs nothing. An answer that did not come to its end, or can't be read, may have cost
            // what a good one does, and nobody said how much. Where a price is unknown no sum is known.
            cost_usd: prices.cost(&voter.client.endpoint().model, &Usage::default()).filter(|_| failure.untold == 0),
            ..Spent::default()
        };
        let trouble = Some(failure.to_string());
        self.replies.push(RawReply::new(&voter.model, (vote, attempt), &failure.body_head, trouble));
    }
}
