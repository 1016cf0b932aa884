//! [`Server`]: a data set that is read by ranges, as from a server, and how much of it was read.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use bytes::Bytes;
use queryscope_sql::dataset::{Dataset, DatasetFiles, ReadFailure, Reading, block_on};
use queryscope_sql::query::{Engine, Limits};

/// Number of files that are read at the same time.
pub const AT_ONCE: usize = 6;

/// Files in memory that record every read.
#[derive(Debug, Default)]
pub struct Server {
    pub files: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Path of a file whose requests fail.
    pub unreachable: Mutex<Option<String>>,
    /// Whether it sends whole files only.
    pub has_no_ranges: AtomicBool,
    reads: Mutex<Vec<(String, u64)>>,
    /// Number of reads that are under way, and the largest number so far.
    under_way: Mutex<(usize, usize)>,
}

impl Server {
    fn read(&self, path: &str, range: Option<Range<u64>>) -> Result<Bytes, ReadFailure> {
        let files = self.files.lock().expect("no panic");
        if range.is_some() && self.has_no_ranges.load(Relaxed) {
            self.reads.lock().expect("no panic").push((path.to_owned(), 0));
            return Err(ReadFailure::Server("the server sends whole files only. Use another one".to_owned()));
        }
        if self.unreachable.lock().expect("no panic").as_deref() == Some(path) {
            return Err(ReadFailure::Access("it could not be fetched. Check the connection".to_owned()));
        }
        let not_found = || ReadFailure::File("the server answered 404".to_owned());
        let file = files.get(path).ok_or_else(not_found)?;
        let end = |at: u64| (at as usize).min(file.len());
        let part = range.map_or(0..file.len(), |range| end(range.start)..end(range.end));
        self.reads.lock().expect("no panic").push((path.to_owned(), part.len() as u64));
        Ok(Bytes::copy_from_slice(&file[part]))
    }

    /// Completes after several polls, as a server's answer does.
    fn answer(self: Arc<Self>, path: String, range: Option<Range<u64>>) -> Reading {
        Box::pin(async move {
            {
                let mut under_way = self.under_way.lock().expect("no panic");
                under_way.0 += 1;
                under_way.1 = under_way.1.max(under_way.0);
            }
            // Others run meanwhile.
            let mut waits = 3;
            std::future::poll_fn(|context| {
                waits -= 1;
                context.waker().wake_by_ref();
                if waits > 0 { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
            self.under_way.lock().expect("no panic").0 -= 1;
            self.read(&path, range)
        })
    }

    /// The largest number of reads under way at the same time since the last call.
    pub fn most_at_once(&self) -> usize {
        std::mem::take(&mut self.under_way.lock().expect("no panic").1)
    }

    /// All reads since the last call.
    pub fn reads(&self) -> Vec<(String, u64)> {
        std::mem::take(&mut *self.reads.lock().expect("no panic"))
    }
}

#[derive(Debug)]
pub struct ServedFiles(Arc<Server>);

impl DatasetFiles for ServedFiles {
    fn place(&self, path: &str) -> String {
        format!("https://data.example/{path}")
    }

    fn read_whole(&self, path: &str, _: u64) -> Reading {
        self.0.clone().answer(path.to_owned(), None)
    }

    fn read_range(&self, path: &str, range: Range<u64>) -> Reading {
        self.0.clone().answer(path.to_owned(), Some(range))
    }

    fn size(&self, _: &str) -> Result<Option<u64>, ReadFailure> {
        Ok(None)
    }

    fn bytes_of_a_request(&self) -> u64 {
        64 << 10
    }

    fn reads_at_once(&self) -> usize {
        AT_ONCE
    }
}

/// A run of two statements; from run 12 on, the first takes 1.5 times as long.
pub fn run_of(at: usize, queries: usize) -> String {
    let mut text = "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"nightly\"}\n{\"track\":\"session\",\"kind\":\"thread\"}\n".to_owned();
    let mut start = 0;
    for query in 0..queries {
        let noise = (at * 7 + query * 13) % 11;
        let factor = if query.is_multiple_of(2) && at >= 12 { 150 } else { 100 };
        let duration = 1_000_000 * factor / 100 + noise * 3_000;
        let table = if query.is_multiple_of(2) { "a" } else { "b" };
        let sql = format!("SELECT * FROM {table} WHERE id = {query}");
        writeln!(text, "{{\"span\":\"q{query}\",\"kind\":\"query\",\"start\":{start},\"duration\":{duration},\"texts\":{{\"SQL\":\"{sql}\"}}}}")
            .expect("a string");
        start += duration + 10;
    }
    text
}

/// A server with the files of a folder.
pub fn serving(folder: &Path) -> Arc<Server> {
    let server = Server::default();
    add(folder, folder, &server);
    Arc::new(server)
}

fn add(root: &Path, folder: &Path, server: &Server) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            add(root, &path, server);
        } else {
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
            server.files.lock().expect("no panic").insert(name, fs::read(&path).expect("a file"));
        }
    }
}

pub fn opened(server: &Arc<Server>) -> Result<Arc<Dataset>, String> {
    let dataset = block_on(Dataset::open(Arc::new(ServedFiles(server.clone()))));
    dataset.map(Arc::new).map_err(|error| error.to_string())
}

pub fn rows(dataset: &Arc<Dataset>, sql: &str) -> Result<usize, String> {
    let tables = block_on(dataset.tables_with(|_| false)).map_err(|error| error.to_string())?;
    let engine = Engine::new(&[], vec![tables], Limits::default()).map_err(|error| error.to_string())?;
    let result = engine.run(sql).map_err(|error| error.to_string())?;
    Ok(result.batches.iter().map(|batch| batch.num_rows()).sum())
}
