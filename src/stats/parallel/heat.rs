//! Heat map of the load of each core and each thread over time.

use super::busy::{Activity, Doing};
use super::{SHOWN, TrackNames};
use crate::protocol::{Heat, HeatRow};
use crate::trace::{EventId, Item, Key, SpanId, Trace, TrackId, TrackKind, attribute_names};

/// Maximum number of columns: more than a screen has pixels.
const COLUMNS: u32 = 8_192;
/// Load of a fully busy core, in the unit of its counter (millionths).
const MILLION: i128 = 1_000_000;

/// Returns the heat map of a time range with `columns` columns: the cores with counters below tracks for which `holds`
/// is true, and the threads that worked in spans for which `counts` is true.
pub fn heat(
    trace: &Trace,
    range: (i64, i64),
    columns: u32,
    holds: impl Fn(TrackId) -> bool,
    counts: impl Fn(SpanId) -> bool,
) -> Heat {
    let axis = HeatColumns { range, columns: columns.clamp(1, COLUMNS) };
    let tracks = (0..trace.tracks.len() as u32).map(TrackId);
    let counters = tracks.filter(|track| trace.tracks.kind(*track) == TrackKind::Counter && holds(*track));
    let cores: Vec<HeatRow> = counters.filter_map(|track| core(trace, track, axis)).collect();
    let activity = Activity::new(trace);
    let threads = activity.threads().filter_map(|track| thread(&activity, track, axis, &counts));
    let threads: Vec<HeatRow> = threads.collect();
    let n_rows = (cores.len() + threads.len()) as u32;
    let mut rows: Vec<HeatRow> = cores.into_iter().chain(threads).take(SHOWN).collect();
    let names = TrackNames::new(trace);
    rows.iter_mut().for_each(|row| row.name = names.of(trace, TrackId(row.track)));
    Heat { start: range.0, end: range.1, columns: axis.columns, rows, n_rows }
}

/// Row of a thread; `None` if it did no work.
fn thread(
    activity: &Activity,
    track: TrackId,
    axis: HeatColumns,
    counts: impl Fn(SpanId) -> bool,
) -> Option<HeatRow> {
    let stretches = activity.stretches(track, axis.range, counts);
    let mut cells = HeatCells::new(axis);
    for stretch in stretches.iter().filter(|stretch| stretch.doing == Doing::Work) {
        cells.add((stretch.start, stretch.end), MILLION);
    }
    // Time in which a thread records no work is idle time, so that all time of a column is known.
    let whole = |column| axis.span(column);
    (!stretches.is_empty()).then(|| cells.row(track, false, |at, _| whole(at)))
}

/// Key of the load counter, if the track is a counter of a core.
fn load_of(trace: &Trace, track: TrackId) -> Option<Key> {
    let name = trace.str(trace.tracks.get(track).name);
    name.strip_prefix(attribute_names::CORE)?.parse::<u32>().ok()?;
    trace.key(name)
}

/// Number of cores that have counters, among the tracks for which `holds` is true.
pub fn n_cores(trace: &Trace, holds: impl Fn(TrackId) -> bool) -> usize {
    let tracks = (0..trace.tracks.len() as u32).map(TrackId);
    let counters = tracks.filter(|track| trace.tracks.kind(*track) == TrackKind::Counter && holds(*track));
    counters.filter(|track| load_of(trace, *track).is_some()).count()
}

/// Row of a core; `None` if the track is not a counter of a core.
fn core(trace: &Trace, track: TrackId, axis: HeatColumns) -> Option<HeatRow> {
    let load = load_of(trace, track)?;
    let (mut cells, mut before) = (HeatCells::new(axis), None);
    for id in trace.tracks.events(track).map(EventId) {
        let now = trace.events.time(id);
        if let Some((before, load)) = before.zip(trace.num(Item::Event(id), load)) {
            cells.add((before, now), i128::from(load).clamp(0, MILLION));
        }
        before = Some(now);
    }
    Some(cells.row(track, true, |_, known| known))
}

/// Time range, divided into columns.
#[derive(Clone, Copy)]
struct HeatColumns {
    range: (i64, i64),
    columns: u32,
}

impl HeatColumns {
    fn length(self) -> i128 {
        (i128::from(self.range.1) - i128::from(self.range.0)).max(0)
    }

    /// Start of a column, in nanoseconds since the start of the range.
    fn edge(self, column: u32) -> i128 {
        self.length() * i128::from(column) / i128::from(self.columns)
    }

    /// Length of a column, in nanoseconds.
    fn span(self, column: u32) -> i128 {
        self.edge(column + 1) - self.edge(column)
    }

    /// Column that contains a moment, in nanoseconds since the start of the range.
    fn column(self, moment: i128) -> u32 {
        // The last column whose start, rounded down, is not after the moment.
        let column = ((moment + 1) * i128::from(self.columns) - 1) / self.length().max(1);
        (column as u32).min(self.columns - 1)
    }
}

/// For each column: time multiplied by load, and the time for which the load is known.
struct HeatCells {
    axis: HeatColumns,
    busy: Vec<(i128, i128)>,
}

impl HeatCells {
    fn new(axis: HeatColumns) -> Self {
        Self { axis, busy: vec![(0, 0); axis.columns as usize] }
    }

    /// Adds a load that lasted from `start` to `end`.
    fn add(&mut self, (start, end): (i64, i64), load: i128) {
        let from = |moment: i64| i128::from(moment) - i128::from(self.axis.range.0);
        let (start, end) = (from(start).max(0), from(end).min(self.axis.length()));
        if end <= start {
            return;
        }
        for column in self.axis.column(start)..=self.axis.column(end - 1) {
            let part = end.min(self.axis.edge(column + 1)) - start.max(self.axis.edge(column));
            let cell = &mut self.busy[column as usize];
            *cell = (cell.0 + part.max(0) * load, cell.1 + part.max(0));
        }
    }

    /// Row without its name. The load of a column is divided by the time that `of` returns for the column's index and
    /// its known time.
    fn row(&self, track: TrackId, is_core: bool, of: impl Fn(u32, i128) -> i128) -> HeatRow {
        let share = |(column, &(busy, known)): (u32, &(i128, i128))| match of(column, known) {
            0 => HeatRow::UNKNOWN,
            whole => (busy * 1000 / (whole * MILLION)).clamp(0, 1000) as u16,
        };
        HeatRow {
            track: track.0,
            name: String::new(),
            is_core,
            busy: (0..).zip(&self.busy).map(share).collect(),
        }
    }
}
