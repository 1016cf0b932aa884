//! `--where`: the filter of the page on the command line.

use clap::Args;
use queryscope::protocol::FilterRequest;
use queryscope::session::Session;

use super::Command;
use super::image::PictureArguments;
use super::saving::SaveArguments;

/// Exit code for wrong usage.
const WRONG_USAGE: i32 = 2;

/// The filter of a command.
#[derive(Args, Clone, Default)]
pub struct Where {
    /// Filter for spans and events: words and conditions, such as "kind = query duration > 5ms". The chapter "Filter" of the
    /// handbook describes it.
    #[arg(long = "where", value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub text: String,
}

/// Applies the filter of a command before times are clipped to `range`, so that it tests whole spans and events. For
/// `spans`, returns whether each span, then each event, in the range has a row; for all other commands, and without a
/// filter, returns `None`. `aggregate` only checks here that the filter is valid; the other commands drop what does not
/// pass.
pub fn apply(command: &Command, session: &mut Session, range: Option<(i64, i64)>) -> Option<Vec<bool>> {
    match command {
        Command::Spans { filter, .. } if filter.is_set(session) => {
            Some(session.matching(&filter.text, range))
        }
        Command::Aggregate(arguments) => {
            arguments.filter.is_set(session);
            None
        }
        Command::Report { filter, .. }
        | Command::Export { save: SaveArguments { filter, .. }, .. }
        | Command::Session { save: SaveArguments { filter, .. }, .. }
        | Command::Html { save: SaveArguments { filter, .. }, .. }
        | Command::Svg(PictureArguments { filter, .. }) => {
            filter.keep(session);
            None
        }
        #[cfg(feature = "png")]
        Command::Png(png) => {
            png.picture.filter.keep(session);
            None
        }
        _ => None,
    }
}

impl Where {
    /// Removes the spans and events that do not pass the filter from the trace.
    pub fn keep(&self, session: &mut Session) {
        if self.is_set(session) {
            session.keep(&self.text);
            if session.trace().is_empty() {
                eprintln!("queryscope: note: no span or event matches the filter “{}”", self.text.trim());
            }
        }
    }

    /// Whether the filter is empty, so that everything passes.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether there is a filter. Exits with the code for wrong usage if it is not valid, which is known only now,
    /// because attribute names depend on the trace.
    fn is_set(&self, session: &mut Session) -> bool {
        let Self { text } = self;
        if self.is_empty() {
            return false;
        }
        if let Some((error, from, until)) = session.answer(&FilterRequest { text: text.clone() }).error {
            eprintln!("queryscope: {error}");
            // Line breaks would move the mark below the wrong line.
            eprintln!("  {}", text.replace(char::is_control, " "));
            let width = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
            let before = width(text.get(..from as usize));
            let marked = width(text.get(from as usize..until as usize)).max(1);
            eprintln!("  {}{}", " ".repeat(before), "^".repeat(marked));
            std::process::exit(WRONG_USAGE);
        }
        true
    }
}
