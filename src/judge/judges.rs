//! The judges there are, behind one verb. Which one decides is fixed for a whole job.

use super::asked::{Asking, Form};
use super::scripted::Script;
use super::{Error, JudgeError, Judgment, Key, Matter, Parameters, Settings, Verdict, rules};
use crate::model::{self, Prices, Transport};
use crate::task::Case;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The judge that is taken where nothing else is said.
const RULES: &str = "rules";

/// Each task's own script.
const BY_SCRIPT: &str = "script";

/// How long the rules may take over one answer.
const RULES_LIMIT: Duration = Duration::from_secs(60);

/// Who judges.
#[derive(Debug, Clone)]
pub enum Judge {
    /// By rules, offline.
    Rules,
    /// Each task's own `tests/test.sh`, in a container.
    Script,
    /// By asking models.
    Asking(Arc<Asking>),
    /// Plays back a script; for tests of what a judge's failure does.
    Scripted(Arc<Script>),
}

impl Judge {
    /// The judge of that name. `settings` are for judges that ask models, `env` looks up their keys and servers.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::NoModel`], [`Error::NoUse`] and [`Error::Model`].
    pub fn named(
        name: &str,
        settings: Settings,
        env: &dyn Fn(&str) -> Option<String>,
        transport: impl FnOnce() -> Result<Transport, model::Error>,
        prices: Prices,
    ) -> Result<Judge, Error> {
        match name {
            RULES => return Ok(Judge::Rules),
            BY_SCRIPT => return Ok(Judge::Script),
            _ => {}
        }
        let Some(form) = Form::ALL.into_iter().find(|form| form.name() == name) else {
            let known = [RULES, BY_SCRIPT].into_iter().chain(Form::ALL.map(Form::name)).collect();
            return Err(Error::Unknown { name: name.to_owned(), known });
        };
        let transport = transport().map_err(Error::Model)?;
        Asking::new(form, settings, env, &transport, prices).map(|asking| Judge::Asking(Arc::new(asking)))
    }

    /// A judge that plays back the script in this file.
    ///
    /// # Errors
    /// [`Error::Script`].
    pub fn scripted(path: &Path) -> Result<Judge, Error> {
        Script::load(path).map(|script| Judge::Scripted(Arc::new(script)))
    }

    /// What its verdicts depend on, where it asks models.
    pub fn parameters(&self) -> Option<Parameters> {
        match self {
            Judge::Asking(asking) => Some(asking.parameters()),
            Judge::Rules | Judge::Script | Judge::Scripted(_) => None,
        }
    }

    /// What a task with this rubric lacks that the judge needs, in words.
    pub fn lacks(&self, rubric: Option<&str>) -> Option<String> {
        match self {
            Judge::Asking(asking) => asking.lacks(rubric),
            Judge::Rules | Judge::Script | Judge::Scripted(_) => None,
        }
    }

    /// True where it judges by a rubric.
    pub fn reads_rubric(&self) -> bool {
        matches!(self, Judge::Asking(asking) if asking.form() == Form::Rubric)
    }

    /// True where its trouble may be over another time.
    pub fn may_recover(&self) -> bool {
        matches!(self, Judge::Asking(_))
    }

    /// Its name, as records have it.
    pub fn name(&self) -> &'static str {
        match self {
            Judge::Rules => RULES,
            Judge::Script => BY_SCRIPT,
            Judge::Asking(asking) => asking.name(),
            Judge::Scripted(_) => "scripted",
        }
    }

    /// Judges one answer. Where the judge can't decide, the judgment says so, which is no statement about the answer.
    pub async fn decide(&self, matter: Matter<'_>) -> Judgment {
        match self {
            Judge::Rules => by_rules(matter).await.into(),
            Judge::Script => Err(JudgeError::lasting("the judge `script` decides in a container")).into(),
            Judge::Asking(asking) => asking.decide(matter).await,
            Judge::Scripted(script) => script.decide(matter.task).into(),
        }
    }
}

/// Decided apart from the threads that serve the engine's streams: whatever an answer makes the rules do, it holds up
/// nothing else.
async fn by_rules(matter: Matter<'_>) -> Result<Verdict, JudgeError> {
    let (case, rivals, answer) = (matter.case.clone(), matter.rivals.to_vec(), matter.answer.to_owned());
    let judge = tokio::task::spawn_blocking(move || Ok(rules::judge(&case.input, &key_of(&case)?, &answer, &rivals)));
    match tokio::time::timeout(RULES_LIMIT, judge).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(JudgeError::lasting(format!("the judge failed: {panic}"))),
        Err(_) => Err(JudgeError::lasting(format!("the judge took longer than {} s", RULES_LIMIT.as_secs()))),
    }
}

/// The key as the task types it (`key` in its `case.json`), else as its text reads.
fn key_of(case: &Case) -> Result<Key, JudgeError> {
    match case.extra.get("key") {
        Some(key) => {
            serde_json::from_value(key.clone()).map_err(|e| JudgeError::lasting(format!("`key` in `case.json`: {e}")))
        }
        None => Ok(Key::infer(&case.input, &case.ground_truth)),
    }
}
