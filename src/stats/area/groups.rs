//! Groups of the items of an area: by kind and name, queries by the shape of their statements.

use super::{AreaMember, AreaNumbers};
use crate::analysis::{SqlShapes, StatementTexts, Sum, Union};
use crate::base::FxHashMap;
use crate::trace::{Item, Kind, StrId, Trace};

/// What the items of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GroupName {
    Name(StrId),
    /// Shape of the statements of queries, as an index into [`SqlShapes`].
    Shape(u32),
}

/// Items of one kind and name, or queries of one shape.
pub(super) struct NameGroup {
    pub(super) name: GroupName,
    pub(super) kind: Kind,
    pub(super) is_of_spans: bool,
    pub(super) count: u64,
    pub(super) total: Sum,
    pub(super) self_time: Sum,
    pub(super) wall: Union,
    pub(super) max: i64,
    pub(super) rows: Sum,
    pub(super) bytes: Sum,
}

impl NameGroup {
    pub(super) fn new(name: GroupName, kind: Kind, is_of_spans: bool) -> Self {
        let (total, self_time, rows, bytes) = Default::default();
        let wall = Union::default();
        Self { name, kind, is_of_spans, count: 0, total, self_time, wall, max: 0, rows, bytes }
    }

    #[inline]
    pub(super) fn add(&mut self, member: &AreaMember, numbers: &AreaNumbers) {
        self.count += 1;
        if self.is_of_spans {
            self.total.add(Some(member.duration));
            self.self_time.add(Some(member.self_time));
            self.wall.add(member.inside);
            self.max = self.max.max(member.duration);
        }
        self.rows.add(numbers.rows(member.item));
        self.bytes.add(numbers.bytes(member.item));
    }
}

/// Groups by kind and name; queries by the shape of their statements, as in the list of statements.
pub(super) struct GroupNames<'a> {
    trace: &'a Trace,
    shapes: &'a mut SqlShapes,
    texts: StatementTexts<'a>,
    known: FxHashMap<u64, u32>,
    pub(super) groups: Vec<NameGroup>,
    last: Option<(u64, u32)>,
}

impl<'a> GroupNames<'a> {
    pub(super) fn new(trace: &'a Trace, shapes: &'a mut SqlShapes) -> Self {
        let texts = StatementTexts::new(trace);
        Self { trace, shapes, texts, known: FxHashMap::default(), groups: Vec::new(), last: None }
    }

    /// Index of the group of an item.
    #[inline]
    pub(super) fn group(&mut self, item: Item) -> u32 {
        let (kind, is_of_spans) = (self.trace.kind(item), matches!(item, Item::Span(_)));
        let name = self.name(item, kind);
        let (id, is_shape) = match name {
            GroupName::Name(name) => (name.0, false),
            GroupName::Shape(shape) => (shape, true),
        };
        let key =
            u64::from(id) << 10 | (kind as u64) << 2 | u64::from(is_of_spans) << 1 | u64::from(is_shape);
        if let Some((_, group)) = self.last.filter(|(known, _)| *known == key) {
            return group;
        }
        let group = *self.known.entry(key).or_insert_with(|| {
            self.groups.push(NameGroup::new(name, kind, is_of_spans));
            self.groups.len() as u32 - 1
        });
        self.last = Some((key, group));
        group
    }

    #[inline]
    fn name(&mut self, item: Item, kind: Kind) -> GroupName {
        if kind != Kind::Query {
            return GroupName::Name(self.trace.name(item));
        }
        GroupName::Shape(self.shapes.of(self.trace, self.texts.of(item)))
    }
}

impl GroupName {
    pub(super) fn text<'a>(self, trace: &'a Trace, shapes: &'a SqlShapes) -> &'a str {
        match self {
            Self::Name(name) => trace.str(name),
            Self::Shape(shape) => shapes.get(shape),
        }
    }
}
