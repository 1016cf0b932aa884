//! Groups the executions of statements that differ only in their values.

use super::{Queries, SqlShapes};
use crate::base::FxHashMap;
use crate::base::sort;
use crate::trace::{Item, Key, StrId, Trace, attribute_names, key};

/// Texts that stand for statements.
#[derive(Clone, Copy)]
pub struct StatementTexts<'a> {
    trace: &'a Trace,
    digest: Option<Key>,
}

impl<'a> StatementTexts<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        Self { trace, digest: trace.key(attribute_names::DIGEST_TEXT) }
    }

    /// The statement as the server normalised it; its SQL or else its name if the server did not.
    #[inline]
    pub fn of(self, item: Item) -> StrId {
        let Self { trace, digest } = self;
        let text = digest.and_then(|key| trace.text(item, key)).or_else(|| trace.text(item, key::SQL));
        text.unwrap_or_else(|| trace.name(item))
    }

    /// Name of the attribute that has the text of [`Self::of`].
    pub fn attribute(self, item: Item) -> &'static str {
        let Self { trace, digest } = self;
        match digest.and_then(|key| trace.text(item, key)) {
            Some(_) => attribute_names::DIGEST_TEXT,
            None if trace.text(item, key::SQL).is_some() => "SQL",
            None => "name",
        }
    }

    /// Name of an attribute that has the text of all executions of a statement, if `a` and `b` have it for some of them: servers
    /// leave out the digest of some executions, and engines report statements in different attributes.
    pub fn common_attribute(a: &'static str, b: &'static str) -> &'static str {
        if a == b { a } else { attribute_names::STATEMENT_TEXT }
    }

    /// Name by which filters and pivot tables refer to a statement that is in this attribute: with its literals replaced.
    pub fn dimension(attribute: &str) -> String {
        format!("{attribute}[shape]")
    }
}

/// Statement with its executions, as rows of the query list.
#[derive(Default)]
pub struct Statement {
    /// Index of the statement's text in [`SqlShapes`].
    pub shape: u32,
    /// Rows of the executions, in the order of the query list.
    pub rows: Vec<u32>,
    /// Total duration of the executions, in nanoseconds.
    pub time: i64,
}

/// All statements of a trace.
pub struct Statements {
    all: Vec<Statement>,
    /// Indices of `all` in descending order of total time.
    order: Vec<u32>,
    /// By row of the query list: index of its statement in `all`.
    of_row: Vec<u32>,
}

impl Statements {
    pub fn of(trace: &Trace, queries: &Queries, shapes: &mut SqlShapes) -> Self {
        let texts = StatementTexts::new(trace);
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        let mut all: Vec<Statement> = Vec::new();
        for row in 0..queries.len() {
            let shape = shapes.of(trace, texts.of(Item::Span(queries.span(row))));
            let at = *known.entry(shape).or_insert_with(|| {
                all.push(Statement { shape, ..Statement::default() });
                all.len() as u32 - 1
            });
            let statement = &mut all[at as usize];
            statement.rows.push(row);
            statement.time = statement.time.saturating_add(queries.duration(row));
        }
        let mut order: Vec<u32> = (0..all.len() as u32).collect();
        sort::by_key(&mut order, |&at| (all[at as usize].time.saturating_neg(), u64::from(at)));
        let mut of_row = vec![0; queries.len() as usize];
        for (at, statement) in (0..).zip(&all) {
            statement.rows.iter().for_each(|&row| of_row[row as usize] = at);
        }
        Self { all, order, of_row }
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Iterates over the statements in descending order of total time.
    pub fn largest(&self) -> impl Iterator<Item = &Statement> {
        self.order.iter().map(|&at| &self.all[at as usize])
    }

    /// The shape and the executions of each statement, in the order of their first executions.
    pub fn into_groups(self) -> impl Iterator<Item = (u32, Vec<u32>)> {
        self.all.into_iter().map(|statement| (statement.shape, statement.rows))
    }

    /// Rows of all executions of the statement that `row` is an execution of.
    pub fn rows_like(&self, row: u32) -> &[u32] {
        self.of_row.get(row as usize).map_or(&[], |&at| &self.all[at as usize].rows)
    }

    /// Row to show first: the longest execution of the statement with the most total time; `None` if there are no
    /// statements. Statements that ran more than once are preferred.
    pub fn first(&self, queries: &Queries) -> Option<u32> {
        let statement = self.largest().find(|of| of.rows.len() > 1).or(self.largest().next())?;
        statement.rows.iter().copied().max_by_key(|&row| (queries.duration(row), std::cmp::Reverse(row)))
    }
}
