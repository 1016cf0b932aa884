//! Notes about unusual properties of an item. A note states only facts that the trace reports.

use super::Facts;
use crate::analysis::Queries;
use crate::base::text;
use crate::protocol::Note;
use crate::stats::{Thresholds, pauses};
use crate::trace::{Flags, Item, Kind, StrId, Trace, key};

/// Name of the attribute in which items without an error say why they failed.
const REASON: &str = "reason";

/// Returns the notes about `item`, failures first.
pub(super) fn notes(trace: &Trace, queries: &Queries, item: Item, facts: &Facts) -> Vec<Note> {
    let mut notes = Vec::new();
    if facts.flags.has(Flags::FAILED) {
        let error = reason(trace, item).map(|error| text::shortened(trace.str(error), 200));
        let error = error.unwrap_or_else(|| "The trace gives no reason.".to_owned());
        notes.push(Note { failure: true, lead: "Failed.".to_owned(), text: error });
    }
    notes.extend(over_fetch(trace, item, facts));
    notes.extend(outlier(trace, queries, item, facts));
    notes.extend(differs(trace, item, facts));
    notes.extend(idle(trace, item, facts));
    let sentences = SENTENCES.iter().map(|sentence| match sentence.flag {
        Flags::OPEN_END if trace.cut.after => &ENDED_AFTER,
        Flags::OPEN_START if trace.cut.before => &BEGAN_BEFORE,
        _ => sentence,
    });
    notes.extend(sentences.filter_map(|sentence| sentence.note(facts)));
    notes
}

/// The error that an item reports, or else its reason, such as that of TopoExec for rejecting a task.
pub fn reason(trace: &Trace, item: Item) -> Option<StrId> {
    trace.text(item, key::ERROR).or_else(|| trace.text(item, trace.key(REASON)?))
}

/// Note about over-fetching, such as "Over-fetch 412 ×. 102,944 rows read, 250 returned: …"; `None` if the item is not
/// marked as over-fetching.
fn over_fetch(trace: &Trace, item: Item, facts: &Facts) -> Option<Note> {
    if !facts.flags.has(Flags::OVER_FETCH) {
        return None;
    }
    let (read, returned) = (trace.num(item, key::ROWS_READ)?, trace.num(item, key::ROWS_RETURNED)?);
    let lead = match returned {
        0 => "Over-fetch.".to_owned(),
        _ => format!("Over-fetch {} ×.", text::ratio(read as f64 / returned as f64)),
    };
    let returned = if returned == 0 { "none".to_owned() } else { text::count(returned) };
    let read = text::count(read);
    let why = match facts.kind {
        Kind::Query | Kind::Statement => "a matching index would read fewer rows",
        _ => "the filter was not pushed down",
    };
    note(lead, format!("{read} rows read, {returned} returned: {why}."))
}

/// Note about an outlier, such as "17.6 × the run's average. …"; `None` if the item is not a query that reaches the
/// thresholds.
fn outlier(trace: &Trace, queries: &Queries, item: Item, facts: &Facts) -> Option<Note> {
    let thresholds = Thresholds::default();
    let row = queries.row_of(trace, item).filter(|_| facts.kind == Kind::Query)?;
    let ratio = queries.ratio(row).filter(|&ratio| ratio >= thresholds.ratio)?;
    let average =
        queries.average(queries.run(row)).filter(|_| queries.duration(row) >= thresholds.duration)?;
    let lead = format!("{} × the run’s average.", text::ratio(ratio));
    note(lead, format!("The queries of this run take {} on average.", text::duration(average.round() as i64)))
}

/// Note about a duration mismatch: "Reported duration differs. It reports …, its timestamps are … apart."; `None` if
/// the durations do not differ.
fn differs(trace: &Trace, item: Item, facts: &Facts) -> Option<Note> {
    if !facts.flags.has(Flags::DURATION_DIFFERS) {
        return None;
    }
    let reported = text::duration_exact(trace.num(item, key::REPORTED_DURATION)?);
    let Item::Span(span) = item else { return None };
    let measured = text::duration_exact(trace.spans.duration(span));
    if facts.flags.has(Flags::SERVER_TIMED) {
        return note(
            "Reported duration differs.".to_owned(),
            format!("The server measured {reported}; its start and end timestamps are {measured} apart."),
        );
    }
    note(
        "Reported duration differs.".to_owned(),
        format!("It reports {reported}; its two timestamps are {measured} apart."),
    )
}

/// Note about an idle transaction: "Idle for 40.00 ms (69 %). 3 idle gaps, the longest …"; `None` if the item is not a
/// transaction with idle gaps.
fn idle(trace: &Trace, item: Item, facts: &Facts) -> Option<Note> {
    let span = match item {
        Item::Span(span) if facts.kind == Kind::Transaction => span,
        _ => return None,
    };
    let all = pauses(trace, trace.track_of(item));
    let paused = all.iter().find(|paused| paused.span == span)?;
    let (idle, longest) = (paused.idle(), paused.longest()?);
    let share = text::percent(idle as f64 / facts.duration?.max(1) as f64);
    note(
        format!("Idle for {} ({share}).", text::duration(idle)),
        format!(
            "{}, the longest {}: no statement ran while locks were held.",
            text::counted(paused.gaps.len() as u64, "idle gap", "idle gaps"),
            text::duration(longest.end - longest.start)
        ),
    )
}

fn note(lead: String, text: String) -> Option<Note> {
    Some(Note { failure: false, lead, text })
}

/// Sentence that explains a flag, for one kind or for all kinds.
struct Sentence {
    flag: Flags,
    kind: Option<Kind>,
    lead: &'static str,
    text: &'static str,
}

impl Sentence {
    fn note(&self, facts: &Facts) -> Option<Note> {
        let meant = facts.flags.has(self.flag) && self.kind.is_none_or(|kind| kind == facts.kind);
        meant.then(|| Note { failure: false, lead: self.lead.to_owned(), text: self.text.to_owned() })
    }
}

/// Replaces the sentence about a missing end if records after the loaded range were left out.
const ENDED_AFTER: Sentence = Sentence {
    flag: Flags::OPEN_END,
    kind: None,
    lead: "Ends after the loaded range.",
    text: "Its end was not loaded. Drawn to its last loaded event, or to the end of its parent.",
};
/// Replaces the sentence about a missing start if records before the loaded range were left out.
const BEGAN_BEFORE: Sentence = Sentence {
    flag: Flags::OPEN_START,
    kind: None,
    lead: "Starts before the loaded range.",
    text: "Its start was not loaded. Drawn from its first loaded event.",
};

const SENTENCES: [Sentence; 11] = [
    Sentence {
        flag: Flags::OPEN_END,
        kind: None,
        lead: "No end in trace.",
        text: "Drawn to the last event that belongs to it; without one, to the end of its parent or of the \
             trace. Its duration is not known.",
    },
    Sentence {
        flag: Flags::OPEN_START,
        kind: None,
        lead: "No start in trace.",
        text: "Drawn from the first event that belongs to it. Its duration is a lower bound.",
    },
    Sentence {
        flag: Flags::INFERRED,
        kind: Some(Kind::Request),
        lead: "Inferred end.",
        text: "Requests have no end event. Drawn to the last event of the query.",
    },
    Sentence {
        flag: Flags::INFERRED,
        kind: Some(Kind::Buffer),
        lead: "Inferred parent.",
        text: "The event names no source. Shown under the one execution that was open at its time.",
    },
    Sentence {
        flag: Flags::INFERRED,
        kind: Some(Kind::Execution),
        lead: "Inferred parent.",
        text: "The trace does not name its source. The source was matched by time.",
    },
    Sentence {
        flag: Flags::INFERRED,
        kind: Some(Kind::Wait),
        lead: "Not timed.",
        text: "The server did not time this event. It is placed by its event id.",
    },
    Sentence {
        flag: Flags::OUTSIDE,
        kind: None,
        lead: "Outside its parent.",
        text: "Its ids say that it began inside its parent, but it exceeds its parent's time by more than the \
             clocks differ.",
    },
    Sentence {
        flag: Flags::REPEATED,
        kind: None,
        lead: "Repeated id.",
        text: "Several executions have the same id. Starts and ends are paired first in, first out.",
    },
    Sentence {
        flag: Flags::SEGMENT,
        kind: None,
        lead: "Round trip of the request.",
        text: "Drawn until the next round trip begins.",
    },
    Sentence {
        flag: Flags::STORAGE,
        kind: None,
        lead: "Secondary storage.",
        text: "The data was moved out of memory.",
    },
    Sentence {
        flag: Flags::UNKNOWN,
        kind: None,
        lead: "Unknown type.",
        text: "This version does not know this event type. The event is shown as it is in the file.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::trace::SpanId;

    fn check(name: &str, leads: &[&str]) {
        let trace = sample::trace();
        let named = |id: &SpanId| trace.str(trace.spans.name(*id)).contains(name);
        let id = (0..trace.spans.len() as u32).map(SpanId).find(named).expect("the sample has it");
        let item = Item::Span(id);
        let notes = notes(&trace, &Queries::of(&trace), item, &Facts::of(&trace, item));
        assert_eq!(notes.iter().map(|note| note.lead.as_str()).collect::<Vec<_>>(), leads, "{name}");
    }

    #[test]
    fn what_is_remarkable_is_said() {
        check("x = 1", &[]);
        check("'two'", &["Failed."]);
        check("DELETE", &["No end in trace."]);
        check("OrdersAPI", &["Over-fetch 50.0 ×."]);
    }
}
