//! The one retry policy: what is tried again, and after how long. The rules are those of the providers' own clients.

use std::time::{Duration, SystemTime};

/// How often and how long a request is tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// How many times a request is sent again.
    pub max_retries: u32,
    /// The first wait, doubled with each further one.
    pub first_wait: Duration,
    /// The longest wait of ours.
    pub longest_wait: Duration,
    /// How long one request may wait and fail, all tries together, before it is given up.
    pub total: Duration,
}

impl Default for Retry {
    /// Ten more tries within ten minutes, 0.5 s to 8 s apart.
    fn default() -> Retry {
        Retry {
            max_retries: 10,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            total: Duration::from_secs(600),
        }
    }
}

impl Retry {
    /// Whether an answer with this status may be tried again; the provider's `x-should-retry` decides where it is given.
    pub(super) fn may(status: u16, headers: &[(String, String)]) -> bool {
        match header(headers, "x-should-retry") {
            Some("true") => true,
            Some("false") => false,
            _ => matches!(status, 408 | 409 | 429) || status >= 500,
        }
    }

    /// How long to wait before the try after `retries` earlier ones: as long as the provider asks, else our own wait
    /// with up to a quarter taken off, so that trials don't come back all at once. `chance` is in [0, 1).
    pub(super) fn wait(&self, retries: u32, headers: &[(String, String)], now: SystemTime, chance: f64) -> Duration {
        if let Some(asked) = asked_wait(headers, now) {
            return asked;
        }
        let seconds = self.first_wait.as_secs_f64() * 2f64.powi(i32::try_from(retries).unwrap_or(i32::MAX));
        Duration::from_secs_f64(seconds.min(self.longest_wait.as_secs_f64()) * (1.0 - 0.25 * chance))
    }
}

/// The first value of a header; names are in lower case.
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// What the provider asks for: `retry-after-ms`, else `retry-after` in seconds or as a date.
fn asked_wait(headers: &[(String, String)], now: SystemTime) -> Option<Duration> {
    let number = |name| header(headers, name).and_then(|value| value.parse::<f64>().ok());
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"));
    let seconds = match seconds {
        Some(seconds) => seconds,
        None => {
            let date = jiff::fmt::rfc2822::parse(header(headers, "retry-after")?).ok()?;
            let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
            date.timestamp().as_second() as f64 - now
        }
    };
    // Nobody waits for a day; over that the header is broken.
    (seconds > 0.0 && seconds <= 86_400.0).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_providers_word_on_waiting_comes_first() {
        let retry = Retry::default();
        // Mon, 30 Nov 2026 06:00:00 GMT.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_018_400);
        let ms = |pairs: &[(&str, &str)], n| retry.wait(n, &headers(pairs), now, 0.0).as_millis();
        assert_eq!(ms(&[("retry-after", "9"), ("Retry-After-Ms", "1500.5")], 0), 1500);
        assert_eq!(ms(&[("Retry-After", " 2.5 ")], 0), 2500);
        assert_eq!(ms(&[("retry-after", "Mon, 30 Nov 2026 06:00:07 GMT")], 0), 7000);
        for broken in ["0", "-3", "soon", "NaN", "1e9", "Mon, 30 Nov 2026 05:00:00 GMT"] {
            assert_eq!(ms(&[("retry-after", broken)], 0), 500, "{broken}");
        }
        assert_eq!([0, 1, 3, 4, 400].map(|n| ms(&[], n)), [500, 1000, 4000, 8000, 8000]);
        assert_eq!(retry.wait(4, &[], now, 0.999).as_millis(), 6002);
    }

    #[test]
    fn what_may_be_tried_again_is_what_can_change_by_itself() {
        for (status, may) in [(400, false), (401, false), (403, false), (404, false), (408, true), (409, true)] {
            assert_eq!(Retry::may(status, &[]), may, "{status}");
        }
        for (status, may) in [(413, false), (422, false), (429, true), (500, true), (529, true)] {
            assert_eq!(Retry::may(status, &[]), may, "{status}");
        }
        assert!(Retry::may(400, &headers(&[("x-should-retry", "true")])));
        assert!(!Retry::may(529, &headers(&[("x-should-retry", "false")])));
    }
}
