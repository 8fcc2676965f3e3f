//! One run held against laws.

use retrylab_sim::{Finding, Record, Requirement};

use crate::claim::Claim;
use crate::comparison::{Comparison, History, one_each};
use crate::law::{Law, Need, Ruling, on};
use crate::marks::Marks;
use crate::past::Past;
use crate::subject::{Subject, SubjectError};

/// One run held against laws, record by record.
///
/// ```
/// use retrylab_laws::{Claim, Described, LAWS, Trial};
/// use retrylab_spec::{File, parse};
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
/// assert!(judged.standings.iter().all(|(_, standing)| !standing.is_violated()));
/// # Ok::<(), retrylab_sim::NoBuiltIn>(())
/// ```
#[derive(Debug)]
pub struct Trial<'a> {
    claim: &'a Claim,
    standings: Vec<(&'static Law, Standing)>,
    /// For each kind of record, the laws that judge it and are not violated yet, as indices of the standings.
    open: [Vec<usize>; on::KINDS],
    past: Past,
    /// Kept only if a law compares histories.
    history: Option<History>,
    marks: Marks,
    /// The first record that shows a violation.
    violated: Option<u64>,
}

/// The standing of a law after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing in the run put it to the test.
    Untested,
    /// It was put to the test, and holds.
    Held,
    /// It is violated; later violations follow from the first.
    Violated(Finding),
}

impl Standing {
    /// Whether the law is violated.
    #[must_use]
    pub const fn is_violated(&self) -> bool {
        matches!(self, Self::Violated(_))
    }
}

/// The result of a trial.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The standing of each law, in the given order, without laws that are not applicable.
    pub standings: Vec<(&'static Law, Standing)>,
    /// The coverage goals that the client reached.
    pub marks: Marks,
    /// The first fault of the subject, if it could not respond to something.
    pub fault: Option<SubjectError>,
}

impl<'a> Trial<'a> {
    /// A run of a subject with this claim, before its first record, held against the applicable ones of these laws.
    #[must_use]
    pub fn new(claim: &'a Claim, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        let applying = laws.into_iter().filter(|law| law.applies(claim));
        let standings: Vec<_> = applying.map(|law| (law, Standing::Untested)).collect();
        let judging = |bit: usize| {
            let judges = |nth: &usize| standings[*nth].0.kinds() & (1 << bit) != 0;
            (0..standings.len()).filter(judges).collect()
        };
        let open = core::array::from_fn(judging);
        let compares = standings.iter().any(|(law, _)| law.needs(Need::Comparison));
        let (history, past) = (compares.then(History::default), Past::new(claim));
        Self { claim, standings, open, past, history, marks: Marks::default(), violated: None }
    }

    /// Takes the next record.
    pub fn observe(&mut self, record: &Record) {
        let moment = self.past.meet(self.claim, record);
        let standings = &mut self.standings;
        self.open[on::bit(record)].retain(|&nth| {
            let (law, standing) = &mut standings[nth];
            match law.judge(&moment) {
                Ruling::Silent => {}
                Ruling::Holds if matches!(standing, Standing::Untested) => *standing = Standing::Held,
                Ruling::Holds => {}
                // It may be violated by a record of another kind.
                Ruling::Violated { .. } if standing.is_violated() => return false,
                Ruling::Violated { expected, got, .. } => {
                    let requirement = Requirement::Law { name: law.name, nth: None };
                    *standing = Standing::Violated(Finding::at(record, requirement, expected, got));
                    self.violated.get_or_insert(record.number);
                    return false;
                }
            }
            true
        });
        self.marks.observe(&moment);
        let addition = moment.addition();
        self.past.add(self.claim, record, addition);
        if let Some(history) = &mut self.history {
            history.observe(record);
        }
    }

    /// The first record so far that shows a violation.
    #[must_use]
    pub const fn violated(&self) -> Option<u64> {
        self.violated
    }

    /// The standing of each law after the whole run. `subject` is the one that was played, for other inputs.
    #[must_use]
    pub fn finish(self, subject: &dyn Subject) -> Judged {
        let Self { claim, mut standings, history, marks, .. } = self;
        let mut fault = None;
        if let Some(history) = history
            && let Some(responses) = subject.respond(history.inputs())
        {
            match responses.and_then(|responses| one_each(history.inputs(), responses)) {
                Err(first) => fault = Some(first),
                Ok(responses) => {
                    let mut comparison = Comparison::new(claim, history.inputs(), &responses, subject);
                    for (law, standing) in standings.iter_mut().filter(|(law, _)| law.needs(Need::Comparison)) {
                        *standing = match law.compare(&mut comparison) {
                            Ruling::Silent => Standing::Untested,
                            Ruling::Holds => Standing::Held,
                            Ruling::Violated { input, expected, got } => {
                                Standing::Violated(history.finding(law, input, expected, got))
                            }
                        };
                    }
                    fault = comparison.into_error();
                }
            }
        }
        Judged { standings, marks, fault }
    }
}

impl Judged {
    /// The standing of this law; `None` if it is not applicable or was not judged.
    #[must_use]
    pub fn of(&self, law: &Law) -> Option<&Standing> {
        self.standings.iter().find(|(judged, _)| judged.name == law.name).map(|(_, standing)| standing)
    }
}
