//! The canonical print and the parser undo each other, and neither stops at anything.

use core::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;
use retrylab_spec::{
    BudgetSpec, ClockChange, Draft, File, JitterChoice, LadderSpec, PolicySpec, Ratio, Timeline, duration, parse,
    parse_bytes, print,
};

use crate::timeline::{Reach, drafts, span, timelines};

fn reread(text: &str) -> Timeline {
    match parse("printed.toml", text) {
        Ok(parsed) => match parsed.file {
            File::Played(timeline) | File::External(timeline) => timeline,
            other => panic!("not a timeline: {other:?}"),
        },
        Err(error) => panic!("{text}\n{error}"),
    }
}

/// Values that no file says, and those next to them.
#[derive(Clone, Copy, Debug)]
struct Odd {
    attempts: Option<u32>,
    tokens: u32,
    ratio: Ratio,
    jitter: JitterChoice,
    step: i64,
}

fn odd() -> impl Strategy<Value = Odd> {
    let largest = prop_oneof![Just(None), Just(Some(u32::MAX)), Just(Some(u32::MAX - 1))];
    let ratio = (0_u32..=9, 0_u32..=9).prop_map(|(numerator, denominator)| Ratio { numerator, denominator });
    let jitter = select(vec![JitterChoice::Own, JitterChoice::None]);
    (largest, 0_u32..=1, ratio, jitter, select(vec![i64::MIN, -i64::MAX, i64::MAX, 1]))
        .prop_map(|(attempts, tokens, ratio, jitter, step)| Odd { attempts, tokens, ratio, jitter, step })
}

impl Odd {
    /// Replaces what is of the same kind; adds nothing.
    fn put_into(self, mut draft: Draft) -> Draft {
        draft.client.jitter = self.jitter;
        for event in &mut draft.clock {
            if let ClockChange::WallStep(by) = &mut event.change {
                *by = self.step;
            }
        }
        if let PolicySpec::Call(call) | PolicySpec::Reconnect { outage: call, .. } = &mut draft.client.kind {
            call.attempts = self.attempts;
            if let LadderSpec::Exponential { ratio, .. } = &mut call.ladder {
                *ratio = self.ratio;
            }
            for budget in &mut call.budgets {
                match budget {
                    BudgetSpec::Tokens { tokens, .. } => *tokens = self.tokens,
                    BudgetSpec::Ratio { ratio, .. } => *ratio = self.ratio,
                }
            }
        }
        draft
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_drafts_are_valid(draft in prop_oneof![drafts(Reach::Anything), drafts(Reach::Playable)]) {
        prop_assert!(Timeline::new(draft.clone()).is_ok(), "{:?}", Timeline::new(draft));
    }

    #[test]
    fn a_print_parses_back_as_the_same_timeline(timeline in timelines(Reach::Anything)) {
        let text = print(&timeline);
        prop_assert_eq!(reread(&text), timeline, "{}", text);
    }

    #[test]
    fn a_generated_draft_is_refused_or_parses_back(draft in drafts(Reach::Anything), odd in odd()) {
        if let Ok(timeline) = Timeline::new(odd.put_into(draft)) {
            let text = print(&timeline);
            prop_assert_eq!(reread(&text), timeline, "{}", text);
        }
    }

    #[test]
    fn printing_is_idempotent(timeline in timelines(Reach::Anything)) {
        let text = print(&timeline);
        prop_assert_eq!(print(&reread(&text)), text);
    }

    #[test]
    fn a_duration_parses_back_as_the_same(length in span(Reach::Anything)) {
        let text = duration::print(length);
        prop_assert_eq!(duration::parse(&text), Ok(length), "{}", text);
    }

    #[test]
    fn any_number_of_seconds_prints(seconds in any::<u64>(), nanos in 0_u32..1_000_000_000) {
        prop_assert!(!duration::print(Duration::new(seconds, nanos)).is_empty());
    }

    #[test]
    fn a_duration_is_never_misread(text in r"[0-9]{1,9}([.,][0-9]{0,10})? ?(d|h|m|s|ms|us|ns|min|)") {
        // What is read, written and read again is the same; what cannot be said is refused, not rounded.
        if let Ok(length) = duration::parse(&text) {
            prop_assert_eq!(duration::parse(&duration::print(length)), Ok(length));
        }
    }

    #[test]
    fn no_text_stops_the_parser(text in any::<String>()) {
        let _ = parse("any.toml", &text).map_err(|error| error.to_string());
    }

    #[test]
    fn no_bytes_stop_the_parser(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_bytes("any.toml", &bytes).map_err(|error| error.to_string());
    }

    #[test]
    fn no_damage_to_a_good_file_stops_the_parser(
        timeline in timelines(Reach::Anything),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..8, any::<u8>()), 1..4),
    ) {
        let mut bytes = print(&timeline).into_bytes();
        for (at, cut, byte) in damage {
            let at = at.index(bytes.len());
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, [byte]);
        }
        let _ = parse_bytes("damaged.toml", &bytes).map_err(|error| error.to_string());
    }

    #[test]
    fn no_word_in_place_of_another_stops_the_parser(
        timeline in timelines(Reach::Anything),
        from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
    ) {
        // Tokens change places: most results are still TOML, with wrong types and keys in wrong tables.
        let text = print(&timeline);
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        let (from, to) = (from.index(words.len()), to.index(words.len()));
        words.swap(from, to);
        let _ = parse("swapped.toml", &words.concat()).map_err(|error| error.to_string());
    }
}
