//! tower's own `Retry` around a function, in paused time.

use std::future::ready;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use retrylab_core::{CallRulesError, Classified, Exponential, RetryRules, ServerDelay, TokenBucket};
use retrylab_driver::tower::TowerRetry;
use tokio::time::{Duration, Instant, timeout};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

use super::ms;

const EXACT: Exponential = Exponential::new(ms(200), Duration::from_secs(10)).attempts(5).without_jitter();

/// A status, and the wait that the server asked for in seconds.
type Response = (u16, Option<u64>);

/// A server that gives these responses in order and the last for ever, and when each request reached it.
fn server(
    responses: &'static [Result<Response, &'static str>],
) -> (
    impl Service<&'static str, Response = Response, Error = &'static str, Future: Send> + Clone,
    Arc<Mutex<Vec<Duration>>>,
) {
    let start = now();
    let arrivals = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&arrivals);
    let service = service_fn(move |_: &'static str| {
        let mut seen = seen.lock().expect("nothing panics that holds it");
        seen.push(now() - start);
        ready(responses[(seen.len() - 1).min(responses.len() - 1)])
    });
    (service, arrivals)
}

#[expect(clippy::disallowed_methods, reason = "the runtime's clock is paused")]
fn now() -> Instant {
    Instant::now()
}

fn failed((status, retry_after): &Response) -> Option<Classified> {
    let classified = Classified::for_call_status((*status).into());
    (*status >= 400).then(|| classified.retry_after(retry_after.map(Duration::from_secs)))
}

#[tokio::test(start_paused = true)]
async fn the_waits_are_those_of_the_rules_to_the_millisecond() {
    let (server, arrivals) = server(&[Err("refused")]);
    let client = ServiceBuilder::new().retry(TowerRetry::new(EXACT).unwrap()).service(server);
    assert_eq!(client.oneshot("GET /").await, Err("refused"));
    assert_eq!(*arrivals.lock().unwrap(), [0, 200, 600, 1400, 3000].map(ms));
}

#[tokio::test(start_paused = true)]
async fn it_is_a_layer_of_any_stack() {
    let (server, arrivals) = server(&[Err("refused"), Ok((200, None))]);
    let client = ServiceBuilder::new()
        .map_request(|(method, path): (&'static str, &'static str)| if path == "/" { method } else { path })
        .layer(TowerRetry::new(EXACT).unwrap())
        .map_err(|error: &'static str| error)
        .service(server);
    assert_eq!(client.oneshot(("GET", "/")).await, Ok((200, None)));
    assert_eq!(*arrivals.lock().unwrap(), [0, 200].map(ms));
}

#[tokio::test(start_paused = true)]
async fn responses_are_classified_and_the_server_s_wait_is_heard() {
    let (server, arrivals) = server(&[Ok((503, None)), Ok((429, Some(7))), Ok((200, None))]);
    let rules = EXACT.retry_after(ServerDelay::clamp(Duration::from_secs(60)));
    let retry = TowerRetry::new(rules).unwrap().responses(failed);
    let client = ServiceBuilder::new().retry(retry).service(server);
    assert_eq!(client.oneshot("GET /").await, Ok((200, None)));
    assert_eq!(*arrivals.lock().unwrap(), [0, 200, 7200].map(ms));
}

#[tokio::test(start_paused = true)]
async fn a_terminal_response_is_handed_on_at_once() {
    let (server, arrivals) = server(&[Ok((404, None))]);
    let client = ServiceBuilder::new().retry(TowerRetry::new(EXACT).unwrap().responses(failed)).service(server);
    assert_eq!(client.oneshot("GET /").await, Ok((404, None)));
    assert_eq!(arrivals.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn errors_have_a_classifier_and_each_request_starts_anew() {
    let (server, arrivals) = server(&[Err("timeout"), Err("timeout"), Err("refused")]);
    let retry = TowerRetry::new(EXACT).unwrap().errors(|error: &&str| *error == "timeout");
    let mut client = ServiceBuilder::new().retry(retry).service(server);
    assert_eq!(client.ready().await.unwrap().call("first").await, Err("refused"));
    assert_eq!(*arrivals.lock().unwrap(), [0, 200, 600].map(ms));
    assert_eq!(client.ready().await.unwrap().call("second").await, Err("refused"));
    assert_eq!(arrivals.lock().unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_shared_by_requests_and_a_dropped_one_gives_its_price_back() {
    let (server, arrivals) = server(&[Err("refused")]);
    let budget = Arc::new(TokenBucket::new(3));
    let retry = TowerRetry::new(EXACT).unwrap().budget(Arc::clone(&budget));
    let client = ServiceBuilder::new().retry(retry).service(server);
    // Dropped after 100 ms of its first wait, which was paid for.
    assert!(timeout(ms(100), client.clone().oneshot("dropped")).await.is_err());
    assert_eq!(budget.tokens(), 3);
    assert_eq!(client.clone().oneshot("first").await, Err("refused"));
    assert_eq!((arrivals.lock().unwrap().len(), budget.tokens()), (1 + 4, 0));
    assert_eq!(client.oneshot("second").await, Err("refused"));
    assert_eq!(arrivals.lock().unwrap().len(), 1 + 4 + 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_copied_is_sent_once() {
    struct Body;
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let server = service_fn(move |_: Body| {
        counted.fetch_add(1, SeqCst);
        ready(Err::<(), _>("refused"))
    });
    let retry = TowerRetry::new(EXACT).unwrap().requests(|_: &Body| None);
    assert_eq!(ServiceBuilder::new().retry(retry).service(server).oneshot(Body).await, Err("refused"));
    assert_eq!(calls.load(SeqCst), 1);
}

/// tower passes the result of an attempt to its policy only if it has a copy for the next.
#[tokio::test(start_paused = true)]
async fn the_success_of_an_attempt_without_a_copy_does_not_reach_the_budget() {
    for (copies, tokens) in [(2, 3), (1, 2)] {
        let (server, arrivals) = server(&[Err("refused"), Ok((200, None))]);
        let budget = Arc::new(TokenBucket::new(3));
        let left = AtomicU32::new(copies);
        let copier = Arc::new(move |request: &&'static str| {
            left.try_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok().then_some(*request)
        });
        let copier = move |request: &&'static str| copier(request);
        let retry = TowerRetry::new(EXACT).unwrap().budget(Arc::clone(&budget)).requests(copier);
        assert_eq!(ServiceBuilder::new().layer(retry).service(server).oneshot("GET /").await, Ok((200, None)));
        assert_eq!((arrivals.lock().unwrap().len(), budget.tokens()), (2, tokens), "{copies} copies");
    }
}

#[tokio::test(start_paused = true)]
async fn rules_of_two_regimes_do_as_well_and_no_attempt_is_refused() {
    let (server, arrivals) = server(&[Ok((503, None)), Ok((503, None)), Ok((200, None))]);
    let stream = RetryRules::streaming(Duration::from_secs(1));
    let retry = TowerRetry::new(stream).unwrap().responses(failed).entropy(|| 0);
    assert_eq!(ServiceBuilder::new().retry(retry).service(server).oneshot("GET /").await, Ok((200, None)));
    assert_eq!(*arrivals.lock().unwrap(), [0, 1000, 3000].map(ms));
    assert_eq!(TowerRetry::new(EXACT.attempts(0)).err(), Some(CallRulesError::NoAttempt));
}
