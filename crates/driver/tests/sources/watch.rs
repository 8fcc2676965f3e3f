//! Log lines go through `tracing`, at their levels and in their words, whoever else listens.

use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex};

use retrylab_core::Fault;
use retrylab_driver::source::Watch;
use retrylab_source::{LogMessage, LogRecord, Observer};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Broken;

impl Observer for Broken {
    fn log(&self, _: &LogRecord) {
        panic!("no log")
    }
}

fn written(records: impl IntoIterator<Item = LogRecord>) -> String {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .without_time()
        .with_ansi(false)
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let watch = Watch::new(Arc::new(Broken), || ());
        records.into_iter().for_each(|record| watch.write(&record));
    });
    String::from_utf8(lines.0.lock().expect("no panic").clone()).expect("works")
}

#[test]
fn a_line_has_its_level_the_target_and_its_words() {
    let delay = Some(std::time::Duration::from_millis(1500)).into();
    let error = LogMessage::StreamError { fault: Fault::Reset, delay };
    let text = written([
        LogRecord::new(LogMessage::Handled),
        LogRecord::new(LogMessage::Initialized),
        LogRecord::new(LogMessage::ServerClosed { delay }),
        LogRecord::new(LogMessage::Unparseable { delay }),
        LogRecord::new(error).with_detail(Some("os error 104".to_owned())),
    ]);
    assert_eq!(
        text.lines().map(str::trim_start).collect::<Vec<_>>(),
        [
            "DEBUG retrylab: Data handled",
            "INFO retrylab: Initialized ok",
            "WARN retrylab: The server closed the stream connection - will retry in 1.5s",
            "ERROR retrylab: Unparseable data on stream connection: the data cannot be parsed - will retry in 1.5s",
            "WARN retrylab: Error on stream connection: the connection was reset (os error 104) - will retry in 1.5s",
        ]
    );
}

/// Tests itself in a process of its own, whose environment asks for stack traces or does not.
#[test]
fn a_line_has_its_stack_trace_if_they_are_enabled() {
    const NAME: &str = "watch::a_line_has_its_stack_trace_if_they_are_enabled";
    const ASKED: &str = "RETRYLAB_TEST_TRACES";
    let Ok(asked) = std::env::var(ASKED) else {
        for asked in ["0", "1"] {
            let mut again = Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", NAME]).env_remove("RUST_LIB_BACKTRACE");
            assert!(again.env("RUST_BACKTRACE", asked).env(ASKED, asked).status().unwrap().success(), "{asked}");
        }
        return;
    };
    let wants = written([LogRecord::new(LogMessage::CallbackFailed)]);
    assert_eq!(wants.contains("backtrace="), asked == "1", "{wants}");
    assert_eq!(wants.contains("retrylab_driver::source::watch::"), asked == "1", "{wants}");
    let delay = Some(std::time::Duration::from_secs(1)).into();
    let plain = written([LogRecord::new(LogMessage::Unparseable { delay })]);
    assert!(!plain.contains("backtrace"), "{plain}");
}
