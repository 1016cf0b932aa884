//! Pages of a pivot table for the user interface, and whole tables for other programs.

use std::rc::Rc;

use super::across::{Across, AcrossColumn};
use super::amounts::Amounts;
use super::attribute::Quantity;
use super::cell::{Amount, Function, Measure};
use super::cube::{Cube, Question};
use super::notes;
use super::parse::{PivotError, measure_written, title, written};
use super::tree::{AggregateTree, GroupOrder, TreeGroup};
use crate::analysis::{Levels, PointRows};
use crate::base::csv::Csv;
use crate::base::sort;
use crate::base::text;
use crate::protocol::{PivotCell, PivotPage, PivotRow, PivotRows, PivotSpec, PivotView, PlainField};
use crate::trace::{Trace, Unit};

/// Maximum number of rows per page.
const MAX_ROWS: u32 = 1_000;
/// Maximum number of cached tables, and of cached lists of points.
const TABLES: usize = 4;

/// The cached pivot tables of one trace. Drop it together with the trace.
#[derive(Default)]
pub struct Pivot {
    pub(super) cube: Cube,
    /// Cached tables, most recently used last.
    tables: Vec<PageTable>,
    /// Cached points of expanded groups, each with the specification of the table and the codes of the group.
    points: Vec<(PivotSpec, Vec<u32>, Rc<[u32]>)>,
}

/// A computed pivot table with its specification.
struct PageTable {
    spec: PivotSpec,
    question: Question,
    tree: AggregateTree,
    /// The columns in display order.
    columns: Vec<AcrossColumn>,
    /// Notes below the table.
    notes: Vec<String>,
    /// The levels of the quantities that nested points report.
    levels: Vec<(Quantity, Rc<Levels>)>,
}

/// A row of a table: a group, or a single point of an opened group.
#[derive(Clone, Copy)]
enum PageLine {
    Group { node: TreeGroup, open: bool },
    Point { row: u32, depth: u16 },
}

impl Pivot {
    /// The requested rows of a table, or a page with an error message.
    #[inline(never)]
    pub fn page(&mut self, trace: &Trace, view: &PivotView, first: u32, count: u32) -> PivotPage {
        self.try_page(trace, view, first, count)
            .unwrap_or_else(|error| PivotPage { error: Some(error.to_string()), ..PivotPage::default() })
    }

    fn try_page(
        &mut self,
        trace: &Trace,
        view: &PivotView,
        first: u32,
        count: u32,
    ) -> Result<PivotPage, PivotError> {
        let at = self.table(trace, &view.spec)?;
        let lines = self.lines(trace, at, view)?;
        let table @ PageTable { question, tree, columns, .. } = &self.tables[at];
        let shown = lines.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        let has_points = shown.clone().any(|line| matches!(line, PageLine::Point { .. }));
        let measures = question.measures.iter().filter(|_| has_points);
        let own: Vec<Rc<Amounts>> = measures
            .map(|of| self.cube.columns().measured(trace, of.quantity.attribute(), question.range))
            .collect();
        let mut most = Most::default();
        let mut rows = Vec::new();
        for line in shown {
            let across = match (line, &question.across, tree.across()) {
                (PageLine::Point { row, .. }, Some(dimension), Some(across)) => {
                    Some(across.column_of(trace, &self.cube.value(trace, dimension, *row)))
                }
                _ => None,
            };
            let point = PointNumbers { across, own: &own };
            rows.push(row(trace, table, *line, &point, &mut most));
        }
        let cells = |root| columns.iter().map(|&c| cell(tree.amount(trace, root, c), 0)).collect();
        let total = tree.root().map(cells);
        Ok(PivotPage {
            error: None,
            dimensions: question.dimensions.iter().map(|dimension| written(trace, dimension)).collect(),
            has_texts: question.dimensions.iter().map(|of| of.attribute.unit(trace) == Unit::Text).collect(),
            across: question.across.as_ref().map_or(String::new(), |across| written(trace, across)),
            columns: tree.across().map_or(Vec::new(), |across| across.columns(trace)),
            sort: table.sorted(trace, view).map(|at| at as u32),
            measures: question.measures.iter().map(|&measure| measure_written(trace, measure)).collect(),
            titles: question.measures.iter().map(|&measure| title(trace, measure)).collect(),
            meanings: question.measures.iter().map(|&measure| notes::meaning(trace, measure)).collect(),
            notes: table.notes.clone(),
            points: tree.root().map_or(0, |root| tree.count(root)),
            groups: tree.width(tree.depth()) as u32,
            total: total.unwrap_or_default(),
            rows_in_all: lines.len() as u32,
            first,
            rows,
        })
    }

    /// Index of the table with this specification, which is computed if it is not cached.
    fn table(&mut self, trace: &Trace, spec: &PivotSpec) -> Result<usize, PivotError> {
        if let Some(at) = self.tables.iter().position(|table| table.spec == *spec) {
            self.tables[at..].rotate_left(1);
            return Ok(self.tables.len() - 1);
        }
        let question = Question::parse(trace, spec)?;
        let tree = match question.across {
            None => AggregateTree::of(self.cube.aggregate(trace, &question)?),
            Some(_) => {
                let finest = self.cube.aggregate(trace, &question.of_cells())?;
                AggregateTree::with_columns(trace, finest, question.measures.first().copied())
            }
        };
        let across = (0..tree.across().map_or(0, |across| across.len() as u32)).map(Some);
        let of_column =
            |across| question.measures.iter().map(move |&measure| AcrossColumn { measure, across });
        let columns = across.chain([None]).flat_map(of_column).collect();
        let notes = notes::notes(trace, &mut self.cube, &question)?;
        let mut levels = Vec::new();
        for measure in &question.measures {
            let found = self.cube.levels(trace, &question, measure.quantity)?;
            levels.extend(found.map(|found| (measure.quantity, found)));
        }
        if self.tables.len() >= TABLES {
            self.tables.remove(0);
        }
        self.tables.push(PageTable { spec: spec.clone(), question, tree, columns, notes, levels });
        Ok(self.tables.len() - 1)
    }

    /// All rows of a table, including those of opened groups.
    #[inline(never)]
    fn lines(&mut self, trace: &Trace, at: usize, view: &PivotView) -> Result<Vec<PageLine>, PivotError> {
        let table @ PageTable { tree, .. } = &self.tables[at];
        let sort = table.sort(trace, view);
        let open: Vec<TreeGroup> = view.open.iter().filter_map(|path| tree.find(trace, path)).collect();
        let Some(root) = tree.root() else { return Ok(Vec::new()) };
        let (mut lines, mut next) = (Vec::new(), vec![root]);
        while let Some(node) = next.pop() {
            let is_open = node == root || open.contains(&node);
            if node != root {
                lines.push(PageLine::Group { node, open: is_open });
            }
            let tree = &mut self.tables[at].tree;
            if !is_open {
                continue;
            }
            if node.0 < tree.depth() {
                let children = tree.children(trace, node, sort);
                next.extend(children.iter().rev().map(|&child| (node.0 + 1, child)));
            } else {
                let points = self.points(trace, at, node)?;
                lines.extend(points.iter().map(|&row| PageLine::Point { row, depth: node.0 as u16 }));
            }
        }
        Ok(lines)
    }

    /// The points of a group, sorted by duration, longest first.
    fn points(&mut self, trace: &Trace, at: usize, node: TreeGroup) -> Result<Rc<[u32]>, PivotError> {
        let PageTable { spec, question, tree, .. } = &self.tables[at];
        let codes = tree.codes(node);
        if let Some((.., rows)) = self.points.iter().find(|(of, known, _)| of == spec && *known == codes) {
            return Ok(rows.clone());
        }
        let mut rows = self.cube.rows(trace, question, &codes)?;
        sort::by_key(&mut rows, |&row| {
            let (start, end) = question.inside(trace, PointRows::of(trace).item(row));
            (start.saturating_sub(end), u64::from(row))
        });
        let rows: Rc<[u32]> = rows.into();
        if self.points.len() >= TABLES {
            self.points.remove(0);
        }
        self.points.push((spec.clone(), codes, rows.clone()));
        Ok(rows)
    }

    /// A whole table with plain values: one row per finest group.
    #[inline(never)]
    pub fn rows(&mut self, trace: &Trace, view: &PivotView) -> Result<PivotRows, PivotError> {
        let (columns, mut rows) = (self.heads(trace, view)?, Vec::new());
        self.each_group(trace, view, &mut |fields| rows.push(fields.to_vec()))?;
        Ok(PivotRows { columns, rows })
    }

    /// Names of the columns of a table, with units.
    fn heads(&mut self, trace: &Trace, view: &PivotView) -> Result<Vec<String>, PivotError> {
        let at = self.table(trace, &view.spec)?;
        let PageTable { question: Question { dimensions, measures, .. }, tree, .. } = &self.tables[at];
        let names = dimensions.iter().map(|dimension| written(trace, dimension));
        let titles: Vec<String> = measures.iter().map(|&measure| title_with_unit(trace, measure)).collect();
        let heads = tree.across().map(|across| across.heads(trace, &titles));
        Ok(names.chain(heads.unwrap_or(titles)).collect())
    }

    /// Calls `take` with each finest group in display order: its plain values, then its plain measures.
    fn each_group(
        &mut self,
        trace: &Trace,
        view: &PivotView,
        take: &mut dyn FnMut(&[PlainField]),
    ) -> Result<(), PivotError> {
        let mut is_head = true;
        self.each(trace, view, false, &mut |fields| {
            if !std::mem::take(&mut is_head) {
                take(fields);
            }
        })
    }

    /// A whole table as CSV with a header: one line per finest group.
    #[inline(never)]
    pub fn csv(&mut self, trace: &Trace, view: &PivotView) -> Result<String, PivotError> {
        let mut csv = Csv::new(Vec::new());
        self.heads(trace, view)?.iter().for_each(|head| csv.text(head));
        // Writing to memory cannot fail.
        let _ = csv.end();
        self.each_group(trace, view, &mut |fields| {
            for field in fields {
                match field {
                    PlainField::None => csv.none(),
                    PlainField::Text(text) => csv.text(text),
                    PlainField::Number(digits) => csv.number(digits),
                }
            }
            // Writing to memory cannot fail.
            let _ = csv.end();
        })?;
        Ok(String::from_utf8_lossy(&csv.into_inner()).into_owned())
    }

    /// Notes about the numbers of the table, as sentences.
    pub fn notes(&mut self, trace: &Trace, spec: &PivotSpec) -> Result<&[String], PivotError> {
        let at = self.table(trace, spec)?;
        Ok(&self.tables[at].notes)
    }

    /// Calls `take` with the column names, then with each finest group in display order: its values, then its measures.
    /// `people` selects formatted text instead of plain numbers.
    pub fn each(
        &mut self,
        trace: &Trace,
        view: &PivotView,
        people: bool,
        take: &mut dyn FnMut(&[PlainField]),
    ) -> Result<(), PivotError> {
        let at = self.table(trace, &view.spec)?;
        let sort = self.tables[at].sort(trace, view);
        let PageTable { question, tree, columns, .. } = &mut self.tables[at];
        let dimensions = question.dimensions.iter().map(|dimension| written(trace, dimension));
        let measures: Vec<String> = question.measures.iter().map(|&m| measure_written(trace, m)).collect();
        let heads = match tree.across() {
            Some(across) => across.heads(trace, &measures),
            None => measures,
        };
        take(&dimensions.chain(heads).map(PlainField::Text).collect::<Vec<_>>());
        let root = tree.root().map(|root| (root, Vec::new()));
        let mut next: Vec<(TreeGroup, Vec<PlainField>)> = root.into_iter().collect();
        while let Some((node, values)) = next.pop() {
            if node.0 == tree.depth() {
                let amounts = columns.iter().map(|&column| tree.amount(trace, node, column));
                let amounts = amounts.map(|amount| amount_field(amount, people));
                take(&values.into_iter().chain(amounts).collect::<Vec<_>>());
                continue;
            }
            for &child in tree.children(trace, node, sort).iter().rev() {
                let child = (node.0 + 1, child);
                let plain = || tree.value(child).plain(trace);
                let value = if people { PlainField::Text(tree.label(trace, child)) } else { plain() };
                next.push((child, values.iter().cloned().chain([value]).collect()));
            }
        }
        Ok(())
    }
}

/// Column header for other programs, with the unit of its values: `duration, sum (ns)`.
fn title_with_unit(trace: &Trace, measure: Measure) -> String {
    let unit = match measure.function {
        Function::Count => "",
        _ => match measure.quantity.attribute().unit(trace) {
            Unit::Nanos => " (ns)",
            Unit::Picos => " (ps)",
            Unit::Bytes => " (B)",
            Unit::Text | Unit::Rows | Unit::Count | Unit::Millionths => "",
        },
    };
    title(trace, measure) + unit
}

impl PageTable {
    /// Index of the column by which rows are sorted; `None` if they are sorted by label. If the view's column does not
    /// exist, rows are sorted by the measure's total over all columns.
    fn sorted(&self, trace: &Trace, view: &PivotView) -> Option<usize> {
        let n_measures = self.question.measures.len();
        let measure = view.sort.map(|measure| measure as usize).filter(|&measure| measure < n_measures)?;
        let across =
            |across: &Across| across.find(trace, &view.column).map_or(across.len(), |at| at as usize);
        Some(self.tree.across().map_or(0, across) * n_measures + measure)
    }

    fn sort(&self, trace: &Trace, view: &PivotView) -> GroupOrder {
        let column = self.sorted(trace, view).map(|at| self.columns[at]);
        GroupOrder { column, descending: view.descending }
    }
}

fn amount_field(amount: Amount, people: bool) -> PlainField {
    match amount.number {
        _ if people => PlainField::Text(amount.written()),
        None => PlainField::None,
        Some(_) => PlainField::Number(amount.plain()),
    }
}

/// The maximum amounts by depth and column, computed on demand. The heat of a cell is the ratio of its amount to this
/// maximum. All value columns with the same measure share one maximum.
#[derive(Default)]
struct Most {
    known: Vec<(usize, AcrossColumn, i128)>,
}

impl Most {
    /// Heat of a cell relative to all groups of the same depth: 0 to 255.
    fn heat(
        &mut self,
        trace: &Trace,
        tree: &AggregateTree,
        node: TreeGroup,
        column: AcrossColumn,
        amount: Amount,
    ) -> u8 {
        let Some(number) = amount.number.filter(|number| *number > 0) else { return 0 };
        let column = AcrossColumn { across: column.across.map(|_| 0), ..column };
        let known = self.known.iter().find(|(level, known, _)| (*level, *known) == (node.0, column));
        let most = match known {
            Some((.., most)) => *most,
            None => {
                let most = tree.most(trace, node.0, column);
                self.known.push((node.0, column, most));
                most
            }
        };
        let share = number.min(most).saturating_mul(255) / most.max(1);
        share.clamp(0, 255) as u8
    }
}

/// What the cells of a single point show.
struct PointNumbers<'a> {
    /// Index of the value column that the point belongs to; `None` if the table has no value columns.
    across: Option<u32>,
    /// Numbers of all points, by measure.
    own: &'a [Rc<Amounts>],
}

/// A row of the page. `point` is used for rows of single points only.
fn row(trace: &Trace, table: &PageTable, line: PageLine, point: &PointNumbers, most: &mut Most) -> PivotRow {
    let PageTable { tree, columns, .. } = table;
    match line {
        PageLine::Group { node, open } => {
            let cells = columns.iter().map(|&column| {
                let amount = tree.amount(trace, node, column);
                let heat = most.heat(trace, tree, node, column, amount);
                cell(amount, heat)
            });
            let (depth, label) = (node.0 as u16 - 1, tree.label(trace, node));
            PivotRow {
                depth,
                label,
                path: tree.path(trace, node),
                open: Some(open),
                item: None,
                cells: cells.collect(),
            }
        }
        PageLine::Point { row, depth } => {
            let item = PointRows::of(trace).item(row);
            let (start, _) = trace.interval(item);
            let label = format!("{} · {}", text::time(start), trace.str(trace.name(item)));
            // The measures of every value column are in the same order.
            let cells = columns.iter().zip(point.own.iter().cycle()).map(|(column, own)| {
                let is_here = column.across.is_none() || column.across == point.across;
                let number = own.get(row as usize).filter(|_| is_here);
                cell(of_point(trace, table, row, number, column.measure), 0)
            });
            let cells = cells.collect();
            PivotRow { depth, label, path: Vec::new(), open: None, item: Some(item.code()), cells }
        }
    }
}

/// The number of a single point, as it counts in its group. No number if `number` is `None`, if it is counted at another level, for
/// numbers of points, and for what a server computes of groups only.
fn of_point(trace: &Trace, table: &PageTable, row: u32, number: Option<i64>, measure: Measure) -> Amount {
    let Measure { function, quantity } = measure;
    let unit = quantity.attribute().unit(trace);
    let mut levels = table.levels.iter().filter(|(of, _)| *of == quantity);
    let is_left_out = levels.any(|(_, levels)| levels.leaves_out(row));
    let has_own = match quantity {
        Quantity::Server(_) => function == Function::Sum,
        _ => function != Function::Count,
    };
    let number = number.filter(|_| has_own && !is_left_out).map(i128::from);
    Amount { number, unit }
}

fn cell(amount: Amount, heat: u8) -> PivotCell {
    PivotCell { text: amount.written(), exact: amount.plain(), heat }
}
