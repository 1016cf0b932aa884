//! How busy threads were and the critical path, against what the events of the file say.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use queryscope::protocol::{
    BusiestRequest, BusyThreads, CriticalPath, CriticalPathRequest, Parallel, ParallelRequest, PathRule,
};
use queryscope::session::Session;
use serde_json::Value;

use super::open;

/// Loops that wait for tasks.
const LOOPS: [&str; 4] =
    ["RunLoop::Run", "Run Message Loop", "ThreadController active", "WorkerThread active"];

/// A slice of the file, in nanoseconds.
#[derive(Clone, Debug)]
struct Slice {
    name: String,
    start: i64,
    end: i64,
    cpu_time: Option<i64>,
    is_open: bool,
    /// The slice around it.
    around: Option<usize>,
    /// Time in which it is the innermost slice.
    own: Vec<(i64, i64)>,
}

type Thread = (i64, i64);

/// The text of a file, unpacked where it is packed.
fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).expect("a trace");
    let bytes = match bytes.starts_with(&[0x1f, 0x8b]) {
        // Behind a header without fields of its own, but for the name.
        true => {
            let name = bytes[10..].iter().position(|byte| *byte == 0).map_or(0, |length| length + 1);
            let start = if bytes[3] & 8 == 0 { 10 } else { 10 + name };
            miniz_oxide::inflate::decompress_to_vec(&bytes[start..]).expect("sound data")
        }
        false => bytes,
    };
    String::from_utf8(bytes).expect("UTF-8")
}

fn events(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("JSON");
    let events = if file.is_array() { &file } else { &file["traceEvents"] };
    events.as_array().expect("events").clone()
}

/// Whole microseconds as nanoseconds.
fn nanos(value: &Value) -> Option<i64> {
    value.as_i64().map(|micros| micros * 1000)
}

/// The slices of every thread by their starts, with what lies around them.
fn slices(events: &[Value]) -> BTreeMap<Thread, Vec<Slice>> {
    let time = |event: &Value| nanos(&event["ts"]);
    let is_timed = |event: &&Value| event["ph"] != "M";
    let ends = events.iter().filter(is_timed).filter_map(|e| Some(time(e)? + nanos(&e["dur"]).unwrap_or(0)));
    let last = ends.max().expect("a time");
    let mut of: BTreeMap<Thread, Vec<Slice>> = BTreeMap::new();
    let mut order: Vec<&Value> =
        events.iter().filter(|e| ["X", "B", "E"].iter().any(|ph| e["ph"] == *ph)).collect();
    order.sort_by_key(|event| time(event));
    let mut begun: HashMap<Thread, Vec<(usize, Option<i64>)>> = HashMap::new();
    for event in order {
        let thread = (event["pid"].as_i64().expect("a process"), event["tid"].as_i64().expect("a thread"));
        let (list, open) = (of.entry(thread).or_default(), begun.entry(thread).or_default());
        let start = time(event).expect("a time");
        if event["ph"] == "E" {
            if let Some((at, clock)) = open.pop() {
                let cpu_time = nanos(&event["tts"]).zip(clock).map(|(end, begin)| end - begin);
                (list[at].end, list[at].is_open, list[at].cpu_time) = (start, false, cpu_time);
            }
            continue;
        }
        let is_open = event["ph"] == "B";
        if is_open {
            open.push((list.len(), nanos(&event["tts"])));
        }
        let end = if is_open { last } else { start + nanos(&event["dur"]).unwrap_or(0) };
        let cpu_time = nanos(&event["tdur"]).filter(|_| !is_open);
        let name = event["name"].as_str().unwrap_or_default().to_owned();
        list.push(Slice { name, start, end, cpu_time, is_open, around: None, own: Vec::new() });
    }
    of.values_mut().for_each(|list| nest(list));
    of
}

/// Finds what lies in what, and when each slice is the innermost one.
fn nest(list: &mut [Slice]) {
    list.sort_by_key(|slice| (slice.start, -slice.end));
    let (mut open, mut now) = (Vec::<usize>::new(), i64::MIN);
    for next in 0..=list.len() {
        let until = list.get(next).map_or(i64::MAX, |slice| slice.start);
        while let Some(&top) = open.last() {
            let end = list[top].end.min(until);
            if end > now {
                list[top].own.push((now, end));
                now = end;
            }
            if list[top].end > until {
                break;
            }
            open.pop();
        }
        now = now.max(until);
        if next < list.len() {
            list[next].around = open.last().copied();
            open.push(next);
        }
    }
}

/// How busy a thread was: see `src/stats/parallel/busy.rs` for the rules.
fn busy(list: &[Slice]) -> i64 {
    let has_clock = list.iter().any(|slice| slice.cpu_time.is_some_and(|time| time > 0));
    let cpu_time = |at: usize| list[at].cpu_time.filter(|_| has_clock);
    // The innermost slice around with a clock, which may be the slice itself.
    let owner =
        |at: usize| std::iter::successors(Some(at), |&at| list[at].around).find(|&at| cpu_time(at).is_some());
    let own = |at: usize| list[at].own.iter().map(|(start, end)| end - start).sum::<i64>();
    let mut sum = 0;
    let mut wall = HashMap::new();
    let mut inside = HashMap::new();
    for (at, slice) in list.iter().enumerate() {
        match owner(at) {
            Some(owner) => *wall.entry(owner).or_insert(0) += own(at),
            None if !slice.is_open && !LOOPS.contains(&&*slice.name) => sum += own(at),
            None => {}
        }
        if let Some((time, around)) = cpu_time(at).zip(slice.around.and_then(owner)) {
            *inside.entry(around).or_insert(0) += time;
        }
    }
    let of_owner = |(at, wall): (&usize, &i64)| {
        (cpu_time(*at).unwrap_or(0) - inside.get(at).unwrap_or(&0)).clamp(0, *wall)
    };
    sum + wall.iter().map(of_owner).sum::<i64>()
}

fn busiest(session: &mut Session) -> BusyThreads {
    let view = session.answer(&BusiestRequest { range: None, most: u32::MAX });
    *view
}

fn parallel(session: &mut Session) -> Option<Parallel> {
    session.answer(&ParallelRequest { range: None, item: None }).map(|view| *view)
}

/// Opens a file, and its slices.
fn opened(path: &Path) -> (Session, Vec<Value>, BTreeMap<Thread, Vec<Slice>>) {
    let text = text_of(path);
    let events = events(&text);
    let slices = slices(&events);
    (open("trace.json", text.as_bytes()), events, slices)
}

fn sorted(times: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut times: Vec<i64> = times.filter(|time| *time > 0).collect();
    times.sort_unstable();
    times
}

/// That every thread is as busy as its slices say, in each view.
fn check(path: &Path, sum: Option<i64>) {
    let (mut session, _, slices) = opened(path);
    let expected = sorted(slices.values().map(|list| busy(list)));
    let view = busiest(&mut session);
    assert_eq!(sorted(view.threads.iter().map(|thread| thread.busy)), expected, "{path:?}");
    assert!(view.threads.is_sorted_by_key(|thread| -thread.busy), "{path:?}");
    let all: i64 = expected.iter().sum();
    assert_eq!(view.busy, all, "{path:?}");
    assert_eq!(view.names.iter().map(|name| name.busy).sum::<i64>(), all, "{path:?}");
    if let Some(sum) = sum {
        assert_eq!(all, sum, "{path:?}");
    }
    let Some(view) = parallel(&mut session) else { return };
    let wall = view.end - view.start;
    assert_eq!(
        (sorted(view.workers.iter().map(|worker| worker.busy)), view.busy),
        (expected, all),
        "{path:?}"
    );
    for worker in &view.workers {
        assert!(worker.busy + worker.waiting <= wall, "{worker:?}");
        assert_eq!(worker.busy + worker.waiting + worker.idle, wall, "{worker:?}");
    }
    assert_eq!(view.at_once.iter().sum::<i64>(), wall, "{path:?}");
    assert_eq!((0..).zip(&view.at_once).map(|(n, time)| n * time).sum::<i64>(), all, "{path:?}");
    for (time, (start, end)) in view.at_once.iter().zip(&view.longest_at_once) {
        let longest = end - start;
        assert!(longest <= *time && (longest > 0) == (*time > 0), "{path:?} {longest} {time}");
    }
    assert!(view.plan.is_empty(), "{path:?}");
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/chrome").join(name)
}

#[test]
fn threads_are_as_busy_as_their_slices_and_clocks_say() {
    // 30 + 43 + 40 of leaves; the loop of the worker that never ends is no work, and what is asynchronous is none either.
    check(&fixture("critical-path.json"), Some(113_000));
    // 30 by the clock, 30 of a pair with a clock, 10 of one without, 5 in what never ends.
    check(&fixture("cpu-time.json"), Some(75_000));
    let Some(shared) = crate::support::shared("own/chrome") else { return };
    for name in [
        "chromium156_devtools_timeline.json.gz",
        "chromium156_playwright_default.json.gz",
        "node20_trace_events.json.gz",
        "cmake325_profile.json.gz",
    ] {
        check(&shared.join("own/chrome").join(name), None);
    }
}

fn critical_path(session: &mut Session, rule: PathRule) -> CriticalPath {
    let view = session.answer(&CriticalPathRequest { range: None, item: None }).expect("slices");
    assert_eq!(view.rule, rule);
    *view
}

/// The critical path: its span, when it enters it, for how long, and what arrow led there.
fn path_of(view: &CriticalPath) -> Vec<(&str, i64, i64, &str)> {
    view.path.iter().map(|p| (&*p.link.title, p.start, p.time, &*p.via)).collect()
}

#[test]
fn the_critical_path_follows_the_thread_and_the_arrows_that_woke_it() {
    let (mut session, ..) = opened(&fixture("critical-path.json"));
    let view = critical_path(&mut session, PathRule::Arrows);
    let micros = |name, start: i64, time: i64, via| (name, start * 1000, time * 1000, via);
    assert_eq!(
        path_of(&view),
        [
            micros("task", 0, 5, ""),
            micros("parse", 5, 15, ""),
            micros("work", 22, 8, "post"),
            micros("decode", 30, 28, ""),
            micros("finish", 70, 10, "done"),
            micros("paint", 80, 15, ""),
            micros("finish", 95, 5, ""),
        ]
    );
    assert_eq!((view.path_time, view.n_path), (86_000, 7));
}

/// That the parts of the path do not overlap, are each in the innermost slice of their thread, and are joined by arrows
/// of the file or by their thread.
#[test]
fn the_critical_path_of_a_browser_is_made_of_innermost_slices_and_arrows() {
    let Some(shared) = crate::support::shared("own/chrome") else { return };
    let name = "chromium156_playwright_default.json.gz";
    let (mut session, events, slices) = opened(&shared.join("own/chrome").join(name));
    let origin = session.trace().runs[0].origin;
    let view = critical_path(&mut session, PathRule::Arrows);
    for of in &view.path_names {
        assert!(of.saved.is_some_and(|saved| (0..=of.time).contains(&saved)), "{name}: {of:?}");
    }
    assert!(view.n_path > 50 && view.path_time <= view.end - view.start, "{name}: {}", view.n_path);
    let own: Vec<(&str, &[(i64, i64)])> =
        slices.values().flatten().map(|slice| (&*slice.name, &*slice.own)).collect();
    let arrows: Vec<&Value> = events.iter().filter(|e| e["ph"] == "s" || e["ph"] == "f").collect();
    for two in view.path.windows(2) {
        let (before, after) = (&two[0], &two[1]);
        assert!(before.start + before.time <= after.start, "{name}: {before:?} {after:?}");
        assert_eq!(after.gap, after.start - before.start - before.time);
        if after.via.is_empty() {
            assert_eq!(before.thread, after.thread, "{name}: {after:?}");
        } else {
            let left = origin + before.start + before.time;
            let is_it = |e: &&&Value| e["ph"] == "s" && e["name"] == *after.via;
            assert!(
                arrows.iter().filter(is_it).any(|e| nanos(&e["ts"]).is_some_and(|ts| ts >= left)),
                "{after:?}"
            );
        }
    }
    for step in &view.path {
        let (from, to) = (origin + step.start, origin + step.start + step.time);
        let is_own = |slice: &&(&str, &[(i64, i64)])| {
            slice.0 == step.link.title && slice.1.iter().any(|own| own.0 <= from && to <= own.1)
        };
        assert!(own.iter().any(|slice| is_own(&slice)), "{name}: {step:?}");
        assert!(step.time * 2 <= view.path_time, "{name}: one span is most of the path: {step:?}");
    }
}

/// A recording whose last thread was woken by no recorded arrow: the path along arrows would cover less than 1 % of it.
#[test]
fn a_path_that_arrows_hardly_explain_is_that_of_nesting() {
    let Some(shared) = crate::support::shared("own/chrome") else { return };
    let (mut session, ..) = opened(&shared.join("own/chrome").join("chromium156_devtools_timeline.json.gz"));
    let view = critical_path(&mut session, PathRule::Nesting);
    assert!(view.path_time * 2 > view.end - view.start, "{}", view.path_time);
    // The parts and the periods without a span add up to the trace.
    let rest: i64 = view.path_rest.iter().map(|rest| rest.time).sum();
    let named: i64 = view.path_names.iter().map(|name| name.time).sum();
    assert_eq!(named + rest, view.end - view.start);
}
