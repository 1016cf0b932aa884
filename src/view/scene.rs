//! A finished picture as numbers; nothing is left to decide. All lengths are CSS pixels, relative to the left and top
//! edge of the viewport that was asked for; colours are slots, which the painter looks up in the theme's table.

use crate::protocol::Viewport;

/// A bar, or (with [`BarStyle::DENSITY`]) a pixel column of many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    /// Left edge; may lie left of the viewport.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width; at least 1 where something is.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// For a split bar: the share of the width, from the left, that is the darker part (reading), 0 to 1. For a column
    /// of many: the share of the time that it is busy, more than 0 also where all of them take none. Else 0.
    pub split: f32,
    /// Free pixels to the right of the bar, up to the next one in its row: a note fits in if it is narrower.
    pub room: f32,
    /// What a click selects: an item's code, or a frame of the merged flame graph.
    pub id: u32,
    /// The label, as an index into [`Scene::texts`]; `u32::MAX` for none.
    pub label: u32,
    /// Colour slot.
    pub color: u16,
    /// Marks.
    pub style: BarStyle,
    /// How strong lines, counters and what is merged are painted; else 255.
    pub alpha: u8,
}

impl Rect {
    /// How strong a column is painted above its solid rows.
    pub const IDLE: u8 = 40;

    /// How many of a column's rows of pixels are solid, from the bottom, so that it shows how busy it is: a quarter
    /// wherever something is, so that it is seen alone too, and all of them only where nothing was idle.
    pub fn solid_rows(&self, rows: i64) -> i64 {
        if self.split >= 1.0 {
            return rows;
        }
        let least = (rows / 4).max(1);
        let more = self.split * (rows - 1 - least).max(0) as f32;
        (least + more.round() as i64).min(rows)
    }
}

/// Marks of a bar: a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BarStyle(pub u16);

impl BarStyle {
    /// Red outline, hatched end, "✕ failed" where there is room.
    pub const FAILED: BarStyle = BarStyle(1);
    /// Fading end, "no end in trace" where there is room.
    pub const OPEN_END: BarStyle = BarStyle(2);
    /// Fading start.
    pub const OPEN_START: BarStyle = BarStyle(4);
    /// Dashed outline: something about it was inferred.
    pub const INFERRED: BarStyle = BarStyle(8);
    /// A triangle at its left end: over-fetching.
    pub const OVER_FETCH: BarStyle = BarStyle(16);
    /// Many bars in one pixel column; `split` tells how busy.
    pub const DENSITY: BarStyle = BarStyle(32);
    /// Drawn behind the others, full height (a request behind its query).
    pub const BACKDROP: BarStyle = BarStyle(64);
    /// The current search matches it.
    pub const MATCH: BarStyle = BarStyle(128);
    /// A search is on and does not match it.
    pub const DIM: BarStyle = BarStyle(256);
    /// Nothing was done in it (waiting for a client, an idle processor): painted thin and pale, so that work stands out.
    pub const IDLE: BarStyle = BarStyle(512);

    /// Whether all of `other` are set.
    pub fn has(self, other: BarStyle) -> bool {
        self.0 & other.0 == other.0
    }

    /// All but those of `other`.
    #[must_use]
    pub fn without(self, other: BarStyle) -> BarStyle {
        BarStyle(self.0 & !other.0)
    }

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: BarStyle) -> BarStyle {
        BarStyle(self.0 | other.0)
    }
}

/// A point in time: a dot, or a diamond for what reached secondary storage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SceneMark {
    /// Centre.
    pub x: f32,
    /// Centre.
    pub y: f32,
    /// Half of its width.
    pub radius: f32,
    /// What a click selects: an item's code.
    pub id: u32,
    /// How many events it stands for.
    pub count: u32,
    /// Colour slot.
    pub color: u16,
    /// [`BarStyle::MATCH`], [`BarStyle::DIM`], [`BarStyle::FAILED`].
    pub style: BarStyle,
    /// A diamond instead of a dot.
    pub diamond: bool,
}

/// A row and its heading at the left.
#[derive(Clone, PartialEq, Debug)]
pub struct SceneRow {
    /// Top edge.
    pub y: f32,
    /// Height.
    pub height: f32,
    /// How deep its heading is indented.
    pub depth: u8,
    /// Its heading, as an index into [`Scene::texts`].
    pub label: u32,
    /// What the row is called besides that, such as the id of a query named by its SQL, as an index into
    /// [`Scene::texts`]; `u32::MAX` for nothing.
    pub detail: u32,
    /// What is written in the row's own area, from the left, as an index into [`Scene::texts`]; `u32::MAX` for nothing.
    pub note: u32,
    /// Its track; `u32::MAX` for a row that is no track.
    pub track: u32,
    /// Whether it can be opened, and whether it is.
    pub fold: Fold,
    /// Whether it heads a group (a run): bold, on a tinted ground.
    pub header: bool,
    /// Where nothing of it lies inside the viewport: when the last thing before it ends.
    pub before: Option<i64>,
    /// Where nothing of it lies inside the viewport: when the first thing behind it starts.
    pub after: Option<i64>,
}

/// Whether a row can be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Fold {
    /// There is nothing below it.
    Leaf,
    /// What is below it is hidden.
    Closed,
    /// What is below it is shown.
    Open,
}

/// A finished picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// What was asked for. The scene may hold more at both sides, so that panning finds something there.
    pub viewport: Viewport,
    /// Height of the whole content, for the scroll bar.
    pub content_height: f64,
    /// Rows, from the top.
    pub rows: Vec<SceneRow>,
    /// Bars, in the order of painting.
    pub rects: Vec<Rect>,
    /// Marks, painted after the bars.
    pub marks: Vec<SceneMark>,
    /// Labels, each once.
    pub texts: Vec<String>,
}

impl Scene {
    /// A picture of nothing.
    pub fn empty(viewport: Viewport) -> Scene {
        let (rows, rects, marks, texts) = Default::default();
        Scene { viewport, content_height: 0.0, rows, rects, marks, texts }
    }
}

impl Scene {
    /// The scene in words, one line for each thing: for tests that compare pictures.
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
