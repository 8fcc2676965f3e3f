//! One run held against laws.

use retrylab_sim::Record;

use crate::claim::Claim;
use crate::law::{Compared, Finding, Law};
use crate::marks::Marks;
use crate::past::Past;
use crate::subject::{Fault, Subject};
use crate::told::{History, Retold, one_each};

/// One run held against laws, record by record.
///
/// ```
/// use retrylab_laws::{Claim, Described, LAWS, Trial};
/// use retrylab_scenario::{File, parse};
/// use retrylab_sim::play;
///
/// let text = "why = \"An outage.\"\nclient.kind = \"streaming\"\n[[timeline]]\nplay = [{ status = 503 }, { status = 503 }]";
/// let Ok(File::Played(timeline)) = parse("outage.toml", text).map(|parsed| parsed.file) else { panic!("a mistake") };
/// let claim = Claim::of(&timeline.client);
/// let mut trial = Trial::new(&claim, LAWS);
/// for record in play(&timeline, 0)? {
///     trial.observe(&record);
/// }
/// let judged = trial.finish(&Described(timeline.client.clone()));
/// assert!(judged.standings.iter().all(|(_, standing)| !standing.is_broken()));
/// # Ok::<(), retrylab_sim::NoBuiltIn>(())
/// ```
#[derive(Debug)]
pub struct Trial<'a> {
    claim: &'a Claim,
    standings: Vec<(&'static Law, Standing)>,
    past: Past,
    /// Kept only if a law compares histories.
    history: Option<History>,
    marks: Marks,
    records: u64,
}

/// How a law stands after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing in the run was what it is about.
    Untested,
    /// It was put to the test, and holds.
    Held,
    /// It is broken.
    Broken(Breach),
}

impl Standing {
    /// Whether the law is broken.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        matches!(self, Self::Broken(_))
    }
}

/// The first breach of a law in a run; those after it follow from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The number of the record, from 0, that shows it.
    pub record: u64,
    /// The attempt that it belongs to, from 1.
    pub attempt: u64,
    /// True time of the record, in nanoseconds.
    pub time_ns: u64,
    /// What the law asks for.
    pub expected: String,
    /// What is so instead.
    pub got: String,
}

/// What came of a trial.
#[derive(Clone, Debug)]
pub struct Judged {
    /// How each law stands, in the order in which they were given. Laws that do not apply are left out.
    pub standings: Vec<(&'static Law, Standing)>,
    /// Where the client got to.
    pub marks: Marks,
    /// Why the subject could not be told something, if it could not.
    pub fault: Option<Fault>,
}

impl<'a> Trial<'a> {
    /// A run of a subject that claims this, before its first record, held against those of the laws that apply.
    #[must_use]
    pub fn new(claim: &'a Claim, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        let applying = laws.into_iter().filter(|law| law.applies(claim));
        let standings: Vec<_> = applying.map(|law| (law, Standing::Untested)).collect();
        let compares = standings.iter().any(|(law, _)| law.compares());
        Self {
            claim,
            standings,
            past: Past::new(claim),
            history: compares.then(History::default),
            marks: Marks::default(),
            records: 0,
        }
    }

    /// Takes the next record.
    pub fn observe(&mut self, record: &Record) {
        // A status or a log line is told by the number of the record before it, which every trace shows.
        let number = if record.event.is_aside() { self.records.saturating_sub(1) } else { self.records };
        let moment = self.past.meet(self.claim, record);
        for (law, standing) in &mut self.standings {
            if standing.is_broken() {
                continue;
            }
            match law.judge(&moment) {
                Finding::Silent => {}
                Finding::Holds => *standing = Standing::Held,
                Finding::Broken { expected, got } => {
                    let (attempt, time_ns) = (record.attempt, record.time_ns);
                    *standing = Standing::Broken(Breach { record: number, attempt, time_ns, expected, got });
                }
            }
        }
        self.marks.observe(&moment);
        let after = Past::after(&moment);
        self.past = after;
        if let Some(history) = &mut self.history {
            history.observe(record, number);
        }
        self.records += u64::from(!record.event.is_aside());
    }

    /// What each law says of the whole run. `subject` is who was played, to be told histories anew.
    #[must_use]
    pub fn finish(self, subject: &dyn Subject) -> Judged {
        let Self { claim, mut standings, history, marks, .. } = self;
        let mut fault = None;
        if let Some(history) = history
            && let Some(told) = subject.tell(history.told())
        {
            match told.and_then(|answers| one_each(history.told(), answers)) {
                Err(first) => fault = Some(first),
                Ok(answers) => {
                    for (law, standing) in standings.iter_mut().filter(|(law, _)| law.compares()) {
                        let mut retold = Retold::new(claim, history.told(), &answers, subject);
                        *standing = match law.compare(&mut retold) {
                            Compared::Silent => Standing::Untested,
                            Compared::Holds => Standing::Held,
                            Compared::Broken { nth, expected, got } => {
                                Standing::Broken(history.breach(nth, expected, got))
                            }
                        };
                        fault = fault.or_else(|| retold.into_fault());
                    }
                }
            }
        }
        Judged { standings, marks, fault }
    }
}

impl Judged {
    /// How this law stands; `None` if it does not apply or was not judged.
    #[must_use]
    pub fn of(&self, law: &Law) -> Option<&Standing> {
        self.standings.iter().find(|(judged, _)| judged.name == law.name).map(|(_, standing)| standing)
    }
}
