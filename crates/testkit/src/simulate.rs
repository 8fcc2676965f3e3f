//! An outage in a few calls, without a file: what a policy does in it, in virtual time.

use core::fmt;
use core::time::Duration;

use retrylab_core::{CallRulesError, GiveUp, IntoPolicy};
use retrylab_sim::{Event, Player, Record, Trace};
use retrylab_spec::{
    Client, ConnectFault, Draft, End, Entry, FirstMessage, JitterChoice, Outcome, Play, PolicySpec, Problem,
    ServerWait, Shape, Timeline, Window,
};

/// A simulation of this policy, without a step yet. `policy` is a policy, rules, or a builder of rules.
///
/// The client makes calls, unless [`Simulation::up_for`] makes it a stream or [`Simulation::polls`] a poller. Each attempt
/// takes the next step; during an [outage](Simulation::outage) every attempt fails and takes no step. The run ends with the
/// last step (a success, if there is none), or when the policy gives up.
///
/// Each draw is 0, the longest wait, so that the waits of a policy with jitter are its rungs. [`Simulation::seed`] draws.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Exponential;
/// use retrylab_testkit::simulate;
///
/// let s = Duration::from_secs;
/// let policy = Exponential::new(s(2), s(30)).attempts(6);
/// let run = simulate(policy).outage(503, s(60)).then_ok().run();
/// assert_eq!(run.attempts(), 6);
/// assert_eq!(run.waits(), [s(2), s(4), s(8), s(16), s(30)]);
/// println!("{}", run.trace());
/// ```
pub const fn simulate<P: IntoPolicy>(policy: P) -> Simulation<P> {
    Simulation {
        policy,
        shape: Shape::Call,
        steps: Vec::new(),
        windows: Vec::new(),
        last: None,
        orphan: false,
        jitter: JitterChoice::None,
        until: None,
        seed: 0,
    }
}

/// The steps and outages of a simulation; from [`simulate()`], which has an example.
#[derive(Clone, Debug)]
#[must_use = "nothing is played until it is run"]
pub struct Simulation<P> {
    policy: P,
    shape: Shape,
    steps: Vec<Step>,
    windows: Vec<Window>,
    /// The place of the last status.
    last: Option<Place>,
    /// Whether a `retry_after` follows no status.
    orphan: bool,
    jitter: JitterChoice,
    until: Option<Duration>,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Entry(Entry, u64),
    Ok,
    Up(Duration),
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Step,
    Window,
}

impl<P> Simulation<P> {
    /// Adds an outage that starts with the run, or at the end of the previous outage: every attempt gets this status.
    pub fn outage(self, status: u16, lasts: Duration) -> Self {
        let from = self.windows.last().map_or(Duration::ZERO, |window| window.until);
        self.outage_from(from, status, lasts)
    }

    /// Adds an outage that starts at `from`, counted from the start of the run.
    pub fn outage_from(mut self, from: Duration, status: u16, lasts: Duration) -> Self {
        let entry = Entry::new(Outcome::Status { status, retry_after: None });
        self.windows.push(Window { from, until: from.saturating_add(lasts), entry, cut: None });
        self.last = Some(Place::Window);
        self
    }

    /// Adds `times` attempts that get this status.
    pub fn fails(mut self, status: u16, times: u64) -> Self {
        self.last = Some(Place::Step);
        self.step(Step::Entry(Entry::new(Outcome::Status { status, retry_after: None }), times))
    }

    /// Adds the header `Retry-After` to the statuses of the previous step or outage.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        let entry = match self.last {
            Some(Place::Window) => self.windows.last_mut().map(|window| &mut window.entry),
            Some(Place::Step) => self.steps.last_mut().and_then(|step| match step {
                Step::Entry(entry, _) => Some(entry),
                Step::Ok | Step::Up(_) => None,
            }),
            None => None,
        };
        match entry.map(|entry| &mut entry.outcome) {
            Some(Outcome::Status { retry_after, .. }) => *retry_after = Some(ServerWait::Delay(wait)),
            _ => self.orphan = true,
        }
        self
    }

    /// Adds `times` attempts that get no connection.
    pub fn faults(self, fault: ConnectFault, times: u64) -> Self {
        self.step(Step::Entry(Entry::new(Outcome::Fault(fault)), times))
    }

    /// Adds an attempt that gets no response and times out after `lasts`.
    pub fn hangs(self, lasts: Duration) -> Self {
        self.step(Step::Entry(Entry::new(Outcome::Hang(lasts)), 1))
    }

    /// Adds an attempt that succeeds: a call ends, a poll gets its data, a stream is up and stays so.
    pub fn then_ok(self) -> Self {
        self.step(Step::Ok)
    }

    /// Adds an attempt that is a stream: healthy for `lasts`, then closed by the server.
    pub fn up_for(mut self, lasts: Duration) -> Self {
        self.shape = Shape::Streaming;
        self.step(Step::Up(lasts))
    }

    /// Makes the client a stream that reconnects.
    pub const fn streams(mut self) -> Self {
        self.shape = Shape::Streaming;
        self
    }

    /// Makes the client a poller.
    pub const fn polls(mut self) -> Self {
        self.shape = Shape::Polling;
        self
    }

    /// Ends the run at this virtual time after its start at the latest.
    pub const fn until(mut self, until: Duration) -> Self {
        self.until = Some(until);
        self
    }

    /// Draws the jitter of the policy from this seed. Equal seeds give equal runs on any machine.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retrylab_core::Constant;
    /// use retrylab_testkit::simulate;
    ///
    /// let s = Duration::from_secs;
    /// let run = simulate(Constant::new(s(8))).seed(7).fails(503, 1).then_ok().run();
    /// assert!(run.waits()[0] < s(8));
    /// ```
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.jitter = JitterChoice::Own;
        self
    }

    fn step(mut self, step: Step) -> Self {
        if !matches!(step, Step::Entry(Entry { outcome: Outcome::Status { .. }, .. }, _)) {
            self.last = None;
        }
        self.steps.push(step);
        self
    }

    /// The simulation as a timeline, which prints as a file that `retrylab` plays.
    ///
    /// # Errors
    ///
    /// If it cannot be played: a failure with status 200, for example.
    pub fn timeline(&self) -> Result<Timeline, SimulationError> {
        if self.orphan {
            return Err(SimulationError::RetryAfterNothing);
        }
        let client = Client { kind: PolicySpec::external("simulated", self.shape), jitter: self.jitter };
        let mut draft = Draft::new("A simulation.", client);
        draft.windows.clone_from(&self.windows);
        draft.seed = Some(self.seed);
        draft.until = self.until;
        let up = |lasts| Outcome::Up { lasts, first: FirstMessage::Put };
        let steps: &[Step] = if self.steps.is_empty() { &[Step::Ok] } else { &self.steps };
        for step in steps {
            let (entry, times) = match *step {
                Step::Entry(entry, times) => (entry, times),
                Step::Ok if self.shape == Shape::Streaming => (Entry::new(up(None)), 1),
                Step::Ok => (Entry::new(Outcome::Ok), 1),
                Step::Up(lasts) => (Entry::new(up(Some((lasts, End::Close)))), 1),
            };
            match times {
                0 => {}
                1 => draft.script.push(Play::Attempt(entry)),
                _ => draft.script.push(Play::Repeat { times, play: vec![Play::Attempt(entry)] }),
            }
        }
        Timeline::new(draft).map_err(SimulationError::Timeline)
    }
}

impl<P: IntoPolicy> Simulation<P> {
    /// Plays the simulation.
    ///
    /// # Panics
    ///
    /// If [`Simulation::try_run`] fails.
    #[track_caller]
    #[expect(clippy::panic, reason = "this is how a test fails")]
    pub fn run(self) -> Run {
        match self.try_run() {
            Ok(run) => run,
            Err(error) => panic!("{error}"),
        }
    }

    /// Plays the simulation.
    ///
    /// # Errors
    ///
    /// If the policy allows no attempt, or the timeline cannot be played.
    pub fn try_run(self) -> Result<Run, SimulationError> {
        let timeline = self.timeline()?;
        let policy = self.policy.into_policy().map_err(SimulationError::Refused)?;
        let mut records = Vec::new();
        for record in Player::new(&timeline, policy, None, self.seed) {
            records.push(record);
            if matches!(record.event, Event::GaveUp { .. }) {
                break;
            }
        }
        Ok(Run { records, timeline })
    }
}

/// The result of a simulation.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Constant, GiveUp};
/// use retrylab_testkit::simulate;
///
/// let policy = Constant::new(Duration::from_secs(5)).attempts(3);
/// let run = simulate(policy).fails(503, 9).run();
/// assert_eq!((run.attempts(), run.gave_up()), (3, Some(GiveUp::Attempts)));
/// assert_eq!(run.lasted(), Duration::from_secs(10));
/// ```
#[derive(Clone, Debug)]
pub struct Run {
    records: Vec<Record>,
    timeline: Timeline,
}

impl Run {
    /// The number of attempts.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.records.iter().map(|record| record.attempt).max().unwrap_or_default()
    }

    /// The wait after each failure that is retried, in order.
    #[must_use]
    pub fn waits(&self) -> Vec<Duration> {
        let failures = self.records.iter().filter(|record| matches!(record.event, Event::Failure { .. }));
        failures.filter_map(|record| record.wait_ns()).map(Duration::from_nanos).collect()
    }

    /// The reason why the policy gave up, if it did.
    #[must_use]
    pub fn gave_up(&self) -> Option<GiveUp> {
        match self.records.last()?.event {
            Event::GaveUp { why, .. } => Some(why),
            _ => None,
        }
    }

    /// The virtual time from the start to the end of the last attempt.
    #[must_use]
    pub fn lasted(&self) -> Duration {
        Duration::from_nanos(self.records.last().map_or(0, |record| record.time_ns))
    }

    /// The full trace, to be printed: one row an event, repeats folded.
    #[must_use]
    pub fn trace(&self) -> Trace {
        Trace::fold(self.records.iter().copied().filter(Record::is_plain))
    }

    /// The full stream as values.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The timeline that was played, which prints as a file.
    #[must_use]
    pub const fn timeline(&self) -> &Timeline {
        &self.timeline
    }
}

/// The reason why a simulation cannot be played.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Constant;
/// use retrylab_testkit::{SimulationError, simulate};
///
/// let s = Duration::from_secs;
/// let run = simulate(Constant::new(s(5))).retry_after(s(9)).try_run();
/// assert_eq!(run.err(), Some(SimulationError::RetryAfterNothing));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SimulationError {
    /// The policy allows no attempt.
    Refused(CallRulesError),
    /// A `retry_after` follows no status.
    RetryAfterNothing,
    /// The timeline is not valid.
    Timeline(
        /// Its problems.
        Vec<Problem>,
    ),
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::RetryAfterNothing => {
                f.write_str("retry_after belongs to the step before it, which has to be `outage` or `fails`")
            }
            Self::Timeline(problems) => {
                for (number, problem) in problems.iter().enumerate() {
                    if number > 0 {
                        f.write_str("\n")?;
                    }
                    problem.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for SimulationError {}
