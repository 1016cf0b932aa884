//! Notes about the numbers of a pivot table: effect of the time range, the level at which nested numbers are counted, and
//! measures that include the time of nested spans, waits or asynchronous spans.

use std::rc::Rc;

use super::amounts::Amounts;
use super::attribute::{Attribute, Quantity};
use super::cell::{Function, Measure};
use super::cube::{Cube, Question};
use super::parse::{PivotError, measure_written};
use crate::analysis::{Bits, PointRows, is_whole};
use crate::base::text;
use crate::protocol::RANGE_MEANS;
use crate::trace::{Flags, Kind, SpanId, Trace, TrackId, TrackKind};

/// Waits and asynchronous spans are noted if their part of a time exceeds one in so many.
const LEAST_PART: i64 = 100;
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
    notes.extend(parts_of_time(trace, cube, question)?);
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

/// Which parts of the first sum of a time are from spans without a start or an end in the trace, from waits, and from
/// asynchronous spans.
#[inline(never)]
fn parts_of_time(trace: &Trace, cube: &mut Cube, question: &Question) -> Result<Vec<String>, PivotError> {
    let is_time = |measure: &&Measure| measure.function == Function::Sum && measure.quantity.is_span_time();
    let Some(measure) = question.measures.iter().find(is_time) else { return Ok(Vec::new()) };
    let quantity = measure.quantity;
    let has_open = [Flags::OPEN_START, Flags::OPEN_END].into_iter().any(|flag| trace.spans.has_marked(flag));
    // Other times of the spans around a wait include the wait. By kind, waits are a group of their own.
    let is_by_kind =
        question.dimensions.iter().chain(&question.across).any(|of| of.attribute == Attribute::Kind);
    let has_waits = quantity == Quantity::SelfTime && !is_by_kind && trace.spans.has(Kind::Wait);
    let is_async = |&track: &TrackId| trace.tracks.kind(track) == TrackKind::Async;
    let async_tracks: Vec<TrackId> = (0..trace.tracks.len() as u32).map(TrackId).filter(is_async).collect();
    if !has_open && !has_waits && async_tracks.is_empty() {
        return Ok(Vec::new());
    }
    let counted = counted(trace, cube, question, quantity)?;
    let amounts = cube.columns().measured(trace, quantity.attribute(), question.range);
    let spans = || counted.iter().take_while(|&row| row < trace.spans.len() as u32);
    let name = quantity.name(trace);
    let mut notes = Vec::new();
    if has_open {
        let open = spans().filter(|&row| !is_whole(trace.spans.flags(SpanId(row))));
        let (count, time) = summed(&amounts, open);
        if count > 0 {
            let time = text::duration(time);
            let spans = text::counted(count, "span", "spans");
            notes.push(format!(
                "{time} of the {name} is from {spans} whose start or end is not in the trace."
            ));
        }
    }
    let is_of = |row: u32, kind: Kind| trace.spans.kind(SpanId(row)) == kind;
    let waits = match has_waits {
        true => summed(&amounts, spans().filter(|&row| is_of(row, Kind::Wait))).1,
        false => 0,
    };
    // Other kinds on asynchronous tracks, such as the statements of MonetDB, are work that threads do.
    let slices = async_tracks.iter().flat_map(|&track| trace.tracks.spans(track));
    let slices = slices.filter(|&row| counted.contains(row) && is_of(row, Kind::Slice));
    let asynchronous = summed(&amounts, slices).1;
    if waits > 0 || asynchronous > 0 {
        let whole = summed(&amounts, spans()).1;
        let mut note = |time: i64, from: &str| {
            if time > whole / LEAST_PART {
                notes.push(format!("{} of the {name} is from {from}.", text::duration(time)));
            }
        };
        if waits < whole {
            note(waits, "waits");
        }
        note(asynchronous, "asynchronous spans, which may overlap");
    }
    Ok(notes)
}

/// The number of rows with a positive amount, and the sum of these amounts.
fn summed(amounts: &Amounts, rows: impl Iterator<Item = u32>) -> (u64, i64) {
    let positive = rows.filter_map(|row| amounts.get(row as usize)).filter(|&amount| amount > 0);
    positive.fold((0, 0), |(count, sum), amount| (count + 1, amount.saturating_add(sum)))
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
