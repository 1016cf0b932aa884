//! Properties of tables with a dimension across, for random traces: each cell equals the table of its column's points,
//! columns add up to the row, and counts equal a count by hand.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::analysis::sample;
use crate::protocol::{PivotColumn, PivotPage, PivotSpec, PivotView, PlainField};
use crate::trace::{EventId, Flags, Item, SpanId, Trace, key};

const MEASURES: [&str; 10] =
    ["count", "sum", "min", "avg", "max", "p50", "p95", "sum(self)", "sum(reading time)", "count(rows read)"];
/// Indices of the measures whose value columns add up to the row total.
const ADDITIVE: [usize; 5] = [0, 1, 7, 8, 9];
const ROWS: [&str; 7] = ["", "name", "kind", "name,kind", "name[ 1],status", "track", "start[10ns]"];
const ACROSS: [&str; 8] =
    ["name", "kind", "name[ 1][#]", "track", "start[3ns]", "duration[log]", "rows read", "SQL[shape]"];
const RANGES: [Option<(i64, i64)>; 3] = [None, Some((0, 9)), Some((5, 30))];

fn view(by: &str, across: &str, range: Option<(i64, i64)>) -> PivotView {
    let by = by.to_owned();
    let across = across.to_owned();
    let measures = MEASURES.join(",");
    PivotView {
        spec: PivotSpec { by, across, measures, range, ..PivotSpec::default() },
        ..PivotView::default()
    }
}

fn table(trace: &Trace, pivot: &mut Pivot, view: &PivotView) -> Vec<Vec<PlainField>> {
    let mut rows: Vec<Vec<PlainField>> = Vec::new();
    pivot.each(trace, view, false, &mut |fields| rows.push(fields.to_vec())).expect("it is understood");
    rows
}

/// The amounts of each row, keyed by the values of its dimensions.
fn by_values(rows: &[Vec<PlainField>], depth: usize) -> BTreeMap<Vec<PlainField>, Vec<PlainField>> {
    rows.iter().skip(1).map(|row| (row[..depth].to_vec(), row[depth..].to_vec())).collect()
}

fn number(field: &PlainField) -> Option<i128> {
    match field {
        PlainField::Number(digits) => Some(digits.parse().expect("a whole number")),
        _ => None,
    }
}

/// The amounts of a cell without points.
fn nothing() -> Vec<PlainField> {
    let counts = |measure: &&str| measure.starts_with("count");
    let zero = |measure| if counts(&measure) { PlainField::Number("0".to_owned()) } else { PlainField::None };
    MEASURES.into_iter().map(zero).collect()
}

/// Items with times close together, so that no time equals the code for "not reported".
fn near_items() -> impl Strategy<Value = Vec<sample::Odd>> {
    let item = (any::<u8>(), -20_i64..50, 0_i64..30, any::<u16>(), any::<u8>());
    proptest::collection::vec(item, 0..60)
}

proptest! {
    /// Compares cells with a table that has the dimension as its last row dimension; compares the column `all` and the order
    /// of columns with tables without a dimension across.
    #[test]
    fn a_cell_is_the_group_by_one_more_dimension(
        items in sample::odd_items(),
        by in proptest::sample::select(ROWS.to_vec()),
        across in proptest::sample::select(ACROSS.to_vec()),
        range in proptest::sample::select(RANGES.to_vec()),
        before in proptest::sample::select(ROWS.to_vec()),
    ) {
        let trace = sample::odd_trace(&items);
        let (mut warm, mut fresh) = (Pivot::default(), Pivot::default());
        warm.page(&trace, &view(before, "", range), 0, 100);
        warm.page(&trace, &view(by, "kind", None), 0, 100);
        let asked = view(by, across, range);
        let page = fresh.page(&trace, &asked, 0, 100);
        prop_assert_eq!(format!("{page:?}"), format!("{:?}", warm.page(&trace, &asked, 0, 100)));
        let depth = page.dimensions.len();
        let rows = table(&trace, &mut fresh, &asked);
        prop_assert_eq!(&rows, &table(&trace, &mut warm, &asked));
        let found = by_values(&rows, depth);

        // The column `all` equals the table without a dimension across.
        let without = by_values(&table(&trace, &mut Pivot::default(), &view(by, "", range)), depth);
        let n = MEASURES.len();
        let all: BTreeMap<_, _> = found.iter().map(|(row, cells)| (row.clone(), cells[cells.len() - n..].to_vec())).collect();
        prop_assert_eq!(&all, &without);

        // The values with a column each, by total.
        let totals = table(&trace, &mut Pivot::default(), &view(across, "", range));
        let mut totals: Vec<(i128, PlainField)> = totals.iter().skip(1).map(|row| (number(&row[1]).expect("a count"), row[0].clone())).collect();
        let has_none = totals.iter().any(|(_, value)| *value == PlainField::None);
        totals.retain(|(_, value)| *value != PlainField::None);
        // Equal totals are in the order of labels: the table is sorted by label, and the sort is stable.
        totals.sort_by_key(|(total, _)| -total);
        let shown: Vec<PlainField> = totals.iter().take(12).map(|(_, value)| value.clone()).chain(has_none.then_some(PlainField::None)).collect();
        let n_others = totals.len().saturating_sub(12);
        let columns = shown.len() + usize::from(n_others > 0);
        prop_assert_eq!(page.columns.len(), if totals.is_empty() && !has_none { 1 } else { columns + 1 });
        let is_others = page.columns.iter().any(|(column, label)| *column == PivotColumn::Others && *label == format!("others ({n_others})"));
        prop_assert_eq!(is_others, n_others > 0);

        // Each cell of a value, and the sum over all columns.
        if by.split(',').any(|dimension| dimension == across) {
            // A table by both would contain the dimension only once.
            return Ok(());
        }
        let joined = format!("{by},{across}");
        let fine = by_values(&table(&trace, &mut Pivot::default(), &view(&joined, "", range)), depth + 1);
        for (row, cells) in &found {
            for (value, cells) in shown.iter().zip(cells.chunks(n)) {
                let of_cell = [row.clone(), vec![value.clone()]].concat();
                prop_assert_eq!(cells, fine.get(&of_cell).cloned().unwrap_or_else(nothing), "{:?}", of_cell);
            }
            for at in ADDITIVE {
                let sum: i128 = cells[..cells.len() - n].iter().skip(at).step_by(n).filter_map(number).sum();
                prop_assert_eq!(sum, number(&cells[cells.len() - n + at]).unwrap_or(0), "{} of {:?}", MEASURES[at], row);
            }
        }
    }

    /// Durations, counted span by span; also with more values than columns.
    #[test]
    fn cells_are_what_a_brute_force_counts(items in near_items(), width in 1_i64..9) {
        let trace = sample::odd_trace(&items);
        // By name and step: the duration of each span, and `None` for each event.
        let mut by_hand: BTreeMap<(String, i64), Vec<Option<i64>>> = BTreeMap::new();
        let mut totals: BTreeMap<i64, i64> = BTreeMap::new();
        let spans = (0..trace.spans.len() as u32).map(SpanId).filter(|&id| !trace.spans.flags(id).has(Flags::SEGMENT));
        let spans = spans.map(|id| (Item::Span(id), Some(trace.duration(id))));
        let events = (0..trace.events.len() as u32).map(|id| (Item::Event(EventId(id)), None));
        for (item, duration) in spans.chain(events) {
            let (start, name) = (trace.interval(item).0, trace.str(trace.name(item)).to_owned());
            let step = start.saturating_sub(start.rem_euclid(width));
            by_hand.entry((name, step)).or_default().push(duration);
            *totals.entry(step).or_default() += 1;
        }
        let mut asked = view("name", &format!("start[{width}ns]"), None);
        asked.spec.measures = "count,sum,p50,max".to_owned();
        let mut steps: Vec<i64> = totals.keys().copied().collect();
        steps.sort_by_key(|step| -totals[step]);
        let (shown, others) = steps.split_at(steps.len().min(12));
        let mut columns: Vec<&[i64]> = shown.chunks(1).collect();
        columns.extend((!others.is_empty()).then_some(others));
        columns.push(&steps);
        let rows = table(&trace, &mut Pivot::default(), &asked);
        for row in rows.iter().skip(1) {
            let PlainField::Text(name) = &row[0] else { panic!("{row:?} has no name") };
            let mut expected = Vec::new();
            for steps in &columns {
                let of_step = steps.iter().filter_map(|step| by_hand.get(&(name.clone(), *step)));
                let points: Vec<Option<i64>> = of_step.flatten().copied().collect();
                let mut durations: Vec<i64> = points.iter().flatten().copied().collect();
                durations.sort_unstable();
                let middle = durations.len().div_ceil(2).checked_sub(1).map(|at| i128::from(durations[at]));
                let sum = durations.last().map(|_| durations.iter().map(|&d| i128::from(d)).sum());
                let count = Some(points.len() as i128);
                expected.extend([count, sum, middle, durations.last().map(|&last| i128::from(last))]);
            }
            prop_assert_eq!(row[1..].iter().map(number).collect::<Vec<_>>(), expected, "{}", name);
        }
    }

    /// Any column can sort the rows; points of opened groups show their numbers only in the column of their value.
    #[test]
    fn any_column_orders_the_rows(items in sample::odd_items(), measure in 0..MEASURES.len(), column in 0_usize..15, descending in any::<bool>()) {
        let trace = sample::odd_trace(&items);
        let mut pivot = Pivot::default();
        let plain = view("name", "kind", None);
        let page = pivot.page(&trace, &plain, 0, 100);
        let Some((column_key, _)) = page.columns.get(column % page.columns.len()).cloned() else { return Ok(()) };
        let sorted = PivotView { sort: Some(measure as u32), column: column_key, descending, ..plain };
        let page = pivot.page(&trace, &sorted, 0, 100);
        let at = column % page.columns.len() * MEASURES.len() + measure;
        prop_assert_eq!(page.sort, Some(at as u32));
        let amounts: Vec<i128> = page.rows.iter().map(|row| row.cells[at].exact.parse().unwrap_or(i128::MIN)).collect();
        prop_assert!(if descending { amounts.is_sorted_by(|a, b| a >= b) } else { amounts.is_sorted() }, "{:?}", amounts);
        let Some(open) = page.rows.first().map(|row| row.path.clone()) else { return Ok(()) };
        let opened = pivot.page(&trace, &PivotView { open: vec![open], ..sorted }, 0, 100);
        for row in opened.rows.iter().filter(|row| row.item.is_some()) {
            points_stand_in_their_column(&trace, &opened, row);
        }
    }
}

fn points_stand_in_their_column(trace: &Trace, page: &PivotPage, row: &crate::protocol::PivotRow) {
    let item = Item::from_code(row.item.expect("a point"));
    let kind = trace.kind(item).name();
    let duration = if let Item::Span(id) = item { trace.duration(id).to_string() } else { String::new() };
    let value = PivotColumn::Value(kind.to_owned());
    let has_column = page.columns.iter().any(|(column, _)| *column == value);
    let own = if has_column { value } else { PivotColumn::Others };
    for ((column, _), cells) in page.columns.iter().zip(row.cells.chunks(MEASURES.len())) {
        let is_own = *column == PivotColumn::All || *column == own;
        // The sum, minimum, average, maximum and percentiles of one duration are this duration.
        for cell in &cells[1..7] {
            assert_eq!(cell.exact, if is_own { duration.as_str() } else { "" }, "{column:?}");
        }
        assert_eq!(cells[7].exact.is_empty(), !is_own || duration.is_empty(), "self time, {column:?}");
        if !is_own {
            assert!(cells.iter().all(|cell| cell.exact.is_empty()), "{column:?}: {cells:?}");
        }
    }
    let sums: Vec<&str> =
        row.cells.iter().skip(8).step_by(MEASURES.len()).map(|cell| &cell.exact[..]).collect();
    let reported = trace.num(item, key::READ_TIME);
    assert!(sums.iter().filter(|sum| !sum.is_empty()).count() <= 2 * usize::from(reported.is_some()));
}

#[test]
fn what_is_wrong_with_it_is_said_as_of_rows() {
    let trace = sample::trace();
    for (across, part) in [
        ("dance", "unknown field “dance”"),
        ("name[/0]", "unknown projection"),
        ("name, kind", "columns by at most one dimension, not 2"),
    ] {
        let page = Pivot::default().page(&trace, &view("kind", across, None), 0, 9);
        assert!(page.error.as_ref().is_some_and(|error| error.contains(part)), "{across}: {:?}", page.error);
    }
    // Without measures there are no columns.
    let mut none = view("kind", "name", None);
    none.spec.measures.clear();
    let page = Pivot::default().page(&trace, &none, 0, 9);
    assert!(page.error.is_none() && page.rows.iter().all(|row| row.cells.is_empty()));
}

#[test]
fn columns_have_heads() {
    let trace = sample::trace();
    let mut asked = view("kind", "name", None);
    asked.spec.measures = "count,sum".to_owned();
    asked.spec.filter = "kind = query".to_owned();
    let csv = Pivot::default().csv(&trace, &asked).expect("it is understood");
    let head = csv.lines().next().expect("a head");
    assert_eq!(
        head,
        "kind,DELETE FROM u / count,\"DELETE FROM u / duration, sum (ns)\",SELECT a FROM t WHERE x = 'two' / count,\
         \"SELECT a FROM t WHERE x = 'two' / duration, sum (ns)\",SELECT a FROM t WHERE x = 1 / count,\
         \"SELECT a FROM t WHERE x = 1 / duration, sum (ns)\",all / count,\"all / duration, sum (ns)\""
    );
}

#[test]
fn a_cell_without_points_counts_nothing_and_reports_nothing() {
    let mut asked = view("name", "kind", None);
    asked.spec.measures = "count,sum,count(rows read),p50".to_owned();
    asked.spec.filter = "kind = query".to_owned();
    asked.spec.across = "name".to_owned();
    let page = Pivot::default().page(&sample::trace(), &asked, 0, 9);
    let cells: Vec<&str> = page.rows[0].cells[4..8].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(cells, ["0", "–", "0", "–"]);
}
