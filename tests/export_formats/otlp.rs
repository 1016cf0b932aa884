//! OTLP/JSON: the types of OpenTelemetry's own crate read every file, and its spans are those of the trace.

use std::collections::{BTreeMap, BTreeSet};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use queryscope::export::ForeignFormat;
use queryscope::trace::{Flags, Item, Kind, SpanId, Trace};

use super::{count_of, n_events, name_of, sessions, spans, written};

fn parsed(name: &str, json: &str) -> ExportTraceServiceRequest {
    // With its feature `arbitrary_precision`, serde_json does not read decimals into these types.
    json5::from_str(json).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn all_spans(request: &ExportTraceServiceRequest) -> Vec<&Span> {
    let scopes = request.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
    scopes.flat_map(|scope| &scope.spans).collect()
}

/// What is compared of a span: name, duration, number of events and links, whether it failed, and the name of its parent.
type Summary = (String, u64, usize, usize, bool, Option<String>);

fn of_file(span: &Span, by_id: &BTreeMap<(&[u8], &[u8]), &Span>) -> Summary {
    let parent = (!span.parent_span_id.is_empty()).then(|| {
        let parent = by_id.get(&(&span.trace_id[..], &span.parent_span_id[..]));
        parent.expect("the parent is in the same trace").name.clone()
    });
    let failed = span.status.as_ref().is_some_and(|status| status.code == 2);
    let duration = span.end_time_unix_nano - span.start_time_unix_nano;
    (span.name.clone(), duration, span.events.len(), span.links.len(), failed, parent)
}

fn of_trace(trace: &Trace, id: SpanId) -> Summary {
    let (start, end) = trace.spans.bounds(id);
    let events = (0..trace.events.len() as u32).map(queryscope::trace::EventId);
    let events = events
        .filter(|&event| trace.events.kind(event) != Kind::Sample && trace.events.parent(event) == Some(id));
    let links = trace.flows.reaching(id).count();
    let failed = trace.spans.flags(id).has(Flags::FAILED);
    let parent = trace.spans.parent(id).map(|parent| name_of(trace, Item::Span(parent)));
    let name = name_of(trace, Item::Span(id));
    (name, end.abs_diff(start), events.count(), links, failed, parent)
}

#[test]
fn opentelemetry_reads_every_file() {
    for (name, session) in sessions() {
        let trace = session.trace();
        let (json, summary) = written(&session, ForeignFormat::Otlp);
        let request = parsed(&name, &json);
        let all = all_spans(&request);
        let by_id: BTreeMap<_, _> =
            all.iter().map(|span| ((&span.trace_id[..], &span.span_id[..]), *span)).collect();
        assert_eq!(by_id.len(), all.len(), "{name}: IDs are unique");
        for span in &all {
            assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8), "{name}");
            assert!(span.trace_id.iter().chain(&span.span_id).any(|&byte| byte != 0), "{name}");
            for link in &span.links {
                assert!(by_id.contains_key(&(&link.trace_id[..], &link.span_id[..])), "{name}: {link:?}");
            }
        }
        let mut found: Vec<Summary> = all.iter().map(|span| of_file(span, &by_id)).collect();
        let mut expected: Vec<Summary> = spans(trace).map(|id| of_trace(trace, id)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{name}");
        let in_spans: usize = all.iter().map(|span| span.events.len()).sum();
        let outside = count_of(&summary.not_written, ["event outside of spans", "events outside of spans"]);
        let samples = count_of(&summary.not_written, ["counter sample", "counter samples"]);
        assert_eq!((samples, in_spans + outside), n_events(trace), "{name}");
        assert_eq!(
            written(&session, ForeignFormat::Otlp).0,
            json,
            "{name}: IDs are the same in every export"
        );
    }
}

#[test]
fn times_are_those_of_the_clock_if_it_is_known() {
    let (json, summary) = written(&super::limit(super::LIMITS[6].1), ForeignFormat::Otlp);
    let request = parsed("clocks", &json);
    let times: Vec<(u64, u64)> =
        all_spans(&request).iter().map(|span| (span.start_time_unix_nano, span.end_time_unix_nano)).collect();
    let unix = 1_700_000_000_000_000_000;
    assert_eq!(times, [(unix, unix + 3), (0, 3), (1, 2)]);
    assert_eq!(
        summary.notes,
        ["the trace does not say at what time of day “s” ran: its times begin at 0 (1970)"]
    );
}

#[test]
fn attributes_have_types() {
    let (json, _) = written(&super::limit(super::LIMITS[3].1), ForeignFormat::Otlp);
    let request = parsed("types", &json);
    let all = all_spans(&request);
    let find = |name: &str| *all.iter().find(|span| span.name == name).expect("the span");
    let value = |span: &Span, key: &str| {
        let attribute = span.attributes.iter().find(|attribute| attribute.key == key);
        attribute.and_then(|attribute| attribute.value.clone()?.value)
    };
    assert_eq!(value(find("s"), "share"), Some(AnyValue::DoubleValue(0.25)));
    assert_eq!(value(find("s"), "rows"), Some(AnyValue::IntValue(-7)));
    assert_eq!(value(find("q"), "SQL"), Some(AnyValue::StringValue("SELECT 1".to_owned())));
    assert_eq!(find("q").status.as_ref().expect("a status").message, "no\nrows");
    assert_eq!((find("q").kind, find("s").kind), (2, 3));
    let keys: Vec<&str> = find("q").attributes.iter().map(|attribute| attribute.key.as_str()).collect();
    assert_eq!(keys.len(), keys.iter().collect::<BTreeSet<_>>().len());
}
