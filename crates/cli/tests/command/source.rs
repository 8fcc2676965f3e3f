//! `retrylab source`.

use crate::session::{retrylab, snapshot, snapshot_each};

#[cfg(feature = "live")]
mod live;

#[test]
fn source_has_help() {
    snapshot("help-source", &mut retrylab(["source", "--help"]));
}

#[test]
fn arguments_that_are_none_are_refused() {
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

/// No snapshot, as the test run of everything has the feature, and would find it unused.
#[cfg(not(feature = "live"))]
#[test]
fn source_without_the_feature_is_refused_with_the_command_that_has_it() {
    let refused = |url| {
        let output = retrylab(["source", "stream", url]).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        String::from_utf8(output.stderr).unwrap()
    };
    let refusal = |url| {
        format!(
            "error: this build has no sources, which the feature `live` brings; \
             cargo run --release -p retrylab --features live -- source stream {url}\n"
        )
    };
    assert_eq!(refused("https://example.org"), refusal("https://example.org"));
    assert_eq!(refused("https://me:password@example.org"), refusal("URL"));
}
