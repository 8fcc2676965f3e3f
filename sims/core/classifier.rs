//! How a bounded call classifies: statuses, faults, whether something was sent, and classifiers that are put together.

use std::time::Duration;

use retrylab_core::{AllTransient, Classified, Classify, Failure, FailureKind, Fault, Idempotency, Sent};

use crate::client::s;

const NORMAL: FailureKind = FailureKind::Normal;
const UNEXPECTED: FailureKind = FailureKind::Unexpected;

#[test]
fn seven_statuses_are_transient_and_every_other_number_is_terminal() {
    let transient = [408, 425, 429, 500, 502, 503, 504];
    for status in -1000..2000 {
        let expected = if transient.contains(&status) { NORMAL } else { UNEXPECTED };
        assert_eq!(FailureKind::from_call_status(status), expected, "{status}");
    }
    assert_eq!(FailureKind::from_call_status(i64::MIN), UNEXPECTED);
    assert_eq!(FailureKind::from_call_status(i64::MAX), UNEXPECTED);
    assert_eq!((100..=599).filter(|status| FailureKind::from_call_status(*status) == NORMAL).count(), 7);
}

/// Each fault: its kind in a call, and whether the server may have acted.
const FAULTS: [(Fault, FailureKind, Sent); 11] = [
    (Fault::Dns, NORMAL, Sent::No),
    (Fault::Refused, NORMAL, Sent::No),
    (Fault::Reset, NORMAL, Sent::Maybe),
    (Fault::Timeout, NORMAL, Sent::Maybe),
    (Fault::Tls, NORMAL, Sent::No),
    (Fault::Certificate, NORMAL, Sent::No),
    (Fault::Close, NORMAL, Sent::Maybe),
    (Fault::ContentType, UNEXPECTED, Sent::Maybe),
    (Fault::Malformed, UNEXPECTED, Sent::Maybe),
    (Fault::MissingKey, UNEXPECTED, Sent::Maybe),
    (Fault::Store, UNEXPECTED, Sent::Maybe),
];

#[test]
fn what_the_transport_does_is_transient_and_what_the_body_holds_is_terminal() {
    assert_eq!(FAULTS.map(|(fault, ..)| fault), Fault::ALL);
    for (fault, kind, sent) in FAULTS {
        assert_eq!(FailureKind::from_call_fault(fault), kind, "{fault}");
        assert_eq!((Sent::from(fault), Sent::from_fault(fault)), (sent, sent), "{fault}");
        let classified = Classified::from_fault(fault);
        assert_eq!(classified.failure, Failure { kind, retry_after: None, fault: Some(fault) });
        assert_eq!(classified.sent, sent, "{fault}");
    }
}

#[test]
fn three_statuses_say_that_the_server_did_not_begin() {
    for status in -1000..2000 {
        let expected = if [408, 425, 429].contains(&status) { Sent::No } else { Sent::Maybe };
        assert_eq!(Sent::from_status(status), expected, "{status}");
        let classified = Classified::from_status(status);
        assert_eq!(classified.sent, expected, "{status}");
        assert_eq!(classified.failure, FailureKind::from_call_status(status).into(), "{status}");
    }
}

#[test]
fn six_methods_are_idempotent_by_their_exact_names() {
    for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
        assert_eq!(Idempotency::from_method(method), Idempotency::Idempotent, "{method}");
    }
    for method in ["POST", "PATCH", "CONNECT", "get", "Get", "GET ", "", "QUERY", "PROPFIND"] {
        assert_eq!(Idempotency::from_method(method), Idempotency::NotIdempotent, "{method}");
    }
}

#[test]
fn what_may_have_been_sent_and_is_not_idempotent_is_terminal() {
    use Idempotency::{Idempotent, NotIdempotent};
    let table = [
        (Idempotent, NORMAL, Sent::No, NORMAL),
        (Idempotent, NORMAL, Sent::Maybe, NORMAL),
        (Idempotent, UNEXPECTED, Sent::No, UNEXPECTED),
        (Idempotent, UNEXPECTED, Sent::Maybe, UNEXPECTED),
        (NotIdempotent, NORMAL, Sent::No, NORMAL),
        (NotIdempotent, NORMAL, Sent::Maybe, UNEXPECTED),
        (NotIdempotent, UNEXPECTED, Sent::No, UNEXPECTED),
        (NotIdempotent, UNEXPECTED, Sent::Maybe, UNEXPECTED),
    ];
    for (idempotency, kind, sent, expected) in table {
        assert_eq!(idempotency.judge(kind, sent), expected, "{idempotency:?} {kind} {sent:?}");
        // As a classifier it changes the kind and nothing else.
        let failure = Failure { kind, retry_after: Some(s(7)), fault: Some(Fault::Reset) };
        let classifier = (move |_: &()| Classified { failure, sent }).idempotency(idempotency);
        let judged = Classified { failure: Failure { kind: expected, ..failure }, sent };
        assert_eq!(classifier.classify(&()), Some(judged));
    }
}

#[test]
fn a_closure_may_answer_with_as_much_as_it_knows() {
    let classified = Classified::transient().retry_after(Some(s(7))).not_sent();
    let whole = Failure { kind: NORMAL, retry_after: Some(s(7)), fault: None };
    assert_eq!(classified, Classified { failure: whole, sent: Sent::No });
    assert_eq!((|_: &()| classified).classify(&()), Some(classified));
    assert_eq!((|_: &()| Some(classified)).classify(&()), Some(classified));
    assert_eq!((|_: &()| None::<Classified>).classify(&()), None);
    // Of a failure alone, the fault says whether something was sent; without one it may have been.
    assert_eq!((|_: &()| whole).classify(&()), Some(Classified { failure: whole, sent: Sent::Maybe }));
    let refused = Failure { fault: Some(Fault::Refused), ..whole };
    assert_eq!((|_: &()| refused).classify(&()), Some(Classified { failure: refused, sent: Sent::No }));
    assert_eq!((|_: &()| NORMAL).classify(&()), Some(Classified::transient()));
    assert_eq!((|_: &()| UNEXPECTED).classify(&()), Some(Classified::terminal()));
    // A fault is that of a call: a malformed body is terminal there.
    assert_eq!((|_: &()| Fault::Malformed).classify(&()), Some(Classified::from_fault(Fault::Malformed)));
    assert_eq!(AllTransient.classify("whatever"), Some(Classified::transient()));
}

#[test]
fn the_first_classifier_that_knows_an_error_decides() {
    let small = |error: &u32| (*error < 10).then(Classified::transient);
    let even = |error: &u32| error.is_multiple_of(2).then(Classified::terminal);
    let classifier = small.or(even);
    let kind = |error: u32| classifier.classify(&error).map(|classified| classified.failure.kind);
    assert_eq!([4, 5, 12, 13].map(kind), [Some(NORMAL), Some(NORMAL), Some(UNEXPECTED), None]);

    // What nobody knows stays unknown, whatever the idempotency; what is known is judged, whoever knew it.
    let judged = small.or(even).idempotency(Idempotency::NotIdempotent).or(AllTransient);
    let kind = |error: u32| judged.classify(&error).map(|classified| classified.failure.kind);
    assert_eq!([4, 13].map(kind), [Some(UNEXPECTED), Some(NORMAL)]);
}

#[test]
fn the_server_s_wait_is_kept_or_absent() {
    let asked = |asked| Classified::from_status(503).retry_after(asked).failure.retry_after;
    assert_eq!(asked(None), None);
    assert_eq!(asked(Some(Duration::MAX)), Some(Duration::MAX));
}
