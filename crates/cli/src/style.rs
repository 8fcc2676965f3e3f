//! The few colours of the output. Streams without colours strip them.

use anstyle::{AnsiColor, Effects, Style};
use clap::builder::Styles;

/// Failures, and the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// The word `warning`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);
/// Success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Titles.
pub(crate) const TITLE: Style = Style::new().bold();
/// Secondary text.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// Bars.
pub(crate) const BAR: Style = AnsiColor::Cyan.on_default();

/// The same style in help texts.
pub(crate) const HELP: Styles = Styles::styled().header(TITLE).usage(TITLE).literal(TITLE).error(ERROR);
