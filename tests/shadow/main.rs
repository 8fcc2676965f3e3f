//! Shadow runs: a scripted server plays every timeline file to both drivers, over real sockets, and what the drivers do has
//! to be what the simulation says, to the nanosecond. One test a file and driver (`std/streaming/window-exact`).
//!
//! Waits take no time: the driver's sleeper steps the clock that the server shares. The server lets time pass on it, too,
//! while it is sure that the source only listens. So every time, delay, status and log line has one right value, and all of
//! them come in one right order. What cannot be acted out is listed in `left-out.txt`, with the reason.

mod draws;
mod drivers;
mod expected;
mod files;
mod lines;
mod port;
mod script;
mod server;
mod stage;
mod wire;

use std::panic;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use retrylab_source::Connection;
use retrylab_spec::{File, Timeline, parse};

use self::drivers::Driver;
use self::expected::expected;
use self::files::Scenario;
use self::stage::{Cue, Ended, Stage};
use self::wire::Security;

const SIMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sims");
const LEFT_OUT: &str = include_str!("left-out.txt");

/// What takes a run less than a second, in real time, counts as blocked after this long.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let (scenarios, left_out) = match files::scenarios(Path::new(SIMS)) {
        Ok(scenarios) => scenarios,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = about_this_test(left_out);
    for scenario in scenarios {
        let scenario = Arc::new(scenario);
        trials.extend(Driver::ALL.map(|driver| {
            let scenario = Arc::clone(&scenario);
            Trial::test(format!("{}/{}", driver.name(), scenario.name), move || {
                compare(driver, &scenario, &scenario.timeline).map_err(Failed::from)
            })
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Has the driver meet what the scenario says, and compares with the simulation of `simulated`.
fn compare(driver: Driver, scenario: &Scenario, simulated: &Timeline) -> Result<(), String> {
    let security = if scenario.needs_tls() { Security::tls() } else { Security::None };
    let (stage, cues) = Stage::new(scenario.timeline.clone(), scenario.seed());
    let stage = Arc::new(stage);
    let acted = Arc::clone(&stage);
    let got = match in_time(move || act(driver, &acted, &cues, &security)) {
        Ok(()) => stage.lines(),
        Err(problem) => return Err(format!("{problem} after\n{}", stage.lines().join("\n"))),
    };
    let expected = expected(simulated, scenario.seed()).map_err(|error| error.to_string())?;
    let same = got.iter().zip(&expected).take_while(|(got, expected)| got == expected).count();
    if same == got.len() && same == expected.len() {
        return Ok(());
    }
    let rest = |lines: &[String]| lines.get(same).cloned().unwrap_or_else(|| "nothing more".to_owned());
    let before = expected[same.saturating_sub(6)..same].join("\n");
    Err(format!("after\n{before}\nthe simulation:  {}\nthe {} driver: {}", rest(&expected), driver.name(), rest(&got)))
}

/// Plays the server, and the user who stops the source, until the run is over and nothing of the source is left.
fn act(driver: Driver, stage: &Arc<Stage>, cues: &Receiver<Cue>, security: &Security) {
    let address = stage.address();
    let (scheme, authorities) = match security {
        Security::None => ("http", None),
        Security::Tls { authority, .. } => ("https", Some(authority.clone().into_bytes())),
    };
    let connection = Connection {
        authorities,
        // Nothing of a run depends on how fast it is.
        connect_timeout: 2 * PATIENCE,
        read_timeout: 2 * PATIENCE,
        ..Connection::to(format!("{scheme}://{address}"))
    };
    stage.begin_attempt();
    let running = driver.start(stage, connection);
    let (ended, wire) = loop {
        match cues.recv().expect("a stage that gives cues") {
            Cue::Answer(listener, entry) => {
                let cut = server::answer(stage, listener, &entry, security).expect("a connection to the source");
                if let Some((ended, wire)) = cut {
                    break (ended, Some(wire));
                }
            }
            Cue::End(ended) => break (ended, None),
        }
    };
    if ended == Ended::Stop {
        stage.note_stop();
    }
    running.stop();
    running.join();
    if let Some(wire) = wire {
        wire.close();
    }
}

/// Runs it on a thread of its own, and gives up on it if it blocks.
#[expect(clippy::disallowed_methods, reason = "a run that blocks has to fail, not to keep everybody waiting")]
fn in_time(run: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let (done, is_done) = channel();
    thread::spawn(move || {
        let result = panic::catch_unwind(panic::AssertUnwindSafe(run));
        let _ = done.send(result.is_ok());
    });
    match is_done.recv_timeout(PATIENCE) {
        Ok(true) => Ok(()),
        Ok(false) | Err(RecvTimeoutError::Disconnected) => Err("the server panicked".to_owned()),
        Err(RecvTimeoutError::Timeout) => Err(format!("it blocks: no data for {PATIENCE:?}")),
    }
}

/// What is said above about failing, and about the list.
fn about_this_test(left_out: String) -> Vec<Trial> {
    let mut trials = vec![Trial::test("this-test/the-list-of-what-is-left-out-is-exact", move || {
        if left_out == LEFT_OUT {
            return Ok(());
        }
        Err(format!("tests/shadow/left-out.txt has to be\n{left_out}").into())
    })];
    trials.extend(Driver::ALL.map(|driver| {
        Trial::test(format!("this-test/{}-one-nanosecond-is-noticed", driver.name()), move || {
            let scenario = Scenario { name: "made-up".to_owned(), timeline: made_up("1s") };
            compare(driver, &scenario, &scenario.timeline)?;
            let problem = compare(driver, &scenario, &made_up("1.000000001s")).expect_err("a difference");
            let line = |delay| format!("0s (attempt 1): records a failure, Status(503), Normal, next delay {delay}");
            assert!(problem.contains(&line("1s")) && problem.contains(&line("1.000000001s")), "{problem}");
            Ok(())
        })
    }));
    trials
}

fn made_up(initial: &str) -> Timeline {
    let text = format!(
        "why = \"Made up.\"\nclient = {{ kind = \"streaming\", initial_reconnect_delay = \"{initial}\", jitter = \"none\" }}\n\
         [[timeline]]\nplay = [{{ status = 503 }}]\n"
    );
    match parse("made-up.toml", &text).expect("a file that can be read").file {
        File::Played(timeline) => timeline,
        _ => unreachable!("a file that is played"),
    }
}
