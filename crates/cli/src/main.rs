//! The command `retrylab`; everything is in the library beside it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    retrylab_cli::main()
}
