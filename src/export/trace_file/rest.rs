//! Lines about whole runs: arrows, lock waits, side tables and notes.

use super::TraceExport;
use super::line::JsonLine;
use super::roles::TextRole;
use crate::trace::{Item, LockParty, StrId, Trace};

impl TraceExport {
    /// Writes the arrow with the index `at`, if the items at both its ends are written.
    pub(super) fn flow(&mut self, trace: &Trace, at: usize, out: &mut Vec<u8>) {
        let n_spans = trace.flows.iter().count();
        let flow = match at.checked_sub(n_spans) {
            None => trace.flows.iter().nth(at).map(|flow| flow.of_items()),
            Some(at) => trace.flows.of_instants().nth(at).copied(),
        };
        let Some(flow) = flow else { return };
        let (Some(from), Some(to)) = (self.item_number(flow.from), self.item_number(flow.to)) else { return };
        let name = self.text(trace, TextRole::Name, flow.name, out);
        let key = |item: Item, of_span: &'static str, of_event: &'static str| match item {
            Item::Span(_) => of_span,
            Item::Event(_) => of_event,
        };
        let mut line = JsonLine::new(out);
        line.named("flow", name);
        line.num(key(flow.from, "from", "from_event"), from);
        line.num(key(flow.to, "to", "to_event"), to);
        line.num("leaves", flow.leaves);
        line.num("arrives", flow.arrives);
        line.end();
    }

    /// Number of an item in the file; `None` if it is not written.
    pub(super) fn item_number(&self, item: Item) -> Option<u32> {
        match item {
            Item::Span(id) => self.selection.span_number(id),
            Item::Event(id) => self.selection.event_number(id),
        }
    }

    /// Writes a lock wait of a selected run. If only a query is selected, writes it only if a span of the query waits
    /// for the lock or holds it.
    pub(super) fn lock(&mut self, trace: &Trace, at: usize, out: &mut Vec<u8>) {
        let wait = trace.lock_waits[at];
        let Some(run) = self.selection.run(wait.run) else { return };
        let spans = [wait.waiter.span, wait.waiter.statement, wait.holder.span, wait.holder.statement];
        let is_of_query = || spans.into_iter().flatten().any(|id| self.selection.span_number(id).is_some());
        if self.selection.is_query && !is_of_query() {
            return;
        }
        let object = self.text(trace, TextRole::Object, wait.object, out);
        let words = [wait.wanted, wait.held, wait.since];
        let [wanted, held, since] = words.map(|text| self.text(trace, TextRole::Vocabulary, text, out));
        let waiter = self.party(trace, &wait.waiter, out);
        let holder = self.party(trace, &wait.holder, out);
        let mut line = JsonLine::new(out);
        line.named("lock", object);
        line.num("run", run);
        line.some_num("wanted", wanted);
        line.some_num("held", held);
        line.some_num("since", since);
        line.object("waiter", &waiter);
        line.object("holder", &holder);
        line.num_unless("more", i64::from(wait.more), 0);
        line.end();
    }

    fn party(&mut self, trace: &Trace, party: &LockParty, out: &mut Vec<u8>) -> Vec<(&'static str, String)> {
        let members = [
            ("thread", self.text(trace, TextRole::Name, party.thread, out)),
            ("span", party.span.and_then(|id| self.selection.span_number(id))),
            ("statement", party.statement.and_then(|id| self.selection.span_number(id))),
            ("running", self.text(trace, TextRole::Sql, party.running, out)),
        ];
        members.into_iter().filter_map(|(name, number)| Some((name, number?.to_string()))).collect()
    }

    /// Writes name and columns of a side table.
    pub(super) fn table(&mut self, trace: &Trace, at: usize, out: &mut Vec<u8>) {
        let Some(table) = trace.tables.iter().nth(at) else { return };
        let Some(run) = self.selection.run(table.run).filter(|_| !self.selection.is_query) else { return };
        let name = self.text(trace, TextRole::Fixed, table.name, out);
        let columns: Vec<Option<u32>> =
            table.columns().iter().map(|&column| self.text(trace, TextRole::Fixed, column, out)).collect();
        let mut line = JsonLine::new(out);
        line.named("table", name);
        line.num("run", run);
        line.nums("columns", columns);
        line.end();
    }

    /// Writes a row of a side table.
    pub(super) fn row(&mut self, trace: &Trace, table: usize, row: usize, out: &mut Vec<u8>) {
        let Some(table) = trace.tables.iter().nth(table) else { return };
        if self.selection.is_query || self.selection.run(table.run).is_none() {
            return;
        }
        let mut cells = Vec::with_capacity(table.columns().len());
        for (at, &column) in table.columns().iter().enumerate() {
            let role = self.roles.of_column(trace.str(column));
            let cell = table.cell(row, at).unwrap_or(StrId::NONE);
            cells.push(self.text(trace, role, cell, out));
        }
        let mut line = JsonLine::new(out);
        line.nums("row", cells);
        line.end();
    }

    /// Writes a note of a run that is written.
    pub(super) fn note(&mut self, trace: &Trace, at: usize, out: &mut Vec<u8>) {
        let note = &trace.notes[at];
        let Some(run) = self.selection.run(note.run) else { return };
        let Some(text) = self.redactor.note(&note.name, &note.text) else { return };
        let mut line = JsonLine::new(out);
        line.string("note", &note.name);
        line.num("run", run);
        line.string("text", &text);
        line.end();
    }
}
