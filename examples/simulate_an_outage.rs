//! Simulates an outage and compares two policies in it. `cargo run --example simulate_an_outage`

use retrylab::{Constant, Exponential, IntoPolicy, Run, ServerDelay, secs, simulate};

/// A busy minute, of which the server says how long it lasts, then an error that passes.
fn outage(policy: impl IntoPolicy) -> Run {
    simulate(policy).outage(503, secs(60)).retry_after(secs(20)).fails(500, 1).then_ok().seed(7).run()
}

fn main() {
    let patient = Exponential::new(secs(2), secs(30)).attempts(8);
    let patient = patient.retry_after(ServerDelay::clamp(secs(60)).spread(secs(5)));
    let run = outage(patient);
    println!("hears what the server asks for: {} attempts in {:?}\n\n{}", run.attempts(), run.lasted(), run.trace());

    let run = outage(Constant::new(secs(1)).attempts(100));
    println!("asks every second: {} attempts in {:?}", run.attempts(), run.lasted());
}
