//! The kit for JSON: records in any framing, at the speed of the disk where their shape is known.
//!
//! ```text
//! text ─ Frames ─┬─ RecordReader ┬ LearnedShapes: a shape that was seen before: compared, not parsed ─┬─→ Values
//!                │               └ Cursor: any other record, member by member ───────────────────────┘
//!                └─ Scanner: finds the record's end by the grammar
//! ```

mod cursor;
mod fields;
mod find;
mod frames;
mod object;
mod outer;
mod outline;
pub mod problems;
mod record;
mod scalar;
mod scanner;
mod shapes;
mod ways;
mod wrapped;

pub use cursor::{Cursor, Stop, Text, Value};
pub use fields::fields;
use frames::line_ends;
pub use frames::{Frames, Sink};
pub use object::{Member, has_record, keys, members, string_value, strings};
pub use outer::{MAX_TEXT, Outer, Take, Whole};
pub use record::{RecordReader, offset_in};
pub use scanner::Scanner;
pub use shapes::{Known, LearnedShapes, Match, Schema, array_end};
pub use wrapped::{belongs, blank, first_elements};
