//! Events per second through the virtual-time queue, beside a plain `BinaryHeap` that does not keep the order of ties.
//!
//! A fixed number of timers is pending. The next one fires and is set again, a random wait later, as in a fleet whose
//! clients all wait for their next attempt.

#![expect(clippy::float_arithmetic, reason = "reports measured times; nothing depends on them")]

mod compare;
mod contender;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use retrylab_sim::{Entropy, EventQueue};

use compare::{is_timed, medians_ns, report};
use contender::Contender;

/// Numbers of pending timers.
const PENDING: [u32; 3] = [1, 1_000, 100_000];

const ROUNDS: usize = 201;

fn main() {
    let mut pairs = PENDING.map(|pending| [queue(pending), plain_heap(pending)]);
    let mut criterion = Criterion::default().configure_from_args();
    for (pending, pair) in PENDING.iter().zip(&mut pairs) {
        report(&mut criterion, &format!("scheduler/{pending} pending"), 1, pair);
    }
    criterion.final_summary();
    if is_timed() {
        print_table(pairs);
    }
}

fn queue(pending: u32) -> Contender {
    let mut waits = waits();
    let mut queue = EventQueue::new();
    for (client, wait) in (0..pending).zip(&mut waits) {
        queue.schedule(wait, client);
    }
    Contender::new("event queue", move |events| {
        for (_, wait) in (0..events).zip(&mut waits) {
            if let Some((now, client)) = queue.pop() {
                queue.schedule(now + wait, black_box(client));
            }
        }
    })
}

fn plain_heap(pending: u32) -> Contender {
    let mut waits = waits();
    let mut heap = BinaryHeap::new();
    for (client, wait) in (0..pending).zip(&mut waits) {
        heap.push(Reverse((wait, client)));
    }
    Contender::new("plain heap", move |events| {
        for (_, wait) in (0..events).zip(&mut waits) {
            if let Some(Reverse((now, client))) = heap.pop() {
                heap.push(Reverse((now + wait, black_box(client))));
            }
        }
    })
}

/// Waits between 15 s and 30 s in nanoseconds, prepared in advance and reused.
fn waits() -> impl Iterator<Item = u64> {
    let mut draws = Entropy::new(7).client(0);
    let waits: Vec<u64> = (0..4096).map(|_| 30_000_000_000 - draws.next_draw() % 15_000_000_000).collect();
    waits.into_iter().cycle()
}

fn print_table(mut pairs: [[Contender; 2]; 3]) {
    let mut all: Vec<&mut Contender> = pairs.iter_mut().flatten().collect();
    let times = medians_ns(&mut all, ROUNDS, Duration::from_millis(1));
    println!("\nMillion events per second: the median of {ROUNDS} rounds.\n");
    println!("{:>10}{:>14}{:>14}{:>8}", "pending", "event queue", "plain heap", "ratio");
    for (pending, times) in PENDING.iter().zip(times.chunks_exact(2)) {
        let [queue, heap] = [times[0], times[1]];
        println!("{pending:>10}{:>14.2}{:>14.2}{:>8.2}", 1e3 / queue, 1e3 / heap, heap / queue);
    }
}
