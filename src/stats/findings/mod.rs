//! Findings: problems that are detected automatically. Each rule is an entry of [`RULES`](rules::RULES) and finds
//! spans, events, files or runs; its thresholds can be changed. Only values that the trace reports are used: a server
//! that does not report
//! whether it used an index yields no finding about indexes.
//!
//! The rules are ordered by the share of a total that their findings affect: of the time of all queries, transactions,
//! tasks or threads, of the wall time, or of all records. A span inside another finding of the same rule counts once.

mod context;
#[cfg(test)]
mod file_tests;
mod loops;
mod queries;
mod rules;
mod runs;
mod search;
mod statements;
#[cfg(test)]
mod tests;
mod threads;
mod thresholds;

use crate::analysis::Sum;
use crate::base::text;
use crate::base::{FxHashSet, sort};
#[cfg(feature = "export")]
use crate::protocol::ChangedThreshold;
use crate::protocol::{Finding, FindingGroup, FindingShare};
use crate::trace::{Item, SpanId, StrId, TrackId};
use context::FindingContext;
use rules::{RULES, Rule};
pub use search::FindingSearch;
use thresholds::{ThresholdValues, listed, meaning};

/// Maximum number of findings per rule in the list of all rules. All findings are counted.
const SHOWN: usize = 50;
/// Maximum length of a title, in characters.
const TITLE: usize = 300;
/// Maximum length of the name of a span next to a gap, in characters.
const NEIGHBOUR: usize = 100;

/// A finding, before it is described.
#[derive(Clone, Copy, Default)]
pub struct RuleHit {
    /// The span or event; `None` for a finding about a file or a run.
    item: Option<Item>,
    /// Severity, by which the findings of one rule are ordered; higher is worse.
    measure: i64,
    /// Affected time, in nanoseconds.
    time: i64,
    /// Name of the part of the event's parent that took this time; `None` if all of it did.
    part: Option<StrId>,
    /// Number of affected rows, bytes or records.
    amount: i64,
    /// Numbers for the description.
    detail: [i64; 2],
    /// Start and end of the period that the finding is about, in nanoseconds; `None` if it is the period of the item.
    period: Option<(i64, i64)>,
    /// Span before the period, if the period is a gap before the item.
    previous: Option<SpanId>,
    /// Track of the thread or process that the finding is about.
    track: Option<TrackId>,
}

impl RuleHit {
    fn span(id: SpanId, measure: i64, time: i64) -> Self {
        Self { item: Some(Item::Span(id)), measure, time, ..Self::default() }
    }
}

/// Description of a rule, with the defaults of its thresholds.
pub struct RuleInfo {
    /// Stable key of the rule.
    pub key: &'static str,
    /// Short name.
    pub name: &'static str,
    /// Meaning in one sentence, with the thresholds.
    pub meaning: String,
    /// Keys of the thresholds, and their defaults with unit.
    pub thresholds: Vec<(String, String)>,
    /// Names of the totals with which the findings are compared; the share of the first one orders the rules.
    pub shares: Vec<&'static str>,
}

/// Returns the descriptions of all rules.
pub fn finding_rules() -> Vec<RuleInfo> {
    let usual = ThresholdValues::new(&[]);
    let info = |(at, rule): (usize, &Rule)| RuleInfo {
        key: rule.key,
        name: rule.name,
        meaning: meaning(rule, usual.of(at)),
        thresholds: listed(rule, usual.of(at))
            .map(|of| (of.key, format!("{} {}", of.default, of.unit)))
            .collect(),
        shares: rule.time.name().into_iter().chain(rule.amount.name()).collect(),
    };
    RULES.iter().enumerate().map(info).collect()
}

/// Parses a changed threshold as the command line takes it: `outliers.ratio=5`.
///
/// # Errors
/// A sentence that names the invalid key or value.
#[cfg(feature = "export")]
pub fn parse_threshold(text: &str) -> Result<ChangedThreshold, String> {
    let (key, value) =
        text.split_once('=').ok_or_else(|| "expected KEY=VALUE, such as outliers.ratio=5".to_owned())?;
    let changed = ChangedThreshold { key: key.trim().to_owned(), value: value.trim().to_owned() };
    match ThresholdValues::new(std::slice::from_ref(&changed)).errors.pop() {
        Some((error, _)) => Err(error),
        None => Ok(changed),
    }
}

/// Affected part divided by the total, in millionths.
fn millionths(share: &FindingShare) -> i64 {
    (i128::from(share.part) * 1_000_000 / i128::from(share.whole.max(1))) as i64
}

fn worst_first(hits: &mut [RuleHit]) {
    sort::by_key(hits, |hit| (!hit.measure, hit.item.map_or(0, |item| u64::from(item.code()))));
}

fn group(context: &FindingContext, rule: &Rule, values: &[i64], mut hits: Vec<RuleHit>) -> FindingGroup {
    worst_first(&mut hits);
    let (time, amount) = concerned(context, &hits);
    let worst: Vec<Finding> = hits.iter().take(SHOWN).map(|hit| finding(context, rule, hit)).collect();
    let count = hits.len() as u64;
    let counted = text::counted(count, rule.nouns.0, rule.nouns.1);
    let first = worst.first().map_or("", |worst| worst.text.as_str());
    let longest = worst.first().and_then(|worst| worst.duration).filter(|_| rule.longest_first);
    let before = match longest {
        _ if count <= 1 => ": ".to_owned(),
        Some(duration) => format!("; the longest ({}): ", text::duration(duration)),
        None => "; the worst: ".to_owned(),
    };
    FindingGroup {
        key: rule.key.to_owned(),
        name: rule.name.to_owned(),
        meaning: meaning(rule, values),
        sentence: format!("{counted} {}{before}{first}", rule.predicate),
        count,
        shares: context.shares((time, rule.time), (amount, rule.amount)),
        worst,
    }
}

/// Sums of the affected times and amounts of findings. A span inside the span of another finding is left out, so that
/// nothing counts twice.
fn concerned(context: &FindingContext, hits: &[RuleHit]) -> (Sum, Sum) {
    let span = |hit: &RuleHit| match hit.item? {
        Item::Span(id) => Some(id),
        Item::Event(id) => context.trace.events.parent(id),
    };
    let spans: FxHashSet<SpanId> = hits.iter().filter_map(span).collect();
    let mut seen = FxHashSet::default();
    let (mut time, mut amount) = (Sum::default(), Sum::default());
    for hit in hits {
        if span(hit).is_none_or(|id| seen.insert((id, hit.part)) && !context.is_below(id, &spans)) {
            time.add(Some(hit.time));
            amount.add(Some(hit.amount));
        }
    }
    (time, amount)
}

fn finding(context: &FindingContext, rule: &Rule, hit: &RuleHit) -> Finding {
    let trace = context.trace;
    let text = text::shortened(&(rule.describe)(context, hit), TITLE);
    let Some(item) = hit.item else {
        let title = text::shortened(&runs::title(context, hit), TITLE);
        return Finding { item: None, title, text, start: 0, duration: None, period: None, track: None };
    };
    let duration = match item {
        Item::Span(id) => Some(context.time(id)),
        Item::Event(_) => None,
    };
    let name = |item: Item, length: usize| text::shortened(trace.str(trace.name(item)), length);
    let title = match hit.previous {
        // Neither span is the cause of the gap.
        Some(previous) => {
            format!("Between {} and {}", name(Item::Span(previous), NEIGHBOUR), name(item, NEIGHBOUR))
        }
        None => name(item, TITLE),
    };
    let start = hit.period.map_or_else(|| trace.interval(item).0, |(start, _)| start);
    let duration = hit.period.map(|(start, end)| end.saturating_sub(start)).or(duration);
    let (period, track) = (hit.period, hit.track.map(|track| track.0));
    Finding { item: Some(item.code()), title, text, start, duration, period, track }
}
