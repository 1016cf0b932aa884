//! CPU profiles, against the samples that stand in the file: each counts until the next one in time, of whatever function it is.

use std::collections::BTreeMap;

use queryscope::session::Session;
use queryscope::trace::{RecordId, SpanId, TrackKind};
use serde_json::Value;

use super::{open, support};

/// Nanoseconds by function, innermost frames only.
type SelfTimes = BTreeMap<String, i64>;

/// What one profile of a file says.
#[derive(Default)]
struct Recorded {
    names: BTreeMap<i64, String>,
    start: i64,
    end: Option<i64>,
    /// Microseconds since the sample before, and the node.
    samples: Vec<(i64, i64)>,
}

impl Recorded {
    fn add(&mut self, data: &Value) {
        for object in [data, &data["cpuProfile"]] {
            self.start = object["startTime"].as_i64().unwrap_or(self.start);
            self.end = object["endTime"].as_i64().or(self.end);
            for node in object["nodes"].as_array().into_iter().flatten() {
                let name = node["callFrame"]["functionName"].as_str().unwrap_or_default();
                let name = if name.is_empty() { "(anonymous)" } else { name };
                self.names.insert(node["id"].as_i64().expect("an id"), name.to_owned());
            }
        }
        let list = |key: &str| {
            let of = |object: &Value| object[key].as_array().cloned();
            of(data).or_else(|| of(&data["cpuProfile"])).unwrap_or_default()
        };
        let numbers = |key: &str| list(key).iter().filter_map(Value::as_i64).collect::<Vec<_>>();
        self.samples.extend(numbers("timeDeltas").into_iter().zip(numbers("samples")));
    }

    fn self_times(&self, sums: &mut SelfTimes) {
        let mut time = self.start;
        let mut samples: Vec<(i64, i64)> = Vec::new();
        for (delta, node) in &self.samples {
            time += delta;
            samples.push((time, *node));
        }
        samples.sort_by_key(|(time, _)| *time);
        let Some(&(last, _)) = samples.last() else { return };
        let before = samples.iter().rev().nth(1).map_or(self.start, |(time, _)| *time);
        let end = self.end.filter(|end| *end >= last).unwrap_or(last + (last - before));
        let ends = samples.iter().skip(1).map(|(time, _)| *time).chain([end]);
        for ((start, node), end) in samples.iter().zip(ends) {
            *sums.entry(self.names[node].clone()).or_default() += (end - start) * 1000;
        }
    }
}

/// The self times of all profiles of a file, out of its text.
fn recorded(text: &str) -> SelfTimes {
    let file: Value = serde_json::from_str(text).expect("sound JSON");
    let events = file.as_array().or_else(|| file["traceEvents"].as_array()).expect("events");
    let (mut profiles, mut sums) = (BTreeMap::<String, Recorded>::new(), SelfTimes::new());
    let mut events: Vec<&Value> = events.iter().collect();
    events.sort_by_key(|event| event["ts"].as_i64());
    for event in events {
        match event["name"].as_str() {
            Some("Profile" | "ProfileChunk") if event["ph"] == "P" => {
                let id = format!("{} {}", event["pid"], event["id"]);
                profiles.entry(id).or_default().add(&event["args"]["data"]);
            }
            Some("CpuProfile") => {
                let mut whole = Recorded::default();
                whole.add(&event["args"]["data"]);
                whole.self_times(&mut sums);
            }
            _ => {}
        }
    }
    profiles.values().for_each(|profile| profile.self_times(&mut sums));
    sums.retain(|_, sum| *sum != 0);
    sums
}

/// The self times of what is drawn on tracks of samples.
fn drawn(session: &Session) -> SelfTimes {
    let (trace, mut sums) = (session.trace(), SelfTimes::new());
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        let track = trace.tracks.get(trace.tracks.of_span(id));
        if track.kind != TrackKind::Thread || !trace.str(track.name).starts_with("samples") {
            continue;
        }
        let mut add = |id: SpanId, time: i64| {
            *sums.entry(trace.str(trace.spans.name(id)).to_owned()).or_default() += time;
        };
        let duration = trace.spans.duration(id);
        add(id, duration);
        if let Some(parent) = trace.spans.parent(id) {
            add(parent, -duration);
        }
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

#[test]
fn self_times_are_those_of_the_samples_in_time() {
    for (name, text, functions) in [
        ("samples-out-of-order.json", include_str!("../traces/chrome/samples-out-of-order.json"), 4),
        ("whole-profile.json", include_str!("../traces/chrome/whole-profile.json"), 4),
        ("profile.json", include_str!("../traces/chrome/profile.json"), 3),
    ] {
        let expected = recorded(text);
        assert_eq!(expected.len(), functions, "{name}: {expected:?}");
        assert_eq!(drawn(&open(name, text.as_bytes())), expected, "{name}");
    }
    let example = r#"[{"ph":"P","name":"Profile","id":"1","pid":1,"tid":1,"ts":0,"args":{"data":{"startTime":0}}},
        {"ph":"P","name":"ProfileChunk","id":"1","pid":1,"tid":1,"ts":200,"args":{"data":{"cpuProfile":{"nodes":[
        {"id":1,"callFrame":{"functionName":"(root)"}},{"id":2,"parent":1,"callFrame":{"functionName":"a"}},
        {"id":3,"parent":1,"callFrame":{"functionName":"b"}}],"samples":[2,3,2,3]},"timeDeltas":[10,100,-50,100]}}}]"#;
    let found = drawn(&open("t.json", example.as_bytes()));
    assert_eq!(found, SelfTimes::from([("a".to_owned(), 100_000), ("b".to_owned(), 100_000)]));
}

#[test]
fn self_times_of_real_profiles() {
    let Some(shared) = support::shared("own/chrome") else { return };
    for (name, functions) in
        [("chromium156_devtools_timeline.json.gz", 14), ("webpack5_profilingplugin.json.gz", 500)]
    {
        let packed = std::fs::read(shared.join("own/chrome").join(name)).expect("a shared trace");
        let session = open(name, &packed);
        let mut whole = session.place(RecordId(0)).expect("a record");
        (whole.offset, whole.length) = (0, u32::MAX);
        let text = support::unpack(&session, &whole, &packed).expect("all of the text");
        let expected = recorded(&String::from_utf8(text).expect("UTF-8"));
        assert!(expected.len() >= functions && expected.contains_key("(idle)"), "{name}: {}", expected.len());
        assert_eq!(drawn(&session), expected, "{name}");
    }
}
