//! Why a filter matches nothing: its first word or condition that nothing meets.

use super::complete::values;
use super::filter::{PointFilter, Term, TermSource};
use crate::base::filter_text;
use crate::protocol::FilterCompletion;
use crate::trace::Trace;

/// Maximum total length of the values in a hint, in bytes.
const MAX_HINT_VALUES_BYTES: usize = 100;

/// The first word or text condition of the filter `text` that no span or event meets: a sentence about it, and its
/// place in bytes. `None` if each of them is met somewhere.
#[inline(never)]
pub(super) fn hint(
    trace: &Trace,
    text: &str,
    filter: &PointFilter,
    source: &mut dyn TermSource,
) -> Option<(String, u32, u32)> {
    for (term, condition) in filter.terms.iter().zip(&filter.conditions) {
        let sentence = match term {
            Term::Word(_) | Term::Text(..) if source.set(trace, term).len() > 0 => continue,
            Term::Word(word) => match word.strip_prefix(['!', '-']) {
                Some(rest) if !rest.is_empty() => format!(
                    "no name, text or status contains “{word}”; to exclude names that contain “{rest}”, write name !~ {}",
                    filter_text::value(rest)
                ),
                _ => format!("no name, text or status contains “{word}”"),
            },
            Term::Text(dimension, ..) => {
                let written = text.get(condition.from as usize..condition.until as usize).unwrap_or_default();
                let values = frequent(&values(trace, dimension, "", source));
                format!("no span or event meets {written}{values}")
            }
            _ => continue,
        };
        return Some((sentence, condition.from, condition.until));
    }
    None
}

/// The most frequent values of an attribute, as many as a hint has room for.
fn frequent(values: &[FilterCompletion]) -> String {
    let mut room = MAX_HINT_VALUES_BYTES;
    let fits = |text: &&str| {
        let fits = text.len() <= room;
        room = room.saturating_sub(text.len());
        fits
    };
    let shown: Vec<&str> = values.iter().map(|value| value.text.as_str()).take_while(fits).collect();
    if shown.is_empty() { String::new() } else { format!("; values include {}", shown.join(", ")) }
}
