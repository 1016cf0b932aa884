//! Prepares the attributes that events with the same texts share: name, kind, texts and argument shape.

use super::class::MySqlEventClass;
use super::descriptions::{EventDescription, MySqlTableLayout};
use super::store::MySqlStore;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::trace::{Flags, Key, Kind, ShapeId, Shared, TraceBuilder, Unit, attribute_names, key};

/// Values that all events of a description share. Kept small, because every event reads them.
#[derive(Clone, Copy)]
pub struct PreparedDescription {
    pub kind: Kind,
    pub name: StrId,
    /// Shared arguments of spans that have no numbers of their own.
    pub shared: Shared,
    /// Index of the [`DescriptionDetails`]; `None` if no event of the description has numbers of its own.
    pub details: Option<u32>,
}

/// Further values that the events of a description share, if the events may have numbers of their own.
pub struct DescriptionDetails {
    pub texts: Vec<StrId>,
    /// Argument shape of spans with these texts and with numbers of their own.
    pub shape: ShapeId,
    /// Whether NUMBER_OF_BYTES counts rows instead of bytes. The row count is stored with the event's record.
    pub counts_rows: bool,
    /// Positions of ERRORS, MYSQL_ERRNO, ROWS_EXAMINED, ROWS_SENT and ROWS_AFFECTED among the numeric columns.
    counts: [Option<usize>; 5],
    /// Whether RETURNED_SQLSTATE means success, warning or "not found".
    is_fine: bool,
}

const COUNTS: [&str; 5] = ["ERRORS", "MYSQL_ERRNO", "ROWS_EXAMINED", "ROWS_SENT", "ROWS_AFFECTED"];

/// For each description of a store's events, the values that its events share.
#[derive(Default)]
pub struct PreparedDescriptions {
    /// The shared values, by number of the description.
    pub descriptions: Vec<PreparedDescription>,
    pub details: Vec<DescriptionDetails>,
}

/// Prepares, for each description of a store's events, the values that its events share.
#[inline(never)]
pub fn prepare(store: &MySqlStore, builder: &mut TraceBuilder) -> PreparedDescriptions {
    let layouts: Vec<MySqlEventColumns> =
        store.layouts.iter().map(|layout| MySqlEventColumns::of(layout, builder)).collect();
    let mut preparing = DescriptionPreparer {
        builder,
        objects: FxHashMap::default(),
        texts: Vec::new(),
        done: PreparedDescriptions::default(),
    };
    for (number, one) in (0..).zip(store.descriptions.iter()) {
        preparing.add(store.descriptions.class(number), one, &layouts[one.layout as usize]);
    }
    preparing.done
}

/// Meaning of a text column in a table of events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MySqlTextColumn {
    State,
    Type,
    Schema,
    Name,
    Instance,
    Sql,
    DigestText,
    Message(Key),
    Other(Key),
}

/// Columns of a table of events.
struct MySqlEventColumns {
    texts: Vec<MySqlTextColumn>,
    numbers: Vec<Key>,
    counts: [Option<usize>; 5],
}

impl MySqlEventColumns {
    fn of(layout: &MySqlTableLayout, builder: &mut TraceBuilder) -> Self {
        let texts = layout.texts.iter().map(|&column| text_column(column, builder)).collect();
        let numbers = layout.numbers.iter().map(|&column| number_key(column, builder)).collect();
        let counts = COUNTS.map(|column| {
            let column = builder.strings().find(column)?;
            layout.numbers.iter().position(|&known| known == column)
        });
        Self { texts, numbers, counts }
    }

    /// Value of the first column with the role `wanted`.
    fn text(&self, of: &EventDescription, wanted: MySqlTextColumn) -> Option<StrId> {
        let at = self.texts.iter().position(|&column| column == wanted)?;
        of.texts.get(at)?.some()
    }
}

fn text_column(column: StrId, builder: &mut TraceBuilder) -> MySqlTextColumn {
    let name = builder.strings().get(column).to_owned();
    let mut key = |name: &str| builder.key(name, Unit::Text);
    match name.as_str() {
        "OBJECT_TYPE" => MySqlTextColumn::Type,
        "OBJECT_SCHEMA" => MySqlTextColumn::Schema,
        "OBJECT_NAME" => MySqlTextColumn::Name,
        "OBJECT_INSTANCE_BEGIN" => MySqlTextColumn::Instance,
        "RETURNED_SQLSTATE" => MySqlTextColumn::State,
        "SQL_TEXT" => MySqlTextColumn::Sql,
        "DIGEST_TEXT" => MySqlTextColumn::DigestText,
        "INDEX_NAME" => MySqlTextColumn::Other(key(attribute_names::INDEX)),
        "CURRENT_SCHEMA" => MySqlTextColumn::Other(key::DATABASE),
        "MESSAGE_TEXT" => MySqlTextColumn::Message(key(&named(&name))),
        _ => MySqlTextColumn::Other(key(&named(&name))),
    }
}

fn number_key(column: StrId, builder: &mut TraceBuilder) -> Key {
    let column = builder.strings().get(column).to_owned();
    let unit = match column.as_str() {
        "ROWS_EXAMINED" => return key::ROWS_READ,
        "ROWS_SENT" => return key::ROWS_RETURNED,
        "ROWS_AFFECTED" => Unit::Rows,
        "LOCK_TIME" | "CPU_TIME" => Unit::Picos,
        name if name.ends_with("_MEMORY") => Unit::Bytes,
        _ => Unit::Count,
    };
    builder.key(&named(&column), unit)
}

/// Kind of object that an event refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EventObjectKind {
    Program,
    File,
    Socket,
    Table,
    /// The object of a metadata lock, whose type OBJECT_TYPE names.
    LockedTable,
    Other,
}

struct DescriptionPreparer<'a> {
    builder: &'a mut TraceBuilder,
    objects: FxHashMap<StrId, EventObjectKind>,
    texts: Vec<(Key, StrId)>,
    done: PreparedDescriptions,
}

impl DescriptionPreparer<'_> {
    fn add(&mut self, class: MySqlEventClass, of: EventDescription, columns: &MySqlEventColumns) {
        let object = self.object_of(class, of.name, columns.text(&of, MySqlTextColumn::Type));
        let state = columns.text(&of, MySqlTextColumn::State).map(|state| self.builder.strings().get(state));
        let is_fine =
            state.is_none_or(|state| ["00", "01", "02"].iter().any(|class| state.starts_with(class)));
        self.texts.clear();
        let values = columns.texts.iter().zip(of.texts);
        for (&column, &text) in values.filter(|(_, text)| !matches!(**text, StrId::NONE | StrId::EMPTY)) {
            self.text(column, text, is_fine);
        }
        self.object(
            object,
            columns.text(&of, MySqlTextColumn::Schema),
            columns.text(&of, MySqlTextColumn::Name),
        );
        let sql = columns.text(&of, MySqlTextColumn::Sql).or(columns.text(&of, MySqlTextColumn::DigestText));
        let name = sql.filter(|_| class == MySqlEventClass::Statement).unwrap_or(of.name);
        if name != of.name {
            self.add_text(attribute_names::EVENT_NAME, of.name);
        }
        let kind = match class {
            MySqlEventClass::Transaction => Kind::Transaction,
            MySqlEventClass::Statement => Kind::Query,
            MySqlEventClass::Idle => Kind::Idle,
            MySqlEventClass::Stage => Kind::Stage,
            MySqlEventClass::Wait => Kind::Wait,
        };
        let (keys, texts): (Vec<Key>, Vec<StrId>) = self.texts.iter().copied().unzip();
        let shape = self.builder.shape(&[], &keys);
        let shared = self.builder.shared(shape, &[], &texts);
        let details = self.details(class, object, columns, keys, texts, is_fine);
        self.done.descriptions.push(PreparedDescription { kind, name, shared, details });
    }

    /// Kind of the object that events with this name refer to; `of_type` is the value of OBJECT_TYPE.
    fn object_of(&mut self, class: MySqlEventClass, name: StrId, of_type: Option<StrId>) -> EventObjectKind {
        let strings = self.builder.strings();
        let object = *self.objects.entry(name).or_insert_with(|| match strings.get(name) {
            _ if class == MySqlEventClass::Statement => EventObjectKind::Program,
            name if name.starts_with("wait/io/file/") => EventObjectKind::File,
            name if name.starts_with("wait/io/socket/") => EventObjectKind::Socket,
            name if name.starts_with("wait/io/table/") || name.starts_with("wait/lock/table/") => {
                EventObjectKind::Table
            }
            _ => EventObjectKind::Other,
        });
        let is_table = of_type.is_some_and(|of_type| strings.get(of_type).eq_ignore_ascii_case("TABLE"));
        if object == EventObjectKind::Other && is_table { EventObjectKind::LockedTable } else { object }
    }

    fn add_text(&mut self, name: &str, text: StrId) {
        let key = self.builder.key(name, Unit::Text);
        self.texts.push((key, text));
    }

    fn text(&mut self, column: MySqlTextColumn, text: StrId, is_fine: bool) {
        match column {
            MySqlTextColumn::Schema | MySqlTextColumn::Name => {}
            MySqlTextColumn::Type => self.add_text(attribute_names::OBJECT_TYPE, text),
            MySqlTextColumn::Instance if self.builder.strings().get(text) == "0" => {}
            MySqlTextColumn::Instance => self.add_text(attribute_names::INSTANCE, text),
            MySqlTextColumn::Sql => self.texts.push((key::SQL, text)),
            MySqlTextColumn::Message(_) if !is_fine => self.texts.push((key::ERROR, text)),
            MySqlTextColumn::Message(key) | MySqlTextColumn::Other(key) => self.texts.push((key, text)),
            MySqlTextColumn::State => self.add_text("returned sqlstate", text),
            MySqlTextColumn::DigestText => self.add_text(attribute_names::DIGEST_TEXT, text),
        }
    }

    /// Adds the object of an event: the meaning of schema and name depends on the class of the event.
    fn object(&mut self, object: EventObjectKind, schema: Option<StrId>, name: Option<StrId>) {
        let is_table = matches!(object, EventObjectKind::Table | EventObjectKind::LockedTable);
        if let Some(schema) = schema.filter(|_| name.is_none() || is_table) {
            self.add_text(attribute_names::SCHEMA, schema);
        }
        let Some(name) = name else { return };
        if object == EventObjectKind::LockedTable {
            self.add_text(attribute_names::TABLE, name);
        }
        match object {
            EventObjectKind::File => self.add_text(attribute_names::FILE, name),
            EventObjectKind::Socket => {
                // 5.6 and MariaDB include the NUL byte that ends a C string.
                let address = self.builder.strings().get(name).trim_end_matches('\0').to_owned();
                let address = self.builder.strings().intern(&address);
                self.add_text(attribute_names::SOCKET, address);
            }
            EventObjectKind::Table => self.add_text(attribute_names::TABLE, name),
            EventObjectKind::Program | EventObjectKind::LockedTable | EventObjectKind::Other => {
                let whole = qualified(self.builder.strings(), schema, name);
                self.add_text(
                    if object == EventObjectKind::Program {
                        attribute_names::PROGRAM
                    } else {
                        attribute_names::OBJECT
                    },
                    whole,
                );
            }
        }
    }

    /// Adds the details for events with these texts, and returns their index; `None` if the events have no numbers of
    /// their own.
    fn details(
        &mut self,
        class: MySqlEventClass,
        object: EventObjectKind,
        columns: &MySqlEventColumns,
        keys: Vec<Key>,
        texts: Vec<StrId>,
        is_fine: bool,
    ) -> Option<u32> {
        let counts_rows =
            class == MySqlEventClass::Wait && object == EventObjectKind::Table && columns.numbers.is_empty();
        let mut numbers = match class {
            MySqlEventClass::Statement => vec![self.builder.key(attribute_names::OWN_TIME, Unit::Picos)],
            _ if counts_rows => vec![self.builder.key(attribute_names::ROWS, Unit::Rows)],
            _ if columns.numbers.is_empty() => return None,
            _ => Vec::new(),
        };
        numbers.extend(&columns.numbers);
        let shape = self.builder.shape(&numbers, &keys);
        let MySqlEventColumns { counts, .. } = *columns;
        self.done.details.push(DescriptionDetails { texts, shape, counts_rows, counts, is_fine });
        Some(self.done.details.len() as u32 - 1)
    }
}

/// Joins schema and name as "schema.name".
fn qualified(strings: &mut Interner, schema: Option<StrId>, name: StrId) -> StrId {
    let Some(schema) = schema else { return name };
    let text = format!("{}.{}", strings.get(schema), strings.get(name));
    strings.intern(&text)
}

/// Converts a column name to an attribute name.
fn named(column: &str) -> String {
    column.to_ascii_lowercase().replace('_', " ")
}

/// Flags that follow from the numbers of a statement.
pub fn flags(details: &DescriptionDetails, number: impl Fn(usize) -> Option<i64>) -> Flags {
    let [errors, errno, examined, sent, affected] =
        details.counts.map(|at| at.and_then(&number).unwrap_or(0));
    let mut flags = Flags::default();
    if errors > 0 || errno != 0 && !details.is_fine {
        flags = flags.with(Flags::FAILED);
    }
    let used = sent.max(affected).max(1);
    if examined >= used.saturating_mul(10) && examined >= MANY_ROWS {
        flags = flags.with(Flags::OVER_FETCH);
    }
    flags
}

/// Minimum number of examined rows for `Flags::OVER_FETCH`.
const MANY_ROWS: i64 = 100;
