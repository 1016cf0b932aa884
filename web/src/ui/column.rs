//! A column of a table: its name, what it means, how wide it is, and how it orders the rows.

use yew::prelude::*;

/// What the cells of a column hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// Words, which begin at the left.
    Text,
    /// Numbers, which end at the right.
    Number,
    /// Bars that repeat numbers of other columns. They are neither copied nor sorted by.
    Bars,
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct TableColumn {
    /// Its name, in the head.
    pub name: AttrValue,
    /// What stands above its name and those of the columns next to it with the same; empty where nothing does.
    pub group: AttrValue,
    /// What it means, in the tooltip of its head; its name where it is empty.
    pub meaning: AttrValue,
    /// What its cells hold.
    pub kind: ColumnKind,
    /// The unit of the copied values, such as `ns`; empty where they have none.
    pub unit: &'static str,
    /// A grid track and the least width that it takes. `None`: as wide as its longest text.
    pub track: Option<(AttrValue, AttrValue)>,
    /// Whether a click on its head orders the rows.
    pub sorts: bool,
    /// Whether the first click puts the largest value first.
    pub largest_first: bool,
}

/// Makes a column of its name.
type Make = fn(&'static str) -> TableColumn;

impl TableColumn {
    #[inline(never)]
    fn new(name: AttrValue, kind: ColumnKind, unit: &'static str) -> Self {
        let is_number = kind == ColumnKind::Number;
        let (sorts, meaning) = (kind != ColumnKind::Bars, AttrValue::default());
        Self {
            name,
            group: AttrValue::default(),
            meaning,
            kind,
            unit,
            track: None,
            sorts,
            largest_first: is_number,
        }
    }

    /// Columns, each made by a function from its name.
    #[inline(never)]
    pub fn list(columns: &[(Make, &'static str)]) -> Vec<Self> {
        columns.iter().map(|(make, name)| make(name)).collect()
    }

    /// A column of words.
    #[inline(never)]
    pub fn text(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Text, "")
    }

    /// A column of numbers without a unit.
    #[inline(never)]
    pub fn number(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "")
    }

    /// A column of times and durations, copied in nanoseconds.
    #[inline(never)]
    pub fn time(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "ns")
    }

    /// A column of points in time, the earliest first.
    #[inline(never)]
    pub fn start(name: impl Into<AttrValue>) -> Self {
        Self::time(name).smallest_first()
    }

    /// A column of sizes, copied in bytes.
    #[inline(never)]
    pub fn bytes(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "B")
    }

    /// A column of shares, copied in percent.
    #[inline(never)]
    pub fn share(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "%")
    }

    /// A column of bars; its name is read aloud and in the tooltip.
    #[inline(never)]
    pub fn bars(name: impl Into<AttrValue>) -> Self {
        let column = Self::new(name.into(), ColumnKind::Bars, "");
        column.track("minmax(120px, 26fr)", "120px")
    }

    /// In a group of columns, which has a head of its own.
    #[inline(never)]
    pub fn under(self, group: impl Into<AttrValue>) -> Self {
        Self { group: group.into(), ..self }
    }

    /// With a sentence for its tooltip.
    #[inline(never)]
    pub fn meaning(self, meaning: impl Into<AttrValue>) -> Self {
        Self { meaning: meaning.into(), ..self }
    }

    /// With a width that does not depend on its cells.
    #[inline(never)]
    pub fn track(self, track: impl Into<AttrValue>, least: impl Into<AttrValue>) -> Self {
        Self { track: Some((track.into(), least.into())), ..self }
    }

    /// With a width of so many characters; the first column leaves room for others.
    #[inline(never)]
    pub fn characters(self, characters: usize, is_first: bool) -> Self {
        let least = match is_first {
            true => format!("min({characters}ch, 46cqw)"),
            false => format!("{characters}ch"),
        };
        self.track(format!("minmax({least}, {characters}fr)"), least)
    }

    /// Without an order by it.
    #[inline(never)]
    pub fn unsorted(self) -> Self {
        Self { sorts: false, ..self }
    }

    /// With the smallest value first at the first click.
    #[inline(never)]
    pub fn smallest_first(self) -> Self {
        Self { largest_first: false, ..self }
    }

    /// Its name with the unit of the copied values.
    pub fn copied_name(&self) -> String {
        let name = match self.group.as_str() {
            "" => self.name.to_string(),
            group => format!("{group} / {}", self.name),
        };
        match self.unit {
            "" => name,
            unit => format!("{name} ({unit})"),
        }
    }
}
