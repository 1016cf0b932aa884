//! Assigns colour slots to bars, and names to the slots. The theme determines the colour of a slot.

use std::rc::Rc;

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::{chunked, sort, text};
use crate::protocol::{ColorBy, Legend, slot};
use crate::trace::{Flags, Item, Kind, SpanId, Trace, key};

/// Maximum number of names in a legend, those with the most time first.
const LEGEND_NAMES: usize = 500;
/// Maximum number of characters of a name in a legend.
const NAME_LENGTH: usize = 60;

/// The names that have a colour of their own in a trace, and their colour slots.
#[derive(Default)]
pub(super) struct ColorNames {
    slots: FxHashMap<StrId, u16>,
    /// Names, those with the most time first.
    ranked: Vec<StrId>,
}

impl ColorNames {
    /// Returns the names of a trace; none if colours do not depend on names.
    pub fn of(trace: &Trace, by: ColorBy) -> Self {
        if by == ColorBy::Outcome {
            return Self::default();
        }
        if by == ColorBy::Kind && !Kind::ALL.into_iter().any(|kind| is_named(kind) && trace.spans.has(kind)) {
            return Self::default();
        }
        // Names of spans without duration are ranked, too.
        let mut times = vec![-1_i64; trace.strings.len()];
        chunked::for_each(0..trace.spans.len() as u32, |id| {
            let span = SpanId(id);
            if let Some(time) = own_name(trace, span, by).and_then(|name| times.get_mut(name.0 as usize)) {
                *time = (*time).max(0).saturating_add(trace.duration(span).max(0));
            }
        });
        let names = (0..).map(StrId).zip(times).filter(|(_, time)| *time >= 0);
        let mut names: Vec<_> = names.collect();
        sort::by(&mut names, |a, b| b.1.cmp(&a.1).then_with(|| trace.str(a.0).cmp(trace.str(b.0))));
        let ranked: Vec<StrId> = names.into_iter().map(|(name, _)| name).collect();
        let texts: Vec<&str> = ranked.iter().map(|&name| trace.str(name)).collect();
        let reserved = if by == ColorBy::Kind { twins(trace) } else { Vec::new() };
        Self { slots: ranked.iter().copied().zip(slots_of_names(&texts, &reserved)).collect(), ranked }
    }
}

/// Maps items to colour slots.
pub(super) struct Colors {
    by: ColorBy,
    names: Rc<ColorNames>,
}

impl Colors {
    /// Creates the mapping; `names` must belong to the trace that is drawn.
    pub fn new(by: ColorBy, names: Rc<ColorNames>) -> Self {
        Self { by, names }
    }

    /// Returns the slot of an item, whose kind is `kind`.
    pub fn slot(&self, trace: &Trace, item: Item, kind: Kind) -> u16 {
        match self.by {
            ColorBy::Kind if is_named(kind) => self.slot_of_named(trace, kind, trace.name(item)),
            ColorBy::Kind => kind.slot(),
            ColorBy::Outcome => outcome(trace, item),
            _ => {
                let name = name_of(trace, item, self.by);
                name.and_then(|name| self.slot_of(name)).unwrap_or(slot::NONE)
            }
        }
    }

    /// Returns the slot of items of a kind with this name when colouring by kind.
    pub fn slot_of_named(&self, trace: &Trace, kind: Kind, name: StrId) -> u16 {
        let named = if is_named(kind) { self.slot_of(trace.name_group(name)) } else { None };
        named.unwrap_or(kind.slot())
    }

    fn slot_of(&self, name: StrId) -> Option<u16> {
        self.names.slots.get(&name).copied()
    }
}

/// Kinds, and the name slots that have the same hue in the style sheet.
const TWINS: [(Kind, u16); 5] =
    [(Kind::Query, 0), (Kind::Source, 1), (Kind::Execution, 2), (Kind::Buffer, 3), (Kind::Transaction, 3)];

/// Returns the name slots to reserve because a kind with the same hue is drawn.
fn twins(trace: &Trace) -> Vec<usize> {
    let drawn = || Kind::ALL.into_iter().filter(|kind| !is_named(*kind) && occurs(trace, *kind));
    let is_drawn = |twin: Kind| drawn().any(|kind| kind.slot() == twin.slot());
    TWINS.into_iter().filter(|(kind, _)| is_drawn(*kind)).map(|(_, slot)| slot.into()).collect()
}

/// Assigns slots to names. The first names, as many as there are free slots, each get their own: the slot that the text
/// prefers, which is the same in every trace, or the next free one. Slots in `reserved` are not used.
fn slots_of_names(ranked: &[&str], reserved: &[usize]) -> Vec<u16> {
    let mut slots: Vec<u16> = ranked.iter().map(|name| slot_of_name(name)).collect();
    let mut barred = [false; slot::CATEGORIES as usize];
    reserved.iter().for_each(|&slot| barred[slot] = true);
    let next = |slot: u16, taken: &[bool]| {
        let wanted = usize::from(slot - slot::CATEGORY);
        (0..taken.len()).map(|step| (wanted + step) % taken.len()).find(|&slot| !taken[slot])
    };
    let own = barred.iter().filter(|barred| !**barred).count();
    let (mut first, mut taken) = ((0..ranked.len().min(own)).collect::<Vec<usize>>(), barred);
    sort::by(&mut first, |&a, &b| ranked[a].cmp(ranked[b]));
    for at in first {
        let Some(found) = next(slots[at], &taken) else { continue };
        taken[found] = true;
        slots[at] = slot::CATEGORY + found as u16;
    }
    for slot in slots.iter_mut().skip(own) {
        *slot = next(*slot, &barred).map_or(*slot, |found| slot::CATEGORY + found as u16);
    }
    slots
}

/// Returns the preferred slot of a name: the same in every trace and every build.
fn slot_of_name(name: &str) -> u16 {
    // FNV-1a is stable, unlike the hash functions of hash tables.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    slot::CATEGORY + ((hash >> 32) % u64::from(slot::CATEGORIES)) as u16
}

impl Legend {
    /// Returns the legend of a trace's colours.
    #[inline(never)]
    pub(super) fn of(trace: &Trace, colors: &Colors) -> Self {
        let failed = trace.spans.has_marked(Flags::FAILED) || trace.events.has_marked(Flags::FAILED);
        let legend = match colors.by {
            ColorBy::Kind => {
                let kinds = Kind::ALL.into_iter().filter(|kind| !is_named(*kind) && occurs(trace, *kind));
                let mut legend = Self::of_names(trace, &colors.names);
                legend.entries.splice(0..0, kinds.map(|kind| (kind.slot(), kind.name().to_owned())));
                legend
            }
            ColorBy::Outcome => {
                let names = [(slot::OK, "ok"), (slot::FAILED, "failed"), (slot::UNFINISHED, "unfinished")];
                let entries = names.map(|(slot, name)| (slot, name.to_owned())).to_vec();
                Self { entries, ..Self::default() }
            }
            _ => Self::of_names(trace, &colors.names),
        };
        Self { failed, ..legend }
    }

    fn of_names(trace: &Trace, names: &ColorNames) -> Self {
        let entry = |name: &StrId| (names.slots[name], text::shortened(trace.str(*name), NAME_LENGTH));
        let entries = names.ranked.iter().take(LEGEND_NAMES).map(entry).collect();
        Self { entries, more: names.ranked.len().saturating_sub(LEGEND_NAMES) as u32, failed: false }
    }
}

fn occurs(trace: &Trace, kind: Kind) -> bool {
    trace.spans.has(kind) || trace.events.has(kind)
}

/// Returns the slot for the outcome of an item or of the query that contains it: failed if either failed, otherwise
/// unfinished if either has no start or end, otherwise successful.
fn outcome(trace: &Trace, item: Item) -> u16 {
    let mut flags = match item {
        Item::Span(id) => trace.spans.flags(id),
        Item::Event(id) => trace.events.flags(id),
    };
    let mut parent = trace.parent(item);
    while let (false, Some(id)) = (flags.has(Flags::FAILED), parent) {
        let span = trace.spans.get(id);
        parent = span.parent;
        if span.kind == Kind::Query {
            flags = flags.with(span.flags);
        }
    }
    let open = flags.has(Flags::OPEN_END) || flags.has(Flags::OPEN_START);
    match (flags.has(Flags::FAILED), open) {
        (true, _) => slot::FAILED,
        (false, true) => slot::UNFINISHED,
        (false, false) => slot::OK,
    }
}

/// Returns the name that determines an item's colour: its own, or the name of the nearest ancestor span that has one.
/// `None` if no name does.
fn name_of(trace: &Trace, item: Item, by: ColorBy) -> Option<StrId> {
    let mut at = match item {
        Item::Span(id) => Some(id),
        Item::Event(_) => trace.parent(item),
    };
    while let Some(id) = at {
        if let Some(name) = own_name(trace, id, by) {
            return Some(name);
        }
        at = trace.spans.parent(id);
    }
    None
}

#[inline]
fn own_name(trace: &Trace, span: SpanId, by: ColorBy) -> Option<StrId> {
    let name_if = |wanted: fn(Kind) -> bool| wanted(trace.spans.kind(span)).then(|| trace.spans.name(span));
    match by {
        ColorBy::Connector => trace.text(Item::Span(span), key::CONNECTOR),
        ColorBy::Datasource => trace.text(Item::Span(span), key::DATASOURCE),
        ColorBy::Query => name_if(|kind| kind == Kind::Query),
        ColorBy::Kind => name_if(is_named).map(|name| trace.name_group(name)),
        ColorBy::Outcome => None,
    }
}

/// Whether items of a kind are coloured by name when colouring by kind, because most of them have the same kind.
fn is_named(kind: Kind) -> bool {
    matches!(kind, Kind::Slice | Kind::State)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_commonest_names_share_no_colour() {
        let names: Vec<String> = (0..40).map(|n| format!("name {n}")).collect();
        for count in [0, 1, 2, 6, 12, 13, 40] {
            let ranked: Vec<&str> = names[..count].iter().map(String::as_str).collect();
            for reserved in [&[][..], &[1], &[0, 1, 3]] {
                let own = usize::from(slot::CATEGORIES) - reserved.len();
                let slots = slots_of_names(&ranked, reserved);
                let first: HashSet<u16> = slots.iter().take(own).copied().collect();
                assert_eq!(first.len(), count.min(own));
                let names = slot::CATEGORY..slot::CATEGORY + slot::CATEGORIES;
                assert!(slots.iter().all(|slot| names.contains(slot)));
                let is_barred = |slot: &u16| reserved.contains(&usize::from(slot - slot::CATEGORY));
                assert!(!slots.iter().any(is_barred));
            }
        }
        assert_eq!(
            slots_of_names(&["a", "b"], &[]),
            slots_of_names(&["b", "a"], &[]).into_iter().rev().collect::<Vec<_>>()
        );
    }
}
