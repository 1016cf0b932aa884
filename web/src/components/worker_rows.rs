//! Tables whose rows the worker sends in pages.

use std::ops::Range;
use std::rc::Rc;

use queryscope::protocol::{
    AreaNamePage, AreaNameRow, AreaSpanPage, AreaSpanRow, BufferQueryPage, BufferQueryRow, ComparedRunRow,
    ComparedRuns, ExecutionPage, ExecutionRow, QueryPage, QueryRow, Request, RunTablePage, RunTableRow,
    ShapePage, ShapeRow, SourceExecutionPage, SourceExecutionRow, SourcePage, SourceRow, TransactionPage,
    TransactionRow,
};

use crate::client::Client;
use crate::ui::{FetchRows, RowSource, TableRow, TableRows, WorkerOrder};

/// A reply with some of the rows of a table.
pub trait RowPage {
    /// Type of a row.
    type Row;

    /// Number of rows of the table.
    fn n_rows(&self) -> u32;

    /// Returns a row of the table by its index, or `None` if the page does not contain it.
    fn row(&self, index: u32) -> Option<&Self::Row>;

    /// Rows of the page.
    fn rows(&self) -> &[Self::Row];
}

/// From entries `Page(total) of Row`, with the name of the field that counts the rows, generates the [`RowPage`]
/// implementations.
macro_rules! row_pages {
    ($($page:ident($total:ident) of $row:ident,)*) => {
        $(impl RowPage for $page {
            type Row = $row;

            fn n_rows(&self) -> u32 {
                self.$total
            }

            fn row(&self, index: u32) -> Option<&$row> {
                self.rows.get(index.checked_sub(self.first)? as usize)
            }

            fn rows(&self) -> &[$row] {
                &self.rows
            }
        })*
    };
}

row_pages! {
    AreaNamePage(total) of AreaNameRow,
    AreaSpanPage(total) of AreaSpanRow,
    BufferQueryPage(total) of BufferQueryRow,
    ComparedRuns(total) of ComparedRunRow,
    ExecutionPage(total) of ExecutionRow,
    QueryPage(matched) of QueryRow,
    RunTablePage(total) of RunTableRow,
    ShapePage(total) of ShapeRow,
    SourceExecutionPage(total) of SourceExecutionRow,
    SourcePage(total) of SourceRow,
    TransactionPage(total) of TransactionRow,
}

impl<P: RowPage> RowPage for Box<P> {
    type Row = P::Row;

    fn n_rows(&self) -> u32 {
        (**self).n_rows()
    }

    fn row(&self, index: u32) -> Option<&P::Row> {
        (**self).row(index)
    }

    fn rows(&self) -> &[P::Row] {
        (**self).rows()
    }
}

/// Makes the rows of a table from the page that was received last, `None` before the first one. To copy the table, further pages
/// are fetched by `request`.
pub fn worker_rows<R>(
    client: &Client,
    page: Option<R::Reply>,
    order: WorkerOrder,
    request: impl Fn(Range<u32>) -> R + 'static,
    row: impl Fn(&<R::Reply as RowPage>::Row) -> TableRow + 'static,
) -> TableRows
where
    R: Request + 'static,
    R::Reply: RowPage + Default + 'static,
{
    let client = client.clone();
    let row = Rc::new(row);
    let count = page.as_ref().map_or(0, R::Reply::n_rows);
    let shown = {
        let row = row.clone();
        move |index: u32| page.as_ref()?.row(index).map(|of| row(of))
    };
    let fetch: FetchRows = Rc::new(move |range: Range<u32>| {
        let client = client.clone();
        let request = request(range);
        let row = row.clone();
        Box::pin(async move {
            let page = client.ask(request).await.unwrap_or_default();
            page.rows().iter().map(|of| row(of)).collect()
        })
    });
    TableRows { count, row: Rc::new(shown), source: RowSource::Worker(order, Some(fetch)) }
}
