//! reqwest-middleware's retry by way of retry-policies, against a server on a free port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use reqwest_middleware::ClientBuilder;
use reqwest_retry::RetryTransientMiddleware;
use retry_policies::{RetryDecision, RetryPolicy};
use retrylab_core::{Constant, Exponential, Jitter};
use retrylab_driver::LONGEST_WAIT;
use retrylab_driver::retry_policies::RetryView;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::ms;

/// Answers each connection with the next of these statuses, the last for ever; counts the requests.
async fn server(statuses: &'static [u16]) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.expect("a connection");
            let mut request = [0; 4096];
            let _ = socket.read(&mut request).await.expect("a request");
            let status = statuses[counted.fetch_add(1, SeqCst).min(statuses.len() - 1)];
            let response = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            socket.write_all(response.as_bytes()).await.expect("a client that reads");
        }
    });
    (address, requests)
}

async fn get(rules: Exponential, address: SocketAddr) -> u16 {
    let retry = RetryTransientMiddleware::new_with_policy(RetryView::new(rules).expect("rules that allow an attempt"));
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let client = ClientBuilder::new(client).with(retry).build();
    client.get(format!("http://{address}/")).send().await.expect("a response").status().as_u16()
}

#[tokio::test]
async fn a_client_of_reqwest_retries_by_our_rules() {
    let rules = Exponential::new(ms(1), ms(5)).attempts(5);
    let (address, requests) = server(&[503, 503, 200]).await;
    assert_eq!((get(rules, address).await, requests.load(SeqCst)), (200, 3));
    // All attempts are used.
    let (address, requests) = server(&[503]).await;
    assert_eq!((get(rules, address).await, requests.load(SeqCst)), (503, 5));
    // The middleware decides what is retried.
    let (address, requests) = server(&[404]).await;
    assert_eq!((get(rules, address).await, requests.load(SeqCst)), (404, 1));
}

#[expect(clippy::disallowed_methods, reason = "the interface speaks of times of day")]
fn now() -> SystemTime {
    SystemTime::now()
}

/// The wait that the view decides, which is somewhat shorter where some time has passed until it is read.
fn wait(policy: &impl RetryPolicy, start: SystemTime, retries: u32) -> Option<Duration> {
    let before = now();
    match policy.should_retry(start, retries) {
        RetryDecision::Retry { execute_after } => execute_after.duration_since(before).ok(),
        RetryDecision::DoNotRetry => None,
    }
}

#[test]
fn each_retry_waits_its_rung_with_its_draw() {
    let hour = Duration::from_secs(3600);
    let rules = Exponential::new(hour, 5 * hour).attempts(5);
    let waits = |policy: &dyn RetryPolicy| {
        let start = now();
        (0..5)
            .map(|retries| {
                let before = now();
                match policy.should_retry(start, retries) {
                    // To the minute, so that nothing depends on how fast this runs.
                    RetryDecision::Retry { execute_after } => {
                        Some((execute_after.duration_since(before).unwrap() + ms(30_000)).as_secs() / 60)
                    }
                    RetryDecision::DoNotRetry => None,
                }
            })
            .collect::<Vec<_>>()
    };
    let longest = RetryView::new(rules).unwrap().entropy(|| 0);
    assert_eq!(waits(&longest), [Some(60), Some(120), Some(240), Some(300), None]);
    // Half of the rung, by full jitter and a draw in the middle.
    let half = RetryView::new(rules.jitter(Jitter::Full)).unwrap().entropy(|| 1 << 63);
    assert_eq!(waits(&half), [Some(30), Some(60), Some(120), Some(150), None]);
}

#[test]
fn elapsed_time_counts_from_the_start_of_the_request() {
    let hour = Duration::from_secs(3600);
    let rules = Constant::new(hour).attempts(9).elapsed(3 * hour).without_jitter();
    let policy = RetryView::new(rules).unwrap();
    // An hour and a half ago the next wait still fits, two and a half hours ago it does not.
    assert!(wait(&policy, now() - Duration::from_secs(5400), 1).is_some());
    assert_eq!(wait(&policy, now() - Duration::from_secs(9000), 1), None);
    assert!(RetryView::new(rules.attempts(0)).is_err());
}

#[test]
fn a_draw_for_a_past_wait_never_ends_the_request() {
    let rules = Constant::new(Duration::from_secs(7200)).elapsed(Duration::from_secs(3600));
    // The past failure draws the longest wait, two hours, which would not fit; the present one the shortest.
    let draws = AtomicUsize::new(0);
    let policy = RetryView::new(rules).unwrap().entropy(move || [0, u64::MAX][draws.fetch_add(1, SeqCst) % 2]);
    assert!(wait(&policy, now(), 1).is_some());
    let longest = RetryView::new(rules).unwrap().entropy(|| 0);
    assert_eq!(wait(&longest, now(), 0), None);
}

#[test]
fn a_wait_of_centuries_is_cut_to_the_longest_of_a_platform() {
    let policy = RetryView::new(Constant::new(Duration::MAX).without_jitter()).unwrap();
    let waits = wait(&policy, now(), 0).expect("a retry");
    assert_eq!((waits + ms(30_000)).as_secs() / 60, LONGEST_WAIT.as_secs() / 60);
}
