//! Columns with the time and query of each event. The other values of events are in the [`RecordTable`].

use super::record::KublingRecord;
use super::schema::{KublingEventType, KublingField, KublingNumberField, KublingTextField};
use crate::base::FxHashMap;
use crate::base::columns::{Close, DeltaColumn};
use crate::base::interner::{Interner, StrId};
use crate::import::contract::Input;
use crate::trace::{NOT_REPORTED, RecordId, RecordTable, RecordTypeId};

/// Index of a correlation key.
pub type CorrelationKeyId = u32;

/// The run and query that an event belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CorrelationKey {
    /// Index of the [`RunScope`], which is the run and the database.
    pub scope: u32,
    /// Id of the query, or [`StrId::NONE`].
    pub query: StrId,
}

/// A run and the database in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RunScope {
    /// Id of the run, or [`StrId::NONE`].
    pub run: StrId,
    /// Name of the database; [`StrId::NONE`] if it is not recorded, as in tables.
    pub vdb: StrId,
    /// Version of the database; [`StrId::NONE`] if it is not recorded.
    pub version: StrId,
}

/// Maximum number of texts of an event.
const TEXTS: usize = 5;
/// Maximum number of numbers of an event; `success` counts as a number.
const NUMS: usize = 3;
const _: () = {
    let mut at = 0;
    while at < KublingEventType::ALL.len() {
        assert!(
            KublingEventType::ALL[at].texts().len() <= TEXTS
                && KublingEventType::ALL[at].nums().len() <= NUMS,
            "no room"
        );
        at += 1;
    }
};

/// One event with all reported values.
#[derive(Clone, Copy, Debug)]
pub struct KublingRow {
    /// Clock reading in nanoseconds.
    pub time: i64,
    /// Index of the event's correlation key.
    pub key: CorrelationKeyId,
    /// Record in the source file.
    pub record: RecordId,
    /// Event type.
    pub kind: KublingEventType,
    /// Values in the order of the event type's fields; [`StrId::NONE`] and [`NOT_REPORTED`] if missing.
    texts: [StrId; TEXTS],
    nums: [i64; NUMS],
}

impl KublingRow {
    /// Value of a text field; `None` if it was not reported or the event type does not have it.
    #[inline]
    pub fn text(&self, text: KublingTextField) -> Option<StrId> {
        self.texts.get(self.kind.column(KublingField::Text(text))?)?.some()
    }

    /// Value of a number field; `None` if it was not reported or the event type does not have it.
    #[inline]
    pub fn num(&self, num: KublingNumberField) -> Option<i64> {
        self.num_at(self.kind.column(KublingField::Num(num))?)
    }

    /// Whether the query succeeded; `None` if it was not reported.
    pub fn success(&self) -> Option<bool> {
        let ended = self.kind == KublingEventType::QueryEnd;
        ended.then(|| self.num_at(self.kind.nums().len()))?.map(|n| n != 0)
    }

    fn num_at(&self, column: usize) -> Option<i64> {
        self.nums.get(column).copied().filter(|&num| num != NOT_REPORTED)
    }
}

/// All events, in the order of reading.
#[derive(Default)]
pub struct KublingStore {
    times: DeltaColumn,
    /// The correlation key of each event. Neighbouring events have nearby keys, because keys are numbered by first
    /// appearance.
    key_of: Close,
    /// The record of the first event, and of every event whose record does not directly follow the record of the
    /// previous event.
    records: Vec<(u32, RecordId)>,
    /// Record type of events of the first event type; the record types of the other event types follow it, in the
    /// order of [`KublingEventType::ALL`]. `None` before the first event.
    sorts: Option<RecordTypeId>,
    scopes: Vec<RunScope>,
    scope_ids: FxHashMap<RunScope, u32>,
    keys: Vec<CorrelationKey>,
    key_ids: FxHashMap<CorrelationKey, CorrelationKeyId>,
    /// Known event types by the names found in the files.
    types: Vec<(StrId, KublingEventType)>,
    memo: RecentCorrelationKeys,
}

/// Number of keys that are cached, so that the keys of queries that run concurrently are found without a lookup.
const PLACES: usize = 1 << 7;

/// Cache of the scopes and keys of previous records: values repeat, and comparing them is cheaper than a lookup.
struct RecentCorrelationKeys {
    scopes: [(RunScope, u32); 2],
    keys: [(CorrelationKey, CorrelationKeyId); PLACES],
}

impl Default for RecentCorrelationKeys {
    fn default() -> Self {
        let scope = RunScope { run: StrId::NONE, vdb: StrId::NONE, version: StrId::NONE };
        let key = CorrelationKey { scope: u32::MAX, query: StrId::NONE };
        Self { scopes: [(scope, u32::MAX); 2], keys: [(key, u32::MAX); PLACES] }
    }
}

impl KublingStore {
    /// Event type with this name.
    pub fn type_named(&mut self, name: StrId, strings: &Interner) -> KublingEventType {
        if let Some((_, kind)) = self.types.iter().find(|(known, _)| *known == name) {
            return *kind;
        }
        let kind = KublingEventType::named(strings.get(name));
        if kind != KublingEventType::Other {
            self.types.push((name, kind));
        }
        kind
    }

    /// Adds an event with its type, time and values.
    #[inline]
    pub fn add(
        &mut self,
        record: &KublingRecord,
        kind: KublingEventType,
        time: i64,
        id: RecordId,
        input: &mut Input,
    ) {
        let key = self.key(record, input.strings);
        let first = *self.sorts.get_or_insert_with(|| sorts(input.reported));
        let sort = RecordTypeId(first.0 + kind as u16);
        let strings = &mut *input.strings;
        let nums = kind.nums().iter().map(|&num| record.num(num).unwrap_or(NOT_REPORTED));
        let success = record.success().map_or(NOT_REPORTED, i64::from);
        let texts = kind.texts().iter().map(|&text| record.text(text, strings));
        input.reported.add(id, sort, nums.chain([success]), texts);
        let at = self.times.len() as u32;
        if self.records.last().is_none_or(|&(first, record)| record.0 + (at - first) != id.0) {
            self.records.push((at, id));
        }
        self.times.push(time);
        self.key_of.push(key);
    }

    #[inline]
    fn key(&mut self, record: &KublingRecord, strings: &mut Interner) -> CorrelationKeyId {
        let scope = self.scope_id(record, strings);
        let key = CorrelationKey { scope, query: record.text(KublingTextField::Query, strings) };
        let memo = &mut self.memo.keys[key.query.0 as usize % PLACES];
        if memo.0 != key {
            let keys = &mut self.keys;
            let id = *self.key_ids.entry(key).or_insert_with(|| {
                keys.push(key);
                keys.len() as CorrelationKeyId - 1
            });
            *memo = (key, id);
        }
        memo.1
    }

    #[inline]
    fn scope_id(&mut self, record: &KublingRecord, strings: &mut Interner) -> u32 {
        let [run, vdb, version] =
            [KublingTextField::Run, KublingTextField::Vdb, KublingTextField::VdbVersion]
                .map(|text| record.text(text, strings));
        let scope = RunScope { run, vdb, version };
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

    /// Number of events.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Clock reading of an event in nanoseconds.
    pub fn time(&self, index: u32) -> i64 {
        self.times.get(index as usize)
    }

    /// Clock readings of all events in nanoseconds.
    pub fn times(&self) -> impl Iterator<Item = i64> + '_ {
        self.times.iter()
    }

    /// Correlation keys of all events.
    pub fn keys_of(&self) -> impl Iterator<Item = CorrelationKeyId> + Clone + '_ {
        self.key_of.iter()
    }

    /// Correlation key of an event.
    pub fn key_of(&self, index: u32) -> CorrelationKeyId {
        self.key_of.get(index as usize)
    }

    /// Record of an event in its file.
    #[inline]
    pub fn record(&self, index: u32) -> RecordId {
        if let [(0, first)] = self.records[..] {
            // The usual case: each record is an event.
            return RecordId(first.0 + index);
        }
        let behind = self.records.partition_point(|&(first, _)| first <= index);
        let stretch = behind.checked_sub(1).and_then(|at| self.records.get(at));
        stretch.map_or(RecordId::NONE, |&(first, record)| RecordId(record.0 + (index - first)))
    }

    /// One event with all reported values.
    pub fn row(&self, index: u32, reported: &RecordTable) -> KublingRow {
        let record = self.record(index);
        let (mut texts, mut nums) = ([StrId::NONE; TEXTS], [NOT_REPORTED; NUMS]);
        let sort = reported.read(record, &mut nums, &mut texts);
        let number = sort.zip(self.sorts).map(|(sort, first)| sort.0.wrapping_sub(first.0));
        let kind = number.and_then(|number| KublingEventType::ALL.get(usize::from(number))).copied();
        let kind = kind.unwrap_or(KublingEventType::Other);
        KublingRow { time: self.time(index), key: self.key_of(index), record, kind, texts, nums }
    }

    /// All correlation keys, by index.
    pub fn keys(&self) -> &[CorrelationKey] {
        &self.keys
    }

    /// Run and database of a key.
    pub fn scope(&self, key: CorrelationKeyId) -> RunScope {
        self.scopes[self.keys[key as usize].scope as usize]
    }
}

/// Registers a record type for each event type, which has the type's numbers, `success` (for the end of a query), and
/// its texts. A field that is not an attribute of spans has no key. Returns the first of the record types.
fn sorts(reported: &mut RecordTable) -> RecordTypeId {
    let sort = |kind: KublingEventType| {
        let success = (kind == KublingEventType::QueryEnd).then_some(None);
        let nums = kind.nums().iter().map(|num| Some(num.key())).chain(success);
        reported.add_type(nums.collect(), kind.texts().iter().map(|text| text.key()).collect())
    };
    KublingEventType::ALL.map(sort)[0]
}
