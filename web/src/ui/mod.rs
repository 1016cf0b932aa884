//! Reusable UI parts that depend on no trace format and no panel: tables with virtual scrolling, chips, dialogs and
//! definitions of terms.

mod chip;
mod column;
mod copied;
mod copy_table;
mod data_table;
mod dialog;
mod grid_keyboard;
mod grid_keys;
mod grid_markup;
mod popover;
mod row_order;
mod row_viewport;
mod segments;
mod table_cell;
mod table_row;
mod term_help;
mod virtual_list;

pub use chip::{Chip, ChipHandle, chip_button};
pub use column::{ColumnKind, TableColumn};
pub use copied::{CopiedRows, CopyForm};
pub use copy_table::CopyTable;
pub use data_table::{DataTable, TableHeading, TableOrders};
pub use dialog::{Dialog, focus};
pub use popover::{hang, hang_below};
pub use row_order::SortOrder;
pub use segments::{segment, segments};
pub use table_cell::{SortKey, TableCell, link};
pub use table_row::{FetchRows, RowEvent, RowSource, TableRow, TableRows, WorkerOrder};
pub use term_help::TermHelp;
