//! Computes data for future requests in advance, while a session is idle.

use super::Session;
use super::caches::{self, Caches};
use crate::analysis::{ChildSpans, Queries};
use crate::protocol::{ShapeList, SourceList};
use crate::trace::Trace;

/// Number of rows of a list that are computed in advance: as many as a client usually requests first.
const ROWS: u32 = 64;

impl Session {
    /// Prepares the next scene in advance, for example while the client is notified of a new trace. Takes as long as building
    /// the scene.
    pub fn draw_ahead(&mut self) {
        let Self { trace, scenes, answers, .. } = self;
        scenes.look_ahead(trace, answers.hits(trace));
    }

    /// Precomputes a part of the data for future requests while the session is idle: usually for some milliseconds; if nothing
    /// was requested for a while (`is_quiet`), for up to some tenths of a second in a trace of ten million spans and events.
    /// Returns whether there is more to compute.
    pub fn look_ahead(&mut self, is_quiet: bool) -> bool {
        if self.ahead.step(&mut self.trace) {
            return true;
        }
        // A rule is applied in one step. In a large trace, it would delay requests.
        let Self { trace, answers, import, .. } = self;
        if !is_quiet && caches::is_large(trace) {
            return false;
        }
        answers.find_ahead(trace, || import.report())
            || answers.choose_ahead(trace)
            || is_quiet && answers.list_ahead(trace)
    }
}

impl Caches {
    /// Computes the lists of statements and of sources, or data that most comparisons need, one of them at a time, unless they are
    /// cached; returns whether it had to. Does nothing in a large trace, because all of it takes memory.
    fn list_ahead(&mut self, trace: &Trace) -> bool {
        if caches::is_large(trace) {
            return false;
        }
        if !self.shapes.has_numbers() {
            let (queries, shapes, _) = self.shapes(trace, "");
            shapes.page(trace, queries, (&ShapeList::default(), None), 0, ROWS);
            return true;
        }
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        if !self.sources.has_numbers() {
            self.sources.page(trace, queries, (&SourceList::default(), None), 0, ROWS);
            return true;
        }
        if self.children.is_none() {
            self.children = Some(ChildSpans::of(trace));
            return true;
        }
        self.compare.group_ahead(trace, queries)
    }
}
