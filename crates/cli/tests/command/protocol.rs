//! The page about subjects in other languages suffices for a call and a ladder: the example written from it obeys the laws
//! of both.

use crate::session::retrylab;

#[test]
fn the_example_of_a_call_is_a_call_and_a_ladder() {
    for (claim, law) in [("call", "gives-up-exactly-when-due"), ("ladder", "always-a-next-attempt")] {
        let exec = ["check", "--exec", "python3 crates/exec/examples/call.py", "--as", claim, "--cases", "60"];
        let laws = ["--law", "wait-is-jittered-base-or-cadence", "--law", law];
        let output = retrylab(exec).args(laws).output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(0), "{printed}");
    }
}
