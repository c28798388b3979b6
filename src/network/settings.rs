//! This room's settings and their defaults.

use super::Resolve;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How the egress server works, for all trials of a job.
#[derive(Clone)]
pub struct Settings {
    /// The user's own servers: a listed name is dialled at this address, whatever its port, and isn't resolved. The
    /// address may be private or loopback.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// How many streams a trial may have open at once.
    pub streams: usize,
    /// How many streams a trial may begin at once, and after how long one more may begin; further ones wait. A trial that
    /// opens and closes without end would else use up this machine's ports, which other trials need.
    pub burst: u32,
    /// See `burst`.
    pub pace: Duration,
    /// How many bytes a trial may move, up and down together.
    pub bytes: u64,
    /// How long a stream may stay without a byte either way.
    pub idle: Duration,
    /// How long resolving and dialling may take together.
    pub connect: Duration,
    /// How long the beginning of TLS or a request's first line may take to come whole, once a byte of it has come.
    pub opening: Duration,
    /// Who resolves names; `None` is this machine's own settings.
    pub resolver: Option<Arc<dyn Resolve>>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hosts: BTreeMap::new(),
            streams: 128,
            burst: 256,
            pace: Duration::from_millis(10),
            bytes: 8 << 30,
            idle: Duration::from_secs(15 * 60),
            connect: Duration::from_secs(10),
            opening: Duration::from_secs(10),
            resolver: None,
        }
    }
}

impl fmt::Debug for Settings {
    /// All but the resolver, which need not be able to show itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("hosts", &self.hosts)
            .field("streams", &self.streams)
            .field("burst", &self.burst)
            .field("pace", &self.pace)
            .field("bytes", &self.bytes)
            .field("idle", &self.idle)
            .field("connect", &self.connect)
            .field("opening", &self.opening)
            .finish_non_exhaustive()
    }
}
