//! Ladders as values, rung by rung.

use std::time::Duration;

use retrylab_core::{Ladder, LadderError, MAX_LIST_RUNGS};

use crate::client::{ms, ns, s};

const LONGEST: Duration = ns(u64::MAX);

/// The first rungs: walked step by step, and each looked up by its number.
fn rungs<const N: usize>(ladder: Ladder) -> [Duration; N] {
    let mut step = ladder.first();
    std::array::from_fn(|index| {
        let number = u32::try_from(index + 1).expect("tests use few rungs");
        assert_eq!(step.number(), number);
        let wait = ladder.wait(step);
        assert_eq!(ladder.rung(number), wait, "rung {number}");
        step = ladder.next(step);
        wait
    })
}

fn exponential(base: Duration, numerator: u32, denominator: u32, ceiling: Duration) -> Ladder {
    Ladder::exponential(base, numerator, denominator, ceiling).expect("a ratio of at least 1")
}

#[test]
fn an_exponential_ladder_doubles() {
    assert_eq!(rungs(exponential(s(1), 2, 1, s(30))), [1, 2, 4, 8, 16, 30, 30].map(s));
}

#[test]
fn an_exponential_ladder_grows_by_any_ratio() {
    // 1.5^5 = 7.59375, and 1.5^6 = 11.390625 is above the ceiling.
    let expected = [1_000, 1_500, 2_250, 3_375].map(ms);
    let ladder = exponential(s(1), 3, 2, s(10));
    assert_eq!(rungs::<4>(ladder), expected);
    assert_eq!(rungs::<8>(ladder)[4..], [ns(5_062_500_000), ns(7_593_750_000), s(10), s(10)]);

    // 1.6^9 = 68.719476736 is the last power that is a whole number of nanoseconds; 1.6^10 = 109.9511627776 rounds up;
    // the next, 175.9…, is above the ceiling.
    let expected = [
        1_000_000_000,
        1_600_000_000,
        2_560_000_000,
        4_096_000_000,
        6_553_600_000,
        10_485_760_000,
        16_777_216_000,
        26_843_545_600,
        42_949_672_960,
        68_719_476_736,
        109_951_162_778,
        120_000_000_000,
    ];
    assert_eq!(rungs(exponential(s(1), 8, 5, s(120))), expected.map(ns));
}

#[test]
fn an_exponential_ladder_of_ratio_one_is_flat() {
    assert_eq!(rungs(exponential(s(7), 1, 1, s(30))), [s(7); 5]);
    assert_eq!(rungs(exponential(s(7), u32::MAX, u32::MAX, s(30))), [s(7); 5]);
    assert_eq!(exponential(s(7), 3, 3, s(30)).rung(u32::MAX), s(7));
}

#[test]
fn rungs_round_up_where_rounding_down_would_stick() {
    // From 1 ns: 1.5, 3, 4.5, 7.5, 12 round up to 2, 3, 5, 8, 12; rounded down, 1.5 is 1 for ever.
    assert_eq!(rungs(exponential(ns(1), 3, 2, ns(10))), [1, 2, 3, 5, 8, 10, 10].map(ns));
    // From 1 ns: 1.6, 3.2, 6.4, 11.2 round up to 2, 4, 7, 12.
    assert_eq!(rungs(exponential(ns(1), 8, 5, ns(12))), [1, 2, 4, 7, 12, 12].map(ns));
}

#[test]
fn an_exponential_ladder_saturates() {
    assert_eq!(rungs(exponential(ns(1 << 63), 2, 1, LONGEST)), [ns(1 << 63), LONGEST, LONGEST]);
    assert_eq!(rungs(exponential(ns(1 << 62), 3, 1, Duration::MAX)), [ns(1 << 62), ns(3 << 62), LONGEST, LONGEST]);
    assert_eq!(rungs(exponential(LONGEST, u32::MAX, 1, LONGEST)), [LONGEST; 3]);
    assert_eq!(exponential(ns(1), 2, 1, LONGEST).rung(u32::MAX), LONGEST);
    assert_eq!(exponential(s(0), 2, 1, s(30)).rung(u32::MAX), s(0));
}

#[test]
fn a_constant_ladder_is_its_own_ceiling() {
    let ladder = Ladder::constant(s(4));
    assert_eq!(rungs(ladder), [s(4); 4]);
    assert_eq!(ladder.ceiling(), s(4));
    assert_eq!(ladder.rung(u32::MAX), s(4));
}

#[test]
fn a_linear_ladder_adds_its_step() {
    assert_eq!(rungs(Ladder::linear(s(1), s(2), s(6))), [1, 3, 5, 6, 6].map(s));
    assert_eq!(rungs(Ladder::linear(s(3), s(0), s(6))), [s(3); 3]);
    assert_eq!(rungs(Ladder::linear(ns(u64::MAX - 6), ns(4), LONGEST)), [ns(u64::MAX - 6), ns(u64::MAX - 2), LONGEST]);
    assert_eq!(Ladder::linear(s(1), s(1), s(1000)).rung(u32::MAX), s(1000));
}

#[test]
fn a_fibonacci_ladder_adds_the_two_rungs_before() {
    let ladder = Ladder::fibonacci(ms(100), s(1));
    assert_eq!(rungs(ladder), [100, 100, 200, 300, 500, 800, 1000, 1000].map(ms));
    assert_eq!(ladder.rung(u32::MAX), s(1));
    assert_eq!(rungs(Ladder::fibonacci(ns(1 << 63), LONGEST)), [ns(1 << 63), ns(1 << 63), LONGEST, LONGEST]);
    assert_eq!(Ladder::fibonacci(s(0), s(1)).rung(u32::MAX), s(0));
}

#[test]
fn a_list_is_walked_as_written_and_ends_on_its_last_entry() {
    static WRITTEN: [Duration; 3] = [s(5), s(1), s(3)];
    for ladder in [Ladder::list(&WRITTEN).unwrap(), Ladder::static_list(&WRITTEN).unwrap()] {
        assert_eq!(rungs(ladder), [5, 1, 3, 3, 3].map(s));
        assert_eq!(ladder.ceiling(), s(5), "the longest entry");
        assert_eq!(ladder.rung(u32::MAX), s(3));
    }
    assert_eq!(rungs(Ladder::list(&[Duration::MAX]).unwrap()), [LONGEST; 2]);
}

#[test]
fn a_list_holds_sixteen_entries_and_a_static_one_any_number() {
    static LONG: [Duration; MAX_LIST_RUNGS + 1] = {
        let mut long = [s(1); MAX_LIST_RUNGS + 1];
        long[MAX_LIST_RUNGS - 1] = s(16);
        long[MAX_LIST_RUNGS] = s(17);
        long
    };
    let full = Ladder::list(&LONG[..MAX_LIST_RUNGS]).unwrap();
    assert_eq!((full.rung(15), full.rung(16), full.rung(17)), (s(1), s(16), s(16)));
    let longer = Ladder::static_list(&LONG).unwrap();
    assert_eq!((longer.rung(15), longer.rung(16), longer.rung(17), longer.rung(18)), (s(1), s(16), s(17), s(17)));
    assert_eq!(Ladder::list(&LONG), Err(LadderError::LongList { given: 17 }));
}

#[test]
fn a_base_above_the_ceiling_is_cut() {
    assert_eq!(rungs(exponential(s(9), 2, 1, s(4))), [s(4); 3]);
    assert_eq!(rungs(Ladder::linear(s(9), s(1), s(4))), [s(4); 3]);
    assert_eq!(rungs(Ladder::fibonacci(s(9), s(4))), [s(4); 3]);
}

#[test]
fn rung_zero_counts_as_the_first() {
    assert_eq!(exponential(s(1), 2, 1, s(30)).rung(0), s(1));
    assert_eq!(Ladder::list(&[s(2), s(3)]).unwrap().rung(0), s(2));
}

#[test]
fn an_invalid_ladder_is_an_error_that_names_the_values() {
    let text = |ladder: Result<Ladder, LadderError>| ladder.unwrap_err().to_string();
    let expected = [
        (
            text(Ladder::exponential(s(1), 1, 2, s(30))),
            "the ratio of an exponential ladder is 1/2; it must be at least 1",
        ),
        (
            text(Ladder::exponential(s(1), 5, 0, s(30))),
            "the ratio of an exponential ladder is 5/0; it must be at least 1",
        ),
        (
            text(Ladder::exponential(s(1), 0, 0, s(30))),
            "the ratio of an exponential ladder is 0/0; it must be at least 1",
        ),
        (text(Ladder::list(&[])), "the list of rungs is empty; at least 1 is required"),
        (text(Ladder::static_list(&[])), "the list of rungs is empty; at least 1 is required"),
        (
            text(Ladder::list(&[s(1); 17])),
            "the list has 17 rungs; at most 16 are allowed, or any number as a static list",
        ),
    ];
    for (got, expected) in expected {
        assert_eq!(got, expected);
    }
}
