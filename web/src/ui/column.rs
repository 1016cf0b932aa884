//! A column of a table: its name, meaning, width and sort behaviour.

use yew::prelude::*;

/// Kind of values in a column, which determines alignment and copying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// Text, aligned left.
    Text,
    /// Numbers, aligned right.
    Number,
    /// The texts `true` and `false`.
    Boolean,
    /// Bars that repeat the numbers of other columns, and are neither copied nor sortable.
    Bars,
}

/// Name, meaning, width and sort behaviour of one table column.
#[derive(Clone, PartialEq, Debug)]
pub struct TableColumn {
    /// Name of the column, shown in the table head.
    pub name: AttrValue,
    /// Heading above adjacent columns of the same group. Empty if the column is in no group.
    pub group: AttrValue,
    /// Tooltip of the column's head. If empty, the tooltip is the column's name.
    pub meaning: AttrValue,
    /// Kind of values in the cells.
    pub kind: ColumnKind,
    /// Names of the columns in which the values are copied, if each cell has several: see [`TableColumn::in_parts`]. Empty for one value.
    pub parts: &'static [&'static str],
    /// Unit of the copied values, such as `ns`. Empty if the values have no unit.
    pub unit: &'static str,
    /// CSS grid track and its minimum width. `None` to fit the column to its longest text.
    pub track: Option<(AttrValue, AttrValue)>,
    /// Whether a click on the column's head sorts the rows.
    pub sorts: bool,
    /// Whether the first click on the column's head sorts in descending order.
    pub largest_first: bool,
}

/// A function that makes a column with the given name.
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
            parts: &[],
            unit,
            track: None,
            sorts,
            largest_first: is_number,
        }
    }

    /// Makes the columns of a list of constructors and names.
    #[inline(never)]
    pub fn list(columns: &[(Make, &'static str)]) -> Vec<Self> {
        columns.iter().map(|(make, name)| make(name)).collect()
    }

    /// A column of text.
    #[inline(never)]
    pub fn text(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Text, "")
    }

    /// A column of numbers without a unit.
    #[inline(never)]
    pub fn number(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "")
    }

    /// A column of durations or points in time, copied in nanoseconds.
    #[inline(never)]
    pub fn time(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "ns")
    }

    /// A column of points in time. The first click sorts the earliest one to the top.
    #[inline(never)]
    pub fn start(name: impl Into<AttrValue>) -> Self {
        Self::time(name).smallest_first()
    }

    /// A column of sizes in bytes.
    #[inline(never)]
    pub fn bytes(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "B")
    }

    /// A column of percentages.
    #[inline(never)]
    pub fn share(name: impl Into<AttrValue>) -> Self {
        Self::new(name.into(), ColumnKind::Number, "%")
    }

    /// A column of bars. Its name appears only in the tooltip and to screen readers.
    #[inline(never)]
    pub fn bars(name: impl Into<AttrValue>) -> Self {
        let column = Self::new(name.into(), ColumnKind::Bars, "");
        column.track("minmax(120px, 26fr)", "120px")
    }

    /// Puts the column in a group, whose name appears above the names of its columns.
    #[inline(never)]
    pub fn under(self, group: impl Into<AttrValue>) -> Self {
        Self { group: group.into(), ..self }
    }

    /// Sets the tooltip of the column's head.
    #[inline(never)]
    pub fn meaning(self, meaning: impl Into<AttrValue>) -> Self {
        Self { meaning: meaning.into(), ..self }
    }

    /// Sets a width that does not depend on the cells: a CSS grid track and its minimum width.
    #[inline(never)]
    pub fn track(self, track: impl Into<AttrValue>, least: impl Into<AttrValue>) -> Self {
        Self { track: Some((track.into(), least.into())), ..self }
    }

    /// Sets the width in characters. The first column can shrink further, to leave room for others.
    #[inline(never)]
    pub fn characters(self, characters: usize, is_first: bool) -> Self {
        let least = match is_first {
            true => format!("min({characters}ch, 46cqw)"),
            false => format!("{characters}ch"),
        };
        self.track(format!("minmax({least}, {characters}fr)"), least)
    }

    /// Copies each cell as several values in columns with these names. The copied text of its cells has a tab between values.
    #[inline(never)]
    pub fn in_parts(self, parts: &'static [&'static str]) -> Self {
        Self { parts, ..self }
    }

    /// Makes the column not sortable.
    #[inline(never)]
    pub fn unsorted(self) -> Self {
        Self { sorts: false, ..self }
    }

    /// Makes the first click on the column's head sort in ascending order.
    #[inline(never)]
    pub fn smallest_first(self) -> Self {
        Self { largest_first: false, ..self }
    }

    /// Number of columns in which the values are copied; 0 for bars.
    pub fn n_copied(&self) -> usize {
        if self.kind == ColumnKind::Bars { 0 } else { self.parts.len().max(1) }
    }

    /// Returns the name of a copied column with the unit of its values.
    pub fn copied_name(&self, at: usize) -> String {
        let mut name = self.name.to_string();
        if !self.group.is_empty() {
            name = format!("{} / {name}", self.group);
        }
        if let Some(part) = self.parts.get(at) {
            name = format!("{name} / {part}");
        }
        match self.unit {
            "" => name,
            unit => format!("{name} ({unit})"),
        }
    }
}
