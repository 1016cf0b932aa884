//! A finished scene as numbers, ready to paint. All lengths are CSS pixels, relative to the top left corner of the
//! requested viewport; colours are slots, which the painter looks up in the theme's table.

use crate::protocol::Viewport;

/// A bar or, with [`BarStyle::DENSITY`], a pixel column that summarises many bars.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    /// Left edge; may be left of the viewport.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width; at least 1 for everything that is drawn.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// For a split bar: the darker share of its width (time spent reading), from the left, 0 to 1. For a column of many
    /// bars: the share of its time that is busy, above 0 even if all its bars have no duration. Otherwise 0.
    pub split: f32,
    /// Free pixels between this bar and the next bar in its row: a note after the bar is drawn if it is narrower.
    pub room: f32,
    /// Target of a click: an item code, [`Scene::NO_ITEM`], or a frame of the merged flame graph.
    pub id: u32,
    /// Label, as an index into [`Scene::texts`]; `u32::MAX` if there is none.
    pub label: u32,
    /// Colour slot in the theme's table.
    pub color: u16,
    /// Style flags.
    pub style: BarStyle,
    /// Opacity of lines, counters and summarised bars; otherwise 255.
    pub alpha: u8,
}

impl Rect {
    /// Opacity of a column above its solid rows.
    pub const IDLE: u8 = 40;

    /// Number of pixel rows of a column that are solid, from the bottom, to show how busy it is: at least a quarter, so
    /// that a lone item is visible, and all rows only if there was no idle time.
    pub fn solid_rows(&self, rows: i64) -> i64 {
        if self.split >= 1.0 {
            return rows;
        }
        let least = (rows / 4).max(1);
        let more = self.split * (rows - 1 - least).max(0) as f32;
        (least + more.round() as i64).min(rows)
    }
}

/// A set of style flags of a bar.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BarStyle(pub u16);

impl BarStyle {
    /// The item failed: red outline, hatched end, and "✕ failed" if there is room.
    pub const FAILED: BarStyle = BarStyle(1);
    /// The end is not in the trace: fading end, and "no end in trace" if there is room.
    pub const OPEN_END: BarStyle = BarStyle(2);
    /// The start is not in the trace: fading start.
    pub const OPEN_START: BarStyle = BarStyle(4);
    /// A property of the item was inferred: dashed outline.
    pub const INFERRED: BarStyle = BarStyle(8);
    /// The item fetched more rows than needed: a triangle at its left end.
    pub const OVER_FETCH: BarStyle = BarStyle(16);
    /// Summary of many bars in one pixel column; `split` is its busy share.
    pub const DENSITY: BarStyle = BarStyle(32);
    /// Drawn at full height behind the other bars (a request behind its query).
    pub const BACKDROP: BarStyle = BarStyle(64);
    /// The bar matches the current search.
    pub const MATCH: BarStyle = BarStyle(128);
    /// A search is active, and the bar does not match it.
    pub const DIM: BarStyle = BarStyle(256);
    /// No work was done (waiting for a client, an idle processor): painted thin and pale, so that work stands out.
    pub const IDLE: BarStyle = BarStyle(512);
    /// The other execution of a comparison has no such span: thick dashed outline, and a remark in the label.
    pub const UNMATCHED: BarStyle = BarStyle(1024);

    /// Whether all flags of `other` are set.
    pub fn has(self, other: BarStyle) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the flags without the flags of `other`.
    #[must_use]
    pub fn without(self, other: BarStyle) -> BarStyle {
        BarStyle(self.0 & !other.0)
    }

    /// Returns the union of the two sets.
    #[must_use]
    pub fn with(self, other: BarStyle) -> BarStyle {
        BarStyle(self.0 | other.0)
    }
}

/// A point in time: a dot, or a diamond for an access to secondary storage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SceneMark {
    /// Horizontal centre.
    pub x: f32,
    /// Vertical centre.
    pub y: f32,
    /// Half of the width.
    pub radius: f32,
    /// Target of a click: an item code.
    pub id: u32,
    /// Number of events that the mark represents.
    pub count: u32,
    /// Colour slot in the theme's table.
    pub color: u16,
    /// Style flags: [`BarStyle::MATCH`], [`BarStyle::DIM`] or [`BarStyle::FAILED`].
    pub style: BarStyle,
    /// Whether the mark is a diamond instead of a dot.
    pub diamond: bool,
}

/// A row and its heading at the left.
#[derive(Clone, PartialEq, Debug)]
pub struct SceneRow {
    /// Top edge.
    pub y: f32,
    /// Height.
    pub height: f32,
    /// Indentation level of the heading.
    pub depth: u8,
    /// Heading, as an index into [`Scene::texts`].
    pub label: u32,
    /// Secondary heading, such as the ID of a query whose heading is its SQL, as an index into [`Scene::texts`];
    /// `u32::MAX` if there is none.
    pub detail: u32,
    /// Note at the left of the row's own area, as an index into [`Scene::texts`]; `u32::MAX` if there is none.
    pub note: u32,
    /// The row's track; `u32::MAX` if the row is not a track, [`Scene::RESULT_TRACK`] for the track of an SQL result.
    pub track: u32,
    /// Whether the row can be opened, and whether it is open.
    pub fold: Fold,
    /// Whether the row is the header of a group (a run): bold, on a tinted background.
    pub header: bool,
    /// End of the last item before the viewport, in nanoseconds, if no item of the row is inside the viewport.
    pub before: Option<i64>,
    /// Start of the first item after the viewport, in nanoseconds, if no item of the row is inside the viewport.
    pub after: Option<i64>,
}

/// Whether a row can be opened and is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Fold {
    /// The row has no children.
    Leaf,
    /// The row's children are hidden.
    Closed,
    /// The row's children are shown.
    Open,
}

/// A finished scene.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// The requested viewport. The scene may extend beyond it at both sides, for panning.
    pub viewport: Viewport,
    /// Height of the whole content, for the scroll bar.
    pub content_height: f64,
    /// Rows, from the top.
    pub rows: Vec<SceneRow>,
    /// Bars, in painting order.
    pub rects: Vec<Rect>,
    /// Marks, painted after the bars.
    pub marks: Vec<SceneMark>,
    /// Texts of labels and headings, each listed once.
    pub texts: Vec<String>,
}

impl Scene {
    /// Value of [`SceneRow::track`] for the row of an SQL result, which is not a track of the trace.
    pub const RESULT_TRACK: u32 = u32::MAX - 1;
    /// Value of [`Rect::id`] for bars of an SQL result that refer to no item.
    pub const NO_ITEM: u32 = u32::MAX;

    /// Returns a scene without content.
    pub fn empty(viewport: Viewport) -> Scene {
        let (rows, rects, marks, texts) = Default::default();
        Scene { viewport, content_height: 0.0, rows, rects, marks, texts }
    }
}

impl Scene {
    /// Describes the scene as text, one line per object, for tests that compare scenes.
    pub fn to_text(&self) -> String {
        let text = |at: u32| self.texts.get(at as usize).map_or(String::new(), |text| format!(" {text:?}"));
        let mut lines = vec![format!("content {} px", self.content_height)];
        for row in &self.rows {
            let SceneRow { y, height, depth, fold, header, before, after, .. } = *row;
            let mut header = if header { " header".to_owned() } else { String::new() };
            before.iter().for_each(|time| header += &format!(" before {time}"));
            after.iter().for_each(|time| header += &format!(" after {time}"));
            let texts = text(row.label) + &text(row.detail) + &text(row.note);
            lines.push(format!("row {y} +{height} depth {depth} {fold:?}{header}{texts}"));
        }
        for rect in &self.rects {
            let Rect { x, y, width, height, id, color, split, room, alpha, .. } = *rect;
            let mut line = format!("rect {x:.1} +{width:.1}, {y} +{height} item {id} colour {color}");
            line += &format!(" room {room:.0}");
            if split > 0.0 {
                line += &format!(" split {split:.2}");
            }
            if alpha < 255 {
                line += &format!(" alpha {alpha}");
            }
            lines.push(line + &rect.style.to_text() + &text(rect.label));
        }
        for mark in &self.marks {
            let SceneMark { x, y, radius, id, count, color, diamond, style } = *mark;
            let shape = if diamond { "diamond" } else { "dot" };
            let line =
                format!("{shape} {x:.1}, {y} radius {radius:.1} item {:#x} count {count} colour {color}", id);
            lines.push(line + &style.to_text());
        }
        lines.join("\n") + "\n"
    }
}

impl BarStyle {
    fn to_text(self) -> String {
        const NAMES: [&str; 10] = [
            "failed",
            "open-end",
            "open-start",
            "inferred",
            "over-fetch",
            "density",
            "backdrop",
            "match",
            "dim",
            "idle",
        ];
        let set = NAMES.iter().enumerate().filter(|(bit, _)| self.0 >> bit & 1 == 1);
        set.map(|(_, name)| format!(" {name}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_columns_are_told_apart_by_their_height() {
        let rect = Rect {
            x: 0.0,
            y: 0.0,
            width: 1.0,
            height: 14.0,
            split: 0.0,
            room: 0.0,
            id: 0,
            label: u32::MAX,
            color: 0,
            style: BarStyle::DENSITY,
            alpha: 255,
        };
        let solid = |share: f32, rows| Rect { split: share, ..rect }.solid_rows(rows);
        for rows in [12, 14, 18, 28, 36] {
            let found = [1e-6, 0.1, 0.5, 0.9, 1.0].map(|share| solid(share, rows));
            assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{rows}: {found:?}");
            assert_eq!((found[0], found[4]), (rows / 4, rows));
            assert_eq!(solid(0.999, rows), rows - 1, "only what is never idle is full");
        }
        assert_eq!([0, 1, 2].map(|rows| solid(0.5, rows)), [0, 1, 1]);
    }
}
