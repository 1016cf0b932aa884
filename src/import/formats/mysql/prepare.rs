//! What events share, made ready once: name, kind, texts and shapes of all events with the same texts.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::class::Class;
use super::store::Store;
use super::whats::{Description, Layout};
use crate::strings::{StrId, Strings};
use crate::trace::{Flags, Key, Kind, ShapeId, Shared, TraceBuilder, Unit, key, words};

/// What all events of a description have in common: short, for it is read for every one of them.
#[derive(Clone, Copy)]
pub struct Prepared {
    pub kind: Kind,
    pub name: StrId,
    /// What spans without numbers of their own carry.
    pub shared: Shared,
    /// The number of its [`Details`].
    pub details: Option<u32>,
}

/// The same for those events that may have numbers of their own.
pub struct Details {
    pub texts: Vec<StrId>,
    /// Of spans with these texts and numbers.
    pub shape: ShapeId,
    /// Whether the number is one of rows, which their records report.
    pub counts_rows: bool,
    /// Positions of ERRORS, MYSQL_ERRNO, ROWS_EXAMINED, ROWS_SENT, ROWS_AFFECTED among the numbers.
    counts: [Option<usize>; 5],
    /// Whether RETURNED_SQLSTATE is one of success, warning or "not found".
    is_fine: bool,
}

const COUNTS: [&str; 5] = ["ERRORS", "MYSQL_ERRNO", "ROWS_EXAMINED", "ROWS_SENT", "ROWS_AFFECTED"];

/// Everything that the events of a store share.
#[derive(Default)]
pub struct Preparation {
    /// By description.
    pub whats: Vec<Prepared>,
    pub details: Vec<Details>,
}

/// Everything that the events of a store share, by description.
#[inline(never)]
pub fn prepare(store: &Store, builder: &mut TraceBuilder) -> Preparation {
    let layouts: Vec<Columns> = store.layouts.iter().map(|layout| Columns::of(layout, builder)).collect();
    let mut preparing =
        Preparing { builder, objects: HashMap::default(), texts: Vec::new(), done: Preparation::default() };
    for (number, one) in (0..).zip(store.whats.iter()) {
        preparing.add(store.whats.class(number), one, &layouts[one.layout as usize]);
    }
    preparing.done
}

/// What a text column is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
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

/// The columns of a table of events.
struct Columns {
    texts: Vec<Column>,
    numbers: Vec<Key>,
    counts: [Option<usize>; 5],
}

impl Columns {
    fn of(layout: &Layout, builder: &mut TraceBuilder) -> Self {
        let texts = layout.texts.iter().map(|&column| text_column(column, builder)).collect();
        let numbers = layout.numbers.iter().map(|&column| number_key(column, builder)).collect();
        let counts = COUNTS.map(|column| {
            let column = builder.strings().find(column)?;
            layout.numbers.iter().position(|&known| known == column)
        });
        Self { texts, numbers, counts }
    }

    /// The value of the first column that is this.
    fn text(&self, of: &Description, wanted: Column) -> Option<StrId> {
        let at = self.texts.iter().position(|&column| column == wanted)?;
        of.texts.get(at)?.some()
    }
}

fn text_column(column: StrId, builder: &mut TraceBuilder) -> Column {
    let name = builder.strings().get(column).to_owned();
    let mut key = |name: &str| builder.key(name, Unit::Text);
    match name.as_str() {
        "OBJECT_TYPE" => Column::Type,
        "OBJECT_SCHEMA" => Column::Schema,
        "OBJECT_NAME" => Column::Name,
        "OBJECT_INSTANCE_BEGIN" => Column::Instance,
        "RETURNED_SQLSTATE" => Column::State,
        "SQL_TEXT" => Column::Sql,
        "DIGEST_TEXT" => Column::DigestText,
        "INDEX_NAME" => Column::Other(key(words::INDEX)),
        "CURRENT_SCHEMA" => Column::Other(key::DATABASE),
        "MESSAGE_TEXT" => Column::Message(key(&named(&name))),
        _ => Column::Other(key(&named(&name))),
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

/// What the object of an event is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Program,
    File,
    Socket,
    Table,
    /// A table by what its type says: of a metadata lock.
    LockedTable,
    Other,
}

struct Preparing<'a> {
    builder: &'a mut TraceBuilder,
    objects: HashMap<StrId, Object, FxBuildHasher>,
    texts: Vec<(Key, StrId)>,
    done: Preparation,
}

impl Preparing<'_> {
    fn add(&mut self, class: Class, of: Description, columns: &Columns) {
        let object = self.object_of(class, of.name, columns.text(&of, Column::Type));
        let state = columns.text(&of, Column::State).map(|state| self.builder.strings().get(state));
        let is_fine =
            state.is_none_or(|state| ["00", "01", "02"].iter().any(|class| state.starts_with(class)));
        self.texts.clear();
        let values = columns.texts.iter().zip(of.texts);
        for (&column, &text) in values.filter(|(_, text)| !matches!(**text, StrId::NONE | StrId::EMPTY)) {
            self.text(column, text, is_fine);
        }
        self.object(object, columns.text(&of, Column::Schema), columns.text(&of, Column::Name));
        let sql = columns.text(&of, Column::Sql).or(columns.text(&of, Column::DigestText));
        let name = sql.filter(|_| class == Class::Statement).unwrap_or(of.name);
        if name != of.name {
            self.add_text(words::EVENT_NAME, of.name);
        }
        let kind = match class {
            Class::Transaction => Kind::Transaction,
            Class::Statement => Kind::Query,
            Class::Idle => Kind::Idle,
            Class::Stage => Kind::Stage,
            Class::Wait => Kind::Wait,
        };
        let (keys, texts): (Vec<Key>, Vec<StrId>) = self.texts.iter().copied().unzip();
        let shape = self.builder.shape(&[], &keys);
        let shared = self.builder.shared(shape, &[], &texts);
        let details = self.details(class, object, columns, keys, texts, is_fine);
        self.done.whats.push(Prepared { kind, name, shared, details });
    }

    /// What events of this name are done to; of an object of this type.
    fn object_of(&mut self, class: Class, name: StrId, of_type: Option<StrId>) -> Object {
        let strings = self.builder.strings();
        let object = *self.objects.entry(name).or_insert_with(|| match strings.get(name) {
            _ if class == Class::Statement => Object::Program,
            name if name.starts_with("wait/io/file/") => Object::File,
            name if name.starts_with("wait/io/socket/") => Object::Socket,
            name if name.starts_with("wait/io/table/") || name.starts_with("wait/lock/table/") => {
                Object::Table
            }
            _ => Object::Other,
        });
        let is_table = of_type.is_some_and(|of_type| strings.get(of_type).eq_ignore_ascii_case("TABLE"));
        if object == Object::Other && is_table { Object::LockedTable } else { object }
    }

    fn add_text(&mut self, name: &str, text: StrId) {
        let key = self.builder.key(name, Unit::Text);
        self.texts.push((key, text));
    }

    fn text(&mut self, column: Column, text: StrId, is_fine: bool) {
        match column {
            Column::Schema | Column::Name => {}
            Column::Type => self.add_text(words::OBJECT_TYPE, text),
            Column::Instance if self.builder.strings().get(text) == "0" => {}
            Column::Instance => self.add_text(words::INSTANCE, text),
            Column::Sql => self.texts.push((key::SQL, text)),
            Column::Message(_) if !is_fine => self.texts.push((key::ERROR, text)),
            Column::Message(key) | Column::Other(key) => self.texts.push((key, text)),
            Column::State => self.add_text("returned sqlstate", text),
            Column::DigestText => self.add_text(words::DIGEST_TEXT, text),
        }
    }

    /// What it was done to: schema and name mean something else for every sort of event.
    fn object(&mut self, object: Object, schema: Option<StrId>, name: Option<StrId>) {
        let is_table = matches!(object, Object::Table | Object::LockedTable);
        if let Some(schema) = schema.filter(|_| name.is_none() || is_table) {
            self.add_text(words::SCHEMA, schema);
        }
        let Some(name) = name else { return };
        if object == Object::LockedTable {
            self.add_text(words::TABLE, name);
        }
        match object {
            Object::File => self.add_text(words::FILE, name),
            Object::Socket => {
                // 5.6 and MariaDB count the byte that ends a text in C as part of it.
                let address = self.builder.strings().get(name).trim_end_matches('\0').to_owned();
                let address = self.builder.strings().intern(&address);
                self.add_text(words::SOCKET, address);
            }
            Object::Table => self.add_text(words::TABLE, name),
            Object::Program | Object::LockedTable | Object::Other => {
                let whole = qualified(self.builder.strings(), schema, name);
                self.add_text(if object == Object::Program { words::PROGRAM } else { words::OBJECT }, whole);
            }
        }
    }

    /// The number of the details of events with these texts, if they may have numbers of their own.
    fn details(
        &mut self,
        class: Class,
        object: Object,
        columns: &Columns,
        keys: Vec<Key>,
        texts: Vec<StrId>,
        is_fine: bool,
    ) -> Option<u32> {
        let counts_rows = class == Class::Wait && object == Object::Table && columns.numbers.is_empty();
        let mut numbers = match class {
            Class::Statement => vec![self.builder.key(words::OWN_TIME, Unit::Picos)],
            _ if counts_rows => vec![self.builder.key(words::ROWS, Unit::Rows)],
            _ if columns.numbers.is_empty() => return None,
            _ => Vec::new(),
        };
        numbers.extend(&columns.numbers);
        let shape = self.builder.shape(&numbers, &keys);
        let Columns { counts, .. } = *columns;
        self.done.details.push(Details { texts, shape, counts_rows, counts, is_fine });
        Some(self.done.details.len() as u32 - 1)
    }
}

/// "schema.name".
fn qualified(strings: &mut Strings, schema: Option<StrId>, name: StrId) -> StrId {
    let Some(schema) = schema else { return name };
    let text = format!("{}.{}", strings.get(schema), strings.get(name));
    strings.intern(&text)
}

/// A column's name as an attribute's.
fn named(column: &str) -> String {
    column.to_ascii_lowercase().replace('_', " ")
}

/// What the numbers of a statement say at a glance.
pub fn flags(details: &Details, number: impl Fn(usize) -> Option<i64>) -> Flags {
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

/// Rows from which on reading them is worth a word.
const MANY_ROWS: i64 = 100;
