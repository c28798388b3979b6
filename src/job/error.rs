//! Why a job can't begin; everything that is wrong, at once, before anything is built.

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Tasks that can't be run as asked, each with the reason.
    #[error("{} can't be run as asked:{}", count(.0), lines(.0))]
    Tasks(Vec<(String, String)>),
}

fn count(tasks: &[(String, String)]) -> String {
    let mut names: Vec<&str> = tasks.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    if names.len() == 1 { "1 task".to_owned() } else { format!("{} tasks", names.len()) }
}

/// The reasons, each once, with the tasks that have it.
fn lines(tasks: &[(String, String)]) -> String {
    const SHOWN: usize = 3;
    let mut text = String::new();
    let mut seen: Vec<&str> = Vec::new();
    for (_, why) in tasks {
        if seen.contains(&why.as_str()) {
            continue;
        }
        seen.push(why);
        let names: Vec<String> = tasks.iter().filter(|(_, w)| w == why).map(|(name, _)| format!("`{name}`")).collect();
        let mut who = names[..names.len().min(SHOWN)].join(", ");
        if names.len() > SHOWN {
            who.push_str(&format!(" and {} more", names.len() - SHOWN));
        }
        text.push_str(&format!("\n  {who}: {why}"));
    }
    text
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        let Error::Tasks(tasks) = self;
        tasks.iter().any(|(_, why)| why.contains("asks for more")).then(|| {
            "a run may ask for less network than its tasks allow; `--allow-agent-host HOST` adds a host to what they \
             allow"
                .to_owned()
        })
    }
}
