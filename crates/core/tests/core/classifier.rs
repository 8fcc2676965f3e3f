//! The classification of a bounded call: statuses, faults, whether the request was sent, and composed classifiers.

use std::time::Duration;

use retrylab_core::{AllTerminal, AllTransient, Classified, Classify, Failure, FailureKind, Fault, Idempotency, Sent};

use crate::client::s;

const NORMAL: FailureKind = FailureKind::Normal;
const UNEXPECTED: FailureKind = FailureKind::Unexpected;

#[test]
fn seven_statuses_are_transient_and_every_other_number_is_terminal() {
    let transient = [408, 425, 429, 500, 502, 503, 504];
    for status in -1000..2000 {
        let expected = if transient.contains(&status) { NORMAL } else { UNEXPECTED };
        assert_eq!(FailureKind::for_call_status(status), expected, "{status}");
    }
    assert_eq!(FailureKind::for_call_status(i64::MIN), UNEXPECTED);
    assert_eq!(FailureKind::for_call_status(i64::MAX), UNEXPECTED);
    assert_eq!((100..=599).filter(|status| FailureKind::for_call_status(*status) == NORMAL).count(), 7);
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
fn transport_faults_are_transient_and_body_faults_are_terminal() {
    assert_eq!(FAULTS.map(|(fault, ..)| fault), Fault::ALL);
    for (fault, kind, sent) in FAULTS {
        assert_eq!(FailureKind::for_call_fault(fault), kind, "{fault}");
        assert_eq!((Sent::from(fault), Sent::from_fault(fault)), (sent, sent), "{fault}");
        let classified = Classified::for_call_fault(fault);
        assert_eq!(classified.failure, Failure { kind, retry_after: None, fault: Some(fault) });
        assert_eq!(classified.sent, sent, "{fault}");
    }
}

#[test]
fn three_statuses_say_that_the_server_did_not_begin() {
    for status in -1000..2000 {
        let expected = if [408, 425, 429].contains(&status) { Sent::No } else { Sent::Maybe };
        assert_eq!(Sent::from_status(status), expected, "{status}");
        let classified = Classified::for_call_status(status);
        assert_eq!(classified.sent, expected, "{status}");
        assert_eq!(classified.failure, FailureKind::for_call_status(status).into(), "{status}");
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
fn a_non_idempotent_request_that_may_have_been_sent_is_terminal() {
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
fn a_closure_may_return_any_part_of_a_classification() {
    let classified = Classified::transient().retry_after(Some(s(7))).not_sent();
    let whole = Failure { kind: NORMAL, retry_after: Some(s(7)), fault: None };
    assert_eq!(classified, Classified { failure: whole, sent: Sent::No });
    assert_eq!((|_: &()| classified).classify(&()), Some(classified));
    assert_eq!((|_: &()| Some(classified)).classify(&()), Some(classified));
    assert_eq!((|_: &()| None::<Classified>).classify(&()), None);
    // For a failure alone, the fault decides whether the request was sent; without one it may have been.
    assert_eq!((|_: &()| whole).classify(&()), Some(Classified { failure: whole, sent: Sent::Maybe }));
    let refused = Failure { fault: Some(Fault::Refused), ..whole };
    assert_eq!((|_: &()| refused).classify(&()), Some(Classified { failure: refused, sent: Sent::No }));
    assert_eq!((|_: &()| NORMAL).classify(&()), Some(Classified::transient()));
    assert_eq!((|_: &()| UNEXPECTED).classify(&()), Some(Classified::terminal()));
    // A fault is that of a call: a malformed body is terminal there.
    assert_eq!((|_: &()| Fault::Malformed).classify(&()), Some(Classified::for_call_fault(Fault::Malformed)));
    assert_eq!(AllTransient.classify("whatever"), Some(Classified::transient()));
}

#[test]
fn the_first_classifier_that_knows_an_error_decides() {
    let small = |error: &u32| (*error < 10).then(Classified::transient);
    let even = |error: &u32| error.is_multiple_of(2).then(Classified::terminal);
    let classifier = small.or(even);
    let kind = |error: u32| classifier.classify(&error).map(|classified| classified.failure.kind);
    assert_eq!([4, 5, 12, 13].map(kind), [Some(NORMAL), Some(NORMAL), Some(UNEXPECTED), None]);

    // A driver takes an unknown error for transient, unless the chain says otherwise.
    let kind = |error: u32| classifier.classified(&error).failure.kind;
    assert_eq!([4, 5, 12, 13].map(kind), [NORMAL, NORMAL, UNEXPECTED, NORMAL]);
    let strict = small.or(even).or(AllTerminal);
    assert_eq!([4, 13].map(|error| strict.classified(&error).failure.kind), [NORMAL, UNEXPECTED]);
}

#[test]
fn an_unknown_error_counts_as_transient_before_idempotency_is_considered() {
    let small = |error: &u32| (*error < 10).then(Classified::transient);
    let kind = |idempotency, error: u32| small.idempotency(idempotency).classify(&error).map(|it| it.failure.kind);
    assert_eq!(kind(Idempotency::Idempotent, 13), Some(NORMAL));
    assert_eq!(kind(Idempotency::NotIdempotent, 13), Some(UNEXPECTED));
}

#[test]
fn a_predicate_is_a_classifier() {
    let small = |error: &u32| *error < 10;
    assert_eq!(
        [9, 10].map(|error| small.classify(&error)),
        [Some(Classified::transient()), Some(Classified::terminal())]
    );
}

#[test]
fn retry_after_is_kept_or_absent() {
    let kept = |wait| Classified::for_call_status(503).retry_after(wait).failure.retry_after;
    assert_eq!(kept(None), None);
    assert_eq!(kept(Some(Duration::MAX)), Some(Duration::MAX));
}
