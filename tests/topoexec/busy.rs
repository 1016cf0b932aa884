//! How busy lanes and workers were, against the executions in the file: the scheduler, its loops and its pool only hold
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use queryscope::protocol::{CriticalPathRequest, ParallelRequest};
use serde_json::Value;

use super::open;

/// The text of a file, unpacked where it is packed.
fn text_of(folder: &Path, run: &str) -> String {
    let path = folder.join(format!("{run}.trace.json"));
    let bytes = fs::read(&path).unwrap_or_else(|_| {
        let packed = fs::read(path.with_extension("json.gz")).expect("a trace");
        let name = packed[10..].iter().position(|byte| *byte == 0).map_or(0, |length| length + 1);
        let start = if packed[3] & 8 == 0 { 10 } else { 10 + name };
        miniz_oxide::inflate::decompress_to_vec(&packed[start..]).expect("sound data")
    });
    String::from_utf8(bytes).expect("UTF-8")
}

/// Intervals of executions by lane and worker.
fn executions(text: &str) -> BTreeMap<(String, String), Vec<(i64, i64)>> {
    let file: Value = serde_json::from_str(text).expect("JSON");
    let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in file["trace"].as_array().expect("events") {
        if event["name"] == "component_execute" {
            let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
            let start = event["start_offset_ns"].as_i64().expect("a time");
            let end = start + event["duration_ns"].as_i64().expect("a time");
            of.entry((text("lane"), text("worker_id"))).or_default().push((start, end));
        }
    }
    of
}

/// For how long none, one, two, … of these lists have an interval, from one moment to another.
fn at_once(lists: &[Vec<(i64, i64)>], (from, to): (i64, i64)) -> Vec<i64> {
    let mut times: Vec<i64> = lists.iter().flatten().flat_map(|&(start, end)| [start, end]).collect();
    times.extend([from, to]);
    times.sort_unstable();
    let mut sums = vec![0; lists.len() + 1];
    for two in times.windows(2) {
        let holds =
            |list: &&Vec<(i64, i64)>| list.iter().any(|&(start, end)| start <= two[0] && two[1] <= end);
        sums[lists.iter().filter(holds).count()] += two[1] - two[0];
    }
    sums
}

#[test]
fn lanes_and_workers_are_busy_while_components_execute() {
    let Some(shared) = crate::support::shared("own/topoexec") else { return };
    for (run, threads) in [
        ("thread_pool_2workers", 3),
        ("minimal_steps1", 1),
        ("minimal_error_steps5", 1),
        ("composite_loop_budget_discard", 1),
        ("composite_loop_cancelled", 1),
        ("composite_loop_max_iterations", 1),
    ] {
        let text = text_of(&shared.join("own/topoexec"), run);
        let executions: Vec<Vec<(i64, i64)>> = executions(&text).into_values().collect();
        let mut session = open("trace.json", text.as_bytes());
        let request = ParallelRequest { range: None, item: None };
        let Some(view) = session.answer(&request) else { panic!("{run}: no threads") };
        let sum = |list: &Vec<(i64, i64)>| list.iter().map(|(start, end)| end - start).sum::<i64>();
        let mut expected: Vec<i64> = executions.iter().map(sum).collect();
        expected.sort_unstable();
        let mut found: Vec<i64> =
            view.workers.iter().map(|worker| worker.busy).filter(|busy| *busy > 0).collect();
        found.sort_unstable();
        assert_eq!((&found, found.len()), (&expected, threads), "{run}");
        assert_eq!(view.busy, expected.iter().sum::<i64>(), "{run}");
        let mut concurrency = at_once(&executions, (view.start, view.end));
        concurrency.resize(view.at_once.len(), 0);
        assert_eq!(view.at_once, concurrency, "{run}");
        // One lane is no parallelism.
        assert_eq!(view.parallelism.is_some(), threads > 1, "{run}: {:?}", view.parallelism);
        assert!(view.plan.is_empty(), "{run}");
        let path = session.answer(&CriticalPathRequest { range: None, item: None }).expect("spans");
        assert!(path.path_time <= view.end - view.start, "{run}");
    }
}
