//! One attack on one source.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use retrylab_source::{Connection, State};
use tokio::runtime::Runtime;

use crate::PATIENCE;
use crate::attacks::Attack;
use crate::certificates::TRUSTED;
use crate::process::Peak;
use crate::server::Server;
use crate::subject::{Driver, Subject, Told};

pub(crate) struct Figures {
    /// Connections that the server took.
    pub(crate) attempts: u64,
    /// What was more in memory than before, at the worst moment, in KiB; the server is in it.
    pub(crate) peak: u64,
    /// What the source recorded of each attempt.
    pub(crate) taken_for: String,
}

/// Attacks a source several times, and expects each time what it must be told; then lets the server be well, and expects
/// the source to have data.
pub(crate) fn put_to(attack: &Attack, driver: Driver, runtime: &Runtime) -> Result<Figures, String> {
    let Attack { form, secure, expected, .. } = attack;
    let server = Server::start(*form, *secure, attack.script.clone()).map_err(|error| error.to_string())?;
    let connection = Connection {
        connect_timeout: attack.connect_timeout,
        read_timeout: attack.read_timeout,
        size_limit: attack.size_limit,
        authorities: secure.then(|| TRUSTED.authority.clone().into_bytes()),
        ..Connection::to(format!("{}://{}", if *secure { "https" } else { "http" }, server.address))
    };
    let peak = Peak::watch()?;
    let subject = Subject::start(driver, *form, connection, runtime);
    for attempt in 0..attack.attempts {
        for expected in expected {
            expect(&subject, *expected).map_err(|problem| format!("attempt {attempt}: {problem}"))?;
        }
    }
    recover(&server, &subject, expected)?;
    let attempts = server.taken();
    subject.end(runtime);
    let peak = peak.growth()?;
    if peak > attack.memory {
        return Err(format!("{peak} KiB more in memory than before; {} are allowed", attack.memory));
    }
    Ok(Figures { attempts, peak, taken_for: words(expected) })
}

/// Expects it to be the next that the source tells.
pub(crate) fn expect(subject: &Subject, expected: Told) -> Result<(), String> {
    match next(subject, PATIENCE) {
        Ok(told) if told == expected => Ok(()),
        Ok(told) => Err(format!("{expected:?} was expected, {told:?} was recorded")),
        Err(_) => Err(format!("{expected:?} was expected, no data for {PATIENCE:?}")),
    }
}

/// Lets the server be well, and waits until the source is, too. Until then it may record what it was attacked with.
pub(crate) fn recover(server: &Server, subject: &Subject, attacked_with: &[Told]) -> Result<(), String> {
    const STEP: Duration = Duration::from_millis(1);
    server.be_well();
    let mut steps = 0;
    while server.answered_well() == 0 || subject.state() != State::Valid {
        match next(subject, STEP) {
            Ok(Told::Success) => {}
            Ok(told) if attacked_with.contains(&told) => {}
            Ok(told) => return Err(format!("{told:?} was recorded on the way to a server that is well")),
            Err(_) => steps += 1,
        }
        if steps > PATIENCE.as_millis() {
            return Err(format!("{} {PATIENCE:?} after the server was well", subject.state()));
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a source that is stuck has to fail its trial")]
fn next(subject: &Subject, within: Duration) -> Result<Told, RecvTimeoutError> {
    subject.told.recv_timeout(within)
}

fn words(told: &[Told]) -> String {
    told.iter().map(Told::to_string).collect::<Vec<_>>().join(", ")
}
