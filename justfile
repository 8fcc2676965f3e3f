# One cargo line a recipe, so that nobody needs just: read the line and run it.

# What can be run, with a line about each.
default:
    @just --list

# Every test: laws, scenarios, snapshots, the command, the repository itself.
test *ARGS:
    cargo test {{ARGS}}

# The lints that CI turns into errors.
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# Formats everything.
fmt:
    cargo fmt --all

# The reference documentation of every crate.
doc:
    cargo doc --workspace --no-deps --open

# Look at each snapshot that changed, and accept or reject it.
review:
    cargo insta review

# Snapshots that changed, and snapshots that no test refers to.
snapshots:
    cargo insta test --unreferenced=reject

# Everything that CI runs.
ci:
    .ci/run
