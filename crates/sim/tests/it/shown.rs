//! How a trace looks, for people and for machines.

use retrylab_sim::{Around, Trace, json_line};
use retrylab_spec::End;

use crate::timelines::*;

#[test]
fn the_text_is_aligned_columns() {
    let timeline = checked(stream(vec![status(401), up(5, End::Close)]));
    let expected = "
 time  event                      kind        regime    attempt  rung  base  jitter  wait
   0s  401                        unexpected  extended        1     1    5m      0s    5m
   5m  message                    -           extended        2     1     -       -    0s
5m 5s  close                      normal      extended        2     2   10m      0s   10m
5m 5s  end: nothing more happens  -           extended        2     2     -       -     -
";
    assert_eq!(format!("\n{}", Trace::fold(records(&timeline))), expected);
}

#[test]
fn a_call_that_gave_up_stands_nowhere() {
    let timeline = checked(calls(1, vec![status(503)]));
    let expected = "
time  event                      kind    regime  attempt  rung  base  jitter  wait
  0s  503, gave up (attempts)    normal  -             1     -     -       -     -
  0s  end: nothing more happens  -       normal        1     0     -       -     -
";
    assert_eq!(format!("\n{}", Trace::fold(records(&timeline))), expected);
    assert_eq!(
        json_line(&records(&timeline)[0]).expect("JSON"),
        r#"{"time_ns":0,"clock_ns":0,"event":"gave-up","cause":"503","kind":"normal","attempt":1,"why":"attempts"}"#
    );
    // So it is in a fold.
    let folded = Trace::fold(records(&checked(calls(1, vec![times(8, vec![status(503)])])))).to_string();
    let fold = folded.lines().nth(1).expect("a fold");
    assert_eq!(fold, "  0s  503, gave up (attempts)    normal  -          1..8     -     -       -     -  × 8");
}

#[test]
fn what_repeats_is_one_line_with_first_and_last_attempt_and_rung() {
    // 1, 2, 4, 8, 16 s, then nine times 30 s from 31 s on; the tenth message at 31 + 9 · 30 = 301 s stays.
    let timeline = checked(stream(vec![times(5 + 9, vec![status(503)]), stays_up()]));
    let expected = "
 time  event                      kind    regime  attempt   rung  base  jitter  wait
   0s  503                        normal  normal        1      1    1s      0s    1s
   1s  503                        normal  normal        2      2    2s      0s    2s
   3s  503                        normal  normal        3      3    4s      0s    4s
   7s  503                        normal  normal        4      4    8s      0s    8s
  15s  503                        normal  normal        5      5   16s      0s   16s
  31s  503                        normal  normal    6..14  6..14   30s      0s   30s  × 9
5m 1s  message                    -       normal       15     14     -       -    0s
5m 1s  end: nothing more happens  -       normal       15     14     -       -     -
";
    assert_eq!(format!("\n{}", Trace::fold(records(&timeline))), expected);
}

#[test]
fn a_folded_cycle_shows_its_events_and_the_lowest_and_highest_wait() {
    let mut draft = stream(vec![times(5 + 8, vec![up(5, End::Close)])]);
    draft.client.jitter = retrylab_spec::JitterChoice::Own;
    let records = records(&checked(draft));
    let text = Trace::fold(records.clone()).to_string();
    let fold = text.lines().find(|line| line.ends_with("  × 8")).expect("a fold");
    assert!(fold.contains("message, close"), "{fold}");
    let waits = records.iter().filter(|r| r.base_ns() == Some(30 * S)).filter_map(|r| r.wait_ns());
    let (low, high) = (waits.clone().min().expect("a wait"), waits.max().expect("a wait"));
    let show = |ns| retrylab_spec::duration::print(core::time::Duration::from_nanos(ns));
    assert!(fold.contains(&format!("  0s, {}..{}  ", show(low), show(high))), "{fold}");
}

#[test]
fn a_line_of_json_has_the_same_fields_in_nanoseconds() {
    let timeline = checked(stream(vec![status(401)]));
    let lines: Vec<String> = records(&timeline).iter().map(|record| json_line(record).expect("JSON")).collect();
    assert_eq!(
        lines,
        [
            r#"{"time_ns":0,"clock_ns":0,"event":"failure","cause":"401","kind":"unexpected","regime":"extended","attempt":1,"rung":1,"base_ns":300000000000,"jitter_ns":0,"wait_ns":300000000000}"#,
            r#"{"time_ns":0,"clock_ns":0,"event":"end","regime":"extended","attempt":1,"rung":1,"why":"finished"}"#,
        ]
    );
}

#[test]
fn around_a_place_are_four_records_on_either_side_or_the_last_nine() {
    // Polls at 0, 30, …, 570 s, and the end: records 0 to 20.
    let records = records(&checked(poller(vec![times(20, vec![ok()])])));
    assert_eq!(records.len(), 21);
    let shown = |place: usize| {
        let mut around = Around::new();
        let number = records.get(place).map(|record| record.number);
        for record in &records {
            around.observe(record);
            if number == Some(record.number) {
                around.mark(record.number);
            }
        }
        let text = Trace::unfolded(around.at(number)).to_string();
        let attempts = text.lines().skip(1).map(|line| line.split_whitespace().rev().nth(4).map(str::to_owned));
        attempts.collect::<Option<Vec<_>>>().expect("nine columns").join(" ")
    };
    assert_eq!(shown(0), "1 2 3 4 5");
    assert_eq!(shown(6), "3 4 5 6 7 8 9 10 11");
    assert_eq!(shown(20), "13 14 15 16 17 18 19 20 20");
    assert_eq!(shown(usize::MAX), "13 14 15 16 17 18 19 20 20");
}

#[test]
fn a_trace_that_is_printed_in_pieces_has_one_heading_and_keeps_its_columns() {
    let timeline = checked(stream(vec![status(503), status(429), stays_up()]));
    let records: Vec<_> = records(&timeline);
    let whole = Trace::unfolded(records.clone());
    let mut pieces = Trace::default();
    let mut text = String::new();
    for record in &records {
        pieces.push(&retrylab_sim::Line::Record(*record));
        assert_eq!(pieces.rows(), 1);
        text += &pieces.to_string();
        pieces.go_on();
    }
    assert_eq!(pieces.rows(), 0);
    assert_eq!(text.lines().count(), whole.to_string().lines().count());
    // Once the widest cells are printed, nothing moves any more.
    assert_eq!(text.lines().last(), whole.to_string().lines().last());

    let mut again = whole.clone();
    again.go_on();
    again.push(&retrylab_sim::Line::Record(records[0]));
    assert_eq!(Some(again.to_string().trim_end()), whole.to_string().lines().nth(1));
}
