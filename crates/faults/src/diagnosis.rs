//! Names the bug: which faults of the catalogue answer exactly as a policy does that violates a law.

mod candidate;
mod evidence;
mod number;

use core::fmt;

use retrylab_laws::{Law, Subject};
use retrylab_search::Search;
use retrylab_spec::{Client, Timeline};

use self::candidate::{Candidate, right};
use self::evidence::{Evidence, Look};
pub use self::number::Number;
use crate::catalogue::FAULTS;
use crate::fault::{Category, KnownFault};

/// So many cases are compared by default, beside the counterexamples.
pub const CASES: u64 = 300;

/// What answers as the policy does.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The suspects, those that were reported of policies that shipped first. Several if they answer alike.
    pub suspects: Vec<Suspect>,
    /// In so many cases their responses are those of the policy.
    pub same: u64,
    /// Of so many.
    pub cases: u64,
    /// Whether the policy draws for itself, so that waits were compared by their bands.
    pub is_by_bands: bool,
}

/// A fault that a policy may have.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The fault; `None` if the policy is right but for a number.
    pub fault: Option<&'static KnownFault>,
    /// The number that is not as claimed, where it explains every response.
    pub number: Option<Number>,
}

impl Diagnosis {
    /// Compares the responses of a policy that violates a law with those of every fault of the catalogue that a policy
    /// which claims this can have: in the counterexamples, and in the first `cases` cases of the search.
    ///
    /// `None` if the policy answers as the right one does, if nothing is known of what it should be, or if no fault is
    /// clearly like it.
    ///
    /// ```
    /// use retrylab_faults::{CASES, Diagnosis, KnownFault};
    /// use retrylab_laws::{Claim, LAWS};
    /// use retrylab_search::Search;
    /// use retrylab_spec::Client;
    ///
    /// let fault = KnownFault::find("half-a-window-is-enough").expect("one of them");
    /// let client = Client::new(fault.shown_by().expect("a stream"));
    /// let search = Search::of(client.clone(), Claim::of(&client), LAWS);
    /// let anonymous = || fault.build(&client.kind).expect("built of a stream");
    /// let diagnosis = Diagnosis::of(&search, &anonymous, [], CASES).expect("a diagnosis");
    /// assert!(
    ///     diagnosis.to_string().starts_with("answers like half-a-window-is-enough (health of 30s already resets) in"),
    ///     "{diagnosis}"
    /// );
    /// ```
    #[must_use]
    pub fn of<'a>(
        search: &Search,
        subject: &dyn Subject,
        found: impl IntoIterator<Item = &'a Timeline>,
        cases: u64,
    ) -> Option<Self> {
        let claim = search.claim();
        let client = Client { kind: right(claim)?, jitter: search.client().jitter };
        let evidence = Evidence::gather(search, subject, found, cases);
        let right = Candidate::Right(client.clone());
        // A policy that explains itself as it should not gives itself away; one that explains nothing is seen by its waits.
        for look in [Look::Explained, Look::Waits] {
            let of_right = evidence.same(&right, look, evidence.cases());
            if evidence.cases() == 0 || of_right == evidence.cases() {
                continue;
            }
            let number = Number::measured(subject, &client, claim)
                .filter(|number| evidence.same(&number.candidate(&client), look, 0) == evidence.cases());
            if let Some(diagnosis) = Self::by(&evidence, look, &client, of_right, number) {
                return Some(diagnosis);
            }
        }
        None
    }

    fn by(evidence: &Evidence, look: Look, client: &Client, of_right: u64, number: Option<Number>) -> Option<Self> {
        let (cases, is_by_bands) = (evidence.cases(), evidence.is_by_bands());
        // Whatever is further from the policy than this names nothing.
        let most_wrong = cases / TENTH;
        // A policy that answers as it should is wrong only in what it logs and reports, or in the loop around it.
        let is_outside = evidence.is_told_as(&Candidate::Right(client.clone()), look);
        let about =
            |fault: &&KnownFault| !is_outside || matches!(fault.category, Category::Loop | Category::Configuration);
        let mut judged: Vec<(&'static KnownFault, u64)> = Vec::new();
        for fault in FAULTS.iter().filter(about) {
            let Some(faulty) = fault.of(&client.kind) else { continue };
            judged.push((fault, evidence.same(&Candidate::Faulty(faulty), look, most_wrong)));
        }
        let same = judged.iter().map(|(_, same)| *same).max()?;
        if number.is_some() && same < cases {
            return Some(Self { suspects: vec![Suspect { fault: None, number }], same: cases, cases, is_by_bands });
        }
        let clearly = same == cases || (same + most_wrong >= cases && same > of_right + most_wrong);
        if !clearly {
            return None;
        }
        let mut suspects: Vec<Suspect> = judged
            .into_iter()
            .filter(|(_, others)| *others == same)
            .map(|(fault, _)| Suspect { fault: Some(fault), number: number.clone() })
            .collect();
        suspects.sort_by_key(|suspect| suspect.fault.is_some_and(|fault| !fault.is_reported()));
        // Too many that are alike name nothing.
        (same == cases || suspects.len() <= 3).then_some(Self { suspects, same, cases, is_by_bands })
    }

    /// The law whose sentence names the first suspect best.
    #[must_use]
    pub fn law(&self) -> Option<&'static Law> {
        self.suspects.iter().find_map(|suspect| suspect.fault?.law())
    }
}

/// A tenth of the cases is the share that may be otherwise.
const TENTH: u64 = 10;

impl Suspect {
    /// The name of the fault, or of the number.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.fault.map(|fault| fault.name).or_else(|| self.number.as_ref().map(Number::name)).unwrap_or_default()
    }

    /// What it does wrong: the number, where one explains it, else the sentence of the fault.
    #[must_use]
    pub fn statement(&self) -> String {
        match (&self.number, self.fault) {
            (Some(number), _) => number.to_string(),
            (None, Some(fault)) => fault.statement.trim_end_matches('.').to_owned(),
            (None, None) => String::new(),
        }
    }

    /// The reports of policies that had it; empty if there are none.
    #[must_use]
    pub fn reports(&self) -> &'static str {
        self.fault.filter(|fault| fault.is_reported()).map_or("", KnownFault::cite)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("answers like ")?;
        for (nth, suspect) in self.suspects.iter().enumerate() {
            f.write_str(if nth > 0 { ", or " } else { "" })?;
            write!(f, "{} ({})", suspect.name(), suspect.statement())?;
        }
        write!(f, " in {} of {} cases", self.same, self.cases)?;
        if self.is_by_bands {
            f.write_str(", by the bands of its waits, since it draws for itself")?;
        }
        let reports: Vec<&str> =
            self.suspects.iter().map(Suspect::reports).filter(|reports| !reports.is_empty()).collect();
        if reports.is_empty() { Ok(()) } else { write!(f, "; reported: {}", reports.join("; ")) }
    }
}
