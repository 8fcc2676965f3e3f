//! The service in this process, and what is asked of it over HTTP.

use std::io::{self, Write};
use std::net::TcpStream;

use retrylab_driver::{Clock, Monotonic};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use ureq::Agent;
use ureq::http::Response;

use crate::server::{self, Driver, Setting, Trial};
use crate::upstream::LIMIT;

pub(crate) struct Service {
    base: String,
    agent: Agent,
    runtime: Option<(Runtime, JoinHandle<io::Result<()>>)>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    pub(crate) text: String,
}

impl Service {
    pub(crate) fn start(driver: Driver, trial: Trial) -> Self {
        Self::set(driver, trial, Setting::default())
    }

    /// With waits as in production, and sources as they are set.
    pub(crate) fn with(driver: Driver, setting: Setting) -> Self {
        Self::set(driver, Trial::default(), setting)
    }

    fn set(driver: Driver, trial: Trial, setting: Setting) -> Self {
        // With one thread for what blocks, whoever blocked it would hold up everybody.
        let runtime = Builder::new_multi_thread().max_blocking_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let serving = runtime.spawn(server::serve(listener, driver, trial, setting));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(2 * LIMIT))
            .max_idle_connections_per_host(100);
        Self { base, agent: config.build().new_agent(), runtime: Some((runtime, serving)) }
    }

    /// With waits as in production.
    pub(crate) fn full_length(driver: Driver) -> Self {
        Self::start(driver, Trial::default())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        Answer::of(self.agent.get(format!("{}{path}", self.base)).call())
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let request = self.agent.post(format!("{}{path}", self.base)).content_type("application/json");
        Answer::of(request.send(body))
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        Answer::of(self.agent.delete(format!("{}{path}", self.base)).call())
    }

    /// Sends this and no more, for as long as the connection is kept.
    pub(crate) fn half(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.base.trim_start_matches("http://")).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Has a client made, which must succeed.
    pub(crate) fn create(&self, wanted: impl Into<Value>) -> Client<'_> {
        let answer = self.post("/", &wanted.into().to_string());
        assert_eq!(answer.status, 201, "{answer:?}");
        Client { service: self, location: answer.location.unwrap() }
    }

    /// Has the service quit, and waits until it has.
    pub(crate) fn quit(mut self) {
        let answer = self.delete("/");
        assert_eq!(answer.status, 204, "{answer:?}");
        let (runtime, serving) = self.runtime.take().unwrap();
        runtime.block_on(async { tokio::time::timeout(LIMIT, serving).await }).unwrap().unwrap().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some((runtime, _)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Answer {
    fn of(answered: Result<Response<ureq::Body>, ureq::Error>) -> Self {
        let mut answer = answered.unwrap();
        let location = answer.headers().get("location").map(|location| location.to_str().unwrap().to_owned());
        let text = answer.body_mut().read_to_string().unwrap();
        Self { status: answer.status().as_u16(), location, text }
    }
}

/// A client of the service.
pub(crate) struct Client<'a> {
    service: &'a Service,
    pub(crate) location: String,
}

impl Client<'_> {
    /// The value of a flag, or `default`.
    pub(crate) fn evaluate(&self, flag: &str, default: Value) -> Value {
        let evaluate = json!({
            "flagKey": flag, "context": { "kind": "user", "key": "user-key" }, "valueType": "any",
            "defaultValue": default, "detail": false,
        });
        self.command("evaluate", evaluate)["value"].clone()
    }

    /// The value of every flag.
    pub(crate) fn evaluate_all(&self) -> Value {
        let evaluate = json!({
            "context": { "kind": "user", "key": "user-key" }, "withReasons": false, "clientSideOnly": false,
            "detailsOnlyForTrackedFlags": false,
        });
        self.command("evaluateAll", evaluate)["state"].clone()
    }

    /// Asks until the value of a flag is no longer `from`, and sees that it is `to`.
    pub(crate) fn becomes(&self, flag: &str, from: Value, to: Value) {
        let started = Monotonic.now();
        loop {
            let value = self.evaluate(flag, json!("default"));
            if value == to {
                return;
            }
            assert_eq!(value, from, "`{flag}` on the way to {to}");
            assert!(Monotonic.now().since(started) < LIMIT, "`{flag}` is still {value}, not {to}");
        }
    }

    /// Has the client shut down.
    pub(crate) fn delete(self) {
        let answer = self.service.delete(&self.location);
        assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    }

    fn command(&self, name: &str, parameters: Value) -> Value {
        let mut command = json!({
            "command": name, "evaluate": null, "evaluateAll": null, "customEvent": null, "identifyEvent": null,
        });
        command[name] = parameters;
        let answer = self.service.post(&self.location, &command.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.text).unwrap()
    }
}
