//! Messages about saving a trace. The worker describes the dialog, so that its texts are in the engine's program and not in
//! the page's, which is downloaded first.

use serde::{Deserialize, Serialize};

/// What to save, as chosen in the dialog.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct SaveOrder {
    /// Values of the dialog's fields, by [`SaveField::id`].
    pub values: [u32; SaveField::COUNT],
    /// The selected time range, in nanoseconds.
    pub range: Option<(i64, i64)>,
    /// Code of the selected item.
    pub selection: Option<u32>,
    /// State of the views, as the fragment of a link.
    pub state: String,
    /// Notes of the user.
    pub notes: String,
    /// Whether to write the file; otherwise, its content is described.
    pub write: bool,
    /// Whether an HTML file can be written.
    pub has_template: bool,
}

/// The dialog: its fields, what the file would contain, and the progress of writing it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct SaveForm {
    /// Fields in their order.
    pub fields: Vec<SaveField>,
    /// Content of the file: a label and a value each.
    pub content: Vec<(String, String)>,
    /// Written and total bytes while the file is written.
    pub progress: Option<(u64, u64)>,
    /// Result of writing, or why the file cannot be written.
    pub status: String,
    /// Whether the file cannot be written.
    pub failed: bool,
    /// Name of the file.
    pub name: String,
}

/// A field of the dialog.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct SaveField {
    /// Index of its value in [`SaveOrder::values`].
    pub id: u32,
    /// Heading of its options.
    pub legend: String,
    /// How its options are shown.
    pub kind: SaveFieldKind,
    /// Label of each option, and a hint that may be empty.
    pub options: Vec<(String, String)>,
    /// Bits of the options that cannot be chosen.
    pub disabled: u32,
}

impl SaveField {
    /// Number of fields.
    pub const COUNT: usize = 4;
}

/// How the options of a field are shown.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveFieldKind {
    /// Radio buttons; the value is the index of the chosen option.
    One,
    /// Checkboxes; the value has a bit for each option.
    Many,
    /// A list that opens; the value is the index of the chosen option.
    List,
}
