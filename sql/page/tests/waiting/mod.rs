//! Waits for the page's SQL program, which in the page waits for messages.

use queryscope::protocol::{AnyRequest, SqlColumnsRequest, SqlFailure, SqlResult};
use queryscope::session::Session;
use queryscope_sql_page::program::{SqlProgram, Step};

/// The output of a future, once it is there.
pub fn done<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// Answers the program's requests until the statement has ended; returns the requests for columns, and the result.
pub fn finish(
    program: &mut SqlProgram,
    session: &mut Session,
    mut step: Step,
) -> (Vec<SqlColumnsRequest>, Result<SqlResult, SqlFailure>) {
    let mut asked = Vec::new();
    loop {
        let reply = match step {
            Step::Done(result) => return (asked, result),
            Step::Ask(AnyRequest::SqlTableList(request)) => postcard::to_allocvec(&session.answer(&request)),
            Step::Ask(AnyRequest::SqlColumns(request)) => {
                let reply = postcard::to_allocvec(&session.answer(&request));
                asked.push(request);
                reply
            }
            other => panic!("{other:?}"),
        };
        step = done(program.take(&reply.expect("plain data")));
    }
}
