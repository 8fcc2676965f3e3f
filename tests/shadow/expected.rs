//! The lines of the simulated run.

use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::LONGEST_WAIT;
use retrylab_sim::{Event, NoBuiltIn, Record, play};
use retrylab_source::Status;
use retrylab_spec::Timeline;

use crate::lines::{self, line};

/// What a source has to tell and do.
pub(crate) fn expected(timeline: &Timeline, seed: u64) -> Result<Vec<String>, NoBuiltIn> {
    let mut expected = Expected { lines: Vec::new(), wait: None, status: Status::new(Instant::ZERO) };
    play(timeline, seed)?.for_each(|record| expected.push(&record));
    Ok(expected.lines)
}

struct Expected {
    lines: Vec<String>,
    /// The wait that begins when what was recorded is also logged and reported: its time, attempt and length.
    wait: Option<(u64, u64, Duration)>,
    status: Status,
}

impl Expected {
    fn push(&mut self, record: &Record) {
        let is_of_the_same_input = self.wait.is_none_or(|(_, attempt, _)| attempt == record.attempt);
        if !(record.event.is_aside() && is_of_the_same_input) {
            self.begin_wait();
        }
        let what = match record.event {
            // It is also a line of the log.
            Event::Warning(_) | Event::Opened => return,
            Event::Connected => lines::CONNECTED.to_owned(),
            Event::Message | Event::Patch => lines::SUCCESS.to_owned(),
            Event::Ok | Event::NotModified => {
                self.will_wait(record);
                lines::SUCCESS.to_owned()
            }
            Event::Failure { cause, kind } => {
                let delay = self.will_wait(record);
                lines::failure(cause, kind, delay)
            }
            Event::Stop => lines::STOP.to_owned(),
            Event::Status { state, error } => {
                let since = if state == self.status.state { self.status.since } else { clock(record) };
                self.status = Status { state, since, error: error.or(self.status.error) };
                lines::status(&self.status)
            }
            Event::Log { level, message } => lines::log(level, message),
            Event::End(reason) => {
                assert!(!reason.is_limit(), "{reason}");
                return self.lines.push(lines::attempts(record.attempt));
            }
            event @ (Event::Silent
            | Event::Refused
            | Event::GaveUp { .. }
            | Event::Step(_)
            | Event::Suspend(_)
            | Event::WallStep(_)) => {
                unreachable!("{event} in a file that is left out")
            }
        };
        self.lines.push(line(record.clock_ns, record.attempt, &what));
    }

    fn will_wait(&mut self, record: &Record) -> Duration {
        let delay = Duration::from_nanos(record.wait_ns().expect("a delay after an outcome"));
        let now = clock(record);
        // What the clock cannot count cannot be waited, and no sleeper is asked for more than the longest wait at once.
        let wait = (now + delay).since(now).min(LONGEST_WAIT);
        self.wait = Some((record.clock_ns, record.attempt, wait));
        delay
    }

    fn begin_wait(&mut self) {
        if let Some((now, attempt, wait)) = self.wait.take() {
            self.lines.push(line(now, attempt, &lines::waits(wait)));
        }
    }
}

const fn clock(record: &Record) -> Instant {
    Instant::from_nanos(record.clock_ns)
}
