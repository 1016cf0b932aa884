//! A view as an SVG image: title, headings, time axis, rows and legend, drawn by the same rules as the page's canvases.
//!
//! The image has no scripts, external references or style sheets, so that pages with any content security policy can
//! show it. Its size depends on the pixels of the view, not on the number of spans. See [W3C SVG
//! 1.1](https://www.w3.org/TR/SVG11/).

mod arrows;
mod bars;
mod frame;
mod legend;
mod svg;
mod text_width;

use crate::protocol::{
    Arrow, ColorBy, Legend, MERGED_WIDTH, MergedSpec, Picture, PictureRequest, StackForm, ViewKind, Viewport,
};
use crate::view::ruler::{self, Ruler};
use crate::view::{BarEdges, Color, Rect, Scene, SceneTheme, Transform};
#[cfg(feature = "export")]
pub(super) use svg::escaped;
use svg::{SvgText, number};

/// Fonts of all texts, as in the page.
const FONTS: &str =
    "Inter, 'Segoe UI', system-ui, -apple-system, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
/// Height of the title and subtitle, in CSS pixels.
const TITLE: f64 = 46.0;
/// Height of the axis, in CSS pixels.
const AXIS: f64 = 26.0;

/// Content of an image.
pub struct PictureParts<'a> {
    /// Scene of the requested viewport.
    pub scene: &'a Scene,
    /// Meaning of the colours.
    pub legend: &'a Legend,
    /// Arrows of the selection that are drawn.
    pub arrows: &'a [Arrow],
    /// End of the longest run, in nanoseconds.
    pub end: i64,
    /// Whether records after the loaded range were left out.
    pub ends_later: bool,
}

/// The rows of an image while they are drawn.
struct PictureScene<'a> {
    scene: &'a Scene,
    view: &'a Viewport,
    theme: &'a SceneTheme,
    /// Size of the rows, in CSS pixels.
    width: f64,
    height: f64,
    selection: Option<u32>,
    range: Option<(i64, i64)>,
    ends_later: bool,
    ruler: &'a Ruler,
}

impl PictureScene<'_> {
    /// The scene is drawn in its own viewport.
    const TRANSFORM: Transform = Transform { scale: 1.0, dx: 0.0, dy: 0.0 };

    fn on_screen(&self, rect: &Rect) -> Option<BarEdges> {
        let bar = BarEdges::of(rect, &Self::TRANSFORM);
        bar.is_on_screen(self.width, self.height).then_some(bar)
    }
}

/// Gradients and patterns that the shapes of an image refer to.
struct Definitions {
    /// Prefix of all ids, so that several images can be parts of one page.
    prefix: String,
    fades: Vec<(Color, bool)>,
    hatch: bool,
}

impl Definitions {
    /// Returns the paint of a bar's end that fades out to the right, or to the left.
    fn fade(&mut self, color: Color, to_left: bool) -> String {
        let at = self.fades.iter().position(|fade| *fade == (color, to_left)).unwrap_or_else(|| {
            self.fades.push((color, to_left));
            self.fades.len() - 1
        });
        format!("url(#{}-f{at})", self.prefix)
    }

    /// Returns the paint of the hatched end of a failed bar.
    fn hatch(&mut self) -> String {
        self.hatch = true;
        format!("url(#{}-h)", self.prefix)
    }

    fn write(&self, theme: &SceneTheme, out: &mut SvgText) {
        let prefix = &self.prefix;
        for (at, (color, to_left)) in self.fades.iter().enumerate() {
            let color = color.css();
            let [from, to] = if *to_left { ["0", "1"] } else { ["1", "0"] };
            out.raw(&format!(
                r#"<linearGradient id="{prefix}-f{at}"><stop offset="0" stop-color="{color}" stop-opacity="{from}"/><stop offset="1" stop-color="{color}" stop-opacity="{to}"/></linearGradient>"#
            ));
        }
        if self.hatch {
            let (soft, bad) = (theme.bad_soft.css(), theme.bad.css());
            out.raw(&format!(
                r#"<pattern id="{prefix}-h" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="{soft}"/><path d="M-1 1L1-1M0 6L6 0M5 7L7 5" stroke="{bad}" stroke-width="1.7"/></pattern>"#
            ));
        }
    }
}

/// Draws an image.
pub fn draw(request: &PictureRequest, parts: &PictureParts) -> Picture {
    let theme = &SceneTheme::fixed(request.dark).only(&request.only);
    let view = &parts.scene.viewport;
    let is_merged = matches!(request.view.kind, ViewKind::FlameMerged(_));
    let is_side_by_side = matches!(request.view.kind, ViewKind::SideBySide { .. });
    let headings = if is_merged { 0.0 } else { f64::from(request.headings.clamp(0.0, view.width)).round() };
    let ruler = if is_merged { ruler::shares(view) } else { ruler::ticks(view) };
    let width = f64::from(view.width).round();
    let height = height_of_rows(parts.scene);
    let scene = &PictureScene {
        scene: parts.scene,
        view,
        theme,
        width,
        height,
        selection: request.selection.filter(|_| !is_merged),
        range: request.range.filter(|_| !is_merged && !is_side_by_side),
        ends_later: parts.ends_later,
        ruler: &ruler,
    };
    let full = headings + width;
    let by = if is_merged { ColorBy::Kind } else { request.view.color };
    let legend = legend::layout(parts.legend, by, full, theme);
    let hidden = (parts.scene.content_height - view.top - height).max(0.0);
    let total = TITLE + AXIS + height + legend.height;
    let mut definitions = Definitions { prefix: prefix(request), fades: Vec::new(), hatch: false };
    let mut out = SvgText::default();
    let subtitle = subtitle(request, view, parts.end);
    frame::begin(scene, &mut out, (full, total), [&request.title, &subtitle]);
    frame::axis(scene, &mut out, [headings, TITLE, width, AXIS], parts.end);
    let top = TITLE + AXIS;
    if headings > 0.0 {
        frame::headings(scene, &mut out, [0.0, top, headings, height]);
    }
    out.begin_part([headings, top, width, height]);
    frame::ground(scene, &mut out);
    bars::draw(scene, &mut out, &mut definitions);
    arrows::draw(parts.arrows, view, theme, &mut out);
    bars::labels(scene, &mut out);
    frame::row_texts(scene, &mut out);
    out.end_part();
    frame::edges(scene, &mut out, [headings, TITLE, full, top + height]);
    legend.write(theme, &mut out, top + height, &mut definitions);
    definitions.write(theme, &mut out);
    out.raw("</svg>\n");
    Picture { svg: out.0, width: full as f32, height: total as f32, hidden }
}

/// Height of the fully visible rows; height of the viewport if a partly visible row takes up a large part of it.
fn height_of_rows(scene: &Scene) -> f64 {
    let view = &scene.viewport;
    let left = (scene.content_height - view.top).max(0.0);
    let most = f64::from(view.height);
    if left <= most {
        return left.round();
    }
    let ends = scene.rows.iter().map(|row| f64::from(row.y + row.height));
    let last = ends.filter(|&end| end <= most).fold(0.0, f64::max);
    if last > most * 0.7 { last.round() } else { most.round() }
}

/// A prefix for ids that differs between images.
fn prefix(request: &PictureRequest) -> String {
    let Viewport { start, end, width, top, height } = request.viewport;
    let numbers = [start as u64, end as u64, width.to_bits().into(), top.to_bits(), height.to_bits().into()];
    let mut hash = u64::from(request.dark);
    for byte in request.title.bytes().chain(numbers.iter().flat_map(|number| number.to_le_bytes())) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).wrapping_add(0x9e37_79b9);
    }
    format!("q{:08x}", hash >> 32)
}

/// Describes the form of the stacks in a merged flame graph, without names of the trace.
fn stacks(spec: &MergedSpec) -> String {
    if !spec.has_stacks() {
        return String::new();
    }
    let form = match spec.stacks {
        StackForm::Callees => "",
        StackForm::Inverted => ", inverted",
        StackForm::CalleesOf(_) => ", callees of one name",
        StackForm::CallersOf(_) => ", callers of one name",
    };
    let hidden = match spec.hidden.len() {
        0 => String::new(),
        n => format!(", {} hidden", crate::base::text::counted(n as u64, "name", "names")),
    };
    let recursion = if spec.collapse_recursion { ", recursion collapsed" } else { "" };
    format!("{form}{hidden}{recursion}")
}

/// Describes the view and the part of the trace in the image.
fn subtitle(request: &PictureRequest, view: &Viewport, end: i64) -> String {
    let name = match &request.view.kind {
        ViewKind::Gantt(_) => "Gantt",
        ViewKind::Pinned(_) => "Pinned tracks",
        ViewKind::FlameTime { .. } => "Flame graph",
        ViewKind::SideBySide { .. } => "Two executions, each from its start",
        ViewKind::FlameMerged(spec) => {
            let share = (view.end - view.start) as f64 * 100.0 / MERGED_WIDTH as f64;
            let part =
                if share < 99.999 { format!(", {} % of the width", number(share)) } else { String::new() };
            return format!("Merged flame graph by {}{}{part}", spec.shown_weight().name(), stacks(spec));
        }
    };
    let [from, to] = [view.start, view.end].map(|time| ruler::pixel_time(view, time));
    let whole = if view.start <= 0 && view.end >= end {
        String::new()
    } else {
        format!(" of {}", crate::base::text::duration(end))
    };
    format!("{name}, {from} to {to}{whole}")
}
