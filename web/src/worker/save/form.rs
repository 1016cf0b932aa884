//! Describes the dialog that saves the trace: its fields, and what the file would contain.

use queryscope::export::ForeignFormat;
use queryscope::protocol::{ExportPreview, ExportPreviewRequest, ExportSpec, Redaction, RunSummariesRequest};
use queryscope::session::Session;
use queryscope::trace::{Item, Kind, Trace};

use super::{ENDING, TraceFile, files};
use crate::messages::{SaveField, SaveFieldKind, SaveForm, SaveOrder};
use crate::words::save as words;
use crate::worker::WorkerState;

/// Indexes of the fields' values in [`SaveOrder::values`].
const FILE_TYPE: u32 = 0;
const PART: u32 = 1;
const RUN: u32 = 2;
const REMOVE: u32 = 3;

/// File types, in the order of the field's options. Without the viewer's template, there is no option for the first one.
const FILE_TYPES: [FileType; 6] = [
    FileType::Html,
    FileType::Session,
    FileType::Foreign(ForeignFormat::Chrome),
    FileType::Foreign(ForeignFormat::Speedscope),
    FileType::Foreign(ForeignFormat::Folded),
    FileType::Foreign(ForeignFormat::Otlp),
];

/// Type of the saved file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// HTML file with the viewer and a session file.
    Html,
    /// Session file.
    Session,
    /// File of another program, without the view and the notes.
    Foreign(ForeignFormat),
}

impl FileType {
    /// The type that is chosen in the dialog.
    pub fn of(order: &SaveOrder) -> Self {
        let at = value(order, FILE_TYPE) as usize + usize::from(!order.has_template);
        FILE_TYPES.get(at).copied().unwrap_or(Self::Session)
    }

    /// File name extension of the file type.
    fn ending(self) -> &'static str {
        match self {
            Self::Html => ".html",
            Self::Session => ENDING,
            Self::Foreign(ForeignFormat::Chrome) => ".chrome.json",
            Self::Foreign(ForeignFormat::Speedscope) => ".speedscope.json",
            Self::Foreign(ForeignFormat::Folded) => ".folded",
            Self::Foreign(ForeignFormat::Otlp) => ".otlp.json",
        }
    }

    /// Label and hint of the file type's option.
    fn option(self) -> (&'static str, &'static str) {
        match self {
            Self::Html => (words::HTML, words::HTML_HINT),
            Self::Session => (words::SESSION, words::SESSION_HINT),
            Self::Foreign(ForeignFormat::Chrome) => (words::CHROME, words::CHROME_HINT),
            Self::Foreign(ForeignFormat::Speedscope) => (words::SPEEDSCOPE, words::SPEEDSCOPE_HINT),
            Self::Foreign(ForeignFormat::Folded) => (words::FOLDED, words::FOLDED_HINT),
            Self::Foreign(ForeignFormat::Otlp) => (words::OTLP, words::OTLP_HINT),
        }
    }

    fn is_foreign(self) -> bool {
        matches!(self, Self::Foreign(_))
    }
}

/// Values of the field that selects the part of the trace.
const RANGE: u32 = 1;
const ONE_RUN: u32 = 2;
const QUERY: u32 = 3;

/// Bits of the redaction field.
const LITERALS: u32 = 1;
const IDENTIFIERS: u32 = 2;
const TEXTS: u32 = 4;

/// Number of files whose names are listed.
const LISTED: usize = 6;
/// Maximum length of a file name, in characters.
const LONGEST_NAME: usize = 80;
/// Maximum number of ancestors of an item among which its query is searched.
const MAX_DEPTH: usize = 4096;

/// Cached content counts of a part of the trace, because counting takes long in a large trace.
pub struct CountedContent {
    build: u32,
    spec: ExportSpec,
    is_foreign: bool,
    /// Size of the trace in bytes, before compression.
    bytes: u64,
    /// Labels and values.
    lines: Vec<(String, String)>,
}

/// Size in bytes of the part that was described last, before compression; 0 if no part was described.
pub fn counted_bytes(worker: &WorkerState) -> u64 {
    worker.counted.borrow().as_ref().map_or(0, |counted| counted.bytes)
}

fn value(order: &SaveOrder, id: u32) -> u32 {
    order.values.get(id as usize).copied().unwrap_or_default()
}

/// The part of the trace to save, and the redaction of its texts.
pub fn spec(order: &SaveOrder, trace: &Trace) -> ExportSpec {
    let part = value(order, PART);
    let removed = value(order, REMOVE);
    ExportSpec {
        redaction: Redaction {
            literals: removed & LITERALS != 0,
            identifiers: removed & IDENTIFIERS != 0,
            texts: removed & TEXTS != 0,
        },
        range: order.range.filter(|_| part == RANGE),
        run: (part == ONE_RUN).then(|| value(order, RUN)),
        query: query(order, trace).filter(|_| part == QUERY),
    }
}

/// Code of the query of the selected item.
fn query(order: &SaveOrder, trace: &Trace) -> Option<u32> {
    let item = order.selection.map(Item::from_code).filter(|item| trace.contains(*item))?;
    let own = match item {
        Item::Span(id) => Some(id),
        Item::Event(_) => trace.parent(item),
    };
    let mut above = std::iter::successors(own, |id| trace.spans.parent(*id)).take(MAX_DEPTH);
    above.find(|id| trace.spans.kind(*id) == Kind::Query).map(|id| Item::Span(id).code())
}

/// Describes the dialog for the chosen options; [`add_preview`] adds the counts, which take longer.
pub fn describe(worker: &WorkerState, order: &SaveOrder) -> SaveForm {
    let files = files(worker);
    let mut form = SaveForm { name: file_name(&files, order), ..SaveForm::default() };
    let types = FILE_TYPES[usize::from(!order.has_template)..].iter();
    let types: Vec<(&str, &str)> = types.map(|file_type| file_type.option()).collect();
    form.fields.push(field(FILE_TYPE, words::FILE_TYPE, SaveFieldKind::One, &types));
    let mut session = worker.session.borrow_mut();
    add_parts(&mut form, order, &mut session);
    form.fields.push(field(
        REMOVE,
        words::REMOVE,
        SaveFieldKind::Many,
        &[
            (words::LITERALS, words::LITERALS_HINT),
            (words::IDENTIFIERS, words::IDENTIFIERS_HINT),
            (words::TEXTS, words::TEXTS_HINT),
        ],
    ));
    form.status = words::COUNTING.to_owned();
    if files.is_empty() && !FileType::of(order).is_foreign() {
        form.failed = true;
        form.name.clear();
        form.status = words::NO_FILE.to_owned();
    }
    form
}

fn add_parts(form: &mut SaveForm, order: &SaveOrder, session: &mut Session) {
    let has_query = query(order, session.trace()).is_some();
    let range = order.range.map(|(start, end)| words::range(start, end));
    let runs = session.answer(&RunSummariesRequest);
    let mut part = field(
        PART,
        words::PART,
        SaveFieldKind::One,
        &[
            (words::WHOLE, ""),
            (range.as_deref().unwrap_or(words::RANGE), if range.is_some() { "" } else { words::RANGE_HINT }),
            (words::ONE_RUN, if runs.len() < 2 { words::ONE_RUN_HINT } else { "" }),
            (words::QUERY, if has_query { "" } else { words::QUERY_HINT }),
        ],
    );
    let is_disabled = [(RANGE, range.is_none()), (ONE_RUN, runs.len() < 2), (QUERY, !has_query)];
    part.disabled = is_disabled.into_iter().filter(|(_, is)| *is).map(|(at, _)| 1 << at).sum();
    form.fields.push(part);
    if value(order, PART) == ONE_RUN {
        let names: Vec<(&str, &str)> = runs.iter().map(|run| (run.run.as_str(), "")).collect();
        form.fields.push(field(RUN, words::RUN, SaveFieldKind::List, &names));
    }
}

/// Adds counts of the data that the file would contain, and of the data that would be removed.
pub fn add_preview(form: &mut SaveForm, worker: &WorkerState, order: &SaveOrder, has_archives: bool) {
    let spec = spec(order, worker.session.borrow().trace());
    form.status.clear();
    let build = worker.build.get();
    let is_foreign = FileType::of(order).is_foreign();
    if let Some(counted) = &*worker.counted.borrow()
        && (counted.build, counted.is_foreign) == (build, is_foreign)
        && counted.spec == spec
    {
        form.content.clone_from(&counted.lines);
        return;
    }
    let is_whole = spec.is_whole();
    let preview = worker.session.borrow_mut().answer(&ExportPreviewRequest { spec: spec.clone() });
    let mut add = |label: &str, value: String| form.content.push((label.to_owned(), value));
    if is_foreign {
        // The size of the file is not known before it is written.
    } else if is_whole && !has_archives {
        list_files(&files(worker), &mut add);
        if worker.options.borrow().part != Default::default() {
            add(words::NOT_LOADED, String::new());
        }
    } else {
        add(words::TRACE_FILE, words::size(preview.bytes));
    }
    list_content(&preview, &mut add);
    worker.counted.replace(Some(CountedContent {
        build,
        spec,
        is_foreign,
        bytes: preview.bytes,
        lines: form.content.clone(),
    }));
}

fn field(id: u32, legend: &str, kind: SaveFieldKind, options: &[(&str, &str)]) -> SaveField {
    let owned = |(label, hint): &(&str, &str)| ((*label).to_owned(), (*hint).to_owned());
    let options = options.iter().map(owned).collect();
    SaveField { id, legend: legend.to_owned(), kind, options, disabled: 0 }
}

fn list_files(files: &[TraceFile], add: &mut dyn FnMut(&str, String)) {
    for (name, file) in files.iter().take(LISTED) {
        add(name, words::size(file.size() as u64));
    }
    if let Some(rest) = files.get(LISTED..).filter(|rest| !rest.is_empty()) {
        let bytes = rest.iter().map(|(_, file)| file.size() as u64).sum();
        add(&words::other_files(rest.len() as u64), words::size(bytes));
    }
}

fn list_content(preview: &ExportPreview, add: &mut dyn FnMut(&str, String)) {
    for (label, count) in [
        (words::SPANS, preview.spans),
        (words::EVENTS, preview.events),
        (words::ROWS, preview.rows),
        (words::STATEMENTS, preview.statements),
        (words::ERRORS, preview.errors),
    ] {
        if count > 0 {
            add(label, words::number(count));
        }
    }
    for role in &preview.identifiers {
        add(&words::role(&role.role), words::identifiers(role.count, &role.examples));
    }
    if !preview.removed.is_empty() {
        add(words::REMOVED, preview.removed.join(", "));
    }
}

/// Endings of traces, and of packed files and archives. A name may have several: `run.json.gz`.
const ENDINGS: &str = "bz2 chrome csv folded gz html json jsonl log ndjson otlp queryscope session speedscope sql stacks tar tgz \
                       trace tsv txt xml xz yaml yml zip zst zstd";

/// Name of the saved file, after the first trace without its endings; `trace` if names are removed.
fn file_name(files: &[TraceFile], order: &SaveOrder) -> String {
    let first = files.first().map_or("", |(name, _)| name.as_str());
    let first = if value(order, REMOVE) & IDENTIFIERS == 0 { first } else { "" };
    let last = first.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = match without_endings(last.trim_matches('.')) {
        "" => "trace",
        stem => stem,
    };
    let safe: String = stem.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    format!("{safe}{}", FileType::of(order).ending())
}

/// A file name without the endings that traces and packed files have. Other parts with dots, such as versions and dates, are kept.
fn without_endings(mut name: &str) -> &str {
    while let Some((rest, ending)) = name.rsplit_once('.')
        && ENDINGS.split(' ').any(|known| ending.eq_ignore_ascii_case(known))
    {
        name = rest;
    }
    name
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn saved_files_are_named_after_the_trace() {
        for (name, expected) in [
            ("run.json", "run"),
            ("run.trace.JSON.gz", "run"),
            ("mysql-9.7-mini.zip", "mysql-9.7-mini"),
            ("2026.11.29-run.json", "2026.11.29-run"),
            ("host.prod", "host.prod"),
            (".json", "json"),
            ("json", "json"),
            ("", ""),
        ] {
            assert_eq!(without_endings(name.trim_matches('.')), expected, "{name}");
        }
    }
}
