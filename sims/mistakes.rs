//! Whether the laws are worth having: which of them, and which of the vectors, catch each classic mistake.
//!
//! The table is reviewed in `snapshots/mistakes/`. Every mistake is caught by a law alone, and no law is there that nothing
//! breaks. The dialects break exactly what is written beside them here, and the policies that are built in break nothing.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use flate2::read::GzDecoder;
use retrylab_core::{Decision, Failure, Instant, Jitter, Policy, ServerDelay};
use retrylab_laws::search::{Search, Searched, events};
use retrylab_laws::vectors::{Vector, Vectors, Verdict, check_subject};
use retrylab_laws::{Claim, Described, Drawing, LAWS, Law, MISTAKES, Mistake, Subject};
use retrylab_scenario::{BudgetSpec, CallSpec, Client, ClientKind, Dialect, Ratio, ResetSpec, Seconds, named};
use retrylab_sim::{BuiltIn, Draws, Entropy, build};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const VECTORS: &str = "crates/laws/tests/data/retry-vectors.jsonl.gz";

/// Enough for the rarest of the mistakes.
const CASES: u64 = 256;

/// The row of each mistake in the table, and the laws that break for it.
static CAUGHT: LazyLock<Vec<(String, Vec<&str>)>> = LazyLock::new(|| {
    let vectors = vectors();
    on_two_threads(MISTAKES, |mistake| row(mistake, &vectors))
});

#[test]
fn every_mistake_is_caught_by_a_law_alone_and_the_table_says_by_which() {
    let uncaught: Vec<&str> = CAUGHT.iter().filter(|(_, laws)| laws.is_empty()).map(|(row, _)| &**row).collect();
    assert!(uncaught.is_empty(), "no law breaks for {uncaught:#?}");
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path([ROOT, "snapshots/mistakes"].iter().collect::<PathBuf>());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description("Which laws break for each mistake, with how many events, and how many vectors fail.");
    let rows: Vec<&str> = CAUGHT.iter().map(|(row, _)| &**row).collect();
    settings.bind(|| insta::assert_snapshot!("table", rows.join("\n")));
}

#[test]
fn every_law_breaks_for_something() {
    let of_mistakes = CAUGHT.iter().flat_map(|(_, laws)| laws).copied();
    let of_dialects = dialects().into_iter().flat_map(|(_, laws)| laws.iter().copied());
    let breaks: BTreeSet<&str> = of_mistakes.chain(of_dialects).collect();
    let idle: Vec<&str> = LAWS.iter().map(|law| law.name).filter(|name| !breaks.contains(name)).collect();
    assert!(idle.is_empty(), "nothing breaks {idle:?}");
}

#[test]
fn every_dialect_breaks_what_is_written_beside_it_and_nothing_else() {
    let clients = dialects();
    let all: BTreeSet<&str> = Dialect::ALL.iter().map(|(_, name)| *name).collect();
    let named: BTreeSet<&str> = clients.iter().map(|(client, _)| named::name(client)).collect();
    assert!(all.is_subset(&named), "{:?} are not here", all.difference(&named));
    let found = on_two_threads(&clients, |(client, _)| broken(&search(client, 512, &Described(Client::new(client.clone())))));
    for ((client, written), found) in clients.iter().zip(found) {
        assert_eq!(found, *written, "{client:?}");
    }
}

#[test]
fn what_is_built_in_breaks_nothing() {
    let clients = built_in();
    let searched = on_two_threads(&clients, |client| search(client, 1000, &Described(Client::new(client.clone()))));
    for (client, searched) in clients.iter().zip(searched) {
        assert!(searched.is_clean(), "{client:?}: {searched:#?}");
    }
}

#[test]
fn a_subject_that_does_not_explain_itself_is_judged_by_what_it_waits() {
    for (name, laws) in UNEXPLAINED {
        let mistake = Mistake::find(name).expect("a mistake");
        let claim = Claim { logs: false, replaced: None, ..Claim::of(&Client::new(mistake.client())) };
        let searched = search_as(claim, CASES, &|| Unexplained(mistake.policy()));
        assert_eq!(broken(&searched), *laws, "{name}");
    }
    for client in [ClientKind::Streaming { initial_reconnect_delay: None }, ClientKind::Polling { poll_interval: None }]
    {
        let searched = search_as(quiet(&client), CASES, &|| Unexplained(built(&client)));
        assert_eq!(broken(&searched), [""; 0], "{client:?}");
    }
}

#[test]
fn a_subject_that_draws_for_itself_is_judged_in_bands() {
    for (name, laws) in OWN_DRAWS {
        let mistake = Mistake::find(name).expect("a mistake");
        let searched =
            search_as(quiet(&mistake.client()).with_drawing(Drawing::Own), CASES, &|| Own::new(mistake.policy()));
        assert_eq!(broken(&searched), *laws, "{name}");
    }
    for client in built_in() {
        let searched = search_as(quiet(&client).with_drawing(Drawing::Own), CASES, &|| Own::new(built(&client)));
        assert_eq!(broken(&searched), [""; 0], "{client:?}");
    }
}

/// What breaks for mistakes of which only the waits are seen. A wait that is wrong does not tell why, so it breaks every law
/// that says what it has to be.
const UNEXPLAINED: &[(&str, &[&str])] = &[
    (
        "window-is-exclusive",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "unexpected-begins-the-extended-ladder",
            "reset-exactly-when-due",
        ],
    ),
    (
        "bounds-not-reset",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "reset-exactly-when-due",
        ],
    ),
    (
        "re-entering-pins-at-the-first-rung",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "extended-lasts-until-due",
            "unexpected-begins-the-extended-ladder",
            "reset-exactly-when-due",
        ],
    ),
    (
        "normal-lowers-the-bounds",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "extended-lasts-until-due",
            "reset-exactly-when-due",
        ],
    ),
    (
        "any-failure-extends",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "unexpected-begins-the-extended-ladder",
            "reset-exactly-when-due",
        ],
    ),
    ("jitter-lost-at-the-ceiling", &["wait-is-jittered-base-or-cadence", "jitter-spreads"]),
    (
        "jitter-after-the-floor",
        &[
            "wait-is-jittered-base-or-cadence",
            "wait-within-bounds",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "reset-exactly-when-due",
        ],
    ),
    ("success-keeps-the-wait", &["success-restores-the-cadence"]),
    ("reading-takes-the-wait", &["reading-changes-nothing"]),
    ("gives-up-after-ten", &["always-a-next-attempt"]),
    ("budget-not-charged", &["gives-up-exactly-when-due", "budgets-conserve"]),
    ("clock-zero-is-unset", &["the-clocks-origin-changes-nothing"]),
];

/// What breaks for mistakes that draw for themselves.
const OWN_DRAWS: &[(&str, &[&str])] = &[
    (
        "window-is-exclusive",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "unexpected-begins-the-extended-ladder",
            "reset-exactly-when-due",
        ],
    ),
    (
        "re-entering-pins-at-the-first-rung",
        &[
            "wait-is-jittered-base-or-cadence",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "extended-lasts-until-due",
            "unexpected-begins-the-extended-ladder",
            "reset-exactly-when-due",
        ],
    ),
    ("jitter-lost", &["jitter-spreads", "clients-differ"]),
    ("jitter-lost-at-the-ceiling", &["jitter-spreads"]),
    (
        "full-jitter",
        &[
            "wait-is-jittered-base-or-cadence",
            "wait-within-bounds",
            "base-is-that-of-the-rung",
            "ceiling-reached-and-kept",
            "extended-lasts-until-due",
            "unexpected-begins-the-extended-ladder",
            "reset-exactly-when-due",
        ],
    ),
    ("success-keeps-the-wait", &["success-restores-the-cadence"]),
    ("gives-up-after-ten", &["always-a-next-attempt"]),
    ("asked-and-never-cut", &["server-delay-honoured-and-bounded", "jitter-spreads", "clients-differ"]),
    ("same-draw-for-all", &["jitter-spreads", "clients-differ"]),
    // Only answers to the very same draws can be compared.
    ("clock-zero-is-unset", &[]),
];

/// Each dialect with what shows it, and the laws that it breaks, in the order of all laws.
fn dialects() -> Vec<(ClientKind, &'static [&'static str])> {
    type Laws = &'static [&'static str];
    let of = |dialect, seconds: Option<f64>, laws: Laws| -> (ClientKind, Laws) {
        (ClientKind::Dialect { dialect, seconds: seconds.map(Seconds::Number) }, laws)
    };
    let published = CallSpec { jitter: Jitter::DecorrelatedPublished, attempts: Some(12), ..CallSpec::default() };
    vec![
        // 45 s is cut to 30 s: the whole ladder is below what the claim says, and its ceiling too.
        of(
            Dialect::ClampInitial,
            Some(45.0),
            &["wait-within-bounds", "base-is-that-of-the-rung", "ceiling-reached-and-kept"],
        ),
        // The extended ladder begins at 300 s where 400 s are claimed, and so below the shortest wait.
        of(Dialect::InvertedExtended, Some(400.0), &["wait-within-bounds", "base-is-that-of-the-rung"]),
        // A connection of a minute that brings nothing counts as health.
        of(Dialect::HealthFromConnect, None, &["extended-lasts-until-due", "reset-exactly-when-due"]),
        // A stream of a timeline has one message, so only one more tells.
        of(Dialect::HealthFromLastMessage, None, &["a-success-more-never-lengthens-a-wait"]),
        // A failed handshake, which is normal, begins the extended regime.
        of(Dialect::TlsUnexpected, None, &["reset-exactly-when-due"]),
        of(Dialect::CadenceNotRestored, None, &["success-restores-the-cadence"]),
        of(Dialect::ValidAfterPatch, None, &["valid-comes-with-all-data"]),
        // The hint becomes the base and begins the count anew, in whatever regime.
        of(
            Dialect::RetryHint,
            None,
            &["base-is-that-of-the-rung", "extended-lasts-until-due", "reset-exactly-when-due"],
        ),
        // Nothing is waited where the default of a second is claimed, and nobody is told.
        of(
            Dialect::ZeroLiteral,
            Some(0.0),
            &[
                "wait-within-bounds",
                "base-is-that-of-the-rung",
                "ceiling-reached-and-kept",
                "a-replaced-configuration-is-told",
            ],
        ),
        of(Dialect::DefaultSilent, Some(0.0), &["a-replaced-configuration-is-told"]),
        // A nanosecond doubled thirty times is 1.07 s, and there it stays.
        of(Dialect::ExponentCapped, Some(1e-9), &["base-is-that-of-the-rung", "ceiling-reached-and-kept"]),
        // A second is 2^9 times an odd number of nanoseconds: the 56th doubling leaves nothing of it.
        of(
            Dialect::ExponentWraps,
            None,
            &[
                "wait-within-bounds",
                "base-never-decreases",
                "base-is-that-of-the-rung",
                "ceiling-reached-and-kept",
                "removing-a-success-never-shortens-a-wait",
                "an-extra-failure-never-lowers-the-next-base",
                "huge-inputs-survive",
            ],
        ),
        of(Dialect::ClockZeroUnset, None, &["the-clocks-origin-changes-nothing"]),
        of(Dialect::HttpAlwaysError, None, &["a-failure-is-logged-by-its-kind"]),
        of(Dialect::HttpAlwaysWarning, None, &["a-failure-is-logged-by-its-kind"]),
        of(Dialect::MalformedIsInvalidData, None, &["a-malformed-poll-is-of-no-known-kind"]),
        // Cut at the ceiling after the draw, four in ten wait exactly the ceiling.
        (ClientKind::Call(published), &["jitter-spreads"]),
    ]
}

/// The built-in policies, with each jitter and each limit.
fn built_in() -> Vec<ClientKind> {
    let seconds = Duration::from_secs;
    let mut clients = vec![
        ClientKind::Streaming { initial_reconnect_delay: None },
        ClientKind::Streaming { initial_reconnect_delay: Some(Seconds::Number(45.0)) },
        ClientKind::Polling { poll_interval: None },
        ClientKind::Polling { poll_interval: Some(Seconds::Number(600.0)) },
        ClientKind::Reconnect { outage: CallSpec::reconnect(), reset: ResetSpec::HealthyFor(seconds(60)) },
        ClientKind::Reconnect { outage: CallSpec::reconnect(), reset: ResetSpec::Successes(2) },
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
        CallSpec { retry_after: ServerDelay::Clamp { most: seconds(60), spread: seconds(5) }, ..plain.clone() },
        CallSpec { retry_after: ServerDelay::Clamp { most: seconds(60), spread: seconds(0) }, ..plain.clone() },
        CallSpec { retry_after: ServerDelay::Refuse { most: seconds(60), spread: seconds(5) }, ..plain.clone() },
        CallSpec { budgets: vec![tokens], ..plain.clone() },
        CallSpec { budgets: vec![ratio], ..plain },
    ]);
    clients.extend(calls.into_iter().map(ClientKind::Call));
    let paying = CallSpec { budgets: vec![tokens], ..CallSpec::reconnect() };
    clients.push(ClientKind::Reconnect { outage: paying, reset: ResetSpec::HealthyFor(seconds(60)) });
    clients
}

/// The row of a mistake in the table, and the laws that break for it.
fn row(mistake: &Mistake, vectors: &[Vector]) -> (String, Vec<&'static str>) {
    let client = mistake.client();
    let searched = search(&client, CASES, mistake);
    let mut row = format!("{} ({})\n  {}\n", mistake.name, named::name(&client), mistake.statement);
    for found in searched.broken() {
        let (events, case) = (events(&found.timeline), found.case);
        row += &format!("  law {}: {events} of the {} events of case {case}\n", found.law, found.events_found);
    }
    row += &format!("  vectors: {}\n", failing(mistake, vectors));
    (row, broken(&searched))
}

/// How many vectors fail, and the first.
fn failing(mistake: &Mistake, vectors: &[Vector]) -> String {
    let verdict = |vector: &Vector| {
        let subject = |setup| mistake.vector_subject(setup).expect("asked below");
        match check_subject(vector, subject) {
            Verdict::Failed(mismatch) => Some((mismatch.vector, mismatch.step)),
            Verdict::Passed | Verdict::Skipped => None,
        }
    };
    if vectors.first().is_none_or(|vector| mistake.vector_subject(vector.setup).is_none()) {
        return "none is about this".to_owned();
    }
    let failed: Vec<_> = vectors.iter().filter_map(verdict).collect();
    match failed.first() {
        Some((vector, Some(step))) => format!("{} fail, first \"{vector}\" at step {step}", failed.len()),
        Some((vector, None)) => format!("{} fail, first \"{vector}\"", failed.len()),
        None => "none fails".to_owned(),
    }
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

fn search(client: &ClientKind, cases: u64, subject: &dyn Subject) -> Searched {
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
fn quiet(client: &ClientKind) -> Claim {
    Claim { logs: false, replaced: None, ..Claim::of(&Client::new(client.clone())) }
}

fn built(client: &ClientKind) -> BuiltIn {
    build(client).expect("a built-in client").0
}

/// Does the same with each, on two threads, and gives what came of it in their order.
fn on_two_threads<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((nth, one)) =
                    Some(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)).and_then(|n| Some((n, all.get(n)?)))
                {
                    let result = work(one);
                    done.lock().expect("nobody panicked").push((nth, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nobody panicked");
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A policy that does not say where it stands.
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

    fn record_unmade(&mut self, failure: Failure) {
        self.0.record_unmade(failure);
    }

    fn record_abandoned(&mut self) {
        self.0.record_abandoned();
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }
}

/// The same with a generator of its own, seeded anew for each client.
struct Own<P> {
    policy: Unexplained<P>,
    draws: Draws,
}

impl<P> Own<P> {
    fn new(policy: P) -> Self {
        static CLIENTS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let client = CLIENTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Self { policy: Unexplained(policy), draws: Entropy::new(7).client(client) }
    }
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
