//! Spans by thread and event id, for the threads that tables of locks name.

use crate::base::FxHashMap;
use crate::base::sort;
use crate::import::formats::mysql::class::MySqlEventClass;
use crate::trace::SpanId;

/// A span of a thread, by its ids.
#[derive(Clone, Copy)]
pub struct LockSpan {
    pub id: i64,
    /// The greatest number if it has not ended.
    pub end: i64,
    pub class: MySqlEventClass,
    pub span: SpanId,
    pub parent: Option<SpanId>,
    /// Since the run's first event.
    pub start: i64,
}

/// The spans of a thread, in the order of their ids.
#[derive(Default)]
struct LockThreadSpans {
    /// All but transactions: these cut across the rest.
    work: Vec<LockSpan>,
    transactions: Vec<LockSpan>,
}

/// The spans of all threads that matter, by THREAD_ID.
#[derive(Default)]
pub struct LockSpanIndex {
    threads: FxHashMap<u64, LockThreadSpans>,
    spans: FxHashMap<SpanId, LockSpan>,
}

/// A thread's transactions come one after the other; the last few are searched all the same.
const TRANSACTIONS: usize = 4;

impl LockSpanIndex {
    /// An index for these threads, to be filled.
    pub fn of(threads: impl IntoIterator<Item = u64>) -> Self {
        let threads = threads.into_iter().map(|thread| (thread, LockThreadSpans::default())).collect();
        Self { threads, spans: FxHashMap::default() }
    }

    /// Adds a span, if it is of one of the threads.
    pub fn add(&mut self, thread: u64, known: LockSpan) {
        let Some(thread) = self.threads.get_mut(&thread) else { return };
        if known.class == MySqlEventClass::Transaction {
            return thread.transactions.push(known);
        }
        thread.work.push(known);
        self.spans.insert(known.span, known);
    }

    /// All spans are there.
    pub fn finish(&mut self) {
        for thread in self.threads.values_mut() {
            sort::by_key(&mut thread.work, |known| (known.id, 0));
            sort::by_key(&mut thread.transactions, |known| (known.id, 0));
        }
    }

    /// The innermost span that holds an event; without an event, what the thread does at the end.
    pub fn innermost(&self, thread: u64, event: Option<i64>) -> Option<LockSpan> {
        self.around(thread, event, |_| true)
    }

    /// The innermost statement that holds an event; if the thread has no such event, the one at its end.
    pub fn statement(&self, thread: u64, event: Option<i64>) -> Option<LockSpan> {
        self.around(thread, event, |class| class == MySqlEventClass::Statement)
    }

    /// The statement of a thread that began last, whether it has ended or not.
    pub fn last_statement(&self, thread: u64) -> Option<LockSpan> {
        let mut work = self.threads.get(&thread)?.work.iter().rev();
        work.find(|known| known.class == MySqlEventClass::Statement).copied()
    }

    /// The transaction that an event is in; without an event, the one that has not ended.
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
