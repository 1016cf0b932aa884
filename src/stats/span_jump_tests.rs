//! Jumps, compared with sorted lists of all spans.

use super::span_jumps::span_jump;
use crate::analysis::{Bits, SqlShapes};
use crate::protocol::JumpTarget::{
    self, LongerOfName, Longest, LongestOfName, NextFailed, NextOfName, PreviousFailed, PreviousOfName,
};
use crate::testing;
use crate::trace::{
    Flags, Interner, Item, Kind, RecordId, Span, StrId, Trace, TraceBuilder, Unit, attribute_names, key,
};

/// Names of queries by their statement without its number, as the generated statements differ in the table only.
fn name(trace: &Trace, item: Item) -> String {
    let sql = trace.text(item, key::SQL).filter(|_| trace.kind(item) == Kind::Query);
    format!("{:?} {}", trace.kind(item), trace.str(sql.unwrap_or(trace.name(item))))
}

/// Code, position and number of targets, and whether the jump wrapped, by a sorted list of all targets.
fn expected(
    trace: &Trace,
    from: Option<Item>,
    target: JumpTarget,
    passing: Option<&Bits>,
) -> (Option<u32>, usize, usize, bool) {
    let flags = |item: Item| match item {
        Item::Span(id) => trace.spans.flags(id),
        Item::Event(_) => Flags::default(),
    };
    let is_span = |item: &Item| matches!(item, Item::Span(_));
    let all = testing::items(trace).filter(|item| {
        let row = match item {
            Item::Span(id) => id.0,
            Item::Event(id) => trace.spans.len() as u32 + id.0,
        };
        passing.is_none_or(|passing| passing.contains(row))
    });
    let mut all: Vec<Item> = match target {
        NextFailed | PreviousFailed => all.filter(|item| flags(*item).has(Flags::FAILED)).collect(),
        Longest => {
            let whole =
                |item: &Item| !flags(*item).has(Flags::OPEN_END) && !flags(*item).has(Flags::OPEN_START);
            let kind = match from {
                Some(from) if is_span(&from) && trace.kind(from) != Kind::Idle => Some(trace.kind(from)),
                _ => trace.spans.has(Kind::Query).then_some(Kind::Query),
            };
            let is_of_kind =
                |item: &Item| kind.map_or(trace.kind(*item) != Kind::Idle, |kind| trace.kind(*item) == kind);
            all.filter(|item| is_span(item) && whole(item) && is_of_kind(item)).collect()
        }
        _ => {
            let Some(from) = from else { return (None, 0, 0, false) };
            all.filter(|item| is_span(item) == is_span(&from) && name(trace, *item) == name(trace, from))
                .collect()
        }
    };
    let by_duration = matches!(target, Longest | LongestOfName | LongerOfName);
    let length = |item: &Item| trace.interval(*item).1 - trace.interval(*item).0;
    let place =
        |item: &Item| (if by_duration { -length(item) } else { 0 }, trace.interval(*item).0, item.code());
    all.sort_by_key(place);
    let n = all.len();
    if n == 0 {
        return (None, 0, 0, false);
    }
    let back = matches!(target, PreviousFailed | PreviousOfName | LongerOfName);
    let from = from.filter(|_| !matches!(target, Longest | LongestOfName));
    let found = match from {
        None if back => None,
        None => Some(0),
        Some(from) if back => all.iter().rposition(|item| place(item) < place(&from)),
        Some(from) => all.iter().position(|item| place(item) > place(&from)),
    };
    let at = found.unwrap_or(if back { n - 1 } else { 0 });
    (Some(all[at].code()), at + 1, n, found.is_none())
}

fn check(trace: &Trace, passing: Option<&Bits>) {
    let mut shapes = SqlShapes::default();
    let items = testing::items(trace).step_by(7).map(Some);
    for from in items.chain([None]) {
        for target in
            [Longest, NextFailed, PreviousFailed, NextOfName, PreviousOfName, LongestOfName, LongerOfName]
        {
            let found = span_jump(trace, &mut shapes, from, target, passing);
            let found = (found.item, found.position as usize, found.total as usize, found.wrapped);
            assert_eq!(found, expected(trace, from, target, passing), "{target:?} from {from:?}");
        }
    }
}

#[test]
fn jumps_lead_where_a_sorted_list_says() {
    let trace = testing::queries(120);
    check(&trace, None);
    let n = trace.spans.len() + trace.events.len();
    check(&trace, Some(&Bits::of(n, |row| row % 3 == 0)));
    check(&trace, Some(&Bits::below(n)));
    check(&Trace::default(), None);
}

#[test]
fn statements_of_one_shape_have_one_name() {
    let trace = testing::trace(
        "run a 100
         query q1 2..12 : SELECT x FROM t WHERE id = 1
         query q2 20..50 : SELECT x FROM t WHERE id = 22
         query q3 60..61 : SELECT y FROM t",
    );
    let item = testing::items(&trace).find(|item| trace.kind(*item) == Kind::Query);
    let found = span_jump(&trace, &mut SqlShapes::default(), item, NextOfName, None);
    assert_eq!((found.position, found.total, found.wrapped), (2, 2, false));
    assert_eq!((found.name.as_deref(), found.is_of_shape), (Some("SELECT x FROM t WHERE id = 1"), true));
    let found = span_jump(&trace, &mut SqlShapes::default(), item, Longest, None);
    assert_eq!((found.name.as_deref(), found.is_of_shape), (None, false));
}

/// The server's digest stands for a statement, else the SQL, else the name.
#[test]
fn queries_of_one_digest_have_one_name() {
    let mut builder = TraceBuilder::new(Interner::default());
    let digest = builder.key(attribute_names::DIGEST_TEXT, Unit::Text);
    let shape = builder.shape(&[], &[digest, key::SQL]);
    let run = builder.strings().intern("run");
    builder.run(run, 0, 10, 0);
    for (digest, sql) in [("a", "SELECT 1"), ("a", "SELECT x"), ("b", "SELECT 1"), ("", "a"), ("", "")] {
        let mut text =
            |text: &str| if text.is_empty() { StrId::NONE } else { builder.strings().intern(text) };
        let (texts, name) = ([text(digest), text(sql)], text("b"));
        let span = Span {
            start: 0,
            duration: 1,
            parent: None,
            name,
            kind: Kind::Query,
            flags: Flags::default(),
            depth: 0,
            begin: RecordId::NONE,
            end: RecordId::NONE,
        };
        builder.span(span, shape, &[], &texts);
    }
    let trace = builder.finish();
    let found = testing::items(&trace).map(|item| {
        let found = span_jump(&trace, &mut SqlShapes::default(), Some(item), NextOfName, None);
        (found.total, found.name.unwrap_or_default())
    });
    let expected = [(3, "a"), (3, "a"), (2, "b"), (3, "a"), (2, "b")].map(|(n, name)| (n, name.to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// A request wraps its queries, so it is the longest span, and says nothing.
#[test]
fn the_longest_span_is_of_the_kind_at_hand() {
    let trace = testing::trace(
        "run a 100
         query q1 2..12 request=0..90 : SELECT 1
         query q2 20..50 : SELECT 2
         source 21..23 pg-conn Orders",
    );
    let item = |kind: Kind| testing::items(&trace).find(|item| trace.kind(*item) == kind);
    for (from, expected) in [
        (None, Kind::Query),
        (item(Kind::Query), Kind::Query),
        (item(Kind::Source), Kind::Source),
        (item(Kind::Request), Kind::Request),
    ] {
        let found = span_jump(&trace, &mut SqlShapes::default(), from, Longest, None);
        let kind = found.item.map(|code| trace.kind(Item::from_code(code)));
        assert_eq!((kind, found.kind.as_deref()), (Some(expected), Some(expected.name())), "{from:?}");
    }
    let found = span_jump(&trace, &mut SqlShapes::default(), None, Longest, None);
    assert_eq!((found.position, found.total), (1, 2));
}

#[test]
#[ignore = "measures"]
fn a_million_spans() {
    let trace = testing::queries(100_000);
    let mut shapes = SqlShapes::default();
    let items: Vec<Item> = testing::items(&trace).take(12).collect();
    for target in
        [Longest, NextFailed, PreviousFailed, NextOfName, PreviousOfName, LongestOfName, LongerOfName]
    {
        for item in &items {
            let start = std::time::Instant::now();
            let found = span_jump(&trace, &mut shapes, Some(*item), target, None);
            println!(
                "{target:?} {:?} {} of {} spans: {:?}",
                trace.kind(*item),
                found.total,
                trace.spans.len(),
                start.elapsed()
            );
        }
    }
}
