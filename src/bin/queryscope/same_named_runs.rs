//! A note about runs that have the same name in the files: an option that names a run takes the first of them.

use queryscope::internal::text;
use queryscope::trace::Trace;

/// Maximum number of other runs that the note lists.
const MAX_LISTED_RUNS: usize = 20;

/// Prints a note if other runs of the trace have the name of the chosen run as well. Their numbers are added, such as `name (run 4)`.
pub fn note_others(trace: &Trace, label: &str, chosen: &str) {
    let names = trace.runs.iter().map(|run| trace.str(run.name));
    let is_other = |(number, name): &(usize, &str)| recorded_name(name, *number) == Some(chosen);
    let others: Vec<&str> = (1..).zip(names).filter(is_other).map(|(_, name)| name).collect();
    if others.is_empty() {
        return;
    }
    let note = format!(
        "note: {label} has {} runs named “{chosen}”; the first is used (others: {})",
        others.len() + 1,
        text::listed(&others, MAX_LISTED_RUNS)
    );
    eprintln!("queryscope: {}", note.chars().map(text::in_line).collect::<String>());
}

/// The name of a run in the files, for the name that it got because an earlier run has that name; `None` for all other names. Runs are
/// numbered from 1.
fn recorded_name(name: &str, number: usize) -> Option<&str> {
    let added = format!(" (run {number})");
    let mut recorded = name.strip_suffix(added.as_str())?;
    while let Some(shorter) = recorded.strip_suffix(added.as_str()) {
        recorded = shorter;
    }
    Some(recorded)
}
