//! The HTML elements of a table.

use std::ops::Range;
use std::rc::Rc;

use yew::prelude::*;

use super::column::{ColumnKind, TableColumn};
use super::data_table::{DataTableProps, GridCursor};
use super::row_order::SortOrder;
use super::row_viewport::{ROW, RowViewport};
use super::table_cell::TableCell;
use super::table_row::{RowEvent, RowSource, TableRow, TableRows};
use crate::components::icon::{Icon, icon};

/// Height of the head in CSS pixels: `HEAD` if every column name fits on one line, else `HIGH_HEAD`.
const HEAD: f64 = 28.0;
const HIGH_HEAD: f64 = 42.0;
/// Maximum length in characters of a column name of several words that is kept on one line.
const NAME: usize = 12;
/// Number of rows whose texts determine the widths of columns.
const MEASURED: u32 = 500;
/// Maximum width of a column, in characters.
const WIDEST: usize = 60;

/// Returns the columns with widths. Columns without a width get the width of their longest text.
pub fn fitted(columns: &[TableColumn], rows: &TableRows) -> Vec<TableColumn> {
    if columns.iter().all(|column| column.track.is_some()) {
        return columns.to_vec();
    }
    let mut widths: Vec<usize> = columns.iter().map(name_width).collect();
    let step = (rows.count / MEASURED).max(1);
    for row in (0..rows.count).step_by(step as usize).filter_map(|row| (rows.row)(row)) {
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(cell.text.chars().count().min(WIDEST));
        }
    }
    let fit = |(at, (column, width)): (usize, (&TableColumn, usize))| match column.track {
        Some(_) => column.clone(),
        None => column.clone().characters(width + 3, at == 0),
    };
    columns.iter().zip(widths).enumerate().map(fit).collect()
}

/// Whether the name of a column takes two lines.
fn is_long(column: &TableColumn) -> bool {
    let is_shown = column.kind != ColumnKind::Bars;
    is_shown && column.name.chars().count() > NAME && column.name.contains(' ')
}

/// Width that the name of a column needs, in characters.
fn name_width(column: &TableColumn) -> usize {
    let characters = column.name.chars().count();
    let longest = column.name.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    if is_long(column) { longest.max(characters / 2 + 2) } else { characters }
}

/// The properties and state from which the elements of a table are made.
pub struct GridMarkup {
    id: &'static str,
    label: AttrValue,
    class: Classes,
    row_height: f64,
    pinned: Option<TableRow>,
    pub is_tree: bool,
    is_old: bool,
    nothing: Html,
    pub onrow: Option<Callback<(u32, RowEvent)>>,
    pub columns: Rc<Vec<TableColumn>>,
    pub rows: TableRows,
    order: Rc<Option<Vec<u32>>>,
    sorting: Option<SortOrder>,
    onsort: Callback<Option<SortOrder>>,
    is_head_high: bool,
}

impl GridMarkup {
    pub fn new(
        props: &DataTableProps,
        columns: Rc<Vec<TableColumn>>,
        order: Rc<Option<Vec<u32>>>,
        (sorting, onsort): (Option<SortOrder>, Callback<Option<SortOrder>>),
    ) -> Rc<Self> {
        let DataTableProps {
            id,
            label,
            class,
            row_height,
            pinned,
            is_tree,
            is_old,
            nothing,
            onrow,
            rows,
            ..
        } = props;
        Rc::new(Self {
            id,
            label: label.clone(),
            class: class.clone(),
            row_height: *row_height,
            pinned: pinned.clone(),
            is_tree: *is_tree,
            is_old: *is_old,
            nothing: nothing.clone(),
            onrow: onrow.clone(),
            columns,
            rows: rows.clone(),
            order,
            sorting,
            onsort,
            is_head_high: props.columns.iter().any(|column| column.track.is_none() && is_long(column)),
        })
    }

    /// Height of the elements that stay above the rows, in CSS pixels.
    pub fn above(&self) -> f64 {
        self.heads_height() + if self.pinned.is_some() { ROW } else { 0.0 }
    }

    fn head_height(&self) -> f64 {
        if self.is_head_high { HIGH_HEAD } else { HEAD }
    }

    /// Height of the table's head, in CSS pixels, including the names of column groups if there are any.
    fn heads_height(&self) -> f64 {
        self.head_height() + if self.has_groups() { HEAD } else { 0.0 }
    }

    fn has_groups(&self) -> bool {
        self.columns.iter().any(|column| !column.group.is_empty())
    }

    /// Returns the position of a row in the current sort order.
    pub fn position_of(&self, row: u32) -> Option<u32> {
        match &*self.order {
            None => Some(row),
            Some(order) => order.iter().position(|&at| at == row).map(|at| at as u32),
        }
    }

    /// Returns the number of the row that is shown at a position.
    pub fn number_at(&self, position: u32) -> u32 {
        self.order
            .as_ref()
            .as_ref()
            .and_then(|order| order.get(position as usize).copied())
            .unwrap_or(position)
    }

    /// Returns the row that is shown at a position.
    pub fn row_at(&self, position: u32) -> Option<TableRow> {
        (self.rows.row)(self.number_at(position))
    }

    /// Returns the id of the element of the row that is shown at a position.
    pub fn row_id(&self, position: u32) -> String {
        format!("{}-{position}", self.id)
    }

    /// Number of rows above the first data row, for screen readers: the heads and the pinned row.
    fn rows_above(&self) -> u64 {
        1 + u64::from(self.pinned.is_some()) + u64::from(self.has_groups())
    }

    /// Reports an event on the row that is shown at a position.
    pub fn tell(&self, position: u32, event: RowEvent) {
        if let Some(onrow) = &self.onrow {
            onrow.emit((self.number_at(position), event));
        }
    }

    pub fn grid(
        self: &Rc<Self>,
        node: NodeRef,
        viewport: RowViewport,
        visible: Range<u32>,
        cursor: &UseStateHandle<GridCursor>,
        (onscroll, onkeydown): (Callback<Event>, Callback<KeyboardEvent>),
    ) -> Html {
        let top = viewport.top_of(visible.start);
        let active = cursor.row.filter(|row| visible.contains(row)).map(|row| self.row_id(row));
        html! {
            <div class={classes!("grid", "scrolls", self.class.clone())} role={if self.is_tree { "treegrid" } else { "grid" }} tabindex="0" ref={node}
                aria-label={self.label.clone()} aria-activedescendant={active} aria-multiselectable="true" aria-busy={self.is_old.then_some("true")}
                aria-rowcount={(u64::from(viewport.rows) + self.rows_above()).to_string()} aria-colcount={self.columns.len().to_string()}
                {onscroll} {onkeydown}>
                <div class="grid-sheet" style={self.style()}>
                    { self.head() }
                    if let Some(pinned) = &self.pinned { { self.row(pinned, None, false, Callback::noop()) } }
                    if viewport.rows == 0 { { self.nothing.clone() } }
                    <div class="grid-tall" style={format!("height:{}px", viewport.tall())}>
                        <div class="grid-rows" role="rowgroup" style={format!("transform:translateY({top}px)")}>
                            { for visible.map(|position| self.body_row(position, cursor)) }
                        </div>
                    </div>
                </div>
            </div>
        }
    }

    /// Returns the CSS properties of the table: column widths, minimum total width, and heights.
    fn style(&self) -> String {
        let tracks = self.columns.iter().filter_map(|column| column.track.clone());
        let (tracks, least): (Vec<AttrValue>, Vec<AttrValue>) = tracks.unzip();
        format!(
            "--columns:{};--least:calc({});--row-height:{}px;--head-height:{}px",
            tracks.join(" "),
            least.join(" + "),
            self.row_height,
            self.heads_height()
        )
    }

    fn head(&self) -> Html {
        if !self.has_groups() {
            return self.names("1");
        }
        let groups = self.columns.chunk_by(|a, b| a.group == b.group).scan(1, |next, columns| {
            let first = *next;
            *next += columns.len();
            Some((first, columns))
        });
        html! {
            <div class="grid-heads">
                <div class="grid-head groups" role="row" aria-rowindex="1">{ for groups.map(|(first, columns)| group_head(first, columns)) }</div>
                { self.names("2") }
            </div>
        }
    }

    fn names(&self, row: &'static str) -> Html {
        html! {
            <div class="grid-head" id={format!("{}-head", self.id)} role="row" aria-rowindex={row}>
                { for self.columns.iter().enumerate().map(|(at, column)| self.column_head(at, column)) }
            </div>
        }
    }

    fn column_head(&self, at: usize, column: &TableColumn) -> Html {
        let meaning = if column.meaning.is_empty() { &column.name } else { &column.meaning };
        let class = (column.kind == ColumnKind::Number).then_some("right");
        if !column.sorts {
            let class = classes!(class, (column.kind == ColumnKind::Bars).then_some("bars"));
            return html! { <div role="columnheader" {class} title={meaning.clone()}><span>{ &column.name }</span></div> };
        }
        let (now, has_original) = match &self.rows.source {
            RowSource::Page => (self.sorting, true),
            RowSource::Worker(order, _) => (order.now, order.has_original),
        };
        let next = SortOrder::after_click(now, at, column.largest_first, has_original);
        let onclick = match &self.rows.source {
            RowSource::Page => self.onsort.reform(move |_: MouseEvent| next),
            RowSource::Worker(order, _) => order.onsort.reform(move |_: MouseEvent| next),
        };
        let sorted = now.filter(|now| now.column == at);
        html! {
            <div role="columnheader" aria-sort={sorted.map_or("none", SortOrder::aria)} {class}>
                <button type="button" tabindex="-1" title={meaning.clone()} {onclick}>
                    <span>{ &column.name }</span>
                    if let Some(sorted) = sorted { { icon(if sorted.descending { Icon::Down } else { Icon::Up }) } }
                </button>
            </div>
        }
    }

    fn body_row(self: &Rc<Self>, position: u32, cursor: &UseStateHandle<GridCursor>) -> Html {
        let Some(row) = self.row_at(position) else {
            let index = u64::from(position) + self.rows_above() + 1;
            return html! { <div key={position} class="grid-row waiting" role="row" aria-rowindex={index.to_string()}><span role="gridcell" class="sql" /></div> };
        };
        let (markup, setter) = (self.clone(), cursor.setter());
        let onclick = Callback::from(move |event: MouseEvent| {
            setter.set(GridCursor::at(Some(position)));
            markup
                .tell(position, if event.detail() > 1 { RowEvent::DoubleClicked } else { RowEvent::Clicked });
        });
        self.row(&row, Some(position), cursor.selected().contains(&position), onclick)
    }

    /// Renders a row. The pinned row has no position.
    fn row(
        &self,
        row: &TableRow,
        position: Option<u32>,
        is_selected: bool,
        onclick: Callback<MouseEvent>,
    ) -> Html {
        let index =
            position.map_or(self.rows_above(), |position| u64::from(position) + self.rows_above() + 1);
        let level = (self.is_tree && position.is_some()).then(|| (row.depth + 1).to_string());
        let class = classes!(
            "grid-row",
            row.class.clone(),
            position.is_none().then_some("pinned"),
            self.is_old.then_some("old"),
            row.is_current.then_some("current")
        );
        html! {
            <div key={position.map_or(-1, i64::from)} id={position.map(|at| self.row_id(at))} {class} role="row"
                aria-rowindex={index.to_string()} aria-level={level} aria-expanded={row.open.map(|open| open.to_string())}
                aria-selected={position.map(|_| is_selected.to_string())} aria-current={row.is_current.then_some("true")}
                data-item={row.item.map(|item| item.to_string())} {onclick}>
                { for row.cells.iter().zip(self.columns.iter()).enumerate().map(|(at, (cell, column))| self.cell(row, at, cell, column)) }
            </div>
        }
    }

    fn cell(&self, row: &TableRow, at: usize, cell: &TableCell, column: &TableColumn) -> Html {
        let is_label = at == 0 && self.is_tree;
        let style = if is_label { Some(format!("--depth:{}", row.depth).into()) } else { cell.style.clone() };
        let class = classes!(
            (column.kind == ColumnKind::Number).then_some("right"),
            is_label.then_some("label"),
            cell.class.clone()
        );
        html! {
            <span role={if at == 0 { "rowheader" } else { "gridcell" }} {class} dir="auto" title={cell.title.clone()} {style}>
                if is_label && row.open.is_some() { { icon(Icon::Down) } }
                if is_label { <span>{ cell.content() }</span> } else { { cell.content() } }
            </span>
        }
    }
}

/// Renders the head above adjacent columns that are in one group, or a gap above columns without a group.
fn group_head(first: usize, columns: &[TableColumn]) -> Html {
    let (span, name) =
        (columns.len(), columns.first().map(|column| column.group.clone()).unwrap_or_default());
    let style = format!("grid-column:span {span}");
    if name.is_empty() {
        return html! { <div role="presentation" {style} /> };
    }
    html! {
        <div role="columnheader" aria-colindex={first.to_string()} aria-colspan={span.to_string()} dir="auto" title={name.clone()}
            class="group foreign clip" {style}><span>{ name }</span></div>
    }
}
