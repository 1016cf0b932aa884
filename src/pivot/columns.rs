//! [`PointColumns`]: a cache of the columns read from all points, because consecutive questions need the same columns.

use std::rc::Rc;

use super::amounts::Amounts;
use super::attribute::Attribute;
use super::column::PointColumn;
use super::filter::{Term, TermSource};
use super::projection::{Dimension, Projection};
use crate::analysis::{Bits, Queries};
use crate::trace::Trace;

/// Number of cached code columns, at four bytes per point.
const CODES: usize = 8;
/// Number of cached number columns, at eight bytes per point.
const AMOUNTS: usize = 9;
/// Number of cached columns of times clipped to a range.
const CLIPPED: usize = 2;
/// Number of cached filter results, at one bit per point.
const SETS: usize = 32;

/// Cached attributes of all points of one trace. Drop it together with the trace.
#[derive(Default)]
pub(super) struct PointColumns {
    /// Columns of codes; a numeric attribute is stored after the first projection.
    codes: RecentValues<(Attribute, Option<Projection>), Rc<PointColumn>, CODES>,
    amounts: RecentValues<Attribute, Rc<Amounts>, AMOUNTS>,
    /// Times, clipped to a range.
    clipped: RecentValues<(Attribute, (i64, i64)), Rc<Amounts>, CLIPPED>,
    sets: RecentValues<Term, Rc<Bits>, SETS>,
    /// The queries, while a filter with conditions on them is applied.
    queries: Option<Rc<Queries>>,
}

impl PointColumns {
    /// Applies a filter with these columns. Its conditions share one table of queries.
    pub fn apply<T>(&mut self, filter: impl FnOnce(&mut Self) -> T) -> T {
        let applied = filter(self);
        self.queries = None;
        applied
    }

    /// The values of an attribute under a time range: times are clipped to the range, other numbers are unchanged.
    pub fn measured(
        &mut self,
        trace: &Trace,
        attribute: Attribute,
        range: Option<(i64, i64)>,
    ) -> Rc<Amounts> {
        let Some(range) = range else { return self.amounts(trace, attribute) };
        if let Some(known) = self.clipped.find(&(attribute, range)) {
            return known;
        }
        match Amounts::clipped(trace, attribute, range) {
            Some(amounts) => self.clipped.keep((attribute, range), Rc::new(amounts)),
            None => self.amounts(trace, attribute),
        }
    }
}

impl TermSource for PointColumns {
    fn column(&mut self, trace: &Trace, dimension: &Dimension) -> Rc<PointColumn> {
        let attribute = dimension.attribute;
        let first = dimension.chain.first().copied().filter(|_| attribute.is_number());
        self.codes.find(&(attribute, first)).unwrap_or_else(|| {
            let column = match attribute.is_number() {
                true => PointColumn::of_numbers(trace, &self.amounts(trace, attribute), first),
                false => PointColumn::of(trace, attribute),
            };
            self.codes.keep((attribute, first), Rc::new(column))
        })
    }

    fn amounts(&mut self, trace: &Trace, attribute: Attribute) -> Rc<Amounts> {
        if let Some(found) = self.amounts.find(&attribute) {
            return found;
        }
        if let Attribute::Server(_) = attribute {
            for (attribute, amounts) in Amounts::of_server(trace) {
                self.amounts.keep(attribute, Rc::new(amounts));
            }
        }
        let found = self.amounts.find(&attribute);
        found.unwrap_or_else(|| self.amounts.keep(attribute, Rc::new(Amounts::of(trace, attribute))))
    }

    fn queries(&mut self, trace: &Trace) -> Rc<Queries> {
        self.queries.get_or_insert_with(|| Rc::new(Queries::of(trace))).clone()
    }

    fn set(&mut self, trace: &Trace, term: &Term) -> Rc<Bits> {
        self.sets.find(term).unwrap_or_else(|| {
            let rows = Rc::new(term.rows(trace, self));
            self.sets.keep(term.clone(), rows)
        })
    }
}

/// The `N` most recently used values, latest last.
struct RecentValues<K, V, const N: usize>(Vec<(K, V)>);

impl<K, V, const N: usize> Default for RecentValues<K, V, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq, V: Clone, const N: usize> RecentValues<K, V, N> {
    fn find(&mut self, key: &K) -> Option<V> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        self.0[at..].rotate_left(1);
        self.0.last().map(|(_, value)| value.clone())
    }

    fn keep(&mut self, key: K, value: V) -> V {
        if self.0.len() >= N {
            self.0.remove(0);
        }
        self.0.push((key, value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_longest_is_let_go() {
        let mut kept = RecentValues::<u8, u8, 2>::default();
        kept.keep(1, 10);
        kept.keep(2, 20);
        assert_eq!(kept.find(&1), Some(10));
        kept.keep(3, 30);
        assert_eq!([1, 2, 3].map(|key| kept.find(&key)), [Some(10), None, Some(30)]);
    }
}
