//! Log lines go through `tracing`, at their levels and in their words, whoever else listens.

use std::io;
use std::sync::{Arc, Mutex};

use retrylab_core::Fault;
use retrylab_driver_std::source::Watch;
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

#[test]
fn a_line_has_its_level_the_target_and_its_words() {
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
        let delay = Some(std::time::Duration::from_millis(1500)).into();
        for message in [
            LogMessage::Handled,
            LogMessage::Initialized,
            LogMessage::ServerClosed { delay },
            LogMessage::Unparseable { delay },
        ] {
            watch.write(&LogRecord::new(message));
        }
        let error = LogMessage::StreamError { fault: Fault::Reset, delay };
        watch.write(&LogRecord::new(error).with_detail(Some("os error 104".to_owned())));
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        text.lines().map(str::trim_start).collect::<Vec<_>>(),
        [
            "DEBUG retrylab: Data handled",
            "INFO retrylab: Initialized ok",
            "WARN retrylab: The server closed the stream connection - will retry in 1.5s",
            "ERROR retrylab: Unparseable data on stream connection: the data cannot be parsed - will retry in 1.5s",
            "WARN retrylab: Error on stream connection: the connection broke off (os error 104) - will retry in 1.5s",
        ]
    );
}
