//! An async function that retries inside, observed from outside by the times of its attempts.

use core::cell::{Cell, RefCell};
use core::fmt;
use core::future::Future;
use core::task::Poll;
use core::time::Duration;
use std::rc::Rc;

use retrylab_core::{FailureKind, Fault as Cause, GiveUp, nanos};
use retrylab_laws::{Claim, Drawing, Subject, SubjectError};
use retrylab_sim::{self as sim, EndReason, Event, Input, Record, Response};
use retrylab_spec::{Cursor, Entry, Outcome, ServerWait, Shape, Timeline};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::check::Check;

/// Searches for the shortest timeline in which an async function that retries inside violates a law.
///
/// `call` receives an [`Operation`] with scripted failures, and calls it until it succeeds or gives up. It runs under
/// tokio's paused clock, so hours pass at once, and must not wait by another clock. Its waits are derived from the
/// times of its attempts, and compared with bounds, because it cannot receive draws. They may be off by a millisecond,
/// whatever the claim: tokio's timer "operates at millisecond granularity" (`tokio::time::sleep`), and rounds each wait
/// up to the next one.
///
/// The timelines contain only outcomes of attempts: the clock is tokio's, so it has no events, and there are no
/// windows. A given timeline with either is a fault. A function that is polled again and again without passing time, or
/// that drops its attempts without awaiting them, is reported as stuck; one that blocks its thread cannot be ended.
///
/// ```
/// use std::time::Duration;
/// use retrylab_laws::Claim;
/// use retrylab_spec::Shape;
/// use retrylab_testkit::{all, check_async};
///
/// check_async(|operation| async move {
///     for retry in 0..4 {
///         match operation.call().await {
///             Err(error) if error.is_transient() => tokio::time::sleep(Duration::from_secs(1 << retry)).await,
///             other => return other,
///         }
///     }
///     operation.call().await
/// })
/// .claims(Claim::anything(Shape::Call))
/// .laws(all())
/// .run();
/// ```
#[track_caller]
pub fn check_async<F: Future<Output = Result<(), OperationError>>>(
    call: impl Fn(Operation) -> F,
) -> Check<impl Subject> {
    let claim = Claim::anything(Shape::Call).with_drawing(Drawing::Own);
    Check::new(Observed(call), claim).off_by(GRANULARITY_NS).without_clock_events().without_reasons()
}

/// The resolution of tokio's timer: its `TimeSource::deadline_to_tick` adds 999 999 ns, and counts milliseconds.
const GRANULARITY_NS: u64 = 1_000_000;

/// The maximum number of polls in one instant of virtual time.
const MOST_AT_ONCE: u32 = 10_000;

/// An operation with scripted outcomes. Clones are the same operation.
#[derive(Clone, Debug)]
pub struct Operation(Rc<Stage>);

/// The error of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationError {
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The transport fault, if there was none.
    pub fault: Option<Cause>,
    /// The server's `retry_after`, if it sent one.
    pub retry_after: Option<Duration>,
}

impl Operation {
    /// One attempt.
    ///
    /// # Errors
    ///
    /// If the script has a failure. After the script, no attempt ends, and the function is dropped.
    #[expect(clippy::disallowed_methods, reason = "the clock is paused, so this is virtual time")]
    pub async fn call(&self) -> Result<(), OperationError> {
        let Some(entry) = self.0.begin() else {
            self.0.over.notify_one();
            self.0.begin_in_vain();
            return core::future::pending().await;
        };
        let (lasts, outcome) = outcome(&entry);
        if !lasts.is_zero() {
            tokio::time::sleep(lasts).await;
        }
        self.0.end(outcome);
        outcome
    }
}

impl OperationError {
    /// Whether the failure is transient for an idempotent call: a transport fault, or 408, 425, 429, 500, 502, 503 and
    /// 504.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self.kind(), FailureKind::Normal)
    }

    const fn kind(&self) -> FailureKind {
        match (self.status, self.fault) {
            (Some(status), _) => FailureKind::for_call_status(status as i64),
            (None, Some(fault)) => FailureKind::for_call_fault(fault),
            (None, None) => FailureKind::Normal,
        }
    }

    fn cause(&self) -> sim::Cause {
        match (self.status, self.fault) {
            (Some(status), _) => sim::Cause::Status(status),
            (None, fault) => sim::Cause::Fault(fault.unwrap_or(Cause::Timeout)),
        }
    }
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause())
    }
}

impl std::error::Error for OperationError {}

/// An observed function.
struct Observed<F>(F);

impl<F: Future<Output = Result<(), OperationError>>, C: Fn(Operation) -> F> Subject for Observed<C> {
    fn play(&self, timeline: &Timeline, _: u64) -> Result<Vec<Record>, SubjectError> {
        SubjectError::guard(|| observe(&self.0, timeline))?
    }

    /// It takes no inputs outside of a timeline.
    fn respond(&self, _: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        None
    }

    fn can_respond(&self) -> bool {
        false
    }
}

/// The horizon of tokio itself.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 86_400);

#[expect(clippy::disallowed_methods, reason = "the clock is paused, so this is virtual time")]
fn observe<F: Future<Output = Result<(), OperationError>>>(
    call: &impl Fn(Operation) -> F,
    timeline: &Timeline,
) -> Result<Vec<Record>, SubjectError> {
    if !(timeline.clock.is_empty() && timeline.windows.is_empty() && timeline.stop.is_none()) {
        let why = "an async function meets the entries of a script alone, and this timeline has a clock that is changed, a \
                   window, or a stop";
        return Err(SubjectError(why.to_owned()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.map_err(|error| SubjectError(format!("cannot create a runtime: {error}")))?;
    runtime.block_on(async {
        let entries = Cursor::new(&timeline.script).map(|scripted| *scripted.entry).collect();
        let stage = Rc::new(Stage {
            begin: Instant::now(),
            script: RefCell::new(entries),
            seen: RefCell::new(Seen::default()),
            in_vain: Cell::new(0),
            over: Notify::new(),
        });
        loop {
            let attempts = stage.seen.borrow().attempts;
            let result = tokio::select! {
                biased;
                () = stage.over.notified() => break,
                result = tokio::time::timeout(FOR_EVER, watched(call(Operation(Rc::clone(&stage))))) => result,
            };
            let Ok(result) = result else {
                return Err(SubjectError("it never returned, and makes no attempts".to_owned()));
            };
            let result = result?;
            stage.call_ended(result);
            // A function that returns without an attempt would be called without end.
            if stage.script.borrow().is_empty() || stage.seen.borrow().attempts == attempts {
                break;
            }
        }
        Ok(stage.records())
    })
}

/// The function, as long as it lets time pass now and then: virtual time stands still while any task is ready, so one
/// that always is would be polled without end.
#[expect(clippy::disallowed_methods, reason = "the clock is paused, so this is virtual time")]
async fn watched<F: Future>(call: F) -> Result<F::Output, SubjectError> {
    let mut call = core::pin::pin!(call);
    let (mut now, mut polls) = (Instant::now(), 0);
    core::future::poll_fn(|context| {
        let then = Instant::now();
        polls = if then == now { polls + 1 } else { 1 };
        now = then;
        if polls > MOST_AT_ONCE {
            return Poll::Ready(Err(stuck(&format!("it was polled {MOST_AT_ONCE} times without passing time"))));
        }
        call.as_mut().poll(context).map(Ok)
    })
    .await
}

fn stuck(what: &str) -> SubjectError {
    SubjectError(format!("it is stuck, because it continues without waiting: {what}"))
}

/// The state that the operation and its observer share.
#[derive(Debug)]
struct Stage {
    begin: Instant,
    script: RefCell<std::collections::VecDeque<Entry>>,
    seen: RefCell<Seen>,
    /// The number of attempts after the script.
    in_vain: Cell<u32>,
    over: Notify,
}

#[derive(Debug, Default)]
struct Seen {
    records: Vec<Record>,
    attempts: u64,
}

impl Stage {
    /// Begins an attempt: the wait after the last failure is over.
    fn begin(&self) -> Option<Entry> {
        let now = self.now();
        let mut seen = self.seen.borrow_mut();
        if let Some(last) = seen.records.last_mut()
            && last.is_failure()
            && last.wait_ns().is_none()
            && matches!(last.event, Event::Failure { .. })
        {
            *last = last.with_wait_ns(Some(now.saturating_sub(last.time_ns)));
        }
        let entry = self.script.borrow_mut().pop_front()?;
        seen.attempts += 1;
        Some(entry)
    }

    /// Begins an attempt without an end. A function that drops it, and begins the next at once, would do so without end
    /// and without returning to its executor; so it is unwound.
    fn begin_in_vain(&self) {
        self.in_vain.set(self.in_vain.get().saturating_add(1));
        if self.in_vain.get() > MOST_AT_ONCE {
            let what = format!("{MOST_AT_ONCE} attempts were begun and dropped after the end of the script");
            std::panic::resume_unwind(Box::new(stuck(&what)));
        }
    }

    fn end(&self, outcome: Result<(), OperationError>) {
        let event = match outcome {
            Ok(()) => Event::Ok,
            Err(error) => Event::Failure { cause: error.cause(), kind: error.kind() },
        };
        let retry_after_ns = outcome.err().and_then(|error| error.retry_after).map(nanos);
        let record = self.record(event).with_retry_after_ns(retry_after_ns);
        self.seen.borrow_mut().records.push(record);
    }

    /// The function has returned: its last failure, if any, was the last of the call.
    fn call_ended(&self, result: Result<(), OperationError>) {
        let mut seen = self.seen.borrow_mut();
        if let (Err(_), Some(last)) = (result, seen.records.last_mut())
            && let Event::Failure { cause, kind } = last.event
        {
            let why = if kind == FailureKind::Unexpected { GiveUp::Terminal } else { GiveUp::Attempts };
            last.event = Event::GaveUp { cause, kind, why };
        }
    }

    /// Everything that was observed. A failure whose wait never ended is of no use to a law.
    fn records(&self) -> Vec<Record> {
        let mut records = std::mem::take(&mut self.seen.borrow_mut().records);
        if records.last().is_some_and(|last| matches!(last.event, Event::Failure { .. }) && last.wait_ns().is_none()) {
            records.pop();
        }
        records.push(self.record(Event::End(EndReason::Finished)));
        records
    }

    fn record(&self, event: Event) -> Record {
        let now = self.now();
        let seen = self.seen.borrow();
        let mut record = Record::new(event, now, now, seen.attempts);
        record.number = seen.records.len() as u64;
        record.with_wait_ns(matches!(event, Event::Ok).then_some(0))
    }

    fn now(&self) -> u64 {
        nanos(self.begin.elapsed())
    }
}

/// The time of an attempt, and its outcome.
fn outcome(entry: &Entry) -> (Duration, Result<(), OperationError>) {
    let fault = |fault| Err(OperationError { status: None, fault: Some(fault), retry_after: None });
    match entry.outcome {
        Outcome::Status { status, retry_after } => {
            // The text of a header is for a client that parses it, which an operation cannot supply.
            let retry_after = match retry_after {
                Some(ServerWait::Delay(asked)) => Some(asked),
                Some(ServerWait::Header(_)) | None => None,
            };
            (entry.latency, Err(OperationError { status: Some(status), fault: None, retry_after }))
        }
        Outcome::Fault(of) => (entry.latency, fault(of.fault())),
        Outcome::Malformed => (entry.latency, fault(Cause::Malformed)),
        Outcome::Hang(lasts) => (lasts, fault(Cause::Timeout)),
        Outcome::Ok | Outcome::Up { .. } | Outcome::Idle { .. } => (entry.latency, Ok(())),
    }
}
