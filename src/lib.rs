//! Reads traces of database engines and answers where the time went.
//!
//! A [`Session`](session::Session) takes the bytes of files and builds a [`Trace`](trace::Trace) of all of them. What there
//! is to know about the trace is asked by requests of [`protocol`], each of which has a reply of its own type:
//!
//! ```
//! use queryscope::protocol::{CardRequest, QueryList, QueryListRequest};
//! use queryscope::session::Session;
//! use queryscope::trace::SpanId;
//!
//! let events = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"parse"},
//!                  {"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"tokenize"}]"#;
//! let mut session = Session::default();
//! session.open("events.json");
//! // Bytes may be pushed in slices of any length, packed or not.
//! session.push(events.as_bytes());
//! session.close(None);
//! session.build();
//!
//! let report = session.report();
//! assert_eq!((report[0].records, report[0].problems.len()), (2, 0));
//!
//! let card = session.answer(&CardRequest { item: 0 }).expect("there is a span");
//! assert_eq!(card.title, "parse");
//! let page = session.answer(&QueryListRequest { list: QueryList::default(), first: 0, count: 10 });
//! assert_eq!(page.total, 0);
//!
//! let trace = session.trace();
//! let inner = trace.spans.get(SpanId(1));
//! assert_eq!((trace.str(inner.name), inner.duration, inner.parent), ("tokenize", 2_000, Some(SpanId(0))));
//! ```
//!
//! | module | what it is for |
//! |---|---|
//! | [`session`] | opens files, builds the trace, answers requests |
//! | [`protocol`] | the requests, their replies, and every type in them: plain data |
//! | [`trace`] | the model, to be read: runs, tracks, spans, events, side tables |
//! | [`import`] | the formats that are read, and scripts that record or export traces |
//! | `export` | traces and answers as CSV, JSON and text (feature `export`) |
//!
//! Two programs in `examples/` show the ways: `slowest_queries` asks a session, `walk_trace` reads the model.
//!
//! # Features
//!
//! - `cli` (default): the command line, and `export`
//! - `export`: the module `export`; takes `serde_json`
//!
//! Without them the library knows no file system, no clock and no thread, and runs in a browser.
#![deny(missing_docs)]

mod analysis;
mod base;
mod chart;
mod compare;
#[cfg(feature = "export")]
pub mod export;
pub mod import;
mod pivot;
pub mod protocol;
mod reconcile;
pub mod session;
mod sql;
mod stats;
mod testing;
pub mod trace;
mod view;

/// What this repository's page, command line, tests and benchmarks use besides the public interface. It changes without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::base::{csv, text};
    pub use crate::trace::word_hash;

    pub mod analysis {
        pub use crate::analysis::{Hits, Queries, self_times};
    }

    pub mod chart {
        pub use crate::chart::{ChartStyle, Plot, Rgb, buffers, classes, durations, queries, tick};
    }

    pub mod pivot {
        pub use crate::pivot::{Pivot, PlainField, has_event_names};
    }

    pub mod stats {
        pub use crate::stats::{
            details, findings, first_path, has_parallel, has_plans, has_transactions, lock_waits, n_queries,
            n_tables, pauses, reconstructed,
        };
    }

    pub mod testing {
        pub use crate::testing::{dump, items, queries, trace};
    }

    pub mod view {
        pub use crate::view::{
            BarStyle, Fold, Hit, HitTarget, Rect, Scene, SceneCache, SceneMark, SceneRow, Transform,
            neighbour, ruler,
        };
    }
}
