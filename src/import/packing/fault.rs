//! Why packed bytes are not readable to their end, and what is missing for that reason, in words.

use crate::base::text::{self, count};
use crate::import::contract::ProblemKind;
use crate::protocol::UNREADABLE;

pub const DAMAGED: ProblemKind = ProblemKind::remark(
    UNREADABLE[0],
    "The compressed data is damaged or cut off; what could be unpacked is shown.",
);
pub const NOT_UNPACKED: ProblemKind = ProblemKind::remark(
    UNREADABLE[2],
    "The compression method is not supported, or the file is encrypted. This does not mean that it is damaged.",
);
pub const EXPANDS: ProblemKind = ProblemKind::remark(
    UNREADABLE[3],
    "A few bytes unpack to very many without a record. Unpacking stopped.",
);
pub const NO_CONTENTS: ProblemKind = ProblemKind::remark(
    UNREADABLE[1],
    "The archive has no table of contents, because its end is missing. Files whose start is there are read; \
     others may be missing.",
);

/// Why packed bytes are not readable to their end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// They end in the middle.
    CutOff,
    /// They are not what they should be: why.
    Damaged(String),
    /// They are sound, but not unpacked: why.
    Refused(String),
    /// They unpack to far more than any trace does: how much of how little.
    Expands(String),
}

impl Fault {
    /// That the bytes are not what they should be.
    pub fn damaged(reason: &str) -> Self {
        Fault::Damaged(format!("the compressed data is damaged{reason}"))
    }

    /// That what came out is not what was packed.
    pub fn wrong_sum() -> Self {
        Self::damaged(": its checksum does not match")
    }

    /// What the report calls it.
    pub fn kind(&self) -> ProblemKind {
        match self {
            Fault::CutOff | Fault::Damaged(_) => DAMAGED,
            Fault::Refused(_) => NOT_UNPACKED,
            Fault::Expands(_) => EXPANDS,
        }
    }

    /// The reason, as part of a sentence.
    pub fn reason(&self) -> &str {
        match self {
            Fault::CutOff => "the compressed data ends early",
            Fault::Damaged(reason) | Fault::Refused(reason) | Fault::Expands(reason) => reason,
        }
    }

    /// What is missing of a file for that reason, in a sentence: `what` it is ("gzip file"), of which so many bytes came out,
    /// and should have come, where that is known.
    pub fn missing(&self, what: &str, read: u64, of: Option<u64>) -> String {
        let missing = missing_after(read, of);
        match self {
            Fault::CutOff => format!("The {what} ends early: {missing}."),
            Fault::Damaged(reason) => {
                format!("The {what} could not be read to its end ({reason}): {missing}.")
            }
            Fault::Refused(reason) => format!("The {what} was not unpacked: {reason}."),
            Fault::Expands(reason) => format!("The {what} was not unpacked any further: {reason}."),
        }
    }
}

/// That everything after so many bytes is missing: of so many, where that is known.
fn missing_after(bytes: u64, of: Option<u64>) -> String {
    let exactly = |bytes: u64| count(i64::try_from(bytes).unwrap_or(i64::MAX));
    match of.filter(|&all| all > bytes) {
        Some(all) => format!("everything after byte {} of {} is missing", exactly(bytes), exactly(all)),
        None => format!("everything after byte {} of its content is missing", exactly(bytes)),
    }
}

/// What is missing of a file whose text ends where it should not, after so many bytes.
pub fn ends_early(kind: ProblemKind, bytes: u64) -> String {
    let at = count(i64::try_from(bytes).unwrap_or(i64::MAX));
    match kind.lost {
        true => format!("The file ends in the middle of a record: everything after byte {at} is missing."),
        false => format!("The file ends before it is closed: records after byte {at} may be missing."),
    }
}

/// Whether packed bytes unpack to far more than bytes of any trace do, since the last record that came out of them.
#[derive(Clone, Default)]
pub struct ExpansionLimit {
    records: u64,
    stored: u64,
    written: u64,
}

impl ExpansionLimit {
    /// So much is unpacked in any case: what begins a file may be blank.
    const FREE: u64 = 64 << 20;
    /// Traces shrink to a hundredth, at best.
    const RATIO: u64 = 1_000;

    /// After a step, with what was read so far: stored bytes, bytes that came out of them, and records.
    ///
    /// # Errors
    /// If that is more than any trace has.
    pub fn check(&mut self, stored: u64, written: u64, records: u64) -> Result<(), Fault> {
        if records != self.records {
            *self = Self { records, stored, written };
        }
        let (from, to) = (stored.saturating_sub(self.stored), written.saturating_sub(self.written));
        if to < Self::FREE || to / Self::RATIO < from {
            return Ok(());
        }
        let size = |bytes: u64| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
        Err(Fault::Expands(format!(
            "{} of it unpacked to {} without a record, which no trace does",
            size(from),
            size(to)
        )))
    }
}
