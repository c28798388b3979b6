//! Answers out of a recording, and nothing else: a request that was never recorded is an error, which shows the nearest
//! one that was. Equal requests get their answers in the order in which they were sent.

use super::exchange::{Asked, Exchange, FORMAT, OLDER};
use super::send::{HttpRequest, HttpResponse, TransportError};
use crate::model::Error;
use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A recording that is played back.
#[derive(Debug, Clone)]
pub struct Replay {
    folder: PathBuf,
    exchanges: Arc<BTreeMap<(String, u32), Exchange>>,
    /// How often each request was asked.
    asked: Arc<Mutex<HashMap<String, usize>>>,
}

impl Replay {
    pub fn new(folder: &Path) -> Result<Replay, Error> {
        let io = |path: &Path, source| Error::Io { verb: "read", path: path.to_owned(), source };
        let mut exchanges = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(|e| io(folder, e))? {
            let path = entry.map_err(|e| io(folder, e))?.path();
            if path.extension().is_none_or(|end| end != "json") {
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(|e| io(&path, e))?;
            let parse = |why: String| Error::Parse { path: path.clone(), why };
            let exchange: Exchange = serde_json::from_str(&text).map_err(|e| parse(e.to_string()))?;
            if ![OLDER, FORMAT].contains(&exchange.format) {
                return Err(parse(format!("it has format {}, and this program reads {FORMAT}", exchange.format)));
            }
            exchanges.insert((exchange.request.key(), exchange.ordinal), exchange);
        }
        if exchanges.is_empty() {
            return Err(Error::NoRecordings { path: folder.to_owned() });
        }
        Ok(Replay { folder: folder.to_owned(), exchanges: Arc::new(exchanges), asked: Arc::default() })
    }

    pub fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let asked = Asked::of(request);
        let key = self.name(&asked, &request.base_url);
        let ordinal = {
            let mut counts = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(key.clone()).or_insert(0);
            *count += 1;
            *count - 1
        };
        // Older recordings lack a number where a request had no answer at all and was sent again.
        let mut alike = self.exchanges.range((key.clone(), 0)..=(key.clone(), u32::MAX));
        let Some((_, exchange)) = alike.nth(ordinal) else {
            return Err(TransportError::NotRecorded(self.missing(&asked, &key, ordinal)));
        };
        let answer = exchange.response.clone();
        let left = TransportError::Left { silent: answer.silent_sec.and_then(|s| Duration::try_from_secs_f64(s).ok()) };
        let broken = |what: &str| TransportError::Connection(format!("{what} when this was recorded"));
        let Some(status) = answer.status else {
            return Err(if answer.cut { broken("nobody answered") } else { left });
        };
        let mut pieces = vec![Ok(Bytes::from(answer.body))];
        if answer.cut {
            pieces.push(Err(broken("the answer ended here")));
        }
        if answer.left {
            pieces.push(Err(left));
        }
        Ok(HttpResponse { status, headers: answer.headers, body: futures_util::stream::iter(pieces).boxed() })
    }

    /// The name under which this request was kept.
    fn name(&self, asked: &Asked, base_url: &str) -> String {
        let (key, older) = (asked.key(), asked.older(base_url).key());
        let is_there = |key: &String| self.exchanges.range((key.clone(), 0)..=(key.clone(), u32::MAX)).next().is_some();
        if is_there(&older) && !is_there(&key) { older } else { key }
    }

    fn missing(&self, asked: &Asked, key: &str, ordinal: usize) -> String {
        let (folder, path) = (self.folder.display(), &asked.path);
        if ordinal > 0 {
            return format!("`{folder}/{key}-{ordinal}.json` is not there: `{path}` was asked this less often");
        }
        // As far into its conversation; then by what it has in common, less what it says beside that.
        let turns = |body: &Value| ["messages", "input"].map(|key| body[key].as_array().map_or(0, Vec::len));
        let near = |exchange: &&Exchange| {
            let recorded = &exchange.request.body;
            let common = 2 * alike(recorded, &asked.body) as i64 - alike(recorded, recorded) as i64;
            (turns(recorded) == turns(&asked.body), common)
        };
        let same_path = |exchange: &&Exchange| exchange.request.path.ends_with(path.as_str());
        let Some(nearest) = self.exchanges.values().filter(same_path).max_by_key(near) else {
            return format!("nothing in `{folder}` was asked of `{path}`");
        };
        let file = format!("{folder}/{}-{}.json", nearest.request.key(), nearest.ordinal);
        let Some(place) = differs(&nearest.request.body, &asked.body, "") else {
            return format!("the nearest is `{file}`, which differs in its headers");
        };
        let at = |body: &Value| body.pointer(&place).map_or("nothing".to_owned(), said);
        let (then, now) = excerpts(&at(&nearest.request.body), &at(&asked.body));
        let place = if place.is_empty() { "/" } else { &place };
        format!("the nearest is `{file}`, which differs at `{place}`: recorded `{then}`, asked `{now}`")
    }
}

/// How much of two values is the same, in bytes.
fn alike(one: &Value, two: &Value) -> usize {
    match (one, two) {
        (Value::Object(a), Value::Object(b)) => {
            a.iter().filter_map(|(key, x)| Some(key.len() + alike(x, b.get(key)?))).sum()
        }
        (Value::Array(a), Value::Array(b)) => a.iter().zip(b).map(|(x, y)| alike(x, y)).sum(),
        (Value::String(a), Value::String(b)) => {
            let begin = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
            let rest = a.len().min(b.len()) - begin;
            begin + a.bytes().rev().zip(b.bytes().rev()).take(rest).take_while(|(x, y)| x == y).count()
        }
        _ => usize::from(one == two),
    }
}

/// Where two values first differ, as a JSON pointer; empty for the whole.
fn differs(one: &Value, two: &Value, at: &str) -> Option<String> {
    match (one, two) {
        (Value::Object(a), Value::Object(b)) => {
            let inside = |key: &String| match (a.get(key), b.get(key)) {
                (Some(x), Some(y)) => differs(x, y, &format!("{at}/{key}")),
                _ => Some(format!("{at}/{key}")),
            };
            a.keys().chain(b.keys()).find_map(inside)
        }
        (Value::Array(a), Value::Array(b)) => {
            let inside = |n: usize| match (a.get(n), b.get(n)) {
                (Some(x), Some(y)) => differs(x, y, &format!("{at}/{n}")),
                _ => Some(format!("{at}/{n}")),
            };
            (0..a.len().max(b.len())).find_map(inside)
        }
        _ if one == two => None,
        _ => Some(at.to_owned()),
    }
}

/// A value as it was said: a text without quotes.
fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Two texts around the place where they first differ, short enough for a message.
fn excerpts(one: &str, two: &str) -> (String, String) {
    const BEFORE: usize = 20;
    const SHOWN: usize = 60;
    let same = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(BEFORE);
    let cut = |text: &str| {
        let begin = if from > 0 { "…" } else { "" };
        let end = if text.chars().count() > from + SHOWN { "…" } else { "" };
        let shown: String = text.chars().skip(from).take(SHOWN).collect();
        format!("{begin}{shown}{end}").replace(char::is_control, " ")
    };
    (cut(one), cut(two))
}
