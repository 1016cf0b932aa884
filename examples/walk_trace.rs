//! Reads a trace directly: its runs, their tracks, and the spans of each track.
//!
//! ```sh
//! cargo run --example walk_trace -- tests/traces/chrome/begin-end.json
//! ```

use std::env;
use std::fs;
use std::io;

use queryscope::session::Session;
use queryscope::trace::{SpanId, Trace, TrackId};

fn main() -> io::Result<()> {
    let mut session = Session::default();
    for path in env::args().skip(1) {
        session.open(&path);
        session.push(&fs::read(&path)?);
        session.close(None);
    }
    session.build();

    let trace = session.trace();
    for run in &trace.runs {
        println!("run {}: {} ns, {} records", trace.str(run.name), run.duration, run.records);
        // Tracks are sorted as a tree, parents first; the subtree of a run's track holds all tracks of the run.
        trace.tracks.subtree(run.track).map(TrackId).for_each(|track| print_track(trace, track));
    }
    Ok(())
}

/// Prints a track with its spans, each indented by its depth.
fn print_track(trace: &Trace, id: TrackId) {
    let track = trace.tracks.get(id);
    println!("{:indent$}{}", "", trace.str(track.name), indent = 2 * usize::from(track.depth));
    for id in trace.tracks.spans(id).map(SpanId) {
        let span = trace.spans.get(id);
        let indent = 2 * (usize::from(track.depth) + 1 + usize::from(span.depth));
        let name = trace.str(span.name);
        println!(
            "{:indent$}{} at {} ns, {} ns: {name}",
            "",
            span.kind.name(),
            span.start,
            trace.duration(id)
        );
    }
}
