//! Index of spans by thread and event id, for the threads that tables of locks name.

use crate::base::FxHashMap;
use crate::base::sort;
use crate::import::formats::mysql::class::MySqlEventClass;
use crate::trace::SpanId;

/// A span of a thread, with its event ids.
#[derive(Clone, Copy)]
pub struct LockSpan {
    pub id: i64,
    /// END_EVENT_ID; `i64::MAX` if the event has not ended.
    pub end: i64,
    pub class: MySqlEventClass,
    pub span: SpanId,
    pub parent: Option<SpanId>,
    /// Nanoseconds since the run's first event.
    pub start: i64,
}

/// Spans of a thread, sorted by id.
#[derive(Default)]
struct LockThreadSpans {
    /// All spans except transactions, which do not nest with the rest.
    work: Vec<LockSpan>,
    transactions: Vec<LockSpan>,
}

/// Spans of all threads in the index, by THREAD_ID.
#[derive(Default)]
pub struct LockSpanIndex {
    threads: FxHashMap<u64, LockThreadSpans>,
    spans: FxHashMap<SpanId, LockSpan>,
}

/// Number of a thread's last transactions that are searched: transactions are sequential, so one of the last few matches.
const TRANSACTIONS: usize = 4;

impl LockSpanIndex {
    /// Creates an empty index for these threads.
    pub fn of(threads: impl IntoIterator<Item = u64>) -> Self {
        let threads = threads.into_iter().map(|thread| (thread, LockThreadSpans::default())).collect();
        Self { threads, spans: FxHashMap::default() }
    }

    /// Adds a span, if its thread is in the index.
    pub fn add(&mut self, thread: u64, known: LockSpan) {
        let Some(thread) = self.threads.get_mut(&thread) else { return };
        if known.class == MySqlEventClass::Transaction {
            return thread.transactions.push(known);
        }
        thread.work.push(known);
        self.spans.insert(known.span, known);
    }

    /// Sorts the spans, after all of them were added.
    pub fn finish(&mut self) {
        for thread in self.threads.values_mut() {
            sort::by_key(&mut thread.work, |known| (known.id, 0));
            sort::by_key(&mut thread.transactions, |known| (known.id, 0));
        }
    }

    /// Innermost span that contains an event; without an event, the innermost span that has not ended.
    pub fn innermost(&self, thread: u64, event: Option<i64>) -> Option<LockSpan> {
        self.around(thread, event, |_| true)
    }

    /// Innermost statement that contains an event; without an event, the innermost statement that has not ended.
    pub fn statement(&self, thread: u64, event: Option<i64>) -> Option<LockSpan> {
        self.around(thread, event, |class| class == MySqlEventClass::Statement)
    }

    /// Last statement of a thread, whether it has ended or not.
    pub fn last_statement(&self, thread: u64) -> Option<LockSpan> {
        let mut work = self.threads.get(&thread)?.work.iter().rev();
        work.find(|known| known.class == MySqlEventClass::Statement).copied()
    }

    /// Transaction that contains an event; without an event, the transaction that has not ended.
    pub fn transaction(&self, thread: u64, event: Option<i64>) -> Option<LockSpan> {
        let all = &self.threads.get(&thread)?.transactions;
        let at = event.map_or(all.len(), |event| all.partition_point(|known| known.id <= event));
        let holds = |known: &&LockSpan| known.end >= event.unwrap_or(i64::MAX);
        all[..at].iter().rev().take(TRANSACTIONS).find(holds).copied()
    }

    fn around(
        &self,
        thread: u64,
        event: Option<i64>,
        is_wanted: impl Fn(MySqlEventClass) -> bool,
    ) -> Option<LockSpan> {
        let work = &self.threads.get(&thread)?.work;
        let event = event.unwrap_or(i64::MAX);
        let at = work.partition_point(|known| known.id <= event).checked_sub(1)?;
        let above = |known: &LockSpan| self.spans.get(&known.parent?).copied();
        let mut chain = std::iter::successors(Some(work[at]), above);
        chain.find(|known| known.end >= event && is_wanted(known.class))
    }
}
