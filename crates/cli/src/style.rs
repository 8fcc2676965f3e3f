//! The few colours of the output. The streams strip them where nobody would see them as such.

use anstyle::{AnsiColor, Effects, Style};
use clap::builder::Styles;

/// What did not hold, and the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// The word `warning`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);
/// The word that says that something held.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Titles of columns and of what follows.
pub(crate) const TITLE: Style = Style::new().bold();
/// What the eye may skip.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// Bars.
pub(crate) const BAR: Style = AnsiColor::Cyan.on_default();

/// The same taste in help texts.
pub(crate) const HELP: Styles = Styles::styled().header(TITLE).usage(TITLE).literal(TITLE).error(ERROR);
