//! `--where`: the filter of the page on the command line.

use clap::Args;
use queryscope::internal::text;
use queryscope::protocol::{FilterReply, FilterRequest};
use queryscope::session::{FilteredItems, Session};

use super::image::PictureArguments;
use super::saving::SaveArguments;
use super::{Command, WRONG_USAGE};

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
        Command::Spans { filter, .. } => {
            let found = filter.check(session, None)?;
            filter.note_if_empty(found.matched == 0, &found);
            Some(session.matching(&filter.text, range))
        }
        Command::Aggregate(arguments) => {
            let found = arguments.filter.check(session, None)?;
            arguments.filter.note_if_empty(found.matched == 0, &found);
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
        if let Some(found) = self.check(session, None) {
            session.keep(&self.text);
            self.note_if_empty(session.trace().is_empty(), &found);
        }
    }

    /// What passes the filter in the trace of a file or folder, cut to `range`; `None` if there is no filter.
    pub fn passing(
        &self,
        session: &mut Session,
        file: &str,
        range: Option<(i64, i64)>,
    ) -> Option<FilteredItems> {
        self.check(session, Some(file))?;
        session.filtered_items(&self.text, range)
    }

    /// Prints a note if the filter leaves nothing, unless a hint already says why.
    fn note_if_empty(&self, is_empty: bool, found: &FilterReply) {
        let text = self.text.trim();
        let verb = if found.listed == 1 { "does" } else { "do" };
        match found.listed {
            _ if !is_empty || found.hint.is_some() => {}
            0 => eprintln!("queryscope: note: no span or event matches the filter “{text}”"),
            listed => eprintln!(
                "queryscope: note: no single span or event meets all conditions of the filter “{text}”; {listed} {verb} \
                 together with what is inside"
            ),
        }
    }

    /// Whether the filter is empty, so that everything passes.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// What the filter selects; `None` if there is no filter. Prints a note about a word or condition that nothing meets.
    /// Exits with an error and the code for wrong usage if the filter is not valid, which is known only now, because
    /// attribute names depend on the trace. The note and the error name the `file` if there is one.
    fn check(&self, session: &mut Session, file: Option<&str>) -> Option<FilterReply> {
        if self.is_empty() {
            return None;
        }
        let found = session.answer(&FilterRequest { text: self.text.clone() });
        let file = file.map_or_else(String::new, |file| format!("{file}: "));
        if let Some((hint, from, until)) = &found.hint {
            eprintln!("queryscope: note: {}", in_line(&format!("{file}{hint}")));
            self.mark(*from, *until);
        }
        if let Some((error, from, until)) = &found.error {
            eprintln!("queryscope: {}", in_line(&format!("{file}{error}")));
            self.mark(*from, *until);
            std::process::exit(WRONG_USAGE.into());
        }
        Some(found)
    }

    /// Prints the filter, and marks the part of it between two positions in bytes.
    fn mark(&self, from: u32, until: u32) {
        let Self { text } = self;
        // Line breaks would move the mark below the wrong line.
        eprintln!("  {}", text.replace(char::is_control, " "));
        let width = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
        let before = width(text.get(..from as usize));
        let marked = width(text.get(from as usize..until as usize)).max(1);
        eprintln!("  {}{}", " ".repeat(before), "^".repeat(marked));
    }
}

/// A message without control characters, which values and names of a trace may have.
pub fn in_line(message: &str) -> String {
    message.chars().map(text::in_line).collect()
}
