//! `retrylab-core` links neither `std` nor `alloc`: a static library around it builds without them.

use std::path::Path;
use std::process::{Command, Output};

/// Builds the probe with this feature on.
fn build(feature: &str) -> Output {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/no-std-probe/Cargo.toml");
    Command::new(env!("CARGO"))
        .args(["build", "--offline", "--locked", "--quiet", "--features", feature, "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-std-probe"))
        .output()
        .expect("cargo starts")
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn core_builds_without_std_and_without_an_allocator() {
    let output = build("");
    assert!(output.status.success(), "{}", messages(&output));
}

#[test]
fn the_probe_would_notice_std() {
    let output = build("link-std");
    assert!(!output.status.success(), "the probe built although it linked std");
    assert!(messages(&output).contains("E0152"), "{}", messages(&output));
}

#[test]
fn the_probe_would_notice_an_allocator() {
    let output = build("link-alloc");
    assert!(!output.status.success(), "the probe built although it linked alloc");
    assert!(messages(&output).contains("no global memory allocator"), "{}", messages(&output));
}
