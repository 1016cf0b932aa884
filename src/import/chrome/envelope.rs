//! What is around the events: nothing, an array, or an object in which the array is one section of several.

use super::problems::{BEHIND, NO_EVENTS, NOT_CLOSED, SECTION};
use super::reader::Reader;
use super::sniff::Shape;
use crate::import::json::Frames;
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

/// The state between two slices of one file.
pub struct Envelope {
    place: Place,
    part: Part,
    /// Whether an array of events was met.
    has_events: bool,
}

enum Part {
    /// The events, and whether an object is around them.
    Events { frames: Frames, inside: bool },
    /// The members of the object.
    Object(Members),
    /// Behind the object.
    Behind { told: bool },
}

/// The members of the outer object: found byte by byte, because nothing in them is kept.
#[derive(Default)]
struct Members {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// The latest string of the outer object: a key if a colon follows.
    latest: String,
    /// The member whose value comes, and whether nothing of the value has come yet.
    key: String,
    fresh: bool,
}

/// What the next byte of the outer object is.
enum Step {
    On,
    /// The array of events begins here.
    Events,
    /// A section with measurements begins here.
    Section,
    /// The object ends here.
    End,
}

/// Bytes of a key that are told apart.
const KEY: usize = 64;

impl Envelope {
    pub fn new(shape: Shape) -> Self {
        let part = match shape {
            Shape::Object => Part::Object(Members::default()),
            Shape::Array | Shape::Lines => Part::Events { frames: Frames::default(), inside: false },
        };
        let has_events = shape != Shape::Object;
        Self { place: Place { offset: 0, line: 1 }, part, has_events }
    }

    /// The next text.
    pub fn push(&mut self, mut text: &str, reader: &mut Reader) {
        while !text.is_empty() {
            text = match &mut self.part {
                Part::Events { frames, inside } => {
                    reader.inside_object = *inside;
                    let behind = frames.push(text, reader);
                    if frames.has_ended() {
                        self.place = frames.end();
                        self.part = Part::Object(Members { depth: 1, ..Members::default() });
                    }
                    &text[text.len() - behind..]
                }
                Part::Object(_) => self.members(text, reader),
                Part::Behind { told } => {
                    if !*told && !text.trim().is_empty() {
                        *told = true;
                        reader.input.note(BEHIND, self.place, "");
                    }
                    ""
                }
            };
        }
    }

    /// The file ends.
    pub fn finish(&mut self, reader: &mut Reader) {
        if !self.has_events {
            reader.input.note(NO_EVENTS, self.place, "");
        }
        match &mut self.part {
            Part::Events { frames, inside } => {
                // A bare array need not be closed: writers leave that out, so that they can always append.
                if frames.finish(reader) && *inside {
                    reader.input.note(NOT_CLOSED, frames.end(), "");
                }
            }
            Part::Object(members) if members.depth > 0 => reader.input.note(NOT_CLOSED, self.place, ""),
            Part::Object(_) | Part::Behind { .. } => {}
        }
    }

    /// Goes on in the outer object; what is left belongs to the next part.
    fn members<'a>(&mut self, text: &'a str, reader: &mut Reader) -> &'a str {
        let Part::Object(members) = &mut self.part else { return text };
        for (at, byte) in text.bytes().enumerate() {
            let next = match members.step(byte) {
                Step::On => None,
                Step::Section => {
                    reader.input.note(SECTION, self.place, &format!("\"{}\"", members.key));
                    None
                }
                Step::Events => {
                    Some((at, Part::Events { frames: Frames::starting_at(self.place), inside: true }))
                }
                Step::End => Some((at + 1, Part::Behind { told: false })),
            };
            if let Some((rest, part)) = next {
                self.has_events |= matches!(part, Part::Events { .. });
                self.part = part;
                return &text[rest..];
            }
            self.place.offset += 1;
            self.place.line += u64::from(byte == b'\n');
        }
        ""
    }
}

impl Members {
    fn step(&mut self, byte: u8) -> Step {
        if self.in_text {
            self.text(byte);
            return Step::On;
        }
        let fresh = self.fresh && !byte.is_ascii_whitespace();
        self.fresh &= !fresh;
        match byte {
            b'"' => {
                self.in_text = true;
                self.latest.clear();
            }
            b':' if self.depth == 1 => {
                self.key = std::mem::take(&mut self.latest);
                self.fresh = true;
            }
            b'[' if fresh && self.depth == 1 && self.key == "traceEvents" => return Step::Events,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Step::End;
                }
            }
            _ => {}
        }
        let begins = fresh && matches!(byte, b'"' | b'{' | b'[');
        if begins && MEASUREMENTS.contains(&self.key.as_str()) { Step::Section } else { Step::On }
    }

    fn text(&mut self, byte: u8) {
        match byte {
            _ if std::mem::take(&mut self.escaped) => {}
            b'\\' => self.escaped = true,
            b'"' => self.in_text = false,
            _ if self.depth == 1 && self.latest.len() < KEY && byte.is_ascii() => {
                self.latest.push(char::from(byte))
            }
            _ => {}
        }
    }
}
