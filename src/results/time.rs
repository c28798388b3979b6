//! Seconds since the Unix epoch as the two kinds of time stamp that Harbor writes. Reads the clock; decides nothing.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Now, in seconds since the Unix epoch.
pub fn now() -> f64 {
    Timestamp::now().as_duration().as_secs_f64()
}

/// UTC with a `Z`, to the microsecond: the stamps of trials.
pub fn utc(seconds: f64) -> String {
    stamp(seconds).to_zoned_datetime(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

/// The machine's local time without a zone, to the microsecond: the stamps of jobs.
pub fn local(seconds: f64) -> String {
    stamp(seconds).to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%dT%H:%M:%S.%6f").to_string()
}

/// A time that no calendar knows becomes the Unix epoch; the exact number stays in the trial's record.
fn stamp(seconds: f64) -> Timestamp {
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stamp_is_utc_to_the_microsecond_and_never_panics() {
        assert_eq!(utc(1_700_000_000.25), "2023-11-14T22:13:20.250000Z");
        assert_eq!(utc(f64::NAN), "1970-01-01T00:00:00.000000Z");
        assert_eq!(utc(f64::INFINITY), "1970-01-01T00:00:00.000000Z");
    }
}
