//! The contract service: data sources behind the HTTP protocol that a public conformance harness speaks, so that the
//! harness can put the drivers to its tests.
//!
//! ```console
//! $ cargo run --release --example contract_service -- --driver std --port 9001
//! ```
#![forbid(unsafe_code)]

mod arguments;
mod server;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tokio::net::TcpListener;

use crate::arguments::Arguments;
use crate::server::Setting;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match serve(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: port {}: {error}", arguments.port);
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: &Arguments) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await?;
    let address = listener.local_addr()?;
    // It serves just as well when nobody reads this.
    let _ = writeln!(io::stdout(), "contract service ({}) on http://{address}", arguments.driver);
    server::serve(listener, arguments.driver, arguments.trial(), Setting::default()).await
}
