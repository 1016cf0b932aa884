//! [`WarmUpReading`]: runs synthetic records through the whole engine before the user opens a file.
//!
//! A browser optimises a function only after it has run for a while, which otherwise would slow down reading the first trace.
//! There is time for that after the page was loaded and before a file is opened.

use super::Session;
use crate::import::FORMATS;
use crate::import::WarmUpScript;
use crate::pivot::{self, Pivot};
use crate::protocol::{
    AnyRequest, Arrangement, ColorBy, LegendRequest, MinimapRequest, PivotSpec, PivotView, QueryList,
    QueryListRequest, SceneRequest, ViewKind, ViewSpec, Viewport,
};

/// Number of passes over all formats: several short passes warm up every format early.
const TURNS: u32 = 4;
/// Number of times that the records of a format are read in each turn: enough for a browser's compiler to optimise the code.
const ROUNDS: u32 = 120;
/// Number of times that the scene is built in each turn.
const SHOWS: u32 = 4;

/// Reads the synthetic records of all formats that have any.
#[derive(Default)]
pub struct WarmUpReading {
    session: Session,
    turn: u32,
    format: usize,
    round: u32,
}

impl WarmUpReading {
    /// Performs a small part of the work, at most some milliseconds. Returns true if work remains.
    pub fn step(&mut self) -> bool {
        if self.turn == TURNS {
            return false;
        }
        let Some(format) = FORMATS.get(self.format) else {
            *self = Self { turn: self.turn + 1, ..Self::default() };
            return true;
        };
        let script = format.warm_up_script();
        if script.is_empty() || self.round == ROUNDS + SHOWS {
            *self = Self { turn: self.turn, format: self.format + 1, ..Self::default() };
            return true;
        }
        if self.round == 0 {
            self.session = begun(&script);
        }
        self.round += 1;
        if self.round > ROUNDS {
            self.show();
        } else {
            self.session.push(numbered(script.records, self.round).as_bytes());
        }
        true
    }

    /// Sends the requests that the page sends when there is a new trace.
    fn show(&mut self) {
        self.session.build();
        self.session.draw_ahead();
        let end = self.session.trace().end();
        let view = ViewSpec::new(ViewKind::Gantt(Arrangement::Packed), ColorBy::Kind);
        let viewport = Viewport { start: 0, end, width: 1_000.0, top: 0.0, height: 800.0 };
        for request in [
            AnyRequest::from(SceneRequest { view, viewport }),
            MinimapRequest { width: 1_000 }.into(),
            LegendRequest { color: ColorBy::Kind }.into(),
            QueryListRequest { list: QueryList::default(), first: 0, count: 32 }.into(),
        ] {
            self.session.answer_any(&request);
        }
    }
}

/// Default pivot tables, and changes that users make to them: further dimension, measures, filter. If a trace lacks an
/// attribute, the table has an error, which costs nothing.
const TABLES: [(&str, &str, &str); 4] = [
    ("", "count, sum, sum(self time), avg, p95, max", ""),
    ("", "server count, server sum, server avg, p95(self time)", ""),
    (", kind", "count, p99", "duration > 10us"),
    (", kind", "count, sum", "e"),
];

/// Computes pivot tables of the synthetic records. These are not needed before there is a trace.
pub struct WarmUpTables {
    session: Session,
    /// Number of remaining formats. The last format comes first, because it has most to warm up.
    formats: usize,
    /// Remaining dimensions by which the records are grouped.
    dimensions: Vec<String>,
}

impl Default for WarmUpTables {
    fn default() -> Self {
        Self { session: Session::default(), formats: FORMATS.len(), dimensions: Vec::new() }
    }
}

impl WarmUpTables {
    /// Performs a small part of the work. Returns true if work remains.
    pub fn step(&mut self) -> bool {
        if let Some(dimension) = self.dimensions.pop() {
            self.group(&dimension);
            return true;
        }
        self.session = Session::default();
        let Some(left) = self.formats.checked_sub(1) else { return false };
        self.formats = left;
        let script = FORMATS[left].warm_up_script();
        if !script.is_empty() {
            self.session = begun(&script);
            (1..=ROUNDS).for_each(|round| self.session.push(numbered(script.records, round).as_bytes()));
            self.session.build();
            let choices = pivot::choices(self.session.trace()).dimensions;
            let names = choices.into_iter().flat_map(|(_, names)| names);
            self.dimensions = names.filter(|name| !name.contains('[')).collect();
        }
        true
    }

    /// Computes the tables of a dimension without cached results.
    fn group(&self, dimension: &str) {
        let mut pivot = Pivot::default();
        for (further, measures, filter) in TABLES {
            let (by, measures) = (format!("{dimension}{further}"), measures.to_owned());
            let spec = PivotSpec { by, measures, filter: filter.to_owned(), ..PivotSpec::default() };
            pivot.page(self.session.trace(), &PivotView { spec, ..PivotView::default() }, 0, 50);
        }
    }
}

/// Creates a session with an open file that expects the records of a script.
fn begun(script: &WarmUpScript) -> Session {
    let mut session = Session::default();
    session.open("warm-up");
    session.push(script.opening.as_bytes());
    session
}

/// Returns the records with every `#` replaced by the number of the round, in seven digits.
fn numbered(records: &str, round: u32) -> String {
    records.replace('#', &format!("{round:07}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rehearsed_is_what_is_read() {
        let mut formats = 0;
        for format in FORMATS {
            let script = format.warm_up_script();
            if script.is_empty() {
                continue;
            }
            formats += 1;
            let mut session = begun(&script);
            (1..=3).for_each(|round| session.push(numbered(script.records, round).as_bytes()));
            session.close(None);
            session.build();
            let [report] = &session.report()[..] else { panic!("{} files", session.report().len()) };
            assert!(
                report.format.starts_with(format.about().name),
                "{} is taken for {}",
                format.about().id,
                report.format
            );
            let problems: Vec<_> = report.problems.iter().map(|problem| &problem.name).collect();
            assert!(problems.is_empty(), "{}: {problems:?}", format.about().id);
            assert!(session.n_records() >= 3 * script.records.lines().count() as u64);
        }
        assert!(formats >= 2);
    }

    #[test]
    fn a_rehearsal_ends() {
        let mut warm_up = WarmUpReading::default();
        let steps = std::iter::from_fn(|| warm_up.step().then_some(())).count();
        assert!(steps > (TURNS * ROUNDS) as usize);
    }

    #[test]
    fn tables_are_made_of_every_format() {
        let (mut tables, mut made) = (WarmUpTables::default(), Vec::new());
        while tables.step() {
            if let Some(dimension) = tables.dimensions.last() {
                let spec =
                    PivotSpec { by: dimension.clone(), measures: TABLES[0].1.into(), ..PivotSpec::default() };
                let view = PivotView { spec, ..PivotView::default() };
                let page = Pivot::default().page(tables.session.trace(), &view, 0, 50);
                assert_eq!(page.error, None, "{dimension}");
                made.push(tables.formats);
            }
        }
        made.dedup();
        let scripts = FORMATS.iter().filter(|format| !format.warm_up_script().is_empty());
        assert_eq!(made.len(), scripts.count());
    }
}
