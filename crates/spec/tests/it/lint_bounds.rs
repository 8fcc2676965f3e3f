//! What lint says of bounds of one's own.

use retrylab_spec::lint::lint;

use crate::lint::{NOTHING, draft, problems, warnings};

#[test]
fn bounds_of_ones_own_are_warned_of_as_those_of_presets_are() {
    let of = |kind: &str, keys: &str| warnings(&format!("client = {{ kind = \"{kind}\", jitter = \"none\", {keys} }}"));
    let said = |kind: &str, keys: &str| {
        of(kind, keys).into_iter().filter(|warning| !warning.ends_with("[no-jitter]")).collect::<Vec<_>>()
    };
    assert_eq!(
        said("streaming", "normal = { initial = \"45s\", ceiling = \"30s\" }"),
        [
            "client.normal.ceiling: a ceiling of \"30s\" is not above the initial of \"45s\", so the normal ladder has one \
          rung: every wait is 45s; write a ceiling above \"45s\" [flat-ladder]"
        ]
    );
    assert_eq!(said("streaming", "normal = { initial = \"29s\" }"), NOTHING);
    // A poller is to wait its interval.
    assert_eq!(said("polling", "normal = { initial = \"45s\" }"), NOTHING);
    assert_eq!(said("polling", "extended = { initial = \"1h\" }").len(), 1);
    assert_eq!(
        said("streaming", "normal = { initial = \"5s\" }, extended = { initial = \"4s\" }"),
        [
            "client.extended.initial: the extended ladder starts at \"4s\", below the normal one at \"5s\": a rejected key \
          is retried sooner than a busy server; write at least \"5s\" [inverted-extended]"
        ]
    );
    assert_eq!(
        said("streaming", "reset = { successes = 0 }"),
        ["client.reset.successes: a reset that takes 0 successes is due at each failure: every wait is a first rung; \
          write `successes = 1` or more, or `reset = { healthy_for = \"60s\" }` [unreachable-rungs]"]
    );
    let beyond =
        said("streaming", "normal = { initial = \"25d\", ceiling = \"26d\" }, extended = { initial = \"26d\" }");
    assert!(beyond.iter().filter(|warning| warning.ends_with("[beyond-timer]")).count() == 2, "{beyond:?}");
    // A cadence at the normal ceiling hides what is subtracted; one below it does not.
    let hidden = |cadence: &str| {
        let client = format!("client = {{ kind = \"streaming\", cadence = \"{cadence}\" }}");
        let text = format!("why = \"A test.\"\n{client}\ntimeline = [{{ play = [{{ status = 503 }}] }}]");
        lint(&draft(&text)).iter().any(|warning| warning.message.contains("the wait is the cadence of"))
    };
    assert!(hidden("30s") && !hidden("29s"));
}

#[test]
fn bounds_on_which_every_wait_is_zero_are_refused() {
    assert_eq!(
        problems("kind = \"streaming\", normal = { initial = \"0s\" }"),
        [
            "client.normal.initial: every wait is \"0s\", which hammers the server (write a first wait such as \"1s\", or \
          a cadence)"
        ]
    );
    assert_eq!(problems("kind = \"streaming\", extended = { initial = \"0s\" }").len(), 1);
    assert_eq!(problems("kind = \"streaming\", normal = { initial = \"0s\" }, cadence = \"1s\""), NOTHING);
}
