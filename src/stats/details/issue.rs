//! Summaries of an item, a time range and an area as Markdown, to paste into an issue, a mail or a chat. They contain texts
//! of the trace, but no file path.

use super::{Details, children};
use crate::analysis::{Queries, outcome, outcome_name};
use crate::base::{FxHashMap, markdown, sort, text};
use crate::protocol::{AreaCounter, AreaNamePage, AreaNameRow, AreaSpec, AreaSummary, RangeSummary};
use crate::trace::{Item, Key, Kind, Trace, TrackId, TrackKind, key};

/// Maximum length of a statement, in characters.
const STATEMENT_SHOWN: usize = 2_000;
/// Maximum length of a name or message, in characters.
const NAME_SHOWN: usize = 160;
/// Maximum length of the name of an ancestor or child, in characters.
const LINK_SHOWN: usize = 60;
/// Maximum number of names of children, and of tracks of an area.
const MAX_NAMES: usize = 5;
/// Maximum number of rows of an area's table of names.
pub const NAMES_IN_ISSUE: u32 = 10;
/// Maximum number of rows of an area's table of counters.
const COUNTERS_IN_ISSUE: usize = 20;

/// Returns the summary of an item. `problems`: number of problems in the import report.
pub fn issue_of_item(trace: &Trace, queries: &Queries, item: Item, problems: u64) -> String {
    let details = super::details(trace, queries, item);
    let own =
        |wanted: Key| trace.texts(item).find(|(key, _)| *key == wanted).map(|(_, text)| trace.str(text));
    let (kind, flags) = match item {
        Item::Span(id) => trace.spans.kind_and_flags(id),
        Item::Event(id) => (trace.events.kind(id), trace.events.flags(id)),
    };
    let statement = own(key::SQL).or_else(|| own(key::COMMAND));
    // The name of a query is often its statement.
    let query = trace.inherited_text(item, key::QUERY_ID).map(|id| trace.str(id));
    let name = if kind == Kind::Query && statement.is_some() { query } else { Some(details.title.as_str()) };
    let mut lines = vec![heading(&details.kind, name)];
    if let Some(statement) = statement {
        lines.push(block(statement));
    }
    let mut add = |name: &str, value: String| lines.push(format!("- {name}: {value}"));
    if let Some(duration) = details.duration {
        add("duration", text::duration_exact(duration));
    }
    add("start", format!("{} after the first event of the run", text::duration_exact(details.start)));
    if !details.run.is_empty() {
        add("run", inline(without_folders(&details.run), NAME_SHOWN));
    }
    if !details.tracks.is_empty() {
        add("track", path(details.tracks.iter().map(String::as_str)));
    }
    if kind == Kind::Query {
        add("outcome", outcome_name(outcome(flags)).to_owned());
    } else if !details.marks.is_empty() {
        add("marks", details.marks.join(", "));
    }
    if let Some(error) = own(key::ERROR) {
        add("error", inline(error, NAME_SHOWN));
    }
    for (name, value) in sums(&details) {
        add(name, value.clone());
    }
    if !details.parents.is_empty() {
        let left_out = details.n_parents as usize - details.parents.len();
        let more = if left_out > 0 { format!(" ({left_out} not shown)") } else { String::new() };
        add("ancestors", path(details.parents.iter().map(|link| link.title.as_str())) + &more);
    }
    let children = children_by_time(trace, item);
    if !children.is_empty() {
        lines.push(String::new());
        lines.push("Children by time:".to_owned());
        lines.extend(children);
    }
    finished(lines, problems)
}

/// Returns the summary of a time range, whose items were limited by `filter`.
pub fn issue_of_range(range: &RangeSummary, filter: &str, problems: u64) -> String {
    let mut lines = vec![format!("**time range** {}", extent((range.start, range.end)))];
    lines.extend(filter_line(filter));
    lines.push(String::new());
    for sum in &range.kinds {
        let mut values = vec![text::count(i64::try_from(sum.count).unwrap_or(i64::MAX))];
        values.extend(sum.time.map(text::duration));
        values.extend(sum.rows_read.map(|rows| format!("{} rows read", text::count(rows))));
        values.extend(sum.bytes.map(text::bytes));
        lines.push(format!("- {}: {}", sum.kind, values.join(", ")));
    }
    if range.kinds.is_empty() {
        lines.push("No spans or events.".to_owned());
    }
    finished(lines, problems)
}

/// Returns the summary of an area or of gathered items: its sums, and the first rows of its tables of names and
/// counters.
pub fn issue_of_area(
    (trace, tracks): (&Trace, &[Option<TrackId>]),
    spec: &AreaSpec,
    (area, names): (&AreaSummary, &AreaNamePage),
    problems: u64,
) -> String {
    let mut lines = if spec.items.is_empty() {
        vec![format!("**area** {}, {}", extent(spec.range), track_names(trace, tracks))]
    } else {
        vec!["**gathered spans**".to_owned()]
    };
    lines.extend(filter_line(&spec.filter));
    lines.push(String::new());
    let mut add = |name: &str, value: String| lines.push(format!("- {name}: {value}"));
    add("spans", text::count(i64::try_from(area.spans).unwrap_or(i64::MAX)));
    add("events", text::count(i64::try_from(area.events).unwrap_or(i64::MAX)));
    for (name, time) in [("wall time", area.wall), ("total", area.total), ("self time", area.self_time)] {
        add(name, text::duration_exact(time));
    }
    if let Some(durations) = area.durations {
        let [min, median, max] = durations.map(text::duration);
        add("duration", format!("min {min}, median {median}, max {max}"));
    }
    area.rows.into_iter().for_each(|rows| add("rows", text::count(rows)));
    area.bytes.into_iter().for_each(|bytes| add("bytes", text::bytes(bytes)));
    if !names.rows.is_empty() {
        let heading = "| name | kind | count | total | self time | max |\n|---|---|--:|--:|--:|--:|";
        lines.extend([String::new(), heading.to_owned()]);
        lines.extend(names.rows.iter().map(name_row));
    }
    let left_out = (names.total as usize).saturating_sub(names.rows.len());
    if left_out > 0 {
        lines.push(format!("\n{}", text::counted(left_out as u64, "more name", "more names")));
    }
    lines.extend(counters(area));
    finished(lines, problems)
}

/// The first counters of an area as lines of a Markdown table, and the number of the others.
fn counters(area: &AreaSummary) -> Vec<String> {
    if area.counters.is_empty() {
        return Vec::new();
    }
    let heading =
        "\n| counter | min | max | average | at start | at end | samples |\n|---|--:|--:|--:|--:|--:|--:|";
    let row = |of: &AreaCounter| {
        let name = text::shortened(&of.name, NAME_SHOWN);
        let values = [&of.minimum, &of.maximum, &of.average, &of.first, &of.last].map(|value| &*value.text);
        let samples = text::count(i64::try_from(of.samples).unwrap_or(i64::MAX));
        format!("| {} | {} | {samples} |", markdown::cell(&name), values.join(" | "))
    };
    let mut lines = vec![heading.to_owned()];
    lines.extend(area.counters.iter().take(COUNTERS_IN_ISSUE).map(row));
    let shown = area.counters.len().min(COUNTERS_IN_ISSUE);
    let left_out = (area.counters.len() - shown) as u64 + u64::from(area.more_counters);
    if left_out > 0 {
        lines.push(format!("\n{}", text::counted(left_out, "more counter", "more counters")));
    }
    lines
}

/// Names of the first tracks.
fn track_names(trace: &Trace, tracks: &[Option<TrackId>]) -> String {
    let name = |id: TrackId| {
        let name = trace.str(trace.tracks.get(id).name);
        let is_run = trace.tracks.kind(id) == TrackKind::Run;
        inline(if is_run { without_folders(name) } else { name }, LINK_SHOWN)
    };
    let known: Vec<TrackId> = tracks.iter().flatten().copied().collect();
    let mut names: Vec<String> = known.iter().take(MAX_NAMES).map(|&id| name(id)).collect();
    let left_out = known.len().saturating_sub(MAX_NAMES);
    if left_out > 0 {
        names.push(text::counted(left_out as u64, "more track", "more tracks"));
    }
    names.join(", ")
}

/// A row of a Markdown table.
fn name_row(row: &AreaNameRow) -> String {
    let times = row.times.map_or([const { String::new() }; 3], |times| {
        [times.total, times.self_time, times.max].map(text::duration)
    });
    let name = text::shortened(&row.name, NAME_SHOWN);
    let name = markdown::cell(&name);
    let count = text::count(i64::try_from(row.count).unwrap_or(i64::MAX));
    format!("| {name} | {} | {count} | {} |", row.kind, times.join(" | "))
}

/// Start, end and length of a time range.
fn extent((start, end): (i64, i64)) -> String {
    let [from, to, length] = [start, end, end.saturating_sub(start)].map(text::duration_exact);
    format!("{from} to {to} ({length})")
}

/// The line of the filter that limits a summary; `None` without a filter.
fn filter_line(filter: &str) -> Option<String> {
    let filter = filter.trim();
    (!filter.is_empty()).then(|| format!("\nfilter: {}", inline(filter, STATEMENT_SHOWN)))
}

fn heading(kind: &str, name: Option<&str>) -> String {
    let name = name.filter(|name| !name.is_empty()).map(|name| format!(" {}", inline(name, NAME_SHOWN)));
    format!("**{kind}**{}\n", name.unwrap_or_default())
}

/// Rows, bytes and the comparison with the run's average.
fn sums(details: &Details) -> impl Iterator<Item = (&str, &String)> {
    let is_sum = |name: &str| {
        name.split(' ').any(|word| matches!(word, "rows" | "bytes" | "row"))
            || matches!(name, "× run average")
    };
    details.fields.iter().map(|(name, value)| (name.as_str(), value)).filter(move |(name, _)| is_sum(name))
}

/// One line per name of child spans: the total time and the number of the spans.
fn children_by_time(trace: &Trace, item: Item) -> Vec<String> {
    let mut sums: FxHashMap<&str, (i128, i64)> = FxHashMap::default();
    for child in children::below(trace, item) {
        if let Item::Span(id) = child {
            let (time, count) = sums.entry(trace.str(trace.spans.name(id))).or_default();
            *time += i128::from(trace.duration(id).max(0));
            *count += 1;
        }
    }
    let mut sums: Vec<(&str, (i128, i64))> = sums.into_iter().collect();
    sort::by(&mut sums, |(a, (time, _)), (b, (other, _))| other.cmp(time).then(a.cmp(b)));
    let line = |(name, (time, count)): &(&str, (i128, i64))| {
        let time = text::duration(i64::try_from(*time).unwrap_or(i64::MAX));
        format!("- {time}, {} ×: {}", text::count(*count), inline(name, LINK_SHOWN))
    };
    let mut lines: Vec<String> = sums.iter().take(MAX_NAMES).map(line).collect();
    let left_out = sums.len().saturating_sub(MAX_NAMES);
    if left_out > 0 {
        lines.push(format!("- {}", text::counted(left_out as u64, "more name", "more names")));
    }
    lines
}

fn finished(mut lines: Vec<String>, problems: u64) -> String {
    let problems = match problems {
        0 => "no import problems".to_owned(),
        n => text::counted(n, "record with import problems", "records with import problems"),
    };
    lines.push(format!("\nqueryscope {}, {problems}\n", env!("CARGO_PKG_VERSION")));
    lines.join("\n")
}

fn path<'t>(names: impl Iterator<Item = &'t str>) -> String {
    names.map(|name| inline(name, LINK_SHOWN)).collect::<Vec<_>>().join(" › ")
}

/// Returns a name without folders, because the name of a run may be the path of its file.
fn without_folders(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Formats a text as inline code. The backticks around the text are longer than any sequence of backticks in it.
fn inline(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = text::shortened(&line, limit);
    let marks = "`".repeat(longest_marks(&line) + 1);
    let space = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{marks}{space}{line}{space}{marks}")
}

/// Formats a statement as a code block.
fn block(statement: &str) -> String {
    let (shown, total) =
        (text::shortened(statement.trim(), STATEMENT_SHOWN), statement.trim().chars().count());
    let marks = "`".repeat(longest_marks(&shown).max(2) + 1);
    let rest = match total.checked_sub(STATEMENT_SHOWN) {
        None | Some(0) => String::new(),
        Some(_) => format!("({} in all)\n", text::counted(total as u64, "character", "characters")),
    };
    format!("{marks}sql\n{shown}\n{marks}\n{rest}")
}

fn longest_marks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::CounterValue;

    #[test]
    fn code_cannot_end_early() {
        for (text, expected) in [
            ("a  b\n c", "`a b c`"),
            ("a`b", "``a`b``"),
            ("`a`", "`` `a` ``"),
            ("``", "``` `` ```"),
            ("", "`  `"),
            ("abcdefghijk", "`abcdefghi…`"),
        ] {
            assert_eq!(inline(text, 10), expected, "{text}");
        }
        assert_eq!(block(" SELECT 1 "), "```sql\nSELECT 1\n```\n");
        assert_eq!(block("a\n```\nb"), "````sql\na\n```\nb\n````\n");
        let long = block(&"x".repeat(2_001));
        assert!(long.ends_with("x…\n```\n(2,001 characters in all)\n"), "{long}");
        assert_eq!(without_folders("/home/me/a.json"), "a.json");
        assert_eq!(without_folders("C:\\traces\\a.json"), "a.json");
    }
    #[test]
    fn counters_of_an_area_are_a_table() {
        let value = |text: &str| CounterValue { text: text.to_owned(), ..CounterValue::default() };
        let counter = AreaCounter {
            name: "heap | used".to_owned(),
            samples: 1_200,
            minimum: value("0 B"),
            maximum: value("2.5 MB"),
            average: value("1.1 MB"),
            first: value("0 B"),
            last: value("2 MB"),
            ..AreaCounter::default()
        };
        let area = |n: usize, more_counters| AreaSummary {
            counters: vec![counter.clone(); n],
            more_counters,
            ..AreaSummary::default()
        };
        assert!(counters(&area(0, 0)).is_empty());
        let lines = counters(&area(1, 0)).join("\n");
        let row = "<code>heap &#124; used</code> | 0 B | 2.5 MB | 1.1 MB | 0 B | 2 MB | 1,200 |";
        assert!(lines.contains(row) && !lines.contains("more"), "{lines}");
        for (n, more, left_out) in [(21, 0, "1 more counter"), (200, 5, "185 more counters")] {
            let lines = counters(&area(n, more));
            assert_eq!(lines.last().map(|line| line.trim()), Some(left_out));
            assert_eq!(lines.len(), COUNTERS_IN_ISSUE + 2);
        }
    }
}
