//! [`AggregateTree`]: an aggregate and its roll-ups to fewer and fewer dimensions, up to the total, for a table with
//! expandable rows.

use std::cmp::Ordering;
use std::rc::Rc;

use super::across::{Across, AcrossColumn};
use super::aggregate::Aggregate;
use super::cell::{Amount, Measure};
use super::group::NumberedLists;
use super::projection::AttributeValue;
use crate::base::FxHashMap;
use crate::base::sort;
use crate::trace::Trace;
use crate::trace::word_hash::is_text;

/// The order of groups with the same parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupOrder {
    /// The column to sort by; `None` to sort by the values of the dimension.
    pub column: Option<AcrossColumn>,
    /// Whether the largest values come first.
    pub descending: bool,
}

/// A group of a tree: its number of dimensions (its level), and its group number at this level.
pub type TreeGroup = (usize, u32);

/// Aggregates by no dimension, by the first dimension, by the first two, …
pub struct AggregateTree {
    levels: Vec<Rc<Aggregate>>,
    /// By level except the last: for each group, its child groups at the next level.
    children: Vec<NumberedLists>,
    across: Option<Across>,
    sort: GroupOrder,
    orders: FxHashMap<TreeGroup, Rc<[u32]>>,
}

impl AggregateTree {
    /// Builds the tree of an aggregate.
    #[inline(never)]
    pub fn of(finest: Rc<Aggregate>) -> Self {
        let mut levels = vec![finest];
        let mut children = Vec::new();
        while let Some((level, groups)) = levels[levels.len() - 1].without_last() {
            children.push(groups);
            levels.push(Rc::new(level));
        }
        levels.reverse();
        children.reverse();
        let sort = GroupOrder { column: None, descending: false };
        Self { levels, children, across: None, sort, orders: FxHashMap::default() }
    }

    /// Builds the tree of an aggregate without its last dimension, whose values become columns, ordered by the measure
    /// `first`, largest first.
    #[inline(never)]
    pub fn with_columns(trace: &Trace, finest: Rc<Aggregate>, first: Option<Measure>) -> Self {
        let Some((rows, _)) = finest.without_last() else { return Self::of(finest) };
        Self { across: Some(Across::of(trace, finest, first)), ..Self::of(Rc::new(rows)) }
    }

    /// The value columns; `None` for a table without a dimension across.
    pub(super) fn across(&self) -> Option<&Across> {
        self.across.as_ref()
    }

    /// The group of all points; `None` if there are no points.
    pub fn root(&self) -> Option<TreeGroup> {
        (!self.levels[0].is_empty()).then_some((0, 0))
    }

    /// Number of dimensions.
    pub fn depth(&self) -> usize {
        self.children.len()
    }

    /// Number of groups at a level.
    pub fn width(&self, level: usize) -> usize {
        self.levels.get(level).map_or(0, |level| level.len())
    }

    /// The group's value in its last dimension; `None` for the group of all points.
    pub fn value(&self, (level, group): TreeGroup) -> &AttributeValue {
        match level.checked_sub(1) {
            Some(dimension) => self.levels[level].value(group as usize, dimension),
            None => &AttributeValue::None,
        }
    }

    /// The codes of a group, one per dimension.
    pub(super) fn codes(&self, (level, group): TreeGroup) -> Vec<u32> {
        (0..level).map(|dimension| self.levels[level].code(group as usize, dimension)).collect()
    }

    /// Number of points in a group.
    pub fn count(&self, (level, group): TreeGroup) -> u64 {
        self.levels[level].count(group as usize)
    }

    /// The amount of a group in a column.
    pub fn amount(&self, trace: &Trace, node: TreeGroup, column: AcrossColumn) -> Amount {
        match (column.across, &self.across) {
            (Some(at), Some(across)) => across.amount(trace, node, at, column.measure),
            _ => self.levels[node.0].amount(trace, node.1 as usize, column.measure),
        }
    }

    /// The child groups of a group, sorted.
    pub fn children(&mut self, trace: &Trace, node: TreeGroup, sort: GroupOrder) -> Rc<[u32]> {
        if self.sort != sort {
            self.sort = sort;
            self.orders.clear();
        }
        if let Some(order) = self.orders.get(&node) {
            return order.clone();
        }
        let order: Rc<[u32]> = self.sorted(trace, node).into();
        self.orders.insert(node, order.clone());
        order
    }

    fn sorted(&self, trace: &Trace, (level, group): TreeGroup) -> Vec<u32> {
        let Some(children) = self.children.get(level) else { return Vec::new() };
        let amount = |child: u32| match self.sort.column {
            Some(column) => self.amount(trace, (level + 1, child), column).order(),
            None => 0,
        };
        let children = children.of(group as usize);
        let mut keyed: Vec<(i128, u32)> = children.map(|child| (amount(child), child)).collect();
        let by_value =
            |a: u32, b: u32| compare(trace, self.value((level + 1, a)), self.value((level + 1, b)));
        let turned = self.sort.descending;
        let by_label = self.sort.column.is_none();
        sort::by(&mut keyed, |a, b| {
            let order = if by_label { by_value(a.1, b.1) } else { a.0.cmp(&b.0) };
            let order = if turned { order.reverse() } else { order };
            order.then_with(|| by_value(a.1, b.1))
        });
        keyed.into_iter().map(|(_, child)| child).collect()
    }

    /// The group at the end of a path of labels, or of their hashes; `None` if there is no such group.
    pub fn find(&self, trace: &Trace, path: &[String]) -> Option<TreeGroup> {
        let mut node = self.root()?;
        for label in path {
            let mut children = self.children.get(node.0)?.of(node.1 as usize);
            let unit = self.levels[node.0 + 1].dimensions[node.0].attribute.unit(trace);
            let is_it = |&child: &u32| is_text(label, &self.value((node.0 + 1, child)).written(trace, unit));
            node = (node.0 + 1, children.find(is_it)?);
        }
        Some(node)
    }

    /// The labels on the path to a group, as [`AggregateTree::find`] takes them.
    pub fn path(&self, trace: &Trace, (level, group): TreeGroup) -> Vec<String> {
        let aggregate = &self.levels[level];
        let label = |dimension: usize| {
            let unit = aggregate.dimensions[dimension].attribute.unit(trace);
            aggregate.value(group as usize, dimension).written(trace, unit)
        };
        (0..level).map(label).collect()
    }

    /// The maximum amount over all groups of a level: in `column` if it is for all points of a group, or else in all
    /// value columns with the same measure.
    pub(super) fn most(&self, trace: &Trace, level: usize, column: AcrossColumn) -> i128 {
        if let (Some(_), Some(across)) = (column.across, &self.across) {
            return across.most(trace, level, column.measure);
        }
        let groups = 0..self.width(level) as u32;
        groups.map(|group| self.amount(trace, (level, group), column).order()).max().unwrap_or(0)
    }

    /// The group's value as it is shown.
    pub fn label(&self, trace: &Trace, node: TreeGroup) -> String {
        let dimension = node.0.checked_sub(1).map(|at| &self.levels[node.0].dimensions[at]);
        let unit = dimension.map_or(crate::trace::Unit::Text, |dimension| dimension.attribute.unit(trace));
        self.value(node).written(trace, unit)
    }
}

/// Orders values: missing values first, then numbers by size, then texts by their characters.
pub(super) fn compare(trace: &Trace, a: &AttributeValue, b: &AttributeValue) -> Ordering {
    match (a, b) {
        (AttributeValue::Number(a), AttributeValue::Number(b)) => a.cmp(b),
        _ => {
            let rank = |value: &AttributeValue| match value {
                AttributeValue::None => 0,
                AttributeValue::Number(_) => 1,
                _ => 2,
            };
            rank(a).cmp(&rank(b)).then_with(|| a.text(trace).cmp(&b.text(trace)))
        }
    }
}
