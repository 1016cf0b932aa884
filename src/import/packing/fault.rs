//! Reasons why packed bytes are not readable to their end, and sentences that state what is missing.

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

/// Reason why packed bytes are not readable to their end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The bytes end early.
    CutOff,
    /// The bytes are damaged, with the reason.
    Damaged(String),
    /// The bytes are undamaged but cannot be unpacked (encrypted, or an unsupported method), with the reason.
    Refused(String),
    /// The bytes unpack to far more than any trace does, with the sizes.
    Expands(String),
}

impl Fault {
    /// A fault of damaged compressed data; `reason` is appended to the sentence.
    pub fn damaged(reason: &str) -> Self {
        Fault::Damaged(format!("the compressed data is damaged{reason}"))
    }

    /// The fault of a checksum that does not match.
    pub fn wrong_sum() -> Self {
        Self::damaged(": its checksum does not match")
    }

    /// Kind of the problem in the report.
    pub fn kind(&self) -> ProblemKind {
        match self {
            Fault::CutOff | Fault::Damaged(_) => DAMAGED,
            Fault::Refused(_) => NOT_UNPACKED,
            Fault::Expands(_) => EXPANDS,
        }
    }

    /// Reason, as part of a sentence.
    pub fn reason(&self) -> &str {
        match self {
            Fault::CutOff => "the compressed data ends early",
            Fault::Damaged(reason) | Fault::Refused(reason) | Fault::Expands(reason) => reason,
        }
    }

    /// A sentence about the part of a file that is missing: `what` is the kind of file ("gzip file"), `read` the number
    /// of bytes that were unpacked, `of` the expected number, if known.
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

/// States that everything after a number of bytes is missing; `of` is the expected total, if known.
fn missing_after(bytes: u64, of: Option<u64>) -> String {
    let exactly = |bytes: u64| count(i64::try_from(bytes).unwrap_or(i64::MAX));
    match of.filter(|&all| all > bytes) {
        Some(all) => format!("everything after byte {} of {} is missing", exactly(bytes), exactly(all)),
        None => format!("everything after byte {} of its content is missing", exactly(bytes)),
    }
}

/// A sentence for a file whose text ends early, after this number of bytes.
pub fn ends_early(kind: ProblemKind, bytes: u64) -> String {
    let at = count(i64::try_from(bytes).unwrap_or(i64::MAX));
    match kind.lost {
        true => format!("The file ends in the middle of a record: everything after byte {at} is missing."),
        false => format!("The file ends before it is closed: records after byte {at} may be missing."),
    }
}

/// Detects packed bytes that unpack to far more than any trace does, counted since the last record found in them.
#[derive(Clone, Default)]
pub struct ExpansionLimit {
    records: u64,
    stored: u64,
    written: u64,
}

impl ExpansionLimit {
    /// Bytes that may be unpacked in any case: a file may begin with blanks.
    const FREE: u64 = 64 << 20;
    /// Maximum ratio of unpacked to packed bytes. Traces shrink to a hundredth at best.
    const RATIO: u64 = 1_000;

    /// Checks the totals after a step: stored bytes, bytes unpacked from them, and records.
    ///
    /// # Errors
    /// If the unpacked size exceeds the limit.
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
