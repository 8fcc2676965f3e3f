//! Whether laws, vectors, trials and files are worth having: which of them catch each fault of the catalogue.
//!
//! The table is reviewed in `snapshots/faults/`. Every fault is caught, each that names a law by that law, and no law is
//! there that nothing breaks. The policies that are built in break nothing.

mod diagnosis;
mod files;

use core::cell::Cell;
use core::fmt;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use flate2::read::GzDecoder;
use retrylab_conform::{Vector, VectorSubject, VectorVerdict, Vectors, Warning, check_subject};
use retrylab_core::{Decision, Failure, Instant, Jitter, Policy, ServerDelay};
use retrylab_faults::{Category, FAULTS, KnownFault, corpus};
use retrylab_laws::{Claim, Described, Drawing, LAWS, Law, Subject};
use retrylab_search::{Found, Search, Searched, events};
use retrylab_sim::{BuiltIn, Draws, Entropy, build};
use retrylab_spec::{BudgetSpec, CallSpec, Client, Dialect, PolicySpec, Ratio, ResetSpec, Seconds};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const VECTORS: &str = "crates/conform/tests/data/retry-vectors.jsonl.gz";

/// Enough for the rarest of the faults.
const CASES: u64 = 256;

/// Enough to see what a policy that is seen from outside alone still shows.
const FEW: u64 = 64;

/// What catches each fault, in the order of the catalogue.
static CAUGHT: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let vectors = vectors();
    let files = files::caught();
    on_two_threads(FAULTS.iter().collect::<Vec<_>>().as_slice(), |fault| Row::of(fault, &vectors, &files))
});

#[test]
fn every_fault_is_caught_and_the_table_has_its_catchers() {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path([ROOT, "snapshots/faults"].iter().collect::<PathBuf>());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(
        "What catches each fault: laws with the events of the smallest counterexample, vectors, trials, files.",
    );
    let rows: Vec<String> = CAUGHT.iter().map(Row::to_string).collect();
    settings.bind(|| insta::assert_snapshot!("table", rows.join("\n")));
    let uncaught: Vec<&str> = CAUGHT.iter().filter(|row| !row.is_caught()).map(|row| row.fault.name).collect();
    assert!(uncaught.is_empty(), "nothing catches {uncaught:?}");
}

#[test]
fn a_fault_violates_the_law_that_names_it() {
    for row in CAUGHT.iter() {
        let Some(law) = row.fault.law() else { continue };
        assert!(row.laws.iter().any(|(name, _)| *name == law.name), "{} keeps {law}", row.fault.name);
    }
}

#[test]
fn every_law_breaks_for_something() {
    let by_given = CAUGHT.iter().flat_map(|row| &row.laws).map(|(law, _)| *law);
    let by_own = CAUGHT.iter().flat_map(|row| row.own_draws.iter().flatten()).copied();
    let breaks: BTreeSet<&str> = by_given.chain(by_own).collect();
    let idle: Vec<&str> = LAWS.iter().map(|law| law.name).filter(|name| !breaks.contains(name)).collect();
    assert!(idle.is_empty(), "nothing breaks {idle:?}");
}

#[test]
fn every_dialect_is_a_fault_of_the_catalogue() {
    let dialects: BTreeSet<&str> = Dialect::ALL.iter().map(|(_, name)| *name).collect();
    let faults: BTreeSet<&str> = FAULTS.iter().filter_map(KnownFault::dialect).collect();
    assert_eq!(faults, dialects);
}

#[test]
fn the_built_in_policies_violate_nothing() {
    let clients = built_in();
    let searched = on_two_threads(&clients, |client| search(client, 1000, &Described(Client::new(client.clone()))));
    for (client, searched) in clients.iter().zip(searched) {
        assert!(searched.is_clean(), "{client:?}: {searched:#?}");
    }
}

#[test]
fn the_built_in_policies_violate_nothing_without_a_place_or_with_own_draws() {
    for client in built_in() {
        let searched = search_as(quiet(&client), CASES, &|| Unexplained(built(&client)));
        assert_eq!(broken(&searched), [""; 0], "{client:?}");
        let searched =
            search_as(quiet(&client).with_drawing(Drawing::Own), CASES, &drawing_for_itself(|| built(&client)));
        assert_eq!(broken(&searched), [""; 0], "{client:?}");
    }
}

/// The built-in policies, with each jitter and each limit.
fn built_in() -> Vec<PolicySpec> {
    let seconds = Duration::from_secs;
    let mut clients = vec![
        PolicySpec::Streaming { initial_reconnect_delay: None },
        PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Number(45.0)) },
        PolicySpec::Polling { poll_interval: None },
        PolicySpec::Polling { poll_interval: Some(Seconds::Number(600.0)) },
        PolicySpec::Reconnect { outage: CallSpec::reconnect(), reset: ResetSpec::HealthyFor(seconds(60)) },
        PolicySpec::Reconnect { outage: CallSpec::reconnect(), reset: ResetSpec::Successes(2) },
    ];
    let jitters = Jitter::ALL.into_iter().filter(|jitter| *jitter != Jitter::DecorrelatedPublished);
    let tokens = BudgetSpec::Tokens { tokens: 20, cost: 5, timeout_cost: 10, refill: 1 };
    let ratio = BudgetSpec::Ratio { ratio: Ratio { numerator: 1, denominator: 10 }, reserve: 3 };
    let plain = CallSpec { attempts: Some(9), ..CallSpec::default() };
    let mut calls: Vec<CallSpec> =
        jitters.map(|jitter| CallSpec { jitter, attempts: Some(12), ..plain.clone() }).collect();
    calls.extend([
        CallSpec::default(),
        CallSpec { attempts: None, elapsed: Some(seconds(90)), ..plain.clone() },
        CallSpec { attempts: None, deadline: Some(seconds(90)), ..plain.clone() },
        CallSpec { retry_after: ServerDelay::clamp(seconds(60)).spread(seconds(5)), ..plain.clone() },
        CallSpec { retry_after: ServerDelay::clamp(seconds(60)), ..plain.clone() },
        CallSpec { retry_after: ServerDelay::refuse(seconds(60)).spread(seconds(5)), ..plain.clone() },
        CallSpec { budgets: vec![tokens], ..plain.clone() },
        CallSpec { budgets: vec![ratio], ..plain },
    ]);
    clients.extend(calls.into_iter().map(PolicySpec::Call));
    let paying = CallSpec { budgets: vec![tokens], ..CallSpec::reconnect() };
    clients.push(PolicySpec::Reconnect { outage: paying, reset: ResetSpec::HealthyFor(seconds(60)) });
    clients
}

/// What catches a fault.
struct Row {
    fault: &'static KnownFault,
    client: Option<PolicySpec>,
    /// The laws that break, with the size of the smallest counterexample and what it was found in.
    laws: Vec<(&'static str, String)>,
    /// The same of a policy that does not explain itself, and of one that draws for itself.
    unexplained: Option<Vec<&'static str>>,
    own_draws: Option<Vec<&'static str>>,
    vectors: Option<String>,
    trials: Vec<String>,
    files: Vec<String>,
}

impl Row {
    fn of(fault: &'static KnownFault, vectors: &[Vector], files: &[files::Caught]) -> Self {
        let files: Vec<&files::Caught> = files.iter().filter(|caught| caught.fault == fault.name).collect();
        let client = fault.shown_by().or_else(|| files.first().map(|caught| caught.client.clone()));
        let laws = client.as_ref().map(|client| laws(fault, client)).unwrap_or_default();
        let judged_from_outside =
            |claim: &dyn Fn(&PolicySpec) -> Claim, wrap: &dyn Fn(Box<dyn Policy>) -> Box<dyn Policy>| {
                let client = fault.law().and(client.as_ref()).filter(|_| fault.category != Category::Loop)?;
                let subject = || wrap(fault.build(client).expect("built before"));
                Some(broken(&search_as(claim(client), FEW, &subject)))
            };
        let clients = Cell::new(0);
        Self {
            fault,
            laws,
            unexplained: judged_from_outside(&quiet, &|policy| Box::new(Unexplained(policy))),
            own_draws: judged_from_outside(&|client| quiet(client).with_drawing(Drawing::Own), &|policy| {
                Box::new(Own::new(policy, &clients))
            }),
            client,
            vectors: failing(fault, vectors),
            trials: trials(fault),
            files: files.iter().map(|caught| format!("{}: {}", caught.file, caught.first)).collect(),
        }
    }

    const fn is_caught(&self) -> bool {
        !self.laws.is_empty() || !self.trials.is_empty() || !self.files.is_empty()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, client, laws, unexplained, own_draws, vectors, trials, files } = self;
        let client = client.as_ref().map_or("", PolicySpec::name);
        writeln!(f, "{} ({:?}, {client})\n  {}", fault.name, fault.category, fault.statement)?;
        if fault.is_reported() {
            writeln!(f, "  reported: {}", fault.cite())?;
        }
        if let Some(dialect) = fault.dialect() {
            writeln!(f, "  dialect {dialect}")?;
        }
        laws.iter().try_for_each(|(law, found)| writeln!(f, "  law {law}: {found}"))?;
        for (what, found) in [("explaining nothing", unexplained), ("drawing for itself", own_draws)] {
            if let Some(found) = found {
                writeln!(f, "  {what}: {}", if found.is_empty() { "none".to_owned() } else { found.join(", ") })?;
            }
        }
        vectors.iter().try_for_each(|vectors| writeln!(f, "  vectors: {vectors}"))?;
        trials.iter().try_for_each(|trial| writeln!(f, "  trial {trial}"))?;
        files.iter().try_for_each(|file| writeln!(f, "  file {file}"))
    }
}

/// The laws that break for a fault of this client.
fn laws(fault: &'static KnownFault, client: &PolicySpec) -> Vec<(&'static str, String)> {
    let searched = search(client, CASES, &fault.of(client).expect("a client that can have it"));
    let size = |found: &Found| {
        let events = events(&found.timeline);
        (found.law.name, format!("{events} of the {} events of case {}", found.events_found, found.case))
    };
    searched.broken().map(size).collect()
}

/// The trials of the bug corpus that fail.
fn trials(fault: &KnownFault) -> Vec<String> {
    let Some(maker) = corpus::fault(fault.name) else { return Vec::new() };
    let fails = |trial: &&corpus::BugTrial| matches!(trial.run(&maker, 0), corpus::BugVerdict::Fails { .. });
    corpus::TRIALS.iter().filter(fails).map(|trial| format!("{}/{}", trial.kind, trial.name)).collect()
}

/// How many vectors fail, and the first; `None` if none is about the fault.
fn failing(fault: &KnownFault, vectors: &[Vector]) -> Option<String> {
    let machine = |spec: &PolicySpec| fault.machine(&spec.rules()?.0);
    vectors.first().and_then(|vector| machine(&vector.spec))?;
    let verdict = |vector: &Vector| {
        let subject = |spec: &PolicySpec| {
            let warning = spec.rules().and_then(|(_, warning)| warning).map(Warning::from);
            VectorSubject { policy: machine(spec).expect("asked above"), warning }
        };
        match check_subject(vector, subject) {
            VectorVerdict::Failed(mismatch) => Some((mismatch.vector, mismatch.step)),
            VectorVerdict::Passed | VectorVerdict::Skipped => None,
        }
    };
    let failed: Vec<_> = vectors.iter().filter_map(verdict).collect();
    Some(match failed.first() {
        Some((vector, Some(step))) => format!("{} fail, first \"{vector}\" at step {step}", failed.len()),
        Some((vector, None)) => format!("{} fail, first \"{vector}\"", failed.len()),
        None => "none fails".to_owned(),
    })
}

fn vectors() -> Vec<Vector> {
    let file = std::fs::File::open([ROOT, VECTORS].iter().collect::<PathBuf>()).expect("the vectors");
    let reader = std::io::BufReader::new(GzDecoder::new(file));
    Vectors::read(reader).collect::<Result<_, _>>().expect("vectors that can be read")
}

/// The laws that are broken, in the order of all laws.
fn broken(searched: &Searched) -> Vec<&'static str> {
    assert_eq!(searched.fault.as_ref().map(|faulted| &faulted.fault), None);
    searched.broken().map(|found| found.law.name).collect()
}

fn search(client: &PolicySpec, cases: u64, subject: &dyn Subject) -> Searched {
    let client = Client::new(client.clone());
    let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(cases);
    search.run(subject, |_| ControlFlow::Continue(()))
}

/// Of a subject of which only the claim is known.
fn search_as(claim: Claim, cases: u64, subject: &dyn Subject) -> Searched {
    let laws: Vec<&'static Law> = LAWS.iter().collect();
    Search::new("subject", claim, laws).cases(cases).run(subject, |_| ControlFlow::Continue(()))
}

/// What a client claims that neither logs nor says how it is configured.
fn quiet(client: &PolicySpec) -> Claim {
    Claim::from(client.clone())
}

fn built(client: &PolicySpec) -> BuiltIn {
    build(client).expect("a built-in client").0
}

/// The results of the same work on each, in order, on two threads at a time. Each has a thread of its own, since the thread-local
/// generator of a fault would otherwise depend on the work before.
fn on_two_threads<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((nth, one)) =
                    Some(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)).and_then(|n| Some((n, all.get(n)?)))
                {
                    let result = std::thread::scope(|own| own.spawn(|| work(one)).join()).expect("the work panicked");
                    done.lock().expect("nobody panicked").push((nth, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nobody panicked");
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A policy of whose methods all are forwarded but `explain`: judged by its waits alone, like a user's own, which says
/// neither its rung nor its base.
struct Unexplained<P>(P);

impl<P: Policy> Policy for Unexplained<P> {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.0.record_failure(failure, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.0.record_connected(now);
    }

    fn record_cancelled_retry(&mut self, failure: Failure) {
        self.0.record_cancelled_retry(failure);
    }

    fn record_abandoned(&mut self) {
        self.0.record_abandoned();
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }
}

/// A policy with a generator of its own, seeded anew for each client; it does not explain itself either.
struct Own<P> {
    policy: P,
    draws: Draws,
}

impl<P> Own<P> {
    fn new(policy: P, clients: &Cell<u64>) -> Self {
        let client = clients.replace(clients.get() + 1);
        Self { policy, draws: Entropy::new(7).client(client) }
    }
}

/// Makes such clients, numbered from 0: which draws one has does not depend on other tests.
fn drawing_for_itself<P>(make: impl Fn() -> P) -> impl Fn() -> Own<P> {
    let clients = Cell::new(0);
    move || Own::new(make(), &clients)
}

impl<P: Policy> Policy for Own<P> {
    fn record_failure(&mut self, failure: Failure, now: Instant, _: u64) -> Decision {
        let draw = self.draws.next_draw();
        self.policy.record_failure(failure, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.policy.record_connected(now);
    }

    fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }
}
