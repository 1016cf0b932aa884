//! Hover card of an item: a few lines about it.

use super::{Facts, written};
use crate::analysis::{Queries, key_name};
use crate::base::text;
use crate::protocol::Card;
use crate::trace::{Item, Key, Kind, Trace, Unit, key};

/// Maximum length of a text on a card, in characters.
const SHOWN: usize = 160;
/// Maximum number of arguments on a card. The details panel shows all.
const ARGUMENTS: usize = 8;

/// Returns the hover card of `item`, which must be in `trace`.
#[inline(never)]
pub fn card(trace: &Trace, queries: &Queries, item: Item) -> Card {
    let facts = Facts::of(trace, item);
    let mut lines = vec![("start", text::time(facts.start))];
    if let Some(duration) = facts.duration {
        lines.push(("duration", text::at_least(facts.is_open(), text::duration(duration))));
    }
    let ratio = queries.row_of(trace, item).and_then(|row| queries.ratio(row));
    if let (Kind::Query, Some(ratio)) = (facts.kind, ratio) {
        lines.push(("× run average", text::ratio(ratio)));
    }
    lines.extend(rows(trace, item).map(|rows| ("rows", rows)));
    lines.extend(reading(trace, item, &facts).map(|reading| ("reading", reading)));
    let nums = [key::BYTES, key::ELEMENTS].map(|key| num(trace, item, key));
    lines.extend(nums.into_iter().flatten());
    let texts = [key::CONNECTOR, key::DATASOURCE, key::COMMAND_TYPE, key::ERROR, key::COMMAND];
    let mut lines: Vec<_> = lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    lines.extend(texts.into_iter().filter_map(|key| own_text(trace, item, key)));
    if matches!(facts.kind, Kind::Slice | Kind::State | Kind::Instant | Kind::Sample) {
        // Lines that are on the card already are not repeated.
        let more: Vec<_> =
            arguments(trace, item).filter(|line| !lines.contains(line)).take(ARGUMENTS).collect();
        lines.extend(more);
    }
    lines.extend(super::stacked_items(trace, item));
    let tracks = super::tracks::names(trace, item);
    if !tracks.is_empty() {
        lines.push(("track".to_owned(), text::shortened(&tracks.join(" › "), SHOWN)));
    }
    let title = text::shortened(trace.str(facts.name), SHOWN);
    Card { kind: facts.kind.name().to_owned(), title, marks: facts.marks(trace), lines }
}

/// Whether the number or text with this key is shown in a line of its own, and not among the other arguments.
fn is_above(key: Key) -> bool {
    use key::{BYTES, COMMAND, COMMAND_TYPE, CONNECTOR, DATASOURCE, ELEMENTS, ERROR};
    matches!(key, BYTES | ELEMENTS | CONNECTOR | DATASOURCE | COMMAND_TYPE | ERROR | COMMAND)
}

/// Remaining arguments of an item, numbers first.
fn arguments(trace: &Trace, item: Item) -> impl Iterator<Item = (String, String)> {
    let name = |key: Key| key_name(trace, key);
    let nums = trace.nums(item).filter(|(key, _)| !is_above(*key));
    let nums = nums.map(move |(key, num)| (name(key), written(trace.keys.get(key).unit, num)));
    let texts = trace.texts(item).filter(|(key, _)| !is_above(*key));
    nums.chain(texts.map(move |(key, text)| (name(key), text::shortened(trace.str(text), SHOWN))))
}

/// Rows read and returned, such as "102,944 → 250"; `None` if neither is reported.
fn rows(trace: &Trace, item: Item) -> Option<String> {
    let (read, returned) = (trace.num(item, key::ROWS_READ), trace.num(item, key::ROWS_RETURNED));
    let written = |rows| text::or_dash(rows, text::count);
    (read.is_some() || returned.is_some()).then(|| format!("{} → {}", written(read), written(returned)))
}

/// Time spent reading and its share of the duration, such as "21.07 ms · 77 %"; `None` if it is not reported.
fn reading(trace: &Trace, item: Item, facts: &Facts) -> Option<String> {
    let reading = trace.num(item, key::READ_TIME)?;
    let share = facts.duration.filter(|&d| d > 0).map(|d| reading as f64 / d as f64);
    let share = share.map_or_else(String::new, |share| format!(" · {}", text::percent(share)));
    Some(text::duration(reading) + &share)
}

fn num(trace: &Trace, item: Item, key: Key) -> Option<(&'static str, String)> {
    let value = trace.num(item, key)?;
    Some(match trace.keys.get(key).unit {
        Unit::Bytes => ("bytes", text::bytes(value)),
        _ => ("elements", text::count(value)),
    })
}

fn own_text(trace: &Trace, item: Item, key: Key) -> Option<(String, String)> {
    let value = text::shortened(trace.str(trace.text(item, key)?), SHOWN);
    Some((key_name(trace, key), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::trace::{EventId, SpanId};

    fn check(item: Item, line: &str, value: &str) {
        let trace = sample::trace();
        let card = card(&trace, &Queries::of(&trace), item);
        let found = card.lines.iter().find(|(name, _)| name == line).map(|(_, value)| value.as_str());
        assert_eq!(found, Some(value), "{card:?}");
    }

    #[test]
    fn cards_say_the_most_important_things() {
        let [query, execution, unfinished] = [1, 3, 9].map(|id| Item::Span(SpanId(id)));
        check(query, "duration", "10.00 ms");
        check(query, "× run average", "1.1");
        check(execution, "rows", "1,000 → 20");
        check(execution, "reading", "4.000 ms · 67 %");
        check(execution, "datasource", "OrdersAPI");
        check(unfinished, "duration", "≥ 4.000 ms");
        check(Item::Event(EventId(2)), "bytes", "4.0 kB");
    }

    #[test]
    fn a_card_names_the_track() {
        let trace = sample::nested(1);
        let card = card(&trace, &Queries::of(&trace), Item::Span(SpanId(0)));
        assert_eq!(card.lines.last(), Some(&("track".to_owned(), "thread".to_owned())));
    }
}
