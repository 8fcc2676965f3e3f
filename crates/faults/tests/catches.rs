//! The names in a file's `catches`.

use retrylab_faults::{CannotCatch, uncatchable};
use retrylab_spec::{File, Timeline, parse};

fn timeline(text: &str) -> Timeline {
    let text = format!("why = \"A test.\"\n{text}");
    match parse("test.toml", &text).map(|parsed| parsed.file) {
        Ok(File::Played(timeline)) => timeline,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unknown_fault_is_reported_with_a_suggestion() {
    let told = |name: &str| {
        let text =
            format!("catches = [\"{name}\"]\n[client]\nkind = \"call\"\n[[timeline]]\nplay = [{{ status = 503 }}]");
        uncatchable(&timeline(&text))[0].to_string()
    };
    assert_eq!(
        told("shift-wraps-to-none"),
        "catches: there is no fault `shift-wraps-to-none`; did you mean `shift-wraps-to-zero`?"
    );
    let others = told("nobody-wrote-this-fault");
    let list = others.strip_prefix("catches: there is no fault `nobody-wrote-this-fault`; possible are ");
    let list: Vec<&str> = list.expect(&others).split(", ").collect();
    // A call can sleep once too often; it has no connection that could reset it.
    assert!(list.contains(&"sleep-after-the-last-failure") && !list.contains(&"reset-on-connect"), "{list:?}");
    // That is why it is not allowed, though there is one.
    let others = told("reset-on-connect");
    assert!(others.starts_with("catches: this client cannot have the fault `reset-on-connect`; possible are "));
    assert!(others.ends_with(&list.join(", ")), "{others}");
}

#[test]
fn every_name_that_cannot_be_caught_is_reported_at_once() {
    let text = "catches = [\"a\", \"sleep-after-the-last-failure\", \"b\"]\nclient.kind = \"call\"\n\
                [[timeline]]\nplay = [{ status = 503 }]";
    let keys: Vec<String> = uncatchable(&timeline(text)).iter().map(CannotCatch::key).collect();
    assert_eq!(keys, ["catches[0]", "catches[2]"]);
}

#[test]
fn a_former_name_is_refused_with_the_one_of_today() {
    let text = "catches = [\"threshold-exclusive\"]\nclient.kind = \"call\"\n[[timeline]]\nplay = [{ status = 503 }]";
    let refused = uncatchable(&timeline(text));
    assert_eq!(
        refused[0].to_string(),
        "catches: there is no fault `threshold-exclusive`; its present name is `window-is-exclusive`"
    );
}
