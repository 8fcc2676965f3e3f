//! The table of polling events, one test per row: the retry state's input, the status, the log line, the wait, and
//! their order.

use std::sync::Arc;

use retrylab_core::{Fault, Instant, Regime};
use retrylab_source::{Cause, Connection, PollInput, PollNeed, PollResponse, PollingConfig, SourceOptions, State};

use crate::poll_player::{BODY, Poll};
use crate::unruly::{Forgetful, How, NoDecoder, NoStore};

#[test]
fn source_starts() {
    let mut poll = Poll::new();
    assert_eq!(poll.machine.need(), PollNeed::Start);
    assert_eq!(
        poll.at(7.0).start(),
        ["info: Starting to poll every 30s (http://example.org/sdk/latest-all)", "poll 1"]
    );
    assert_eq!(poll.machine.need(), PollNeed::Response { poll: 1, etag: None });
}

#[test]
fn source_starts_and_logs_the_interval_as_configured_or_raised_to_the_minimum() {
    for (configured, shown, warning) in [
        (5.0, "30", None),
        (-1.0, "30", None),
        (45.5, "45.5", None),
        (f64::NAN, "NaN", Some("NaN")),
        (f64::INFINITY, "inf", Some("inf")),
    ] {
        let mut poll = Poll::with(configured, SourceOptions::default());
        let warning = warning.map(|given| {
            format!(
                "warning: poll_interval must be a positive finite number of seconds, not {given}; \
                 using the default of 30s"
            )
        });
        let start = format!("info: Starting to poll every {shown}s (http://example.org/sdk/latest-all)");
        let expected: Vec<_> = warning.into_iter().chain([start, "poll 1".to_owned()]).collect();
        assert_eq!(poll.start(), expected);
    }
}

#[test]
fn source_starts_with_an_unusable_base_uri_and_goes_off_with_one_error_line() {
    let mut poll = Poll::of(PollingConfig::new(Connection::to("ftp://example.org")).source());
    assert_eq!(
        poll.start(),
        [
            "error: The base URI is invalid, so there will be no data \
             (the base URI `ftp://example.org` has the scheme ftp; http or https is allowed)",
            "status OFF, seen as OFF",
            "stopped"
        ]
    );
    assert_eq!(poll.machine.need(), PollNeed::Stopped);
}

#[test]
fn status_200_stored() {
    let mut poll = Poll::polling();
    assert_eq!(
        poll.at(2.0).body(BODY, None),
        [
            "apply",
            "status VALID, seen as VALID",
            "check the store",
            "ready",
            "info: Initialized ok",
            "debug: Data handled",
            "success",
            "wait until 32s",
        ]
    );
    assert_eq!(poll.machine.need(), PollNeed::Wait(Instant::from_secs(32)));
    assert_eq!(poll.at(32.0).timer(), ["poll 2"]);
    assert_eq!(
        poll.body(BODY, None),
        ["apply", "status VALID, not seen", "check the store", "debug: Data handled", "success", "wait until 62s",]
    );
    assert_eq!(poll.draws, 0);
}

#[test]
fn status_200_stored_in_a_store_that_has_no_data_yet_is_not_ready() {
    let mut poll = Poll::polling();
    poll.store = Arc::new(Forgetful(|| false));
    assert_eq!(
        poll.body(BODY, None),
        ["apply", "status VALID, seen as VALID", "check the store", "debug: Data handled", "success", "wait until 30s"]
    );
    poll.at(30.0).timer();
    poll.store = Arc::new(Forgetful(|| true));
    assert!(poll.body(BODY, None).contains(&"ready".to_owned()), "with the first poll after which it has");
}

#[test]
fn status_304_cached_body() {
    let mut poll = Poll::polling();
    poll.body(BODY, Some("\"v1\""));
    assert_eq!(poll.at(30.0).timer(), ["poll 2 unless \"v1\""]);
    assert_eq!(poll.machine.need(), PollNeed::Response { poll: 2, etag: Some("\"v1\"".to_owned()) });
    assert_eq!(
        poll.response(PollResponse::NotModified),
        [
            "debug: Data not modified",
            "apply",
            "status VALID, not seen",
            "check the store",
            "debug: Data handled",
            "success",
            "wait until 60s"
        ]
    );
    // A response without a tag clears the stored tag.
    poll.at(60.0).timer();
    poll.body(BODY, None);
    assert_eq!(poll.at(90.0).timer(), ["poll 4"]);
}

#[test]
fn status_304_counts_towards_the_two_successes() {
    let mut poll = Poll::polling();
    poll.body(BODY, Some("\"v1\""));
    poll.at(30.0).timer();
    poll.failed(Cause::Status(401));
    assert_eq!(poll.machine.policy().regime(), Regime::Extended);
    for (seconds, regime) in [(330.0, Regime::Extended), (360.0, Regime::Normal)] {
        poll.at(seconds).timer();
        let lines = poll.response(PollResponse::NotModified);
        assert!(lines.contains(&"success".to_owned()));
        assert_eq!(poll.machine.policy().regime(), regime);
    }
}

#[test]
fn first_success_while_extended() {
    let mut poll = Poll::polling();
    poll.failed(Cause::Status(401));
    assert_eq!(poll.at(300.0).timer(), ["poll 2"]);
    let lines = poll.body(BODY, None);
    assert_eq!(lines[1], "status VALID, seen as VALID (ERROR_RESPONSE 401)");
    assert_eq!(lines.last().unwrap(), "wait until 330s", "the interval, not the ladder");
    assert_eq!(poll.machine.policy().regime(), Regime::Extended);
    poll.at(330.0).timer();
    assert_eq!(poll.failed(Cause::Status(503))[0], "normal failure 503: 600s", "one good poll does not reset");
}

#[test]
fn second_success_in_a_row() {
    let mut poll = Poll::polling();
    poll.failed(Cause::Status(401));
    poll.at(300.0).timer();
    poll.body(BODY, None);
    poll.at(330.0).timer();
    let lines = poll.body(BODY, None);
    assert_eq!(lines[1], "status VALID, not seen");
    assert_eq!(lines.last().unwrap(), "wait until 360s");
    assert_eq!((poll.machine.policy().regime(), poll.machine.policy().attempts()), (Regime::Normal, 0));
    poll.at(360.0).timer();
    assert_eq!(poll.failed(Cause::Status(503))[0], "normal failure 503: 30s");
}

#[test]
fn http_400_408_429_or_5xx() {
    for status in [400, 408, 429, 500, 503] {
        let mut poll = Poll::valid();
        assert_eq!(
            poll.failed(Cause::Status(status)),
            [
                format!("normal failure {status}: 30s"),
                format!("warning: Received HTTP error {status} for polling request - will retry in 30.0s"),
                format!("status INTERRUPTED (ERROR_RESPONSE {status}), seen as INTERRUPTED (ERROR_RESPONSE {status})"),
                "wait until 60s".to_owned(),
            ]
        );
        assert_eq!(poll.at(60.0).timer(), ["poll 3"]);
        assert_eq!(poll.failed(Cause::Status(status))[0], format!("normal failure {status}: 30s"), "it never climbs");
    }
}

#[test]
fn http_503_while_extended_takes_the_next_rung_and_never_less_than_the_interval() {
    let mut poll = Poll::with(1_000.0, SourceOptions::default());
    poll.start();
    assert_eq!(poll.failed(Cause::Status(401))[0], "unexpected failure 401: 1000s");
    poll.at(1_000.0).timer();
    // The second rung is 2,000 s, and half of all draws subtract a quarter of it.
    let response = PollResponse::Failed { cause: Cause::Status(503), retry_after: None, detail: None };
    assert_eq!(poll.feed_with(PollInput::Responded { poll: 2, response }, 1 << 63)[0], "normal failure 503: 1500s");

    let mut poll = Poll::with(600.0, SourceOptions::default());
    poll.start();
    let response = PollResponse::Failed { cause: Cause::Status(401), retry_after: None, detail: None };
    let lines = poll.feed_with(PollInput::Responded { poll: 1, response }, u64::MAX);
    assert_eq!(lines[0], "unexpected failure 401: 600s", "the interval hides the jitter");
    assert_eq!(poll.draws, 1, "the draw is still taken");
}

#[test]
fn http_other_4xx() {
    for (status, hint) in [(401, " (invalid SDK key)"), (403, " (invalid SDK key)"), (404, ""), (410, "")] {
        let mut poll = Poll::polling();
        assert_eq!(
            poll.failed(Cause::Status(status)),
            [
                format!("unexpected failure {status}: 300s"),
                format!("error: Received HTTP error {status}{hint} for polling request - will retry in 300.0s"),
                format!("status INTERRUPTED (ERROR_RESPONSE {status}), seen as INITIALIZING (ERROR_RESPONSE {status})"),
                "wait until 300s".to_owned(),
            ]
        );
        poll.at(300.0).timer();
        assert_eq!(poll.failed(Cause::Status(status))[0], format!("unexpected failure {status}: 600s"));
    }
}

#[test]
fn transport_tls_or_timeout() {
    for (fault, words) in [
        (Fault::Dns, "the host name was not resolved"),
        (Fault::Refused, "the connection was refused"),
        (Fault::Reset, "the connection was reset"),
        (Fault::Close, "the server closed the connection"),
        (Fault::Tls, "the TLS handshake failed"),
        (Fault::Certificate, "the certificate was not accepted"),
        (Fault::Timeout, "timed out"),
    ] {
        let mut poll = Poll::valid();
        let detail = Some("os error 104".to_owned());
        assert_eq!(
            poll.response(PollResponse::Failed { cause: Cause::Fault(fault), retry_after: None, detail }),
            [
                &format!("normal failure {fault}: 30s"),
                &format!("error: Error encountered when updating flags: {words} (os error 104) - will retry in 30.0s"),
                "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
                "wait until 60s",
            ]
        );
    }
}

#[test]
fn body_not_json() {
    let mut poll = Poll::valid();
    assert_eq!(
        poll.body("{sorry", None),
        [
            "apply",
            "normal failure malformed: 30s",
            "error: Error encountered when updating flags: the data cannot be parsed \
             (not JSON: key must be a string at line 1 column 2) - will retry in 30.0s",
            "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
            "wait until 60s",
        ]
    );
}

#[test]
fn body_that_lacks_keys() {
    let mut poll = Poll::valid();
    assert_eq!(
        poll.body(r#"{"flags": {}}"#, None)[1..],
        [
            "normal failure missing-key: 30s",
            "error: Error encountered when updating flags: the data lacks a required key \
             (`segments` is not an object) - will retry in 30.0s",
            "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
            "wait until 60s",
        ]
    );
}

#[test]
fn decoder_panics() {
    let mut poll = Poll::valid();
    poll.decoder = Arc::new(NoDecoder(Some(How::PanicTwice)));
    assert_eq!(poll.body(BODY, None)[1], "normal failure missing-key: 30s");
}

#[test]
fn status_304_without_cache() {
    let mut poll = Poll::polling();
    assert_eq!(
        poll.response(PollResponse::NotModified),
        [
            "normal failure 304: 30s",
            "error: Error encountered when updating flags: status 304 without data - will retry in 30.0s",
            "status INTERRUPTED (UNKNOWN), seen as INITIALIZING (UNKNOWN)",
            "wait until 30s",
        ]
    );
}

#[test]
fn status_204_or_a_redirect_that_is_not_followed() {
    for status in [204, 301, 302, 399] {
        assert_eq!(
            Poll::polling().failed(Cause::Status(status)),
            [
                format!("normal failure {status}: 30s"),
                format!(
                    "error: Error encountered when updating flags: status {status} without data \
                     - will retry in 30.0s"
                ),
                "status INTERRUPTED (UNKNOWN), seen as INITIALIZING (UNKNOWN)".to_owned(),
                "wait until 30s".to_owned(),
            ]
        );
    }
}

#[test]
fn store_raises() {
    for (how, text) in [
        (How::Error, "the store failed: disk full"),
        (How::Panic, "panicked: disk on fire"),
        (How::PanicTwice, "panicked: no text"),
    ] {
        let mut poll = Poll::valid();
        poll.store = Arc::new(NoStore(how));
        assert_eq!(
            poll.body(BODY, Some("\"v2\"")),
            [
                "apply",
                "status INTERRUPTED (STORE_ERROR), seen as INTERRUPTED (STORE_ERROR)",
                "normal failure store: 30s",
                &format!(
                    "error: Error encountered when updating flags: the data could not be stored ({text}) \
                     - will retry in 30.0s"
                ),
                "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
                "wait until 60s",
            ]
        );
        assert_eq!(poll.draws, 1);
        assert_eq!(poll.at(60.0).timer(), ["poll 3"], "the tag of data that was not stored is not sent");
    }
}

#[test]
fn stored_but_the_valid_or_ready_step_raises() {
    let mut poll = Poll::polling();
    poll.store = Arc::new(Forgetful(|| panic!("asked")));
    assert_eq!(
        poll.body(BODY, None),
        [
            "apply",
            "status VALID, seen as VALID",
            "check the store",
            "normal failure store: 30s",
            "error: Error encountered when updating flags: the data could not be stored (panicked: asked) \
             - will retry in 30.0s",
            "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
            "wait until 30s",
        ]
    );
}

#[test]
fn environment_id_header_present() {
    let mut poll = Poll::polling();
    poll.store = Arc::new(NoStore(How::Error));
    let lines = poll.body_from(BODY, None, Some("production"));
    assert_eq!(lines[..2], ["environment production", "apply"], "before the store is touched");
    let mut poll = Poll::polling();
    assert_eq!(poll.body_from(BODY, None, Some(""))[0], "apply", "an empty name is none");
}

#[test]
fn stop_during_a_wait() {
    let mut poll = Poll::polling();
    poll.failed(Cause::Status(401));
    assert_eq!(poll.at(1.0).stop(), ["info: Stopping", "status OFF, seen as OFF (ERROR_RESPONSE 401)", "stopped"]);
    assert_eq!(poll.at(300.0).timer(), [""; 0]);
    assert_eq!(poll.machine.need(), PollNeed::Stopped);
}

#[test]
fn stop_during_a_poll() {
    let mut poll = Poll::valid();
    assert_eq!(poll.stop(), ["info: Stopping", "drop 2", "status OFF, seen as OFF", "stopped"]);
    assert_eq!(poll.body(BODY, None), [""; 0]);
    assert_eq!(poll.failed(Cause::Status(503)), [""; 0]);
    assert_eq!((poll.stop(), poll.start()), (vec![], vec![]));
    assert_eq!((poll.draws, poll.lines.status.state), (0, State::Off));
}

#[test]
fn stop_before_the_start_and_start_after_the_stop() {
    let mut poll = Poll::new();
    assert_eq!(poll.stop(), ["info: Stopping", "status OFF, seen as OFF", "stopped"]);
    assert_eq!(poll.start(), [""; 0]);
}

#[test]
fn start_twice() {
    let mut poll = Poll::polling();
    assert_eq!(poll.start(), ["info: Already started; starting again changes nothing"]);
    assert_eq!(poll.machine.need(), PollNeed::Response { poll: 1, etag: None });
}

#[test]
fn the_wait_begins_when_the_poll_has_ended() {
    let mut poll = Poll::polling();
    assert_eq!(poll.at(12.0).failed(Cause::Status(503))[3], "wait until 42s");
    poll.at(42.0).timer();
    assert_eq!(poll.at(49.0).body(BODY, None).last().unwrap(), "wait until 79s");
}

#[test]
fn a_response_to_another_poll_is_ignored() {
    let mut poll = Poll::valid();
    poll.poll = 1;
    assert_eq!(poll.failed(Cause::Status(401)), [""; 0]);
    poll.poll = 3;
    assert_eq!(poll.body(BODY, None), [""; 0]);
    assert_eq!(poll.draws, 0);
}

#[test]
fn an_input_of_another_step_is_ignored() {
    let mut poll = Poll::valid();
    assert_eq!(poll.feed(PollInput::Applied { poll: 2, result: Ok(()) }), [""; 0], "there is nothing to store");
    assert_eq!(
        poll.feed(PollInput::StoreChecked { poll: 2, result: Ok(true) }),
        [""; 0],
        "no check of the store is under way"
    );
    assert_eq!(poll.timer(), [""; 0], "no wait is under way");
}
