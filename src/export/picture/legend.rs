//! Legend of an image: as many entries as fit into a few lines.

use super::Definitions;
use super::svg::{SvgText, number};
use super::text_width::TextFont;
use crate::protocol::{ColorBy, Legend, slot};
use crate::trace::Kind;
use crate::view::{Color, SceneTheme};

const FONT: TextFont = TextFont::regular(11.5);
/// Height of a line of entries, and space above the first and below the last line, in CSS pixels.
const LINE: f64 = 19.0;
const SPACE: f64 = 8.0;
/// Maximum number of lines.
const LINES: usize = 3;
/// Size of a swatch, its distance from the name, and the distance between two entries, in CSS pixels.
const SWATCH: f64 = 10.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 16.0;
/// Left and right edge of the lines, in CSS pixels.
const MARGIN: f64 = 14.0;

/// Appearance of the swatch of an entry.
#[derive(Clone, Copy)]
enum Swatch {
    Plain(Color),
    /// A circle, as for marks of buffer events.
    Dot(Color),
    Hatched,
    /// No swatch: a remark.
    None,
}

struct LegendEntry {
    swatch: Swatch,
    name: String,
    /// Left edge, and number of the line.
    x: f64,
    line: usize,
}

/// A legend with the positions of its entries.
pub(super) struct LegendLayout {
    entries: Vec<LegendEntry>,
    /// Height with the space around it; 0 without entries.
    pub height: f64,
}

/// Places the entries of a legend in lines of this width. The last entry counts the entries that do not fit.
pub(super) fn layout(legend: &Legend, by: ColorBy, width: f64, theme: &SceneTheme) -> LegendLayout {
    let mut layout = LegendLayout { entries: Vec::new(), height: 0.0 };
    let mut named = names(legend, by, theme);
    if legend.failed && by != ColorBy::Outcome {
        // Failures are marked in every view, so the entry must not be the one that has no room.
        named.insert(named.len().min(8), (Swatch::Hatched, "failed".to_owned()));
    }
    let all = named.len() + legend.more as usize;
    for (at, (swatch, name)) in named.into_iter().enumerate() {
        let rest = all - at - 1;
        let reserved = if rest > 0 { BETWEEN + FONT.width(&others(rest)) } else { 0.0 };
        if !layout.add(swatch, &name, width, reserved) {
            layout.add(Swatch::None, &others(all - at), width, 0.0);
            break;
        }
        if rest == legend.more as usize && rest > 0 {
            layout.add(Swatch::None, &others(rest), width, 0.0);
        }
    }
    let lines = layout.entries.last().map_or(0, |last| last.line + 1);
    layout.height = if lines == 0 { 0.0 } else { lines as f64 * LINE + 2.0 * SPACE };
    layout
}

/// Text of the entry that counts the names that are not listed.
fn others(n: usize) -> String {
    format!("and {}", crate::base::text::counted(n as u64, "other name", "other names"))
}

fn names(legend: &Legend, by: ColorBy, theme: &SceneTheme) -> Vec<(Swatch, String)> {
    let mut named = Vec::new();
    for (color, name) in &legend.entries {
        let fill = theme.slot(*color).fill;
        let is_buffer = by == ColorBy::Kind && *color == Kind::Buffer.slot();
        named.push((if is_buffer { Swatch::Dot(fill) } else { Swatch::Plain(fill) }, name.clone()));
        if by == ColorBy::Kind && name == Kind::Execution.name() {
            named.push((Swatch::Plain(theme.slot(*color).dark), "fetching rows".to_owned()));
        }
    }
    let nameless = match by {
        ColorBy::Connector => "no connector",
        ColorBy::Datasource => "no datasource",
        ColorBy::Query => "no query",
        ColorBy::Kind | ColorBy::Outcome => return named,
    };
    named.push((Swatch::Plain(theme.slot(slot::NONE).fill), nameless.to_owned()));
    named
}

impl LegendLayout {
    /// Adds an entry; returns `false` if no line has room for it. In the last line, `reserved` pixels stay free.
    fn add(&mut self, swatch: Swatch, name: &str, width: f64, reserved: f64) -> bool {
        let own = if matches!(swatch, Swatch::None) { 0.0 } else { SWATCH + GAP };
        let room = width - 2.0 * MARGIN - own;
        let Some(name) = FONT.fitting(name, room) else { return true };
        let length = own + FONT.width(&name);
        let (mut x, mut line) = match self.entries.last() {
            None => (MARGIN, 0),
            Some(last) => {
                let before = if matches!(last.swatch, Swatch::None) { 0.0 } else { SWATCH + GAP };
                (last.x + before + FONT.width(&last.name) + BETWEEN, last.line)
            }
        };
        if x + length > width - MARGIN {
            (x, line) = (MARGIN, line + 1);
        }
        let is_last = line + 1 >= LINES;
        if line >= LINES || is_last && x + length + reserved > width - MARGIN {
            return false;
        }
        self.entries.push(LegendEntry { swatch, name, x, line });
        true
    }

    /// Draws the legend below `top`.
    pub fn write(&self, theme: &SceneTheme, out: &mut SvgText, top: f64, definitions: &mut Definitions) {
        for LegendEntry { swatch, name, x, line } in &self.entries {
            let middle = top + SPACE + LINE * (*line as f64 + 0.5);
            let y = middle - SWATCH / 2.0;
            let area = [*x, y, SWATCH, SWATCH];
            let mut text = x + SWATCH + GAP;
            match swatch {
                Swatch::Plain(color) => out.rect(area, *color, r#" rx="2""#),
                Swatch::Dot(color) => out.raw(&format!(
                    r#"<circle cx="{}" cy="{}" r="4.5" fill="{}"/>"#,
                    number(x + SWATCH / 2.0),
                    number(middle),
                    color.css()
                )),
                Swatch::Hatched => {
                    let (hatch, [x, y]) = (definitions.hatch(), [x + 0.5, y + 0.5].map(number));
                    let bad = theme.bad.css();
                    out.raw(&format!(
                        r#"<rect x="{x}" y="{y}" width="9" height="9" rx="2" fill="{hatch}" stroke="{bad}"/>"#
                    ));
                }
                Swatch::None => text = *x,
            }
            out.text(name, (text, middle + 4.0), FONT, theme.muted, "");
        }
    }
}
