//! Options that are whole numbers of a range, refused with what is allowed.

/// Reads a whole number from `least` to `most`.
pub(crate) fn whole<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| format!("a whole number from {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_closed_and_named() {
        let read = whole::<u32>(1, 1000);
        assert_eq!((read("1"), read("1000")), (Ok(1), Ok(1000)));
        for text in ["0", "1001", "-1", "1.5", "", "many", "18446744073709551616"] {
            assert_eq!(read(text), Err("a whole number from 1 to 1000".to_owned()), "{text}");
        }
    }
}
