//! How long a pivot table takes: of the points, and rolled up from a finer one. A million points are to answer in 200 ms,
//! a roll-up in 50.

use divan::Bencher;
use queryscope::internal::pivot::Pivot;
use queryscope::internal::testing;
use queryscope::protocol::{PivotSpec, PivotView};

const SPANS: [u32; 3] = [10_000, 100_000, 1_000_000];
/// Spans of each generated query.
const PER_QUERY: u32 = 6;

fn main() {
    divan::main();
}

fn view(by: &str) -> PivotView {
    let (by, measures) = (by.to_owned(), "count,sum,max,p95".to_owned());
    PivotView { spec: PivotSpec { by, measures, ..PivotSpec::default() }, ..PivotView::default() }
}

/// Every attribute is read for the first time.
#[divan::bench(args = SPANS, sample_count = 10, sample_size = 1)]
fn of_points(bencher: Bencher, spans: u32) {
    let trace = testing::queries(spans / PER_QUERY);
    bencher
        .with_inputs(Pivot::default)
        .bench_local_values(|mut pivot| pivot.page(&trace, &view("kind,in connector,name"), 0, 50));
}

/// Times are clipped to a range, and rows are counted at one level.
#[divan::bench(args = SPANS, sample_count = 10, sample_size = 1)]
fn of_a_range(bencher: Bencher, spans: u32) {
    let trace = testing::queries(spans / PER_QUERY);
    let spec = PivotSpec {
        by: "kind,in connector,name".to_owned(),
        measures: "count,sum,sum(self),p95,sum(rows read)".to_owned(),
        range: Some((trace.end() / 8, trace.end())),
        ..PivotSpec::default()
    };
    let view = PivotView { spec, ..PivotView::default() };
    bencher.with_inputs(Pivot::default).bench_local_values(|mut pivot| pivot.page(&trace, &view, 0, 50));
}

#[divan::bench(args = SPANS, sample_count = 10, sample_size = 1)]
fn roll_up(bencher: Bencher, spans: u32) {
    let trace = testing::queries(spans / PER_QUERY);
    let finer = || {
        let mut pivot = Pivot::default();
        pivot.page(&trace, &view("kind,in connector,name"), 0, 50);
        pivot
    };
    bencher.with_inputs(finer).bench_local_values(|mut pivot| pivot.page(&trace, &view("kind,name"), 0, 50));
}
