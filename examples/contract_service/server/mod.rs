//! The service itself: which request does what.
//!
//! * [`wire`]: what comes in, as JSON.
//! * [`client`]: one client, from its configuration to its end; [`clients`]: all of them.
//! * [`driver`]: a source on either driver.
//! * [`evaluate`]: from the data to values.

mod client;
mod clients;
mod driver;
mod evaluate;
mod wire;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot};

use self::client::Client;
pub(crate) use self::client::Trial;
use self::clients::Clients;
pub(crate) use self::driver::{Driver, Setting};
use self::wire::{Command, Create, Request};

/// What the harness may test.
const CAPABILITIES: [&str; 4] =
    ["server-side", "server-side-polling", "retry-conformance-fdv1-streaming", "retry-conformance-fdv1-polling"];

struct Service {
    driver: Driver,
    trial: Trial,
    setting: Setting,
    clients: Clients,
    quit: Notify,
}

/// How long connections may take to end once every client is shut down: whoever has sent half a request may never send the
/// rest.
const GRACE: Duration = Duration::from_secs(2);

/// Answers requests until one says to quit. By then every client is shut down.
pub(crate) async fn serve(listener: TcpListener, driver: Driver, trial: Trial, setting: Setting) -> io::Result<()> {
    let service = Arc::new(Service { driver, trial, setting, clients: Clients::default(), quit: Notify::new() });
    let router = Router::new()
        .route("/", get(describe).post(create).delete(quit))
        .route("/clients/{id}", post(command).delete(delete))
        .with_state(Arc::clone(&service));
    let (tell, quits) = oneshot::channel();
    let until = async move {
        service.quit.notified().await;
        // It is awaited for as long as the service serves.
        let _ = tell.send(());
    };
    let mut serving = axum::serve(listener, router).with_graceful_shutdown(until).into_future();
    tokio::select! {
        served = &mut serving => served,
        _ = quits => tokio::time::timeout(GRACE, serving).await.unwrap_or(Ok(())),
    }
}

async fn describe() -> Response {
    let version = env!("CARGO_PKG_VERSION");
    Json(json!({ "name": "retrylab", "clientVersion": version, "capabilities": CAPABILITIES })).into_response()
}

async fn create(State(service): State<Arc<Service>>, body: Bytes) -> Result<Response, Refused> {
    let Create { configuration } = parse(&body)?;
    let plan = configuration.plan(&service.trial).map_err(Refused::invalid)?;
    let client = Arc::new(Client::start(service.driver, &plan, &service.setting));
    // Whoever gives up on the request has no use for its client, which then is stopped, and not waited for: what it is at may
    // take longer than the start wait.
    let mut entry = service.clients.enter(&client).ok_or_else(Refused::quitting)?;
    let initialized = client.start_wait(configuration.start_wait()).await;
    if !initialized && !configuration.init_can_fail {
        return Err(Refused::uninitialized());
    }
    entry.keep();
    let location = format!("/clients/{}", entry.id());
    Ok((StatusCode::CREATED, [(header::LOCATION, location)]).into_response())
}

async fn command(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refused> {
    let client = service.clients.get(&id).ok_or_else(|| Refused::missing(&id))?;
    Ok(match parse::<Command>(&body)?.request().map_err(Refused::invalid)? {
        Request::Evaluate(evaluate) => Json(client.evaluate(&evaluate)).into_response(),
        Request::EvaluateAll(evaluate) => Json(client.evaluate_all(&evaluate)).into_response(),
        Request::Event => StatusCode::NO_CONTENT.into_response(),
    })
}

async fn delete(State(service): State<Arc<Service>>, Path(id): Path<String>) -> Result<StatusCode, Refused> {
    let client = service.clients.remove(&id).ok_or_else(|| Refused::missing(&id))?;
    client.shut_down().await;
    Ok(StatusCode::NO_CONTENT)
}

async fn quit(State(service): State<Arc<Service>>) -> StatusCode {
    let clients = service.clients.close();
    for client in &clients {
        client.stop();
    }
    for client in &clients {
        client.shut_down().await;
    }
    service.quit.notify_one();
    StatusCode::NO_CONTENT
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| Refused::invalid(error.to_string()))
}

/// A request that is not done, and why.
struct Refused {
    status: StatusCode,
    why: String,
}

impl Refused {
    const fn invalid(why: String) -> Self {
        Self { status: StatusCode::BAD_REQUEST, why }
    }

    fn missing(id: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, why: format!("there is no client {id}") }
    }

    fn uninitialized() -> Self {
        let why = "the client was not initialized within its start wait, and `initCanFail` is not set";
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, why: why.to_owned() }
    }

    fn quitting() -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, why: "the service is about to quit".to_owned() }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, self.why).into_response()
    }
}
