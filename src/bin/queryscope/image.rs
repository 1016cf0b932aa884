//! Images of views: `svg`, and `png` if the program is built with it.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use queryscope::internal::command_line::Load;
use queryscope::internal::stats::{first_path, n_queries};
use queryscope::protocol::{
    Arrangement, ColorBy, FrameDimension, FrameWeight, LocateRequest, MAX_PIXELS, MERGED_WIDTH, MergedSpec,
    Picture, PictureRequest, QueryList, QueryListRequest, SearchRequest, StackForm, ViewKind, ViewSpec,
    Viewport,
};
use queryscope::session::Session;
use queryscope::trace::Trace;

use super::TimeRange;
use super::filtering::Where;

/// Maximum width of the headings: in pixels, and as a share of the width of the image.
const HEADINGS: (f32, f32) = (242.0, 0.3);
/// Divisor of a query's duration: the quotient is the time that is shown before and after the query.
const AROUND_QUERY: i64 = 50;

#[derive(Args)]
pub struct PictureArguments {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The view to draw.
    #[arg(long, value_enum, default_value_t = PictureView::Gantt)]
    view: PictureView,
    /// Arrangement of the rows of the Gantt view. [default: by-query for up to 500 queries, else packed]
    #[arg(long, value_enum)]
    rows: Option<RowsBy>,
    /// What the colours mean, in the Gantt view and the flame graph.
    #[arg(long, value_enum, default_value_t = ColorChoice::Kind)]
    color: ColorChoice,
    /// What the width of a frame means, in the merged flame graph.
    #[arg(long, value_enum, default_value_t = WidthChoice::Time)]
    weight: WidthChoice,
    #[command(flatten)]
    stacks: StackChoice,
    /// Width of the image, in pixels.
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u16).range(200..=16_000))]
    width: u16,
    /// Maximum height of the rows, in pixels. Rows below are left out, with a note on standard error.
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u16).range(40..=16_000))]
    height: u16,
    #[arg(long, value_enum, default_value_t = PictureTheme::Light)]
    theme: PictureTheme,
    /// Show one query: the longest that has these words in its SQL or IDs. The flame graph then shows nothing else.
    #[arg(long, value_name = "FILTER")]
    query: Option<String>,
    #[command(flatten)]
    pub filter: Where,
    /// Highlight spans and events that contain this text.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Title of the image. [default: the name of the first FILE and the number of further ones, such as "a.json + 2"]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    #[command(flatten)]
    pub within: TimeRange,
    #[command(flatten)]
    pub load: Load,
    /// The file to write. [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[cfg(feature = "png")]
#[derive(Args)]
pub struct PngArguments {
    #[command(flatten)]
    pub picture: PictureArguments,
    /// Pixels of the file per pixel of the image.
    #[arg(long, value_name = "N", default_value_t = 2.0, value_parser = scale)]
    scale: f32,
}

/// Form of the call stacks in the merged flame graph. Each option groups frames by their calls.
#[derive(Args)]
struct StackChoice {
    /// Show each call with its self time and its callers below it, in the merged flame graph.
    #[arg(long, conflicts_with_all = ["callees_of", "callers_of"])]
    inverted: bool,
    /// Show the calls of this name and what they call, in the merged flame graph.
    #[arg(long, value_name = "NAME", conflicts_with = "callers_of")]
    callees_of: Option<String>,
    /// Show the calls of this name and their callers, in the merged flame graph.
    #[arg(long, value_name = "NAME")]
    callers_of: Option<String>,
    /// Leave out calls of this name (repeatable); what they contain counts at their callers.
    #[arg(long, value_name = "NAME")]
    hide: Vec<String>,
    /// Merge a call into its caller if both have the same name.
    #[arg(long)]
    collapse_recursion: bool,
}

impl StackChoice {
    fn form(&self) -> StackForm {
        let root = self.callees_of.as_ref().or(self.callers_of.as_ref());
        StackForm::new(self.inverted || self.callers_of.is_some(), root.cloned())
    }

    /// Grouping path: the default one of the trace, or by calls if an option concerns them.
    fn path(&self, trace: &Trace) -> Vec<FrameDimension> {
        let path = first_path(trace);
        let is_default =
            self.form() == StackForm::Callees && self.hide.is_empty() && !self.collapse_recursion;
        if is_default || path.contains(&FrameDimension::Stack) { path } else { vec![FrameDimension::Stack] }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PictureView {
    /// Rows of bars over time.
    Gantt,
    /// Flame graph in time order.
    Flame,
    /// Flame graph of merged frames.
    Merged,
}

#[derive(Clone, Copy, ValueEnum)]
enum RowsBy {
    ByQuery,
    Packed,
}

#[derive(Clone, Copy, ValueEnum)]
enum ColorChoice {
    Kind,
    Connector,
    Datasource,
    Outcome,
    Query,
}

#[derive(Clone, Copy, ValueEnum)]
enum WidthChoice {
    Time,
    SelfTime,
    RowsRead,
    RowsReturned,
    Bytes,
    Count,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PictureTheme {
    Light,
    Dark,
}

#[cfg(feature = "png")]
fn scale(text: &str) -> Result<f32, String> {
    let scale = text.parse().ok().filter(|scale| (0.1..=8.0).contains(scale));
    scale.ok_or_else(|| "expected a number from 0.1 to 8".to_owned())
}

/// Why an image cannot be drawn or written.
pub enum PictureError {
    /// The arguments do not fit the trace.
    Usage(String),
    /// The file cannot be written.
    Output(String, io::Error),
}

impl PictureArguments {
    /// Writes the image as SVG.
    pub fn write_svg(&self, session: &mut Session) -> Result<(), PictureError> {
        let picture = self.draw(session)?;
        self.write(picture.svg.as_bytes())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), PictureError> {
        let written = match &self.output {
            Some(path) => File::create(path).and_then(|mut file| file.write_all(bytes)),
            None => io::stdout().lock().write_all(bytes),
        };
        let name =
            || self.output.as_ref().map_or("standard output".into(), |path| path.display().to_string());
        written.map_err(|error| PictureError::Output(name(), error))
    }

    fn draw(&self, session: &mut Session) -> Result<Picture, PictureError> {
        if let Some(text) = &self.search {
            session.answer(&SearchRequest { text: text.clone() });
        }
        let request = self.request(session)?;
        let picture = session.answer(&request);
        let hidden = picture.hidden;
        if hidden >= 1.0 {
            eprintln!(
                "queryscope: note: {hidden:.0} pixels of rows are below the image; --height and --query choose which rows are shown"
            );
        }
        Ok(picture)
    }

    fn request(&self, session: &mut Session) -> Result<PictureRequest, PictureError> {
        let query = match &self.query {
            Some(filter) => Some(self.find(session, filter)?),
            None => None,
        };
        let mut view = ViewSpec::new(self.kind(session, query), self.color());
        let mut bounds = (0, session.trace().end().max(1));
        let mut top = 0.0;
        if let Some(item) = query {
            let located = session.answer(&LocateRequest { item, view: view.clone(), open: true });
            if let Some(located) = located {
                located.expanded.iter().for_each(|track| view.expansion.set(*track, true));
                let around = (located.end.saturating_sub(located.start) / AROUND_QUERY).max(1);
                bounds = (located.start.saturating_sub(around), located.end.saturating_add(around));
                top = if self.view == PictureView::Gantt { located.top } else { 0.0 };
            }
        }
        let is_merged = self.view == PictureView::Merged;
        let (start, end) = if is_merged { (0, MERGED_WIDTH) } else { self.interval(bounds)? };
        let width = f32::from(self.width);
        let headings = if is_merged { 0.0 } else { HEADINGS.0.min(width * HEADINGS.1).round() };
        let height = f32::from(self.height).min(MAX_PIXELS);
        Ok(PictureRequest {
            viewport: Viewport { start, end, width: width - headings, top, height },
            view,
            headings,
            title: self.title.clone().unwrap_or_else(|| title(&self.files)),
            dark: self.theme == PictureTheme::Dark,
            only: Vec::new(),
            selection: None,
            range: None,
            arrows: None,
        })
    }

    fn interval(&self, bounds: (i64, i64)) -> Result<(i64, i64), PictureError> {
        let (start, end) = (self.within.from.unwrap_or(bounds.0), self.within.to.unwrap_or(bounds.1));
        if end <= start {
            return Err(PictureError::Usage(
                "the time range of the image is empty: --to is not after --from".to_owned(),
            ));
        }
        Ok((start, end))
    }

    /// Item code of the longest query that matches a filter. An error if the filter is invalid, if no query matches, or
    /// if the view cannot show a single query.
    fn find(&self, session: &mut Session, filter: &str) -> Result<u32, PictureError> {
        if self.view == PictureView::Merged {
            let message = "--query applies to the views gantt and flame; a merged flame graph is restricted by --from and --to";
            return Err(PictureError::Usage(message.to_owned()));
        }
        let list = QueryList { filter: filter.to_owned(), ..QueryList::default() };
        let page = session.answer(&QueryListRequest { list, first: 0, count: 1 });
        if let Some(error) = page.filter_error {
            return Err(PictureError::Usage(format!("--query: {error}")));
        }
        let row =
            page.rows.first().ok_or_else(|| PictureError::Usage(format!("no query matches “{filter}”")))?;
        if page.matched > 1 {
            eprintln!(
                "queryscope: note: {} queries match “{filter}”; the longest is shown: {}",
                page.matched, row.query
            );
        }
        Ok(row.item)
    }

    fn kind(&self, session: &Session, query: Option<u32>) -> ViewKind {
        let trace = session.trace();
        match self.view {
            PictureView::Gantt => ViewKind::Gantt(match self.rows {
                Some(RowsBy::ByQuery) => Arrangement::ByQuery,
                Some(RowsBy::Packed) => Arrangement::Packed,
                None if query.is_some() => Arrangement::ByQuery,
                None => Arrangement::suiting(n_queries(trace)),
            }),
            PictureView::Flame => ViewKind::FlameTime { query },
            PictureView::Merged => ViewKind::FlameMerged(MergedSpec {
                filter: String::new(),
                path: self.stacks.path(trace),
                weight: match self.weight {
                    WidthChoice::Time => FrameWeight::Time,
                    WidthChoice::SelfTime => FrameWeight::SelfTime,
                    WidthChoice::RowsRead => FrameWeight::RowsRead,
                    WidthChoice::RowsReturned => FrameWeight::RowsReturned,
                    WidthChoice::Bytes => FrameWeight::Bytes,
                    WidthChoice::Count => FrameWeight::Count,
                },
                focus: Vec::new(),
                range: self.within.range(),
                arguments: Vec::new(),
                stacks: self.stacks.form(),
                hidden: self.stacks.hide.clone(),
                collapse_recursion: self.stacks.collapse_recursion,
                difference: None,
            }),
        }
    }

    fn color(&self) -> ColorBy {
        match self.color {
            ColorChoice::Kind => ColorBy::Kind,
            ColorChoice::Connector => ColorBy::Connector,
            ColorChoice::Datasource => ColorBy::Datasource,
            ColorChoice::Outcome => ColorBy::Outcome,
            ColorChoice::Query => ColorBy::Query,
        }
    }
}

/// Names the trace by its first file and the number of further files.
fn title(files: &[PathBuf]) -> String {
    let name = |file: &PathBuf| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let first = files.first().map(name).unwrap_or_default();
    match files.len() {
        0 | 1 => first,
        n => format!("{first} + {}", n - 1),
    }
}

#[cfg(feature = "png")]
impl PngArguments {
    /// Writes the image as PNG, with the fonts of the system.
    pub fn write(&self, session: &mut Session) -> Result<(), PictureError> {
        use resvg::{tiny_skia, usvg};

        let picture = self.picture.draw(session)?;
        let usage = |text: String| PictureError::Usage(text);
        let mut options = usvg::Options::default();
        options.fontdb_mut().load_system_fonts();
        let sans = options.fontdb.query(&usvg::fontdb::Query {
            families: &[usvg::fontdb::Family::Name("Inter"), usvg::fontdb::Family::SansSerif],
            ..Default::default()
        });
        if options.fontdb.is_empty() {
            eprintln!(
                "queryscope: note: this machine has no fonts, so the image has no text; install one, such as DejaVu Sans, or use svg"
            );
        } else if sans.is_none() {
            let family = options.fontdb.faces().find_map(|face| face.families.first().cloned());
            family.into_iter().for_each(|family| options.fontdb_mut().set_sans_serif_family(family.0));
        }
        let tree = usvg::Tree::from_str(&picture.svg, &options);
        let tree = tree.map_err(|error| usage(format!("the image cannot be drawn: {error}")))?;
        let [width, height] =
            [picture.width, picture.height].map(|length| (length * self.scale).round().max(1.0) as u32);
        let pixels = tiny_skia::Pixmap::new(width, height);
        let too_large =
            || usage(format!("a image of {width} × {height} pixels is too large; use a smaller --scale"));
        let mut pixels = pixels.ok_or_else(too_large)?;
        let transform = tiny_skia::Transform::from_scale(self.scale, self.scale);
        resvg::render(&tree, transform, &mut pixels.as_mut());
        let png =
            pixels.encode_png().map_err(|error| usage(format!("the image cannot be packed: {error}")))?;
        self.picture.write(&png)
    }
}
