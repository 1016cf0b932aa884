//! Steps: the work of an instruction, identified by the origin of its variables. The optimizer copies an instruction for each
//! part of a table (mitosis). All copies are one step; the same instruction on a different column is a different step.
//!
//! ```text
//! X_21 := sql.bind(X_4, "sys", "lineitem", "l_tax", 0, 3, 8)    sql.bind(_, "sys", "lineitem", "l_tax", 0, part, of)
//! X_22 := algebra.projection(C_9, X_21)                         algebra.projection(l_shipdate…, l_tax)
//! X_23 := batcalc.+(X_22, 1)                                    batcalc.+(l_tax…, 1)
//! ```
//! A variable is named after the column that it is, or that it was made from (`l_tax…`). Two instructions are the same step
//! if all their origins are. Different steps with the same text are numbered in the order of the plan.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

use super::calls::InstructionCall;
use super::flows::{Dataflow, DataflowEdge};
use super::statement::{MalStatement, VARIABLE};
use super::store::{MonetDbStore, NONE};
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;

/// Step of a call, with the columns or variables that its inputs come from.
#[derive(Clone, Copy)]
struct StepOrigin {
    /// Hash of the step and of all steps that lead to it.
    hash: u64,
    text: StrId,
    /// Labels that describe the origin of the results: label of the first result, and label of all other results.
    labels: [StrId; 2],
    /// Part of a table that the call works on, or [`NONE`].
    part: i64,
}

/// Steps of all calls.
pub struct CallSteps {
    /// Text of the step of each call.
    pub texts: Vec<StrId>,
    /// Part of a table that each call works on, or [`NONE`].
    pub parts: Vec<i64>,
}

/// Returns the step of each call; `rounds` are the iterations of the calls.
#[inline(never)]
pub fn steps(
    store: &MonetDbStore,
    calls: &[InstructionCall],
    flows: &Dataflow,
    rounds: &[u32],
    strings: &mut Interner,
) -> CallSteps {
    let frames = &flows.frames;
    let mut naming = StepNaming { store, calls, strings, texts: FxHashMap::default(), labels: Vec::new() };
    let mut origins: Vec<Option<StepOrigin>> = vec![None; calls.len()];
    // The first iteration of an instruction represents all: later iterations read the results of earlier ones.
    let mut first: FxHashMap<(Option<u32>, i64, StrId), u32> = FxHashMap::default();
    let told: Vec<(StrId, i64)> = calls.iter().map(|call| (call.step, call.pc)).collect();
    for &at in &flows.ended {
        let (step, pc) = told[at as usize];
        let known = (rounds[at as usize] > 0)
            .then(|| *first.entry((frames[at as usize], pc, step)).or_insert(at))
            .and_then(|known| origins[known as usize]);
        origins[at as usize] = known.or_else(|| Some(naming.origin(at, step, flows.read_by(at), &origins)));
    }
    let parts = origins.iter().map(|origin| origin.map_or(NONE, |of| of.part)).collect();
    CallSteps { texts: numbered(&origins, calls, frames, strings), parts }
}

struct StepNaming<'a> {
    store: &'a MonetDbStore,
    calls: &'a [InstructionCall],
    strings: &'a mut Interner,
    /// Text and result labels of a step, by the step and the labels of its inputs.
    texts: FxHashMap<Vec<StrId>, (StrId, [StrId; 2])>,
    /// Step of the current call, with placeholders for variables, followed by the labels of its inputs.
    labels: Vec<StrId>,
}

impl StepNaming<'_> {
    #[inline(never)]
    fn origin(
        &mut self,
        at: u32,
        step: StrId,
        edges: &[DataflowEdge],
        origins: &[Option<StepOrigin>],
    ) -> StepOrigin {
        let variables = self.calls[at as usize].variables;
        let mut hasher = FxHasher::default();
        step.hash(&mut hasher);
        self.labels.clear();
        self.labels.push(step);
        let reads = || self.store.variables_of(variables).filter(|variable| !variable.made);
        let mut part = self.part(at, step);
        // All packed parts are copies of one step, so one represents them. In an increment, the last input is the part.
        let (skip, take) = match self.strings.get(step) {
            text if text.starts_with("mat.pack(") => (0, 1),
            text if text.starts_with("mat.packIncrement(") => (reads().count().saturating_sub(1), 1),
            _ => (0, usize::MAX),
        };
        for variable in reads().skip(skip).take(take) {
            let maker = edges.iter().find(|edge| edge.variable == variable.name).map(|edge| edge.from);
            let made = maker.and_then(|from| Some((from, origins[from as usize]?)));
            let place = made.map_or(0, |(from, _)| self.result(from, variable.name));
            (made.map(|(_, origin)| origin.hash), place).hash(&mut hasher);
            part = part.or(made.map(|(_, origin)| origin.part).filter(|part| *part != NONE));
            self.labels.push(made.map_or(StrId::NONE, |(_, origin)| origin.labels[place.min(1)]));
        }
        let (text, labels) = match self.texts.get(&self.labels[..]) {
            Some(known) => *known,
            None => self.name(),
        };
        // Packing parts is not about a single part, and keeping a variable alive is not work.
        let whole =
            ["mat.pack", "language.pass("].iter().any(|name| self.strings.get(step).starts_with(name));
        let part = part.filter(|_| !whole).unwrap_or(NONE);
        StepOrigin { hash: hasher.finish(), text, labels, part }
    }

    /// Part of a table that an instruction names.
    fn part(&self, at: u32, step: StrId) -> Option<i64> {
        let before = self.strings.get(step).strip_suffix(", part, of)")?;
        let event = self.store.events.at(self.calls[at as usize].event as usize);
        let arguments = MalStatement::parse(self.strings.get(event.statement)).arguments;
        arguments.get(before.split(", ").count())?.value.parse().ok()
    }

    /// Position of a variable among the results of a call.
    fn result(&self, from: u32, name: StrId) -> usize {
        let made =
            self.store.variables_of(self.calls[from as usize].variables).filter(|variable| variable.made);
        made.map(|variable| variable.name).position(|made| made == name).unwrap_or(0)
    }

    /// Returns the text of the current step, and the labels of its results.
    fn name(&mut self) -> (StrId, [StrId; 2]) {
        let labels: Vec<String> = self.labels[1..]
            .iter()
            .map(|label| label.some().map_or(String::new(), |label| self.strings.get(label).to_owned()))
            .collect();
        let step = self.strings.get(self.labels[0]).to_owned();
        let mut reads = labels.iter();
        let mut text = String::with_capacity(step.len() + 32);
        for c in step.chars() {
            match c {
                VARIABLE => {
                    text.push_str(reads.next().filter(|label| !label.is_empty()).map_or("_", String::as_str))
                }
                c => text.push(c),
            }
        }
        let text = self.strings.intern(&text);
        let results = results(&step, &labels).map(|label| match label.as_str() {
            "" => StrId::NONE,
            label => self.strings.intern(label),
        });
        self.texts.insert(self.labels.clone(), (text, results));
        (text, results)
    }
}

/// Returns two labels: for the first result of a step, and for all its other results.
fn results(step: &str, reads: &[String]) -> [String; 2] {
    let (function, arguments) = step.split_once('(').unwrap_or((step, ""));
    let literal = |at: usize| {
        let text = arguments.split([',', ')']).nth(at).unwrap_or("").trim();
        text.trim_matches('"').to_owned()
    };
    match function {
        "sql.tid" => return [literal(2), String::new()],
        "sql.bind" | "sql.bind_idxbat" => {
            // A column has its rows, its inserted rows and its updated rows.
            let rows = literal(4);
            return [if rows == "0" { literal(3) } else { literal(3) + ":" + &rows }, String::new()];
        }
        _ => {}
    }
    let known = || reads.iter().filter(|label| !label.is_empty());
    let made = |label: Option<&String>| {
        label.map_or(String::new(), |label| label.trim_end_matches('…').to_owned() + "…")
    };
    let name = function.split_once('.').map_or("", |(_, name)| name);
    if name.starts_with("project") {
        return [made(known().next_back()), String::new()];
    }
    let first = known().next();
    let other = if name.contains("join") { known().nth(1).or(first) } else { first };
    [made(first), made(other)]
}

/// Returns the texts of the steps, with a number if different steps have the same text.
#[inline(never)]
fn numbered(
    origins: &[Option<StepOrigin>],
    calls: &[InstructionCall],
    frames: &[Option<u32>],
    strings: &mut Interner,
) -> Vec<StrId> {
    let mut texts: Vec<StrId> =
        origins.iter().map(|origin| origin.map_or(StrId::NONE, |of| of.text)).collect();
    let mut hashes: FxHashMap<StrId, (u64, bool)> = FxHashMap::default();
    for origin in origins.iter().flatten() {
        let known = hashes.entry(origin.text).or_insert((origin.hash, false));
        known.1 |= known.0 != origin.hash;
    }
    let is_several = |text: StrId| hashes.get(&text).is_some_and(|known| known.1);
    let mut several: Vec<u32> =
        (0..calls.len() as u32).filter(|&at| is_several(texts[at as usize])).collect();
    let frame = |at: u32| frames[at as usize].map_or(i64::MAX, i64::from);
    sort::by_key(&mut several, |&at| (frame(at), sort::ordered(calls[at as usize].pc)));
    let mut names: FxHashMap<(StrId, usize), StrId> = FxHashMap::default();
    let mut met: FxHashMap<StrId, Vec<u64>> = FxHashMap::default();
    let mut of = None;
    for at in several {
        let Some(StepOrigin { hash, text, .. }) = origins[at as usize] else { continue };
        if of != Some(frame(at)) {
            of = Some(frame(at));
            met.clear();
        }
        let known = met.entry(text).or_default();
        let number = known.iter().position(|known| *known == hash).unwrap_or_else(|| {
            known.push(hash);
            known.len() - 1
        });
        if number > 0 {
            let name = names.entry((text, number));
            texts[at as usize] = *name.or_insert_with(|| {
                let numbered = format!("{} #{}", strings.get(text), number + 1);
                strings.intern(&numbered)
            });
        }
    }
    texts
}
