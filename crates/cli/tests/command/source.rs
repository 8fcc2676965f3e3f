//! `retrylab source`.

use crate::session::{retrylab, snapshot, snapshot_each};

#[cfg(feature = "live")]
mod live;

#[test]
fn source_has_help() {
    snapshot("help-source", &mut retrylab(["source", "--help"]));
}

#[test]
fn invalid_arguments_are_refused() {
    snapshot_each(
        "refused-source-arguments",
        [
            &["source", "push", "http://localhost"],
            &["source", "stream"],
            &["source", "stream", "http://localhost", "--for", "soon"],
            &["source", "stream", "http://localhost", "--for", "-1s"],
            &["source", "stream", "http://localhost", "--initial-delay", "1 month"],
            &["source", "poll", "http://localhost", "--poll-interval", "often"],
            &["source", "poll", "http://localhost", "--format", "yaml"],
        ],
    );
}
