//! Details of one item: contents of the details panel and of the hover card.

mod card;
mod children;
mod filters;
mod issue;
mod notes;
mod tracks;

use crate::analysis::{Queries, key_name};
use crate::base::interner::StrId;
use crate::base::text;
use crate::protocol::{Code, Details, Link, QueryColumn, TokenKind};
use crate::sql;
use crate::trace::{Flags, Item, Key, Kind, RecordId, Trace, Unit, key};

pub use card::card;
use children::Children;
pub use filters::filters;
pub use issue::{NAMES_IN_ISSUE, issue_of_area, issue_of_item, issue_of_range};
pub use notes::reason;

/// Maximum number of listed children. All children are counted.
const MAX_CHILDREN: usize = 200;
/// Maximum length of a displayed name or value, in characters.
const SHOWN: usize = 2_000;
/// Maximum size of a displayed statement, in bytes. A statement of 100 MB would freeze the page.
const CODE_SHOWN: usize = 1 << 20;
/// Maximum number of listed ancestors: the outermost and the nearest. All are counted. Real traces have about four.
const MAX_PARENTS: usize = 64;

/// Properties that spans and events share, read once.
struct Facts {
    name: StrId,
    kind: Kind,
    flags: Flags,
    start: i64,
    /// Duration in nanoseconds; `None` for events, and for waits that the server did not time.
    duration: Option<i64>,
    records: [RecordId; 2],
}

impl Facts {
    fn of(trace: &Trace, item: Item) -> Self {
        match item {
            Item::Span(id) => {
                let s = trace.spans.get(id);
                let name = s.name;
                let kind = s.kind;
                let flags = s.flags;
                let start = s.start;
                let is_timed = kind != Kind::Wait || !flags.has(Flags::INFERRED) || s.duration > 0;
                let took = trace.duration(id);
                let duration = is_timed.then_some(took);
                Self { name, kind, flags, start, duration, records: [s.begin, s.end] }
            }
            Item::Event(id) => {
                let e = trace.events.get(id);
                let records = [e.record, RecordId::NONE];
                Self { name: e.name, kind: e.kind, flags: e.flags, start: e.time, duration: None, records }
            }
        }
    }

    /// Whether the duration is only a lower bound, because the start or the end is missing.
    fn is_open(&self) -> bool {
        self.flags.has(Flags::OPEN_START) || self.flags.has(Flags::OPEN_END)
    }

    fn marks(&self, trace: &Trace) -> Vec<String> {
        self.flags.words(trace.cut).map(str::to_owned).collect()
    }
}

/// Returns all details about `item`, which must be in `trace`, except the file positions of its records: see `records`.
pub fn details(trace: &Trace, queries: &Queries, item: Item) -> Details {
    let facts = Facts::of(trace, item);
    let children = Children::of(trace, item);
    let (sources, targets) = arrows(trace, item);
    let (parents, n_parents) = parents(trace, item);
    Details {
        item: item.code(),
        color: facts.kind.slot(),
        kind: facts.kind.name().to_owned(),
        title: text::shortened(trace.str(facts.name), SHOWN),
        marks: facts.marks(trace),
        notes: notes::notes(trace, queries, item, &facts),
        run: run(trace, item).map_or_else(String::new, |run| text::shortened(trace.str(run.name), SHOWN)),
        tracks: tracks::names(trace, item),
        start: facts.start,
        duration: facts.duration,
        timestamp: run(trace, item).map_or(0, |run| run.origin).saturating_add(facts.start),
        reading: trace.num(item, key::READ_TIME),
        fields: fields(trace, queries, item, &facts),
        codes: codes(trace, item),
        parents,
        children: children.links,
        n_children: children.count,
        buffers: children.buffers,
        n_arrows: (sources.len() as u32, targets.len() as u32),
        sources: links(trace, &sources),
        targets: links(trace, &targets),
        filters: Vec::new(),
        records: Vec::new(),
        n_parents,
    }
}

/// Records from which `item` was read.
pub fn records(trace: &Trace, item: Item) -> impl Iterator<Item = RecordId> {
    Facts::of(trace, item).records.into_iter().filter(|&record| record != RecordId::NONE)
}

fn run(trace: &Trace, item: Item) -> Option<crate::trace::Run> {
    trace.runs.get(trace.run_of(trace.track_of(item)).0 as usize).copied()
}

/// Ancestors of `item`: the outermost and the nearest ones, outermost first, with the total number of ancestors.
fn parents(trace: &Trace, item: Item) -> (Vec<Link>, u32) {
    let up = |item: Item| trace.parent(item).map(Item::Span).filter(|&parent| trace.contains(parent));
    let mut nearest: Vec<Item> = Vec::new();
    let (mut count, mut outermost) = (0, None);
    for parent in std::iter::successors(up(item), |&parent| up(parent)) {
        count += 1;
        if nearest.len() < MAX_PARENTS - 1 {
            nearest.push(parent);
        } else {
            outermost = Some(parent);
        }
    }
    let shown = outermost.into_iter().chain(nearest.into_iter().rev());
    (shown.map(|parent| link(trace, parent)).collect(), count)
}

/// Returns a link to an item.
pub(super) fn link(trace: &Trace, item: Item) -> Link {
    let Facts { name, kind, start, duration, .. } = Facts::of(trace, item);
    let title = text::shortened(trace.str(name), MAX_CHILDREN);
    Link { item: item.code(), color: kind.slot(), title, start, duration }
}

fn links(trace: &Trace, items: &[Item]) -> Vec<Link> {
    items.iter().take(MAX_CHILDREN).map(|&item| link(trace, item)).collect()
}

/// Items whose arrows lead to `item`, and items to which arrows lead from `item`.
fn arrows(trace: &Trace, item: Item) -> (Vec<Item>, Vec<Item>) {
    let sources = trace.flows.reaching_item(item).into_iter().map(|flow| flow.from);
    let targets = trace.flows.leaving_item(item).into_iter().map(|flow| flow.to);
    (sources.collect(), targets.collect())
}

/// Attributes that an item has from its ancestors.
const INHERITED: [Key; 6] =
    [key::QUERY_ID, key::DATABASE, key::CONNECTOR, key::DATASOURCE, key::COMMAND_TYPE, key::TUPLE_SOURCE];

/// Names and values of the item's own texts and numbers, inherited attributes, and the sums of its query.
fn fields(trace: &Trace, queries: &Queries, item: Item, facts: &Facts) -> Vec<(String, String)> {
    let named = |key: Key, value: String| (key_name(trace, key), value);
    let inherited = INHERITED
        .iter()
        .filter_map(|&key| trace.inherited_text(item, key).map(|value| named(key, shown(trace.str(value)))));
    let mut fields: Vec<_> =
        stacked_items(trace, item).into_iter().chain(of_tracks(trace, item)).chain(inherited).collect();
    let own = trace.texts(item).filter(|(key, _)| !INHERITED.contains(key) && !CODES.contains(key));
    fields.extend(own.map(|(key, value)| named(key, shown(trace.str(value)))));
    let nums = trace.nums(item).filter(|(key, _)| *key != key::READ_TIME);
    fields.extend(nums.map(|(key, num)| named(key, written(trace.keys.get(key).unit, num))));
    if facts.kind == Kind::Query {
        fields.extend(sums(trace, queries, item));
    }
    fields
}

/// Position of `item` among items that cover each other because they have the same start and end, such as "1 of 3";
/// `None` if no other item covers it.
fn stacked_items(trace: &Trace, item: Item) -> Option<(String, String)> {
    let stacked_items = trace.stacked_items(item)?;
    Some((
        "here".to_owned(),
        format!("{} of {}", text::count(stacked_items.at as i64), text::count(stacked_items.of as i64)),
    ))
}

/// Text for display, cut at [`SHOWN`] characters with a note about the rest.
fn shown(text: &str) -> String {
    match text.chars().count().checked_sub(SHOWN) {
        None | Some(0) => text.chars().map(text::visible).collect(),
        Some(more) => {
            let head: String = text.chars().take(SHOWN).map(text::visible).collect();
            format!("{head}… {} more in the record", text::counted(more as u64, "character", "characters"))
        }
    }
}

/// Attributes of the tracks of `item`, such as the thread's user and host.
fn of_tracks(trace: &Trace, item: Item) -> impl Iterator<Item = (String, String)> {
    let own = trace.track_of(item);
    trace.track_texts.keys().into_iter().filter_map(move |key| {
        let text = trace.track_text(own, key)?;
        Some((key_name(trace, key), shown(trace.str(text))))
    })
}

/// Sums over the sources, executions and buffer events of the query that `item` belongs to, and the ratio of its
/// duration to the run's average. Empty if the item belongs to no query.
fn sums(trace: &Trace, queries: &Queries, item: Item) -> Vec<(String, String)> {
    const SUMS: [(QueryColumn, &str, Unit); 4] = [
        (QueryColumn::Sources, "source executions", Unit::Count),
        (QueryColumn::RowsRead, "rows read", Unit::Rows),
        (QueryColumn::RowsReturned, "rows returned", Unit::Rows),
        (QueryColumn::BufferBytes, "buffer bytes", Unit::Bytes),
    ];
    let Some(row) = queries.row_of(trace, item) else { return Vec::new() };
    let has_parts = [Kind::Source, Kind::Execution].iter().any(|&kind| trace.spans.has(kind))
        || trace.events.has(Kind::Buffer);
    let value = |column, unit| text::or_dash(queries.number(row, column), |num| written(unit, num));
    // Columns that are empty for all queries are left out. Without parts, the query's own numbers are shown instead.
    let empty = queries.empty_columns();
    let reported = SUMS.into_iter().filter(|(column, ..)| has_parts && !empty.contains(column));
    let mut sums: Vec<_> =
        reported.map(|(column, name, unit)| (name.to_owned(), value(column, unit))).collect();
    sums.push(("× run average".to_owned(), text::or_dash(queries.ratio(row), text::ratio)));
    sums
}

/// Exact value of a number with its unit.
pub(super) fn written(unit: Unit, num: i64) -> String {
    match unit {
        Unit::Nanos => text::duration_exact(num),
        Unit::Picos if num.unsigned_abs() < 1_000 => format!("{num} ps"),
        Unit::Picos => format!("{} ({} ps)", text::duration(num / 1_000), text::count(num)),
        Unit::Bytes if num.unsigned_abs() < 1000 => text::bytes(num),
        Unit::Bytes => format!("{} ({} B)", text::bytes(num), text::count(num)),
        Unit::Rows | Unit::Count | Unit::Text => text::count(num),
        Unit::Millionths => text::millionths(num),
    }
}

/// Keys of texts that are shown in a code block of their own.
const CODES: [Key; 3] = [key::ERROR, key::SQL, key::COMMAND];

fn codes(trace: &Trace, item: Item) -> Vec<Code> {
    let own = |key: Key| {
        let (_, value) = trace.texts(item).find(|(own, _)| *own == key)?;
        Some(code(&key_name(trace, key), trace.str(value), key != key::ERROR))
    };
    CODES.into_iter().filter_map(own).collect()
}

fn code(title: &str, text: &str, is_sql: bool) -> Code {
    let (original, rest) = text.split_at(text::beginning(text, CODE_SHOWN).len());
    let tokens = match is_sql {
        true => sql::tokens(&sql::layout(original)),
        false => vec![(TokenKind::Plain, original.to_owned())],
    };
    let left_out = rest.chars().count() as u64;
    Code { title: title.to_owned(), original: original.to_owned(), tokens, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::trace::SpanId;

    #[test]
    fn long_texts_say_how_they_go_on() {
        for (length, expected) in [(0, ""), (SHOWN, ""), (SHOWN + 1, "… 1 character more in the record")] {
            let text = "\u{e4}".repeat(length);
            let head: String = text.chars().take(SHOWN).collect();
            assert_eq!(shown(&text), head + expected);
        }
    }

    fn of(name: &str) -> Details {
        let trace = sample::trace();
        let named = |id: &SpanId| trace.str(trace.spans.name(*id)).contains(name);
        let id = (0..trace.spans.len() as u32).map(SpanId).find(named).expect("the sample has it");
        details(&trace, &Queries::of(&trace), Item::Span(id))
    }

    fn check(name: &str, field: &str, value: Option<&str>) {
        let details = of(name);
        let found = details.fields.iter().find(|(known, _)| known == field).map(|(_, value)| value.as_str());
        assert_eq!(found, value, "{field} of {name}: {:?}", details.fields);
    }

    #[test]
    fn fields_are_own_inherited_or_summed_up() {
        check("OrdersAPI", "rows read", Some("1,000"));
        check("OrdersAPI", "connector", Some("js-conn"));
        check("OrdersAPI", "query id", Some("q0"));
        check("OrdersAPI", "reading time", None); // "reading time" is shown on a line of its own
        check("x = 1", "buffer bytes", Some("1.5 kB (1,500 B)"));
        check("x = 1", "× run average", Some("1.1"));
        check("'two'", "rows read", Some("–"));
        check("Users", "rows read", None);
    }

    #[test]
    fn of_an_endless_statement_the_start_is_shown() {
        let endless = "SELECT '".to_owned() + &"\u{e4}".repeat(CODE_SHOWN) + "'";
        let code = code("SQL", &endless, true);
        assert!(code.original.len() <= CODE_SHOWN && endless.starts_with(&code.original));
        let shown: usize = code.tokens.iter().map(|(_, text)| text.chars().count()).sum();
        assert_eq!(shown as u64 + code.left_out, endless.chars().count() as u64);
    }

    #[test]
    fn of_very_many_ancestors_the_outermost_and_the_nearest_are_listed() {
        let check = |level: u32, listed: &[&str]| {
            let trace = sample::nested(101);
            let details = details(&trace, &Queries::of(&trace), Item::Span(SpanId(level)));
            let titles: Vec<_> = details.parents.iter().map(|link| link.title.as_str()).collect();
            assert_eq!((details.n_parents, titles.len()), (level, level.min(MAX_PARENTS as u32) as usize));
            let shown: Vec<_> = titles.iter().take(2).chain(titles.last()).copied().collect();
            assert_eq!(shown, listed, "level {level}");
        };
        check(0, &[]);
        check(1, &["level 0", "level 0"]);
        check(64, &["level 0", "level 1", "level 63"]);
        check(65, &["level 0", "level 2", "level 64"]);
        check(100, &["level 0", "level 37", "level 99"]);
    }

    #[test]
    fn an_item_names_the_tracks_that_hold_it() {
        let trace = sample::nested(2);
        let track = |trace: &Trace, item| details(trace, &Queries::of(trace), item).tracks;
        assert_eq!(track(&trace, Item::Span(SpanId(1))), ["thread"]);
        // Tracks of queries and their parts have the names of their spans, so they are not listed.
        assert_eq!(track(&sample::trace(), Item::Span(SpanId(3))), [""; 0]);
    }

    #[test]
    fn an_execution_is_shown_with_its_surroundings() {
        let details = of("OrdersAPI");
        let parents: Vec<_> = details.parents.iter().map(|link| link.title.as_str()).collect();
        assert_eq!(parents, ["request", "SELECT a FROM t WHERE x = 1", "js-conn"]);
        assert_eq!((&details.children[..], details.n_children), (&[][..], 0));
        let buffers = details.buffers.expect("buffer events are one line");
        let events: Vec<_> = buffers.links.iter().map(|link| (link.title.as_str(), link.start)).collect();
        assert_eq!(events, [("READ", 3_000_000), ("READ", 4_000_000)]);
        assert_eq!((buffers.count, buffers.bytes), (2, Some(1_500)));
        assert_eq!(details.reading, Some(4_000_000));
        assert_eq!((details.start, details.timestamp), (2_000_000, 1_999_995));
        assert_eq!(
            details.codes.iter().map(|code| code.title.as_str()).collect::<Vec<_>>(),
            ["pushed command"]
        );
        assert_eq!(details.codes[0].tokens[0], (TokenKind::Keyword, "SELECT".to_owned()));
    }
}
