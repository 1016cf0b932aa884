//! `--from` and `--to`: the time range of a command.

use clap::Args;
use queryscope::internal::command_line::{reversed_range, time};

use super::image::PictureArguments;
use super::saving::SaveArguments;
use super::{AggregateArguments, Command};

/// A time range: spans and events that overlap it count, with their time clipped to it.
#[derive(Args, Clone, Default)]
pub struct TimeRange {
    /// Start of the time range, since the first event of the run, such as 20ms. Times are clipped to the range.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub from: Option<i64>,
    /// End of the time range. Times are clipped to the range.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub to: Option<i64>,
}

impl TimeRange {
    pub fn range(&self) -> Option<(i64, i64)> {
        let is_range = self.from.is_some() || self.to.is_some();
        is_range.then(|| (self.from.unwrap_or(i64::MIN), self.to.unwrap_or(i64::MAX)))
    }

    /// An error message if the end is before the start.
    fn wrong_usage(&self) -> Option<String> {
        reversed_range(("--from", self.from), ("--to", self.to))
    }
}

/// An error message if the time range of a command is reversed.
pub fn wrong_usage(command: &Command) -> Option<String> {
    let within = match command {
        Command::Compare(arguments) => &arguments.within,
        Command::Report { within, .. }
        | Command::Spans { within, .. }
        | Command::Aggregate(AggregateArguments { within, .. })
        | Command::Export { save: SaveArguments { within, .. }, .. }
        | Command::Session { save: SaveArguments { within, .. }, .. }
        | Command::Html { save: SaveArguments { within, .. }, .. }
        | Command::Svg(PictureArguments { within, .. }) => within,
        #[cfg(feature = "png")]
        Command::Png(png) => &png.picture.within,
        _ => return None,
    };
    within.wrong_usage()
}
