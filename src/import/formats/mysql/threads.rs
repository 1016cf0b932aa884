//! Names and attributes of threads, from the table of threads.

use super::class::MySqlEventClass;
use super::export::{MySqlExport, SideTable};
use super::store::MySqlStore;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::import::track_writer::TrackWriter;
use crate::trace::{TraceBuilder, TrackId, TrackKind, Unit, attribute_names};

/// Attributes of a thread.
#[derive(Clone, Copy, Default)]
struct MySqlThread {
    name: Option<StrId>,
    connection: Option<StrId>,
    user: Option<StrId>,
    host: Option<StrId>,
    schema: Option<StrId>,
}

/// The threads of an export, by THREAD_ID.
pub struct MySqlThreads {
    known: FxHashMap<u64, MySqlThread>,
    has_table: bool,
}

impl MySqlThreads {
    /// Reads the export's table of threads.
    pub fn of(export: &MySqlExport, builder: &mut TraceBuilder) -> Self {
        let tables = || export.sides.iter().filter(|side| side.name.starts_with("threads"));
        let mut threads = Self { known: FxHashMap::default(), has_table: tables().next().is_some() };
        tables().for_each(|side| threads.read(side, builder.strings()));
        threads
    }

    fn read(&mut self, side: &SideTable, strings: &mut Interner) {
        let columns =
            ["THREAD_ID", "NAME", "PROCESSLIST_ID", "PROCESSLIST_USER", "PROCESSLIST_HOST", "PROCESSLIST_DB"]
                .map(|name| side.columns.iter().position(|&column| strings.find(name) == Some(column)));
        for row in side.cells.chunks(side.columns.len().max(1)) {
            let [id, name, connection, user, host, schema] = columns.map(|at| row.get(at?)?.some());
            if let Some(id) = id.and_then(|id| strings.get(id).parse().ok()) {
                self.known.insert(id, MySqlThread { name, connection, user, host, schema });
            }
        }
    }

    /// Sorts the threads, each with its events: threads that run statements first, then all others, by id.
    pub fn order(&self, store: &MySqlStore, threads: Vec<Vec<u32>>) -> Vec<(u32, Vec<u32>)> {
        let mut order: Vec<(u32, Vec<u32>)> = (0..).zip(threads).collect();
        crate::base::sort::by_key(&mut order, |(number, _)| {
            let runs = store.count(*number, MySqlEventClass::Statement) > 0;
            (i64::from(!runs), store.threads[*number as usize])
        });
        order
    }

    /// Begins the track of a thread.
    pub fn track(&self, out: &mut TrackWriter, root: TrackId, id: u64) {
        let thread = self.known.get(&id).copied().unwrap_or_default();
        let title = self.name(out.strings(), id);
        out.titled_track(root, &title, TrackKind::Thread);
        let number = out.intern(&id.to_string());
        let is_background = thread.name.is_some() && thread.user.is_none() && thread.host.is_none();
        let nobody = is_background.then(|| out.intern(attribute_names::BACKGROUND));
        let account = thread.user.zip(thread.host).map(|(user, host)| {
            let strings = out.strings();
            let text = format!("{}@{}", strings.get(user), strings.get(host));
            strings.intern(&text)
        });
        let texts = [
            (attribute_names::THREAD_ID, Some(number)),
            (attribute_names::THREAD_NAME, thread.name),
            (attribute_names::USER, thread.user.or(nobody)),
            (attribute_names::HOST, thread.host.or(nobody)),
            (attribute_names::ACCOUNT, account.or(nobody)),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                let key = out.builder.key(name, Unit::Text);
                out.builder.track_text(key, text);
            }
        }
    }

    /// Title of a thread: "611 one_connection · app@localhost · shop · connection 12".
    pub fn name(&self, strings: &Interner, id: u64) -> String {
        let thread = self.known.get(&id).copied().unwrap_or_default();
        let Some(name) = thread.name else {
            if id == 0 {
                // No thread of a server has this number: the file does not name the thread that it traces.
                return "traced thread".to_owned();
            }
            // The thread had ended when the table of threads was read.
            return format!("thread {id}{}", if self.has_table { " (ended)" } else { "" });
        };
        let name = strings.get(name);
        // The number is first: in a narrow column the names of all connections begin with the same text.
        let mut title = format!("{id} {}", name.rsplit('/').next().unwrap_or(name));
        if let Some(user) = thread.user {
            let host = thread.host.map_or(String::new(), |host| format!("@{}", strings.get(host)));
            title += &format!(" · {}{host}", strings.get(user));
        }
        if let Some(schema) = thread.schema {
            title += &format!(" · {}", strings.get(schema));
        }
        if let Some(connection) = thread.connection {
            title += &format!(" · connection {}", strings.get(connection));
        }
        title
    }
}
