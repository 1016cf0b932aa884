//! Every event that was read, in columns: what all have in one table, what only some types have in a table per type.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::record::Record;
use super::schema::{Num, Text, Type};
use crate::blocks::{Blocks, Numbers};
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
    /// The names of the types that were met.
    types: Vec<(StrId, Type)>,
    memo: Memo,
}

/// Keys that are remembered: queries that go on at the same time.
const PLACES: usize = 1 << 7;

/// What the records before had: values repeat, and to compare is cheaper than to look up.
struct Memo {
    scopes: [(Scope, u32); 2],
    keys: [(Key, KeyId); PLACES],
}

impl Default for Memo {
    fn default() -> Self {
        let scope = Scope { run: StrId::NONE, vdb: StrId::NONE, version: StrId::NONE };
        let key = Key { scope: u32::MAX, query: StrId::NONE };
        Self { scopes: [(scope, u32::MAX); 2], keys: [(key, u32::MAX); PLACES] }
    }
}

impl Store {
    /// The type that a text names.
    pub fn type_named(&mut self, name: StrId, strings: &Strings) -> Type {
        if let Some((_, kind)) = self.types.iter().find(|(known, _)| *known == name) {
            return *kind;
        }
        let kind = Type::named(strings.get(name));
        if kind != Type::Other {
            self.types.push((name, kind));
        }
        kind
    }

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
            table.texts.push(record.text(text, strings));
        }
        self.rows.push(Row { time, key, record: id, slot, kind, success: record.success() });
    }

    #[inline]
    fn key(&mut self, record: &Record, strings: &mut Strings) -> KeyId {
        let scope = self.scope_id(record, strings);
        let key = Key { scope, query: record.text(Text::Query, strings) };
        let memo = &mut self.memo.keys[key.query.0 as usize % PLACES];
        if memo.0 != key {
            let keys = &mut self.keys;
            let id = *self.key_ids.entry(key).or_insert_with(|| {
                keys.push(key);
                keys.len() as KeyId - 1
            });
            *memo = (key, id);
        }
        memo.1
    }

    #[inline]
    fn scope_id(&mut self, record: &Record, strings: &mut Strings) -> u32 {
        let [run, vdb, version] =
            [Text::Run, Text::Vdb, Text::VdbVersion].map(|text| record.text(text, strings));
        let scope = Scope { run, vdb, version };
        let scopes = &mut self.memo.scopes;
        let memo = &mut scopes[scope.version.0 as usize % 2];
        if memo.0 != scope || memo.1 == u32::MAX {
            let scopes = &mut self.scopes;
            let id = *self.scope_ids.entry(scope).or_insert_with(|| {
                scopes.push(scope);
                scopes.len() as u32 - 1
            });
            *memo = (scope, id);
        }
        memo.1
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
