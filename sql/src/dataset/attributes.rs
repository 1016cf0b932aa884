//! [`Arguments`]: the attributes of spans, events and tracks as members of lines. Those that are columns of `spans` and `events` are no
//! rows of `args`; the file of `attributes` has the orders in which items have both.

use std::collections::{HashMap, HashSet};

use datafusion::arrow::array::{Array, StringArray};
use queryscope::internal::rows::{EVENT_COLUMNS, SPAN_COLUMNS};
use queryscope::internal::text::decimal;
use queryscope::trace::{EventId, Item, Key, SpanId};

use super::stored_rows::{Nums, StoredRows, Texts};
use crate::rows::TraceRows;

/// Key of a Parquet file's metadata that holds the orders in which items have their attributes, as JSON. Attributes that are columns of
/// `spans` and `events` are no rows, and so have no order of their own.
pub const ATTRIBUTE_ORDERS: &str = "queryscope.attribute_orders";

/// Every order of attributes that contains a column, by the numbers of the attributes.
pub fn attribute_orders(rows: &TraceRows) -> String {
    let trace = &rows.trace;
    let mut orders: Vec<Vec<u16>> = Vec::new();
    let mut known: HashSet<Vec<u16>> = HashSet::new();
    let mut add = |keys: &mut dyn Iterator<Item = Key>, columns: &[(&str, Key)]| {
        let keys: Vec<u16> = keys.map(|key| key.0).collect();
        let has_column = || keys.iter().any(|key| columns.iter().any(|(_, column)| column.0 == *key));
        if keys.len() > 1 && !known.contains(&keys) && has_column() {
            known.insert(keys.clone());
            orders.push(keys);
        }
    };
    let spans = (0..trace.spans.len() as u32).map(|id| (Item::Span(SpanId(id)), SPAN_COLUMNS));
    let events = (0..trace.events.len() as u32).map(|id| (Item::Event(EventId(id)), EVENT_COLUMNS));
    for (item, columns) in spans.chain(events) {
        add(&mut trace.nums(item).map(|(key, _)| key), columns);
        add(&mut trace.texts(item).map(|(key, _)| key), columns);
    }
    serde_json::to_string(&orders).unwrap_or_default()
}

/// A text as JSON; null if there is none.
pub fn json(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), |text| serde_json::Value::from(text).to_string())
}

/// The text of a row as JSON, if there is one.
pub fn json_of(texts: &Texts, row: usize) -> Option<String> {
    texts.get(row).map(|text| json(Some(text)))
}

/// The number of a row as JSON, if there is one.
pub fn number_of(nums: &Nums, row: usize) -> Option<String> {
    nums.get(row).map(|num| num.to_string())
}

/// Attributes, in the order of their owners.
pub struct Arguments {
    owners: [(&'static str, Nums); 3],
    keys: Texts,
    nums: Nums,
    texts: Texts,
    /// Names of the attributes in millionths.
    decimals: Vec<String>,
    /// Numbers of the attributes by their names.
    numbers: HashMap<String, usize>,
    /// Orders of attributes, by the attributes in the order of their numbers.
    orders: HashMap<Vec<usize>, Vec<usize>>,
    /// First row of each kind of owner.
    starts: [usize; 4],
}

impl Arguments {
    pub fn new(args: &StoredRows, attributes: &StoredRows) -> Self {
        let owners = ["span_id", "event_id", "track_id"].map(|name| (name, args.nums(name)));
        let counts = [0, 1].map(|at: usize| owners[at].1.0.len() - owners[at].1.0.null_count());
        let (keys, units) = (attributes.texts("key"), attributes.texts("unit"));
        let is_decimal = |&row: &usize| units.get(row) == Some("decimal");
        let decimals = (0..attributes.len()).filter(is_decimal).map(|row| keys.owned(row)).collect();
        let numbers = (0..attributes.len()).map(|row| (keys.owned(row), row)).collect();
        let set = |order: &Vec<usize>| {
            let mut set = order.clone();
            set.sort_unstable();
            set
        };
        // Of two orders of the same attributes, the first is taken.
        let orders = attributes.orders.iter().rev().map(|order| (set(order), order.clone())).collect();
        let starts = [0, counts[0], counts[0] + counts[1], args.len()];
        let (keys, nums, texts) = (args.texts("key"), args.nums("num"), args.texts("text"));
        Self { owners, keys, nums, texts, decimals, numbers, orders, starts }
    }

    fn rows(&self, owner: &str, id: i64) -> std::ops::Range<usize> {
        let Some(at) = self.owners.iter().position(|(name, _)| *name == owner) else { return 0..0 };
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let ids = &self.owners[at].1.0.values()[start..end];
        let (first, after) =
            (ids.partition_point(|&known| known < id), ids.partition_point(|&known| known <= id));
        start + first..start + after
    }

    /// An object of the values of rows and of `columns`, in the order that they had; `None` if it has no members.
    fn object(
        &self,
        rows: std::ops::Range<usize>,
        value: impl Fn(usize) -> Option<String>,
        columns: impl Iterator<Item = (usize, String, String)>,
    ) -> Option<String> {
        let member = |row: usize| {
            let key = self.keys.get(row)?;
            Some((self.numbers.get(key).copied().unwrap_or(usize::MAX), json(Some(key)), value(row)?))
        };
        let mut members: Vec<(usize, String, String)> = rows.filter_map(member).collect();
        let n_rows = members.len();
        members.extend(columns);
        if members.len() > n_rows {
            let mut set: Vec<usize> = members.iter().map(|(number, ..)| *number).collect();
            set.sort_unstable();
            let order = self.orders.get(&set).unwrap_or(&set);
            members.sort_by_key(|(number, ..)| order.iter().position(|known| known == number));
        }
        let members: Vec<String> =
            members.into_iter().map(|(_, key, value)| format!("{key}:{value}")).collect();
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    pub fn texts(
        &self,
        owner: &str,
        id: i64,
        columns: impl Iterator<Item = (usize, String, String)>,
    ) -> Option<String> {
        self.object(self.rows(owner, id), |row| Some(json(Some(self.texts.get(row)?))), columns)
    }

    pub fn nums(
        &self,
        owner: &str,
        id: i64,
        columns: impl Iterator<Item = (usize, String, String)>,
    ) -> Option<String> {
        let value = |row: usize| {
            let num = self.nums.get(row)?;
            let is_decimal =
                self.keys.get(row).is_some_and(|key| self.decimals.iter().any(|known| known == key));
            let text = if is_decimal { decimal(num) } else { num.to_string() };
            Some(if is_decimal && !text.contains('.') { format!("{text}.0") } else { text })
        };
        self.object(self.rows(owner, id), value, columns)
    }
}

/// A column of `spans` or `events` that is an attribute.
pub struct AttributeColumn {
    /// Number of the attribute.
    key: usize,
    /// Name of the attribute, as JSON.
    name: String,
    nums: Nums,
    texts: Texts,
}

impl AttributeColumn {
    pub fn all(rows: &StoredRows, attributes: &StoredRows, columns: &[(&str, Key)]) -> Vec<Self> {
        let names = attributes.texts("key");
        let column = |(column, key): &(&str, Key)| {
            let key = usize::from(key.0);
            let nums = rows.nums(column);
            // A column of numbers would be read as texts as well.
            let is_number = nums.0.null_count() < nums.0.len();
            let texts = if is_number { Texts(StringArray::new_null(rows.len())) } else { rows.texts(column) };
            Self { key, name: json(names.get(key)), nums, texts }
        };
        columns.iter().map(column).collect()
    }

    pub fn num(&self, row: usize) -> Option<(usize, String, String)> {
        Some((self.key, self.name.clone(), self.nums.get(row)?.to_string()))
    }

    pub fn text(&self, row: usize) -> Option<(usize, String, String)> {
        Some((self.key, self.name.clone(), json(Some(self.texts.get(row)?))))
    }
}
