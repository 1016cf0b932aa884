//! A note about runs that have the same name in the files: an option that names a run takes the first of them.

use std::iter::successors;

use queryscope::internal::text;
use queryscope::trace::Trace;

/// Maximum number of other runs that the note lists.
const LISTED: usize = 20;

/// Prints a note if other runs of the trace have the name of the chosen run as well. They are called `name (run 2)`.
pub fn note_others(trace: &Trace, label: &str, chosen: &str) {
    let has_name = |name: &&str| {
        successors(without_number(name), |name| without_number(name)).any(|name| name == chosen)
    };
    let others: Vec<&str> = trace.runs.iter().map(|run| trace.str(run.name)).filter(has_name).collect();
    if others.is_empty() {
        return;
    }
    let note = format!(
        "note: {label} has {} runs named “{chosen}”; the first is used (others: {})",
        others.len() + 1,
        text::listed(&others, LISTED)
    );
    eprintln!("queryscope: {}", note.chars().map(text::in_line).collect::<String>());
}

/// A name without the number that distinguishes it from an earlier run, such as `name` for `name (run 2)`; `None` without such a number.
fn without_number(name: &str) -> Option<&str> {
    let (name, number) = name.strip_suffix(')')?.rsplit_once(" (run ")?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then_some(name)
}
