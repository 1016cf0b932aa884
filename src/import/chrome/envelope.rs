//! What is around the events: nothing, an array, or an object in which the array is one section of several.

use super::problems::{BEHIND, NO_EVENTS, NOT_CLOSED, SECTION};
use super::reader::Reader;
use super::sniff::Shape;
use crate::import::json::{Outer, Take, Whole};
use crate::import::lines::Place;

/// Sections that hold measurements of their own. They are small, or strings of other formats.
const MEASUREMENTS: [&str; 6] = [
    "systemTraceEvents",
    "samples",
    "powerTraceAsString",
    "androidProcessDump",
    "cgroupDump",
    "traceAnnotations",
];

/// Where the events of a file are looked for.
pub fn outer(shape: Shape) -> Outer {
    match shape {
        Shape::Object => Outer::object(),
        Shape::Array | Shape::Lines => Outer::bare(),
    }
}

impl Whole for Reader<'_, '_> {
    fn member(&mut self, key: &str, first: u8, place: Place) -> Take {
        if key == "traceEvents" && first == b'[' {
            self.file.has_events = true;
            return Take::Records;
        }
        if MEASUREMENTS.contains(&key) && matches!(first, b'"' | b'{' | b'[') {
            self.input.note(SECTION, place, &format!("\"{key}\""));
        }
        Take::Nothing
    }

    fn behind(&mut self, place: Place) {
        self.input.note(BEHIND, place, "");
    }
}

/// The file ends.
pub fn finish(outer: &mut Outer, reader: &mut Reader) {
    if !reader.file.has_events {
        reader.input.note(NO_EVENTS, Place { offset: 0, line: 1 }, "");
    }
    if let Some(place) = outer.finish(reader) {
        reader.input.note(NOT_CLOSED, place, "");
    }
}
