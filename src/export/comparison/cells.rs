//! Formats the numbers of a comparison for text and Markdown.

use crate::base::text;
use crate::compare::{ComparedGroup, MeasureUnit, PairRatio, RankTest, RunComparison, RunMeasure};

/// Formats a value. A sum that is larger than any single value is written in whole seconds, bytes or units.
pub(in crate::export) fn value(unit: MeasureUnit, value: i128) -> String {
    let small = i64::try_from(value);
    match (unit, small) {
        (MeasureUnit::Nanoseconds, Ok(ns)) => text::duration(ns),
        (MeasureUnit::Nanoseconds, Err(_)) => format!("{} s", value / 1_000_000_000),
        (MeasureUnit::Bytes, Ok(bytes)) => text::bytes(bytes),
        (MeasureUnit::Bytes, Err(_)) => format!("{value} B"),
        (MeasureUnit::Number, Ok(number)) => text::count(number),
        (MeasureUnit::Number, Err(_)) => value.to_string(),
    }
}

/// Formats a difference, with its sign.
pub(in crate::export) fn signed(unit: MeasureUnit, difference: i128) -> String {
    let sign = if difference > 0 { "+" } else { "" };
    format!("{sign}{}", value(unit, difference))
}

/// Difference in percent of `base`; `None` if the base is negative, or is 0 while the difference is not.
pub(super) fn percent(difference: i128, base: i128) -> Option<f64> {
    match (difference, base) {
        (0, _) => Some(0.0),
        (_, ..=0) => None,
        _ => Some(difference as f64 / base as f64 * 100.0),
    }
}

/// Formats a percentage, with its sign; a change from 0 has none.
pub(super) fn percent_text(difference: i128, base: i128) -> String {
    percent(difference, base).map_or_else(|| "from 0".to_owned(), percent_written)
}

fn percent_written(percent: f64) -> String {
    let digits = match percent.abs() {
        size if size < 0.05 => "0".to_owned(),
        size if size < 100.0 => format!("{percent:+.1}").replace('-', "−"),
        // Conversions of large numbers end at the limits of the integer.
        _ => {
            let rounded = percent.round() as i64;
            format!("{}{}", if rounded > 0 { "+" } else { "" }, text::count(rounded))
        }
    };
    format!("{digits} %")
}

/// Formats both sides: `1 → 2`, or one value if they are equal.
pub(super) fn sides(unit: MeasureUnit, [base, new]: [Option<i128>; 2]) -> String {
    let side = |side: Option<i128>| text::or_dash(side, |number| value(unit, number));
    let (base, new) = (side(base), side(new));
    if base == new { base } else { format!("{base} → {new}") }
}

/// Formats the difference of a measure, with its percentage if it is not 0; a dash if a side has no value.
pub(super) fn change(unit: MeasureUnit, [base, new]: [Option<i128>; 2]) -> String {
    let difference = base.zip(new).and_then(|(base, new)| Some((new.checked_sub(base)?, base)));
    text::or_dash(difference, |(difference, base)| match difference {
        0 => value(unit, 0),
        _ => format!("{} ({})", signed(unit, difference), percent_text(difference, base)),
    })
}

/// Formats the typical ratio of a rank test and its confidence interval as changes in percent; if there is no ratio, the shift
/// as a time.
pub(super) fn typical_change(group: &ComparedGroup) -> String {
    text::or_dash(group.test, |test| test_change(test, MeasureUnit::Nanoseconds))
}

/// Formats the typical ratio of a rank test of values with this unit, or their shift if there is no ratio.
pub(in crate::export) fn test_change(test: RankTest, unit: MeasureUnit) -> String {
    let (middle, low, high) = match test.ratio {
        Some(PairRatio { median, interval }) => {
            (ratio_text(median), ratio_text(interval.0), ratio_text(interval.1))
        }
        None => {
            let value = |shift: i128| signed(unit, shift);
            (value(test.shift), value(test.interval.0), value(test.interval.1))
        }
    };
    format!("{middle} ({low} … {high})")
}

/// Formats a ratio as a change in percent; from 10 on, as a multiple.
fn ratio_text(ratio: f64) -> String {
    if ratio >= 10.0 { format!("× {}", text::ratio(ratio)) } else { percent_written((ratio - 1.0) * 100.0) }
}

/// Row of the totals: name, base, new, difference.
pub(super) type TotalsRow = [String; 4];

/// Totals of both sides, without measures that neither side reports.
pub(super) fn totals(comparison: &RunComparison) -> Vec<TotalsRow> {
    const NAMES: [(&str, RunMeasure); 12] = [
        ("executions", RunMeasure::Count),
        ("failed", RunMeasure::Errors),
        ("total duration", RunMeasure::Total),
        ("mean", RunMeasure::Mean),
        ("p50", RunMeasure::P50),
        ("p95", RunMeasure::P95),
        ("p99", RunMeasure::P99),
        ("longest", RunMeasure::Max),
        ("self time", RunMeasure::SelfTime),
        ("rows read", RunMeasure::RowsRead),
        ("rows returned", RunMeasure::RowsReturned),
        ("bytes", RunMeasure::Bytes),
    ];
    let (base, new) = (&comparison.base, &comparison.new);
    let row = |name: &str, unit: MeasureUnit, values: [Option<i128>; 2]| {
        let [base, new] = values.map(|side| text::or_dash(side, |number| value(unit, number)));
        [name.to_owned(), base, new, change(unit, values)]
    };
    let mut rows = vec![row("wall time", MeasureUnit::Nanoseconds, [Some(base.wall), Some(new.wall)])];
    for (name, measure) in NAMES {
        let values = [base.all.get(measure), new.all.get(measure)];
        if values.iter().any(Option::is_some) {
            rows.push(row(name, measure.unit(), values));
        }
    }
    rows
}

/// Column of the table of groups: its title, and the text of a group in it.
pub(super) type GroupColumn = (&'static str, fn(&ComparedGroup) -> String);

/// The columns between the verdict and the text of a group. Columns without a number in any group are left out.
pub(super) fn group_columns(groups: &[ComparedGroup]) -> Vec<GroupColumn> {
    fn both(group: &ComparedGroup, measure: RunMeasure) -> String {
        sides(measure.unit(), group.values(measure))
    }
    fn difference(group: &ComparedGroup, measure: RunMeasure) -> String {
        change(measure.unit(), group.values(measure))
    }
    const COLUMNS: [GroupColumn; 11] = [
        ("executions", |group| both(group, RunMeasure::Count)),
        ("total", |group| both(group, RunMeasure::Total)),
        ("Δ total", |group| difference(group, RunMeasure::Total)),
        ("p50", |group| both(group, RunMeasure::P50)),
        ("p95", |group| both(group, RunMeasure::P95)),
        ("typical change (95 % interval)", typical_change),
        ("Δ self", |group| difference(group, RunMeasure::SelfTime)),
        ("Δ rows read", |group| difference(group, RunMeasure::RowsRead)),
        ("Δ rows returned", |group| difference(group, RunMeasure::RowsReturned)),
        ("Δ bytes", |group| difference(group, RunMeasure::Bytes)),
        ("errors", |group| both(group, RunMeasure::Errors)),
    ];
    let is_used = |column: &GroupColumn| {
        groups.iter().any(|group| {
            !matches!(column.1(group).as_str(), text::NOT_REPORTED | "0" | "0 B" | "0 → –" | "– → 0")
        })
    };
    COLUMNS.into_iter().filter(is_used).collect()
}

/// Describes a group by its verdict, its typical change, and some measures.
pub(super) fn summary(group: &ComparedGroup, measures: &[RunMeasure]) -> String {
    let mut parts = Vec::new();
    for &measure in measures {
        let values = group.values(measure);
        parts.push(match values {
            [Some(base), Some(new)] if base != new => {
                format!(
                    "{} {}, {}",
                    measure.name(),
                    sides(measure.unit(), values),
                    change(measure.unit(), values)
                )
            }
            _ => format!("{} {}", measure.name(), sides(measure.unit(), values)),
        });
    }
    parts.push(group.verdict.name().to_owned());
    if group.test.is_some() {
        parts.push(format!("typical change {}", typical_change(group)));
    }
    parts.join("; ")
}
