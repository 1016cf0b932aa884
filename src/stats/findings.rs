//! Findings: statements worth investigating, the worst first. Only values that the trace reports are used: a server
//! that does not report whether it used an index yields no finding about indexes.

use crate::base::sort;
use crate::base::text;
use crate::protocol::{Finding, FindingGroup};
use crate::stats::Transactions;
use crate::trace::{Flags, Item, Key, Kind, Span, SpanId, Trace, attribute_names, key};

/// Maximum number of listed findings per group. All findings are counted.
const SHOWN: usize = 50;
/// Maximum number of ancestors to follow.
const MAX_PARENTS: usize = 64;
/// Maximum length of a statement, in characters.
const TITLE: usize = 300;
/// Minimum number of rows for which a scan without an index is reported.
const MANY_ROWS: i64 = 100;
/// Minimum lock time that is reported, in picoseconds (1 ms).
const LONG_LOCK: i64 = 1_000_000_000;

/// Minimum idle time of a transaction that is reported, in nanoseconds (10 ms).
const LONG_IDLE: i64 = 10_000_000;

/// Attribute keys of the server's counters for a statement; `None` if the trace does not have the counter.
struct Counts {
    lock: Option<Key>,
    wait: Option<Key>,
    no_index: Option<Key>,
    no_good_index: Option<Key>,
    disk_tables: Option<Key>,
    passes: Option<Key>,
    full_join: Option<Key>,
    range_check: Option<Key>,
}

/// Rule that detects a finding. Returns its severity (higher is worse) and its text; `None` if there is no finding.
type FindingRule = fn(&CountedStatement) -> Option<(i64, String)>;

/// Statement with access to its counters.
struct CountedStatement<'a> {
    trace: &'a Trace,
    counts: &'a Counts,
    item: Item,
    span: Span,
}

impl CountedStatement<'_> {
    fn number(&self, key: Option<Key>) -> i64 {
        key.and_then(|key| self.trace.num(self.item, key)).unwrap_or(0)
    }

    fn rows(&self) -> (i64, i64) {
        (self.number(Some(key::ROWS_READ)), self.number(Some(key::ROWS_RETURNED)))
    }

    fn rows_text(&self) -> String {
        let (read, returned) = self.rows();
        format!("{} rows read, {} returned", text::count(read), text::count(returned))
    }
}

const LOOKS: [(&str, &str, FindingRule); 7] = [
    ("failed", "Statements that reported an error, including those that a stored program ran.", |asked| {
        let error = asked.trace.text(asked.item, key::ERROR).map(|error| asked.trace.str(error));
        let failed = asked.span.flags.has(Flags::FAILED);
        failed.then(|| (asked.span.duration, error.unwrap_or("no reason given").to_owned()))
    }),
    (
        "over-fetch",
        "Statements that read at least 100 rows, and at least ten times as many as they returned or changed.",
        |asked| {
            let found = asked.span.flags.has(Flags::OVER_FETCH);
            found.then(|| (asked.rows().0.saturating_sub(asked.rows().1), asked.rows_text()))
        },
    ),
    (
        "no index",
        "Statements that read 100 rows or more without an index or without a good index.",
        |asked| {
            let counts = asked.counts;
            let found = asked.number(counts.no_index) > 0 || asked.number(counts.no_good_index) > 0;
            (found && asked.rows().0 >= MANY_ROWS).then(|| (asked.rows().0, asked.rows_text()))
        },
    ),
    ("temporary tables on disk", "Statements that created temporary tables on disk.", |asked| {
        let tables = asked.number(asked.counts.disk_tables);
        (tables > 0)
            .then(|| (tables, text::counted(tables.unsigned_abs(), "table on disk", "tables on disk")))
    }),
    ("merge passes", "Statements whose sort did not fit into the sort buffer.", |asked| {
        let passes = asked.number(asked.counts.passes);
        (passes > 0).then(|| (passes, text::counted(passes.unsigned_abs(), "merge pass", "merge passes")))
    }),
    (
        "full joins",
        "Statements that joined tables without an index, or checked for a usable index again for every row.",
        |asked| {
            let joins =
                asked.number(asked.counts.full_join).saturating_add(asked.number(asked.counts.range_check));
            (joins > 0).then(|| {
                let joins =
                    text::counted(joins.unsigned_abs(), "join without an index", "joins without an index");
                (asked.rows().0, format!("{joins}; {}", asked.rows_text()))
            })
        },
    ),
    (
        "lock time",
        "Statements that waited for table or row locks for at least 1 ms and a tenth of their time.",
        |asked| {
            let (lock, wait) = (asked.number(asked.counts.lock), asked.number(asked.counts.wait));
            (lock >= LONG_LOCK && lock >= wait / 10).then(|| {
                let share = if wait > 0 { (lock as f64 / wait as f64).min(1.0) } else { 1.0 };
                (lock, format!("{} of {} ({})", picos(lock), picos(wait), text::percent(share)))
            })
        },
    ),
];

fn picos(time: i64) -> String {
    text::duration(time / 1000)
}

/// Returns all findings of a trace by group. Groups without findings are left out.
#[inline(never)]
pub fn findings(trace: &Trace) -> Vec<FindingGroup> {
    let counts = Counts {
        lock: trace.key(attribute_names::LOCK_TIME),
        wait: trace.key(attribute_names::TIMER_WAIT),
        no_index: trace.key("no index used"),
        no_good_index: trace.key("no good index used"),
        disk_tables: trace.key("created tmp disk tables"),
        passes: trace.key("sort merge passes"),
        full_join: trace.key("select full join"),
        range_check: trace.key("select range check"),
    };
    let mut found: [Vec<(i64, SpanId, String)>; LOOKS.len()] = Default::default();
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        if matches!(trace.spans.kind(id), Kind::Query | Kind::Statement) {
            let span = trace.spans.get(id);
            let asked = CountedStatement { trace, counts: &counts, item: Item::Span(id), span };
            for ((.., look), list) in LOOKS.iter().zip(&mut found) {
                list.extend(look(&asked).map(|(measure, text)| (measure, id, text)));
            }
        }
    }
    let blocked = blocked(trace);
    let groups = LOOKS.iter().zip(found).filter(|(_, list)| !list.is_empty());
    let mut groups: Vec<FindingGroup> =
        groups.map(|(&(name, meaning, _), list)| group(trace, name, meaning, list)).collect();
    if !blocked.is_empty() {
        let meaning =
            "Statements that were waiting for a lock held by another thread. An arrow leads from the holder.";
        groups.insert(0, group(trace, "waits for a lock", meaning, blocked));
    }
    let idle = idle(trace);
    if !idle.is_empty() {
        let meaning =
            "Transactions that were idle for at least 10 ms and half of their time while they held locks.";
        groups.push(group(trace, "idle in transaction", meaning, idle));
    }
    groups
}

/// Transactions that were idle for at least [`LONG_IDLE`], the longest idle time first.
fn idle(trace: &Trace) -> Vec<(i64, SpanId, String)> {
    let found = Transactions::of(trace).into_rows().filter_map(|paused| {
        let (duration, idle) = (trace.spans.duration(paused.span), paused.idle());
        let longest = paused.longest()?;
        let text = format!(
            "{} of {} idle ({}), longest pause {}",
            text::duration(idle),
            text::duration(duration),
            text::percent(idle as f64 / duration.max(1) as f64),
            text::duration(longest.end - longest.start)
        );
        (idle >= LONG_IDLE && idle >= duration / 2).then_some((idle, paused.span, text))
    });
    found.collect()
}

/// Statements that waited for a lock (the target of a lock arrow), with the holder of that lock.
fn blocked(trace: &Trace) -> Vec<(i64, SpanId, String)> {
    let lock = trace.strings.find(attribute_names::LOCK);
    let waits = trace.flows.iter().filter(|flow| Some(flow.name) == lock);
    let found = waits.map(|flow| {
        let up = |id: &SpanId| trace.spans.parent(*id);
        let is_statement = |id: &SpanId| matches!(trace.spans.kind(*id), Kind::Query | Kind::Statement);
        let chain = std::iter::successors(Some(flow.to), up).take(MAX_PARENTS);
        let statement = chain.clone().find(is_statement).unwrap_or(flow.to);
        let track = trace.tracks.get(trace.tracks.of_span(flow.from)).name;
        let holder = text::shortened(trace.str(trace.spans.name(flow.from)), TITLE / 3);
        let text = format!("held by {} ({holder})", text::shortened(trace.str(track), TITLE / 3));
        (trace.duration(statement), statement, text)
    });
    found.collect()
}

fn group(trace: &Trace, name: &str, meaning: &str, mut list: Vec<(i64, SpanId, String)>) -> FindingGroup {
    sort::by_key(&mut list, |(measure, id, _)| (!*measure, u64::from(id.0)));
    let finding = |(_, id, text): &(i64, SpanId, String)| {
        let span = trace.spans.get(*id);
        Finding {
            item: Item::Span(*id).code(),
            title: text::shortened(trace.str(span.name), TITLE),
            text: text::shortened(text, TITLE),
            start: span.start,
            duration: trace.duration(*id),
        }
    };
    FindingGroup {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        count: list.len() as u64,
        worst: list.iter().take(SHOWN).map(finding).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::base::interner::Interner;
    use crate::trace::{RecordId, TraceBuilder, TrackKind, Unit};

    #[test]
    fn what_is_not_reported_is_not_found() {
        let groups = findings(&sample::trace());
        assert_eq!(groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["failed"]);
    }

    /// Checks the findings of a trace with one statement, whose counters are `numbers`.
    fn check(numbers: &[(&str, i64)], expected: &[(&str, &str)]) {
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern("SELECT 1");
        let run = builder.run(name, 0, 10, 1);
        builder.track(builder.root(run), name, TrackKind::Thread);
        let keys: Vec<Key> = numbers.iter().map(|(name, _)| builder.key(name, Unit::Count)).collect();
        let shape = builder.shape(&keys, &[]);
        let span = Span {
            start: 0,
            duration: 10,
            parent: None,
            name,
            kind: Kind::Query,
            flags: Flags::default(),
            depth: 0,
            begin: RecordId::NONE,
            end: RecordId::NONE,
        };
        let values: Vec<Option<i64>> = numbers.iter().map(|(_, value)| Some(*value)).collect();
        builder.span(span, shape, &values, &[]);
        let groups = findings(&builder.finish());
        let found: Vec<(&str, &str)> =
            groups.iter().map(|group| (group.name.as_str(), group.worst[0].text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_a_server_counts_is_found() {
        check(&[("no index used", 1), ("rows read", 99)], &[]);
        check(&[("no index used", 1), ("rows read", 100)], &[("no index", "100 rows read, 0 returned")]);
        check(&[("created tmp disk tables", 2)], &[("temporary tables on disk", "2 tables on disk")]);
        check(&[("sort merge passes", 1)], &[("merge passes", "1 merge pass")]);
        check(
            &[("select full join", 1), ("rows read", 5)],
            &[("full joins", "1 join without an index; 5 rows read, 0 returned")],
        );
        check(&[("lock time", 999_999_999), ("timer wait", 1_000_000_000)], &[]);
        check(
            &[("lock time", 1_000_000_000), ("timer wait", 4_000_000_000)],
            &[("lock time", "1.000 ms of 4.000 ms (25 %)")],
        );
    }
}
