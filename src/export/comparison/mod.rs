//! Writes comparisons of runs as text, JSON, Markdown or JUnit. See `docs/command-line.md`.

mod as_json;
mod as_junit;
pub(super) mod as_markdown;
mod as_text;
pub(super) mod cells;
mod many;

use std::io::{self, Write};

use crate::base::text;
pub use crate::compare::{ConditionCheck, FailCondition, GroupBy, RunComparison, RunSide, RunsTable};
use crate::compare::{DurationVerdict, FEWEST};
pub use many::RunsTableOutput;

/// Output format of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparisonFormat {
    /// Text with aligned columns.
    Text,
    /// A JSON object; times in nanoseconds.
    Json,
    /// Markdown tables, for a pull request or a job summary.
    Markdown,
    /// A JUnit report with a test case for each group, for CI servers.
    Junit,
}

/// Number of groups that text and Markdown list if no limit is given.
const LISTED: usize = 20;

/// A comparison to write, with the conditions that were checked and the maximum number of groups.
pub struct ComparisonOutput<'a> {
    /// The comparison.
    pub comparison: &'a RunComparison,
    /// The conditions that were checked.
    pub checks: &'a [ConditionCheck],
    /// Maximum number of groups to list; for `None` a few in text and Markdown, all in other formats.
    pub limit: Option<usize>,
    /// Text of the filter that restricts the executions; `None` without a filter.
    pub filter: Option<&'a str>,
}

impl ComparisonOutput<'_> {
    /// Writes the comparison.
    pub fn write(&self, format: ComparisonFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            ComparisonFormat::Text => as_text::write(self, out),
            ComparisonFormat::Json => as_json::write(self, out),
            ComparisonFormat::Markdown => as_markdown::write(self, out),
            ComparisonFormat::Junit => as_junit::write(self, out),
        }
    }

    /// Number of groups that text and Markdown list.
    fn n_listed(&self) -> usize {
        self.limit.unwrap_or(LISTED).min(self.comparison.groups.len())
    }

    /// Formats a number of groups with its noun, such as "3 statements".
    fn groups(&self, n: usize) -> String {
        counted_groups(n, self.has_statements())
    }

    fn has_statements(&self) -> bool {
        self.comparison.base.has_statements && self.comparison.new.has_statements
    }

    /// The number of groups with each verdict, such as “1 slower, 4 no difference shown”.
    fn verdicts(&self) -> String {
        const ALL: [DurationVerdict; 6] = [
            DurationVerdict::Slower,
            DurationVerdict::Faster,
            DurationVerdict::NoDifference,
            DurationVerdict::TooFew,
            DurationVerdict::New,
            DurationVerdict::Vanished,
        ];
        let counts = ALL.map(|verdict| (self.comparison.count(verdict), verdict.name()));
        let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}"));
        format!("{}: {}.", self.groups(self.comparison.groups.len()), counts.collect::<Vec<_>>().join(", "))
    }

    /// Sentences about the meaning and the limits of the numbers.
    fn notes(&self) -> Vec<String> {
        let RunComparison { base, new, tested, .. } = self.comparison;
        let mut notes = Vec::new();
        if self.comparison.in_common() == 0 {
            let groups = |side: &RunSide, only: DurationVerdict| {
                counted_groups(self.comparison.count(only), side.has_statements)
            };
            notes.push(format!(
                "Nothing in common: the base has {}, the new side has {}, and none is on both sides.",
                groups(base, DurationVerdict::Vanished),
                groups(new, DurationVerdict::New)
            ));
        }
        let incomplete = base.all.incomplete() + new.all.incomplete();
        if incomplete > 0 {
            let executions = text::counted(incomplete, "execution lacks", "executions lack");
            notes
                .push(format!("{executions} a start or an end in the trace; only their errors are counted."));
        }
        if *tested > 0 {
            notes.push(format!(
                "Slower, faster: two-sided rank test (Mann–Whitney) of the durations, p < 0.05 after the correction for {} \
                 (Benjamini–Hochberg). Typical change: median of new ÷ base over all pairs of executions (Hodges–Lehmann; of new − base where durations \
                 of 0 allow no ratio), with its 95 % confidence interval; + means slower. It compares all pairs, and the change of p50 only \
                 the two medians, so their signs can differ.",
                text::counted(*tested as u64, "test", "tests"),
            ));
        }
        if self.comparison.count(DurationVerdict::TooFew) > 0 {
            notes.push(format!(
                "Too few to tell: fewer than {FEWEST} complete executions on a side, where no result can be distinguished from chance."
            ));
        }
        notes
    }

    /// The conditions that hold for a group.
    fn met_by(&self, group: usize) -> impl Iterator<Item = &ConditionCheck> {
        met_by(self.checks, group)
    }
}

fn counted_groups(n: usize, has_statements: bool) -> String {
    let (one, many) = if has_statements { ("statement", "statements") } else { ("group", "groups") };
    text::counted(n as u64, one, many)
}

/// The conditions that hold for a group of the comparison that they were checked on.
fn met_by(checks: &[ConditionCheck], group: usize) -> impl Iterator<Item = &ConditionCheck> {
    checks.iter().filter(move |check| check.met.binary_search(&group).is_ok())
}
