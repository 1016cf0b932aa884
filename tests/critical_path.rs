//! Critical paths of traces of every format: each path fills its scope or is a chain, and is what the spans say.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use queryscope::protocol::{
    CriticalPath, CriticalPathRequest, PathRule, QueryList, QueryListRequest, ShapeList, ShapeListRequest,
    ShapePathRequest,
};
use queryscope::session::Session;
use queryscope::trace::{Item, Kind, SpanId, Trace, TrackKind};

fn opened(path: &Path) -> Session {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    support::open([(name, fs::read(path).expect("the file is there"))])
}

fn path_of(session: &mut Session, item: Option<u32>) -> Option<CriticalPath> {
    session.answer(&CriticalPathRequest { range: None, item }).map(|path| *path)
}

/// What holds for every path: parts in the order of time, inside the scope and inside their spans, with all gaps, rows that
/// add up to the time of the scope, and savings of at most the time on the path.
fn check(trace: &Trace, path: &CriticalPath, file: &str) {
    let sum: i64 = path.path.iter().map(|step| step.time).sum();
    let mut before = path.start;
    for step in &path.path {
        let end = step.start + step.time;
        assert_eq!(before + step.gap, step.start, "{file}: {step:?}");
        before = end;
        let Item::Span(id) = Item::from_code(step.link.item) else { panic!("{file}: {step:?}") };
        let (from, to) = trace.spans.bounds(id);
        assert!(from <= step.start && end <= to, "{file}: {step:?}");
    }
    assert!(path.n_path as usize > path.path.len() || sum == path.path_time, "{file}");
    let names = path.path_names.iter().map(|of| of.time).sum::<i64>();
    let rest = path.path_rest.iter().map(|of| of.time).sum::<i64>();
    assert_eq!(names + rest, path.end - path.start, "{file}: the rows fill the scope: {path:?}");
    for of in &path.path_rest {
        let (start, end) = of.longest;
        assert!(path.start <= start && start < end && end <= path.end, "{file}: {of:?}");
        assert!((end - start..=(end - start) * i64::from(of.count)).contains(&of.time), "{file}: {of:?}");
    }
    for of in &path.path_names {
        assert!(of.saved.is_some_and(|saved| (0..=of.time).contains(&saved)), "{file}: {of:?}");
        // In a time range, and along arrows, time in no span can take over.
        let is_limited = of.saved < Some(of.time);
        let has_idle_time = path.item.is_none() || path.rule == PathRule::Arrows;
        let is_expected = of.limited_by.is_some() == is_limited || is_limited && has_idle_time;
        assert!(is_expected, "{file}: {of:?}");
    }
    assert!(path.slack.iter().all(|off| off.slack >= 0), "{file}: {:?}", path.slack);
    assert!(path.slack.is_sorted_by_key(|off| off.slack), "{file}");
    let is_on_thread = |item: u32| {
        let track = trace.track_of(Item::from_code(item));
        trace.tracks.ancestor(track, TrackKind::Thread).is_some()
    };
    let off_path = path.slack.iter().map(|off| off.link.item);
    let mut items = path.path.iter().map(|step| step.link.item).chain(off_path);
    assert_eq!(path.on_threads, items.all(is_on_thread), "{file}");
    let is_by_nesting = matches!(path.rule, PathRule::Nesting | PathRule::NestingAndLocks);
    if is_by_nesting && path.item.is_some() {
        assert_eq!(path.path_time, path.end - path.start, "{file}: a path by nesting fills its scope");
    }
}

#[test]
fn every_query_and_outermost_span_has_a_path() {
    let mut rules: BTreeMap<String, u32> = BTreeMap::new();
    for file in support::fixtures() {
        let mut session = opened(&file);
        let name = file.display().to_string();
        let all = 0..session.trace().spans.len().min(300) as u32;
        for item in std::iter::once(None).chain(all.map(Some)) {
            let Some(path) = path_of(&mut session, item) else { continue };
            check(session.trace(), &path, &name);
            *rules.entry(format!("{:?}", path.rule)).or_default() += 1;
        }
    }
    // Paths of all kinds were looked at.
    assert!(["Arrows", "Dependencies", "Nesting"].iter().all(|rule| rules.contains_key(*rule)), "{rules:?}");
}

/// The span that the path of `root` is in at a moment, found by walking from that moment's end; times are half-open.
fn innermost(trace: &Trace, children: &BTreeMap<u32, Vec<u32>>, root: SpanId, moment: i64) -> SpanId {
    let (mut at, (mut from, mut to)) = (root, trace.spans.bounds(root));
    'inside: loop {
        let mut now = to;
        while now > from {
            let of = children.get(&at.0).map_or(&[][..], Vec::as_slice).iter().map(|&id| {
                let bounds = trace.spans.bounds(SpanId(id));
                (bounds.1.min(to), bounds.0.max(from), id)
            });
            let ended = of.filter(|&(end, start, _)| start < end && end <= now).max();
            let Some((end, start, id)) = ended else { return at };
            if moment >= end {
                return at;
            }
            if moment >= start {
                (at, from, to) = (SpanId(id), start, end);
                continue 'inside;
            }
            now = start;
        }
        return at;
    }
}

#[test]
fn paths_of_queries_are_in_the_source_that_ended_last() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/assets/sample");
    for sample in ["no-buffer.json.gz", "buffer-rocks.json.gz"] {
        let mut session = opened(&folder.join(sample));
        let trace = session.trace();
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let all = || (0..trace.spans.len() as u32).map(SpanId);
        for id in all() {
            trace
                .spans
                .parent(id)
                .into_iter()
                .for_each(|parent| children.entry(parent.0).or_default().push(id.0));
        }
        let queries: Vec<SpanId> = all().filter(|&id| trace.spans.kind(id) == Kind::Query).collect();
        for query in queries.into_iter().take(60) {
            let path = path_of(&mut session, Some(query.0)).expect("a query");
            check(session.trace(), &path, sample);
            assert_eq!(path.rule, PathRule::Nesting);
            assert!(!path.on_threads, "{sample}: the tracks are queries and sources");
            let trace = session.trace();
            for step in &path.path {
                for moment in [step.start, step.start + step.time / 2, step.start + step.time - 1] {
                    let expected = innermost(trace, &children, query, moment);
                    let found = trace.name(Item::from_code(step.link.item));
                    assert_eq!(found, trace.spans.name(expected), "{sample}: {step:?} at {moment}");
                }
            }
        }
    }
}

#[test]
fn a_shape_sums_the_paths_of_its_executions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/assets/sample");
    let mut session = opened(&folder.join("no-buffer.json.gz"));
    let list = ShapeList::default();
    let shapes = session.answer(&ShapeListRequest { list, first: 0, count: 100 }).rows;
    assert!(shapes.iter().any(|shape| shape.count > 5));
    for shape in shapes {
        let request = ShapePathRequest { shape: shape.shape, range: None, filter: String::new() };
        let path = session.answer(&request).expect("a shape");
        assert_eq!((path.executions, path.left_out), (shape.count - shape.unfinished, 0));
        let sum =
            |of: fn(&queryscope::protocol::ShapePathStep) -> i64| path.steps.iter().map(of).sum::<i64>();
        // Paths by nesting are as long as the executions.
        assert_eq!((sum(|step| step.time), path.time), (shape.total, shape.total));
        for step in &path.steps {
            assert!((1..=path.executions).contains(&step.executions), "{step:?}");
            assert!(
                step.most <= step.time && step.time <= step.most * i64::from(step.executions),
                "{step:?}"
            );
            // The filter of a step shows the executions that have it on their path.
            assert_eq!(step.condition.is_some(), step.executions <= 100, "{step:?}");
            if let Some(filter) = step.condition.clone() {
                let list = QueryList { filter, ..QueryList::default() };
                let listed = session.answer(&QueryListRequest { list, first: 0, count: 0 });
                assert_eq!((listed.filter_error, listed.matched), (None, step.executions), "{step:?}");
            }
        }
        // The longest execution's path has the sums of that execution.
        if path.executions == 1 {
            let own = path_of(&mut session, Some(shape.longest)).expect("a query");
            assert_eq!(own.path_time, path.time);
        }
    }
    assert_eq!(session.answer(&ShapePathRequest { shape: 9_999, range: None, filter: String::new() }), None);
}

#[test]
fn the_steps_of_an_execution_fill_it() {
    let mut rules: BTreeMap<String, u32> = BTreeMap::new();
    for file in support::fixtures() {
        let mut session = opened(&file);
        let list = ShapeList::default();
        let shapes = session.answer(&ShapeListRequest { list, first: 0, count: 100 }).rows;
        for shape in shapes.into_iter().filter(|shape| (shape.count, shape.unfinished) == (1, 0)) {
            let request = ShapePathRequest { shape: shape.shape, range: None, filter: String::new() };
            // Some traces have no critical paths.
            let Some(path) = session.answer(&request) else { continue };
            let Item::Span(execution) = Item::from_code(shape.longest) else { panic!("{shape:?}") };
            let (start, end) = session.trace().spans.bounds(execution);
            let sum: i64 = path.steps.iter().map(|step| step.time).sum();
            assert_eq!((sum, path.time), (end - start, end - start), "{}: {path:?}", file.display());
            *rules.entry(format!("{:?}", path.rule)).or_default() += 1;
        }
    }
    assert!(["Dependencies", "Nesting"].iter().all(|rule| rules.contains_key(*rule)), "{rules:?}");
}
