//! Any text as the value of a header `Retry-After`: what is read as a date is one of its four spellings.
#![no_main]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use libfuzzer_sys::fuzz_target;
use retrylab_source::{PastDate, RetryAfter};

fuzz_target!(|value: &str| {
    let Some(read) = RetryAfter::parse(value) else { return };
    // Wherever the client's clock stands: at its beginning, in 2020, and in the year 10000, which no date of HTTP reaches.
    for now in [0, 1_577_836_800, 253_402_300_800].map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds)) {
        let ladder = read.delay(now, PastDate::UseLadder);
        let at_once = read.delay(now, PastDate::RetryNow);
        match read {
            RetryAfter::Delay(delay) => {
                assert!(value.bytes().all(|byte| byte.is_ascii_digit()), "{value:?} is a delay");
                assert_eq!((ladder, at_once), (Some(delay), Some(delay)));
            }
            RetryAfter::Date(date) => {
                assert!(spellings(date).iter().any(|spelling| spelling == value), "{value:?} is a date");
                let ahead = date.duration_since(now).ok();
                assert_eq!((ladder, at_once), (ahead, ahead.or(Some(Duration::ZERO))));
            }
        }
    }
});

/// Every text that is this date: as it is printed today, as RFC 850 had it, and as C does, there with a blank or a zero
/// before a day of one digit.
fn spellings(date: SystemTime) -> [String; 4] {
    let today = httpdate::fmt_http_date(date);
    let [weekday, day, month, year, time, _zone] = today.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{today:?} has six parts")
    };
    let weekday = weekday.trim_end_matches(',');
    let rest = match weekday {
        "Tue" => "sday",
        "Wed" => "nesday",
        "Thu" => "rsday",
        "Sat" => "urday",
        _ => "day",
    };
    let short = day.strip_prefix('0').map_or_else(|| day.to_owned(), |digit| format!(" {digit}"));
    [
        format!("{weekday}{rest}, {day}-{month}-{} {time} GMT", &year[2..]),
        format!("{weekday} {month} {day} {time} {year}"),
        format!("{weekday} {month} {short} {time} {year}"),
        today,
    ]
}
