//! Every event that was read, in columns: what all have in one table, what only some types have in a table per type.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::record::Record;
use super::schema::{Num, TEXTS, Text, Type};
use crate::blocks::{Blocks, Numbers};
use crate::import::short;
use crate::strings::{StrId, Strings};
use crate::trace::{NOT_REPORTED, RecordId};

/// The number of a correlation key.
pub type KeyId = u32;

/// Where an event belongs: a query of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// Run and database, as the number of a [`Scope`].
    pub scope: u32,
    /// The query's id, or [`StrId::NONE`].
    pub query: StrId,
}

/// A run and the database in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    /// The run's id, or [`StrId::NONE`].
    pub run: StrId,
    /// The database's name, or [`StrId::NONE`]: tables do not tell it.
    pub vdb: StrId,
    /// The database's version, or [`StrId::NONE`].
    pub version: StrId,
}

/// What every event has.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The clock's reading.
    pub time: i64,
    /// To which query it belongs.
    pub key: KeyId,
    /// Where it stands in its file.
    pub record: RecordId,
    /// Its row in the table of its type.
    pub slot: u32,
    /// Its type.
    pub kind: Type,
    /// Whether a query ended well: reported or not, and what.
    pub success: Option<bool>,
}

/// The columns of one type.
#[derive(Default)]
struct Table {
    rows: u32,
    texts: Blocks<StrId>,
    nums: Numbers,
}

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// All events.
#[derive(Default)]
pub struct Store {
    rows: Blocks<Row>,
    tables: [Table; Type::ALL.len()],
    scopes: Vec<Scope>,
    scope_ids: Map<Scope, u32>,
    keys: Vec<Key>,
    key_ids: Map<Key, KeyId>,
    memo: Memo,
}

/// Bytes of the longest text that is remembered.
const REPEATING: usize = 128;
/// Texts of a field that are remembered: queries and sources that go on at the same time.
const PLACES: usize = 1 << 5;

/// What the records before had: values repeat, and to compare is cheaper than to look up.
struct Memo {
    texts: [[(String, StrId); PLACES]; TEXTS],
    scope: (Scope, u32),
    key: (Key, KeyId),
}

impl Default for Memo {
    fn default() -> Self {
        let scope = Scope { run: StrId::NONE, vdb: StrId::NONE, version: StrId::NONE };
        let key = Key { scope: u32::MAX, query: StrId::NONE };
        let texts = std::array::from_fn(|_| std::array::from_fn(|_| (String::new(), StrId::EMPTY)));
        Self { texts, scope: (scope, u32::MAX), key: (key, u32::MAX) }
    }
}

impl Store {
    /// Adds an event of a given type and time.
    pub fn add(&mut self, record: &Record, kind: Type, time: i64, id: RecordId, strings: &mut Strings) {
        let key = self.key(record, strings);
        let table = &mut self.tables[kind as usize];
        let slot = table.rows;
        table.rows += 1;
        for &num in kind.nums() {
            table.nums.push(record.num(num).unwrap_or(NOT_REPORTED));
        }
        for &text in kind.texts() {
            let id = self.memo.intern(record, text, strings);
            table.texts.push(id);
        }
        self.rows.push(Row { time, key, record: id, slot, kind, success: record.success });
    }

    fn key(&mut self, record: &Record, strings: &mut Strings) -> KeyId {
        let memo = &mut self.memo;
        let run = memo.intern(record, Text::Run, strings);
        let vdb = memo.intern(record, Text::Vdb, strings);
        let version = memo.intern(record, Text::VdbVersion, strings);
        let scope = Scope { run, vdb, version };
        if memo.scope.0 != scope || memo.scope.1 == u32::MAX {
            let scopes = &mut self.scopes;
            let id = *self.scope_ids.entry(scope).or_insert_with(|| {
                scopes.push(scope);
                scopes.len() as u32 - 1
            });
            memo.scope = (scope, id);
        }
        let key = Key { scope: memo.scope.1, query: memo.intern(record, Text::Query, strings) };
        if memo.key.0 != key {
            let keys = &mut self.keys;
            let id = *self.key_ids.entry(key).or_insert_with(|| {
                keys.push(key);
                keys.len() as KeyId - 1
            });
            memo.key = (key, id);
        }
        memo.key.1
    }

    /// What every event has, of one.
    pub fn row(&self, index: u32) -> Row {
        self.rows.get(index as usize)
    }

    /// All events in the order of reading.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.iter()
    }

    /// A text of an event; `None` where it was not reported, or its type does not have it.
    pub fn text(&self, row: &Row, text: Text) -> Option<StrId> {
        let texts = row.kind.texts();
        let at = texts.iter().position(|&t| t == text)?;
        self.tables[row.kind as usize].texts.get(row.slot as usize * texts.len() + at).some()
    }

    /// A number of an event; `None` where it was not reported, or its type does not have it.
    pub fn num(&self, row: &Row, num: Num) -> Option<i64> {
        let nums = row.kind.nums();
        let at = nums.iter().position(|&n| n == num)?;
        let number = self.tables[row.kind as usize].nums.get(row.slot as usize * nums.len() + at);
        Some(number).filter(|&n| n != NOT_REPORTED)
    }

    /// All keys, by their numbers.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The run and database of a key.
    pub fn scope(&self, key: KeyId) -> Scope {
        self.scopes[self.keys[key as usize].scope as usize]
    }
}

impl Memo {
    #[inline]
    fn intern(&mut self, record: &Record, text: Text, strings: &mut Strings) -> StrId {
        let Some(value) = record.text(text) else { return StrId::NONE };
        // A copy lies closer at hand than the interned text. Long texts seldom repeat, and are not copied.
        let (last, id) = &mut self.texts[text as usize][place_of(value.as_bytes())];
        if short::same(last.as_bytes(), value.as_bytes()) {
            return *id;
        }
        let found = strings.intern(value);
        if value.len() <= REPEATING {
            last.clear();
            last.push_str(value);
            *id = found;
        }
        found
    }
}

/// Where a text is remembered. Ids that are written in turns differ at their ends.
#[inline]
fn place_of(text: &[u8]) -> usize {
    let end = text.last_chunk::<8>().map_or(text.len() as u64, |end| u64::from_le_bytes(*end));
    (end.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACES.ilog2())) as usize
}
