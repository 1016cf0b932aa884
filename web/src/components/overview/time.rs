//! Time by group: a pivot table with one dimension and one measure, as a stacked bar and a short list.

use queryscope::internal::text;
use queryscope::protocol::{
    PivotCell, PivotChoices, PivotChoicesRequest, PivotPage, PivotRequest, PivotSpec, PivotView,
};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::chart::RUNS;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{PanelProps, filter_button, one_line, opens_pivot};
use crate::messages::TraceInfo;
use crate::state::{Action, OverviewView, TimeDimension, TimeMeasure};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, link};
use crate::words;

/// Number of groups with a row of their own.
const SHOWN: u32 = 8;

const DIMENSIONS: [TimeDimension; 6] = [
    TimeDimension::Statement,
    TimeDimension::Kind,
    TimeDimension::Connector,
    TimeDimension::Datasource,
    TimeDimension::Name,
    TimeDimension::Thread,
];
const MEASURES: [TimeMeasure; 5] =
    [TimeMeasure::SelfTime, TimeMeasure::Total, TimeMeasure::Rows, TimeMeasure::Bytes, TimeMeasure::Waits];
/// Attributes that hold numbers of rows, in order of preference.
const ROWS: [&str; 3] = ["rows read", "rows out", "rows"];

/// Filter of the pivot table that leaves out idle time.
const NOT_IDLE: &str = "kind != idle";
/// Filter of the pivot table of the total time by thread, of traces with queries. Queries may run on no thread, and a transaction
/// lasts while its thread waits for the client.
const ON_THREADS: &str = r#"thread ~ "" kind != transaction kind != idle"#;

/// Attribute that holds a statement as the server normalised it.
const DIGEST: &str = "digest text";

/// The dimensions and measures that a trace offers, and their pivot expressions.
struct TimeChoices<'a> {
    choices: &'a PivotChoices,
    has_queries: bool,
    has_waits: bool,
    /// Whether the trace has times in which a thread waited for its client, or in which a profiler found nothing running.
    has_idle: bool,
}

impl<'a> TimeChoices<'a> {
    fn of(choices: &'a PivotChoices, info: &TraceInfo) -> Self {
        Self { choices, has_queries: info.queries > 0, has_waits: info.waits, has_idle: info.idle }
    }

    fn has_dimension(&self, name: &str) -> bool {
        self.choices.dimensions.iter().any(|(_, names)| names.iter().any(|known| known == name))
    }

    fn rows(&self) -> Option<&'static str> {
        ROWS.into_iter().find(|name| self.choices.quantities.iter().any(|known| known == name))
    }

    /// The dimension of the pivot table; `None` if the trace has no such data. If `whole`, spans are grouped by their
    /// own attributes and counted without nested spans; otherwise nested spans are included, by the attributes of their
    /// ancestors.
    fn dimension(&self, by: TimeDimension, whole: bool) -> Option<&'static str> {
        let (own, inside) = match by {
            TimeDimension::Kind => ("kind", "kind"),
            TimeDimension::Connector => ("connector", "in connector"),
            TimeDimension::Datasource => ("datasource", "in datasource"),
            // As in the list of statements: the server's digest, where there is one.
            TimeDimension::Statement if self.has_dimension(DIGEST) => (DIGEST, "in digest text"),
            TimeDimension::Statement => ("SQL[shape]", "in SQL[shape]"),
            TimeDimension::Name => ("name", "name"),
            TimeDimension::Thread => ("thread", "thread"),
        };
        let is_known = match by {
            TimeDimension::Statement => self.has_queries && self.has_dimension(own),
            TimeDimension::Name => !self.has_queries,
            _ => self.has_dimension(own),
        };
        is_known.then_some(if whole { own } else { inside })
    }

    /// The measure of the pivot table, and its filter; `None` if the trace has no such data.
    fn measure(&self, by: TimeDimension, measure: TimeMeasure) -> Option<(String, &'static str)> {
        let not_idle = if self.has_idle && by != TimeDimension::Kind { NOT_IDLE } else { "" };
        match measure {
            TimeMeasure::SelfTime => Some(("sum(self time)".to_owned(), not_idle)),
            TimeMeasure::Total => {
                let counted = match by {
                    TimeDimension::Statement => "kind = query",
                    TimeDimension::Thread if self.has_queries => ON_THREADS,
                    _ => not_idle,
                };
                Some(("sum(total time)".to_owned(), counted))
            }
            TimeMeasure::Rows => self.rows().map(|rows| (format!("sum({rows})"), "")),
            TimeMeasure::Bytes => {
                let has_bytes = self.choices.quantities.iter().any(|known| known == "bytes");
                has_bytes.then(|| ("sum(bytes)".to_owned(), ""))
            }
            TimeMeasure::Waits => self.has_waits.then(|| ("sum(self time)".to_owned(), "kind = wait")),
        }
    }

    /// The chosen dimension and measure, or the first ones that the trace has.
    fn chosen(&self, view: &OverviewView) -> Option<(TimeDimension, TimeMeasure)> {
        // Slices are all of one kind.
        let first = (!self.has_queries).then_some(TimeDimension::Name);
        let known = view.by.into_iter().chain(first).chain(DIMENSIONS);
        let by = known.into_iter().find(|by| self.dimension(*by, false).is_some())?;
        let measures = view.measure.into_iter().chain(MEASURES);
        Some((by, measures.into_iter().find(|measure| self.measure(by, *measure).is_some())?))
    }

    fn view(&self, (by, measure): (TimeDimension, TimeMeasure)) -> Option<PivotView> {
        let (sum, filter) = self.measure(by, measure)?;
        let dimension = self.dimension(by, measure == TimeMeasure::Total)?;
        let spec = PivotSpec {
            by: dimension.to_owned(),
            measures: format!("{sum}, count"),
            filter: filter.to_owned(),
            ..PivotSpec::default()
        };
        Some(PivotView { spec, sort: Some(0), descending: true, ..PivotView::default() })
    }
}

#[derive(Properties, PartialEq)]
pub struct TimeDivisionProps {
    pub panel: PanelProps,
    /// Called once the first reply has arrived, or if there is nothing to request.
    pub onanswered: Callback<()>,
}

/// The section “Where the time went”. Empty until the choices that the trace offers are known.
#[component]
pub fn TimeDivision(of: &TimeDivisionProps) -> Html {
    let props = &of.panel;
    let (state, build) = (&props.state, props.state.load.info.build);
    let known = use_query(&props.client, Some(PivotChoicesRequest), build);
    let choices = known.as_ref().and_then(Answer::reply);
    let choices = choices.map(|choices| TimeChoices::of(choices, &state.load.info));
    let chosen = choices.as_ref().and_then(|choices| choices.chosen(&state.nav.overview));
    let view = choices.as_ref().zip(chosen).and_then(|(choices, chosen)| choices.view(chosen));
    let request = view.clone().map(|mut view| {
        view.spec.range = state.nav.range;
        view.spec.filter = state.joined_filter(&view.spec.filter);
        PivotRequest { view, first: 0, count: SHOWN }
    });
    let is_asked = request.is_some();
    let answer = use_query(&props.client, request, build);
    let is_answered = answer.is_some() || choices.is_some() && !is_asked;
    use_effect_with((is_answered, of.onanswered.clone()), |(is_answered, onanswered)| {
        if *is_answered {
            onanswered.emit(());
        }
    });
    let inert = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(|answer| answer.reply().zip(answer.request()));
    let Some((choices, (chosen, view))) = choices.zip(chosen.zip(view)) else { return Html::default() };
    // An answer to an earlier choice has other units.
    let page = page.filter(|(_, request)| {
        request.view.spec.by == view.spec.by && request.view.spec.measures == view.spec.measures
    });
    html! {
        <section aria-labelledby="time" {inert}>
            { page.map_or_else(|| html! { <header>{ heading(props, &choices, chosen, &[]) }</header> }, |(page, _)| division(props, &choices, chosen, (&view, page))) }
        </section>
    }
}

/// The title, and the choices of dimension and measure.
fn heading(
    props: &PanelProps,
    choices: &TimeChoices,
    (by, measure): (TimeDimension, TimeMeasure),
    notes: &[String],
) -> Html {
    let dimensions: Vec<_> =
        DIMENSIONS.into_iter().filter(|by| choices.dimension(*by, false).is_some()).collect();
    let measures: Vec<_> = MEASURES.into_iter().filter(|of| choices.measure(by, *of).is_some()).collect();
    let by_names = dimensions.iter().map(|of| words::overview::dimension(*of)).collect();
    let of_names = measures.iter().map(|of| words::overview::measure(*of, choices.rows())).collect();
    let (by_at, of_at) =
        (dimensions.iter().position(|of| *of == by), measures.iter().position(|of| *of == measure));
    let (now, onchange) = (props.state.nav.overview.clone(), props.dispatch_of(Action::Overview));
    let onby = {
        let now = now.clone();
        onchange.reform(move |at: usize| OverviewView { by: dimensions.get(at).copied(), ..now.clone() })
    };
    let onmeasure =
        onchange.reform(move |at: usize| OverviewView { measure: measures.get(at).copied(), ..now.clone() });
    html! {
        <>
            <h2 id="time">{ words::overview::WHERE_THE_TIME_WENT }</h2>
            { select(words::overview::MEASURE, of_names, of_at, onmeasure) }
            { select(words::overview::BY, by_names, by_at, onby) }
            { for notes.iter().map(|note| html! { <p class="whole-line">{ note }</p> }) }
        </>
    }
}

fn select(
    label: &'static str,
    names: Vec<&'static str>,
    chosen: Option<usize>,
    onchange: Callback<usize>,
) -> Html {
    let onchange = onchange.reform(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        usize::try_from(select.selected_index()).unwrap_or(0)
    });
    let option = |(at, name): (usize, &&'static str)| html! { <option selected={Some(at) == chosen}>{ *name }</option> };
    html! { <label class="choice">{ label }<select {onchange}>{ for names.iter().enumerate().map(option) }</select></label> }
}

/// A row of the list: its label, value and number of spans, and the group that it opens.
struct TimePart {
    label: String,
    color: &'static str,
    value: i64,
    count: i64,
    path: Option<Vec<String>>,
    /// Value of the dimension in the group; `None` for spans without a value, and for the rest of the groups.
    of: Option<String>,
}

fn exact(cell: Option<&PivotCell>) -> i64 {
    let number: i128 = cell.and_then(|cell| cell.exact.parse().ok()).unwrap_or(0);
    number.clamp(0, i64::MAX.into()) as i64
}

/// The largest groups, and the rest of the total.
fn parts(page: &PivotPage, by: TimeDimension) -> Vec<TimePart> {
    let label = |label: &str| match label {
        text::NOT_REPORTED => words::overview::without(by).to_owned(),
        label => one_line(label),
    };
    let own = page.rows.iter().zip(RUNS).map(|(row, color)| TimePart {
        label: label(&row.label),
        color,
        value: exact(row.cells.first()),
        count: exact(row.cells.get(1)),
        path: Some(row.path.clone()),
        of: (row.label != text::NOT_REPORTED).then(|| row.label.clone()),
    });
    let mut parts: Vec<TimePart> = own.filter(|part| part.value > 0).collect();
    let rest = |total: usize, of: fn(&TimePart) -> i64| {
        parts.iter().fold(exact(page.total.get(total)), |rest, part| rest.saturating_sub(of(part))).max(0)
    };
    let (value, count) = (rest(0, |part| part.value), rest(1, |part| part.count));
    let left_out = u64::from(page.groups).saturating_sub(parts.len() as u64);
    if left_out > 0 && value > 0 {
        let label = words::overview::others(left_out);
        parts.push(TimePart { label, color: "none", value, count, path: None, of: None });
    }
    parts
}

fn division(
    props: &PanelProps,
    choices: &TimeChoices,
    chosen: (TimeDimension, TimeMeasure),
    (view, page): (&PivotView, &PivotPage),
) -> Html {
    let parts = parts(page, chosen.0);
    let whole = parts.iter().fold(0_i64, |sum, part| sum.saturating_add(part.value));
    let is_without_idle = choices.has_idle && view.spec.filter.ends_with(NOT_IDLE);
    let idle = is_without_idle.then(|| words::overview::WITHOUT_IDLE.to_owned());
    let notes: Vec<String> = page.notes.iter().cloned().chain(idle).collect();
    let heading = heading(props, choices, chosen, &notes);
    if whole == 0 {
        let none = || words::filter::none(words::overview::WHAT, &props.state.nav);
        let reason = page.error.clone().unwrap_or_else(none);
        return html! { <><header>{ heading }</header><p class="muted">{ reason }</p></> };
    }
    let value = match chosen.1 {
        TimeMeasure::Rows => TableCell::count,
        TimeMeasure::Bytes => TableCell::bytes,
        _ => TableCell::time,
    };
    let column = match chosen.1 {
        TimeMeasure::Rows => TableColumn::number,
        TimeMeasure::Bytes => TableColumn::bytes,
        _ => TableColumn::time,
    };
    let onopen = {
        let (dispatch, view) = (props.dispatch.clone(), view.clone());
        move |part: &TimePart| {
            let open = part.path.clone().into_iter().collect();
            opens_pivot(&dispatch, PivotView { open, ..view.clone() })
        }
    };
    // The rows below are the buttons for the keyboard.
    let piece = |part: &TimePart| {
        let width = part.value as f64 / whole as f64 * 100.0;
        let title = words::overview::part(&part.label, part.value as f64 / whole as f64);
        html! { <i style={format!("width:{width:.3}%;background:var(--{})", part.color)} {title} onclick={onopen(part)} /> }
    };
    let bar = html! { <div class="time-bar" role="img" aria-label={words::overview::TIME_BAR}>{ for parts.iter().map(piece) }</div> };
    let dispatch = props.dispatch.clone();
    let attribute = page.dimensions.first().filter(|_| page.has_texts == [true]).cloned();
    let row = move |part: &TimePart| {
        let attribute = attribute.as_deref().filter(|_| part.path.is_some());
        let filter = attribute.map(|name| filter_button(&dispatch, name, part.of.as_deref(), true));
        let shown = html! {
            <><i class="swatch" style={format!("background:var(--{})", part.color)} aria-hidden="true" />{ " " }{ link(&part.label, words::overview::show_spans(&part.label), onopen(part)) }{ filter }</>
        };
        let opening = |cell: TableCell| match part.path {
            Some(_) => cell.link(words::overview::show_spans(&part.label), onopen(part)),
            None => cell,
        };
        TableRow::of(vec![
            TableCell::text(part.label.clone()).shown(shown),
            opening(value(part.value)),
            TableCell::share(part.value, whole),
            opening(TableCell::count(part.count)),
        ])
    };
    let columns = vec![
        TableColumn::text(words::overview::dimension(chosen.0)).characters(48, true),
        column(words::overview::measure_by(chosen.0, chosen.1, choices.rows())),
        TableColumn::share(words::overview::SHARE),
        TableColumn::number(words::overview::SPANS_AND_EVENTS),
    ];
    let rows = TableRows::in_page(parts, row);
    html! {
        <DataTable id="time-part" label={words::overview::WHERE_THE_TIME_WENT} class="framed time-parts" {columns} {rows} heading={TableHeading::section(html! { <>{ heading }{ bar }</> })} />
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn waits_are_offered_for_every_trace_that_has_them() {
        let choices = PivotChoices::default();
        for (waits, server) in [(false, false), (true, false), (false, true), (true, true)] {
            let info = TraceInfo { waits, server, ..TraceInfo::default() };
            let offered = TimeChoices::of(&choices, &info).measure(TimeDimension::Thread, TimeMeasure::Waits);
            assert_eq!(offered.is_some(), waits, "{server}");
        }
    }

    #[wasm_bindgen_test]
    fn idle_time_is_a_kind_and_else_left_out() {
        use TimeDimension::{Kind, Name, Thread};
        use TimeMeasure::{SelfTime, Total};
        let choices = PivotChoices::default();
        for (idle, by, measure, filter) in [
            (true, Name, SelfTime, NOT_IDLE),
            (true, Name, Total, NOT_IDLE),
            (true, Thread, SelfTime, NOT_IDLE),
            (true, Kind, SelfTime, ""),
            (false, Name, SelfTime, ""),
        ] {
            let info = TraceInfo { idle, ..TraceInfo::default() };
            let found = TimeChoices::of(&choices, &info).measure(by, measure);
            assert_eq!(found.map(|found| found.1), Some(filter), "{idle} {by:?} {measure:?}");
        }
    }
}
