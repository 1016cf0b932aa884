//! Notes about the numbers of a pivot table: effect of the time range, the level at which nested numbers are counted, and
//! measures that include the time of nested spans.

use super::attribute::Quantity;
use super::cell::{Function, Measure};
use super::cube::{Cube, Question};
use super::parse::{PivotError, measure_written};
use crate::analysis::Bits;
use crate::protocol::RANGE_MEANS;
use crate::trace::{SpanId, Trace};

/// The notes for a table, as sentences, most important first.
#[inline(never)]
pub(super) fn notes(trace: &Trace, cube: &mut Cube, question: &Question) -> Result<Vec<String>, PivotError> {
    let mut notes = Vec::new();
    if question.range.is_some() {
        let mut whole = quantities(question);
        whole.retain(|quantity| !matches!(quantity, Quantity::Duration | Quantity::SelfTime));
        let names: Vec<String> = whole.iter().map(|quantity| quantity.attribute().name(trace)).collect();
        notes.push(match names.is_empty() {
            true => RANGE_MEANS.to_owned(),
            false => format!("{RANGE_MEANS} Not clipped: {}.", names.join(", ")),
        });
    }
    for quantity in quantities(question) {
        if let Some(levels) = cube.levels(trace, question, quantity)? {
            notes.push(levels.sentence(&quantity.attribute().name(trace)));
        }
    }
    let inclusive =
        |measure: &&Measure| measure.function == Function::Sum && measure.quantity.includes_nested(trace);
    let inclusive: Vec<String> =
        question.measures.iter().filter(inclusive).map(|measure| measure_written(trace, *measure)).collect();
    if !inclusive.is_empty() && any_nested(trace, &*cube.chosen(trace, question)?) {
        notes.push(format!(
            "{} includes nested spans, so that their time counts more than once; sum(self time) counts each \
             moment once.",
            inclusive.join(", ")
        ));
    }
    Ok(notes)
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
    let name = measure.quantity.attribute().name(trace);
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
        quantity if quantity.includes_nested(trace) => {
            format!("{function} of {name}; the {name} of a span includes nested spans.")
        }
        _ => format!("{function} of {name}."),
    }
}
