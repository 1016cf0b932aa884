//! How long a frame takes: the whole run in view, and a thousandth of it. Neither may grow with the trace.

use divan::Bencher;
use queryscope::internal::testing;
use queryscope::internal::view::{Scene, SceneCache};
use queryscope::protocol::{Arrangement, ColorBy, ViewKind, ViewSpec, Viewport};
use queryscope::trace::Trace;

const SPANS: [u32; 3] = [10_000, 100_000, 1_000_000];
/// Spans of each generated query.
const PER_QUERY: u32 = 6;

fn main() {
    divan::main();
}

fn viewport(trace: &Trace, share: i64) -> Viewport {
    let (end, height) = (trace.end(), 800.0);
    Viewport {
        start: end / 2 - end / share / 2,
        end: end / 2 + end / share / 2,
        width: 1600.0,
        top: 0.0,
        height,
    }
}

fn frames(bencher: Bencher, spans: u32, kind: ViewKind, share: i64) {
    let trace = testing::queries(spans / PER_QUERY);
    let mut pictures = SceneCache::default();
    let (spec, viewport) = (ViewSpec::new(kind, ColorBy::Kind), viewport(&trace, share));
    // The first frame lays the rows out, which is done once.
    pictures.scene(&trace, &spec, &viewport, None);
    bencher.bench_local(|| pictures.scene(&trace, &spec, &viewport, None).to_bytes());
}

#[divan::bench(args = SPANS)]
fn by_query(bencher: Bencher, spans: u32) {
    frames(bencher, spans, ViewKind::Gantt(Arrangement::ByQuery), 1);
}

#[divan::bench(args = SPANS)]
fn packed(bencher: Bencher, spans: u32) {
    frames(bencher, spans, ViewKind::Gantt(Arrangement::Packed), 1);
}

#[divan::bench(args = SPANS)]
fn packed_deep(bencher: Bencher, spans: u32) {
    frames(bencher, spans, ViewKind::Gantt(Arrangement::Packed), 1000);
}

#[divan::bench(args = SPANS)]
fn flame(bencher: Bencher, spans: u32) {
    frames(bencher, spans, ViewKind::FlameTime { query: None }, 1);
}

/// The first frame: everything is laid out.
#[divan::bench(args = SPANS, sample_count = 10, sample_size = 1)]
fn first_packed(bencher: Bencher, spans: u32) {
    let trace = testing::queries(spans / PER_QUERY);
    let spec = ViewSpec::new(ViewKind::Gantt(Arrangement::Packed), ColorBy::Kind);
    bencher.bench_local(|| SceneCache::default().scene(&trace, &spec, &viewport(&trace, 1), None));
}

/// What the page does with a scene before it paints.
#[divan::bench]
fn read_bytes(bencher: Bencher) {
    let trace = testing::queries(10_000);
    let spec = ViewSpec::new(ViewKind::Gantt(Arrangement::Packed), ColorBy::Kind);
    let bytes = SceneCache::default().scene(&trace, &spec, &viewport(&trace, 1), None).to_bytes();
    bencher.bench_local(|| Scene::from_bytes(&bytes));
}
