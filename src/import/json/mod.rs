//! JSON readers: records in any framing; records of a known shape are read at the speed of the disk.
//!
//! ```text
//! text ─ RecordSplitter ─┬─ RecordReader ┬ LearnedShapes: a shape that was seen before: compared, not parsed ─┬─→ Values
//!                │               └ Cursor: any other record, member by member ───────────────────────┘
//!                └─ Scanner: finds the record's end by the grammar
//! ```

mod cursor;
mod envelope;
mod fields;
mod find;
mod object;
mod outline;
mod prefix_trie;
pub mod problems;
mod record;
mod scalar;
mod scanner;
mod shapes;
mod splitter;
mod wrapped;

pub use cursor::{Cursor, Stop, Text, Value};
pub use envelope::{EnvelopeHandler, EnvelopeReader, MAX_TEXT, MemberUse};
pub use fields::fields;
pub use object::{Member, has_record, items, keys, members, string_value, strings};
pub use record::{RecordReader, offset_in};
pub use scanner::Scanner;
pub use shapes::{Known, Match, Schema, array_end};
use splitter::line_ends;
pub use splitter::{RecordHandler, RecordSplitter};
pub use wrapped::{belongs, blank, first_elements};
