//! A bar of proportional length, to an eighth of a cell.

use std::time::Duration;

use retrylab_core::nanos;

/// The cells of the longest bar.
const CELLS: u128 = 16;

/// The last cell by eighths; the first of them is never needed.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The solid part of a bar for `length`, where `longest` has all cells. A length above zero is always visible.
pub(super) fn solid(length: Duration, longest: Duration) -> String {
    let eighths = scaled(length, longest, CELLS * 8);
    let eighths = if length.is_zero() { 0 } else { eighths.max(1) };
    let mut bar = "█".repeat(eighths / 8);
    bar.push_str(EIGHTHS[eighths % 8]);
    bar
}

/// The rest of a bar from `from` to `to`.
pub(super) fn shade(from: Duration, to: Duration, longest: Duration) -> String {
    let used = solid(from, longest).chars().count();
    "░".repeat(scaled(to, longest, CELLS).saturating_sub(used))
}

/// `length / longest` of `steps`, to the nearest, halves up.
fn scaled(length: Duration, longest: Duration, steps: u128) -> usize {
    let (length, longest) = (u128::from(nanos(length)), u128::from(nanos(longest)));
    let nearest = (2 * length * steps + longest).checked_div(2 * longest).unwrap_or(0);
    usize::try_from(nearest.min(steps)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn the_longest_fills_all_cells_and_half_of_it_half_of_them() {
        assert_eq!(solid(S(30), S(30)), "████████████████");
        assert_eq!(solid(S(15), S(30)), "████████");
    }

    #[test]
    fn parts_of_a_cell_are_drawn_by_eighths() {
        // Of 32 s, one cell is 2 s and an eighth of it 250 ms.
        assert_eq!(solid(S(3), S(32)), "█▌");
        assert_eq!(solid(Duration::from_millis(2_250), S(32)), "█▏");
        // Fifteen and a half eighths are rounded up.
        assert_eq!(solid(Duration::from_millis(3_874), S(32)), "█▉");
        assert_eq!(solid(Duration::from_millis(3_875), S(32)), "██");
    }

    #[test]
    fn a_length_above_zero_is_visible() {
        assert_eq!(solid(Duration::from_nanos(1), S(3600)), "▏");
        assert_eq!(solid(Duration::ZERO, S(3600)), "");
        assert_eq!(solid(Duration::ZERO, Duration::ZERO), "");
    }

    #[test]
    fn the_shade_reaches_from_the_solid_part_to_the_end() {
        assert_eq!(shade(S(15), S(30), S(30)), "░░░░░░░░");
        assert_eq!(shade(S(3), S(8), S(32)), "░░");
        assert_eq!(shade(S(8), S(8), S(32)), "");
    }
}
