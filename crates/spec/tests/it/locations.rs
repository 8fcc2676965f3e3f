//! Where the keys of a file stand.

use retrylab_spec::{Position, parse};

const TEXT: &str = "\
why = \"Two ways to write the same.\"
until = \"1d\"

[client]
kind = \"streaming\"

[[timeline]]
repeat = 2
play = [
    { status = 503 },
    { repeat = 2, play = [{ status = 502 },
        { status = 501 }] },
]

[[timeline]]
play = [{ up = true }]

[expect]
delays = [
    \"1s\",
    { value = \"30s\", times = 15 },
]
at.\"300s\".rung = 3
at.\"1.5s\".regime = \"normal\"
";

#[test]
fn each_key_is_found_with_its_line() {
    let locations = parse("where.toml", TEXT).unwrap().locations;
    assert_eq!(locations.name(), "where.toml");
    for (path, line) in [
        ("why", 1),
        ("until", 2),
        ("client", 4),
        ("client.kind", 5),
        ("timeline[0].repeat", 8),
        ("timeline[0].play[0].status", 10),
        ("timeline[0].play[1].play[1].status", 12),
        ("timeline[1]", 15),
        ("timeline[1].play[0].up", 16),
        ("expect", 18),
        ("expect.delays", 19),
        ("expect.delays[0]", 20),
        ("expect.delays[1].times", 21),
        ("expect.at.\"5m\".rung", 23),
        ("expect.at.\"1.5s\".regime", 24),
    ] {
        assert_eq!(locations.line(path), Some(line), "{path}");
    }
}

#[test]
fn an_absent_key_is_found_at_the_one_above_it() {
    let locations = parse("where.toml", TEXT).unwrap().locations;
    assert_eq!(locations.line("expect.waits"), Some(18));
    assert_eq!(locations.line("expect.delays[7]"), Some(19));
    assert_eq!(locations.line("expect.at.\"1.5s\".rung"), Some(24));
    assert_eq!(locations.line("limits.events"), None);
    assert_eq!(locations.line("until.further"), Some(2));
}

#[test]
fn each_entry_is_found_by_its_number() {
    let locations = parse("where.toml", TEXT).unwrap().locations;
    let lines: Vec<_> = (0..5).map(|index| locations.entry(index).map(|position| position.line)).collect();
    assert_eq!(lines, [Some(10), Some(11), Some(12), Some(16), None]);
    assert_eq!(locations.entry(0), Some(Position { line: 10, column: 5 }));
}

#[test]
fn a_message_is_shown_with_its_lines() {
    let locations = parse("where.toml", TEXT).unwrap().locations;
    assert_eq!(
        locations.show("expect.delays[1]", "the third delay is 29s, expected 30s", "here"),
        "\
error: the third delay is 29s, expected 30s
  --> where.toml:21:5
   |
21 |     { value = \"30s\", times = 15 },
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here"
    );
    assert_eq!(locations.show("limits.time", "too long", ""), "error: too long");
}
