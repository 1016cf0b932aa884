//! Reads traces of database engines and shows where the time was spent.
//!
//! A [`Session`](session::Session) takes the bytes of files and builds one [`Trace`](trace::Trace) from all of them. The
//! requests in [`protocol`] query the trace; each request type has a reply type of its own:
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
//! // Bytes may be pushed in slices of any length, compressed or not.
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
//! | module | purpose |
//! |---|---|
//! | [`session`] | opens files, builds the trace, answers requests |
//! | [`protocol`] | the requests, their replies, and every type in them: plain data |
//! | [`trace`] | the read-only model: runs, tracks, spans, events, side tables |
//! | [`import`] | the supported formats, and scripts that record or export traces |
//! | [`export`] | traces written out in the format `queryscope` and in those of other programs; replies as CSV, JSON and text (feature `export`) |
//!
//! Two example programs in `examples/`: `slowest_queries` sends requests to a session, `walk_trace` reads the model.
//!
//! # Features
//!
//! - `cli` (default): the command line; enables `export`
//! - `png` (default): images as PNG in the command line; enables `cli`
//! - `export`: all of the module `export`; depends on `serde_json`
//!
//! Without these features the library uses no file system, clock or threads, so it runs in a browser.
#![deny(missing_docs)]

mod analysis;
mod base;
mod chart;
#[cfg(feature = "cli")]
mod command_line;
mod compare;
pub mod export;
pub mod import;
mod pivot;
pub mod protocol;
mod reconcile;
mod rows;
pub mod session;
mod sql;
mod stats;
mod testing;
pub mod trace;
mod view;

/// Internals for this repository's page, command line, tests and benchmarks. They change without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::base::{csv, filter_text, markdown, text};
    pub use crate::trace::word_hash;

    pub mod analysis {
        pub use crate::analysis::{Hits, Queries, self_times};
    }

    pub mod chart {
        pub use crate::chart::{
            ChartStyle, Plot, Rgb, amounts, buffers, classes, durations, filter_of_bin, filter_of_slower,
            queries, tick,
        };
    }

    #[cfg(feature = "cli")]
    pub mod command_line {
        pub use crate::command_line::{
            FileFeeder, GroupingArgument, Load, formats, reversed_range, size, sql_program, time,
        };
    }

    pub mod session_file {
        pub use crate::export::session_entry::{
            TRACES, is_compressed, session_entry, state_kept, trace_path,
        };
    }

    pub mod picture {
        pub use crate::export::picture::{PictureParts, draw};
    }

    pub mod pivot {
        pub use crate::pivot::{Pivot, has_event_names};
        pub use crate::protocol::PlainField;
    }

    pub mod rows {
        pub use crate::rows::{
            ColumnSchema, ColumnType, EVENT_COLUMNS, KnownTable, MANIFEST, PARTITIONS, SIDE_COLUMNS,
            SPAN_COLUMNS, SideColumn, SqlSideTable, TABLES, TableReader, TableRef, TableSchema, TraceTables,
            VERSION, column, plain_name, side_column_names, side_table_name, stable_hash, table,
        };
    }

    pub mod sql {
        pub use crate::sql::shape;
    }

    pub mod stats {
        pub use crate::stats::{
            RuleInfo, details, finding_rules, first_path, has_critical_path, has_parallel, has_plans,
            has_transactions, lock_waits, n_queries, n_tables, pauses, reconstructed,
        };
    }

    pub mod testing {
        pub use crate::testing::{dump, dump_rest, items, queries, trace};
    }

    pub mod view {
        pub use crate::view::{
            BarEdges, BarStyle, Color, FADE, Fold, HATCH, Hit, HitTarget, LABEL_CONTRAST, LABEL_SIZE,
            LabelPlace, OffscreenHint, Paint, RADIUS, Rect, SLOT_NAMES, Scene, SceneCache, SceneMark,
            SceneRow, SceneTheme, TOKENS, Transform, heading_detail, neighbour, note_of, ruler,
        };
    }
}
