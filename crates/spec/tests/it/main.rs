//! What the crate promises, seen from outside.

mod checking;
mod errors;
mod lint;
mod lint_bounds;
mod lint_hammering;
mod locations;
mod page;
mod printing;
mod reading;
#[expect(unreachable_pub, reason = "a module of the testkit, which cannot be depended on from here")]
#[path = "../../../testkit/src/timeline.rs"]
mod timeline;
