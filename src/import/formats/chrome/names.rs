//! Processes and threads: ids, names and display order.

use crate::base::interner::{Interner, StrId};
use crate::base::{FxHashMap, FxHashSet};
use crate::import::json::Value;
use crate::import::scalars::number::exact_i64;

/// A `pid` or `tid`. The number 12 and the text "12" are different ids; a file with both is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PidOrTid {
    /// The event has no id.
    None,
    /// A 64-bit integer. It may be large or negative: py-spy writes pthread_t, Chromium -1.
    Number(i64),
    /// A string (for example, Ray writes the addresses of nodes), or a number beyond 64 bits.
    Text(StrId),
}

impl PidOrTid {
    /// Id from a JSON value.
    pub fn new(value: Option<Value>, strings: &mut Interner) -> Self {
        match value {
            None | Some(Value::Word("null")) => PidOrTid::None,
            Some(Value::Word(text)) => Self::of_word(text, strings),
            Some(value) => PidOrTid::Text(strings.intern(&value.content())),
        }
    }

    /// Id from a JSON value without quotes.
    pub fn of_word(text: &str, strings: &mut Interner) -> Self {
        exact_i64(text).map_or_else(|| PidOrTid::Text(strings.intern(text)), PidOrTid::Number)
    }

    /// The id of a process or thread as text; `none` if the event has none.
    pub fn text(self, strings: &Interner) -> String {
        match self {
            PidOrTid::None => "none".to_owned(),
            PidOrTid::Number(number) => number.to_string(),
            PidOrTid::Text(text) => strings.get(text).to_owned(),
        }
    }
}

/// Metadata of a process or thread.
#[derive(Clone, Copy, Debug)]
pub struct ProcessInfo {
    pub id: PidOrTid,
    /// Name, or [`StrId::NONE`] if no metadata gives it. If the name changes, the last one counts.
    pub name: StrId,
    /// Labels of a process, such as the pages of a browser's renderer.
    pub labels: StrId,
    /// Sort index, ascending; 0 if no metadata gives it.
    pub sort: i64,
}

impl ProcessInfo {
    fn new(id: PidOrTid) -> Self {
        Self { id, name: StrId::NONE, labels: StrId::NONE, sort: 0 }
    }
}

/// Index of a thread in its file.
pub type ThreadId = u32;
/// Index of a process in its file.
pub type ProcessId = u32;

/// All processes and threads of a file.
#[derive(Default)]
pub struct ProcessRegistry {
    pub processes: Vec<ProcessInfo>,
    pub threads: Vec<(ProcessId, ProcessInfo)>,
    process_ids: FxHashMap<PidOrTid, ProcessId>,
    thread_ids: FxHashMap<(ProcessId, PidOrTid), ThreadId>,
    /// Integers that occur as text in a pid, or in a tid of a process.
    texts: FxHashSet<(Option<ProcessId>, i64)>,
    /// Ids and thread of the latest event: neighbouring events nearly always have the same thread.
    latest: Option<(PidOrTid, PidOrTid, ThreadId)>,
}

impl ProcessRegistry {
    /// Thread of an event, added if it is new. Events without a `tid` share a thread of their own per process.
    pub fn thread(&mut self, pid: PidOrTid, tid: PidOrTid) -> ThreadId {
        if let Some((p, t, thread)) = self.latest
            && (p, t) == (pid, tid)
        {
            return thread;
        }
        let process = self.process(pid);
        let threads = &mut self.threads;
        let thread = *self.thread_ids.entry((process, tid)).or_insert_with(|| {
            threads.push((process, ProcessInfo::new(tid)));
            threads.len() as ThreadId - 1
        });
        self.latest = Some((pid, tid, thread));
        thread
    }

    /// Thread with each `tid`; `None` if several threads have it.
    pub fn threads_by_id(&self) -> FxHashMap<PidOrTid, Option<ThreadId>> {
        let mut found = FxHashMap::default();
        for (thread, (_, about)) in (0..).zip(&self.threads) {
            found.entry(about.id).and_modify(|only| *only = None).or_insert(Some(thread));
        }
        found
    }

    /// Process of a thread.
    pub fn process_of(&self, thread: ThreadId) -> ProcessId {
        self.threads[thread as usize].0
    }

    fn process(&mut self, pid: PidOrTid) -> ProcessId {
        let processes = &mut self.processes;
        *self.process_ids.entry(pid).or_insert_with(|| {
            processes.push(ProcessInfo::new(pid));
            processes.len() as ProcessId - 1
        })
    }

    /// Whether the process or thread that was added since there were `before` of them has the same id as an earlier
    /// one, but one id is a number and the other a text.
    pub fn is_number_and_text(&mut self, before: (usize, usize), strings: &Interner) -> bool {
        let process = self.processes.get(before.0).map(|about| about.id);
        let thread = self.threads.get(before.1).map(|&(process, about)| (process, about.id));
        let process = process.is_some_and(|id| self.has_other_type(None, id, strings));
        thread.is_some_and(|(of, id)| self.has_other_type(Some(of), id, strings)) || process
    }

    fn has_other_type(&mut self, of: Option<ProcessId>, id: PidOrTid, strings: &Interner) -> bool {
        match id {
            PidOrTid::None => false,
            PidOrTid::Number(number) => self.texts.contains(&(of, number)),
            PidOrTid::Text(text) => as_number(strings.get(text)).is_some_and(|number| {
                self.texts.insert((of, number));
                let number = PidOrTid::Number(number);
                match of {
                    Some(process) => self.thread_ids.contains_key(&(process, number)),
                    None => self.process_ids.contains_key(&number),
                }
            }),
        }
    }

    /// Number of processes and number of threads.
    pub fn len(&self) -> (usize, usize) {
        (self.processes.len(), self.threads.len())
    }

    /// Applies a metadata event (ph M). Returns whether it describes a process or thread.
    pub fn set_metadata(&mut self, thread: ThreadId, what: &str, value: Option<&MetadataValue>) -> bool {
        let process = self.process_of(thread) as usize;
        let (process, thread) = (&mut self.processes[process], &mut self.threads[thread as usize].1);
        match (what, value) {
            ("process_name", Some(MetadataValue::Text(name))) => process.name = *name,
            ("process_labels", Some(MetadataValue::Text(labels))) => process.labels = *labels,
            ("process_sort_index", Some(MetadataValue::Number(sort))) => process.sort = *sort,
            ("thread_name", Some(MetadataValue::Text(name))) => thread.name = *name,
            ("thread_sort_index", Some(MetadataValue::Number(sort))) => thread.sort = *sort,
            _ => return false,
        }
        true
    }

    /// Processes in display order.
    pub fn process_order(&self, strings: &Interner) -> Vec<ProcessId> {
        order(self.processes.iter(), strings)
    }

    /// Threads of each process in display order.
    pub fn thread_orders(&self, strings: &Interner) -> Vec<Vec<ThreadId>> {
        let mut threads = vec![Vec::new(); self.processes.len()];
        for thread in order(self.threads.iter().map(|(_, about)| about), strings) {
            threads[self.process_of(thread) as usize].push(thread);
        }
        threads
    }

    /// Name and pid of a process, such as "Renderer 4711".
    pub fn process_title(&self, process: ProcessId, strings: &Interner) -> String {
        let ProcessInfo { id, name, labels, .. } = self.processes[process as usize];
        let mut title = title("process", name, id, strings);
        if let Some(labels) = labels.some() {
            title.push_str(" · ");
            title.push_str(strings.get(labels));
        }
        title
    }

    /// Name and tid of a thread, such as "CrRendererMain 4711".
    pub fn thread_title(&self, thread: ThreadId, strings: &Interner) -> String {
        let ProcessInfo { id, name, .. } = self.threads[thread as usize].1;
        title("thread", name, id, strings)
    }
}

/// Integer whose decimal form is exactly this text; `None` for any other text.
fn as_number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

/// Value of a metadata event.
pub enum MetadataValue {
    /// Value of `args.name` or `args.labels`.
    Text(StrId),
    /// Value of `args.sort_index`: crox writes numbers of more than 32 bits.
    Number(i64),
}

fn title(what: &str, name: StrId, id: PidOrTid, strings: &Interner) -> String {
    let id = id.text(strings);
    match name.some().map(|name| strings.get(name)).filter(|name| !name.is_empty()) {
        Some(name) if name == id => id,
        Some(name) => format!("{name} {id}"),
        None => format!("{what} {id}"),
    }
}

/// Indices by sort index, then by id; numbers come before texts.
fn order<'a>(all: impl Iterator<Item = &'a ProcessInfo>, strings: &Interner) -> Vec<u32> {
    let mut all: Vec<(ProcessInfo, u32)> = all.copied().zip(0..).collect();
    let text = |id: PidOrTid| if let PidOrTid::Text(text) = id { strings.get(text) } else { "" };
    crate::base::sort::by(&mut all, |(a, _), (b, _)| {
        let number = |id: PidOrTid| if let PidOrTid::Number(number) = id { (0, number) } else { (1, 0) };
        (a.sort, number(a.id)).cmp(&(b.sort, number(b.id))).then_with(|| text(a.id).cmp(text(b.id)))
    });
    all.into_iter().map(|(_, at)| at).collect()
}
