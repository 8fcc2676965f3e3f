//! `Retry-After`: valid and invalid values, and the wait of each from a point in time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retrylab_source::PastDate::{RetryNow, UseLadder};
use retrylab_source::RetryAfter;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Seconds since 1970. RFC 9110 writes Sun, 06 Nov 1994 08:49:37 GMT in three ways: 9,075 days (24 years, 6 of them
/// leap years, and 309 days) are 784,080,000 s, and 08:49:37 are 31,777 s more.
const RFC_EXAMPLE: u64 = 784_111_777;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + s(seconds)
}

#[test]
fn digits_are_seconds() {
    for (value, seconds) in [("0", 0), ("1", 1), ("120", 120), ("007", 7), ("3600", 3600), ("0000", 0)] {
        assert_eq!(RetryAfter::parse(value), Some(RetryAfter::Delay(s(seconds))), "{value:?}");
    }
}

#[test]
fn seconds_saturate_at_64_bits() {
    assert_eq!(RetryAfter::parse("18446744073709551615"), Some(RetryAfter::Delay(s(u64::MAX))));
    assert_eq!(RetryAfter::parse("18446744073709551616"), Some(RetryAfter::Delay(s(u64::MAX))));
    assert_eq!(RetryAfter::parse(&"9".repeat(10_000)), Some(RetryAfter::Delay(s(u64::MAX))));
}

#[test]
fn an_invalid_number_counts_as_no_header() {
    let none = [
        "", " ", "-3", "+3", "1.5", "1,5", "1e3", " 3x", "3x", "3 ", " 3", "3\t", "3\n", "\u{a0}3", "0x10", "3s",
        "3;q=1", "٣", "３", "3\0", "inf", "NaN", "null", "-", "+", ".", "3 3", "120, 60",
    ];
    for value in none {
        assert_eq!(RetryAfter::parse(value), None, "{value:?}");
    }
}

#[test]
fn a_date_has_three_forms() {
    for value in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
        assert_eq!(RetryAfter::parse(value), Some(RetryAfter::Date(at(RFC_EXAMPLE))), "{value:?}");
    }
}

#[test]
fn the_separators_of_a_date_are_exactly_those_of_its_form() {
    for value in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
        for (place, _) in value.match_indices(|c: char| !c.is_ascii_alphanumeric()) {
            for other in ["\0", "\t", "_", "x", "T", "~"] {
                let changed = [&value[..place], other, &value[place + 1..]].concat();
                assert_eq!(RetryAfter::parse(&changed), None, "{changed:?}");
            }
        }
    }
}

#[test]
fn an_invalid_date_counts_as_no_header() {
    let none = [
        // Another weekday than the date has.
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Monday, 06-Nov-94 08:49:37 GMT",
        "Mon Nov  6 08:49:37 1994",
        // A day that November does not have, with the weekday of the day after it.
        "Thu, 31 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:60 GMT",
        // Another zone, another spelling, more or less than the form.
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun,  06 Nov 1994 08:49:37 GMT",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun Nov 6 08:49:37 1994",
        "1994-11-06T08:49:37Z",
        "Sün, 06 Nov 1994 08:49:37 GMT",
    ];
    for value in none {
        assert_eq!(RetryAfter::parse(value), None, "{value:?}");
    }
}

#[test]
fn the_wait_of_a_date_is_its_distance_from_now() {
    let date = RetryAfter::Date(at(RFC_EXAMPLE));
    for past in [RetryNow, UseLadder] {
        assert_eq!(date.delay(at(RFC_EXAMPLE - 37), past), Some(s(37)));
        assert_eq!(date.delay(at(RFC_EXAMPLE) - Duration::from_millis(1), past), Some(Duration::from_millis(1)));
        assert_eq!(date.delay(at(RFC_EXAMPLE), past), Some(s(0)), "a date that is now has not passed");
    }
}

#[test]
fn the_meaning_of_a_past_date_is_an_option() {
    let date = RetryAfter::Date(at(RFC_EXAMPLE));
    for now in [at(RFC_EXAMPLE) + Duration::from_nanos(1), at(RFC_EXAMPLE + 1), at(4_000_000_000)] {
        assert_eq!(date.delay(now, RetryNow), Some(s(0)));
        assert_eq!(date.delay(now, UseLadder), None);
    }
}

#[test]
fn a_delay_does_not_depend_on_now() {
    for now in [UNIX_EPOCH, UNIX_EPOCH - s(1), at(RFC_EXAMPLE)] {
        for past in [RetryNow, UseLadder] {
            assert_eq!(RetryAfter::Delay(s(0)).delay(now, past), Some(s(0)), "zero seconds are no past date");
            assert_eq!(RetryAfter::Delay(s(u64::MAX)).delay(now, past), Some(s(u64::MAX)));
        }
    }
}

#[test]
fn the_last_date_of_the_grammar_is_read() {
    // 10000-01-01 is day 2,932,897 after 1970-01-01; the second before it is 2,932,897 · 86,400 - 1.
    let last = 2_932_897 * 86_400 - 1;
    assert_eq!(RetryAfter::parse("Fri, 31 Dec 9999 23:59:59 GMT"), Some(RetryAfter::Date(at(last))));
    assert_eq!(
        RetryAfter::parse("Fri, 31 Dec 9999 23:59:59 GMT").and_then(|date| date.delay(at(last - 5), UseLadder)),
        Some(s(5))
    );
}

#[test]
fn a_date_before_1970_counts_as_no_header() {
    assert_eq!(RetryAfter::parse("Wed, 31 Dec 1969 23:59:59 GMT"), None);
}
