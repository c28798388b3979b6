//! Answers out of a recording, and nothing else: a request that was never recorded is an error, which shows the nearest
//! one that was. Equal requests get their answers in the order in which they were sent.

use super::exchange::{Asked, Exchange, FORMAT};
use super::send::{HttpRequest, HttpResponse, TransportError};
use crate::model::Error;
use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

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
            if exchange.format != FORMAT {
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
        let key = asked.key();
        let ordinal = {
            let mut counts = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(key.clone()).or_insert(0);
            *count += 1;
            *count - 1
        };
        // A number is missing where a request had no answer at all and was sent again.
        let mut alike = self.exchanges.range((key.clone(), 0)..=(key.clone(), u32::MAX));
        let Some((_, exchange)) = alike.nth(ordinal) else {
            return Err(TransportError::NotRecorded(self.missing(&asked, &key, ordinal)));
        };
        let answer = exchange.response.clone();
        let mut pieces = vec![Ok(Bytes::from(answer.body))];
        if answer.cut {
            pieces.push(Err(TransportError::Connection("the recorded answer ends here".to_owned())));
        }
        let body = futures_util::stream::iter(pieces);
        // Who left then leaves again.
        let body = if answer.left { body.chain(futures_util::stream::pending()).boxed() } else { body.boxed() };
        Ok(HttpResponse { status: answer.status, headers: answer.headers, body })
    }

    fn missing(&self, asked: &Asked, key: &str, ordinal: usize) -> String {
        let (folder, path) = (self.folder.display(), &asked.path);
        if ordinal > 0 {
            return format!("`{folder}/{key}-{ordinal}.json` is not there: `{path}` was asked this less often");
        }
        let text = asked.body.to_string();
        let near = |exchange: &&Exchange| common(&text, &exchange.request.body.to_string());
        let alike = self.exchanges.values().filter(|exchange| exchange.request.path == *path).max_by_key(near);
        let Some(nearest) = alike else { return format!("nothing in `{folder}` was asked of `{path}`") };
        let file = format!("{folder}/{}-{}.json", nearest.request.key(), nearest.ordinal);
        let place = differs(&nearest.request.body, &asked.body, "").unwrap_or_else(|| "its headers".to_owned());
        format!("the nearest is `{file}`, which differs at `{place}`")
    }
}

/// How many bytes two texts have in common at their beginning.
fn common(one: &str, two: &str) -> usize {
    one.bytes().zip(two.bytes()).take_while(|(a, b)| a == b).count()
}

/// Where two values first differ, as a JSON pointer.
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
        _ => Some(if at.is_empty() { "/".to_owned() } else { at.to_owned() }),
    }
}
