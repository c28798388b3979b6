//! What one stream has done so far: where it went, how much it moved, when it last moved anything.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The counters of one stream.
pub(super) struct Meter {
    started: Instant,
    /// When something last moved, in milliseconds since `started`.
    last: AtomicU64,
    up: AtomicU64,
    down: AtomicU64,
    address: Mutex<Option<SocketAddr>>,
}

/// Which way bytes go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// From the agent.
    Up,
    /// To the agent.
    Down,
}

impl Meter {
    pub(super) fn new() -> Meter {
        Meter {
            started: Instant::now(),
            last: AtomicU64::new(0),
            up: AtomicU64::new(0),
            down: AtomicU64::new(0),
            address: Mutex::new(None),
        }
    }

    /// Counts bytes that move now.
    pub(super) fn count(&self, way: Way, bytes: u64) {
        let counter = match way {
            Way::Up => &self.up,
            Way::Down => &self.down,
        };
        counter.fetch_add(bytes, Ordering::Relaxed);
        self.touch();
    }

    /// Says that something moves now.
    pub(super) fn touch(&self) {
        self.last.store(millis(self.started.elapsed()), Ordering::Relaxed);
    }

    /// Returns once nothing has moved for so long.
    pub(super) async fn idle(&self, longest: Duration) {
        loop {
            let until = self.started + Duration::from_millis(self.last.load(Ordering::Relaxed)) + longest;
            if Instant::now() >= until {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }

    /// Bytes up, bytes down.
    pub(super) fn moved(&self) -> (u64, u64) {
        (self.up.load(Ordering::Relaxed), self.down.load(Ordering::Relaxed))
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Says which address is dialled now.
    pub(super) fn dials(&self, address: SocketAddr) {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
    }

    /// The address that was dialled last.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
