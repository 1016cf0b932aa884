//! A chart of two columns of a result: bars of texts, points of numbers, or a line where the numbers to the right ascend.

use std::fmt::Write;

use datafusion::arrow::datatypes::Field;
use queryscope::internal::text;
use queryscope::protocol::{SqlChart, SqlChartBar, SqlChartPlot};
use queryscope_sql::cells::{self, Cell};
use queryscope_sql::schema::UNIT;
use queryscope_sql::statement::{QueryError, ResultRows};

/// Maximum length of a bar's label, in bytes.
const LONGEST: usize = 200;
/// Functions whose values have the unit of their argument.
const KEEPING: [&str; 6] = ["sum", "avg", "min", "max", "median", "approx_median"];

/// Unit of a column's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ColumnUnit {
    Nanos,
    Bytes,
    /// None, or one that numbers are written without.
    Plain,
}

/// The columns of the first chart: the first texts and the first numbers that are neither ids nor points in time, or else two columns
/// of numbers.
pub fn first_columns(rows: &ResultRows) -> Option<(u32, u32)> {
    let fields = || (0..).zip(rows.schema.fields());
    let numbers = || fields().filter(|(_, field)| cells::is_number(field.data_type()));
    let is_id = |field: &Field| field.name().ends_with("_id");
    let texts = fields().find(|(_, field)| !cells::is_number(field.data_type()));
    let amounts: Vec<u32> = numbers().filter(|(_, field)| !is_id(field)).map(|(at, _)| at).collect();
    let last = numbers().last()?.0;
    let is_time = |at: &&u32| {
        let name = rows.schema.field(**at as usize).name();
        ["start", "end_ns", "time_ns"].iter().any(|time| name.starts_with(time))
    };
    match (texts, &amounts[..]) {
        (Some((text, _)), [amount, ..]) => {
            Some((text, *amounts.iter().find(|at| !is_time(at)).unwrap_or(amount)))
        }
        (Some((text, _)), []) => Some((text, last)),
        (None, [first, second, ..]) => Some((*first, *second)),
        (None, _) => Some((numbers().next()?.0, *amounts.first().unwrap_or(&last))),
    }
}

/// Draws two columns.
///
/// # Errors
/// If there are no such columns, or the second one holds no numbers.
pub fn chart(rows: &ResultRows, columns: (u32, u32)) -> Result<SqlChart, QueryError> {
    let places = [columns.0 as usize, columns.1 as usize];
    let [Some(x), Some(y)] = places.map(|at| rows.schema.fields().get(at)) else {
        return Err(QueryError::new("The result has no such column."));
    };
    if !cells::is_number(y.data_type()) {
        return Err(QueryError::new(format!("“{}” holds no numbers.", y.name())));
    }
    let mut pairs = Vec::new();
    let wrong = |error: &dyn std::fmt::Display| QueryError::new(error.to_string());
    let schema = rows.schema.project(&places).map_err(|error| wrong(&error))?;
    let batches = rows.batches.iter().map(|batch| batch.project(&places)).collect::<Result<_, _>>();
    let batches = batches.map_err(|error| wrong(&error))?;
    for row in cells::rows(&ResultRows { schema: schema.into(), batches, is_cut: false }) {
        let mut row = row.map_err(|error| wrong(&error))?.into_iter();
        pairs.extend(row.next().zip(row.next()));
    }
    let of_numbers = cells::is_number(x.data_type());
    let chart = if of_numbers { plot(&pairs, [unit(x), unit(y)]) } else { bars(pairs, unit(y)) };
    Ok(SqlChart { columns, ..chart })
}

fn bars(pairs: Vec<(Cell, Cell)>, unit: ColumnUnit) -> SqlChart {
    let all = pairs.len();
    let mut found = Vec::new();
    for (label, value) in pairs {
        if let (Some(number), Cell::Number(digits)) = (number(&value), value) {
            let label =
                label.into_text().map_or_else(|| "NULL".to_owned(), |label| text::shortened(&label, LONGEST));
            found.push((label, written(&digits, number, unit), number));
        }
    }
    let absent = all - found.len();
    let more = found.len().saturating_sub(SqlChart::MOST_BARS);
    found.truncate(SqlChart::MOST_BARS);
    let least = found.iter().map(|bar| bar.2).fold(0.0, f64::min);
    let length = found.iter().map(|bar| bar.2).fold(0.0, f64::max) - least;
    let percent = |number: f64| if length > 0.0 { (number / length * 100.0) as f32 } else { 0.0 };
    let rows = found.len() as u32;
    let bar = |(label, value, number): (String, String, f64)| SqlChartBar {
        label,
        value,
        from: percent(number.min(0.0) - least),
        width: percent(number.abs()),
    };
    let bars = found.into_iter().map(bar).collect();
    SqlChart { bars, rows, absent: absent as u32, more: more as u32, ..SqlChart::default() }
}

fn plot(pairs: &[(Cell, Cell)], [across, upwards]: [ColumnUnit; 2]) -> SqlChart {
    let points: Vec<(f64, f64)> = pairs.iter().filter_map(|(x, y)| Some((number(x)?, number(y)?))).collect();
    let limits = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        })
    };
    let absent = (pairs.len() - points.len()) as u32;
    if points.is_empty() {
        return SqlChart { absent, ..SqlChart::default() };
    }
    let (left, right) = limits(&mut points.iter().map(|point| point.0));
    let (low, high) = limits(&mut points.iter().map(|point| point.1));
    // Lengths are compared from zero.
    let (low, high) = (low.min(0.0), high.max(0.0));
    let (width, height) = SqlChartPlot::SIZE;
    let cell = |value: f64, (from, to): (f64, f64), cells: u16| {
        let share = if to > from { value / (to - from) - from / (to - from) } else { 0.5 };
        (share.clamp(0.0, 1.0) * f64::from(cells)).round() as u16
    };
    let place = |point: &(f64, f64)| {
        (cell(point.0, (left, right), width), height - cell(point.1, (low, high), height))
    };
    let is_line = points.len() > 2 && points.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let places: Vec<(u16, u16)> = points.iter().map(place).collect();
    let path = if is_line { line(&places) } else { dots(places) };
    let end = |number: f64, unit| written("", number, unit);
    let plot = SqlChartPlot {
        path,
        is_line,
        across: (end(left, across), end(right, across)),
        upwards: (end(low, upwards), end(high, upwards)),
    };
    SqlChart { plot: Some(plot), rows: points.len() as u32, absent, ..SqlChart::default() }
}

/// A path with a line of length 0 at each place, without duplicates. Style sheets draw the ends of such lines as points of constant size.
fn dots(mut places: Vec<(u16, u16)>) -> String {
    places.sort_unstable();
    places.dedup();
    let mut path = String::new();
    for (x, y) in places {
        // Writing to a string cannot fail.
        let _ = write!(path, "M{x} {y}h0");
    }
    path
}

/// A line through the places. Of those in one column, the first, the highest, the lowest and the last are enough.
fn line(places: &[(u16, u16)]) -> String {
    let mut path = String::new();
    for column in places.chunk_by(|a, b| a.0 == b.0) {
        let heights = || column.iter().map(|place| place.1);
        let ends = [column.first().map(|place| place.1), heights().min(), heights().max()];
        let last = column.last().map(|place| place.1);
        let mut before = None;
        for y in ends.into_iter().chain([last]).flatten().filter(|y| before.replace(*y) != Some(*y)) {
            let sign = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{sign}{} {y}", column[0].0);
        }
    }
    path
}

fn number(cell: &Cell) -> Option<f64> {
    let Cell::Number(digits) = cell else { return None };
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Unit of a column: that of the trace's column, or the one that its name ends with, also inside of a function.
fn unit(field: &Field) -> ColumnUnit {
    let name = field.name();
    let argument = name.strip_suffix(')').and_then(|name| name.split_once('('));
    let inner = argument.filter(|(function, _)| KEEPING.contains(function)).map(|(_, inner)| inner);
    let name = inner.unwrap_or(name);
    match field.metadata().get(UNIT).map(String::as_str) {
        Some("nanoseconds") => ColumnUnit::Nanos,
        Some("bytes") => ColumnUnit::Bytes,
        _ if name.ends_with("_ns") => ColumnUnit::Nanos,
        _ if name == "bytes" || name.ends_with("_bytes") || name.ends_with(".bytes") => ColumnUnit::Bytes,
        _ => ColumnUnit::Plain,
    }
}

/// A number with its unit; `digits` are those of the result, where they are known.
fn written(digits: &str, number: f64, unit: ColumnUnit) -> String {
    let whole = digits.parse().unwrap_or(number.round() as i64);
    match unit {
        ColumnUnit::Nanos => text::duration(whole),
        ColumnUnit::Bytes => text::bytes(whole),
        ColumnUnit::Plain if number.fract() == 0.0 && number.abs() < 9e18 => text::count(whole),
        ColumnUnit::Plain => text::ratio(number),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};

    use super::*;

    fn rows(columns: Vec<(&str, ArrayRef)>) -> ResultRows {
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        ResultRows { schema: batch.schema(), batches: vec![batch], is_cut: false }
    }

    fn texts(values: &[Option<&str>]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    fn numbers(values: &[Option<i64>]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    #[test]
    fn bars_have_their_length_from_zero() {
        let names = texts(&[Some("a"), None, Some("c"), Some("d")]);
        let amounts = numbers(&[Some(3_000), Some(-1_000), None, Some(0)]);
        let rows = rows(vec![("name", names), ("sum(spans.duration_ns)", amounts)]);
        assert_eq!(first_columns(&rows), Some((0, 1)));
        let chart = chart(&rows, (0, 1)).expect("bars");
        let bars: Vec<_> = chart
            .bars
            .iter()
            .map(|bar| (bar.label.as_str(), bar.value.as_str(), bar.from, bar.width))
            .collect();
        let expected =
            [("a", "3.000 µs", 25.0, 75.0), ("NULL", "−1.000 µs", 0.0, 25.0), ("d", "0 ns", 25.0, 0.0)];
        assert_eq!(bars, expected);
        assert_eq!((chart.rows, chart.absent, chart.more), (3, 1, 0));
    }

    #[test]
    fn bars_are_limited_and_say_so() {
        let count = SqlChart::MOST_BARS + 5;
        let names = vec![Some("x"); count];
        let amounts: Vec<Option<i64>> = (0..count as i64).map(Some).collect();
        let chart = chart(&rows(vec![("n", texts(&names)), ("m", numbers(&amounts))]), (0, 1)).expect("bars");
        assert_eq!((chart.bars.len(), chart.rows, chart.more), (SqlChart::MOST_BARS, chart.rows, 5));
    }

    #[test]
    fn numbers_are_points_or_a_line() {
        let check = |x: &[Option<i64>], y: &[Option<i64>], path: &str, absent: u32| {
            let rows = rows(vec![("start_ns", numbers(x)), ("bytes", numbers(y))]);
            let chart = chart(&rows, (0, 1)).expect("a plot");
            let plot = chart.plot.expect("a plot");
            assert_eq!((plot.path.as_str(), chart.absent), (path, absent), "{x:?} {y:?}");
            plot
        };
        let plot =
            check(&[Some(10), Some(20), Some(30)], &[Some(0), Some(60), Some(120)], "M0 120L240 60L480 0", 0);
        let ends = |ends: (&str, &str)| (ends.0.to_owned(), ends.1.to_owned());
        assert!(plot.is_line);
        assert_eq!((plot.across, plot.upwards), (ends(("10 ns", "30 ns")), ends(("0 B", "120 B"))));
        // Two rows at one place are one mark; a row without a number is counted.
        let same = [Some(10), Some(30), Some(30), None, Some(20)];
        let plot = check(&same, &[Some(0), Some(120), Some(120), Some(5), None], "M0 120h0M480 0h0", 2);
        assert!(!plot.is_line);
        // One value has no length.
        check(&[Some(7)], &[Some(0)], "M240 60h0", 0);
    }

    #[test]
    fn lines_of_many_rows_keep_their_peaks() {
        let n = 100_000;
        let x: Vec<Option<i64>> = (0..n).map(Some).collect();
        let y: Vec<Option<i64>> = (0..n).map(|at| Some(if at == 77_777 { 1_000 } else { at % 3 })).collect();
        let plot = chart(&rows(vec![("x", numbers(&x)), ("y", numbers(&y))]), (0, 1)).expect("a line").plot;
        let plot = plot.expect("a line");
        let vertices = plot.path.matches(['M', 'L']).count();
        assert!(plot.is_line && vertices <= 4 * usize::from(SqlChartPlot::SIZE.0 + 1), "{vertices}");
        assert!(plot.path.contains(&format!("L{} 0", (77_777.0_f64 / 99_999.0 * 480.0).round())));
    }

    #[test]
    fn columns_are_chosen_and_refused() {
        let text = || texts(&[Some("a")]);
        let number = || numbers(&[Some(1)]);
        for (columns, expected) in [
            (vec![("a", text())], None),
            (vec![("span_id", number()), ("name", text()), ("duration_ns", number())], Some((1, 2))),
            (vec![("span_id", number()), ("name", text())], Some((1, 0))),
            (vec![("name", text()), ("start_ns", number()), ("duration_ns", number())], Some((0, 2))),
            (
                vec![
                    ("name", text()),
                    ("start_ns", number()),
                    ("end_ns", number()),
                    ("duration_ns", number()),
                ],
                Some((0, 3)),
            ),
            (vec![("name", text()), ("start_ns", number())], Some((0, 1))),
            (vec![("start_ns", number()), ("duration_ns", number())], Some((0, 1))),
            (vec![("span_id", number()), ("duration_ns", number())], Some((0, 1))),
            (vec![("n", number())], Some((0, 0))),
        ] {
            assert_eq!(first_columns(&rows(columns)), expected);
        }
        let rows = rows(vec![("a", text()), ("n", number())]);
        for (columns, part) in [((0, 0), "“a” holds no numbers"), ((0, 9), "no such column")] {
            assert!(chart(&rows, columns).is_err_and(|error| error.text.contains(part)));
        }
    }

    #[test]
    fn units_follow_columns_and_functions() {
        let unit_of =
            |name: &str| unit(&Field::new(name, datafusion::arrow::datatypes::DataType::Int64, true));
        for (name, expected) in [
            ("duration_ns", ColumnUnit::Nanos),
            ("avg(spans.duration_ns)", ColumnUnit::Nanos),
            ("count(spans.duration_ns)", ColumnUnit::Plain),
            ("sum(events.bytes)", ColumnUnit::Bytes),
            ("buffer_bytes", ColumnUnit::Bytes),
            ("n", ColumnUnit::Plain),
        ] {
            assert_eq!(unit_of(name), expected, "{name}");
        }
        let float: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), Some(f64::NAN)]));
        let chart =
            chart(&rows(vec![("a", texts(&[Some("x"), Some("y")])), ("f", float)]), (0, 1)).expect("bars");
        assert_eq!((chart.bars.len(), chart.absent), (1, 1));
    }
}
