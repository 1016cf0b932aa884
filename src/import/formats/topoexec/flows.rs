//! Finds arrows from the execution that published a message to the execution that the message caused.
//!
//! A message is named `channel#n`, where n counts commits: discarded publications have no number. The commit has the same
//! cause and epoch as its publication.

use super::event::TopoExecRole;
use super::fold::FoldedEvents;
use super::names::EXECUTE;
use super::store::TopoExecRow;
use super::tree::EnclosingSpans;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;

/// An arrow between two spans, which starts at the publication in row `publish`.
#[derive(Clone, Copy, Debug)]
pub struct PublishFlow {
    pub from: u32,
    pub to: u32,
    pub publish: u32,
}

/// Returns all arrows, and the spans whose cause is not in the trace.
pub fn arrows(
    folded: &FoldedEvents,
    tree: &EnclosingSpans,
    rows: &[TopoExecRow],
    strings: &Interner,
) -> (Vec<PublishFlow>, Vec<u32>) {
    let messages = messages(folded, tree, rows, strings);
    let (mut arrows, mut alone) = (Vec::new(), Vec::new());
    for (to, span) in (0..).zip(&folded.spans).filter(|(_, span)| span.rank == EXECUTE) {
        let Some(cause) = rows[span.row as usize].role(TopoExecRole::Causation) else { continue };
        match message(strings.get(cause), &messages, strings) {
            Some(&(publish, Some(from))) => arrows.push(PublishFlow { from, to, publish }),
            _ => alone.push(to),
        }
    }
    (arrows, alone)
}

/// Committed publications of each channel, each with the span that contains it.
type CommittedPublications = FxHashMap<StrId, Vec<(u32, Option<u32>)>>;

fn message<'a>(
    cause: &str,
    messages: &'a CommittedPublications,
    strings: &Interner,
) -> Option<&'a (u32, Option<u32>)> {
    let (channel, number) = cause.rsplit_once('#')?;
    let number: usize = number.parse().ok()?;
    messages.get(&strings.find(channel)?)?.get(number.checked_sub(1)?)
}

/// Values that a commit and its publication share.
type CommitKey = [Option<StrId>; 3];

fn messages(
    folded: &FoldedEvents,
    tree: &EnclosingSpans,
    rows: &[TopoExecRow],
    strings: &Interner,
) -> CommittedPublications {
    let common = |row: &TopoExecRow| -> CommitKey {
        [TopoExecRole::Channel, TopoExecRole::Causation, TopoExecRole::Epoch].map(|role| row.role(role))
    };
    let mut points: Vec<(u32, Option<u32>)> =
        folded.points.iter().copied().zip(tree.of_points.iter().copied()).collect();
    sort::by_key(&mut points, |(row, _)| (i64::from(rows[*row as usize].order as u32), 0));
    let mut published: FxHashMap<CommitKey, std::collections::VecDeque<_>> = FxHashMap::default();
    let mut messages = CommittedPublications::default();
    for (number, span) in points {
        let row = &rows[number as usize];
        let Some(channel) = row.role(TopoExecRole::Channel) else { continue };
        match strings.get(row.name) {
            "channel_publish" => published.entry(common(row)).or_default().push_back((number, span)),
            "channel_commit" => {
                let publish = published.get_mut(&common(row)).and_then(|list| list.pop_front());
                messages.entry(channel).or_default().push(publish.unwrap_or((number, None)));
            }
            _ => {}
        }
    }
    messages
}
