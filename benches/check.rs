//! Cases a second of a search, as `check` plays them: each generated, played, and checked against every applicable law, on
//! one thread.

#![expect(clippy::float_arithmetic, reason = "reports measured times; nothing depends on them")]

mod compare;
mod contender;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::Criterion;
use retrylab_laws::{Claim, Described, LAWS};
use retrylab_search::Search;
use retrylab_spec::named;

use compare::{is_timed, medians_ns, report};
use contender::Contender;

const POLICIES: [&str; 4] = ["streaming", "polling", "call", "reconnect"];

/// Cases of one search: enough that its start costs nothing.
const CASES: u64 = 256;

const ROUNDS: usize = 21;

fn main() {
    let mut all = POLICIES.map(searched);
    let mut criterion = Criterion::default().configure_from_args();
    report(&mut criterion, "check", CASES, &mut all);
    criterion.final_summary();
    if is_timed() {
        let mut all: Vec<&mut Contender> = all.iter_mut().collect();
        let times = medians_ns(&mut all, ROUNDS, Duration::from_millis(20));
        println!("\nSearches of {CASES} cases on one thread: the median of {ROUNDS} rounds.\n");
        println!("{:<26}{:>16}{:>16}", "", "cases a second", "µs a case");
        for (contender, time) in all.iter().zip(times) {
            let case = time / CASES as f64;
            println!("{:<26}{:>16.0}{:>16.1}", contender.name, 1e9 / case, case / 1e3);
        }
    }
}

fn searched(policy: &str) -> Contender {
    let client = named::client(policy).expect("a built-in policy");
    let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(CASES);
    let subject = Described(client);
    Contender::new(policy, move |times| {
        for seed in 0..times {
            let searched = search.clone().seed(seed).run(&subject, |_| ControlFlow::Continue(()));
            assert!(searched.broken().next().is_none(), "a built-in policy obeys every law");
            black_box(searched);
        }
    })
}
