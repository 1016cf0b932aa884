//! Processes and threads: who they are, what they are called, and in which order they stand.

use crate::base::interner::{Interner, StrId};
use crate::base::{FxHashMap, FxHashSet};
use crate::import::json::Value;
use crate::import::scalars::number::exact_i64;

/// A `pid` or `tid`. 12 and "12" are two ids: a program that writes both has a reason, or a fault that must be seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PidOrTid {
    /// The event has none.
    None,
    /// A number of 64 bits: py-spy writes pthread_t, Chromium -1.
    Number(i64),
    /// A string, or a number that is larger: Ray writes addresses.
    Text(StrId),
}

impl PidOrTid {
    /// The identity that a value stands for.
    pub fn new(value: Option<Value>, strings: &mut Interner) -> Self {
        match value {
            None | Some(Value::Word("null")) => PidOrTid::None,
            Some(Value::Word(text)) => Self::of_word(text, strings),
            Some(value) => PidOrTid::Text(strings.intern(&value.content())),
        }
    }

    /// The identity that a value without quotes stands for.
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

/// What metadata says of a process or thread.
#[derive(Clone, Copy, Debug)]
pub struct ProcessInfo {
    pub id: PidOrTid,
    /// [`StrId::NONE`] where nothing says it. Where it changes, the last name counts.
    pub name: StrId,
    /// Labels of a process: the pages of a browser's renderer.
    pub labels: StrId,
    /// Ascending; 0 where nothing says it.
    pub sort: i64,
}

impl ProcessInfo {
    fn new(id: PidOrTid) -> Self {
        Self { id, name: StrId::NONE, labels: StrId::NONE, sort: 0 }
    }
}

/// The number of a thread.
pub type ThreadId = u32;
/// The number of a process.
pub type ProcessId = u32;

/// All processes and threads of a file.
#[derive(Default)]
pub struct ProcessRegistry {
    pub processes: Vec<ProcessInfo>,
    pub threads: Vec<(ProcessId, ProcessInfo)>,
    process_ids: FxHashMap<PidOrTid, ProcessId>,
    thread_ids: FxHashMap<(ProcessId, PidOrTid), ThreadId>,
    /// Numbers that are a pid, or a tid of a process, as text.
    texts: FxHashSet<(Option<ProcessId>, i64)>,
    /// The ids and the thread of the latest event: neighbours in a file are nearly always of one thread.
    latest: Option<(PidOrTid, PidOrTid, ThreadId)>,
}

impl ProcessRegistry {
    /// The thread of an event. Without a `tid` it is one of its own, which no event with a `tid` is of.
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

    /// The thread that has each `tid`; `None` where several have it.
    pub fn threads_by_id(&self) -> FxHashMap<PidOrTid, Option<ThreadId>> {
        let mut found = FxHashMap::default();
        for (thread, (_, about)) in (0..).zip(&self.threads) {
            found.entry(about.id).and_modify(|only| *only = None).or_insert(Some(thread));
        }
        found
    }

    /// The process that a thread is of.
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

    /// Whether the latest process or thread, if there is one that is none of the first `before`, has the pid or tid of another
    /// one, as a number where that has a text, or the reverse.
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

    /// How many processes and threads there are.
    pub fn len(&self) -> (usize, usize) {
        (self.processes.len(), self.threads.len())
    }

    /// Takes what a metadata event (ph M) says. Whether it has a place here.
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

    /// Processes in the order in which they are shown.
    pub fn process_order(&self, strings: &Interner) -> Vec<ProcessId> {
        order(self.processes.iter(), strings)
    }

    /// The threads of every process in the order in which they are shown.
    pub fn thread_orders(&self, strings: &Interner) -> Vec<Vec<ThreadId>> {
        let mut threads = vec![Vec::new(); self.processes.len()];
        for thread in order(self.threads.iter().map(|(_, about)| about), strings) {
            threads[self.process_of(thread) as usize].push(thread);
        }
        threads
    }

    /// "Renderer 4711": what a process is called, and its pid.
    pub fn process_title(&self, process: ProcessId, strings: &Interner) -> String {
        let ProcessInfo { id, name, labels, .. } = self.processes[process as usize];
        let mut title = title("process", name, id, strings);
        if let Some(labels) = labels.some() {
            title.push_str(" · ");
            title.push_str(strings.get(labels));
        }
        title
    }

    /// "CrRendererMain 4711": what a thread is called, and its tid.
    pub fn thread_title(&self, thread: ThreadId, strings: &Interner) -> String {
        let ProcessInfo { id, name, .. } = self.threads[thread as usize].1;
        title("thread", name, id, strings)
    }
}

/// The number that is written as this text.
fn as_number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

/// What a metadata event says.
pub enum MetadataValue {
    /// `args.name` or `args.labels`.
    Text(StrId),
    /// `args.sort_index`: crox writes numbers of more than 32 bits.
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

/// By sort index, then by id: numbers before texts.
fn order<'a>(all: impl Iterator<Item = &'a ProcessInfo>, strings: &Interner) -> Vec<u32> {
    let mut all: Vec<(ProcessInfo, u32)> = all.copied().zip(0..).collect();
    let text = |id: PidOrTid| if let PidOrTid::Text(text) = id { strings.get(text) } else { "" };
    crate::base::sort::by(&mut all, |(a, _), (b, _)| {
        let number = |id: PidOrTid| if let PidOrTid::Number(number) = id { (0, number) } else { (1, 0) };
        (a.sort, number(a.id)).cmp(&(b.sort, number(b.id))).then_with(|| text(a.id).cmp(text(b.id)))
    });
    all.into_iter().map(|(_, at)| at).collect()
}
