//! What events share, made ready once: name, kind, texts and shapes of all events with the same texts.

use super::store::{Description, Layout, Store};
use crate::strings::{StrId, Strings};
use crate::trace::{Flags, Key, Kind, ShapeId, TraceBuilder, Unit, key, words};

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    Transaction,
    Statement,
    Idle,
    Stage,
    Wait,
}

/// What all events of a description have in common.
pub struct Prepared {
    pub class: Class,
    pub kind: Kind,
    pub name: StrId,
    pub texts: Vec<StrId>,
    /// With all numbers, and with none but the id and the duration (of statements also what is their own of it).
    pub shapes: [ShapeId; 2],
    /// Positions of ERRORS, MYSQL_ERRNO, ROWS_EXAMINED, ROWS_SENT, ROWS_AFFECTED among the numbers.
    pub counts: [Option<usize>; 5],
    /// Whether RETURNED_SQLSTATE is one of success, warning or "not found".
    pub is_fine: bool,
}

const COUNTS: [&str; 5] = ["ERRORS", "MYSQL_ERRNO", "ROWS_EXAMINED", "ROWS_SENT", "ROWS_AFFECTED"];

/// Everything that the events of a store share, by description.
pub fn prepare(store: &Store, builder: &mut TraceBuilder) -> Vec<Prepared> {
    store.descriptions.iter().map(|one| Preparing::new(store, one, builder).finish()).collect()
}

struct Preparing<'a> {
    layout: &'a Layout,
    of: &'a Description,
    builder: &'a mut TraceBuilder,
    class: Class,
    is_fine: bool,
    texts: Vec<(Key, StrId)>,
}

impl<'a> Preparing<'a> {
    fn new(store: &'a Store, of: &'a Description, builder: &'a mut TraceBuilder) -> Self {
        let class = match builder.strings().get(of.name) {
            "idle" => Class::Idle,
            name if name.starts_with("stage/") => Class::Stage,
            name if name.starts_with("statement/") => Class::Statement,
            "transaction" => Class::Transaction,
            _ => Class::Wait,
        };
        Self {
            layout: &store.layouts[of.layout as usize],
            of,
            builder,
            class,
            is_fine: true,
            texts: Vec::new(),
        }
    }

    fn finish(mut self) -> Prepared {
        let state = self.text("RETURNED_SQLSTATE").map(|state| self.builder.strings().get(state).to_owned());
        self.is_fine =
            state.is_none_or(|state| ["00", "01", "02"].iter().any(|class| state.starts_with(class)));
        let sql = self.text("SQL_TEXT").or(self.text("DIGEST_TEXT"));
        let columns = self.layout.texts.iter().zip(&self.of.texts);
        for (&column, &text) in
            columns.filter(|(_, text)| text.some().is_some_and(|text| text != StrId::EMPTY))
        {
            let column = self.builder.strings().get(column).to_owned();
            self.column(&column, text);
        }
        self.objects();
        let name = sql.filter(|_| self.class == Class::Statement).unwrap_or(self.of.name);
        if name != self.of.name {
            self.add(words::EVENT_NAME, self.of.name);
        }
        let kind = match self.class {
            Class::Transaction => Kind::Transaction,
            Class::Statement => Kind::Query,
            Class::Idle => Kind::Idle,
            Class::Stage => Kind::Stage,
            Class::Wait => Kind::Wait,
        };
        let shapes = self.shapes();
        let texts = self.texts.iter().map(|(_, text)| *text).collect();
        Prepared {
            class: self.class,
            kind,
            name,
            texts,
            shapes,
            counts: self.counts(),
            is_fine: self.is_fine,
        }
    }

    fn text(&mut self, column: &str) -> Option<StrId> {
        let column = self.builder.strings().find(column)?;
        let at = self.layout.texts.iter().position(|&known| known == column)?;
        self.of.texts.get(at)?.some()
    }

    fn add(&mut self, name: &str, text: StrId) {
        let key = self.builder.key(name, Unit::Text);
        self.texts.push((key, text));
    }

    fn column(&mut self, column: &str, text: StrId) {
        match column {
            "OBJECT_SCHEMA" | "OBJECT_NAME" => {}
            "OBJECT_INSTANCE_BEGIN" if self.builder.strings().get(text) == "0" => {}
            "OBJECT_INSTANCE_BEGIN" => self.add(words::INSTANCE, text),
            "INDEX_NAME" => self.add(words::INDEX, text),
            "SQL_TEXT" => self.texts.push((key::SQL, text)),
            "MESSAGE_TEXT" if !self.is_fine => self.texts.push((key::ERROR, text)),
            "CURRENT_SCHEMA" => self.texts.push((key::DATABASE, text)),
            _ => self.add(&named(column), text),
        }
    }

    /// What it was done to: schema and name mean something else for every sort of event.
    fn objects(&mut self) {
        let (schema, name) = (self.text("OBJECT_SCHEMA"), self.text("OBJECT_NAME"));
        let event = self.builder.strings().get(self.of.name).to_owned();
        let Some(name) = name else {
            if let Some(schema) = schema {
                self.add(words::SCHEMA, schema);
            }
            return;
        };
        let qualified = |strings: &mut Strings| match schema {
            None => name,
            Some(schema) => {
                let text = format!("{}.{}", strings.get(schema), strings.get(name));
                strings.intern(&text)
            }
        };
        let whole = qualified(self.builder.strings());
        match event.as_str() {
            _ if self.class == Class::Statement => self.add(words::PROGRAM, whole),
            _ if event.starts_with("wait/io/file/") => self.add(words::FILE, name),
            _ if event.starts_with("wait/io/socket/") => self.add(words::SOCKET, name),
            _ if event.starts_with("wait/io/table/") || event.starts_with("wait/lock/table/") => {
                if let Some(schema) = schema {
                    self.add(words::SCHEMA, schema);
                }
                self.add(words::TABLE, name);
            }
            _ => self.add(words::OBJECT, whole),
        }
    }

    fn shapes(&mut self) -> [ShapeId; 2] {
        let is_rows = self.builder.strings().get(self.of.name).starts_with("wait/io/table/");
        let layout = self.layout;
        let fixed = [
            (words::EVENT_ID, Unit::Count),
            (words::TIMER_WAIT, Unit::Picos),
            (words::OWN_TIME, Unit::Picos),
        ];
        let fixed = &fixed[..if self.class == Class::Statement { 3 } else { 2 }];
        let mut keys: Vec<Key> = fixed.iter().map(|(name, unit)| self.builder.key(name, *unit)).collect();
        let texts: Vec<Key> = self.texts.iter().map(|(key, _)| *key).collect();
        let few = self.builder.shape(&keys, &texts);
        for &column in &layout.numbers {
            let column = self.builder.strings().get(column).to_owned();
            keys.push(match column.as_str() {
                "NUMBER_OF_BYTES" if is_rows => self.builder.key(words::ROWS, Unit::Rows),
                "NUMBER_OF_BYTES" => key::BYTES,
                "ROWS_EXAMINED" => key::ROWS_READ,
                "ROWS_SENT" => key::ROWS_RETURNED,
                "ROWS_AFFECTED" => self.builder.key(&named(&column), Unit::Rows),
                "LOCK_TIME" | "CPU_TIME" => self.builder.key(&named(&column), Unit::Picos),
                name if name.ends_with("_MEMORY") => self.builder.key(&named(&column), Unit::Bytes),
                _ => self.builder.key(&named(&column), Unit::Count),
            });
        }
        [self.builder.shape(&keys, &texts), few]
    }

    fn counts(&mut self) -> [Option<usize>; 5] {
        COUNTS.map(|column| {
            let column = self.builder.strings().find(column)?;
            self.layout.numbers.iter().position(|&known| known == column)
        })
    }
}

/// A column's name as an attribute's.
fn named(column: &str) -> String {
    column.to_ascii_lowercase().replace('_', " ")
}

/// What the numbers of a statement say at a glance.
pub fn flags(prepared: &Prepared, number: impl Fn(usize) -> Option<i64>) -> Flags {
    if prepared.class != Class::Statement {
        return Flags::default();
    }
    let [errors, errno, examined, sent, affected] =
        prepared.counts.map(|at| at.and_then(&number).unwrap_or(0));
    let mut flags = Flags::default();
    if errors > 0 || errno != 0 && !prepared.is_fine {
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
