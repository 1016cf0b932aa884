//! The merged flame graph: draws frames of [`stats::merged`](crate::stats::Merged) as bars, the widest at the left.
//!
//! The axis is the share of the focused frame: 0 to [`MERGED_WIDTH`]. Only visible bars are visited: children are
//! sorted by width, so that those too narrow to see are last, and are drawn as one bar.

use std::collections::HashMap;

use super::label::one_line;
use super::metrics;
use super::palette::Colors;
use super::scene::{BarStyle, Rect, Scene};
use crate::analysis::{FilteredItems, Hits, SqlShapes};
use crate::protocol::{FrameDimension, MERGED_WIDTH, MergedSpec, Outcome, Viewport, slot};
use crate::stats::{FrameLabel, FrameNode, KeptFrames, Merged};
use crate::trace::{Kind, Trace};

/// Width below which frames are drawn as one bar, in pixels.
const NARROW: f64 = 0.5;
/// Minimum width of a bar with a label, in pixels.
const LABEL_WIDTH: f64 = 26.0;
/// Number of cached trees: enough to switch back and forth between two.
const KEPT: usize = 2;
/// Gap between two rows, in pixels.
const GAP: f32 = 1.0;

/// Frame trees of the merged flame graph that are reused from scene to scene, and the filter of the next scene.
#[derive(Default)]
pub struct Cache {
    shapes: SqlShapes,
    /// Cached trees, the most recently used last.
    trees: Vec<MergedTree>,
    /// Frames of the graph that was built last.
    kept: Option<KeptFrames>,
    /// The items that pass the filter of the graph that is requested next; `None` if all pass.
    pub filter: Option<FilteredItems>,
}

struct MergedTree {
    /// The spec of the tree. Its focus is ignored, since it only selects one of the frames.
    spec: MergedSpec,
    merged: Merged,
    /// The most recent search text and, per frame, whether its label contains the text; `None` before the first search.
    found: Option<(String, Vec<bool>)>,
}

impl Cache {
    /// Returns the frames for `spec`, and the SQL shapes that they refer to.
    pub fn tree(&mut self, trace: &Trace, spec: &MergedSpec) -> (&Merged, &SqlShapes) {
        let at = self.place(trace, spec);
        (&self.trees[at].merged, &self.shapes)
    }

    fn place(&mut self, trace: &Trace, spec: &MergedSpec) -> usize {
        let spec = MergedSpec { focus: Vec::new(), ..spec.clone() };
        let tree = match self.trees.iter().position(|tree| tree.spec == spec) {
            Some(at) => self.trees.remove(at),
            None => {
                let filter = self.filter.as_ref();
                let merged = Merged::filtered(trace, &spec, &mut self.shapes, filter, &mut self.kept);
                MergedTree { spec, merged, found: None }
            }
        };
        if self.trees.len() >= KEPT {
            self.trees.remove(0);
        }
        self.trees.push(tree);
        self.trees.len() - 1
    }

    /// Searches the labels of a tree for the text of `hits`, unless this was the most recent search.
    fn find(&mut self, trace: &Trace, at: usize, hits: Option<&Hits>) {
        let MergedTree { merged, found, .. } = &mut self.trees[at];
        *found = match (found.take(), hits) {
            (_, None) => None,
            (Some(kept), Some(hits)) if kept.0 == hits.text() => Some(kept),
            (_, Some(hits)) => {
                let labels = merged.frames().iter().map(|frame| frame.label.text(trace, &self.shapes));
                Some((hits.text().to_owned(), labels.map(|label| hits.matches(&label)).collect()))
            }
        };
    }
}

/// Builds the scene of the merged flame graph for `spec`.
pub(super) fn scene(
    (trace, colors): (&Trace, &Colors),
    spec: &MergedSpec,
    viewport: &Viewport,
    hits: Option<&Hits>,
    cache: &mut Cache,
) -> Scene {
    let at = cache.place(trace, spec);
    cache.find(trace, at, hits);
    let MergedTree { merged, found, .. } = &cache.trees[at];
    let id = merged.find(trace, &cache.shapes, &spec.focus);
    let focus = &merged.frames()[id as usize];
    let found = found.as_ref().map(|(_, found)| found.as_slice());
    let scene = Scene::empty(*viewport);
    let texts = HashMap::new();
    let mut builder =
        MergedSceneBuilder { trace, colors, merged, shapes: &cache.shapes, found, focus, scene, texts };
    builder.draw(id);
    builder.scene.content_height = f64::from(metrics::FLAME) * (f64::from(focus.levels) + 1.0);
    builder.scene
}

struct MergedSceneBuilder<'a> {
    trace: &'a Trace,
    colors: &'a Colors,
    merged: &'a Merged,
    shapes: &'a SqlShapes,
    /// Per frame: whether it matches the current search; `None` without a search.
    found: Option<&'a [bool]>,
    /// The focused frame, which fills the width.
    focus: &'a FrameNode,
    scene: Scene,
    texts: HashMap<String, u32>,
}

impl<'a> MergedSceneBuilder<'a> {
    fn draw(&mut self, focus: u32) {
        if self.focus.width == 0 {
            return; // The focused frame has no value: the page says why.
        }
        let mut rows = vec![(focus, 0_u32)];
        while let Some((id, depth)) = rows.pop() {
            let Some(frame) = self.merged.get(id) else { continue };
            self.bar(id, frame, depth);
            rows.extend(self.visible(frame, depth + 1).into_iter().rev().map(|child| (child, depth + 1)));
        }
    }

    /// Returns the children of a frame that are drawn individually, and draws the narrow ones after them as one bar.
    fn visible(&mut self, frame: &FrameNode, depth: u32) -> Vec<u32> {
        let merged = self.merged;
        let children = merged.children(frame);
        let (left, right) = self.window();
        let get = |id: u32| &merged.frames()[id as usize];
        let wide = children.partition_point(|&id| self.width(get(id).width) >= NARROW);
        let first = children[..wide].partition_point(|&id| self.x(get(id).start + get(id).width) < left);
        let behind = children[..wide].partition_point(|&id| self.x(get(id).start) <= right);
        self.narrow(children.get(wide..).unwrap_or(&[]), depth);
        children[first.min(behind)..behind].to_vec()
    }

    fn bar(&mut self, id: u32, frame: &FrameNode, depth: u32) {
        let (from, to) = self.clipped(frame.start, frame.start + frame.width);
        let label = if to - from >= LABEL_WIDTH { self.text(self.label(id, frame)) } else { u32::MAX };
        let (rect, style) = (self.rect(id, (from, to), depth), self.style(&[id]));
        self.scene.rects.push(Rect { label, style, color: self.color(id, frame), ..rect });
    }

    /// Draws one bar for frames that are too narrow to be drawn individually.
    fn narrow(&mut self, frames: &[u32], depth: u32) {
        let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return };
        let (widest, last) = (&self.merged.frames()[first as usize], &self.merged.frames()[last as usize]);
        let (from, to) = self.clipped(widest.start, last.start + last.width);
        let (left, right) = self.window();
        if last.start + last.width == widest.start || to < left || from > right {
            return;
        }
        let rect = self.rect(first, (from, to), depth);
        let style = BarStyle::DENSITY.with(self.style(frames));
        self.scene.rects.push(Rect { style, alpha: 128, color: self.color(first, widest), ..rect });
    }

    fn rect(&self, id: u32, (from, to): (f64, f64), depth: u32) -> Rect {
        let y = f64::from(metrics::FLAME) * f64::from(depth) - self.scene.viewport.top;
        // One pixel separates neighbours, unless the bar is too narrow.
        let width = if to - from > 3.0 { to - from - 1.0 } else { (to - from).max(1.0) };
        Rect {
            x: from as f32,
            y: y as f32,
            width: width as f32,
            height: metrics::FLAME - GAP,
            split: 0.0,
            room: 0.0,
            id,
            label: u32::MAX,
            color: slot::NONE,
            style: BarStyle::default(),
            alpha: 255,
        }
    }

    /// Returns the label of a frame: its name and value. The names of statements and queries are long, so they are
    /// shown without the value.
    fn label(&self, id: u32, frame: &FrameNode) -> String {
        let name = one_line(&frame.label.text(self.trace, self.shapes));
        if let Some(sides) = self.merged.sides(id) {
            return format!("{}  {name}", self.merged.written_change(sides));
        }
        match frame.dimension {
            Some(FrameDimension::SqlShape | FrameDimension::Query) => name,
            _ => format!("{name}  {}", self.merged.written(frame.value)),
        }
    }

    /// Returns the colour slot of a frame. Frames grouped by name have the colour that their spans have in other views;
    /// all other frames have the colour of their dimension or outcome.
    fn color(&self, id: u32, frame: &FrameNode) -> u16 {
        if let Some(sides) = self.merged.sides(id) {
            return slot_of_change(sides);
        }
        match (frame.dimension, frame.label) {
            (Some(FrameDimension::Stack | FrameDimension::Name), FrameLabel::Text(name)) => {
                frame.kind.map_or(slot::NONE, |kind| self.colors.slot_of_named(self.trace, kind, name))
            }
            (_, FrameLabel::Outcome(Outcome::Failed)) => slot::FAILED,
            (_, FrameLabel::Outcome(Outcome::Ok)) => slot::OK,
            (_, FrameLabel::Outcome(_)) => slot::UNFINISHED,
            (None | Some(FrameDimension::Run), _) => Kind::Request as u16,
            (Some(FrameDimension::Connector | FrameDimension::Category), _) => Kind::Source as u16,
            (Some(FrameDimension::Datasource | FrameDimension::CommandType), _) => Kind::Execution as u16,
            (Some(FrameDimension::BufferType | FrameDimension::Argument(_)), _) => Kind::Buffer as u16,
            _ => Kind::Query as u16,
        }
    }

    fn text(&mut self, text: String) -> u32 {
        let texts = &mut self.scene.texts;
        let next = texts.len() as u32;
        *self.texts.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            next
        })
    }

    /// Returns the search style of a bar that represents `frames`: a match if any of them matches.
    fn style(&self, frames: &[u32]) -> BarStyle {
        match self.found {
            None => BarStyle::default(),
            Some(found) if frames.iter().any(|&id| found[id as usize]) => BarStyle::MATCH,
            Some(_) => BarStyle::DIM,
        }
    }

    /// Returns the horizontal range that is drawn, in pixels: the viewport and half its width at each side, for panning.
    fn window(&self) -> (f64, f64) {
        let width = f64::from(self.scene.viewport.width);
        (-width / 2.0, width * 1.5)
    }

    fn clipped(&self, start: i128, end: i128) -> (f64, f64) {
        let (left, right) = self.window();
        (self.x(start).max(left), self.x(end).min(right))
    }

    /// Returns the distance from the left edge, in pixels, of a position that is given in the unit of the frames'
    /// values.
    fn x(&self, place: i128) -> f64 {
        let share = (place - self.focus.start) as f64 / self.focus.width.max(1) as f64;
        let Viewport { start, .. } = self.scene.viewport;
        (share * MERGED_WIDTH as f64 - start as f64) / self.scene.viewport.nanos_per_pixel()
    }

    fn width(&self, width: i128) -> f64 {
        let share = width as f64 / self.focus.width.max(1) as f64;
        share * MERGED_WIDTH as f64 / self.scene.viewport.nanos_per_pixel()
    }
}

/// Shares of the larger side from which a change has the next deeper colour; below the first it has none.
const CHANGES: [f64; slot::LEVELS as usize] = [0.02, 0.15, 0.5];

/// Colour slot of a frame with these values on the base side and on the new side.
fn slot_of_change([base, new]: [i128; 2]) -> u16 {
    let share = base.abs_diff(new) as f64 / base.max(new).max(1) as f64;
    let level = CHANGES.iter().filter(|least| share >= **least).count() as u16;
    match level.checked_sub(1) {
        None => slot::NONE,
        Some(level) if new > base => slot::MORE + level,
        Some(level) => slot::LESS + level,
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::palette::ColorNames;
    use super::*;
    use crate::analysis::sample;
    use crate::protocol::ColorBy;
    use crate::protocol::FrameWeight;

    fn drawn(
        path: &[FrameDimension],
        focus: &[&str],
        (start, end): (i64, i64),
        find: Option<&str>,
    ) -> String {
        let trace = sample::trace();
        let focus = focus.iter().map(|&label| label.to_owned()).collect();
        let weight = FrameWeight::SelfTime;
        let spec = MergedSpec { path: path.to_vec(), weight, focus, ..MergedSpec::default() };
        let viewport = Viewport { start, end, width: 220.0, top: 0.0, height: 400.0 };
        let hits = find.map(|text| Hits::of(&trace, text));
        let colors = Colors::new(ColorBy::Kind, Rc::new(ColorNames::of(&trace, ColorBy::Kind)));
        let scene = scene((&trace, &colors), &spec, &viewport, hits.as_ref(), &mut Cache::default());
        let line = |rect: &Rect| {
            let label = scene.texts.get(rect.label as usize).map_or("–", String::as_str);
            let marks = match rect.style {
                style if style.has(BarStyle::MATCH) => " match",
                style if style.has(BarStyle::DIM) => " dim",
                _ => "",
            };
            format!("{} {} {} {label}{marks}\n", rect.x.round(), rect.y, rect.width.round())
        };
        scene.rects.iter().map(line).collect()
    }

    #[test]
    fn frames_lie_below_what_they_are_part_of() {
        let path = [FrameDimension::Outcome, FrameDimension::Datasource];
        let expected = "\
            0 0 219 all  22.00 ms\n\
            0 18 99 ok  10.00 ms\n\
            0 36 59 OrdersAPI  6.000 ms\n\
            100 18 79 failed  8.000 ms\n\
            100 36 39 OrdersAPI  4.000 ms\n\
            180 18 39 unfinished  4.000 ms\n";
        assert_eq!(drawn(&path, &[], (0, MERGED_WIDTH), None), expected);
    }

    #[test]
    fn narrow_frames_are_one_bar() {
        let path = [FrameDimension::Outcome, FrameDimension::Datasource];
        // The interval is a thousand times wider: only the root is at least half a pixel wide.
        let lines = drawn(&path, &[], (0, 1_000 * MERGED_WIDTH), None);
        assert_eq!(lines, "0 0 1 –\n0 18 1 –\n");
        // The interval is a thousandth of the width, at the right end of the first half.
        let lines = drawn(&path, &[], (499_500_000, 500_500_000), None);
        assert_eq!(lines.lines().count(), 3, "{lines}");
    }

    #[test]
    fn a_focus_fills_the_width() {
        let path = [FrameDimension::Outcome, FrameDimension::Datasource];
        let lines = drawn(&path, &["failed"], (0, MERGED_WIDTH), Some("orders"));
        assert_eq!(lines, "0 0 219 failed  8.000 ms dim\n0 18 109 OrdersAPI  4.000 ms match\n");
    }
}
