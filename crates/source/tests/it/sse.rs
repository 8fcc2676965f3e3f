//! Event streams, for any cuts between their bytes and any line ends.

use std::num::NonZeroUsize;
use std::time::Duration;

use retrylab_source::{EventReader, EventTooLarge, Message, StreamEvent};

fn message(event: &str, data: &str) -> StreamEvent {
    StreamEvent::Message(Message { event: event.to_owned(), data: data.to_owned() })
}

fn retry(milliseconds: u64) -> StreamEvent {
    StreamEvent::Retry(Duration::from_millis(milliseconds))
}

fn hear_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamEvent> {
    let mut reader = EventReader::new();
    let mut heard = Vec::new();
    for piece in pieces {
        reader.read(piece, |event| heard.push(event)).expect("small events");
    }
    heard
}

fn hear(stream: impl AsRef<[u8]>) -> Vec<StreamEvent> {
    hear_pieces([stream.as_ref()])
}

/// Whole, byte by byte, and in two pieces cut at every place.
fn check(stream: impl AsRef<[u8]>, expected: &[StreamEvent]) {
    let stream = stream.as_ref();
    let text = String::from_utf8_lossy(stream);
    assert_eq!(hear(stream), expected, "{text:?}");
    assert_eq!(hear_pieces(stream.chunks(1)), expected, "{text:?}, byte by byte");
    for at in 0..=stream.len() {
        let (before, after) = stream.split_at(at);
        assert_eq!(hear_pieces([before, after]), expected, "{text:?}, cut at {at}");
    }
}

#[test]
fn lines_end_with_lf_with_cr_or_with_both() {
    let stream = ": hi\nevent: put\ndata: a\ndata: b\n\nretry: 5\n\ndata: c\n\n";
    let expected = [message("put", "a\nb"), retry(5), message("message", "c")];
    for end in ["\n", "\r", "\r\n"] {
        check(stream.replace('\n', end), &expected);
    }
    check("event: put\rdata: a\r\ndata: b\n\r\nretry: 5\n\rdata: c\n\n", &expected);
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_beginning_and_nowhere_else() {
    check("\u{feff}data: a\n\n", &[message("message", "a")]);
    check("data: a\n\n\u{feff}data: b\n\n", &[message("message", "a")]);
    check("\u{feff}\u{feff}data: a\n\n", &[]);
    check("data: \u{feff}a\n\n", &[message("message", "\u{feff}a")]);
    check(b"\xef\xbbdata: a\n\n", &[]);
}

#[test]
fn comments_bring_nothing() {
    check(":\n\n: a\n:b\n\n::\n\n", &[]);
    check(": before\ndata: a\n: between\ndata: b\n: after\n\n", &[message("message", "a\nb")]);
}

#[test]
fn characters_are_whole_wherever_they_are_cut() {
    check("event: grün\ndata: €, 𝄞, e\u{301}\n\n", &[message("grün", "€, 𝄞, e\u{301}")]);
}

#[test]
fn invalid_utf_8_becomes_the_replacement_character() {
    check(b"event: \xffx\ndata: a\xc3\n\n", &[message("\u{fffd}x", "a\u{fffd}")]);
}

#[test]
fn empty_data_is_a_message_and_no_data_is_none() {
    check("data\n\n", &[message("message", "")]);
    check("data:\n\n", &[message("message", "")]);
    check("data: \n\n", &[message("message", "")]);
    check("data\ndata\n\n", &[message("message", "\n")]);
    check("event: put\n\n", &[]);
    check("\n\n\n", &[]);
}

#[test]
fn a_name_without_data_does_not_stay_for_the_next_message() {
    check("event: put\n\ndata: a\n\n", &[message("message", "a")]);
    check("event: put\nevent: patch\ndata: a\n\n", &[message("patch", "a")]);
    check("event: put\nevent\ndata: a\n\n", &[message("message", "a")]);
}

#[test]
fn one_space_after_the_colon_is_no_part_of_the_value() {
    check("data:a\ndata: b\ndata:  c\ndata:\td\n\n", &[message("message", "a\nb\n c\n\td")]);
    check("event:put\ndata:a:b\n\n", &[message("put", "a:b")]);
}

#[test]
fn other_fields_are_ignored() {
    check("Data: a\ndatas: b\ndat: c\n data: d\nx\nid: 7\nid\ndata: e\n\n", &[message("message", "e")]);
    check("id: 7\nid: \0\ndata: e\n\n", &[message("message", "e")]);
}

#[test]
fn retry_is_emitted_at_the_end_of_its_line_if_it_is_all_digits() {
    check("retry: 0\n", &[retry(0)]);
    check("retry:10\nretry: 020\n", &[retry(10), retry(20)]);
    check("retry: 4294967295\n", &[retry(4_294_967_295)]);
    for none in ["", " ", " -1", " +1", " 1.5", " 1s", " 1 ", "  1", " 4294967296", " ٣"] {
        check(format!("retry:{none}\n\n"), &[]);
    }
    check("retry\n\n", &[]);
    check("data: a\nretry: 5\ndata: b\n\n", &[retry(5), message("message", "a\nb")]);
}

#[test]
fn a_message_without_its_blank_line_is_never_emitted() {
    check("data: a\n\nevent: put\ndata: b\n", &[message("message", "a")]);
    check("data: b", &[]);
    check("data: a\n\r", &[message("message", "a")]);
}

fn limited(limit: usize) -> (EventReader, EventTooLarge) {
    let limit = NonZeroUsize::new(limit).expect("a positive limit");
    (EventReader::with_limit(limit), EventTooLarge { limit })
}

#[test]
fn an_event_may_be_as_large_as_the_limit_and_no_larger() {
    let stream = |size: usize| format!("data: {}\n\n", "x".repeat(size));
    let (mut reader, too_large) = limited(10);
    let mut heard = Vec::new();
    assert_eq!(reader.read(stream(10).as_bytes(), |event| heard.push(event)), Ok(()));
    assert_eq!(heard, [message("message", "xxxxxxxxxx")]);
    assert_eq!(reader.read(stream(11).as_bytes(), |_| panic!("no event is emitted")), Err(too_large));
    assert_eq!(too_large.to_string(), "an event is larger than the 10 bytes that are allowed");
}

#[test]
fn the_limit_counts_the_event_and_not_its_lines() {
    let (mut reader, too_large) = limited(10);
    // Four bytes, a line end, four bytes, a line end: ten. One more is too much.
    assert_eq!(reader.read(b"data: xxxx\ndata: xxxx\n", |_| ()), Ok(()));
    assert_eq!(reader.read(b"data: x\n\n", |_| panic!("no event is emitted")), Err(too_large));
}

#[test]
fn many_small_events_do_not_add_up() {
    let (mut reader, _) = limited(10);
    let mut heard = 0;
    for _ in 0..1_000 {
        reader.read(b"event: 123456789\ndata: 123456789\n\n", |_| heard += 1).unwrap();
    }
    assert_eq!(heard, 1_000);
}

#[test]
fn an_endless_line_is_an_error_at_the_limit() {
    for field in ["data: ", "event: ", "id: "] {
        let (mut reader, too_large) = limited(1_000);
        assert_eq!(reader.read(field.as_bytes(), |_| ()), Ok(()));
        let results: Vec<_> = (0..11).map(|_| reader.read(&[b'x'; 100], |_| ())).collect();
        assert_eq!(results[..10], [Ok(()); 10], "{field}");
        assert_eq!(results[10], Err(too_large), "{field}");
    }
}

#[test]
fn empty_lines_of_data_add_up() {
    let (mut reader, too_large) = limited(10);
    assert_eq!(reader.read(&b"data\n".repeat(12), |_| ()), Err(too_large));
}

#[test]
fn ignored_lines_may_have_any_length() {
    let (mut reader, _) = limited(10);
    for line in [": ", "other: ", "", "retry: 1"] {
        assert_eq!(reader.read(line.as_bytes(), |_| ()), Ok(()));
        assert_eq!(reader.read(&vec![b'z'; 100_000], |_| ()), Ok(()), "{line}");
        assert_eq!(reader.read(b"\n\n", |_| panic!("no event is emitted")), Ok(()));
    }
}

#[test]
fn events_before_one_that_is_too_large_are_emitted() {
    let (mut reader, too_large) = limited(4);
    let mut heard = Vec::new();
    assert_eq!(reader.read(b"data: a\n\ndata: xxxxx\n\n", |event| heard.push(event)), Err(too_large));
    assert_eq!(heard, [message("message", "a")]);
}

#[test]
fn debug_shows_no_data() {
    let mut reader = EventReader::new();
    reader.read(b"data: sdk-key", |_| ()).unwrap();
    assert!(!format!("{reader:?}").contains("sdk-key"));
}

#[test]
fn the_debug_form_of_a_reader_has_its_limit_and_no_data() {
    let mut reader = EventReader::new();
    reader.read(b"data: secret", |_| {}).expect("it is far below the limit");
    // 64 MiB.
    assert_eq!(format!("{reader:?}"), "EventReader { limit: 67108864, .. }");
}
