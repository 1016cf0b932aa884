//! Property tests of the forms of stacks: every form is compared with stacks computed from the ancestors of every span.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::analysis::sample;
use crate::protocol::MergedSpec;
use crate::trace::word_hash::hash;
use crate::trace::{Flags, SpanId};

/// A name of [`sample::odd_trace`] or its hash, or a name that no trace has.
fn name() -> impl Strategy<Value = String> {
    let names = ["SELECT 1", "OrdersAPI", "SPILL", "'", "", "no such name"];
    let names = names.into_iter().flat_map(|name| [name.to_owned(), hash(name)]);
    proptest::sample::select(names.collect::<Vec<_>>())
}

pub(super) fn names() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(name(), 0..3)
}

pub(super) fn forms() -> impl Strategy<Value = StackForm> {
    (any::<bool>(), proptest::option::of(name()))
        .prop_map(|(is_inverted, root)| StackForm::new(is_inverted, root))
}

/// Values of all frames, by their paths, without values of 0.
type FrameValues = BTreeMap<Vec<String>, i128>;

fn built(trace: &Trace, spec: &MergedSpec) -> FrameValues {
    let shapes = &mut SqlShapes::default();
    let merged = Merged::of(trace, spec, shapes);
    values(trace, shapes, &merged)
}

fn values(trace: &Trace, shapes: &SqlShapes, merged: &Merged) -> FrameValues {
    let frames = (0..).zip(merged.frames());
    let frames = frames.map(|(id, frame)| (merged.path(trace, shapes, id), frame.value));
    frames.filter(|(_, value)| *value != 0).collect()
}

/// A span that counts: its stack in the requested form, its value, and the ancestors that count.
struct CountedSpan {
    stack: Vec<String>,
    value: i64,
    ancestors: Vec<SpanId>,
}

fn ancestors(trace: &Trace, id: SpanId) -> Vec<SpanId> {
    let above = |id: &SpanId| trace.spans.get(*id).parent.filter(|parent| parent < id);
    std::iter::successors(above(&id), above).collect()
}

fn counts(trace: &Trace, id: SpanId) -> bool {
    let span = trace.spans.get(id);
    !matches!(span.kind, Kind::Request | Kind::Transaction | Kind::Idle) && !span.flags.has(Flags::SEGMENT)
}

/// Names of the calls from the outermost one to a span.
fn calls(trace: &Trace, id: SpanId, spec: &MergedSpec) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for id in ancestors(trace, id).into_iter().rev().chain([id]) {
        let span = trace.spans.get(id);
        let name = trace.str(span.name);
        let is_call = !matches!(
            span.kind,
            Kind::Request | Kind::Transaction | Kind::Idle | Kind::Buffer | Kind::Instant | Kind::Sample
        );
        let is_hidden = spec.hidden.iter().any(|hidden| hidden == name || *hidden == hash(name));
        let is_repeated = spec.collapse_recursion && names.last().is_some_and(|last| last == name);
        if is_call && !is_hidden && !is_repeated {
            names.push(name.to_owned());
        }
    }
    names
}

/// The frames from the root to that of a stack; `None` if the form does not show the stack.
fn placed(mut calls: Vec<String>, form: &StackForm) -> Option<Vec<String>> {
    let outermost =
        |calls: &[String], root: &str| calls.iter().position(|call| call == root || hash(call) == root);
    match form {
        StackForm::Callees => {}
        StackForm::Inverted => calls.reverse(),
        StackForm::CalleesOf(root) => drop(calls.drain(..outermost(&calls, root)?)),
        StackForm::CallersOf(root) => {
            calls.truncate(outermost(&calls, root)? + 1);
            calls.reverse();
        }
    }
    Some(calls)
}

fn counted(trace: &Trace, spec: &MergedSpec) -> BTreeMap<SpanId, CountedSpan> {
    let spans = (0..trace.spans.len() as u32).map(SpanId).filter(|&id| counts(trace, id));
    let spans = spans.filter_map(|id| {
        let stack = placed(calls(trace, id, spec), &spec.stacks)?;
        let ancestors = ancestors(trace, id).into_iter().filter(|&above| counts(trace, above)).collect();
        let value = if spec.weight == FrameWeight::Count { 1 } else { trace.spans.get(id).duration.max(0) };
        Some((id, CountedSpan { stack, value, ancestors }))
    });
    spans.collect()
}

/// Every span adds its value to all frames of its stack. Its time is not added to frames that also contain an ancestor.
fn expected(trace: &Trace, spec: &MergedSpec) -> FrameValues {
    let spans = counted(trace, spec);
    let mut values = FrameValues::new();
    for span in spans.values() {
        for length in 0..=span.stack.len() {
            let frame = &span.stack[..length];
            let contains =
                |above: &SpanId| spans.get(above).is_some_and(|above| above.stack.starts_with(frame));
            if spec.weight == FrameWeight::Count || !span.ancestors.iter().any(contains) {
                *values.entry(frame.to_vec()).or_default() += i128::from(span.value);
            }
        }
    }
    values.retain(|_, value| *value != 0);
    values
}

proptest! {
    #[test]
    fn every_form_is_what_a_walk_up_the_ancestors_gives(
        mut items in sample::odd_items(),
        stacks in forms(),
        hidden in names(),
        collapse_recursion in any::<bool>(),
    ) {
        items.retain(|item| !(4..8).contains(&(item.0 % 16)));
        let trace = sample::odd_trace(&items);
        let path = vec![FrameDimension::Stack];
        let spec = MergedSpec { path, stacks, hidden, collapse_recursion, ..MergedSpec::default() };
        let weights = if spec.stacks == StackForm::Inverted { &[FrameWeight::Count][..] } else { &[FrameWeight::Count, FrameWeight::Time] };
        for &weight in weights {
            let spec = MergedSpec { weight, ..spec.clone() };
            prop_assert_eq!(built(&trace, &spec), expected(&trace, &spec), "{:?}", weight);
        }
    }

    /// A graph that uses the frames of the graph before it is the same as without them.
    #[test]
    fn kept_frames_change_nothing(
        items in sample::odd_items(),
        graphs in proptest::collection::vec((forms(), names(), 0..4_usize, any::<bool>()), 2..5),
    ) {
        let trace = sample::odd_trace(&items);
        let (mut shapes, mut kept) = (SqlShapes::default(), None);
        for (stacks, hidden, weight, has_more) in graphs {
            let more = if has_more { &[FrameDimension::SqlShape, FrameDimension::BufferType][..] } else { &[] };
            let path = [more, &[FrameDimension::Stack]].concat();
            let weight = [FrameWeight::Time, FrameWeight::SelfTime, FrameWeight::Bytes, FrameWeight::Count][weight];
            let spec = MergedSpec { path, stacks, hidden, weight, ..MergedSpec::default() };
            let merged = Merged::filtered(&trace, &spec, &mut shapes, None, &mut kept);
            prop_assert_eq!(values(&trace, &shapes, &merged), built(&trace, &spec), "{:?}", spec);
            let anew = Merged::of(&trace, &spec, &mut SqlShapes::default());
            prop_assert_eq!(merged.hidden(), anew.hidden());
        }
    }

    #[test]
    fn callers_and_callees_of_a_name_have_the_same_total(
        items in sample::odd_items(),
        root in name(),
        with_queries in any::<bool>(),
        weight in proptest::sample::select(vec![FrameWeight::Time, FrameWeight::SelfTime, FrameWeight::Bytes, FrameWeight::Count]),
    ) {
        let trace = sample::odd_trace(&items);
        let path = if with_queries { vec![FrameDimension::Query, FrameDimension::Stack] } else { vec![FrameDimension::Stack] };
        let total = |is_inverted| {
            let stacks = StackForm::new(is_inverted, Some(root.clone()));
            let spec = MergedSpec { path: path.clone(), weight, stacks, ..MergedSpec::default() };
            Merged::of(&trace, &spec, &mut SqlShapes::default()).frames()[0].value
        };
        prop_assert_eq!(total(false), total(true));
    }

    /// Hiding, collapsing and inverting move values between frames and keep the total.
    #[test]
    fn no_setting_changes_the_total_of_all_calls(
        items in sample::odd_items(),
        hidden in names(),
        collapse_recursion in any::<bool>(),
        is_inverted in any::<bool>(),
    ) {
        let trace = sample::odd_trace(&items);
        let total = |spec: &MergedSpec| {
            let frames = Merged::of(&trace, spec, &mut SqlShapes::default());
            (frames.frames()[0].value, frames.frames()[0].count)
        };
        let plain = MergedSpec { path: vec![FrameDimension::Stack], weight: FrameWeight::SelfTime, ..MergedSpec::default() };
        let stacks = StackForm::new(is_inverted, None);
        let changed = MergedSpec { stacks, hidden, collapse_recursion, ..plain.clone() };
        prop_assert_eq!(total(&plain), total(&changed));
    }
}
