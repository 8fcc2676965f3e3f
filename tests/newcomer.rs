//! The command as a newcomer builds it: `cargo run -- …`, with default features only. Every other test has the command
//! with all features, because the root package turns them on for the whole build.
//!
//! The build is a second one, in the same folder, so that it compiles again only what the features change.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// No dependency of the first build may open a socket, encrypt, or run tasks.
const LATER: [&str; 7] = ["hyper", "ring", "rustls", "socket2", "tokio", "tower", "ureq"];

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(["--offline", "--locked", "-p", "retrylab-cli"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

fn built() -> PathBuf {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the build's folder");
    // The command of the other tests stays where it is: only what is compiled on the way is shared.
    let own = build.join("newcomer");
    let output = cargo(&["build", "--quiet", "--bin", "retrylab"])
        .env("CARGO_TARGET_DIR", &own)
        .env("CARGO_BUILD_BUILD_DIR", build)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", text(output.stderr));
    own.join("debug/retrylab").with_extension(std::env::consts::EXE_EXTENSION)
}

fn retrylab(arguments: &[&str]) -> Output {
    static COMMAND: OnceLock<PathBuf> = OnceLock::new();
    let command = COMMAND.get_or_init(built);
    Command::new(command).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it starts")
}

#[test]
fn the_first_command_of_a_newcomer_plays_every_file_of_the_repository() {
    let output = retrylab(&["run"]);
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
}

#[test]
fn a_source_is_refused_with_the_command_that_has_it() {
    let command = "cargo run --release -p retrylab-cli --features live -- source stream";
    for (url, shown) in [("https://example.org", "https://example.org"), ("https://me:password@example.org", "URL")] {
        let output = retrylab(&["source", "stream", url]);
        let stderr = text(output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
        assert!(stderr.ends_with(&format!("{command} {shown}\n")), "{stderr}");
        assert!(!stderr.contains("password"), "{stderr}");
    }
}

#[test]
fn a_policy_of_another_library_is_refused_with_the_feature_that_has_it() {
    let output = retrylab(&["corpus", "backon"]);
    let stderr = text(output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
    assert!(stderr.contains("--features peers"), "{stderr}");
}

#[test]
fn the_first_build_has_no_sockets_no_tls_and_no_runtime_and_the_feature_live_has_them() {
    let packages = |features: &[&str]| {
        let output = cargo(&["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
            .args(features)
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{}", text(output.stderr));
        let packages = text(output.stdout);
        packages.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect::<Vec<_>>()
    };
    let later = |packages: &[String]| {
        LATER.into_iter().filter(|name| packages.iter().any(|package| package == name)).collect::<Vec<_>>()
    };
    let first = packages(&[]);
    assert!(first.contains(&"retrylab-driver".to_owned()), "{first:?}");
    assert_eq!(later(&first), [""; 0]);
    assert_eq!(later(&packages(&["--features", "live"])), ["ring", "rustls", "socket2", "ureq"]);
}
