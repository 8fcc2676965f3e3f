# One cargo line a recipe, so that nobody needs just: read the line and run it.

# What can be run, with a line about each.
default:
    @just --list

# Plays every scenario (or those named) in virtual time and says what held.
run *ARGS:
    cargo run --release -- run {{ARGS}}

# Every test: laws, scenarios, snapshots, the command, the repository itself.
test *ARGS:
    cargo test {{ARGS}}

# Look at each snapshot that changed, and accept or reject it.
review:
    cargo insta review

# Snapshots that changed, and snapshots that no test refers to.
snapshots:
    cargo insta test --unreferenced=reject

# What a policy waits, rung after rung: `just ladder streaming --unexpected`.
ladder *ARGS:
    cargo run --release -- ladder {{ARGS}}

# Which known bugs other people's libraries have: `just peers backon tower`.
peers *POLICIES:
    cargo run --release -p retrylab-cli --features peers -- corpus {{POLICIES}}

# A data source at a real endpoint, live until Ctrl-C: `just source stream https://stream.example.org`.
source *ARGS:
    cargo run --release -p retrylab-cli --features live -- source {{ARGS}}

# Holds the rules against every recorded vector.
conform FILE="crates/conform/tests/data/retry-vectors.jsonl.gz":
    cargo run --release -- conform {{FILE}}

# Made-up histories against the model and the laws, from another seed and for longer: `just search 2`.
search SEED="1" CASES="100000":
    PROPTEST_RNG_SEED={{SEED}} PROPTEST_CASES={{CASES}} cargo test --test machine

# Both drivers against a server that means ill, and a thousand sources under one that flaps: minutes of real time.
robustness:
    cargo run --release --example robustness

# Any bytes into a parser: `just fuzz timeline 600`; one of answer, retry_after, stream, timeline, vector.
fuzz TARGET SECONDS="60":
    cargo run --config crates/testkit/fuzz/.cargo/config.toml --manifest-path crates/testkit/fuzz/Cargo.toml --release --bin {{TARGET}} -- -create_missing_dirs=1 -artifact_prefix=target/fuzz/ -timeout=10 -max_total_time={{SECONDS}} -dict=crates/testkit/fuzz/dict/{{TARGET}}.txt target/fuzz/{{TARGET}} crates/testkit/fuzz/corpus/{{TARGET}}

# Times the hot path beside other libraries; `just bench --bench next_delay` for one of the benches.
bench *ARGS:
    cargo bench {{ARGS}}

# Instructions a step, by valgrind; fails above the limits.
instructions:
    cargo bench --bench instructions

# The lints that CI turns into errors.
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# No panic that a user can reach, as CI checks it.
lint-panics:
    cargo clippy --workspace --exclude retrylab-testkit --features retrylab-cli/live --lib --bins -- -D warnings -D clippy::expect_used -D clippy::panic -D clippy::unreachable

# Formats everything but the fuzz targets, which are a workspace of their own.
fmt:
    cargo fmt --all

# Formats the fuzz targets.
fmt-fuzz:
    cargo fmt --manifest-path crates/testkit/fuzz/Cargo.toml

# The reference documentation of every crate.
doc:
    cargo doc --workspace --no-deps --open

# Every call sequence of nine steps against the reference model; `cargo test` walks eight.
exhaustive:
    RETRYLAB_DEPTH=9 cargo test --test core exhaustive -- --nocapture

# What no test of core notices; see .cargo/mutants.toml. Takes about an hour.
mutants:
    RETRYLAB_DEPTH=3 cargo mutants --package retrylab-core

# What no test of the sources notices; see .cargo/mutants-source.toml. Takes about half an hour.
mutants-source *ARGS:
    PROPTEST_CASES=8 cargo mutants --config .cargo/mutants-source.toml --package retrylab-source {{ARGS}}

# What no test of the simulator notices, in what decides; see .cargo/mutants-sim.toml. Takes about half an hour.
mutants-sim *ARGS:
    cargo mutants --config .cargo/mutants-sim.toml --package retrylab-sim {{ARGS}}

# Everything that CI runs.
ci:
    .ci/run
