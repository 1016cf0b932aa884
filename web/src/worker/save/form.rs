//! Describes the dialog that saves the trace: its fields, and what the file would contain.

use super::{ENDING, TraceFile, files};
use crate::messages::{SaveField, SaveFieldKind, SaveForm, SaveOrder};
use crate::words::save as words;
use crate::worker::WorkerState;

/// Index of each field's value in [`SaveOrder::values`].
const FILE_TYPE: u32 = 0;

/// Values of the field of the file type.
const HTML: u32 = 0;

/// Number of files whose names are listed.
const LISTED: usize = 6;
/// Longest name of a file, in characters.
const LONGEST_NAME: usize = 80;

/// Whether an HTML file is to be written.
pub fn is_html(order: &SaveOrder) -> bool {
    order.has_template && value(order, FILE_TYPE) == HTML
}

fn value(order: &SaveOrder, id: u32) -> u32 {
    order.values.get(id as usize).copied().unwrap_or_default()
}

/// Describes the dialog for what was chosen in it.
pub fn describe(worker: &WorkerState, order: &SaveOrder) -> SaveForm {
    let files = files(worker);
    let mut form = SaveForm { name: file_name(&files, is_html(order)), ..SaveForm::default() };
    if order.has_template {
        form.fields.push(field(
            FILE_TYPE,
            words::FILE_TYPE,
            SaveFieldKind::One,
            &[(words::HTML, words::HTML_HINT), (words::SESSION, words::SESSION_HINT)],
        ));
    }
    list_files(&mut form, &files);
    if files.is_empty() {
        form.failed = true;
        form.status = words::NO_FILE.to_owned();
    }
    form
}

fn field(id: u32, legend: &str, kind: SaveFieldKind, options: &[(&str, &str)]) -> SaveField {
    let owned = |(label, hint): &(&str, &str)| ((*label).to_owned(), (*hint).to_owned());
    let options = options.iter().map(owned).collect();
    SaveField { id, legend: legend.to_owned(), kind, options, disabled: 0 }
}

fn list_files(form: &mut SaveForm, files: &[TraceFile]) {
    for (name, file) in files.iter().take(LISTED) {
        form.content.push((name.clone(), words::size(file.size() as u64)));
    }
    if let Some(rest) = files.get(LISTED..).filter(|rest| !rest.is_empty()) {
        let bytes = rest.iter().map(|(_, file)| file.size() as u64).sum();
        form.content.push((words::other_files(rest.len() as u64), words::size(bytes)));
    }
}

/// Name of the saved file, after the first trace without its endings.
fn file_name(files: &[TraceFile], is_html: bool) -> String {
    let first = files.first().map_or("", |(name, _)| name.as_str());
    let last = first.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = last.split('.').find(|part| !part.is_empty()).unwrap_or("trace");
    let safe: String = stem.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    format!("{safe}{}", if is_html { ".html" } else { ENDING })
}
