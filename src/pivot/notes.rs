//! Notes about the numbers of a pivot table: effect of the time range, the level at which nested numbers are counted, and
//! measures that include the time of nested spans.

use std::rc::Rc;

use super::attribute::Quantity;
use super::cell::{Function, Measure};
use super::cube::{Cube, Question};
use super::parse::{PivotError, measure_written};
use crate::analysis::{Bits, PointRows, is_whole};
use crate::base::text;
use crate::protocol::RANGE_MEANS;
use crate::trace::{Flags, SpanId, Trace};

const OVERLAPPING_TOTALS: &str = "The total times of groups do not add up where spans of one group are nested in spans of another; self time counts each moment once.";

/// The notes for a table, as sentences, most important first.
#[inline(never)]
pub(super) fn notes(trace: &Trace, cube: &mut Cube, question: &Question) -> Result<Vec<String>, PivotError> {
    let mut notes = Vec::new();
    if question.range.is_some() {
        let mut whole = quantities(question);
        whole.retain(|quantity| !quantity.is_span_time());
        let names: Vec<String> = whole.iter().map(|quantity| quantity.name(trace)).collect();
        notes.push(match names.is_empty() {
            true => RANGE_MEANS.to_owned(),
            false => format!("{RANGE_MEANS} Not clipped: {}.", names.join(", ")),
        });
    }
    for quantity in quantities(question) {
        if let Some(levels) = cube.levels(trace, question, quantity)? {
            notes.push(levels.sentence(&quantity.name(trace)));
        }
    }
    let inclusive =
        |measure: &&Measure| measure.function == Function::Sum && measure.quantity.includes_nested(trace);
    let inclusive: Vec<Measure> = question.measures.iter().filter(inclusive).copied().collect();
    let (totals, sums): (Vec<Measure>, Vec<Measure>) =
        inclusive.into_iter().partition(|measure| measure.quantity == Quantity::TotalTime);
    if !sums.is_empty() && any_nested(trace, &*counted(trace, cube, question, Quantity::Duration)?) {
        let names: Vec<String> = sums.iter().map(|measure| measure_written(trace, *measure)).collect();
        notes.push(format!(
            "{} includes nested spans, so that their time counts more than once; self time counts each moment once.",
            names.join(", ")
        ));
    }
    if !totals.is_empty() && any_nested(trace, &*counted(trace, cube, question, Quantity::TotalTime)?) {
        notes.push(OVERLAPPING_TOTALS.to_owned());
    }
    notes.extend(open_spans(trace, cube, question)?);
    Ok(notes)
}

/// The chosen points whose quantity counts.
fn counted(
    trace: &Trace,
    cube: &mut Cube,
    question: &Question,
    quantity: Quantity,
) -> Result<Rc<Bits>, PivotError> {
    let chosen = cube.chosen(trace, question)?;
    let Some(levels) = cube.levels(trace, question, quantity)? else { return Ok(chosen) };
    let is_counted = |row| chosen.contains(row) && !levels.leaves_out(row);
    Ok(Rc::new(Bits::of(PointRows::of(trace).len(), is_counted)))
}

/// The number of spans without a start or an end in the trace, and their part of the first sum of a time; `None` if they
/// contribute nothing.
#[inline(never)]
fn open_spans(trace: &Trace, cube: &mut Cube, question: &Question) -> Result<Option<String>, PivotError> {
    let is_time = |measure: &&Measure| measure.function == Function::Sum && measure.quantity.is_span_time();
    let Some(measure) = question.measures.iter().find(is_time) else { return Ok(None) };
    let quantity = &measure.quantity;
    if ![Flags::OPEN_START, Flags::OPEN_END].into_iter().any(|flag| trace.spans.has_marked(flag)) {
        return Ok(None);
    }
    let counted = counted(trace, cube, question, *quantity)?;
    let amounts = cube.columns().measured(trace, quantity.attribute(), question.range);
    let spans = counted.iter().take_while(|&row| row < trace.spans.len() as u32);
    let open = spans.filter(|&row| !is_whole(trace.spans.flags(SpanId(row))));
    let (mut count, mut sum) = (0, 0_i64);
    for amount in open.filter_map(|row| amounts.get(row as usize)).filter(|&amount| amount > 0) {
        (count, sum) = (count + 1, sum.saturating_add(amount));
    }
    Ok((count > 0).then(|| {
        let spans = text::counted(count, "span", "spans");
        let (name, time) = (quantity.name(trace), text::duration(sum));
        format!("{time} of the {name} is from {spans} whose start or end is not in the trace.")
    }))
}

/// Whether any chosen span is nested in another chosen span, so that a sum of durations counts some time twice.
#[inline(never)]
fn any_nested(trace: &Trace, chosen: &Bits) -> bool {
    let spans = trace.spans.len() as u32;
    // Spans that are not chosen and have no chosen ancestor, so that no path to the root is walked twice.
    let mut clear = Bits::below(spans as usize);
    chosen.iter().take_while(|&row| row < spans).any(|row| {
        let mut parent = trace.spans.parent(SpanId(row));
        while let Some(above) = parent.filter(|above| !clear.contains(above.0)) {
            if chosen.contains(above.0) {
                return true;
            }
            clear.insert(above.0);
            parent = trace.spans.parent(above);
        }
        false
    })
}

/// The measured quantities, without duplicates.
fn quantities(question: &Question) -> Vec<Quantity> {
    let mut found: Vec<Quantity> = Vec::new();
    for measure in &question.measures {
        if !found.contains(&measure.quantity) {
            found.push(measure.quantity);
        }
    }
    found
}

/// Describes a measure in one sentence.
pub(super) fn meaning(trace: &Trace, measure: Measure) -> String {
    let name = measure.quantity.name(trace);
    let function = match measure.function {
        Function::Count if measure.counts_points() => return "Number of spans and events.".to_owned(),
        Function::Count => return format!("Number of spans and events, each weighted by its {name}."),
        Function::Sum => "Sum",
        Function::Min => "Minimum",
        Function::Average => "Average",
        Function::Max => "Maximum",
        Function::Percentile(_) => "Percentile",
    };
    match measure.quantity {
        Quantity::Server(_) => {
            format!("{function} of {name}, by the definitions of the server’s own tables.")
        }
        Quantity::SelfTime => format!("{function} of self time: the time that no nested span covers."),
        Quantity::TotalTime => {
            format!(
                "{function} of durations of spans without an ancestor in the same group by the first dimension."
            )
        }
        quantity if quantity.includes_nested(trace) => {
            format!("{function} of {name}; the {name} of a span includes nested spans.")
        }
        _ => format!("{function} of {name}."),
    }
}
