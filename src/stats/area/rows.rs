//! Tables of an area: its names, and its spans.

use super::{AreaMember, AreaScope, AreaSums, Areas, NameGroup, rows_of};
use crate::base::{sort, text};
use crate::protocol::{
    AreaNameColumn, AreaNameList, AreaNamePage, AreaNameRow, AreaSpanColumn, AreaSpanList, AreaSpanPage,
    AreaSpanRow, AreaTimes,
};
use crate::trace::{Flags, Item, Trace, attribute_names};

/// Maximum number of rows in a page.
const MAX_ROWS: u32 = 10_000;
/// Maximum length of a name, in characters.
const NAME: usize = 400;

/// Order of the table of spans, as indices of members.
pub(super) struct SpanOrder {
    list: AreaSpanList,
    members: Vec<u32>,
}

impl Areas {
    /// Returns a page of the table of names.
    #[inline(never)]
    pub fn names(
        &mut self,
        scope: &mut AreaScope,
        list: &AreaNameList,
        (first, count): (u32, u32),
    ) -> AreaNamePage {
        let sums = self.sums(scope, &list.area);
        let name = |group: &NameGroup| group.name.text(scope.trace, scope.shapes);
        let mut shown: Vec<(u32, &NameGroup)> = (0..).zip(&sums.groups).collect();
        order_names(&name, list, &mut shown);
        let page = shown.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        AreaNamePage {
            total: shown.len() as u32,
            time: sums.area.total,
            notes: sums.notes.clone(),
            first,
            rows: page.map(|&(at, group)| name_row(name(group), at, group)).collect(),
        }
    }

    /// Returns a page of the table of spans.
    #[inline(never)]
    pub fn spans(
        &mut self,
        scope: &mut AreaScope,
        list: &AreaSpanList,
        (first, count): (u32, u32),
    ) -> AreaSpanPage {
        let trace = scope.trace;
        self.sums(scope, &list.area);
        let Self { sums: Some((_, sums)), order } = self else { return AreaSpanPage::default() };
        if order.as_ref().is_none_or(|order| order.list != *list) {
            *order = Some(SpanOrder { list: list.clone(), members: ordered(trace, sums, list) });
        }
        let members = order.as_ref().map_or(&[][..], |order| &order.members);
        let page = members.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        let group = list.group.and_then(|group| sums.groups.get(group as usize));
        AreaSpanPage {
            total: members.len() as u32,
            name: group.map(|group| text::shortened(group.name.text(trace, scope.shapes), NAME)),
            first,
            rows: page
                .filter_map(|&at| sums.members.get(at as usize))
                .map(|of| span_row(trace, of))
                .collect(),
        }
    }
}

/// Indices of the selected members, in order.
fn ordered(trace: &Trace, sums: &AreaSums, list: &AreaSpanList) -> Vec<u32> {
    let is_shown = |member: &AreaMember| match list.group {
        Some(group) => member.group == group,
        None => matches!(member.item, Item::Span(_)),
    };
    let shown = (0..).zip(&sums.members).filter(|(_, member)| is_shown(member));
    let mut members: Vec<u32> = shown.map(|(at, _)| at).collect();
    let measure = |member: &AreaMember| match list.sort {
        // Whole starts, as the table shows them; members are in the order of their starts inside the range.
        AreaSpanColumn::Start => trace.interval(member.item).0,
        AreaSpanColumn::Duration => member.duration.saturating_neg(),
        AreaSpanColumn::SelfTime => member.self_time.saturating_neg(),
    };
    sort::by_key(&mut members, |&at| (measure(&sums.members[at as usize]), u64::from(at)));
    if list.reversed {
        members.reverse();
    }
    members
}

/// Orders rows; `name` returns the name of a group.
fn order_names<'a>(
    name: &dyn Fn(&NameGroup) -> &'a str,
    list: &AreaNameList,
    rows: &mut Vec<(u32, &NameGroup)>,
) {
    let is_by_name = list.sort == AreaNameColumn::Name;
    if is_by_name {
        let mut titled: Vec<(Option<String>, &(u32, &NameGroup))> =
            rows.iter().map(|row| (Some(name(row.1).to_owned()), row)).collect();
        sort::by(&mut titled, |a, b| a.0.cmp(&b.0));
        let sorted = titled.into_iter().map(|(_, row)| *row).collect();
        *rows = sorted;
    } else {
        let key = |row: &(u32, &NameGroup)| {
            measure(row.1, list.sort).map_or((i64::MAX, 1 << 32), |value| (!value, 0))
        };
        sort::by_key(rows, |row| (key(row).0, key(row).1 | u64::from(row.0)));
    }
    if list.reversed {
        // Names without a value stay at the end.
        let known = rows.partition_point(|row| is_by_name || measure(row.1, list.sort).is_some());
        rows[..known].reverse();
    }
}

/// Value of a name in a column; `None` if it has none.
fn measure(group: &NameGroup, column: AreaNameColumn) -> Option<i64> {
    let times = times(group);
    match column {
        AreaNameColumn::Name => None,
        AreaNameColumn::Count => i64::try_from(group.count).ok(),
        AreaNameColumn::Total => times.map(|times| times.total),
        AreaNameColumn::SelfTime => times.map(|times| times.self_time),
        AreaNameColumn::Wall => times.map(|times| times.wall),
        AreaNameColumn::Mean => times.map(|times| times.mean),
        AreaNameColumn::Max => times.map(|times| times.max),
        AreaNameColumn::Rows => group.rows.total(),
        AreaNameColumn::Bytes => group.bytes.total(),
    }
}

fn times(group: &NameGroup) -> Option<AreaTimes> {
    let mean = group.total.average()?;
    Some(AreaTimes {
        total: group.total.or_zero(),
        self_time: group.self_time.or_zero(),
        wall: group.wall.length(),
        mean: mean.round() as i64,
        max: group.max,
    })
}

fn name_row(name: &str, at: u32, group: &NameGroup) -> AreaNameRow {
    AreaNameRow {
        group: at,
        name: text::shortened(name, NAME),
        kind: group.kind.name().to_owned(),
        count: group.count,
        times: times(group),
        rows: group.rows.total(),
        bytes: group.bytes.total(),
    }
}

fn span_row(trace: &Trace, member: &AreaMember) -> AreaSpanRow {
    let (item, is_span) = (member.item, matches!(member.item, Item::Span(_)));
    let flags = match item {
        Item::Span(id) => trace.spans.kind_and_flags(id).1,
        Item::Event(_) => Flags::default(),
    };
    AreaSpanRow {
        item: item.code(),
        name: text::shortened(trace.str(trace.name(item)), NAME),
        track: text::shortened(trace.str(trace.tracks.get(trace.track_of(item)).name), NAME),
        start: trace.interval(item).0,
        duration: is_span.then_some(member.duration),
        self_time: is_span.then_some(member.self_time),
        failed: flags.has(Flags::FAILED),
        rows: rows_of(trace, item, trace.key(attribute_names::ROWS_OUT)),
    }
}
