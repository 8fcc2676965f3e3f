//! The table of the repeating task, one test per row; then every order of its inputs.

use std::cell::Cell;
use std::time::Duration;

use retrylab_core::{FailureKind, Instant, Retry, RetryRules};
use retrylab_source::{DelaySource, Every, RepeatingTask, TaskInput, TaskOutput};

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A constant delay that counts its reads.
struct Counted {
    delay: Duration,
    reads: Cell<u32>,
}

impl DelaySource for Counted {
    fn next_delay(&self) -> Duration {
        self.reads.set(self.reads.get() + 1);
        self.delay
    }
}

fn counted(delay: Duration) -> RepeatingTask<Counted> {
    RepeatingTask::new(Counted { delay, reads: Cell::new(0) })
}

/// The outputs of the task, as lines.
fn feed<D: DelaySource>(task: &mut RepeatingTask<D>, input: TaskInput, now: Instant) -> Vec<String> {
    task.handle(input, now);
    let outputs = std::iter::from_fn(|| task.next_output());
    let line = |output| match output {
        TaskOutput::Call => "call".to_owned(),
        TaskOutput::Wait { until } => format!("wait until {:?}", until.since_origin()),
        TaskOutput::Log(record) => format!("{}: {record}", record.level),
        TaskOutput::Stopped => "stopped".to_owned(),
    };
    outputs.map(line).collect()
}

fn failed(text: &str) -> TaskInput {
    TaskInput::Returned(Err(text.to_owned()))
}

const RETURNED: TaskInput = TaskInput::Returned(Ok(()));

#[test]
fn start() {
    let mut task = counted(s(10));
    assert_eq!(feed(&mut task, TaskInput::Start, Instant::ZERO), ["call"]);
    assert_eq!(task.delays().reads.get(), 0, "the delay is not read before the first call");
    for _ in 0..2 {
        assert_eq!(
            feed(&mut task, TaskInput::Start, Instant::ZERO),
            ["info: Already started; starting again changes nothing"]
        );
    }
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(1)), ["wait until 11s"], "it was called once");
    assert_eq!(
        feed(&mut task, TaskInput::Start, Instant::from_secs(2)),
        ["info: Already started; starting again changes nothing"],
        "in a wait, too"
    );
}

#[test]
fn initial_delay() {
    let mut task = counted(s(10)).initial_delay(s(5));
    assert_eq!(feed(&mut task, TaskInput::Start, Instant::from_secs(1)), ["wait until 6s"]);
    assert_eq!(feed(&mut task, TaskInput::Timer, Instant::from_secs(6)), ["call"]);
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(6)), ["wait until 16s"]);
    assert_eq!(task.delays().reads.get(), 1);

    let mut stopped = counted(s(10)).initial_delay(s(5));
    feed(&mut stopped, TaskInput::Start, Instant::ZERO);
    assert_eq!(feed(&mut stopped, TaskInput::Stop, Instant::ZERO), ["stopped"], "it can be cut");
    assert_eq!(feed(&mut stopped, TaskInput::Timer, Instant::from_secs(5)), [""; 0]);

    let mut none = counted(s(10)).initial_delay(Duration::ZERO);
    assert_eq!(feed(&mut none, TaskInput::Start, Instant::ZERO), ["call"], "none is skipped");
}

#[test]
fn callback_returns() {
    let mut task = counted(s(10));
    feed(&mut task, TaskInput::Start, Instant::ZERO);
    for (round, began) in (1..).zip([0, 17, 34]) {
        // Each call takes 7 s, and the wait of 10 s begins when it has ended.
        let until = format!("wait until {}s", began + 17);
        assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(began + 7)), [until]);
        assert_eq!(task.delays().reads.get(), round, "the delay is read once a call");
        assert_eq!(feed(&mut task, TaskInput::Timer, Instant::from_secs(began + 17)), ["call"]);
    }
}

#[test]
fn callback_raises() {
    let mut task = counted(s(10));
    feed(&mut task, TaskInput::Start, Instant::ZERO);
    let lines = feed(&mut task, failed("no disk"), Instant::from_secs(1));
    assert_eq!(lines, ["error: The callback of a repeating task failed (no disk)", "wait until 11s"]);
    assert_eq!(task.delays().reads.get(), 1);
    assert_eq!(feed(&mut task, TaskInput::Timer, Instant::from_secs(11)), ["call"]);
}

#[test]
fn next_delay_of_zero() {
    let mut task = counted(Duration::ZERO);
    feed(&mut task, TaskInput::Start, Instant::ZERO);
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(3)), ["wait until 3s"], "a wait that is over");
    assert_eq!(feed(&mut task, TaskInput::Stop, Instant::from_secs(3)), ["stopped"], "between two calls");
    assert_eq!(feed(&mut task, TaskInput::Timer, Instant::from_secs(3)), [""; 0]);
}

#[test]
fn next_delay_is_huge() {
    for mut task in [counted(Duration::MAX), counted(Duration::MAX).fixed_cadence()] {
        feed(&mut task, TaskInput::Start, Instant::from_secs(1));
        task.handle(RETURNED, Instant::from_secs(2));
        assert!(
            matches!(task.next_output(), Some(TaskOutput::Wait { until }) if until >= Instant::MAX || until.since_origin() > s(584 * 365 * 86_400))
        );
    }
}

#[test]
fn stop_from_outside() {
    let mut waiting = counted(s(3_600));
    feed(&mut waiting, TaskInput::Start, Instant::ZERO);
    feed(&mut waiting, RETURNED, Instant::ZERO);
    assert_eq!(feed(&mut waiting, TaskInput::Stop, Instant::from_secs(1)), ["stopped"], "an hour is cut");
    assert_eq!(feed(&mut waiting, TaskInput::Stop, Instant::from_secs(1)), [""; 0], "twice");

    let mut calling = counted(s(10));
    feed(&mut calling, TaskInput::Start, Instant::ZERO);
    assert_eq!(feed(&mut calling, TaskInput::Stop, Instant::from_secs(1)), ["stopped"]);
    assert_eq!(feed(&mut calling, RETURNED, Instant::from_secs(2)), [""; 0], "the callback finishes");
    assert_eq!(calling.delays().reads.get(), 0);
}

#[test]
fn stop_from_the_callback() {
    let mut task = counted(s(10));
    feed(&mut task, TaskInput::Start, Instant::ZERO);
    feed(&mut task, TaskInput::Stop, Instant::ZERO);
    assert_eq!(
        feed(&mut task, failed("no disk"), Instant::ZERO),
        ["error: The callback of a repeating task failed (no disk)"],
        "that it failed is logged, and nothing follows"
    );
    assert_eq!(feed(&mut task, TaskInput::Timer, Instant::from_secs(10)), [""; 0]);
}

#[test]
fn stop_then_start() {
    let mut task = RepeatingTask::every(s(10));
    assert_eq!(feed(&mut task, TaskInput::Stop, Instant::ZERO), ["stopped"]);
    assert_eq!(feed(&mut task, TaskInput::Start, Instant::ZERO), [""; 0]);
    assert_eq!(feed(&mut task, TaskInput::Timer, Instant::ZERO), [""; 0]);
}

#[test]
fn a_fixed_cadence_keeps_to_the_beginnings_of_calls_without_debt() {
    let mut task = RepeatingTask::new(Every(s(10))).fixed_cadence();
    feed(&mut task, TaskInput::Start, Instant::from_secs(100));
    // Began at 100: the multiples after it are 110, 120, 130.
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(104)), ["wait until 110s"]);
    feed(&mut task, TaskInput::Timer, Instant::from_secs(110));
    // Began at 110 and took 23 s: 120 and 130 are missed and not made up for.
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(133)), ["wait until 140s"]);
    feed(&mut task, TaskInput::Timer, Instant::from_secs(140));
    // It ended exactly when the next one is due, which counts as already begun.
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(150)), ["wait until 160s"]);
    // A wait that ends late moves the beginning, and the multiples with it.
    feed(&mut task, TaskInput::Timer, Instant::from_secs(163));
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(164)), ["wait until 173s"]);
}

#[test]
fn a_fixed_cadence_of_nothing_calls_at_once() {
    let mut task = RepeatingTask::every(Duration::ZERO).fixed_cadence();
    feed(&mut task, TaskInput::Start, Instant::ZERO);
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(3)), ["wait until 3s"]);
}

#[test]
fn a_retry_state_is_a_delay_source_that_records_outcomes() {
    let mut task = RepeatingTask::new(Retry::new(RetryRules::polling(Duration::from_secs(30))));
    feed(&mut task, TaskInput::Start, Instant::ZERO);
    task.delays_mut().wait_after(FailureKind::Unexpected, Instant::ZERO, 0);
    assert_eq!(feed(&mut task, RETURNED, Instant::from_secs(1)), ["wait until 301s"]);
}

/// Each of start, stop, timer and returned comes once, in each of the 24 orders.
#[test]
fn every_order_of_start_stop_timer_and_returned() {
    let inputs = [TaskInput::Start, TaskInput::Stop, TaskInput::Timer, RETURNED];
    let mut orders = 0;
    for order in permutations() {
        let mut task = counted(s(10));
        let lines: Vec<_> = order.iter().flat_map(|at| feed(&mut task, inputs[*at].clone(), Instant::ZERO)).collect();
        let position = |input: usize| order.iter().position(|at| *at == input).unwrap();
        let [start, stop, timer, returned] = [0, 1, 2, 3].map(position);
        let first = start < stop;
        let wait = start < returned && returned < stop;
        let second = wait && returned < timer && timer < stop;
        let count = |line: &str| lines.iter().filter(|present| *present == line).count();
        assert_eq!(count("call"), usize::from(first) + usize::from(second), "{order:?}: {lines:?}");
        assert_eq!(count("wait until 10s"), usize::from(wait), "{order:?}: {lines:?}");
        assert_eq!(count("stopped"), 1, "{order:?}: {lines:?}");
        assert_eq!(lines.last().unwrap(), "stopped", "{order:?}: {lines:?}");
        orders += 1;
    }
    assert_eq!(orders, 24);
}

fn permutations() -> impl Iterator<Item = [usize; 4]> {
    let all = (0..256).map(|code| [code / 64, code / 16 % 4, code / 4 % 4, code % 4]);
    all.filter(|order| (0..4).all(|input| order.contains(&input)))
}

/// Every sequence of seven inputs out of five, 78,125 of them, against an independent description of a task.
#[test]
fn every_sequence_of_seven_inputs() {
    let inputs = [TaskInput::Start, TaskInput::Stop, TaskInput::Timer, RETURNED, failed("no")];
    for code in 0..5_usize.pow(7) {
        let mut task = counted(s(1));
        let (mut in_call, mut waits, mut started, mut stopped) = (false, false, false, false);
        let mut reads = 0;
        let mut rest = code;
        for _ in 0..7 {
            let input = &inputs[rest % 5];
            rest /= 5;
            let lines = feed(&mut task, input.clone(), Instant::ZERO);
            let mut expected = Vec::new();
            match input {
                TaskInput::Start if !started && !stopped => {
                    (started, in_call) = (true, true);
                    expected.push("call");
                }
                TaskInput::Start if !stopped => {
                    expected.push("info: Already started; starting again changes nothing");
                }
                TaskInput::Timer if waits && !stopped => {
                    (waits, in_call) = (false, true);
                    expected.push("call");
                }
                TaskInput::Returned(result) if in_call || stopped => {
                    if result.is_err() {
                        expected.push("error: The callback of a repeating task failed (no)");
                    }
                    if !stopped {
                        (waits, in_call) = (true, false);
                        reads += 1;
                        expected.push("wait until 1s");
                    }
                }
                TaskInput::Stop if !stopped => {
                    stopped = true;
                    expected.push("stopped");
                }
                _ => {}
            }
            assert_eq!(lines, expected, "sequence {code}");
            assert_eq!(task.delays().reads.get(), reads, "sequence {code}");
        }
    }
}
