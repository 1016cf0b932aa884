//! The plan of a statement, as it ran: its instructions in their order, and what they handed on to each other.

use rustc_hash::FxHashMap;

use crate::sort;
use crate::strings::StrId;
use crate::trace::{Item, Key, Kind, SpanId, Trace, key, words};

/// An instruction of a plan: all of its runs.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its place in the plan.
    pub place: i64,
    /// Its text.
    pub text: StrId,
    /// Its longest run.
    pub longest: SpanId,
    pub runs: u32,
    pub time: i64,
    pub rows: Option<i64>,
    pub bytes: Option<i64>,
}

/// Whether spans are instructions of plans, and some of them are work: a recording may tell of whole functions alone.
pub fn has_plans(trace: &Trace) -> bool {
    trace.spans.has(Kind::Slice)
        && [words::PLAN_PLACE, words::PLAN_TEXT].iter().all(|name| trace.key(name).is_some())
}

/// The instruction that an item is a run of: its place in the plan, and its text.
pub fn instruction(trace: &Trace, item: Item) -> Option<(i64, StrId)> {
    let place = trace.num(item, trace.key(words::PLAN_PLACE)?)?;
    let text = trace.text(item, trace.key(words::PLAN_TEXT)?)?;
    Some((place, text))
}

/// The steps of a plan, in its order: spans that have a place in one, of one text per place.
pub fn steps(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> Vec<Step> {
    let keys = [words::PLAN_PLACE, words::PLAN_TEXT].map(|name| trace.key(name));
    let [Some(place), Some(text)] = keys else { return Vec::new() };
    let rows = trace.key(words::ROWS_OUT);
    let mut known: FxHashMap<(i64, StrId), Step> = FxHashMap::default();
    for id in (0..trace.spans.len() as u32).map(SpanId).filter(|id| counts(*id)) {
        let item = Item::Span(id);
        let (Some(place), Some(text)) = (trace.num(item, place), trace.text(item, text)) else { continue };
        let duration = trace.spans.duration(id);
        let num = |key: Option<Key>| key.and_then(|key| trace.num(item, key));
        let new = Step { place, text, longest: id, runs: 0, time: 0, rows: None, bytes: None };
        let step = known.entry((place, text)).or_insert(new);
        if duration > trace.spans.duration(step.longest) {
            step.longest = id;
        }
        step.runs += 1;
        step.time = step.time.saturating_add(duration);
        step.rows = num(rows).max(step.rows);
        step.bytes = num(Some(key::BYTES)).max(step.bytes);
    }
    let mut steps: Vec<Step> = known.into_values().collect();
    sort::by_key(&mut steps, |step| (step.place, u64::from(step.longest.0)));
    steps
}

/// Something that was made, and handed on for as long as somebody needed it.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// What it is called.
    pub name: StrId,
    /// Who made it.
    pub maker: SpanId,
    /// When it was there, and until when it was needed.
    pub life: (i64, i64),
    /// How many needed it.
    pub readers: u32,
    /// Bytes of it, where reported: all that its maker made.
    pub bytes: Option<i64>,
}

/// All that was handed on by spans that `counts` says yes to, the largest first; and the most bytes that were there at
/// one moment.
pub fn values(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> (Vec<Value>, Option<(i64, i64)>) {
    let mut known: FxHashMap<(SpanId, StrId), Value> = FxHashMap::default();
    for flow in trace.flows.iter().filter(|flow| counts(flow.from)) {
        let made = trace.spans.get(flow.from).end_time();
        let bytes = || trace.num(Item::Span(flow.from), key::BYTES);
        let value = known.entry((flow.from, flow.name)).or_insert_with(|| Value {
            name: flow.name,
            maker: flow.from,
            life: (made, made),
            readers: 0,
            bytes: bytes(),
        });
        value.life.1 = value.life.1.max(trace.spans.get(flow.to).end_time());
        value.readers += 1;
    }
    let mut all: Vec<Value> = known.into_values().collect();
    sort::by_key(&mut all, |value| {
        (value.bytes.unwrap_or(-1).saturating_neg(), u64::from(value.maker.0) << 32 | u64::from(value.name.0))
    });
    let most = most(&all);
    (all, most)
}

/// The moment at which most bytes are there, and how many. What one maker made counts once.
fn most(values: &[Value]) -> Option<(i64, i64)> {
    let mut lives: FxHashMap<SpanId, (i64, i64, i64)> = FxHashMap::default();
    for value in values {
        let Some(bytes) = value.bytes.filter(|bytes| *bytes > 0) else { continue };
        let life = lives.entry(value.maker).or_insert((value.life.0, value.life.1, bytes));
        life.1 = life.1.max(value.life.1);
    }
    let turns =
        lives.into_values().flat_map(|(from, to, bytes)| [(from, bytes), (to, bytes.saturating_neg())]);
    let mut turns: Vec<(i64, i64)> = turns.collect();
    // Of one moment, what ends first.
    sort::by_key(&mut turns, |turn| (turn.0, sort::ordered(turn.1)));
    let (mut now, mut most) = (0_i64, None);
    for (time, change) in turns {
        now = now.saturating_add(change);
        if most.is_none_or(|(_, known)| now > known) {
            most = Some((time, now));
        }
    }
    most
}
